/* SPDX-License-Identifier: BSD-3-Clause
 * What a formula consists of, for the files that make, print and check it. */
#ifndef SHOAL_FF_FORMULA_INNER_H
#define SHOAL_FF_FORMULA_INNER_H

#include "ff/formula.h"
#include "ff/formula_dag.h"
#include "ff/formula_parse.h"
#include "ff/formula_program.h"

enum { FORMULA_N_GUARDS = 32 };

struct formula {
    char *text;
    formula_names names;
    bool uses[FORMULA_N_INPUTS];
    formula_dag dag; /* as written, for printing */
    /* Roots: the energy, then the slope by every input; -1 for those not used. */
    int32_t roots[1 + FORMULA_N_INPUTS];
    formula_dag lowered; /* as evaluated */
    int32_t lowered_roots[1 + FORMULA_N_INPUTS];
    formula_program program;
    /* What must keep its sign over the data for the formula to be smooth: denominators (poles), and
     * the differences that abs, min and max decide by (kinks). */
    bool guard_is_pole[FORMULA_N_GUARDS];
    int32_t n_guards;
    formula_program guards; /* their values */
};

#endif
