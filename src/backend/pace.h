/* SPDX-License-Identifier: BSD-3-Clause
 * How fast a minimiser goes, for one system or all. */
#ifndef SHOAL_BACKEND_PACE_H
#define SHOAL_BACKEND_PACE_H

#include "backend/backend.h"

/* What every minimiser begins with where nobody says otherwise. */
backend_pace backend_pace_usual(void);
/* That of a system of the batch. */
backend_pace backend_pace_of(const backend_driver *driver, int32_t i_system);
/* FIRE's shortest time step, angstrom/sqrt(eV). */
double backend_pace_least_dt(const backend_pace *pace);
/* Where kernels read it, of STEP_REALS numbers (kernels/layout.h); all else is 0. */
void backend_pace_write(const backend_pace *pace, double *state);

#endif
