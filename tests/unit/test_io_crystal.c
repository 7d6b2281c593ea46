/* SPDX-License-Identifier: BSD-3-Clause
 * Reading and writing CIF, POSCAR and PDB. */
#include <math.h>

#include "io_fixture.h"

#define CELL                                                                                       \
    "_cell_length_a 10\n_cell_length_b 11\n_cell_length_c 12\n_cell_angle_alpha 90\n"              \
    "_cell_angle_beta 90\n_cell_angle_gamma 90\n"
#define SITES                                                                                      \
    "loop_\n_atom_site_label\n_atom_site_type_symbol\n_atom_site_fract_x\n_atom_site_fract_y\n"    \
    "_atom_site_fract_z\n"
#define DISORDER "_atom_site_occupancy\n_atom_site_disorder_assembly\n_atom_site_disorder_group\n"

static int32_t count(const shoal_molecule *mol, int32_t z)
{
    int32_t n = 0;
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i)
        n += shoal_molecule_elements(mol)[i] == z;
    return n;
}

/* A text that is refused; the reason has these words. */
static void check_refused(const char *text, shoal_format format, const char *words)
{
    fixture f;
    fixture_open(&f, text, format);
    CHECK(shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_E_FORMAT);
    if (!strstr(shoal_error_text(), words)) printf("%s\n", shoal_error_text());
    CHECK(strstr(shoal_error_text(), words) != NULL);
    fixture_close(&f);
}

/* Special positions, uncertainties, quotes, cases, blocks without sites, texts between semicolons. */
static void test_quartz(void)
{
    fixture f;
    double cell[3][3];
    bool pbc[3];
    fixture_open_file(&f, SHOAL_TEST_DATA "/quartz.cif");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "quartz");
    CHECK(count(f.mol, 14) == 3 && count(f.mol, 8) == 6);
    shoal_molecule_cell(f.mol, cell, pbc);
    CHECK(pbc[0] && pbc[1] && pbc[2]);
    CHECK_NEAR(cell[1][0], -2.458, 1e-12);
    CHECK_NEAR(cell[1][1], 4.916 * sqrt(0.75), 1e-12);
    CHECK_NEAR(cell[2][2], 5.4054, 1e-12);
    CHECK_NEAR(shoal_molecule_charges(f.mol)[0], 2, 0);
    CHECK_NEAR(shoal_molecule_charges(f.mol)[8], -1, 0);
    /* The shortest distance from silicon to oxygen, of the paper. */
    double least = 9;
    for (int32_t i = 3; i < 9; ++i) {
        double r = 0;
        for (int k = 0; k < 3; ++k)
            r += pow(shoal_molecule_positions(f.mol)[0][k] - shoal_molecule_positions(f.mol)[i][k],
                     2);
        least = fmin(least, sqrt(r));
    }
    CHECK_NEAR(least, 1.607, 0.01);
    fixture_end(&f);
}

static void test_blocks(void)
{
    fixture f;
    fixture_first(&f,
                  "data_one\n" CELL SITES "C1 C 0 0 0\ndata_two\n" CELL SITES
                  "N1 N 0.5 0.5 0.5\nO1 O .25 .25 .25\n",
                  SHOAL_FORMAT_CIF);
    CHECK_TEXT(shoal_molecule_name(f.mol), "one");
    CHECK(shoal_molecule_n_atoms(f.mol) == 1);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "two");
    CHECK(shoal_molecule_n_atoms(f.mol) == 2);
    CHECK(shoal_molecule_charges(f.mol) == NULL);
    fixture_end(&f);
}

/* Bonds by codes of symmetry, multiplied by it. */
static void test_bonds(void)
{
    static const char bonds[] =
        "loop_\n_geom_bond_atom_site_label_1\n_geom_bond_atom_site_label_2\n_geom_bond_distance\n"
        "_geom_bond_site_symmetry_2\n_ccdc_geom_bond_type\n";
    char text[2000];
    fixture f;
    static const char head[] =
        "data_x\n" CELL "loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\n-x,-y,-z\n" SITES
        "C1 C 0.95 0 0\nC2 C 0.8 0 0\n";
    snprintf(text, sizeof text, "%s%sC1 C1 1.00(2) 2_755 D\nC1 C2 1.5 . S\n", head, bonds);
    fixture_first(&f, text, SHOAL_FORMAT_CIF);
    CHECK(shoal_molecule_n_atoms(f.mol) == 4 && shoal_molecule_n_bonds(f.mol) == 3);
    int32_t n_double = 0, n_across = 0;
    for (int32_t b = 0; b < shoal_molecule_n_bonds(f.mol); ++b) {
        const shoal_bond *bond = &shoal_molecule_bonds(f.mol)[b];
        n_double += bond->order == SHOAL_ORDER_DOUBLE;
        n_across += bond->shift[0] != 0;
    }
    CHECK(n_double == 1 && n_across == 1);
    CHECK_TEXT(fixture_property(&f, "bonds_not_used"), "(none)");
    fixture_end(&f);
    snprintf(text, sizeof text, "%s%sC1 C1 1.30 2_755 D\nC1 C2 1.5 . S\n", head, bonds);
    fixture_first(&f, text, SHOAL_FORMAT_CIF);
    CHECK(shoal_molecule_n_bonds(f.mol) == 0);
    CHECK(strstr(fixture_property(&f, "bonds_not_used"), "another distance") != NULL);
    fixture_end(&f);
    snprintf(text, sizeof text, "%s%sC1 C1 1.00 2_755 D\n", head, bonds);
    fixture_first(&f, text, SHOAL_FORMAT_CIF);
    CHECK(shoal_molecule_n_bonds(f.mol) == 0);
    CHECK(strstr(fixture_property(&f, "bonds_not_used"), "not complete") != NULL);
    fixture_end(&f);
}

static void test_disorder(void)
{
    static const char text[] = "data_x\n" CELL SITES DISORDER
                               "C1 C 0 0 0 1 . .\nF1 F .1 0 0 0.4 A 1\nCl1 Cl 0 .1 0 0.6 A 2\n"
                               "H1 H 0 0 .1 0.5 B 1\nD1 D 0 0 -.1 0.5 B 2\nO1 O .5 .5 .5 0.3 . .\n"
                               "N1 N .5 .5 .8 0.7 . .\n";
    const shoal_read_options options = {.major_part = true};
    fixture f = {0};
    check_refused(text, SHOAL_FORMAT_CIF, "the major part");
    FILE *file = fopen("test_io_crystal.cif", "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
    CHECK(shoal_reader_open_with(&f.reader, "test_io_crystal.cif", SHOAL_FORMAT_AUTO, &options) ==
          SHOAL_OK);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(shoal_molecule_n_atoms(f.mol) == 4);
    CHECK(count(f.mol, 17) == 1 && count(f.mol, 1) == 1 && count(f.mol, 7) == 1);
    CHECK(shoal_molecule_isotope(f.mol, 2) == 0);
    fixture_end(&f);
    CHECK(remove("test_io_crystal.cif") == 0);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"x y z\n", "data_"},
        {"data_x\n" CELL, "no sites"},
        {"data_x\n" SITES "C1 C 0 0 0\n", "_cell_length_a"},
        {"data_x\n" CELL SITES "C1 C 0 0\n", "values in each row, found 4"},
        {"data_x\n" CELL SITES "C1 Wat 0 0 0\n", "unknown element"},
        {"data_x\n" CELL SITES "C1 C ? 0 0\n", "without coordinates"},
        {"data_x\n" CELL SITES "C1 C 1e9 0 0\n", "fraction of the cell"},
        {"data_x\n" CELL SITES "C1 C 0 0 0\nC2 C 0.01 0 0\n", "0.100 A from C1"},
        {"data_x\n" CELL "_space_group_IT_number 19\n" SITES "C1 C 0 0 0\n", "number alone"},
        {"data_x\n" CELL "_space_group_name_H-M_alt 'F d -3 m'\n" SITES "C1 C 0 0 0\n", ":1 or :2"},
        {"data_x\n" CELL "_space_group_name_H-M_alt 'P 9'\n" SITES "C1 C 0 0 0\n",
         "unknown space group"},
        {"data_x\n" CELL "loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\n-x,1/2+y,z+1/4\n" SITES
         "C1 C 0.1 0 0\n",
         "all of a group"},
        {"data_x\n" CELL "loop_\n_symmetry_equiv_pos_as_xyz\nx,y\n" SITES "C1 C 0 0 0\n",
         "bad operation"},
        {"data_x\n" CELL "loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\n-x,-y,-z\n" SITES
         "C1 C 0.01 0 0\n",
         "an image of"},
        {"data_x\n" CELL SITES "C1 'C\n", "open quotes"},
        {"data_x\n;\ntext\n", "ends a text"},
        {"data_x\n" CELL "loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n"
         "_atom_site_fract_z\nCU1 0 0 0\n",
         "two elements"},
        {"data_x\nloop_\n_atom_site.id\n1\n", "mmCIF"},
        {"data_x\n" CELL SITES "_atom_site_charge\nC1 C 0 0 0 1\nC2 C .5 0 0 ?\n",
         "charges of some"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        check_refused(cases[k].text, SHOAL_FORMAT_CIF, cases[k].words);
}

/* --- POSCAR -------------------------------------------------------------------------------------- */

static void test_poscar(void)
{
    fixture f;
    double cell[3][3];
    bool pbc[3];
    fixture_first(&f,
                  "diamond\n-22.69\n0 1 1\n1 0 1\n1 1 0\nC_h N/2f\n 1 1\nSelective\ndirect\n"
                  "0 0 0 T T F\n0.25 .25 .25 F F F\n\n0 0 1\n0 0 1\n",
                  SHOAL_FORMAT_POSCAR);
    shoal_molecule_cell(f.mol, cell, pbc);
    CHECK_NEAR(2 * cell[0][1] * cell[0][1] * cell[0][1], 22.69, 1e-9);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[1][0], cell[0][1] / 2, 1e-12);
    CHECK(shoal_molecule_elements(f.mol)[1] == 7);
    fixture_end(&f);
    fixture_first(&f, "Na Cl\n2.0\n1 0 0\n0 2 0\n0 0 3\n1 1\nK\n0 0 0\n.5 .5 .5\n",
                  SHOAL_FORMAT_POSCAR);
    CHECK(shoal_molecule_elements(f.mol)[1] == 17);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[1][2], 1, 0);
    fixture_end(&f);
    check_refused("x\n1\n1 0 0\n0 1 0\n0 0 1\n2\nDirect\n0 0 0\n", SHOAL_FORMAT_POSCAR, "elements");
    check_refused("x\n0\n1 0 0\n0 1 0\n0 0 1\nC\n1\nDirect\n0 0 0\n", SHOAL_FORMAT_POSCAR,
                  "bad factor");
    check_refused("x\n1\n1 0 0\n0 1 0\n0 0 1\nC\n2\nDirect\n0 0 0\n", SHOAL_FORMAT_POSCAR,
                  "coordinates of an atom");
    check_refused("x\n1\n1 0 0\n1 0 0\n0 0 1\nC\n1\nDirect\n0 0 0\n", SHOAL_FORMAT_POSCAR,
                  "bad cell");
}

/* --- PDB ----------------------------------------------------------------------------------------- */

#define WATER                                                                                      \
    "HETATM    1  O   HOH A   1       0.000   0.000   9.900  1.00  0.00           O\n"             \
    "HETATM    2  H1  HOH A   1       0.000   0.763   9.304  1.00  0.00           H\n"             \
    "HETATM    3  H2  HOH A   1       0.000  -0.763   9.304  1.00  0.00\n"
#define CRYST "CRYST1   10.000   10.000   10.000  90.00  90.00  90.00 P 1\n"

static void test_pdb(void)
{
    fixture f;
    fixture_first(&f,
                  CRYST "MODEL        1\n" WATER
                        "CONECT    1    2    3\nENDMDL\nMODEL        2\n" WATER
                        "ENDMDL\nEND\n" WATER "END\nMASTER\n",
                  SHOAL_FORMAT_PDB);
    CHECK(shoal_molecule_is_periodic(f.mol) && shoal_molecule_n_atoms(f.mol) == 3);
    CHECK(shoal_molecule_n_bonds(f.mol) == 2);
    CHECK(shoal_molecule_elements(f.mol)[2] == 1);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[1][2], 9.304, 0);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(shoal_molecule_is_periodic(f.mol) && shoal_molecule_n_bonds(f.mol) == 0);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(!shoal_molecule_is_periodic(f.mol));
    fixture_end(&f);
}

static void test_pdb_symmetry(void)
{
    fixture f;
    fixture_first(
        &f,
        "CRYST1   10.000   11.000   12.000  90.00 100.00  90.00 P 1 21 1      2\n"
        "ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00  0.00\n"
        "HETATM    2 CA    CA A   2       5.000   2.000   3.000  0.00  0.00          CA2+\n",
        SHOAL_FORMAT_PDB);
    CHECK(shoal_molecule_n_atoms(f.mol) == 4 && count(f.mol, 6) == 2 && count(f.mol, 20) == 2);
    CHECK(shoal_molecule_formal_charges(f.mol)[2] == 2);
    fixture_end(&f);
    check_refused("CRYST1   10.000   11.000   12.000  90.00 100.00  90.00 P 9\n" WATER,
                  SHOAL_FORMAT_PDB, "unknown space group");
    check_refused(
        "HETATM    1  O  AHOH A   1       0.000   0.000   9.900  0.50  0.00           O\n"
        "HETATM    2  O  BHOH A   1       0.500   0.000   9.900  0.50  0.00           O\n",
        SHOAL_FORMAT_PDB, "the major part");
    check_refused("REMARK\nEND\n", SHOAL_FORMAT_PDB, "no atoms");
}

/* --- writing ------------------------------------------------------------------------------------- */

/* Written and read again: cell, elements, places, charges and bonds. */
static void check_round(const shoal_molecule *mol, shoal_format format, double tolerance)
{
    shoal_string *text = NULL;
    fixture f;
    double cell[2][3][3];
    bool pbc[2][3];
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    CHECK(shoal_frame_format(text, format, mol, NULL) == SHOAL_OK);
    fixture_first(&f, shoal_string_data(text), format);
    const int32_t n = shoal_molecule_n_atoms(mol);
    CHECK(shoal_molecule_n_atoms(f.mol) == n);
    CHECK(shoal_molecule_n_bonds(f.mol) ==
          (format == SHOAL_FORMAT_POSCAR ? 0 : shoal_molecule_n_bonds(mol)));
    shoal_molecule_cell(mol, cell[0], pbc[0]);
    shoal_molecule_cell(f.mol, cell[1], pbc[1]);
    for (int k = 0; k < 9; ++k) CHECK_NEAR(cell[0][k / 3][k % 3], cell[1][k / 3][k % 3], tolerance);
    for (int32_t i = 0; i < n && i < shoal_molecule_n_atoms(f.mol); ++i) {
        CHECK(shoal_molecule_elements(f.mol)[i] == shoal_molecule_elements(mol)[i]);
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(shoal_molecule_positions(f.mol)[i][k], shoal_molecule_positions(mol)[i][k],
                       tolerance);
        if (shoal_molecule_charges(mol) &&
            (format == SHOAL_FORMAT_CIF || format == SHOAL_FORMAT_MOL2))
            CHECK_NEAR(shoal_molecule_charges(f.mol)[i], shoal_molecule_charges(mol)[i], 0);
    }
    for (int32_t b = 0; b < shoal_molecule_n_bonds(f.mol); ++b) {
        const shoal_bond *x = &shoal_molecule_bonds(mol)[b], *y = NULL;
        for (int32_t k = 0; k < shoal_molecule_n_bonds(f.mol) && !y; ++k) {
            const shoal_bond *z = &shoal_molecule_bonds(f.mol)[k];
            const int sign = z->i == x->i && z->j == x->j   ? 1
                             : z->i == x->j && z->j == x->i ? -1
                                                            : 0;
            bool same = sign != 0 && (format == SHOAL_FORMAT_PDB || z->order == x->order);
            for (int c = 0; c < 3; ++c) same = same && z->shift[c] == sign * x->shift[c];
            if (same) y = z;
        }
        CHECK(y != NULL);
    }
    fixture_end(&f);
    shoal_string_destroy(text);
}

static void test_writing(void)
{
    static const int32_t across[3] = {0, 0, 1};
    fixture f, water;
    fixture_open_file(&f, SHOAL_TEST_DATA "/quartz.cif");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(shoal_molecule_perceive(f.mol, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_n_bonds(f.mol) == 12);
    check_round(f.mol, SHOAL_FORMAT_CIF, 1e-12);
    check_round(f.mol, SHOAL_FORMAT_POSCAR, 1e-12);
    fixture_end(&f);
    fixture_first(&water, CRYST WATER, SHOAL_FORMAT_PDB);
    CHECK(shoal_molecule_add_bond(water.mol, 0, 1, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    CHECK(shoal_molecule_add_bond(water.mol, 0, 2, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    check_round(water.mol, SHOAL_FORMAT_PDB, 1e-9);
    check_round(water.mol, SHOAL_FORMAT_MOL2, 1e-9);
    CHECK(shoal_molecule_add_bond(water.mol, 1, 2, SHOAL_ORDER_SINGLE, across) == SHOAL_OK);
    shoal_string *text = NULL;
    CHECK(shoal_string_create(&text) == SHOAL_OK);
    CHECK(shoal_frame_format(text, SHOAL_FORMAT_MOL2, water.mol, NULL) == SHOAL_E_ARGUMENT);
    shoal_string_destroy(text);
    fixture_end(&water);
}

/* --- numbers by hand ----------------------------------------------------------------------------- */

/* The first record of a text, with options. */
static fixture first_of(const char *text, shoal_format format, bool major_part)
{
    const shoal_read_options options = {.major_part = major_part};
    fixture f = {0};
    FILE *file = fopen("first", "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
    CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
    CHECK(shoal_reader_open_with(&f.reader, "first", format, &options) == SHOAL_OK);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    return f;
}

static void check_place(const shoal_molecule *mol, int32_t i, double x, double y, double z)
{
    const double want[3] = {x, y, z};
    CHECK(i < shoal_molecule_n_atoms(mol));
    for (int k = 0; k < 3 && i < shoal_molecule_n_atoms(mol); ++k)
        CHECK_NEAR(shoal_molecule_positions(mol)[i][k], want[k], 1e-9);
}

/* A factor, three of them, a volume; places as fractions and in angstrom times the factors. */
static void test_poscar_factors(void)
{
    static const struct {
        const char *factor, *mode;
        double cell[3], place[3]; /* diagonal; of the atom, which also leans on b */
    } cases[] = {{"2.0", "Direct", {6, 8, 10}, {1.5 + 0.5, 4, 7.5}},
                 {"2.0", "Cartesian", {6, 8, 10}, {0.5, 1, 1.5}},
                 {"2 3 4", "Direct", {6, 12, 20}, {1.5 + 0.5, 6, 15}},
                 {"2 3 4", "cart", {6, 12, 20}, {0.5, 1.5, 3}},
                 {"-480", "Direct", {6, 8, 10}, {1.5 + 0.5, 4, 7.5}},
                 {"-480", "k", {6, 8, 10}, {0.5, 1, 1.5}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[300];
        double cell[3][3];
        bool pbc[3];
        (void)snprintf(text, sizeof text,
                       "x\n%s\n3 0 0\n.5 4 0\n0 0 5\nHe Ne\n1 0\n%s\n.25 .5 .75\n", cases[k].factor,
                       cases[k].mode);
        fixture f = first_of(text, SHOAL_FORMAT_POSCAR, false);
        shoal_molecule_cell(f.mol, cell, pbc);
        for (int c = 0; c < 3; ++c) CHECK_NEAR(cell[c][c], cases[k].cell[c], 1e-9);
        CHECK_NEAR(cell[1][0], 1, 1e-9);
        CHECK(pbc[0] && pbc[1] && pbc[2] && cell[0][1] == 0 && cell[2][0] == 0);
        CHECK(shoal_molecule_elements(f.mol)[0] == 2);
        check_place(f.mol, 0, cases[k].place[0], cases[k].place[1], cases[k].place[2]);
        fixture_end(&f);
    }
    check_refused("x\n1 1 -1\n1 0 0\n0 1 0\n0 0 1\nC\n1\nDirect\n0 0 0\n", SHOAL_FORMAT_POSCAR,
                  "bad factor");
    check_refused("x\n1\n1 0 0\n0 1 0\n0 0 1\nC N\n1\nDirect\n0 0 0\n", SHOAL_FORMAT_POSCAR,
                  "each of 2 species");
    check_refused("x\n1\n1 0 0\n0 1 0\n0 0 1\nC N\n1 1 1\nDirect\n0 0 0\n", SHOAL_FORMAT_POSCAR,
                  "each of 2 species");
    check_refused("x\n1\n1 0 0\n0 1 0\n0 0 1\nC\n1\ns\ns\n0 0 0\n", SHOAL_FORMAT_POSCAR,
                  "unknown coordinates");
}

/* A triclinic cell by its six numbers: a along x, b in the xy plane, c from the cosines. */
static void test_triclinic(void)
{
    static const char text[] =
        "data_t\n_cell_length_a 5\n_cell_length_b 6.0(2)\n_cell_length_c 7\n_cell_angle_alpha 80\n"
        "_cell_angle_beta 95\n_cell_angle_gamma 110\n" SITES "Fe1 Fe2+ 0.1 0.2 0.3\n";
    const double deg = acos(-1.0) / 180, cx = 7 * cos(95 * deg);
    const double cy = 7 * (cos(80 * deg) - cos(95 * deg) * cos(110 * deg)) / sin(110 * deg);
    const double cz = sqrt(49 - cx * cx - cy * cy);
    const double want[3][3] = {
        {5, 0, 0}, {6 * cos(110 * deg), 6 * sin(110 * deg), 0}, {cx, cy, cz}};
    double cell[3][3], r[3] = {0};
    bool pbc[3];
    fixture f = first_of(text, SHOAL_FORMAT_CIF, false);
    shoal_molecule_cell(f.mol, cell, pbc);
    for (int k = 0; k < 9; ++k) CHECK_NEAR(cell[k / 3][k % 3], want[k / 3][k % 3], 1e-12);
    for (int k = 0; k < 3; ++k) r[k] = 0.1 * want[0][k] + 0.2 * want[1][k] + 0.3 * want[2][k];
    check_place(f.mol, 0, r[0], r[1], r[2]);
    CHECK(shoal_molecule_elements(f.mol)[0] == 26);
    fixture_end(&f);
#define EDGES(a, b, c, gamma)                                                                      \
    "data_x\n_cell_length_a " a "\n_cell_length_b " b "\n_cell_length_c " c                        \
    "\n_cell_angle_alpha 90\n_cell_angle_beta 90\n_cell_angle_gamma " gamma "\n"
    check_refused(EDGES("10", "11", "12", "180") SITES "C1 C 0 0 0\n", SHOAL_FORMAT_CIF,
                  "_cell_angle_gamma");
    check_refused(EDGES("10", "0", "12", "90") SITES "C1 C 0 0 0\n", SHOAL_FORMAT_CIF,
                  "_cell_length_b");
    check_refused(EDGES("10", "11", "0.9", "90") SITES "C1 C 0 0 0\n", SHOAL_FORMAT_CIF,
                  "0.9 A wide");
    check_refused("data_x\n" CELL SITES "C1 C 0 1000.5 0\n", SHOAL_FORMAT_CIF,
                  "fraction of the cell");
    check_refused("data_x\n" CELL SITES "C1 C 0 -1000.5 0\n", SHOAL_FORMAT_CIF,
                  "fraction of the cell");
}

/* Images within 0.1 A are one atom; atoms within 0.5 A are too near, over a border of the cell, too. */
static void test_near(void)
{
#define INVERSION "loop_\n_symmetry_equiv_pos_as_xyz\nx,y,z\n-x,-y,-z\n"
    static const struct {
        const char *sites;
        int32_t n; /* -1: refused */
    } cases[] = {{INVERSION SITES "C1 C 0.0049 0 0\n", 1},
                 {INVERSION SITES "C1 C 0.0051 0 0\n", -1},
                 {INVERSION SITES "C1 C 0.0251 0 0\n", 2},
                 {INVERSION SITES "C1 C 0.0249 0 0\n", -1},
                 {SITES "C1 C 0 0 0.979\nC2 C 0 0 0.0205\n", -1},
                 {SITES "C1 C 0 0 0.979\nC2 C 0 0 0.0212\n", 2},
                 {SITES "C1 C 0 0.98 0\nC2 C 0 0.026 0\n", 2},
                 {SITES "C1 C 0 0.98 0\nC2 C 0 0.025 0\n", -1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        char text[1000];
        (void)snprintf(text, sizeof text, "data_x\n" CELL "%s", cases[k].sites);
        if (cases[k].n < 0) {
            check_refused(text, SHOAL_FORMAT_CIF, "A from ");
            continue;
        }
        fixture f = first_of(text, SHOAL_FORMAT_CIF, false);
        CHECK(shoal_molecule_n_atoms(f.mol) == cases[k].n);
        fixture_end(&f);
    }
}

/* Lengths that operations make equal may differ by a percent, and a POSCAR's two factors are one and a word. */
static void test_tolerances(void)
{
    static const char *const texts[2] = {
        EDGES("10", "10.08", "12", "90") "_symmetry_space_group_name_H-M 'P 4'\n" SITES
                                         "C1 C 0.1 0.2 0.3\n",
        EDGES("10", "10.15", "12", "90") "_symmetry_space_group_name_H-M 'P 4'\n" SITES
                                         "C1 C 0.1 0.2 0.3\n"};
    for (int k = 0; k < 2; ++k) {
        const char *text = texts[k];
        if (k) {
            check_refused(text, SHOAL_FORMAT_CIF, "space group");
            continue;
        }
        fixture f = first_of(text, SHOAL_FORMAT_CIF, false);
        CHECK(shoal_molecule_n_atoms(f.mol) == 4);
        fixture_end(&f);
    }
    fixture f = first_of("x\n2 3\n1 0 0\n0 1 0\n0 0 1\nHe\n1\nDirect\n.5 .5 .5\n",
                         SHOAL_FORMAT_POSCAR, false);
    check_place(f.mol, 0, 1, 1, 1);
    fixture_end(&f);
}

/* Labels tell elements, orders are those of the file. */
static void test_words(void)
{
    static const char bonds[] =
        "loop_\n_geom_bond_atom_site_label_1\n_geom_bond_atom_site_label_2\n_geom_bond_distance\n"
        "_ccdc_geom_bond_type\n";
    static const int32_t z[6] = {17, 6, 11, 7, 8, 74};
    static const int32_t orders[4] = {SHOAL_ORDER_SINGLE, SHOAL_ORDER_DOUBLE, SHOAL_ORDER_TRIPLE,
                                      SHOAL_ORDER_AROMATIC};
    char text[2000];
    fixture f = first_of(
        "data_x\n" CELL "loop_\n_atom_site_label\n_atom_site_fract_x\n_atom_site_fract_y\n"
        "_atom_site_fract_z\nCl1 0 0 0\nC2 .1 0 0\nNa .2 0 0\nN1A .3 0 0\nO3' .4 0 0\nW1 .5 0 0\n",
        SHOAL_FORMAT_CIF, false);
    for (int32_t i = 0; i < 6; ++i) CHECK(shoal_molecule_elements(f.mol)[i] == z[i]);
    fixture_end(&f);
    (void)snprintf(text, sizeof text,
                   "data_x\n" CELL SITES
                   "C1 C 0 0 0\nC2 C .14 0 0\nC3 C .28 0 0\nC4 C .42 0 0\nC5 C .56 0 0\n"
                   "%sC1 C2 1.4 S\nC2 C3 1.4 D\nC3 C4 1.4 T\nC4 C5 1.4 A\n",
                   bonds);
    f = first_of(text, SHOAL_FORMAT_CIF, false);
    CHECK(shoal_molecule_n_bonds(f.mol) == 4);
    for (int32_t b = 0; b < 4 && b < shoal_molecule_n_bonds(f.mol); ++b) {
        const shoal_bond *bond = &shoal_molecule_bonds(f.mol)[b];
        CHECK((bond->i == b && bond->j == b + 1) || (bond->i == b + 1 && bond->j == b));
        CHECK(bond->order == orders[b]);
    }
    fixture_end(&f);
}

/* Shares of groups: the larger one, of equal ones the first; half of a site without a group; nearly whole sites are whole. */
static void test_shares(void)
{
    static const struct {
        const char *sites;
        int32_t first; /* element of the first atom, of n */
        int32_t n;
    } cases[] = {{"F1 F .1 0 0 0.5 A 2\nCl1 Cl .1 0 0 0.5 A 1\n", 17, 1},
                 {"F1 F .1 0 0 0.5 A 1\nCl1 Cl .1 0 0 0.5 A 2\n", 9, 1},
                 {"F1 F .1 0 0 0.51 A 2\nCl1 Cl .1 0 0 0.49 A 1\n", 9, 1},
                 {"F1 F .1 0 0 0.4 A 2\nCl1 Cl .1 0 0 0.35 A 1\nC1 C .5 .5 .5 1 . .\n", 9, 2},
                 {"F1 F .1 0 0 0.3 A 2\nCl1 Cl .1 0 0 0.2 A 1\nC1 C .5 .5 .5 1 . .\n", 6, 1},
                 {"F1 F .1 0 0 0.3 A 2\nF2 F .9 0 0 0.8 A 2\nCl1 Cl .1 0 0 0.5 A 1\n", 9, 2},
                 {"O1 O .5 .5 .5 0.5 . .\nN1 N .5 .5 .8 0.49 . .\n", 8, 1}};
    char text[1000];
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        (void)snprintf(text, sizeof text, "data_x\n" CELL SITES DISORDER "%s", cases[k].sites);
        fixture f = first_of(text, SHOAL_FORMAT_CIF, true);
        CHECK(shoal_molecule_n_atoms(f.mol) == cases[k].n);
        CHECK(shoal_molecule_elements(f.mol)[0] == cases[k].first);
        fixture_end(&f);
    }
    fixture f = first_of("data_x\n" CELL SITES "_atom_site_occupancy\nC1 C 0 0 0 0.99\n",
                         SHOAL_FORMAT_CIF, false);
    CHECK(shoal_molecule_n_atoms(f.mol) == 1);
    fixture_end(&f);
    check_refused("data_x\n" CELL SITES "_atom_site_occupancy\nC1 C 0 0 0 0.989\n",
                  SHOAL_FORMAT_CIF, "disordered");
    check_refused("data_x\n" CELL SITES "_atom_site_occupancy\nC1 C 0 0 0 -0.1\n", SHOAL_FORMAT_CIF,
                  "bad occupancy");
}

/* Orders by how often a partner is named, at one end; images nearest to each other; charges of ions and names of elements. */
static void test_pdb_rules(void)
{
#define AT(id, name, xyz, rest)                                                                    \
    "HETATM" id " " name " MOL A   1    " xyz "  1.00  0.00          " rest "\n"
    static const char chain[] = AT("    1", " C1 ", "   0.300   0.000   0.000", " C")
        AT("    2", " C2 ", "   9.000   0.000   0.000", " C")
            AT("    3", " C3 ", "   7.700   0.000   0.000", " C")
                AT("    4", " C4 ", "   6.300   0.000   0.000",
                   " C") "CONECT    1    2    2\nCONECT    2    1    3    3    3\nCONECT    3    2 "
                         "   4    4    4\nCONECT    4    3    3\nEND\n";
    static const int32_t orders[3] = {2, 3, 3};
    char text[2000];
    (void)snprintf(text, sizeof text, CRYST "%s", chain);
    fixture f = first_of(text, SHOAL_FORMAT_PDB, false);
    CHECK(shoal_molecule_n_bonds(f.mol) == 3);
    for (int32_t b = 0; b < 3 && b < shoal_molecule_n_bonds(f.mol); ++b) {
        const shoal_bond *bond = &shoal_molecule_bonds(f.mol)[b];
        CHECK(bond->i == b && bond->j == b + 1 && bond->order == orders[b]);
        CHECK(bond->shift[0] == (b == 0 ? -1 : 0) && bond->shift[1] == 0 && bond->shift[2] == 0);
    }
    fixture_end(&f);
    /* CONECT of some atoms says nothing of the others: bonds are looked for. */
    f = first_of(
        AT("    1", " C1 ", "   0.000   0.000   0.000", " C")
            AT("    2", " C2 ", "   1.500   0.000   0.000", " C")
                AT("    3", " C3 ", "   9.000   0.000   0.000", " C") "CONECT    1    2\nEND\n",
        SHOAL_FORMAT_PDB, false);
    CHECK(shoal_molecule_n_atoms(f.mol) == 3 && shoal_molecule_n_bonds(f.mol) == 0);
    fixture_end(&f);
    static const char ions[] = AT("    1", "HG11", "   0.000   0.000   0.000", "")
        AT("    2", "HG  ", "   3.000   0.000   0.000", "  2+")
            AT("    3", " CL ", "   6.000   0.000   0.000", "CL1-")
                AT("    4", " CA ", "   9.000   0.000   0.000", "")
                    AT("    5", "CA  ", "  12.000   0.000   0.000", "") "END\n";
    static const int32_t z[5] = {1, 80, 17, 6, 20}, q[5] = {0, 2, -1, 0, 0};
    f = first_of(ions, SHOAL_FORMAT_PDB, false);
    for (int32_t i = 0; i < 5; ++i) {
        CHECK(shoal_molecule_elements(f.mol)[i] == z[i]);
        CHECK(shoal_molecule_formal_charges(f.mol)[i] == q[i]);
        check_place(f.mol, i, 3 * i, 0, 0);
    }
    fixture_end(&f);
    static const char *const wrong[] = {
        "CRYST1    5.000    5.000    5.000  90.00 180.00  90.00 P 1\n",
        "CRYST1    5.000    0.000    5.000  90.00  90.00  90.00 P 1\n"};
    for (int k = 0; k < 2; ++k) check_refused(wrong[k], SHOAL_FORMAT_PDB, "bad CRYST1");
    f = first_of("CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1\n" WATER,
                 SHOAL_FORMAT_PDB, false);
    CHECK(!shoal_molecule_is_periodic(f.mol));
    fixture_end(&f);
}

int main(void)
{
    test_poscar_factors();
    test_triclinic();
    test_near();
    test_words();
    test_tolerances();
    test_shares();
    test_pdb_rules();
    test_quartz();
    test_blocks();
    test_bonds();
    test_disorder();
    test_refusals();
    test_poscar();
    test_pdb();
    test_pdb_symmetry();
    test_writing();
    return check_done();
}
