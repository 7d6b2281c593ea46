/* SPDX-License-Identifier: BSD-3-Clause
 * The file a command writes with -o. */
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"

#define MAX_REPORTED 20 /* systems that could not be written */

/* A name that tells no format, or one that cannot be written, is wrong usage. */
static int complain_of_name(const char *path, shoal_status status)
{
    if (strcmp(path, "-") == 0)
        cli_complain("-o -: the name of the file tells the format, and standard output has none; "
                     "expected a name that ends in .xyz, .extxyz or .sdf");
    else
        cli_complain("%s", shoal_error_text());
    return status == SHOAL_E_ARGUMENT || status == SHOAL_E_UNSUPPORTED ? EXIT_USAGE : EXIT_FILES;
}

int output_open(output *o, const char *path)
{
    *o = (output){.path = path};
    if (!path) return EXIT_ALL_FINE;
    const shoal_status status = shoal_writer_open(&o->writer, path, SHOAL_FORMAT_AUTO);
    if (status != SHOAL_OK) return complain_of_name(path, status);
    interrupt_remove(shoal_writer_part(o->writer));
    return EXIT_ALL_FINE;
}

int output_put(output *o, const shoal_molecule *mol)
{
    if (shoal_writer_put(o->writer, mol, NULL) != SHOAL_OK) return complain_of_output();
    ++o->n_written;
    return EXIT_ALL_FINE;
}

void output_count(output *o, const shoal_stream_system *systems, int32_t n)
{
    char buffer[32];
    if (!o->writer) return;
    for (int32_t i = 0; i < n; ++i) {
        const shoal_stream_system *s = &systems[i];
        o->n_pending += !s->unfinished && !s->refusal;
        if (s->refusal && ++o->n_refused <= MAX_REPORTED)
            cli_complain("%s: not written: %s", system_title(s->mol, s->index, buffer), s->refusal);
    }
}

shoal_status output_write(output *o, const char *text, size_t size)
{
    const shoal_status status = shoal_writer_append(o->writer, text, size);
    if (status == SHOAL_OK) o->n_written += o->n_pending;
    o->n_pending = 0;
    return status;
}

/* Keeps what is complete under a name that nobody takes for a whole file. Returns the code given,
 * or that of a failure. */
static int keep_part(output *o, int code)
{
    const size_t n = strlen(o->path) + sizeof ".partial";
    char *path = malloc(n);
    if (!path) return EXIT_DEVICE;
    (void)snprintf(path, n, "%s.partial", o->path);
    const shoal_status status = shoal_writer_close_as(o->writer, path);
    if (status == SHOAL_OK)
        cli_complain("the %lld system%s before it %s kept in %s", (long long)o->n_written,
                     o->n_written == 1 ? "" : "s", o->n_written == 1 ? "is" : "are", path);
    free(path);
    return status == SHOAL_OK ? code : complain_of_output();
}

int output_close(output *o, int code)
{
    if (!o->writer) return code;
    const bool cut_short = code == EXIT_FILES || (code > 0 && code == interrupt_code());
    if (cut_short && o->n_written > 0 && strcmp(o->path, "-") != 0) {
        code = keep_part(o, code);
    } else if (code == EXIT_ALL_FINE) {
        if (shoal_writer_close(o->writer) != SHOAL_OK) code = complain_of_output();
    }
    shoal_writer_destroy(o->writer);
    interrupt_remove(NULL);
    o->writer = NULL;
    if (code != EXIT_ALL_FINE || o->n_refused == 0) return code;
    cli_complain("%lld system%s could not be written to %s", (long long)o->n_refused,
                 o->n_refused == 1 ? "" : "s", o->path);
    return EXIT_SOME_FAILED;
}
