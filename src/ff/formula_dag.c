/* SPDX-License-Identifier: BSD-3-Clause
 * Expressions as a graph: nodes by hash, constants folded, rules for 0 and 1, whole powers. */
#include "ff/formula_dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { MAX_NODES = 1 << 14, MAX_POWER = 64 };

void formula_dag_free(formula_dag *dag)
{
    free(dag->nodes);
    free(dag->table);
    *dag = (formula_dag){0};
}

int formula_arity(formula_op op)
{
    switch (op) {
    case FORMULA_NUMBER:
    case FORMULA_INPUT: return 0;
    case FORMULA_ADD:
    case FORMULA_SUB:
    case FORMULA_MUL:
    case FORMULA_DIV:
    case FORMULA_POW:
    case FORMULA_MIN:
    case FORMULA_MAX:
    case FORMULA_LESS: return 2;
    case FORMULA_SELECT: return 3;
    default: return 1;
    }
}

double formula_apply(formula_op op, double a, double b, double c)
{
    switch (op) {
    case FORMULA_ADD: return a + b;
    case FORMULA_SUB: return a - b;
    case FORMULA_MUL: return a * b;
    case FORMULA_DIV: return a / b;
    case FORMULA_NEG: return -a;
    case FORMULA_POW: return pow(a, b);
    case FORMULA_EXP: return exp(a);
    case FORMULA_LOG: return log(a);
    case FORMULA_SQRT: return sqrt(a);
    case FORMULA_ABS: return fabs(a);
    case FORMULA_SIN: return sin(a);
    case FORMULA_COS: return cos(a);
    case FORMULA_SINH: return sinh(a);
    case FORMULA_COSH: return cosh(a);
    case FORMULA_TANH: return tanh(a);
    case FORMULA_ERF: return erf(a);
    case FORMULA_MIN: return b < a ? b : a;
    case FORMULA_MAX: return a < b ? b : a;
    case FORMULA_LESS: return a < b ? 1.0 : 0.0;
    case FORMULA_SELECT: return a != 0.0 ? b : c;
    default: return NAN;
    }
}

static uint32_t hash_node(const formula_node *node)
{
    uint64_t bits;
    memcpy(&bits, &node->value, sizeof bits);
    const uint32_t words[] = {(uint32_t)node->op, (uint32_t)node->a, (uint32_t)node->b,
                              (uint32_t)node->c,  (uint32_t)bits,    (uint32_t)(bits >> 32)};
    return hash_name(words, sizeof words);
}

static bool same_node(const formula_node *x, const formula_node *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c &&
           memcmp(&x->value, &y->value, sizeof x->value) == 0;
}

/* Place in the table of a node that is equal, or of the empty place where it belongs. */
static int32_t find_place(const formula_dag *dag, const formula_node *node)
{
    const uint32_t mask = (uint32_t)dag->table_size - 1;
    uint32_t k = hash_node(node) & mask;
    while (dag->table[k] >= 0 && !same_node(&dag->nodes[dag->table[k]], node)) k = (k + 1) & mask;
    return (int32_t)k;
}

static shoal_status grow_table(formula_dag *dag)
{
    const int32_t size = dag->table_size > 0 ? 2 * dag->table_size : 64;
    int32_t *table = shoal_alloc((size_t)size, sizeof *table);
    if (!table) return SHOAL_E_MEMORY;
    memset(table, 0xff, (size_t)size * sizeof *table);
    free(dag->table);
    dag->table = table;
    dag->table_size = size;
    for (int32_t i = 0; i < dag->n; ++i) table[find_place(dag, &dag->nodes[i])] = i;
    return SHOAL_OK;
}

static shoal_status make_room(formula_dag *dag)
{
    if (dag->n >= MAX_NODES)
        return shoal_fail(SHOAL_E_ARGUMENT, "the formula is too long: more than %d operations",
                          (int)MAX_NODES);
    if (2 * (dag->n + 1) > dag->table_size) SHOAL_TRY(grow_table(dag));
    return SHOAL_RESERVE(&dag->nodes, &dag->capacity, dag->n + 1);
}

/* The number of a node, which is added if no equal one is there. */
static int32_t intern(formula_dag *dag, formula_node node)
{
    if (dag->status == SHOAL_OK) dag->status = make_room(dag);
    if (dag->status != SHOAL_OK) return -1;
    const int32_t place = find_place(dag, &node);
    if (dag->table[place] >= 0) return dag->table[place];
    dag->nodes[dag->n] = node;
    dag->table[place] = dag->n;
    return dag->n++;
}

int32_t formula_number(formula_dag *dag, double value)
{
    const double plain = value == 0.0 ? 0.0 : value; /* no -0: one zero, one node */
    return intern(dag, (formula_node){FORMULA_NUMBER, -1, -1, -1, plain});
}

int32_t formula_input_node(formula_dag *dag, int32_t input)
{
    return intern(dag, (formula_node){FORMULA_INPUT, input, -1, -1, 0.0});
}

static bool is_number(const formula_dag *dag, int32_t node)
{
    return dag->nodes[node].op == FORMULA_NUMBER;
}

static bool is_value(const formula_dag *dag, int32_t node, double value)
{
    return is_number(dag, node) && dag->nodes[node].value == value;
}

static bool is_negated(const formula_dag *dag, int32_t node)
{
    return dag->nodes[node].op == FORMULA_NEG;
}

/* The result of numbers as a number, *done; what is not finite is left for the data to show. */
static int32_t fold(formula_dag *dag, formula_op op, int32_t a, int32_t b, bool *done)
{
    *done = false;
    if (!is_number(dag, a) || (b >= 0 && !is_number(dag, b))) return -1;
    const double value =
        formula_apply(op, dag->nodes[a].value, b >= 0 ? dag->nodes[b].value : 0.0, 0.0);
    if (!isfinite(value)) return -1;
    *done = true;
    return formula_number(dag, value);
}

int32_t formula_unary(formula_dag *dag, formula_op op, int32_t a)
{
    bool done;
    if (a < 0) return -1;
    const int32_t folded = fold(dag, op, a, -1, &done);
    if (done) return folded;
    if (op == FORMULA_NEG && is_negated(dag, a)) return dag->nodes[a].a;
    return intern(dag, (formula_node){op, a, -1, -1, 0.0});
}

static int32_t negate(formula_dag *dag, int32_t a)
{
    return formula_unary(dag, FORMULA_NEG, a);
}

static int32_t add(formula_dag *dag, int32_t a, int32_t b)
{
    if (is_value(dag, a, 0.0)) return b;
    if (is_value(dag, b, 0.0)) return a;
    if (is_negated(dag, b)) return formula_binary(dag, FORMULA_SUB, a, dag->nodes[b].a);
    if (is_negated(dag, a)) return formula_binary(dag, FORMULA_SUB, b, dag->nodes[a].a);
    return intern(dag, (formula_node){FORMULA_ADD, a < b ? a : b, a < b ? b : a, -1, 0.0});
}

static int32_t subtract(formula_dag *dag, int32_t a, int32_t b)
{
    if (a == b) return formula_number(dag, 0.0);
    if (is_value(dag, b, 0.0)) return a;
    if (is_value(dag, a, 0.0)) return negate(dag, b);
    if (is_negated(dag, b)) return formula_binary(dag, FORMULA_ADD, a, dag->nodes[b].a);
    return intern(dag, (formula_node){FORMULA_SUB, a, b, -1, 0.0});
}

static int32_t multiply(formula_dag *dag, int32_t a, int32_t b)
{
    if (is_value(dag, a, 0.0) || is_value(dag, b, 0.0)) return formula_number(dag, 0.0);
    if (is_value(dag, a, 1.0)) return b;
    if (is_value(dag, b, 1.0)) return a;
    if (is_value(dag, a, -1.0)) return negate(dag, b);
    if (is_value(dag, b, -1.0)) return negate(dag, a);
    if (is_negated(dag, a))
        return negate(dag, formula_binary(dag, FORMULA_MUL, dag->nodes[a].a, b));
    if (is_negated(dag, b))
        return negate(dag, formula_binary(dag, FORMULA_MUL, a, dag->nodes[b].a));
    if (is_number(dag, b) && !is_number(dag, a)) return multiply(dag, b, a); /* numbers first */
    const formula_node *y = &dag->nodes[b];
    if (is_number(dag, a) && y->op == FORMULA_MUL && is_number(dag, y->a)) {
        const int32_t rest = y->b;
        bool done;
        const int32_t product = fold(dag, FORMULA_MUL, a, y->a, &done);
        if (done) return formula_binary(dag, FORMULA_MUL, product, rest);
    }
    if (is_number(dag, a)) return intern(dag, (formula_node){FORMULA_MUL, a, b, -1, 0.0});
    return intern(dag, (formula_node){FORMULA_MUL, a < b ? a : b, a < b ? b : a, -1, 0.0});
}

static int32_t divide(formula_dag *dag, int32_t a, int32_t b)
{
    if (is_value(dag, b, 1.0)) return a;
    if (is_value(dag, a, 0.0) && !is_value(dag, b, 0.0)) return a;
    if (is_negated(dag, a))
        return negate(dag, formula_binary(dag, FORMULA_DIV, dag->nodes[a].a, b));
    if (is_negated(dag, b))
        return negate(dag, formula_binary(dag, FORMULA_DIV, a, dag->nodes[b].a));
    return intern(dag, (formula_node){FORMULA_DIV, a, b, -1, 0.0});
}

int32_t formula_binary(formula_dag *dag, formula_op op, int32_t a, int32_t b)
{
    bool done;
    if (a < 0 || b < 0) return -1;
    const int32_t folded = fold(dag, op, a, b, &done);
    if (done) return folded;
    switch (op) {
    case FORMULA_ADD: return add(dag, a, b);
    case FORMULA_SUB: return subtract(dag, a, b);
    case FORMULA_MUL: return multiply(dag, a, b);
    case FORMULA_DIV: return divide(dag, a, b);
    case FORMULA_MIN:
    case FORMULA_MAX:
        if (a == b) return a;
        break;
    default: break;
    }
    return intern(dag, (formula_node){op, a, b, -1, 0.0});
}

int32_t formula_select(formula_dag *dag, int32_t condition, int32_t yes, int32_t no)
{
    if (condition < 0 || yes < 0 || no < 0) return -1;
    if (yes == no) return yes;
    if (is_number(dag, condition)) return dag->nodes[condition].value != 0.0 ? yes : no;
    return intern(dag, (formula_node){FORMULA_SELECT, condition, yes, no, 0.0});
}

int32_t formula_power(formula_dag *dag, int32_t a, int32_t b)
{
    bool done;
    if (a < 0 || b < 0) return -1;
    const int32_t folded = fold(dag, FORMULA_POW, a, b, &done);
    if (done) return folded;
    const double e = dag->nodes[b].value;
    if (!is_number(dag, b) || fabs(e) > MAX_POWER) return formula_binary(dag, FORMULA_POW, a, b);
    if (e == 0.0) return formula_number(dag, 1.0);
    if (e == 1.0) return a;
    if (e == -1.0) return formula_binary(dag, FORMULA_DIV, formula_number(dag, 1.0), a);
    if (e == 0.5) return formula_unary(dag, FORMULA_SQRT, a);
    if (e != floor(e)) return formula_binary(dag, FORMULA_POW, a, b);
    return intern(dag, (formula_node){FORMULA_INTPOW, a, -1, -1, e});
}
