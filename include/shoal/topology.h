/* SPDX-License-Identifier: BSD-3-Clause
 * A topology: the typed and parameterised terms of one molecule, from UFF or built by hand.
 *
 * Conventions. Units are eV, angstrom, e, radians. A shift is an integer triple (na, nb, nc): the
 * atom is displaced by na a + nb b + nc c from its home image. Formulas of bonded terms stand in the
 * table of kinds (shoal_term_kind_get), those of pairs are
 *   vdw        E = D ((x/r)^12 - 2 (x/r)^6), x and D mixed from the two atoms
 *   coulomb    E = kC q q / r
 * unless the topology has a pair model, which says what they are. */
#ifndef SHOAL_TOPOLOGY_H
#define SHOAL_TOPOLOGY_H

#include "shoal/molecule.h"
#include "shoal/pair_model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_topology shoal_topology;

/* Terms of the energy, in the order of every terms[] array and of the JSON contract. There may be more
 * of them in later versions: shoal_term_count says how many. */
enum {
    SHOAL_TERM_BOND = 0,
    SHOAL_TERM_ANGLE,
    SHOAL_TERM_TORSION,
    SHOAL_TERM_INVERSION,
    SHOAL_TERM_VDW,
    SHOAL_TERM_COULOMB,
    SHOAL_TERM_SURFACE,
    SHOAL_TERM_RESTRAINT,
    SHOAL_TERM_SIGMA_PI,
    SHOAL_TERM_PI_PI,
};
SHOAL_API int shoal_term_count(void);
/* Name as in the JSON contract ("bond", ...); NULL out of range. */
SHOAL_API const char *shoal_term_name(int term);
/* The term of a name of n letters; -1: there is none. */
SHOAL_API int shoal_term_by_name(const char *name, size_t n);

/* Kinds of bonded terms; shoal_term_kind_get tells about them. Each counts for one term of the energy,
 * and more than one kind may count for the same. */
enum {
    SHOAL_KIND_BOND = 0,
    SHOAL_KIND_ANGLE,
    SHOAL_KIND_TORSION,
    SHOAL_KIND_INVERSION,
    SHOAL_KIND_PAIR_VDW,     /* of a special pair */
    SHOAL_KIND_PAIR_COULOMB, /* of a special pair */
    SHOAL_KIND_PAIR_FORM,    /* vdw of a special pair in the form of a pair model */
    SHOAL_KIND_HALF_ANGLE,
    SHOAL_KIND_SIGMA_PI, /* of a direction, the atom that it stands at, and a neighbour of this */
    SHOAL_KIND_PI_PI,    /* of two directions */
    SHOAL_KIND_GUARD,    /* keeps an angle from becoming too small */
    SHOAL_KIND_RANGE,    /* keeps a distance within a range */
    SHOAL_KIND_VOLUME,   /* keeps the signed volume of four atoms within a range */
    SHOAL_KIND_QUARTIC_BOND,
    SHOAL_KIND_BEND,          /* an angle and what it has to do with its bonds */
    SHOAL_KIND_WILSON,        /* the three elevations of a planar centre */
    SHOAL_KIND_FOURIER,       /* a torsion with three amplitudes */
    SHOAL_KIND_PAIR_BUFFERED, /* a part of the Coulomb energy of a pair */
    SHOAL_KIND_PERIODIC,      /* a torsion with a phase */
};

/* Places of parameters in a record, by kind. */
enum {
    SHOAL_BOND_K = 0, /* eV/angstrom^2 */
    SHOAL_BOND_R0,    /* angstrom */
    SHOAL_BOND_ORDER, /* 1, 1.41, 1.5, 2, 3: the order the parameters were made with; for information */
    SHOAL_ANGLE_K = 0,     /* eV */
    SHOAL_ANGLE_C0,        /* c0 to c4 */
    SHOAL_ANGLE_GUARD = 6, /* eV; 0: none */
    SHOAL_ANGLE_GUARD_FROM, /* cosine of the angle below which it is on, 0.17365 (80 degrees) or more */
    SHOAL_TORSION_V = 0,   /* eV */
    SHOAL_TORSION_D,       /* +1 or -1 */
    SHOAL_TORSION_N,       /* 1..6 */
    SHOAL_INVERSION_K = 0, /* eV */
    SHOAL_INVERSION_C0,    /* c0 to c2 */
    SHOAL_PAIR_SCALE = 0,  /* of both kinds of special pairs */
    SHOAL_PAIR_X,          /* angstrom; 0: mixed from the atoms */
    SHOAL_PAIR_D,          /* eV; used where x is */
    SHOAL_FORM_FAMILY =
        0, /* 0, 1, 2: B = r^-12, r^-9, r^-8; 3: B = exp(-2kr), A = exp(-kr); 4: B = exp(-kr) */
    SHOAL_FORM_A, /* A = r^-6 unless the family says otherwise */
    SHOAL_FORM_B,
    SHOAL_FORM_K,      /* 1/angstrom */
    SHOAL_FORM_BETA,   /* 1/angstrom: damping of r^-6 by Tang and Toennies; 0: none */
    SHOAL_HALF_K = 0,  /* eV */
    SHOAL_HALF_T0,     /* radians, 0 to pi */
    SHOAL_SIGMA_K = 0, /* eV */
    SHOAL_SIGMA_C0,    /* cosine */
    SHOAL_PI_K = 0,    /* eV */
    SHOAL_PI_SOFT,     /* cosine over which the cusp at right angles is rounded; 0: it is not */
    SHOAL_GUARD_K = 0, /* eV */
    SHOAL_GUARD_FROM,  /* cosine of the angle below which it is on */
    SHOAL_RANGE_K = 0, /* eV */
    SHOAL_RANGE_LOWER, /* angstrom; 0: none */
    SHOAL_RANGE_UPPER,
    SHOAL_VOLUME_K = 0, /* eV/angstrom^6 */
    SHOAL_VOLUME_LOW,   /* angstrom^3, of the parallelepiped */
    SHOAL_VOLUME_HIGH,
    SHOAL_QUARTIC_C = 3, /* 1/angstrom; before it as of a bond */
    SHOAL_BEND_K = 0,    /* eV */
    SHOAL_BEND_T0,       /* radians, 0 to pi */
    SHOAL_BEND_C,        /* 1/radian */
    SHOAL_BEND_KI,       /* eV/angstrom: of the bond to the first atom with the angle */
    SHOAL_BEND_KK,       /* of the bond to the last one */
    SHOAL_BEND_RI,       /* angstrom: their lengths at rest */
    SHOAL_BEND_RK,
    SHOAL_WILSON_K = 0,   /* eV */
    SHOAL_FOURIER_V1 = 0, /* eV; v1 to v3 */
    SHOAL_BUFFERED_SCALE = 0,
    SHOAL_BUFFERED_DELTA, /* angstrom */
    SHOAL_BUFFERED_N,     /* 1, or 2 for a dielectric that grows with the distance */
    SHOAL_PERIODIC_K = 0, /* eV */
    SHOAL_PERIODIC_N,     /* 0..6 */
    SHOAL_PERIODIC_PHASE, /* radians */
};

enum { SHOAL_TERM_ATOMS = 4, SHOAL_TERM_PARAMETERS = 8 };

/* One bonded term. What the kind does not use is zero. */
typedef struct shoal_term {
    int32_t kind;                    /* SHOAL_KIND_ */
    int32_t atoms[SHOAL_TERM_ATOMS]; /* in the order of the kind */
    int32_t shifts[SHOAL_TERM_ATOMS]
                  [3];               /* image of each atom; the atom that the kind starts from (0 of
                                            bonds and pairs, else 1) is at home */
    double p[SHOAL_TERM_PARAMETERS]; /* in the order and units of the kind */
} shoal_term;

/* What a kind is. Strings are static. */
typedef struct shoal_term_kind {
    const char *name;       /* "bond", .. */
    int32_t term;           /* SHOAL_TERM_ that it counts for */
    int32_t n_atoms;        /* 2, 3 or 4, directions counted */
    uint32_t directions;    /* bit k: number k of its atoms is a direction */
    int32_t n_parameters;   /* of a record */
    const char *parameters; /* their names, separated by blanks */
    const char *units;      /* of each of them, separated by blanks; "1" for plain numbers */
    const char
        *value; /* what is measured: "distance", "angle", "torsion", "elevation", "tilt", "twist" or
                    "volume" */
    const char *value_unit; /* "A", "A^3" or "degrees" */
    const char *formula;
} shoal_term_kind;

SHOAL_API int shoal_term_kind_count(void);
/* False out of range. */
SHOAL_API bool shoal_term_kind_get(int kind, shoal_term_kind *out);
/* -1 for an unknown name. */
SHOAL_API int shoal_term_kind_by_name(const char *name);

/* An atom in a certain image. */
typedef struct shoal_image {
    int32_t atom;
    int32_t shift[3];
} shoal_image;

/* A pair of atoms with rules of its own instead of those of all pairs: it is excluded from them, and what
 * is left of it, scaled or with other parameters, is a bonded term (two: vdw and coulomb) between these
 * images. In a periodic system that is this one image, neither cut off nor switched; the other images
 * interact as all pairs do. */
typedef struct shoal_special_pair {
    int32_t i, j;
    int32_t shift[3];     /* of j, relative to i */
    double vdw_scale;     /* 0: no vdw energy */
    double coulomb_scale; /* of the product of the charges; 0: no Coulomb energy */
    double x, d;          /* x > 0: angstrom and eV instead of what the atoms mix to */
} shoal_special_pair;

/* A site beside an atom, which moves with it. Three unit vectors, each from an atom to this image of another, make a
 * frame: x along the sum of them with the weights x, y along what is perpendicular to it in their sum with the weights
 * y, z = x cross y. The site is at local[] in this frame, seen from its host. Vectors without a weight are not used. */
typedef struct shoal_site {
    int32_t host;
    int32_t from[3], to[3];
    int32_t shift[3][3]; /* of to, relative to from */
    double x[3], y[3];
    double local[3]; /* angstrom; without y and z only the weights x are used */
} shoal_site;

/* Borrowed arrays of a topology, valid as long as it lives. Per-atom arrays of pairs (types, vdw_x, vdw_d, charges,
 * hbonds, exclusions) go on with the sites, which have charges alone; terms and steps know atoms only.
 *
 * What moves besides atoms is numbered behind them. Electron pairs are points with all that atoms have, in all per-atom
 * arrays, but no atom of the molecule: element 0, and nobody gives coordinates for them. Directions are unit vectors
 * such as the axis of a pi orbital, with an inertia in place of a mass; terms know them, pairs do not. An engine places
 * both by the atoms when these are put somewhere, and moves them along. A topology with directions has no sites. */

typedef struct shoal_topology_view {
    int32_t n_atoms, n_terms;
    const shoal_term *terms;   /* [n_terms] sorted by kind */
    const int32_t *term_start; /* [shoal_term_kind_count() + 1] first term of every kind */
    const int32_t *elements;   /* [n_atoms] atomic numbers */
    const char *const *types;  /* [n_atoms] labels, of UFF or of whoever built it */
    const double *masses;      /* [n_atoms] amu */
    const double *vdw_x;       /* [n_atoms] angstrom, distance of the minimum */
    const double *vdw_d;       /* [n_atoms] eV, depth */
    const double *charges;     /* [n_atoms] e, all zero without charges */
    bool has_charges;
    shoal_charge_source charges_from; /* AUTO: untyped, or built by hand */
    const double *hbonds; /* [n_atoms] strength of hydrogen bonds with a surface, by the table of
                             parameters; NULL without one */
    /* Partners that atom i has no pair with: excluded[exclude_start[i] .. exclude_start[i+1]), sorted by
     * (atom, shift), both directions, without i itself in the home cell. UFF: 1-2 and 1-3 partners. */
    const int32_t *exclude_start; /* [n_atoms + n_sites + 1] */
    const shoal_image *excluded;
    const shoal_special_pair
        *special_pairs; /* all of them excluded, their terms among the others */
    int32_t n_special_pairs;
    bool pbc[3];
    /* How pairs interact; NULL: as the formulas above say, and without sites. vdw_x is twice the radius that acts,
     * charges are those that act, with the root of lambda in them; mixing is arithmetic whatever the engine's
     * options. */
    const shoal_pair_model *model;
    const shoal_site *sites; /* [n_sites] */
    int32_t n_sites;
    int32_t n_pairs;                /* electron pairs: numbers n_atoms to n_atoms + n_pairs */
    int32_t n_directions;           /* behind these */
    const int32_t *direction_atoms; /* [n_directions] that they stand at */
    const double *inertias;         /* [n_directions] amu angstrom^2 */
    /* [n_atoms] rows of the model's table, for the columns that its formula names; NULL where it names none. */
    const int32_t *table_types;
} shoal_topology_view;

/* First term of a kind and how many there are; NULL and 0 for a kind that does not exist. */
SHOAL_API const shoal_term *shoal_topology_terms(const shoal_topology_view *view, int kind,
                                                 int32_t *n);

/* Its bonds and how many there are, harmonic or quartic: both have K, R0 and ORDER at the same places. Of a topology with
 * both kinds the harmonic ones. */
SHOAL_API const shoal_term *shoal_topology_bonds(const shoal_topology_view *view, int32_t *n);

typedef enum shoal_dialect {
    SHOAL_DIALECT_RDKIT = 0, /* what RDKit computes, its listed bugs put right */
    SHOAL_DIALECT_PAPER,     /* Rappe et al. 1992 */
    SHOAL_DIALECT_FIRECORE,  /* the types, orders and terms of FireCore, its bugs put right */
} shoal_dialect;
/* -1 for an unknown name. */
SHOAL_API int shoal_dialect_by_name(const char *name);

typedef enum shoal_forcefield {
    SHOAL_FORCEFIELD_UFF = 0,
    SHOAL_FORCEFIELD_MMFFSP3, /* nodes with pi vectors; of its dialects, firecore is the original's rules */
    SHOAL_FORCEFIELD_MMFF94,  /* the Merck molecular force field, another one */
    SHOAL_FORCEFIELD_MMFF94S, /* the same with planar conjugated nitrogens */
    SHOAL_FORCEFIELD_UFF4MOF, /* UFF with types and bond orders for the metal nodes of frameworks */
    SHOAL_N_FORCEFIELDS,
} shoal_forcefield;

typedef struct shoal_ff_table shoal_ff_table;

typedef struct shoal_bond_override {
    int32_t i, j;
    double order; /* > 0; used instead of the perceived order in every parameter */
} shoal_bond_override;

typedef struct shoal_typing_options {
    shoal_forcefield forcefield;
    shoal_dialect dialect;
    shoal_charge_source charges;
    const shoal_bond_override *orders; /* borrowed for the call */
    int32_t n_orders;
    /* How pairs interact, by type, instead of the force field's LJ; charges of its types also where nothing else
     * gives any. Types are looked up as UFF labels, hydrogens as H_O, H_N, .., H_C1, H_C2, H_C3 by their
     * neighbour, planar nitrogens as N_2 (two neighbours) or N_R, ions with + or - behind the name first; with
     * MMFFsp3 by its labels, and without sites. References are kept; NULL: the force field's own. */
    const shoal_pair_model *model;
    /* How charges are equilibrated; the total charge is the molecule's. Borrowed for the call; NULL: as usual. */
    const shoal_qeq_options *qeq;
    /* Without the energy that keeps neighbours of an atom from coinciding: UFF's own angles, to the last
     * digit, also below 80 degrees. */
    bool no_angle_guard;
    /* Of MMFFsp3; 0 means the default. */
    bool electron_pairs; /* lone pairs as points with a charge of their own */
    double bond_scale;   /* of all bond constants; 1 */
    double pi_inertia;   /* of directions, amu angstrom^2; 1 */
    double pi_softening; /* SHOAL_PI_SOFT; none */
    bool
        far_dielectric; /* of MMFF94: the dielectric constant grows with the distance, 1 per angstrom */
    /* Parameters of the user in the place of those of the force field (shoal/ff_table.h). Borrowed as long as the options
     * are in use; NULL: none. */
    const shoal_ff_table *table;
    /* Every molecule with the elements of this topology, in its order, gets it, and the others are untyped; borrowed as the
     * table is, and its references are kept. NULL: molecules are typed. */
    shoal_topology *topology;
} shoal_typing_options;

/* "uff4mof", "mmff94", "mmff94s", "uff", "mmffsp3", or either of these two with a dialect behind a colon ("uff:paper", "mmffsp3:firecore"): sets force field and
 * dialect of options. Fails with SHOAL_E_ARGUMENT, naming the known ones. */
SHOAL_API shoal_status shoal_forcefield_by_name(const char *name, shoal_typing_options *options);

/* Types and parameterises a molecule (perceiving it first if that was not done). A molecule that
 * cannot be typed still gives a topology, with status SHOAL_SYSTEM_UNTYPED and a reason that names
 * atom, element, valence and what was tried. options may be NULL. The caller owns a reference. */
SHOAL_API shoal_status shoal_topology_create(shoal_topology **out, shoal_molecule *mol,
                                             const shoal_typing_options *options);
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
/* What its user should know although it could be typed, "; " between several things; "" if nothing. */
SHOAL_API const char *shoal_topology_warning(const shoal_topology *topology);
/* Its contents, borrowed as long as the topology lives; all zero for NULL. */
SHOAL_API void shoal_topology_get(const shoal_topology *topology, shoal_topology_view *view);

#ifdef __cplusplus
}
#endif

#endif
