/* SPDX-License-Identifier: BSD-3-Clause
 * Libraries loaded at run time: found, missing, or without what is wanted. */
#include "base/library.h"

#include <libgen.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "shoal/stream.h"

static double (*cosine)(double);

static bool load(const char *first, const char *second, const char *name, char *failure)
{
    const library_symbol symbol = {name, &cosine};
    const library_request request = {
        .title = "Mathematics", .files = {first, second}, .symbols = &symbol, .n_symbols = 1};
    return library_load(&request, failure);
}

/* Finds a file that is made in a folder beside this program, and no longer once it is gone. */
static void check_beside(const char *program, const char *folder)
{
    char place[LIBRARY_PATH_SIZE], file[LIBRARY_PATH_SIZE + 32], copy[LIBRARY_PATH_SIZE];
    char found[LIBRARY_PATH_SIZE] = "";
    (void)snprintf(copy, sizeof copy, "%s", program);
    (void)snprintf(place, sizeof place, "%.3000s/%s", dirname(copy), folder);
    (void)snprintf(file, sizeof file, "%s/test_library.txt", place);
    (void)remove(file); /* of a test that ended early */
    CHECK(!library_find_beside("test_library.txt", found));
    (void)mkdir(place, 0777);
    FILE *f = fopen(file, "w");
    CHECK(f && fclose(f) == 0);
    CHECK(library_find_beside("test_library.txt", found));
    struct stat a, b;
    CHECK(stat(found, &a) == 0 && stat(file, &b) == 0 && a.st_ino == b.st_ino);
    CHECK(remove(file) == 0);
    CHECK(!library_find_beside("test_library.txt", found));
}

/* Who tells that this is one of several ranks; a plugin that is not there is not passed over. */
static void test_launchers(void)
{
    static const struct {
        const char *name, *value;
        bool several;
    } told[] = {{"OMPI_COMM_WORLD_SIZE", "2", true},
                {"PMI_SIZE", "2", true},
                {"MV2_COMM_WORLD_SIZE", "2", true},
                {"PMIX_RANK", "0", true},
                {"PMI_RANK", "0", true},
                {"OMPI_COMM_WORLD_SIZE", "1", false},
                {"PMI_SIZE", "1", false},
                {"MV2_COMM_WORLD_SIZE", "1", false}};
    enum { N = sizeof told / sizeof told[0] };
    for (int k = 0; k < N; ++k) CHECK(unsetenv(told[k].name) == 0);
    CHECK(setenv("SHOAL_MPI_PLUGIN", "no/such/plugin.so", 1) == 0);
    for (int k = 0; k < N; ++k) {
        shoal_peers peers = {0};
        CHECK(setenv(told[k].name, told[k].value, 1) == 0);
        CHECK((shoal_peers_open(&peers, false) == SHOAL_E_UNSUPPORTED) == told[k].several);
        shoal_peers_close(&peers);
        CHECK(unsetenv(told[k].name) == 0);
    }
    CHECK(unsetenv("SHOAL_MPI_PLUGIN") == 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    check_beside(argv[0], ".");
    check_beside(argv[0], "shoal");
    char failure[LIBRARY_FAILURE_SIZE] = "";
    CHECK(load("libm.so.6", NULL, "cos", failure));
    CHECK_TEXT(failure, "");
    CHECK_NEAR(cosine(0), 1, 0);
    /* The second name stands in for the first. */
    CHECK(load("libno-such-thing.so.1", "libm.so.6", "cos", failure));
    CHECK_TEXT(failure, "");
    CHECK(!load("libno-such-thing.so.1", NULL, "cos", failure));
    CHECK(strstr(failure, "Mathematics is not installed: libno-such-thing.so.1") != NULL);
    /* What is missing is named by what was tried first. */
    CHECK(!load(NULL, "libno-such-other.so.1", "cos", failure));
    CHECK(strstr(failure, "Mathematics is not installed: libno-such-other.so.1") != NULL);
    CHECK(!load("libno-such-thing.so.1", "libno-such-other.so.1", "cos", failure));
    CHECK(strstr(failure, "Mathematics is not installed: libno-such-thing.so.1") != NULL);
    CHECK(!load("libm.so.6", NULL, "shoal_no_such_symbol", failure));
    CHECK(strstr(failure, "lacks shoal_no_such_symbol") != NULL);
    test_launchers();
    return check_done();
}
