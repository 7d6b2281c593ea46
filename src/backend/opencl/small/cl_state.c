/* SPDX-License-Identifier: BSD-3-Clause
 * The state of the driver of the small systems of a slice, written or read: all that lies on the device between launches. */
#include <string.h>

#include "backend/opencl/cl_state.h"
#include "backend/opencl/small/cl_plan.h"

static void pass_counter(state_pass *to, const cl_plan *plan, int32_t n[STEP_INTS])
{
    state_index(to, &n[STEP_OUTCOME], STEP_GOING, STEP_UNSTABLE);
    if (cl_is_md(plan->kernel))
        state_bytes(to, &n[MD_FIRST], (STEP_INTS - MD_FIRST) * sizeof *n);
    else
        state_index(to, &n[STEP_PLACE], 0, LBFGS_PAIRS - 1);
    STATE_VALUE(to, n[STEP_EVALS]);
    STATE_VALUE(to, n[STEP_STARTED]);
    STATE_VALUE(to, n[STEP_IDLE]);
    STATE_VALUE(to, n[STEP_QUIET]);
}

static shoal_status pass_counters(state_pass *to, cl_plan *plan)
{
    const size_t size = (size_t)plan->slice->n * STEP_INTS * sizeof *plan->host_counters;
    if (to->to) SHOAL_TRY(cl_buffer_read(&plan->counters, 0, size, plan->host_counters));
    if (!to->to) memset(plan->host_counters, 0, size);
    for (int32_t k = 0; k < plan->slice->n; ++k)
        pass_counter(to, plan, plan->host_counters + (size_t)k * STEP_INTS);
    if (to->to || to->failed) return state_status(to);
    plan->n_going = 0;
    for (int32_t k = 0; k < plan->slice->n; ++k) {
        plan->going[k] = plan->host_counters[(size_t)k * STEP_INTS + STEP_OUTCOME] == STEP_GOING;
        plan->n_going += plan->going[k];
    }
    return cl_buffer_write(&plan->counters, 0, size, plan->host_counters);
}

shoal_status cl_plan_pass(cl_plan *plan, state_pass *to)
{
    const size_t real = plan->real, vector = 4 * (size_t)plan->slice->n_movers * real;
    const size_t n = (size_t)plan->slice->n;
    state_begin(to, "opencl small", 2, plan->slice->n_movers);
    state_expect(to, (int32_t)real);
    state_expect(to, plan->kernel);
    if (to->failed) return state_status(to);
    cl_plan_settle(plan);
    plan->fetched = 0;
    SHOAL_TRY(pass_counters(to, plan));
    SHOAL_TRY(cl_pass_buffer(to, &plan->positions, vector));
    SHOAL_TRY(cl_pass_buffer(to, &plan->velocities, vector));
    SHOAL_TRY(cl_pass_buffer(to, &plan->states, n * STEP_REALS * real));
    if (cl_is_md(plan->kernel)) SHOAL_TRY(cl_pass_buffer(to, &plan->lows, vector));
    if (plan->kernel != CL_LBFGS) return state_status(to);
    SHOAL_TRY(cl_pass_buffer(to, &plan->products, n * LBFGS_PRODUCTS * real));
    SHOAL_TRY(cl_pass_buffer(to, &plan->history, LBFGS_VECTORS * vector));
    return state_status(to);
}
