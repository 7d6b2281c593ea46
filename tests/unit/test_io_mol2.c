/* SPDX-License-Identifier: BSD-3-Clause
 * Reading mol2. */
#include "io_fixture.h"

static void test_file(void)
{
    fixture f;
    fixture_open_file(&f, SHOAL_TEST_DATA "/formamide.mol2");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "formamide");
    CHECK(shoal_molecule_n_atoms(f.mol) == 6);
    CHECK(shoal_molecule_elements(f.mol)[2] == 7);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[5][0], -1.71, 0);
    CHECK_NEAR(shoal_molecule_charges(f.mol)[2], -0.73, 0);
    CHECK(shoal_molecule_n_bonds(f.mol) == 5);
    CHECK(shoal_molecule_bonds(f.mol)[0].order == SHOAL_ORDER_DOUBLE);
    CHECK(shoal_molecule_bonds(f.mol)[1].order == SHOAL_ORDER_SINGLE);
    fixture_end(&f);
}

static void test_records(void)
{
    fixture f;
    fixture_first(
        &f,
        "\n# remark\n@<TRIPOS>MOLECULE\n****\n 3 4\nSMALL\nNO_CHARGES\n****\na comment\n\n"
        "@<TRIPOS>DICT\nPROTEIN PROTEIN\n@<TRIPOS>ATOM\n# remark\n\n"
        " 30 C1 0 0 0 C.ar\n 10 BR 1 0 0 Br 1 RES 0.5\n 20 ZN 2 0 0 ZN 1\n@<TRIPOS>BOND\n"
        "1 30 10 ar\n2 10 20 un BACKBONE\n3 20 30 nc\n4 20 30 du\n"
        "@<TRIPOS>SUBSTRUCTURE\n1 RES 1\n@<TRIPOS>MOLECULE\nsecond\n1\nSMALL\nGASTEIGER\n"
        "@<TRIPOS>ATOM\n1 O 0 0 0 O.3 1 A -0.5\n",
        SHOAL_FORMAT_MOL2);
    CHECK_TEXT(shoal_molecule_name(f.mol), "");
    CHECK(shoal_molecule_charges(f.mol) == NULL);
    CHECK(shoal_molecule_elements(f.mol)[1] == 35);
    CHECK(shoal_molecule_elements(f.mol)[2] == 30);
    CHECK(shoal_molecule_n_bonds(f.mol) == 3);
    const shoal_bond *bonds = shoal_molecule_bonds(f.mol);
    CHECK(bonds[0].i == 0 && bonds[0].j == 1 && bonds[0].order == SHOAL_ORDER_AROMATIC);
    CHECK(bonds[1].i == 1 && bonds[1].j == 2 && bonds[1].order == SHOAL_ORDER_UNKNOWN);
    CHECK(bonds[2].i == 2 && bonds[2].j == 0 && bonds[2].order == SHOAL_ORDER_UNKNOWN);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "second");
    CHECK_NEAR(shoal_molecule_charges(f.mol)[0], -0.5, 0);
    CHECK(shoal_molecule_n_bonds(f.mol) == 0);
    fixture_end(&f);
}

/* Lines that end with a backslash go on in the next one. */
static void test_continued(void)
{
    fixture f;
    fixture_first(&f,
                  "@<TRIPOS>MOLECULE\na long \\\nname\n2 \\\r\n 1\nSMALL\nUSER_\\\nCHARGES\n"
                  "@<TRIPOS>SET\nS STATIC ATOMS\n2 1 \\\n2\n"
                  "@<TRIPOS>ATOM\n1 C1 1.5 2.5\\\n3.5 C.3 \\  \n  1 RES\\\n\\\n0.25\n# remark \\\n"
                  "2 C2 0 0 0 C.3 1 RES -0.25\n@<TRIPOS>BOND\n1 1\\\n2 1\n"
                  "@<TRIPOS>CRYSIN\n3 4 5 \\\n90 90 90 1 1\n",
                  SHOAL_FORMAT_MOL2);
    CHECK_TEXT(shoal_molecule_name(f.mol), "a long name");
    CHECK(shoal_molecule_n_atoms(f.mol) == 2 && shoal_molecule_n_bonds(f.mol) == 1);
    CHECK(shoal_molecule_positions(f.mol)[0][1] == 2.5);
    CHECK(shoal_molecule_positions(f.mol)[0][2] == 3.5);
    CHECK(shoal_molecule_charges(f.mol)[0] == 0.25 && shoal_molecule_charges(f.mol)[1] == -0.25);
    CHECK(shoal_molecule_is_periodic(f.mol));
    fixture_end(&f);
}

static void test_crystal(void)
{
    fixture f;
    double c[3][3];
    bool pbc[3];
    fixture_first(&f,
                  "@<TRIPOS>MOLECULE\nx\n1 0\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 A 0 0 0 Na\n"
                  "@<TRIPOS>CRYSIN\n3.0 4.0 5.0 80.0 90 120 1 1\n",
                  SHOAL_FORMAT_MOL2);
    shoal_molecule_cell(f.mol, c, pbc);
    CHECK(pbc[0] && pbc[1] && pbc[2]);
    CHECK(c[0][0] == 3 && c[0][1] == 0 && c[0][2] == 0 && c[2][0] == 0);
    CHECK_NEAR(c[1][0], -2.0, 1e-14);
    CHECK_NEAR(sqrt(c[1][0] * c[1][0] + c[1][1] * c[1][1]), 4.0, 1e-14);
    CHECK_NEAR(sqrt(c[2][1] * c[2][1] + c[2][2] * c[2][2]), 5.0, 1e-14);
    CHECK_NEAR(c[1][1] * c[2][1], 20.0 * cos(80.0 * acos(-1.0) / 180.0), 1e-12);
    fixture_end(&f);
}

/* Any angles: lengths and scalar products are those that the record names. */
static void test_triclinic(void)
{
    static const double want[3][3] = {
        {4, 60, 75}, {5, 80, 60}, {6, 75, 80}}; /* a, then angles to b, c */
    const double radian = acos(-1.0) / 180.0;
    fixture f;
    double c[3][3];
    bool pbc[3];
    fixture_first(&f,
                  "@<TRIPOS>MOLECULE\nx\n1 0\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n1 A 0 0 0 Na\n"
                  "@<TRIPOS>CRYSIN\n4 5 6 80 75 60 1 1\n",
                  SHOAL_FORMAT_MOL2);
    shoal_molecule_cell(f.mol, c, pbc);
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            double dot = 0.0;
            for (int x = 0; x < 3; ++x) dot += c[i][x] * c[j][x];
            const double gone = i == j ? 1.0 : cos(want[i][j == i + 1 ? 1 : 2] * radian);
            CHECK_NEAR(dot, want[i][0] * want[j][0] * gone, 1e-12);
        }
    CHECK(c[0][1] == 0 && c[0][2] == 0 && c[1][2] == 0 && c[2][2] > 0);
    fixture_end(&f);
}

int main(void)
{
    test_file();
    test_records();
    test_continued();
    test_crystal();
    test_triclinic();
    return check_done();
}
