/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies of the systems of a stream: molecules, selections of atoms, or those of a record. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "chem/molecule.h"
#include "stream/stream.h"

/* Gives bonded atoms the lowest number among them, until nothing changes: their molecule. */
static void join_bonded(const shoal_molecule *mol, int32_t n, int32_t *bodies)
{
    for (bool any = true; any;) {
        any = false;
        for (int32_t k = 0; k < mol->n_bonds; ++k) {
            const int32_t i = mol->bonds[k].i, j = mol->bonds[k].j;
            if (i >= n || j >= n || bodies[i] == bodies[j]) continue;
            const int32_t low = bodies[i] < bodies[j] ? bodies[i] : bodies[j];
            bodies[i] = bodies[j] = low;
            any = true;
        }
    }
}

/* What is fixed as a whole moves neither as a body nor by itself; the engine refuses what is fixed in part. */
static void leave_fixed(const bool *fixed, int32_t n, int32_t *bodies, bool *moves)
{
    memset(moves, 0, (size_t)n * sizeof *moves);
    for (int32_t i = 0; i < n; ++i)
        if (!fixed || !fixed[i]) moves[bodies[i]] = true;
    for (int32_t i = 0; i < n; ++i)
        if (!moves[bodies[i]]) bodies[i] = -1;
}

/* Atoms of movable layers, the last ones, are in no molecule. */
static void take_molecules(stream_thread *own, const shoal_molecule *mol, int32_t n,
                           const bool *fixed)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i) own->bodies[i] = i < n ? i : -1;
    join_bonded(mol, n, own->bodies);
    leave_fixed(fixed, n, own->bodies, own->chosen);
}

static shoal_status take_selections(stream_thread *own, const shoal_molecule *mol)
{
    const shoal_stream_constraints *c = &own->s->options->constraints;
    for (int32_t i = 0; i < mol->n_atoms; ++i) own->bodies[i] = -1;
    for (int32_t k = 0; k < c->n_rigid; ++k) {
        memset(own->chosen, 0, (size_t)mol->n_atoms * sizeof *own->chosen);
        SHOAL_TRY(shoal_selection_apply(c->rigid[k], mol, own->chosen));
        for (int32_t i = 0, number = -1; i < mol->n_atoms; ++i) {
            if (!own->chosen[i]) continue;
            if (number < 0) number = i; /* of its first atom, as of molecules */
            if (own->bodies[i] >= 0)
                return shoal_fail(SHOAL_E_ARGUMENT,
                                  "rigid: atom %d is in two bodies, '%s' and one "
                                  "before it",
                                  i, shoal_selection_text(c->rigid[k]));
            own->bodies[i] = number;
        }
    }
    return SHOAL_OK;
}

bool stream_has_bodies(const shoal_stream_options *o)
{
    return o->constraints.n_rigid > 0 || o->constraints.rigid_molecules;
}

shoal_status stream_hold_bodies(stream_thread *own, const shoal_molecule *mol, int32_t n,
                                const shoal_record *record, shoal_system *system)
{
    const shoal_stream_constraints *c = &own->s->options->constraints;
    const bool given = record && record->bodies;
    if (!given && !stream_has_bodies(own->s->options)) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&own->bodies, &own->body_capacity, mol->n_atoms + 1));
    SHOAL_TRY(SHOAL_RESERVE(&own->chosen, &own->chosen_capacity, mol->n_atoms + 1));
    system->bodies = own->bodies;
    if (given) {
        for (int32_t i = 0; i < mol->n_atoms; ++i)
            own->bodies[i] = i < record->molecule->n_atoms ? record->bodies[i] : -1;
        return SHOAL_OK;
    }
    if (!c->rigid_molecules) return take_selections(own, mol);
    take_molecules(own, mol, n, system->fixed);
    return SHOAL_OK;
}
