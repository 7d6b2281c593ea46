/* SPDX-License-Identifier: BSD-3-Clause
 * Where the grid of a surface comes from: a file, one kept beside the surface or in the cache, or built. */
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

#define BY_DIRECT "auto, by direct sums"
#define BY_GRID "auto, by a grid"

/* What the run chose that is gone on with, from its checkpoint: 1 a grid, 0 direct sums, -1 unknown. */
static int grid_chosen_before(const grid_workload *w)
{
    const systems_options *o = w->systems;
    shoal_string *before = NULL;
    int chosen = -1;
    char path[4096] = "";
    if (o->resume && o->checkpoint)
        (void)snprintf(path, sizeof path, "%s", o->checkpoint);
    else if (o->resume && o->n_outputs > 0)
        (void)snprintf(path, sizeof path, "%s.checkpoint", o->outputs[0]);
    if (*path && shoal_string_create(&before) == SHOAL_OK &&
        shoal_run_about(path, before) == SHOAL_OK) {
        if (strstr(shoal_string_data(before), "\n--grid " BY_DIRECT)) chosen = 0;
        if (strstr(shoal_string_data(before), "\n--grid " BY_GRID)) chosen = 1;
    }
    shoal_string_destroy(before);
    return chosen;
}

/* Notes the choice of this run for its checkpoint and its log. */
static void grid_note_choice(bool direct)
{
    cli_add_choice("grid", direct ? BY_DIRECT : BY_GRID);
}

static bool show(void *user, double done)
{
    progress_share(user, done, "grid");
    return true;
}

/* Builds with a progress bar. */
static shoal_status build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                          shoal_grid **out)
{
    progress bar;
    progress_begin(&bar, !quiet);
    options->monitor = show;
    options->user = &bar;
    const shoal_status status = shoal_grid_build(out, surface, options);
    progress_end(&bar);
    return status;
}

int grid_source_build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                      shoal_grid **out)
{
    const shoal_status status = build(surface, options, quiet, out);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

/* Keeps a grid that was built. */
static void keep(const grid_source *s, const shoal_grid *grid)
{
    char path[4096];
    if (!s->surface_file || !s->work) return;
    const shoal_status status = shoal_grid_keep(grid, s->surface_file, path, sizeof path);
    if (s->quiet) return;
    if (status == SHOAL_OK)
        cli_complain("--grid auto: the grid is kept as %s", path);
    else
        cli_complain("--grid auto: the grid is not kept: %s", shoal_error_text());
}

/* One that was kept, if it is there. */
static shoal_grid *find_kept(const grid_source *s, const shoal_surface *surface, char path[4096])
{
    char left_alone[4096];
    shoal_grid *grid = NULL;
    if (!s->surface_file) return NULL;
    (void)shoal_grid_find(&grid, surface, s->surface_file, path, left_alone, sizeof left_alone);
    if (*left_alone && !s->quiet) cli_complain("%s; it is left alone", left_alone);
    return grid;
}

/* A grid is built and kept; where that fails, sums do. */
static void build_and_keep(const grid_source *s, shoal_surface *surface, shoal_grid **out,
                           grid_found *found)
{
    shoal_grid_options options = {.n_threads = s->n_threads};
    if (build(surface, &options, s->quiet, out) == SHOAL_OK) {
        keep(s, *out);
        return;
    }
    (void)snprintf(found->text, sizeof found->text, "direct sums: %.250s", shoal_error_text());
    if (!s->quiet) cli_complain("--grid auto: %s", found->text);
}

/* Every shard and rank of a run counts the same. */
static double count_atoms(const grid_workload *work)
{
    return work ? shoal_format_count_atoms(work->files, work->n_files, work->systems->format)
                : INFINITY;
}

/* One that is kept, or what costs less. */
static int choose(const grid_source *s, shoal_surface *surface, shoal_grid **out, grid_found *found)
{
    char path[4096];
    shoal_grid_choice cost;
    const int before = s->work ? grid_chosen_before(s->work) : -1;
    if (before != 0) *out = find_kept(s, surface, path);
    if (*out && before < 0 && !shoal_grid_fits(*out, s->device)) {
        shoal_grid_destroy(*out);
        *out = NULL;
        (void)snprintf(found->text, sizeof found->text,
                       "direct sums: %.200s does not fit into the memory that is free", path);
        if (!s->quiet) cli_complain("--grid auto: %s", found->text);
        grid_note_choice(true);
        return EXIT_ALL_FINE;
    }
    if (*out) {
        (void)snprintf(found->text, sizeof found->text, "%.290s", path);
        grid_note_choice(false);
        return EXIT_ALL_FINE;
    }
    const shoal_status status = shoal_grid_choose(&cost, surface, count_atoms(s->work),
                                                  s->work ? s->work->evaluations : 1, s->device);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (before >= 0) cost.direct = before == 0;
    (void)snprintf(found->text, sizeof found->text, "%s: %s",
                   cost.direct ? "direct sums" : "to be built", cost.why);
    if (cost.direct) {
        if (!s->quiet) cli_complain("--grid auto: %s", found->text);
    } else {
        found->bytes = cost.plan.bytes;
        found->seconds = cost.plan.build_seconds;
        if (!s->work || !s->work->plans) build_and_keep(s, surface, out, found);
    }
    grid_note_choice(cost.direct || (!*out && !(s->work && s->work->plans)));
    return EXIT_ALL_FINE;
}

int grid_source_load(const grid_source *s, shoal_surface *surface, shoal_grid **out,
                     grid_found *found)
{
    const bool is_auto = !s->how || strcmp(s->how, "auto") == 0;
    const bool ref = s->device && strcmp(s->device, "ref") == 0;
    *out = NULL;
    if (!surface) return EXIT_ALL_FINE;
    if ((s->how && strcmp(s->how, "off") == 0) || ref) {
        (void)snprintf(found->text, sizeof found->text, "direct sums");
        if (s->how && !is_auto && strcmp(s->how, "off") != 0 && ref)
            return cli_misuse("--grid %s: the device 'ref' sums directly; use another", s->how);
        return EXIT_ALL_FINE;
    }
    if (is_auto) return choose(s, surface, out, found);
    (void)snprintf(found->text, sizeof found->text, "%.290s", s->how);
    if (shoal_grid_read(out, s->how, surface) == SHOAL_OK) return EXIT_ALL_FINE;
    cli_complain("--grid %s", shoal_error_text());
    return EXIT_FILES;
}
