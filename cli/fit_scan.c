/* SPDX-License-Identifier: BSD-3-Clause
 * shoal fit scan: the objective along one or two parameters, with analytic and numeric slopes. */
#include "fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "systems.h"

typedef struct scan_axis {
    const char *name; /* TYPE.COMP */
    double from, to;
    int n;
    int32_t dof;
} scan_axis;

typedef struct scan_options {
    fit_options fit;
    scan_axis axes[2];
    int n_axes;
    bool fitted;
} scan_options;

static const cli_option scan_option_table[] = {
    {"dof", 0, "TYPE.C=A:B:N",
     "parameter, e.g. H_O.R=1.2:1.7:26, *.alpha=1.4:1.8:9; once or twice"},
    {"fitted", 0, NULL, "run the fit first and scan around its values (default: start values)",
     CLI_FLAG(scan_options, fitted)},
    {NULL, 0, NULL, NULL},
};

static bool take_scan_option(void *target, const char *name, const char *value)
{
    scan_options *o = target;
    (void)name;
    const char *equals = strrchr(value, '=');
    scan_axis axis = {.name = value};
    char *end = NULL;
    if (equals) {
        axis.from = strtod(equals + 1, &end);
        if (*end == ':') axis.to = strtod(end + 1, &end);
        if (*end == ':') axis.n = (int)strtol(end + 1, &end, 10);
    }
    if (!equals || *end || axis.n < 1 || axis.n > 100000 || o->n_axes == 2)
        return cli_refuse("--dof '%s': expected TYPE.COMP=FROM:TO:POINTS, once or twice", value);
    o->axes[o->n_axes++] = axis;
    return true;
}

static bool find_dof(const shoal_fit *fit, scan_axis *axis)
{
    const size_t length = (size_t)(strrchr(axis->name, '=') - axis->name);
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_dof_info d;
        char name[64];
        if (shoal_fit_dof(fit, i, &d) != SHOAL_OK) continue;
        (void)snprintf(name, sizeof name, "%s.%s", d.type, d.comp);
        if (strlen(name) != length || strncmp(name, axis->name, length) != 0) continue;
        axis->dof = i;
        return true;
    }
    return cli_refuse("--dof '%s': no such parameter among the DOFs", axis->name);
}

static double axis_value(const scan_axis *axis, int k)
{
    return axis->n == 1 ? axis->from : axis->from + (axis->to - axis->from) * k / (axis->n - 1);
}

static void print_point(const scan_options *o, const shoal_scan_point *p)
{
    const bool two = o->n_axes == 2;
    if (!o->fit.json) {
        (void)printf("%14.8g", p->a);
        if (two) (void)printf("%14.8g", p->b);
        (void)printf("%22.14e%22.14e%22.14e", p->j, p->slope_a, p->numeric_a);
        if (two) (void)printf("%22.14e%22.14e", p->slope_b, p->numeric_b);
        (void)printf("\n");
        return;
    }
    json line = {0};
    json_open(&line, NULL, '{');
    shoal_fit_json_point(&line, p, two);
    (void)json_print_line(&line);
}

/* Prints every point and, with *points, keeps it: [n_a][n_b]. */
static int scan(const scan_options *o, shoal_fit *fit, shoal_scan_point *points)
{
    const scan_axis *a = &o->axes[0], *b = o->n_axes == 2 ? &o->axes[1] : NULL;
    if (!o->fit.json)
        (void)printf(b ? "# a, b, J/eV^2, dJ/da analytic, numeric, dJ/db analytic, numeric\n"
                       : "# a, J/eV^2, dJ/da analytic, numeric\n");
    for (int i = 0; i < a->n; ++i) {
        for (int k = 0; k < (b ? b->n : 1); ++k) {
            shoal_scan_point p = {.a = axis_value(a, i), .b = b ? axis_value(b, k) : 0.0};
            const shoal_status status = shoal_fit_scan_point(fit, a->dof, b ? b->dof : -1, &p);
            if (status != SHOAL_OK) return complain_of_status(status);
            print_point(o, &p);
            if (points) *points++ = p;
        }
        if (b && !o->fit.json) (void)printf("\n"); /* rows of a map, as gnuplot takes them */
    }
    return EXIT_ALL_FINE;
}

/* FILE.svg, or FILE-scan.svg. */
static shoal_status draw(const char *plot, shoal_fit *fit, const shoal_fit_scan *scan)
{
    const size_t n = strlen(plot), room = n + 16;
    char *path = malloc(room);
    if (!path) return SHOAL_E_MEMORY;
    const bool ends = n > 4 && strcmp(plot + n - 4, ".svg") == 0;
    (void)snprintf(path, room, "%s%s", plot, ends ? "" : "-scan.svg");
    const shoal_status status = shoal_fit_plot_scan(fit, scan, path);
    free(path);
    return status;
}

static int scan_and_plot(const scan_options *o, shoal_fit *fit)
{
    const scan_axis *a = &o->axes[0], *b = o->n_axes == 2 ? &o->axes[1] : NULL;
    if (!o->fit.plot) return scan(o, fit, NULL);
    shoal_scan_point *points = calloc((size_t)a->n * (size_t)(b ? b->n : 1), sizeof *points);
    if (!points) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    int code = scan(o, fit, points);
    if (code == EXIT_ALL_FINE) {
        const shoal_fit_scan drawn = {a->dof, b ? b->dof : -1, a->n, b ? b->n : 1, points};
        const shoal_status status = draw(o->fit.plot, fit, &drawn);
        if (status != SHOAL_OK) code = complain_of_status(status);
    }
    free(points);
    return code;
}

static int run_scan(void *user, const char **files, int n_files)
{
    scan_options *o = user;
    fit_job job;
    shoal_fit_result result;
    (void)files;
    (void)n_files;
    if (o->n_axes == 0)
        return cli_misuse("fit scan: --dof names what to scan; see 'shoal fit scan --help'");
    if (o->fit.cv_folds > 0 || o->fit.leave_monomer_out || o->fit.check_only ||
        o->fit.check_derivatives || o->fit.bench || o->fit.n_bootstrap > 0)
        return cli_misuse("fit scan: --cv, --leave-monomer-out, --bootstrap, --check-only, "
                          "--check-derivatives and --bench belong to 'shoal fit'");
    const bool fits = o->fit.run.method || o->fit.max_steps >= 0 || o->fit.n_starts > 0 ||
                      o->fit.seed > 0 || o->fit.fit.pool != 0 || o->fit.choose_pool;
    if (fits && !o->fitted)
        return cli_misuse(
            "fit scan: --method, --max-steps, --starts, --seed and --pool are those of "
            "the fit of --fitted");
    int code = fit_job_open(&job, &o->fit);
    for (int k = 0; k < o->n_axes && code == EXIT_ALL_FINE; ++k)
        if (!find_dof(job.fit, &o->axes[k])) code = EXIT_USAGE;
    if (code == EXIT_ALL_FINE && o->fitted) {
        const shoal_fit_run_options run = fit_run_of(&o->fit);
        const shoal_status status = shoal_fit_run(job.fit, &run, &result);
        if (status != SHOAL_OK)
            code = complain_of_status(status);
        else if (!result.converged && o->fit.max_steps != 0)
            cli_complain("warning: the fit did not converge; see --max-steps");
    }
    if (code == EXIT_ALL_FINE) code = scan_and_plot(o, job.fit);
    fit_job_close(&job);
    return code;
}

int cmd_fit_scan(int argc, char **argv)
{
    scan_options o = {.fit.max_steps = -1};
    static const cli_option scan_outputs[] = {
        {"json", 0, NULL, "one JSON object per point on stdout", CLI_FLAG(fit_options, json)},
        {"plot", 0, "FILE", "draw the scan: FILE.svg, or FILE-scan.svg without the ending"},
        {NULL, 0, NULL, NULL}};
    const cli_group groups[] = {
        {"scan:", scan_option_table, take_scan_option, &o},
        {"input:", fit_input_options, take_fit_input, &o.fit},
        {"model:", fit_model_options, take_fit_model, &o.fit},
        {"fitting:", fit_run_options, take_fit_run, &o.fit},
        {"output:", scan_outputs, take_fit_output, &o.fit},
    };
    const cli_command command = {
        .name = "fit scan",
        .usage = "--types FILE --data FILE --dofs FILE --dof TYPE.C=A:B:N [--dof ..] [OPTIONS]",
        .purpose = "Prints the objective and its derivatives along one or two parameters.",
        .notes = "",
        CLI_GROUPS(groups),
        .min_files = 0,
        .max_files = 0};
    const int code = cli_run(&command, argc, argv, run_scan, &o);
    fit_options_free(&o.fit);
    return code;
}
