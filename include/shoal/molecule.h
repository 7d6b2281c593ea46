/* SPDX-License-Identifier: BSD-3-Clause
 * A molecule: atoms, coordinates, bonds, charges, cell. Chemistry only, no force field.
 *
 * NULL where something is needed fails with SHOAL_E_ARGUMENT; asked about, it has 0 atoms, no arrays
 * (NULL) and the name "". */
#ifndef SHOAL_MOLECULE_H
#define SHOAL_MOLECULE_H

#include <stdbool.h>
#include <stddef.h>

#include "shoal/status.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_molecule shoal_molecule;

typedef enum shoal_bond_order {
    SHOAL_ORDER_UNKNOWN = 0,
    SHOAL_ORDER_SINGLE = 1,
    SHOAL_ORDER_DOUBLE = 2,
    SHOAL_ORDER_TRIPLE = 3,
    SHOAL_ORDER_AROMATIC = 4, /* as read; perception turns it into single or double + aromatic */
    SHOAL_ORDER_QUADRUPLE = 5,
    SHOAL_ORDER_DATIVE = 9, /* two electrons from i to j; counts for the valence of j only */
} shoal_bond_order;

/* A bond joins atom i of the home cell to atom j displaced by shift[0] a + shift[1] b + shift[2] c.
 * An atom may bond to its own image (i == j, shift not zero). */
typedef struct shoal_bond {
    int32_t i, j;
    int32_t shift[3];
    int32_t order;   /* shoal_bond_order; a Kekule structure after perception */
    bool aromatic;   /* set by perception */
    bool conjugated; /* set by perception */
    double
        shared; /* mean order where resonance structures are equally good, as the two of a carboxylate; 0 elsewhere, and where the
                      * file gives orders */
} shoal_bond;

/* Where the coordinates of a molecule come from. */
typedef enum shoal_geometry {
    SHOAL_GEOMETRY_GIVEN = 0, /* in space */
    SHOAL_GEOMETRY_NONE,      /* there are none: all are zero */
    SHOAL_GEOMETRY_FLAT,      /* a drawing: those of atoms that would lie in no plane */
} shoal_geometry;

/* Creates an empty molecule. The caller owns *out. Fails with SHOAL_E_MEMORY. */
SHOAL_API shoal_status shoal_molecule_create(shoal_molecule **out);
SHOAL_API void shoal_molecule_destroy(shoal_molecule *mol);

/* Empties a molecule but keeps its memory, so that a reader can fill it again and again. */
SHOAL_API void shoal_molecule_clear(shoal_molecule *mol);
SHOAL_API shoal_status shoal_molecule_copy(shoal_molecule *dst, const shoal_molecule *src);

/* Appends a molecule as bytes, with all that a copy has, for another process on a machine like this one with the same
 * version of the library; and fills a molecule with what they say. Bytes that were cut, changed or are of another
 * version are refused with SHOAL_E_FORMAT. */
SHOAL_API shoal_status shoal_molecule_pack(const shoal_molecule *mol, shoal_string *out);
SHOAL_API shoal_status shoal_molecule_unpack(shoal_molecule *mol, const void *bytes, size_t size);

/* Appends an atom; z is the atomic number 1..118, pos in angstrom. */
SHOAL_API shoal_status shoal_molecule_add_atom(shoal_molecule *mol, int32_t z, const double pos[3]);

/* Appends a bond and marks the molecule's bonds as given. shift may be NULL (home cell). Refuses
 * atoms out of range, a bond of an atom to itself in the same cell and a second bond of the same
 * pair and image. */
SHOAL_API shoal_status shoal_molecule_add_bond(shoal_molecule *mol, int32_t i, int32_t j,
                                               shoal_bond_order order, const int32_t shift[3]);

/* Appends n atoms or bonds at once, as the functions above do one: z[n], pos[n][3]; of the bonds i, j, shift and order
 * are looked at. Nothing is appended on failure. No bonds (n = 0) say that there are none: perception looks for none. */
SHOAL_API shoal_status shoal_molecule_add_atoms(shoal_molecule *mol, int32_t n, const int32_t *z,
                                                const double (*pos)[3]);
SHOAL_API shoal_status shoal_molecule_add_bonds(shoal_molecule *mol, int32_t n,
                                                const shoal_bond *bonds);

SHOAL_API shoal_status shoal_molecule_set_name(shoal_molecule *mol, const char *name);
/* cell[3][3]: rows a, b, c in angstrom; pbc[k] says which of them repeat. Refuses periodic vectors
 * that are not finite or span no length, area or volume. */
SHOAL_API shoal_status shoal_molecule_set_cell(shoal_molecule *mol, const double cell[3][3],
                                               const bool pbc[3]);
SHOAL_API shoal_status shoal_molecule_set_position(shoal_molecule *mol, int32_t i_atom,
                                                   const double pos[3]);
/* Integer charge of the Kekule structure, given by the file. */
SHOAL_API shoal_status shoal_molecule_set_formal_charge(shoal_molecule *mol, int32_t i_atom,
                                                        int32_t charge);
/* Of all atoms, charges[n_atoms]. */
SHOAL_API shoal_status shoal_molecule_set_formal_charges(shoal_molecule *mol,
                                                         const int32_t *charges);
/* Coordinates of all atoms, pos[n_atoms][3], and partial charges of all, charges[n_atoms]. */
SHOAL_API shoal_status shoal_molecule_set_positions(shoal_molecule *mol, const double (*pos)[3]);
SHOAL_API shoal_status shoal_molecule_set_charges(shoal_molecule *mol, const double *charges);
/* Number of unpaired electrons, 0..8. */
SHOAL_API shoal_status shoal_molecule_set_radical(shoal_molecule *mol, int32_t i_atom, int32_t n);
/* Partial charge in e. The first call gives all other atoms charge 0. */
SHOAL_API shoal_status shoal_molecule_set_charge(shoal_molecule *mol, int32_t i_atom,
                                                 double charge);
/* UFF label that overrides perception, e.g. "C_R"; at most 7 characters; "" takes it back. */
SHOAL_API shoal_status shoal_molecule_set_type(shoal_molecule *mol, int32_t i_atom,
                                               const char *label);
/* Mass number of an isotope, 0 for an element as it is found. Files keep it; no energy depends on it. */
SHOAL_API shoal_status shoal_molecule_set_isotope(shoal_molecule *mol, int32_t i_atom,
                                                  int32_t mass_number);
/* A data field of the file (SD field, extended xyz key). The same key is overwritten; of those that a file
 * repeats, the first. */
SHOAL_API shoal_status shoal_molecule_set_property(shoal_molecule *mol, const char *key,
                                                   const char *value);

/* Leaves only fragment 1 or 2 of a frame of two (docs/files.md), to be perceived again. Fails with
 * SHOAL_E_FORMAT for a molecule that is none. */
SHOAL_API shoal_status shoal_molecule_keep_fragment(shoal_molecule *mol, int32_t fragment);

SHOAL_API int32_t shoal_molecule_n_atoms(const shoal_molecule *mol);
SHOAL_API int32_t shoal_molecule_n_bonds(const shoal_molecule *mol);
SHOAL_API const char *shoal_molecule_name(const shoal_molecule *mol);
/* Borrowed arrays, valid until the molecule is changed: z[n_atoms], pos[n_atoms][3], ... */
SHOAL_API const int32_t *shoal_molecule_elements(const shoal_molecule *mol);
SHOAL_API const double (*shoal_molecule_positions(const shoal_molecule *mol))[3];
SHOAL_API const int32_t *shoal_molecule_formal_charges(const shoal_molecule *mol);
SHOAL_API const int32_t *shoal_molecule_radicals(const shoal_molecule *mol);
SHOAL_API const shoal_bond *shoal_molecule_bonds(const shoal_molecule *mol);
/* NULL where no partial charges were given or computed. */
SHOAL_API const double *shoal_molecule_charges(const shoal_molecule *mol);
/* Override label of one atom, "" without one. */
SHOAL_API const char *shoal_molecule_type(const shoal_molecule *mol, int32_t i_atom);
/* Mass number of one atom's isotope, 0 without one. */
SHOAL_API int32_t shoal_molecule_isotope(const shoal_molecule *mol, int32_t i_atom);
/* cell[3][3] rows a, b, c; pbc[3]. All zero and false for an isolated molecule. */
SHOAL_API void shoal_molecule_cell(const shoal_molecule *mol, double cell[3][3], bool pbc[3]);
SHOAL_API bool shoal_molecule_is_periodic(const shoal_molecule *mol);
/* Set by readers; positions that are set are a geometry. */
SHOAL_API shoal_geometry shoal_molecule_geometry(const shoal_molecule *mol);
SHOAL_API int32_t shoal_molecule_n_properties(const shoal_molecule *mol);
SHOAL_API const char *shoal_molecule_property_key(const shoal_molecule *mol, int32_t i);
SHOAL_API const char *shoal_molecule_property_value(const shoal_molecule *mol, int32_t i);
/* Value of a data field by key, the first of that key; NULL if absent. */
SHOAL_API const char *shoal_molecule_property(const shoal_molecule *mol, const char *key);
/* Removes the data fields of a key; nothing happens if there are none. */
SHOAL_API void shoal_molecule_remove_property(shoal_molecule *mol, const char *key);

/* Element symbol of an atomic number, "?" out of range; number of a symbol (any case), 0 if none. */
SHOAL_API const char *shoal_element_symbol(int32_t z);
SHOAL_API int32_t shoal_element_number(const char *symbol);

typedef struct shoal_perceive_options {
    double bond_scale;     /* bonded if r < scale (R_i + R_j) + slack; 0 means the default */
    double bond_slack;     /* angstrom; 0 means the default */
    bool rebuild_bonds;    /* forget given bonds and find them from distances */
    int32_t total_charge;  /* of the whole molecule, used only where formal charges must be found */
    bool has_total_charge; /* total_charge is asked for even if it is 0 */
} shoal_perceive_options;

/* Completes the chemistry: bonds from distances where none are given, orders and formal charges
 * where they are unknown, a Kekule structure for aromatic bonds, rings, aromaticity, conjugation.
 * What the file gave is kept. options may be NULL: then the total charge is the last one asked for.
 * Formal charges that are found add up to the total charge: the one asked for, else the one that the file
 * states, else that of its partial charges, else 0; only where the file gave all orders, to what fits them.
 * Safe to call twice. Fails with SHOAL_E_FORMAT (naming the atom) if the given aromatic bonds have no
 * Kekule structure, if no structure has the total charge, if an atom has a valence that no atom of its
 * element has, or if atoms or images are so close that their rings cannot be listed. */
SHOAL_API shoal_status shoal_molecule_perceive(shoal_molecule *mol,
                                               const shoal_perceive_options *options);

/* The hydrogen atoms that a perceived molecule lacks, and by atom in counts[n_atoms], which may be NULL. With
 * orders and formal charges given, those that fill the smallest allowed valence of a non-metal without a
 * metal neighbour, as RDKit counts; otherwise only in molecules none of whose carbon atoms bears hydrogen
 * (docs/hydrogens.md). 0 before perception; -1 with the error set where memory is out. */
SHOAL_API int32_t shoal_molecule_missing_hydrogens(const shoal_molecule *mol, int32_t *counts);

/* Perceives a molecule that is not, and adds the hydrogen atoms that it lacks behind its atoms, each with a
 * bond, at angles and torsions that fit the bonds there are and keep away from other atoms. They have no
 * charge. If any were added the molecule waits to be perceived, as one just read. *n_added may be NULL.
 * Fails as perception does, and then adds none. */
SHOAL_API shoal_status shoal_molecule_add_hydrogens(shoal_molecule *mol, int32_t *n_added);

/* Leaves of a periodic molecule what leads to images of itself, and says in the data field "dropped" what else there was
 * (solvent, ions: formulas and charges); nothing happens where nothing does so. Bonds are those of the file, else found for
 * this alone with options, which may be NULL. *n_dropped, which may be NULL, is a number of atoms. Fails as perception does. */
SHOAL_API shoal_status shoal_molecule_drop_solvent(shoal_molecule *mol,
                                                   const shoal_perceive_options *options,
                                                   int32_t *n_dropped);

/* The number and the Hermann-Mauguin symbol of the space group of a crystal, to within 0.01 angstrom, by spglib; 0 and "" of
 * what does not repeat in three directions. SHOAL_E_UNSUPPORTED where spglib is not installed, SHOAL_E_FORMAT where it finds none. */
SHOAL_API shoal_status shoal_molecule_find_space_group(const shoal_molecule *mol, int32_t *number,
                                                       char symbol[11]);
/* Makes a crystal its primitive cell, with the atoms where they were; its bonds are those that distances have. Nothing happens
 * to others, and where the cell is primitive. Fails as the former. */
SHOAL_API shoal_status shoal_molecule_make_primitive(shoal_molecule *mol);

typedef struct shoal_qeq_options {
    double total_charge; /* e */
    int32_t max_rounds;  /* of Newton's method; 0 means 200 */
    double tolerance;    /* e, on the largest change of a charge; 0 means 1e-9 */
    int32_t n_threads;   /* for more than 2048 atoms; 0: all. Charges do not depend on it */
    /* Asked now and then, from any of the threads; true ends it with SHOAL_E_ARGUMENT. NULL: never. */
    bool (*stop)(void *user);
    void *user;
} shoal_qeq_options;

/* Replaces the partial charges by charge equilibration (Rappe and Goddard, J. Phys. Chem. 95
 * (1991) 3358), with all images of a periodic molecule: on a uniform background where a cell that repeats in three
 * directions has a net charge. Fails with SHOAL_E_ARGUMENT for an element without parameters, more than 32768 atoms
 * (4096 that repeat), a slab or chain with a net charge, or if it has no solution. */
SHOAL_API shoal_status shoal_molecule_equilibrate(shoal_molecule *mol,
                                                  const shoal_qeq_options *options);

#ifdef __cplusplus
}
#endif

#endif
