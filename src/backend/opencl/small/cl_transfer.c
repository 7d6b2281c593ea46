/* SPDX-License-Identifier: BSD-3-Clause
 * Numbers of a part on their way to the device and back. Loops over all systems run on several
 * threads, since for small molecules they take as long as dozens of steps on a GPU, and where they
 * can while the device works. */
#include <math.h>

#include "backend/opencl/cl_md.h"
#include "backend/opencl/small/cl_plan.h"
#include "batch/batch.h"
#include "geom/vector.h"

/* A loop over the systems of the part: thread_pool_for(plan->input->pool, plan->slice->n, work, &pass). */
typedef struct cl_pass {
    cl_plan *plan;
    const backend_result *from;
    backend_result *to;
    uint32_t fields;
} cl_pass;

/* The middle of a system. Coordinates far from zero would waste the digits of a float. */
static void find_origin(const double (*pos)[3], int32_t n, double origin[3])
{
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int32_t i = 0; i < n; ++i) sum += pos[i][c];
        origin[c] = isfinite(sum) && n > 0 ? sum / n : 0;
    }
}

/* Relative to the middle of the system, but for directions; the fourth number says whether an atom moves. Loops for
 * each precision: a choice for every number would take longer than its transfer. */
static void place_floats(const cl_place *p, const double (*pos)[3], float *to)
{
    for (int32_t i = 0; i < p->n_points; ++i, to += 4) {
        for (int c = 0; c < 3; ++c) to[c] = (float)(pos[i][c] - p->origin[c]);
        to[3] = p->fixed && p->fixed[i] ? 0.0f : 1.0f;
    }
    for (int32_t i = p->n_points; i < p->n_movers; ++i, to += 4) {
        for (int c = 0; c < 3; ++c) to[c] = (float)pos[i][c];
        to[3] = 1.0f;
    }
}

static void place_doubles(const cl_place *p, const double (*pos)[3], double *to)
{
    for (int32_t i = 0; i < p->n_points; ++i, to += 4) {
        for (int c = 0; c < 3; ++c) to[c] = pos[i][c] - p->origin[c];
        to[3] = p->fixed && p->fixed[i] ? 0.0 : 1.0;
    }
    for (int32_t i = p->n_points; i < p->n_movers; ++i, to += 4) {
        for (int c = 0; c < 3; ++c) to[c] = pos[i][c];
        to[3] = 1.0;
    }
}

static void place_positions(const cl_plan *plan, const cl_place *p, const double (*pos)[3])
{
    const size_t at = 4 * (size_t)p->atom_start;
    if (plan->is_double)
        place_doubles(p, pos, (double *)plan->host_positions + at);
    else
        place_floats(p, pos, (float *)plan->host_positions + at);
}

static void place_restraint(const cl_plan *plan, const cl_place *p, const shoal_restraint *r,
                            size_t at)
{
    const bool torsion = r->kind == SHOAL_RESTRAINT_TORSION, is_double = plan->is_double;
    const bool off = plan->input->options->terms_off >> SHOAL_TERM_RESTRAINT & 1;
    void *list = plan->host_restraints;
    cl_real_set(is_double, list, at + RESTRAINT_KIND, r->kind);
    for (size_t c = 0; c < 4; ++c)
        cl_real_set(is_double, list, at + RESTRAINT_ATOMS + c,
                    (int32_t)c < restraint_n_atoms(r->kind) ? r->atoms[c] : 0);
    cl_real_set(is_double, list, at + RESTRAINT_K, off ? 0 : r->k);
    cl_real_set(is_double, list, at + RESTRAINT_VALUE, torsion ? cos(r->value) : r->value);
    cl_real_set(is_double, list, at + RESTRAINT_SINE, torsion ? sin(r->value) : 0);
    for (size_t c = 0; c < 3; ++c)
        cl_real_set(is_double, list, at + RESTRAINT_TARGET + c, r->target[c] - p->origin[c]);
}

static void place_system(void *what, int32_t k)
{
    const cl_pass *pass = what;
    cl_plan *plan = pass->plan;
    cl_place *p = &plan->order[plan->slice->first + k];
    const backend_system *s = &plan->input->systems[p->system];
    const double(*pos)[3] = (const double(*)[3])pass->from[p->system].pos;
    if (!plan->active[k]) return;
    find_origin(pos, p->n_points, p->origin);
    place_positions(plan, p, pos);
    if (plan->dynamics) cl_plan_place_lows(plan, p, pos);
    for (int32_t m = 0; m < s->n_restraints; ++m)
        place_restraint(plan, p, &s->restraints[m], (size_t)(p->restraint + m) * LAYOUT_RESTRAINT);
    if (plan->surface.grid) cl_surface_anchor(&plan->surface, k, p->origin);
    if (plan->direct.surface) cl_direct_place(&plan->direct, k, p->origin);
}

shoal_status cl_plan_upload(cl_plan *plan, const backend_result *results)
{
    const cl_slice *slice = plan->slice;
    cl_pass pass = {.plan = plan, .from = results};
    const size_t vectors = 4 * (size_t)slice->n_movers * plan->real;
    cl_plan_settle(plan);
    if (plan->dynamics) SHOAL_TRY(cl_plan_md_memory(plan));
    thread_pool_for(plan->input->pool, slice->n, place_system, &pass);
    if (plan->dynamics) SHOAL_TRY(cl_buffer_write(&plan->lows, 0, vectors, plan->host_lows));
    if (plan->direct.surface) SHOAL_TRY(cl_direct_send(&plan->direct, slice->n));
    if (plan->surface.grid) SHOAL_TRY(cl_surface_send(&plan->surface, slice->n));
    SHOAL_TRY(cl_buffer_write(&plan->restraints, 0,
                              plan->n_restraints * LAYOUT_RESTRAINT * plan->real,
                              plan->host_restraints));
    return cl_buffer_write(&plan->positions, 0, vectors, plan->host_positions);
}

/* In dynamics the counters say whether coordinates have changed at all. */
static uint32_t complete(const cl_plan *plan, uint32_t fields)
{
    const bool moves = cl_is_md(plan->kernel) && fields & BACKEND_POSITIONS;
    return moves ? fields | BACKEND_STEPS : fields;
}

shoal_status cl_plan_fetch(cl_plan *plan, uint32_t wanted)
{
    const uint32_t fields = complete(plan, wanted);
    const size_t n = (size_t)plan->slice->n, vectors = 4 * (size_t)plan->slice->n_movers;
    const struct {
        uint32_t field;
        int arrival;
        const cl_buffer *buffer;
        size_t bytes;
        void *data;
    } rows[] = {
        {BACKEND_STEPS, CL_COUNTERS, &plan->counters, n * STEP_INTS * sizeof(int32_t),
         plan->host_counters},
        {BACKEND_POSITIONS, CL_POSITIONS, &plan->positions, vectors * plan->real,
         plan->host_positions},
        {BACKEND_FORCES, CL_FORCES, &plan->forces, vectors * plan->real, plan->host_forces},
        {BACKEND_TERMS, CL_TERMS, &plan->terms, n * N_ENERGIES * plan->real, plan->host_terms},
        {BACKEND_POSITIONS, CL_LOWS, &plan->lows, vectors * plan->real, plan->host_lows},
        {BACKEND_VELOCITIES, CL_VELOCITIES, &plan->velocities, vectors * plan->real,
         plan->host_velocities},
        {BACKEND_VELOCITIES, CL_STATES, &plan->states, n * STEP_REALS * plan->real,
         plan->host_states}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        if (!(fields & rows[k].field) || (rows[k].arrival >= CL_LOWS && !plan->dynamics)) continue;
        cl_arrival_drop(&plan->arrivals[rows[k].arrival]);
        SHOAL_TRY(cl_buffer_read_later(rows[k].buffer, 0, rows[k].bytes, rows[k].data,
                                       &plan->arrivals[rows[k].arrival]));
    }
    plan->fetched |= fields;
    return SHOAL_OK;
}

void cl_plan_settle(cl_plan *plan)
{
    for (int k = 0; k < CL_N_ARRIVALS; ++k) cl_arrival_drop(&plan->arrivals[k]);
}

/* n vectors of four numbers, of which three count. */
static void take_vectors(const cl_plan *plan, const void *from, const cl_place *p, double (*to)[3])
{
    const size_t at = 4 * (size_t)p->atom_start;
    const double *d = (const double *)from + at;
    const float *f = (const float *)from + at;
    for (int32_t i = 0; i < p->n_movers && plan->is_double; ++i, d += 4)
        for (int c = 0; c < 3; ++c) to[i][c] = d[c];
    for (int32_t i = 0; i < p->n_movers && !plan->is_double; ++i, f += 4)
        for (int c = 0; c < 3; ++c) to[i][c] = (double)f[c];
}

static void add_origin(const cl_place *p, double (*pos)[3])
{
    for (int32_t i = 0; i < p->n_points; ++i)
        for (int c = 0; c < 3; ++c) pos[i][c] += p->origin[c];
}

/* Fixed atoms keep digits that the device does not have. */
static void take_some_positions(const cl_plan *plan, const cl_place *p, double (*pos)[3])
{
    for (int32_t i = 0; i < p->n_movers; ++i)
        for (size_t c = 0; c < 3 && !p->fixed[i]; ++c)
            pos[i][c] = (i < p->n_points ? p->origin[c] : 0) +
                        cl_real_get(plan->is_double, plan->host_positions,
                                    4 * (size_t)(p->atom_start + i) + c);
}

/* Relaxed directions get their length in double. Dynamics go on from the very numbers that were read. */
static void normalise_directions(const cl_plan *plan, const cl_place *p, double (*pos)[3])
{
    for (int32_t i = p->n_points; i < p->n_movers && !plan->dynamics; ++i) {
        const double length = vector_norm(pos[i]);
        for (int c = 0; c < 3; ++c) pos[i][c] /= length;
    }
}

static void take_positions(const cl_plan *plan, const cl_place *p, backend_result *r)
{
    if (p->fixed) {
        take_some_positions(plan, p, r->pos);
    } else {
        take_vectors(plan, plan->host_positions, p, r->pos);
        add_origin(p, r->pos);
    }
    normalise_directions(plan, p, r->pos);
    if (plan->dynamics) cl_plan_take_lows(plan, p, r->pos);
}

static void take_forces(const cl_plan *plan, const cl_place *p, backend_result *r)
{
    take_vectors(plan, plan->host_forces, p, r->forces);
    r->fmax = shoal_backend_fmax((const double(*)[3])r->forces, p->n_movers);
}

static void take_terms(const cl_plan *plan, int32_t k, backend_result *r)
{
    r->energy = 0;
    for (size_t t = 0; t < SHOAL_N_TERMS; ++t) {
        r->terms[t] = cl_real_get(plan->is_double, plan->host_terms, (size_t)k * N_ENERGIES + t);
        r->energy += r->terms[t];
    }
}

static void take_system(void *what, int32_t k)
{
    const cl_pass *pass = what;
    cl_plan *plan = pass->plan;
    const cl_place *p = &plan->order[plan->slice->first + k];
    const int32_t *counters = plan->host_counters + STEP_INTS * (size_t)k;
    backend_result *r = &pass->to[p->system];
    if (!plan->active[k]) return;
    if (pass->fields & BACKEND_POSITIONS && (!cl_is_md(plan->kernel) || cl_md_has_moved(counters)))
        take_positions(plan, p, r);
    if (pass->fields & BACKEND_VELOCITIES && plan->dynamics)
        cl_md_take(plan->is_double, plan->host_velocities, (size_t)p->atom_start, p->n_movers,
                   plan->host_states, (size_t)k, STEP_REALS, r);
    if (pass->fields & BACKEND_FORCES) take_forces(plan, p, r);
    if (pass->fields & BACKEND_TERMS) take_terms(plan, k, r);
    if (pass->fields & BACKEND_STEPS) {
        r->steps = counters[STEP_EVALS];
        r->outcome = counters[STEP_OUTCOME];
        plan->going[k] = r->outcome == STEP_GOING;
    }
}

shoal_status cl_plan_read(cl_plan *plan, uint32_t wanted, backend_result *results)
{
    const uint32_t fields = complete(plan, wanted);
    static const struct {
        uint32_t field;
        int arrival;
    } rows[] = {{BACKEND_STEPS, CL_COUNTERS},   {BACKEND_POSITIONS, CL_POSITIONS},
                {BACKEND_FORCES, CL_FORCES},    {BACKEND_TERMS, CL_TERMS},
                {BACKEND_POSITIONS, CL_LOWS},   {BACKEND_VELOCITIES, CL_VELOCITIES},
                {BACKEND_VELOCITIES, CL_STATES}};
    cl_pass pass = {.plan = plan, .to = results, .fields = fields};
    SHOAL_TRY(cl_plan_fetch(plan, fields & ~plan->fetched));
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k)
        if (fields & rows[k].field) SHOAL_TRY(cl_arrival_wait(&plan->arrivals[rows[k].arrival]));
    plan->fetched &= ~fields; /* the next time anew */
    thread_pool_for(plan->input->pool, plan->slice->n, take_system, &pass);
    if (!(fields & BACKEND_STEPS)) return SHOAL_OK;
    plan->n_going = 0;
    for (int32_t k = 0; k < plan->slice->n; ++k) plan->n_going += plan->going[k];
    return SHOAL_OK;
}
