/* SPDX-License-Identifier: BSD-3-Clause
 * gzip streams, decoded piece by piece and encoded member by member. Creation fails in a build without zlib. */
#ifndef SHOAL_IO_GZIP_H
#define SHOAL_IO_GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

typedef struct shoal_gunzip shoal_gunzip;
typedef struct shoal_gzip shoal_gzip;

/* Bytes waiting to be decoded, or room waiting for bytes; the calls below move it on. */
typedef struct shoal_window {
    unsigned char *at;
    size_t left;
} shoal_window;

/* label is the file's name for the error text. */
shoal_status shoal_gunzip_create(shoal_gunzip **out, const char *label);
void shoal_gunzip_destroy(shoal_gunzip *gz);
/* Decodes what it can, members in a row as one stream. NULL, or what is wrong with the data. */
const char *shoal_gunzip_run(shoal_gunzip *gz, shoal_window *in, shoal_window *out);
/* True where the data may end: behind a complete member. */
bool shoal_gunzip_complete(const shoal_gunzip *gz);

shoal_status shoal_gzip_create(shoal_gzip **out, const char *label);
void shoal_gzip_destroy(shoal_gzip *gz);
/* Appends the text as a member of its own. */
shoal_status shoal_gzip_pack(shoal_gzip *gz, shoal_span text, shoal_string *out);

#endif
