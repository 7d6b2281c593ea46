/* SPDX-License-Identifier: BSD-3-Clause
 * Batches: systems of any kind and size, one after the other in flat arrays. */
#include "batch/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/auxiliary.h"
#include "ff/topology.h"

#include "constants.h"

shoal_status shoal_batch_create(shoal_batch **out)
{
    shoal_clear_error();
    if (!out) return shoal_fail(SHOAL_E_ARGUMENT, "batch: no place for the result");
    *out = shoal_alloc(1, sizeof **out);
    return *out ? SHOAL_OK : SHOAL_E_MEMORY;
}

void shoal_batch_destroy(shoal_batch *batch)
{
    if (!batch) return;
    for (int32_t i = 0; i < batch->n_systems && batch->n_constrained > 0; ++i) {
        free(batch->systems[i].fixed);
        free(batch->systems[i].restraints);
        free(batch->systems[i].bodies);
    }
    for (int32_t k = 0; k < batch->n_kept; ++k) shoal_topology_destroy(batch->kept[k].topology);
    for (int32_t k = 0; k < BATCH_ALIASES; ++k) shoal_topology_destroy(batch->aliases[k].given);
    free(batch->systems);
    free(batch->kept);
    free(batch->table);
    free(batch->pos);
    free(batch);
}

static shoal_status check_system(const shoal_batch *batch, const shoal_system *system,
                                 const shoal_topology_view *view)
{
    const bool periodic = view->pbc[0] || view->pbc[1] || view->pbc[2];
    if (view->n_atoms > 0 && !system->pos)
        return shoal_fail(SHOAL_E_ARGUMENT, "system %d: %d atoms but no positions",
                          batch->n_systems, view->n_atoms);
    if (periodic && !system->cell)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "system %d: its topology is periodic but it has no cell",
                          batch->n_systems);
    if (mover_count(view) > INT32_MAX / 2 - batch->n_atoms - batch->n_auxiliary)
        return shoal_fail(SHOAL_E_MEMORY, "system %d: more than %d atoms in one batch",
                          batch->n_systems, INT32_MAX / 2);
    return SHOAL_OK;
}

void restraint_place(const shoal_restraint *r, const double (*pos)[3], double out[3])
{
    const int32_t first = r->atoms[0],
                  last = r->kind == SHOAL_RESTRAINT_CENTRE ? r->atoms[1] : first;
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int32_t i = first; i <= last; ++i) sum += pos[i][c];
        out[c] = first == last ? pos[first][c] : sum / (last - first + 1);
    }
}

shoal_status batch_check_restraint(const shoal_restraint *r, int32_t i_system, int32_t n_atoms)
{
    if (r->kind < SHOAL_RESTRAINT_POSITION || r->kind > SHOAL_RESTRAINT_CENTRE)
        return shoal_fail(SHOAL_E_ARGUMENT, "system %d: unknown kind of restraint %d", i_system,
                          (int)r->kind);
    const int32_t n = restraint_n_atoms(r->kind);
    for (int k = 0; k < n; ++k)
        if (r->atoms[k] < 0 || r->atoms[k] >= n_atoms)
            return shoal_fail(SHOAL_E_ARGUMENT, "system %d: restraint on atom %d, expected 0 to %d",
                              i_system, r->atoms[k], n_atoms - 1);
    for (int k = 0; k < n && r->kind != SHOAL_RESTRAINT_CENTRE; ++k)
        for (int l = 0; l < k; ++l)
            if (r->atoms[k] == r->atoms[l])
                return shoal_fail(SHOAL_E_ARGUMENT, "system %d: restraint with atom %d twice",
                                  i_system, r->atoms[k]);
    if (r->kind == SHOAL_RESTRAINT_CENTRE && r->atoms[0] > r->atoms[1])
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "system %d: restraint of the centre of atoms %d to %d, expected the first "
            "and the last one",
            i_system, r->atoms[0], r->atoms[1]);
    for (int c = 0; c < 3 && restraint_is_place(r->kind); ++c)
        if (!isfinite(r->target[c]))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "system %d: the target of a restraint is not finite", i_system);
    if (!(r->k >= 0) || !isfinite(r->k) || !isfinite(r->value))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "system %d: restraint with k = %g and value = %g, expected finite "
                          "numbers and k >= 0",
                          i_system, r->k, r->value);
    if (restraint_is_place(r->kind) && !(r->value >= 0 && r->value <= 7))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "system %d: restraint of a place that leaves %g free, expected a sum "
                          "of SHOAL_FREE_ directions",
                          i_system, r->value);
    if (r->kind == SHOAL_RESTRAINT_DISTANCE && r->value < 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "system %d: restraint to a distance of %g, expected 0 or more", i_system,
                          r->value);
    if (r->kind == SHOAL_RESTRAINT_ANGLE && !(r->value >= 0 && r->value <= PI))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "system %d: restraint to an angle of %g radians, expected 0 to pi",
                          i_system, r->value);
    return SHOAL_OK;
}

/* Finds the place of a topology in the table: an equal one, or the empty slot for it. */
static int32_t find_topology(const shoal_batch *batch, const shoal_topology *t)
{
    const uint64_t mask = (uint64_t)batch->table_size - 1;
    uint64_t at = topology_hash(t) & mask;
    while (batch->table[at] >= 0 && !topology_equal(batch->kept[batch->table[at]].topology, t))
        at = (at + 1) & mask;
    return (int32_t)at;
}

static shoal_status grow_table(shoal_batch *batch)
{
    int32_t *old = batch->table;
    const int32_t old_size = batch->table_size;
    batch->table_size = old_size > 0 ? 2 * old_size : 64;
    batch->table = shoal_alloc((size_t)batch->table_size, sizeof *batch->table);
    if (!batch->table) {
        batch->table = old;
        batch->table_size = old_size;
        return SHOAL_E_MEMORY;
    }
    for (int32_t k = 0; k < batch->table_size; ++k) batch->table[k] = -1;
    for (int32_t k = 0; k < old_size; ++k)
        if (old[k] >= 0) batch->table[find_topology(batch, batch->kept[old[k]].topology)] = old[k];
    free(old);
    return SHOAL_OK;
}

static shoal_status keep_topology(shoal_batch *batch, shoal_topology *t, int32_t number,
                                  int32_t *kept)
{
    SHOAL_TRY(SHOAL_RESERVE(&batch->kept, &batch->kept_capacity, batch->n_kept + 1));
    *kept = batch->n_kept++;
    batch->kept[*kept] = (batch_topology){shoal_topology_retain(t), number};
    return SHOAL_OK;
}

static struct batch_alias *find_alias(shoal_batch *batch, const shoal_topology *t)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)t * UINT64_C(0x9E3779B97F4A7C15);
    return &batch->aliases[(mixed >> 32) % BATCH_ALIASES];
}

/* A typed topology's place among those kept, which it takes unless an equal one is there. */
static shoal_status share_typed(shoal_batch *batch, shoal_topology *t, int32_t *kept)
{
    struct batch_alias *alias = find_alias(batch, t);
    *kept = alias->kept;
    if (alias->given == t) return SHOAL_OK;
    if (2 * batch->n_topologies >= batch->table_size) SHOAL_TRY(grow_table(batch));
    const int32_t at = find_topology(batch, t);
    if (batch->table[at] < 0) {
        SHOAL_TRY(keep_topology(batch, t, batch->n_topologies, kept));
        batch->table[at] = *kept;
        ++batch->n_topologies;
    }
    *kept = batch->table[at];
    if (batch->kept[*kept].topology == t) return SHOAL_OK; /* found by its hash at once */
    shoal_topology_destroy(alias->given);
    *alias = (struct batch_alias){shoal_topology_retain(t), *kept};
    return SHOAL_OK;
}

/* The topology that the next system refers to, and its number. */
static shoal_status share_topology(shoal_batch *batch, batch_system *to, shoal_topology *t)
{
    const int32_t n = batch->n_systems; /* conformers often come one after the other */
    const batch_system *last = n > 0 ? &batch->systems[n - 1] : NULL;
    int32_t kept;
    if (last && last->topology == t) {
        to->topology = t;
        to->topology_index = last->topology_index;
        return SHOAL_OK;
    }
    /* Untyped ones equal only themselves, and are many when something is wrong. */
    SHOAL_TRY(t->status == SHOAL_SYSTEM_OK ? share_typed(batch, t, &kept)
                                           : keep_topology(batch, t, 0, &kept));
    to->topology = batch->kept[kept].topology;
    to->topology_index = batch->kept[kept].number;
    return SHOAL_OK;
}

static shoal_status check_bodies(const shoal_system *system, int32_t i_system, int32_t n_atoms)
{
    for (int32_t i = 0; i < n_atoms && system->bodies; ++i)
        if (system->bodies[i] < -1 || system->bodies[i] >= n_atoms)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "system %d: atom %d is in the rigid body %d, expected -1 to %d",
                              i_system, i, system->bodies[i], n_atoms - 1);
    return SHOAL_OK;
}

/* A body of one atom is none. NULL: there are no others, or memory is out (*failed). */
static int32_t *copy_bodies(const int32_t *bodies, int32_t n_atoms, bool *failed)
{
    bool any = false;
    int32_t *count = shoal_alloc((size_t)n_atoms + 1, sizeof *count);
    int32_t *out = shoal_alloc((size_t)n_atoms + 1, sizeof *out);
    *failed = !count || !out;
    for (int32_t i = 0; i < n_atoms && !*failed; ++i)
        if (bodies[i] >= 0) ++count[bodies[i]];
    for (int32_t i = 0; i < n_atoms && !*failed; ++i) {
        const bool in = bodies[i] >= 0 && count[bodies[i]] > 1;
        out[i] = in ? bodies[i] : -1;
        any |= in;
    }
    free(count);
    if (any) return out;
    free(out);
    return NULL;
}

static shoal_status copy_constraints(batch_system *s, const shoal_system *system, int32_t n_atoms)
{
    bool failed = false;
    if (system->bodies) s->bodies = copy_bodies(system->bodies, n_atoms, &failed);
    if (failed) return SHOAL_E_MEMORY;
    if (system->fixed) {
        s->fixed = shoal_alloc((size_t)n_atoms, sizeof *s->fixed);
        if (!s->fixed) {
            free(s->bodies);
            return SHOAL_E_MEMORY;
        }
        memcpy(s->fixed, system->fixed, (size_t)n_atoms * sizeof *s->fixed);
    }
    if (system->n_restraints > 0) {
        const size_t n = (size_t)system->n_restraints;
        s->restraints = shoal_alloc(n, sizeof *s->restraints);
        if (!s->restraints) {
            free(s->fixed);
            free(s->bodies);
            return SHOAL_E_MEMORY;
        }
        memcpy(s->restraints, system->restraints, n * sizeof *s->restraints);
        s->n_restraints = system->n_restraints;
    }
    return SHOAL_OK;
}

shoal_status shoal_batch_add(shoal_batch *batch, const shoal_system *system)
{
    shoal_clear_error();
    if (!batch || !system || !system->topology)
        return shoal_fail(SHOAL_E_ARGUMENT, "batch, system or topology is missing");
    const shoal_topology_view *view = &system->topology->view;
    SHOAL_TRY(check_system(batch, system, view));
    SHOAL_TRY(SHOAL_RESERVE(&batch->systems, &batch->system_capacity, batch->n_systems + 1));
    SHOAL_TRY(SHOAL_RESERVE(&batch->pos, &batch->atom_capacity, batch->n_atoms + view->n_atoms));
    if (system->n_restraints < 0 || (system->n_restraints > 0 && !system->restraints))
        return shoal_fail(SHOAL_E_ARGUMENT, "system %d: %d restraints and no list of them",
                          batch->n_systems, system->n_restraints);
    for (int32_t k = 0; k < system->n_restraints; ++k)
        SHOAL_TRY(batch_check_restraint(&system->restraints[k], batch->n_systems, view->n_atoms));
    SHOAL_TRY(check_bodies(system, batch->n_systems, view->n_atoms));
    batch_system *s = &batch->systems[batch->n_systems];
    *s = (batch_system){.atom_start = batch->n_atoms,
                        .n_atoms = view->n_atoms,
                        .auxiliary_start = batch->n_auxiliary};
    SHOAL_TRY(share_topology(batch, s, system->topology));
    SHOAL_TRY(copy_constraints(s, system, view->n_atoms));
    batch->n_constrained += s->fixed || s->restraints || s->bodies;
    batch->n_rigid += s->bodies != NULL;
    ++batch->n_systems;
    for (int k = 0; k < 3; ++k)
        if (view->pbc[k]) memcpy(s->cell[k], system->cell[k], sizeof s->cell[k]);
    if (view->n_atoms > 0)
        memcpy(batch->pos[batch->n_atoms], system->pos, (size_t)view->n_atoms * sizeof *batch->pos);
    batch->n_atoms += view->n_atoms;
    batch->n_auxiliary += auxiliary_count(view);
    return SHOAL_OK;
}

shoal_status shoal_batch_add_many(shoal_batch *batch, const shoal_system *system, int32_t n,
                                  const double (*pos)[3])
{
    shoal_clear_error();
    if (!batch || !system || !system->topology || n < 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "batch, system or topology is missing, or n < 0");
    shoal_system one = *system;
    const int32_t per_system = system->topology->view.n_atoms;
    if (n > 0 && per_system > 0 && !pos)
        return shoal_fail(SHOAL_E_ARGUMENT, "add_many: %d systems but no positions", n);
    const int64_t n_atoms = (int64_t)n * per_system;
    const int64_t n_movers = (int64_t)n * mover_count(&system->topology->view);
    if (n_movers > INT32_MAX / 2 - batch->n_atoms - batch->n_auxiliary ||
        n > INT32_MAX / 2 - batch->n_systems)
        return shoal_fail(SHOAL_E_MEMORY, "add_many: more than %d atoms or systems in one batch",
                          INT32_MAX / 2);
    SHOAL_TRY(SHOAL_RESERVE(&batch->systems, &batch->system_capacity, batch->n_systems + n));
    SHOAL_TRY(SHOAL_RESERVE(&batch->pos, &batch->atom_capacity, batch->n_atoms + (int32_t)n_atoms));
    for (int32_t i = 0; i < n; ++i) {
        one.pos = pos ? pos + (size_t)i * (size_t)per_system : NULL;
        SHOAL_TRY(shoal_batch_add(batch, &one));
    }
    return SHOAL_OK;
}

int32_t shoal_batch_size(const shoal_batch *batch)
{
    return batch ? batch->n_systems : 0;
}
