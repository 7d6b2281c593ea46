/* SPDX-License-Identifier: BSD-3-Clause
 * Files that remember what was built and tested for a device. */
#include "cl/cl_cache.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache_folder.h"
#include "base/hash.h"

enum { NAME_SIZE = SHA256_TEXT + 16, DRAFT_SIZE = NAME_SIZE + 48 };

/* First bytes of every file. */
typedef struct entry_header {
    char magic[8];
    cl_cache_key key;
    char unused[7];    /* zero */
    uint64_t size;     /* bytes that follow */
    uint64_t checksum; /* of them: against damage */
} entry_header;

_Static_assert(sizeof(entry_header) == 8 + SHA256_TEXT + 7 + 16, "no bytes between the members");

static const char entry_magic[8] = {'S', 'H', 'O', 'A', 'L', 'C', 'L', '2'};

cl_cache_key cl_cache_key_of(const char *const *texts, int n)
{
    cl_cache_key key;
    sha256 sum;
    sha256_begin(&sum);
    for (int k = 0; k < n; ++k) sha256_add(&sum, texts[k], strlen(texts[k]) + 1);
    sha256_end(&sum, key.digest);
    return key;
}

static void name_entry(const cl_cache_key *key, const char *kind, char name[NAME_SIZE])
{
    (void)snprintf(name, NAME_SIZE, "%s.%s", key->digest, kind);
}

/* Opens a file of ours that nobody else may write to; NULL if it is none. */
static FILE *open_entry(const cache_folder *folder, const char *name, off_t *size)
{
    struct stat info;
    const int fd = openat(folder->descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return NULL;
    const bool ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                      !(info.st_mode & (S_IWGRP | S_IWOTH));
    FILE *file = ours ? fdopen(fd, "rb") : NULL;
    if (!file) (void)close(fd);
    *size = file ? info.st_size : 0;
    return file;
}

/* What follows the header, if it is what the header says. */
static unsigned char *read_content(FILE *file, off_t file_size, const entry_header *header)
{
    if (file_size < 0 || (uint64_t)file_size - sizeof *header != header->size) return NULL;
    const size_t size = (size_t)header->size;
    unsigned char *data = malloc(size > 0 ? size : 1);
    if (!data) return NULL;
    if (fread(data, 1, size, file) == size &&
        hash_words(HASH_START, data, size) == header->checksum)
        return data;
    free(data);
    return NULL;
}

bool cl_cache_load(cl_cache_key key, const char *kind, unsigned char **data, size_t *size)
{
    cache_folder folder;
    entry_header header;
    char name[NAME_SIZE];
    off_t file_size;
    *data = NULL;
    if (!cache_folder_open(&folder, true)) return false;
    name_entry(&key, kind, name);
    FILE *file = open_entry(&folder, name, &file_size);
    cache_folder_close(&folder);
    if (!file) return false;
    if (fread(&header, sizeof header, 1, file) == 1 &&
        memcmp(header.magic, entry_magic, sizeof entry_magic) == 0 &&
        memcmp(&header.key, &key, sizeof key) == 0)
        *data = read_content(file, file_size, &header);
    (void)fclose(file);
    if (!*data) return false;
    *size = (size_t)header.size;
    return true;
}

/* A new file of ours alone; NULL if it cannot be made. */
static FILE *open_draft(const cache_folder *folder, const char *name, char draft[DRAFT_SIZE])
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)snprintf(draft, DRAFT_SIZE, "%s.%lld-%lld%09ld", name, (long long)getpid(),
                   (long long)now.tv_sec, now.tv_nsec);
    const int fd = openat(folder->descriptor, draft,
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (fd >= 0 && !file) {
        (void)close(fd);
        (void)unlinkat(folder->descriptor, draft, 0);
    }
    return file;
}

bool cl_cache_store(cl_cache_key key, const char *kind, const void *data, size_t size)
{
    cache_folder folder;
    char name[NAME_SIZE], draft[DRAFT_SIZE];
    entry_header header = {
        .key = key, .size = size, .checksum = hash_words(HASH_START, data, size)};
    memcpy(header.magic, entry_magic, sizeof entry_magic);
    if (!cache_folder_open(&folder, true)) return false;
    name_entry(&key, kind, name);
    FILE *file = open_draft(&folder, name, draft);
    bool good = file != NULL;
    if (file) {
        good = fwrite(&header, sizeof header, 1, file) == 1;
        good = good && fwrite(data, 1, size, file) == size;
        good = fclose(file) == 0 && good;
        good = good && renameat(folder.descriptor, draft, folder.descriptor, name) == 0;
        if (!good) (void)unlinkat(folder.descriptor, draft, 0);
    }
    cache_folder_close(&folder);
    return good;
}

void cl_cache_remove(cl_cache_key key, const char *kind)
{
    cache_folder folder;
    char name[NAME_SIZE];
    if (!cache_folder_open(&folder, false)) return;
    name_entry(&key, kind, name);
    (void)unlinkat(folder.descriptor, name, 0);
    cache_folder_close(&folder);
}
