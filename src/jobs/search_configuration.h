/* SPDX-License-Identifier: BSD-3-Clause
 * The configuration of a molecule, by its coordinates: centres with four partners, sulfur, phosphorus and their like with
 * three, and double bonds. */
#ifndef SHOAL_JOBS_SEARCH_CONFIGURATION_H
#define SHOAL_JOBS_SEARCH_CONFIGURATION_H

#include "base/arena.h"
#include "chem/graph.h"

typedef struct search_configuration {
    int32_t n_centres;
    int32_t *centre;        /* [n_centres] */
    int32_t (*partners)[4]; /* four, or three and the centre itself */
    int8_t *hand;           /* of the volume between them; 0: flat */
    int32_t n_doubles;
    int32_t *bond;        /* [n_doubles] */
    int32_t (*around)[4]; /* the lowest partner, both atoms, the lowest partner */
    int8_t *cis;          /* 1: cis, -1: trans, 0: neither */
} search_configuration;

/* That of pos[n_atoms][3], the first atoms of a molecule. Lists are the arena's. */
shoal_status search_configuration_find(search_configuration *out, const shoal_molecule *mol,
                                       const graph *g, int32_t n_atoms, const double (*pos)[3],
                                       arena *memory);
/* Six times the volume between four atoms, angstrom^3, with a sign. */
double search_volume(const int32_t atoms[4], const double (*pos)[3]);
/* Whether other coordinates have it, too. */
bool search_configuration_holds(const search_configuration *c, const double (*pos)[3]);

#endif
