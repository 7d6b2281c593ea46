/* SPDX-License-Identifier: BSD-3-Clause
 * Lines of a file, of standard input or of memory, plain or gzip, and errors that name them. */
#ifndef SHOAL_IO_INPUT_H
#define SHOAL_IO_INPUT_H

#include "base/text.h"

typedef struct shoal_input shoal_input;

/* What stands behind "smiles:" in a path, which is a text and no file; NULL: it is a file. */
const char *input_text(const char *path);
/* "-" is standard input. Once *stop is true, a pipe or terminal that keeps the reader waiting is at its end;
 * stop may be NULL, and must live as long as the input. */
shoal_status shoal_input_open(shoal_input **out, const char *path, const _Atomic bool *stop);
/* data[size] is borrowed until the input is destroyed. */
shoal_status shoal_input_open_memory(shoal_input **out, const void *data, size_t size,
                                     const char *label);
/* Of nothing, to be pointed somewhere. */
shoal_status shoal_input_create(shoal_input **out);
void shoal_input_destroy(shoal_input *in);

/* The next line without its end (LF or CR LF), borrowed until the next call; *found is false at
 * the end. Fails on NUL bytes, damaged gzip data and failing reads. */
shoal_status shoal_input_line(shoal_input *in, shoal_span *line, bool *found);
/* The same where a line has to come; the words say which. */
shoal_status shoal_input_need(shoal_input *in, shoal_span *line, const char *expected, ...)
    __attribute__((format(printf, 3, 4)));
/* All lines of a file, each with LF at its end, behind the text. */
shoal_status shoal_input_whole(const char *path, shoal_string *text);
/* The next call gives the last line once more. */
void shoal_input_unread(shoal_input *in);

/* True for an input that can be stopped and has nothing to read now: more of it has to be waited for. */
bool shoal_input_waits(const shoal_input *in);

/* True for a pipe or terminal that has nothing to read now. */
bool shoal_input_is_dry(const shoal_input *in);

/* Text at hand and not yet given: for those who look further than a line. */
shoal_span shoal_input_window(const shoal_input *in);
/* True if the window is known to hold no NUL bytes. */
bool shoal_input_is_clean(const shoal_input *in);
/* Adds text to the window, which may move; *more is false at the end. Fails as reading a line does. */
shoal_status shoal_input_extend(shoal_input *in, bool *more);
/* Takes the first bytes of the window away, with the ends of lines in them. */
void shoal_input_take(shoal_input *in, size_t n_bytes, int64_t n_lines);
/* Turns to a text in memory, all at once and without a copy; first_line is the number of its first
 * line. Text and label are borrowed until the next call or the end. */
void shoal_input_point(shoal_input *in, shoal_span text, const char *label, int64_t first_line);
const char *shoal_input_label(const shoal_input *in);
/* Of the last line that was given, from 1. */
int64_t shoal_input_at(const shoal_input *in);

/* Stored bytes consumed, and in all (0 if unknown). */
void shoal_input_progress(const shoal_input *in, uint64_t *done, uint64_t *total);

/* Fails with SHOAL_E_FORMAT: "FILE:LINE: WHAT ('VALUE'), expected EXPECTED". */
shoal_status shoal_input_fail(const shoal_input *in, shoal_span value, const char *what,
                              const char *expected, ...) __attribute__((format(printf, 4, 5)));
/* Puts file, line and value before the text of a failure that a call just returned. */
shoal_status shoal_input_refuse(const shoal_input *in, shoal_span value, const char *what,
                                shoal_status status);

#endif
