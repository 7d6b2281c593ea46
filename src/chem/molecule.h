/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a molecule, for library code that reads or fills its arrays directly. */
#ifndef SHOAL_CHEM_MOLECULE_H
#define SHOAL_CHEM_MOLECULE_H

#include "base/text.h"
#include "shoal/molecule.h"

#define SHOAL_LABEL_SIZE 8 /* bytes of a type label, terminating zero included */

typedef char shoal_label[SHOAL_LABEL_SIZE];

/* Texts are zero-terminated; sizes are without the zero, capacities with it. */
typedef struct molecule_property {
    char *key, *value;
    size_t key_size, key_capacity, value_capacity;
} molecule_property;

/* Small numbers that few atoms or bonds have: those from n on are 0. */
typedef struct molecule_marks {
    int32_t *of;
    int32_t n, capacity;
} molecule_marks;

/* Lines of the header of an SD record beside the name. */
enum { MOLECULE_PROGRAM, MOLECULE_COMMENT, MOLECULE_N_LINES };

struct shoal_molecule {
    /* Atoms: parallel arrays of n_atoms, all with room for atom_capacity. */
    int32_t n_atoms, atom_capacity;
    int32_t *element; /* atomic numbers */
    double (*pos)[3]; /* angstrom */
    int32_t *formal_charge;
    int32_t *radical;        /* unpaired electrons */
    double *charge;          /* partial charges in e; meaningful only if has_charges */
    shoal_label *type;       /* override labels, "" without one */
    int32_t *first_bond;     /* head of the chain of an atom's bonds, -1 without one */
    bool has_charges;        /* partial charges were given or computed .. */
    bool charges_computed;   /* .. which of the two */
    bool has_formal_charges; /* the file states formal charges (even if all are zero) */

    int32_t n_bonds, bond_capacity;
    shoal_bond *bonds;
    int32_t (*next_bond)[2]; /* [b][0] continues the chain of bonds[b].i, [b][1] that of .j */
    bool has_bonds;          /* the file lists bonds (even if there are none) */
    bool orders_found;       /* perception chose orders that the file left open */
    int32_t total_charge;    /* of the molecule, set by perception */
    int32_t asked_charge;    /* total charge that perception was last asked for, if it was: */
    bool has_asked_charge;
    double file_charge; /* total charge that the file states, if it does: */
    bool has_file_charge;
    /* Atoms [0, n_first) and the others are two molecules without bonds between them, see
     * chem/fragments.h; n_atoms: it is one of two alone; 0: nothing is known of that. Charges are those that
     * the file states. */
    int32_t n_first, fragment_charge[2];
    bool has_fragment_charge[2];
    bool perceived; /* shoal_molecule_perceive has run since the last change */
    bool adopted;   /* what it found was taken over, see perception_adopt */

    double (*velocity)
        [3]; /* [n_velocities] angstrom/fs; they are those of the atoms if these are as many */
    int32_t n_velocities, velocity_capacity;

    double cell[3][3]; /* rows a, b, c */
    bool pbc[3];

    /* What a file says and Shoal only passes on. */
    molecule_marks isotope;     /* mass numbers of atoms */
    molecule_marks parity;      /* of atoms, 1 to 3 as in V2000 */
    molecule_marks bond_stereo; /* as in V2000; negative if it is seen from the second atom */
    bool chiral;

    /* Configurations, wherever a molecule without a geometry states them. Of an atom with four partners, or with
     * three and a lone pair, which counts as the last: 1 if, seen from the partner with the lowest number, the
     * others turn anticlockwise in the order of theirs, -1 if clockwise. Of a double bond: 1 if the partners
     * with the lowest number at both ends are cis, -1 if trans. */
    molecule_marks stereo, cis_trans;
    shoal_geometry geometry;
    char *lines[MOLECULE_N_LINES]; /* NULL before the first */
    size_t line_capacity[MOLECULE_N_LINES];

    char *name; /* never NULL */
    size_t name_capacity;
    int32_t n_properties, property_capacity;
    molecule_property *properties; /* those behind the last one are memory for the next */

    /* Made by perception for typing, see chem/perceive.h; NULL before. */
    struct chem_perception *perception;
};

/* Room for n atoms or bonds, so that a reader may fill the arrays without further checks. */
shoal_status molecule_reserve_atoms(shoal_molecule *mol, int32_t n);
shoal_status molecule_reserve_bonds(shoal_molecule *mol, int32_t n);

/* The same bond, seen from its other end. */
void molecule_turn_bond(shoal_molecule *mol, int32_t b);
/* An atom, and a bond within the home cell, that were found good; there must be room. */
void molecule_push_atom(shoal_molecule *mol, int32_t z, const double pos[3]);
void molecule_push_bond(shoal_molecule *mol, int32_t i, int32_t j, int32_t order);
/* True if two atoms are bonded within the home cell. */
bool molecule_has_bond(const shoal_molecule *mol, int32_t i, int32_t j);

/* As the public functions do, from text without a terminating zero. */
shoal_status molecule_set_name(shoal_molecule *mol, shoal_span name);
/* Copies a text into memory that grows with it; it may be a part of what it replaces. */
shoal_status molecule_keep_text(char **text, size_t *capacity, shoal_span from);
shoal_status molecule_set_property(shoal_molecule *mol, shoal_span key, shoal_span value);
/* Another data field, even if there is one of that key. */
shoal_status molecule_add_property(shoal_molecule *mol, shoal_span key, shoal_span value);
void molecule_clear_fields(shoal_molecule *mol);
void molecule_free_fields(shoal_molecule *mol);

static inline int32_t molecule_mark(const molecule_marks *marks, int32_t i)
{
    return i < marks->n ? marks->of[i] : 0;
}
shoal_status molecule_set_mark(molecule_marks *marks, int32_t i, int32_t value);
static inline const char *molecule_line(const shoal_molecule *mol, int k)
{
    return mol->lines[k] ? mol->lines[k] : "";
}
shoal_status molecule_set_line(shoal_molecule *mol, int k, shoal_span text);
/* All of these at once. */
void molecule_clear_marks(shoal_molecule *mol);
shoal_status molecule_copy_marks(shoal_molecule *dst, const shoal_molecule *src);
void molecule_free_marks(shoal_molecule *mol);

/* Whether a number may be the mean order of resonance structures. */
static inline bool molecule_is_shared(double order)
{
    return order > 1.0 && order < 3.0;
}

/* Forgets all bonds. */
void molecule_clear_bonds(shoal_molecule *mol);

#endif
