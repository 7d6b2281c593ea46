/* SPDX-License-Identifier: BSD-3-Clause
 * Variants of records: every one gets what it gets alone, comes in its order, and depends on neither threads,
 * blocks, shards nor where an earlier stream ended. */
#include <math.h>

#include "stream_fixture.h"

enum { N_VARIANTS = 60, N_RECORDS = 11 };
static const char few_path[] = "test_stream_variants_few.xyz";

/* Chains of different lengths and waters. */
static void make_few(void)
{
    FILE *file = begin(few_path);
    put_many(file, N_RECORDS);
    CHECK(fclose(file) == 0);
}

/* --- variants ------------------------------------------------------------------------------------ */

/* How variants are made, and what is noticed in that. */
typedef struct maker {
    int64_t fail_at; /* the variant that fails; -1: none */
    shoal_status fail_with;
    _Atomic int64_t n_made;
} maker;

/* Where the last atom of a variant goes. */
static double shift_of(int64_t variant)
{
    return 0.01 * (double)(variant % 23) - 0.1;
}

static shoal_status shift_last(void *user, const shoal_stream_system *s,
                               const shoal_stream_system *earlier, int32_t n_earlier,
                               double (*pos)[3], shoal_restraint *restraints)
{
    maker *m = user;
    const int32_t n = shoal_molecule_n_atoms(s->mol);
    ++m->n_made;
    if (earlier || n_earlier) return SHOAL_E_FORMAT;
    if (s->variant == m->fail_at) {
        shoal_status status = shoal_molecule_set_name(NULL, ""); /* some text */
        return m->fail_with == SHOAL_E_ARGUMENT ? status : m->fail_with;
    }
    pos[n - 1][2] += shift_of(s->variant);
    if (restraints) restraints[0].value += 0.001 * (double)s->variant;
    return SHOAL_OK;
}

/* --- alone --------------------------------------------------------------------------------------- */

/* One variant of one molecule, computed by itself. */
static void compute_alone(const shoal_stream_options *o, shoal_molecule *mol, int64_t variant,
                          char want[200])
{
    shoal_topology *topology = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *e = NULL;
    shoal_result r;
    double pos[64][3];
    const int32_t n = shoal_molecule_n_atoms(mol);
    shoal_restraint restraint = o->n_restraints ? o->restraints[0] : (shoal_restraint){0};
    memcpy(pos, shoal_molecule_positions(mol), (size_t)n * sizeof *pos);
    pos[n - 1][2] += shift_of(variant);
    restraint.value += 0.001 * (double)variant;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    const shoal_system system = {.topology = topology,
                                 .pos = (const double(*)[3])pos,
                                 .restraints = o->n_restraints ? &restraint : NULL,
                                 .n_restraints = o->n_restraints};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&e, batch, o->engine) == SHOAL_OK);
    if (o->job == SHOAL_JOB_RELAX)
        CHECK(shoal_engine_relax(e, o->relax, NULL, NULL) == SHOAL_OK);
    else
        CHECK(shoal_engine_eval(e) == SHOAL_OK);
    CHECK(shoal_engine_result(e, 0, &r) == SHOAL_OK);
    const double *last = shoal_engine_positions(e, 0)[n - 1];
    (void)snprintf(want, 200, " %s %d %a %a %d %a ", shoal_molecule_name(mol), (int)r.status,
                   r.energy, r.fmax, r.steps, last[0] + last[1] + last[2]);
    shoal_engine_destroy(e);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(topology);
}

static void check_each_alone(const shoal_stream_options *o, const record *together)
{
    shoal_reader *reader;
    shoal_molecule *mol;
    bool found = true;
    const char *line = together->text;
    CHECK(shoal_reader_open(&reader, few_path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int64_t i = 0; i < N_RECORDS && line; ++i) {
        CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
        (void)shoal_molecule_perceive(mol, NULL);
        for (int64_t v = 0; v < N_VARIANTS && line; ++v) {
            char want[200], begins[40];
            compute_alone(o, mol, v, want);
            (void)snprintf(begins, sizeof begins, "%lld 0 %lld ", (long long)(i * N_VARIANTS + v),
                           (long long)i);
            const char *end = strchr(line, '\n'), *at = strstr(line, want);
            CHECK(end && at && at < end && strncmp(line, begins, strlen(begins)) == 0);
            line = end ? end + 1 : NULL;
        }
    }
    shoal_molecule_destroy(mol);
    shoal_reader_destroy(reader);
}

/* Threads, blocks and memory change nothing, and a variant gets what it gets alone. */
static void test_laws(shoal_job job)
{
    static const shoal_restraint restraint = {
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 2}, .k = 3, .value = 1.1};
    const shoal_relax_options relax = {.max_steps = 60};
    const shoal_engine_options engine = {.device = "cpu"};
    maker m = {.fail_at = -1};
    const shoal_variants variants = {.n = N_VARIANTS, .make = shift_last, .user = &m};
    const shoal_stream_options first = {.job = job,
                                        .engine = &engine,
                                        .relax = &relax,
                                        .variants = &variants,
                                        .restraints = &restraint,
                                        .n_restraints = job == SHOAL_JOB_RELAX,
                                        .n_threads = 1};
    record want = nothing;
    CHECK(run(first, few_path, &want) == SHOAL_OK);
    CHECK(want.n_systems == N_RECORDS * N_VARIANTS && want.last.n_done == want.n_systems &&
          want.last.n_read == want.n_systems && m.n_made == want.n_systems);
    CHECK_NEAR(want.last.part, 1, 1e-12);
    check_each_alone(&first, &want);
    static const struct {
        int32_t n_threads, slice_systems;
        int64_t memory_bytes;
    } ways[] = {{2, 0, 0}, {7, 0, 0}, {3, 1, 0}, {2, 17, 0}, {2, 0, 1}, {4, 100, 200000}};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
        shoal_stream_options o = first;
        record r = nothing;
        o.n_threads = ways[k].n_threads;
        o.slice_systems = ways[k].slice_systems;
        o.memory_bytes = ways[k].memory_bytes;
        CHECK(run(o, few_path, &r) == SHOAL_OK);
        check_same(&want, &r, "another way");
        free(r.text);
    }
    free(want.text);
}

int main(void)
{
    make_files("test_stream_variants");
    make_few();
    test_laws(SHOAL_JOB_ENERGY);
    test_laws(SHOAL_JOB_RELAX);
    (void)remove(few_path);
    remove_files();
    return check_done();
}
