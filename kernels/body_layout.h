/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies as they cross the border between host and device; valid as C17 and OpenCL C 1.2.
 *
 * Every mover has a row in four arrays. Of integers, BODY_ROLE: in the row of the first atom of a body how many there are, else
 * BODY_FREE or BODY_HELD; BODY_START: of the first atom, where the list of its atoms begins; BODY_ENTRY: entry of that
 * list with the number of the row, an atom of the system; BODY_SIZE: atoms of the body, 1 of a free atom. Of vectors, by entries
 * of the list: places in the shape and weights; what coordinates lack to the image of the first atom. Of fours of vectors, in the
 * row of the first atom: body_numbers. */
#ifndef SHOAL_KERNELS_BODY_LAYOUT_H
#define SHOAL_KERNELS_BODY_LAYOUT_H

enum { BODY_ROLE, BODY_START, BODY_ENTRY, BODY_SIZE };
enum { BODY_FREE = -1, BODY_HELD = -2 };
enum { BODY_VECTORS = 4 }; /* of body_numbers: 1/mass and 1/moments; three of the frame */

#endif
