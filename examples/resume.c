/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxes all molecules of files into one SD file and a table. Stopped by Ctrl-C or killed, the same command goes
 * on where it was, and the files end as if nothing had happened. */
#include <signal.h>
#include <stdio.h>

#include "shoal/shoal.h"

static volatile sig_atomic_t asked;

static void note(int number)
{
    (void)number;
    asked = 1;
}

static bool go_on(void *user, const shoal_stream_progress *progress)
{
    (void)user;
    (void)progress;
    return !asked;
}

static void say(void *user, shoal_run_event event, const char *text)
{
    (void)event;
    (void)fprintf(user, "%s\n", text);
}

int main(int argc, char **argv)
{
    shoal_run_output outputs[2];
    shoal_run_result result = {0};
    shoal_status status = shoal_run_output_choose(&outputs[0], "relaxed.sdf", NULL);
    if (status == SHOAL_OK) status = shoal_run_output_choose(&outputs[1], "relaxed.csv", NULL);
    (void)signal(SIGINT, note);
    const shoal_stream_options stream = {
        .job = SHOAL_JOB_RELAX,
        .input = {.files = (const char *const *)(argv + 1), .n_files = argc - 1},
        .output = {.monitor = go_on}};
    const shoal_run_options run = {.stream = &stream,
                                   .outputs = outputs,
                                   .n_outputs = 2,
                                   .resume = true,
                                   .tell = say,
                                   .user = stderr};
    if (status == SHOAL_OK) status = shoal_run_stream(&run, &result);
    (void)printf("%lld systems, %lld failed%s\n", (long long)result.counts.done,
                 (long long)result.counts.failed, result.stopped ? ", and there are more" : "");
    return status == SHOAL_OK ? 0 : 1;
}
