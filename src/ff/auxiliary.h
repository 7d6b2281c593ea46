/* SPDX-License-Identifier: BSD-3-Clause
 * What moves besides atoms: electron pairs and directions. Arrays of a system have the atoms first, then the electron
 * pairs, then the directions. */
#ifndef SHOAL_FF_AUXILIARY_H
#define SHOAL_FF_AUXILIARY_H

#include "shoal/topology.h"

/* Electron pairs and directions together. */
static inline int32_t auxiliary_count(const shoal_topology_view *v)
{
    return v->n_pairs + v->n_directions;
}

/* Vectors that steps move: atoms, electron pairs, directions. */
static inline int32_t mover_count(const shoal_topology_view *v)
{
    return v->n_atoms + auxiliary_count(v);
}

/* Puts what is not an atom where it belongs, by the atoms at pos[0 .. n_atoms): electron pairs at pos[n_atoms ..), and
 * behind them the directions. cell: rows a, b, c of a periodic topology. The result turns with the atoms and depends on
 * nothing else. */
void auxiliary_place(const shoal_topology_view *v, const double (*cell)[3], double (*pos)[3]);

#endif
