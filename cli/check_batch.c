/* SPDX-License-Identifier: BSD-3-Clause
 * Systems of shoal check with what holds their atoms, and engines over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "movers.h"

double check_tolerance(const check_options *o)
{
    return o->tolerance >= 0 ? o->tolerance : shoal_compare_tolerance(&o->compute.engine);
}

double check_term_tolerance(const check_options *o, int term)
{
    shoal_engine_options options = o->compute.engine;
    if (term != SHOAL_TERM_SURFACE) options.grid = NULL;
    return o->tolerance >= 0 ? o->tolerance : shoal_compare_tolerance(&options);
}

static bool hold_fixed(const constraints *c, const shoal_molecule *mol, check_system *out)
{
    if (c->n_fix == 0) return true;
    out->fixed = calloc((size_t)shoal_molecule_n_atoms(mol) + 1, sizeof *out->fixed);
    if (!out->fixed) return false;
    for (int k = 0; k < c->n_fix; ++k)
        if (shoal_selection_apply(c->fix[k], mol, out->fixed) != SHOAL_OK) return false;
    out->system.fixed = out->fixed;
    return true;
}

int32_t check_count_restraints(const check_options *o)
{
    shoal_surface_view v;
    shoal_surface_get(o->surface.movable, &v);
    return o->held.n_restraints + (o->surface.spring > 0 ? v.n_atoms : 0);
}

/* A position is held where the atom is, as relax does; atoms of movable layers, which are the last ones, where
 * they lie in the crystal. */
static bool hold_restraints(const check_options *o, int32_t n_atoms, check_system *out)
{
    const constraints *c = &o->held;
    const int32_t n = check_count_restraints(o), n_springs = n - c->n_restraints;
    shoal_surface_view v;
    if (n == 0) return true;
    out->restraints = calloc((size_t)n, sizeof *out->restraints);
    if (!out->restraints) return false;
    for (int32_t k = 0; k < c->n_restraints; ++k) {
        shoal_restraint *r = &out->restraints[k];
        *r = c->restraints[k];
        if (r->kind == SHOAL_RESTRAINT_POSITION)
            memcpy(r->target, out->system.pos[r->atoms[0]], sizeof r->target);
    }
    shoal_surface_get(o->surface.movable, &v);
    for (int32_t k = 0; k < n_springs; ++k) {
        shoal_restraint *r = &out->restraints[c->n_restraints + k];
        *r = (shoal_restraint){.kind = SHOAL_RESTRAINT_POSITION,
                               .atoms = {n_atoms - n_springs + k},
                               .k = o->surface.spring};
        memcpy(r->target, v.pos[k], sizeof r->target);
    }
    out->system.restraints = out->restraints;
    out->system.n_restraints = n;
    return true;
}

bool check_hold(const check_options *o, const shoal_stream_system *from, check_system *out)
{
    bool pbc[3];
    *out = (check_system){0};
    out->system.topology = from->topology;
    out->system.pos = shoal_molecule_positions(from->mol);
    shoal_molecule_cell(from->mol, out->cell, pbc);
    if (shoal_molecule_is_periodic(from->mol)) out->system.cell = (const double(*)[3])out->cell;
    /* One that lacks an atom which an option names is untyped. */
    if (shoal_topology_status(from->topology) != SHOAL_SYSTEM_OK) return true;
    const int32_t n_atoms = shoal_molecule_n_atoms(from->mol);
    if (hold_fixed(&o->held, from->mol, out) && hold_restraints(o, n_atoms, out)) return true;
    cli_complain("out of memory");
    return false;
}

void check_release(check_system *held)
{
    free(held->fixed);
    free(held->restraints);
}

int check_batch(const check_options *o, const shoal_stream_system *systems, int32_t n,
                shoal_batch **batch)
{
    shoal_status status = shoal_batch_create(batch);
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        check_system held;
        if (!check_hold(o, &systems[i], &held)) return EXIT_DEVICE;
        status = shoal_batch_add(*batch, &held.system);
        check_release(&held);
    }
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

shoal_status check_evaluate(const shoal_batch *batch, const shoal_engine_options *device,
                            shoal_engine *engines[2])
{
    shoal_engine_options options[2] = {*device, *device};
    options[0].device = "ref";
    options[0].precision = SHOAL_PRECISION_DOUBLE;
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
    shoal_engine_destroy(engines[0]);
    shoal_engine_destroy(engines[1]);
}

int32_t check_count_movers(const shoal_stream_system *system)
{
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    return movers_of(&v);
}

/* ref and the device with one term; how far apart they are. */
static shoal_status compare_term(const check_options *o, const shoal_batch *batch, int32_t n_movers,
                                 int term, shoal_comparison *c)
{
    shoal_engine_options options = o->compute.engine;
    shoal_engine *engines[2];
    shoal_result r[2];
    options.terms_off = ~(1u << term);
    shoal_status status = check_evaluate(batch, &options, engines);
    for (int k = 0; k < 2 && status == SHOAL_OK; ++k)
        status = shoal_engine_result(engines[k], 0, &r[k]);
    if (status == SHOAL_OK) shoal_compare(&r[0], &r[1], n_movers, c);
    check_destroy(engines);
    return status;
}

shoal_status check_blame(const check_options *o, const shoal_system *system, int32_t n_movers,
                         int *term, double *error)
{
    const shoal_engine_options *engine = &o->compute.engine;
    shoal_batch *batch = NULL;
    double worst = -1;
    *term = 0;
    *error = 0;
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = shoal_batch_add(batch, system);
    for (int t = 0; t < shoal_term_count() && status == SHOAL_OK; ++t) {
        shoal_comparison c = {0};
        if (engine->terms_off >> t & 1u || (t == SHOAL_TERM_SURFACE && !engine->surface)) continue;
        status = compare_term(o, batch, n_movers, t, &c);
        const double found =
            !c.same_status || isnan(c.verdict) ? INFINITY : fmax(c.verdict, c.energy_error);
        if (status != SHOAL_OK || !(found > worst)) continue;
        worst = found;
        *term = t;
        *error = c.force_error;
    }
    shoal_batch_destroy(batch);
    return status;
}
