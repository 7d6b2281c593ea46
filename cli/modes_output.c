/* SPDX-License-Identifier: BSD-3-Clause
 * What shoal modes says of a system. */
#include "modes_output.h"

#include <stdio.h>

/* --- table --------------------------------------------------------------------------------------- */

void modes_header(const char *unit, char *out, size_t size)
{
    (void)snprintf(out, size, "%-24s%7s  %-10s %-16s%14s%12s%12s%14s\n", "name", "atoms", "status",
                   "verdict", unit, "fmax", "zero point", "free energy");
}

static void put_verdict(const shoal_modes_result *m, shoal_string *out)
{
    char text[32];
    if (m->verdict == SHOAL_VERDICT_SADDLE)
        (void)snprintf(text, sizeof text, "saddle, order %d", m->order);
    else
        (void)snprintf(text, sizeof text, "%s", shoal_verdict_name(m->verdict));
    table_print(out, " %-16s", text);
}

static void put_modes(const shoal_modes_result *m, shoal_string *out)
{
    table_print(out, "  %6s%14s%14s   (%d translations and rotations left out, %.1g cm-1)\n",
                "mode", "cm-1", "amu", m->n_removed, m->error);
    for (int32_t k = 0; k < m->n_modes; ++k)
        table_print(out, "  %6d%14.3f%14.4f\n", k, m->frequencies[k], m->reduced_masses[k]);
}

static void put_thermo(const shoal_modes_result *m, double unit, shoal_string *out)
{
    const shoal_thermo *t = &m->thermo;
    if (m->verdict == SHOAL_VERDICT_NOT_STATIONARY) return;
    table_print(out, "  %s at %g K", t->ideal_gas ? "ideal gas" : "harmonic", t->temperature);
    if (t->ideal_gas)
        table_print(out, ", %g Pa, symmetry number %d (%s)", t->pressure, t->symmetry_number,
                    t->symmetry_found ? "found" : "given");
    table_print(out, ": U %.6f  H %.6f  S %.8f/K  G %.6f", t->energy / unit, t->enthalpy / unit,
                t->entropy / unit, t->free_energy / unit);
    if (t->n_left_out > 0)
        table_print(out, "; %d mode%s left out", t->n_left_out, t->n_left_out == 1 ? "" : "s");
    table_print(out, "\n");
}

void modes_table(const shoal_stream_system *s, double unit, shoal_string *out)
{
    char buffer[32];
    const shoal_result *r = &s->result;
    const shoal_modes_result *m = s->modes;
    table_print(out, "%-24.24s %6d  %-10s", system_title(s->mol, s->index, buffer),
                shoal_molecule_n_atoms(s->mol), shoal_system_status_name(r->status));
    if (m) {
        put_verdict(m, out);
        table_number(out, r->energy / unit, 14, 6);
        table_print(out, "%12.2e", r->fmax / unit);
        table_number(out, m->thermo.zero_point / unit, 12, 6);
        table_number(out, m->thermo.free_energy / unit, 14, 6);
    }
    table_end(out, r);
    if (!m) return;
    put_modes(m, out);
    put_thermo(m, unit, out);
}

/* --- frames -------------------------------------------------------------------------------------- */

shoal_status modes_frames(const shoal_modes_film *film, const row_style *style,
                          const shoal_stream_system *s, shoal_string *out)
{
    const shoal_frame frame = {.is_result = true,
                               .status = shoal_system_status_name(s->result.status),
                               .file = style->files[s->i_file],
                               .index = s->index,
                               .record = s->record};
    return s->modes ? shoal_modes_frames(s->modes, s->mol, film, &frame, out) : SHOAL_OK;
}
