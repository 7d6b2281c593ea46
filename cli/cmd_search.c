/* SPDX-License-Identifier: BSD-3-Clause
 * shoal search: minima of molecules, free or on a surface. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "groups.h"
#include "interrupt.h"
#include "progress.h"
#include "relax_options.h"
#include "results.h"
#include "run.h"
#include "search_list.h"
#include "search_shards.h"

#define PATIENCE 1000 /* relaxations */
#define WINDOW 0.5    /* eV */

typedef struct search_options {
    systems_options systems;
    engine_settings compute;
    surface_settings surface;
    constraints held;
    shoal_relax_options relax;
    shoal_search_options wanted;
    int starts, seed, patience; /* of wanted */
    const char *picture, *relaxations;
    bool no_polish, free_energies;
    shoal_search *search;
    shoal_search *found; /* the list: of the search, or polished */
    systems_job *job;
    search_list list;
    char *work; /* the journal of the run; NULL: none */
} search_options;

static const cli_option search_option_table[] = {
    {"starts", 0, "N", "starts of every molecule (default 1000)",
     CLI_COUNT(search_options, starts, 1, INT32_MAX)},
    {"seed", 0, "S", "seed of the random numbers (default 0)",
     CLI_COUNT(search_options, seed, 0, INT32_MAX)},
    {"patience", 0, "M",
     "end when M relaxations in a row found nothing new (default 1000; 0: never)",
     CLI_COUNT(search_options, patience, 0, INT32_MAX)},
    {"window", 0, "E", "minima up to E eV above the lowest count (default 0.5; 0: all)",
     CLI_NUMBER(search_options, wanted.window, 0)},
    {"kicks", 0, "K", "basin hopping: perturb the minimum of every start K times (default 0)",
     CLI_COUNT(search_options, wanted.kicks, 0, 1000000)},
    {"kick-temperature", 0, "T", "temperature of basin hopping, K (default 300)",
     CLI_NUMBER(search_options, wanted.kick_temperature, 1e-6)},
    {"same-energy", 0, "E", "minima further apart than E eV are two (default 0.002)",
     CLI_NUMBER(search_options, wanted.same_energy, 1e-12)},
    {"same-rmsd", 0, "D", "minima further apart than D angstrom are two (default 0.1)",
     CLI_NUMBER(search_options, wanted.same_rmsd, 1e-12)},
    {"temperature", 0, "T", "K: of the Boltzmann weights (default 298.15)",
     CLI_NUMBER(search_options, wanted.temperature, 1e-6)},
    {"isomers", 0, NULL, "list minima of other configurations, too",
     CLI_FLAG(search_options, wanted.isomers)},
    {"no-polish", 0, NULL, "do not refine the minima (default: relax them to 1e-6 eV/A)",
     CLI_FLAG(search_options, no_polish)},
    {"free-energies", 0, NULL,
     "weights by harmonic free energies (vibrations and rotation) instead of energies",
     CLI_FLAG(search_options, free_energies)},
    {"picture", 0, "FILE", "draw the surface and the sites of the minima, .svg"},
    {"relaxations", 0, "FILE",
     "make the list from relaxations in FILE, .h5, that --shard and 'shoal merge' wrote",
     CLI_TEXT(search_options, relaxations)},
    {NULL, 0, NULL, NULL},
};

static bool take_picture(void *target, const char *name, const char *value)
{
    ((search_options *)target)->picture = value;
    return cli_figure(name, value, "batch.search(..).plot.sites()");
}

/* --- the run -------------------------------------------------------------------------------------- */

static shoal_status format_system(void *user, const shoal_stream_system *system, shoal_string *out)
{
    return shoal_search_format(((const search_options *)user)->search, system, out);
}

static shoal_status digest(void *user, const char *text, size_t size, shoal_string *journal)
{
    return shoal_search_take(((search_options *)user)->search, text, size, journal);
}

static shoal_status replay(void *user, const char *journal, size_t size)
{
    return shoal_search_replay(((search_options *)user)->search, journal, size);
}

static bool watch_polish(void *user, const shoal_stream_progress *now)
{
    (void)user;
    (void)now;
    interrupt_keep();
    return interrupt_code() == 0;
}

static shoal_status polish(search_options *o)
{
    const shoal_polish_options options = {
        .free_energies = o->free_energies, .monitor = watch_polish, .tell = cli_tell};
    shoal_search *fine = NULL;
    o->job->stream.input.n_files = o->list.n_files;
    const shoal_status status = shoal_search_polish(&fine, o->search, &o->job->stream, &options);
    if (status == SHOAL_OK) o->found = fine;
    return status;
}

/* What stderr says of the search as a whole. Exit code: 1 where a molecule has no minimum. */
static int report(const search_options *o)
{
    const systems_job *job = o->job;
    shoal_search_counts c;
    char rate[32];
    shoal_search_count(o->search, &c);
    int64_t empty = c.molecules, lacking = 0;
    for (int64_t i = 0; i < shoal_search_n_minima(o->found); ++i) {
        shoal_minimum m;
        if (shoal_search_get(o->found, i, &m) != SHOAL_OK) continue;
        empty -= m.rank == 1;
        lacking += o->free_energies && !isfinite(m.free_energy);
    }
    if (!o->systems.quiet) {
        const char *pace = progress_about((double)job->counts.done / job->seconds, rate);
        cli_complain("%lld relaxations of %lld molecule%s: %lld minima, %lld of them listed%s%s%s",
                     (long long)c.relaxations, (long long)c.molecules, c.molecules == 1 ? "" : "s",
                     (long long)c.minima, (long long)shoal_search_n_minima(o->found),
                     o->relaxations ? "" : "; ", o->relaxations ? "" : pace,
                     o->relaxations ? "" : " relaxations/s");
        if (o->found != o->search && !o->surface.movable &&
            o->systems.typing.charges == SHOAL_CHARGES_QEQ)
            cli_complain("QEq charges are those of each minimum");
        run_say_references(&o->systems, job);
        if (c.failed + c.changed + c.above > 0)
            cli_complain("%lld did not converge, %lld changed a configuration, %lld ended above "
                         "the window",
                         (long long)c.failed, (long long)c.changed, (long long)c.above);
        if (c.once > 0)
            cli_complain("%lld minima were found once, %lld twice: about %.0f more are likely",
                         (long long)c.once, (long long)c.twice,
                         (double)c.once * (double)(c.once - 1) / (2.0 * (double)(c.twice + 1)));
        if (c.unmoved)
            cli_complain("warning: a ring of seven atoms or more was left as it is: nothing moves "
                         "it on a surface, with --kicks or beside fixed atoms");
        if (c.ended > 0)
            cli_complain("nothing new in %d relaxations ended the search of %lld molecule%s",
                         o->patience, (long long)c.ended, c.ended == 1 ? "" : "s");
        else if (o->patience > 0 && c.molecules == 1 && c.relaxations > 0)
            cli_complain("the last new minimum came %lld relaxations before the end",
                         (long long)c.since_new);
    }
    run_say_charges(&o->systems, job);
    if (lacking > 0)
        cli_complain(
            "%lld of the minima have no free energy (not stationary, or a saddle): weights "
            "of their molecules are by energies",
            (long long)lacking);
    if (job->warnings.n > 0 && !o->systems.quiet) {
        cli_complain("relaxations with a warning:");
        warnings_print(&job->warnings);
    }
    if (empty == 0) return EXIT_ALL_FINE;
    cli_complain("%lld molecule%s no minimum", (long long)empty, empty == 1 ? " has" : "s have");
    for (int k = 0; k < job->failures.n; ++k)
        (void)fprintf(stderr, "  %s\n", job->failures.lines[k]);
    return EXIT_SOME_FAILED;
}

/* The list, the files and the picture. */
static int conclude(void *user)
{
    search_options *o = user;
    shoal_status status = shoal_search_rank(o->search);
    o->found = o->search;
    if (status == SHOAL_OK && !o->no_polish && shoal_search_n_minima(o->search) > 0)
        status = polish(o);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (interrupt_code()) {
        cli_complain("interrupted by %s while minima were polished", interrupt_name());
        return o->work ? EXIT_STOPPED : interrupt_code();
    }
    o->list.search = o->found;
    o->list.n_ranks = o->job->stream.peers ? o->job->stream.peers->size : 1;
    bool prints = true;
    for (int k = 0; k < o->systems.n_outputs; ++k)
        prints = prints && strcmp(o->systems.outputs[k], "-") != 0;
    int code = search_list_write(&o->list);
    if (code == EXIT_ALL_FINE && prints) code = search_list_print(&o->list);
    if (code == EXIT_ALL_FINE && o->picture) {
        const shoal_status drawn = shoal_search_picture(o->found, 0, o->picture);
        if (drawn != SHOAL_OK) code = complain_of_status(drawn);
    }
    return code == EXIT_ALL_FINE ? report(o) : code;
}

/* The run writes a journal beside the first output, from which it can go on. */
static int choose_work(search_options *o, systems_options *inner, const char **work)
{
    const char *first = o->systems.checkpoint;
    for (int k = o->systems.n_outputs - 1; k >= 0; --k)
        if (strcmp(o->systems.outputs[k], "-") != 0) first = o->systems.outputs[k];
    inner->n_outputs = 0;
    inner->output_format = "jsonl";
    inner->json = false;
    inner->outputs = work;
    if (!first) return EXIT_ALL_FINE;
    const size_t n = strlen(first) + sizeof ".work";
    o->work = malloc(n);
    if (!o->work) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    (void)snprintf(o->work, n, "%s.work", first);
    *work = o->work;
    inner->n_outputs = 1;
    return EXIT_ALL_FINE;
}

static int attach_all(search_options *o, const char **files, int n_files)
{
    const double evaluations = (double)o->starts * (1.0 + o->wanted.kicks) *
                               shoal_job_evaluations(SHOAL_JOB_RELAX, &o->relax, NULL);
    return surface_settings_prepare(&o->surface, &o->systems, &o->compute, files, n_files,
                                    evaluations);
}

static int make_search(search_options *o)
{
    shoal_search_options *w = &o->wanted;
    w->starts = o->starts;
    w->seed = o->seed;
    w->patience = o->systems.n_shards > 0 ? 0 : o->patience; /* the whole has patience */
    w->height = o->surface.height;
    w->surface = o->compute.engine.surface;
    w->movable = o->surface.movable;
    w->fix = o->held.fix;
    w->n_fix = o->held.n_fix;
    w->rigid = o->held.molecules;
    w->directions = may_have_directions(&o->systems);
    if (o->held.n_rigid > 0)
        return cli_misuse("--rigid: a search moves molecules as they are or atoms by themselves; "
                          "expected --rigid molecules");
    if (o->compute.engine.vdw_tail || o->compute.engine.ewald)
        return cli_misuse(
            "--vdw-tail and --ewald apply to crystals; a search takes no periodic molecules");
    if (o->systems.drop_solvent || o->systems.primitive || o->systems.space_group)
        return cli_misuse("--drop-solvent, --primitive and --space-group apply to crystals; a "
                          "search takes no periodic molecules");
    if (o->free_energies && o->no_polish)
        return cli_misuse("--free-energies belong to polished minima; expected no --no-polish");
    if (o->picture && !w->surface)
        return cli_misuse("--picture shows sites on a surface; expected --surface");
    const shoal_status status = shoal_search_create(&o->search, w);
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

/* --- shards --------------------------------------------------------------------------------------- */

/* A shard writes its relaxations, whatever becomes of them; minima are those of all. */
static int run_shard(search_options *o, const char **files, int n_files, systems_job *job)
{
    shoal_run_output to = {0};
    if (o->systems.n_outputs == 1 &&
        run_choose_output(&to, o->systems.outputs[0], o->systems.output_format) != EXIT_ALL_FINE)
        return EXIT_USAGE;
    if (o->systems.n_outputs != 1 || to.kind != SHOAL_OUTPUT_HDF5 || o->relaxations || o->picture ||
        o->systems.json)
        return cli_misuse(
            "--shard writes relaxations; expected one -o FILE.h5, which 'shoal merge' "
            "puts together with the others for --relaxations");
    job->plain_records = true;
    const int code = run_systems(&o->systems, files, n_files, job);
    if (code == EXIT_ALL_FINE && job->reports && !o->systems.quiet)
        cli_complain("%lld relaxations of this shard in %s, %lld did not converge",
                     (long long)job->counts.done, to.path, (long long)job->counts.failed);
    return code;
}

/* All of them are taken, and nothing is computed but what follows. */
static int take_relaxations(search_options *o, systems_job *job)
{
    if (o->systems.resume || o->systems.n_shards > 0)
        return cli_misuse("--relaxations have been computed; expected no --resume and no --shard");
    const int code = search_shards_check(o->relaxations);
    if (code != EXIT_ALL_FINE) return code;
    const shoal_status status = shoal_search_take_file(o->search, o->relaxations);
    job->stream.input.first = INT64_MAX;
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

static int run_whole(search_options *o, const char **files, int n_files, systems_job *job)
{
    const char *work = NULL;
    systems_options inner = o->systems;
    int code = search_list_check(&o->list);
    if (code == EXIT_ALL_FINE && o->relaxations) code = take_relaxations(o, job);
    if (code == EXIT_ALL_FINE) code = choose_work(o, &inner, &work);
    if (code != EXIT_ALL_FINE) return code;
    job->format = format_system;
    job->digest = digest;
    job->replay = replay;
    job->conclude = conclude;
    code = run_systems(&inner, files, n_files, job);
    /* The journal has its name now, and is no longer wanted. */
    const bool ended = code == EXIT_ALL_FINE || code == EXIT_SOME_FAILED;
    if (ended && job->reports && o->work) (void)unlink(o->work);
    return code;
}

static int run_search(void *user, const char **files, int n_files)
{
    search_options *o = user;
    int code = attach_all(o, files, n_files);
    if (code == EXIT_ALL_FINE) code = make_search(o);
    if (code != EXIT_ALL_FINE) return code;
    o->list = (search_list){.search = o->search,
                            .options = &o->systems,
                            .compute = &o->compute,
                            .files = files,
                            .n_files = n_files,
                            .on_surface = o->wanted.surface != NULL};
    systems_job job = {.stream = {.job = SHOAL_JOB_RELAX,
                                  .compute.engine = &o->compute.engine,
                                  .compute.relax = &o->relax,
                                  .build.variants = shoal_search_variants(o->search),
                                  .compute.adsorption = o->wanted.surface != NULL,
                                  .compute.alone = shoal_search_conformers()},
                       .user = o};
    systems_hold(&o->held, &o->surface, &job.stream);
    o->job = &job;
    return o->systems.n_shards > 0 ? run_shard(o, files, n_files, &job)
                                   : run_whole(o, files, n_files, &job);
}

int cmd_search(int argc, char **argv)
{
    search_options o = {.compute.engine.device = "cpu",
                        .starts = 1000,
                        .patience = PATIENCE,
                        .wanted.window = WINDOW};
    const cli_group groups[] = {
        GROUPS_OF_FILES(&o.systems), {"search:", search_option_table, take_picture, &o},
        GROUP_OF_RUNS(&o.systems),   {"relaxation:", relax_option_table, NULL, &o.relax},
        GROUP_OF_CONSTRAINTS(o),     GROUPS_OF_COMPUTING(o),
    };
    const cli_command command = {
        .name = "search",
        .usage = "[OPTIONS] FILES",
        .purpose = "Finds the minima of every molecule, free or on a surface, from many starts.",
        .notes =
            "Starts rotate bonds, change rings and, on a surface, put the molecule anywhere in any "
            "orientation; for free\nmolecules, later starts recombine and perturb low minima of "
            "earlier ones. Minima count as one if\nenergies and geometries are the same under the "
            "symmetry of molecule and surface; mirror images of free\nmolecules are two. --fmax is "
            "0.001 here, and minima are refined. With -o or --checkpoint the run can be\nstopped, "
            "and --resume continues. Results depend on the seed, never on threads.",
        CLI_GROUPS(groups),
        CLI_ANY_FILES};
    const int code = cli_run(&command, argc, argv, run_search, &o);
    if (o.found != o.search) shoal_search_destroy(o.found);
    shoal_search_destroy(o.search);
    free(o.work);
    systems_settings_free(&o.systems, &o.surface, &o.held);
    return code;
}
