/* SPDX-License-Identifier: BSD-3-Clause
 * Results of a run in one HDF5 file, which others can read while it is written, and as rows of CSV.
 *
 * A system becomes a record: bytes that hold all that the file says of it. Records are made on any thread, travel
 * as they are, and come back out of a file bit for bit. Writing and reading fail with
 * SHOAL_E_UNSUPPORTED in a build without HDF5; making records and CSV does not need it. Streams take such
 * files as input. docs/results.md describes the file. */
#ifndef SHOAL_RESULTS_H
#define SHOAL_RESULTS_H

#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a file holds beside what all of them hold. */
typedef struct shoal_results_what {
    bool forces;
    bool
        dynamics; /* time, kinetic energy, bath and velocities of system->md: frames of a trajectory */
    bool variants;   /* the number of the variant */
    bool adsorption; /* energies of adsorption */
    /* Systems may have directions and electron pairs (MMFFsp3): their terms, and where they are. */
    bool directions;
    bool stress; /* of systems that repeat; NaN of others */
} shoal_results_what;

/* What a file says of the run as a whole. Texts may be NULL, which stands for "". */
typedef struct shoal_results_header {
    shoal_results_what what;
    const char *const *files; /* [n_files]: the i_file of systems counts these */
    int32_t n_files;
    const char *program; /* name and version */
    const char *command; /* line */
    const char *options; /* JSON */
    const char *device, *driver;
    const char *start_time; /* NULL: when the file is made, in UTC */
    int64_t seed;
} shoal_results_header;

/* --- records -------------------------------------------------------------------------------------- */

/* Appends the record of one system, which may go when the call returns; the format of a sink with what as
 * its user. Fails with SHOAL_E_UNSUPPORTED where a bond leads 32768 cells away or a text has 4 GiB. */
SHOAL_API shoal_status shoal_results_format(const shoal_results_what *what,
                                            const shoal_stream_system *system, shoal_string *out);

/* The same of a frame of its trajectory, which becomes a system of its own: the step of a sink. */
SHOAL_API shoal_status shoal_results_format_frame(const shoal_results_what *what,
                                                  const shoal_stream_system *system,
                                                  const shoal_relax_frame *step, shoal_string *out);

/* Index and size of the first record in bytes[n]. Fails with SHOAL_E_FORMAT where no whole record begins
 * there. */
SHOAL_API shoal_status shoal_results_record_index(const char *bytes, size_t n, int64_t *index,
                                                  size_t *size);

/* What the first record in bytes[n] has for a dataset of the file, by its path ("atoms/position"): data[size]
 * bytes in the type of the dataset, borrowed from bytes and not aligned. Fails with SHOAL_E_FORMAT as above
 * and with SHOAL_E_ARGUMENT where records have no such thing (as all that is called starts). */
SHOAL_API shoal_status shoal_results_record_field(const char *bytes, size_t n, const char *dataset,
                                                  const void **data, size_t *size);

/* --- writing -------------------------------------------------------------------------------------- */

typedef struct shoal_results shoal_results;

/* Begins a file. keep < 0: a new one, in place of what has that name. Otherwise the first keep systems of the file of
 * that name stay, however its writer ended, and header replaces its header; it fails with SHOAL_E_IO where they
 * are not there. The file appears under its name when it is whole so far: ended at any moment,
 * either the old one or the new one is there. While it is written, "PATH.lock" is there, and a second
 * writer of PATH is refused with SHOAL_E_IO. The caller owns *out. */
SHOAL_API shoal_status shoal_results_create(shoal_results **out, const char *path,
                                            const shoal_results_header *header, int64_t keep);

/* Appends the records bytes[n], all of them whole and made for the same what. They are gathered and reach
 * readers about every second. After SHOAL_E_IO (a full disk) every further call fails alike, and what was synced
 * stays readable. */
SHOAL_API shoal_status shoal_results_write(shoal_results *results, const char *bytes, size_t n);

/* Puts everything written so far on the disk; *n_systems of them can be kept from now on, whatever comes. */
SHOAL_API shoal_status shoal_results_sync(shoal_results *results, int64_t *n_systems);

/* Ends the file: synced, and from now on opened by readers that know nothing of writers. Nothing can be written after
 * it. */
SHOAL_API shoal_status shoal_results_close(shoal_results *results);

/* Gives everything back. Without close before it the file stays as it was last synced or flushed. */
SHOAL_API void shoal_results_destroy(shoal_results *results);

/* --- reading -------------------------------------------------------------------------------------- */

typedef struct shoal_results_reader shoal_results_reader;

/* Opens a file: a finished one, one that is being written (what has reached it until now), or one whose writer
 * was ended. The caller owns *out. */
SHOAL_API shoal_status shoal_results_open(shoal_results_reader **out, const char *path);
SHOAL_API int64_t shoal_results_n_systems(const shoal_results_reader *reader);
/* True if its writer had closed the file when it was opened; false while it is written, and where the writer was
 * ended. */
SHOAL_API bool shoal_results_is_complete(const shoal_results_reader *reader);
/* Borrowed from the reader; no text is NULL. */
SHOAL_API shoal_status shoal_results_header_get(const shoal_results_reader *reader,
                                                shoal_results_header *out);
/* Appends the record of the i-th system of the file; fast where i grows by one from call to call. Fails with
 * SHOAL_E_ARGUMENT out of range. */
SHOAL_API shoal_status shoal_results_read(shoal_results_reader *reader, int64_t i,
                                          shoal_string *record);
SHOAL_API void shoal_results_reader_destroy(shoal_results_reader *reader);

/* --- CSV ------------------------------------------------------------------------------------------ */

/* Appends the first line: index,file,record,name,natoms,status,energy,energy0,fmax,steps, the terms by name
 * (those of directions where asked for),
 * device,reason,warning, then variant and adsorption_energy where asked for; what may be NULL. */
SHOAL_API void shoal_results_csv_header(const shoal_results_what *what, shoal_string *out);
/* Appends the line of one system, as RFC 4180 has it but ended by a line feed alone; energies in eV, fmax in
 * eV/angstrom. What is not a number is left empty. files[n_files] are the names of the stream's files. */
SHOAL_API shoal_status shoal_results_csv(const shoal_results_what *what,
                                         const shoal_stream_system *system,
                                         const char *const *files, int32_t n_files,
                                         shoal_string *out);
/* The same line of the first record in bytes[n], with the files of the header that it belongs to. Fails with
 * SHOAL_E_FORMAT where no whole record begins there. */
SHOAL_API shoal_status shoal_results_csv_record(const shoal_results_what *what, const char *bytes,
                                                size_t n, const char *const *files, int32_t n_files,
                                                shoal_string *out);
/* Writes the table of files of results, one after the other: what their runs would have written. path: "-" is standard
 * output, and a name ending in .gz is compressed. */
SHOAL_API shoal_status shoal_results_to_csv(const char *path, const char *const *files,
                                            int32_t n_files);

#ifdef __cplusplus
}
#endif

#endif
