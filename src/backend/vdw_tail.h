/* SPDX-License-Identifier: BSD-3-Clause
 * What the cut-off of a crystal's van der Waals pairs leaves out, for backends other than ref. */
#ifndef SHOAL_BACKEND_VDW_TAIL_H
#define SHOAL_BACKEND_VDW_TAIL_H

#include "backend/backend.h"

/* Mean-field energy of the pairs that the switch and the cut-off take away, eV; 0 unless the options ask for it,
 * vdW is on and the system repeats in three directions. volume: of the cell, angstrom^3. */
double vdw_tail(const shoal_topology_view *view, const shoal_engine_options *options,
                double volume);

#endif
