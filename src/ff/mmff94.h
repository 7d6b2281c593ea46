/* SPDX-License-Identifier: BSD-3-Clause
 * MMFF94 and MMFF94s on their way from a molecule to a topology. (MMFFsp3, in mmff.h, is another force field.) */
#ifndef SHOAL_FF_MMFF94_H
#define SHOAL_FF_MMFF94_H

#include "chem/perceive.h"
#include "ff/mmff94_table.h"
#include "ff/topology.h"

/* A molecule with its types and charges. Aromatic is what MMFF calls so. */
typedef struct mmff94 {
    const shoal_molecule *mol;
    const graph *g;
    const atom_state *atoms;
    const ring_set *rings;
    const int32_t *ring_start,
        *rings_of;       /* rings of atom i: rings_of[ring_start[i] .. ring_start[i + 1]) */
    bool *aromatic;      /* [n_atoms] */
    bool *aromatic_bond; /* [n_bonds] */
    int32_t *type;       /* [n_atoms] numbers */
    double *formal;      /* [n_atoms] shared formal charges, e */
    double *charge;      /* [n_atoms] e */
} mmff94;

/* Order of a bond seen from an end; those of aromatic rings have none of their own. */
enum { MMFF94_SINGLE = 1, MMFF94_DOUBLE, MMFF94_TRIPLE, MMFF94_AROMATIC };

static inline int32_t mmff94_z(const mmff94 *m, int32_t i)
{
    return m->mol->element[i];
}
static inline int32_t mmff94_degree(const mmff94 *m, int32_t i)
{
    return graph_degree(m->g, i);
}
/* Whether atom i has so many neighbours and this element. */
static inline bool mmff94_is(const mmff94 *m, int32_t i, int32_t z, int32_t degree)
{
    return mmff94_z(m, i) == z && mmff94_degree(m, i) == degree;
}
static inline int32_t mmff94_order(const mmff94 *m, int32_t bond)
{
    if (m->aromatic_bond[bond]) return MMFF94_AROMATIC;
    switch (m->mol->bonds[bond].order) {
    case SHOAL_ORDER_DOUBLE: return MMFF94_DOUBLE;
    case SHOAL_ORDER_TRIPLE: return MMFF94_TRIPLE;
    default: return MMFF94_SINGLE;
    }
}
/* All neighbours of atom i, one graph_end after the other. */
#define MMFF94_ENDS(m, i, end)                                                                     \
    for (const graph_end *end = (m)->g->ends + (m)->g->start[i];                                   \
         end < (m)->g->ends + (m)->g->start[(i) + 1]; ++end)

/* mmff94_terms.c: how pairs interact, the dielectric constant growing with the distance or not; a reference. */
shoal_pair_model *mmff94_pair_model(bool far);

/* mmff94_rings.c: fills ring_start and rings_of. */
shoal_status mmff94_list_rings(mmff94 *m, arena *scratch);
bool mmff94_ring_has(const ring_set *rings, int32_t r, int32_t atom);
static inline int32_t mmff94_ring_size(const ring_set *rings, int32_t r)
{
    return rings->start[r + 1] - rings->start[r];
}
bool mmff94_in_ring(const mmff94 *m, int32_t i, int32_t size);
bool mmff94_share_ring(const mmff94 *m, int32_t i, int32_t j, int32_t size);
/* An aromatic ring of this size. */
bool mmff94_in_aromatic_ring(const mmff94 *m, int32_t i, int32_t size);

/* mmff94_aromatic.c: fills aromatic and aromatic_bond. */
shoal_status mmff94_mark_aromatic(mmff94 *m, arena *scratch);

/* mmff94_types.c: type of a heavy atom, 0 if it has none. */
int32_t mmff94_heavy_type(const mmff94 *m, int32_t i);
int32_t mmff94_aromatic_type(const mmff94 *m, int32_t i);
int32_t mmff94_nitrogen_type(const mmff94 *m, int32_t i);
int32_t mmff94_oxygen_type(const mmff94 *m, int32_t i);
int32_t mmff94_sulfur_type(const mmff94 *m, int32_t i);
/* Of a hydrogen, once its neighbour has one. */
int32_t mmff94_hydrogen_type(const mmff94 *m, int32_t i);
/* Terminal atoms of an element around atom i. */
int32_t mmff94_terminal(const mmff94 *m, int32_t i, int32_t z);
bool mmff94_is_n_oxide(const mmff94 *m, int32_t i);

/* mmff94_charges.c: shared formal charges, and partial ones. */
void mmff94_share_charges(mmff94 *m, int32_t *found, bool *is_found);
void mmff94_set_charges(mmff94 *m);

/* mmff94_parameters.c: 1 for a single bond between atoms that may have multiple ones, else 0. */
int32_t mmff94_bond_class(const mmff94 *m, int32_t bond);

/* mmff94.c: types (where given says so, those that the molecule has) and charges of a perceived molecule, in memory of
 * scratch. A molecule that has no types makes the topology untyped, with the reason. */
shoal_status mmff94_assign(mmff94 *m, const shoal_molecule *mol, bool given, shoal_topology *t,
                           arena *scratch);

/* mmff94_terms.c: from a perceived molecule to its topology. */
shoal_status mmff94_build(uff_builder *b);

#endif
