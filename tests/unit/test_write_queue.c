/* SPDX-License-Identifier: BSD-3-Clause
 * The thread that writes: what is put comes out in order, and what fails is told and ends it. */
#include "stream/write_queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "check.h"

enum { MOST = 1000 };

/* Where pieces go. */
typedef struct place {
    char text[1 << 16];
    size_t n;
    int n_pieces, fails_at; /* number of the piece; -1: none */
} place;

static shoal_status write_slowly(void *user, const char *bytes, size_t n)
{
    place *p = user;
    const struct timespec moment = {.tv_nsec = 20000};
    if (p->n_pieces++ == p->fails_at) return shoal_fail(SHOAL_E_IO, "piece %d fails", p->fails_at);
    (void)nanosleep(&moment, NULL);
    memcpy(p->text + p->n, bytes, n);
    p->n += n;
    return SHOAL_OK;
}

/* Piece k: its number, and points behind it. */
static size_t make_piece(int k, char *out)
{
    const int n = snprintf(out, 16, "%d", k);
    memset(out + n, '.', (size_t)(k * 37 % 1400));
    return (size_t)n + (size_t)(k * 37 % 1400);
}

static void test_order(void)
{
    static place to, want;
    char piece[2000];
    write_queue *q;
    to = want = (place){.fails_at = -1};
    CHECK(write_queue_create(&q, write_slowly, &to, MOST) == SHOAL_OK);
    for (int k = 0; k < 60; ++k) {
        const size_t n = make_piece(k, piece);
        CHECK(write_queue_put(q, piece, n) == SHOAL_OK);
        memcpy(want.text + want.n, piece, n);
        want.n += n;
        memset(piece, '!', sizeof piece); /* it was copied */
        if (k % 20 == 7) {
            CHECK(write_queue_wait(q) == SHOAL_OK);
            CHECK(to.n == want.n);
        }
    }
    CHECK(write_queue_put(q, piece, 0) == SHOAL_OK);
    write_queue_destroy(q); /* waits, too */
    CHECK(to.n == want.n && memcmp(to.text, want.text, want.n) == 0);
    write_queue_destroy(NULL);
}

static void test_failure(void)
{
    static place to;
    write_queue *q;
    shoal_status status = SHOAL_OK;
    int n_put = 0;
    to = (place){.fails_at = 3};
    CHECK(write_queue_create(&q, write_slowly, &to, MOST) == SHOAL_OK);
    for (; n_put < 100 && status == SHOAL_OK; ++n_put)
        status = write_queue_put(q, "0123456789", 10);
    const shoal_status waited = write_queue_wait(q);
    CHECK(waited == SHOAL_E_IO && strcmp(shoal_error_text(), "piece 3 fails") == 0);
    CHECK(n_put == 100 || status == SHOAL_E_IO);
    CHECK(write_queue_put(q, "behind", 6) == SHOAL_E_IO);
    CHECK(strcmp(shoal_error_text(), "piece 3 fails") == 0);
    write_queue_destroy(q);
    CHECK(to.n == 30 && to.n_pieces == 4);
}

int main(void)
{
    test_order();
    test_failure();
    return check_done();
}
