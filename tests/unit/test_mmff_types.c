/* SPDX-License-Identifier: BSD-3-Clause
 * MMFFsp3: types, bonds, terms and refusals, by the rules of the original and by the mended ones. */
#include <math.h>

#include "mmff_fixture.h"

/* --- types --------------------------------------------------------------------------------------*/

typedef struct type_case {
    const char *name, *atoms, *bonds, *original;
    const char *own; /* NULL: the same */
} type_case;

/* Table 6.8 of the specification, and what the order of atoms must not matter for. */
static const type_case cases[] = {
    {"water", "O H H", "0-1 0-2", "O_3 H H", "O_3 H_OH H_OH"},
    {"methanol", "C O H H H H", "0-1 0-2 0-3 0-4 1-5", "C_3 O_3 H_CH3 H_CH3 H_CH3 H",
     "C_3 O_3 H_CH3 H_CH3 H_CH3 H_OH"},
    {"ammonia", "N H H H", "0-1 0-2 0-3", "N_3 H_NH2 H_NH2 H_NH2", NULL},
    {"formic acid", "C O O H H", "0=1 0-2 0-3 2-4", "C_COO O_pCOO O_sCOO H H",
     "C_COO O_pCOO O_sCOO H H_OH"},
    {"acetamide", "C C O N H H H H H", "0-1 1=2 1-3 0-4 0-5 0-6 3-7 3-8",
     "C_3 C_ald O_ald N_R H_CH3 H_CH3 H_CH3 H_NH2 H_NH2", NULL},
    {"ethylene", "C C H H H H", "0=1 0-2 0-3 1-4 1-5", "C_2 C_2 H_ene H_ene H_ene H_ene", NULL},
    {"acetylene", "C C H H", "0#1 0-2 1-3", "C_1 C_1 H H", NULL},
    {"hydrogen cyanide", "C N H", "0#1 0-2", "C_1 N_1 H", NULL},
    {"carbon dioxide", "C O O", "0=1 0=2", "C_1 O_2 O_2", NULL},
    {"benzene", "C C C C C C H H H H H H", "0:1 1:2 2:3 3:4 4:5 5:0 0-6 1-7 2-8 3-9 4-10 5-11",
     "C_R C_R C_R C_R C_R C_R H_ene H_ene H_ene H_ene H_ene H_ene", NULL},
    {"butadiene", "C C C C H H H H H H", "0=1 1-2 2=3 0-4 0-5 1-6 2-7 3-8 3-9",
     "C_2 C_R C_R C_2 H_ene H_ene H_ene H_ene H_ene H_ene", NULL},
    {"pyridine", "N C C C C C H H H H H", "0:1 1:2 2:3 3:4 4:5 5:0 1-6 2-7 3-8 4-9 5-10",
     "N_2 C_R C_R C_R C_R C_R H_ene H_ene H_ene H_ene H_ene", NULL},
    {"aniline", "N C C C C C C H H H H H H H",
     "0-1 1:2 2:3 3:4 4:5 5:6 6:1 0-7 0-8 2-9 3-10 4-11 5-12 6-13",
     "N_R C_R C_R C_R C_R C_R C_R H_NH2 H_NH2 H_ene H_ene H_ene H_ene H_ene", NULL},
    {"phenol", "O C C C C C C H H H H H H",
     "0-1 1:2 2:3 3:4 4:5 5:6 6:1 0-7 2-8 3-9 4-10 5-11 6-12",
     "O_3 C_R C_R C_R C_R C_R C_R H H_ene H_ene H_ene H_ene H_ene",
     "O_3 C_R C_R C_R C_R C_R C_R H_OH H_ene H_ene H_ene H_ene H_ene"},
    {"furan", "O C C C C H H H H", "0:1 1:2 2:3 3:4 4:0 1-5 2-6 3-7 4-8",
     "O_3 C_2 C_R C_R C_2 H_ene H_ene H_ene H_ene", NULL},
    {"methyl formate", "C O O C H H H H", "0=1 0-2 2-3 0-4 3-5 3-6 3-7",
     "C_COO O_pCOO O_sCOO C_3 H H_CH3 H_CH3 H_CH3", NULL},
    {"acetone", "C C C O H H H H H H", "0-1 1-2 1=3 0-4 0-5 0-6 2-7 2-8 2-9",
     "C_3 C_ald C_3 O_ald H_CH3 H_CH3 H_CH3 H_CH3 H_CH3 H_CH3", NULL},
    {"methanethiol", "C S H H H H", "0-1 0-2 0-3 0-4 1-5", "C_3 S H_CH3 H_CH3 H_CH3 H", NULL},
    {"chloroethene", "C C Cl H H H", "0=1 1-2 0-3 0-4 1-5", "C_2 C_R Cl H_ene H_ene H_ene",
     "C_2 C_2 Cl H_ene H_ene H_ene"},
    {"formic anhydride", "C O O C O H H", "0=1 0-2 2-3 3=4 0-5 3-6", NULL,
     "C_COO O_pCOO O_sCOO C_COO O_pCOO H H"},
    {"anhydride, oxygen first", "O C C O O H H", "0-1 0-2 1=3 2=4 1-5 2-6", NULL,
     "O_sCOO C_COO C_COO O_pCOO O_pCOO H H"},
    {"methanimine", "N C H H H", "0=1 0-2 1-3 1-4", NULL, "N_2 C_2 H_NH2 H_ene H_ene"},
    {"iodomethane", "I C H H H", "0-1 1-2 1-3 1-4", NULL, "I C_3 H_CH3 H_CH3 H_CH3"},
};

static void check_labels(const type_case *c, const shoal_typing_options *o, const char *want)
{
    char text[CHEM_TEXT];
    const int before = check_failures;
    shoal_molecule *mol = mmff_graph(c->atoms, c->bonds);
    uff u;
    uff_make_typed(&u, mol, o);
    CHECK_TEXT(uff_labels(&u, text), want);
    uff_free(&u);
    shoal_molecule_destroy(mol);
    if (check_failures > before) (void)printf("in %s\n", c->name);
}

static void test_types(void)
{
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        if (cases[k].original) check_labels(&cases[k], &mmff_original, cases[k].original);
        check_labels(&cases[k], &mmff_own, cases[k].own ? cases[k].own : cases[k].original);
    }
}

/* Ions: formal charges do not matter beyond the bonds. */
static void test_ions(void)
{
    char text[CHEM_TEXT];
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *acetate = mmff_graph("C C O O H H H", "0-1 1=2 1-3 0-4 0-5 0-6");
        shoal_molecule *nitro = mmff_graph("C N O O H H H", "0-1 1=2 1-3 0-4 0-5 0-6");
        acetate->formal_charge[3] = nitro->formal_charge[3] = -1;
        nitro->formal_charge[1] = 1;
        acetate->has_formal_charges = nitro->has_formal_charges = true;
        uff u;
        uff_make_typed(&u, acetate, k ? &mmff_own : &mmff_original);
        CHECK_TEXT(uff_labels(&u, text), "C_3 C_ald O_ald O_ald H_CH3 H_CH3 H_CH3");
        uff_free(&u);
        uff_make_typed(&u, nitro, k ? &mmff_own : &mmff_original);
        CHECK_TEXT(uff_labels(&u, text), "C_3 N_R O_2 O_2 H_CH3 H_CH3 H_CH3");
        CHECK(mmff_bond(&u.view, 1, 3)->p[SHOAL_BOND_R0] == 1.415);
        CHECK(mmff_bond(&u.view, 1, 2)->p[SHOAL_BOND_R0] == (k ? 1.243 : 1.415));
        uff_free(&u);
        shoal_molecule_destroy(acetate);
        shoal_molecule_destroy(nitro);
    }
}

int main(void)
{
    test_types();
    test_ions();
    return check_done();
}
