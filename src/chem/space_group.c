/* SPDX-License-Identifier: BSD-3-Clause
 * Space groups and primitive cells of crystals by spglib (A. Togo, K. Shinohara, I. Tanaka, Sci. Technol. Adv. Mater.
 * Meth. 4 (2024) 2384822), which is loaded when it is first wanted. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/library.h"
#include "chem/molecule.h"
#include "geom/lattice.h"

#define TOLERANCE 0.01 /* angstrom */
#define SYMBOL_SIZE 11

/* Of spglib.h, since 1.8: vectors are the columns of the lattice. */
typedef int international_call(char symbol[SYMBOL_SIZE], const double lattice[3][3],
                               const double position[][3], const int types[], int n,
                               double tolerance);
typedef int standardize_call(double lattice[3][3], double position[][3], int types[], int n,
                             int to_primitive, int no_idealize, double tolerance);

static struct {
    international_call *international;
    standardize_call *standardize;
    char failure[LIBRARY_FAILURE_SIZE];
} loaded;

static pthread_mutex_t one_thread = PTHREAD_MUTEX_INITIALIZER; /* it is not said to be safe */

static void load(void)
{
    const library_symbol symbols[] = {{"spg_get_international", &loaded.international},
                                      {"spg_standardize_cell", &loaded.standardize}};
    char beside[LIBRARY_PATH_SIZE];
    const bool found = library_find_beside("libsymspg.so.2", beside);
    const library_request request = {
        .title = "spglib",
        .files = {found ? beside : NULL, "libsymspg.so.2", "libsymspg.so.1"},
        .symbols = symbols,
        .n_symbols = sizeof symbols / sizeof symbols[0]};
    (void)library_load(&request, loaded.failure);
}

static shoal_status need_spglib(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, load) != 0)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "spglib could not be loaded");
    return loaded.failure[0] ? shoal_fail(SHOAL_E_UNSUPPORTED, "%s", loaded.failure) : SHOAL_OK;
}

/* A crystal as spglib takes it. */
typedef struct crystal_arrays {
    double lattice[3][3];
    double (*frac)[3]; /* [4 n] standard cells may have four times the atoms */
    int *kinds;        /* [4 n] */
} crystal_arrays;

static bool is_same_kind(const shoal_molecule *mol, int32_t i, int32_t j)
{
    return mol->element[i] == mol->element[j] && mol->formal_charge[i] == mol->formal_charge[j] &&
           molecule_mark(&mol->isotope, i) == molecule_mark(&mol->isotope, j) &&
           strcmp(mol->type[i], mol->type[j]) == 0 &&
           (!mol->has_charges || fabs(mol->charge[i] - mol->charge[j]) < 1e-3);
}

static void arrays_free(crystal_arrays *a)
{
    free(a->frac);
    free(a->kinds);
}

/* Kinds are named by their first atoms. */
static shoal_status arrays_fill(crystal_arrays *a, const shoal_molecule *mol)
{
    geom_lattice lattice;
    const size_t n = (size_t)mol->n_atoms;
    *a = (crystal_arrays){.frac = shoal_alloc(4 * n, sizeof *a->frac),
                          .kinds = shoal_alloc(4 * n, sizeof *a->kinds)};
    int32_t *first = shoal_alloc(n, sizeof *first), n_first = 0;
    if (!a->frac || !a->kinds || !first ||
        !lattice_init(&lattice, (const double(*)[3])mol->cell, mol->pbc)) {
        free(first);
        return shoal_fail(SHOAL_E_ARGUMENT, "the cell of a crystal has no volume");
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) a->lattice[i][k] = mol->cell[k][i];
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        int32_t k = 0;
        while (k < n_first && !is_same_kind(mol, first[k], i)) ++k;
        if (k == n_first) first[n_first++] = i;
        a->kinds[i] = first[k];
        for (int c = 0; c < 3; ++c) a->frac[i][c] = lattice_fraction(&lattice, mol->pos[i], c);
    }
    free(first);
    return SHOAL_OK;
}

static bool is_crystal(const shoal_molecule *mol)
{
    return mol->n_atoms > 0 && mol->pbc[0] && mol->pbc[1] && mol->pbc[2];
}

shoal_status shoal_molecule_find_space_group(const shoal_molecule *mol, int32_t *number,
                                             char symbol[SYMBOL_SIZE])
{
    crystal_arrays a;
    shoal_clear_error();
    SHOAL_NEED(mol && number && symbol);
    *number = 0;
    symbol[0] = '\0';
    SHOAL_TRY(need_spglib());
    if (!is_crystal(mol)) return SHOAL_OK;
    const shoal_status status = arrays_fill(&a, mol);
    (void)pthread_mutex_lock(&one_thread);
    if (status == SHOAL_OK)
        *number =
            loaded.international(symbol, (const double(*)[3])a.lattice, (const double(*)[3])a.frac,
                                 a.kinds, mol->n_atoms, TOLERANCE);
    (void)pthread_mutex_unlock(&one_thread);
    arrays_free(&a);
    if (status != SHOAL_OK || *number > 0) return status;
    return shoal_fail(SHOAL_E_FORMAT, "spglib finds no space group to within %g A", TOLERANCE);
}

static shoal_status take_primitive(shoal_molecule *mol, const crystal_arrays *a, int n)
{
    static const bool pbc[3] = {true, true, true};
    shoal_molecule *part = NULL;
    double cell[3][3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) cell[k][i] = a->lattice[i][k];
    SHOAL_TRY(shoal_molecule_create(&part));
    shoal_status status = molecule_set_name(part, shoal_span_of(mol->name));
    if (status == SHOAL_OK) status = shoal_molecule_set_cell(part, (const double(*)[3])cell, pbc);
    for (int i = 0; i < n && status == SHOAL_OK; ++i) {
        const int32_t like = a->kinds[i];
        double r[3] = {0, 0, 0};
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < 3; ++c) r[c] += a->frac[i][k] * cell[k][c];
        status = shoal_molecule_add_atom(part, mol->element[like], r);
        if (status != SHOAL_OK) break;
        part->formal_charge[i] = mol->formal_charge[like];
        part->charge[i] = mol->charge[like];
        memcpy(part->type[i], mol->type[like], sizeof part->type[i]);
        status = molecule_set_mark(&part->isotope, i, molecule_mark(&mol->isotope, like));
    }
    part->has_charges = mol->has_charges;
    part->has_formal_charges = mol->has_formal_charges;
    for (int32_t k = 0; k < mol->n_properties && status == SHOAL_OK; ++k)
        status = molecule_add_property(part, shoal_span_of(mol->properties[k].key),
                                       shoal_span_of(mol->properties[k].value));
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, part);
    shoal_molecule_destroy(part);
    return status;
}

shoal_status shoal_molecule_make_primitive(shoal_molecule *mol)
{
    crystal_arrays a;
    int n = 0;
    shoal_clear_error();
    SHOAL_NEED(mol);
    SHOAL_TRY(need_spglib());
    if (!is_crystal(mol)) return SHOAL_OK;
    shoal_status status = arrays_fill(&a, mol);
    (void)pthread_mutex_lock(&one_thread);
    if (status == SHOAL_OK)
        n = loaded.standardize(a.lattice, a.frac, a.kinds, mol->n_atoms, 1, 1, TOLERANCE);
    (void)pthread_mutex_unlock(&one_thread);
    if (status == SHOAL_OK && n <= 0)
        status =
            shoal_fail(SHOAL_E_FORMAT, "spglib finds no primitive cell to within %g A", TOLERANCE);
    if (status == SHOAL_OK && n < mol->n_atoms) status = take_primitive(mol, &a, n);
    arrays_free(&a);
    return status;
}
