/* SPDX-License-Identifier: BSD-3-Clause
 * Minima of the energies of a scan and the barriers between them.
 *
 * Points are taken from the lowest to the highest, as if water rose: one without a neighbour below it is a minimum, one
 * that joins two lakes is the lowest barrier between their minima. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "jobs/scan.h"

#define DENT 1e-4 /* eV: shallower minima are none */

typedef struct ranked {
    double energy;
    int64_t place;
} ranked;

typedef struct flood {
    const shoal_scan *scan;
    const double *energies;
    int64_t n;     /* points that have an energy */
    ranked *order; /* [n] */
    int64_t *lake; /* [size] leads to the lowest minimum of its lake; -1 above the water */
    shoal_scan_minimum *found;
    int32_t n_found, capacity;
} flood;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->energy != y->energy) return x->energy < y->energy ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int compare_minima(const void *a, const void *b)
{
    const shoal_scan_minimum *x = a, *y = b;
    if (x->energy != y->energy) return x->energy < y->energy ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

int64_t scan_neighbour(const shoal_scan *scan, int64_t place, int32_t k, int by)
{
    bool same;
    const shoal_coordinate *c = &scan->coordinates[k];
    const int64_t step = place / scan->strides[k] % c->n;
    int64_t to = step + by;
    if ((to < 0 || to >= c->n) && !scan_is_closed(c, &same)) return -1;
    to = (to + c->n) % c->n;
    return place + (to - step) * scan->strides[k];
}

static int32_t n_coordinates(const shoal_scan *scan)
{
    return scan->options.n_coordinates;
}

static bool is_at_edge(const shoal_scan *scan, int64_t place)
{
    for (int32_t k = 0; k < n_coordinates(scan); ++k)
        for (int by = -1; by <= 1 && scan->coordinates[k].n > 1; by += 2)
            if (scan_neighbour(scan, place, k, by) < 0) return true;
    return false;
}

static int64_t lake_of(flood *f, int64_t place)
{
    while (f->lake[place] != place) {
        f->lake[place] = f->lake[f->lake[place]];
        place = f->lake[place];
    }
    return place;
}

static shoal_status note(flood *f, int64_t minimum, int64_t barrier)
{
    SHOAL_TRY(SHOAL_RESERVE(&f->found, &f->capacity, f->n_found + 1));
    f->found[f->n_found++] =
        (shoal_scan_minimum){.place = minimum,
                             .energy = f->energies[minimum],
                             .at_edge = is_at_edge(f->scan, minimum),
                             .barrier = barrier,
                             .barrier_energy = barrier < 0 ? NAN : f->energies[barrier]};
    return SHOAL_OK;
}

/* The water reaches a point. Lakes have the number of their lowest point. */
static shoal_status drown(flood *f, int64_t place)
{
    f->lake[place] = place;
    for (int32_t k = 0; k < n_coordinates(f->scan); ++k) {
        for (int by = -1; by <= 1; by += 2) {
            const int64_t next = scan_neighbour(f->scan, place, k, by);
            if (next < 0 || f->lake[next] < 0) continue;
            const int64_t a = lake_of(f, place), b = lake_of(f, next);
            if (a == b) continue;
            const ranked at[2] = {{f->energies[a], a}, {f->energies[b], b}};
            const int64_t low = compare_ranked(&at[0], &at[1]) < 0 ? a : b;
            const int64_t high = low == a ? b : a;
            f->lake[high] = low;
            if (high != place && f->energies[place] - f->energies[high] >= DENT)
                SHOAL_TRY(note(f, high, place));
        }
    }
    return SHOAL_OK;
}

static shoal_status run_flood(flood *f)
{
    const int64_t size = f->scan->size;
    f->order = shoal_alloc_dirty((size_t)size, sizeof *f->order);
    f->lake = shoal_alloc_dirty((size_t)size, sizeof *f->lake);
    if (!f->order || !f->lake) return SHOAL_E_MEMORY;
    for (int64_t i = 0; i < size; ++i) {
        f->lake[i] = -1;
        if (isfinite(f->energies[i])) f->order[f->n++] = (ranked){f->energies[i], i};
    }
    qsort(f->order, (size_t)f->n, sizeof *f->order, compare_ranked);
    for (int64_t k = 0; k < f->n; ++k) SHOAL_TRY(drown(f, f->order[k].place));
    for (int64_t k = 0; k < f->n; ++k) {
        const int64_t i = f->order[k].place;
        if (f->lake[i] == i) SHOAL_TRY(note(f, i, -1));
    }
    qsort(f->found, (size_t)f->n_found, sizeof *f->found, compare_minima);
    return SHOAL_OK;
}

static void drain(flood *f)
{
    free(f->order);
    free(f->lake);
    free(f->found);
}

shoal_status shoal_scan_minima(const shoal_scan *scan, const double *energies,
                               shoal_scan_minimum *out, int32_t n_most, int32_t *n)
{
    shoal_clear_error();
    SHOAL_NEED(scan && energies && n && (out || n_most <= 0));
    flood f = {.scan = scan, .energies = energies};
    const shoal_status status = run_flood(&f);
    *n = status == SHOAL_OK ? f.n_found : 0;
    for (int32_t k = 0; k < *n && k < n_most; ++k) out[k] = f.found[k];
    drain(&f);
    return status;
}

/* --- curves -------------------------------------------------------------------------------------- */

static int compare_places(const void *a, const void *b)
{
    const int64_t x = ((const shoal_scan_minimum *)a)->place,
                  y = ((const shoal_scan_minimum *)b)->place;
    return x < y ? -1 : x > y;
}

/* The highest point from one place on to another, round the end if that comes before; -1 if there is none between, or
 * where one of them has no energy: it may be the highest. */
static int64_t highest_between(const flood *f, int64_t from, int64_t to)
{
    const int64_t n = f->scan->size;
    int64_t best = -1;
    for (int64_t i = (from + 1) % n; i != to; i = (i + 1) % n) {
        if (!isfinite(f->energies[i])) return -1;
        if (best < 0 || f->energies[i] > f->energies[best]) best = i;
    }
    return best;
}

shoal_status shoal_scan_maxima(const shoal_scan *scan, const double *energies, int64_t *out,
                               int32_t n_most, int32_t *n)
{
    bool same;
    shoal_clear_error();
    SHOAL_NEED(scan && energies && n && (out || n_most <= 0));
    if (n_coordinates(scan) != 1)
        return shoal_fail(SHOAL_E_ARGUMENT, "maxima of %d coordinates, expected a curve of one",
                          n_coordinates(scan));
    flood f = {.scan = scan, .energies = energies};
    const shoal_status status = run_flood(&f);
    const bool closed = scan_is_closed(&scan->coordinates[0], &same);
    *n = 0;
    if (status == SHOAL_OK) qsort(f.found, (size_t)f.n_found, sizeof *f.found, compare_places);
    for (int32_t k = 0; k < f.n_found && status == SHOAL_OK; ++k) {
        if (k + 1 == f.n_found && !closed) break;
        const int64_t top =
            highest_between(&f, f.found[k].place, f.found[(k + 1) % f.n_found].place);
        if (top < 0 || f.energies[top] - f.found[k].energy < DENT) continue;
        if (*n < n_most) out[*n] = top;
        ++*n;
    }
    drain(&f);
    return status;
}
