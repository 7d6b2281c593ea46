/* SPDX-License-Identifier: BSD-3-Clause
 * Systems that no backend computes: not finite, or without a known sum over their lattice. */
#ifndef SHOAL_BACKEND_SYSTEM_CHECK_H
#define SHOAL_BACKEND_SYSTEM_CHECK_H

#include "backend/backend.h"

/* Systems with atoms farther from the origin than this, in angstrom, are refused: they are not brought back over a
 * surface, and floats cannot tell neighbours apart in a system that is as wide. */
#define SYSTEM_FAR 1e7

/* What users know one of the vectors of a system by: "atom 3 (C)", "electron pair 9", "the direction at atom 3 (C)". */
enum { SYSTEM_NAME_SIZE = 48 };
void system_name_mover(const shoal_topology_view *view, int32_t i, char name[SYSTEM_NAME_SIZE]);

/* The first atom with a coordinate that is finite and beyond SYSTEM_FAR, -1 if there is none. */
int32_t system_find_far(const double (*pos)[3], int32_t n);

/* Rejects a system at its present coordinates with SHOAL_SYSTEM_NOT_FINITE or, where no sum over its
 * lattice is known, SHOAL_SYSTEM_UNTYPED. True if it may be computed; the result is then left alone. */
bool system_check(const backend_system *system, const shoal_engine_options *options,
                  backend_result *result);

/* Writes what the user should know of how a system is computed, "" if there is nothing: a net charge of a
 * crystal, which a uniform background balances. */
void system_note(const backend_system *system, const shoal_engine_options *options,
                 char note[BACKEND_REASON_SIZE]);

#endif
