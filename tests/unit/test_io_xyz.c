/* SPDX-License-Identifier: BSD-3-Clause
 * Reading xyz, extended xyz and the lvs form. */
#include "io_fixture.h"

static void test_plain(void)
{
    fixture f;
    fixture_first(&f, "3\r\n  water, by hand \r\nO 0 0 0.1\r\nh\t.76 0 -.5\r\n1 -0.76 0 -5e-1", 1);
    CHECK_TEXT(shoal_molecule_name(f.mol), "water, by hand");
    CHECK(shoal_molecule_n_atoms(f.mol) == 3);
    CHECK(shoal_molecule_elements(f.mol)[0] == 8);
    CHECK(shoal_molecule_elements(f.mol)[1] == 1);
    CHECK(shoal_molecule_elements(f.mol)[2] == 1);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[2][0], -0.76, 0);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[2][2], -0.5, 0);
    CHECK(shoal_molecule_charges(f.mol) == NULL);
    CHECK(!shoal_molecule_is_periodic(f.mol));
    CHECK(shoal_molecule_n_properties(f.mol) == 0);
    fixture_end(&f);
}

static void test_labels(void)
{
    static const int32_t want[] = {6, 7, 1, 17, 11, 1, 1, 35, 92};
    fixture f;
    fixture_first(&f,
                  "9\n\nC_3 0 0 0\nN_R 1 0 0\nH_ 2 0 0\nCl1 3 0 0\nNa+ 4 0 0\nD 5 0 0\n"
                  "T 6 0 0\nBR 7 0 0\n92 8 0 0\n",
                  SHOAL_FORMAT_XYZ);
    for (int i = 0; i < 9; ++i) CHECK(shoal_molecule_elements(f.mol)[i] == want[i]);
    CHECK_TEXT(shoal_molecule_type(f.mol, 0), "");
    CHECK_TEXT(shoal_molecule_name(f.mol), "");
    fixture_end(&f);
}

/* A fifth column counts only where every atom has it; then further columns are free text. */
static void test_charge_column(void)
{
    fixture f;
    fixture_first(&f,
                  "2\n\nO 0 0 0 -.4 x y\nH 0 0 1 0.4\n\n2\n\nO 0 0 0 -.4\nH 0 0 1\n"
                  "1\n\nHe 0 0 0 abc\n1\n\nHe 0 0 0 .1 .2 .3\n",
                  SHOAL_FORMAT_XYZ);
    CHECK(shoal_molecule_charges(f.mol) != NULL);
    CHECK_NEAR(shoal_molecule_charges(f.mol)[0], -0.4, 0);
    for (int k = 0; k < 3; ++k) {
        CHECK(fixture_next(&f) == SHOAL_OK && f.found);
        CHECK(shoal_molecule_charges(f.mol) == NULL);
    }
    fixture_end(&f);
}

static void test_extended(void)
{
    fixture f;
    double cell[3][3];
    bool pbc[3];
    fixture_first(&f,
                  "2\nLattice=\"4 0 0 0 5 0 0.5 0 6\" pbc=\"T T F\" energy=-1.5 flag "
                  "Properties=id:I:1:species:S:1:forces:R:3:pos:R:3:initial_charges:R:1:"
                  "uff_type:S:1:formal_charge:I:1 "
                  "name=\"two \\\"atoms\\\"\" \"a key\"='it\\'s' note={a b} "
                  "list=[[1, 2], [3, 4]] empty=\"\" path=a=b\n"
                  "7 N 9 9 9 1 2 3 0.25 N_3+4 1\n8 H 9 9 9 2 2 3 -.25 - 0\n",
                  SHOAL_FORMAT_XYZ);
    shoal_molecule_cell(f.mol, cell, pbc);
    CHECK(pbc[0] && pbc[1] && !pbc[2]);
    CHECK_NEAR(cell[0][0], 4, 0);
    CHECK_NEAR(cell[2][0], 0.5, 0);
    CHECK_NEAR(cell[2][2], 6, 0);
    CHECK_TEXT(shoal_molecule_name(f.mol), "two \"atoms\"");
    CHECK_TEXT(fixture_property(&f, "energy"), "-1.5");
    CHECK_TEXT(fixture_property(&f, "flag"), "T");
    CHECK_TEXT(fixture_property(&f, "a key"), "it's");
    CHECK_TEXT(fixture_property(&f, "note"), "a b");
    CHECK_TEXT(fixture_property(&f, "list"), "[[1, 2], [3, 4]]");
    CHECK_TEXT(fixture_property(&f, "empty"), "");
    CHECK_TEXT(fixture_property(&f, "path"), "a=b");
    CHECK_TEXT(fixture_property(&f, "forces"), "9 9 9\n9 9 9");
    CHECK(shoal_molecule_n_properties(f.mol) == 8);
    CHECK(shoal_molecule_elements(f.mol)[0] == 7);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[1][0], 2, 0);
    CHECK_NEAR(shoal_molecule_charges(f.mol)[1], -0.25, 0);
    CHECK_TEXT(shoal_molecule_type(f.mol, 0), "N_3+4");
    CHECK_TEXT(shoal_molecule_type(f.mol, 1), "");
    CHECK(shoal_molecule_formal_charges(f.mol)[0] == 1);
    fixture_end(&f);
}

static void test_cells(void)
{
    static const struct {
        const char *comment;
        bool pbc[3];
    } cases[] = {
        {"Lattice=\"4 0 0 0 5 0 0 0 6\"", {true, true, true}},
        {"lattice=[[4,0,0],[0,5,0],[0,0,6]] PBC=[T, false, 1]", {true, false, true}},
        {"Lattice=\"4 0 0 0 5 0 0 0 6\" pbc=\"F F F\"", {false, false, false}},
        {"lvs 4 0 0 0 5 0 0 0 6", {true, true, true}},
        {"lvs 4 0 0 0 5 0 0 0 0.0 E=1", {true, true, false}},
        {"pbc=\"F F F\"", {false, false, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[200];
        fixture f;
        double cell[3][3];
        bool pbc[3];
        (void)snprintf(text, sizeof text, "1\n%s\nAr 0 0 0\n", cases[i].comment);
        fixture_first(&f, text, SHOAL_FORMAT_XYZ);
        shoal_molecule_cell(f.mol, cell, pbc);
        for (int k = 0; k < 3; ++k) CHECK(pbc[k] == cases[i].pbc[k]);
        CHECK_NEAR(cell[1][1], i < 5 ? 5 : 0, 0);
        CHECK_TEXT(shoal_molecule_name(f.mol), "");
        fixture_end(&f);
    }
}

/* Free text stays the name, whatever it looks like. */
static void test_names(void)
{
    static const struct {
        const char *comment, *name, *key, *value;
    } cases[] = {
        {"C1=CC=CC=C1", "C1=CC=CC=C1", "C1", "(none)"},
        {"i = 23, time = 11.5", "i = 23, time = 11.5", "i", "(none)"},
        {"Joe's \"best", "Joe's \"best", "best", "(none)"},
        {"water E=-76.3 (B3LYP)", "water E=-76.3 (B3LYP)", "E", "-76.3"},
        {"energy=-1.0", "", "energy", "-1.0"},
        {"name=x energy=-1.0", "x", "energy", "-1.0"},
        {"name=\"\"", "", "name", "(none)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[200];
        fixture f;
        (void)snprintf(text, sizeof text, "1\n%s\nAr 0 0 0\n", cases[i].comment);
        fixture_first(&f, text, SHOAL_FORMAT_XYZ);
        CHECK_TEXT(shoal_molecule_name(f.mol), cases[i].name);
        CHECK_TEXT(fixture_property(&f, cases[i].key), cases[i].value);
        fixture_end(&f);
    }
}

/* One molecule object serves all frames and keeps nothing of the one before. */
static void test_frames(void)
{
    fixture f;
    fixture_first(&f,
                  "\xef\xbb\xbf"
                  "1\nLattice=\"4 0 0 0 5 0 0 0 6\" a=1\nAr 0 0 0\n"
                  "2\n\nNe 0 0 0\nNe 1 0 0\n\n\n0\nnothing\n \n\n",
                  SHOAL_FORMAT_XYZ);
    CHECK(shoal_molecule_is_periodic(f.mol));
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(!shoal_molecule_is_periodic(f.mol));
    CHECK(shoal_molecule_n_atoms(f.mol) == 2);
    CHECK(shoal_molecule_n_properties(f.mol) == 0);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(shoal_molecule_n_atoms(f.mol) == 0);
    CHECK_TEXT(shoal_molecule_name(f.mol), "nothing");
    fixture_end(&f);
    fixture_open(&f, "", SHOAL_FORMAT_XYZ);
    fixture_end(&f);
}

/* Longer than any buffer. */
static void test_long_line(void)
{
    const size_t n = 1000000;
    char *text = malloc(n + 64);
    fixture f;
    CHECK(text != NULL);
    if (!text) return;
    (void)memcpy(text, "1\n", 2);
    memset(text + 2, 'x', n);
    (void)memcpy(text + 2 + n, "\nAr 1 2 3\n", 11);
    fixture_first(&f, text, SHOAL_FORMAT_XYZ);
    CHECK(strlen(shoal_molecule_name(f.mol)) == n);
    fixture_end(&f);
    free(text);
}

static void test_files(void)
{
    fixture f;
    double cell[3][3];
    bool pbc[3];
    fixture_open_file(&f, SHOAL_TEST_DATA "/water_ext.xyz");
    int n = 0;
    while (fixture_next(&f) == SHOAL_OK && f.found) ++n;
    CHECK(n == 2);
    uint64_t done, total;
    shoal_reader_progress(f.reader, &done, &total);
    CHECK(done == total && total > 100);
    fixture_close(&f);
    fixture_open_file(&f, SHOAL_TEST_DATA "/graphene_lvs.xyz");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    shoal_molecule_cell(f.mol, cell, pbc);
    CHECK(pbc[0] && pbc[1] && !pbc[2]);
    CHECK_NEAR(cell[1][1], 2.13042249, 1e-8);
    fixture_end(&f);
}

int main(void)
{
    test_plain();
    test_labels();
    test_charge_column();
    test_extended();
    test_cells();
    test_names();
    test_frames();
    test_long_line();
    test_files();
    return check_done();
}
