/* SPDX-License-Identifier: BSD-3-Clause
 * The reference backend: one system at a time, term by term, with a verdict on each. */
#include "backend/ref/ref.h"

#include <stdlib.h>
#include <string.h>

#include "backend/system_check.h"
#include "base/alloc.h"
#include "base/error.h"
#include "ff/auxiliary.h"
#include "ff/pair_model.h"

#ifdef _OPENMP
#include <omp.h>
#endif

typedef void term_sum(const ref_system *sys, ref_sink *sink);

static void sum_coulomb(const ref_system *sys, ref_sink *sink)
{
    if (!sys->view->has_charges || ref_coulomb_kind(sys) == SHOAL_COULOMB_NONE) return;
    if (sys->lattice.n_periodic == 0) {
        ref_coulomb(sys, sink);
    } else {
        const ref_ewald ewald = ref_ewald_choose(sys);
        ref_ewald_sum(sys, &ewald, sink);
    }
}

/* What there is besides bonded terms. */
static term_sum *const term_sums[SHOAL_N_TERMS] = {
    [SHOAL_TERM_VDW] = ref_vdw,
    [SHOAL_TERM_COULOMB] = sum_coulomb,
    [SHOAL_TERM_SURFACE] = ref_surface,
    [SHOAL_TERM_RESTRAINT] = ref_restraints,
};

static void sum_term(const ref_system *sys, int term, ref_sink *sink)
{
    if (term_sums[term]) term_sums[term](sys, sink);
    ref_bonded(sys, term, sink);
}

static bool term_is_on(const ref_system *sys, int term)
{
    return !(sys->options->terms_off >> term & 1u);
}

static bool is_finite(const double a[3])
{
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

/* Rejects a system whose term has just left the finite numbers. */
static bool check_term(const ref_system *sys, int term, backend_result *result)
{
    const int32_t n = mover_count(sys->view);
    char name[SYSTEM_NAME_SIZE];
    for (int32_t i = 0; i < n; ++i) {
        if (is_finite(result->forces[i])) continue;
        system_name_mover(sys->view, i, name);
        shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE, "the %s force on %s is not finite",
                             shoal_term_name(term), name);
        return false;
    }
    if (isfinite(result->terms[term])) return true;
    shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE, "the %s energy is not finite",
                         shoal_term_name(term));
    return false;
}

/* What a force on a direction has along it moves nothing. */
static void project_forces(const ref_system *sys, double (*forces)[3])
{
    const int32_t n = sys->view->n_atoms;
    for (int32_t i = n; i < n + sys->view->n_directions; ++i) {
        const v3 p = v3_from(sys->pos[i]), f = v3_from(forces[i]);
        const v3 tangent = v3_sub(f, v3_scale(v3_dot(p, f) / v3_dot(p, p), p));
        forces[i][0] = tangent.x;
        forces[i][1] = tangent.y;
        forces[i][2] = tangent.z;
    }
}

/* Fixed atoms feel nothing. */
static void measure_forces(const ref_system *sys, backend_result *result)
{
    project_forces(sys, result->forces);
    for (int32_t i = 0; i < sys->view->n_atoms; ++i)
        for (int k = 0; k < 3 && sys->fixed && sys->fixed[i]; ++k) result->forces[i][k] = 0.0;
    for (int32_t i = 0; i < mover_count(sys->view); ++i)
        result->fmax = fmax(result->fmax, v3_length(v3_from(result->forces[i])));
}

static bool start(ref_system *sys, const backend_system *system, const double (*pos)[3],
                  const shoal_engine_options *options)
{
    *sys = (ref_system){.view = &system->view,
                        .pos = pos,
                        .options = options,
                        .fixed = system->fixed,
                        .restraints = system->restraints,
                        .n_restraints = system->n_restraints,
                        .pair_clamp = system->pair_clamp};
    return ref_lattice_init(&sys->lattice, system->cell, system->view.pbc);
}

/* Places of sites beside those of the atoms, room for the forces on both, and what a formula needs. False without
 * memory; finish in any case. */
static bool make_room(ref_system *sys, double (**forces)[3])
{
    const shoal_topology_view *v = sys->view;
    const bool has_formula = v->model && v->model->formula;
    const size_t n = (size_t)ref_n_particles(sys);
    *forces = NULL;
    if (has_formula) {
        sys->registers =
            shoal_alloc((size_t)formula_n_registers(v->model->formula), sizeof(double));
        if (!sys->registers) return false;
    }
    if (v->n_sites == 0) return true;
    double(*pos)[3] = shoal_alloc(n, sizeof *pos);
    *forces = shoal_alloc(n, sizeof **forces);
    if (!pos || !*forces) {
        free(pos);
        return false;
    }
    memcpy(pos, sys->pos, (size_t)v->n_atoms * sizeof *pos);
    ref_sites_place(sys, pos);
    sys->pos = (const double(*)[3])pos;
    sys->owns_pos = true;
    return true;
}

static void finish(ref_system *sys, double (*forces)[3])
{
    if (sys->owns_pos) free((void *)sys->pos);
    free(sys->registers);
    free(forces);
}

/* Energy of a term; forces and the slope by strain grow. all: room for the forces on atoms and sites, NULL without
 * sites. */
static double add_term(const ref_system *sys, int term, double (*forces)[3], double (*all)[3],
                       double strain[6])
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    ref_sink sink = {.forces = all ? all : forces};
    if (all) memset(all, 0, (size_t)ref_n_particles(sys) * sizeof *all);
    sum_term(sys, term, &sink);
    if (all) ref_sites_spread(sys, &sink);
    for (int k = 0; k < 6; ++k)
        strain[k] +=
            0.5 * (sink.strain[pairs[k][0]][pairs[k][1]] + sink.strain[pairs[k][1]][pairs[k][0]]);
    if (!all) return sink.energy;
    for (int32_t i = 0; i < sys->view->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) forces[i][k] += all[i][k];
    return sink.energy;
}

static void add_terms(const ref_system *sys, double (*all)[3], backend_result *result)
{
    for (int t = 0; t < SHOAL_N_TERMS; ++t) {
        if (!term_is_on(sys, t)) continue;
        result->terms[t] = add_term(sys, t, result->forces, all, result->strain);
        if (!check_term(sys, t, result)) return;
        result->energy += result->terms[t];
    }
    measure_forces(sys, result);
}

void ref_compute(const backend_system *system, const shoal_engine_options *options,
                 backend_result *result)
{
    ref_system sys;
    double(*forces)[3] = result->forces;
    const int32_t n = mover_count(&system->view);
    result->energy = result->fmax = 0;
    for (int t = 0; t < SHOAL_N_TERMS; ++t) result->terms[t] = 0;
    for (int k = 0; k < 6; ++k) result->strain[k] = 0;
    for (int32_t i = 0; i < n; ++i) forces[i][0] = forces[i][1] = forces[i][2] = 0.0;
    if (!system_check(system, options, result)) return;
    if (!start(&sys, system, (const double(*)[3])result->pos, options)) {
        shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE,
                             "the cell is not finite or its periodic vectors are dependent");
        return;
    }
    double(*all)[3];
    if (make_room(&sys, &all))
        add_terms(&sys, all, result);
    else
        shoal_backend_reject(result, n, SHOAL_SYSTEM_UNTYPED,
                             "there is no memory for its sites or its formula");
    finish(&sys, all);
}

void ref_explain(const backend_system *system, const double (*pos)[3],
                 const shoal_engine_options *options, shoal_term_visitor *visit, void *user)
{
    ref_system sys;
    double(*all)[3];
    if (!start(&sys, system, pos, options)) return;
    const bool has_room = make_room(&sys, &all);
    for (int t = 0; t < SHOAL_N_TERMS && has_room; ++t) {
        if (!term_is_on(&sys, t)) continue;
        ref_sink sink = {.visit = visit, .user = user};
        if (t == SHOAL_TERM_COULOMB && sys.lattice.n_periodic > 0)
            ref_bonded(&sys, t, &sink);
        else
            sum_term(&sys, t, &sink);
    }
    finish(&sys, all);
}

typedef struct ref_plan {
    const backend_input *input;
    backend_result *results;
    int32_t *systems; /* that are active */
    int32_t n;
    bool done; /* the only part was handed out */
} ref_plan;

static shoal_status ref_open(void **device, const char *argument)
{
    *device = NULL;
    if (argument[0] == '\0') return SHOAL_OK;
    return shoal_fail(SHOAL_E_DEVICE, "device 'ref' takes no argument, found ':%s'", argument);
}

static void plan_destroy(void *plan)
{
    ref_plan *p = plan;
    if (p) free(p->systems);
    free(p);
}

static shoal_status plan_create(void **out, void *device, const backend_input *input)
{
    (void)device;
    if (input->precision == SHOAL_PRECISION_FLOAT)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "device 'ref' computes in double precision only");
    ref_plan *p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    p->input = input;
    p->systems = shoal_alloc((size_t)input->n_systems, sizeof *p->systems);
    if (!p->systems) {
        plan_destroy(p);
        return SHOAL_E_MEMORY;
    }
    *out = p;
    return SHOAL_OK;
}

static shoal_status plan_first(void *plan, const backend_driver *driver, backend_result *results)
{
    ref_plan *p = plan;
    (void)driver;
    p->results = results;
    p->n = 0;
    p->done = false;
    for (int32_t i = 0; i < p->input->n_systems; ++i)
        if (results[i].active) p->systems[p->n++] = i;
    return SHOAL_OK;
}

static shoal_status plan_next(void *plan, const backend_result *results, backend_part *part)
{
    ref_plan *p = plan;
    (void)results;
    *part = (backend_part){.n = p->done ? 0 : p->n, .systems = p->systems};
    p->done = true;
    return SHOAL_OK;
}

/* Every system is summed by one thread in one order: its bits depend on nothing but itself. The results
 * are the engine's memory, so that there is nothing left to read. */
static shoal_status plan_eval(void *plan, uint32_t wanted)
{
    const ref_plan *p = plan;
    const backend_input *in = p->input;
    (void)wanted;
#ifdef _OPENMP
    const int asked = in->options->n_threads;
    const int most = asked > 0 ? asked : omp_get_max_threads();
    const int n_threads = p->n < 1 ? 1 : most < p->n ? most : p->n;
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
#endif
    for (int32_t k = 0; k < p->n; ++k) {
        const int32_t i = p->systems[k];
        ref_compute(&in->systems[i], in->options, &p->results[i]);
    }
    return SHOAL_OK;
}

static shoal_status plan_read(void *plan, uint32_t fields, backend_result *results)
{
    (void)plan;
    (void)fields;
    (void)results;
    return SHOAL_OK;
}

const shoal_backend shoal_backend_ref = {
    .name = "ref",
    .precision = SHOAL_PRECISION_DOUBLE,
    .open = ref_open,
    .create = plan_create,
    .destroy = plan_destroy,
    .first = plan_first,
    .next = plan_next,
    .eval = plan_eval,
    .read = plan_read,
};
