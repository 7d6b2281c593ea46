/* SPDX-License-Identifier: BSD-3-Clause
 * JSON (RFC 8259) read into a tree. */
#include "base/json_read.h"

#include <string.h>

enum { MOST_DEPTH = 32 };

typedef struct json_reader {
    shoal_span rest;
    const char *label;
    int32_t line;
    arena *memory;
} json_reader;

static shoal_status fail(const json_reader *r, const char *expected)
{
    char quoted[SHOAL_QUOTE_SIZE];
    shoal_text_quote(quoted, (shoal_span){r->rest.text, r->rest.size < 20 ? r->rest.size : 20});
    return shoal_fail(SHOAL_E_FORMAT, "%s:%d: bad JSON (%s), expected %s", r->label, (int)r->line,
                      quoted, expected);
}

static void skip_blanks(json_reader *r)
{
    size_t n = 0;
    while (n < r->rest.size && shoal_is_blank(r->rest.text[n]))
        r->line += r->rest.text[n++] == '\n';
    r->rest = shoal_span_after(r->rest, n);
}

static bool takes(json_reader *r, char c)
{
    skip_blanks(r);
    if (r->rest.size == 0 || r->rest.text[0] != c) return false;
    r->rest = shoal_span_after(r->rest, 1);
    return true;
}

/* A code point of \uXXXX as UTF-8; 0 for half of a pair, which no text of ours has. */
static size_t put_code(char *to, shoal_span hex)
{
    uint32_t code = 0;
    for (size_t k = 0; k < 4; ++k) {
        const char c = k < hex.size ? hex.text[k] : 'x', low = (char)(c | 0x20);
        if (!shoal_is_digit(c) && !(low >= 'a' && low <= 'f')) return 0;
        code = code * 16 + (uint32_t)(shoal_is_digit(c) ? c - '0' : low - 'a' + 10);
    }
    if (code == 0 || (code >= 0xD800 && code < 0xE000)) return 0;
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    const size_t n = code < 0x800 ? 2 : 3;
    to[0] = (char)((n == 2 ? 0xC0u : 0xE0u) | code >> 6 * (n - 1));
    if (n == 3) to[1] = (char)(0x80u | (code >> 6 & 0x3Fu));
    to[n - 1] = (char)(0x80u | (code & 0x3Fu));
    return n;
}

/* One character behind a backslash; how many bytes of the text it takes, 0 for none that is known. */
static size_t put_escape(char *to, size_t *n, shoal_span from)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *at = from.size > 0 && from.text[0] ? strchr(names, from.text[0]) : NULL;
    if (at) {
        to[(*n)++] = meant[at - names];
        return 1;
    }
    if (from.size == 0 || from.text[0] != 'u') return 0;
    const size_t size = put_code(to + *n, shoal_span_after(from, 1));
    *n += size;
    return size > 0 ? 5 : 0;
}

/* Behind its first quote. */
static shoal_status read_text(json_reader *r, const char **out)
{
    size_t end = 0, n = 0;
    while (end < r->rest.size && r->rest.text[end] != '"') end += r->rest.text[end] == '\\' ? 2 : 1;
    if (end >= r->rest.size) return fail(r, "the end of a text");
    char *text = arena_alloc_dirty(r->memory, end + 1, 1);
    if (!text) return SHOAL_E_MEMORY;
    for (size_t k = 0; k < end;) {
        const char c = r->rest.text[k++];
        if (c != '\\') {
            text[n++] = c;
            continue;
        }
        const size_t size = put_escape(text, &n, shoal_span_after(r->rest, k));
        if (size == 0) return fail(r, "an escape such as \\n or \\u00e4");
        k += size;
    }
    text[n] = '\0';
    *out = text;
    r->rest = shoal_span_after(r->rest, end + 1);
    return SHOAL_OK;
}

static shoal_status read_word(json_reader *r, json_value *v)
{
    static const char *const words[] = {"null", "false", "true"};
    size_t n = 0;
    while (n < r->rest.size && !shoal_is_blank(r->rest.text[n]) && !strchr(",]}:", r->rest.text[n]))
        ++n;
    const shoal_span word = {r->rest.text, n};
    for (int k = 0; k < 3; ++k) {
        if (!shoal_span_equal(word, words[k])) continue;
        v->type = k == 0 ? JSON_NULL : JSON_BOOLEAN;
        v->number = k == 2;
        r->rest = shoal_span_after(r->rest, n);
        return SHOAL_OK;
    }
    v->type = JSON_NUMBER;
    if (n == 0 || !shoal_text_double(word, &v->number)) return fail(r, "a value");
    r->rest = shoal_span_after(r->rest, n);
    return SHOAL_OK;
}

static shoal_status read_value(json_reader *r, json_value *v, int depth);

static shoal_status read_items(json_reader *r, json_value *v, char end, int depth)
{
    json_value **last = &v->first;
    if (takes(r, end)) return SHOAL_OK;
    for (;;) {
        json_value *item = arena_alloc(r->memory, 1, sizeof *item);
        if (!item) return SHOAL_E_MEMORY;
        if (v->type == JSON_OBJECT) {
            if (!takes(r, '"')) return fail(r, "a key in quotes");
            SHOAL_TRY(read_text(r, &item->key));
            if (!takes(r, ':')) return fail(r, "a colon");
        }
        SHOAL_TRY(read_value(r, item, depth + 1));
        *last = item;
        last = &item->next;
        ++v->n;
        if (takes(r, end)) return SHOAL_OK;
        if (!takes(r, ',')) return fail(r, end == '}' ? "a comma or }" : "a comma or ]");
    }
}

static shoal_status read_value(json_reader *r, json_value *v, int depth)
{
    if (depth > MOST_DEPTH) return fail(r, "no more than 32 brackets in each other");
    skip_blanks(r);
    v->line = r->line;
    if (takes(r, '"')) {
        v->type = JSON_TEXT;
        return read_text(r, &v->text);
    }
    if (takes(r, '[')) {
        v->type = JSON_ARRAY;
        return read_items(r, v, ']', depth);
    }
    if (takes(r, '{')) {
        v->type = JSON_OBJECT;
        return read_items(r, v, '}', depth);
    }
    return read_word(r, v);
}

shoal_status json_read(const json_value **out, shoal_span text, const char *label, arena *memory)
{
    json_reader r = {.rest = text, .label = label, .line = 1, .memory = memory};
    json_value *v = arena_alloc(memory, 1, sizeof *v);
    *out = NULL;
    if (!v) return SHOAL_E_MEMORY;
    SHOAL_TRY(read_value(&r, v, 0));
    skip_blanks(&r);
    if (r.rest.size > 0) return fail(&r, "nothing more");
    *out = v;
    return SHOAL_OK;
}

const json_value *json_member(const json_value *object, const char *key)
{
    if (!object || object->type != JSON_OBJECT) return NULL;
    for (const json_value *v = object->first; v; v = v->next)
        if (strcmp(v->key, key) == 0) return v;
    return NULL;
}
