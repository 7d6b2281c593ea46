/* SPDX-License-Identifier: BSD-3-Clause
 * JSON on standard output, in short words. */
#ifndef SHOAL_CLI_JSON_H
#define SHOAL_CLI_JSON_H

#include <stdio.h>

#include "options.h"
#include "shoal/json.h"

typedef shoal_json json;
#define json_open shoal_json_open
#define json_close shoal_json_close
#define json_text shoal_json_text
#define json_number shoal_json_number
#define json_integer shoal_json_integer
#define json_boolean shoal_json_boolean
#define json_numbers shoal_json_numbers
#define json_integers shoal_json_integers
#define json_vectors shoal_json_vectors
#define json_put shoal_json_put
#define json_end shoal_json_end
#define json_free shoal_json_free

/* Ends the object of a line, prints it ("{}" if there was no memory) and frees it. Returns an exit code. */
static inline int json_print_line(json *j)
{
    json_end(j);
    const bool ok = shoal_json_status(j) == SHOAL_OK;
    if (ok)
        (void)fwrite(shoal_string_data(j->text), 1, shoal_string_size(j->text), stdout);
    else
        (void)fputs("{}\n", stdout);
    json_free(j);
    return ok ? EXIT_ALL_FINE : EXIT_DEVICE;
}

#endif
