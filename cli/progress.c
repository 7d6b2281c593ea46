/* SPDX-License-Identifier: BSD-3-Clause
 * Progress of long work on stderr. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

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

void progress_show(progress *p, uint64_t done, uint64_t total, int64_t systems)
{
    if (!p->enabled || systems % 64 != 0) return;
    const double t = now(), interval = p->terminal ? 0.2 : 10;
    if (t - p->last < interval) return;
    p->last = t;
    p->shown = true;
    const double elapsed = t - p->began, part = total > 0 ? (double)done / (double)total : 0;
    const double rate = (double)systems / elapsed;
    char bar[26] = "";
    for (int k = 0; k < 25; ++k) bar[k] = k < (int)(25 * part) ? '#' : '.';
    bar[25] = '\0';
    (void)fprintf(stderr, "%s[%s] %3.0f %%  %lld systems  %.0f/s", p->terminal ? "\r" : "", bar,
                  100 * part, (long long)systems, rate);
    if (part > 0.01) (void)fprintf(stderr, "  %.0f s left  ", elapsed * (1 - part) / part);
    if (!p->terminal) (void)fputc('\n', stderr);
    (void)fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->shown && p->terminal) (void)fprintf(stderr, "\r%78s\r", "");
    p->shown = false;
}
