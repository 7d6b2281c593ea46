/* SPDX-License-Identifier: BSD-3-Clause
 * Grids as engines read them: the channels of an atom that do not hang on its charge, weighed and
 * added up, so that an atom needs two fields instead of five, which lie side by side. Atoms of one
 * type share them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/alloc.h"
#include "surf/grid.h"
#include "surf/grid_compress.h"

static bool is_same(const grid_class *a, const double weights[SHOAL_N_CHANNELS])
{
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
        if (c != SHOAL_CHANNEL_Q && a->weights[c] != weights[c]) return false;
    return true;
}

/* One level; where molecules are the field is compressed. */
static grid_class *make_level(const shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                              bool finest, int32_t wanted)
{
#ifdef _OPENMP
    const int n_threads = wanted > 0 ? wanted : omp_get_max_threads();
#else
    const int n_threads = wanted;
#endif
    const size_t n = grid_count_coefficients(grid);
    const float *charges = grid->channel[SHOAL_CHANNEL_Q];
    grid_class *out = shoal_alloc(1, sizeof *out);
    float *field = malloc(2 * n * sizeof *field);
    if (!out || !field) {
        free(out);
        free(field);
        return NULL;
    }
    memcpy(out->weights, weights, sizeof out->weights);
    out->weights[SHOAL_CHANNEL_Q] = 0;
    out->field = field;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(n_threads)
#endif
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
            if (c != SHOAL_CHANNEL_Q && grid->channel[c])
                sum += weights[c] * (double)grid->channel[c][i];
        field[2 * i] = (float)sum;
        field[2 * i + 1] = charges ? charges[i] : 0.0F;
    }
    if (finest && grid_compress(grid, weights, n_threads, field, &out->inverse) != SHOAL_OK) {
        grid_class_free(out);
        return NULL;
    }
    return out;
}

static shoal_status no_memory(void)
{
    return shoal_fail(SHOAL_E_MEMORY, "out of memory: the field of an atom type");
}

static shoal_status find_level(shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                               bool finest, int32_t n_threads, const grid_class **out)
{
    for (grid_class *k = __atomic_load_n(&grid->classes, __ATOMIC_ACQUIRE); k; k = k->next)
        if (is_same(k, weights)) {
            *out = k;
            return SHOAL_OK;
        }
    const grid_class *above = NULL;
    if (grid->above) SHOAL_TRY(find_level(grid->above, weights, false, n_threads, &above));
    grid_class *made = make_level(grid, weights, finest, n_threads);
    if (!made) return no_memory();
    made->above = above;
    /* Two threads may make the same one; both serve. */
    made->next = __atomic_load_n(&grid->classes, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&grid->classes, &made->next, made, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
    }
    *out = made;
    return SHOAL_OK;
}

shoal_status grid_class_find(shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                             int32_t n_threads, const grid_class **out)
{
    return find_level(grid, weights, true, n_threads, out);
}

void grid_class_free(grid_class *list)
{
    while (list) {
        grid_class *next = list->next;
        free(list->field);
        free(list);
        list = next;
    }
}

void grid_class_destroy(grid_class *class)
{
    while (class) {
        grid_class *above = (grid_class *)class->above;
        grid_class_free(class);
        class = above;
    }
}

shoal_status grid_class_make(const shoal_grid *grid, const double weights[SHOAL_N_CHANNELS],
                             int32_t n_threads, grid_class **out)
{
    const grid_class **to = (const grid_class **)out;
    bool finest = true;
    *out = NULL;
    for (; grid; grid = grid->above, finest = false) {
        grid_class *made = make_level(grid, weights, finest, n_threads);
        *to = made;
        if (!made) {
            grid_class_destroy(*out);
            *out = NULL;
            return no_memory();
        }
        to = &made->above;
    }
    return SHOAL_OK;
}

void grid_find_anchor(const shoal_grid_view *v, const double origin[3], int32_t node[3],
                      double rest[3])
{
    double inverse[3][3];
    grid_inverse(v, inverse);
    for (int k = 0; k < 3; ++k) {
        double u = 0;
        for (int x = 0; x < 3; ++x) u += inverse[k][x] * (origin[x] - v->origin[x]);
        if (k < 2) u -= v->shape[k] * floor(u / v->shape[k]);
        /* A system far out is told so by its height; the node must be a number all the same. */
        const double whole = u > -1e6 ? floor(u < 1e6 ? u : 1e6) : -1e6;
        node[k] = (int32_t)whole;
        rest[k] = u - whole;
    }
}
