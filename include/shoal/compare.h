/* SPDX-License-Identifier: BSD-3-Clause
 * How far the result of a device is from that of ref. */
#ifndef SHOAL_COMPARE_H
#define SHOAL_COMPARE_H

#include "shoal/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_comparison {
    bool comparable;    /* both have numbers */
    bool same_status;   /* both have numbers, or the same reason for having none */
    double force_error; /* largest |F - F_ref|, eV/angstrom */
    double force;       /* largest |F_ref| */
    double relative;    /* force_error / force */
    /* force_error / max(force, 1 eV/angstrom): where all forces cancel, what is left of them is
     * rounding. */
    double verdict;
    int32_t atom;        /* with the largest error; directions are numbered behind atoms */
    double energy_error; /* of the term with the largest one, over the sum of all |terms| + 1 eV */
    int term;
} shoal_comparison;

/* Compares two results of the same system of n_atoms atoms, electron pairs and directions. */
SHOAL_API void shoal_compare(const shoal_result *ref, const shoal_result *device, int32_t n_atoms,
                             shoal_comparison *out);

/* The same of systems that hold one interaction of a term (SHOAL_TERM_) alone, where less is rounding: verdict
 * is force_error / max(force, least) and energy_error over |energy| + least, with shoal_compare_least. */
SHOAL_API void shoal_compare_interaction(const shoal_result *ref, const shoal_result *device,
                                         int32_t n_atoms, int term, bool periodic,
                                         shoal_comparison *out);

/* Largest verdict and energy_error that pass for an engine of these options: 1e-9 in double precision,
 * else 1e-4; 1e-3 on a grid, as ref sums directly and the errors of a spline are no mistakes. */
SHOAL_API double shoal_compare_tolerance(const shoal_engine_options *options);

enum {
    SHOAL_LONE_OWN_ATOMS =
        1, /* no others are there, and its own are numbered as they come in the row */
    SHOAL_LONE_IMAGES = 2, /* a vdw pair of a periodic system: through all of its images */
};

/* Adds a system that holds one interaction of another and nothing else, for asking a device about it: the same
 * record, parameters and places; all other atoms are there, without parameters, unless flags say otherwise, so
 * that the device goes about it as it does with the whole system. It is to be computed with all other terms
 * switched off. Of row only term, kind, index, n_atoms and atoms are looked at: as shoal_engine_explain shows
 * them, or for a pair that it does not list. Of a periodic system a vdw pair is one image of the second atom;
 * Coulomb, which is no sum over pairs, is the lattice of these two charges alone, made as strong as each other
 * and opposite where a chain or a slab must be neutral. options may be NULL; of them the cut-off is used. Fails
 * with SHOAL_E_ARGUMENT where there is no such interaction. Electron pairs and sites are atoms here, where the system
 * has them; directions are those that its atoms give, and stand behind the atoms. */
SHOAL_API shoal_status shoal_batch_add_interaction(shoal_batch *batch, const shoal_system *system,
                                                   const shoal_engine_options *options,
                                                   const shoal_term_row *row, uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif
