/* SPDX-License-Identifier: BSD-3-Clause
 * The cache of the OpenCL backend: what is stored comes back, what is damaged does not. */
#include "cl/cl_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "cl_fixture.h"

static cl_cache_key key_of(const char *a, const char *b)
{
    const char *const texts[] = {a, b};
    return cl_cache_key_of(texts, 2);
}

static bool same(cl_cache_key x, cl_cache_key y)
{
    return strcmp(x.digest, y.digest) == 0;
}

static void path_of(const scratch_directory *d, cl_cache_key key, char path[600])
{
    (void)snprintf(path, 600, "%s/%s.bin", d->path, key.digest);
}

static void test_keys(void)
{
    CHECK(same(key_of("ab", "c"), key_of("ab", "c")));
    CHECK(!same(key_of("ab", "c"), key_of("a", "bc")));
    CHECK(!same(key_of("", "x"), key_of("x", "")));
    /* SHA-256 of "ab\\0c\\0" */
    CHECK_TEXT(key_of("ab", "c").digest,
               "629c2f14f654f026086f2aefe1855533d0897f49df86a19073be17b237361b09");
}

static bool loads(cl_cache_key key, const char *want)
{
    unsigned char *data;
    size_t size;
    if (!cl_cache_load(key, "bin", &data, &size)) return false;
    const bool good = size == strlen(want) && memcmp(data, want, size) == 0;
    free(data);
    return good;
}

static void test_round_trip(const scratch_directory *d)
{
    const cl_cache_key key = key_of("source", "options"), other = key_of("source", "other");
    CHECK(!loads(key, "binary"));
    cl_cache_store(key, "bin", "binary", 6);
    CHECK(loads(key, "binary"));
    CHECK(!loads(other, "binary"));
    cl_cache_store(key, "bin", "newer", 5);
    CHECK(loads(key, "newer"));
    cl_cache_store(other, "bin", "", 0);
    CHECK(loads(other, ""));
    CHECK(scratch_each(d, NULL) == 2); /* no drafts are left */
}

/* Overwrites one byte, or cuts the file there if byte < 0. */
static void damage(const char *path, long at, int byte)
{
    if (byte < 0) {
        CHECK(truncate(path, at) == 0);
        return;
    }
    FILE *file = fopen(path, "r+b");
    CHECK(file && fseek(file, at, SEEK_SET) == 0 && fputc(byte, file) == byte);
    if (file) (void)fclose(file);
}

static void test_damage(const scratch_directory *d)
{
    const cl_cache_key key = key_of("source", "damage"), other = key_of("source", "foreign");
    static const struct {
        long at;
        int byte;
    } cases[] = {{0, 'X'},   {8, 'x'},  {71, 'x'}, {80, 0x5a}, {88, 0x5a}, {96, 'X'},
                 {102, 'X'}, {102, -1}, {96, -1},  {40, -1},   {0, -1},    {900, 'X'}};
    char path[600], foreign[600];
    path_of(d, key, path);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        cl_cache_store(key, "bin", "content", 7);
        CHECK(loads(key, "content"));
        damage(path, cases[k].at, cases[k].byte);
        CHECK(!loads(key, "content"));
    }
    cl_cache_store(key, "bin", "content", 7);
    path_of(d, other, foreign);
    CHECK(rename(path, foreign) == 0);
    CHECK(!loads(other, "content"));
}

/* What another user could have put there is not loaded. */
static void test_strangers(const scratch_directory *d)
{
    const cl_cache_key key = key_of("source", "stranger");
    char path[600], real[600];
    path_of(d, key, path);
    cl_cache_store(key, "bin", "content", 7);
    CHECK(chmod(path, 0620) == 0 && !loads(key, "content"));
    CHECK(chmod(path, 0602) == 0 && !loads(key, "content"));
    CHECK(chmod(path, 0644) == 0 && loads(key, "content"));
    (void)snprintf(real, sizeof real, "%s/real", d->path);
    /* The target stands beside the link and is a good entry: only the link is refused. */
    CHECK(rename(path, real) == 0 && symlink("real", path) == 0 && access(path, R_OK) == 0);
    CHECK(!loads(key, "content"));
    /* A link is replaced, not followed. */
    cl_cache_store(key, "bin", "other", 5);
    CHECK(loads(key, "other"));
    struct stat info;
    CHECK(stat(real, &info) == 0 && info.st_size == 96 + 7);
    CHECK(stat(path, &info) == 0 && (info.st_mode & 0777) == 0600);
    if (geteuid() == 0) CHECK(chown(path, 12345, (gid_t)-1) == 0 && !loads(key, "other"));
    CHECK(unlink(path) == 0 && mkfifo(path, 0600) == 0 && !loads(key, "other"));
    CHECK(chmod(d->path, 0770) == 0);
    cl_cache_store(key, "bin", "again", 5);
    CHECK(chmod(d->path, 0700) == 0 && !loads(key, "again"));
    cl_cache_store(key, "bin", "again", 5);
    CHECK(loads(key, "again"));
    CHECK(chmod(d->path, 0770) == 0 && !loads(key, "again"));
    CHECK(chmod(d->path, 0700) == 0);
}

/* Nothing is kept, nothing fails. */
static void test_places(const scratch_directory *d)
{
    char file[600];
    const cl_cache_key key = key_of("a", "b");
    (void)setenv("SHOAL_CACHE", "0", 1);
    cl_cache_store(key, "bin", "x", 1);
    CHECK(!loads(key, "x"));
    (void)unsetenv("SHOAL_CACHE");
    CHECK(!loads(key, "x"));
    (void)snprintf(file, sizeof file, "%s/file", d->path);
    scratch_write(d, "file", "x");
    (void)setenv("SHOAL_CACHE_DIR", file, 1);
    cl_cache_store(key, "bin", "x", 1);
    CHECK(!loads(key, "x"));
}

int main(void)
{
    scratch_directory d = scratch_make();
    (void)unsetenv("SHOAL_CACHE");
    (void)setenv("SHOAL_CACHE_DIR", d.path, 1);
    test_keys();
    test_round_trip(&d);
    test_damage(&d);
    test_strangers(&d);
    test_places(&d);
    scratch_remove(&d);
    return check_done();
}
