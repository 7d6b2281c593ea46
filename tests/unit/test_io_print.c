/* SPDX-License-Identifier: BSD-3-Clause
 * Printing numbers: the fewest digits that read back as the same bits, in every locale; columns. */
#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>

#include "base/text.h"
#include "check.h"

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static int count_significant(const char *text)
{
    int n = 0, zeros = 0;
    for (; *text && *text != 'e'; ++text) {
        if (*text == '0') zeros += n > 0;
        if (*text < '1' || *text > '9') continue;
        n += zeros + 1;
        zeros = 0;
    }
    return n;
}

static void check_number(double x)
{
    char text[SHOAL_NUMBER_SIZE];
    double back = -12345.0;
    const size_t n = shoal_text_print(text, x);
    CHECK(n == strlen(text) && n <= 26);
    CHECK(shoal_text_double((shoal_span){text, n}, &back) && to_bits(back) == to_bits(x));
    if (to_bits(back) != to_bits(x)) (void)printf("%.17g printed as %s\n", x, text);
}

/* As many digits as printed are the closest to x, and one less would read back as another number. Powers
 * of two, whose neighbours are not equally far, may differ in the first. printf and strtod are the
 * witnesses. */
static void check_shortest(double x)
{
    char text[SHOAL_NUMBER_SIZE], witness[64];
    check_number(x);
    (void)shoal_text_print(text, x);
    const int n = count_significant(text);
    (void)snprintf(witness, sizeof witness, "%.*e", n - 1, x);
    CHECK(strtod(text, NULL) == x && strtod(witness, NULL) == x);
    if (n == 1) return;
    (void)snprintf(witness, sizeof witness, "%.*e", n - 2, x);
    CHECK(strtod(witness, NULL) != x);
}

static void test_random(void)
{
    uint64_t state = 7;
    for (int i = 0; i < 20000; ++i) {
        const double any = from_bits(next_random(&state));
        const double unit = (double)(next_random(&state) >> 11) * 0x1p-53 + 0x1p-60;
        if (isfinite(any)) check_shortest(any);
        check_shortest((unit - 0.5) * 40.0);
        check_shortest(unit * pow(10.0, (double)(next_random(&state) % 26) - 8.0));
        check_number(rint(unit * 1e6) / 1e4);
        check_shortest(from_bits((next_random(&state) >> 12) + 1)); /* subnormal */
    }
}

/* Around powers of two and of ten, where exponents and numbers of digits change. */
static void test_borders(void)
{
    char text[32];
    for (int e = -1074; e < 1024; ++e)
        for (uint64_t k = 0; k < 5; ++k)
            check_number(from_bits(to_bits(ldexp(1.0, e)) + k - (e > -1073 ? 2 : 0)));
    for (int e = -323; e <= 308; ++e) {
        for (int d = 1; d < 10; ++d) {
            (void)snprintf(text, sizeof text, "%de%d", d, e);
            const double x = strtod(text, NULL);
            if (!isfinite(x)) continue;
            for (uint64_t k = 0; k < 3; ++k)
                if (to_bits(x) > 1) check_number(from_bits(to_bits(x) + k - 1));
            check_shortest(x);
        }
    }
    for (int k = 0; k < 53; ++k) check_number((double)(UINT64_C(1) << 53) - 1.0 - ldexp(1.0, k));
    check_number(0.0);
    check_number(-0.0);
    check_number(DBL_MAX);
    check_number(-DBL_MAX);
    check_number(DBL_MIN);
    check_number(DBL_TRUE_MIN);
}

static const struct {
    double value;
    const char *text;
} cases[] = {{0.0, "0"},
             {-0.0, "-0"},
             {1.0, "1"},
             {-1.25, "-1.25"},
             {0.1, "0.1"},
             {9.0, "9"},
             {10.0, "10"},
             {99.0, "99"},
             {99.5, "99.5"},
             {-7.0, "-7"},
             {100.0, "100"},
             {120.5, "120.5"},
             {0.000123, "0.000123"},
             {1e-6, "0.000001"},
             {-1.5e-6, "-0.0000015"},
             {9.999e-7, "9.999e-07"},
             {1e-7, "1e-07"},
             {123456789012345.0, "123456789012345"},
             {999999999999999.9, "999999999999999.9"},
             {1e15, "1e+15"},
             {1234567890123456.0, "1.234567890123456e+15"},
             {1e22, "1e+22"},
             {1e23, "1e+23"},
             {9007199254740993.0, "9.007199254740992e+15"},
             {5e-324, "5e-324"},
             {-1.7976931348623157e308, "-1.7976931348623157e+308"},
             {2.2250738585072014e-308, "2.2250738585072014e-308"},
             {0.1 + 0.2, "0.30000000000000004"},
             {(double)NAN, "nan"},
             {(double)INFINITY, "inf"},
             {-(double)INFINITY, "-inf"}};

static void test_texts(void)
{
    char text[SHOAL_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        CHECK(shoal_text_print(text, cases[i].value) == strlen(cases[i].text));
        CHECK_TEXT(text, cases[i].text);
    }
}

/* Where a locale writes 1,5 the same must come out. */
static void test_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "cs_CZ.UTF-8"};
    double x;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (!setlocale(LC_ALL, names[i])) continue;
        test_texts();
        CHECK(shoal_text_double(shoal_span_of("0.30000000000000004441"), &x) && x == 0.1 + 0.2);
    }
    (void)setlocale(LC_ALL, "C");
}

static void check_integer(int64_t value)
{
    char text[SHOAL_NUMBER_SIZE], want[32];
    (void)snprintf(want, sizeof want, "%" PRId64, value);
    CHECK(shoal_text_print_integer(text, value) == strlen(want));
    CHECK_TEXT(text, want);
}

static void test_integers(void)
{
    uint64_t state = 3;
    for (int64_t p = 1; p > 0 && p < INT64_MAX / 10; p *= 10)
        for (int64_t d = -1; d <= 1; ++d) check_integer(p + d), check_integer(-p + d);
    for (int64_t d = 0; d < 10000; ++d) check_integer(d * 10000 + 9999 - d);
    check_integer(INT64_MAX);
    check_integer(INT64_MIN);
    for (int i = 0; i < 1000; ++i) check_integer((int64_t)next_random(&state) >> i % 64);
}

/* |x| 10^decimals, rounded, with the point put in. */
static void expect_fixed(char *want, size_t size, double x, int decimals)
{
    const int64_t unit = (int64_t)llround(pow(10.0, decimals));
    const int64_t scaled = (int64_t)llround(fabs(x) * (double)unit);
    const char *sign = x < 0 && scaled > 0 ? "-" : "";
    size_t n = (size_t)snprintf(want, size, "%s%" PRId64, sign, scaled / unit);
    if (decimals > 0) want[n++] = '.';
    for (int64_t place = unit / 10; place > 0; place /= 10)
        want[n++] = (char)('0' + scaled / place % 10);
    want[n] = '\0';
}

static void check_fixed(double x)
{
    char text[SHOAL_NUMBER_SIZE], want[64], columns[64];
    for (int decimals = 0; decimals <= 9; ++decimals) {
        if (!(fabs(x) * pow(10.0, decimals) < 1e15)) continue;
        expect_fixed(want, sizeof want, x, decimals);
        CHECK(shoal_text_print_fixed(text, x, decimals) == strlen(want));
        CHECK_TEXT(text, want);
    }
    expect_fixed(want, sizeof want, x, 4);
    (void)snprintf(columns, sizeof columns, "%10s", want);
    memset(text, '?', sizeof text);
    const bool fits = fabs(x) < 9999.9999;
    CHECK(shoal_text_coordinate(text, x) == fits);
    CHECK(text[10] == '?' && memcmp(text, fits ? columns : "??????????", 10) == 0);
}

static void test_fixed(void)
{
    static const double values[] = {0,       0.00004, 0.00005,    0.5,        9.99994,   9.99995,
                                    99.9999, 99.9996, 999.99994,  999.99996,  1000,      9999.99984,
                                    9999.99, 12345.6, 99999.9999, 1234567.89, 1e9 + 0.5, 4e14};
    char text[SHOAL_NUMBER_SIZE];
    uint64_t state = 5;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        check_fixed(values[i]);
        check_fixed(-values[i]);
    }
    for (int i = 0; i < 20000; ++i)
        check_fixed(ldexp((double)(int64_t)next_random(&state), -50 - i % 16));
    (void)shoal_text_print_fixed(text, 1e300, 2);
    CHECK_TEXT(text, "1e+300");
    (void)shoal_text_print_fixed(text, (double)NAN, 2);
    CHECK_TEXT(text, "nan");
    CHECK(!shoal_text_coordinate(text, (double)NAN));
}

int main(void)
{
    test_random();
    test_borders();
    test_texts();
    test_locale();
    test_integers();
    test_fixed();
    return check_done();
}
