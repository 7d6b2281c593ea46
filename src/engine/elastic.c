/* SPDX-License-Identifier: BSD-3-Clause
 * Elastic constants by central differences of the stress, with the atoms relaxed at every strain. */
#include "engine/elastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "engine/relax_cell.h"
#include "geom/eigen.h"
#include "geom/lattice.h"
#include "layout.h"
#include "shoal/elastic.h"

/* --- the matrix ---------------------------------------------------------------------------------- */

/* Of powders (Hill, Proc. Phys. Soc. A 65 (1952) 349). */
static double bulk_of(const double m[6][6])
{
    return m[0][0] + m[1][1] + m[2][2] + 2 * (m[0][1] + m[0][2] + m[1][2]);
}

static double shear_of(const double m[6][6], double diagonal, double across, double shears)
{
    return diagonal * (m[0][0] + m[1][1] + m[2][2]) + across * (m[0][1] + m[0][2] + m[1][2]) +
           shears * (m[3][3] + m[4][4] + m[5][5]);
}

/* A strain of Voigt's is that of the tensor times this, where the tensor's components are orthonormal. */
static double weight(int k)
{
    return k < 3 ? 1 : sqrt(2);
}

static bool find_eigen(shoal_elastic *e, double vectors[6][6])
{
    double work[6];
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) vectors[i][k] = weight(i) * weight(k) * e->stiffness[i][k];
    if (!eigen_symmetric(6, &vectors[0][0], e->eigenvalues, work)) return false;
    e->stable = e->eigenvalues[0] > 0;
    return true;
}

static void find_compliance(const shoal_elastic *e, const double vectors[6][6], double s[6][6])
{
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            s[i][k] = 0;
            for (int m = 0; m < 6; ++m)
                s[i][k] +=
                    weight(i) * weight(k) * vectors[m][i] * vectors[m][k] / e->eigenvalues[m];
        }
}

shoal_status shoal_elastic_find(const double slopes[6][6], shoal_elastic *out)
{
    double vectors[6][6], s[6][6];
    shoal_clear_error();
    SHOAL_NEED(slopes && out);
    *out = (shoal_elastic){0};
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            if (!isfinite(slopes[i][k]))
                return shoal_fail(SHOAL_E_ARGUMENT, "elastic: slope %d,%d is %g", i, k,
                                  slopes[i][k]);
            out->stiffness[i][k] = 0.5 * (slopes[i][k] + slopes[k][i]);
            out->asymmetry = fmax(out->asymmetry, fabs(slopes[i][k] - slopes[k][i]));
        }
    if (!find_eigen(out, vectors))
        return shoal_fail(SHOAL_E_ARGUMENT, "elastic: no eigenvalues were found");
    const double(*c)[6] = (const double(*)[6])out->stiffness;
    out->bulk_voigt = bulk_of(c) / 9;
    out->shear_voigt = shear_of(c, 1 / 15.0, -1 / 15.0, 3 / 15.0);
    out->bulk_reuss = out->shear_reuss = out->bulk = out->shear = NAN;
    const double flat = 1e-9 * fabs(out->eigenvalues[5]);
    for (int k = 0; k < 6; ++k)
        if (fabs(out->eigenvalues[k]) <= flat) return SHOAL_OK;
    find_compliance(out, (const double(*)[6])vectors, s);
    out->bulk_reuss = 1 / bulk_of((const double(*)[6])s);
    out->shear_reuss = 15 / shear_of((const double(*)[6])s, 4, -4, 3);
    out->bulk = 0.5 * (out->bulk_voigt + out->bulk_reuss);
    out->shear = 0.5 * (out->shear_voigt + out->shear_reuss);
    return SHOAL_OK;
}

/* --- strains of relaxed systems ------------------------------------------------------------------- */

/* Where all systems are, and what was found there. */
typedef struct kept {
    backend_result *results;        /* [n_systems] */
    double (*pos)[3], (*forces)[3]; /* [n_movers of all] */
    double (*cells)[3][3];          /* [n_systems] */
    bool *takes;                    /* [n_systems] */
} kept;

static void kept_free(kept *k)
{
    free(k->results);
    free(k->pos);
    free(k->forces);
    free(k->cells);
    free(k->takes);
}

static bool takes_part(const shoal_engine *engine, int32_t i)
{
    const backend_result *r = &engine->results[i];
    const bool *pbc = engine->systems[i].view.pbc;
    return r->active && r->status == SHOAL_SYSTEM_CONVERGED && pbc[0] && pbc[1] && pbc[2];
}

static shoal_status keep(const shoal_engine *engine, kept *k)
{
    const size_t n = (size_t)engine->n_systems, n_movers = engine_all_movers(engine);
    *k = (kept){.results = shoal_alloc(n, sizeof *k->results),
                .pos = shoal_alloc(n_movers + 1, sizeof *k->pos),
                .forces = shoal_alloc(n_movers + 1, sizeof *k->forces),
                .cells = shoal_alloc(n, sizeof *k->cells),
                .takes = shoal_alloc(n, sizeof *k->takes)};
    if (!k->results || !k->pos || !k->forces || !k->cells || !k->takes) return SHOAL_E_MEMORY;
    memcpy(k->results, engine->results, n * sizeof *k->results);
    memcpy(k->pos, engine->pos, n_movers * sizeof *k->pos);
    memcpy(k->forces, engine->forces, n_movers * sizeof *k->forces);
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        memcpy(k->cells[i], engine->systems[i].cell, sizeof k->cells[i]);
        k->takes[i] = takes_part(engine, i);
    }
    return SHOAL_OK;
}

static void put_back(shoal_engine *engine, const kept *k)
{
    const size_t n_movers = engine_all_movers(engine);
    memcpy(engine->results, k->results, (size_t)engine->n_systems * sizeof *k->results);
    memcpy(engine->pos, k->pos, n_movers * sizeof *k->pos);
    memcpy(engine->forces, k->forces, n_movers * sizeof *k->forces);
    for (int32_t i = 0; i < engine->n_systems; ++i)
        memcpy(engine->systems[i].cell, k->cells[i], sizeof k->cells[i]);
}

/* A symmetric strain, Voigt's component k. */
static void strain_of(int k, double size, double f[3][3])
{
    static const int ends[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const int a = ends[k][0], b = ends[k][1];
    memset(f, 0, 9 * sizeof f[0][0]);
    f[a][b] = f[b][a] = a == b ? size : 0.5 * size;
}

static void seat(relax_run *run, const kept *k, int component, double size)
{
    shoal_engine *engine = run->engine;
    double f[3][3];
    put_back(engine, k);
    strain_of(component, size, f);
    run->n_done = run->n_failed = 0;
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_result *r = &engine->results[i];
        r->active = k->takes[i];
        r->steps = 0;
        r->outcome = STEP_GOING;
        if (r->active) relax_cells_strain(engine, i, (const double(*)[3])f);
        run->n_done += !r->active;
    }
}

/* The change of the stress over that of the strain, NaN where the atoms have not come to rest. */
static void add_slopes(shoal_engine *engine, int component, double by_size)
{
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const backend_result *r = &engine->results[i];
        const bool fine = r->active && r->outcome == STEP_CONVERGED;
        geom_lattice lattice;
        (void)lattice_init(&lattice, (const double(*)[3])engine->systems[i].cell,
                           engine->systems[i].view.pbc);
        for (int c = 0; c < 6; ++c)
            engine->elastic[i][c][component] +=
                fine ? r->strain[c] / lattice.measure * by_size : NAN;
    }
}

static void leave_out(shoal_engine *engine, int32_t i)
{
    const backend_result *r = &engine->results[i];
    const bool *pbc = engine->systems[i].view.pbc;
    engine->elastic[i][0][0] = NAN;
    if (!r->active) return;
    engine_warn(engine, i,
                !(pbc[0] && pbc[1] && pbc[2])
                    ? "no stiffness: it is not periodic in three directions"
                : r->status != SHOAL_SYSTEM_CONVERGED
                    ? "no stiffness: the relaxation has not converged"
                    : "no stiffness: not all strained structures have converged");
}

static shoal_status measure_all(relax_run *run, const kept *k)
{
    shoal_engine *engine = run->engine;
    const double size = run->options.elastic;
    memset(engine->elastic, 0, (size_t)engine->n_systems * sizeof *engine->elastic);
    for (int s = 0; s < 12 && !run->stop; ++s) {
        const double sign = s % 2 ? -1 : 1;
        seat(run, k, s / 2, sign * size);
        SHOAL_TRY(relax_atoms(run));
        add_slopes(engine, s / 2, sign / (2 * size));
    }
    for (int32_t i = 0; i < engine->n_systems && run->stop; ++i) engine->elastic[i][0][0] = NAN;
    return SHOAL_OK;
}

static bool is_whole(const double m[6][6])
{
    double sum = 0;
    for (int k = 0; k < 36; ++k) sum += m[k / 6][k % 6];
    return isfinite(sum);
}

shoal_status elastic_measure(relax_run *run)
{
    shoal_engine *engine = run->engine;
    const size_t n = (size_t)engine->n_systems;
    kept k;
    if (!engine->elastic) engine->elastic = shoal_alloc(n + 1, sizeof *engine->elastic);
    if (!engine->elastic) return SHOAL_E_MEMORY;
    shoal_status status = keep(engine, &k);
    if (status == SHOAL_OK) status = measure_all(run, &k);
    if (status == SHOAL_OK) put_back(engine, &k);
    kept_free(&k);
    engine->has_elastic = status == SHOAL_OK;
    for (int32_t i = 0; i < engine->n_systems && status == SHOAL_OK; ++i)
        if (!is_whole((const double(*)[6])engine->elastic[i])) leave_out(engine, i);
    return status;
}
