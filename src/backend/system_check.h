/* SPDX-License-Identifier: BSD-3-Clause
 * Systems that no backend computes: not finite, or without a known sum over their lattice. */
#ifndef SHOAL_BACKEND_SYSTEM_CHECK_H
#define SHOAL_BACKEND_SYSTEM_CHECK_H

#include "backend/backend.h"

/* Systems with atoms farther from the origin than this, in angstrom, are refused: they are not brought back over a
 * surface, and floats cannot tell neighbours apart in a system that is as wide. */
#define SYSTEM_FAR 1e7

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
