/* SPDX-License-Identifier: BSD-3-Clause
 * What conformers prefer: chairs, and chains that are stretched. Of six-membered rings out of random starts one in five is a
 * chair, the others stay boats in the force field; and one chain in 3^n is anti throughout, which is often the lowest. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "embed/embed.h"
#include "geom/vector.h"

#define CHAIR_VOLUME                                                                               \
    1.8 /* angstrom^3, of four atoms in a row with natural lengths and angles: a torsion of 35 degrees */
#define CHAIR_LENGTH 1.54 /* angstrom, of the bonds of that */
#define STRETCHED 0.5     /* of all conformers; the others stay as they came */
#define ANTI 0.75         /* of the bonds of these */
#define NEAREST 0.85 /* of the least distance of two atoms: nearer ones are in each other's way */

/* --- chairs --------------------------------------------------------------------------------------- */

static bool holds(const ring_set *rings, int32_t r, int32_t atom)
{
    for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k)
        if (rings->atoms[k] == atom) return true;
    return false;
}

/* Whether a ring prefers to be a chair: six atoms, one planar at most, and no bridge. Of fused ones not all shapes may go
 * together with their configurations: a try that fails draws another. */
static bool is_chair(const embed_problem *p, int32_t r)
{
    const ring_set *rings = p->rings;
    const int32_t first = rings->start[r], last = rings->start[r + 1];
    int32_t n_planar = 0;
    if (last - first != 6) return false;
    for (int32_t k = first; k < last; ++k) {
        const hybridization hyb = p->mol->perception->atoms[rings->atoms[k]].hyb;
        if (hyb != HYB_SP3 && hyb != HYB_SP2) return false;
        n_planar += hyb == HYB_SP2;
    }
    for (int32_t s = 0; s < rings->n_rings; ++s) {
        int32_t n_shared = 0;
        for (int32_t k = first; k < last && s != r; ++k)
            n_shared += holds(rings, s, rings->atoms[k]);
        if (n_shared > 2) return false;
    }
    return n_planar <= 1;
}

shoal_status embed_find_chairs(embed_problem *p)
{
    p->chairs = arena_alloc(&p->memory, (size_t)p->rings->n_rings, sizeof *p->chairs);
    if (!p->chairs) return SHOAL_E_MEMORY;
    for (int32_t r = 0; r < p->rings->n_rings; ++r)
        if (is_chair(p, r)) p->chairs[p->n_chairs++] = r;
    p->n_shapes = p->n_chairs == 0 ? 0 : p->n_chairs == 1 ? 2 : EMBED_SHAPES;
    return SHOAL_OK;
}

static double bond_length(const embed_problem *p, int32_t i, int32_t j)
{
    const size_t ij = (size_t)i * (size_t)p->bounds.n + (size_t)j;
    return 0.5 * (p->bounds.lower[ij] + p->bounds.upper[ij]);
}

/* Torsions of a chair have one sign and the other by turns. */
void embed_chair_volumes(const embed_problem *p, int32_t k, int32_t shape, embed_volume out[6])
{
    const int32_t *atoms = p->rings->atoms + p->rings->start[p->chairs[k]];
    const bool turned = (shape ^ (shape >> 1 & k)) & 1;
    for (int m = 0; m < 6; ++m) {
        double least = CHAIR_VOLUME;
        for (int c = 0; c < 3; ++c)
            least *= bond_length(p, atoms[(m + c) % 6], atoms[(m + c + 1) % 6]) / CHAIR_LENGTH;
        const bool up = (m % 2 == 0) != turned;
        out[m] = (embed_volume){.low = up ? least : -EMBED_BOUNDLESS,
                                .high = up ? EMBED_BOUNDLESS : -least,
                                .centre = atoms[m]};
        for (int c = 0; c < 4; ++c) out[m].atoms[c] = atoms[(m + c) % 6];
    }
}

/* --- chains --------------------------------------------------------------------------------------- */

/* A bond that is turned: its ends j and k with the atoms before and behind them. */
typedef struct chain_bond {
    int32_t atoms[4];
} chain_bond;

typedef struct room {
    bool *side;     /* [n_atoms] */
    int32_t *queue; /* [n_atoms] */
    double (*before)[3];
} room;

/* The only partner of i, besides the other end and hydrogen and fluorine, that the chain goes on with; -1 without one. */
static int32_t next_of_chain(const embed_problem *p, int32_t i, int32_t other)
{
    const graph *g = &p->mol->perception->graph;
    int32_t next = -1;
    if (p->mol->perception->atoms[i].hyb != HYB_SP3 || graph_degree(g, i) > 4) return -1;
    for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
        const int32_t to = g->ends[e].atom, z = p->mol->element[to];
        if (to == other || (graph_degree(g, to) == 1 && (z == 1 || z == 9))) continue;
        if (next >= 0) return -1;
        next = to;
    }
    return next;
}

static bool is_in_ring(const embed_problem *p, int32_t bond)
{
    const ring_set *rings = p->rings;
    for (int32_t k = 0; k < rings->start[rings->n_rings]; ++k)
        if (rings->bonds[k] == bond) return true;
    return false;
}

static bool find_chain_bond(const embed_problem *p, int32_t bond, chain_bond *out)
{
    const shoal_bond *b = &p->mol->bonds[bond];
    if (b->order != SHOAL_ORDER_SINGLE || is_in_ring(p, bond)) return false;
    const int32_t first = next_of_chain(p, b->i, b->j), last = next_of_chain(p, b->j, b->i);
    *out = (chain_bond){{first, b->i, b->j, last}};
    return first >= 0 && last >= 0;
}

/* Atoms on the far side of a bond: side[n_atoms], queue[n_atoms]. */
static void find_side(const embed_problem *p, const chain_bond *b, bool *side, int32_t *queue)
{
    const graph *g = &p->mol->perception->graph;
    int32_t n = 0;
    memset(side, 0, (size_t)p->mol->n_atoms * sizeof *side);
    side[b->atoms[2]] = true;
    queue[n++] = b->atoms[2];
    for (int32_t k = 0; k < n; ++k)
        for (int32_t e = g->start[queue[k]]; e < g->start[queue[k] + 1]; ++e) {
            const int32_t to = g->ends[e].atom;
            if (side[to] || (queue[k] == b->atoms[2] && to == b->atoms[1])) continue;
            side[to] = true;
            queue[n++] = to;
        }
}

/* Sine and cosine of what is missing to 180 degrees, about the unit vector of the bond. */
static bool find_turn(const chain_bond *b, const double (*pos)[3], double axis[3], double turn[2])
{
    double e[3][3], n[2][3], cross[3];
    for (int k = 0; k < 3; ++k) vector_subtract(pos[b->atoms[k + 1]], pos[b->atoms[k]], e[k]);
    const double length = sqrt(vector_dot(e[1], e[1]));
    vector_cross(e[0], e[1], n[0]);
    vector_cross(e[1], e[2], n[1]);
    vector_cross(n[0], n[1], cross);
    const double size = sqrt(vector_dot(n[0], n[0]) * vector_dot(n[1], n[1]));
    if (!(length > 0.1) || !(size > 1e-3)) return false;
    for (int c = 0; c < 3; ++c) axis[c] = e[1][c] / length;
    /* The torsion t has cosine and sine of these; the turn is 180 degrees - t. */
    turn[0] = vector_dot(cross, axis) / size;
    turn[1] = -vector_dot(n[0], n[1]) / size;
    return true;
}

static void turn_atom(const double axis[3], const double turn[2], const double origin[3],
                      double at[3])
{
    double d[3], across[3];
    vector_subtract(at, origin, d);
    vector_cross(axis, d, across);
    const double along = vector_dot(axis, d);
    for (int c = 0; c < 3; ++c)
        at[c] = origin[c] + turn[1] * d[c] + turn[0] * across[c] + (1 - turn[1]) * along * axis[c];
}

/* Whether atoms of both sides are far enough from each other. */
static bool is_free(const embed_problem *p, const bool *side, const double (*pos)[3])
{
    const embed_bounds *b = &p->bounds;
    for (int32_t i = 0; i < b->n; ++i)
        for (int32_t j = 0; j < b->n && side[i]; ++j) {
            const size_t ij = (size_t)i * (size_t)b->n + (size_t)j;
            double d[3];
            if (side[j] || b->apart[ij] < 4) continue;
            vector_subtract(pos[i], pos[j], d);
            if (vector_dot(d, d) < NEAREST * NEAREST * b->lower[ij] * b->lower[ij]) return false;
        }
    return true;
}

/* One bond becomes anti, if nothing is in the way. */
static void straighten(const embed_problem *p, const chain_bond *b, const room *r, double (*pos)[3])
{
    const size_t size = (size_t)p->mol->n_atoms * sizeof *pos;
    double axis[3], turn[2];
    if (!find_turn(b, (const double(*)[3])pos, axis, turn)) return;
    find_side(p, b, r->side, r->queue);
    memcpy(r->before, pos, size);
    for (int32_t i = 0; i < p->mol->n_atoms; ++i)
        if (r->side[i]) turn_atom(axis, turn, r->before[b->atoms[2]], pos[i]);
    if (!is_free(p, r->side, (const double(*)[3])pos)) memcpy(pos, r->before, size);
}

shoal_status embed_prefer(const embed_problem *p, uint64_t key, double (*pos)[3])
{
    const size_t n = (size_t)p->mol->n_atoms;
    arena memory = {0};
    chain_bond b;
    if (random_fraction(random_key(key, 0)) >= STRETCHED) return SHOAL_OK;
    const room r = {.side = arena_alloc_dirty(&memory, n, sizeof *r.side),
                    .queue = arena_alloc_dirty(&memory, n, sizeof *r.queue),
                    .before = arena_alloc_dirty(&memory, n, sizeof *r.before)};
    const bool there = r.side && r.queue && r.before;
    for (int32_t k = 0; k < p->mol->n_bonds && there; ++k)
        if (random_fraction(random_key(key, (uint64_t)k + 1)) < ANTI && find_chain_bond(p, k, &b))
            straighten(p, &b, &r, pos);
    arena_free(&memory);
    return there ? SHOAL_OK : SHOAL_E_MEMORY;
}
