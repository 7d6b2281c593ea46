/* SPDX-License-Identifier: BSD-3-Clause
 * Single points whose slots are looked at: forces of terms and of pairs before atoms gather them. */
#include "group.h"

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void group_slots(DATA_ARGUMENTS,
                                                                        global real4 *slots)
{
    DATA_SETUP
    energies e;
    eval(&t, &data, &surface, pos, par, slot, force, &constants, &e);
    for (int i = l; i < t.n_slots + n_particles; i += WG) slots[i] = slot[i];
    (void)dir, (void)red;
}
