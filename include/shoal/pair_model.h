/* SPDX-License-Identifier: BSD-3-Clause
 * How atoms that are not bonded to each other interact: one model for fits, molecules and substrates.
 *
 * Units are eV, angstrom, e. Atoms i and j at the distance r have
 *   E = E0 (cB (1 + h1) B(r, R0) - cA (1 - h2) A(r, R0)) + lambda kC q_i q_j g(r),
 *   R0 = R_i + R_j - c (q_i + q_j),  E0 = sqrt(E_i E_j),  H = h_i h_j if that is negative, else 0,
 * h1 = H where hydrogen bonds act on the repulsion, h2 = H where they act on the attraction; or a
 * formula of the user takes the place of all this. R, E, h and perhaps q are those of the atoms' types.
 * Sites beside the atoms (lone pairs, sigma holes) carry charges and nothing else; what they carry, their atom
 * lacks.
 *
 * A model is a text file with every constant in it (docs/pair-models.md). A plain table of atom types
 * is one, too: LJ 12-6 with hydrogen bonds on the repulsion, where the table has an h. */
#ifndef SHOAL_PAIR_MODEL_H
#define SHOAL_PAIR_MODEL_H

#include "shoal/atom_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_pair_model shoal_pair_model;

/* A and B with u = R0/r and e = exp(-alpha (r - R0)); where alpha has no unit, it is alpha/R0. */
typedef enum shoal_pair_form {
    SHOAL_FORM_LJ = 0,   /* 2 u^6, u^12 */
    SHOAL_FORM_LJ8,      /* 4 u^6, 3 u^8 */
    SHOAL_FORM_LJ9,      /* 3 u^6, 2 u^9 */
    SHOAL_FORM_MORSE,    /* 2 e, e^2; alpha in 1/angstrom */
    SHOAL_FORM_BUCK,     /* 2 u^6, e^2; alpha in 1/angstrom */
    SHOAL_FORM_MORSE6,   /* 2 e, e^2; alpha without unit */
    SHOAL_FORM_BUCK6,    /* 2 u^6, e^2; alpha without unit */
    SHOAL_FORM_EXP6,     /* alpha/(alpha - 6) u^6, 6/(alpha - 6) e; alpha without unit */
    SHOAL_FORM_FORMULA,  /* a formula */
    SHOAL_FORM_BUFFERED, /* buffered 14-7 with the mixing of MMFF94, which alone has it */
} shoal_pair_form;

typedef enum shoal_hbond {
    SHOAL_HBOND_REPULSION = 0,
    SHOAL_HBOND_ATTRACTION,
    SHOAL_HBOND_BOTH,
    SHOAL_HBOND_NONE,
} shoal_hbond;

/* g(r) of the Coulomb energy. */
typedef enum shoal_coulomb {
    SHOAL_COULOMB_PLAIN = 0, /* 1/r */
    SHOAL_COULOMB_CLAMP,     /* 1/r bent towards a limit from 3 1/A on, slope continuous */
    SHOAL_COULOMB_SMOOTH,    /* the same with a continuous second derivative */
    SHOAL_COULOMB_DAMPED,    /* 1/sqrt(r^2 + d^2) */
    SHOAL_COULOMB_ERF,       /* erf(r/d)/r: charge clouds */
    SHOAL_COULOMB_NONE,
    SHOAL_COULOMB_BUFFERED,     /* 1/(r + d); this and the next belong to MMFF94 */
    SHOAL_COULOMB_BUFFERED_FAR, /* 1/(r + d)^2 */
} shoal_coulomb;

typedef enum shoal_site_kind {
    SHOAL_SITE_LONE_PAIRS = 0, /* where the bonds of the atom leave room */
    SHOAL_SITE_BEYOND, /* behind an atom with one neighbour, on the line: sigma holes, hydrogens */
} shoal_site_kind;

/* Sites of all atoms of a type. */
typedef struct shoal_site_rule {
    char host[SHOAL_TYPE_NAME_SIZE]; /* type of the atoms */
    char site[SHOAL_TYPE_NAME_SIZE]; /* type of the sites; its q is their charge */
    shoal_site_kind kind;
    int32_t n;       /* lone pairs; sites and bonds are four at most */
    double distance; /* angstrom */
} shoal_site_rule;

/* A bond takes value e from an atom of the first type and gives it to one of the second. */
typedef struct shoal_charge_increment {
    char from[SHOAL_TYPE_NAME_SIZE], to[SHOAL_TYPE_NAME_SIZE];
    double value;
} shoal_charge_increment;

/* Where charges are to come from; of a topology that was made: where they came from. */
typedef enum shoal_charge_source {
    SHOAL_CHARGES_AUTO =
        0, /* the file's if it has them, else those of the pair model if it says so, else none; of MMFF94 its own */
    SHOAL_CHARGES_NONE,
    SHOAL_CHARGES_FILE,   /* missing charges make the system untyped */
    SHOAL_CHARGES_QEQ,    /* of the system as a whole: charge flows between its molecules */
    SHOAL_CHARGES_MMFF94, /* bond charge increments of MMFF94, by types alone */
    SHOAL_CHARGES_TYPES, /* those of the pair model's types, which nobody asks for: it has them or not */
    SHOAL_CHARGES_QEQ_MOLECULES, /* of each molecule alone, whatever is near it */
    SHOAL_N_CHARGE_SOURCES,
} shoal_charge_source;
/* "auto", "none", "file", "qeq", "mmff94", "types" or "qeq-molecules"; "" for other numbers. */
SHOAL_API const char *shoal_charge_source_name(int source);

typedef struct shoal_pair_constant {
    char name[32]; /* in the formula */
    double value;
} shoal_pair_constant;

/* A model without its types. Pointers are borrowed for the call that takes it, or as long as the model
 * lives that gives it. */
typedef struct shoal_pair_settings {
    shoal_pair_form form;
    double alpha; /* 0: 1.6 1/angstrom (morse, buck), 12 (exp6), 6 (morse6, buck6) */
    shoal_hbond hbond;
    shoal_coulomb coulomb;
    double coulomb_damping;    /* d, angstrom */
    double lambda;             /* > 0; 0 means 1 */
    double radius_charge;      /* c, angstrom/e */
    double dispersion_damping; /* beta of Tang and Toennies in 1/angstrom: u^6 is multiplied by
                                * 1 - exp(-beta r) sum_{k=0..6} (beta r)^k/k!; 0: it is not */
    double vdw_14,
        coulomb_14;      /* factors of 1-4 pairs minus 1, so that 0 means as all other pairs */
    const char *formula; /* of SHOAL_FORM_FORMULA */
    const shoal_pair_constant *constants;
    int32_t n_constants;
    /* Names that the formula has for the columns of the table behind Hb, in their order; NAMEi and NAMEj are those of
     * the two atoms. All types have a number there. */
    const char (*columns)[32];
    int32_t n_columns;
    const shoal_site_rule *sites;
    int32_t n_sites;
    const shoal_charge_increment *increments;
    int32_t n_increments;
    /* Types whose charge is that of the table, whatever else gives charges (a fitted q). */
    const char (*charged_types)[SHOAL_TYPE_NAME_SIZE];
    int32_t n_charged_types;
    bool all_charged; /* all types are */
    bool
        neutral; /* what these add to the charge of a molecule is taken evenly from their atoms again */
    /* What gave the atoms the charges that the model was fitted with; AUTO: it does not say. Systems with others get a
     * warning. */
    shoal_charge_source charges;
    bool
        is_table; /* it comes from a plain table of types: surfaces then choose their form themselves */
} shoal_pair_settings;

/* Copies both. Fails with SHOAL_E_ARGUMENT for settings that make no sense together. The caller owns a
 * reference. */
SHOAL_API shoal_status shoal_pair_model_create(shoal_pair_model **out,
                                               const shoal_pair_settings *settings,
                                               const shoal_atom_types *types);
/* A model or a plain table of types; "-" is standard input, "noncovalent" the fitted model that is part of the library
 * (a file of that name is "./noncovalent"). The error text names file, line, word and
 * expectation. */
SHOAL_API shoal_status shoal_pair_model_read(shoal_pair_model **out, const char *path);
SHOAL_API shoal_status shoal_pair_model_read_memory(shoal_pair_model **out, const void *data,
                                                    size_t size, const char *label);
/* comment (may be NULL) stands at the top, each of its lines behind a '#'. */
SHOAL_API shoal_status shoal_pair_model_write(const shoal_pair_model *model, const char *path,
                                              const char *comment);
SHOAL_API shoal_pair_model *shoal_pair_model_retain(shoal_pair_model *model);
SHOAL_API void shoal_pair_model_destroy(shoal_pair_model *model);

/* Borrowed as long as the model lives. The model of a force field has no table: its types are NULL. */
SHOAL_API const shoal_pair_settings *shoal_pair_model_settings(const shoal_pair_model *model);
SHOAL_API const shoal_atom_types *shoal_pair_model_types(const shoal_pair_model *model);
/* "lj", .., "exp6", "formula"; NULL out of range, and -1 for an unknown name. */
SHOAL_API const char *shoal_pair_form_name(int form);
SHOAL_API int shoal_pair_form_by_name(const char *name);

#ifdef __cplusplus
}
#endif

#endif
