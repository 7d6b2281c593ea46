/* SPDX-License-Identifier: BSD-3-Clause
 * The insides of a reader, and what the readers of the single formats share. */
#ifndef SHOAL_IO_READER_H
#define SHOAL_IO_READER_H

#include "chem/molecule.h"
#include "io/crystal.h"
#include "io/input.h"
#include "io/records.h"
#include "io/smiles.h"
#include "shoal/io.h"

/* What a column of an extended xyz file is used for. */
typedef enum xyz_use {
    XYZ_SKIP = 0,
    XYZ_SPECIES,
    XYZ_POS,
    XYZ_CHARGE,
    XYZ_FORMAL_CHARGE,
    XYZ_TYPE,
    XYZ_ISOTOPE,
    XYZ_FORCES,
    XYZ_MOMENTA,
    XYZ_MASS,
} xyz_use;

typedef struct xyz_column {
    xyz_use use;
    int32_t width; /* words */
} xyz_column;

/* The columns a frame's Properties key announces; n = 0 without one. */
typedef struct xyz_layout {
    xyz_column *columns;
    int32_t n, capacity;
    bool has_charges, has_forces, has_momenta;
} xyz_layout;

typedef struct atom_id {
    int32_t id;
    int32_t atom;
} atom_id;

/* From the numbers that a file gives its atoms to their indices. */
typedef struct atom_ids {
    atom_id *rows;
    int32_t n, capacity;
    bool sequential; /* 1, 2, 3, ... so far */
} atom_ids;

struct shoal_reader {
    shoal_input *in; /* the record being parsed */
    shoal_format format;
    record_cutter *cutter; /* NULL for a reader that only parses what it is given */
    record_block block;    /* the record that the cutter gave last */

    /* Memory that format readers use again for every frame. */
    shoal_string key, value;
    shoal_string labels, forces; /* columns of an xyz frame, .. */
    double (*velocities)[3];     /* .. and velocities by its momenta, angstrom/fs */
    int32_t velocity_capacity;
    xyz_layout layout;
    atom_ids ids;
    smiles_graph smiles;
    crystal *crystal; /* NULL before the first */
    shoal_read_options options;
    char *smiles_column; /* of these */
};

/* What a text is by its first lines; SHOAL_FORMAT_AUTO if these tell nothing. */
shoal_format format_by_content(shoal_span text);
/* Replaces SHOAL_FORMAT_AUTO by what the path tells; fails if it tells nothing. */
shoal_status format_choose(shoal_format *format, const char *path);

/* A reader without a file, for reader_parse; format is a definite one. options may be NULL. */
shoal_status reader_create(shoal_reader **out, shoal_format format,
                           const shoal_read_options *options);
/* Parses one record as a cutter gives it into mol, which is cleared first; *found is false for a record
 * that holds only blank lines. label and first_line are the file's name and the record's first line for
 * error texts, which are those of shoal_reader_next. A failure is of this record alone. Any thread may
 * parse with a reader of its own; once its memory has grown to the largest record nothing is allocated. */
shoal_status reader_parse(shoal_reader *rd, shoal_span text, const char *label, int64_t first_line,
                          shoal_molecule *mol, bool *found);

/* Readers of one frame into an empty molecule; *found is false at the end. */
shoal_status xyz_read(shoal_reader *rd, shoal_molecule *mol, bool *found);
shoal_status sdf_read(shoal_reader *rd, shoal_molecule *mol, bool *found);
shoal_status mol2_read(shoal_reader *rd, shoal_molecule *mol, bool *found);
shoal_status smiles_read(shoal_reader *rd, shoal_molecule *mol, bool *found);
shoal_status smiles_table_read(shoal_reader *rd, shoal_molecule *mol, bool *found);
/* Makes a molecule of a SMILES, which has a name already. */
shoal_status smiles_take(shoal_reader *rd, shoal_molecule *mol, shoal_span text);
shoal_status cif_read(shoal_reader *rd, shoal_molecule *mol, bool *found);
shoal_status poscar_read(shoal_reader *rd, shoal_molecule *mol, bool *found);
shoal_status pdb_read(shoal_reader *rd, shoal_molecule *mol, bool *found);

/* Makes rd->crystal an empty one. */
shoal_status reader_need_crystal(shoal_reader *rd);
/* Leaves the major part of a crystal with disorder, or refuses it, as the options say. */
shoal_status crystal_settle(shoal_reader *rd, crystal *c);
/* Makes the atoms of its cell. */
shoal_status crystal_finish(shoal_reader *rd, crystal *c, shoal_molecule *mol);

/* A finite coordinate in angstrom. */
shoal_status reader_coordinate(shoal_reader *rd, shoal_span word, double *out);
/* An element by its exact symbol, in any case; D and T are hydrogen of mass number 2 and 3, *isotope is 0
 * for all others. */
shoal_status reader_symbol(shoal_reader *rd, shoal_span symbol, int32_t *z, int32_t *isotope);
/* A mass number that a file gives an atom, 0 for none. */
shoal_status reader_isotope(shoal_reader *rd, shoal_molecule *mol, int32_t i, shoal_span word);
/* Gives the molecule the data field in rd->key and rd->value, beside others of that key. */
shoal_status reader_add_property(shoal_reader *rd, shoal_molecule *mol);

/* Exactly n numbers and nothing else, separated by blanks, commas or brackets. */
bool reader_numbers(shoal_span text, int32_t n, double *out);
/* Three words T or F (also true, false, 1, 0), separated in the same way. */
bool reader_flags(shoal_span text, bool out[3]);

void atom_ids_clear(atom_ids *ids);
shoal_status atom_ids_add(atom_ids *ids, int32_t id);
/* Call between adding and finding; *twice is an id that was added twice, or 0. */
void atom_ids_finish(atom_ids *ids, int32_t *twice);
/* -1 if there is no such id. */
int32_t atom_ids_find(const atom_ids *ids, int32_t id);

#endif
