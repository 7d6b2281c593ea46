/* SPDX-License-Identifier: BSD-3-Clause
 * Figures of 'shoal fit' and 'shoal fit scan': names and formats. */
#include "fit_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const endings[] = {".svg", ".png"};

/* Number of the format that a name ends in, -1 without one. */
static int ending_of(const char *name)
{
    const size_t length = strlen(name);
    for (int k = 0; k < 2; ++k)
        if (length > 4 && strcmp(name + length - 4, endings[k]) == 0) return k;
    return -1;
}

static shoal_figure_format format_of(const fit_options *o)
{
    const int ending = ending_of(o->plot);
    if (o->plot_format != 0) return o->plot_format;
    return ending == 1 ? SHOAL_FIGURE_PNG : SHOAL_FIGURE_SVG;
}

shoal_status fit_figures(const fit_options *o, const fit_job *job, const shoal_cv_result *cv)
{
    char *prefix = strdup(o->plot);
    if (!prefix) return SHOAL_E_MEMORY;
    if (ending_of(prefix) >= 0) prefix[strlen(prefix) - 4] = '\0';
    const shoal_status status = shoal_fit_plot(job->fit, cv, prefix, format_of(o));
    free(prefix);
    return status;
}

shoal_status fit_scan_figures(const fit_options *o, shoal_fit *fit, const shoal_fit_scan *scan)
{
    const int ending = ending_of(o->plot);
    const size_t length = strlen(o->plot) - (ending >= 0 ? 4 : 0), room = length + 16;
    char *path = malloc(room);
    shoal_status status = path ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int k = 0; k < 2 && status == SHOAL_OK; ++k) {
        if (!((unsigned)format_of(o) & (1U << k))) continue;
        (void)snprintf(path, room, "%.*s%s%s", (int)length, o->plot, ending >= 0 ? "" : "-scan",
                       endings[k]);
        status = shoal_fit_plot_scan(fit, scan, path);
    }
    free(path);
    return status;
}
