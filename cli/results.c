/* SPDX-License-Identifier: BSD-3-Clause
 * What commands say about the results of systems. */
#include "results.h"

#include <math.h>
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

bool has_numbers(const shoal_result *r)
{
    return r->status == SHOAL_SYSTEM_OK || r->status == SHOAL_SYSTEM_CONVERGED ||
           r->status == SHOAL_SYSTEM_MAX_STEPS || r->status == SHOAL_SYSTEM_STALLED ||
           (r->status == SHOAL_SYSTEM_DIFFERS && isfinite(r->energy));
}

void energy_json(const shoal_stream_system *s, bool forces, shoal_string *out)
{
    const shoal_result *r = &s->result;
    json j = {.text = out};
    json_open(&j, NULL, '{');
    json_system(&j, s, r->status);
    if (r->status != SHOAL_SYSTEM_OK) json_text(&j, "reason", r->reason);
    if (has_numbers(r)) {
        json_number(&j, "energy", r->energy);
        json_number(&j, "fmax", r->fmax);
        json_terms(&j, r->terms, r->n_terms);
        if (forces) {
            json_open(&j, "forces", '[');
            for (int32_t i = 0; i < shoal_molecule_n_atoms(s->mol); ++i)
                json_vector(&j, r->forces[i]);
            json_close(&j, ']');
        }
    }
    json_close(&j, '}');
    json_end_line(&j);
}

void relax_json(const shoal_stream_system *s, shoal_string *out)
{
    const shoal_result *r = &s->result;
    json j = {.text = out};
    json_open(&j, NULL, '{');
    json_system(&j, s, r->status);
    if (has_numbers(r)) {
        json_number(&j, "energy0", r->energy0);
        json_number(&j, "energy", r->energy);
        json_number(&j, "fmax", r->fmax);
        json_integer(&j, "steps", r->steps);
        json_terms(&j, r->terms, r->n_terms);
    }
    if (r->reason[0]) json_text(&j, "reason", r->reason);
    if (r->warning[0]) json_text(&j, "warning", r->warning);
    json_close(&j, '}');
    json_end_line(&j);
}

shoal_status result_frame(void *user, const shoal_stream_system *s, shoal_frame *frame)
{
    shoal_topology_view v;
    const shoal_result *r = &s->result;
    const bool numbers = s->engine && has_numbers(r);
    const bool fine = r->status == SHOAL_SYSTEM_OK || r->status == SHOAL_SYSTEM_CONVERGED;
    (void)user;
    shoal_topology_get(s->topology, &v);
    *frame = (shoal_frame){.energy = numbers ? &r->energy : NULL,
                           .forces = numbers ? r->forces : NULL,
                           .types = shoal_topology_status(s->topology) == SHOAL_SYSTEM_OK ? v.types
                                                                                          : NULL,
                           .status = fine ? NULL : shoal_system_status_name(r->status)};
    return SHOAL_OK;
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
