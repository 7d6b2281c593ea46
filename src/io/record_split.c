/* SPDX-License-Identifier: BSD-3-Clause
 * Where a malformed record ends: what a line is by its look alone, and whether a counts line begins a
 * record of an SD file. */
#include "io/record_split.h"

enum { HEAD_LINES = 3, VERSION_COLUMN = 34 };

static bool has_version(shoal_span line)
{
    const shoal_span version = shoal_span_trim(shoal_span_after(line, VERSION_COLUMN));
    return shoal_span_equal(version, "V2000") || shoal_span_equal(version, "V3000");
}

bool line_is_counts(shoal_span line)
{
    if (!has_version(line)) return false;
    for (size_t k = 0; k < 6; ++k)
        if (line.text[k] != ' ' && !shoal_is_digit(line.text[k])) return false;
    return true;
}

bool line_is_number(shoal_span line)
{
    const char *p = line.text, *end = p + line.size;
    while (p < end && shoal_is_blank(*p)) ++p;
    if (p == end || !shoal_is_digit(*p)) return false;
    while (p < end && shoal_is_digit(*p)) ++p;
    while (p < end && shoal_is_blank(*p)) ++p;
    return p == end;
}

bool line_is_atom(shoal_span line)
{
    int n_words = 0, n_numbers = 0;
    double number;
    for (shoal_span word; (word = shoal_span_word(&line)).size > 0 && n_numbers < 3;) {
        ++n_words;
        n_numbers += shoal_text_double(word, &number);
    }
    return n_numbers == 3 && (n_words > 3 || shoal_span_trim(line).size > 0);
}

/* The version may stand in another column of the line that must have it. */
static bool ends_head(const sdf_place *place, shoal_span line)
{
    shoal_span last = {"", 0};
    if (place->n_lines < HEAD_LINES) return false;
    if (place->n_lines > HEAD_LINES) return line_is_counts(line);
    for (shoal_span word; (word = shoal_span_word(&line)).size > 0;) last = word;
    return shoal_span_equal(last, "V2000") || shoal_span_equal(last, "V3000");
}

static void pass_line(sdf_place *place, shoal_span line)
{
    const bool blank = shoal_span_trim(line).size == 0;
    if (place->part == SDF_HEAD) {
        if (ends_head(place, line)) place->part = SDF_MOL;
    } else if (place->part == SDF_MOL) {
        if (shoal_span_starts(line, "M  END")) place->part = SDF_DATA;
    } else if (shoal_span_starts(line, ">")) {
        place->part = SDF_FIELD;
        place->has_value = false;
    } else if (!blank) {
        place->has_value = true;
    }
    place->after_blank = blank;
    place->n_lines++;
}

/* Passes the lines before a byte that begins one. */
static void pass_lines(sdf_place *place, const char *record, size_t end)
{
    while (place->seen < end) {
        const char *from = record + place->seen;
        const char *newline = memchr(from, '\n', end - place->seen);
        const size_t n = newline ? (size_t)(newline - from) : end - place->seen;
        pass_line(place, (shoal_span){from, n});
        place->seen += n + 1;
    }
}

bool sdf_splits(sdf_place *place, const char *record, size_t at, size_t *start)
{
    size_t first = at;
    for (int k = 0; k < HEAD_LINES && first > 0; ++k) {
        --first;
        while (first > 0 && record[first - 1] != '\n') --first;
    }
    if (first < place->seen) return false;
    pass_lines(place, record, first);
    *start = first;
    switch (place->part) {
    case SDF_HEAD: break;
    case SDF_MOL:
    case SDF_DATA: return true;
    case SDF_FIELD: return place->has_value && place->after_blank;
    }
    pass_lines(place, record, at);
    return false;
}
