/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions as a graph in which equal parts exist once; made simpler while they are built. */
#ifndef SHOAL_FF_FORMULA_DAG_H
#define SHOAL_FF_FORMULA_DAG_H

#include <stdbool.h>

#include "base/error.h"

typedef enum formula_op {
    FORMULA_NUMBER, /* value */
    FORMULA_INPUT,  /* a: which one */
    FORMULA_ADD,
    FORMULA_SUB,
    FORMULA_MUL,
    FORMULA_DIV,
    FORMULA_NEG,
    FORMULA_INTPOW, /* a to the whole number value, 2 <= |value| <= 64 */
    FORMULA_POW,
    FORMULA_EXP,
    FORMULA_LOG,
    FORMULA_SQRT,
    FORMULA_ABS,
    FORMULA_SIN,
    FORMULA_COS,
    FORMULA_SINH,
    FORMULA_COSH,
    FORMULA_TANH,
    FORMULA_ERF,
    FORMULA_MIN,
    FORMULA_MAX,
    FORMULA_LESS,  /* 1 if a < b else 0 */
    FORMULA_SELECT /* b if a is not 0 else c */
} formula_op;

/* Operands are nodes with smaller numbers, -1 where there is none. */
typedef struct formula_node {
    formula_op op;
    int32_t a, b, c;
    double value;
} formula_node;

/* All zero is an empty graph. */
typedef struct formula_dag {
    formula_node *nodes;
    int32_t n, capacity;
    int32_t *table; /* of node numbers by hash, -1 for none; its size is a power of two */
    int32_t table_size;
    shoal_status status; /* of the first failure */
} formula_dag;

void formula_dag_free(formula_dag *dag);

/* Number of a node. -1 with the error set when memory is out or the formula grows too large, and
 * also if an operand is -1, so that only the last call needs to be checked. */
int32_t formula_number(formula_dag *dag, double value);
int32_t formula_input_node(formula_dag *dag, int32_t input);
int32_t formula_unary(formula_dag *dag, formula_op op, int32_t a);
int32_t formula_binary(formula_dag *dag, formula_op op, int32_t a, int32_t b);
int32_t formula_select(formula_dag *dag, int32_t condition, int32_t yes, int32_t no);
/* a to the power b: whole and half powers are turned into products and roots. */
int32_t formula_power(formula_dag *dag, int32_t a, int32_t b);

/* Value of an operation on numbers. */
double formula_apply(formula_op op, double a, double b, double c);
/* Number of operands: 0 to 3. */
int formula_arity(formula_op op);

/* slopes[n_inputs]: node of the derivative of root by every input, where wanted. Reverse
 * accumulation: all derivatives together cost a few times the formula. */
shoal_status formula_differentiate(formula_dag *dag, int32_t root, int32_t n_inputs,
                                   const bool *wanted, int32_t *slopes);

/* Rebuilds what roots[n] need in a new graph, with whole powers as products, exponentials of multiples as powers, and
 * reciprocals of what divides several times; roots are replaced by their numbers there. */
shoal_status formula_lower(const formula_dag *dag, formula_dag *out, int32_t *roots, int32_t n);

/* needed[dag->n]: true for all that the roots are made of. Nodes of -1 are left out. */
void formula_reach(const formula_dag *dag, const int32_t *roots, int32_t n, bool *needed);

#endif
