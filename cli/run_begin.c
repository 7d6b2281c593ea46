/* SPDX-License-Identifier: BSD-3-Clause
 * The beginning of a run over files: names, checkpoint, log, outputs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_inner.h"

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

static int check_output(const run *r, int k)
{
    const output *o = &r->outputs[k];
    for (int j = 0; j < r->n_files; ++j)
        if (strcmp(o->path, "-") != 0 && output_is_same(o->path, r->files[j])) {
            cli_complain("%s is an input, too; expected another name for the output", o->path);
            return EXIT_USAGE;
        }
    for (int j = 0; j < k; ++j)
        if (output_is_same(o->path, r->outputs[j].path) && strcmp(o->path, "/dev/null") != 0) {
            cli_complain("%s is named as an output twice", o->path);
            return EXIT_USAGE;
        }
    if (strcmp(o->path, "-") == 0 && r->options->json) {
        cli_complain("--json and -o - both go to standard output; expected one of them");
        return EXIT_USAGE;
    }
    if (!r->job->json && !r->job->digest && (o->kind == OUTPUT_JSON || o->kind == OUTPUT_CSV)) {
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
            cli_complain("--%s '%s': expected .xyz or .extxyz (also .gz)",
                         r->job->more ? "modes-out" : "trajectory", to->path);
            code = EXIT_USAGE;
        }
        if (code == EXIT_ALL_FINE) code = check_output(r, k);
        if (code == EXIT_ALL_FINE && r->job->trajectories && to->kind == OUTPUT_MOLECULES &&
            to->format != SHOAL_FORMAT_XYZ) {
            cli_complain("%s: trajectories are written as .xyz, .extxyz (also .gz) or .h5",
                         to->path);
            code = EXIT_USAGE;
        }
        if (code != EXIT_ALL_FINE) return code;
        to->on_the_way = on_the_way || (r->job->trajectories &&
                                        (to->kind == OUTPUT_MOLECULES || to->kind == OUTPUT_HDF5));
        if (to->on_the_way && to->kind == OUTPUT_MOLECULES) to->kind = OUTPUT_TRAJECTORY;
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
    return strcmp(name, "params") == 0 || strcmp(name, "surface") == 0 ||
           strcmp(name, "grid") == 0 || strcmp(name, "frames") == 0;
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

char *run_command(void)
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
    r->at.command = run_command();
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
        bool taken = n == 1 && names[0] && names[1] && output_is_same(names[0], names[1]);
        for (int k = 0; k < r->n_files && names[n]; ++k)
            taken = taken || output_is_same(names[n], r->files[k]);
        for (int k = 0; k < r->n_outputs && names[n]; ++k)
            taken = taken || output_is_same(names[n], r->outputs[k].path);
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
    if (!r->prints) return;
    const bool same = c->stdout_size >= 0 && fstat(STDOUT_FILENO, &info) == 0 &&
                      S_ISREG(info.st_mode) && (int64_t)info.st_dev == c->stdout_device &&
                      (int64_t)info.st_ino == c->stdout_inode &&
                      (int64_t)info.st_size >= c->stdout_size;
    if (same && has_only_rows(c->stdout_size, (int64_t)info.st_size) &&
        ftruncate(STDOUT_FILENO, c->stdout_size) == 0) {
        (void)lseek(STDOUT_FILENO, c->stdout_size, SEEK_SET);
        return;
    }
    if (!r->options->quiet && c->next > 0)
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
    const bool computes = s->job >= SHOAL_JOB_ENERGY;
    return (run_facts){.device = computes ? s->compute.engine->device : NULL,
                       .precision = r->job->precision,
                       .files = r->files,
                       .n_files = r->n_files,
                       .n_threads = r->options->n_threads,
                       .n_ranks = r->peers.size > 0 ? r->peers.size : 1,
                       .first = r->at.next};
}

static int write_csv_header(const run *r, output *o)
{
    shoal_string *header;
    if (shoal_string_create(&header) != SHOAL_OK) return complain_of_status(SHOAL_E_MEMORY);
    shoal_results_csv_header(&r->what, header);
    const shoal_status status =
        output_write(o, shoal_string_data(header), shoal_string_size(header));
    shoal_string_destroy(header);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_output();
}

/* True if there is a checkpoint that this run does not go on with. */
static bool has_other_work(const run *r)
{
    checkpoint c = {0};
    bool found = false;
    if (!r->path || checkpoint_load(&c, r->path, &found) || !found) return false;
    const bool has = c.counts.done > 0 && !c.complete;
    checkpoint_free(&c);
    if (has && !r->options->quiet)
        cli_complain(
            "the run begins anew; what an earlier one had done is kept with the ending .old");
    return has;
}

/* Opens what is written; a checkpoint says how much of it there is already. */
static int open_outputs(run *r)
{
    const bool has_work = !r->resumed && has_other_work(r);
    const run_facts facts = facts_of(r);
    int code = EXIT_ALL_FINE;
    bool describes = false;
    shoal_string *text = NULL;
    if (shoal_string_create(&text) != SHOAL_OK) return complain_of_status(SHOAL_E_MEMORY);
    for (int k = 0; k < r->n_outputs; ++k)
        describes = describes || r->outputs[k].kind == OUTPUT_HDF5;
    if (describes) run_describe(&facts, text);
    const shoal_results_header header = {.what = r->what,
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
        code = output_open(o, can ? r->at.outputs[k].size : -1, has_work, &header);
        if (code == EXIT_ALL_FINE && !r->resumed && o->kind == OUTPUT_CSV)
            code = write_csv_header(r, o);
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

static shoal_status replay_file(const run *r, FILE *file, int64_t size)
{
    char *text = malloc((size_t)size + 1);
    shoal_status status = SHOAL_E_MEMORY;
    if (text && fread(text, 1, (size_t)size, file) == (size_t)size)
        status = r->job->replay(r->job->user, text, (size_t)size);
    else if (text)
        status = SHOAL_E_IO;
    free(text);
    return status;
}

/* What a job that digests its results has written of them so far. */
static int replay_journal(const run *r)
{
    if (!r->job->replay || !r->resumed || r->n_outputs == 0) return EXIT_ALL_FINE;
    const output *o = &r->outputs[0];
    const char *path = output_is_open(o) && o->part ? o->part : o->path;
    FILE *file = fopen(path, "rb");
    const shoal_status status = file ? replay_file(r, file, r->at.outputs[0].size) : SHOAL_E_IO;
    if (file) (void)fclose(file);
    if (status == SHOAL_OK) return EXIT_ALL_FINE;
    cli_complain("%s: the work of the run before cannot be read: %s", path, shoal_error_text());
    return EXIT_FILES;
}

int run_begin(run *r)
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
    if (code == EXIT_ALL_FINE) code = replay_journal(r);
    if (code != EXIT_ALL_FINE) return code;
    if (r->resumed)
        resume_stdout(r);
    else if (r->path)
        checkpoint_remove(r->path); /* its outputs are gone */
    r->began = true;
    return EXIT_ALL_FINE;
}
