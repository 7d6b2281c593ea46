/* SPDX-License-Identifier: BSD-3-Clause
 * Systems of a check with what holds their atoms, and engines over them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "jobs/check.h"
#include "shoal/explain.h"

double check_tolerance(const shoal_check *check, int term)
{
    shoal_engine_options options = check->engine;
    if (term >= 0 && term != SHOAL_TERM_SURFACE) options.grid = NULL;
    return check->options.tolerance >= 0 ? check->options.tolerance
                                         : shoal_compare_tolerance(&options);
}

bool check_differs(const shoal_comparison *c, double most)
{
    return !c->same_status || (c->comparable && !(c->verdict <= most && c->energy_error <= most));
}

static shoal_status hold_fixed(const shoal_stream_constraints *c, const shoal_molecule *mol,
                               check_system *out)
{
    if (c->n_fix + c->n_fixed == 0) return SHOAL_OK;
    out->fixed = shoal_alloc((size_t)shoal_molecule_n_atoms(mol), sizeof *out->fixed);
    if (!out->fixed) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < c->n_fixed; ++k) out->fixed[c->fixed[k]] = true;
    for (int32_t k = 0; k < c->n_fix; ++k)
        SHOAL_TRY(shoal_selection_apply(c->fix[k], mol, out->fixed));
    out->system.fixed = out->fixed;
    return SHOAL_OK;
}

/* Those of the options, then the springs of movable layers. */
int32_t check_count_restraints(const shoal_check *check)
{
    shoal_surface_view v;
    shoal_surface_get(check->stream->build.movable, &v);
    return check->stream->constraints.n_restraints +
           (check->stream->build.movable_spring > 0 ? v.n_atoms : 0);
}

/* A position is held where the atom is, as relaxations do; atoms of movable layers, which are the last ones, where
 * they lie in the crystal. */
static shoal_status hold_restraints(const shoal_check *check, int32_t n_atoms, check_system *out)
{
    const shoal_stream_constraints *c = &check->stream->constraints;
    const int32_t n = check_count_restraints(check), n_springs = n - c->n_restraints;
    shoal_surface_view v;
    if (n == 0) return SHOAL_OK;
    out->restraints = shoal_alloc((size_t)n, sizeof *out->restraints);
    if (!out->restraints) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < c->n_restraints; ++k) {
        shoal_restraint *r = &out->restraints[k];
        *r = c->restraints[k];
        if (restraint_is_place(r->kind)) restraint_place(r, out->system.pos, r->target);
    }
    shoal_surface_get(check->stream->build.movable, &v);
    for (int32_t k = 0; k < n_springs; ++k) {
        shoal_restraint *r = &out->restraints[c->n_restraints + k];
        *r = (shoal_restraint){.kind = SHOAL_RESTRAINT_POSITION,
                               .atoms = {n_atoms - n_springs + k},
                               .k = check->stream->build.movable_spring};
        memcpy(r->target, v.pos[k], sizeof r->target);
    }
    out->system.restraints = out->restraints;
    out->system.n_restraints = n;
    return SHOAL_OK;
}

shoal_status check_hold(const shoal_check *check, const shoal_stream_system *from,
                        check_system *out)
{
    bool pbc[3];
    *out = (check_system){0};
    out->system.topology = from->topology;
    out->system.pos = shoal_molecule_positions(from->mol);
    shoal_molecule_cell(from->mol, out->cell, pbc);
    if (shoal_molecule_is_periodic(from->mol)) out->system.cell = (const double(*)[3])out->cell;
    /* One that lacks an atom which an option names is untyped. */
    if (shoal_topology_status(from->topology) != SHOAL_SYSTEM_OK) return SHOAL_OK;
    SHOAL_TRY(hold_fixed(&check->stream->constraints, from->mol, out));
    return hold_restraints(check, shoal_molecule_n_atoms(from->mol), out);
}

void check_release(check_system *held)
{
    free(held->fixed);
    free(held->restraints);
}

shoal_status check_batch(const shoal_check *check, const shoal_stream_system *systems, int32_t n,
                         shoal_batch **batch)
{
    shoal_status status = shoal_batch_create(batch);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i)
        status = shoal_check_add(check, &systems[i], *batch);
    return status;
}

shoal_engine_options check_ref(const shoal_engine_options *device)
{
    shoal_engine_options options = *device;
    options.device = "ref";
    options.precision = SHOAL_PRECISION_DOUBLE;
    return options;
}

/* The device comes first: what it cannot do need not be computed by ref. */
shoal_status check_evaluate(const shoal_batch *batch, const shoal_engine_options *device,
                            shoal_engine *engines[2])
{
    const shoal_engine_options options[2] = {check_ref(device), *device};
    shoal_status status = SHOAL_OK;
    engines[0] = engines[1] = NULL;
    for (int k = 1; k >= 0 && status == SHOAL_OK; --k) {
        status = shoal_engine_create(&engines[k], batch, &options[k]);
        if (status == SHOAL_OK) status = shoal_engine_eval(engines[k]);
    }
    return status;
}

void check_destroy(shoal_engine *engines[2])
{
    for (int k = 0; k < 2; ++k) {
        shoal_engine_destroy(engines[k]);
        engines[k] = NULL;
    }
}

void check_results(shoal_engine *const engines[2], int32_t i, shoal_result out[2])
{
    for (int k = 0; k < 2; ++k) (void)shoal_engine_result(engines[k], i, &out[k]);
}

int32_t check_count_movers(const shoal_stream_system *system)
{
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    return shoal_mover_count(&v);
}

/* ref and the device with one term; how far apart they are. */
static shoal_status compare_term(const shoal_check *check, const shoal_batch *batch,
                                 int32_t n_movers, int term, shoal_comparison *c)
{
    shoal_engine_options options = check->engine;
    shoal_engine *engines[2];
    shoal_result r[2];
    options.terms_off = ~(1u << term);
    const shoal_status status = check_evaluate(batch, &options, engines);
    if (status == SHOAL_OK) {
        check_results(engines, 0, r);
        shoal_compare(&r[0], &r[1], n_movers, c);
    }
    check_destroy(engines);
    return status;
}

shoal_status check_blame(const shoal_check *check, const shoal_system *system, int32_t n_movers,
                         int *term)
{
    const shoal_engine_options *engine = &check->engine;
    shoal_batch *batch = NULL;
    double worst = -1;
    *term = 0;
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_batch_add(batch, system);
    for (int t = 0; t < shoal_term_count() && status == SHOAL_OK; ++t) {
        shoal_comparison c = {0};
        if (engine->terms_off >> t & 1u || (t == SHOAL_TERM_SURFACE && !engine->surface)) continue;
        status = compare_term(check, batch, n_movers, t, &c);
        const double found =
            !c.same_status || isnan(c.verdict) ? INFINITY : fmax(c.verdict, c.energy_error);
        if (status != SHOAL_OK || !(found > worst)) continue;
        worst = found;
        *term = t;
    }
    shoal_batch_destroy(batch);
    return status;
}
