/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules of a stream without their surface: relaxed by themselves, once for all variants of a record. Blocks
 * that do it again find the same bits. */
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
    a->pos = shoal_alloc((size_t)mol->n_atoms, sizeof *a->pos);
    if (!a->pos) return SHOAL_E_MEMORY;
    if (mol->n_atoms > 0) memcpy(a->pos, mol->pos, (size_t)mol->n_atoms * sizeof *a->pos);
    memcpy(a->cell, mol->cell, sizeof a->cell);
    a->periodic = shoal_molecule_is_periodic(mol);
    a->topology = shoal_topology_retain(system->topology);
    a->record = system->index / stream_n_variants(o);
    a->energy = NAN;
    return SHOAL_OK;
}

void stream_free_isolated(stream_block *b)
{
    while (b->isolated) {
        stream_isolated *a = b->isolated;
        b->isolated = a->next;
        shoal_topology_destroy(a->topology);
        free(a->pos);
        free(a);
    }
}

/* --- what is known already; with the lock --------------------------------------------------------- */

static void look_up(const stream *s, stream_isolated *a)
{
    for (int k = 0; k < STREAM_ISOLATED && !a->known; ++k) {
        if (s->isolated[k].record != a->record + 1) continue;
        a->energy = s->isolated[k].energy;
        a->known = true;
    }
}

static void remember(stream *s, stream_isolated *a, double energy)
{
    a->energy = energy;
    a->known = true;
    s->isolated[s->n_isolated++ % STREAM_ISOLATED] = (known_isolated){a->record + 1, energy};
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

static bool goes_on(void *user, const shoal_progress *progress)
{
    (void)progress;
    return !atomic_load(&((stream *)user)->stop);
}

static shoal_status make_engine(const stream_thread *own, stream_isolated *const *list, int32_t n,
                                int32_t n_threads, shoal_engine **out)
{
    shoal_engine_options options = own->s->engine;
    shoal_batch *batch = NULL;
    options.n_threads = n_threads;
    options.device = own->device->name;
    options.surface = NULL;
    options.grid = NULL;
    shoal_status status = shoal_batch_create(&batch);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        const shoal_system system = {.topology = list[i]->topology,
                                     .pos = (const double(*)[3])list[i]->pos,
                                     .cell = list[i]->periodic ? (const double(*)[3])list[i]->cell
                                                               : NULL};
        status = shoal_batch_add(batch, &system);
    }
    if (status == SHOAL_OK) status = shoal_engine_create(out, batch, &options);
    shoal_batch_destroy(batch);
    return status;
}

static shoal_status relax(const stream_thread *own, shoal_engine *engine)
{
    const shoal_relax_options *given = own->s->options->compute.relax;
    shoal_relax_options options = given ? *given : (shoal_relax_options){0};
    options.every = 0; /* of trajectories nobody wants this one */
    options.frame = NULL;
    options.state = NULL;
    return shoal_engine_relax(engine, &options, goes_on, own->s);
}

static shoal_status take(const stream_thread *own, stream_isolated *const *list, int32_t n,
                         const shoal_engine *engine)
{
    stream *s = own->s;
    shoal_status status = SHOAL_OK;
    (void)pthread_mutex_lock(&s->lock);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        shoal_result r;
        status = shoal_engine_result(engine, i, &r);
        if (status != SHOAL_OK) break;
        s->progress.n_evaluations += r.steps;
        remember(s, list[i], r.status == SHOAL_SYSTEM_CONVERGED ? r.energy : NAN);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return status;
}

static shoal_status compute(stream_thread *own, stream_isolated *const *list, int32_t n,
                            int32_t n_threads)
{
    shoal_engine *engine = NULL;
    double began = stream_now();
    shoal_status status = make_engine(own, list, n, n_threads, &engine);
    stream_clock(own, SHOAL_STAGE_PACK, &began);
    if (status == SHOAL_OK) status = relax(own, engine);
    /* What was stopped on its way is not known. */
    if (status == SHOAL_OK && !atomic_load(&own->s->stop)) status = take(own, list, n, engine);
    stream_clock(own, SHOAL_STAGE_COMPUTE, &began);
    shoal_engine_destroy(engine);
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
        if (own->notes[i]->isolated)
            own->list[i]->isolated_energy = own->notes[i]->isolated->energy;
    (void)pthread_mutex_unlock(&s->lock);
    return status;
}
