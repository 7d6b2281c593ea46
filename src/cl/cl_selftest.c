/* SPDX-License-Identifier: BSD-3-Clause
 * A small sum, by work-groups in local memory, compared with the host's. */
#include "cl/cl_selftest.h"

#include <stdlib.h>

#include "cl/cl_routine.h"
#include "cl/cl_source.h"

enum { N_GROUPS = 37, GROUP_SIZE = 64 };

typedef struct selftest {
    cl_code code;
    cl_routine sum;
    cl_buffer values, sums;
} selftest;

/* Quarters, of which every sum here is exact in float, in any order. */
static float value_of(int32_t i)
{
    return 0.25f * (float)((i * 7919) % 1009 - 500);
}

static shoal_status prepare(selftest *t, cl_target *target)
{
    float values[N_GROUPS * GROUP_SIZE];
    for (int32_t i = 0; i < N_GROUPS * GROUP_SIZE; ++i) values[i] = value_of(i);
    SHOAL_TRY(cl_code_build(&t->code, target, "selftest.cl", ""));
    SHOAL_TRY(cl_routine_create(&t->sum, &t->code, "selftest_sum"));
    SHOAL_TRY(cl_buffer_create(&t->values, target, "values", N_GROUPS * GROUP_SIZE,
                               sizeof values[0], values));
    return cl_buffer_create(&t->sums, target, "sums", N_GROUPS, sizeof(float), NULL);
}

/* The largest power of two up to GROUP_SIZE that the device grants the kernel. */
static shoal_status choose_group_size(const selftest *t, size_t *group_size)
{
    cl_routine_limits limits;
    SHOAL_TRY(cl_routine_get_limits(&t->sum, &limits));
    *group_size = GROUP_SIZE;
    while (*group_size > 1 && *group_size > limits.max_group_size) *group_size /= 2;
    return SHOAL_OK;
}

static shoal_status compare(const cl_target *target, const float *sums, size_t group_size,
                            float scale)
{
    for (int32_t g = 0; g < N_GROUPS; ++g) {
        float want = 0.0f;
        for (int32_t i = 0; i < (int32_t)group_size; ++i)
            want += value_of(g * (int32_t)group_size + i);
        want *= scale;
        if (sums[g] != want)
            return shoal_fail(SHOAL_E_DEVICE,
                              "self-test of %s, %s: work-group %d of %zu items sums to %.9g, the "
                              "host to %.9g; the device or its driver does not work",
                              target->device.info.device, target->device.info.name, (int)g,
                              group_size, (double)sums[g], (double)want);
    }
    return SHOAL_OK;
}

static shoal_status run(selftest *t, const cl_target *target, float scale)
{
    float sums[N_GROUPS];
    size_t group_size;
    SHOAL_TRY(choose_group_size(t, &group_size));
    SHOAL_TRY(cl_routine_buffer(&t->sum, 0, "values", &t->values));
    SHOAL_TRY(cl_routine_buffer(&t->sum, 1, "sums", &t->sums));
    SHOAL_TRY(cl_routine_local(&t->sum, 2, "scratch", group_size * sizeof(float)));
    SHOAL_TRY(cl_routine_launch(&t->sum, N_GROUPS, group_size));
    SHOAL_TRY(cl_buffer_read(&t->sums, 0, sizeof sums, sums));
    return compare(target, sums, group_size, scale);
}

shoal_status cl_selftest_run(cl_target *target, float scale)
{
    selftest t = {0};
    shoal_status status = prepare(&t, target);
    if (status == SHOAL_OK) status = run(&t, target, scale);
    cl_buffer_free(&t.values);
    cl_buffer_free(&t.sums);
    cl_routine_free(&t.sum);
    cl_code_free(&t.code);
    return status;
}

shoal_status cl_selftest(cl_target *target)
{
    shoal_string source;
    unsigned char *mark;
    size_t size;
    SHOAL_TRY(cl_source_expand("selftest.cl", &source));
    const cl_cache_key key = cl_target_key(target, source.data, "");
    shoal_string_free(&source);
    if (cl_cache_load(key, "passed", &mark, &size)) {
        free(mark);
        return SHOAL_OK;
    }
    SHOAL_TRY(cl_selftest_run(target, 1.0f));
    (void)cl_cache_store(key, "passed", "", 0);
    return SHOAL_OK;
}
