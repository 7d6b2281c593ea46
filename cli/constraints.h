/* SPDX-License-Identifier: BSD-3-Clause
 * What holds the atoms of every system of a command: --fix, --rigid and --restrain. */
#ifndef SHOAL_CLI_CONSTRAINTS_H
#define SHOAL_CLI_CONSTRAINTS_H

#include "options.h"
#include "shoal/shoal.h"

typedef struct constraints {
    shoal_selection **fix; /* atoms that do not move */
    int n_fix;
    shoal_selection **rigid; /* bodies */
    int n_rigid;
    bool molecules;              /* all of them are bodies */
    shoal_restraint *restraints; /* the target of a position is the start of its atom */
    int n_restraints;
} constraints;

extern const cli_option constraint_options[];
cli_take take_constraint_option; /* the target is a constraints */

/* Adds the atoms of a list such as 0,5,7 to atoms[*n], which grows. */
bool constraints_take_atoms(const char *name, const char *value, int32_t **atoms, int *n);

/* They hold in every system of a stream, from which they are borrowed. */
void constraints_attach(const constraints *c, shoal_stream_options *stream);
void constraints_free(constraints *c);

#endif
