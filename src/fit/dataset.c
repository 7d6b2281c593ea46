/* SPDX-License-Identifier: BSD-3-Clause
 * A data set: its sets, samples, dimers, monomers and weights. */
#include "fit/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

shoal_status shoal_dataset_create(shoal_dataset **out, const shoal_atom_types *types)
{
    shoal_clear_error();
    SHOAL_NEED(out && types);
    *out = NULL;
    shoal_dataset *data = shoal_alloc(1, sizeof *data);
    if (!data) return SHOAL_E_MEMORY;
    const shoal_status status = shoal_atom_types_copy(&data->types, types);
    if (status != SHOAL_OK) {
        free(data);
        return status;
    }
    *out = data;
    return SHOAL_OK;
}

void shoal_dataset_destroy(shoal_dataset *data)
{
    if (!data) return;
    shoal_atom_types_destroy(data->types);
    label_map_free(&data->map);
    arena_free(&data->memory);
    free(data->sets);
    free(data->samples);
    free(data->type);
    free(data->pos);
    free(data->charge);
    free(data->bare);
    free(data->host);
    free(data->dir);
    free(data->bonds);
    free(data);
}

shoal_status dataset_reserve_atoms(shoal_dataset *data, int32_t n)
{
    const int32_t wanted = data->n_atoms + n;
    if (wanted <= data->atom_capacity) return SHOAL_OK;
    int32_t capacity[5];
    for (int k = 0; k < 5; ++k) capacity[k] = data->atom_capacity;
    SHOAL_TRY(shoal_grow(&data->type, &capacity[0], wanted, sizeof *data->type));
    SHOAL_TRY(shoal_grow(&data->pos, &capacity[1], wanted, sizeof *data->pos));
    SHOAL_TRY(shoal_grow(&data->charge, &capacity[2], wanted, sizeof *data->charge));
    SHOAL_TRY(shoal_grow(&data->host, &capacity[3], wanted, sizeof *data->host));
    SHOAL_TRY(shoal_grow(&data->dir, &capacity[4], wanted, sizeof *data->dir));
    data->atom_capacity = capacity[4];
    for (int k = 0; k < 4; ++k)
        if (capacity[k] < data->atom_capacity) data->atom_capacity = capacity[k];
    return SHOAL_OK;
}

/* Something to be numbered in the order of its first appearance. */
typedef struct keyed {
    uint64_t key;
    int32_t order;
    int32_t *number;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_order(const void *a, const void *b)
{
    const int32_t x = ((const keyed *)a)->order, y = ((const keyed *)b)->order;
    return (x > y) - (x < y);
}

/* Gives equal keys the same number, counted from 0 in order of appearance. */
static shoal_status number_keys(keyed *keys, int32_t n, int32_t *count)
{
    keyed *firsts = shoal_alloc((size_t)n, sizeof *firsts);
    if (!firsts) return SHOAL_E_MEMORY;
    qsort(keys, (size_t)n, sizeof *keys, by_key);
    int32_t n_firsts = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (i == 0 || keys[i].key != keys[i - 1].key) {
            firsts[n_firsts] = (keyed){.order = keys[i].order, .key = (uint64_t)n_firsts};
            ++n_firsts;
        }
        *keys[i].number = n_firsts - 1;
    }
    /* Rank of every class by its first member. */
    qsort(firsts, (size_t)n_firsts, sizeof *firsts, by_order);
    int32_t *rank = shoal_alloc((size_t)n_firsts, sizeof *rank);
    if (rank) {
        for (int32_t c = 0; c < n_firsts; ++c) rank[firsts[c].key] = c;
        for (int32_t i = 0; i < n; ++i) *keys[i].number = rank[*keys[i].number];
        *count = n_firsts;
    }
    free(rank);
    free(firsts);
    return rank ? SHOAL_OK : SHOAL_E_MEMORY;
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A monomer is known by its atoms, types with charges, in any order. */
static uint64_t monomer_key(const shoal_dataset *data, int32_t first, int32_t n, uint64_t *scratch)
{
    int32_t m = 0;
    for (int32_t i = first; i < first + n; ++i) {
        if (data->host[i] >= 0) continue;
        uint64_t h = hash_bytes(HASH_START, &data->type[i], sizeof data->type[i]);
        scratch[m++] = hash_bytes(h, &data->charge[i], sizeof data->charge[i]);
    }
    qsort(scratch, (size_t)m, sizeof *scratch, compare_hashes);
    return hash_bytes(HASH_START, scratch, (size_t)m * sizeof *scratch);
}

static shoal_status number_monomers(shoal_dataset *data, keyed *keys)
{
    int32_t most = 0;
    for (int32_t s = 0; s < data->n_samples; ++s)
        if (data->samples[s].n_atoms > most) most = data->samples[s].n_atoms;
    uint64_t *scratch = shoal_alloc((size_t)most, sizeof *scratch);
    if (!scratch) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        fit_sample *sample = &data->samples[s];
        for (int k = 0; k < 2; ++k) {
            const int32_t first = sample->atom_start + (k ? sample->n_first : 0);
            const int32_t n = k ? sample->n_atoms - sample->n_first : sample->n_first;
            keys[2 * s + k] = (keyed){.key = monomer_key(data, first, n, scratch),
                                      .order = 2 * s + k,
                                      .number = &sample->monomers[k]};
        }
    }
    free(scratch);
    return number_keys(keys, 2 * data->n_samples, &data->n_monomers);
}

/* Dimers are told by set and name; without a name, by curves: x0 falling starts another. What is the same
 * under different names is merged later. */
static void collect_dimers(shoal_dataset *data, keyed *keys)
{
    int32_t curve = 0;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        fit_sample *sample = &data->samples[s];
        const fit_sample *last = s > 0 ? &data->samples[s - 1] : sample;
        uint64_t h = hash_bytes(HASH_START, &sample->set, sizeof sample->set);
        curve += last->set != sample->set || !(sample->x0 >= last->x0);
        if (sample->name[0])
            h = hash_bytes(h, sample->name, strlen(sample->name));
        else
            h = hash_bytes(h, &curve, sizeof curve);
        keys[s] = (keyed){.key = h, .order = s, .number = &sample->dimer};
    }
}

shoal_status dataset_index(shoal_dataset *data)
{
    keyed *keys = shoal_alloc(2 * (size_t)data->n_samples, sizeof *keys);
    if (!keys) return SHOAL_E_MEMORY;
    collect_dimers(data, keys);
    shoal_status status = number_keys(keys, data->n_samples, &data->n_dimers);
    if (status == SHOAL_OK) status = dataset_merge_dimers(data);
    if (status == SHOAL_OK) status = number_monomers(data, keys);
    free(keys);
    return status;
}

double dataset_weight(const shoal_dataset *data, int32_t sample)
{
    const fit_sample *s = &data->samples[sample];
    const fit_set *set = &data->sets[s->set];
    return s->weight > 0.0 ? s->weight * set->weight / set->n_samples : 0.0;
}

shoal_status shoal_dataset_weigh_curves(shoal_dataset *data, double steepness, double width)
{
    shoal_clear_error();
    SHOAL_NEED(data);
    if (!(steepness >= 0.0 && isfinite(steepness) && width > 0.0 && isfinite(width)))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "weights of curves: steepness %g, width %g eV: expected a number of at "
                          "least 0 and one above 0",
                          steepness, width);
    double *least = shoal_alloc((size_t)data->n_dimers, sizeof *least);
    if (!least) return SHOAL_E_MEMORY;
    for (int32_t d = 0; d < data->n_dimers; ++d) least[d] = INFINITY;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        double *e = &least[data->samples[s].dimer];
        if (data->samples[s].reference < *e) *e = data->samples[s].reference;
    }
    for (int32_t s = 0; s < data->n_samples; ++s) {
        fit_sample *sample = &data->samples[s];
        const double low = least[sample->dimer];
        sample->weight *= exp(-steepness * (sample->reference - low) / (fabs(low) + width));
    }
    free(least);
    return SHOAL_OK;
}

shoal_charge_source shoal_dataset_charges(const shoal_dataset *data)
{
    return data ? data->charges : SHOAL_CHARGES_AUTO;
}

int32_t shoal_dataset_sets(const shoal_dataset *data)
{
    return data ? data->n_sets : 0;
}

int32_t shoal_dataset_samples(const shoal_dataset *data)
{
    return data ? data->n_samples : 0;
}

int32_t shoal_dataset_dimers(const shoal_dataset *data)
{
    return data ? data->n_dimers : 0;
}

int32_t shoal_dataset_repeats(const shoal_dataset *data, int32_t *first, int32_t *second)
{
    const bool any = data && data->n_repeats > 0;
    if (first) *first = any ? data->repeat[0] : -1;
    if (second) *second = any ? data->repeat[1] : -1;
    return any ? data->n_repeats : 0;
}

int32_t shoal_dataset_monomers(const shoal_dataset *data)
{
    return data ? data->n_monomers : 0;
}

int64_t shoal_dataset_pairs(const shoal_dataset *data)
{
    int64_t n = 0;
    for (int32_t s = 0; data && s < data->n_samples; ++s) {
        const fit_sample *sample = &data->samples[s];
        n += (int64_t)sample->n_first * (sample->n_atoms - sample->n_first);
    }
    return n;
}

int32_t shoal_dataset_count(const shoal_dataset *data, int32_t type)
{
    int32_t n = 0;
    for (int32_t i = 0; data && i < data->n_atoms; ++i) n += data->type[i] == type;
    return n;
}

shoal_status shoal_dataset_set(const shoal_dataset *data, int32_t set, shoal_set_info *info)
{
    shoal_clear_error();
    SHOAL_NEED(data && info);
    if (set < 0 || set >= data->n_sets)
        return shoal_fail(SHOAL_E_ARGUMENT, "set %d of %d: there is none", (int)set,
                          (int)data->n_sets);
    const fit_set *x = &data->sets[set];
    *info = (shoal_set_info){.label = x->label,
                             .first = x->first,
                             .n_samples = x->n_samples,
                             .weight = x->weight,
                             .least = INFINITY,
                             .most = -INFINITY};
    bool *seen = shoal_alloc((size_t)data->n_dimers, sizeof *seen);
    if (!seen) return SHOAL_E_MEMORY;
    for (int32_t s = x->first; s < x->first + x->n_samples; ++s) {
        const fit_sample *sample = &data->samples[s];
        info->n_dimers += !seen[sample->dimer];
        seen[sample->dimer] = true;
        info->n_atoms += sample->n_atoms;
        info->rms += sample->reference * sample->reference;
        info->least = fmin(info->least, sample->reference);
        info->most = fmax(info->most, sample->reference);
    }
    free(seen);
    info->rms = sqrt(info->rms / x->n_samples);
    return SHOAL_OK;
}

shoal_status shoal_dataset_sample(const shoal_dataset *data, int32_t sample,
                                  shoal_sample_info *info)
{
    shoal_clear_error();
    SHOAL_NEED(data && info);
    if (sample < 0 || sample >= data->n_samples)
        return shoal_fail(SHOAL_E_ARGUMENT, "sample %d of %d: there is none", (int)sample,
                          (int)data->n_samples);
    const fit_sample *s = &data->samples[sample];
    *info = (shoal_sample_info){.name = s->name,
                                .group = s->group,
                                .set = s->set,
                                .dimer = s->dimer,
                                .n_atoms = s->n_atoms,
                                .n_first = s->n_first,
                                .x0 = s->x0,
                                .angle = s->angle,
                                .reference = s->reference,
                                .weight = dataset_weight(data, sample)};
    return SHOAL_OK;
}
