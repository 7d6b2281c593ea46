/* SPDX-License-Identifier: BSD-3-Clause
 * The thread's last error text, and names of statuses. */
#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static _Thread_local char error_text[1024];

void shoal_clear_error(void)
{
    error_text[0] = '\0';
}

shoal_status shoal_fail(shoal_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(error_text, sizeof error_text, format, args);
    va_end(args);
    return status;
}

const char *shoal_error_text(void)
{
    return error_text;
}

const char *shoal_system_status_name(shoal_system_status status)
{
    switch (status) {
    case SHOAL_SYSTEM_OK: return "ok";
    case SHOAL_SYSTEM_CONVERGED: return "converged";
    case SHOAL_SYSTEM_MAX_STEPS: return "max_steps";
    case SHOAL_SYSTEM_STALLED: return "stalled";
    case SHOAL_SYSTEM_NOT_FINITE: return "not_finite";
    case SHOAL_SYSTEM_OUT_OF_GRID: return "out_of_grid";
    case SHOAL_SYSTEM_UNTYPED: return "untyped";
    case SHOAL_SYSTEM_DIFFERS: return "differs";
    case SHOAL_SYSTEM_BELOW_SURFACE: return "below_surface";
    case SHOAL_SYSTEM_UNREADABLE: return "unreadable";
    case SHOAL_SYSTEM_COLLAPSED: return "collapsed";
    case SHOAL_SYSTEM_UNSTABLE: return "unstable";
    }
    return "unknown";
}

bool shoal_system_has_numbers(shoal_system_status status, double energy)
{
    switch (status) {
    case SHOAL_SYSTEM_OK:
    case SHOAL_SYSTEM_CONVERGED:
    case SHOAL_SYSTEM_MAX_STEPS:
    case SHOAL_SYSTEM_STALLED:
    case SHOAL_SYSTEM_COLLAPSED: return true;
    case SHOAL_SYSTEM_DIFFERS: return isfinite(energy);
    default: return false;
    }
}

const char *shoal_version_text(void)
{
    return SHOAL_VERSION " ("
#ifdef _OPENMP
                         "openmp"
#else
                         "no openmp"
#endif
#ifdef SHOAL_HAVE_ZLIB
                         " zlib"
#endif
#ifdef SHOAL_HAVE_HDF5
                         " hdf5"
#endif
#ifdef SHOAL_HAVE_OPENCL
                         " opencl"
#endif
                         ")";
}

int32_t shoal_version_number(void)
{
    return SHOAL_VERSION_NUMBER;
}
