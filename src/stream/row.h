/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of a row of JSON. */
#ifndef SHOAL_STREAM_ROW_H
#define SHOAL_STREAM_ROW_H

#include "shoal/row.h"

/* Types, charges and bonds, and what stands before them. */
void row_put_types(shoal_json *j, const shoal_row_style *style, const shoal_stream_system *s);

#endif
