/* SPDX-License-Identifier: BSD-3-Clause
 * A driver for HDF5 that writes to a file until that fails, and says so elsewhere. */
#include "results/results_disk.h"

#ifdef SHOAL_HAVE_HDF5
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "base/alloc.h"

/* What HDF5 knows as the open file; it must begin so. */
typedef struct disk_file {
    H5FD_t hdf5;
    results_disk *disk;
    haddr_t allocated, end;
} disk_file;

/* What a property list carries. */
typedef struct disk_choice {
    results_disk *disk;
} disk_choice;

static void note(results_disk *disk)
{
    if (disk->error == 0) disk->error = errno ? errno : EIO;
}

/* --- what HDF5 calls ------------------------------------------------------------------------------ */

/* HDF5 lets drivers ask for their choice by a call of its own only, and tells them nothing else. */
static const hdf5_library *calls;

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name;
    (void)flags;
    (void)most;
    const disk_choice *choice = calls->Pget_driver_info(access);
    disk_file *file = choice ? calloc(1, sizeof *file) : NULL;
    if (!file) return NULL;
    file->disk = choice->disk;
    return &file->hdf5;
}

static herr_t close_file(H5FD_t *hdf5)
{
    free(hdf5);
    return 0;
}

/* No two of them are the same: a file is opened once. */
static int compare(const H5FD_t *a, const H5FD_t *b)
{
    return (a > b) - (a < b);
}

static herr_t query(const H5FD_t *hdf5, unsigned long *flags)
{
    (void)hdf5;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
             H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t get_allocated(const H5FD_t *hdf5, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)hdf5)->allocated;
}

static herr_t set_allocated(H5FD_t *hdf5, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((disk_file *)hdf5)->allocated = address;
    return 0;
}

static haddr_t get_end(const H5FD_t *hdf5, H5FD_mem_t type)
{
    (void)type;
    return ((const disk_file *)hdf5)->end;
}

/* What was never written reads as zeros. */
static herr_t read_bytes(H5FD_t *hdf5, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                         void *out)
{
    (void)type;
    (void)transfer;
    const disk_file *file = (const disk_file *)hdf5;
    char *to = out;
    while (size > 0) {
        const ssize_t n = pread(file->disk->number, to, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        to += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    memset(to, 0, size);
    return 0;
}

static herr_t write_bytes(H5FD_t *hdf5, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t size,
                          const void *bytes)
{
    (void)type;
    (void)transfer;
    disk_file *file = (disk_file *)hdf5;
    const char *from = bytes;
    if (at + size > file->end) file->end = at + size;
    while (size > 0 && file->disk->error == 0) {
        errno = 0;
        const ssize_t n = pwrite(file->disk->number, from, size, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            note(file->disk);
            break;
        }
        from += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

/* The file ends where HDF5 has allocated to. */
static herr_t truncate_file(H5FD_t *hdf5, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    disk_file *file = (disk_file *)hdf5;
    if (file->end == file->allocated) return 0;
    if (file->disk->error == 0 && ftruncate(file->disk->number, (off_t)file->allocated) != 0)
        note(file->disk);
    file->end = file->allocated;
    return 0;
}

/* The writer has a lock of its own, but only files that can be locked are marked as being written. */
static herr_t lock_file(H5FD_t *hdf5, hbool_t writes)
{
    (void)hdf5;
    (void)writes;
    return 0;
}

static herr_t unlock_file(H5FD_t *hdf5)
{
    (void)hdf5;
    return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of those that are free */
#endif
    .name = "shoal",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(disk_choice),
    .open = open_file,
    .close = close_file,
    .cmp = compare,
    .query = query,
    .get_eoa = get_allocated,
    .set_eoa = set_allocated,
    .get_eof = get_end,
    .read = read_bytes,
    .write = write_bytes,
    .truncate = truncate_file,
    .lock = lock_file,
    .unlock = unlock_file,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* --- what writers call ---------------------------------------------------------------------------- */

shoal_status results_disk_open(results_disk *disk, const hdf5_library *h5, const char *path)
{
    *disk = (results_disk){.h5 = h5,
                           .number = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (disk->number >= 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_IO, "%s: cannot be created: %s", path, strerror(errno));
}

bool results_disk_use(results_disk *disk, hid_t access)
{
    /* Once per process: HDF5 looks at a driver after the last file let go of it. */
    static hid_t id = -1;
    const disk_choice choice = {disk};
    calls = disk->h5;
    if (id < 0) id = disk->h5->FDregister(&driver);
    return id >= 0 && disk->h5->Pset_driver(access, id, &choice) >= 0;
}

void results_disk_sync(results_disk *disk)
{
    if (disk->error == 0 && fsync(disk->number) != 0) note(disk);
}

shoal_status results_disk_check(const results_disk *disk, const char *path)
{
    if (disk->error == 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_IO, "%s: cannot be written: %s", path, strerror(disk->error));
}

void results_disk_close(results_disk *disk)
{
    if (disk->number >= 0) (void)close(disk->number);
    disk->number = -1;
}
#endif
