/* SPDX-License-Identifier: BSD-3-Clause
 * Printing numbers: the fewest digits that read back as the same bits, and fixed columns.
 *
 * The digits are found as in R. Giulietti, "The Schubfach way to render doubles" (2020), in the form
 * with 128-bit powers of ten of A. Bolz's Drachennest. */
#include <math.h>

#include "base/powers.h"
#include "base/text.h"

const wide_product powers_of_ten[] = {
#include "power_table.inc"
};

/* 10^0 to 10^19. */
#define FROM(p) (p), 10 * (p), 100 * (p), 1000 * (p), 10000 * (p)
static const uint64_t integer_powers[] = {FROM(UINT64_C(1)), FROM(UINT64_C(100000)),
                                          FROM(UINT64_C(10000000000)),
                                          FROM(UINT64_C(1000000000000000))};

/* A positive number as digits 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int32_t exponent;
} decimal;

/* c g / 2^128, with the lowest bit set if anything was cut off ("rounded to odd"): enough to compare
 * with. */
static inline uint64_t scale(wide_product g, uint64_t c)
{
    const uint64_t carry = wide_multiply(g.low, c).high;
    wide_product y = wide_multiply(g.high, c);
    y.low += carry;
    y.high += y.low < carry;
    return y.high | (y.low > 1);
}

/* floor(log10(2^e)), or of 3/4 2^e, for all that occur. */
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
    const wide_product g = powers_of_ten[-k - LEAST_POWER];
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
    if (d.digits % 100000000 == 0) {
        d.digits /= 100000000;
        d.exponent += 8;
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

/* From the number of bits, from which a multiple of log10(2) is right or one too few. */
static inline int32_t count_digits(uint64_t x)
{
    x |= 1; /* as many digits, and zero has one */
    const int32_t n = (64 - __builtin_clzll(x)) * 1233 >> 12;
    return n + (x >= integer_powers[n]);
}

/* Eight characters, the first in the lowest byte. */
static inline void store_characters(char *to, uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    memcpy(to, &x, sizeof x);
}

/* The same byte eight times. */
#define EIGHT(byte) (UINT64_C(0x0101010101010101) * (byte))

/* x < 10^8 as eight digits, the first in the lowest byte: numbers below 10^4, then 100, then 10 side by
 * side in one word, divided at once by multiplication. */
static inline uint64_t eight_digits(uint32_t x)
{
    uint64_t y = x / 10000 | (uint64_t)(x % 10000) << 32;
    const uint64_t hundreds = (y * 10486 >> 20) & UINT64_C(0x7f0000007f);
    y = hundreds | (y - hundreds * 100) << 16;
    const uint64_t tens = (y * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (y - tens * 10) << 8;
}

/* Digits of a number, right-aligned in the first 24 characters; what is behind them may be copied. */
typedef struct digits {
    char text[56];
} digits;

static inline const char *digits_of(digits *d, uint64_t x, int32_t n)
{
    char *to = d->text + 24;
    for (int32_t left = n; left > 0; left -= 8) {
        to -= 8;
        store_characters(to, eight_digits((uint32_t)(x % 100000000)) + EIGHT('0'));
        x /= 100000000;
    }
    return d->text + 24 - n;
}

/* Room for the longest number, whatever its length: a few moves. */
static inline void copy_digits(char *to, const char *from)
{
    memcpy(to, from, 24);
}

/* Of most lists: charges, orders and indices, x < 100. */
static inline size_t write_small(char *to, uint32_t x)
{
    const size_t last = x >= 10;
    to[0] = (char)('0' + x / 10);
    to[last] = (char)('0' + x % 10);
    to[last + 1] = '\0';
    return last + 1;
}

/* d.ddde-05 */
static size_t write_scientific(char *to, const char *digit, int32_t n, int32_t exponent)
{
    const int32_t size = exponent < 0 ? -exponent : exponent;
    char *p = to;
    copy_digits(p + 1, digit);
    p[0] = p[1];
    p[1] = '.';
    p += n > 1 ? n + 1 : 1;
    *p++ = 'e';
    *p++ = exponent < 0 ? '-' : '+';
    if (size >= 100) *p++ = (char)('0' + size / 100);
    *p++ = (char)('0' + size / 10 % 10);
    *p++ = (char)('0' + size % 10);
    return (size_t)(p - to);
}

/* With the point behind so many of the digits, from -5 to 15; zeros where there are none. */
static size_t write_plain(char *to, const char *digit, int32_t n, int32_t point)
{
    if (point <= 0) {
        memcpy(to, "0.000000", 8);
        copy_digits(to + 2 - point, digit);
        return (size_t)(2 - point + n);
    }
    copy_digits(to, digit);
    if (point >= n) {
        memset(to + n, '0', (size_t)(point - n));
        return (size_t)point;
    }
    to[point] = '.';
    copy_digits(to + point + 1, digit + point);
    return (size_t)n + 1;
}

size_t shoal_text_print(char out[SHOAL_NUMBER_SIZE], double value)
{
    char *p = out;
    if (value >= 0 && value < 100 && value == (double)(int32_t)value && !signbit(value))
        return write_small(out, (uint32_t)value);
    if (isnan(value)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    *p = '-';
    p += signbit(value) != 0;
    if (isinf(value)) {
        memcpy(p, "inf", 3);
        p += 3;
    } else if (value == 0.0) {
        *p++ = '0';
    } else {
        const decimal d = decimal_of(value);
        const int32_t n = count_digits(d.digits), point = n + d.exponent;
        digits room = {{0}};
        const char *digit = digits_of(&room, d.digits, n);
        p += point > -6 && point <= 15 ? write_plain(p, digit, n, point)
                                       : write_scientific(p, digit, n, point - 1);
    }
    *p = '\0';
    return (size_t)(p - out);
}

size_t shoal_text_print_integer(char out[SHOAL_NUMBER_SIZE], int64_t value)
{
    const uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char *p = out;
    if (value < 0) *p++ = '-';
    if (size < 100) return write_small(p, (uint32_t)size) + (size_t)(p - out);
    const int32_t n = count_digits(size);
    digits room = {{0}};
    copy_digits(p, digits_of(&room, size, n));
    p[n] = '\0';
    return (size_t)(p + n - out);
}

/* |x| in units of 10^-decimals, rounded to the nearest, halves up; less than 2^63. */
static inline uint64_t scale_decimals(double x, int32_t decimals)
{
    const double scaled = fabs(x) * (double)(int64_t)integer_powers[decimals];
    const int64_t whole = (int64_t)scaled;
    return (uint64_t)(whole + (scaled - (double)whole >= 0.5));
}

size_t shoal_text_print_fixed(char out[SHOAL_NUMBER_SIZE], double value, int32_t decimals)
{
    if (!(fabs(value) * (double)integer_powers[decimals] < 1e15))
        return shoal_text_print(out, value);
    const uint64_t scaled = scale_decimals(value, decimals);
    const int32_t least = decimals + 1, all = count_digits(scaled), n = all > least ? all : least;
    const int32_t before = n - decimals;
    digits room = {{0}};
    const char *digit = digits_of(&room, scaled, n);
    char *p = out;
    if (value < 0 && scaled > 0) *p++ = '-';
    copy_digits(p, digit);
    p += before;
    if (decimals > 0) {
        *p++ = '.';
        copy_digits(p, digit + before);
        p += decimals;
    }
    *p = '\0';
    return (size_t)(p - out);
}

bool shoal_text_coordinate(char to[10], double x)
{
    if (!(fabs(x) < 9999.9999)) return false;
    const uint32_t scaled = (uint32_t)scale_decimals(x, 4), whole = scaled / 10000;
    const int n = 1 + (whole >= 10) + (whole >= 100) + (whole >= 1000);
    const uint64_t digit = eight_digits(scaled) + EIGHT('0');
    /* Five columns: blanks, a sign in the last of them, n digits. */
    const uint64_t columns = (UINT64_C(1) << 40) - 1, blanks = columns >> (8 * n);
    const uint64_t sign = (uint64_t)(x < 0 && scaled > 0) * (' ' ^ '-') << (8 * (4 - n));
    const uint64_t number = (digit << 8 & columns & ~blanks) | ((EIGHT(' ') & blanks) ^ sign);
    char decimals[8];
    store_characters(to, number | (uint64_t)'.' << 40);
    store_characters(decimals, digit);
    memcpy(to + 6, decimals + 4, 4);
    return true;
}
