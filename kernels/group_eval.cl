/* SPDX-License-Identifier: BSD-3-Clause
 * Single points, one system per work-group. */
#include "group.h"

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_eval(DATA_ARGUMENTS)
{
    DATA_SETUP
    energies e;
    eval(&t, &data, &surface, pos, par, slot, force, &constants, &e);
    for (int i = l; i < n; i += WG) forces[sys.atom_start + i] = force[i];
    write_terms(terms + N_ENERGIES * sys.index, e, red);
    (void)dir;
}
