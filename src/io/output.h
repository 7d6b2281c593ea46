/* SPDX-License-Identifier: BSD-3-Clause
 * A file being written, plain or gzip, that gets its final name only when it is complete. */
#ifndef SHOAL_IO_OUTPUT_H
#define SHOAL_IO_OUTPUT_H

#include "base/text.h"

typedef struct shoal_output shoal_output;

/* "-" is standard output; a name ending in .gz is compressed. */
shoal_status shoal_output_open(shoal_output **out, const char *path);
/* The same with a given name until it is complete, under which it outlives its writer. keep < 0 begins
 * anew; else the part that is there is cut to its first keep bytes and written on. The part is locked:
 * fails if another process or another output writes it, and where there is less than keep bytes. */
shoal_status shoal_output_open_as(shoal_output **out, const char *path, const char *part,
                                  int64_t keep);

/* How many threads may compress; before anything is written. One, the caller's, unless this is said. */
void shoal_output_share(shoal_output *out, int32_t n_threads);

/* Writing never fails at once: the first failure is kept, and what follows it is dropped. */
void shoal_output_put(shoal_output *out, shoal_span piece);
void shoal_output_text(shoal_output *out, const char *text);
/* Shortest form that reads back as the same number. */
void shoal_output_number(shoal_output *out, double value);
/* At most 255 characters; not for floating-point numbers, whose look depends on the locale. */
void shoal_output_format(shoal_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What was put so far is whole. After a failed write the part is cut behind the last piece of which that is
 * true and that fits; in a gzip file behind the last finished member, which has a MiB of text. */
void shoal_output_mark(shoal_output *out);
/* Waits until everything is on the disk; *size is the bytes of the file then, the end of a gzip member.
 * Standard output and devices are only written to. */
shoal_status shoal_output_sync(shoal_output *out, int64_t *size);

/* The name until then; NULL where the data go straight to their place. */
const char *shoal_output_part(const shoal_output *out);
/* The first failure so far, with its text. */
shoal_status shoal_output_check(const shoal_output *out);
/* Writes what is left and gives the file its name. */
shoal_status shoal_output_close(shoal_output *out);
/* Chooses another final name. A failed write is forgotten: the file keeps the whole pieces before it. */
shoal_status shoal_output_rename(shoal_output *out, const char *path);
/* Discards the file unless it was closed; one opened with shoal_output_open_as stays as it is, without
 * what was not written yet. */
void shoal_output_destroy(shoal_output *out);

#endif
