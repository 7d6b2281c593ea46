/* SPDX-License-Identifier: BSD-3-Clause
 * Progress of long work on stderr. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define BAR 25

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(progress *p, bool enabled)
{
    *p = (progress){.enabled = enabled, .terminal = isatty(STDERR_FILENO) == 1};
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

static void print_share(const progress *p, double part)
{
    char bar[BAR + 1];
    for (int k = 0; k < BAR; ++k) bar[k] = k < (int)(BAR * part) ? '#' : '.';
    bar[BAR] = '\0';
    (void)fprintf(stderr, "%s[%s] %3.0f %%", p->terminal ? "\r\033[K" : "", bar, 100 * part);
}

static void print_left(const progress *p, double part)
{
    const double left = progress_seconds(p) * (1 - part) / part;
    if (part > 0.01)
        (void)fprintf(stderr, "  %.0f %s left  ", left < 600 ? left : left / 60,
                      left < 600 ? "s" : "min");
    if (!p->terminal) (void)fputc('\n', stderr);
    (void)fflush(stderr);
}

/* A count with its rate since the start. */
static void print_rate(const progress *p, int64_t n, const char *unit)
{
    (void)fprintf(stderr, "  %.3g %s/s", (double)n / progress_seconds(p), unit);
}

void progress_stream(progress *p, const shoal_stream_progress *s)
{
    if (!p->enabled || !is_due(p)) return;
    print_share(p, s->part);
    (void)fprintf(stderr, "  %lld systems", (long long)s->n_done);
    if (s->part > 0) (void)fprintf(stderr, " of about %.3g", (double)s->n_done / s->part);
    if (s->n_failed > 0) (void)fprintf(stderr, ", %lld failed", (long long)s->n_failed);
    print_rate(p, s->n_done, "systems");
    if (s->large_index >= 0) {
        (void)fprintf(stderr, "  #%lld: %d atoms, step %d", (long long)s->large_index,
                      s->large_atoms, s->large_steps);
        if (isfinite(s->large_energy))
            (void)fprintf(stderr, ", %.6g eV, fmax %.3g", s->large_energy, s->large_fmax);
    }
    print_left(p, s->part);
}

void progress_step(progress *p, int64_t step, double rmse_kcal)
{
    if (!p->enabled || !is_due(p)) return;
    (void)fprintf(stderr, "%sstep %lld, RMSE %.6g kcal/mol%s", p->terminal ? "\r\033[K" : "",
                  (long long)step, rmse_kcal, p->terminal ? "  " : "\n");
    (void)fflush(stderr);
}

void progress_share(progress *p, double part, const char *what)
{
    if (!p->enabled || !is_due(p)) return;
    print_share(p, part);
    (void)fprintf(stderr, "  %s", what);
    print_left(p, part);
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
