/* SPDX-License-Identifier: BSD-3-Clause
 * The grid of a surface on an OpenCL device. */
#ifndef SHOAL_BACKEND_CL_SURFACE_H
#define SHOAL_BACKEND_CL_SURFACE_H

#include "backend/opencl/small/cl_pack.h"
#include "cl/cl_routine.h"
#include "surf/grid.h"

/* All zero: no surface. */
typedef struct cl_surface {
    const shoal_surface *surface;
    shoal_grid *grid; /* NULL: none */
    bool is_double;
    int32_t n_threads;              /* that classes are made by; 0: all */
    cl_array classes;               /* const grid_class *: those that occur */
    cl_array atom_list;             /* four reals for every atom of the pack */
    cl_buffer fields, frame, atoms; /* of the batch */
    cl_buffer anchors;              /* of a slice */
    void *host_anchors;             /* [most systems][levels][8] reals */
} cl_surface;

void cl_surface_begin(cl_surface *out, const shoal_surface *surface, shoal_grid *grid,
                      bool is_double, int32_t n_threads);
/* Appends the atoms of a topology, as cl_pack_add does. */
shoal_status cl_surface_add(cl_surface *surface, const shoal_topology_view *view);
/* Brings fields and atoms to the device; anchors have room for n_systems. */
shoal_status cl_surface_create(cl_surface *surface, cl_target *target, int32_t n_systems);
void cl_surface_free(cl_surface *surface);

/* Notes where the zero of system k of a slice lies, then sends those of n systems. */
void cl_surface_anchor(cl_surface *surface, int32_t k, const double origin[3]);
shoal_status cl_surface_send(cl_surface *surface, int32_t n);

/* Sets the arguments of a kernel from index *next on, and moves it; nothing without a surface. */
shoal_status cl_surface_bind(const cl_surface *surface, cl_routine *routine, int32_t *next);

#endif
