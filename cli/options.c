/* SPDX-License-Identifier: BSD-3-Clause
 * Command-line options: parsing and --help. */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the command that runs; a process runs one. */
static struct {
    const char *command;
    cli_choice *choices;
    int n, room;
    char *texts; /* of files that are none */
} given;

static struct {
    cli_see *see;
    void *user;
} onlooker;

void cli_show(cli_see *see, void *user)
{
    onlooker.see = see;
    onlooker.user = user;
}

void cli_complain(const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_tame(text, strlen(text));
    (void)fprintf(stderr, "shoal: %s\n", text);
}

void cli_tame(char *text, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const unsigned char c = (unsigned char)text[i];
        const bool c1 = c == 0xc2 && i + 1 < n && ((unsigned char)text[i + 1] & 0xe0) == 0x80;
        if ((c < ' ' && c != '\n') || c == 0x7f) text[i] = '?';
        if (c1) text[i] = text[i + 1] = '?'; /* U+0080 to U+009F */
    }
}

const char *cli_command_name(void)
{
    return given.command ? given.command : "";
}

void cli_add_choice(const char *name, const char *value)
{
    if (given.n < given.room) given.choices[given.n++] = (cli_choice){name, value, false};
}

const cli_choice *cli_choices(int *n)
{
    *n = given.n;
    return given.choices;
}

bool cli_was_given(const char *name)
{
    for (int k = 0; k < given.n; ++k)
        if (strcmp(given.choices[k].name, name) == 0) return true;
    return false;
}

const cli_option *cli_find(const cli_option *table, const char *name)
{
    while (table->name && strcmp(table->name, name) != 0) ++table;
    return table->name ? table : NULL;
}

const char *cli_given_of(const cli_option *table)
{
    for (int k = 0; k < given.n; ++k)
        if (cli_find(table, given.choices[k].name)) return given.choices[k].name;
    return NULL;
}

bool cli_number(const char *name, const char *value, double least, double *out)
{
    char *end;
    const double x = strtod(value, &end);
    if (end == value || *end || !isfinite(x) || x < least)
        return cli_refuse("--%s '%s': expected a number of at least %g", name, value, least);
    *out = x;
    return true;
}

bool cli_integer(const char *name, const char *value, long least, long most, int *out)
{
    char *end;
    errno = 0;
    const long x = strtol(value, &end, 10);
    if (end == value || *end || errno || x < least || x > most)
        return cli_refuse("--%s '%s': expected a whole number from %ld to %ld", name, value, least,
                          most);
    *out = (int)x;
    return true;
}

int cli_numbers(const char *value, char between, int most, double *out)
{
    const char *at = value;
    for (int n = 0; n < most; at += *at == between) {
        char *end;
        out[n] = strtod(at, &end);
        if (end == at || !isfinite(out[n]) || (*end && *end != between)) break;
        ++n;
        if (!*end) return n;
        at = end;
    }
    return 0;
}

bool cli_take_numbers(const char *name, const char *value, int n, double *out)
{
    if (cli_numbers(value, ',', n, out) == n) return true;
    return cli_refuse("--%s '%s': expected %d numbers, separated by commas", name, value, n);
}

bool cli_seed(const char *name, const char *value, uint64_t *out)
{
    char *end;
    errno = 0;
    const unsigned long long seed = strtoull(value, &end, 10);
    if (end == value || *end || errno || strchr(value, '-'))
        return cli_refuse("--%s '%s': expected a whole number, 0 or more", name, value);
    *out = (uint64_t)seed;
    return true;
}

void cli_tell(void *user, const char *text)
{
    (void)user;
    cli_complain("%s", text);
}

/* The word that was given, NULL after a message. */
static const cli_word *find_word(const char *name, const char *value, const cli_word *words)
{
    char list[192] = "";
    for (const cli_word *w = words; w->text; ++w) {
        if (strcmp(value, w->text) == 0) return w;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s",
                       w == words  ? ""
                       : w[1].text ? ", "
                                   : " or ",
                       w->text);
    }
    cli_complain("--%s '%s': expected %s", name, value, list);
    return NULL;
}

bool cli_choose(const char *name, const char *value, const cli_word *words, void *out)
{
    const cli_word *w = find_word(name, value, words);
    if (w) memcpy(out, &w->value, sizeof w->value);
    return w != NULL;
}

static bool take_word(const cli_option *o, const char *value, void *at)
{
    const cli_word *w = find_word(o->name, value, o->place.words);
    const bool on = w && w->value != 0;
    if (w && o->place.size == sizeof on) memcpy(at, &on, sizeof on);
    if (w && o->place.size != sizeof on) memcpy(at, &w->value, sizeof w->value);
    return w != NULL;
}

bool cli_set(const cli_group *group, const cli_option *o, const char *value)
{
    const cli_place *p = &o->place;
    void *at = (char *)group->target + p->offset;
    switch (p->kind) {
    case CLI_A_FLAG: return *(bool *)at = true;
    case CLI_A_TEXT: return (*(const char **)at = value) != NULL;
    case CLI_A_COUNT: return cli_integer(o->name, value, (long)p->least, (long)p->most, at);
    case CLI_A_NUMBER: return cli_number(o->name, value, p->least, at);
    case CLI_A_SEED: return cli_seed(o->name, value, at);
    case CLI_A_WORD: return take_word(o, value, at);
    default: return !group->take || group->take(group->target, o->name, value);
    }
}

static bool ends_in(const char *value, const char *ending)
{
    const size_t n = strlen(value), m = strlen(ending);
    return n >= m && strcmp(value + n - m, ending) == 0;
}

bool cli_figure_prefix(const char *name, const char *value, const char *python)
{
    if (!ends_in(value, ".png")) return true;
    return cli_refuse("--%s '%s': expected a name that ends in .svg%s%s%s", name, value,
                      python ? "; PNG is drawn in Python: " : "", python ? python : "",
                      python ? ".figure.savefig(..)" : "");
}

bool cli_figure(const char *name, const char *value, const char *python)
{
    if (!cli_figure_prefix(name, value, python)) return false;
    if (ends_in(value, ".svg")) return true;
    return cli_refuse("--%s '%s': expected a name that ends in .svg", name, value);
}

static void print_help(const cli_command *c)
{
    (void)printf("usage: shoal %s %s\n\n%s\n", c->name, c->usage, c->purpose);
    for (int g = 0; g < c->n_groups; ++g) {
        if (c->groups[g].title) (void)printf("\n%s\n", c->groups[g].title);
        for (const cli_option *o = c->groups[g].options; o->name; ++o) {
            char left[64];
            const char letter[] = {'-', o->letter, ',', ' ', '\0'};
            (void)snprintf(left, sizeof left, "%s--%s%s%s", o->letter ? letter : "    ", o->name,
                           o->argument ? " " : "", o->argument ? o->argument : "");
            if (strlen(left) > 27)
                (void)printf("  %s\n  %-28s%s\n", left, "", o->help);
            else
                (void)printf("  %-28s%s\n", left, o->help);
        }
    }
    (void)printf("\n  %-28s%s\n", "-h, --help", "show this help and stop");
    if (*c->notes) (void)printf("\n%s\n", c->notes);
}

/* Finds an option by its name up to n characters or by its letter. */
static const cli_option *find_option(const cli_command *c, const char *name, size_t n, char letter,
                                     const cli_group **group)
{
    for (int g = 0; g < c->n_groups; ++g)
        for (const cli_option *o = c->groups[g].options; o->name; ++o) {
            const bool hit = letter ? o->letter == letter
                                    : strlen(o->name) == n && strncmp(o->name, name, n) == 0;
            if (!hit) continue;
            *group = &c->groups[g];
            return o;
        }
    return NULL;
}

static int usage_error(const cli_command *c)
{
    (void)fprintf(stderr, "Try 'shoal %s --help'.\n", c->name);
    return EXIT_USAGE + 1;
}

enum { LONGEST = 40 };

/* Letters to change, leave out, add or swap with their neighbours to turn a[n] into b; many where one is long. */
static size_t distance(const char *a, size_t n, const char *b)
{
    const size_t m = strlen(b);
    size_t d[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (size_t i = 0; i <= n; ++i)
        for (size_t j = 0; j <= m; ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            const size_t same = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            const size_t less = (d[i - 1][j] < d[i][j - 1] ? d[i - 1][j] : d[i][j - 1]) + 1;
            d[i][j] = same < less ? same : less;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[n][m];
}

void cli_guess(const char *name, size_t n, const char *candidate, cli_likeness *best)
{
    const bool begins = n >= 3 && strncmp(name, candidate, n) == 0;
    const size_t off = begins ? 1 : distance(name, n, candidate);
    if (off > (n < 6 ? 1 : 2) || (best->name && off >= best->off)) return;
    *best = (cli_likeness){candidate, off};
}

static int unknown_option(const cli_command *c, const char *arg, const char *name, size_t n)
{
    cli_likeness best = {0};
    for (int g = 0; g < c->n_groups && arg[1] == '-'; ++g)
        for (const cli_option *o = c->groups[g].options; o->name; ++o)
            cli_guess(name, n, o->name, &best);
    cli_complain("unknown option '%s'%s%s%s", arg, best.name ? "; did you mean --" : "",
                 best.name ? best.name : "", best.name ? "?" : "");
    return usage_error(c);
}

/* Parses the option at argv[*at], moving *at over a separate value. */
static int parse_option(const cli_command *c, int argc, char **argv, int *at)
{
    const char *arg = argv[*at];
    const bool is_long = arg[1] == '-';
    const char *name = arg + (is_long ? 2 : 1);
    const char *equals = is_long ? strchr(name, '=') : NULL;
    const size_t n = equals ? (size_t)(equals - name) : strlen(name);
    const cli_group *group = NULL;
    if ((is_long && n == 4 && strncmp(name, "help", 4) == 0) || strcmp(arg, "-h") == 0) {
        print_help(c);
        return EXIT_ALL_FINE + 1;
    }
    const cli_option *o = find_option(c, name, n, is_long ? '\0' : name[0], &group);
    if (!o) return unknown_option(c, arg, name, n);
    const char *value = equals ? equals + 1 : !is_long && name[1] ? name + 1 : NULL;
    if (!o->argument && value) {
        cli_complain("option '%s' takes no value", arg);
        return usage_error(c);
    }
    if (o->argument && !value) {
        if (*at + 1 >= argc) {
            cli_complain("option '--%s' needs a value: %s", o->name, o->argument);
            return usage_error(c);
        }
        value = argv[++*at];
    }
    given.choices[given.n++] =
        (cli_choice){o->name, value ? value : "", o->place.kind == CLI_A_FILE};
    if (o->place.kind == CLI_A_FILE) return 0;
    return cli_set(group, o, value ? value : "") ? 0 : usage_error(c);
}

/* Texts that were given instead of files stand behind these, as "smiles:CCO". */
static bool add_texts(const char **files, int *n_files)
{
    size_t size = 0;
    for (int k = 0; k < given.n; ++k)
        size += strlen(given.choices[k].name) + strlen(given.choices[k].value) + 2;
    char *to = given.texts = malloc(size + 1);
    if (!to) return cli_refuse("out of memory");
    for (int k = 0; k < given.n; ++k) {
        if (!given.choices[k].is_file) continue;
        files[(*n_files)++] = to;
        to += sprintf(to, "%s:%s", given.choices[k].name, given.choices[k].value) + 1;
    }
    return true;
}

/* File arguments go to files[0 .. *n_files), which has room for argc. Returns 0 to go on, or an exit
 * code + 1 if the program is done. */
static int parse(const cli_command *command, int argc, char **argv, const char **files,
                 int *n_files)
{
    bool only_files = false;
    *n_files = 0;
    for (int at = 1; at < argc; ++at) {
        if (!only_files && strcmp(argv[at], "--") == 0) {
            only_files = true;
        } else if (!only_files && argv[at][0] == '-' && argv[at][1]) {
            const int done = parse_option(command, argc, argv, &at);
            if (done) return done;
        } else {
            files[(*n_files)++] = argv[at];
        }
    }
    if (!add_texts(files, n_files)) return EXIT_DEVICE + 1;
    if (*n_files < command->min_files ||
        (command->max_files >= 0 && *n_files > command->max_files)) {
        cli_complain("%s: %d file%s given; usage: shoal %s %s", command->name, *n_files,
                     *n_files == 1 ? "" : "s", command->name, command->usage);
        return usage_error(command);
    }
    return 0;
}

int cli_run(const cli_command *command, int argc, char **argv, cli_job *job, void *user)
{
    int n_files;
    if (onlooker.see) {
        onlooker.see(onlooker.user, command);
        return EXIT_ALL_FINE;
    }
    const char **files = calloc((size_t)argc, sizeof *files);
    given.room = argc; /* more than there are options: argv[0] is none */
    given.choices = calloc((size_t)argc, sizeof *given.choices);
    if (!files || !given.choices) {
        cli_complain("out of memory");
        free((void *)files);
        free(given.choices);
        return EXIT_DEVICE;
    }
    given.command = command->name;
    const int done = parse(command, argc, argv, files, &n_files);
    const int code = done ? done - 1 : job(user, files, n_files);
    free((void *)files);
    free(given.choices);
    free(given.texts);
    return code;
}
