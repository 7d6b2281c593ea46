/* SPDX-License-Identifier: BSD-3-Clause
 * Records that cross the border between host and device; valid as C17 and OpenCL C 1.2.
 *
 * Terms are packed into fours of 32-bit words, so that a few loads fetch a term: atoms as 16-bit
 * indices within the system, parameters as the bits of a float (in double precision programs, as
 * their place in an array of numbers). Slots: every term writes the forces on its atoms into
 * slots of its own, and every atom sums its slots in a fixed order. */
#ifndef SHOAL_KERNELS_LAYOUT_H
#define SHOAL_KERNELS_LAYOUT_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
typedef int layout_int;
#else
#include <stdint.h>
typedef int32_t layout_int;
#endif

/* Torsions that share i, j, k are worked on together, up to three at a time, and so are all
 * terms of a planar centre and its three neighbours: they share vectors, and their slots are
 * fewer. Of a torsion record the words are i | j << 16, k | l0 << 16, l1 | l2 << 16, codes (n, 8
 * for d = -1; a byte each) | count << 24; v0, v1, v2, first slot (for i, j, k, l0, ..).
 *
 * Of a centre j with the neighbours i, k, l: i | j << 16, k | l << 16, first slot (for i, j, k,
 * l), sum of the constants of the angles; form and k of the inversions, k and r0 of bond i (k =
 * 0 where it belongs to another centre); those of bonds k and l; the powers 1 to 4 of the angles
 * i-k, i-l, k-l; their guards.
 *
 * Of a bond: i | j << 16, k, r0. Of an angle: i | j << 16, k, five powers, guard. A guard is its number among
 * the forms plus 1, 0 for none.
 *
 * Of any other term (term_kinds.h): atoms 0 | 1 << 16, 2 | 3 << 16, first slot (for its atoms), kind;
 * eight numbers. */
#define CENTRE_WORDS 7

/* Of a node with up to four neighbours and a direction: node | neighbour 0 << 16, neighbours 1 | 2 << 16, 3 |
 * direction << 16, first slot (for the node, its neighbours, its direction) | neighbours << 28 | has a direction
 * << 31; k, cosine and sine of the half angles, c0 of sigma-pi; k and r0 of the stretches of neighbours 0, 1 (k =
 * 0 where another node has it); those of 2, 3; k of sigma-pi; k of pi-pi; directions of the neighbours 0 | 1 <<
 * 16, 2 | 3 << 16, numbers 1 and 2 of pi-pi. Of pi-pi every end has half the energy and the force on its own
 * direction. */
#define NODE_WORDS 7
#define TERM_WORDS 3

/* Of a site beside an atom (shoal_site): host | from 0 << 16, to 0 | from 1 << 16, to 1 | from 2 << 16, to 2 | arms <<
 * 16 | plain << 24; first slot (for the host, then tip and base of every arm), three weights x; three weights y, the
 * first of its coordinates; the other two. */
#define SITE_WORDS 4

/* One topology: how many terms it has, and where its data start in the arrays of the program. */
typedef struct topology_record {
    layout_int n_points, n_bonds, n_angles, n_torsions, n_terms, n_centres;
    layout_int bond, angle, torsion, term, centre; /* first in the array of its kind */
    layout_int gather_start;     /* first of n_points + n_directions + 1 entries */
    layout_int gather;           /* first four slots, as distances from slot 0 in bytes */
    layout_int exclude, n_words; /* n_words of bits for every atom: no pair with j */
    layout_int atom;             /* first atom parameters */
    layout_int n_slots;          /* of terms; those of pairs follow */
    layout_int at_angle;      /* first slot of angles; those of bonds follow, then those of sites */
    layout_int site, n_sites; /* first word of its sites */
    layout_int n_directions;  /* unit vectors that move behind the atoms; then there are no sites */
    layout_int node, n_nodes; /* first word of its nodes, which stand with the centres */
    layout_int pairs;         /* among the forms: 1/R and depth of pairs by kinds of atoms */
} topology_record;

/* What is added to whole numbers that stand among reals, see KIND_OF. */
#define KIND_ZERO 8388608.0

/* Vectors of local memory that a sum over a work-group needs, and two more for what is seldom looked at. */
#define RED_SIZE(group) ((group) + 10)

/* Coordinates and parameters of a system are filled up to so many atoms. */
#define PADDED(n) (((n) + 3) & ~3)

/* One system. */
typedef struct system_record {
    layout_int topology;
    layout_int atom_start; /* first atom in the arrays of coordinates; directions follow */
    layout_int index;      /* of its energies and its state */
    layout_int restraint, n_restraints; /* first restraint, and how many */
    layout_int preconditioner;          /* first of n_points rows of the matrix of its topology; one
                                           number for every direction follows */
    layout_int clamp;                   /* of its pairs: bits of a float */
    layout_int unused;
} system_record;

/* A restraint is this many reals: kind, four atoms, k, value (torsions: its cosine), sine,
 * target. */
#define LAYOUT_RESTRAINT 12
enum {
    RESTRAINT_KIND,
    RESTRAINT_ATOMS,
    RESTRAINT_K = 5,
    RESTRAINT_VALUE,
    RESTRAINT_SINE,
    RESTRAINT_TARGET
};

/* The frame of a surface's grid as reals: nodes per angstrom, wall, nodes. */
enum {
    FRAME_AX,
    FRAME_AY,
    FRAME_BX,
    FRAME_BY,
    FRAME_CZ,
    FRAME_WALL,
    FRAME_A,
    FRAME_B,
    FRAME_Z,
    FRAME_LEVELS,  /* in all: frames follow each other */
    FRAME_CLASSES, /* fields of a level */
    LAYOUT_FRAME
};

/* The tables of a direct sum as reals, see src/surf/surface_sum.h. */
enum {
    DIRECT_ALPHA,
    DIRECT_ETA,
    DIRECT_DAMPING2,
    DIRECT_REACH,
    DIRECT_CELL,                     /* two rows of two */
    DIRECT_DUAL = DIRECT_CELL + 4,   /* two rows of two */
    DIRECT_ORIGIN = DIRECT_DUAL + 4, /* of the bins */
    DIRECT_BINS = DIRECT_ORIGIN + 2, /* along x and y */
    DIRECT_WIDTH = DIRECT_BINS + 2,
    DIRECT_KVECS,
    DIRECT_PANELS,
    DIRECT_PANEL,
    DIRECT_Z_LOW,
    DIRECT_Z_HIGH,
    DIRECT_DEGREE,
    DIRECT_CHANNELS,
    DIRECT_CHANNEL, /* five at most */
    /* Of a pair model, as in surface_terms.h; fours of numbers that an atom has. */
    DIRECT_C_A = DIRECT_CHANNEL + 5,
    DIRECT_C_B,
    DIRECT_H_A,
    DIRECT_H_B,
    DIRECT_K0,
    DIRECT_K1,
    DIRECT_BETA,
    DIRECT_D,
    DIRECT_ROW,
    LAYOUT_DIRECT
};

/* What became of a system's steps. */
enum {
    STEP_GOING,
    STEP_CONVERGED,
    STEP_MAX_STEPS,
    STEP_NOT_FINITE,
    STEP_STALLED,
    STEP_UNSTABLE /* dynamics: an atom would move too far in one step */
};

/* Thermostats of dynamics. */
enum { MD_NONE, MD_LANGEVIN, MD_NOSE_HOOVER };

/* The state of a driver between launches: integers of every system, and reals. */
enum {
    STEP_OUTCOME,          /* STEP_GOING .. */
    STEP_EVALS,            /* evaluations so far */
    STEP_STARTED,          /* 0: the state begins with the next step; FIRE: 1 and its retreats */
    STEP_IDLE,             /* evaluations since the last progress */
    STEP_QUIET,            /* FIRE: steps since the power was negative; L-BFGS: backtracks */
    STEP_PLACE,            /* L-BFGS: place of the newest pair */
    MD_FIRST = STEP_PLACE, /* dynamics: the same; .. */
    MD_KEY,                /* .. two words */
    STEP_INTS = 8
};
enum {
    STEP_LOWEST, /* energy at the last progress, and the largest squared force then */
    STEP_QUIETEST,
    STEP_F2,  /* largest squared force */
    STEP_OWN, /* first number of a driver's own */
    FIRE_DT = STEP_OWN,
    FIRE_MIXING,
    FIRE_SPEED,
    FIRE_MOVE,
    FIRE_WORK,
    FIRE_KEEP, /* of the last decision, for those who move the atoms */
    FIRE_PUSH,
    FIRE_FIRST, /* fire_numbers, which the host writes, .. */
    FIRE_MOST,
    FIRE_LEAST,
    FIRE_ALPHA,
    FIRE_SHRINK,
    STEP_MAX_MOVE,    /* .. and of all minimisers: how far an atom may go in one step, angstrom */
    MD_KT = STEP_OWN, /* dynamics: md_state of step_md.h, which reads and writes all of these */
    MD_KT_CHANGE,
    MD_DOF,
    MD_THERMOSTAT, /* [4] */
    LBFGS_LENGTH = STEP_OWN,
    LBFGS_ENERGY,
    LBFGS_SLOPE,
    LBFGS_GAMMA,
    LBFGS_RHO = 8, /* of every pair */
    STEP_REALS = 16
};

/* L-BFGS: pairs of the history, and vectors kept for every atom: moves, changes of the gradient
 * preconditioned, the accepted coordinates, the forces there, and these preconditioned. */
#define LBFGS_PAIRS 4
#define LBFGS_VECTORS (2 * LBFGS_PAIRS + 3)

/* Its products of vectors: s moves, y changes, f the force, S the preconditioner; the last three are
 * f.Sf, y.y of the newest change, and f.f. */
enum {
    PRODUCT_SY, /* [move][change], where the change is as new as the move or newer */
    PRODUCT_YSY = PRODUCT_SY + LBFGS_PAIRS * LBFGS_PAIRS, /* [change][change] */
    PRODUCT_SF = PRODUCT_YSY + LBFGS_PAIRS * LBFGS_PAIRS, /* [move] */
    PRODUCT_YSF = PRODUCT_SF + LBFGS_PAIRS,               /* [change] */
    PRODUCT_FSF = PRODUCT_YSF + LBFGS_PAIRS,
    LBFGS_PRODUCTS = (PRODUCT_FSF + 3 + 3) / 4 * 4
};
/* Products that a step makes: some for every pair (y.s, y.Sy, f.s, f.Sy of the newest y and f), three of the
 * force and the newest change. */
#define LBFGS_PAIR_DOTS 4
enum { LBFGS_DOT_FSF = LBFGS_PAIR_DOTS * LBFGS_PAIRS, LBFGS_DOT_YY, LBFGS_DOT_FF, LBFGS_N_DOTS };
/* Room for them, and vectors of local memory for the slots of an evaluation or, in their place, for the
 * shares of the atoms in these products. */
#define LBFGS_DOTS ((LBFGS_N_DOTS + 3) / 4 * 4)
#define LBFGS_STRIDE(n) ((n) | 1) /* odd: no two work-items meet in a bank of the memory */
#define LBFGS_SHARES(n) (1 + LBFGS_DOTS / 4 * LBFGS_STRIDE(n))
#define LBFGS_SLOTS(n, n_slots)                                                                    \
    ((n_slots) + (n) > LBFGS_SHARES(n) ? (n_slots) + (n) : LBFGS_SHARES(n))

/* Host and device must agree on every size; both compile this. */
#define LAYOUT_CHECK(name, condition) typedef char layout_check_##name[(condition) ? 1 : -1]
LAYOUT_CHECK(topology, sizeof(topology_record) == 24 * sizeof(layout_int));
LAYOUT_CHECK(system, sizeof(system_record) == 8 * sizeof(layout_int));
LAYOUT_CHECK(word, sizeof(layout_int) == 4);
LAYOUT_CHECK(restraint, RESTRAINT_TARGET + 3 <= LAYOUT_RESTRAINT);
LAYOUT_CHECK(state, LBFGS_RHO + LBFGS_PAIRS <= STEP_MAX_MOVE && STEP_MAX_MOVE < STEP_REALS);
LAYOUT_CHECK(pairs, LBFGS_PAIRS == 4); /* step_lbfgs.h keeps them in vectors of four */

#endif
