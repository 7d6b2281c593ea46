/* SPDX-License-Identifier: BSD-3-Clause
 * Charge equilibration of chains, slabs and crystals, and the lattice sums behind it: Madelung constants, plain
 * sums, charges found by other means (tests/golden/qeq_periodic.py), larger cells of the same lattice. */
#include "chem_fixture.h"
#include "geom/lattice_sum.h"

/* --- lattice sums -------------------------------------------------------------------------------*/

static lattice_sum *make_sum(const double cell[3][3], int n_periodic)
{
    const bool pbc[3] = {n_periodic > 0, n_periodic > 1, n_periodic > 2};
    geom_lattice lattice;
    lattice_sum *sum = NULL;
    CHECK(lattice_init_reduced(&lattice, cell, pbc));
    CHECK(lattice_sum_create(&sum, &lattice) == SHOAL_OK);
    return sum;
}

/* Potentials of opposite charges at unit distance: rock salt, a square sheet, a chain. */
static void test_madelung(void)
{
    static const double cells[3][3][3] = {{{2, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                          {{1, 1, 0}, {1, -1, 0}, {0, 0, 1}},
                                          {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
    static const double want[3] = {1.38629436111989061883, 1.61554262671282472,
                                   1.74756459463318219};
    const double d[3] = {1, 0, 0};
    for (int n = 1; n <= 3; ++n) {
        lattice_sum *sum = make_sum(cells[n - 1], n);
        CHECK_NEAR(lattice_sum_potential(sum, d, 0) - lattice_sum_self(sum), want[n - 1], 1e-11);
        lattice_sum_destroy(sum);
    }
}

/* Two charges nearer than they may come count as that near, on top of each other as well: what is left is what a
 * charge feels of its own images. */
static void test_near(void)
{
    static const double cell[3][3] = {{7, 0, 0}, {1, 6, 0}, {0, -1, 8}};
    for (int n = 1; n <= 3; ++n) {
        lattice_sum *sum = make_sum(cell, n);
        for (int k = 0; k < 3; ++k) {
            const double d[3] = {k * 1e-6, 0, 0}, least = 0.5;
            CHECK_NEAR(lattice_sum_potential(sum, d, least) - lattice_sum_self(sum), 1 / least,
                       1e-10);
        }
        lattice_sum_destroy(sum);
    }
}

/* A chain, near and far from its axis: image by image, and what the leading term says of the rest. */
static void test_chain(void)
{
    const double cell[3][3] = {{0, 2.3, 0}, {1, 0, 0}, {0, 0, 1}}, a = 2.3;
    static const double places[4][3] = {{0, 0.9, 0}, {0.3, 0.1, 0.2}, {2, 1, -3}, {0.1, 5.2, 11}};
    lattice_sum *sum = make_sum(cell, 1);
    for (int k = 0; k < 4; ++k) {
        const double *d = places[k], rho2 = d[0] * d[0] + d[2] * d[2], n = 50000;
        double want = 1 / sqrt(rho2 + d[1] * d[1]);
        for (double m = n; m >= 1; --m)
            want += 1 / sqrt(rho2 + (d[1] + m * a) * (d[1] + m * a)) +
                    1 / sqrt(rho2 + (d[1] - m * a) * (d[1] - m * a)) - 2 / (m * a);
        want += (2 * d[1] * d[1] - rho2) / (a * a * a) / (2 * n * n);
        CHECK_NEAR(lattice_sum_potential(sum, d, 0) - lattice_sum_self(sum), want, 1e-10);
    }
    lattice_sum_destroy(sum);
}

/* --- charges ------------------------------------------------------------------------------------*/

typedef struct golden_case {
    int n_periodic;
    double total;
    double cell[3][3];
    const char *symbols[4];
    double pos[4][3];
    double want[4]; /* e, printed by tests/golden/qeq_periodic.py */
} golden_case;

static const golden_case cases[] = {
    {3,
     0,
     {{4.6, 0, 0}, {0.4, 4.9, 0}, {-0.3, 0.6, 5.2}},
     {"C", "N", "O", "H"},
     {{0.1, 0.2, 0.1}, {2.4, 2.5, 2.6}, {2.2, 0.3, 0.4}, {2.9, 0.9, 0.2}},
     {0.3329824251, -0.0710248062, -0.6032298383, 0.3412722194}},
    {3,
     1,
     {{4.6, 0, 0}, {0.4, 4.9, 0}, {-0.3, 0.6, 5.2}},
     {"C", "N", "O", "H"},
     {{0.1, 0.2, 0.1}, {2.4, 2.5, 2.6}, {2.2, 0.3, 0.4}, {2.9, 0.9, 0.2}},
     {0.7943678313, 0.2969649473, -0.4347104306, 0.3433776520}},
    {2,
     0,
     {{3.1, 0, 0}, {0.9, 3.4, 0}, {0, 0, 1}},
     {"C", "O", "F", "H"},
     {{0, 0, 0}, {1.6, 1.5, 0.1}, {0.2, 0.3, 2.0}, {1.5, 1.6, 1.1}},
     {0.5836937165, -0.6707076254, -0.3602048804, 0.4472187893}},
    {1,
     0,
     {{4.4, 0, 0}, {0, 1, 0}, {0, 0, 1}},
     {"F", "H", "O", "N"},
     {{0, 0.2, 0}, {0.9, 0.5, 0.1}, {2.3, -0.3, 0.6}, {3.0, 1.4, 0.2}},
     {-0.5226161147, 0.4463915835, -0.1137532502, 0.1899777814}},
};
enum { N_CASES = (int)(sizeof cases / sizeof cases[0]) };

/* So many cells in every periodic direction. */
static shoal_molecule *make_case(const golden_case *c, int times)
{
    shoal_molecule *mol = chem_new();
    double cell[3][3];
    int n[3] = {1, 1, 1};
    for (int k = 0; k < c->n_periodic; ++k) n[k] = times;
    for (int k = 0; k < 3; ++k)
        for (int x = 0; x < 3; ++x) cell[k][x] = n[k] * c->cell[k][x];
    for (int s = 0; s < n[0] * n[1] * n[2]; ++s)
        for (int i = 0; i < 4; ++i) {
            const int shift[3] = {s % n[0], s / n[0] % n[1], s / n[0] / n[1]};
            double r[3];
            for (int x = 0; x < 3; ++x)
                r[x] = c->pos[i][x] + shift[0] * c->cell[0][x] + shift[1] * c->cell[1][x] +
                       shift[2] * c->cell[2][x];
            chem_atom(mol, c->symbols[i], r[0], r[1], r[2]);
        }
    chem_cell(mol, (const double(*)[3])cell, c->n_periodic);
    return mol;
}

static void test_golden(void)
{
    for (int k = 0; k < N_CASES; ++k)
        for (int times = 1; times <= 2; ++times) {
            shoal_molecule *mol = make_case(&cases[k], times);
            const double n_cells = mol->n_atoms / 4;
            const shoal_qeq_options options = {.total_charge = n_cells * cases[k].total};
            CHECK(shoal_molecule_equilibrate(mol, &options) == SHOAL_OK);
            CHECK_TEXT(shoal_error_text(), "");
            for (int32_t i = 0; i < mol->n_atoms; ++i)
                CHECK_NEAR(mol->charge[i], cases[k].want[i % 4], 1e-8);
            shoal_molecule_destroy(mol);
        }
}

/* A cell that is turned and written in other vectors, atoms that lie cells away. */
static void test_other_cell(void)
{
    golden_case c = cases[0];
    for (int x = 0; x < 3; ++x) {
        c.cell[1][x] += 3 * c.cell[0][x];
        c.cell[2][x] -= c.cell[1][x];
        c.pos[2][x] += 2 * c.cell[0][x] - 5 * c.cell[2][x];
    }
    shoal_molecule *mol = make_case(&c, 1);
    CHECK(shoal_molecule_equilibrate(mol, NULL) == SHOAL_OK);
    for (int32_t i = 0; i < 4; ++i) CHECK_NEAR(mol->charge[i], c.want[i], 1e-8);
    shoal_molecule_destroy(mol);
}

/* A net charge is kept (the engine tells of its background); where nobody states one it is 0, and that is told. */
static void test_net_charge(void)
{
    const shoal_typing_options options = {.charges = SHOAL_CHARGES_QEQ};
    const double cell[3][3] = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    for (int32_t charge = 0; charge < 2; ++charge) {
        shoal_molecule *mol = chem_xyz("5\n\nN 0 0 0\nH .6 .6 .6\nH .6 -.6 -.6\nH -.6 .6 -.6\n"
                                       "H -.6 -.6 .6\n");
        shoal_topology *topology;
        chem_cell(mol, cell, 3);
        chem_perceive(mol, charge);
        CHECK(shoal_topology_create(&topology, mol, &options) == SHOAL_OK);
        CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_OK);
        double sum = 0;
        for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->charge[i];
        CHECK_NEAR(sum, charge, 1e-9);
        CHECK_TEXT(shoal_topology_warning(topology),
                   charge ? ""
                          : "QEq: the total charge is taken as 0 e, formal charges add up to 1");
        shoal_topology_destroy(topology);
        shoal_molecule_destroy(mol);
    }
}

static void check_warning(shoal_molecule *mol, const char *wanted)
{
    const shoal_typing_options options = {.charges = SHOAL_CHARGES_QEQ};
    shoal_topology *topology;
    chem_perceive(mol, 0);
    CHECK(shoal_topology_create(&topology, mol, &options) == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_OK);
    CHECK_TEXT(shoal_topology_warning(topology), wanted);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* Charges that an atom cannot have are told: ions without bonds beyond their formal charge, bonded atoms beyond their electrons. */
static void test_beyond(void)
{
    const double salt[3][3] = {{0, 2.82, 2.82}, {2.82, 0, 2.82}, {2.82, 2.82, 0}};
    const double wide[3][3] = {{0, 9, 9}, {9, 0, 9}, {9, 9, 0}};
    shoal_molecule *mol = chem_xyz("2\n\nNa 0 0 0\nCl 2.82 2.82 2.82\n");
    chem_cell(mol, salt, 3);
    check_warning(mol,
                  "QEq: 2 atoms have gone beyond the charge that they can have, up to +1.14 e on "
                  "atom 0 (Na); 1 Na, 1 Cl: taken as ions, without covalent bonds");
    check_warning(chem_xyz("2\n\nNa 0 0 0\nCl 2.4 0 0\n"),
                  "1 Na, 1 Cl: taken as ions, without covalent bonds");
    mol = chem_xyz("3\n\nO 0 0 0\nH .96 0 0\nH -.24 .93 0\n");
    chem_cell(mol, wide, 3);
    check_warning(mol, "");
}

/* A slab or a chain has no net charge but for rounding. */
static void test_slab_is_neutral(void)
{
    const double cell[3][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 20}};
    for (int n_periodic = 1; n_periodic < 3; ++n_periodic)
        for (int k = 0; k < 2; ++k) {
            shoal_molecule *mol = chem_xyz("2\n\nNa 0 0 0\nCl 2 2 0\n");
            const shoal_qeq_options options = {.total_charge = k ? 5e-7 : 5e-6};
            chem_cell(mol, cell, n_periodic);
            CHECK(shoal_molecule_equilibrate(mol, &options) == (k ? SHOAL_OK : SHOAL_E_ARGUMENT));
            shoal_molecule_destroy(mol);
        }
}

int main(void)
{
    test_madelung();
    test_near();
    test_chain();
    test_golden();
    test_other_cell();
    test_net_charge();
    test_beyond();
    test_slab_is_neutral();
    return check_done();
}
