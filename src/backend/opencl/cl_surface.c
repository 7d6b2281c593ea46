/* SPDX-License-Identifier: BSD-3-Clause
 * The grid of a surface on an OpenCL device: fields of the atom types that occur, four coefficients
 * of a column at every node, so that kernels read whole vectors. */
#include "backend/opencl/cl_surface.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/surface.h"

#define MEMORY_SHARE 0.6 /* of the device, for fields */

static void put(const cl_surface *s, void *array, size_t i, double value)
{
    if (s->is_double)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

void cl_surface_begin(cl_surface *s, const shoal_surface *surface, shoal_grid *grid, bool is_double,
                      int32_t n_threads)
{
    const size_t real = is_double ? sizeof(double) : sizeof(float);
    *s = (cl_surface){
        .surface = surface, .grid = grid, .is_double = is_double, .n_threads = n_threads};
    s->classes.size = sizeof(const grid_class *);
    s->atom_list.size = 4 * real;
}

void cl_surface_free(cl_surface *s)
{
    cl_buffer_free(&s->fields);
    cl_buffer_free(&s->frame);
    cl_buffer_free(&s->atoms);
    cl_buffer_free(&s->anchors);
    free(s->classes.data);
    free(s->atom_list.data);
    free(s->host_anchors);
    *s = (cl_surface){0};
}

/* Number of a class among those that occur; -1 when memory is out. */
static int32_t number_class(cl_surface *s, const grid_class *class)
{
    const grid_class **list = s->classes.data;
    for (int32_t k = 0; k < s->classes.n; ++k)
        if (list[k] == class) return k;
    if (shoal_grow(&s->classes.data, &s->classes.capacity, s->classes.n + 1, s->classes.size) !=
        SHOAL_OK)
        return -1;
    ((const grid_class **)s->classes.data)[s->classes.n] = class;
    return s->classes.n++;
}

shoal_status cl_surface_add(cl_surface *s, const shoal_topology_view *v)
{
    if (!s->grid) return SHOAL_OK;
    const int32_t n = v->n_atoms + v->n_sites;
    SHOAL_TRY(shoal_grow(&s->atom_list.data, &s->atom_list.capacity, s->atom_list.n + n,
                         s->atom_list.size));
    for (int32_t i = 0; i < n; ++i) {
        const grid_class *class;
        double w[SHOAL_N_CHANNELS], limit = 0;
        surface_atom_weights(s->surface, v, i, w);
        SHOAL_TRY(grid_class_find(s->grid, w, s->n_threads, &class));
        const int32_t number = number_class(s, class);
        if (number < 0) return SHOAL_E_MEMORY;
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c) limit += w[c] * s->grid->view.limit[c];
        const size_t at = 4 * (size_t)s->atom_list.n++;
        put(s, s->atom_list.data, at, number);
        put(s, s->atom_list.data, at + 1, w[SHOAL_CHANNEL_Q]);
        put(s, s->atom_list.data, at + 2, limit);
        put(s, s->atom_list.data, at + 3, class->inverse);
    }
    return SHOAL_OK;
}

/* One class: for every node of a column but the last, four coefficients of both fields. */
static void fill_class(const shoal_grid *grid, const grid_class *class, float *to)
{
    const shoal_grid_view *v = &grid->view;
    const size_t n_z = (size_t)v->shape[2], columns = (size_t)v->shape[0] * (size_t)v->shape[1];
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (size_t c = 0; c < columns; ++c)
        for (size_t k = 0; k + 1 < n_z; ++k) {
            float *p = to + 8 * (c * (n_z - 1) + k);
            const float *from = class->field + 2 * (c * (n_z + 2) + k);
            for (size_t m = 0; m < 4; ++m) {
                p[m] = from[2 * m];
                p[4 + m] = from[2 * m + 1];
            }
        }
}

/* Bytes of one class in one level. */
static size_t class_bytes(const shoal_grid *level)
{
    const int32_t *n = level->view.shape;
    return (size_t)n[0] * (size_t)n[1] * ((size_t)n[2] - 1) * 8 * sizeof(float);
}

/* All classes of one level, from an offset in bytes on. */
static shoal_status send_level(cl_surface *s, const shoal_grid *level, int depth, size_t offset)
{
    const size_t bytes = class_bytes(level), n = (size_t)s->classes.n;
    float *staged = malloc(bytes);
    shoal_status status = staged ? SHOAL_OK : shoal_fail(SHOAL_E_MEMORY, "out of memory: a field");
    for (size_t k = 0; k < n && status == SHOAL_OK; ++k) {
        const grid_class *class = ((const grid_class **)s->classes.data)[k];
        for (int up = 0; up < depth; ++up) class = class->above;
        fill_class(level, class, staged);
        status = cl_buffer_write(&s->fields, offset + k * bytes, bytes, staged);
    }
    free(staged);
    return status;
}

static shoal_status send_fields(cl_surface *s, cl_target *target)
{
    const size_t n = (size_t)s->classes.n;
    const shoal_device_info *info = &target->device.info;
    size_t bytes = 0, offset = 0;
    for (const shoal_grid *level = s->grid; level; level = level->above)
        bytes += class_bytes(level);
    const double need = (double)bytes * (double)n;
    if (need > MEMORY_SHARE * (double)info->memory_bytes || need > (double)info->max_buffer_bytes)
        return shoal_fail(SHOAL_E_MEMORY,
                          "the grid takes %.1f GB for %zu atom types on '%s', more than it can "
                          "give; use a larger step, or the device 'cpu'",
                          1e-9 * need, n, info->name);
    SHOAL_TRY(cl_buffer_create(&s->fields, target, "surface_fields", n, bytes, NULL));
    int depth = 0;
    for (const shoal_grid *level = s->grid; level; level = level->above) {
        SHOAL_TRY(send_level(s, level, depth++, offset));
        offset += n * class_bytes(level);
    }
    return SHOAL_OK;
}

static void put_frame(const cl_surface *s, const shoal_grid_view *v, void *reals, size_t at)
{
    double m[3][3], numbers[LAYOUT_FRAME];
    grid_inverse(v, m);
    numbers[FRAME_AX] = m[0][0];
    numbers[FRAME_AY] = m[0][1];
    numbers[FRAME_BX] = m[1][0];
    numbers[FRAME_BY] = m[1][1];
    numbers[FRAME_CZ] = m[2][2];
    numbers[FRAME_WALL] = GRID_WALL * v->step[2] * v->step[2];
    numbers[FRAME_A] = v->shape[0];
    numbers[FRAME_B] = v->shape[1];
    numbers[FRAME_Z] = v->shape[2];
    numbers[FRAME_LEVELS] = 1 + s->grid->view.n_levels;
    numbers[FRAME_CLASSES] = s->classes.n;
    for (size_t k = 0; k < LAYOUT_FRAME; ++k) put(s, reals, at + k, numbers[k]);
}

static shoal_status send_frames(cl_surface *s, cl_target *target)
{
    double reals[LAYOUT_FRAME * (1 + SHOAL_GRID_LEVELS)];
    size_t n = 0;
    for (const shoal_grid *level = s->grid; level; level = level->above, n += LAYOUT_FRAME)
        put_frame(s, &level->view, reals, n);
    return cl_buffer_create(&s->frame, target, "surface_frame", n,
                            s->is_double ? sizeof(double) : sizeof(float), reals);
}

/* Numbers that say where the zero of one system lies. */
static size_t anchor_size(const cl_surface *s)
{
    return 8 * (1 + (size_t)s->grid->view.n_levels);
}

shoal_status cl_surface_create(cl_surface *s, cl_target *target, int32_t n_systems)
{
    if (!s->grid) return SHOAL_OK;
    const size_t real = s->is_double ? sizeof(double) : sizeof(float);
    const size_t n = anchor_size(s) * (size_t)n_systems;
    SHOAL_TRY(send_fields(s, target));
    SHOAL_TRY(send_frames(s, target));
    SHOAL_TRY(cl_buffer_create(&s->atoms, target, "surface_atoms", (size_t)s->atom_list.n,
                               s->atom_list.size, s->atom_list.n > 0 ? s->atom_list.data : NULL));
    SHOAL_TRY(cl_buffer_create(&s->anchors, target, "surface_anchors", n, real, NULL));
    s->host_anchors = shoal_alloc(n, real);
    return s->host_anchors ? SHOAL_OK : SHOAL_E_MEMORY;
}

void cl_surface_anchor(cl_surface *s, int32_t k, const double origin[3])
{
    size_t at = anchor_size(s) * (size_t)k;
    for (const shoal_grid *level = s->grid; level; level = level->above, at += 8) {
        int32_t node[3];
        double rest[3];
        grid_find_anchor(&level->view, origin, node, rest);
        for (size_t c = 0; c < 3; ++c) {
            put(s, s->host_anchors, at + c, node[c]);
            put(s, s->host_anchors, at + 4 + c, rest[c]);
        }
    }
}

shoal_status cl_surface_send(cl_surface *s, int32_t n)
{
    const size_t real = s->is_double ? sizeof(double) : sizeof(float);
    return cl_buffer_write(&s->anchors, 0, anchor_size(s) * (size_t)n * real, s->host_anchors);
}

shoal_status cl_surface_bind(const cl_surface *s, cl_routine *r, int32_t *next)
{
    if (!s->grid) return SHOAL_OK;
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "surface_fields", &s->fields));
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "surface_frame", &s->frame));
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "surface_atoms", &s->atoms));
    return cl_routine_buffer(r, (*next)++, "surface_anchors", &s->anchors);
}
