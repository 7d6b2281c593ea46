/* SPDX-License-Identifier: BSD-3-Clause
 * What commands say about the results of systems. */
#include "results.h"

#include <stdarg.h>
#include <stdio.h>

void json_terms(json *j, const double *terms, int32_t n_terms)
{
    json_open(j, "terms", '{');
    for (int t = 0; t < n_terms; ++t) json_number(j, shoal_term_name(t), terms[t]);
    json_close(j, '}');
}

void table_print(shoal_string *out, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shoal_string_put(out, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void table_number(shoal_string *out, double value, int width, int decimals)
{
    char text[400]; /* room for the largest number */
    const int n = snprintf(text, sizeof text, "%.*f", decimals, value);
    if (n < width)
        table_print(out, "%*s", width, text);
    else
        table_print(out, "%*.*e", width, width - 9, value); /* sign, point, e+308 and a blank */
}

void json_system(json *j, const shoal_stream_system *s, shoal_system_status status)
{
    json_integer(j, "index", s->index);
    json_text(j, "name", shoal_molecule_name(s->mol));
    json_integer(j, "natoms", shoal_molecule_n_atoms(s->mol));
    json_text(j, "status", shoal_system_status_name(status));
}

void failures_add(failure_list *list, const shoal_stream_system *s)
{
    char buffer[32];
    const shoal_result *r = &s->result;
    if (list->n < FAILURES_SHOWN) {
        char *line = list->lines[list->n];
        const int used =
            snprintf(line, sizeof list->lines[0], "%lld %.40s: %s", (long long)s->index,
                     system_title(s->mol, s->index, buffer), shoal_system_status_name(r->status));
        const size_t left = sizeof list->lines[0] - (size_t)used;
        if (r->reason[0])
            (void)snprintf(line + used, left, ", %s", r->reason);
        else
            (void)snprintf(line + used, left, ", fmax %.4g eV/A after %d evaluations", r->fmax,
                           r->steps);
    }
    ++list->n;
}

void failures_print(const failure_list *list)
{
    for (int64_t k = 0; k < list->n && k < FAILURES_SHOWN; ++k)
        (void)fprintf(stderr, "  %s\n", list->lines[k]);
    if (list->n > FAILURES_SHOWN)
        (void)fprintf(stderr, "  and %lld more\n", (long long)(list->n - FAILURES_SHOWN));
}
