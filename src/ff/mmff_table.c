/* SPDX-License-Identifier: BSD-3-Clause
 * The tables of MMFFsp3, generated out of data/mmff_types.tsv and data/mmff_bonds.tsv. */
#include "ff/mmff_table.h"

#include <math.h>
#include <string.h>

static const mmff_type types[] = {
#include "mmff_types.inc"
};

typedef struct bond_row {
    int32_t low, high; /* atomic numbers */
    int32_t order;
    mmff_stretch stretch;
} bond_row;

static const bond_row bonds[] = {
#include "mmff_bonds.inc"
};

const mmff_type *mmff_type_by_label(const char *label)
{
    for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
        if (strcmp(types[t].label, label) == 0) return &types[t];
    return NULL;
}

const mmff_element *mmff_element_of(int32_t z)
{
    static const struct {
        int32_t z;
        mmff_element element;
    } elements[] = {{1, {0, 0}},  {6, {0, 2}},  {7, {1, 2}},  {8, {2, 1}},
                    {9, {1, 0}},  {14, {0, 0}}, {15, {1, 1}}, {16, {2, 2}},
                    {17, {1, 0}}, {35, {1, 0}}, {53, {1, 0}}};
    for (size_t k = 0; k < sizeof elements / sizeof elements[0]; ++k)
        if (elements[k].z == z) return &elements[k].element;
    return NULL;
}

static const mmff_stretch *find_row(int32_t zi, int32_t zj, int32_t order)
{
    const int32_t low = zi < zj ? zi : zj, high = zi < zj ? zj : zi;
    for (size_t k = 0; k < sizeof bonds / sizeof bonds[0]; ++k)
        if (bonds[k].low == low && bonds[k].high == high && bonds[k].order == order)
            return &bonds[k].stretch;
    return NULL;
}

bool mmff_stretch_of(int32_t zi, int32_t zj, double order, mmff_stretch *out)
{
    if (!(order >= 1 && order <= 3)) return false;
    const int32_t whole = (int32_t)order;
    const mmff_stretch *row = find_row(zi, zj, whole);
    if (!row) return false;
    *out = *row;
    if (order == whole) return true;
    const mmff_stretch *next = find_row(zi, zj, whole + 1);
    if (!next) return false;
    /* Logarithmic between the rows, as bond orders after Pauling are. */
    const double part = log(order / whole) / log((whole + 1.0) / whole);
    out->length += part * (next->length - row->length);
    out->constant *= pow(next->constant / row->constant, part);
    return true;
}
