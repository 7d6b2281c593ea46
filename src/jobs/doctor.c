/* SPDX-License-Identifier: BSD-3-Clause
 * An examination of the machine: build, processor, memory, cache, HDF5, MPI; devices are in doctor_devices.c. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "jobs/doctor.h"

#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "shoal/device.h"
#include "shoal/stream.h"
#include "stream/stream_launch.h"
#ifdef SHOAL_HAVE_HDF5
#include "base/hdf5_library.h"
#endif

static const double GIB = 1073741824.0;

const char *shoal_health_name(int health)
{
    static const char *const names[] = {"fine", "note", "warning", "broken"};
    return health >= 0 && health < (int)(sizeof names / sizeof names[0]) ? names[health] : NULL;
}

void doctor_tell(doctor *d, shoal_doctor_row row)
{
    row.found = d->found;
    row.advice = d->advice;
    if (row.health > d->worst) d->worst = row.health;
    d->options.tell(d->options.user, &row);
    d->found[0] = d->advice[0] = '\0';
}

void doctor_found(doctor *d, const char *format, ...)
{
    const size_t used = strlen(d->found);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(d->found + used, sizeof d->found - used, format, values);
    va_end(values);
}

void doctor_advise(doctor *d, const char *format, ...)
{
    const size_t used = strlen(d->advice);
    va_list values;
    va_start(values, format);
    (void)vsnprintf(d->advice + used, sizeof d->advice - used, format, values);
    va_end(values);
}

static void visit_library(doctor *d)
{
    doctor_found(d, "%s", shoal_version_text());
    doctor_tell(d, (shoal_doctor_row){.part = "library"});
}

/* --- processor and memory ------------------------------------------------------------------------- */

/* Processors that this process may run on, and what the limit of its control group lets it use of them; 0: no limit. */
static int allowed_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static double granted_processors(void)
{
    double quota = 0, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (!file) return 0;
    const int n = fscanf(file, "%lf %lf", &quota, &period); /* "max 100000" has no number */
    (void)fclose(file);
    return n == 2 && period > 0 ? quota / period : 0;
}

static void visit_processor(doctor *d)
{
    shoal_device_info info;
    shoal_doctor_row row = {.part = "processor"};
    const int allowed = allowed_processors();
    const double granted = granted_processors();
    if (shoal_device_get(0, &info) != SHOAL_OK) return;
    const int threads = (int)info.compute_units;
    doctor_found(d, "%s, %s, %d threads on %d processors", info.name, info.instruction_set, threads,
                 allowed);
    if (granted > 0 && granted < threads) {
        row.health = SHOAL_HEALTH_WARNING;
        doctor_advise(d, "this container may use %.3g processors: set OMP_NUM_THREADS=%d", granted,
                      granted < 1 ? 1 : (int)granted);
    } else if (threads > allowed) {
        row.health = SHOAL_HEALTH_WARNING;
        doctor_advise(d, "more threads than processors are slower: unset OMP_NUM_THREADS");
    } else if (threads < allowed) {
        row.health = SHOAL_HEALTH_NOTE;
        doctor_advise(d, "OMP_NUM_THREADS=%d would use all processors", allowed);
    }
    doctor_tell(d, row);
}

/* Bytes that programs can have without pushing others out; 0: not known. */
static double available_bytes(void)
{
    char line[128];
    int64_t kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNd64, &kib) == 1) break;
    if (file) (void)fclose(file);
    return 1024.0 * (double)kib;
}

static void visit_memory(doctor *d)
{
    shoal_device_info info;
    shoal_doctor_row row = {.part = "memory"};
    const double available = available_bytes();
    if (shoal_device_get(0, &info) != SHOAL_OK || info.memory_bytes <= 0) return;
    doctor_found(d, "%.1f GiB", (double)info.memory_bytes / GIB);
    if (available > 0) doctor_found(d, ", %.1f available", available / GIB);
    if (available > 0 && available < 0.5 * GIB) {
        row.health = SHOAL_HEALTH_WARNING;
        doctor_advise(d, "less than 0.5 GiB is available: a dry run shows what a run needs; "
                         "smaller batches need less");
    }
    doctor_tell(d, row);
}

/* --- folders and libraries ------------------------------------------------------------------------ */

static void visit_cache(doctor *d)
{
    char path[1100];
    struct statvfs room;
    shoal_doctor_row row = {.part = "cache"};
    const shoal_status status = shoal_cache_folder(path, sizeof path);
    if (status != SHOAL_OK) {
        row.health = status == SHOAL_E_UNSUPPORTED ? SHOAL_HEALTH_NOTE : SHOAL_HEALTH_WARNING;
        doctor_found(d, "%s", shoal_error_text());
        doctor_advise(d, "kernels are compiled again in every run: SHOAL_CACHE_DIR names a folder "
                         "of yours that nobody else may write to");
    } else {
        doctor_found(d, "%s", path);
        if (statvfs(path, &room) == 0) {
            const double bytes = (double)room.f_bavail * (double)room.f_frsize;
            doctor_found(d, ", %.1f GiB free", bytes / GIB);
            if (bytes < 0.1 * GIB) {
                row.health = SHOAL_HEALTH_WARNING;
                doctor_advise(d, "the disk is almost full: SHOAL_CACHE_DIR names another folder");
            }
        }
    }
    doctor_tell(d, row);
}

#ifdef SHOAL_HAVE_HDF5
static void visit_hdf5(doctor *d)
{
    const hdf5_library *h5;
    unsigned major, minor, release;
    shoal_doctor_row row = {.part = "hdf5"};
    if (hdf5_library_get(&h5) != SHOAL_OK) {
        row.health = SHOAL_HEALTH_WARNING;
        doctor_found(d, "%s", shoal_error_text());
        doctor_advise(d, "results as .h5 and grids of surfaces need it: install HDF5 %d.%d",
                      H5_VERS_MAJOR, H5_VERS_MINOR);
    } else {
        const hdf5_quiet before = hdf5_library_lock(h5);
        const bool known = h5->get_libversion(&major, &minor, &release) >= 0;
        hdf5_library_unlock(h5, before);
        if (known) doctor_found(d, "HDF5 %u.%u.%u", major, minor, release);
    }
    doctor_tell(d, row);
}
#else
static void visit_hdf5(doctor *d)
{
    doctor_found(d, "this build has no HDF5");
    doctor_advise(d, "results as .h5 and grids of surfaces need it: build with libhdf5-dev");
    doctor_tell(d, (shoal_doctor_row){.part = "hdf5", .health = SHOAL_HEALTH_NOTE});
}
#endif

static void visit_mpi(doctor *d)
{
    char text[DOCTOR_TEXT];
    shoal_doctor_row row = {.part = "mpi"};
    const shoal_status status = stream_launch_try(text, sizeof text);
    doctor_found(d, "%s", status == SHOAL_OK ? text : shoal_error_text());
    if (status != SHOAL_OK) {
        row.health = shoal_stream_is_rank() ? SHOAL_HEALTH_BROKEN : SHOAL_HEALTH_NOTE;
        doctor_advise(d, "only runs by mpirun need it: build on this machine, where its MPI is "
                         "installed; shards need none");
    }
    doctor_tell(d, row);
}

shoal_status shoal_doctor_run(const shoal_doctor_options *options, shoal_health *worst)
{
    static void (*const visits[])(doctor *) = {visit_library, visit_processor, visit_memory,
                                               visit_cache,   visit_hdf5,      visit_mpi};
    shoal_clear_error();
    SHOAL_NEED(options && options->tell);
    doctor d = {.options = *options};
    if (d.options.seconds == 0) d.options.seconds = 2;
    for (size_t k = 0; k < sizeof visits / sizeof visits[0]; ++k) visits[k](&d);
    const shoal_status status = doctor_visit_devices(&d);
    if (status == SHOAL_OK) shoal_clear_error(); /* of what is a row */
    if (worst) *worst = d.worst;
    return status;
}
