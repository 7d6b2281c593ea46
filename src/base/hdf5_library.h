/* SPDX-License-Identifier: BSD-3-Clause
 * HDF5, loaded when a file of it is first written or read: its calls as pointers. It brings some
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

#if !H5_VERSION_GE(1, 10, 2)
#error "HDF5 1.10.2 or later is needed: files that are read while they are written"
#endif

/* Every call that Shoal makes, without its prefix "H5". */
#define HDF5_LIBRARY_CALLS(X)                                                                      \
    X(open)                                                                                        \
    X(get_libversion)                                                                              \
    X(Eget_auto2)                                                                                  \
    X(Eset_auto2)                                                                                  \
    X(Ewalk2)                                                                                      \
    X(Fcreate)                                                                                     \
    X(Fopen)                                                                                       \
    X(Fis_hdf5)                                                                                    \
    X(Fclose)                                                                                      \
    X(Fflush)                                                                                      \
    X(Fstart_swmr_write)                                                                           \
    X(FDregister)                                                                                  \
    X(Gcreate2)                                                                                    \
    X(Gopen2)                                                                                      \
    X(Gclose)                                                                                      \
    X(Screate)                                                                                     \
    X(Screate_simple)                                                                              \
    X(Sget_simple_extent_npoints)                                                                  \
    X(Sget_simple_extent_ndims)                                                                    \
    X(Sget_simple_extent_dims)                                                                     \
    X(Sselect_hyperslab)                                                                           \
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
    X(Dset_extent)                                                                                 \
    X(Dget_space)                                                                                  \
    X(Dclose)                                                                                      \
    X(Tcopy)                                                                                       \
    X(Tset_size)                                                                                   \
    X(Tset_strpad)                                                                                 \
    X(Tset_cset)                                                                                   \
    X(Tget_size)                                                                                   \
    X(Tget_class)                                                                                  \
    X(Tis_variable_str)                                                                            \
    X(Tclose)                                                                                      \
    X(Pcreate)                                                                                     \
    X(Pset_driver)                                                                                 \
    X(Pget_driver_info)                                                                            \
    X(Pset_libver_bounds)                                                                          \
    X(Pset_chunk)                                                                                  \
    X(Pset_chunk_cache)                                                                            \
    X(Pset_fill_time)                                                                              \
    X(Pset_fletcher32)                                                                             \
    X(Pset_metadata_read_attempts)                                                                 \
    X(Pclose)

/* The types that it makes when it starts, in variables of its own. */
#define HDF5_LIBRARY_TYPES(X)                                                                      \
    X(C_S1)                                                                                        \
    X(NATIVE_FLOAT)                                                                                \
    X(NATIVE_DOUBLE)                                                                               \
    X(NATIVE_INT8)                                                                                 \
    X(NATIVE_UINT8)                                                                                \
    X(NATIVE_INT16)                                                                                \
    X(NATIVE_INT32)                                                                                \
    X(NATIVE_INT64)                                                                                \
    X(NATIVE_UINT64)

/* The classes of property lists, in variables alike. */
#define HDF5_LIBRARY_CLASSES(X)                                                                    \
    X(FILE_ACCESS)                                                                                 \
    X(DATASET_ACCESS)                                                                              \
    X(DATASET_CREATE)

/* h5->Dopen2 is H5Dopen2, *h5->NATIVE_INT32 is H5T_NATIVE_INT32, *h5->FILE_ACCESS is
 * H5P_FILE_ACCESS, and so on. */
typedef struct hdf5_library {
#define HDF5_LIBRARY_CALL(name) __typeof__(&H5##name) name;
#define HDF5_LIBRARY_TYPE(name) const hid_t *name;
    HDF5_LIBRARY_CALLS(HDF5_LIBRARY_CALL)
    HDF5_LIBRARY_TYPES(HDF5_LIBRARY_TYPE)
    HDF5_LIBRARY_CLASSES(HDF5_LIBRARY_TYPE)
#undef HDF5_LIBRARY_CALL
#undef HDF5_LIBRARY_TYPE
} hdf5_library;

/* The library, loaded and started by the first caller of any thread and kept until the process
 * ends. Fails with SHOAL_E_UNSUPPORTED where it is not installed or is not the version that Shoal
 * was built with. */
shoal_status hdf5_library_get(const hdf5_library **out);

/* HDF5 as it is usually built serves one thread at a time, whatever the files, and prints to stderr unless
 * told not to. Every use of it is between lock and unlock, which know what printed before. */
typedef struct hdf5_quiet {
    H5E_auto2_t function;
    void *data;
} hdf5_quiet;

hdf5_quiet hdf5_library_lock(const hdf5_library *h5);
void hdf5_library_unlock(const hdf5_library *h5, hdf5_quiet before);

#endif
