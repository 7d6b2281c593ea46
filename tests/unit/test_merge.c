/* SPDX-License-Identifier: BSD-3-Clause
 * Merging: order, gaps, systems that are there again, and what is refused. */
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "shoal/shoal.h"

static char folder[64];

/* The path of a file of the test's folder; as many as a function has are in use at a time. */
static const char *path(const char *name)
{
    static char paths[16][128];
    static int at;
    char *out = paths[at++ % 16];
    (void)snprintf(out, sizeof paths[0], "%s/%s", folder, name);
    return out;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(path(name), "wb");
    CHECK(file != NULL);
    if (!file) return;
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
}

static const char *get(const char *name)
{
    static char text[4096];
    FILE *file = fopen(path(name), "rb");
    size_t n = 0;
    if (file) n = fread(text, 1, sizeof text - 1, file), (void)fclose(file);
    text[n] = '\0';
    return text;
}

/* Merges the texts a and b (or a alone) as files of an ending. */
static shoal_status merge(const char *ending, const char *a, const char *b, shoal_merge_report *r)
{
    char first[32], second[32], out[32];
    (void)snprintf(first, sizeof first, "a.%s", ending);
    (void)snprintf(second, sizeof second, "b.%s", ending);
    (void)snprintf(out, sizeof out, "out.%s", ending);
    put(first, a);
    if (b) put(second, b);
    (void)remove(path(out));
    const char *const files[] = {path(first), path(second)};
    return shoal_merge(path(out), files, b ? 2 : 1, r);
}

static void check_report(const shoal_merge_report *r, int n_systems, int n_again, int n_missing,
                         int first_missing)
{
    CHECK(r->n_systems == n_systems && r->n_again == n_again);
    CHECK(r->n_missing == n_missing && r->first_missing == first_missing);
}

static const char *line(int index)
{
    static char lines[8][32];
    (void)snprintf(lines[index], sizeof lines[0], "{\"index\":%d,\"x\":%d}\n", index, 7 * index);
    return lines[index];
}

/* The lines of systems named by their digits: "024". */
static const char *lines_of(const char *digits, int slot)
{
    static char text[2][512];
    text[slot][0] = '\0';
    for (; *digits; ++digits) strcat(text[slot], line(*digits - '0'));
    return text[slot];
}

static void test_lines(void)
{
    static const struct {
        const char *a, *b, *all;
        int n_again, n_missing, first_missing;
    } cases[] = {{"024", "13", "01234", 0, 0, -1}, {"012", "23", "0123", 1, 0, -1},
                 {"03", "5", "035", 0, 3, 1},      {"2", "3", "23", 0, 2, 0},
                 {"13", "135", "135", 2, 3, 0},    {"02", NULL, "02", 0, 1, 1},
                 {"", "01", "01", 0, 0, -1},       {"012", "012", "012", 3, 0, -1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_merge_report r;
        CHECK(merge("jsonl", lines_of(cases[k].a, 0), cases[k].b ? lines_of(cases[k].b, 1) : NULL,
                    &r) == SHOAL_OK);
        check_report(&r, (int)strlen(cases[k].all), cases[k].n_again, cases[k].n_missing,
                     cases[k].first_missing);
        CHECK_TEXT(get("out.jsonl"), lines_of(cases[k].all, 0));
    }
    shoal_merge_report r;
    CHECK(merge("jsonl", "{\"index\":9}\n{\"index\":110}\n", "{\"index\":11}\n", &r) == SHOAL_OK);
    check_report(&r, 3, 0, 108, 0);
    CHECK_TEXT(get("out.jsonl"), "{\"index\":9}\n{\"index\":11}\n{\"index\":110}\n");
    /* Variants of many records have long numbers. */
    CHECK(merge("jsonl", "{\"index\":1099511627776}\n", "{\"index\":1099511627778}\n", &r) ==
          SHOAL_OK);
    CHECK(r.n_missing == INT64_C(1099511627777) && r.first_missing == 0);
    CHECK(merge("jsonl", "{\"index\":99999999999999998}\n", "{\"index\":99999999999999999}\n",
                &r) == SHOAL_OK &&
          r.n_missing == INT64_C(99999999999999998));
}

/* What is not as a run of Shoal writes it; nothing is left under the output's name. */
static void test_refused(void)
{
    shoal_merge_report r;
    CHECK(merge("jsonl", lines_of("10", 0), NULL, &r) == SHOAL_E_FORMAT);
    CHECK(merge("jsonl", lines_of("11", 0), NULL, &r) == SHOAL_E_FORMAT);
    CHECK(merge("jsonl", lines_of("01", 0), "{\"index\":1,\"x\":8}\n", &r) == SHOAL_E_FORMAT);
    CHECK(merge("jsonl", lines_of("01", 0), "{\"index\":1,\"x\":77}\n", &r) == SHOAL_E_FORMAT);
    CHECK(merge("jsonl", "{\"x\":1}\n", NULL, &r) == SHOAL_E_FORMAT);
    CHECK(merge("jsonl", "{\"index\":}\n", NULL, &r) == SHOAL_E_FORMAT);
    CHECK(merge("xyz", "1\nshoal_index=0\nH 0 0 0\n1\nno number\nH 0 0 0\n", NULL, &r) ==
          SHOAL_E_FORMAT);
    CHECK(merge("xyz", "1\nno number\nH 0 0 0 shoal_index=0\n", NULL, &r) == SHOAL_E_FORMAT);
    CHECK(access(path("out.jsonl"), F_OK) != 0 && access(path("out.xyz"), F_OK) != 0);
}

/* Frames of a system lie behind each other; the number is looked for in the comment alone. */
static void test_frames(void)
{
    static const char a[] = "1\nshoal_index=0 frame=0\nH 0 0 0\n1\nshoal_index=0 frame=1\nH 0 0 1\n"
                            "1\nframe=0 shoal_index=2\nH 0 0 2\n";
    static const char b[] = "1\nshoal_index=1\nH 0 0 3\n";
    char want[256];
    shoal_merge_report r;
    CHECK(merge("xyz", a, b, &r) == SHOAL_OK);
    check_report(&r, 3, 0, 0, -1);
    const char *last = strstr(a, "1\nframe=0 shoal_index=2");
    (void)snprintf(want, sizeof want, "%.*s%s%s", (int)(last - a), a, b, last);
    CHECK_TEXT(get("out.xyz"), want);
    CHECK(merge("xyz", b, b, &r) == SHOAL_OK);
    check_report(&r, 1, 1, 1, 0);
}

/* Tables with each set of columns that a run can have, and a name with a line feed in quotes. */
static void test_tables(void)
{
    shoal_string *header = NULL;
    CHECK(shoal_string_create(&header) == SHOAL_OK);
    for (int k = 0; k < 8; ++k) {
        const shoal_results_what what = {
            .variants = k & 1, .adsorption = (k & 2) != 0, .directions = (k & 4) != 0};
        char a[1024], b[1024], want[2048];
        shoal_merge_report r;
        shoal_string_clear(header);
        shoal_results_csv_header(&what, header);
        (void)snprintf(a, sizeof a, "%s0,x\n2,\"a\n1,\"\"b\"\n", shoal_string_data(header));
        (void)snprintf(b, sizeof b, "%s1,y\n", shoal_string_data(header));
        (void)snprintf(want, sizeof want, "%s0,x\n1,y\n2,\"a\n1,\"\"b\"\n",
                       shoal_string_data(header));
        CHECK(merge("csv", a, b, &r) == SHOAL_OK);
        check_report(&r, 3, 0, 0, -1);
        CHECK_TEXT(get("out.csv"), want);
    }
    CHECK(merge("csv", "index,file\n0,x\n", NULL, NULL) == SHOAL_E_FORMAT);
    shoal_string_destroy(header);
}

static void test_files(void)
{
    put("a.jsonl", lines_of("0", 0));
    put("a.xyz", "1\nshoal_index=0\nH 0 0 0\n");
    const char *const mixed[] = {path("a.jsonl"), path("a.xyz")};
    const char *const nameless[] = {path("a.jsonl"), NULL};
    const char *const unknown[] = {path("a.txt")};
    CHECK(shoal_merge(path("out.jsonl"), mixed, 2, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_merge(path("out.sdf"), mixed + 1, 1, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_merge(path("out.xyz"), mixed, 1, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_merge(path("out.txt"), unknown, 1, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_merge(path("out.jsonl"), nameless, 2, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_merge(path("out.jsonl"), mixed, 0, NULL) == SHOAL_E_ARGUMENT);
    put("c.jsonl", lines_of("0", 0));
    const char *const own[] = {path("c.jsonl")};
    (void)remove(path("link.jsonl"));
    CHECK(link(own[0], path("link.jsonl")) == 0);
    CHECK(shoal_merge(own[0], own, 1, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_merge(path("link.jsonl"), own, 1, NULL) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(get("c.jsonl"), line(0));
}

int main(void)
{
    static const char *const names[] = {"a.jsonl",    "b.jsonl", "out.jsonl", "c.jsonl",
                                        "link.jsonl", "a.xyz",   "b.xyz",     "out.xyz",
                                        "a.csv",      "b.csv",   "out.csv"};
    (void)snprintf(folder, sizeof folder, "merge_XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    test_lines();
    test_refused();
    test_frames();
    test_tables();
    test_files();
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) (void)remove(path(names[k]));
    CHECK(rmdir(folder) == 0);
    return check_done();
}
