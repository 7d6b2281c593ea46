/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies of large and periodic systems packed into flat arrays (kernels/large_layout.h). */
#ifndef SHOAL_BACKEND_CL_LARGE_PACK_H
#define SHOAL_BACKEND_CL_LARGE_PACK_H

#include "backend/opencl/small/cl_pack.h"
#include "large_layout.h"

typedef struct cl_large_pack {
    bool is_double;
    const shoal_engine_options *options;
    cl_array topologies;              /* large_topology */
    cl_array term_atoms, term_shifts; /* four int32_t */
    cl_array term_numbers;            /* four reals, two for every term */
    cl_array gather_start, gather;    /* int32_t, cl_word4 */
    cl_array exclude_start, exclude;  /* int32_t, two int32_t: atom and shift code */
    cl_array atoms;                   /* four reals */
    cl_array link_start, link_atoms;  /* int32_t: bonded neighbours of every atom */
    cl_array link_shares;             /* a real for each of them */
    cl_array link_scales;             /* a real for every particle, and one more */
    cl_array site_atoms;              /* four int32_t, LARGE_SITE_FOURS for every site */
    cl_array site_numbers;            /* four reals, as many */
} cl_large_pack;

void cl_large_pack_begin(cl_large_pack *pack, bool is_double, const shoal_engine_options *options);
/* Appends a topology; its record is the last one. */
shoal_status cl_large_pack_add(cl_large_pack *pack, const shoal_topology_view *view);
void cl_large_pack_free(cl_large_pack *pack);

/* The code of an image that fits. */
int32_t cl_large_shift_code(const int32_t shift[3]);

/* Whether all shifts of a topology can be written as codes. */
bool cl_large_pack_fits(const shoal_topology_view *view);

#endif
