/* SPDX-License-Identifier: BSD-3-Clause
 * Fourier sums of charges on a mesh, their weights, and the way back to the potential, line by line in local memory. Two
 * rows of real numbers are one of complex ones, whose sums then take the place of both: half of the modes along the last
 * axis, without the highest, which counts for nothing. */
#include "large.h"

#define FFT(name) name
#include "fft_terms.h"

#include "constants.h"

/* e / n of numbers that floats hold: up to LARGE_LINE, or a few times that. */
SHOAL_FN int divide(int e, int n)
{
    return (int)(((float)e + 0.5f) / (float)n);
}

/* One stage, as fft_stage in src/geom/fft_stages.h: from total numbers, of lines side by side, to as many. */
SHOAL_FN void line_stage(int p, local const real2 *from, local real2 *to, int total, int width,
                         global const real4 *turns_of, int step)
{
    for (int e = (int)get_local_id(0); e < total / p; e += WG) {
        const int k = divide(e, width), at = e + (p - 1) * k * width;
        real re[FFT_RADIX], im[FFT_RADIX];
        for (int t = 0; t < p; ++t) {
            const real2 z = from[e + t * (total / p)];
            re[t] = z.x;
            im[t] = z.y;
        }
        fft_butterfly(p, re, im);
        to[at] = (real2)(re[0], im[0]);
        for (int j = 1; j < p; ++j) {
            const real4 w = turns_of[j * k * step];
            to[at + j * width] = (real2)(w.x * re[j] - w.y * im[j], w.x * im[j] + w.y * re[j]);
        }
    }
}

/* Lines of n numbers, side by side in one half of the room: sums with exp(+2 pi i j k / n), or exp(-..) with the parts
 * exchanged. Returns in which half they are. A barrier stands before every stage, which reads one half and writes to the
 * other, and at the end. */
SHOAL_FN int sum_lines(local real2 *room, int side, int n, int n_lines,
                       global const real4 *turns_of)
{
    const int total = n * n_lines;
    int width = n_lines, step = 1;
    for (int left = n; left > 1; side = !side) {
        const int p = left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : 5;
        local const real2 *from = room + side * LARGE_LINE;
        local real2 *to = room + !side * LARGE_LINE;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (p == 4) line_stage(4, from, to, total, width, turns_of, step);
        if (p == 2) line_stage(2, from, to, total, width, turns_of, step);
        if (p == 3) line_stage(3, from, to, total, width, turns_of, step);
        if (p == 5) line_stage(5, from, to, total, width, turns_of, step);
        width *= p;
        step *= p;
        left /= p;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); /* lines go back where they were read */
    return side;
}

/* What is common to a bundle of lines along an axis: n nodes each, and where they are. */
typedef struct bundle {
    int n, n_lines, first; /* lines first .. first + n_lines - 1 */
    int n_modes;           /* modes along the last axis */
    global const real4 *turns_of;
    global real *values; /* nodes, or modes in their place */
} bundle;

SHOAL_FN bundle find_bundle(global const large_system *sys, int axis, int first, int n_all,
                            int going, global const real4 *mesh_turns, global real *mesh)
{
    const int n = sys->n_nodes[axis], most = LARGE_BUNDLE(n), left = n_all - first;
    const int before = (axis > 0 ? sys->n_nodes[0] : 0) + (axis > 1 ? sys->n_nodes[1] : 0);
    const bundle b = {going ? n : 0,
                      left < most ? left : most,
                      first,
                      sys->n_nodes[2] / 2,
                      mesh_turns + sys->mesh_turn + before,
                      mesh + (size_t)sys->node};
    return b;
}

#define MODES(b) ((global real2 *)(b).values)

/* Pairs of rows. */
#define ROWS                                                                                       \
    find_bundle(sys, 2, block.y, sys->n_nodes[0] * sys->n_nodes[1] / 2, LARGE_GOING, mesh_turns,   \
                mesh)

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_rows(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real2 room[2 * LARGE_LINE];
    const bundle b = ROWS;
    for (int e = l; e < b.n * b.n_lines; e += WG) {
        const int q = divide(e, b.n), j = e - q * b.n;
        const size_t from = 2 * (size_t)(b.first + q) * (size_t)b.n + (size_t)j;
        room[j * b.n_lines + q] = (real2)(b.values[from], b.values[from + (size_t)b.n]);
    }
    local const real2 *z = room + LARGE_LINE * sum_lines(room, 0, b.n, b.n_lines, b.turns_of);
    const int n_do = b.n > 0 ? b.n_modes * b.n_lines : 0;
    for (int e = l; e < n_do; e += WG) {
        const int q = divide(e, b.n_modes), k = e - q * b.n_modes;
        const real2 up = z[k * b.n_lines + q], down = z[(k > 0 ? b.n - k : 0) * b.n_lines + q];
        const size_t to = 2 * (size_t)(b.first + q) * (size_t)b.n_modes + (size_t)k;
        MODES(b)[to] = R(0.5) * (real2)(up.x + down.x, up.y - down.y);
        MODES(b)[to + (size_t)b.n_modes] = R(0.5) * (real2)(up.y + down.y, down.x - up.x);
    }
}

/* Parts are exchanged on the way in and out. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_rows_back(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real2 room[2 * LARGE_LINE];
    const bundle b = ROWS;
    const int n_do = b.n > 0 ? b.n_modes * b.n_lines : 0;
    for (int e = l; e < n_do; e += WG) {
        const int q = divide(e, b.n_modes), k = e - q * b.n_modes;
        const size_t from = 2 * (size_t)(b.first + q) * (size_t)b.n_modes + (size_t)k;
        const real2 u = MODES(b)[from], v = MODES(b)[from + (size_t)b.n_modes];
        room[k * b.n_lines + q] = k > 0 ? (real2)(u.y + v.x, u.x - v.y) : (real2)(v.x, u.x);
        room[(k > 0 ? b.n - k : b.n_modes) * b.n_lines + q] =
            k > 0 ? (real2)(v.x - u.y, u.x + v.y) : (real2)(0, 0);
    }
    local const real2 *z = room + LARGE_LINE * sum_lines(room, 0, b.n, b.n_lines, b.turns_of);
    for (int e = l; e < b.n * b.n_lines; e += WG) {
        const int q = divide(e, b.n), j = e - q * b.n;
        const real2 w = z[j * b.n_lines + q];
        const size_t to = 2 * (size_t)(b.first + q) * (size_t)b.n + (size_t)j;
        b.values[to] = w.y;
        b.values[to + (size_t)b.n] = w.x;
    }
}

/* Number e of a bundle of lines along the middle axis. */
SHOAL_FN size_t column_at(const bundle *b, int e)
{
    const int j = divide(e, b->n_lines), c = b->first + e - j * b->n_lines, m0 = c / b->n_modes;
    return ((size_t)m0 * (size_t)b->n + (size_t)j) * (size_t)b->n_modes +
           (size_t)(c - m0 * b->n_modes);
}

SHOAL_FN void sum_columns(const bundle *b, int back, local real2 *room)
{
    const int l = (int)get_local_id(0);
    for (int e = l; e < b->n * b->n_lines; e += WG) {
        const real2 z = MODES(*b)[column_at(b, e)];
        room[e] = back ? z.yx : z;
    }
    local const real2 *z = room + LARGE_LINE * sum_lines(room, 0, b->n, b->n_lines, b->turns_of);
    for (int e = l; e < b->n * b->n_lines; e += WG)
        MODES(*b)[column_at(b, e)] = back ? z[e].yx : z[e];
}

#define COLUMNS                                                                                    \
    find_bundle(sys, 1, block.y, sys->n_nodes[0] * sys->n_nodes[2] / 2, LARGE_GOING, mesh_turns,   \
                mesh)

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_columns(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real2 room[2 * LARGE_LINE];
    const bundle b = COLUMNS;
    sum_columns(&b, 0, room);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_columns_back(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real2 room[2 * LARGE_LINE];
    const bundle b = COLUMNS;
    sum_columns(&b, 1, room);
}

/* The k-vector of a mode. */
SHOAL_FN v3 mode_vector(global const large_system *sys, global const real *geo, const int m[3])
{
    real k[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
        const int n = sys->n_nodes[a];
        const real turns_of = R(TWO_PI) * (real)(2 * m[a] < n ? m[a] : m[a] - n);
        for (int c = 0; c < 3; ++c) k[c] += turns_of * geo[LARGE_KVEC + 3 * a + c];
    }
    return v3_make(k[0], k[1], k[2]);
}

/* What strain does to mode m, as strain_add_kvec has it. Modes stand for their opposites, too, but for those of the first
 * plane, which are their own. */
SHOAL_FN void mode_strain(global const large_system *sys, global const real *geo, const int m[3],
                          real2 z, real2 weight, real4 *low, real4 *high)
{
    const real size = (m[2] > 0 ? R(1.0) : R(0.5)) * (z.x * z.x + z.y * z.y);
    const v3 k = mode_vector(sys, geo, m);
    *low += (real4)(-size * weight.x, -size * weight.x, -size * weight.x, 0);
    large_strain(R(2.0) * size * weight.y, k, k, low, high);
}

/* Lines along the first axis: their modes become those of the potential. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_mesh_modes(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 space[LARGE_LINE]; /* the room, as sums need it */
    local real2 *room = (local real2 *)space;
    const int n_all = sys->n_nodes[1] * sys->n_nodes[2] / 2;
    const int strained = (int)settings[LARGE_METHOD] == LARGE_EVAL;
    const bundle b = find_bundle(sys, 0, block.y, n_all, LARGE_GOING, mesh_turns, mesh);
    global const real2 *weights = mesh_weights + sys->node / 2;
    real4 low = (real4)(0, 0, 0, 0), high = low;
    for (int e = l; e < b.n * b.n_lines; e += WG) {
        const int j = divide(e, b.n_lines);
        room[e] = MODES(b)[(size_t)j * (size_t)n_all + (size_t)(b.first + e - j * b.n_lines)];
    }
    const int side = sum_lines(room, 0, b.n, b.n_lines, b.turns_of);
    local real2 *z = room + LARGE_LINE * side;
    local real4 *red = space + LARGE_LINE / 2 * !side; /* the half that nobody reads now */
    for (int e = l; e < b.n * b.n_lines; e += WG) {
        const int j = divide(e, b.n_lines), c = b.first + e - j * b.n_lines;
        const int m[3] = {j, c / b.n_modes, c % b.n_modes};
        const real2 value = z[e], weight = weights[(size_t)j * (size_t)n_all + (size_t)c];
        if (strained) mode_strain(sys, geo, m, value, weight, &low, &high);
        z[e] = weight.x * value.yx;
    }
    red[l] = low;
    red[WG + l] = high;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (strained && b.n > 0 && l < 2) {
        const int before = sys->bonded + n_particles + (t->n_sites + WG - 1) / WG;
        real4 all = (real4)(0, 0, 0, 0);
        for (int k = 0; k < WG; ++k) all += red[WG * l + k];
        strains[sys->strain + 2 * (before + block.w) + l] = all;
    }
    z = room + LARGE_LINE * sum_lines(room, side, b.n, b.n_lines, b.turns_of);
    for (int e = l; e < b.n * b.n_lines; e += WG) {
        const int j = divide(e, b.n_lines);
        MODES(b)[(size_t)j * (size_t)n_all + (size_t)(b.first + e - j * b.n_lines)] = z[e].yx;
    }
}
