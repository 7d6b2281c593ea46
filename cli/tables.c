/* SPDX-License-Identifier: BSD-3-Clause
 * The option tables of all commands, and what their help says about values. */
#include "tables.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const grid_verbs[] = {"build", "check", "info", "export", NULL};
static const char *const fit_verbs[] = {"prepare", "eval", "compare", "scan", "bonded", NULL};

const char *const *tables_verbs(const char *command)
{
    if (strcmp(command, "grid") == 0) return grid_verbs;
    return strcmp(command, "fit") == 0 ? fit_verbs : NULL;
}

bool tables_has_own(const char *command)
{
    return strcmp(command, "grid") != 0;
}

void tables_show(const cli_entry *c, cli_see *see, void *user)
{
    const char *const *verbs = tables_verbs(c->name);
    char name[64], verb[64];
    (void)snprintf(name, sizeof name, "%s", c->name);
    char *argv[] = {name, NULL, NULL};
    cli_show(see, user);
    if (tables_has_own(c->name)) (void)c->run(1, argv);
    for (argv[1] = verb; verbs && *verbs; ++verbs) {
        (void)snprintf(verb, sizeof verb, "%s", *verbs);
        (void)c->run(2, argv);
    }
    cli_show(NULL, NULL);
}

/* Help without what stands in brackets, and without the blanks before them. */
static void drop_brackets(const char *help, char *out, size_t size)
{
    int depth = 0;
    size_t n = 0;
    for (; *help && n + 1 < size; ++help) {
        if (*help == '(') {
            while (depth == 0 && n > 0 && out[n - 1] == ' ') --n;
            ++depth;
        } else if (*help == ')') {
            depth -= depth > 0;
        } else if (depth == 0) {
            out[n++] = *help;
        }
    }
    out[n] = '\0';
}

/* Length of a word that can be typed as it stands, 0 if there is none. */
static size_t word_length(const char *at)
{
    size_t n = 0;
    if (!islower((unsigned char)*at)) return 0;
    while (islower((unsigned char)at[n]) || isdigit((unsigned char)at[n]) || at[n] == '-' ||
           at[n] == '_' || (at[n] == ':' && islower((unsigned char)at[n + 1])))
        ++n;
    return n;
}

/* A part that differs from case to case: "[:WHICH]", ":NAME". */
static size_t tail_length(const char *at)
{
    if (*at == '[') return strcspn(at, "]") + (at[strcspn(at, "]")] == ']');
    if (*at != ':' || !isupper((unsigned char)at[1])) return 0;
    size_t n = 1;
    while (isupper((unsigned char)at[n])) ++n;
    return n;
}

/* What stands between two words of a list: ", ", ",", " or ", ", or ". */
static size_t joint_length(const char *at)
{
    static const char *const joints[] = {", or ", ", ", ",", " or "};
    for (size_t k = 0; k < sizeof joints / sizeof joints[0]; ++k)
        if (strncmp(at, joints[k], strlen(joints[k])) == 0) return strlen(joints[k]);
    return 0;
}

static void add_word(table_values *out, const char *word, size_t n)
{
    for (int k = 0; k < out->n; ++k)
        if (strlen(out->words[k]) == n && strncmp(out->words[k], word, n) == 0) return;
    if (out->n == TABLES_MOST_VALUES || n >= TABLES_VALUE_SIZE) return;
    (void)snprintf(out->words[out->n++], TABLES_VALUE_SIZE, "%.*s", (int)n, word);
}

/* Reads a list from here on; one word alone is none. Names of files ("GRID.h5") are passed over. */
static void read_list(const char *at, table_values *out)
{
    out->n = 0;
    for (;;) {
        const bool file = isupper((unsigned char)*at);
        const size_t n = file ? strcspn(at, ", ") : word_length(at);
        const size_t tail = file ? 0 : tail_length(at + n);
        const size_t joint = joint_length(at + n + tail);
        const bool end = at[n + tail] == '\0' || at[n + tail] == ';';
        if (n == 0 || (joint == 0 && !end)) break;
        /* "shadow:NAME" is begun by its word and the colon */
        if (!file) add_word(out, at, n + (tail > 0 && at[n] == ':'));
        if (end) break;
        at += n + tail + joint;
    }
    if (out->n < 2) out->n = 0;
}

void tables_values(const cli_option *option, table_values *out)
{
    char help[512];
    out->n = 0;
    if (!option->argument ||
        strlen(option->argument) != strspn(option->argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        return;
    drop_brackets(option->help, help, sizeof help);
    read_list(help, out);
    const char *colon = strstr(help, ": ");
    if (out->n == 0 && colon) read_list(colon + 2, out);
}

bool tables_takes_file(const cli_option *option)
{
    static const char *const names[] = {"FILE", "PREFIX", "DIR"};
    if (!option->argument) return false;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
        if (strncmp(option->argument, names[k], strlen(names[k])) == 0) return true;
    /* "GRID.h5, off, or auto" */
    const size_t n = strcspn(option->help, ", ");
    return isupper((unsigned char)*option->help) && memchr(option->help, '.', n) != NULL;
}
