/* SPDX-License-Identifier: BSD-3-Clause
 * Instructions on registers: registers are used again once their last reader is done. */
#include "ff/formula_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/wide.h"

#define SHOAL_REAL double
#include "special_terms.h"

enum { MOST_ROOTS = 64 };
_Static_assert(1 + FORMULA_N_INPUTS <= (int)MOST_ROOTS, "a bit for every root");

/* The making of a program. */
typedef struct builder {
    const formula_dag *dag;
    formula_program *out;
    bool *needed;
    bool *varies;       /* depends on the pair */
    int32_t *place;     /* register or input of a node */
    int32_t *last_user; /* number of the last node that reads it; dag->n: the caller does */
    int32_t *unused;    /* registers to be used again */
    int32_t n_unused;
    uint64_t *serves; /* roots that a node is part of, as in steps */
} builder;

static bool is_pair_input(const formula_node *x)
{
    return x->op == FORMULA_INPUT && x->a < FORMULA_N_PAIR;
}

static void survey(builder *b, const int32_t *roots, int32_t n_roots)
{
    const formula_dag *dag = b->dag;
    formula_reach(dag, roots, n_roots, b->needed);
    for (int32_t i = 0; i < dag->n; ++i) {
        const formula_node *x = &dag->nodes[i];
        const int32_t operands[] = {x->a, x->b, x->c};
        b->varies[i] = is_pair_input(x);
        for (int k = 0; k < formula_arity(x->op); ++k) {
            if (b->varies[operands[k]]) b->varies[i] = true;
            if (b->needed[i]) b->last_user[operands[k]] = i;
        }
    }
    for (int32_t k = 0; k < n_roots; ++k) {
        if (roots[k] < 0) continue;
        b->last_user[roots[k]] = dag->n;
        b->serves[roots[k]] |= UINT64_C(1) << k;
    }
    for (int32_t i = dag->n - 1; i >= 0; --i) {
        const formula_node *x = &dag->nodes[i];
        const int32_t operands[] = {x->a, x->b, x->c};
        for (int k = 0; k < formula_arity(x->op); ++k) b->serves[operands[k]] |= b->serves[i];
    }
}

static int32_t take_register(builder *b)
{
    return b->n_unused > 0 ? b->unused[--b->n_unused] : b->out->n_registers++;
}

/* Gives back the registers of operands that node i read last; each once. */
static void give_back(builder *b, int32_t i)
{
    const formula_node *x = &b->dag->nodes[i];
    const int32_t operands[] = {x->a, x->b, x->c};
    for (int k = 0; k < formula_arity(x->op); ++k) {
        const int32_t node = operands[k];
        if (b->last_user[node] != i || !b->varies[node] || b->place[node] < 0) continue;
        b->last_user[node] = -1;
        b->unused[b->n_unused++] = b->place[node];
    }
}

static void add_step(builder *b, int32_t i)
{
    const formula_node *x = &b->dag->nodes[i];
    const int arity = formula_arity(x->op);
    formula_program *out = b->out;
    if (is_pair_input(x)) {
        b->place[i] = -1 - x->a;
        return;
    }
    formula_step step = {
        .op = x->op, .value = x->value, .out = take_register(b), .serves = b->serves[i]};
    if (x->op == FORMULA_INPUT) step.a = x->a - FORMULA_N_PAIR;
    if (arity > 0) step.a = b->place[x->a];
    if (arity > 1) step.b = b->place[x->b];
    if (arity > 2) step.c = b->place[x->c];
    b->place[i] = step.out;
    if (b->varies[i]) {
        out->steps[out->n_steps++] = step;
        give_back(b, i);
    } else {
        out->fixed[out->n_fixed++] = step;
    }
}

/* What is fixed comes first, in registers that are never used again. */
static void build(builder *b, const int32_t *roots, int32_t n_roots)
{
    survey(b, roots, n_roots);
    for (int32_t i = 0; i < b->dag->n; ++i)
        if (b->needed[i] && !b->varies[i]) add_step(b, i);
    for (int32_t i = 0; i < b->dag->n; ++i)
        if (b->needed[i] && b->varies[i]) add_step(b, i);
    for (int32_t k = 0; k < n_roots; ++k)
        b->out->results[k] = roots[k] >= 0 ? b->place[roots[k]] : INT32_MIN;
    for (int32_t r = 0; r < b->out->n_registers; ++r) b->out->result_of[r] = -1;
    for (int32_t k = n_roots - 1; k >= 0; --k)
        if (roots[k] >= 0 && b->varies[roots[k]] && b->place[roots[k]] >= 0)
            b->out->result_of[b->place[roots[k]]] = k;
}

shoal_status formula_program_build(formula_program *out, const formula_dag *dag,
                                   const int32_t *roots, int32_t n_roots)
{
    const size_t n = (size_t)dag->n;
    *out = (formula_program){.n_results = n_roots};
    builder b = {.dag = dag, .out = out};
    b.needed = shoal_alloc(n, sizeof *b.needed);
    b.varies = shoal_alloc(n, sizeof *b.varies);
    b.place = shoal_alloc(n, sizeof *b.place);
    b.last_user = shoal_alloc(n, sizeof *b.last_user);
    b.unused = shoal_alloc(n, sizeof *b.unused);
    b.serves = shoal_alloc(n, sizeof *b.serves);
    out->fixed = shoal_alloc(n, sizeof *out->fixed);
    out->steps = shoal_alloc(n, sizeof *out->steps);
    out->results = shoal_alloc((size_t)n_roots, sizeof *out->results);
    out->result_of = shoal_alloc(n, sizeof *out->result_of);
    const bool ok = b.needed && b.varies && b.place && b.last_user && b.unused && b.serves &&
                    out->fixed && out->steps && out->results && out->result_of;
    if (ok) build(&b, roots, n_roots);
    free(b.needed);
    free(b.varies);
    free(b.place);
    free(b.last_user);
    free(b.unused);
    free(b.serves);
    if (!ok) formula_program_free(out);
    return ok ? SHOAL_OK : SHOAL_E_MEMORY;
}

void formula_program_free(formula_program *program)
{
    free(program->fixed);
    free(program->steps);
    free(program->results);
    free(program->result_of);
    *program = (formula_program){0};
}

/* Value of a step whose operands are the same for all pairs. */
static double fixed_value(const formula_step *s, const double *named, const double *registers,
                          int32_t width)
{
    const int32_t places[] = {s->a, s->b, s->c};
    double operands[3] = {0};
    if (s->op == FORMULA_NUMBER) return s->value;
    if (s->op == FORMULA_INPUT) return named[s->a];
    for (int o = 0; o < formula_arity(s->op); ++o)
        operands[o] = registers[(size_t)places[o] * (size_t)width];
    return formula_apply(s->op, operands[0], operands[1], operands[2]);
}

void formula_program_set(const formula_program *program, const double *named, double *registers,
                         int32_t width)
{
    for (int32_t k = 0; k < program->n_fixed; ++k) {
        const formula_step *s = &program->fixed[k];
        double *out = registers + (size_t)s->out * (size_t)width;
        const double value = fixed_value(s, named, registers, width);
        for (int32_t i = 0; i < width; ++i) out[i] = value;
    }
}

/* e^x, infinite beyond what a number holds. */
static inline double exp_of(double x)
{
    const double most = 709.0;
    return x <= most ? special_exp(x) : x + (double)INFINITY; /* NaN stays NaN */
}

/* One instruction over a block. */
#define EACH(expression)                                                                           \
    for (int32_t i = 0; i < n; ++i) out[i] = (expression);                                         \
    break

/* Operands that an instruction has not are never looked at. */
static inline __attribute__((always_inline)) void run_step(const formula_step *s, int32_t n,
                                                           double *restrict out,
                                                           const double *restrict a,
                                                           const double *restrict b,
                                                           const double *restrict c)
{
    switch (s->op) {
    case FORMULA_ADD: EACH(a[i] + b[i]);
    case FORMULA_SUB: EACH(a[i] - b[i]);
    case FORMULA_MUL: EACH(a[i] * b[i]);
    case FORMULA_DIV: EACH(a[i] / b[i]);
    case FORMULA_NEG: EACH(-a[i]);
    case FORMULA_EXP: EACH(exp_of(a[i]));
    case FORMULA_SQRT: EACH(sqrt(a[i]));
    case FORMULA_ABS: EACH(fabs(a[i]));
    case FORMULA_MIN: EACH(b[i] < a[i] ? b[i] : a[i]);
    case FORMULA_MAX: EACH(a[i] < b[i] ? b[i] : a[i]);
    case FORMULA_LESS: EACH(a[i] < b[i] ? 1.0 : 0.0);
    case FORMULA_SELECT: EACH(a[i] != 0.0 ? b[i] : c[i]);
    case FORMULA_POW: EACH(pow(a[i], b[i]));
    default: EACH(formula_apply(s->op, a[i], 0.0, 0.0));
    }
}
#undef EACH

/* Where numbers are. */
typedef struct places {
    const formula_program *program;
    double *registers;
    size_t width;
    const double *const *inputs;
    double *const *results;
} places;

/* A register; that of a result, which no other instruction writes to, is the result itself. */
static double *register_at(const places *at, int32_t k)
{
    const int32_t result = at->program->result_of[k];
    if (result >= 0 && at->results[result]) return at->results[result];
    return at->registers + (size_t)k * at->width;
}

static const double *operand(const places *at, int32_t place)
{
    return place < 0 ? at->inputs[-1 - place] : register_at(at, place);
}

/* Instructions that serve what is wanted. */
WIDE static void run_steps(const places *at, uint64_t wanted, int32_t n)
{
    const formula_step *s = at->program->steps, *end = s + at->program->n_steps;
    for (; s < end; ++s)
        if (s->serves & wanted)
            run_step(s, n, register_at(at, s->out), operand(at, s->a), operand(at, s->b),
                     operand(at, s->c));
}

void formula_program_run(const formula_program *program, double *registers, int32_t width,
                         int32_t n, const double *const *inputs, double *const *results)
{
    const places at = {program, registers, (size_t)width, inputs, results};
    uint64_t wanted = 0;
    for (int32_t k = 0; k < program->n_results; ++k)
        if (results[k]) wanted |= UINT64_C(1) << k;
    run_steps(&at, wanted, n);
    for (int32_t k = 0; k < program->n_results; ++k) {
        if (!results[k] || program->results[k] == INT32_MIN) continue;
        const double *from = operand(&at, program->results[k]);
        if (from != results[k]) memcpy(results[k], from, (size_t)n * sizeof **results);
    }
}
