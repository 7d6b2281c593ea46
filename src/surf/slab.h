/* SPDX-License-Identifier: BSD-3-Clause
 * What the builder of slabs knows of each kind: its atoms in a cell of the surface. */
#ifndef SHOAL_SURF_SLAB_H
#define SHOAL_SURF_SLAB_H

#include "shoal/surface.h"

/* angstrom: atoms of a layer are no farther below the next than this */
#define LAYER_GAP 0.3

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
    double edge2, b[2];   /* square of the length of a, in lattice constants; b in edges */
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
/* Default charge of A where each has `ratio` atoms of B, by the class of the compound, e. */
double slab_class_charge(int32_t a, int32_t b, double ratio);

/* An atom of a layer in a cell of the surface. */
typedef struct slab_place {
    double u, v, depth; /* in cells of the surface; angstrom below the top of the layer */
    double charge;      /* e */
    int32_t z;
} slab_place;

/* A slab as it is built, of a table or of a crystal: layers that are one another's images. */
typedef struct slab_plan {
    double edge, b[2]; /* length of a, which is along x, angstrom; b in edges */
    double spacing;    /* angstrom, from a layer to the next */
    double shift[2];   /* of the next layer, in cells of the surface */
    int32_t period;    /* layers after which the shifts begin anew */
    bool swaps;        /* every second layer has its two places exchanged */
    slab_place *places;
    int32_t n_places;
    char name[64]; /* "NaCl(001)" */
} slab_plan;

void slab_plan_free(slab_plan *plan);
/* Plans a slab that is cut from the crystal of the options, or that is a slab already; of the options, the crystal, its
 * indices and termination and the charges are looked at. */
shoal_status slab_plan_cut(slab_plan *plan, const shoal_slab_options *o);
/* Puts adatoms on a slab whose topmost layer is at z = 0. */
shoal_status slab_add_adatoms(shoal_molecule *mol, const slab_plan *plan,
                              const shoal_slab_options *o);

#endif
