/* SPDX-License-Identifier: BSD-3-Clause
 * Aromatic bonds, unpaired electrons and missing hydrogens of rings, ions and radicals against RDKit's. */
#include <ctype.h>

#include "chem_fixture.h"

enum { MOST_ATOMS = 64 };

/* What a row says of its heavy atoms. */
typedef struct row_atom {
    char symbol[4];
    int32_t n_hydrogen, charge, radicals;
} row_atom;

static int32_t read_atoms(char *text, row_atom *atoms)
{
    int32_t n = 0;
    for (char *word = strtok(text, " "); word && n < MOST_ATOMS; word = strtok(NULL, " ")) {
        row_atom *a = &atoms[n++];
        *a = (row_atom){0};
        int k = 0;
        for (; isalpha((unsigned char)*word) && k < 3; ++word) a->symbol[k++] = *word;
        if (isdigit((unsigned char)*word)) a->n_hydrogen = *word++ - '0';
        for (; *word; ++word) {
            a->charge += (*word == '+') - (*word == '-');
            a->radicals += *word == '*';
        }
    }
    return n;
}

/* The heavy atoms, and their hydrogens if wanted; charges and unpaired electrons as a file would state them. */
static shoal_molecule *make(const row_atom *atoms, int32_t n, const char *bonds, bool hydrogens,
                            bool *aromatic)
{
    static const char signs[] = "?-=#"; /* by order */
    shoal_molecule *mol = chem_new();
    for (int32_t i = 0; i < n; ++i) {
        chem_atom(mol, atoms[i].symbol, 10.0 * i, 0, 0);
        CHECK(shoal_molecule_set_formal_charge(mol, i, atoms[i].charge) == SHOAL_OK);
        if (!hydrogens && atoms[i].radicals)
            CHECK(shoal_molecule_set_radical(mol, i, atoms[i].radicals) == SHOAL_OK);
    }
    for (const char *at = bonds; *at && *at != '\n';) {
        char *end;
        const int32_t i = (int32_t)strtol(at, &end, 10);
        const shoal_bond_order order = (shoal_bond_order)(strchr(signs, *end) - signs);
        const int32_t j = (int32_t)strtol(end + 1, &end, 10);
        aromatic[mol->n_bonds] = *end == ':';
        chem_bond(mol, i, j, order);
        at = end + strspn(end, ": ");
    }
    for (int32_t i = 0; i < n && hydrogens; ++i)
        for (int32_t k = 0; k < atoms[i].n_hydrogen; ++k) {
            chem_atom(mol, "H", 10.0 * i, 1 + k, 0);
            aromatic[mol->n_bonds] = false;
            chem_bond(mol, i, mol->n_atoms - 1, SHOAL_ORDER_SINGLE);
        }
    return mol;
}

static void report(const char *smiles, const char *what, int32_t index, int32_t got)
{
    ++check_failures;
    (void)printf("%s: %s %d is %d\n", smiles, what, (int)index, (int)got);
}

static void check_aromatic(const char *smiles, const row_atom *atoms, int32_t n, const char *bonds)
{
    bool aromatic[4 * MOST_ATOMS], of_atom[MOST_ATOMS] = {false};
    shoal_molecule *mol = make(atoms, n, bonds, true, aromatic);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        if (mol->bonds[b].aromatic != aromatic[b])
            report(smiles, "aromatic bond", b, mol->bonds[b].aromatic);
        if (aromatic[b]) of_atom[mol->bonds[b].i] = of_atom[mol->bonds[b].j] = true;
    }
    for (int32_t i = 0; i < n; ++i) {
        const atom_state *a = &mol->perception->atoms[i];
        if (a->radicals != atoms[i].radicals) report(smiles, "radicals of atom", i, a->radicals);
        if (a->aromatic != of_atom[i]) report(smiles, "aromatic atom", i, a->aromatic);
    }
    shoal_molecule_destroy(mol);
}

static void check_hydrogens(const char *smiles, const row_atom *atoms, int32_t n, const char *bonds)
{
    bool aromatic[4 * MOST_ATOMS];
    int32_t counts[MOST_ATOMS];
    shoal_molecule *mol = make(atoms, n, bonds, false, aromatic);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    (void)shoal_molecule_missing_hydrogens(mol, counts);
    for (int32_t i = 0; i < n; ++i)
        if (counts[i] != atoms[i].n_hydrogen) report(smiles, "hydrogens of atom", i, counts[i]);
    shoal_molecule_destroy(mol);
}

static void test_table(void)
{
    FILE *file = fopen(SHOAL_TEST_DATA "/aromatic.txt", "r");
    static row_atom atoms[MOST_ATOMS];
    char line[2048];
    int32_t n_rows = 0;
    CHECK(file != NULL);
    while (file && fgets(line, sizeof line, file)) {
        char *first = strchr(line, '\t'), *second = first ? strchr(first + 1, '\t') : NULL;
        if (line[0] == '#' || !second) continue;
        *first = *second = '\0';
        const int32_t n = read_atoms(first + 1, atoms);
        check_aromatic(line, atoms, n, second + 1);
        check_hydrogens(line, atoms, n, second + 1);
        ++n_rows;
    }
    CHECK(n_rows > 100);
    if (file) (void)fclose(file);
}

int main(void)
{
    test_table();
    return check_done();
}
