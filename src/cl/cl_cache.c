/* SPDX-License-Identifier: BSD-3-Clause
 * Files that remember what was built and tested for a device. */
#include "cl/cl_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };

/* First bytes of every file. */
typedef struct entry_header {
    char magic[8];
    cl_cache_key key;
    uint64_t size;     /* bytes that follow */
    uint64_t checksum; /* of them */
} entry_header;

static const char entry_magic[8] = {'S', 'H', 'O', 'A', 'L', 'C', 'L', '1'};

/* FNV-1a with 64 bits. The second half of a key starts elsewhere. */
#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_OTHER_OFFSET UINT64_C(0x9ae16a3b2f90404f)
#define FNV_PRIME UINT64_C(0x100000001b3)

static uint64_t fnv(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t k = 0; k < size; ++k) hash = (hash ^ bytes[k]) * FNV_PRIME;
    return hash;
}

cl_cache_key cl_cache_begin(void)
{
    return (cl_cache_key){FNV_OFFSET, FNV_OTHER_OFFSET};
}

void cl_cache_add(cl_cache_key *key, const char *text)
{
    key->a = fnv(key->a, text, strlen(text) + 1);
    key->b = fnv(key->b, text, strlen(text) + 1);
}

/* Directory of the cache, whether or not it exists. */
static bool find_directory(char path[PATH_SIZE])
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"SHOAL_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/shoal"}, {"HOME", "/.cache/shoal"}};
    for (size_t k = 0; k < sizeof places / sizeof places[0]; ++k) {
        const char *top = getenv(places[k].variable);
        if (!top || !*top) continue;
        const int n = snprintf(path, PATH_SIZE, "%s%s", top, places[k].below);
        return n > 0 && n < PATH_SIZE;
    }
    return false;
}

static bool make_directory(char path[PATH_SIZE])
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool bad = mkdir(path, 0700) != 0 && errno != EEXIST;
        *slash = '/';
        if (bad) return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool cl_cache_path(cl_cache_key key, const char *kind, char *path, size_t size)
{
    char directory[PATH_SIZE];
    const char *wanted = getenv("SHOAL_CACHE");
    if (wanted && strcmp(wanted, "0") == 0) return false;
    if (!find_directory(directory) || !make_directory(directory)) return false;
    const int n = snprintf(path, size, "%s/%016llx%016llx.%s", directory, (unsigned long long)key.a,
                           (unsigned long long)key.b, kind);
    return n > 0 && (size_t)n < size;
}

/* What follows the header, if it is what the header says. */
static unsigned char *read_content(FILE *file, const entry_header *header)
{
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || status.st_size < 0 ||
        (uint64_t)status.st_size - sizeof *header != header->size)
        return NULL;
    const size_t size = (size_t)header->size;
    unsigned char *data = malloc(size > 0 ? size : 1);
    if (!data) return NULL;
    if (fread(data, 1, size, file) == size && fnv(FNV_OFFSET, data, size) == header->checksum)
        return data;
    free(data);
    return NULL;
}

bool cl_cache_load(cl_cache_key key, const char *kind, unsigned char **data, size_t *size)
{
    char path[PATH_SIZE + 64];
    entry_header header;
    *data = NULL;
    if (!cl_cache_path(key, kind, path, sizeof path)) return false;
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    if (fread(&header, sizeof header, 1, file) == 1 &&
        memcmp(header.magic, entry_magic, sizeof entry_magic) == 0 && header.key.a == key.a &&
        header.key.b == key.b)
        *data = read_content(file, &header);
    (void)fclose(file);
    if (!*data) return false;
    *size = (size_t)header.size;
    return true;
}

void cl_cache_store(cl_cache_key key, const char *kind, const void *data, size_t size)
{
    char path[PATH_SIZE + 64], draft[PATH_SIZE + 80];
    entry_header header = {.key = key, .size = size, .checksum = fnv(FNV_OFFSET, data, size)};
    memcpy(header.magic, entry_magic, sizeof entry_magic);
    if (!cl_cache_path(key, kind, path, sizeof path)) return;
    (void)snprintf(draft, sizeof draft, "%s.XXXXXX", path);
    const int descriptor = mkstemp(draft);
    if (descriptor < 0) return;
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        (void)close(descriptor);
        (void)unlink(draft);
        return;
    }
    bool good = fwrite(&header, sizeof header, 1, file) == 1;
    good = good && fwrite(data, 1, size, file) == size;
    good = fclose(file) == 0 && good;
    if (!good || rename(draft, path) != 0) (void)unlink(draft);
}
