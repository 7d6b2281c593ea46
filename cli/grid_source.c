/* SPDX-License-Identifier: BSD-3-Clause
 * Where the grid of a surface comes from: a file, one kept beside the surface or in the cache, or built. */
#include "grid_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Builds with a progress bar. */
static shoal_status build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                          shoal_grid **out)
{
    progress bar;
    progress_begin(&bar, !quiet);
    options->monitor = show;
    options->user = &bar;
    const shoal_status status = shoal_grid_build(out, surface, options);
    progress_end(&bar);
    return status;
}

int grid_source_build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                      shoal_grid **out)
{
    const shoal_status status = build(surface, options, quiet, out);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

static bool exists(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file) (void)fclose(file);
    return file != NULL;
}

/* Name in the user's cache: SHOAL_CACHE_DIR, XDG_CACHE_HOME/shoal or ~/.cache/shoal, by the hash of
 * the surface. False if there is no such place. */
static bool cache_name(const shoal_surface *surface, bool make, char *out, size_t size)
{
    const char *own = getenv("SHOAL_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char folder[3900];
    shoal_surface_view v;
    int n = -1;
    if (own && *own)
        n = snprintf(folder, sizeof folder, "%s", own);
    else if (xdg && *xdg)
        n = snprintf(folder, sizeof folder, "%s/shoal", xdg);
    else if (home && *home)
        n = snprintf(folder, sizeof folder, "%s/.cache/shoal", home);
    if (n < 1 || (size_t)n >= sizeof folder) return false;
    for (char *at = folder + 1; make && *at; ++at)
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(folder, 0700);
            *at = '/';
        }
    if (make) (void)mkdir(folder, 0700);
    shoal_surface_get(surface, &v);
    n = snprintf(out, size, "%s/grid-%016llx.h5", folder, (unsigned long long)v.hash);
    return n > 0 && (size_t)n < size;
}

/* A grid kept beside the surface or in the cache, if it is there and fits. Of one that lies beside the
 * surface and does not fit it says why not. */
static shoal_grid *find_kept(const grid_source *s, const shoal_surface *surface, char *path,
                             size_t size)
{
    shoal_grid *grid = NULL;
    if (s->surface_file && grid_source_name(s->surface_file, path, size) && exists(path)) {
        if (shoal_grid_read(&grid, path, surface) == SHOAL_OK) return grid;
        if (!s->quiet) cli_complain("%s; it is left alone", shoal_error_text());
    }
    if (s->surface_file && cache_name(surface, false, path, size) && exists(path))
        (void)shoal_grid_read(&grid, path, surface);
    return grid;
}

/* Keeps a grid that was built: beside the surface, unless a file is there, which nobody replaces, or else
 * in the cache. */
static void keep(const grid_source *s, const shoal_grid *grid, const shoal_surface *surface)
{
    char path[4096];
    bool kept = false;
    if (!s->surface_file || !s->work) return;
    struct stat info; /* also of what cannot be read, or points nowhere */
    if (grid_source_name(s->surface_file, path, sizeof path) && lstat(path, &info) != 0)
        kept = shoal_grid_write_probe(path) == SHOAL_OK && shoal_grid_write(grid, path) == SHOAL_OK;
    if (!kept && cache_name(surface, true, path, sizeof path))
        kept = shoal_grid_write(grid, path) == SHOAL_OK;
    if (s->quiet) return;
    if (kept)
        cli_complain("--grid auto: the grid is kept as %s", path);
    else
        cli_complain("--grid auto: the grid is not kept: %s", shoal_error_text());
}

/* A grid is built and kept; where that fails, sums do. */
static void build_and_keep(const grid_source *s, shoal_surface *surface, shoal_grid **out,
                           grid_found *found)
{
    shoal_grid_options options = {.n_threads = s->n_threads, .samples = -1};
    if (build(surface, &options, s->quiet, out) == SHOAL_OK) {
        keep(s, *out, surface);
        return;
    }
    (void)snprintf(found->text, sizeof found->text, "direct sums: %.250s", shoal_error_text());
    if (!s->quiet) cli_complain("--grid auto: %s", found->text);
}

/* One that is kept, or what costs less. */
static int choose(const grid_source *s, shoal_surface *surface, shoal_grid **out, grid_found *found)
{
    char path[4096];
    grid_cost cost = {0};
    const int before = s->work ? grid_chosen_before(s->work) : -1;
    if (before != 0) *out = find_kept(s, surface, path, sizeof path);
    if (*out && before < 0 && !grid_fits(*out, s->device)) {
        shoal_grid_destroy(*out);
        *out = NULL;
        (void)snprintf(found->text, sizeof found->text,
                       "direct sums: %.200s does not fit into the memory that is free", path);
        if (!s->quiet) cli_complain("--grid auto: %s", found->text);
        grid_note_choice(true);
        return EXIT_ALL_FINE;
    }
    if (*out) {
        (void)snprintf(found->text, sizeof found->text, "%.290s", path);
        grid_note_choice(false);
        return EXIT_ALL_FINE;
    }
    const shoal_status status = grid_weigh(surface, s->work, s->device, &cost);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (before >= 0) cost.direct = before == 0;
    (void)snprintf(found->text, sizeof found->text, "%s: %s",
                   cost.direct ? "direct sums" : "to be built", cost.why);
    if (cost.direct) {
        if (!s->quiet) cli_complain("--grid auto: %s", found->text);
    } else {
        found->bytes = cost.plan.bytes;
        found->seconds = cost.plan.build_seconds;
        if (!s->work || !s->work->plans) build_and_keep(s, surface, out, found);
    }
    grid_note_choice(cost.direct || (!*out && !(s->work && s->work->plans)));
    return EXIT_ALL_FINE;
}

int grid_source_load(const grid_source *s, shoal_surface *surface, shoal_grid **out,
                     grid_found *found)
{
    const bool is_auto = !s->how || strcmp(s->how, "auto") == 0;
    const bool ref = s->device && strcmp(s->device, "ref") == 0;
    *out = NULL;
    if (!surface) return EXIT_ALL_FINE;
    if ((s->how && strcmp(s->how, "off") == 0) || ref) {
        (void)snprintf(found->text, sizeof found->text, "direct sums");
        if (s->how && !is_auto && strcmp(s->how, "off") != 0 && ref) {
            cli_complain("--grid %s: the device 'ref' sums directly; use another", s->how);
            return EXIT_USAGE;
        }
        return EXIT_ALL_FINE;
    }
    if (is_auto) return choose(s, surface, out, found);
    (void)snprintf(found->text, sizeof found->text, "%.290s", s->how);
    if (shoal_grid_read(out, s->how, surface) == SHOAL_OK) return EXIT_ALL_FINE;
    cli_complain("--grid %s", shoal_error_text());
    return EXIT_FILES;
}
