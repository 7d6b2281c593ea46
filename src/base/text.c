/* SPDX-License-Identifier: BSD-3-Clause
 * Spans of text, and strict parsing of numbers that no locale can change. */
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

/* The powers of ten that a double holds exactly. */
#define MAX_EXACT_POWER 22
static const double power_of_ten[MAX_EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

shoal_span shoal_span_trim(shoal_span s)
{
    while (s.size > 0 && shoal_is_blank(s.text[0])) {
        ++s.text;
        --s.size;
    }
    while (s.size > 0 && shoal_is_blank(s.text[s.size - 1])) --s.size;
    return s;
}

shoal_span shoal_span_columns(shoal_span line, size_t first, size_t last)
{
    const size_t end = last < line.size ? last : line.size;
    if (first >= end) return (shoal_span){line.text + line.size, 0};
    return shoal_span_trim((shoal_span){line.text + first, end - first});
}

bool shoal_span_equal(shoal_span s, const char *text)
{
    return strlen(text) == s.size && memcmp(s.text, text, s.size) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool shoal_span_equal_nocase(shoal_span s, const char *text)
{
    if (strlen(text) != s.size) return false;
    for (size_t i = 0; i < s.size; ++i)
        if (lower(s.text[i]) != lower(text[i])) return false;
    return true;
}

bool shoal_span_starts(shoal_span s, const char *prefix)
{
    const size_t n = strlen(prefix);
    return s.size >= n && memcmp(s.text, prefix, n) == 0;
}

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

bool shoal_text_double(shoal_span s, double *out)
{
    const char *p = s.text, *end = p + s.size;
    bool negative = false;
    decimal d;
    if (p < end && (*p == '-' || *p == '+')) negative = *p++ == '-';
    if (!scan_decimal(p, end, &d)) return false;
    const int64_t exponent = (int64_t)d.exponent + d.written;
    double value;
    /* Both factors are exact, so the one operation rounds correctly. */
    if (d.n_digits < 20 && d.mantissa <= (UINT64_C(1) << 53) && exponent >= -MAX_EXACT_POWER &&
        exponent <= MAX_EXACT_POWER)
        value = exponent < 0 ? (double)d.mantissa / power_of_ten[-exponent]
                             : (double)d.mantissa * power_of_ten[exponent];
    else
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

void shoal_text_quote(char out[SHOAL_QUOTE_SIZE], shoal_span value)
{
    enum { MAX_SHOWN = 40 };
    const size_t shown = value.size < MAX_SHOWN ? value.size : MAX_SHOWN;
    size_t n = 0;
    for (size_t i = 0; i < shown; ++i) {
        const unsigned char c = (unsigned char)value.text[i];
        if (c >= ' ' && c < 0x7f)
            out[n++] = (char)c;
        else
            n += (size_t)snprintf(out + n, SHOAL_QUOTE_SIZE - n, "\\x%02x", c);
    }
    (void)snprintf(out + n, SHOAL_QUOTE_SIZE - n, "%s", value.size > shown ? "..." : "");
}
