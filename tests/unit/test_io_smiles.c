/* SPDX-License-Identifier: BSD-3-Clause
 * SMILES: atoms, hydrogens, orders, configurations, names, and what is wrong with bad ones. */
#include "io_fixture.h"

#include "chem/molecule.h"

/* The first molecule of a text; sums of what it has. */
static fixture read(const char *text)
{
    fixture f;
    fixture_first(&f, text, SHOAL_FORMAT_SMILES);
    return f;
}

static int32_t count_element(const shoal_molecule *mol, int32_t z)
{
    int32_t n = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) n += mol->element[i] == z;
    return n;
}

static void check_hydrogens(void)
{
    static const struct {
        const char *smiles;
        int32_t n_h;
    } rows[] = {
        {"CCO", 6},
        {"C", 4},
        {"[CH3]", 3},
        {"[NH4+]", 4},
        {"N(=O)=O", 0},
        {"S(=O)(=O)O", 2},
        {"OS(=O)(=O)O", 2},
        {"P", 3},
        {"OP(=O)(O)O", 3},
        {"c1ccccc1", 6},
        {"c1cc[nH]c1", 5},
        {"c1ccncc1", 5},
        {"c1ccoc1", 4},
        {"c1ccccc1c1ccccc1", 10},
        {"[H][H]", 2},
        {"[2H]C", 4},
        {"Br", 1},
        {"B", 3},
        {"C[N+](C)(C)C", 12},
        {"O=c1cc[nH]cc1", 5},
        {"[Na+].[Cl-]", 0},
        {"C%12CCCC%12", 10},
        {"C1CC=1", 4},
        {"c1ccc2ccccc2c1", 8},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        fixture f = read(rows[k].smiles);
        const int32_t n = count_element(f.mol, 1);
        if (n != rows[k].n_h) (void)printf("%s: %d hydrogens\n", rows[k].smiles, n);
        CHECK(n == rows[k].n_h);
        CHECK(shoal_molecule_perceive(f.mol, NULL) == SHOAL_OK);
        CHECK(shoal_molecule_missing_hydrogens(f.mol, NULL) == 0);
        CHECK(shoal_molecule_geometry(f.mol) == SHOAL_GEOMETRY_NONE);
        fixture_end(&f);
    }
}

static void check_atoms(void)
{
    fixture f = read("[13CH3:7][O-:2]\ta name of words \n");
    CHECK_TEXT(shoal_molecule_name(f.mol), "a name of words");
    CHECK_TEXT(shoal_molecule_property(f.mol, "smiles"), "[13CH3:7][O-:2]");
    CHECK_TEXT(shoal_molecule_property(f.mol, "atom_maps"), "1:7 2:2");
    CHECK(shoal_molecule_isotope(f.mol, 0) == 13);
    CHECK(f.mol->formal_charge[1] == -1);
    fixture_end(&f);
    f = read("[CH2]C#[N+][Fe+++]");
    CHECK_TEXT(shoal_molecule_name(f.mol), "[CH2]C#[N+][Fe+++]");
    CHECK(f.mol->radical[0] == 1);
    CHECK(f.mol->formal_charge[3] == 3);
    CHECK(f.mol->bonds[1].order == SHOAL_ORDER_TRIPLE);
    fixture_end(&f);
    f = read("[CH-2]F"); /* charges as signs and numbers */
    CHECK(f.mol->formal_charge[0] == -2);
    fixture_end(&f);
}

/* The same molecule written in different ways has the same marks where the numbers of its atoms agree. */
static void check_centres(void)
{
    static const struct {
        const char *smiles;
        int32_t atom, mark;
    } rows[] = {
        {"N[C@](F)(Cl)Br", 1, 1},   {"N[C@@](F)(Cl)Br", 1, -1},
        {"N[C@@](F)(Br)Cl", 1, -1}, {"N[C@TH2](F)(Cl)Br", 1, -1},
        {"N[C@H](F)Cl", 1, 1}, /* the hydrogen moves behind two others */
        {"[C@H](N)(F)Cl", 0, -1},   {"[C@](N)(F)(Cl)Br", 0, 1},
        {"[C@]1(F)(Cl)NO1", 0, -1}, /* the ring closure stands first but bonds to the last: three swaps */
        {"C[C@H]=CC", 1, 0},        /* a plane has no configuration */
        {"C[S@](=O)N", 1, 1},       {"F[C@]([2H])(Cl)Br", 1, 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        fixture f = read(rows[k].smiles);
        const int32_t mark = molecule_mark(&f.mol->stereo, rows[k].atom);
        if (mark != rows[k].mark) (void)printf("%s: %d\n", rows[k].smiles, mark);
        CHECK(mark == rows[k].mark);
        fixture_end(&f);
    }
}

static void check_double_bonds(void)
{
    static const struct {
        const char *smiles;
        int32_t bond, mark;
    } rows[] = {
        {"F/C=C/F", 1, -1},         {"F/C=C\\F", 1, 1},
        {"F\\C=C\\F", 1, -1},       {"C(\\F)=C/F", 1, -1}, /* a branch points the other way */
        {"F/C=CF", 1, 0},           {"FC=CF", 1, 0},
        {"F/C(Cl)=C(/F)Cl", 2, -1}, {"FC(\\Cl)=C(/F)Cl", 2, 1}, /* the mark is of another partner */
        {"F/C=C/1CCCC1", 1, 1}, /* a symbol at a ring closure points to its other end */
        {"F/C=C1/CCCO1", 1, -1},    {"C/C=N/O", 1, -1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        fixture f = read(rows[k].smiles);
        const int32_t mark = molecule_mark(&f.mol->cis_trans, rows[k].bond);
        if (mark != rows[k].mark) (void)printf("%s: %d\n", rows[k].smiles, mark);
        CHECK(mark == rows[k].mark);
        fixture_end(&f);
    }
}

/* A biphenyl's middle bond is single although both atoms are aromatic; that of a fused ring need not be. */
static void check_orders(void)
{
    fixture f = read("c1ccccc1c1ccccc1");
    CHECK(f.mol->bonds[6].order == SHOAL_ORDER_SINGLE);
    int32_t n_double = 0;
    for (int32_t b = 0; b < f.mol->n_bonds; ++b)
        n_double += f.mol->bonds[b].order == SHOAL_ORDER_DOUBLE;
    CHECK(n_double == 6);
    fixture_end(&f);
}

static void check_refusals(void)
{
    static const struct {
        const char *smiles, *text;
    } rows[] = {
        {"C1CC", "text:1: open ring closure in column 2 ('C1CC'), expected the same number again"},
        {"CXC",
         "text:1: unknown symbol in column 2 ('CXC'), expected an atom, a bond, a branch or a "
         "ring closure"},
        {"C(C", "text:1: open branch at the end in column 3 ('C(C'), expected ')'"},
        {"CC)", "text:1: ')' without '(' in column 3 ('CC)'), expected an open branch"},
        {"C=", "text:1: bond without a second atom in column 2 ('C='), expected an atom behind it"},
        {"C.", "text:1: dot at the end in column 2 ('C.'), expected an atom behind it"},
        {"[Zz]", "text:1: unknown element in column 2 ('[Zz]'), expected the symbol of an element"},
        {"[CH", "text:1: unexpected text in brackets in column 4 ('[CH'), expected ']'"},
        {"C11", "text:1: ring closure to a bonded atom in column 3 ('C11'), expected two atoms "
                "without a bond"},
        {"C=1CC#1", "text:1: ring closure of two bonds in column 7 ('C=1CC#1'), expected the same "
                    "bond at both ends"},
        {"c1cccc1",
         "text:1: bad SMILES ('c1cccc1'): the bonds have no Kekule structure: atom 4 (C, "
         "charge 0) needs a double bond and finds no partner"},
        {"CC=[C@]=CC", "text:1: configuration of an allene, which is not read in column 4 "
                       "('CC=[C@]=CC'), expected no mark, which leaves it open"},
        {"C[C@](F)", "text:1: configuration of an atom that cannot have one in column 2 "
                     "('C[C@](F)'), expected three or four partners, no more than one of them a "
                     "hydrogen"},
        {"F/C(\\Cl)=C/F",
         "text:1: both partners of a double bond on one side in column 3 "
         "('F/C(\\Cl)=C/F'), expected one with / and one with \\ as seen from the atom"},
        {"C[C@AL1](F)Cl", "text:1: configuration that is not tetrahedral in column 4 "
                          "('C[C@AL1](F)Cl'), expected @ or @@"},
        {"*C", "text:1: unknown symbol in column 1 ('*C'), expected an atom, a bond, a branch or a "
               "ring closure"},
        {"C%1C", "text:1: bad ring closure in column 2 ('C%1C'), expected a digit, or % and two "
                 "digits"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        fixture f;
        fixture_open(&f, rows[k].smiles, SHOAL_FORMAT_SMILES);
        CHECK(shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_E_FORMAT);
        CHECK_TEXT(shoal_error_text(), rows[k].text);
        fixture_close(&f);
    }
}

/* A bad line costs only itself; blank lines and a heading are none. */
static void check_lines(void)
{
    fixture f;
    fixture_open(&f, "SMILES Name\n\nC methane\r\n  \nC( bad\nO\n\n", SHOAL_FORMAT_SMILES);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "methane");
    CHECK(shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_E_FORMAT);
    CHECK(strncmp(shoal_error_text(), "text:5: ", 8) == 0);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(f.mol->element[0] == 8);
    fixture_end(&f);
}

int main(void)
{
    check_hydrogens();
    check_atoms();
    check_centres();
    check_double_bonds();
    check_orders();
    check_refusals();
    check_lines();
    return check_done();
}
