/* SPDX-License-Identifier: BSD-3-Clause
 * Cutting a molecule file into whole records without parsing them: one look at each line. */
#include "io/records.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/reader.h"
#include "io/record_split.h"

/* Keeps a file whose record never ends from filling the memory; a record of 10^7 atoms is smaller. */
#define RECORD_LIMIT ((size_t)1 << 30)

/* What a line is to the record before it. */
typedef enum line_role {
    LINE_INSIDE,
    LINE_LAST, /* the record ends with it */
    LINE_NEXT, /* the record ended before it, at end */
} line_role;

/* What comes next in an xyz frame. */
typedef enum xyz_part {
    XYZ_COUNT,
    XYZ_COMMENT,
    XYZ_ATOMS,
    XYZ_WHOLE,       /* nothing, or atoms that the count does not announce */
    XYZ_BAD_COMMENT, /* behind a line that is no count */
    XYZ_BAD_COUNT, /* behind a number there: an atom, or the number is the count of the next frame */
    XYZ_UNKNOWN_ATOMS, /* an unknown number of them */
} xyz_part;

struct record_cutter {
    shoal_input *in; /* its window begins with the record being looked for */
    shoal_format format;
    int64_t n_records;   /* given so far */
    int64_t line_number; /* of the record's first line */
    bool stopped;        /* no more records will come */
    shoal_status status; /* of the first failure; it is final */
    char *failure;

    /* What was seen of the record. */
    size_t scanned;  /* bytes */
    int64_t n_lines; /* whole lines in them */
    bool blank;      /* nothing but blank lines */
    bool begun;      /* mol2: a molecule's first line was there */
    sdf_place place;
    xyz_part part;
    int64_t atoms_left; /* xyz */
    size_t end;         /* where the record may end: bytes and lines before it */
    int64_t end_lines;
    bool in_text;             /* CIF: between semicolons */
    bool has_cell, ends_file; /* PDB: the record has CRYST1; and ends a file among others */
    shoal_string heading;     /* of a table, with its end, .. */
    size_t skipped;           /* .. and bytes up to there in its first record, .. */
    int64_t n_skipped;        /* .. and lines */
    char cell_line[82]; /* CRYST1, which counts for all models, with its end; "" without one */
};

/* The record ends before the line that begins at byte `at`, unless what follows tells otherwise. */
static void set_end(record_cutter *c, size_t at, int64_t n_lines)
{
    c->end = at;
    c->end_lines = n_lines;
}

static line_role next_before(record_cutter *c, size_t at)
{
    set_end(c, at, c->n_lines);
    return LINE_NEXT;
}

/* A number that is too large announces an unknown number of atoms. */
static void begin_frame(record_cutter *c, shoal_span line)
{
    int32_t n;
    if (!line_is_count(line)) {
        c->part = XYZ_BAD_COMMENT;
        return;
    }
    c->part = XYZ_COMMENT;
    c->atoms_left = shoal_text_int(shoal_span_trim(line), &n) ? n : INT64_MAX;
}

/* The frame may end behind this line. */
static void end_frame(record_cutter *c, size_t behind)
{
    c->part = XYZ_WHOLE;
    set_end(c, behind, c->n_lines + 1);
}

/* Lines of frames that something is wrong with. A frame whose first line is no count goes on up to a
 * count, or to a line without coordinates behind those that have them: another bad count. */
static line_role look_at_odd_xyz(record_cutter *c, size_t at, shoal_span line)
{
    const bool count = line_is_count(line), atom = !count && line_is_atom(line);
    if (c->part == XYZ_BAD_COMMENT) {
        c->part = count ? XYZ_BAD_COUNT : XYZ_UNKNOWN_ATOMS;
        c->begun = atom;
        if (count) set_end(c, at, c->n_lines);
        return LINE_INSIDE;
    }
    if (c->part == XYZ_BAD_COUNT && !atom) return LINE_NEXT;
    if (count) return next_before(c, at);
    if (!atom && c->begun && shoal_span_trim(line).size > 0) return next_before(c, at);
    c->begun = c->begun || atom;
    c->part = XYZ_UNKNOWN_ATOMS;
    return LINE_INSIDE;
}

/* The count line of a frame is followed by a comment and the lines of the atoms. A lone number among these
 * is the count of the next frame. Whether atoms follow that were not announced, the next line tells. */
static line_role look_at_xyz(record_cutter *c, size_t at, shoal_span line)
{
    switch (c->part) {
    case XYZ_ATOMS:
        if (line_is_count(line)) return next_before(c, at);
        if (--c->atoms_left == 0) end_frame(c, at + line.size + 1);
        return LINE_INSIDE;
    case XYZ_COUNT:
        if (shoal_span_trim(line).size > 0) begin_frame(c, line);
        return LINE_INSIDE;
    case XYZ_COMMENT:
        c->part = XYZ_ATOMS;
        if (c->atoms_left == 0) end_frame(c, at + line.size + 1);
        return LINE_INSIDE;
    case XYZ_WHOLE:
        if (line_is_count(line)) return LINE_NEXT;
        if (shoal_span_trim(line).size == 0) return LINE_INSIDE;
        if (!line_is_atom(line)) return LINE_NEXT;
        c->begun = true;
        c->part = XYZ_UNKNOWN_ATOMS;
        return LINE_INSIDE;
    default: return look_at_odd_xyz(c, at, line);
    }
}

static line_role look_at_mol2(record_cutter *c, size_t at, shoal_span line)
{
    if (!memchr(line.text, '@', line.size)) return LINE_INSIDE;
    if (!shoal_span_equal(shoal_span_trim(line), "@<TRIPOS>MOLECULE")) return LINE_INSIDE;
    if (c->begun) return next_before(c, at);
    c->begun = true;
    return LINE_INSIDE;
}

/* The block of a crystal ends before the next that has sites or may have. */
static line_role look_at_cif(record_cutter *c, size_t at, shoal_span line)
{
    if (line.size > 0 && line.text[0] == ';') {
        c->in_text = !c->in_text;
        return LINE_INSIDE;
    }
    const shoal_span s = shoal_span_trim(line);
    if (c->in_text || s.size < 5) return LINE_INSIDE;
    if (shoal_span_equal_nocase((shoal_span){s.text, 5}, "data_")) {
        if (c->begun) return next_before(c, at);
    } else if (s.size > 11 && shoal_span_equal_nocase((shoal_span){s.text, 11}, "_atom_site_")) {
        c->begun = true;
    }
    return LINE_INSIDE;
}

/* A model ends with ENDMDL or before the next one, a file among others with END. */
static line_role look_at_pdb(record_cutter *c, size_t at, shoal_span line)
{
    if (shoal_span_starts(line, "MODEL ") && c->begun) return next_before(c, at);
    if (shoal_span_starts(line, "ATOM  ") || shoal_span_starts(line, "HETATM")) {
        c->begun = true;
    } else if (shoal_span_starts(line, "CRYST1")) {
        const size_t n = line.size < 80 ? line.size : 80;
        memcpy(c->cell_line, line.text, n);
        memcpy(c->cell_line + n, "\n", 2);
        c->has_cell = true;
    } else if (shoal_span_starts(line, "END")) {
        const bool model = shoal_span_starts(line, "ENDMDL");
        c->ends_file = !model && shoal_span_equal(shoal_span_trim(line), "END");
        if (c->begun && (model || c->ends_file)) return LINE_LAST;
        if (c->ends_file) c->cell_line[0] = '\0';
    }
    return LINE_INSIDE;
}

/* Crystals and models alone are records, not what stands behind the last. */
static bool is_blank(const record_cutter *c, shoal_span line)
{
    const bool needs_atoms = c->format == SHOAL_FORMAT_CIF || c->format == SHOAL_FORMAT_PDB;
    if (needs_atoms && c->n_records > 0 && !c->begun) return true;
    return shoal_span_trim(line).size == 0;
}

/* Every line is a record but blank ones and a heading, which stand before one. */
static line_role look_at_smiles(record_cutter *c, shoal_span line)
{
    const shoal_span word = shoal_span_word(&line);
    const bool heading =
        c->line_number + c->n_lines == 1 && shoal_span_equal_nocase(word, "smiles");
    if (!heading && !c->blank) return LINE_LAST;
    c->blank = true;
    return LINE_INSIDE;
}

/* Of a table: every line behind the heading, unless a value in quotes goes on. */
static line_role look_at_table(record_cutter *c, shoal_span line)
{
    if (c->heading.size == 0) {
        if (c->blank) return LINE_INSIDE;
        shoal_string_put(&c->heading, line.text, line.size);
        shoal_string_put(&c->heading, "\n", 1);
        c->blank = true;
        c->skipped = (size_t)(line.text - shoal_input_window(c->in).text) + line.size + 1;
        c->n_skipped = c->n_lines + 1;
        return LINE_INSIDE;
    }
    for (size_t k = 0; k < line.size; ++k) c->in_text = c->in_text != (line.text[k] == '"');
    return c->blank || c->in_text ? LINE_INSIDE : LINE_LAST;
}

/* A counts line that is not the record's own may mean that a line of four $ is missing before it. */
static line_role look_at_sdf(record_cutter *c, size_t at, shoal_span line)
{
    enum { OWN_LINES = 7 }; /* header, counts line, and the header of another one */
    if (line.size >= 4 && memcmp(line.text, "$$$$", 4) == 0) return LINE_LAST;
    if (line.size < 39 || line.text[34] != 'V' || c->n_lines < OWN_LINES || !line_is_counts(line) ||
        !sdf_splits(&c->place, line.text - at, at, &c->end))
        return LINE_INSIDE;
    c->end_lines = c->n_lines - 3;
    return LINE_NEXT;
}

static line_role look_at(record_cutter *c, size_t at, shoal_span line)
{
    if (c->blank && !is_blank(c, line)) c->blank = false;
    switch (c->format) {
    case SHOAL_FORMAT_CIF: return look_at_cif(c, at, line);
    case SHOAL_FORMAT_PDB: return look_at_pdb(c, at, line);
    case SHOAL_FORMAT_POSCAR: return LINE_INSIDE;
    case SHOAL_FORMAT_XYZ: return look_at_xyz(c, at, line);
    case SHOAL_FORMAT_MOL2: return look_at_mol2(c, at, line);
    case SHOAL_FORMAT_SMILES: return look_at_smiles(c, line);
    case SHOAL_FORMAT_TABLE: return look_at_table(c, line);
    default: return look_at_sdf(c, at, line);
    }
}

/* The record ends where it may; its last line may lack an end. */
static void go_back(record_cutter *c)
{
    const size_t size = shoal_input_window(c->in).size;
    c->scanned = c->end < size ? c->end : size;
    c->n_lines = c->end_lines;
}

/* Looks at the lines of the window that were not looked at, and at its last one even if it has no end
 * when the file ends there. True if the record's end is among them. */
static bool scan_window(record_cutter *c, bool at_end)
{
    const shoal_span window = shoal_input_window(c->in);
    const char *p = window.text + c->scanned, *end = window.text + window.size;
    bool whole = false;
    while (p < end && !whole) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline && !at_end) break;
        const char *next = newline ? newline + 1 : end;
        const line_role role = look_at(c, (size_t)(p - window.text),
                                       (shoal_span){p, (size_t)((newline ? newline : end) - p)});
        if (role == LINE_NEXT) {
            go_back(c);
            return true;
        }
        whole = role == LINE_LAST;
        c->n_lines++;
        p = next;
    }
    c->scanned = (size_t)(p - window.text);
    return whole;
}

static shoal_status check_size(const record_cutter *c)
{
    if (shoal_input_window(c->in).size < RECORD_LIMIT) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT,
                      "%s:%" PRId64 ": record of more than %zu bytes, expected its end",
                      shoal_input_label(c->in), c->line_number, RECORD_LIMIT);
}

/* Looks for the end of the record; *found is false behind the last, and where it would have to be waited for
 * but nobody wants to: the next call goes on there. */
static shoal_status find_record(record_cutter *c, bool waits, bool *found)
{
    bool more = true;
    *found = false;
    while (!c->stopped && !*found) {
        *found = scan_window(c, !more);
        if (*found) break;
        if (c->part == XYZ_WHOLE && (!more || shoal_input_is_dry(c->in))) {
            go_back(c);
            *found = true;
            break;
        }
        if (!more) {
            c->stopped = true;
            *found = !c->blank;
            break;
        }
        SHOAL_TRY(check_size(c));
        if (!waits && shoal_input_waits(c->in)) break;
        SHOAL_TRY(shoal_input_extend(c->in, &more));
    }
    return SHOAL_OK;
}

/* The next record begins where the last one ended. */
static void begin_record(record_cutter *c)
{
    shoal_input_take(c->in, c->scanned, c->n_lines);
    c->line_number += c->n_lines;
    c->n_lines = 0;
    c->scanned = 0;
    c->blank = true;
    c->begun = false;
    c->place = (sdf_place){0};
    c->part = XYZ_COUNT;
    c->in_text = c->has_cell = false;
    c->skipped = 0;
    c->n_skipped = 0;
    if (c->ends_file) c->cell_line[0] = '\0';
    c->ends_file = false;
}

static shoal_status reserve_bytes(record_block *b, size_t size)
{
    if (size <= b->capacity) return SHOAL_OK;
    const size_t capacity = size + size / 2;
    char *text = realloc(b->text, capacity);
    if (!text) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu bytes of text", capacity);
    b->text = text;
    b->capacity = capacity;
    return SHOAL_OK;
}

shoal_status record_block_reserve(record_block *b, int32_t n)
{
    int32_t c[2] = {b->n_capacity, b->n_capacity};
    if (n < b->n_capacity) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&b->starts, &c[0], n + 1));
    SHOAL_TRY(SHOAL_RESERVE(&b->lines, &c[1], n + 1));
    b->n_capacity = c[0];
    return SHOAL_OK;
}

static shoal_status add_record(record_cutter *c, record_block *b)
{
    const shoal_span cell = shoal_span_of(c->has_cell ? "" : c->cell_line);
    const shoal_span head = c->heading.size > 0 ? shoal_string_span(&c->heading) : cell;
    const size_t skipped = c->skipped < c->scanned ? c->skipped : c->scanned;
    const size_t size = c->scanned - skipped;
    SHOAL_TRY(shoal_string_status(&c->heading));
    SHOAL_TRY(record_block_reserve(b, b->n + 1));
    SHOAL_TRY(reserve_bytes(b, b->size + head.size + size));
    memcpy(b->text + b->size, head.text, head.size);
    memcpy(b->text + b->size + head.size, shoal_input_window(c->in).text + skipped, size);
    b->lines[b->n] = c->line_number + c->n_skipped - (cell.size > 0);
    b->size += head.size + size;
    b->starts[++b->n] = b->size;
    c->n_records++;
    return SHOAL_OK;
}

/* The text of a failure, to be told again. */
static void keep_failure(record_cutter *c, shoal_status status)
{
    const size_t size = strlen(shoal_error_text()) + 1;
    c->status = status;
    c->failure = malloc(size);
    if (c->failure) memcpy(c->failure, shoal_error_text(), size);
}

shoal_status record_cutter_next(record_cutter *c, record_block *b, int32_t max_records,
                                size_t max_bytes)
{
    bool found = true;
    b->n = 0;
    b->size = 0;
    b->first = c->n_records;
    SHOAL_TRY(record_block_reserve(b, 1));
    b->starts[0] = 0;
    while (c->status == SHOAL_OK && found &&
           (b->n == 0 || (b->n < max_records && b->size < max_bytes))) {
        shoal_status status = find_record(c, b->n == 0, &found);
        if (status == SHOAL_OK && found) status = add_record(c, b);
        if (status != SHOAL_OK)
            keep_failure(c, status);
        else if (found || c->stopped)
            begin_record(c);
    }
    if (b->n > 0 || c->status == SHOAL_OK) return SHOAL_OK;
    return shoal_fail(c->status, "%s", c->failure ? c->failure : "out of memory");
}

static shoal_status create(record_cutter **out, shoal_format format, shoal_input *in)
{
    record_cutter *c = shoal_alloc(1, sizeof *c);
    *out = c;
    if (!c) {
        shoal_input_destroy(in);
        return SHOAL_E_MEMORY;
    }
    c->in = in;
    c->format = format;
    c->line_number = 1;
    c->blank = true;
    return SHOAL_OK;
}

/* The name tells nothing: the first lines may. */
static shoal_status look_inside(shoal_input *in, shoal_format *format)
{
    enum { ENOUGH = 4096 };
    bool more = true;
    while (more && shoal_input_window(in).size < ENOUGH) SHOAL_TRY(shoal_input_extend(in, &more));
    *format = format_by_content(shoal_input_window(in));
    return SHOAL_OK;
}

shoal_status record_cutter_open(record_cutter **out, const char *path, shoal_format format,
                                const _Atomic bool *stop)
{
    shoal_input *in;
    *out = NULL;
    const bool looks = format == SHOAL_FORMAT_AUTO &&
                       shoal_format_by_path(path) == SHOAL_FORMAT_AUTO && strcmp(path, "-") != 0;
    if (!looks) SHOAL_TRY(format_choose(&format, path));
    SHOAL_TRY(shoal_input_open(&in, path, stop));
    shoal_status status = looks ? look_inside(in, &format) : SHOAL_OK;
    if (status == SHOAL_OK && looks) status = format_choose(&format, path);
    if (status == SHOAL_OK) return create(out, format, in);
    shoal_input_destroy(in);
    return status;
}

shoal_status record_cutter_open_memory(record_cutter **out, const void *data, size_t size,
                                       const char *label, shoal_format format)
{
    shoal_input *in;
    *out = NULL;
    SHOAL_TRY(format_choose(&format, label));
    SHOAL_TRY(shoal_input_open_memory(&in, data, size, label));
    return create(out, format, in);
}

void record_cutter_destroy(record_cutter *c)
{
    if (!c) return;
    shoal_input_destroy(c->in);
    shoal_string_free(&c->heading);
    free(c->failure);
    free(c);
}

shoal_format record_cutter_format(const record_cutter *c)
{
    return c->format;
}

const char *record_cutter_label(const record_cutter *c)
{
    return shoal_input_label(c->in);
}

void record_cutter_progress(const record_cutter *c, uint64_t *done, uint64_t *total)
{
    shoal_input_progress(c->in, done, total);
}

void record_block_free(record_block *b)
{
    free(b->text);
    free(b->starts);
    free(b->lines);
    *b = (record_block){0};
}
