/* SPDX-License-Identifier: BSD-3-Clause
 * Files that are written on after an interruption, and what a full disk leaves of them. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/input.h"
#include "io/writer.h"
#include "io_fixture.h"

static const char path[] = "test_io_output.txt";
static const char gz_path[] = "test_io_output.xyz.gz";
static const char xyz_path[] = "test_io_output.xyz";
static const char part[] = "test_io_output.partial";

/* -1 if there is no such file. */
static int64_t size_of(const char *name)
{
    struct stat info;
    return stat(name, &info) == 0 ? (int64_t)info.st_size : -1;
}

static void check_content(const char *name, const char *want)
{
    char text[256];
    FILE *file = fopen(name, "rb");
    CHECK(file != NULL);
    if (!file) return;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    CHECK_TEXT(text, want);
}

static shoal_writer *open_part(const char *name, shoal_format format, int64_t keep)
{
    shoal_writer *writer;
    CHECK(shoal_writer_open_as(&writer, name, format, part, keep) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    return writer;
}

static shoal_status append(shoal_writer *writer, const char *text)
{
    return shoal_writer_append(writer, text, strlen(text));
}

/* Three runs: the first is cut off behind a sync, the second goes on there, the third finds nothing. */
static void test_continuation(void)
{
    int64_t size = 0;
    shoal_writer *writer = open_part(path, SHOAL_FORMAT_NONE, -1);
    CHECK(append(writer, "one\n") == SHOAL_OK);
    CHECK(shoal_writer_sync(writer, &size) == SHOAL_OK && size == 4);
    check_content(part, "one\n");
    CHECK(append(writer, "two\n") == SHOAL_OK);
    CHECK(shoal_writer_sync(writer, &size) == SHOAL_OK && size == 8);
    shoal_writer_destroy(writer);
    check_content(part, "one\ntwo\n");
    writer = open_part(path, SHOAL_FORMAT_NONE, 4);
    CHECK_TEXT(shoal_writer_part(writer), part);
    CHECK(append(writer, "three\n") == SHOAL_OK);
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    shoal_writer_destroy(writer);
    check_content(path, "one\nthree\n");
    CHECK(size_of(part) < 0);
    CHECK(shoal_writer_open_as(&writer, path, SHOAL_FORMAT_NONE, part, 4) == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "test_io_output.partial: cannot continue: ") != NULL);
    CHECK(size_of(part) < 0);
    CHECK(remove(path) == 0);
}

static void test_refusals(void)
{
    shoal_writer *writer = open_part(path, SHOAL_FORMAT_NONE, -1), *other;
    int64_t size;
    CHECK(append(writer, "one\n") == SHOAL_OK);
    CHECK(shoal_writer_open_as(&other, path, SHOAL_FORMAT_NONE, part, -1) == SHOAL_E_IO);
    CHECK_TEXT(shoal_error_text(), "test_io_output.partial: another run is writing it");
    CHECK(shoal_writer_put(writer, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_writer_sync(writer, &size) == SHOAL_OK && size == 4);
    shoal_writer_destroy(writer);
    CHECK(shoal_writer_open_as(&other, path, SHOAL_FORMAT_NONE, part, 5) == SHOAL_E_IO);
    CHECK_TEXT(shoal_error_text(),
               "test_io_output.partial: cannot continue: 4 bytes, expected at least 5");
    CHECK(size_of(part) == 4);
    writer = open_part(path, SHOAL_FORMAT_NONE, -1);
    CHECK(size_of(part) == 0);
    shoal_writer_destroy(writer);
    CHECK(remove(part) == 0 && size_of(path) < 0);
}

/* A part that another run finished in the meantime is left alone. */
static void test_finished_part(void)
{
    shoal_writer *first = open_part(path, SHOAL_FORMAT_NONE, -1);
    CHECK(append(first, "one\n") == SHOAL_OK);
    CHECK(shoal_writer_close(first) == SHOAL_OK);
    shoal_writer *second = open_part(path, SHOAL_FORMAT_NONE, -1);
    check_content(path, "one\n");
    shoal_writer_destroy(second);
    shoal_writer_destroy(first);
    CHECK(remove(part) == 0 && remove(path) == 0);
}

/* A frame with a number that does not compress well. */
static void make_frame(char text[64], int i)
{
    (void)snprintf(text, 64, "1\nf%d\nH %u 0 0\n", i, 2654435761U * (unsigned)i);
}

/* Frames f0, f1, ... of a file, which must all be right. */
static int count_frames(const char *name)
{
    fixture f;
    int n = 0;
    char want[16];
    fixture_open_file(&f, name);
    while (fixture_next(&f) == SHOAL_OK && f.found) {
        (void)snprintf(want, sizeof want, "f%d", n);
        CHECK_TEXT(shoal_molecule_name(f.mol), want);
        ++n;
    }
    fixture_end(&f);
    return n;
}

static void append_frames(shoal_writer *writer, int first, int last)
{
    char text[64];
    for (int i = first; i < last; ++i) {
        make_frame(text, i);
        CHECK(append(writer, text) == SHOAL_OK);
    }
}

/* Members are what the text makes them, however many threads compress; one that nobody marks is none that is whole. */
static void test_members(void)
{
    static const int32_t n_threads[] = {1, 2, 3, 7};
    enum { N = 4, SIZE = 9 << 20 };
    shoal_string first = {0}, again = {0};
    char *text = malloc(SIZE);
    CHECK(text != NULL);
    uint32_t random = 1;
    for (int32_t i = 0; text && i < SIZE; ++i) {
        random = 1664525 * random + 1013904223;
        text[i] = (char)('a' + (random >> 24) % 16);
    }
    for (int k = 0; text && k < N; ++k) {
        shoal_writer *writer = open_part(gz_path, SHOAL_FORMAT_NONE, -1);
        writer_share(writer, n_threads[k]);
        for (size_t at = 0; at + 70001 <= SIZE / 2; at += 70001)
            CHECK(shoal_writer_append(writer, text + at, 70001) == SHOAL_OK);
        CHECK(shoal_writer_append(writer, text, SIZE) == SHOAL_OK);
        CHECK(shoal_writer_append(writer, "end", 3) == SHOAL_OK);
        CHECK(shoal_writer_close(writer) == SHOAL_OK);
        shoal_writer_destroy(writer);
        FILE *file = fopen(gz_path, "rb");
        shoal_string *bytes = k > 0 ? &again : &first;
        char piece[4096];
        shoal_string_clear(bytes);
        for (size_t n; file && (n = fread(piece, 1, sizeof piece, file)) > 0;)
            shoal_string_put(bytes, piece, n);
        if (file) (void)fclose(file);
        CHECK(k == 0 ||
              (again.size == first.size && memcmp(again.data, first.data, again.size) == 0));
    }
    CHECK(first.size > SIZE / 4);
    shoal_string_free(&first);
    CHECK(shoal_input_whole(gz_path, &first) == SHOAL_OK);
    CHECK(first.size == SIZE / 2 / 70001 * 70001 + SIZE + 4 && text &&
          memcmp(first.data, text, 70001) == 0 &&
          memcmp(first.data + first.size - SIZE - 4, text, SIZE) == 0);
    shoal_string_free(&first);
    shoal_string_free(&again);
    free(text);
    CHECK(remove(gz_path) == 0);
}

/* Every size that a sync tells is a whole gzip file. */
static void test_gzip(int32_t n_threads)
{
    int64_t size[3];
    shoal_writer *writer = open_part(gz_path, SHOAL_FORMAT_XYZ, -1);
    writer_share(writer, n_threads);
    append_frames(writer, 0, 10);
    CHECK(shoal_writer_sync(writer, &size[0]) == SHOAL_OK && size[0] == size_of(part));
    CHECK(shoal_writer_sync(writer, &size[1]) == SHOAL_OK && size[1] == size[0]);
    append_frames(writer, 10, 40000);
    CHECK(shoal_writer_sync(writer, &size[2]) == SHOAL_OK && size[2] > size[0]);
    append_frames(writer, 40000, 40007);
    shoal_writer_destroy(writer);
    CHECK(truncate(part, size[2]) == 0 && rename(part, xyz_path) == 0);
    CHECK(count_frames(xyz_path) == 40000);
    CHECK(rename(xyz_path, part) == 0);
    writer = open_part(gz_path, SHOAL_FORMAT_XYZ, size[0]);
    append_frames(writer, 10, 12);
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    shoal_writer_destroy(writer);
    CHECK(count_frames(gz_path) == 12);
    writer = open_part(gz_path, SHOAL_FORMAT_XYZ, -1);
    CHECK(shoal_writer_close(writer) == SHOAL_OK);
    shoal_writer_destroy(writer);
    CHECK(size_of(gz_path) > 0 && count_frames(gz_path) == 0);
    CHECK(remove(gz_path) == 0);
}

/* The limit on the size of files stands for a disk without room. */
static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {bytes, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* What is left are whole frames, as many as fit; the first failure is the answer to all that follows. */
static void check_full_disk(const char *name, bool as_part, rlim_t limit, int at_least, int at_most)
{
    static const char kept[] = "test_io_output_kept.xyz";
    shoal_writer *writer;
    char text[64];
    int n = 0;
    int64_t size;
    if (as_part)
        writer = open_part(name, SHOAL_FORMAT_XYZ, -1);
    else
        CHECK(shoal_writer_open(&writer, name, SHOAL_FORMAT_XYZ) == SHOAL_OK);
    writer_share(writer, as_part ? 3 : 1);
    limit_files(limit);
    do {
        make_frame(text, n++);
    } while (append(writer, text) == SHOAL_OK && n < 1000000);
    CHECK(n < 1000000);
    CHECK(append(writer, text) == SHOAL_E_IO);
    CHECK(shoal_writer_sync(writer, &size) == SHOAL_E_IO);
    CHECK(strstr(shoal_error_text(), "cannot write: ") != NULL);
    if (as_part)
        shoal_writer_destroy(writer);
    else
        CHECK(shoal_writer_close_as(writer, kept) == SHOAL_OK);
    limit_files(RLIM_INFINITY);
    if (as_part)
        CHECK(rename(part, kept) == 0);
    else
        shoal_writer_destroy(writer);
    const int n_kept = count_frames(kept);
    CHECK(n_kept >= at_least && n_kept <= at_most);
    if (n_kept < at_least || n_kept > at_most) (void)printf("%d frames kept\n", n_kept);
    CHECK(remove(kept) == 0 && size_of(name) < 0);
}

/* A frame has 12 to 26 bytes. */
static void test_full_disk(void)
{
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    for (int as_part = 0; as_part < 2; ++as_part) {
        check_full_disk(xyz_path, as_part, 1000, 1000 / 26, 1000 / 12);
        check_full_disk(xyz_path, as_part, 300000, 300000 / 26, 300000 / 12);
        if (fixture_has_zlib()) check_full_disk(gz_path, as_part, 1 << 20, 40000, 200000);
    }
}

/* A text of more than the buffer is kept whole or not at all. */
static void test_large_texts(void)
{
    enum { SIZE = 300000 };
    char *text = malloc(SIZE);
    CHECK(text != NULL);
    if (!text) return;
    memset(text, 'x', SIZE);
    shoal_writer *writer = open_part(path, SHOAL_FORMAT_NONE, -1);
    limit_files(5 * SIZE / 2);
    CHECK(shoal_writer_append(writer, text, SIZE) == SHOAL_OK);
    CHECK(shoal_writer_append(writer, text, 7) == SHOAL_OK);
    CHECK(shoal_writer_append(writer, text, SIZE) == SHOAL_OK);
    CHECK(shoal_writer_append(writer, text, SIZE) == SHOAL_E_IO);
    shoal_writer_destroy(writer);
    limit_files(RLIM_INFINITY);
    CHECK(size_of(part) == 2 * SIZE + 7);
    CHECK(remove(part) == 0);
    free(text);
}

int main(void)
{
    (void)remove(part);
    test_continuation();
    test_refusals();
    test_finished_part();
    if (fixture_has_zlib()) {
        test_members();
        test_gzip(1);
        test_gzip(3);
    }
    test_full_disk();
    test_large_texts();
    return check_done();
}
