/* SPDX-License-Identifier: BSD-3-Clause
 * The surface of 'shoal bench': a built-in slab or a file, and the molecule above it. */
#include "bench_surface.h"

#include <stdio.h>
#include <string.h>

#include "systems.h"

/* "nacl" or "nacl:16x16x3"; false for anything else. */
static bool parse_salt(const char *name, shoal_slab_options *slab)
{
    char rest;
    *slab = (shoal_slab_options){.size = {8, 8}, .layers = 3, .charge = 0.9};
    if (strcmp(name, "nacl") == 0) return true;
    return sscanf(name, "nacl:%9dx%9dx%9d%c", &slab->size[0], &slab->size[1], &slab->layers,
                  &rest) == 3 &&
           slab->size[0] > 0 && slab->size[1] > 0 && slab->layers > 0;
}

int bench_surface_make(surface_settings *s, shoal_engine_options *engine)
{
    shoal_slab_options slab;
    shoal_molecule *mol = NULL;
    if (s->movable_layers > 0) {
        cli_complain("--movable-layers: bench keeps its surface rigid");
        return EXIT_USAGE;
    }
    if (s->file && parse_salt(s->file, &slab)) {
        if (!surface_settings_settle(s, s->model)) return EXIT_USAGE;
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
