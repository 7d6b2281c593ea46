/* SPDX-License-Identifier: BSD-3-Clause
 * What Shoal calls the atoms of a fragment on its own, and the charges that it gives them. A fragment that
 * was seen before in nearly the same shape is not typed again: monomers of a curve are rigid but for
 * rounding, and have the same types and charges. */
#ifndef SHOAL_FIT_FRAGMENT_TYPES_H
#define SHOAL_FIT_FRAGMENT_TYPES_H

#include "base/arena.h"
#include "chem/molecule.h"
#include "shoal/topology.h"

/* How an atom is bonded, for columns of a table of types. */
typedef struct fragment_atom {
    char
        name[SHOAL_TYPE_NAME_SIZE]; /* in tables, with the sign of an ion where the atom is polar */
    char base[SHOAL_TYPE_NAME_SIZE];  /* without a sign */
    char finer[SHOAL_TYPE_NAME_SIZE]; /* with more of its neighbourhood, or the same */
    char label[SHOAL_LABEL_SIZE];     /* of UFF */
    int32_t n_bonds, n_pi;            /* neighbours, orders beyond single */
    int32_t n_pairs;                  /* lone pairs that bonds and conjugation leave room for */
    int32_t ion;                      /* charge of the molecule that it is a part of, e */
    double charge;                    /* e; 0 unless charges were asked for */
    double polarity;                  /* e, by its polar bonds: fit/polarity.h */
} fragment_atom;

typedef struct typed_fragment {
    int32_t n;
    const fragment_atom *atoms; /* [n]; NULL if it cannot be typed */
    int32_t formal_charge;      /* of all its atoms together, e */
    char reason[256];           /* why not */
} typed_fragment;

typedef struct fragment_typer fragment_typer;

/* Charges of none, QEq or MMFF94, whose sum has to be the charge of the fragment; distances of the same fragment differ by less than tolerance, angstrom. */
shoal_status fragment_typer_create(fragment_typer **out, const shoal_typing_options *typing,
                                   double tolerance);
void fragment_typer_destroy(fragment_typer *typer);
/* Fragment k of a molecule with n_first; *out lives as long as the typer. */
shoal_status fragment_typer_find(fragment_typer *typer, const shoal_molecule *mol, int32_t k,
                                 const typed_fragment **out);

#endif
