/* SPDX-License-Identifier: BSD-3-Clause
 * The tables of direct sums over a surface on an OpenCL device. */
#ifndef SHOAL_BACKEND_CL_DIRECT_H
#define SHOAL_BACKEND_CL_DIRECT_H

#include "backend/opencl/small/cl_pack.h"
#include "cl/cl_routine.h"
#include "surf/surface.h"
#include "surf/surface_sum.h"

/* All zero: no direct sums. */
typedef struct cl_direct {
    const shoal_surface *surface; /* NULL: none */
    const surface_sum *sum;
    bool is_double;
    char definitions[160];
    cl_array
        weights; /* of every particle of the pack: eight reals, with a pair model `row` fours of them */
    size_t row;
    cl_buffer numbers, sites, bins, kvecs, powers, atoms; /* of the batch */
    cl_buffer zeros;                                      /* of a slice */
    void *host_zeros;                                     /* [most systems][4] reals */
} cl_direct;

/* surface may be NULL: then the other calls do nothing. */
void cl_direct_begin(cl_direct *out, const shoal_surface *surface, bool is_double);
/* Appends the particles of a topology, as cl_pack_add does. */
shoal_status cl_direct_add(cl_direct *direct, const shoal_topology_view *view);
/* Brings the tables to the device; there is room for the zeros of n_systems. */
shoal_status cl_direct_create(cl_direct *direct, cl_target *target, int32_t n_systems);
void cl_direct_free(cl_direct *direct);

/* Notes where the zero of system k of a slice lies, then sends those of n systems. */
void cl_direct_place(cl_direct *direct, int32_t k, const double origin[3]);
shoal_status cl_direct_send(cl_direct *direct, int32_t n);

/* Definitions that programs are built with, "" without direct sums. */
const char *cl_direct_definitions(const cl_direct *direct);
/* Sets the arguments of a kernel from index *next on, and moves it. */
shoal_status cl_direct_bind(const cl_direct *direct, cl_routine *routine, int32_t *next);

#endif
