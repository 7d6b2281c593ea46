/* SPDX-License-Identifier: BSD-3-Clause
 * What L-BFGS begins from: the inverse of the rough Hessian of every topology, or of what fixed
 * atoms leave of it (backend/stiffness.h), in full, since work-groups multiply faster than they
 * solve. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "backend/opencl/small/cl_plan.h"
#include "backend/stiffness.h"
#include "base/alloc.h"

/* Directions are coupled to nothing: one number each, where sigma-pi terms count twice, as they are stiff in one of the
 * two ways to turn, with twice their constant. */
static void invert_directions(const cl_plan *plan, const shoal_topology_view *v, double *out)
{
    const uint32_t off = plan->input->options->terms_off;
    const shoal_term *tilts = terms_of(v, SHOAL_KIND_SIGMA_PI);
    const shoal_term *twists = terms_of(v, SHOAL_KIND_PI_PI);
    for (int32_t k = 0; k < v->n_directions; ++k) out[k] = STIFFNESS_ANCHOR;
    for (int32_t k = 0; k < terms_count_on(v, SHOAL_KIND_SIGMA_PI, off); ++k)
        out[tilts[k].atoms[0] - v->n_atoms] += 2 * fmax(tilts[k].p[SHOAL_SIGMA_K], 0) / 3;
    for (int32_t k = 0; k < terms_count_on(v, SHOAL_KIND_PI_PI, off); ++k)
        for (int end = 0; end < 2; ++end)
            out[twists[k].atoms[end] - v->n_atoms] += fmax(twists[k].p[SHOAL_PI_K], 0) / 3;
    for (int32_t k = 0; k < v->n_directions; ++k) out[k] = 1 / out[k];
}

/* The matrix of the atoms of a topology into out[n][n] reals, the numbers of its directions behind it. */
static shoal_status invert(const cl_plan *plan, const backend_system *system, void *out)
{
    const shoal_topology_view *v = &system->view;
    shoal_topology_view bonds = *v;
    if (plan->input->options->terms_off >> SHOAL_TERM_BOND & 1) bonds.term_start = terms_none;
    const size_t n = (size_t)v->n_atoms, n_directions = (size_t)v->n_directions;
    arena memory = {0};
    stiffness stiff;
    shoal_status status =
        stiffness_factorise(&stiff, &bonds, system->fixed, system->bodies, &memory);
    const size_t rows = status == SHOAL_OK ? (size_t)stiff.n : 0;
    double *full = arena_alloc_dirty(&memory, rows * rows, sizeof *full);
    double *more = arena_alloc_dirty(&memory, n_directions, sizeof *more);
    if (!full || !more) status = SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        stiffness_invert(&stiff, full);
        invert_directions(plan, v, more);
        for (size_t k = 0; k < n * n; ++k)
            cl_real_set(plan->is_double, out, k, full[k / n * rows + k % n]);
        for (size_t k = 0; k < n_directions; ++k)
            cl_real_set(plan->is_double, out, n * n + k, more[k]);
    }
    arena_free(&memory);
    return status;
}

typedef struct inversion {
    const cl_plan *plan;
    const cl_place *places;
    char *matrices;
    _Atomic int32_t n_failed;
} inversion;

/* The matrix of system k, unless the one before has the same. (That of no atoms takes no place.) */
static void invert_system(void *what, int32_t k)
{
    inversion *in = what;
    const cl_place *p = &in->places[k];
    const backend_system *systems = in->plan->input->systems;
    if (k > 0 && p->preconditioner == p[-1].preconditioner &&
        systems[p[-1].system].view.n_atoms > 0)
        return;
    if (invert(in->plan, &systems[p->system],
               in->matrices + (size_t)p->preconditioner * in->plan->real) != SHOAL_OK)
        atomic_fetch_add(&in->n_failed, 1);
}

shoal_status cl_plan_precondition(cl_plan *plan, const cl_slice *slice)
{
    if (plan->preconditioned == slice) return SHOAL_OK;
    inversion in = {.plan = plan, .places = plan->order + slice->first};
    shoal_status status = SHOAL_E_MEMORY;
    plan->preconditioned = NULL;
    in.matrices = shoal_alloc((size_t)slice->n_preconditioner, plan->real);
    if (in.matrices) thread_pool_for(plan->input->pool, slice->n, invert_system, &in);
    if (in.matrices && in.n_failed == 0)
        status = cl_buffer_write(&plan->preconditioners, 0,
                                 (size_t)slice->n_preconditioner * plan->real, in.matrices);
    free(in.matrices);
    if (status == SHOAL_OK) plan->preconditioned = slice;
    if (status != SHOAL_E_MEMORY) return status;
    return shoal_fail(SHOAL_E_MEMORY, "out of memory: stiffness of %d systems", slice->n);
}
