/* SPDX-License-Identifier: BSD-3-Clause
 * PNG files (ISO/IEC 15948): eight bits of red, green and blue, every row as its difference from the
 * row above. */
#include "io/png.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/output.h"

#ifdef SHOAL_HAVE_ZLIB
#include <zlib.h>

enum { PIECE = 1 << 16, FILTER_UP = 2 };

static void put_number(uint8_t *at, uint32_t value)
{
    for (int k = 0; k < 4; ++k) at[k] = (uint8_t)(value >> (24 - 8 * k));
}

/* data holds n bytes behind eight that are free: length and name. */
static void put_chunk(shoal_output *out, const char *name, uint8_t *data, size_t n)
{
    uint8_t end[4];
    put_number(data, (uint32_t)n);
    memcpy(data + 4, name, 4);
    put_number(end, (uint32_t)crc32(0, data + 4, (uInt)n + 4));
    shoal_output_put(out, (shoal_span){(const char *)data, n + 8});
    shoal_output_put(out, (shoal_span){(const char *)end, sizeof end});
}

static void put_head(shoal_output *out, int32_t width, int32_t height, int32_t resolution)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    uint8_t head[8 + 13] = {0}, scale[8 + 9] = {0};
    put_number(head + 8, (uint32_t)width);
    put_number(head + 12, (uint32_t)height);
    head[16] = 8; /* bits of a sample */
    head[17] = 2; /* red, green, blue */
    put_number(scale + 8, (uint32_t)resolution);
    put_number(scale + 12, (uint32_t)resolution);
    scale[16] = 1; /* metres */
    shoal_output_put(out, (shoal_span){signature, 8});
    put_chunk(out, "IHDR", head, 13);
    put_chunk(out, "pHYs", scale, 9);
}

/* Compresses what the stream was lent, a chunk for every full piece. */
static void deflate_rest(z_stream *stream, uint8_t *piece, int flush, shoal_output *out)
{
    int code;
    do {
        code = deflate(stream, flush);
        if (stream->avail_out > 0 && code != Z_STREAM_END) continue;
        put_chunk(out, "IDAT", piece, PIECE - stream->avail_out);
        stream->next_out = piece + 8;
        stream->avail_out = PIECE;
    } while (code == Z_OK && (stream->avail_in > 0 || flush == Z_FINISH));
}

static void put_rows(z_stream *stream, const uint8_t *rgb, int32_t height, size_t size,
                     uint8_t *row, uint8_t *piece, shoal_output *out)
{
    stream->next_out = piece + 8;
    stream->avail_out = PIECE;
    for (int32_t j = 0; j < height; ++j) {
        const uint8_t *now = rgb + (size_t)j * size;
        row[0] = FILTER_UP;
        for (size_t i = 0; i < size; ++i)
            row[1 + i] = (uint8_t)(now[i] - (j > 0 ? now[i - size] : 0));
        stream->next_in = row;
        stream->avail_in = (uInt)(size + 1);
        deflate_rest(stream, piece, j + 1 < height ? Z_NO_FLUSH : Z_FINISH, out);
    }
}

shoal_status png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                       int32_t resolution)
{
    const size_t size = 3 * (size_t)width;
    z_stream stream = {0};
    shoal_output *out = NULL;
    SHOAL_TRY(shoal_output_open(&out, path));
    uint8_t *row = shoal_alloc_dirty(size + 1, 1), *piece = shoal_alloc_dirty(PIECE + 8, 1);
    shoal_status status = row && piece ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK && deflateInit(&stream, Z_DEFAULT_COMPRESSION) != Z_OK)
        status = shoal_fail(SHOAL_E_MEMORY, "%s: out of memory: zlib could not start", path);
    if (status == SHOAL_OK) {
        uint8_t end[8];
        put_head(out, width, height, resolution);
        put_rows(&stream, rgb, height, size, row, piece, out);
        put_chunk(out, "IEND", end, 0);
        (void)deflateEnd(&stream);
        status = shoal_output_close(out);
    }
    shoal_output_destroy(out);
    free(row);
    free(piece);
    return status;
}

shoal_status png_check(const char *path)
{
    (void)path;
    return SHOAL_OK;
}

#else

shoal_status png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                       int32_t resolution)
{
    (void)rgb, (void)width, (void)height, (void)resolution;
    return png_check(path);
}

shoal_status png_check(const char *path)
{
    return shoal_fail(SHOAL_E_UNSUPPORTED,
                      "%s: built without zlib, PNG cannot be written: use .svg", path);
}

#endif
