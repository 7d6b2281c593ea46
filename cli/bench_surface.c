/* SPDX-License-Identifier: BSD-3-Clause
 * The surface of 'shoal bench': a built-in slab or a file, and the molecule above it. */
#include "bench_surface.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "systems.h"

#define ABOVE 3.0 /* angstrom, the lowest atom over the topmost of the surface */

/* "nacl" or "nacl:16x16x3"; false for anything else. */
static bool parse_salt(const char *name, shoal_slab_options *slab)
{
    char rest;
    *slab = (shoal_slab_options){.size = {8, 8}, .layers = 3, .charge = 0.9};
    if (strcmp(name, "nacl") == 0) return true;
    return sscanf(name, "nacl:%dx%dx%d%c", &slab->size[0], &slab->size[1], &slab->layers, &rest) ==
               3 &&
           slab->size[0] > 0 && slab->size[1] > 0 && slab->layers > 0;
}

int bench_surface_make(surface_settings *s, shoal_engine_options *engine)
{
    shoal_slab_options slab;
    shoal_molecule *mol = NULL;
    if (s->file && parse_salt(s->file, &slab)) {
        s->file = NULL;
        s->options.charges = s->charges;
        shoal_status status = shoal_molecule_create(&mol);
        if (status == SHOAL_OK) status = shoal_slab_build(mol, &slab);
        if (status == SHOAL_OK) status = shoal_surface_create(&s->surface, mol, &s->options);
        shoal_molecule_destroy(mol);
        if (status != SHOAL_OK) return complain_of_status(status);
    }
    return surface_settings_attach(s, engine, true);
}

shoal_status bench_surface_place(const shoal_surface *surface, shoal_molecule *mol)
{
    shoal_surface_view v;
    const int32_t n = shoal_molecule_n_atoms(mol);
    double low = INFINITY;
    shoal_status status = SHOAL_OK;
    shoal_surface_get(surface, &v);
    for (int32_t i = 0; i < n; ++i) low = fmin(low, shoal_molecule_positions(mol)[i][2]);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        const double *r = shoal_molecule_positions(mol)[i];
        const double to[3] = {r[0], r[1], r[2] + v.top + ABOVE - low};
        status = shoal_molecule_set_position(mol, i, to);
    }
    return status;
}
