/* SPDX-License-Identifier: BSD-3-Clause
 * What the builder of slabs knows of each kind: its atoms in a cell of the surface. */
#ifndef SHOAL_SURF_SLAB_H
#define SHOAL_SURF_SLAB_H

#include "shoal/surface.h"

/* An atom of a layer. */
typedef struct slab_site {
    double u, v;     /* in cells of the surface */
    double depth;    /* below the top of the layer, in lattice constants */
    int32_t element; /* 0: A, 1: B */
} slab_site;

/* One kind of slab: the cell of its surface, and how a layer is shifted against the one above it; after
 * `period` layers it starts again. */
typedef struct slab_pattern {
    const char *name;     /* "(001)", or of the whole slab if it is a sheet */
    bool is_sheet, swaps; /* every second layer has A and B exchanged */
    double edge, b[2];    /* length of a in lattice constants; b in edges */
    double spacing;       /* of layers, in lattice constants; 0: half of c */
    double shift[2];      /* in cells of the surface */
    int32_t period, n_sites, n_elements;
    int32_t n_b;         /* atoms of B for each of A */
    int32_t elements[2]; /* unless others are asked for */
    int32_t layers;
    slab_site sites[3];
} slab_pattern;

/* NULL for a kind that there is not. */
const slab_pattern *slab_pattern_of(shoal_slab_kind kind);

#endif
