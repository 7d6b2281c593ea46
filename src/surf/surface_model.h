/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of a molecule and a substrate as a pair model has them, and how their sum is shared out.
 *
 * With e = exp(-k (r - R0)), k = k0 + k1/R0, and u = R0/r a pair is E0 (c_b (1 + h_b H) B - c_a (1 - h_a H) A), where
 * B and A are by family (form_numbers.h)   u^power, u^6      e^2, e      e, u^6.
 * Radii mix as sums: of powers, no product of two atoms' numbers is left. So atoms of a substrate with the same R, D
 * and h are a kind, and every kind has channels of its own, 1/r^power or an exponential with the weight 1. What is
 * left over, numbers of an atom and a kind, are the weights of the atoms of molecules. */
#ifndef SHOAL_SURF_SURFACE_MODEL_H
#define SHOAL_SURF_SURFACE_MODEL_H

#include "shoal/surface.h"

#include "form_numbers.h"

typedef struct surface_pairs {
    shoal_pair_settings settings; /* without anything that it would point to */
    int family;                   /* FORM_ */
    int power;                    /* of B; 0: an exponential */
    double c_a, c_b;
    double k0, k1;   /* 1/angstrom, 1 */
    double h_a, h_b; /* 0 or 1 */
} surface_pairs;

/* Numbers of a pair that an atom of either side has. */
enum { PAIR_RADIUS, PAIR_ROOT_D, PAIR_CHARGE, PAIR_H, PAIR_NUMBERS = 5 };

/* The settings of a model as files and hashes have them; its types are those of the atoms. */
enum { SURFACE_PAIR_NUMBERS = 8 };
static inline void surface_pair_numbers(const shoal_pair_settings *p,
                                        double out[SURFACE_PAIR_NUMBERS])
{
    const double n[SURFACE_PAIR_NUMBERS] = {p->form,
                                            p->alpha,
                                            p->hbond,
                                            p->coulomb,
                                            p->coulomb_damping,
                                            p->lambda,
                                            p->radius_charge,
                                            p->dispersion_damping};
    for (int k = 0; k < SURFACE_PAIR_NUMBERS; ++k) out[k] = n[k];
}

/* What follows from the settings of a model. Refuses a formula: nobody knows what it leaves beyond a reach. */
shoal_status surface_pairs_make(surface_pairs *out, const shoal_pair_settings *settings);

/* Both channels of a kind. */
int surface_channel_repulsion(int32_t kind);
int surface_channel_attraction(int32_t kind);
/* The power of 1/r that a channel with pairs falls with, 0 for an exponential. */
int surface_pairs_power(const surface_pairs *p, int channel);
/* Exponent of a channel, 1/angstrom; 0 for a power, and where it hangs on the pair. */
double surface_pairs_exponent(const surface_pairs *p, int channel);

struct shoal_surface;
/* The same of any surface, with a pair model or without. */
int surface_channel_power(const struct shoal_surface *s, int channel);
double surface_channel_exponent(const struct shoal_surface *s, int channel);

/* Finds the kinds of a surface and the weights of its atoms. */
shoal_status surface_find_kinds(struct shoal_surface *s);
/* Weights of an atom of a molecule in all channels. */
void surface_pairs_weigh(const struct shoal_surface *s, const shoal_probe *probe,
                         double weights[SHOAL_N_CHANNELS]);

/* Distance beyond which what falls off fast can be left out, angstrom; SURFACE_MOST_REACH or more if that would be too
 * far to sum up. */
#define SURFACE_MOST_REACH 150.0
double surface_pairs_reach(const struct shoal_surface *s, double tolerance);

/* Why a grid cannot hold the fields; NULL: it can. */
const char *surface_pairs_no_grid(const struct shoal_surface *s);

/* Why a system cannot stand on a surface: the two have different pairs. NULL: it can. */
const char *surface_pairs_misfit(const struct shoal_surface *s, const shoal_topology_view *view);

#endif
