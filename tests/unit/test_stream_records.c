/* SPDX-License-Identifier: BSD-3-Clause
 * Streams of records in memory: what files give, bit for bit, and what only records can have. */
#include "records_fixture.h"

static loaded many;

/* The same molecules from a file and from memory, whatever the threads. */
static void test_like_files(void)
{
    const shoal_results_what what = {.forces = true};
    for (int job = SHOAL_JOB_READ; job <= SHOAL_JOB_RELAX; ++job) {
        shoal_table *tables[3];
        for (int k = 0; k < 3; ++k) {
            const shoal_stream_options o = {.job = (shoal_job)job, .n_threads = k < 2 ? 1 : 2};
            tables[k] = table_of(o, k == 0 ? many_path : NULL, many.records, many.n, what);
        }
        CHECK(shoal_table_size(tables[0]) == N_MANY);
        CHECK(count_unlike(tables[0], tables[1], "systems/line") == 0);
        CHECK(count_unlike(tables[1], tables[2], "") == 0);
        for (int k = 0; k < 3; ++k) shoal_table_destroy(tables[k]);
    }
}

int main(void)
{
    make_files("test_stream_records");
    load(many_path, &many);
    CHECK(many.n == N_MANY);
    test_like_files();
    unload(&many);
    remove_files();
    return check_done();
}
