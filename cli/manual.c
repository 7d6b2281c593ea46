/* SPDX-License-Identifier: BSD-3-Clause
 * Pages of the manual: roff with the macros of man(7). */
#include "manual.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "shoal/shoal.h"
#include "tables.h"

/* A line of text whose characters mean themselves. */
static void print_text(const char *text, size_t n)
{
    if (n > 0 && (*text == '.' || *text == '\'')) (void)printf("\\&");
    for (size_t i = 0; i < n; ++i) {
        switch (text[i]) {
        case '\\': (void)printf("\\e"); break;
        case '-': (void)printf("\\-"); break;
        case '\'': (void)printf("\\(aq"); break;
        case '`': (void)printf("\\(ga"); break;
        case '^': (void)printf("\\(ha"); break;
        case '~': (void)printf("\\(ti"); break;
        default: (void)putchar(text[i]);
        }
    }
}

static void print_line(const char *text)
{
    print_text(text, strlen(text));
    (void)putchar('\n');
}

static void print_section(const char *title)
{
    (void)printf(".SH ");
    for (; *title && !(*title == ':' && !title[1]); ++title)
        (void)putchar(toupper((unsigned char)*title));
    (void)putchar('\n');
}

static void print_option(const cli_option *o)
{
    (void)printf(".TP\n");
    if (o->letter) (void)printf("\\fB\\-%c\\fR, ", o->letter);
    (void)printf("\\fB\\-\\-");
    print_text(o->name, strlen(o->name));
    (void)printf("\\fR");
    if (o->argument) {
        (void)printf(" \\fI");
        print_text(o->argument, strlen(o->argument));
        (void)printf("\\fR");
    }
    (void)putchar('\n');
    print_line(o->help);
}

static void print_options(const cli_command *c)
{
    static const cli_option help = {"help", 'h', NULL, "show this help and stop"};
    for (int g = 0; g < c->n_groups; ++g) {
        if (c->groups[g].title) {
            (void)printf(".SS ");
            print_text(c->groups[g].title, strcspn(c->groups[g].title, ":"));
            (void)putchar('\n');
        }
        for (const cli_option *o = c->groups[g].options; o->name; ++o) print_option(o);
    }
    (void)printf(".SS help\n");
    print_option(&help);
}

static bool is_example(const char *line, size_t n)
{
    const char *hit = strstr(line, "shoal ");
    return *line == ' ' && hit && hit < line + n;
}

/* Lines of the notes: examples alone, or all others. Indented ones stay as they are. */
static void print_notes(const char *notes, bool examples)
{
    bool literal = false;
    while (*notes) {
        const size_t n = strcspn(notes, "\n");
        if (is_example(notes, n) == examples) {
            const bool wanted = *notes == ' ';
            if (wanted != literal)
                (void)printf(wanted ? examples ? ".EX\n" : ".PP\n.EX\n" : ".EE\n.PP\n");
            literal = wanted;
            if (n > 0)
                print_text(notes, n);
            else
                (void)printf(".PP");
            (void)putchar('\n');
        }
        notes += n + (notes[n] == '\n');
    }
    if (literal) (void)printf(".EE\n");
}

static bool has_example(const char *notes)
{
    for (; *notes; notes += strcspn(notes, "\n") + (notes[strcspn(notes, "\n")] == '\n'))
        if (is_example(notes, strcspn(notes, "\n"))) return true;
    return false;
}

static void see_synopsis(void *user, const cli_command *c)
{
    bool *begun = user;
    if (*begun) (void)printf(".PP\n");
    *begun = true;
    (void)printf("\\fBshoal %s\\fR ", c->name);
    print_line(c->usage);
}

static void see_options(void *user, const cli_command *c)
{
    const bool own = strchr(c->name, ' ') == NULL;
    (void)user;
    if (own) {
        print_section("OPTIONS");
    } else {
        (void)printf(".SH SHOAL ");
        for (const char *at = c->name; *at; ++at) (void)putchar(toupper((unsigned char)*at));
        (void)putchar('\n');
        print_line(c->purpose);
        print_notes(c->notes, false);
    }
    print_options(c);
}

static void see_description(void *user, const cli_command *c)
{
    bool *begun = user;
    if (strchr(c->name, ' ')) return;
    *begun = true;
    print_line(c->purpose);
    if (*c->notes) (void)printf(".PP\n");
    print_notes(c->notes, false);
}

static void see_examples(void *user, const cli_command *c)
{
    bool *begun = user;
    if (!has_example(c->notes)) return;
    if (!*begun) print_section("EXAMPLES");
    *begun = true;
    print_notes(c->notes, true);
}

typedef struct entry {
    const char *name, *text;
} entry;

static const entry exit_codes[] = {
    {"0", "success"},
    {"1", "some systems failed, or did not converge"},
    {"2", "the command line is wrong"},
    {"3", "no such device, or it failed; out of memory"},
    {"4", "input that cannot be read, output that cannot be written"},
    {"75", "stopped with a checkpoint; the same command with --resume continues"},
    {"130", "ended by Ctrl-C (128 + signal)"},
    {0},
};
static const entry variables[] = {
    {"SHOAL_CACHE_DIR", "directory of the cache of compiled kernels and surface grids; default "
                        "$XDG_CACHE_HOME/shoal, else ~/.cache/shoal"},
    {"SHOAL_CACHE", "0: cache nothing"},
    {"SHOAL_CL_COMPILER",
     "program that compiles kernels in separate processes (default: this one); empty: "
     "threads compile them"},
    {"SHOAL_CL_GROUP", "work-items of a group that works on a small system: 32, 64, 128 or 256"},
    {"SHOAL_CL_LOG", "file to which the logs of OpenCL compilers are appended"},
    {"SHOAL_CL_OPTIONS", "options for OpenCL compilers, in addition to Shoal's own"},
    {"SHOAL_CPU", "base, avx2 or avx512: the largest instruction set that the device cpu uses"},
    {"SHOAL_KERNEL_DIR", "directory of kernel sources, instead of those in the library"},
    {"SHOAL_MPI_PLUGIN", "the plugin that is loaded when an MPI launcher started the program; "
                         "else the one beside the library"},
    {"PYTHON", "the Python that 'shoal report' starts; else python3"},
    {"OMP_NUM_THREADS", "number of threads, unless --threads is given"},
    {0},
};
static const entry files[] = {
    {"~/.cache/shoal",
     "compiled kernels (*.bin) and grids (grid-*.h5). It may be emptied at any time."},
    {0},
};

static void print_entries(const char *title, const entry *entries)
{
    print_section(title);
    for (; entries->name; ++entries) {
        (void)printf(".TP\n\\fB");
        print_text(entries->name, strlen(entries->name));
        (void)printf("\\fR\n");
        print_line(entries->text);
    }
}

static void print_head(const char *page, const char *purpose)
{
    (void)printf(".TH ");
    for (const char *at = page; *at; ++at)
        (void)printf(*at == '-' ? "\\-" : "%c", toupper((unsigned char)*at));
    (void)printf(" 1 \"\" \"shoal %d.%d.%d\" \"Shoal\"\n", SHOAL_VERSION_MAJOR, SHOAL_VERSION_MINOR,
                 SHOAL_VERSION_PATCH);
    print_section("NAME");
    print_text(page, strlen(page));
    (void)printf(" \\- ");
    print_line(purpose);
}

/* The program's page names all others, a command's the program's. */
static void print_foot(const cli_entry *about)
{
    int n;
    const cli_entry *list = command_list(&n);
    print_entries("EXIT STATUS", exit_codes);
    print_entries("ENVIRONMENT", variables);
    print_entries("FILES", files);
    print_section("SEE ALSO");
    if (about) {
        (void)printf(".BR shoal (1)\n");
        return;
    }
    for (int k = 0; k < n; ++k)
        (void)printf(".BR shoal\\-%s (1)%s\n", list[k].name, k + 1 < n ? "," : "");
}

static int print_program(void)
{
    int n;
    const cli_entry *list = command_list(&n);
    print_head("shoal", "thousands of molecular systems at once");
    (void)printf(".SH SYNOPSIS\n\\fBshoal\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIFILES\\fR\n"
                 ".PP\n\\fBshoal help\\fR \\fICOMMAND\\fR\n.PP\n\\fBshoal \\-\\-version\\fR\n"
                 ".SH DESCRIPTION\nShoal computes and relaxes thousands of molecular systems at "
                 "once, on processors and GPUs.\nEvery command has its own page.\n"
                 ".SH COMMANDS\n");
    for (int k = 0; k < n; ++k) {
        (void)printf(".TP\n\\fB%s\\fR\n", list[k].name);
        print_line(list[k].help);
    }
    print_foot(NULL);
    return EXIT_ALL_FINE;
}

int manual_print(const char *name)
{
    if (!name) return print_program();
    const cli_entry *c = command_find(name);
    char page[80];
    bool begun = false, described = false, shown = false;
    if (!c) return EXIT_USAGE;
    (void)snprintf(page, sizeof page, "shoal-%s", c->name);
    print_head(page, c->help);
    print_section("SYNOPSIS");
    tables_show(c, see_synopsis, &begun);
    print_section("DESCRIPTION");
    tables_show(c, see_description, &described);
    if (!described) print_line(c->help);
    tables_show(c, see_options, NULL);
    tables_show(c, see_examples, &shown);
    print_foot(c);
    return EXIT_ALL_FINE;
}
