/* SPDX-License-Identifier: BSD-3-Clause
 * Grids of surfaces and their errors as JSON. */
#include <stdio.h>

#include "shoal/grid.h"
#include "shoal/json.h"

static void add_errors(shoal_json *j, const shoal_grid_errors *e)
{
    shoal_json_put(j, "samples", e->samples, "rms_dE", e->rms_e, "max_dE", e->max_e, "rms_dF",
                   e->rms_f, "max_dF", e->max_f);
}

void shoal_grid_json(shoal_json *j, const shoal_grid *grid)
{
    shoal_grid_view view, *v = &view;
    shoal_surface_view surface, *s = &surface;
    char hash[24], why[160];
    if (!j || !grid) return;
    shoal_grid_get(grid, v);
    shoal_surface_get(v->surface, s);
    (void)snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->hash);
    shoal_json_integers(j, "shape", v->shape, 3);
    shoal_json_numbers(j, "step", v->step, 3);
    shoal_json_numbers(j, "origin", v->origin, 3);
    shoal_json_open(j, "cell", '[');
    for (int k = 0; k < 2; ++k) shoal_json_numbers(j, NULL, v->cell[k], 2);
    shoal_json_close(j, ']');
    shoal_json_put(j, "cells", v->cells, "switch_z", v->switch_z, "top", v->top);
    shoal_json_open(j, "levels", '[');
    for (int k = 0; k < v->n_levels; ++k) {
        const shoal_grid_level *l = &v->levels[k];
        shoal_json_open(j, NULL, '{');
        shoal_json_integers(j, "shape", l->shape, 3);
        shoal_json_numbers(j, "step", l->step, 3);
        shoal_json_put(j, "bottom", l->bottom, "top", l->top);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    shoal_json_open(j, "channels", '[');
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
        if (v->has_channel[c]) shoal_json_text(j, NULL, shoal_channel_name(c));
    shoal_json_close(j, ']');
    shoal_json_open(j, "sources", '[');
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        const shoal_grid_source *from = &v->sources[c];
        if (!from->there) continue;
        shoal_json_open(j, NULL, '{');
        shoal_json_text(j, "channel", shoal_channel_name(c));
        shoal_json_text(j, "mesh", from->name);
        shoal_json_put(j, "max_dE", from->max_e, "max_dF", from->max_f, "top", from->top, "end",
                       from->end, "cut", from->cut, "zero", from->zero);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    shoal_json_put(j, "bytes", v->bytes, "atoms", s->n_atoms, "form",
                   shoal_surface_form_name(v->surface), "alpha", s->alpha, "damping", s->damping,
                   "hash", hash);
    if (s->metals[0]) shoal_json_text(j, "metals", s->metals);
    shoal_json_open(j, "errors", '{');
    add_errors(j, &v->errors);
    shoal_json_close(j, '}');
    shoal_json_boolean(j, "passes", shoal_grid_passes(grid, why, sizeof why));
    shoal_json_text(j, "units", "eV, angstrom, e");
}

void shoal_grid_report_json(shoal_json *j, const shoal_grid_report *r)
{
    if (!j || !r) return;
    add_errors(j, &r->all);
    shoal_json_open(j, "probes", '{');
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) {
        shoal_json_open(j, shoal_grid_probe_name(p), '{');
        add_errors(j, &r->probes[p]);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, '}');
    shoal_json_open(j, "channels", '{');
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        shoal_json_open(j, shoal_channel_name(c), '{');
        add_errors(j, &r->channels[c]);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, '}');
    shoal_json_open(j, "bands", '[');
    for (int b = 0; b < SHOAL_GRID_BANDS; ++b) {
        shoal_json_open(j, NULL, '{');
        shoal_json_number(j, "from", r->band_start[b]);
        if (b + 1 < SHOAL_GRID_BANDS) shoal_json_number(j, "to", r->band_start[b + 1]);
        add_errors(j, &r->bands[b]);
        shoal_json_close(j, '}');
    }
    shoal_json_close(j, ']');
    shoal_json_text(j, "units", "eV, eV/A, A");
}
