/* SPDX-License-Identifier: BSD-3-Clause
 * Input of a fuzz target for readers of HDF5 files: changes to a good file, as most of the bytes of one are never looked at
 * and few changes leave something that HDF5 opens. Four bytes change one: three number those that are not zero, the
 * fourth takes its place. */
#ifndef SHOAL_TESTS_FUZZ_FILE_H
#define SHOAL_TESTS_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "shoal/shoal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* HDF5 asks for as much memory as a damaged file says, and answers with an error where it gets none. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

enum { FUZZ_MOST = 4 << 20 };

typedef struct fuzz_base {
    uint8_t *bytes;
    size_t size;
    size_t *used; /* bytes that are not zero */
    size_t n_used;
} fuzz_base;

/* A file below tests/fuzz/base. */
static inline fuzz_base fuzz_base_read(const char *name)
{
    char path[512];
    fuzz_base b = {.bytes = malloc(FUZZ_MOST)};
    (void)snprintf(path, sizeof path, "%s/%s", SHOAL_FUZZ_BASE, name);
    gzFile file = gzopen(path, "rb");
    const int n = file && b.bytes ? gzread(file, b.bytes, FUZZ_MOST) : -1;
    if (n <= 0 || gzclose(file) != Z_OK) abort();
    b.size = (size_t)n;
    b.used = calloc(b.size, sizeof *b.used);
    if (!b.used) abort();
    for (size_t k = 0; k < b.size; ++k)
        if (b.bytes[k]) b.used[b.n_used++] = k;
    return b;
}

/* A file in memory with the changes: its descriptor, to be closed; its name is put into path. */
static inline int fuzz_file(const fuzz_base *b, const uint8_t *data, size_t size, char path[64])
{
    const int id = memfd_create("input", 0);
    if (id < 0 || write(id, b->bytes, b->size) != (ssize_t)b->size) abort();
    for (; size >= 4; data += 4, size -= 4) {
        const size_t k = ((size_t)data[0] << 16 | (size_t)data[1] << 8 | data[2]) % b->n_used;
        if (pwrite(id, &data[3], 1, (off_t)b->used[k]) != 1) abort();
    }
    (void)snprintf(path, 64, "/proc/self/fd/%d", id);
    return id;
}

/* A failed call must say why, and a good one nothing. */
static inline void fuzz_judge(shoal_status status)
{
    if ((status != SHOAL_OK) != (shoal_error_text()[0] != '\0')) abort();
}

#endif
