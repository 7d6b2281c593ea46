/* SPDX-License-Identifier: BSD-3-Clause
 * Where the grid of a surface comes from: a file, one kept beside the surface or in the cache, or built. */
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

#define BY_DIRECT "auto, by direct sums"
#define BY_GRID "auto, by a grid"

/* What the run chose that is gone on with, from its checkpoint: 1 a grid, -1 direct sums, 0 unknown. */
static int grid_chosen_before(const grid_workload *w)
{
    const systems_options *o = w->systems;
    shoal_string *before = NULL;
    int chosen = 0;
    char path[4096] = "";
    if (o->resume && o->checkpoint)
        (void)snprintf(path, sizeof path, "%s", o->checkpoint);
    else if (o->resume && o->n_outputs > 0)
        (void)snprintf(path, sizeof path, "%s.checkpoint", o->outputs[0]);
    if (*path && shoal_string_create(&before) == SHOAL_OK &&
        shoal_run_about(path, before) == SHOAL_OK) {
        if (strstr(shoal_string_data(before), "\n--grid " BY_DIRECT)) chosen = -1;
        if (strstr(shoal_string_data(before), "\n--grid " BY_GRID)) chosen = 1;
    }
    shoal_string_destroy(before);
    return chosen;
}

/* Who is shown and told how the grid is coming along. */
typedef struct listener {
    progress bar;
    bool quiet;
} listener;

static bool show(void *user, double done)
{
    progress_share(&((listener *)user)->bar, done, "grid");
    return true;
}

static void tell(void *user, const char *text)
{
    listener *l = user;
    progress_end(&l->bar);
    if (!l->quiet) cli_complain("--grid auto: %s", text);
}

int grid_source_build(shoal_surface *surface, shoal_grid_options *options, bool quiet,
                      shoal_grid **out)
{
    listener ear = {.quiet = quiet};
    progress_begin(&ear.bar, !quiet);
    options->monitor = show;
    options->user = &ear;
    const shoal_status status = shoal_grid_build(out, surface, options);
    progress_end(&ear.bar);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

/* Every shard and rank of a run counts the same. */
static double count_atoms(const grid_workload *work)
{
    return work ? shoal_format_count_atoms(work->files, work->n_files, work->systems->format)
                : INFINITY;
}

/* One that is kept, or what costs less; the choice is noted for the checkpoint and the log. */
static int choose(const grid_source *s, shoal_surface *surface, shoal_grid **out,
                  shoal_grid_settled *settled)
{
    listener ear = {.quiet = s->quiet};
    const grid_workload *work = s->work;
    const shoal_grid_request request = {
        .surface_file = s->surface_file,
        .keep = work != NULL,
        .device = s->device,
        .atoms = count_atoms(work),
        .evaluations = work ? work->evaluations : 1,
        .before = work ? grid_chosen_before(work) : 0,
        .plans = work && work->plans,
        .build = {.n_threads = s->n_threads, .monitor = show, .user = &ear},
        .tell = tell,
        .user = &ear};
    progress_begin(&ear.bar, !s->quiet);
    const shoal_status status = shoal_grid_settle(out, surface, &request, settled);
    progress_end(&ear.bar);
    if (status != SHOAL_OK) return complain_of_status(status);
    cli_add_choice("grid", settled->direct ? BY_DIRECT : BY_GRID);
    return EXIT_ALL_FINE;
}

int grid_source_load(const grid_source *s, shoal_surface *surface, shoal_grid **out,
                     shoal_grid_settled *found)
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
