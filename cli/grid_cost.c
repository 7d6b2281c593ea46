/* SPDX-License-Identifier: BSD-3-Clause
 * What --grid auto weighs: a grid that is built once against direct sums over the whole input. */
#include "grid_cost.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"

#define TYPES 8          /* atom types of an input, each with a field of its own; about */
#define PACKED 5         /* times as much text in a .gz file */
#define MEMORY_SHARE 0.5 /* of what is free, for a grid */
#define SINGLE 0.5       /* of the time of sums: relaxations begin in float */
#define BY_DIRECT "auto, by direct sums"
#define BY_GRID "auto, by a grid"

/* Characters that an atom takes in a file, with its share of bonds and headers. */
static double bytes_per_atom(const char *path, shoal_format format)
{
    const size_t n = strlen(path);
    const double packed = n > 3 && strcmp(path + n - 3, ".gz") == 0 ? PACKED : 1;
    if (format == SHOAL_FORMAT_AUTO) format = shoal_format_by_path(path);
    return (format == SHOAL_FORMAT_XYZ || format == SHOAL_FORMAT_HDF5 ? 45 : 80) / packed;
}

double grid_count_atoms(const grid_workload *w)
{
    double sum = 0;
    for (int k = 0; k < w->n_files; ++k) {
        struct stat info;
        if (strcmp(w->files[k], "-") == 0) return INFINITY;
        if (stat(w->files[k], &info) != 0) continue; /* the run will say so */
        if (!S_ISREG(info.st_mode)) return INFINITY;
        sum += (double)info.st_size / bytes_per_atom(w->files[k], w->systems->format);
    }
    return sum;
}

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

double grid_free_memory(void)
{
    struct rlimit limit;
    double most = read_number("/proc/meminfo", "MemAvailable: %lld kB", 1024);
    if (!isfinite(most)) most = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    most = fmin(most, read_number("/sys/fs/cgroup/memory.max", "%lld", 1));
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const double used = read_number("/proc/self/statm", "%lld", (double)sysconf(_SC_PAGESIZE));
        most = fmin(most, (double)limit.rlim_cur - (isfinite(used) ? used : 0));
    }
    return most;
}

double grid_device_memory(const char *device)
{
    char name[24];
    int32_t n = 0;
    if (!device || shoal_device_resolve(device, name) != SHOAL_OK) return INFINITY;
    if (!strstr(name, "opencl") || shoal_device_count(&n) != SHOAL_OK) return INFINITY;
    double least = INFINITY, exact = INFINITY;
    for (int32_t k = 0; k < n; ++k) {
        shoal_device_info info;
        if (shoal_device_get(k, &info) != SHOAL_OK || !strstr(info.device, "opencl")) continue;
        const double has = fmin((double)info.max_buffer_bytes, (double)info.memory_bytes);
        if (strcmp(strstr(name, "opencl"), info.device) == 0) exact = has;
        least = fmin(least, has);
    }
    return isfinite(exact) ? exact : least;
}

/* Whether so much, and the fields of atom types on so many nodes, fit into the memory that is free. */
static bool fits(double bytes, double nodes, const char *device)
{
    return bytes + 8.0 * TYPES * nodes <= MEMORY_SHARE * grid_free_memory() &&
           32.0 * TYPES * nodes <= MEMORY_SHARE * grid_device_memory(device);
}

bool grid_fits(const shoal_grid *grid, const char *device)
{
    shoal_grid_view v;
    int32_t n_channels = 0;
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

shoal_status grid_weigh(const shoal_surface *surface, const grid_workload *work, const char *device,
                        grid_cost *out)
{
    const shoal_status status = shoal_grid_estimate(&out->plan, surface, NULL);
    if (status == SHOAL_E_UNSUPPORTED) { /* by grids, not by sums */
        out->direct = true;
        (void)snprintf(out->why, sizeof out->why, "%.190s", shoal_error_text());
        return SHOAL_OK;
    }
    const shoal_grid_plan *p = &out->plan;
    const double atoms = work ? grid_count_atoms(work) : INFINITY;
    const double evaluations = work ? work->evaluations : 1;
    const double sums = atoms * evaluations * p->direct_seconds * (evaluations > 1 ? SINGLE : 1);
    char size[32], build[32], direct[32];
    put_size(size, sizeof size, (double)p->bytes);
    put_time(build, sizeof build, p->build_seconds);
    put_time(direct, sizeof direct, sums);
    out->direct = true;
    if (!fits((double)p->build_bytes, (double)p->nodes, device)) {
        (void)snprintf(out->why, sizeof out->why,
                       "a grid of %s does not fit into the memory that is free", size);
        return status;
    }
    out->direct = sums <= p->build_seconds;
    if (isfinite(sums))
        (void)snprintf(out->why, sizeof out->why,
                       "a grid of %s takes about %s of a core to build, the sums of this input "
                       "about %s",
                       size, build, direct);
    else
        (void)snprintf(out->why, sizeof out->why, "a grid of %s takes about %s of a core to build",
                       size, build);
    return status;
}

int grid_chosen_before(const grid_workload *w)
{
    const systems_options *o = w->systems;
    shoal_string *before = NULL;
    int chosen = -1;
    char path[4096] = "";
    if (o->resume && o->checkpoint)
        (void)snprintf(path, sizeof path, "%s", o->checkpoint);
    else if (o->resume && o->n_outputs > 0)
        (void)snprintf(path, sizeof path, "%s.checkpoint", o->outputs[0]);
    if (*path && shoal_string_create(&before) == SHOAL_OK &&
        shoal_run_about(path, before) == SHOAL_OK) {
        if (strstr(shoal_string_data(before), "\n--grid " BY_DIRECT)) chosen = 0;
        if (strstr(shoal_string_data(before), "\n--grid " BY_GRID)) chosen = 1;
    }
    shoal_string_destroy(before);
    return chosen;
}

void grid_note_choice(bool direct)
{
    cli_add_choice("grid", direct ? BY_DIRECT : BY_GRID);
}
