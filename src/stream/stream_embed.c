/* SPDX-License-Identifier: BSD-3-Clause
 * Conformers of records that have no geometry, or are to have another one: found for a whole block at once, before
 * variants are made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/flat.h"
#include "stream/stream.h"

#define SYSTEMS_MOST ((int64_t)1 << 40) /* systems of a record */

/* Of one record. */
struct stream_embedding {
    embed_problem *problem;
    embed_place *places; /* [n] */
    int32_t n;
};

void stream_embedding_destroy(stream_embedding *e)
{
    if (!e) return;
    embed_problem_destroy(e->problem);
    for (int32_t k = 0; e->places && k < e->n; ++k) free(e->places[k].pos);
    free(e->places);
    free(e);
}

/* Conformers of n systems of a record, which come in the order of their numbers. */
static shoal_status fill(const shoal_conformers *c, shoal_stream_system *system, int32_t n,
                         stream_embedding *e)
{
    e->places = shoal_alloc((size_t)n, sizeof *e->places);
    if (!e->places) return SHOAL_E_MEMORY;
    SHOAL_TRY(embed_problem_create(&e->problem, system->mol));
    for (int32_t k = 0; k < n; ++k) {
        if (k > 0 && system[k].conformer == system[k - 1].conformer) continue;
        embed_place *place = &e->places[e->n++];
        place->problem = e->problem;
        place->conformer = c->n > 0 ? system[k].conformer : 0;
        place->topology = c->no_relaxation ? NULL : system->topology;
        place->pos = shoal_alloc((size_t)system->mol->n_atoms, sizeof *place->pos);
        if (!place->pos) return SHOAL_E_MEMORY;
    }
    return SHOAL_OK;
}

shoal_status stream_need_conformers(const stream *s, shoal_stream_system *system, stream_note *note,
                                    int32_t n)
{
    const shoal_conformers *c = &s->options->build.conformers;
    if (shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK) return SHOAL_OK;
    if (!stream_computes(s) && !c->for_visit) return SHOAL_OK;
    SHOAL_TRY(molecule_find_geometry(system->mol));
    const shoal_geometry geometry = system->mol->geometry;
    if (geometry == SHOAL_GEOMETRY_GIVEN && c->n == 0) return SHOAL_OK;
    if (geometry == SHOAL_GEOMETRY_FLAT && s->options->typing.keep_flat) return SHOAL_OK;
    stream_embedding *e = shoal_alloc(1, sizeof *e);
    if (!e) return SHOAL_E_MEMORY;
    const shoal_status status = fill(c, system, n, e);
    if (status != SHOAL_OK) {
        stream_embedding_destroy(e);
        return status;
    }
    note->embedding = e;
    note->problem = e->problem;
    return SHOAL_OK;
}

static bool is_stopped(void *user)
{
    const stream *s = user;
    return atomic_load(&s->stop);
}

/* Every thread has the processor for itself; another device is shared. Witnesses get conformers that others see, too. */
static shoal_engine_options engine_of(const stream *s)
{
    shoal_engine_options o = s->engine;
    const char *first = s->processor       ? s->processor->name
                        : s->n_devices > 0 ? s->devices[0].name
                                           : "ref";
    const bool witness = strcmp(first, "ref") == 0 || strncmp(first, "shadow", 6) == 0;
    o.device = witness ? "cpu" : first;
    o.n_threads = 1;
    return o;
}

/* All places of a block in one list, and back: pointers stay where they are. */
static shoal_status run_list(stream_thread *own, const stream_block *b, int32_t n)
{
    embed_place *list = shoal_alloc((size_t)n, sizeof *list);
    if (!list) return SHOAL_E_MEMORY;
    int32_t at = 0;
    for (int32_t i = 0; i < b->n; ++i) {
        const stream_embedding *e = b->notes[i].embedding;
        for (int32_t k = 0; e && k < e->n; ++k) list[at++] = e->places[k];
    }
    const shoal_conformers *c = &own->s->options->build.conformers;
    const shoal_engine_options engine = engine_of(own->s);
    const embed_options o = {.seed = c->seed,
                             .most_tries = c->most_tries,
                             .no_charges = stream_has_qeq(own->s->options),
                             .engine = &engine,
                             .stop = is_stopped,
                             .user = own->s};
    const shoal_status status = embed_run(list, n, &o);
    at = 0;
    for (int32_t i = 0; i < b->n; ++i) {
        const stream_embedding *e = b->notes[i].embedding;
        for (int32_t k = 0; e && k < e->n; ++k) e->places[k] = list[at++];
    }
    free(list);
    return status;
}

shoal_status stream_embed(stream_thread *own, stream_block *b)
{
    stream *s = own->s;
    int64_t n = 0, n_records = 0;
    for (int32_t i = 0; i < b->n; ++i) {
        const stream_embedding *e = b->notes[i].embedding;
        n += e ? e->n : 0;
        n_records += e != NULL && i >= b->n_passed;
    }
    if (n == 0) return SHOAL_OK;
    SHOAL_TRY(run_list(own, b, (int32_t)n));
    (void)pthread_mutex_lock(&s->lock);
    s->progress.n_embedded += n_records;
    (void)pthread_mutex_unlock(&s->lock);
    return SHOAL_OK;
}

static shoal_status reject(const embed_place *place, shoal_stream_system *system)
{
    char reason[256];
    (void)snprintf(reason, sizeof reason, "no conformer was found in %d tries; the last one: %s",
                   place->n_tries, place->reason);
    return stream_reject(system, reason);
}

static void take(const embed_place *place, shoal_molecule *mol)
{
    if (mol->n_atoms > 0) memcpy(mol->pos, place->pos, (size_t)mol->n_atoms * sizeof *mol->pos);
}

/* What a drawing's file says of its dimension is no longer true, and neither are wedges. */
static shoal_status mark_solid(shoal_molecule *mol)
{
    mol->geometry = SHOAL_GEOMETRY_GIVEN;
    mol->bond_stereo.n = mol->parity.n = 0;
    return molecule_set_line(mol, MOLECULE_PROGRAM, (shoal_span){"", 0});
}

shoal_status stream_take_conformer(stream_embedding *from, shoal_stream_system *system)
{
    const embed_place *place = &from->places[0];
    for (int32_t j = 0; j < from->n && !place->found; ++j) place = &from->places[j];
    if (!place->found) return reject(&from->places[0], system);
    take(place, system->mol);
    return mark_solid(system->mol);
}

/* Places come in the order of their numbers. */
static const embed_place *find_place(const stream_embedding *from, int64_t conformer)
{
    int32_t low = 0, high = from->n - 1;
    while (low < high) {
        const int32_t k = low + (high - low) / 2;
        if (from->places[k].conformer < conformer)
            low = k + 1;
        else
            high = k;
    }
    return &from->places[low];
}

shoal_status stream_begin_conformer(const stream_embedding *from, int64_t conformer,
                                    const shoal_stream_options *o,
                                    const shoal_stream_system *record, double (*start)[3])
{
    const embed_place *place = find_place(from, conformer);
    shoal_molecule *mol = record->mol;
    if (!place->found || shoal_topology_status(record->topology) != SHOAL_SYSTEM_OK)
        return SHOAL_OK;
    take(place, mol);
    SHOAL_TRY(stream_place(o, mol));
    if (mol->n_atoms > 0) memcpy(start, mol->pos, (size_t)mol->n_atoms * sizeof *start);
    return SHOAL_OK;
}

/* Whatever else of its record was found: no coordinates, and its own reason. */
shoal_status stream_reject_conformer(const stream_embedding *from, shoal_stream_system *system)
{
    const embed_place *place = find_place(from, system->conformer);
    shoal_molecule *mol = system->mol;
    if (place->found) return SHOAL_OK;
    SHOAL_TRY(mark_solid(mol));
    mol->geometry = SHOAL_GEOMETRY_NONE;
    if (mol->n_atoms > 0) memset(mol->pos, 0, (size_t)mol->n_atoms * sizeof *mol->pos);
    return reject(place, system);
}

shoal_status stream_check_conformers(const shoal_stream_options *o)
{
    const int64_t n = o->build.conformers.n, most = SYSTEMS_MOST / stream_n_variants(o);
    if (n == 0 && !o->build.conformers.choice) return SHOAL_OK;
    if (o->build.conformers.choice &&
        (n == 0 || o->build.variants || !o->build.conformers.choice->choose))
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "stream: a choice among conformers, of which there are none, or "
                          "that have variants; expected conformers alone");
    if (n < 0 || n > most || o->job == SHOAL_JOB_READ)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "stream: %lld conformers, expected 1 to %lld, of molecules that are typed",
            (long long)n, (long long)most);
    if (o->typing.keep_flat)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "stream: conformers of drawings that are to be kept flat");
    if (o->build.movable || o->compute.adsorption)
        return shoal_fail(
            SHOAL_E_UNSUPPORTED,
            "stream: several conformers of a record, but layers that move or energies "
            "of adsorption; expected a file of conformers instead");
    return SHOAL_OK;
}
