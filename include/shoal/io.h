/* SPDX-License-Identifier: BSD-3-Clause
 * Molecule files: streams of frames, read and written one at a time in constant memory.
 *
 * NULL where something is needed fails with SHOAL_E_ARGUMENT. */
#ifndef SHOAL_IO_H
#define SHOAL_IO_H

#include "shoal/molecule.h"
#include "shoal/text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shoal_format {
    SHOAL_FORMAT_AUTO =
        0, /* by the file name: .xyz .extxyz .sdf .sd .mol .mol2 .smi .smiles .csv .tsv .cif .pdb .ent .vasp .poscar POSCAR* CONTCAR*, each also .gz; .h5 .hdf5;
            * in readers otherwise by the content */
    SHOAL_FORMAT_XYZ, /* xyz, extended xyz, and the "lvs" comment form */
    SHOAL_FORMAT_SDF, /* V2000 and V3000 */
    SHOAL_FORMAT_MOL2,
    SHOAL_FORMAT_NONE,   /* for writers: any text, which shoal_writer_append takes as it is */
    SHOAL_FORMAT_HDF5,   /* files of results (shoal/results.h): input of streams, not of readers */
    SHOAL_FORMAT_SMILES, /* a SMILES and a name on each line; read only */
    SHOAL_FORMAT_CIF,    /* CIF 1.1 of crystals; written as P 1 */
    SHOAL_FORMAT_POSCAR, /* of VASP: one structure */
    SHOAL_FORMAT_PDB,
    SHOAL_FORMAT_TABLE, /* .csv, .tsv: a SMILES and whatever else in each row, the names of the columns in the first; read only */
} shoal_format;

/* Atoms in files, about, by the sizes of the files alone; INFINITY where one of them is a pipe or standard input. What
 * is not there has none. */
SHOAL_API double shoal_format_count_atoms(const char *const *files, int32_t n_files,
                                          shoal_format format);

typedef struct shoal_reader shoal_reader;
typedef struct shoal_writer shoal_writer;

/* Format of a name such as "xyz", "extxyz", "sdf", "mol", "mol2", "h5"; SHOAL_FORMAT_AUTO if unknown. */
SHOAL_API shoal_format shoal_format_by_name(const char *name);
/* The same of a file, by the ending of its name; NULL has none. */
SHOAL_API shoal_format shoal_format_by_path(const char *path);

/* Opens a file for reading; "-" is standard input (format must be given), "smiles:TEXT" is no file but that SMILES, with a
 * name behind it or not, which has to stay until the reader is destroyed. gzip is recognised by
 * its first bytes, whatever the file is called. Files of results fail with SHOAL_E_UNSUPPORTED. The caller
 * owns *out. */
SHOAL_API shoal_status shoal_reader_open(shoal_reader **out, const char *path, shoal_format format);

/* How records are read. */
typedef struct shoal_read_options {
    bool
        major_part; /* of disorder, the groups with the largest occupancy; else such records are refused */
    const char
        *smiles_column; /* of a table, in any case of letters. NULL: smiles or canonical_smiles */
} shoal_read_options;

/* The same with options, which may be NULL. */
SHOAL_API shoal_status shoal_reader_open_with(shoal_reader **out, const char *path,
                                              shoal_format format,
                                              const shoal_read_options *options);

/* Reads from memory instead of a file; data[size] is borrowed until the reader is destroyed. label
 * stands for the file name in error texts. */
SHOAL_API shoal_status shoal_reader_open_memory(shoal_reader **out, const void *data, size_t size,
                                                const char *label, shoal_format format);

/* Reads the next frame into mol, which is cleared first; *found is false at the end of the file.
 * SHOAL_E_FORMAT is of this frame alone, and its text names file, line, value and expectation: the next
 * call goes on with the next frame. A file that cannot be read on (SHOAL_E_IO, damaged gzip data, a frame of
 * more than 1 GiB) fails in every further call with the same text. */
SHOAL_API shoal_status shoal_reader_next(shoal_reader *reader, shoal_molecule *mol, bool *found);

/* All frames of a file: (*out)[*n], of which the caller destroys each and frees the array. A file without frames fails
 * with SHOAL_E_FORMAT. */
SHOAL_API shoal_status shoal_molecules_read(shoal_molecule ***out, int32_t *n, const char *path);

/* Bytes consumed so far and in all (0 if unknown), of the file as stored. For progress bars. Either
 * may be NULL. */
SHOAL_API void shoal_reader_progress(const shoal_reader *reader, uint64_t *done, uint64_t *total);
SHOAL_API void shoal_reader_destroy(shoal_reader *reader);

/* What is known of a frame beside the molecule; every pointer may be NULL. Frames state it in data fields
 * (keys of extended xyz) of these names: shoal (the version, in frames that are results), shoal_index,
 * shoal_record, shoal_variant, conformer, shoal_file, status, reason, warning, energy, energy0, adsorption_energy, stress, fmax,
 * steps, uff_types, forces, and shoal_positions, the coordinates with all digits beside V2000 columns. In xyz forces and
 * types are columns, and the first six begin the comment line, as they are the first fields of an SD record. */
typedef struct shoal_frame {
    /* The frame states what a run found: what the molecule's file said of an earlier run of Shoal is
     * left out, and the frame is marked as this run's. Data fields of these names that Shoal did not write
     * are kept as NAME_input, so are free_energy and virial. */
    bool is_result;
    const double *energy;      /* eV */
    const double (*forces)[3]; /* forces[n_atoms][3], eV/angstrom */
    const double (*displacements)
        [3]; /* [n_atoms] angstrom: a column of extended xyz; other formats leave it out */
    const char *const *types; /* types[n_atoms], UFF labels */
    const char *status;       /* this and what follows is written as data fields */
    const char *reason, *warning;
    const double *fmax;    /* eV/angstrom */
    const double *energy0; /* eV, before a relaxation */
    const int32_t *steps;
    const double *time, *kinetic;     /* of dynamics: fs, eV */
    const double *temperature, *bath; /* K */
    /* Of dynamics, in extended xyz: written as the columns momenta, in the unit of ASE (sqrt(eV amu)), and masses. */
    const double (*velocities)[3]; /* velocities[n_atoms][3], angstrom/fs */
    const double *masses;          /* masses[n_atoms], amu; not NULL where velocities are not */
    /* In extended xyz: the column pi, zeros of atoms without, and the text electron_pairs. */
    int32_t n_directions, n_pairs;
    const int32_t *direction_atoms;    /* [n_directions], ascending */
    const double (*directions)[3];     /* [n_directions], unit vectors */
    const double (*electron_pairs)[3]; /* [n_pairs], angstrom */
    const char *file;         /* where the system came from; NULL: not written, nor the next two */
    int64_t index, record;    /* in the whole input and in its file, from 0 */
    const int64_t *variant;   /* of its record; NULL: there are none */
    const int64_t *conformer; /* the same */
    bool has_adsorption;
    double adsorption_energy; /* eV, if it has one */
    const double
        *stress; /* [6] xx, yy, zz, yz, xz, xy, eV/angstrom^3; written as the nine of ASE */
} shoal_frame;

/* Key of the first data field that a result of the molecule would keep as NAME_input; NULL if there is none.
 * Borrowed until the molecule changes. */
SHOAL_API const char *shoal_frame_renamed_field(const shoal_molecule *mol);

/* Makes the labels that a file states as results of an earlier run (data field uff_types) decide on types, as
 * the column uff_type does in a file that Shoal did not write. Nothing happens without such a field; fails with
 * SHOAL_E_FORMAT if it does not have a label for every atom. */
SHOAL_API shoal_status shoal_molecule_use_file_types(shoal_molecule *mol);

/* Whether frames can be written in a format. */
SHOAL_API bool shoal_format_is_written(shoal_format format);

/* Appends a frame to a text as a writer of that format would write it. CIF, POSCAR, PDB and mol2 have no place for
 * what the frame states. frame may be NULL. Nothing is appended if the molecule is refused: coordinates that are not finite, or what
 * the format cannot state. */
SHOAL_API shoal_status shoal_frame_format(shoal_string *out, shoal_format format,
                                          const shoal_molecule *mol, const shoal_frame *frame);

/* Creates or overwrites a file; "-" is standard output; a name ending in .gz is compressed. The
 * data go to a temporary name beside it and take the final name in shoal_writer_close, so an
 * interrupted run leaves no half file under the final name. A second frame of a POSCAR is refused. */
SHOAL_API shoal_status shoal_writer_open(shoal_writer **out, const char *path, shoal_format format);
/* The same with a given temporary name, for runs that go on where an earlier one ended: the part stays
 * when the writer is destroyed and when the process dies. keep < 0 begins anew; else the part that is there
 * is cut to its first keep bytes, as shoal_writer_sync counted them, and written on. Fails with SHOAL_E_IO
 * if the part is shorter or missing, and while another writer has it open, in this process or another. What
 * goes to standard output, a device or a pipe has no part. */
SHOAL_API shoal_status shoal_writer_open_as(shoal_writer **out, const char *path,
                                            shoal_format format, const char *part, int64_t keep);
/* The format it writes; SHOAL_FORMAT_AUTO of NULL only. */
SHOAL_API shoal_format shoal_writer_format(const shoal_writer *writer);
/* The temporary name, for whoever has to remove it after a sudden end; NULL where the data go straight
 * to their place. Borrowed until the writer is closed. */
SHOAL_API const char *shoal_writer_part(const shoal_writer *writer);
/* Formats and appends a frame, which may be NULL. */
SHOAL_API shoal_status shoal_writer_put(shoal_writer *writer, const shoal_molecule *mol,
                                        const shoal_frame *frame);
/* Writes text[size] as it is: frames that shoal_frame_format made, on whatever thread. If the disk fills up
 * the part is cut behind the last text that fits (in a gzip file, behind the last MiB or sync), every
 * further call fails, and shoal_writer_close_as gives a name to what is there. */
SHOAL_API shoal_status shoal_writer_append(shoal_writer *writer, const char *text, size_t size);
/* Waits until all that was appended is on the disk; *size is the bytes of the file then, of which none will
 * change. In a gzip file a member ends there. */
SHOAL_API shoal_status shoal_writer_sync(shoal_writer *writer, int64_t *size);
/* Flushes and renames into place; reports a full disk. Call before destroy, which discards. */
SHOAL_API shoal_status shoal_writer_close(shoal_writer *writer);
/* The same under another name: for what is complete of a run that failed, perhaps by a full disk. */
SHOAL_API shoal_status shoal_writer_close_as(shoal_writer *writer, const char *path);
SHOAL_API void shoal_writer_destroy(shoal_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
