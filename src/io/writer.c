/* SPDX-License-Identifier: BSD-3-Clause
 * Writing molecule files: opening, checks, and what the writers of the formats share. */
#include "io/writer.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/reader.h"

struct shoal_writer {
    shoal_output *out;
    shoal_format format;
    bool closed;
};

static shoal_status missing(const char *what)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "writer: no %s given", what);
}

static shoal_status choose_format(shoal_format *format, const char *path)
{
    if (*format == SHOAL_FORMAT_AUTO) *format = format_by_path(path);
    if (*format == SHOAL_FORMAT_MOL2)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "%s: mol2 cannot be written, expected xyz or sdf",
                          path);
    if (*format != SHOAL_FORMAT_XYZ && *format != SHOAL_FORMAT_SDF)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s: the name tells no format that can be written, expected .xyz, "
                          ".extxyz, .sdf, .sd or .mol (each also .gz)",
                          path);
    return SHOAL_OK;
}

shoal_status shoal_writer_open(shoal_writer **result, const char *path, shoal_format format)
{
    shoal_clear_error();
    if (!result) return missing("place for the result");
    *result = NULL;
    if (!path) return missing("path");
    SHOAL_TRY(choose_format(&format, path));
    shoal_writer *writer = shoal_alloc(1, sizeof *writer);
    if (!writer) return SHOAL_E_MEMORY;
    writer->format = format;
    const shoal_status status = shoal_output_open(&writer->out, path);
    if (status == SHOAL_OK)
        *result = writer;
    else
        free(writer);
    return status;
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

shoal_status shoal_writer_put(shoal_writer *writer, const shoal_molecule *mol,
                              const shoal_frame *frame)
{
    static const shoal_frame nothing;
    shoal_clear_error();
    if (!writer || !mol) return missing(writer ? "molecule" : "writer");
    if (writer->closed) return shoal_fail(SHOAL_E_ARGUMENT, "the writer is closed");
    SHOAL_TRY(shoal_output_check(writer->out));
    SHOAL_TRY(check_positions(mol));
    if (!frame) frame = &nothing;
    SHOAL_TRY(writer->format == SHOAL_FORMAT_XYZ ? xyz_write(writer->out, mol, frame)
                                                 : sdf_write(writer->out, mol, frame));
    return shoal_output_check(writer->out);
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
    free(writer);
}

void writer_line(shoal_output *out, const char *text)
{
    for (const char *p = text; *p; ++p) {
        const unsigned char c = (unsigned char)*p;
        shoal_output_put(out, c < ' ' || c == 0x7f ? shoal_span_of(" ") : (shoal_span){p, 1});
    }
}

bool writer_has_cell(const shoal_molecule *mol)
{
    for (int k = 0; k < 9; ++k)
        if (mol->cell[k / 3][k % 3] != 0.0) return true;
    return false;
}

void writer_cell(shoal_output *out, const shoal_molecule *mol)
{
    for (int k = 0; k < 9; ++k) {
        if (k > 0) shoal_output_text(out, " ");
        shoal_output_number(out, mol->cell[k / 3][k % 3]);
    }
}

void writer_pbc(shoal_output *out, const shoal_molecule *mol)
{
    shoal_output_format(out, "%c %c %c", mol->pbc[0] ? 'T' : 'F', mol->pbc[1] ? 'T' : 'F',
                        mol->pbc[2] ? 'T' : 'F');
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
