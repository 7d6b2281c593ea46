/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a table of a force field, and what it makes of a topology. */
#ifndef SHOAL_FF_FF_TABLE_H
#define SHOAL_FF_FF_TABLE_H

#include <stdatomic.h>

#include "ff/topology.h"
#include "shoal/atom_types.h"
#include "shoal/ff_table.h"

/* Rows that are no terms, in the place of a kind. */
enum { FF_ATOM = -1, FF_EXCLUDE = -2, FF_PAIR = -3 };

/* An atom of a row. */
typedef struct ff_place {
    int32_t index;                   /* of an atom; -1: by type */
    char type[SHOAL_TYPE_NAME_SIZE]; /* "*": any */
    int32_t shift[3];
    bool has_shift;
} ff_place;

typedef struct ff_row {
    int32_t kind; /* SHOAL_KIND_ or FF_ */
    int32_t line; /* where it stands */
    int32_t section, n_places;
    ff_place at[SHOAL_TERM_ATOMS];
    double p[SHOAL_TERM_PARAMETERS]; /* of a term; x, D, q; scales, x, D */
    bool has_charge;                 /* of FF_ATOM */
} ff_row;

/* A molecule that rows are of, by its elements and, perhaps, its bonds; the first section is of all molecules. */
typedef struct ff_section {
    int32_t *elements, n_elements, elements_capacity;
    int32_t (*bonds)[2]; /* i < j, sorted */
    int32_t n_bonds, bonds_capacity;
    int32_t line, first; /* the section that is its equal and stands first, or itself */
} ff_section;

struct shoal_ff_table {
    ff_row *rows;
    int32_t n_rows, rows_capacity;
    ff_section *sections;
    int32_t n_sections, sections_capacity;
    uff_type *types;
    int32_t n_types, types_capacity;
    uint64_t sum; /* of its text */
    /* What happened to it so far, on any thread: */
    _Atomic(unsigned char) *met; /* [n_rows] the row fits something */
    _Atomic int32_t n_molecules; /* that it was applied to */
};

/* The type with a label that a table has, else NULL. table may be NULL. */
const uff_type *ff_table_type(const shoal_ff_table *table, const char *label);

/* Whether two sections are of the same molecule, and whether two rows say the same. */
bool ff_sections_match(const ff_section *a, const ff_section *b);
bool ff_rows_match(const ff_row *a, const ff_row *b);

/* The row behind which rows are of this molecule alone. */
void ff_table_put_molecule(shoal_string *out, const shoal_molecule *mol);

/* Puts the rows that are of a molecule in the place of what the force field has given it. A row of an atom that the
 * molecule lacks makes it untyped. */
shoal_status ff_table_apply(uff_builder *b);

#endif
