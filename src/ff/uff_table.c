/* SPDX-License-Identifier: BSD-3-Clause
 * The UFF atom types, from the table generated out of data/uff.tsv (sorted by element). */
#include "ff/uff_table.h"

#include <string.h>

#include "chem/element.h"

static const uff_type table[] = {
#include "uff_table.inc"
};

/* The types of element z begin here and end where those of the next begin. */
static const uint8_t first_type[ELEMENT_MAX + 2] = {
#include "uff_first.inc"
};

enum { N_TYPES = (int)(sizeof table / sizeof table[0]) };

const uff_type *uff_type_by_label(const char *label)
{
    for (int32_t t = 0; t < N_TYPES; ++t)
        if (strcmp(table[t].label, label) == 0) return &table[t];
    return NULL;
}

const uff_type *uff_types_of(int32_t z, int32_t *n)
{
    *n = first_type[z + 1] - first_type[z];
    return *n > 0 ? &table[first_type[z]] : NULL;
}

hybridization uff_type_hybridization(const uff_type *type)
{
    switch (type->label[2]) {
    case '1': return HYB_SP;
    case '2':
    case 'R': return HYB_SP2;
    case '3': return HYB_SP3;
    case '4': return HYB_SP2D;
    case '5': return HYB_SP3D;
    case '6': return HYB_SP3D2;
    default: return HYB_S;
    }
}
