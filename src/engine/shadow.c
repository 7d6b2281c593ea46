/* SPDX-License-Identifier: BSD-3-Clause
 * The device "shadow:X": after every run of X, ref looks at where the systems are and compares. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/ref/ref.h"
#include "backend/system_check.h"
#include "base/alloc.h"
#include "engine/engine.h"
#include "shoal/compare.h"

struct engine_shadow {
    shoal_engine_options options; /* ref knows no float */
    backend_input input;
    void *plan;
    backend_result *results; /* [n_systems] of ref */
    double (*forces)[3];
};

void engine_shadow_destroy(engine_shadow *shadow)
{
    if (!shadow) return;
    if (shadow->plan) shoal_backend_ref.destroy(shadow->plan);
    free(shadow->results);
    free(shadow->forces);
    free(shadow);
}

static shoal_status build(engine_shadow *shadow, const shoal_engine *engine)
{
    shadow->options = engine->options;
    shadow->options.precision = SHOAL_PRECISION_DOUBLE;
    shadow->input = engine->exact.input;
    shadow->input.precision = SHOAL_PRECISION_DOUBLE;
    shadow->input.options = &shadow->options;
    shadow->results = shoal_alloc((size_t)engine->n_systems, sizeof *shadow->results);
    shadow->forces = shoal_alloc(engine_all_movers(engine), sizeof *shadow->forces);
    if (!shadow->results || !shadow->forces) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        shadow->results[i].forces = shadow->forces + engine_first_mover(engine, i);
        shadow->results[i].pos = engine->results[i].pos;
    }
    return shoal_backend_ref.create(&shadow->plan, NULL, &shadow->input);
}

shoal_status engine_shadow_create(engine_shadow **out, const shoal_engine *engine)
{
    *out = shoal_alloc(1, sizeof **out);
    return *out ? build(*out, engine) : SHOAL_E_MEMORY;
}

static shoal_result as_result(const backend_result *r)
{
    return (shoal_result){.status = r->status,
                          .forces = (const double(*)[3])r->forces,
                          .n_terms = SHOAL_N_TERMS,
                          .terms = r->terms};
}

static void judge(const backend_system *system, const backend_result *ref, double most,
                  backend_result *r)
{
    const shoal_result a = as_result(ref), b = as_result(r);
    shoal_comparison c;
    char name[SYSTEM_NAME_SIZE];
    shoal_compare(&a, &b, mover_count(&system->view), &c);
    if (!c.same_status) {
        (void)snprintf(r->reason, sizeof r->reason, "%s where ref finds %s",
                       shoal_system_status_name(r->status), shoal_system_status_name(ref->status));
    } else if (c.comparable && !(c.verdict <= most && c.energy_error <= most)) {
        if (c.atom < system->view.n_atoms)
            (void)snprintf(name, sizeof name, "atom %d (%s)", c.atom, system->view.types[c.atom]);
        else
            system_name_mover(&system->view, c.atom, name);
        (void)snprintf(r->reason, sizeof r->reason,
                       "%s, but force on %s off by %.2g of %.3g eV/A, %s energy by %.2g",
                       shoal_system_status_name(r->status), name, c.force_error, c.force,
                       shoal_term_name(c.term), c.energy_error);
    } else {
        return;
    }
    r->status = SHOAL_SYSTEM_DIFFERS;
}

/* Systems that were never computed are not compared; those that X found not finite are. */
static bool is_compared(const backend_result *r)
{
    return r->active || (r->status == SHOAL_SYSTEM_NOT_FINITE && !r->refused);
}

shoal_status engine_shadow_compare(engine_shadow *shadow, shoal_engine *engine)
{
    const double most = shoal_compare_tolerance(&engine->options);
    backend_part part;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        shadow->results[i].active = is_compared(&engine->results[i]);
        shadow->results[i].status = SHOAL_SYSTEM_OK;
    }
    SHOAL_TRY(shoal_backend_ref.first(shadow->plan, NULL, shadow->results));
    SHOAL_TRY(shoal_backend_ref.next(shadow->plan, shadow->results, &part));
    SHOAL_TRY(shoal_backend_ref.eval(shadow->plan, BACKEND_FORCES | BACKEND_TERMS));
    for (int32_t i = 0; i < engine->n_systems; ++i)
        if (is_compared(&engine->results[i]))
            judge(&engine->systems[i], &shadow->results[i], most, &engine->results[i]);
    return SHOAL_OK;
}
