/* SPDX-License-Identifier: BSD-3-Clause
 * A cache directory that lasts as long as a test, and the device that OpenCL tests run on. */
#ifndef SHOAL_TESTS_CL_FIXTURE_H
#define SHOAL_TESTS_CL_FIXTURE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cl/cl_device.h"

/* Return code that ctest takes for a skipped test. */
enum { SKIPPED = 77 };

typedef struct scratch_directory {
    char path[256];
} scratch_directory;

static inline scratch_directory scratch_make(void)
{
    const char *top = getenv("TMPDIR");
    scratch_directory d;
    (void)snprintf(d.path, sizeof d.path, "%s/shoal-test-XXXXXX", top && *top ? top : ".");
    if (!mkdtemp(d.path)) d.path[0] = '\0';
    return d;
}

static inline void scratch_write(const scratch_directory *d, const char *name, const char *text)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", d->path, name);
    FILE *file = fopen(path, "wb");
    if (!file) return;
    (void)fputs(text, file);
    (void)fclose(file);
}

/* All headers of the kernels, where OpenCL looks for sources. */
static inline void copy_kernel_headers(const scratch_directory *d)
{
    static char text[1 << 18];
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/../../kernels", SHOAL_TEST_DATA);
    DIR *stream = opendir(path);
    CHECK(stream != NULL);
    if (!stream) return;
    for (const struct dirent *e; (e = readdir(stream));) {
        const char *ending = strrchr(e->d_name, '.');
        if (!ending || strcmp(ending, ".h") != 0) continue;
        (void)snprintf(path, sizeof path, "%s/../../kernels/%s", SHOAL_TEST_DATA, e->d_name);
        FILE *file = fopen(path, "rb");
        CHECK(file != NULL);
        if (!file) continue;
        const size_t size = fread(text, 1, sizeof text - 1, file);
        CHECK(size < sizeof text - 1);
        text[size] = '\0';
        (void)fclose(file);
        scratch_write(d, e->d_name, text);
    }
    (void)closedir(stream);
}

/* Calls visit, if not NULL, for every file, and returns their number. */
static inline int scratch_each(const scratch_directory *d, void visit(const char *path))
{
    DIR *stream = opendir(d->path);
    int n = 0;
    if (!stream) return -1;
    for (const struct dirent *e; (e = readdir(stream));) {
        char path[600];
        if (e->d_name[0] == '.') continue;
        (void)snprintf(path, sizeof path, "%s/%s", d->path, e->d_name);
        ++n;
        if (visit) visit(path);
    }
    (void)closedir(stream);
    return n;
}

static inline void scratch_unlink(const char *path)
{
    (void)unlink(path);
}

static inline void scratch_remove(scratch_directory *d)
{
    (void)scratch_each(d, scratch_unlink);
    (void)rmdir(d->path);
}

/* The device to test with: the first GPU, else the first of all; NULL, with a word on why, if there
 * is none. */
static inline const char *device_for_tests(void)
{
    cl_device_entry entry;
    const bool gpu = cl_device_choose("gpu", &entry) == SHOAL_OK;
    if (gpu || cl_device_choose("0", &entry) == SHOAL_OK) return gpu ? "gpu" : "0";
    (void)printf("skipped: %s\n", shoal_error_text());
    return NULL;
}

#endif
