/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules written as short texts or made by arithmetic, for the tests of src/chem and src/ff. */
#ifndef SHOAL_TESTS_CHEM_FIXTURE_H
#define SHOAL_TESTS_CHEM_FIXTURE_H

#include <stdlib.h>

#include "check.h"
#include "chem/molecule.h"
#include "chem/perceive.h"
#include "shoal/shoal.h"

static inline shoal_molecule *chem_new(void)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    return mol;
}

static inline void chem_atom(shoal_molecule *mol, const char *symbol, double x, double y, double z)
{
    const double pos[3] = {x, y, z};
    CHECK(shoal_molecule_add_atom(mol, shoal_element_number(symbol), pos) == SHOAL_OK);
}

static inline void chem_bond(shoal_molecule *mol, int32_t i, int32_t j, shoal_bond_order order)
{
    CHECK(shoal_molecule_add_bond(mol, i, j, order, NULL) == SHOAL_OK);
}

/* n atoms of one element at different places that mean nothing. */
static inline shoal_molecule *chem_atoms(const char *symbol, int32_t n)
{
    shoal_molecule *mol = chem_new();
    for (int32_t i = 0; i < n; ++i) chem_atom(mol, symbol, 10.0 * i, 0, 0);
    return mol;
}

/* Carbon atoms and the bonds between them: "0-1 1-2 2-0", all of one order. */
static inline shoal_molecule *chem_skeleton(int32_t n, const char *bonds, shoal_bond_order order)
{
    shoal_molecule *mol = chem_atoms("C", n);
    for (const char *at = bonds; *at;) {
        char *end;
        const long i = strtol(at, &end, 10), j = strtol(end + 1, &end, 10);
        chem_bond(mol, (int32_t)i, (int32_t)j, order);
        at = end + strspn(end, " ");
    }
    return mol;
}

/* Bonds as they are drawn: "0=1 0-2 0-3". */
static inline shoal_molecule *chem_draw(shoal_molecule *mol, const char *bonds)
{
    static const char signs[] = "?-=#"; /* by order */
    for (const char *at = bonds; *at;) {
        char *end;
        const int32_t i = (int32_t)strtol(at, &end, 10);
        const char *sign = strchr(signs, *end);
        const int32_t j = (int32_t)strtol(end + 1, &end, 10);
        chem_bond(mol, i, j, (shoal_bond_order)(sign - signs));
        at = end + strspn(end, " ");
    }
    return mol;
}

/* Atoms by their symbols, "C O H H", at places that mean nothing, and bonds between them. */
static inline shoal_molecule *chem_drawn(const char *atoms, const char *bonds)
{
    shoal_molecule *mol = chem_new();
    char symbol[4];
    int used;
    for (; sscanf(atoms, "%3s%n", symbol, &used) == 1; atoms += used)
        chem_atom(mol, symbol, 3.0 * mol->n_atoms, mol->n_atoms % 3, mol->n_atoms % 5);
    return chem_draw(mol, bonds);
}

/* Atoms with their places, "O 0 0 0 H 0.96 0 0", and bonds between them. */
static inline shoal_molecule *chem_placed(const char *atoms, const char *bonds)
{
    shoal_molecule *mol = chem_new();
    char symbol[4];
    double x, y, z;
    int used;
    for (; sscanf(atoms, "%3s %lf %lf %lf%n", symbol, &x, &y, &z, &used) == 4; atoms += used)
        chem_atom(mol, symbol, x, y, z);
    return chem_draw(mol, bonds);
}

/* Reads one frame of extended xyz. */
static inline shoal_molecule *chem_xyz(const char *text)
{
    shoal_molecule *mol = chem_new();
    shoal_reader *reader;
    bool found = false;
    CHECK(shoal_reader_open_memory(&reader, text, strlen(text), "text", SHOAL_FORMAT_XYZ) ==
          SHOAL_OK);
    CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
    shoal_reader_destroy(reader);
    return mol;
}

static inline void chem_cell(shoal_molecule *mol, const double cell[3][3], int n_periodic)
{
    const bool pbc[3] = {n_periodic > 0, n_periodic > 1, n_periodic > 2};
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
}

/* The atoms and the cell of a molecule, without bonds and charges; atom i of the result is atom
 * order[i] of src, or atom i if order is NULL. */
static inline shoal_molecule *chem_bare(const shoal_molecule *src, const int32_t *order)
{
    shoal_molecule *mol = chem_new();
    for (int32_t i = 0; i < src->n_atoms; ++i) {
        const int32_t from = order ? order[i] : i;
        CHECK(shoal_molecule_add_atom(mol, src->element[from], src->pos[from]) == SHOAL_OK);
    }
    if (shoal_molecule_is_periodic(src))
        CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])src->cell, src->pbc) == SHOAL_OK);
    return mol;
}

/* In [0, n): Knuth's MMIX generator. */
static inline int32_t chem_random(uint64_t *seed, int32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((*seed >> 33) % (uint64_t)n);
}

static inline void chem_shuffle(int32_t *order, int32_t n, uint64_t *seed)
{
    for (int32_t i = 0; i < n; ++i) order[i] = i;
    for (int32_t i = n - 1; i > 0; --i) {
        const int32_t k = chem_random(seed, i + 1), old = order[i];
        order[i] = order[k];
        order[k] = old;
    }
}

/* Order of the bond between two atoms, -1 without one. */
static inline int32_t chem_order(const shoal_molecule *mol, int32_t i, int32_t j)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *e = &mol->bonds[b];
        if ((e->i == i && e->j == j) || (e->i == j && e->j == i)) return e->order;
    }
    return -1;
}

static inline void chem_perceive(shoal_molecule *mol, int32_t total_charge)
{
    const shoal_perceive_options options = {.total_charge = total_charge};
    CHECK(shoal_molecule_perceive(mol, &options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
}

#define CHEM_TEXT 4096

static inline int chem_compare_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Valences of a perceived molecule as sorted words, hydrogen with one partner left out: symbol,
 * valence, one + or - per charge, one * per unpaired electron, one > per donated pair. Resonance
 * structures have the same text. */
static inline const char *chem_valences(const shoal_molecule *mol, char text[CHEM_TEXT])
{
    static char words[256][32];
    int32_t n = 0;
    for (int32_t i = 0; i < mol->n_atoms && n < 256; ++i) {
        const atom_state *a = &mol->perception->atoms[i];
        const int32_t charge = mol->formal_charge[i];
        if (mol->element[i] == 1 && graph_degree(&mol->perception->graph, i) == 1) continue;
        int used =
            snprintf(words[n], 16, "%s%d", shoal_element_symbol(mol->element[i]), a->valence);
        for (int32_t k = 0; k < abs(charge) && used < 30; ++k)
            words[n][used++] = charge > 0 ? '+' : '-';
        for (int32_t k = 0; k < a->radicals && used < 30; ++k) words[n][used++] = '*';
        for (int32_t k = 0; k < a->n_dative && used < 30; ++k) words[n][used++] = '>';
        words[n++][used] = '\0';
    }
    qsort(words, (size_t)n, sizeof words[0], chem_compare_words);
    text[0] = '\0';
    for (int32_t k = 0, used = 0; k < n; ++k)
        used += snprintf(text + used, CHEM_TEXT - (size_t)used, "%s%s", k ? " " : "", words[k]);
    return text;
}

#endif
