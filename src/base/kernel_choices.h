/* SPDX-License-Identifier: BSD-3-Clause
 * What experts ask of kernels, by the environment: SHOAL_CL_GROUP, SHOAL_CL_OPTIONS and SHOAL_CL_COMPILER. */
#ifndef SHOAL_BASE_KERNEL_CHOICES_H
#define SHOAL_BASE_KERNEL_CHOICES_H

#include <stddef.h>
#include <stdint.h>

#include "shoal/status.h"

/* Work-items of the groups that have a small system each: 32, 64, 128 or 256; 0: as many as suit its size. Fails with
 * SHOAL_E_ARGUMENT for any other number. */
shoal_status kernel_choices_group(int32_t *out);

/* Options that compilers of kernels get behind Shoal's own; "": none. */
const char *kernel_choices_options(void);

/* A program that compiles kernels in a process of its own (cl/cl_apart.h): SHOAL_CL_COMPILER; "": there is none. */
const char *kernel_choices_compiler(void);

/* Group and options as results tell them, cut to the size; "" where nothing was asked for, or the device, as users name it,
 * has no kernels. */
void kernel_choices_text(const char *device, char *text, size_t size);

#endif
