/* SPDX-License-Identifier: BSD-3-Clause
 * shoal scan: energies along coordinates, rigid or relaxed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "relax_options.h"
#include "results.h"
#include "run.h"

typedef struct scan_options {
    dry_run dry;
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    placement_settings placement;
    constraints held;
    shoal_relax_options relax;
    shoal_scan_options scan; /* its arrays are those below */
    shoal_coordinate *coordinates;
    int32_t *move;
    shoal_molecule **frames;
    const char *frames_file;
    shoal_scan *made;
    shoal_restraint *restraints; /* the user's, then those of the scan */
    shoal_variants variants;
    const char *plot; /* figure; NULL: none */
    double range[2];  /* that it shows, in the unit of energies; both 0: all that is worth it */
    shoal_scan_summary *summary;
} scan_options;

static const cli_option scan_option_table[] = {
    {"coordinate", 0, "C=FROM:TO:STEP",
     "distance:I,J, angle:I,J,K, torsion:I,J,K,L, x, y, z, rx, ry, rz or volume; several: their "
     "product"},
    {"frames", 0, "FILE", "the geometries of FILE instead of coordinates",
     CLI_TEXT(scan_options, frames_file)},
    {"move", 0, "I[,I..]", "x .. rz move these atoms, relative to the centre of the others"},
    {"anchor", 0, "I", "x .. rz are those of atom I (default: of the centre)"},
    {"relaxed", 0, NULL, "relax every point with its coordinates held (default: rigid)",
     CLI_FLAG(scan_options, scan.relaxed)},
    {"shape", 0, NULL, "relax the shape of cells, too, at every volume",
     CLI_FLAG(scan_options, scan.shape)},
    {"starts", 0, "N", "start every point from N geometries, keep the lowest result (default 1)",
     CLI_COUNT(scan_options, scan.starts, 1, 1000000)},
    {"follow", 0, NULL, "also start every point from its neighbours, until no energy decreases",
     CLI_FLAG(scan_options, scan.follow)},
    {"hold-angle", 0, "K", "restraint of angles and torsions, eV/rad^2 (default 4000)",
     CLI_NUMBER(scan_options, scan.spring_angle, 1e-3)},
    {"hold-length", 0, "K", "restraint of distances and positions, eV/A^2 (default 2000)",
     CLI_NUMBER(scan_options, scan.spring_length, 1e-3)},
    {"plot", 0, "FILE", "curve or map of the energies, .svg"},
    {"range", 0, "LO:HI", "energies in --plot, above the lowest (default: without steep walls)"},
    {NULL, 0, NULL, NULL},
};

static bool add_coordinate(scan_options *o, const char *value)
{
    const size_t n = (size_t)o->scan.n_coordinates;
    shoal_coordinate *more = realloc(o->coordinates, (n + 1) * sizeof *more);
    if (!more) return cli_refuse("out of memory");
    o->coordinates = more;
    if (shoal_coordinate_parse(value, &more[n]) != SHOAL_OK)
        return cli_refuse("--coordinate %s", shoal_error_text());
    ++o->scan.n_coordinates;
    return true;
}

static bool take_range(double range[2], const char *value)
{
    if (cli_numbers(value, ':', 2, range) == 2 && range[1] > range[0] && range[0] >= 0) return true;
    return cli_refuse("--range '%s': expected two energies above the lowest, such as 0:0.5", value);
}

static bool take_scan_option(void *target, const char *name, const char *value)
{
    scan_options *o = target;
    if (strcmp(name, "coordinate") == 0) return add_coordinate(o, value);
    if (strcmp(name, "move") == 0)
        return constraints_take_atoms("move", value, &o->move, &o->scan.n_move);
    if (strcmp(name, "range") == 0) return take_range(o->range, value);
    if (strcmp(name, "plot") == 0) {
        o->plot = value;
        return cli_figure(name, value, "batch.scan(..).plot.scan()");
    }
    o->scan.has_anchor = true;
    return cli_integer(name, value, 0, INT32_MAX, &o->scan.anchor);
}

/* --- rows ---------------------------------------------------------------------------------------- */

/* Restraints hold a point and are no part of its energy. */
static void show(void *user, shoal_stream_system *copy)
{
    (void)user;
    if (!has_numbers(&copy->result)) return;
    copy->result.energy = shoal_scan_energy(&copy->result);
    if (copy->result.terms0) copy->result.energy0 -= copy->result.terms0[SHOAL_TERM_RESTRAINT];
}

static shoal_status put_json(void *user, const row_style *style, const shoal_stream_system *s,
                             shoal_string *out)
{
    return shoal_scan_row_json(((const scan_options *)user)->made, style, s, out);
}

static shoal_status put_table(void *user, const row_style *style, const shoal_stream_system *s,
                              shoal_string *out)
{
    char buffer[32];
    const scan_options *o = user;
    const shoal_result *r = &s->result;
    const double unit = settings_unit(&o->compute);
    const int32_t n = shoal_scan_n_values(o->made);
    double *values = calloc((size_t)n, sizeof *values);
    if (!values) return SHOAL_E_MEMORY;
    table_print(out, "%-24.24s", shoal_row_title(s, buffer));
    if (shoal_scan_locate(o->made, s->variant, values, NULL) == SHOAL_OK)
        for (int32_t k = 0; k < n; ++k) table_print(out, " %11.6g", values[k]);
    table_print(out, "  %-10s", shoal_system_status_name(r->status));
    if (has_numbers(r)) {
        table_number(out, r->energy / unit, 14, 6);
        table_number(out, r->fmax / unit, 12, 5);
        if (o->scan.relaxed) table_print(out, "%7d", r->steps);
        if (style->adsorption) table_number(out, (r->energy - s->isolated_energy) / unit, 14, 6);
    }
    table_end(out, r);
    free(values);
    return SHOAL_OK;
}

static void put_header(const scan_options *o, char *out, size_t size)
{
    int used = snprintf(out, size, "%-24s", "name");
    for (int32_t k = 0; k < shoal_scan_n_values(o->made) && used < (int)size - 120; ++k)
        used += snprintf(out + used, size - (size_t)used, " %11s",
                         o->scan.n_frames > 0 ? "frame"
                                              : shoal_coordinate_name((int)o->coordinates[k].kind));
    (void)snprintf(out + used, size - (size_t)used, "  %-10s%14s%12s%s%s\n", "status",
                   settings_unit_name(&o->compute), "fmax", o->scan.relaxed ? "  steps" : "",
                   o->placement.adsorption ? "    adsorption" : "");
}

static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    const shoal_status status =
        shoal_scan_summary_visit(((scan_options *)user)->summary, systems, n);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

/* --- the run ------------------------------------------------------------------------------------- */

/* The scan, and restraints of the user and of the scan in one list. */
static int make_scan(scan_options *o)
{
    int32_t n;
    o->scan.coordinates = o->coordinates;
    o->scan.move = o->move;
    o->scan.frames = (const shoal_molecule *const *)o->frames;
    o->scan.surface = o->surface.surface;
    o->scan.movable = o->surface.movable;
    o->scan.n_restraints = o->held.n_restraints;
    o->scan.fix = o->held.fix;
    o->scan.n_fix = o->held.n_fix;
    o->scan.rigid = o->held.n_rigid > 0 || o->held.molecules;
    o->scan.copies = o->placement.jitter;
    o->scan.copies.movable = o->surface.movable;
    if (!cli_was_given("seed")) o->scan.copies.seed = 1;
    o->placement.draws = o->scan.starts > 1;
    if (o->scan.shape) o->relax.cell = SHOAL_CELL_SHAPE;
    const shoal_status status = shoal_scan_create(&o->made, &o->scan);
    if (status != SHOAL_OK) return complain_of_status(status);
    const shoal_restraint *own = shoal_scan_restraints(o->made, &n);
    const size_t before = (size_t)o->held.n_restraints;
    o->restraints = calloc(before + (size_t)n + 1, sizeof *o->restraints);
    if (!o->restraints) return complain_of_status(SHOAL_E_MEMORY);
    if (before > 0) memcpy(o->restraints, o->held.restraints, before * sizeof *o->restraints);
    if (n > 0) memcpy(o->restraints + before, own, (size_t)n * sizeof *o->restraints);
    return EXIT_ALL_FINE;
}

static int check_options(const scan_options *o)
{
    const bool plots = o->plot != NULL;
    if (o->scan.n_coordinates == 0 && !o->frames_file)
        return cli_misuse("scan: expected --coordinate or --frames");
    int n_axes = 0;
    for (int32_t k = 0; k < o->scan.n_coordinates; ++k) n_axes += o->coordinates[k].n > 1;
    if (plots && (n_axes < 1 || n_axes > 2))
        return cli_misuse("--plot draws curves and maps: expected one or two coordinates of "
                          "several points, found %d",
                          n_axes);
    if (o->range[1] > 0 && !plots) return cli_misuse("--range needs --plot");
    if (o->frames_file && (cli_was_given("orient") || cli_was_given("rotate") ||
                           cli_was_given("at") || o->surface.height > 0))
        return cli_misuse(
            "--frames has the places of its atoms; expected no --orient, --rotate, --at or "
            "--height");
    if (!o->scan.relaxed && (cli_given_of(relax_option_table) || o->scan.spring_angle > 0 ||
                             o->scan.spring_length > 0 || o->held.n_restraints > 0 ||
                             o->held.n_fix > 0 || o->held.n_rigid > 0 || o->held.molecules))
        return cli_misuse("options of relaxations, --fix, --rigid and --restrain need --relaxed");
    if (!surface_spring_agrees(&o->surface, o->scan.relaxed)) return EXIT_USAGE;
    return EXIT_ALL_FINE;
}

static int attach_surface(scan_options *o, const char **files, int n_files)
{
    double points = 1;
    for (int32_t k = 0; k < o->scan.n_coordinates; ++k) points *= (double)o->coordinates[k].n;
    if (o->scan.n_frames > 0) points = o->scan.n_frames;
    const double each =
        o->scan.relaxed
            ? fmax(o->scan.starts, 1) * shoal_job_evaluations(SHOAL_JOB_RELAX, &o->relax, NULL)
            : 1;
    o->surface.work.plans = o->dry.wanted;
    const int code = surface_settings_prepare(&o->surface, &o->systems, &o->compute, files, n_files,
                                              points * each);
    if (o->surface.surface) o->dry.grid = &o->surface.found;
    return code;
}

/* Energies so far are kept beside the file that the run writes first. */
static shoal_status begin_summary(scan_options *o, char *kept, size_t size)
{
    const char *first = o->systems.n_outputs > 0 ? o->systems.outputs[0] : "-";
    const bool keeps =
        strcmp(first, "-") != 0 && snprintf(kept, size, "%s.points", first) < (int)size;
    const shoal_scan_summary_options options = {
        .kept = keeps ? kept : NULL,
        .resumes = o->systems.resume,
        .plot = o->plot,
        .figure = {.unit = settings_unit(&o->compute),
                   .unit_name = settings_unit_name(&o->compute),
                   .low = o->range[0],
                   .high = o->range[1]},
        .tell = o->systems.quiet ? NULL : cli_tell};
    return shoal_scan_summary_create(&o->summary, o->made, &options);
}

static int run_points(scan_options *o, const char **files, int n_files)
{
    char header[2048];
    put_header(o, header, sizeof header);
    systems_job job = {.stream = {.job = o->scan.relaxed ? SHOAL_JOB_RELAX : SHOAL_JOB_ENERGY,
                                  .compute.engine = &o->compute.engine,
                                  .compute.relax = &o->relax,
                                  .build.variants = &o->variants},
                       .table = put_table,
                       .json = put_json,
                       .header = header,
                       .show = show,
                       .visit = visit,
                       .user = o};
    systems_hold(&o->held, &o->surface, &job.stream);
    job.stream.constraints.restraints = o->restraints;
    (void)shoal_scan_restraints(o->made, &job.stream.constraints.n_restraints);
    job.stream.constraints.n_restraints += o->held.n_restraints;
    int code = placement_attach_alone(&o->placement, &o->surface, &job);
    if (code != EXIT_ALL_FINE) return code;
    o->dry.relaxing = o->scan.relaxed;
    if (o->dry.wanted) return dry_run_files(&o->dry, &o->systems, files, n_files, &job.stream);
    char kept[4096];
    shoal_status status = begin_summary(o, kept, sizeof kept);
    if (status != SHOAL_OK) return complain_of_status(status);
    code = run_systems(&o->systems, files, n_files, &job);
    if ((code == EXIT_ALL_FINE || code == EXIT_SOME_FAILED) && job.reports)
        status = shoal_scan_summary_end(o->summary);
    if (status != SHOAL_OK) return complain_of_status(status);
    return run_conclude(&o->systems, &job, code, o->scan.relaxed ? "did not converge" : "failed");
}

static int run_scan(void *user, const char **files, int n_files)
{
    scan_options *o = user;
    int code = check_options(o);
    if (code == EXIT_ALL_FINE && o->frames_file &&
        shoal_molecules_read(&o->frames, &o->scan.n_frames, o->frames_file) != SHOAL_OK) {
        cli_complain("--frames %s", shoal_error_text());
        code = EXIT_FILES;
    }
    if (code == EXIT_ALL_FINE) code = attach_surface(o, files, n_files);
    if (code == EXIT_ALL_FINE) code = make_scan(o);
    if (code == EXIT_ALL_FINE && shoal_scan_variants(o->made, &o->variants) != SHOAL_OK)
        code = complain_of_status(SHOAL_E_ARGUMENT);
    if (code != EXIT_ALL_FINE) return code;
    return run_points(o, files, n_files);
}

static void free_options(scan_options *o)
{
    systems_settings_free(&o->systems, &o->surface, &o->held);
    shoal_scan_summary_destroy(o->summary);
    shoal_scan_destroy(o->made);
    for (int32_t k = 0; k < o->scan.n_frames; ++k) shoal_molecule_destroy(o->frames[k]);
    free((void *)o->frames);
    free(o->coordinates);
    free(o->move);
    free(o->restraints);
}

int cmd_scan(int argc, char **argv)
{
    scan_options o = {.compute.engine.device = "cpu"};
    const cli_group groups[] = {
        GROUPS_OF_INPUT(&o.systems),
        {"scan:", scan_option_table, take_scan_option, &o},
        {"output:", output_options, take_output_option, &o.systems},
        GROUP_OF_RUNS(&o.systems),
        {"relaxation:", relax_option_table, NULL, &o.relax},
        GROUPS_OF_COPIES(o),
    };
    const cli_command command = {
        .name = "scan",
        .usage = "--coordinate C=FROM:TO:STEP [--coordinate ..] [OPTIONS] FILES",
        .purpose = "Computes every molecule at all points of a grid of coordinates.",
        .notes =
            "Atoms are counted from 0; distances and places are in A, angles in degrees. FROM and "
            "TO are points; nN\ninstead of STEP asks for N points. x, y and z are those of the "
            "centre of the molecule, z above the topmost\natom of the surface; rx, ry and rz turn "
            "it from where it was; volume is that of the file times a number, such as "
            "volume=0.9:1.1:n9. Rigid scans move\nthe smaller part of the molecule. Energies do "
            "not contain restraints. Minima and barriers are printed on stderr.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_scan, &o);
    free_options(&o);
    return code;
}
