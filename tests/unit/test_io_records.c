/* SPDX-License-Identifier: BSD-3-Clause
 * Cutting files into records, and parsing records one by one. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "records_probe.h"

static uint64_t state = 11;

static size_t random_below(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((state >> 33) % n);
}

static void check_probe(const char *data, size_t size, shoal_format format, const char *what)
{
    static const int32_t records[] = {1, 2, 1000};
    static const size_t bytes[] = {1, 300, 1 << 20};
    for (int k = 0; k < 3; ++k) {
        const char *wrong = probe_text(data, size, format, records[k], bytes[(k + 2) % 3]);
        CHECK(wrong == NULL);
        if (wrong) (void)printf("%s: %s\n", what, wrong);
    }
}

/* One of: a byte changed, a piece cut out, a piece put in once more, the end cut off. */
static size_t damage(char *data, size_t size)
{
    static const char bytes[] = " \n\r\t-.0159$@>MCxe\0\x80";
    const size_t at = random_below(size), n = random_below(60) % (size - at);
    switch (random_below(4)) {
    case 0: data[at] = bytes[random_below(sizeof bytes)]; return size;
    case 1: memmove(data + at, data + at + n, size - at - n); return size - n;
    case 2: memmove(data + at + n, data + at, size - at); return size + n;
    default: return at + 1;
    }
}

static void check_file(const char *path, shoal_format format)
{
    enum { ROOM = 1 << 20 };
    static char data[ROOM], broken[2 * ROOM];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    if (!file) return;
    const size_t size = fread(data, 1, ROOM, file);
    (void)fclose(file);
    CHECK(size > 0 && size < ROOM);
    check_probe(data, size, format, path);
    const int n_damaged = size < 5000 ? 300 : 10;
    for (int k = 0; k < n_damaged; ++k) {
        memcpy(broken, data, size);
        size_t left = size;
        for (size_t d = random_below(3) + 1; d > 0; --d) left = damage(broken, left);
        check_probe(broken, left, format, path);
    }
}

static void check_directory(const char *directory, shoal_format format)
{
    char path[512];
    DIR *dir = opendir(directory);
    CHECK(dir != NULL);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const shoal_format by_name = shoal_format_by_path(entry->d_name);
        const bool wanted = by_name == format || (by_name == 0 && strstr(entry->d_name, ".gz"));
        (void)snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (wanted) check_file(path, format);
    }
    (void)closedir(dir);
}

static void test_files(void)
{
    check_directory(SHOAL_TEST_DATA, SHOAL_FORMAT_SDF);
    check_directory(SHOAL_TEST_DATA, SHOAL_FORMAT_XYZ);
    check_directory(SHOAL_TEST_DATA, SHOAL_FORMAT_MOL2);
    check_directory(SHOAL_TEST_DATA "/../fuzz/corpus/sdf", SHOAL_FORMAT_SDF);
    check_directory(SHOAL_TEST_DATA "/../fuzz/corpus/xyz", SHOAL_FORMAT_XYZ);
    check_directory(SHOAL_TEST_DATA "/../fuzz/corpus/mol2", SHOAL_FORMAT_MOL2);
    check_directory(SHOAL_TEST_DATA "/../fuzz/corpus/gzip", SHOAL_FORMAT_XYZ);
}

/* A text and the records it falls into: "line:length " for each. */
static const struct {
    shoal_format format;
    const char *text, *want;
} cuts[] = {
    {SHOAL_FORMAT_SDF, "", ""},
    {SHOAL_FORMAT_SDF, "\n \n\t\r\n", ""},
    {SHOAL_FORMAT_SDF, "a\n$$$$\n", "1:7 "},
    {SHOAL_FORMAT_SDF, "a\r\n$$$$\r\nb\r\n$$$$", "1:9 3:7 "},
    {SHOAL_FORMAT_SDF, "a\n$$$$ and more\nb\n\n", "1:16 3:3 "},
    {SHOAL_FORMAT_SDF, "a\n $$$$\n$$$x\n$$$$\n\n\n", "1:18 "},
    {SHOAL_FORMAT_SDF, "\n\na\n$$$$\n\nb\n", "1:9 5:3 "},
    {SHOAL_FORMAT_XYZ, "1\n\nA\n1\n\nB\n\n", "1:5 4:5 "},
    {SHOAL_FORMAT_XYZ, "\n 2 \r\nc\nA\nB\n\n0\n\n1\nc\nC", "1:12 6:4 9:5 "},
    {SHOAL_FORMAT_XYZ, "1\n\nA\nx\n1\n\nB\n", "1:5 4:2 5:5 "},
    {SHOAL_FORMAT_XYZ, "3\n\nA\n", "1:5 "},
    {SHOAL_FORMAT_XYZ, "-1\n\nA\n", "1:6 "},
    {SHOAL_FORMAT_XYZ, "3\n\nA\n1\n7\nB\n", "1:5 4:6 "},
    {SHOAL_FORMAT_XYZ, "1\n\nA\n\nB 0 0 0\n\n1\n\nC\n", "1:15 7:5 "},
    {SHOAL_FORMAT_XYZ, "x\n2\nB 0 0 0\nB 0 0 0\ny\n\nC 0 0 0\n 1 \n\nD", "1:20 5:11 8:6 "},
    {SHOAL_FORMAT_XYZ, "99999999999\n1\nB\n2\n\nC\nD\n", "1:16 4:7 "},
    {SHOAL_FORMAT_MOL2, "#c\n@<TRIPOS>MOLECULE\na\n @<TRIPOS>MOLECULE \nb@\n#d\n", "1:23 4:26 "},
    {SHOAL_FORMAT_MOL2, "@<TRIPOS>MOLECULE\n@<TRIPOS>MOLECULES\nx", "1:38 "},
    {SHOAL_FORMAT_MOL2, "@<TRIPOS>MOLECULE\na\n@<TRIPOS>MOLECULE", "1:20 3:17 "},
};

static void check_cut(size_t k, int32_t max_records)
{
    char got[200] = "";
    size_t n = 0, done = 0;
    record_cutter *c;
    record_block b = {0};
    const char *text = cuts[k].text;
    CHECK(record_cutter_open_memory(&c, text, strlen(text), "text", cuts[k].format) == SHOAL_OK);
    for (;;) {
        CHECK(record_cutter_next(c, &b, max_records, 1000) == SHOAL_OK);
        if (b.n == 0) break;
        for (int32_t i = 0; i < b.n; ++i)
            n += (size_t)snprintf(got + n, sizeof got - n, "%d:%zu ", (int)b.lines[i],
                                  record_block_text(&b, i).size);
        CHECK(memcmp(b.text, text + done, b.size) == 0);
        done += b.size;
    }
    CHECK_TEXT(got, cuts[k].want);
    record_block_free(&b);
    record_cutter_destroy(c);
}

static void test_cuts(void)
{
    for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; ++k) {
        check_cut(k, 1);
        check_cut(k, 100);
    }
}

static void test_sizes_of_blocks(void)
{
    static const char text[] = "a\n$$$$\nb\n$$$$\nc\n$$$$\nd\n$$$$\n";
    record_cutter *c;
    record_block b = {0};
    CHECK(record_cutter_open_memory(&c, text, strlen(text), "a.sdf", SHOAL_FORMAT_AUTO) ==
          SHOAL_OK);
    CHECK(record_cutter_format(c) == SHOAL_FORMAT_SDF);
    CHECK_TEXT(record_cutter_label(c), "a.sdf");
    CHECK(record_cutter_next(c, &b, 100, 1) == SHOAL_OK && b.n == 1 && b.first == 0);
    CHECK(record_cutter_next(c, &b, 100, 8) == SHOAL_OK && b.n == 2 && b.first == 1);
    CHECK(record_cutter_next(c, &b, 1, 1000) == SHOAL_OK && b.n == 1 && b.first == 3);
    CHECK(b.lines[0] == 7 && b.starts[0] == 0 && b.starts[1] == 7);
    CHECK(record_cutter_next(c, &b, 1, 1000) == SHOAL_OK && b.n == 0 && b.first == 4);
    record_block_free(&b);
    record_cutter_destroy(c);
}

/* A record that never ends is given up at 1 GiB. The text is a mapping of zero pages, which takes no
 * memory. */
static void test_endless_record(void)
{
    const size_t size = ((size_t)1 << 30) + 4096;
    record_cutter *c;
    record_block b = {0};
    const int zero = open("/dev/zero", O_RDONLY);
    CHECK(zero >= 0);
    void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, zero, 0);
    CHECK(text != MAP_FAILED);
    (void)close(zero);
    if (text == MAP_FAILED) return;
    CHECK(record_cutter_open_memory(&c, text, size, "zero", SHOAL_FORMAT_SDF) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        CHECK(record_cutter_next(c, &b, 100, 100) == SHOAL_E_FORMAT && b.n == 0);
        CHECK_TEXT(shoal_error_text(),
                   "zero:1: record of more than 1073741824 bytes, expected its end");
    }
    record_block_free(&b);
    record_cutter_destroy(c);
    (void)munmap(text, size);
}

/* Whole records before the damage come first; the failure names the line it is at, and is final. */
static void test_damaged_gzip(void)
{
    char packed[4096];
    record_cutter *c;
    record_block b = {0};
    FILE *file = fopen(SHOAL_TEST_DATA "/../fuzz/corpus/gzip/two.gz", "rb");
    CHECK(file != NULL);
    if (!file) return;
    const size_t size = fread(packed, 1, sizeof packed, file);
    (void)fclose(file);
    CHECK(record_cutter_open_memory(&c, packed, size - 1, "two", SHOAL_FORMAT_XYZ) == SHOAL_OK);
    CHECK(record_cutter_next(c, &b, 100, 1000) == SHOAL_OK && b.n > 0);
    for (int k = 0; k < 2; ++k) {
        CHECK(record_cutter_next(c, &b, 100, 1000) == SHOAL_E_FORMAT && b.n == 0);
        CHECK(strstr(shoal_error_text(), ": truncated gzip data (") != NULL);
    }
    record_block_free(&b);
    record_cutter_destroy(c);
}

int main(void)
{
    test_cuts();
    test_sizes_of_blocks();
    test_endless_record();
    if (strstr(shoal_version_text(), "zlib")) test_damaged_gzip();
    test_files();
    return check_done();
}
