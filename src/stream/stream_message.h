/* SPDX-License-Identifier: BSD-3-Clause
 * Messages between the ranks of a stream: numbers of 8 bytes and zero-terminated texts, as this machine writes
 * them; all ranks run the same build. */
#ifndef SHOAL_STREAM_STREAM_MESSAGE_H
#define SHOAL_STREAM_STREAM_MESSAGE_H

#include "stream/stream.h"

typedef enum message_kind {
    MESSAGE_HELLO = 1, /* to rank 0: a rank is there, and how many blocks it takes */
    MESSAGE_BLOCK,     /* from rank 0: records to be computed */
    MESSAGE_DONE,      /* to rank 0: a block that is, and room for another one */
    MESSAGE_STOP,      /* from rank 0: finish nothing more; to rank 0: the same is asked for */
    MESSAGE_FAIL,      /* to rank 0: a rank cannot go on */
    MESSAGE_STATE,     /* to rank 0: how far a large system has come */
    MESSAGE_LAST,      /* from rank 0: no more blocks will come */
    MESSAGE_BYE,       /* to rank 0: nothing more will come from here */
    MESSAGE_END,       /* from rank 0: how the stream ended */
} message_kind;

/* What a rank says when it comes. */
typedef struct message_hello {
    int64_t n_threads, n_room;
    int64_t job, n_sinks; /* of its options, which must be those of rank 0 */
    int64_t n_variants, unit;
    int64_t has_grid;    /* for its surface, which every rank chose by itself */
    shoal_status status; /* whether it could start */
    const char *error;
} message_hello;

/* Begins a message; all that follow append to it. */
void message_begin(shoal_string *out, message_kind kind);
void message_put_hello(shoal_string *out, const message_hello *hello);
void message_put_records(shoal_string *out, int64_t id, const stream_records *records);
/* A block that is ready, and what the rank has done since the progress before. */
void message_put_done(shoal_string *out, const stream *s, const stream_block *b,
                      const shoal_stream_progress *now, const shoal_stream_progress *before);
void message_put_status(shoal_string *out, shoal_status status, const char *error);
/* Of the large system index; empty: it needs none any more. */
void message_put_state(shoal_string *out, int64_t index, shoal_span state);

/* What is left of a message; ok turns false where it ends too soon. */
typedef struct message_reader {
    const char *at, *end;
    bool ok;
} message_reader;

/* Opens a message, which must live as long as what is read from it. */
message_kind message_open(message_reader *in, const shoal_string *message);
bool message_get_hello(message_reader *in, message_hello *hello);
/* The label is borrowed from the message. */
shoal_status message_get_records(message_reader *in, int64_t *id, stream_records *records);
/* The number of the block, which has to be known for the rest: message_get_done. */
int64_t message_get_id(message_reader *in);
/* Fills a block from b->message, which in reads from, and adds to the progress. */
shoal_status message_get_done(message_reader *in, stream *s, stream_block *b);
/* Texts are borrowed from the message. */
bool message_get_state(message_reader *in, int64_t *index, shoal_span *state);
shoal_status message_get_status(message_reader *in, const char **error);

#endif
