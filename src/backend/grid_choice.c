/* SPDX-License-Identifier: BSD-3-Clause
 * A grid that is built once, or direct sums over the whole input. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "shoal/device.h"
#include "shoal/grid.h"

#define TYPES 8          /* atom types of an input, each with a field of its own; about */
#define MEMORY_SHARE 0.5 /* of what is free, for a grid */
#define SINGLE 0.5       /* of the time of sums: relaxations begin in float */

/* A number in a file of the system behind a name, INFINITY if there is none. */
static double read_number(const char *path, const char *format, double unit)
{
    char line[256];
    long long value = -1;
    FILE *file = fopen(path, "r");
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, format, &value) != 1) value = -1;
    if (file) (void)fclose(file);
    return value >= 0 ? unit * (double)value : INFINITY;
}

/* Bytes that this process can have, about. */
static double free_memory(void)
{
    struct rlimit limit;
    double most = read_number("/proc/meminfo", "MemAvailable: %lld kB", 1024);
    if (!isfinite(most)) most = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    /* The group of the process where that is the root of its name space, as in containers. */
    const double taken = read_number("/sys/fs/cgroup/memory.current", "%lld", 1);
    most = fmin(most, read_number("/sys/fs/cgroup/memory.max", "%lld", 1) -
                          (isfinite(taken) ? taken : 0));
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const double used = read_number("/proc/self/statm", "%lld", (double)sysconf(_SC_PAGESIZE));
        most = fmin(most, (double)limit.rlim_cur - (isfinite(used) ? used : 0));
    }
    return most;
}

/* Bytes that fields may take on a device; INFINITY on the processor. */
static double device_memory(const char *device)
{
    char name[24];
    int32_t n = 0;
    double least = INFINITY, exact = INFINITY;
    if (device && strcmp(device, "auto") == 0)
        device = shoal_device_resolve(device, name) == SHOAL_OK ? name : NULL;
    if (device && strstr(device, "opencl")) (void)shoal_device_count(&n);
    for (int32_t k = 0; k < n; ++k) {
        shoal_device_info info;
        if (shoal_device_get(k, &info) != SHOAL_OK || !strstr(info.device, "opencl")) continue;
        const double has = fmin((double)info.max_buffer_bytes, (double)info.memory_bytes);
        if (strcmp(strstr(device, "opencl"), info.device) == 0) exact = has;
        least = fmin(least, has);
    }
    shoal_clear_error(); /* of devices that are not there */
    return isfinite(exact) ? exact : least;
}

/* Whether so much, and the fields of atom types on so many nodes, fit into the memory that is free. */
static bool fits(double bytes, double nodes, const char *device)
{
    return bytes + 8.0 * TYPES * nodes <= MEMORY_SHARE * free_memory() &&
           32.0 * TYPES * nodes <= MEMORY_SHARE * device_memory(device);
}

bool shoal_grid_fits(const shoal_grid *grid, const char *device)
{
    shoal_grid_view v;
    int32_t n_channels = 0;
    if (!grid) return false;
    shoal_grid_get(grid, &v);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) n_channels += v.has_channel[c];
    if (n_channels == 0) return true;
    return fits(0, (double)v.bytes / (n_channels * (double)sizeof(float)), device);
}

static void put_size(char *to, size_t size, double bytes)
{
    if (bytes >= 1e9)
        (void)snprintf(to, size, "%.1f GB", 1e-9 * bytes);
    else
        (void)snprintf(to, size, "%.1f MB", 1e-6 * bytes);
}

static void put_time(char *to, size_t size, double seconds)
{
    (void)snprintf(to, size, seconds < 10 ? "%.2g s" : "%.0f s", seconds);
}

static void say_why(shoal_grid_choice *out, double sums)
{
    char size[32], build[32], direct[32];
    put_size(size, sizeof size, (double)out->plan.bytes);
    put_time(build, sizeof build, out->plan.build_seconds);
    put_time(direct, sizeof direct, sums);
    if (isfinite(sums))
        (void)snprintf(out->why, sizeof out->why,
                       "a grid of %s takes about %s of a core to build, the sums of this input "
                       "about %s",
                       size, build, direct);
    else
        (void)snprintf(out->why, sizeof out->why, "a grid of %s takes about %s of a core to build",
                       size, build);
}

shoal_status shoal_grid_choose(shoal_grid_choice *out, const shoal_surface *surface, double atoms,
                               double evaluations, const char *device)
{
    shoal_clear_error();
    SHOAL_NEED(out && surface);
    *out = (shoal_grid_choice){.direct = true};
    const shoal_grid_plan *p = &out->plan;
    const shoal_status status = shoal_grid_estimate(&out->plan, surface, NULL);
    if (status == SHOAL_E_UNSUPPORTED) { /* by grids, not by sums */
        (void)snprintf(out->why, sizeof out->why, "%.190s", shoal_error_text());
        shoal_clear_error();
        return SHOAL_OK;
    }
    SHOAL_TRY(status);
    if (!fits((double)p->build_bytes, (double)p->nodes, device)) {
        char size[32];
        put_size(size, sizeof size, (double)p->bytes);
        (void)snprintf(out->why, sizeof out->why,
                       "a grid of %s does not fit into the memory that is free", size);
        return SHOAL_OK;
    }
    const double sums = atoms * evaluations * p->direct_seconds * (evaluations > 1 ? SINGLE : 1);
    out->direct = sums <= p->build_seconds;
    say_why(out, sums);
    return SHOAL_OK;
}
