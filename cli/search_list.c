/* SPDX-License-Identifier: BSD-3-Clause
 * Minima of a search: rows, JSON, files. */
#include "search_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "results.h"
#include "run.h"

/* --- what a record says --------------------------------------------------------------------------- */

/* Numbers of a dataset of a record, copied to their alignment; false where there are not as many. */
static bool get_field(const shoal_minimum *m, const char *dataset, void *to, size_t size)
{
    const void *data;
    size_t found;
    if (shoal_results_record_field(m->record, m->record_size, dataset, &data, &found) != SHOAL_OK ||
        found != size)
        return false;
    memcpy(to, data, size);
    return true;
}

static double get_number(const shoal_minimum *m, const char *dataset)
{
    double value;
    return get_field(m, dataset, &value, sizeof value) ? value : NAN;
}

static int32_t get_integer(const shoal_minimum *m, const char *dataset)
{
    int32_t value;
    return get_field(m, dataset, &value, sizeof value) ? value : 0;
}

/* pos[n_atoms][3] or forces, to be freed; NULL without them. */
static double (*get_vectors(const shoal_minimum *m, const char *dataset))[3]
{
    const size_t size = (size_t)get_integer(m, "systems/natoms") * 3 * sizeof(double);
    double(*to)[3] = malloc(size + 1);
    if (to && get_field(m, dataset, to, size)) return to;
    free(to);
    return NULL;
}

static const char *file_of(const search_list *list, const shoal_minimum *m)
{
    const int32_t i = get_integer(m, "systems/file");
    return i >= 0 && i < list->n_files ? list->files[i] : "";
}

static int64_t record_of(const shoal_minimum *m)
{
    int64_t record;
    return get_field(m, "systems/record", &record, sizeof record) ? record : 0;
}

static void get_name(const shoal_minimum *m, char *to, size_t size)
{
    const void *data;
    size_t n = 0;
    if (shoal_results_record_field(m->record, m->record_size, "systems/name", &data, &n) ==
        SHOAL_OK)
        (void)snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), (const char *)data);
    else
        to[0] = '\0';
}

/* --- rows ----------------------------------------------------------------------------------------- */

/* Middle of the atoms, and the lowest. Layers that move stand behind the molecule's atoms and do not count. */
typedef struct site {
    double at[3], lowest;
} site;

static site site_of(const search_list *list, const shoal_minimum *m)
{
    site s = {.lowest = INFINITY};
    double(*pos)[3] = get_vectors(m, "atoms/position");
    const int32_t n = get_integer(m, "systems/natoms") - shoal_search_n_movable(list->search);
    for (int32_t i = 0; i < n && pos; ++i) {
        for (int k = 0; k < 3; ++k) s.at[k] += pos[i][k] / n;
        s.lowest = fmin(s.lowest, pos[i][2]);
    }
    free(pos);
    return s;
}

static void put_json(const search_list *list, const shoal_minimum *m, double lowest,
                     shoal_string *out)
{
    char name[256];
    json j = {.text = out};
    get_name(m, name, sizeof name);
    json_open(&j, NULL, '{');
    json_integer(&j, "rank", m->rank);
    json_number(&j, "energy", m->energy);
    json_number(&j, "relative_energy", m->energy - lowest);
    json_integer(&j, "count", m->count);
    json_number(&j, "weight", m->weight);
    if (isfinite(m->adsorption_energy)) json_number(&j, "adsorption_energy", m->adsorption_energy);
    if (list->on_surface) {
        const site s = site_of(list, m);
        json_numbers(&j, "at", s.at, 3);
        json_number(&j, "lowest_atom", s.lowest);
    }
    json_integer(&j, "molecule", m->molecule);
    json_text(&j, "name", name);
    json_integer(&j, "natoms", get_integer(m, "systems/natoms"));
    json_text(&j, "file", file_of(list, m));
    json_integer(&j, "record", record_of(m));
    json_integer(&j, "start", m->start);
    json_number(&j, "fmax", get_number(m, "systems/fmax"));
    if (list->options->positions || list->options->forces) {
        static const char *const keys[] = {"positions", "forces"};
        static const char *const datasets[] = {"atoms/position", "atoms/force"};
        const bool wanted[] = {list->options->positions, list->options->forces};
        for (int k = 0; k < 2; ++k) {
            double(*v)[3] = wanted[k] ? get_vectors(m, datasets[k]) : NULL;
            if (!v) continue;
            json_vectors(&j, keys[k], (const double(*)[3])v, get_integer(m, "systems/natoms"));
            free(v);
        }
    }
    json_end(&j);
}

static void put_row(const search_list *list, const shoal_minimum *m, double lowest,
                    shoal_string *out)
{
    char name[256];
    const double unit = settings_unit(list->compute);
    get_name(m, name, sizeof name);
    cli_tame(name, strlen(name));
    table_print(out, "%-24.24s %5d", name, m->rank);
    table_number(out, m->energy / unit, 14, 6);
    table_number(out, (m->energy - lowest) / unit, 12, 6);
    table_print(out, "%9lld %8.4f", (long long)m->count, m->weight);
    if (list->on_surface) {
        const site s = site_of(list, m);
        if (isfinite(m->adsorption_energy))
            table_number(out, m->adsorption_energy / unit, 14, 6);
        else
            table_print(out, "%14s", "");
        for (int k = 0; k < 2; ++k) table_number(out, s.at[k], 9, 3);
        table_number(out, s.lowest, 9, 3);
    }
    table_print(out, "\n");
}

static void put_header(const search_list *list, shoal_string *out)
{
    table_print(out, "%-24s %5s%14s%12s%9s %8s", "name", "rank", settings_unit_name(list->compute),
                "above", "count", "weight");
    if (list->on_surface) table_print(out, "%14s%9s%9s%9s", "adsorption", "x", "y", "lowest");
    table_print(out, "\n");
}

/* All rows, as the table or as JSON. */
static shoal_status put_rows(const search_list *list, bool as_json, shoal_string *out)
{
    double lowest = 0;
    if (!as_json) put_header(list, out);
    for (int64_t i = 0; i < shoal_search_n_minima(list->search); ++i) {
        shoal_minimum m;
        const shoal_status status = shoal_search_get(list->search, i, &m);
        if (status != SHOAL_OK) return status;
        if (m.rank == 1) lowest = m.energy;
        if (as_json)
            put_json(list, &m, lowest, out);
        else
            put_row(list, &m, lowest, out);
    }
    return shoal_string_status(out);
}

int search_list_print(const search_list *list)
{
    shoal_string *text;
    shoal_status status = shoal_string_create(&text);
    if (status == SHOAL_OK) status = put_rows(list, list->options->json, text);
    const size_t n = shoal_string_size(text);
    const bool ok = status == SHOAL_OK && fwrite(shoal_string_data(text), 1, n, stdout) == n &&
                    fflush(stdout) == 0;
    shoal_string_destroy(text);
    if (status != SHOAL_OK) return complain_of_status(status);
    return ok ? EXIT_ALL_FINE : EXIT_FILES;
}

/* --- files ---------------------------------------------------------------------------------------- */

/* A geometry with what was found of it; the molecule has the fields of the search already. */
static shoal_status put_frame(const search_list *list, shoal_format format, int64_t i,
                              shoal_string *out)
{
    shoal_minimum m;
    shoal_molecule *mol = NULL;
    shoal_status status = shoal_search_get(list->search, i, &m);
    if (status != SHOAL_OK) return status;
    const double fmax = get_number(&m, "systems/fmax");
    const int32_t steps = get_integer(&m, "systems/steps");
    double(*forces)[3] = get_vectors(&m, "atoms/force");
    const shoal_frame frame = {.is_result = true,
                               .status = "converged",
                               .energy = &m.energy,
                               .forces = (const double(*)[3])forces,
                               .fmax = &fmax,
                               .steps = &steps,
                               .has_adsorption = isfinite(m.adsorption_energy),
                               .adsorption_energy = m.adsorption_energy,
                               .file = file_of(list, &m),
                               .index = i,
                               .record = record_of(&m)};
    status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_search_molecule(list->search, i, file_of(list, &m), mol);
    if (status == SHOAL_OK) status = shoal_frame_format(out, format, mol, &frame);
    shoal_molecule_destroy(mol);
    free(forces);
    return status;
}

typedef struct minima_file {
    const search_list *list;
    shoal_run_output to;
} minima_file;

/* Of JSON all rows are one entry. */
static shoal_status put_minimum(void *user, int64_t i, shoal_string *out)
{
    const minima_file *f = user;
    if (f->to.kind == SHOAL_OUTPUT_TEXT) return put_rows(f->list, true, out);
    if (f->to.kind == SHOAL_OUTPUT_HDF5) return shoal_search_record(f->list->search, i, out);
    return put_frame(f->list, f->to.format, i, out);
}

/* What a file of results says of the run. */
static shoal_status put_run(const search_list *list, shoal_string *about, shoal_string *options)
{
    shoal_string *members = NULL;
    const shoal_peers peers = {.size = list->n_ranks};
    const shoal_stream_options stream = {
        .job = SHOAL_JOB_RELAX,
        .input = {.files = list->files, .n_files = list->n_files},
        .compute = {.n_threads = list->options->n_threads, .engine = &list->compute->engine},
        .peers = &peers};
    shoal_status status = run_put_about(about);
    if (status == SHOAL_OK) status = shoal_string_create(&members);
    if (status == SHOAL_OK) status = run_put_members(members);
    const shoal_run_options run = {.stream = &stream, .members = shoal_string_data(members)};
    if (status == SHOAL_OK) status = shoal_run_describe(&run, options);
    shoal_string_destroy(members);
    return status;
}

static shoal_status write_minima(minima_file *f, shoal_string *about, shoal_string *options)
{
    const search_list *list = f->list;
    if (f->to.kind == SHOAL_OUTPUT_HDF5) {
        const shoal_status status = put_run(list, about, options);
        if (status != SHOAL_OK) return status;
    }
    const shoal_results_header header = {.what = {.forces = true,
                                                  .adsorption = list->on_surface,
                                                  .directions = may_have_directions(list->options)},
                                         .files = list->files,
                                         .n_files = list->n_files,
                                         .program = "shoal " SHOAL_VERSION,
                                         .command = shoal_string_data(about),
                                         .options = shoal_string_data(options),
                                         .device = list->compute->engine.device};
    const int64_t n = f->to.kind == SHOAL_OUTPUT_TEXT ? 1 : shoal_search_n_minima(list->search);
    return shoal_run_output_write(&f->to, &header, n, put_minimum, f);
}

static int write_one(const search_list *list, const char *path)
{
    minima_file f = {.list = list};
    shoal_string *about = NULL, *options = NULL;
    const int code = run_choose_output(&f.to, path, list->options->output_format);
    if (code != EXIT_ALL_FINE) return code;
    shoal_status status = shoal_string_create(&about);
    if (status == SHOAL_OK) status = shoal_string_create(&options);
    if (status == SHOAL_OK) status = write_minima(&f, about, options);
    shoal_string_destroy(about);
    shoal_string_destroy(options);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

int search_list_write(const search_list *list)
{
    int code = EXIT_ALL_FINE;
    for (int k = 0; k < list->options->n_outputs && code == EXIT_ALL_FINE; ++k)
        code = write_one(list, list->options->outputs[k]);
    return code;
}

/* True if a file can be made beside the path. */
static bool can_write(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    if (strcmp(path, "-") == 0) return true;
    (void)snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1,
                   slash ? path : ".");
    return access(slash == path ? "/" : folder, W_OK) == 0;
}

int search_list_check(const search_list *list)
{
    const systems_options *o = list->options;
    for (int k = 0; k < o->n_outputs; ++k) {
        shoal_run_output to;
        const int code = run_choose_output(&to, o->outputs[k], o->output_format);
        if (code != EXIT_ALL_FINE) return code;
        if (to.kind == SHOAL_OUTPUT_CSV) {
            cli_complain("%s: expected .xyz, .extxyz, .sdf, .jsonl or .h5 for minima", to.path);
            return EXIT_USAGE;
        }
        if (strcmp(to.path, "-") == 0 && o->json) {
            cli_complain("--json and -o - both go to standard output; expected one of them");
            return EXIT_USAGE;
        }
        for (int j = 0; j < list->n_files; ++j)
            if (strcmp(to.path, "-") != 0 && shoal_path_is_same(to.path, list->files[j])) {
                cli_complain("%s is an input, too; expected another name for the output", to.path);
                return EXIT_USAGE;
            }
        if (!can_write(to.path)) {
            cli_complain("%s: cannot write there", to.path);
            return EXIT_FILES;
        }
    }
    return EXIT_ALL_FINE;
}
