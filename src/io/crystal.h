/* SPDX-License-Identifier: BSD-3-Clause
 * The sites of a crystal, as CIF and PDB list them, and how they become the atoms of a cell. */
#ifndef SHOAL_IO_CRYSTAL_H
#define SHOAL_IO_CRYSTAL_H

#include "chem/molecule.h"
#include "geom/symmetry.h"

/* Texts are parts of the record. */
typedef struct crystal_site {
    shoal_span label, assembly; /* assembly: of disorder */
    int64_t line;
    int32_t z, isotope, formal_charge;
    double frac[3];  /* of the cell */
    double given[3]; /* angstrom, in files that have these */
    double occupancy, charge;
    int32_t group; /* of disorder, 0: none */
    bool has_charge, dropped;
    int32_t first, n; /* its atoms */
} crystal_site;

typedef struct crystal_bond {
    shoal_span label[2], symmetry[2]; /* symmetry: "." or "3_565" */
    double distance;                  /* angstrom, 0: not given */
    int32_t order;                    /* shoal_bond_order */
} crystal_bond;

typedef struct crystal {
    double cell[3][3];
    symmetry_group group;
    /* Operations in the order of the file, which codes of symmetry count; n_listed = 0: there is no list. */
    symmetry_op listed[SYMMETRY_MOST];
    int32_t n_listed;
    crystal_site *sites;
    int32_t n_sites, site_capacity;
    crystal_bond *bonds;
    int32_t n_bonds, bond_capacity;
    /* Made of it: */
    double (*frac)[3]; /* of the atoms */
    int32_t frac_capacity;
    int32_t *by_label; /* sites in the order of their labels */
    int32_t label_capacity;
    shoal_bond *found;
    int32_t n_found, found_capacity;
} crystal;

void crystal_clear(crystal *c);
void crystal_free(crystal *c);

/* Whether parts of it are alternatives: sites that are not full, or groups of disorder. NULL if not, otherwise the
 * first of them. */
const crystal_site *crystal_disordered(const crystal *c);
/* Leaves of each assembly the group with the most atoms by occupancy, and of sites without a group those that are at
 * least half full. Fails, naming the site in *where, for disorder about an element of symmetry, and for groups that are
 * more than alternatives of one assembly. */
bool crystal_keep_major(crystal *c, const crystal_site **where);

/* The images of all sites in the cell, each once: atoms of a molecule with that cell. Fails with SHOAL_E_FORMAT where they
 * are too close, naming the site in *where. */
shoal_status crystal_expand(crystal *c, shoal_molecule *mol, const crystal_site **where);
/* Takes the bonds over, if they name every atom and are where the coordinates have them; otherwise *why says what is wrong. */
shoal_status crystal_take_bonds(crystal *c, shoal_molecule *mol, char why[160]);

#endif
