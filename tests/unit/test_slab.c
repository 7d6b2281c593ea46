/* SPDX-License-Identifier: BSD-3-Clause
 * Slabs that are built, and substrates that are refused. */
#include <stdlib.h>

#include "surf/grid_lattice.h"
#include "surface_fixture.h"

#define ROOT_2 1.41421356237309504880
#define ROOT_3 1.73205080756887729353

/* Distances of an atom from all others, images around the cell included: out has room for 9 n_atoms. */
static int32_t distances_of(const shoal_molecule *mol, int32_t of, double *out)
{
    const double(*pos)[3] = shoal_molecule_positions(mol);
    double cell[3][3];
    bool pbc[3];
    int32_t count = 0;
    shoal_molecule_cell(mol, cell, pbc);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i)
        for (int m = -1; m <= 1; ++m)
            for (int n = -1; n <= 1; ++n) {
                double d2 = 0.0;
                for (int c = 0; c < 3; ++c) {
                    const double d = pos[i][c] - pos[of][c] + m * cell[0][c] + n * cell[1][c];
                    d2 += d * d;
                }
                out[count++] = sqrt(d2);
            }
    return count;
}

/* Distance of atom 0 from its nearest neighbour, images included. */
static double nearest(const shoal_molecule *mol)
{
    double *all = calloc(9 * (size_t)shoal_molecule_n_atoms(mol), sizeof *all), best = INFINITY;
    const int32_t n = distances_of(mol, 0, all);
    for (int32_t k = 0; k < n; ++k)
        if (all[k] > 1e-3) best = fmin(best, all[k]);
    free(all);
    return best;
}

static shoal_molecule *build(const shoal_slab_options *o)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, o) == SHOAL_OK);
    return mol;
}

/* Neighbours of an atom, images included, at a distance. */
static int count_neighbours(const shoal_molecule *mol, int32_t of, double distance)
{
    double *all = calloc(9 * (size_t)shoal_molecule_n_atoms(mol), sizeof *all);
    const int32_t n = distances_of(mol, of, all);
    int count = 0;
    for (int32_t k = 0; k < n; ++k) count += fabs(all[k] - distance) < 1e-3;
    free(all);
    return count;
}

/* The atom nearest to the middle of the slab, of the element of most neighbours in its crystal. */
static int32_t middle_atom(const shoal_molecule *mol, int32_t element)
{
    const double(*pos)[3] = shoal_molecule_positions(mol);
    double low = 0.0;
    int32_t best = -1;
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i) low = fmin(low, pos[i][2]);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i) {
        if (shoal_molecule_elements(mol)[i] != element) continue;
        if (best < 0 || fabs(pos[i][2] - 0.5 * low) < fabs(pos[best][2] - 0.5 * low)) best = i;
    }
    return best;
}

static void check_charges(const shoal_molecule *mol, double first)
{
    const double *q = shoal_molecule_charges(mol);
    double net = 0.0, dipole = 0.0;
    if (first == 0.0) {
        CHECK(q == NULL);
        return;
    }
    CHECK(q != NULL);
    for (int32_t i = 0; q && i < shoal_molecule_n_atoms(mol); ++i) {
        net += q[i];
        dipole += q[i] * shoal_molecule_positions(mol)[i][2];
    }
    CHECK_NEAR(net, 0.0, 1e-9);
    CHECK_NEAR(dipole, 0.0, 1e-9);
    if (q) CHECK_NEAR(q[0], first, 1e-12);
}

/* Of every kind: atoms, nearest distance, how many the crystal has at it, the deepest atom, default charge of
 * the first atom. */
typedef struct kind_case {
    shoal_slab_options o;
    int32_t n, coordination;
    double distance, bottom, charge;
    const char *name;
    double hollow; /* depth of the hollow sites of an open surface, at most */
} kind_case;

static void check_kind(const kind_case *k)
{
    shoal_molecule *mol = build(&k->o);
    const int32_t n = shoal_molecule_n_atoms(mol);
    double low = 0.0, top = -1.0;
    CHECK(n == k->n);
    CHECK_NEAR(nearest(mol), k->distance, 1e-4);
    CHECK_TEXT(shoal_molecule_name(mol), k->name);
    check_charges(mol, k->charge);
    for (int32_t i = 0; i < n; ++i) {
        low = fmin(low, shoal_molecule_positions(mol)[i][2]);
        top = fmax(top, shoal_molecule_positions(mol)[i][2]);
    }
    CHECK_NEAR(low, k->bottom, 1e-3);
    CHECK_NEAR(top, 0.0, 1e-12);
    const int32_t cation = k->o.elements[0] ? k->o.elements[0] : shoal_molecule_elements(mol)[0];
    const int32_t at = middle_atom(mol, cation);
    CHECK(count_neighbours(mol, at, nearest(mol)) == k->coordination);
    if (count_neighbours(mol, at, nearest(mol)) != k->coordination)
        (void)printf("%s: %d neighbours\n", k->name, count_neighbours(mol, at, nearest(mol)));
    shoal_surface *s = fixture_surface(mol, NULL);
    shoal_surface_view v;
    shoal_surface_get(s, &v);
    CHECK_NEAR(v.floor, 0.0, k->hollow + 1e-12);
    shoal_surface_destroy(s);
    shoal_molecule_destroy(mol);
}

static void test_kinds(void)
{
    static const kind_case cases[] = {
        {{.size = {16, 16}}, 1536, 6, 5.6402 / 2, -5.6402, 0.9, "NaCl(001) 16x16x3", 0},
        {{.elements = {12, 8}, .size = {2, 3}, .layers = 3, .no_charges = true},
         36,
         6,
         4.2112 / 2,
         -4.2112,
         0,
         "MgO(001) 2x3x3",
         0},
        {{.kind = SHOAL_SLAB_FCC111},
         48,
         12,
         4.0786 / ROOT_2,
         -2 * 4.0786 / ROOT_3,
         0,
         "Au(111) 4x4x3",
         0},
        {{.kind = SHOAL_SLAB_FCC100, .elements = {29}},
         48,
         12,
         3.615 / ROOT_2,
         -3.615,
         0,
         "Cu(100) 4x4x3",
         0},
        {{.kind = SHOAL_SLAB_FCC110, .elements = {29}, .layers = 5},
         80,
         12,
         3.615 / ROOT_2,
         -3.615 * ROOT_2,
         0,
         "Cu(110) 4x4x5",
         0},
        {{.kind = SHOAL_SLAB_GRAPHENE, .size = {5, 6}},
         60,
         3,
         2.46 / ROOT_3,
         0,
         0,
         "graphene 5x6x1",
         0},
        {{.kind = SHOAL_SLAB_GRAPHENE, .layers = 2},
         64,
         3,
         2.46 / ROOT_3,
         -3.355,
         0,
         "graphene 4x4x2",
         0},
        {{.kind = SHOAL_SLAB_BCC100},
         48,
         8,
         2.8664 * ROOT_3 / 2,
         -2.8664,
         0,
         "Fe(100) 4x4x3",
         1.44},
        {{.kind = SHOAL_SLAB_BCC110, .elements = {74}, .size = {3, 2}},
         36,
         8,
         3.165 * ROOT_3 / 2,
         -3.165 * ROOT_2,
         0,
         "W(110) 3x2x3",
         0},
        {{.kind = SHOAL_SLAB_BCC111, .layers = 9},
         144,
         8,
         2.8664 * ROOT_3 / 2,
         -8 * 2.8664 * ROOT_3 / 6,
         0,
         "Fe(111) 4x4x9",
         1.66},
        {{.kind = SHOAL_SLAB_HCP0001, .elements = {22}},
         48,
         6,
         2.89663,
         -4.686,
         0,
         "Ti(0001) 4x4x3",
         0},
        {{.kind = SHOAL_SLAB_HCP0001, .elements = {12}, .a = 3.2, .c = 3.2 * 1.632993161855452},
         48,
         12,
         3.2,
         -3.2 * 1.632993161855452,
         0,
         "Mg(0001) 4x4x3",
         0},
        {{.kind = SHOAL_SLAB_ROCKSALT110, .elements = {19, 35}, .layers = 5},
         160,
         6,
         3.3,
         -6.6 * ROOT_2,
         0.9,
         "KBr(110) 4x4x5",
         2.34},
        {{.kind = SHOAL_SLAB_FLUORITE111, .elements = {20, 9}, .layers = 3},
         144,
         8,
         5.463 * ROOT_3 / 4,
         -2 * 5.463 / ROOT_3 - 5.463 / 2 / ROOT_3,
         -0.9,
         "CaF2(111) 4x4x3",
         1.58},
        {{.kind = SHOAL_SLAB_FLUORITE110, .elements = {58, 8}, .layers = 5},
         240,
         8,
         5.411 * ROOT_3 / 4,
         -5.411 * ROOT_2,
         2.2208,
         "CeO2(110) 4x4x5",
         1.92},
        {{.kind = SHOAL_SLAB_BORON_NITRIDE, .layers = 2},
         64,
         3,
         2.504 / ROOT_3,
         -6.661 / 2,
         0.4,
         "h-BN 4x4x2",
         0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) check_kind(&cases[k]);
}

/* Sheets of h-BN lie with B above N. */
static void test_stacking(void)
{
    const shoal_slab_options o = {.kind = SHOAL_SLAB_BORON_NITRIDE, .size = {1, 1}, .layers = 2};
    shoal_molecule *mol = build(&o);
    const int32_t *z = shoal_molecule_elements(mol);
    const double(*pos)[3] = shoal_molecule_positions(mol);
    CHECK(z[0] == 5 && z[1] == 7 && z[2] == 7 && z[3] == 5);
    for (int k = 0; k < 2; ++k)
        CHECK_NEAR(hypot(pos[k][0] - pos[k + 2][0], pos[k][1] - pos[k + 2][1]), 0, 1e-12);
    CHECK_NEAR(shoal_molecule_charges(mol)[2], -0.4, 0.0);
    shoal_molecule_destroy(mol);
}

/* A third sheet lies as the first, and a fourth as the second. */
static void test_sheets(void)
{
    const shoal_slab_options o = {.kind = SHOAL_SLAB_BORON_NITRIDE, .size = {1, 1}, .layers = 5};
    shoal_molecule *mol = build(&o);
    const int32_t *z = shoal_molecule_elements(mol);
    for (int32_t k = 0; k < 10; ++k) {
        const double q = shoal_molecule_charges(mol)[k];
        CHECK(z[k] == ((k / 2 + k) % 2 == 0 ? 5 : 7));
        CHECK_NEAR(q, z[k] == 5 ? 0.4 : -0.4, 1e-12);
    }
    shoal_molecule_destroy(mol);
}

/* The third vector is as long as the slab is thick, from its lowest to its highest atom, and 20 angstrom more. */
static void test_vacuum(void)
{
    for (int kind = 0; kind < SHOAL_N_SLABS; ++kind)
        for (int given = 0; given < 2; ++given) {
            const shoal_slab_options o = {.kind = (shoal_slab_kind)kind,
                                          .size = {1, 1},
                                          .layers = 4,
                                          .vacuum = given ? 7 : 0};
            shoal_molecule *mol = build(&o);
            double cell[3][3], low = INFINITY, high = -INFINITY;
            bool pbc[3];
            shoal_molecule_cell(mol, cell, pbc);
            for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i) {
                low = fmin(low, shoal_molecule_positions(mol)[i][2]);
                high = fmax(high, shoal_molecule_positions(mol)[i][2]);
            }
            CHECK_NEAR(cell[2][2], high - low + (given ? 7 : 20), 1e-9);
            CHECK(pbc[0] && pbc[1] && !pbc[2]);
            shoal_molecule_destroy(mol);
        }
}

static void test_charges(void)
{
    static const struct {
        shoal_slab_kind kind;
        int32_t a, b;
        double charge;
    } cases[] = {
        {SHOAL_SLAB_ROCKSALT, 11, 17, 0.9},
        {SHOAL_SLAB_ROCKSALT110, 19, 35, 0.9},
        {SHOAL_SLAB_ROCKSALT, 12, 8, 1.8},
        {SHOAL_SLAB_ROCKSALT, 47, 17, 0.5552},
        {SHOAL_SLAB_ROCKSALT, 28, 8, 1.1104},
        {SHOAL_SLAB_FLUORITE111, 38, 9, 1.8},
        {SHOAL_SLAB_FLUORITE110, 92, 8, 2.2208},
        {SHOAL_SLAB_ROCKSALT, 20, 34, 1.8},
        {SHOAL_SLAB_ROCKSALT, 12, 52, 1.8},
        {SHOAL_SLAB_ROCKSALT, 50, 52, 1.1104},
        {SHOAL_SLAB_BORON_NITRIDE, 5, 7, 0.4},
        {SHOAL_SLAB_BORON_NITRIDE, 13, 7, 0},
        {SHOAL_SLAB_FCC111, 79, 0, 0},
        {SHOAL_SLAB_GRAPHENE, 6, 0, 0},
        {SHOAL_SLAB_ROCKSALT, 22, 7, 0},
        {SHOAL_SLAB_ROCKSALT, 17, 11, 0},
        {SHOAL_N_SLABS, 11, 17, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        CHECK_NEAR(shoal_slab_charge(cases[k].kind, cases[k].a, cases[k].b), cases[k].charge,
                   1e-12);
}

static void test_defects(void)
{
    const int32_t pair[2] = {0, 1};
    const shoal_slab_options step = {.charge = 0.9, .step = 2};
    const shoal_slab_options vacant = {.charge = 0.9, .vacancies = pair, .n_vacancies = 2};
    shoal_surface_view v;
    shoal_molecule *mol = build(&step);
    CHECK(shoal_molecule_n_atoms(mol) == 3 * 32 - 16);
    shoal_surface *s = fixture_surface(mol, NULL);
    shoal_surface_get(s, &v);
    CHECK_NEAR(v.floor, -5.6402 / 2, 1e-9);
    CHECK_NEAR(v.top, 0.0, 0.0);
    shoal_surface_destroy(s);
    shoal_molecule_destroy(mol);
    mol = build(&vacant);
    CHECK(shoal_molecule_n_atoms(mol) == 3 * 32 - 2);
    CHECK_NEAR(shoal_molecule_charges(mol)[0], 0.9, 0.0);
    shoal_molecule_destroy(mol);
}

static void refuse_slab(shoal_slab_options o, const char *text)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &o) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), text);
    shoal_molecule_destroy(mol);
}

static void test_slab_refusals(void)
{
    const int32_t one = 5, far = 96;
    refuse_slab((shoal_slab_options){.elements = {92, 8}},
                "slab: no lattice constant of UO is tabulated; give one");
    refuse_slab((shoal_slab_options){.size = {-1, 3}},
                "slab: the size is -1, expected 1 to 100000");
    refuse_slab((shoal_slab_options){.step = 5}, "slab: step is 5, expected 1 to 4");
    refuse_slab((shoal_slab_options){.step = 2, .layers = 1},
                "slab: a step needs two layers at least");
    refuse_slab((shoal_slab_options){.kind = SHOAL_SLAB_FCC111, .charge = 1},
                "slab: only salts and h-BN, which have two elements, have charges");
    refuse_slab((shoal_slab_options){.charge = 1, .no_charges = true},
                "slab: a charge of 1 and no charges are asked for");
    refuse_slab((shoal_slab_options){.kind = SHOAL_SLAB_HCP0001, .elements = {43}, .a = 2.7},
                "slab: no lattice constant c of Tc is tabulated; give it");
    refuse_slab((shoal_slab_options){.kind = SHOAL_SLAB_FLUORITE111, .elements = {25, 9}},
                "slab: no lattice constant of MnF2 is tabulated; give one");
    refuse_slab((shoal_slab_options){.kind = SHOAL_N_SLABS},
                "slab: the kind is 13, expected 0 to 12");
    refuse_slab((shoal_slab_options){.charge = 0.9, .vacancies = &one, .n_vacancies = 1},
                "slab: vacancies and adatoms leave a charge of 0.9 e; leave out atoms of the other "
                "element, too, give adatoms a charge, or ask for no charges");
    refuse_slab((shoal_slab_options){.vacancies = &far, .n_vacancies = 1},
                "slab: a vacancy is 96, expected 0 to 95");
    refuse_slab((shoal_slab_options){.size = {10000, 10000}},
                "slab: 600000000 atoms, at most 10000000 can be built");
}

static void refuse_surface(const shoal_molecule *mol, const shoal_surface_options *o,
                           const char *text)
{
    shoal_surface *s = NULL;
    CHECK(shoal_surface_create(&s, mol, o) == SHOAL_E_ARGUMENT);
    CHECK(s == NULL);
    CHECK(strstr(shoal_error_text(), text) != NULL);
    if (!strstr(shoal_error_text(), text)) (void)printf("%s\n", shoal_error_text());
}

static void test_surface_refusals(void)
{
    static const bool chain[3] = {true, false, false}, slab[3] = {true, true, false};
    static const double tilted[3][3] = {{5, 0, 1}, {0, 5, 0}, {0, 0, 20}};
    static const double sharp[3][3] = {{1e4, 0, 0}, {1e4, 0.005, 0}, {0, 0, 20}};
    static const double fine[3][3] = {{5, 0, 0}, {0, 5, 0}, {0, 0, 20}};
    const shoal_element_charge one = {11, 0.5}, other = {17, 0.1};
    shoal_molecule *mol = fixture_salt(1, 1, 0.0);
    refuse_surface(mol, &(shoal_surface_options){.charges = &one, .n_charges = 1},
                   "the charges add up to 0.5 e, expected zero");
    const shoal_element_charge absent = {19, 0.5};
    refuse_surface(mol, &(shoal_surface_options){.charges = &absent, .n_charges = 1},
                   "a charge of 0.5 e is given for K, of which there is no atom");
    const shoal_element_charge both[2] = {one, other};
    refuse_surface(mol, &(shoal_surface_options){.charges = both, .n_charges = 2},
                   "the charges add up to 0.6 e");
    refuse_surface(mol, &(shoal_surface_options){.alpha = 0.1}, "alpha is 0.1, expected 0.2 to 10");
    refuse_surface(mol, &(shoal_surface_options){.damping = -1}, "damping is -1");
    CHECK(shoal_molecule_set_cell(mol, fine, chain) == SHOAL_OK);
    refuse_surface(mol, NULL, "a and b must both be periodic (pbc is T F F)");
    CHECK(shoal_molecule_set_cell(mol, tilted, slab) == SHOAL_OK);
    refuse_surface(mol, NULL, "the cell vector a = (5, 0, 1) must lie in the xy plane");
    if (shoal_molecule_set_cell(mol, sharp, slab) == SHOAL_OK)
        refuse_surface(mol, NULL, "span no area");
    CHECK(shoal_molecule_set_cell(mol, fine, slab) == SHOAL_OK);
    CHECK(shoal_molecule_set_type(mol, 0, "Xx_9") == SHOAL_OK);
    refuse_surface(mol, NULL, "atom 0 (Na): UFF has no parameters for 'Xx_9'");
    shoal_molecule_clear(mol);
    CHECK(shoal_molecule_set_cell(mol, fine, slab) == SHOAL_OK);
    refuse_surface(mol, NULL, "there are no atoms");
    shoal_molecule_destroy(mol);
}

/* Radii that make no finite energies. */
static void test_large_radius(void)
{
    static const char text[] = "Na * Na E 1 0 0 0 1.0 400 0.0013 0 0\n"
                               "Cl * Cl E 1 0 0 0 1.0 1.9735 0.0098 0 0\n";
    shoal_atom_types *types = NULL;
    shoal_molecule *mol = fixture_salt(1, 1, 0.0);
    CHECK(shoal_atom_types_read_memory(&types, text, sizeof text - 1, "text") == SHOAL_OK);
    refuse_surface(mol, &(shoal_surface_options){.form = SHOAL_SURFACE_MORSE, .types = types},
                   "atom 0: its R of 400 and D of 0.0013 make no finite energy");
    shoal_atom_types_destroy(types);
    shoal_molecule_destroy(mol);
}

/* To Morse a cell of any size is fine: what is far away costs nothing. */
static void test_huge_cell(void)
{
    static const bool slab[3] = {true, true, false};
    static const double huge[3][3] = {{1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 20}};
    static const double above[3] = {0.5, 0.5, 3.0}, image[3] = {1e6 + 0.5, 0.5 - 1e6, 3.0};
    double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
    shoal_molecule *mol = fixture_salt(1, 1, 0.0);
    CHECK(shoal_molecule_set_cell(mol, huge, slab) == SHOAL_OK);
    refuse_surface(mol, NULL, "the cell of 1e+12 angstrom^2 is too large");
    shoal_surface *surface =
        fixture_surface(mol, &(shoal_surface_options){.form = SHOAL_SURFACE_MORSE});
    shoal_surface_fields(surface, above, a);
    shoal_surface_fields(surface, image, b);
    CHECK(a[SHOAL_CHANNEL_L][0] < 0.0);
    CHECK_NEAR(a[SHOAL_CHANNEL_L][0], b[SHOAL_CHANNEL_L][0], 1e-9);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(mol);
}

/* A third periodic vector is not repeated; rounding of charges is spread. */
static void test_forgiven(void)
{
    static const bool all[3] = {true, true, true};
    double cell[3][3];
    bool pbc[3];
    shoal_molecule *mol = fixture_salt(2, 2, 0.9);
    shoal_surface *slab = fixture_surface(mol, NULL);
    shoal_molecule_cell(mol, cell, pbc);
    CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])cell, all) == SHOAL_OK);
    shoal_surface *bulk = fixture_surface(mol, NULL);
    shoal_surface_view a, b;
    shoal_surface_get(slab, &a);
    shoal_surface_get(bulk, &b);
    CHECK(a.hash == b.hash);
    CHECK(shoal_molecule_set_charge(mol, 3, -0.9004) == SHOAL_OK);
    shoal_surface *rounded = fixture_surface(mol, NULL);
    shoal_surface_get(rounded, &b);
    double net = 0.0;
    for (int32_t i = 0; i < b.n_atoms; ++i) net += b.charges[i];
    CHECK_NEAR(net, 0.0, 1e-14);
    CHECK(a.hash != b.hash);
    /* What has no charge gets none. */
    for (int32_t i = 0; i < b.n_atoms; ++i)
        CHECK(shoal_molecule_set_charge(mol, i, i == 0 ? 0.5 : i == 1 ? -0.4998 : 0) == SHOAL_OK);
    shoal_surface *few = fixture_surface(mol, NULL);
    shoal_surface_get(few, &b);
    CHECK_NEAR(b.charges[0], 0.4999, 1e-12);
    CHECK_NEAR(b.charges[1], -0.4999, 1e-12);
    for (int32_t i = 2; i < b.n_atoms; ++i) CHECK(b.charges[i] == 0);
    shoal_surface_destroy(few);
    shoal_surface_destroy(slab);
    shoal_surface_destroy(bulk);
    shoal_surface_destroy(rounded);
    shoal_molecule_destroy(mol);
}

/* Charges on one side only are worth a word, unless the surface is of one element, which has none. */
static void test_warnings(void)
{
    static const struct {
        shoal_slab_options slab;
        bool charged;
        const char *word;
    } cases[] = {{{.size = {1, 1}}, false, "the surface has charges"},
                 {{.size = {1, 1}}, true, NULL},
                 {{.size = {1, 1}, .no_charges = true}, true, "the molecule has charges"},
                 {{.size = {1, 1}, .no_charges = true}, false, NULL},
                 {{.kind = SHOAL_SLAB_FCC111, .size = {1, 1}}, true, NULL}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *slab = build(&cases[k].slab), *mol = NULL;
        shoal_surface *surface = fixture_surface(slab, NULL);
        shoal_topology *topology = NULL;
        const double at[2][3] = {{0, 0, 0}, {0.92, 0, 0}};
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        for (int i = 0; i < 2; ++i) {
            CHECK(shoal_molecule_add_atom(mol, i ? 9 : 1, at[i]) == SHOAL_OK);
            if (cases[k].charged)
                CHECK(shoal_molecule_set_charge(mol, i, i ? -0.4 : 0.4) == SHOAL_OK);
        }
        CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
        const char *text = shoal_surface_warning(surface, topology);
        CHECK(cases[k].word ? strstr(text, cases[k].word) != NULL : text[0] == '\0');
        shoal_topology_destroy(topology);
        shoal_surface_destroy(surface);
        shoal_molecule_destroy(slab);
        shoal_molecule_destroy(mol);
    }
}

/* The oblique cell with vectors a and b, repeated as n[0] a + n[1] b and n[2] a + n[3] b. */
static shoal_molecule *repeat(const int n[4])
{
    shoal_molecule *one = fixture_oblique(), *mol = NULL;
    const double a[2] = {5.1, 0}, b[2] = {1.9, 4.7};
    static const bool pbc[3] = {true, true, false};
    const double cell[3][3] = {{n[0] * a[0] + n[1] * b[0], n[0] * a[1] + n[1] * b[1], 0},
                               {n[2] * a[0] + n[3] * b[0], n[2] * a[1] + n[3] * b[1], 0},
                               {0, 0, 25}};
    const int det = n[0] * n[3] - n[1] * n[2];
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = -10; k < 11; ++k)
        for (int m = -10; m < 11; ++m) {
            /* In the cell: both fractions from 0 to 1. */
            const int u = (k * n[3] - m * n[2]) * (det > 0 ? 1 : -1),
                      w = (m * n[0] - k * n[1]) * (det > 0 ? 1 : -1), size = abs(det);
            if (u < 0 || u >= size || w < 0 || w >= size) continue;
            for (int i = 0; i < 5; ++i) {
                const double *r = shoal_molecule_positions(one)[i];
                const double at[3] = {r[0] + k * a[0] + m * b[0], r[1] + k * a[1] + m * b[1], r[2]};
                CHECK(shoal_molecule_add_atom(mol, shoal_molecule_elements(one)[i], at) ==
                      SHOAL_OK);
                CHECK(shoal_molecule_set_charge(mol, shoal_molecule_n_atoms(mol) - 1,
                                                shoal_molecule_charges(one)[i]) == SHOAL_OK);
            }
        }
    CHECK(shoal_molecule_n_atoms(mol) == 5 * abs(det));
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    shoal_molecule_destroy(one);
    return mol;
}

/* Periods of skew supercells are whole vectors of the small lattice, span it once, and turn as the cell does. */
static void test_periods(void)
{
    static const int supercells[5][4] = {
        {1, 0, 0, 1}, {2, 1, 0, 3}, {2, 0, 1, 2}, {1, 3, -2, 1}, {0, 2, 3, 1}};
    for (int k = 0; k < 5; ++k) {
        const int *n = supercells[k], size = n[0] * n[3] - n[1] * n[2];
        shoal_molecule *mol = repeat(n);
        shoal_surface *surface = fixture_surface(mol, NULL);
        double cell[2][2];
        int32_t cells = 0;
        CHECK(grid_period_find(surface, cell, &cells) == SHOAL_OK && cells == abs(size));
        for (int v = 0; v < 2; ++v) {
            const double m = cell[v][1] / 4.7, l = (cell[v][0] - 1.9 * m) / 5.1;
            CHECK_NEAR(m, round(m), 1e-9);
            CHECK_NEAR(l, round(l), 1e-9);
        }
        CHECK_NEAR(cell[0][0] * cell[1][1] - cell[0][1] * cell[1][0],
                   size > 0 ? 5.1 * 4.7 : -5.1 * 4.7, 1e-9);
        shoal_surface_destroy(surface);
        shoal_molecule_destroy(mol);
    }
}

/* Types with charges of their own, in a model that keeps what the file adds up to: 1 e of every sodium is 0.2 e more than
 * the file has, which is taken from all sodium alike. */
static void test_model_charges(void)
{
    static const char text[] =
        "shoal_pair_model 1\nform lj\nhbond none\ncoulomb plain\ncharges_of Na\nneutral "
        "yes\ntypes\n"
        "# name parent element epair valence n_epair npi sym Ruff RvdW EvdW Qbase Hb\n"
        "Na * Na E 0 0 0 0 0 1.4915 0.0013 1.0 0\nCl * Cl E 1 3 0 0 1.044 1.97 0.0098 0 0\n";
    shoal_pair_model *model = NULL;
    shoal_molecule *mol = fixture_salt(2, 2, 0.8);
    shoal_surface_view v;
    CHECK(shoal_pair_model_read_memory(&model, text, sizeof text - 1, "model") == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, &(shoal_surface_options){.model = model});
    shoal_surface_get(surface, &v);
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        CHECK_NEAR(v.charges[i], v.elements[i] == 11 ? 0.8 : -0.8, 1e-12);
        CHECK_NEAR(v.radius[i], v.elements[i] == 11 ? 1.4915 : 1.97, 1e-12);
    }
    shoal_surface_destroy(surface);
    shoal_pair_model_destroy(model);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_model_charges();
    test_periods();
    test_warnings();
    test_kinds();
    test_stacking();
    test_sheets();
    test_vacuum();
    test_charges();
    test_defects();
    test_slab_refusals();
    test_surface_refusals();
    test_large_radius();
    test_huge_cell();
    test_forgiven();
    return check_done();
}
