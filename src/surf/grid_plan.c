/* SPDX-License-Identifier: BSD-3-Clause
 * What a grid would cost, and what direct sums do: by counting, at fixed rates of one core, so that
 * the same question has the same answer on every machine and at any time. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "surf/grid_build.h"
#include "surf/grid_lattice.h"
#include "surf/surface_sum.h"

#include "constants.h"

/* Seconds of a core of 2020; their ratios are what matters. */
#define PER_NODE 1.0e-7    /* Fourier transform and coefficients of a node and channel */
#define PER_PHASE 1.5e-9   /* an atom in a k-vector */
#define PER_TRANSFORM 6e-8 /* a k-vector of a plane of atoms */
#define PER_BESSEL 2e-7    /* the same of a power */
#define PER_EXPONENTIAL 1.5e-9
#define PER_POWER 1.2e-8
#define PER_PAIR 1.2e-8 /* of a direct sum */
#define PER_KVEC 3.5e-8 /* of a direct sum, in one channel */

#define MORE_LEVELS 1.12 /* what the levels add to the finest */

typedef struct planner {
    const shoal_surface *surface;
    double area;    /* of the period, angstrom^2 */
    double n_atoms; /* in the period */
    double *heights;
    int32_t n_heights;              /* planes of atoms */
    double reach[SHOAL_N_CHANNELS]; /* angstrom, of short-range sums at nodes */
} planner;

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static shoal_status list_heights(planner *p)
{
    const shoal_surface_view *v = &p->surface->view;
    p->heights = shoal_alloc((size_t)v->n_atoms, sizeof *p->heights);
    if (!p->heights) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i) p->heights[i] = v->pos[i][2];
    qsort(p->heights, (size_t)v->n_atoms, sizeof *p->heights, compare_numbers);
    for (int32_t i = 0; i < v->n_atoms; ++i)
        if (p->n_heights == 0 || p->heights[i] - p->heights[p->n_heights - 1] > 1e-6)
            p->heights[p->n_heights++] = p->heights[i];
    return SHOAL_OK;
}

/* Seconds for the nodes of one plane in one channel. */
static double time_plane(const planner *p, int channel, double z, double nodes)
{
    const int power = surface_channel_power(p->surface, channel);
    const double far = p->n_heights > GRID_MOST_PLANES ? GRID_FAR_MANY : GRID_FAR;
    const double each = p->n_atoms / p->n_heights; /* atoms of a plane */
    const double reach = p->reach[channel];
    double seconds = PER_NODE * nodes;
    for (int32_t k = 0; k < p->n_heights; ++k) {
        const double d = fabs(z - p->heights[k]);
        const bool near = channel != SHOAL_CHANNEL_Q && d < far;
        if (near)
            seconds += (power > 0 ? PER_POWER : PER_EXPONENTIAL) * nodes * each / p->area * PI *
                       fmax(reach * reach - d * d, 0);
        const double g = near ? (power > 0 ? 2 * GRID_ETA * sqrt(GRID_DECAY) : 0)
                              : fmin(GRID_DECAY / fmax(d, 0.1), GRID_SHARPEST);
        seconds += p->area * g * g / (8 * PI) *
                   (PER_PHASE * each + (channel == SHOAL_CHANNEL_Q ? PER_TRANSFORM : PER_BESSEL));
    }
    return seconds;
}

/* Seconds of a direct sum at one atom. */
static double time_direct(const planner *p)
{
    const surface_sum *sum = p->surface->sum;
    const double pairs = p->n_atoms / p->area * PI * sum->reach * sum->reach;
    return PER_PAIR * pairs + PER_KVEC * sum->n_kvecs * sum->n_kvec_channels;
}

static shoal_status estimate(planner *p, const shoal_grid_options *options, shoal_grid_plan *out)
{
    const shoal_surface_view *v = &p->surface->view;
    const double step = grid_choose_step(p->surface, options), bottom = v->floor - GRID_BELOW;
    const double height = options->height > 0 ? fmin(options->height, GRID_NEAR) : GRID_NEAR;
    double cell[2][2] = {{v->cell[0][0], v->cell[0][1]}, {v->cell[1][0], v->cell[1][1]}};
    int32_t cells = 1, n_channels = 0;
    if (!options->whole_cell) SHOAL_TRY(grid_period_find(p->surface, cell, &cells));
    p->area = v->area / cells;
    p->n_atoms = (double)v->n_atoms / cells;
    SHOAL_TRY(list_heights(p));
    const double plane =
        ceil(hypot(cell[0][0], cell[0][1]) / step) * ceil(hypot(cell[1][0], cell[1][1]) / step);
    const double planes = ceil((v->top + height - bottom) / step) + 2 * GRID_GHOSTS;
    double seconds = 0;
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        n_channels += v->has_channel[c];
        if (v->has_channel[c] && c != SHOAL_CHANNEL_Q)
            p->reach[c] = grid_lattice_reach(p->surface, c);
        for (int32_t k = 0; k < (int32_t)fmin(planes, GRID_MOST_NODES) && v->has_channel[c]; ++k)
            seconds += time_plane(p, c, bottom + (k - GRID_GHOSTS) * step, plane);
    }
    const double nodes = plane * planes * MORE_LEVELS;
    out->nodes = (int64_t)nodes;
    out->bytes = (int64_t)(nodes * n_channels * (double)sizeof(float));
    out->build_bytes = out->bytes + (int64_t)(nodes * (double)sizeof(double));
    out->build_seconds = MORE_LEVELS * seconds;
    out->direct_seconds = time_direct(p);
    return SHOAL_OK;
}

shoal_status shoal_grid_estimate(shoal_grid_plan *out, const shoal_surface *surface,
                                 const shoal_grid_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && surface);
    const shoal_grid_options defaults = {0};
    planner p = {.surface = surface};
    *out = (shoal_grid_plan){0};
    SHOAL_TRY(grid_refuse(surface));
    const shoal_status status = estimate(&p, options ? options : &defaults, out);
    free(p.heights);
    return status;
}
