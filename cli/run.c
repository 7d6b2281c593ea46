/* SPDX-License-Identifier: BSD-3-Clause
 * A run over files: what options, rows and messages add to those of the library. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "forcefield_options.h"
#include "interrupt.h"
#include "json.h"
#include "progress.h"
#include "results.h"

#define MAX_REPORTED 20 /* systems that could not be written */
#define MAX_SOURCES 8

typedef struct run {
    const systems_options *options;
    systems_job *job;
    const char **files;
    int n_files;
    row_style style;
    shoal_peers peers;
    shoal_run_options how;
    shoal_certificate *certificate;
    shoal_run_output *outputs; /* rows, if there are any, then files */
    int n_outputs;
    bool prints;        /* rows on standard output */
    bool has_molecules; /* files of them */
    bool wrote_header, resumed, told_renaming, lacking;
    int64_t n_refused;
    const char *sources[MAX_SOURCES];
    shoal_string *about, *members;
    shoal_run_result result;
    progress bar;
    int code; /* of visit, of the conclusion, or of standard output */
} run;

/* --- rows ----------------------------------------------------------------------------------------- */

static void show(void *user, shoal_stream_system *copy)
{
    const systems_job *job = ((const run *)user)->job;
    if (job->show) job->show(job->user, copy);
}

static shoal_status put_json(void *user, const shoal_stream_system *system, shoal_string *out)
{
    run *r = user;
    shoal_stream_system copy = *system;
    show(r, &copy);
    return r->job->json ? r->job->json(r->job->user, &r->style, &copy, out)
                        : shoal_row_json(r->job->stream.job, &r->style, &copy, out);
}

static shoal_status put_table(void *user, const shoal_stream_system *system, shoal_string *out)
{
    run *r = user;
    shoal_stream_system copy = *system;
    show(r, &copy);
    return r->job->table(r->job->user, &r->style, &copy, out);
}

static shoal_status out_of_rows(run *r)
{
    cli_complain("out of memory: rows of the table");
    r->code = EXIT_DEVICE;
    return SHOAL_E_MEMORY;
}

static shoal_status print_rows(void *user, const char *text, size_t size, shoal_string *kept)
{
    run *r = user;
    const char *header = r->options->json ? NULL : r->job->header;
    bool ok = true;
    (void)kept;
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
    r->code = EXIT_FILES; /* the program says so at its end */
    return SHOAL_E_IO;
}

/* --- files ---------------------------------------------------------------------------------------- */

/* What a command has to say of a system in the place of geometries on the way. */
static shoal_status put_more(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const run *r = user;
    return r->job->more(r->job->user, &r->style, system, SHOAL_FORMAT_XYZ, out);
}

static shoal_status frame_of(void *user, const shoal_stream_system *system, shoal_format format,
                             shoal_frame *frame)
{
    const systems_job *job = ((const run *)user)->job;
    return job->frame(job->user, system, format, frame);
}

int run_choose_output(shoal_run_output *to, const char *path, const char *format)
{
    if (shoal_run_output_choose(to, path, format) == SHOAL_OK) return EXIT_ALL_FINE;
    return cli_misuse("%s; --output-format names a format where the name of a file does not",
                      shoal_error_text());
}

/* What this command cannot write. */
static int check_output(const run *r, const shoal_run_output *to, bool on_the_way)
{
    const systems_job *job = r->job;
    const bool is_xyz = to->kind == SHOAL_OUTPUT_MOLECULES && to->format == SHOAL_FORMAT_XYZ;
    if (on_the_way && !is_xyz)
        cli_complain("--%s '%s': expected .xyz or .extxyz (also .gz)",
                     job->more ? "modes-out" : "trajectory", to->path);
    else if (strcmp(to->path, "-") == 0 && r->options->json)
        cli_complain("--json and -o - both go to standard output; expected one of them");
    else if (job->stream.job == SHOAL_JOB_READ &&
             (to->kind == SHOAL_OUTPUT_TEXT || to->kind == SHOAL_OUTPUT_CSV))
        cli_complain("%s: %s writes molecules, expected .xyz, .extxyz, .sdf%s", to->path,
                     cli_command_name(), strcmp(to->path, "-") == 0 ? "" : " or .h5");
    else if (to->kind == SHOAL_OUTPUT_FF_TABLE && strcmp(cli_command_name(), "types") != 0)
        cli_complain("%s: tables of parameters are written by 'shoal types'", to->path);
    else if (job->trajectories && to->kind == SHOAL_OUTPUT_MOLECULES && !is_xyz)
        cli_complain("%s: trajectories are written as .xyz, .extxyz (also .gz) or .h5", to->path);
    else
        return EXIT_ALL_FINE;
    return EXIT_USAGE;
}

static int choose_output(run *r, const char *path, bool on_the_way)
{
    const systems_job *job = r->job;
    shoal_run_output *to = &r->outputs[r->n_outputs];
    int code = run_choose_output(to, path, r->options->output_format);
    if (code == EXIT_ALL_FINE) code = check_output(r, to, on_the_way);
    if (code != EXIT_ALL_FINE) return code;
    const bool takes_frames = to->kind == SHOAL_OUTPUT_MOLECULES || to->kind == SHOAL_OUTPUT_HDF5;
    to->user = r;
    if (to->kind == SHOAL_OUTPUT_TEXT) to->put = put_json;
    if (on_the_way && job->more)
        to->put = put_more;
    else
        to->frames = on_the_way || (job->trajectories && takes_frames);
    r->has_molecules =
        r->has_molecules || (to->kind == SHOAL_OUTPUT_MOLECULES && !to->frames && !to->put);
    r->prints = r->prints && strcmp(path, "-") != 0;
    ++r->n_outputs;
    return EXIT_ALL_FINE;
}

/* A job that digests its results: its journal is the output, where there is one. */
static void choose_journal(run *r)
{
    const systems_options *o = r->options;
    const systems_job *job = r->job;
    r->outputs[0] = (shoal_run_output){.path = o->n_outputs > 0 ? o->outputs[0] : NULL,
                                       .put = job->format,
                                       .take = job->digest,
                                       .replay = job->replay,
                                       .user = job->user};
    r->n_outputs = 1;
}

static shoal_status put_certificate(void *user, const shoal_stream_system *s, shoal_string *out)
{
    return shoal_certificate_put(((const run *)user)->certificate, s, out);
}

static void choose_certificate(run *r)
{
    r->outputs[r->n_outputs++] =
        (shoal_run_output){.path = r->job->certificate, .put = put_certificate, .user = r};
}

static int choose_outputs(run *r)
{
    const systems_options *o = r->options;
    int code = EXIT_ALL_FINE;
    r->outputs = calloc((size_t)o->n_outputs + 3, sizeof *r->outputs);
    if (!r->outputs) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    r->prints = r->job->table != NULL;
    if (r->job->plans) return EXIT_ALL_FINE;
    if (r->job->digest) {
        choose_journal(r);
        return EXIT_ALL_FINE;
    }
    for (int k = 0; k < o->n_outputs && code == EXIT_ALL_FINE; ++k)
        code = choose_output(r, o->outputs[k], false);
    if (code == EXIT_ALL_FINE && o->trajectory) code = choose_output(r, o->trajectory, true);
    if (code == EXIT_ALL_FINE && r->job->certificate) choose_certificate(r);
    if (code != EXIT_ALL_FINE || !r->prints) return code;
    r->outputs[r->n_outputs++] =
        (shoal_run_output){.put = o->json ? put_json : put_table, .take = print_rows, .user = r};
    return EXIT_ALL_FINE;
}

/* --- what it is about ----------------------------------------------------------------------------- */

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

shoal_status run_put_about(shoal_string *out)
{
    int n;
    const cli_choice *choices = cli_choices(&n);
    shoal_string_put_text(out, "shoal " SHOAL_VERSION " ");
    shoal_string_put_text(out, cli_command_name());
    for (int k = 0; k < n; ++k) {
        if (is_of_no_matter(choices[k].name)) continue;
        shoal_string_put_text(out, "\n--");
        shoal_string_put_text(out, choices[k].name);
        shoal_string_put_text(out, choices[k].value[0] ? " " : "");
        shoal_string_put_text(out, choices[k].value);
    }
    return shoal_string_status(out);
}

/* An option that was given several times is a list, where it stands first. */
static void put_choice(json *j, const cli_choice *choices, int n, int k)
{
    const char *name = choices[k].name;
    int n_same = 0;
    for (int i = 0; i < n; ++i) {
        const bool same = strcmp(choices[i].name, name) == 0;
        if (same && i < k) return;
        n_same += same;
    }
    if (n_same == 1) {
        json_text(j, name, choices[k].value);
        return;
    }
    json_open(j, name, '[');
    for (int i = k; i < n; ++i)
        if (strcmp(choices[i].name, name) == 0) json_text(j, NULL, choices[i].value);
    json_close(j, ']');
}

shoal_status run_put_members(shoal_string *out)
{
    int n;
    const cli_choice *choices = cli_choices(&n);
    json j = {.text = out};
    json_text(&j, "command", cli_command_name());
    json_open(&j, "options", '{');
    for (int k = 0; k < n; ++k) put_choice(&j, choices, n, k);
    json_close(&j, '}');
    return shoal_string_status(out);
}

/* Files beside the inputs that results depend on. */
static void choose_sources(run *r)
{
    static const char *const names[] = {"params",  "ff-table", "topology",
                                        "surface", "grid",     "frames"};
    int n;
    struct stat info;
    const cli_choice *choices = cli_choices(&n);
    for (int k = 0; k < n; ++k)
        for (size_t j = 0; j < sizeof names / sizeof names[0]; ++j)
            if (strcmp(choices[k].name, names[j]) == 0 && stat(choices[k].value, &info) == 0 &&
                S_ISREG(info.st_mode) && r->how.n_sources < MAX_SOURCES)
                r->sources[r->how.n_sources++] = choices[k].value;
    r->how.sources = r->sources;
}

/* --- on the way ----------------------------------------------------------------------------------- */

static void report_failure(run *r, const shoal_stream_system *s)
{
    const shoal_system_status status = s->result.status;
    if (status == SHOAL_SYSTEM_OK || status == SHOAL_SYSTEM_CONVERGED) return;
    if (r->job->digest && s->variant > 0) return; /* of a search, the first start */
    failures_add(&r->job->failures, s);
}

static void report_refusal(run *r, const shoal_stream_system *s)
{
    char buffer[32];
    if (!s->refusal || ++r->n_refused > MAX_REPORTED) return;
    cli_complain("%s: not written: %s", shoal_row_title(s, buffer), s->refusal);
}

/* A user's field that has the name of one of ours is kept under another, which is said once. */
static void report_renaming(run *r, const shoal_stream_system *s)
{
    if (r->told_renaming || r->options->quiet || !r->has_molecules ||
        r->job->stream.job == SHOAL_JOB_READ)
        return;
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
    for (int32_t i = 0; i < n; ++i) {
        if (systems[i].unfinished) continue;
        report_failure(r, &systems[i]);
        warnings_add(&r->job->warnings, &systems[i]);
        report_refusal(r, &systems[i]);
        report_renaming(r, &systems[i]);
    }
    if (r->job->visit) r->code = r->job->visit(r->job->user, systems, n);
    return r->code == EXIT_ALL_FINE ? SHOAL_OK : SHOAL_E_ARGUMENT;
}

static bool watch(void *user, const shoal_stream_progress *p)
{
    progress_stream(&((run *)user)->bar, p);
    ((run *)user)->job->n_embedded = p->n_embedded;
    interrupt_keep();
    return interrupt_code() == 0;
}

static void report_stop(const run *r, const char *checkpoint)
{
    progress_end((progress *)(uintptr_t)&r->bar);
    if (interrupt_code())
        cli_complain("interrupted by %s", interrupt_name());
    else
        cli_complain("stopped after %g hours", r->options->max_hours);
    if (*checkpoint)
        cli_complain("stopped with the checkpoint %s; the same command with --resume continues",
                     checkpoint);
}

static void report_resumption(run *r, const char *text)
{
    r->resumed = true;
    if (r->options->quiet) return;
    cli_complain("%s", text);
    if (r->prints && !r->options->json && r->result.counts.done > 0)
        cli_complain("rows of these systems were printed by the earlier run, and perhaps some of "
                     "the following ones");
}

static void hear(void *user, shoal_run_event event, const char *text)
{
    run *r = user;
    if (event == SHOAL_RUN_FAILED) progress_end(&r->bar);
    if (event == SHOAL_RUN_RESUMED)
        report_resumption(r, text);
    else if (event == SHOAL_RUN_STOPPED)
        report_stop(r, text);
    else if (event == SHOAL_RUN_NOTE && r->options->quiet)
        return;
    else if (event != SHOAL_RUN_FAILED || r->code == EXIT_ALL_FINE)
        cli_complain("%s", text); /* a failure with a code of its own was told */
}

/* The end of a job that digests its results. Some systems may have failed; all else keeps the checkpoint. */
static shoal_status conclude(void *user, const shoal_run_result *result)
{
    run *r = user;
    progress_end(&r->bar);
    r->job->counts.done = result->counts.done;
    r->job->seconds = result->seconds;
    r->code = r->job->conclude(r->job->user);
    r->lacking = r->code == EXIT_SOME_FAILED;
    if (r->lacking) r->code = EXIT_ALL_FINE;
    return r->code == EXIT_ALL_FINE ? SHOAL_OK : SHOAL_E_ARGUMENT;
}

/* --- the run -------------------------------------------------------------------------------------- */

static int code_of(const run *r, const shoal_run_result *result, shoal_status status)
{
    if (r->code != EXIT_ALL_FINE) return r->code;
    if (status != SHOAL_OK) return exit_of_status(status);
    if (result->stopped && !result->saved && interrupt_code()) return interrupt_code();
    if (result->stopped) return EXIT_STOPPED;
    return r->lacking || result->counts.refused > 0 ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}

/* For the log, where those that failed count. */
static int32_t logged_code(void *user, const shoal_run_result *result, shoal_status status)
{
    const int code = code_of(user, result, status);
    return code == EXIT_ALL_FINE && result->counts.failed > 0 ? EXIT_SOME_FAILED : code;
}

/* What the options say of the stream. */
static void fill_stream(run *r)
{
    const systems_options *o = r->options;
    shoal_stream_options *to = &r->job->stream;
    to->input.files = r->files;
    to->input.n_files = r->n_files;
    to->input.format = o->format;
    to->input.read = o->read;
    to->compute.n_threads = o->n_threads;
    to->input.strict = o->strict;
    to->build.conformers = o->conformers;
    to->typing.perceive = &o->perceive;
    to->typing.forcefield = &o->typing;
    to->typing.types = o->types;
    to->typing.n_types = o->n_types;
    to->typing.add_hydrogens = o->add_hydrogens;
    to->typing.keep_flat = o->keep_flat;
    to->typing.drop_solvent = o->drop_solvent;
    to->typing.primitive = o->primitive;
    to->typing.space_group = o->space_group;
    to->typing.fragment = o->fragment;
    to->typing.file_types = o->file_types;
    to->input.shard = o->shard;
    to->input.n_shards = o->n_shards;
    if (r->peers.size > 1) to->peers = &r->peers;
    to->output.visit = visit;
    to->output.monitor = watch;
    to->output.user = r;
}

static shoal_status fill_run(run *r)
{
    const systems_options *o = r->options;
    const systems_job *job = r->job;
    r->how = (shoal_run_options){
        .stream = &job->stream,
        .outputs = r->outputs,
        .n_outputs = r->n_outputs,
        .what = {.forces = true,
                 .variants =
                     (job->stream.build.variants || o->conformers.n > 0) && !job->plain_records,
                 .adsorption = job->stream.compute.adsorption,
                 .dynamics = job->trajectories,
                 .directions = may_have_directions(o),
                 .stress =
                     job->stream.job == SHOAL_JOB_ENERGY || job->stream.job == SHOAL_JOB_RELAX},
        .slab = job->slab,
        .frame = job->frame ? frame_of : NULL,
        .show = show,
        .checkpoint = job->plans ? NULL : o->checkpoint,
        .seconds = o->checkpoint_seconds,
        .max_seconds = 3600 * o->max_hours,
        .resume = o->resume,
        .rows = r->prints && o->json ? STDOUT_FILENO : 0,
        .log = job->plans ? NULL : o->log,
        .log_first = job->digest != NULL,
        .code = logged_code,
        .conclude = job->conclude ? conclude : NULL,
        .tell = hear,
        .user = r};
    memcpy(r->how.slab_c, job->slab_c, sizeof r->how.slab_c);
    choose_sources(r);
    shoal_status status = shoal_string_create(&r->about);
    if (status == SHOAL_OK) status = shoal_string_create(&r->members);
    if (status == SHOAL_OK) status = run_put_about(r->about);
    if (status == SHOAL_OK) status = run_put_members(r->members);
    r->how.about = shoal_string_data(r->about);
    r->how.members = shoal_string_data(r->members);
    return status;
}

/* What the library cannot say of the options. */
static void hint(const run *r)
{
    const systems_options *o = r->options;
    if (r->result.began || (!o->resume && !o->checkpoint && !(o->max_hours > 0))) return;
    if (shoal_run_can_resume(&r->how)) return;
    cli_complain("--%s needs a file to write to (-o or --checkpoint), and files, not pipes, as "
                 "inputs and outputs",
                 o->resume       ? "resume"
                 : o->checkpoint ? "checkpoint"
                                 : "max-hours");
}

static int run_stream(run *r)
{
    systems_job *job = r->job;
    progress_begin(&r->bar, !r->options->quiet && r->peers.rank == 0);
    interrupt_ask(true);
    const shoal_status status = shoal_run_stream(&r->how, &r->result);
    progress_end(&r->bar);
    interrupt_ask(false);
    const int code = code_of(r, &r->result, status);
    job->counts = r->result.counts;
    job->counts.evaluations = r->result.evaluations;
    job->seconds = r->result.seconds;
    job->reports = r->result.leads;
    if (status == SHOAL_E_ARGUMENT) hint(r);
    /* One that cannot begin ends all: it would send nothing. */
    if (status != SHOAL_OK && !r->result.began && !r->result.leads) _exit(code);
    if (status == SHOAL_OK && !r->result.stopped && job->counts.refused > 0)
        cli_complain("%lld system%s could not be written", (long long)job->counts.refused,
                     job->counts.refused == 1 ? "" : "s");
    return code;
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
    if (o->quiet || r->resumed || r->peers.size > 1 || r->result.counts.done == 0) return;
    for (int k = 0; k < o->n_types; ++k) warn_of_selection("type", o->types[k].where);
    if (r->job->stream.job < SHOAL_JOB_RELAX) return; /* others hold atoms by themselves, later */
    for (int k = 0; k < r->job->stream.constraints.n_fix; ++k)
        warn_of_selection("fix", r->job->stream.constraints.fix[k]);
}

/* Which parameters made the energies is part of the result. */
static void tell_metals(const run *r)
{
    if (r->style.metals[0] && !r->options->quiet && r->result.leads && r->result.counts.done > 0)
        cli_complain("parameters of the metal surface: %s", r->style.metals);
}

static void tell_idle(const run *r)
{
    const shoal_engine_options *engine = r->job->stream.compute.engine;
    char device[24];
    if (!r->options->quiet && r->result.leads && engine &&
        shoal_device_left_idle(engine->device, r->result.seconds, device))
        cli_complain("a GPU was idle during this run: --device auto uses %s", device);
}

static int run_with_peers(run *r)
{
    if (shoal_peers_open(&r->peers, false) != SHOAL_OK) return complain_of_status(SHOAL_E_DEVICE);
    fill_stream(r);
    shoal_status status = fill_run(r);
    if (status == SHOAL_OK && r->job->certificate)
        status = shoal_certificate_create(&r->certificate, &r->job->stream, r->options->forcefield);
    const int code = status == SHOAL_OK ? run_stream(r) : complain_of_status(status);
    if (code == EXIT_ALL_FINE && r->job->counts.done == 0 && !r->options->quiet &&
        r->result.leads && r->job->stream.input.first == 0)
        cli_complain("warning: no systems in %s%s", r->files[0],
                     r->n_files > 1 ? " and the others" : "");
    tell_metals(r);
    tell_idle(r);
    warn_of_selections(r);
    shoal_peers_close(&r->peers);
    return code;
}

int run_systems(const systems_options *options, const char **files, int n_files, systems_job *job)
{
    run r = {.options = options, .job = job, .files = files, .n_files = n_files};
    const shoal_engine_options *engine = job->stream.compute.engine;
    const char *device = engine ? engine->device : NULL;
    shoal_surface_view surface;
    shoal_surface_get(engine ? engine->surface : NULL, &surface);
    r.style = (row_style){.files = files,
                          .positions = options->positions,
                          .forces = options->forces,
                          .devices = device && strchr(device, ','),
                          .adsorption = job->stream.compute.adsorption,
                          .copies = job->stream.build.variants,
                          .metals = surface.metals};
    if (!forcefield_agrees(options)) return EXIT_USAGE;
    if (options->verbose) cli_complain("version %s", shoal_version_text());
    int code = choose_outputs(&r);
    if (code == EXIT_ALL_FINE) code = run_with_peers(&r);
    shoal_certificate_destroy(r.certificate);
    shoal_string_destroy(r.about);
    shoal_string_destroy(r.members);
    free(r.outputs);
    return code;
}

void run_say_rate(const systems_options *options, const systems_job *job, int code,
                  const char *what, const char *of)
{
    const shoal_run_counts *c = &job->counts;
    if ((code != EXIT_ALL_FINE && code != EXIT_SOME_FAILED) || !job->reports) return;
    char seconds[32], rate[32];
    if (c->done == 0 || options->quiet) return;
    cli_complain("%lld of %lld %s, %lld %s in %s s (%s/s)", (long long)(c->done - c->failed),
                 (long long)c->done, what, (long long)c->evaluations, of,
                 progress_about(job->seconds, seconds),
                 progress_about((double)c->evaluations / job->seconds, rate));
}

void run_say_charges(const systems_options *options, const systems_job *job)
{
    const int64_t *n = job->counts.charges;
    static const char *const whose[] = {[SHOAL_CHARGES_FILE] = "of the file",
                                        [SHOAL_CHARGES_QEQ] = "by QEq",
                                        [SHOAL_CHARGES_MMFF94] = "of MMFF94",
                                        [SHOAL_CHARGES_TYPES] = "of the table's types",
                                        [SHOAL_CHARGES_QEQ_MOLECULES] = "by QEq of each molecule"};
    char text[160];
    int used = 0;
    for (int k = SHOAL_CHARGES_FILE; k < SHOAL_N_CHARGE_SOURCES; ++k)
        if (n[k] > 0)
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%s in %lld system%s",
                             used > 0 ? ", " : "", whose[k], (long long)n[k], n[k] > 1 ? "s" : "");
    if (used == 0 || options->quiet) return;
    if (n[SHOAL_CHARGES_NONE] > 0)
        (void)snprintf(text + used, sizeof text - (size_t)used, ", none in %lld",
                       (long long)n[SHOAL_CHARGES_NONE]);
    cli_complain("charges, and so Coulomb energies: %s", text);
}

void run_say_references(const systems_options *options, const systems_job *job)
{
    const shoal_stream_options *o = &job->stream;
    const bool own = !o->build.movable && (o->build.conformers.n > 0 ||
                                           (o->build.variants && o->build.variants->own_charges));
    if (options->quiet || job->counts.done == 0) return;
    if (own && options->typing.charges == SHOAL_CHARGES_QEQ)
        cli_complain("QEq charges are those of each geometry");
    if (o->compute.adsorption && (o->constraints.rigid_molecules || o->constraints.n_rigid > 0))
        cli_complain("adsorption energies refer to each molecule alone, with the same atoms rigid");
    else if (o->compute.adsorption)
        cli_complain("adsorption energies refer to the lowest of up to %lld conformers of each "
                     "molecule alone",
                     (long long)(o->compute.alone ? o->compute.alone->n : 1));
}

int run_conclude(const systems_options *options, const systems_job *job, int code, const char *what)
{
    const shoal_run_counts *c = &job->counts;
    if ((code != EXIT_ALL_FINE && code != EXIT_SOME_FAILED) || !job->reports) return code;
    run_say_charges(options, job);
    run_say_references(options, job);
    if (c->warned > 0 && !options->quiet) {
        cli_complain("%lld system%s a warning%s", (long long)c->warned,
                     c->warned == 1 ? " has" : "s have", job->warnings.n > 0 ? ":" : "");
        warnings_print(&job->warnings);
    }
    if (job->n_embedded > 0 && job->stream.build.conformers.n == 0 && !options->quiet)
        cli_complain("%lld record%s no geometry and got a conformer", (long long)job->n_embedded,
                     job->n_embedded == 1 ? " had" : "s had");
    if (c->no_hydrogens > 0 && !options->quiet)
        cli_complain("%lld system%s hydrogen atoms; --add-hydrogens adds them",
                     (long long)c->no_hydrogens, c->no_hydrogens == 1 ? " lacks" : "s lack");
    if (c->failed == 0) return code;
    cli_complain("%lld system%s %s%s", (long long)c->failed, c->failed == 1 ? "" : "s", what,
                 job->failures.n > 0 ? ":" : "");
    failures_print(&job->failures, c->failed);
    return EXIT_SOME_FAILED;
}
