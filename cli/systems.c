/* SPDX-License-Identifier: BSD-3-Clause
 * The systems of a command: options that concern them, and the stream itself. */
#include "systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "output.h"
#include "progress.h"

const cli_option input_options[] = {
    {"json", 0, NULL, "one JSON object per line and system on stdout"},
    {"format", 0, "NAME", "format of the input: xyz, sdf, mol, mol2 (default: by file name)"},
    {"threads", 0, "N", "threads to use (default: all)"},
    {"quiet", 'q', NULL, "no progress and no warnings"},
    {"verbose", 'v', NULL, "say on stderr which build runs"},
    {NULL, 0, NULL, NULL},
};

const cli_option output_options[] = {
    {"output", 'o', "FILE", "write the systems to FILE (.xyz, .extxyz or .sdf, also .gz)"},
    {NULL, 0, NULL, NULL},
};

const cli_option typing_options[] = {
    {"dialect", 0, "NAME", "rdkit (default), paper or firecore"},
    {"charges", 0, "SOURCE", "auto (default: the file's, if any), none, file or qeq"},
    {"charge", 0, "Q", "total charge, used where bond orders must be found (default 0)"},
    {"type", 0, "INDEX=LABEL", "UFF type of an atom, counted from 0; may be repeated"},
    {"bond-order", 0, "I,J=ORDER", "bond order for the parameters, e.g. 0,1=1.41; repeatable"},
    {"rebuild-bonds", 0, NULL, "ignore the file's bonds and find them from distances"},
    {"bond-slack", 0, "D",
     "angstrom beyond the covalent radii (default 0.3, to H 0.45, metals 0.4)"},
    {NULL, 0, NULL, NULL},
};

const cli_option params_options[] = {
    {"params", 0, "FILE",
     "vdW parameters by atom type, e.g. of 'shoal fit -o'; mixing is arithmetic"},
    {NULL, 0, NULL, NULL},
};

bool take_params_option(void *target, const char *name, const char *value)
{
    (void)name;
    ((systems_options *)target)->params = value;
    return true;
}

/* A table that 'shoal fit' wrote says which model its values belong to. */
static void warn_of_model(const systems_options *o)
{
    char line[256] = "", model[64] = "";
    FILE *file = fopen(o->params, "r");
    if (!file) return;
    if (fgets(line, sizeof line, file)) {
        const char *found =
            strncmp(line, "# fitted by shoal", 17) == 0 ? strstr(line, ": model ") : NULL;
        if (found) (void)sscanf(found, ": model %63[^,\n]", model);
    }
    (void)fclose(file);
    if (model[0] && strcmp(model, "lj") != 0)
        cli_complain("warning: %s was fitted with the model %s, but vdW terms are LJ 12-6",
                     o->params, model);
}

int systems_load_params(systems_options *o, shoal_mixing *mixing)
{
    if (!o->params) return EXIT_ALL_FINE;
    const shoal_status status = shoal_atom_types_read(&o->params_table, o->params);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (!o->quiet) warn_of_model(o);
    o->uff.params = o->params_table;
    *mixing = SHOAL_MIXING_ARITHMETIC;
    return EXIT_ALL_FINE;
}

bool take_input_option(void *target, const char *name, const char *value)
{
    systems_options *o = target;
    if (strcmp(name, "json") == 0) {
        o->json = true;
    } else if (strcmp(name, "output") == 0) {
        o->output = value;
    } else if (strcmp(name, "quiet") == 0) {
        o->quiet = true;
    } else if (strcmp(name, "verbose") == 0) {
        o->verbose = true;
    } else if (strcmp(name, "threads") == 0) {
        return cli_integer(name, value, 1, 4096, &o->n_threads);
    } else {
        o->format = shoal_format_by_name(value);
        if (o->format == SHOAL_FORMAT_AUTO) {
            cli_complain("--format '%s': expected xyz, extxyz, sdf, mol or mol2", value);
            return false;
        }
    }
    return true;
}

static bool add_type(systems_options *o, const char *value)
{
    shoal_type_override t = {0};
    char *end;
    const long atom = strtol(value, &end, 10);
    if (end == value || *end != '=' || atom < 0 || atom > INT32_MAX || !end[1] ||
        strlen(end + 1) >= sizeof t.label) {
        cli_complain("--type '%s': expected INDEX=LABEL, e.g. 3=C_R", value);
        return false;
    }
    t.atom = (int32_t)atom;
    memcpy(t.label, end + 1, strlen(end + 1));
    shoal_type_override *more = realloc(o->types, (size_t)(o->n_types + 1) * sizeof *more);
    if (!more) return false;
    o->types = more;
    o->types[o->n_types++] = t;
    return true;
}

static bool add_order(systems_options *o, const char *value)
{
    shoal_bond_override b = {0};
    char rest;
    if (sscanf(value, "%d,%d=%lf%c", &b.i, &b.j, &b.order, &rest) != 3 || b.i < 0 || b.j < 0 ||
        !(b.order > 0) || b.order > 6) {
        cli_complain("--bond-order '%s': expected I,J=ORDER, e.g. 0,1=1.5", value);
        return false;
    }
    shoal_bond_override *more = realloc(o->orders, (size_t)(o->n_orders + 1) * sizeof *more);
    if (!more) return false;
    o->orders = more;
    o->orders[o->n_orders++] = b;
    o->uff.orders = o->orders;
    o->uff.n_orders = o->n_orders;
    return true;
}

static bool choose_charges(systems_options *o, const char *value)
{
    static const char *const names[] = {"auto", "none", "file", "qeq"};
    for (int k = 0; k < 4; ++k) {
        if (strcmp(value, names[k]) != 0) continue;
        o->uff.charges = (shoal_charge_source)k;
        return true;
    }
    cli_complain("--charges '%s': expected auto, none, file or qeq", value);
    return false;
}

bool take_typing_option(void *target, const char *name, const char *value)
{
    systems_options *o = target;
    if (strcmp(name, "type") == 0) return add_type(o, value);
    if (strcmp(name, "bond-order") == 0) return add_order(o, value);
    if (strcmp(name, "charges") == 0) return choose_charges(o, value);
    if (strcmp(name, "charge") == 0)
        return cli_integer(name, value, -1000, 1000, &o->perceive.total_charge);
    if (strcmp(name, "bond-slack") == 0)
        return cli_number(name, value, 1e-6, &o->perceive.bond_slack);
    if (strcmp(name, "rebuild-bonds") == 0) {
        o->perceive.rebuild_bonds = true;
        return true;
    }
    const int dialect = shoal_dialect_by_name(value);
    if (dialect < 0) {
        cli_complain("--dialect '%s': expected rdkit, paper or firecore", value);
        return false;
    }
    o->uff.dialect = (shoal_dialect)dialect;
    return true;
}

void systems_options_free(systems_options *o)
{
    free(o->types);
    free(o->orders);
    shoal_atom_types_destroy(o->params_table);
}

int complain_of_status(shoal_status status)
{
    cli_complain("%s", shoal_error_text());
    switch (status) {
    case SHOAL_OK: return EXIT_ALL_FINE;
    case SHOAL_E_DEVICE:
    case SHOAL_E_UNSUPPORTED:
    case SHOAL_E_MEMORY: return EXIT_DEVICE;
    case SHOAL_E_FORMAT:
    case SHOAL_E_IO: return EXIT_FILES;
    default: return EXIT_USAGE;
    }
}

int complain_of_output(void)
{
    cli_complain("%s", shoal_error_text());
    return EXIT_FILES;
}

const char *system_title(const shoal_molecule *mol, int64_t index, char buffer[32])
{
    const char *name = shoal_molecule_name(mol);
    if (*name) return name;
    (void)snprintf(buffer, 32, "#%lld", (long long)index);
    return buffer;
}

/* --- the stream ---------------------------------------------------------------------------------- */

typedef struct systems_stream {
    const systems_options *options;
    systems_job *job;
    output out;
    progress bar;
    int code; /* of visit, or of standard output */
    bool wrote_header;
} systems_stream;

static shoal_status format_row(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const systems_job *job = ((systems_stream *)user)->job;
    return job->row(job->user, system, out);
}

static shoal_status write_rows(void *user, const char *text, size_t size)
{
    systems_stream *s = user;
    const char *header = s->options->json ? NULL : s->job->header;
    if (header && !s->wrote_header) (void)fputs(header, stdout);
    s->wrote_header = true;
    if (fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0) return SHOAL_OK;
    s->code = EXIT_FILES; /* the program says so at its end */
    return SHOAL_E_IO;
}

static shoal_status format_frame(void *user, const shoal_stream_system *system, shoal_string *out)
{
    const systems_stream *s = user;
    shoal_frame frame = {0};
    const shoal_status status =
        s->job->frame ? s->job->frame(s->job->user, system, &frame) : SHOAL_OK;
    if (status != SHOAL_OK) return status;
    return shoal_frame_format(out, shoal_writer_format(s->out.writer), system->mol, &frame);
}

static shoal_status write_frames(void *user, const char *text, size_t size)
{
    return output_write(&((systems_stream *)user)->out, text, size);
}

static shoal_status visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    systems_stream *s = user;
    s->job->n_systems += n;
    output_count(&s->out, systems, n);
    if (s->job->visit) s->code = s->job->visit(s->job->user, systems, n);
    return s->code == EXIT_ALL_FINE ? SHOAL_OK : SHOAL_E_ARGUMENT;
}

static bool watch(void *user, const shoal_stream_progress *p)
{
    systems_stream *s = user;
    s->job->n_evaluations = p->n_evaluations;
    progress_stream(&s->bar, p);
    return interrupt_code() == 0;
}

/* What the options say, and where it goes. */
static void fill_stream(systems_stream *s, const char **files, int n_files, shoal_sink sinks[2])
{
    const systems_options *o = s->options;
    shoal_stream_options *to = &s->job->stream;
    to->files = files;
    to->n_files = n_files;
    to->format = o->format;
    to->n_threads = o->n_threads;
    to->perceive = &o->perceive;
    to->uff = &o->uff;
    to->types = o->types;
    to->n_types = o->n_types;
    to->visit = visit;
    to->monitor = watch;
    to->user = s;
    to->sinks = sinks;
    if (s->job->row)
        sinks[to->n_sinks++] = (shoal_sink){.format = format_row, .write = write_rows, .user = s};
    if (s->out.writer)
        sinks[to->n_sinks++] =
            (shoal_sink){.format = format_frame, .write = write_frames, .user = s};
}

/* The exit code of a stream that ended with this status. */
static int conclude(const systems_stream *s, shoal_status status)
{
    if (s->code != EXIT_ALL_FINE) return s->code;
    if (status != SHOAL_OK) return complain_of_status(status);
    if (interrupt_code()) cli_complain("interrupted by %s", interrupt_name());
    return interrupt_code();
}

int systems_run(const systems_options *options, const char **files, int n_files, systems_job *job)
{
    systems_stream s = {.options = options, .job = job};
    shoal_sink sinks[2];
    if (options->verbose) cli_complain("version %s", shoal_version_text());
    int code = output_open(&s.out, job->writes ? options->output : NULL);
    if (code != EXIT_ALL_FINE) return code;
    job->output_format = shoal_writer_format(s.out.writer);
    fill_stream(&s, files, n_files, sinks);
    progress_begin(&s.bar, !options->quiet);
    interrupt_ask(true);
    const shoal_status status = shoal_stream_run(&job->stream);
    interrupt_ask(false);
    progress_end(&s.bar);
    job->seconds = progress_seconds(&s.bar);
    code = output_close(&s.out, conclude(&s, status));
    if (code == EXIT_ALL_FINE && job->n_systems == 0 && !options->quiet)
        cli_complain("warning: no systems in %s%s", files[0], n_files > 1 ? " and the others" : "");
    return code;
}

int systems_batch(const shoal_stream_system *systems, int32_t n, shoal_batch **batch)
{
    shoal_status status = *batch ? SHOAL_OK : shoal_batch_create(batch);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        double cell[3][3];
        bool pbc[3];
        shoal_molecule_cell(systems[i].mol, cell, pbc);
        const bool periodic = shoal_molecule_is_periodic(systems[i].mol);
        const shoal_system system = {.topology = systems[i].topology,
                                     .pos = shoal_molecule_positions(systems[i].mol),
                                     .cell = periodic ? (const double(*)[3])cell : NULL};
        status = shoal_batch_add(*batch, &system);
    }
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}
