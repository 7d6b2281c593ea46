/* SPDX-License-Identifier: BSD-3-Clause
 * A run over files. */
#include "run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "results.h"
#include "run_log.h"

#define CHECKPOINT_SECONDS 60
#define MAX_REPORTED 20 /* systems that could not be written */

typedef struct run run;

/* The rows on standard output, or one of the files. */
typedef struct run_sink {
    run *run;
    output *to; /* NULL: rows */
} run_sink;

struct run {
    const systems_options *options;
    systems_job *job;
    const char **files;
    int n_files;
    row_style style;
    shoal_peers peers;
    bool is_first; /* of its peers: the one that reads and writes */

    output *outputs;
    int n_outputs;
    run_sink *sinks; /* [n_outputs + 1] */
    bool prints;     /* rows on standard output */
    bool wrote_header;
    bool resumed; /* goes on with what an earlier run began */
    bool told_renaming;
    bool began; /* all that could be wrong before has been looked at */
    int32_t n_devices_lost;

    char *given_state; /* of a large system, that the stream borrows */
    checkpoint at;  /* what a checkpoint says if it is written now, and said when the run began */
    char *path;     /* of the checkpoint; NULL: none can be written */
    double saved;   /* seconds, when the last one was */
    bool has_saved; /* one is there */
    bool write_failed;
    bool stop, late; /* by a signal or, late, by --max-hours */
    run_log *log;
    progress bar;
    int code; /* of visit, or of standard output */
};

/* --- sinks --------------------------------------------------------------------------------------- */

static shoal_status format_row(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run *r = ((run_sink *)user)->run;
    const systems_job *job = r->job;
    return r->options->json ? job->json(job->user, &r->style, system, out)
                            : job->table(job->user, &r->style, system, out);
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
        ok = copy != NULL;
        if (ok) memcpy(copy, text, size);
        if (ok) cli_tame(copy, size);
        ok = ok && fwrite(copy, 1, size, stdout) == size;
        free(copy);
    }
    if (ok && fflush(stdout) == 0) return SHOAL_OK;
    r->write_failed = true;
    r->code = EXIT_FILES; /* the program says so at its end */
    return SHOAL_E_IO;
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
    return shoal_frame_format(out, o->format, system->mol, &frame);
}

static shoal_status format_output(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run_sink *sink = user;
    const run *r = sink->run;
    switch (sink->to->kind) {
    case OUTPUT_JSON: return r->job->json(r->job->user, &r->style, system, out);
    case OUTPUT_CSV: return shoal_results_csv(system, r->files, r->n_files, out);
    case OUTPUT_HDF5:
        return shoal_results_format(&(shoal_results_what){.forces = true}, system, out);
    case OUTPUT_TRAJECTORY:
    case OUTPUT_MOLECULES: break;
    }
    return format_molecule(r, sink->to, system, out);
}

/* A geometry on the way, as a frame of extended xyz. */
static shoal_status format_step(void *user, const shoal_stream_system *system,
                                const shoal_relax_frame *step, shoal_string *out)
{
    const run_sink *sink = user;
    shoal_molecule *mol = NULL;
    const shoal_frame frame = {.is_result = true,
                               .status = "on_the_way",
                               .energy = &step->energy,
                               .forces = step->forces,
                               .fmax = &step->fmax,
                               .steps = &step->steps,
                               .file = sink->run->files[system->i_file],
                               .index = system->index,
                               .record = system->record};
    shoal_status status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, system->mol);
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol) && status == SHOAL_OK; ++i)
        status = shoal_molecule_set_position(mol, i, step->pos[i]);
    if (status == SHOAL_OK) status = shoal_frame_format(out, sink->to->format, mol, &frame);
    shoal_molecule_destroy(mol);
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
    if (fine) return;
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

/* --- before the run ------------------------------------------------------------------------------ */

static shoal_status try_input(const char *path, shoal_format format, bool quiet)
{
    shoal_results_reader *results = NULL;
    shoal_reader *reader = NULL;
    if (format == SHOAL_FORMAT_AUTO) format = shoal_format_by_path(path);
    const shoal_status status = format == SHOAL_FORMAT_HDF5
                                    ? shoal_results_open(&results, path)
                                    : shoal_reader_open(&reader, path, format);
    if (results && !shoal_results_is_complete(results) && !quiet)
        cli_complain("warning: %s: the run that writes it has not finished; %lld systems are read",
                     path, (long long)shoal_results_n_systems(results));
    shoal_results_reader_destroy(results);
    shoal_reader_destroy(reader);
    return status;
}

/* Regular files are opened once, so that a wrong name is known before anything is computed. */
static int check_inputs(const run *r)
{
    for (int k = 0; k < r->n_files; ++k) {
        struct stat info;
        if (strcmp(r->files[k], "-") == 0) continue;
        if (stat(r->files[k], &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
            continue;
        const shoal_status status = try_input(r->files[k], r->options->format, r->options->quiet);
        if (status != SHOAL_OK) return complain_of_status(status);
    }
    return EXIT_ALL_FINE;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino && S_ISREG(of_a.st_mode);
}

static int check_output(const run *r, int k)
{
    const output *o = &r->outputs[k];
    for (int j = 0; j < r->n_files; ++j)
        if (strcmp(o->path, "-") != 0 && is_same_file(o->path, r->files[j])) {
            cli_complain("%s is an input, too; expected another name for the output", o->path);
            return EXIT_USAGE;
        }
    for (int j = 0; j < k; ++j)
        if (is_same_file(o->path, r->outputs[j].path) && strcmp(o->path, "/dev/null") != 0) {
            cli_complain("%s is named as an output twice", o->path);
            return EXIT_USAGE;
        }
    if (strcmp(o->path, "-") == 0 && r->options->json) {
        cli_complain("--json and -o - both go to standard output; expected one of them");
        return EXIT_USAGE;
    }
    if (!r->job->json && (o->kind == OUTPUT_JSON || o->kind == OUTPUT_CSV)) {
        cli_complain("%s: %s writes molecules, expected .xyz, .extxyz, .sdf or .h5", o->path,
                     cli_command_name());
        return EXIT_USAGE;
    }
    return EXIT_ALL_FINE;
}

static int choose_outputs(run *r)
{
    const systems_options *o = r->options;
    const int n = o->n_outputs + (o->trajectory != NULL);
    r->prints = r->job->table != NULL;
    r->outputs = calloc((size_t)n + 1, sizeof *r->outputs);
    r->sinks = calloc((size_t)n + 1, sizeof *r->sinks);
    r->at.outputs = calloc((size_t)n + 1, sizeof *r->at.outputs);
    if (!r->outputs || !r->sinks || !r->at.outputs) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    for (int k = 0; k < n && !r->job->plans; ++k) {
        const bool on_the_way = k == o->n_outputs;
        output *to = &r->outputs[k];
        int code = output_choose(to, on_the_way ? o->trajectory : o->outputs[k], o->output_format);
        if (code == EXIT_ALL_FINE && on_the_way && to->format != SHOAL_FORMAT_XYZ) {
            cli_complain("--trajectory '%s': expected .xyz or .extxyz (also .gz)", to->path);
            code = EXIT_USAGE;
        }
        if (code == EXIT_ALL_FINE) code = check_output(r, k);
        if (code != EXIT_ALL_FINE) return code;
        if (on_the_way) to->kind = OUTPUT_TRAJECTORY;
        r->prints = r->prints && strcmp(to->path, "-") != 0;
        r->at.outputs[k].path = strdup(to->path);
        r->n_outputs = k + 1;
        r->at.n_outputs = k + 1;
    }
    return EXIT_ALL_FINE;
}

/* Options that change nothing in the results. */
static bool is_of_no_matter(const char *name)
{
    static const char *const names[] = {"resume",    "checkpoint", "checkpoint-every",
                                        "max-hours", "threads",    "quiet",
                                        "verbose",   "log",        "device-memory"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        if (strcmp(name, names[k]) == 0) return true;
    return false;
}

/* Options whose values are files that results depend on. */
static bool names_a_source(const char *name)
{
    return strcmp(name, "params") == 0 || strcmp(name, "surface") == 0 || strcmp(name, "grid") == 0;
}

static void put_fingerprint(shoal_string *text, const char *path)
{
    int64_t size;
    uint64_t print;
    if (!checkpoint_look(path, &size, &print)) return;
    shoal_string_put_text(text, " of ");
    shoal_string_put_integer(text, size);
    shoal_string_put_text(text, " bytes, ");
    shoal_string_put_integer(text, (int64_t)print);
}

/* The command as a checkpoint keeps it, one option a line. */
static char *command_text(void)
{
    int n;
    const cli_choice *choices = cli_choices(&n);
    shoal_string *text;
    if (shoal_string_create(&text) != SHOAL_OK) return NULL;
    shoal_string_put_text(text, "shoal " SHOAL_VERSION " ");
    shoal_string_put_text(text, cli_command_name());
    for (int k = 0; k < n; ++k) {
        if (is_of_no_matter(choices[k].name)) continue;
        shoal_string_put_text(text, "\n--");
        shoal_string_put_text(text, choices[k].name);
        shoal_string_put_text(text, choices[k].value[0] ? " " : "");
        shoal_string_put_text(text, choices[k].value);
        if (names_a_source(choices[k].name)) put_fingerprint(text, choices[k].value);
    }
    char *copy = shoal_string_status(text) == SHOAL_OK ? strdup(shoal_string_data(text)) : NULL;
    shoal_string_destroy(text);
    return copy;
}

/* The name of the checkpoint, if everything that goes in and out can be gone on with. */
static int choose_checkpoint(run *r)
{
    const systems_options *o = r->options;
    bool can = !r->job->plans && (r->n_outputs > 0 || o->checkpoint);
    for (int k = 0; k < r->n_outputs; ++k) can = can && output_can_resume(&r->outputs[k]);
    for (int k = 0; k < r->n_files && can; ++k)
        can = checkpoint_look(r->files[k], &r->at.inputs[k].size, &r->at.inputs[k].fingerprint);
    if (!can && (o->checkpoint || o->max_hours > 0 || o->resume)) {
        cli_complain("--%s needs a file to write to (-o or --checkpoint), and files, not pipes, as "
                     "inputs and "
                     "outputs",
                     o->resume       ? "resume"
                     : o->checkpoint ? "checkpoint"
                                     : "max-hours");
        return EXIT_USAGE;
    }
    const char *first = o->checkpoint ? o->checkpoint : "";
    if (r->n_outputs > 0 && !o->checkpoint) first = r->outputs[0].path;
    if (!can) return EXIT_ALL_FINE;
    const size_t n = strlen(first) + sizeof ".checkpoint";
    r->path = malloc(n);
    r->at.command = command_text();
    if (!r->path || !r->at.command) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    (void)snprintf(r->path, n, "%s%s", first, o->checkpoint ? "" : ".checkpoint");
    return EXIT_ALL_FINE;
}

/* Checkpoint and log are files of their own. */
static int check_names(const run *r)
{
    const char *const names[] = {r->path, r->job->plans ? NULL : r->options->log};
    for (int n = 0; n < 2; ++n) {
        bool taken = n == 1 && names[0] && names[1] && is_same_file(names[0], names[1]);
        for (int k = 0; k < r->n_files && names[n]; ++k)
            taken = taken || is_same_file(names[n], r->files[k]);
        for (int k = 0; k < r->n_outputs && names[n]; ++k)
            taken = taken || is_same_file(names[n], r->outputs[k].path);
        if (!taken) continue;
        cli_complain("%s is an input or an output, too; expected another name for the %s", names[n],
                     n == 0 ? "checkpoint" : "log");
        return EXIT_USAGE;
    }
    if (!r->path || !checkpoint_is_another_file(r->path)) return EXIT_ALL_FINE;
    cli_complain("%s is no checkpoint; expected another name", r->path);
    return EXIT_USAGE;
}

static int refuse_checkpoint(const run *r, const char *why, const char *detail)
{
    cli_complain("%s: %s%s%s; expected the command and the files of that run", r->path, why,
                 *detail ? ": " : "", detail);
    return EXIT_USAGE;
}

/* A checkpoint belongs to one command and the same files. */
static int check_checkpoint(const run *r, const checkpoint *c)
{
    if (!c->command || strcmp(c->command, r->at.command) != 0)
        return refuse_checkpoint(r, "the checkpoint is of another command",
                                 c->command ? c->command : "");
    if (c->n_inputs != r->at.n_inputs || c->n_outputs != r->at.n_outputs)
        return refuse_checkpoint(r, "the checkpoint is of other files", "");
    for (int64_t k = 0; k < c->n_inputs; ++k) {
        const checkpoint_file *a = &c->inputs[k], *b = &r->at.inputs[k];
        if (strcmp(a->path, b->path) != 0)
            return refuse_checkpoint(r, "the checkpoint is of other inputs", a->path);
        if (a->size != b->size || a->fingerprint != b->fingerprint)
            return refuse_checkpoint(r, "an input has changed since the checkpoint", a->path);
    }
    return EXIT_ALL_FINE;
}

/* True if nothing but rows, the last perhaps cut, stands in a file from there on. */
static bool has_only_rows(int64_t from, int64_t size)
{
    static const char start[] = "{\"index\":";
    char *text = size > from ? malloc((size_t)(size - from)) : NULL;
    const int fd = text ? open("/proc/self/fd/1", O_RDONLY | O_CLOEXEC) : -1;
    const ssize_t n = fd >= 0 ? pread(fd, text, (size_t)(size - from), from) : -1;
    bool ok = size == from || n == (ssize_t)(size - from);
    for (ssize_t at = 0; ok && at < n;) {
        const size_t left = (size_t)(n - at), most = sizeof start - 1;
        ok = memcmp(text + at, start, left < most ? left : most) == 0;
        const char *end = memchr(text + at, '\n', left);
        at = end ? end - text + 1 : n;
    }
    if (fd >= 0) (void)close(fd);
    free(text);
    return ok;
}

/* Rows that were printed behind the checkpoint are taken back where that can be done. */
static void resume_stdout(const run *r)
{
    struct stat info;
    const checkpoint *c = &r->at;
    if (!r->prints || c->next == 0) return;
    const bool same = c->stdout_size >= 0 && fstat(STDOUT_FILENO, &info) == 0 &&
                      S_ISREG(info.st_mode) && (int64_t)info.st_dev == c->stdout_device &&
                      (int64_t)info.st_ino == c->stdout_inode &&
                      (int64_t)info.st_size >= c->stdout_size;
    if (same && has_only_rows(c->stdout_size, (int64_t)info.st_size) &&
        ftruncate(STDOUT_FILENO, c->stdout_size) == 0) {
        (void)lseek(STDOUT_FILENO, c->stdout_size, SEEK_SET);
        return;
    }
    if (!r->options->quiet)
        cli_complain(
            "rows of the systems before %lld were printed by the run before, and perhaps some of "
            "those that follow",
            (long long)c->next);
}

static int load_checkpoint(run *r)
{
    checkpoint c;
    bool found;
    const char *wrong = checkpoint_load(&c, r->path, &found);
    if (wrong) cli_complain("%s: the checkpoint cannot be used: %s", r->path, wrong);
    if (wrong) return EXIT_FILES;
    if (!found) {
        if (!r->options->quiet)
            cli_complain("%s: no checkpoint yet; the run begins at the start", r->path);
        return EXIT_ALL_FINE;
    }
    const int code = check_checkpoint(r, &c);
    if (code != EXIT_ALL_FINE) {
        checkpoint_free(&c);
        return code;
    }
    checkpoint_free(&r->at);
    r->at = c;
    r->resumed = r->has_saved = true;
    if (!r->options->quiet)
        cli_complain("going on with system %lld; %lld are done", (long long)c.next,
                     (long long)c.counts.done);
    return EXIT_ALL_FINE;
}

static int note_inputs(run *r)
{
    r->at.inputs = calloc((size_t)r->n_files + 1, sizeof *r->at.inputs);
    bool ok = r->at.inputs != NULL;
    r->at.n_inputs = ok ? r->n_files : 0;
    for (int k = 0; k < r->n_files && ok; ++k)
        ok = (r->at.inputs[k].path = strdup(r->files[k])) != NULL;
    if (!ok) cli_complain("out of memory");
    return ok ? EXIT_ALL_FINE : EXIT_DEVICE;
}

static run_facts facts_of(const run *r)
{
    const shoal_stream_options *s = &r->job->stream;
    const bool computes = s->job == SHOAL_JOB_ENERGY || s->job == SHOAL_JOB_RELAX;
    return (run_facts){.device = computes ? s->engine->device : NULL,
                       .precision = r->job->precision,
                       .files = r->files,
                       .n_files = r->n_files,
                       .n_threads = r->options->n_threads,
                       .n_ranks = r->peers.size > 0 ? r->peers.size : 1,
                       .first = r->at.next};
}

static int write_csv_header(output *o)
{
    shoal_string *header;
    if (shoal_string_create(&header) != SHOAL_OK) return complain_of_status(SHOAL_E_MEMORY);
    shoal_results_csv_header(header);
    const shoal_status status =
        output_write(o, shoal_string_data(header), shoal_string_size(header));
    shoal_string_destroy(header);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_output();
}

/* Opens what is written; a checkpoint says how much of it there is already. */
static int open_outputs(run *r)
{
    const run_facts facts = facts_of(r);
    int code = EXIT_ALL_FINE;
    bool describes = false;
    shoal_string *text = NULL;
    if (shoal_string_create(&text) != SHOAL_OK) return complain_of_status(SHOAL_E_MEMORY);
    for (int k = 0; k < r->n_outputs; ++k)
        describes = describes || r->outputs[k].kind == OUTPUT_HDF5;
    if (describes) run_describe(&facts, text);
    const shoal_results_header header = {.what.forces = true,
                                         .files = r->files,
                                         .n_files = r->n_files,
                                         .program = "shoal " SHOAL_VERSION,
                                         .command = r->at.command,
                                         .options = shoal_string_data(text),
                                         .device = facts.device};
    for (int k = 0; k < r->n_outputs && code == EXIT_ALL_FINE; ++k) {
        output *o = &r->outputs[k];
        const bool can = r->resumed && output_can_resume(o);
        if (r->at.complete && output_has_its_name(o)) continue;
        code = output_open(o, can ? r->at.outputs[k].size : -1, &header);
        if (code == EXIT_ALL_FINE && !r->resumed && o->kind == OUTPUT_CSV)
            code = write_csv_header(o);
    }
    shoal_string_destroy(text);
    return code;
}

static int open_log(run *r)
{
    const run_facts facts = facts_of(r);
    if (!r->options->log || r->job->plans) return EXIT_ALL_FINE;
    const char *wrong = run_log_open(&r->log, r->options->log, &facts);
    if (!wrong) return EXIT_ALL_FINE;
    cli_complain("%s: cannot write the log: %s", r->options->log, wrong);
    return EXIT_FILES;
}

/* Everything that can be wrong before anything is computed. */
static int begin(run *r)
{
    int code = note_inputs(r);
    if (code == EXIT_ALL_FINE) code = choose_outputs(r);
    if (code != EXIT_ALL_FINE || !r->is_first) return code;
    code = check_inputs(r);
    if (code == EXIT_ALL_FINE) code = choose_checkpoint(r);
    if (code == EXIT_ALL_FINE) code = check_names(r);
    if (code == EXIT_ALL_FINE && r->options->resume && r->path) code = load_checkpoint(r);
    if (code == EXIT_ALL_FINE) code = open_log(r);
    if (code == EXIT_ALL_FINE) code = open_outputs(r);
    if (code != EXIT_ALL_FINE) return code;
    if (r->resumed)
        resume_stdout(r);
    else if (r->path)
        checkpoint_remove(r->path); /* its outputs are gone */
    r->began = true;
    return EXIT_ALL_FINE;
}

/* --- the run ------------------------------------------------------------------------------------- */

/* What the options say, and where it goes. */
static void fill_stream(run *r, shoal_sink *sinks)
{
    const systems_options *o = r->options;
    shoal_stream_options *to = &r->job->stream;
    to->files = r->files;
    to->n_files = r->n_files;
    to->format = o->format;
    to->n_threads = o->n_threads;
    to->strict = o->strict;
    to->perceive = &o->perceive;
    to->uff = &o->uff;
    to->types = o->types;
    to->n_types = o->n_types;
    to->add_hydrogens = o->add_hydrogens;
    to->file_types = o->file_types;
    to->shard = o->shard;
    to->n_shards = o->n_shards;
    to->first = r->at.next;
    free(r->given_state);
    r->given_state = r->at.state; /* it is told again until there is a newer one */
    r->at.state = NULL;
    to->state = r->given_state;
    to->state_size = r->at.state_size;
    to->state_index = r->at.state_index;
    if (r->path)
        to->state_seconds = o->checkpoint_seconds > 0 ? o->checkpoint_seconds : CHECKPOINT_SECONDS;
    if (r->peers.size > 1) to->peers = &r->peers;
    to->visit = visit;
    to->monitor = watch;
    to->user = r;
    to->sinks = sinks;
    if (r->prints) {
        r->sinks[0] = (run_sink){r, NULL};
        sinks[to->n_sinks++] =
            (shoal_sink){.format = format_row, .write = write_rows, .user = &r->sinks[0]};
    }
    for (int k = 0; k < r->n_outputs; ++k) {
        r->sinks[k + 1] = (run_sink){r, &r->outputs[k]};
        const bool on_the_way = r->outputs[k].kind == OUTPUT_TRAJECTORY;
        sinks[to->n_sinks++] = (shoal_sink){.format = on_the_way ? NULL : format_output,
                                            .step = on_the_way ? format_step : NULL,
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
        return !r->has_saved || save(r) ? code : EXIT_FILES;
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
        (void)snprintf(name, sizeof name, "%s", o->part ? output_part_name(o) : "");
        if (!output_close(o, complete, keep) && complete) {
            r->write_failed = true;
            code = EXIT_FILES;
        }
        if (code != EXIT_ALL_FINE && *name && access(name, F_OK) == 0) say_what_is_kept(r, name);
    }
    return code;
}

static int finish(run *r, shoal_status status)
{
    int code = end_code(r, status);
    r->at.counts.evaluations += r->job->counts.evaluations;
    if (r->is_first) {
        code = end_with_checkpoint(r, code, status);
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
    if (r->at.complete) r->job->stream.n_files = 0; /* only the outputs wait for their names */
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
    r->job->stream.n_files = 0;
    if (r->peers.size > 1) (void)shoal_stream_run(&r->job->stream);
    free(sinks);
}

int run_systems(const systems_options *options, const char **files, int n_files, systems_job *job)
{
    run r = {.options = options, .job = job, .files = files, .n_files = n_files, .is_first = true};
    const char *device = job->stream.engine ? job->stream.engine->device : NULL;
    r.style = (row_style){.files = files,
                          .positions = options->positions,
                          .forces = options->forces,
                          .devices = device && strchr(device, ',')};
    if (options->verbose) cli_complain("version %s", shoal_version_text());
    if (shoal_peers_open(&r.peers, false) != SHOAL_OK) return complain_of_status(SHOAL_E_DEVICE);
    r.is_first = r.peers.rank == 0;
    int code = begin(&r);
    if (code == EXIT_ALL_FINE)
        code = run_stream(&r);
    else if (r.peers.size > 1)
        dismiss_peers(&r, code);
    if (code == EXIT_ALL_FINE && job->counts.done == 0 && !options->quiet && r.is_first)
        cli_complain("warning: no systems in %s%s", files[0], n_files > 1 ? " and the others" : "");
    free_run(&r);
    shoal_peers_close(&r.peers);
    return code;
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
