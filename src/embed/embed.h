/* SPDX-License-Identifier: BSD-3-Clause
 * Conformers by distance geometry: bounds of all distances from the graph, random starts that an engine
 * minimises, and checks of what comes out. The force field is a topology of ranges and volumes, so every
 * device can do it. */
#ifndef SHOAL_EMBED_EMBED_H
#define SHOAL_EMBED_EMBED_H

#include "chem/perceive.h"
#include "shoal/engine.h"
#include "shoal/topology_builder.h"

/* Bounds of the distances of all pairs, angstrom: [n][n], symmetric. upper is 0 between parts without bonds. */
typedef struct embed_bounds {
    int32_t n;
    double *lower, *upper;
    double *length; /* [n_bonds] natural lengths */
    uint8_t *apart; /* [n][n] bonds on the shortest way, NO_WAY beyond 15 or without one */
    int32_t *part;  /* [n] of atoms joined by bonds */
    int32_t n_parts;
} embed_bounds;

enum { EMBED_NO_WAY = 255, EMBED_FARTHEST = 15 };

/* Four atoms whose signed volume, (j - i).((k - i) x (l - i)), has to lie in a range; for a centre out of stereo. */
typedef struct embed_volume {
    int32_t atoms[4];
    double low, high; /* angstrom^3 */
    int32_t centre;   /* whose configuration it is; -1: it keeps a plane */
} embed_volume;

#define EMBED_BOUNDLESS 1e6 /* angstrom^3 */

/* A double bond whose partners i and l, of j and k, are cis or trans. */
typedef struct embed_torsion {
    int32_t atoms[4];
    bool cis;
} embed_torsion;

enum { EMBED_SHAPES = 4 };

/* What a molecule asks of its geometry. */
typedef struct embed_problem {
    const shoal_molecule *mol; /* borrowed, perceived */
    const ring_set *rings;     /* of it */
    embed_bounds bounds;
    embed_volume *volumes;
    int32_t n_volumes, volume_capacity;
    embed_torsion *torsions;
    int32_t n_torsions, torsion_capacity;
    shoal_topology *topology;
    int32_t *chairs; /* [n_chairs] rings of six atoms that prefer to be chairs, one or the other */
    int32_t n_chairs;
    shoal_topology
        *shapes[EMBED_SHAPES]; /* [n_shapes] the topology with these, one way or the other */
    int32_t n_shapes;
    int32_t n_open; /* atoms at which rings meet, whose configuration is open: in or out */
    uint64_t key;   /* of atoms, bonds and configurations */
    arena memory;
} embed_problem;

/* The molecule must live as long, and is perceived if it was not. Fails with SHOAL_E_FORMAT and the reason where it has no
 * geometry by its bonds. */
shoal_status embed_problem_create(embed_problem **out, shoal_molecule *mol);
void embed_problem_destroy(embed_problem *p);

/* Distances of bonds, angles and torsions; then configurations. Rings and atoms are those of perception. */
shoal_status embed_find_bounds(embed_problem *p);
shoal_status embed_find_stereo(embed_problem *p);
/* Of one end of a bond, besides the other; -1 without one. Marks of double bonds are of these. */
int32_t embed_lowest_partner(const graph *g, int32_t i, int32_t other);
/* Makes the bounds obey the triangle inequality. */
void embed_smooth(embed_bounds *b);

/* What is wrong with the coordinates that a try ended with, in words; NULL: nothing. Later tries may be rougher. Atoms are
 * numbered from 0. */
const char *embed_check(const embed_problem *p, const double (*pos)[3], int32_t n_tries,
                        char reason[160]);
/* The part of it that holds at any geometry: configurations, threaded rings, atoms on top of each other. */
const char *embed_check_graph(const embed_problem *p, const double (*pos)[3], char reason[160]);

/* Rings that prefer to be chairs. Volumes of ring number k of them that make it one in this shape: out[6]. */
shoal_status embed_find_chairs(embed_problem *p);
void embed_chair_volumes(const embed_problem *p, int32_t k, int32_t shape, embed_volume out[6]);

/* Some conformers get their chains stretched, as far as nothing is in the way. Fails when memory is out. */
shoal_status embed_prefer(const embed_problem *p, uint64_t key, double (*pos)[3]);

/* A conformer to be found. */
typedef struct embed_place {
    const embed_problem *problem;
    int64_t conformer;        /* number of it */
    double (*pos)[3];         /* [n_atoms], filled on success */
    shoal_topology *topology; /* a short relaxation with it follows; NULL: none does. Borrowed */
    bool found, relaxed;
    int32_t n_tries;
    double (*best)[3]; /* of several isomers so far, NULL without; .. */
    double energy;     /* .. its energy, eV, */
    int32_t n_isomers; /* .. and how many there were */
    char reason[160];  /* of the last try that failed */
} embed_place;

typedef struct embed_options {
    uint64_t seed;
    int32_t most_tries;                 /* 0: 30 */
    bool no_charges;                    /* of the topologies: found before there was a geometry */
    const shoal_engine_options *engine; /* device, threads; NULL: defaults */
    bool (*stop)(void *user);           /* asked between rounds; true ends it */
    void *user;
} embed_options;

/* Tries every place until it has a conformer or has failed so often. What becomes of a place is a function of seed,
 * molecule and conformer alone. */
shoal_status embed_run(embed_place *places, int32_t n, const embed_options *options);

#endif
