/* SPDX-License-Identifier: BSD-3-Clause
 * OpenCL devices: how one is chosen, how they are listed, names of errors. */
#include <stdlib.h>

#include "check.h"
#include "cl/cl_device.h"

static cl_device_entry fake(int index, shoal_device_type type, const char *platform,
                            const char *name)
{
    cl_device_entry e = {0};
    (void)snprintf(e.info.device, sizeof e.info.device, "opencl:%d", index);
    (void)snprintf(e.info.platform, sizeof e.info.platform, "%s", platform);
    (void)snprintf(e.info.name, sizeof e.info.name, "%s", name);
    (void)snprintf(e.platform_version, sizeof e.platform_version, "OpenCL 3.0%s",
                   strstr(platform, "Portable") ? " PoCL 3.1" : "");
    e.info.type = type;
    return e;
}

/* Index chosen, or -1 after a failure. */
static int chosen(const cl_device_entry *devices, int32_t n, const char *which)
{
    int32_t index;
    const shoal_status status = cl_device_match(devices, n, which, &index);
    if (status == SHOAL_OK) return index;
    CHECK(status == SHOAL_E_DEVICE);
    return -1;
}

static bool says(const char *word)
{
    const bool found = strstr(shoal_error_text(), word) != NULL;
    if (!found) (void)printf("not in \"%s\": %s\n", shoal_error_text(), word);
    return found;
}

static void test_choice(void)
{
    const cl_device_entry all[] = {
        fake(0, SHOAL_DEVICE_CPU, "Portable Computing Language", "pthread-AMD EPYC"),
        fake(1, SHOAL_DEVICE_ACCELERATOR, "Acme", "Card 7"),
        fake(2, SHOAL_DEVICE_GPU, "NVIDIA CUDA", "NVIDIA H200"),
        fake(3, SHOAL_DEVICE_GPU, "NVIDIA CUDA", "NVIDIA L4"),
    };
    static const struct {
        const char *which;
        int n, found;
    } cases[] = {{"", 4, 2},
                 {"", 2, 1},
                 {"0", 4, 0},
                 {"3", 4, 3},
                 {"gpu", 4, 2},
                 {"GPU", 4, 2},
                 {"cpu", 4, 0},
                 {"accelerator", 4, 1},
                 {"l4", 4, 3},
                 {"pocl", 4, 0},
                 {"cuda nvidia h", 4, 2},
                 {"nvidia", 3, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k)
        CHECK(chosen(all, cases[k].n, cases[k].which) == cases[k].found);
}

static void test_refusal(void)
{
    const cl_device_entry all[] = {
        fake(0, SHOAL_DEVICE_CPU, "Portable Computing Language", "pthread-AMD EPYC"),
        fake(1, SHOAL_DEVICE_GPU, "NVIDIA CUDA", "NVIDIA H200"),
        fake(2, SHOAL_DEVICE_GPU, "NVIDIA CUDA", "NVIDIA L4"),
    };
    CHECK(chosen(all, 3, "nvidia") == -1);
    CHECK(says("more than one") && says("opencl:1 = NVIDIA H200 (gpu, NVIDIA CUDA)"));
    CHECK(says("opencl:2 = NVIDIA L4"));
    CHECK(chosen(all, 3, "3") == -1);
    CHECK(says("opencl:3: no such device") && says("opencl:0 = pthread-AMD EPYC"));
    CHECK(chosen(all, 3, "99999999999999999999") == -1);
    CHECK(chosen(all, 3, "-1") == -1);
    CHECK(chosen(all, 3, "radeon") == -1);
    CHECK(says("no such device"));
    CHECK(chosen(all, 3, "accelerator") == -1);
    CHECK(says("no device is of this type"));
    CHECK(chosen(all, 1, "") == -1);
    CHECK(says("there is no GPU") && says("'opencl:cpu'") && says("'opencl:0'"));
    CHECK(chosen(NULL, 0, "") == -1);
    CHECK(says("no driver"));
}

static void test_error_names(void)
{
    CHECK_TEXT(cl_error_name(CL_SUCCESS), "CL_SUCCESS");
    CHECK_TEXT(cl_error_name(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
    CHECK_TEXT(cl_error_name(CL_INVALID_WORK_GROUP_SIZE), "CL_INVALID_WORK_GROUP_SIZE");
    CHECK_TEXT(cl_error_name(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    CHECK_TEXT(cl_error_name(-4242), "unknown OpenCL error");
    /* 1.2 leaves no gaps in these ranges. */
    for (int code = 0; code >= -19; --code) CHECK(strncmp(cl_error_name(code), "CL_", 3) == 0);
    for (int code = -30; code >= -68; --code) CHECK(strncmp(cl_error_name(code), "CL_", 3) == 0);
    CHECK(cl_error_status(CL_MEM_OBJECT_ALLOCATION_FAILURE) == SHOAL_E_MEMORY);
    CHECK(cl_error_status(CL_INVALID_KERNEL) == SHOAL_E_DEVICE);
}

/* "cpu" and "ref" are always there; what follows is as OpenCL lists it. */
static void test_public_list(void)
{
    int32_t n, n_opencl;
    shoal_device_info info;
    cl_device_entry *devices;
    if (cl_device_list(&devices, &n_opencl) != SHOAL_OK) {
        (void)printf("without OpenCL devices: %s\n", shoal_error_text());
        devices = NULL;
        n_opencl = 0;
    }
    CHECK(shoal_device_count(&n) == SHOAL_OK && n == 2 + n_opencl);
    CHECK(shoal_device_get(0, &info) == SHOAL_OK);
    CHECK_TEXT(info.device, "cpu");
    CHECK(info.name[0] && info.instruction_set[0] && info.compute_units >= 1 && info.fp64);
    CHECK(shoal_device_get(1, &info) == SHOAL_OK);
    CHECK_TEXT(info.device, "ref");
    for (int32_t k = 0; k < n_opencl; ++k) {
        CHECK(shoal_device_get(2 + k, &info) == SHOAL_OK);
        CHECK_TEXT(info.device, devices[k].info.device);
        CHECK(info.name[0] && info.platform[0] && info.compute_units > 0);
        CHECK(info.memory_bytes > 0 && info.max_buffer_bytes > 0 && info.max_group_size > 0);
        CHECK(shoal_device_check(info.device) == SHOAL_OK);
        (void)printf("%s: %s\n", info.device, info.name);
    }
    free(devices);
    CHECK(shoal_device_get(n, &info) == SHOAL_E_ARGUMENT);
    CHECK(shoal_device_get(-1, &info) == SHOAL_E_ARGUMENT);
    CHECK(shoal_device_check("cpu") == SHOAL_OK && shoal_device_check("ref") == SHOAL_OK);
    CHECK(shoal_device_check("abacus") == SHOAL_E_DEVICE && says("abacus"));
    CHECK(shoal_device_check("opencl:no such thing") == SHOAL_E_DEVICE);
}

int main(void)
{
    test_choice();
    test_refusal();
    test_error_names();
    test_public_list();
    return check_done();
}
