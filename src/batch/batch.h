/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a batch, for engines that compile it. */
#ifndef SHOAL_BATCH_BATCH_H
#define SHOAL_BATCH_BATCH_H

#include "shoal/engine.h"

enum { BATCH_ALIASES = 64 };

/* A topology that the batch has a reference to. */
typedef struct batch_topology {
    shoal_topology *topology;
    int32_t number; /* of a typed one: equal ones have the same; 0 of the others */
} batch_topology;

/* One system: its topology (one of those of the batch), where its atoms start, its cell. */
typedef struct batch_system {
    shoal_topology *topology;
    int32_t topology_index; /* equal topologies have the same */
    int32_t atom_start, n_atoms;
    int32_t auxiliary_start; /* electron pairs and directions of the systems before it */
    double cell[3][3];       /* all zero for an isolated system */
    bool *fixed;             /* [n_atoms] or NULL, owned */
    shoal_restraint *restraints;
    int32_t n_restraints;
    int32_t *bodies; /* [n_atoms] or NULL, owned */
} batch_system;

struct shoal_batch {
    int32_t n_systems, system_capacity;
    batch_system *systems;
    int32_t n_atoms, atom_capacity; /* of all systems together */
    int32_t n_auxiliary;            /* electron pairs and directions, the same */
    double (*pos)[3];               /* pos[n_atoms][3], angstrom */
    batch_topology *kept;           /* all that are in use, each once */
    int32_t n_kept, kept_capacity;
    int32_t *table; /* open addressing by topology: index into kept, -1 empty */
    int32_t table_size, n_topologies;
    int32_t n_constrained; /* systems with fixed atoms, restraints or bodies */
    int32_t n_rigid;       /* those with bodies */
    /* Equal topologies that were given as others, by address, so that they are compared once; references
     * of the batch's own. */
    struct batch_alias {
        shoal_topology *given;
        int32_t kept;
    } aliases[BATCH_ALIASES];
};

/* Atoms that a restraint names: of a centre the first and the last one. */
static inline int32_t restraint_n_atoms(shoal_restraint_kind kind)
{
    return kind == SHOAL_RESTRAINT_CENTRE ? 2 : (int32_t)kind + 1;
}

/* Whether it holds something in place. */
static inline bool restraint_is_place(shoal_restraint_kind kind)
{
    return kind == SHOAL_RESTRAINT_POSITION || kind == SHOAL_RESTRAINT_CENTRE;
}

/* Where what such a restraint holds is: an atom, or the centre of atoms; pos has all of them. */
void restraint_place(const shoal_restraint *restraint, const double (*pos)[3], double out[3]);

/* Fails with SHOAL_E_ARGUMENT for a restraint on an atom that a system of n_atoms lacks, on one atom twice, or
 * to a value that no geometry has. */
shoal_status batch_check_restraint(const shoal_restraint *restraint, int32_t i_system,
                                   int32_t n_atoms);

#endif
