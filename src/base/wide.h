/* SPDX-License-Identifier: BSD-3-Clause
 * Loops that are also compiled for wider registers, where the bits are the same. Such functions must be static: their
 * dispatchers would be seen outside of the library. */
#ifndef SHOAL_BASE_WIDE_H
#define SHOAL_BASE_WIDE_H

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
