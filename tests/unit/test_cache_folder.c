/* SPDX-License-Identifier: BSD-3-Clause
 * The folder of compiled kernels and grids: which one it is, and that nobody else can put anything into it. */
#include "base/cache_folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "shoal/device.h"

static char top[256];

static char *below(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

static void set_places(const char *own, const char *xdg, const char *home)
{
    (void)setenv("SHOAL_CACHE_DIR", own, 1);
    (void)setenv("XDG_CACHE_HOME", xdg, 1);
    (void)setenv("HOME", home, 1);
}

/* Opens it; the path, or why not. */
static const char *opened(bool make)
{
    static cache_folder f;
    const bool ok = cache_folder_open(&f, make);
    CHECK(ok == (f.descriptor >= 0) && (!ok || f.why[0] == '\0'));
    cache_folder_close(&f);
    CHECK(f.descriptor == -1);
    return ok ? f.path : f.why;
}

static bool refused(const char *why)
{
    return strstr(opened(true), why) != NULL;
}

static void test_order(void)
{
    struct stat info;
    set_places(below("own"), below("xdg"), below("home"));
    CHECK_TEXT(opened(false), "");
    CHECK(stat(below("own"), &info) != 0);
    CHECK_TEXT(opened(true), below("own"));
    CHECK(stat(below("own"), &info) == 0 && (info.st_mode & 0777) == 0700);
    set_places("", below("xdg"), below("home"));
    CHECK_TEXT(opened(true), below("xdg/shoal"));
    set_places("", "", below("home"));
    CHECK_TEXT(opened(true), below("home/.cache/shoal"));
    CHECK_TEXT(opened(false), below("home/.cache/shoal"));
    set_places("", "", "");
    CHECK(refused("none of SHOAL_CACHE_DIR, XDG_CACHE_HOME and HOME is set"));
    set_places(below("own"), "", "");
    (void)setenv("SHOAL_CACHE", "0", 1);
    CHECK_TEXT(opened(true), "");
    CHECK(shoal_cache_folder(NULL, 0) == SHOAL_E_UNSUPPORTED);
    (void)setenv("SHOAL_CACHE", "1", 1);
    CHECK_TEXT(opened(true), below("own"));
    (void)unsetenv("SHOAL_CACHE");
}

static void test_strangers(void)
{
    set_places(below("own"), "", "");
    static const mode_t bad[] = {0720, 0702, 0777, 01777};
    for (int k = 0; k < 4; ++k)
        CHECK(chmod(below("own"), bad[k]) == 0 && refused("may be written to by others"));
    CHECK(chmod(below("own"), 0755) == 0);
    CHECK_TEXT(opened(true), below("own"));
    CHECK(symlink(below("own"), below("link")) == 0);
    set_places(below("link"), "", "");
    CHECK(refused("no link"));
    set_places(below("link//"), "", "");
    CHECK(refused("no link"));
    FILE *file = fopen(below("file"), "w");
    CHECK(file && fclose(file) == 0);
    set_places(below("file"), "", "");
    CHECK(refused("expected a folder"));
    set_places(below("file/below"), "", "");
    CHECK(refused("below: "));
    if (geteuid() == 0) {
        CHECK(mkdir(below("theirs"), 0755) == 0 && chown(below("theirs"), 12345, 12345) == 0);
        set_places(below("theirs"), "", "");
    } else {
        set_places("/usr", "", "");
    }
    CHECK(refused("belongs to user"));
    CHECK(shoal_cache_folder(NULL, 0) == SHOAL_E_IO &&
          strstr(shoal_error_text(), "no cache of kernels and grids: ") &&
          strstr(shoal_error_text(), "belongs to user"));
}

static void test_public(void)
{
    char path[512] = "", small[4];
    set_places(below("own"), "", "");
    CHECK(shoal_cache_folder(path, sizeof path) == SHOAL_OK);
    CHECK_TEXT(path, below("own"));
    CHECK(shoal_cache_folder(small, sizeof small) == SHOAL_E_ARGUMENT); /* never a part of it */
    char *name = calloc(3000, 1);
    memset(name, 'x', 2999);
    set_places(name, "", "");
    CHECK(refused("SHOAL_CACHE_DIR is too long"));
    free(name);
}

/* The folder that was looked at, even if another has its name now. */
static void test_place(void)
{
    cache_folder f;
    struct stat info;
    char path[CACHE_PATH + 40];
    set_places(below("own"), "", "");
    CHECK(cache_folder_open(&f, true));
    CHECK(rename(below("own"), below("moved")) == 0 && mkdir(below("own"), 0777) == 0);
    CHECK(cache_folder_place(&f, "entry", path, sizeof path));
    FILE *file = fopen(path, "w");
    CHECK(file && fclose(file) == 0);
    CHECK(stat(below("moved/entry"), &info) == 0 && stat(below("own/entry"), &info) != 0);
    CHECK(!cache_folder_place(&f, "entry", path, 10)); /* never a part of it */
    cache_folder_close(&f);
    CHECK(unlink(below("moved/entry")) == 0 && rmdir(below("moved")) == 0);
}

int main(void)
{
    static const char *const made[] = {"own",         "xdg/shoal", "xdg",   "home/.cache/shoal",
                                       "home/.cache", "home",      "theirs"};
    const char *temporary = getenv("TMPDIR");
    (void)snprintf(top, sizeof top, "%s/shoal-test-XXXXXX",
                   temporary && *temporary ? temporary : ".");
    CHECK(mkdtemp(top) != NULL);
    (void)unsetenv("SHOAL_CACHE");
    test_order();
    test_strangers();
    test_public();
    test_place();
    (void)unlink(below("link"));
    (void)unlink(below("file"));
    for (size_t k = 0; k < sizeof made / sizeof made[0]; ++k) (void)rmdir(below(made[k]));
    CHECK(rmdir(top) == 0);
    return check_done();
}
