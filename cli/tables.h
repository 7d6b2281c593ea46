/* SPDX-License-Identifier: BSD-3-Clause
 * The option tables of all commands, for whoever describes them: manual and completion. */
#ifndef SHOAL_CLI_TABLES_H
#define SHOAL_CLI_TABLES_H

#include "commands.h"
#include "options.h"

/* Shows the tables of a command to `see`: its own, and those of its verbs ('shoal grid build'). */
void tables_show(const cli_entry *c, cli_see *see, void *user);

/* The verbs of a command, ended by NULL; NULL if it has none. */
const char *const *tables_verbs(const char *command);

/* Whether a command does something without a verb; one of nothing but verbs would list them. */
bool tables_has_own(const char *command);

enum { TABLES_MOST_VALUES = 32, TABLES_VALUE_SIZE = 32 };

/* Words that an option takes, as its help lists them ("lbfgs (default) or fire"). A list may stand behind a colon
 * and end with what is no word. */
typedef struct table_values {
    char words[TABLES_MOST_VALUES][TABLES_VALUE_SIZE];
    int n; /* 0: the help lists none */
} table_values;
void tables_values(const cli_option *option, table_values *out);

/* Whether the value of an option may be the name of a file. */
bool tables_takes_file(const cli_option *option);

#endif
