/* SPDX-License-Identifier: BSD-3-Clause
 * Look-up in the tables of MMFF94. */
#include "ff/mmff94_table.h"

#include <stdlib.h>
#include <string.h>

static const mmff94_type types[MMFF94_TYPE_MOST + 1] = {
#include "mmff94_types.inc"
};

enum { ROW_VALUES = 3 };

typedef struct table_row {
    int32_t key;
    double values[ROW_VALUES];
} table_row;

static const table_row bonds[] = {
#include "mmff94_bonds.inc"
};
static const table_row angles[] = {
#include "mmff94_angles.inc"
};
static const table_row stretch_bends[] = {
#include "mmff94_stretch_bends.inc"
};
static const table_row stretch_bend_rules[] = {
#include "mmff94_stretch_bend_rules.inc"
};
static const table_row out_of_plane[] = {
#include "mmff94_out_of_plane.inc"
};
static const table_row torsions[] = {
#include "mmff94_torsions.inc"
};
static const table_row torsions_s[] = {
#include "mmff94s_torsions.inc"
};
static const table_row charges[] = {
#include "mmff94_charges.inc"
};

static const struct {
    const table_row *rows;
    size_t n;
} tables[] = {
#define TABLE(rows)                                                                                \
    {                                                                                              \
        rows, sizeof rows / sizeof rows[0]                                                         \
    }
    [MMFF94_BONDS] = TABLE(bonds),
    [MMFF94_ANGLES] = TABLE(angles),
    [MMFF94_STRETCH_BENDS] = TABLE(stretch_bends),
    [MMFF94_STRETCH_BEND_RULES] = TABLE(stretch_bend_rules),
    [MMFF94_OUT_OF_PLANE] = TABLE(out_of_plane),
    [MMFF94_TORSIONS] = TABLE(torsions),
    [MMFF94S_TORSIONS] = TABLE(torsions_s),
    [MMFF94_CHARGES] = TABLE(charges),
#undef TABLE
};

typedef struct bond_rule {
    int32_t low, high; /* atomic numbers */
    double values[2];
} bond_rule;

static const bond_rule bond_rules[] = {
#include "mmff94_bond_rules.inc"
};

const mmff94_type *mmff94_type_get(int32_t type)
{
    const bool known = type > 0 && type <= MMFF94_TYPE_MOST && types[type].z > 0;
    return known ? &types[type] : NULL;
}

int32_t mmff94_type_by_name(const char *name)
{
    char *end;
    const long number = strtol(name, &end, 10);
    if (name[0] && !*end)
        return number > 0 && number <= MMFF94_TYPE_MOST && mmff94_type_get((int32_t)number)
                   ? (int32_t)number
                   : 0;
    for (int32_t t = 1; t <= MMFF94_TYPE_MOST; ++t)
        if (types[t].z > 0 && strcmp(types[t].symbol, name) == 0) return t;
    return 0;
}

static int compare_row(const void *key, const void *row)
{
    const int32_t x = *(const int32_t *)key, y = ((const table_row *)row)->key;
    return (x > y) - (x < y);
}

const double *mmff94_row(mmff94_table table, int32_t key)
{
    const table_row *row =
        bsearch(&key, tables[table].rows, tables[table].n, sizeof *row, compare_row);
    return row ? row->values : NULL;
}

const double *mmff94_bond_rule(int32_t zi, int32_t zj)
{
    const int32_t low = zi < zj ? zi : zj, high = zi < zj ? zj : zi;
    for (size_t k = 0; k < sizeof bond_rules / sizeof bond_rules[0]; ++k)
        if (bond_rules[k].low == low && bond_rules[k].high == high) return bond_rules[k].values;
    return NULL;
}

/* Radii of Blom and Haaland, electronegativities of Allred and Rochow (J. Comput. Chem. 17 (1996) 625). */
bool mmff94_element(int32_t z, double *radius, double *chi)
{
    static const struct {
        int32_t z;
        double radius, chi;
    } elements[] = {{1, 0.33, 2.20},  {3, 1.34, 0.97},  {6, 0.77, 2.50},  {7, 0.73, 3.07},
                    {8, 0.72, 3.50},  {9, 0.74, 4.10},  {11, 1.54, 1.01}, {12, 1.30, 1.23},
                    {14, 1.15, 1.74}, {15, 1.09, 2.06}, {16, 1.03, 2.44}, {17, 1.01, 2.83},
                    {19, 1.96, 0.91}, {20, 1.74, 1.04}, {29, 1.38, 1.75}, {30, 1.31, 1.66},
                    {35, 1.15, 2.74}, {53, 1.33, 2.21}};
    for (size_t k = 0; k < sizeof elements / sizeof elements[0]; ++k) {
        if (elements[k].z != z) continue;
        *radius = elements[k].radius;
        *chi = elements[k].chi;
        return true;
    }
    return false;
}

static int period_of(int32_t z)
{
    return z <= 2 ? 0 : z <= 10 ? 1 : z <= 18 ? 2 : z <= 36 ? 3 : z <= 54 ? 4 : 5;
}

/* Of main group elements, by their periods (D. R. Herschbach and V. W. Laurie, J. Chem. Phys. 35 (1961) 458). */
const double *mmff94_badger(int32_t zi, int32_t zj)
{
    static const double rows[5][5][2] = {
        {{1.26, 0.025}, {1.66, 0.30}, {1.84, 0.38}, {1.98, 0.49}, {2.03, 0.51}},
        {{0, 0}, {1.91, 0.68}, {2.28, 0.74}, {2.35, 0.85}, {2.33, 0.68}},
        {{0, 0}, {0, 0}, {2.41, 1.18}, {2.52, 1.02}, {2.61, 1.28}},
        {{0, 0}, {0, 0}, {0, 0}, {2.58, 1.41}, {2.66, 0.86}},
        {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {2.85, 1.62}}};
    const int pi = period_of(zi), pj = period_of(zj);
    const int low = pi < pj ? pi : pj, high = pi < pj ? pj : pi;
    return high < 5 ? rows[low][high] : NULL;
}
