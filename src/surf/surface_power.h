/* SPDX-License-Identifier: BSD-3-Clause
 * Powers of the distance above a lattice, split by Gaussians of the width 1/eta (Williams, Acta Cryst. A27 (1971) 452, in
 * two dimensions): the k-vectors of the smooth part
 *   1/r^2n less its part in pairs   pi/Gamma(n) int_0^eta^2 t^(n-2) exp(-t z^2 - G^2/4t) dt
 * at a height z over atoms of the weight 1, divided by the area of the cell. */
#ifndef SHOAL_SURF_SURFACE_POWER_H
#define SHOAL_SURF_SURFACE_POWER_H

enum { POWER_NODES = 48 };

/* A rule for the integral over t = eta^2 tau. */
typedef struct power_rule {
    double node[POWER_NODES], weight[POWER_NODES];
} power_rule;

void power_rule_make(power_rule *rule);

typedef struct power_split {
    int p; /* 2 n: 6, 8, 9 or 12 */
    double eta, area;
} power_split;

/* What a profile has of the k-vector, and of the height; their sum is the profile. */
void power_factors(const power_rule *rule, const power_split *split, double g,
                   double out[POWER_NODES]);
void power_decay(const power_rule *rule, double eta, double z, double out[POWER_NODES]);
double power_sum(const double factors[POWER_NODES], const double decay[POWER_NODES]);

/* The profile of G = 0, not divided by the area. */
double power_mean(double eta, int p, double z);

#endif
