/* SPDX-License-Identifier: BSD-3-Clause
 * What L-BFGS begins from: the inverse of the rough Hessian of every topology, or of what fixed atoms
 * leave of it (backend/stiffness.h), in full, since work-groups multiply faster than they solve. */
#include <stdlib.h>

#include "backend/opencl/cl_plan.h"
#include "backend/stiffness.h"
#include "base/alloc.h"

/* The matrix of a topology into out[n][n] reals. */
static shoal_status invert(const cl_plan *plan, const backend_system *system, void *out)
{
    const shoal_topology_view bonds =
        cl_pack_select(&system->view, plan->input->options->terms_off);
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

shoal_status cl_plan_soften(cl_plan *plan, const cl_slice *slice)
{
    if (plan->softened == slice) return SHOAL_OK;
    const cl_place *places = plan->order + slice->first;
    char *matrices = shoal_alloc((size_t)slice->n_softness, plan->real);
    int failed = matrices ? 0 : 1;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 16) num_threads(cl_plan_threads(plan)) reduction(+ : failed)
#endif
    for (int32_t k = 0; k < (matrices ? slice->n : 0); ++k)
        if (k == 0 || places[k].softness != places[k - 1].softness)
            failed += invert(plan, &plan->input->systems[places[k].system],
                             matrices + (size_t)places[k].softness * plan->real) != SHOAL_OK;
    shoal_status status = failed ? SHOAL_E_MEMORY : SHOAL_OK;
    plan->softened = NULL;
    if (status == SHOAL_OK)
        status =
            cl_buffer_write(&plan->softness, 0, (size_t)slice->n_softness * plan->real, matrices);
    if (status == SHOAL_OK) plan->softened = slice;
    free(matrices);
    if (status != SHOAL_E_MEMORY) return status;
    return shoal_fail(SHOAL_E_MEMORY, "out of memory: stiffness of %d systems", slice->n);
}
