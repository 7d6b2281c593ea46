/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics of a stream: masses, keys and temperatures of its systems, and states of all engines that are under
 * way, from which a later stream goes on. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "engine/md.h"
#include "stream/stream.h"

/* --- states ---------------------------------------------------------------------------------------- */

/* What one engine has told: of every system its number in the input and the texts of its trajectory so far, then the
 * state of the engine. The state of a stream is a row of such entries, the newest first. */
typedef struct md_entry {
    struct md_entry *next;
    const void *engine; /* NULL: of an earlier stream */
    int64_t last;       /* system: the entry is of no use when that was handed on */
    shoal_string text;
} md_entry;

typedef struct entry_head {
    char magic[8];
    uint64_t size; /* of what follows */
    int64_t last;
    uint64_t n_systems, n_sinks, engine_size;
} entry_head;

static const char magic[8] = "shoalmd2";

/* With the lock: the text of all entries. */
static void join_states(stream *s)
{
    shoal_string_clear(&s->state);
    for (const md_entry *e = s->md_states; e; e = e->next)
        shoal_string_put(&s->state, e->text.data, e->text.size);
    s->state_is_new = true;
}

static void remove_entry(md_entry **at)
{
    md_entry *e = *at;
    *at = e->next;
    shoal_string_free(&e->text);
    free(e);
}

void stream_md_drop_states(stream *s, int64_t index)
{
    bool dropped = false;
    for (md_entry **at = &s->md_states; *at;) {
        if ((*at)->last > index) {
            at = &(*at)->next;
            continue;
        }
        remove_entry(at);
        dropped = true;
    }
    if (dropped) join_states(s);
}

/* With the lock: the entry of an engine, made if there is none. */
static md_entry *find_entry(stream *s, const void *engine)
{
    for (md_entry *e = s->md_states; e && engine; e = e->next)
        if (e->engine == engine) return e;
    md_entry *e = shoal_alloc(1, sizeof *e);
    if (!e) return NULL;
    e->engine = engine;
    e->next = s->md_states;
    s->md_states = e;
    return e;
}

static shoal_status damaged(void)
{
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "stream: the state is none of dynamics, or of a stream with other sinks");
}

/* Takes the first entry off a state. */
static shoal_status take_entry(const stream *s, shoal_span *state, entry_head *head,
                               shoal_span *body)
{
    if (state->size < sizeof *head) return damaged();
    memcpy(head, state->text, sizeof *head);
    const shoal_span rest = shoal_span_after(*state, sizeof *head);
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->size > rest.size ||
        head->engine_size > head->size || head->n_sinks != (uint64_t)s->options->output.n_sinks)
        return damaged();
    *body = (shoal_span){rest.text, (size_t)head->size};
    *state = shoal_span_after(rest, (size_t)head->size);
    return SHOAL_OK;
}

static bool take_number(shoal_span *rest, int64_t *n)
{
    if (rest->size < sizeof *n) return false;
    memcpy(n, rest->text, sizeof *n);
    *rest = shoal_span_after(*rest, sizeof *n);
    return true;
}

/* Texts of one system of an entry go back to where they were; i < 0: nobody wants them. */
static shoal_status take_texts(stream_thread *own, int32_t i, shoal_span *rest)
{
    if (i >= 0) SHOAL_TRY(stream_need_steps(own->s, own->notes[i]));
    for (int32_t k = 0; k < own->s->options->output.n_sinks; ++k)
        SHOAL_TRY(spool_load(own->s->spool, rest, i >= 0 ? &own->notes[i]->steps[k] : NULL));
    return SHOAL_OK;
}

shoal_status stream_md_open_states(stream *s)
{
    const shoal_stream_options *o = s->options;
    shoal_span state = {o->resume.state, o->resume.state ? o->resume.size : 0};
    if (s->state_seconds <= 0) return SHOAL_OK;
    md_entry **end = &s->md_states;
    while (state.size > 0) {
        entry_head head = {.last = -1};
        shoal_span body = {NULL, 0};
        const char *start = state.text;
        SHOAL_TRY(take_entry(s, &state, &head, &body));
        if (head.last < o->input.first) continue;
        md_entry *e = shoal_alloc(1, sizeof *e);
        if (!e) return SHOAL_E_MEMORY;
        e->last = head.last;
        *end = e;
        end = &e->next;
        SHOAL_TRY(shoal_string_set(&e->text, (shoal_span){start, sizeof head + body.size}));
    }
    join_states(s);
    return SHOAL_OK;
}

/* --- saving ---------------------------------------------------------------------------------------- */

typedef struct md_watch {
    stream_thread *own;
    int32_t n;
    const shoal_engine *engine;
    int64_t n_evaluations;
    double saved;
    shoal_string state, text; /* memory */
} md_watch;

static void put_number(shoal_string *out, int64_t n)
{
    shoal_string_put(out, (const char *)&n, sizeof n);
}

static shoal_status pack(md_watch *w, entry_head *head)
{
    const int32_t n_sinks = w->own->s->options->output.n_sinks;
    shoal_string_clear(&w->state);
    shoal_string_clear(&w->text);
    SHOAL_TRY(shoal_engine_save(w->engine, &w->state));
    *head = (entry_head){
        .n_systems = (uint64_t)w->n, .n_sinks = (uint64_t)n_sinks, .engine_size = w->state.size};
    memcpy(head->magic, magic, sizeof magic);
    shoal_string_put(&w->text, (const char *)head, sizeof *head);
    for (int32_t i = 0; i < w->n; ++i) {
        const shoal_stream_system *system = w->own->list[i];
        if (system->index > head->last) head->last = system->index;
        put_number(&w->text, system->index);
        const spool_text *steps = w->own->notes[i]->steps;
        for (int32_t k = 0; k < n_sinks; ++k) spool_save(steps ? &steps[k] : NULL, &w->text);
    }
    shoal_string_put(&w->text, w->state.data, w->state.size);
    SHOAL_TRY(shoal_string_status(&w->text));
    head->size = w->text.size - sizeof *head;
    memcpy(w->text.data, head, sizeof *head);
    return SHOAL_OK;
}

/* Whether an entry tells nothing of systems that are wanted but what the engine has told, too. */
static bool is_outdated(const md_watch *w, const md_entry *e)
{
    const stream *s = w->own->s;
    shoal_span state = {e->text.data, e->text.size}, rest = {NULL, 0};
    entry_head head = {.last = -1};
    if (take_entry(s, &state, &head, &rest) != SHOAL_OK) return false;
    const char *engine = rest.text + head.size - head.engine_size;
    for (uint64_t k = 0; k < head.n_systems; ++k) {
        int64_t index;
        if (!take_number(&rest, &index) || take_texts(w->own, -1, &rest) != SHOAL_OK) return false;
        if (index >= s->options->input.first &&
            md_state_has(engine, (size_t)head.engine_size, index) &&
            !md_state_has(w->state.data, w->state.size, index))
            return false;
    }
    return true;
}

/* With the lock: a run that is stopped many times would carry trajectories as often. */
static void drop_outdated(const md_watch *w)
{
    for (md_entry **at = &w->own->s->md_states; *at;)
        if (!(*at)->engine && is_outdated(w, *at))
            remove_entry(at);
        else
            at = &(*at)->next;
}

/* That no state can be told is no reason to stop. */
static void save(md_watch *w)
{
    stream *s = w->own->s;
    entry_head head;
    w->saved = stream_now();
    if (pack(w, &head) != SHOAL_OK || head.engine_size == 0) return;
    (void)pthread_mutex_lock(&s->lock);
    md_entry *e = find_entry(s, w->engine);
    if (e) {
        if (e->text.size == 0) drop_outdated(w);
        e->last = head.last;
        stream_swap_texts(&e->text, &w->text);
        join_states(s);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

static bool watch_engine(void *user, const shoal_progress *p)
{
    md_watch *w = user;
    stream *s = w->own->s;
    const shoal_stream_system *first = w->own->list[0];
    const bool large = w->n == 1 && !stream_is_small(s, first);
    stream_note_progress(s, large ? first : NULL, p, &w->n_evaluations);
    if (atomic_load(&s->stop)) return false;
    if (s->state_seconds > 0 && stream_now() - w->saved >= s->state_seconds) save(w);
    return true;
}

/* --- going on -------------------------------------------------------------------------------------- */

/* The place of a system in the list; -1 if it is not there. */
static int32_t find_system(const stream_thread *own, int32_t n, int64_t index)
{
    for (int32_t i = 0; i < n; ++i)
        if (own->list[i]->index == index) return i;
    return -1;
}

/* What an earlier stream told of the systems of the list: texts to their places, states of engines to out. */
static shoal_status unpack(stream_thread *own, int32_t n, shoal_string *out)
{
    const shoal_stream_options *o = own->s->options;
    shoal_span state = {o->resume.state, o->resume.state ? o->resume.size : 0}, rest = {NULL, 0};
    while (state.size > 0) {
        entry_head head = {.last = -1};
        bool wanted = false;
        SHOAL_TRY(take_entry(own->s, &state, &head, &rest));
        const char *engine = rest.text + head.size - head.engine_size;
        for (uint64_t k = 0; k < head.n_systems; ++k) {
            int64_t index = -1;
            if (!take_number(&rest, &index)) return damaged();
            int32_t i = find_system(own, n, index);
            const bool first = !md_state_has(shoal_string_data(out), shoal_string_size(out), index);
            if (!first || !md_state_has(engine, (size_t)head.engine_size, index)) i = -1;
            wanted = wanted || i >= 0;
            SHOAL_TRY(take_texts(own, i, &rest));
        }
        if (wanted) shoal_string_put(out, engine, (size_t)head.engine_size);
    }
    return shoal_string_status(out);
}

/* --- a run ----------------------------------------------------------------------------------------- */

typedef struct md_inputs {
    shoal_md_system *systems; /* [n] */
    double *masses;           /* of all atoms */
    char (*refusals)[BACKEND_REASON_SIZE];
} md_inputs;

static void free_inputs(md_inputs *in)
{
    free(in->systems);
    free(in->masses);
    free(in->refusals);
}

static shoal_status make_inputs(const stream_thread *own, int32_t n, const shoal_md_options *o,
                                md_inputs *in)
{
    size_t n_atoms = 0;
    for (int32_t i = 0; i < n; ++i) n_atoms += (size_t)own->list[i]->mol->n_atoms;
    in->systems = shoal_alloc((size_t)n, sizeof *in->systems);
    in->masses = shoal_alloc(n_atoms, sizeof *in->masses);
    in->refusals = shoal_alloc((size_t)n, sizeof *in->refusals);
    if (!in->systems || !in->masses || !in->refusals) return SHOAL_E_MEMORY;
    double *masses = in->masses;
    for (int32_t i = 0; i < n; ++i) {
        const shoal_stream_system *from = own->list[i];
        shoal_md_system *to = &in->systems[i];
        *to = (shoal_md_system){.key = from->index, .masses = masses};
        masses += from->mol->n_atoms;
        if (o->own_velocities) to->velocities = shoal_molecule_velocities(from->mol);
        if (o->copy_temperatures) {
            to->temperatures = &o->copy_temperatures[from->variant % o->n_copies];
            to->n_temperatures = 1;
        }
        if (shoal_topology_status(from->topology) != SHOAL_SYSTEM_OK) continue;
        shoal_status status =
            shoal_md_masses(from->mol, from->topology, o->hydrogen_mass, (double *)to->masses);
        if (status == SHOAL_OK && o->own_velocities && !to->velocities)
            status = shoal_fail(
                SHOAL_E_ARGUMENT,
                "the file gives no momenta or velocities of its atoms, but they were requested");
        if (status == SHOAL_OK) continue;
        if (!stream_is_refusal(status)) return status;
        to->refusal = in->refusals[i];
        (void)strncpy(in->refusals[i], shoal_error_text(), sizeof in->refusals[i] - 1);
    }
    return SHOAL_OK;
}

static shoal_status run(md_watch *w, shoal_engine *engine, const shoal_md_options *options,
                        bool resumes)
{
    stream_thread *own = w->own;
    const stream *s = own->s;
    shoal_md_options o = *options;
    shoal_string state = {0};
    for (int32_t i = 0; i < w->n; ++i) stream_forget_steps(s, own->list[i], own->notes[i]);
    if (stream_wants_steps(s->options)) {
        o.frame = stream_collect_frame;
        o.frame_user = own;
    }
    shoal_status status = resumes ? unpack(own, w->n, &state) : SHOAL_OK;
    o.state = shoal_string_data(&state);
    o.state_size = shoal_string_size(&state);
    if (status == SHOAL_OK) status = shoal_engine_md(engine, &o, watch_engine, w);
    shoal_string_free(&state);
    return status;
}

shoal_status stream_md(stream_thread *own, int32_t n, shoal_engine *engine)
{
    stream *s = own->s;
    shoal_md_options o = s->options->compute.md ? *s->options->compute.md : (shoal_md_options){0};
    md_watch w = {.own = own, .n = n, .engine = engine, .saved = stream_now()};
    md_inputs in = {0};
    shoal_status status = make_inputs(own, n, &o, &in);
    o.systems = in.systems;
    if (status == SHOAL_OK) status = run(&w, engine, &o, s->options->resume.state);
    /* The state may be of another kind of device, which has failed since or is there again. */
    if (status == SHOAL_E_ARGUMENT && s->options->resume.state && s->n_devices > 1)
        status = run(&w, engine, &o, false);
    if (status == SHOAL_OK && atomic_load(&s->stop) && s->state_seconds > 0) save(&w);
    shoal_string_free(&w.state);
    shoal_string_free(&w.text);
    free_inputs(&in);
    return status;
}
