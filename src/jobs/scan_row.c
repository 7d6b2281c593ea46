/* SPDX-License-Identifier: BSD-3-Clause
 * Points of a scan as lines of JSON. */
#include <stdlib.h>

#include "base/alloc.h"
#include "jobs/scan.h"
#include "shoal/json.h"
#include "stream/row.h"

static void put_relaxation(shoal_json *j, const shoal_scan *scan, const shoal_stream_system *s,
                           double *held)
{
    const shoal_result *r = &s->result;
    shoal_json_put(j, "energy0", r->energy0, "steps", r->steps, "restraint_energy",
                   r->terms[SHOAL_TERM_RESTRAINT]);
    if (scan->options.follow || scan->options.starts > 1) shoal_json_integer(j, "round", s->round);
    if (shoal_scan_held(scan, s, held) == SHOAL_OK)
        shoal_json_numbers(j, "held", held, shoal_scan_n_values(scan));
}

shoal_status shoal_scan_row_json(const shoal_scan *scan, const shoal_row_style *style,
                                 const shoal_stream_system *s, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(scan && style && s && out && style->files && s->mol);
    const int32_t n = shoal_scan_n_values(scan);
    shoal_json j = {.text = out};
    double few[8], *values = n > 8 ? shoal_alloc((size_t)n, sizeof *values) : few;
    if (!values) return SHOAL_E_MEMORY;
    shoal_json_open(&j, NULL, '{');
    shoal_row_open(&j, style, s);
    if (shoal_scan_locate(scan, s->variant, values, NULL) == SHOAL_OK)
        shoal_json_numbers(&j, "point", values, n);
    if (scan->has_copies) shoal_json_integer(&j, "copy", s->variant / scan->size);
    if (shoal_system_has_numbers(s->result.status, s->result.energy)) {
        shoal_json_put(&j, "energy", s->result.energy, "fmax", s->result.fmax);
        if (scan_find_volume(scan) >= 0) {
            if (row_has_volume(s)) shoal_json_number(&j, "volume", s->result.measure);
            row_put_stress(&j, s);
        }
        if (scan->options.relaxed) put_relaxation(&j, scan, s, values);
        shoal_row_terms(&j, &s->result);
        shoal_row_adsorption(&j, s);
    }
    shoal_row_details(&j, style, s);
    shoal_json_end(&j);
    if (values != few) free(values);
    return SHOAL_OK;
}
