/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a batch, for engines that compile it. */
#ifndef SHOAL_BATCH_BATCH_H
#define SHOAL_BATCH_BATCH_H

#include "shoal/engine.h"

/* One system: its topology (a reference of the batch's own), where its atoms start, its cell. */
typedef struct batch_system {
    shoal_topology *topology;
    int32_t topology_index; /* equal topologies have the same */
    int32_t atom_start, n_atoms;
    double cell[3][3]; /* all zero for an isolated system */
    bool *fixed;       /* [n_atoms] or NULL, owned */
    shoal_restraint *restraints;
    int32_t n_restraints;
} batch_system;

struct shoal_batch {
    int32_t n_systems, system_capacity;
    batch_system *systems;
    int32_t n_atoms, atom_capacity; /* of all systems together */
    double (*pos)[3];               /* pos[n_atoms][3], angstrom */
    int32_t *table;                 /* open addressing by topology: index of a system, -1 empty */
    int32_t table_size, n_topologies;
};

/* Fails with SHOAL_E_ARGUMENT for a restraint on an atom that a system of n_atoms lacks, on one atom twice, or
 * to a value that no geometry has. */
shoal_status batch_check_restraint(const shoal_restraint *restraint, int32_t i_system,
                                   int32_t n_atoms);

#endif
