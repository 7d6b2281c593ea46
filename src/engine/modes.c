/* SPDX-License-Identifier: BSD-3-Clause
 * Vibrations of many systems at once. */
#include "engine/modes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define HOTTEST 1e6 /* K: beyond it no molecule is left, and sums over states overflow */
/* Angstrom. The two-point difference, which the estimate is about, is then off by some 1e-3 cm^-1, the four-point
 * one by 1e-7; rounding of forces, 1e-13 eV/angstrom, does not show. */
#define FIRST_STEP 5e-4
/* Where the estimate is beyond this, cm^-1, a second step is tried, .. */
#define WANTED_ERROR 1e-2
#define SECOND_STEP 1.25e-4 /* .. this one, angstrom; the better of the two is kept */

const char *shoal_verdict_name(shoal_verdict verdict)
{
    static const char *const names[] = {"minimum", "saddle", "not stationary"};
    return (unsigned)verdict < 3 ? names[verdict] : "";
}

void shoal_modes_result_destroy(shoal_modes_result *result)
{
    free(result); /* the first member of its block */
}

shoal_status modes_precision(shoal_engine_options *engine)
{
    if (engine->precision == SHOAL_PRECISION_FLOAT)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "modes: differences of forces need double precision, not float");
    engine->precision = SHOAL_PRECISION_DOUBLE;
    return SHOAL_OK;
}

/* Says what is wrong with the masses or the number of atoms. */
static void refuse(modes_system *s)
{
    if (s->n_atoms == 0) (void)snprintf(s->failure, sizeof s->failure, "modes: there are no atoms");
    if (s->n_free + s->n_pairs + s->n_directions > MODES_MOST_ATOMS)
        (void)snprintf(s->failure, sizeof s->failure, "modes: %d atoms move, expected at most %d",
                       s->n_free + s->n_pairs + s->n_directions, MODES_MOST_ATOMS);
    if (s->system.bodies)
        (void)snprintf(s->failure, sizeof s->failure,
                       "modes: rigid bodies; expected atoms that move by themselves");
    for (int32_t i = 0; i < s->n_atoms; ++i)
        if (!(s->masses[i] > 0 && isfinite(s->masses[i])))
            (void)snprintf(s->failure, sizeof s->failure,
                           "modes: atom %d has a mass of %g amu, expected more than 0", i,
                           s->masses[i]);
}

static shoal_status begin(modes_system *s, const shoal_engine_options *engine)
{
    shoal_topology_view v;
    shoal_topology_get(s->system.topology, &v);
    s->n_atoms = v.n_atoms;
    s->free_atoms = shoal_alloc((size_t)v.n_atoms + 1, sizeof *s->free_atoms);
    if (!s->free_atoms) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v.n_atoms; ++i)
        if (!s->system.fixed || !s->system.fixed[i]) s->free_atoms[s->n_free++] = i;
    s->n_pairs = v.n_pairs;
    s->n_directions = v.n_directions;
    refuse(s);
    if (!s->failure[0] && v.n_pairs + v.n_directions > 0)
        SHOAL_TRY(modes_auxiliary_settle(s, engine));
    if (s->failure[0]) return SHOAL_OK;
    const size_t n = (size_t)modes_n_coordinates(s);
    s->hessian = shoal_alloc(n * n + 1, sizeof *s->hessian);
    s->coarse = shoal_alloc(n * n + 1, sizeof *s->coarse);
    return s->hessian && s->coarse ? SHOAL_OK : SHOAL_E_MEMORY;
}

static void end(modes_system *s)
{
    free(s->free_atoms);
    free(s->hessian);
    free(s->coarse);
    free(s->auxiliary);
    free(s->axes);
    s->free_atoms = NULL;
    s->auxiliary = NULL;
    s->axes = NULL;
    s->hessian = s->coarse = NULL;
}

/* The better of two results, by their errors. */
static void keep_better(modes_system *s, shoal_modes_result *r)
{
    const bool better = !s->result || r->error < s->result->error;
    shoal_modes_result_destroy(better ? s->result : r);
    if (better) s->result = r;
}

/* Differences with one step, and what follows, for list[n]. */
static shoal_status round_of(modes_system *const *list, int32_t n, double step,
                             const shoal_engine_options *engine, const shoal_modes_options *options,
                             const _Atomic bool *stop)
{
    for (int32_t i = 0; i < n; ++i) list[i]->step = step;
    SHOAL_TRY(modes_hessians(list, n, engine, stop));
    for (int32_t i = 0; i < n && !(stop && atomic_load(stop)); ++i) {
        shoal_modes_result *r = NULL;
        if (list[i]->failure[0]) continue;
        SHOAL_TRY(modes_auxiliary_eliminate(list[i]));
        if (list[i]->failure[0]) continue;
        const shoal_status status = modes_normal(list[i], options, &r);
        if (status == SHOAL_E_UNSUPPORTED || status == SHOAL_E_ARGUMENT)
            (void)snprintf(list[i]->failure, sizeof list[i]->failure, "%s", shoal_error_text());
        else if (status != SHOAL_OK)
            return status;
        else
            keep_better(list[i], r);
    }
    return SHOAL_OK;
}

/* Stopped in the middle of a second round, a system is not finished; one that fails there has its first result. */
static void end_second(modes_system *const *list, int32_t n, const _Atomic bool *stop)
{
    const bool stopped = stop && atomic_load(stop);
    for (int32_t i = 0; i < n; ++i) {
        list[i]->failure[0] = '\0';
        if (!stopped) continue;
        shoal_modes_result_destroy(list[i]->result);
        list[i]->result = NULL;
    }
}

static shoal_status find_all(modes_system *systems, modes_system **list, int32_t n,
                             const shoal_engine_options *engine, const shoal_modes_options *options,
                             const _Atomic bool *stop)
{
    int32_t n_left = 0, n_again = 0;
    for (int32_t i = 0; i < n; ++i) SHOAL_TRY(begin(&systems[i], engine));
    for (int32_t i = 0; i < n; ++i)
        if (!systems[i].failure[0]) list[n_left++] = &systems[i];
    const bool given = options->step > 0;
    SHOAL_TRY(round_of(list, n_left, given ? options->step : FIRST_STEP, engine, options, stop));
    for (int32_t i = 0; i < n_left; ++i)
        if (list[i]->result && list[i]->result->error > WANTED_ERROR && !given)
            list[n_again++] = list[i];
    if (n_again > 0) SHOAL_TRY(round_of(list, n_again, SECOND_STEP, engine, options, stop));
    end_second(list, n_again, stop);
    return SHOAL_OK;
}

shoal_status modes_find(modes_system *systems, int32_t n, const shoal_engine_options *engine,
                        const shoal_modes_options *options, const _Atomic bool *stop)
{
    static const shoal_modes_options usual = {0};
    modes_system **list = shoal_alloc((size_t)n + 1, sizeof *list);
    if (!list) return SHOAL_E_MEMORY;
    const shoal_status status =
        find_all(systems, list, n, engine, options ? options : &usual, stop);
    for (int32_t i = 0; i < n; ++i) {
        end(&systems[i]);
        if (status == SHOAL_OK) continue;
        shoal_modes_result_destroy(systems[i].result);
        systems[i].result = NULL;
    }
    free(list);
    return status;
}

/* --- one system ---------------------------------------------------------------------------------- */

/* Energy and forces where it is. */
static shoal_status look(modes_system *s, const shoal_engine_options *options)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r = {0};
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_batch_add(batch, &s->system);
    if (status == SHOAL_OK) status = shoal_engine_create(&engine, batch, options);
    if (status == SHOAL_OK) status = shoal_engine_eval(engine);
    if (status == SHOAL_OK) status = shoal_engine_result(engine, 0, &r);
    if (status == SHOAL_OK && r.status != SHOAL_SYSTEM_OK)
        status = shoal_fail(SHOAL_E_UNSUPPORTED, "modes: the system is %s: %s",
                            shoal_system_status_name(r.status), r.reason);
    s->energy = r.energy;
    s->fmax = r.fmax;
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return status;
}

static bool is_in_range(const shoal_modes_options *o)
{
    return !o || (o->fmax >= 0 && o->step >= 0 && o->step < 0.5 && o->temperature >= 0 &&
                  o->temperature <= HOTTEST && o->pressure >= 0 && o->symmetry_number >= 0 &&
                  isfinite(o->fmax) && isfinite(o->pressure));
}

shoal_status modes_check(const shoal_modes_options *o)
{
    if (is_in_range(o)) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "modes: fmax %g, step %g, temperature %g, pressure %g, symmetry number %d; "
        "expected 0 or more, a step below 0.5 angstrom and a temperature of at most %g K",
        o->fmax, o->step, o->temperature, o->pressure, o->symmetry_number, HOTTEST);
}

shoal_status shoal_modes_find(shoal_modes_result **out, const shoal_system *system,
                              const double *masses, const shoal_engine_options *engine,
                              const shoal_modes_options *options)
{
    shoal_clear_error();
    SHOAL_NEED(out && system && system->topology && system->pos);
    shoal_topology_view v;
    shoal_engine_options in_double = engine ? *engine : (shoal_engine_options){0};
    shoal_topology_get(system->topology, &v);
    modes_system s = {.system = *system,
                      .masses = masses ? masses : v.masses,
                      .on_surface = in_double.surface || in_double.grid};
    *out = NULL;
    SHOAL_TRY(modes_check(options));
    SHOAL_TRY(modes_precision(&in_double));
    SHOAL_TRY(look(&s, &in_double));
    SHOAL_TRY(modes_find(&s, 1, &in_double, options, NULL));
    *out = s.result;
    return s.result ? SHOAL_OK : shoal_fail(SHOAL_E_UNSUPPORTED, "%s", s.failure);
}
