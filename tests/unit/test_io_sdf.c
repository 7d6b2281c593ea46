/* SPDX-License-Identifier: BSD-3-Clause
 * Reading SDF, V2000 and V3000, and its data fields. */
#include "io_fixture.h"

static void test_file(void)
{
    fixture f;
    fixture_open_file(&f, SHOAL_TEST_DATA "/glycine.sdf");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "glycine zwitterion");
    CHECK(shoal_molecule_n_atoms(f.mol) == 10);
    CHECK(shoal_molecule_n_bonds(f.mol) == 9);
    CHECK(shoal_molecule_elements(f.mol)[0] == 7);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[9][2], 0.818, 0);
    CHECK(shoal_molecule_formal_charges(f.mol)[0] == 1);
    CHECK(shoal_molecule_formal_charges(f.mol)[4] == -1);
    CHECK(shoal_molecule_bonds(f.mol)[2].order == SHOAL_ORDER_DOUBLE);
    CHECK_TEXT(fixture_property(&f, "id"), "7");
    CHECK_TEXT(fixture_property(&f, "note"), "first line\nsecond line");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "benzene");
    CHECK(shoal_molecule_bonds(f.mol)[0].order == SHOAL_ORDER_AROMATIC);
    CHECK(shoal_molecule_n_properties(f.mol) == 0);
    fixture_end(&f);
}

/* The counts line of n atoms and m bonds follows a name and two empty lines. */
#define HEAD(counts) "x\n\n\n" counts "  0  0  0  0  0  0  0  0999 V2000\n"
#define ATOM(symbol, code) "    0.0000    1.0000   -2.5000 " symbol " 0  " code "  0\n"

/* The same from lines in their usual form and from those that fill a column. */
static void test_charge_codes(void)
{
    static const int32_t want[] = {0, 3, 2, 1, 0, -1, -2, -3};
    static const char *const lines[] = {"    0.0000    1.0000   -2.5000 C   0  %d  0\n",
                                        "-1000.0000    1.0000   -2.5000 C   0  %d  0\n"};
    for (int form = 0; form < 2; ++form) {
        char text[1024];
        int used = snprintf(text, sizeof text, "%s", HEAD("  8  0"));
        for (int k = 0; k < 8; ++k)
            used += snprintf(text + used, sizeof text - (size_t)used, lines[form], k);
        (void)snprintf(text + used, sizeof text - (size_t)used, "M  END\n");
        fixture f;
        fixture_first(&f, text, SHOAL_FORMAT_SDF);
        for (int i = 0; i < 8; ++i) {
            CHECK(shoal_molecule_formal_charges(f.mol)[i] == want[i]);
            CHECK(shoal_molecule_radicals(f.mol)[i] == (i == 4));
        }
        fixture_end(&f);
    }
}

/* Old files give masses as differences from -3 to 4; other numbers mean nothing. */
static void test_mass_differences(void)
{
    for (int difference = -5; difference <= 6; ++difference) {
        char text[256];
        fixture f;
        (void)snprintf(text, sizeof text,
                       HEAD("  1  0") "    0.0000    1.0000   -2.5000 C  %2d  0  0\nM  END\n",
                       difference);
        fixture_first(&f, text, SHOAL_FORMAT_SDF);
        const bool means = difference != 0 && difference >= -3 && difference <= 4;
        CHECK(shoal_molecule_isotope(f.mol, 0) == (means ? 12 + difference : 0));
        fixture_end(&f);
    }
}

static void test_property_lines(void)
{
    fixture f;
    fixture_first(
        &f,
        HEAD("  4  2") ATOM("N  ", "5") ATOM("D  ", "0") ATOM("cl ", "3") ATOM(
            "O  ", "0") "  1  2  1  0\n  1  3  9\nM  ISO  1   1  15\nA    1\nM  END\n"
                        "M  RAD  3   1   1   2   2   4   3\nM  CHG  1   3  -2\nS  SKP  1\nM  END\n"
                        "V    1 x\nM  STY  1   1 DAT\nM  END\n",
        SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_formal_charges(f.mol)[0] == 0);
    CHECK(shoal_molecule_formal_charges(f.mol)[2] == -2);
    CHECK(shoal_molecule_radicals(f.mol)[0] == 2);
    CHECK(shoal_molecule_radicals(f.mol)[1] == 1);
    CHECK(shoal_molecule_radicals(f.mol)[3] == 2);
    CHECK(shoal_molecule_elements(f.mol)[1] == 1);
    CHECK(shoal_molecule_elements(f.mol)[2] == 17);
    CHECK(shoal_molecule_bonds(f.mol)[1].order == SHOAL_ORDER_DATIVE);
    CHECK(shoal_molecule_bonds(f.mol)[1].i == 0 && shoal_molecule_bonds(f.mol)[1].j == 2);
    fixture_end(&f);
}

#define ONE HEAD("  1  0") ATOM("Ar ", "0") "M  END\n"

static void test_data_fields(void)
{
    fixture f;
    fixture_first(&f,
                  ONE ">  25  <a key> (x)\n1.5\n\n> <multi>\n line 1\n\nline 3\n\n\n"
                      "> <empty>\n\n>DT12\nv\n> <tight>\n> 5\r\n\r\n> <x>y>\n2\n\n$$$$\n\n\n",
                  SHOAL_FORMAT_SDF);
    CHECK_TEXT(fixture_property(&f, "a key"), "1.5");
    CHECK_TEXT(fixture_property(&f, "multi"), " line 1\n\nline 3");
    CHECK_TEXT(fixture_property(&f, "empty"), "");
    CHECK_TEXT(fixture_property(&f, "DT12"), "v");
    CHECK_TEXT(fixture_property(&f, "x>y"), "2");
    fixture_end(&f);
}

static void test_known_fields(void)
{
    fixture f;
    double cell[3][3];
    bool pbc[3];
    fixture_first(
        &f,
        HEAD("  2  0") ATOM("Na ", "0") ATOM(
            "Cl ",
            "0") "M  END\n"
                 "> <atom.dprop.PartialCharge>\n0.9\n-0.9\n\n> <Lattice>\n4 0 0 0 5 0 0 0 0\n\n"
                 "> <pbc>\nT T F\n\n$$$$\n" HEAD("  2  0") ATOM("Na ", "0")
                     ATOM("Cl ", "0") "M  END\n"
                                      "> <partial_charges>\n0.9 n/a\n\n$$$$\n",
        SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_charges(f.mol) && shoal_molecule_charges(f.mol)[1] == -0.9);
    CHECK_TEXT(fixture_property(&f, "atom.dprop.PartialCharge"), "0.9\n-0.9");
    CHECK_TEXT(fixture_property(&f, "Lattice"), "(none)");
    shoal_molecule_cell(f.mol, cell, pbc);
    CHECK(pbc[0] && pbc[1] && !pbc[2] && cell[1][1] == 5);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(shoal_molecule_charges(f.mol) == NULL);
    CHECK(!shoal_molecule_is_periodic(f.mol));
    fixture_end(&f);
}

static void test_v3000(void)
{
    fixture f;
    fixture_first(&f,
                  "big\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n"
                  "M  V30 COUNTS 3 2 1 0 0\nM  V30 BEGIN ATOM\n"
                  "M  V30 10 Fe 1.5 -2 3e1 0 CHG=2 RAD=3\nM  V30 20 N 0 0 0 -\nM  V30 0 CHG=-\n"
                  "M  V30 -1\nM  V30 5 H 0 0 1.25 0 CFG=1\nM  V30 END ATOM\nM  V30 BEGIN BOND\n"
                  "M  V30 1 9 20 10\nM  V30 2 1 20 5 CFG=1\nM  V30 END BOND\n"
                  "M  V30 BEGIN SGROUP\nM  V30 1 DAT 0 ATOMS=(1 10)\nM  V30 END SGROUP\n"
                  "M  V30 BEGIN COLLECTION\nM  V30 MDLV30/STEABS ATOMS=(1 10)\n"
                  "M  V30 END COLLECTION\nM  V30 END CTAB\nM  END\n> <k>\nv\n\n$$$$\n" ONE,
                  SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_n_atoms(f.mol) == 3);
    CHECK(shoal_molecule_elements(f.mol)[0] == 26);
    CHECK_NEAR(shoal_molecule_positions(f.mol)[0][2], 30, 0);
    CHECK(shoal_molecule_formal_charges(f.mol)[0] == 2);
    CHECK(shoal_molecule_formal_charges(f.mol)[1] == -1);
    CHECK(shoal_molecule_radicals(f.mol)[0] == 2);
    const shoal_bond *bonds = shoal_molecule_bonds(f.mol);
    CHECK(bonds[0].i == 1 && bonds[0].j == 0 && bonds[0].order == SHOAL_ORDER_DATIVE);
    CHECK(bonds[1].i == 1 && bonds[1].j == 2 && bonds[1].order == SHOAL_ORDER_SINGLE);
    CHECK_TEXT(fixture_property(&f, "k"), "v");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(shoal_molecule_elements(f.mol)[0] == 18);
    fixture_end(&f);
}

/* Lists of atoms for queries, as many as the counts line says, are passed over. */
static void test_atom_lists(void)
{
    fixture f;
    fixture_first(&f,
                  "x\n\n\n  1  0  2  0  0  0  0  0  0  0999 V2000\n" ATOM(
                      "O  ", "0") "  1 F    2   7   8\n  1 T    1   6\nM  END\n",
                  SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_n_atoms(f.mol) == 1 && shoal_molecule_elements(f.mol)[0] == 8);
    fixture_end(&f);
}

/* Nothing in front of the counts line, no version on it. */
static void test_bare(void)
{
    fixture f;
    fixture_first(&f, "\n\n\n  1  0\n    0.0000    0.0000    0.0000 Xe\nM  END", SHOAL_FORMAT_SDF);
    CHECK_TEXT(shoal_molecule_name(f.mol), "");
    CHECK(shoal_molecule_elements(f.mol)[0] == 54);
    fixture_end(&f);
    fixture_first(&f, HEAD("  0  0") "M  END\n$$$$\n", SHOAL_FORMAT_SDF);
    CHECK(shoal_molecule_n_atoms(f.mol) == 0);
    fixture_end(&f);
}

int main(void)
{
    test_file();
    test_charge_codes();
    test_mass_differences();
    test_property_lines();
    test_data_fields();
    test_known_fields();
    test_v3000();
    test_atom_lists();
    test_bare();
    return check_done();
}
