/* SPDX-License-Identifier: BSD-3-Clause
 * The order of work, cut into slices that fit into the device one at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/small/cl_plan.h"
#include "base/alloc.h"

#define MEMORY_SHARE 0.7 /* of the device, for everything: the most that may be asked for */
#define VECTORS_PER_MOVER (3 + LBFGS_VECTORS) /* coordinates, forces, velocities, history */
#define MOST_PRECONDITIONER (1 << 27)         /* reals of one slice: the host has them too */

static int compare_arrays(const void *a, const void *b, size_t size)
{
    if (!a || !b) return (a != NULL) - (b != NULL);
    return memcmp(a, b, size);
}

/* By class, topology, fixed atoms and bodies: 0 for systems with the same inverse stiffness. */
static int compare_kinds(const cl_place *x, const cl_place *y)
{
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    if (x->record != y->record) return x->record < y->record ? -1 : 1;
    const size_t n = (size_t)x->n_movers;
    const int held = compare_arrays(x->fixed, y->fixed, n * sizeof *x->fixed);
    return held ? held : compare_arrays(x->bodies, y->bodies, n * sizeof *x->bodies);
}

static int compare_place(const void *a, const void *b)
{
    const cl_place *x = a, *y = b;
    const int order = compare_kinds(x, y);
    return order ? order : (x->system > y->system) - (x->system < y->system);
}

/* What a device has for one slice. */
typedef struct slice_room {
    double bytes;
    double per_mover, per_system;       /* bytes */
    int32_t n_movers, n_preconditioner; /* most that one buffer holds */
} slice_room;

/* The formula counts every array of a slice; what the slices share is small beside the share of the
 * memory that is left free. */
static slice_room find_room(const cl_plan *plan)
{
    const shoal_device_info *info = &plan->target->device.info;
    const double real = (double)plan->real, buffer = (double)info->max_buffer_bytes;
    const double memory = (double)info->memory_bytes;
    const double wanted = (double)plan->input->options->device_bytes;
    const double numbers = (N_ENERGIES + STEP_REALS + LBFGS_PRODUCTS) * real + 4 * STEP_INTS;
    return (slice_room){
        .bytes = wanted > 0 ? fmin(wanted, MEMORY_SHARE * memory) : CL_USUAL_SHARE * memory,
        .per_mover = VECTORS_PER_MOVER * 4 * real,
        .per_system = (double)sizeof(system_record) + numbers,
        .n_movers = (int32_t)fmin(buffer / (LBFGS_VECTORS * 4 * real), INT32_MAX / 2),
        .n_preconditioner = (int32_t)fmin(buffer / real, MOST_PRECONDITIONER),
    };
}

/* Puts system k into a slice if it has room. */
static bool take_place(cl_plan *plan, const slice_room *room, cl_slice *s, int32_t k)
{
    cl_place *p = &plan->order[k];
    const int32_t n = p->n_movers;
    const bool known = s->n > 0 && compare_kinds(p, p - 1) == 0;
    const int32_t more = known ? 0 : p->n_points * p->n_points + n - p->n_points;
    const double bytes = room->per_mover * ((double)s->n_movers + n) +
                         room->per_system * (s->n + 1) +
                         (double)plan->real * ((double)s->n_preconditioner + more);
    const bool fits = s->n_movers <= room->n_movers - n &&
                      s->n_preconditioner <= room->n_preconditioner - more && bytes <= room->bytes;
    if (s->n > 0 && !fits) return false;
    p->atom_start = s->n_movers;
    p->preconditioner = known ? p[-1].preconditioner : s->n_preconditioner;
    s->n_movers += n;
    s->n_preconditioner += more;
    ++s->n;
    return true;
}

static int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

shoal_status cl_plan_cut(cl_plan *plan)
{
    const slice_room room = find_room(plan);
    bool sorted = true;
    for (int32_t k = 1; k < plan->n_order && sorted; ++k)
        sorted = compare_place(&plan->order[k - 1], &plan->order[k]) < 0;
    if (!sorted) qsort(plan->order, (size_t)plan->n_order, sizeof *plan->order, compare_place);
    plan->slices = shoal_alloc((size_t)plan->n_order + 1, sizeof *plan->slices);
    if (!plan->slices) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < plan->n_order;) {
        cl_slice *s = &plan->slices[plan->n_slices++];
        *s = (cl_slice){.first = k};
        while (k < plan->n_order && take_place(plan, &room, s, k)) ++k;
        plan->most.n = larger(plan->most.n, s->n);
        plan->most.n_movers = larger(plan->most.n_movers, s->n_movers);
        plan->most.n_preconditioner = larger(plan->most.n_preconditioner, s->n_preconditioner);
    }
    return SHOAL_OK;
}
