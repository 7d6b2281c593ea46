/* SPDX-License-Identifier: BSD-3-Clause
 * Systems of a stream, computed together by one engine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "chem/molecule.h"
#include "shoal/md.h"
#include "stream/stream.h"

/* Systems of more atoms are computed apart from the others: an evaluation takes a millisecond and more, and
 * threads inside one are worth their while. */
#define LARGE_ATOMS 1000

bool stream_has_state(const stream *s, const shoal_stream_system *system)
{
    return s->options->resume.state && s->options->job == SHOAL_JOB_RELAX &&
           system->index == s->options->resume.index;
}

bool stream_goes_on(const stream *s, const shoal_stream_system *system)
{
    const shoal_stream_options *o = s->options;
    const int32_t unit = stream_unit(o);
    return o->resume.state && o->job == SHOAL_JOB_RELAX &&
           system->index / unit == o->resume.index / unit;
}

bool stream_is_small(const stream *s, const shoal_stream_system *system)
{
    return system->topology && system->mol->n_atoms <= LARGE_ATOMS && !stream_goes_on(s, system);
}

shoal_status stream_list_add(stream_thread *own, int32_t n, stream_block *b, int32_t i)
{
    if (n >= own->list_capacity) {
        const int32_t capacity = n < 256 ? 512 : 2 * n;
        void *list = realloc(own->list, (size_t)capacity * sizeof *own->list);
        if (list) own->list = list;
        void *notes = realloc(own->notes, (size_t)capacity * sizeof *own->notes);
        if (notes) own->notes = notes;
        if (!list || !notes)
            return shoal_fail(SHOAL_E_MEMORY, "out of memory: a list of %d systems", capacity);
        own->list_capacity = capacity;
    }
    own->list[n] = &b->systems[i];
    own->notes[n] = &b->notes[i];
    return SHOAL_OK;
}

/* --- a batch ------------------------------------------------------------------------------------- */

/* Springs from the atoms of movable layers, which are the last ones, to where they lie in the crystal. */
static void hold_layers(const shoal_stream_options *o, int32_t n, int32_t first,
                        shoal_restraint *out)
{
    shoal_surface_view v;
    shoal_surface_get(o->build.movable, &v);
    for (int32_t k = 0; k < n; ++k) {
        out[k] = (shoal_restraint){
            .kind = SHOAL_RESTRAINT_POSITION, .atoms = {first + k}, .k = o->build.movable_spring};
        memcpy(out[k].target, v.pos[k], sizeof out[k].target);
    }
}

static shoal_status hold_fixed(stream_thread *own, const shoal_molecule *mol,
                               const stream_note *note, shoal_system *system)
{
    const shoal_stream_options *o = own->s->options;
    const bool given = note->record && note->record->fixed;
    if (o->constraints.n_fixed + o->constraints.n_fix == 0 && !given) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&own->fixed, &own->fixed_capacity, mol->n_atoms));
    memset(own->fixed, 0, (size_t)mol->n_atoms * sizeof *own->fixed);
    for (int32_t k = 0; k < o->constraints.n_fixed; ++k) own->fixed[o->constraints.fixed[k]] = true;
    for (int32_t k = 0; k < o->constraints.n_fix; ++k)
        SHOAL_TRY(shoal_selection_apply(o->constraints.fix[k], mol, own->fixed));
    if (given) stream_record_fix(note->record, own->fixed);
    system->fixed = own->fixed;
    return SHOAL_OK;
}

/* Whether atoms that are held in place are somewhere. */
static bool have_places(const shoal_restraint *restraints, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        const double *at = restraints[k].target;
        if (restraint_is_place(restraints[k].kind) &&
            !(isfinite(at[0]) && isfinite(at[1]) && isfinite(at[2])))
            return false;
    }
    return true;
}

/* The constraints of one system, which has all their atoms. One with an atom that cannot be held where it starts has
 * none: the engine says what is wrong with it. */
static shoal_status hold(stream_thread *own, const shoal_molecule *mol, const stream_note *note,
                         shoal_system *system)
{
    const shoal_stream_options *o = own->s->options;
    SHOAL_TRY(hold_fixed(own, mol, note, system));
    SHOAL_TRY(
        stream_hold_bodies(own, mol, mol->n_atoms - stream_count_movable(o), note->record, system));
    const int32_t n_springs = o->build.movable_spring > 0 ? stream_count_movable(o) : 0;
    const int32_t n_given = note->record ? note->record->n_restraints : 0;
    const int32_t n = o->constraints.n_restraints + n_given + n_springs;
    if (n == 0) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&own->restraints, &own->restraint_capacity, n));
    for (int32_t k = 0; k < o->constraints.n_restraints; ++k) {
        shoal_restraint *r = &own->restraints[k];
        *r = note->restraints ? note->restraints[k] : o->constraints.restraints[k];
        if (restraint_is_place(r->kind) && !note->restraints)
            restraint_place(r, (const double(*)[3])mol->pos, r->target);
    }
    if (n_given > 0)
        stream_record_hold(note->record, mol, own->restraints + o->constraints.n_restraints);
    hold_layers(o, n_springs, mol->n_atoms - n_springs, own->restraints + n - n_springs);
    if (!have_places(own->restraints, n)) return SHOAL_OK;
    system->restraints = own->restraints;
    system->n_restraints = n;
    return SHOAL_OK;
}

static shoal_status add(stream_thread *own, shoal_batch *batch, const shoal_stream_system *from,
                        const stream_note *note)
{
    const shoal_molecule *mol = from->mol;
    shoal_system system = {.topology = from->topology,
                           .pos = (const double(*)[3])mol->pos,
                           .cell = shoal_molecule_is_periodic(mol) ? (const double(*)[3])mol->cell
                                                                   : NULL};
    if (shoal_topology_status(from->topology) == SHOAL_SYSTEM_OK)
        SHOAL_TRY(hold(own, mol, note, &system));
    return shoal_batch_add(batch, &system);
}

static shoal_status make_engine(stream_thread *own, int32_t n, int32_t n_threads,
                                shoal_engine **out)
{
    shoal_engine_options options = own->s->engine;
    shoal_batch *batch = NULL;
    options.n_threads = n_threads;
    options.device = own->device->name;
    shoal_status status = shoal_batch_create(&batch);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i)
        status = add(own, batch, own->list[i], own->notes[i]);
    if (status == SHOAL_OK) status = shoal_engine_create(out, batch, &options);
    shoal_batch_destroy(batch);
    return status;
}

/* --- a run --------------------------------------------------------------------------------------- */

/* What is known of the molecule, and what the engine says of its geometry. */
static shoal_status join_warnings(stream_note *note, shoal_stream_system *system)
{
    const char *more = system->result.warning;
    if (!note->warning) return SHOAL_OK;
    if (note->warning_size > 0) note->warning[note->warning_size] = '\0'; /* it is computed again */
    note->warning_size = strlen(note->warning);
    if (*more) {
        const size_t size = strlen(note->warning) + strlen(more) + 3;
        char *both = shoal_alloc(size, 1);
        if (!both) return SHOAL_E_MEMORY;
        (void)snprintf(both, size, "%s; %s", note->warning, more);
        free(note->warning);
        note->warning = both;
    }
    system->result.warning = note->warning;
    return SHOAL_OK;
}

/* A conformer that left its configuration, or got entangled, on its way. */
static shoal_status note_change(stream_note *note, shoal_stream_system *system,
                                const shoal_engine *engine, int32_t i)
{
    char reason[160] = "", text[200];
    if (!shoal_system_has_numbers(system->result.status, system->result.energy)) return SHOAL_OK;
    const char *wrong = embed_check_graph(note->problem, shoal_engine_positions(engine, i), reason);
    if (!wrong || note->changed) return SHOAL_OK;
    (void)snprintf(text, sizeof text, "no longer the molecule that was meant: %s", wrong);
    free(note->warning);
    note->warning = shoal_strdup(text);
    note->warning_size = 0;
    note->changed = true;
    return note->warning ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* True unless it is certain that a relaxation would have ended like that: one that has stalled in float would
 * have gone on in double, and one that lies below the surface might have come up. */
static bool was_stopped(const stream *s, const shoal_result *r)
{
    if (s->options->job == SHOAL_JOB_MD) return r->status == SHOAL_SYSTEM_MAX_STEPS;
    return r->steps < s->max_steps && r->status != SHOAL_SYSTEM_CONVERGED &&
           r->status != SHOAL_SYSTEM_UNTYPED;
}

/* A cell that was relaxed; vectors that do not repeat stay. */
static void take_cell(shoal_stream_system *system)
{
    const double(*from)[3] = shoal_engine_cell(system->engine, system->i_engine);
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(system->mol, cell, pbc);
    for (int k = 0; k < 3; ++k)
        if (pbc[k]) memcpy(cell[k], from[k], sizeof cell[k]);
    (void)shoal_molecule_set_cell(system->mol, (const double(*)[3])cell, pbc);
}

/* The molecule gets the geometry that has numbers. */
static void take_positions(const stream *s, shoal_stream_system *system)
{
    const shoal_result *r = &system->result;
    const bool moved = stream_relaxes(s) || system->md;
    const bool numbers = system->md || shoal_system_has_numbers(r->status, r->energy);
    if (!moved || !numbers || system->mol->n_atoms == 0) return;
    memcpy(system->mol->pos, shoal_engine_positions(system->engine, system->i_engine),
           (size_t)system->mol->n_atoms * sizeof *system->mol->pos);
    if (isfinite(r->pressure)) take_cell(system);
}

void stream_count_computed(stream_thread *own, int32_t n)
{
    stream *s = own->s;
    const bool relaxes = stream_relaxes(s) || s->options->job == SHOAL_JOB_MD;
    int64_t n_failed = 0;
    for (int32_t i = 0; i < n; ++i) {
        const shoal_stream_system *system = own->list[i];
        n_failed += !system->unfinished && system->result.status != SHOAL_SYSTEM_OK &&
                    system->result.status != SHOAL_SYSTEM_CONVERGED &&
                    system->index >= s->options->input.first;
    }
    (void)pthread_mutex_lock(&s->lock);
    s->progress.n_computed += n;
    s->progress.n_failed += n_failed;
    s->progress.n_evaluations += relaxes ? 0 : n;
    (void)pthread_mutex_unlock(&s->lock);
}

static shoal_status take_results(stream_thread *own, int32_t n, stream_engine *e)
{
    stream *s = own->s;
    const bool dynamics = s->options->job == SHOAL_JOB_MD;
    const bool relaxes = stream_relaxes(s) || dynamics;
    for (int32_t i = 0; i < n; ++i) {
        shoal_stream_system *system = own->list[i];
        const shoal_result *r = &system->result;
        SHOAL_TRY(shoal_engine_result(e->engine, i, &system->result));
        if (own->notes[i]->problem) SHOAL_TRY(note_change(own->notes[i], system, e->engine, i));
        SHOAL_TRY(join_warnings(own->notes[i], system));
        system->engine = e->engine;
        system->i_engine = i;
        system->device = own->device->name;
        if (dynamics) system->md = shoal_engine_md_result(e->engine, i);
        system->unfinished = relaxes && atomic_load(&s->stop) && was_stopped(s, r);
        take_positions(s, system);
    }
    return SHOAL_OK;
}

static shoal_status compute(stream_thread *own, int32_t n, int32_t n_threads)
{
    const bool in_series = stream_series(own->s->options) > 1;
    SHOAL_TRY(stream_isolate(own, n, n_threads));
    if (own->s->options->compute.adsorption && atomic_load(&own->s->stop)) {
        for (int32_t i = 0; i < n; ++i) own->list[i]->unfinished = true;
        return SHOAL_OK;
    }
    if (stream_has_rounds(own->s->options) && n > 0) return stream_compute_again(own, n, n_threads);
    return in_series ? stream_compute_series(own, n, n_threads)
                     : stream_compute_together(own, n, n_threads);
}

/* Each by itself, or what has to stay together: one may have been too much for the device, or it for a moment. The
 * first that fails again is enough. */
static shoal_status compute_each(stream_thread *own, int32_t n, int32_t n_threads)
{
    const int32_t unit = stream_unit(own->s->options);
    shoal_stream_system **const list = own->list;
    stream_note **const notes = own->notes;
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < n && status == SHOAL_OK; i += unit) {
        own->list = list + i;
        own->notes = notes + i;
        status = compute(own, n - i < unit ? n - i : unit, n_threads);
    }
    own->list = list;
    own->notes = notes;
    return status;
}

shoal_status stream_compute(stream_thread *own, int32_t n, int32_t n_threads)
{
    const shoal_status status = compute(own, n, n_threads);
    return status == SHOAL_E_DEVICE ? compute_each(own, n, n_threads) : status;
}

shoal_status stream_compute_together(stream_thread *own, int32_t n, int32_t n_threads)
{
    if (n == 0) return SHOAL_OK;
    SHOAL_TRY(stream_compute_once(own, n, n_threads));
    SHOAL_TRY(stream_settle_charges(own, n, n_threads));
    if (own->s->options->job == SHOAL_JOB_MODES) SHOAL_TRY(stream_modes(own, n, n_threads));
    if (!stream_has_rounds(own->s->options)) stream_count_computed(own, n);
    return SHOAL_OK;
}

shoal_status stream_compute_once(stream_thread *own, int32_t n, int32_t n_threads)
{
    stream_engine *e = shoal_alloc(1, sizeof *e);
    if (!e) return SHOAL_E_MEMORY;
    double began = stream_now();
    shoal_status status = make_engine(own, n, n_threads, &e->engine);
    stream_clock(own, SHOAL_STAGE_PACK, &began);
    if (status == SHOAL_OK)
        status = stream_relaxes(own->s)                 ? stream_relax(own, n, e->engine)
                 : own->s->options->job == SHOAL_JOB_MD ? stream_md(own, n, e->engine)
                                                        : shoal_engine_eval(e->engine);
    stream_clock(own, SHOAL_STAGE_COMPUTE, &began);
    if (status == SHOAL_OK) status = take_results(own, n, e);
    if (status != SHOAL_OK) {
        shoal_engine_destroy(e->engine);
        free(e);
        return status;
    }
    atomic_store(&e->n_users, n);
    for (int32_t i = 0; i < n; ++i) {
        stream_release_engine(own->notes[i]->engine); /* of a device that failed further on */
        own->notes[i]->engine = e;
    }
    return SHOAL_OK;
}
