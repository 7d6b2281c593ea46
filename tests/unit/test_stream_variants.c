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
    int32_t stage; /* of a series; 0: one at a time */
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
    shoal_restraint restraint =
        o->constraints.n_restraints ? o->constraints.restraints[0] : (shoal_restraint){0};
    memcpy(pos, shoal_molecule_positions(mol), (size_t)n * sizeof *pos);
    pos[n - 1][2] += shift_of(variant);
    restraint.value += 0.001 * (double)variant;
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    const shoal_system system = {.topology = topology,
                                 .pos = (const double(*)[3])pos,
                                 .restraints = o->constraints.n_restraints ? &restraint : NULL,
                                 .n_restraints = o->constraints.n_restraints};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&e, batch, o->compute.engine) == SHOAL_OK);
    if (o->job == SHOAL_JOB_RELAX)
        CHECK(shoal_engine_relax(e, o->compute.relax, NULL, NULL) == SHOAL_OK);
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
                                        .compute.engine = &engine,
                                        .compute.relax = &relax,
                                        .build.variants = &variants,
                                        .constraints.restraints = &restraint,
                                        .constraints.n_restraints = job == SHOAL_JOB_RELAX,
                                        .compute.n_threads = 1};
    record want = nothing;
    CHECK(run(first, few_path, &want) == SHOAL_OK);
    CHECK(want.n_systems == N_RECORDS * N_VARIANTS && want.last.n_done == want.n_systems &&
          want.last.n_read == want.n_systems && m.n_made == want.n_systems);
    CHECK_NEAR(want.last.part, 1, 1e-12);
    check_each_alone(&first, &want);
    check_ways(&first, few_path, &want, "another way");
    free(want.text);
}

/* --- series -------------------------------------------------------------------------------------- */

enum { CHAIN = 5, N_CHAINED = 4 * CHAIN };

/* Starts where the one before it ended, a little out of shape; the first of a series from the record. */
static shoal_status follow(void *user, const shoal_stream_system *s,
                           const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                           shoal_restraint *restraints)
{
    maker *m = user;
    const int32_t n = shoal_molecule_n_atoms(s->mol);
    (void)restraints;
    ++m->n_made;
    const int32_t number = (int32_t)(s->variant % CHAIN), stage = m->stage > 0 ? m->stage : 1;
    if (n_earlier != number / stage * stage) return SHOAL_E_FORMAT;
    for (int32_t k = 0; k < n_earlier; ++k)
        if (earlier[k].index != s->index - number + k ||
            (earlier[k].result.status != SHOAL_SYSTEM_UNTYPED && !(earlier[k].result.energy < 1e9)))
            return SHOAL_E_FORMAT;
    if (n_earlier > 0)
        memcpy(pos, shoal_molecule_positions(earlier[n_earlier - 1].mol), (size_t)n * sizeof *pos);
    if (s->variant == m->fail_at) return shoal_molecule_set_name(NULL, "");
    for (int32_t i = 0; i < n; ++i) pos[i][i % 3] += 0.01 * (double)(1 + (s->variant * 7 + i) % 11);
    return SHOAL_OK;
}

/* All series of the file, one system at a time. */
static void series_alone(const shoal_stream_options *o, shoal_string *out)
{
    shoal_reader *reader;
    shoal_molecule *mol;
    bool found = true;
    CHECK(shoal_reader_open(&reader, few_path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int64_t i = 0; i < N_RECORDS; ++i) {
        shoal_topology *topology = NULL;
        double pos[64][3];
        CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK && found);
        const int32_t n = shoal_molecule_n_atoms(mol);
        (void)shoal_molecule_perceive(mol, NULL);
        CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
        for (int64_t v = 0; v < N_CHAINED; ++v) {
            shoal_batch *batch = NULL;
            shoal_engine *e = NULL;
            shoal_result r;
            char line[256];
            if (v % CHAIN == 0) memcpy(pos, shoal_molecule_positions(mol), (size_t)n * sizeof *pos);
            for (int32_t k = 0; k < n; ++k) pos[k][k % 3] += 0.01 * (double)(1 + (v * 7 + k) % 11);
            const shoal_system system = {.topology = topology, .pos = (const double(*)[3])pos};
            CHECK(shoal_batch_create(&batch) == SHOAL_OK &&
                  shoal_batch_add(batch, &system) == SHOAL_OK);
            CHECK(shoal_engine_create(&e, batch, o->compute.engine) == SHOAL_OK);
            CHECK(shoal_engine_relax(e, o->compute.relax, NULL, NULL) == SHOAL_OK);
            CHECK(shoal_engine_result(e, 0, &r) == SHOAL_OK);
            memcpy(pos, shoal_engine_positions(e, 0), (size_t)n * sizeof *pos);
            (void)snprintf(line, sizeof line, "%lld 0 %lld %s %d %a %a %d %a \n",
                           (long long)(i * N_CHAINED + v), (long long)i, shoal_molecule_name(mol),
                           (int)r.status, r.energy, r.fmax, r.steps,
                           pos[n - 1][0] + pos[n - 1][1] + pos[n - 1][2]);
            shoal_string_put_text(out, line);
            shoal_engine_destroy(e);
            shoal_batch_destroy(batch);
        }
        shoal_topology_destroy(topology);
    }
    shoal_molecule_destroy(mol);
    shoal_reader_destroy(reader);
}

/* Systems see those before them, and their bits depend on nothing else. */
static void test_series(shoal_stream_options o)
{
    shoal_string *alone;
    CHECK(shoal_string_create(&alone) == SHOAL_OK);
    series_alone(&o, alone);
    static const int32_t ways[][2] = {{1, 0}, {2, 0}, {7, 0}, {3, 1}, {2, 3}};
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
        record r = nothing;
        o.compute.n_threads = ways[k][0];
        o.compute.slice_systems = ways[k][1];
        CHECK(run(o, few_path, &r) == SHOAL_OK && r.in_order);
        CHECK(r.n_systems == N_RECORDS * N_CHAINED);
        CHECK(r.text && strcmp(r.text, shoal_string_data(alone)) == 0);
        free(r.text);
    }
    shoal_string_destroy(alone);
}

/* Of a record that fails to be made the others see that, and go on. */
static void test_broken_series(shoal_stream_options o)
{
    maker m = {.fail_at = 2};
    shoal_variants v = *o.build.variants;
    record r = nothing;
    v.user = &m;
    o.build.variants = &v;
    CHECK(run(o, few_path, &r) == SHOAL_OK && r.in_order);
    CHECK(r.last.n_failed >= N_RECORDS);
    for (int64_t i = 0; i < N_RECORDS * N_CHAINED; ++i) {
        size_t size;
        char untyped[16];
        const char *line = line_of(&r, i, &size);
        (void)snprintf(untyped, sizeof untyped, " %d nan", (int)SHOAL_SYSTEM_UNTYPED);
        const char *at = strstr(line, untyped);
        CHECK((at && at < line + size) == (i % N_CHAINED == 2));
    }
    free(r.text);
}

/* --- parts --------------------------------------------------------------------------------------- */

/* From every system on, inside of series, too: the rest of the whole. */
static void test_resume(shoal_stream_options o)
{
    record whole = nothing;
    CHECK(run(o, few_path, &whole) == SHOAL_OK && whole.in_order);
    for (int64_t first = 0; first <= whole.n_systems; ++first) {
        record r = nothing;
        size_t size;
        o.input.first = first;
        o.compute.n_threads = 1 + (int32_t)(first % 3);
        CHECK(run(o, few_path, &r) == SHOAL_OK && r.in_order);
        const char *line = first < whole.n_systems ? line_of(&whole, first, &size) : "";
        CHECK(strcmp(r.text ? r.text : "", line) == 0);
        CHECK(r.n_systems == whole.n_systems - first && r.last.n_done == r.n_systems &&
              r.last.n_read == r.n_systems);
        free(r.text);
    }
    free(whole.text);
}

/* Ended by the monitor somewhere, and gone on with until all is done. */
static void test_stops(shoal_stream_options o, int64_t n_at_a_time)
{
    record whole = nothing;
    char *text = NULL;
    size_t size = 0;
    CHECK(run(o, few_path, &whole) == SHOAL_OK);
    while (o.input.first < whole.n_systems) {
        record r = nothing;
        r.stop_at = n_at_a_time;
        CHECK(run(o, few_path, &r) == SHOAL_OK && r.in_order);
        if (r.n_systems == 0) r.stop_at = -1; /* it was too fast for that */
        if (r.n_systems == 0) CHECK(run(o, few_path, &r) == SHOAL_OK);
        text = realloc(text, size + r.size + 1);
        if (r.text) memcpy(text + size, r.text, r.size + 1);
        size += r.size;
        o.input.first += r.n_systems;
        o.compute.n_threads = 1 + o.compute.n_threads % 3;
        free(r.text);
    }
    CHECK(size == whole.size && strcmp(text, whole.text) == 0);
    free(text);
    free(whole.text);
}

/* Shards are the whole, and what belongs together is in one of them. */
static void test_shards(shoal_stream_options o, int32_t unit)
{
    record whole = nothing;
    CHECK(run(o, few_path, &whole) == SHOAL_OK);
    for (int32_t n = 2; n <= 5; ++n) {
        int64_t n_found = 0;
        for (int32_t k = 0; k < n; ++k) {
            record r = nothing;
            o.input.shard = k;
            o.input.n_shards = n;
            CHECK(run(o, few_path, &r) == SHOAL_OK);
            int64_t last = -1;
            for (const char *line = r.text; line && *line; line = strchr(line, '\n') + 1) {
                const int64_t index = strtoll(line, NULL, 10);
                CHECK(index > last && index / unit % n == k);
                CHECK(same_line(&whole, &r, index));
                last = index;
                ++n_found;
            }
            free(r.text);
        }
        CHECK(n_found == whole.n_systems);
    }
    /* One that goes on inside of its series. */
    for (int64_t first = 0; first < whole.n_systems; first += 7) {
        record r = nothing;
        int64_t n_want = 0;
        o.input.shard = 1;
        o.input.n_shards = 3;
        o.input.first = first;
        CHECK(run(o, few_path, &r) == SHOAL_OK);
        for (int64_t i = first; i < whole.n_systems; ++i)
            if (i / unit % 3 == 1) n_want += same_line(&whole, &r, i);
        CHECK(n_want == r.n_systems);
        free(r.text);
    }
    free(whole.text);
}

/* --- what fails ---------------------------------------------------------------------------------- */

static void test_failing_variant(void)
{
    maker m = {.fail_at = 7, .fail_with = SHOAL_E_ARGUMENT};
    const shoal_variants v = {.n = 20, .make = shift_last, .user = &m};
    shoal_stream_options o = {
        .job = SHOAL_JOB_ENERGY, .build.variants = &v, .compute.n_threads = 2};
    record bad = nothing, good = nothing;
    CHECK(run(o, few_path, &bad) == SHOAL_OK && bad.in_order && bad.last.n_failed == N_RECORDS);
    m.fail_at = -1;
    CHECK(run(o, few_path, &good) == SHOAL_OK && good.last.n_failed == 0);
    for (int64_t i = 0; i < 20 * N_RECORDS; ++i) CHECK(same_line(&bad, &good, i) == (i % 20 != 7));
    free(bad.text);
    m = (maker){.fail_at = 9, .fail_with = SHOAL_E_IO}; /* ends it, with what comes before */
    CHECK(run(o, few_path, &bad) == SHOAL_E_IO && bad.in_order && bad.n_systems == 9);
    CHECK(memcmp(bad.text, good.text, bad.size) == 0);
    free(bad.text);
    free(good.text);
}

/* Restraints that no system can have are the variant's failure. */
static shoal_status ask_too_much(void *user, const shoal_stream_system *s,
                                 const shoal_stream_system *earlier, int32_t n_earlier,
                                 double (*pos)[3], shoal_restraint *restraints)
{
    (void)user;
    (void)earlier;
    (void)n_earlier;
    pos[0][0] += 0.01 * (double)s->variant;
    restraints[0].value = s->variant == 3 ? -1.0 : 1.0;
    return SHOAL_OK;
}

static void test_restraints(void)
{
    const shoal_restraint restraints[] = {
        {.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 1, .value = 1},
        {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 50}};
    const shoal_variants v = {.n = 6, .make = ask_too_much};
    shoal_stream_options o = {.job = SHOAL_JOB_ENERGY,
                              .build.variants = &v,
                              .constraints.restraints = restraints,
                              .constraints.n_restraints = 2};
    record r = nothing;
    CHECK(run(o, more_path, &r) == SHOAL_OK && r.in_order && r.last.n_failed == 3);
    CHECK(strstr(r.text, "distance of -1") != NULL);
    free(r.text);
    /* A position is held where the variant starts: it pulls at nothing there. */
    record held = nothing, loose = nothing;
    o.constraints.restraints = &restraints[0];
    o.constraints.n_restraints = 1;
    CHECK(run(o, more_path, &loose) == SHOAL_OK);
    o.constraints.n_restraints = 2;
    CHECK(run(o, more_path, &held) == SHOAL_OK);
    check_same(&held, &loose, "a position where the variant starts");
    free(held.text);
    free(loose.text);
}

static shoal_status count_warnings(void *user, const shoal_stream_system *systems, int32_t n)
{
    int64_t *counts = user; /* of variants, of warnings */
    for (int32_t i = 0; i < n; ++i) {
        ++counts[0];
        counts[1] += strstr(systems[i].result.warning, "valences lack") != NULL;
    }
    return SHOAL_OK;
}

/* What is said of a record is said of each of its variants: two carbons without hydrogens. */
static void test_warnings(void)
{
    static const char path[] = "test_stream_variants_bare.sdf";
    const char *files[] = {path};
    FILE *file = begin(path);
    maker m = {.fail_at = -1};
    const shoal_variants v = {.n = 5, .make = shift_last, .user = &m};
    int64_t counts[2] = {0, 0};
    (void)fprintf(file, "bare\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n"
                        "    0.0000    0.0000    0.0000 C   0  0\n"
                        "    1.5000    0.0000    0.0000 C   0  0\n  1  2  1  0\nM  END\n$$$$\n");
    CHECK(fclose(file) == 0);
    const shoal_stream_options o = {.job = SHOAL_JOB_ENERGY,
                                    .input = {.files = files, .n_files = 1},
                                    .build.variants = &v,
                                    .output = {.visit = count_warnings, .user = counts}};
    CHECK(shoal_stream_run(&o) == SHOAL_OK && counts[0] == 5 && counts[1] == 5);
    (void)remove(path);
}

/* A record that cannot be read is as many systems that failed. */
static void test_unreadable(void)
{
    maker m = {.fail_at = -1};
    shoal_variants v = {.n = 6, .make = shift_last, .user = &m};
    shoal_stream_options o = {
        .job = SHOAL_JOB_ENERGY, .build.variants = &v, .compute.n_threads = 3};
    for (int32_t unit = 1; unit <= 3; ++unit) {
        record bad = nothing, good = nothing;
        v.group = unit;
        CHECK(run(o, good_path, &good) == SHOAL_OK && good.n_unreadable == 0);
        CHECK(run(o, bad_path, &bad) == SHOAL_OK && bad.in_order);
        CHECK(bad.n_systems == 6 * 101 && bad.n_unreadable == 6);
        CHECK(bad.last.n_failed == good.last.n_failed + 6);
        CHECK(strstr(bad.reason, bad_path) && strstr(bad.reason, "'here'"));
        for (int64_t i = 0; i < 6 * 101; ++i) CHECK(same_line(&bad, &good, i) == (i / 6 != 50));
        free(bad.text);
        free(good.text);
    }
}

static void check_refused(shoal_variants v, shoal_job job)
{
    const shoal_stream_options o = {.job = job, .build.variants = &v};
    record r = nothing;
    CHECK(run(o, few_path, &r) == SHOAL_E_ARGUMENT && r.n_systems == 0);
    CHECK(strstr(shoal_error_text(), "variants") != NULL);
}

static void test_refusals(void)
{
    const shoal_job job = SHOAL_JOB_ENERGY;
    check_refused((shoal_variants){.n = 0, .make = shift_last}, job);
    check_refused((shoal_variants){.n = -3, .make = shift_last}, job);
    check_refused((shoal_variants){.n = 3}, job);
    check_refused((shoal_variants){.n = 3, .make = shift_last}, SHOAL_JOB_READ);
    check_refused((shoal_variants){.n = 10, .series = 3, .make = shift_last}, job);
    check_refused((shoal_variants){.n = 10, .group = 4, .make = shift_last}, job);
    check_refused((shoal_variants){.n = 10, .group = 2, .series = 2, .make = shift_last}, job);
    check_refused((shoal_variants){.n = 10, .series = -1, .make = shift_last}, job);
}

/* --- groups and large ones ----------------------------------------------------------------------- */

/* Every group has one engine of its own, and nobody looks at it before all of it is there. */
static shoal_status one_engine(void *user, const shoal_stream_system *systems, int32_t n)
{
    const int32_t group = *(const int32_t *)user;
    CHECK(n % group == 0 && systems[0].variant % group == 0);
    for (int32_t i = 0; i < n; ++i)
        CHECK(systems[i].engine && systems[i].engine == systems[i - i % group].engine);
    return SHOAL_OK;
}

static void test_groups(void)
{
    maker m = {.fail_at = -1};
    for (int32_t group = 2; group <= 30; group += 4) {
        int32_t wanted = group;
        const char *files[] = {few_path, large_path};
        const shoal_variants v = {.n = group * 3, .group = group, .make = shift_last, .user = &m};
        const shoal_stream_options o = {.input.files = files,
                                        .input.n_files = group < 10 ? 2 : 1,
                                        .job = SHOAL_JOB_ENERGY,
                                        .build.variants = &v,
                                        .compute.slice_systems = 7,
                                        .compute.n_threads = 3,
                                        .output.visit = one_engine,
                                        .output.user = &wanted};
        CHECK(shoal_stream_run(&o) == SHOAL_OK);
    }
}

/* Ends a stream while the third of the large series is on its way. */
static bool stop_inside(void *user, const shoal_stream_progress *p)
{
    (void)monitor(user, p);
    return p->large_index < LARGE_AT * CHAIN + 2 || p->large_steps < 20;
}

static shoal_status run_until_inside(shoal_stream_options o, record *r)
{
    const char *files[] = {large_path};
    const shoal_sink sink = {.format = format, .write = write_text, .user = r};
    *r = nothing;
    r->in_order = true;
    o.input.files = files;
    o.input.n_files = o.output.n_sinks = 1;
    o.output.sinks = &sink;
    o.output.visit = visit;
    o.output.monitor = stop_inside;
    o.output.user = r;
    return shoal_stream_run(&o);
}

static bool is_inside(const record *r)
{
    return r->n_systems >= LARGE_AT * CHAIN + 2 && r->n_systems < (LARGE_AT + 1) * CHAIN;
}

/* A series of large systems that is stopped inside goes on from its state. */
static void test_large_series(void)
{
    maker m = {.fail_at = -1};
    const shoal_variants v = {.n = CHAIN, .series = CHAIN, .make = follow, .user = &m};
    const shoal_relax_options relax = {.fmax = 1e-3, .max_steps = 60};
    shoal_stream_options o = {.job = SHOAL_JOB_RELAX,
                              .build.variants = &v,
                              .compute.relax = &relax,
                              .compute.n_threads = 2,
                              .resume.seconds = 1e6};
    record whole = nothing, before = nothing, after = nothing;
    CHECK(run(o, large_path, &whole) == SHOAL_OK && whole.in_order);
    /* A fast one may have come one further; one that was through before it was stopped is tried again. */
    for (int tries = 0; tries < 50 && !is_inside(&before); ++tries) {
        free(before.text);
        free(before.state);
        CHECK(run_until_inside(o, &before) == SHOAL_OK && before.in_order);
    }
    CHECK(is_inside(&before));
    CHECK(!before.state || before.last.state_index == before.n_systems); /* none: between two */
    o.input.first = before.n_systems;
    o.resume.state = before.state;
    o.resume.size = before.state_size;
    o.resume.index = before.last.state_index;
    CHECK(run(o, large_path, &after) == SHOAL_OK && after.in_order);
    CHECK(before.size + after.size == whole.size &&
          memcmp(before.text ? before.text : "", whole.text, before.size) == 0 &&
          memcmp(after.text, whole.text + before.size, after.size) == 0);
    free(before.text);
    free(before.state);
    free(after.text);
    free(whole.text);
}

/* A record of very many variants takes the memory of some, and its progress is told. */
static void test_bounded(void)
{
    maker m = {.fail_at = -1};
    const int64_t n = (int64_t)1 << 24;
    const shoal_variants v = {.n = n, .make = shift_last, .user = &m};
    shoal_stream_options o = {
        .job = SHOAL_JOB_TYPE, .build.variants = &v, .compute.memory_bytes = 4 << 20};
    record r = nothing;
    r.stop_at = 1000;
    o.compute.n_threads = 2;
    CHECK(run(o, few_path, &r) == SHOAL_OK && r.in_order && r.n_systems >= 1000);
    CHECK(r.last.n_read <= r.n_systems + 20000);
    free(r.text);
    o.input.first = 2 * n + n / 2; /* records before it are passed over, and half of one */
    CHECK(run(o, few_path, &r) == SHOAL_OK && r.in_order && r.n_systems >= 1000);
    CHECK(r.last.part > 0.1 && r.last.part < 0.4);
    free(r.text);
}

/* --- rounds -------------------------------------------------------------------------------------- */

/* In round 1 all are computed from the record as it is; in round 2 the second of every group from where the third one
 * lies; in round 4 none, but in 5 the first. */
static shoal_status again(void *user, const shoal_stream_system *unit, int32_t i, int32_t round,
                          double (*pos)[3], shoal_restraint *restraints, bool *wanted)
{
    maker *m = user;
    const int32_t n = shoal_molecule_n_atoms(unit[i].mol);
    (void)restraints;
    ++m->n_made;
    *wanted = round == 1 || (round == 2 && i == 1) || (round == 5 && i == 0);
    if (round == 2) memcpy(pos, shoal_molecule_positions(unit[2].mol), (size_t)n * sizeof *pos);
    if (round == 5) /* nobody gets anywhere from there */
        for (int32_t k = 0; k < n; ++k) pos[k][0] = 1000.0 * k;
    return i == 3 && round == 1 ? SHOAL_E_UNSUPPORTED : SHOAL_OK;
}

/* A start that is far off the record, so that a few steps do not get down. */
static shoal_status stray(void *user, const shoal_stream_system *s,
                          const shoal_stream_system *earlier, int32_t n_earlier, double (*pos)[3],
                          shoal_restraint *restraints)
{
    pos[0][0] -= 0.2 * (double)(s->variant % 4 != 2);
    return shift_last(user, s, earlier, n_earlier, pos, restraints);
}

/* Energies and statuses, by number of the system. */
static void read_energies(const record *r, double *out, int *statuses, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        size_t size;
        char name[80];
        const char *line = line_of(r, i, &size);
        CHECK(line && sscanf(line, "%*d %*d %*d %79s %d %la", name, &statuses[i], &out[i]) == 3);
    }
}

/* The lower result stays, on any way; what was not asked for is what it was; parts are those of the whole. */
static void test_rounds(shoal_stream_options o)
{
    enum { N = 12 * N_RECORDS };
    static double once[N], more[N];
    static int before[N], after[N];
    maker m = {.fail_at = -1};
    shoal_variants v = {.n = 12, .group = 4, .make = stray, .user = &m};
    const shoal_relax_options relax = {.max_steps = 6};
    record r = nothing;
    o.build.variants = &v;
    o.compute.relax = &relax;
    CHECK(run(o, few_path, &r) == SHOAL_OK);
    read_energies(&r, once, before, N);
    free(r.text);
    v.again = again;
    v.calm = 2;
    r = nothing;
    CHECK(run(o, few_path, &r) == SHOAL_OK && r.in_order);
    read_energies(&r, more, after, N);
    CHECK(r.last.n_computed == N);
    int n_better = 0;
    for (int i = 0; i < N; ++i) {
        const bool converged = after[i] == SHOAL_SYSTEM_CONVERGED;
        CHECK(!(more[i] > once[i]) || (converged && before[i] != after[i]));
        CHECK(converged || before[i] != SHOAL_SYSTEM_CONVERGED);
        n_better += more[i] < once[i] - 1e-3;
        if (i % 4 == 3) CHECK(memcmp(&more[i], &once[i], sizeof once[i]) == 0);
    }
    CHECK(n_better > N / 4);
    /* Calm after round 3 alone: round 5 does not come if one calm round is enough. */
    const int64_t n_asked = m.n_made;
    m.n_made = 0;
    v.calm = 1;
    record shorter = nothing;
    CHECK(run(o, few_path, &shorter) == SHOAL_OK && m.n_made < n_asked);
    CHECK(strcmp(shorter.text, r.text) == 0); /* which was not better */
    free(shorter.text);
    v.calm = 2;
    check_ways(&o, few_path, &r, "rounds");
    free(r.text);
    test_resume(o);
    test_shards(o, 4);
    test_stops(o, 3);
    v.gain = 1e6; /* nothing is worth that, but a minimum where there was none */
    r = nothing;
    CHECK(run(o, few_path, &r) == SHOAL_OK);
    read_energies(&r, more, after, N);
    for (int i = 0; i < N; ++i)
        CHECK(before[i] != after[i] || memcmp(&once[i], &more[i], sizeof once[i]) == 0);
    free(r.text);
    o.job = SHOAL_JOB_ENERGY;
    CHECK(run(o, few_path, &r) == SHOAL_E_ARGUMENT);
}

static void test_parts(void)
{
    maker m = {.fail_at = -1};
    const shoal_variants plain = {.n = 9, .make = shift_last, .user = &m};
    const shoal_variants series = {.n = N_CHAINED, .series = CHAIN, .make = follow, .user = &m};
    const shoal_variants groups = {.n = 12, .group = 4, .make = shift_last, .user = &m};
    const shoal_relax_options relax = {.max_steps = 40};
    shoal_stream_options o = {
        .job = SHOAL_JOB_RELAX, .compute.relax = &relax, .compute.slice_systems = 10};
    o.build.variants = &plain;
    test_resume(o);
    test_shards(o, 1);
    test_stops(o, 20);
    o.build.variants = &groups;
    test_resume(o);
    test_shards(o, 4);
    o.build.variants = &series;
    test_series(o);
    test_broken_series(o);
    o.compute.slice_systems = 2;
    test_resume(o);
    test_shards(o, CHAIN);
    test_stops(o, 3);
    test_rounds(o);
    maker two = {.fail_at = -1, .stage = 2};
    const shoal_variants staged = {
        .n = N_CHAINED, .series = CHAIN, .stage = 2, .make = follow, .user = &two};
    o.build.variants = &staged;
    test_resume(o);
    test_shards(o, CHAIN);
    test_stops(o, 3);
}

int main(void)
{
    make_files("test_stream_variants");
    make_few();
    test_laws(SHOAL_JOB_ENERGY);
    test_laws(SHOAL_JOB_RELAX);
    test_parts();
    test_failing_variant();
    test_restraints();
    test_warnings();
    test_unreadable();
    test_refusals();
    test_groups();
    test_large_series();
    test_bounded();
    (void)remove(few_path);
    remove_files();
    return check_done();
}
