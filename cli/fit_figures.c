/* SPDX-License-Identifier: BSD-3-Clause
 * Names of the figures of 'shoal fit' and 'shoal fit scan'. */
#include "fit_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of a name without .svg. */
static size_t stem_of(const char *name)
{
    const size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".svg") == 0 ? n - 4 : n;
}

shoal_status fit_figures(const fit_options *o, const fit_job *job, const shoal_cv_result *cv)
{
    char *prefix = strndup(o->plot, stem_of(o->plot));
    if (!prefix) return SHOAL_E_MEMORY;
    const shoal_status status = shoal_fit_plot(job->fit, cv, prefix);
    free(prefix);
    return status;
}

shoal_status fit_scan_figure(const fit_options *o, shoal_fit *fit, const shoal_fit_scan *scan)
{
    const size_t length = strlen(o->plot), room = length + 16;
    char *path = malloc(room);
    if (!path) return SHOAL_E_MEMORY;
    (void)snprintf(path, room, "%s%s", o->plot, stem_of(o->plot) < length ? "" : "-scan.svg");
    const shoal_status status = shoal_fit_plot_scan(fit, scan, path);
    free(path);
    return status;
}
