/* SPDX-License-Identifier: BSD-3-Clause
 * Progress of long work on stderr. */
#include "progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 80 /* of a terminal that does not tell its own */

/* A line in the making. */
typedef struct line {
    char text[512];
    size_t used;
} line;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(progress *p, bool enabled)
{
    *p = (progress){.enabled = enabled, .terminal = isatty(STDERR_FILENO) == 1, .stride = 1};
    p->began = p->last = now();
}

static bool is_due(progress *p)
{
    const double t = now();
    if (t - p->last < (p->terminal ? 0.2 : 10)) return false;
    p->last = t;
    p->shown = true;
    return true;
}

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : WIDTH;
}

__attribute__((format(printf, 2, 3))) static void put(line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const size_t left = sizeof l->text - l->used;
    const int n = vsnprintf(l->text + l->used, left, format, args);
    va_end(args);
    if (n > 0) l->used += (size_t)n < left ? (size_t)n : left - 1;
}

const char *progress_about(double x, char text[32])
{
    const double unit = pow(10, floor(log10(fmax(x, 1))) - 2);
    if (x >= 100 && x < 1e15)
        (void)snprintf(text, 32, "%.0f", unit * round(x / unit));
    else
        (void)snprintf(text, 32, "%.3g", x);
    return text;
}

static void put_share(line *l, const progress *p, double part)
{
    const int bar = p->terminal && columns() < 100 ? 10 : 25;
    put(l, "[");
    for (int k = 0; k < bar; ++k) put(l, "%c", k < (int)(bar * part) ? '#' : '.');
    put(l, "] %3.0f %%", 100 * part);
}

/* By the pace since the first time that progress was told: what an earlier run did took no time in this one. */
static void put_left(line *l, const progress *p, double part)
{
    const double gained = part - p->first_part, left = (now() - p->first) * (1 - part) / gained;
    if (gained > 0.01)
        put(l, "  %.0f %s left", left < 600 ? left : left / 60, left < 600 ? "s" : "min");
}

/* A terminal has one line, which must not wrap: what it has no room for is left out. */
static void print(const progress *p, const line *l)
{
    if (p->terminal)
        (void)fprintf(stderr, "\r\033[K%.*s", columns() - 1, l->text);
    else
        (void)fprintf(stderr, "%s\n", l->text);
    (void)fflush(stderr);
}

/* Where rates are counted from. */
static void see_first(progress *p, double part, int64_t n)
{
    if (p->first > 0) return;
    p->first = now();
    p->first_part = part;
    p->first_n = n;
}

void progress_stream(progress *p, const shoal_stream_progress *s)
{
    line l = {.used = 0};
    char about[32];
    if (!p->enabled) return;
    see_first(p, s->part, s->n_done);
    if (!is_due(p)) return;
    const double seconds = now() - p->first;
    put_share(&l, p, s->part);
    const int64_t n_done = s->n_before + s->n_done;
    put(&l, "  %lld", (long long)n_done);
    if (s->part > 0) put(&l, " of about %s", progress_about((double)n_done / s->part, about));
    put(&l, " systems");
    if (s->n_failed > 0) put(&l, ", %lld failed", (long long)s->n_failed);
    if (seconds > 0 && s->n_done > p->first_n)
        put(&l, "  %s/s", progress_about((double)(s->n_done - p->first_n) / seconds, about));
    put_left(&l, p, s->part);
    if (s->large_index >= 0) {
        put(&l, "  #%lld: %d atoms, step %d", (long long)s->large_index, s->large_atoms,
            s->large_steps);
        if (isfinite(s->large_energy))
            put(&l, ", %.6g eV, fmax %.3g", s->large_energy, s->large_fmax);
    }
    print(p, &l);
}

/* Numbers as a row of characters, from "_" for the lowest to "#" for the highest. */
static void put_curve(line *l, const double *x, int n)
{
    static const char levels[] = "_.:-=+*#";
    double low = x[0], high = x[0];
    for (int k = 1; k < n; ++k) {
        low = fmin(low, x[k]);
        high = fmax(high, x[k]);
    }
    for (int k = 0; k < n; ++k)
        put(l, "%c", levels[high > low ? (int)((x[k] - low) / (high - low) * 7.0 + 0.5) : 0]);
}

/* Keeps every n-th of the steps, so that those that are there span all of them. */
static void see_step(progress *p, double log_j)
{
    if (p->n_seen++ % p->stride != 0) return;
    if (p->n_curve == PROGRESS_CURVE) {
        p->n_curve /= 2;
        p->stride *= 2;
        for (int k = 0; k < p->n_curve; ++k) p->curve[k] = p->curve[2 * k];
    }
    p->curve[p->n_curve++] = log_j;
}

void progress_step(progress *p, int64_t step, double rmse_kcal)
{
    line l = {.used = 0};
    if (!p->enabled) return;
    if (rmse_kcal > 0) see_step(p, log(rmse_kcal));
    if (!is_due(p)) return;
    put(&l, "step %lld, RMSE %.6g kcal/mol", (long long)step, rmse_kcal);
    if (p->n_curve > 1) put(&l, "  [");
    if (p->n_curve > 1) put_curve(&l, p->curve, p->n_curve);
    if (p->n_curve > 1) put(&l, "]");
    print(p, &l);
}

void progress_share(progress *p, double part, const char *what)
{
    line l = {.used = 0};
    if (!p->enabled) return;
    see_first(p, part, 0);
    if (!is_due(p)) return;
    put_share(&l, p, part);
    put(&l, "  %s", what);
    put_left(&l, p, part);
    print(p, &l);
}

void progress_end(progress *p)
{
    if (p->shown && p->terminal) (void)fprintf(stderr, "\r\033[K");
    p->shown = false;
}

double progress_seconds(const progress *p)
{
    return now() - p->began;
}
