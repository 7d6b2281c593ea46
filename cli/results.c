/* SPDX-License-Identifier: BSD-3-Clause
 * What commands say about the results of systems. */
#include "results.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void json_terms(json *j, const shoal_result *r)
{
    json_open(j, "terms", '{');
    for (int t = 0; t < r->n_terms; ++t) json_number(j, shoal_term_name(t), r->terms[t]);
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

void json_system(json *j, const row_style *style, const shoal_stream_system *s)
{
    const shoal_system_status status = s->result.status;
    json_integer(j, "index", s->index);
    json_text(j, "name", shoal_molecule_name(s->mol));
    json_integer(j, "natoms", shoal_molecule_n_atoms(s->mol));
    json_text(j, "status", shoal_system_status_name(status));
    json_text(j, "file", style->files[s->i_file]);
    json_integer(j, "record", s->record);
    if (s->n_variants > 0) json_integer(j, "variant", s->variant);
    if (status == SHOAL_SYSTEM_UNREADABLE) json_integer(j, "line", s->line);
    if (style->devices && s->device && s->device[0]) json_text(j, "device", s->device);
}

void json_atoms(json *j, const row_style *style, const shoal_stream_system *s)
{
    const int32_t n = shoal_molecule_n_atoms(s->mol);
    if (style->positions) json_vectors(j, "positions", shoal_molecule_positions(s->mol), n);
    if (style->forces && has_numbers(&s->result)) json_vectors(j, "forces", s->result.forces, n);
}

void json_adsorption(json *j, const shoal_stream_system *s)
{
    if (isnan(s->isolated_energy)) return;
    json_number(j, "adsorption_energy", s->result.energy - s->isolated_energy);
    json_number(j, "isolated_energy", s->isolated_energy);
}

static void json_texts(json *j, const shoal_result *r)
{
    if (r->reason[0]) json_text(j, "reason", r->reason);
    if (r->warning[0]) json_text(j, "warning", r->warning);
}

void json_details(json *j, const row_style *style, const shoal_stream_system *s)
{
    json_texts(j, &s->result);
    json_atoms(j, style, s);
}

void energy_json_open(json *j, const row_style *style, const shoal_stream_system *s)
{
    const shoal_result *r = &s->result;
    json_open(j, NULL, '{');
    json_system(j, style, s);
    if (has_numbers(r)) {
        json_number(j, "energy", r->energy);
        json_adsorption(j, s);
        json_number(j, "fmax", r->fmax);
        json_terms(j, r);
    }
    json_details(j, style, s);
}

void energy_json(const row_style *style, const shoal_stream_system *s, shoal_string *out)
{
    json j = {.text = out};
    energy_json_open(&j, style, s);
    json_end(&j);
}

void relax_json(const row_style *style, const shoal_stream_system *s, shoal_string *out)
{
    const shoal_result *r = &s->result;
    json j = {.text = out};
    json_open(&j, NULL, '{');
    json_system(&j, style, s);
    if (has_numbers(r)) {
        json_number(&j, "energy0", r->energy0);
        json_number(&j, "energy", r->energy);
        json_adsorption(&j, s);
        json_number(&j, "fmax", r->fmax);
        json_integer(&j, "steps", r->steps);
        json_terms(&j, r);
    }
    json_details(&j, style, s);
    json_end(&j);
}

void table_end(shoal_string *out, const shoal_result *r)
{
    if (r->reason[0]) table_print(out, "  %s", r->reason);
    if (r->warning[0]) table_print(out, "  warning: %s", r->warning);
    table_print(out, "\n");
}

void failures_add(failure_list *list, const shoal_stream_system *s)
{
    char buffer[32];
    const shoal_result *r = &s->result;
    if (list->n >= FAILURES_SHOWN) return;
    char *line = list->lines[list->n++];
    const size_t size = sizeof list->lines[0];
    const int used =
        snprintf(line, size, "%lld %.40s: %s", (long long)s->index,
                 system_title(s->mol, s->index, buffer), shoal_system_status_name(r->status));
    if (r->reason[0])
        (void)snprintf(line + used, size - (size_t)used, ", %s", r->reason);
    else if (has_numbers(r))
        (void)snprintf(line + used, size - (size_t)used, ", fmax %.4g eV/A after %d evaluations",
                       r->fmax, r->steps);
    cli_tame(line, strlen(line));
}

void failures_print(const failure_list *list, int64_t n)
{
    for (int k = 0; k < list->n; ++k) (void)fprintf(stderr, "  %s\n", list->lines[k]);
    if (n > list->n) (void)fprintf(stderr, "  and %lld more\n", (long long)(n - list->n));
}
