/* SPDX-License-Identifier: BSD-3-Clause
 * The version of the headers, to be asked by the preprocessor, and that of the library in use. */
#ifndef SHOAL_VERSION_H
#define SHOAL_VERSION_H

/* Until 1.0 the interface may change with the minor version, from then on with the major one. */
#define SHOAL_VERSION "0.1.0"
#define SHOAL_VERSION_MAJOR 0
#define SHOAL_VERSION_MINOR 1
#define SHOAL_VERSION_PATCH 0
/* Grows with every version: #if SHOAL_VERSION_NUMBER >= 10203 asks for 1.2.3 or later. */
#define SHOAL_VERSION_NUMBER                                                                       \
    (SHOAL_VERSION_MAJOR * 10000 + SHOAL_VERSION_MINOR * 100 + SHOAL_VERSION_PATCH)

#endif
