/* SPDX-License-Identifier: BSD-3-Clause
 * Frames of lone pairs and sigma holes from the bonds about an atom. */
#ifndef SHOAL_FF_SITE_FRAMES_H
#define SHOAL_FF_SITE_FRAMES_H

#include "geom/lattice.h"
#include "shoal/topology.h"

enum { SITE_FRAMES_MOST = 3 }; /* sites of one rule and atom */

/* A neighbour: where it is, seen from the atom, angstrom. */
typedef struct site_bond {
    int32_t atom, shift[3];
    double away[3];
} site_bond;

/* Neighbours of atom i: bonds[start[i] .. start[i + 1]). */
typedef struct site_bonds {
    int32_t n_atoms;
    const int32_t *start;
    const site_bond *bonds;
} site_bonds;

/* Sites of an atom by a rule; returns how many. Where the geometry leaves a direction open (a planar centre has no
 * side, a straight molecule no plane) there are fewer: none is ever drawn at random. */
int32_t site_frames_find(const site_bonds *b, int32_t atom, const shoal_site_rule *rule,
                         shoal_site out[SITE_FRAMES_MOST]);

/* From the host to a site; arms[3] are its three vectors, angstrom. */
void site_frames_place(const shoal_site *site, const double arms[3][3], double offset[3]);
/* Puts all sites of a topology behind its atoms: pos[n_atoms + n_sites], angstrom. */
void site_frames_place_all(const shoal_topology_view *view, const geom_lattice *cell,
                           double (*pos)[3]);

#endif
