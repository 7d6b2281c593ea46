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

shoal_status stream_need_steps(const stream *s, stream_note *note, int32_t k)
{
    if (!note->steps)
        note->steps = shoal_alloc((size_t)s->options->output.n_sinks, sizeof *note->steps);
    if (!note->steps) return SHOAL_E_MEMORY;
    return note->steps[k] ? SHOAL_OK : shoal_string_create(&note->steps[k]);
}

/* A frame of a trajectory, on the thread that computes it. */
shoal_status stream_collect_frame(void *user, const shoal_relax_frame *frame)
{
    stream_thread *own = user;
    const shoal_stream_options *o = own->s->options;
    shoal_stream_system *system = own->list[frame->i_system];
    stream_note *note = own->notes[frame->i_system];
    for (int32_t k = 0; k < o->output.n_sinks && !system->refusal; ++k) {
        const shoal_sink *sink = &o->output.sinks[k];
        if (!sink->step) continue;
        SHOAL_TRY(stream_need_steps(own->s, note, k));
        shoal_status status = sink->step(sink->user, system, frame, note->steps[k]);
        if (status == SHOAL_OK) status = shoal_string_status(note->steps[k]);
        if (status == SHOAL_OK) continue;
        if (!stream_is_refusal(status)) return status;
        shoal_string_clear(note->steps[k]);
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

/* What another device has told of it before it failed. */
void stream_forget_steps(const shoal_stream_options *o, shoal_stream_system *system,
                         stream_note *note)
{
    for (int32_t k = 0; note->steps && k < o->output.n_sinks; ++k)
        if (note->steps[k]) shoal_string_clear(note->steps[k]);
    free(system->refusal);
    system->refusal = NULL;
}
