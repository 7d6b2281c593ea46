/* SPDX-License-Identifier: BSD-3-Clause
 * shoal merge: the outputs of shards become that of the whole run. */
#include <string.h>

#include "commands.h"
#include "systems.h"

typedef struct merge_options {
    const char *output;
    bool partial, quiet;
} merge_options;

static const cli_option merge_option_table[] = {
    {"output", 'o', "FILE", "file to write, of the format of the shards (required)",
     CLI_TEXT(merge_options, output)},
    {"partial", 0, NULL, "systems may be missing (default: exit code 1)",
     CLI_FLAG(merge_options, partial)},
    {"quiet", 'q', NULL, "print only errors", CLI_FLAG(merge_options, quiet)},
    {NULL, 0, NULL, NULL},
};

static int merge(void *user, const char **files, int n_files)
{
    const merge_options *o = user;
    shoal_merge_report report;
    if (!o->output) return cli_misuse("merge: no output; name one with -o FILE");
    const shoal_status status = shoal_merge(o->output, files, n_files, &report);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (!o->quiet)
        cli_complain("%lld systems in %s, %lld of them given more than once",
                     (long long)report.n_systems, o->output, (long long)report.n_again);
    if (report.n_missing == 0) return EXIT_ALL_FINE;
    if (!o->quiet || !o->partial)
        cli_complain("%lld numbers before the last are in none of the files, the first is %lld: "
                     "systems of other "
                     "shards, or those that could not be read",
                     (long long)report.n_missing, (long long)report.first_missing);
    return o->partial ? EXIT_ALL_FINE : EXIT_SOME_FAILED;
}

int cmd_merge(int argc, char **argv)
{
    merge_options o = {0};
    const cli_group group = {"options:", merge_option_table, NULL, &o};
    const cli_command command = {
        .name = "merge",
        .usage = "SHARDS -o OUTPUT [OPTIONS]",
        .purpose = "Joins the outputs of shards as if one run had written them.",
        .notes = "Shards are runs with --shard I/N over the same input, or parts of them; the "
                 "order of the files does not\nmatter, and a system may occur more than once if it "
                 "is the same each time. "
                 "Example:\n  for i in 0 1 2; do shoal relax --shard $i/3 -o part$i.sdf all.sdf; "
                 "done\n  shoal "
                 "merge -o relaxed.sdf part0.sdf part1.sdf part2.sdf",
        .groups = &group,
        .n_groups = 1,
        .min_files = 1,
        .max_files = -1};
    return cli_run(&command, argc, argv, merge, &o);
}
