/* SPDX-License-Identifier: BSD-3-Clause
 * Slabs that are built, and substrates that are refused. */
#include "surface_fixture.h"

#define ROOT_2 1.41421356237309504880
#define ROOT_3 1.73205080756887729353

/* Distance of atom 0 from its nearest neighbour, images included. */
static double nearest(const shoal_molecule *mol)
{
    const double(*pos)[3] = shoal_molecule_positions(mol);
    double cell[3][3], best = INFINITY;
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i)
        for (int m = -1; m <= 1; ++m)
            for (int n = -1; n <= 1; ++n) {
                double d2 = 0.0;
                for (int c = 0; c < 3; ++c) {
                    const double d = pos[i][c] - pos[0][c] + m * cell[0][c] + n * cell[1][c];
                    d2 += d * d;
                }
                if (d2 > 1e-6) best = fmin(best, sqrt(d2));
            }
    return best;
}

static shoal_molecule *build(const shoal_slab_options *o)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, o) == SHOAL_OK);
    return mol;
}

static void test_kinds(void)
{
    static const struct {
        shoal_slab_options o;
        int32_t n;
        double distance;
        const char *name;
    } cases[] = {
        {{.size = {16, 16}}, 1536, 5.6402 / 2, "NaCl(001) 16x16x3"},
        {{.elements = {12, 8}, .size = {2, 3}, .layers = 2}, 24, 4.2112 / 2, "MgO(001) 2x3x2"},
        {{.kind = SHOAL_SLAB_FCC111}, 48, 4.0786 / ROOT_2, "Au(111) 4x4x3"},
        {{.kind = SHOAL_SLAB_FCC100, .elements = {29}}, 48, 3.615 / ROOT_2, "Cu(100) 4x4x3"},
        {{.kind = SHOAL_SLAB_GRAPHENE, .size = {5, 6}}, 60, 2.46 / ROOT_3, "graphene 5x6x1"},
        {{.kind = SHOAL_SLAB_GRAPHENE, .layers = 2}, 64, 2.46 / ROOT_3, "graphene 4x4x2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = build(&cases[k].o);
        CHECK(shoal_molecule_n_atoms(mol) == cases[k].n);
        CHECK_NEAR(nearest(mol), cases[k].distance, 1e-4);
        CHECK_TEXT(shoal_molecule_name(mol), cases[k].name);
        CHECK(shoal_molecule_charges(mol) == NULL);
        shoal_surface *s = fixture_surface(mol, NULL);
        shoal_surface_view v;
        shoal_surface_get(s, &v);
        CHECK_NEAR(v.floor, 0.0, 1e-12); /* no hollow site is taken for a lower terrace */
        shoal_surface_destroy(s);
        shoal_molecule_destroy(mol);
    }
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
                "slab: only salts have charges");
    refuse_slab((shoal_slab_options){.charge = 0.9, .vacancies = &one, .n_vacancies = 1},
                "slab: the vacancies leave a charge of 0.9 e; leave out as many of the other "
                "element");
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
    refuse_surface(mol, &(shoal_surface_options){.types = types},
                   "atom 0: its R of 400 and D of 0.0013 make no finite energy");
    shoal_atom_types_destroy(types);
    shoal_molecule_destroy(mol);
}

/* A cell of any size is fine: what is far away costs nothing. */
static void test_huge_cell(void)
{
    static const bool slab[3] = {true, true, false};
    static const double huge[3][3] = {{1e6, 0, 0}, {0, 1e6, 0}, {0, 0, 20}};
    static const double above[3] = {0.5, 0.5, 3.0}, image[3] = {1e6 + 0.5, 0.5 - 1e6, 3.0};
    double a[SHOAL_N_CHANNELS][4], b[SHOAL_N_CHANNELS][4];
    shoal_molecule *mol = fixture_salt(1, 1, 0.0);
    CHECK(shoal_molecule_set_cell(mol, huge, slab) == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, NULL);
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
    shoal_surface_destroy(slab);
    shoal_surface_destroy(bulk);
    shoal_surface_destroy(rounded);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_kinds();
    test_defects();
    test_slab_refusals();
    test_surface_refusals();
    test_large_radius();
    test_huge_cell();
    test_forgiven();
    return check_done();
}
