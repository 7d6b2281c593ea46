/* SPDX-License-Identifier: BSD-3-Clause
 * What writing and reading a file of results share: its datasets, its attributes, and failures told in words.
 *
 * All of it is called between hdf5_library_lock and _unlock. */
#ifndef SHOAL_RESULTS_RESULTS_FILE_H
#define SHOAL_RESULTS_RESULTS_FILE_H

#include "results/results_record.h"

#ifdef SHOAL_HAVE_HDF5
#include "base/hdf5_library.h"

#define RESULTS_FORMAT "shoal-results"
#define RESULTS_CHECKSUM "systems/checksum"
enum { RESULTS_VERSION = 3 };

/* An open file. Numbers of what is not open are 0. */
typedef struct results_file {
    const hdf5_library *h5;
    const char *path; /* for the texts of failures; borrowed */
    hid_t id;
    uint32_t flags, n_terms;
    hid_t column[RESULTS_N_COLUMNS]; /* 0 where flags leave it out */
    hid_t starts[RESULTS_N_AXES];
    hid_t checksum; /* of each system's record, in the type of starts */
} results_file;

/* SHOAL_E_IO with what HDF5 says of the call that just failed: "PATH: cannot WHAT: No space left on device". */
shoal_status results_failed(const results_file *f, const char *what);

/* Creates groups, datasets and attributes in a new file; flags and n_terms are set by header. The datasets are
 * left closed: HDF5 opens those that are open anew, its own way, when it begins to share a file. */
shoal_status results_file_make(results_file *f, const shoal_results_header *header);

/* Opens the datasets of a file, and sets flags and n_terms by them. SHOAL_E_FORMAT where they are not those of a
 * file of results. Those of a file that is being written have no cache. The index is opened first: what was there
 * when it was opened is there in all others. */
shoal_status results_file_find(results_file *f, bool writes);

/* Closes datasets and file; false where HDF5 could not. */
bool results_file_close(results_file *f);

/* Number of rows of a dataset, -1 where HDF5 fails. */
int64_t results_count_rows(const results_file *f, hid_t dataset);
/* Rows first .. first + n of a dataset, to or from memory in the type of the column (NULL: starts). */
shoal_status results_read_rows(const results_file *f, hid_t dataset, const results_column *column,
                               int64_t first, int64_t n, void *to);
shoal_status results_append_rows(const results_file *f, hid_t dataset, const results_column *column,
                                 int64_t first, int64_t n, const void *from);

/* Text of an attribute, to be freed; NULL where there is none, or no memory. */
char *results_get_text(const results_file *f, const char *name);
int64_t results_get_number(const results_file *f, const char *name);
/* Changes one that is there, which a file that is shared with readers allows. */
shoal_status results_set_number(const results_file *f, const char *name, int64_t value);

#endif
#endif
