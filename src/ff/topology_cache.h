/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies by molecule: one of the same atoms, bonds and charges as one before shares what that one got,
 * without being perceived and typed again. */
#ifndef SHOAL_FF_TOPOLOGY_CACHE_H
#define SHOAL_FF_TOPOLOGY_CACHE_H

#include "shoal/topology.h"

/* Belongs to one thread at a time. */
typedef struct topology_cache topology_cache;

/* How all molecules of a cache are perceived and typed; NULL as in shoal_molecule_perceive and
 * shoal_topology_create. What the options point to must live as long as the cache. */
typedef struct typing_options {
    const shoal_perceive_options *perceive;
    const shoal_typing_options *forcefield;
    int32_t max_atoms; /* of all topologies that are remembered, some 1 kB each; 0: 32768 */
} typing_options;

typedef struct topology_cache_counts {
    int64_t n_shared; /* molecules that were found */
    int64_t n_typed;  /* all others */
    int32_t n_kept;   /* topologies that are remembered now */
    int32_t n_atoms;  /* of those */
} topology_cache_counts;

/* NULL with the error set when memory is out. options may be NULL. */
topology_cache *topology_cache_create(const typing_options *options);
void topology_cache_destroy(topology_cache *cache);

/* Perceives and types mol. Molecule, topology and failures are what shoal_molecule_perceive and then
 * shoal_topology_create give, bit for bit; a molecule without Kekule structure and the like still gets a
 * topology that says so. The caller owns a reference to *out. */
shoal_status topology_cache_type(topology_cache *cache, shoal_molecule *mol, shoal_topology **out);

topology_cache_counts topology_cache_count(const topology_cache *cache);

#endif
