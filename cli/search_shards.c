/* SPDX-License-Identifier: BSD-3-Clause
 * Files of relaxations that shards of a search have written: whether they are those of this search. */
#include "search_shards.h"

#include <string.h>

#include "run.h"
#include "systems.h"

/* Lines of what a run was about that do not change relaxations. */
static bool is_of_the_list(const char *line, size_t n)
{
    static const char *const names[] = {
        "output",  "output-format", "shard",     "relaxations", "patience",
        "window",  "same-energy",   "same-rmsd", "temperature", "no-polish",
        "picture", "free-energies", "json",      "kcal",        "positions",
        "isomers", "forces",        "device",    "precision",   "strict"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        const size_t size = strlen(names[k]);
        if (n >= size + 2 && strncmp(line, "--", 2) == 0 &&
            strncmp(line + 2, names[k], size) == 0 && (n == size + 2 || line[size + 2] == ' '))
            return true;
    }
    return false;
}

static bool has_line(const char *text, const char *line, size_t n)
{
    for (; text && *text; text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL)
        if (strcspn(text, "\n") == n && strncmp(text, line, n) == 0) return true;
    return false;
}

/* The first line of a that matters and b has not; NULL: none. */
static const char *find_difference(const char *a, const char *b, size_t *n)
{
    for (; a && *a; a = strchr(a, '\n') ? strchr(a, '\n') + 1 : NULL) {
        *n = strcspn(a, "\n");
        if (!is_of_the_list(a, *n) && !has_line(b, a, *n)) return a;
    }
    return NULL;
}

int search_shards_check(const char *path)
{
    shoal_results_reader *reader = NULL;
    shoal_results_header header;
    shoal_string *about = NULL;
    shoal_status status = shoal_results_open(&reader, path);
    if (status == SHOAL_OK) status = shoal_results_header_get(reader, &header);
    if (status == SHOAL_OK) status = shoal_string_create(&about);
    if (status == SHOAL_OK) status = run_put_about(about);
    int code = status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
    if (status == SHOAL_OK) {
        size_t n = 0;
        const char *mine = find_difference(shoal_string_data(about), header.command, &n);
        const char *line =
            mine ? mine : find_difference(header.command, shoal_string_data(about), &n);
        if (line)
            code = cli_misuse("%s is of another search, with%s '%.*s'", path, mine ? "out" : "",
                              (int)n, line);
    }
    shoal_string_destroy(about);
    shoal_results_reader_destroy(reader);
    return code;
}
