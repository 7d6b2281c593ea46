/* SPDX-License-Identifier: BSD-3-Clause
 * Columns of V2000 lines: the quick way that takes the usual forms, and the careful one for all others,
 * must read what stands there or refuse it, whatever it looks like. */
#include "base/text.h"
#include "io_fixture.h"

static uint64_t state = 17;

static size_t random_below(size_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((state >> 33) % n);
}

/* A number as programs write it, now and then with a character changed. */
static void make_number(char *to, int width, int decimals)
{
    char text[64];
    static const char odd[] = " -.+05e9:/\t*";
    const double x = ((double)random_below(2000001) - 1e6) * pow(0.1, (double)random_below(6));
    if (decimals > 0)
        (void)snprintf(text, sizeof text, "%*.*f", width, decimals, x);
    else
        (void)snprintf(text, sizeof text, "%*zu", width, random_below(4));
    memcpy(to, text, (size_t)width);
    if (random_below(3) == 0) to[random_below((size_t)width)] = odd[random_below(sizeof odd - 1)];
    if (random_below(9) == 0) memmove(to, to + 1, (size_t)width - 1);
}

static void check_atom(void)
{
    char text[200];
    double want[3];
    fixture f;
    bool good = true;
    (void)snprintf(text, sizeof text,
                   "x\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n%30s C   0  0\n"
                   "M  END\n$$$$\n",
                   "");
    char *columns = strstr(text, "V2000\n") + 6;
    for (size_t k = 0; k < 3; ++k) {
        make_number(columns + 10 * k, 10, 4);
        good = good &&
               shoal_text_double(shoal_span_columns((shoal_span){columns, 30}, 10 * k, 10 * k + 10),
                                 &want[k]);
    }
    fixture_open(&f, text, SHOAL_FORMAT_SDF);
    CHECK((shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_OK) == good);
    if (good) CHECK(memcmp(shoal_molecule_positions(f.mol)[0], want, sizeof want) == 0);
    if (good != f.found || (good && memcmp(shoal_molecule_positions(f.mol)[0], want, sizeof want)))
        (void)printf("'%.30s' %s\n", columns, shoal_error_text());
    fixture_close(&f);
}

static void check_bond(void)
{
    char text[300], *columns;
    int32_t want[3];
    fixture f;
    bool good = true;
    (void)snprintf(text, sizeof text,
                   "x\n\n\n  2  1  0  0  0  0  0  0  0  0999 V2000\n"
                   "    0.0000    0.0000    0.0000 C   0  0\n"
                   "    1.0000    0.0000    0.0000 C   0  0\n%9s  0\n"
                   "M  END\n$$$$\n",
                   "");
    columns = strstr(text, "           0\n");
    for (size_t k = 0; k < 3; ++k) {
        make_number(columns + 3 * k, 3, 0);
        good =
            good && shoal_text_int(shoal_span_columns((shoal_span){columns, 9}, 3 * k, 3 * k + 3),
                                   &want[k]);
    }
    good = good && want[0] >= 1 && want[0] <= 2 && want[1] >= 1 && want[1] <= 2 &&
           want[0] != want[1] && ((want[2] >= 1 && want[2] <= 4) || want[2] == 9);
    fixture_open(&f, text, SHOAL_FORMAT_SDF);
    CHECK((shoal_reader_next(f.reader, f.mol, &f.found) == SHOAL_OK) == good);
    if (good != f.found) (void)printf("'%.9s' %s\n", columns, shoal_error_text());
    if (good && f.found) {
        const shoal_bond *b = shoal_molecule_bonds(f.mol);
        CHECK(b->i + 1 == want[0] && b->j + 1 == want[1] && b->order == want[2]);
    }
    fixture_close(&f);
}

/* Symbols in three columns and charge codes, in usual and unusual places. */
static void test_symbols(void)
{
    static const struct {
        const char *columns; /* from the 31st on */
        int32_t z, charge;
    } cases[] = {
        {" C   0  0", 6, 0}, {" Cl  0  0", 17, 0}, {" cL  0  5", 17, -1},   {"  C  0  3", 6, 1},
        {" C", 6, 0},        {" D   0  0", 1, 0},  {" T  -1  0", 1, 0},     {" C   0   ", 6, 0},
        {" C   0 3", 6, 1},  {"xC   0  0", 6, 0},  {" Na  0  3  0", 11, 1}, {" Xx  0  0", 0, 0},
        {" C   0  8", 0, 0}, {" C   0 -1", 0, 0},  {" C1  0  0", 0, 0},     {" Cab 0  0", 0, 0},
        {"", 0, 0},          {" C   0007", 6, -3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[200];
        fixture f;
        (void)snprintf(
            text, sizeof text,
            "x\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n%10.4f%10.4f%10.4f%s\nM  END\n", 1.0,
            2.0, 3.0, cases[i].columns);
        fixture_open(&f, text, SHOAL_FORMAT_SDF);
        CHECK((fixture_next(&f) == SHOAL_OK) == (cases[i].z > 0));
        if (cases[i].z > 0) {
            CHECK(shoal_molecule_elements(f.mol)[0] == cases[i].z);
            CHECK(shoal_molecule_formal_charges(f.mol)[0] == cases[i].charge);
        }
        fixture_close(&f);
    }
}

/* Each pair of atoms once, in either order. */
static void test_bonds_twice(void)
{
    static const char *const second[] = {"  1  2  1  0", "  2  1  1  0", "  1  2  2", "1  2  1"};
    for (size_t i = 0; i < sizeof second / sizeof second[0]; ++i) {
        char text[300];
        fixture f;
        (void)snprintf(text, sizeof text,
                       "x\n\n\n  2  2  0  0  0  0  0  0  0  0999 V2000\n"
                       "    0.0000    0.0000    0.0000 C   0  0\n"
                       "    1.0000    0.0000    0.0000 C   0  0\n  1  2  1  0\n%s\nM  END\n",
                       second[i]);
        fixture_open(&f, text, SHOAL_FORMAT_SDF);
        CHECK(fixture_next(&f) == SHOAL_E_FORMAT);
        CHECK(strstr(shoal_error_text(), i < 3 ? "text:8: bad bond (" : "text:8: ") != NULL);
        fixture_close(&f);
    }
}

/* A NUL byte is refused in a line of the usual form as well. */
static void test_binary(void)
{
    static const char text[] = "x\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n"
                               "    0.0000    0.0000    0.0000 C   0  0  0\0\nM  END\n";
    fixture f = {0};
    CHECK(shoal_molecule_create(&f.mol) == SHOAL_OK);
    CHECK(shoal_reader_open_memory(&f.reader, text, sizeof text - 1, "text", SHOAL_FORMAT_SDF) ==
          SHOAL_OK);
    CHECK(fixture_next(&f) == SHOAL_E_FORMAT);
    CHECK(strstr(shoal_error_text(), "text:5: binary data") != NULL);
    fixture_close(&f);
}

int main(void)
{
    for (int i = 0; i < 20000; ++i) check_atom();
    for (int i = 0; i < 20000; ++i) check_bond();
    test_symbols();
    test_bonds_twice();
    test_binary();
    return check_done();
}
