/* SPDX-License-Identifier: BSD-3-Clause
 * A look at a relaxed geometry: a small force alone does not make it sensible. */
#ifndef SHOAL_RUN_GEOMETRY_H
#define SHOAL_RUN_GEOMETRY_H

#include "backend/backend.h"

/* Writes what looks wrong into warning (at most BACKEND_REASON_SIZE), "" if nothing does: bonds
 * stretched or squeezed beyond reason, atoms on top of each other, restrained torsions that have no
 * angle because three of their atoms lie on a line. */
void geometry_check(const backend_system *system, const backend_result *result, char *warning);

#endif
