/* SPDX-License-Identifier: BSD-3-Clause
 * PNG files. */
#ifndef SHOAL_IO_PNG_H
#define SHOAL_IO_PNG_H

#include "base/error.h"

/* rgb[height][width][3]; resolution in pixels per metre. Fails in a build without zlib. */
shoal_status png_write(const char *path, const uint8_t *rgb, int32_t width, int32_t height,
                       int32_t resolution);
/* SHOAL_E_UNSUPPORTED in a build without zlib. */
shoal_status png_check(const char *path);

#endif
