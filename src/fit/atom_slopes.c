/* SPDX-License-Identifier: BSD-3-Clause
 * Derivatives of the energies of samples by the parameters of their atoms, as a table. */
#include <stdlib.h>

#include "base/alloc.h"
#include "fit/objective.h"
#include "io/output.h"

/* Nothing where it is not finite: dE/dE of an atom whose E is 0. */
static void put_slope(shoal_output *out, double value)
{
    shoal_output_text(out, ",");
    if (isfinite(value)) shoal_output_number(out, value);
}

static void put_samples(shoal_output *out, const fit_problem *problem, const double *p,
                        const fit_atom_slopes *slopes)
{
    const shoal_dataset *data = problem->data;
    shoal_output_text(out, "sample,atom,type,dE/dR,dE/dE,dE/dQ,dE/dH");
    for (int m = 0; m < problem->model.n_extra; ++m)
        shoal_output_format(out, ",dE/d%s", problem->model.extra[m]);
    shoal_output_text(out, "\n");
    for (int32_t s = 0; s < data->n_samples; ++s) {
        for (int32_t i = 0; i < data->samples[s].n_atoms; ++i) {
            const int32_t at = data->samples[s].atom_start + i, type = data->type[at];
            shoal_output_format(out, "%d,%d,%s", (int)s, (int)i,
                                shoal_atom_types_get(data->types, type)->name);
            put_slope(out, slopes[at].r);
            put_slope(out, slopes[at].y / (2.0 * p[FIT_N_COMPS * type + FIT_Y]));
            put_slope(out, slopes[at].q);
            put_slope(out, slopes[at].h);
            for (int m = 0; m < problem->model.n_extra; ++m) put_slope(out, slopes[at].extra[m]);
            shoal_output_text(out, "\n");
        }
    }
}

shoal_status shoal_fit_write_derivatives(const shoal_fit *fit, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(fit && path);
    const fit_problem *problem = &fit->problem;
    shoal_output *out = NULL;
    double *p = shoal_alloc((size_t)problem->n_slots, sizeof *p);
    fit_atom_slopes *slopes = shoal_alloc((size_t)problem->data->n_atoms, sizeof *slopes);
    shoal_status status = p && slopes ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        fit_slots(fit, fit->value, p);
        status = fit_pairs_by_atom(problem, p, slopes);
    }
    if (status == SHOAL_OK) status = shoal_output_open(&out, path);
    if (status == SHOAL_OK) {
        put_samples(out, problem, p, slopes);
        status = shoal_output_close(out);
    }
    shoal_output_destroy(out);
    free(slopes);
    free(p);
    return status;
}
