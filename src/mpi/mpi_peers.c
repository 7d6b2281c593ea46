/* SPDX-License-Identifier: BSD-3-Clause
 * Messages between ranks by MPI. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/mpi_calls.h"

/* MPI counts by int: longer messages travel in pieces of this size, the last under another tag. */
#define PIECE_BYTES ((size_t)1 << 30)

enum { TAG_LAST = 0, TAG_MORE = 1 };

#define ABORT_CODE 3     /* the program's exit code for devices and memory */
#define END_SECONDS 60.0 /* that messages may take to arrive at the end */

/* A piece on its way. */
typedef struct pending_piece {
    struct pending_piece *next;
    MPI_Request request;
    char bytes[];
} pending_piece;

/* MPI is one for the process. */
static struct {
    MPI_Comm all; /* apart from what else the process may send */
    bool owns;    /* MPI was begun here */
    pending_piece *pending;
    MPI_Message found;
    int found_size;
    char error[MPI_MAX_ERROR_STRING + 64];
} mpi;

static bool check(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int size = 0;
    if (code == MPI_SUCCESS) return true;
    (void)MPI_Error_string(code, text, &size);
    (void)snprintf(mpi.error, sizeof mpi.error, "MPI: %s: %s", what, text);
    return false;
}

static bool begin(int32_t *rank, int32_t *size)
{
    int begun = 0, given = MPI_THREAD_FUNNELED, numbers[2];
    if (!check("MPI_Initialized", MPI_Initialized(&begun))) return false;
    if (!begun &&
        !check("MPI_Init_thread", MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given)))
        return false;
    mpi.owns = !begun;
    if (given < MPI_THREAD_FUNNELED) {
        (void)snprintf(mpi.error, sizeof mpi.error, "MPI: this one knows no threads");
        return false;
    }
    if (!check("MPI_Comm_dup", MPI_Comm_dup(MPI_COMM_WORLD, &mpi.all))) return false;
    (void)MPI_Comm_set_errhandler(mpi.all, MPI_ERRORS_RETURN);
    if (!check("MPI_Comm_rank", MPI_Comm_rank(mpi.all, &numbers[0])) ||
        !check("MPI_Comm_size", MPI_Comm_size(mpi.all, &numbers[1])))
        return false;
    *rank = numbers[0];
    *size = numbers[1];
    return true;
}

/* Frees what has arrived. */
static bool sweep(void)
{
    pending_piece **place = &mpi.pending;
    while (*place) {
        pending_piece *piece = *place;
        int done = 0;
        if (!check("MPI_Test", MPI_Test(&piece->request, &done, MPI_STATUS_IGNORE))) return false;
        if (done) {
            *place = piece->next;
            free(piece);
        } else {
            place = &piece->next;
        }
    }
    return true;
}

static bool send_piece(int32_t to, const char *bytes, size_t n, int tag)
{
    pending_piece *piece = malloc(sizeof *piece + n);
    if (!piece) {
        (void)snprintf(mpi.error, sizeof mpi.error, "out of memory: a message of %zu bytes", n);
        return false;
    }
    if (n > 0) memcpy(piece->bytes, bytes, n);
    piece->next = mpi.pending;
    mpi.pending = piece;
    const int code = MPI_Isend(piece->bytes, (int)n, MPI_BYTE, to, tag, mpi.all, &piece->request);
    if (check("MPI_Isend", code)) return true;
    mpi.pending = piece->next;
    free(piece);
    return false;
}

static bool send_pieces(int32_t to, const char *at, size_t n)
{
    if (!sweep()) return false;
    for (; n > PIECE_BYTES; n -= PIECE_BYTES, at += PIECE_BYTES)
        if (!send_piece(to, at, PIECE_BYTES, TAG_MORE)) return false;
    return send_piece(to, at, n, TAG_LAST);
}

/* A rank that cannot even say that it fails would be waited for without end: then all of them end. */
static bool send(int32_t to, const void *bytes, size_t n)
{
    if (send_pieces(to, bytes, n)) return true;
    (void)MPI_Abort(mpi.all, ABORT_CODE);
    return false;
}

static bool probe(bool *found, int32_t *from, size_t *n, bool *more)
{
    MPI_Status status;
    int flag = 0;
    *found = false;
    if (!sweep()) return false;
    if (!check("MPI_Improbe",
               MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, mpi.all, &flag, &mpi.found, &status)))
        return false;
    if (!flag) return true;
    if (!check("MPI_Get_count", MPI_Get_count(&status, MPI_BYTE, &mpi.found_size))) return false;
    *found = true;
    *from = status.MPI_SOURCE;
    *n = (size_t)mpi.found_size;
    *more = status.MPI_TAG == TAG_MORE;
    return true;
}

static bool take(void *bytes)
{
    return check("MPI_Mrecv",
                 MPI_Mrecv(bytes, mpi.found_size, MPI_BYTE, &mpi.found, MPI_STATUS_IGNORE));
}

/* Takes a message that nobody waits for any more, so that its sender can end. */
static void drop_message(void)
{
    bool found = false, more;
    int32_t from;
    size_t n;
    if (!probe(&found, &from, &n, &more) || !found) return;
    char *bytes = malloc(n + 1);
    if (!bytes || !take(bytes)) (void)MPI_Abort(mpi.all, ABORT_CODE);
    free(bytes);
}

static void end(void)
{
    const double began = MPI_Wtime();
    while (mpi.pending) {
        drop_message();
        if (!sweep() || MPI_Wtime() - began > END_SECONDS) (void)MPI_Abort(mpi.all, ABORT_CODE);
    }
    (void)MPI_Comm_free(&mpi.all);
    if (mpi.owns) (void)MPI_Finalize();
}

static const char *error(void)
{
    return mpi.error;
}

__attribute__((visibility("default"))) shoal_mpi_opener shoal_mpi_open;

const shoal_mpi_calls *shoal_mpi_open(void)
{
    static const shoal_mpi_calls calls = {SHOAL_MPI_VERSION, begin, send, probe, take, end, error};
    return &calls;
}
