/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers of a slice on their way to the device and back. Loops over all systems run on several
 * threads, since for small molecules they take as long as dozens of steps on a GPU, and where they
 * can while the device works. */
#include "backend/opencl/small/cl_plan.h"
#include "cl/cl_real.h"

/* Relative to the middle of the system; the fourth number says whether an atom moves. */
static void place_positions(const cl_plan *plan, const cl_place *p, const double (*pos)[3])
{
    const backend_system *s = &plan->input->systems[p->system];
    const bool is_double = plan->is_double;
    void *to = plan->host_positions;
    for (int32_t i = 0; i < s->view.n_atoms; ++i) {
        const size_t at = 4 * (size_t)(p->atom_start + i);
        for (size_t c = 0; c < 3; ++c) cl_real_set(is_double, to, at + c, pos[i][c] - p->origin[c]);
        cl_real_set(is_double, to, at + 3, s->fixed && s->fixed[i] ? 0.0 : 1.0);
    }
}

static void place_system(void *what, int32_t k)
{
    const cl_pass *pass = what;
    cl_plan *plan = pass->plan;
    const cl_place *p = &plan->order[pass->slice->first + k];
    place_positions(plan, p, (const double(*)[3])pass->results[p->system].pos);
    if (plan->surface.grid) cl_surface_anchor(&plan->surface, k, p->origin);
    if (plan->direct.surface) cl_direct_place(&plan->direct, k, p->origin);
}

shoal_status cl_plan_upload(cl_plan *plan, const cl_slice *slice, backend_result *results)
{
    cl_pass pass = {plan, slice, results};
    thread_pool_for(plan->input->pool, slice->n, place_system, &pass);
    if (plan->direct.surface) SHOAL_TRY(cl_direct_send(&plan->direct, slice->n));
    if (plan->surface.grid) SHOAL_TRY(cl_surface_send(&plan->surface, slice->n));
    return cl_buffer_write(&plan->positions, 0, 4 * (size_t)slice->n_atoms * plan->real,
                           plan->host_positions);
}

shoal_status cl_plan_fetch(cl_plan *plan, const cl_slice *slice, int what)
{
    const size_t n = (size_t)slice->n, vectors = 4 * (size_t)slice->n_atoms;
    const struct {
        const cl_buffer *buffer;
        size_t n;
        void *data;
    } arrays[CL_N_ARRIVALS] = {
        [CL_POSITIONS] = {&plan->positions, vectors, plan->host_positions},
        [CL_FORCES] = {&plan->forces, vectors, plan->host_forces},
        [CL_TERMS] = {&plan->terms, n * LAYOUT_TERMS, plan->host_terms},
        [CL_TERMS0] = {&plan->terms, n * LAYOUT_TERMS, plan->host_terms0},
        [CL_STATES] = {&plan->states, n * LAYOUT_STATE, plan->host_states},
    };
    cl_arrival_drop(&plan->arrivals[what]);
    return cl_buffer_read_later(arrays[what].buffer, 0, arrays[what].n * plan->real,
                                arrays[what].data, &plan->arrivals[what]);
}

shoal_status cl_plan_wait(cl_plan *plan, int what)
{
    return cl_arrival_wait(&plan->arrivals[what]);
}

void cl_plan_settle(cl_plan *plan)
{
    for (int k = 0; k < CL_N_ARRIVALS; ++k) cl_arrival_drop(&plan->arrivals[k]);
}

void cl_plan_take_positions(const cl_plan *plan, const cl_slice *slice, int32_t k,
                            backend_result *results)
{
    const cl_place *p = &plan->order[slice->first + k];
    const backend_system *s = &plan->input->systems[p->system];
    const bool is_double = plan->is_double;
    double(*to)[3] = results[p->system].pos;
    for (int32_t i = 0; i < s->view.n_atoms; ++i) {
        if (s->fixed && s->fixed[i]) continue; /* keeps digits that the device does not have */
        for (size_t c = 0; c < 3; ++c)
            to[i][c] = p->origin[c] + cl_real_get(is_double, plan->host_positions,
                                                  4 * (size_t)(p->atom_start + i) + c);
    }
}

void cl_plan_take_forces(const cl_plan *plan, const cl_slice *slice, int32_t k,
                         backend_result *results)
{
    const cl_place *p = &plan->order[slice->first + k];
    const int32_t n = plan->input->systems[p->system].view.n_atoms;
    const bool is_double = plan->is_double;
    backend_result *r = &results[p->system];
    for (int32_t i = 0; i < n; ++i)
        for (size_t c = 0; c < 3; ++c)
            r->forces[i][c] =
                cl_real_get(is_double, plan->host_forces, 4 * (size_t)(p->atom_start + i) + c);
    r->energy = cl_plan_take_terms(plan, CL_TERMS, k, r->terms);
    r->fmax = cl_longest((const double(*)[3])r->forces, n);
}

double cl_plan_take_terms(const cl_plan *plan, int what, int32_t k, double terms[SHOAL_N_TERMS])
{
    const void *from = what == CL_TERMS0 ? plan->host_terms0 : plan->host_terms;
    double sum = 0;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) {
        terms[t] = cl_real_get(plan->is_double, from, (size_t)k * LAYOUT_TERMS + (size_t)t);
        sum += terms[t];
    }
    return sum;
}
