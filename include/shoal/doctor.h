/* SPDX-License-Identifier: BSD-3-Clause
 * What of this machine Shoal can use, whether it computes right, and what to do where it does not. */
#ifndef SHOAL_DOCTOR_H
#define SHOAL_DOCTOR_H

#include <stdbool.h>

#include "shoal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_health {
    SHOAL_HEALTH_FINE = 0,
    SHOAL_HEALTH_NOTE,    /* something optional is not there */
    SHOAL_HEALTH_WARNING, /* it works, but not as well as this machine could */
    SHOAL_HEALTH_BROKEN,  /* results are wrong, or something that is installed does not work */
} shoal_health;
/* "fine", "note", "warning", "broken"; NULL beyond the last. */
SHOAL_API const char *shoal_health_name(int health);

/* One thing that was looked at; borrowed for the call that tells it. */
typedef struct shoal_doctor_row {
    const char
        *part; /* "library", "processor", "memory", "cache", "hdf5", "mpi", "opencl", or a device */
    shoal_health health;
    const char *found;
    const char *advice; /* what to do; "" where nothing is to be done */
    /* Of devices whose test ran: */
    bool tested;
    double error;         /* largest difference from ref as shoal_compare's verdict .. */
    double tolerance;     /* .. and the largest that passes */
    double start_seconds; /* opening the device and building its programs */
    double rate;          /* evaluations per s */
} shoal_doctor_row;

typedef struct shoal_doctor_options {
    double seconds; /* of the test of each device after it was started; 0: 2, < 0: no tests */
    void (*tell)(void *user, const shoal_doctor_row *row); /* needed */
    void *user;
} shoal_doctor_options;

/* Looks at everything, in the order of part above, then tests "cpu" and every device of OpenCL: unlike molecules are
 * compared with ref and evaluated over and over. *worst (may be NULL) is the worst of all rows. What is broken is a row
 * and no failure. */
SHOAL_API shoal_status shoal_doctor_run(const shoal_doctor_options *options, shoal_health *worst);

#ifdef __cplusplus
}
#endif

#endif
