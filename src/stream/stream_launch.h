/* SPDX-License-Identifier: BSD-3-Clause
 * The plugin that speaks to other ranks, for those who only want to know whether it is there. */
#ifndef SHOAL_STREAM_STREAM_LAUNCH_H
#define SHOAL_STREAM_STREAM_LAUNCH_H

#include <stddef.h>

#include "shoal/status.h"

/* Loads the plugin without starting MPI, and puts its path into path[size]. Fails with SHOAL_E_UNSUPPORTED where it is
 * missing or cannot be loaded. */
shoal_status stream_launch_try(char *path, size_t size);

#endif
