/* SPDX-License-Identifier: BSD-3-Clause
 * Runs: outputs of all kinds, stopped and gone on with, and everything that a run refuses to go on with. */
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "files_fixture.h"
#include "shoal/shoal.h"
#include "stream/checkpoint.h"

#define IN "test_run_in.xyz"
enum { N_SYSTEMS = 400, N_KINDS = 4 };
static const char *const kinds[N_KINDS] = {"xyz.gz", "csv", "jsonl", "h5"};
static const char *const files[] = {IN};

/* What a run is given and what it said. */
typedef struct trial {
    int64_t stop_at, seen; /* systems; -1: it is not stopped */
    char said[2000];
    size_t replayed[N_KINDS];
    int n_concluded;
} trial;

typedef struct tally {
    trial *t;
    int kind;
} tally;

static int n_kinds = N_KINDS; /* 3 in a build without HDF5 */

/* --- helpers -------------------------------------------------------------------------------------- */

static void put_waters(void)
{
    FILE *file = fopen(IN, "w");
    for (int k = 0; file && k < N_SYSTEMS; ++k)
        (void)fprintf(file, "3\nwater%03d\nO 0 0 0\nH 0.96 0.%03d 0\nH -0.24 0.93 0\n", k, k % 50);
    CHECK(file && fclose(file) == 0);
}

/* A byte of a file, by where it is from either end; returns what it was. */
static void change_byte(const char *path, long at, int by)
{
    FILE *file = fopen(path, "r+");
    CHECK(file != NULL);
    if (!file) return;
    (void)fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    const int c = fgetc(file);
    (void)fseek(file, -1, SEEK_CUR);
    (void)fputc(c + by, file);
    CHECK(fclose(file) == 0);
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

static bool records_are_same(const char *a, const char *b)
{
    shoal_results_reader *x = NULL, *y = NULL;
    shoal_string *of_x = NULL, *of_y = NULL;
    bool same = shoal_results_open(&x, a) == SHOAL_OK && shoal_results_open(&y, b) == SHOAL_OK &&
                shoal_string_create(&of_x) == SHOAL_OK && shoal_string_create(&of_y) == SHOAL_OK &&
                shoal_results_n_systems(x) == N_SYSTEMS && shoal_results_n_systems(y) == N_SYSTEMS;
    for (int64_t i = 0; same && i < N_SYSTEMS; ++i)
        same = shoal_results_read(x, i, of_x) == SHOAL_OK &&
               shoal_results_read(y, i, of_y) == SHOAL_OK;
    same = same && shoal_string_size(of_x) == shoal_string_size(of_y) &&
           memcmp(shoal_string_data(of_x), shoal_string_data(of_y), shoal_string_size(of_x)) == 0;
    shoal_string_destroy(of_x);
    shoal_string_destroy(of_y);
    shoal_results_reader_destroy(x);
    shoal_results_reader_destroy(y);
    return same;
}

static char *name_of(char to[64], const char *run, int kind, const char *ending)
{
    (void)snprintf(to, 64, "test_run_%s.%s%s", run, kinds[kind], ending);
    return to;
}

static void remove_all(const char *run)
{
    static const char *const endings[] = {"",     ".partial",    ".partial.old",   ".old",
                                          ".new", ".checkpoint", ".checkpoint.old"};
    char name[64];
    for (int k = 0; k < N_KINDS; ++k)
        for (int e = 0; e < 7; ++e) (void)remove(name_of(name, run, k, endings[e]));
}

/* --- a run ---------------------------------------------------------------------------------------- */

static shoal_status put_line(void *user, const shoal_stream_system *s, shoal_string *out)
{
    (void)user;
    shoal_string_put_text(out, "{\"index\":");
    shoal_string_put_integer(out, s->index);
    shoal_string_put_text(out, ",\"energy\":");
    shoal_string_put_number(out, s->result.energy);
    shoal_string_put_text(out, "}\n");
    return SHOAL_OK;
}

static shoal_status replay(void *user, const char *kept, size_t size)
{
    const tally *of = user;
    (void)kept;
    of->t->replayed[of->kind] += size;
    return SHOAL_OK;
}

static shoal_status see(void *user, const shoal_stream_system *systems, int32_t n)
{
    trial *t = user;
    const struct timespec moment = {.tv_nsec = 60000000};
    (void)systems;
    t->seen += n;
    if (t->stop_at >= 0 && t->seen >= t->stop_at)
        (void)nanosleep(&moment, NULL); /* monitors come now and then */
    return SHOAL_OK;
}

static bool watch(void *user, const shoal_stream_progress *progress)
{
    const trial *t = user;
    (void)progress;
    return t->stop_at < 0 || t->seen < t->stop_at;
}

static void hear(void *user, shoal_run_event event, const char *text)
{
    trial *t = user;
    const size_t n = strlen(t->said);
    (void)snprintf(t->said + n, sizeof t->said - n, "%d %s\n", (int)event, text);
}

static shoal_status conclude(void *user, const shoal_run_result *result)
{
    CHECK(result->counts.done == N_SYSTEMS);
    ++((trial *)user)->n_concluded;
    return SHOAL_OK;
}

/* With all kinds of outputs, called after the run; change: of the options, or NULL. */
static shoal_status run_it(const char *run, trial *t, bool resume,
                           void (*change)(shoal_run_options *o, shoal_stream_options *s),
                           shoal_run_result *result)
{
    char names[N_KINDS][64];
    tally tallies[N_KINDS];
    shoal_run_output outputs[N_KINDS];
    shoal_engine_options engine = {.device = "cpu"};
    shoal_stream_options stream = {
        .job = SHOAL_JOB_ENERGY,
        .input = {.files = files, .n_files = 1},
        .compute = {.engine = &engine, .n_threads = 1, .slice_systems = 5},
        .output = {.visit = see, .monitor = watch, .user = t}};
    for (int k = 0; k < n_kinds; ++k) {
        CHECK(shoal_run_output_choose(&outputs[k], name_of(names[k], run, k, ""), NULL) ==
              SHOAL_OK);
        tallies[k] = (tally){t, k};
        outputs[k].replay = replay;
        outputs[k].user = &tallies[k];
        if (outputs[k].kind == SHOAL_OUTPUT_TEXT) outputs[k].put = put_line;
    }
    shoal_run_options o = {.stream = &stream,
                           .outputs = outputs,
                           .n_outputs = n_kinds,
                           .what.forces = true,
                           .resume = resume,
                           .about = "about 1",
                           .conclude = conclude,
                           .tell = hear,
                           .user = t};
    if (change) change(&o, &stream);
    t->seen = 0;
    return shoal_run_stream(&o, result);
}

static void stop_at(const char *run, int64_t n)
{
    trial t = {.stop_at = n};
    shoal_run_result result;
    CHECK(run_it(run, &t, false, NULL, &result) == SHOAL_OK);
    CHECK(result.stopped && result.saved && !result.late && t.n_concluded == 0);
    CHECK(result.counts.done >= n && result.counts.done < N_SYSTEMS);
}

static void check_same(const char *run)
{
    char a[64], b[64];
    for (int k = 1; k < n_kinds; ++k)
        CHECK(k == 3 ? records_are_same(name_of(a, "whole", k, ""), name_of(b, run, k, ""))
                     : are_same(name_of(a, "whole", k, ""), name_of(b, run, k, "")));
    for (int k = 0; k < n_kinds; ++k) CHECK(size_of(name_of(a, run, k, ".partial")) < 0);
    CHECK(size_of(name_of(a, run, 0, ".checkpoint")) < 0);
}

/* --- what is tested ------------------------------------------------------------------------------- */

static void test_whole(void)
{
    trial t = {.stop_at = -1};
    shoal_run_result result;
    CHECK(run_it("whole", &t, false, NULL, &result) == SHOAL_OK);
    if (t.said[0]) (void)printf("said: %s\n", t.said);
    CHECK(result.counts.done == N_SYSTEMS && result.counts.failed == 0 && result.leads);
    CHECK(!result.stopped && !result.resumed && t.n_concluded == 1);
}

static void test_going_on(void)
{
    trial t = {.stop_at = -1};
    shoal_run_result result;
    char name[64];
    stop_at("part", 50);
    CHECK(size_of(name_of(name, "part", 2, ".partial")) > 0);
    CHECK(size_of(name_of(name, "part", 2, "")) < 0);
    t.stop_at = 60;
    CHECK(run_it("part", &t, true, NULL, &result) == SHOAL_OK && result.stopped && result.resumed);
    t.stop_at = -1;
    CHECK(run_it("part", &t, true, NULL, &result) == SHOAL_OK && !result.stopped);
    CHECK(result.counts.done == N_SYSTEMS && t.seen < N_SYSTEMS - 100 && t.n_concluded == 1);
    CHECK(strstr(t.said, "going on with system") != NULL);
    for (int k = 2; k < n_kinds; ++k) CHECK(t.replayed[k] > 0);
    check_same("part");
}

/* A run that is refused leaves everything as it was, so that the right one can still go on. */
static void expect_refusal(const char *run, shoal_status wanted, const char *text,
                           void (*change)(shoal_run_options *o, shoal_stream_options *s))
{
    trial t = {.stop_at = -1};
    shoal_run_result result;
    const shoal_status status = run_it(run, &t, true, change, &result);
    CHECK(status == wanted && t.seen == 0 && !result.began);
    if (!strstr(shoal_error_text(), text)) (void)printf("said: %s\n", shoal_error_text());
    CHECK(strstr(shoal_error_text(), text) != NULL && strstr(t.said, text) != NULL);
}

static void set_about(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->about = "about 2";
}

static void set_engine(shoal_run_options *o, shoal_stream_options *s)
{
    static const shoal_engine_options engine = {.device = "cpu", .coulomb_damping = 0.5};
    (void)o;
    s->compute.engine = &engine;
}

static void set_source(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->sources = files;
    o->n_sources = 1;
}

static void set_threads(shoal_run_options *o, shoal_stream_options *s)
{
    (void)o;
    s->compute.n_threads = 2;
    s->compute.slice_systems = 0;
}

static void set_what(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->what.forces = false;
}

static shoal_run_output *output_of(shoal_run_options *o, int k)
{
    return &((shoal_run_output *)(uintptr_t)o->outputs)[k];
}

static void set_format(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    output_of(o, 0)->format = SHOAL_FORMAT_SDF;
}

static void set_frames(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    output_of(o, 0)->frames = true;
}

static void set_kind(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    output_of(o, 2)->kind = SHOAL_OUTPUT_CSV;
}

static shoal_surface *slab;

static void make_slab(void)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_slab_build(mol, NULL) == SHOAL_OK);
    CHECK(shoal_surface_create(&slab, mol, NULL) == SHOAL_OK);
    shoal_molecule_destroy(mol);
}

static void set_slab(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->slab = slab;
    o->slab_c[2] = 30;
}

static void test_refusals(void)
{
    trial t = {.stop_at = -1};
    shoal_run_result result;
    char name[64];
    stop_at("part", 50);
    const long middle = size_of(IN) / 2, size = size_of(name_of(name, "part", 2, ".partial"));
    expect_refusal("part", SHOAL_E_ARGUMENT, "about was 1 there and is 2 now", set_about);
    expect_refusal("part", SHOAL_E_ARGUMENT, "options, systems or parameters", set_engine);
    expect_refusal("part", SHOAL_E_ARGUMENT, "other files", set_source);
    expect_refusal("part", SHOAL_E_ARGUMENT, "'csv forces' there and is 'csv' now", set_what);
    expect_refusal("part", SHOAL_E_ARGUMENT, "is 'molecules sdf' now", set_format);
    expect_refusal("part", SHOAL_E_ARGUMENT, "is 'molecules xyz frames' now", set_frames);
    expect_refusal("part", SHOAL_E_ARGUMENT, "was 'text' there", set_kind);
    expect_refusal("part", SHOAL_E_ARGUMENT, "is 'molecules xyz slab", set_slab);
    const long places[] = {0, middle, -2};
    for (int k = 0; k < 3; ++k) {
        change_byte(IN, places[k], 1);
        expect_refusal("part", SHOAL_E_ARGUMENT, "an input has changed", NULL);
        change_byte(IN, places[k], -1);
    }
    for (int k = 0; k < 3; ++k) {
        char part[64];
        const long of = size_of(name_of(part, "part", k, ".partial")) / 2;
        change_byte(part, of, 1);
        expect_refusal("part", SHOAL_E_IO, "it has changed since the checkpoint", NULL);
        change_byte(part, of, -1);
    }
    (void)name_of(name, "part", 2, ".partial");
    CHECK(truncate(name, size - 1) == 0);
    expect_refusal("part", SHOAL_E_IO, "it has become shorter", NULL);
    CHECK(unlink(name) == 0);
    expect_refusal("part", SHOAL_E_IO, "it is gone", NULL);
    remove_all("part");
    stop_at("part", 50);
    CHECK(run_it("part", &t, true, set_threads, &result) == SHOAL_OK); /* may change */
    check_same("part");
}

/* Counts and seconds are of all runs that went on with each other. */
static void test_counts(void)
{
    trial t = {.stop_at = 20};
    shoal_run_result result;
    checkpoint c;
    char name[64];
    bool found;
    stop_at("part", 50);
    (void)name_of(name, "part", 0, ".checkpoint");
    CHECK(checkpoint_load(&c, name, &found) == SHOAL_OK && found);
    const int64_t done = c.counts.done;
    CHECK(c.counts.seconds > 0 && c.counts.seconds < 500);
    c.counts.seconds = 1000;
    CHECK(checkpoint_save(&c, name) == SHOAL_OK);
    checkpoint_free(&c);
    CHECK(run_it("part", &t, true, NULL, &result) == SHOAL_OK && result.stopped);
    CHECK(checkpoint_load(&c, name, &found) == SHOAL_OK && found);
    CHECK(c.counts.seconds > 1000 && c.counts.seconds < 1500);
    CHECK(c.counts.done == done + t.seen && c.next == c.counts.done);
    checkpoint_free(&c);
    remove_all("part");
}

/* What a description says of the precision is what is computed with: vibrations need double. */
static void test_precision(void)
{
    static const char *const wanted[3] = {"\"precision\":\"auto\"", "\"precision\":\"float\"",
                                          "\"precision\":\"double\""};
    for (int k = 0; k < 4; ++k) {
        const shoal_engine_options engine = {.device = "cpu",
                                             .precision = (shoal_precision)(k % 3)};
        const shoal_stream_options stream = {.job = k < 3 ? SHOAL_JOB_RELAX : SHOAL_JOB_MODES,
                                             .input = {.files = files, .n_files = 1},
                                             .compute.engine = &engine};
        const shoal_run_options o = {.stream = &stream};
        shoal_string *text = NULL;
        CHECK(shoal_string_create(&text) == SHOAL_OK);
        CHECK(shoal_run_describe(&o, text) == SHOAL_OK);
        CHECK(strstr(shoal_string_data(text), wanted[k < 3 ? k : 2]) != NULL);
        shoal_string_destroy(text);
    }
}

/* Two outputs have two names, but for nowhere. */
static void test_names(void)
{
    static const char *const names[2] = {"/dev/null", "test_run_same.csv"};
    for (int k = 0; k < 2; ++k) {
        const shoal_run_output outputs[2] = {{.path = names[k], .kind = SHOAL_OUTPUT_CSV},
                                             {.path = names[k], .kind = SHOAL_OUTPUT_CSV}};
        const shoal_stream_options stream = {.job = SHOAL_JOB_READ,
                                             .input = {.files = files, .n_files = 1}};
        const shoal_run_options o = {.stream = &stream, .outputs = outputs, .n_outputs = 2};
        shoal_run_result result;
        CHECK(shoal_run_stream(&o, &result) == (k ? SHOAL_E_ARGUMENT : SHOAL_OK));
        if (k) CHECK(strstr(shoal_error_text(), "named as an output twice") != NULL);
    }
}

/* A file of results with other numbers in its first systems. */
static void test_changed_hdf5(void)
{
    char name[64];
    shoal_results_reader *reader = NULL;
    shoal_results_header header;
    shoal_results *results = NULL;
    shoal_string *record = NULL;
    if (n_kinds < N_KINDS) return;
    stop_at("part", 50);
    CHECK(shoal_string_create(&record) == SHOAL_OK);
    CHECK(shoal_results_open(&reader, name_of(name, "whole", 3, "")) == SHOAL_OK);
    CHECK(shoal_results_header_get(reader, &header) == SHOAL_OK);
    for (int64_t i = 0; i < N_SYSTEMS; ++i)
        CHECK(shoal_results_read(reader, i == 7 ? 8 : i, record) == SHOAL_OK);
    CHECK(shoal_results_create(&results, name_of(name, "part", 3, ""), &header, -1) == SHOAL_OK);
    CHECK(shoal_results_write(results, shoal_string_data(record), shoal_string_size(record)) ==
          SHOAL_OK);
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
    shoal_results_reader_destroy(reader);
    shoal_string_destroy(record);
    expect_refusal("part", SHOAL_E_IO, "it has changed since the checkpoint", NULL);
    remove_all("part");
}

static void set_kept(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->keep_checkpoint = true;
}

/* A complete run that kept its checkpoint has nothing left to do. */
static void test_complete(void)
{
    trial t = {.stop_at = -1}, again = {.stop_at = -1};
    shoal_run_result result;
    char name[64];
    CHECK(run_it("kept", &t, false, set_kept, &result) == SHOAL_OK);
    CHECK(size_of(name_of(name, "kept", 0, ".checkpoint")) > 0);
    CHECK(run_it("kept", &again, true, set_kept, &result) == SHOAL_OK);
    CHECK(again.seen == 0 && result.resumed && result.counts.done == N_SYSTEMS);
    for (int k = 2; k < n_kinds; ++k) CHECK(again.replayed[k] > 0);
    CHECK(unlink(name) == 0);
    check_same("kept");
}

/* --- inputs that take long, or cannot be read ---------------------------------------------------- */

#define HUGE "test_run_huge"
static const char *const huge[] = {HUGE}, *const unreadable[] = {"/proc/self/mem"};
static time_t first_seen;

static void set_huge(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->sources = huge;
    o->n_sources = 1;
}

static void set_unreadable(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->sources = unreadable;
    o->n_sources = 1;
}

static shoal_status give_up(void *user, const shoal_stream_system *systems, int32_t n)
{
    (void)user;
    (void)systems;
    (void)n;
    first_seen = time(NULL);
    return SHOAL_E_ARGUMENT;
}

static int32_t rows;

static void set_rows(shoal_run_options *o, shoal_stream_options *s)
{
    set_huge(o, s);
    o->rows = rows;
    s->output.visit = give_up;
}

/* A tebibyte of holes is read for minutes: neither the start nor an interrupt waits for that. */
static void test_huge_inputs(void)
{
    enum { LONG = 15 };
    trial t = {.stop_at = 0};
    shoal_run_result result;
    char name[64];
    FILE *file = fopen(HUGE, "w"), *row_file = fopen("test_run_rows", "w");
    CHECK(file && row_file && fclose(file) == 0);
    if (truncate(HUGE, (off_t)1 << 40) != 0) return;
    stop_at("part", 50);
    const time_t begin = time(NULL);
    CHECK(run_it("part", &t, true, set_huge, &result) == SHOAL_OK);
    CHECK(result.stopped && result.saved && !result.began && result.counts.done >= 50);
    CHECK(strstr(t.said, "4 test_run_part.xyz.gz.checkpoint") != NULL && t.seen == 0);
    CHECK(time(NULL) - begin < LONG);
    t = (trial){.stop_at = -1};
    CHECK(run_it("part", &t, true, NULL, &result) == SHOAL_OK);
    check_same("part");
    rows = fileno(row_file);
    first_seen = 0;
    const time_t again = time(NULL);
    CHECK(run_it("part", &t, false, set_rows, &result) == SHOAL_E_ARGUMENT);
    CHECK(first_seen >= again && first_seen - again < LONG);
    CHECK(size_of(name_of(name, "part", 0, ".checkpoint")) > 0);
    CHECK(fclose(row_file) == 0 && remove("test_run_rows") == 0 && remove(HUGE) == 0);
    remove_all("part");
}

/* Nobody can say later that it is the same: there is no checkpoint. */
static void test_unreadable_source(void)
{
    trial t = {.stop_at = 50};
    shoal_run_result result;
    struct stat info;
    char name[64];
    if (stat(unreadable[0], &info) != 0) return;
    CHECK(run_it("part", &t, false, set_unreadable, &result) == SHOAL_OK);
    CHECK(result.stopped && !result.saved);
    CHECK(strstr(t.said, "2 /proc/self/mem: cannot be read; there is no checkpoint") != NULL);
    CHECK(size_of(name_of(name, "part", 0, ".checkpoint")) < 0);
    remove_all("part");
}

/* --- journals ------------------------------------------------------------------------------------- */

static shoal_status compare_journal(void *user, const char *kept, size_t size)
{
    FILE *file = fopen("test_run_whole.jsonl", "rb");
    bool same = file != NULL;
    for (size_t i = 0; same && i < size; ++i) same = fgetc(file) == (unsigned char)kept[i];
    CHECK(same && size > 100);
    ++*(int *)user;
    if (file) (void)fclose(file);
    return SHOAL_OK;
}

static int n_compared;

static void set_journal(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    output_of(o, 0)->kind = SHOAL_OUTPUT_TEXT;
    output_of(o, 0)->format = SHOAL_FORMAT_NONE;
    output_of(o, 0)->put = put_line;
    output_of(o, 0)->replay = compare_journal;
    output_of(o, 0)->user = &n_compared;
    o->n_outputs = 1;
}

/* What is compressed on the disk comes back as it was handed on. */
static void test_packed_journal(void)
{
    trial t = {.stop_at = 50};
    shoal_run_result result;
    CHECK(run_it("part", &t, false, set_journal, &result) == SHOAL_OK && result.saved);
    t.stop_at = -1;
    CHECK(run_it("part", &t, true, set_journal, &result) == SHOAL_OK && result.resumed);
    CHECK(n_compared == 1);
    remove_all("part");
}

/* --- events --------------------------------------------------------------------------------------- */

/* Files that would be written anew though somebody wants to go on are worth a warning; being stopped is not. */
static void test_warnings(void)
{
    trial t = {.stop_at = 50};
    shoal_run_result result;
    CHECK(run_it("part", &t, true, NULL, &result) == SHOAL_OK && result.stopped);
    CHECK(strstr(t.said, "0 test_run_part.xyz.gz.checkpoint: no checkpoint yet") != NULL);
    CHECK(strstr(t.said, "are kept in") != NULL && strncmp(t.said, "2 ", 2) != 0);
    CHECK(strstr(t.said, "\n2 ") == NULL);
    t = (trial){.stop_at = -1};
    CHECK(run_it("whole", &t, true, NULL, &result) == SHOAL_OK && !result.resumed);
    CHECK(strstr(t.said, "2 test_run_whole.xyz.gz.checkpoint: no checkpoint yet") != NULL);
    remove_all("part");
}

static void set_limit(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->max_seconds = 1e-9;
}

static void set_nothing(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->n_outputs = 0;
}

static void set_input(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    output_of(o, 1)->path = IN;
}

static void set_checkpoint(shoal_run_options *o, shoal_stream_options *s)
{
    (void)s;
    o->checkpoint = IN;
}

static void test_names_and_limits(void)
{
    trial t = {.stop_at = -1};
    shoal_run_result result;
    expect_refusal("part", SHOAL_E_ARGUMENT, "needs a file to write to", set_nothing);
    expect_refusal("part", SHOAL_E_ARGUMENT, "is an input, too", set_input);
    expect_refusal("part", SHOAL_E_ARGUMENT, "another name for the checkpoint", set_checkpoint);
    CHECK(run_it("part", &t, true, set_limit, &result) == SHOAL_OK);
    CHECK(result.stopped && result.late && result.saved);
    CHECK(strstr(t.said, "no checkpoint yet") != NULL);
    CHECK(run_it("part", &t, true, NULL, &result) == SHOAL_OK && !result.stopped);
    check_same("part");
}

int main(void)
{
    shoal_results *probe = NULL;
    const shoal_results_header header = {.program = "x"};
    if (shoal_results_create(&probe, "test_run_probe.h5", &header, -1) == SHOAL_E_UNSUPPORTED)
        n_kinds = 3;
    shoal_results_destroy(probe);
    (void)remove("test_run_probe.h5");
    remove_all("whole");
    remove_all("part");
    remove_all("kept");
    put_waters();
    make_slab();
    test_whole();
    test_going_on();
    test_refusals();
    test_counts();
    test_names();
    test_precision();
    test_changed_hdf5();
    test_complete();
    test_huge_inputs();
    test_unreadable_source();
    test_packed_journal();
    test_warnings();
    test_names_and_limits();
    remove_all("whole");
    remove_all("part");
    remove_all("kept");
    (void)remove(IN);
    shoal_surface_destroy(slab);
    return check_done();
}
