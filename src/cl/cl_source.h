/* SPDX-License-Identifier: BSD-3-Clause
 * Text of the kernels: embedded in the library, or read from SHOAL_KERNEL_DIR while developing. */
#ifndef SHOAL_CL_SOURCE_H
#define SHOAL_CL_SOURCE_H

#include "base/text.h"

/* One file of kernels/, as tools/embed_kernels.py lists them. */
typedef struct cl_source_file {
    const char *name;
    const char *text;
} cl_source_file;

extern const cl_source_file cl_source_files[];
extern const int32_t cl_source_n_files;

/* Text of a source with its local includes in place, each once, and #line marks that make
 * compilers speak of kernels/NAME. The caller frees *out. Fails with SHOAL_E_DEVICE if there is no
 * such file. */
shoal_status cl_source_expand(const char *name, shoal_string *out);

/* Copies a compiler's log, with "<kernel>:LINE" of an expanded text, which is how NVIDIA's compiler
 * counts in spite of #line, turned into "kernels/NAME:LINE". The caller frees *out, also after a failure. */
shoal_status cl_source_place_log(const char *text, const char *log, shoal_string *out);

#endif
