/* SPDX-License-Identifier: BSD-3-Clause
 * The systems of a command: options that concern them, and the stream itself. */
#include "systems.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "interrupt.h"

#define CHUNK_SYSTEMS 1024
#define TYPING_SHARE 8     /* systems that a thread types at a time */
#define CHUNK_ATOMS 100000 /* a chunk ends early when it holds this many */

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
    type_override t = {0};
    char *end;
    const long atom = strtol(value, &end, 10);
    if (end == value || *end != '=' || atom < 0 || atom > INT32_MAX || !end[1] ||
        strlen(end + 1) >= sizeof t.label) {
        cli_complain("--type '%s': expected INDEX=LABEL, e.g. 3=C_R", value);
        return false;
    }
    t.atom = (int32_t)atom;
    memcpy(t.label, end + 1, strlen(end + 1));
    type_override *more = realloc(o->types, (size_t)(o->n_types + 1) * sizeof *more);
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

shoal_status reject_system(const shoal_molecule *mol, const char *what, int32_t atom,
                           shoal_topology **out)
{
    char reason[160];
    const int32_t n = shoal_molecule_n_atoms(mol);
    (void)snprintf(reason, sizeof reason, "%s names atom %d, the system has %d atom%s", what, atom,
                   n, n == 1 ? "" : "s");
    return shoal_topology_create_untyped(out, mol, reason);
}

/* Overrides and typing of one system, which may be another conformer of like (NULL: of nothing).
 * Runs in many threads at once. */
static shoal_status type_system(const systems_options *o, loaded_system *s,
                                const loaded_system *like)
{
    const type_override *absent = NULL; /* override of an atom that the system does not have */
    for (int k = 0; k < o->n_types; ++k) {
        const type_override *t = &o->types[k];
        if (t->atom >= shoal_molecule_n_atoms(s->mol)) {
            absent = t;
            continue;
        }
        const shoal_status status = shoal_molecule_set_type(s->mol, t->atom, t->label);
        if (status != SHOAL_OK) return status;
    }
    shoal_status status = shoal_molecule_perceive(s->mol, &o->perceive);
    if (status != SHOAL_OK && status != SHOAL_E_FORMAT) return status;
    if (absent) {
        char what[32];
        (void)snprintf(what, sizeof what, "type %d=%s", absent->atom, absent->label);
        return reject_system(s->mol, what, absent->atom, &s->topology);
    }
    shoal_uff_options uff = o->uff;
    uff.orders = o->orders;
    uff.n_orders = o->n_orders;
    return shoal_topology_create_like(&s->topology, s->mol, &uff, like ? like->mol : NULL,
                                      like ? like->topology : NULL);
}

/* Types a chunk on all threads; the error of the first failing system is kept. */
static shoal_status type_chunk(const systems_options *o, systems_chunk *chunk)
{
    int32_t failed = chunk->n;
#ifdef _OPENMP
    const int most = o->n_threads > 0 ? o->n_threads : omp_get_max_threads();
    const int parts = (chunk->n + TYPING_SHARE - 1) / TYPING_SHARE;
    const int n_threads = parts < 1 ? 1 : parts < most ? parts : most;
#pragma omp parallel num_threads(n_threads) reduction(min : failed)
#endif
    {
        const loaded_system *last = NULL; /* that this thread has typed */
#ifdef _OPENMP
#pragma omp for schedule(dynamic, TYPING_SHARE)
#endif
        for (int32_t i = 0; i < chunk->n; ++i) {
            loaded_system *s = &chunk->systems[i];
            if (type_system(o, s, last) == SHOAL_OK)
                last = s;
            else if (i < failed)
                failed = i;
        }
    }
    if (failed == chunk->n) return SHOAL_OK;
    /* The text is in the thread that failed; doing it again brings it here. */
    char buffer[32];
    const shoal_status status = type_system(o, &chunk->systems[failed], NULL);
    cli_complain("%s could not be typed:",
                 system_title(chunk->systems[failed].mol, chunk->first + failed, buffer));
    return status;
}

typedef struct stream {
    const systems_options *options;
    systems_chunk chunk;
    int32_t chunk_systems, chunk_atoms;
    int32_t n_atoms; /* in the chunk */
    bool typed;
    systems_visit *visit;
    void *user;
    progress bar;
    int i_file, n_files;
} stream;

static int flush_chunk(stream *s)
{
    if (s->chunk.n == 0 || interrupt_code()) return interrupt_code();
    const shoal_status status = s->typed ? type_chunk(s->options, &s->chunk) : SHOAL_OK;
    int code = status == SHOAL_OK ? s->visit(s->user, &s->chunk) : complain_of_status(status);
    for (int32_t i = 0; i < s->chunk.n; ++i) {
        shoal_topology_destroy(s->chunk.systems[i].topology);
        s->chunk.systems[i].topology = NULL;
    }
    s->chunk.first += s->chunk.n;
    s->chunk.n = 0;
    progress_next(&s->bar);
    s->n_atoms = 0;
    return code == EXIT_ALL_FINE ? interrupt_code() : code;
}

static int read_file(stream *s, const char *path)
{
    shoal_reader *reader;
    const bool waits = strcmp(path, "-") == 0; /* standard input may block without end */
    interrupt_ask(!waits);
    shoal_status status = shoal_reader_open(&reader, path, s->options->format);
    interrupt_ask(true);
    if (status != SHOAL_OK) { /* what was read before is worked on first */
        char text[1100];
        (void)snprintf(text, sizeof text, "%s", shoal_error_text());
        const int before = flush_chunk(s);
        progress_end(&s->bar);
        cli_complain("%s", text);
        if (before != EXIT_ALL_FINE) return before;
        return status == SHOAL_E_ARGUMENT ? EXIT_USAGE : EXIT_FILES;
    }
    int code = EXIT_ALL_FINE;
    while (code == EXIT_ALL_FINE) {
        loaded_system *next = &s->chunk.systems[s->chunk.n];
        bool found = false;
        if (!next->mol) status = shoal_molecule_create(&next->mol);
        interrupt_ask(!waits);
        if (status == SHOAL_OK) status = shoal_reader_next(reader, next->mol, &found);
        interrupt_ask(true);
        if (status != SHOAL_OK || !found) break;
        s->n_atoms += shoal_molecule_n_atoms(next->mol);
        uint64_t done, total;
        shoal_reader_progress(reader, &done, &total);
        const double part = total > 0 ? (double)done / (double)total : 0;
        progress_read(&s->bar, (s->i_file + part) / s->n_files, s->chunk.first + s->chunk.n + 1);
        ++s->chunk.n;
        const bool full = s->chunk.n == s->chunk_systems || s->n_atoms >= s->chunk_atoms;
        code = full ? flush_chunk(s) : interrupt_code();
    }
    /* What was read before the mistake is worked on before it is reported. */
    if (status != SHOAL_OK) {
        char text[1100];
        (void)snprintf(text, sizeof text, "%s", shoal_error_text());
        code = flush_chunk(s);
        progress_end(&s->bar);
        cli_complain("%s", text);
        code = code ? code : status == SHOAL_E_MEMORY ? EXIT_DEVICE : EXIT_FILES;
    }
    shoal_reader_destroy(reader);
    return code;
}

int systems_each(const systems_options *options, const char **files, int n_files, bool typed,
                 systems_visit *visit, void *user)
{
    stream s = {.options = options, .typed = typed, .visit = visit, .user = user};
    s.chunk_systems = options->chunk_systems > 0 ? options->chunk_systems : CHUNK_SYSTEMS;
    s.chunk_atoms = options->chunk_atoms > 0 ? options->chunk_atoms : CHUNK_ATOMS;
    s.n_files = n_files;
    s.chunk.bar = &s.bar;
    s.chunk.systems = calloc((size_t)s.chunk_systems, sizeof *s.chunk.systems);
    if (!s.chunk.systems) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    if (options->verbose) cli_complain("version %s", shoal_version_text());
    progress_begin(&s.bar, !options->quiet);
    interrupt_ask(true);
    int code = EXIT_ALL_FINE;
    for (; s.i_file < n_files && code == EXIT_ALL_FINE; ++s.i_file)
        code = read_file(&s, files[s.i_file]);
    if (code == EXIT_ALL_FINE) code = flush_chunk(&s);
    interrupt_ask(false);
    progress_end(&s.bar);
    if (code != EXIT_ALL_FINE && code == interrupt_code())
        cli_complain("interrupted by %s", interrupt_name());
    if (code == EXIT_ALL_FINE && s.chunk.first == 0 && !options->quiet)
        cli_complain("warning: no systems in %s%s", files[0], n_files > 1 ? " and the others" : "");
    for (int32_t i = 0; i < s.chunk_systems; ++i) shoal_molecule_destroy(s.chunk.systems[i].mol);
    free(s.chunk.systems);
    return code;
}
