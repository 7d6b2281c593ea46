/* SPDX-License-Identifier: BSD-3-Clause
 * The bonded terms of a topology as centres and rotors: terms about one atom, or about one bond, share
 * their vectors. Both are sorted by their size, so that those of unlike molecules that stand side by
 * side in lanes are of like size. */
#ifndef SHOAL_BACKEND_CPU_SHAPE_H
#define SHOAL_BACKEND_CPU_SHAPE_H

#include "base/arena.h"
#include "base/error.h"
#include "ff/term_table.h"
#include "shoal/engine.h"

enum {
    CENTRE_ARMS = 4,
    CENTRE_ANGLES = 6,
    CENTRE_INVERSIONS = 3,
    ROTOR_SIDE = 3,
    ROTOR_ARMS = 2 * ROTOR_SIDE,
    ROTOR_TORSIONS = ROTOR_SIDE * ROTOR_SIDE,
};

/* An atom with its bonds, angles and inversions; NULL where there is none. */
typedef struct cpu_centre {
    int32_t atom, n_arms, arms[CENTRE_ARMS];
    bool inverts;
    const shoal_term *bonds[CENTRE_ARMS];    /* NULL also where it is counted at its other end */
    const shoal_term *angles[CENTRE_ANGLES]; /* of arms 01, 02, 03, 12, 13, 23 */
    const shoal_term *inversions[CENTRE_INVERSIONS]; /* by the arm that leaves the plane */
} cpu_centre;

/* An atom with its bonds, half angles and direction; NULL where there is none. */
typedef struct cpu_node {
    int32_t atom, n_arms, arms[CENTRE_ARMS];
    int32_t direction;                       /* its number in terms; -1: none */
    const shoal_term *bonds[CENTRE_ARMS];    /* as of a centre, and so are the angles */
    const shoal_term *angles[CENTRE_ANGLES]; /* HALF_ANGLE */
    const shoal_term *tilts[CENTRE_ARMS];    /* SIGMA_PI by arm */
    int32_t n_twists;
    const shoal_term *twists[CENTRE_ARMS]; /* PI_PI that have its direction first */
} cpu_node;

/* A bond j-k with its torsions: arms next to j, as many or more than there are next to k. */
typedef struct cpu_rotor {
    int32_t j, k, n_near, n_far;
    int32_t near[ROTOR_SIDE], far[ROTOR_SIDE];
    const shoal_term *torsions[ROTOR_SIDE][ROTOR_SIDE]; /* [near][far] */
} cpu_rotor;

/* Kinds that lanes of unlike systems have as they are, beside centres or nodes and rotors, in the order of kinds. */
#define CPU_MIXED_KINDS(X)                                                                         \
    X(ANGLE) X(VOLUME) X(QUARTIC_BOND) X(BEND) X(WILSON) X(FOURIER) X(PAIR_BUFFERED)

typedef struct cpu_shape {
    bool has_centres; /* they hold all bonds, angles and inversions; else none */
    bool has_rotors;  /* they hold all torsions; else none */
    bool has_nodes; /* they hold all bonds and all terms of half angles and directions; else none */
    bool has_ranges; /* nothing acts but ranges, in the order of their atoms, and volumes */
    bool mixes;      /* nothing else is in the topology that lanes of unlike systems lack */
    int32_t n_centres, n_rotors;
    cpu_centre *centres;
    cpu_rotor *rotors;
    int32_t n_nodes;
    cpu_node *nodes;
} cpu_shape;

/* Place of the angle between two arms. */
extern const int centre_angle_places[CENTRE_ARMS][CENTRE_ARMS];

/* Sorts the terms of a small topology; the arrays belong to the arena. */
shoal_status cpu_shape_find(cpu_shape *out, const shoal_topology_view *view,
                            const shoal_engine_options *options, arena *memory);

/* The nodes alone. */
shoal_status cpu_shape_find_nodes(cpu_shape *s, const shoal_topology_view *view, arena *memory);

#endif
