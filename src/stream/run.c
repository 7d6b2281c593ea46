/* SPDX-License-Identifier: BSD-3-Clause
 * A run: a stream with outputs, checkpoints and a log. */
#include "stream/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "stream/stream.h"

#define CHECKPOINT_SECONDS 60
#define FRAMES_BYTES ((int64_t)32 << 20) /* of trajectories that wait in memory */

/* --- what it says --------------------------------------------------------------------------------- */

void run_tell(const run *r, shoal_run_event event, const char *format, ...)
{
    char text[1200];
    va_list args;
    if (!r->options->tell || !r->leads) return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    r->options->tell(r->options->user, event, text);
}

shoal_status run_fail(run *r, shoal_status status)
{
    if (r->status != SHOAL_OK) return r->status;
    (void)snprintf(r->why, sizeof r->why, "%s", shoal_error_text());
    r->status = status;
    run_tell(r, SHOAL_RUN_FAILED, "%s", r->why);
    return status;
}

double run_seconds(const run *r)
{
    return stream_now() - r->began;
}

/* --- what has come -------------------------------------------------------------------------------- */

static void count(run *r, const shoal_stream_system *s)
{
    const char *const *files = r->options->stream->input.files;
    shoal_run_counts *c = &r->at.counts;
    const shoal_system_status status = s->result.status;
    const bool fine = status == SHOAL_SYSTEM_OK || status == SHOAL_SYSTEM_CONVERGED;
    ++c->done;
    c->failed += !fine;
    c->unreadable += status == SHOAL_SYSTEM_UNREADABLE;
    c->warned += s->result.warning[0] != '\0';
    c->no_hydrogens += strstr(s->result.warning, "valences lack") != NULL;
    c->refused += s->refusal != NULL;
    ++c->charges[s->charges_from];
    if (fine || (r->options->log_first && s->variant > 0)) return;
    run_log_system(r->log, s, files ? files[s->i_file] : "");
}

static shoal_status visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    run *r = user;
    const shoal_stream_options *s = r->options->stream;
    for (int32_t i = 0; i < n; ++i)
        if (!systems[i].unfinished) count(r, &systems[i]);
    r->at.next = systems[n - 1].index + 1;
    const shoal_status status =
        s->output.visit ? s->output.visit(s->output.user, systems, n) : SHOAL_OK;
    if (status != SHOAL_OK) r->broken = true;
    return status;
}

/* --- checkpoints ---------------------------------------------------------------------------------- */

void run_note_hashes(run *r)
{
    for (int64_t k = 0; k < r->at.n_inputs; ++k) r->at.inputs[k].hash = r->hashes.hashes[k];
}

/* Writes one of what was handed on. */
static shoal_status write_checkpoint(run *r)
{
    const double seconds = r->at.counts.seconds;
    for (int32_t k = 0; k < r->options->n_outputs; ++k)
        if (run_file_is_open(&r->files[k]))
            SHOAL_TRY(run_file_sync(&r->files[k], &r->at.outputs[k]));
    SHOAL_TRY(spool_sync(r->spool, &r->at.frames));
    run_note_rows(r);
    r->at.counts.seconds = seconds + run_seconds(r);
    const shoal_status status = checkpoint_save(&r->at, r->path);
    r->at.counts.seconds = seconds;
    if (status != SHOAL_OK) return status;
    spool_mark(r->spool);
    run_log_checkpoint(r->log, r->path, r->at.next);
    r->has_saved = true;
    return SHOAL_OK;
}

/* The same with the hashes of the inputs, without which there is none of a run that has done something; wait: for
 * them. */
static shoal_status save(run *r, bool wait)
{
    if (!run_hashes_done(&r->hashes, wait)) return SHOAL_OK;
    run_note_hashes(r);
    for (int64_t k = 0; k < r->at.n_inputs; ++k)
        if (!r->at.inputs[k].hash)
            return shoal_fail(SHOAL_E_IO, "%s: cannot be read; there is no checkpoint",
                              r->at.inputs[k].path);
    return write_checkpoint(r);
}

/* On the way, with the present state of a large system, which is borrowed. The checkpoint before it still holds where
 * this one fails. */
static void save_on_the_way(run *r, const shoal_stream_progress *p)
{
    char *const before = r->at.state;
    const int64_t evaluations = r->at.counts.evaluations;
    if (!run_hashes_done(&r->hashes, false)) return; /* soon */
    r->at.counts.evaluations += p->n_evaluations;
    r->at.state = (char *)(uintptr_t)p->state;
    r->at.state_size = p->state_size;
    r->at.state_index = p->state_index;
    if (save(r, false) != SHOAL_OK) run_tell(r, SHOAL_RUN_WARNING, "%s", shoal_error_text());
    r->at.state = before;
    r->at.counts.evaluations = evaluations;
    r->saved = run_seconds(r);
}

/* For the checkpoint at the end; without it the system begins anew. */
static void keep_state(run *r, const shoal_stream_progress *p)
{
    free(r->at.state);
    r->at.state = p->state ? shoal_alloc_dirty(p->state_size, 1) : NULL;
    if (!r->at.state) return;
    memcpy(r->at.state, p->state, p->state_size);
    r->at.state_size = p->state_size;
    r->at.state_index = p->state_index;
}

static double seconds_between(const run *r)
{
    return r->options->seconds > 0 ? r->options->seconds : CHECKPOINT_SECONDS;
}

static bool watch(void *user, const shoal_stream_progress *p)
{
    run *r = user;
    shoal_run_result *out = r->result;
    const shoal_stream_options *s = r->options->stream;
    const double now = run_seconds(r);
    out->evaluations = p->n_evaluations;
    if (p->n_devices_lost > r->n_devices_lost) {
        r->n_devices_lost = p->n_devices_lost;
        run_tell(r, SHOAL_RUN_WARNING, "a device has failed, the others go on: %s",
                 p->device_error);
        run_log_note(r->log, "device_lost", p->device_error);
    }
    const bool go_on = !s->output.monitor || s->output.monitor(s->output.user, p);
    out->late = out->late || (r->options->max_seconds > 0 && now > r->options->max_seconds);
    out->stopped = out->stopped || out->late || !go_on;
    if (out->stopped)
        keep_state(r, p);
    else if (r->path && now - r->saved >= seconds_between(r))
        save_on_the_way(r, p);
    return !out->stopped;
}

/* --- the end -------------------------------------------------------------------------------------- */

static bool is_fine(const run *r)
{
    return r->status == SHOAL_OK && !r->result->stopped;
}

/* A checkpoint of what was handed on. Where an output failed, what it holds is not known: the one before it stays. */
static void end_with_checkpoint(run *r)
{
    const shoal_run_options *o = r->options;
    if (!r->path || r->broken) return;
    if (is_fine(r)) {
        /* Outputs take their names one by one; who is killed meanwhile only has to finish that. */
        r->at.complete = true;
        if (!r->has_saved && !o->conclude && !o->keep_checkpoint) return;
        const shoal_status status = save(r, true);
        if (status != SHOAL_OK) (void)run_fail(r, status == SHOAL_E_MEMORY ? status : SHOAL_E_IO);
        return;
    }
    /* Where nothing was done, there is nothing to go on with. */
    if (!r->result->stopped && r->at.counts.done == 0 && !r->has_saved) return;
    if (save(r, true) != SHOAL_OK)
        run_tell(r, SHOAL_RUN_WARNING, "%s", shoal_error_text());
    else
        r->result->saved = r->status == SHOAL_OK;
}

/* Whoever stops a run needs no warning of it. */
static void say_what_is_kept(const run *r, const char *names)
{
    const shoal_run_event event = r->status == SHOAL_OK ? SHOAL_RUN_NOTE : SHOAL_RUN_WARNING;
    const int64_t n = r->at.counts.done;
    if (r->broken)
        run_tell(r, event, "what could be written is kept in %s", names);
    else
        run_tell(r, event, "the %lld system%s before it %s kept in %s", (long long)n,
                 n == 1 ? "" : "s", n == 1 ? "is" : "are", names);
}

/* What one output could not do, others could not do either, for the same reason behind the last colon. */
static bool is_told(const run *r, const char *why)
{
    const char *mine = strrchr(why, ':'), *first = strrchr(r->why, ':');
    return r->status != SHOAL_OK && mine && first && strcmp(mine, first) == 0;
}

/* An output takes its name, or stays as it is: then its name is added to kept. */
static void close_output(run *r, run_file *f, bool keep, shoal_string *kept)
{
    const bool complete = is_fine(r);
    char name[4096];
    (void)snprintf(name, sizeof name, "%s", f->part && run_file_is_open(f) ? f->part : "");
    const shoal_status status = run_file_close(f, complete, keep);
    if (status != SHOAL_OK && complete) {
        r->broken = true;
        (void)run_fail(r, SHOAL_E_IO);
    } else if (status != SHOAL_OK && !is_told(r, shoal_error_text())) {
        run_tell(r, SHOAL_RUN_WARNING, "%s", shoal_error_text());
    }
    if (is_fine(r) || !*name || access(name, F_OK) != 0) return;
    if (shoal_string_size(kept) > 0) shoal_string_put_text(kept, ", ");
    shoal_string_put_text(kept, name);
}

/* Outputs take their names, or are kept as they are. */
static void close_outputs(run *r)
{
    const bool keep = r->at.counts.done > 0 || r->result->saved || r->has_saved;
    shoal_string kept = {0};
    for (int32_t k = 0; k < r->options->n_outputs; ++k) close_output(r, &r->files[k], keep, &kept);
    if (shoal_string_size(&kept) > 0) say_what_is_kept(r, shoal_string_data(&kept));
    shoal_string_free(&kept);
}

static void conclude(run *r)
{
    const shoal_run_options *o = r->options;
    if (!is_fine(r) || !o->conclude) return;
    r->result->counts = r->at.counts;
    r->result->seconds = run_seconds(r);
    const shoal_status status = o->conclude(o->user, r->result);
    if (status != SHOAL_OK) (void)run_fail(r, status);
}

/* What the log says at its end. */
static int32_t code_of(const run *r)
{
    const shoal_run_options *o = r->options;
    return o->code ? o->code(o->user, r->result, r->status) : -(int32_t)r->status;
}

static void end_log(run *r)
{
    /* A run that was told to stop does not read its inputs to the end for this. */
    if (!is_fine(r)) atomic_store(&r->hashes.stop, true);
    if (r->log) (void)run_hashes_done(&r->hashes, true);
    const shoal_status status = run_log_close(r->log, r, code_of(r));
    r->log = NULL;
    if (status != SHOAL_OK) (void)run_fail(r, status);
}

/* What is on its way to the disk gets there, or the run has failed. */
static void settle_outputs(run *r)
{
    for (int32_t k = 0; k < r->options->n_outputs; ++k) {
        const shoal_status status = run_file_wait(&r->files[k]);
        if (status == SHOAL_OK) continue;
        r->broken = true;
        (void)run_fail(r, status);
    }
}

static void finish(run *r, shoal_status status)
{
    shoal_run_result *out = r->result;
    if (status != SHOAL_OK) (void)run_fail(r, status);
    settle_outputs(r);
    out->stopped = out->stopped && status == SHOAL_OK && r->leads;
    r->at.counts.evaluations += out->evaluations;
    if (r->leads) {
        end_with_checkpoint(r);
        if (out->stopped) run_tell(r, SHOAL_RUN_STOPPED, "%s", out->saved ? r->path : "");
        conclude(r);
        close_outputs(r);
        if (is_fine(r) && r->path && !r->options->keep_checkpoint) checkpoint_remove(r->path);
    }
    out->seconds = run_seconds(r);
    r->at.counts.seconds += out->seconds;
    out->counts = r->at.counts;
    end_log(r);
}

/* --- the run -------------------------------------------------------------------------------------- */

/* Sinks of the caller: where one fails, outputs behind it do not get the block that was counted as done, and no
 * checkpoint may say that they have. */
static shoal_status pass_format(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run_pass *p = user;
    return p->to->format(p->to->user, system, out);
}

static shoal_status pass_step(void *user, const shoal_stream_system *system,
                              const shoal_relax_frame *frame, shoal_string *out)
{
    const run_pass *p = user;
    return p->to->step(p->to->user, system, frame, out);
}

static shoal_status pass_write(void *user, const char *text, size_t size)
{
    const run_pass *p = user;
    const shoal_status status = p->to->write(p->to->user, text, size);
    if (status != SHOAL_OK) p->run->broken = true;
    return status;
}

static shoal_sink make_pass(run *r, int32_t k)
{
    const shoal_sink *to = &r->options->stream->output.sinks[k];
    r->passes[k] = (run_pass){r, to};
    return (shoal_sink){.format = to->format ? pass_format : NULL,
                        .write = to->write ? pass_write : NULL,
                        .step = to->step ? pass_step : NULL,
                        .user = &r->passes[k]};
}

/* What the options say, where to begin, and where it goes. */
static void fill_stream(run *r)
{
    const shoal_run_options *o = r->options;
    shoal_stream_options *to = &r->stream;
    *to = *o->stream;
    to->input.first = r->at.next > to->input.first ? r->at.next : to->input.first;
    r->given_state = r->at.state; /* it is told again until there is a newer one */
    r->at.state = NULL;
    if (r->given_state) {
        to->resume.state = r->given_state;
        to->resume.size = r->at.state_size;
        to->resume.index = r->at.state_index;
    }
    if (r->path || !r->leads) to->resume.seconds = seconds_between(r);
    to->output.visit = visit;
    to->output.monitor = watch;
    to->output.user = r;
    for (int32_t k = 0; k < o->stream->output.n_sinks; ++k) r->sinks[k] = make_pass(r, k);
    for (int32_t k = 0; k < o->n_outputs; ++k)
        r->sinks[o->stream->output.n_sinks + k] = run_make_sink(&r->of[k]);
    to->output.sinks = r->sinks;
    to->output.n_sinks = o->stream->output.n_sinks + o->n_outputs;
}

/* The others wait for something to do, and are told that there is nothing. */
static void dismiss_peers(run *r)
{
    const shoal_peers *peers = r->options->stream->peers;
    if (!r->leads || !peers || peers->size < 2 || !r->sinks) return;
    fill_stream(r);
    r->stream.input.n_files = 0;
    (void)shoal_stream_run(&r->stream);
}

/* Frames of trajectories wait in a file beside the checkpoint, which names them. */
static shoal_status open_spool(run *r)
{
    const int64_t memory = r->stream.compute.memory_bytes;
    char *path = NULL;
    if (!stream_wants_steps(&r->stream)) return SHOAL_OK;
    if (r->path && r->leads) {
        const size_t n = strlen(r->path) + sizeof ".frames";
        path = shoal_alloc(n, 1);
        if (!path) return SHOAL_E_MEMORY;
        (void)snprintf(path, n, "%s.frames", r->path);
    }
    const shoal_status status = spool_create(&r->spool, path, r->result->resumed ? r->at.frames : 0,
                                             memory > 0 ? memory / 8 : FRAMES_BYTES);
    free(path);
    return status;
}

static void run_on(run *r)
{
    fill_stream(r);
    const shoal_status status = open_spool(r);
    if (status != SHOAL_OK) {
        (void)run_fail(r, status);
        dismiss_peers(r);
        return;
    }
    r->result->began = true;
    r->began = stream_now();
    /* Rows that go to a file are known from the first on; what the inputs are does not matter yet. */
    run_note_rows(r);
    if (r->path && r->leads && !r->result->resumed && r->at.rows_size >= 0 &&
        write_checkpoint(r) != SHOAL_OK)
        run_tell(r, SHOAL_RUN_WARNING, "%s", shoal_error_text());
    if (r->at.complete) r->stream.input.n_files = 0; /* only the outputs wait for their names */
    if (r->at.complete) r->stream.input.n_records = 0;
    finish(r, stream_run(&r->stream, r->spool));
}

static void free_run(run *r)
{
    const bool keep = r->result->began || r->result->resumed;
    spool_destroy(r->spool, r->path && !is_fine(r) && (r->has_saved || r->result->resumed));
    for (int32_t k = 0; r->files && k < r->options->n_outputs; ++k)
        (void)run_file_close(&r->files[k], false, keep);
    if (r->log) {
        atomic_store(&r->hashes.stop, true);
        (void)run_hashes_done(&r->hashes, true);
        (void)run_log_close(r->log, r, code_of(r));
    }
    run_hashes_end(&r->hashes);
    checkpoint_free(&r->at);
    free(r->read);
    free(r->files);
    free(r->of);
    free(r->sinks);
    free(r->passes);
    free(r->path);
    free(r->given_state);
}

shoal_status shoal_run_stream(const shoal_run_options *options, shoal_run_result *result)
{
    shoal_clear_error();
    SHOAL_NEED(options && result && options->stream);
    const shoal_peers *peers = options->stream->peers;
    *result = (shoal_run_result){.leads = !peers || peers->rank == 0};
    run r = {.options = options, .result = result, .leads = result->leads};
    r.began = stream_now();
    const shoal_status status = run_begin(&r);
    if (status != SHOAL_OK) (void)run_fail(&r, status);
    if (result->stopped) run_tell(&r, SHOAL_RUN_STOPPED, "%s", r.path);
    if (status != SHOAL_OK || result->stopped)
        dismiss_peers(&r);
    else
        run_on(&r);
    free_run(&r);
    return r.status == SHOAL_OK ? SHOAL_OK : shoal_fail(r.status, "%s", r.why);
}
