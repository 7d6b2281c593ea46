/* SPDX-License-Identifier: BSD-3-Clause
 * How fast conformers go through a stream from memory into a table, against the same from their file:
 *   bench_memory FILE [JOB [THREADS [REPEATS [SOURCE [COPIES]]]]]
 * JOB is type (what a system costs beside computing), energy or relax, SOURCE memory, perceived (molecules that know
 * their bonds already) or file. Without them all are measured. COPIES of the conformers go through one stream. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shoal/shoal.h"
#include "timing.h"

enum { SOURCE_MEMORY, SOURCE_PERCEIVED, SOURCE_FILE, N_SOURCES };
static const char *const sources[N_SOURCES] = {"memory", "perceived", "file"};
static const char *const jobs[] = {"type", "energy", "relax"};
enum { N_JOBS = 3 };

/* Conformers that follow each other under one name share the first one's molecule. */
typedef struct library {
    int64_t n, capacity;
    shoal_molecule **molecules; /* [n]; NULL where it is that of another */
    double (**pos)[3];          /* [n] */
    shoal_record *records;      /* [n_records] */
    int64_t n_records;          /* with all copies */
    int64_t n_atoms, n_molecules;
} library;

static int fail(void)
{
    (void)fprintf(stderr, "bench_memory: %s\n", shoal_error_text());
    return 1;
}

static bool grow(library *l)
{
    if (l->n < l->capacity) return true;
    const int64_t capacity = l->capacity > 0 ? 2 * l->capacity : 1024;
    void *molecules = realloc(l->molecules, (size_t)capacity * sizeof *l->molecules);
    if (molecules) l->molecules = molecules;
    void *pos = realloc(l->pos, (size_t)capacity * sizeof *l->pos);
    if (pos) l->pos = pos;
    void *records = realloc(l->records, (size_t)capacity * sizeof *l->records);
    if (records) l->records = records;
    l->capacity = capacity;
    return molecules && pos && records;
}

/* Another conformer: whose it is, and where its atoms are. */
static bool add(library *l, const shoal_molecule *mol)
{
    const int32_t n = shoal_molecule_n_atoms(mol);
    if (!grow(l)) return false;
    const shoal_molecule *last = l->n > 0 ? l->records[l->n - 1].molecule : NULL;
    const bool same = last && shoal_molecule_n_atoms(last) == n &&
                      strcmp(shoal_molecule_name(last), shoal_molecule_name(mol)) == 0 &&
                      memcmp(shoal_molecule_elements(last), shoal_molecule_elements(mol),
                             (size_t)n * sizeof(int32_t)) == 0;
    shoal_molecule *own = NULL;
    if (!same &&
        (shoal_molecule_create(&own) != SHOAL_OK || shoal_molecule_copy(own, mol) != SHOAL_OK))
        return false;
    double(*pos)[3] = malloc((size_t)n * sizeof *pos + 1);
    if (!pos) return false;
    memcpy(pos, shoal_molecule_positions(mol), (size_t)n * sizeof *pos);
    l->molecules[l->n] = own;
    l->pos[l->n] = pos;
    l->records[l->n] =
        (shoal_record){.molecule = same ? last : own, .pos = (const double(*)[3])pos};
    l->n_molecules += !same;
    l->n_atoms += n;
    ++l->n;
    return true;
}

static int load(const char *path, library *l)
{
    shoal_reader *reader = NULL;
    shoal_molecule *mol = NULL;
    bool found = true;
    if (shoal_molecule_create(&mol) != SHOAL_OK ||
        shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) != SHOAL_OK)
        return fail();
    while (found) {
        if (shoal_reader_next(reader, mol, &found) != SHOAL_OK || (found && !add(l, mol)))
            return fail();
    }
    shoal_reader_destroy(reader);
    shoal_molecule_destroy(mol);
    return 0;
}

static void unload(library *l)
{
    for (int64_t i = 0; i < l->n; ++i) {
        shoal_molecule_destroy(l->molecules[i]);
        free(l->pos[i]);
    }
    free(l->molecules);
    free(l->pos);
    free(l->records);
}

/* The same conformers again and again, with the molecules and positions of the first. */
static bool copy_records(library *l, int64_t n_copies)
{
    const int64_t n = l->n;
    void *records = realloc(l->records, (size_t)(n * n_copies) * sizeof *l->records);
    if (!records) return false;
    l->records = records;
    for (int64_t i = n; i < n * n_copies; ++i) l->records[i] = l->records[i - n];
    l->n_records = n * n_copies;
    l->n_atoms *= n_copies;
    return true;
}

static int perceive(library *l)
{
    for (int64_t i = 0; i < l->n; ++i)
        if (l->molecules[i] && shoal_molecule_perceive(l->molecules[i], NULL) != SHOAL_OK)
            return fail();
    return 0;
}

/* One stream; *check is the sum of all energies. */
static shoal_status run(const char *path, const library *l, int source, int job, int32_t n_threads,
                        double *seconds, double *check)
{
    const shoal_results_what what = {.forces = true};
    shoal_table *table = NULL;
    shoal_sink sink;
    shoal_column c;
    shoal_status status = shoal_table_create(&table, &what);
    if (status == SHOAL_OK) status = shoal_table_reserve(table, l->n_records, l->n_atoms);
    if (status == SHOAL_OK) status = shoal_table_sink(table, &sink);
    shoal_stream_options o = {.job = (shoal_job)(SHOAL_JOB_TYPE + job),
                              .compute.n_threads = n_threads,
                              .compute.engine = &(shoal_engine_options){.device = "cpu"},
                              .output.sinks = &sink,
                              .output.n_sinks = 1};
    if (source == SOURCE_FILE) {
        o.input.files = &path;
        o.input.n_files = 1;
    } else {
        o.input.records = l->records;
        o.input.n_records = l->n_records;
    }
    const double began = timing_now();
    if (status == SHOAL_OK) status = shoal_stream_run(&o);
    *seconds = timing_now() - began;
    *check = 0;
    for (int32_t k = 0; status == SHOAL_OK && shoal_table_column(table, k, &c) == SHOAL_OK; ++k)
        for (int64_t i = 0; strcmp(c.name, "systems/energy") == 0 && i < c.n_rows; ++i)
            *check += ((const double *)c.data)[i];
    shoal_table_destroy(table);
    return status;
}

static int measure(const char *path, const library *l, int source, int job, int32_t n_threads,
                   int n_repeats)
{
    const int64_t n = source == SOURCE_FILE ? l->n : l->n_records;
    double best = 0, seconds, check = 0;
    for (int k = 0; k < n_repeats; ++k) {
        if (run(path, l, source, job, n_threads, &seconds, &check) != SHOAL_OK) return fail();
        if (k == 0 || seconds < best) best = seconds;
    }
    (void)printf("{\"bench\": \"memory\", \"source\": \"%s\", \"job\": \"%s\", \"threads\": %d, "
                 "\"conformers\": %lld, \"molecules\": %lld, \"atoms\": %.1f, \"seconds\": %.4f, "
                 "\"conformers_per_s\": %.0f, \"us\": %.2f, \"check\": %.9g}\n",
                 sources[source], jobs[job], n_threads, (long long)n, (long long)l->n_molecules,
                 (double)l->n_atoms / (double)l->n_records, best, (double)n / best,
                 1e6 * best / (double)n, check);
    (void)fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    library l = {0};
    if (argc < 2) {
        (void)fprintf(stderr,
                      "usage: bench_memory FILE [JOB [THREADS [REPEATS [SOURCE [COPIES]]]]]\n");
        return 2;
    }
    const int32_t n_threads = argc > 3 ? (int32_t)strtol(argv[3], NULL, 10) : 1;
    const int n_repeats = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 3;
    const int64_t n_copies = argc > 6 ? strtoll(argv[6], NULL, 10) : 1;
    int code = load(argv[1], &l);
    if (code == 0 && !copy_records(&l, n_copies > 0 ? n_copies : 1)) code = fail();
    for (int source = 0; source < N_SOURCES && code == 0; ++source) {
        if (argc > 5 && strcmp(argv[5], sources[source]) != 0) continue;
        if (source == SOURCE_PERCEIVED) code = perceive(&l);
        for (int job = 0; job < N_JOBS && code == 0; ++job)
            if (argc <= 2 || strcmp(argv[2], jobs[job]) == 0 || strcmp(argv[2], "all") == 0)
                code = measure(argv[1], &l, source, job, n_threads, n_repeats);
    }
    unload(&l);
    return code;
}
