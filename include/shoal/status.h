/* SPDX-License-Identifier: BSD-3-Clause
 * Status codes of calls, statuses of single systems, and the thread's last error text. */
#ifndef SHOAL_STATUS_H
#define SHOAL_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "shoal/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SHOAL_API __attribute__((visibility("default")))
#else
#define SHOAL_API
#endif

/* What a call returns: 0 is success, negative is failure. */
typedef enum shoal_status {
    SHOAL_OK = 0,
    SHOAL_E_MEMORY = -1,      /* an allocation failed */
    SHOAL_E_ARGUMENT = -2,    /* the caller passed something that cannot be meant */
    SHOAL_E_FORMAT = -3,      /* a file says something its format does not allow */
    SHOAL_E_IO = -4,          /* the operating system refused a file operation */
    SHOAL_E_DEVICE = -5,      /* no such device or backend, or it failed */
    SHOAL_E_UNSUPPORTED = -6, /* asked for a feature that this build or backend lacks */
} shoal_status;

/* What became of one system. A bad system is data: the call that met it still succeeds. */
typedef enum shoal_system_status {
    SHOAL_SYSTEM_OK = 0,
    SHOAL_SYSTEM_CONVERGED,
    SHOAL_SYSTEM_MAX_STEPS,
    SHOAL_SYSTEM_STALLED,
    SHOAL_SYSTEM_NOT_FINITE,
    SHOAL_SYSTEM_OUT_OF_GRID,
    SHOAL_SYSTEM_UNTYPED,
    SHOAL_SYSTEM_DIFFERS,       /* from ref, on the device "shadow:X" */
    SHOAL_SYSTEM_BELOW_SURFACE, /* an atom is inside or below the substrate */
    SHOAL_SYSTEM_UNREADABLE,    /* its record in the file is malformed */
    SHOAL_SYSTEM_COLLAPSED,     /* atoms ended nearer to each other than any sane contact */
    SHOAL_SYSTEM_UNSTABLE, /* dynamics: an atom would move too far in one step; a cell flew apart */
} shoal_system_status;

/* Stable lower-case name of a system status, as written into JSON. Never NULL. */
SHOAL_API const char *shoal_system_status_name(shoal_system_status status);
/* Whether a system of this status and energy has numbers that mean something: an energy, forces, a geometry. */
SHOAL_API bool shoal_system_has_numbers(shoal_system_status status, double energy);

/* Text of the last failure in this thread, "" if the last call succeeded. Valid until the
 * thread's next shoal_ call. */
SHOAL_API const char *shoal_error_text(void);

/* Version and what the build found, e.g. "0.1.0 (openmp zlib hdf5 opencl)". */
SHOAL_API const char *shoal_version_text(void);
/* SHOAL_VERSION_NUMBER of the library in use, which a shared one need not share with the headers. */
SHOAL_API int32_t shoal_version_number(void);

#ifdef __cplusplus
}
#endif

#endif
