/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit: parameters of atom types from interaction energies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fit.h"
#include "interrupt.h"
#include "json.h"
#include "progress.h"
#include "systems.h"

typedef struct fit_outcome {
    shoal_fit_result result;
    shoal_cv_result cv;
    bool has_cv, stopped; /* stopped: before its end */
} fit_outcome;

/* What works for a fit look at. */
typedef struct fit_watch {
    progress bar;
    double seconds; /* that it may take */
} fit_watch;

/* Asked from any thread. */
static bool is_over(void *user)
{
    const fit_watch *w = user;
    return interrupt_code() != 0 || progress_seconds(&w->bar) > w->seconds;
}

static bool watch(void *user, int32_t step, double rmse)
{
    progress_step(&((fit_watch *)user)->bar, step, rmse / EV_PER_KCAL);
    return true;
}

static shoal_status judge(const fit_options *o, const fit_job *job,
                          const shoal_fit_run_options *run, fit_outcome *out)
{
    shoal_status status = SHOAL_OK;
    if (out->result.stopped) return SHOAL_OK; /* which all ranks know */
    if (o->n_bootstrap > 0) {
        const shoal_bootstrap_options bootstrap = {
            .n = o->n_bootstrap, .seed = run->seed, .run = *run};
        status = shoal_fit_bootstrap(job->fit, &bootstrap);
    }
    if (status == SHOAL_OK && (o->cv_folds > 0 || o->leave_monomer_out)) {
        const shoal_cv_options cv = {
            .n_folds = o->leave_monomer_out ? 0 : o->cv_folds, .seed = run->seed, .run = *run};
        status = shoal_fit_cross_validate(job->fit, &cv, &out->cv);
        out->has_cv = status == SHOAL_OK && !out->cv.stopped;
    }
    return status;
}

/* The fit, its analysis, its bootstrap and its cross-validation. A signal ends it with the best so far. */
static shoal_status compute(const fit_options *o, const fit_job *job, fit_outcome *out)
{
    fit_watch w = {.seconds = o->max_hours > 0.0 ? 3600.0 * o->max_hours : INFINITY};
    shoal_fit_run_options run = fit_run_of(o);
    run.monitor = watch;
    run.stop = is_over;
    run.user = &w;
    interrupt_keep();
    interrupt_ask(true);
    progress_begin(&w.bar, !o->quiet);
    shoal_status status = shoal_fit_run(job->fit, &run, &out->result);
    if (status == SHOAL_OK) status = shoal_fit_analyse(job->fit);
    run.monitor = NULL;
    if (status == SHOAL_OK) status = judge(o, job, &run, out);
    out->stopped = is_over(&w);
    progress_end(&w.bar);
    return status;
}

static shoal_status write_files(const fit_options *o, const fit_job *job, const fit_outcome *out)
{
    const shoal_cv_result *cv = out->has_cv ? &out->cv : NULL;
    shoal_status status = SHOAL_OK;
    if (o->output) status = shoal_fit_write_model(job->fit, o->output);
    if (status == SHOAL_OK && o->table) status = shoal_fit_write_dofs(job->fit, o->table);
    if (status == SHOAL_OK && o->samples)
        status = shoal_fit_write_samples(job->fit, cv, o->samples);
    if (status == SHOAL_OK && o->derivatives)
        status = shoal_fit_write_derivatives(job->fit, o->derivatives);
    if (status == SHOAL_OK && o->trajectory)
        status = shoal_fit_write_trajectory(job->fit, o->trajectory);
    if (status == SHOAL_OK && o->frames) status = shoal_dataset_write(job->data, o->frames);
    if (status == SHOAL_OK && o->plot) status = shoal_fit_plot(job->fit, cv, o->plot);
    return status;
}

static int print_json(const fit_options *o, const fit_job *job, const fit_outcome *out)
{
    const shoal_fit_run_options run = fit_run_of(o);
    json line = {0};
    json_open(&line, NULL, '{');
    json_text(&line, "model", o->fit.model ? o->fit.model : "morse");
    const shoal_status status = shoal_fit_json_result(&line, job->fit, job->data, &run,
                                                      &out->result, out->has_cv ? &out->cv : NULL);
    json_boolean(&line, "interrupted", out->stopped);
    if (status == SHOAL_OK) return json_print_line(&line);
    json_free(&line);
    return complain_of_status(status);
}

static void print_summary(const fit_options *o, const fit_job *job, const fit_outcome *out)
{
    const shoal_fit_result *r = &out->result;
    (void)printf("\n%s: RMSE %.6f -> %.6f eV (%.4f -> %.4f kcal/mol), %d steps, %d evaluations by "
                 "%s in %.3g s\n",
                 r->converged        ? "converged"
                 : o->max_steps == 0 ? "evaluated"
                                     : "NOT converged",
                 r->rmse_before, r->rmse, r->rmse_before / EV_PER_KCAL, r->rmse / EV_PER_KCAL,
                 r->steps, r->evaluations, shoal_fit_evaluator(job->fit), r->seconds);
    if (r->handed_over > 0)
        (void)printf("Levenberg-Marquardt stalled at step %d, L-BFGS went on\n", r->handed_over);
    if (o->n_starts > 1)
        (void)printf("%d of %d starts end in the same optimum, the best is start %d\n",
                     r->same_optimum, o->n_starts, r->best_start);
    if (out->has_cv)
        (void)printf("kept back: RMSE %.6f eV (%.4f kcal/mol), folds +- %.6f eV, median error %.4f "
                     "kcal/mol\n",
                     out->cv.rmse, out->cv.rmse / EV_PER_KCAL, out->cv.std,
                     out->cv.median / EV_PER_KCAL);
}

/* A model that no file can hold is refused before the fit, not after it. */
static shoal_status try_model(const fit_options *o, const fit_job *job)
{
    shoal_pair_model *model = NULL;
    if (!o->output) return SHOAL_OK;
    const shoal_status status = shoal_fit_pair_model(job->fit, &model);
    shoal_pair_model_destroy(model);
    return status;
}

static int report_stop(const fit_options *o)
{
    char *checkpoint = fit_checkpoint(o);
    if (interrupt_code())
        cli_complain("interrupted by %s: this is the best so far", interrupt_name());
    else
        cli_complain("stopped after %g hours: this is the best so far", o->max_hours);
    if (checkpoint)
        cli_complain("stopped with the checkpoint %s; the same command with --resume goes on",
                     checkpoint);
    free(checkpoint);
    return interrupt_code() ? interrupt_code() : EXIT_STOPPED;
}

static int fit_and_report(const fit_options *o, const fit_job *job, fit_outcome *out)
{
    shoal_status status = try_model(o, job);
    if (status == SHOAL_OK) status = compute(o, job, out);
    if (status == SHOAL_OK) status = shoal_fit_leave_peers(job->fit);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (o->follows) return EXIT_ALL_FINE;
    int code = EXIT_ALL_FINE;
    if (!o->json && !o->quiet) code = report_dofs(job, o->n_bootstrap > 0);
    if (!o->json && !o->quiet && out->has_cv) report_folds(&out->cv);
    if (!o->json && !o->quiet && out->has_cv) report_worst(&out->cv);
    if (code == EXIT_ALL_FINE)
        code = o->json ? print_json(o, job, out) : report_sets(job, out->has_cv ? &out->cv : NULL);
    if (code != EXIT_ALL_FINE) return code;
    if (!o->json) print_summary(o, job, out);
    status = write_files(o, job, out);
    if (status == SHOAL_OK) status = shoal_fit_keep_end(job->fit, !out->stopped);
    interrupt_ask(false);
    if (status != SHOAL_OK) return complain_of_status(status);
    if (out->stopped) return report_stop(o);
    if (out->result.converged || o->max_steps == 0) return EXIT_ALL_FINE;
    if (out->result.stalled)
        cli_complain("the fit stalled at step %d, where more steps change nothing: try another "
                     "--method",
                     out->result.steps);
    else
        cli_complain("the fit did not converge; see --max-steps");
    return EXIT_SOME_FAILED;
}

/* Of several ranks the first reports and writes. */
static bool be_silent(fit_options *o)
{
    o->quiet = o->follows = true;
    o->output = o->table = o->samples = o->trajectory = o->plot = o->frames = o->derivatives = NULL;
    return freopen("/dev/null", "w", stdout) != NULL;
}

static int run_alike(fit_options *o)
{
    fit_job job;
    fit_outcome out = {0};
    int code = fit_job_open(&job, o);
    if (code == EXIT_ALL_FINE && o->check_only) {
        code = check_data(&job, o->json);
    } else if (code == EXIT_ALL_FINE && o->check_derivatives) {
        code = check_derivatives(&job, o);
    } else if (code == EXIT_ALL_FINE && o->bench) {
        code = report_speed(&job, o);
    } else if (code == EXIT_ALL_FINE) {
        code = fit_and_report(o, &job, &out);
    }
    fit_job_close(&job);
    return code;
}

static int run_fit(void *user, const char **files, int n_files)
{
    fit_options *o = user;
    shoal_peers peers;
    (void)files;
    (void)n_files;
    int code = check_outputs(o);
    if (code != EXIT_ALL_FINE) return code;
    if (shoal_peers_open(&peers, false) != SHOAL_OK) return complain_of_status(SHOAL_E_DEVICE);
    char *checkpoint = fit_checkpoint(o);
    o->restart.checkpoint = checkpoint;
    o->fit.peers = &peers;
    code = peers.rank == 0 || be_silent(o) ? run_alike(o) : EXIT_DEVICE;
    shoal_peers_close(&peers);
    free(checkpoint);
    return code;
}

int cmd_fit(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "scan") == 0) return cmd_fit_scan(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "compare") == 0) return cmd_fit_compare(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "eval") == 0) return cmd_fit_eval(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "prepare") == 0) return cmd_fit_prepare(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "bonded") == 0) return cmd_fit_bonded(argc - 1, argv + 1);
    fit_options o = {.max_steps = -1};
    const cli_group groups[] = {
        {"input:", fit_input_options, take_fit_input, &o},
        {"model:", fit_model_options, take_fit_model, &o},
        {"fitting:", fit_run_options, take_fit_run, &o},
        {"going on:", fit_restart_options, NULL, &o},
        {"output:", fit_output_options, take_fit_output, &o},
    };
    const cli_command command = {
        .name = "fit",
        .usage = "--types FILE --data FILE [--data FILE ..] --dofs FILE [OPTIONS]",
        .purpose = "Fits non-covalent parameters of atom types to interaction energies of dimers.",
        .notes =
            "Energies in files are in eV. 'shoal fit prepare --help' explains how frames are made "
            "from plain\ndimers, 'shoal fit eval --help' the errors of a model, 'shoal fit compare "
            "--help' those of several,\nand 'shoal fit scan --help' scans of the objective over "
            "one or two parameters, 'shoal fit bonded --help' fits of torsions. A fit that does "
            "not\nconverge ends with exit code 1, and so does --check-derivatives with a wrong "
            "derivative. Ctrl-C ends a fit\nwith the best so far, "
            "which is written, and exit code 130;\n--resume goes on from the checkpoint.",
        CLI_GROUPS(groups),
        .min_files = 0,
        .max_files = 0};
    const int code = cli_run(&command, argc, argv, run_fit, &o);
    fit_options_free(&o);
    return code;
}
