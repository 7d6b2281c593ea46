/* SPDX-License-Identifier: BSD-3-Clause
 * Joints of a molecule, found from its bonds. */
#include "jobs/search_joints.h"

#include <math.h>
#include <string.h>

#include "chem/rings.h"

#define ON_AXIS 0.15  /* angstrom: atoms nearer to the axis of a rotor do not notice it */
#define LEAST_RING 4  /* atoms: a triangle has no corner that could flap */
#define LEAST_CRANK 7 /* atoms of a ring whose parts turn */

typedef struct finder {
    const shoal_molecule *mol;
    const double (*pos)[3];
    const bool *fixed;
    int32_t n_atoms;
    graph graph;
    ring_set rings;
    arena *memory;
    int32_t *queue; /* [n_atoms] */
    int32_t *mark;  /* [n_atoms]: the last walk that came by */
    int32_t walk;
} finder;

/* Atoms that can be reached from `from` without passing `not_by`, in f->queue; how many, 0 if a path leads back to
 * not_by otherwise: their bond is one of a ring. */
static int32_t walk_from(finder *f, int32_t from, int32_t not_by)
{
    int32_t n = 0;
    const int32_t walk = ++f->walk;
    f->mark[from] = walk;
    f->queue[n++] = from;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t at = f->queue[k];
        for (int32_t e = f->graph.start[at]; e < f->graph.start[at + 1]; ++e) {
            const int32_t next = f->graph.ends[e].atom;
            if (next == not_by && at != from) return 0;
            if (next == not_by || next >= f->n_atoms || f->mark[next] == walk) continue;
            f->mark[next] = walk;
            f->queue[n++] = next;
        }
    }
    return n;
}

static bool any_fixed(const finder *f, int32_t n)
{
    for (int32_t k = 0; k < n && f->fixed; ++k)
        if (f->fixed[f->queue[k]]) return true;
    return false;
}

/* Appends the first n atoms of the queue to a list, which has room for all atoms or is NULL so far. */
static shoal_status keep_queue(finder *f, int32_t n, search_atoms *to)
{
    if (!to->of) to->of = arena_alloc(f->memory, (size_t)f->n_atoms, sizeof *to->of);
    if (!to->of) return SHOAL_E_MEMORY;
    memcpy(to->of + to->n, f->queue, (size_t)n * sizeof *to->of);
    to->n += n;
    return SHOAL_OK;
}

/* Three end atoms of one element beside the axis: a turn by a third changes nothing. */
static bool is_symmetric_end(const finder *f, int32_t atom, int32_t axis)
{
    int32_t n = 0, z = 0;
    for (int32_t e = f->graph.start[atom]; e < f->graph.start[atom + 1]; ++e) {
        const int32_t end = f->graph.ends[e].atom;
        if (end == axis) continue;
        if (graph_degree(&f->graph, end) != 1) return false;
        if (n++ > 0 && f->mol->element[end] != z) return false;
        z = f->mol->element[end];
    }
    return n == 3;
}

/* True if atoms of the queue lie beside the axis from i to j. */
static bool leaves_axis(const finder *f, int32_t n, int32_t i, int32_t j)
{
    double axis[3], length = 0;
    for (int k = 0; k < 3; ++k) axis[k] = f->pos[j][k] - f->pos[i][k];
    for (int k = 0; k < 3; ++k) length += axis[k] * axis[k];
    for (int32_t q = 0; q < n; ++q) {
        double along = 0, square = 0;
        for (int k = 0; k < 3; ++k) {
            const double d = f->pos[f->queue[q]][k] - f->pos[i][k];
            along += d * axis[k];
            square += d * d;
        }
        if (square - along * along / length > ON_AXIS * ON_AXIS) return true;
    }
    return false;
}

/* --- rotors --------------------------------------------------------------------------------------- */

static bool may_turn(const finder *f, const shoal_bond *b)
{
    return b->order == SHOAL_ORDER_SINGLE && !b->aromatic && b->i < f->n_atoms &&
           b->j < f->n_atoms && b->i != b->j && graph_degree(&f->graph, b->i) > 1 &&
           graph_degree(&f->graph, b->j) > 1 && !is_symmetric_end(f, b->i, b->j) &&
           !is_symmetric_end(f, b->j, b->i);
}

static bool is_planar(const finder *f, int32_t atom)
{
    for (int32_t e = f->graph.start[atom]; e < f->graph.start[atom + 1]; ++e) {
        const shoal_bond *b = &f->mol->bonds[f->graph.ends[e].bond];
        if (b->order != SHOAL_ORDER_SINGLE || b->aromatic || b->conjugated) return true;
    }
    return false;
}

/* A carbon with a double bond to an end atom or a nitrogen. */
static bool is_carbonyl(const finder *f, int32_t atom)
{
    for (int32_t e = f->graph.start[atom]; e < f->graph.start[atom + 1]; ++e) {
        const int32_t z = f->mol->element[f->graph.ends[e].atom];
        if (f->mol->bonds[f->graph.ends[e].bond].order == SHOAL_ORDER_DOUBLE &&
            (z == 7 || z == 8 || z == 16))
            return f->mol->element[atom] == 6;
    }
    return false;
}

static bool is_kept(const finder *f, int32_t i, int32_t j)
{
    const int32_t z = f->mol->element[j];
    return is_carbonyl(f, i) && (z == 7 || z == 8 || z == 16);
}

/* The partner with the lowest number, besides another one. */
static int32_t first_partner(const finder *f, int32_t atom, int32_t besides)
{
    int32_t best = -1;
    for (int32_t e = f->graph.start[atom]; e < f->graph.start[atom + 1]; ++e) {
        const int32_t to = f->graph.ends[e].atom;
        if (to != besides && (best < 0 || to < best)) best = to;
    }
    return best;
}

static void describe_rotor(const finder *f, bool conjugated, search_rotor *r)
{
    const bool planar[2] = {is_planar(f, r->i), is_planar(f, r->j)};
    r->flat = conjugated;
    r->kept = conjugated && (is_kept(f, r->i, r->j) || is_kept(f, r->j, r->i));
    r->fold = conjugated ? 2 : planar[0] || planar[1] ? 6 : 3;
    r->ends[0] = first_partner(f, r->i, r->j);
    r->ends[1] = first_partner(f, r->j, r->i);
}

/* The side with fewer atoms turns, unless it has fixed ones. */
static shoal_status add_rotor(finder *f, search_joints *to, const shoal_bond *b)
{
    const int32_t ends[2] = {b->i, b->j};
    int32_t best = -1, fewest = 0;
    for (int side = 0; side < 2; ++side) {
        const int32_t n = walk_from(f, ends[side], ends[1 - side]);
        if (n == 0 || !leaves_axis(f, n, ends[1 - side], ends[side])) return SHOAL_OK;
        if (any_fixed(f, n) || (best >= 0 && n >= fewest)) continue;
        best = side;
        fewest = n;
    }
    if (best < 0) return SHOAL_OK;
    search_rotor *r = &to->rotors[to->n_rotors++];
    *r = (search_rotor){.i = ends[1 - best], .j = ends[best]};
    describe_rotor(f, b->conjugated, r);
    return keep_queue(f, walk_from(f, r->j, r->i), &r->behind);
}

/* --- rings ---------------------------------------------------------------------------------------- */

/* What hangs on an atom by bonds that are in no ring; false if other bonds lead away from the ring. */
static shoal_status collect_branches(finder *f, int32_t atom, const int32_t ring_partners[2],
                                     search_atoms *to, bool *all)
{
    *all = true;
    for (int32_t e = f->graph.start[atom]; e < f->graph.start[atom + 1]; ++e) {
        const int32_t next = f->graph.ends[e].atom;
        if (next == ring_partners[0] || next == ring_partners[1] || next >= f->n_atoms) continue;
        const int32_t n = walk_from(f, next, atom);
        if (n == 0) *all = false;
        if (n > 0) SHOAL_TRY(keep_queue(f, n, to));
    }
    return SHOAL_OK;
}

static bool is_saturated(const finder *f, int32_t atom)
{
    for (int32_t e = f->graph.start[atom]; e < f->graph.start[atom + 1]; ++e) {
        const shoal_bond *b = &f->mol->bonds[f->graph.ends[e].bond];
        if (b->order != SHOAL_ORDER_SINGLE || b->aromatic || b->conjugated) return false;
    }
    return graph_degree(&f->graph, atom) >= 2;
}

static bool holds_fixed(const finder *f, const search_atoms *atoms)
{
    for (int32_t k = 0; k < atoms->n && f->fixed; ++k)
        if (f->fixed[atoms->of[k]]) return true;
    return false;
}

static shoal_status add_corner(finder *f, search_joints *to, int32_t ring, int32_t at)
{
    const int32_t *atoms = f->rings.atoms + f->rings.start[ring];
    const int32_t n = f->rings.start[ring + 1] - f->rings.start[ring];
    search_corner c = {.corner = atoms[at],
                       .sides = {atoms[(at + 1) % n], atoms[(at + n - 1) % n]},
                       .next = {atoms[(at + 2) % n], atoms[(at + n - 2) % n]}};
    bool all, any;
    if (!is_saturated(f, c.corner) || (f->fixed && f->fixed[c.corner])) return SHOAL_OK;
    SHOAL_TRY(collect_branches(f, c.corner, c.sides, &c.at_corner, &all));
    if (!all || holds_fixed(f, &c.at_corner)) return SHOAL_OK;
    for (int side = 0; side < 2; ++side) {
        const int32_t partners[2] = {c.corner, c.next[side]};
        SHOAL_TRY(collect_branches(f, c.sides[side], partners, &c.at_side[side], &any));
        if (holds_fixed(f, &c.at_side[side])) c.at_side[side].n = 0;
    }
    c.ring.of = arena_alloc(f->memory, (size_t)n, sizeof *c.ring.of);
    if (!c.ring.of) return SHOAL_E_MEMORY;
    memcpy(c.ring.of, atoms, (size_t)n * sizeof *atoms);
    c.ring.n = n;
    to->corners[to->n_corners++] = c;
    return SHOAL_OK;
}

static shoal_status fill_ring(finder *f, search_ring *to)
{
    for (int32_t k = 0; k < to->n; ++k) {
        const int32_t atom = to->atoms[k];
        const int32_t partners[2] = {to->atoms[(k + 1) % to->n],
                                     to->atoms[(k + to->n - 1) % to->n]};
        bool all;
        SHOAL_TRY(collect_branches(f, atom, partners, &to->branches[k], &all));
        const bool held = holds_fixed(f, &to->branches[k]) || (f->fixed && f->fixed[atom]);
        to->inner[k] = all && !held;
        to->pivot[k] = !is_planar(f, atom);
        if (!to->inner[k]) to->branches[k].n = 0;
        to->n_pivots += to->pivot[k];
    }
    return SHOAL_OK;
}

static shoal_status add_ring(finder *f, search_joints *to, const int32_t *atoms, int32_t n)
{
    search_ring r = {.n = n};
    const size_t size = (size_t)n;
    int32_t n_turning = 0;
    r.atoms = arena_alloc(f->memory, size, sizeof *r.atoms);
    r.branches = arena_alloc(f->memory, size, sizeof *r.branches);
    r.inner = arena_alloc(f->memory, size, sizeof *r.inner);
    r.pivot = arena_alloc(f->memory, size, sizeof *r.pivot);
    if (!r.atoms || !r.branches || !r.inner || !r.pivot) return SHOAL_E_MEMORY;
    memcpy(r.atoms, atoms, size * sizeof *atoms);
    SHOAL_TRY(fill_ring(f, &r));
    for (int32_t k = 0; k < n; ++k) n_turning += r.inner[k];
    if (r.n_pivots >= 2 && n_turning > 0)
        to->rings[to->n_rings++] = r;
    else if (r.n_pivots > 0)
        to->stiff_rings = true;
    return SHOAL_OK;
}

/* --- pyramids ------------------------------------------------------------------------------------- */

static shoal_status add_pyramid(finder *f, search_joints *to, int32_t atom)
{
    if (f->mol->element[atom] != 7 || graph_degree(&f->graph, atom) != 3 || !is_saturated(f, atom))
        return SHOAL_OK;
    const graph_end *ends = f->graph.ends + f->graph.start[atom];
    int32_t best = -1, fewest = 0;
    for (int k = 0; k < 3; ++k) {
        const int32_t n = walk_from(f, ends[k].atom, atom);
        if (n == 0 || any_fixed(f, n) || (best >= 0 && n >= fewest)) continue;
        best = k;
        fewest = n;
    }
    if (best < 0) return SHOAL_OK;
    search_pyramid *p = &to->pyramids[to->n_pyramids++];
    *p = (search_pyramid){.top = atom,
                          .sides = {ends[(best + 1) % 3].atom, ends[(best + 2) % 3].atom},
                          .branch = ends[best].atom};
    return keep_queue(f, walk_from(f, p->branch, atom), &p->behind);
}

static shoal_status find_all(finder *f, search_joints *out)
{
    const shoal_molecule *mol = f->mol;
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (may_turn(f, &mol->bonds[b])) SHOAL_TRY(add_rotor(f, out, &mol->bonds[b]));
    for (int32_t r = 0; r < f->rings.n_rings; ++r) {
        const int32_t n = f->rings.start[r + 1] - f->rings.start[r];
        const int32_t *atoms = f->rings.atoms + f->rings.start[r];
        if (atoms[0] >= f->n_atoms || n < LEAST_RING) continue;
        if (n >= LEAST_CRANK) SHOAL_TRY(add_ring(f, out, atoms, n));
        for (int32_t k = 0; k < n && n <= SEARCH_LARGEST_FLAP; ++k)
            SHOAL_TRY(add_corner(f, out, r, k));
    }
    for (int32_t i = 0; i < f->n_atoms; ++i) SHOAL_TRY(add_pyramid(f, out, i));
    return SHOAL_OK;
}

shoal_status search_joints_find(search_joints *out, const shoal_molecule *mol, int32_t n_atoms,
                                const double (*pos)[3], const bool *fixed)
{
    *out = (search_joints){0};
    arena *memory = &out->memory;
    finder f = {.mol = mol, .pos = pos, .fixed = fixed, .n_atoms = n_atoms, .memory = memory};
    SHOAL_TRY(graph_build(&f.graph, mol, memory));
    SHOAL_TRY(rings_find(&f.rings, &f.graph, mol, memory));
    f.queue = arena_alloc(memory, (size_t)n_atoms, sizeof *f.queue);
    f.mark = arena_alloc(memory, (size_t)n_atoms, sizeof *f.mark);
    out->rotors = arena_alloc(memory, (size_t)mol->n_bonds, sizeof *out->rotors);
    out->pyramids = arena_alloc(memory, (size_t)n_atoms, sizeof *out->pyramids);
    out->rings = arena_alloc(memory, (size_t)f.rings.n_rings, sizeof *out->rings);
    const size_t n_corners = f.rings.n_rings > 0 ? (size_t)f.rings.start[f.rings.n_rings] : 0;
    out->corners = arena_alloc(memory, n_corners, sizeof *out->corners);
    if (!f.queue || !f.mark || !out->rotors || !out->pyramids || !out->corners || !out->rings)
        return SHOAL_E_MEMORY;
    return find_all(&f, out);
}

void search_joints_free(search_joints *joints)
{
    arena_free(&joints->memory);
    *joints = (search_joints){0};
}
