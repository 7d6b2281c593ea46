/* SPDX-License-Identifier: BSD-3-Clause
 * Derivatives of a formula by reverse accumulation, and its rebuilding for evaluation. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ff/formula_dag.h"

#include "constants.h"

/* The slope of erf at 0. */
static const double erf_slope = TWO_BY_SQRT_PI;

/* One differentiation: slope[i] is that of the root by node i, -1 while there is none. */
typedef struct backward {
    formula_dag *dag;
    int32_t *slope;
    bool *active; /* depends on an input that is wanted */
    bool failed;
} backward;

static int32_t mul(backward *w, int32_t a, int32_t b)
{
    return formula_binary(w->dag, FORMULA_MUL, a, b);
}

static int32_t number(backward *w, double value)
{
    return formula_number(w->dag, value);
}

static void give(backward *w, int32_t to, int32_t share)
{
    if (share < 0) w->failed = true;
    if (to < 0 || !w->active[to] || w->failed) return;
    w->slope[to] =
        w->slope[to] < 0 ? share : formula_binary(w->dag, FORMULA_ADD, w->slope[to], share);
    if (w->slope[to] < 0) w->failed = true;
}

/* Slopes of functions of one operand; g is the slope by the node itself. */
static int32_t unary_share(backward *w, formula_node x, int32_t self, int32_t g)
{
    formula_dag *dag = w->dag;
    switch (x.op) {
    case FORMULA_NEG: return formula_unary(dag, FORMULA_NEG, g);
    case FORMULA_EXP: return mul(w, g, self);
    case FORMULA_LOG: return formula_binary(dag, FORMULA_DIV, g, x.a);
    case FORMULA_SQRT: return formula_binary(dag, FORMULA_DIV, mul(w, number(w, 0.5), g), self);
    case FORMULA_SIN: return mul(w, g, formula_unary(dag, FORMULA_COS, x.a));
    case FORMULA_COS:
        return formula_unary(dag, FORMULA_NEG, mul(w, g, formula_unary(dag, FORMULA_SIN, x.a)));
    case FORMULA_SINH: return mul(w, g, formula_unary(dag, FORMULA_COSH, x.a));
    case FORMULA_COSH: return mul(w, g, formula_unary(dag, FORMULA_SINH, x.a));
    case FORMULA_TANH:
        return mul(w, g, formula_binary(dag, FORMULA_SUB, number(w, 1.0), mul(w, self, self)));
    case FORMULA_ERF:
        return mul(
            w, mul(w, number(w, erf_slope), g),
            formula_unary(dag, FORMULA_EXP, formula_unary(dag, FORMULA_NEG, mul(w, x.a, x.a))));
    case FORMULA_ABS:
        return formula_select(dag, formula_binary(dag, FORMULA_LESS, x.a, number(w, 0.0)),
                              formula_unary(dag, FORMULA_NEG, g), g);
    case FORMULA_INTPOW:
        return mul(w, mul(w, number(w, x.value), g),
                   formula_power(dag, x.a, number(w, x.value - 1.0)));
    default: return -1;
    }
}

static void give_power(backward *w, formula_node x, int32_t self, int32_t g)
{
    formula_dag *dag = w->dag;
    if (w->active[x.a]) {
        const int32_t less = formula_binary(dag, FORMULA_SUB, x.b, number(w, 1.0));
        give(w, x.a, mul(w, g, mul(w, x.b, formula_power(dag, x.a, less))));
    }
    if (w->active[x.b]) give(w, x.b, mul(w, g, mul(w, self, formula_unary(dag, FORMULA_LOG, x.a))));
}

/* Hands the slope g of a node on to its operands. */
static void give_operands(backward *w, int32_t self, int32_t g)
{
    formula_dag *dag = w->dag;
    const formula_node x = dag->nodes[self]; /* a copy: the graph grows */
    const int32_t zero = number(w, 0.0);
    switch (x.op) {
    case FORMULA_NUMBER:
    case FORMULA_INPUT:
    case FORMULA_LESS: return;
    case FORMULA_ADD:
        give(w, x.a, g);
        give(w, x.b, g);
        return;
    case FORMULA_SUB:
        give(w, x.a, g);
        if (w->active[x.b]) give(w, x.b, formula_unary(dag, FORMULA_NEG, g));
        return;
    case FORMULA_MUL:
        if (w->active[x.a]) give(w, x.a, mul(w, g, x.b));
        if (w->active[x.b]) give(w, x.b, mul(w, g, x.a));
        return;
    case FORMULA_DIV: {
        const int32_t share = formula_binary(dag, FORMULA_DIV, g, x.b);
        give(w, x.a, share);
        if (w->active[x.b]) give(w, x.b, formula_unary(dag, FORMULA_NEG, mul(w, share, self)));
        return;
    }
    case FORMULA_POW: give_power(w, x, self, g); return;
    case FORMULA_MIN:
    case FORMULA_MAX: {
        const bool is_min = x.op == FORMULA_MIN;
        const int32_t second =
            formula_binary(dag, FORMULA_LESS, is_min ? x.b : x.a, is_min ? x.a : x.b);
        give(w, x.a, formula_select(dag, second, zero, g));
        give(w, x.b, formula_select(dag, second, g, zero));
        return;
    }
    case FORMULA_SELECT:
        give(w, x.b, formula_select(dag, x.a, g, zero));
        give(w, x.c, formula_select(dag, x.a, zero, g));
        return;
    default: give(w, x.a, unary_share(w, x, self, g)); return;
    }
}

static void find_active(const formula_dag *dag, int32_t root, const bool *wanted, bool *active)
{
    for (int32_t i = 0; i <= root; ++i) {
        const formula_node *x = &dag->nodes[i];
        const int arity = formula_arity(x->op);
        active[i] = (x->op == FORMULA_INPUT && wanted[x->a]) || (arity > 0 && active[x->a]) ||
                    (arity > 1 && active[x->b]) || (arity > 2 && active[x->c]);
    }
}

shoal_status formula_differentiate(formula_dag *dag, int32_t root, int32_t n_inputs,
                                   const bool *wanted, int32_t *slopes)
{
    const size_t n = (size_t)root + 1;
    backward w = {.dag = dag};
    for (int32_t k = 0; k < n_inputs; ++k) slopes[k] = -1;
    w.slope = shoal_alloc(n, sizeof *w.slope);
    w.active = shoal_alloc(n, sizeof *w.active);
    w.failed = !w.slope || !w.active;
    if (!w.failed) {
        for (size_t i = 0; i < n; ++i) w.slope[i] = -1;
        find_active(dag, root, wanted, w.active);
        give(&w, root, number(&w, 1.0));
    }
    for (int32_t i = root; i >= 0 && !w.failed; --i)
        if (w.slope[i] >= 0) give_operands(&w, i, w.slope[i]);
    for (int32_t i = 0; i <= root && !w.failed; ++i)
        if (dag->nodes[i].op == FORMULA_INPUT && wanted[dag->nodes[i].a])
            slopes[dag->nodes[i].a] = w.slope[i] >= 0 ? w.slope[i] : number(&w, 0.0);
    free(w.slope);
    free(w.active);
    return w.failed && dag->status == SHOAL_OK ? SHOAL_E_MEMORY : dag->status;
}

void formula_reach(const formula_dag *dag, const int32_t *roots, int32_t n, bool *needed)
{
    for (int32_t i = 0; i < dag->n; ++i) needed[i] = false;
    for (int32_t k = 0; k < n; ++k)
        if (roots[k] >= 0) needed[roots[k]] = true;
    for (int32_t i = dag->n - 1; i >= 0; --i) {
        const formula_node *x = &dag->nodes[i];
        const int arity = formula_arity(x->op);
        if (!needed[i]) continue;
        if (arity > 0) needed[x->a] = true;
        if (arity > 1) needed[x->b] = true;
        if (arity > 2) needed[x->c] = true;
    }
}

/* x^n by squaring, so that x^6 and x^12 share their squares. */
static int32_t expand_power(formula_dag *out, int32_t x, double exponent)
{
    int32_t product = -1, square = x;
    for (int32_t e = (int32_t)fabs(exponent); e > 0; e /= 2) {
        if (e % 2 != 0)
            product = product < 0 ? square : formula_binary(out, FORMULA_MUL, product, square);
        if (e > 1) square = formula_binary(out, FORMULA_MUL, square, square);
    }
    return exponent > 0 ? product
                        : formula_binary(out, FORMULA_DIV, formula_number(out, 1.0), product);
}

/* A node as *factor times what is returned, the numbers and signs of its product in the factor. */
static int32_t split_factor(formula_dag *out, int32_t i, double *factor)
{
    if (i < 0) return -1;
    const formula_node x = out->nodes[i];
    if (x.op == FORMULA_NEG) {
        *factor = -*factor;
        return split_factor(out, x.a, factor);
    }
    if (x.op != FORMULA_MUL) return i;
    if (out->nodes[x.a].op == FORMULA_NUMBER) {
        *factor *= out->nodes[x.a].value;
        return split_factor(out, x.b, factor);
    }
    const int32_t a = split_factor(out, x.a, factor), b = split_factor(out, x.b, factor);
    return formula_binary(out, FORMULA_MUL, a, b);
}

/* e^(nx) as a power of e^x or e^-x, which Morse's and Buckingham's forms have several of. */
static int32_t expand_exp(formula_dag *out, int32_t x)
{
    enum { MOST = 8 };
    double factor = 1.0;
    const int32_t rest = split_factor(out, x, &factor);
    const double n = fabs(factor);
    if (!(n >= 1.0 && n <= MOST && n == floor(n))) return formula_unary(out, FORMULA_EXP, x);
    const int32_t signed_rest = factor < 0.0 ? formula_unary(out, FORMULA_NEG, rest) : rest;
    return expand_power(out, formula_unary(out, FORMULA_EXP, signed_rest), n);
}

/* n_below: how often a node divides. */
static int32_t rebuild(formula_dag *out, const formula_node *x, const int32_t *map,
                       const int32_t *n_below)
{
    switch (x->op) {
    case FORMULA_NUMBER: return formula_number(out, x->value);
    case FORMULA_INPUT: return formula_input_node(out, x->a);
    case FORMULA_INTPOW: return expand_power(out, map[x->a], x->value);
    case FORMULA_EXP: return expand_exp(out, map[x->a]);
    case FORMULA_SELECT: return formula_select(out, map[x->a], map[x->b], map[x->c]);
    case FORMULA_DIV:
        if (n_below[x->b] < 2) break;
        return formula_binary(
            out, FORMULA_MUL, map[x->a],
            formula_binary(out, FORMULA_DIV, formula_number(out, 1.0), map[x->b]));
    default: break;
    }
    if (formula_arity(x->op) == 1) return formula_unary(out, x->op, map[x->a]);
    return formula_binary(out, x->op, map[x->a], map[x->b]);
}

shoal_status formula_lower(const formula_dag *dag, formula_dag *out, int32_t *roots, int32_t n)
{
    int32_t *map = shoal_alloc((size_t)dag->n, sizeof *map);
    int32_t *n_below = shoal_alloc((size_t)dag->n, sizeof *n_below);
    bool *needed = shoal_alloc((size_t)dag->n, sizeof *needed);
    shoal_status status = map && n_below && needed ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) formula_reach(dag, roots, n, needed);
    for (int32_t i = 0; i < dag->n && status == SHOAL_OK; ++i)
        if (needed[i] && dag->nodes[i].op == FORMULA_DIV) ++n_below[dag->nodes[i].b];
    for (int32_t i = 0; i < dag->n && status == SHOAL_OK; ++i) {
        map[i] = needed[i] ? rebuild(out, &dag->nodes[i], map, n_below) : -1;
        if (needed[i] && map[i] < 0) status = out->status;
    }
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k)
        if (roots[k] >= 0) roots[k] = map[roots[k]];
    free(map);
    free(n_below);
    free(needed);
    return status;
}
