/* SPDX-License-Identifier: BSD-3-Clause
 * Lone-pair and sigma-hole sites: where they are, and how they act at short range. */
#ifndef SHOAL_FIT_SITES_H
#define SHOAL_FIT_SITES_H

#include "ff/site_frames.h"
#include "fit/fit.h"

enum { SITES_MAX_BONDS = 8 };

/* Atoms of one fragment and who is bonded to whom, and the same as frames of sites want it. */
typedef struct sites_fragment {
    int32_t n;
    const double (*pos)[3];             /* angstrom */
    int32_t *n_bonds;                   /* [n] */
    int32_t (*bonded)[SITES_MAX_BONDS]; /* [n], ascending */
    int32_t *start;                     /* [n + 1] */
    site_bond *bonds;                   /* [n SITES_MAX_BONDS] */
} sites_fragment;

/* Who is bonded to whom among the atoms [first, first + n) of the data; sites are to nobody. */
shoal_status sites_find_bonds(const shoal_dataset *data, int32_t first, int32_t n, int32_t *n_bonds,
                              int32_t (*bonded)[SITES_MAX_BONDS]);

/* As shoal_dataset_put_sites, rules of any number. */
shoal_status sites_put(shoal_dataset *data, const shoal_site_rule *rules, int32_t n_rules);

/* Fills in start and bonds of a fragment. */
void sites_list_bonds(const sites_fragment *f);
/* Unit vectors from an atom to the sites that a rule gives it, by the frames that engines have; returns how many. */
int32_t sites_directions(const sites_fragment *f, int32_t atom, const shoal_site_rule *rule,
                         double out[SITE_FRAMES_MOST][3]);

/* Short-range energy of a site and an atom: "sr" H exp(-r/w), "sr2" H exp(-(r/w)^2), "sr3"
 * H / cosh(r/w), in eV; w is the R of the site's type. False for other names. */
bool fit_site_model(const char *name, fit_model *out);

#endif
