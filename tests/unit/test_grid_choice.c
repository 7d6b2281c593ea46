/* SPDX-License-Identifier: BSD-3-Clause
 * Grid or direct sums: what is chosen, what is kept, and what is found again. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grid_fixture.h"
#include "shoal/device.h"

static char folder[256];

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* A grid where it costs less, of an input of some atoms: the costs are in the plan. */
static void test_costs(const shoal_surface *surface)
{
    shoal_grid_choice c;
    CHECK(shoal_grid_choose(&c, surface, 0, 1, NULL) == SHOAL_OK && c.direct);
    CHECK(c.plan.nodes > 0 && c.plan.build_seconds > 0 && c.plan.direct_seconds > 0);
    CHECK(strstr(c.why, "to build, the sums of this input about 0 s") != NULL);
    const double even = c.plan.build_seconds / c.plan.direct_seconds; /* atoms */
    CHECK(shoal_grid_choose(&c, surface, 0.99 * even, 1, "cpu") == SHOAL_OK && c.direct);
    CHECK(shoal_grid_choose(&c, surface, 1.01 * even, 1, "cpu") == SHOAL_OK && !c.direct);
    /* Relaxations begin in float: half of the time. */
    CHECK(shoal_grid_choose(&c, surface, 0.0199 * even, 100, NULL) == SHOAL_OK && c.direct);
    CHECK(shoal_grid_choose(&c, surface, 0.0201 * even, 100, NULL) == SHOAL_OK && !c.direct);
    CHECK(shoal_grid_choose(&c, surface, INFINITY, 1, NULL) == SHOAL_OK && !c.direct);
    CHECK(strstr(c.why, "the sums") == NULL && shoal_error_text()[0] == '\0');
}

/* With hardly any memory left: sums. */
static void test_memory(const shoal_surface *surface, const shoal_grid *grid)
{
    CHECK(shoal_grid_fits(grid, NULL) && shoal_grid_fits(grid, "cpu"));
    CHECK(!shoal_grid_fits(NULL, NULL));
#ifndef __SANITIZE_ADDRESS__
    struct rlimit before, tight;
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%lld", &pages) == 1);
    if (file) (void)fclose(file);
    CHECK(getrlimit(RLIMIT_AS, &before) == 0);
    tight = before;
    tight.rlim_cur = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (8 << 20);
    CHECK(setrlimit(RLIMIT_AS, &tight) == 0);
    shoal_grid_choice c;
    CHECK(shoal_grid_choose(&c, surface, INFINITY, 1, NULL) == SHOAL_OK && c.direct);
    CHECK(strstr(c.why, "does not fit into the memory that is free") != NULL);
    CHECK(!shoal_grid_fits(grid, NULL));
    CHECK(setrlimit(RLIMIT_AS, &before) == 0);
#else
    (void)surface;
#endif
}

static shoal_grid *find(const shoal_surface *surface, const char *name, const char *where,
                        const char *left_alone)
{
    char path[600], why[600];
    shoal_grid *found = NULL;
    CHECK(shoal_grid_find(&found, surface, path_of(name), path, why, sizeof path) == SHOAL_OK);
    CHECK_TEXT(path, where);
    CHECK(*left_alone ? strstr(why, left_alone) != NULL : why[0] == '\0');
    return found;
}

static void test_kept(const shoal_surface *surface, const shoal_grid *grid)
{
    char path[600], cached[600];
    shoal_surface *other = make_salt(2);
    CHECK(!find(surface, "a.xyz", "", ""));
    CHECK(shoal_grid_keep(grid, path_of("a.xyz"), path, sizeof path) == SHOAL_OK);
    CHECK_TEXT(path, path_of("a.xyz.grid.h5"));
    shoal_grid *found = find(surface, "a.xyz", path, "");
    CHECK(found != NULL);
    shoal_grid_destroy(found);
    /* One of another surface is passed over and stays; a second copy goes to the cache. */
    CHECK(!find(other, "a.xyz", "", "another surface"));
    CHECK(shoal_grid_keep(grid, path_of("a.xyz"), cached, sizeof cached) == SHOAL_OK);
    CHECK(strncmp(cached, path_of("cache/grid-"), strlen(path_of("cache/grid-"))) == 0);
    CHECK(unlink(path) == 0);
    found = find(surface, "a.xyz", cached, "");
    CHECK(found != NULL);
    shoal_grid_destroy(found);
    /* Nothing is read from, or put into, a cache that others may write to. */
    CHECK(chmod(path_of("cache"), 0777) == 0 && !find(surface, "a.xyz", "", ""));
    CHECK(symlink("nowhere", path) == 0);
    CHECK(shoal_grid_keep(grid, path_of("a.xyz"), path, sizeof path) == SHOAL_E_IO &&
          strstr(shoal_error_text(), "written to by others"));
    CHECK(chmod(path_of("cache"), 0700) == 0 && unlink(cached) == 0);
    /* Why nothing could be kept is told: here a folder is in the way. */
    CHECK(mkdir(cached, 0700) == 0);
    CHECK(shoal_grid_keep(grid, path_of("a.xyz"), path, sizeof path) == SHOAL_E_IO);
    const char *why = strstr(shoal_error_text(), ": cannot be written: ");
    CHECK(why && strlen(why) > strlen(": cannot be written: "));
    CHECK(rmdir(cached) == 0);
    CHECK(unlink(path_of("a.xyz.grid.h5")) == 0 && rmdir(path_of("cache")) == 0);
    CHECK(shoal_grid_path("name.xyz", path, 8) == SHOAL_E_ARGUMENT);
    shoal_surface_destroy(other);
}

int main(void)
{
    shoal_surface *surface = make_salt(1);
    shoal_grid *grid = make_grid(surface, 0.1, false);
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(folder, sizeof folder, "%s/shoal-test-XXXXXX",
                   temporary && *temporary ? temporary : ".");
    CHECK(mkdtemp(folder) != NULL);
    (void)setenv("SHOAL_CACHE_DIR", path_of("cache"), 1);
    test_costs(surface);
    test_memory(surface, grid);
    if (shoal_grid_write_probe(path_of("probe.h5")) == SHOAL_OK) test_kept(surface, grid);
    CHECK(rmdir(folder) == 0);
    shoal_grid_destroy(grid);
    shoal_surface_destroy(surface);
    return check_done();
}
