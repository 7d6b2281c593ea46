/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies packed into the flat arrays that kernels read (kernels/layout.h). */
#ifndef SHOAL_BACKEND_CL_PACK_H
#define SHOAL_BACKEND_CL_PACK_H

#include "backend/backend.h"
#include "backend/opencl/cl_model.h"
#include "backend/term_numbers.h"
#include "layout.h"

typedef struct cl_word4 {
    uint32_t v[4];
} cl_word4;

/* A uint4 of the kernels. */
_Static_assert(sizeof(cl_word4) == 4 * sizeof(layout_int), "records are four words");

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
    size_t local_limit; /* bytes a work-group may have */
    int32_t group;      /* its work-items; 0: by the size of systems */
    cl_array records;   /* topology_record */
    cl_array shapes;    /* cl_shape, one for every record */
    cl_array bonds, angles, torsions, plain, centres; /* cl_word4 */
    cl_array forms, atoms; /* four reals; forms of inversions, guards of angles */
    int32_t inversion_forms[8], n_inversion_forms; /* where these are among the forms */
    cl_array numbers;                              /* doubles, where words cannot hold them */
    cl_array gather_start;                         /* int32_t */
    cl_array
        gather; /* cl_word4: slots of an atom, in bytes from slot 0, filled up to fours with 0 */
    cl_array exclude; /* uint32_t */
    cl_array sites;   /* cl_word4, SITE_WORDS for every site */
    cl_array slots;   /* int32_t: atom of every slot of the present topology */
    bool *taken;      /* [n_terms] of the present topology: packed already */
} cl_pack;

void cl_pack_begin(cl_pack *pack, bool is_double, const shoal_engine_options *options,
                   size_t local_limit, int32_t group);
/* Appends a topology, its record the last one, if it is small: isolated, and fit for local memory. */
shoal_status cl_pack_add(cl_pack *pack, const shoal_topology_view *view, bool *small);
void cl_pack_free(cl_pack *pack);
/* Whether two arrays hold as many objects of the same size; and the same. */
bool cl_array_is_like(const cl_array *a, const cl_array *b);
bool cl_array_is_equal(const cl_array *a, const cl_array *b);
/* Writes an array over a like one that is on the device, unless they are equal. */
shoal_status cl_array_renew(cl_buffer *buffer, const cl_array *before, const cl_array *now);

/* Fast paths: each takes the terms that suit it, and what is left is packed as plain terms. */

/* Planar centres with the bonds, angles and inversions between their atoms (cl_centres.c). */
bool cl_pack_centres(cl_pack *pack, const shoal_topology_view *view);

/* Nodes with their half angles, stretches and directions (cl_nodes.c); their words stand behind those of the centres. */
bool cl_pack_nodes(cl_pack *pack, const shoal_topology_view *view, int32_t *n_nodes);

/* Torsions that share three atoms (cl_torsions.c); false when memory is out. */
bool cl_pack_torsions(cl_pack *pack, const shoal_topology_view *view);

/* Atoms of buffered pairs, and a table of their pairs behind the forms (cl_kinds.c). */
bool cl_pack_kinds(cl_pack *pack, const shoal_topology_view *view);

/* Sites beside atoms and their slots (cl_sites.c). */
bool cl_pack_sites(cl_pack *pack, const shoal_topology_view *view);
/* Arms of a site up to the last that has a weight. */
int32_t cl_pack_count_arms(const shoal_site *site);

/* For those who pack terms; false (NULL, -1) when memory is out. */

/* A parameter as a word: its bits, or where it stands among the numbers. */
bool cl_pack_word(cl_pack *pack, double value, uint32_t *out);
/* Four reals at the end of an array of them. */
bool cl_pack_four(cl_pack *pack, cl_array *to, double x, double y, double z, double w);
/* Atoms as 16-bit numbers: a system has at most 65535 of them. */
uint32_t cl_pack_atoms2(int32_t low, int32_t high);
/* Bytes of a slot on the device. */
size_t cl_pack_slot_bytes(const cl_pack *pack);

/* Atoms of the next slots, in their order: what the gather lists need to know. */
bool cl_pack_slots(cl_pack *pack, const int32_t *atoms, int32_t n);
/* The guard of an angle by the numbers of its kernel form, as a word of layout.h. */
bool cl_pack_guard(cl_pack *pack, const double numbers[TERM_NUMBERS], uint32_t *out);
/* Index of the coefficients of an inversion; there are a handful of forms in all. */
int32_t cl_pack_form(cl_pack *pack, const double c[3]);
/* Terms of a kind that are not switched off. */
int32_t cl_pack_count(const cl_pack *pack, const shoal_topology_view *view, int kind);
/* Whether term number k of a kind was packed already; take says that it is now. */
bool cl_pack_is_taken(const cl_pack *pack, const shoal_topology_view *view, int kind, int32_t k);
void cl_pack_take(cl_pack *pack, const shoal_topology_view *view, int kind, int32_t k);

#endif
