/* SPDX-License-Identifier: BSD-3-Clause
 * What is printed about grids: as tables or as JSON. */
#include "grid.h"

#include <stdio.h>

#include "json.h"

void grid_report_info(const char *path, const shoal_grid *grid, bool as_json)
{
    shoal_grid_view v;
    shoal_surface_view s;
    shoal_grid_get(grid, &v);
    shoal_surface_get(v.surface, &s);
    char why[160];
    const bool passes = shoal_grid_passes(grid, why, sizeof why);
    if (as_json) {
        json line = {0};
        json_open(&line, NULL, '{');
        json_text(&line, "file", path);
        shoal_grid_json(&line, grid);
        (void)json_print_line(&line);
        return;
    }
    (void)printf("%s\n  %d x %d x %d nodes, %.4g x %.4g x %.4g A apart, %.1f MB\n", path,
                 v.shape[0], v.shape[1], v.shape[2], v.step[0], v.step[1], v.step[2],
                 1e-6 * (double)v.bytes);
    (void)printf("  a = (%.4f, %.4f) A, b = (%.4f, %.4f) A", v.cell[0][0], v.cell[0][1],
                 v.cell[1][0], v.cell[1][1]);
    if (v.cells > 1) (void)printf(": the period of the surface, 1/%d of its cell", v.cells);
    (void)printf("\n  z from %.2f A", v.origin[2]);
    for (int k = 0; k < v.n_levels; ++k)
        (void)printf(", from %.2f A on %d x %d x %d nodes", v.levels[k].bottom,
                     v.levels[k].shape[0], v.levels[k].shape[1], v.levels[k].shape[2]);
    (void)printf("\n  exact up to %.2f A, nothing is felt above %.2f A\n  channels:", v.switch_z,
                 v.top);
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
        if (v.has_channel[c]) (void)printf(" %s", shoal_channel_name(c));
    for (int c = 0; c < SHOAL_CHANNEL_KINDS; ++c) {
        const shoal_grid_source *from = &v.sources[c];
        if (from->there)
            (void)printf("\n  %s from %s, wrong by %.2g eV, %.2g eV/A at most up to z = %.2f A; "
                         "there it still has %.2g eV "
                         "and is switched off up to %.2f A",
                         shoal_channel_name(c), from->name, from->max_e, from->max_f, from->top,
                         from->cut, from->end);
    }
    (void)printf("\n  of %d atoms, form %s", s.n_atoms, shoal_surface_form_name(v.surface));
    if (s.pairs) (void)printf(" of a pair model");
    if (s.form == SHOAL_SURFACE_MORSE) (void)printf(", alpha %g 1/A", s.alpha);
    if (s.metals[0]) (void)printf(", parameters of metals: %s", s.metals);
    (void)printf(", damping %g A, hash %016llx\n", s.damping, (unsigned long long)s.hash);
    if (v.errors.samples > 0)
        (void)printf("  errors at build, at any height: energy %.2g eV rms, %.2g eV at most; force "
                     "%.2g eV/A rms, "
                     "%.2g eV/A at most\n",
                     v.errors.rms_e, v.errors.max_e, v.errors.rms_f, v.errors.max_f);
    if (!passes) (void)printf("  %s\n", why);
}

static void print_row(const char *name, const shoal_grid_errors *e)
{
    if (e->samples > 0)
        (void)printf("%-18s%10lld%12.3g%12.3g%12.3g%12.3g\n", name, (long long)e->samples, e->rms_e,
                     e->max_e, e->rms_f, e->max_f);
}

void grid_report_errors(const shoal_grid_report *r, bool as_json)
{
    char name[48];
    if (as_json) {
        json line = {0};
        json_open(&line, NULL, '{');
        shoal_grid_report_json(&line, r);
        (void)json_print_line(&line);
        return;
    }
    (void)printf("%-18s%10s%12s%12s%12s%12s\n", "", "samples", "rms dE", "max dE", "rms dF",
                 "max dF");
    print_row("all, eV, eV/A", &r->all);
    for (int p = 0; p < SHOAL_GRID_PROBES; ++p) {
        (void)snprintf(name, sizeof name, "probe %s", shoal_grid_probe_name(p));
        print_row(name, &r->probes[p]);
    }
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c)
        if (r->channels[c].max_e > 0) print_row(shoal_channel_name(c), &r->channels[c]);
    for (int b = 0; b < SHOAL_GRID_BANDS; ++b) {
        if (b + 1 < SHOAL_GRID_BANDS)
            (void)snprintf(name, sizeof name, "%g to %g A above", r->band_start[b],
                           r->band_start[b + 1]);
        else
            (void)snprintf(name, sizeof name, "%g A and above", r->band_start[b]);
        print_row(name, &r->bands[b]);
    }
}
