/* SPDX-License-Identifier: BSD-3-Clause
 * Where the grid of a surface comes from: a file, one kept beside the surface, or built. */
#include "grid_source.h"

#include <stdio.h>
#include <string.h>

#include "progress.h"
#include "systems.h"

bool grid_source_name(const char *surface_file, char *out, size_t size)
{
    const int n = snprintf(out, size, "%s.grid.h5", surface_file);
    return n > 0 && (size_t)n < size;
}

static bool show(void *user, double done)
{
    progress_share(user, done, "grid");
    return true;
}

int grid_source_build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                      shoal_grid **out)
{
    progress bar;
    progress_begin(&bar, !quiet);
    options->monitor = show;
    options->user = &bar;
    const shoal_status status = shoal_grid_build(out, surface, options);
    progress_end(&bar);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) (void)fclose(file);
    return file != NULL;
}

/* A grid kept beside the surface, if it is there and fits; otherwise says why not. */
static shoal_grid *find_kept(const grid_source *s, const shoal_surface *surface)
{
    char path[4096];
    shoal_grid *grid = NULL;
    if (!s->surface_file || !grid_source_name(s->surface_file, path, sizeof path) || !exists(path))
        return NULL;
    if (shoal_grid_read(&grid, path, surface) != SHOAL_OK && !s->quiet)
        cli_complain("%s; a grid is built in memory", shoal_error_text());
    return grid;
}

int grid_source_load(const grid_source *s, shoal_surface *surface, shoal_grid **out)
{
    const bool is_auto = !s->how || strcmp(s->how, "auto") == 0;
    const bool ref = s->device && strcmp(s->device, "ref") == 0;
    *out = NULL;
    if (!surface || (s->how && strcmp(s->how, "off") == 0) || ref) {
        if (s->how && !is_auto && strcmp(s->how, "off") != 0 && ref) {
            cli_complain("--grid %s: the device 'ref' sums directly; use another", s->how);
            return EXIT_USAGE;
        }
        return EXIT_ALL_FINE;
    }
    if (!is_auto) {
        if (shoal_grid_read(out, s->how, surface) == SHOAL_OK) return EXIT_ALL_FINE;
        cli_complain("--grid %s", shoal_error_text());
        return EXIT_FILES;
    }
    *out = find_kept(s, surface);
    if (*out) return EXIT_ALL_FINE;
    shoal_grid_options options = {.n_threads = s->n_threads, .samples = -1};
    return grid_source_build(surface, &options, s->quiet, out);
}
