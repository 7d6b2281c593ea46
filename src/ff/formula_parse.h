/* SPDX-License-Identifier: BSD-3-Clause
 * From the text of a formula to its graph. */
#ifndef SHOAL_FF_FORMULA_PARSE_H
#define SHOAL_FF_FORMULA_PARSE_H

#include "ff/formula.h"
#include "ff/formula_dag.h"

typedef struct formula_names {
    char named[FORMULA_N_NAMED][FORMULA_NAME_SIZE];
    int32_t n_named;
    formula_columns columns;
    char of_columns[2 * FORMULA_N_COLUMNS][FORMULA_NAME_SIZE + 1]; /* as the formula calls them */
} formula_names;

/* The name of an input of pairs, FORMULA_IN_; not of a column. */
const char *formula_pair_name(int32_t input);

/* Takes the columns whose names the text may use. */
void formula_names_take(formula_names *names, const formula_columns *columns);

/* Reads a whole text; *root is the node of its value. */
shoal_status formula_parse(const char *text, formula_dag *dag, formula_names *names, int32_t *root);

/* "exp" and so on; NULL for operations that are no functions of the language. */
const char *formula_function_name(formula_op op);

#endif
