/* SPDX-License-Identifier: BSD-3-Clause
 * Text of the kernels: finding a file, and putting its includes in place. */
#include "cl/cl_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { MAX_FILES = 64, NAME_SIZE = 64 };

typedef struct expansion {
    const char *directory;           /* NULL: the embedded files */
    char seen[MAX_FILES][NAME_SIZE]; /* files that are already in the text */
    int32_t n_seen;
    shoal_string *out;
} expansion;

static shoal_status read_embedded(const char *name, shoal_string *text)
{
    for (int32_t k = 0; k < cl_source_n_files; ++k)
        if (strcmp(cl_source_files[k].name, name) == 0)
            return shoal_string_set(text, shoal_span_of(cl_source_files[k].text));
    return shoal_fail(SHOAL_E_DEVICE, "there is no kernel source 'kernels/%s'", name);
}

static shoal_status read_disk(const char *directory, const char *name, shoal_string *text)
{
    char path[1024], piece[4096];
    const int n = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return shoal_fail(SHOAL_E_DEVICE, "SHOAL_KERNEL_DIR is too long: %s", directory);
    FILE *file = fopen(path, "rb");
    if (!file)
        return shoal_fail(SHOAL_E_DEVICE, "%s: %s (SHOAL_KERNEL_DIR)", path, strerror(errno));
    shoal_status status = shoal_string_set(text, (shoal_span){"", 0});
    size_t got = 1;
    while (status == SHOAL_OK && (got = fread(piece, 1, sizeof piece, file)) > 0)
        status = shoal_string_append(text, (shoal_span){piece, got});
    if (status == SHOAL_OK && ferror(file))
        status = shoal_fail(SHOAL_E_DEVICE, "%s: could not be read (SHOAL_KERNEL_DIR)", path);
    (void)fclose(file);
    return status;
}

/* Name in a line such as: # include "name.h". False for all other lines. */
static bool included_name(shoal_span line, char out[NAME_SIZE])
{
    line = shoal_span_trim(line);
    if (line.size == 0 || line.text[0] != '#') return false;
    line = shoal_span_trim(shoal_span_after(line, 1));
    if (!shoal_span_starts(line, "include")) return false;
    line = shoal_span_trim(shoal_span_after(line, 7));
    if (line.size < 3 || line.text[0] != '"') return false;
    line = shoal_span_after(line, 1);
    const char *quote = memchr(line.text, '"', line.size);
    if (!quote || quote - line.text >= NAME_SIZE) return false;
    (void)snprintf(out, NAME_SIZE, "%.*s", (int)(quote - line.text), line.text);
    return true;
}

static shoal_status put_mark(expansion *x, int32_t line, const char *name)
{
    char mark[NAME_SIZE + 40];
    (void)snprintf(mark, sizeof mark, "#line %d \"kernels/%s\"\n", (int)line, name);
    return shoal_string_append(x->out, shoal_span_of(mark));
}

/* Notes a file; *fresh is false if it is in the text already. */
static shoal_status note_file(expansion *x, const char *name, bool *fresh)
{
    for (int32_t k = 0; k < x->n_seen; ++k)
        if (strcmp(x->seen[k], name) == 0) {
            *fresh = false;
            return SHOAL_OK;
        }
    if (x->n_seen == MAX_FILES || strlen(name) >= NAME_SIZE)
        return shoal_fail(SHOAL_E_DEVICE, "kernels/%s: too many includes or too long a name", name);
    (void)snprintf(x->seen[x->n_seen++], NAME_SIZE, "%s", name);
    *fresh = true;
    return SHOAL_OK;
}

static shoal_status put_file(expansion *x, const char *name);

static shoal_status put_lines(expansion *x, const char *name, shoal_span text)
{
    SHOAL_TRY(put_mark(x, 1, name));
    for (int32_t number = 1; text.size > 0; ++number) {
        const char *newline = memchr(text.text, '\n', text.size);
        const size_t n = newline ? (size_t)(newline - text.text) : text.size;
        char wanted[NAME_SIZE];
        if (included_name((shoal_span){text.text, n}, wanted)) {
            SHOAL_TRY(put_file(x, wanted));
            SHOAL_TRY(put_mark(x, number + 1, name));
        } else {
            SHOAL_TRY(shoal_string_append(x->out, (shoal_span){text.text, n}));
            SHOAL_TRY(shoal_string_append(x->out, (shoal_span){"\n", 1}));
        }
        text = shoal_span_after(text, n + 1);
    }
    return SHOAL_OK;
}

/* Recursion is bounded: no file is entered twice. */
static shoal_status put_file(expansion *x, const char *name)
{
    bool fresh;
    shoal_string text = {0};
    SHOAL_TRY(note_file(x, name, &fresh));
    if (!fresh) return SHOAL_OK;
    shoal_status status =
        x->directory ? read_disk(x->directory, name, &text) : read_embedded(name, &text);
    if (status == SHOAL_OK) status = put_lines(x, name, (shoal_span){text.data, (size_t)text.size});
    shoal_string_free(&text);
    return status;
}

shoal_status cl_source_expand(const char *name, shoal_string *out)
{
    const char *directory = getenv("SHOAL_KERNEL_DIR");
    expansion *x = shoal_alloc(1, sizeof *x);
    if (!x) return SHOAL_E_MEMORY;
    *out = (shoal_string){0};
    *x = (expansion){.directory = directory && *directory ? directory : NULL, .out = out};
    const shoal_status status = put_file(x, name);
    free(x);
    if (status != SHOAL_OK) shoal_string_free(out);
    return status;
}

/* File and line that the marks give to a line of an expanded text, counted from 1. */
static void find_place(const char *text, int32_t line, char *out, size_t size)
{
    char name[NAME_SIZE + 8] = "";
    int32_t number = 0;
    for (int32_t at = 1; at <= line && *text; ++at, ++number) {
        int start;
        if (sscanf(text, "#line %d \"%71[^\"]", &start, name) == 2) number = start - 1;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    (void)snprintf(out, size, "%s:%d", name, (int)number - 1);
}

shoal_status cl_source_place_log(const char *text, const char *log, shoal_string *out)
{
    static const char mark[] = "<kernel>:";
    const char *hit;
    *out = (shoal_string){0};
    SHOAL_TRY(shoal_string_set(out, (shoal_span){"", 0}));
    while ((hit = strstr(log, mark))) {
        const char *digits = hit + strlen(mark);
        const size_t n = strspn(digits, "0123456789");
        char place[NAME_SIZE + 32];
        int32_t line;
        SHOAL_TRY(shoal_string_append(out, (shoal_span){log, (size_t)(hit - log)}));
        if (shoal_text_int((shoal_span){digits, n}, &line))
            find_place(text, line, place, sizeof place);
        else
            (void)snprintf(place, sizeof place, "%s", mark);
        SHOAL_TRY(shoal_string_append(out, shoal_span_of(place)));
        log = digits + n;
    }
    return shoal_string_append(out, shoal_span_of(log));
}
