/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics of small systems on an OpenCL device: what they have beyond relaxations. */
#include <stdlib.h>

#include "backend/opencl/cl_md.h"
#include "backend/opencl/small/cl_plan.h"
#include "base/alloc.h"

shoal_status cl_plan_md_memory(cl_plan *plan)
{
    const size_t vectors = 4 * (size_t)plan->most.n_movers * plan->real;
    const size_t states = (size_t)plan->most.n * STEP_REALS * plan->real;
    SHOAL_TRY(cl_plan_driver_buffers(plan, CL_MD));
    if (plan->md_staging.data) return SHOAL_OK;
    SHOAL_TRY(cl_staging_create(&plan->md_staging, plan->target, "dynamics", 2 * vectors + states));
    char *data = plan->md_staging.data;
    plan->host_lows = data;
    plan->host_velocities = data + vectors;
    plan->host_states = data + 2 * vectors;
    return SHOAL_OK;
}

void cl_plan_place_lows(const cl_plan *plan, const cl_place *p, const double (*pos)[3])
{
    for (int32_t i = 0; i < p->n_movers; ++i) {
        const size_t at = 4 * (size_t)(p->atom_start + i);
        const bool rests = i >= p->n_points || (p->fixed && p->fixed[i]);
        for (size_t c = 0; c < 3; ++c)
            cl_real_set(plan->is_double, plan->host_lows, at + c,
                        rests ? 0 : cl_md_low(plan->is_double, pos[i][c] - p->origin[c]));
        cl_real_set(plan->is_double, plan->host_lows, at + 3, 0);
    }
}

void cl_plan_take_lows(const cl_plan *plan, const cl_place *p, double (*pos)[3])
{
    for (int32_t i = 0; i < p->n_points; ++i)
        for (size_t c = 0; c < 3 && !(p->fixed && p->fixed[i]); ++c)
            pos[i][c] +=
                cl_real_get(plan->is_double, plan->host_lows, 4 * (size_t)(p->atom_start + i) + c);
}

typedef struct md_pass {
    cl_plan *plan;
    const backend_md *md;
    const backend_result *results;
} md_pass;

/* Systems that do not take part have come to an end. */
static void place_system(void *what, int32_t k)
{
    const md_pass *pass = what;
    cl_plan *plan = pass->plan;
    const cl_place *p = &plan->order[plan->slice->first + k];
    const backend_result *r = &pass->results[p->system];
    const backend_bath *bath = &pass->md->baths[p->system];
    int32_t *counters = plan->host_counters + STEP_INTS * (size_t)k;
    counters[STEP_OUTCOME] = STEP_MAX_STEPS;
    if (!plan->active[k]) return;
    cl_md_state(plan->is_double, r, bath, counters, plan->host_states, (size_t)k * STEP_REALS);
    cl_md_velocities(plan->is_double, plan->host_velocities, (size_t)p->atom_start,
                     &plan->input->systems[p->system], r, bath);
}

/* All systems of the slice: those that do not take part have no stars. */
static shoal_status place_stars(cl_plan *plan, const backend_md *md)
{
    const size_t n = (size_t)plan->slice->n_movers;
    int32_t(*atoms)[4] = shoal_alloc(n + 1, sizeof *atoms);
    void *lengths = shoal_alloc(n + 1, 4 * plan->real);
    shoal_status status = atoms && lengths ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < plan->slice->n && status == SHOAL_OK; ++k) {
        static const backend_bath none = {0};
        const cl_place *p = &plan->order[plan->slice->first + k];
        cl_md_stars(plan->is_double, plan->active[k] ? &md->baths[p->system] : &none,
                    (size_t)p->atom_start, p->n_movers, atoms, lengths);
    }
    if (status == SHOAL_OK)
        status = cl_buffer_write(&plan->rigid_atoms, 0, n * sizeof *atoms, atoms);
    if (status == SHOAL_OK)
        status = cl_buffer_write(&plan->rigid_lengths, 0, n * 4 * plan->real, lengths);
    free(atoms);
    free(lengths);
    return status;
}

shoal_status cl_plan_md_place(cl_plan *plan, const backend_md *md, const backend_result *results)
{
    const size_t n = (size_t)plan->slice->n;
    const size_t vectors = 4 * (size_t)plan->slice->n_movers * plan->real;
    md_pass pass = {plan, md, results};
    thread_pool_for(plan->input->pool, plan->slice->n, place_system, &pass);
    if (md->rigid) SHOAL_TRY(place_stars(plan, md));
    SHOAL_TRY(cl_buffer_write(&plan->velocities, 0, vectors, plan->host_velocities));
    SHOAL_TRY(cl_buffer_write(&plan->states, 0, n * STEP_REALS * plan->real, plan->host_states));
    return cl_buffer_write(&plan->counters, 0, n * STEP_INTS * sizeof *plan->host_counters,
                           plan->host_counters);
}
