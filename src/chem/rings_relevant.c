/* SPDX-License-Identifier: BSD-3-Clause
 * Relevant cycles of one finite component. A relevant cycle is isometric, so from its lowest atom
 * both ways round are shortest paths: a breadth-first search from every atom, kept to higher atoms,
 * meets each of them exactly once. Cycles of one length are kept if they are independent, modulo
 * 2, of all shorter ones; the search ends when the kept ones span the cycle space. */
#include "chem/rings_inner.h"

#include <string.h>

#include "base/alloc.h"

typedef struct span {
    int32_t n_words;
    int32_t n_rows;
    uint64_t *rows; /* [rank][n_words], echelon form */
    int32_t *pivot; /* [rank] leading bit of each row */
} span;

typedef struct relevant {
    ring_search *s;
    int32_t *local_bond; /* [all bonds] number within the component */
    int32_t *depth;      /* [all atoms] from the root; -1 not reached */
    int32_t *queue;
    int32_t root, length;
    int32_t *atoms, *bonds; /* the cycle being closed: walk_ arrays of the search */
    span basis;
    uint64_t *bits;    /* scratch row */
    int32_t first_new; /* first ring of the present length */
    int32_t most;      /* rings beyond this number are a sign of exponentially many */
} relevant;

/* Reduces bits by the basis; returns the leading bit left over, -1 if nothing is left. */
static int32_t span_reduce(const span *b, uint64_t *bits)
{
    for (int32_t r = 0; r < b->n_rows; ++r) {
        const int32_t p = b->pivot[r];
        if (!(bits[p / 64] >> (p % 64) & 1)) continue;
        const uint64_t *row = b->rows + (size_t)r * (size_t)b->n_words;
        for (int32_t w = 0; w < b->n_words; ++w) bits[w] ^= row[w];
    }
    for (int32_t w = 0; w < b->n_words; ++w)
        if (bits[w]) return w * 64 + __builtin_ctzll(bits[w]);
    return -1;
}

static void fill_bits(const relevant *q, const int32_t *bonds, int32_t n)
{
    memset(q->bits, 0, (size_t)q->basis.n_words * sizeof *q->bits);
    for (int32_t k = 0; k < n; ++k) {
        const int32_t b = q->local_bond[bonds[k]];
        q->bits[b / 64] |= (uint64_t)1 << (b % 64);
    }
}

/* Takes the rings of the present length into the basis. */
static void extend_basis(relevant *q)
{
    const ring_set *found = &q->s->found;
    for (int32_t r = q->first_new; r < found->n_rings; ++r) {
        const int32_t start = found->start[r];
        fill_bits(q, found->bonds + start, found->start[r + 1] - start);
        const int32_t pivot = span_reduce(&q->basis, q->bits);
        if (pivot < 0) continue;
        span *b = &q->basis;
        memcpy(b->rows + (size_t)b->n_rows * (size_t)b->n_words, q->bits,
               (size_t)b->n_words * sizeof *q->bits);
        b->pivot[b->n_rows++] = pivot;
    }
    q->first_new = found->n_rings;
}

static shoal_status close_cycle(relevant *q)
{
    fill_bits(q, q->bonds, q->length);
    if (q->s->found.n_rings > q->most || span_reduce(&q->basis, q->bits) < 0) return SHOAL_OK;
    return rings_add(q->s, q->atoms, q->bonds, q->length);
}

/* Walks both arms one layer towards the root. The cycle is stored with the root at index 0, the
 * left arm at index = depth, the right arm at length - depth. */
static shoal_status extend_arms(relevant *q, int32_t layer)
{
    const ring_search *s = q->s;
    const int32_t left = q->atoms[layer], right = q->atoms[q->length - layer];
    if (q->s->found.n_rings > q->most) return SHOAL_OK;
    for (int32_t e = s->start[left]; e < s->start[left + 1]; ++e) {
        const ring_end *l = &s->ends[e];
        if (q->depth[l->atom] != layer - 1) continue;
        q->atoms[layer - 1] = l->atom;
        q->bonds[layer - 1] = l->bond;
        for (int32_t f = s->start[right]; f < s->start[right + 1]; ++f) {
            const ring_end *r = &s->ends[f];
            if (q->depth[r->atom] != layer - 1) continue;
            q->bonds[q->length - layer] = r->bond;
            if (layer == 1) {
                SHOAL_TRY(close_cycle(q));
            } else if (r->atom != l->atom) {
                q->atoms[q->length - layer + 1] = r->atom;
                SHOAL_TRY(extend_arms(q, layer - 1));
            }
        }
    }
    return SHOAL_OK;
}

/* Odd cycle: its far side is a bond between two atoms of the last layer. */
static shoal_status close_odd(relevant *q, int32_t x)
{
    const ring_search *s = q->s;
    const int32_t d = q->length / 2;
    for (int32_t e = s->start[x]; e < s->start[x + 1]; ++e) {
        const ring_end *end = &s->ends[e];
        if (end->atom <= x || q->depth[end->atom] != d) continue;
        q->atoms[d] = x;
        q->bonds[d] = end->bond;
        q->atoms[d + 1] = end->atom;
        SHOAL_TRY(extend_arms(q, d));
    }
    return SHOAL_OK;
}

/* Even cycle: its far side is an atom reached from two atoms of the layer before. */
static shoal_status close_even(relevant *q, int32_t y)
{
    const ring_search *s = q->s;
    const int32_t d = q->length / 2;
    for (int32_t e = s->start[y]; e < s->start[y + 1]; ++e) {
        const ring_end *l = &s->ends[e];
        if (q->depth[l->atom] != d - 1) continue;
        for (int32_t f = e + 1; f < s->start[y + 1]; ++f) {
            const ring_end *r = &s->ends[f];
            if (q->depth[r->atom] != d - 1) continue;
            q->atoms[d] = y;
            q->atoms[d - 1] = l->atom;
            q->bonds[d - 1] = l->bond;
            q->bonds[d] = r->bond;
            q->atoms[d + 1] = r->atom;
            SHOAL_TRY(extend_arms(q, d - 1));
        }
    }
    return SHOAL_OK;
}

/* The lowest atom of a cycle has two higher neighbours on it. */
static bool may_be_lowest(const ring_search *s, int32_t atom)
{
    int32_t n = 0;
    for (int32_t e = s->start[atom]; e < s->start[atom + 1]; ++e) n += s->ends[e].atom > atom;
    return n >= 2;
}

static shoal_status search_root(relevant *q)
{
    const ring_search *s = q->s;
    const int32_t last = q->length / 2;
    int32_t n = 0;
    shoal_status status = SHOAL_OK;
    q->queue[n++] = q->root;
    q->depth[q->root] = 0;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = q->queue[k];
        if (q->depth[i] == last) break;
        for (int32_t e = s->start[i]; e < s->start[i + 1]; ++e) {
            const int32_t j = s->ends[e].atom;
            if (j < q->root || q->depth[j] >= 0) continue;
            q->depth[j] = q->depth[i] + 1;
            q->queue[n++] = j;
        }
    }
    for (int32_t k = n - 1; k >= 0 && status == SHOAL_OK; --k) {
        if (q->depth[q->queue[k]] != last) break;
        status = q->length % 2 ? close_odd(q, q->queue[k]) : close_even(q, q->queue[k]);
    }
    for (int32_t k = 0; k < n; ++k) q->depth[q->queue[k]] = -1;
    return status;
}

shoal_status rings_search_relevant(ring_search *s, const int32_t *members, int32_t n,
                                   int32_t n_bonds)
{
    const int32_t rank = n_bonds - n + 1, old_rings = s->found.n_rings;
    relevant q = {.s = s,
                  .atoms = s->walk_atoms,
                  .bonds = s->walk_bonds,
                  .first_new = old_rings,
                  .local_bond = s->local_bond,
                  .depth = s->depth,
                  .most = old_rings + 8 * rank + 64};
    q.basis.n_words = (n_bonds + 63) / 64;
    q.queue = arena_alloc_dirty(s->memory, (size_t)n, sizeof *q.queue);
    q.bits = arena_alloc(s->memory, (size_t)q.basis.n_words, sizeof *q.bits);
    q.basis.rows = arena_alloc(s->memory, (size_t)rank * (size_t)q.basis.n_words, sizeof *q.bits);
    q.basis.pivot = arena_alloc(s->memory, (size_t)rank, sizeof *q.basis.pivot);
    if (!q.queue || !q.bits || !q.basis.rows || !q.basis.pivot) return SHOAL_E_MEMORY;
    int32_t next = 0;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t i = members[k];
        q.depth[i] = -1;
        for (int32_t e = s->start[i]; e < s->start[i + 1]; ++e)
            if (i < s->ends[e].atom) q.local_bond[s->ends[e].bond] = next++;
    }
    for (q.length = 3; q.length <= n && q.basis.n_rows < rank; ++q.length) {
        for (int32_t k = 0; k < n; ++k) {
            q.root = members[k];
            if (may_be_lowest(s, q.root)) SHOAL_TRY(search_root(&q));
        }
        if (s->found.n_rings >
            q.most) { /* a macrocycle with 2^k ways round: only its short rings count */
            s->found.n_rings = old_rings;
            return rings_search_isometric(s, members, n);
        }
        extend_basis(&q);
    }
    return SHOAL_OK;
}
