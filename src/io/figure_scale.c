/* SPDX-License-Identifier: BSD-3-Clause
 * An axis of a figure: ranges, round tick values, and their text in exact decimals. */
#include "io/figure_scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void figure_range_add(figure_range *range, bool log, int32_t n, const double *values)
{
    for (int32_t i = 0; i < n; ++i) {
        const double v = values[i];
        if (!isfinite(v) || (log && v <= 0.0)) continue;
        const bool empty = range->low > range->high;
        if (empty || v < range->low) range->low = v;
        if (empty || v > range->high) range->high = v;
    }
}

/* 1, 2 or 5 times a power of ten, at least as large as wanted. */
static void choose_step(figure_scale *s, double wanted)
{
    static const int32_t mantissas[] = {1, 2, 5};
    s->exponent = (int32_t)floor(log10(wanted));
    s->mantissa = 1;
    for (int k = 0; k < 3; ++k) {
        s->mantissa = mantissas[k];
        if (s->mantissa * pow(10.0, s->exponent) >= wanted) return;
    }
    s->mantissa = 1;
    ++s->exponent;
}

static double step_of(const figure_scale *s)
{
    return s->mantissa * pow(10.0, s->exponent);
}

/* Widens what is too narrow for its numbers to differ in a label. */
static void widen(double *low, double *high)
{
    const double size = fmax(fabs(*low), fabs(*high));
    if (*high - *low > 1e-9 * size) return;
    const double half = size > 0.0 ? 0.05 * size : 1.0;
    *low -= half;
    *high += half;
}

static int64_t floor_of(double value)
{
    return (int64_t)floor(value + 1e-9);
}

static int64_t ceil_of(double value)
{
    return (int64_t)ceil(value - 1e-9);
}

/* Number of the last 1, 2 or 5 times a power of ten that is not above 10^exponent. */
static int64_t one_two_five_below(double exponent)
{
    const int64_t decade = floor_of(exponent);
    const double rest = exponent - (double)decade + 1e-9;
    return 3 * decade + (rest >= log10(5.0) ? 2 : rest >= log10(2.0) ? 1 : 0);
}

static void find_even_ticks(figure_scale *s)
{
    const double low = s->log ? pow(10.0, s->low) : s->low;
    const double high = s->log ? pow(10.0, s->high) : s->high;
    s->first = ceil_of(low / step_of(s));
    s->last = floor_of(high / step_of(s));
    const int64_t size = s->last > -s->first ? s->last : -s->first;
    s->power = 0;
    if (s->exponent >= -4 && s->exponent <= 4) return;
    /* One digit before the point of the largest label. */
    s->power = size > 0 ? (int32_t)floor_of(log10((double)size * step_of(s))) : s->exponent;
}

static void find_ticks(figure_scale *s)
{
    if (s->ticks == FIGURE_DECADES) {
        s->first = ceil_of(s->low / s->mantissa);
        s->last = floor_of(s->high / s->mantissa);
    } else if (s->ticks == FIGURE_ONE_TWO_FIVE) {
        s->first = one_two_five_below(s->low - 2e-9) + 1;
        s->last = one_two_five_below(s->high);
    } else {
        find_even_ticks(s);
    }
}

static void choose_ticks(figure_scale *s)
{
    enum { N_TICKS = 7 };
    if (s->log && s->high - s->low >= 2.0) {
        choose_step(s, (s->high - s->low) / N_TICKS);
        s->ticks = FIGURE_DECADES;
        s->mantissa = s->exponent < 0 ? 1 : s->mantissa * (int32_t)lround(pow(10.0, s->exponent));
    } else if (s->log && s->high - s->low >= log10(5.0)) {
        s->ticks = FIGURE_ONE_TWO_FIVE;
    } else if (s->log) {
        choose_step(s, (pow(10.0, s->high) - pow(10.0, s->low)) / N_TICKS);
    } else {
        choose_step(s, (s->high - s->low) / N_TICKS);
    }
    find_ticks(s);
}

figure_scale figure_scale_make(const figure_axis *axis, figure_range data, double from, double to)
{
    const bool given =
        axis->low < axis->high && isfinite(axis->high - axis->low) && (!axis->log || axis->low > 0);
    figure_scale s = {
        .from = from, .to = to, .log = axis->log, .low = axis->low, .high = axis->high};
    if (!given) {
        s.low = data.low <= data.high ? data.low : (axis->log ? 1.0 : 0.0);
        s.high = data.low <= data.high ? data.high : (axis->log ? 10.0 : 1.0);
    }
    if (s.log) {
        s.low = log10(s.low);
        s.high = log10(s.high);
    }
    widen(&s.low, &s.high);
    if (!given) {
        const double margin = 0.04 * (s.high - s.low);
        s.low -= margin;
        s.high += margin;
    }
    choose_ticks(&s);
    return s;
}

void figure_scale_extend(figure_scale *scale, double to)
{
    const double share = (to - scale->from) / (scale->to - scale->from);
    scale->high = scale->low + share * (scale->high - scale->low);
    scale->to = to;
    find_ticks(scale);
}

static double place_of(const figure_scale *s, double value)
{
    return s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
}

bool figure_scale_place(const figure_scale *scale, double value, double *place)
{
    if (!isfinite(value) || (scale->log && value <= 0.0)) return false;
    /* Far outside is as good as a little further outside, and keeps the numbers short. */
    const double reach = 4.0 * fabs(scale->to - scale->from);
    const double p = place_of(scale, scale->log ? log10(value) : value);
    *place =
        fmin(fmax(p, fmin(scale->from, scale->to) - reach), fmax(scale->from, scale->to) + reach);
    return true;
}

/* Digit and decade of a tick at 1, 2 or 5 times a power of ten. */
static int64_t digit_of(int64_t k, int64_t *decade)
{
    static const int64_t digits[] = {1, 2, 5};
    const int64_t rest = ((k % 3) + 3) % 3;
    *decade = (k - rest) / 3;
    return digits[rest];
}

double figure_scale_tick(const figure_scale *scale, int64_t k)
{
    int64_t decade;
    if (scale->ticks == FIGURE_DECADES) return place_of(scale, (double)(k * scale->mantissa));
    if (scale->ticks == FIGURE_ONE_TWO_FIVE) {
        const double digit = (double)digit_of(k, &decade);
        return place_of(scale, (double)decade + log10(digit));
    }
    const double value = (double)k * step_of(scale);
    return place_of(scale, scale->log ? log10(value) : value);
}

/* n 10^exponent in decimals. */
static void format_decimal(int64_t n, int32_t exponent, char out[FIGURE_LABEL_SIZE])
{
    char digits[FIGURE_LABEL_SIZE]; /* from the last one on */
    int64_t rest = n < 0 ? -n : n;
    int n_digits = 0, used = 0;
    for (int32_t i = 0; i < exponent; ++i) rest *= 10;
    const int32_t decimals = exponent < 0 ? -exponent : 0;
    for (; (rest > 0 || n_digits <= decimals) && n_digits < FIGURE_LABEL_SIZE - 4; rest /= 10)
        digits[n_digits++] = (char)('0' + rest % 10);
    if (n < 0) out[used++] = '-';
    while (n_digits > 0) {
        if (n_digits == decimals) out[used++] = '.';
        out[used++] = digits[--n_digits];
    }
    out[used] = '\0';
}

void figure_scale_label(const figure_scale *scale, int64_t k, char out[FIGURE_LABEL_SIZE])
{
    int64_t decade = k * scale->mantissa, digit = 1;
    if (scale->ticks == FIGURE_EVEN) {
        format_decimal(k * scale->mantissa, scale->exponent - scale->power, out);
        return;
    }
    if (scale->ticks == FIGURE_ONE_TWO_FIVE) digit = digit_of(k, &decade);
    (void)snprintf(out, FIGURE_LABEL_SIZE, "%" PRId64 "e%" PRId64, digit, decade);
}

bool figure_scale_factor(const figure_scale *scale, char out[FIGURE_LABEL_SIZE])
{
    if (scale->ticks != FIGURE_EVEN || scale->power == 0) return false;
    (void)snprintf(out, FIGURE_LABEL_SIZE, "\xc3\x97 1e%d", (int)scale->power);
    return true;
}
