/* SPDX-License-Identifier: BSD-3-Clause
 * A formula as a pair model of a fit: its inputs are those of a batch of pairs. */
#include "fit/formula_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_REGISTERS = 128 }; /* on the stack, as wide as a batch */

typedef struct formula_model {
    formula *formula;
    int32_t global[FORMULA_N_NAMED]; /* of every constant */
    const char *names[FORMULA_N_NAMED];
    double values[FORMULA_N_NAMED];
} formula_model;

/* Own numbers of atoms follow one another in the same order on both sides. */
_Static_assert(FORMULA_N_PAIR - FORMULA_IN_RI == N_OWN - OWN_RI, "the atoms' own inputs");

static double *output_of(const formula_model *m, pair_batch *b, int32_t input)
{
    switch (input) {
    case FORMULA_IN_R: return b->by_r;
    case FORMULA_IN_R0: return b->by_r0;
    case FORMULA_IN_E0: return b->by_e0;
    case FORMULA_IN_Q: return b->by_q;
    case FORMULA_IN_H: return b->by_h;
    default: break;
    }
    if (input < FORMULA_N_PAIR) return b->by_own[input - FORMULA_IN_RI];
    return b->by_global[m->global[input - FORMULA_N_PAIR]];
}

/* Inputs and outputs of a batch. What is bare has no use for slopes by r and constants. */
static void fill_block(const formula_model *m, bool derivatives, pair_batch *b,
                       formula_block *block)
{
    const bool uses_own = formula_uses_own(m->formula);
    const int32_t end = FORMULA_IN_COLUMNS + 2 * formula_columns_of(m->formula)->n;
    const int32_t n = b->bare ? FORMULA_N_PAIR : formula_n_inputs(m->formula);
    *block = (formula_block){.n = b->n, .inputs = {b->r, b->r0, b->e0, b->q, b->h}, .energy = b->e};
    for (int32_t k = FORMULA_IN_RI; k < end && uses_own; ++k)
        block->inputs[k] = b->own[k - FORMULA_IN_RI];
    for (int32_t k = b->bare ? FORMULA_IN_R0 : FORMULA_IN_R; k < n && derivatives; ++k)
        if ((uses_own && k < end) || k < FORMULA_IN_RI || k >= FORMULA_N_PAIR)
            block->slopes[k] = output_of(m, b, k);
}

static void eval(const fit_model *model, const double *globals, bool derivatives, pair_batch *b)
{
    const formula_model *m = model->self;
    _Alignas(64) double registers[MAX_REGISTERS * FIT_BATCH];
    double named[FORMULA_N_NAMED];
    formula_block block;
    for (int32_t k = 0; k < formula_n_inputs(m->formula) - FORMULA_N_PAIR; ++k)
        named[k] = globals[m->global[k]];
    const int32_t width = (b->n + 7) & -8;
    formula_set(m->formula, named, registers, width);
    fill_block(m, derivatives, b, &block);
    formula_eval(m->formula, registers, width, &block);
}

static void destroy(fit_model *model)
{
    formula_model *m = model->self;
    if (m) formula_destroy(m->formula);
    free(m);
    model->self = NULL;
}

static bool is_alpha(const char *name)
{
    return strcmp(name, "a") == 0 || strcmp(name, "alpha") == 0;
}

/* One "name=value". */
static shoal_status give_constant(formula_model *m, shoal_span word, double *alpha)
{
    char quoted[SHOAL_QUOTE_SIZE];
    double value;
    const char *equals = memchr(word.text, '=', word.size);
    shoal_text_quote(quoted, word);
    if (!equals ||
        !shoal_text_double(shoal_span_after(word, (size_t)(equals - word.text) + 1), &value))
        return shoal_fail(SHOAL_E_ARGUMENT, "constant '%s': expected NAME=NUMBER", quoted);
    const shoal_span name = {word.text, (size_t)(equals - word.text)};
    for (int32_t k = FORMULA_N_PAIR; k < formula_n_inputs(m->formula); ++k) {
        if (!shoal_span_equal(name, formula_input_name(m->formula, k))) continue;
        const int32_t global = m->global[k - FORMULA_N_PAIR];
        if (global == FIT_ALPHA)
            *alpha = value;
        else
            m->values[global - FIT_N_FIXED_GLOBALS] = value;
        return SHOAL_OK;
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "constant '%s': the formula does not use that name",
                      quoted);
}

static shoal_status read_constants(formula_model *m, const char *constants, double *alpha)
{
    shoal_span rest = shoal_span_of(constants ? constants : "");
    for (;;) {
        const shoal_span word = shoal_span_word(&rest);
        if (word.size == 0) return SHOAL_OK;
        SHOAL_TRY(give_constant(m, word, alpha));
    }
}

/* Gives every name its global. */
static shoal_status place_names(formula_model *m, fit_model *out)
{
    const int32_t n = formula_n_inputs(m->formula) - FORMULA_N_PAIR;
    for (int32_t k = 0; k < n; ++k) {
        const char *name = formula_input_name(m->formula, FORMULA_N_PAIR + k);
        m->global[k] = is_alpha(name) ? FIT_ALPHA : FIT_N_FIXED_GLOBALS + out->n_constants;
        out->globals_used |= 1u << m->global[k];
        if (is_alpha(name)) continue;
        if (m->global[k] >= FIT_MAX_GLOBALS)
            return shoal_fail(SHOAL_E_ARGUMENT, "the formula names more than %d constants",
                              FIT_MAX_GLOBALS - FIT_N_FIXED_GLOBALS);
        m->names[out->n_constants] = name;
        m->values[out->n_constants++] = NAN;
    }
    return SHOAL_OK;
}

/* What can be parsed but makes no model. */
static shoal_status refuse(const formula_model *m)
{
    const formula *f = m->formula;
    int32_t n_alpha = 0;
    for (int32_t k = FORMULA_N_PAIR; k < formula_n_inputs(f); ++k)
        n_alpha += is_alpha(formula_input_name(f, k));
    if (n_alpha > 1)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the formula uses both a and alpha, which are the same");
    if (!formula_uses(f, FORMULA_IN_R))
        return shoal_fail(SHOAL_E_ARGUMENT, "the formula does not depend on the distance r");
    if (formula_n_registers(f) > MAX_REGISTERS)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "the formula needs %d intermediate results at once, at most %d can be "
                          "held",
                          (int)formula_n_registers(f), (int)MAX_REGISTERS);
    return SHOAL_OK;
}

static shoal_status create_formula(formula **out, const char *text, const char *columns)
{
    shoal_span rest = shoal_span_of(columns ? columns : "");
    formula_columns names = {0};
    for (shoal_span word = shoal_span_word(&rest); word.size > 0; word = shoal_span_word(&rest))
        SHOAL_TRY(formula_columns_add(&names, word));
    return formula_create_with(out, text, &names);
}

shoal_status fit_formula_create(fit_model *out, const char *text, const char *constants,
                                const char *columns, double *alpha)
{
    *out = (fit_model){.name = "formula", .eval = eval, .own_coulomb = true, .destroy = destroy};
    formula_model *m = shoal_alloc(1, sizeof *m);
    if (!m) return SHOAL_E_MEMORY;
    out->self = m;
    shoal_status status = create_formula(&m->formula, text, columns);
    if (status == SHOAL_OK) status = refuse(m);
    if (status == SHOAL_OK) status = place_names(m, out);
    if (status == SHOAL_OK) status = read_constants(m, constants, alpha);
    if (status != SHOAL_OK) {
        destroy(out);
        return status;
    }
    out->uses_own = formula_uses_own(m->formula);
    out->constants = m->names;
    out->constant_values = m->values;
    out->n_extra = formula_columns_of(m->formula)->n;
    out->extra = formula_columns_of(m->formula)->names;
    return SHOAL_OK;
}

const formula *fit_formula_of(const fit_model *model)
{
    return model->eval == eval ? ((const formula_model *)model->self)->formula : NULL;
}

int32_t fit_formula_global(const fit_model *model, int32_t named)
{
    return ((const formula_model *)model->self)->global[named];
}
