/* SPDX-License-Identifier: BSD-3-Clause
 * shoal modes: harmonic vibrations and thermochemistry. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "relax_options.h"
#include "results.h"
#include "run.h"

#define ATMOSPHERE 101325.0 /* Pa */
#define AMPLITUDE 0.2       /* angstrom */

typedef struct modes_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    constraints held;
    shoal_relax_options relax;
    shoal_modes_options modes;
    shoal_modes_film film;
} modes_options;

static const cli_option modes_option_table[] = {
    {"no-relax", 0, NULL, "keep the geometry of the file (default: it is relaxed first)",
     CLI_FLAG(modes_options, modes.no_relax)},
    {"fmax", 0, "F",
     "eV/A: largest force after relaxation (default 1e-6); not stationary above it (default 1e-3)",
     CLI_NUMBER(modes_options, relax.fmax, 1e-12)},
    {"max-steps", 0, "N", "evaluations per relaxation (default 5000)",
     CLI_COUNT(modes_options, relax.max_steps, 1, 1000000000)},
    {"method", 0, "NAME", "of the relaxation: lbfgs (default) or fire",
     CLI_WORD(modes_options, relax.method, relax_methods)},
    {"step", 0, "D", "displacements, angstrom (default: 0.0005, or 0.000125 if that is better)"},
    {"temperature", 0, "T", "K (default 298.15)",
     CLI_NUMBER(modes_options, modes.temperature, 1e-3)},
    {"pressure", 0, "P", "atm (default 1)"},
    {"symmetry-number", 0, "N", "rotational symmetry number (default: found from the geometry)",
     CLI_COUNT(modes_options, modes.symmetry_number, 1, 1000)},
    {NULL, 0, NULL, NULL},
};

static const cli_option film_option_table[] = {
    {"modes-out", 0, "FILE", "write the modes: .xyz or .extxyz (also .gz), a frame for each",
     CLI_TEXT(modes_options, systems.trajectory)},
    {"frames", 0, "N", "N frames for each mode, over one period (default 1, with displacements)",
     CLI_COUNT(modes_options, film.n_frames, 1, 1000)},
    {"amplitude", 0, "D", "largest displacement of an atom in --frames, angstrom (default 0.2)",
     CLI_NUMBER(modes_options, film.amplitude, 1e-6)},
    {NULL, 0, NULL, NULL},
};

static bool take_modes_option(void *target, const char *name, const char *value)
{
    modes_options *o = target;
    if (strcmp(name, "step") == 0) {
        if (!cli_number(name, value, 1e-6, &o->modes.step)) return false;
        if (o->modes.step < 0.5) return true;
        return cli_refuse("--step '%s': expected less than 0.5 angstrom", value);
    }
    const bool ok = cli_number(name, value, 1e-12, &o->modes.pressure);
    o->modes.pressure *= ATMOSPHERE;
    return ok;
}

/* --- table --------------------------------------------------------------------------------------- */

/* A narrow terminal has no room for forces and the zero point, which stands below, too. */
static bool is_wide(void)
{
    return table_width() >= 98;
}

static void modes_header(const char *unit, char *out, size_t size)
{
    const bool wide = is_wide();
    (void)snprintf(out, size, "%-*s%7s  %-10s %-16s%14s%*s%*s%14s\n",
                   table_name_width(wide ? 88 : 64), "name", "atoms", "status", "verdict", unit,
                   wide ? 12 : 0, wide ? "fmax" : "", wide ? 12 : 0, wide ? "zero point" : "",
                   "free energy");
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

static void modes_table(const shoal_stream_system *s, double unit, shoal_string *out)
{
    const shoal_result *r = &s->result;
    const shoal_modes_result *m = s->modes;
    const bool wide = is_wide();
    table_begin(out, s, table_name_width(wide ? 88 : 64));
    if (m) {
        put_verdict(m, out);
        table_number(out, r->energy / unit, 14, 6);
        if (wide) table_print(out, "%12.2e", r->fmax / unit);
        if (wide) table_number(out, m->thermo.zero_point / unit, 12, 6);
        table_number(out, m->thermo.free_energy / unit, 14, 6);
    }
    table_end(out, r);
    if (!m) return;
    put_modes(m, out);
    put_thermo(m, unit, out);
}

/* --- frames -------------------------------------------------------------------------------------- */

static shoal_status modes_frames(const shoal_modes_film *film, const row_style *style,
                                 const shoal_stream_system *s, shoal_string *out)
{
    const shoal_frame frame = {.is_result = true,
                               .status = shoal_system_status_name(s->result.status),
                               .file = style->files[s->i_file],
                               .index = s->index,
                               .record = s->record};
    return s->modes ? shoal_modes_frames(s->modes, s->mol, film, &frame, out) : SHOAL_OK;
}

static shoal_status put_table(void *user, const row_style *style, const shoal_stream_system *s,
                              shoal_string *out)
{
    const modes_options *o = user;
    (void)style;
    modes_table(s, settings_unit(&o->compute), out);
    return SHOAL_OK;
}

static shoal_status put_frames(void *user, const row_style *style, const shoal_stream_system *s,
                               shoal_format format, shoal_string *out)
{
    const modes_options *o = user;
    (void)format;
    return modes_frames(&o->film, style, s, out);
}

/* Options that would do nothing. */
static bool check_options(const modes_options *o)
{
    const char *of_relaxation = cli_was_given("method")      ? "method"
                                : cli_was_given("max-steps") ? "max-steps"
                                                             : NULL;
    const char *of_film = cli_given_of(film_option_table);
    if (o->modes.no_relax && of_relaxation)
        return cli_refuse("--%s is about the relaxation, which --no-relax leaves out",
                          of_relaxation);
    if (of_film && !o->systems.trajectory) return cli_refuse("--%s needs --modes-out", of_film);
    if (o->film.amplitude > 0 && o->film.n_frames == 1)
        return cli_refuse("--amplitude needs --frames of two or more");
    if (o->compute.engine.precision == SHOAL_PRECISION_FLOAT)
        return cli_refuse("--precision float: modes are differences of forces and need double");
    return true;
}

static int run_modes(void *user, const char **files, int n_files)
{
    modes_options *o = user;
    char header[160];
    if (!check_options(o)) return EXIT_USAGE;
    o->modes.fmax = o->relax.fmax;
    if (o->film.amplitude <= 0) o->film.amplitude = AMPLITUDE;
    int code = surface_settings_prepare(&o->surface, &o->systems, &o->compute, files, n_files,
                                        shoal_job_evaluations(SHOAL_JOB_MODES, NULL, NULL));
    if (code != EXIT_ALL_FINE) return code;
    modes_header(settings_unit_name(&o->compute), header, sizeof header);
    o->modes.vectors = o->systems.trajectory != NULL;
    const shoal_placement placement = {.height = o->surface.height};
    systems_job job = {.stream = {.job = SHOAL_JOB_MODES,
                                  .compute.engine = &o->compute.engine,
                                  .compute.relax = &o->relax,
                                  .compute.modes = &o->modes,
                                  .build.placement = &placement},
                       .table = put_table,
                       .header = header,
                       .more = put_frames,
                       .user = o};
    systems_hold(&o->held, &o->surface, &job.stream);
    code = run_systems(&o->systems, files, n_files, &job);
    return run_conclude(&o->systems, &job, code, "failed");
}

int cmd_modes(int argc, char **argv)
{
    modes_options o = {.compute.engine.device = "cpu", .film.n_frames = 1};
    const cli_group groups[] = {
        GROUPS_OF_FILES(&o.systems),
        {"modes:", modes_option_table, take_modes_option, &o},
        {"pictures:", film_option_table, NULL, &o},
        GROUP_OF_RUNS(&o.systems),
        GROUP_OF_CONSTRAINTS(o),
        GROUPS_OF_COMPUTING(o),
    };
    const cli_command command = {
        .name = "modes",
        .usage = "[OPTIONS] FILES",
        .purpose = "Relaxes every system and finds its harmonic vibrations, from differences of "
                   "forces in double precision.",
        .notes =
            "Frequencies are in cm-1, imaginary ones negative. Translations and rotations are "
            "projected out if the\nsystem can make them; fixed atoms do not vibrate. "
            "Thermochemistry is that of an ideal gas, on\nsurfaces, in cells and with fixed atoms "
            "that of harmonic oscillators alone. Energies contain that of\nthe geometry.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_modes, &o);
    systems_settings_free(&o.systems, &o.surface, &o.held);
    return code;
}
