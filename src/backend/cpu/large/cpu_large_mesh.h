/* SPDX-License-Identifier: BSD-3-Clause
 * The reciprocal part of Ewald sums over a mesh. Included by the template cpu_kernels.c.
 *
 * E = 1/2 sum over modes of psi |Q|^2, Q the Fourier sums of the charges on the mesh; its potential goes back the same
 * way, and forces are the slope of that energy. Pieces are planes and pairs of rows, which write to places of their own.
 * Real numbers are transformed two rows at a time, one as the imaginary part. */

#include "mesh_terms.h"

#define real wide
#define FFT(name) name##_wide
#define FFT_SCALAR SHOAL_REAL
#include "geom/fft_stages.h"
#undef FFT_SCALAR
#undef FFT
#undef real

static int32_t mesh_padded(int32_t n)
{
    return (n + WIDE - 1) / WIDE * WIDE;
}

static int32_t mesh_planes(const large *g)
{
    return g->ewald.mesh.n[0] / 2 + 1;
}

/* psi of a mode, without kC, which is in the charges. */
static double mesh_weight(const large *g, const int32_t m[3], double k[3])
{
    const large_mesh *mesh = &g->mesh;
    if (!ewald_mesh_kvec(&g->lattice, g->ewald.mesh.n, m, k)) return 0;
    const double size = mesh->moduli[0][m[0]] * mesh->moduli[1][m[1]] * mesh->moduli[2][m[2]];
    return size / g->lattice.measure;
}

/* Modes of one plane, in the order of the transposed spectrum. */
static void mesh_fill_influence(void *what, int32_t plane)
{
    large *g = what;
    const int32_t *n = g->ewald.mesh.n, width = mesh_padded(n[1]);
    for (int32_t m2 = 0; m2 < n[2]; ++m2)
        for (int32_t m1 = 0; m1 < n[1]; ++m1) {
            double k[3];
            const double weight = mesh_weight(g, (const int32_t[3]){plane, m1, m2}, k);
            const double k2 = vector_dot(k, k);
            if (weight > 0)
                g->mesh.influence[(size_t)(plane * n[2] + m2) * (size_t)width + (size_t)m1] =
                    (real)(weight * ewald_transform(g->ewald.alpha, g->damping, k2));
        }
}

static shoal_status mesh_allot_turns(large *g)
{
    const int32_t *n = g->ewald.mesh.n;
    for (int a = 0; a < 3; ++a) {
        double(*turns)[2] = large_allot(&g->memory, (size_t)n[a], sizeof *turns);
        g->mesh.turns[a] = large_allot(&g->memory, (size_t)n[a], sizeof *g->mesh.turns[a]);
        g->mesh.moduli[a] = large_allot(&g->memory, (size_t)n[a], sizeof(double));
        if (!turns || !g->mesh.turns[a] || !g->mesh.moduli[a]) return SHOAL_E_MEMORY;
        fft_turns(n[a], turns);
        for (int32_t k = 0; k < n[a]; ++k)
            for (int c = 0; c < 2; ++c) g->mesh.turns[a][k][c] = (real)turns[k][c];
        ewald_mesh_moduli(n[a], g->ewald.mesh.order, g->mesh.moduli[a]);
    }
    return SHOAL_OK;
}

static shoal_status mesh_allot(large *g)
{
    large_mesh *m = &g->mesh;
    arena *memory = &g->memory;
    const int32_t *n = g->ewald.mesh.n, order = g->ewald.mesh.order;
    const size_t rows = (size_t)n[0] * (size_t)n[1], planes = (size_t)mesh_planes(g);
    const size_t half = planes * (size_t)n[1] * (size_t)mesh_padded(n[2]);
    const size_t particles = (size_t)g->n_particles;
    m->row = mesh_padded(n[2] + order - 1);
    m->values = large_allot(memory, rows * (size_t)m->row, sizeof(real));
    m->spectrum[0] = large_allot(memory, half, sizeof(real));
    m->spectrum[1] = large_allot(memory, half, sizeof(real));
    m->influence =
        large_allot(memory, planes * (size_t)n[2] * (size_t)mesh_padded(n[1]), sizeof(real));
    m->first = large_allot(memory, particles, sizeof *m->first);
    m->splines = large_allot(memory, particles * 6 * (size_t)order, sizeof(real));
    m->start = large_allot(memory, (size_t)n[0] + 1, sizeof *m->start);
    m->sorted = large_allot(memory, particles, sizeof *m->sorted);
    m->energy = large_allot(memory, planes, sizeof *m->energy);
    m->strain = large_allot(memory, planes, sizeof *m->strain);
    m->force = large_allot(memory, particles, sizeof *m->force);
    if (!m->values || !m->spectrum[0] || !m->spectrum[1] || !m->influence || !m->first ||
        !m->splines || !m->start || !m->sorted || !m->energy || !m->strain || !m->force)
        return SHOAL_E_MEMORY;
    SHOAL_TRY(mesh_allot_turns(g));
    thread_pool_run(g->pool, mesh_planes(g), mesh_fill_influence, g);
    return SHOAL_OK;
}

/* Where the particles of a tile are on the mesh, from the origin of all coordinates. */
static void mesh_place(large *g, int32_t first, int32_t last)
{
    const int32_t order = g->ewald.mesh.order;
    for (int32_t i = first; i < last; ++i) {
        double r[3];
        for (int c = 0; c < 3; ++c) r[c] = g->r[i][c] + g->origin[c];
        for (int a = 0; a < 3; ++a) {
            const int32_t n = g->ewald.mesh.n[a];
            const double f = lattice_fraction(&g->lattice, r, a), u = (f - floor(f)) * n;
            const double whole = fmin(floor(u), n - 1);
            real *value = g->mesh.splines + (size_t)(6 * order) * (size_t)i + 2 * a * order;
            mesh_spline(order, (real)(u - whole), value, value + order);
            g->mesh.first[i][a] = ((int32_t)whole - order + 1 + n) % n;
        }
    }
}

/* Particles by their first plane, in their order. */
static void mesh_sort(large *g)
{
    int32_t *start = g->mesh.start;
    const int32_t n = g->ewald.mesh.n[0];
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int32_t i = 0; i < g->n_particles; ++i) ++start[g->mesh.first[i][0] + 1];
    for (int32_t k = 0; k < n; ++k) start[k + 1] += start[k];
    for (int32_t i = 0; i < g->n_particles; ++i) g->mesh.sorted[start[g->mesh.first[i][0]]++] = i;
    for (int32_t k = n; k > 0; --k) start[k] = start[k - 1];
    start[0] = 0;
}

/* What a particle gives to a plane, t-th of its own, of rows of a width. */
SHOAL_FN void mesh_spread(const large *g, int order, int32_t i, int32_t t, real *plane,
                          size_t width)
{
    const real *s = g->mesh.splines + (size_t)(6 * order) * (size_t)i;
    const real charge = g->q[i] * s[t];
    const real *along[2] = {s + 2 * order, s + 4 * order};
    real *to = plane + (size_t)g->mesh.first[i][1] * width + (size_t)g->mesh.first[i][2];
    for (int a = 0; a < order; ++a, to += width) {
        const real by = charge * along[0][a];
        PRAGMA(omp simd)
        for (int b = 0; b < order; ++b) to[b] += by * along[1][b];
    }
}

/* The charges on a plane of nodes. */
static void mesh_spread_plane(void *what, int32_t plane)
{
    large *g = what;
    const int32_t *n = g->ewald.mesh.n, order = g->ewald.mesh.order;
    const size_t width = (size_t)g->mesh.row;
    arena memory = {0};
    real *room = large_allot(&memory, (size_t)(n[1] + order - 1) * width, sizeof *room);
    if (!room) __atomic_store_n(&g->failed, 1, __ATOMIC_RELAXED);
    for (int32_t t = 0; t < order && room; ++t) {
        const int32_t from = (plane - t + n[0]) % n[0];
        for (int32_t k = g->mesh.start[from]; k < g->mesh.start[from + 1]; ++k) {
            const int32_t i = g->mesh.sorted[k];
#define MESH_SPREAD(order) mesh_spread(g, order, i, t, room, width)
            MESH_BY_ORDER(order, MESH_SPREAD)
#undef MESH_SPREAD
        }
    }
    for (int32_t a = 0; a < n[1] + order - 1 && room; ++a) {
        real *from = room + (size_t)a * width;
        for (int32_t b = n[2]; b < n[2] + order - 1; ++b) {
            from[b - n[2]] += from[b];
            from[b] = 0;
        }
        real *to = g->mesh.values + ((size_t)plane * (size_t)n[1] + (size_t)(a % n[1])) * width;
        for (size_t b = 0; b < width; ++b) to[b] = a < n[1] ? from[b] : to[b] + from[b];
    }
    arena_free(&memory);
}

/* Two sets of lines to work on. */
typedef struct mesh_room {
    arena memory;
    wide *lines[2][2];
} mesh_room;

static bool mesh_open(large *g, mesh_room *room, int32_t size)
{
    *room = (mesh_room){0};
    for (int k = 0; k < 4; ++k) {
        room->lines[k / 2][k % 2] = large_allot(&room->memory, (size_t)size, sizeof(real));
        if (room->lines[k / 2][k % 2]) continue;
        __atomic_store_n(&g->failed, 1, __ATOMIC_RELAXED);
        arena_free(&room->memory);
        return false;
    }
    return true;
}

static real *mesh_row(const large *g, int32_t plane, int32_t row)
{
    const size_t at = (size_t)plane * (size_t)g->ewald.mesh.n[1] + (size_t)row;
    return g->mesh.values + at * (size_t)g->mesh.row;
}

static real *mesh_mode(const large *g, int part, int32_t plane, int32_t row)
{
    const size_t at = (size_t)plane * (size_t)g->ewald.mesh.n[1] + (size_t)row;
    return g->mesh.spectrum[part] + at * (size_t)mesh_padded(g->ewald.mesh.n[2]);
}

/* Fourier sums across the planes of a row and of the one half the mesh away. */
static void mesh_forward(void *what, int32_t row)
{
    large *g = what;
    const int32_t *n = g->ewald.mesh.n, half = n[1] / 2, width = mesh_padded(n[2]);
    const size_t bytes = (size_t)width * sizeof(real);
    mesh_room room;
    if (!mesh_open(g, &room, n[0] * width)) return;
    for (int32_t k = 0; k < n[0]; ++k)
        for (int part = 0; part < 2; ++part)
            memcpy(room.lines[0][part] + k * width / WIDE, mesh_row(g, k, row + part * half),
                   bytes);
    const bool there = fft_lines_wide(room.lines[0], room.lines[1], n[0], width / WIDE,
                                      (const real(*)[2])g->mesh.turns[0]);
    for (int32_t k = 0; k < mesh_planes(g); ++k) {
        const wide *const *z = (const wide *const *)room.lines[there];
        const int32_t at = k * width / WIDE, opposite = (n[0] - k) % n[0] * width / WIDE;
        wide *a[2], *b[2];
        for (int part = 0; part < 2; ++part) {
            a[part] = (wide *)(void *)mesh_mode(g, part, k, row);
            b[part] = (wide *)(void *)mesh_mode(g, part, k, row + half);
        }
        for (int32_t w = 0; w < width / WIDE; ++w) {
            const wide xr = z[0][at + w], xi = z[1][at + w];
            const wide yr = z[0][opposite + w], yi = z[1][opposite + w];
            a[0][w] = R(0.5) * (xr + yr), a[1][w] = R(0.5) * (xi - yi);
            b[0][w] = R(0.5) * (xi + yi), b[1][w] = R(0.5) * (yr - xr);
        }
    }
    arena_free(&room.memory);
}

/* And back: the potential, with its beginning repeated at the end of every row. */
static void mesh_back(void *what, int32_t row)
{
    large *g = what;
    const int32_t *n = g->ewald.mesh.n, half = n[1] / 2, width = mesh_padded(n[2]);
    mesh_room room;
    if (!mesh_open(g, &room, n[0] * width)) return;
    for (int32_t k = 0; k < n[0]; ++k) {
        const int32_t from = k < mesh_planes(g) ? k : n[0] - k, at = k * width / WIDE;
        const real sign = from == k ? R(1.0) : R(-1.0);
        const wide *a[2], *b[2];
        for (int part = 0; part < 2; ++part) {
            a[part] = (const wide *)(const void *)mesh_mode(g, part, from, row);
            b[part] = (const wide *)(const void *)mesh_mode(g, part, from, row + half);
        }
        for (int32_t w = 0; w < width / WIDE; ++w) { /* parts exchanged */
            room.lines[0][1][at + w] = a[0][w] - sign * b[1][w];
            room.lines[0][0][at + w] = sign * a[1][w] + b[0][w];
        }
    }
    const bool there = fft_lines_wide(room.lines[0], room.lines[1], n[0], width / WIDE,
                                      (const real(*)[2])g->mesh.turns[0]);
    for (int32_t k = 0; k < n[0]; ++k)
        for (int part = 0; part < 2; ++part) {
            real *to = mesh_row(g, k, row + part * half);
            memcpy(to, room.lines[there][1 - part] + k * width / WIDE, (size_t)n[2] * sizeof *to);
            for (int32_t b = n[2]; b < n[2] + g->ewald.mesh.order - 1; ++b) to[b] = to[b - n[2]];
        }
    arena_free(&room.memory);
}

/* [n_a][padded n_b] to [n_b][padded n_a]. */
static void mesh_transpose(const wide *from, wide *to, int32_t n_a, int32_t n_b)
{
    const real *x = (const real *)(const void *)from;
    real *y = (real *)(void *)to;
    const size_t a_width = (size_t)mesh_padded(n_a), b_width = (size_t)mesh_padded(n_b);
    for (int32_t a0 = 0; a0 < n_a; a0 += WIDE)
        for (int32_t b0 = 0; b0 < n_b; b0 += WIDE)
            for (int32_t b = b0; b < b0 + WIDE && b < n_b; ++b)
                for (int32_t a = a0; a < a0 + WIDE && a < n_a; ++a)
                    y[(size_t)b * a_width + (size_t)a] = x[(size_t)a * b_width + (size_t)b];
}

/* What strain does to the modes of a plane, which count so many times. */
static void mesh_strain(const large *g, int32_t plane, real *const z[2], double times,
                        double out[6])
{
    const int32_t *n = g->ewald.mesh.n, width = mesh_padded(n[1]);
    memset(out, 0, 6 * sizeof *out);
    for (int32_t m2 = 0; m2 < n[2]; ++m2)
        for (int32_t m1 = 0; m1 < n[1]; ++m1) {
            const size_t at = (size_t)m2 * (size_t)width + (size_t)m1;
            double k[3];
            const double weight = mesh_weight(g, (const int32_t[3]){plane, m1, m2}, k);
            if (weight == 0) continue;
            const double k2 = vector_dot(k, k), re = (double)z[0][at], im = (double)z[1][at];
            const double size = times * weight * (re * re + im * im);
            strain_add_kvec(k, size * ewald_transform(g->ewald.alpha, g->damping, k2),
                            size * ewald_transform_slope(g->ewald.alpha, g->damping, k2), out);
        }
}

/* Energy of the modes of a plane, which become those of the potential. */
static double mesh_convolve(const large *g, int32_t plane, wide *const z[2])
{
    const int32_t *n = g->ewald.mesh.n, row = mesh_padded(n[1]) / WIDE;
    const real *influence = g->mesh.influence + (size_t)(plane * n[2]) * (size_t)mesh_padded(n[1]);
    double energy = 0;
    for (int32_t m2 = 0; m2 < n[2]; ++m2) {
        wide sum = {0};
        for (int32_t w = m2 * row; w < (m2 + 1) * row; ++w) {
            const wide psi = wide_load(influence + (size_t)w * WIDE);
            sum += psi * (z[0][w] * z[0][w] + z[1][w] * z[1][w]);
            z[0][w] *= psi;
            z[1][w] *= psi;
        }
        energy += (double)wide_sum(sum);
    }
    return energy;
}

/* Fourier sums within a plane of modes, their energy, and the way back. */
static void mesh_plane(void *what, int32_t plane)
{
    large *g = what;
    const int32_t *n = g->ewald.mesh.n, w1 = mesh_padded(n[1]), w2 = mesh_padded(n[2]);
    const double times = plane == 0 || 2 * plane == n[0] ? 0.5 : 1;
    const size_t bytes = (size_t)(n[1] * w2) * sizeof(real);
    const real(*turns[2])[2] = {(const real(*)[2])g->mesh.turns[1],
                                (const real(*)[2])g->mesh.turns[2]};
    mesh_room room;
    if (!mesh_open(g, &room, n[1] * w2 > n[2] * w1 ? n[1] * w2 : n[2] * w1)) return;
    for (int k = 0; k < 2; ++k) memcpy(room.lines[0][k], mesh_mode(g, k, plane, 0), bytes);
    bool at = fft_lines_wide(room.lines[0], room.lines[1], n[1], w2 / WIDE, turns[0]);
    for (int k = 0; k < 2; ++k) mesh_transpose(room.lines[at][k], room.lines[!at][k], n[1], n[2]);
    at = !at ^ fft_lines_wide(room.lines[!at], room.lines[at], n[2], w1 / WIDE, turns[1]);
    real *const z[2] = {(real *)(void *)room.lines[at][0], (real *)(void *)room.lines[at][1]};
    if (g->strain) mesh_strain(g, plane, z, times, g->mesh.strain[plane]);
    g->mesh.energy[plane] = times * mesh_convolve(g, plane, room.lines[at]);
    wide *back[2][2]; /* parts exchanged */
    for (int k = 0; k < 4; ++k) back[k / 2][k % 2] = room.lines[at ^ (k / 2)][1 - k % 2];
    at = fft_lines_wide(back[0], back[1], n[2], w1 / WIDE, turns[1]);
    for (int k = 0; k < 2; ++k) mesh_transpose(back[at][k], back[!at][k], n[2], n[1]);
    at = !at ^ fft_lines_wide(back[!at], back[at], n[1], w2 / WIDE, turns[0]);
    for (int k = 0; k < 2; ++k) memcpy(mesh_mode(g, k, plane, 0), back[at][1 - k], bytes);
    arena_free(&room.memory);
}

/* The slope of the potential at a particle, along the axes, in nodes. */
SHOAL_FN void mesh_slope(const large *g, int order, int32_t i, double out[3])
{
    const int32_t *n = g->ewald.mesh.n, *first = g->mesh.first[i];
    const real *s = g->mesh.splines + (size_t)(6 * order) * (size_t)i;
    real along[3][MESH_ORDER] = {{0}}, sum[3] = {0, 0, 0};
    for (int a = 0; a < order; ++a)
        for (int b = 0; b < order; ++b) {
            const real *v = mesh_row(g, (first[0] + a) % n[0], (first[1] + b) % n[1]) + first[2];
            const real by0 = s[order + a] * s[2 * order + b];
            const real by1 = s[a] * s[3 * order + b], by2 = s[a] * s[2 * order + b];
            PRAGMA(omp simd)
            for (int c = 0; c < order; ++c) {
                along[0][c] += by0 * v[c];
                along[1][c] += by1 * v[c];
                along[2][c] += by2 * v[c];
            }
        }
    for (int c = 0; c < order; ++c) {
        sum[0] += s[4 * order + c] * along[0][c];
        sum[1] += s[4 * order + c] * along[1][c];
        sum[2] += s[5 * order + c] * along[2][c];
    }
    for (int k = 0; k < 3; ++k) out[k] = (double)sum[k];
}

/* Forces on a tile of particles, by planes. */
static void mesh_pull(void *what, int32_t tile)
{
    large *g = what;
    const int32_t *n = g->ewald.mesh.n, order = g->ewald.mesh.order, start = tile * LARGE_TILE;
    for (int32_t k = start; k < start + LARGE_TILE && k < g->n_particles; ++k) {
        const int32_t i = g->mesh.sorted[k];
        double slope[3] = {0}, f[3] = {0};
#define MESH_SLOPE(order) mesh_slope(g, order, i, slope)
        MESH_BY_ORDER(order, MESH_SLOPE)
#undef MESH_SLOPE
        for (int a = 0; a < 3; ++a)
            for (int c = 0; c < 3; ++c)
                f[c] -= (double)g->q[i] * slope[a] * n[a] * g->lattice.dual[a][c];
        g->mesh.force[i] = v3_make((real)f[0], (real)f[1], (real)f[2]);
    }
}

/* After mesh_place of all tiles. */
static void mesh_sum(large *g)
{
    const int32_t half = g->ewald.mesh.n[1] / 2;
    mesh_sort(g);
    thread_pool_run(g->pool, g->ewald.mesh.n[0], mesh_spread_plane, g);
    thread_pool_run(g->pool, half, mesh_forward, g);
    thread_pool_run(g->pool, mesh_planes(g), mesh_plane, g);
    thread_pool_run(g->pool, half, mesh_back, g);
    thread_pool_run(g->pool, g->n_particle_tiles, mesh_pull, g);
}
