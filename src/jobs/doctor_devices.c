/* SPDX-License-Identifier: BSD-3-Clause
 * An examination of devices: whether OpenCL is there, and a test of each of them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "jobs/bench.h"
#include "jobs/doctor.h"
#include "shoal/device.h"

/* --- OpenCL --------------------------------------------------------------------------------------- */

/* Graphics cards that the kernel of the system knows, by the file that its driver makes. */
static const struct card {
    const char *file, *name, *platform, *advice;
} cards[] = {
    {"/dev/nvidiactl", "an NVIDIA card", "NVIDIA",
     "its OpenCL comes with the driver: the file nvidia.icd in /etc/OpenCL/vendors names "
     "libnvidia-opencl.so.1; in a container also set NVIDIA_DRIVER_CAPABILITIES=compute,utility"},
    {"/dev/kfd", "an AMD card", "AMD",
     "install rocm-opencl-runtime, and be in the groups render and video"},
};

/* A device of a platform whose name has this word. */
static bool has_platform(const char *word)
{
    shoal_device_info info;
    for (int32_t i = 0; shoal_device_get(i, &info) == SHOAL_OK; ++i)
        if (strstr(info.platform, word)) return true;
    return false;
}

static void visit_opencl(doctor *d, int32_t n_devices)
{
    shoal_doctor_row row = {.part = "opencl"};
    const shoal_status status = shoal_device_check("opencl");
    if (n_devices > 0)
        doctor_found(d, "%d device%s", (int)n_devices, n_devices == 1 ? "" : "s");
    else
        doctor_found(d, "%s", shoal_error_text());
    if (status == SHOAL_E_UNSUPPORTED) { /* not built */
        row.health = SHOAL_HEALTH_NOTE;
        doctor_advise(d, "graphics cards need a build with OpenCL: package opencl-c-headers");
        doctor_tell(d, row);
        return;
    }
    for (size_t k = 0; k < sizeof cards / sizeof cards[0]; ++k) {
        if (access(cards[k].file, F_OK) != 0 || has_platform(cards[k].platform)) continue;
        row.health = SHOAL_HEALTH_WARNING;
        doctor_found(d, "; %s is there but OpenCL does not show it", cards[k].name);
        doctor_advise(d, "%s%s", d->advice[0] ? "; " : "", cards[k].advice);
    }
    if (n_devices == 0 && row.health == SHOAL_HEALTH_FINE) {
        row.health = SHOAL_HEALTH_NOTE;
        doctor_advise(d,
                      "the processor does without; for a graphics card install ocl-icd-libopencl1 "
                      "and the OpenCL of its driver");
    }
    doctor_tell(d, row);
}

/* --- a test of a device --------------------------------------------------------------------------- */

#define TEST_CASE "unlike"
enum { LEAST_SYSTEMS = 64 };

/* Evaluations for the seconds of the test, after a first one that builds what must be built. */
static shoal_status measure(const doctor *d, shoal_bench *bench, shoal_doctor_row *row)
{
    shoal_bench_figures figures;
    const double before = bench_now();
    SHOAL_TRY(shoal_bench_measure(&bench, 1, 1));
    const double start = bench_now();
    row->start_seconds += start - before;
    do {
        SHOAL_TRY(shoal_bench_measure(&bench, 1, 3));
        SHOAL_TRY(shoal_bench_report(bench, &figures));
        if (figures.rate > row->rate) row->rate = figures.rate;
    } while (bench_now() - start < d->options.seconds);
    return SHOAL_OK;
}

static shoal_status compare(doctor *d, shoal_bench *bench, shoal_doctor_row *row)
{
    shoal_bench_check check;
    SHOAL_TRY(shoal_bench_compare(bench, &check));
    row->tested = true;
    row->error = check.verdict;
    if (check.differs < 0) return SHOAL_OK;
    row->health = SHOAL_HEALTH_BROKEN;
    doctor_found(d, "WRONG: ");
    doctor_advise(d, "do not use it: its forces are not those of the reference; another version of "
                     "its driver may help, and 'shoal check' says which interactions differ");
    return SHOAL_OK;
}

static shoal_status test(doctor *d, const char *device, shoal_doctor_row *row)
{
    const shoal_engine_options engine = {.device = device, .precision = SHOAL_PRECISION_FLOAT};
    const shoal_bench_options options = {.what = SHOAL_BENCH_EVAL,
                                         .systems = LEAST_SYSTEMS,
                                         .steps = 10,
                                         .seed = 1,
                                         .engine = &engine};
    shoal_bench *bench = NULL;
    const double start = bench_now();
    row->tolerance = shoal_compare_tolerance(&engine);
    shoal_status status = shoal_bench_create(&bench, TEST_CASE, &options);
    if (status == SHOAL_OK) status = compare(d, bench, row);
    row->start_seconds = bench_now() - start;
    if (status == SHOAL_OK) status = measure(d, bench, row);
    shoal_bench_destroy(bench);
    return status;
}

static void visit_device(doctor *d, const shoal_device_info *info)
{
    shoal_doctor_row row = {.part = info->device};
    const bool cpu = strcmp(info->device, "cpu") == 0;
    if (d->options.seconds < 0) {
        doctor_found(d, "%s, not tested", info->name);
    } else if (test(d, info->device, &row) != SHOAL_OK) {
        row.health = SHOAL_HEALTH_BROKEN;
        row.tested = false;
        doctor_found(d, "%s: %s", info->name, shoal_error_text());
        doctor_advise(d, "%s",
                      cpu ? "please report this"
                          : "another version of its driver may help; the device cpu does without");
    } else {
        doctor_found(d, "%s: differs from the reference by %.1e (%.0e passes), %.0f evaluations/s",
                     info->name, row.error, row.tolerance, row.rate);
    }
    doctor_tell(d, row);
}

shoal_status doctor_visit_devices(doctor *d)
{
    shoal_device_info info;
    int32_t n;
    SHOAL_TRY(shoal_device_count(&n));
    visit_opencl(d, n - 2); /* "cpu" and "ref" are there everywhere */
    for (int32_t i = 0; i < n; ++i) {
        SHOAL_TRY(shoal_device_get(i, &info));
        if (strcmp(info.device, "ref") != 0) visit_device(d, &info);
    }
    return SHOAL_OK;
}
