/* SPDX-License-Identifier: BSD-3-Clause
 * Grids: their life, and fields by the spline in double. */
#include "surf/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

shoal_status grid_allocate(shoal_grid **out, const shoal_grid_view *view, shoal_surface *surface)
{
    *out = NULL;
    shoal_grid *grid = shoal_alloc(1, sizeof *grid);
    if (!grid) return SHOAL_E_MEMORY;
    grid->references = 1;
    grid->version = GRID_FILE_VERSION;
    grid->view = *view;
    grid->surface = shoal_surface_retain(surface);
    grid->view.surface = surface;
    grid->view.bytes = 0;
    grid->view.n_levels = 0;
    grid->view.top = grid_level_top(grid);
    const size_t n = grid_count_coefficients(grid);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        if (!view->has_channel[c]) continue;
        grid->channel[c] = malloc(n * sizeof(float));
        grid->view.bytes += (int64_t)(n * sizeof(float));
        if (grid->channel[c]) continue;
        shoal_grid_destroy(grid);
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: a grid of %d x %d x %d nodes",
                          view->shape[0], view->shape[1], view->shape[2]);
    }
    *out = grid;
    return SHOAL_OK;
}

shoal_grid *shoal_grid_retain(shoal_grid *grid)
{
    if (grid) (void)__atomic_add_fetch(&grid->references, 1, __ATOMIC_RELAXED);
    return grid;
}

double grid_level_top(const shoal_grid *level)
{
    const shoal_grid_view *v = &level->view;
    return v->origin[2] + (v->shape[2] - 1) * v->step[2];
}

void grid_put_level(shoal_grid *grid, shoal_grid *level)
{
    shoal_grid_view *v = &grid->view;
    shoal_grid_level *l = &v->levels[v->n_levels++];
    shoal_grid *last = grid;
    while (last->above) last = last->above;
    last->above = level;
    memcpy(l->shape, level->view.shape, sizeof l->shape);
    memcpy(l->step, level->view.step, sizeof l->step);
    l->bottom = grid_level_top(last);
    l->top = v->top = grid_level_top(level);
    v->bytes += level->view.bytes;
}

void shoal_grid_destroy(shoal_grid *grid)
{
    if (!grid || __atomic_sub_fetch(&grid->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    shoal_grid_destroy(grid->above);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) free(grid->channel[c]);
    grid_class_free(grid->classes);
    shoal_surface_destroy(grid->surface);
    free(grid);
}

void shoal_grid_get(const shoal_grid *grid, shoal_grid_view *view)
{
    if (view) *view = grid ? grid->view : (shoal_grid_view){0};
}

size_t grid_count_nodes(const shoal_grid *grid)
{
    const int32_t *n = grid->view.shape;
    return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

size_t grid_count_coefficients(const shoal_grid *grid)
{
    const int32_t *n = grid->view.shape;
    return (size_t)n[0] * (size_t)n[1] * ((size_t)n[2] + 2);
}

int32_t grid_find_outside(const shoal_grid *grid, const double (*pos)[3], int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        if (pos[i][2] < grid->view.origin[2]) return i;
    return -1;
}

void grid_inverse(const shoal_grid_view *v, double inverse[3][3])
{
    const double det = v->cell[0][0] * v->cell[1][1] - v->cell[0][1] * v->cell[1][0];
    const double rows[3][3] = {
        {v->cell[1][1] / det * v->shape[0], -v->cell[1][0] / det * v->shape[0], 0},
        {-v->cell[0][1] / det * v->shape[1], v->cell[0][0] / det * v->shape[1], 0},
        {0, 0, 1 / v->step[2]}};
    memcpy(inverse, rows, sizeof rows);
}

/* The four basis functions of the cell at t and their slopes, 0 <= t <= 1. */
static void basis(double t, double b[4], double d[4])
{
    const double s = 1 - t;
    b[0] = s * s * s / 6;
    b[1] = (4 - 3 * t * t * (2 - t)) / 6;
    b[2] = (4 - 3 * s * s * (2 - s)) / 6;
    b[3] = t * t * t / 6;
    d[0] = -s * s / 2;
    d[1] = t * (3 * t - 4) / 2;
    d[2] = -s * (3 * s - 4) / 2;
    d[3] = t * t / 2;
}

/* Where a point is: wrapped indices of its four nodes along a and b, first coefficient along z. */
typedef struct place {
    size_t at[2][4], z;
    double b[3][4], d[3][4];
} place;

static void find_place(const shoal_grid_view *v, const double inverse[3][3], const double r[3],
                       place *p)
{
    for (int k = 0; k < 2; ++k) {
        const double u =
            (r[0] - v->origin[0]) * inverse[k][0] + (r[1] - v->origin[1]) * inverse[k][1];
        const double n = v->shape[k], turn = u - n * floor(u / n), cell = fmin(floor(turn), n - 1);
        basis(turn - cell, p->b[k], p->d[k]);
        for (int m = 0; m < 4; ++m)
            p->at[k][m] = (size_t)(((int32_t)cell + m - 1 + v->shape[k]) % v->shape[k]);
    }
    const double u = (r[2] - v->origin[2]) * inverse[2][2], top = v->shape[2] - 1;
    const double inside = u > 0 ? fmin(u, top) : 0, cell = fmin(floor(inside), top - 1);
    basis(inside - cell, p->b[2], p->d[2]);
    /* Straight on beyond the ends. */
    for (int m = 0; m < 4; ++m) p->b[2][m] += (u - inside) * p->d[2][m];
    p->z = (size_t)cell;
}

/* A field and its slopes along a, b and z in nodes; its coefficients are `stride` numbers apart. */
static void read_field(const shoal_grid_view *v, const place *p, const float *field, size_t stride,
                       double out[4])
{
    const size_t column = (size_t)v->shape[2] + 2, n_b = (size_t)v->shape[1];
    memset(out, 0, 4 * sizeof *out);
    for (int k = 0; k < 64 && field; ++k) {
        const int ia = k / 16, ib = k / 4 % 4, iz = k % 4;
        const size_t at = (p->at[0][ia] * n_b + p->at[1][ib]) * column + p->z + (size_t)iz;
        const double value = (double)field[stride * at];
        out[0] += p->b[0][ia] * p->b[1][ib] * p->b[2][iz] * value;
        out[1] += p->d[0][ia] * p->b[1][ib] * p->b[2][iz] * value;
        out[2] += p->b[0][ia] * p->d[1][ib] * p->b[2][iz] * value;
        out[3] += p->b[0][ia] * p->b[1][ib] * p->d[2][iz] * value;
    }
}

/* Slopes by angstrom from those by nodes. */
static void turn_slopes(const double inverse[3][3], const double by_node[4], double out[4])
{
    for (int x = 0; x < 3; ++x)
        out[1 + x] =
            by_node[1] * inverse[0][x] + by_node[2] * inverse[1][x] + by_node[3] * inverse[2][x];
}

void shoal_grid_fields(const shoal_grid *grid, const double r[3], double out[SHOAL_N_CHANNELS][4])
{
    if (!out) return;
    memset(out, 0, SHOAL_N_CHANNELS * sizeof *out);
    if (!grid || !r) return;
    while (grid->above && r[2] >= grid_level_top(grid)) grid = grid->above;
    double inverse[3][3], e[4];
    place p;
    grid_inverse(&grid->view, inverse);
    find_place(&grid->view, (const double(*)[3])inverse, r, &p);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        read_field(&grid->view, &p, grid->channel[c], 1, e);
        out[c][0] = e[0] + grid->view.limit[c];
        turn_slopes((const double(*)[3])inverse, e, out[c]);
    }
}

void grid_class_energy(const shoal_grid *grid, const grid_class *class, double charge,
                       const double r[3], double out[4])
{
    while (grid->above && r[2] >= grid_level_top(grid)) {
        grid = grid->above;
        class = class->above;
    }
    double inverse[3][3], e[4], q[4];
    place p;
    grid_inverse(&grid->view, inverse);
    find_place(&grid->view, (const double(*)[3])inverse, r, &p);
    read_field(&grid->view, &p, class->field, 2, e);
    read_field(&grid->view, &p, class->field + 1, 2, q);
    const double t = 1 + e[0] * class->inverse, t2 = t * t;
    e[0] *= (t + 1) * (t2 + 1) / 4;
    for (int k = 1; k < 4; ++k) e[k] *= t2 * t;
    for (int k = 0; k < 4; ++k) e[k] += charge * q[k];
    out[0] = e[0] + charge * grid->view.limit[SHOAL_CHANNEL_Q];
    turn_slopes((const double(*)[3])inverse, e, out);
}
