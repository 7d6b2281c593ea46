/* SPDX-License-Identifier: BSD-3-Clause
 * What the parts of an examination share: rows are told as they are found. */
#ifndef SHOAL_JOBS_DOCTOR_H
#define SHOAL_JOBS_DOCTOR_H

#include "shoal/doctor.h"

enum { DOCTOR_TEXT = 512 };

typedef struct doctor {
    shoal_doctor_options options;
    shoal_health worst;
    char found[DOCTOR_TEXT], advice[DOCTOR_TEXT]; /* of the row at hand */
} doctor;

/* Tells a row with the texts at hand and empties them. */
void doctor_tell(doctor *d, shoal_doctor_row row);
/* printf into the texts at hand; too long ones are cut. */
void doctor_found(doctor *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
void doctor_advise(doctor *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* OpenCL as a whole, then a test of every device. */
shoal_status doctor_visit_devices(doctor *d);

#endif
