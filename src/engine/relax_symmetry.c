/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations that keep the symmetry of crystals. Steps of a symmetric structure are symmetric but for rounding, which
 * grows where the structure would rather have less symmetry: every so many steps the atoms are put back on their places. */
#include "engine/relax_symmetry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "layout.h"

/* Angstrom, by which images may miss their atoms. */
#define TOLERANCE 0.01
/* Steps of a system between two times that its atoms are put back. */
#define CHUNK 50
/* Angstrom: moves that change no force that matters. */
#define MOST_LEFT 1e-4

struct relax_symmetry {
    crystal_group *groups; /* [n_systems], n = 0: none is kept */
    double *moved;         /* [n_systems] angstrom, the largest move of an atom back to its place */
    bool *sits_out;        /* [n_systems] */
};

const crystal_group *relax_symmetry_of(const relax_run *run, int32_t i)
{
    return run->symmetry && run->symmetry->groups[i].n > 0 ? &run->symmetry->groups[i] : NULL;
}

void relax_symmetry_free(relax_run *run)
{
    relax_symmetry *s = run->symmetry;
    if (!s) return;
    for (int32_t i = 0; i < run->engine->n_systems && s->groups; ++i)
        crystal_group_free(&s->groups[i]);
    free(s->groups);
    free(s->moved);
    free(s->sits_out);
    free(s);
    run->symmetry = NULL;
}

/* --- operations ----------------------------------------------------------------------------------- */

static bool is_held(const backend_system *s)
{
    for (int32_t i = 0; i < s->view.n_atoms && s->fixed; ++i)
        if (s->fixed[i]) return true;
    return s->n_restraints > 0;
}

/* Atoms of one element and one type are of one kind: the number of the first of them. */
static shoal_status find_kinds(const shoal_topology_view *v, int32_t **out)
{
    int32_t *kinds = *out = shoal_alloc((size_t)v->n_atoms + 1, sizeof *kinds);
    int32_t *first = shoal_alloc((size_t)v->n_atoms + 1, sizeof *first), n = 0;
    for (int32_t i = 0; i < v->n_atoms && kinds && first; ++i) {
        int32_t k = 0;
        while (k < n && (v->elements[first[k]] != v->elements[i] ||
                         strcmp(v->types[first[k]], v->types[i]) != 0))
            ++k;
        if (k == n) first[n++] = i;
        kinds[i] = k;
    }
    free(first);
    return kinds && first ? SHOAL_OK : SHOAL_E_MEMORY;
}

static void reject(shoal_engine *engine, int32_t i, const char *why)
{
    backend_result *r = &engine->results[i];
    r->active = false;
    r->status = SHOAL_SYSTEM_UNTYPED;
    (void)snprintf(r->reason, sizeof r->reason, "symmetry is not kept: %.120s", why);
}

static shoal_status find_group(relax_run *run, int32_t i)
{
    shoal_engine *engine = run->engine;
    const backend_system *s = &engine->systems[i];
    const shoal_topology_view *v = &s->view;
    int32_t *kinds = NULL;
    if (!v->pbc[0] || !v->pbc[1] || !v->pbc[2]) {
        engine_warn(engine, i, "no symmetry is kept: it is not periodic in three directions");
        return SHOAL_OK;
    }
    if (is_held(s) || engine_n_movers(engine, i) != v->n_atoms) {
        reject(engine, i, "atoms are held, or it has more than atoms");
        return SHOAL_OK;
    }
    SHOAL_TRY(find_kinds(v, &kinds));
    double(*pos)[3] = engine->results[i].pos;
    const double(*cell)[3] = (const double(*)[3])s->cell;
    crystal_group *g = &run->symmetry->groups[i];
    const shoal_status status =
        crystal_group_find(g, cell, v->n_atoms, kinds, (const double(*)[3])pos, TOLERANCE);
    free(kinds);
    if (status == SHOAL_E_UNSUPPORTED) reject(engine, i, shoal_error_text());
    if (status == SHOAL_OK) run->symmetry->moved[i] = crystal_group_place(g, cell, pos);
    return status == SHOAL_E_UNSUPPORTED ? SHOAL_OK : status;
}

/* Charges and orders of bonds may have less symmetry than places. */
static void check_forces(relax_run *run, int32_t i)
{
    const crystal_group *g = relax_symmetry_of(run, i);
    const shoal_engine *engine = run->engine;
    const backend_result *r = &engine->results[i];
    char why[120];
    int32_t at;
    if (!g || !r->active || !isfinite(r->fmax)) return;
    const double spread = crystal_group_spread(g, (const double(*)[3])engine->systems[i].cell,
                                               (const double(*)[3])r->forces, &at);
    if (spread <= run->options.fmax) return;
    (void)snprintf(
        why, sizeof why,
        "the force on atom %d differs by %.3g eV/A from those on its images (bond orders, "
        "charges?)",
        at, spread);
    reject(run->engine, i, why);
}

shoal_status relax_symmetry_begin(relax_run *run)
{
    shoal_engine *engine = run->engine;
    const size_t n = (size_t)engine->n_systems;
    relax_symmetry *s = run->symmetry = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->groups = shoal_alloc(n + 1, sizeof *s->groups);
    s->moved = shoal_alloc(n + 1, sizeof *s->moved);
    s->sits_out = shoal_alloc(n + 1, sizeof *s->sits_out);
    if (!s->groups || !s->moved || !s->sits_out) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < engine->n_systems; ++i)
        if (engine->results[i].active) SHOAL_TRY(find_group(run, i));
    SHOAL_TRY(engine_evaluate(engine, &engine->exact, ENGINE_END));
    for (int32_t i = 0; i < engine->n_systems; ++i) check_forces(run, i);
    return SHOAL_OK;
}

/* --- steps ---------------------------------------------------------------------------------------- */

static bool is_going(const backend_result *r)
{
    return r->outcome == STEP_GOING || r->outcome == STEP_MAX_STEPS;
}

/* Systems that have not come to the end of this chunk: their number depends on nothing but themselves. */
static int32_t seat(relax_run *run, int32_t limit, bool with_group)
{
    shoal_engine *engine = run->engine;
    int32_t n = 0;
    run->n_done = run->n_failed = run->n_evaluations = 0;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_result *r = &engine->results[i];
        const bool has = relax_symmetry_of(run, i);
        if (!run->symmetry->sits_out[i])
            r->active = has == with_group &&
                        (!has || (is_going(r) && r->steps >= limit - CHUNK && r->steps < limit));
        if (r->active) r->outcome = STEP_GOING;
        n += r->active;
        run->n_done += !r->active;
        run->n_evaluations += r->active ? 0 : r->steps;
    }
    return n;
}

/* One that has come to rest beside its places goes on. */
static void put_on_places(relax_run *run, int32_t i)
{
    backend_result *r = &run->engine->results[i];
    const crystal_group *g = relax_symmetry_of(run, i);
    if (!g || !r->active) return;
    const double moved =
        crystal_group_place(g, (const double(*)[3])run->engine->systems[i].cell, r->pos);
    run->symmetry->moved[i] = fmax(run->symmetry->moved[i], moved);
    if (r->outcome == STEP_CONVERGED && moved > MOST_LEFT) r->outcome = STEP_GOING;
}

/* Energies before are those before the first chunk. */
static void keep_first(shoal_engine *engine, double (*kept)[1 + SHOAL_N_TERMS], int32_t i,
                       bool back)
{
    backend_result *r = &engine->results[i];
    if (back) {
        r->energy0 = kept[i][0];
        memcpy(r->terms0, &kept[i][1], sizeof r->terms0);
    } else {
        kept[i][0] = r->energy0;
        memcpy(&kept[i][1], r->terms0, sizeof r->terms0);
    }
}

static shoal_status run_chunks(relax_run *run, int32_t most, double (*kept)[1 + SHOAL_N_TERMS])
{
    shoal_engine *engine = run->engine;
    bool *known = shoal_alloc((size_t)engine->n_systems + 1, sizeof *known);
    shoal_status status = known ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t limit = CHUNK; limit - CHUNK < most && status == SHOAL_OK && !run->stop;
         limit += CHUNK) {
        run->options.max_steps = limit < most ? limit : most;
        while (status == SHOAL_OK && !run->stop && seat(run, limit, true) > 0) {
            status = relax_atoms(run);
            for (int32_t i = 0; i < engine->n_systems && status == SHOAL_OK; ++i) {
                if (!engine->results[i].active) continue;
                if (!known[i]) keep_first(engine, kept, i, false);
                known[i] = true;
                put_on_places(run, i);
            }
            if (limit >= most) break;
        }
    }
    for (int32_t i = 0; i < engine->n_systems && status == SHOAL_OK; ++i)
        if (known[i]) keep_first(engine, kept, i, true);
    free(known);
    return status;
}

shoal_status relax_symmetry_atoms(relax_run *run)
{
    shoal_engine *engine = run->engine;
    relax_symmetry *s = run->symmetry;
    const int32_t most = run->options.max_steps;
    double(*kept)[1 + SHOAL_N_TERMS] = shoal_alloc((size_t)engine->n_systems + 1, sizeof *kept);
    if (!kept) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < engine->n_systems; ++i) s->sits_out[i] = !engine->results[i].active;
    shoal_status status = SHOAL_OK;
    if (seat(run, 0, false) > 0) status = relax_atoms(run);
    for (int32_t i = 0; i < engine->n_systems; ++i)
        if (relax_symmetry_of(run, i) && !s->sits_out[i]) engine->results[i].outcome = STEP_GOING;
    if (status == SHOAL_OK) status = run_chunks(run, most, kept);
    run->options.max_steps = most;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_result *r = &engine->results[i];
        r->active = !s->sits_out[i] && r->status == SHOAL_SYSTEM_OK;
        if (r->active && r->outcome == STEP_GOING) r->outcome = STEP_MAX_STEPS;
    }
    free(kept);
    return status;
}

shoal_status relax_symmetry_end(relax_run *run)
{
    shoal_engine *engine = run->engine;
    const size_t n = (size_t)engine->n_systems;
    if (!engine->symmetry) engine->symmetry = shoal_alloc(n + 1, sizeof *engine->symmetry);
    if (!engine->symmetry) return SHOAL_E_MEMORY;
    SHOAL_TRY(engine_evaluate(engine, &engine->exact, ENGINE_END));
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const crystal_group *g = relax_symmetry_of(run, i);
        engine->symmetry[i].n = g ? g->n : 0;
        engine->symmetry[i].moved = g ? run->symmetry->moved[i] : 0;
    }
    engine->has_symmetry = true;
    return SHOAL_OK;
}
