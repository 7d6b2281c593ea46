/* SPDX-License-Identifier: BSD-3-Clause
 * A formula as text: for people, and as OpenCL C. */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "ff/formula_inner.h"

enum { LONGEST = 4096 };

/* Strength of the operator of a node: 1 sum, 2 product, 3 sign, 4 power, 5 whole. */
static int strength(const formula_node *x)
{
    switch (x->op) {
    case FORMULA_ADD:
    case FORMULA_SUB: return 1;
    case FORMULA_MUL:
    case FORMULA_DIV: return 2;
    case FORMULA_NEG: return 3;
    case FORMULA_NUMBER: return x->value < 0.0 ? 3 : 5;
    case FORMULA_INTPOW:
    case FORMULA_POW: return 4;
    default: return 5;
    }
}

static shoal_status put(shoal_string *out, const char *text)
{
    return shoal_string_append(out, shoal_span_of(text));
}

static shoal_status put_number(shoal_string *out, double value)
{
    char text[SHOAL_NUMBER_SIZE];
    (void)shoal_text_print(text, value);
    return put(out, text);
}

static shoal_status print_node(const formula *f, int32_t i, int least, shoal_string *out);

static shoal_status print_infix(const formula *f, const formula_node *x, const char *sign,
                                shoal_string *out)
{
    const int own = strength(x);
    /* The right side of - and / needs more, or a - (b - c) would lose its parentheses. */
    const bool strict = x->op == FORMULA_SUB || x->op == FORMULA_DIV;
    SHOAL_TRY(print_node(f, x->a, own, out));
    SHOAL_TRY(put(out, sign));
    return print_node(f, x->b, strict ? own + 1 : own, out);
}

static shoal_status print_call(const formula *f, const formula_node *x, shoal_string *out)
{
    const char *name = formula_function_name(x->op);
    const int32_t operands[] = {x->a, x->b, x->c};
    SHOAL_TRY(put(out, name ? name : x->op == FORMULA_LESS ? "less" : "select"));
    for (int k = 0; k < formula_arity(x->op); ++k) {
        SHOAL_TRY(put(out, k == 0 ? "(" : ", "));
        SHOAL_TRY(print_node(f, operands[k], 0, out));
    }
    return put(out, ")");
}

static shoal_status print_inside(const formula *f, const formula_node *x, shoal_string *out)
{
    switch (x->op) {
    case FORMULA_NUMBER: return put_number(out, x->value);
    case FORMULA_INPUT: return put(out, formula_input_name(f, x->a));
    case FORMULA_ADD: return print_infix(f, x, " + ", out);
    case FORMULA_SUB: return print_infix(f, x, " - ", out);
    case FORMULA_MUL: return print_infix(f, x, "*", out);
    case FORMULA_DIV: return print_infix(f, x, "/", out);
    case FORMULA_NEG: SHOAL_TRY(put(out, "-")); return print_node(f, x->a, 3, out);
    case FORMULA_INTPOW:
        SHOAL_TRY(print_node(f, x->a, 5, out));
        SHOAL_TRY(put(out, "^"));
        return put_number(out, x->value);
    default: return print_call(f, x, out);
    }
}

/* A node, in parentheses if its operator is weaker than what is around it. */
static shoal_status print_node(const formula *f, int32_t i, int least, shoal_string *out)
{
    const formula_node *x = &f->dag.nodes[i];
    const bool parentheses = strength(x) < least;
    if (out->size >= LONGEST) return SHOAL_OK; /* a graph can be very long as a text */
    if (parentheses) SHOAL_TRY(put(out, "("));
    SHOAL_TRY(print_inside(f, x, out));
    return parentheses ? put(out, ")") : SHOAL_OK;
}

shoal_status formula_print(const formula *f, int32_t input, shoal_string *out)
{
    const int32_t root = f->roots[input < 0 ? 0 : 1 + input];
    *out = (shoal_string){0};
    if (root < 0) return put(out, "0");
    SHOAL_TRY(print_node(f, root, 0, out));
    return out->size >= LONGEST ? put(out, " ...") : SHOAL_OK;
}

/* A literal for the macro R(), which may append an f. */
shoal_status formula_emit_number(shoal_string *out, double value)
{
    char text[SHOAL_NUMBER_SIZE];
    (void)shoal_text_print(text, value);
    SHOAL_TRY(put(out, value < 0.0 ? "(R(" : "R("));
    SHOAL_TRY(put(out, text));
    if (!strpbrk(text, ".eE")) SHOAL_TRY(put(out, ".0"));
    return put(out, value < 0.0 ? "))" : ")");
}

/* What an input is called on a device, where the words of the user may mean something else. */
static void name_input(int32_t input, char name[FORMULA_NAME_SIZE])
{
    const int32_t column = input - FORMULA_IN_COLUMNS;
    if (input >= FORMULA_N_PAIR)
        (void)snprintf(name, FORMULA_NAME_SIZE, "named_%d", (int)(input - FORMULA_N_PAIR));
    else if (column >= 0)
        (void)snprintf(name, FORMULA_NAME_SIZE, "column_%d_%c", (int)(column / 2),
                       "ij"[column % 2]);
    else
        (void)snprintf(name, FORMULA_NAME_SIZE, "%s", formula_pair_name(input));
}

static shoal_status emit_operand(const formula *f, int32_t i, shoal_string *out)
{
    const formula_node *x = &f->lowered.nodes[i];
    char name[FORMULA_NAME_SIZE];
    if (x->op == FORMULA_NUMBER) return formula_emit_number(out, x->value);
    if (x->op == FORMULA_INPUT)
        name_input(x->a, name);
    else
        (void)snprintf(name, sizeof name, "t%d", (int)i);
    return put(out, name);
}

/* Text around the operands of an operation: before, between and after them. */
typedef struct pattern {
    const char *before, *between, *second, *after;
} pattern;

static pattern pattern_of(formula_op op)
{
    switch (op) {
    case FORMULA_ADD: return (pattern){"", " + ", "", ""};
    case FORMULA_SUB: return (pattern){"", " - ", "", ""};
    case FORMULA_MUL: return (pattern){"", " * ", "", ""};
    case FORMULA_DIV: return (pattern){"", " / ", "", ""};
    case FORMULA_NEG: return (pattern){"-", "", "", ""};
    case FORMULA_POW: return (pattern){"pow(", ", ", "", ")"};
    case FORMULA_EXP: return (pattern){"exp(", "", "", ")"};
    case FORMULA_LOG: return (pattern){"log(", "", "", ")"};
    case FORMULA_SQRT: return (pattern){"sqrt(", "", "", ")"};
    case FORMULA_ABS: return (pattern){"fabs(", "", "", ")"};
    case FORMULA_SIN: return (pattern){"sin(", "", "", ")"};
    case FORMULA_COS: return (pattern){"cos(", "", "", ")"};
    case FORMULA_SINH: return (pattern){"sinh(", "", "", ")"};
    case FORMULA_COSH: return (pattern){"cosh(", "", "", ")"};
    case FORMULA_TANH: return (pattern){"tanh(", "", "", ")"};
    case FORMULA_ERF: return (pattern){"erf(", "", "", ")"};
    case FORMULA_MIN: return (pattern){"real_min(", ", ", "", ")"};
    case FORMULA_MAX: return (pattern){"real_max(", ", ", "", ")"};
    case FORMULA_LESS: return (pattern){"(real)(", " < ", "", ")"};
    default: return (pattern){"", " != R(0.0) ? ", " : ", ""};
    }
}

static shoal_status emit_node(const formula *f, int32_t i, shoal_string *out)
{
    const formula_node *x = &f->lowered.nodes[i];
    const int arity = formula_arity(x->op);
    const pattern p = pattern_of(x->op);
    char head[48];
    if (arity == 0) return SHOAL_OK;
    (void)snprintf(head, sizeof head, " \\\n    const real t%d = %s", (int)i, p.before);
    SHOAL_TRY(put(out, head));
    SHOAL_TRY(emit_operand(f, x->a, out));
    if (arity > 1) SHOAL_TRY(put(out, p.between));
    if (arity > 1) SHOAL_TRY(emit_operand(f, x->b, out));
    if (arity > 2) SHOAL_TRY(put(out, p.second));
    if (arity > 2) SHOAL_TRY(emit_operand(f, x->c, out));
    SHOAL_TRY(put(out, p.after));
    return put(out, ";");
}

static shoal_status emit_result(const formula *f, int32_t k, shoal_string *out)
{
    char head[96], name[FORMULA_NAME_SIZE] = "energy";
    const int32_t root = f->lowered_roots[k];
    if (k > 0) name_input(k - 1, name);
    (void)snprintf(head, sizeof head, " \\\n    const real %s%s = ", k > 0 ? "slope_" : "", name);
    SHOAL_TRY(put(out, head));
    SHOAL_TRY(root < 0 ? formula_emit_number(out, 0.0) : emit_operand(f, root, out));
    return put(out, ";");
}

/* A macro that declares the energy and the first n_slopes slopes. */
static shoal_status emit_macro(const formula *f, const char *name, int32_t n_slopes,
                               shoal_string *out)
{
    bool *needed = shoal_alloc((size_t)f->lowered.n, sizeof *needed);
    if (!needed) return SHOAL_E_MEMORY;
    formula_reach(&f->lowered, f->lowered_roots, 1 + n_slopes, needed);
    shoal_status status = put(out, "#define ");
    if (status == SHOAL_OK) status = put(out, name);
    for (int32_t i = 0; i < f->lowered.n && status == SHOAL_OK; ++i)
        if (needed[i]) status = emit_node(f, i, out);
    free(needed);
    for (int32_t k = 0; k <= n_slopes && status == SHOAL_OK; ++k) status = emit_result(f, k, out);
    return status == SHOAL_OK ? put(out, "\n") : status;
}

shoal_status formula_emit(const formula *f, shoal_string *out)
{
    *out = (shoal_string){0};
    return emit_macro(f, "FIT_FORMULA", formula_n_inputs(f), out);
}

shoal_status formula_emit_force(const formula *f, const double *named, shoal_string *out)
{
    char head[48];
    for (int32_t k = 0; k < formula_n_inputs(f) - FORMULA_N_PAIR; ++k) {
        (void)snprintf(head, sizeof head, "#define named_%d ", (int)k);
        SHOAL_TRY(put(out, head));
        SHOAL_TRY(formula_emit_number(out, named[k]));
        SHOAL_TRY(put(out, "\n"));
    }
    return emit_macro(f, "MODEL_FORMULA", 1 + FORMULA_IN_R, out);
}
