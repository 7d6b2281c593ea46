/* SPDX-License-Identifier: BSD-3-Clause
 * The list of devices: the processor, twice, and what OpenCL finds. */
#include "shoal/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/backend.h"
#include "backend/cpu/cpu_kernels.h"
#include "base/cache_folder.h"
#include "base/error.h"
#ifdef SHOAL_HAVE_OPENCL
#include "cl/cl_apart.h"
#include "cl/cl_device.h"
#endif

enum { N_OWN = 2 };     /* "cpu" and "ref" */
#define IDLE_SECONDS 30 /* a run that takes longer would have been faster on a GPU */

const char *shoal_device_type_name(shoal_device_type type)
{
    switch (type) {
    case SHOAL_DEVICE_CPU: return "cpu";
    case SHOAL_DEVICE_GPU: return "gpu";
    case SHOAL_DEVICE_ACCELERATOR: return "accelerator";
    case SHOAL_DEVICE_OTHER: break;
    }
    return "other";
}

/* "Key : value" of the first processor that Linux lists; false without one. */
static bool processor_text(const char *key, char *out, size_t size)
{
    char line[256];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return false;
    while (!found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0) continue;
        line[strcspn(line, "\n")] = '\0';
        (void)snprintf(out, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        found = true;
    }
    (void)fclose(file);
    return found;
}

static void describe_processor(shoal_device_info *info)
{
    const int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct utsname machine;
    if (!processor_text("model name", info->name, sizeof info->name) && uname(&machine) == 0)
        (void)snprintf(info->name, sizeof info->name, "%s", machine.machine);
    (void)processor_text("vendor_id", info->vendor, sizeof info->vendor);
    if (pages > 0 && page > 0) info->memory_bytes = pages * page;
    info->type = SHOAL_DEVICE_CPU;
    info->fp64 = true;
}

/* "avx2" out of "cpu_kernels_avx2_float". */
static void copy_instruction_set(shoal_device_info *info)
{
    const char *name = cpu_kernels_choose(SHOAL_PRECISION_FLOAT)->name;
    const char *end = strrchr(name, '_'), *start = end;
    while (start && start > name && start[-1] != '_') --start;
    if (start)
        (void)snprintf(info->instruction_set, sizeof info->instruction_set, "%.*s",
                       (int)(end - start), start);
}

static void describe_own(int32_t i_device, shoal_device_info *out)
{
    const bool cpu = i_device == 0;
    (void)snprintf(out->device, sizeof out->device, "%s", cpu ? "cpu" : "ref");
    describe_processor(out);
    out->compute_units = 1;
    if (!cpu) return;
#ifdef _OPENMP
    out->compute_units = omp_get_max_threads();
#endif
    copy_instruction_set(out);
}

#ifdef SHOAL_HAVE_OPENCL

/* Devices of OpenCL; none where it is not installed. */
static shoal_status list_opencl(cl_device_entry **devices, int32_t *n)
{
    const shoal_status status = cl_device_list(devices, n);
    if (status == SHOAL_E_DEVICE) shoal_clear_error();
    return status == SHOAL_E_DEVICE ? SHOAL_OK : status;
}

static shoal_status count_opencl(int32_t *n)
{
    cl_device_entry *devices;
    const shoal_status status = list_opencl(&devices, n);
    free(devices);
    return status;
}

static shoal_status get_opencl(int32_t index, shoal_device_info *out, int32_t *n)
{
    cl_device_entry *devices;
    const shoal_status status = list_opencl(&devices, n);
    if (status == SHOAL_OK && index >= 0 && index < *n) *out = devices[index].info;
    free(devices);
    return status;
}

static shoal_status check_opencl(const char *which)
{
    cl_device_entry device;
    return cl_device_choose(which, &device);
}

#else

static shoal_status count_opencl(int32_t *n)
{
    *n = 0;
    return SHOAL_OK;
}

static shoal_status get_opencl(int32_t index, shoal_device_info *out, int32_t *n)
{
    (void)index;
    (void)out;
    return count_opencl(n);
}

static shoal_status check_opencl(const char *which)
{
    return shoal_fail(SHOAL_E_UNSUPPORTED, "opencl%s%s: this build has no OpenCL",
                      *which ? ":" : "", which);
}

#endif

shoal_status shoal_device_count(int32_t *n)
{
    int32_t n_opencl;
    shoal_clear_error();
    SHOAL_NEED(n);
    SHOAL_TRY(count_opencl(&n_opencl));
    *n = N_OWN + n_opencl;
    return SHOAL_OK;
}

shoal_status shoal_device_get(int32_t i_device, shoal_device_info *out)
{
    int32_t n_opencl = 0;
    shoal_clear_error();
    SHOAL_NEED(out);
    *out = (shoal_device_info){0};
    if (i_device >= 0 && i_device < N_OWN) {
        describe_own(i_device, out);
        return SHOAL_OK;
    }
    SHOAL_TRY(get_opencl(i_device - N_OWN, out, &n_opencl));
    if (i_device >= 0 && i_device < N_OWN + n_opencl) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "device %d of %d", (int)i_device, (int)(N_OWN + n_opencl));
}

shoal_status shoal_device_resolve(const char *device, char out[24])
{
    int32_t n;
    shoal_clear_error();
    SHOAL_NEED(out);
    if (!device) device = "cpu";
    if (strlen(device) > 23)
        return shoal_fail(SHOAL_E_DEVICE, "'%s' is too long for a device", device);
    (void)snprintf(out, 24, "%s", device);
    if (strcmp(device, "auto") != 0) return SHOAL_OK;
    (void)snprintf(out, 24, "cpu");
    SHOAL_TRY(shoal_device_count(&n));
    for (int32_t i = 0; i < n; ++i) {
        shoal_device_info info;
        SHOAL_TRY(shoal_device_get(i, &info));
        if (info.type != SHOAL_DEVICE_GPU) continue;
        memcpy(out, info.device, sizeof info.device);
        break;
    }
    return SHOAL_OK;
}

bool shoal_device_left_idle(const char *device, double seconds, char out[24])
{
    char gpu[24];
    shoal_clear_error();
    if (!out) return false;
    out[0] = '\0';
    if (seconds < IDLE_SECONDS || (device && strcmp(device, "cpu") != 0) ||
        shoal_device_resolve("auto", gpu) != SHOAL_OK || strcmp(gpu, "cpu") == 0)
        return false;
    memcpy(out, gpu, sizeof gpu);
    return true;
}

shoal_status shoal_device_check(const char *device)
{
    const shoal_backend *backend;
    const char *argument;
    shoal_clear_error();
    if (device && strncmp(device, "shadow:", 7) == 0) {
        device += 7;
        if (!*device || strcmp(device, "ref") == 0 || strncmp(device, "shadow", 6) == 0)
            return shoal_fail(SHOAL_E_DEVICE, "'shadow:%s': expected a device other than ref",
                              device);
    }
    if (device && strcmp(device, "shadow") == 0)
        return shoal_fail(SHOAL_E_DEVICE, "shadow of what? Expected shadow:DEVICE");
    if (device && strcmp(device, "auto") == 0) return SHOAL_OK;
    if (device && strncmp(device, "opencl", 6) == 0 && (device[6] == ':' || !device[6]))
        return check_opencl(device[6] ? device + 7 : "");
    return shoal_backend_find(device, &backend, &argument);
}

shoal_status shoal_cache_folder(char *path, size_t size)
{
    cache_folder folder;
    shoal_clear_error();
    if (!cache_folder_open(&folder, true)) {
        if (!folder.why[0])
            return shoal_fail(SHOAL_E_UNSUPPORTED, "SHOAL_CACHE=0: nothing is kept");
        return shoal_fail(SHOAL_E_IO, "no cache of kernels and grids: %s", folder.why);
    }
    cache_folder_close(&folder);
    const size_t n = strlen(folder.path) + 1;
    if (path && n > size)
        return shoal_fail(SHOAL_E_ARGUMENT, "cache: the path takes %zu bytes, here are %zu", n,
                          size);
    if (path) memcpy(path, folder.path, n);
    return SHOAL_OK;
}

shoal_status shoal_kernel_compile(const char *key)
{
    shoal_clear_error();
    SHOAL_NEED(key);
#ifdef SHOAL_HAVE_OPENCL
    cl_cache_key parsed;
    if (strlen(key) + 1 != sizeof parsed.digest || strspn(key, "0123456789abcdef") != strlen(key))
        return shoal_fail(SHOAL_E_ARGUMENT, "'%s' is no key of a kernel, expected %zu hex digits",
                          key, sizeof parsed.digest - 1);
    memcpy(parsed.digest, key, sizeof parsed.digest);
    return cl_apart_work(parsed);
#else
    return shoal_fail(SHOAL_E_UNSUPPORTED, "this build has no OpenCL");
#endif
}
