/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL devices of all platforms, and the choice of one. */
#include "cl/cl_device.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

typedef struct device_array {
    cl_device_entry *data;
    int32_t n, capacity;
} device_array;

/* Copies a text that may be longer, with single blanks and without blanks at the ends: drivers pad
 * their names. */
static void tidy(char *out, size_t size, const char *text)
{
    shoal_span rest = shoal_span_of(text);
    size_t used = 0;
    out[0] = '\0';
    for (;;) {
        const shoal_span word = shoal_span_word(&rest);
        if (word.size == 0 || used + 1 >= size) return;
        const int n = snprintf(out + used, size - used, "%s%.*s", used > 0 ? " " : "",
                               (int)word.size, word.text);
        used += n > 0 ? (size_t)n : 0;
    }
}

static void device_text(const cl_library *call, cl_device_id id, cl_device_info what, char *out,
                        size_t size)
{
    char text[1024] = "";
    if (call->GetDeviceInfo(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS) text[0] = '\0';
    tidy(out, size, text);
}

static void platform_text(const cl_library *call, cl_platform_id id, cl_platform_info what,
                          char *out, size_t size)
{
    char text[1024] = "";
    if (call->GetPlatformInfo(id, what, sizeof text - 1, text, NULL) != CL_SUCCESS) text[0] = '\0';
    tidy(out, size, text);
}

static cl_uint device_uint(const cl_library *call, cl_device_id id, cl_device_info what)
{
    cl_uint value = 0;
    return call->GetDeviceInfo(id, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

/* What results depend on: a question without an answer is remembered. */
static cl_ulong need_ulong(const cl_library *call, cl_device_entry *e, cl_device_info what)
{
    cl_ulong value = 0;
    const cl_int code = call->GetDeviceInfo(e->id, what, sizeof value, &value, NULL);
    if (code == CL_SUCCESS) return value;
    /* to drivers without double precision the question means nothing */
    if (what != CL_DEVICE_DOUBLE_FP_CONFIG || code != CL_INVALID_VALUE) e->failure = code;
    return 0;
}

static size_t need_size(const cl_library *call, cl_device_entry *e, cl_device_info what)
{
    size_t value = 0;
    const cl_int code = call->GetDeviceInfo(e->id, what, sizeof value, &value, NULL);
    if (code != CL_SUCCESS) e->failure = code;
    return code == CL_SUCCESS ? value : 0;
}

static shoal_device_type device_type(const cl_library *call, cl_device_entry *e)
{
    const cl_device_type type = need_ulong(call, e, CL_DEVICE_TYPE);
    if (type & CL_DEVICE_TYPE_GPU) return SHOAL_DEVICE_GPU;
    if (type & CL_DEVICE_TYPE_ACCELERATOR) return SHOAL_DEVICE_ACCELERATOR;
    if (type & CL_DEVICE_TYPE_CPU) return SHOAL_DEVICE_CPU;
    return SHOAL_DEVICE_OTHER;
}

static void describe(const cl_library *call, cl_device_entry *e, int32_t index)
{
    shoal_device_info *info = &e->info;
    const cl_device_id id = e->id;
    (void)snprintf(info->device, sizeof info->device, "opencl:%d", (int)index);
    device_text(call, id, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(call, id, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_text(call, id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    device_text(call, id, CL_DEVICE_VERSION, info->version, sizeof info->version);
    platform_text(call, e->platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    platform_text(call, e->platform, CL_PLATFORM_VERSION, e->platform_version,
                  sizeof e->platform_version);
    info->type = device_type(call, e);
    info->compute_units = (int32_t)device_uint(call, id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->clock_mhz = (int32_t)device_uint(call, id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->memory_bytes = (int64_t)need_ulong(call, e, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_buffer_bytes = (int64_t)need_ulong(call, e, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_bytes = (int64_t)need_ulong(call, e, CL_DEVICE_LOCAL_MEM_SIZE);
    info->max_group_size = (int64_t)need_size(call, e, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->fp64 = need_ulong(call, e, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
}

static shoal_status list_platform(const cl_library *call, cl_platform_id platform,
                                  device_array *array)
{
    cl_uint n = 0;
    /* A driver without a device, such as a GPU's in a machine that has none, is no failure. */
    if (call->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n) != CL_SUCCESS || n == 0)
        return SHOAL_OK;
    cl_device_id *ids = shoal_alloc(n, sizeof *ids);
    if (!ids) return SHOAL_E_MEMORY;
    shoal_status status = SHOAL_OK;
    if (call->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids, NULL) == CL_SUCCESS)
        status = SHOAL_RESERVE(&array->data, &array->capacity, array->n + (int32_t)n);
    else
        n = 0;
    for (cl_uint k = 0; k < n && status == SHOAL_OK; ++k) {
        cl_device_entry *e = &array->data[array->n];
        *e = (cl_device_entry){.platform = platform, .id = ids[k]};
        describe(call, e, array->n++);
    }
    free(ids);
    return status;
}

static shoal_status find_devices(cl_device_entry **out, int32_t *n)
{
    const cl_library *call;
    cl_uint n_platforms = 0;
    device_array array = {0};
    *out = NULL;
    *n = 0;
    SHOAL_TRY(cl_library_get(&call));
    /* Without any driver the loader answers CL_PLATFORM_NOT_FOUND_KHR. */
    if (call->GetPlatformIDs(0, NULL, &n_platforms) != CL_SUCCESS) n_platforms = 0;
    cl_platform_id *platforms = shoal_alloc(n_platforms, sizeof *platforms);
    if (!platforms) return SHOAL_E_MEMORY;
    if (n_platforms > 0 && call->GetPlatformIDs(n_platforms, platforms, NULL) != CL_SUCCESS)
        n_platforms = 0;
    shoal_status status = SHOAL_OK;
    for (cl_uint k = 0; k < n_platforms && status == SHOAL_OK; ++k)
        status = list_platform(call, platforms[k], &array);
    free(platforms);
    if (status != SHOAL_OK) {
        free(array.data);
        return status;
    }
    *out = array.data;
    *n = array.n;
    return SHOAL_OK;
}

/* Found once per process: asking drivers takes long, and what they have does not change. A failure is not
 * kept. */
static struct {
    pthread_mutex_t lock;
    bool known;
    cl_device_entry *devices;
    int32_t n;
} found = {.lock = PTHREAD_MUTEX_INITIALIZER};

shoal_status cl_device_list(cl_device_entry **out, int32_t *n)
{
    shoal_status status = SHOAL_OK;
    *out = NULL;
    *n = 0;
    (void)pthread_mutex_lock(&found.lock);
    if (!found.known) status = find_devices(&found.devices, &found.n);
    found.known = found.known || status == SHOAL_OK;
    if (status == SHOAL_OK) {
        *out = shoal_alloc((size_t)found.n, sizeof **out);
        if (!*out) status = SHOAL_E_MEMORY;
    }
    if (status == SHOAL_OK && found.n > 0) {
        *n = found.n;
        memcpy(*out, found.devices, (size_t)found.n * sizeof **out);
    }
    (void)pthread_mutex_unlock(&found.lock);
    return status;
}

/* "opencl:0 = NAME (cpu, PLATFORM), ..." of all devices. */
static void list_names(const cl_device_entry *devices, int32_t n, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < n && used < size; ++k) {
        const shoal_device_info *info = &devices[k].info;
        const int m =
            snprintf(out + used, size - used, "%s%s = %s (%s, %s)", k > 0 ? "; " : "", info->device,
                     info->name, shoal_device_type_name(info->type), info->platform);
        used += m > 0 ? (size_t)m : 0;
    }
}

static shoal_status fail_choice(const cl_device_entry *devices, int32_t n, const char *which,
                                const char *problem)
{
    char names[768], quoted[SHOAL_QUOTE_SIZE];
    list_names(devices, n, names, sizeof names);
    shoal_text_quote(quoted, shoal_span_of(which));
    return shoal_fail(SHOAL_E_DEVICE, "opencl:%s: %s; there are: %s", quoted, problem, names);
}

/* First device of a type, -1 without one. */
static int32_t first_of_type(const cl_device_entry *devices, int32_t n, shoal_device_type type)
{
    for (int32_t k = 0; k < n; ++k)
        if (devices[k].info.type == type) return k;
    return -1;
}

static shoal_status match_default(const cl_device_entry *devices, int32_t n, int32_t *index)
{
    *index = first_of_type(devices, n, SHOAL_DEVICE_GPU);
    for (int32_t k = 0; k < n && *index < 0; ++k)
        if (devices[k].info.type != SHOAL_DEVICE_CPU) *index = k;
    if (*index >= 0) return SHOAL_OK;
    char names[768];
    list_names(devices, n, names, sizeof names);
    return shoal_fail(SHOAL_E_DEVICE,
                      "opencl: there is no GPU, only processors: %s. To use one of them, ask for "
                      "'opencl:cpu' or '%s', or, without OpenCL, for 'cpu'",
                      names, devices[0].info.device);
}

/* Whether text holds word, in any case. */
static bool holds(const char *text, const char *word)
{
    const size_t n = strlen(word);
    for (; *text; ++text)
        if (strlen(text) >= n && shoal_span_equal_nocase((shoal_span){text, n}, word)) return true;
    return false;
}

static shoal_status match_text(const cl_device_entry *devices, int32_t n, const char *which,
                               int32_t *index)
{
    int32_t hits = 0;
    for (int32_t k = 0; k < n; ++k) {
        char title[sizeof devices->info.platform + sizeof devices->info.name +
                   sizeof devices->platform_version];
        (void)snprintf(title, sizeof title, "%s %s %s", devices[k].info.platform,
                       devices[k].info.name, devices[k].platform_version);
        if (!holds(title, which)) continue;
        if (hits++ == 0) *index = k;
    }
    if (hits == 1) return SHOAL_OK;
    return fail_choice(devices, n, which,
                       hits == 0 ? "no such device" : "more than one device has this in its name");
}

shoal_status cl_device_match(const cl_device_entry *devices, int32_t n, const char *which,
                             int32_t *index)
{
    static const shoal_device_type types[] = {SHOAL_DEVICE_GPU, SHOAL_DEVICE_CPU,
                                              SHOAL_DEVICE_ACCELERATOR};
    *index = -1;
    if (n == 0)
        return shoal_fail(SHOAL_E_DEVICE, "OpenCL is installed, but no driver has a device");
    if (!*which) return match_default(devices, n, index);
    if (which[strspn(which, "0123456789")] == '\0') {
        if (!shoal_text_int(shoal_span_of(which), index) || *index >= n)
            return fail_choice(devices, n, which, "no such device");
        return SHOAL_OK;
    }
    for (size_t k = 0; k < sizeof types / sizeof types[0]; ++k) {
        if (!shoal_span_equal_nocase(shoal_span_of(which), shoal_device_type_name(types[k])))
            continue;
        *index = first_of_type(devices, n, types[k]);
        return *index >= 0 ? SHOAL_OK : fail_choice(devices, n, which, "no device is of this type");
    }
    return match_text(devices, n, which, index);
}

shoal_status cl_device_choose(const char *which, cl_device_entry *out)
{
    cl_device_entry *devices;
    int32_t n, index;
    SHOAL_TRY(cl_device_list(&devices, &n));
    shoal_status status = cl_device_match(devices, n, which, &index);
    if (status == SHOAL_OK) *out = devices[index];
    if (status == SHOAL_OK && out->failure != CL_SUCCESS)
        status = shoal_fail(SHOAL_E_DEVICE, "%s: the driver cannot describe it: %s (%d)",
                            out->info.device, cl_error_name(out->failure), (int)out->failure);
    free(devices);
    return status;
}
