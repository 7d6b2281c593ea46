/* SPDX-License-Identifier: BSD-3-Clause
 * QEq charges of single geometries: a system is typed again where its atoms are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "ff/topology.h"
#include "stream/stream.h"

#define SETTLED 1e-5 /* e: charges that differ by less are the same */

bool stream_has_qeq(const shoal_stream_options *o)
{
    return o->typing.forcefield && topology_equilibrates(o->typing.forcefield);
}

/* Whether systems of a record differ in more than a coordinate that is scanned. */
static bool has_own_geometries(const shoal_stream_options *o)
{
    const bool asked =
        o->build.conformers.n > 0 || (o->build.variants && o->build.variants->own_charges);
    return asked && !o->build.movable;
}

bool stream_has_own_charges(const stream_thread *own)
{
    const shoal_stream_options *o = own->s->options;
    return has_own_geometries(o) && stream_has_qeq(o);
}

/* Sites know on which side of a pyramid they are. */
static bool has_sites(const shoal_typing_options *o)
{
    return o && o->model && o->model->settings.n_sites > 0;
}

static void *copy_of(const void *from, size_t n, size_t size)
{
    void *to = shoal_alloc(n, size);
    if (to && n > 0) memcpy(to, from, n * size);
    return to;
}

static bool is_same(const shoal_topology *a, const shoal_topology *b)
{
    shoal_topology_view v, w;
    shoal_topology_get(a, &v);
    shoal_topology_get(b, &w);
    if (shoal_topology_status(b) != SHOAL_SYSTEM_OK || v.n_atoms != w.n_atoms) return false;
    for (int32_t i = 0; i < v.n_atoms; ++i)
        if (!(fabs(v.charges[i] - w.charges[i]) < SETTLED)) return false;
    return true;
}

shoal_status stream_charge(const stream_thread *own, shoal_molecule *mol, shoal_topology **topology,
                           bool *changed)
{
    shoal_topology *fresh = NULL;
    const size_t size = (size_t)mol->n_atoms * sizeof *mol->charge;
    double *before = copy_of(mol->charge, (size_t)mol->n_atoms, sizeof *mol->charge);
    shoal_status status =
        before ? shoal_topology_create(&fresh, mol, &own->typing) : SHOAL_E_MEMORY;
    *changed = status == SHOAL_OK && !is_same(*topology, fresh);
    if (status == SHOAL_OK && !*changed && size > 0)
        memcpy(mol->charge, before, size); /* they go with the topology */
    if (*changed) {
        shoal_topology_destroy(*topology);
        *topology = fresh;
    } else {
        shoal_topology_destroy(fresh);
    }
    free(before);
    return status;
}

static bool brings_charges(const stream_note *note)
{
    return note->record && note->record->topology;
}

shoal_status stream_charge_variant(const stream_thread *own, shoal_stream_system *system,
                                   const stream_note *note)
{
    const bool has_sides = has_own_geometries(own->s->options) && has_sites(&own->typing);
    return has_sides || stream_has_own_charges(own) ? stream_type_conformer(own, system, note)
                                                    : SHOAL_OK;
}

shoal_status stream_type_conformer(const stream_thread *own, shoal_stream_system *system,
                                   const stream_note *note)
{
    shoal_topology *fresh = NULL;
    if (!system->topology->uses_positions || brings_charges(note) ||
        shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK)
        return SHOAL_OK;
    SHOAL_TRY(shoal_topology_create(&fresh, system->mol, &own->typing));
    shoal_topology_destroy(system->topology);
    system->topology = fresh;
    system->result.status = shoal_topology_status(fresh);
    system->result.reason = shoal_topology_reason(fresh);
    return SHOAL_OK;
}

/* Charges of what has come to an end; those that have others now are moved to the front of the list. */
static shoal_status charge_all(stream_thread *own, int32_t n, int32_t *n_changed)
{
    *n_changed = 0;
    for (int32_t i = 0; i < n; ++i) {
        shoal_stream_system *system = own->list[i];
        stream_note *note = own->notes[i];
        bool changed = false;
        if (!shoal_system_has_numbers(system->result.status, system->result.energy) ||
            brings_charges(note))
            continue;
        SHOAL_TRY(stream_charge(own, system->mol, &system->topology, &changed));
        if (!changed) continue;
        own->list[i] = own->list[*n_changed];
        own->notes[i] = own->notes[*n_changed];
        own->list[*n_changed] = system;
        own->notes[(*n_changed)++] = note;
    }
    return SHOAL_OK;
}

static shoal_status take_turns(stream_thread *own, int32_t n, int32_t n_threads)
{
    int32_t n_changed = n;
    for (int turn = 0; turn < STREAM_TURNS && !atomic_load(&own->s->stop); ++turn) {
        SHOAL_TRY(charge_all(own, n_changed, &n_changed));
        if (n_changed == 0) return SHOAL_OK;
        SHOAL_TRY(stream_compute_once(own, n_changed, n_threads));
    }
    for (int32_t i = 0; i < n_changed && !atomic_load(&own->s->stop); ++i) {
        shoal_result *r = &own->list[i]->result;
        if (r->status != SHOAL_SYSTEM_CONVERGED) continue;
        r->status = SHOAL_SYSTEM_MAX_STEPS;
        r->reason = "charges and geometry do not settle";
    }
    return SHOAL_OK;
}

shoal_status stream_settle_charges(stream_thread *own, int32_t n, int32_t n_threads)
{
    shoal_stream_system **list = own->list;
    stream_note **notes = own->notes;
    if (!stream_has_own_charges(own) || !stream_relaxes(own->s)) return SHOAL_OK;
    own->list = copy_of((const void *)list, (size_t)n, sizeof *list);
    own->notes = copy_of((const void *)notes, (size_t)n, sizeof *notes);
    const bool ok = own->list && own->notes;
    const shoal_status status = ok ? take_turns(own, n, n_threads) : SHOAL_E_MEMORY;
    free((void *)own->list);
    free((void *)own->notes);
    own->list = list;
    own->notes = notes;
    return status;
}
