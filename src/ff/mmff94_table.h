/* SPDX-License-Identifier: BSD-3-Clause
 * The tables of MMFF94 and MMFF94s, as T. A. Halgren published them (J. Comput. Chem. 17 (1996) 490-641; 20 (1999)
 * 720-748): generated out of data/mmff94_*.tsv. Numbers are in his units: kcal/mol, md, angstrom, degrees, e. */
#ifndef SHOAL_FF_MMFF94_TABLE_H
#define SHOAL_FF_MMFF94_TABLE_H

#include "chem/molecule.h"

typedef struct mmff94_type {
    shoal_label symbol;
    int32_t z;
    int32_t crd, val; /* neighbours; valence: 12 is one or two, 34 three or four */
    int32_t pilp;     /* has a pi lone pair */
    int32_t mltb;     /* 2, 3: double, triple bonds; 1: partly double ones */
    int32_t arom, lin, sbmb;
    int32_t level[3];                /* levels 3, 4, 5 of what stands for it; 0: anything */
    double pbci, fcadj;              /* e; share of a formal charge */
    double alpha, n_effective, a, g; /* of van der Waals pairs */
    char da;                         /* 'D', 'A' or '-' */
} mmff94_type;

enum { MMFF94_TYPE_MOST = 99 };

/* NULL for a number without a type. */
const mmff94_type *mmff94_type_get(int32_t type);
/* By symbol or number; 0: there is none. */
int32_t mmff94_type_by_name(const char *name);

typedef enum mmff94_table {
    MMFF94_BONDS = 0,          /* k, r0 by class, i, j; i <= j */
    MMFF94_ANGLES,             /* ka, theta0 by class, i, j, k; i <= k */
    MMFF94_STRETCH_BENDS,      /* kijk, kkji by class, i, j, k; i <= k */
    MMFF94_STRETCH_BEND_RULES, /* the same by rows of the periodic table */
    MMFF94_OUT_OF_PLANE,       /* koop of MMFF94, of MMFF94s by i, j, k, l; i <= k <= l */
    MMFF94_TORSIONS,           /* v1, v2, v3 by class, i, j, k, l; j < k, or j == k and i <= l */
    MMFF94S_TORSIONS,
    MMFF94_CHARGES, /* bci by class, i, j; i <= j */
} mmff94_table;

/* Values of a row, NULL where there is none; key: its numbers, two digits each. */
const double *mmff94_row(mmff94_table table, int32_t key);

/* A bond between two elements: what scales its constant (r0 and k), NULL if nothing does. */
const double *mmff94_bond_rule(int32_t zi, int32_t zj);
/* Covalent radius in angstrom and electronegativity; false for other elements. */
bool mmff94_element(int32_t z, double *radius, double *chi);
/* a and d of Badger's rule in the form of Herschbach and Laurie, angstrom. */
const double *mmff94_badger(int32_t zi, int32_t zj);

#endif
