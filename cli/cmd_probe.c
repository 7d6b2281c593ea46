/* SPDX-License-Identifier: BSD-3-Clause
 * shoal probe: what a tip feels on a block of points over a molecule. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "json.h"
#include "progress.h"
#include "run.h"

typedef struct probe_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    placement_settings placement; /* the height of the surface alone */
    const char *output, *tip, *plot;
    double tip_charge, margin, heights[2], plane;
    shoal_tip_options block;
    shoal_tip_oscillator oscillator;
    bool oscillates;
    int code; /* of the scan */
} probe_options;

static const cli_option probe_option_table[] = {
    {"output", 'o', "FILE.h5", "energies and forces on the block, as HDF5 (required)",
     CLI_TEXT(probe_options, output)},
    {"tip", 0, "TIP", "an element, or a file whose first atom is the apex (default O)",
     CLI_TEXT(probe_options, tip)},
    {"tip-charge", 0, "Q", "charge of a tip that is an atom, e (default 0)",
     CLI_NUMBER(probe_options, tip_charge, -10)},
    {"points", 0, "NxNxN", "points along x, y and z (default 100x100x30)"},
    {"margin", 0, "D", "margin of the block around the molecule in x and y, angstrom (default 3)",
     CLI_NUMBER(probe_options, margin, 0)},
    {"from", 0, "H", "height of the lowest points above the topmost atom, angstrom (default 2.5)",
     CLI_NUMBER(probe_options, heights[0], -1000)},
    {"to", 0, "H", "height of the highest points (default 6)",
     CLI_NUMBER(probe_options, heights[1], -1000)},
    {"frequency-shift", 0, "F0,K,A",
     "of an oscillating tip: Hz, N/m, amplitude in angstrom, e.g. 30000,1800,0.5"},
    {"plot", 0, "FILE.svg", "draw a plane of the force along z, or of the frequency shift"},
    {"plane", 0, "H", "height of --plot above the topmost atom, angstrom (default: that of --from)",
     CLI_NUMBER(probe_options, plane, -1000)},
    {"charges", 0, "SOURCE", "auto (default: the file's, if any), none, file, qeq or mmff94",
     CLI_WORD(probe_options, systems.typing.charges, charge_sources)},
    {"params", 0, "FILE", "pair model of 'shoal fit -o', or a table of atom types (LJ 12-6)",
     CLI_TEXT(probe_options, systems.params)},
    {NULL, 0, NULL, NULL},
};

static bool take_probe_option(void *target, const char *name, const char *value)
{
    probe_options *o = target;
    shoal_tip_oscillator *s = &o->oscillator;
    int32_t *n = o->block.n;
    char rest;
    if (strcmp(name, "points") == 0) {
        if (sscanf(value, "%9dx%9dx%9d%c", &n[0], &n[1], &n[2], &rest) == 3) return true;
        return cli_refuse("--points '%s': expected three whole numbers, e.g. 100x100x30", value);
    }
    if (strcmp(name, "plot") == 0) {
        o->plot = value;
        return cli_figure(name, value, "ProbeBlock.plot");
    }
    o->oscillates = true;
    if (sscanf(value, "%lf,%lf,%lf%c", &s->frequency, &s->stiffness, &s->amplitude, &rest) == 3)
        return true;
    return cli_refuse("--frequency-shift '%s': expected Hz, N/m and angstrom, e.g. 30000,1800,0.5",
                      value);
}

/* An atom. */
static shoal_status make_tip(const probe_options *o, int32_t z, shoal_molecule **out)
{
    static const double origin[3];
    shoal_status status = shoal_molecule_create(out);
    if (status == SHOAL_OK) status = shoal_molecule_add_atom(*out, z, origin);
    if (status == SHOAL_OK && o->tip_charge != 0.0)
        status = shoal_molecule_set_charge(*out, 0, o->tip_charge);
    return status;
}

static bool show_progress(void *user, const shoal_progress *p)
{
    progress_share(user, (double)p->n_done / (double)p->n_systems, "points");
    return true;
}

/* The lowest and the highest force along z; NaN without any. */
static void find_range(const shoal_tip_view *v, double range[2])
{
    range[0] = range[1] = NAN;
    for (int64_t k = 0; k < v->n_points; ++k) {
        range[0] = fmin(range[0], v->forces[k][2]);
        range[1] = fmax(range[1], v->forces[k][2]);
    }
}

static void report(const probe_options *o, const shoal_tip_view *v)
{
    double range[2];
    char about[32];
    json j = {0};
    find_range(v, range);
    if (!o->systems.quiet)
        cli_complain("%s points/s", progress_about((double)v->n_done / v->seconds, about));
    if (!o->systems.json) {
        (void)printf("%d x %d x %d points from (%.3f, %.3f, %.3f) A by %.4f x %.4f x %.4f A\n",
                     v->n[0], v->n[1], v->n[2], v->origin[0], v->origin[1], v->origin[2],
                     v->step[0], v->step[1], v->step[2]);
        (void)printf("force along z from %.6g to %.6g eV/A; %lld points without numbers\n",
                     range[0], range[1], (long long)v->n_failed);
        return;
    }
    json_open(&j, NULL, '{');
    json_integers(&j, "points", v->n, 3);
    json_numbers(&j, "origin", v->origin, 3);
    json_numbers(&j, "step", v->step, 3);
    json_numbers(&j, "force_z", range, 2);
    json_integer(&j, "failed", v->n_failed);
    (void)json_print_line(&j);
}

static shoal_status write_block(const probe_options *o, const shoal_tip_block *block, double top)
{
    const shoal_tip_oscillator *s = o->oscillates ? &o->oscillator : NULL;
    const shoal_status status = shoal_tip_block_write(block, s, o->output);
    if (status != SHOAL_OK || !o->plot) return status;
    return shoal_tip_plot(block, s, top + o->plane, o->plot);
}

static shoal_status scan(probe_options *o, const shoal_system *sample, const shoal_system *tip)
{
    shoal_tip_block *block = NULL;
    shoal_tip_view v;
    progress bar;
    shoal_status status = shoal_tip_around(&o->block, sample, o->margin, o->heights);
    progress_begin(&bar, !o->systems.quiet);
    if (status == SHOAL_OK)
        status =
            shoal_tip_scan(&block, sample, tip, &o->compute.engine, &o->block, show_progress, &bar);
    progress_end(&bar);
    shoal_tip_block_get(block, &v);
    if (status == SHOAL_OK) status = write_block(o, block, v.origin[2] - o->heights[0]);
    if (status == SHOAL_OK) report(o, &v);
    if (status == SHOAL_OK && v.n_failed > 0) o->code = EXIT_SOME_FAILED;
    shoal_tip_block_destroy(block);
    return status;
}

/* One record is the sample. */
static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    probe_options *o = user;
    shoal_molecule *mol = NULL;
    shoal_system tip = {0};
    shoal_typing_options typing = o->systems.typing;
    typing.topology = NULL; /* that of --topology is the sample's */
    if (o->tip_charge != 0.0) typing.charges = SHOAL_CHARGES_FILE;
    if (n > 1 || systems->index > 0) return cli_misuse("probe: expected one record, the sample");
    if (systems->result.status != SHOAL_SYSTEM_OK) return EXIT_ALL_FINE; /* it is told at the end */
    const shoal_system sample = {.topology = systems->topology,
                                 .pos = shoal_molecule_positions(systems->mol)};
    const int32_t z = shoal_element_number(o->tip);
    if (z == 0 && systems_read_frame("tip", o->tip, &mol) != SHOAL_OK) return EXIT_FILES;
    shoal_status status = z > 0 ? make_tip(o, z, &mol) : SHOAL_OK;
    if (status == SHOAL_OK) status = shoal_topology_create(&tip.topology, mol, &typing);
    tip.pos = shoal_molecule_positions(mol);
    if (status == SHOAL_OK) status = scan(o, &sample, &tip);
    shoal_topology_destroy(tip.topology);
    shoal_molecule_destroy(mol);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

static int run_probe(void *user, const char **files, int n_files)
{
    probe_options *o = user;
    if (!o->output) return cli_misuse("probe: no output; name one with -o FILE.h5");
    if (o->surface.movable_layers > 0)
        return cli_misuse("--movable-layers: probe keeps its surface rigid");
    if (!surface_spring_agrees(&o->surface, false)) return EXIT_USAGE;
    if (settings_repeat(&o->compute))
        return cli_misuse("--vdw-cutoff, --vdw-tail, --ewald and --ewald-tolerance apply to "
                          "crystals, which tips do not scan");
    if (!cli_was_given("plane")) o->plane = o->heights[0];
    int code = surface_settings_prepare(&o->surface, &o->systems, &o->compute, NULL, 0, 1);
    if (code != EXIT_ALL_FINE) return code;
    systems_job job = {.stream = {.job = SHOAL_JOB_ENERGY, .compute.engine = &o->compute.engine},
                       .visit = visit,
                       .user = o};
    code = placement_attach(&o->placement, &o->surface, &job);
    if (code == EXIT_ALL_FINE) code = run_systems(&o->systems, files, n_files, &job);
    code = run_conclude(&o->systems, &job, code, "could not be computed");
    return code == EXIT_ALL_FINE ? o->code : code;
}

int cmd_probe(int argc, char **argv)
{
    probe_options o = {.compute.engine.device = "cpu",
                       .tip = "O",
                       .margin = 3,
                       .heights = {2.5, 6},
                       .block.n = {100, 100, 30}};
    const cli_group groups[] = {
        GROUPS_OF_INPUT(&o.systems),
        {"probe:", probe_option_table, take_probe_option, &o},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"surface:", surface_option_table, take_surface_option, &o.surface},
        {"force field:", forcefield_options, take_forcefield_option, &o.systems},
    };
    const cli_command command = {
        .name = "probe",
        .usage = "SAMPLE -o FILE.h5 [OPTIONS]",
        .purpose = "Moves a tip over a molecule, on a surface or alone, on a block of points.",
        .notes = "Neither of them relaxes: relax SAMPLE first. Energies are those between tip and "
                 "molecule and\nbetween tip and surface, forces those on the whole tip, which is "
                 "rigid. HDF5: energy [x][y][z],\nforce [x][y][z][3], frequency_shift.",
        CLI_GROUPS(groups),
        .min_files = 1,
        .max_files = 1};
    const int code = cli_run(&command, argc, argv, run_probe, &o);
    systems_options_free(&o.systems);
    surface_settings_free(&o.surface);
    return code;
}
