/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies on an OpenCL device: tables of small and of large systems, as kernels/body_layout.h has them. */
#ifndef SHOAL_BACKEND_CL_BODY_H
#define SHOAL_BACKEND_CL_BODY_H

#include "backend/backend.h"
#include "body_layout.h"
#include "cl/cl_routine.h"

/* On their way to the device; rows of all movers of a part. */
typedef struct cl_body_rows {
    bool is_double;
    size_t n;
    int32_t (*roles)[4];
    void *shapes, *offsets, *vectors; /* reals: 4, 4 and 16 for every row */
} cl_body_rows;

/* The same on the device. */
enum { CL_BODY_BUFFERS = 4 };

shoal_status cl_body_begin(cl_body_rows *rows, bool is_double, size_t n);
void cl_body_end(cl_body_rows *rows);
/* The rows of a system, from its first mover on; bodies NULL: it has none, or takes no part. */
void cl_body_put(cl_body_rows *rows, const backend_bodies *bodies, size_t first, int32_t n_movers);
/* To the device, in buffers that are made anew. */
shoal_status cl_body_send(const cl_body_rows *rows, cl_target *target, cl_buffer *to);
/* Sets the arguments BODY_ARGUMENTS of kernels/body_atoms.h from *at on, and moves it behind them. */
shoal_status cl_body_bind(cl_routine *r, int32_t *at, const cl_buffer *buffers);

#endif
