/* SPDX-License-Identifier: BSD-3-Clause
 * The surface of 'shoal bench': a built-in slab or a file, and the molecule above it. */
#ifndef SHOAL_CLI_BENCH_SURFACE_H
#define SHOAL_CLI_BENCH_SURFACE_H

#include "surface_options.h"

/* Makes the surface that --surface names: nacl or nacl:NxMxLAYERS (default 8x8x3) is built in,
 * everything else is a file. Then finds its grid. Returns an exit code; mistakes are printed. */
int bench_surface_make(surface_settings *s, shoal_engine_options *engine);

#define BENCH_HEIGHT 3.0 /* angstrom above the surface, unless --height says otherwise */

#endif
