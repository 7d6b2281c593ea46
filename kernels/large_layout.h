/* SPDX-License-Identifier: BSD-3-Clause
 * Records of large systems that cross the border between host and device; valid as C17 and
 * OpenCL C 1.2. A launch works on blocks of atoms, terms or k-vectors of many systems; a block names
 * its system. */
#ifndef SHOAL_KERNELS_LARGE_LAYOUT_H
#define SHOAL_KERNELS_LARGE_LAYOUT_H

#include "layout.h"
#include "term_kinds.h"

#define LARGE_GROUP 128 /* work-items of every group */
#define LARGE_QUAD 4    /* atoms (or k-vectors) that a group works on at once */
#define LARGE_LISTED 4  /* atoms whose neighbour lists a group makes */

/* One topology. Of a term there are four atoms, the shift codes of its arms, and eight numbers. Particles are
 * atoms, and behind them sites (shoal_site), each LARGE_SITE_FOURS of integers (host, arms, 1 if it is plain;
 * from, to and shift codes of the arms: LARGE_S_) and as many of reals (weights x, weights y, coordinates).
 * Movers, which steps move, are atoms, and behind them directions: unit vectors that take part in terms alone.
 * Sites and directions never meet. */
typedef struct large_topology {
    layout_int n_points, atom;        /* first atom parameters */
    layout_int n_terms[TERM_N_KINDS]; /* by kind */
    layout_int term[TERM_N_KINDS];    /* first of its kind in the arrays of terms */
    layout_int slot[TERM_N_KINDS];    /* first slot of its kind; slot 0 holds zero */
    layout_int
        n_slots; /* of terms and sites; then three per particle: pairs, k-vectors, energies */
    layout_int gather_start, gather;   /* as in topology_record */
    layout_int exclude_start, exclude; /* first of one entry per particle or mover, and 1; first
                                        excluded image */
    layout_int link; /* first bonded neighbour; where those of an atom start as exclude_start */
    layout_int n_sites, site,
        site_slot; /* first site; first of LARGE_SITE_SLOTS for each of them */
    layout_int n_directions;
} large_topology;

#define LARGE_SITE_FOURS 3
#define LARGE_SITE_SLOTS 7 /* host, tip and base of every arm */
enum { LARGE_S_HOST, LARGE_S_ARMS, LARGE_S_PLAIN, LARGE_S_FROM, LARGE_S_TO = 6, LARGE_S_SHIFT = 9 };

/* One system: where its arrays start within its slice. */
typedef struct large_system {
    layout_int topology, atom, slot, sum;
    layout_int restraint, n_restraints;
    layout_int periodic;          /* bit k: repeats along vector k */
    layout_int n_kvecs, kvec;     /* of its Coulomb sum */
    layout_int table, n_table[3]; /* first translation; their number along each vector */
    layout_int atom_bits;         /* of an entry in the list; the rest is the translation */
    layout_int capacity;          /* neighbours that an atom has room for */
    layout_int list;              /* first entry of the list, in units of LARGE_ENTRIES */
    layout_int cell,
        n_cells[3];      /* first of n + 1 starts, n cursors, twice n_particles, LARGE_GROUP */
    layout_int reach[3]; /* cells to look at on either side */
    layout_int bonded;   /* blocks of terms */
    layout_int
        strain; /* first of two vectors for every block of terms, particle, block of sites, and block of modes */
    layout_int n_nodes[3],
        order; /* of the mesh of its charges, and of the splines; 0: there is none */
    layout_int node, mesh_turn,
        spline; /* first node (and weight); first of the turns along all axes; first spline */
} large_system;

#define LARGE_ENTRIES 32

/* Charges on a mesh. A group gathers the nodes of a brick, or sums lines of nodes along an axis, side by side, as many as
 * find room: no line is longer. Two halves of complex doubles leave some of 32 KiB of local memory. */
#define LARGE_BRICK 8
#define LARGE_LINE 960
#define LARGE_BUNDLE(n) ((n) > LARGE_LINE / 16 ? LARGE_LINE / (n) : 16)

/* Four numbers of a block: system, first item, kind of term, number within the system. */

/* Reals of a system's geometry. Vectors of the cell are split into multiples of LARGE_STEP and what
 * is left, so that large cells keep their digits in float. */
enum {
    LARGE_HIGH,           /* [3][3] */
    LARGE_LOW = 9,        /* [3][3] */
    LARGE_DUAL = 18,      /* [3][3] to coordinates in units of the cell; angstrom where it ends */
    LARGE_FIRST = 27,     /* [3] of the cells of the list */
    LARGE_SCALE = 30,     /* [3] cells per unit */
    LARGE_KVEC = 33,      /* [3][3] dual basis of the k-vectors, or of the mesh */
    LARGE_ALPHA = 42,     /* 1/angstrom */
    LARGE_REAL_CUT2 = 43, /* square of the cut-off of the Coulomb sum over images */
    LARGE_REACH2 = 44,    /* square of the reach of the list */
    LARGE_CONSTANT = 45,  /* eV: self-energy and background */
    LARGE_SLAB = 46,      /* slabs: 2 pi / area, else 0 */
    LARGE_TALL = 47,      /* slabs: the height that the k-vectors allow */
    LARGE_LENGTH = 48,    /* chains with charges: of the cell, angstrom; else 0 */
    LARGE_SPLIT = 49,     /* chains: images as in chain_sum */
    LARGE_IMAGES = 50,
    LARGE_TAIL = 51,     /* eV: of vdW beyond the cut-off */
    LARGE_DAMPING2 = 52, /* square of the damping length of Coulomb */
    LARGE_CLAMP = 53,    /* of pairs */
    LARGE_ORIGIN = 54, /* [3] meshes: what all coordinates are relative to, as parts of the cell */
    LARGE_SLACK = 57,  /* [3] meshes: how far an atom may be from its cell of the list, likewise */
    LARGE_BASIS = 60,  /* [3][3] meshes: the vectors along which nodes lie, in units of the cell */
    LARGE_GEOMETRY = 72
};
#define LARGE_STEP 8.0 /* angstrom */

/* Numbers that hold for all systems. */
enum {
    LARGE_METHOD,    /* LARGE_EVAL .. */
    LARGE_MAX_STEPS, /* exact up to 2^24 in float; the driver's own counters are integers */
    LARGE_FMAX2,
    LARGE_VDW2,         /* square of the cut-off of periodic systems */
    LARGE_SWITCH,       /* where the switch begins, angstrom */
    LARGE_SWITCH_SCALE, /* 1 / its width */
    LARGE_SKIN2,        /* square of how far an atom may move before lists are made anew */
    LARGE_DT,           /* of dynamics, fs */
    LARGE_SETTINGS
};
enum { LARGE_EVAL, LARGE_FIRE, LARGE_LBFGS, LARGE_MD };

/* Integers of a system's status. Nothing happens to a system while its flags are up. */
enum {
    LARGE_FLAGS,
    LARGE_NEED,
    LARGE_MOVED, /* what the last decision wants: FIRE LARGE_STAY .., L-BFGS LBFGS_TAKEN .. */
    LARGE_FRESH, /* L-BFGS: the direction is a new one, along which no step was tried */
    LARGE_LIMIT, /* evaluations at which the system waits for the others */
    LARGE_TOP,   /* of a slab, and how far it reaches down: thousandths of an angstrom */
    LARGE_BOTTOM,
    LARGE_DRIVER = 8, /* the driver's integers, STEP_ */
    LARGE_OUTCOME = LARGE_DRIVER + STEP_OUTCOME,
    LARGE_STATUS = LARGE_DRIVER + STEP_INTS
};
enum { LARGE_STAY, LARGE_MOVE, LARGE_RETREAT };
enum {
    LARGE_STALE = 1,    /* atoms have moved: make the list from where they are */
    LARGE_REMAKE = 2,   /* make the list from the same coordinates as last time */
    LARGE_OVERFLOW = 4, /* the list needs room for LARGE_NEED neighbours */
    LARGE_TOO_TALL = 8  /* a slab outgrew the height that its k-vectors allow */
};

/* A restraint is this many reals: kind, k, value (torsions: its cosine), sine, target in two
 * parts. */
enum {
    LARGE_R_KIND,
    LARGE_R_K,
    LARGE_R_VALUE,
    LARGE_R_SINE,
    LARGE_R_HIGH,
    LARGE_R_LOW = 7,
    LARGE_RESTRAINT = 10
};

/* Vectors that L-BFGS keeps for every mover: as LBFGS_VECTORS, and four that S is applied with. */
#define LARGE_VECTORS (LBFGS_VECTORS + 4)
/* S is a polynomial of the bonds: what Chebyshev's iteration makes of the inverse stiffness in
 * so many turns, if no mode, scaled by the diagonal, is softer than this. */
#define LARGE_TURNS 10
#define LARGE_SOFTEST 0.03

/* State of a driver: STEP_REALS, then what L-BFGS knows of its vectors: the coefficients of the direction
 * (of S changes, of moves, of S f, of f), and products of vectors. */
enum {
    LARGE_HEIGHT = STEP_REALS, /* of a slab */
    LARGE_FACTOR, /* of FIRE's move; dynamics: of velocities, of noise, of the last force */
    LARGE_COEFFICIENTS,
    LARGE_NOISE = LARGE_COEFFICIENTS,
    LARGE_CLOSE,
    LARGE_PRODUCTS = LARGE_COEFFICIENTS + 2 * LBFGS_PAIRS + 4,
    LARGE_STATE = LARGE_PRODUCTS + LBFGS_PRODUCTS
};

/* The products of L-BFGS, three at a time. */
#define LARGE_TRIPLES ((LBFGS_N_DOTS + 2) / 3)

/* Sums of a block of movers, four reals each: energies; products of a step; how far and how long;
 * products of L-BFGS. Behind the sums of the blocks of terms. */
enum {
    LARGE_SUM_ENERGY,
    LARGE_SUM_STEP,
    LARGE_SUM_MOVE,
    LARGE_SUM_LENGTH,
    LARGE_SUM_SURFACE,
    LARGE_SUM_PRODUCTS,
    LARGE_SUMS = LARGE_SUM_PRODUCTS + LARGE_TRIPLES
};

#endif
