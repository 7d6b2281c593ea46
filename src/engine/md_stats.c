/* SPDX-License-Identifier: BSD-3-Clause
 * Means with their errors, and lines, of numbers that come one by one. */
#include <math.h>

#include "engine/md.h"

/* Of fewer blocks the spread says little. */
#define FEWEST_BLOCKS 16

void md_series_add(md_series *s, double value)
{
    if (s->n[0] == 0) s->first = value;
    double block = value - s->first;
    for (int k = 0; k < MD_LEVELS; ++k) {
        s->sum[k] += block;
        s->sum2[k] += block * block;
        if (++s->n[k] % 2 == 1) {
            s->half[k] = block;
            return;
        }
        block = 0.5 * (block + s->half[k]);
    }
}

double md_series_mean(const md_series *s)
{
    return s->n[0] > 0 ? s->first + s->sum[0] / (double)s->n[0] : NAN;
}

/* The longest error that enough blocks tell: it grows with their length until they are independent. */
double md_series_error(const md_series *s)
{
    double most = NAN;
    for (int k = 0; k < MD_LEVELS && s->n[k] > 1; ++k) {
        const double n = (double)s->n[k], mean = s->sum[k] / n;
        const double variance = s->sum2[k] / n - mean * mean;
        const double error = sqrt(variance > 0 ? variance / (n - 1) : 0);
        if (k > 0 && s->n[k] < FEWEST_BLOCKS) break;
        if (!(error <= most)) most = error;
    }
    return most;
}

void md_line_add(md_line *line, double t, double value)
{
    if (line->n++ == 0) line->first = value;
    const double y = value - line->first;
    line->t += t;
    line->tt += t * t;
    line->y += y;
    line->ty += t * y;
    line->yy += y * y;
}

double md_line_slope(const md_line *line)
{
    const double n = (double)line->n, spread = n * line->tt - line->t * line->t;
    return line->n > 1 && spread > 0 ? (n * line->ty - line->t * line->y) / spread : NAN;
}

double md_line_rms(const md_line *line)
{
    const double n = (double)line->n, slope = md_line_slope(line);
    if (line->n < 2) return NAN;
    const double yy = line->yy - line->y * line->y / n, ty = line->ty - line->t * line->y / n;
    const double rest = (yy - slope * ty) / n;
    return rest > 0 ? sqrt(rest) : 0;
}
