/* SPDX-License-Identifier: BSD-3-Clause
 * The program: chooses the subcommand. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "commands.h"
#include "interrupt.h"
#include "manual.h"
#include "options.h"
#include "shoal/shoal.h"
#include "systems.h"

static const cli_entry commands[] = {
    {"types", cmd_types, "perceive molecules and print their types, charges and bonds"},
    {"energy", cmd_energy, "compute single-point energies and forces"},
    {"embed", cmd_embed, "make conformers of molecules from their bonds"},
    {"relax", cmd_relax, "relax every system to a minimum of its energy"},
    {"modes", cmd_modes, "compute harmonic vibrations and thermochemistry"},
    {"scan", cmd_scan, "compute energies along coordinates, rigid or relaxed"},
    {"search", cmd_search, "find conformers, and minima of molecules on a surface"},
    {"neb", cmd_neb, "find barriers between minima with nudged elastic bands"},
    {"probe", cmd_probe, "compute what a tip feels over a molecule, on a block of points"},
    {"md", cmd_md, "run molecular dynamics of every system"},
    {"fit", cmd_fit, "fit non-covalent parameters to interaction energies"},
    {"check", cmd_check, "compare a device with the reference on your systems"},
    {"bench", cmd_bench, "time built-in systems on a device"},
    {"convert", cmd_convert, "rewrite molecule files in another format"},
    {"merge", cmd_merge, "join the outputs of shards"},
    {"slab", cmd_slab, "build a substrate: salt, metal or graphene"},
    {"grid", cmd_grid, "tabulate the fields of a substrate on a grid: build, check, info, export"},
    {"report", cmd_report, "write a run as one HTML page: table, structures, plots"},
    {"devices", cmd_devices, "list what --device can name on this machine"},
    {"doctor", cmd_doctor, "check this machine: devices, libraries, threads, caches"},
    {"completion", cmd_completion,
     "print a script that completes commands, options and values in a shell"},
};

enum { N_COMMANDS = (int)(sizeof commands / sizeof commands[0]) };

const cli_entry *command_list(int *n)
{
    *n = N_COMMANDS;
    return commands;
}

static void print_help(void)
{
    (void)printf("usage: shoal COMMAND [OPTIONS] FILES\n\n"
                 "Shoal runs thousands of molecular systems at once.\n\ncommands:\n");
    for (int k = 0; k < N_COMMANDS; ++k)
        (void)printf("  %-12s%s\n", commands[k].name, commands[k].help);
    (void)printf(
        "\n'shoal help COMMAND' explains one of them, 'shoal help --man COMMAND' prints its manual "
        "page;\n'shoal --version' prints version and build.\n\nexit codes: 0 success, 1 some "
        "systems failed, 2 usage, 3 device or memory, "
        "4 input or output,\n75 stopped with a checkpoint ('--resume' continues), 130 ended by "
        "Ctrl-C (128 + "
        "signal)\n");
}

const cli_entry *command_find(const char *name)
{
    for (int k = 0; k < N_COMMANDS; ++k)
        if (strcmp(name, commands[k].name) == 0) return &commands[k];
    cli_likeness best = {0};
    for (int k = 0; k < N_COMMANDS; ++k) cli_guess(name, strlen(name), commands[k].name, &best);
    cli_complain("unknown command '%s'; %s%s%s'shoal --help' lists them", name,
                 best.name ? "did you mean " : "", best.name ? best.name : "",
                 best.name ? "? " : "");
    return NULL;
}

static int help_about(char *name)
{
    char help[] = "--help";
    char *argv[] = {name, help, NULL};
    const cli_entry *c = command_find(name);
    return c ? c->run(2, argv) : EXIT_USAGE;
}

/* Runs have kernels compiled by this program in processes of their own, unless told otherwise. */
static void offer_compiler(void)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    if (n <= 0 || (size_t)n == sizeof path) return;
    path[n] = '\0';
    (void)setenv("SHOAL_CL_COMPILER", path, 0);
}

/* One batch follows another. Memory that goes back to the system in between comes again page by page, and all
 * threads wait for each other while it does: with 2000 systems, three quarters of the time that an engine takes
 * to copy them. */
static void keep_memory(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that is allowed */
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2 && strcmp(argv[2], "--man") == 0)
        return manual_print(argc > 3 ? argv[3] : NULL);
    if (strcmp(argv[1], "help") == 0 && argc > 2) return help_about(argv[2]);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_help();
        return EXIT_ALL_FINE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        (void)printf("shoal %s\n", shoal_version_text());
        return EXIT_ALL_FINE;
    }
    if (strcmp(argv[1], "compile-kernel") == 0 && argc == 3)
        return complain_of_status(shoal_kernel_compile(argv[2]));
    const cli_entry *c = command_find(argv[1]);
    return c ? c->run(argc - 1, argv + 1) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
    keep_memory();
    offer_compiler();
    (void)signal(SIGPIPE, SIG_DFL); /* 'shoal ... | head' ends quietly */
    interrupt_install();
    const int code = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_complain("standard output could not be written");
        return EXIT_FILES;
    }
    return code;
}
