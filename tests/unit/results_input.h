/* SPDX-License-Identifier: BSD-3-Clause
 * Files of results as the input of streams. */
#ifndef SHOAL_TESTS_RESULTS_INPUT_H
#define SHOAL_TESTS_RESULTS_INPUT_H

#include "stream_fixture.h"

static inline shoal_status put_result(void *user, const shoal_stream_system *system,
                                      shoal_string *out)
{
    (void)user;
    return shoal_results_format(&(shoal_results_what){.forces = false}, system, out);
}

static inline shoal_status write_result(void *user, const char *bytes, size_t n)
{
    return shoal_results_write(user, bytes, n);
}

/* What a job finds of some files; SHOAL_E_UNSUPPORTED in a build without HDF5. */
static inline shoal_status make_results(const char *path, const char *const *files, int32_t n_files,
                                        shoal_job job)
{
    const shoal_results_header header = {
        .files = files, .n_files = n_files, .program = "shoal 7.8"};
    shoal_results *results = NULL;
    shoal_status status = shoal_results_create(&results, path, &header, -1);
    if (status != SHOAL_OK) return status;
    const shoal_sink sink = {.format = put_result, .write = write_result, .user = results};
    const shoal_stream_options o = {.input.files = files,
                                    .input.n_files = n_files,
                                    .job = job,
                                    .output.sinks = &sink,
                                    .output.n_sinks = 1};
    status = shoal_stream_run(&o);
    if (status == SHOAL_OK) status = shoal_results_close(results);
    shoal_results_destroy(results);
    return status;
}

#endif
