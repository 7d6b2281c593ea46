/* SPDX-License-Identifier: BSD-3-Clause
 * From options and data to the problem that evaluators see. */
#ifndef SHOAL_FIT_PROBLEM_H
#define SHOAL_FIT_PROBLEM_H

#include "fit/objective.h"

/* Model, globals and slots; before the DOFs are read. */
shoal_status problem_set_model(shoal_fit *fit);
/* Free DOFs, samples, blocks and rows; once the DOFs are known. */
shoal_status problem_settle(shoal_fit *fit);

/* Charges to start from where all are 0, by electronegativity. */
shoal_status problem_start_charges(shoal_fit *fit);

#endif
