/* SPDX-License-Identifier: BSD-3-Clause
 * Metals of substrates: which atoms belong to one, and parameters that were fitted to adsorption on it.
 *
 * Atoms of a metal are metal atoms with metal neighbours alone, or on top of at least three such. Ions of salts and oxides,
 * and atoms of frameworks and complexes have other neighbours; a lone atom has none. Where a substrate is of metal atoms
 * alone, all belong to a metal. */
#ifndef SHOAL_SURF_METALS_H
#define SHOAL_SURF_METALS_H

#include "shoal/surface.h"

/* Gives atoms of metals the fitted numbers, where there are some: radius[n_atoms] in angstrom, depth[n_atoms] in eV. Of the
 * view, elements, positions and cell are used. */
shoal_status metals_replace(const shoal_surface_view *v, double *radius, double *depth);

/* Whose numbers the atoms of metals have, as shoal_surface_view.metals says it. */
shoal_status metals_name(const shoal_surface_view *v, const char **out);

/* Radius of atom i as a body, angstrom: UFF's where a fitted one, which is about the wall of molecules, is smaller. */
double metals_size(const shoal_surface_view *v, int32_t i);

#endif
