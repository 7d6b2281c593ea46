/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation on an OpenCL device: rounds of many steps per launch. Between rounds the host looks
 * at the outcomes and leaves finished systems out of the next launch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/opencl/small/cl_plan.h"
#include "base/alloc.h"
#include "cl/cl_real.h"

/* Steps between two looks of the host: a look costs a GPU as much as ten steps of a small
 * molecule, and processors should report now and then. */
static int32_t steps_per_round(const cl_plan *plan)
{
    return plan->target->device.info.type == SHOAL_DEVICE_GPU ? 500 : 250;
}

typedef struct relax_run {
    cl_plan *plan;
    const backend_relax *relax;
    int kernel;
    int32_t n_steps; /* of one launch */
    shoal_progress progress;
    bool began; /* with the steps of the slice */
    bool asked; /* the end of the slice is on its way */
} relax_run;

static shoal_status bind_kernels(relax_run *run)
{
    cl_plan *plan = run->plan;
    const shoal_relax_options *o = &run->relax->options;
    /* In float a little below the limit, so that forces in double precision agree. */
    const double fmax = o->fmax * (plan->is_double ? 1.0 : 0.99);
    for (int32_t c = 0; c < plan->n_classes; ++c) {
        cl_routine *r;
        int32_t at;
        SHOAL_TRY(cl_plan_kernel(plan, &plan->classes[c], CL_EVAL, &r, &at));
        SHOAL_TRY(cl_plan_kernel(plan, &plan->classes[c], run->kernel, &r, &at));
        SHOAL_TRY(cl_routine_buffer(r, at++, "velocities", &plan->velocities));
        SHOAL_TRY(cl_routine_buffer(r, at++, "states", &plan->states));
        SHOAL_TRY(cl_routine_int(r, at++, "n_steps", run->n_steps));
        SHOAL_TRY(cl_routine_int(r, at++, "max_steps", o->max_steps));
        SHOAL_TRY(cl_routine_real(r, at++, "fmax2", fmax * fmax));
        SHOAL_TRY(cl_routine_real(r, at++, "max_move", o->max_move));
        if (run->kernel != CL_LBFGS) continue;
        SHOAL_TRY(cl_routine_buffer(r, at++, "history", &plan->history));
        SHOAL_TRY(cl_routine_buffer(r, at++, "softness", &plan->softness));
        SHOAL_TRY(cl_routine_buffer(r, at++, "products", &plan->products));
    }
    return SHOAL_OK;
}

shoal_status cl_plan_relax_buffers(cl_plan *plan, int kernel)
{
    const size_t n = (size_t)plan->most.n, vectors = 4 * (size_t)plan->most.n_atoms;
    if (!plan->states.memory)
        SHOAL_TRY(cl_buffer_create(&plan->states, plan->target, "states", n * LAYOUT_STATE,
                                   plan->real, NULL));
    if (!plan->velocities.memory)
        SHOAL_TRY(cl_buffer_create(&plan->velocities, plan->target, "velocities", vectors,
                                   plan->real, NULL));
    if (kernel == CL_LBFGS && !plan->history.memory)
        SHOAL_TRY(cl_buffer_create(&plan->history, plan->target, "history", LBFGS_VECTORS * vectors,
                                   plan->real, NULL));
    if (kernel == CL_LBFGS && !plan->softness.memory)
        SHOAL_TRY(cl_buffer_create(&plan->softness, plan->target, "softness",
                                   (size_t)plan->most.n_softness, plan->real, NULL));
    if (kernel == CL_LBFGS && !plan->products.memory)
        SHOAL_TRY(cl_buffer_create(&plan->products, plan->target, "products", n * LBFGS_PRODUCTS,
                                   plan->real, NULL));
    return SHOAL_OK;
}

/* The state that every relaxation begins with. */
static shoal_status reset_states(relax_run *run)
{
    cl_plan *plan = run->plan;
    const bool fire = run->kernel == CL_FIRE;
    union {
        float singles[LAYOUT_STATE];
        double doubles[LAYOUT_STATE];
    } state = {.doubles = {0}};
    cl_real_set(plan->is_double, &state, STATE_DT, fire ? 0.02 : 0);
    cl_real_set(plan->is_double, &state, STATE_MIXING, fire ? 0.1 : LBFGS_START);
    return cl_buffer_fill(&plan->states, &state, LAYOUT_STATE * plan->real);
}

static shoal_status start_slice(relax_run *run, const cl_slice *slice, backend_result *results)
{
    cl_plan *plan = run->plan;
    const float zero[4] = {0, 0, 0, 0};
    SHOAL_TRY(cl_buffer_fill(&plan->velocities, zero, sizeof zero));
    if (run->kernel == CL_LBFGS) {
        SHOAL_TRY(cl_buffer_fill(&plan->history, zero, sizeof zero));
        SHOAL_TRY(cl_buffer_fill(&plan->products, zero, sizeof zero));
        SHOAL_TRY(cl_plan_soften(plan, slice));
    }
    SHOAL_TRY(reset_states(run));
    SHOAL_TRY(cl_plan_upload(plan, slice, results));
    SHOAL_TRY(cl_plan_launch(plan, slice, NULL, CL_EVAL));
    run->asked = false;
    run->began = false;
    return cl_plan_fetch(plan, slice, CL_TERMS0);
}

static void note_energy(void *what, int32_t k)
{
    const cl_pass *pass = what;
    backend_result *r = &pass->results[pass->plan->order[pass->slice->first + k].system];
    r->energy0 = cl_plan_take_terms(pass->plan, CL_TERMS0, k, r->terms0);
}

/* Energies before the relaxation. */
static shoal_status note_energies(relax_run *run, const cl_slice *slice, backend_result *results)
{
    cl_pass pass = {run->plan, slice, results};
    SHOAL_TRY(cl_plan_wait(run->plan, CL_TERMS0));
    thread_pool_for(run->plan->input->pool, slice->n, note_energy, &pass);
    return SHOAL_OK;
}

/* Asks for all that is wanted of a slice in the end; energies by term are computed only now. */
static shoal_status ask_for_end(relax_run *run, const cl_slice *slice)
{
    cl_plan *plan = run->plan;
    if (run->asked) return SHOAL_OK;
    run->asked = true;
    SHOAL_TRY(cl_plan_fetch(plan, slice, CL_POSITIONS));
    SHOAL_TRY(cl_plan_launch(plan, slice, NULL, CL_EVAL));
    SHOAL_TRY(cl_plan_fetch(plan, slice, CL_FORCES));
    SHOAL_TRY(cl_plan_fetch(plan, slice, CL_TERMS));
    return cl_target_flush(plan->target);
}

/* Counts what the states say. Returns how many systems go on. */
static int32_t count_active(relax_run *run, const cl_slice *slice, bool *active)
{
    const cl_plan *plan = run->plan;
    int32_t n_active = 0;
    for (int32_t k = 0; k < slice->n; ++k) {
        const size_t at = (size_t)k * LAYOUT_STATE;
        const int outcome =
            (int)cl_real_get(plan->is_double, plan->host_states, at + STATE_OUTCOME);
        run->progress.n_evaluations +=
            (int64_t)cl_real_get(plan->is_double, plan->host_states, at + STATE_EVALS);
        active[k] = outcome == RELAX_GOING;
        n_active += active[k];
        run->progress.n_done += !active[k];
        run->progress.n_failed += !active[k] && outcome != RELAX_CONVERGED;
    }
    return n_active;
}

/* Rounds until every system of the slice has an outcome or the monitor has enough. */
static shoal_status run_rounds(relax_run *run, const cl_slice *slice, backend_result *results,
                               bool *active, bool *stop)
{
    cl_plan *plan = run->plan;
    const shoal_progress before = run->progress;
    int32_t n_active = slice->n;
    for (int64_t n_steps = 0; n_active > 0 && !*stop;) {
        run->asked = false;
        SHOAL_TRY(cl_plan_launch(plan, slice, n_active < slice->n ? active : NULL, run->kernel));
        SHOAL_TRY(cl_plan_fetch(plan, slice, CL_STATES));
        /* While the device works: the beginning, and what comes after a round that is the last one
         * for certain. */
        if (n_steps == 0) SHOAL_TRY(note_energies(run, slice, results));
        run->began = true;
        n_steps += run->n_steps;
        if (n_steps >= run->relax->options.max_steps) SHOAL_TRY(ask_for_end(run, slice));
        SHOAL_TRY(cl_plan_wait(plan, CL_STATES));
        run->progress = before;
        n_active = count_active(run, slice, active);
        if (run->relax->monitor) *stop = !run->relax->monitor(run->relax->user, &run->progress);
    }
    return SHOAL_OK;
}

static void take_position(void *what, int32_t k)
{
    const cl_pass *pass = what;
    cl_plan_take_positions(pass->plan, pass->slice, k, pass->results);
}

static void finish_system(void *what, int32_t k)
{
    const cl_pass *pass = what;
    const cl_plan *plan = pass->plan;
    const size_t at = (size_t)k * LAYOUT_STATE;
    const int32_t i = plan->order[pass->slice->first + k].system;
    backend_result *r = &pass->results[i];
    cl_plan_take_forces(plan, pass->slice, k, pass->results);
    r->steps = (int32_t)cl_real_get(plan->is_double, plan->host_states, at + STATE_EVALS);
    r->status = cl_large_status_of(
        (int)cl_real_get(plan->is_double, plan->host_states, at + STATE_OUTCOME));
    if (r->status == SHOAL_SYSTEM_STALLED)
        (void)snprintf(r->reason, sizeof r->reason, "no step lowers the energy any more");
    if (r->status == SHOAL_SYSTEM_NOT_FINITE || !isfinite(r->energy) || !isfinite(r->fmax))
        shoal_backend_not_finite(r, plan->input->systems[i].view.n_atoms);
}

static shoal_status finish_slice(relax_run *run, const cl_slice *slice, backend_result *results)
{
    cl_plan *plan = run->plan;
    cl_pass pass = {plan, slice, results};
    if (!run->began) { /* the monitor had enough before: states say that nothing was done */
        SHOAL_TRY(note_energies(run, slice, results));
        SHOAL_TRY(cl_plan_fetch(plan, slice, CL_STATES));
        SHOAL_TRY(cl_plan_wait(plan, CL_STATES));
    }
    SHOAL_TRY(ask_for_end(run, slice));
    SHOAL_TRY(cl_plan_wait(plan, CL_POSITIONS));
    thread_pool_for(plan->input->pool, slice->n, take_position, &pass);
    SHOAL_TRY(cl_plan_wait(plan, CL_FORCES));
    SHOAL_TRY(cl_plan_wait(plan, CL_TERMS));
    thread_pool_for(plan->input->pool, slice->n, finish_system, &pass);
    return SHOAL_OK;
}

shoal_status cl_plan_relax(void *p, const backend_relax *relax, backend_result *results)
{
    relax_run run = {.plan = p, .relax = relax};
    cl_plan *plan = p;
    run.kernel = relax->options.method == SHOAL_METHOD_FIRE ? CL_FIRE : CL_LBFGS;
    run.n_steps = steps_per_round(plan);
    run.progress.n_systems = plan->input->n_systems;
    SHOAL_TRY(cl_plan_relax_buffers(plan, run.kernel));
    SHOAL_TRY(bind_kernels(&run));
    bool *active = shoal_alloc((size_t)plan->most.n, sizeof *active), stop = false;
    shoal_status status = active ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t s = 0; s < plan->n_slices && status == SHOAL_OK; ++s) {
        const cl_slice *slice = &plan->slices[s];
        status = start_slice(&run, slice, results);
        if (status == SHOAL_OK) status = run_rounds(&run, slice, results, active, &stop);
        if (status == SHOAL_OK) status = finish_slice(&run, slice, results);
    }
    cl_plan_settle(plan);
    free(active);
    if (status != SHOAL_OK || !plan->large) return status;
    return cl_large_relax(plan->large, relax, &run.progress, &stop, results);
}
