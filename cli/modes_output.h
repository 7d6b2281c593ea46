/* SPDX-License-Identifier: BSD-3-Clause
 * What shoal modes says of a system: a row and a table of its modes, JSON, frames that show them. */
#ifndef SHOAL_CLI_MODES_OUTPUT_H
#define SHOAL_CLI_MODES_OUTPUT_H

#include "json.h"
#include "results.h"

/* The header of the rows; unit names that of energies. */
void modes_header(const char *unit, char *out, size_t size);
/* A row, and below it a line for every mode; unit: eV per unit of energies. */
void modes_table(const shoal_stream_system *s, double unit, shoal_string *out);

void modes_json(const row_style *style, const shoal_stream_system *s, shoal_string *out);

/* How modes are shown as geometries. */
typedef struct modes_film {
    int32_t n_frames; /* of every mode; 1: one with displacements as a column, more: one period */
    double amplitude; /* angstrom, of the atom that moves most, in a period */
} modes_film;

/* Frames of all modes of a system, behind each other; nothing where it has none. */
shoal_status modes_frames(const modes_film *film, const row_style *style,
                          const shoal_stream_system *s, shoal_format format, shoal_string *out);

#endif
