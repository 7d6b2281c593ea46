/* SPDX-License-Identifier: BSD-3-Clause
 * Reading numbers: strict and correctly rounded. */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "check.h"

static void check_number(const char *text, double want)
{
    double got = -12345.0;
    CHECK(shoal_text_double(shoal_span_of(text), &got));
    ++check_count;
    if (memcmp(&got, &want, sizeof got) == 0) return;
    ++check_failures;
    (void)printf("%s read as %.17g, expected %.17g\n", text, got, want);
}

static void test_good_numbers(void)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "1",
                                        "+1",
                                        "-1.5",
                                        ".5",
                                        "5.",
                                        "0.1",
                                        "123456789012345",
                                        "9007199254740993",
                                        "1e22",
                                        "1e23",
                                        "8.5e-7",
                                        "1E+05",
                                        "1e-400",
                                        "4.9406564584124654e-324",
                                        "2.2250738585072011e-308",
                                        "1.7976931348623157e308",
                                        "0.3000000000000000444089209850062616",
                                        "9007199254740992.999999999999999999999",
                                        "00000000000000000000000000000000.1",
                                        "100000000000000000000000000000000000000000e-41",
                                        "0.000000000000000000000000000001e30",
                                        "7.2057594037927933e16",
                                        "123456789.123456789e-30",
                                        "179769313486231570000e288"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        check_number(texts[i], strtod(texts[i], NULL));
    check_number("1.5d3", 1500.0);
    check_number("1.5D-3", 1.5e-3);
    check_number("1e00000000000000000000000000000000002", 100.0);
    check_number("0e999999999999", 0.0);
}

static void test_bad_numbers(void)
{
    static const char *const texts[] = {
        "",      "-",   "+",  ".",   "e5",  "1e",        "1e+",
        "1.2.3", "1x",  "x1", "nan", "inf", "-infinity", "1e309",
        "0x10",  "1,5", " 1", "1 ",  "--1", "1e5.0",     "1e999999999999999999",
        "12-3"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        double x;
        CHECK(!shoal_text_double(shoal_span_of(texts[i]), &x));
    }
}

/* A rounding decided by a digit far beyond the 17th. */
static void test_long_number(void)
{
    char text[2000];
    double x = 0;
    memset(text, '0', sizeof text);
    memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55);
    CHECK(shoal_text_double((shoal_span){text, 55}, &x) && x == 1.0);
    text[1900] = '1';
    CHECK(shoal_text_double((shoal_span){text, sizeof text}, &x) && x == 1.0 + DBL_EPSILON);
    memset(text, '9', sizeof text);
    CHECK(!shoal_text_double((shoal_span){text, sizeof text}, &x));
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* Against strtod: up to 20 digits at all exponents, and halves between two numbers, which round to even. */
static void test_random_numbers(void)
{
    uint64_t state = 23;
    char text[64];
    for (int i = 0; i < 100000; ++i) {
        const uint64_t digits = next_random(&state) >> next_random(&state) % 64;
        const int exponent = (int)(next_random(&state) % 640) - 345;
        (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exponent);
        const double x = strtod(text, NULL);
        if (isfinite(x)) check_number(text, x);
        const uint64_t half = (digits | UINT64_C(1) << 63) >> 10 | 1; /* 54 bits, odd */
        (void)snprintf(text, sizeof text, "%" PRIu64, half << i % 11);
        check_number(text, strtod(text, NULL));
        (void)snprintf(text, sizeof text, "%" PRIu64 ".5", half >> 1);
        check_number(text, strtod(text, NULL));
        (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", half, i % 30 - 10);
        check_number(text, strtod(text, NULL));
    }
}

static void test_integers(void)
{
    int32_t n = 0;
    CHECK(shoal_text_int(shoal_span_of("2147483647"), &n) && n == INT32_MAX);
    CHECK(shoal_text_int(shoal_span_of("-12"), &n) && n == -12);
    CHECK(shoal_text_int(shoal_span_of("+007"), &n) && n == 7);
    CHECK(!shoal_text_int(shoal_span_of("2147483648"), &n));
    CHECK(!shoal_text_int(shoal_span_of("99999999999999999999999"), &n));
    CHECK(!shoal_text_int(shoal_span_of(""), &n));
    CHECK(!shoal_text_int(shoal_span_of("-"), &n));
    CHECK(!shoal_text_int(shoal_span_of("1.0"), &n));
    CHECK(!shoal_text_int(shoal_span_of("3 "), &n));
}

static void test_quote(void)
{
    char text[SHOAL_QUOTE_SIZE], all[41];
    shoal_text_quote(text, shoal_span_of("a\tb\xff"));
    CHECK_TEXT(text, "a\\x09b\\xff");
    memset(all, '\x01', sizeof all);
    shoal_text_quote(text, (shoal_span){all, sizeof all});
    CHECK(strlen(text) == 40 * 4 + 3);
    CHECK_TEXT(text + 160, "...");
    shoal_text_quote(text, (shoal_span){all, 0});
    CHECK_TEXT(text, "");
}

int main(void)
{
    test_good_numbers();
    test_bad_numbers();
    test_long_number();
    test_random_numbers();
    test_integers();
    test_quote();
    return check_done();
}
