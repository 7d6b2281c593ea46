/* SPDX-License-Identifier: BSD-3-Clause
 * Vibrations of the systems of a stream, where an engine has left them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/isotope.h"
#include "chem/molecule.h"
#include "engine/engine.h"
#include "engine/modes.h"
#include "stream/stream.h"

static shoal_status find_masses(const shoal_stream_system *system, double **out)
{
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    double *masses = *out = shoal_alloc_dirty((size_t)v.n_atoms, sizeof *masses);
    if (!masses) return SHOAL_E_MEMORY;
    memcpy(masses, v.masses, (size_t)v.n_atoms * sizeof *masses);
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        const int32_t mass_number = molecule_mark(&system->mol->isotope, i);
        if (mass_number > 0) masses[i] = isotope_mass(v.elements[i], mass_number);
    }
    return SHOAL_OK;
}

/* Held as in the engine that has relaxed it, where it stands now; the masses are the caller's. */
static shoal_status prepare(const stream_thread *own, const shoal_stream_system *from,
                            modes_system *s, double **masses)
{
    const backend_system *held = &from->engine->systems[from->i_engine];
    SHOAL_TRY(find_masses(from, masses));
    *s = (modes_system){.system = {.topology = from->topology,
                                   .pos = shoal_engine_positions(from->engine, from->i_engine),
                                   .fixed = held->fixed,
                                   .bodies = held->bodies,
                                   .restraints = held->restraints,
                                   .n_restraints = held->n_restraints},
                        .masses = *masses,
                        .start = shoal_engine_positions(from->engine, from->i_engine) +
                                 from->mol->n_atoms,
                        .energy = from->result.energy,
                        .fmax = from->result.fmax,
                        .on_surface = own->s->engine.surface || own->s->engine.grid};
    if (shoal_molecule_is_periodic(from->mol)) s->system.cell = held->cell;
    return SHOAL_OK;
}

static bool has_forces(const shoal_stream_system *system)
{
    const shoal_system_status status = system->result.status;
    return !system->unfinished && system->mol->n_atoms > 0 &&
           (status == SHOAL_SYSTEM_OK || status == SHOAL_SYSTEM_CONVERGED ||
            status == SHOAL_SYSTEM_MAX_STEPS || status == SHOAL_SYSTEM_STALLED);
}

static shoal_status hand_over(shoal_stream_system *system, stream_note *note, modes_system *s)
{
    /* Another device may have found them before it failed. */
    shoal_modes_result_destroy(note->modes);
    free(note->reason);
    note->reason = NULL;
    note->modes = s->result;
    system->modes = s->result;
    system->unfinished = !s->result && !s->failure[0];
    if (!s->failure[0]) return SHOAL_OK;
    note->reason = shoal_strdup(s->failure);
    if (!note->reason) return SHOAL_E_MEMORY;
    system->result.status = SHOAL_SYSTEM_UNTYPED;
    system->result.reason = note->reason;
    return SHOAL_OK;
}

/* Those of the list from first on that fit into memory together, with their numbers in it. */
static shoal_status gather(const stream_thread *own, int32_t n, int32_t *first,
                           modes_system *systems, double **masses, int32_t *which, int32_t *n_found)
{
    int64_t bytes = 0;
    *n_found = 0;
    while (*first < n && bytes < MODES_GROUP_BYTES) {
        const shoal_stream_system *system = own->list[*first];
        if (has_forces(system)) {
            const int32_t k = (*n_found)++;
            which[k] = *first;
            bytes += 144 * (int64_t)system->mol->n_atoms * system->mol->n_atoms;
            SHOAL_TRY(prepare(own, system, &systems[k], &masses[k]));
        }
        ++*first;
    }
    return SHOAL_OK;
}

static void release(double **masses, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        free(masses[i]);
        masses[i] = NULL;
    }
}

static shoal_status find_group(stream_thread *own, const shoal_engine_options *engine,
                               modes_system *systems, const int32_t *which, int32_t n)
{
    stream *s = own->s;
    SHOAL_TRY(modes_find(systems, n, engine, s->options->compute.modes, &s->stop));
    shoal_status status = SHOAL_OK;
    int64_t n_evaluations = 0;
    for (int32_t k = 0; k < n; ++k) {
        const shoal_status one = hand_over(own->list[which[k]], own->notes[which[k]], &systems[k]);
        if (one != SHOAL_OK) status = one;
        n_evaluations += 12 * (int64_t)systems[k].n_free;
    }
    (void)pthread_mutex_lock(&s->lock);
    s->progress.n_evaluations += n_evaluations;
    (void)pthread_mutex_unlock(&s->lock);
    return status;
}

shoal_status stream_modes(stream_thread *own, int32_t n, int32_t n_threads)
{
    shoal_engine_options engine = own->s->engine;
    modes_system *systems = shoal_alloc((size_t)n, sizeof *systems);
    double **masses = shoal_alloc((size_t)n, sizeof *masses);
    int32_t *which = shoal_alloc((size_t)n, sizeof *which);
    shoal_status status = systems && masses && which ? SHOAL_OK : SHOAL_E_MEMORY;
    engine.n_threads = n_threads;
    engine.device = own->device->name;
    for (int32_t first = 0; first < n && status == SHOAL_OK;) {
        int32_t n_found = 0;
        status = gather(own, n, &first, systems, masses, which, &n_found);
        if (status == SHOAL_OK) status = find_group(own, &engine, systems, which, n_found);
        release(masses, n_found);
    }
    free(systems);
    free(masses);
    free(which);
    return status;
}
