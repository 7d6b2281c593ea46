/* SPDX-License-Identifier: BSD-3-Clause
 * Input of a fuzz target as a file in memory, for readers that want a path. */
#ifndef SHOAL_TESTS_FUZZ_FILE_H
#define SHOAL_TESTS_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shoal/shoal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Its descriptor, to be closed; its name is put into path. */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[64])
{
    const int id = memfd_create("input", 0);
    if (id < 0 || write(id, data, size) != (ssize_t)size) abort();
    (void)snprintf(path, 64, "/proc/self/fd/%d", id);
    return id;
}

/* A failed call must say why, and a good one nothing. */
static inline void fuzz_judge(shoal_status status)
{
    if ((status != SHOAL_OK) != (shoal_error_text()[0] != '\0')) abort();
}

#endif
