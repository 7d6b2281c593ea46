/* SPDX-License-Identifier: BSD-3-Clause
 * The subcommands: argv[0] is the name of the command. Each returns an exit code. */
#ifndef SHOAL_CLI_COMMANDS_H
#define SHOAL_CLI_COMMANDS_H

int cmd_types(int argc, char **argv);
int cmd_energy(int argc, char **argv);
int cmd_embed(int argc, char **argv);
int cmd_relax(int argc, char **argv);
int cmd_modes(int argc, char **argv);
int cmd_scan(int argc, char **argv);
int cmd_md(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_search(int argc, char **argv);
int cmd_neb(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_slab(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_grid(int argc, char **argv);
int cmd_devices(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_completion(int argc, char **argv);

typedef struct cli_entry {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} cli_entry;

/* All of them, in the order of 'shoal --help'. */
const cli_entry *command_list(int *n);
const cli_entry *command_find(const char *name);

#endif
