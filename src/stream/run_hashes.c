/* SPDX-License-Identifier: BSD-3-Clause
 * Hashes of the inputs of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/sha256.h"
#include "stream/run.h"

#define CHUNK ((size_t)1 << 16)

static bool is_file(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Chunks are whole words but for the last, so that they give what the whole gives. */
static void hash_file(run_hashes *h, int32_t k)
{
    char *buffer = malloc(CHUNK);
    FILE *file = buffer ? fopen(h->files[k], "rb") : NULL;
    uint64_t hash = HASH_START;
    sha256 s;
    size_t n = 1;
    sha256_begin(&s);
    while (file && n > 0 && !atomic_load(&h->stop)) {
        n = fread(buffer, 1, CHUNK, file);
        hash = hash_words(hash, buffer, n);
        if (h->digests) sha256_add(&s, buffer, n);
    }
    if (file && !ferror(file) && n == 0) h->hashes[k] = hash;
    if (h->hashes[k] && h->digests) sha256_end(&s, h->digests[k]);
    if (file) (void)fclose(file);
    free(buffer);
}

static void *hash_files(void *p)
{
    run_hashes *h = p;
    for (int32_t k = 0; k < h->n_files; ++k)
        if (is_file(h->files[k])) hash_file(h, k);
    atomic_store(&h->done, true);
    return NULL;
}

shoal_status run_hashes_begin(run_hashes *h, const char *const *files, int32_t n_files,
                              bool digests)
{
    *h = (run_hashes){.files = files, .n_files = n_files};
    h->hashes = shoal_alloc((size_t)n_files, sizeof *h->hashes);
    if (digests) h->digests = shoal_alloc((size_t)n_files, sizeof *h->digests);
    if (!h->hashes || (digests && !h->digests)) return SHOAL_E_MEMORY;
    h->running = n_files > 0 && pthread_create(&h->thread, NULL, hash_files, h) == 0;
    if (!h->running) (void)hash_files(h);
    return SHOAL_OK;
}

bool run_hashes_done(run_hashes *h, bool wait)
{
    if (wait && h->running) {
        (void)pthread_join(h->thread, NULL);
        h->running = false;
    }
    return atomic_load(&h->done);
}

void run_hashes_end(run_hashes *h)
{
    atomic_store(&h->stop, true);
    (void)run_hashes_done(h, true);
    free(h->hashes);
    free(h->digests);
    h->hashes = NULL;
    h->digests = NULL;
}
