/* SPDX-License-Identifier: BSD-3-Clause
 * The source of a stream: files, cut into blocks of records one after the other. */
#include <sys/stat.h>

#include "run/stream.h"

/* A block holds at most this many records. Its text is a share of what is left, so that threads end at
 * the same time, but not so small that lanes stay empty. */
#define BLOCK_RECORDS 512
#define BLOCK_BYTES_LEAST ((double)(16 << 10))
#define BLOCK_BYTES_MOST ((double)(1 << 20))
#define SHARES 3 /* of a thread in what is left */

/* Sizes of all files, 0 if one of them has none. */
static uint64_t total_bytes(const shoal_stream_options *o)
{
    uint64_t total = 0;
    for (int32_t k = 0; k < o->n_files; ++k) {
        struct stat info;
        if (stat(o->files[k], &info) != 0 || !S_ISREG(info.st_mode)) return 0;
        total += (uint64_t)info.st_size;
    }
    return total;
}

void stream_source_open(stream_source *source, const shoal_stream_options *options,
                        const _Atomic bool *stop)
{
    *source = (stream_source){.options = options, .i_file = -1, .stop = stop};
    source->bytes_total = total_bytes(options);
}

static uint64_t bytes_done(const stream_source *source)
{
    uint64_t done = 0, total;
    if (source->cutter) record_cutter_progress(source->cutter, &done, &total);
    return source->bytes_before + done;
}

double stream_source_part(const stream_source *source)
{
    if (source->bytes_total == 0) return 0;
    const double part = (double)bytes_done(source) / (double)source->bytes_total;
    return part < 1 ? part : 1;
}

/* Text of the next block. */
static size_t block_bytes(const stream_source *source, int32_t n_threads)
{
    const double left = (1 - stream_source_part(source)) * (double)source->bytes_total;
    const double share = source->bytes_total > 0 ? left / (SHARES * n_threads) : BLOCK_BYTES_MOST;
    return (size_t)(share < BLOCK_BYTES_LEAST  ? BLOCK_BYTES_LEAST
                    : share > BLOCK_BYTES_MOST ? BLOCK_BYTES_MOST
                                               : share);
}

static shoal_status open_next(stream_source *source)
{
    const shoal_stream_options *o = source->options;
    ++source->i_file;
    return record_cutter_open(&source->cutter, o->files[source->i_file], o->format, source->stop);
}

static void close_present(stream_source *source)
{
    source->bytes_before = bytes_done(source);
    record_cutter_destroy(source->cutter);
    source->cutter = NULL;
}

shoal_status stream_source_next(stream_source *source, int32_t n_threads, record_block *records)
{
    const shoal_stream_options *o = source->options;
    const bool small = o->slice_systems > 0 && o->slice_systems < BLOCK_RECORDS;
    const int32_t most = small ? o->slice_systems : BLOCK_RECORDS;
    records->n = 0;
    for (;;) {
        if (!source->cutter) {
            if (source->i_file + 1 >= o->n_files) return SHOAL_OK;
            SHOAL_TRY(open_next(source));
        }
        SHOAL_TRY(
            record_cutter_next(source->cutter, records, most, block_bytes(source, n_threads)));
        if (records->n > 0) break;
        close_present(source);
    }
    source->n_cut += records->n;
    return SHOAL_OK;
}

void stream_source_close(stream_source *source)
{
    record_cutter_destroy(source->cutter);
    source->cutter = NULL;
}
