/* SPDX-License-Identifier: BSD-3-Clause
 * The checks of 'shoal fit': what was read, and whether every slope is right. */
#include "fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "systems.h"

static int print_sets(const shoal_dataset *data)
{
    (void)printf("%-28s%8s%8s%9s%8s%12s%12s%12s\n", "set", "weight", "frames", "dimers", "atoms",
                 "rms E/eV", "least", "largest");
    for (int32_t k = 0; k < shoal_dataset_sets(data); ++k) {
        shoal_set_info s;
        const shoal_status status = shoal_dataset_set(data, k, &s);
        if (status != SHOAL_OK) return complain_of_status(status);
        (void)printf("%-28.28s%8.3g%8d%9d%8d%12.5f%12.5f%12.5f\n", set_name(s.label), s.weight,
                     s.n_samples, s.n_dimers, s.n_atoms, s.rms, s.least, s.most);
    }
    (void)printf("%d frames of %d dimers, %d monomers, %lld pairs of atoms\n",
                 shoal_dataset_samples(data), shoal_dataset_dimers(data),
                 shoal_dataset_monomers(data), (long long)shoal_dataset_pairs(data));
    return EXIT_ALL_FINE;
}

static void print_types(const fit_job *job)
{
    (void)printf("\n%-10s%9s%10s%12s%10s%8s  %s\n", "type", "atoms", "R/A", "E/eV", "Q/e", "H",
                 "fitted");
    for (int32_t t = 0; t < shoal_atom_types_count(job->types); ++t) {
        const shoal_atom_type *type = shoal_atom_types_get(job->types, t);
        const int32_t n = shoal_dataset_count(job->data, t);
        if (n == 0) continue;
        (void)printf("%-10s%9d%10.4f%12.6f%10.4f%8.3f ", type->name, n, type->r, type->e, type->q,
                     type->h);
        for (int32_t i = 0; job->fit && i < shoal_fit_dofs(job->fit); ++i) {
            shoal_dof_info d;
            if (shoal_fit_dof(job->fit, i, &d) == SHOAL_OK && strcmp(d.type, type->name) == 0)
                (void)printf(" %s", d.comp);
        }
        (void)printf("\n");
    }
}

static void print_frozen(const shoal_fit *fit)
{
    int n = 0;
    for (int32_t i = 0; i < shoal_fit_dofs(fit); ++i) {
        shoal_dof_info d;
        if (shoal_fit_dof(fit, i, &d) != SHOAL_OK || !d.frozen) continue;
        (void)printf("%s %s.%s (%s)", n++ == 0 ? "frozen:" : ",", d.type, d.comp, d.why);
    }
    if (n > 0) (void)printf("\n");
}

int check_data(const fit_job *job, bool as_json)
{
    if (as_json) {
        json line = {0};
        json_open(&line, NULL, '{');
        shoal_fit_json_data(&line, job->data, job->types, job->fit);
        return json_print_line(&line);
    }
    const int code = print_sets(job->data);
    if (code != EXIT_ALL_FINE) return code;
    print_types(job);
    if (!job->fit) return EXIT_ALL_FINE;
    (void)printf("\n%d parameters, %d of them free, evaluated by %s\n", shoal_fit_dofs(job->fit),
                 shoal_fit_free_dofs(job->fit), shoal_fit_evaluator(job->fit));
    print_frozen(job->fit);
    return EXIT_ALL_FINE;
}

static void print_slope(const shoal_dof_info *d, const shoal_derivative_check *c)
{
    if (d->frozen)
        (void)printf("%-12s%-6s%76s\n", d->type, d->comp, "frozen");
    else
        (void)printf("%-12s%-6s%20.12e%20.12e%12.2e%12.2e  %s\n", d->type, d->comp, c->analytic,
                     c->numeric, c->error, c->doubt, shoal_derivative_verdict(c));
}

static int finish_slopes(json *j, bool as_json, int n_failed)
{
    int code = EXIT_ALL_FINE;
    if (as_json) {
        json_close(j, ']');
        json_integer(j, "n_wrong", n_failed);
        code = json_print_line(j);
    }
    if (n_failed == 0 || code != EXIT_ALL_FINE) return code;
    cli_complain("%d derivative%s wrong", n_failed, n_failed == 1 ? " is" : "s are");
    return EXIT_SOME_FAILED;
}

/* "TYPE.COMP", "TYPE" or ".COMP"; NULL names all. */
static bool is_chosen(const shoal_dof_info *d, const char *which)
{
    char name[128];
    if (!which || strcmp(which, d->type) == 0) return true;
    (void)snprintf(name, sizeof name, "%s.%s", which[0] == '.' ? "" : d->type, d->comp);
    return strcmp(which, name) == 0;
}

int check_derivatives(const fit_job *job, const fit_options *o)
{
    const bool as_json = o->json;
    int n_failed = 0, n_chosen = 0;
    json line = {0};
    json_open(&line, NULL, '{');
    json_open(&line, "derivatives", '[');
    if (!as_json)
        (void)printf("%-12s%-6s%20s%20s%12s%12s  %s\n", "type", "comp", "analytic", "numeric",
                     "error", "doubt", "verdict");
    for (int32_t i = 0; i < shoal_fit_dofs(job->fit); ++i) {
        shoal_dof_info d;
        shoal_derivative_check c = {.passed = true, .analytic = NAN, .numeric = NAN, .error = NAN};
        shoal_status status = shoal_fit_dof(job->fit, i, &d);
        if (status == SHOAL_OK && !is_chosen(&d, o->check_dof)) continue;
        ++n_chosen;
        if (status == SHOAL_OK && !d.frozen)
            status = shoal_fit_check_derivative(job->fit, i, &o->check, &c);
        if (status != SHOAL_OK) {
            json_free(&line);
            return complain_of_status(status);
        }
        n_failed += !c.passed;
        if (as_json)
            shoal_fit_json_slope(&line, &d, &c);
        else
            print_slope(&d, &c);
    }
    int code = EXIT_USAGE;
    if (n_chosen > 0)
        code = finish_slopes(&line, as_json, n_failed);
    else
        cli_complain("fit: --check-dof '%s': no such parameter among the DOFs", o->check_dof);
    json_free(&line);
    return code;
}
