/* SPDX-License-Identifier: BSD-3-Clause
 * The list of minima that a search ends with. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "jobs/search.h"
#include "jobs/search_copies.h"
#include "results/results_record.h"

#include "constants.h"

static double above_lowest(const search_minima *m, int32_t k)
{
    return m->of[m->by_energy[k]].energy - m->of[m->by_energy[0]].energy;
}

/* Minima of a molecule within the window. */
static int32_t count_listed(const shoal_search *s, const search_minima *m)
{
    int32_t n = 0;
    while (n < m->n && (!(s->rules.window > 0) || above_lowest(m, n) <= s->rules.window)) ++n;
    return n;
}

/* What weights are made of, above that of the lowest minimum: free energies where all that are listed have them. */
static double height_of(const search_minima *m, int32_t k, bool free_energies)
{
    if (!free_energies) return above_lowest(m, k);
    return m->of[m->by_energy[k]].free_energy - m->of[m->by_energy[0]].free_energy;
}

static bool have_free_energies(const search_minima *m, int32_t n)
{
    for (int32_t k = 0; k < n; ++k)
        if (!isfinite(m->of[m->by_energy[k]].free_energy)) return false;
    return true;
}

/* Copies of the list come in, weights go out. */
static void weigh(const shoal_search *s, const search_minima *m, shoal_minimum *list, int32_t n)
{
    const double kt = BOLTZMANN * s->options.temperature;
    const bool by_free = have_free_energies(m, n);
    double least = 0, sum = 0;
    for (int32_t k = 0; k < n; ++k) least = fmin(least, height_of(m, k, by_free));
    for (int32_t k = 0; k < n; ++k) {
        const double height = height_of(m, k, by_free) - least;
        list[k].weight = (double)list[k].copies * exp(-height / kt);
        sum += list[k].weight;
    }
    for (int32_t k = 0; k < n; ++k) list[k].weight /= sum;
}

static shoal_status list_molecule(const shoal_search *s, int64_t molecule, shoal_minimum *to)
{
    search_minima *m = &s->molecules[molecule];
    const int32_t n = count_listed(s, m);
    if (n == 0) return SHOAL_OK;
    int64_t *copies = shoal_alloc((size_t)n, sizeof *copies);
    if (!copies) return SHOAL_E_MEMORY;
    search_copies_count(m, &s->rules, n, copies);
    for (int32_t k = 0; k < n; ++k) {
        const search_minimum *from = &m->of[m->by_energy[k]];
        to[k] = (shoal_minimum){.molecule = molecule,
                                .rank = k + 1,
                                .energy = from->energy,
                                .free_energy = from->free_energy,
                                .adsorption_energy = from->energy - from->isolated,
                                .copies = copies[k],
                                .count = from->count,
                                .start = from->start,
                                .record = from->record,
                                .record_size = from->record_size};
    }
    weigh(s, m, to, n);
    free(copies);
    return SHOAL_OK;
}

shoal_status shoal_search_rank(shoal_search *search)
{
    shoal_clear_error();
    SHOAL_NEED(search);
    int64_t n = 0;
    for (int32_t k = 0; k < search->n_molecules; ++k)
        n += count_listed(search, &search->molecules[k]);
    free(search->ranked);
    search->n_ranked = 0;
    search->ranked = shoal_alloc((size_t)n, sizeof *search->ranked);
    if (!search->ranked) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < search->n_molecules; ++k) {
        SHOAL_TRY(list_molecule(search, k, search->ranked + search->n_ranked));
        search->n_ranked += count_listed(search, &search->molecules[k]);
    }
    return SHOAL_OK;
}

/* Minima of one molecule stand together, molecules in order. */
const shoal_minimum *search_listed(const shoal_search *search, int64_t molecule, int64_t k)
{
    int64_t low = 0, high = search->n_ranked;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (search->ranked[middle].molecule < molecule)
            low = middle + 1;
        else
            high = middle;
    }
    const int64_t i = low + k;
    if (i >= search->n_ranked || search->ranked[i].molecule != molecule) return NULL;
    return &search->ranked[i];
}

void search_positions(const shoal_minimum *minimum, int32_t n_atoms, double (*pos)[3])
{
    results_view view;
    if (results_look(minimum->record, minimum->record_size, &view) != SHOAL_OK ||
        view.head.rows[RESULTS_ATOM] != (uint32_t)n_atoms)
        return;
    memcpy(pos, view.at[RESULTS_POSITION], (size_t)n_atoms * sizeof *pos);
}

int64_t shoal_search_n_minima(const shoal_search *search)
{
    return search ? search->n_ranked : 0;
}

int32_t shoal_search_n_movable(const shoal_search *search)
{
    return search ? search->n_movable : 0;
}

shoal_status shoal_search_get(const shoal_search *search, int64_t i, shoal_minimum *out)
{
    shoal_clear_error();
    SHOAL_NEED(search && out);
    if (i < 0 || i >= search->n_ranked)
        return shoal_fail(SHOAL_E_ARGUMENT, "search: there is no minimum %lld of %lld",
                          (long long)i, (long long)search->n_ranked);
    *out = search->ranked[i];
    return SHOAL_OK;
}

static bool is_ours(const char *key)
{
    static const char *const names[] = {"search_rank",   "search_count",       "search_weight",
                                        "search_copies", "search_free_energy", "search_start"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        if (strcmp(key, names[k]) == 0) return true;
    return false;
}

/* The user's data fields, without those that an earlier search wrote. */
static void keep_data(const results_view *v, shoal_string *to)
{
    const char *at = v->at[RESULTS_DATA_BYTES], *end = at + v->head.rows[RESULTS_DATA];
    while (at < end) {
        const char *value = memchr(at, '\0', (size_t)(end - at));
        const char *next = value ? memchr(value + 1, '\0', (size_t)(end - value - 1)) : NULL;
        if (!next) return;
        if (!is_ours(at)) shoal_string_put(to, at, (size_t)(next + 1 - at));
        at = next + 1;
    }
}

/* A data field as records have it: key, zero, value, zero. */
static void put_number(shoal_string *to, const char *key, double value)
{
    if (!isfinite(value)) return;
    shoal_string_put(to, key, strlen(key) + 1);
    shoal_string_put_number(to, value);
    shoal_string_put(to, "", 1);
}

shoal_status shoal_search_record(const shoal_search *search, int64_t i, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(search && out);
    shoal_minimum m;
    results_view view;
    shoal_string data = {0};
    SHOAL_TRY(shoal_search_get(search, i, &m));
    SHOAL_TRY(results_look(m.record, m.record_size, &view));
    keep_data(&view, &data);
    put_number(&data, "search_rank", m.rank);
    put_number(&data, "search_count", (double)m.count);
    put_number(&data, "search_weight", m.weight);
    put_number(&data, "search_copies", (double)m.copies);
    put_number(&data, "search_free_energy", m.free_energy);
    put_number(&data, "search_start", (double)m.start);
    /* Data fields are the last column, the index is the first. */
    results_head head = view.head;
    head.rows[RESULTS_DATA] = (uint32_t)data.size;
    results_head_finish(&head);
    const size_t before = (size_t)(view.at[RESULTS_DATA_BYTES] - m.record);
    shoal_string_put(out, (const char *)&head, sizeof head);
    shoal_string_put(out, (const char *)&i, sizeof i);
    shoal_string_put(out, m.record + sizeof head + sizeof i, before - sizeof head - sizeof i);
    shoal_string_put(out, data.data ? data.data : "", data.size);
    const shoal_status status = data.status;
    shoal_string_free(&data);
    return status != SHOAL_OK ? status : shoal_string_status(out);
}

shoal_status shoal_search_molecule(const shoal_search *search, int64_t i, const char *file,
                                   shoal_molecule *mol)
{
    shoal_clear_error();
    SHOAL_NEED(search && file && mol);
    shoal_string record = {0};
    shoal_status status = shoal_search_record(search, i, &record);
    if (status == SHOAL_OK)
        status = results_make_molecule(shoal_string_span(&record), file, NULL, mol);
    shoal_string_free(&record);
    return status;
}
