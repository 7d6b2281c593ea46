/* SPDX-License-Identifier: BSD-3-Clause
 * A gzip file as a row of members, which are compressed side by side and come out in order. What is in a member is up to
 * the caller, and how many threads there are changes no byte. */
#ifndef SHOAL_IO_GZIP_MEMBERS_H
#define SHOAL_IO_GZIP_MEMBERS_H

#include "base/text.h"

typedef struct gzip_members gzip_members;

/* One thread is the caller's. label is the file's name for the error text. */
shoal_status gzip_members_create(gzip_members **out, const char *label);
/* Waits for its threads; also takes NULL. */
void gzip_members_destroy(gzip_members *m);
/* How many may compress; before the first member ends. */
void gzip_members_share(gzip_members *m, int32_t n_threads);

/* Adds text to the member at hand. */
shoal_status gzip_members_put(gzip_members *m, shoal_span text);
/* Bytes of text in it. */
size_t gzip_members_size(const gzip_members *m);
/* Ends it; whole is given back with it. There has to be room, which there is once gzip_members_take was asked. */
void gzip_members_end(gzip_members *m, bool whole);

/* The first member that was ended and not taken, valid until the next one ends. *found is false where there is none, or
 * it is not compressed yet and nobody has to wait: neither the caller, who wants all, nor text for room. */
shoal_status gzip_members_take(gzip_members *m, bool all, shoal_span *bytes, bool *whole,
                               bool *found);
/* Forgets all that was put and not taken. */
void gzip_members_drop(gzip_members *m);

#endif
