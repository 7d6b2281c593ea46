/* SPDX-License-Identifier: BSD-3-Clause
 * Lines of a file, of standard input or of memory, plain or gzip, and errors that name them. */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "io/gzip.h"

enum { CHUNK = 1 << 18 };
enum { LABEL_SIZE = 512 };
#define WAIT_MS 100 /* between two looks at whether to go on waiting */
/* Lines have no natural limit; this one keeps a small compressed file from filling the memory. */
#define LINE_LIMIT ((size_t)1 << 28)

struct shoal_input {
    const _Atomic bool *stop; /* ends waiting for pipes; may be NULL */
    const char *label;
    char *own_label;     /* NULL if the label is borrowed */
    int64_t line_number; /* of the last line given */
    shoal_span line;     /* the last line given */
    bool repeat;         /* give it again */
    bool clean;          /* the text is known to have no NUL bytes */
    bool is_record;      /* the text is a part of the file */

    /* Text not yet given: data[begin, end). data is buffer, or the caller's memory. */
    const char *data;
    size_t begin, end;
    char *buffer;
    size_t capacity;
    bool at_end; /* no more text will come */

    /* The stored bytes. */
    int fd;          /* -1 for memory */
    bool stored_end; /* everything was read */
    uint64_t stored_done, stored_total;
    shoal_gunzip *gunzip; /* NULL for plain text */
    unsigned char *chunk; /* compressed bytes of a file */
    shoal_window waiting; /* compressed bytes not yet decoded */
};

/* Control characters of a text for an error text, as \\xNN: none of them may reach a terminal. */
static const char *escape_text(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (const char *p = text; *p && n + 5 < size; ++p) {
        const unsigned char c = (unsigned char)*p;
        if (c >= ' ' && c != 0x7f)
            out[n++] = *p;
        else
            n += (size_t)snprintf(out + n, size - n, "\\x%02x", c);
    }
    out[n] = '\0';
    return out;
}

static const char *escape(char out[LABEL_SIZE], const shoal_input *in)
{
    return escape_text(out, LABEL_SIZE, in->label);
}

static int64_t count_lines(shoal_span text)
{
    int64_t n = 0;
    const char *p = text.text, *end = p + text.size;
    while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
        ++p;
        ++n;
    }
    return n;
}

/* Number of the line that is cut by the end of the text at hand. */
static int64_t line_at_end(const shoal_input *in)
{
    return in->line_number + count_lines(shoal_input_window(in)) + 1;
}

static shoal_status fail_system(const shoal_input *in, const char *what, int code)
{
    char reason[128], label[LABEL_SIZE];
    if (strerror_r(code, reason, sizeof reason) != 0)
        (void)snprintf(reason, sizeof reason, "error %d", code);
    return shoal_fail(SHOAL_E_IO, "%s: cannot %s: %s", escape(label, in), what, reason);
}

bool shoal_input_is_dry(const shoal_input *in)
{
    struct pollfd what = {.fd = in->fd, .events = POLLIN};
    return !in->stored_end && in->stored_total == 0 && in->waiting.left == 0 &&
           poll(&what, 1, 0) == 0;
}

bool shoal_input_waits(const shoal_input *in)
{
    return in->stop && shoal_input_is_dry(in);
}

/* Waits for a pipe or a terminal; false if nobody wants to wait any more. Files are always ready. */
static bool wait_for_bytes(const shoal_input *in)
{
    struct pollfd what = {.fd = in->fd, .events = POLLIN};
    while (in->stop) {
        const int ready = poll(&what, 1, WAIT_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) break; /* read says what is wrong */
        if (atomic_load(in->stop)) return false;
    }
    return true;
}

/* Reads stored bytes of a file; *n = 0 at its end. */
static shoal_status read_stored(shoal_input *in, void *to, size_t room, size_t *n)
{
    ssize_t got = 0;
    if (wait_for_bytes(in)) {
        do {
            got = read(in->fd, to, room);
        } while (got < 0 && errno == EINTR);
    }
    if (got < 0) return fail_system(in, "read", errno);
    *n = (size_t)got;
    in->stored_done += *n;
    if (got == 0) in->stored_end = true;
    return SHOAL_OK;
}

/* Decodes into room bytes; *n = 0 at the end of the data. */
static shoal_status read_gzip(shoal_input *in, void *to, size_t room, size_t *n)
{
    shoal_window out = {to, room};
    while (out.left == room) {
        if (in->waiting.left == 0 && !in->stored_end) {
            in->waiting.at = in->chunk;
            SHOAL_TRY(read_stored(in, in->chunk, CHUNK, &in->waiting.left));
        }
        const bool exhausted = in->waiting.left == 0 && in->stored_end;
        if (exhausted && shoal_gunzip_complete(in->gunzip)) break;
        const char *wrong = shoal_gunzip_run(in->gunzip, &in->waiting, &out);
        if (wrong)
            return shoal_fail(SHOAL_E_FORMAT,
                              "%s:%" PRId64 ": damaged gzip data ('%s'), expected "
                              "a gzip stream",
                              in->label, line_at_end(in), wrong);
        if (exhausted && out.left == room && !shoal_gunzip_complete(in->gunzip))
            return shoal_fail(SHOAL_E_FORMAT,
                              "%s:%" PRId64 ": truncated gzip data (%" PRIu64
                              " bytes), expected the rest of the stream",
                              in->label, line_at_end(in), in->stored_done);
    }
    *n = room - out.left;
    return SHOAL_OK;
}

/* True if the text at hand ends with a piece of a line beyond the limit. */
static bool line_too_long(const shoal_input *in)
{
    size_t n = 0;
    if (in->end - in->begin < LINE_LIMIT) return false;
    while (n < LINE_LIMIT && in->data[in->end - n - 1] != '\n') ++n;
    return n == LINE_LIMIT;
}

static shoal_status grow_buffer(shoal_input *in)
{
    if (line_too_long(in))
        return shoal_fail(SHOAL_E_FORMAT,
                          "%s:%" PRId64 ": line of more than %zu bytes, expected "
                          "text",
                          in->label, line_at_end(in), LINE_LIMIT);
    const size_t capacity = in->capacity > 0 ? 2 * in->capacity : CHUNK;
    char *buffer = realloc(in->buffer, capacity);
    if (!buffer) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu bytes of text", capacity);
    in->buffer = buffer;
    in->capacity = capacity;
    return SHOAL_OK;
}

/* Adds text behind what is left of it, at least one byte unless the end is reached. */
static shoal_status fill(shoal_input *in)
{
    size_t n = 0;
    if (in->begin > 0) {
        memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
        in->end -= in->begin;
        in->begin = 0;
    }
    if (in->end == in->capacity) SHOAL_TRY(grow_buffer(in));
    in->data = in->buffer;
    char *to = in->buffer + in->end;
    const size_t room = in->capacity - in->end;
    SHOAL_TRY(in->gunzip ? read_gzip(in, to, room, &n) : read_stored(in, to, room, &n));
    in->end += n;
    in->at_end = n == 0;
    return SHOAL_OK;
}

/* Looks at the first stored bytes and sets up decoding if they are gzip's. */
static shoal_status start(shoal_input *in)
{
    while (in->end < 2 && !in->at_end) SHOAL_TRY(fill(in));
    const unsigned char *head = (const unsigned char *)in->data;
    if (in->end < 2 || head[0] != 0x1f || head[1] != 0x8b) return SHOAL_OK;
    SHOAL_TRY(shoal_gunzip_create(&in->gunzip, in->label));
    if (in->fd >= 0) {
        in->chunk = shoal_alloc(CHUNK, 1);
        if (!in->chunk) return SHOAL_E_MEMORY;
        memcpy(in->chunk, in->data, in->end);
        in->waiting = (shoal_window){in->chunk, in->end};
    } else {
        in->waiting = (shoal_window){(unsigned char *)(uintptr_t)in->data, in->end};
    }
    in->end = 0;
    in->at_end = false;
    return SHOAL_OK;
}

/* A byte order mark is no text. */
static shoal_status skip_mark(shoal_input *in)
{
    while (in->end < 3 && !in->at_end) SHOAL_TRY(fill(in));
    if (in->end >= 3 && memcmp(in->data, "\xef\xbb\xbf", 3) == 0) in->begin = 3;
    return SHOAL_OK;
}

shoal_status shoal_input_create(shoal_input **out)
{
    shoal_input *in = shoal_alloc(1, sizeof *in);
    *out = in;
    if (!in) return SHOAL_E_MEMORY;
    in->fd = -1;
    in->data = in->label = "";
    in->line = (shoal_span){"", 0};
    in->at_end = in->stored_end = true;
    return SHOAL_OK;
}

static shoal_status create(shoal_input **out, const char *label)
{
    SHOAL_TRY(shoal_input_create(out));
    (*out)->label = (*out)->own_label = shoal_strdup(label);
    return (*out)->label ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* Ends the opening of an input: hands it over, or destroys it after a failure. */
static shoal_status settle(shoal_input **out, shoal_input *in, shoal_status status)
{
    if (status == SHOAL_OK) status = start(in);
    if (status == SHOAL_OK) status = skip_mark(in);
    if (status != SHOAL_OK) {
        shoal_input_destroy(in);
        in = NULL;
    }
    *out = in;
    return status;
}

static shoal_status open_file(shoal_input *in, const char *path)
{
    struct stat info;
    in->at_end = in->stored_end = false;
    if (strcmp(path, "-") == 0) {
        in->fd = STDIN_FILENO;
        return SHOAL_OK;
    }
    in->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0) return fail_system(in, "open", errno);
    if (fstat(in->fd, &info) == 0 && S_ISREG(info.st_mode))
        in->stored_total = (uint64_t)info.st_size;
    return SHOAL_OK;
}

const char *input_text(const char *path)
{
    static const char prefix[] = "smiles:";
    return strncmp(path, prefix, sizeof prefix - 1) == 0 ? path + sizeof prefix - 1 : NULL;
}

shoal_status shoal_input_open(shoal_input **out, const char *path, const _Atomic bool *stop)
{
    shoal_input *in;
    const char *text = input_text(path);
    if (text) return shoal_input_open_memory(out, text, strlen(text), path);
    shoal_status status = create(&in, strcmp(path, "-") == 0 ? "<stdin>" : path);
    if (status == SHOAL_OK) in->stop = stop;
    if (status == SHOAL_OK) status = open_file(in, path);
    return settle(out, in, status);
}

shoal_status shoal_input_open_memory(shoal_input **out, const void *data, size_t size,
                                     const char *label)
{
    shoal_input *in;
    const shoal_status status = create(&in, label);
    if (status == SHOAL_OK) {
        if (size > 0) in->data = data;
        in->end = size;
        in->stored_done = in->stored_total = size;
    }
    return settle(out, in, status);
}

void shoal_input_destroy(shoal_input *in)
{
    if (!in) return;
    if (in->fd > STDIN_FILENO) (void)close(in->fd);
    shoal_gunzip_destroy(in->gunzip);
    free(in->chunk);
    free(in->buffer);
    free(in->own_label);
    free(in);
}

static shoal_status refuse_binary(shoal_input *in, shoal_span line)
{
    in->line_number++;
    return shoal_input_fail(in, line, "binary data", "text without NUL bytes");
}

shoal_status shoal_input_line(shoal_input *in, shoal_span *line, bool *found)
{
    size_t scanned = 0;
    const char *newline = NULL;
    *found = true;
    if (in->repeat) {
        in->repeat = false;
        *line = in->line;
        return SHOAL_OK;
    }
    for (;;) {
        const char *from = in->data + in->begin + scanned;
        newline = memchr(from, '\n', in->end - in->begin - scanned);
        if (newline || in->at_end) break;
        scanned = in->end - in->begin;
        SHOAL_TRY(fill(in));
    }
    const char *text = in->data + in->begin;
    const size_t taken = newline ? (size_t)(newline - text) : in->end - in->begin;
    *line = (shoal_span){text, taken};
    *found = newline || taken > 0;
    if (!*found) return SHOAL_OK;
    if (!in->clean && memchr(text, '\0', taken)) return refuse_binary(in, *line);
    if (taken > 0 && text[taken - 1] == '\r') line->size--;
    in->begin += taken + (newline != NULL);
    in->line_number++;
    in->line = *line;
    return SHOAL_OK;
}

shoal_status shoal_input_need(shoal_input *in, shoal_span *line, const char *expected, ...)
{
    char text[256];
    bool found;
    SHOAL_TRY(shoal_input_line(in, line, &found));
    if (found) return SHOAL_OK;
    va_list args;
    va_start(args, expected);
    (void)vsnprintf(text, sizeof text, expected, args);
    va_end(args);
    char label[LABEL_SIZE];
    return shoal_fail(SHOAL_E_FORMAT, "%s:%" PRId64 ": end of %s, expected %s", escape(label, in),
                      in->line_number, in->is_record ? "record" : "file", text);
}

void shoal_input_unread(shoal_input *in)
{
    in->repeat = true;
}

shoal_span shoal_input_window(const shoal_input *in)
{
    return (shoal_span){in->data + in->begin, in->end - in->begin};
}

bool shoal_input_is_clean(const shoal_input *in)
{
    return in->clean;
}

shoal_status shoal_input_extend(shoal_input *in, bool *more)
{
    if (!in->at_end) SHOAL_TRY(fill(in));
    *more = !in->at_end;
    return SHOAL_OK;
}

void shoal_input_take(shoal_input *in, size_t n_bytes, int64_t n_lines)
{
    in->begin += n_bytes;
    in->line_number += n_lines;
}

void shoal_input_point(shoal_input *in, shoal_span text, const char *label, int64_t first_line)
{
    in->label = label;
    in->data = text.text;
    in->begin = 0;
    in->end = text.size;
    in->line_number = first_line - 1;
    in->repeat = false;
    in->is_record = true;
    in->line = (shoal_span){"", 0};
    in->clean = text.size == 0 || !memchr(text.text, '\0', text.size);
}

const char *shoal_input_label(const shoal_input *in)
{
    return in->label;
}

int64_t shoal_input_at(const shoal_input *in)
{
    return in->line_number;
}

void shoal_input_progress(const shoal_input *in, uint64_t *done, uint64_t *total)
{
    *done = in->stored_done - (in->gunzip ? in->waiting.left : in->end - in->begin);
    *total = in->stored_total;
}

shoal_status shoal_input_fail(const shoal_input *in, shoal_span value, const char *what,
                              const char *expected, ...)
{
    char text[256], quoted[SHOAL_QUOTE_SIZE], label[LABEL_SIZE];
    va_list args;
    va_start(args, expected);
    (void)vsnprintf(text, sizeof text, expected, args);
    va_end(args);
    shoal_text_quote(quoted, value);
    return shoal_fail(SHOAL_E_FORMAT, "%s:%" PRId64 ": %s ('%s'), expected %s", escape(label, in),
                      in->line_number, what, quoted, text);
}

shoal_status shoal_input_refuse(const shoal_input *in, shoal_span value, const char *what,
                                shoal_status status)
{
    char reason[256], quoted[SHOAL_QUOTE_SIZE], label[LABEL_SIZE];
    if (status == SHOAL_E_MEMORY) return status;
    (void)escape_text(reason, sizeof reason, shoal_error_text());
    shoal_text_quote(quoted, value);
    return shoal_fail(SHOAL_E_FORMAT, "%s:%" PRId64 ": %s ('%s'): %s", escape(label, in),
                      in->line_number, what, quoted, reason);
}

static shoal_status read_rest(shoal_input *in, shoal_string *text)
{
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(in, &line, &found));
        if (!found) return shoal_string_status(text);
        shoal_string_put(text, line.text, line.size);
        shoal_string_put(text, "\n", 1);
    }
}

shoal_status shoal_input_whole(const char *path, shoal_string *text)
{
    shoal_input *in;
    SHOAL_TRY(shoal_input_open(&in, path, NULL));
    const shoal_status status = read_rest(in, text);
    shoal_input_destroy(in);
    return status;
}
