/* SPDX-License-Identifier: BSD-3-Clause
 * A file being written, plain or gzip, that gets its final name only when it is complete. */
#ifndef SHOAL_IO_OUTPUT_H
#define SHOAL_IO_OUTPUT_H

#include "base/text.h"

typedef struct shoal_output shoal_output;

/* "-" is standard output; a name ending in .gz is compressed. */
shoal_status shoal_output_open(shoal_output **out, const char *path);

/* Writing never fails at once: the first failure is kept, and what follows it is dropped. */
void shoal_output_put(shoal_output *out, shoal_span piece);
void shoal_output_text(shoal_output *out, const char *text);
/* Shortest form that reads back as the same number. */
void shoal_output_number(shoal_output *out, double value);
/* At most 255 characters; not for floating-point numbers, whose look depends on the locale. */
void shoal_output_format(shoal_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The name until then; NULL where the data go straight to their place. */
const char *shoal_output_part(const shoal_output *out);
/* The first failure so far, with its text. */
shoal_status shoal_output_check(const shoal_output *out);
/* Writes what is left and gives the file its name. */
shoal_status shoal_output_close(shoal_output *out);
/* Chooses another final name. */
shoal_status shoal_output_rename(shoal_output *out, const char *path);
/* Discards the file unless it was closed. */
void shoal_output_destroy(shoal_output *out);

#endif
