/* SPDX-License-Identifier: BSD-3-Clause
 * Printing numbers: the fewest digits that read back as the same bits, and fixed columns.
 *
 * The digits are found as in R. Giulietti, "The Schubfach way to render doubles" (2020), in the form
 * with 128-bit powers of ten of A. Bolz's Drachennest. */
#include <math.h>

#include "base/text.h"

/* 10^k = (high 2^64 + low) 2^(e - 127), e = floor(log2(10^k)), rounded up. */
typedef struct power {
    uint64_t high, low;
} power;

enum { LEAST_POWER = -292 };
static const power powers[] = {
#include "power_table.inc"
};

static const char two_digits[] =
    "00010203040506070809101112131415161718192021222324252627282930313233"
    "34353637383940414243444546474849505152535455565758596061626364656667"
    "6869707172737475767778798081828384858687888990919293949596979899";

static const uint64_t integer_powers[] = {1u,
                                          10u,
                                          100u,
                                          1000u,
                                          10000u,
                                          100000u,
                                          1000000u,
                                          10000000u,
                                          100000000u,
                                          1000000000u,
                                          UINT64_C(10000000000),
                                          UINT64_C(100000000000),
                                          UINT64_C(1000000000000),
                                          UINT64_C(10000000000000),
                                          UINT64_C(100000000000000),
                                          UINT64_C(1000000000000000),
                                          UINT64_C(10000000000000000),
                                          UINT64_C(100000000000000000),
                                          UINT64_C(1000000000000000000),
                                          UINT64_C(10000000000000000000)};

/* A positive number as digits 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int32_t exponent;
} decimal;

/* a b = high 2^64 + low. */
static inline power multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    return (power){(uint64_t)(product >> 64), (uint64_t)product};
#else
    const uint64_t a0 = a & UINT32_MAX, a1 = a >> 32, b0 = b & UINT32_MAX, b1 = b >> 32;
    const uint64_t low = a0 * b0, m1 = a1 * b0 + (low >> 32), m2 = a0 * b1 + (m1 & UINT32_MAX);
    return (power){a1 * b1 + (m1 >> 32) + (m2 >> 32), m2 << 32 | (low & UINT32_MAX)};
#endif
}

/* c g / 2^128, with the lowest bit set if anything was cut off ("rounded to odd"): enough to compare
 * with. */
static inline uint64_t scale(power g, uint64_t c)
{
    const uint64_t carry = multiply(g.low, c).high;
    power y = multiply(g.high, c);
    y.low += carry;
    y.high += y.low < carry;
    return y.high | (y.low > 1);
}

/* floor(log2(10^k)) and floor(log10(2^e)), or of 3/4 2^e, for all powers that occur. */
static inline int32_t log2_of_power(int32_t k)
{
    return (k * 1741647) >> 19;
}

static inline int32_t log10_of_power(int32_t e, bool three_quarters)
{
    return (e * 1262611 - (three_quarters ? 524031 : 0)) >> 22;
}

/* The shortest decimal between the halfway points to the neighbours of c 2^q, the closest to it if there
 * are several. nearer: the neighbour below is half as far as the one above. */
static decimal shortest(uint64_t c, int32_t q, bool nearer)
{
    const uint64_t open = c & 1; /* the halfway points round to even, away from an odd c */
    const int32_t k = log10_of_power(q, nearer), h = q + log2_of_power(-k) + 1;
    const power g = powers[-k - LEAST_POWER];
    const uint64_t below = scale(g, (4 * c - 2 + nearer) << h) + open;
    const uint64_t value = scale(g, 4 * c << h);
    const uint64_t above = scale(g, (4 * c + 2) << h) - open;
    const uint64_t s = value / 4, tens = s / 10 * 10;
    if (s >= 10) {
        const bool low = below <= 4 * tens, high = 4 * tens + 40 <= above;
        if (low != high) return (decimal){tens / 10 + high, k + 1};
    }
    const bool low = below <= 4 * s, high = 4 * s + 4 <= above;
    if (low != high) return (decimal){s + high, k};
    const uint64_t middle = 4 * s + 2;
    return (decimal){s + (value > middle || (value == middle && (s & 1))), k};
}

static decimal decimal_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int32_t exponent = (int32_t)(bits >> 52 & 0x7ff);
    decimal d;
    if (exponent == 0) {
        d = shortest(fraction, 1 - 1075, false);
    } else {
        const uint64_t c = fraction | UINT64_C(1) << 52;
        const int32_t q = exponent - 1075;
        if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
            d = (decimal){c >> -q, 0};
        else
            d = shortest(c, q, fraction == 0 && exponent > 1);
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

static inline int32_t count_digits(uint64_t x)
{
    int32_t n = 1;
    while (n < 20 && x >= integer_powers[n]) ++n;
    return n;
}

/* The last n digits of x. */
static void write_digits(char *to, uint64_t x, int32_t n)
{
    while (n >= 2) {
        n -= 2;
        memcpy(to + n, two_digits + 2 * (x % 100), 2);
        x /= 100;
    }
    if (n > 0) to[0] = (char)('0' + x % 10);
}

/* d.ddde-05 */
static size_t write_scientific(char *to, uint64_t digits, int32_t n, int32_t exponent)
{
    const uint32_t size = (uint32_t)(exponent < 0 ? -exponent : exponent);
    const int32_t width = size < 100 ? 2 : 3;
    char *p = to;
    write_digits(p + 1, digits, n);
    p[0] = p[1];
    p[1] = '.';
    p += n > 1 ? n + 1 : 1;
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    write_digits(p, size, width);
    return (size_t)(p + width - to);
}

/* With the point behind so many of the digits; zeros where there are none. */
static size_t write_plain(char *to, uint64_t digits, int32_t n, int32_t point)
{
    if (point >= n) {
        write_digits(to, digits, n);
        memset(to + n, '0', (size_t)(point - n));
        return (size_t)point;
    }
    if (point > 0) {
        write_digits(to, digits / integer_powers[n - point], point);
        to[point] = '.';
        write_digits(to + point + 1, digits, n - point);
        return (size_t)n + 1;
    }
    memset(to, '0', (size_t)(2 - point));
    to[1] = '.';
    write_digits(to + 2 - point, digits, n);
    return (size_t)(2 - point + n);
}

size_t shoal_text_print(char out[SHOAL_NUMBER_SIZE], double value)
{
    char *p = out;
    if (isnan(value)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    if (signbit(value)) *p++ = '-';
    if (isinf(value)) {
        memcpy(p, "inf", 3);
        p += 3;
    } else if (value == 0.0) {
        *p++ = '0';
    } else {
        const decimal d = decimal_of(value);
        const int32_t n = count_digits(d.digits), point = n + d.exponent;
        p += point > -6 && point <= 15 ? write_plain(p, d.digits, n, point)
                                       : write_scientific(p, d.digits, n, point - 1);
    }
    *p = '\0';
    return (size_t)(p - out);
}

size_t shoal_text_print_integer(char out[SHOAL_NUMBER_SIZE], int64_t value)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    const int32_t n = count_digits(size);
    char *p = out;
    if (value < 0) *p++ = '-';
    write_digits(p, size, n);
    p[n] = '\0';
    return (size_t)(p + n - out);
}

uint64_t shoal_text_scale(double x, int32_t decimals)
{
    const double scaled = fabs(x) * (double)integer_powers[decimals];
    const uint64_t whole = (uint64_t)scaled;
    return whole + (scaled - (double)whole >= 0.5);
}

bool shoal_text_columns(char *out, int32_t width, bool negative, uint64_t value, int32_t decimals)
{
    const uint64_t whole = value / integer_powers[decimals];
    const int32_t n = count_digits(whole), behind = decimals > 0 ? decimals + 1 : 0;
    const int32_t blanks = width - n - behind - negative;
    if (blanks < 0) return false;
    memset(out, ' ', (size_t)blanks);
    out += blanks;
    if (negative) *out++ = '-';
    write_digits(out, whole, n);
    if (decimals == 0) return true;
    out[n] = '.';
    write_digits(out + n + 1, value % integer_powers[decimals], decimals);
    return true;
}

size_t shoal_text_print_fixed(char out[SHOAL_NUMBER_SIZE], double value, int32_t decimals)
{
    if (!(fabs(value) * (double)integer_powers[decimals] < 1e15))
        return shoal_text_print(out, value);
    const uint64_t scaled = shoal_text_scale(value, decimals);
    const bool negative = value < 0 && scaled > 0;
    const int32_t n = negative + count_digits(scaled / integer_powers[decimals]) +
                      (decimals > 0 ? decimals + 1 : 0);
    (void)shoal_text_columns(out, n, negative, scaled, decimals);
    out[n] = '\0';
    return (size_t)n;
}
