/* SPDX-License-Identifier: BSD-3-Clause
 * Facts about elements that chemistry perception needs. */
#ifndef SHOAL_CHEM_ELEMENT_H
#define SHOAL_CHEM_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#define ELEMENT_MAX 118

typedef struct element {
    char symbol[4];
    double mass;   /* amu */
    double radius; /* covalent, angstrom */
    int32_t outer; /* valence electrons */
    int32_t period;
    int32_t n_valences;
    int32_t valences[4]; /* allowed, ascending; -1 means any */
} element;

extern const element element_table[ELEMENT_MAX + 1];

/* z must be 1..ELEMENT_MAX. */
static inline const element *element_get(int32_t z)
{
    return &element_table[z];
}

/* The first allowed valence, -1 if any is allowed. */
static inline int32_t element_default_valence(int32_t z)
{
    return element_table[z].valences[0];
}

/* True for everything that bonds by donation rather than by sharing: metals, including those of
 * the main groups; metalloids (B, Si, Ge, As, Sb, Te) count as non-metals. */
static inline bool element_is_metal(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 3: case 4: case 11: case 12: case 13: case 19: case 20: return true;
    default: break;
    }
    /* clang-format on */
    return (z >= 21 && z <= 31) || (z >= 37 && z <= 50) || (z >= 55 && z <= 84) ||
           (z >= 87 && z <= 112);
}

/* Atomic number of a symbol of n letters in any case; 0 if there is none. */
int32_t element_by_symbol(const char *symbol, int32_t n);

#endif
