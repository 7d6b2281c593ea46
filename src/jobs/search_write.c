/* SPDX-License-Identifier: BSD-3-Clause
 * Minima of a search as JSON and in files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "jobs/search.h"
#include "shoal/results.h"
#include "shoal/version.h"

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
    double(*to)[3] = shoal_alloc(size, 1);
    if (to && get_field(m, dataset, to, size)) return to;
    free(to);
    return NULL;
}

static const char *file_of(const shoal_minima_style *style, const shoal_minimum *m)
{
    const int32_t i = get_integer(m, "systems/file");
    return i >= 0 && i < style->n_files ? style->files[i] : "";
}

static int64_t record_of(const shoal_minimum *m)
{
    int64_t record;
    return get_field(m, "systems/record", &record, sizeof record) ? record : 0;
}

/* Cut where it does not fit; "" without one. */
static void get_text(const shoal_minimum *m, const char *dataset, char *to, size_t size)
{
    const void *data;
    size_t n = 0;
    if (shoal_results_record_field(m->record, m->record_size, dataset, &data, &n) == SHOAL_OK)
        (void)snprintf(to, size, "%.*s", (int)(n < size ? n : size - 1), (const char *)data);
    else
        to[0] = '\0';
}

/* --- rows ----------------------------------------------------------------------------------------- */

shoal_status shoal_search_site(const shoal_search *search, int64_t i, double at[3], double *lowest)
{
    shoal_minimum m;
    shoal_clear_error();
    SHOAL_NEED(search && at && lowest);
    SHOAL_TRY(shoal_search_get(search, i, &m));
    double(*pos)[3] = get_vectors(&m, "atoms/position");
    const int32_t n = get_integer(&m, "systems/natoms") - shoal_search_n_movable(search);
    at[0] = at[1] = at[2] = 0;
    *lowest = INFINITY;
    for (int32_t a = 0; a < n && pos; ++a) {
        for (int k = 0; k < 3; ++k) at[k] += pos[a][k] / n;
        *lowest = fmin(*lowest, pos[a][2]);
    }
    free(pos);
    return SHOAL_OK;
}

/* Whose parameters a metal below it has, and warnings. */
static void put_notes(shoal_json *j, const shoal_search *search, const shoal_minimum *m)
{
    char warning[512];
    shoal_surface_view surface;
    get_text(m, "systems/warning", warning, sizeof warning);
    shoal_surface_get(search->options.surface, &surface);
    if (surface.metals[0]) shoal_json_text(j, "metals", surface.metals);
    if (warning[0]) shoal_json_text(j, "warning", warning);
}

static shoal_status put_minimum_json(const shoal_search *search, const shoal_minima_style *style,
                                     int64_t i, double *lowest, shoal_string *out)
{
    shoal_minimum found, *m = &found;
    SHOAL_TRY(shoal_search_get(search, i, m));
    if (m->rank == 1) *lowest = m->energy;
    char name[256];
    shoal_json j = {.text = out};
    get_text(m, "systems/name", name, sizeof name);
    shoal_json_open(&j, NULL, '{');
    shoal_json_integer(&j, "rank", m->rank);
    shoal_json_number(&j, "energy", m->energy);
    shoal_json_number(&j, "relative_energy", m->energy - *lowest);
    shoal_json_integer(&j, "count", m->count);
    shoal_json_integer(&j, "copies", m->copies);
    shoal_json_number(&j, "weight", m->weight);
    if (isfinite(m->free_energy)) shoal_json_number(&j, "free_energy", m->free_energy);
    if (isfinite(m->adsorption_energy))
        shoal_json_number(&j, "adsorption_energy", m->adsorption_energy);
    if (style->on_surface) {
        double at[3], bottom;
        SHOAL_TRY(shoal_search_site(search, i, at, &bottom));
        shoal_json_numbers(&j, "at", at, 3);
        shoal_json_number(&j, "lowest_atom", bottom);
    }
    shoal_json_integer(&j, "molecule", m->molecule);
    shoal_json_text(&j, "name", name);
    shoal_json_integer(&j, "natoms", get_integer(m, "systems/natoms"));
    shoal_json_text(&j, "file", file_of(style, m));
    shoal_json_integer(&j, "record", record_of(m));
    shoal_json_integer(&j, "start", m->start);
    shoal_json_number(&j, "fmax", get_number(m, "systems/fmax"));
    put_notes(&j, search, m);
    if (style->positions || style->forces) {
        static const char *const keys[] = {"positions", "forces"};
        static const char *const datasets[] = {"atoms/position", "atoms/force"};
        const bool wanted[] = {style->positions, style->forces};
        for (int k = 0; k < 2; ++k) {
            double(*v)[3] = wanted[k] ? get_vectors(m, datasets[k]) : NULL;
            if (!v) continue;
            shoal_json_vectors(&j, keys[k], (const double(*)[3])v,
                               get_integer(m, "systems/natoms"));
            free(v);
        }
    }
    shoal_json_end(&j);
    return shoal_string_status(out);
}

shoal_status shoal_search_put_json(const shoal_search *search, const shoal_minima_style *style,
                                   shoal_string *out)
{
    double lowest = 0;
    shoal_clear_error();
    SHOAL_NEED(search && style && out);
    for (int64_t i = 0; i < shoal_search_n_minima(search); ++i)
        SHOAL_TRY(put_minimum_json(search, style, i, &lowest, out));
    return SHOAL_OK;
}

/* --- files ---------------------------------------------------------------------------------------- */

/* A geometry with what was found of it; the molecule has the fields of the search already. */
static shoal_status put_frame(const shoal_search *search, const shoal_minima_style *style,
                              shoal_format format, int64_t i, shoal_string *out)
{
    shoal_minimum m;
    shoal_molecule *mol = NULL;
    shoal_status status = shoal_search_get(search, i, &m);
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
                               .file = file_of(style, &m),
                               .index = i,
                               .record = record_of(&m)};
    status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_search_molecule(search, i, file_of(style, &m), mol);
    if (status == SHOAL_OK) status = shoal_frame_format(out, format, mol, &frame);
    shoal_molecule_destroy(mol);
    free(forces);
    return status;
}

typedef struct minima_file {
    const shoal_search *search;
    const shoal_minima_style *style;
    const shoal_run_output *to;
} minima_file;

/* Of JSON all rows are one entry. */
static shoal_status put_minimum(void *user, int64_t i, shoal_string *out)
{
    const minima_file *f = user;
    if (f->to->kind == SHOAL_OUTPUT_TEXT) return shoal_search_put_json(f->search, f->style, out);
    if (f->to->kind == SHOAL_OUTPUT_HDF5) return shoal_search_record(f->search, i, out);
    return put_frame(f->search, f->style, f->to->format, i, out);
}

shoal_status shoal_search_write(const shoal_search *search, const shoal_minima_style *style,
                                shoal_run_output *to)
{
    shoal_clear_error();
    SHOAL_NEED(search && style && to);
    minima_file f = {search, style, to};
    const shoal_results_header header = {
        .what = {.forces = true, .adsorption = style->on_surface, .directions = style->directions},
        .files = style->files,
        .n_files = style->n_files,
        .program = "shoal " SHOAL_VERSION,
        .command = style->about ? style->about : "",
        .options = style->description ? style->description : "",
        .device = style->device};
    const int64_t n = to->kind == SHOAL_OUTPUT_TEXT ? 1 : shoal_search_n_minima(search);
    return shoal_run_output_write(to, &header, n, put_minimum, &f);
}
