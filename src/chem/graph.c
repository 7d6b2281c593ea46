/* SPDX-License-Identifier: BSD-3-Clause
 * Adjacency of a molecule's atoms: counting, prefix sum, filling in bond order. */
#include "chem/graph.h"

static void put_end(graph *g, int32_t *fill, int32_t atom, graph_end end)
{
    g->ends[fill[atom]++] = end;
}

shoal_status graph_build(graph *out, const shoal_molecule *mol, arena *memory)
{
    const int32_t n = mol->n_atoms;
    out->n_atoms = n;
    out->start = arena_alloc(memory, (size_t)n + 1, sizeof *out->start);
    out->ends = arena_alloc_dirty(memory, 2 * (size_t)mol->n_bonds, sizeof *out->ends);
    int32_t *fill = arena_alloc_dirty(memory, (size_t)n, sizeof *fill);
    if (!out->start || !out->ends || !fill) return SHOAL_E_MEMORY;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        ++out->start[mol->bonds[b].i + 1];
        ++out->start[mol->bonds[b].j + 1];
    }
    for (int32_t i = 0; i < n; ++i) {
        out->start[i + 1] += out->start[i];
        fill[i] = out->start[i];
    }
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *e = &mol->bonds[b];
        const int32_t *s = e->shift;
        put_end(out, fill, e->i, (graph_end){e->j, b, {s[0], s[1], s[2]}});
        put_end(out, fill, e->j, (graph_end){e->i, b, {-s[0], -s[1], -s[2]}});
    }
    return SHOAL_OK;
}

bool graph_are_joined(const graph *g, const graph_end *i, const graph_end *k)
{
    for (int32_t e = g->start[i->atom]; e < g->start[i->atom + 1]; ++e) {
        const graph_end *end = &g->ends[e];
        bool same = end->atom == k->atom;
        for (int c = 0; c < 3; ++c) same &= i->shift[c] + end->shift[c] == k->shift[c];
        if (same) return true;
    }
    return false;
}
