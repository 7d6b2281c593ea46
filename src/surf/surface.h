/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a surface: its atoms, what the channels weigh, and the tables of the direct sum. */
#ifndef SHOAL_SURF_SURFACE_H
#define SHOAL_SURF_SURFACE_H

#include "base/arena.h"
#include "shoal/surface.h"
#include "shoal/topology.h"
#include "surf/surface_model.h"

#include "constants.h"

/* Relative to the depth of a well, what the direct sum in double may leave out. */
#define SURFACE_TOLERANCE 1e-12
#define SURFACE_TOLERANCE_FLOAT 1e-8 /* the same in float */

struct surface_sum;

/* Name of a type and its h, for the atoms of molecules. */
typedef struct surface_hbond {
    char label[8];
    double h;
} surface_hbond;

struct shoal_surface {
    int32_t references; /* changed atomically */
    arena memory;       /* owns the arrays below */
    shoal_surface_view view;
    /* What atom s puts into the pair sum of each channel, [n_atoms][SHOAL_N_CHANNELS]:
     * V_c = sum_s weight[s][c] K_c(r), K = e^2, e, 1/d, e^2, e^2 with e = exp(-alpha r) for Morse,
     * 1/r^12, 1/r^6, 1/d, 1/r^12, 1/r^12 for LJ. Signs, -2 and kC are in the weights. */
    double (*weight)[SHOAL_N_CHANNELS];
    surface_hbond *hbonds;
    int32_t n_hbonds;
    /* With a pair model; then the weights are those of surface_model.h. */
    const surface_pairs *pairs; /* NULL: without */
    double (
        *numbers)[PAIR_NUMBERS]; /* [n_atoms] what atoms put into pairs: the charge times kC, h */
    int32_t *kinds;              /* [n_atoms]; NULL where there are too many */
    double kind_numbers[SHOAL_N_KINDS][PAIR_NUMBERS];
    int32_t n_kinds;
    struct surface_sum *sum;    /* of SURFACE_TOLERANCE */
    struct surface_sum *coarse; /* of SURFACE_TOLERANCE_FLOAT, its copies in float */
};

/* h of an atom of a molecule: that of its topology, else by its UFF label in the table of the surface;
 * 0 if neither knows it. */
double surface_hbond_of(const shoal_surface *surface, const shoal_topology_view *view, int32_t i);

/* Weights of atom i of a molecule, or of a site of it: its vdW parameters and charge, h by its label. */
void surface_atom_weights(const shoal_surface *surface, const shoal_topology_view *view, int32_t i,
                          double weights[SHOAL_N_CHANNELS]);

/* What it puts into the pairs of a model. */
void surface_atom_numbers(const shoal_surface *surface, const shoal_topology_view *view, int32_t i,
                          double numbers[PAIR_NUMBERS]);

/* surface_contact.c: the atom of the substrate that an atom of the element z at r is nearer to than any sane
 * contact, and their distance in angstrom; -1 if there is none. Of several, the nearest one. */
int32_t surface_contact(const shoal_surface *surface, const double r[3], int32_t z,
                        double *distance);

/* shoal_surface_warning of a surface that has charges, or a potential from elsewhere. */
const char *surface_warning(const shoal_surface *surface, bool charged,
                            const shoal_topology *topology);

/* Hash of the substrate and all its parameters. */
uint64_t surface_hash(const shoal_surface_view *view);

/* A surface of ready parameters, those of a view: n_atoms, elements, pos, radius, depth, charges,
 * hbond, cell, form, alpha, damping and pairs are copied, the rest follows; it has the hash of the
 * original, but no h for molecules. */
shoal_status surface_assemble(shoal_surface **out, const shoal_surface_view *view);

/* surface_atoms.c: fills radius, depth, charges and hbond of the view in, and the surface's table
 * of h. The arrays are there, elements and positions are set. */
shoal_status surface_parameterise(shoal_surface *s, const shoal_molecule *mol,
                                  const shoal_surface_options *options);

#endif
