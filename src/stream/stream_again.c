/* SPDX-License-Identifier: BSD-3-Clause
 * Rounds of a stream: variants that were computed are computed again from other geometries, and the better result
 * stays. Systems of a round start from what those before it left, whichever thread computes them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "stream/stream.h"

/* What a system is made of, as it was before the round or as it is in it. */
typedef struct attempt {
    int32_t i; /* in the list of the thread */
    shoal_stream_system system;
    shoal_topology *topology;
    stream_engine *engine;
    char *warning;
    size_t warning_size;
    double (*pos)[3];
    shoal_restraint *restraints; /* NULL: there are none */
} attempt;

typedef struct rounds {
    stream_thread *own;
    shoal_stream_system **list; /* [n] systems of whole units */
    stream_note **notes;
    int32_t n, n_threads;
    attempt *attempts; /* [n_attempts] of the present round */
    int32_t n_attempts, capacity;
} rounds;

static void free_attempt(attempt *a)
{
    shoal_topology_destroy(a->topology);
    stream_release_engine(a->engine);
    free(a->warning);
    free(a->pos);
    free(a->restraints);
    *a = (attempt){0};
}

static void *copy_of(const void *from, size_t n, size_t size)
{
    void *to = shoal_alloc(n, size);
    if (to && n > 0) memcpy(to, from, n * size);
    return to;
}

/* Asks whether system i of the list is computed again, and from where. */
static shoal_status ask(rounds *r, int32_t round, int32_t i)
{
    const shoal_stream_options *o = r->own->s->options;
    const shoal_variants *v = o->build.variants;
    const int32_t unit = stream_unit(o), k = i % unit;
    const shoal_stream_system *system = r->list[i];
    const stream_note *note = r->notes[i];
    attempt a = {.i = i};
    bool wanted = false;
    if (shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK) return SHOAL_OK;
    a.pos = copy_of((note - k)->start, (size_t)system->mol->n_atoms, sizeof *a.pos);
    if (note->restraints)
        a.restraints =
            copy_of(note->restraints, (size_t)o->constraints.n_restraints, sizeof *a.restraints);
    shoal_status status = a.pos && (a.restraints || !note->restraints) ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK)
        status = v->again(v->user, system - k, k, round, a.pos, a.restraints, &wanted);
    if (status == SHOAL_E_ARGUMENT || status == SHOAL_E_UNSUPPORTED) {
        wanted = false; /* that start cannot be made; the system has others */
        status = SHOAL_OK;
    }
    if (status == SHOAL_OK && wanted)
        status = SHOAL_RESERVE(&r->attempts, &r->capacity, r->n_attempts + 1);
    if (status == SHOAL_OK && wanted)
        r->attempts[r->n_attempts++] = a;
    else
        free_attempt(&a);
    return status;
}

static void swap_positions(shoal_molecule *mol, double (*pos)[3])
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) {
            const double x = mol->pos[i][k];
            mol->pos[i][k] = pos[i][k];
            pos[i][k] = x;
        }
}

/* What is there changes places with what the attempt holds. */
static void change_places(rounds *r, attempt *a)
{
    shoal_stream_system *system = r->list[a->i];
    stream_note *note = r->notes[a->i];
    const attempt before = *a;
    swap_positions(system->mol, a->pos);
    a->system = *system;
    a->topology = system->topology;
    a->engine = note->engine;
    a->warning = note->warning;
    a->warning_size = note->warning_size;
    a->restraints = note->restraints;
    system->topology = before.topology;
    system->result = before.system.result;
    system->engine = before.system.engine;
    system->i_engine = before.system.i_engine;
    system->round = before.system.round;
    note->engine = before.engine;
    note->warning = before.warning;
    note->warning_size = before.warning_size;
    note->restraints = before.restraints;
}

/* Makes the start of the round the present state; what is known of the molecule stays known. */
static shoal_status enter(rounds *r, attempt *a, int32_t round)
{
    const stream_note *note = r->notes[a->i];
    if (note->warning) {
        if (note->warning_size > 0) a->warning_size = note->warning_size;
        a->warning = shoal_strdup(note->warning);
        if (!a->warning) return SHOAL_E_MEMORY;
    }
    a->system = *r->list[a->i];
    a->system.engine = NULL;
    a->system.round = round;
    a->topology = shoal_topology_retain(r->list[a->i]->topology);
    change_places(r, a);
    return stream_charge_variant(r->own, r->list[a->i], note);
}

static bool has_numbers(const shoal_result *r)
{
    return shoal_system_has_numbers(r->status, r->energy);
}

/* A minimum is better than none, and of two the lower one, if that is worth a change. */
static bool is_better(const shoal_result *found, const shoal_result *before, double gain)
{
    const bool now = found->status == SHOAL_SYSTEM_CONVERGED,
               then = before->status == SHOAL_SYSTEM_CONVERGED;
    if (!has_numbers(found) || !has_numbers(before)) return has_numbers(found);
    if (now != then) return now;
    return found->energy < before->energy - gain;
}

static shoal_status compute(rounds *r)
{
    stream_thread *own = r->own;
    const size_t n = (size_t)r->n_attempts;
    own->list = shoal_alloc(n, sizeof *own->list);
    own->notes = shoal_alloc(n, sizeof *own->notes);
    shoal_status status = own->list && own->notes ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < r->n_attempts && status == SHOAL_OK; ++k) {
        own->list[k] = r->list[r->attempts[k].i];
        own->notes[k] = r->notes[r->attempts[k].i];
    }
    if (status == SHOAL_OK) status = stream_compute_together(own, r->n_attempts, r->n_threads);
    free(own->list);
    free(own->notes);
    own->list = r->list;
    own->notes = r->notes;
    return status;
}

/* Computes what is wanted in a round, and keeps what is better. */
static shoal_status run_round(rounds *r, int32_t round)
{
    const double gain = r->own->s->options->build.variants->gain;
    shoal_status status = SHOAL_OK;
    int32_t n_entered = 0;
    r->n_attempts = 0;
    for (int32_t i = 0; i < r->n && status == SHOAL_OK; ++i) status = ask(r, round, i);
    while (n_entered < r->n_attempts && status == SHOAL_OK) {
        status = enter(r, &r->attempts[n_entered], round);
        ++n_entered;
    }
    if (status == SHOAL_OK && r->n_attempts > 0) status = compute(r);
    for (int32_t k = 0; k < r->n_attempts; ++k) {
        attempt *a = &r->attempts[k];
        const bool better = status == SHOAL_OK && k < n_entered &&
                            is_better(&r->list[a->i]->result, &a->system.result, gain);
        if (k < n_entered && !better) change_places(r, a);
        free_attempt(a);
    }
    return status;
}

static shoal_status run_rounds(rounds *r)
{
    const stream *s = r->own->s;
    const int32_t calm = s->options->build.variants->calm;
    int32_t n_calm = 0;
    for (int32_t round = 1; n_calm < (calm > 1 ? calm : 1); ++round) {
        if (atomic_load(&s->stop)) return SHOAL_OK;
        SHOAL_TRY(run_round(r, round));
        n_calm = r->n_attempts > 0 ? 0 : n_calm + 1;
    }
    return SHOAL_OK;
}

/* All begin where they began, for a device that computes them after one that has failed. */
static shoal_status keep_starts(const rounds *r, attempt *starts)
{
    const size_t n_restraints = (size_t)r->own->s->options->constraints.n_restraints;
    for (int32_t i = 0; i < r->n; ++i) {
        const shoal_molecule *mol = r->list[i]->mol;
        attempt *a = &starts[i];
        r->list[i]->round = 0;
        a->pos = copy_of(mol->pos, (size_t)mol->n_atoms, sizeof *a->pos);
        if (r->notes[i]->restraints)
            a->restraints = copy_of(r->notes[i]->restraints, n_restraints, sizeof *a->restraints);
        if (!a->pos || (!a->restraints && r->notes[i]->restraints)) return SHOAL_E_MEMORY;
    }
    return SHOAL_OK;
}

static void go_back(const rounds *r, const attempt *starts)
{
    const size_t n_restraints = (size_t)r->own->s->options->constraints.n_restraints;
    for (int32_t i = 0; i < r->n && starts[i].pos; ++i) {
        shoal_molecule *mol = r->list[i]->mol;
        if (mol->n_atoms > 0)
            memcpy(mol->pos, starts[i].pos, (size_t)mol->n_atoms * sizeof *mol->pos);
        if (starts[i].restraints)
            memcpy(r->notes[i]->restraints, starts[i].restraints,
                   n_restraints * sizeof *starts[i].restraints);
    }
}

shoal_status stream_compute_again(stream_thread *own, int32_t n, int32_t n_threads)
{
    stream *s = own->s;
    rounds r = {.own = own, .list = own->list, .notes = own->notes, .n = n};
    const int32_t n_users = 1 + atomic_fetch_add(&s->n_again, 1);
    /* Few molecules have many points: their engines take the threads that nobody else needs. */
    r.n_threads = n_threads > s->n_threads / n_users ? n_threads : s->n_threads / n_users;
    attempt *starts = shoal_alloc((size_t)n, sizeof *starts);
    shoal_status status = starts ? keep_starts(&r, starts) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = stream_compute_together(own, n, r.n_threads);
    if (status == SHOAL_OK) status = run_rounds(&r);
    if (status == SHOAL_OK && atomic_load(&s->stop))
        for (int32_t i = 0; i < n; ++i) own->list[i]->unfinished = true;
    if (status == SHOAL_OK) stream_count_computed(own, n);
    if (status != SHOAL_OK && starts) go_back(&r, starts);
    for (int32_t i = 0; i < n && starts; ++i) free_attempt(&starts[i]);
    free(starts);
    free(r.attempts);
    (void)atomic_fetch_sub(&s->n_again, 1);
    return status;
}
