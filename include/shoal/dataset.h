/* SPDX-License-Identifier: BSD-3-Clause
 * Reference energies of rigid dimers: frames of two fragments, sets of them, weights, sites beside their atoms.
 *
 * Units are eV, angstrom, e. */
#ifndef SHOAL_DATASET_H
#define SHOAL_DATASET_H

#include "shoal/pair_model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_dataset shoal_dataset;

/* An empty data set whose atoms have types of the table, which is copied. */
SHOAL_API shoal_status shoal_dataset_create(shoal_dataset **out, const shoal_atom_types *types);
SHOAL_API void shoal_dataset_destroy(shoal_dataset *data);
/* Appends the frames of a file as a set: comment "# n0 INT Etot eV [x0 r] [z angle] ... name", atoms
 * "type x y z [q]". weight > 0 is that of the whole set against the others: samples of a set share
 * it, so that sets of equal weight count the same whatever their size. */
SHOAL_API shoal_status shoal_dataset_add(shoal_dataset *data, const char *path, double weight);
/* The same from memory; label stands for the file name. */
SHOAL_API shoal_status shoal_dataset_add_memory(shoal_dataset *data, const void *text, size_t size,
                                                const char *label, double weight);
/* Energies of files that are added from now on are multiples of so many eV (1 at first). */
SHOAL_API shoal_status shoal_dataset_set_energy_unit(shoal_dataset *data, double unit);
/* One number per sample in the order of the samples, multiplied to the weights; a negative one
 * leaves the sample out. */
SHOAL_API shoal_status shoal_dataset_read_weights(shoal_dataset *data, const char *path);
/* Weights exp(-steepness (E - Emin) / (|Emin| + width)) over the samples of each dimer, eV. */
SHOAL_API shoal_status shoal_dataset_weigh_curves(shoal_dataset *data, double steepness,
                                                  double width);

/* Puts lone-pair and sigma-hole sites into every frame at a distance (angstrom) from their hosts:
 * for types whose column 4 names a type of the table (a plain E stands for "E_" and the name without
 * underscores), lone pairs as many as column 6 says, and where that is 0 the sigma hole behind an
 * atom with one neighbour. Order: atoms and sites of the first fragment, then of the second. Once,
 * when all files are added. */
SHOAL_API shoal_status shoal_dataset_add_sites(shoal_dataset *data, double distance);
/* The same by element, whatever the table says: lone pairs of N and P (1), O and S (2) and the elements
 * below, a site behind every hydrogen, the sigma holes of halogens; types of sites are called "E_" and the
 * name of the type without underscores. distance 0: 0.7 A for lone pairs, 0.4 A for hydrogens, 0.6 A for
 * sigma holes. */
SHOAL_API shoal_status shoal_dataset_auto_sites(shoal_dataset *data, double distance);
/* The same by rules; an atom may have sites of several. Types of sites that the table of the data set
 * lacks are added to it. No atom need get a site. */
SHOAL_API shoal_status shoal_dataset_put_sites(shoal_dataset *data, const shoal_site_rule *rules,
                                               int32_t n_rules);
/* Finds the bonds of all frames and lets each move charge between its atoms: one increment for every
 * pair of unlike types, "FROM:TO" in the table of the data set, whose Q is what a bond takes from its atom
 * of type FROM and gives to that of type TO. FROM comes first in the table. Charges of fragments stay
 * as they are. Once, after the sites. */
SHOAL_API shoal_status shoal_dataset_add_increments(shoal_dataset *data);
/* The same with given values; bonds between types that are not among them move nothing. */
SHOAL_API shoal_status shoal_dataset_put_increments(shoal_dataset *data,
                                                    const shoal_charge_increment *increments,
                                                    int32_t n);
/* Writes all frames as shoal_dataset_add reads them; with sites, a sixth column holds their hosts,
 * counted from 0, and -1 for atoms. */
SHOAL_API shoal_status shoal_dataset_write(const shoal_dataset *data, const char *path);

typedef struct shoal_set_info {
    const char *label; /* borrowed */
    int32_t first, n_samples, n_dimers, n_atoms;
    double weight;           /* as given */
    double rms, least, most; /* of the reference energies, eV */
} shoal_set_info;

typedef struct shoal_sample_info {
    const char *name, *group;             /* borrowed; "" without one */
    int32_t set, dimer, n_atoms, n_first; /* n_first: atoms of the first fragment */
    double x0, angle;                     /* NaN if the comment has none */
    double reference, weight;             /* eV */
} shoal_sample_info;

/* What gave the atoms their charges, where the comments of all frames say the same ("charges mmff94"); else AUTO. */
SHOAL_API shoal_charge_source shoal_dataset_charges(const shoal_dataset *data);
SHOAL_API int32_t shoal_dataset_sets(const shoal_dataset *data);
SHOAL_API int32_t shoal_dataset_samples(const shoal_dataset *data);
SHOAL_API int32_t shoal_dataset_dimers(const shoal_dataset *data);
/* Pairs of frames of two sets that are the same to 0.002 angstrom: they are one dimer, and count twice. The first such
 * pair goes to *first and *second (each may be NULL), -1 without one. */
SHOAL_API int32_t shoal_dataset_repeats(const shoal_dataset *data, int32_t *first, int32_t *second);
SHOAL_API int32_t shoal_dataset_monomers(const shoal_dataset *data);
SHOAL_API int64_t shoal_dataset_pairs(const shoal_dataset *data);
/* Atoms of a type of the table. */
SHOAL_API int32_t shoal_dataset_count(const shoal_dataset *data, int32_t type);
SHOAL_API shoal_status shoal_dataset_set(const shoal_dataset *data, int32_t set,
                                         shoal_set_info *info);
SHOAL_API shoal_status shoal_dataset_sample(const shoal_dataset *data, int32_t sample,
                                            shoal_sample_info *info);

#ifdef __cplusplus
}
#endif

#endif
