/* SPDX-License-Identifier: BSD-3-Clause
 * Growing texts, and frames that are formatted into them. */
#include <stdlib.h>
#include <unistd.h>

#include "io_fixture.h"
#include "shoal/text.h"

static const char path[] = "test_io_string.sdf";

static void test_pieces(void)
{
    shoal_string *s;
    CHECK(shoal_string_create(&s) == SHOAL_OK);
    CHECK_TEXT(shoal_string_data(s), "");
    CHECK(shoal_string_size(s) == 0 && shoal_string_status(s) == SHOAL_OK);
    shoal_string_put(s, "abc", 2);
    shoal_string_put_text(s, "/");
    shoal_string_put_number(s, -0.1);
    shoal_string_put_text(s, "/");
    shoal_string_put_integer(s, -42);
    shoal_string_put_text(s, "/");
    shoal_string_put_fixed(s, 3.14159, 8, 2);
    shoal_string_put_fixed(s, -7.0, 0, 0);
    shoal_string_put_fixed(s, 1234.5, 3, 1);
    shoal_string_put_fixed(s, 1e300, 8, 1);
    CHECK_TEXT(shoal_string_data(s), "ab/-0.1/-42/    3.14-71234.5  1e+300");
    CHECK(shoal_string_size(s) == strlen(shoal_string_data(s)));
    shoal_string_clear(s);
    CHECK_TEXT(shoal_string_data(s), "");
    for (int i = 0; i < 5000; ++i) shoal_string_put_text(s, "0123456789");
    CHECK(shoal_string_size(s) == 50000 && shoal_string_data(s)[50000] == '\0');
    CHECK(shoal_string_data(s)[49999] == '9' && shoal_string_status(s) == SHOAL_OK);
    shoal_string_destroy(s);
}

static void check_json(const char *text, const char *want)
{
    shoal_string *s;
    CHECK(shoal_string_create(&s) == SHOAL_OK);
    shoal_string_put_json(s, text);
    CHECK_TEXT(shoal_string_data(s), want);
    shoal_string_destroy(s);
}

static void test_json(void)
{
    check_json("", "\"\"");
    check_json("plain text", "\"plain text\"");
    check_json("a\"b\\c\n\x7f", "\"a\\\"b\\\\c\\u000a\\u007f\"");
    check_json("\x01\x1f", "\"\\u0001\\u001f\"");
    check_json("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f\"");
    check_json("\xff.\xc0\x80.\xed\xa0\x80.\xe2\x82",
               "\"\\ufffd.\\ufffd\\ufffd.\\ufffd\\ufffd\\ufffd.\\ufffd\\ufffd\"");
}

/* More than there is: what follows is dropped, and it is said once asked. */
static void test_no_memory(void)
{
    shoal_string *s;
    CHECK(shoal_string_create(&s) == SHOAL_OK);
    shoal_string_put_text(s, "abc");
    shoal_string_put(s, "", SIZE_MAX / 2);
    shoal_string_put_text(s, "def");
    CHECK(shoal_string_status(s) == SHOAL_E_MEMORY);
    CHECK(strstr(shoal_error_text(), "out of memory") != NULL);
    CHECK_TEXT(shoal_string_data(s), "abc");
    shoal_string_clear(s);
    shoal_string_put_text(s, "ghi");
    CHECK(shoal_string_status(s) == SHOAL_OK);
    CHECK_TEXT(shoal_string_data(s), "ghi");
    shoal_string_destroy(s);
}

static size_t read_back(char *text, size_t room)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    if (!file) return 0;
    const size_t n = fread(text, 1, room, file);
    (void)fclose(file);
    return n;
}

/* Formatted and appended is the same as put. */
static void test_frames(void)
{
    static char put[20000], appended[20000];
    const double energy = -1.25, forces[10][3] = {{1, 2, 3}};
    const shoal_frame frame = {.energy = &energy, .forces = forces, .status = "ok"};
    fixture f;
    shoal_writer *w;
    shoal_string *s;
    CHECK(shoal_string_create(&s) == SHOAL_OK);
    fixture_open_file(&f, SHOAL_TEST_DATA "/glycine.sdf");
    CHECK(fixture_next(&f) == SHOAL_OK && f.found && shoal_molecule_n_atoms(f.mol) == 10);
    CHECK(shoal_writer_open(&w, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_writer_put(w, f.mol, &frame) == SHOAL_OK);
    CHECK(shoal_writer_put(w, f.mol, NULL) == SHOAL_OK);
    CHECK(shoal_writer_close(w) == SHOAL_OK);
    shoal_writer_destroy(w);
    const size_t n = read_back(put, sizeof put);

    CHECK(shoal_frame_format(s, SHOAL_FORMAT_SDF, f.mol, &frame) == SHOAL_OK);
    CHECK(shoal_frame_format(s, SHOAL_FORMAT_SDF, f.mol, NULL) == SHOAL_OK);
    CHECK(shoal_string_size(s) == n && memcmp(shoal_string_data(s), put, n) == 0);
    CHECK(shoal_writer_open(&w, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    CHECK(shoal_writer_append(w, shoal_string_data(s), 1000) == SHOAL_OK);
    CHECK(shoal_writer_append(w, shoal_string_data(s) + 1000, n - 1000) == SHOAL_OK);
    CHECK(shoal_writer_append(w, "", 0) == SHOAL_OK);
    CHECK(shoal_writer_close(w) == SHOAL_OK);
    CHECK(shoal_writer_append(w, "x", 1) == SHOAL_E_ARGUMENT);
    shoal_writer_destroy(w);
    CHECK(read_back(appended, sizeof appended) == n && memcmp(appended, put, n) == 0);
    (void)unlink(path);
    shoal_string_destroy(s);
    fixture_close(&f);
}

/* Pieces smaller and larger than what a writer collects, in their order. */
static void test_large_pieces(void)
{
    enum { LARGE = 1 << 20 };
    shoal_writer *w = NULL;
    char *text = malloc(3 * LARGE), *got = malloc(3 * LARGE);
    const size_t sizes[] = {10, LARGE, 7, 300000, 1, LARGE / 2};
    size_t n = 0;
    CHECK(text && got && shoal_writer_open(&w, path, SHOAL_FORMAT_SDF) == SHOAL_OK);
    for (size_t i = 0; i < 3 * LARGE; ++i) text[i] = (char)('a' + i * 7 % 26 + i / 4099 % 3);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; n += sizes[k++])
        CHECK(shoal_writer_append(w, text + n, sizes[k]) == SHOAL_OK);
    CHECK(shoal_writer_close(w) == SHOAL_OK);
    shoal_writer_destroy(w);
    CHECK(read_back(got, 3 * LARGE) == n && memcmp(got, text, n) == 0);
    (void)unlink(path);
    free(text);
    free(got);
}

/* A molecule that is refused leaves nothing behind. */
static void test_refused(void)
{
    const double nowhere[3] = {(double)NAN, 0, 0};
    shoal_molecule *mol = NULL;
    shoal_string *s = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_string_create(&s) == SHOAL_OK);
    CHECK(shoal_frame_format(s, SHOAL_FORMAT_SMILES, mol, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_frame_format(s, SHOAL_FORMAT_AUTO, mol, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_add_atom(mol, 6, (const double[3]){0, 0, 0}) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 6, (const double[3]){1.5, 0, 0}) == SHOAL_OK);
    CHECK(shoal_frame_format(s, SHOAL_FORMAT_SDF, mol, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_molecule_set_position(mol, 1, nowhere) == SHOAL_OK);
    CHECK(shoal_frame_format(s, SHOAL_FORMAT_XYZ, mol, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_string_size(s) == 0);
    shoal_string_destroy(s);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_pieces();
    test_json();
    test_no_memory();
    test_frames();
    test_large_pieces();
    test_refused();
    return check_done();
}
