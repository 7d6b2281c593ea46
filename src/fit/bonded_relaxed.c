/* SPDX-License-Identifier: BSD-3-Clause
 * Geometries that are relaxed with the present parameters while torsions are held, and how their energies answer to
 * parameters beyond the slope at fixed places: U = E + R has a minimum, so that dx/dp = -H^-1 d(grad U)/dp and
 * dE/dp = the slope at fixed places + grad R . H^-1 d(grad U)/dp. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/bonded.h"
#include "geom/dense.h"
#include "geom/vector.h"

#define FMAX 1e-5         /* eV/angstrom */
#define DISPLACEMENT 1e-3 /* angstrom */
#define RIGID 10.0        /* eV/angstrom^2: what holds a molecule as a whole while H is inverted */

static double held_k(const shoal_bonded_fit *fit)
{
    return fit->options.held_k > 0.0 ? fit->options.held_k : 100.0;
}

static bool measure_held(const shoal_bonded_fit *fit, int32_t k, const double (*pos)[3], double *q,
                         double slope[4][3])
{
    bonded_term t = {.shape = BONDED_TORSION};
    memcpy(t.atoms, fit->held[k], sizeof t.atoms);
    return bonded_measure(&t, pos, q, slope);
}

/* Torsions are held at the values of the geometry that was given. */
static shoal_status make_restraints(const shoal_bonded_fit *fit, const bonded_geometry *g,
                                    shoal_restraint *out)
{
    for (int32_t k = 0; k < fit->options.n_held; ++k) {
        double q, slope[4][3];
        out[k] = (shoal_restraint){.kind = SHOAL_RESTRAINT_TORSION, .k = held_k(fit)};
        memcpy(out[k].atoms, fit->held[k], sizeof out[k].atoms);
        if (!measure_held(fit, k, (const double(*)[3])g->pos, &q, slope))
            return shoal_fail(SHOAL_E_FORMAT, "bonded fit: a held torsion has a straight angle");
        out[k].value = q;
    }
    return SHOAL_OK;
}

static shoal_status add_start(const shoal_bonded_fit *fit, const bonded_geometry *g,
                              shoal_restraint *restraints, shoal_batch *batch)
{
    const shoal_system system = {.topology = fit->molecules[g->molecule].present,
                                 .pos = (const double(*)[3])g->relaxed,
                                 .restraints = restraints,
                                 .n_restraints = fit->options.n_held};
    SHOAL_TRY(make_restraints(fit, g, restraints));
    return shoal_batch_add(batch, &system);
}

static shoal_status take_end(shoal_bonded_fit *fit, const shoal_engine *engine, int32_t at)
{
    bonded_geometry *g = &fit->geometries[at];
    shoal_result r;
    SHOAL_TRY(shoal_engine_result(engine, at, &r));
    if (r.status != SHOAL_SYSTEM_CONVERGED && r.status != SHOAL_SYSTEM_STALLED)
        return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: geometry %d does not relax: %s", (int)at,
                          shoal_system_status_name(r.status));
    g->present = r.energy - r.terms[SHOAL_TERM_RESTRAINT];
    memcpy(g->relaxed, shoal_engine_positions(engine, at),
           (size_t)fit->molecules[g->molecule].mol->n_atoms * sizeof *g->relaxed);
    return SHOAL_OK;
}

static shoal_status relax_all(shoal_bonded_fit *fit, shoal_batch *batch)
{
    const shoal_relax_options options = {.fmax = FMAX};
    shoal_engine *engine = NULL;
    shoal_status status = SHOAL_OK;
    shoal_restraint *restraints = shoal_alloc((size_t)fit->options.n_held, sizeof *restraints);
    if (!restraints) return SHOAL_E_MEMORY;
    for (int32_t g = 0; g < fit->n_geometries && status == SHOAL_OK; ++g)
        status = add_start(fit, &fit->geometries[g], restraints, batch);
    if (status == SHOAL_OK) status = bonded_engine(fit, batch, &engine);
    if (status == SHOAL_OK) status = shoal_engine_relax(engine, &options, NULL, NULL);
    for (int32_t g = 0; g < fit->n_geometries && status == SHOAL_OK; ++g)
        status = take_end(fit, engine, g);
    shoal_engine_destroy(engine);
    free(restraints);
    return status;
}

shoal_status bonded_relax(shoal_bonded_fit *fit)
{
    shoal_batch *batch;
    for (int32_t m = 0; m < fit->n_molecules; ++m) {
        shoal_topology_destroy(fit->molecules[m].present);
        fit->molecules[m].present = NULL;
        SHOAL_TRY(bonded_topology(fit, m, &fit->molecules[m].present));
    }
    SHOAL_TRY(shoal_batch_create(&batch));
    const shoal_status status = relax_all(fit, batch);
    shoal_batch_destroy(batch);
    return status;
}

/* --- response ------------------------------------------------------------------------------------- */

/* Six rows of n, along which the molecule moves as a whole, orthonormal; a straight one has a row of zeros. */
static void find_rigid(const double (*pos)[3], int32_t n_atoms, double *rows)
{
    const int32_t n = 3 * n_atoms;
    double centre[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < n; ++i) centre[i % 3] += pos[i / 3][i % 3] / n_atoms;
    memset(rows, 0, 6 * (size_t)n * sizeof *rows);
    for (int32_t i = 0; i < n_atoms; ++i)
        for (int c = 0; c < 3; ++c) {
            const int a = (c + 1) % 3, b = (c + 2) % 3;
            rows[c * n + 3 * i + c] = 1.0;
            rows[(3 + c) * n + 3 * i + a] = -(pos[i][b] - centre[b]);
            rows[(3 + c) * n + 3 * i + b] = pos[i][a] - centre[a];
        }
    for (int k = 0; k < 6; ++k) {
        double *row = &rows[k * n], norm = 0.0;
        for (int m = 0; m < k; ++m) {
            double along = 0.0;
            for (int32_t i = 0; i < n; ++i) along += row[i] * rows[m * n + i];
            for (int32_t i = 0; i < n; ++i) row[i] -= along * rows[m * n + i];
        }
        for (int32_t i = 0; i < n; ++i) norm += row[i] * row[i];
        for (int32_t i = 0; i < n; ++i) row[i] *= norm > 1e-8 ? 1.0 / sqrt(norm) : 0.0;
    }
}

/* 6 n_atoms systems: every coordinate a little more and a little less. */
static shoal_status add_displaced(const shoal_bonded_fit *fit, const bonded_geometry *g,
                                  shoal_restraint *restraints, shoal_batch *batch)
{
    const int32_t n = 3 * fit->molecules[g->molecule].mol->n_atoms;
    double(*pos)[3] = shoal_alloc((size_t)n / 3, sizeof *pos);
    shoal_status status = pos ? make_restraints(fit, g, restraints) : SHOAL_E_MEMORY;
    const shoal_system system = {.topology = fit->molecules[g->molecule].present,
                                 .pos = (const double(*)[3])pos,
                                 .restraints = restraints,
                                 .n_restraints = fit->options.n_held};
    for (int32_t k = 0; k < 2 * n && status == SHOAL_OK; ++k) {
        memcpy(pos, g->relaxed, (size_t)n * sizeof(double));
        pos[k / 6][k / 2 % 3] += k % 2 ? -DISPLACEMENT : DISPLACEMENT;
        status = shoal_batch_add(batch, &system);
    }
    free(pos);
    return status;
}

static shoal_status fill_hessian(const shoal_engine *engine, int32_t n, double *h)
{
    for (int32_t k = 0; k < n; ++k) {
        shoal_result more, less;
        SHOAL_TRY(shoal_engine_result(engine, 2 * k, &more));
        SHOAL_TRY(shoal_engine_result(engine, 2 * k + 1, &less));
        for (int32_t i = 0; i < n; ++i)
            h[k * n + i] =
                -(more.forces[i / 3][i % 3] - less.forces[i / 3][i % 3]) / (2.0 * DISPLACEMENT);
    }
    for (int32_t k = 0; k < n; ++k)
        for (int32_t i = 0; i < k; ++i)
            h[k * n + i] = h[i * n + k] = 0.5 * (h[k * n + i] + h[i * n + k]);
    return SHOAL_OK;
}

static void add_rigid(const double *rows, int32_t n, double *h)
{
    for (int m = 0; m < 6; ++m)
        for (int32_t k = 0; k < n; ++k)
            for (int32_t i = 0; i < n; ++i)
                h[k * n + i] += RIGID * rows[m * n + k] * rows[m * n + i];
}

static shoal_status restraint_slope(const shoal_bonded_fit *fit, const bonded_geometry *g,
                                    const shoal_restraint *restraints, double (*y)[3])
{
    memset(y, 0, (size_t)fit->molecules[g->molecule].mol->n_atoms * sizeof *y);
    for (int32_t k = 0; k < fit->options.n_held; ++k) {
        double q, slope[4][3];
        if (!measure_held(fit, k, (const double(*)[3])g->relaxed, &q, slope))
            return shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: a held torsion has become straight");
        const double d = remainder(q - restraints[k].value, 2.0 * acos(-1.0));
        for (int a = 0; a < 4; ++a)
            for (int c = 0; c < 3; ++c) y[fit->held[k][a]][c] += restraints[k].k * d * slope[a][c];
    }
    return SHOAL_OK;
}

static shoal_status solve(shoal_bonded_fit *fit, const bonded_geometry *g, shoal_batch *batch,
                          shoal_restraint *restraints, double (*y)[3])
{
    const int32_t n = 3 * fit->molecules[g->molecule].mol->n_atoms;
    shoal_engine *engine = NULL;
    double *h = shoal_alloc((size_t)n * (size_t)n + 6 * (size_t)n, sizeof *h);
    shoal_status status = h ? add_displaced(fit, g, restraints, batch) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = bonded_engine(fit, batch, &engine);
    if (status == SHOAL_OK) status = shoal_engine_eval(engine);
    if (status == SHOAL_OK) status = fill_hessian(engine, n, h);
    if (status == SHOAL_OK) status = restraint_slope(fit, g, restraints, y);
    if (status == SHOAL_OK) {
        find_rigid((const double(*)[3])g->relaxed, n / 3, h + n * n);
        add_rigid(h + n * n, n, h);
        if (!dense_solve(n, h, &y[0][0]))
            status = shoal_fail(SHOAL_E_ARGUMENT, "bonded fit: a singular Hessian");
    }
    shoal_engine_destroy(engine);
    free(h);
    return status;
}

shoal_status bonded_response(shoal_bonded_fit *fit, int32_t geometry, double (*y)[3])
{
    shoal_batch *batch;
    shoal_restraint *restraints = shoal_alloc((size_t)fit->options.n_held, sizeof *restraints);
    if (!restraints) return SHOAL_E_MEMORY;
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) {
        status = solve(fit, &fit->geometries[geometry], batch, restraints, y);
        shoal_batch_destroy(batch);
    }
    free(restraints);
    return status;
}
