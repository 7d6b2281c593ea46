/* SPDX-License-Identifier: BSD-3-Clause
 * SHA-256 (FIPS 180-4): a digest that nobody can forge. */
#ifndef SHOAL_BASE_SHA256_H
#define SHOAL_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_TEXT 65 /* bytes of a digest in hexadecimal, with a zero */

typedef struct sha256 {
    uint32_t h[8];
    uint64_t n; /* bytes so far */
    unsigned char block[64];
} sha256;

void sha256_begin(sha256 *s);
void sha256_add(sha256 *s, const void *bytes, size_t n);
/* Ends it: the digest in hexadecimal. */
void sha256_end(sha256 *s, char out[SHA256_TEXT]);

#endif
