/* SPDX-License-Identifier: BSD-3-Clause
 * The reference backend: one system at a time, term by term, with a verdict on each. */
#include "backend/ref/ref.h"

#include <stdlib.h>

#include "backend/system_check.h"
#include "base/alloc.h"
#include "base/error.h"

#ifdef _OPENMP
#include <omp.h>
#endif

typedef void term_sum(const ref_system *sys, ref_sink *sink);

/* A system periodic in one direction gets here only if all its charges are zero. */
static void sum_coulomb(const ref_system *sys, ref_sink *sink)
{
    if (!sys->view->has_charges || sys->lattice.n_periodic == 1) return;
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

static const char *symbol(const ref_system *sys, int32_t i)
{
    return shoal_element_symbol(sys->view->elements[i]);
}

/* Rejects a system whose term has just left the finite numbers. */
static bool check_term(const ref_system *sys, int term, backend_result *result)
{
    const int32_t n = sys->view->n_atoms;
    for (int32_t i = 0; i < n; ++i) {
        if (is_finite(result->forces[i])) continue;
        shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE,
                             "the %s force on atom %d (%s) is not finite", shoal_term_name(term), i,
                             symbol(sys, i));
        return false;
    }
    if (isfinite(result->terms[term])) return true;
    shoal_backend_reject(result, n, SHOAL_SYSTEM_NOT_FINITE, "the %s energy is not finite",
                         shoal_term_name(term));
    return false;
}

/* Fixed atoms feel nothing. */
static void measure_forces(const ref_system *sys, backend_result *result)
{
    for (int32_t i = 0; i < sys->view->n_atoms; ++i)
        for (int k = 0; k < 3 && sys->fixed && sys->fixed[i]; ++k) result->forces[i][k] = 0.0;
    for (int32_t i = 0; i < sys->view->n_atoms; ++i)
        result->fmax = fmax(result->fmax, v3_length(v3_from(result->forces[i])));
}

static bool start(ref_system *sys, const backend_system *system,
                  const shoal_engine_options *options)
{
    *sys = (ref_system){.view = &system->view,
                        .pos = system->pos,
                        .options = options,
                        .fixed = system->fixed,
                        .restraints = system->restraints,
                        .n_restraints = system->n_restraints};
    return ref_lattice_init(&sys->lattice, system->cell, system->view.pbc);
}

void ref_compute(const backend_system *system, const shoal_engine_options *options,
                 backend_result *result)
{
    ref_system sys;
    double(*forces)[3] = result->forces;
    *result = (backend_result){.status = SHOAL_SYSTEM_OK, .forces = forces, .pos = result->pos};
    for (int32_t i = 0; i < system->view.n_atoms; ++i)
        forces[i][0] = forces[i][1] = forces[i][2] = 0.0;
    if (!system_check(system, options, result)) return;
    (void)start(&sys, system, options);
    for (int t = 0; t < SHOAL_N_TERMS; ++t) {
        if (!term_is_on(&sys, t)) continue;
        ref_sink sink = {.forces = forces};
        sum_term(&sys, t, &sink);
        result->terms[t] = sink.energy;
        if (!check_term(&sys, t, result)) return;
        result->energy += sink.energy;
    }
    measure_forces(&sys, result);
}

shoal_status ref_compute_term(const backend_system *system, const shoal_engine_options *options,
                              int kind, int32_t index, shoal_term_row *row, double forces[4][3])
{
    ref_system sys;
    backend_result verdict = {0};
    v3 force[4];
    if (!system_check(system, options, &verdict))
        return shoal_fail(SHOAL_E_ARGUMENT, "%s", verdict.reason);
    (void)start(&sys, system, options);
    *row = ref_bonded_row(&sys, kind, index, force);
    for (int k = 0; k < 4; ++k) {
        forces[k][0] = force[k].x;
        forces[k][1] = force[k].y;
        forces[k][2] = force[k].z;
    }
    return SHOAL_OK;
}

void ref_explain(const backend_system *system, const shoal_engine_options *options,
                 shoal_term_visitor *visit, void *user)
{
    ref_system sys;
    backend_result verdict = {0};
    if (!system_check(system, options, &verdict)) return;
    (void)start(&sys, system, options);
    for (int t = 0; t < SHOAL_N_TERMS; ++t) {
        if (!term_is_on(&sys, t)) continue;
        ref_sink sink = {.visit = visit, .user = user};
        if (t == SHOAL_TERM_COULOMB && sys.lattice.n_periodic > 0)
            ref_bonded(&sys, t, &sink);
        else
            sum_term(&sys, t, &sink);
    }
}

typedef struct ref_plan {
    const backend_input *input;
} ref_plan;

static shoal_status plan_create(void **plan, const char *argument, const backend_input *input)
{
    if (argument[0] != '\0')
        return shoal_fail(SHOAL_E_DEVICE, "device 'ref' takes no argument, found ':%s'", argument);
    if (input->options->precision == SHOAL_PRECISION_FLOAT)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "device 'ref' computes in double precision only");
    ref_plan *p = shoal_alloc(1, sizeof *p);
    if (!p) return SHOAL_E_MEMORY;
    p->input = input;
    *plan = p;
    return SHOAL_OK;
}

static void plan_destroy(void *plan)
{
    free(plan);
}

/* Every system is summed by one thread in one order: its bits depend on nothing but itself. */
static shoal_status plan_eval(void *plan, backend_result *results)
{
    const backend_input *in = ((const ref_plan *)plan)->input;
#ifdef _OPENMP
    const int wanted = in->options->n_threads;
    const int most = wanted > 0 ? wanted : omp_get_max_threads();
    const int n_threads = in->n_systems < 1 ? 1 : most < in->n_systems ? most : in->n_systems;
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads)
#endif
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (!in->systems[i].skip) ref_compute(&in->systems[i], in->options, &results[i]);
    return SHOAL_OK;
}

const shoal_backend shoal_backend_ref = {
    .name = "ref",
    .create = plan_create,
    .destroy = plan_destroy,
    .eval = plan_eval,
};
