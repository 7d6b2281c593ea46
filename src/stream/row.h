/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of a row of JSON. */
#ifndef SHOAL_STREAM_ROW_H
#define SHOAL_STREAM_ROW_H

#include "shoal/row.h"

/* Types, charges and bonds, and what stands before them. */
void row_put_types(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s);

/* Stress, if it has one; per area and per length where it repeats in two directions and in one. */
void row_put_stress(shoal_json *j, const shoal_stream_system *s);

/* Whether a system has a stress, and its cell a volume: it repeats in three directions. */
bool row_has_volume(const shoal_stream_system *s);

#endif
