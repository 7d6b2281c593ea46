/* SPDX-License-Identifier: BSD-3-Clause
 * Building a grid: values at all nodes, plane by plane, then the coefficients of the spline. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"
#include "surf/grid.h"
#include "surf/grid_fft.h"
#include "surf/grid_helper.h"
#include "surf/grid_lattice.h"
#include "surf/grid_spline.h"

#include "constants.h"

#define GHOSTS 8        /* nodes below the bottom, so that the end of the spline is far away */
#define BELOW 0.5       /* angstrom from the floor of the surface to the bottom of the grid */
#define SWITCH 3.0      /* angstrom over which the fields are switched off */
#define EMPTY 4         /* nodes at the top where the fields are zero */
#define NEGLIGIBLE 1e-6 /* eV */
#define MOST_HEIGHT 20.0

typedef struct builder {
    shoal_grid_options options;
    grid_helper helper;
    grid_lattice lattice;
    shoal_grid *grid;
    int32_t n_planes; /* with ghosts */
    double *values;   /* [n_planes][n_a][n_b] of one channel */
    double done, share;
    bool stop;
    shoal_status status;
} builder;

static int thread_count(const builder *b)
{
#ifdef _OPENMP
    return b->options.n_threads > 0 ? b->options.n_threads : omp_get_max_threads();
#else
    (void)b;
    return 1;
#endif
}

/* Adds to what is done; the calling thread tells the monitor. */
static void advance(builder *b, double share)
{
#ifdef _OPENMP
    const bool master = omp_get_thread_num() == 0;
#pragma omp critical(shoal_grid_progress)
#else
    const bool master = true;
#endif
    {
        b->done += share;
        if (master && b->options.monitor && !b->stop)
            __atomic_store_n(&b->stop, !b->options.monitor(b->options.user, b->done),
                             __ATOMIC_RELAXED);
    }
}

static bool is_stopped(const builder *b)
{
    return __atomic_load_n(&b->stop, __ATOMIC_RELAXED);
}

/* What a carbon atom with half a charge feels at most at a height, apart from the limits. */
static double feel(const shoal_surface *s, const double limit[SHOAL_N_CHANNELS], double z)
{
    const shoal_probe carbon = {.radius = 1.9255, .depth = 0.00455, .charge = 0.5};
    double weights[SHOAL_N_CHANNELS], most = 0;
    shoal_surface_weights(s, &carbon, weights);
    for (int k = 0; k < 16; ++k) {
        const double(*c)[2] = (const double(*)[2])s->view.cell;
        const double fa = k % 4 / 4.0 + 0.031, fb = k / 4 / 4.0 + 0.017;
        const double r[3] = {fa * c[0][0] + fb * c[1][0], fa * c[0][1] + fb * c[1][1], z};
        double v[SHOAL_N_CHANNELS][4], sum = 0;
        shoal_surface_fields(s, r, v);
        for (int n = 0; n < SHOAL_N_CHANNELS; ++n) sum += fabs(weights[n] * (v[n][0] - limit[n]));
        most = fmax(most, sum);
    }
    return most;
}

static double find_height(const shoal_surface *s, const double limit[SHOAL_N_CHANNELS])
{
    double height = 6;
    while (height < MOST_HEIGHT && feel(s, limit, s->view.top + height) > NEGLIGIBLE) height += 0.5;
    return height;
}

/* Limits of the fields far above: only a dipole leaves one. */
static void find_limits(const shoal_surface *s, double limit[SHOAL_N_CHANNELS])
{
    double sum = 0;
    memset(limit, 0, SHOAL_N_CHANNELS * sizeof *limit);
    for (int32_t i = 0; i < s->view.n_atoms; ++i)
        sum += s->weight[i][SHOAL_CHANNEL_Q] * (s->view.pos[i][2] - s->view.top);
    limit[SHOAL_CHANNEL_Q] = 2 * PI / s->view.area * sum;
}

static shoal_status shape_grid(builder *b, shoal_surface *surface)
{
    const grid_lattice *l = &b->lattice;
    const shoal_surface_view *v = &surface->view;
    const double step = b->options.step;
    shoal_grid_view view = {.cells = l->cells};
    for (int k = 0; k < 2; ++k) {
        const double length = hypot(l->cell[k][0], l->cell[k][1]);
        const double nodes = ceil(length / step - 1e-9);
        if (!(nodes < GRID_MOST_NODES))
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "grid: a step of %g A makes %g nodes along a cell, at most %d are possible", step,
                nodes, GRID_MOST_NODES);
        view.shape[k] = grid_fft_size(nodes < 4 ? 4 : (int32_t)nodes);
        view.step[k] = length / view.shape[k];
    }
    memcpy(view.cell, l->cell, sizeof view.cell);
    memcpy(view.has_channel, v->has_channel, sizeof view.has_channel);
    find_limits(surface, view.limit);
    const double height =
        b->options.height > 0 ? b->options.height : find_height(surface, view.limit);
    view.step[2] = step;
    view.origin[2] = v->floor - BELOW;
    view.switch_z = v->top + height;
    const double planes = ceil((view.switch_z + SWITCH - view.origin[2]) / step) + 1 + EMPTY;
    if (!(planes < GRID_MOST_NODES))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "grid: a step of %g A makes %g nodes along z, at most %d are possible",
                          step, planes, GRID_MOST_NODES);
    view.shape[2] = (int32_t)planes;
    return grid_allocate(&b->grid, &view, surface);
}

/* 1 up to switch_z, then smoothly to 0. */
static double fade(const shoal_grid_view *v, double z)
{
    const double t = (z - v->switch_z) / SWITCH;
    if (t <= 0) return 1;
    if (t >= 1) return 0;
    return 1 - t * t * t * (10 + t * (-15 + 6 * t));
}

static double height_of(const shoal_grid_view *v, int32_t plane)
{
    return v->origin[2] + (plane - GHOSTS) * v->step[2];
}

/* In-plane coefficients of one plane of nodes from its values. */
static void solve_plane(double *plane, double *work, int32_t n_a, int32_t n_b)
{
    grid_spline_cyclic(plane, n_a, (size_t)n_b);
    for (int32_t a = 0; a < n_a; ++a)
        for (int32_t k = 0; k < n_b; ++k)
            work[(size_t)k * (size_t)n_a + (size_t)a] = plane[(size_t)a * (size_t)n_b + (size_t)k];
    grid_spline_cyclic(work, n_b, (size_t)n_a);
    for (int32_t a = 0; a < n_a; ++a)
        for (int32_t k = 0; k < n_b; ++k)
            plane[(size_t)a * (size_t)n_b + (size_t)k] = work[(size_t)k * (size_t)n_a + (size_t)a];
}

/* True if a channel is summed over k-vectors alone in a pair of planes of nodes. */
static bool is_far(const builder *b, int channel, int32_t pair)
{
    const shoal_grid_view *v = &b->grid->view;
    return channel == SHOAL_CHANNEL_Q ||
           (grid_lattice_is_far(&b->lattice, height_of(v, 2 * pair)) &&
            grid_lattice_is_far(&b->lattice, height_of(v, 2 * pair + 1)));
}

/* Values of a channel in a pair of planes of nodes, into to[2], where a helper has left its sums.
 * work holds four planes. */
static void sample_planes(const builder *b, int channel, int32_t pair, double *const to[2],
                          double *work)
{
    const grid_lattice *l = &b->lattice;
    const shoal_grid_view *v = &b->grid->view;
    const double z[2] = {height_of(v, 2 * pair), height_of(v, 2 * pair + 1)};
    const size_t n = (size_t)v->shape[0] * (size_t)v->shape[1];
    const bool far = is_far(b, channel, pair), helped = !far && b->helper.near;
    const bool soft =
        !far && channel == SHOAL_CHANNEL_L && l->surface->view.form == SHOAL_SURFACE_LJ;
    for (int side = 0; side < 2 && !helped; ++side) memset(to[side], 0, n * sizeof **to);
    if (far || soft) {
        const grid_planes planes = {.n_a = v->shape[0],
                                    .n_b = v->shape[1],
                                    .channel = channel,
                                    .z = {z[0], z[1]},
                                    .values = work,
                                    .work = work + 2 * n};
        grid_fourier_fill(l, &planes, soft ? GRID_SOFTEN : 0);
        for (size_t i = 0; i < n; ++i) {
            to[0][i] += work[2 * i];
            to[1][i] += work[2 * i + 1];
        }
    }
    for (int side = 0; side < 2 && !far && !helped; ++side)
        grid_near_add(l, &(grid_near_plane){.n_a = v->shape[0],
                                            .n_b = v->shape[1],
                                            .channel = channel,
                                            .z = z[side],
                                            .soften = GRID_SOFTEN,
                                            .to = to[side]});
    for (int side = 0; side < 2; ++side) {
        const double factor = fade(v, z[side]);
        for (size_t i = 0; i < n; ++i) to[side][i] = factor * (to[side][i] - v->limit[channel]);
    }
}

/* Lets the helper sum where k-vectors do not do, pair by pair of planes. */
static shoal_status call_helper(builder *b, int channel)
{
    const shoal_grid_view *v = &b->grid->view;
    const size_t n = (size_t)v->shape[0] * (size_t)v->shape[1];
    for (int32_t p = 0; p < b->n_planes / 2 && b->helper.near; ++p) {
        const grid_near_job job = {.lattice = &b->lattice,
                                   .n_a = v->shape[0],
                                   .n_b = v->shape[1],
                                   .channel = channel,
                                   .soften = GRID_SOFTEN,
                                   .z = {height_of(v, 2 * p), height_of(v, 2 * p + 1)}};
        if (is_far(b, channel, p)) continue;
        SHOAL_TRY(b->helper.near(b->helper.user, &job, b->values + 2 * (size_t)p * n));
    }
    return SHOAL_OK;
}

/* All planes of a channel: values, and coefficients within the plane. */
static void sample_channel(builder *b, int channel)
{
    const shoal_grid_view *v = &b->grid->view;
    const size_t n = (size_t)v->shape[0] * (size_t)v->shape[1];
    const int32_t n_pairs = b->n_planes / 2;
    const int n_threads = thread_count(b);
    int failed = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(n_threads) reduction(| : failed)
#endif
    {
        double *work = malloc(4 * n * sizeof *work);
        failed = !work;
#ifdef _OPENMP
#pragma omp for schedule(dynamic, 1)
#endif
        for (int32_t p = 0; p < n_pairs; ++p) {
            if (!work || is_stopped(b)) continue;
            double *const to[2] = {b->values + 2 * (size_t)p * n,
                                   b->values + (2 * (size_t)p + 1) * n};
            sample_planes(b, channel, p, to, work);
            for (int side = 0; side < 2; ++side)
                solve_plane(to[side], work, v->shape[0], v->shape[1]);
            advance(b, b->share / n_pairs);
        }
        free(work);
    }
    (void)n_threads;
    if (failed) b->status = shoal_fail(SHOAL_E_MEMORY, "out of memory: planes of a grid");
}

/* One row of columns: coefficients along z of all nodes with the same index along a. */
static void solve_columns(const builder *b, int channel, int32_t a, double *rows)
{
    const shoal_grid_view *v = &b->grid->view;
    const size_t n_b = (size_t)v->shape[1], n_z = (size_t)b->n_planes;
    const size_t column = (size_t)v->shape[2] + 2;
    double *first = rows + n_z * n_b, *last = first + n_b, *work = last + n_b;
    for (size_t p = 0; p < n_z; ++p)
        memcpy(rows + p * n_b, b->values + (p * (size_t)v->shape[0] + (size_t)a) * n_b,
               n_b * sizeof *rows);
    grid_spline_open(rows, b->n_planes, n_b, first, last, work);
    float *to = b->grid->channel[channel] + (size_t)a * n_b * column;
    for (size_t k = 0; k < n_b; ++k)
        for (size_t p = 0; p < column; ++p) {
            const size_t from = p + GHOSTS - 1; /* the first belongs to the node below */
            to[k * column + p] = p + EMPTY < column ? (float)rows[from * n_b + k] : 0.0F;
        }
}

static void solve_channel(builder *b, int channel)
{
    const shoal_grid_view *v = &b->grid->view;
    const size_t n = ((size_t)b->n_planes + 2) * (size_t)v->shape[1] + (size_t)b->n_planes;
    const int n_threads = thread_count(b);
    int failed = 0;
#ifdef _OPENMP
#pragma omp parallel num_threads(n_threads) reduction(| : failed)
#endif
    {
        double *rows = malloc(n * sizeof *rows);
        failed = !rows;
#ifdef _OPENMP
#pragma omp for schedule(static)
#endif
        for (int32_t a = 0; a < v->shape[0]; ++a)
            if (rows) solve_columns(b, channel, a, rows);
        free(rows);
    }
    (void)n_threads;
    if (failed) b->status = shoal_fail(SHOAL_E_MEMORY, "out of memory: columns of a grid");
}

static shoal_status fill_channels(builder *b)
{
    const shoal_grid_view *v = &b->grid->view;
    int n_channels = 0;
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) n_channels += v->has_channel[c];
    /* An even number of planes; those beyond the top are empty. */
    b->n_planes = (v->shape[2] + GHOSTS + 2) / 2 * 2;
    b->share = 1.0 / (n_channels > 0 ? n_channels : 1);
    b->values =
        malloc((size_t)b->n_planes * (size_t)v->shape[0] * (size_t)v->shape[1] * sizeof *b->values);
    if (!b->values) return shoal_fail(SHOAL_E_MEMORY, "out of memory: values of a grid");
    for (int c = 0; c < SHOAL_N_CHANNELS && b->status == SHOAL_OK; ++c) {
        if (!v->has_channel[c]) continue;
        SHOAL_TRY(call_helper(b, c));
        sample_channel(b, c);
        advance(b, 0); /* the calling thread may have had nothing to do */
        if (b->stop) return shoal_fail(SHOAL_E_ARGUMENT, "grid: the build was stopped");
        if (b->status == SHOAL_OK) solve_channel(b, c);
    }
    return b->status;
}

static shoal_status summarise(const builder *b)
{
    shoal_grid_report report;
    const int32_t n = b->options.samples == 0 ? 2000 : b->options.samples;
    if (n < 0) return SHOAL_OK;
    SHOAL_TRY(shoal_grid_check(b->grid, n, 1, b->options.n_threads, &report, NULL));
    b->grid->view.errors = report.all;
    return SHOAL_OK;
}

static shoal_status build(builder *b, shoal_surface *surface)
{
    SHOAL_TRY(grid_lattice_create(&b->lattice, surface, b->options.whole_cell));
    SHOAL_TRY(shape_grid(b, surface));
    SHOAL_TRY(fill_channels(b));
    return summarise(b);
}

shoal_status grid_build(shoal_grid **out, shoal_surface *surface, const shoal_grid_options *options,
                        const grid_helper *helper)
{
    builder b = {.options = *options, .helper = *helper};
    if (b.options.step == 0) b.options.step = surface->view.form == SHOAL_SURFACE_LJ ? 0.05 : 0.1;
    if (!(b.options.step >= 0.02 && b.options.step <= 1.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "grid: the step is %g A, expected 0.02 to 1",
                          b.options.step);
    if (!(b.options.height >= 0 && b.options.height <= 200))
        return shoal_fail(SHOAL_E_ARGUMENT, "grid: the height is %g A, expected 0 to 200",
                          b.options.height);
    const shoal_status status = build(&b, surface);
    grid_lattice_free(&b.lattice);
    free(b.values);
    if (status != SHOAL_OK) {
        shoal_grid_destroy(b.grid);
        return status;
    }
    *out = b.grid;
    return SHOAL_OK;
}
