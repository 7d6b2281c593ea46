/* SPDX-License-Identifier: BSD-3-Clause
 * Two plans for one batch, X's and ref's, and a comparison after every run. */
#include "backend/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/ref/ref.h"
#include "base/alloc.h"
#include "base/error.h"
#include "shoal/compare.h"
#include "shoal/device.h"

typedef struct shadow_plan {
    const backend_input *input;
    shoal_engine_options ref_options; /* ref knows no float */
    backend_input ref_input;
    const shoal_backend *backend; /* X */
    void *plan, *ref_plan;
    backend_result *ref; /* [n_systems] */
    double (*forces)[3]; /* of ref, all systems together */
} shadow_plan;

static void shadow_destroy(void *p)
{
    shadow_plan *shadow = p;
    if (!shadow) return;
    if (shadow->plan) shadow->backend->destroy(shadow->plan);
    if (shadow->ref_plan) shoal_backend_ref.destroy(shadow->ref_plan);
    free(shadow->ref);
    free(shadow->forces);
    free(shadow);
}

static shoal_status make_results(shadow_plan *shadow)
{
    const backend_input *in = shadow->input;
    size_t n_atoms = 0;
    for (int32_t i = 0; i < in->n_systems; ++i) n_atoms += (size_t)in->systems[i].view.n_atoms;
    shadow->ref = shoal_alloc((size_t)in->n_systems, sizeof *shadow->ref);
    shadow->forces = shoal_alloc(n_atoms, sizeof *shadow->forces);
    if (!shadow->ref || !shadow->forces) return SHOAL_E_MEMORY;
    n_atoms = 0;
    for (int32_t i = 0; i < in->n_systems; ++i) {
        shadow->ref[i].forces = shadow->forces + n_atoms;
        n_atoms += (size_t)in->systems[i].view.n_atoms;
    }
    return SHOAL_OK;
}

static shoal_status build(shadow_plan *shadow, const char *device)
{
    const char *argument;
    const shoal_backend *backend;
    char chosen[24];
    if (!*device) return shoal_fail(SHOAL_E_DEVICE, "shadow of what? Expected shadow:DEVICE");
    SHOAL_TRY(shoal_device_resolve(device, chosen));
    SHOAL_TRY(shoal_backend_find(chosen, &backend, &argument));
    if (backend == &shoal_backend_shadow || backend == &shoal_backend_ref)
        return shoal_fail(SHOAL_E_DEVICE, "'shadow:%s': expected a device that is not ref itself",
                          device);
    SHOAL_TRY(backend->create(&shadow->plan, argument, shadow->input));
    shadow->backend = backend;
    shadow->ref_options = *shadow->input->options;
    shadow->ref_options.precision = SHOAL_PRECISION_DOUBLE;
    shadow->ref_input = *shadow->input;
    shadow->ref_input.options = &shadow->ref_options;
    SHOAL_TRY(shoal_backend_ref.create(&shadow->ref_plan, "", &shadow->ref_input));
    return make_results(shadow);
}

static shoal_status shadow_create(void **out, const char *argument, const backend_input *input)
{
    shadow_plan *shadow = shoal_alloc(1, sizeof *shadow);
    if (!shadow) return SHOAL_E_MEMORY;
    shadow->input = input;
    const shoal_status status = build(shadow, argument);
    if (status != SHOAL_OK) {
        shadow_destroy(shadow);
        return status;
    }
    *out = shadow;
    return SHOAL_OK;
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
    shoal_compare(&a, &b, system->view.n_atoms, &c);
    if (!c.same_status) {
        (void)snprintf(r->reason, sizeof r->reason, "%s where ref finds %s",
                       shoal_system_status_name(r->status), shoal_system_status_name(ref->status));
    } else if (c.comparable && !(c.verdict <= most && c.energy_error <= most)) {
        (void)snprintf(r->reason, sizeof r->reason,
                       "%s, but force on atom %d (%s) off by %.2g of %.3g eV/A, %s energy by %.2g",
                       shoal_system_status_name(r->status), c.atom, system->view.types[c.atom],
                       c.force_error, c.force, shoal_term_name(c.term), c.energy_error);
    } else {
        return;
    }
    r->status = SHOAL_SYSTEM_DIFFERS;
}

/* Runs ref at the present coordinates, which the results of X share with the input. */
static shoal_status compare_all(shadow_plan *shadow, double most, backend_result *results)
{
    const backend_input *in = shadow->input;
    SHOAL_TRY(shoal_backend_ref.eval(shadow->ref_plan, shadow->ref));
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (!in->systems[i].skip) judge(&in->systems[i], &shadow->ref[i], most, &results[i]);
    return SHOAL_OK;
}

static shoal_status shadow_eval(void *p, backend_result *results)
{
    shadow_plan *shadow = p;
    SHOAL_TRY(shadow->backend->eval(shadow->plan, results));
    return compare_all(shadow, shoal_compare_tolerance(shadow->input->options), results);
}

static shoal_status shadow_relax(void *p, const backend_relax *relax, backend_result *results)
{
    shadow_plan *shadow = p;
    SHOAL_TRY(shadow->backend->relax(shadow->plan, relax, results));
    return compare_all(shadow, shoal_compare_tolerance(shadow->input->options), results);
}

static shoal_status shadow_describe(void *p, backend_result *results, shoal_plan *out)
{
    const shadow_plan *shadow = p;
    const shoal_backend *backend = shadow->backend;
    return backend->describe ? backend->describe(shadow->plan, results, out) : SHOAL_OK;
}

const shoal_backend shoal_backend_shadow = {
    .name = "shadow",
    .create = shadow_create,
    .destroy = shadow_destroy,
    .eval = shadow_eval,
    .relax = shadow_relax,
    .describe = shadow_describe,
};
