/* SPDX-License-Identifier: BSD-3-Clause
 * States of dynamics as bytes: of every system that has made a segment and is not at its end, size and checksum of what
 * follows, its key, what it is of, and where it was at the end of its last segment. States of several runs are one
 * state when they are put together. Numbers have the byte order of the machine, little-endian ones only. */
#include <string.h>

#include "backend/state.h"
#include "base/hash.h"
#include "engine/bodies.h"
#include "engine/md.h"

static const char magic[8] = "SHOALMD3";

typedef struct record_head {
    char magic[8];
    uint64_t size; /* of what follows */
    uint64_t sum;
    int64_t key;
} record_head;

/* Of all that two runs must share to go on from one another. */
static uint64_t fingerprint(const md_run *run, int32_t i)
{
    const shoal_engine *e = run->engine;
    const shoal_md_options *o = &run->options;
    const backend_system *s = &e->systems[i];
    const size_t n = (size_t)s->view.n_atoms, n_movers = (size_t)mover_count(&s->view);
    const shoal_md_system own = md_system_of(run, i);
    const double numbers[] = {(double)o->n_steps,
                              o->dt,
                              (double)o->thermostat,
                              o->friction,
                              o->tau,
                              (double)o->stride,
                              (double)o->remove_every,
                              (double)o->exchange_every,
                              (double)o->n_copies,
                              (double)e->exact.input.precision,
                              (double)s->view.n_terms,
                              (double)s->n_restraints,
                              (double)(!!s->fixed),
                              (double)s->view.n_directions,
                              (double)o->rigid_bonds};
    uint64_t sum = hash_bytes(HASH_START, numbers, sizeof numbers);
    sum = hash_bytes(sum, &o->seed, sizeof o->seed);
    sum = hash_bytes(sum, own.temperatures, (size_t)own.n_temperatures * sizeof *own.temperatures);
    sum = hash_bytes(sum, e->backend->name, strlen(e->backend->name));
    sum = hash_bytes(sum, s->cell, sizeof s->cell);
    sum = hash_bytes(sum, s->view.elements, n * sizeof *s->view.elements);
    for (int32_t k = 0; k < run->baths[i].n_stars; ++k)
        sum =
            hash_bytes(sum, run->baths[i].stars[k].lengths, sizeof run->baths[i].stars[k].lengths);
    sum = bodies_sum(run->bodies, i, sum);
    return hash_bytes(sum, run->baths[i].masses, n_movers * sizeof *run->baths[i].masses);
}

/* --- saving --------------------------------------------------------------------------------------- */

static void put_rest(const md_run *run, int32_t i, shoal_string *out)
{
    const ptrdiff_t start = engine_first_mover(run->engine, i);
    const size_t size = (size_t)engine_n_movers(run->engine, i) * sizeof *run->kept_pos;
    const uint64_t print = fingerprint(run, i);
    shoal_string_put(out, (const char *)&print, sizeof print);
    shoal_string_put(out, (const char *)&run->framed[i], sizeof run->framed[i]);
    shoal_string_put(out, (const char *)&run->kept[i], sizeof run->kept[i]);
    shoal_string_put(out, (const char *)run->kept_pos[start], size);
    shoal_string_put(out, (const char *)run->kept_velocities[start], size);
}

static shoal_status put_system(const md_run *run, int32_t i, shoal_string *rest, shoal_string *out)
{
    shoal_string_clear(rest);
    put_rest(run, i, rest);
    SHOAL_TRY(shoal_string_status(rest));
    const size_t size = shoal_string_size(rest);
    record_head head = {.size = size, .key = md_system_of(run, i).key};
    memcpy(head.magic, magic, sizeof magic);
    head.sum = hash_bytes(hash_bytes(HASH_START, &head.key, sizeof head.key),
                          shoal_string_data(rest), size);
    shoal_string_put(out, (const char *)&head, sizeof head);
    shoal_string_put(out, shoal_string_data(rest), size);
    return shoal_string_status(out);
}

/* True if a copy that exchanged with this one has failed since. Such copies begin anew together: without the others it
 * would not come to the same end. */
static bool has_lost_one(const md_run *run, int32_t i)
{
    const int32_t n = run->options.n_copies, first = n > 0 ? i / n * n : 0;
    if (run->options.exchange_every == 0) return false;
    for (int32_t k = first; k < first + n; ++k)
        if (run->gone[k] && run->kept[k].step > 0) return true;
    return false;
}

shoal_status md_state_save(const md_run *run, shoal_string *out)
{
    shoal_string *rest = NULL;
    shoal_status status = shoal_string_create(&rest);
    for (int32_t i = 0; i < run->engine->n_systems && status == SHOAL_OK; ++i)
        if (!run->gone[i] && run->kept[i].step > 0 && !has_lost_one(run, i))
            status = put_system(run, i, rest, out);
    shoal_string_destroy(rest);
    return status;
}

/* --- going on ------------------------------------------------------------------------------------- */

static shoal_status load(md_run *run, int32_t i, const unsigned char *bytes, size_t size)
{
    shoal_engine *engine = run->engine;
    backend_result *r = &engine->results[i];
    const size_t rows = (size_t)engine_n_movers(engine, i) * sizeof *r->pos;
    state_pass from = {.from = bytes, .left = size};
    uint64_t print = 0;
    STATE_VALUE(&from, print);
    if (print != fingerprint(run, i))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "state: of another system, device or precision, or with other options");
    STATE_VALUE(&from, run->framed[i]);
    STATE_VALUE(&from, run->walkers[i]);
    state_bytes(&from, r->pos, rows);
    state_bytes(&from, r->velocities, rows);
    from.failed |= from.left != 0;
    memcpy(r->thermostat, run->walkers[i].thermostat, sizeof r->thermostat);
    return state_status(&from);
}

/* Every system looks for its key: few have a state, or few states are given. */
static shoal_status take(md_run *run, const record_head *head, const unsigned char *bytes)
{
    for (int32_t i = 0; i < run->engine->n_systems; ++i)
        if (!run->gone[i] && run->walkers[i].step == 0 && md_system_of(run, i).key == head->key)
            return load(run, i, bytes, (size_t)head->size);
    return SHOAL_OK;
}

bool md_state_has(const void *state, size_t size, int64_t key)
{
    const unsigned char *at = state;
    record_head head;
    for (; size >= sizeof head; at += head.size, size -= (size_t)head.size) {
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        size -= sizeof head;
        if (memcmp(head.magic, magic, sizeof magic) != 0 || head.size > size) return false;
        if (head.key == key) return true;
    }
    return false;
}

/* Copies that swap have every rung of their ladder once. */
static shoal_status check_rungs(const md_run *run)
{
    const int32_t n = run->options.exchange_every > 0 ? run->options.n_copies : 0;
    for (int32_t i = 0; n > 0 && i < run->engine->n_systems; ++i) {
        const int32_t first = i / n * n;
        int32_t n_there = 0;
        for (int32_t k = first; k < first + n; ++k) n_there += run->walkers[k].rung == i - first;
        if (n_there != 1)
            return shoal_fail(SHOAL_E_ARGUMENT, "state: without some of the copies that swapped");
    }
    return SHOAL_OK;
}

shoal_status md_state_load(md_run *run)
{
    const unsigned char *at = run->options.state;
    size_t left = at ? run->options.state_size : 0;
    while (left > 0) {
        record_head head;
        if (left < sizeof head || memcmp(at, magic, sizeof magic) != 0)
            return shoal_fail(SHOAL_E_ARGUMENT, "state: %zu bytes that are no state of dynamics",
                              left);
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        left -= sizeof head;
        if (head.size > left) return shoal_fail(SHOAL_E_ARGUMENT, "state: cut off or damaged");
        if (hash_bytes(hash_bytes(HASH_START, &head.key, sizeof head.key), at, (size_t)head.size) !=
            head.sum)
            return shoal_fail(SHOAL_E_ARGUMENT, "state: damaged, its checksum does not fit");
        SHOAL_TRY(take(run, &head, at));
        at += head.size;
        left -= (size_t)head.size;
    }
    return check_rungs(run);
}
