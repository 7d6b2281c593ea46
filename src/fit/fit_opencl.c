/* SPDX-License-Identifier: BSD-3-Clause
 * The pair loop of a fit on an OpenCL device: buffers, programs and launches. */
#include "fit/fit_opencl.h"

#ifndef SHOAL_HAVE_OPENCL

shoal_status fit_opencl_create(fit_evaluator **out, const fit_problem *problem, const char *device,
                               bool is_double)
{
    (void)problem;
    (void)device;
    (void)is_double;
    *out = NULL;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "this build of Shoal has no OpenCL");
}

shoal_status fit_opencl_slopes(fit_evaluator *ev, int32_t n_sets, const double *p,
                               const fit_target *target, double *j, double *slopes)
{
    (void)ev;
    (void)n_sets;
    (void)p;
    (void)target;
    (void)j;
    (void)slopes;
    return shoal_fail(SHOAL_E_UNSUPPORTED, "this build of Shoal has no OpenCL");
}

const char *fit_opencl_device_name(const fit_evaluator *ev)
{
    (void)ev;
    return "";
}

#else

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cl/cl_routine.h"
#include "fit/fit_code.h"
#include "fit/fit_share.h"
#include "fit/fit_tables.h"

enum { GROUP = 32, GATHER_GROUP = 64, TOGETHER = 32 };
/* Bytes of rows that are on the device at once; more sets go in several launches. */
static const double most_row_bytes = 512e6;

/* Buffers in the order of the arguments of fit_samples, from the fourth on. */
enum {
    SAMPLES,
    BLOCKS,
    ROW_START,
    ATOMS,
    TYPES,
    CHARGE_START,
    WHOLE_START,
    COLUMN_START,
    PLACES,
    FACTORS,
    SCALES,
    DIRS,
    TARGETS,
    PARAMETERS,
    ROWS,
    RESULTS,
    USE_START,
    USES,
    SUMS,
    N_BUFFERS
};

typedef struct opencl_evaluator {
    fit_evaluator base;
    cl_target *target;
    cl_code samples_code, gather_code;
    cl_routine samples, gather;
    cl_buffer buffers[N_BUFFERS];
    fit_share *share; /* with its clones */
    bool is_double;
    int32_t n_samples, n_rows, n_columns, most_atoms, n_slots;
    int32_t n_sets;    /* room for so many at once */
    void *staging;     /* reals on their way */
    int32_t n_staging; /* reals */
} opencl_evaluator;

static size_t real_size(const opencl_evaluator *e)
{
    return e->is_double ? sizeof(double) : sizeof(float);
}

/* Makes room for n reals on their way to the device or back. */
static shoal_status stage(opencl_evaluator *e, size_t n)
{
    if (n > INT32_MAX / sizeof(double))
        return shoal_fail(SHOAL_E_MEMORY, "the fit is too large for a device: %zu numbers", n);
    if ((int32_t)n <= e->n_staging) return SHOAL_OK;
    return shoal_grow(&e->staging, &e->n_staging, (int32_t)n, sizeof(double));
}

static void to_reals(const opencl_evaluator *e, const double *from, size_t n)
{
    if (e->is_double) {
        memcpy(e->staging, from, n * sizeof *from);
        return;
    }
    float *to = e->staging;
    for (size_t i = 0; i < n; ++i) to[i] = (float)from[i];
}

static double real_at(const opencl_evaluator *e, size_t i)
{
    return e->is_double ? ((const double *)e->staging)[i] : (double)((const float *)e->staging)[i];
}

static shoal_status put_reals(opencl_evaluator *e, int which, const char *label,
                              const double *values, size_t n)
{
    SHOAL_TRY(stage(e, n));
    to_reals(e, values, n);
    return cl_buffer_create(&e->buffers[which], e->target, label, n, real_size(e), e->staging);
}

static shoal_status put_ints(opencl_evaluator *e, int which, const char *label,
                             const int32_t *values, size_t n)
{
    return cl_buffer_create(&e->buffers[which], e->target, label, n, sizeof *values, values);
}

static shoal_status put_tables(opencl_evaluator *e, const fit_tables *t)
{
    const size_t n_samples = (size_t)t->n_samples, n_atoms = (size_t)t->n_atoms;
    const size_t n_places = (size_t)t->n_places;
    SHOAL_TRY(put_ints(e, SAMPLES, "samples", &t->samples[0][0], 4 * n_samples));
    SHOAL_TRY(put_ints(e, BLOCKS, "blocks", &t->blocks[0][0], 4 * (size_t)t->n_blocks));
    SHOAL_TRY(put_ints(e, ROW_START, "row_start", t->row_start, n_samples));
    SHOAL_TRY(put_reals(e, ATOMS, "atoms", &t->atoms[0][0], 4 * n_atoms));
    SHOAL_TRY(put_ints(e, TYPES, "types", t->types, n_atoms));
    SHOAL_TRY(put_ints(e, CHARGE_START, "charge_start", t->charge_start, (size_t)t->n_charges + 1));
    SHOAL_TRY(put_ints(e, WHOLE_START, "whole_start", t->whole_start, (size_t)t->n_charges + 1));
    SHOAL_TRY(
        put_ints(e, COLUMN_START, "column_start", t->column_start, (size_t)t->n_block_columns + 1));
    SHOAL_TRY(put_ints(e, PLACES, "places", t->places, n_places));
    SHOAL_TRY(put_reals(e, FACTORS, "factors", t->factors, n_places));
    SHOAL_TRY(put_reals(e, SCALES, "scales", &t->scales[0][0], 4 * n_samples));
    SHOAL_TRY(put_reals(e, DIRS, "dirs", &t->dirs[0][0], 4 * n_atoms));
    SHOAL_TRY(put_ints(e, USE_START, "use_start", t->use_start, (size_t)t->n_columns + 1));
    SHOAL_TRY(put_ints(e, USES, "uses", &t->uses[0][0], 2 * (size_t)t->n_rows));
    return cl_buffer_create(&e->buffers[TARGETS], e->target, "targets", 2 * n_samples, real_size(e),
                            NULL);
}

/* Room for the parameters and results of so many sets. */
static shoal_status make_room(opencl_evaluator *e, int32_t n_sets)
{
    const size_t n = (size_t)n_sets, size = real_size(e);
    if (n_sets <= e->n_sets) return SHOAL_OK;
    for (int k = 0; k < N_BUFFERS; ++k)
        if (k == PARAMETERS || k == ROWS || k == RESULTS || k == SUMS)
            cl_buffer_free(&e->buffers[k]);
    e->n_sets = 0;
    SHOAL_TRY(cl_buffer_create(&e->buffers[PARAMETERS], e->target, "parameters",
                               n * (size_t)e->n_slots, size, NULL));
    SHOAL_TRY(
        cl_buffer_create(&e->buffers[ROWS], e->target, "rows", n * (size_t)e->n_rows, size, NULL));
    SHOAL_TRY(cl_buffer_create(&e->buffers[RESULTS], e->target, "results",
                               4 * n * (size_t)e->n_samples, size, NULL));
    SHOAL_TRY(cl_buffer_create(&e->buffers[SUMS], e->target, "sums",
                               2 * n * ((size_t)e->n_columns + 1), size, NULL));
    e->n_sets = n_sets;
    return SHOAL_OK;
}

/* Local memory of fit_samples: at most thirteen numbers for every atom, with columns of the table eight more, and the
 * fours that all add up. */
static shoal_status set_local(opencl_evaluator *e, int32_t at, int32_t n_globals)
{
    const size_t most = (size_t)e->most_atoms, size = real_size(e);
    const size_t n_extra = (size_t)e->base.problem->model.n_extra;
    const size_t atoms = (n_extra > 0 ? 12 : 8) * most * size;
    const size_t parts = FIT_TABLE_PARTS + n_extra;
    const size_t partial = (parts * most + 4 * ((size_t)n_globals / 4 + 1)) * size;
    const int64_t have = e->target->device.info.local_bytes;
    if ((int64_t)(atoms + partial + 4 * GROUP * size) > have)
        return shoal_fail(SHOAL_E_DEVICE,
                          "a sample of %d atoms needs %zu bytes of local memory, %s has %lld",
                          (int)e->most_atoms, atoms + partial + 4 * GROUP * size,
                          e->target->device.info.name, (long long)have);
    SHOAL_TRY(cl_routine_local(&e->samples, at, "atom", atoms));
    SHOAL_TRY(cl_routine_local(&e->samples, at + 1, "partial", partial));
    return cl_routine_local(&e->samples, at + 2, "red", 4 * GROUP * size);
}

static shoal_status set_arguments(opencl_evaluator *e, const fit_target *target, int32_t n_globals)
{
    cl_routine *r = &e->samples;
    int32_t at = 3;
    SHOAL_TRY(cl_routine_int(r, 0, "n_samples", e->n_samples));
    SHOAL_TRY(cl_routine_int(r, 1, "n_rows", e->n_rows));
    SHOAL_TRY(cl_routine_int(r, 2, "n_slots", e->n_slots));
    for (int k = SAMPLES; k <= TARGETS; ++k)
        SHOAL_TRY(cl_routine_buffer(r, at++, e->buffers[k].label, &e->buffers[k]));
    SHOAL_TRY(cl_routine_real(r, at++, "clamp_from", target ? target->clamp_from : 0.0));
    SHOAL_TRY(cl_routine_real(r, at++, "clamp_to", target ? target->clamp_to : 0.0));
    for (int k = PARAMETERS; k <= RESULTS; ++k)
        SHOAL_TRY(cl_routine_buffer(r, at++, e->buffers[k].label, &e->buffers[k]));
    return set_local(e, at, n_globals);
}

static shoal_status launch_gather(opencl_evaluator *e, int32_t n_sets)
{
    cl_routine *r = &e->gather;
    static const int order[] = {USE_START, USES, ROWS, RESULTS, SUMS};
    SHOAL_TRY(cl_routine_int(r, 0, "n_samples", e->n_samples));
    SHOAL_TRY(cl_routine_int(r, 1, "n_rows", e->n_rows));
    SHOAL_TRY(cl_routine_int(r, 2, "n_columns", e->n_columns));
    for (int k = 0; k < 5; ++k)
        SHOAL_TRY(cl_routine_buffer(r, 3 + k, e->buffers[order[k]].label, &e->buffers[order[k]]));
    SHOAL_TRY(cl_routine_local(r, 8, "red", 2 * GATHER_GROUP * real_size(e)));
    return cl_routine_launch(r, (size_t)n_sets * ((size_t)e->n_columns + 1), GATHER_GROUP);
}

/* References and weights, or zeros. */
static shoal_status send_target(opencl_evaluator *e, const fit_target *target)
{
    const size_t n = (size_t)e->n_samples;
    SHOAL_TRY(stage(e, 2 * n));
    for (size_t s = 0; s < n; ++s) {
        const double pair[] = {target ? target->reference[s] : 0.0,
                               target ? target->weight[s] : 0.0};
        for (size_t k = 0; k < 2; ++k) {
            if (e->is_double)
                ((double *)e->staging)[2 * s + k] = pair[k];
            else
                ((float *)e->staging)[2 * s + k] = (float)pair[k];
        }
    }
    return cl_buffer_write(&e->buffers[TARGETS], 0, 2 * n * real_size(e), e->staging);
}

static shoal_status run_samples(opencl_evaluator *e, int32_t n_sets, const double *p,
                                const fit_target *target)
{
    const size_t n = (size_t)n_sets * (size_t)e->n_slots;
    SHOAL_TRY(make_room(e, n_sets));
    SHOAL_TRY(send_target(e, target));
    SHOAL_TRY(stage(e, n));
    to_reals(e, p, n);
    SHOAL_TRY(cl_buffer_write(&e->buffers[PARAMETERS], 0, n * real_size(e), e->staging));
    SHOAL_TRY(set_arguments(e, target, e->base.problem->n_globals));
    return cl_routine_launch(&e->samples, (size_t)n_sets * (size_t)e->n_samples, GROUP);
}

static shoal_status fetch(opencl_evaluator *e, int which, size_t n)
{
    SHOAL_TRY(stage(e, n));
    return cl_buffer_read(&e->buffers[which], 0, n * real_size(e), e->staging);
}

/* Energies, and rows where they are wanted, of many sets. */
static shoal_status many_rows(fit_evaluator *ev, int32_t n, const double *const *p,
                              double *const *energy, double *const *out)
{
    opencl_evaluator *e = (opencl_evaluator *)ev;
    const size_t n_slots = (size_t)e->n_slots, n_samples = (size_t)e->n_samples;
    const size_t n_rows = (size_t)e->n_rows;
    double *all = shoal_alloc((size_t)n * n_slots, sizeof *all);
    bool wanted = false;
    if (!all) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n; ++k) {
        memcpy(all + (size_t)k * n_slots, p[k], n_slots * sizeof *all);
        wanted = wanted || out[k];
    }
    const shoal_status status = run_samples(e, n, all, NULL);
    free(all);
    SHOAL_TRY(status);
    SHOAL_TRY(fetch(e, RESULTS, 4 * (size_t)n * n_samples));
    for (int32_t k = 0; k < n; ++k)
        for (size_t s = 0; s < n_samples; ++s)
            energy[k][s] = real_at(e, 4 * ((size_t)k * n_samples + s));
    if (!wanted) return SHOAL_OK;
    SHOAL_TRY(fetch(e, ROWS, (size_t)n * n_rows));
    for (int32_t k = 0; k < n; ++k)
        for (size_t i = 0; i < n_rows && out[k]; ++i)
            out[k][i] = real_at(e, (size_t)k * n_rows + i);
    return SHOAL_OK;
}

static shoal_status rows(fit_evaluator *ev, const double *p, double *energy, double *out)
{
    return many_rows(ev, 1, &p, &energy, &out);
}

static shoal_status energies(fit_evaluator *ev, const double *p, double *energy)
{
    return rows(ev, p, energy, NULL);
}

static shoal_status clone(const fit_evaluator *ev, fit_evaluator **out)
{
    return fit_share_clone(((const opencl_evaluator *)ev)->share, out);
}

/* The sums and what rounding took from them, added in double precision. */
static shoal_status fetch_sums(opencl_evaluator *e, int32_t n_sets, double *j, double *slopes)
{
    const size_t n = (size_t)e->n_columns + 1;
    SHOAL_TRY(fetch(e, SUMS, 2 * (size_t)n_sets * n));
    memset(slopes, 0, (size_t)n_sets * (size_t)e->n_slots * sizeof *slopes);
    for (size_t m = 0; m < (size_t)n_sets; ++m) {
        for (size_t c = 0; c < n; ++c) {
            const size_t at = 2 * (m * n + c);
            const double sum = real_at(e, at) + real_at(e, at + 1);
            if (c + 1 == n)
                j[m] = sum;
            else
                slopes[m * (size_t)e->n_slots + (size_t)e->base.problem->column_slot[c]] = sum;
        }
    }
    return SHOAL_OK;
}

shoal_status fit_opencl_slopes(fit_evaluator *ev, int32_t n_sets, const double *p,
                               const fit_target *target, double *j, double *slopes)
{
    opencl_evaluator *e = (opencl_evaluator *)ev;
    const double per_set = (double)real_size(e) * ((double)e->n_rows + 4.0 * e->n_samples);
    const double limit = fmin(most_row_bytes, (double)e->target->device.info.max_buffer_bytes);
    const int32_t most = (int32_t)fmin(fmax(limit / per_set, 1.0), 1e6);
    for (int32_t done = 0; done < n_sets;) {
        const int32_t n = n_sets - done < most ? n_sets - done : most;
        const size_t at = (size_t)done * (size_t)e->n_slots;
        SHOAL_TRY(run_samples(e, n, p + at, target));
        SHOAL_TRY(launch_gather(e, n));
        SHOAL_TRY(fetch_sums(e, n, j + done, slopes + at));
        done += n;
    }
    return SHOAL_OK;
}

static shoal_status slope(fit_evaluator *ev, const double *p, const fit_target *target, double *j,
                          double *out)
{
    return fit_opencl_slopes(ev, 1, p, target, j, out);
}

static void destroy(fit_evaluator *ev)
{
    opencl_evaluator *e = (opencl_evaluator *)ev;
    if (!e) return;
    for (int k = 0; k < N_BUFFERS; ++k) cl_buffer_free(&e->buffers[k]);
    cl_routine_free(&e->samples);
    cl_routine_free(&e->gather);
    cl_code_free(&e->samples_code);
    cl_code_free(&e->gather_code);
    cl_target_close(e->target);
    fit_share_destroy(e->share);
    free(e->staging);
    free(e);
}

static shoal_status build(opencl_evaluator *e, const fit_problem *problem)
{
    SHOAL_TRY(fit_code_samples(&e->samples_code, e->target, problem, GROUP, e->is_double));
    SHOAL_TRY(fit_code_gather(&e->gather_code, e->target, GATHER_GROUP, e->is_double));
    SHOAL_TRY(cl_routine_create(&e->samples, &e->samples_code, "fit_samples"));
    return cl_routine_create(&e->gather, &e->gather_code, "fit_gather");
}

static shoal_status start(opencl_evaluator *e, const fit_problem *problem, const char *device)
{
    fit_tables tables;
    SHOAL_TRY(fit_tables_build(&tables, problem));
    shoal_status status = cl_target_open(&e->target, device, false);
    if (status == SHOAL_OK && e->is_double && !e->target->device.info.fp64)
        status = shoal_fail(SHOAL_E_DEVICE, "%s has no double precision: ask for single precision",
                            e->target->device.info.name);
    e->n_samples = tables.n_samples;
    e->n_rows = tables.n_rows;
    e->n_columns = tables.n_columns;
    e->most_atoms = tables.most_atoms;
    e->n_slots = problem->n_slots;
    if (status == SHOAL_OK) status = put_tables(e, &tables);
    if (status == SHOAL_OK) status = build(e, problem);
    fit_tables_free(&tables);
    return status;
}

shoal_status fit_opencl_create(fit_evaluator **out, const fit_problem *problem, const char *device,
                               bool is_double)
{
    *out = NULL;
    opencl_evaluator *e = shoal_alloc(1, sizeof *e);
    if (!e) return SHOAL_E_MEMORY;
    e->is_double = is_double;
    e->base = (fit_evaluator){.name = "opencl",
                              .problem = problem,
                              .energies = energies,
                              .rows = rows,
                              .slope = slope,
                              .clone = clone,
                              .n_together = TOGETHER,
                              .destroy = destroy};
    shoal_status status = fit_share_create(&e->share, &e->base, many_rows);
    if (status == SHOAL_OK) status = start(e, problem, device);
    if (status != SHOAL_OK) {
        destroy(&e->base);
        return status;
    }
    *out = &e->base;
    return SHOAL_OK;
}

const char *fit_opencl_device_name(const fit_evaluator *ev)
{
    return ((const opencl_evaluator *)ev)->target->device.info.name;
}

#endif
