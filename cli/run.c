/* SPDX-License-Identifier: BSD-3-Clause
 * A run over files. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forcefield_options.h"
#include "interrupt.h"
#include "results.h"
#include "run_inner.h"

#define CHECKPOINT_SECONDS 60
#define MAX_REPORTED 20 /* systems that could not be written */

/* --- sinks --------------------------------------------------------------------------------------- */

/* A system as it is shown. */
static shoal_stream_system shown(const systems_job *job, const shoal_stream_system *system)
{
    shoal_stream_system copy = *system;
    if (job->show) job->show(job->user, &copy);
    return copy;
}

static shoal_status format_row(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run *r = ((run_sink *)user)->run;
    const systems_job *job = r->job;
    const shoal_stream_system copy = shown(job, system);
    return r->options->json ? job->json(job->user, &r->style, &copy, out)
                            : job->table(job->user, &r->style, &copy, out);
}

static shoal_status out_of_rows(run *r)
{
    cli_complain("out of memory: rows of the table");
    r->write_failed = true;
    r->code = EXIT_DEVICE;
    return SHOAL_E_MEMORY;
}

static shoal_status write_rows(void *user, const char *text, size_t size)
{
    run *r = ((run_sink *)user)->run;
    const char *header = r->options->json ? NULL : r->job->header;
    bool ok = true;
    if (header && !r->wrote_header && !r->resumed) (void)fputs(header, stdout);
    r->wrote_header = true;
    if (r->options->json) {
        ok = fwrite(text, 1, size, stdout) == size;
    } else {
        char *copy = malloc(size + 1);
        if (!copy) return out_of_rows(r);
        memcpy(copy, text, size);
        cli_tame(copy, size);
        ok = fwrite(copy, 1, size, stdout) == size;
        free(copy);
    }
    if (ok && fflush(stdout) == 0) return SHOAL_OK;
    r->write_failed = true;
    r->code = EXIT_FILES; /* the program says so at its end */
    return SHOAL_E_IO;
}

/* What is known of the atoms of the molecule alone is left out. */
static shoal_status format_with_slab(const systems_job *job, shoal_format format,
                                     const shoal_molecule *mol, shoal_frame *frame,
                                     shoal_string *out)
{
    shoal_molecule *both = NULL;
    frame->forces = NULL;
    frame->types = NULL;
    frame->velocities = NULL;
    shoal_status status = shoal_molecule_create(&both);
    if (status == SHOAL_OK) status = shoal_molecule_copy(both, mol);
    if (status == SHOAL_OK) status = shoal_molecule_add_surface(both, job->slab, job->slab_c);
    if (status == SHOAL_OK) status = shoal_frame_format(out, format, both, frame);
    shoal_molecule_destroy(both);
    return status;
}

static shoal_status format_molecule(const run *r, const output *o,
                                    const shoal_stream_system *system, shoal_string *out)
{
    const systems_job *job = r->job;
    shoal_frame frame = {0};
    /* There is nothing to write; it is among those that failed. */
    if (system->result.status == SHOAL_SYSTEM_UNREADABLE) return SHOAL_OK;
    const shoal_status status =
        job->frame ? job->frame(job->user, &r->style, system, o->format, &frame) : SHOAL_OK;
    if (status != SHOAL_OK) return status;
    return job->slab ? format_with_slab(job, o->format, system->mol, &frame, out)
                     : shoal_frame_format(out, o->format, system->mol, &frame);
}

static shoal_status format_output(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run_sink *sink = user;
    const run *r = sink->run;
    const shoal_stream_system copy = shown(r->job, system);
    switch (sink->to->kind) {
    case OUTPUT_JSON: return r->job->json(r->job->user, &r->style, &copy, out);
    case OUTPUT_CSV: return shoal_results_csv(&r->what, &copy, r->files, r->n_files, out);
    case OUTPUT_HDF5: return shoal_results_format(&r->what, &copy, out);
    case OUTPUT_TRAJECTORY:
    case OUTPUT_MOLECULES: break;
    }
    return format_molecule(r, sink->to, &copy, out);
}

/* A geometry on the way, as a frame of extended xyz. */
static shoal_status format_step(void *user, const shoal_stream_system *system,
                                const shoal_relax_frame *step, shoal_string *out)
{
    const run_sink *sink = user;
    const systems_job *job = sink->run->job;
    shoal_molecule *mol = NULL;
    shoal_frame frame = {.is_result = true,
                         .status = "on_the_way",
                         .energy = &step->energy,
                         .forces = step->forces,
                         .fmax = &step->fmax,
                         .steps = &step->steps,
                         .time = step->velocities ? &step->time : NULL,
                         .kinetic = step->velocities ? &step->kinetic : NULL,
                         .temperature = step->velocities ? &step->temperature : NULL,
                         .bath = step->velocities ? &step->bath : NULL,
                         .velocities = step->velocities,
                         .masses = step->masses,
                         .file = sink->run->files[system->i_file],
                         .index = system->index,
                         .record = system->record,
                         .variant = system->n_variants > 0 ? &system->variant : NULL};
    frame_hidden(&frame, system->topology, step->pos);
    if (sink->to->kind == OUTPUT_HDF5)
        return shoal_results_format_frame(&sink->run->what, system, step, out);
    shoal_status status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, system->mol);
    if (status == SHOAL_OK) status = shoal_molecule_set_positions(mol, step->pos);
    if (status == SHOAL_OK && job->slab)
        status = format_with_slab(job, sink->to->format, mol, &frame, out);
    else if (status == SHOAL_OK)
        status = shoal_frame_format(out, sink->to->format, mol, &frame);
    shoal_molecule_destroy(mol);
    return status;
}

/* What a command has to say of a system in the place of geometries on the way. */
static shoal_status format_more(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run_sink *sink = user;
    const run *r = sink->run;
    return r->job->more(r->job->user, &r->style, system, sink->to->format, out);
}

static shoal_status format_digest(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run *r = ((run_sink *)user)->run;
    return r->job->format(r->job->user, system, out);
}

/* Hands texts to a job that digests them; its journal is the output, where there is one. */
static shoal_status write_digest(void *user, const char *text, size_t size)
{
    const run_sink *sink = user;
    shoal_string *journal;
    shoal_status status = shoal_string_create(&journal);
    if (status == SHOAL_OK)
        status = sink->run->job->digest(sink->run->job->user, text, size, journal);
    if (status == SHOAL_OK && sink->to)
        status = output_write(sink->to, shoal_string_data(journal), shoal_string_size(journal));
    shoal_string_destroy(journal);
    if (status != SHOAL_OK) sink->run->write_failed = true;
    return status;
}

static shoal_status write_output(void *user, const char *bytes, size_t n)
{
    const run_sink *sink = user;
    const shoal_status status = output_write(sink->to, bytes, n);
    if (status != SHOAL_OK) sink->run->write_failed = true;
    return status;
}

/* --- what has come ------------------------------------------------------------------------------- */

static void count(run *r, const shoal_stream_system *s)
{
    run_counts *c = &r->at.counts;
    const shoal_system_status status = s->result.status;
    const bool fine = status == SHOAL_SYSTEM_OK || status == SHOAL_SYSTEM_CONVERGED;
    ++c->done;
    c->failed += !fine;
    c->unreadable += status == SHOAL_SYSTEM_UNREADABLE;
    c->warned += s->result.warning[0] != '\0';
    c->no_hydrogens += strstr(s->result.warning, "valences lack") != NULL;
    if (fine || (r->job->digest && s->variant > 0)) return; /* of a search, the first start */
    failures_add(&r->job->failures, s);
    run_log_system(r->log, s, r->files[s->i_file]);
}

static void report_refusal(run *r, const shoal_stream_system *s)
{
    char buffer[32];
    if (!s->refusal || ++r->at.counts.refused > MAX_REPORTED) return;
    cli_complain("%s: not written: %s", system_title(s->mol, s->index, buffer), s->refusal);
}

/* A user's field that has the name of one of ours is kept under another, which is said once. */
static void report_renaming(run *r, const shoal_stream_system *s)
{
    if (r->told_renaming || r->options->quiet || !r->job->json) return;
    const char *key = shoal_frame_renamed_field(s->mol);
    if (!key) return;
    r->told_renaming = true;
    cli_complain("the field '%s' of %s is kept as '%s_input' in molecule files; Shoal writes one "
                 "of that name",
                 key, r->files[s->i_file], key);
}

static shoal_status visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    run *r = user;
    bool has_molecules = false;
    for (int k = 0; k < r->n_outputs; ++k)
        has_molecules = has_molecules || r->outputs[k].kind == OUTPUT_MOLECULES;
    for (int32_t i = 0; i < n; ++i) {
        if (systems[i].unfinished) continue;
        count(r, &systems[i]);
        report_refusal(r, &systems[i]);
        if (has_molecules) report_renaming(r, &systems[i]);
    }
    r->at.next = systems[n - 1].index + 1;
    if (r->job->visit) r->code = r->job->visit(r->job->user, systems, n);
    return r->code == EXIT_ALL_FINE ? SHOAL_OK : SHOAL_E_ARGUMENT;
}

/* --- checkpoints --------------------------------------------------------------------------------- */

/* Standard output, where it is a file with rows of JSON that a later run can go on with. */
static void note_stdout(run *r)
{
    struct stat info;
    checkpoint *c = &r->at;
    (void)fflush(stdout);
    c->stdout_size = -1;
    if (!r->prints || !r->options->json) return;
    if (fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode)) return;
    c->stdout_device = (int64_t)info.st_dev;
    c->stdout_inode = (int64_t)info.st_ino;
    c->stdout_size = (int64_t)info.st_size;
}

/* The present state of a large system, borrowed for the call that saves it. */
static void note_state(run *r, const shoal_stream_progress *p)
{
    r->at.state = (char *)(uintptr_t)p->state;
    r->at.state_size = p->state_size;
    r->at.state_index = p->state_index;
}

static bool save(run *r)
{
    const double seconds = r->at.counts.seconds;
    for (int k = 0; k < r->n_outputs; ++k) {
        if (!output_can_resume(&r->outputs[k]) || !output_is_open(&r->outputs[k])) continue;
        if (output_sync(&r->outputs[k], &r->at.outputs[k].size) != SHOAL_OK) {
            cli_complain("%s", shoal_error_text());
            return false;
        }
    }
    note_stdout(r);
    r->at.counts.seconds = seconds + progress_seconds(&r->bar);
    const char *wrong = checkpoint_save(&r->at, r->path);
    r->at.counts.seconds = seconds;
    if (wrong) cli_complain("%s: cannot write the checkpoint: %s", r->path, wrong);
    if (!wrong) run_log_checkpoint(r->log, r->path, r->at.next);
    r->has_saved = r->has_saved || !wrong;
    return !wrong;
}

static bool keep_state(run *r, const shoal_stream_progress *p)
{
    free(r->at.state);
    r->at.state = NULL;
    if (!p->state) return true;
    r->at.state = malloc(p->state_size);
    if (!r->at.state) return false;
    memcpy(r->at.state, p->state, p->state_size);
    r->at.state_size = p->state_size;
    r->at.state_index = p->state_index;
    return true;
}

static bool watch(void *user, const shoal_stream_progress *p)
{
    run *r = user;
    const double now = progress_seconds(&r->bar);
    const double every =
        r->options->checkpoint_seconds > 0 ? r->options->checkpoint_seconds : CHECKPOINT_SECONDS;
    r->job->counts.evaluations = p->n_evaluations;
    progress_stream(&r->bar, p);
    interrupt_keep();
    if (p->n_devices_lost > r->n_devices_lost) {
        r->n_devices_lost = p->n_devices_lost;
        cli_complain("a device has failed, the others go on: %s", p->device_error);
        run_log_note(r->log, "device_lost", p->device_error);
    }
    r->late = r->late || (r->options->max_hours > 0 && now > 3600 * r->options->max_hours);
    r->stop = r->stop || r->late || interrupt_code() != 0;
    if (r->stop) {
        (void)keep_state(r, p); /* without it the system begins anew */
        return false;
    }
    if (r->path && now - r->saved >= every) {
        char *const before = r->at.state;
        const int64_t evaluations = r->at.counts.evaluations;
        r->at.counts.evaluations += p->n_evaluations;
        note_state(r, p);
        (void)save(r); /* the one before it still holds */
        r->at.state = before;
        r->at.counts.evaluations = evaluations;
        r->saved = progress_seconds(&r->bar);
    }
    return true;
}

/* --- the run ------------------------------------------------------------------------------------- */

/* What the options say, and where it goes. */
static void fill_stream(run *r, shoal_sink *sinks)
{
    const systems_options *o = r->options;
    shoal_stream_options *to = &r->job->stream;
    to->input.files = r->files;
    to->input.n_files = r->n_files;
    to->input.format = o->format;
    to->compute.n_threads = o->n_threads;
    to->input.strict = o->strict;
    to->typing.perceive = &o->perceive;
    to->typing.forcefield = &o->typing;
    to->typing.types = o->types;
    to->typing.n_types = o->n_types;
    to->typing.add_hydrogens = o->add_hydrogens;
    to->typing.fragment = o->fragment;
    to->typing.file_types = o->file_types;
    to->input.shard = o->shard;
    to->input.n_shards = o->n_shards;
    to->input.first = r->at.next;
    free(r->given_state);
    r->given_state = r->at.state; /* it is told again until there is a newer one */
    r->at.state = NULL;
    to->resume.state = r->given_state;
    to->resume.size = r->at.state_size;
    to->resume.index = r->at.state_index;
    if (r->path)
        to->resume.seconds = o->checkpoint_seconds > 0 ? o->checkpoint_seconds : CHECKPOINT_SECONDS;
    if (r->peers.size > 1) to->peers = &r->peers;
    to->output.visit = visit;
    to->output.monitor = watch;
    to->output.user = r;
    to->output.sinks = sinks;
    if (r->job->digest) {
        r->sinks[0] = (run_sink){r, r->n_outputs > 0 ? &r->outputs[0] : NULL};
        sinks[to->output.n_sinks++] =
            (shoal_sink){.format = format_digest, .write = write_digest, .user = &r->sinks[0]};
        return;
    }
    if (r->prints) {
        r->sinks[0] = (run_sink){r, NULL};
        sinks[to->output.n_sinks++] =
            (shoal_sink){.format = format_row, .write = write_rows, .user = &r->sinks[0]};
    }
    for (int k = 0; k < r->n_outputs; ++k) {
        r->sinks[k + 1] = (run_sink){r, &r->outputs[k]};
        const bool on_the_way = r->outputs[k].on_the_way;
        const bool more = on_the_way && r->job->more;
        sinks[to->output.n_sinks++] = (shoal_sink){.format = more         ? format_more
                                                             : on_the_way ? NULL
                                                                          : format_output,
                                                   .step = on_the_way && !more ? format_step : NULL,
                                                   .write = write_output,
                                                   .user = &r->sinks[k + 1]};
    }
}

/* Why the stream ended, as an exit code. */
static int end_code(run *r, shoal_status status)
{
    if (r->code != EXIT_ALL_FINE) return r->code;
    if (status != SHOAL_OK) return complain_of_status(status);
    if (!r->stop || !r->is_first) return EXIT_ALL_FINE;
    if (interrupt_code())
        cli_complain("interrupted by %s", interrupt_name());
    else
        cli_complain("stopped after %g hours", r->options->max_hours);
    return interrupt_code() ? interrupt_code() : EXIT_STOPPED;
}

/* A checkpoint of what was handed on. Where an output failed, what it holds is not known: the one before it stays. */
static int end_with_checkpoint(run *r, int code, shoal_status status)
{
    if (!r->path || r->write_failed || r->code != EXIT_ALL_FINE) return code;
    if (code == EXIT_ALL_FINE) {
        /* Outputs take their names one by one; who is killed meanwhile only has to finish that. */
        r->at.complete = true;
        return (!r->has_saved && !r->job->conclude) || save(r) ? code : EXIT_FILES;
    }
    /* Where nothing was done, there is nothing to go on with. */
    if (!r->stop && r->at.counts.done == 0 && !r->has_saved) return code;
    if (!save(r)) return code;
    if (!r->stop || status != SHOAL_OK) return code;
    cli_complain("stopped with the checkpoint %s; the same command with --resume goes on", r->path);
    return EXIT_STOPPED;
}

static void say_what_is_kept(const run *r, const char *name)
{
    const int64_t n = r->at.counts.done;
    if (r->write_failed)
        cli_complain("what could be written is kept in %s", name);
    else
        cli_complain("the %lld system%s before it %s kept in %s", (long long)n, n == 1 ? "" : "s",
                     n == 1 ? "is" : "are", name);
}

/* Outputs take their names, or are kept as they are. */
static int close_outputs(run *r, int code)
{
    const bool complete = code == EXIT_ALL_FINE;
    const bool keep = r->at.counts.done > 0 || code == EXIT_STOPPED || r->has_saved;
    for (int k = 0; k < r->n_outputs; ++k) {
        output *o = &r->outputs[k];
        char name[4096];
        (void)snprintf(name, sizeof name, "%s", o->part ? o->part : "");
        if (!output_close(o, complete, keep) && complete) {
            r->write_failed = true;
            code = EXIT_FILES;
        }
        if (code != EXIT_ALL_FINE && *name && access(name, F_OK) == 0) say_what_is_kept(r, name);
    }
    return code;
}

/* The end of a job that digests its results. Some systems may have failed; all else keeps the checkpoint. */
static int conclude(run *r, int code, bool *some_failed)
{
    if (code != EXIT_ALL_FINE || !r->job->conclude) return code;
    r->job->counts.done = r->at.counts.done;
    r->job->seconds = progress_seconds(&r->bar);
    code = r->job->conclude(r->job->user);
    *some_failed = code == EXIT_SOME_FAILED;
    return *some_failed ? EXIT_ALL_FINE : code;
}

static int finish(run *r, shoal_status status)
{
    int code = end_code(r, status);
    bool lacking = false; /* as the job's conclusion says */
    r->at.counts.evaluations += r->job->counts.evaluations;
    if (r->is_first) {
        code = end_with_checkpoint(r, code, status);
        code = conclude(r, code, &lacking);
        code = close_outputs(r, code);
        if (code == EXIT_ALL_FINE && r->path) checkpoint_remove(r->path);
    }
    r->job->seconds = progress_seconds(&r->bar);
    r->at.counts.seconds += r->job->seconds;
    const int64_t evaluations = r->job->counts.evaluations;
    r->job->counts = r->at.counts;
    r->job->counts.evaluations = evaluations;
    r->job->reports = r->is_first;
    const bool some_failed =
        code == EXIT_ALL_FINE && r->at.counts.failed + r->at.counts.refused > 0;
    if (!run_log_close(r->log, some_failed ? EXIT_SOME_FAILED : code, &r->at.counts)) {
        cli_complain("%s: the log could not be written", r->options->log);
        if (code == EXIT_ALL_FINE) code = EXIT_FILES;
    }
    r->log = NULL;
    if (code == EXIT_ALL_FINE && lacking) return EXIT_SOME_FAILED;
    if (code != EXIT_ALL_FINE || r->at.counts.refused == 0) return code;
    cli_complain("%lld system%s could not be written", (long long)r->at.counts.refused,
                 r->at.counts.refused == 1 ? "" : "s");
    return EXIT_SOME_FAILED;
}

static void free_run(run *r)
{
    for (int k = 0; k < r->n_outputs; ++k)
        (void)output_close(&r->outputs[k], false, r->began || r->resumed);
    (void)run_log_close(r->log, EXIT_FILES, &r->at.counts);
    checkpoint_free(&r->at);
    free(r->outputs);
    free(r->sinks);
    free(r->path);
    free(r->given_state);
}

static int run_stream(run *r)
{
    shoal_sink *sinks = calloc((size_t)r->n_outputs + 1, sizeof *sinks);
    if (!sinks) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    fill_stream(r, sinks);
    progress_begin(&r->bar, !r->options->quiet && r->is_first);
    interrupt_ask(true);
    /* Rows that go to a file are known from the first on. */
    note_stdout(r);
    if (r->path && r->is_first && !r->resumed && r->at.stdout_size >= 0) (void)save(r);
    if (r->at.complete)
        r->job->stream.input.n_files = 0; /* only the outputs wait for their names */
    const shoal_status status = shoal_stream_run(&r->job->stream);
    progress_end(&r->bar);
    free(sinks);
    const int code = finish(r, status);
    interrupt_ask(false);
    return code;
}

/* The others wait for something to do, and are told that there is nothing. One of those that cannot begin ends all:
 * it would send nothing. */
static void dismiss_peers(run *r, int code)
{
    shoal_sink *sinks = calloc((size_t)r->n_outputs + 1, sizeof *sinks);
    if (!r->is_first || !sinks) _exit(code);
    fill_stream(r, sinks);
    r->job->stream.input.n_files = 0;
    if (r->peers.size > 1) (void)shoal_stream_run(&r->job->stream);
    free(sinks);
}

static void warn_of_selection(const char *option, const shoal_selection *selection)
{
    if (selection && shoal_selection_count(selection) == 0)
        cli_complain("warning: --%s '%s' selects no atom in any system", option,
                     shoal_selection_text(selection));
}

/* What selected nothing was probably meant otherwise. A process sees only what it has read itself. */
static void warn_of_selections(const run *r)
{
    const systems_options *o = r->options;
    if (o->quiet || r->resumed || r->peers.size > 1 || r->at.counts.done == 0) return;
    for (int k = 0; k < o->n_types; ++k) warn_of_selection("type", o->types[k].where);
    if (r->job->stream.job < SHOAL_JOB_RELAX) return; /* others hold atoms by themselves, later */
    for (int k = 0; k < r->job->stream.constraints.n_fix; ++k)
        warn_of_selection("fix", r->job->stream.constraints.fix[k]);
}

int run_systems(const systems_options *options, const char **files, int n_files, systems_job *job)
{
    run r = {.options = options, .job = job, .files = files, .n_files = n_files, .is_first = true};
    const char *device = job->stream.compute.engine ? job->stream.compute.engine->device : NULL;
    r.style = (row_style){.files = files,
                          .positions = options->positions,
                          .forces = options->forces,
                          .devices = device && strchr(device, ','),
                          .adsorption = job->stream.compute.adsorption};
    r.what = (shoal_results_what){.forces = true,
                                  .variants = job->stream.build.variants,
                                  .adsorption = job->stream.compute.adsorption,
                                  .dynamics = job->trajectories,
                                  .directions = may_have_directions(options)};
    if (!forcefield_agrees(options)) return EXIT_USAGE;
    if (options->verbose) cli_complain("version %s", shoal_version_text());
    if (shoal_peers_open(&r.peers, false) != SHOAL_OK) return complain_of_status(SHOAL_E_DEVICE);
    r.is_first = r.peers.rank == 0;
    int code = run_begin(&r);
    if (code == EXIT_ALL_FINE)
        code = run_stream(&r);
    else if (r.peers.size > 1)
        dismiss_peers(&r, code);
    if (code == EXIT_ALL_FINE && job->counts.done == 0 && !options->quiet && r.is_first)
        cli_complain("warning: no systems in %s%s", files[0], n_files > 1 ? " and the others" : "");
    warn_of_selections(&r);
    free_run(&r);
    shoal_peers_close(&r.peers);
    return code;
}

void run_say_rate(const systems_options *options, const systems_job *job, int code,
                  const char *what, const char *of)
{
    const run_counts *c = &job->counts;
    if ((code != EXIT_ALL_FINE && code != EXIT_SOME_FAILED) || !job->reports) return;
    if (c->done == 0 || options->quiet) return;
    cli_complain("%lld of %lld systems %s, %lld %s in %.3g s (%.3g/s)",
                 (long long)(c->done - c->failed), (long long)c->done, what,
                 (long long)c->evaluations, of, job->seconds,
                 (double)c->evaluations / job->seconds);
}

int run_conclude(const systems_options *options, const systems_job *job, int code, const char *what)
{
    const run_counts *c = &job->counts;
    if ((code != EXIT_ALL_FINE && code != EXIT_SOME_FAILED) || !job->reports) return code;
    if (c->warned > 0 && !options->quiet)
        cli_complain("%lld system%s a warning; see the rows", (long long)c->warned,
                     c->warned == 1 ? " has" : "s have");
    if (c->no_hydrogens > 0 && !options->quiet)
        cli_complain("%lld system%s hydrogen atoms; --add-hydrogens adds them",
                     (long long)c->no_hydrogens, c->no_hydrogens == 1 ? " lacks" : "s lack");
    if (c->failed == 0) return code;
    cli_complain("%lld system%s %s%s", (long long)c->failed, c->failed == 1 ? "" : "s", what,
                 job->failures.n > 0 ? ":" : "");
    failures_print(&job->failures, c->failed);
    return EXIT_SOME_FAILED;
}
