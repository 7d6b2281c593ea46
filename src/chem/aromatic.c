/* SPDX-License-Identifier: BSD-3-Clause
 * Aromaticity by RDKit's default model: ring atoms donate 0, 1 or 2 electrons, and a ring or a
 * fused set of rings is aromatic if the electrons on it can number 4n + 2. */
#include "base/error.h"
#include "chem/element.h"
#include "chem/perceive.h"

#define MAX_FUSED 6            /* rings in one fused set */
#define MAX_FUSED_RING_SIZE 24 /* larger rings stand alone */
#define MAX_SUBSETS 200000     /* per size: keeps huge fused sheets from taking for ever */

typedef enum donor { DONOR_NONE, DONOR_VACANT, DONOR_ONE, DONOR_TWO } donor;

/* Electrons an atom could give to a pi system; negative if it cannot take part. A lone pair that is
 * donated to a metal is none of them, so that bond does not count. */
static int32_t pi_electrons(const shoal_molecule *mol, const chem_perception *p, int32_t i)
{
    const int32_t z = mol->element[i];
    const int32_t normal = element_default_valence(z);
    const int32_t degree = graph_degree(&p->graph, i) - p->atoms[i].n_dative;
    if (normal <= 1 || degree > 3) return -1;
    int32_t lone = element_get(z)->outer - normal - mol->formal_charge[i];
    if (lone < 0) lone = 0;
    const int32_t n = normal - degree + lone - p->atoms[i].radicals;
    return n > 1 && p->atoms[i].valence - degree > 1 ? 1 : n;
}

static bool more_electronegative(int32_t za, int32_t zb)
{
    const int32_t a = element_get(za)->outer, b = element_get(zb)->outer;
    return a > b || (a == b && za < zb);
}

typedef struct multiple_bonds {
    int32_t n; /* double and triple bonds */
    bool in_ring;
    int32_t outside; /* partner by a multiple bond outside rings, or -1 */
} multiple_bonds;

static multiple_bonds look_at_bonds(const shoal_molecule *mol, const chem_perception *p,
                                    const bool *ring_bond, int32_t i)
{
    multiple_bonds m = {.outside = -1};
    const graph *g = &p->graph;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t order = mol->bonds[g->ends[e].bond].order;
        if (order != SHOAL_ORDER_DOUBLE && order != SHOAL_ORDER_TRIPLE) continue;
        ++m.n;
        if (ring_bond[g->ends[e].bond])
            m.in_ring = true;
        else
            m.outside = g->ends[e].atom;
    }
    return m;
}

static donor donor_type(const shoal_molecule *mol, const chem_perception *p, const bool *ring_bond,
                        int32_t i)
{
    const multiple_bonds m = look_at_bonds(mol, p, ring_bond, i);
    const int32_t n = pi_electrons(mol, p, i);
    const bool stolen =
        m.outside >= 0 && more_electronegative(mol->element[m.outside], mol->element[i]);
    if (n < 0) return DONOR_NONE;
    if (n == 0) return m.outside >= 0 ? DONOR_VACANT : m.in_ring ? DONOR_ONE : DONOR_NONE;
    if (n == 1) {
        if (m.outside >= 0) return stolen ? DONOR_VACANT : DONOR_ONE;
        if (m.n > 0) return DONOR_ONE;
        return mol->formal_charge[i] == 1 ? DONOR_VACANT : DONOR_NONE;
    }
    return (n - stolen) % 2 ? DONOR_ONE : DONOR_TWO;
}

/* Whether an atom can be aromatic at all. */
static bool is_candidate(const shoal_molecule *mol, const chem_perception *p, const bool *ring_bond,
                         int32_t i)
{
    const int32_t z = mol->element[i], charge = mol->formal_charge[i];
    if (z > 18 && z != 34 && z != 52) return false;
    /* Not hypervalent: compared with the neutral element of as many electrons. */
    const int32_t like = z - charge;
    const int32_t normal = like >= 1 && like <= ELEMENT_MAX ? element_default_valence(like) : -1;
    if (element_default_valence(z) > 0 && p->atoms[i].valence > normal) return false;
    if (p->atoms[i].radicals && (z != 6 || charge)) return false;
    return p->atoms[i].valence - graph_degree(&p->graph, i) <= 1 ||
           look_at_bonds(mol, p, ring_bond, i).n <= 1;
}

typedef struct fusion {
    shoal_molecule *mol;
    chem_perception *p;
    const donor *donors;
    int32_t n;                    /* candidate rings */
    int32_t *ring;                /* [n] index into p->rings */
    int32_t *group;               /* [n] fused system a ring belongs to */
    int32_t *neigh_start, *neigh; /* rings fused to a ring */
    int32_t *atom_count;          /* scratch [n_atoms] */
    int32_t *bond_count;          /* scratch [n_bonds] */
    bool *bond_done;              /* [n_bonds] already aromatic */
    int32_t subset[MAX_FUSED];
    bool *chosen, *barred; /* [n] in the subset; passed over on this branch */
    int32_t wanted;        /* size of the subsets being made */
    int32_t n_subsets;
} fusion;

static bool huckel(int32_t lowest)
{
    return lowest == 2 || (lowest >= 6 && (lowest - 2) % 4 == 0);
}

static int32_t electrons(donor d)
{
    return d == DONOR_TWO ? 2 : d == DONOR_ONE ? 1 : 0;
}

/* Electrons on the rim: atoms shared by three rings lie inside. A single ring is counted along its
 * way, because in a small periodic cell it can pass an atom several times. */
static int32_t count_electrons(fusion *f, int32_t n)
{
    const ring_set *rings = &f->p->rings;
    int32_t sum = 0;
    if (n == 1) {
        const int32_t r = f->ring[f->subset[0]];
        for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k)
            sum += electrons(f->donors[rings->atoms[k]]);
        return sum;
    }
    for (int pass = 0; pass < 3; ++pass) {
        for (int32_t s = 0; s < n; ++s) {
            const int32_t r = f->ring[f->subset[s]];
            for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k) {
                int32_t *count = &f->atom_count[rings->atoms[k]];
                if (pass == 0) {
                    ++*count;
                } else if (pass == 1 && *count > 0) {
                    if (*count <= 2) sum += electrons(f->donors[rings->atoms[k]]);
                    *count = -*count; /* seen */
                } else if (pass == 2) {
                    *count = 0;
                }
            }
        }
    }
    return sum;
}

/* Atoms of the rings, and the bonds that belong to one of them only, become aromatic. */
static void mark_subset(fusion *f, int32_t n)
{
    const ring_set *rings = &f->p->rings;
    for (int pass = 0; pass < 3; ++pass) {
        for (int32_t s = 0; s < n; ++s) {
            const int32_t r = f->ring[f->subset[s]];
            for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k) {
                const int32_t b = rings->bonds[k];
                f->p->atoms[rings->atoms[k]].aromatic = true;
                if (pass == 0) ++f->bond_count[b];
                if (pass == 1 && (f->bond_count[b] == 1 || n == 1)) {
                    f->mol->bonds[b].aromatic = true;
                    f->bond_done[b] = true;
                }
                if (pass == 2) f->bond_count[b] = 0;
            }
        }
    }
}

/* Grows connected sets of rings to the wanted size, each once: a ring that was tried and put back
 * is barred for the rest of the branch. */
static void grow_subset(fusion *f, int32_t n)
{
    if (f->n_subsets >= MAX_SUBSETS) return;
    if (n == f->wanted || n == MAX_FUSED) {
        ++f->n_subsets;
        if (huckel(count_electrons(f, n))) mark_subset(f, n);
        return;
    }
    int32_t tried[64], n_tried = 0;
    for (int32_t s = 0; s < n; ++s) {
        const int32_t r = f->subset[s];
        for (int32_t k = f->neigh_start[r]; k < f->neigh_start[r + 1]; ++k) {
            const int32_t next = f->neigh[k];
            if (f->chosen[next] || f->barred[next] || next < f->subset[0] || n_tried == 64)
                continue;
            f->subset[n] = next;
            f->chosen[next] = true;
            grow_subset(f, n + 1);
            f->chosen[next] = false;
            f->barred[next] = true;
            tried[n_tried++] = next;
        }
    }
    for (int32_t k = 0; k < n_tried; ++k) f->barred[tried[k]] = false;
}

static bool all_done(const fusion *f, int32_t group)
{
    const ring_set *rings = &f->p->rings;
    for (int32_t r = 0; r < f->n; ++r) {
        if (f->group[r] != group) continue;
        for (int32_t k = rings->start[f->ring[r]]; k < rings->start[f->ring[r] + 1]; ++k)
            if (!f->bond_done[rings->bonds[k]]) return false;
    }
    return true;
}

static void test_group(fusion *f, int32_t group, int32_t n_rings)
{
    for (f->wanted = 1; f->wanted <= n_rings && f->wanted <= MAX_FUSED; ++f->wanted) {
        if (all_done(f, group)) return;
        f->n_subsets = 0;
        for (int32_t r = 0; r < f->n; ++r) {
            if (f->group[r] != group) continue;
            f->subset[0] = r;
            f->chosen[r] = true;
            grow_subset(f, 1);
            f->chosen[r] = false;
        }
    }
}

static bool repeats_atom(fusion *f, int32_t r)
{
    const ring_set *rings = &f->p->rings;
    bool repeats = false;
    for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k)
        repeats = ++f->atom_count[rings->atoms[k]] > 1 || repeats;
    for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k)
        f->atom_count[rings->atoms[k]] = 0;
    return repeats;
}

/* Rings are fused if they share exactly one bond and neither is too large. */
static bool are_fused(fusion *f, int32_t a, int32_t b)
{
    const ring_set *rings = &f->p->rings;
    const int32_t ra = f->ring[a], rb = f->ring[b];
    const int32_t na = rings->start[ra + 1] - rings->start[ra];
    const int32_t nb = rings->start[rb + 1] - rings->start[rb];
    if (na > MAX_FUSED_RING_SIZE || nb > MAX_FUSED_RING_SIZE) return false;
    int32_t shared = 0;
    for (int32_t k = rings->start[ra]; k < rings->start[ra + 1]; ++k)
        for (int32_t l = rings->start[rb]; l < rings->start[rb + 1]; ++l)
            shared += rings->bonds[k] == rings->bonds[l];
    return shared == 1 && !repeats_atom(f, ra) && !repeats_atom(f, rb);
}

static void collect_group(fusion *f, int32_t first, int32_t *stack, int32_t *n)
{
    *n = 0;
    stack[(*n)++] = first;
    f->group[first] = first;
    for (int32_t k = 0; k < *n; ++k)
        for (int32_t e = f->neigh_start[stack[k]]; e < f->neigh_start[stack[k] + 1]; ++e)
            if (f->group[f->neigh[e]] < 0) {
                f->group[f->neigh[e]] = first;
                stack[(*n)++] = f->neigh[e];
            }
}

/* Pairs of candidate rings that share a bond, found through the bonds rather than all pairs. */
static shoal_status find_neighbours(fusion *f, arena *memory)
{
    const ring_set *rings = &f->p->rings;
    const size_t n_bonds = (size_t)f->mol->n_bonds;
    int32_t *start = arena_alloc(memory, n_bonds + 1, sizeof *start);
    if (!start) return SHOAL_E_MEMORY;
    for (int32_t r = 0; r < f->n; ++r)
        for (int32_t k = rings->start[f->ring[r]]; k < rings->start[f->ring[r] + 1]; ++k)
            ++start[rings->bonds[k] + 1];
    for (size_t b = 0; b < n_bonds; ++b) start[b + 1] += start[b];
    int32_t *on_bond = arena_alloc_dirty(memory, (size_t)start[n_bonds], sizeof *on_bond);
    int32_t *fill = arena_alloc(memory, n_bonds, sizeof *fill);
    if (!on_bond || !fill) return SHOAL_E_MEMORY;
    size_t most = 0;
    for (int32_t r = 0; r < f->n; ++r)
        for (int32_t k = rings->start[f->ring[r]]; k < rings->start[f->ring[r] + 1]; ++k) {
            const int32_t b = rings->bonds[k];
            on_bond[start[b] + fill[b]++] = r;
            most += (size_t)(start[b + 1] - start[b]);
        }
    f->neigh_start = arena_alloc(memory, (size_t)f->n + 1, sizeof *f->neigh_start);
    f->neigh = arena_alloc_dirty(memory, most, sizeof *f->neigh);
    if (!f->neigh_start || !f->neigh) return SHOAL_E_MEMORY;
    int32_t n = 0;
    for (int32_t r = 0; r < f->n; ++r) {
        f->neigh_start[r] = n;
        for (int32_t k = rings->start[f->ring[r]]; k < rings->start[f->ring[r] + 1]; ++k) {
            const int32_t b = rings->bonds[k];
            for (int32_t e = start[b]; e < start[b + 1]; ++e)
                if (on_bond[e] != r && are_fused(f, r, on_bond[e])) f->neigh[n++] = on_bond[e];
        }
    }
    f->neigh_start[f->n] = n;
    return SHOAL_OK;
}

static shoal_status run_fusion(fusion *f, arena *memory)
{
    const size_t n = (size_t)f->n;
    f->group = arena_alloc_dirty(memory, n, sizeof *f->group);
    f->chosen = arena_alloc(memory, n, sizeof *f->chosen);
    f->barred = arena_alloc(memory, n, sizeof *f->barred);
    f->bond_count = arena_alloc(memory, (size_t)f->mol->n_bonds, sizeof *f->bond_count);
    f->bond_done = arena_alloc(memory, (size_t)f->mol->n_bonds, sizeof *f->bond_done);
    f->atom_count = arena_alloc(memory, (size_t)f->mol->n_atoms, sizeof *f->atom_count);
    int32_t *stack = arena_alloc_dirty(memory, n, sizeof *stack);
    if (!f->group || !f->chosen || !f->barred || !f->bond_count || !f->bond_done ||
        !f->atom_count || !stack)
        return SHOAL_E_MEMORY;
    SHOAL_TRY(find_neighbours(f, memory));
    for (int32_t r = 0; r < f->n; ++r) f->group[r] = -1;
    for (int32_t r = 0; r < f->n; ++r) {
        int32_t n_rings;
        if (f->group[r] >= 0) continue;
        collect_group(f, r, stack, &n_rings);
        test_group(f, r, n_rings);
    }
    return SHOAL_OK;
}

shoal_status aromaticity_mark(shoal_molecule *mol, chem_perception *p)
{
    const ring_set *rings = &p->rings;
    for (int32_t b = 0; b < mol->n_bonds; ++b) mol->bonds[b].aromatic = false;
    if (rings->n_rings == 0) return SHOAL_OK;
    fusion f = {.mol = mol, .p = p};
    donor *donors = arena_alloc(&p->memory, (size_t)mol->n_atoms, sizeof *donors);
    bool *ring_bond = arena_alloc(&p->memory, (size_t)mol->n_bonds, sizeof *ring_bond);
    f.ring = arena_alloc_dirty(&p->memory, (size_t)rings->n_rings, sizeof *f.ring);
    if (!donors || !ring_bond || !f.ring) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < rings->start[rings->n_rings]; ++k) ring_bond[rings->bonds[k]] = true;
    for (int32_t r = 0; r < rings->n_rings; ++r) {
        bool all = true;
        for (int32_t k = rings->start[r]; k < rings->start[r + 1] && all; ++k) {
            const int32_t i = rings->atoms[k];
            donors[i] = donor_type(mol, p, ring_bond, i);
            all = donors[i] != DONOR_NONE && is_candidate(mol, p, ring_bond, i);
        }
        if (all) f.ring[f.n++] = r;
    }
    f.donors = donors;
    return f.n > 0 ? run_fusion(&f, &p->memory) : SHOAL_OK;
}
