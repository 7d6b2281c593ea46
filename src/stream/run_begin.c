/* SPDX-License-Identifier: BSD-3-Clause
 * The beginning of a run: names, checkpoint, log, outputs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "stream/run.h"
#include "stream/stream.h"

/* --- what goes in and out ------------------------------------------------------------------------- */

static void put_form(shoal_string *out, const char *word, bool is_there)
{
    if (!is_there) return;
    shoal_string_put_text(out, " ");
    shoal_string_put_text(out, word);
}

/* How systems are written to an output: what a run that goes on has to do as the one before. */
static shoal_status describe_output(const run *r, const shoal_run_output *o, char **form)
{
    static const char *const kinds[] = {"text", "molecules", "csv", "hdf5"};
    const shoal_results_what *w = &r->options->what;
    const bool is_molecules = o->kind == SHOAL_OUTPUT_MOLECULES;
    const bool is_table = o->kind == SHOAL_OUTPUT_CSV || o->kind == SHOAL_OUTPUT_HDF5;
    shoal_string text = {0};
    shoal_string_put_text(&text, kinds[o->kind]);
    put_form(&text,
             o->format == SHOAL_FORMAT_SDF      ? "sdf"
             : o->format == SHOAL_FORMAT_MOL2   ? "mol2"
             : o->format == SHOAL_FORMAT_CIF    ? "cif"
             : o->format == SHOAL_FORMAT_PDB    ? "pdb"
             : o->format == SHOAL_FORMAT_POSCAR ? "poscar"
                                                : "xyz",
             is_molecules);
    put_form(&text, "frames", o->frames);
    put_form(&text, "forces", is_table && w->forces);
    put_form(&text, "variants", is_table && w->variants);
    put_form(&text, "adsorption", is_table && w->adsorption);
    put_form(&text, "dynamics", is_table && w->dynamics);
    put_form(&text, "directions", is_table && w->directions);
    if (is_molecules && r->options->slab) {
        char slab[128];
        shoal_surface_view v;
        shoal_surface_get(r->options->slab, &v);
        (void)snprintf(slab, sizeof slab, "slab %016" PRIx64 " %.17g %.17g %.17g", v.hash,
                       r->options->slab_c[0], r->options->slab_c[1], r->options->slab_c[2]);
        put_form(&text, slab, true);
    }
    *form = shoal_string_status(&text) == SHOAL_OK ? shoal_strdup(shoal_string_data(&text)) : NULL;
    shoal_string_free(&text);
    return *form ? SHOAL_OK : SHOAL_E_MEMORY;
}

static shoal_status note_files(run *r)
{
    const shoal_run_options *o = r->options;
    const int32_t n_in = o->stream->input.n_files + o->n_sources, n_out = o->n_outputs;
    struct stat info;
    r->files = shoal_alloc((size_t)n_out, sizeof *r->files);
    r->of = shoal_alloc((size_t)n_out, sizeof *r->of);
    r->read = shoal_alloc((size_t)n_in, sizeof *r->read);
    r->sinks = shoal_alloc((size_t)n_out + (size_t)o->stream->output.n_sinks, sizeof *r->sinks);
    r->passes = shoal_alloc((size_t)o->stream->output.n_sinks, sizeof *r->passes);
    r->at.inputs = shoal_alloc((size_t)n_in, sizeof *r->at.inputs);
    r->at.outputs = shoal_alloc((size_t)n_out, sizeof *r->at.outputs);
    r->at.version = shoal_strdup(SHOAL_VERSION);
    r->at.about = shoal_strdup(o->about ? o->about : "");
    if (!r->files || !r->of || !r->read || !r->sinks || !r->passes || !r->at.inputs ||
        !r->at.outputs || !r->at.version || !r->at.about)
        return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n_out; ++k) {
        run_file_choose(&r->files[k], &o->outputs[k]);
        r->files[k].n_threads = stream_count_threads(o->stream->compute.n_threads);
        r->of[k] = (run_sink){.run = r, .output = &o->outputs[k], .file = &r->files[k]};
        const char *path = o->outputs[k].path;
        r->at.outputs[k].path = shoal_strdup(path ? path : "");
        r->at.n_outputs = k + 1;
        if (!r->at.outputs[k].path) return SHOAL_E_MEMORY;
        SHOAL_TRY(describe_output(r, &o->outputs[k], &r->at.outputs[k].form));
    }
    for (int32_t k = 0; k < n_in; ++k) {
        r->read[k] = k < o->stream->input.n_files ? o->stream->input.files[k]
                                                  : o->sources[k - o->stream->input.n_files];
        r->at.inputs[k].path = shoal_strdup(r->read[k]);
        r->at.n_inputs = k + 1;
        if (!r->at.inputs[k].path) return SHOAL_E_MEMORY;
        if (stat(r->read[k], &info) == 0) r->at.inputs[k].size = info.st_size;
    }
    return SHOAL_OK;
}

static shoal_status check_output(const run *r, int32_t k)
{
    const shoal_run_options *o = r->options;
    const shoal_run_output *to = &o->outputs[k];
    if (to->kind == SHOAL_OUTPUT_TEXT && !to->put)
        return shoal_fail(SHOAL_E_ARGUMENT, "output %d: expected put with SHOAL_OUTPUT_TEXT", k);
    if (!to->path && !to->take)
        return shoal_fail(SHOAL_E_ARGUMENT, "output %d: expected a path or take, got neither", k);
    if (!to->path || strcmp(to->path, "-") == 0) return SHOAL_OK;
    for (int32_t j = 0; j < o->stream->input.n_files; ++j)
        if (shoal_path_is_same(to->path, o->stream->input.files[j]))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "%s is an input, too; expected another name for the output",
                              to->path);
    for (int32_t j = 0; j < k; ++j)
        if (o->outputs[j].path && shoal_path_is_same(to->path, o->outputs[j].path) &&
            strcmp(to->path, "/dev/null") != 0)
            return shoal_fail(SHOAL_E_ARGUMENT, "%s is named as an output twice", to->path);
    return SHOAL_OK;
}

static shoal_status try_input(const run *r, const char *path)
{
    shoal_results_reader *results = NULL;
    shoal_reader *reader = NULL;
    shoal_format format = r->options->stream->input.format;
    if (format == SHOAL_FORMAT_AUTO) format = shoal_format_by_path(path);
    const shoal_status status = format == SHOAL_FORMAT_HDF5
                                    ? shoal_results_open(&results, path)
                                    : shoal_reader_open(&reader, path, format);
    if (results && !shoal_results_is_complete(results))
        run_tell(r, SHOAL_RUN_NOTE,
                 "warning: %s: the run that writes it has not finished; %lld systems are read",
                 path, (long long)shoal_results_n_systems(results));
    shoal_results_reader_destroy(results);
    shoal_reader_destroy(reader);
    return status;
}

/* Regular files are opened once, so that a wrong name is known before anything is computed. */
static shoal_status check_inputs(const run *r)
{
    const shoal_stream_options *s = r->options->stream;
    for (int32_t k = 0; k < s->input.n_files; ++k) {
        struct stat info;
        if (strcmp(s->input.files[k], "-") == 0) continue;
        if (stat(s->input.files[k], &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
            continue;
        SHOAL_TRY(try_input(r, s->input.files[k]));
    }
    return SHOAL_OK;
}

/* --- the checkpoint ------------------------------------------------------------------------------- */

/* The first output that is a file, whose name the checkpoint has. */
static const char *first_path(const shoal_run_options *o)
{
    for (int32_t k = 0; k < o->n_outputs; ++k)
        if (o->outputs[k].path) return o->outputs[k].path;
    return NULL;
}

static bool is_regular(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool shoal_run_can_resume(const shoal_run_options *o)
{
    run_file f;
    if (!o || !o->stream) return false;
    bool can = first_path(o) || o->checkpoint;
    for (int32_t k = 0; k < o->n_outputs && can; ++k) {
        run_file_choose(&f, &o->outputs[k]);
        can = f.is_file || !o->outputs[k].path;
    }
    for (int32_t k = 0; k < o->stream->input.n_files && can; ++k)
        can = is_regular(o->stream->input.files[k]);
    for (int32_t k = 0; k < o->n_sources && can; ++k) can = is_regular(o->sources[k]);
    return can;
}

/* The name of the checkpoint, if everything that goes in and out can be gone on with. */
static shoal_status choose_checkpoint(run *r)
{
    const shoal_run_options *o = r->options;
    if (!shoal_run_can_resume(o)) {
        if (!o->checkpoint && !(o->max_seconds > 0) && !o->resume) return SHOAL_OK;
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "a run that can be resumed needs a file to write to, and files, not "
                          "pipes, as inputs and outputs");
    }
    const char *first = o->checkpoint ? o->checkpoint : first_path(o);
    const size_t n = strlen(first) + sizeof ".checkpoint";
    r->path = shoal_alloc(n, 1);
    if (!r->path) return SHOAL_E_MEMORY;
    (void)snprintf(r->path, n, "%s%s", first, o->checkpoint ? "" : ".checkpoint");
    return shoal_stream_fingerprint(o->stream, false, r->at.digest);
}

/* Checkpoint and log are files of their own. */
static shoal_status check_names(const run *r)
{
    const shoal_run_options *o = r->options;
    const char *const names[] = {r->path, o->log};
    for (int n = 0; n < 2; ++n) {
        bool taken = n == 1 && shoal_path_is_same(names[0], names[1]);
        for (int32_t k = 0; k < o->stream->input.n_files; ++k)
            taken = taken || shoal_path_is_same(names[n], o->stream->input.files[k]);
        for (int32_t k = 0; k < o->n_outputs; ++k)
            taken = taken || shoal_path_is_same(names[n], o->outputs[k].path);
        if (taken)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "%s is an input or an output, too; expected another name for the %s",
                              names[n], n == 0 ? "checkpoint" : "log");
    }
    return r->path ? checkpoint_check_name(r->path) : SHOAL_OK;
}

/* That of a run before is there, and this one would not go on with it. */
static bool has_output(const run *r)
{
    bool has = false;
    for (int32_t k = 0; k < r->options->n_outputs; ++k)
        has = has || (r->files[k].is_file && access(r->options->outputs[k].path, F_OK) == 0);
    return has;
}

/* Large inputs take a while, in which the run can be stopped; false: it was. */
static bool wait_for_hashes(run *r)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    const shoal_stream_output *out = &r->options->stream->output;
    const shoal_stream_progress nothing = {0};
    while (!run_hashes_done(&r->hashes, false)) {
        if (out->monitor && !out->monitor(out->user, &nothing)) return false;
        (void)nanosleep(&moment, NULL);
    }
    return true;
}

static shoal_status load_checkpoint(run *r)
{
    checkpoint c;
    bool found;
    SHOAL_TRY(checkpoint_load(&c, r->path, &found));
    if (!found) {
        run_tell(r, has_output(r) ? SHOAL_RUN_WARNING : SHOAL_RUN_NOTE,
                 "%s: no checkpoint yet; the run begins at the start", r->path);
        return SHOAL_OK;
    }
    if (!wait_for_hashes(r)) {
        r->result->stopped = r->result->saved = true;
        r->result->counts = c.counts;
        checkpoint_free(&c);
        return SHOAL_OK;
    }
    run_note_hashes(r);
    const shoal_status status = checkpoint_compare(&c, &r->at, r->path);
    if (status != SHOAL_OK) {
        checkpoint_free(&c);
        return status;
    }
    for (int64_t k = 0; k < c.n_inputs; ++k) c.inputs[k].size = r->at.inputs[k].size; /* of now */
    checkpoint_free(&r->at);
    r->at = c;
    r->has_saved = r->result->resumed = true;
    r->result->counts = c.counts;
    run_tell(r, SHOAL_RUN_RESUMED, "going on with system %lld; %lld are done", (long long)c.next,
             (long long)c.counts.done);
    return SHOAL_OK;
}

/* True if there is a checkpoint that this run does not go on with. */
static bool has_other_work(const run *r)
{
    checkpoint c = {0};
    bool found = false;
    const shoal_status status = r->path ? checkpoint_load(&c, r->path, &found) : SHOAL_OK;
    /* One of another version may stand for any work. */
    const bool has = status == SHOAL_E_FORMAT || (found && c.counts.done > 0 && !c.complete);
    checkpoint_free(&c);
    if (has)
        run_tell(r, SHOAL_RUN_NOTE,
                 "the run starts from the beginning; the output of an earlier one is kept with the "
                 "ending .old");
    return has;
}

/* --- outputs -------------------------------------------------------------------------------------- */

static shoal_status write_csv_header(const run *r, run_file *f)
{
    shoal_string header = {0};
    shoal_results_csv_header(&r->options->what, &header);
    const shoal_status status =
        run_file_write(f, shoal_string_data(&header), shoal_string_size(&header));
    shoal_string_free(&header);
    return status;
}

static shoal_status open_output(run *r, int32_t k, bool has_work,
                                const shoal_results_header *header)
{
    run_file *f = &r->files[k];
    const bool resumed = r->result->resumed;
    bool complete = false;
    if (r->at.complete) SHOAL_TRY(run_file_is_complete(f, &r->at.outputs[k], &complete));
    if (complete) return SHOAL_OK;
    SHOAL_TRY(run_file_open(f, resumed ? &r->at.outputs[k] : NULL, has_work, header));
    const bool begins = !resumed && f->output->kind == SHOAL_OUTPUT_CSV && !f->output->put;
    return begins ? write_csv_header(r, f) : SHOAL_OK;
}

/* Opens what is written; a checkpoint says how much of it there is already. */
static shoal_status open_outputs(run *r)
{
    const shoal_run_options *o = r->options;
    const shoal_stream_options *s = o->stream;
    const bool has_work = !r->result->resumed && has_other_work(r);
    bool describes = false;
    shoal_string text = {0};
    shoal_results_header header = {.program = "shoal " SHOAL_VERSION,
                                   .command = o->about,
                                   .device = s->job >= SHOAL_JOB_ENERGY && s->compute.engine
                                                 ? s->compute.engine->device
                                                 : NULL};
    for (int32_t k = 0; k < o->n_outputs; ++k)
        describes = describes || (o->outputs[k].path && o->outputs[k].kind == SHOAL_OUTPUT_HDF5);
    if (o->header) header = *o->header;
    header.what = o->what;
    if (!o->header || !header.files) {
        header.files = s->input.files;
        header.n_files = s->input.n_files;
    }
    shoal_status status = describes && !o->header ? shoal_run_describe(o, &text) : SHOAL_OK;
    if (!o->header) header.options = shoal_string_data(&text);
    for (int32_t k = 0; k < o->n_outputs && status == SHOAL_OK; ++k)
        status = open_output(r, k, has_work, &header);
    shoal_string_free(&text);
    return status;
}

shoal_status run_begin(run *r)
{
    const shoal_run_options *o = r->options;
    SHOAL_TRY(note_files(r));
    if (!r->leads) return SHOAL_OK;
    for (int32_t k = 0; k < o->n_outputs; ++k) SHOAL_TRY(check_output(r, k));
    SHOAL_TRY(check_inputs(r));
    SHOAL_TRY(choose_checkpoint(r));
    SHOAL_TRY(check_names(r));
    if (r->path || o->log)
        SHOAL_TRY(run_hashes_begin(&r->hashes, r->read, (int32_t)r->at.n_inputs, o->log != NULL));
    if (o->resume && r->path) SHOAL_TRY(load_checkpoint(r));
    if (r->result->stopped) return SHOAL_OK;
    if (o->log) SHOAL_TRY(run_log_open(&r->log, r));
    SHOAL_TRY(open_outputs(r));
    if (r->result->resumed)
        run_resume_rows(r);
    else if (r->path)
        checkpoint_remove(r->path); /* its outputs are gone */
    return SHOAL_OK;
}
