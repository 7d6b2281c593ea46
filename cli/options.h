/* SPDX-License-Identifier: BSD-3-Clause
 * Command-line options: tables of long options in groups, parsed the GNU way. */
#ifndef SHOAL_CLI_OPTIONS_H
#define SHOAL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes of the program. */
enum {
    EXIT_ALL_FINE = 0,
    EXIT_SOME_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_DEVICE = 3,
    EXIT_FILES = 4,
    EXIT_STOPPED = 75 /* with a checkpoint; EX_TEMPFAIL: the same command goes on with --resume */
};

/* Words that an option takes, ended by one without text. */
typedef struct cli_word {
    const char *text;
    int value;
} cli_word;

/* Where the value of an option goes: a kind, an offset in the target of the group, and what is allowed. */
typedef struct cli_place {
    enum {
        CLI_BY_HAND,
        CLI_A_FLAG,
        CLI_A_TEXT,
        CLI_A_COUNT,
        CLI_A_NUMBER,
        CLI_A_SEED,
        CLI_A_WORD,
        CLI_A_FILE /* it stands for a file, "NAME:VALUE" */
    } kind;
    size_t offset;
    double least, most;
    const cli_word *words;
    size_t size; /* of what takes the value of a word: an enum or a bool */
} cli_place;

typedef struct cli_option {
    const char *name;     /* without dashes */
    char letter;          /* short form, 0 without one */
    const char *argument; /* name of the value in --help, NULL for a switch */
    const char *help;
    cli_place place; /* left out: the function of the group takes the option */
} cli_option;

/* Rows name what they have; the rest is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

/* The places of options: members of the target, a struct of `type`. A member of another type does not compile. */
/* clang-format off */
#define CLI_PLACE(type, member, of, ...) \
    {.offset = offsetof(type, member) + 0 * sizeof(_Generic(((type *)0)->member, of : 0)), __VA_ARGS__}
#define CLI_FLAG(type, member) CLI_PLACE(type, member, bool, .kind = CLI_A_FLAG)
#define CLI_TEXT(type, member) CLI_PLACE(type, member, const char *, .kind = CLI_A_TEXT)
#define CLI_COUNT(type, member, from, to) CLI_PLACE(type, member, int, .kind = CLI_A_COUNT, .least = (from), .most = (to))
#define CLI_NUMBER(type, member, from) CLI_PLACE(type, member, double, .kind = CLI_A_NUMBER, .least = (from))
#define CLI_SEED(type, member) CLI_PLACE(type, member, uint64_t, .kind = CLI_A_SEED)
#define CLI_WORD(type, member, list) \
    {.kind = CLI_A_WORD, .offset = offsetof(type, member), .words = (list), .size = sizeof(((type *)0)->member)}
/* clang-format on */

/* Takes an option that has no place; returns false after printing what is wrong with the value. */
typedef bool cli_take(void *target, const char *name, const char *value);

typedef struct cli_group {
    const char *title;         /* NULL: goes on below that of the group before */
    const cli_option *options; /* ends with a NULL name */
    cli_take *take;            /* of those without a place; NULL: they are noted, for cli_choices */
    void *target;
} cli_group;

/* Gives an option of a group its value; false after printing what is wrong with it. */
bool cli_set(const cli_group *group, const cli_option *option, const char *value);

typedef struct cli_command {
    const char *name;
    const char *usage;   /* what follows "shoal NAME" */
    const char *purpose; /* one sentence */
    const char *notes;   /* end of --help, "" without any */
    const cli_group *groups;
    int n_groups;
    int min_files, max_files; /* max_files < 0: any number */
} cli_command;

/* Fields of a command: an array of groups; one file or more. */
#define CLI_GROUPS(array) .groups = (array), .n_groups = (int)(sizeof(array) / sizeof(array)[0])
#define CLI_ANY_FILES .min_files = 1, .max_files = -1

/* The work of a command, once its options are read. Returns an exit code. */
typedef int cli_job(void *user, const char **files, int n_files);

/* Parses argv[1..] and does the job; --help and mistakes end it before. Returns an exit code. */
int cli_run(const cli_command *command, int argc, char **argv, cli_job *job, void *user);

/* Whoever wants to see tables, not run commands: cli_run hands `see` the table of its command and returns. NULL: runs
 * again. */
typedef void cli_see(void *user, const cli_command *command);
void cli_show(cli_see *see, void *user);

/* Number parsing for options, with a message that names the option. */
bool cli_number(const char *name, const char *value, double least, double *out);
bool cli_integer(const char *name, const char *value, long least, long most, int *out);

bool cli_seed(const char *name, const char *value, uint64_t *out);

/* Finite numbers with a character between them, at most so many: returns how many there are, 0 where it is something else;
 * the message is the caller's. */
int cli_numbers(const char *value, char between, int most, double *out);
/* Exactly n of them between commas, with a message that names the option. */
bool cli_take_numbers(const char *name, const char *value, int n, double *out);

/* *out, an enum, becomes the value of the word that was given. */
bool cli_choose(const char *name, const char *value, const cli_word *words, void *out);

/* Names of figures, which are SVG. cli_figure_prefix refuses .png, with the call of the Python package that draws it
 * (NULL: none does); cli_figure takes .svg alone. */
bool cli_figure_prefix(const char *name, const char *value, const char *python);
bool cli_figure(const char *name, const char *value, const char *python);

/* The name of the command that runs, and its options as they were given, for logs and checkpoints. */
typedef struct cli_choice {
    const char *name, *value; /* "" of a switch */
    bool is_file;
} cli_choice;
const char *cli_command_name(void);
const cli_choice *cli_choices(int *n);
bool cli_was_given(const char *name);
/* The first option that was given of a table, NULL: none. */
const char *cli_given_of(const cli_option *table);
const cli_option *cli_find(const cli_option *table, const char *name);
/* Notes one more: what a command chose by itself. Both texts are borrowed; there is room for one. */
void cli_add_choice(const char *name, const char *value);

/* What somebody may have meant by a name that does not exist: best, zero at first, becomes the candidate if that is near
 * name[n] (it begins so, or a letter or two are wrong) and nearer than best. */
typedef struct cli_likeness {
    const char *name; /* NULL: nothing is near */
    size_t off;
} cli_likeness;
void cli_guess(const char *name, size_t n, const char *candidate, cli_likeness *best);

/* Prints "shoal: ..." on stderr; control characters, which names of systems may have, become '?'. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same of a text of the library, which hands on user. */
void cli_tell(void *user, const char *text);
/* The same, false for a value that is not taken, and the exit code of a command that is used wrongly. */
#define cli_refuse(...) (cli_complain(__VA_ARGS__), false)
#define cli_misuse(...) (cli_complain(__VA_ARGS__), EXIT_USAGE)
/* Puts '?' for control characters other than new lines. */
void cli_tame(char *text, size_t n);

#endif
