/* SPDX-License-Identifier: BSD-3-Clause
 * Options by the name of another program. */
#include "shoal/like.h"

#include <string.h>

#include "base/error.h"

#define FIRECORE_DAMPING 1.0 /* angstrom: its Rdamp */

shoal_status shoal_like(const char *name, shoal_typing_options *typing,
                        shoal_engine_options *engine)
{
    shoal_clear_error();
    SHOAL_NEED(name);
    if (strcmp(name, "firecore") != 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "'%s' is no program that options are known of, "
                          "expected firecore",
                          name);
    if (typing && typing->forcefield == SHOAL_FORCEFIELD_UFF &&
        typing->dialect == SHOAL_DIALECT_RDKIT)
        typing->dialect = SHOAL_DIALECT_FIRECORE;
    if (!engine) return SHOAL_OK;
    if (engine->mixing == SHOAL_MIXING_DEFAULT) engine->mixing = SHOAL_MIXING_ARITHMETIC;
    if (engine->coulomb_damping == 0) engine->coulomb_damping = FIRECORE_DAMPING;
    return SHOAL_OK;
}
