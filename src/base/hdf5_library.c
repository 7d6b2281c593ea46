/* SPDX-License-Identifier: BSD-3-Clause
 * HDF5, loaded when it is first wanted. */
#include "base/error.h"

#ifdef SHOAL_HAVE_HDF5
#include "base/hdf5_library.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/library.h"

/* Written once, by load, and only read afterwards. */
static struct {
    hdf5_library library;
    char failure[LIBRARY_FAILURE_SIZE];
} loaded;

/* HDF5 does not let go of all that it opened in damaged files, and complains of that on stderr when it is closed at the
 * end of the program. Whoever registers later is called earlier. */
static void silence(void)
{
    (void)loaded.library.Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* Types and macros of the headers are those of one version, 1.10 say, whatever its release. */
static void start(const hdf5_library *h5)
{
    unsigned major = 0, minor = 0, release = 0;
    if (h5->open() < 0 || h5->get_libversion(&major, &minor, &release) < 0)
        (void)snprintf(loaded.failure, sizeof loaded.failure, "HDF5 does not start");
    else if (major != H5_VERS_MAJOR || minor != H5_VERS_MINOR)
        (void)snprintf(loaded.failure, sizeof loaded.failure,
                       "HDF5 %u.%u is installed, but this build is for %d.%d", major, minor,
                       H5_VERS_MAJOR, H5_VERS_MINOR);
    else
        (void)atexit(silence);
}

static void load(void)
{
#define CALL(name) {"H5" #name, &loaded.library.name},
#define TYPE(name) {"H5T_" #name "_g", &loaded.library.name},
#define CLASS(name) {"H5P_CLS_" #name "_ID_g", &loaded.library.name},
    const library_symbol symbols[] = {HDF5_LIBRARY_CALLS(CALL) HDF5_LIBRARY_TYPES(TYPE)
                                          HDF5_LIBRARY_CLASSES(CLASS)};
#undef CALL
#undef TYPE
#undef CLASS
    char beside[LIBRARY_PATH_SIZE]; /* packages for machines without HDF5 bring it along */
    const bool found = library_find_beside(SHOAL_HDF5_NAME, beside);
    const library_request request = {
        .title = "HDF5",
        .files = {found ? beside : NULL, SHOAL_HDF5_NAME, SHOAL_HDF5_PATH},
        .symbols = symbols,
        .n_symbols = sizeof symbols / sizeof symbols[0]};
    if (library_load(&request, loaded.failure)) start(&loaded.library);
}

shoal_status hdf5_library_get(const hdf5_library **out)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (pthread_once(&once, load) != 0)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "HDF5 could not be loaded");
    if (loaded.failure[0]) return shoal_fail(SHOAL_E_UNSUPPORTED, "%s", loaded.failure);
    *out = &loaded.library;
    return SHOAL_OK;
}

static pthread_mutex_t one_thread = PTHREAD_MUTEX_INITIALIZER;

hdf5_quiet hdf5_library_lock(const hdf5_library *h5)
{
    hdf5_quiet before;
    (void)pthread_mutex_lock(&one_thread);
    (void)h5->Eget_auto2(H5E_DEFAULT, &before.function, &before.data);
    (void)h5->Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

void hdf5_library_unlock(const hdf5_library *h5, hdf5_quiet before)
{
    (void)h5->Eset_auto2(H5E_DEFAULT, before.function, before.data);
    (void)pthread_mutex_unlock(&one_thread);
}
#endif
