/* SPDX-License-Identifier: BSD-3-Clause
 * The data fields that state what a run found: their names, their values, and what becomes of those that a
 * molecule brings from its file. */
#ifndef SHOAL_IO_RESULT_FIELDS_H
#define SHOAL_IO_RESULT_FIELDS_H

#include "chem/molecule.h"
#include "shoal/io.h"

typedef enum result_field {
    RESULT_MARK, /* the version of Shoal: all that follow are its results */
    RESULT_INDEX,
    RESULT_RECORD,
    RESULT_VARIANT,
    RESULT_CONFORMER,
    RESULT_FILE,
    RESULT_STATUS,
    RESULT_REASON,
    RESULT_WARNING,
    RESULT_ENERGY,
    RESULT_ENERGY0,
    RESULT_ADSORPTION,
    RESULT_STRESS,
    RESULT_FMAX,
    RESULT_STEPS,
    RESULT_TIME,
    RESULT_KINETIC,
    RESULT_TEMPERATURE,
    RESULT_BATH,
    RESULT_TYPES, /* these have values for every atom, or bond */
    RESULT_FORCES,
    RESULT_POSITIONS,
    RESULT_ORDERS, /* "found", then numbers of bonds, from 1, with the mean orders of resonance structures */
    RESULT_ELECTRON_PAIRS,
    RESULT_N,
} result_field;

extern const char *const result_names[RESULT_N];

typedef enum value_kind {
    VALUE_NONE,
    VALUE_TEXT,
    VALUE_NUMBER,
    VALUE_INTEGER,
    VALUE_TENSOR
} value_kind;

typedef struct result_value {
    value_kind kind;
    const char *text;
    double number;
    int64_t integer;
    const double *tensor; /* [6] xx, yy, zz, yz, xz, xy */
} result_value;

/* What the frame says for a field before RESULT_TYPES. */
result_value result_get(const shoal_frame *frame, result_field field);

/* Appends the nine numbers of a symmetric matrix, with blanks between them. */
void result_put_tensor(shoal_string *out, const double tensor[6]);

/* True if the molecule's data fields are those of an earlier run. */
bool result_is_marked(const shoal_molecule *mol);

typedef enum field_fate {
    FIELD_KEPT,
    FIELD_RENAMED, /* a field of the user's own under the name of a result, or untrue beside one */
    FIELD_DROPPED, /* of an earlier run, or replaced */
} field_fate;

/* What becomes of a molecule's data field in a frame; marked as result_is_marked says. */
field_fate result_fate(const shoal_frame *frame, bool marked, const molecule_property *property);

enum { RESULT_NAME_SIZE = 64 };
/* KEY_input, or a longer name if the molecule has such a field. */
void result_rename(const shoal_molecule *mol, const char *key, char name[RESULT_NAME_SIZE]);

/* The value of a data field, if it is `width` words for every atom; else a span of NULL. */
shoal_span result_words(const shoal_molecule *mol, result_field field, int32_t width);

#endif
