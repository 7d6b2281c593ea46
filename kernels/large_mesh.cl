/* SPDX-License-Identifier: BSD-3-Clause
 * Charges of large systems on a mesh (kernels/mesh_terms.h), and what its potential does to them; the sums between the two are
 * in large_waves.cl. A brick of nodes gathers from the particles whose splines reach it, in the order of the list's
 * cells: nothing is added from two sides. */
#include "large.h"
#include "mesh_terms.h"

/* The last node that a particle gives to along an axis, and how far it is behind that. Both are exact. */
SHOAL_FN int mesh_node(turn t, int n, real *rest)
{
    *rest = (real)(t * (turn)n) * TURN_UNIT;
    return (int)mul_hi(t, (turn)n);
}

SHOAL_FN turn turn_along(turn4 t, int axis)
{
    return axis == 0 ? t.x : axis == 1 ? t.y : t.z;
}

/* Splines of a particle: its values along the axis, then its slopes. */
SHOAL_FN void mesh_put_spline(int order, real rest, global real *to)
{
    real value[MESH_ORDER], slope[MESH_ORDER];
    mesh_spline(order, rest, value, slope);
    for (int k = 0; k < order; ++k) {
        to[k] = value[k];
        to[order + k] = slope[k];
    }
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_place(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    const int i = block.y + l, order = sys->order;
    if (!LARGE_GOING || i >= n_particles) return;
    const turn4 turns_of = turns[at + i];
    for (int a = 0; a < 3; ++a) {
        real rest;
        (void)mesh_node(turn_along(turns_of, a), sys->n_nodes[a], &rest);
        global real *to = splines + (size_t)sys->spline + (size_t)(6 * order) * (size_t)i +
                          (size_t)(2 * a * order);
#define MESH_PUT(order) mesh_put_spline(order, rest, to)
        MESH_BY_ORDER(order, MESH_PUT)
#undef MESH_PUT
    }
}

/* Nodes along an axis that a group gathers, and cells of the list along a vector of the cell. */
typedef struct brick_range {
    int node, n_nodes, cell, n_cells;
} brick_range;

SHOAL_FN void find_nodes(global const large_system *sys, int brick, brick_range r[3])
{
    for (int a = 2; a >= 0; --a) {
        const int n = sys->n_nodes[a], n_bricks = (n + LARGE_BRICK - 1) / LARGE_BRICK;
        r[a].node = LARGE_BRICK * (brick % n_bricks);
        r[a].n_nodes = n - r[a].node < LARGE_BRICK ? n - r[a].node : LARGE_BRICK;
        brick /= n_bricks;
    }
}

/* Cells where all particles are that reach the brick. */
SHOAL_FN void find_cells(global const large_system *sys, global const real *geo, brick_range r[3])
{
    for (int k = 0; k < 3; ++k) {
        const int n_cells = sys->n_cells[k];
        real low = R(0.5) - geo[LARGE_ORIGIN + k] - geo[LARGE_SLACK + k];
        real high = R(0.5) - geo[LARGE_ORIGIN + k] + geo[LARGE_SLACK + k];
        for (int a = 0; a < 3; ++a) {
            const real along = geo[LARGE_BASIS + 3 * a + k] / (real)sys->n_nodes[a];
            const real begin = along * (real)r[a].node;
            const real end = along * (real)(r[a].node + r[a].n_nodes + sys->order - 1);
            low += real_min(begin, end);
            high += real_max(begin, end);
        }
        const int first = (int)floor(low * (real)n_cells), cell = first % n_cells;
        const int count = (int)floor(high * (real)n_cells) - first + 1;
        r[k].cell = cell < 0 ? cell + n_cells : cell;
        r[k].n_cells = count < n_cells ? count : n_cells;
    }
}

/* Cells (o / 2) of a row along the last axis, up to the end of the cell (o even), and from its beginning. */
SHOAL_FN int find_run(global const large_system *sys, const brick_range *r, int o,
                      global const int *start, int *end)
{
    const int c0 = (r[0].cell + o / 2 / r[1].n_cells) % sys->n_cells[0];
    const int c1 = (r[1].cell + o / 2 % r[1].n_cells) % sys->n_cells[1];
    const int row = (c0 * sys->n_cells[1] + c1) * sys->n_cells[2];
    const int beyond = r[2].cell + r[2].n_cells - sys->n_cells[2];
    const int last = beyond < 0 ? beyond + sys->n_cells[2] : sys->n_cells[2];
    *end = start[row + (o & 1 ? (beyond > 0 ? beyond : 0) : last)];
    return start[row + (o & 1 ? 0 : r[2].cell)];
}

/* How many nodes a particle's last one is ahead of the first of a brick; whether it reaches the brick. */
SHOAL_FN int reaches(global const large_system *sys, const brick_range *r, turn4 turns_of,
                     int ahead[3])
{
    int touches = 1;
    for (int a = 0; a < 3; ++a) {
        real rest;
        const int n = sys->n_nodes[a];
        const int d = mesh_node(turn_along(turns_of, a), n, &rest) - r[a].node;
        ahead[a] = d < 0 ? d + n : d;
        touches = touches && ahead[a] < r[a].n_nodes + sys->order - 1;
    }
    return touches;
}

/* Weights of the nodes of a brick along the three axes; the first have the charge. */
SHOAL_FN void put_weights(global const large_system *sys, const brick_range *r,
                          global const real *spline, const int ahead[3], real charge,
                          local real *to)
{
    const int order = sys->order;
    for (int a = 0; a < 3; ++a)
        for (int t = 0; t < LARGE_BRICK; ++t) {
            const int d = ahead[a] - t, behind = d < 0 ? d + sys->n_nodes[a] : d;
            const int is_there = t < r[a].n_nodes && behind < order;
            const real weight = is_there ? spline[2 * a * order + order - 1 - behind] : R(0.0);
            to[LARGE_BRICK * a + t] = a == 0 ? charge * weight : weight;
        }
}

/* A brick of nodes, four along the last axis for every work-item. Particles are looked at WG at a time; those that
 * reach the brick are lined up in their order. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_spread(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local uint marks[WG / 32];
    local real4 weights[6 * WG];
    brick_range r[3];
    find_nodes(sys, block.y, r);
    find_cells(sys, geo, r);
    const int n_cells = sys->n_cells[0] * sys->n_cells[1] * sys->n_cells[2];
    global const int *start = cells + sys->cell, *sorted = start + 2 * n_cells + 1;
    const int going = LARGE_GOING, n_runs = going ? 2 * r[0].n_cells * r[1].n_cells : 0;
    const int own0 = l >> 4, own1 = l >> 1 & 7, upper = l & 1;
    real4 sum = (real4)(0, 0, 0, 0);
    for (int o = 0; o < n_runs; ++o) {
        int end;
        const int begin = find_run(sys, r, o, start, &end);
        for (int first = begin; first < end; first += WG) {
            int ahead[3];
            if (l < WG / 32) marks[l] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            const int j = sorted[first + l < end ? first + l : first];
            const int touches = reaches(sys, r, turns[at + j], ahead) && first + l < end;
            if (touches) (void)atomic_or(marks + (l >> 5), 1u << (l & 31));
            barrier(CLK_LOCAL_MEM_FENCE);
            int n_near = 0, before = (int)popcount(marks[l >> 5] & ((1u << (l & 31)) - 1u));
            for (int w = 0; w < WG / 32; ++w) {
                before += w < l >> 5 ? (int)popcount(marks[w]) : 0;
                n_near += (int)popcount(marks[w]);
            }
            if (touches)
                put_weights(sys, r,
                            splines + (size_t)sys->spline + (size_t)(6 * sys->order) * (size_t)j,
                            ahead, wrapped[at + j].w, (local real *)(weights + 6 * before));
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int k = 0; k < n_near; ++k) {
                local const real *w = (local const real *)(weights + 6 * k);
                sum += w[own0] * w[LARGE_BRICK + own1] * weights[6 * k + 4 + upper];
            }
        }
    }
    if (going && own0 < r[0].n_nodes && own1 < r[1].n_nodes) {
        const size_t row =
            (size_t)(r[0].node + own0) * (size_t)sys->n_nodes[1] + (size_t)(r[1].node + own1);
        global real *to = mesh + (size_t)sys->node + row * (size_t)sys->n_nodes[2] +
                          (size_t)(r[2].node + 4 * upper);
        const int n_own = r[2].n_nodes - 4 * upper;
        if (n_own > 0) to[0] = sum.x;
        if (n_own > 1) to[1] = sum.y;
        if (n_own > 2) to[2] = sum.z;
        if (n_own > 3) to[3] = sum.w;
    }
}

/* Slopes of the potential in nodes (x, y, z) and its value (w): the part of rows lane, lane + 32 .. of the nodes that a
 * particle gives to. */
SHOAL_FN real4 mesh_slopes(global const large_system *sys, turn4 turns_of, global const real *s,
                           global const real *values, int lane)
{
    const int order = sys->order, n1 = sys->n_nodes[1], n2 = sys->n_nodes[2];
    int first[3];
    real4 sum = (real4)(0, 0, 0, 0);
    for (int a = 0; a < 3; ++a) {
        real rest;
        const int n = sys->n_nodes[a];
        first[a] = (mesh_node(turn_along(turns_of, a), n, &rest) - order + 1 + n) % n;
    }
    for (int row = lane; row < order * order; row += 32) {
        const int a = row / order, b = row - a * order;
        const int m0 = (first[0] + a) % sys->n_nodes[0], m1 = (first[1] + b) % n1;
        global const real *from = values + ((size_t)m0 * (size_t)n1 + (size_t)m1) * (size_t)n2;
        real value = 0, slope = 0;
        for (int c = 0, m2 = first[2]; c < order; ++c) {
            value += s[4 * order + c] * from[m2];
            slope += s[5 * order + c] * from[m2];
            m2 = m2 + 1 < n2 ? m2 + 1 : 0;
        }
        const real va = s[a], vb = s[2 * order + b];
        sum += (real4)(s[order + a] * vb * value, va * s[3 * order + b] * value, va * vb * slope,
                       va * vb * value);
    }
    return sum;
}

/* Forces on four particles, in the order of cells, and what half of their energy is; 32 work-items each. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_pull(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    const int k = block.y + l / 32, lane = l % 32, wanted = LARGE_GOING && k < n_particles;
    const int n_cells = sys->n_cells[0] * sys->n_cells[1] * sys->n_cells[2];
    global const int *sorted = cells + sys->cell + 2 * n_cells + 1;
    const int i = wanted ? sorted[k] : 0;
    red[l] = (real4)(0, 0, 0, 0);
    if (wanted)
        red[l] = mesh_slopes(sys, turns[at + i],
                             splines + (size_t)sys->spline + (size_t)(6 * sys->order) * (size_t)i,
                             mesh + (size_t)sys->node, lane);
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 part = (real4)(0, 0, 0, 0);
    if (lane < 4)
        for (int m = 0; m < 8; ++m) part += red[l + 4 * m];
    barrier(CLK_LOCAL_MEM_FENCE);
    red[l] = part;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && wanted) {
        const real charge = wrapped[at + i].w;
        const real4 s = (red[l] + red[l + 1]) + (red[l + 2] + red[l + 3]);
        const real u[3] = {s.x * (real)sys->n_nodes[0], s.y * (real)sys->n_nodes[1],
                           s.z * (real)sys->n_nodes[2]};
        real f[3] = {0, 0, 0};
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c) f[c] -= charge * u[a] * geo[LARGE_KVEC + 3 * a + c];
        slots[sys->slot + t->n_slots + n_particles + i] =
            (real4)(f[0], f[1], f[2], R(0.5) * charge * s.w);
    }
}
