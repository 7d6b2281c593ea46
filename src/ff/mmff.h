/* SPDX-License-Identifier: BSD-3-Clause
 * MMFFsp3 on its way from a molecule to a topology. Nodes have up to four slots, which hold their bonds and behind
 * these their electron pairs; hydrogens and electron pairs are caps. */
#ifndef SHOAL_FF_MMFF_H
#define SHOAL_FF_MMFF_H

#include "ff/mmff_table.h"
#include "ff/topology.h"

typedef struct mmff_atom {
    const mmff_type *type;
    bool given;        /* the type, by the molecule */
    int32_t n_lone;    /* lone pairs of the element */
    int32_t n_pi;      /* pi orbitals */
    int32_t n_pairs;   /* lone pairs that are points */
    int32_t direction; /* number of its pi vector in terms; -1 without one */
} mmff_atom;

typedef struct mmff_builder {
    uff_builder *base;
    bool original;    /* the rules of FireCore, its faults included */
    mmff_atom *atoms; /* [n_atoms] */
    graph slots; /* of atoms and electron pairs, these behind the atoms; bond -1 leads to a pair */
    int32_t n_pairs, n_directions;
} mmff_builder;

/* Whether an atom is a node; hydrogens are caps. */
static inline bool mmff_is_node(const mmff_builder *m, int32_t i)
{
    return m->base->mol->element[i] != 1;
}

/* mmff_types.c: types of all atoms; a molecule that has none is rejected. */
shoal_status mmff_assign_types(mmff_builder *m);
/* Strength of hydrogen bonds, radius and depth, as this dialect has them. */
typedef struct mmff_vdw {
    double r, eps, hb;
} mmff_vdw;
mmff_vdw mmff_vdw_of(const mmff_builder *m, int32_t i);

/* mmff_terms.c: lone pairs that become points, and the slots of all atoms. */
shoal_status mmff_find_slots(mmff_builder *m);
/* Nodes whose pi vector has a term; before terms. */
void mmff_number_directions(mmff_builder *m);
/* No more terms than this, those of 1-4 pairs aside. */
size_t mmff_most_terms(const mmff_builder *m);
shoal_status mmff_build_bonds(mmff_builder *m);
void mmff_build_nodes(mmff_builder *m);

/* mmff_params.c: parameters of pairs by the model of the force field, or by the one that options name. */
shoal_status mmff_set_params(mmff_builder *m);
/* A model with what the force field cannot do makes the system untyped. */
shoal_status mmff_check_model(uff_builder *b);

/* mmff.c: from a perceived molecule to its topology. */
shoal_status mmff_build(uff_builder *b);

#endif
