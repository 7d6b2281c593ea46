/* SPDX-License-Identifier: BSD-3-Clause
 * shoal report: a run as one HTML page. The Python package writes it; this hands the options on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "options.h"

/* The folder that the user stands in is no place to look for the package. */
static char start_code[] =
    "import sys\n"
    "sys.path = [p for p in sys.path if p]\n"
    "try:\n"
    "    from shoal.report import main\n"
    "except ImportError as error:\n"
    "    sys.exit((print(f\"shoal: 'shoal report' needs the Python package of Shoal, which "
    "{sys.executable} does not have ({error}): {sys.executable} -m pip install ./python in the "
    "source tree of Shoal, or name another Python by the environment variable PYTHON\", "
    "file=sys.stderr), 4)[1])\n"
    "sys.exit(main(sys.argv[1:]))\n";

/* Python looks at the values. */
static const cli_option report_table[] = {
    {"output", 'o', "FILE", "page to write (default: the name of the run with .html)"},
    {"title", 0, "TEXT", "title of the page (default: what was run)"},
    {"surface", 0, "FILE",
     "substrate to draw: xyz or extxyz with a cell (default: the one of the run, where it is "
     "found); none: no "
     "substrate"},
    {"max-structures", 0, "N", "structures in the page, failed ones first (default 10000)"},
    {"max-rows", 0, "N", "rows of the table, failed ones first (default 200000)"},
    {"quiet", 'q', NULL, "no message"},
    {NULL, 0, NULL, NULL},
};

static bool is_switch(const char *name)
{
    const cli_option *o = cli_find(report_table, name);
    return o && !o->argument;
}

/* "--name=value", or "--name" of a switch; the caller owns it. */
static char *as_argument(const cli_choice *choice)
{
    const size_t room = strlen(choice->name) + strlen(choice->value) + 4;
    char *text = malloc(room);
    if (text)
        (void)snprintf(text, room, "--%s%s%s", choice->name, is_switch(choice->name) ? "" : "=",
                       choice->value);
    return text;
}

/* Becomes Python; comes back only where there is none. */
static int become_python(const char **files, int n_files)
{
    int n_choices;
    const cli_choice *choices = cli_choices(&n_choices);
    const char *named = getenv("PYTHON");
    const char *python = named && named[0] ? named : "python3";
    char **argv = calloc((size_t)(n_choices + n_files) + 5, sizeof *argv);
    int n = 0;
    bool enough = argv != NULL;
    if (enough) {
        argv[n++] = strdup(python);
        argv[n++] = strdup("-c");
        argv[n++] = strdup(start_code);
        for (int k = 0; k < n_choices; ++k) argv[n++] = as_argument(&choices[k]);
        argv[n++] = strdup("--");
        for (int k = 0; k < n_files; ++k) argv[n++] = strdup(files[k]);
        for (int k = 0; k < n; ++k) enough = enough && argv[k];
    }
    if (enough) (void)execvp(argv[0], argv);
    if (!enough)
        cli_complain("out of memory");
    else
        cli_complain(
            "'shoal report' needs Python, and '%s' cannot be started (%s); the environment "
            "variable PYTHON names another one",
            python, strerror(errno));
    for (int k = 0; k < n; ++k) free(argv[k]);
    free((void *)argv);
    return enough ? EXIT_FILES : EXIT_DEVICE;
}

static int hand_on(void *user, const char **files, int n_files)
{
    (void)user;
    return become_python(files, n_files);
}

int cmd_report(int argc, char **argv)
{
    const cli_group group = {"options:", report_table, NULL, NULL};
    const cli_command command = {
        .name = "report",
        .usage = "[OPTIONS] RUN.h5",
        .purpose = "Writes a run as one HTML page: table, structures, plots, provenance.",
        .notes = "The page needs no network. It is written by the Python package of Shoal: PYTHON "
                 "in the\n"
                 "environment names the Python that has it (default: python3).\n",
        .groups = &group,
        .n_groups = 1,
        .min_files = 1,
        .max_files = 1,
    };
    return cli_run(&command, argc, argv, hand_on, NULL);
}
