/* SPDX-License-Identifier: BSD-3-Clause
 * How fast files are read and written on one thread, step by step: read in sequence, cut into records,
 * parsed, formatted as SDF and xyz with the results of a relaxation, and as rows of JSON. One JSON line
 * per file and step. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "io/reader.h"
#include "shoal/shoal.h"
#include "timing.h"

/* Bytes of a block of records, as a stream would ask for them. */
#define BLOCK_BYTES ((size_t)4 << 20)
/* Molecules that are kept to be formatted. */
enum { MAX_KEPT = 512 };

typedef struct content {
    uint64_t n_bytes; /* of the file as stored, or of the text made */
    int64_t n_molecules, n_atoms;
} content;

typedef struct bench {
    const char *path;
    shoal_reader *parser;
    record_block text; /* the file, up to its first GB */
    shoal_molecule *mol;
    shoal_molecule *kept[MAX_KEPT];
    int32_t n_kept;
    double (*forces)[3];
    const char **types;
    shoal_string *out;
} bench;

static shoal_status read_file(bench *b, content *out)
{
    shoal_reader *reader = NULL;
    uint64_t total = 0;
    bool found = true;
    shoal_status status = shoal_reader_open(&reader, b->path, SHOAL_FORMAT_AUTO);
    while (status == SHOAL_OK && found) {
        status = shoal_reader_next(reader, b->mol, &found);
        if (status == SHOAL_OK && found) {
            ++out->n_molecules;
            out->n_atoms += shoal_molecule_n_atoms(b->mol);
        }
    }
    if (status == SHOAL_OK) shoal_reader_progress(reader, &out->n_bytes, &total);
    shoal_reader_destroy(reader);
    return status;
}

static shoal_status cut_file(bench *b, content *out)
{
    record_cutter *cutter = NULL;
    record_block block = {0};
    shoal_status status = record_cutter_open(&cutter, b->path, SHOAL_FORMAT_AUTO, NULL);
    do {
        if (status == SHOAL_OK) status = record_cutter_next(cutter, &block, INT32_MAX, BLOCK_BYTES);
        out->n_molecules += block.n;
        out->n_bytes += block.size;
    } while (status == SHOAL_OK && block.n > 0);
    record_block_free(&block);
    record_cutter_destroy(cutter);
    return status;
}

static shoal_status parse_records(bench *b, content *out)
{
    for (int32_t i = 0; i < b->text.n; ++i) {
        bool found;
        SHOAL_TRY(reader_parse(b->parser, record_block_text(&b->text, i), b->path, b->text.lines[i],
                               b->mol, &found));
        out->n_molecules += found;
        out->n_atoms += shoal_molecule_n_atoms(b->mol);
    }
    out->n_bytes = b->text.size;
    return SHOAL_OK;
}

static shoal_status format_frames(bench *b, content *out, shoal_format format)
{
    const double energy = -12.345678901234567;
    const shoal_frame frame = {.energy = &energy,
                               .forces = (const double(*)[3])b->forces,
                               .types = b->types,
                               .status = "converged"};
    for (int32_t i = 0; i < b->n_kept; ++i) {
        shoal_string_clear(b->out);
        SHOAL_TRY(shoal_frame_format(b->out, format, b->kept[i], &frame));
        out->n_bytes += shoal_string_size(b->out);
        out->n_atoms += shoal_molecule_n_atoms(b->kept[i]);
        out->n_molecules++;
    }
    return SHOAL_OK;
}

static shoal_status format_sdf(bench *b, content *out)
{
    return format_frames(b, out, SHOAL_FORMAT_SDF);
}

static shoal_status format_xyz(bench *b, content *out)
{
    return format_frames(b, out, SHOAL_FORMAT_XYZ);
}

/* A row of shoal relax --json. */
static shoal_status format_json(bench *b, content *out)
{
    static const char *const terms[] = {"bond", "angle", "torsion", "inversion", "vdw", "coulomb"};
    for (int32_t i = 0; i < b->n_kept; ++i) {
        shoal_json j = {.text = b->out};
        shoal_json_clear(&j);
        shoal_json_open(&j, NULL, '{');
        shoal_json_integer(&j, "index", i);
        shoal_json_text(&j, "name", shoal_molecule_name(b->kept[i]));
        shoal_json_integer(&j, "atoms", shoal_molecule_n_atoms(b->kept[i]));
        shoal_json_text(&j, "status", "converged");
        shoal_json_number(&j, "energy0", b->forces[0][0]);
        shoal_json_number(&j, "energy", b->forces[0][1]);
        shoal_json_number(&j, "fmax", b->forces[0][2]);
        shoal_json_integer(&j, "steps", 123);
        shoal_json_open(&j, "terms", '{');
        for (int k = 0; k < 6; ++k) shoal_json_number(&j, terms[k], b->forces[k][0]);
        shoal_json_close(&j, '}');
        shoal_json_end(&j);
        out->n_bytes += shoal_string_size(b->out);
        out->n_molecules++;
    }
    return shoal_string_status(b->out);
}

static const struct {
    const char *name;
    shoal_status (*run)(bench *b, content *out);
} steps[] = {{"read", read_file},        {"cut", cut_file},          {"parse", parse_records},
             {"format_sdf", format_sdf}, {"format_xyz", format_xyz}, {"format_json", format_json}};

/* Every repeat must find what the first, untimed one found. */
static shoal_status measure(bench *b, size_t step)
{
    content first = {0};
    double times[N_REPEATS];
    SHOAL_TRY(steps[step].run(b, &first));
    for (int i = 0; i < N_REPEATS; ++i) {
        content again = {0};
        const double start = timing_now();
        SHOAL_TRY(steps[step].run(b, &again));
        times[i] = timing_now() - start;
        if (memcmp(&again, &first, sizeof again) != 0)
            return shoal_fail(SHOAL_E_FORMAT, "%s: two runs differ", steps[step].name);
    }
    const timing t = timing_of(times);
    const double mb = (double)first.n_bytes / 1e6, n = (double)first.n_molecules;
    const char *slash = strrchr(b->path, '/');
    (void)printf("{\"what\":\"%s\",\"case\":\"%s\",\"molecules\":%" PRId64 ",\"atoms\":%" PRId64
                 ",\"mb\":%.3f,\"repeats\":%d,\"mb_per_s\":%.1f,\"mb_per_s_min\":%.1f,"
                 "\"mb_per_s_max\":%.1f,\"molecules_per_s\":%.0f,\"us_per_molecule\":%.3f,"
                 "\"us_per_molecule_min\":%.3f}\n",
                 steps[step].name, slash ? slash + 1 : b->path, first.n_molecules, first.n_atoms,
                 mb, N_REPEATS, mb / t.median, mb / t.max, mb / t.min, n / t.median,
                 1e6 * t.median / n, 1e6 * t.min / n);
    return SHOAL_OK;
}

static shoal_status keep_molecules(bench *b)
{
    int32_t n_atoms = 6;
    bool found;
    for (; b->n_kept < MAX_KEPT && b->n_kept < b->text.n; ++b->n_kept) {
        shoal_molecule **mol = &b->kept[b->n_kept];
        SHOAL_TRY(shoal_molecule_create(mol));
        SHOAL_TRY(reader_parse(b->parser, record_block_text(&b->text, b->n_kept), b->path,
                               b->text.lines[b->n_kept], *mol, &found));
        SHOAL_TRY(shoal_molecule_perceive(*mol, NULL));
        if (shoal_molecule_n_atoms(*mol) > n_atoms) n_atoms = shoal_molecule_n_atoms(*mol);
    }
    b->forces = calloc((size_t)n_atoms, sizeof *b->forces);
    b->types = calloc((size_t)n_atoms, sizeof *b->types);
    if (!b->forces || !b->types) return shoal_fail(SHOAL_E_MEMORY, "out of memory");
    uint64_t state = 1;
    for (int32_t i = 0; i < n_atoms; ++i) {
        b->types[i] = i % 2 ? "C_R" : "H_";
        for (int k = 0; k < 3; ++k) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            b->forces[i][k] = (double)(int64_t)state * 0x1p-75; /* eV/angstrom, small */
        }
    }
    return SHOAL_OK;
}

static shoal_status run_file(bench *b)
{
    record_cutter *cutter = NULL;
    SHOAL_TRY(record_cutter_open(&cutter, b->path, SHOAL_FORMAT_AUTO, NULL));
    shoal_status status = record_cutter_next(cutter, &b->text, INT32_MAX, (size_t)1 << 30);
    if (status == SHOAL_OK) status = reader_create(&b->parser, record_cutter_format(cutter), NULL);
    record_cutter_destroy(cutter);
    SHOAL_TRY(status);
    SHOAL_TRY(shoal_molecule_create(&b->mol));
    SHOAL_TRY(shoal_string_create(&b->out));
    SHOAL_TRY(keep_molecules(b));
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; ++s) SHOAL_TRY(measure(b, s));
    return SHOAL_OK;
}

static int bench_file(const char *path)
{
    bench b = {.path = path};
    const shoal_status status = run_file(&b);
    if (status != SHOAL_OK) (void)fprintf(stderr, "bench_reading: %s\n", shoal_error_text());
    for (int32_t i = 0; i < MAX_KEPT; ++i) shoal_molecule_destroy(b.kept[i]);
    shoal_molecule_destroy(b.mol);
    shoal_string_destroy(b.out);
    shoal_reader_destroy(b.parser);
    record_block_free(&b.text);
    free(b.forces);
    free(b.types);
    return status != SHOAL_OK;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc < 2) {
        (void)fprintf(stderr, "usage: bench_reading FILE...\n");
        return 2;
    }
    for (int i = 1; i < argc; ++i) failed |= bench_file(argv[i]);
    return failed;
}
