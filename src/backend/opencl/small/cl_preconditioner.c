/* SPDX-License-Identifier: BSD-3-Clause
 * What L-BFGS begins from: the inverse of the rough Hessian of every topology, or of what fixed
 * atoms leave of it (backend/stiffness.h), in full, since work-groups multiply faster than they
 * solve. */
#include <stdatomic.h>
#include <stdlib.h>

#include "backend/opencl/small/cl_plan.h"
#include "backend/stiffness.h"
#include "base/alloc.h"

/* The matrix of a topology into out[n][n] reals. */
static shoal_status invert(const cl_plan *plan, const backend_system *system, void *out)
{
    shoal_topology_view bonds = system->view;
    if (plan->input->options->terms_off >> SHOAL_TERM_BOND & 1) bonds.term_start = terms_none;
    const size_t n = (size_t)bonds.n_atoms;
    arena memory = {0};
    stiffness stiff;
    shoal_status status = stiffness_factorise(&stiff, &bonds, system->fixed, &memory);
    double *full = arena_alloc_dirty(&memory, n * n, sizeof *full);
    if (!full) status = SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        stiffness_invert(&stiff, full);
        for (size_t k = 0; k < n * n; ++k) cl_real_set(plan->is_double, out, k, full[k]);
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
