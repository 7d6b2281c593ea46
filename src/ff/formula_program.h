/* SPDX-License-Identifier: BSD-3-Clause
 * A graph as a list of instructions on registers, each of which works on a block of pairs. */
#ifndef SHOAL_FF_FORMULA_PROGRAM_H
#define SHOAL_FF_FORMULA_PROGRAM_H

#include "ff/formula.h"
#include "ff/formula_dag.h"

typedef struct formula_step {
    formula_op op;
    int32_t out, a, b, c; /* registers; inputs of pairs are -1 - input */
    double value;         /* of a number; of a constant its index is in a */
    uint64_t serves;      /* bits of the roots that are made of it */
} formula_step;

/* All zero is no program. */
typedef struct formula_program {
    formula_step *fixed; /* what does not depend on the pair: once for every set of constants */
    int32_t n_fixed;
    formula_step *steps;
    int32_t n_steps;
    int32_t *results;   /* registers of the roots, or inputs; INT32_MIN for roots of -1 */
    int32_t *result_of; /* of a register that varies, the first root that is in it; else -1 */
    int32_t n_results;
    int32_t n_registers;
} formula_program;

/* Roots of -1 are left out. */
shoal_status formula_program_build(formula_program *out, const formula_dag *dag,
                                   const int32_t *roots, int32_t n_roots);
void formula_program_free(formula_program *program);

/* registers[n_registers][width]. */
void formula_program_set(const formula_program *program, const double *named, double *registers,
                         int32_t width);
/* results[n_results][n], n <= width; NULL: not wanted, and not computed. */
void formula_program_run(const formula_program *program, double *registers, int32_t width,
                         int32_t n, const double *const *inputs, double *const *results);

#endif
