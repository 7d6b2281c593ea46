/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxes all molecules of files of any length and prints a line for each, by a stream; started by mpirun, with
 * all of its processes. */
#include <stdio.h>

#include "shoal/shoal.h"

/* Runs on any thread, for several systems at once. */
static shoal_status format(void *user, const shoal_stream_system *system, shoal_string *out)
{
    (void)user;
    shoal_string_put_integer(out, system->index);
    shoal_string_put_text(out, " ");
    shoal_string_put_text(out, shoal_molecule_name(system->mol));
    shoal_string_put_text(out, " ");
    shoal_string_put_text(out, shoal_system_status_name(system->result.status));
    shoal_string_put_fixed(out, system->result.energy, 14, 6);
    shoal_string_put_text(out, " eV\n");
    return SHOAL_OK;
}

/* Gets the texts in the order of the input, on the thread that called shoal_stream_run. */
static shoal_status write_text(void *user, const char *text, size_t size)
{
    return fwrite(text, 1, size, user) == size ? SHOAL_OK : SHOAL_E_IO;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        (void)fprintf(stderr, "usage: %s FILE [FILE ..]\n", argv[0]);
        return 2;
    }
    const shoal_sink sink = {.format = format, .write = write_text, .user = stdout};
    shoal_peers peers;
    shoal_status status = shoal_peers_open(&peers, false);
    const shoal_stream_options options = {
        .job = SHOAL_JOB_RELAX,
        .input = {.files = (const char *const *)(argv + 1), .n_files = argc - 1},
        .output = {.sinks = &sink, .n_sinks = 1},
        .peers = &peers};
    if (status == SHOAL_OK) status = shoal_stream_run(&options);
    if (status != SHOAL_OK) (void)fprintf(stderr, "%s\n", shoal_error_text());
    shoal_peers_close(&peers);
    return status == SHOAL_OK ? 0 : 1;
}
