/* SPDX-License-Identifier: BSD-3-Clause
 * Molecules of records in memory that a thread has typed: another record with the same molecule gets what the first one
 * got, without a look at its atoms and bonds. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/molecule.h"
#include "chem/perceive.h"
#include "ff/topology.h"
#include "stream/stream.h"

enum { N_KNOWN = 1024, MOST_ATOMS = 1000 };

typedef struct known_molecule {
    const shoal_molecule *given; /* that records point to, or NULL */
    shoal_molecule *typed;       /* what became of it; NULL: not kept yet */
    shoal_topology *topology;
    char *warning; /* or NULL */
} known_molecule;

struct stream_known {
    known_molecule at[N_KNOWN]; /* by address; one that comes later takes the place */
};

static void clear(known_molecule *k)
{
    shoal_molecule_destroy(k->typed);
    shoal_topology_destroy(k->topology);
    free(k->warning);
    *k = (known_molecule){0};
}

void stream_known_destroy(stream_known *known)
{
    for (int i = 0; known && i < N_KNOWN; ++i) clear(&known->at[i]);
    free(known);
}

static known_molecule *find(stream_known *known, const shoal_molecule *mol)
{
    const uint64_t mixed = (uint64_t)(uintptr_t)mol * UINT64_C(0x9E3779B97F4A7C15);
    return &known->at[(mixed >> 32) % N_KNOWN];
}

/* Whether options leave types to the molecule and its bonds. */
static bool are_plain(const shoal_stream_options *o)
{
    return o->typing.fragment == 0 && !o->typing.file_types && !o->typing.add_hydrogens &&
           !o->typing.drop_solvent && !o->typing.primitive && !o->typing.space_group &&
           o->typing.n_types == 0 && !(o->typing.perceive && o->typing.perceive->rebuild_bonds) &&
           !(o->typing.forcefield && topology_equilibrates(o->typing.forcefield));
}

/* Whether positions have no say in its bonds, orders and charges. */
static bool is_settled(const shoal_molecule *mol)
{
    return mol->perceived ||
           (mol->has_bonds && mol->has_formal_charges && !valence_has_free_bonds(mol));
}

bool stream_recall(const stream_thread *own, shoal_stream_system *system, stream_note *note)
{
    const shoal_record *record = note->record;
    if (!record || record->topology || !own->known) return false;
    const known_molecule *k = find(own->known, record->molecule);
    if (k->given != record->molecule || !k->typed) return false;
    shoal_molecule *mol = system->mol;
    if (k->warning) {
        note->warning = shoal_strdup(k->warning);
        if (!note->warning) return false; /* typed again, which says so */
    }
    perception_adopt(mol, k->typed->bonds, k->typed->formal_charge, k->typed->total_charge);
    mol->asked_charge = k->typed->asked_charge;
    mol->has_asked_charge = k->typed->has_asked_charge;
    system->topology = shoal_topology_retain(k->topology);
    return true;
}

/* Kept when it comes for the second time, or is about to: most of those that come once are not worth it. */
static bool is_worth_it(const stream_thread *own, const known_molecule *k,
                        const shoal_stream_system *system, const shoal_record *record)
{
    const int64_t next = system->record + 1;
    return k->given == record->molecule ||
           (next < own->s->options->input.n_records &&
            own->s->options->input.records[next].molecule == record->molecule);
}

void stream_remember(stream_thread *own, const shoal_stream_system *system, const stream_note *note)
{
    const shoal_record *record = note->record;
    if (!record || record->topology || record->molecule->n_atoms > MOST_ATOMS ||
        !are_plain(own->s->options))
        return;
    if (!own->known) own->known = shoal_alloc(1, sizeof *own->known);
    if (!own->known) {
        shoal_clear_error();
        return;
    }
    known_molecule *k = find(own->known, record->molecule);
    const bool keep = is_worth_it(own, k, system, record);
    if (k->given != record->molecule) clear(k);
    if (k->typed) return; /* recalled in vain */
    k->given = record->molecule;
    if (!keep || system->topology->status != SHOAL_SYSTEM_OK || system->topology->uses_positions ||
        !is_settled(record->molecule))
        return;
    bool ok = shoal_molecule_create(&k->typed) == SHOAL_OK &&
              stream_copy_molecule(k->typed, system->mol) == SHOAL_OK;
    if (ok && note->warning) ok = (k->warning = shoal_strdup(note->warning)) != NULL;
    if (ok)
        k->topology = shoal_topology_retain(system->topology);
    else
        clear(k); /* without memory for it, nothing happens */
    if (!ok) shoal_clear_error();
}
