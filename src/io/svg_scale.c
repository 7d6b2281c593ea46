/* SPDX-License-Identifier: BSD-3-Clause
 * An axis of a figure: ranges, round tick values, and their text in exact decimals. */
#include "io/svg_scale.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void svg_range_add(svg_range *range, bool log, int32_t n, const double *values)
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
static void choose_step(svg_scale *s, double wanted)
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

static double step_of(const svg_scale *s)
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

svg_scale svg_scale_make(const svg_axis *axis, svg_range data, double from, double to)
{
    enum { N_TICKS = 8 };
    const bool given =
        axis->low < axis->high && isfinite(axis->high - axis->low) && (!axis->log || axis->low > 0);
    svg_scale s = {.from = from, .to = to, .log = axis->log, .low = axis->low, .high = axis->high};
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
    choose_step(&s, (s.high - s.low) / N_TICKS);
    if (s.log && s.exponent < 0) { /* whole decades only */
        s.mantissa = 1;
        s.exponent = 0;
    }
    s.first = (int64_t)ceil(s.low / step_of(&s) - 1e-9);
    s.last = (int64_t)floor(s.high / step_of(&s) + 1e-9);
    return s;
}

void svg_scale_extend(svg_scale *scale, double to)
{
    const double share = (to - scale->from) / (scale->to - scale->from);
    scale->high = scale->low + share * (scale->high - scale->low);
    scale->to = to;
    scale->last = (int64_t)floor(scale->high / step_of(scale) + 1e-9);
}

static double to_pixel(const svg_scale *s, double value)
{
    return s->from + (value - s->low) / (s->high - s->low) * (s->to - s->from);
}

bool svg_scale_place(const svg_scale *scale, double value, double *pixel)
{
    if (!isfinite(value) || (scale->log && value <= 0.0)) return false;
    /* Far outside is as good as a little further outside, and keeps the numbers short. */
    const double reach = 4.0 * fabs(scale->to - scale->from);
    const double p = to_pixel(scale, scale->log ? log10(value) : value);
    *pixel =
        fmin(fmax(p, fmin(scale->from, scale->to) - reach), fmax(scale->from, scale->to) + reach);
    return true;
}

double svg_scale_tick(const svg_scale *scale, int64_t k)
{
    return to_pixel(scale, (double)k * step_of(scale));
}

void svg_scale_label(const svg_scale *scale, int64_t k, char out[SVG_LABEL_SIZE])
{
    int64_t n = k * scale->mantissa;
    int32_t e = scale->exponent;
    if (scale->log) {
        for (; e > 0; --e) n *= 10;
        (void)snprintf(out, SVG_LABEL_SIZE, "1e%" PRId64, n);
        return;
    }
    const int64_t size = n < 0 ? -n : n;
    if (n == 0) {
        (void)snprintf(out, SVG_LABEL_SIZE, "0");
    } else if (e >= 0 && e <= 4) {
        for (; e > 0; --e) n *= 10;
        (void)snprintf(out, SVG_LABEL_SIZE, "%" PRId64, n);
    } else if (e < 0 && e >= -5) {
        int64_t unit = 1;
        for (int32_t i = 0; i < -e; ++i) unit *= 10;
        (void)snprintf(out, SVG_LABEL_SIZE, "%s%" PRId64 ".%0*" PRId64, n < 0 ? "-" : "",
                       size / unit, (int)-e, size % unit);
    } else {
        for (; n % 10 == 0; n /= 10) ++e;
        (void)snprintf(out, SVG_LABEL_SIZE, "%" PRId64 "e%d", n, (int)e);
    }
}
