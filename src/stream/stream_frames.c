/* SPDX-License-Identifier: BSD-3-Clause
 * What relaxations and dynamics of a stream tell while they run: progress, and frames of trajectories as texts. */
#include <stdlib.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "stream/stream.h"

void stream_note_progress(stream *s, const shoal_stream_system *large, const shoal_progress *p,
                          int64_t *n_evaluations)
{
    (void)pthread_mutex_lock(&s->lock);
    s->progress.n_evaluations += p->n_evaluations - *n_evaluations;
    if (large) {
        s->progress.large_index = large->index;
        s->progress.large_atoms = large->mol->n_atoms;
        s->progress.large_steps = (int32_t)p->n_evaluations;
        s->progress.large_energy = p->energy;
        s->progress.large_fmax = p->fmax;
    }
    (void)pthread_mutex_unlock(&s->lock);
    *n_evaluations = p->n_evaluations;
}

shoal_status stream_need_steps(const stream *s, stream_note *note)
{
    if (!note->steps)
        note->steps = shoal_alloc((size_t)s->options->output.n_sinks, sizeof *note->steps);
    return note->steps ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* A frame of a trajectory, on the thread that computes it. */
shoal_status stream_collect_frame(void *user, const shoal_relax_frame *frame)
{
    stream_thread *own = user;
    stream *s = own->s;
    shoal_stream_system *system = own->list[frame->i_system];
    stream_note *note = own->notes[frame->i_system];
    SHOAL_TRY(stream_need_steps(s, note));
    for (int32_t k = 0; k < s->options->output.n_sinks && !system->refusal; ++k) {
        const shoal_sink *sink = &s->options->output.sinks[k];
        spool_text *steps = &note->steps[k];
        if (!sink->step) continue;
        const size_t before = shoal_string_size(&steps->tail);
        shoal_status status = sink->step(sink->user, system, frame, &steps->tail);
        if (status == SHOAL_OK)
            status = spool_grow(s->spool, steps, shoal_string_size(&steps->tail) - before);
        if (status == SHOAL_OK) continue;
        if (!stream_is_refusal(status)) return status;
        shoal_string_cut(&steps->tail, before);
        spool_release(s->spool, steps);
        system->refusal = shoal_strdup(shoal_error_text());
        if (!system->refusal) return SHOAL_E_MEMORY;
    }
    return SHOAL_OK;
}

bool stream_wants_steps(const shoal_stream_options *o)
{
    bool wanted = false;
    for (int32_t k = 0; k < o->output.n_sinks; ++k) wanted = wanted || o->output.sinks[k].step;
    return wanted;
}

/* What another device has told of it before it failed. States may name the pieces still. */
void stream_forget_steps(const stream *s, shoal_stream_system *system, stream_note *note)
{
    for (int32_t k = 0; note->steps && k < s->options->output.n_sinks; ++k)
        spool_release(s->spool, &note->steps[k]);
    free(system->refusal);
    system->refusal = NULL;
}

/* --- blocks --------------------------------------------------------------------------------------- */

shoal_status stream_put_steps(const stream *s, stream_block *b, int32_t k, spool_text *steps)
{
    SHOAL_TRY(SHOAL_RESERVE(&b->frames, &b->frames_capacity, b->n_frames + steps->n));
    for (int32_t i = 0; i < steps->n; ++i)
        b->frames[b->n_frames++] =
            (stream_frames){k, shoal_string_size(b->texts[k]), steps->pieces[i]};
    shoal_string_put(b->texts[k], shoal_string_data(&steps->tail), shoal_string_size(&steps->tail));
    spool_release(s->spool, steps);
    return shoal_string_status(b->texts[k]);
}

void stream_drop_frames(const stream *s, stream_block *b, int32_t n)
{
    while (b->n_frames > n) spool_drop(s->spool, &b->frames[--b->n_frames].piece);
}

shoal_status stream_hand_on_text(stream *s, const stream_block *b, int32_t k)
{
    const shoal_sink *sink = &s->options->output.sinks[k];
    const shoal_span all = shoal_string_span(b->texts[k]);
    size_t at = 0;
    if (!sink->write) return SHOAL_OK;
    for (int32_t i = 0; i < b->n_frames; ++i) {
        const stream_frames *f = &b->frames[i];
        if (f->sink != k) continue;
        if (f->at > at) SHOAL_TRY(sink->write(sink->user, all.text + at, f->at - at));
        at = f->at;
        SHOAL_TRY(spool_read(s->spool, &f->piece, &s->piece));
        SHOAL_TRY(sink->write(sink->user, shoal_string_data(&s->piece), (size_t)f->piece.size));
    }
    return all.size > at ? sink->write(sink->user, all.text + at, all.size - at) : SHOAL_OK;
}
