/* SPDX-License-Identifier: BSD-3-Clause
 * Files of a fit: types, DOFs, samples and trajectory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/objective.h"
#include "io/output.h"

/* A text in a comma-separated file. */
static void put_text(shoal_output *out, const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        shoal_output_text(out, text);
        return;
    }
    shoal_output_text(out, "\"");
    for (; *text; ++text) {
        if (*text == '"') shoal_output_text(out, "\"");
        shoal_output_put(out, (shoal_span){text, 1});
    }
    shoal_output_text(out, "\"");
}

static void put_number(shoal_output *out, double value)
{
    shoal_output_text(out, ",");
    if (isfinite(value)) shoal_output_number(out, value);
}

static shoal_status finish(shoal_output *out, shoal_status status)
{
    if (status == SHOAL_OK) status = shoal_output_close(out);
    shoal_output_destroy(out);
    return status;
}

shoal_status shoal_fit_write_dofs(const shoal_fit *fit, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(fit && path);
    shoal_output *out;
    SHOAL_TRY(shoal_output_open(&out, path));
    shoal_output_text(out, "type,comp,atoms,start,value,uncertainty,min,max,at_bound,frozen,"
                           "independent,bootstrap,low,high\n");
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < fit->n_dofs && status == SHOAL_OK; ++i) {
        shoal_dof_info d;
        status = shoal_fit_dof(fit, i, &d);
        put_text(out, d.type);
        shoal_output_format(out, ",%s,%d", d.comp, (int)d.n_atoms);
        put_number(out, d.start);
        put_number(out, d.value);
        put_number(out, d.uncertainty);
        put_number(out, d.min);
        put_number(out, d.max);
        shoal_output_format(out, ",%d,%d", d.at_bound, d.frozen);
        put_number(out, d.independent);
        put_number(out, d.bootstrap);
        put_number(out, d.low);
        put_number(out, d.high);
        shoal_output_text(out, "\n");
    }
    return finish(out, status);
}

static void put_sample(shoal_output *out, const shoal_fit *fit, int32_t s, const double *parts,
                       const shoal_cv_result *cv, const double *uncertainty)
{
    const shoal_dataset *data = fit->problem.data;
    const fit_sample *sample = &data->samples[s];
    double total = 0.0;
    shoal_output_format(out, "%d,", (int)s);
    put_text(out, data->sets[sample->set].label);
    shoal_output_text(out, ",");
    put_text(out, sample->name);
    shoal_output_text(out, ",");
    put_text(out, sample->group);
    put_number(out, sample->x0);
    put_number(out, sample->angle);
    put_number(out, dataset_weight(data, s));
    put_number(out, sample->reference);
    for (int k = 0; k < SHOAL_N_PARTS; ++k) total += parts[k];
    put_number(out, total);
    put_number(out, total - sample->reference);
    for (int k = 0; k < SHOAL_N_PARTS; ++k) put_number(out, parts[k]);
    if (cv) put_number(out, cv->predicted[s]);
    if (uncertainty) put_number(out, uncertainty[s]);
    shoal_output_text(out, "\n");
}

shoal_status shoal_fit_write_samples(shoal_fit *fit, const shoal_cv_result *cv, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(fit && path);
    if (cv && !cv->predicted)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: a cross-validation without energies", path);
    shoal_output *out;
    const int32_t n = fit->problem.data->n_samples;
    double(*parts)[SHOAL_N_PARTS] = shoal_alloc((size_t)n, sizeof *parts);
    const bool known = fit->covariance && fit->problem.n_samples == n;
    double *uncertainty = known ? shoal_alloc((size_t)n, sizeof *uncertainty) : NULL;
    shoal_status status = parts && (uncertainty || !known) ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = shoal_fit_predict(fit, parts);
    if (status == SHOAL_OK && known) status = shoal_fit_prediction_errors(fit, uncertainty);
    if (status == SHOAL_OK) status = shoal_output_open(&out, path);
    if (status == SHOAL_OK) {
        shoal_output_text(out, "sample,set,name,group,x0,angle,weight,reference_eV,model_eV,"
                               "error_eV,coulomb_eV,vdw_eV,hbond_eV,site_eV");
        if (cv) shoal_output_text(out, ",kept_back_eV");
        shoal_output_text(out, known ? ",uncertainty_eV\n" : "\n");
        for (int32_t s = 0; s < n; ++s) put_sample(out, fit, s, parts[s], cv, uncertainty);
        status = finish(out, SHOAL_OK);
    }
    free(parts);
    free(uncertainty);
    return status;
}

shoal_status shoal_fit_write_trajectory(const shoal_fit *fit, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(fit && path);
    shoal_output *out;
    const int32_t n = fit->problem.n_free;
    SHOAL_TRY(shoal_output_open(&out, path));
    shoal_output_text(out, "step,j_eV2,slope");
    for (int32_t i = 0; i < n; ++i) {
        shoal_output_text(out, ",");
        put_text(out, fit->dofs[fit->free_dofs[i]].name);
    }
    shoal_output_text(out, "\n");
    for (int32_t t = 0; t < fit->trajectory.n; ++t) {
        const double *row = &fit->trajectory.rows[t * (3 + n)];
        shoal_output_format(out, "%d", (int)row[0]);
        for (int32_t i = 1; i < 3 + n; ++i) put_number(out, row[i]);
        shoal_output_text(out, "\n");
    }
    return finish(out, SHOAL_OK);
}
