/* SPDX-License-Identifier: BSD-3-Clause
 * The backend "shadow:X": runs X and ref side by side. */
#ifndef SHOAL_BACKEND_SHADOW_H
#define SHOAL_BACKEND_SHADOW_H

#include "backend/backend.h"

/* Results are those of X. A system whose numbers are not those of ref, within what the precision
 * allows, gets SHOAL_SYSTEM_DIFFERS and a reason that names atom and term. Relaxations are run by X
 * alone; ref looks at where they end. */
extern const shoal_backend shoal_backend_shadow;

#endif
