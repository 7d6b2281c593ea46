/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies packed into the flat arrays that kernels read (kernels/layout.h). */
#ifndef SHOAL_BACKEND_CL_PACK_H
#define SHOAL_BACKEND_CL_PACK_H

#include "backend/backend.h"
#include "layout.h"

typedef struct cl_word4 {
    uint32_t v[4];
} cl_word4;

/* A growing array of plain objects. */
typedef struct cl_array {
    void *data;
    int32_t n, capacity;
    size_t size; /* of one object */
} cl_array;

/* Room for n more objects; a valid pointer also for n = 0. NULL when memory is out. */
void *cl_array_append(cl_array *a, int32_t n);

/* How a small system is worked on: from its own size alone. */
typedef struct cl_shape {
    int32_t group_size; /* work-items */
    size_t local_bytes; /* rounded up to a class, so that systems share a launch */
} cl_shape;

typedef struct cl_pack {
    bool is_double;
    const shoal_engine_options *options;
    size_t local_limit;                           /* bytes a work-group may have */
    cl_array records;                             /* topology_record */
    cl_array shapes;                              /* cl_shape, one for every record */
    cl_array bonds, angles, torsions, inversions; /* cl_word4 */
    cl_array forms, atoms;                        /* four reals */
    cl_array numbers;                             /* doubles, where words cannot hold them */
    cl_array gather_start;                        /* int32_t */
    cl_array gather;  /* cl_word4: slots of an atom, filled up to fours with 0 */
    cl_array exclude; /* uint32_t */
    cl_array slots;   /* int32_t: atom of every slot of the present torsions and inversions */
} cl_pack;

void cl_pack_begin(cl_pack *pack, bool is_double, const shoal_engine_options *options,
                   size_t local_limit);
/* Appends a topology, its record the last one, if it is small: isolated, and fit for local memory. */
shoal_status cl_pack_add(cl_pack *pack, const shoal_topology_view *view, bool *small);
void cl_pack_free(cl_pack *pack);

/* The view with the terms left out that are switched off. */
shoal_topology_view cl_pack_select(const shoal_topology_view *view, uint32_t off);

#endif
