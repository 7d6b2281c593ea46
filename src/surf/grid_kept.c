/* SPDX-License-Identifier: BSD-3-Clause
 * Grids that are kept for runs to come: beside the file of their surface, or in the cache. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cache_folder.h"
#include "surf/grid.h"
#include "surf/surface.h"

shoal_status shoal_grid_path(const char *surface_file, char *path, size_t size)
{
    shoal_clear_error();
    SHOAL_NEED(surface_file && path);
    const int n = snprintf(path, size, "%s.grid.h5", surface_file);
    if (n > 0 && (size_t)n < size) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "grid: the name of %.200s is too long", surface_file);
}

/* In the cache, by the hash of the surface: place is where, in the folder that was looked at, path its name. */
typedef struct cached {
    cache_folder folder;
    char place[CACHE_PATH + 40];
} cached;

static bool open_cache(cached *c, const shoal_surface *surface, bool make, char *path, size_t size)
{
    char name[40];
    if (!cache_folder_open(&c->folder, make)) {
        (void)shoal_fail(SHOAL_E_IO, "%s", c->folder.why[0] ? c->folder.why : "there is no cache");
        return false;
    }
    (void)snprintf(name, sizeof name, "grid-v%d-%016llx.h5", GRID_FILE_VERSION,
                   (unsigned long long)surface->view.hash);
    const int n = snprintf(path, size, "%s/%s", c->folder.path, name);
    if (n > 0 && (size_t)n < size &&
        cache_folder_place(&c->folder, name, c->place, sizeof c->place))
        return true;
    (void)shoal_fail(SHOAL_E_ARGUMENT, "grid: the name in %.200s is too long", c->folder.path);
    cache_folder_close(&c->folder);
    return false;
}

/* Something of this name, even if it cannot be read or points nowhere. */
static bool exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* A grid with channels from elsewhere is another model: it must be asked for by its name. */
static bool is_own(const shoal_grid *grid, const char *path)
{
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c)
        if (grid->view.sources[c].there) {
            (void)shoal_fail(SHOAL_E_FORMAT,
                             "%s: its %s comes from a mesh; such a grid is taken by its name alone",
                             path, shoal_channel_name(c));
            return false;
        }
    return true;
}

shoal_status shoal_grid_find(shoal_grid **out, const shoal_surface *surface,
                             const char *surface_file, char *path, char *left_alone, size_t size)
{
    shoal_clear_error();
    SHOAL_NEED(out && surface && surface_file && path && left_alone && size > 0);
    *out = NULL;
    *left_alone = '\0';
    if (shoal_grid_path(surface_file, path, size) == SHOAL_OK && exists(path) &&
        (shoal_grid_read(out, path, surface) != SHOAL_OK || !is_own(*out, path))) {
        (void)snprintf(left_alone, size, "%s", shoal_error_text());
        shoal_grid_destroy(*out);
        *out = NULL;
    }
    cached c;
    if (!*out && open_cache(&c, surface, false, path, size)) {
        if (exists(c.place)) (void)shoal_grid_read(out, c.place, surface);
        cache_folder_close(&c.folder);
    }
    if (!*out) *path = '\0';
    shoal_clear_error();
    return SHOAL_OK;
}

shoal_status shoal_grid_keep(const shoal_grid *grid, const char *surface_file, char *path,
                             size_t size)
{
    shoal_clear_error();
    SHOAL_NEED(grid && surface_file && path && size > 0);
    if (shoal_grid_path(surface_file, path, size) == SHOAL_OK && !exists(path) &&
        shoal_grid_write_probe(path) == SHOAL_OK && shoal_grid_write(grid, path) == SHOAL_OK)
        return SHOAL_OK;
    cached c;
    if (!open_cache(&c, grid->view.surface, true, path, size)) return SHOAL_E_IO;
    const shoal_status status = shoal_grid_write(grid, c.place);
    cache_folder_close(&c.folder);
    if (status == SHOAL_OK) return SHOAL_OK;
    char why[300];
    (void)snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, shoal_error_text());
    return shoal_fail(status, "%s: cannot be written: %s", path, why);
}
