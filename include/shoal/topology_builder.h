/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies built by hand: any parameters, on any device. A force field is a function that fills a
 * builder; UFF is one.
 *
 *   shoal_topology_builder *b;
 *   shoal_topology_begin(&b, 3, (const int32_t[]){8, 1, 1});
 *   shoal_topology_add_bond(b, 0, 1, NULL, 45.9, 0.957);
 *   ..
 *   shoal_topology_finish(b, SHOAL_EXCLUDE_BONDS_AND_ANGLES, &topology);
 *
 * A call that fails leaves the builder as it was. Shifts may be NULL: all atoms at home. */
#ifndef SHOAL_TOPOLOGY_BUILDER_H
#define SHOAL_TOPOLOGY_BUILDER_H

#include "shoal/text.h"
#include "shoal/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_topology_builder shoal_topology_builder;

/* Atoms by atomic number 1..118, with the masses of their elements, no vdw (x = 3 angstrom, D = 0), no
 * charge and their symbols as types. elements is copied. */
SHOAL_API shoal_status shoal_topology_begin(shoal_topology_builder **out, int32_t n_atoms,
                                            const int32_t *elements);
/* Gives a builder up; finish does it too. NULL is allowed. */
SHOAL_API void shoal_topology_abandon(shoal_topology_builder *builder);

/* Parameters of one atom. A charge other than zero gives the topology charges. */
typedef struct shoal_atom_parameters {
    double vdw_x;     /* angstrom, > 0: distance of the minimum */
    double vdw_d;     /* eV, 0 or more: depth */
    double charge;    /* e */
    double mass;      /* amu; 0: the element's */
    const char *type; /* copied; NULL: the element's symbol */
} shoal_atom_parameters;

SHOAL_API shoal_status shoal_topology_set_atom(shoal_topology_builder *builder, int32_t i,
                                               const shoal_atom_parameters *parameters);
/* Directions in which systems of this topology repeat; none unless this is called. Shifts must be zero
 * along the others. */
SHOAL_API shoal_status shoal_topology_set_periodic(shoal_topology_builder *builder,
                                                   const bool pbc[3]);

/* How pairs interact, instead of LJ with the engine's rule of mixing and Coulomb's law: form, hydrogen bonds and Coulomb
 * of a pair model, whose plain LJ mixes by the arithmetic rule. Parameters are those of the atoms alone, as they act
 * (vdw_x is twice R, charges have the root of lambda in them); hbonds[n_atoms] are strengths of hydrogen bonds, NULL: none.
 * The table of the model is not looked at; what needs it (sites, columns of a formula) is refused. Takes a reference. */
SHOAL_API shoal_status shoal_topology_set_model(shoal_topology_builder *builder,
                                                shoal_pair_model *model, const double *hbonds);

/* One term of any kind: its atoms, their images (shifts[n_atoms][3], of which only differences matter)
 * and its parameters. Atoms must be different images, parameters finite; a torsion has d = 1 or -1 and
 * n = 1..6. Special pairs are added by shoal_topology_add_pair instead. */
SHOAL_API shoal_status shoal_topology_add_term(shoal_topology_builder *builder, int kind,
                                               const int32_t *atoms, const int32_t (*shifts)[3],
                                               const double *parameters);
/* E = k/2 (r - r0)^2; shift of j, relative to i. */
SHOAL_API shoal_status shoal_topology_add_bond(shoal_topology_builder *builder, int32_t i,
                                               int32_t j, const int32_t shift[3], double k,
                                               double r0);
/* E = k (c0 + c1 cos t + .. + c4 cos 4t); j is the centre. */
SHOAL_API shoal_status shoal_topology_add_angle(shoal_topology_builder *builder,
                                                const int32_t atoms[3], const int32_t (*shifts)[3],
                                                double k, const double c[5]);
/* E = v (1 - d cos n phi) about the bond j-k. */
SHOAL_API shoal_status shoal_topology_add_torsion(shoal_topology_builder *builder,
                                                  const int32_t atoms[4],
                                                  const int32_t (*shifts)[3], double v, int d,
                                                  int n);
/* E = k (c0 + c1 cos w + c2 cos 2w); j is the centre, w between j-l and the plane i-j-k. */
SHOAL_API shoal_status shoal_topology_add_inversion(shoal_topology_builder *builder,
                                                    const int32_t atoms[4],
                                                    const int32_t (*shifts)[3], double k,
                                                    const double c[3]);

/* A unit vector that stands at an atom, with an inertia in amu angstrom^2; *out is its number in terms. */
SHOAL_API shoal_status shoal_topology_add_direction(shoal_topology_builder *builder, int32_t atom,
                                                    double inertia, int32_t *out);
/* No vdw and no Coulomb pair of i and this image of j. Naming a pair twice is allowed. */
SHOAL_API shoal_status shoal_topology_exclude(shoal_topology_builder *builder, int32_t i, int32_t j,
                                              const int32_t shift[3]);
/* A pair with rules of its own, such as 1-4 pairs with scale factors. A pair may be special only once. */
SHOAL_API shoal_status shoal_topology_add_pair(shoal_topology_builder *builder,
                                               const shoal_special_pair *pair);

typedef enum shoal_exclusions {
    SHOAL_EXCLUDE_BONDS_AND_ANGLES = 0, /* ends of bonds and of angles, besides what was named */
    SHOAL_EXCLUDE_NAMED,                /* what was named alone */
} shoal_exclusions;

/* Checks the whole, sorts the terms and makes the topology; the builder is gone, also on failure. The
 * caller owns a reference. */
SHOAL_API shoal_status shoal_topology_finish(shoal_topology_builder *builder,
                                             shoal_exclusions exclusions, shoal_topology **out);

/* A topology as JSON, whole: atoms, terms, pairs without interaction, special pairs, the form of pairs. Read back it is the
 * same, bit for bit. Electron pairs, sites and columns of a formula cannot be written (SHOAL_E_UNSUPPORTED). */
SHOAL_API shoal_status shoal_topology_put(shoal_string *out, const shoal_topology *topology);
SHOAL_API shoal_status shoal_topology_write(const shoal_topology *topology, const char *path);
/* Fails with SHOAL_E_FORMAT, and a text that names the line, where the text makes no topology. The caller owns *out. */
SHOAL_API shoal_status shoal_topology_read_memory(shoal_topology **out, const void *data,
                                                  size_t size, const char *label);
SHOAL_API shoal_status shoal_topology_read(shoal_topology **out, const char *path);

#ifdef __cplusplus
}
#endif

#endif
