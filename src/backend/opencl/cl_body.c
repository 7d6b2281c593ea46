/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies on an OpenCL device: numbers on their way from the host. */
#include "backend/opencl/cl_body.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "cl/cl_real.h"

static const char *const labels[CL_BODY_BUFFERS] = {"body roles", "body shapes", "body offsets",
                                                    "body vectors"};

shoal_status cl_body_begin(cl_body_rows *rows, bool is_double, size_t n)
{
    const size_t real = cl_real_size(is_double);
    *rows = (cl_body_rows){.is_double = is_double,
                           .n = n,
                           .roles = shoal_alloc(n + 1, sizeof *rows->roles),
                           .shapes = shoal_alloc(n + 1, 4 * real),
                           .offsets = shoal_alloc(n + 1, 4 * real),
                           .vectors = shoal_alloc(n + 1, 4 * BODY_VECTORS * real)};
    return rows->roles && rows->shapes && rows->offsets && rows->vectors ? SHOAL_OK
                                                                         : SHOAL_E_MEMORY;
}

void cl_body_end(cl_body_rows *rows)
{
    free(rows->roles);
    free(rows->shapes);
    free(rows->offsets);
    free(rows->vectors);
}

/* body_numbers, of the body whose first atom has this row. */
static void put_numbers(cl_body_rows *rows, const backend_body *b, size_t row)
{
    const size_t at = 4 * BODY_VECTORS * row;
    cl_real_set(rows->is_double, rows->vectors, at, b->per_mass);
    for (size_t c = 0; c < 3; ++c)
        cl_real_set(rows->is_double, rows->vectors, at + 1 + c, b->per_moment[c]);
    for (size_t k = 0; k < 3; ++k)
        for (size_t c = 0; c < 3; ++c)
            cl_real_set(rows->is_double, rows->vectors, at + 4 * (k + 1) + c, b->frame[k][c]);
}

/* One body whose list begins at entry `start`. */
static void put_body(cl_body_rows *rows, const backend_body *b, size_t first, int32_t start)
{
    for (int32_t k = 0; k < b->n; ++k) {
        const size_t row = first + (size_t)b->atoms[k], entry = first + (size_t)(start + k);
        rows->roles[row][BODY_ROLE] = k == 0 ? b->n : BODY_HELD;
        rows->roles[row][BODY_SIZE] = b->n;
        rows->roles[entry][BODY_ENTRY] = b->atoms[k];
        for (size_t c = 0; c < 3; ++c)
            cl_real_set(rows->is_double, rows->shapes, 4 * entry + c, b->shape[k][c]);
        cl_real_set(rows->is_double, rows->shapes, 4 * entry + 3, b->weights[k]);
    }
    rows->roles[first + (size_t)b->atoms[0]][BODY_START] = start;
    put_numbers(rows, b, first + (size_t)b->atoms[0]);
}

void cl_body_put(cl_body_rows *rows, const backend_bodies *bodies, size_t first, int32_t n_movers)
{
    int32_t start = 0;
    for (size_t i = first; i < first + (size_t)n_movers; ++i) {
        rows->roles[i][BODY_ROLE] = BODY_FREE;
        rows->roles[i][BODY_SIZE] = 1;
    }
    for (int32_t m = 0; bodies && m < bodies->n; ++m) {
        put_body(rows, &bodies->of[m], first, start);
        start += bodies->of[m].n;
    }
}

shoal_status cl_body_send(const cl_body_rows *rows, cl_target *target, cl_buffer *to)
{
    const size_t real = cl_real_size(rows->is_double);
    const size_t numbers[CL_BODY_BUFFERS] = {4, 4, 4, 4 * BODY_VECTORS};
    const size_t sizes[CL_BODY_BUFFERS] = {sizeof(int32_t), real, real, real};
    const void *data[CL_BODY_BUFFERS] = {rows->roles, rows->shapes, rows->offsets, rows->vectors};
    for (int k = 0; k < CL_BODY_BUFFERS; ++k) {
        cl_buffer_free(&to[k]);
        SHOAL_TRY(
            cl_buffer_create(&to[k], target, labels[k], numbers[k] * rows->n, sizes[k], data[k]));
    }
    return SHOAL_OK;
}

shoal_status cl_body_bind(cl_routine *r, int32_t *at, const cl_buffer *buffers)
{
    for (int k = 0; k < CL_BODY_BUFFERS; ++k)
        SHOAL_TRY(cl_routine_buffer(r, (*at)++, labels[k], &buffers[k]));
    return SHOAL_OK;
}
