/* SPDX-License-Identifier: BSD-3-Clause
 * Records of a stream that lie in memory: molecules with coordinates, topologies and constraints of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "chem/molecule.h"
#include "stream/stream.h"

/* Bytes that a record would take in an SD file, which sizes of blocks and of memory are made from. */
#define RECORD_BYTES 100
#define RECORD_BYTES_PER_ATOM 96

#define SAMPLES 256 /* records that the size of all is told from */

static size_t record_bytes(const shoal_record *record)
{
    const size_t n = record->molecule ? (size_t)record->molecule->n_atoms : 0;
    return RECORD_BYTES + RECORD_BYTES_PER_ATOM * n;
}

shoal_status stream_check_records(const shoal_stream_options *o)
{
    if (o->input.n_records < 0 || (o->input.n_records > 0 && !o->input.records))
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: %lld records, or they are missing",
                          (long long)o->input.n_records);
    if (o->input.n_records > 0 && o->input.n_files > 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: records in memory, and files, too");
    if (o->input.n_records > 0 && o->peers && o->peers->size > 1)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "stream: records in memory cannot be shared with %d peers",
                          o->peers->size);
    return SHOAL_OK;
}

uint64_t stream_records_bytes(const shoal_stream_options *o)
{
    const int64_t n = o->input.n_records < SAMPLES ? o->input.n_records : SAMPLES;
    double sum = 0;
    for (int64_t k = 0; k < n; ++k)
        sum += (double)record_bytes(&o->input.records[k * (o->input.n_records / n)]);
    return n > 0 ? (uint64_t)(sum / (double)n * (double)o->input.n_records) : 0;
}

shoal_status stream_records_cut(const shoal_stream_options *o, int64_t first, int32_t most,
                                size_t bytes, record_block *b)
{
    const int64_t left = o->input.n_records - first;
    b->n = 0;
    b->size = 0;
    b->first = first;
    SHOAL_TRY(record_block_reserve(b, left < most ? (int32_t)left : most));
    b->starts[0] = 0;
    while (b->n < left && b->n < most && (b->n == 0 || b->size < bytes)) {
        b->size += record_bytes(&o->input.records[first + b->n]);
        b->lines[b->n] = 0;
        b->starts[++b->n] = b->size;
    }
    return SHOAL_OK;
}

shoal_status stream_record_take(const shoal_record *record, int64_t number, shoal_molecule *mol)
{
    if (!record->molecule)
        return shoal_fail(SHOAL_E_FORMAT, "record %lld in memory has no molecule",
                          (long long)number);
    SHOAL_TRY(stream_copy_molecule(mol, record->molecule));
    if (record->pos && mol->n_atoms > 0)
        memcpy(mol->pos, record->pos, (size_t)mol->n_atoms * sizeof *mol->pos);
    return SHOAL_OK;
}

shoal_status stream_record_topology(const shoal_record *record, const shoal_molecule *mol,
                                    shoal_topology **out)
{
    shoal_topology_view v;
    shoal_topology_get(record->topology, &v);
    if (v.n_atoms != mol->n_atoms)
        return shoal_fail(SHOAL_E_ARGUMENT, "a topology of %d atoms was given for %d", v.n_atoms,
                          mol->n_atoms);
    for (int k = 0; k < 3; ++k)
        if (v.pbc[k] != mol->pbc[k])
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "the topology that was given repeats along other vectors of the cell "
                              "than the molecule");
    *out = shoal_topology_retain(record->topology);
    return SHOAL_OK;
}

/* The restraint of a record, held where the atom starts if it says nowhere. */
static shoal_restraint restraint_of(const shoal_restraint *from, const shoal_molecule *mol)
{
    shoal_restraint r = *from;
    if (restraint_is_place(r.kind) && isnan(r.target[0]) && isnan(r.target[1]) &&
        isnan(r.target[2]))
        restraint_place(&r, (const double(*)[3])mol->pos, r.target);
    return r;
}

shoal_status stream_record_check(const shoal_stream_options *o, const shoal_record *record,
                                 const shoal_stream_system *system)
{
    const int32_t n = system->mol->n_atoms;
    if (o->typing.fragment > 0 && (record->fixed || record->bodies || record->n_restraints > 0))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "constraints of a record whose molecule is cut into fragments");
    if (n - stream_count_movable(o) < record->molecule->n_atoms &&
        (record->fixed || record->bodies || record->n_restraints > 0))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "constraints of a record that has lost atoms, as solvent or to a primitive "
            "cell");
    if (record->n_restraints < 0 || (record->n_restraints > 0 && !record->restraints))
        return shoal_fail(SHOAL_E_ARGUMENT, "%d restraints and no list of them",
                          record->n_restraints);
    if (record->bodies && o->compute.adsorption)
        return shoal_fail(SHOAL_E_ARGUMENT, "rigid bodies of a record where energies of adsorption "
                                            "are wanted; expected those of the options");
    for (int32_t i = 0; i < record->molecule->n_atoms && record->bodies; ++i)
        if (record->bodies[i] < -1 || record->bodies[i] >= record->molecule->n_atoms)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "atom %d is in the rigid body %d, expected -1 to %d", i,
                              record->bodies[i], record->molecule->n_atoms - 1);
    for (int32_t k = 0; k < record->n_restraints; ++k) {
        const shoal_restraint *from = &record->restraints[k];
        const int32_t last = from->atoms[from->kind == SHOAL_RESTRAINT_CENTRE];
        const bool held =
            restraint_is_place(from->kind) && from->atoms[0] >= 0 && from->atoms[0] < n && last < n;
        const shoal_restraint r = held ? restraint_of(from, system->mol) : *from;
        SHOAL_TRY(batch_check_restraint(&r, (int32_t)system->record, n));
    }
    return SHOAL_OK;
}

void stream_record_fix(const shoal_record *record, bool *fixed)
{
    for (int32_t i = 0; i < record->molecule->n_atoms; ++i) fixed[i] = fixed[i] || record->fixed[i];
}

void stream_record_hold(const shoal_record *record, const shoal_molecule *mol, shoal_restraint *out)
{
    for (int32_t k = 0; k < record->n_restraints; ++k)
        out[k] = restraint_of(&record->restraints[k], mol);
}
