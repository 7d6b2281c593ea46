/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz target: formulas, which are printed, emitted and evaluated once they are accepted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ff/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(const formula *f)
{
    const double number = 1.5;
    double named[FORMULA_N_NAMED], energy = 0.0, slopes[FORMULA_N_INPUTS];
    formula_block block = {.n = 1, .energy = &energy};
    double *scratch = calloc((size_t)formula_n_registers(f) + 1, sizeof *scratch);
    for (int k = 0; k < FORMULA_N_PAIR; ++k) block.inputs[k] = &number;
    for (int k = 0; k < FORMULA_N_NAMED; ++k) named[k] = number;
    for (int k = 0; k < FORMULA_N_INPUTS; ++k) block.slopes[k] = &slopes[k];
    if (scratch) {
        formula_set(f, named, scratch, 1);
        formula_eval(f, scratch, 1, &block);
    }
    free(scratch);
}

/* What was printed in full must be accepted again. */
static void print_again(const formula *f)
{
    shoal_string text = {0}, code = {0};
    formula *again = NULL;
    if (formula_print(f, -1, &text) == SHOAL_OK && text.size < 4000 &&
        formula_create(&again, text.data) != SHOAL_OK &&
        !strstr(shoal_error_text(), "nested less deeply"))
        abort();
    formula_destroy(again);
    if (formula_emit(f, &code) != SHOAL_OK) abort();
    shoal_string_free(&text);
    shoal_string_free(&code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    formula *f = NULL;
    char *text = calloc(size + 1, 1);
    if (!text) return 0;
    if (size > 0) memcpy(text, data, size);
    if (formula_create(&f, text) == SHOAL_OK) {
        evaluate(f);
        print_again(f);
    } else if (shoal_error_text()[0] == '\0') {
        abort();
    }
    formula_destroy(f);
    free(text);
    return 0;
}
