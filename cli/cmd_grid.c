/* SPDX-License-Identifier: BSD-3-Clause
 * shoal grid: builds, checks, describes and exports the grids of surfaces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "grid.h"
#include "surface_options.h"
#include "systems.h"

typedef struct grid_command {
    surface_settings surface;
    shoal_grid_options build;
    const char *output, *plot, *channel, *probe;
    const char *mesh[3];     /* files of pauli, london and coulomb */
    shoal_mesh_options from; /* unit and of_electron are those of coulomb */
    int samples, seed, threads;
    double max_de, max_df; /* eV, eV/angstrom: what a check allows */
    bool json, quiet;
} grid_command;

static bool take_plot(void *target, const char *name, const char *value)
{
    ((grid_command *)target)->plot = value;
    return cli_figure(name, value, NULL);
}

static const cli_option build_options[] = {
    {"output", 'o', "FILE", "grid to write (default SURFACE.grid.h5, where --grid auto finds it)",
     CLI_TEXT(grid_command, output)},
    {"step", 0, "H", "no two nodes are farther apart, A (default 0.1, for the lj form 0.07)",
     CLI_NUMBER(grid_command, build.step, 0.02)},
    {"height", 0, "Z", "fields are exact up to Z above the topmost atom, A (default: to 1e-6 eV)",
     CLI_NUMBER(grid_command, build.height, 1)},
    {"whole-cell", 0, NULL, "do not look for a smaller period of the surface",
     CLI_FLAG(grid_command, build.whole_cell)},
    {"samples", 0, "N", "points compared with the direct sum (default 2000)",
     CLI_COUNT(grid_command, samples, 1, 100000000)},
    {"params", 0, "FILE", "pair model, or a table of atom types: parameters of the surface",
     CLI_TEXT(grid_command, surface.params)},
    {"device", 0, "NAME", "opencl[:WHICH]: short-range sums there (default: processor)",
     CLI_TEXT(grid_command, build.device)},
    {"threads", 0, "N", "threads to use (default: all)", CLI_COUNT(grid_command, threads, 1, 4096)},
    {"json", 0, NULL, "describe the grid as JSON", CLI_FLAG(grid_command, json)},
    {"quiet", 'q', NULL, "no progress, no description", CLI_FLAG(grid_command, quiet)},
    {NULL, 0, NULL, NULL},
};

static const cli_word units[] = {
    {"ev", SHOAL_MESH_EV}, {"hartree", SHOAL_MESH_HARTREE}, {"rydberg", SHOAL_MESH_RYDBERG}, {0}};

static const cli_option mesh_options[] = {
    {"coulomb", 0, "FILE", "potential of another program on a mesh: .cube, .xsf or .npy",
     CLI_TEXT(grid_command, mesh[SHOAL_CHANNEL_Q])},
    {"pauli", 0, "FILE", "the same of this channel", CLI_TEXT(grid_command, mesh[SHOAL_CHANNEL_P])},
    {"london", 0, "FILE", "the same of this channel",
     CLI_TEXT(grid_command, mesh[SHOAL_CHANNEL_L])},
    {"mesh-unit", 0, "UNIT",
     "of the potential: ev, hartree, rydberg (default: .cube hartree, else ev)",
     CLI_WORD(grid_command, from.unit, units)},
    {"electron", 0, NULL, "the potential is the energy of an electron: its sign is turned",
     CLI_FLAG(grid_command, from.of_electron)},
    {"mesh-repeats", 0, NULL, "meshes repeat along their third vector, too: of a whole cell",
     CLI_FLAG(grid_command, from.repeats)},
    {"mesh-shift", 0, "X,Y,Z", "add to the places of nodes, A"},
    {"mesh-cell", 0, "NUMBERS", "nine: AX,AY,AZ,BX,..,CZ of .npy files, A"},
    {"x-fastest", 0, NULL, ".npy files have the shape z, y, x",
     CLI_FLAG(grid_command, from.x_fastest)},
    {NULL, 0, NULL, NULL},
};

static bool take_mesh_option(void *target, const char *name, const char *value)
{
    shoal_mesh_options *from = &((grid_command *)target)->from;
    return strcmp(name, "mesh-cell") == 0 ? cli_take_numbers(name, value, 9, &from->cell[0][0])
                                          : cli_take_numbers(name, value, 3, from->shift);
}

static int read_meshes(grid_command *g, shoal_mesh *meshes[3])
{
    const char *first = cli_given_of(mesh_options + 3);
    if (first && !g->mesh[0] && !g->mesh[1] && !g->mesh[2])
        return cli_misuse("--%s needs --coulomb, --pauli or --london", first);
    if ((g->from.unit || g->from.of_electron) && !g->mesh[SHOAL_CHANNEL_Q])
        return cli_misuse("--%s needs --coulomb", g->from.unit ? "mesh-unit" : "electron");
    for (int c = 0; c < 3; ++c) {
        shoal_mesh_options from = g->from;
        if (c != SHOAL_CHANNEL_Q) from.unit = SHOAL_MESH_UNIT_USUAL, from.of_electron = false;
        if (!g->mesh[c]) continue;
        const shoal_status status = shoal_mesh_read(&meshes[c], g->mesh[c], &from);
        if (status != SHOAL_OK) return complain_of_status(status);
    }
    g->build.pauli = meshes[SHOAL_CHANNEL_P];
    g->build.london = meshes[SHOAL_CHANNEL_L];
    g->build.coulomb = meshes[SHOAL_CHANNEL_Q];
    return EXIT_ALL_FINE;
}

static int run_build(void *user, const char **files, int n_files)
{
    grid_command *g = user;
    char kept[4096];
    shoal_grid *grid = NULL;
    shoal_mesh *meshes[3] = {NULL};
    (void)n_files;
    g->surface.file = files[0];
    if (!g->output && shoal_grid_path(files[0], kept, sizeof kept) != SHOAL_OK)
        return cli_misuse("%s; use -o", shoal_error_text());
    if (!g->output && (g->mesh[0] || g->mesh[1] || g->mesh[2]))
        return cli_misuse("grid build: channels from elsewhere need -o FILE");
    const char *path = g->output ? g->output : kept;
    g->build.samples = g->samples;
    g->build.n_threads = g->threads;
    if (!surface_spring_agrees(&g->surface, false)) return EXIT_USAGE;
    int code = surface_settings_load(&g->surface);
    if (code == EXIT_ALL_FINE && shoal_grid_write_probe(path) != SHOAL_OK)
        code = complain_of_output();
    if (code == EXIT_ALL_FINE) code = read_meshes(g, meshes);
    if (code == EXIT_ALL_FINE)
        code = grid_source_build(g->surface.surface, &g->build, g->quiet, &grid);
    if (code == EXIT_ALL_FINE && shoal_grid_write(grid, path) != SHOAL_OK)
        code = complain_of_output();
    if (code == EXIT_ALL_FINE && (g->json || !g->quiet)) grid_report_info(path, grid, g->json);
    shoal_grid_destroy(grid);
    for (int c = 0; c < 3; ++c) shoal_mesh_destroy(meshes[c]);
    return code;
}

static const cli_option check_options[] = {
    {"samples", 0, "N", "random points from contact to above the top (default 10000)",
     CLI_COUNT(grid_command, samples, 1, 100000000)},
    {"seed", 0, "S", "of the points (default 1)", CLI_COUNT(grid_command, seed, 0, INT32_MAX)},
    {"max-de", 0, "E", "most that an energy may be wrong, eV (default 0.001)",
     CLI_NUMBER(grid_command, max_de, 0)},
    {"max-df", 0, "F", "most that a force may be wrong, eV/A (default 0.005)",
     CLI_NUMBER(grid_command, max_df, 0)},
    {"plot", 0, "FILE", "errors against height, .svg"},
    {"threads", 0, "N", "threads to use (default: all)", CLI_COUNT(grid_command, threads, 1, 4096)},
    {"json", 0, NULL, "one JSON object", CLI_FLAG(grid_command, json)},
    {NULL, 0, NULL, NULL},
};

static int check_grid(const grid_command *g, const shoal_grid *grid)
{
    shoal_grid_report report;
    shoal_grid_sample *samples = calloc((size_t)g->samples, sizeof *samples);
    if (!samples) {
        cli_complain("out of memory: %d samples", g->samples);
        return EXIT_DEVICE;
    }
    const shoal_status status =
        shoal_grid_check(grid, g->samples, (uint64_t)g->seed, g->threads, &report, samples);
    int code = status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
    if (code == EXIT_ALL_FINE) grid_report_errors(&report, g->json);
    if (code == EXIT_ALL_FINE && g->plot) {
        const shoal_status plotted = shoal_grid_plot(g->plot, samples, g->samples);
        if (plotted != SHOAL_OK) code = complain_of_status(plotted);
    }
    if (code == EXIT_ALL_FINE &&
        !(report.all.max_e <= g->max_de && report.all.max_f <= g->max_df)) {
        cli_complain("errors above %g eV or %g eV/A; a smaller --step helps", g->max_de, g->max_df);
        code = EXIT_SOME_FAILED;
    }
    free(samples);
    return code;
}

static int run_check(void *user, const char **files, int n_files)
{
    const grid_command *g = user;
    shoal_grid *grid = NULL;
    (void)n_files;
    const shoal_status status = shoal_grid_read(&grid, files[0], NULL);
    const int code = status == SHOAL_OK ? check_grid(g, grid) : complain_of_status(status);
    shoal_grid_destroy(grid);
    return code;
}

static const cli_option info_options[] = {
    {"json", 0, NULL, "one JSON object", CLI_FLAG(grid_command, json)},
    {NULL, 0, NULL, NULL},
};

static int run_info(void *user, const char **files, int n_files)
{
    const grid_command *g = user;
    int code = EXIT_ALL_FINE;
    for (int k = 0; k < n_files; ++k) {
        shoal_grid *grid = NULL;
        const shoal_status status = shoal_grid_read(&grid, files[k], NULL);
        if (status == SHOAL_OK)
            grid_report_info(files[k], grid, g->json);
        else
            code = complain_of_status(status);
        shoal_grid_destroy(grid);
    }
    return code;
}

static const cli_option export_options[] = {
    {"output", 'o', "FILE", "file to write: .cube, .xsf or .npy (required)",
     CLI_TEXT(grid_command, output)},
    {"channel", 0, "NAME", "pauli, london, coulomb, acceptor or donor",
     CLI_TEXT(grid_command, channel)},
    {"probe", 0, "ATOM", "energy of an atom: O, C, H or N, or R,D,q (A, eV, e); default O",
     CLI_TEXT(grid_command, probe)},
    {NULL, 0, NULL, NULL},
};

static bool choose_weights(const grid_command *g, const shoal_grid *grid,
                           double weights[SHOAL_N_CHANNELS])
{
    shoal_grid_view v;
    shoal_probe probe;
    shoal_grid_get(grid, &v);
    if (!g->channel) {
        if (shoal_grid_probe_parse(g->probe ? g->probe : "O", &probe) != SHOAL_OK)
            return cli_refuse("--probe %s", shoal_error_text());
        shoal_surface_weights(v.surface, &probe, weights);
        return true;
    }
    for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
        weights[c] = strcmp(g->channel, shoal_channel_name(c)) == 0 ? 1 : 0;
        if (weights[c] != 0 && v.has_channel[c]) return true;
        if (weights[c] == 0) continue;
        return cli_refuse("--channel %s: it is zero everywhere in this grid", g->channel);
    }
    return cli_refuse("--channel '%s': expected pauli, london, coulomb, acceptor or donor",
                      g->channel);
}

static int run_export(void *user, const char **files, int n_files)
{
    const grid_command *g = user;
    shoal_grid *grid = NULL;
    double weights[SHOAL_N_CHANNELS] = {0};
    (void)n_files;
    if (!g->output || (g->channel && g->probe))
        return cli_misuse(g->output ? "grid export: --channel or --probe, not both"
                                    : "grid export: no output; name one with -o FILE");
    shoal_status status = shoal_grid_read(&grid, files[0], NULL);
    int code = status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
    if (code == EXIT_ALL_FINE && !choose_weights(g, grid, weights)) code = EXIT_USAGE;
    if (code == EXIT_ALL_FINE) {
        status = shoal_grid_export(grid, g->output, weights);
        if (status != SHOAL_OK) code = complain_of_status(status);
    }
    shoal_grid_destroy(grid);
    return code;
}

static void print_help(void)
{
    (void)printf(
        "usage: shoal grid build|check|info|export ...\n\n"
        "The fields of a surface on a grid, for fast evaluation.\n\n"
        "  build SURFACE    build the grid of a surface and write it\n"
        "  check GRID       compare a grid with the direct sum at random points\n"
        "  info GRIDS       what a grid is of, how large and how good\n"
        "  export GRID      write a channel or the energy of an atom for other programs\n\n"
        "'shoal grid build --help' explains one of them.\n");
}

int cmd_grid(int argc, char **argv)
{
    grid_command g = {.seed = 1, .max_de = 1e-3, .max_df = 5e-3};
    const cli_group build[] = {
        {"grid:", build_options, NULL, &g},
        {"channels from elsewhere:", mesh_options, take_mesh_option, &g},
        {"surface:", surface_option_table + 3, take_surface_option, &g.surface}};
    const cli_group check[] = {{"options:", check_options, take_plot, &g}};
    const cli_group info[] = {{"options:", info_options, NULL, &g}};
    const cli_group export[] = {{"options:", export_options, NULL, &g}};
    const struct {
        cli_command command;
        cli_job *job;
    } verbs[] = {
        {{"grid build", "SURFACE [-o GRID.h5] [OPTIONS]",
          "Builds the grid of a surface: xyz or extxyz with a cell, or what 'shoal slab' wrote.",
          "Parameters of the surface must be given here as where the grid is used: another set\n"
          "makes another grid, and a grid that does not fit is refused. A grid with channels from\n"
          "elsewhere needs a name of its own (-o) and is taken by that name alone (--grid "
          "GRID.h5).",
          build, 3, 1, 1},
         run_build},
        {{"grid check", "GRID.h5 [OPTIONS]", "Compares a grid with the direct sum over all images.",
          "Probes O, C, H and N; contact is where a probe without charge has +0.5 eV. The exit "
          "code\n"
          "is 1 when an error is above --max-de or --max-df.",
          check, 1, 1, 1},
         run_check},
        {{"grid info", "GRID.h5... [--json]", "Describes grids.", "", info, 1, 1, -1}, run_info},
        {{"grid export", "GRID.h5 -o FILE [OPTIONS]",
          "Writes values at the nodes for other programs.", "", export, 1, 1, 1},
         run_export},
    };
    const char *verb = argc > 1 ? argv[1] : "";
    for (size_t k = 0; k < sizeof verbs / sizeof verbs[0]; ++k) {
        if (strcmp(verb, strchr(verbs[k].command.name, ' ') + 1) != 0) continue;
        if (k == 1) g.samples = 10000;
        const int code = cli_run(&verbs[k].command, argc - 1, argv + 1, verbs[k].job, &g);
        surface_settings_free(&g.surface);
        return code;
    }
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0) {
        print_help();
        return EXIT_ALL_FINE;
    }
    return cli_misuse("grid '%s': expected build, check, info or export; see 'shoal grid --help'",
                      verb);
}
