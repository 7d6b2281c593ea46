/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations of a stream, and states of large systems from which a later stream goes on. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "engine/modes.h"
#include "stream/stream_peers.h"

/* --- states -------------------------------------------------------------------------------------- */

/* A state is that of the engine behind the texts of the trajectory so far, of every sink. */
static const char magic[8] = "shoalst2";

static void put_size(shoal_string *out, uint64_t n)
{
    shoal_string_put(out, (const char *)&n, sizeof n);
}

static shoal_status pack_state(const stream *s, const stream_note *note, const shoal_engine *engine,
                               shoal_string *out)
{
    const int32_t n = s->options->output.n_sinks;
    shoal_string_put(out, magic, sizeof magic);
    put_size(out, (uint64_t)n);
    for (int32_t k = 0; k < n; ++k) {
        const spool_text *text = note->steps ? &note->steps[k] : NULL;
        if (stream_is_root(s))
            spool_save(text, out);
        else
            SHOAL_TRY(spool_save_whole(s->spool, text, out));
    }
    SHOAL_TRY(shoal_engine_save(engine, out));
    return shoal_string_status(out);
}

/* Takes a number off the front; false if there is none. */
static bool take_size(shoal_span *rest, uint64_t *n)
{
    if (rest->size < sizeof *n) return false;
    memcpy(n, rest->text, sizeof *n);
    *rest = shoal_span_after(*rest, sizeof *n);
    return true;
}

/* The engine's part of the state that the options give; the rest goes back to where it was. */
static shoal_status unpack_state(const stream *s, stream_note *note, shoal_span *engine)
{
    const shoal_stream_options *o = s->options;
    shoal_span rest = {o->resume.state, o->resume.size};
    uint64_t n = 0;
    bool ok = rest.size > sizeof magic && memcmp(rest.text, magic, sizeof magic) == 0;
    rest = shoal_span_after(rest, sizeof magic);
    ok = ok && take_size(&rest, &n) && n == (uint64_t)o->output.n_sinks;
    if (!ok)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "stream: the state of system %lld is none, or of a stream with other sinks",
            (long long)o->resume.index);
    SHOAL_TRY(stream_need_steps(s, note));
    for (int32_t k = 0; k < o->output.n_sinks; ++k)
        SHOAL_TRY(spool_load(s->spool, &rest, &note->steps[k]));
    *engine = rest;
    return SHOAL_OK;
}

/* --- one relaxation ------------------------------------------------------------------------------- */

/* Tells the progress of the stream what an engine has done since it was asked last. */
typedef struct engine_watch {
    stream *s;
    const shoal_engine *engine;
    int64_t n_evaluations;
    const shoal_stream_system *large; /* the only one, and it is large; otherwise NULL */
    const stream_note *note;          /* of that */
    double saved;                     /* when its last state was taken */
    shoal_string state;               /* memory for the next */
} engine_watch;

/* Of several the first is worth most: those behind it begin again when that one is not finished. */
static bool is_worth_it(const stream *s, int64_t index)
{
    return s->state.size == 0 || index <= s->state_index;
}

void stream_take_state(stream *s, int64_t index, shoal_span state)
{
    if (s->state_seconds <= 0) return;
    if (state.size == 0) {
        if (s->state_index == index) stream_drop_state(s, index);
    } else if (is_worth_it(s, index) && shoal_string_set(&s->state, state) == SHOAL_OK) {
        s->state_index = index;
        s->state_is_new = true;
    }
}

/* Takes the state of a large system. That no state can be told is no reason to stop. */
static void save(engine_watch *w)
{
    stream *s = w->s;
    shoal_string_clear(&w->state);
    w->saved = stream_now();
    if (pack_state(s, w->note, w->engine, &w->state) != SHOAL_OK) return;
    (void)pthread_mutex_lock(&s->lock);
    if (is_worth_it(s, w->large->index)) {
        stream_swap_texts(&s->state, &w->state);
        s->state_index = w->large->index;
        s->state_is_new = true;
    }
    (void)pthread_mutex_unlock(&s->lock);
}

void stream_drop_state(stream *s, int64_t index)
{
    if (s->options->job == SHOAL_JOB_MD) {
        stream_md_drop_states(s, index);
        return;
    }
    if (s->state.size == 0 || s->state_index > index) return;
    shoal_string_clear(&s->state);
    s->state_is_new = true;
}

/* A system that is finished needs no state. */
static void drop_own_state(const engine_watch *w)
{
    stream *s = w->s;
    (void)pthread_mutex_lock(&s->lock);
    if (s->state_index == w->large->index) stream_drop_state(s, w->large->index);
    (void)pthread_mutex_unlock(&s->lock);
}

static bool watch_engine(void *user, const shoal_progress *p)
{
    engine_watch *w = user;
    stream *s = w->s;
    stream_note_progress(s, w->large, p, &w->n_evaluations);
    if (atomic_load(&s->stop)) return false;
    if (w->large && s->state_seconds > 0 && stream_now() - w->saved >= s->state_seconds) save(w);
    return true;
}

shoal_status stream_relax(stream_thread *own, int32_t n, shoal_engine *engine)
{
    stream *s = own->s;
    const shoal_stream_options *o = s->options;
    shoal_relax_options options = o->compute.relax ? *o->compute.relax : (shoal_relax_options){0};
    if (o->job == SHOAL_JOB_MODES && !(options.fmax > 0)) options.fmax = MODES_FMAX;
    /* A state does not know its round. */
    const bool large = n == 1 && !stream_is_small(s, own->list[0]) && !stream_has_rounds(o);
    engine_watch w = {.s = s,
                      .engine = engine,
                      .large = large ? own->list[0] : NULL,
                      .note = own->notes[0],
                      .saved = stream_now()};
    if (stream_wants_steps(o)) {
        for (int32_t i = 0; i < n; ++i) stream_forget_steps(s, own->list[i], own->notes[i]);
        options.frame = stream_collect_frame;
        options.frame_user = own;
    }
    if (large && stream_has_state(s, w.large)) {
        shoal_span state = {NULL, 0};
        SHOAL_TRY(unpack_state(s, own->notes[0], &state));
        options.state = state.text;
        options.state_size = state.size;
    }
    shoal_status status = shoal_engine_relax(engine, &options, watch_engine, &w);
    if (status == SHOAL_E_ARGUMENT && options.state && (s->n_devices > 1 || s->peers)) {
        /* The state may be of another kind of device, which has failed since, is there again, or is that of another rank. */
        stream_forget_steps(s, own->list[0], own->notes[0]);
        options.state = NULL;
        status = shoal_engine_relax(engine, &options, watch_engine, &w);
    }
    if (large && status == SHOAL_OK && !atomic_load(&s->stop)) drop_own_state(&w);
    if (large && status == SHOAL_OK && atomic_load(&s->stop) && s->state_seconds > 0) save(&w);
    shoal_string_free(&w.state);
    return status;
}

shoal_status stream_states_open(stream *s)
{
    const shoal_stream_options *o = s->options;
    /* The others tell rank 0. */
    const bool leads = !o->peers || o->peers->rank == 0;
    const bool saves = o->job == SHOAL_JOB_RELAX || (o->job == SHOAL_JOB_MD && leads);
    s->state_seconds = saves ? o->resume.seconds : 0;
    if (o->job == SHOAL_JOB_MD) return stream_md_open_states(s);
    const int64_t i_unit = o->resume.index / stream_unit(o);
    const bool passed_over =
        o->resume.index < o->input.first ||
        (o->input.n_shards > 0 && i_unit % o->input.n_shards != o->input.shard);
    if (s->state_seconds <= 0 || !leads || !o->resume.state || passed_over) return SHOAL_OK;
    /* What was told before holds until there is a newer one. */
    s->state_index = o->resume.index;
    s->state_is_new = true;
    return shoal_string_set(&s->state, (shoal_span){o->resume.state, o->resume.size});
}

void stream_states_close(stream *s)
{
    stream_md_drop_states(s, INT64_MAX);
    shoal_string_free(&s->state);
    shoal_string_free(&s->told_state);
}

void stream_tell_state(stream *s, shoal_stream_progress *p)
{
    if (s->state_is_new && stream_is_root(s)) {
        s->state_is_new = false;
        (void)shoal_string_set(&s->told_state, shoal_string_span(&s->state));
    }
    p->state_index = s->state_index;
    p->state_size = shoal_string_size(&s->told_state);
    p->state = p->state_size > 0 ? shoal_string_data(&s->told_state) : NULL;
}
