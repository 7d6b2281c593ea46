/* SPDX-License-Identifier: BSD-3-Clause
 * The columns of a file of results, and the record that holds one system's share of them.
 *
 * A column is a dataset. Its rows belong to systems, or to what systems have several of (an axis): then the rows
 * of system i are starts[i] .. starts[i + 1] of the axis. A record is a results_head and the rows of all
 * columns, one column after the other in the order of the table, all little-endian and without padding. */
#ifndef SHOAL_RESULTS_RESULTS_RECORD_H
#define SHOAL_RESULTS_RESULTS_RECORD_H

#include "base/hash.h"
#include "base/text.h"
#include "shoal/results.h"

typedef enum results_axis {
    RESULTS_SYSTEM = 0, /* one row per system, no starts */
    RESULTS_NAME,       /* bytes of texts */
    RESULTS_REASON,
    RESULTS_WARNING,
    RESULTS_LINES, /* bytes: second line of an SD record, zero, third, zero; or none */
    RESULTS_ATOM,
    RESULTS_BOND,
    RESULTS_MARK, /* what few atoms and bonds have */
    RESULTS_DATA, /* bytes: key, zero, value, zero, .. */
    RESULTS_N_AXES,
} results_axis;

typedef enum results_type {
    RESULTS_INT8 = 0,
    RESULTS_UINT8,
    RESULTS_INT16,
    RESULTS_INT32,
    RESULTS_INT64,
    RESULTS_FLOAT64,
    RESULTS_TEXT8, /* padded with zeros */
    RESULTS_TEXT24,
    RESULTS_N_TYPES,
} results_type;

/* Numbers per row of the column of energies by term: as many as there are terms. */
enum { RESULTS_TERMS = -1 };

typedef struct results_column {
    const char *name; /* path of the dataset */
    results_axis axis;
    results_type type;
    int32_t width; /* numbers per row; 0: one, and the dataset has one dimension */
} results_column;

/* Places of the columns; the index comes first. */
enum {
    RESULTS_INDEX = 0,
    RESULTS_FILE,
    RESULTS_RECORD,
    RESULTS_LINE,
    RESULTS_STATUS,
    RESULTS_N_ATOMS,
    RESULTS_ENERGY,
    RESULTS_ENERGY0,
    RESULTS_FMAX,
    RESULTS_STEPS,
    RESULTS_ENERGIES,
    RESULTS_CELL,
    RESULTS_PBC,
    RESULTS_DEVICE,
    RESULTS_FLAGS,
    RESULTS_TIME, /* this and the next two: of dynamics */
    RESULTS_KINETIC,
    RESULTS_BATH,
    RESULTS_VARIANT,
    RESULTS_ADSORPTION,
    RESULTS_STRESS,
    RESULTS_NAME_TEXT,
    RESULTS_REASON_TEXT,
    RESULTS_WARNING_TEXT,
    RESULTS_LINES_TEXT,
    RESULTS_NUMBER,
    RESULTS_POSITION,
    RESULTS_FORCE,
    RESULTS_VELOCITY, /* of dynamics */
    RESULTS_CHARGE,
    RESULTS_FORMAL,
    RESULTS_ISOTOPE,
    RESULTS_ATOM_TYPE,
    RESULTS_DIRECTION,      /* unit vector that stands at the atom; zeros: none */
    RESULTS_ELECTRON_PAIRS, /* vectors from the atom to up to three electron pairs; zeros: none */
    RESULTS_BOND_ATOMS,
    RESULTS_ORDER,
    RESULTS_SHARED, /* mean order of resonance structures; 0: none */
    RESULTS_AROMATIC,
    RESULTS_SHIFT,
    RESULTS_MARK_KIND,
    RESULTS_MARK_AT,
    RESULTS_MARK_VALUE,
    RESULTS_DATA_BYTES,
    RESULTS_N_COLUMNS,
};
extern const results_column results_columns[RESULTS_N_COLUMNS];
/* Path of the starts of an axis, NULL for systems. */
extern const char *const results_starts[RESULTS_N_AXES];
/* Bytes of one number of a type. */
extern const size_t results_type_size[RESULTS_N_TYPES];

/* Columns that not all files have. */
enum {
    RESULTS_HAS_FORCES = 1,
    RESULTS_HAS_VARIANTS = 2,
    RESULTS_HAS_ADSORPTION = 4,
    RESULTS_HAS_DYNAMICS = 8,
    RESULTS_HAS_DIRECTIONS = 16, /* with all terms, others have TERMS_ALWAYS */
    RESULTS_HAS_STRESS = 32,
    RESULTS_HAS_ALL = 63,
};
uint32_t results_flags(const shoal_results_what *what);
/* Terms of new records with these flags. */
uint32_t results_n_terms(uint32_t flags);
shoal_results_what results_what(uint32_t flags);
/* The flag of files that have a column; 0: all have it. */
uint32_t results_column_flag(int column);

/* Bits of systems/flags: what is known of the molecule, and whether a run said anything of it. */
enum {
    RESULTS_KNOWS_BONDS = 1,
    RESULTS_KNOWS_FORMAL = 2,  /* charges of atoms, even if all are zero */
    RESULTS_GIVEN_CHARGES = 4, /* the charges are the molecule's, not those of a table */
    RESULTS_CHIRAL = 8,        /* flag of the SD file */
    RESULTS_IS_RESULT = 16,    /* the molecule was typed or computed, not just read */
    /* Three bits: whose charges acted, shoal_charge_source less SHOAL_CHARGES_NONE. */
    RESULTS_CHARGES = 32,
    RESULTS_FOUND_ORDERS = 256, /* perception chose orders that the file left open */
};

/* Numbers in marks/kind. */
typedef enum results_mark {
    RESULTS_RADICAL = 0, /* unpaired electrons of an atom */
    RESULTS_PARITY,      /* of an atom, 1 to 3 as in V2000 */
    RESULTS_STEREO,      /* of a bond, as in V2000; negative if it is seen from the second atom */
    RESULTS_N_MARKS,
} results_mark;
extern const char *const results_mark_names[RESULTS_N_MARKS];

typedef struct results_head {
    char magic[4];
    uint32_t flags;                /* RESULTS_HAS_ */
    uint64_t size;                 /* bytes of the record, with this head */
    uint32_t n_terms;              /* energies by term */
    uint32_t rows[RESULTS_N_AXES]; /* of this system */
} results_head;

/* Fills in magic and size. */
void results_head_finish(results_head *head);
/* The head of the first record in bytes[n]; SHOAL_E_FORMAT where no whole record begins there. */
shoal_status results_head_read(const char *bytes, size_t n, results_head *out);

/* What tells a record from a damaged one; files hold it. */
int64_t results_checksum(const char *record, size_t size);

/* Of the checksums of many records in a row, HASH_START at first; and of all that a file was given, with those that it kept. */
static inline uint64_t results_hash_add(uint64_t hash, int64_t checksum)
{
    return hash_words(hash, &checksum, sizeof checksum);
}
uint64_t results_hash(const shoal_results *results);

/* A record, and where each of its columns begins. */
typedef struct results_view {
    results_head head;
    const char *at[RESULTS_N_COLUMNS];
} results_view;

/* The first record in bytes[n], which it borrows; SHOAL_E_FORMAT as above. */
shoal_status results_look(const char *bytes, size_t n, results_view *out);

/* Makes the molecule of a record, cleared first, as if it had been read from an SD file: with the user's data
 * fields, and where the record is a result with the fields of one (io/result_fields.h), marked with the version of
 * the program ("shoal 1.2"). file is what the input was called. Fails with SHOAL_E_FORMAT where the record
 * makes no sense, and with its reason where it is one that could not be read. (results_molecule.c) */
shoal_status results_make_molecule(shoal_span record, const char *file, const char *program,
                                   shoal_molecule *mol);
/* The same with the user's data fields alone. */
shoal_status results_make_input(shoal_span record, shoal_molecule *mol);
/* The name of a system, borrowed from its record; empty where that is none. */
shoal_span results_name(shoal_span record);

/* Bytes of one row of a column; 0 where such records do not have it. */
size_t results_row_size(const results_column *column, uint32_t flags, uint32_t n_terms);

#endif
