/* SPDX-License-Identifier: BSD-3-Clause
 * Hydrogen atoms that a molecule lacks: how many, and where they go. */
#ifndef SHOAL_CHEM_HYDROGENS_H
#define SHOAL_CHEM_HYDROGENS_H

#include "chem/perceive.h"

/* An atom's bonds at a glance. */
typedef struct atom_bonds {
    int32_t valence, degree;
    int32_t n_double, n_triple; /* triple and above */
    bool metal;                 /* a partner is one */
} atom_bonds;

/* What an atom whose bonds add up to `used` is short of its smallest allowed valence that holds them; 0 of a metal and of
 * hydrogen itself. */
int32_t hydrogens_lacking(int32_t z, int32_t charge, int32_t used);

atom_bonds hydrogens_look(const shoal_molecule *mol, int32_t atom);

/* From an atom to its partner over a bond: a unit vector; returns the distance in angstrom, 0 where there is
 * no direction. */
double hydrogens_direction(const shoal_molecule *mol, int32_t bond, int32_t atom, double out[3]);

/* True if two bonds of an atom leave it within 30 degrees of opposite directions. */
bool hydrogens_is_linear(const shoal_molecule *mol, int32_t atom);

/* True if the three bonds of an atom are far from lying in a plane. */
bool hydrogens_is_pyramid(const shoal_molecule *mol, int32_t atom);

/* Length of a bond over the sum of the covalent radii of its atoms. */
double hydrogens_ratio(const shoal_molecule *mol, int32_t bond);

/* Orders by the lengths of bonds and the flatness of atoms, for the bonds among atoms that chosen[n_atoms]
 * names, which lack all hydrogen on carbon: elsewhere orders fill valences, here they must not. */
shoal_status hydrogens_guess_orders(shoal_molecule *mol, const bool *chosen);

/* Positions of the hydrogen atoms counts[n_atoms] of all atoms, in their order, angstrom. */
shoal_status hydrogens_place(const shoal_molecule *mol, const int32_t *counts, double (*out)[3]);

#endif
