/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules of a stream without their surface: relaxed by themselves, once for all variants of a record, from several
 * geometries. Blocks that do it again find the same bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "stream/stream.h"

shoal_status stream_check_adsorption(const shoal_stream_options *o)
{
    const bool computes = o->job != SHOAL_JOB_READ && o->job != SHOAL_JOB_TYPE;
    if (!o->compute.adsorption ||
        (computes && ((o->compute.engine && o->compute.engine->surface) || o->build.movable)))
        return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "stream: energies of adsorption without a surface, or of no computation");
}

shoal_status stream_keep_isolated(const shoal_stream_options *o, stream_block *b,
                                  const shoal_stream_system *system, stream_note *note)
{
    const shoal_molecule *mol = system->mol;
    if (!o->compute.adsorption || shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK)
        return SHOAL_OK;
    stream_isolated *a = shoal_alloc(1, sizeof *a);
    if (!a) return SHOAL_E_MEMORY;
    a->next = b->isolated;
    b->isolated = note->isolated = a;
    a->topology = shoal_topology_retain(system->topology);
    a->record = system->index / stream_per_record(o);
    a->keeps_charges = note->record && note->record->topology;
    a->energy = NAN;
    SHOAL_TRY(shoal_molecule_create(&a->mol));
    return stream_copy_molecule(a->mol, mol);
}

void stream_free_isolated(stream_block *b)
{
    while (b->isolated) {
        stream_isolated *a = b->isolated;
        b->isolated = a->next;
        shoal_topology_destroy(a->topology);
        shoal_molecule_destroy(a->mol);
        free(a);
    }
}

/* --- what is known already; with the lock --------------------------------------------------------- */

static void look_up(const stream *s, stream_isolated *a)
{
    for (int k = 0; k < STREAM_ISOLATED && !a->known; ++k) {
        if (s->isolated[k].record != a->record + 1) continue;
        a->energy = s->isolated[k].energy;
        a->start = s->isolated[k].start;
        a->known = true;
    }
}

static void remember(stream *s, stream_isolated *a)
{
    a->known = true;
    s->isolated[s->n_isolated++ % STREAM_ISOLATED] =
        (known_isolated){a->record + 1, a->energy, a->start};
}

/* Those of own->list[n] that are not known, each once; their number. */
static int32_t find_unknown(const stream_thread *own, int32_t n, stream_isolated **out)
{
    int32_t n_found = 0;
    for (int32_t i = 0; i < n; ++i) {
        stream_isolated *a = own->notes[i]->isolated;
        if (!a) continue;
        look_up(own->s, a);
        if (!a->known && (n_found == 0 || out[n_found - 1] != a)) out[n_found++] = a;
    }
    return n_found;
}

/* --- computing ----------------------------------------------------------------------------------- */

/* A geometry of a molecule alone, and what became of it. */
typedef struct alone {
    stream_isolated *of;
    int32_t start;
    shoal_molecule *mol;
    shoal_topology *topology;
    bool waits;    /* to be relaxed */
    double energy; /* eV; NaN where it did not converge */
} alone;

typedef struct alones {
    stream_thread *own;
    alone *of;
    int32_t n, capacity, n_threads;
} alones;

static bool goes_on(void *user, const shoal_progress *progress)
{
    (void)progress;
    return !atomic_load(&((stream *)user)->stop);
}

/* The next start of a molecule; *found false where it has no more. */
static shoal_status add_start(alones *l, stream_isolated *a, int32_t k, bool *found)
{
    const shoal_variants *v = l->own->s->options->compute.alone;
    const shoal_stream_system system = {.mol = a->mol, .variant = k};
    *found = k == 0;
    if (k > 0 && (stream_has_bodies(l->own->s->options) || !v || k >= v->n)) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&l->of, &l->capacity, l->n + 1));
    alone *to = &l->of[l->n];
    *to = (alone){.of = a, .start = k, .waits = true, .energy = NAN};
    SHOAL_TRY(shoal_molecule_create(&to->mol));
    shoal_status status = stream_copy_molecule(to->mol, a->mol);
    if (status == SHOAL_OK && k > 0)
        status = v->make(v->user, &system, NULL, 0, to->mol->pos, NULL);
    *found = status == SHOAL_OK;
    if (*found) {
        to->topology = shoal_topology_retain(a->topology);
        ++l->n;
        return SHOAL_OK;
    }
    shoal_molecule_destroy(to->mol);
    return status == SHOAL_E_ARGUMENT || status == SHOAL_E_UNSUPPORTED ? SHOAL_OK : status;
}

static shoal_status make_engine(const alones *l, shoal_engine **out)
{
    shoal_engine_options options = l->own->s->engine;
    shoal_batch *batch = NULL;
    options.n_threads = l->n_threads;
    options.device = l->own->device->name;
    options.surface = NULL;
    options.grid = NULL;
    shoal_status status = shoal_batch_create(&batch);
    for (int32_t i = 0; i < l->n && status == SHOAL_OK; ++i) {
        const shoal_molecule *mol = l->of[i].mol;
        shoal_system system = {
            .topology = l->of[i].topology,
            .pos = (const double(*)[3])mol->pos,
            .cell = shoal_molecule_is_periodic(mol) ? (const double(*)[3])mol->cell : NULL};
        if (!l->of[i].waits) continue;
        status = stream_hold_bodies(l->own, mol, mol->n_atoms, NULL, &system);
        if (status == SHOAL_OK) status = shoal_batch_add(batch, &system);
    }
    if (status == SHOAL_OK) status = shoal_engine_create(out, batch, &options);
    shoal_batch_destroy(batch);
    return status;
}

/* Energies and places of what was relaxed; *n_evaluations grows. */
static shoal_status take(alones *l, const shoal_engine *engine, int64_t *n_evaluations)
{
    int32_t at = 0;
    for (int32_t i = 0; i < l->n; ++i) {
        alone *a = &l->of[i];
        shoal_result r;
        if (!a->waits) continue;
        SHOAL_TRY(shoal_engine_result(engine, at, &r));
        *n_evaluations += r.steps;
        a->waits = false;
        a->energy = r.status == SHOAL_SYSTEM_CONVERGED ? r.energy : NAN;
        if (isfinite(a->energy))
            memcpy(a->mol->pos, shoal_engine_positions(engine, at),
                   (size_t)a->mol->n_atoms * sizeof *a->mol->pos);
        ++at;
    }
    return SHOAL_OK;
}

static shoal_status relax(alones *l, int64_t *n_evaluations)
{
    stream *s = l->own->s;
    shoal_engine *engine = NULL;
    shoal_relax_options options =
        s->options->compute.relax ? *s->options->compute.relax : (shoal_relax_options){0};
    options.every = 0; /* of trajectories nobody wants this one */
    options.frame = NULL;
    options.state = NULL;
    shoal_status status = make_engine(l, &engine);
    if (status == SHOAL_OK) status = shoal_engine_relax(engine, &options, goes_on, s);
    if (status == SHOAL_OK) status = take(l, engine, n_evaluations);
    shoal_engine_destroy(engine);
    return status;
}

/* Those whose charges are not yet those of their geometry wait again; their number. */
static shoal_status charge(alones *l, int32_t *n)
{
    *n = 0;
    for (int32_t i = 0; i < l->n && stream_has_own_charges(l->own); ++i) {
        alone *a = &l->of[i];
        if (!isfinite(a->energy) || a->of->keeps_charges) continue;
        SHOAL_TRY(stream_charge(l->own, a->mol, &a->topology, &a->waits));
        if (a->waits) a->energy = NAN;
        *n += a->waits;
    }
    return SHOAL_OK;
}

/* The lowest of each molecule. */
static void keep_lowest(const alones *l, int64_t n_evaluations)
{
    stream *s = l->own->s;
    (void)pthread_mutex_lock(&s->lock);
    s->progress.n_evaluations += n_evaluations;
    for (int32_t i = 0; i < l->n; ++i) {
        const alone *a = &l->of[i];
        if (isnan(a->energy) || a->energy >= a->of->energy) continue;
        a->of->energy = a->energy;
        a->of->start = a->start;
    }
    for (int32_t i = 0; i < l->n; ++i)
        if (l->of[i].start == 0) remember(s, l->of[i].of);
    (void)pthread_mutex_unlock(&s->lock);
}

static shoal_status compute(stream_thread *own, stream_isolated *const *list, int32_t n,
                            int32_t n_threads)
{
    alones l = {.own = own, .n_threads = n_threads};
    int64_t n_evaluations = 0;
    int32_t n_waiting = 1;
    shoal_status status = SHOAL_OK;
    double began = stream_now();
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        bool found = true;
        for (int32_t k = 0; found && status == SHOAL_OK; ++k)
            status = add_start(&l, list[i], k, &found);
    }
    for (int turn = 0; turn < STREAM_TURNS && n_waiting > 0 && status == SHOAL_OK; ++turn) {
        status = relax(&l, &n_evaluations);
        if (status == SHOAL_OK) status = charge(&l, &n_waiting);
    }
    /* What was stopped on its way is not known. */
    if (status == SHOAL_OK && !atomic_load(&own->s->stop)) keep_lowest(&l, n_evaluations);
    stream_clock(own, SHOAL_STAGE_COMPUTE, &began);
    for (int32_t i = 0; i < l.n; ++i) {
        shoal_molecule_destroy(l.of[i].mol);
        shoal_topology_destroy(l.of[i].topology);
    }
    free(l.of);
    return status;
}

shoal_status stream_isolate(stream_thread *own, int32_t n, int32_t n_threads)
{
    stream *s = own->s;
    if (!s->options->compute.adsorption || n == 0) return SHOAL_OK;
    stream_isolated **list = shoal_alloc((size_t)n, sizeof *list);
    if (!list) return SHOAL_E_MEMORY;
    (void)pthread_mutex_lock(&s->lock);
    const int32_t n_unknown = find_unknown(own, n, list);
    (void)pthread_mutex_unlock(&s->lock);
    const shoal_status status = n_unknown > 0 ? compute(own, list, n_unknown, n_threads) : SHOAL_OK;
    free(list);
    (void)pthread_mutex_lock(&s->lock);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i)
        if (own->notes[i]->isolated) {
            own->list[i]->isolated_energy = own->notes[i]->isolated->energy;
            own->list[i]->isolated_start = own->notes[i]->isolated->start;
        }
    (void)pthread_mutex_unlock(&s->lock);
    return status;
}
