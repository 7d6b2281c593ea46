/* SPDX-License-Identifier: BSD-3-Clause
 * Minima of a search: rows, JSON, files. */
#include "search_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results.h"
#include "run.h"

static shoal_minima_style style_of(const search_list *list)
{
    return (shoal_minima_style){.files = list->files,
                                .n_files = list->n_files,
                                .on_surface = list->on_surface,
                                .positions = list->options->positions,
                                .forces = list->options->forces,
                                .directions = may_have_directions(list->options),
                                .device = list->compute->engine.device};
}

/* --- rows ----------------------------------------------------------------------------------------- */

static void get_text(const shoal_minimum *m, const char *dataset, char *to, size_t size)
{
    const void *data = "";
    size_t n = 0;
    (void)shoal_results_record_field(m->record, m->record_size, dataset, &data, &n);
    (void)snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), (const char *)data);
}

static void put_row(const search_list *list, int64_t i, const shoal_minimum *m, double lowest,
                    shoal_string *out)
{
    char name[256], warning[512];
    const double unit = settings_unit(list->compute);
    get_text(m, "systems/name", name, sizeof name);
    get_text(m, "systems/warning", warning, sizeof warning);
    cli_tame(name, strlen(name));
    const int width = table_name_width(list->on_surface ? 99 : 58);
    table_print(out, "%-*.*s %5d", width, width, name, m->rank);
    table_number(out, m->energy / unit, 14, 6);
    table_number(out, (m->energy - lowest) / unit, 12, 6);
    table_print(out, "%9lld%8lld %8.4f", (long long)m->count, (long long)m->copies, m->weight);
    if (list->on_surface) {
        double at[3] = {0}, bottom = INFINITY;
        (void)shoal_search_site(list->search, i, at, &bottom);
        if (isfinite(m->adsorption_energy))
            table_number(out, m->adsorption_energy / unit, 14, 6);
        else
            table_print(out, "%14s", "");
        for (int k = 0; k < 2; ++k) table_number(out, at[k], 9, 3);
        table_number(out, bottom, 9, 3);
    }
    table_print(out, "%s%s\n", warning[0] ? "  warning: " : "", warning);
}

static void put_header(const search_list *list, shoal_string *out)
{
    table_print(out, "%-*s %5s%14s%12s%9s%8s %8s", table_name_width(list->on_surface ? 99 : 58),
                "name", "rank", settings_unit_name(list->compute), "above", "count", "copies",
                "weight");
    if (list->on_surface) table_print(out, "%14s%9s%9s%9s", "adsorption", "x", "y", "lowest");
    table_print(out, "\n");
}

/* All rows, as the table or as JSON. */
static shoal_status put_rows(const search_list *list, bool as_json, shoal_string *out)
{
    const shoal_minima_style style = style_of(list);
    double lowest = 0;
    if (as_json) return shoal_search_put_json(list->search, &style, out);
    put_header(list, out);
    for (int64_t i = 0; i < shoal_search_n_minima(list->search); ++i) {
        shoal_minimum m;
        const shoal_status status = shoal_search_get(list->search, i, &m);
        if (status != SHOAL_OK) return status;
        if (m.rank == 1) lowest = m.energy;
        put_row(list, i, &m, lowest, out);
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

static int write_one(const search_list *list, const char *path)
{
    shoal_run_output to = {0};
    shoal_string *about = NULL, *options = NULL;
    shoal_minima_style style = style_of(list);
    const int code = run_choose_output(&to, path, list->options->output_format);
    if (code != EXIT_ALL_FINE) return code;
    shoal_status status = shoal_string_create(&about);
    if (status == SHOAL_OK) status = shoal_string_create(&options);
    if (status == SHOAL_OK && to.kind == SHOAL_OUTPUT_HDF5) status = put_run(list, about, options);
    style.about = shoal_string_data(about);
    style.description = shoal_string_data(options);
    if (status == SHOAL_OK) status = shoal_search_write(list->search, &style, &to);
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

int search_list_check(const search_list *list)
{
    const systems_options *o = list->options;
    for (int k = 0; k < o->n_outputs; ++k) {
        shoal_run_output to;
        const int code = run_choose_output(&to, o->outputs[k], o->output_format);
        if (code != EXIT_ALL_FINE) return code;
        if (to.kind == SHOAL_OUTPUT_CSV || to.kind == SHOAL_OUTPUT_FF_TABLE)
            return cli_misuse("%s: expected .xyz, .extxyz, .sdf, .jsonl or .h5 for minima",
                              to.path);
        if (strcmp(to.path, "-") == 0 && o->json)
            return cli_misuse("--json and -o - both go to standard output; expected one of them");
        for (int j = 0; j < list->n_files; ++j)
            if (strcmp(to.path, "-") != 0 && shoal_path_is_same(to.path, list->files[j]))
                return cli_misuse("%s is an input, too; expected another name for the output",
                                  to.path);
        if (strcmp(to.path, "-") != 0 && shoal_path_try(to.path) != SHOAL_OK)
            return complain_of_output();
    }
    return EXIT_ALL_FINE;
}
