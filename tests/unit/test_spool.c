/* SPDX-License-Identifier: BSD-3-Clause
 * Frames of trajectories that wait in a file: what goes in comes out, what was changed is refused, what a checkpoint may name
 * stays; and runs of dynamics with hardly any memory for them, stopped, gone on with, and damaged. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../check.h"
#include "files_fixture.h"
#include "shoal/md.h"
#include "shoal/run.h"
#include "stream/spool.h"

static const char path[] = "test_spool.frames";

enum { N_TEXTS = 3, N_ROUNDS = 400 };

/* Frame r of text t; lengths differ. */
static size_t put_frame(shoal_string *out, int t, int r)
{
    const size_t before = shoal_string_size(out);
    for (int k = 0; k < 20 + (r + t) % 7; ++k) {
        shoal_string_put_integer(out, 1000003LL * t + 17 * r + k);
        shoal_string_put_text(out, "\n");
    }
    return shoal_string_size(out) - before;
}

static shoal_status grow(spool *s, spool_text *texts, int from, int to)
{
    for (int r = from; r < to; ++r)
        for (int t = 0; t < N_TEXTS; ++t)
            SHOAL_TRY(spool_grow(s, &texts[t], put_frame(&texts[t].tail, t, r)));
    return SHOAL_OK;
}

/* The whole of a text is what would have stayed in memory. */
static bool is_whole(spool *s, const spool_text *text, int t, int n_rounds)
{
    shoal_string wanted = {0}, found = {0}, piece = {0};
    bool good = true;
    for (int r = 0; r < n_rounds; ++r) (void)put_frame(&wanted, t, r);
    for (int32_t i = 0; i < text->n && good; ++i) {
        good = spool_read(s, &text->pieces[i], &piece) == SHOAL_OK;
        shoal_string_put(&found, shoal_string_data(&piece), shoal_string_size(&piece));
    }
    shoal_string_put(&found, shoal_string_data(&text->tail), shoal_string_size(&text->tail));
    good = good && shoal_string_size(&found) == shoal_string_size(&wanted) &&
           memcmp(shoal_string_data(&found), shoal_string_data(&wanted),
                  shoal_string_size(&wanted)) == 0;
    shoal_string_free(&wanted);
    shoal_string_free(&found);
    shoal_string_free(&piece);
    return good;
}

static void free_texts(spool *s, spool_text *texts)
{
    for (int t = 0; t < N_TEXTS; ++t) spool_release(s, &texts[t]);
}

/* Without a file, with memory for everything, and with hardly any. */
static void test_pieces(void)
{
    for (int k = 0; k < 4; ++k) {
        spool_text texts[N_TEXTS] = {{0}};
        spool *s = NULL;
        if (k > 0) CHECK(spool_create(&s, k == 3 ? NULL : path, 0, k == 1 ? 1 << 30 : 5000) == 0);
        CHECK(grow(s, texts, 0, N_ROUNDS) == SHOAL_OK);
        for (int t = 0; t < N_TEXTS; ++t) {
            CHECK(is_whole(s, &texts[t], t, N_ROUNDS));
            CHECK((texts[t].n > 3) == (k >= 2));
        }
        CHECK((access(path, F_OK) == 0) == (k == 2));
        free_texts(s, texts);
        spool_destroy(s, false);
        CHECK(access(path, F_OK) != 0);
    }
}

/* States name pieces; a later run has them, and loses what came behind. */
static void test_states(void)
{
    spool_text texts[N_TEXTS] = {{0}}, again[N_TEXTS] = {{0}};
    shoal_string state = {0}, whole = {0};
    struct stat info;
    spool *s = NULL;
    int64_t size = 0;
    CHECK(spool_create(&s, path, 0, 5000) == SHOAL_OK);
    CHECK(grow(s, texts, 0, N_ROUNDS / 2) == SHOAL_OK && spool_sync(s, &size) == SHOAL_OK);
    for (int t = 0; t < N_TEXTS; ++t) spool_save(&texts[t], &state);
    for (int t = 0; t < N_TEXTS; ++t)
        CHECK(spool_save_whole(s, &texts[t], &whole) == SHOAL_OK && texts[t].n > 0);
    CHECK(grow(s, texts, N_ROUNDS / 2, N_ROUNDS) == SHOAL_OK);
    free_texts(s, texts);
    spool_destroy(s, true);
    CHECK(stat(path, &info) == 0 && info.st_size > size && size > 0);
    CHECK(spool_create(&s, path, size, 5000) == SHOAL_OK);
    CHECK(stat(path, &info) == 0 && info.st_size == size);
    shoal_span rest = {state.data, state.size};
    for (int t = 0; t < N_TEXTS; ++t)
        CHECK(spool_load(s, &rest, t == 1 ? NULL : &again[t]) == SHOAL_OK);
    CHECK(rest.size == 0 && again[1].n == 0);
    for (int t = 0; t < N_TEXTS; t += 2) CHECK(is_whole(s, &again[t], t, N_ROUNDS / 2));
    free_texts(s, again);
    rest = (shoal_span){whole.data, whole.size}; /* for those who have no file */
    for (int t = 0; t < N_TEXTS; ++t)
        CHECK(spool_load(NULL, &rest, &again[t]) == SHOAL_OK &&
              is_whole(NULL, &again[t], t, N_ROUNDS / 2));
    CHECK(rest.size == 0 && whole.size > 0);
    free_texts(NULL, again);
    shoal_string_free(&whole);
    for (size_t cut = 0; cut < state.size; cut += 7) { /* states that break off */
        rest = (shoal_span){state.data, cut};
        shoal_status status = SHOAL_OK;
        for (int t = 0; t < N_TEXTS && status == SHOAL_OK; ++t)
            status = spool_load(s, &rest, &again[t]);
        CHECK(status == SHOAL_E_ARGUMENT);
        free_texts(s, again);
    }
    rest = (shoal_span){state.data, state.size};
    CHECK(spool_load(NULL, &rest, &again[0]) == SHOAL_E_ARGUMENT);
    spool_destroy(s, false);
    CHECK(spool_create(&s, path, size, 5000) == SHOAL_E_IO);
    spool_destroy(s, false);
    shoal_string_free(&state);
}

/* A piece that was changed, or is not there. */
static void test_damage(void)
{
    spool_text texts[N_TEXTS] = {{0}};
    shoal_string out = {0};
    spool *s = NULL;
    CHECK(spool_create(&s, path, 0, 5000) == SHOAL_OK && grow(s, texts, 0, 100) == SHOAL_OK);
    const spool_piece *p = &texts[0].pieces[0];
    const int file = open(path, O_RDWR);
    CHECK(pwrite(file, "x", 1, p->at + (off_t)p->size - 1) == 1);
    CHECK(spool_read(s, p, &out) == SHOAL_E_IO && strstr(shoal_error_text(), "has changed"));
    CHECK(ftruncate(file, p->at + (off_t)p->size - 1) == 0);
    CHECK(spool_read(s, p, &out) == SHOAL_E_IO && strstr(shoal_error_text(), "shorter"));
    (void)close(file);
    shoal_string_free(&out);
    free_texts(s, texts);
    spool_destroy(s, false);
}

/* A dropped piece is there while one of two checkpoints may name it, and then no longer. */
static void test_dropped(void)
{
    spool_text texts[N_TEXTS] = {{0}};
    shoal_string out = {0};
    spool *s = NULL;
    CHECK(spool_create(&s, path, 0, 5000) == SHOAL_OK && grow(s, texts, 0, 400) == SHOAL_OK);
    spool_drop(s, &texts[0].pieces[0]);
    for (int k = 0; k < 2; ++k) {
        CHECK(spool_read(s, &texts[0].pieces[0], &out) == SHOAL_OK);
        spool_mark(s);
    }
    struct stat info;
    CHECK(stat(path, &info) == 0);
    /* where files can have holes */
    if (spool_read(s, &texts[0].pieces[0], &out) == SHOAL_OK)
        (void)printf("  this file system keeps what was given back\n");
    for (int32_t i = 1; i < texts[0].n; ++i)
        CHECK(spool_read(s, &texts[0].pieces[i], &out) == SHOAL_OK);
    shoal_string_free(&out);
    free_texts(s, texts);
    spool_destroy(s, false);
}

/* --- runs ----------------------------------------------------------------------------------------- */

enum { N_SYSTEMS = 6, N_STEPS = 100000 };

static void write_input(const char *name)
{
    FILE *file = fopen(name, "w");
    for (int k = 0; file && k < N_SYSTEMS; ++k)
        (void)fprintf(file, "3\nname=w%d\nO 0 0 0\nH 0.9%d 0 0\nH -0.3 0.9 0\n", k, k);
    if (file) (void)fclose(file);
}

typedef struct watcher {
    int64_t stop_after; /* evaluations; 0: never */
    bool waited;        /* frames were in a file */
} watcher;

static bool watch(void *user, const shoal_stream_progress *p)
{
    watcher *w = user;
    w->waited = w->waited || access("spool.xyz.checkpoint.frames", F_OK) == 0;
    return w->stop_after == 0 || p->n_evaluations < w->stop_after;
}

static shoal_status run_md(const char *name, int64_t memory, bool resume, watcher *w,
                           shoal_run_result *result)
{
    const char *const files[] = {"spool_in.xyz"};
    char xyz[64];
    (void)snprintf(xyz, sizeof xyz, "%s.xyz", name);
    const shoal_md_options md = {
        .n_steps = N_STEPS, .thermostat = SHOAL_THERMOSTAT_LANGEVIN, .stride = 250, .seed = 3};
    const shoal_stream_options stream = {
        .job = SHOAL_JOB_MD,
        .input = {.files = files, .n_files = 1},
        .compute = {.md = &md, .n_threads = 2, .memory_bytes = memory},
        .output = {.monitor = watch, .user = w}};
    const shoal_run_output out = {
        .path = xyz, .kind = SHOAL_OUTPUT_MOLECULES, .format = SHOAL_FORMAT_XYZ, .frames = true};
    const shoal_run_options o = {
        .stream = &stream, .outputs = &out, .n_outputs = 1, .seconds = 0.02, .resume = resume};
    return shoal_run_stream(&o, result);
}

/* A run that goes on from frames that were changed is refused; how many of them wait hangs on when it was stopped, and
 * without any it ends as if it had not been. */
static void test_changed(watcher *w)
{
    shoal_run_result result;
    for (int tries = 0; tries < 4; ++tries) {
        w->stop_after = 1 + tries;
        CHECK(run_md("spool", 8000, false, w, &result) == SHOAL_OK);
        const int file = open("spool.xyz.checkpoint.frames", O_RDWR);
        if (file >= 0) {
            const off_t size = lseek(file, 0, SEEK_END);
            for (off_t at = 100; at < size; at += 100) CHECK(pwrite(file, "?", 1, at) == 1);
            (void)close(file);
        }
        w->stop_after = 0;
        const shoal_status status = run_md("spool", 8000, result.stopped, w, &result);
        if (status == SHOAL_E_IO)
            CHECK(strstr(shoal_error_text(), "frames that wait") != NULL);
        else
            CHECK(status == SHOAL_OK && are_same("spool.xyz", "spool_whole.xyz"));
    }
}

/* Memory changes nothing; neither do stops. What was changed meanwhile is refused. */
static void test_runs(void)
{
    shoal_run_result result;
    watcher w = {0};
    write_input("spool_in.xyz");
    CHECK(run_md("spool_whole", 0, false, &w, &result) == SHOAL_OK && !w.waited);
    CHECK(run_md("spool", 8000, false, &w, &result) == SHOAL_OK);
    CHECK(are_same("spool.xyz", "spool_whole.xyz"));
    CHECK(access("spool.xyz.checkpoint.frames", F_OK) != 0);
    bool stopped = false;
    for (int k = 1; k <= 6; ++k) {
        w.stop_after = k < 6 ? 1 : 0;
        CHECK(run_md("spool", 8000, k > 1, &w, &result) == SHOAL_OK);
        stopped = stopped || result.stopped;
    }
    CHECK(stopped && w.waited);
    CHECK(are_same("spool.xyz", "spool_whole.xyz"));
    test_changed(&w);
    for (int k = 0; k < 4; ++k) {
        static const char *const names[] = {"spool.xyz.partial", "spool.xyz.checkpoint",
                                            "spool.xyz.checkpoint.old",
                                            "spool.xyz.checkpoint.frames"};
        (void)remove(names[k]);
    }
}

int main(void)
{
    test_pieces();
    test_states();
    test_damage();
    test_dropped();
    test_runs();
    return check_done();
}
