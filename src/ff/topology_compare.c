/* SPDX-License-Identifier: BSD-3-Clause
 * Equality of topologies, term by term, so that a batch stores equal ones once. */
#include <string.h>

#include "ff/term_table.h"
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

/* Charges and natural lengths of bonds make a good hash: the rest mostly follows from them. */
void topology_seal(shoal_topology *topology)
{
    const shoal_topology_view *v = &topology->view;
    uint64_t hash = mix((uint64_t)v->n_atoms, (uint64_t)topology->status);
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        hash = mix(hash, (uint64_t)terms_count(v, kind));
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        hash = mix(hash, (uint64_t)v->elements[i]);
        hash = mix_number(hash, v->charges[i]);
    }
    const shoal_term *bonds = terms_of(v, SHOAL_KIND_BOND);
    for (int32_t b = 0; b < terms_count(v, SHOAL_KIND_BOND); ++b) {
        hash = mix(hash, (uint64_t)bonds[b].atoms[0] << 32 | (uint64_t)bonds[b].atoms[1]);
        hash = mix_number(hash, bonds[b].p[SHOAL_BOND_R0]);
    }
    topology->hash = hash;
}

static bool same_terms(const shoal_topology_view *a, const shoal_topology_view *b)
{
    if (a->n_terms != b->n_terms) return false;
    for (int32_t n = 0; n < a->n_terms; ++n) {
        const shoal_term *x = &a->terms[n], *y = &b->terms[n];
        if (x->kind != y->kind || memcmp(x->atoms, y->atoms, sizeof x->atoms) != 0 ||
            memcmp(x->shifts, y->shifts, sizeof x->shifts) != 0 ||
            memcmp(x->p, y->p, sizeof x->p) != 0)
            return false;
    }
    return true;
}

static bool same_exclusions(const shoal_topology_view *a, const shoal_topology_view *b)
{
    const size_t n = (size_t)(a->n_atoms + a->n_pairs + a->n_sites);
    const size_t n_images = (size_t)a->exclude_start[n];
    return memcmp(a->exclude_start, b->exclude_start, (n + 1) * sizeof *a->exclude_start) == 0 &&
           (n_images == 0 || memcmp(a->excluded, b->excluded, n_images * sizeof *a->excluded) == 0);
}

static bool same_atoms(const shoal_topology_view *a, const shoal_topology_view *b)
{
    const size_t n_atoms = (size_t)(a->n_atoms + a->n_pairs), n = n_atoms + (size_t)a->n_sites;
    for (size_t i = 0; i < n; ++i)
        if (strcmp(a->types[i], b->types[i]) != 0) return false;
    if (!a->hbonds != !b->hbonds || !a->table_types != !b->table_types) return false;
    if (a->table_types &&
        memcmp(a->table_types, b->table_types, (size_t)a->n_atoms * sizeof *a->table_types) != 0)
        return false;
    return (!a->hbonds || memcmp(a->hbonds, b->hbonds, n * sizeof *a->hbonds) == 0) &&
           memcmp(a->elements, b->elements, n_atoms * sizeof *a->elements) == 0 &&
           memcmp(a->masses, b->masses, n_atoms * sizeof *a->masses) == 0 &&
           memcmp(a->vdw_x, b->vdw_x, n * sizeof *a->vdw_x) == 0 &&
           memcmp(a->vdw_d, b->vdw_d, n * sizeof *a->vdw_d) == 0 &&
           memcmp(a->charges, b->charges, n * sizeof *a->charges) == 0;
}

static bool same_sites(const shoal_topology_view *a, const shoal_topology_view *b)
{
    for (int32_t n = 0; n < a->n_sites; ++n) {
        const shoal_site *x = &a->sites[n], *y = &b->sites[n];
        if (x->host != y->host || memcmp(x->from, y->from, sizeof x->from) != 0 ||
            memcmp(x->to, y->to, sizeof x->to) != 0 ||
            memcmp(x->shift, y->shift, sizeof x->shift) != 0 ||
            memcmp(x->x, y->x, sizeof x->x) != 0 || memcmp(x->y, y->y, sizeof x->y) != 0 ||
            memcmp(x->local, y->local, sizeof x->local) != 0)
            return false;
    }
    return true;
}

static bool same_directions(const shoal_topology_view *a, const shoal_topology_view *b)
{
    for (int32_t k = 0; k < a->n_directions; ++k)
        if (a->direction_atoms[k] != b->direction_atoms[k] || a->inertias[k] != b->inertias[k])
            return false;
    return true;
}

/* Special pairs are among the terms and the exclusions. */
bool topology_equal(const shoal_topology *x, const shoal_topology *y)
{
    const shoal_topology_view *a = &x->view, *b = &y->view;
    if (x == y) return true;
    if (x->hash != y->hash || x->status != y->status || x->status != SHOAL_SYSTEM_OK ||
        a->n_atoms != b->n_atoms || a->n_pairs != b->n_pairs ||
        a->n_directions != b->n_directions || a->n_sites != b->n_sites || a->model != b->model ||
        a->has_charges != b->has_charges || memcmp(a->pbc, b->pbc, sizeof a->pbc) != 0)
        return false;
    const size_t n_auxiliary = (size_t)(a->n_pairs + a->n_directions);
    if (!x->places != !y->places ||
        (x->places && memcmp(x->places, y->places, n_auxiliary * sizeof *x->places) != 0))
        return false;
    return same_atoms(a, b) && same_directions(a, b) && same_sites(a, b) && same_terms(a, b) &&
           same_exclusions(a, b);
}
