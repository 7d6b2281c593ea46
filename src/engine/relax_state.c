/* SPDX-License-Identifier: BSD-3-Clause
 * The state of a relaxation of one system as bytes: magic, version, checksum of the rest; size, what it is of,
 * what was reached, and the driver's own. Numbers have the byte order of the machine, little-endian ones only. */
#include <string.h>

#include "backend/state.h"
#include "base/hash.h"
#include "batch/batch.h"
#include "engine/bodies.h"
#include "engine/md.h"
#include "engine/relax.h"
#include "ff/pair_model.h"

#define MAGIC "SHOALRLX"
#define HEAD (sizeof MAGIC - 1 + sizeof(int32_t) + sizeof(uint64_t)) /* before what is summed up */
enum { VERSION = 2, DEVICE_NAME = 16 };

static uint64_t restraint_sum(uint64_t sum, const shoal_restraint *r)
{
    const int32_t kind = (int32_t)r->kind;
    sum = hash_bytes(sum, &kind, sizeof kind);
    sum = hash_bytes(sum, r->atoms, (size_t)restraint_n_atoms(r->kind) * sizeof *r->atoms);
    sum = hash_bytes(sum, &r->k, sizeof r->k);
    sum = hash_bytes(sum, &r->value, sizeof r->value);
    return hash_bytes(sum, r->target, sizeof r->target);
}

/* What a pair model makes of the system besides radii, depths and charges of its atoms. */
static uint64_t model_sum(uint64_t sum, const shoal_topology_view *v)
{
    const shoal_pair_settings *s = shoal_pair_model_settings(v->model);
    const size_t n = (size_t)v->n_atoms, n_sites = (size_t)v->n_sites;
    const double numbers[] = {(double)s->form, (double)s->hbond,   (double)s->coulomb,
                              s->alpha,        s->coulomb_damping, s->dispersion_damping,
                              s->vdw_14,       s->coulomb_14,      (double)v->n_sites};
    sum = hash_bytes(sum, numbers, sizeof numbers);
    sum = hash_text(sum, s->formula);
    for (int32_t k = 0; k < s->n_constants; ++k) {
        sum = hash_text(sum, s->constants[k].name);
        sum = hash_bytes(sum, &s->constants[k].value, sizeof s->constants[k].value);
    }
    if (v->hbonds) sum = hash_bytes(sum, v->hbonds, n * sizeof *v->hbonds);
    for (int32_t k = 0; k < s->n_columns; ++k) sum = hash_text(sum, s->columns[k]);
    for (int32_t i = 0; i < v->n_atoms && v->table_types; ++i)
        sum = hash_bytes(sum, pair_model_columns(v, i), (size_t)s->n_columns * sizeof(double));
    sum = hash_bytes(sum, v->charges + n, n_sites * sizeof *v->charges);
    for (size_t k = 0; k < n_sites; ++k) {
        sum = hash_bytes(sum, &v->sites[k].host, sizeof v->sites[k].host);
        sum = hash_bytes(sum, v->sites[k].local, sizeof v->sites[k].local);
    }
    return sum;
}

/* Of all that tells systems and options apart, short of the terms themselves. */
static uint64_t fingerprint(const shoal_engine *engine)
{
    const backend_system *s = engine->systems;
    const shoal_topology_view *v = &s->view;
    const shoal_engine_options *o = &engine->options;
    const size_t n = (size_t)v->n_atoms;
    const double numbers[] = {
        o->coulomb_damping,      o->vdw_cutoff,          o->ewald_tolerance,  (double)o->terms_off,
        (double)o->mixing,       (double)o->plain_terms, (double)v->n_terms,  (double)(!!o->grid),
        (double)s->n_restraints, (double)v->pbc[0],      (double)v->pbc[1],   (double)v->pbc[2],
        (double)(!!s->fixed),    (double)v->has_charges, (double)o->vdw_tail, (double)o->ewald};
    uint64_t sum = hash_bytes(HASH_START, numbers, sizeof numbers);
    if (s->pair_clamp > 0) sum = hash_bytes(sum, &s->pair_clamp, sizeof s->pair_clamp);
    sum = hash_bytes(sum, v->elements, n * sizeof *v->elements);
    sum = hash_bytes(sum, v->vdw_x, n * sizeof *v->vdw_x);
    sum = hash_bytes(sum, v->vdw_d, n * sizeof *v->vdw_d);
    sum = hash_bytes(sum, v->charges, n * sizeof *v->charges);
    if (v->model) sum = model_sum(sum, v);
    if (v->n_directions > 0) {
        const size_t n_directions = (size_t)v->n_directions;
        sum = hash_bytes(sum, v->direction_atoms, n_directions * sizeof *v->direction_atoms);
        sum = hash_bytes(sum, v->inertias, n_directions * sizeof *v->inertias);
    }
    sum = hash_bytes(sum, s->cell, sizeof s->cell);
    if (s->fixed) sum = hash_bytes(sum, s->fixed, n * sizeof *s->fixed);
    for (int32_t k = 0; k < s->n_restraints; ++k) sum = restraint_sum(sum, &s->restraints[k]);
    if (o->surface) {
        shoal_surface_view surface;
        shoal_surface_get(o->surface, &surface);
        sum = hash_bytes(sum, &surface.hash, sizeof surface.hash);
    }
    return sum;
}

/* What a state belongs to; written as it is, and compared when it is read. */
typedef struct belongs {
    int32_t n_atoms, n_directions, method, precision, mixed, max_steps;
    double fmax, max_move;
    char device[DEVICE_NAME];
    uint64_t fingerprint;
} belongs;

static belongs belongs_to(const relax_run *run)
{
    const shoal_engine *e = run->engine;
    belongs b = {.n_atoms = e->systems[0].view.n_atoms,
                 .n_directions = e->systems[0].view.n_directions,
                 .method = (int32_t)run->options.method,
                 .precision = (int32_t)e->exact.input.precision,
                 .mixed = e->mixed,
                 .max_steps = run->options.max_steps,
                 .fmax = run->options.fmax,
                 .max_move = run->options.max_move,
                 .fingerprint = bodies_sum(run->bodies, 0, fingerprint(e))};
    (void)strncpy(b.device, e->backend->name, sizeof b.device - 1);
    return b;
}

static void pass_belongs(state_pass *to, belongs *b)
{
    STATE_VALUE(to, b->n_atoms);
    STATE_VALUE(to, b->n_directions);
    STATE_VALUE(to, b->method);
    STATE_VALUE(to, b->precision);
    STATE_VALUE(to, b->mixed);
    STATE_VALUE(to, b->device);
    STATE_VALUE(to, b->max_steps);
    STATE_VALUE(to, b->fmax);
    STATE_VALUE(to, b->max_move);
    STATE_VALUE(to, b->fingerprint);
}

static void pass_reached(state_pass *to, relax_state *s)
{
    int32_t phase = (int32_t)s->phase;
    state_index(to, &phase, RELAX_ONLY, RELAX_EXACT);
    s->phase = (relax_phase)phase;
    STATE_VALUE(to, s->steps);
    STATE_VALUE(to, s->outcome);
    STATE_VALUE(to, s->framed);
    STATE_VALUE(to, s->energy0);
    STATE_VALUE(to, s->terms0);
}

/* --- saving -------------------------------------------------------------------------------------- */

static void put_rest(const relax_run *run, const shoal_string *driver, shoal_string *out)
{
    const backend_result *r = run->engine->results;
    state_pass to = {.to = out};
    belongs b = belongs_to(run);
    relax_state s = {.phase = run->phase,
                     .steps = r->steps,
                     .outcome = r->outcome,
                     .framed = run->framed ? run->framed[0] : -1,
                     .energy0 = r->energy0};
    const size_t size = (size_t)engine_n_movers(run->engine, 0) * sizeof *r->pos;
    memcpy(s.terms0, r->terms0, sizeof s.terms0);
    pass_belongs(&to, &b);
    pass_reached(&to, &s);
    state_bytes(&to, run->start, size);
    state_bytes(&to, r->pos, size);
    shoal_string_put(out, shoal_string_data(driver), shoal_string_size(driver));
}

static shoal_status put_state(const relax_run *run, shoal_string *driver, shoal_string *rest,
                              shoal_string *out)
{
    const int32_t version = VERSION;
    /* First: it brings the results up to date. */
    SHOAL_TRY(run->engine->backend->save(run->plan, run->engine->results, driver));
    put_rest(run, driver, rest);
    SHOAL_TRY(shoal_string_status(driver));
    SHOAL_TRY(shoal_string_status(rest));
    const uint64_t size = HEAD + sizeof size + shoal_string_size(rest);
    uint64_t sum = hash_bytes(HASH_START, &size, sizeof size);
    sum = hash_bytes(sum, shoal_string_data(rest), shoal_string_size(rest));
    shoal_string_put(out, MAGIC, sizeof MAGIC - 1);
    shoal_string_put(out, (const char *)&version, sizeof version);
    shoal_string_put(out, (const char *)&sum, sizeof sum);
    shoal_string_put(out, (const char *)&size, sizeof size);
    shoal_string_put(out, shoal_string_data(rest), shoal_string_size(rest));
    return shoal_string_status(out);
}

shoal_status relax_state_save(const relax_run *run, shoal_string *out)
{
    shoal_string *driver = NULL, *rest = NULL;
    shoal_status status = shoal_string_create(&driver);
    if (status == SHOAL_OK) status = shoal_string_create(&rest);
    if (status == SHOAL_OK) status = put_state(run, driver, rest, out);
    shoal_string_destroy(driver);
    shoal_string_destroy(rest);
    return status;
}

shoal_status shoal_engine_save(const shoal_engine *engine, shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(engine && out);
    if (engine->md_run) return md_state_save(engine->md_run, out);
    if (engine->n_systems != 1 && !engine->stopped)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "save: the engine has %d systems, expected 1",
                          engine->n_systems);
    if (!engine->backend->save)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "save: the device '%s' has no relaxations to save",
                          engine->backend->name);
    if (engine->run && engine->run->options.cell != SHOAL_CELL_FIXED)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "save: the cell moves, and there is no state of that");
    if (engine->run) return relax_state_save(engine->run, out);
    if (!engine->stopped)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "save: no relaxation is under way, and none was stopped");
    shoal_string_put(out, shoal_string_data(engine->stopped), shoal_string_size(engine->stopped));
    return shoal_string_status(out);
}

/* --- going on ------------------------------------------------------------------------------------ */

/* The bytes are those that were written. */
static shoal_status check_whole(const unsigned char *bytes, size_t size)
{
    const size_t least = HEAD + sizeof(uint64_t);
    int32_t version;
    uint64_t sum, whole;
    if (size < least || memcmp(bytes, MAGIC, sizeof MAGIC - 1) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: %zu bytes that are no state of a relaxation",
                          size);
    memcpy(&version, bytes + sizeof MAGIC - 1, sizeof version);
    memcpy(&sum, bytes + sizeof MAGIC - 1 + sizeof version, sizeof sum);
    memcpy(&whole, bytes + HEAD, sizeof whole);
    if (version != VERSION)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: version %d, expected %d", version, VERSION);
    if (hash_bytes(HASH_START, bytes + HEAD, size - HEAD) == sum && whole == size) return SHOAL_OK;
    if (whole > size && whole < SIZE_MAX / 2)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: cut off or damaged, %zu bytes of %llu", size,
                          (unsigned long long)whole);
    return shoal_fail(SHOAL_E_ARGUMENT, "state: damaged, its checksum does not fit");
}

static shoal_status check_belongs(const belongs *wanted, const belongs *found)
{
    if (found->n_atoms != wanted->n_atoms)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: of %d atoms, but the system has %d",
                          found->n_atoms, wanted->n_atoms);
    if (found->n_directions != wanted->n_directions)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: with %d directions, but the system has %d",
                          found->n_directions, wanted->n_directions);
    if (memcmp(found->device, wanted->device, sizeof found->device) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: of the device '%.*s', but this one is '%s'",
                          DEVICE_NAME - 1, found->device, wanted->device);
    if (found->precision != wanted->precision || found->mixed != wanted->mixed)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: it was saved in another precision");
    if (found->method != wanted->method || found->max_steps != wanted->max_steps ||
        found->fmax != wanted->fmax || found->max_move != wanted->max_move)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "state: it was saved with another method, fmax, max_steps or max_move");
    if (found->fingerprint != wanted->fingerprint)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: of another system, or with other options");
    return SHOAL_OK;
}

shoal_status relax_state_open(relax_state *out, const relax_run *run, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    const shoal_engine *engine = run->engine;
    if (engine->n_systems != 1 || !engine->backend->load)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "state: engines of one system can go on, this one has %d",
                          engine->n_systems);
    SHOAL_TRY(check_whole(bytes, size));
    const size_t begin = HEAD + sizeof(uint64_t);
    state_pass from = {.from = bytes + begin, .left = size - begin};
    belongs wanted = belongs_to(run), found = {0};
    *out = (relax_state){0};
    pass_belongs(&from, &found);
    pass_reached(&from, out);
    if (!from.failed) SHOAL_TRY(check_belongs(&wanted, &found));
    const size_t pos = (size_t)engine_n_movers(engine, 0) * sizeof *engine->pos;
    from.failed |= from.left < 2 * pos || (out->phase != RELAX_ONLY) != engine->mixed;
    SHOAL_TRY(state_status(&from));
    out->start = from.from;
    out->pos = out->start + pos;
    out->driver = out->pos + pos;
    out->driver_size = from.left - 2 * pos;
    return SHOAL_OK;
}

shoal_status relax_state_load(relax_run *run)
{
    const relax_state *from = run->from;
    backend_result *r = run->engine->results;
    const size_t size = (size_t)engine_n_movers(run->engine, 0) * sizeof *r->pos;
    SHOAL_TRY(run->engine->backend->load(run->plan, from->driver, from->driver_size));
    if (size > 0) memcpy(r->pos, from->pos, size);
    r->steps = from->steps;
    r->outcome = from->outcome;
    if (run->framed) run->framed[0] = from->framed;
    run->from = NULL;
    return SHOAL_OK;
}
