/* SPDX-License-Identifier: BSD-3-Clause
 * Lists of blocks of large systems: what the groups of a launch work on. Finished systems are left
 * out. */
#include <stdlib.h>

#include "backend/opencl/large/cl_large.h"
#include "base/alloc.h"

typedef struct block_list {
    int32_t (*blocks)[4];
    int32_t n;
} block_list;

static void put_blocks(block_list *list, int32_t system, int32_t kind, int32_t n, int32_t size,
                       int32_t number)
{
    for (int32_t at = 0; at < n; at += size) {
        int32_t *b = list->blocks[list->n++];
        b[0] = system;
        b[1] = at;
        b[2] = kind;
        b[3] = number++;
    }
}

/* Lines of so many nodes. */
static void put_lines(block_list *list, int32_t system, int32_t n, int32_t length)
{
    put_blocks(list, system, 0, n, LARGE_BUNDLE(length), 0);
}

/* Blocks of one list for one system. */
static void put_system(const cl_large *large, int list, int32_t k, block_list *to)
{
    const cl_large_place *p = cl_large_at(large, k);
    const large_topology *t = cl_large_topology(large, p);
    const large_system *s = &p->layout;
    const bool periodic = s->periodic != 0;
    const int32_t *nodes = s->n_nodes;
    const int32_t n_particles = t->n_points + t->n_sites;
    int32_t number = 0;
    switch (list) {
    case CL_LARGE_SYSTEMS: put_blocks(to, k, 0, 1, 1, 0); return;
    case CL_LARGE_ISOLATED:
        if (!periodic) put_blocks(to, k, 0, n_particles, LARGE_QUAD, 0);
        return;
    case CL_LARGE_PERIODIC:
        if (periodic) put_blocks(to, k, 0, n_particles, LARGE_QUAD, 0);
        return;
    case CL_LARGE_KVECS: put_blocks(to, k, 0, p->layout.n_kvecs, LARGE_QUAD, 0); return;
    case CL_LARGE_CHARGED:
        if (p->layout.n_kvecs > 0) put_blocks(to, k, 0, n_particles, LARGE_QUAD, 0);
        return;
    case CL_LARGE_MESHED:
        if (s->order > 0) put_blocks(to, k, 0, n_particles, LARGE_GROUP, 0);
        return;
    case CL_LARGE_BRICKS: put_blocks(to, k, 0, cl_large_bricks(s), 1, 0); return;
    case CL_LARGE_ROWS: put_lines(to, k, nodes[0] * nodes[1] / 2, nodes[2]); return;
    case CL_LARGE_COLUMNS: put_lines(to, k, nodes[0] * nodes[2] / 2, nodes[1]); return;
    case CL_LARGE_MODES: put_lines(to, k, nodes[1] * nodes[2] / 2, nodes[0]); return;
    case CL_LARGE_PULLED:
        if (s->order > 0) put_blocks(to, k, 0, n_particles, LARGE_QUAD, 0);
        return;
    case CL_LARGE_CHAINED:
        if (p->ewald.chain.n_images > 0) put_blocks(to, k, 0, n_particles, LARGE_QUAD, 0);
        return;
    case CL_LARGE_LISTED:
        if (periodic) put_blocks(to, k, 0, n_particles, LARGE_LISTED, 0);
        return;
    case CL_LARGE_SITED: put_blocks(to, k, 0, t->n_sites, LARGE_GROUP, 0); return;
    case CL_LARGE_FREE:
    case CL_LARGE_BODIED:
        if (large->input->systems[p->system].bodies ? list == CL_LARGE_FREE : list != CL_LARGE_FREE)
            return;
        put_blocks(to, k, 0, cl_large_movers(t), LARGE_GROUP, 0);
        return;
    case CL_LARGE_EVERY:
    case CL_LARGE_MOVERS: put_blocks(to, k, 0, cl_large_movers(t), LARGE_GROUP, 0); return;
    default:
        for (int kind = 0; kind < TERM_N_KINDS; ++kind) {
            put_blocks(to, k, kind, t->n_terms[kind], LARGE_GROUP, number);
            number += (t->n_terms[kind] + LARGE_GROUP - 1) / LARGE_GROUP;
        }
    }
}

/* Blocks of the systems that are not finished, with one model among those of the plan; -1: with any. */
static void put_systems(const cl_large *large, int list, int32_t pairs, block_list *to)
{
    for (int32_t k = 0; k < large->n; ++k) {
        const bool going = large->status[LARGE_STATUS * k + LARGE_OUTCOME] == STEP_GOING;
        if ((list == CL_LARGE_EVERY || going) &&
            (pairs < 0 || cl_large_at(large, k)->pairs == pairs))
            put_system(large, list, k, to);
    }
}

static void put_pairs(const cl_large *large, int list, block_list *to)
{
    const int which = list == CL_LARGE_PERIODIC;
    for (int32_t m = 0; m < large->pairs.n; ++m) {
        cl_large_pairs *p = cl_large_pairs_at(large, m);
        p->list_first[which] = to->n;
        put_systems(large, list, m, to);
        p->list_n[which] = to->n - p->list_first[which];
    }
}

shoal_status cl_large_list_blocks(cl_large *large)
{
    block_list list = {
        .blocks = shoal_alloc((size_t)large->counts[CL_LARGE_blocks], sizeof *list.blocks)};
    if (!list.blocks) return SHOAL_E_MEMORY;
    for (int l = 0; l < CL_LARGE_N_LISTS; ++l) {
        large->list_first[l] = list.n;
        if (l == CL_LARGE_ISOLATED || l == CL_LARGE_PERIODIC)
            put_pairs(large, l, &list);
        else
            put_systems(large, l, -1, &list);
        large->list_n[l] = list.n - large->list_first[l];
    }
    const shoal_status status = cl_buffer_write(&large->buffers[CL_LARGE_blocks], 0,
                                                (size_t)list.n * sizeof *list.blocks, list.blocks);
    free(list.blocks);
    return status;
}
