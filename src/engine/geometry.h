/* SPDX-License-Identifier: BSD-3-Clause
 * A look at a relaxed geometry: a small force alone does not make it sensible. */
#ifndef SHOAL_ENGINE_GEOMETRY_H
#define SHOAL_ENGINE_GEOMETRY_H

#include "backend/backend.h"

/* Writes what looks wrong into text (at most BACKEND_REASON_SIZE), "" if nothing does. True where the system has
 * collapsed: atoms on top of each other, or nearer to the surface (NULL: none) than any sane contact. Otherwise
 * it is a warning: bonds stretched or squeezed beyond reason, partners of one atom almost as near to each other as
 * bonded atoms are, restrained torsions that have no angle because three of their atoms lie on a line; and of what has
 * converged without restraints, bonds 15 % off their length and angles that cost more than any molecule's. Electron
 * pairs are not looked at. */
bool geometry_check(const backend_system *system, const shoal_surface *surface,
                    const backend_result *result, char *text);

/* The first of these alone, also where the energy is not finite. */
bool geometry_is_collapsed(const backend_system *system, const shoal_surface *surface,
                           const backend_result *result, char *text);

#endif
