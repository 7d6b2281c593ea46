/* SPDX-License-Identifier: BSD-3-Clause
 * What a stream counts, against what it hands on: systems, failures, evaluations, whatever is passed over; what is held
 * where, and who is handed on after a stop. */
#include "stream_fixture.h"
#include "surface_fixture.h"
#include "variants_fixture.h"

enum { N_RECORDS = 24, N_EACH = 4, N_MOST = 400 };
static const char mixed_path[] = "test_stream_books_mixed.xyz";
static const char smiles_path[] = "test_stream_books.smi";
static const char stop_path[] = "test_stream_books_stop.xyz";

/* What came out, system by system. */
typedef struct books {
    int64_t index[N_MOST];
    double energy[N_MOST], restraint[N_MOST], isolated[N_MOST];
    int32_t n, n_failed, n_computed, n_unfinished;
    int64_t n_steps;
    int64_t stop_at; /* -1: never */
    shoal_stream_progress last;
} books;

static shoal_status keep(void *user, const shoal_stream_system *systems, int32_t n)
{
    books *b = user;
    for (int32_t i = 0; i < n && b->n < N_MOST; ++i) {
        const shoal_result *r = &systems[i].result;
        b->index[b->n] = systems[i].index;
        b->energy[b->n] = systems[i].engine ? r->energy : NAN;
        b->restraint[b->n] = systems[i].engine ? r->terms[SHOAL_TERM_RESTRAINT] : NAN;
        b->isolated[b->n++] = systems[i].isolated_energy;
        b->n_failed += r->status != SHOAL_SYSTEM_OK && r->status != SHOAL_SYSTEM_CONVERGED;
        b->n_computed += systems[i].engine != NULL;
        b->n_unfinished += systems[i].unfinished;
        b->n_steps += r->steps;
    }
    return SHOAL_OK;
}

static bool follow(void *user, const shoal_stream_progress *p)
{
    books *b = user;
    b->last = *p;
    return b->stop_at < 0 || p->n_done < b->stop_at;
}

static void run_books(shoal_stream_options o, const char *path, books *b)
{
    const char *files[] = {path};
    const int64_t stop_at = b->stop_at;
    *b = (books){.stop_at = stop_at};
    o.input.files = files;
    o.input.n_files = 1;
    o.output.visit = keep;
    o.output.monitor = follow;
    o.output.user = b;
    CHECK(shoal_stream_run(&o) == SHOAL_OK);
}

/* One in six has no type, one in six ends with two atoms in one place, one in eight cannot be read. */
static void write_mixed(void)
{
    FILE *file = begin(mixed_path);
    for (int k = 0; k < N_RECORDS; ++k) {
        if (k % 8 == 3)
            (void)fprintf(file, "1\nbad%d\nO here 0 0\n", k);
        else if (k % 6 == 4)
            (void)fprintf(file, "1\nheavy%d\nOg 0 0 0\n", k);
        else if (k % 6 == 5)
            (void)fprintf(file, "2\ntogether%d\nO 0 0 0\nO 0 0 0\n", k);
        else
            put_water(file, k);
    }
    CHECK(fclose(file) == 0);
}

static double each_by = 0.02; /* angstrom */

/* Counts are those of the systems that are handed on: what an earlier stream handed on is computed again where a
 * series needs it, but counts no more. */
static void test_counts(void)
{
    static const int64_t firsts[] = {0, 5, 30, 41, 62, 95};
    static const shoal_job jobs[] = {SHOAL_JOB_TYPE, SHOAL_JOB_ENERGY, SHOAL_JOB_RELAX};
    static books b;
    b.stop_at = -1;
    for (int k = 0; k < 3 * 6 * 3; ++k) {
        const int kind = k / 3 % 3; /* each by itself, in series, in groups */
        const shoal_variants v = {.n = N_EACH,
                                  .series = kind == 1 ? N_EACH : 0,
                                  .group = kind == 2 ? N_EACH : 0,
                                  .make = raise_first,
                                  .user = &each_by};
        const shoal_relax_options relax = {.max_steps = 12};
        const int64_t first = firsts[k / 9], all = N_EACH * N_RECORDS;
        const shoal_job job = jobs[k % 3];
        shoal_stream_options o = {.job = job,
                                  .input.first = first,
                                  .compute.relax = &relax,
                                  .compute.n_threads = 1 + k % 2,
                                  .build.variants = &v};
        run_books(o, mixed_path, &b);
        CHECK(b.n == all - first);
        for (int32_t i = 0; i < b.n; ++i) CHECK(b.index[i] == first + i);
        CHECK(b.last.n_done == b.n && b.last.n_failed == b.n_failed && b.n_unfinished == 0);
        CHECK(b.n_failed > 0 || first > 90);
        if (job == SHOAL_JOB_TYPE) CHECK(b.last.n_evaluations == 0 && b.last.n_computed == 0);
        if (job == SHOAL_JOB_TYPE || first % N_EACH != 0 || kind > 0) continue;
        CHECK(b.last.n_computed == b.n_computed);
        CHECK(b.last.n_evaluations == (job == SHOAL_JOB_RELAX ? b.n_steps : b.n_computed));
    }
}

/* Shards together count what the whole counts, and each system is in one of them. */
static void test_shards(void)
{
    static books whole, shard;
    shoal_stream_options o = {.job = SHOAL_JOB_ENERGY};
    whole.stop_at = shard.stop_at = -1;
    run_books(o, mixed_path, &whole);
    int64_t n = 0, n_failed = 0, n_evaluations = 0;
    for (int32_t k = 0; k < 5; ++k) {
        o.input.shard = k;
        o.input.n_shards = 5;
        run_books(o, mixed_path, &shard);
        for (int32_t i = 0; i < shard.n; ++i) {
            const double want = whole.energy[shard.index[i]];
            CHECK(shard.index[i] % 5 == k);
            CHECK(shard.energy[i] == want || (isnan(want) && isnan(shard.energy[i])));
        }
        n += shard.last.n_done;
        n_failed += shard.last.n_failed;
        n_evaluations += shard.last.n_evaluations;
    }
    CHECK(n == whole.n && n_failed == whole.last.n_failed);
    CHECK(n_evaluations == whole.last.n_evaluations && n_evaluations == whole.n_computed);
}

/* --- springs -------------------------------------------------------------------------------------- */

/* Atom 0 goes up; even variants are held 1 angstrom beside where they are, odd ones where they start. */
static shoal_status hold_beside(void *user, const shoal_stream_system *s,
                                const shoal_stream_system *earlier, int32_t n_earlier,
                                double (*pos)[3], shoal_restraint *restraints)
{
    (void)user;
    (void)earlier;
    (void)n_earlier;
    pos[0][2] += 0.01 * (double)s->variant;
    if (s->variant % 2) return SHOAL_OK;
    for (int k = 0; k < 3; ++k) restraints[0].target[k] = pos[0][k];
    restraints[0].target[1] += 1;
    return SHOAL_OK;
}

/* Half k times the square of how far an atom is from where it is held. */
static void test_springs(void)
{
    static books b;
    const shoal_variants v = {.n = N_EACH, .make = hold_beside};
    const shoal_restraint spring = {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 3};
    const shoal_stream_options o = {.job = SHOAL_JOB_ENERGY,
                                    .build.variants = &v,
                                    .constraints.restraints = &spring,
                                    .constraints.n_restraints = 1};
    b.stop_at = -1;
    run_books(o, stop_path, &b);
    CHECK(b.n > 0);
    for (int32_t i = 0; i < b.n && i < 40; ++i)
        CHECK_NEAR(b.restraint[i], b.index[i] % N_EACH % 2 ? 0 : 1.5, 1e-9);
}

/* --- conformers ---------------------------------------------------------------------------------- */

/* Records without a geometry count where their first system is handed on. */
static void test_embedded(void)
{
    static books b;
    const shoal_variants v = {.n = N_EACH, .series = N_EACH, .make = raise_first, .user = &each_by};
    FILE *file = begin(smiles_path);
    for (int k = 0; k < 6; ++k) (void)fprintf(file, "%.*sO alcohol%d\n", 1 + k, "CCCCCC", k);
    CHECK(fclose(file) == 0);
    b.stop_at = -1;
    for (int64_t first = 0; first < 10; first += 2) {
        const shoal_stream_options o = {
            .job = SHOAL_JOB_ENERGY, .input.first = first, .build.variants = &v};
        run_books(o, smiles_path, &b);
        CHECK(b.n == 6 * N_EACH - first && b.n_failed == 0);
        CHECK(b.last.n_embedded == 6 - (first + N_EACH - 1) / N_EACH);
    }
}

/* --- stops ---------------------------------------------------------------------------------------- */

/* What is handed on before a stop is what the whole run says, with the energies of molecules alone. */
static void test_stop(shoal_surface *surface)
{
    static books whole, cut;
    const shoal_engine_options on = {.device = "cpu", .surface = surface};
    const shoal_placement lifted = {.height = 3};
    const shoal_stream_options o = {.job = SHOAL_JOB_ENERGY,
                                    .compute.engine = &on,
                                    .compute.adsorption = true,
                                    .compute.slice_systems = 4,
                                    .compute.n_threads = 2,
                                    .build.placement = &lifted};
    whole.stop_at = -1;
    run_books(o, stop_path, &whole);
    int n_cut = 0;
    for (int64_t k = 0; k < 6; ++k) {
        cut.stop_at = 1 + 7 * k;
        run_books(o, stop_path, &cut);
        n_cut += cut.n < whole.n;
        CHECK(cut.n_unfinished == 0 && cut.last.n_done == cut.n);
        for (int32_t i = 0; i < cut.n; ++i) {
            CHECK(cut.index[i] == i && isfinite(cut.isolated[i]));
            CHECK(cut.energy[i] == whole.energy[i] && cut.isolated[i] == whole.isolated[i]);
        }
    }
    (void)printf("  %d of 6 runs were stopped before their ends\n", n_cut);
}

int main(void)
{
    shoal_molecule *slab = fixture_salt(2, 2, 0.7);
    shoal_surface *surface = fixture_surface(slab, NULL);
    write_mixed();
    FILE *file = begin(stop_path);
    for (int k = 0; k < 380; ++k) put_chain(file, 6, k);
    CHECK(fclose(file) == 0);
    test_counts();
    test_shards();
    test_springs();
    test_embedded();
    test_stop(surface);
    shoal_surface_destroy(surface);
    shoal_molecule_destroy(slab);
    (void)remove(mixed_path);
    (void)remove(stop_path);
    return check_done();
}
