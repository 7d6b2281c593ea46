/* SPDX-License-Identifier: BSD-3-Clause
 * Short-range sums of a grid build on an OpenCL device, in double where the device has it. */
#include "backend/opencl/cl_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cl/cl_code.h"
#include "cl/cl_routine.h"

enum { NEAR_KINDS = 3, GROUP = 64 };

typedef struct cl_grid {
    cl_target *target;
    bool is_double;
    cl_code codes[NEAR_KINDS]; /* built at first use */
    cl_routine routines[NEAR_KINDS];
} cl_grid;

static size_t real_size(const cl_grid *g)
{
    return g->is_double ? sizeof(double) : sizeof(float);
}

static void put(const cl_grid *g, void *array, size_t i, double value)
{
    if (g->is_double)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

static double get(const cl_grid *g, const void *array, size_t i)
{
    return g->is_double ? ((const double *)array)[i] : (double)((const float *)array)[i];
}

void cl_grid_close(grid_helper *helper)
{
    cl_grid *g = helper->user;
    if (!g) return;
    for (int k = 0; k < NEAR_KINDS; ++k) {
        cl_routine_free(&g->routines[k]);
        cl_code_free(&g->codes[k]);
    }
    if (g->target) cl_target_close(g->target);
    free(g);
    *helper = (grid_helper){0};
}

static const int POWERS[NEAR_KINDS] = {0, 6, 12};

static int kind_of(const grid_near_job *job)
{
    const int p = surface_channel_power(job->lattice->surface, job->channel);
    return p == 0 ? 0 : p == 6 ? 1 : 2;
}

static shoal_status need_routine(cl_grid *g, int kind)
{
    char options[64];
    if (g->routines[kind].kernel) return SHOAL_OK;
    (void)snprintf(options, sizeof options, "-DNEAR_POWER=%d%s", POWERS[kind],
                   g->is_double ? " -DSHOAL_DOUBLE" : "");
    SHOAL_TRY(cl_code_build(&g->codes[kind], g->target, "grid_near.cl", options));
    return cl_routine_create(&g->routines[kind], &g->codes[kind], "grid_near");
}

/* Where atoms can be within reach of nodes: around the circumscribed circle of the cell. */
typedef struct circle {
    double x, y, radius;
} circle;

static circle find_circle(const grid_near_job *job)
{
    const grid_lattice *l = job->lattice;
    const double x = 0.5 * (l->cell[0][0] + l->cell[1][0]);
    const double y = 0.5 * (l->cell[0][1] + l->cell[1][1]);
    const double radius = fmax(hypot(x, y), hypot(x - l->cell[1][0], y - l->cell[1][1]));
    return (circle){x, y, radius + l->reach[job->channel]};
}

/* Adds the images of one atom to a list of n, NULL: only counts. */
static size_t list_images_of(const cl_grid *g, const grid_near_job *job, int32_t s,
                             const int32_t most[2], void *list, size_t n)
{
    const grid_lattice *l = job->lattice;
    const circle c = find_circle(job);
    if (l->weight[s][job->channel] == 0) return n;
    for (int32_t p = -most[0]; p <= most[0]; ++p)
        for (int32_t q = -most[1]; q <= most[1]; ++q) {
            const double x = l->pos[s][0] + p * l->cell[0][0] + q * l->cell[1][0];
            const double y = l->pos[s][1] + p * l->cell[0][1] + q * l->cell[1][1];
            if (hypot(x - c.x, y - c.y) > c.radius) continue;
            if (list) {
                put(g, list, 4 * n, x);
                put(g, list, 4 * n + 1, y);
                put(g, list, 4 * n + 2, l->pos[s][2]);
                put(g, list, 4 * n + 3, l->weight[s][job->channel]);
            }
            ++n;
        }
    return n;
}

/* Images within reach of the atoms of planes that are near; with list = NULL only counts. */
static size_t list_images(const cl_grid *g, const grid_near_job *job, void *list)
{
    const grid_lattice *l = job->lattice;
    const double far = find_circle(job).radius;
    int32_t most[2];
    size_t n = 0;
    for (int k = 0; k < 2; ++k)
        most[k] = (int32_t)(far * hypot(l->cell[1 - k][0], l->cell[1 - k][1]) / l->area) + 1;
    for (int32_t plane = 0; plane < l->n_planes; ++plane)
        for (int32_t s = l->plane_start[plane]; s < l->plane_start[plane + 1]; ++s) {
            if (!grid_lattice_is_near(l, plane, job->z)) break;
            n = list_images_of(g, job, s, most, list, n);
        }
    return n;
}

typedef struct near_buffers {
    cl_buffer atoms, rows, heights, values;
    size_t n_atoms;
} near_buffers;

static shoal_status make_buffers(cl_grid *g, const grid_near_job *job, near_buffers *b)
{
    const size_t nodes = 2 * (size_t)job->n_a * (size_t)job->n_b;
    double rows[4], heights[2];
    b->n_atoms = list_images(g, job, NULL);
    void *list = shoal_alloc(4 * b->n_atoms, real_size(g));
    if (!list) return SHOAL_E_MEMORY;
    (void)list_images(g, job, list);
    for (size_t k = 0; k < 4; ++k)
        put(g, rows, k, job->lattice->cell[k / 2][k % 2] / (k < 2 ? job->n_a : job->n_b));
    for (size_t p = 0; p < 2; ++p) put(g, heights, p, job->z[p]);
    shoal_status status = cl_buffer_create(&b->atoms, g->target, "near_atoms", b->n_atoms,
                                           4 * real_size(g), b->n_atoms > 0 ? list : NULL);
    free(list);
    if (status == SHOAL_OK)
        status = cl_buffer_create(&b->rows, g->target, "near_rows", 4, real_size(g), rows);
    if (status == SHOAL_OK)
        status = cl_buffer_create(&b->heights, g->target, "near_heights", 2, real_size(g), heights);
    if (status == SHOAL_OK)
        status = cl_buffer_create(&b->values, g->target, "near_values", nodes, real_size(g), NULL);
    return status;
}

static shoal_status launch(cl_routine *r, const grid_near_job *job, const near_buffers *b)
{
    const double reach = job->lattice->reach[job->channel];
    const int power = surface_channel_power(job->lattice->surface, job->channel);
    const double exponent =
        power > 0 ? GRID_ETA : surface_channel_exponent(job->lattice->surface, job->channel);
    const int32_t nodes = 2 * job->n_a * job->n_b;
    SHOAL_TRY(cl_routine_buffer(r, 0, "atoms", &b->atoms));
    SHOAL_TRY(cl_routine_int(r, 1, "n_atoms", (int32_t)b->n_atoms));
    SHOAL_TRY(cl_routine_buffer(r, 2, "rows", &b->rows));
    SHOAL_TRY(cl_routine_buffer(r, 3, "heights", &b->heights));
    SHOAL_TRY(cl_routine_int(r, 4, "n_a", job->n_a));
    SHOAL_TRY(cl_routine_int(r, 5, "n_b", job->n_b));
    SHOAL_TRY(cl_routine_int(r, 6, "n_nodes", nodes));
    SHOAL_TRY(cl_routine_real(r, 7, "exponent", exponent));
    SHOAL_TRY(cl_routine_real(r, 8, "full", power > 0 ? grid_near_full(power) : 0));
    SHOAL_TRY(cl_routine_real(r, 9, "reach2", reach * reach));
    SHOAL_TRY(cl_routine_buffer(r, 10, "values", &b->values));
    return cl_routine_launch(r, ((size_t)nodes + GROUP - 1) / GROUP, GROUP);
}

static shoal_status sum_near(void *user, const grid_near_job *job, double *to)
{
    cl_grid *g = user;
    const int kind = kind_of(job);
    const size_t nodes = 2 * (size_t)job->n_a * (size_t)job->n_b;
    near_buffers b = {0};
    SHOAL_TRY(need_routine(g, kind));
    void *values = shoal_alloc(nodes, real_size(g));
    shoal_status status = values ? make_buffers(g, job, &b) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = launch(&g->routines[kind], job, &b);
    if (status == SHOAL_OK) status = cl_buffer_read(&b.values, 0, nodes * real_size(g), values);
    for (size_t i = 0; i < nodes && status == SHOAL_OK; ++i) to[i] = get(g, values, i);
    cl_buffer_free(&b.atoms);
    cl_buffer_free(&b.rows);
    cl_buffer_free(&b.heights);
    cl_buffer_free(&b.values);
    free(values);
    return status;
}

shoal_status cl_grid_open(const char *which, grid_helper *out)
{
    cl_grid *g = shoal_alloc(1, sizeof *g);
    *out = (grid_helper){.user = g, .near = sum_near};
    if (!g) return SHOAL_E_MEMORY;
    const shoal_status status = cl_target_open(&g->target, which, false);
    if (status != SHOAL_OK) {
        cl_grid_close(out);
        return status;
    }
    g->is_double = g->target->device.info.fp64;
    return SHOAL_OK;
}
