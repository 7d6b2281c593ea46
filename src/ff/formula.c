/* SPDX-License-Identifier: BSD-3-Clause
 * A pair energy as a formula of the user: from its text to programs for energy and slopes. */
#include "ff/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/formula_inner.h"

enum { MAX_TEXT = 4096, FIRST_COLUMN = 14 }; /* of a table, counted from 1 */
_Static_assert((int)FORMULA_N_COLUMNS == SHOAL_TYPE_COLUMNS, "columns that a table keeps");

static shoal_status differentiate(formula *f)
{
    const int32_t n = formula_n_inputs(f);
    for (int32_t i = 0; i < f->dag.n; ++i)
        if (f->dag.nodes[i].op == FORMULA_INPUT) f->uses[f->dag.nodes[i].a] = true;
    /* What was multiplied by zero is still in the graph, but nothing depends on it. */
    bool *needed = shoal_alloc((size_t)f->dag.n, sizeof *needed);
    if (!needed) return SHOAL_E_MEMORY;
    formula_reach(&f->dag, &f->roots[0], 1, needed);
    for (int32_t i = 0; i < f->dag.n; ++i)
        if (f->dag.nodes[i].op == FORMULA_INPUT && !needed[i]) f->uses[f->dag.nodes[i].a] = false;
    free(needed);
    return formula_differentiate(&f->dag, f->roots[0], n, f->uses, &f->roots[1]);
}

/* The guard of a node, -1 if it needs none. */
static int32_t guard_of(formula_dag *dag, formula_node x, bool *is_pole)
{
    *is_pole = x.op == FORMULA_DIV || (x.op == FORMULA_INTPOW && x.value < 0.0);
    switch (x.op) {
    case FORMULA_DIV: return x.b;
    case FORMULA_INTPOW: return *is_pole ? x.a : -1;
    case FORMULA_ABS: return x.a;
    case FORMULA_MIN:
    case FORMULA_MAX: return formula_binary(dag, FORMULA_SUB, x.a, x.b);
    default: return -1;
    }
}

/* Guards of the energy; its slopes have the same ones. Roots of numbers never change their sign. */
static shoal_status find_guards(formula *f, int32_t *guards)
{
    bool *needed = shoal_alloc((size_t)f->dag.n, sizeof *needed);
    if (!needed) return SHOAL_E_MEMORY;
    const int32_t n = f->dag.n;
    formula_reach(&f->dag, &f->roots[0], 1, needed);
    for (int32_t i = 0; i < n && f->n_guards < FORMULA_N_GUARDS; ++i) {
        bool is_pole;
        const int32_t guard = needed[i] ? guard_of(&f->dag, f->dag.nodes[i], &is_pole) : -1;
        if (guard < 0 || f->dag.nodes[guard].op == FORMULA_NUMBER) continue;
        f->guard_is_pole[f->n_guards] = is_pole;
        guards[f->n_guards++] = guard;
    }
    free(needed);
    return f->dag.status;
}

static shoal_status build(formula *f)
{
    int32_t roots[1 + FORMULA_N_INPUTS + FORMULA_N_GUARDS];
    SHOAL_TRY(formula_parse(f->text, &f->dag, &f->names, &f->roots[0]));
    SHOAL_TRY(differentiate(f));
    const int32_t n = 1 + formula_n_inputs(f);
    memcpy(roots, f->roots, (size_t)n * sizeof *roots);
    SHOAL_TRY(find_guards(f, roots + n));
    SHOAL_TRY(formula_lower(&f->dag, &f->lowered, roots, n + f->n_guards));
    memcpy(f->lowered_roots, roots, (size_t)n * sizeof *roots);
    SHOAL_TRY(formula_program_build(&f->program, &f->lowered, f->lowered_roots, n));
    return formula_program_build(&f->guards, &f->lowered, roots + n, f->n_guards);
}

/* Columns before the last one used only say where that one is. */
static shoal_status check_columns(const formula *f)
{
    const int32_t last = f->names.columns.n - 1;
    if (last < 0 || formula_uses_column(f, last)) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_ARGUMENT, "the formula does not use the column %s: expected %si and %sj in it",
        f->names.columns.names[last], f->names.columns.names[last], f->names.columns.names[last]);
}

shoal_status formula_column_value(const formula_columns *columns, const shoal_atom_types *types,
                                  int32_t type, int32_t column, double *out)
{
    *out = shoal_atom_types_column(types, type, column);
    if (isfinite(*out)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "type %s has no %s: expected a number in column %d of its line",
                      shoal_atom_types_get(types, type)->name, columns->names[column],
                      (int)(FIRST_COLUMN + column));
}

shoal_status formula_create(formula **out, const char *text)
{
    static const formula_columns none = {0};
    return formula_create_with(out, text, &none);
}

shoal_status formula_create_with(formula **out, const char *text, const formula_columns *columns)
{
    *out = NULL;
    if (strlen(text) > MAX_TEXT)
        return shoal_fail(SHOAL_E_ARGUMENT, "the formula has %zu characters, expected at most %d",
                          strlen(text), (int)MAX_TEXT);
    formula *f = shoal_alloc(1, sizeof *f);
    if (!f) return SHOAL_E_MEMORY;
    f->text = shoal_strdup(text);
    formula_names_take(&f->names, columns);
    shoal_status status = f->text ? build(f) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = check_columns(f);
    if (status != SHOAL_OK) {
        formula_destroy(f);
        return status;
    }
    *out = f;
    return SHOAL_OK;
}

void formula_destroy(formula *f)
{
    if (!f) return;
    formula_program_free(&f->guards);
    formula_program_free(&f->program);
    formula_dag_free(&f->lowered);
    formula_dag_free(&f->dag);
    free(f->text);
    free(f);
}

int32_t formula_n_inputs(const formula *f)
{
    return FORMULA_N_PAIR + f->names.n_named;
}

const char *formula_input_name(const formula *f, int32_t input)
{
    if (input >= FORMULA_N_PAIR) return f->names.named[input - FORMULA_N_PAIR];
    return input < FORMULA_IN_COLUMNS ? formula_pair_name(input)
                                      : f->names.of_columns[input - FORMULA_IN_COLUMNS];
}

const formula_columns *formula_columns_of(const formula *f)
{
    return &f->names.columns;
}

bool formula_uses_column(const formula *f, int32_t column)
{
    const int32_t input = FORMULA_IN_COLUMNS + 2 * column;
    return f->uses[input] || f->uses[input + 1];
}

bool formula_uses(const formula *f, int32_t input)
{
    return f->uses[input];
}

const char *formula_text(const formula *f)
{
    return f->text;
}

bool formula_uses_own(const formula *f)
{
    for (int32_t k = FORMULA_IN_RI; k < FORMULA_N_PAIR; ++k)
        if (f->uses[k]) return true;
    return false;
}

int32_t formula_n_registers(const formula *f)
{
    return f->program.n_registers;
}

void formula_set(const formula *f, const double *named, double *registers, int32_t width)
{
    formula_program_set(&f->program, named, registers, width);
}

void formula_eval(const formula *f, double *registers, int32_t width, const formula_block *block)
{
    double *results[1 + FORMULA_N_INPUTS] = {block->energy};
    for (int32_t k = 0; k < formula_n_inputs(f); ++k) {
        results[1 + k] = block->slopes[k];
        /* A slope by what the formula does not use. */
        if (results[1 + k] && !f->uses[k])
            for (int32_t i = 0; i < block->n; ++i) results[1 + k][i] = 0.0;
    }
    formula_program_run(&f->program, registers, width, block->n, block->inputs, results);
}
