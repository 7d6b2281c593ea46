/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules of MMFFsp3 with known energies and forces: topologies built by hand from the parameters of their types, and
 * typed ones; engines whose directions are put somewhere. Numbers are those of the original's double-precision class,
 * with its own parameters. */
#ifndef SHOAL_TESTS_GOLDEN_FIXTURE_H
#define SHOAL_TESTS_GOLDEN_FIXTURE_H

#include "device_fixture.h"
#include "direction_fixture.h"
#include "engine/engine.h"
#include "shoal/shoal.h"

enum { GOLDEN_MOVERS = 24, GOLDEN_ROWS = 12, N_GOLDEN = 5 };

typedef struct golden_row {
    int32_t i; /* atom, or node that a direction stands at */
    double f[3];
} golden_row;

typedef struct golden {
    const char *name;
    sketch (*make)(void);
    double bond, angle, sigma_pi, pi_pi;
    double total;
    double sf, sp; /* sums of squares */
    int n_forces, n_turns;
    golden_row forces[GOLDEN_ROWS], turns[GOLDEN_ROWS];
    double vdw, coulomb; /* 1-4 and beyond; the original damps charges by 1 angstrom */
    const char *bonds;   /* by order: "-=-" as sketch_bond made them */
} golden;

static const node_type type_o3 = {104.51, -37.745, 5.99, 0, 0};
static const node_type type_cald = {120, 0, 5.94, 2.2, 1.0}, type_oald = {120, 0.5, 8.02, 2.2, 1.0};
static const node_type type_nr = {120, 0, 7.43, 1.6, 1.3};

static inline sketch sketch_water(void)
{
    sketch s = {0};
    (void)sketch_atom(&s, 8, &type_o3, 0, 0, 0);
    (void)sketch_atom(&s, 1, NULL, .95, .1, 0);
    (void)sketch_atom(&s, 1, NULL, -.3, .9, .1);
    sketch_bond(&s, 0, 1, 0.973, 24.436);
    sketch_bond(&s, 0, 2, 0.973, 24.436);
    static const double charges[] = {-.8, .4, .4};
    memcpy(s.charge, charges, sizeof charges);
    return s;
}

static inline sketch sketch_acetamide(void)
{
    static const double h[5][3] = {{-.38, 1.02, .05},
                                   {-.38, -.5, .89},
                                   {-.37, -.54, -.88},
                                   {1.6, -2, .25},
                                   {3.12, -1.2, -.05}};
    sketch s = {0};
    (void)sketch_atom(&s, 6, &type_c3, 0, 0, 0);
    (void)sketch_atom(&s, 6, &type_cald, 1.5, .05, .02);
    (void)sketch_atom(&s, 8, &type_oald, 2.15, 1.08, -.05);
    (void)sketch_atom(&s, 7, &type_nr, 2.12, -1.15, .1);
    for (int k = 0; k < 5; ++k) (void)sketch_atom(&s, 1, NULL, h[k][0], h[k][1], h[k][2]);
    sketch_direction(&s, 1, .05, -.05, 1);
    sketch_direction(&s, 2, .2, .1, 1);
    sketch_direction(&s, 3, -.1, .1, 1);
    sketch_bond(&s, 0, 1, 1.538, 10.082);
    sketch_bond(&s, 1, 2, 1.225, 27.545);
    sketch_bond(&s, 1, 3, 1.465, 11.327);
    for (int32_t k = 4; k < 9; ++k)
        sketch_bond(&s, k < 7 ? 0 : 3, k, k < 7 ? 1.095 : 1.019, k < 7 ? 16.457 : 22.172);
    return s;
}

static const golden goldens[N_GOLDEN] = {
    {.name = "water",
     .make = sketch_water,
     .bond = 0.008288986382107,
     .angle = 0.004231270674902,
     .total = 0.012520257057009,
     .sf = 0.555561175993,
     .n_forces = 3,
     .forces = {{0, {-0.085424180295, -0.177738293833, -0.018114006905}},
                {1, {0.455918336972, -0.187625135330, -0.025292170877}},
                {2, {-0.370494156677, 0.365363429162, 0.043406177782}}},
     .bonds = "--"},
    {.name = "formic acid",
     .make = sketch_formic,
     .bond = 0.092547087124907,
     .angle = 0.045590617789469,
     .sigma_pi = 0.094164817713370,
     .pi_pi = 0.183506232360116,
     .total = 0.415808754987862,
     .sf = 3.812644414989,
     .sp = 1.207010032258,
     .n_forces = 5,
     .forces = {{0, {-0.169301846359, -0.104097419363, -0.142814669818}},
                {1, {0.637657076742, -0.739374646687, 0.141924307012}},
                {2, {0.149660503085, 1.154339363450, 0.189811836637}},
                {3, {0.399900322456, -0.128927957276, -0.344216156228}},
                {4, {-1.017916055924, -0.181939340124, 0.155294682396}}},
     .n_turns = 3,
     .turns = {{0, {0.139601796196, 0.894176095696, 0.019845193061}},
               {1, {0.496487873955, -0.182756458942, 0.086200079184}},
               {2, {-0.272734907850, 0.113936365903, 0.113491134455}}},
     .vdw = 0.029677576002,
     .coulomb = -0.930115422400,
     .bonds = "=---"},
    {.name = "ethylene",
     .make = sketch_ethylene,
     .bond = 0.003049622269196,
     .angle = 0.015178301945650,
     .sigma_pi = 0.086358570933098,
     .pi_pi = 0.009939193964007,
     .total = 0.114525689111951,
     .sf = 1.029892586193,
     .sp = 0.524396526304,
     .n_forces = 6,
     .forces = {{0, {-0.248627685421, 0.188709976989, 0.126836326977}},
                {1, {-0.107233124969, -0.391724374736, 0.149816376893}},
                {2, {0.034690673708, 0.324172879860, -0.414431859027}},
                {3, {0.339458312606, -0.192313469349, 0.425916664287}},
                {4, {-0.092370393017, 0.199196900122, -0.197515814002}},
                {5, {0.074082217094, -0.128041912886, -0.090621695128}}},
     .n_turns = 2,
     .turns = {{0, {-0.186201481118, -0.624940994151, 0.071804173471}},
               {1, {0.189682843297, 0.235076515346, -0.052705788368}}},
     .vdw = -0.002005634588,
     .bonds = "=----"},
    {.name = "benzene",
     .make = sketch_benzene,
     .bond = 0.282798773839725,
     .angle = 0.005283123046956,
     .sigma_pi = 0.356416623910027,
     .pi_pi = 0.113252247159536,
     .total = 0.757750767956244,
     .sf = 21.030530188852,
     .sp = 4.738126037515,
     .n_forces = 6,
     .forces = {{0, {-1.456436390787, -0.049541225738, -0.835211140650}},
                {2, {0.751468121372, -1.393763011950, -1.240739098897}},
                {5, {-0.793486352715, 1.236672541697, 0.961285867287}},
                {6, {0.122858162586, 0.050923088130, 0.687728536509}},
                {9, {-0.191277373635, 0.026091840553, 0.272652177435}},
                {11, {0.101513479468, -0.102982825079, -0.251698400846}}},
     .n_turns = 3,
     .turns = {{0, {0.652876707276, -0.565938952465, 0.110562786925}},
               {2, {-0.112989862507, -0.594033743017, -0.047522699441}},
               {5, {-1.019524758025, -0.822515209011, -0.218729930425}}},
     .vdw = 0.420642237917,
     .bonds = "::::::------"},
    {.name = "acetamide",
     .make = sketch_acetamide,
     .bond = 0.080652921053139,
     .angle = 0.066445484134138,
     .sigma_pi = 0.227078992276974,
     .pi_pi = 0.046969863956529,
     .total = 0.421147261420780,
     .sf = 6.137762114575,
     .sp = 3.462907284979,
     .n_forces = 9,
     .forces = {{0, {-0.724681696392, 0.666212909583, 0.859589585066}},
                {1, {-0.485338772675, -0.172866725399, 0.273893295678}},
                {2, {-0.218188640189, 0.284624546629, -0.257934505696}},
                {3, {1.179555908991, -0.765985134811, -0.626516449333}},
                {4, {-0.097766241629, 0.086085660006, -0.574328098701}},
                {5, {0.318735426628, -0.294459223158, 0.086158710177}},
                {6, {0.102376902486, 0.302117425135, -0.192172392906}},
                {7, {-0.335115832023, -0.146927694652, -0.306840525066}},
                {8, {0.260422944802, 0.041198236667, 0.738150380781}}},
     .n_turns = 3,
     .turns = {{1, {-0.370507960271, 1.062665175384, 0.071658656783}},
               {2, {-0.451637123217, -0.654367158479, 0.155764140491}},
               {3, {1.229142340847, -0.082514438332, 0.131165677918}}},
     .vdw = 0.072100213684,
     .bonds = "-=------"},
};

/* The same as a molecule, with the orders of its bonds and the charges of the sketch; boxed: repeats along x. */
static inline shoal_molecule *sketch_molecule(const sketch *s, const char *orders, bool boxed)
{
    static const double cell[3][3] = {{DIR_BOX, 0, 0}, {0, DIR_BOX, 0}, {0, 0, DIR_BOX}};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < s->n; ++i)
        CHECK(shoal_molecule_add_atom(mol, s->elements[i], s->pos[i]) == SHOAL_OK);
    for (int32_t b = 0; b < s->n_bonds; ++b) {
        const char mark = orders[b];
        const shoal_bond_order order = mark == '='   ? SHOAL_ORDER_DOUBLE
                                       : mark == '#' ? SHOAL_ORDER_TRIPLE
                                       : mark == ':' ? SHOAL_ORDER_AROMATIC
                                                     : SHOAL_ORDER_SINGLE;
        CHECK(shoal_molecule_add_bond(mol, s->bonds[b][0], s->bonds[b][1], order, NULL) ==
              SHOAL_OK);
    }
    CHECK(shoal_molecule_set_charges(mol, s->charge) == SHOAL_OK);
    if (boxed)
        CHECK(shoal_molecule_set_cell(mol, cell, (const bool[3]){true, false, false}) == SHOAL_OK);
    return mol;
}

/* The topology that the original would give it, or by the mended rules. */
static inline shoal_topology *sketch_typed(const sketch *s, const char *orders, const char *rules,
                                           bool boxed)
{
    shoal_typing_options o = {.forcefield = SHOAL_FORCEFIELD_UFF};
    shoal_topology *t = NULL;
    shoal_molecule *mol = sketch_molecule(s, orders, boxed);
    CHECK(shoal_forcefield_by_name(rules, &o) == SHOAL_OK);
    CHECK(shoal_topology_create(&t, mol, &o) == SHOAL_OK);
    CHECK_TEXT(shoal_topology_reason(t), "");
    shoal_molecule_destroy(mol);
    return t;
}

/* --- engines ------------------------------------------------------------------------------------ */

/* How a system is computed: on a device, by its schedule for small or for large systems. */
typedef struct schedule {
    const char *device;
    shoal_precision precision;
    bool large;
} schedule;
enum { MOST_SCHEDULES = 12 };

/* Those of ref, which knows no float, of the cpu and of the device to test on; how many. */
static inline int find_schedules(schedule list[MOST_SCHEDULES])
{
    const char *const devices[3] = {"ref", "cpu", find_test_device()};
    int n = 0;
    for (int d = 0; d < 3 && devices[d]; ++d)
        for (int k = 0; k < 4; ++k)
            if (d > 0 || k % 2 == 0)
                list[n++] =
                    (schedule){.device = devices[d],
                               .precision = k % 2 ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE,
                               .large = k / 2};
    return n;
}

/* n systems of one topology at pos, directions behind the atoms. */
static inline shoal_engine *gold_engine(shoal_topology *t, int32_t n, const double (*pos)[3],
                                        const schedule *on, shoal_engine_options options)
{
    static const double cell[3][3] = {{DIR_BOX, 0, 0}, {0, DIR_BOX, 0}, {0, 0, DIR_BOX}};
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    const shoal_system system = {.topology = t, .pos = pos, .cell = on->large ? cell : NULL};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    options.device = on->device;
    options.precision = on->precision;
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k)
        memcpy(engine->results[k].pos, pos, (size_t)engine_n_movers(engine, k) * sizeof *pos);
    shoal_batch_destroy(batch);
    return engine;
}

static inline void gold_eval(shoal_engine *engine)
{
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    for (int32_t k = 0; k < engine->n_systems; ++k)
        CHECK(engine->results[k].status == SHOAL_SYSTEM_OK);
}

/* One evaluation; the caller destroys it. */
static inline shoal_engine *gold_point(shoal_topology *t, const double (*pos)[3],
                                       const schedule *on, uint32_t terms_off)
{
    shoal_engine *engine =
        gold_engine(t, 1, pos, on, (shoal_engine_options){.terms_off = terms_off});
    gold_eval(engine);
    return engine;
}

/* The row of the direction that stands at an atom. */
static inline int32_t gold_turn(const shoal_topology_view *v, int32_t atom)
{
    int32_t k = 0;
    while (k < v->n_directions && v->direction_atoms[k] != atom) ++k;
    CHECK(k < v->n_directions);
    return v->n_atoms + v->n_pairs + k;
}

#define GOLD_NO_PAIRS (1u << SHOAL_TERM_VDW | 1u << SHOAL_TERM_COULOMB)

#endif
