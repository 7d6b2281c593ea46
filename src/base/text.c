/* SPDX-License-Identifier: BSD-3-Clause
 * Spans of text. */
#include "base/text.h"

#include <stdio.h>

shoal_span shoal_span_trim(shoal_span s)
{
    while (s.size > 0 && shoal_is_blank(s.text[0])) {
        ++s.text;
        --s.size;
    }
    while (s.size > 0 && shoal_is_blank(s.text[s.size - 1])) --s.size;
    return s;
}

shoal_span shoal_span_columns(shoal_span line, size_t first, size_t last)
{
    const size_t end = last < line.size ? last : line.size;
    if (first >= end) return (shoal_span){line.text + line.size, 0};
    return shoal_span_trim((shoal_span){line.text + first, end - first});
}

bool shoal_span_equal(shoal_span s, const char *text)
{
    return strlen(text) == s.size && memcmp(s.text, text, s.size) == 0;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool shoal_span_equal_nocase(shoal_span s, const char *text)
{
    if (strlen(text) != s.size) return false;
    for (size_t i = 0; i < s.size; ++i)
        if (lower(s.text[i]) != lower(text[i])) return false;
    return true;
}

bool shoal_span_starts(shoal_span s, const char *prefix)
{
    const size_t n = strlen(prefix);
    return s.size >= n && memcmp(s.text, prefix, n) == 0;
}

void shoal_text_quote(char out[SHOAL_QUOTE_SIZE], shoal_span value)
{
    enum { MAX_SHOWN = 40 };
    const size_t shown = value.size < MAX_SHOWN ? value.size : MAX_SHOWN;
    size_t n = 0;
    for (size_t i = 0; i < shown; ++i) {
        const unsigned char c = (unsigned char)value.text[i];
        if (c >= ' ' && c < 0x7f)
            out[n++] = (char)c;
        else
            n += (size_t)snprintf(out + n, SHOAL_QUOTE_SIZE - n, "\\x%02x", c);
    }
    (void)snprintf(out + n, SHOAL_QUOTE_SIZE - n, "%s", value.size > shown ? "..." : "");
}
