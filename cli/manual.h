/* SPDX-License-Identifier: BSD-3-Clause
 * Pages of the manual, made from the option tables. */
#ifndef SHOAL_CLI_MANUAL_H
#define SHOAL_CLI_MANUAL_H

/* Prints the page of a command, or of the program (NULL), for man(1). Returns an exit code. */
int manual_print(const char *command);

#endif
