/* SPDX-License-Identifier: BSD-3-Clause
 * Files of HDF5 that are written at once and take their names when they are complete. */
#ifndef SHOAL_BASE_HDF5_FILE_H
#define SHOAL_BASE_HDF5_FILE_H

#include "base/hdf5_library.h"

/* The file being written or read; the first thing that fails stays. */
typedef struct hdf5_file {
    const hdf5_library *h5;
    const char *path;
    hid_t id;
    bool failed;
    char what[64]; /* name of what failed */
} hdf5_file;

void hdf5_note(hdf5_file *f, bool failed, const char *what);
void hdf5_put_attribute(hdf5_file *f, hid_t at, const char *name, hid_t type, hsize_t n,
                        const void *data);
void hdf5_put_text(hdf5_file *f, hid_t at, const char *name, const char *text);
void hdf5_put_array(hdf5_file *f, hid_t at, const char *name, hid_t type, int rank,
                    const hsize_t *shape, const void *data);

/* "PATH.NUMBERS.part", to be freed; NULL if memory is out. Two processes may write the same file, and on two machines
 * have the same number. */
char *hdf5_temporary_name(const char *path);

/* Creates a file, has put fill it, and gives it its name. */
shoal_status hdf5_write(const char *path, void (*put)(hdf5_file *f, const void *user),
                        const void *user);

#endif
