/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of the reader of CIF. */
#ifndef SHOAL_IO_CIF_H
#define SHOAL_IO_CIF_H

#include "io/cif_words.h"
#include "io/reader.h"

/* Items of a block; up to CIF_NUMBER they have one value, the others are columns of loops. */
typedef enum cif_item {
    CIF_A = 0,
    CIF_B,
    CIF_C,
    CIF_ALPHA,
    CIF_BETA,
    CIF_GAMMA,
    CIF_HM,
    CIF_HALL,
    CIF_NUMBER,
    CIF_XYZ,
    CIF_LABEL,
    CIF_SYMBOL,
    CIF_X,
    CIF_Y,
    CIF_Z,
    CIF_CARTESIAN,
    CIF_OCCUPANCY,
    CIF_ASSEMBLY,
    CIF_GROUP,
    CIF_CHARGE,
    CIF_CALC,
    CIF_BOND_1,
    CIF_BOND_2,
    CIF_BOND_DISTANCE,
    CIF_BOND_CODE_1,
    CIF_BOND_CODE_2,
    CIF_BOND_TYPE,
    CIF_N_ITEMS
} cif_item;

typedef struct cif_record {
    shoal_reader *rd;
    crystal *crystal;
    cif_words words;
    shoal_span name;
    cif_word items[CIF_NUMBER + 1];
    /* The present loop: its columns, and the values of a row. */
    bool columns[CIF_N_ITEMS];
    cif_word row[CIF_N_ITEMS];
    int64_t line; /* where the row begins */
    double gamma; /* degrees */
} cif_record;

/* Error texts name that line. */
void cif_at(const cif_record *r, int64_t line);

#endif
