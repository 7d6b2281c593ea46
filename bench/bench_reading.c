/* SPDX-License-Identifier: BSD-3-Clause
 * How fast files are read: megabytes of the file as stored per second, one JSON line per file. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shoal/shoal.h"
#include "timing.h"

typedef struct content {
    uint64_t n_bytes;
    int64_t n_molecules, n_atoms;
} content;

/* Reads a whole file, frame by frame. */
static shoal_status read_file(const char *path, shoal_molecule *mol, content *out)
{
    shoal_reader *reader = NULL;
    uint64_t total = 0;
    bool found = true;
    memset(out, 0, sizeof *out);
    shoal_status status = shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO);
    while (status == SHOAL_OK && found) {
        status = shoal_reader_next(reader, mol, &found);
        if (status == SHOAL_OK && found) {
            ++out->n_molecules;
            out->n_atoms += shoal_molecule_n_atoms(mol);
        }
    }
    if (status == SHOAL_OK) shoal_reader_progress(reader, &out->n_bytes, &total);
    if (status != SHOAL_OK) (void)fprintf(stderr, "bench_reading: %s\n", shoal_error_text());
    shoal_reader_destroy(reader);
    return status;
}

/* Every repeat must find what the first, untimed one found. */
static int measure(const char *path, shoal_molecule *mol)
{
    content first, again;
    double times[N_REPEATS];
    if (read_file(path, mol, &first) != SHOAL_OK) return 1;
    for (int i = 0; i < N_REPEATS; ++i) {
        const double start = timing_now();
        if (read_file(path, mol, &again) != SHOAL_OK) return 1;
        times[i] = timing_now() - start;
        if (again.n_bytes != first.n_bytes || again.n_molecules != first.n_molecules ||
            again.n_atoms != first.n_atoms) {
            (void)fprintf(stderr, "bench_reading: %s: two readings differ\n", path);
            return 1;
        }
    }
    const timing t = timing_of(times);
    const double mb = (double)first.n_bytes / 1e6;
    const char *slash = strrchr(path, '/');
    (void)printf("{\"what\":\"read\",\"case\":\"%s\",\"molecules\":%" PRId64 ",\"atoms\":%" PRId64
                 ",\"mb\":%.3f,\"repeats\":%d,\"mb_per_s\":%.1f,\"mb_per_s_min\":%.1f,"
                 "\"mb_per_s_max\":%.1f,\"molecules_per_s\":%.0f}\n",
                 slash ? slash + 1 : path, first.n_molecules, first.n_atoms, mb, N_REPEATS,
                 mb / t.median, mb / t.max, mb / t.min, (double)first.n_molecules / t.median);
    return 0;
}

int main(int argc, char **argv)
{
    shoal_molecule *mol = NULL;
    int failed = 0;
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_reading FILE...\n");
        return 2;
    }
    if (shoal_molecule_create(&mol) != SHOAL_OK) return 1;
    for (int i = 1; i < argc; ++i) failed |= measure(argv[i], mol);
    shoal_molecule_destroy(mol);
    return failed;
}
