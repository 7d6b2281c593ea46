/* SPDX-License-Identifier: BSD-3-Clause
 * Devices that are open in this process. */
#include "cl/cl_context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cl/cl_selftest.h"
#include "cl/cl_target.h"

typedef struct kept_program {
    char *key;
    cl_program program; /* NULL while it is being built */
} kept_program;

struct cl_shared {
    const cl_library *call;
    cl_device_entry device;
    cl_context context;
    cl_pool *pool;
    _Atomic int64_t allocated; /* bytes */
    pthread_mutex_t lock;      /* of what follows */
    pthread_cond_t built;      /* a program was built, or could not be */
    kept_program *programs;
    int32_t n_programs, capacity;
    cl_build_counts counts;
    cl_shared *next;
};

/* Devices are never closed: drivers tear themselves down when the process ends, and some do not bear to be
 * helped. */
static cl_shared *open_devices;
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;

static void destroy(cl_shared *s)
{
    cl_shared_forget(s);
    free(s->programs);
    cl_pool_destroy(s->pool);
    if (s->context) (void)s->call->ReleaseContext(s->context);
    (void)pthread_cond_destroy(&s->built);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

static shoal_status make_context(cl_shared *s)
{
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)s->device.platform, 0};
    cl_int code;
    s->context = s->call->CreateContext(properties, 1, &s->device.id, NULL, NULL, &code);
    if (code == CL_SUCCESS) return SHOAL_OK;
    return shoal_fail(cl_error_status(code), "no context could be made: %s (%d) on %s, %s",
                      cl_error_name(code), (int)code, s->device.info.device, s->device.info.name);
}

static shoal_status test_device(cl_shared *s)
{
    cl_target *target;
    SHOAL_TRY(cl_target_create(&target, s, false));
    const shoal_status status = cl_selftest(target);
    cl_target_close(target);
    return status;
}

static shoal_status open_device(cl_shared **out, const cl_library *call,
                                const cl_device_entry *device)
{
    cl_shared *s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->call = call;
    s->device = *device;
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->built, NULL);
    shoal_status status = make_context(s);
    if (status == SHOAL_OK) {
        s->pool = cl_pool_create(call, s->context, device);
        if (!s->pool) status = SHOAL_E_MEMORY;
    }
    if (status == SHOAL_OK) status = test_device(s);
    if (status != SHOAL_OK) {
        destroy(s);
        return status;
    }
    s->next = open_devices;
    *out = open_devices = s;
    return SHOAL_OK;
}

shoal_status cl_shared_open(cl_shared **out, const char *which)
{
    const cl_library *call;
    cl_device_entry device;
    SHOAL_TRY(cl_library_get(&call));
    SHOAL_TRY(cl_device_choose(which, &device));
    shoal_status status = SHOAL_OK;
    (void)pthread_mutex_lock(&open_lock);
    *out = open_devices;
    while (*out && (*out)->device.id != device.id) *out = (*out)->next;
    if (!*out) status = open_device(out, call, &device);
    (void)pthread_mutex_unlock(&open_lock);
    return status;
}

const cl_device_entry *cl_shared_device(const cl_shared *shared)
{
    return &shared->device;
}

cl_context cl_shared_context(const cl_shared *shared)
{
    return shared->context;
}

cl_pool *cl_shared_pool(const cl_shared *shared)
{
    return shared->pool;
}

int64_t cl_shared_allocate(cl_shared *shared, int64_t bytes)
{
    return atomic_fetch_add(&shared->allocated, bytes) + bytes;
}

cl_build_counts cl_shared_counts(cl_shared *shared)
{
    (void)pthread_mutex_lock(&shared->lock);
    const cl_build_counts counts = shared->counts;
    (void)pthread_mutex_unlock(&shared->lock);
    return counts;
}

static kept_program *find_program(cl_shared *s, const char *key)
{
    for (int32_t k = 0; k < s->n_programs; ++k)
        if (strcmp(s->programs[k].key, key) == 0) return &s->programs[k];
    return NULL;
}

/* Announces a program that is about to be built. */
static shoal_status announce(cl_shared *s, const char *key)
{
    SHOAL_TRY(SHOAL_RESERVE(&s->programs, &s->capacity, s->n_programs + 1));
    char *copy = shoal_strdup(key);
    if (!copy) return SHOAL_E_MEMORY;
    s->programs[s->n_programs++] = (kept_program){.key = copy};
    return SHOAL_OK;
}

/* Keeps an announced program, or withdraws it where program is NULL. */
static void settle(cl_shared *s, const char *key, cl_program program, bool cached)
{
    kept_program *kept = find_program(s, key);
    if (program) {
        kept->program = program;
        s->counts.n_cached += cached;
        s->counts.n_compiled += !cached;
    } else {
        free(kept->key);
        *kept = s->programs[--s->n_programs];
    }
    (void)pthread_cond_broadcast(&s->built);
}

static shoal_status retain(const cl_shared *s, cl_program program)
{
    const cl_int code = s->call->RetainProgram(program);
    if (code == CL_SUCCESS) return SHOAL_OK;
    return shoal_fail(cl_error_status(code), "%s: clRetainProgram failed: %s (%d)",
                      s->device.info.device, cl_error_name(code), (int)code);
}

shoal_status cl_shared_program(cl_shared *shared, const char *key, cl_program_build *build,
                               void *what, cl_program *out)
{
    shoal_status status = SHOAL_OK;
    bool cached = false;
    (void)pthread_mutex_lock(&shared->lock);
    const kept_program *kept;
    while ((kept = find_program(shared, key)) && !kept->program)
        (void)pthread_cond_wait(&shared->built, &shared->lock);
    if (kept)
        *out = kept->program;
    else
        status = announce(shared, key);
    if (!kept && status == SHOAL_OK) {
        (void)pthread_mutex_unlock(&shared->lock);
        status = build(what, out, &cached);
        (void)pthread_mutex_lock(&shared->lock);
        settle(shared, key, status == SHOAL_OK ? *out : NULL, cached);
    }
    if (status == SHOAL_OK) status = retain(shared, *out);
    if (status != SHOAL_OK) *out = NULL;
    (void)pthread_mutex_unlock(&shared->lock);
    return status;
}

bool cl_shared_knows(cl_shared *shared, const char *key)
{
    (void)pthread_mutex_lock(&shared->lock);
    const bool known = find_program(shared, key) != NULL;
    (void)pthread_mutex_unlock(&shared->lock);
    return known;
}

void cl_shared_forget(cl_shared *shared)
{
    int32_t n = 0;
    (void)pthread_mutex_lock(&shared->lock);
    for (int32_t k = 0; k < shared->n_programs; ++k) {
        kept_program *kept = &shared->programs[k];
        if (!kept->program) { /* whoever builds it will look for it */
            shared->programs[n++] = *kept;
            continue;
        }
        (void)shared->call->ReleaseProgram(kept->program);
        free(kept->key);
    }
    shared->n_programs = n;
    (void)pthread_mutex_unlock(&shared->lock);
}
