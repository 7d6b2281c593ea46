/* SPDX-License-Identifier: BSD-3-Clause
 * Attributes and arrays of files that are written at once. */
#ifdef SHOAL_HAVE_HDF5
#include "base/hdf5_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

void hdf5_note(hdf5_file *f, bool failed, const char *what)
{
    if (!failed || f->failed) return;
    f->failed = true;
    (void)snprintf(f->what, sizeof f->what, "%s", what);
}

void hdf5_put_attribute(hdf5_file *f, hid_t at, const char *name, hid_t type, hsize_t n,
                        const void *data)
{
    const hdf5_library *h5 = f->h5;
    const hid_t space = h5->Screate_simple(1, &n, NULL);
    const hid_t id = h5->Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    hdf5_note(f, id < 0 || h5->Awrite(id, type, data) < 0, name);
    if (id >= 0) (void)h5->Aclose(id);
    (void)h5->Sclose(space);
}

void hdf5_put_text(hdf5_file *f, hid_t at, const char *name, const char *text)
{
    const hdf5_library *h5 = f->h5;
    const hid_t type = h5->Tcopy(*h5->C_S1), space = h5->Screate(H5S_SCALAR);
    (void)h5->Tset_size(type, strlen(text) + 1);
    const hid_t id = h5->Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    hdf5_note(f, id < 0 || h5->Awrite(id, type, text) < 0, name);
    if (id >= 0) (void)h5->Aclose(id);
    (void)h5->Sclose(space);
    (void)h5->Tclose(type);
}

void hdf5_put_array(hdf5_file *f, hid_t at, const char *name, hid_t type, int rank,
                    const hsize_t *shape, const void *data)
{
    const hdf5_library *h5 = f->h5;
    const hid_t space = h5->Screate_simple(rank, shape, NULL);
    const hid_t id = h5->Dcreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hdf5_note(f, id < 0 || h5->Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0, name);
    if (id >= 0) hdf5_note(f, h5->Dclose(id) < 0, name);
    (void)h5->Sclose(space);
}

char *hdf5_temporary_name(const char *path)
{
    const size_t size = strlen(path) + 64;
    char *name = shoal_alloc(size, 1);
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    if (name)
        (void)snprintf(name, size, "%s.%ld-%lld%09ld.part", path, (long)getpid(),
                       (long long)t.tv_sec, t.tv_nsec);
    return name;
}

static shoal_status write_file(hdf5_file *f, const char *temporary,
                               void (*put)(hdf5_file *f, const void *user), const void *user)
{
    f->id = f->h5->Fcreate(temporary, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    if (f->id < 0) return shoal_fail(SHOAL_E_IO, "%s: cannot be created", f->path);
    put(f, user);
    hdf5_note(f, f->h5->Fclose(f->id) < 0, "the end");
    const bool named = !f->failed && rename(temporary, f->path) == 0;
    if (!named) (void)remove(temporary);
    if (f->failed) return shoal_fail(SHOAL_E_IO, "%s: cannot write '%s'", f->path, f->what);
    return named ? SHOAL_OK : shoal_fail(SHOAL_E_IO, "%s: cannot be given its name", f->path);
}

shoal_status hdf5_write(const char *path, void (*put)(hdf5_file *f, const void *user),
                        const void *user)
{
    hdf5_file f = {.path = path};
    SHOAL_TRY(hdf5_library_get(&f.h5));
    char *temporary = hdf5_temporary_name(path);
    if (!temporary) return SHOAL_E_MEMORY;
    const hdf5_quiet before = hdf5_library_lock(f.h5);
    const shoal_status status = write_file(&f, temporary, put, user);
    hdf5_library_unlock(f.h5, before);
    free(temporary);
    return status;
}
#else
typedef int hdf5_file_is_empty; /* without HDF5 */
#endif
