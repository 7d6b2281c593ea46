/* SPDX-License-Identifier: BSD-3-Clause
 * Vibrations of the systems of a stream, where an engine has left them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/isotope.h"
#include "chem/molecule.h"
#include "run/modes.h"
#include "run/stream.h"

/* A system and what it owns while its modes are found. */
typedef struct held {
    double *masses;
    bool *fixed;
    shoal_restraint *restraints;
    double cell[3][3];
} held;

static shoal_status copy_bytes(void *out, const void *from, size_t size)
{
    void *copy = NULL;
    if (from && size > 0) {
        copy = shoal_alloc_dirty(size, 1);
        if (!copy) return SHOAL_E_MEMORY;
        memcpy(copy, from, size);
    }
    memcpy(out, &copy, sizeof copy);
    return SHOAL_OK;
}

static shoal_status find_masses(const shoal_stream_system *system, double **out)
{
    shoal_topology_view v;
    shoal_topology_get(system->topology, &v);
    SHOAL_TRY(copy_bytes(out, v.masses, (size_t)v.n_atoms * sizeof *v.masses));
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        const int32_t mass_number = molecule_mark(&system->mol->isotope, i);
        if (mass_number > 0) (*out)[i] = isotope_mass(v.elements[i], mass_number);
    }
    return SHOAL_OK;
}

static shoal_status prepare(stream_thread *own, const shoal_stream_system *from, modes_system *s,
                            held *h)
{
    const shoal_molecule *mol = from->mol;
    shoal_system system = {.topology = from->topology};
    SHOAL_TRY(stream_hold(own, mol, &system));
    SHOAL_TRY(copy_bytes(&h->fixed, system.fixed, (size_t)mol->n_atoms * sizeof *h->fixed));
    SHOAL_TRY(copy_bytes(&h->restraints, system.restraints,
                         (size_t)system.n_restraints * sizeof *h->restraints));
    SHOAL_TRY(find_masses(from, &h->masses));
    memcpy(h->cell, mol->cell, sizeof h->cell);
    system.fixed = h->fixed;
    system.restraints = h->restraints;
    system.pos = shoal_engine_positions(from->engine, from->i_engine);
    if (shoal_molecule_is_periodic(mol)) system.cell = (const double(*)[3])h->cell;
    *s = (modes_system){.system = system,
                        .masses = h->masses,
                        .energy = from->result.energy,
                        .fmax = from->result.fmax,
                        .on_surface = own->s->engine.surface || own->s->engine.grid};
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
static shoal_status gather(stream_thread *own, int32_t n, int32_t *first, modes_system *systems,
                           held *holds, int32_t *which, int32_t *n_found)
{
    int64_t bytes = 0;
    *n_found = 0;
    while (*first < n && bytes < MODES_GROUP_BYTES) {
        const shoal_stream_system *system = own->list[*first];
        if (has_forces(system)) {
            const int32_t k = (*n_found)++;
            which[k] = *first;
            bytes += 144 * (int64_t)system->mol->n_atoms * system->mol->n_atoms;
            SHOAL_TRY(prepare(own, system, &systems[k], &holds[k]));
        }
        ++*first;
    }
    return SHOAL_OK;
}

static void release(held *holds, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        free(holds[i].masses);
        free(holds[i].fixed);
        free(holds[i].restraints);
        holds[i] = (held){0};
    }
}

static shoal_status find_group(stream_thread *own, const shoal_engine_options *engine,
                               modes_system *systems, const int32_t *which, int32_t n)
{
    stream *s = own->s;
    SHOAL_TRY(modes_find(systems, n, engine, s->options->modes, &s->stop));
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
    held *holds = shoal_alloc((size_t)n, sizeof *holds);
    int32_t *which = shoal_alloc((size_t)n, sizeof *which);
    shoal_status status = systems && holds && which ? SHOAL_OK : SHOAL_E_MEMORY;
    engine.n_threads = n_threads;
    engine.device = own->device->name;
    for (int32_t first = 0; first < n && status == SHOAL_OK;) {
        int32_t n_found = 0;
        status = gather(own, n, &first, systems, holds, which, &n_found);
        if (status == SHOAL_OK) status = find_group(own, &engine, systems, which, n_found);
        release(holds, n_found);
    }
    free(systems);
    free(holds);
    free(which);
    return status;
}
