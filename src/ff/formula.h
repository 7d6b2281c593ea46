/* SPDX-License-Identifier: BSD-3-Clause
 * A pair energy as a formula of the user: parsed, differentiated, evaluated in blocks. */
#ifndef SHOAL_FF_FORMULA_H
#define SHOAL_FF_FORMULA_H

#include <stdbool.h>

#include "base/text.h"
#include "shoal/atom_types.h"

/* What a pair brings. i is the atom of the first fragment, j that of the second one. */
enum {
    FORMULA_IN_R,  /* r, distance, angstrom */
    FORMULA_IN_R0, /* R0 = Ri + Rj, angstrom */
    FORMULA_IN_E0, /* E0 = sqrt(Ei Ej), eV */
    FORMULA_IN_Q,  /* Q = Qi Qj, e^2 */
    FORMULA_IN_H,  /* H = Hi Hj where that is negative, else 0 */
    FORMULA_IN_RI, /* the atoms' own numbers, in the order of R, E, Q, H */
    FORMULA_IN_RJ,
    FORMULA_IN_EI,
    FORMULA_IN_EJ,
    FORMULA_IN_QI,
    FORMULA_IN_QJ,
    FORMULA_IN_HI,
    FORMULA_IN_HJ,
    FORMULA_IN_COLUMNS, /* of the table's columns: that of atom i, then that of atom j, of each */
    FORMULA_N_COLUMNS = 4,
    FORMULA_N_PAIR =
        FORMULA_IN_COLUMNS + 2 * FORMULA_N_COLUMNS, /* inputs of a pair; the constants that the
                                                                  * formula names follow */
    FORMULA_N_NAMED = 16,
    FORMULA_N_INPUTS = FORMULA_N_PAIR + FORMULA_N_NAMED
};

#define FORMULA_NAME_SIZE 32

/* Columns of a table of atom types by the names that the user gives them. A formula uses NAMEi and NAMEj. */
typedef struct formula_columns {
    int32_t n;
    char names[FORMULA_N_COLUMNS][FORMULA_NAME_SIZE];
} formula_columns;

/* Fails with SHOAL_E_ARGUMENT for what is no name, for one that makes a word that formulas or lists of parameters
 * know already, and for one too many. */
shoal_status formula_columns_add(formula_columns *columns, shoal_span name);

/* The number of a type of a table in one of them; fails with SHOAL_E_ARGUMENT where its line has none. */
shoal_status formula_column_value(const formula_columns *columns, const shoal_atom_types *types,
                                  int32_t type, int32_t column, double *out);

typedef struct formula formula;

/* Fails with SHOAL_E_ARGUMENT, naming the column and what was expected there. */
shoal_status formula_create(formula **out, const char *text);
/* The same with columns of a table, of which the last must be used. */
shoal_status formula_create_with(formula **out, const char *text, const formula_columns *columns);
void formula_destroy(formula *f);

/* FORMULA_N_PAIR + the number of names that are not known, in the order of their appearance. */
int32_t formula_n_inputs(const formula *f);
const char *formula_input_name(const formula *f, int32_t input);
bool formula_uses(const formula *f, int32_t input);
/* The columns that it was made with, and whether it depends on one. */
const formula_columns *formula_columns_of(const formula *f);
bool formula_uses_column(const formula *f, int32_t column);
/* The text it was made of. */
const char *formula_text(const formula *f);

/* Any input of single atoms, FORMULA_IN_RI and behind. */
bool formula_uses_own(const formula *f);

/* Registers that an evaluation needs, each of as many numbers as the pairs of a block. */
int32_t formula_n_registers(const formula *f);
/* named[n_inputs - FORMULA_N_PAIR]: values of the constants, into registers[n_registers][width].
 * Before formula_eval, which keeps them. */
void formula_set(const formula *f, const double *named, double *registers, int32_t width);

typedef struct formula_block {
    int32_t n;                            /* pairs, at most the width */
    const double *inputs[FORMULA_N_PAIR]; /* inputs[k][n]; those not used may be NULL */
    double *energy;                       /* [n], eV */
    double *slopes[FORMULA_N_INPUTS];     /* slopes[k][n]: dE/dinput; NULL: not wanted */
} formula_block;

/* Fills in energies and the slopes that are wanted. */
void formula_eval(const formula *f, double *registers, int32_t width, const formula_block *block);

/* The formula, or its derivative by an input, as text, simplified; input < 0 is the formula. Ends
 * in "..." where it would be longer than some thousand characters. The caller frees *out. */
shoal_status formula_print(const formula *f, int32_t input, shoal_string *out);

/* A macro FIT_FORMULA for OpenCL C that declares real variables energy, slope_NAME of every input
 * and slope_named_0, slope_named_1, .. of the constants, from variables with the
 * names of the inputs, the constants being named_0, named_1, .. and the columns column_0_i, column_0_j, column_1_i, ..
 * The caller frees *out. */
shoal_status formula_emit(const formula *f, shoal_string *out);

/* Appends a macro MODEL_FORMULA for OpenCL C that declares energy and slope_r alone, and the values of the constants
 * as macros named_0, named_1, .. */
shoal_status formula_emit_force(const formula *f, const double *named, shoal_string *out);
/* Appends a number as a literal of a device's precision. */
shoal_status formula_emit_number(shoal_string *out, double value);

#endif
