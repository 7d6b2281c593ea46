/* SPDX-License-Identifier: BSD-3-Clause
 * Symmetry operations of crystals: as text, by Hall symbol or by the name of a space group, and groups of them. */
#ifndef SHOAL_GEOM_SYMMETRY_H
#define SHOAL_GEOM_SYMMETRY_H

#include "base/text.h"

/* Translations are in units of 1 / SYMMETRY_UNIT of a cell vector, 0 .. SYMMETRY_UNIT - 1 in a group. */
enum { SYMMETRY_UNIT = 24 };

/* x' = turn x + shift, in fractions of the cell. */
typedef struct symmetry_op {
    int8_t turn[3][3];
    int8_t shift[3];
} symmetry_op;

/* No space group has more operations than 192 in any of its settings. */
enum { SYMMETRY_MOST = 192 };

typedef struct symmetry_group {
    symmetry_op ops[SYMMETRY_MOST]; /* the first is the identity, once there is one */
    int32_t n;
} symmetry_group;

/* "x,y,z", "-x+1/2, y, 0.25+z", ..: each part is a sum of axes and of a fraction. False for anything else; the shift
 * is not brought into the cell. */
bool symmetry_read(shoal_span text, symmetry_op *out);
symmetry_op symmetry_identity(void);
/* First b, then a; the shift is brought into the cell. */
symmetry_op symmetry_product(const symmetry_op *a, const symmetry_op *b);
/* Inverse of an operation whose turn has the determinant 1 or -1. */
symmetry_op symmetry_inverse(const symmetry_op *op);
/* +1 or -1; 0 for turns of no crystal. */
int32_t symmetry_determinant(const symmetry_op *op);
void symmetry_apply(const symmetry_op *op, const double from[3], double to[3]);

/* Adds an operation that is not there; false if the group is full. */
bool symmetry_add(symmetry_group *g, const symmetry_op *op);
/* All products of what was added; false if they are no group of at most SYMMETRY_MOST. */
bool symmetry_close(symmetry_group *g);
/* Whether every product is there. */
bool symmetry_is_closed(const symmetry_group *g);

/* The group of a Hall symbol, with a change of basis in brackets if it has one; false if it is none. */
bool symmetry_by_hall(shoal_span symbol, symmetry_group *out);

typedef enum symmetry_name {
    SYMMETRY_NAMED = 0,
    SYMMETRY_UNKNOWN,   /* no such name */
    SYMMETRY_AMBIGUOUS, /* it does not say which origin or axes */
} symmetry_name;

/* The group of a Hermann-Mauguin name, full or short, as "P 1 21/c 1", "P21/c", "F d -3 m :2", "R-3H". Names without
 * axes mean the hexagonal ones where gamma (degrees) is 120. */
symmetry_name symmetry_by_name(shoal_span name, double gamma, symmetry_group *out);

#endif
