/* SPDX-License-Identifier: BSD-3-Clause
 * Ctrl-C and other signals that end a run: work that asks ends in order, all else at once, and an
 * unfinished output is not left behind. */
#ifndef SHOAL_CLI_INTERRUPT_H
#define SHOAL_CLI_INTERRUPT_H

#include <stdbool.h>

/* Takes SIGINT, SIGTERM, SIGHUP and SIGUSR1, which batch systems send before time is up, unless the caller of the program ignores them. */
void interrupt_install(void);

/* Takes them again: libraries that are loaded later may take signals for themselves, as PoCL does. */
void interrupt_keep(void);

/* Between true and false, the first signal only makes interrupt_code() tell of it; a second one (not within 3 s,
 * unless it is SIGINT), and any signal elsewhere, ends the program at once. */
void interrupt_ask(bool asking);

/* Exit code of a run that was told to end (128 + signal), 0 if it was not. */
int interrupt_code(void);
/* "SIGINT" and so on, of that signal. */
const char *interrupt_name(void);

/* The file to remove if the program ends at once; NULL: none. One at a time. The name is copied. */
void interrupt_remove(const char *path);

#endif
