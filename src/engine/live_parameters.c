/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of an engine's own: copies of those of its topologies, which others may use, that can be changed. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/live.h"

void live_parameters_free(live_parameters *own)
{
    if (!own) return;
    free(own->numbers);
    free(own->firsts);
    free(own->atom_starts);
    free(own->term_starts);
    free(own->x);
    free(own->d);
    free(own->charges);
    free(own->terms);
    free(own);
}

/* Numbers of topologies, the first system of each, and what they have. */
static shoal_status number_topologies(const shoal_engine *engine, bool split, live_parameters *own)
{
    const int32_t n_systems = engine->n_systems;
    for (int32_t i = 0; i < n_systems; ++i) {
        own->numbers[i] = split ? i : engine->systems[i].topology;
        if (own->numbers[i] >= own->n) own->n = own->numbers[i] + 1;
    }
    own->firsts = shoal_alloc((size_t)own->n, sizeof *own->firsts);
    own->atom_starts = shoal_alloc((size_t)own->n + 1, sizeof *own->atom_starts);
    own->term_starts = shoal_alloc((size_t)own->n + 1, sizeof *own->term_starts);
    if (!own->firsts || !own->atom_starts || !own->term_starts) return SHOAL_E_MEMORY;
    for (int32_t i = n_systems - 1; i >= 0; --i) own->firsts[own->numbers[i]] = i;
    for (int32_t t = 0; t < own->n; ++t) {
        const shoal_topology_view *v = &engine->systems[own->firsts[t]].view;
        if (v->n_atoms + v->n_sites > INT32_MAX - own->atom_starts[t] ||
            v->n_terms > INT32_MAX - own->term_starts[t])
            return shoal_fail(SHOAL_E_MEMORY, "engine: more than %d parameters", INT32_MAX);
        own->atom_starts[t + 1] = own->atom_starts[t] + v->n_atoms + v->n_sites;
        own->term_starts[t + 1] = own->term_starts[t] + v->n_terms;
    }
    return SHOAL_OK;
}

static void copy_reals(double *to, const double *from, int32_t n)
{
    if (from && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

/* Sites have charges alone. */
static void copy_topology(const shoal_topology_view *v, live_parameters *own, int32_t t)
{
    const int32_t at = own->atom_starts[t], n = v->n_atoms + v->n_sites;
    copy_reals(own->x + at, v->vdw_x, n);
    copy_reals(own->d + at, v->vdw_d, n);
    copy_reals(own->charges + at, v->charges, n);
    if (v->n_terms > 0)
        memcpy(own->terms + own->term_starts[t], v->terms, (size_t)v->n_terms * sizeof *v->terms);
}

static shoal_status build(const shoal_engine *engine, bool split, live_parameters *own)
{
    own->numbers = shoal_alloc((size_t)engine->n_systems, sizeof *own->numbers);
    if (!own->numbers) return SHOAL_E_MEMORY;
    SHOAL_TRY(number_topologies(engine, split, own));
    const size_t n_atoms = (size_t)own->atom_starts[own->n];
    own->x = shoal_alloc(n_atoms, sizeof *own->x);
    own->d = shoal_alloc(n_atoms, sizeof *own->d);
    own->charges = shoal_alloc(n_atoms, sizeof *own->charges);
    own->terms = shoal_alloc((size_t)own->term_starts[own->n], sizeof *own->terms);
    if (!own->x || !own->d || !own->charges || !own->terms) return SHOAL_E_MEMORY;
    for (int32_t t = 0; t < own->n; ++t)
        copy_topology(&engine->systems[own->firsts[t]].view, own, t);
    return SHOAL_OK;
}

shoal_status live_parameters_use(shoal_engine *engine, bool *moved)
{
    const live_parameters *own = engine->live->own;
    *moved = false;
    SHOAL_TRY(engine_live_pause(engine));
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const int32_t t = own->numbers[i], at = own->atom_starts[t];
        backend_system *s = &engine->systems[i];
        if (s->skip) continue;
        *moved |= s->view.terms != own->terms + own->term_starts[t];
        s->topology = t;
        s->view.vdw_x = own->x + at;
        s->view.vdw_d = own->d + at;
        s->view.charges = own->charges + at;
        s->view.terms = own->terms + own->term_starts[t];
    }
    return SHOAL_OK;
}

static shoal_status tell_plan(shoal_engine *engine, engine_plan *plan, const backend_change *change)
{
    bool taken = false;
    shoal_status status = SHOAL_OK;
    if (!plan->plan) return SHOAL_OK;
    if (engine->backend->change) status = engine->backend->change(plan->plan, change, &taken);
    if (status == SHOAL_OK && taken) return SHOAL_OK;
    engine->backend->destroy(plan->plan);
    plan->plan = NULL;
    return status;
}

static shoal_status renew_shadow(shoal_engine *engine)
{
    if (!engine->shadow) return SHOAL_OK;
    engine_shadow_destroy(engine->shadow);
    engine->shadow = NULL;
    return engine_shadow_create(&engine->shadow, engine);
}

shoal_status live_parameters_tell(shoal_engine *engine, const backend_change *change)
{
    const shoal_status exact = tell_plan(engine, &engine->exact, change);
    SHOAL_TRY(tell_plan(engine, &engine->fast, change));
    SHOAL_TRY(exact);
    return renew_shadow(engine);
}

static shoal_status make(shoal_engine *engine, bool split)
{
    live_parameters *own = shoal_alloc(1, sizeof *own);
    if (!own) return SHOAL_E_MEMORY;
    const shoal_status status = build(engine, split, own);
    own->split = split;
    if (status == SHOAL_OK)
        engine->live->own = own;
    else
        live_parameters_free(own);
    return status;
}

shoal_status live_parameters_need(shoal_engine *engine)
{
    return engine->live->own ? SHOAL_OK : make(engine, false);
}

shoal_status live_parameters_split(shoal_engine *engine)
{
    live_parameters *before = engine->live->own;
    bool moved;
    shoal_status status = make(engine, true);
    if (status == SHOAL_OK) status = live_forget_plans(engine);
    if (status == SHOAL_OK) status = live_parameters_use(engine, &moved);
    if (engine->live->own != before) live_parameters_free(before);
    return status;
}

shoal_status live_forget_plans(shoal_engine *engine)
{
    engine_plan *const plans[] = {&engine->exact, &engine->fast};
    SHOAL_TRY(engine_live_pause(engine));
    for (size_t k = 0; k < sizeof plans / sizeof plans[0]; ++k) {
        if (plans[k]->plan) engine->backend->destroy(plans[k]->plan);
        plans[k]->plan = NULL;
    }
    return renew_shadow(engine);
}
