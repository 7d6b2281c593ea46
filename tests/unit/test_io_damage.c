/* SPDX-License-Identifier: BSD-3-Clause
 * Malformed records between good ones: each fails with a text of its own and costs no other. */
#include <unistd.h>

#include "io_fixture.h"

#define V2000 "  0  0  0  0  0  0  0  0999 V2000\n"
#define COUNTS "  1  0" V2000
#define ATOM "    0.0000    1.0000   -2.5000 C   0  0  0\n"
#define MOL(name) name "\n\n\n" COUNTS ATOM "M  END\n"
#define FIELD "> <a>\n1\n\n"
#define V3000 "\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 1 0\n"

/* A text and what becomes of its frames: names of good ones, "!" and the line for bad ones. */
typedef struct damage {
    const char *text, *want;
    const char *reason; /* a part of the first failure; may be NULL */
} damage;

static const damage xyz[] = {
    {"1\na\nH 0 0 0\nx3\nb\nH 0 0 0\n1\nc\nH 0 0 0\n", "a !4 c ",
     "bad first line of a frame ('x3')"},
    {"1\na\nH 0 0 0\n-1\nb\nH 0 0 0\n1\nc\nH 0 0 0\n", "a !4 c ", "('-1')"},
    {"1\na\nH 0 0 0\nx\n7\nH 0 0 0\n1\nc\nH 0 0 0\n", "a !4 c ", NULL},
    {"1\na\nH 0 0 0\nstray text\n1\nc\nH 0 0 0\n", "a !4 c ", "('stray text')"},
    {"1\na\nH 0 0 0\nx\nb\nH 0 0 0\ny\nb\nH 0 0 0\n1\nc\nH 0 0 0\n", "a !4 !7 c ", NULL},
    {"99999999999\nb\nH 0 0 0\n1\nc\nH 0 0 0\n", "!1 c ", "('99999999999')"},
    {"3\nb\nH 0 0 0\n1\nc\nH 0 0 0\n", "!3 c ", "end of record, expected the line of atom 2 of 3"},
    {"1\nb\nH 0 0 0\nH 0 0 1\n1\nc\nH 0 0 0\n", "!4 c ", "text behind the last atom ('H 0 0 1')"},
    {"1\nb\nH 0 0 0\n\nH 0 0 1\nH 0 0 2\n\n1\nc\nH 0 0 0\n", "!5 c ", "expected 1 atoms"},
    {"0\nb\nH 0 0 0\n1\nc\nH 0 0 0\n", "!3 c ", "expected 0 atoms"},
    {"1\n1\nH 0 0 0\n1\nc\nH 0 0 0\n", "1 c ", NULL},
    {"\n1\na\nH 0 0 0\n\n \n1\nc\nH 0 0 0\n\n", "a c ", NULL},
    {"1\r\nb\r\nH 0 nan 0\r\n1\r\nc\r\nH 0 0 0\r\n", "!3 c ", "bad coordinate ('nan')"},
    {"1\nb\nH 0 0 inf\n1\nc\nH 0 0 0\n", "!3 c ", "bad coordinate ('inf')"},
    {"1\nb\nQq 0 0 0\n1\nc\nH 0 0 0\n", "!3 c ", "unknown element ('Qq')"},
    {"1\nb\nH 0 0\n1\nc\nH 0 0 0\n", "!3 c ", "too few columns ('H 0 0')"},
    {"1\nb\nH\x1b[2J 0 0 0\x1b\n1\nc\nX\x1b 0 0 0\n", "!3 !6 ", "bad coordinate ('0\\x1b')"},
    {"1\nc\nH 0 0 0\n2\nb\nH 0 0 0", "c !6 ", "end of record, expected the line of atom 2 of 2"},
    {"1\nProperties=species:S:1:pos:R:3:uff_type:S:1\nH 0 0 0 \x1b[2J45678\n", "!3 ",
     "\\x1b[2J45678"},
};

static const damage sdf[] = {
    {MOL("a") "$$$$\n" MOL("b") "$$$$\n", "a b ", NULL},
    {MOL("a") "$$$$\n" MOL("b"), "a b ", NULL},
    {MOL("a") "$$$$\n" MOL("b") FIELD, "a b ", NULL},
    {MOL("a") "$$$$\n" MOL("b") "> <a>\n\n", "a b ", NULL},
    {MOL("a") "$$$$\n" MOL("b") "> <a>\n1\n", "a !15 ",
     "expected the rest of a data field, or '$$$$'"},
    {MOL("a") "$$$$\n" MOL("b") "> <a>\n", "a !14 ", NULL},
    {MOL("a") "$$$$\nb\n\n\n" COUNTS ATOM, "a !12 ", "end of record, expected 'M  END'"},
    {MOL("a") "$$$$\nb\n\n\n" COUNTS, "a !11 ", "expected the line of atom 1 of 1"},
    {MOL("a") "$$$$\nb\n", "a !8 ", "expected the counts line of a record"},
    {MOL("a") MOL("b") "$$$$\n" MOL("c") "$$$$\n", "a b c ", NULL},
    {MOL("a") FIELD MOL("b") "$$$$\n", "a b ", NULL},
    {MOL("a") FIELD MOL("b") FIELD FIELD MOL("c"), "a b c ", NULL},
    {MOL("a") FIELD "\n" MOL("b") "$$$$\n", "a b ", NULL},
    {"a\n\n\n" COUNTS ATOM MOL("b") "$$$$\n", "!5 b ", "end of record, expected 'M  END'"},
    {"a\n\n\n" COUNTS MOL("b") "$$$$\n", "!4 b ", "the line of atom 1 of 1"},
    {"a\n\n\n  9  9" V2000 ATOM ATOM MOL("b") "$$$$\n", "!6 b ", "the line of atom 3 of 9"},
    {"a\n\n\n -1  0" V2000 ATOM "M  END\n" MOL("b") "$$$$\n", "!4 b ", "bad counts line"},
    {"a\n" V3000 MOL("b") "$$$$\n", "!6 b ", NULL},
    {MOL("a") "> <mol>\n" MOL("x") "\n$$$$\n" MOL("b") "$$$$\n", "a b ", NULL},
    {MOL("a") "> <mol>\n\n" MOL("x") "\n" FIELD "$$$$\n" MOL("b") "$$$$\n", "a b ", NULL},
    {MOL("a") "> <mols>\ntwo:\n" MOL("x") MOL("y") "\n$$$$\n" MOL("b") "$$$$\n", "a b ", NULL},
    {"a\n\n" COUNTS ATOM "M  END\n$$$$\n" MOL("b") "$$$$\n", "!4 b ", NULL},
    {"a\n\n\n\n" COUNTS ATOM "M  END\n$$$$\n" MOL("b") "$$$$\n", "!4 b ", NULL},
    {"garbage\n$$$$\n" MOL("b") "$$$$\n", "!2 b ", NULL},
    {"a\r\n\r\n\r\n  1  0  0  0  0  0  0  0  0  0999 V2000\r\nb\r\n\r\n\r\n"
     "  0  0  0  0  0  0  0  0  0  0999 V2000\r\nM  END\r\n$$$$\r\n",
     "!4 b ", NULL},
};

static const damage mol2[] = {
    {"@<TRIPOS>MOLECULE\na\n1 0\nSMALL\nNO_CHARGES\n@<TRIPOS>ATOM\n@<TRIPOS>MOLECULE\nb\n0 0\n",
     "!6 b ", "expected 1 atoms and 0 bonds, found 0 and 0"},
    {"@<TRIPOS>MOLECULE\na\nx\n@<TRIPOS>MOLECULE\nb\n0 0\n", "!3 b ", "bad counts line ('x')"},
};

static void check_no_controls(const char *text)
{
    for (const char *p = text; *p; ++p) CHECK((unsigned char)*p >= ' ' && *p != 0x7f);
}

/* Appends what became of the next frame to got; false at the end. */
static bool next_frame(fixture *f, char *got, size_t size, const damage *row, bool *failed)
{
    int line = 0;
    const size_t n = strlen(got);
    const shoal_status status = shoal_reader_next(f->reader, f->mol, &f->found);
    if (status == SHOAL_OK) {
        if (f->found) (void)snprintf(got + n, size - n, "%s ", shoal_molecule_name(f->mol));
        return f->found;
    }
    CHECK(status == SHOAL_E_FORMAT && !f->found);
    check_no_controls(shoal_error_text());
    CHECK(sscanf(shoal_error_text(), "te\\x1bxt:%d: ", &line) == 1);
    (void)snprintf(got + n, size - n, "!%d ", line);
    if (!*failed && row->reason && !strstr(shoal_error_text(), row->reason)) {
        CHECK_TEXT(shoal_error_text(), row->reason);
    }
    *failed = true;
    return true;
}

static void check_rows(const damage *rows, size_t n, shoal_format format)
{
    for (size_t i = 0; i < n; ++i) {
        fixture f = {0};
        char got[128] = "";
        bool failed = false;
        CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
        CHECK(shoal_reader_open_memory(&f.reader, rows[i].text, strlen(rows[i].text), "te\x1bxt",
                                       format) == SHOAL_OK);
        while (strlen(got) < 100 && next_frame(&f, got, sizeof got, &rows[i], &failed)) continue;
        CHECK_TEXT(got, rows[i].want);
        fixture_end(&f);
    }
}

/* A record with a NUL byte fails alone. */
static void test_nul(void)
{
    static const char text[] = "1\na\nH 0 0 0\n1\nb\nH 0\0 0 0\n1\nc\nH 0 0 0\n";
    fixture f = {0};
    CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
    CHECK(shoal_reader_open_memory(&f.reader, text, sizeof text - 1, "text", SHOAL_FORMAT_XYZ) ==
          SHOAL_OK);
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK(fixture_next(&f) == SHOAL_E_FORMAT && !f.found);
    CHECK_TEXT(shoal_error_text(),
               "text:6: binary data ('H 0\\x00 0 0'), expected text without NUL bytes");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), "c");
    fixture_end(&f);
}

/* A frame that came through a pipe is there without waiting for the next. */
static void test_pipe(void)
{
    static const char frame[] = "1\na\nH 0 0 0\n";
    int ends[2];
    fixture f = {0};
    CHECK(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
    CHECK(write(ends[1], frame, sizeof frame - 1) > 0);
    CHECK(shoal_reader_open(&f.reader, "-", SHOAL_FORMAT_XYZ) == SHOAL_OK);
    for (int k = 0; k < 2; ++k) {
        CHECK(fixture_next(&f) == SHOAL_OK && f.found);
        CHECK(write(ends[1], frame, sizeof frame - 1) > 0);
    }
    CHECK(write(ends[1], "H 0 0 1\n", 8) == 8);
    CHECK(close(ends[1]) == 0);
    CHECK(fixture_next(&f) == SHOAL_E_FORMAT);
    fixture_end(&f);
    (void)close(ends[0]);
}

int main(void)
{
    (void)alarm(60); /* a wait that does not end */
    check_rows(xyz, sizeof xyz / sizeof xyz[0], SHOAL_FORMAT_XYZ);
    check_rows(sdf, sizeof sdf / sizeof sdf[0], SHOAL_FORMAT_SDF);
    check_rows(mol2, sizeof mol2 / sizeof mol2[0], SHOAL_FORMAT_MOL2);
    test_nul();
    test_pipe();
    return check_done();
}
