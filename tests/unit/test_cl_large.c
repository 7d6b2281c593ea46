/* SPDX-License-Identifier: BSD-3-Clause
 * Large and periodic systems on OpenCL against ref: sizes, cells of every kind, charges, relaxations,
 * batch laws, slices. Runs on the processor (PoCL), or on the device that SHOAL_TEST_DEVICE names. */
#include "backend/opencl/large/cl_large.h"
#include "cpu_fixture.h"
#include "device_fixture.h"
#include "geom/vector.h"

static const char *device;

typedef struct periodic_case {
    const char *name;
    int32_t n_atoms;
    double (*pos)[3];
    shoal_topology *topology;
    double cell[3][3];
    bool *fixed;
    shoal_restraint restraint[3];
    int32_t n_restraints;
} periodic_case;

enum { MAX_CASES = 24 };
static periodic_case cases[MAX_CASES];
static int n_cases;
static char reasons[MAX_CASES][200]; /* of the last run */

static periodic_case *add_case(shoal_molecule *mol, const char *name, double shake)
{
    periodic_case *c = &cases[n_cases++];
    bool pbc[3];
    uint64_t seed = 77u + (uint64_t)n_cases;
    *c = (periodic_case){.name = name, .n_atoms = shoal_molecule_n_atoms(mol)};
    shoal_molecule_cell(mol, c->cell, pbc);
    CHECK(n_cases < MAX_CASES && shoal_topology_create(&c->topology, mol, NULL) == SHOAL_OK);
    if (shoal_topology_status(c->topology) != SHOAL_SYSTEM_OK)
        (void)printf("%s: %s\n", name, shoal_topology_reason(c->topology));
    CHECK(shoal_topology_status(c->topology) == SHOAL_SYSTEM_OK);
    c->pos = calloc((size_t)c->n_atoms + 1, sizeof *c->pos);
    for (int32_t i = 0; i < c->n_atoms; ++i)
        for (int k = 0; k < 3; ++k)
            c->pos[i][k] = shoal_molecule_positions(mol)[i][k] + shake * set_random(&seed);
    return c;
}

static void free_cases(void)
{
    for (int k = 0; k < n_cases; ++k) {
        shoal_topology_destroy(cases[k].topology);
        free(cases[k].pos);
        free(cases[k].fixed);
    }
    n_cases = 0;
}

/* A lattice of water molecules, n[0] x n[1] x n[2] of them, each turned a little; charged: charges of
 * a common water model, in all zero unless net is not. */
static shoal_molecule *make_water(const int n[3], const double cell[3][3], const bool pbc[3],
                                  bool charged, double net)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < n[0] * n[1] * n[2]; ++k) {
        const int at[3] = {k / (n[1] * n[2]), k / n[2] % n[1], k % n[2]};
        double o[3] = {0.3, 0.2, 0.1};
        for (int d = 0; d < 3; ++d)
            for (int c = 0; c < 3; ++c) o[c] += at[d] * cell[d][c] / n[d];
        const double t = 0.7 * k, x = cos(t), y = sin(t);
        const int32_t a = set_atom(mol, 8, o[0], o[1], o[2]);
        const int32_t b = set_atom(mol, 1, o[0] + 0.97 * x, o[1] + 0.97 * y, o[2]);
        const int32_t h = set_atom(mol, 1, o[0] - 0.25 * x, o[1] - 0.25 * y, o[2] + 0.93);
        CHECK(shoal_molecule_add_bond(mol, a, b, 1, NULL) == SHOAL_OK);
        CHECK(shoal_molecule_add_bond(mol, a, h, 1, NULL) == SHOAL_OK);
        for (int32_t i = a; i <= h && charged; ++i)
            CHECK(shoal_molecule_set_charge(mol, i, (i == a ? -0.82 : 0.41) + (k == 0 ? net : 0)) ==
                  SHOAL_OK);
    }
    if (pbc[0] || pbc[1] || pbc[2]) CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    return mol;
}

static periodic_case *add_water(const char *name, const int n[3], const double cell[3][3],
                                const bool pbc[3], bool charged, double net)
{
    shoal_molecule *mol = make_water(n, cell, pbc, charged, net);
    periodic_case *c = add_case(mol, name, 0.05);
    shoal_molecule_destroy(mol);
    return c;
}

/* An infinite zigzag chain of carbon with hydrogens: bonds, angles and torsions through images, in a
 * cell of one turn only. */
static void add_chain(const char *name, int n_turns)
{
    shoal_molecule *mol = NULL;
    const double length = 2.52 * n_turns, cell[3][3] = {{length, 0, 0}, {0, 30, 0}, {0, 0, 30}};
    const bool pbc[3] = {true, false, false};
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < 2 * n_turns; ++k) {
        const double up = k % 2 ? 1.0 : -1.0, x = 1.26 * k, y = 0.42 * up;
        const int32_t c = set_atom(mol, 6, x, y, 0.0);
        const int32_t a = set_atom(mol, 1, x, y + 0.63 * up, 0.89);
        const int32_t b = set_atom(mol, 1, x, y + 0.63 * up, -0.89);
        CHECK(shoal_molecule_add_bond(mol, c, a, 1, NULL) == SHOAL_OK);
        CHECK(shoal_molecule_add_bond(mol, c, b, 1, NULL) == SHOAL_OK);
        if (k > 0) CHECK(shoal_molecule_add_bond(mol, c - 3, c, 1, NULL) == SHOAL_OK);
    }
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(mol, 3 * (2 * n_turns - 1), 0, 1, (const int32_t[3]){1, 0, 0}) ==
          SHOAL_OK);
    (void)add_case(mol, name, 0.04);
    shoal_molecule_destroy(mol);
}

/* Two charges, far apart in a slab or lost in a box. */
static void add_charges(const char *name, const double cell[3][3], const bool pbc[3], double z)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    (void)set_atom(mol, 18, 0.0, 0.0, 0.0);
    (void)set_atom(mol, 18, 0.0, 3.0, z);
    for (int i = 0; i < 2; ++i)
        CHECK(shoal_molecule_set_charge(mol, i, i ? -1.0 : 1.0) == SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    (void)add_case(mol, name, 0.0);
    shoal_molecule_destroy(mol);
}

static void run_cases(const int *list, int n, const char *where, shoal_engine_options options,
                      const shoal_relax_options *relax, outcome *out)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    options.device = where;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < n; ++k) {
        const periodic_case *c = &cases[list ? list[k] : k];
        const shoal_system system = {.topology = c->topology,
                                     .pos = (const double(*)[3])c->pos,
                                     .cell = (const double(*)[3])c->cell,
                                     .fixed = c->fixed,
                                     .restraints = c->restraint,
                                     .n_restraints = c->n_restraints};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    const shoal_status made = shoal_engine_create(&engine, batch, &options);
    if (made != SHOAL_OK) (void)printf("%s: %s\n", where, shoal_error_text());
    CHECK(made == SHOAL_OK);
    const shoal_status done =
        relax ? shoal_engine_relax(engine, relax, NULL, NULL) : shoal_engine_eval(engine);
    if (done != SHOAL_OK) (void)printf("%s: %s\n", where, shoal_error_text());
    CHECK(done == SHOAL_OK);
    for (int k = 0; k < n; ++k) {
        const size_t size = (size_t)cases[list ? list[k] : k].n_atoms * 3 * sizeof(double);
        shoal_result r;
        CHECK(shoal_engine_result(engine, k, &r) == SHOAL_OK);
        (void)snprintf(reasons[k], sizeof reasons[k], "%s", r.reason);
        outcome_take(engine, k, size, &out[k]);
    }
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Largest and median error of a force relative to the largest force. */
static void force_errors(const outcome *got, const outcome *want, int32_t n, double *worst,
                         double *median)
{
    double largest = 0.1, *errors = calloc((size_t)n + 1, sizeof *errors);
    for (int32_t i = 0; i < n; ++i) {
        double d[3];
        for (int c = 0; c < 3; ++c) d[c] = got->forces[i][c] - want->forces[i][c];
        errors[i] = vector_norm(d);
        largest = fmax(largest, vector_norm(want->forces[i]));
    }
    qsort(errors, (size_t)n, sizeof *errors, compare_doubles);
    *worst = errors[n - 1] / largest;
    *median = errors[n / 2] / largest;
    free(errors);
}

/* In double only where it is asked for, unless there is time for all: PoCL compiles every kernel again. */
static void compare(const char *what, shoal_engine_options options, bool in_double)
{
    outcome want[MAX_CASES], got[MAX_CASES];
    char because[MAX_CASES][200];
    run_cases(NULL, n_cases, "ref", options, NULL, want);
    memcpy(because, reasons, sizeof because);
    for (int p = 0; p < (in_double || check_thorough() ? 2 : 1); ++p) {
        const double most = p == 0 ? 1e-4 : 1e-9, most_median = p == 0 ? 5e-6 : 1e-9;
        options.precision = p == 0 ? SHOAL_PRECISION_FLOAT : SHOAL_PRECISION_DOUBLE;
        run_cases(NULL, n_cases, device, options, NULL, got);
        for (int k = 0; k < n_cases; ++k) {
            double worst, median, size = 1, energy = 0;
            CHECK(got[k].r.status == want[k].r.status);
            CHECK_TEXT(reasons[k], because[k]);
            if (want[k].r.status != SHOAL_SYSTEM_OK) continue;
            force_errors(&got[k], &want[k], cases[k].n_atoms, &worst, &median);
            for (int t = 0; t < SHOAL_N_TERMS; ++t) size += fabs(want[k].r.terms[t]);
            for (int t = 0; t < SHOAL_N_TERMS; ++t)
                energy = fmax(energy, fabs(got[k].r.terms[t] - want[k].r.terms[t]) / size);
            (void)printf("%s, %s, %s: force %.1e, median %.1e, energy %.1e\n", what,
                         p == 0 ? "float" : "double", cases[k].name, worst, median, energy);
            CHECK(worst <= most && median <= most_median && energy <= most);
        }
        outcomes_free(got, n_cases);
    }
    outcomes_free(want, n_cases);
}

static const bool all_three[3] = {true, true, true}, plane[3] = {true, true, false};
static const bool across[3] = {false, true, true}, line[3] = {false, false, true};
static const bool nowhere[3] = {false, false, false};
static const double cube[3][3] = {{9.3, 0, 0}, {0, 9.3, 0}, {0, 0, 9.3}};
static const double skew[3][3] = {{8.9, 0.4, 0.2}, {-3.1, 9.4, 0.3}, {2.5, -2.8, 8.1}};
static const double wide[3][3] = {{15.5, 0, 0}, {0, 15.5, 0}, {0, 0, 15.5}};
static const double tiny[3][3] = {{3.1, 0, 0}, {0.5, 3.3, 0}, {0.2, -0.4, 3.0}};

static void add_cells(void)
{
    (void)add_water("cube", (int[3]){3, 3, 3}, cube, all_three, true, 0.0);
    (void)add_water("triclinic", (int[3]){3, 3, 3}, skew, all_three, true, 0.0);
    (void)add_water("net charge", (int[3]){2, 3, 3}, skew, all_three, true, 0.05);
    (void)add_water("slab", (int[3]){3, 3, 2}, skew, plane, true, 0.0);
    (void)add_water("slab on its side", (int[3]){2, 3, 3}, skew, across, true, 0.0);
    (void)add_water("one molecule per cell", (int[3]){1, 1, 1}, tiny, all_three, true, 0.0);
    (void)add_water("one molecule in a tiny slab", (int[3]){1, 1, 1}, tiny, plane, true, 0.0);
    (void)add_water("line without charges", (int[3]){2, 2, 3}, cube, line, false, 0.0);
    (void)add_water("line with charges", (int[3]){2, 2, 3}, cube, line, true, 0.0);
    (void)add_water("slab with a net charge", (int[3]){2, 2, 2}, cube, plane, true, 0.1);
    (void)add_water("no charges", (int[3]){3, 3, 3}, cube, all_three, false, 0.0);
    add_chain("chain of one turn", 1);
    add_chain("chain of seven turns", 7);
    periodic_case *c = add_water("restrained", (int[3]){3, 3, 3}, skew, all_three, true, 0.0);
    c->fixed = calloc((size_t)c->n_atoms, sizeof *c->fixed);
    c->fixed[4] = c->fixed[5] = true;
    c->restraint[0] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_POSITION, .atoms = {7}, .k = 2.0, .target = {20.0, 1.0, 2.0}};
    c->restraint[1] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_TORSION, .atoms = {0, 6, 12, 40}, .k = 0.4, .value = 1.0};
    c->restraint[2] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_CENTRE, .atoms = {3, 40}, .k = 9.0, .target = {6.0, 7.0, 4.0}};
    c->n_restraints = 3;
}

/* Splits that end with few k-vectors in the plane, or would end with too many in space. */
static void test_sparse(void)
{
    static const double narrow[3][3] = {{5, 0, 0}, {0, 5, 0}, {0, 0, 5}};
    static const double huge[3][3] = {{1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 1e6}};
    add_charges("tall slab", narrow, plane, 300.0);
    add_charges("box of 0.1 mm", huge, all_three, 2.0);
    compare("sparse", (shoal_engine_options){0}, true);
    free_cases();
}

static void test_cells(void)
{
    add_cells();
    compare("plain", (shoal_engine_options){0}, true);
    compare("damped",
            (shoal_engine_options){
                .coulomb_damping = 0.7, .vdw_cutoff = 9.0, .mixing = SHOAL_MIXING_ARITHMETIC},
            false);
    free_cases();
}

/* Molecules crowded into the corner of a large box: more neighbours than the density promises. */
static void add_crowd(void)
{
    static const double box[3][3] = {{60, 0, 0}, {0, 60, 0}, {0, 0, 60}};
    shoal_molecule *mol = make_water((int[3]){5, 5, 5}, wide, nowhere, false, 0.0);
    CHECK(shoal_molecule_set_cell(mol, box, all_three) == SHOAL_OK);
    (void)add_case(mol, "crowd", 0.03);
    shoal_molecule_destroy(mol);
}

/* A slab that loses a molecule: it is pulled further away than the k-vectors were made for. */
static void add_leaving(void)
{
    periodic_case *c = add_water("leaving", (int[3]){2, 2, 1}, cube, plane, true, 0.0);
    c->restraint[0] = (shoal_restraint){
        .kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 5.0, .target = {0.3, 0.2, 25.0}};
    c->n_restraints = 1;
}

static void add_mixture(void)
{
    (void)add_water("triclinic", (int[3]){3, 3, 3}, skew, all_three, true, 0.0);
    add_crowd();
    (void)add_water("slab", (int[3]){3, 3, 2}, skew, plane, true, 0.0);
    (void)add_water("large drop", (int[3]){5, 5, 5}, wide, nowhere, true, 0.0);
    (void)add_water("small drop", (int[3]){1, 2, 1}, cube, nowhere, true, 0.0);
    add_chain("chain of seven turns", 7);
    add_leaving();
    periodic_case *c = add_water("broken", (int[3]){3, 3, 3}, cube, all_three, true, 0.0);
    c->pos[7][1] = NAN;
}

/* Alone, together, in another order, again: the same bits. */
static void test_laws(const shoal_relax_options *relax)
{
    static const int backwards[] = {7, 6, 5, 4, 3, 2, 1, 0};
    const shoal_engine_options options = {.precision = SHOAL_PRECISION_FLOAT};
    outcome together[MAX_CASES], turned[MAX_CASES], alone;
    add_mixture();
    run_cases(NULL, n_cases, device, options, relax, together);
    run_cases(backwards, n_cases, device, options, relax, turned);
    for (int k = 0; k < n_cases; ++k) {
        run_cases(&k, 1, device, options, relax, &alone);
        if (!outcome_same(&together[k], &alone, cases[k].n_atoms) ||
            !outcome_same(&together[k], &turned[n_cases - 1 - k], cases[k].n_atoms))
            (void)printf("%s depends on its neighbours\n", cases[k].name);
        CHECK(outcome_same(&together[k], &alone, cases[k].n_atoms));
        CHECK(outcome_same(&together[k], &turned[n_cases - 1 - k], cases[k].n_atoms));
        CHECK((together[k].r.status == SHOAL_SYSTEM_NOT_FINITE) == (k == n_cases - 1));
        CHECK(isnan(together[k].r.energy0) == (k == n_cases - 1));
        outcomes_free(&alone, 1);
    }
    outcomes_free(together, n_cases);
    outcomes_free(turned, n_cases);
    free_cases();
}

/* Where a relaxation ends, ref finds the same energy and forces below the limit. */
static void test_relaxation(shoal_method method, shoal_precision precision)
{
    const shoal_relax_options relax = {.method = method, .fmax = 0.05, .max_steps = 3000};
    outcome got[MAX_CASES], want[MAX_CASES];
    add_mixture();
    n_cases -= 1; /* without the broken one */
    run_cases(NULL, n_cases, device, (shoal_engine_options){.precision = precision}, &relax, got);
    for (int k = 0; k < n_cases; ++k)
        memcpy(cases[k].pos, got[k].pos, (size_t)cases[k].n_atoms * sizeof *cases[k].pos);
    run_cases(NULL, n_cases, "ref", (shoal_engine_options){0}, NULL, want);
    for (int k = 0; k < n_cases; ++k) {
        const double scale = 1 + fabs(want[k].r.energy);
        (void)printf("%s: %s, %d steps, %g to %g eV, fmax %g, ref %g\n", cases[k].name,
                     shoal_system_status_name(got[k].r.status), got[k].r.steps, got[k].r.energy0,
                     got[k].r.energy, got[k].r.fmax, want[k].r.fmax);
        CHECK(got[k].r.status == SHOAL_SYSTEM_CONVERGED && got[k].r.energy < got[k].r.energy0);
        CHECK(want[k].r.fmax <= relax.fmax);
        CHECK_NEAR(got[k].r.energy / scale, want[k].r.energy / scale, 1e-5);
    }
    outcomes_free(got, n_cases);
    outcomes_free(want, n_cases);
    n_cases += 1;
    free_cases();
}

/* Forces whose squares no float can hold: the atoms part, as on the cpu. */
static void test_overlap(void)
{
    static const double pos[2][3] = {{14.99, 1, 1}, {0.04, 1, 1}};
    shoal_molecule *mol = NULL;
    const int first = 0;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 2; ++i) (void)set_atom(mol, 18, pos[i][0], pos[i][1], pos[i][2]);
    CHECK(shoal_molecule_set_cell(mol, (const double[3][3]){{15, 0, 0}, {0, 15, 0}, {0, 0, 15}},
                                  all_three) == SHOAL_OK);
    (void)add_case(mol, "overlap", 0.0);
    shoal_molecule_destroy(mol);
    for (int fire = 0; fire < 2; ++fire) {
        const shoal_relax_options relax = {.method = fire ? SHOAL_METHOD_FIRE : SHOAL_METHOD_LBFGS};
        outcome got;
        run_cases(&first, 1, device, (shoal_engine_options){0}, &relax, &got);
        CHECK(got.r.status == SHOAL_SYSTEM_CONVERGED && got.r.energy0 > 1e18 && got.r.energy < 0);
        outcomes_free(&got, 1);
    }
    free_cases();
}

/* Atoms of the same system, shifted by lattice vectors each on its own. */
static void test_wrapping(void)
{
    const shoal_engine_options options = {.precision = SHOAL_PRECISION_FLOAT};
    outcome home, away;
    periodic_case *c = add_water("cube", (int[3]){3, 3, 3}, cube, all_three, true, 0.0);
    const int first = 0;
    run_cases(&first, 1, device, options, NULL, &home);
    for (int32_t i = 0; i < c->n_atoms; ++i) /* molecules stay whole: bonds name images */
        for (int k = 0; k < 3; ++k) c->pos[i][k] += cube[k][k] * (i / 3 * (k + 3) % 41 - 20);
    run_cases(&first, 1, device, options, NULL, &away);
    double worst, median;
    force_errors(&away, &home, c->n_atoms, &worst, &median);
    CHECK(worst <= 1e-5 && median <= 2e-6);
    CHECK_NEAR(away.r.energy, home.r.energy, 1e-4);
    outcomes_free(&home, 1);
    outcomes_free(&away, 1);
    free_cases();
}

/* In a box of 300 angstrom floats have few digits left for single coordinates. */
static void test_large_box(void)
{
    static const double box[3][3] = {{300, 0, 0}, {0, 24, 0}, {0, 0, 24}};
    (void)add_water("long box", (int[3]){60, 2, 2}, box, all_three, false, 0.0);
    compare("large", (shoal_engine_options){.vdw_cutoff = 9.0}, false);
    free_cases();
}

/* Isolated systems beyond local memory; 1000 atoms and every term are in test_conformance. */
static void test_size(int32_t n, bool charged)
{
    static set s;
    outcome want, got;
    double worst, median;
    run_options o = {.engine = {.device = "ref"}};
    (void)set_add_size(&s, n, charged);
    run_set(&s, NULL, 1, &o, &want);
    o.engine.device = device;
    o.engine.precision = SHOAL_PRECISION_FLOAT;
    run_set(&s, NULL, 1, &o, &got);
    CHECK(got.r.status == SHOAL_SYSTEM_OK);
    force_errors(&got, &want, n, &worst, &median);
    (void)printf("%d atoms: force %.1e, median %.1e\n", n, worst, median);
    CHECK(worst <= 1e-4 && median <= 5e-6);
    CHECK_NEAR(got.r.energy / want.r.energy, 1.0, 1e-5);
    outcomes_free(&want, 1);
    outcomes_free(&got, 1);
    set_free(&s);
}

/* A device that cannot hold all systems at once gives the same bits. */
static void test_slices(void)
{
    const shoal_engine_options options = {
        .precision = SHOAL_PRECISION_FLOAT, .vdw_cutoff = 12.0, .ewald_tolerance = 1e-10};
    backend_system systems[MAX_CASES] = {0};
    backend_result results[2][MAX_CASES] = {0};
    const backend_input input = {.n_systems = 3,
                                 .systems = systems,
                                 .options = &options,
                                 .precision = SHOAL_PRECISION_FLOAT};
    const int32_t list[3] = {0, 1, 2};
    cl_target *target = NULL;
    cl_large *large = NULL;
    double most = 0; /* bytes of the largest buffer */
    for (int k = 0; k < 3; ++k)
        (void)add_water("triclinic", (int[3]){3, 3, 2 + k}, skew, all_three, true, 0.0);
    CHECK(cl_target_open(&target, strchr(device, ':') ? strchr(device, ':') + 1 : "", false) ==
          SHOAL_OK);
    for (int k = 0; k < 3; ++k) {
        shoal_topology_get(cases[k].topology, &systems[k].view);
        systems[k].topology = k;
        memcpy(systems[k].cell, cases[k].cell, sizeof systems[k].cell);
        for (int run = 0; run < 2; ++run) {
            results[run][k].pos = cases[k].pos;
            results[run][k].active = true;
            results[run][k].forces = calloc((size_t)cases[k].n_atoms, 3 * sizeof(double));
        }
    }
    for (int run = 0; run < 2; ++run) {
        CHECK(cl_large_create(&large, target, &input, list, 3) == SHOAL_OK);
        if (run == 1) target->device.info.max_buffer_bytes = (int64_t)(0.6 * most);
        CHECK(cl_large_begin(large, LARGE_EVAL, results[run]) == SHOAL_OK);
        CHECK(cl_large_next_slice(large, results[run]) == SHOAL_OK);
        CHECK(run == 0 ? large->n == 3 : large->n < 3);
        if (run == 0) most = (double)large->buffers[CL_LARGE_list].size;
        while (large->n > 0) {
            CHECK(cl_large_eval(large, BACKEND_STRAIN) == SHOAL_OK);
            CHECK(cl_large_read_fields(large, BACKEND_FORCES | BACKEND_TERMS, results[run]) ==
                  SHOAL_OK);
            CHECK(cl_large_next_slice(large, results[run]) == SHOAL_OK);
        }
        CHECK(large->first == 3 && large->n == 0 && large->n_order == 3);
        cl_large_destroy(large);
    }
    for (int k = 0; k < 3; ++k) {
        CHECK(results[0][k].energy == results[1][k].energy);
        CHECK(memcmp(results[0][k].forces, results[1][k].forces,
                     (size_t)cases[k].n_atoms * 3 * sizeof(double)) == 0);
        for (int run = 0; run < 2; ++run) free(results[run][k].forces);
    }
    cl_target_close(target);
    free_cases();
}

/* A force that is none is not lost among others that are. */
static void test_longest(void)
{
    const double forces[3][3] = {{0, 0, 1}, {0, NAN, 0}, {3, 0, 4}};
    CHECK(shoal_backend_fmax(forces, 0) == 0 && shoal_backend_fmax(forces, 1) == 1);
    CHECK(shoal_backend_fmax(forces + 2, 1) == 5 && isnan(shoal_backend_fmax(forces, 3)));
}

int main(void)
{
    if (!(device = find_test_device())) return 77;
    const shoal_relax_options few = {.max_steps = 40, .max_move = 0.5},
                              fire = {.method = SHOAL_METHOD_FIRE, .max_steps = 40};
    test_longest();
    test_sparse();
    test_cells();
    test_overlap();
    test_wrapping();
    test_large_box();
    test_size(257, true);
    test_size(check_thorough() ? 20000 : 5000, false);
    test_slices();
    test_laws(NULL);
    test_laws(&few);
    test_laws(&fire);
    test_relaxation(SHOAL_METHOD_LBFGS, SHOAL_PRECISION_FLOAT);
    test_relaxation(SHOAL_METHOD_FIRE, SHOAL_PRECISION_FLOAT);
    if (check_thorough()) test_relaxation(SHOAL_METHOD_LBFGS, SHOAL_PRECISION_DOUBLE);
    return check_done();
}
