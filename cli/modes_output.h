/* SPDX-License-Identifier: BSD-3-Clause
 * What shoal modes says of a system: a row and a table of its modes, frames that show them. */
#ifndef SHOAL_CLI_MODES_OUTPUT_H
#define SHOAL_CLI_MODES_OUTPUT_H

#include "results.h"

/* The header of the rows; unit names that of energies. */
void modes_header(const char *unit, char *out, size_t size);
/* A row, and below it a line for every mode; unit: eV per unit of energies. */
void modes_table(const shoal_stream_system *s, double unit, shoal_string *out);

/* Frames of all modes of a system, behind each other; nothing where it has none. */
shoal_status modes_frames(const shoal_modes_film *film, const row_style *style,
                          const shoal_stream_system *s, shoal_string *out);

#endif
