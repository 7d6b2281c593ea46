/* SPDX-License-Identifier: BSD-3-Clause
 * What holds the atoms of every system of a command: --fix and --restrain. */
#ifndef SHOAL_CLI_CONSTRAINTS_H
#define SHOAL_CLI_CONSTRAINTS_H

#include "options.h"
#include "shoal/shoal.h"

typedef struct constraints {
    int32_t *fixed; /* atoms that do not move */
    int n_fixed;
    shoal_restraint *restraints; /* the target of a position is the start of its atom */
    int n_restraints;
} constraints;

extern const cli_option constraint_options[];
cli_take take_constraint_option; /* the target is a constraints */

/* Atoms that a restraint names. */
int restraint_n_atoms(const shoal_restraint *r);
/* "restraint distance:0,5". */
#define RESTRAINT_TEXT 80
void restraint_text(const shoal_restraint *r, char out[RESTRAINT_TEXT]);

void constraints_free(constraints *c);

#endif
