/* SPDX-License-Identifier: BSD-3-Clause
 * Slabs cut from crystals: those of the tables come out again, the inside of any cut is the crystal, and adatoms. */
#include <stdlib.h>
#include <string.h>

#include "chem/element.h"
#include "surface_fixture.h"

static const char *const halite =
    "data_x\n_cell_length_a %s\n_cell_length_b %s\n_cell_length_c %s\n_cell_angle_alpha 90\n"
    "_cell_angle_beta 90\n_cell_angle_gamma 90\n_symmetry_space_group_name_H-M 'F m -3 m'\nloop_\n"
    "_atom_site_label\n_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n"
    "_atom_site_fract_z\n%s";

static shoal_molecule *read_cif(const char *text)
{
    shoal_reader *reader = NULL;
    shoal_molecule *mol = NULL;
    bool found = false;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_reader_open_memory(&reader, text, strlen(text), "crystal", SHOAL_FORMAT_CIF) ==
          SHOAL_OK);
    CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
    shoal_reader_destroy(reader);
    return mol;
}

static shoal_molecule *cubic(const char *a, const char *sites)
{
    char text[1024];
    (void)snprintf(text, sizeof text, halite, a, a, a, sites);
    return read_cif(text);
}

static shoal_molecule *build(const shoal_slab_options *o)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, o) == SHOAL_OK);
    if (shoal_molecule_n_atoms(mol) == 0) (void)printf("%s\n", shoal_error_text());
    return mol;
}

/* Energies of a probe and of both kinds of slab are the same to the bit, which their atoms are. */
static void check_same(const shoal_molecule *a, const shoal_molecule *b)
{
    const int32_t n = shoal_molecule_n_atoms(a);
    double cell[2][3][3];
    bool pbc[3];
    CHECK(n == shoal_molecule_n_atoms(b));
    CHECK_TEXT(shoal_molecule_name(a), shoal_molecule_name(b));
    shoal_molecule_cell(a, cell[0], pbc);
    shoal_molecule_cell(b, cell[1], pbc);
    CHECK(memcmp(cell[0], cell[1], sizeof cell[0]) == 0);
    CHECK(memcmp(shoal_molecule_elements(a), shoal_molecule_elements(b),
                 (size_t)n * sizeof(int32_t)) == 0);
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(shoal_molecule_positions(a)[i][k], shoal_molecule_positions(b)[i][k], 0.0);
    CHECK(memcmp(shoal_molecule_charges(a), shoal_molecule_charges(b),
                 (size_t)n * sizeof(double)) == 0);
    shoal_surface *s[2] = {fixture_surface(a, NULL), fixture_surface(b, NULL)};
    for (int k = 0; k < 20; ++k) {
        const double r[3] = {0.37 * k, 0.59 * k, 2.0 + 0.2 * k};
        double fields[2][SHOAL_N_CHANNELS][4];
        for (int m = 0; m < 2; ++m) shoal_surface_fields(s[m], r, fields[m]);
        CHECK(memcmp(fields[0], fields[1], sizeof fields[0]) == 0);
    }
    for (int m = 0; m < 2; ++m) shoal_surface_destroy(s[m]);
}

static void test_salts(void)
{
    static const struct {
        const char *a, *sites;
        int32_t elements[2];
    } cases[] = {
        {"5.6402", "Na Na 0 0 0\nCl Cl 0.5 0.5 0.5\n", {11, 17}},
        {"4.2112", "Mg Mg 0 0 0\nO O 0.5 0.5 0.5\n", {12, 8}},
        {"6.6", "K K 0.5 0 0\nBr Br 0 0 0\n", {19, 35}},
        {"4.62", "Na Na 0 0 0\nF F 0.5 0.5 0.5\n", {11, 9}},
        {"7.342", "Rb Rb 0 0 0\nI I 0.5 0.5 0.5\n", {37, 53}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *crystal = cubic(cases[k].a, cases[k].sites);
        shoal_slab_options o = {.elements = {cases[k].elements[0], cases[k].elements[1]},
                                .size = {2, 3}};
        shoal_molecule *table = build(&o);
        o.crystal = crystal;
        o.hkl[2] = 1;
        shoal_molecule *cut = build(&o);
        check_same(cut, table);
        shoal_molecule_destroy(cut);
        shoal_molecule_destroy(table);
        shoal_molecule_destroy(crystal);
    }
}

/* A file with the anion first has the same charges. */
static void test_anion_first(void)
{
    shoal_molecule *crystal = cubic("5.463", "F F 0.25 0.25 0.25\nCa Ca 0 0 0\n");
    const shoal_slab_options o = {.crystal = crystal, .hkl = {1, 1, 1}, .size = {1, 1}};
    shoal_molecule *mol = build(&o);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i)
        CHECK_NEAR(shoal_molecule_charges(mol)[i],
                   shoal_molecule_elements(mol)[i] == 9 ? -0.9 : 1.8, 1e-12);
    shoal_molecule_destroy(mol);
    shoal_molecule_destroy(crystal);
}

/* Atoms of one element with unlike charges are not images of each other: a cell of two stays one of two. */
static void test_unlike_charges(void)
{
    static const bool pbc[3] = {true, true, true};
    static const double cell[3][3] = {{4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    static const double pos[2][3] = {{0, 0, 0}, {2, 2, 2}};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *crystal = NULL;
        CHECK(shoal_molecule_create(&crystal) == SHOAL_OK);
        for (int i = 0; i < 2; ++i) {
            CHECK(shoal_molecule_add_atom(crystal, 26, pos[i]) == SHOAL_OK);
            CHECK(shoal_molecule_set_charge(crystal, i, k && i ? -0.5 : 0.5 * k) == SHOAL_OK);
        }
        CHECK(shoal_molecule_set_cell(crystal, cell, pbc) == SHOAL_OK);
        const shoal_slab_options o = {
            .crystal = crystal, .hkl = {0, 0, 1}, .size = {1, 1}, .layers = 2};
        shoal_molecule *mol = build(&o);
        CHECK(shoal_molecule_n_atoms(mol) == (k ? 4 : 2));
        shoal_molecule_destroy(mol);
        shoal_molecule_destroy(crystal);
    }
}

/* --- the inside ---------------------------------------------------------------------------------- */

#define REACH 5.5

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Distances of an atom from all images of all atoms up to REACH, each with the element in it. */
static int distances_of(const shoal_molecule *mol, int32_t of, double out[4096])
{
    const double(*pos)[3] = shoal_molecule_positions(mol);
    double cell[3][3];
    bool pbc[3];
    int n = 0;
    shoal_molecule_cell(mol, cell, pbc);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i)
        for (int m = 0; m < 15 * 15 * (pbc[2] ? 15 : 1); ++m) {
            const int at[3] = {m % 15 - 7, m / 15 % 15 - 7, pbc[2] ? m / 225 - 7 : 0};
            double d2 = 0.0;
            for (int k = 0; k < 3; ++k) {
                double d = pos[i][k] - pos[of][k];
                for (int c = 0; c < 3; ++c) d += at[c] * cell[c][k];
                d2 += d * d;
            }
            if (sqrt(d2) < REACH && n < 4096)
                out[n++] = sqrt(d2) + 100.0 * shoal_molecule_elements(mol)[i];
        }
    qsort(out, (size_t)n, sizeof *out, ascending);
    return n;
}

static bool is_like_one_of(const shoal_molecule *crystal, const double *have, int n)
{
    static double want[4096];
    for (int32_t i = 0; i < shoal_molecule_n_atoms(crystal); ++i) {
        bool same = distances_of(crystal, i, want) == n;
        for (int k = 0; k < n && same; ++k) same = fabs(have[k] - want[k]) < 1e-6;
        if (same) return true;
    }
    return false;
}

/* Atoms with all their neighbours in the slab have those of the crystal, and there are some. */
static void check_inside(const shoal_molecule *crystal, const int32_t hkl[3], int32_t layers)
{
    static double have[4096];
    const shoal_slab_options o = {.crystal = crystal,
                                  .hkl = {hkl[0], hkl[1], hkl[2]},
                                  .size = {1, 1},
                                  .layers = layers,
                                  .vacuum = 30};
    shoal_molecule *mol = build(&o);
    double cell[3][3];
    bool pbc[3];
    int inside = 0;
    shoal_molecule_cell(mol, cell, pbc);
    const double bottom = -(cell[2][2] - 30);
    /* Short vectors, at an acute angle, the longer one along b. */
    const double dot = cell[0][0] * cell[1][0], aa = cell[0][0] * cell[0][0];
    CHECK(dot >= -1e-6 * aa && dot <= aa * (1 + 1e-6));
    CHECK(cell[1][0] * cell[1][0] + cell[1][1] * cell[1][1] >= aa * (1 - 1e-6));
    CHECK(shoal_molecule_n_atoms(mol) % layers == 0);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i) {
        const double z = shoal_molecule_positions(mol)[i][2];
        CHECK(z <= 1e-12 && z >= bottom - 1e-9);
        if (z > -REACH || z < bottom + REACH) continue;
        ++inside;
        const int n = distances_of(mol, i, have);
        CHECK(is_like_one_of(crystal, have, n));
    }
    CHECK(inside > 0);
    shoal_molecule_destroy(mol);
}

/* A cell without any symmetry, and quartz. */
static void test_inside(void)
{
    static const char *const triclinic =
        "data_x\n_cell_length_a 4.1\n_cell_length_b 5.3\n_cell_length_c 6.7\n_cell_angle_alpha 81\n"
        "_cell_angle_beta 74\n_cell_angle_gamma 67\nloop_\n_atom_site_label\n"
        "_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n"
        "Ti Ti 0.1 0.2 0.05\nO1 O 0.44 0.63 0.31\nO2 O 0.81 0.17 0.62\n";
    static const char *const quartz =
        "data_x\n_cell_length_a 4.913\n_cell_length_b 4.913\n_cell_length_c 5.405\n"
        "_cell_angle_alpha 90\n_cell_angle_beta 90\n_cell_angle_gamma 120\n"
        "_symmetry_space_group_name_H-M 'P 32 2 1'\nloop_\n_atom_site_label\n"
        "_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n_atom_site_fract_z\n"
        "Si Si 0.46987 0 0.66667\nO O 0.41410 0.26810 0.78540\n";
    static const int32_t planes[][3] = {{1, 0, 0}, {0, 0, 1},  {1, 1, 0},   {1, -1, 1},
                                        {2, 1, 0}, {0, -1, 1}, {-1, 0, -1}, {2, 0, 0}};
    shoal_molecule *a = read_cif(triclinic), *b = read_cif(quartz);
    for (size_t k = 0; k < sizeof planes / sizeof planes[0]; ++k) {
        check_inside(a, planes[k], 12);
        check_inside(b, planes[k], 8);
    }
    shoal_molecule_destroy(a);
    shoal_molecule_destroy(b);
}

/* --- where it ends ------------------------------------------------------------------------------- */

static void test_terminations(void)
{
    shoal_molecule *crystal = cubic("5.463", "Ca Ca 0 0 0\nF F 0.25 0.25 0.25\n");
    shoal_slab_options o = {.crystal = crystal, .hkl = {1, 1, 1}, .size = {1, 1}, .layers = 2};
    shoal_string *text = NULL;
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    CHECK(shoal_slab_terminations(&o, text) == SHOAL_OK);
    CHECK_TEXT(shoal_string_data(text),
               "1: F above CaF, 1.58 A from the layer above\n"
               "2: F above CaF, 0.79 A from the layer above, polar: 2.84 e A in each layer\n"
               "3: Ca above F2, 0.79 A from the layer above, polar: 2.84 e A in each layer\n");
    shoal_string_destroy(text);
    static const int32_t order[3][3] = {{9, 20, 9}, {9, 9, 20}, {20, 9, 9}};
    for (int k = 0; k < 3; ++k) {
        o.termination = k + 1;
        shoal_molecule *mol = build(&o);
        CHECK(memcmp(shoal_molecule_elements(mol), order[k], sizeof order[k]) == 0);
        CHECK_NEAR(shoal_molecule_positions(mol)[0][2], 0.0, 0.0);
        shoal_molecule_destroy(mol);
    }
    shoal_molecule_destroy(crystal);
}

/* --- adatoms and vacancies ----------------------------------------------------------------------- */

static void test_adatoms(void)
{
    const shoal_adatom two[2] = {{.z = 79, .at = {0.5, 0.5}},
                                 {.z = 79, .at = {-0.5, 2.0}, .height = 3}};
    const shoal_slab_options o = {.kind = SHOAL_SLAB_FCC100, .adatoms = two, .n_adatoms = 2};
    shoal_molecule *mol = build(&o);
    const int32_t n = shoal_molecule_n_atoms(mol);
    const double(*pos)[3] = shoal_molecule_positions(mol), edge = 4.0786 / sqrt(2.0);
    CHECK(n == 50);
    /* the hollow: as far from four atoms as twice the covalent radius, 1.36 A */
    const double rest = sqrt(2.72 * 2.72 - 0.5 * edge * edge);
    CHECK_NEAR(pos[48][0], 0.5 * edge, 1e-9);
    CHECK_NEAR(pos[48][2], rest, 1e-9);
    CHECK_NEAR(pos[49][0], 3.5 * edge, 1e-9);
    CHECK_NEAR(pos[49][1], 2.0 * edge, 1e-9);
    CHECK_NEAR(pos[49][2], 3.0, 0.0);
    shoal_molecule_destroy(mol);
}

/* An atom beside the edge of a cell rests on the images of the others, too. */
static void test_resting_beside_the_edge(void)
{
    static const double places[][2] = {{0.97, 0.5}, {0.5, 0.97}, {0.96, 0.96}};
    for (int k = 0; k < 3; ++k) {
        double height[2];
        for (int size = 1; size <= 3; size += 2) {
            const double more = size / 2; /* the same place in the middle of a larger one */
            const shoal_adatom a = {.z = 79, .at = {places[k][0] + more, places[k][1] + more}};
            const shoal_slab_options o = {
                .kind = SHOAL_SLAB_FCC100, .size = {size, size}, .adatoms = &a, .n_adatoms = 1};
            shoal_molecule *mol = build(&o);
            height[size / 2] = shoal_molecule_positions(mol)[shoal_molecule_n_atoms(mol) - 1][2];
            shoal_molecule_destroy(mol);
        }
        CHECK_NEAR(height[0], height[1], 1e-9);
    }
}

/* Beside another one: where the sphere of both radii first meets an atom or an image, looked for among all. */
static void test_adatom_heights(void)
{
    const shoal_adatom two[2] = {{.z = 79, .at = {0.1, 0.3}}, {.z = 79, .at = {0.45, 0.42}}};
    const shoal_slab_options
        bare = {.kind = SHOAL_SLAB_FCC111, .size = {2, 2}, .adatoms = two, .n_adatoms = 1},
        with = {.kind = SHOAL_SLAB_FCC111, .size = {2, 2}, .adatoms = two, .n_adatoms = 2};
    shoal_molecule *mol[2] = {NULL, NULL};
    double cell[3][3], at[2], best = -INFINITY;
    bool pbc[3];
    for (int k = 0; k < 2; ++k) {
        CHECK(shoal_molecule_create(&mol[k]) == SHOAL_OK);
        CHECK(shoal_slab_build(mol[k], k ? &with : &bare) == SHOAL_OK);
    }
    const int32_t n = shoal_molecule_n_atoms(mol[0]);
    shoal_molecule_cell(mol[0], cell, pbc);
    for (int x = 0; x < 2; ++x) at[x] = 0.45 * cell[0][x] / 2 + 0.42 * cell[1][x] / 2;
    const double sum =
        element_get(79)->radius + element_get(shoal_molecule_elements(mol[0])[0])->radius;
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 49; ++k) {
            const double *r = shoal_molecule_positions(mol[0])[i];
            const double x = r[0] + (k / 7 - 3) * cell[0][0] + (k % 7 - 3) * cell[1][0] - at[0];
            const double y = r[1] + (k / 7 - 3) * cell[0][1] + (k % 7 - 3) * cell[1][1] - at[1];
            const double rest = sum * sum - x * x - y * y;
            if (rest > 0) best = fmax(best, r[2] + sqrt(rest));
        }
    CHECK(shoal_molecule_n_atoms(mol[1]) == n + 1);
    const double *found = shoal_molecule_positions(mol[1])[n];
    CHECK_NEAR(found[0], at[0], 1e-9);
    CHECK_NEAR(found[1], at[1], 1e-9);
    CHECK_NEAR(found[2], best, 1e-9);
    for (int k = 0; k < 2; ++k) shoal_molecule_destroy(mol[k]);
}

/* A slab as it is: nothing moves, and one that was cut takes adatoms and vacancies. */
static void test_slab_as_it_is(void)
{
    const int32_t gone[2] = {0, 1};
    const shoal_adatom sodium = {.z = 11, .at = {0.25, 0.25}, .height = 2.5, .charge = 0.9};
    const shoal_adatom chlorine = {.z = 17, .at = {0.75, 0.75}, .height = 2.6, .charge = -0.9};
    const shoal_adatom both[2] = {sodium, chlorine};
    shoal_molecule *table = fixture_salt(2, 3, 0.9);
    shoal_slab_options o = {.crystal = table, .size = {1, 1}};
    shoal_molecule *same = build(&o);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(table); ++i)
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(shoal_molecule_positions(same)[i][k], shoal_molecule_positions(table)[i][k],
                       1e-12);
    CHECK_TEXT(shoal_molecule_name(same), shoal_molecule_name(table));
    shoal_molecule_destroy(same);
    o.vacancies = gone;
    o.n_vacancies = 2;
    o.adatoms = both;
    o.n_adatoms = 2;
    same = build(&o);
    CHECK(shoal_molecule_n_atoms(same) == 24);
    CHECK(shoal_molecule_elements(same)[22] == 11 && shoal_molecule_elements(same)[23] == 17);
    CHECK_NEAR(shoal_molecule_charges(same)[23], -0.9, 0.0);
    shoal_molecule_destroy(same);
    shoal_molecule_destroy(table);
    shoal_molecule *oblique = fixture_oblique();
    const shoal_slab_options twice = {.crystal = oblique, .size = {2, 1}};
    same = build(&twice);
    shoal_surface *s[2] = {fixture_surface(oblique, NULL), fixture_surface(same, NULL)};
    for (int k = 0; k < 5; ++k) {
        const double r[3] = {0.7 * k, 1.3 * k, 3.0};
        double low[3] = {r[0], r[1], r[2] - 0.4}; /* its topmost atom was at 0.4 */
        double fields[2][SHOAL_N_CHANNELS][4];
        shoal_surface_fields(s[0], r, fields[0]);
        shoal_surface_fields(s[1], low, fields[1]);
        for (int c = 0; c < 3; ++c)
            CHECK_NEAR(fields[1][c][0], fields[0][c][0], 1e-9 * (1 + fabs(fields[0][c][0])));
    }
    for (int m = 0; m < 2; ++m) shoal_surface_destroy(s[m]);
    shoal_molecule_destroy(same);
    shoal_molecule_destroy(oblique);
}

/* --- words and refusals -------------------------------------------------------------------------- */

static void test_words(void)
{
    static const struct {
        const char *text;
        int32_t hkl[3]; /* all zero: refused */
    } cases[] = {{"001", {0, 0, 1}},      {"1-10", {1, -1, 0}},   {"1,-1,0", {1, -1, 0}},
                 {"10-10", {1, 0, 0}},    {"10,1,0", {10, 1, 0}}, {"0001", {0, 0, 1}},
                 {"1,0,-1,2", {1, 0, 2}}, {"1010", {0, 0, 0}},    {"11", {0, 0, 0}},
                 {"1,2,x", {0, 0, 0}},    {"", {0, 0, 0}},        {"1,2,3,4,5", {0, 0, 0}},
                 {"--1", {0, 0, 0}},      {"1,2,3,", {0, 0, 0}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_slab_options o = {0};
        const bool fine = shoal_slab_parse_indices(&o, cases[k].text) == SHOAL_OK;
        const int32_t *h = cases[k].hkl;
        CHECK(fine == (h[0] || h[1] || h[2]));
        if (fine) CHECK(memcmp(o.hkl, h, sizeof o.hkl) == 0);
    }
    shoal_adatom a;
    CHECK(shoal_slab_parse_adatom(&a, "Na,0.5,-1,2.25,0.9") == SHOAL_OK);
    CHECK(a.z == 11 && a.at[0] == 0.5 && a.at[1] == -1 && a.height == 2.25 && a.charge == 0.9);
    CHECK(shoal_slab_parse_adatom(&a, "Au,0,0") == SHOAL_OK && a.height == 0);
    static const char *const wrong[] = {"Au", "Au,1", "Xx,1,1", "Au,1,1,,0", "Au,1,1,1,1,1", ""};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
        CHECK(shoal_slab_parse_adatom(&a, wrong[k]) == SHOAL_E_ARGUMENT);
}

static void refuse(shoal_slab_options o, const char *text)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, &o) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), text);
    shoal_molecule_destroy(mol);
}

static void test_refusals(void)
{
    shoal_molecule *salt = cubic("5.6402", "Na Na 0 0 0\nCl Cl 0.5 0.5 0.5\n");
    shoal_molecule *slab = fixture_salt(1, 1, 0.9), *lone = NULL;
    const double origin[3] = {0};
    const int32_t one = 0;
    const shoal_adatom far = {.z = 1, .at = {0.25, 0.25}}, none = {.z = 0};
    CHECK(shoal_molecule_create(&lone) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(lone, 6, origin) == SHOAL_OK);
    refuse((shoal_slab_options){.crystal = salt},
           "slab: a crystal needs Miller indices, not all zero");
    refuse((shoal_slab_options){.crystal = salt, .hkl = {0, 0, 2000}},
           "slab: the Miller index 2000, expected -1000 to 1000");
    refuse((shoal_slab_options){.crystal = salt, .hkl = {0, 0, 1}, .termination = 2},
           "slab: termination 2, expected 1 to 1");
    refuse((shoal_slab_options){.crystal = lone, .hkl = {0, 0, 1}},
           "slab: Miller indices cut crystals that repeat in three directions; this one does not");
    refuse((shoal_slab_options){.crystal = slab, .hkl = {0, 0, 1}},
           "slab: a slab that is one already is taken as it is; expected no Miller indices, "
           "termination, layers or charge");
    refuse(
        (shoal_slab_options){
            .crystal = salt, .hkl = {0, 0, 1}, .vacancies = &one, .n_vacancies = 1},
        "slab: vacancies and adatoms leave a charge of -0.9 e; leave out atoms of the other "
        "element, too, give adatoms a charge, or ask for no charges");
    refuse(
        (shoal_slab_options){.kind = SHOAL_SLAB_BCC100, .a = 20, .adatoms = &far, .n_adatoms = 1},
        "slab: nothing is below the adatom H at 0.25, 0.25; give it a height");
    refuse((shoal_slab_options){.adatoms = &none, .n_adatoms = 1},
           "slab: element 0 of an adatom, expected 1 to 118");
    CHECK(shoal_slab_build(salt, &(shoal_slab_options){.crystal = salt, .hkl = {0, 0, 1}}) ==
          SHOAL_E_ARGUMENT);
    shoal_molecule_destroy(lone);
    shoal_molecule_destroy(slab);
    shoal_molecule_destroy(salt);
}

int main(void)
{
    test_salts();
    test_anion_first();
    test_unlike_charges();
    test_inside();
    test_terminations();
    test_adatoms();
    test_adatom_heights();
    test_resting_beside_the_edge();
    test_slab_as_it_is();
    test_words();
    test_refusals();
    return check_done();
}
