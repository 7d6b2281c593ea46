/* SPDX-License-Identifier: BSD-3-Clause
 * The cache of the OpenCL backend: what is stored comes back, what is damaged does not. */
#include "cl/cl_cache.h"

#include "check.h"
#include "cl_fixture.h"

static cl_cache_key key_of(const char *a, const char *b)
{
    cl_cache_key key = cl_cache_begin();
    cl_cache_add(&key, a);
    cl_cache_add(&key, b);
    return key;
}

static bool same(cl_cache_key x, cl_cache_key y)
{
    return x.a == y.a && x.b == y.b;
}

static void test_keys(void)
{
    CHECK(same(key_of("ab", "c"), key_of("ab", "c")));
    CHECK(!same(key_of("ab", "c"), key_of("a", "bc")));
    CHECK(!same(key_of("", "x"), key_of("x", "")));
    const cl_cache_key key = key_of("ab", "c");
    CHECK(key.a != key.b);
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

static void test_damage(void)
{
    const cl_cache_key key = key_of("source", "damage"), other = key_of("source", "foreign");
    static const struct {
        long at;
        int byte;
    } cases[] = {{0, 'X'}, {8, 0x5a}, {24, 0x5a}, {32, 0x5a}, {43, 'X'}, {44, 'X'},
                 {43, -1}, {40, -1},  {20, -1},   {0, -1},    {900, 'X'}};
    char path[600], foreign[600];
    CHECK(cl_cache_path(key, "bin", path, sizeof path));
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        cl_cache_store(key, "bin", "content", 7);
        CHECK(loads(key, "content"));
        damage(path, cases[k].at, cases[k].byte);
        CHECK(!loads(key, "content"));
    }
    cl_cache_store(key, "bin", "content", 7);
    CHECK(cl_cache_path(other, "bin", foreign, sizeof foreign));
    CHECK(rename(path, foreign) == 0);
    CHECK(!loads(other, "content"));
}

static void test_places(scratch_directory *d)
{
    char path[600], below[600];
    const cl_cache_key key = key_of("a", "b");
    (void)setenv("SHOAL_CACHE", "0", 1);
    CHECK(!cl_cache_path(key, "bin", path, sizeof path));
    cl_cache_store(key, "bin", "x", 1);
    (void)unsetenv("SHOAL_CACHE");
    CHECK(!loads(key, "x"));
    (void)unsetenv("SHOAL_CACHE_DIR");
    (void)setenv("XDG_CACHE_HOME", d->path, 1);
    CHECK(cl_cache_path(key, "bin", path, sizeof path));
    (void)snprintf(below, sizeof below, "%s/shoal/", d->path);
    CHECK(strncmp(path, below, strlen(below)) == 0);
    CHECK(rmdir(below) == 0);
    /* A file where the directory should be: nothing is kept, nothing fails. */
    (void)snprintf(below, sizeof below, "%s/file", d->path);
    scratch_write(d, "file", "x");
    (void)setenv("SHOAL_CACHE_DIR", below, 1);
    cl_cache_store(key, "bin", "x", 1);
    CHECK(!loads(key, "x"));
    (void)unsetenv("SHOAL_CACHE_DIR");
    (void)unsetenv("XDG_CACHE_HOME");
    (void)unsetenv("HOME");
    CHECK(!cl_cache_path(key, "bin", path, sizeof path));
}

int main(void)
{
    scratch_directory d = scratch_make();
    (void)unsetenv("SHOAL_CACHE");
    (void)setenv("SHOAL_CACHE_DIR", d.path, 1);
    test_keys();
    test_round_trip(&d);
    test_damage();
    test_places(&d);
    scratch_remove(&d);
    return check_done();
}
