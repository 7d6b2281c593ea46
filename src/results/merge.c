/* SPDX-License-Identifier: BSD-3-Clause
 * Merging the outputs of shards: every file is in the order of its systems' numbers, so the smallest number of all
 * is next. */
#include "shoal/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "io/input.h"
#include "io/reader.h"
#include "io/records.h"
#include "shoal/results.h"

#define CUT_RECORDS 64
#define CUT_BYTES ((size_t)1 << 20)

typedef enum merge_kind { MERGE_RECORDS, MERGE_JSON, MERGE_CSV, MERGE_HDF5 } merge_kind;

/* A file and the system that comes next in it, with all of its frames if it is a trajectory. */
typedef struct merge_source {
    const char *path;
    merge_kind kind;
    shoal_format format; /* of MERGE_RECORDS */
    record_cutter *cutter;
    record_block block;
    int32_t at; /* in the block */
    shoal_input *lines;
    shoal_results_reader *results;
    int64_t n_read;  /* HDF5 */
    bool has_frames; /* a system may have several records, one behind the other */
    shoal_string *ahead;
    int64_t ahead_index; /* of the record behind the system; */
    bool is_last;        /* there is none */
    shoal_string *text;
    int64_t index; /* of the text; -1 before the first */
    bool ended;
} merge_source;

/* --- numbers of systems -------------------------------------------------------------------------- */

/* The digits at the start of a text. */
static bool leading_number(shoal_span text, int64_t *out)
{
    size_t n = 0;
    int64_t value = 0;
    while (n < text.size && n < 18 && shoal_is_digit(text.text[n]))
        value = 10 * value + (text.text[n++] - '0');
    *out = value;
    return n > 0;
}

/* The number behind the first time that a text has the key. */
static bool number_behind(shoal_span text, const char *key, int64_t *out)
{
    const size_t n = strlen(key);
    const char *p = text.text, *end = text.text + text.size;
    while (p + n <= end && (p = memchr(p, key[0], (size_t)(end - p) - n + 1)) != NULL) {
        if (memcmp(p, key, n) == 0)
            return leading_number((shoal_span){p + n, (size_t)(end - p) - n}, out);
        ++p;
    }
    return false;
}

/* The comment is the second line of a frame. */
static shoal_span comment_line(shoal_span text)
{
    const char *end = text.text + text.size;
    const char *first = memchr(text.text, '\n', text.size);
    if (!first) return (shoal_span){text.text, 0};
    const char *second = memchr(first + 1, '\n', (size_t)(end - first) - 1);
    return (shoal_span){first + 1, (size_t)((second ? second : end) - first) - 1};
}

static shoal_status find_index(const merge_source *s, shoal_span text, int64_t *index)
{
    bool ok = false;
    switch (s->kind) {
    case MERGE_CSV: ok = leading_number(text, index); break;
    case MERGE_JSON: ok = number_behind(text, "{\"index\":", index); break;
    case MERGE_RECORDS:
        ok = s->format == SHOAL_FORMAT_SDF
                 ? number_behind(text, "\n> <shoal_index>\n", index)
                 : number_behind(comment_line(text), "shoal_index=", index);
        break;
    case MERGE_HDF5: break;
    }
    if (ok) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT,
                      "%s: a system without its number behind number %lld, expected what "
                      "a run of Shoal wrote",
                      s->path, (long long)s->index);
}

/* --- the next record of a file, and the next system ----------------------------------------------- */

static shoal_status next_record(merge_source *s, bool *found)
{
    if (s->at >= s->block.n) {
        SHOAL_TRY(record_cutter_next(s->cutter, &s->block, CUT_RECORDS, CUT_BYTES));
        s->at = 0;
    }
    *found = s->block.n > 0;
    if (!*found) return SHOAL_OK;
    const shoal_span text = record_block_text(&s->block, s->at++);
    shoal_string_put(s->ahead, text.text, text.size);
    return SHOAL_OK;
}

/* A line with its end, and all lines that its quotes hold together. */
static shoal_status next_line(merge_source *s, bool *found)
{
    size_t n_quotes = 0;
    do {
        shoal_span line;
        SHOAL_TRY(shoal_input_line(s->lines, &line, found));
        if (!*found) break;
        shoal_string_put(s->ahead, line.text, line.size);
        shoal_string_put_text(s->ahead, "\n");
        for (size_t i = 0; i < line.size && s->kind == MERGE_CSV; ++i)
            n_quotes += line.text[i] == '"';
    } while (n_quotes % 2 == 1);
    *found = shoal_string_size(s->ahead) > 0;
    return SHOAL_OK;
}

static shoal_status next_result(merge_source *s, bool *found)
{
    *found = s->n_read < shoal_results_n_systems(s->results);
    return *found ? shoal_results_read(s->results, s->n_read++, s->ahead) : SHOAL_OK;
}

static shoal_status look_ahead(merge_source *s)
{
    bool found;
    size_t size;
    shoal_string_clear(s->ahead);
    SHOAL_TRY(s->kind == MERGE_RECORDS ? next_record(s, &found)
              : s->kind == MERGE_HDF5  ? next_result(s, &found)
                                       : next_line(s, &found));
    SHOAL_TRY(shoal_string_status(s->ahead));
    s->is_last = !found;
    if (s->is_last) return SHOAL_OK;
    const shoal_span text = {shoal_string_data(s->ahead), shoal_string_size(s->ahead)};
    if (s->kind != MERGE_HDF5) return find_index(s, text, &s->ahead_index);
    return shoal_results_record_index(text.text, text.size, &s->ahead_index, &size);
}

static shoal_status advance(merge_source *s)
{
    const int64_t before = s->index;
    shoal_string_clear(s->text);
    s->ended = s->is_last;
    if (s->ended) return SHOAL_OK;
    s->index = s->ahead_index;
    do {
        shoal_string_put(s->text, shoal_string_data(s->ahead), shoal_string_size(s->ahead));
        SHOAL_TRY(look_ahead(s));
    } while (s->has_frames && !s->is_last && s->ahead_index == s->index);
    SHOAL_TRY(shoal_string_status(s->text));
    if (s->index > before) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT,
                      "%s: system %lld behind system %lld, expected the order of their numbers",
                      s->path, (long long)s->index, (long long)before);
}

/* --- files --------------------------------------------------------------------------------------- */

static bool has_ending(const char *path, const char *ending)
{
    const size_t n = strlen(path), k = strlen(ending);
    return n > k && shoal_span_equal_nocase((shoal_span){path + n - k, k}, ending);
}

static shoal_status choose_kind(const char *path, merge_kind *kind, shoal_format *format)
{
    static const struct {
        const char *ending;
        merge_kind kind;
    } kinds[] = {{".jsonl", MERGE_JSON},    {".json", MERGE_JSON},    {".ndjson", MERGE_JSON},
                 {".jsonl.gz", MERGE_JSON}, {".json.gz", MERGE_JSON}, {".ndjson.gz", MERGE_JSON},
                 {".csv", MERGE_CSV},       {".csv.gz", MERGE_CSV},   {".h5", MERGE_HDF5},
                 {".hdf5", MERGE_HDF5}};
    *format = SHOAL_FORMAT_NONE;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        if (!has_ending(path, kinds[k].ending)) continue;
        *kind = kinds[k].kind;
        return SHOAL_OK;
    }
    *kind = MERGE_RECORDS;
    *format = shoal_format_by_path(path);
    if (*format == SHOAL_FORMAT_XYZ || *format == SHOAL_FORMAT_SDF) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "%s: the name does not tell a format, expected .xyz, .extxyz, .sdf, .jsonl, "
                      ".csv (each also "
                      ".gz) or .h5",
                      path);
}

/* The first line has the columns that all have, and perhaps some more. */
static shoal_status check_csv_header(const merge_source *s)
{
    shoal_string *header;
    bool same = false;
    SHOAL_TRY(shoal_string_create(&header));
    for (int k = 0; k < 8 && !same; ++k) {
        const shoal_results_what what = {
            .variants = k & 1, .adsorption = k & 2, .directions = k & 4};
        shoal_string_clear(header);
        shoal_results_csv_header(&what, header);
        same = strcmp(shoal_string_data(header), shoal_string_data(s->ahead)) == 0;
    }
    shoal_string_destroy(header);
    if (same) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT,
                      "%s:1: not the header of a run of Shoal, expected 'index,file,..'", s->path);
}

static shoal_status open_results(merge_source *s)
{
    shoal_results_header header;
    SHOAL_TRY(shoal_results_open(&s->results, s->path));
    SHOAL_TRY(shoal_results_header_get(s->results, &header));
    s->has_frames = header.what.dynamics;
    return SHOAL_OK;
}

static shoal_status open_source(merge_source *s, const char *path)
{
    bool found;
    s->path = path;
    s->index = -1;
    SHOAL_TRY(choose_kind(path, &s->kind, &s->format));
    SHOAL_TRY(shoal_string_create(&s->ahead));
    SHOAL_TRY(shoal_string_create(&s->text));
    s->has_frames = s->format == SHOAL_FORMAT_XYZ;
    switch (s->kind) {
    case MERGE_RECORDS: return record_cutter_open(&s->cutter, path, s->format, NULL);
    case MERGE_HDF5: return open_results(s);
    case MERGE_JSON: return shoal_input_open(&s->lines, path, NULL);
    case MERGE_CSV: break;
    }
    SHOAL_TRY(shoal_input_open(&s->lines, path, NULL));
    SHOAL_TRY(next_line(s, &found));
    return check_csv_header(s);
}

static void close_source(merge_source *s)
{
    record_cutter_destroy(s->cutter);
    record_block_free(&s->block);
    shoal_input_destroy(s->lines);
    shoal_results_reader_destroy(s->results);
    shoal_string_destroy(s->ahead);
    shoal_string_destroy(s->text);
}

/* Where the systems go. */
typedef struct merge_output {
    const char *path;
    char *part; /* of HDF5 */
    shoal_writer *writer;
    shoal_results *results;
} merge_output;

static shoal_status open_output(merge_output *o, const merge_source *first)
{
    if (first->kind != MERGE_HDF5) {
        SHOAL_TRY(shoal_writer_open(&o->writer, o->path, SHOAL_FORMAT_NONE));
        if (first->kind != MERGE_CSV) return SHOAL_OK;
        return shoal_writer_append(o->writer, shoal_string_data(first->ahead),
                                   shoal_string_size(first->ahead));
    }
    shoal_results_header header;
    const size_t n = strlen(o->path) + sizeof ".partial";
    o->part = shoal_alloc(n, 1);
    if (!o->part) return SHOAL_E_MEMORY;
    (void)snprintf(o->part, n, "%s.partial", o->path);
    SHOAL_TRY(shoal_results_header_get(first->results, &header));
    return shoal_results_create(&o->results, o->part, &header, -1);
}

static shoal_status write_system(merge_output *o, const shoal_string *text)
{
    const char *bytes = shoal_string_data(text);
    const size_t n = shoal_string_size(text);
    return o->results ? shoal_results_write(o->results, bytes, n)
                      : shoal_writer_append(o->writer, bytes, n);
}

static shoal_status close_output(merge_output *o)
{
    if (o->writer) return shoal_writer_close(o->writer);
    SHOAL_TRY(shoal_results_close(o->results));
    if (rename(o->part, o->path) == 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_IO, "%s: cannot be given its name", o->path);
}

static void free_output(merge_output *o, shoal_status status)
{
    const bool made = o->results != NULL;
    shoal_writer_destroy(o->writer);
    shoal_results_destroy(o->results);
    if (made && status != SHOAL_OK) (void)remove(o->part);
    free(o->part);
}

/* --- merging ------------------------------------------------------------------------------------- */

static merge_source *smallest(merge_source *sources, int32_t n)
{
    merge_source *least = NULL;
    for (int32_t k = 0; k < n; ++k)
        if (!sources[k].ended && (!least || sources[k].index < least->index)) least = &sources[k];
    return least;
}

/* Passes over a system in all files but the one that it was taken from. */
static shoal_status pass_over(merge_source *sources, int32_t n, merge_source *taken,
                              shoal_merge_report *report)
{
    const size_t size = shoal_string_size(taken->text);
    for (int32_t k = 0; k < n; ++k) {
        merge_source *s = &sources[k];
        if (s == taken || s->ended || s->index != taken->index) continue;
        if (shoal_string_size(s->text) != size ||
            memcmp(shoal_string_data(s->text), shoal_string_data(taken->text), size) != 0)
            return shoal_fail(
                SHOAL_E_FORMAT,
                "system %lld is not the same in %s and %s, expected shards of one run",
                (long long)s->index, taken->path, s->path);
        ++report->n_again;
        SHOAL_TRY(advance(s));
    }
    return SHOAL_OK;
}

static shoal_status merge_all(merge_source *sources, int32_t n, merge_output *out,
                              shoal_merge_report *report)
{
    int64_t next = 0;
    for (int32_t k = 0; k < n; ++k) {
        SHOAL_TRY(look_ahead(&sources[k]));
        SHOAL_TRY(advance(&sources[k]));
    }
    for (merge_source *s = smallest(sources, n); s; s = smallest(sources, n)) {
        if (s->index > next && report->first_missing < 0) report->first_missing = next;
        report->n_missing += s->index - next;
        next = s->index + 1;
        SHOAL_TRY(write_system(out, s->text));
        ++report->n_systems;
        SHOAL_TRY(pass_over(sources, n, s, report));
        SHOAL_TRY(advance(s));
    }
    return SHOAL_OK;
}

static shoal_status open_all(merge_source *sources, const char *const *files, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        if (!files[k]) return shoal_fail(SHOAL_E_ARGUMENT, "merge: file %d has no name", k);
        SHOAL_TRY(open_source(&sources[k], files[k]));
        if (sources[k].kind != sources[0].kind || sources[k].format != sources[0].format)
            return shoal_fail(SHOAL_E_ARGUMENT, "%s and %s are of different formats", files[0],
                              files[k]);
    }
    return SHOAL_OK;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    if (strcmp(a, b) == 0) return true;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

static shoal_status check_output(const char *output, const merge_source *first,
                                 const char *const *files, int32_t n)
{
    merge_kind kind;
    shoal_format format;
    SHOAL_TRY(choose_kind(output, &kind, &format));
    if (kind != first->kind || format != first->format)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s and %s are of different formats", output,
                          first->path);
    for (int32_t k = 0; k < n; ++k)
        if (is_same_file(output, files[k]))
            return shoal_fail(SHOAL_E_ARGUMENT, "%s is among the files to be merged", output);
    return SHOAL_OK;
}

shoal_status shoal_merge(const char *output, const char *const *files, int32_t n_files,
                         shoal_merge_report *report)
{
    shoal_merge_report found = {.first_missing = -1};
    shoal_clear_error();
    SHOAL_NEED(output && files);
    if (n_files < 1) return shoal_fail(SHOAL_E_ARGUMENT, "merge: no files");
    merge_source *sources = shoal_alloc((size_t)n_files, sizeof *sources);
    if (!sources) return SHOAL_E_MEMORY;
    merge_output out = {.path = output};
    shoal_status status = open_all(sources, files, n_files);
    if (status == SHOAL_OK) status = check_output(output, &sources[0], files, n_files);
    if (status == SHOAL_OK) status = open_output(&out, &sources[0]);
    if (status == SHOAL_OK) status = merge_all(sources, n_files, &out, &found);
    if (status == SHOAL_OK) status = close_output(&out);
    free_output(&out, status);
    for (int32_t k = 0; k < n_files; ++k) close_source(&sources[k]);
    free(sources);
    if (report) *report = found;
    return status;
}
