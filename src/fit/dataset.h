/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a data set: frames of two fragments with reference energies, in flat arrays. */
#ifndef SHOAL_FIT_DATASET_H
#define SHOAL_FIT_DATASET_H

#include "base/arena.h"
#include "base/text.h"
#include "fit/label_map.h"
#include "io/frame_comment.h"
#include "shoal/fit.h"

typedef struct fit_set {
    char *label; /* of the arena */
    int32_t first, n_samples;
    double weight;
} fit_set;

/* A bond whose increment moves charge from one atom of a sample to another. */
typedef struct fit_bond {
    int32_t from, to; /* atoms of the sample */
    int32_t type; /* row of the table that stands for the pair of types; its q is the increment */
} fit_bond;

typedef struct fit_sample {
    int32_t atom_start, n_atoms, n_first; /* atoms [0, n_first) are the first fragment */
    int32_t bond_start, n_bonds;          /* 0 bonds without increments */
    int32_t set, dimer;
    int32_t monomers[2];
    double reference; /* eV */
    double weight;    /* of the weights file and of curves; the set's comes on top */
    double x0, angle; /* NaN if the comment has none */
    const char *name, *group;
    double sapt[N_SAPT]; /* eV, NaN if the comment has none */
    double charge[2];    /* of the fragments as the comment states it, e; NaN if it does not */
} fit_sample;

/* The first atom of a type in a set whose line has no charge. */
typedef struct fit_bare {
    int32_t set, type, line;
} fit_bare;

/* Atoms are flat; sites are atoms with a host. */
struct shoal_dataset {
    shoal_atom_types *types;
    label_map map;      /* of labels in files */
    arena memory;       /* texts */
    double energy_unit; /* of energies in files, eV; 0: 1 */
    fit_set *sets;
    int32_t n_sets, set_capacity;
    fit_sample *samples;
    int32_t n_samples, sample_capacity;
    int32_t n_dimers, n_monomers;
    int32_t n_repeats, repeat[2]; /* frames that another set has, too, and the first of them */
    int32_t n_atoms, atom_capacity;
    int32_t *type;    /* [n_atoms] index in types */
    double (*pos)[3]; /* [n_atoms] angstrom */
    double *charge;   /* [n_atoms] e, as in the file; of a host: before it gave to its sites */
    int32_t *host;    /* [n_atoms] atom of the same sample (0 .. n_atoms-1), -1 for an atom */
    double (*dir)[3]; /* [n_atoms] unit vector from the host to its site; 0 for an atom */
    /* What gave the atoms of all frames their charges, as the comments say; AUTO where one says nothing or another thing. */
    shoal_charge_source charges;
    bool has_sites;
    shoal_site_rule *site_rules; /* of the arena */
    int32_t n_site_rules;
    fit_bond *bonds; /* of samples with increments */
    int32_t n_bonds, bond_capacity;
    shoal_charge_increment *increments; /* of the arena; values are those of the table */
    int32_t n_increments;
    int32_t first_increment; /* its row of the table; the others follow */
    fit_bare *bare;
    int32_t n_bare, bare_capacity;
};

/* Room for n more atoms behind the last. */
shoal_status dataset_reserve_atoms(shoal_dataset *data, int32_t n);
/* Gives dimers of several sets that are the same one number, whatever they are called: those that have a frame of equal
 * elements and distances. */
shoal_status dataset_merge_dimers(shoal_dataset *data);
/* Numbers dimers and monomers once all samples are there. */
shoal_status dataset_index(shoal_dataset *data);
/* Charges of the fragments of samples whose frame gives none: those stated, else formal ones of the molecules,
 * charge[n_samples][2] in e; 0 where the frame has charges. Fails where a fragment cannot be perceived. */
shoal_status dataset_formal_charges(const shoal_dataset *data, double (*charge)[2]);
/* Weight of a sample with that of its set; 0 if it is left out. */
double dataset_weight(const shoal_dataset *data, int32_t sample);

#endif
