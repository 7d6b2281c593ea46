/* SPDX-License-Identifier: BSD-3-Clause
 * Reading meshes that NumPy wrote: float32 or float64 of three dimensions, in either order of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/mesh.h"

enum { MOST_HEADER = 65536, CHUNK = 65536 };

typedef struct npy_reader {
    mesh_draft *draft;
    const char *path;
    FILE *file;
    size_t width; /* bytes of a number */
    bool swaps;   /* most significant byte first */
    bool fortran;
} npy_reader;

static bool read_bytes(const npy_reader *r, void *to, size_t n)
{
    return fread(to, 1, n, r->file) == n;
}

/* The text behind a key of the header. */
static const char *find_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    if (!at) return NULL;
    at += strlen(key);
    while (*at == ' ' || *at == ':') ++at;
    return at;
}

static shoal_status bad_header(const npy_reader *r, const char *expected)
{
    return shoal_fail(SHOAL_E_FORMAT, "%s: bad header, expected %s", r->path, expected);
}

static shoal_status parse_type(npy_reader *r, const char *type)
{
    if (!type || type[0] != '\'' || !type[1] || !strchr("<>=|", type[1]) || type[2] != 'f' ||
        (type[3] != '4' && type[3] != '8') || type[4] != '\'')
        return bad_header(r, "numbers of the type '<f8' or '<f4'");
    r->swaps = type[1] == '>';
    r->width = type[3] == '4' ? 4 : 8;
    r->draft->digits = type[3] == '4' ? 8 : 0;
    return SHOAL_OK;
}

static shoal_status parse_shape(npy_reader *r, const char *text)
{
    int32_t n[3] = {0};
    int32_t count = 0;
    const char *end = text && *text == '(' ? strchr(text, ')') : NULL;
    if (!end) return bad_header(r, "a shape");
    for (const char *at = text + 1; at < end; ++count) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        const shoal_span word = shoal_span_trim((shoal_span){at, (size_t)(stop - at)});
        if (word.size == 0 && !comma) break;
        if (count == 3 || !shoal_text_int(word, &n[count]))
            return bad_header(r, "a shape of three numbers");
        at = stop + 1;
    }
    if (count != 3) return bad_header(r, "a shape of three numbers");
    const bool turned = r->fortran != r->draft->options->x_fastest;
    r->draft->x_fastest = turned;
    /* In memory the last index runs fastest, or the first in Fortran's order; options say that it is z, or x. */
    for (int k = 0; k < 3; ++k)
        r->draft->mesh->view.shape[k] = r->draft->options->x_fastest ? n[2 - k] : n[k];
    return SHOAL_OK;
}

static shoal_status read_header(npy_reader *r)
{
    unsigned char start[12];
    if (!read_bytes(r, start, 10) || memcmp(start, "\x93NUMPY", 6) != 0)
        return shoal_fail(SHOAL_E_FORMAT, "%s: not a .npy file", r->path);
    if (start[6] < 1 || start[6] > 3) return bad_header(r, "version 1, 2 or 3 of the format");
    size_t size = (size_t)start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) {
        if (!read_bytes(r, start + 10, 2)) return bad_header(r, "its length");
        size |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    if (size > MOST_HEADER) return bad_header(r, "at most 65536 bytes of it");
    char *header = shoal_alloc(size + 1, 1);
    if (!header) return SHOAL_E_MEMORY;
    shoal_status status = read_bytes(r, header, size) ? SHOAL_OK : bad_header(r, "all of it");
    const char *order = find_key(header, "'fortran_order'");
    r->fortran = order && strncmp(order, "True", 4) == 0;
    if (status == SHOAL_OK) status = parse_type(r, find_key(header, "'descr'"));
    if (status == SHOAL_OK) status = parse_shape(r, find_key(header, "'shape'"));
    free(header);
    return status;
}

static double read_number(const npy_reader *r, const unsigned char *from)
{
    unsigned char bytes[8];
    double wide;
    float narrow;
    for (size_t k = 0; k < r->width; ++k) bytes[k] = from[r->swaps ? r->width - 1 - k : k];
    if (r->width == 8) {
        memcpy(&wide, bytes, sizeof wide);
        return wide;
    }
    memcpy(&narrow, bytes, sizeof narrow);
    return (double)narrow;
}

static shoal_status read_values(npy_reader *r)
{
    mesh_draft *d = r->draft;
    const int32_t *n = d->mesh->view.shape;
    const size_t total = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    unsigned char *chunk = shoal_alloc_dirty(CHUNK, 8);
    shoal_status status = chunk ? SHOAL_OK : SHOAL_E_MEMORY;
    while (d->n < total && status == SHOAL_OK) {
        const size_t want = total - d->n < CHUNK ? total - d->n : CHUNK;
        const size_t got = fread(chunk, r->width, want, r->file);
        status = mesh_reserve(d, got);
        for (size_t k = 0; k < got && status == SHOAL_OK; ++k)
            d->mesh->values[d->n++] = read_number(r, chunk + k * r->width);
        if (got < want && status == SHOAL_OK)
            status = shoal_fail(SHOAL_E_FORMAT, "%s: cut short: %zu numbers, expected %zu", r->path,
                                d->n, total);
    }
    free(chunk);
    SHOAL_TRY(status);
    if (fgetc(r->file) != EOF)
        return shoal_fail(SHOAL_E_FORMAT, "%s: something behind the last number, expected the end",
                          r->path);
    return SHOAL_OK;
}

static bool is_zero(const double cell[3][3])
{
    for (int k = 0; k < 9; ++k)
        if (cell[k / 3][k % 3] != 0) return false;
    return true;
}

static shoal_status read_npy(npy_reader *r)
{
    mesh_draft *d = r->draft;
    SHOAL_TRY(read_header(r));
    SHOAL_TRY(mesh_check_shape(d->mesh->view.shape, r->path));
    if (is_zero(d->options->cell))
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: a .npy file has no cell; expected one beside it",
                          r->path);
    memcpy(d->mesh->view.cell, d->options->cell, sizeof d->options->cell);
    return read_values(r);
}

shoal_status mesh_read_npy(mesh_draft *d, const char *path)
{
    npy_reader r = {.draft = d, .path = path, .file = fopen(path, "rb")};
    if (!r.file) return shoal_fail(SHOAL_E_IO, "%s: cannot be opened", path);
    d->unit = SHOAL_MESH_EV;
    const shoal_status status = read_npy(&r);
    (void)fclose(r.file);
    return status;
}
