/* SPDX-License-Identifier: BSD-3-Clause
 * Ranks of an MPI job: whether this process is one, and the plugin that speaks to the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/library.h"
#include "base/text.h"
#include "mpi/mpi_calls.h"
#include "shoal/stream.h"
#include "stream/stream_launch.h"

#ifndef SHOAL_LIBDIR
#define SHOAL_LIBDIR "lib"
#endif

#define PLUGIN "shoal_mpi.so"

/* The other ranks of this one, and messages that have come in part. */
typedef struct mpi_link {
    const shoal_mpi_calls *calls;
    shoal_string *parts; /* [size] by sender */
    int32_t size;
} mpi_link;

/* --- launchers ----------------------------------------------------------------------------------- */

/* The variable by which a launcher tells that this is one of several ranks; NULL: none did. */
static const char *find_launcher(void)
{
    /* Open MPI; MPICH, Intel MPI and srun --mpi=pmi2; MVAPICH. */
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    static const char *const ranks[] = {"PMIX_RANK", "PMI_RANK"}; /* they leave the size open */
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        const char *size = getenv(sizes[k]);
        if (size) return strtol(size, NULL, 10) > 1 ? sizes[k] : NULL;
    }
    for (size_t k = 0; k < sizeof ranks / sizeof ranks[0]; ++k)
        if (getenv(ranks[k])) return ranks[k];
    return NULL;
}

bool shoal_stream_is_rank(void)
{
    return find_launcher() != NULL;
}

/* --- the plugin ---------------------------------------------------------------------------------- */

/* As the user says, or beside the library or the program. */
static shoal_status find_plugin(const char *launcher, char out[LIBRARY_PATH_SIZE])
{
    const char *given = getenv("SHOAL_MPI_PLUGIN");
    if (given && *given) {
        (void)snprintf(out, LIBRARY_PATH_SIZE, "%s", given);
        return SHOAL_OK;
    }
    if (library_find_beside(PLUGIN, out)) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_UNSUPPORTED,
        "MPI (%s): " PLUGIN " is neither beside the program nor in " SHOAL_LIBDIR
        "/shoal; build with MPI, name it by SHOAL_MPI_PLUGIN, or start without mpirun",
        launcher);
}

static shoal_status load_plugin(const char *launcher, const shoal_mpi_calls **out)
{
    char path[LIBRARY_PATH_SIZE], failure[LIBRARY_FAILURE_SIZE];
    shoal_mpi_opener *opener = NULL;
    SHOAL_TRY(find_plugin(launcher, path));
    const library_symbol symbol = {SHOAL_MPI_SYMBOL, &opener};
    const library_request request = {
        .title = "MPI", .files = {path, NULL}, .symbols = &symbol, .n_symbols = 1};
    if (!library_load(&request, failure)) return shoal_fail(SHOAL_E_UNSUPPORTED, "%s", failure);
    *out = opener();
    if ((*out)->version == SHOAL_MPI_VERSION) return SHOAL_OK;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "%s: version %d, expected %d", path, (*out)->version,
                      SHOAL_MPI_VERSION);
}

shoal_status stream_launch_try(char *path, size_t size)
{
    const shoal_mpi_calls *calls;
    const char *launcher = find_launcher();
    char found[LIBRARY_PATH_SIZE];
    if (!launcher) launcher = "no launcher";
    SHOAL_TRY(find_plugin(launcher, found));
    (void)snprintf(path, size, "%s", found);
    return load_plugin(launcher, &calls);
}

/* --- messages ------------------------------------------------------------------------------------ */

static shoal_status failed(const mpi_link *link)
{
    return shoal_fail(SHOAL_E_IO, "%s", link->calls->error());
}

static shoal_status send(void *user, int32_t to, const void *bytes, size_t n)
{
    const mpi_link *link = user;
    return link->calls->send(to, bytes, n) ? SHOAL_OK : failed(link);
}

/* Appends the piece that was found to a text. */
static shoal_status take(const mpi_link *link, size_t n, shoal_string *to)
{
    char *room = shoal_string_room(to, n);
    if (!room) return shoal_string_status(to);
    if (!link->calls->take(room)) return failed(link);
    to->size += n;
    to->data[to->size] = '\0';
    return SHOAL_OK;
}

/* Takes pieces until there is a whole message, or no more have come. */
static shoal_status receive(void *user, int32_t *from, shoal_string *out, bool *found)
{
    mpi_link *link = user;
    bool more = true;
    *found = false;
    while (more) {
        size_t n;
        if (!link->calls->probe(found, from, &n, &more)) return failed(link);
        if (!*found) return SHOAL_OK;
        shoal_string *part = &link->parts[*from];
        if (!more && part->size == 0) return take(link, n, out);
        SHOAL_TRY(take(link, n, part));
    }
    shoal_string_put(out, link->parts[*from].data, link->parts[*from].size);
    shoal_string_free(&link->parts[*from]); /* it was a large one */
    return shoal_string_status(out);
}

/* --- beginning and end ---------------------------------------------------------------------------- */

static shoal_status begin(mpi_link *link, const char *launcher, shoal_peers *out)
{
    SHOAL_TRY(load_plugin(launcher, &link->calls));
    if (!link->calls->begin(&out->rank, &out->size)) return failed(link);
    link->size = out->size;
    link->parts = shoal_alloc((size_t)out->size, sizeof *link->parts);
    return link->parts ? SHOAL_OK : SHOAL_E_MEMORY;
}

shoal_status shoal_peers_open(shoal_peers *out, bool wanted)
{
    shoal_clear_error();
    SHOAL_NEED(out);
    *out = (shoal_peers){.size = 1};
    const char *launcher = find_launcher();
    if (!launcher && !wanted) return SHOAL_OK;
    mpi_link *link = shoal_alloc(1, sizeof *link);
    if (!link) return SHOAL_E_MEMORY;
    const shoal_status status = begin(link, launcher ? launcher : "as was wanted", out);
    if (status != SHOAL_OK) {
        *out = (shoal_peers){.size = 1};
        free(link->parts);
        free(link);
        return status;
    }
    out->send = send;
    out->receive = receive;
    out->user = link;
    return SHOAL_OK;
}

void shoal_peers_close(shoal_peers *peers)
{
    if (!peers) return;
    mpi_link *link = peers->send == send ? peers->user : NULL;
    if (link) {
        link->calls->end();
        for (int32_t k = 0; k < link->size; ++k) shoal_string_free(&link->parts[k]);
        free(link->parts);
        free(link);
    }
    *peers = (shoal_peers){.size = 1};
}
