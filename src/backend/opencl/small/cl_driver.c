/* SPDX-License-Identifier: BSD-3-Clause
 * Drivers of steps of small systems on an OpenCL device: many steps per launch; systems whose driver has come
 * to an end are left out of the next one. */
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/cl_md.h"
#include "backend/opencl/small/cl_plan.h"
#include "backend/pace.h"
#include "base/alloc.h"

/* The kernel of the driver with all arguments but the number of steps. */
static shoal_status bind_kernels(cl_plan *plan, const backend_driver *driver)
{
    for (int32_t v = 0; v < plan->variants.n; ++v) {
        cl_kernel_entry *k;
        SHOAL_TRY(cl_plan_kernel(plan, v, plan->kernel, &k));
        cl_routine *r = &k->routine;
        int32_t at = k->next;
        SHOAL_TRY(cl_routine_buffer(r, at++, "velocities", &plan->velocities));
        SHOAL_TRY(cl_routine_buffer(r, at++, "counters", &plan->counters));
        SHOAL_TRY(cl_routine_buffer(r, at++, "states", &plan->states));
        k->at_steps = at++;
        if (cl_is_md(plan->kernel)) {
            SHOAL_TRY(cl_routine_buffer(r, at++, "lows", &plan->lows));
            SHOAL_TRY(cl_md_bind(r, &at, driver->md));
            if (cl_plan_variant(plan, v)->rigid) SHOAL_TRY(cl_body_bind(r, &at, plan->bodies));
            if (plan->kernel == CL_MD) continue;
            SHOAL_TRY(cl_routine_buffer(r, at++, "rigid atoms", &plan->rigid_atoms));
            SHOAL_TRY(cl_routine_buffer(r, at++, "rigid lengths", &plan->rigid_lengths));
            continue;
        }
        SHOAL_TRY(cl_routine_int(r, at++, "max_steps", driver->max_steps));
        SHOAL_TRY(cl_routine_real(r, at++, "fmax2", driver->fmax * driver->fmax));
        if (plan->kernel == CL_LBFGS) {
            SHOAL_TRY(cl_routine_buffer(r, at++, "history", &plan->history));
            SHOAL_TRY(cl_routine_buffer(r, at++, "preconditioners", &plan->preconditioners));
            SHOAL_TRY(cl_routine_buffer(r, at++, "products", &plan->products));
        }
        if (cl_plan_variant(plan, v)->rigid) SHOAL_TRY(cl_body_bind(r, &at, plan->bodies));
    }
    return SHOAL_OK;
}

static shoal_status need(cl_plan *plan, cl_buffer *buffer, const char *label, size_t n, size_t size)
{
    if (buffer->target) return SHOAL_OK;
    return cl_buffer_create(buffer, plan->target, label, n, size, NULL);
}

shoal_status cl_plan_driver_buffers(cl_plan *plan, int kernel)
{
    const size_t n = (size_t)plan->most.n, vectors = 4 * (size_t)plan->most.n_movers;
    const size_t real = plan->real;
    SHOAL_TRY(need(plan, &plan->counters, "counters", n * STEP_INTS, sizeof(int32_t)));
    SHOAL_TRY(need(plan, &plan->states, "states", n * STEP_REALS, real));
    SHOAL_TRY(need(plan, &plan->velocities, "velocities", vectors, real));
    if (kernel == CL_MD_RIGID) {
        SHOAL_TRY(need(plan, &plan->rigid_atoms, "rigid atoms", vectors, sizeof(int32_t)));
        SHOAL_TRY(need(plan, &plan->rigid_lengths, "rigid lengths", vectors, real));
    }
    if (cl_is_md(kernel)) return need(plan, &plan->lows, "lows", vectors, real);
    if (kernel != CL_LBFGS) return SHOAL_OK;
    SHOAL_TRY(need(plan, &plan->history, "history", LBFGS_VECTORS * vectors, real));
    SHOAL_TRY(need(plan, &plan->preconditioners, "preconditioners",
                   (size_t)plan->most.n_preconditioner, real));
    return need(plan, &plan->products, "products", n * LBFGS_PRODUCTS, real);
}

/* How fast each system goes: mostly as fast as the others, which the device writes by itself. */
static shoal_status reset_states(cl_plan *plan, const backend_driver *driver)
{
    const size_t n = (size_t)plan->slice->n, row = STEP_REALS * plan->real;
    const cl_place *places = plan->order + plan->slice->first;
    double own[STEP_REALS];
    unsigned char *states = shoal_alloc(driver->paces ? n : 1, row);
    if (!states) return SHOAL_E_MEMORY;
    for (size_t k = 0; k < (driver->paces ? n : 1); ++k) {
        const backend_pace pace = backend_pace_of(driver, places[k].system);
        backend_pace_write(&pace, own);
        for (size_t m = 0; m < STEP_REALS; ++m)
            cl_real_set(plan->is_double, states, k * STEP_REALS + m, own[m]);
    }
    const shoal_status status = driver->paces ? cl_buffer_write(&plan->states, 0, n * row, states)
                                              : cl_buffer_fill(&plan->states, states, row);
    free(states);
    return status;
}

/* States that have not started; systems that do not take part have come to an end. Mostly these are zeros,
 * which the device writes by itself. */
static shoal_status reset_counters(cl_plan *plan, const backend_result *results)
{
    const size_t n = (size_t)plan->slice->n;
    const int32_t zero = 0;
    if (!plan->used_steps && plan->n_part == plan->slice->n)
        return cl_buffer_fill(&plan->counters, &zero, sizeof zero);
    memset(plan->host_counters, 0, n * STEP_INTS * sizeof *plan->host_counters);
    for (size_t k = 0; k < n; ++k) {
        const int32_t i = plan->order[(size_t)plan->slice->first + k].system;
        int32_t *to = plan->host_counters + STEP_INTS * k;
        to[STEP_OUTCOME] = plan->active[k] ? STEP_GOING : STEP_MAX_STEPS;
        to[STEP_EVALS] = results[i].steps;
    }
    return cl_buffer_write(&plan->counters, 0, n * STEP_INTS * sizeof *plan->host_counters,
                           plan->host_counters);
}

/* Of all systems of the slice: those that do not take part have none. */
static shoal_status place_bodies(cl_plan *plan, const backend_bodies *bodies)
{
    cl_body_rows rows;
    shoal_status status = cl_body_begin(&rows, plan->is_double, (size_t)plan->slice->n_movers);
    for (int32_t k = 0; k < plan->slice->n && status == SHOAL_OK; ++k) {
        const cl_place *p = &plan->order[plan->slice->first + k];
        cl_body_put(&rows, plan->active[k] ? &bodies[p->system] : NULL, (size_t)p->atom_start,
                    p->n_movers);
    }
    if (status == SHOAL_OK) status = cl_body_send(&rows, plan->target, plan->bodies);
    cl_body_end(&rows);
    return status;
}

shoal_status cl_plan_start(cl_plan *plan, const backend_driver *driver,
                           const backend_result *results)
{
    const float zero[4] = {0, 0, 0, 0};
    cl_plan_settle(plan); /* counters of an earlier start may still be on their way */
    plan->fetched &= ~(uint32_t)(BACKEND_STEPS | BACKEND_VELOCITIES);
    plan->kernel = driver->md                            ? (driver->md->rigid ? CL_MD_RIGID : CL_MD)
                   : driver->method == SHOAL_METHOD_FIRE ? CL_FIRE
                                                         : CL_LBFGS;
    memcpy(plan->going, plan->active, (size_t)plan->slice->n * sizeof *plan->going);
    plan->n_going = plan->n_part;
    SHOAL_TRY(cl_plan_driver_buffers(plan, plan->kernel));
    if (driver->bodies) SHOAL_TRY(place_bodies(plan, driver->bodies));
    SHOAL_TRY(bind_kernels(plan, driver));
    if (driver->md) return cl_plan_md_place(plan, driver->md, results);
    SHOAL_TRY(cl_buffer_fill(&plan->velocities, zero, sizeof zero));
    SHOAL_TRY(reset_states(plan, driver));
    if (plan->kernel == CL_LBFGS) {
        SHOAL_TRY(cl_buffer_fill(&plan->history, zero, sizeof zero));
        SHOAL_TRY(cl_buffer_fill(&plan->products, zero, sizeof zero));
        SHOAL_TRY(cl_plan_precondition(plan, plan->slice));
    }
    return reset_counters(plan, results);
}

shoal_status cl_plan_step(cl_plan *plan, int32_t n_steps, uint32_t wanted)
{
    plan->fetched &= ~(uint32_t)(BACKEND_POSITIONS | BACKEND_STEPS | BACKEND_VELOCITIES);
    for (int32_t v = 0; v < plan->variants.n; ++v) {
        cl_kernel_entry *k = &cl_plan_variant(plan, v)->kernels[plan->kernel];
        SHOAL_TRY(cl_routine_int(&k->routine, k->at_steps, "n_steps", n_steps));
    }
    SHOAL_TRY(cl_plan_launch(plan, plan->going, plan->n_going == plan->slice->n, plan->kernel));
    SHOAL_TRY(cl_plan_fetch(plan, wanted));
    return cl_target_flush(plan->target);
}
