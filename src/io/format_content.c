/* SPDX-License-Identifier: BSD-3-Clause
 * The format of a file by its first lines, where its name does not tell it. */
#include "io/reader.h"
#include "io/record_split.h"

enum { LINES_SEEN = 40 };

static bool starts_nocase(shoal_span s, const char *prefix)
{
    const size_t n = strlen(prefix);
    return s.size >= n && shoal_span_equal_nocase((shoal_span){s.text, n}, prefix);
}

static shoal_span take_line(shoal_span *rest)
{
    const char *end = memchr(rest->text, '\n', rest->size);
    const size_t n = end ? (size_t)(end - rest->text) : rest->size;
    const shoal_span line = {rest->text, n};
    *rest = shoal_span_after(*rest, n + 1);
    return line;
}

/* The number of words that are numbers, -1 with any other. */
static int count_numbers(shoal_span line)
{
    int n = 0;
    double number;
    for (shoal_span word; (word = shoal_span_word(&line)).size > 0; ++n)
        if (!shoal_text_double(word, &number)) return -1;
    return n;
}

static bool is_pdb_line(shoal_span line)
{
    static const char *const words[] = {"HEADER ", "TITLE  ", "COMPND ", "REMARK ",
                                        "CRYST1 ", "ATOM   ", "HETATM",  "MODEL  "};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; ++k)
        if (shoal_span_starts(line, words[k])) return true;
    return false;
}

/* A factor below the first line, then three vectors. */
static bool is_poscar(const shoal_span lines[LINES_SEEN], int n)
{
    if (n < 7 || (count_numbers(lines[1]) != 1 && count_numbers(lines[1]) != 3)) return false;
    for (int k = 2; k < 5; ++k)
        if (count_numbers(lines[k]) != 3) return false;
    return true;
}

shoal_format format_by_content(shoal_span text)
{
    shoal_span lines[LINES_SEEN];
    int n = 0, first = 0;
    while (n < LINES_SEEN && text.size > 0) lines[n++] = take_line(&text);
    for (int k = 0; k < n; ++k) {
        const shoal_span line = shoal_span_trim(lines[k]);
        if (starts_nocase(line, "data_")) return SHOAL_FORMAT_CIF;
        if (shoal_span_starts(line, "@<TRIPOS>")) return SHOAL_FORMAT_MOL2;
        if (line.size > 0 && line.text[0] != '#') break;
    }
    if (n > 3 && line_is_counts(lines[3])) return SHOAL_FORMAT_SDF;
    if (is_poscar(lines, n)) return SHOAL_FORMAT_POSCAR;
    while (first < n && shoal_span_trim(lines[first]).size == 0) ++first;
    if (first < n && is_pdb_line(lines[first])) return SHOAL_FORMAT_PDB;
    if (first + 2 < n && line_is_count(lines[first]) && line_is_atom(lines[first + 2]))
        return SHOAL_FORMAT_XYZ;
    return SHOAL_FORMAT_AUTO;
}
