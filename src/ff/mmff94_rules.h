/* SPDX-License-Identifier: BSD-3-Clause
 * Constants of MMFF94's bonded terms, and the empirical rules that make those that its tables lack. Units are those of
 * the tables: md/angstrom, md angstrom/rad^2, md/rad, kcal/mol, angstrom, degrees. */
#ifndef SHOAL_FF_MMFF94_RULES_H
#define SHOAL_FF_MMFF94_RULES_H

#include "ff/mmff94.h"

typedef struct mmff94_bond {
    int32_t class;
    double k, r0;
} mmff94_bond;

typedef struct mmff94_angle {
    int32_t class, ring; /* 3 or 4 in a ring of that size */
    bool linear;
    double ka, theta0;
} mmff94_angle;

typedef struct mmff94_stretch_bend {
    int32_t class;
    double kijk, kkji; /* with the first bond, with the second */
} mmff94_stretch_bend;

typedef struct mmff94_torsion {
    int32_t class;
    double v[3];
} mmff94_torsion;

/* Atoms i, j, k, l by the ends of bonds: a leads from j to i, jk from j to k, b from k to l. */
typedef struct mmff94_chain {
    int32_t j;
    const graph_end *a, *jk, *b;
} mmff94_chain;

/* mmff94_parameters.c. False where neither a row nor a rule makes the bond. */
bool mmff94_bond_of(const mmff94 *m, int32_t bond, mmff94_bond *out);
bool mmff94_angle_of(const mmff94 *m, int32_t centre, const graph_end *a, const graph_end *b,
                     mmff94_angle *out);
void mmff94_stretch_bend_of(const mmff94 *m, int32_t centre, const graph_end *a, const graph_end *b,
                            const mmff94_angle *angle, mmff94_stretch_bend *out);
/* Of an atom with three neighbours; 0 where there is none. */
double mmff94_out_of_plane(const mmff94 *m, int32_t centre, bool is_s);
void mmff94_torsion_of(const mmff94 *m, const mmff94_chain *c, bool is_s, mmff94_torsion *out);

/* mmff94_rules.c */
bool mmff94_bond_by_rule(const mmff94 *m, const shoal_bond *bond, mmff94_bond *out);
double mmff94_rest_angle(const mmff94_type *centre, int32_t ring);
double mmff94_angle_constant(int32_t zi, int32_t zj, int32_t zk, double r_ij, double r_jk,
                             const mmff94_angle *angle);
void mmff94_torsion_by_rule(const mmff94 *m, int32_t j, const graph_end *jk, double v[3]);

#endif
