/* SPDX-License-Identifier: BSD-3-Clause
 * Files of results that do not end well: writers that are killed, disks that are full; and readers that
 * look on. What was synced is there in all cases, bit for bit. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/random.h"
#include "results_fixture.h"

static const char path[] = "test_results_crash.h5";
static const char error_path[] = "test_results_crash.txt";

static shoal_results *begin(int64_t keep)
{
    shoal_results *results = NULL;
    CHECK(shoal_results_create(&results, path, &fixture_header, keep) == SHOAL_OK);
    if (!results) (void)printf("  %s\n", shoal_error_text());
    return results;
}

static void pause_ms(double ms)
{
    const struct timespec t = {.tv_nsec = (long)(1e6 * ms)};
    (void)nanosleep(&t, NULL);
}

/* --- going on ------------------------------------------------------------------------------------- */

static void test_keep(void)
{
    int64_t n = -1;
    shoal_results *results = begin(-1);
    CHECK(fixture_write(results, 0, 1000, 100) == SHOAL_OK);
    CHECK(shoal_results_sync(results, &n) == SHOAL_OK && n == 1000);
    shoal_results_destroy(results);
    results = begin(700);
    CHECK(shoal_results_sync(results, &n) == SHOAL_OK && n == 700);
    CHECK(fixture_holds(path, 700, &n) && n == 700);
    CHECK(fixture_write(results, 700, 2000, 100) == SHOAL_OK);
    CHECK(shoal_results_close(results) == SHOAL_OK);
    CHECK(fixture_write(results, 0, 1, 1) == SHOAL_E_ARGUMENT);
    shoal_results_destroy(results);
    CHECK(fixture_holds(path, 2000, &n) && n == 2000);
    results = begin(2000); /* of a finished file */
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
    CHECK(fixture_holds(path, 2000, &n) && n == 2000);
}

static void test_nothing_to_keep(void)
{
    shoal_results *results = NULL;
    int64_t n = -1;
    CHECK(shoal_results_create(&results, path, &fixture_header, 2001) == SHOAL_E_IO && !results);
    CHECK(strstr(shoal_error_text(), "has 2000 systems, but 2001") != NULL);
    CHECK(fixture_holds(path, 2000, &n) && n == 2000);
    CHECK(truncate(path, 5000) == 0);
    CHECK(shoal_results_create(&results, path, &fixture_header, 100) == SHOAL_E_IO && !results);
    CHECK(remove(path) == 0);
    CHECK(shoal_results_create(&results, path, &fixture_header, 1) == SHOAL_E_IO && !results);
    CHECK(strstr(shoal_error_text(), "were to be kept") != NULL);
    CHECK(access("test_results_crash.h5.new", F_OK) != 0);
    results = begin(0); /* nothing is missing */
    shoal_results_destroy(results);
}

/* --- damaged -------------------------------------------------------------------------------------- */

/* All that a file says, one thing behind the other; false where it cannot be read. */
static bool read_all(shoal_string *out)
{
    shoal_results_reader *reader = NULL;
    shoal_results_header header;
    shoal_string_clear(out);
    bool good = shoal_results_open(&reader, path) == SHOAL_OK &&
                shoal_results_header_get(reader, &header) == SHOAL_OK;
    for (int64_t k = 0; good && k < shoal_results_n_systems(reader); ++k)
        good = shoal_results_read(reader, k, out) == SHOAL_OK;
    for (int32_t i = 0; good && i < header.n_files; ++i)
        shoal_string_put(out, header.files[i], strlen(header.files[i]) + 1);
    if (good) {
        shoal_string_put_text(out, header.program);
        shoal_string_put_text(out, header.command);
        shoal_string_put_text(out, header.options);
        shoal_string_put_text(out, header.start_time);
        shoal_string_put_integer(out, header.seed);
        shoal_string_put_integer(out, shoal_results_is_complete(reader));
    }
    shoal_results_reader_destroy(reader);
    return good;
}

static void flip_bit(int file, int64_t bit)
{
    unsigned char byte = 0;
    CHECK(pread(file, &byte, 1, bit / 8) == 1);
    byte ^= (unsigned char)(1u << (bit % 8));
    CHECK(pwrite(file, &byte, 1, bit / 8) == 1);
}

/* A bit that is not what it was makes a file unreadable, or lies where nothing is. */
static void test_flipped(void)
{
    enum { FLIPS = 400 };
    shoal_string *whole = fixture_text(), *flipped = fixture_text();
    shoal_results *results = begin(-1);
    CHECK(fixture_write(results, 0, 1000, 100) == SHOAL_OK);
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
    CHECK(read_all(whole));
    const int file = open(path, O_RDWR);
    const int64_t n_bits = 8 * (int64_t)lseek(file, 0, SEEK_END);
    int n_refused = 0, n_wrong = 0;
    for (int k = 0; k < FLIPS; ++k) {
        const int64_t bit = (int64_t)(random_key(1, (uint64_t)k) % (uint64_t)n_bits);
        flip_bit(file, bit);
        if (!read_all(flipped))
            ++n_refused;
        else if (shoal_string_size(flipped) != shoal_string_size(whole) ||
                 memcmp(shoal_string_data(flipped), shoal_string_data(whole),
                        shoal_string_size(whole)) != 0)
            ++n_wrong;
        flip_bit(file, bit);
    }
    (void)printf("  %d of %d flipped bits refused, %d not noticed\n", n_refused, FLIPS, n_wrong);
    CHECK(n_wrong == 0 && n_refused > FLIPS / 2);
    CHECK(read_all(flipped) && shoal_string_size(flipped) == shoal_string_size(whole));
    (void)close(file);
    shoal_string_destroy(whole);
    shoal_string_destroy(flipped);
}

/* --- killed --------------------------------------------------------------------------------------- */

/* Goes on behind keep, and tells through the pipe how many systems are synced. */
static void write_on(int64_t keep, int64_t last, int tell)
{
    int64_t n = 0;
    check_failures = 0;
    shoal_results *results = begin(keep);
    for (int64_t k = keep < 0 ? 0 : keep; k < last && check_failures == 0; k += 10) {
        CHECK(fixture_write(results, k, k + 10, 7) == SHOAL_OK);
        if (k % 50 != 0) continue;
        CHECK(shoal_results_sync(results, &n) == SHOAL_OK);
        CHECK(write(tell, &n, sizeof n) == (ssize_t)sizeof n);
    }
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
    _exit(check_failures != 0);
}

/* The next number from a pipe into *n; false at its end. */
static bool hear(int from, int64_t *n)
{
    int64_t told;
    const bool good = read(from, &told, sizeof told) == (ssize_t)sizeof told;
    if (good) *n = told;
    return good;
}

/* Systems that were synced when the writer was killed, some time after so many syncs. */
static int64_t kill_writer(int64_t keep, int64_t last, int n_syncs, double ms)
{
    int ends[2];
    int64_t n = keep;
    int how = 0;
    CHECK(pipe(ends) == 0);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) write_on(keep, last, ends[1]);
    (void)close(ends[1]);
    for (int i = 0; i < n_syncs && hear(ends[0], &n); ++i) continue;
    pause_ms(ms);
    (void)kill(child, SIGKILL);
    CHECK(waitpid(child, &how, 0) == child);
    CHECK(WIFSIGNALED(how) || WEXITSTATUS(how) == 0);
    while (hear(ends[0], &n)) continue;
    (void)close(ends[0]);
    return n;
}

/* Whatever is killed when, the end is that of a run that was not. */
static void test_killed(void)
{
    enum { LAST = 1000000, N_KILLS = 12 };
    int64_t keep = -1, n = 0;
    (void)remove(path);
    for (int i = 0; i < N_KILLS && check_failures == 0; ++i) {
        keep = kill_writer(keep, LAST, i % 3, 0.7 + 13.7 * (i % 7) + 3.1 * i);
        if (keep >= 0) CHECK(fixture_holds(path, keep, &n));
    }
    CHECK(keep > 100);
    shoal_results *results = begin(keep);
    CHECK(fixture_write(results, keep, keep + 500, 33) == SHOAL_OK);
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
    CHECK(fixture_holds(path, keep + 500, &n) && n == keep + 500);
}

static double seconds_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Opens the file and reads all of it, as far as that goes. */
static void try_to_read(void)
{
    shoal_results_reader *reader = NULL;
    shoal_string *record = NULL;
    CHECK(shoal_string_create(&record) == SHOAL_OK);
    if (shoal_results_open(&reader, path) == SHOAL_OK)
        for (int64_t i = 0; i < shoal_results_n_systems(reader); i += 50) {
            shoal_string_clear(record);
            if (shoal_results_read(reader, i, record) != SHOAL_OK) break;
        }
    shoal_string_destroy(record);
    shoal_results_reader_destroy(reader);
}

/* What a killed writer left, cut short or with a damaged head: an answer, and soon. */
static void test_cut_short(void)
{
    static const double parts[] = {0.999, 0.95, 0.6, 0.3, 0.05, 0.001};
    (void)remove(path);
    CHECK(kill_writer(-1, 1000000, 2, 5.0) > 0);
    for (int k = 0; k < 6; ++k) {
        struct stat info;
        CHECK(stat(path, &info) == 0);
        CHECK(truncate(path, (off_t)(parts[k] * (double)info.st_size)) == 0);
        const double begin = seconds_now();
        try_to_read();
        CHECK(seconds_now() - begin < 1.0);
    }
    (void)remove(path);
}

/* --- read along ----------------------------------------------------------------------------------- */

/* Sees the file grow, and never anything that is not whole; tells how many systems there are. */
static void read_along(int64_t last, int tell)
{
    int64_t n = 0, before = -1;
    check_failures = 0;
    while (access(path, F_OK) != 0) pause_ms(1);
    while (before < last && check_failures == 0) {
        CHECK(fixture_holds(path, 0, &n));
        CHECK(n >= before);
        if (n > before) {
            before = n;
            CHECK(fixture_holds(path, before, &n));
            CHECK(write(tell, &before, sizeof before) == (ssize_t)sizeof before);
        }
        pause_ms(1);
    }
    (void)fflush(stdout);
    _exit(check_failures != 0);
}

static void test_reader(void)
{
    enum { N = 2000, STEP = 50, AHEAD = 100 };
    int ends[2], how = 0;
    int64_t n = 0, seen = 0;
    bool there = true;
    CHECK(pipe(ends) == 0);
    (void)remove(path);
    (void)fflush(stdout);
    const pid_t child = fork(); /* before the file is open, so that the child does not share it */
    if (child == 0) read_along(N, ends[1]);
    (void)close(ends[1]);
    shoal_results *results = begin(-1);
    for (int64_t k = 0; k < N; k += STEP) {
        CHECK(fixture_write(results, k, k + STEP, STEP) == SHOAL_OK);
        CHECK(shoal_results_sync(results, &n) == SHOAL_OK && n == k + STEP);
        while (there && seen < k - AHEAD) there = hear(ends[0], &seen);
    }
    while (there && seen < N) there = hear(ends[0], &seen);
    CHECK(seen == N);
    (void)close(ends[0]);
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
}

/* --- full ----------------------------------------------------------------------------------------- */

/* Writes until nothing fits any more; exit code 0 if that is told as it should be. */
static void fill_up(rlim_t limit, int tell)
{
    const struct rlimit most = {.rlim_cur = limit, .rlim_max = limit};
    shoal_results *results = NULL;
    shoal_status status = SHOAL_OK;
    int64_t n = -1;
    (void)signal(SIGXFSZ, SIG_IGN);
    check_failures = 0;
    CHECK(setrlimit(RLIMIT_FSIZE, &most) == 0);
    status = shoal_results_create(&results, path, &fixture_header, -1);
    for (int64_t k = 0; status == SHOAL_OK && k < 8000; k += 100) {
        status = fixture_write(results, k, k + 100, 100);
        if (status == SHOAL_OK && k % 300 == 0) status = shoal_results_sync(results, &n);
    }
    CHECK(write(tell, &n, sizeof n) == (ssize_t)sizeof n);
    CHECK(status == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "File too large") != NULL);
    if (!strstr(shoal_error_text(), "too large")) (void)printf("  %s\n", shoal_error_text());
    if (results) {
        CHECK(fixture_write(results, 0, 1, 1) == SHOAL_E_IO);
        CHECK(shoal_results_sync(results, &n) == SHOAL_E_IO);
        CHECK(shoal_results_close(results) == SHOAL_E_IO);
        CHECK(strstr(shoal_error_text(), "File too large") != NULL);
    }
    shoal_results_destroy(results);
    (void)fflush(stdout);
    exit(check_failures != 0); /* HDF5 has its say */
}

static void check_full(rlim_t limit)
{
    int ends[2], how = 0;
    int64_t n = -1, there = 0;
    struct stat st;
    (void)remove(path);
    CHECK(pipe(ends) == 0);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int error = open(error_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        (void)dup2(error, STDERR_FILENO);
        (void)alarm(60);
        fill_up(limit, ends[1]);
    }
    (void)close(ends[1]);
    CHECK(read(ends[0], &n, sizeof n) == (ssize_t)sizeof n);
    CHECK(waitpid(child, &how, 0) == child && WIFEXITED(how) && WEXITSTATUS(how) == 0);
    (void)close(ends[0]);
    CHECK(stat(error_path, &st) == 0 && st.st_size == 0); /* nothing was printed */
    CHECK(access("test_results_crash.h5.lock", F_OK) != 0);
    if (n < 0) n = 0;
    if (access(path, F_OK) == 0) CHECK(fixture_holds(path, n, &there));
    shoal_results *results = begin(n); /* and it goes on */
    CHECK(fixture_write(results, n, n + 10, 10) == SHOAL_OK);
    CHECK(shoal_results_close(results) == SHOAL_OK);
    shoal_results_destroy(results);
    CHECK(fixture_holds(path, n + 10, &there) && there == n + 10);
}

static void test_full(void)
{
    static const rlim_t limits[] = {100,     5000,    20000,   300000,  600000,  900000, 1000000,
                                    1100000, 1300000, 1500001, 2000000, 2345678, 5000000};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0] && check_failures == 0; ++i)
        check_full(limits[i]);
    (void)remove(error_path);
}

int main(void)
{
    if (!fixture_has_hdf5()) {
        (void)printf("skipped: this build has no HDF5\n");
        return 77;
    }
    test_keep();
    test_nothing_to_keep();
    test_flipped();
    test_killed();
    test_reader();
    test_full();
    test_cut_short(); /* last: HDF5 grumbles at the end of a process that it failed in */
    (void)remove(path);
    (void)remove("test_results_crash.h5.new");
    return check_done();
}
