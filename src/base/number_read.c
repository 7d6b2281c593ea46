/* SPDX-License-Identifier: BSD-3-Clause
 * Reading numbers: strict, correctly rounded, and the same in every locale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/powers.h"
#include "base/text.h"

/* The powers of ten that a double holds exactly. */
#define MAX_EXACT_POWER 22
static const double power_of_ten[MAX_EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* A decimal number taken apart: value = digits * 10^exponent, more digits may follow. */
typedef struct decimal {
    uint64_t mantissa; /* of the first 19 significant digits */
    int32_t n_digits;  /* significant digits, counted up to 20 */
    int32_t exponent;  /* of the mantissa; meaningful if n_digits < 20 */
    int32_t written;   /* the exponent as written behind e */
    const char *first; /* first digit or point */
    const char *last;  /* behind the last digit or point */
} decimal;

/* Beyond this, any number written within memory is zero or infinite. */
#define EXPONENT_LIMIT 1000000000

static bool scan_exponent(const char *p, const char *end, int32_t *out)
{
    bool negative = false;
    int32_t value = 0;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (p == end) return false;
    for (; p < end; ++p) {
        if (!shoal_is_digit(*p)) return false;
        if (value < EXPONENT_LIMIT / 10) value = value * 10 + (*p - '0');
    }
    *out = negative ? -value : value;
    return true;
}

/* Digits, at most one point, and an exponent, to the end of the span. */
static bool scan_decimal(const char *p, const char *end, decimal *d)
{
    bool any = false, point = false;
    *d = (decimal){.first = p};
    for (; p < end; ++p) {
        if (shoal_is_digit(*p)) {
            any = true;
            if (d->n_digits < 19) {
                d->mantissa = d->mantissa * 10 + (uint64_t)(*p - '0');
                d->n_digits += d->mantissa != 0;
                d->exponent -= point;
            } else {
                d->n_digits = 20;
            }
        } else if (*p == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    d->last = p;
    if (!any) return false;
    if (p == end) return true;
    if (*p != 'e' && *p != 'E' && *p != 'd' && *p != 'D') return false;
    return scan_exponent(p + 1, end, &d->written);
}

/* Hands the digits to strtod as an integer with an exponent: without a point there is nothing
 * in it that depends on the locale. 768 digits decide the rounding of any double; what follows
 * them only has to be seen to be there. */
static double convert_slowly(const decimal *d)
{
    enum { MAX_DIGITS = 770 };
    char text[MAX_DIGITS + 24];
    size_t n = 0;
    int64_t exponent = d->written;
    bool point = false, more = false;
    for (const char *p = d->first; p < d->last; ++p) {
        if (*p == '.') {
            point = true;
        } else if (n == 0 && *p == '0') {
            exponent -= point;
        } else if (n < MAX_DIGITS) {
            text[n++] = *p;
            exponent -= point;
        } else {
            more = more || *p != '0';
            exponent += !point;
        }
    }
    if (n == 0) return 0.0;
    if (more) {
        text[n++] = '1';
        --exponent;
    }
    if (exponent > 100000) exponent = 100000;
    if (exponent < -100000) exponent = -100000;
    (void)snprintf(text + n, sizeof text - n, "e%d", (int)exponent);
    return strtod(text, NULL);
}

/* Where both factors are exact the one operation rounds correctly. */
static bool convert_exactly(uint64_t digits, int64_t exponent, double *out)
{
    if (digits > UINT64_C(1) << 53 || exponent < -MAX_EXACT_POWER || exponent > MAX_EXACT_POWER)
        return false;
    *out = exponent < 0 ? (double)(int64_t)digits / power_of_ten[-exponent]
                        : (double)(int64_t)digits * power_of_ten[exponent];
    return true;
}

/* digits 10^exponent from the product with 128 bits of the power (D. Lemire, "Number parsing at a
 * gigabyte per second", Softw. Pract. Exp. 51 (2021) 1700). False where that does not decide the
 * rounding, and for numbers that are subnormal or overflow. */
static bool convert_quickly(uint64_t digits, int64_t exponent, double *out)
{
    if (digits == 0 || exponent < LEAST_POWER || exponent > 288) return false;
    const int32_t q = (int32_t)exponent, zeros = __builtin_clzll(digits);
    const wide_product g = power_to_multiply(q);
    const uint64_t w = digits << zeros;
    wide_product y = wide_multiply(w, g.high);
    if ((y.high & 0x1ff) == 0x1ff) {
        const uint64_t more = wide_multiply(w, g.low).high;
        y.low += more;
        y.high += y.low < more;
    }
    if (y.low == UINT64_MAX && (q < -27 || q > 55)) return false;
    const int32_t top = (int32_t)(y.high >> 63), shift = top + 64 - 52 - 3;
    uint64_t m = y.high >> shift; /* 53 bits and the one that rounds */
    int32_t power = log2_of_power(q) + 63 + top - zeros + 1023;
    if (power <= 0) return false;
    /* Exactly between two numbers: the even one. */
    if (y.low <= 1 && q >= -4 && q <= 23 && (m & 3) == 1 && m << shift == y.high) m &= ~UINT64_C(1);
    m = (m + (m & 1)) >> 1;
    if (m >> 53) {
        m >>= 1;
        ++power;
    }
    if (power >= 0x7ff) return false;
    const uint64_t bits = (m & ~(UINT64_C(1) << 52)) | (uint64_t)power << 52;
    memcpy(out, &bits, sizeof bits);
    return true;
}

bool shoal_text_double(shoal_span s, double *out)
{
    const char *p = s.text, *end = p + s.size;
    bool negative = false;
    decimal d;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (!scan_decimal(p, end, &d)) return false;
    const int64_t exponent = (int64_t)d.exponent + d.written;
    double value;
    if (d.n_digits >= 20 || !(convert_exactly(d.mantissa, exponent, &value) ||
                              convert_quickly(d.mantissa, exponent, &value)))
        value = convert_slowly(&d);
    if (!isfinite(value)) return false;
    *out = negative ? -value : value;
    return true;
}

bool shoal_text_int(shoal_span s, int32_t *out)
{
    const char *p = s.text, *end = p + s.size;
    bool negative = false;
    int64_t value = 0;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (p == end) return false;
    for (; p < end; ++p) {
        if (!shoal_is_digit(*p)) return false;
        value = value * 10 + (*p - '0');
        if (value > INT32_MAX) return false;
    }
    *out = (int32_t)(negative ? -value : value);
    return true;
}
