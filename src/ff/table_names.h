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
/* The same with more of the neighbourhood behind it; nothing where there is nothing. N, O, S, P and halogens: the number of
 * their hydrogens and x beside other elements than C and H (O_3h1, N_3h2x). Carbon and its hydrogens: how many such
 * neighbours the carbon has (C_3x, C_Rx2, H_C3x). Hydrogens of N and O: p on a planar atom (H_Op), h2 and h3 of water and
 * ammonia (H_Oh2). */
void table_finer_name(const shoal_molecule *mol, const graph *g, const char *const *labels,
                      const char *name, int32_t atom, char out[SHOAL_TYPE_NAME_SIZE]);
/* The type of a name or, of a finer one that the table lacks, what comes nearest: C_Rx2 for C_Rx3, then C_Rx, C_R, else the first
 * type with that parent; -1: there is none. */
int32_t table_find_finer(const shoal_atom_types *types, const char *name);
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
