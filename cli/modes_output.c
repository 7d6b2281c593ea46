/* SPDX-License-Identifier: BSD-3-Clause
 * What shoal modes says of a system. */
#include "modes_output.h"

#include <math.h>
#include <stdio.h>

#define TURN (360 * shoal_unit_value(SHOAL_UNIT_DEGREE))

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

/* --- JSON ---------------------------------------------------------------------------------------- */

static void json_thermo(json *j, const shoal_thermo *t)
{
    json_open(j, "thermochemistry", '{');
    json_text(j, "kind", t->ideal_gas ? "ideal gas" : "harmonic");
    json_number(j, "temperature", t->temperature);
    if (t->ideal_gas) {
        json_number(j, "pressure_pa", t->pressure);
        json_integer(j, "symmetry_number", t->symmetry_number);
        json_boolean(j, "symmetry_found", t->symmetry_found);
    }
    json_integer(j, "modes_left_out", t->n_left_out);
    json_number(j, "zero_point", t->zero_point);
    json_number(j, "energy", t->energy);
    json_number(j, "enthalpy", t->enthalpy);
    json_number(j, "entropy", t->entropy);
    json_number(j, "free_energy", t->free_energy);
    json_close(j, '}');
}

void modes_json(const row_style *style, const shoal_stream_system *s, shoal_string *out)
{
    json j = {.text = out};
    const shoal_modes_result *m = s->modes;
    energy_json_open(&j, style, s);
    if (has_numbers(&s->result) && s->result.steps > 0) {
        json_number(&j, "energy0", s->result.energy0);
        json_integer(&j, "steps", s->result.steps);
    }
    if (m) {
        json_text(&j, "verdict", shoal_verdict_name(m->verdict));
        json_integer(&j, "order", m->order);
        json_integer(&j, "removed", m->n_removed);
        json_boolean(&j, "linear", m->linear);
        json_number(&j, "error_cm1", m->error);
        json_number(&j, "step", m->step);
        json_numbers(&j, "frequencies_cm1", m->frequencies, m->n_modes);
        json_numbers(&j, "reduced_masses_amu", m->reduced_masses, m->n_modes);
        json_thermo(&j, &m->thermo);
    }
    json_end(&j);
}

/* --- frames -------------------------------------------------------------------------------------- */

static shoal_status set_number(shoal_molecule *mol, const char *key, double value)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.10g", value);
    return shoal_molecule_set_property(mol, key, text);
}

static double longest(const double (*v)[3], int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
    return sqrt(most);
}

/* The molecule of a frame, a part of the way along a mode: way[n_atoms] times length. */
static shoal_status move(shoal_molecule *mol, const shoal_molecule *from, const double (*way)[3],
                         double length)
{
    const double(*pos)[3] = shoal_molecule_positions(from);
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol) && status == SHOAL_OK; ++i) {
        const double to[3] = {pos[i][0] + length * way[i][0], pos[i][1] + length * way[i][1],
                              pos[i][2] + length * way[i][2]};
        status = shoal_molecule_set_position(mol, i, to);
    }
    return status;
}

static shoal_status put_mode(const modes_film *film, shoal_molecule *mol, shoal_frame *frame,
                             const shoal_stream_system *s, int32_t k, shoal_string *out)
{
    const shoal_modes_result *m = s->modes;
    const double(*way)[3] = m->vectors + (ptrdiff_t)k * m->n_atoms;
    const double most = longest(way, m->n_atoms);
    char number[24];
    (void)snprintf(number, sizeof number, "%d", k);
    shoal_status status = shoal_molecule_set_property(mol, "mode", number);
    if (status == SHOAL_OK) status = set_number(mol, "frequency_cm1", m->frequencies[k]);
    if (status == SHOAL_OK) status = set_number(mol, "reduced_mass_amu", m->reduced_masses[k]);
    frame->displacements = film->n_frames > 1 ? NULL : way;
    for (int32_t f = 0; f < film->n_frames && status == SHOAL_OK; ++f) {
        const double part = film->n_frames > 1 ? sin(TURN * f / film->n_frames) : 0;
        status = move(mol, s->mol, way, most > 0 ? part * film->amplitude / most : 0);
        if (status == SHOAL_OK) status = shoal_frame_format(out, SHOAL_FORMAT_XYZ, mol, frame);
    }
    return status;
}

shoal_status modes_frames(const modes_film *film, const row_style *style,
                          const shoal_stream_system *s, shoal_format format, shoal_string *out)
{
    shoal_molecule *mol = NULL;
    shoal_frame frame = {.is_result = true,
                         .status = shoal_system_status_name(s->result.status),
                         .file = style->files[s->i_file],
                         .index = s->index,
                         .record = s->record};
    (void)format;
    if (!s->modes || !s->modes->vectors) return SHOAL_OK;
    shoal_status status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, s->mol);
    for (int32_t k = 0; k < s->modes->n_modes && status == SHOAL_OK; ++k)
        status = put_mode(film, mol, &frame, s, k, out);
    shoal_molecule_destroy(mol);
    return status;
}
