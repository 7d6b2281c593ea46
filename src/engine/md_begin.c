/* SPDX-License-Identifier: BSD-3-Clause
 * What dynamics begins with: options, masses, degrees of freedom, temperatures and velocities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "batch/batch.h"
#include "chem/isotope.h"
#include "chem/molecule.h"
#include "constants.h"
#include "engine/bodies.h"
#include "engine/md.h"
#include "layout.h"

#define SHOAL_REAL double
#include "random.h"
#include "step_direction.h"

#define STILL 1e-6 /* of the kinetic energy: less than that in overall motion is none */

/* --- options -------------------------------------------------------------------------------------- */

static shoal_status check_range(const char *name, double value, double low, double high)
{
    if (value >= low && value <= high) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "md: %s is %g, expected %g to %g", name, value, low, high);
}

static shoal_status check_temperatures(const double *kelvin, int32_t n)
{
    if (n > 0 && !kelvin) return shoal_fail(SHOAL_E_ARGUMENT, "md: no temperatures");
    for (int32_t k = 0; k < n; ++k) SHOAL_TRY(check_range("temperature", kelvin[k], 0.0, 1e6));
    return SHOAL_OK;
}

/* Copies swap single temperatures. */
static shoal_status check_exchange(const shoal_engine *engine, const shoal_md_options *o)
{
    if (o->exchange_every == 0) return SHOAL_OK;
    SHOAL_TRY(check_range("n_copies", o->n_copies, 2.0, 1e6));
    if (engine->n_systems % o->n_copies != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "md: %d systems are no multiple of %d copies",
                          engine->n_systems, o->n_copies);
    if (o->thermostat == SHOAL_THERMOSTAT_NONE)
        return shoal_fail(SHOAL_E_ARGUMENT, "md: exchange needs a thermostat");
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        const shoal_md_system *s = o->systems ? &o->systems[i] : NULL;
        const bool own = s && s->n_temperatures > 0;
        const int32_t n = own ? s->n_temperatures : o->n_temperatures;
        if (n != 1 || !((own ? s->temperatures : o->temperatures)[0] > 0))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "md: exchange needs one temperature above 0 K of every copy");
    }
    return SHOAL_OK;
}

shoal_status md_fill_options(const shoal_engine *engine, const shoal_md_options *given,
                             shoal_md_options *o)
{
    static const double usual = 300.0;
    *o = given ? *given : (shoal_md_options){0};
    if (o->n_steps == 0) o->n_steps = MD_STEPS;
    if (o->dt == 0.0) o->dt = 0.5;
    if (o->friction == 0.0) o->friction = 0.01;
    if (o->tau == 0.0) o->tau = 20.0;
    if (o->n_temperatures == 0) {
        o->temperatures = &usual;
        o->n_temperatures = 1;
    }
    if (o->stride == 0) o->stride = o->n_steps < 1000 ? (o->n_steps + 9) / 10 : 100;
    SHOAL_TRY(check_range("n_steps", o->n_steps, 1.0, 2e9));
    SHOAL_TRY(check_range("dt", o->dt, 1e-6, 100.0));
    SHOAL_TRY(check_range("friction", o->friction, 1e-9, 1e3));
    const double fastest = o->thermostat == SHOAL_THERMOSTAT_NOSE_HOOVER ? 2.0 * o->dt : 1e-9;
    SHOAL_TRY(check_range("tau", o->tau, fastest, 1e9));
    SHOAL_TRY(check_range("stride", o->stride, 1.0, 2e9));
    SHOAL_TRY(check_range("remove_every", o->remove_every, 0.0, 2e9));
    SHOAL_TRY(check_range("exchange_every", o->exchange_every, 0.0, 2e9));
    SHOAL_TRY(check_range("thermostat", (double)o->thermostat, 0.0, 2.0));
    SHOAL_TRY(check_temperatures(o->temperatures, o->n_temperatures));
    for (int32_t i = 0; o->systems && i < engine->n_systems; ++i)
        SHOAL_TRY(check_temperatures(o->systems[i].temperatures, o->systems[i].n_temperatures));
    if (o->remove_every > 0 && o->thermostat == SHOAL_THERMOSTAT_LANGEVIN)
        return shoal_fail(SHOAL_E_ARGUMENT, "md: Langevin's thermostat drives the overall motion, "
                                            "too; there is no removing it");
    if (o->rigid_bonds && engine->bodies)
        return shoal_fail(SHOAL_E_ARGUMENT, "md: rigid bonds and rigid bodies in one run");
    return check_exchange(engine, o);
}

shoal_md_system md_system_of(const md_run *run, int32_t i)
{
    const shoal_md_options *o = &run->options;
    shoal_md_system s = o->systems ? o->systems[i] : (shoal_md_system){.key = i};
    if (s.n_temperatures == 0) {
        s.temperatures = o->temperatures;
        s.n_temperatures = o->n_temperatures;
    }
    return s;
}

/* --- temperatures --------------------------------------------------------------------------------- */

/* Step at which piece k of n begins. */
static int32_t bend_at(const md_run *run, int32_t k, int32_t n)
{
    return (int32_t)((int64_t)run->options.n_steps * k / n);
}

double md_temperature(const md_run *run, int32_t i, int32_t step)
{
    const int32_t g = run->options.n_copies;
    const bool swaps = run->options.exchange_every > 0;
    const shoal_md_system s = md_system_of(run, swaps ? i / g * g + run->walkers[i].rung : i);
    const int32_t n = s.n_temperatures - 1;
    int32_t k = 0;
    while (k < n - 1 && step >= bend_at(run, k + 1, n)) ++k;
    if (n == 0) return s.temperatures[0];
    const int32_t from = bend_at(run, k, n), to = bend_at(run, k + 1, n);
    if (step >= to) return s.temperatures[k + 1];
    const double part = (double)(step - from) / (double)(to - from);
    return s.temperatures[k] + part * (s.temperatures[k + 1] - s.temperatures[k]);
}

int32_t md_next_bend(const md_run *run, int32_t step)
{
    int32_t next = run->options.n_steps;
    for (int32_t i = 0; i < run->engine->n_systems; ++i) {
        const int32_t n = md_system_of(run, i).n_temperatures - 1;
        for (int32_t k = 1; k < n; ++k) {
            const int32_t at = bend_at(run, k, n);
            if (at > step && at < next) next = at;
        }
        if (!run->options.systems) break; /* all are alike */
    }
    return next;
}

/* --- velocities ----------------------------------------------------------------------------------- */

bool md_is_periodic(const backend_system *s)
{
    return s->view.pbc[0] || s->view.pbc[1] || s->view.pbc[2];
}

bool md_is_free(const shoal_engine *engine, int32_t i)
{
    const backend_system *s = &engine->systems[i];
    if (engine->options.surface && !(engine->options.terms_off >> SHOAL_TERM_SURFACE & 1u))
        return false;
    for (int32_t k = 0; s->fixed && k < s->view.n_atoms; ++k)
        if (s->fixed[k]) return false;
    for (int32_t k = 0; k < s->n_restraints; ++k)
        if (restraint_is_place(s->restraints[k].kind)) return false;
    return true;
}

/* Maxwell's distribution, all movers by themselves. */
static void draw(const md_run *run, int32_t i, uint64_t key, double kt)
{
    const backend_system *s = &run->engine->systems[i];
    const uint64_t seed = run->options.seed;
    double(*v)[3] = run->engine->results[i].velocities;
    const double(*pos)[3] = (const double(*)[3])run->engine->results[i].pos;
    const double *masses = run->baths[i].masses;
    for (int32_t a = 0; a < mover_count(&s->view); ++a) {
        const random_words counter = {
            {(random_word)a, 0, (random_word)key, (random_word)(key >> 32)}};
        v3 g = random_normal(
            random_make(counter, (random_word)seed, (random_word)(seed >> 32) + RANDOM_VELOCITIES));
        if (a >= s->view.n_atoms)
            g = direction_tangent(g, v3_make(pos[a][0], pos[a][1], pos[a][2]));
        const double width = s->fixed && s->fixed[a] ? 0 : sqrt(kt * ACCELERATION / masses[a]);
        v[a][0] = width * g.x;
        v[a][1] = width * g.y;
        v[a][2] = width * g.z;
    }
}

static double kinetic(const md_run *run, int32_t i, int32_t n, const double (*v)[3])
{
    double sum = 0;
    for (int32_t a = 0; a < n; ++a)
        for (int k = 0; k < 3; ++k) sum += run->baths[i].masses[a] * v[a][k] * v[a][k];
    return sum;
}

/* Degrees of freedom of overall motion that velocities of atoms lack, as those of a run in which it was taken out. */
static int32_t count_still(const md_run *run, int32_t i)
{
    const backend_system *s = &run->engine->systems[i];
    const int32_t n = s->view.n_atoms;
    const size_t n_rows = (size_t)mover_count(&s->view);
    const double(*v)[3] = (const double(*)[3])run->engine->results[i].velocities;
    const double(*pos)[3] = (const double(*)[3])run->engine->results[i].pos;
    double(*rest)[3] = shoal_alloc(n_rows, sizeof *rest);
    if (!rest || run->options.thermostat == SHOAL_THERMOSTAT_LANGEVIN ||
        !md_is_free(run->engine, i)) {
        free(rest);
        return 0;
    }
    const double all = kinetic(run, i, n, v);
    if (n_rows > 0) memcpy(rest, v, n_rows * sizeof *rest);
    const int32_t n_gone = md_remove_motion(n, s->view.n_directions, run->baths[i].masses, pos,
                                            !md_is_periodic(s), rest);
    for (int32_t a = 0; a < n; ++a)
        for (int k = 0; k < 3; ++k) rest[a][k] -= v[a][k];
    const double gone = kinetic(run, i, n, (const double(*)[3])rest);
    free(rest);
    return all > 0 && gone < STILL * all ? n_gone : 0;
}

/* Velocities that were given keep their overall motion, which counts among their degrees of freedom if there is any; they
 * are the molecule's, and whatever else moves starts at rest. Degrees of freedom of points. */
static double take_velocities(const md_run *run, int32_t i, const shoal_md_system *from)
{
    const backend_system *s = &run->engine->systems[i];
    double(*v)[3] = run->engine->results[i].velocities;
    const double(*pos)[3] = (const double(*)[3])run->engine->results[i].pos;
    const size_t n = (size_t)engine_n_atoms(run->engine, i);
    int32_t n_free = s->view.n_atoms;
    for (int32_t a = 0; s->fixed && a < s->view.n_atoms; ++a) n_free -= s->fixed[a];
    if (from->velocities) {
        memcpy(v, from->velocities, n * sizeof *v);
        memset(v + n, 0, ((size_t)mover_count(&s->view) - n) * sizeof *v);
        for (size_t a = 0; s->fixed && a < n; ++a)
            if (s->fixed[a]) memset(v[a], 0, sizeof v[a]);
        md_rigid_velocities(run, i, v);
        bodies_velocities(run->bodies, run->engine, i, v);
        return 3.0 * n_free - count_still(run, i);
    }
    draw(run, i, (uint64_t)from->key, BOLTZMANN * md_temperature(run, i, 0));
    md_rigid_velocities(run, i, v);
    bodies_velocities(run->bodies, run->engine, i, v);
    if (run->options.thermostat == SHOAL_THERMOSTAT_LANGEVIN || !md_is_free(run->engine, i))
        return 3.0 * n_free;
    return 3.0 * n_free - md_remove_motion(s->view.n_atoms, s->view.n_directions,
                                           run->baths[i].masses, pos, !md_is_periodic(s), v);
}

/* Masses of atoms, which may be given, and of electron pairs; inertias of directions. */
static shoal_status take_masses(const md_run *run, int32_t i, const double *given, double *masses)
{
    const shoal_topology_view *v = &run->engine->systems[i].view;
    const int32_t n = mover_count(v);
    const size_t n_atoms = (size_t)engine_n_atoms(run->engine, i);
    if (v->n_atoms > 0) memcpy(masses, v->masses, (size_t)v->n_atoms * sizeof *masses);
    if (given && n_atoms > 0) memcpy(masses, given, n_atoms * sizeof *masses);
    if (v->n_directions > 0)
        memcpy(masses + v->n_atoms, v->inertias, (size_t)v->n_directions * sizeof *masses);
    for (int32_t a = 0; a < n; ++a)
        if (!(masses[a] > 0 && masses[a] < 1e6))
            return shoal_fail(SHOAL_E_ARGUMENT, "md: %s %d of system %d has the %s %g",
                              a < v->n_atoms ? "atom" : "direction",
                              a < v->n_atoms ? a : a - v->n_atoms, i,
                              a < v->n_atoms ? "mass" : "inertia", masses[a]);
    return SHOAL_OK;
}

/* All that does not depend on what is rigid: with masses, but without velocities. */
static shoal_status begin_masses(md_run *run, int32_t i)
{
    shoal_engine *engine = run->engine;
    const ptrdiff_t start = engine_first_mover(engine, i);
    const shoal_md_system from = md_system_of(run, i);
    double *masses = engine->md->masses + start;
    engine->results[i].velocities = engine->md->velocities + start;
    memset(engine->results[i].thermostat, 0, sizeof engine->results[i].thermostat);
    run->framed[i] = -1;
    if (from.refusal && engine->results[i].active)
        shoal_backend_reject(&engine->results[i], engine_n_movers(engine, i), SHOAL_SYSTEM_UNTYPED,
                             "%s", from.refusal);
    run->gone[i] = !engine->results[i].active;
    run->walkers[i] = (md_walker){.sampled = -1};
    if (run->options.exchange_every > 0) run->walkers[i].rung = i % run->options.n_copies;
    if (run->gone[i]) return SHOAL_OK;
    SHOAL_TRY(take_masses(run, i, from.masses, masses));
    run->baths[i] = (backend_bath){.masses = masses, .key = (uint64_t)from.key};
    return SHOAL_OK;
}

static shoal_status begin_system(md_run *run, int32_t i)
{
    shoal_engine *engine = run->engine;
    const shoal_md_system from = md_system_of(run, i);
    if (run->gone[i]) return SHOAL_OK;
    if (run->options.rigid_bonds) SHOAL_TRY(md_rigid_begin(run, i));
    run->gone[i] = !engine->results[i].active;
    if (run->gone[i]) return SHOAL_OK;
    run->walkers[i].n_dof = take_velocities(run, i, &from) +
                            2.0 * engine->systems[i].view.n_directions -
                            md_rigid_count(&run->baths[i]) - bodies_frozen(run->bodies, i);
    return SHOAL_OK;
}

/* --- memory --------------------------------------------------------------------------------------- */

void engine_md_free(struct engine_md *md)
{
    if (!md) return;
    free(md->velocities);
    free(md->whole);
    free(md->masses);
    free(md->results);
    free(md);
}

static shoal_status allocate(md_run *run)
{
    shoal_engine *engine = run->engine;
    const size_t n = (size_t)engine->n_systems, n_rows = engine_all_movers(engine);
    engine_md_free(engine->md);
    engine->md = shoal_alloc(1, sizeof *engine->md);
    if (!engine->md) return SHOAL_E_MEMORY;
    struct engine_md *md = engine->md;
    md->velocities = shoal_alloc(n_rows, sizeof *md->velocities);
    md->whole = shoal_alloc(n_rows, sizeof *md->whole);
    md->masses = shoal_alloc(n_rows, sizeof *md->masses);
    md->results = shoal_alloc(n, sizeof *md->results);
    run->baths = shoal_alloc(n, sizeof *run->baths);
    run->walkers = shoal_alloc(n, sizeof *run->walkers);
    run->kept = shoal_alloc(n, sizeof *run->kept);
    run->gone = shoal_alloc(n, sizeof *run->gone);
    run->framed = shoal_alloc(n, sizeof *run->framed);
    run->kept_pos = shoal_alloc(n_rows, sizeof *run->kept_pos);
    run->kept_velocities = shoal_alloc(n_rows, sizeof *run->kept_velocities);
    const bool ok = md->velocities && md->whole && md->masses && md->results && run->baths &&
                    run->walkers && run->kept && run->gone && run->framed && run->kept_pos &&
                    run->kept_velocities;
    return ok ? SHOAL_OK : SHOAL_E_MEMORY;
}

void md_end(md_run *run)
{
    bodies_destroy(run->bodies);
    for (int32_t i = 0; i < run->engine->n_systems; ++i) run->engine->results[i].velocities = NULL;
    for (int32_t i = 0; i < run->engine->n_systems && run->baths; ++i)
        free((void *)(uintptr_t)run->baths[i].stars);
    free(run->baths);
    free(run->walkers);
    free(run->kept);
    free(run->gone);
    free(run->framed);
    free(run->kept_pos);
    free(run->kept_velocities);
}

void md_set_numbers(md_run *run)
{
    const shoal_md_options *o = &run->options;
    const bool stirs_chain = o->thermostat == SHOAL_THERMOSTAT_NOSE_HOOVER;
    run->md = (backend_md){.dt = o->dt,
                           .friction = stirs_chain ? 1.0 / o->tau : o->friction,
                           .tau = o->tau,
                           .most = MD_MOST,
                           .thermostat = (int32_t)o->thermostat,
                           .seed = o->seed,
                           .rigid = o->rigid_bonds,
                           .baths = run->baths};
}

shoal_status md_begin(md_run *run)
{
    SHOAL_TRY(allocate(run));
    for (int32_t i = 0; i < run->engine->n_systems; ++i) SHOAL_TRY(begin_masses(run, i));
    SHOAL_TRY(bodies_create(&run->bodies, run->engine, run->engine->md->masses));
    for (int32_t i = 0; i < run->engine->n_systems; ++i) SHOAL_TRY(begin_system(run, i));
    md_set_numbers(run);
    return SHOAL_OK;
}

/* --- masses --------------------------------------------------------------------------------------- */

/* Moves mass from the atoms that hydrogens are bound to. */
static shoal_status make_heavier(const shoal_molecule *mol, double hydrogen, double *masses)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        const bool first = mol->element[bond->i] == 1;
        const int32_t h = first ? bond->i : bond->j, to = first ? bond->j : bond->i;
        if (mol->element[h] != 1 || mol->element[to] == 1 || masses[h] >= hydrogen) continue;
        masses[to] -= hydrogen - masses[h];
        masses[h] = hydrogen;
    }
    for (int32_t a = 0; a < mol->n_atoms; ++a)
        if (mol->element[a] != 1 && masses[a] < hydrogen)
            return shoal_fail(SHOAL_E_UNSUPPORTED,
                              "hydrogens of %g amu would leave %.3g amu to atom %d", hydrogen,
                              masses[a], a);
    return SHOAL_OK;
}

shoal_status shoal_md_masses(const shoal_molecule *mol, const shoal_topology *topology,
                             double hydrogen, double *masses)
{
    shoal_clear_error();
    SHOAL_NEED(mol && topology && masses);
    SHOAL_TRY(check_range("the mass of hydrogen", hydrogen, 0.0, 20.0));
    shoal_topology_view v;
    shoal_topology_get(topology, &v);
    if (v.n_atoms != mol->n_atoms)
        return shoal_fail(SHOAL_E_ARGUMENT, "md: a molecule of %d atoms, a topology of %d",
                          mol->n_atoms, v.n_atoms);
    for (int32_t a = 0; a < v.n_atoms; ++a) {
        const int32_t number = shoal_molecule_isotope(mol, a);
        masses[a] = number > 0 ? isotope_mass(v.elements[a], number) : v.masses[a];
    }
    return hydrogen > 0 ? make_heavier(mol, hydrogen, masses) : SHOAL_OK;
}
