/* SPDX-License-Identifier: BSD-3-Clause
 * gzip streams, decoded piece by piece and encoded member by member. Creation fails in a build without zlib. */
#include "io/gzip.h"

#include <stdlib.h>

#include "base/alloc.h"

#ifdef SHOAL_HAVE_ZLIB
#include <zlib.h>

/* zlib's window bits for the largest window, and its mark for the gzip container. */
enum { GZIP_WINDOW = 15 + 16 };

struct shoal_gunzip {
    z_stream stream;
    bool complete;
};

struct shoal_gzip {
    z_stream stream;
};

/* zlib counts in unsigned int: larger windows are worked off in several calls. */
static uInt clip(size_t n)
{
    const size_t limit = (size_t)1 << 30;
    return (uInt)(n < limit ? n : limit);
}

static void lend(z_stream *stream, const shoal_window *in, const shoal_window *out)
{
    stream->next_in = in->at;
    stream->avail_in = clip(in->left);
    stream->next_out = out->at;
    stream->avail_out = clip(out->left);
}

static void take_back(const z_stream *stream, shoal_window *in, shoal_window *out)
{
    in->left -= (size_t)(stream->next_in - in->at);
    in->at = stream->next_in;
    out->left -= (size_t)(stream->next_out - out->at);
    out->at = stream->next_out;
}

shoal_status shoal_gunzip_create(shoal_gunzip **out, const char *label)
{
    shoal_gunzip *gz = shoal_alloc(1, sizeof *gz);
    *out = NULL;
    if (!gz) return SHOAL_E_MEMORY;
    if (inflateInit2(&gz->stream, GZIP_WINDOW) != Z_OK) {
        free(gz);
        return shoal_fail(SHOAL_E_MEMORY, "%s: out of memory: zlib could not start", label);
    }
    *out = gz;
    return SHOAL_OK;
}

void shoal_gunzip_destroy(shoal_gunzip *gz)
{
    if (!gz) return;
    (void)inflateEnd(&gz->stream);
    free(gz);
}

const char *shoal_gunzip_run(shoal_gunzip *gz, shoal_window *in, shoal_window *out)
{
    if (gz->complete && in->left > 0) {
        gz->complete = false;
        if (inflateReset(&gz->stream) != Z_OK) return "zlib could not start again";
    }
    lend(&gz->stream, in, out);
    const int code = inflate(&gz->stream, Z_NO_FLUSH);
    take_back(&gz->stream, in, out);
    gz->complete = gz->complete || code == Z_STREAM_END;
    if (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR) return NULL;
    return gz->stream.msg ? gz->stream.msg : "data that zlib cannot decode";
}

bool shoal_gunzip_complete(const shoal_gunzip *gz)
{
    return gz->complete;
}

shoal_status shoal_gzip_create(shoal_gzip **out, const char *label)
{
    shoal_gzip *gz = shoal_alloc(1, sizeof *gz);
    *out = NULL;
    if (!gz) return SHOAL_E_MEMORY;
    const int memory_level = 8; /* zlib's default */
    if (deflateInit2(&gz->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        free(gz);
        return shoal_fail(SHOAL_E_MEMORY, "%s: out of memory: zlib could not start", label);
    }
    *out = gz;
    return SHOAL_OK;
}

void shoal_gzip_destroy(shoal_gzip *gz)
{
    if (!gz) return;
    (void)deflateEnd(&gz->stream);
    free(gz);
}

shoal_status shoal_gzip_pack(shoal_gzip *gz, shoal_span text, shoal_string *out)
{
    shoal_window in = {(unsigned char *)(uintptr_t)text.text, text.size};
    if (deflateReset(&gz->stream) != Z_OK)
        return shoal_fail(SHOAL_E_IO, "zlib could not start again");
    for (bool done = false; !done;) {
        const size_t n = deflateBound(&gz->stream, (uLong)in.left) + 64;
        char *to = shoal_string_room(out, n);
        if (!to) return shoal_string_status(out);
        shoal_window room = {(unsigned char *)to, n};
        lend(&gz->stream, &in, &room);
        /* What one call cannot take waits for the next. */
        const int code =
            deflate(&gz->stream, in.left > gz->stream.avail_in ? Z_NO_FLUSH : Z_FINISH);
        take_back(&gz->stream, &in, &room);
        out->size += n - room.left;
        done = code == Z_STREAM_END;
        if (code == Z_STREAM_ERROR) return shoal_fail(SHOAL_E_IO, "zlib failed to compress");
    }
    return SHOAL_OK;
}

#else

shoal_status shoal_gunzip_create(shoal_gunzip **out, const char *label)
{
    *out = NULL;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "%s: built without zlib, gzip data cannot be read",
                      label);
}

void shoal_gunzip_destroy(shoal_gunzip *gz)
{
    free(gz);
}

const char *shoal_gunzip_run(shoal_gunzip *gz, shoal_window *in, shoal_window *out)
{
    (void)gz, (void)in, (void)out;
    return "built without zlib";
}

bool shoal_gunzip_complete(const shoal_gunzip *gz)
{
    (void)gz;
    return false;
}

shoal_status shoal_gzip_create(shoal_gzip **out, const char *label)
{
    *out = NULL;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "%s: built without zlib, gzip data cannot be written",
                      label);
}

void shoal_gzip_destroy(shoal_gzip *gz)
{
    free(gz);
}

shoal_status shoal_gzip_pack(shoal_gzip *gz, shoal_span text, shoal_string *out)
{
    (void)gz, (void)text, (void)out;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "built without zlib: gzip data cannot be written");
}

#endif
