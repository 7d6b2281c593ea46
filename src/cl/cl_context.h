/* SPDX-License-Identifier: BSD-3-Clause
 * A device in use: opened once per process and shared by everybody who works on it, with the programs built
 * for it. */
#ifndef SHOAL_CL_CONTEXT_H
#define SHOAL_CL_CONTEXT_H

#include "cl/cl_pool.h"

typedef struct cl_shared cl_shared;

/* The device that which names (see cl_device_match). The first call makes its context and tests it, once
 * for every driver as long as the cache can remember it; later calls return the same. It stays until the
 * process ends. Fails with SHOAL_E_DEVICE, also where the device sums wrongly. Safe from any thread. */
shoal_status cl_shared_open(cl_shared **out, const char *which);

const cl_device_entry *cl_shared_device(const cl_shared *shared);
cl_context cl_shared_context(const cl_shared *shared);
/* Memory and queues that its users leave to each other. */
cl_pool *cl_shared_pool(const cl_shared *shared);

/* Memory that the buffers of all targets of the device hold; adds bytes, may be negative. */
int64_t cl_shared_allocate(cl_shared *shared, int64_t bytes);

/* Programs built from source and taken from the cache so far. */
typedef struct cl_build_counts {
    int32_t n_compiled, n_cached;
} cl_build_counts;
cl_build_counts cl_shared_counts(cl_shared *shared);

/* A program that is kept under a key (a text), built by the first who wants it; others who want the same wait
 * for it, and only they. After a failure they try for themselves. The caller has a reference of its own. */
typedef shoal_status cl_program_build(void *what, cl_program *out, bool *cached);
shoal_status cl_shared_program(cl_shared *shared, const char *key, cl_program_build *build,
                               void *what, cl_program *out);

/* Whether a program is kept or being built. */
bool cl_shared_knows(cl_shared *shared, const char *key);

/* Forgets the programs kept so far, which those who use them keep alive: the next build looks at sources and
 * cache again. For tests, and for kernels that are edited while the process runs. */
void cl_shared_forget(cl_shared *shared);

#endif
