/* SPDX-License-Identifier: BSD-3-Clause
 * From the text of a formula to its graph. */
#ifndef SHOAL_FF_FORMULA_PARSE_H
#define SHOAL_FF_FORMULA_PARSE_H

#include "ff/formula.h"
#include "ff/formula_dag.h"

typedef struct formula_names {
    char named[FORMULA_N_NAMED][FORMULA_NAME_SIZE];
    int32_t n_named;
} formula_names;

/* The name of an input of pairs, FORMULA_IN_. */
const char *formula_pair_name(int32_t input);

/* Reads a whole text; *root is the node of its value. */
shoal_status formula_parse(const char *text, formula_dag *dag, formula_names *names, int32_t *root);

/* "exp" and so on; NULL for operations that are no functions of the language. */
const char *formula_function_name(formula_op op);

#endif
