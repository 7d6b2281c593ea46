/* SPDX-License-Identifier: BSD-3-Clause
 * The disk under an HDF5 file that is being written.
 *
 * HDF5 (1.10 and later) does not survive a write that fails: it cannot close what it cannot write, keeps what
 * it could not close, and may follow dangling pointers when it tries again. So it never hears of one. The
 * first failure is noted here, everything written after it goes nowhere, and whoever writes asks after every
 * step. What lies on the disk then is what a writer killed at that moment would have left. */
#ifndef SHOAL_RESULTS_RESULTS_DISK_H
#define SHOAL_RESULTS_RESULTS_DISK_H

#include "base/error.h"

#ifdef SHOAL_HAVE_HDF5
#include "base/hdf5_library.h"

typedef struct results_disk {
    const hdf5_library *h5;
    int number; /* of the open file; -1: none */
    int error;  /* errno of the first failure, 0 before */
} results_disk;

/* Creates or empties a file. */
shoal_status results_disk_open(results_disk *disk, const hdf5_library *h5, const char *path);

/* Makes files that are created with the property list lie on the disk, which must outlive them; false where
 * HDF5 fails. */
bool results_disk_use(results_disk *disk, hid_t access);

/* Waits until what was written is on the disk. */
void results_disk_sync(results_disk *disk);

/* SHOAL_E_IO with its reason after a failure. */
shoal_status results_disk_check(const results_disk *disk, const char *path);

void results_disk_close(results_disk *disk);

#endif
#endif
