/* SPDX-License-Identifier: BSD-3-Clause
 * The state of the driver of a small system, written or read: all that lies on the device between launches. */
#include "backend/opencl/cl_state.h"
#include "backend/opencl/small/cl_plan.h"

static shoal_status pass_counters(state_pass *to, cl_plan *plan)
{
    int32_t n[STEP_INTS] = {0};
    if (to->to) SHOAL_TRY(cl_buffer_read(&plan->counters, 0, sizeof n, n));
    state_index(to, &n[STEP_OUTCOME], STEP_GOING, STEP_STALLED);
    state_index(to, &n[STEP_PLACE], 0, LBFGS_PAIRS - 1);
    STATE_VALUE(to, n[STEP_EVALS]);
    STATE_VALUE(to, n[STEP_STARTED]);
    STATE_VALUE(to, n[STEP_IDLE]);
    STATE_VALUE(to, n[STEP_QUIET]);
    if (to->to || to->failed) return state_status(to);
    plan->going[0] = n[STEP_OUTCOME] == STEP_GOING;
    plan->n_going = plan->going[0];
    return cl_buffer_write(&plan->counters, 0, sizeof n, n);
}

shoal_status cl_plan_pass(cl_plan *plan, state_pass *to)
{
    const size_t real = plan->real, vector = 4 * (size_t)plan->slice->n_movers * real;
    if (plan->kernel == CL_MD) return shoal_fail(SHOAL_E_UNSUPPORTED, "state: not of dynamics");
    if (plan->slice->n != 1) return shoal_fail(SHOAL_E_UNSUPPORTED, "state: of one system only");
    state_begin(to, "opencl small", 2, plan->slice->n_movers);
    state_expect(to, (int32_t)real);
    state_expect(to, plan->kernel);
    if (to->failed) return state_status(to);
    cl_plan_settle(plan);
    plan->fetched = 0;
    SHOAL_TRY(pass_counters(to, plan));
    SHOAL_TRY(cl_pass_buffer(to, &plan->positions, vector));
    SHOAL_TRY(cl_pass_buffer(to, &plan->velocities, vector));
    SHOAL_TRY(cl_pass_buffer(to, &plan->states, STEP_REALS * real));
    if (plan->kernel != CL_LBFGS) return state_status(to);
    SHOAL_TRY(cl_pass_buffer(to, &plan->products, LBFGS_PRODUCTS * real));
    SHOAL_TRY(cl_pass_buffer(to, &plan->history, LBFGS_VECTORS * vector));
    return state_status(to);
}
