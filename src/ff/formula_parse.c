/* SPDX-License-Identifier: BSD-3-Clause
 * The language of formulas: numbers, names, + - * / ^, parentheses and functions.
 *
 *   sum     = product { (+ | -) product }
 *   product = signed { (* | /) signed }
 *   signed  = { - | + } power
 *   power   = atom [ (^ | **) signed ]          so that -x^2 = -(x^2) and 2^-3 = 1/8
 *   atom    = number | name | name ( sum { , sum } ) | ( sum )
 */
#include "ff/formula_parse.h"

#include "constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 100 };

/* CODATA 2018, eV angstrom / e^2. */

static const char *const pair_names[FORMULA_IN_COLUMNS] = {"r",  "R0", "E0", "Q",  "H",  "Ri", "Rj",
                                                           "Ei", "Ej", "Qi", "Qj", "Hi", "Hj"};

typedef struct function_entry {
    const char *name;
    formula_op op;
    int n_arguments;
} function_entry;

static const function_entry functions[] = {
    {"exp", FORMULA_EXP, 1},   {"log", FORMULA_LOG, 1},   {"sqrt", FORMULA_SQRT, 1},
    {"abs", FORMULA_ABS, 1},   {"sin", FORMULA_SIN, 1},   {"cos", FORMULA_COS, 1},
    {"sinh", FORMULA_SINH, 1}, {"cosh", FORMULA_COSH, 1}, {"tanh", FORMULA_TANH, 1},
    {"erf", FORMULA_ERF, 1},   {"min", FORMULA_MIN, 2},   {"max", FORMULA_MAX, 2},
    {"pow", FORMULA_POW, 2}};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };
#define FUNCTION_LIST "exp log sqrt abs sin cos sinh cosh tanh erf min max pow"

typedef struct parser {
    const char *text, *at;
    formula_dag *dag;
    formula_names *names;
    int depth;
    shoal_status status; /* of the first failure; nodes are -1 from then on */
} parser;

const char *formula_pair_name(int32_t input)
{
    return pair_names[input];
}

const char *formula_function_name(formula_op op)
{
    for (int k = 0; k < N_FUNCTIONS; ++k)
        if (functions[k].op == op) return functions[k].name;
    return NULL;
}

/* Words that mean something in formulas. */
static bool is_taken(const char *word)
{
    for (int32_t k = 0; k < FORMULA_IN_COLUMNS; ++k)
        if (strcmp(word, pair_names[k]) == 0) return true;
    for (int k = 0; k < N_FUNCTIONS; ++k)
        if (strcmp(word, functions[k].name) == 0) return true;
    return strcmp(word, "kC") == 0 || strcmp(word, "pi") == 0;
}

static bool is_name(shoal_span name)
{
    for (size_t k = 0; k < name.size; ++k)
        if (!shoal_is_letter(name.text[k]) && name.text[k] != '_' &&
            (k == 0 || !shoal_is_digit(name.text[k])))
            return false;
    return name.size > 0 && name.size < FORMULA_NAME_SIZE;
}

shoal_status formula_columns_add(formula_columns *columns, shoal_span name)
{
    char quoted[SHOAL_QUOTE_SIZE], own[2][FORMULA_NAME_SIZE + 1];
    shoal_text_quote(quoted, name);
    if (!is_name(name))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "column '%s': expected a name of at most %d letters, digits and _",
                          quoted, FORMULA_NAME_SIZE - 1);
    (void)snprintf(own[0], sizeof own[0], "%.*si", (int)name.size, name.text);
    (void)snprintf(own[1], sizeof own[1], "%.*sj", (int)name.size, name.text);
    /* L is a component of sites in lists of parameters. */
    if (is_taken(own[0]) || is_taken(own[1]) || shoal_span_equal(name, "L"))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "column '%s': %s has a meaning of its own, expected another name", quoted,
                          shoal_span_equal(name, "L") ? "it"
                          : is_taken(own[0])          ? own[0]
                                                      : own[1]);
    for (int32_t k = 0; k < columns->n; ++k)
        if (shoal_span_equal(name, columns->names[k]))
            return shoal_fail(SHOAL_E_ARGUMENT, "column '%s': expected every name once", quoted);
    if (columns->n == FORMULA_N_COLUMNS)
        return shoal_fail(SHOAL_E_ARGUMENT, "column '%s': expected at most %d columns", quoted,
                          (int)FORMULA_N_COLUMNS);
    (void)snprintf(columns->names[columns->n++], FORMULA_NAME_SIZE, "%.*s", (int)name.size,
                   name.text);
    return SHOAL_OK;
}

void formula_names_take(formula_names *names, const formula_columns *columns)
{
    names->columns = *columns;
    for (int32_t k = 0; k < 2 * columns->n; ++k)
        (void)snprintf(names->of_columns[k], sizeof names->of_columns[k], "%s%c",
                       columns->names[k / 2], "ij"[k % 2]);
}

static void skip_blanks(parser *p)
{
    while (shoal_is_blank(*p->at)) ++p->at;
}

static int column(const parser *p, const char *at)
{
    return (int)(at - p->text) + 1;
}

/* Always -1. */
static int32_t fail_at(parser *p, const char *at, const char *expected)
{
    char found[SHOAL_QUOTE_SIZE];
    if (p->status != SHOAL_OK) return -1;
    size_t n = 1;
    while (n < 24 && at[n - 1] && (shoal_is_letter(*at) || shoal_is_digit(*at)) &&
           (shoal_is_letter(at[n]) || shoal_is_digit(at[n]) || at[n] == '_' || at[n] == '.'))
        ++n;
    shoal_text_quote(found, (shoal_span){at, *at ? n : 0});
    if (*at)
        p->status = shoal_fail(SHOAL_E_ARGUMENT, "formula, column %d: expected %s, found '%s'",
                               column(p, at), expected, found);
    else
        p->status = shoal_fail(SHOAL_E_ARGUMENT,
                               "formula, column %d: expected %s, found the end of the formula",
                               column(p, at), expected);
    return -1;
}

static int32_t parse_sum(parser *p);
static int32_t parse_signed(parser *p);

/* Takes a character if it is next. */
static bool take(parser *p, char c)
{
    skip_blanks(p);
    if (*p->at != c) return false;
    ++p->at;
    return true;
}

/* The ')' that belongs to a '('. */
static bool close_parenthesis(parser *p, const char *open)
{
    char expected[64];
    if (take(p, ')')) return true;
    (void)snprintf(expected, sizeof expected, "an operator or the ')' for column %d",
                   column(p, open));
    (void)fail_at(p, p->at, expected);
    return false;
}

static int32_t parse_number(parser *p)
{
    const char *start = p->at, *q = start;
    double value;
    while (shoal_is_digit(*q) || *q == '.') ++q;
    if ((*q == 'e' || *q == 'E') &&
        (shoal_is_digit(q[1]) || ((q[1] == '+' || q[1] == '-') && shoal_is_digit(q[2])))) {
        q += 2;
        while (shoal_is_digit(*q)) ++q;
    }
    if (shoal_is_letter(*q) || *q == '_' ||
        !shoal_text_double((shoal_span){start, (size_t)(q - start)}, &value))
        return fail_at(p, start, "a number such as 2 or 1.5e-3");
    p->at = q;
    return formula_number(p->dag, value);
}

static int32_t name_node(parser *p, shoal_span name)
{
    formula_names *names = p->names;
    if (shoal_span_equal(name, "kC")) return formula_number(p->dag, COULOMB_CONSTANT);
    if (shoal_span_equal(name, "pi")) return formula_number(p->dag, PI);
    for (int32_t k = 0; k < FORMULA_IN_COLUMNS; ++k)
        if (shoal_span_equal(name, pair_names[k])) return formula_input_node(p->dag, k);
    for (int32_t k = 0; k < 2 * names->columns.n; ++k)
        if (shoal_span_equal(name, names->of_columns[k]))
            return formula_input_node(p->dag, FORMULA_IN_COLUMNS + k);
    for (int32_t k = 0; k < names->columns.n; ++k)
        if (shoal_span_equal(name, names->columns.names[k]))
            return fail_at(p, name.text, "i or j behind the name of a column");
    for (int32_t k = 0; k < names->n_named; ++k)
        if (shoal_span_equal(name, names->named[k]))
            return formula_input_node(p->dag, FORMULA_N_PAIR + k);
    if (name.size >= FORMULA_NAME_SIZE)
        return fail_at(p, name.text, "a name of at most 31 characters");
    if (names->n_named == FORMULA_N_NAMED)
        return fail_at(p, name.text, "at most 16 constants with names");
    (void)snprintf(names->named[names->n_named], FORMULA_NAME_SIZE, "%.*s", (int)name.size,
                   name.text);
    return formula_input_node(p->dag, FORMULA_N_PAIR + names->n_named++);
}

static int32_t apply_function(parser *p, const function_entry *f, int32_t a, int32_t b)
{
    if (f->op == FORMULA_POW) return formula_power(p->dag, a, b);
    return f->n_arguments == 1 ? formula_unary(p->dag, f->op, a)
                               : formula_binary(p->dag, f->op, a, b);
}

/* The arguments of a function whose '(' is next. */
static int32_t parse_call(parser *p, shoal_span name)
{
    const function_entry *f = NULL;
    int32_t arguments[2] = {-1, -1};
    for (int k = 0; k < N_FUNCTIONS; ++k)
        if (shoal_span_equal(name, functions[k].name)) f = &functions[k];
    if (!f) return fail_at(p, name.text, "an operator after a name, or one of " FUNCTION_LIST);
    const char *open = p->at++;
    for (int k = 0; k < f->n_arguments; ++k) {
        if (k > 0 && !take(p, ',')) return fail_at(p, p->at, "',' and a second argument");
        arguments[k] = parse_sum(p);
    }
    if (p->status != SHOAL_OK || !close_parenthesis(p, open)) return -1;
    return apply_function(p, f, arguments[0], arguments[1]);
}

static int32_t parse_name(parser *p)
{
    const char *start = p->at;
    while (shoal_is_letter(*p->at) || shoal_is_digit(*p->at) || *p->at == '_') ++p->at;
    const shoal_span name = {start, (size_t)(p->at - start)};
    skip_blanks(p);
    if (*p->at == '(') return parse_call(p, name);
    for (int k = 0; k < N_FUNCTIONS; ++k)
        if (shoal_span_equal(name, functions[k].name))
            return fail_at(p, p->at, "'(' after a function");
    return name_node(p, name);
}

static int32_t parse_atom(parser *p)
{
    skip_blanks(p);
    const char *start = p->at;
    if (shoal_is_digit(*start) || *start == '.') return parse_number(p);
    if (shoal_is_letter(*start) || *start == '_') return parse_name(p);
    if (*start != '(') return fail_at(p, start, "a number, a name or '('");
    ++p->at;
    const int32_t inside = parse_sum(p);
    if (p->status != SHOAL_OK || !close_parenthesis(p, start)) return -1;
    return inside;
}

static int32_t parse_power(parser *p)
{
    const int32_t base = parse_atom(p);
    skip_blanks(p);
    if (p->status != SHOAL_OK) return -1;
    if (p->at[0] == '*' && p->at[1] == '*')
        p->at += 2;
    else if (!take(p, '^'))
        return base;
    return formula_power(p->dag, base, parse_signed(p));
}

/* Every recursion passes here, which bounds the depth. */
static int32_t parse_signed(parser *p)
{
    skip_blanks(p);
    if (p->status != SHOAL_OK) return -1;
    if (p->depth == MAX_DEPTH) return fail_at(p, p->at, "a formula that is nested less deeply");
    ++p->depth;
    int32_t node;
    if (take(p, '-'))
        node = formula_unary(p->dag, FORMULA_NEG, parse_signed(p));
    else if (take(p, '+'))
        node = parse_signed(p);
    else
        node = parse_power(p);
    --p->depth;
    return p->status == SHOAL_OK ? node : -1;
}

static int32_t parse_product(parser *p)
{
    int32_t left = parse_signed(p);
    while (p->status == SHOAL_OK) {
        if (take(p, '*'))
            left = formula_binary(p->dag, FORMULA_MUL, left, parse_signed(p));
        else if (take(p, '/'))
            left = formula_binary(p->dag, FORMULA_DIV, left, parse_signed(p));
        else
            return left;
    }
    return -1;
}

static int32_t parse_sum(parser *p)
{
    int32_t left = parse_product(p);
    while (p->status == SHOAL_OK) {
        if (take(p, '+'))
            left = formula_binary(p->dag, FORMULA_ADD, left, parse_product(p));
        else if (take(p, '-'))
            left = formula_binary(p->dag, FORMULA_SUB, left, parse_product(p));
        else
            return left;
    }
    return -1;
}

shoal_status formula_parse(const char *text, formula_dag *dag, formula_names *names, int32_t *root)
{
    parser p = {.text = text, .at = text, .dag = dag, .names = names};
    *root = parse_sum(&p);
    skip_blanks(&p);
    if (p.status == SHOAL_OK && *p.at != '\0')
        (void)fail_at(&p, p.at, "an operator or the end of the formula");
    if (p.status != SHOAL_OK) return p.status;
    return dag->status;
}
