/* SPDX-License-Identifier: BSD-3-Clause
 * Thermochemistry of gases from measured constants against tables; motions of the whole of molecules, chains and layers;
 * what is made of second derivatives that are planted. No forces are computed. */
#include "chem_fixture.h"
#include "engine/modes.h"

#define JOULE 96485.33212 /* J/mol of 1 eV */
/* h / (8 pi^2 c), amu angstrom^2 cm^-1: moments of inertia from rotational constants */
#define MOMENT 16.857629206

/* --- gases ---------------------------------------------------------------------------------------- */

typedef struct gas {
    const char *xyz;
    int32_t n_modes, sigma;
    double frequencies[4]; /* cm^-1 */
    double constants[3];   /* cm^-1, of rotation; the first of a line is 0 */
    double entropy;        /* J/mol/K at 298.15 K and 1 bar */
    double enthalpy;       /* kJ/mol, from 0 to 298.15 K */
} gas;

/* Fundamentals, rotational constants, entropies and enthalpies: NIST-JANAF tables and NIST Chemistry WebBook. */
static const gas gases[] = {
    {"2\nN2\nN 0 0 -.549\nN 0 0 .549\n", 1, 2, {2329.9}, {0, 1.9896, 1.9896}, 191.61, 8.670},
    {"2\nCO\nC 0 0 0\nO 0 0 1.128\n", 1, 1, {2143.3}, {0, 1.9225, 1.9225}, 197.66, 8.671},
    {"3\nCO2\nO 0 0 -1.16\nC 0 0 0\nO 0 0 1.16\n",
     4,
     2,
     {667.4, 667.4, 1333, 2349.2},
     {0, 0.3902, 0.3902},
     213.79,
     9.364},
    {"3\nwater\nO 0 0 0\nH .757 .586 0\nH -.757 .586 0\n",
     3,
     2,
     {1594.7, 3657.1, 3755.9},
     {27.88, 14.51, 9.278},
     188.84,
     9.904},
    {"1\nargon\nAr 0 0 0\n", 0, 1, {0}, {0}, 154.85, 6.197}};

typedef struct planted {
    shoal_molecule *mol;
    shoal_topology *topology;
    shoal_topology_view view;
    modes_system system;
} planted;

static planted plant(shoal_molecule *mol)
{
    planted p = {.mol = mol};
    CHECK(shoal_topology_create(&p.topology, mol, NULL) == SHOAL_OK);
    shoal_topology_get(p.topology, &p.view);
    p.system =
        (modes_system){.system = {.topology = p.topology, .pos = (const double(*)[3])mol->pos},
                       .masses = p.view.masses,
                       .n_atoms = mol->n_atoms,
                       .n_free = mol->n_atoms};
    return p;
}

static void uproot(planted *p)
{
    shoal_topology_destroy(p->topology);
    shoal_molecule_destroy(p->mol);
}

static void test_gases(void)
{
    static const double least[4] = {1, 1, 1, 1};
    for (size_t k = 0; k < sizeof gases / sizeof gases[0]; ++k) {
        const gas *g = &gases[k];
        planted p = plant(chem_xyz(g->xyz));
        const bool line = g->constants[0] == 0 && p.mol->n_atoms > 1;
        modes_rigid rigid = {.n = p.mol->n_atoms == 1 ? 3 : line ? 5 : 6, .linear = line};
        shoal_modes_result r = {.n_modes = g->n_modes, .frequencies = g->frequencies};
        for (int i = 0; i < 3; ++i)
            rigid.moments[i] = g->constants[i] > 0 ? MOMENT / g->constants[i] : 0;
        p.system.energy = -3.5;
        thermo_find(&p.system, &rigid, least, &(shoal_modes_options){.pressure = 1e5}, &r);
        const shoal_thermo *t = &r.thermo;
        CHECK(t->ideal_gas && t->symmetry_number == g->sigma && t->n_left_out == 0);
        CHECK(t->temperature == 298.15 && t->pressure == 1e5);
        CHECK_NEAR(t->entropy * JOULE, g->entropy, 0.15);
        CHECK_NEAR((t->enthalpy - t->zero_point + 3.5) * JOULE * 1e-3, g->enthalpy, 0.03);
        CHECK_NEAR(t->free_energy, t->enthalpy - 298.15 * t->entropy, 1e-12);
        double zero = 0;
        for (int i = 0; i < g->n_modes; ++i) zero += 0.5 * g->frequencies[i] / 8065.543937;
        CHECK_NEAR(t->zero_point, zero, 1e-9);
        /* 1 atmosphere where none is said: less by R ln 1.01325. */
        const double bar = t->entropy;
        thermo_find(&p.system, &rigid, least, &(shoal_modes_options){0}, &r);
        CHECK_NEAR((bar - t->entropy) * JOULE, 8.314462618 * log(1.01325), 1e-6);
        uproot(&p);
    }
}

/* Held, it is oscillators alone; those that may as well be zero are left out, whatever their sign. */
static void test_oscillators(void)
{
    static const double frequencies[4] = {-20, 15, 50, 207.2}, least[4] = {1, 16, 16, 1};
    planted p = plant(chem_xyz(gases[3].xyz));
    const modes_rigid rigid = {0};
    shoal_modes_result r = {.n_modes = 4, .frequencies = frequencies};
    thermo_find(&p.system, &rigid, least, &(shoal_modes_options){0}, &r);
    CHECK(!r.thermo.ideal_gas && r.thermo.n_left_out == 2 && r.thermo.symmetry_number == 0);
    CHECK_NEAR(r.thermo.zero_point, 0.5 * (50 + 207.2) / 8065.543937, 1e-9);
    /* At hv = kT an oscillator has 0.58198 kT above its zero point, and an entropy of 1.04065 k. */
    const double one[1] = {207.2244}, kt = 0.025692579;
    r = (shoal_modes_result){.n_modes = 1, .frequencies = one};
    thermo_find(&p.system, &rigid, least, &(shoal_modes_options){0}, &r);
    CHECK_NEAR((r.thermo.energy - r.thermo.zero_point) / kt, 0.58198, 1e-4);
    CHECK_NEAR(r.thermo.entropy * 298.15 / kt, 1.04065, 1e-4);
    CHECK(r.thermo.enthalpy == r.thermo.energy);
    uproot(&p);
}

/* Hydrogens a little off still change places; off by 0.2 angstrom they do not. */
static void test_symmetry(void)
{
    for (int k = 0; k < 2; ++k) {
        planted p = plant(chem_xyz(gases[3].xyz));
        const modes_rigid rigid = {.n = 6, .moments = {1, 1, 1}};
        shoal_modes_result r = {.n_modes = 0};
        p.mol->pos[1][0] += k ? 0.2 : 0.02;
        thermo_find(&p.system, &rigid, NULL, &(shoal_modes_options){0}, &r);
        CHECK(r.thermo.symmetry_found && r.thermo.symmetry_number == (k ? 1 : 2));
        uproot(&p);
    }
}

/* --- motions of the whole ------------------------------------------------------------------------- */

static modes_rigid rigid_of(const planted *p)
{
    modes_rigid rigid;
    CHECK(modes_rigid_find(&p->system, &rigid) == SHOAL_OK);
    const int32_t size = 3 * p->mol->n_atoms;
    for (int32_t a = 0; a < rigid.n; ++a)
        for (int32_t b = 0; b <= a; ++b) {
            double product = 0;
            for (int32_t i = 0; i < size; ++i)
                product += rigid.vectors[a * size + i] * rigid.vectors[b * size + i];
            CHECK_NEAR(product, a == b, 1e-12);
        }
    free(rigid.vectors);
    rigid.vectors = NULL;
    return rigid;
}

/* n copies of C2H4 of a zigzag chain along a direction in the plane of x and y, which is cell vector `along`. */
static planted chain(int along, double turn, const bool pbc[3])
{
    static const double atoms[6][3] = {{0, 0.4, 0},    {1.27, -0.4, 0},    {0, 1.05, 0.9},
                                       {0, 1.05, -.9}, {1.27, -1.05, 0.9}, {1.27, -1.05, -.9}};
    shoal_molecule *mol = chem_new();
    double cell[3][3] = {{20, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    const double c = cos(turn), s = sin(turn);
    for (int i = 0; i < 6; ++i)
        chem_atom(mol, i < 2 ? "C" : "H", c * atoms[i][0] - s * atoms[i][1],
                  s * atoms[i][0] + c * atoms[i][1], atoms[i][2]);
    memcpy(cell[along], (const double[3]){2.54 * c, 2.54 * s, 0}, sizeof cell[0]);
    if (along != 0) memcpy(cell[0], (const double[3]){-20 * s, 20 * c, 0}, sizeof cell[0]);
    if (along == 0) memcpy(cell[1], (const double[3]){-20 * s, 20 * c, 0}, sizeof cell[0]);
    if (along == 2) memcpy(cell[1], (const double[3]){0, 0, 20}, sizeof cell[0]);
    CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc) == SHOAL_OK);
    planted p = plant(mol);
    static double kept[3][3];
    memcpy(kept, cell, sizeof kept);
    p.system.system.cell = (const double(*)[3])kept;
    return p;
}

/* A chain turns about its own axis, wherever that points; layers and crystals do not turn. */
static void test_periodic(void)
{
    for (int along = 0; along < 3; ++along)
        for (int n = 1; n < 4; ++n) {
            bool pbc[3] = {n == 3, n == 3, n == 3};
            pbc[along] = true;
            if (n == 2) pbc[(along + 1) % 3] = true;
            planted p = chain(along, 0.7, pbc);
            const modes_rigid rigid = rigid_of(&p);
            CHECK(rigid.n == (n == 1 ? 4 : 3) && !rigid.linear);
            uproot(&p);
        }
    /* The turn of a chain leaves its atoms' distances from the axis as they are: it is no turn about another one. */
    planted p = chain(1, 0.7, (const bool[3]){false, true, false});
    modes_rigid rigid;
    CHECK(modes_rigid_find(&p.system, &rigid) == SHOAL_OK && rigid.n == 4);
    for (int i = 0; i < 6; ++i) {
        const double *d = rigid.vectors + 3 * 18 + 3 * i;
        CHECK_NEAR(d[0] * cos(0.7) + d[1] * sin(0.7), 0, 1e-12);
    }
    CHECK(fabs(rigid.vectors[3 * 18 + 3 * 2]) > 0.05);
    free(rigid.vectors);
    uproot(&p);
}

static void test_molecules(void)
{
    static const struct {
        double off; /* angstrom */
        int32_t n;
    } bends[] = {{0, 5}, {0.005, 5}, {0.03, 6}, {0.2, 6}};
    for (size_t k = 0; k < sizeof bends / sizeof bends[0]; ++k) {
        planted p = plant(chem_xyz(gases[2].xyz));
        p.mol->pos[1][0] += bends[k].off;
        modes_rigid rigid = rigid_of(&p);
        CHECK(rigid.n == bends[k].n && rigid.linear == (bends[k].n == 5));
        /* 2 m r^2 across the line, nothing about it. */
        if (k == 0) CHECK_NEAR(rigid.moments[2], 2 * 15.999 * 1.16 * 1.16, 0.01);
        if (k == 0) CHECK_NEAR(rigid.moments[0], 0, 1e-9);
        /* A place that is held, a surface, or a fixed atom leave none; a spring without strength does. */
        const shoal_restraint tie[2] = {{.kind = SHOAL_RESTRAINT_POSITION, .k = 0},
                                        {.kind = SHOAL_RESTRAINT_POSITION, .k = 1}};
        p.system.system.n_restraints = 1;
        p.system.system.restraints = &tie[0];
        CHECK(rigid_of(&p).n == bends[k].n);
        p.system.system.restraints = &tie[1];
        CHECK(rigid_of(&p).n == 0);
        p.system.system.n_restraints = 0;
        p.system.on_surface = true;
        CHECK(rigid_of(&p).n == 0);
        uproot(&p);
    }
}

/* --- second derivatives that are planted ---------------------------------------------------------- */

/* One atom of 40 amu in a field, eV/angstrom^2 along three axes, turned. */
static shoal_modes_result *modes_of(planted *p, const double k[3], double fmax)
{
    static int32_t atom = 0;
    static double hessian[9];
    const double axes[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
    shoal_modes_result *r = NULL;
    memset(hessian, 0, sizeof hessian);
    for (int i = 0; i < 27; ++i)
        hessian[i % 9] += k[i / 9] * axes[i / 9][i % 9 / 3] * axes[i / 9][i % 3];
    p->system.on_surface = true;
    p->system.free_atoms = &atom;
    p->system.hessian = p->system.coarse = hessian;
    p->system.fmax = fmax;
    CHECK(modes_normal(&p->system, &(shoal_modes_options){.vectors = true}, &r) == SHOAL_OK);
    return r;
}

/* w = sqrt(k / m); a force f may bend an atom's potential by f per angstrom: what is less imaginary than that does not
 * count. Vectors point where their first large component is positive. */
static void test_planted(void)
{
    static const struct {
        double k[3], fmax;
        int32_t order;
        shoal_verdict verdict;
    } cases[] = {{{1, 2, 3}, 0, 0, SHOAL_VERDICT_MINIMUM},
                 {{-1, 2, 3}, 0, 1, SHOAL_VERDICT_SADDLE},
                 {{-2, 2, -3}, 0, 2, SHOAL_VERDICT_SADDLE},
                 {{-1e-3, 2, 3}, 5e-4, 1, SHOAL_VERDICT_SADDLE},
                 {{-1e-3, 2, 3}, 9e-4, 1, SHOAL_VERDICT_SADDLE},
                 {{-7e-4, 2, 3}, 9e-4, 0, SHOAL_VERDICT_MINIMUM},
                 {{-1e-4, 2, 3}, 0, 0, SHOAL_VERDICT_MINIMUM}, /* below 1 cm^-1 */
                 {{-2e-4, 2, 3}, 0, 1, SHOAL_VERDICT_SADDLE},
                 {{-1e-4, 2, 3}, 9e-4, 0, SHOAL_VERDICT_MINIMUM},
                 {{-1e-4, 2, 3}, 2e-3, 0, SHOAL_VERDICT_NOT_STATIONARY}};
    planted p = plant(chem_xyz(gases[4].xyz));
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        shoal_modes_result *r = modes_of(&p, cases[c].k, cases[c].fmax);
        CHECK(r && r->n_modes == 3 && r->n_removed == 0);
        if (!r) continue;
        CHECK(r->order == cases[c].order && r->verdict == cases[c].verdict);
        for (int i = 0; i < 3; ++i) {
            const double *v = r->vectors[i], most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
            int first = 0;
            while (fabs(v[first]) <= 0.5 * most) ++first;
            CHECK(v[first] > 0);
            CHECK_NEAR(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 1, 1e-12);
            CHECK_NEAR(r->reduced_masses[i], 39.948, 1e-2);
        }
        if (c == 0) /* 521.47 sqrt(k / m) cm^-1 */
            for (int i = 0; i < 3; ++i)
                CHECK_NEAR(r->frequencies[i], 521.4709 * sqrt((i + 1) / r->reduced_masses[i]),
                           1e-3);
        shoal_modes_result_destroy(r);
    }
    uproot(&p);
}

/* Halves of the difference from the transpose are what rounding has done: of two elements of nine, e each, the root mean
 * square is e sqrt(2) / 3. That, and what the coarser differences disagree by, is the error of a curvature. */
static void test_error(void)
{
    enum { UPPER = 1, LOWER = 3, LAST = 8 };
    planted p = plant(chem_xyz(gases[4].xyz));
    int32_t atom = 0;
    double hessian[9] = {4, 0, 0, 0, 5, 0, 0, 0, 1}, coarse[9];
    const double e = 0.006, m = p.system.masses[0];
    memcpy(coarse, hessian, sizeof coarse);
    coarse[LAST] += 0.002;
    hessian[UPPER] = e;
    hessian[LOWER] = -e;
    p.system.on_surface = true;
    p.system.free_atoms = &atom;
    p.system.hessian = hessian;
    p.system.coarse = coarse;
    p.system.fmax = 0;
    shoal_modes_result *r = NULL;
    CHECK(modes_normal(&p.system, &(shoal_modes_options){0}, &r) == SHOAL_OK);
    if (r) /* of the softest, where an error of the curvature weighs most */
        CHECK_NEAR(r->error, 521.4709 / sqrt(m) * (1 - sqrt(1 - 0.002 - e * sqrt(2.0) / 3)), 1e-6);
    shoal_modes_result_destroy(r);
    uproot(&p);
}

int main(void)
{
    test_gases();
    test_oscillators();
    test_symmetry();
    test_periodic();
    test_molecules();
    test_planted();
    test_error();
    return check_done();
}
