/* SPDX-License-Identifier: BSD-3-Clause
 * A topology on its way: what force fields of the library fill, and the public builder wraps. */
#ifndef SHOAL_FF_BUILDER_H
#define SHOAL_FF_BUILDER_H

#include <assert.h>

#include "ff/term_table.h"
#include "ff/topology.h"
#include "shoal/topology_builder.h"

/* A pair without interaction. */
typedef struct excluded_pair {
    int32_t i;
    shoal_image partner;
} excluded_pair;

struct shoal_topology_builder {
    shoal_topology *topology; /* owns the arrays of atoms */
    int32_t *elements;        /* [n_atoms] each, of the view */
    const char **types;
    double *masses, *x, *d, *q;
    shoal_term *terms;
    int32_t n_terms, terms_capacity;
    excluded_pair *excluded; /* one way each */
    int32_t n_excluded, excluded_capacity;
    shoal_special_pair *pairs;
    int32_t n_pairs, pairs_capacity;
    int32_t *direction_atoms; /* of directions, and their inertias */
    double *inertias;
    int32_t n_directions, direction_atoms_capacity, inertias_capacity;
    bool is_grouped; /* terms of one bond or centre stand together already */
    bool is_placed;  /* the records lie in the topology's memory, with room for all of them */
};

/* Arrays of n atoms for a topology: elements and their masses, the rest zero, labels "". */
shoal_status builder_begin(shoal_topology_builder *b, shoal_topology *t, int32_t n_atoms,
                           const int32_t *elements);
/* Room for so many records, all zero, where the topology will keep them, in the order of its kinds and
 * grouped. */
shoal_status builder_reserve(shoal_topology_builder *b, size_t n);
/* One more record of a kind, zero otherwise; valid until the next one. NULL when memory is out. */
shoal_term *builder_append(shoal_topology_builder *b, int kind);
/* The same where room was reserved. */
static inline shoal_term *builder_next(shoal_topology_builder *b, int kind)
{
    assert(b->n_terms < b->terms_capacity);
    shoal_term *t = &b->terms[b->n_terms++];
    t->kind = kind;
    return t;
}
/* Puts the terms, sorted, into the topology. */
shoal_status builder_place_terms(shoal_topology_builder *b);
/* Frees what does not belong to the topology. */
void builder_free(shoal_topology_builder *b);

/* Fails with SHOAL_E_ARGUMENT for parameters that a term of this kind cannot have. */
shoal_status builder_check_parameters(int kind, const shoal_term_kind *info, const double *p);

/* builder_sort.c: terms by kind, in the order in which they came, but torsions about one bond and
 * inversions at one centre together, as fused paths need them. */
shoal_status builder_sort(shoal_topology_builder *b);
/* Exclusions of a topology, in both directions, without doubles, from a list that is used up. */
shoal_status builder_exclude(shoal_topology_builder *b);

/* Fails where a pair is special twice. */
shoal_status builder_check_pairs(const shoal_topology_builder *b);

/* Makes the atom that the kind starts from the one at home. */
void builder_normalise(shoal_term *t);

#endif
