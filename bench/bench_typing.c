/* SPDX-License-Identifier: BSD-3-Clause
 * How fast molecules are typed: perception and UFF assignment of molecules in memory, one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shoal/shoal.h"
#include "timing.h"

typedef struct set {
    int32_t n, capacity;
    shoal_molecule **molecules;
} set;

static void set_free(set *s)
{
    for (int32_t i = 0; i < s->n; ++i) shoal_molecule_destroy(s->molecules[i]);
    free(s->molecules);
}

/* Appends a new empty molecule; NULL if memory ran out. */
static shoal_molecule *set_add(set *s)
{
    if (s->n == s->capacity) {
        const int32_t capacity = s->capacity ? 2 * s->capacity : 256;
        void *p = realloc(s->molecules, (size_t)capacity * sizeof(*s->molecules));
        if (!p) return NULL;
        s->molecules = p;
        s->capacity = capacity;
    }
    if (shoal_molecule_create(&s->molecules[s->n]) != SHOAL_OK) return NULL;
    return s->molecules[s->n++];
}

static int fail(void)
{
    (void)fprintf(stderr, "bench_typing: %s\n", shoal_error_text());
    return 1;
}

static int set_read(set *s, const char *path)
{
    shoal_reader *reader = NULL;
    shoal_molecule *mol = NULL;
    bool found = true;
    if (shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) != SHOAL_OK) return fail();
    while (found) {
        mol = set_add(s);
        if (!mol || shoal_reader_next(reader, mol, &found) != SHOAL_OK) {
            (void)fail();
            shoal_reader_destroy(reader);
            return 1;
        }
    }
    shoal_molecule_destroy(s->molecules[--s->n]);
    shoal_reader_destroy(reader);
    return 0;
}

/* Types copies of all molecules; only the typing is timed. */
static int type_all(const set *s, double *seconds, int64_t *n_terms, int32_t *n_untyped)
{
    set copies = {0};
    int status = 0;
    for (int32_t i = 0; i < s->n && status == 0; ++i) {
        shoal_molecule *copy = set_add(&copies);
        if (!copy || shoal_molecule_copy(copy, s->molecules[i]) != SHOAL_OK) status = fail();
    }
    *n_terms = 0;
    *n_untyped = 0;
    const double start = timing_now();
    for (int32_t i = 0; i < copies.n && status == 0; ++i) {
        shoal_topology *topology = NULL;
        shoal_topology_view view;
        if (shoal_topology_create(&topology, copies.molecules[i], NULL) != SHOAL_OK) {
            status = fail();
            break;
        }
        shoal_topology_get(topology, &view);
        *n_terms += view.n_terms;
        *n_untyped += shoal_topology_status(topology) != SHOAL_SYSTEM_OK;
        shoal_topology_destroy(topology);
    }
    *seconds = timing_now() - start;
    set_free(&copies);
    return status;
}

/* Every repeat must give as many terms as the first, untimed one. */
static int measure(const set *s, const char *path)
{
    double times[N_REPEATS], ignored;
    int64_t first, again;
    int32_t n_untyped;
    if (type_all(s, &ignored, &first, &n_untyped) != 0) return 1;
    for (int i = 0; i < N_REPEATS; ++i) {
        if (type_all(s, &times[i], &again, &n_untyped) != 0) return 1;
        if (again != first) {
            (void)fprintf(stderr, "bench_typing: %s: two typings differ\n", path);
            return 1;
        }
    }
    const timing t = timing_of(times);
    const char *slash = strrchr(path, '/');
    (void)printf("{\"what\":\"type\",\"case\":\"%s\",\"program\":\"shoal\",\"molecules\":%d,"
                 "\"untyped\":%d,\"terms\":%lld,\"repeats\":%d,\"molecules_per_s\":%.0f,"
                 "\"molecules_per_s_min\":%.0f,\"molecules_per_s_max\":%.0f}\n",
                 slash ? slash + 1 : path, s->n, n_untyped, (long long)first, N_REPEATS,
                 s->n / t.median, s->n / t.max, s->n / t.min);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_typing FILE...\n");
        return 2;
    }
    for (int i = 1; i < argc; ++i) {
        set s = {0};
        failed |= set_read(&s, argv[i]) || measure(&s, argv[i]);
        set_free(&s);
    }
    return failed;
}
