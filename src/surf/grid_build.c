/* SPDX-License-Identifier: BSD-3-Clause
 * Building a grid: values at all nodes, plane by plane, then the coefficients of the spline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"
#include "geom/fft.h"
#include "surf/grid_build.h"
#include "surf/grid_helper.h"
#include "surf/grid_lattice.h"
#include "surf/grid_outside.h"
#include "surf/grid_spline.h"
#include "surf/surface.h"

#include "constants.h"

#define STEP 0.1        /* angstrom, of the Morse form */
#define LJ_STEP 0.07    /* angstrom: it is steeper */
#define SWITCH 3.0      /* angstrom over which the fields are switched off, more where ... */
#define SWITCH_NODES 8  /* ... they are fewer nodes than that */
#define NEGLIGIBLE 1e-6 /* eV */
#define SAMPLES 2000    /* for the summary of errors */
#define MOST_HEIGHT 2000.0
/* Nodes of a level are as far apart as a share of its height above the topmost atom. What is left of
 * a field there varies over lengths like the height, and a spline is wrong by some 1e-7 of it. */
#define SMOOTHNESS 32
#define SAME_HEIGHT 1e-5 /* angstrom: a mesh that begins there begins at the bottom */
#define OVERLAP 2        /* nodes of a level below the end of the one before */

typedef struct builder {
    shoal_grid_options options;
    grid_helper helper;
    grid_lattice lattice;
    grid_outside outside[SHOAL_CHANNEL_KINDS];
    shoal_grid *grid; /* the level that is made */
    bool is_last;     /* the fields are switched off in it */
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

/* The mesh of a channel, NULL: it is the surface's own. */
static const shoal_mesh *find_mesh(const builder *b, int channel)
{
    const shoal_grid_options *o = &b->options;
    return channel == SHOAL_CHANNEL_P   ? o->pauli
           : channel == SHOAL_CHANNEL_L ? o->london
           : channel == SHOAL_CHANNEL_Q ? o->coulomb
                                        : NULL;
}

/* Whether a channel comes from a mesh. */
static bool is_outside(const builder *b, int channel)
{
    return channel < SHOAL_CHANNEL_KINDS && b->outside[channel].there;
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

/* What a carbon atom with a unit charge feels at most at a height, apart from the limits and from meshes. */
static double feel(const builder *b, const double limit[SHOAL_N_CHANNELS], double z)
{
    const grid_lattice *l = &b->lattice;
    const shoal_probe carbon = {.radius = 1.9255, .depth = 0.00455, .charge = 1};
    double weights[SHOAL_N_CHANNELS], sum = 0;
    shoal_surface_weights(l->surface, &carbon, weights);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
        if (weights[c] != 0 && l->surface->view.has_channel[c] && !is_outside(b, c))
            sum += fabs(weights[c]) * grid_fourier_bound(l, c, z, limit[c]);
    return sum;
}

static double find_height(const builder *b, const double limit[SHOAL_N_CHANNELS])
{
    const double top = b->lattice.surface->view.top;
    double height = 6;
    while (height < MOST_HEIGHT && feel(b, limit, top + height) > NEGLIGIBLE) height *= 1.1;
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c)
        if (is_outside(b, c)) height = fmax(height, b->outside[c].end - top);
    return height;
}

/* Nodes in the plane, no farther apart than the step. */
static shoal_status shape_plane(const grid_lattice *l, double step, shoal_grid_view *view)
{
    for (int k = 0; k < 2; ++k) {
        const double length = hypot(l->cell[k][0], l->cell[k][1]);
        const double nodes = ceil(length / step - 1e-9);
        if (!(nodes < GRID_MOST_NODES))
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "grid: a step of %g A makes %g nodes along a cell, at most %d are possible", step,
                nodes, GRID_MOST_NODES);
        view->shape[k] = fft_size(nodes < 4 ? 4 : (int32_t)nodes);
        view->step[k] = length / view->shape[k];
    }
    return SHOAL_OK;
}

/* Nodes along z from the origin to an end; those that a switch needs are added in the last level. */
static shoal_status shape_height(double end, bool is_last, shoal_grid_view *view)
{
    const double step = view->step[2], more = is_last ? fmax(SWITCH, SWITCH_NODES * step) : 0;
    const double planes =
        ceil((end + more - view->origin[2]) / step) + 1 + (is_last ? GRID_EMPTY : 0);
    if (!(planes < GRID_MOST_NODES))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "grid: a step of %g A makes %g nodes along z, at most %d are possible",
                          step, planes, GRID_MOST_NODES);
    view->shape[2] = planes < 4 ? 4 : (int32_t)planes;
    return SHOAL_OK;
}

/* The view of the finest level; all levels share its limits and switch_z. */
static shoal_status shape_grid(builder *b, shoal_grid_view *view)
{
    const grid_lattice *l = &b->lattice;
    const shoal_surface_view *v = &l->surface->view;
    *view = (shoal_grid_view){.cells = l->cells};
    SHOAL_TRY(shape_plane(l, b->options.step, view));
    memcpy(view->cell, l->cell, sizeof view->cell);
    memcpy(view->has_channel, v->has_channel, sizeof view->has_channel);
    find_limits(l->surface, view->limit);
    if (is_outside(b, SHOAL_CHANNEL_Q)) view->limit[SHOAL_CHANNEL_Q] = 0;
    const double height = b->options.height > 0 ? b->options.height : find_height(b, view->limit);
    view->step[2] = b->options.step;
    view->origin[2] = v->floor - GRID_BELOW;
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        const grid_outside *o = &b->outside[c];
        if (!o->there) continue;
        view->has_channel[c] = true;
        view->sources[c] = (shoal_grid_source){
            .there = true, .top = o->begin, .end = o->end, .cut = o->cut, .zero = o->zero};
        (void)snprintf(view->sources[c].name, sizeof view->sources[c].name, "%s", o->mesh.name);
        if (o->bottom > view->origin[2] + SAME_HEIGHT) view->origin[2] = o->bottom;
    }
    view->switch_z = v->top + height;
    b->is_last = height <= GRID_NEAR;
    return shape_height(v->top + fmin(height, GRID_NEAR), b->is_last, view);
}

/* The view of the level that follows one. */
static shoal_status shape_level(builder *b, const shoal_grid *below, shoal_grid_view *view)
{
    const shoal_surface_view *v = &b->lattice.surface->view;
    const double seam = grid_level_top(below), height = seam - v->top;
    const double step = fmax(below->view.step[2], height / SMOOTHNESS);
    *view = below->view;
    SHOAL_TRY(shape_plane(&b->lattice, step, view));
    view->step[2] = step;
    view->origin[2] = seam - OVERLAP * step;
    b->is_last = view->switch_z <= v->top + 2 * height;
    return shape_height(fmin(view->switch_z, v->top + 2 * height), b->is_last, view);
}

/* 1 up to switch_z, then smoothly to 0 within the last level. */
static double fade(const builder *b, double z)
{
    const shoal_grid_view *v = &b->grid->view;
    const double t = (z - v->switch_z) / fmax(SWITCH, SWITCH_NODES * v->step[2]);
    if (t <= 0 || !b->is_last) return 1;
    if (t >= 1) return 0;
    return 1 - t * t * t * (10 + t * (-15 + 6 * t));
}

static double height_of(const shoal_grid_view *v, int32_t plane)
{
    return v->origin[2] + (plane - GRID_GHOSTS) * v->step[2];
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

static grid_near_job make_job(const builder *b, int channel, int32_t pair)
{
    const shoal_grid_view *v = &b->grid->view;
    return (grid_near_job){.lattice = &b->lattice,
                           .n_a = v->shape[0],
                           .n_b = v->shape[1],
                           .channel = channel,
                           .z = {height_of(v, 2 * pair), height_of(v, 2 * pair + 1)}};
}

/* Whether a channel has sums in real space in a pair of planes of nodes. */
static bool has_near(const grid_near_job *job)
{
    return job->channel != SHOAL_CHANNEL_Q && grid_lattice_has_near(job->lattice, job->z);
}

/* Values of a mesh in a plane of nodes. */
static void sample_mesh(const builder *b, int channel, double z, double *to)
{
    const shoal_grid_view *v = &b->grid->view;
    const double factor = fade(b, z);
    for (int32_t i = 0; i < v->shape[0]; ++i)
        for (int32_t k = 0; k < v->shape[1]; ++k) {
            const double fa = (double)i / v->shape[0], fb = (double)k / v->shape[1];
            const double r[3] = {fa * v->cell[0][0] + fb * v->cell[1][0],
                                 fa * v->cell[0][1] + fb * v->cell[1][1], z};
            double field[4];
            grid_outside_field(&b->outside[channel], r, field);
            *to++ = factor * field[0];
        }
}

/* Values of a channel in a pair of planes of nodes, into to[2], where a helper has left its sums.
 * work holds four planes. */
static shoal_status sample_planes(const builder *b, int channel, int32_t pair, double *const to[2],
                                  double *work)
{
    const shoal_grid_view *v = &b->grid->view;
    const size_t n = (size_t)v->shape[0] * (size_t)v->shape[1];
    const grid_near_job job = make_job(b, channel, pair);
    if (is_outside(b, channel)) {
        for (int side = 0; side < 2; ++side) sample_mesh(b, channel, job.z[side], to[side]);
        return SHOAL_OK;
    }
    const bool near = has_near(&job), helped = near && b->helper.near;
    for (int side = 0; side < 2 && !helped; ++side) memset(to[side], 0, n * sizeof **to);
    const grid_planes planes = {.n_a = v->shape[0],
                                .n_b = v->shape[1],
                                .channel = channel,
                                .z = {job.z[0], job.z[1]},
                                .values = work,
                                .work = work + 2 * n};
    SHOAL_TRY(grid_fourier_fill(&b->lattice, &planes));
    if (near && !helped) grid_near_add(&job, to);
    for (int side = 0; side < 2; ++side) {
        const double factor = fade(b, job.z[side]);
        for (size_t i = 0; i < n; ++i)
            to[side][i] = factor * (to[side][i] + work[2 * i + (size_t)side] - v->limit[channel]);
    }
    return SHOAL_OK;
}

/* Lets the helper sum where k-vectors do not do, pair by pair of planes. */
static shoal_status call_helper(builder *b, int channel)
{
    const shoal_grid_view *v = &b->grid->view;
    const size_t n = (size_t)v->shape[0] * (size_t)v->shape[1];
    for (int32_t p = 0; p < b->n_planes / 2 && b->helper.near; ++p) {
        const grid_near_job job = make_job(b, channel, p);
        if (!has_near(&job)) continue;
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
            if (sample_planes(b, channel, p, to, work) != SHOAL_OK) {
                failed = 1;
                continue;
            }
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
            const size_t from = p + GRID_GHOSTS - 1; /* the first belongs to the node below */
            const bool is_empty = b->is_last && p + GRID_EMPTY >= column;
            to[k * column + p] = is_empty ? 0.0F : (float)rows[from * n_b + k];
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

/* Coefficients of one level, which takes a share of the time. */
static shoal_status fill_channels(builder *b, double share)
{
    const shoal_grid_view *v = &b->grid->view;
    int n_channels = 0;
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) n_channels += v->has_channel[c];
    /* An even number of planes, with ghosts on both sides. */
    b->n_planes = (v->shape[2] + 2 * GRID_GHOSTS + 1) / 2 * 2;
    b->share = share / (n_channels > 0 ? n_channels : 1);
    b->values =
        malloc((size_t)b->n_planes * (size_t)v->shape[0] * (size_t)v->shape[1] * sizeof *b->values);
    if (!b->values) return shoal_fail(SHOAL_E_MEMORY, "out of memory: values of a grid");
    for (int c = 0; c < SHOAL_N_CHANNELS && b->status == SHOAL_OK; ++c) {
        if (!v->has_channel[c]) continue;
        if (!is_outside(b, c)) SHOAL_TRY(call_helper(b, c));
        sample_channel(b, c);
        advance(b, 0); /* the calling thread may have had nothing to do */
        if (b->stop) return shoal_fail(SHOAL_E_ARGUMENT, "grid: the build was stopped");
        if (b->status == SHOAL_OK) solve_channel(b, c);
    }
    free(b->values);
    b->values = NULL;
    return b->status;
}

static shoal_status summarise(const builder *b, shoal_grid *grid)
{
    shoal_grid_report report;
    const int32_t n = b->options.samples == 0 ? SAMPLES : b->options.samples;
    bool outside = false;
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) outside = outside || is_outside(b, c);
    if (n < 0 && !outside) return SHOAL_OK;
    SHOAL_TRY(
        grid_check(grid, n < 0 ? SAMPLES : n, 1, b->options.n_threads, b->outside, &report, NULL));
    if (n > 0) grid->view.errors = report.all;
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        grid->view.sources[c].max_e = is_outside(b, c) ? report.channels[c].max_e : 0;
        grid->view.sources[c].max_f = is_outside(b, c) ? report.channels[c].max_f : 0;
    }
    return SHOAL_OK;
}

/* The smallest period, if it is one of the meshes, too; else the whole cell. */
static shoal_status choose_cell(builder *b, const shoal_surface *surface)
{
    bool fits = true;
    if (surface->pairs && (b->options.pauli || b->options.london))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "grid: the surface has a pair model, expected no channel from elsewhere but coulomb");
    SHOAL_TRY(grid_lattice_create(&b->lattice, surface, b->options.whole_cell));
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c)
        fits = fits && (!find_mesh(b, c) ||
                        grid_outside_fits(find_mesh(b, c), (const double(*)[2])b->lattice.cell));
    if (!fits && b->lattice.cells > 1) {
        grid_lattice_free(&b->lattice);
        SHOAL_TRY(grid_lattice_create(&b->lattice, surface, true));
    }
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c)
        if (find_mesh(b, c))
            SHOAL_TRY(grid_outside_prepare(&b->outside[c], surface, c, find_mesh(b, c),
                                           (const double(*)[2])b->lattice.cell));
    return SHOAL_OK;
}

/* The levels above the finest, which are not many nodes. */
static shoal_status build_levels(builder *b, shoal_grid *grid, shoal_surface *surface)
{
    const shoal_grid *below = grid;
    while (!b->is_last) {
        shoal_grid_view view;
        if (grid->view.n_levels == SHOAL_GRID_LEVELS)
            return shoal_fail(SHOAL_E_ARGUMENT, "grid: the height is too great, %g A",
                              grid->view.switch_z);
        SHOAL_TRY(shape_level(b, below, &view));
        SHOAL_TRY(grid_allocate(&b->grid, &view, surface));
        grid_put_level(grid, b->grid);
        below = b->grid;
        SHOAL_TRY(fill_channels(b, 0.02));
    }
    return SHOAL_OK;
}

/* *out is to be destroyed also where this fails. */
static shoal_status build(builder *b, shoal_surface *surface, shoal_grid **out)
{
    shoal_grid_view view;
    SHOAL_TRY(choose_cell(b, surface));
    SHOAL_TRY(shape_grid(b, &view));
    SHOAL_TRY(grid_allocate(&b->grid, &view, surface));
    *out = b->grid;
    SHOAL_TRY(fill_channels(b, b->is_last ? 1 : 0.9));
    SHOAL_TRY(build_levels(b, *out, surface));
    return summarise(b, *out);
}

shoal_status grid_refuse(const shoal_surface *surface)
{
    const char *why = surface_pairs_no_grid(surface);
    if (!why) return SHOAL_OK;
    return shoal_fail(SHOAL_E_UNSUPPORTED,
                      "grid: the pair model cannot be put on one: %s; direct sums can do it", why);
}

double grid_choose_step(const shoal_surface *surface, const shoal_grid_options *options)
{
    if (options->step != 0) return options->step;
    if (surface->pairs) return surface->pairs->family == FORM_MORSE ? STEP : LJ_STEP;
    return surface->view.form == SHOAL_SURFACE_LJ ? LJ_STEP : STEP;
}

shoal_status grid_build(shoal_grid **out, shoal_surface *surface, const shoal_grid_options *options,
                        const grid_helper *helper)
{
    builder b = {.options = *options, .helper = *helper};
    SHOAL_TRY(grid_refuse(surface));
    if (surface->pairs) b.helper = (grid_helper){0}; /* devices do not know these channels */
    b.options.step = grid_choose_step(surface, options);
    if (!(b.options.step >= 0.02 && b.options.step <= 1.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "grid: the step is %g A, expected 0.02 to 1",
                          b.options.step);
    if (!(b.options.height >= 0 && b.options.height <= MOST_HEIGHT))
        return shoal_fail(SHOAL_E_ARGUMENT, "grid: the height is %g A, expected 0 to %g",
                          b.options.height, MOST_HEIGHT);
    shoal_grid *grid = NULL;
    const shoal_status status = build(&b, surface, &grid);
    grid_lattice_free(&b.lattice);
    free(b.values);
    if (status != SHOAL_OK) {
        shoal_grid_destroy(grid);
        return status;
    }
    *out = grid;
    return SHOAL_OK;
}
