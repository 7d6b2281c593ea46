/* SPDX-License-Identifier: BSD-3-Clause
 * Dimers that stand in several places: known by their elements and by the distances between their fragments,
 * whatever their names, the order of their atoms and fragments, and their types. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "fit/dataset.h"
#include "geom/vector.h"

/* Frames whose distances differ by less are the same: files have four decimals, angstrom. */
#define SAME_FRAME 0.002

/* The distance of two atoms of different fragments. */
typedef struct contact {
    uint64_t elements; /* of both, in either order */
    double r;
} contact;

typedef struct frame_mark {
    uint64_t elements; /* of both fragments, in either order */
    double mean;       /* of the distances, angstrom */
    int32_t sample;
} frame_mark;

typedef struct searcher {
    shoal_dataset *data;
    frame_mark *marks;
    contact *list[2];
    int32_t *merged; /* [n_dimers] the first dimer that is the same */
    bool *repeated;  /* [n_samples] a frame that stands in an earlier set */
} searcher;

static int by_elements(const void *a, const void *b)
{
    const contact *x = a, *y = b;
    if (x->elements != y->elements) return x->elements < y->elements ? -1 : 1;
    return (x->r > y->r) - (x->r < y->r);
}

static int by_mean(const void *a, const void *b)
{
    const frame_mark *x = a, *y = b;
    if (x->elements != y->elements) return x->elements < y->elements ? -1 : 1;
    if (x->mean != y->mean) return x->mean < y->mean ? -1 : 1;
    return (x->sample > y->sample) - (x->sample < y->sample);
}

static uint64_t element_key(const shoal_dataset *data, int32_t atom)
{
    const char *element = shoal_atom_types_get(data->types, data->type[atom])->element;
    return hash_bytes(HASH_START, element, strlen(element));
}

/* The same in either order. */
static uint64_t unordered(uint64_t a, uint64_t b)
{
    const uint64_t both[2] = {a < b ? a : b, a < b ? b : a};
    return hash_bytes(HASH_START, both, sizeof both);
}

/* All distances between the fragments of a sample, sites aside; returns how many. */
static int32_t list_contacts(const shoal_dataset *data, int32_t sample, contact *list)
{
    const fit_sample *s = &data->samples[sample];
    int32_t n = 0;
    for (int32_t i = s->atom_start; i < s->atom_start + s->n_first; ++i) {
        if (data->host[i] >= 0) continue;
        for (int32_t j = s->atom_start + s->n_first; j < s->atom_start + s->n_atoms; ++j) {
            if (data->host[j] >= 0) continue;
            list[n++] = (contact){unordered(element_key(data, i), element_key(data, j)),
                                  vector_distance(data->pos[i], data->pos[j])};
        }
    }
    return n;
}

/* The sum does not depend on the order of the atoms. */
static uint64_t fragment_key(const shoal_dataset *data, int32_t first, int32_t n)
{
    uint64_t sum = 0;
    for (int32_t i = first; i < first + n; ++i)
        if (data->host[i] < 0) sum += element_key(data, i);
    return sum;
}

static void mark_frame(searcher *w, int32_t sample)
{
    const shoal_dataset *data = w->data;
    const fit_sample *s = &data->samples[sample];
    const int32_t n = list_contacts(data, sample, w->list[0]);
    double sum = 0.0;
    for (int32_t k = 0; k < n; ++k) sum += w->list[0][k].r;
    const uint64_t a = fragment_key(data, s->atom_start, s->n_first);
    const uint64_t b = fragment_key(data, s->atom_start + s->n_first, s->n_atoms - s->n_first);
    w->marks[sample] = (frame_mark){unordered(a, b), n > 0 ? sum / n : 0.0, sample};
}

static bool are_same(const searcher *w, int32_t a, int32_t b)
{
    const int32_t n = list_contacts(w->data, a, w->list[0]);
    if (list_contacts(w->data, b, w->list[1]) != n) return false;
    for (int k = 0; k < 2; ++k) qsort(w->list[k], (size_t)n, sizeof *w->list[k], by_elements);
    for (int32_t k = 0; k < n; ++k)
        if (w->list[0][k].elements != w->list[1][k].elements ||
            !(fabs(w->list[0][k].r - w->list[1][k].r) < SAME_FRAME))
            return false;
    return true;
}

static int32_t root_of(const searcher *w, int32_t dimer)
{
    while (w->merged[dimer] != dimer) dimer = w->merged[dimer];
    return dimer;
}

/* They count twice, which the user should know. */
static void note_repeat(searcher *w, int32_t a, int32_t b)
{
    shoal_dataset *data = w->data;
    const int32_t first = a < b ? a : b, second = a < b ? b : a;
    w->repeated[second] = true;
    if (data->n_repeats++ == 0 || second < data->repeat[1]) {
        data->repeat[0] = first;
        data->repeat[1] = second;
    }
}

static void compare_all(searcher *w)
{
    const int32_t n = w->data->n_samples;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = i + 1; k < n && w->marks[k].elements == w->marks[i].elements &&
                                w->marks[k].mean - w->marks[i].mean < SAME_FRAME;
             ++k) {
            const int32_t a = w->marks[i].sample, b = w->marks[k].sample;
            if (w->repeated[a > b ? a : b]) continue;
            /* in one file names tell them apart */
            if (w->data->samples[a].set == w->data->samples[b].set || !are_same(w, a, b)) continue;
            const int32_t x = root_of(w, w->data->samples[a].dimer);
            const int32_t y = root_of(w, w->data->samples[b].dimer);
            w->merged[x > y ? x : y] = x < y ? x : y;
            note_repeat(w, a, b);
        }
    }
}

/* Numbers by first appearance again. */
static void renumber(searcher *w, int32_t *number)
{
    shoal_dataset *data = w->data;
    const int32_t n = data->n_dimers;
    for (int32_t d = 0; d < n; ++d) number[d] = -1;
    data->n_dimers = 0;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const int32_t root = root_of(w, data->samples[s].dimer);
        if (number[root] < 0) number[root] = data->n_dimers++;
        data->samples[s].dimer = number[root];
    }
}

shoal_status dataset_merge_dimers(shoal_dataset *data)
{
    size_t most = 1;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const fit_sample *x = &data->samples[s];
        const size_t n = (size_t)x->n_first * (size_t)(x->n_atoms - x->n_first);
        if (n > most) most = n;
    }
    searcher w = {.data = data};
    w.marks = shoal_alloc((size_t)data->n_samples, sizeof *w.marks);
    w.list[0] = shoal_alloc(2 * most, sizeof *w.list[0]);
    w.merged = shoal_alloc(2 * (size_t)data->n_dimers, sizeof *w.merged);
    w.repeated = shoal_alloc((size_t)data->n_samples, sizeof *w.repeated);
    const bool complete = w.marks && w.list[0] && w.merged && w.repeated;
    if (complete) {
        w.list[1] = w.list[0] + most;
        data->n_repeats = 0;
        for (int32_t d = 0; d < data->n_dimers; ++d) w.merged[d] = d;
        for (int32_t s = 0; s < data->n_samples; ++s) mark_frame(&w, s);
        qsort(w.marks, (size_t)data->n_samples, sizeof *w.marks, by_mean);
        compare_all(&w);
        renumber(&w, w.merged + data->n_dimers);
    }
    free(w.marks);
    free(w.list[0]);
    free(w.merged);
    free(w.repeated);
    return complete ? SHOAL_OK : SHOAL_E_MEMORY;
}
