/* SPDX-License-Identifier: BSD-3-Clause
 * shoal neb: find barriers between minima with nudged elastic bands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "json.h"
#include "progress.h"
#include "relax_options.h"
#include "run.h"

/* An end that was relaxed. */
typedef struct neb_end {
    shoal_molecule *mol;
    shoal_topology *topology;
    int32_t file;
} neb_end;

typedef struct neb_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    placement_settings placement; /* the height of the surface alone */
    shoal_relax_options relax;
    shoal_band_options band;
    const char *output, *plot;
    bool no_modes, moves;
    shoal_band_move move;
    neb_end *ends;
    int32_t n_ends;
} neb_options;

static const cli_option neb_option_table[] = {
    {"output", 'o', "FILE", "write the images of all bands: .xyz or .extxyz, also .gz",
     CLI_TEXT(neb_options, output)},
    {"hop", 0, "X,Y", "one file: every band ends at its first minimum moved by X, Y angstrom"},
    {"turn", 0, "DEG", "the same, rotated about z"},
    {"images", 0, "N", "images between the ends (default 9)",
     CLI_COUNT(neb_options, band.n_images, 1, 1000)},
    {"spring", 0, "K", "spring constant between images, eV/A^2 (default 2)",
     CLI_NUMBER(neb_options, band.spring, 1e-6)},
    {"band-fmax", 0, "F", "converged when no force on an image exceeds F, eV/A (default 0.002)",
     CLI_NUMBER(neb_options, band.fmax, 1e-9)},
    {"band-steps", 0, "N", "evaluations of every image at most (default 3000)",
     CLI_COUNT(neb_options, band.max_steps, 1, 100000000)},
    {"no-climb", 0, NULL, "the highest image does not climb", CLI_FLAG(neb_options, band.no_climb)},
    {"straight", 0, NULL, "start on the straight line (default: distances change evenly)",
     CLI_FLAG(neb_options, band.straight)},
    {"no-modes", 0, NULL, "do not check by vibrations that the highest image is a saddle",
     CLI_FLAG(neb_options, no_modes)},
    {"plot", 0, "FILE.svg", "draw the energies of the first band"},
    {"charges", 0, "SOURCE", "auto (default: the file's, if any), none, file, qeq or mmff94",
     CLI_WORD(neb_options, systems.typing.charges, charge_sources)},
    {"params", 0, "FILE", "pair model of 'shoal fit -o', or a table of atom types (LJ 12-6)",
     CLI_TEXT(neb_options, systems.params)},
    {NULL, 0, NULL, NULL},
};

static bool take_neb_option(void *target, const char *name, const char *value)
{
    neb_options *o = target;
    if (strcmp(name, "plot") == 0) {
        o->plot = value;
        return cli_figure(name, value, "Bands.plot");
    }
    o->moves = true;
    return strcmp(name, "turn") == 0 ? cli_number(name, value, -360, &o->move.turn)
                                     : cli_take_numbers(name, value, 2, o->move.shift);
}

static int visit(void *user, const shoal_stream_system *systems, int32_t n)
{
    neb_options *o = user;
    neb_end *grown = realloc(o->ends, (size_t)(o->n_ends + n) * sizeof *grown);
    if (!grown) return complain_of_status(SHOAL_E_MEMORY);
    o->ends = grown;
    for (int32_t i = 0; i < n; ++i) {
        neb_end *end = &o->ends[o->n_ends];
        *end = (neb_end){.topology = shoal_topology_retain(systems[i].topology),
                         .file = systems[i].i_file};
        ++o->n_ends;
        if (shoal_molecule_create(&end->mol) != SHOAL_OK ||
            shoal_molecule_copy(end->mol, systems[i].mol) != SHOAL_OK)
            return complain_of_status(SHOAL_E_MEMORY);
    }
    return EXIT_ALL_FINE;
}

/* The end that a band from end k leads to; -1 without one: the same record of the second file, or the next record of the
 * only one. */
static int32_t partner(const neb_options *o, int32_t k, int n_files)
{
    int32_t first = 0;
    if (o->moves) return k;
    if (n_files == 1) return k + 1 < o->n_ends ? k + 1 : -1;
    while (first < o->n_ends && o->ends[first].file == 0) ++first;
    return k < first && first + k < o->n_ends ? first + k : -1;
}

static bool are_like(const neb_end *a, const neb_end *b)
{
    const int32_t n = shoal_molecule_n_atoms(a->mol);
    return shoal_molecule_n_atoms(b->mol) == n &&
           memcmp(shoal_molecule_elements(a->mol), shoal_molecule_elements(b->mol),
                  (size_t)n * sizeof(int32_t)) == 0;
}

static void put_row(const neb_options *o, int32_t i, const char *name, const shoal_band_result *b,
                    const shoal_band_verdict *v)
{
    json j = {0};
    if (!o->systems.json) {
        (void)printf("%-24.24s %5d  %-10s %6d %12.6f %12.6f %10.5f  %s", name, i,
                     shoal_system_status_name(b->status), b->steps, b->barrier, b->back, b->fmax,
                     o->no_modes ? "" : shoal_verdict_name(v->verdict));
        if (!o->no_modes) (void)printf(" (%d, %.1f cm-1)", v->order, v->frequency);
        (void)printf("\n");
        return;
    }
    json_open(&j, NULL, '{');
    json_integer(&j, "band", i);
    json_text(&j, "name", name);
    json_text(&j, "status", shoal_system_status_name(b->status));
    json_number(&j, "barrier", b->barrier);
    json_number(&j, "back", b->back);
    json_integer(&j, "saddle", b->saddle);
    json_numbers(&j, "energies", b->energies, b->n_images);
    json_numbers(&j, "path", b->lengths, b->n_images);
    json_number(&j, "fmax", b->fmax);
    json_integer(&j, "steps", b->steps);
    if (!o->no_modes) {
        json_text(&j, "verdict", shoal_verdict_name(v->verdict));
        json_integer(&j, "order", v->order);
        json_number(&j, "frequency", v->frequency);
    }
    (void)json_print_line(&j);
}

static shoal_status write_images(shoal_writer *out, const neb_end *end, const shoal_band_result *b)
{
    shoal_molecule *mol = NULL;
    shoal_status status = shoal_molecule_create(&mol);
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, end->mol);
    for (int32_t k = 0; k < b->n_images && status == SHOAL_OK; ++k) {
        const shoal_frame frame = {.energy = &b->energies[k]};
        status = shoal_molecule_set_positions(mol, b->positions + (size_t)k * (size_t)b->n_atoms);
        if (status == SHOAL_OK) status = shoal_writer_put(out, mol, &frame);
    }
    shoal_molecule_destroy(mol);
    return status;
}

/* Rows, images and the picture of all bands; *failed counts those that did not converge. */
static shoal_status show(const neb_options *o, const shoal_bands *bands, const shoal_band *given,
                         const int32_t *from, int32_t n, int *failed)
{
    shoal_writer *out = NULL;
    shoal_status status = SHOAL_OK;
    if (o->output) status = shoal_writer_open(&out, o->output, SHOAL_FORMAT_AUTO);
    if (!o->systems.json)
        (void)printf("%-24s %5s  %-10s %6s %12s %12s %10s  %s\n", "name", "band", "status", "steps",
                     "barrier, eV", "back, eV", "fmax", o->no_modes ? "" : "saddle");
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        shoal_band_result b;
        shoal_band_verdict v = {0};
        const neb_end *end = &o->ends[from[i]];
        status = shoal_bands_get(bands, i, &b);
        if (status == SHOAL_OK && !o->no_modes)
            status = shoal_bands_judge(bands, i, &given[i], &o->compute.engine, &v);
        if (status == SHOAL_OK) put_row(o, i, shoal_molecule_name(end->mol), &b, &v);
        if (status == SHOAL_OK && out) status = write_images(out, end, &b);
        *failed += b.status != SHOAL_SYSTEM_CONVERGED;
    }
    if (status == SHOAL_OK && o->plot) status = shoal_bands_plot(bands, 0, o->plot);
    if (status == SHOAL_OK && out) status = shoal_writer_close(out);
    shoal_writer_destroy(out);
    return status;
}

static bool show_progress(void *user, const shoal_progress *p)
{
    progress_share(user, (double)p->n_done / (double)p->n_systems, "bands");
    return true;
}

/* Last ends that come of the first ones, which the caller frees. */
static int move_ends(const neb_options *o, shoal_band *given, int32_t n, double (**last)[3])
{
    shoal_band_ends ends = {0};
    size_t n_atoms = 0, at = 0;
    for (int32_t k = 0; k < n; ++k) n_atoms += (size_t)shoal_molecule_n_atoms(o->ends[k].mol);
    *last = ends.last = calloc(n_atoms + 1, sizeof *ends.last);
    if (!ends.last) return complain_of_status(SHOAL_E_MEMORY);
    const shoal_status status =
        shoal_bands_move(given, n, &o->move, &o->compute.engine, &o->relax, &ends);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (ends.n_failed > 0) cli_complain("%d last ends did not converge", ends.n_failed);
    for (int32_t k = 0; k < n; ++k) {
        given[k].last = (const double(*)[3])(ends.last + at);
        at += (size_t)shoal_molecule_n_atoms(o->ends[k].mol);
    }
    return ends.n_failed > 0 ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}

static int run_bands(neb_options *o, int n_files)
{
    shoal_band *given = calloc((size_t)o->n_ends + 1, sizeof *given);
    int32_t *from = calloc((size_t)o->n_ends + 1, sizeof *from), n = 0;
    double(*cells)[3][3] = calloc((size_t)o->n_ends + 1, sizeof *cells);
    double(*last)[3] = NULL;
    shoal_bands *bands = NULL;
    progress bar;
    int failed = 0, code = given && from && cells ? EXIT_ALL_FINE : EXIT_DEVICE;
    for (int32_t k = 0; k < o->n_ends && code == EXIT_ALL_FINE; ++k) {
        const int32_t to = partner(o, k, n_files);
        bool pbc[3];
        if (to < 0) continue;
        if (!are_like(&o->ends[k], &o->ends[to]))
            code =
                cli_misuse("neb: records %d and %d are not the same molecule, atom by atom", k, to);
        shoal_molecule_cell(o->ends[k].mol, cells[n], pbc);
        from[n] = k;
        given[n] = (shoal_band){.topology = o->ends[k].topology,
                                .first = shoal_molecule_positions(o->ends[k].mol),
                                .last = shoal_molecule_positions(o->ends[to].mol),
                                .cell = shoal_molecule_is_periodic(o->ends[k].mol)
                                            ? (const double(*)[3])cells[n]
                                            : NULL};
        ++n;
    }
    if (code == EXIT_ALL_FINE && n == 0)
        code = cli_misuse("neb: no pair of minima; expected two files, or one with two records");
    if (code == EXIT_ALL_FINE && o->moves) code = move_ends(o, given, n, &last);
    progress_begin(&bar, !o->systems.quiet);
    shoal_status status = SHOAL_OK;
    if (code == EXIT_ALL_FINE)
        status =
            shoal_bands_find(&bands, given, n, &o->compute.engine, &o->band, show_progress, &bar);
    progress_end(&bar);
    if (code == EXIT_ALL_FINE && status == SHOAL_OK)
        status = show(o, bands, given, from, n, &failed);
    if (status != SHOAL_OK) code = complain_of_status(status);
    shoal_bands_destroy(bands);
    free(given);
    free(from);
    free(cells);
    free(last);
    return code == EXIT_ALL_FINE && failed > 0 ? EXIT_SOME_FAILED : code;
}

static int run_neb(void *user, const char **files, int n_files)
{
    neb_options *o = user;
    if (o->surface.movable_layers > 0)
        return cli_misuse("--movable-layers: neb keeps its surface rigid");
    if (!surface_spring_agrees(&o->surface, false)) return EXIT_USAGE;
    if (o->moves && n_files > 1) return cli_misuse("--hop and --turn take one file, of first ends");
    int code = surface_settings_prepare(&o->surface, &o->systems, &o->compute, NULL, 0, 1);
    if (code != EXIT_ALL_FINE) return code;
    systems_job job = {.stream = {.job = SHOAL_JOB_RELAX,
                                  .compute.engine = &o->compute.engine,
                                  .compute.relax = &o->relax},
                       .visit = visit,
                       .user = o};
    code = placement_attach(&o->placement, &o->surface, &job);
    if (code == EXIT_ALL_FINE) code = run_systems(&o->systems, files, n_files, &job);
    code = run_conclude(&o->systems, &job, code, "did not converge");
    return code == EXIT_ALL_FINE ? run_bands(o, n_files) : code;
}

int cmd_neb(int argc, char **argv)
{
    neb_options o = {.compute.engine.device = "cpu"};
    const cli_group groups[] = {
        GROUPS_OF_INPUT(&o.systems),
        {"bands:", neb_option_table, take_neb_option, &o},
        {"relaxation of the ends:", relax_option_table, NULL, &o.relax},
        {"computing:", engine_option_table, take_engine_option, &o.compute},
        {"surface:", surface_option_table, take_surface_option, &o.surface},
        {"force field:", forcefield_options, take_forcefield_option, &o.systems},
    };
    const cli_command command = {
        .name = "neb",
        .usage = "MINIMA [MINIMA] [OPTIONS]",
        .purpose = "Finds barriers between minima: nudged elastic bands with a climbing image.",
        .notes = "Two files: from each record of the first to the same one of the second. One: "
                 "from each record to\nthe next. Ends are relaxed first; the order of the atoms "
                 "tells which goes where. All images of all\nbands are computed as one batch.",
        CLI_GROUPS(groups),
        .min_files = 1,
        .max_files = 2};
    const int code = cli_run(&command, argc, argv, run_neb, &o);
    for (int32_t k = 0; k < o.n_ends; ++k) {
        shoal_molecule_destroy(o.ends[k].mol);
        shoal_topology_destroy(o.ends[k].topology);
    }
    free(o.ends);
    systems_options_free(&o.systems);
    surface_settings_free(&o.surface);
    return code;
}
