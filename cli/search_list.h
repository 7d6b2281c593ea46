/* SPDX-License-Identifier: BSD-3-Clause
 * What 'shoal search' says of the minima that it found: rows, JSON, files. */
#ifndef SHOAL_CLI_SEARCH_LIST_H
#define SHOAL_CLI_SEARCH_LIST_H

#include "engine_options.h"
#include "systems.h"

typedef struct search_list {
    const shoal_search *search;
    const systems_options *options;
    const engine_settings *compute;
    const char **files;
    int n_files, n_ranks;
    bool on_surface;
} search_list;

/* Whether the outputs that the options name can be written; nothing is opened. Returns an exit code. */
int search_list_check(const search_list *list);
/* Prints the list on standard output, as a table or as JSON. */
int search_list_print(const search_list *list);
/* Writes all outputs. */
int search_list_write(const search_list *list);

#endif
