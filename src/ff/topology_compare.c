/* SPDX-License-Identifier: BSD-3-Clause
 * Equality of topologies, term by term, so that a batch stores equal ones once. */
#include <string.h>

#include "ff/topology.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t mix_number(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

/* The terms follow from types, bonds and a few coefficients, so these make a good hash. */
uint64_t topology_hash(const shoal_topology *topology)
{
    const shoal_topology_view *v = &topology->view;
    uint64_t hash = mix((uint64_t)v->n_atoms, (uint64_t)topology->status);
    hash = mix(hash, (uint64_t)v->n_torsions << 32 | (uint64_t)v->n_angles);
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        hash = mix(hash, (uint64_t)v->elements[i]);
        hash = mix_number(hash, v->charges[i]);
    }
    for (int32_t b = 0; b < v->n_bonds; ++b) {
        hash = mix(hash, (uint64_t)v->bonds[b].i << 32 | (uint64_t)v->bonds[b].j);
        hash = mix_number(hash, v->bonds[b].r0);
    }
    return hash;
}

static bool same_shift(const int32_t a[3], const int32_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool same_bonds(const shoal_topology_view *a, const shoal_topology_view *b)
{
    for (int32_t n = 0; n < a->n_bonds; ++n) {
        const shoal_bond_term *x = &a->bonds[n], *y = &b->bonds[n];
        if (x->i != y->i || x->j != y->j || !same_shift(x->shift, y->shift) || x->k != y->k ||
            x->r0 != y->r0 || x->order != y->order)
            return false;
    }
    for (int32_t n = 0; n < a->n_angles; ++n) {
        const shoal_angle_term *x = &a->angles[n], *y = &b->angles[n];
        if (x->i != y->i || x->j != y->j || x->k != y->k || x->force_k != y->force_k ||
            !same_shift(x->shift_i, y->shift_i) || !same_shift(x->shift_k, y->shift_k) ||
            memcmp(x->c, y->c, sizeof x->c) != 0)
            return false;
    }
    return true;
}

static bool same_torsions(const shoal_topology_view *a, const shoal_topology_view *b)
{
    for (int32_t n = 0; n < a->n_torsions; ++n) {
        const shoal_torsion_term *x = &a->torsions[n], *y = &b->torsions[n];
        if (x->i != y->i || x->j != y->j || x->k != y->k || x->l != y->l || x->v != y->v ||
            x->d != y->d || x->n != y->n || !same_shift(x->shift_i, y->shift_i) ||
            !same_shift(x->shift_k, y->shift_k) || !same_shift(x->shift_l, y->shift_l))
            return false;
    }
    for (int32_t n = 0; n < a->n_inversions; ++n) {
        const shoal_inversion_term *x = &a->inversions[n], *y = &b->inversions[n];
        if (x->i != y->i || x->j != y->j || x->k != y->k || x->l != y->l ||
            x->force_k != y->force_k || memcmp(x->c, y->c, sizeof x->c) != 0 ||
            !same_shift(x->shift_i, y->shift_i) || !same_shift(x->shift_k, y->shift_k) ||
            !same_shift(x->shift_l, y->shift_l))
            return false;
    }
    return true;
}

static bool same_atoms(const shoal_topology_view *a, const shoal_topology_view *b)
{
    const size_t n = (size_t)a->n_atoms;
    for (int32_t i = 0; i < a->n_atoms; ++i)
        if (strcmp(a->types[i], b->types[i]) != 0) return false;
    if (!a->hbonds != !b->hbonds) return false;
    return (!a->hbonds || memcmp(a->hbonds, b->hbonds, n * sizeof *a->hbonds) == 0) &&
           memcmp(a->elements, b->elements, n * sizeof *a->elements) == 0 &&
           memcmp(a->vdw_x, b->vdw_x, n * sizeof *a->vdw_x) == 0 &&
           memcmp(a->vdw_d, b->vdw_d, n * sizeof *a->vdw_d) == 0 &&
           memcmp(a->charges, b->charges, n * sizeof *a->charges) == 0;
}

/* Exclusions follow from the bonds and need no look. */
bool topology_equal(const shoal_topology *x, const shoal_topology *y)
{
    const shoal_topology_view *a = &x->view, *b = &y->view;
    if (x == y) return true;
    if (x->status != y->status || x->status != SHOAL_SYSTEM_OK || a->n_atoms != b->n_atoms ||
        a->n_bonds != b->n_bonds || a->n_angles != b->n_angles || a->n_torsions != b->n_torsions ||
        a->n_inversions != b->n_inversions || a->has_charges != b->has_charges ||
        memcmp(a->pbc, b->pbc, sizeof a->pbc) != 0)
        return false;
    return same_atoms(a, b) && same_bonds(a, b) && same_torsions(a, b);
}
