/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules for the tests of searches. */
#ifndef SHOAL_TESTS_SEARCH_FIXTURE_H
#define SHOAL_TESTS_SEARCH_FIXTURE_H

#include "chem_fixture.h"

static const char search_butane[] =
    "14\nbutane\n"
    "C 0.0000 0.0000 0.0000\nC 1.5300 0.0000 0.0000\nC 2.1031 1.4186 0.0000\nC 2.9722 1.7370 "
    "1.2183\n"
    "H -0.3762 -1.0337 0.0000\nH -0.3762 0.5168 0.8952\nH -0.3762 0.5168 -0.8952\n"
    "H 3.3602 2.7639 1.1462\nH 2.3807 1.6370 2.1402\nH 3.8186 1.0354 1.2520\n"
    "H 1.8840 -0.5450 0.8870\nH 1.8840 -0.5450 -0.8870\n"
    "H 2.6950 1.5600 -0.9160\nH 1.2700 2.1370 0.0000\n";

/* Cyclohexane, a chair of side 1.53 angstrom. */
static const char search_cyclohexane[] =
    "18\ncyclohexane\n"
    "C 1.4550 0.0000 0.2500\nC 0.7275 1.2601 -0.2500\nC -0.7275 1.2601 0.2500\n"
    "C -1.4550 0.0000 -0.2500\nC -0.7275 -1.2601 0.2500\nC 0.7275 -1.2601 -0.2500\n"
    "H 2.4800 0.0000 -0.1500\nH 1.4600 0.0000 1.3500\n"
    "H 1.2400 2.1477 0.1500\nH 0.7300 1.2644 -1.3500\n"
    "H -1.2400 2.1477 -0.1500\nH -0.7300 1.2644 1.3500\n"
    "H -2.4800 0.0000 0.1500\nH -1.4600 0.0000 -1.3500\n"
    "H -1.2400 -2.1477 -0.1500\nH -0.7300 -1.2644 1.3500\n"
    "H 1.2400 -2.1477 0.1500\nH 0.7300 -1.2644 -1.3500\n";

static inline shoal_molecule *search_molecule(const char *xyz)
{
    shoal_molecule *mol = chem_xyz(xyz);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    return mol;
}

#endif
