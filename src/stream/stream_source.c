/* SPDX-License-Identifier: BSD-3-Clause
 * The source of a stream: files, cut into blocks of records one after the other. Records that are passed over
 * are cut, but neither parsed nor handed out. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "results/results_record.h"
#include "stream/stream.h"

/* A block holds at most this many records: so many as stay in the cache of a core that carries them all the way; more
 * where many make one slice of a shared device. Its text is a share of what is left, so that threads end at the same
 * time, but not so small that lanes stay empty. */
#define BLOCK_RECORDS 128
#define BLOCK_RECORDS_SHARED 512
#define BLOCK_BYTES_LEAST ((double)(16 << 10))
#define BLOCK_BYTES_MOST ((double)(1 << 20))
#define SHARES 3 /* of a thread in what is left */

#define SERIES_SYSTEMS 8192            /* of a block, unless one series is longer */
#define ALONE_BYTES ((size_t)48 << 10) /* a record of more is a block of its own: some 1000 atoms */
#define PASSED_RECORDS 65536           /* that are cut at a time where most are passed over */

/* Sizes of all files, 0 if one of them has none. */
static uint64_t total_bytes(const shoal_stream_options *o)
{
    uint64_t total = 0;
    for (int32_t k = 0; k < o->input.n_files; ++k) {
        struct stat info;
        if (stat(o->input.files[k], &info) != 0 || !S_ISREG(info.st_mode)) return 0;
        total += (uint64_t)info.st_size;
    }
    return total;
}

void stream_source_open(stream_source *source, const stream *s)
{
    const shoal_stream_options *options = s->options;
    const bool in_memory = stream_in_memory(options);
    const int32_t slice = options->compute.slice_systems;
    const int32_t most =
        s->n_shared > 0 || stream_spreads(options) ? BLOCK_RECORDS_SHARED : BLOCK_RECORDS;
    *source = (stream_source){.options = options,
                              .i_file = in_memory ? 0 : -1,
                              .stop = &s->stop,
                              .most_records = slice > 0 && slice < most ? slice : most};
    source->bytes_total = in_memory ? stream_records_bytes(options) : total_bytes(options);
}

static uint64_t bytes_done(const stream_source *source)
{
    uint64_t done = 0, total;
    if (source->cutter) record_cutter_progress(source->cutter, &done, &total);
    if (source->results && shoal_results_n_systems(source->results) > 0)
        done = (uint64_t)((double)source->file_bytes * (double)source->i_result /
                          (double)shoal_results_n_systems(source->results));
    return source->bytes_before + done;
}

double stream_source_part(const stream_source *source)
{
    const shoal_stream_options *o = source->options;
    if (source->bytes_total == 0) return 0; /* also where another rank reads */
    if (stream_in_memory(o))
        return (double)stream_source_at(source) /
               ((double)o->input.n_records * (double)stream_per_record(o));
    const record_block *a = &source->ahead;
    double done = (double)bytes_done(source);
    if (source->i_ahead < a->n) {
        const double size = (double)(a->starts[source->i_ahead + 1] - a->starts[source->i_ahead]);
        const double of_record =
            (double)source->i_unit * stream_unit(o) / (double)stream_per_record(o);
        const double passed = (double)a->starts[source->i_ahead] + of_record * size;
        const double before = (double)source->bytes_ahead;
        done = before + (done - before) * passed / (double)a->starts[a->n];
    }
    const double part = done / (double)source->bytes_total;
    return part < 1 ? part : 1;
}

int64_t stream_source_at(const stream_source *source)
{
    const int64_t record = source->n_cut - source->ahead.n + source->i_ahead;
    return record * stream_per_record(source->options) +
           source->i_unit * stream_unit(source->options);
}

static int32_t n_shards(const shoal_stream_options *o)
{
    return o->input.n_shards > 1 ? o->input.n_shards : 1;
}

/* Text of the next block. */
static size_t block_bytes(const stream_source *source, int32_t n_threads)
{
    const double left = (1 - stream_source_part(source)) * (double)source->bytes_total *
                        (double)stream_per_record(source->options);
    const double n = (double)SHARES * n_threads * n_shards(source->options);
    const double share = source->bytes_total > 0 ? left / n : BLOCK_BYTES_MOST;
    return (size_t)(share < BLOCK_BYTES_LEAST  ? BLOCK_BYTES_LEAST
                    : share > BLOCK_BYTES_MOST ? BLOCK_BYTES_MOST
                                               : share);
}

/* Systems of a block: whole units of variants. Of series one stage is computed at a time. */
static int32_t block_systems(const stream_source *source)
{
    const shoal_stream_options *o = source->options;
    const int32_t unit = stream_unit(o), series = stream_series(o), most = source->most_records;
    int32_t n_units = series > 1 ? most / stream_stage(o) : most / unit;
    if (n_units > SERIES_SYSTEMS / unit) n_units = SERIES_SYSTEMS / unit;
    return (n_units > 1 ? n_units : 1) * unit;
}

/* --- files of results ---------------------------------------------------------------------------- */

static shoal_status reserve(record_block *b, int32_t n, size_t size)
{
    SHOAL_TRY(record_block_reserve(b, n));
    if (size <= b->capacity) return SHOAL_OK;
    char *text = realloc(b->text, size + size / 2);
    if (!text) return shoal_fail(SHOAL_E_MEMORY, "out of memory: %zu bytes of text", size);
    b->text = text;
    b->capacity = size + size / 2;
    return SHOAL_OK;
}

/* What its input was called, and by which program it was written. */
static shoal_status put_origin(const shoal_results_header *header, shoal_string *record)
{
    results_view view;
    int32_t i_file;
    SHOAL_TRY(results_look(record->data, record->size, &view));
    memcpy(&i_file, view.at[RESULTS_FILE], sizeof i_file);
    const char *file = i_file >= 0 && i_file < header->n_files ? header->files[i_file] : "";
    shoal_string_put(record, file, strlen(file) + 1);
    shoal_string_put(record, header->program, strlen(header->program) + 1);
    return shoal_string_status(record);
}

static shoal_status add_result(stream_source *source, record_block *b, shoal_string *record)
{
    shoal_string_clear(record);
    SHOAL_TRY(shoal_results_read(source->results, source->i_result, record));
    SHOAL_TRY(put_origin(&source->header, record));
    SHOAL_TRY(reserve(b, b->n + 1, b->size + record->size));
    memcpy(b->text + b->size, record->data, record->size);
    b->lines[b->n] = ++source->i_result;
    b->size += record->size;
    b->starts[++b->n] = b->size;
    return SHOAL_OK;
}

/* As record_cutter_next; what is damaged comes again behind what lies before it. */
static shoal_status cut_results(stream_source *source, record_block *b, int32_t most, size_t bytes)
{
    shoal_string record = {0};
    shoal_status status = reserve(b, 1, 0);
    b->n = 0;
    b->size = 0;
    b->first = source->i_result;
    if (status == SHOAL_OK) b->starts[0] = 0;
    while (status == SHOAL_OK && source->i_result < shoal_results_n_systems(source->results) &&
           (b->n == 0 || (b->n < most && b->size < bytes)))
        status = add_result(source, b, &record);
    shoal_string_free(&record);
    return b->n > 0 ? SHOAL_OK : status;
}

/* --- files --------------------------------------------------------------------------------------- */

static shoal_status open_next(stream_source *source)
{
    const shoal_stream_options *o = source->options;
    const char *path = o->input.files[++source->i_file];
    struct stat info;
    source->file_start = source->n_cut;
    const shoal_format format =
        o->input.format != SHOAL_FORMAT_AUTO ? o->input.format : shoal_format_by_path(path);
    if (format != SHOAL_FORMAT_HDF5)
        return record_cutter_open(&source->cutter, path, o->input.format, source->stop);
    source->i_result = 0;
    source->file_bytes = stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
    SHOAL_TRY(shoal_results_open(&source->results, path));
    return shoal_results_header_get(source->results, &source->header);
}

static void close_present(stream_source *source)
{
    source->bytes_before = bytes_done(source);
    record_cutter_destroy(source->cutter);
    shoal_results_reader_destroy(source->results);
    source->cutter = NULL;
    source->results = NULL;
}

static shoal_status cut_memory(stream_source *source, int32_t most, size_t bytes)
{
    if (atomic_load(source->stop)) return SHOAL_OK;
    SHOAL_TRY(stream_records_cut(source->options, source->n_cut, most, bytes, &source->ahead));
    source->n_cut += source->ahead.n;
    return SHOAL_OK;
}

/* Cuts more records; none behind the last file, behind the present one if the block has begun, and after a
 * stop. */
static shoal_status look_ahead(stream_source *source, int32_t n_threads, bool begun)
{
    const shoal_stream_options *o = source->options;
    record_block *ahead = &source->ahead;
    const bool passes =
        o->input.n_shards > 1 || source->n_cut < o->input.first / stream_per_record(o);
    source->i_ahead = ahead->n = 0;
    source->i_unit = 0;
    if (stream_in_memory(o))
        return cut_memory(source, passes ? PASSED_RECORDS : source->most_records,
                          passes ? (size_t)BLOCK_BYTES_MOST : block_bytes(source, n_threads));
    while (!atomic_load(source->stop)) {
        if (!source->cutter && !source->results) {
            if (begun || source->i_file + 1 >= o->input.n_files) break;
            SHOAL_TRY(open_next(source));
        }
        const int32_t most = passes ? PASSED_RECORDS : source->most_records;
        const size_t bytes = passes ? (size_t)BLOCK_BYTES_MOST : block_bytes(source, n_threads);
        source->bytes_ahead = bytes_done(source);
        SHOAL_TRY(source->results ? cut_results(source, ahead, most, bytes)
                                  : record_cutter_next(source->cutter, ahead, most, bytes));
        source->waits = ahead->n < most && ahead->size < bytes;
        source->n_cut += ahead->n;
        if (ahead->n > 0) break;
        close_present(source);
    }
    return SHOAL_OK;
}

/* As the cutter calls it, which may be gone when the record is parsed. */
static const char *label_of(const stream_source *source)
{
    if (stream_in_memory(source->options)) return "memory";
    const char *file = source->options->input.files[source->i_file];
    return strcmp(file, "-") == 0 ? "<stdin>" : file;
}

static shoal_format format_of(const stream_source *source)
{
    return source->cutter    ? record_cutter_format(source->cutter)
           : source->results ? SHOAL_FORMAT_HDF5
                             : SHOAL_FORMAT_AUTO;
}

/* --- records ------------------------------------------------------------------------------------- */

shoal_status stream_records_reserve(stream_records *r, int32_t n, size_t size)
{
    SHOAL_TRY(SHOAL_RESERVE(&r->shares, &r->n_capacity, n));
    return reserve(&r->block, n, size);
}

static shoal_status add_record(stream_records *r, const record_block *from, int32_t i,
                               const stream_share *share)
{
    const size_t size = from->starts[i + 1] - from->starts[i];
    record_block *b = &r->block;
    SHOAL_TRY(stream_records_reserve(r, b->n + 1, from->text ? b->size + size : 0));
    if (from->text) memcpy(b->text + b->size, from->text + from->starts[i], size);
    b->starts[b->n] = b->size;
    b->lines[b->n] = from->lines[i];
    r->shares[b->n] = *share;
    r->n_systems += share->n;
    r->text_bytes += (int64_t)size * share->n;
    b->size += size;
    b->starts[++b->n] = b->size;
    return SHOAL_OK;
}

void stream_records_free(stream_records *r)
{
    record_block_free(&r->block);
    free(r->shares);
    *r = (stream_records){0};
}

static bool is_alone(const record_block *b, int32_t i)
{
    return b->starts[i + 1] - b->starts[i] > ALONE_BYTES;
}

/* True if what was cut is a block as it is. */
static bool is_block(const stream_source *source)
{
    const record_block *a = &source->ahead;
    const shoal_stream_options *o = source->options;
    if (source->i_ahead > 0 || o->input.n_shards > 1 || stream_spreads(o) ||
        a->n > source->most_records || source->file_start + a->first < o->input.first)
        return false;
    if (a->n == 1) return true;
    for (int32_t i = 0; i < a->n; ++i)
        if (is_alone(a, i)) return false;
    return true;
}

static shoal_status take_all(stream_source *source, stream_records *out)
{
    const record_block present = out->block;
    SHOAL_TRY(SHOAL_RESERVE(&out->shares, &out->n_capacity, source->ahead.n));
    out->block = source->ahead;
    source->ahead = present;
    source->ahead.n = source->i_ahead = 0;
    for (int32_t i = 0; i < out->block.n; ++i)
        out->shares[i] = (stream_share){.number = out->block.first + i, .n = 1};
    out->n_systems = out->block.n;
    out->text_bytes = (int64_t)out->block.size;
    return SHOAL_OK;
}

/* The next unit of the present record that is not passed over, and how many there are from it on. */
static int64_t find_unit(const stream_source *source, int64_t *n_left)
{
    const shoal_stream_options *o = source->options;
    const int64_t unit = stream_unit(o), n_units = stream_per_record(o) / unit, n = n_shards(o);
    /* They are counted in the whole input. */
    const int64_t start = (source->file_start + source->ahead.first + source->i_ahead) * n_units;
    int64_t at = start + source->i_unit;
    if (at < o->input.first / unit) at = o->input.first / unit;
    at += (o->input.shard - at % n + n) % n;
    *n_left = at < start + n_units ? (start + n_units - at + n - 1) / n : 0;
    return at - start;
}

/* Takes so many units of the present record, which passes if they are all that is left. */
static shoal_status take_units(stream_source *source, int64_t at, int64_t n, bool all,
                               stream_records *out)
{
    const int32_t unit = stream_unit(source->options), i = source->i_ahead;
    const stream_share share = {
        .number = source->ahead.first + i, .variant = at * unit, .n = (int32_t)(n * unit)};
    const int64_t index =
        (source->file_start + share.number) * stream_per_record(source->options) + share.variant;
    /* A series that was handed on in part is computed again from its beginning. */
    if (index < source->options->input.first)
        out->n_passed = (int32_t)(source->options->input.first - index);
    SHOAL_TRY(add_record(out, &source->ahead, i, &share));
    source->i_unit = all ? 0 : at + n * n_shards(source->options);
    source->i_ahead += all;
    return SHOAL_OK;
}

/* Adds records of those that were cut, until the block is *full. */
static shoal_status take_some(stream_source *source, size_t bytes, stream_records *out, bool *full)
{
    const record_block *a = &source->ahead;
    const int32_t most = block_systems(source), unit = stream_unit(source->options);
    const int64_t most_bytes = (int64_t)bytes * stream_series(source->options);
    *full = false;
    while (source->i_ahead < a->n && !*full) {
        const int32_t i = source->i_ahead;
        const int64_t size = (int64_t)(a->starts[i + 1] - a->starts[i]) * unit + 1;
        const bool alone = is_alone(a, i);
        int64_t n_left;
        const int64_t at = find_unit(source, &n_left);
        if (n_left == 0) {
            ++source->i_ahead;
            source->i_unit = 0;
            continue;
        }
        *full = alone;
        if (alone && out->block.n > 0) return SHOAL_OK;
        const int64_t room = (most_bytes - out->text_bytes + size - 1) / size;
        int64_t n = (most - out->n_systems) / unit;
        n = n > room ? room : n;
        n = n > n_left ? n_left : n < 1 ? 1 : n;
        SHOAL_TRY(take_units(source, at, n, n == n_left, out));
        *full = alone || out->n_systems >= most || out->text_bytes >= most_bytes;
    }
    *full = *full || (source->waits && out->block.n > 0);
    return SHOAL_OK;
}

shoal_status stream_source_next(stream_source *source, int32_t n_threads, stream_records *out)
{
    bool full = false;
    out->block.n = 0;
    out->block.size = 0;
    out->n_systems = out->n_passed = 0;
    out->text_bytes = 0;
    while (!full) {
        const bool begun = out->block.n > 0;
        if (source->i_ahead == source->ahead.n) {
            const shoal_status status = look_ahead(source, n_threads, begun);
            /* A failure comes again when what lies before it has been handed out. */
            if (status != SHOAL_OK) return begun ? SHOAL_OK : status;
            if (source->ahead.n == 0) break;
        }
        out->i_file = source->i_file;
        out->file_start = source->file_start;
        out->format = format_of(source);
        out->label = label_of(source);
        if (!begun && is_block(source)) return take_all(source, out);
        SHOAL_TRY(take_some(source, block_bytes(source, n_threads), out, &full));
    }
    return SHOAL_OK;
}

void stream_source_close(stream_source *source)
{
    record_cutter_destroy(source->cutter);
    shoal_results_reader_destroy(source->results);
    source->cutter = NULL;
    source->results = NULL;
    record_block_free(&source->ahead);
}
