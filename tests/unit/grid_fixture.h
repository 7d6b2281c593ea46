/* SPDX-License-Identifier: BSD-3-Clause
 * Surfaces with grids for tests. */
#ifndef SHOAL_TESTS_GRID_FIXTURE_H
#define SHOAL_TESTS_GRID_FIXTURE_H

#include "surface_fixture.h"

/* A slab of NaCl with charges of 0.9 e, three layers, and the Morse form. */
static inline shoal_surface *make_salt(int32_t size)
{
    const shoal_surface_options options = {.form = SHOAL_SURFACE_MORSE};
    shoal_molecule *mol = fixture_salt(size, 3, 0.9);
    shoal_surface *surface = fixture_surface(mol, &options);
    shoal_molecule_destroy(mol);
    return surface;
}

static inline shoal_grid *make_grid(shoal_surface *surface, double step, bool whole_cell)
{
    const shoal_grid_options options = {.step = step, .whole_cell = whole_cell, .samples = -1};
    shoal_grid *grid = NULL;
    CHECK(shoal_grid_build(&grid, surface, &options) == SHOAL_OK);
    return grid;
}

#endif
