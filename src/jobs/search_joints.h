/* SPDX-License-Identifier: BSD-3-Clause
 * The joints of a molecule: what of its shape a search may change without breaking bonds or changing
 * configurations. */
#ifndef SHOAL_JOBS_SEARCH_JOINTS_H
#define SHOAL_JOBS_SEARCH_JOINTS_H

#include "base/arena.h"
#include "chem/molecule.h"

#define SEARCH_LARGEST_FLAP 16 /* atoms of a ring whose corners flap */

/* Atoms of a list. */
typedef struct search_atoms {
    int32_t n;
    int32_t *of;
} search_atoms;

/* A bond between i and j, behind which `behind` turn. */
typedef struct search_rotor {
    int32_t i, j;
    bool flat;    /* conjugated: flat forms come first */
    bool kept;    /* flat, and seldom other than it is: amides and esters */
    int32_t fold; /* preferred angles: 3 staggered, 6 between a planar and another atom, 2 flat */
    int32_t ends[2]; /* partners of i and j, of which the torsion is measured */
    search_atoms behind;
} search_rotor;

/* A corner of a ring, between two neighbours of the ring, that can flap through the plane of the others. */
typedef struct search_corner {
    int32_t corner, sides[2];
    int32_t next[2];        /* atoms of the ring beyond the sides */
    search_atoms ring;      /* all of it */
    search_atoms at_corner; /* what hangs on the corner and has to follow */
    search_atoms at_side[2];
} search_corner;

/* A pyramid of three bonds that turns inside out: amines. `branch` goes through the plane of the others. */
typedef struct search_pyramid {
    int32_t top, sides[2], branch;
    search_atoms behind; /* the branch and what hangs on it */
} search_pyramid;

/* A ring of many atoms, whose parts turn between two of them. */
typedef struct search_ring {
    int32_t n;
    int32_t *atoms;         /* [n], in order */
    search_atoms *branches; /* [n]: what hangs on each */
    bool *inner;            /* [n]: may turn with its branches */
    bool *pivot;            /* [n]: its bonds may turn */
    int32_t n_pivots;
} search_ring;

typedef struct search_joints {
    arena memory; /* owns the lists */
    int32_t n_rotors, n_corners, n_pyramids, n_rings;
    search_ring *rings; /* of seven atoms and more, with pivots */
    bool stiff_rings;   /* rings of many atoms that nothing moves */
    search_rotor *rotors;
    search_corner *corners;
    search_pyramid *pyramids;
} search_joints;

/* Finds the joints of the first n_atoms atoms of a molecule that is perceived and not periodic there.
 * fixed[n_atoms]: those that stay where they are; NULL: none. pos[n_atoms][3]: where the atoms are. Left out are
 * rotors that change nothing: those with three like end atoms on one side (CH3, CF3), and those whose one side
 * lies on the axis. */
shoal_status search_joints_find(search_joints *out, const shoal_molecule *mol, int32_t n_atoms,
                                const double (*pos)[3], const bool *fixed);
void search_joints_free(search_joints *joints);

/* Turns what is behind a rotor by the angle whose cosine and sine are given. */
void search_turn(const search_rotor *rotor, double c, double s, double (*pos)[3]);
/* Puts a corner so that it leaves the plane of the other ring atoms at the angle whose tangent is given; what hangs on
 * it and on its neighbours follows. */
void search_flap(const search_corner *corner, double tangent, double (*pos)[3]);
/* That tangent as it is; 0 where the ring has collapsed. */
double search_tangent(const search_corner *corner, const double (*pos)[3]);
/* Cosine and sine of the torsion of a rotor; false where it has none. */
bool search_torsion(const search_rotor *rotor, const double (*pos)[3], double out[2]);
/* Turns n atoms of a ring that follow atom `first`, with what hangs on them, about the axis through first and the one
 * behind them. False, and nothing is done, where angles at the ends of the axis would become those of no molecule. */
bool search_crank(const search_ring *ring, int32_t first, int32_t n, double c, double s,
                  double (*pos)[3]);
/* Turns a pyramid inside out. */
void search_invert(const search_pyramid *pyramid, double (*pos)[3]);

#endif
