/* SPDX-License-Identifier: BSD-3-Clause
 * HDF5, loaded when a grid file is first written or read: its calls as pointers. It brings some
 * thirty other libraries with it, which take longer to load than most runs of Shoal. */
#ifndef SHOAL_BASE_HDF5_LIBRARY_H
#define SHOAL_BASE_HDF5_LIBRARY_H

#include <hdf5.h>

#include "base/error.h"

/* The constants of the headers start the library on the way; hdf5_library_get does that here. */
#undef H5OPEN
#undef H5CHECK
#define H5OPEN
#define H5CHECK

/* Every call that Shoal makes, without its prefix "H5". All belong to HDF5 1.8 and later. */
#define HDF5_LIBRARY_CALLS(X)                                                                      \
    X(open)                                                                                        \
    X(get_libversion)                                                                              \
    X(Eget_auto2)                                                                                  \
    X(Eset_auto2)                                                                                  \
    X(Fcreate)                                                                                     \
    X(Fopen)                                                                                       \
    X(Fis_hdf5)                                                                                    \
    X(Fclose)                                                                                      \
    X(Gcreate2)                                                                                    \
    X(Gopen2)                                                                                      \
    X(Gclose)                                                                                      \
    X(Screate)                                                                                     \
    X(Screate_simple)                                                                              \
    X(Sget_simple_extent_npoints)                                                                  \
    X(Sget_simple_extent_ndims)                                                                    \
    X(Sget_simple_extent_dims)                                                                     \
    X(Sclose)                                                                                      \
    X(Acreate2)                                                                                    \
    X(Aopen)                                                                                       \
    X(Awrite)                                                                                      \
    X(Aread)                                                                                       \
    X(Aget_space)                                                                                  \
    X(Aget_type)                                                                                   \
    X(Aclose)                                                                                      \
    X(Dcreate2)                                                                                    \
    X(Dopen2)                                                                                      \
    X(Dwrite)                                                                                      \
    X(Dread)                                                                                       \
    X(Dget_space)                                                                                  \
    X(Dclose)                                                                                      \
    X(Tcopy)                                                                                       \
    X(Tset_size)                                                                                   \
    X(Tget_size)                                                                                   \
    X(Tget_class)                                                                                  \
    X(Tis_variable_str)                                                                            \
    X(Tclose)

/* The types that it makes when it starts, in variables of its own. */
#define HDF5_LIBRARY_TYPES(X)                                                                      \
    X(C_S1)                                                                                        \
    X(NATIVE_FLOAT)                                                                                \
    X(NATIVE_DOUBLE)                                                                               \
    X(NATIVE_INT32)                                                                                \
    X(NATIVE_UINT64)

/* h5->Dopen2 is H5Dopen2, *h5->NATIVE_INT32 is H5T_NATIVE_INT32, and so on. */
typedef struct hdf5_library {
#define HDF5_LIBRARY_CALL(name) __typeof__(&H5##name) name;
#define HDF5_LIBRARY_TYPE(name) const hid_t *name;
    HDF5_LIBRARY_CALLS(HDF5_LIBRARY_CALL)
    HDF5_LIBRARY_TYPES(HDF5_LIBRARY_TYPE)
#undef HDF5_LIBRARY_CALL
#undef HDF5_LIBRARY_TYPE
} hdf5_library;

/* The library, loaded and started by the first caller of any thread and kept until the process
 * ends. Fails with SHOAL_E_UNSUPPORTED where it is not installed or is not the version that Shoal
 * was built with. */
shoal_status hdf5_library_get(const hdf5_library **out);

#endif
