/* SPDX-License-Identifier: BSD-3-Clause
 * A molecule of water, made atom by atom. */
#ifndef SHOAL_TEST_WATER_FIXTURE_H
#define SHOAL_TEST_WATER_FIXTURE_H

#include "check.h"
#include "shoal/molecule.h"

static inline shoal_molecule *make_water(void)
{
    static const double pos[3][3] = {{0, 0, 0}, {0.96, 0, 0}, {-0.24, 0.93, 0}};
    static const int32_t z[3] = {8, 1, 1};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 3; ++i) CHECK(shoal_molecule_add_atom(mol, z[i], pos[i]) == SHOAL_OK);
    return mol;
}

#endif
