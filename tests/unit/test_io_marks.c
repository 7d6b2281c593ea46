/* SPDX-License-Identifier: BSD-3-Clause
 * What few atoms and bonds have, through files and back: charges, unpaired electrons, isotopes, parities, stereo marks, in
 * both versions of SD files; and lines that are told apart by one letter or one number. */
#include "chem/molecule.h"
#include "io_fixture.h"

enum { N_RING = 130 };

/* --- round trips ---------------------------------------------------------------------------------- */

/* A ring of carbon atoms with every mark, in atoms of one, two and three digits. V3000 where a bond is dative. */
static shoal_molecule *make_ring(bool dative)
{
    static const int32_t stereo[] = {0, 1, 4, 6, -1, -4, -6};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < N_RING; ++i) {
        const double at[3] = {20 * cos(0.0483 * i), 20 * sin(0.0483 * i), 0.25 * (i % 3)};
        CHECK(shoal_molecule_add_atom(mol, dative && i == 7 ? 30 : 6, at) == SHOAL_OK);
        mol->radical[i] = i % 11 == 3 ? 1 : i % 13 == 5 ? 2 : 0;
        mol->formal_charge[i] = i % 9 == 4 ? i % 15 - 7 : 0;
        CHECK(molecule_set_mark(&mol->isotope, i, i % 10 == 1 ? 13 : 0) == SHOAL_OK);
        CHECK(molecule_set_mark(&mol->parity, i, i % 4) == SHOAL_OK);
    }
    for (int32_t i = 0; i < N_RING; ++i) {
        const bool is_double = i % 5 == 2;
        CHECK(shoal_molecule_add_bond(mol, i, (i + 1) % N_RING,
                                      dative && i == 6 ? SHOAL_ORDER_DATIVE
                                      : is_double      ? SHOAL_ORDER_DOUBLE
                                                       : SHOAL_ORDER_SINGLE,
                                      NULL) == SHOAL_OK);
        CHECK(molecule_set_mark(&mol->bond_stereo, i, is_double ? 3 * (i % 2) : stereo[i % 7]) ==
              SHOAL_OK);
    }
    mol->chiral = true;
    mol->has_formal_charges = mol->has_bonds = true;
    return mol;
}

/* The sign of a stereo mark is in the order of a bond's atoms. */
static void check_bonds(const shoal_molecule *want, const shoal_molecule *have)
{
    CHECK(have->n_bonds == want->n_bonds);
    for (int32_t b = 0; b < want->n_bonds && b < have->n_bonds; ++b) {
        const shoal_bond *x = &want->bonds[b], *y = &have->bonds[b];
        const int32_t mark = molecule_mark(&want->bond_stereo, b);
        const int32_t first = mark < 0 ? x->j : x->i, second = mark < 0 ? x->i : x->j;
        const int32_t back = molecule_mark(&have->bond_stereo, b);
        const int32_t from = back < 0 ? y->j : y->i, to = back < 0 ? y->i : y->j;
        CHECK(x->order == y->order && abs(back) == abs(mark));
        CHECK(mark == 0 ? (y->i == x->i && y->j == x->j) || (y->i == x->j && y->j == x->i)
                        : from == first && to == second);
    }
}

static void test_round_trip(void)
{
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = make_ring(k == 1);
        shoal_string *text = NULL;
        fixture f;
        CHECK(shoal_string_create(&text) == SHOAL_OK);
        CHECK(shoal_frame_format(text, SHOAL_FORMAT_SDF, mol, &(shoal_frame){0}) == SHOAL_OK);
        CHECK((strstr(shoal_string_data(text), "V3000") != NULL) == (k == 1));
        fixture_first(&f, shoal_string_data(text), SHOAL_FORMAT_SDF);
        CHECK(f.mol->n_atoms == N_RING && f.mol->chiral);
        for (int32_t i = 0; i < N_RING && i < f.mol->n_atoms; ++i) {
            CHECK(f.mol->element[i] == mol->element[i]);
            CHECK(f.mol->formal_charge[i] == mol->formal_charge[i]);
            CHECK(f.mol->radical[i] == mol->radical[i]);
            CHECK(molecule_mark(&f.mol->isotope, i) == molecule_mark(&mol->isotope, i));
            CHECK(molecule_mark(&f.mol->parity, i) == molecule_mark(&mol->parity, i));
            for (int c = 0; c < 3; ++c) CHECK_NEAR(f.mol->pos[i][c], mol->pos[i][c], 6e-5);
        }
        check_bonds(mol, f.mol);
        fixture_end(&f);
        /* Without the mark of chirality it has none. */
        mol->chiral = false;
        shoal_string_clear(text);
        CHECK(shoal_frame_format(text, SHOAL_FORMAT_SDF, mol, &(shoal_frame){0}) == SHOAL_OK);
        fixture_first(&f, shoal_string_data(text), SHOAL_FORMAT_SDF);
        CHECK(!f.mol->chiral);
        fixture_end(&f);
        shoal_string_destroy(text);
        shoal_molecule_destroy(mol);
    }
}

/* What V2000 has no room for is V3000: numbers of atoms and of bonds, coordinates to either side. */
static void test_version(void)
{
    static const struct {
        int32_t n;
        bool tied;
        double x;
        bool v3000;
    } cases[] = {{999, false, 0, false},   {1000, false, 0, true},   {45, true, 0, false},
                 {46, true, 0, true},      {2, false, 99999, false}, {2, false, 100000, true},
                 {2, false, -9999, false}, {2, false, -10000, true}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = NULL;
        shoal_string *text = NULL;
        fixture f;
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_string_create(&text) == SHOAL_OK);
        for (int32_t i = 0; i < cases[k].n; ++i)
            CHECK(shoal_molecule_add_atom(mol, 18, (const double[3]){i ? i : cases[k].x, 0, 0}) ==
                  SHOAL_OK);
        for (int32_t i = 0; i < cases[k].n && cases[k].tied; ++i)
            for (int32_t j = 0; j < i; ++j)
                CHECK(shoal_molecule_add_bond(mol, i, j, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
        mol->has_bonds = true;
        CHECK(shoal_frame_format(text, SHOAL_FORMAT_SDF, mol, &(shoal_frame){0}) == SHOAL_OK);
        CHECK((strstr(shoal_string_data(text), "V3000") != NULL) == cases[k].v3000);
        fixture_first(&f, shoal_string_data(text), SHOAL_FORMAT_SDF);
        CHECK(f.mol->n_atoms == mol->n_atoms && f.mol->n_bonds == mol->n_bonds);
        CHECK(f.mol->pos[0][0] == cases[k].x);
        fixture_end(&f);
        shoal_string_destroy(text);
        shoal_molecule_destroy(mol);
    }
}

/* A bond through any face of the cell is none that SD files have. */
static void test_borders(void)
{
    static const double cell[3][3] = {{3, 0, 0}, {0, 3, 0}, {0, 0, 3}};
    static const bool pbc[3] = {true, true, true};
    for (int k = 0; k < 3; ++k) {
        shoal_molecule *mol = NULL;
        shoal_string *text = NULL;
        int32_t shift[3] = {0};
        shift[k] = 1;
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_string_create(&text) == SHOAL_OK);
        for (int i = 0; i < 2; ++i)
            CHECK(shoal_molecule_add_atom(mol, 6, (const double[3]){1.5 * i, 0, 0}) == SHOAL_OK);
        CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
        CHECK(shoal_molecule_add_bond(mol, 0, 1, SHOAL_ORDER_SINGLE, shift) == SHOAL_OK);
        CHECK(shoal_frame_format(text, SHOAL_FORMAT_SDF, mol, &(shoal_frame){0}) ==
              SHOAL_E_UNSUPPORTED);
        shoal_string_destroy(text);
        shoal_molecule_destroy(mol);
    }
}

/* --- single lines --------------------------------------------------------------------------------- */

#define HEAD "\n\n\n"
#define TAIL "M  END\n$$$$\n"
#define V3 HEAD "  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"

static void read_sdf(fixture *f, const char *text)
{
    fixture_first(f, text, SHOAL_FORMAT_SDF);
}

static void test_old_codes(void)
{
    fixture f;
    /* Iron is 56, one more is 57; -3 is the least, -4 says nothing. Charge codes; 4 is a doublet. */
    read_sdf(&f, HEAD "  4  0  0  0  1  0  0  0  0  0999 V2000\n"
                      "    0.0000    0.0000    0.0000 Fe  1  3  0\n"
                      "    3.0000    0.0000    0.0000 Fe -3  5  1\n"
                      "    6.0000    0.0000    0.0000 Fe -4  4  3\n"
                      "    9.0000    0.0000    0.0000 C   0  7  0\n" TAIL);
    CHECK(f.mol->chiral && molecule_mark(&f.mol->isotope, 0) == 57);
    CHECK(molecule_mark(&f.mol->isotope, 1) == 53 && molecule_mark(&f.mol->isotope, 2) == 0);
    CHECK(f.mol->formal_charge[0] == 1 && f.mol->formal_charge[1] == -1);
    CHECK(f.mol->formal_charge[2] == 0 && f.mol->radical[2] == 1 && f.mol->formal_charge[3] == -3);
    CHECK(molecule_mark(&f.mol->parity, 1) == 1 && molecule_mark(&f.mol->parity, 2) == 3);
    fixture_end(&f);
    /* The first line of charges or of radicals makes all codes void, those that follow add to it. */
    read_sdf(&f, HEAD "  3  0  0  0  0  0  0  0  0  0999 V2000\n"
                      "    0.0000    0.0000    0.0000 C   0  3  0\n"
                      "    3.0000    0.0000    0.0000 C   0  4  0\n"
                      "    6.0000    0.0000    0.0000 C   0  0  0\n"
                      "M  RAD  1   3   2\nM  CHG  1   3 -15\nM  CHG  1   1  15\nG    1  2\ntext\n"
                      "A    1\ntext\n" TAIL);
    CHECK(f.mol->formal_charge[0] == 15 && f.mol->formal_charge[2] == -15);
    CHECK(f.mol->radical[0] == 0 && f.mol->radical[1] == 0 && f.mol->radical[2] == 1);
    fixture_end(&f);
}

static void test_refused(void)
{
    static const char *const orders[] = {"  0", "  5", "  6", "  8", " 10"};
    for (size_t k = 0; k < sizeof orders / sizeof orders[0]; ++k) {
        char text[400];
        fixture f;
        (void)snprintf(text, sizeof text,
                       HEAD "  2  1  0  0  0  0  0  0  0  0999 V2000\n"
                            "    0.0000    0.0000    0.0000 C   0  0  0\n"
                            "    1.5000    0.0000    0.0000 C   0  0  0\n  1  2%s\n" TAIL,
                       orders[k]);
        fixture_open(&f, text, SHOAL_FORMAT_SDF);
        CHECK(shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_E_FORMAT);
        CHECK((strstr(shoal_error_text(), "of a query") != NULL) == (k >= 1 && k <= 3));
        fixture_close(&f);
    }
}

static void test_v3000(void)
{
    fixture f;
    read_sdf(&f,
             V3 "M  V30 COUNTS 5 3 0 0 1\nM  V30 BEGIN ATOM\nM  V30 1 D 0 0 0 0\n"
                "M  V30 2 C 1 0 0 0 MASS=13 CFG=3 CHG=-1\nM  V30 3 C 2.5 0 -\nM  V30 0 0 RAD=3\n"
                "M  V30 9 C 4 0 0 0 CFG=1\nM  V30 4 C 5 0 0 0\nM  V30 END ATOM\n"
                "M  V30 BEGIN BOND\nM  V30 1 1 2 1 CFG=1\nM  V30 2 2 3 9 CFG=2\n"
                "M  V30 3 1 4 9 CFG=2\nM  V30 END BOND\nM  V30 BEGIN COLLECTION\n"
                "M  V30 BEGIN SGROUP\nM  V30 END SGROUP\nM  V30 MDLV30/STEABS ATOMS=(1 2)\n"
                "M  V30 END COLLECTION\nM  V30 END CTAB\n" TAIL);
    CHECK(f.mol->n_atoms == 5 && f.mol->n_bonds == 3 && f.mol->chiral);
    CHECK(f.mol->element[0] == 1 && molecule_mark(&f.mol->isotope, 0) == 2);
    CHECK(molecule_mark(&f.mol->isotope, 1) == 13 && molecule_mark(&f.mol->parity, 1) == 3);
    CHECK(f.mol->formal_charge[1] == -1 && f.mol->radical[2] == 2 && f.mol->pos[2][0] == 2.5);
    CHECK(f.mol->bonds[0].i == 1 && f.mol->bonds[0].j == 0);
    CHECK(f.mol->bonds[1].i == 2 && f.mol->bonds[1].j == 3 && f.mol->bonds[2].i == 4);
    /* Either of a double bond is 3 in V2000, either of a single one 4. */
    CHECK(molecule_mark(&f.mol->bond_stereo, 0) == 1 && molecule_mark(&f.mol->bond_stereo, 1) == 3);
    CHECK(molecule_mark(&f.mol->bond_stereo, 2) == 4);
    fixture_end(&f);
    read_sdf(&f, V3 "M  V30 COUNTS 1 0 0 1 0\nM  V30 BEGIN ATOM\nM  V30 1 C 0 0 0 0\n"
                    "M  V30 END ATOM\nM  V30 END CTAB\n" TAIL);
    CHECK(!f.mol->chiral); /* the number before it counts something else */
    fixture_end(&f);
}

/* --- comments of xyz ------------------------------------------------------------------------------ */

#define ATOMS3 "O 0 0 0\nH 1 0 0\nH 0 1 0\n"

static void read_xyz(fixture *f, const char *comment)
{
    char text[600];
    (void)snprintf(text, sizeof text, "3\n%s\n" ATOMS3, comment);
    fixture_first(f, text, SHOAL_FORMAT_XYZ);
}

static void test_comments(void)
{
    fixture f;
    read_xyz(&f, "pbc=\"F F F\" charge=-2 \"key\\n b\"=1 word={a b}");
    CHECK(f.mol->has_file_charge && f.mol->file_charge == -2);
    CHECK_TEXT(fixture_property(&f, "key\n b"), "1");
    CHECK_TEXT(fixture_property(&f, "word"), "a b");
    fixture_end(&f);
    read_xyz(&f, "Lattice=\"5 0 0 1 6 0 0 2 7\" flag Total_Charge=1");
    bool pbc[3];
    double cell[3][3];
    shoal_molecule_cell(f.mol, cell, pbc);
    CHECK(pbc[0] && pbc[1] && pbc[2] && cell[1][0] == 1 && cell[2][1] == 2 && cell[0][1] == 0);
    CHECK_TEXT(fixture_property(&f, "flag"), "T");
    CHECK(f.mol->has_file_charge && f.mol->file_charge == 1);
    fixture_end(&f);
    read_xyz(&f, "lvs 5 0 0 1 6 0 0 0 0 alone=1");
    shoal_molecule_cell(f.mol, cell, pbc);
    CHECK(pbc[0] && pbc[1] && !pbc[2] && cell[1][0] == 1 && cell[0][1] == 0);
    fixture_end(&f);
    read_xyz(&f, "some words energy=-3.5 and more"); /* a name with a pair in it */
    CHECK_TEXT(shoal_molecule_name(f.mol), "some words energy=-3.5 and more");
    CHECK_TEXT(fixture_property(&f, "energy"), "-3.5");
    CHECK_TEXT(fixture_property(&f, "words"), "(none)");
    fixture_end(&f);
    static const char *const no_cell[] = {"pbc=\"T F F\"", "pbc=\"F T F\"", "pbc=\"F F T\""};
    for (int k = 0; k < 3; ++k) {
        char text[200];
        (void)snprintf(text, sizeof text, "3\n%s\n" ATOMS3, no_cell[k]);
        fixture_open(&f, text, SHOAL_FORMAT_XYZ);
        CHECK(shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_E_FORMAT);
        CHECK(strstr(shoal_error_text(), "pbc without a cell") != NULL);
        fixture_close(&f);
    }
}

/* Columns: the first of a use counts, and those that do not fit are passed on. */
static void test_columns(void)
{
    fixture f;
    fixture_first(&f,
                  "2\nProperties=species:S:1:pos:R:3:charge:R:1:q:R:1:isotope:S:1\n"
                  "O 0 0 0 0.5 7 abc\nH 1 0 0 -0.5 8 d\n",
                  SHOAL_FORMAT_XYZ);
    CHECK(f.mol->has_charges && f.mol->charge[0] == 0.5 && f.mol->charge[1] == -0.5);
    CHECK(molecule_mark(&f.mol->isotope, 0) == 0);
    fixture_end(&f);
    fixture_open(&f, "1\nProperties=species:S:1:charge:R:1\nO 0.5\n", SHOAL_FORMAT_XYZ);
    CHECK(shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_E_FORMAT);
    fixture_close(&f);
}

/* Frames of two molecules. */
static void test_pairs(void)
{
    static const struct {
        const char *comment;
        int32_t n_first;
    } cases[] = {{"n0=1 Etot=-0.2", 1},
                 {"n0=2 E_tot=-0.2", 2},
                 {"n0=3 Etot=-0.2", 0}, /* all atoms: a field of somebody else */
                 {"n0=0 Etot=-0.2", 0},
                 {"n0=1", 0},
                 {"n0=1 Etot=-0.2 Lattice=\"9 0 0 0 9 0 0 0 9\"", 0}};
    fixture f;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        read_xyz(&f, cases[k].comment);
        CHECK(f.mol->n_first == cases[k].n_first);
        fixture_end(&f);
    }
    read_xyz(&f, "n0=1 Etot=-0.2 charge_a=1 charge_b=-2");
    CHECK(f.mol->has_fragment_charge[0] && f.mol->fragment_charge[0] == 1);
    CHECK(f.mol->has_fragment_charge[1] && f.mol->fragment_charge[1] == -2);
    fixture_end(&f);
    fixture_open(&f, "3\nn0=1 Etot=-0.2 charge_a=0.4\n" ATOMS3, SHOAL_FORMAT_XYZ);
    CHECK(shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_E_FORMAT);
    fixture_close(&f);
}

int main(void)
{
    test_round_trip();
    test_version();
    test_borders();
    test_old_codes();
    test_refused();
    test_v3000();
    test_comments();
    test_columns();
    test_pairs();
    return check_done();
}
