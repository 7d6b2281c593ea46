/* SPDX-License-Identifier: BSD-3-Clause
 * Who is near whom in a large system. Atoms and those of their images that may matter are *sites*,
 * sorted in space and cut into blocks as wide as a SIMD register; atoms of the home cell are taken in
 * groups, and every group has a list of blocks. Nothing here depends on precision or threads. */
#ifndef SHOAL_BACKEND_CPU_NEIGHBOURS_H
#define SHOAL_BACKEND_CPU_NEIGHBOURS_H

#include "backend/backend.h"
#include "base/arena.h"
#include "geom/lattice.h"

enum { CPU_GROUP = 8 }; /* atoms that share a list of blocks */

/* An atom in an image; shift counts vectors of the reduced lattice. */
typedef struct cpu_image {
    int32_t atom;
    int32_t shift[3];
} cpu_image;

/* Sites of one block that an atom has no pair with, a bit each. */
typedef struct cpu_mask {
    int32_t block;
    uint32_t bits;
} cpu_mask;

typedef struct cpu_box {
    double low[3], high[3];
} cpu_box;

/* What a list is made from. */
typedef struct cpu_neighbours_input {
    const geom_lattice *lattice;
    int32_t n_particles;
    const double (*r)[3];         /* angstrom; finite */
    const int32_t *exclude_start; /* [n_particles + 1] */
    const cpu_image *excluded;    /* in any order; not the atom itself */
    double range;                 /* angstrom; INFINITY: isolated system, all blocks for all */
    int32_t width;                /* sites in a block, 32 at most */
} cpu_neighbours_input;

typedef struct cpu_neighbours {
    arena memory; /* of everything below */
    int32_t n_blocks, n_groups;
    cpu_image *sites;    /* [n_blocks * width]; atom -1 where a block is not full */
    double (*centre)[3]; /* [n_blocks] angstrom */
    cpu_box *boxes;      /* [n_blocks] around the sites of a block when the list was made */
    int32_t *order;      /* [n_particles] atoms as their home sites come; groups are runs of it */
    int32_t *list;       /* blocks of all groups; NULL: every group has all blocks */
    int64_t *list_start; /* [n_groups + 1] */
    int32_t *mask_start; /* [n_particles + 1], in the order of order */
    cpu_mask *masks;     /* of one atom by rising block; the atom itself is among them */
} cpu_neighbours;

/* Makes the lists; what was there before is forgotten. */
shoal_status cpu_neighbours_build(cpu_neighbours *to, const cpu_neighbours_input *from);
void cpu_neighbours_free(cpu_neighbours *n);

/* Squared distance of a point from a box. */
static inline double cpu_box_distance2(const cpu_box *box, const double r[3])
{
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const double below = box->low[c] - r[c], above = r[c] - box->high[c];
        const double d = below > above ? below : above;
        sum += d > 0 ? d * d : 0;
    }
    return sum;
}

#endif
