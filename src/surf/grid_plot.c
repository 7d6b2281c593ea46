/* SPDX-License-Identifier: BSD-3-Clause
 * Errors of a grid against height as a figure. */
#include <stdlib.h>

#include "base/alloc.h"
#include "io/figure.h"
#include "shoal/grid.h"

shoal_status shoal_grid_plot(const char *path, const shoal_grid_sample *samples, int32_t n)
{
    shoal_clear_error();
    SHOAL_NEED(path && samples);
    double *columns = shoal_alloc(3 * (size_t)n, sizeof *columns);
    if (!columns) return SHOAL_E_MEMORY;
    double *height = columns, *de = columns + n, *df = columns + 2 * (size_t)n;
    for (int32_t i = 0; i < n; ++i) {
        height[i] = samples[i].height;
        de[i] = 1e3 * samples[i].de;
        df[i] = 1e3 * samples[i].df;
    }
    const figure_series energy = {.style = FIGURE_DOTS, .n = n, .x = height, .y = de};
    const figure_series force = {.style = FIGURE_DOTS, .n = n, .x = height, .y = df};
    const figure_panel panels[2] = {{.x = {.label = "height above contact, A"},
                                     .y = {.label = "|dE|, meV", .log = true},
                                     .series = &energy,
                                     .n_series = 1},
                                    {.x = {.label = "height above contact, A"},
                                     .y = {.label = "|dF|, meV/A", .log = true},
                                     .series = &force,
                                     .n_series = 1}};
    const shoal_status status = figure_write(path, "grid against direct sum", panels, 2, 2);
    free(columns);
    return status;
}
