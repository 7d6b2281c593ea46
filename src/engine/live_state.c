/* SPDX-License-Identifier: BSD-3-Clause
 * The state of a live engine as bytes: magic, version, checksum of the rest; what it is of, its arrays, and where its motion
 * is. Numbers have the byte order of the machine, little-endian ones only. */
#include <stdlib.h>
#include <string.h>

#include "backend/state.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "engine/live.h"
#include "ff/pair_model.h"

#include "layout.h"

#define MAGIC "SHOALLIV"
#define HEAD (sizeof MAGIC - 1 + sizeof(int32_t) + sizeof(uint64_t)) /* before what is summed up */
enum { VERSION = 1, DEVICE_NAME = 16 };

/* --- what it is of -------------------------------------------------------------------------------- */

static uint64_t system_sum(uint64_t sum, const backend_system *s)
{
    const shoal_topology_view *v = &s->view;
    const size_t n = (size_t)v->n_atoms;
    const int32_t counts[] = {v->n_atoms, v->n_sites, v->n_directions, v->n_terms,      v->pbc[0],
                              v->pbc[1],  v->pbc[2],  s->n_restraints, (int32_t)s->skip};
    sum = hash_bytes(sum, counts, sizeof counts);
    sum = hash_bytes(sum, v->elements, n * sizeof *v->elements);
    for (int32_t k = 0; k < v->n_terms; ++k) {
        const int32_t kind = (int32_t)v->terms[k].kind;
        sum = hash_bytes(sum, &kind, sizeof kind);
        sum = hash_bytes(sum, v->terms[k].atoms, sizeof v->terms[k].atoms);
    }
    for (int32_t k = 0; k < s->n_restraints; ++k) {
        const int32_t kind = (int32_t)s->restraints[k].kind;
        sum = hash_bytes(sum, &kind, sizeof kind);
        sum = hash_bytes(sum, s->restraints[k].atoms, sizeof s->restraints[k].atoms);
    }
    if (v->model) {
        const shoal_pair_settings *p = shoal_pair_model_settings(v->model);
        const double numbers[] = {(double)p->form, (double)p->hbond, (double)p->coulomb, p->alpha};
        sum = hash_bytes(sum, numbers, sizeof numbers);
        sum = hash_text(sum, p->formula);
    }
    return sum;
}

/* Of all that an engine is made of and that does not change while it lives. */
static uint64_t fingerprint(const shoal_engine *engine)
{
    const shoal_engine_options *o = &engine->options;
    const double numbers[] = {o->coulomb_damping,        o->vdw_cutoff,         o->ewald_tolerance,
                              (double)o->mixing,         (double)(!!o->grid),   (double)o->vdw_tail,
                              (double)engine->n_systems, (double)o->plain_terms};
    uint64_t sum = hash_bytes(HASH_START, numbers, sizeof numbers);
    for (int32_t i = 0; i < engine->n_systems; ++i) sum = system_sum(sum, &engine->systems[i]);
    if (o->surface) {
        shoal_surface_view surface;
        shoal_surface_get(o->surface, &surface);
        sum = hash_bytes(sum, &surface.hash, sizeof surface.hash);
    }
    return sum;
}

static void device_of(const shoal_engine *engine, char name[DEVICE_NAME])
{
    memset(name, 0, DEVICE_NAME);
    (void)strncpy(name, engine->backend->name, DEVICE_NAME - 1);
}

/* --- both ways ------------------------------------------------------------------------------------ */

typedef struct live_head {
    char device[DEVICE_NAME];
    int32_t precision, on, has_md, split, step;
    uint32_t terms_off;
    uint64_t fingerprint, n_begun;
    shoal_motion motion;
} live_head;

static void pass_motion(state_pass *to, shoal_motion *m)
{
    int32_t dynamics = m->dynamics, method = (int32_t)m->method, bath = (int32_t)m->thermostat;
    state_index(to, &dynamics, 0, 1);
    state_index(to, &method, SHOAL_METHOD_LBFGS, SHOAL_METHOD_FIRE);
    STATE_VALUE(to, bath);
    m->dynamics = dynamics;
    m->method = (shoal_method)method;
    m->thermostat = (shoal_thermostat)bath;
    STATE_VALUE(to, m->fmax);
    STATE_VALUE(to, m->max_move);
    STATE_VALUE(to, m->dt);
    STATE_VALUE(to, m->friction);
    STATE_VALUE(to, m->tau);
    STATE_VALUE(to, m->temperature);
    STATE_VALUE(to, m->seed);
}

static void pass_head(state_pass *to, live_head *h)
{
    STATE_VALUE(to, h->device);
    STATE_VALUE(to, h->precision);
    STATE_VALUE(to, h->fingerprint);
    state_index(to, &h->on, 0, 1);
    state_index(to, &h->has_md, 0, 1);
    state_index(to, &h->split, 0, 1);
    STATE_VALUE(to, h->step);
    STATE_VALUE(to, h->terms_off);
    STATE_VALUE(to, h->n_begun);
    pass_motion(to, &h->motion);
}

static size_t vectors_of(const shoal_engine *engine)
{
    return engine_all_movers(engine) * 3 * sizeof(double);
}

/* Velocities of dynamics, half a step behind and at the time of the coordinates, degrees of freedom, thermostats. */
static void pass_velocities(state_pass *to, shoal_engine *engine)
{
    state_bytes(to, engine->md->velocities, vectors_of(engine));
    state_bytes(to, engine->md->whole, vectors_of(engine));
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        STATE_VALUE(to, engine->live->md.walkers[i].n_dof);
        STATE_VALUE(to, engine->results[i].thermostat);
    }
}

static void pass_counts(state_pass *to, shoal_engine *engine)
{
    for (int32_t i = 0; i < engine->n_systems; ++i) {
        backend_result *r = &engine->results[i];
        STATE_VALUE(to, r->steps);
        state_index(to, &r->outcome, STEP_GOING, STEP_UNSTABLE);
    }
}

/* Places and velocities have a form of their own. */
static bool is_kept(const shoal_engine *engine, const shoal_array *a)
{
    if (!a->writable || strcmp(a->name, "positions") == 0) return false;
    return strcmp(a->name, "velocities") != 0 ||
           (!engine->live->has_md && engine->live->velocities);
}

/* --- saving --------------------------------------------------------------------------------------- */

static shoal_status put_arrays(shoal_engine *engine, state_pass *to)
{
    shoal_array a;
    for (int32_t k = 0; shoal_array_describe(k, &a); ++k) {
        if (!is_kept(engine, &a)) continue;
        char name[sizeof a.name];
        memcpy(name, a.name, sizeof name);
        SHOAL_TRY(shoal_engine_array(engine, name, &a));
        uint64_t size = live_array_size(&a);
        STATE_VALUE(to, a.name);
        STATE_VALUE(to, size);
        state_bytes(to, a.data, size);
    }
    memset(a.name, 0, sizeof a.name); /* the end */
    STATE_VALUE(to, a.name);
    return state_status(to);
}

static shoal_status put_driver(shoal_engine *engine, state_pass *to)
{
    shoal_string *driver = NULL;
    SHOAL_TRY(shoal_string_create(&driver));
    shoal_status status = engine->backend->save(engine->exact.plan, engine->results, driver);
    if (status == SHOAL_OK) status = shoal_string_status(driver);
    uint64_t size = shoal_string_size(driver);
    if (status == SHOAL_OK) {
        pass_counts(to, engine);
        STATE_VALUE(to, size);
        shoal_string_put(to->to, shoal_string_data(driver), (size_t)size);
    }
    shoal_string_destroy(driver);
    return status;
}

static shoal_status put_rest(shoal_engine *engine, shoal_string *out)
{
    engine_live *live = engine->live;
    state_pass to = {.to = out};
    live_head h = {.precision = (int32_t)engine->exact.input.precision,
                   .on = live->on,
                   .has_md = live->has_md,
                   .split = live->own && live->own->split,
                   .step = live->step,
                   .terms_off = engine->options.terms_off,
                   .fingerprint = fingerprint(engine),
                   .n_begun = live->n_begun,
                   .motion = live->motion};
    device_of(engine, h.device);
    SHOAL_TRY(engine_live_settle(engine));
    pass_head(&to, &h);
    SHOAL_TRY(put_arrays(engine, &to));
    state_bytes(&to, engine->pos, vectors_of(engine));
    if (live->has_md) pass_velocities(&to, engine);
    if (!live->on) return state_status(&to);
    state_bytes(&to, live->start, vectors_of(engine));
    return live->part.n > 0 ? put_driver(engine, &to) : state_status(&to);
}

shoal_status shoal_engine_write_state(shoal_engine *engine, shoal_string *out)
{
    shoal_string *rest = NULL;
    const int32_t version = VERSION;
    shoal_clear_error();
    SHOAL_NEED(engine && out);
    SHOAL_TRY(engine_live_need(engine));
    SHOAL_TRY(shoal_string_create(&rest));
    shoal_status status = put_rest(engine, rest);
    if (status == SHOAL_OK) status = shoal_string_status(rest);
    if (status == SHOAL_OK) {
        const size_t size = shoal_string_size(rest);
        const uint64_t sum = hash_bytes(HASH_START, shoal_string_data(rest), size);
        shoal_string_put(out, MAGIC, sizeof MAGIC - 1);
        shoal_string_put(out, (const char *)&version, sizeof version);
        shoal_string_put(out, (const char *)&sum, sizeof sum);
        shoal_string_put(out, shoal_string_data(rest), size);
        status = shoal_string_status(out);
    }
    shoal_string_destroy(rest);
    return status;
}

/* --- going on ------------------------------------------------------------------------------------- */

static shoal_status check_whole(const unsigned char *bytes, size_t size)
{
    int32_t version;
    uint64_t sum;
    if (size < HEAD || memcmp(bytes, MAGIC, sizeof MAGIC - 1) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: %zu bytes that are no state of a live engine",
                          size);
    memcpy(&version, bytes + sizeof MAGIC - 1, sizeof version);
    memcpy(&sum, bytes + sizeof MAGIC - 1 + sizeof version, sizeof sum);
    if (version != VERSION)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: version %d, expected %d", version, VERSION);
    if (hash_bytes(HASH_START, bytes + HEAD, size - HEAD) == sum) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "state: cut off or damaged, its checksum does not fit");
}

static shoal_status check_head(const shoal_engine *engine, const live_head *h)
{
    char device[DEVICE_NAME];
    device_of(engine, device);
    if (memcmp(h->device, device, sizeof device) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: of the device '%.*s', but this one is '%s'",
                          DEVICE_NAME - 1, h->device, device);
    if (h->precision != (int32_t)engine->exact.input.precision)
        return shoal_fail(SHOAL_E_ARGUMENT, "state: it was saved in another precision");
    if (h->fingerprint != fingerprint(engine))
        return shoal_fail(SHOAL_E_ARGUMENT, "state: of other systems, or with other options");
    if (!h->split && engine->live->own && engine->live->own->split)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "state: of an engine that was not split, expected one that is not");
    return SHOAL_OK;
}

/* What is there already is no change. */
static shoal_status take_array(shoal_engine *engine, state_pass *from, const char *name,
                               uint64_t size)
{
    shoal_array a;
    SHOAL_TRY(shoal_engine_array(engine, name, &a));
    if (size != live_array_size(&a) || size > from->left || !a.writable) {
        from->failed = true;
        return state_status(from);
    }
    const bool same = size == 0 || memcmp(a.data, from->from, size) == 0;
    state_bytes(from, a.data, size);
    return same ? SHOAL_OK : shoal_engine_changed(engine, name);
}

static shoal_status take_arrays(shoal_engine *engine, state_pass *from)
{
    char name[sizeof((shoal_array *)NULL)->name];
    for (;;) {
        uint64_t size = 0;
        STATE_VALUE(from, name);
        if (from->failed) return state_status(from);
        if (!name[0]) return SHOAL_OK;
        name[sizeof name - 1] = '\0';
        STATE_VALUE(from, size);
        SHOAL_TRY(take_array(engine, from, name, size));
    }
}

/* Steps, and where they have led: the driver was started where it had been started. */
static shoal_status take_driver(shoal_engine *engine, state_pass *from)
{
    uint64_t size = 0;
    pass_counts(from, engine);
    STATE_VALUE(from, size);
    from->failed |= size != from->left;
    if (from->failed) return state_status(from);
    return engine->backend->load(engine->exact.plan, from->from, from->left);
}

static shoal_status take_motion(shoal_engine *engine, state_pass *from, const live_head *h)
{
    engine_live *live = engine->live;
    const size_t size = vectors_of(engine);
    const unsigned char *pos = from->from, *velocities = pos + size;
    const size_t of_system = sizeof(double) + sizeof engine->results->thermostat;
    const size_t of_md = h->has_md ? 2 * size + (size_t)engine->n_systems * of_system : 0;
    from->failed |= from->left < size + of_md + (h->on ? size : 0);
    if (from->failed) return state_status(from);
    memcpy(engine->pos, h->on ? velocities + of_md : pos, size);
    live->n_begun = h->n_begun - (h->on ? 1 : 0);
    SHOAL_TRY(engine_live_begin(engine, &h->motion, h->on, h->has_md));
    if (h->has_md) {
        state_pass md = {.from = velocities, .left = of_md};
        pass_velocities(&md, engine);
    }
    live->step = h->step;
    state_pass rest = {.from = velocities + of_md + size, .left = from->left - size - of_md - size};
    if (h->on && live->part.n > 0) SHOAL_TRY(take_driver(engine, &rest));
    memcpy(engine->pos, pos, size);
    return SHOAL_OK;
}

shoal_status shoal_engine_read_state(shoal_engine *engine, const void *state, size_t size)
{
    const unsigned char *bytes = state;
    live_head h = {0};
    shoal_clear_error();
    SHOAL_NEED(engine && state);
    SHOAL_TRY(check_whole(bytes, size));
    SHOAL_TRY(engine_live_need(engine));
    state_pass from = {.from = bytes + HEAD, .left = size - HEAD};
    pass_head(&from, &h);
    SHOAL_TRY(state_status(&from));
    SHOAL_TRY(check_head(engine, &h));
    SHOAL_TRY(engine_live_pause(engine));
    engine_live_drop_md(engine);
    if (h.split && !(engine->live->own && engine->live->own->split))
        SHOAL_TRY(shoal_engine_split(engine));
    SHOAL_TRY(shoal_engine_set_terms_off(engine, h.terms_off));
    SHOAL_TRY(take_arrays(engine, &from));
    SHOAL_TRY(take_motion(engine, &from, &h));
    engine->evaluated = h.on;
    engine->flat_is_fresh = false;
    return SHOAL_OK;
}
