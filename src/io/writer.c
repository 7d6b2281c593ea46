/* SPDX-License-Identifier: BSD-3-Clause
 * Writing molecule files: opening, checks, and what the writers of the formats share. */
#include "io/writer.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/output.h"
#include "io/reader.h"

struct shoal_writer {
    shoal_output *out;
    shoal_format format;
    bool closed;
    bool has_one;      /* a frame was put */
    shoal_string text; /* of the frame being written */
};

static shoal_status missing(const char *what)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "writer: no %s given", what);
}

typedef shoal_status frame_writer(shoal_string *out, const shoal_molecule *mol,
                                  const shoal_frame *frame);

/* NULL for formats that are not written. */
static frame_writer *writer_of(shoal_format format)
{
    switch (format) {
    case SHOAL_FORMAT_XYZ: return xyz_write;
    case SHOAL_FORMAT_SDF: return sdf_write;
    case SHOAL_FORMAT_MOL2: return mol2_write;
    case SHOAL_FORMAT_CIF: return cif_write;
    case SHOAL_FORMAT_POSCAR: return poscar_write;
    case SHOAL_FORMAT_PDB: return pdb_write;
    default: return NULL;
    }
}

bool shoal_format_is_written(shoal_format format)
{
    return writer_of(format) != NULL;
}

static shoal_status choose_format(shoal_format *format, const char *path)
{
    if (*format == SHOAL_FORMAT_AUTO) *format = shoal_format_by_path(path);
    if (!writer_of(*format))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "%s: the name does not tell a format that can be written, expected .xyz, "
            ".extxyz, .sdf, .sd, .mol, .mol2, .cif, .pdb, .ent or .vasp (each also .gz)",
            path);
    return SHOAL_OK;
}

static shoal_status open_writer(shoal_writer **result, const char *path, shoal_format format,
                                const char *part, int64_t keep)
{
    if (format != SHOAL_FORMAT_NONE) SHOAL_TRY(choose_format(&format, path));
    shoal_writer *writer = shoal_alloc(1, sizeof *writer);
    if (!writer) return SHOAL_E_MEMORY;
    writer->format = format;
    const shoal_status status = shoal_output_open_as(&writer->out, path, part, keep);
    if (status == SHOAL_OK)
        *result = writer;
    else
        free(writer);
    return status;
}

shoal_status shoal_writer_open(shoal_writer **result, const char *path, shoal_format format)
{
    shoal_clear_error();
    if (!result) return missing("place for the result");
    *result = NULL;
    if (!path) return missing("path");
    return open_writer(result, path, format, NULL, -1);
}

shoal_status shoal_writer_open_as(shoal_writer **result, const char *path, shoal_format format,
                                  const char *part, int64_t keep)
{
    shoal_clear_error();
    if (!result) return missing("place for the result");
    *result = NULL;
    if (!path || !part) return missing(path ? "temporary name" : "path");
    return open_writer(result, path, format, part, keep);
}

void writer_share(shoal_writer *writer, int32_t n_threads)
{
    shoal_output_share(writer->out, n_threads);
}

static shoal_status check_positions(const shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(mol->pos[i][k]))
                return shoal_fail(SHOAL_E_ARGUMENT,
                                  "'%.100s': atom %d has coordinate %g, expected "
                                  "a finite number",
                                  mol->name, i + 1, mol->pos[i][k]);
    return SHOAL_OK;
}

shoal_format shoal_writer_format(const shoal_writer *writer)
{
    return writer ? writer->format : SHOAL_FORMAT_AUTO;
}

const char *shoal_writer_part(const shoal_writer *writer)
{
    return writer ? shoal_output_part(writer->out) : NULL;
}

shoal_status shoal_frame_format(shoal_string *out, shoal_format format, const shoal_molecule *mol,
                                const shoal_frame *frame)
{
    static const shoal_frame nothing;
    shoal_clear_error();
    SHOAL_NEED(out && mol);
    frame_writer *const write = writer_of(format);
    if (!write)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "format %d cannot be written, expected xyz, sdf, mol2, cif, poscar or pdb",
            (int)format);
    SHOAL_TRY(check_positions(mol));
    if (!frame) frame = &nothing;
    SHOAL_TRY(write(out, mol, frame));
    return shoal_string_status(out);
}

static shoal_status check_open(const shoal_writer *writer)
{
    if (writer->closed) return shoal_fail(SHOAL_E_ARGUMENT, "the writer is closed");
    return shoal_output_check(writer->out);
}

shoal_status shoal_writer_append(shoal_writer *writer, const char *text, size_t size)
{
    shoal_clear_error();
    if (!writer || !text) return missing(writer ? "text" : "writer");
    SHOAL_TRY(check_open(writer));
    shoal_output_put(writer->out, (shoal_span){text, size});
    shoal_output_mark(writer->out);
    return shoal_output_check(writer->out);
}

shoal_status shoal_writer_put(shoal_writer *writer, const shoal_molecule *mol,
                              const shoal_frame *frame)
{
    shoal_clear_error();
    if (!writer || !mol) return missing(writer ? "molecule" : "writer");
    SHOAL_TRY(check_open(writer));
    shoal_string_clear(&writer->text);
    if (writer->format == SHOAL_FORMAT_POSCAR && writer->has_one)
        return shoal_fail(SHOAL_E_ARGUMENT, "POSCAR has room for one structure");
    SHOAL_TRY(shoal_frame_format(&writer->text, writer->format, mol, frame));
    writer->has_one = true;
    return shoal_writer_append(writer, writer->text.data, writer->text.size);
}

shoal_status shoal_writer_sync(shoal_writer *writer, int64_t *size)
{
    shoal_clear_error();
    if (!writer || !size) return missing(writer ? "place for the size" : "writer");
    SHOAL_TRY(check_open(writer));
    return shoal_output_sync(writer->out, size);
}

shoal_status shoal_writer_close(shoal_writer *writer)
{
    shoal_clear_error();
    if (!writer) return missing("writer");
    writer->closed = true;
    return shoal_output_close(writer->out);
}

shoal_status shoal_writer_close_as(shoal_writer *writer, const char *path)
{
    shoal_clear_error();
    if (!writer || !path) return missing(writer ? "path" : "writer");
    writer->closed = true;
    SHOAL_TRY(shoal_output_rename(writer->out, path));
    return shoal_output_close(writer->out);
}

void shoal_writer_destroy(shoal_writer *writer)
{
    if (!writer) return;
    shoal_output_destroy(writer->out);
    shoal_string_free(&writer->text);
    free(writer);
}

void writer_line(shoal_string *out, const char *text)
{
    const size_t n = strlen(text);
    char *to = shoal_string_room(out, n);
    if (!to) return;
    for (size_t i = 0; i < n; ++i) {
        const unsigned char c = (unsigned char)text[i];
        to[i] = c < ' ' || c == 0x7f ? ' ' : text[i];
    }
    out->size += n;
}

bool writer_has_cell(const shoal_molecule *mol)
{
    for (int k = 0; k < 9; ++k)
        if (mol->cell[k / 3][k % 3] != 0.0) return true;
    return false;
}

void writer_cell(shoal_string *out, const shoal_molecule *mol)
{
    for (int k = 0; k < 9; ++k) {
        if (k > 0) shoal_string_put_text(out, " ");
        shoal_string_put_number(out, mol->cell[k / 3][k % 3]);
    }
}

void writer_pbc(shoal_string *out, const shoal_molecule *mol)
{
    const char flags[5] = {mol->pbc[0] ? 'T' : 'F', ' ', mol->pbc[1] ? 'T' : 'F', ' ',
                           mol->pbc[2] ? 'T' : 'F'};
    shoal_string_put(out, flags, sizeof flags);
}

bool writer_is_charges(const char *key)
{
    return strcmp(key, "atom.dprop.PartialCharge") == 0 || strcmp(key, "partial_charges") == 0;
}

const char *writer_type(const shoal_molecule *mol, const shoal_frame *frame, int32_t i)
{
    if (!frame->types) return mol->type[i];
    return frame->types[i] ? frame->types[i] : "";
}

bool writer_has_types(const shoal_molecule *mol, const shoal_frame *frame)
{
    if (frame->types) return true;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->type[i][0] != '\0') return true;
    return false;
}
