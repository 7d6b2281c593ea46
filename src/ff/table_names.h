/* SPDX-License-Identifier: BSD-3-Clause
 * What the atoms of a molecule are called in tables of atom types. */
#ifndef SHOAL_FF_TABLE_NAMES_H
#define SHOAL_FF_TABLE_NAMES_H

#include "base/arena.h"
#include "chem/graph.h"
#include "shoal/atom_types.h"

/* UFF's labels (labels[n_atoms]), but hydrogens by their neighbour, and planar nitrogens by what the lone
 * pair does: N_2 with two neighbours (pyridine, imine), N_R with three (amide). */
void table_name(const shoal_molecule *mol, const graph *g, const char *const *labels, int32_t atom,
                char out[SHOAL_TYPE_NAME_SIZE]);
/* The same with more of the neighbourhood behind it: the number of hydrogens of N, O, S and P (O_3h1), x for carbon beside
 * other elements than C and H and for its hydrogens (C_3x, H_C3x); nothing where there is none. */
void table_finer_name(const shoal_molecule *mol, const graph *g, const char *name, int32_t atom,
                      char out[SHOAL_TYPE_NAME_SIZE]);
/* True for the name of such a finer type and that of its parent. */
bool table_is_finer(const char *name, const char *parent);
/* For every atom the charge of the molecule that it belongs to: parts that no bond joins are molecules of
 * their own. NULL without memory. */
const int32_t *table_charges(const shoal_molecule *mol, const graph *g, arena *memory);
/* The same with the sign of an ion behind it. */
void table_ion_name(int32_t charge, const char *name, char out[SHOAL_TYPE_NAME_SIZE]);
/* True for atoms whose type differs in an ion: all but carbon and what it bears of hydrogen. */
bool table_is_polar(const shoal_molecule *mol, const graph *g, int32_t atom);

#endif
