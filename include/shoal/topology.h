/* SPDX-License-Identifier: BSD-3-Clause
 * A topology: the typed and parameterised terms of one molecule, as UFF assignment returns them.
 *
 * Conventions. Units are eV, angstrom, e, radians. A shift is an integer triple (na, nb, nc): the
 * atom is displaced by na a + nb b + nc c from its home image. Formulas:
 *   bond       E = k/2 (r - r0)^2
 *   angle      E = k (c[0] + c[1] cos t + c[2] cos 2t + c[3] cos 3t + c[4] cos 4t)
 *   torsion    E = v (1 - d cos n phi), v already divided by 2 and by the torsions of the bond
 *   inversion  E = k (c[0] + c[1] cos w + c[2] cos 2w), w between bond j-l and the plane i-j-k,
 *              k already divided by 3
 *   vdw        E = D ((x/r)^12 - 2 (x/r)^6), x and D mixed from the two atoms */
#ifndef SHOAL_TOPOLOGY_H
#define SHOAL_TOPOLOGY_H

#include "shoal/atom_types.h"
#include "shoal/molecule.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_topology shoal_topology;

/* Terms of the energy, in the order of every terms[] array and of the JSON contract. */
enum {
    SHOAL_TERM_BOND = 0,
    SHOAL_TERM_ANGLE,
    SHOAL_TERM_TORSION,
    SHOAL_TERM_INVERSION,
    SHOAL_TERM_VDW,
    SHOAL_TERM_COULOMB,
    SHOAL_TERM_SURFACE,
    SHOAL_TERM_RESTRAINT,
    SHOAL_N_TERMS
};
/* Name as in the JSON contract ("bond", ...); NULL out of range. */
SHOAL_API const char *shoal_term_name(int term);

typedef struct shoal_bond_term {
    int32_t i, j;
    int32_t shift[3]; /* of j, relative to i */
    double k, r0;     /* eV/angstrom^2, angstrom */
    double order;     /* 1, 1.41, 1.5, 2, 3: the order the parameters were made with */
} shoal_bond_term;

typedef struct shoal_angle_term {
    int32_t i, j, k;                /* j is the centre */
    int32_t shift_i[3], shift_k[3]; /* relative to j */
    double force_k;                 /* eV */
    double c[5];
} shoal_angle_term;

typedef struct shoal_torsion_term {
    int32_t i, j, k, l;
    int32_t shift_i[3], shift_k[3], shift_l[3]; /* relative to j */
    double v;                                   /* eV */
    double d;                                   /* +1 or -1 = cos(n phi0) */
    int32_t n;                                  /* 1..6 */
} shoal_torsion_term;

typedef struct shoal_inversion_term {
    int32_t i, j, k, l;                         /* j is the centre, l the atom out of plane */
    int32_t shift_i[3], shift_k[3], shift_l[3]; /* relative to j */
    double force_k;                             /* eV */
    double c[3];
} shoal_inversion_term;

/* An atom in a certain image. */
typedef struct shoal_image {
    int32_t atom;
    int32_t shift[3];
} shoal_image;

/* Borrowed arrays of a topology, valid as long as it lives. */
typedef struct shoal_topology_view {
    int32_t n_atoms, n_bonds, n_angles, n_torsions, n_inversions;
    const shoal_bond_term *bonds;
    const shoal_angle_term *angles;
    const shoal_torsion_term *torsions;
    const shoal_inversion_term *inversions;
    const int32_t *elements;  /* [n_atoms] atomic numbers */
    const char *const *types; /* [n_atoms] UFF labels */
    const double *vdw_x;      /* [n_atoms] angstrom, distance of the minimum */
    const double *vdw_d;      /* [n_atoms] eV, depth */
    const double *charges;    /* [n_atoms] e, all zero without charges */
    bool has_charges;
    const double *hbonds; /* [n_atoms] strength of hydrogen bonds with a surface, by the table of
                             parameters; NULL without one */
    /* 1-2 and 1-3 partners of atom i: excluded[exclude_start[i] .. exclude_start[i+1]), sorted by
     * (atom, shift), both directions, without i itself in the home cell. */
    const int32_t *exclude_start; /* [n_atoms + 1] */
    const shoal_image *excluded;
    bool pbc[3];
} shoal_topology_view;

typedef enum shoal_dialect {
    SHOAL_DIALECT_RDKIT = 0, /* what RDKit computes, its listed bugs put right */
    SHOAL_DIALECT_PAPER,     /* Rappe et al. 1992 */
    SHOAL_DIALECT_FIRECORE,  /* the torsion and inversion rules of FireCore, its bugs put right */
} shoal_dialect;
/* -1 for an unknown name. */
SHOAL_API int shoal_dialect_by_name(const char *name);

typedef enum shoal_charge_source {
    SHOAL_CHARGES_AUTO = 0, /* the file's if it has them, else none */
    SHOAL_CHARGES_NONE,
    SHOAL_CHARGES_FILE, /* missing charges make the system untyped */
    SHOAL_CHARGES_QEQ,
} shoal_charge_source;

typedef struct shoal_bond_override {
    int32_t i, j;
    double order; /* > 0; used instead of the perceived order in every parameter */
} shoal_bond_override;

typedef struct shoal_uff_options {
    shoal_dialect dialect;
    shoal_charge_source charges;
    const shoal_bond_override *orders; /* borrowed for the call */
    int32_t n_orders;
    /* vdW radii and depths (and charges, where nothing else gives them) by type instead of UFF's; made
     * for arithmetic mixing. Types are looked up as UFF labels, hydrogens as H_O, H_N, .., H_C1, H_C2,
     * H_C3 by their neighbour, planar nitrogens as N_2 (two neighbours) or N_R, ions with + or - behind
     * the name first. Borrowed for the call; NULL: UFF. */
    const shoal_atom_types *params;
} shoal_uff_options;

/* Types and parameterises a molecule (perceiving it first if that was not done). A molecule that
 * cannot be typed still gives a topology, with status SHOAL_SYSTEM_UNTYPED and a reason that names
 * atom, element, valence and what was tried. options may be NULL. The caller owns a reference. */
SHOAL_API shoal_status shoal_topology_create(shoal_topology **out, shoal_molecule *mol,
                                             const shoal_uff_options *options);
/* The same for one of many conformers: where mol has the atoms, bonds and charges of like, *out is
 * another reference to topology, which was made of like with the same options; otherwise, and without
 * like, a new one. What depends on coordinates (QEq charges, trigonal bipyramids) is never shared. */
SHOAL_API shoal_status shoal_topology_create_like(shoal_topology **out, shoal_molecule *mol,
                                                  const shoal_uff_options *options,
                                                  const shoal_molecule *like,
                                                  shoal_topology *topology);
/* Stands for a molecule that is not to be computed: without terms, with SHOAL_SYSTEM_UNTYPED and this
 * reason, cut to 255 characters. A system made of it keeps its place in a batch and in the results. */
SHOAL_API shoal_status shoal_topology_create_untyped(shoal_topology **out,
                                                     const shoal_molecule *mol, const char *reason);
/* References are counted: a batch keeps its own. */
SHOAL_API shoal_topology *shoal_topology_retain(shoal_topology *topology);
SHOAL_API void shoal_topology_destroy(shoal_topology *topology);

SHOAL_API shoal_system_status shoal_topology_status(const shoal_topology *topology);
/* Why it is untyped; "" if it is not. */
SHOAL_API const char *shoal_topology_reason(const shoal_topology *topology);
SHOAL_API void shoal_topology_get(const shoal_topology *topology, shoal_topology_view *view);

#ifdef __cplusplus
}
#endif

#endif
