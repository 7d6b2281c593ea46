/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL host layer on a device: building, caching, buffers, arguments, launches, error texts. */
#include "check.h"
#include "cl/cl_routine.h"
#include "cl/cl_selftest.h"
#include "cl_fixture.h"

static const char good_source[] = "__kernel void scale(__global float *x, int n, float s)\n"
                                  "{\n"
                                  "    const int i = (int)get_global_id(0);\n"
                                  "    if (i < n) x[i] *= s;\n"
                                  "}\n";

static bool says(const char *word)
{
    const bool found = strstr(shoal_error_text(), word) != NULL;
    if (!found) (void)printf("not in \"%s\": %s\n", shoal_error_text(), word);
    return found;
}

static void test_wrong_source(cl_target *target, scratch_directory *kernels)
{
    char path[600], line[600] = "";
    cl_code code;
    scratch_write(kernels, "wrong.h", "#define TWO 2\nint broken(void) { return nothing; }\n");
    scratch_write(kernels, "wrong.cl",
                  "/* */\n#include \"wrong.h\"\n__kernel void f(int n) { }\n"
                  "int also(void) { return missing; }\n");
    (void)snprintf(path, sizeof path, "%s/log", kernels->path);
    (void)setenv("SHOAL_CL_LOG", path, 1);
    CHECK(cl_code_build(&code, target, "wrong.cl", "-DX=1") == SHOAL_E_DEVICE);
    (void)unsetenv("SHOAL_CL_LOG");
    (void)printf("%s\n", shoal_error_text());
    CHECK(code.program == NULL);
    CHECK(says("kernels/wrong.h:2:") && says("nothing") && says("kernels/wrong.cl:4:"));
    CHECK(says(target->device.info.name) && says("CL_BUILD_PROGRAM_FAILURE") && says("-DX=1"));
    FILE *log = fopen(path, "r");
    CHECK(log && fgets(line, sizeof line, log) && strstr(line, "kernels/wrong.cl"));
    if (log) (void)fclose(log);
    cl_code_free(&code);
    CHECK(cl_code_build(&code, target, "absent.cl", "") == SHOAL_E_DEVICE);
}

/* Halves three of four numbers. */
static void check_scale(cl_code *code)
{
    cl_target *target = code->target;
    float x[] = {1, 2, 3, 4};
    cl_routine scale;
    cl_buffer buffer;
    CHECK(cl_routine_create(&scale, code, "scale") == SHOAL_OK);
    CHECK(cl_buffer_create(&buffer, target, "x", 4, sizeof x[0], x) == SHOAL_OK);
    CHECK(cl_routine_buffer(&scale, 0, "x", &buffer) == SHOAL_OK);
    CHECK(cl_routine_int(&scale, 1, "n", 3) == SHOAL_OK);
    CHECK(cl_routine_real(&scale, 2, "s", 0.5) == SHOAL_OK);
    CHECK(cl_routine_launch(&scale, 2, 2) == SHOAL_OK);
    CHECK(cl_routine_launch(&scale, 0, 2) == SHOAL_OK);
    CHECK(cl_buffer_read(&buffer, 0, sizeof x, x) == SHOAL_OK);
    CHECK(x[0] == 0.5f && x[1] == 1.0f && x[2] == 1.5f && x[3] == 4.0f);
    cl_buffer_free(&buffer);
    cl_routine_free(&scale);
}

static void damage_binaries(const char *path)
{
    if (!strstr(path, ".bin")) return;
    FILE *file = fopen(path, "r+b");
    if (!file) return;
    (void)fseek(file, 60, SEEK_SET);
    for (int k = 0; k < 8; ++k) (void)fputc(0xa5, file);
    (void)fclose(file);
}

/* Builds once more and says what it took: 1 from the cache, 0 from source, -1 failed. */
static int build_again(cl_target *target, const char *options)
{
    cl_shared_forget(target->shared);
    const cl_build_counts before = cl_shared_counts(target->shared);
    cl_code code, same;
    if (cl_code_build(&code, target, "scale.cl", options) != SHOAL_OK) return -1;
    check_scale(&code);
    const cl_build_counts after = cl_shared_counts(target->shared);
    CHECK(after.n_cached - before.n_cached + after.n_compiled - before.n_compiled == 1);
    /* Who asks next gets the same program, and nothing is built or read. */
    CHECK(cl_code_build(&same, target, "scale.cl", options) == SHOAL_OK);
    const cl_build_counts last = cl_shared_counts(target->shared);
    CHECK(last.n_cached == after.n_cached && last.n_compiled == after.n_compiled);
    CHECK(same.program == code.program);
    cl_code_free(&same);
    cl_code_free(&code);
    return after.n_cached - before.n_cached;
}

static void test_cache(cl_target *target, scratch_directory *cache, scratch_directory *kernels)
{
    scratch_write(kernels, "scale.cl", good_source);
    CHECK(build_again(target, "") == 0);
    CHECK(build_again(target, "") == 1);
    CHECK(build_again(target, "-DOTHER") == 0);
    CHECK(build_again(target, "-DOTHER") == 1);
    (void)scratch_each(cache, damage_binaries);
    CHECK(build_again(target, "") == 0);
    CHECK(build_again(target, "") == 1);
    (void)setenv("SHOAL_CACHE", "0", 1);
    CHECK(build_again(target, "") == 0);
    (void)unsetenv("SHOAL_CACHE");
    scratch_write(kernels, "scale.cl", "/* changed */\n");
    cl_shared_forget(target->shared);
    cl_code code;
    CHECK(cl_code_build(&code, target, "scale.cl", "") == SHOAL_OK);
    cl_routine scale;
    CHECK(cl_routine_create(&scale, &code, "scale") == SHOAL_E_DEVICE && says("kernel scale"));
    cl_code_free(&code);
    scratch_write(kernels, "scale.cl", good_source);
    cl_shared_forget(target->shared);
}

/* A whole file that our checksum accepts and no driver does. */
static void test_foreign_binary(cl_target *target)
{
    char text[600];
    (void)snprintf(text, sizeof text, "#line 1 \"kernels/scale.cl\"\n%s", good_source);
    const cl_cache_key key = cl_target_key(target, text, "-cl-std=CL1.2 -DFOREIGN");
    cl_cache_store(key, "bin", "this is no program", 18);
    CHECK(build_again(target, "-DFOREIGN") == 0);
    CHECK(build_again(target, "-DFOREIGN") == 1);
}

static void test_buffers(cl_target *target)
{
    cl_buffer empty, four;
    int32_t x[4] = {1, 2, 3, 4};
    const int32_t seven = 7;
    const int64_t before = target->allocated_bytes;
    CHECK(cl_buffer_create(&empty, target, "empty", 0, sizeof x[0], x) == SHOAL_OK);
    CHECK(empty.memory && empty.size == 0 && empty.allocated == 4);
    CHECK(cl_buffer_write(&empty, 0, 0, NULL) == SHOAL_OK);
    CHECK(cl_buffer_read(&empty, 0, 0, NULL) == SHOAL_OK);
    CHECK(cl_buffer_fill(&empty, &seven, sizeof seven) == SHOAL_OK);
    CHECK(cl_buffer_read(&empty, 0, 4, x) == SHOAL_E_ARGUMENT && says("'empty'"));
    CHECK(cl_buffer_create(&four, target, "four", 4, sizeof x[0], NULL) == SHOAL_OK);
    CHECK(cl_buffer_fill(&four, &seven, sizeof seven) == SHOAL_OK);
    CHECK(cl_buffer_write(&four, 4, 8, x) == SHOAL_OK);
    CHECK(cl_buffer_read(&four, 0, 16, x) == SHOAL_OK);
    CHECK(x[0] == 7 && x[1] == 1 && x[2] == 2 && x[3] == 7);
    CHECK(cl_buffer_write(&four, 8, 12, x) == SHOAL_E_ARGUMENT && says("12 bytes at 8"));
    CHECK(cl_buffer_write(&four, SIZE_MAX, 12, x) == SHOAL_E_ARGUMENT);
    CHECK(cl_buffer_fill(&four, x, 12) == SHOAL_E_ARGUMENT);
    CHECK(target->allocated_bytes == before + 20);
    cl_buffer_free(&empty);
    cl_buffer_free(&four);
    cl_buffer_free(&four);
    CHECK(target->allocated_bytes == before);
}

static void test_memory(cl_target *target)
{
    const size_t most = (size_t)target->device.info.max_buffer_bytes;
    const int64_t all = target->device.info.memory_bytes;
    cl_buffer big;
    CHECK(cl_buffer_create(&big, target, "big", most + 1, 1, NULL) == SHOAL_E_MEMORY);
    CHECK(says("'big'") && says("at once") && says(target->device.info.name) && !big.memory);
    CHECK(cl_buffer_create(&big, target, "big", SIZE_MAX / 2, 16, NULL) == SHOAL_E_MEMORY);
    (void)cl_shared_allocate(target->shared, all);
    CHECK(cl_buffer_create(&big, target, "big", 16, 1, NULL) == SHOAL_E_MEMORY && says("in use"));
    (void)cl_shared_allocate(target->shared, -all);
}

static void test_arguments(cl_target *target)
{
    cl_code code;
    cl_routine scale, none;
    cl_routine_limits limits;
    cl_buffer no_buffer = {0};
    CHECK(cl_code_build(&code, target, "scale.cl", "") == SHOAL_OK);
    CHECK(cl_routine_create(&none, &code, "shrink") == SHOAL_E_DEVICE);
    CHECK(says("kernel shrink") && says("CL_INVALID_KERNEL_NAME"));
    cl_routine_free(&none);
    CHECK(cl_routine_create(&scale, &code, "scale") == SHOAL_OK);
    CHECK(cl_routine_int(&scale, 7, "count", 1) == SHOAL_E_DEVICE);
    CHECK(says("kernel scale, argument 7 'count'") && says("CL_INVALID_ARG_INDEX"));
    CHECK(cl_routine_buffer(&scale, 0, "x", &no_buffer) == SHOAL_E_ARGUMENT);
    CHECK(says("argument 0 'x'"));
    CHECK(cl_routine_launch(&scale, 1, 1) == SHOAL_E_DEVICE);
    CHECK(says("kernel scale, launch of 1 groups of 1") && says("CL_INVALID_KERNEL_ARGS"));
    CHECK(cl_routine_get_limits(&scale, &limits) == SHOAL_OK);
    CHECK(limits.max_group_size >= 1 && limits.group_multiple >= 1);
    cl_routine_free(&scale);
    cl_code_free(&code);
}

static void test_double(cl_target *target, scratch_directory *kernels)
{
    if (!target->device.info.fp64) {
        (void)printf("doubles left out: the device has none\n");
        return;
    }
    scratch_write(kernels, "real.cl",
                  "#ifdef SHOAL_DOUBLE\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                  "typedef double real;\n#else\ntypedef float real;\n#endif\n"
                  "__kernel void put(__global real *x, real s) { x[0] = s; }\n");
    cl_code code;
    cl_routine put;
    cl_buffer x;
    double got = 0.0;
    CHECK(cl_code_build(&code, target, "real.cl", "-DSHOAL_DOUBLE -DX") == SHOAL_OK);
    CHECK(code.is_double && cl_routine_create(&put, &code, "put") == SHOAL_OK);
    CHECK(cl_buffer_create(&x, target, "x", 1, sizeof got, NULL) == SHOAL_OK);
    CHECK(cl_routine_buffer(&put, 0, "x", &x) == SHOAL_OK);
    CHECK(cl_routine_real(&put, 1, "s", 0.1) == SHOAL_OK);
    CHECK(cl_routine_launch(&put, 1, 1) == SHOAL_OK && cl_target_finish(target) == SHOAL_OK);
    CHECK(cl_buffer_read(&x, 0, sizeof got, &got) == SHOAL_OK && got == 0.1);
    cl_buffer_free(&x);
    cl_routine_free(&put);
    cl_code_free(&code);
}

static void test_selftest(cl_target *target)
{
    CHECK(cl_selftest_run(target, 1.0f) == SHOAL_OK);
    CHECK(cl_selftest_run(target, 2.0f) == SHOAL_E_DEVICE);
    (void)printf("%s\n", shoal_error_text());
    CHECK(says("self-test") && says(target->device.info.name) && says("the host to"));
}

/* A device is opened once: the second opening makes no context and tests nothing. */
static void test_opening(const char *which, scratch_directory *cache)
{
    cl_target *first, *second;
    CHECK(scratch_each(cache, NULL) == 0);
    CHECK(cl_target_open(&first, which, false) == SHOAL_OK);
    CHECK(cl_shared_counts(first->shared).n_compiled == 1 && scratch_each(cache, NULL) == 2);
    CHECK(cl_target_open(&second, which, false) == SHOAL_OK);
    CHECK(second->shared == first->shared && second->context == first->context);
    CHECK(cl_shared_counts(first->shared).n_compiled == 1);
    int32_t n;
    CHECK(cl_target_times(second, &n) == NULL && n == 0);
    cl_target_close(first);
    cl_target_close(second);
    cl_target_close(NULL);
    CHECK(cl_target_open(&first, "no such device", false) == SHOAL_E_DEVICE && !first);
}

static void test_times(const char *which)
{
    cl_target *target;
    int32_t n;
    CHECK(cl_target_open(&target, which, true) == SHOAL_OK);
    CHECK(cl_selftest_run(target, 1.0f) == SHOAL_OK);
    CHECK(cl_selftest_run(target, 1.0f) == SHOAL_OK);
    CHECK(cl_target_finish(target) == SHOAL_OK);
    const cl_time_row *rows = cl_target_times(target, &n);
    CHECK(n == 1 && rows && rows[0].n_launches == 2 && rows[0].seconds > 0.0);
    if (n == 1) CHECK_TEXT(rows[0].kernel, "selftest_sum");
    cl_target_close(target);
}

/* How often the kernel of the self-test has run. */
static int64_t count_tests(cl_target *target)
{
    int32_t n;
    CHECK(cl_selftest(target) == SHOAL_OK && cl_target_finish(target) == SHOAL_OK);
    const cl_time_row *rows = cl_target_times(target, &n);
    return n > 0 ? rows[0].n_launches : 0;
}

/* The record of a pass is that of one device, driver and test: a new driver is tested again, once. */
static void test_record(const char *which)
{
    cl_target *target;
    CHECK(cl_target_open(&target, which, true) == SHOAL_OK);
    shoal_device_info *info = &target->device.info;
    CHECK(count_tests(target) == 0); /* it passed when it was opened */
    (void)snprintf(info->driver, sizeof info->driver, "newer");
    CHECK(count_tests(target) == 1);
    CHECK(count_tests(target) == 1);
    (void)snprintf(info->name, sizeof info->name, "another device");
    CHECK(count_tests(target) == 2);
    (void)setenv("SHOAL_CACHE", "0", 1);
    CHECK(count_tests(target) == 3);
    (void)unsetenv("SHOAL_CACHE");
    cl_target_close(target);
}

static void test_target(cl_target *target, scratch_directory *cache, scratch_directory *kernels)
{
    test_selftest(target);
    (void)setenv("SHOAL_KERNEL_DIR", kernels->path, 1);
    test_wrong_source(target, kernels);
    test_cache(target, cache, kernels);
    test_foreign_binary(target);
    test_buffers(target);
    test_memory(target);
    test_arguments(target);
    test_double(target, kernels);
    (void)unsetenv("SHOAL_KERNEL_DIR");
}

int main(void)
{
    const char *which = device_for_tests();
    if (!which) return SKIPPED;
    scratch_directory cache = scratch_make(), kernels = scratch_make();
    (void)unsetenv("SHOAL_CACHE");
    (void)unsetenv("SHOAL_KERNEL_DIR");
    (void)setenv("SHOAL_CACHE_DIR", cache.path, 1);
    test_opening(which, &cache);
    test_times(which);
    test_record(which);
    cl_target *target;
    CHECK(cl_target_open(&target, which, false) == SHOAL_OK);
    if (target) test_target(target, &cache, &kernels);
    cl_target_close(target);
    scratch_remove(&cache);
    scratch_remove(&kernels);
    return check_done();
}
