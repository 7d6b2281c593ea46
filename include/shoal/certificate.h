/* SPDX-License-Identifier: BSD-3-Clause
 * Certificates: for every relaxed structure what it was made of, how, what is left of forces and stress, and whether
 * it is still the same structure. docs/json.md has the keys. */
#ifndef SHOAL_CERTIFICATE_H
#define SHOAL_CERTIFICATE_H

#include "shoal/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct shoal_certificate shoal_certificate;

/* For the systems of a stream of relaxations, whose options are borrowed until destroy. forcefield: as it was asked for;
 * copied, NULL: "uff". */
SHOAL_API shoal_status shoal_certificate_create(shoal_certificate **out,
                                                const shoal_stream_options *stream,
                                                const char *forcefield);
SHOAL_API void shoal_certificate_destroy(shoal_certificate *certificate);
/* Appends one line of JSON. May be called by several threads at once: it is what the put of a shoal_run_output calls. */
SHOAL_API shoal_status shoal_certificate_put(shoal_certificate *certificate,
                                             const shoal_stream_system *system, shoal_string *out);

#ifdef __cplusplus
}
#endif

#endif
