/* SPDX-License-Identifier: BSD-3-Clause
 * Opening molecule files, choosing the format, and what the readers of the formats share. */
#include "io/reader.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "chem/element.h"

/* Looking up a key takes a walk over all of them. */
enum { MAX_PROPERTIES = 4096 };

static shoal_status missing(const char *what)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "reader: no %s given", what);
}

shoal_format shoal_format_by_name(const char *name)
{
    static const struct {
        const char *name;
        shoal_format format;
    } names[] = {{"xyz", SHOAL_FORMAT_XYZ},     {"extxyz", SHOAL_FORMAT_XYZ},
                 {"sdf", SHOAL_FORMAT_SDF},     {"sd", SHOAL_FORMAT_SDF},
                 {"mol", SHOAL_FORMAT_SDF},     {"mol2", SHOAL_FORMAT_MOL2},
                 {"h5", SHOAL_FORMAT_HDF5},     {"hdf5", SHOAL_FORMAT_HDF5},
                 {"smi", SHOAL_FORMAT_SMILES},  {"smiles", SHOAL_FORMAT_SMILES},
                 {"cif", SHOAL_FORMAT_CIF},     {"poscar", SHOAL_FORMAT_POSCAR},
                 {"vasp", SHOAL_FORMAT_POSCAR}, {"pdb", SHOAL_FORMAT_PDB},
                 {"ent", SHOAL_FORMAT_PDB},     {"csv", SHOAL_FORMAT_TABLE},
                 {"tsv", SHOAL_FORMAT_TABLE}};
    for (size_t i = 0; name && i < sizeof names / sizeof names[0]; ++i)
        if (shoal_span_equal_nocase(shoal_span_of(name), names[i].name)) return names[i].format;
    return SHOAL_FORMAT_AUTO;
}

static shoal_format format_by_extension(const char *path)
{
    char extension[16];
    shoal_span s = shoal_span_of(path);
    if (s.size > 3 && shoal_span_equal_nocase(shoal_span_after(s, s.size - 3), ".gz")) s.size -= 3;
    size_t dot = s.size;
    while (dot > 0 && s.text[dot - 1] != '.' && s.text[dot - 1] != '/') --dot;
    const size_t n = s.size - dot;
    if (dot == 0 || s.text[dot - 1] != '.' || n >= sizeof extension) return SHOAL_FORMAT_AUTO;
    memcpy(extension, s.text + dot, n);
    extension[n] = '\0';
    return shoal_format_by_name(extension);
}

/* VASP knows its files by their names alone: POSCAR, CONTCAR, POSCAR_3, .. */
static bool is_poscar_name(shoal_span path)
{
    size_t start = path.size;
    while (start > 0 && path.text[start - 1] != '/') --start;
    const shoal_span name = shoal_span_after(path, start);
    return shoal_span_starts(name, "POSCAR") || shoal_span_starts(name, "CONTCAR");
}

shoal_format shoal_format_by_path(const char *path)
{
    if (!path) return SHOAL_FORMAT_AUTO;
    if (input_text(path)) return SHOAL_FORMAT_SMILES;
    const shoal_format format = format_by_extension(path);
    if (format == SHOAL_FORMAT_AUTO && is_poscar_name(shoal_span_of(path)))
        return SHOAL_FORMAT_POSCAR;
    return format;
}

/* How files of other programs become ones that are read here; "" for names that say nothing. */
static const char *way_over(const char *path)
{
    static const struct {
        const char *end, *way;
    } ways[] = {
        {".pdbqt", "; Open Babel makes one of it (obabel FILE -O new.sdf)"},
        {".cml", "; Open Babel makes one of it (obabel FILE -O new.sdf)"},
        {".gro", "; Open Babel makes one of it (obabel FILE -O new.sdf)"},
        {".mmcif", "; Open Babel makes one of it (obabel FILE -O new.sdf)"},
        {".inchi", "; Open Babel makes one of it (obabel FILE -O new.smi)"},
        {".mae", "; RDKit reads it (Chem.MaeMolSupplier) and writes .sdf"},
        {".xsf", "; ASE makes one of it (ase convert FILE new.extxyz)"},
        {".cube", "; ASE makes one of it (ase convert FILE new.extxyz)"},
        {".gen", "; ASE makes one of it (ase convert FILE new.extxyz)"},
        {".res", "; ASE makes one of it (ase convert FILE new.extxyz)"},
        {".traj", "; ASE makes one of it (ase convert FILE new.extxyz)"},
        {".json", "; if ASE wrote it, ASE makes one of it (ase convert FILE new.extxyz)"},
        {".zip", "; it has to be unpacked first, or compressed by gzip"},
        {".bz2", "; it has to be unpacked first, or compressed by gzip"},
        {".xz", "; it has to be unpacked first, or compressed by gzip"},
        {".zst", "; it has to be unpacked first, or compressed by gzip"},
        {".tar", "; it has to be unpacked first"},
        {".tgz", "; it has to be unpacked first"},
    };
    const shoal_span s = shoal_span_of(path);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; ++k) {
        const size_t n = strlen(ways[k].end);
        if (s.size >= n && shoal_span_equal_nocase(shoal_span_after(s, s.size - n), ways[k].end))
            return ways[k].way;
    }
    return "";
}

shoal_status format_choose(shoal_format *format, const char *path)
{
    if (*format == SHOAL_FORMAT_AUTO) *format = shoal_format_by_path(path);
    if (*format == SHOAL_FORMAT_AUTO)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%s: the name does not tell a format, expected .xyz, .extxyz, "
                          ".sdf, .sd, .mol, .mol2, .smi, .csv, .tsv, .cif, .pdb, .ent, .vasp, "
                          "POSCAR.., CONTCAR.. "
                          "(each also .gz) or a format given%s",
                          path, way_over(path));
    if (*format == SHOAL_FORMAT_HDF5)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "%s: files of results are read by streams alone, expected a file of "
                          "molecules here",
                          path);
    if (*format == SHOAL_FORMAT_NONE || *format < SHOAL_FORMAT_XYZ || *format > SHOAL_FORMAT_TABLE)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: no such format: %d", path, (int)*format);
    return SHOAL_OK;
}

shoal_status reader_create(shoal_reader **out, shoal_format format,
                           const shoal_read_options *options)
{
    shoal_reader *rd = shoal_alloc(1, sizeof *rd);
    *out = rd;
    if (!rd) return SHOAL_E_MEMORY;
    rd->format = format;
    if (options) rd->options = *options;
    const char *column = rd->options.smiles_column;
    if (column) rd->options.smiles_column = rd->smiles_column = shoal_strdup(column);
    const shoal_status status =
        column && !rd->smiles_column ? SHOAL_E_MEMORY : shoal_input_create(&rd->in);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_reader_destroy(rd);
    *out = NULL;
    return status;
}

/* A reader of the cutter's records; takes the cutter over. */
static shoal_status read_from(shoal_reader **out, record_cutter *cutter,
                              const shoal_read_options *options)
{
    const shoal_status status = reader_create(out, record_cutter_format(cutter), options);
    if (status == SHOAL_OK)
        (*out)->cutter = cutter;
    else
        record_cutter_destroy(cutter);
    return status;
}

shoal_status shoal_reader_open_with(shoal_reader **out, const char *path, shoal_format format,
                                    const shoal_read_options *options)
{
    record_cutter *cutter;
    shoal_clear_error();
    if (!out) return missing("place for the result");
    *out = NULL;
    if (!path) return missing("path");
    SHOAL_TRY(record_cutter_open(&cutter, path, format, NULL));
    return read_from(out, cutter, options);
}

shoal_status shoal_reader_open(shoal_reader **out, const char *path, shoal_format format)
{
    return shoal_reader_open_with(out, path, format, NULL);
}

shoal_status shoal_reader_open_memory(shoal_reader **out, const void *data, size_t size,
                                      const char *label, shoal_format format)
{
    record_cutter *cutter;
    shoal_clear_error();
    if (!out) return missing("place for the result");
    *out = NULL;
    if (!label || (!data && size > 0)) return missing(label ? "data" : "label");
    SHOAL_TRY(record_cutter_open_memory(&cutter, data, size, label, format));
    return read_from(out, cutter, NULL);
}

static shoal_status read_frame(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    switch (rd->format) {
    case SHOAL_FORMAT_XYZ: return xyz_read(rd, mol, found);
    case SHOAL_FORMAT_SDF: return sdf_read(rd, mol, found);
    case SHOAL_FORMAT_MOL2: return mol2_read(rd, mol, found);
    case SHOAL_FORMAT_SMILES: return smiles_read(rd, mol, found);
    case SHOAL_FORMAT_TABLE: return smiles_table_read(rd, mol, found);
    case SHOAL_FORMAT_CIF: return cif_read(rd, mol, found);
    case SHOAL_FORMAT_POSCAR: return poscar_read(rd, mol, found);
    case SHOAL_FORMAT_PDB: return pdb_read(rd, mol, found);
    case SHOAL_FORMAT_AUTO:
    case SHOAL_FORMAT_HDF5:
    case SHOAL_FORMAT_NONE: break;
    }
    return shoal_fail(SHOAL_E_ARGUMENT, "the reader has no format");
}

shoal_status reader_parse(shoal_reader *rd, shoal_span text, const char *label, int64_t first_line,
                          shoal_molecule *mol, bool *found)
{
    shoal_molecule_clear(mol);
    /* Of a table, the line before is the heading. */
    shoal_input_point(rd->in, text, label, first_line - (rd->format == SHOAL_FORMAT_TABLE));
    const shoal_status status = read_frame(rd, mol, found);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_molecule_clear(mol);
    *found = false;
    return status;
}

/* A record of blank lines is passed over; it can only be the last. */
static shoal_status next_record(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    SHOAL_TRY(record_cutter_next(rd->cutter, &rd->block, 1, 1));
    if (rd->block.n == 0) return SHOAL_OK;
    return reader_parse(rd, record_block_text(&rd->block, 0), record_cutter_label(rd->cutter),
                        rd->block.lines[0], mol, found);
}

shoal_status shoal_reader_next(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    shoal_clear_error();
    if (found) *found = false;
    if (!rd || !mol || !found)
        return missing(!rd ? "reader" : !mol ? "molecule" : "place for the answer");
    shoal_molecule_clear(mol);
    return next_record(rd, mol, found);
}

void shoal_reader_progress(const shoal_reader *rd, uint64_t *done, uint64_t *total)
{
    uint64_t bytes[2] = {0, 0};
    if (rd) record_cutter_progress(rd->cutter, &bytes[0], &bytes[1]);
    if (done) *done = bytes[0];
    if (total) *total = bytes[1];
}

void shoal_reader_destroy(shoal_reader *rd)
{
    if (!rd) return;
    record_cutter_destroy(rd->cutter);
    record_block_free(&rd->block);
    shoal_input_destroy(rd->in);
    shoal_string_free(&rd->key);
    shoal_string_free(&rd->value);
    shoal_string_free(&rd->labels);
    shoal_string_free(&rd->forces);
    free(rd->velocities);
    smiles_free(&rd->smiles);
    free(rd->smiles_column);
    if (rd->crystal) crystal_free(rd->crystal);
    free(rd->crystal);
    free(rd->layout.columns);
    free(rd->ids.rows);
    free(rd);
}

shoal_status reader_coordinate(shoal_reader *rd, shoal_span word, double *out)
{
    if (shoal_text_double(word, out)) return SHOAL_OK;
    return shoal_input_fail(rd->in, word, "bad coordinate", "a finite number");
}

shoal_status reader_symbol(shoal_reader *rd, shoal_span symbol, int32_t *z, int32_t *isotope)
{
    *z = *isotope = 0;
    if (symbol.size == 1 || symbol.size == 2)
        *z = element_by_symbol(symbol.text, (int32_t)symbol.size);
    if (*z > 0) return SHOAL_OK;
    if (shoal_span_equal(symbol, "D") || shoal_span_equal(symbol, "T")) {
        *z = 1;
        *isotope = symbol.text[0] == 'D' ? 2 : 3;
        return SHOAL_OK;
    }
    return shoal_input_fail(rd->in, symbol, "unknown element", "the symbol of an element");
}

shoal_status reader_isotope(shoal_reader *rd, shoal_molecule *mol, int32_t i, shoal_span word)
{
    int32_t mass_number;
    if (!shoal_text_int(word, &mass_number) ||
        shoal_molecule_set_isotope(mol, i, mass_number) == SHOAL_E_ARGUMENT)
        return shoal_input_fail(rd->in, word, "bad isotope", "a mass number up to 400");
    return SHOAL_OK;
}

shoal_status reader_add_property(shoal_reader *rd, shoal_molecule *mol)
{
    if (mol->n_properties >= MAX_PROPERTIES)
        return shoal_input_fail(rd->in, shoal_span_of(rd->key.data), "one data field too many",
                                "at most %d per frame", (int)MAX_PROPERTIES);
    return molecule_add_property(mol, shoal_string_span(&rd->key), shoal_string_span(&rd->value));
}

static shoal_span list_word(shoal_span *rest)
{
    const char *p = rest->text, *end = p + rest->size;
    while (p < end && (shoal_is_blank(*p) || strchr(",[]", *p))) ++p;
    const char *start = p;
    while (p < end && !shoal_is_blank(*p) && !strchr(",[]", *p)) ++p;
    *rest = (shoal_span){p, (size_t)(end - p)};
    return (shoal_span){start, (size_t)(p - start)};
}

bool reader_numbers(shoal_span text, int32_t n, double *out)
{
    for (int32_t i = 0; i < n; ++i)
        if (!shoal_text_double(list_word(&text), &out[i])) return false;
    return list_word(&text).size == 0;
}

static bool read_flag(shoal_span word, bool *out)
{
    static const char *const words[] = {"F", "T", "false", "true", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        *out = i % 2 == 1;
        if (shoal_span_equal_nocase(word, words[i])) return true;
    }
    return false;
}

bool reader_flags(shoal_span text, bool out[3])
{
    for (int k = 0; k < 3; ++k)
        if (!read_flag(list_word(&text), &out[k])) return false;
    return list_word(&text).size == 0;
}

static void drop_all(shoal_molecule **molecules, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) shoal_molecule_destroy(molecules[k]);
    free((void *)molecules);
}

shoal_status shoal_molecules_read(shoal_molecule ***out, int32_t *n, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(out && n && path);
    shoal_reader *reader = NULL;
    shoal_molecule **found = NULL;
    int32_t count = 0, capacity = 0;
    bool more = true;
    *out = NULL;
    *n = 0;
    SHOAL_TRY(shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO));
    shoal_status status = SHOAL_OK;
    while (status == SHOAL_OK && more) {
        status = SHOAL_RESERVE(&found, &capacity, count + 1);
        if (status == SHOAL_OK) status = shoal_molecule_create(&found[count]);
        if (status == SHOAL_OK) status = shoal_reader_next(reader, found[count++], &more);
    }
    shoal_reader_destroy(reader);
    if (status == SHOAL_OK) shoal_molecule_destroy(found[--count]); /* behind the last one */
    if (status == SHOAL_OK && count == 0)
        status = shoal_fail(SHOAL_E_FORMAT, "%s: no frames in it", path);
    if (status != SHOAL_OK) {
        drop_all(found, count);
        return status;
    }
    *out = found;
    *n = count;
    return SHOAL_OK;
}
