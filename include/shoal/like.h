/* SPDX-License-Identifier: BSD-3-Clause
 * Options by the name of the program whose numbers they give. */
#ifndef SHOAL_LIKE_H
#define SHOAL_LIKE_H

#include "shoal/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "firecore": its types, orders and terms, distances of vdW minima by the arithmetic mean, Coulomb's law damped by
 * 1 angstrom, charges of the file. Sets these members, where they have their defaults, and leaves the others; either pointer
 * may be NULL. Fails with SHOAL_E_ARGUMENT, naming the known ones. */
SHOAL_API shoal_status shoal_like(const char *name, shoal_typing_options *typing,
                                  shoal_engine_options *engine);

#ifdef __cplusplus
}
#endif

#endif
