/* SPDX-License-Identifier: BSD-3-Clause
 * Variants of a stream: many systems of one record, which was parsed and typed once; and series of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "chem/molecule.h"
#include "stream/stream.h"

/* Systems of a series or a group are in memory at the same time. */
#define UNIT_MOST 1000000
#define VARIANTS_MOST ((int64_t)1 << 40)

shoal_status stream_check_variants(const shoal_stream_options *o)
{
    const shoal_variants *v = o->build.variants;
    if (!v) return SHOAL_OK;
    if (!v->make || o->job == SHOAL_JOB_READ)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "stream: nobody makes the variants, or they are not even typed");
    if (v->n < 1 || v->n > VARIANTS_MOST || v->series < 0 || v->group < 0 || v->stage < 0 ||
        v->series > UNIT_MOST || v->group > UNIT_MOST)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "stream: %lld variants in series of %d, stages of %d and groups of %d, "
                          "expected 1 to %lld, and 0 to %d",
                          (long long)v->n, v->series, v->stage, v->group, (long long)VARIANTS_MOST,
                          UNIT_MOST);
    if (v->series > 1 && v->group > 1)
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: variants in series and in groups, too");
    if (v->again && (v->series > 1 || o->job != SHOAL_JOB_RELAX || stream_wants_steps(o)))
        return shoal_fail(SHOAL_E_ARGUMENT, "stream: variants that are computed again, but in "
                                            "series, not relaxed, or with trajectories");
    if (v->n % stream_unit(o) != 0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "stream: %lld variants are no multiple of %d, which stay together",
                          (long long)v->n, stream_unit(o));
    return SHOAL_OK;
}

/* --- one variant --------------------------------------------------------------------------------- */

/* The restraints of the options, with positions held where the atoms of the record are. */
static shoal_status begin_restraints(const shoal_stream_options *o, const shoal_molecule *mol,
                                     stream_note *note)
{
    if (o->constraints.n_restraints == 0) return SHOAL_OK;
    if (!note->restraints)
        note->restraints =
            shoal_alloc((size_t)o->constraints.n_restraints, sizeof *note->restraints);
    if (!note->restraints) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < o->constraints.n_restraints; ++k) {
        shoal_restraint *r = &note->restraints[k];
        *r = o->constraints.restraints[k];
        if (restraint_is_place(r->kind))
            restraint_place(r, (const double(*)[3])mol->pos, r->target);
    }
    return SHOAL_OK;
}

/* Positions that were left alone are held where the variant starts; start: where the record is. */
static shoal_status end_restraints(const shoal_stream_options *o, const shoal_molecule *mol,
                                   const double (*start)[3], stream_note *note)
{
    for (int32_t k = 0; k < o->constraints.n_restraints; ++k) {
        shoal_restraint *r = &note->restraints[k];
        const shoal_restraint *given = &o->constraints.restraints[k];
        double before[3];
        if (restraint_is_place(r->kind)) restraint_place(given, start, before);
        if (restraint_is_place(r->kind) && memcmp(r->target, before, sizeof r->target) == 0)
            restraint_place(r, (const double(*)[3])mol->pos, r->target);
        SHOAL_TRY(batch_check_restraint(r, k, mol->n_atoms));
    }
    return SHOAL_OK;
}

/* Makes the variant of a system whose atoms are those of the record, at start. It may be rejected. earlier[n_earlier]: of
 * its series. */
static shoal_status make(const stream_thread *own, shoal_stream_system *system, stream_note *note,
                         const shoal_stream_system *earlier, int32_t n_earlier,
                         const double (*start)[3])
{
    const shoal_stream_options *o = own->s->options;
    const shoal_variants *v = o->build.variants;
    char reason[STREAM_ERROR_SIZE];
    if (shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK) return SHOAL_OK;
    if (!v) return stream_charge_variant(own, system, note);
    SHOAL_TRY(begin_restraints(o, system->mol, note));
    shoal_clear_error();
    shoal_status status = v->make(v->user, system, n_earlier > 0 ? earlier : NULL, n_earlier,
                                  system->mol->pos, note->restraints);
    if (status == SHOAL_OK) status = end_restraints(o, system->mol, start, note);
    if (status == SHOAL_OK) status = stream_charge_variant(own, system, note);
    if (status != SHOAL_E_ARGUMENT && status != SHOAL_E_UNSUPPORTED) return status;
    (void)snprintf(reason, sizeof reason, "%s", shoal_error_text());
    return stream_reject(system, reason);
}

/* --- of a record --------------------------------------------------------------------------------- */

shoal_status stream_copy_molecule(shoal_molecule *to, const shoal_molecule *from)
{
    SHOAL_TRY(shoal_molecule_copy(to, from));
    to->total_charge = from->total_charge;
    to->perceived = to->adopted = from->perceived;
    return SHOAL_OK;
}

static shoal_status copy_text(char **to, const char *from)
{
    if (!from) return SHOAL_OK;
    *to = shoal_strdup(from);
    return *to ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* A system that has its numbers becomes like another one of its record. */
static shoal_status copy_system(const shoal_stream_system *from, const stream_note *from_note,
                                shoal_stream_system *system, stream_note *note)
{
    SHOAL_TRY(stream_copy_molecule(system->mol, from->mol));
    SHOAL_TRY(copy_text(&note->reason, from_note->reason));
    SHOAL_TRY(copy_text(&note->warning, from_note->warning));
    note->isolated = from_note->isolated;
    note->record = from_note->record;
    note->problem = from_note->problem;
    system->topology = shoal_topology_retain(from->topology);
    system->charges_from = from->charges_from;
    system->result.status = from->result.status;
    system->result.reason = note->reason ? note->reason : from->result.reason;
    if (note->warning) system->result.warning = note->warning;
    return SHOAL_OK;
}

/* Series are made while they are computed, from this. */
static shoal_status keep_start(const shoal_molecule *mol, stream_note *note)
{
    const size_t n = (size_t)mol->n_atoms;
    note->start = shoal_alloc(n, sizeof *note->start);
    if (!note->start) return SHOAL_E_MEMORY;
    if (n > 0) memcpy(note->start, mol->pos, n * sizeof *note->start);
    return SHOAL_OK;
}

/* Variant k of a record; that in which the record itself was read comes last. */
static shoal_status make_one(const stream_thread *own, stream_block *b, int32_t first, int32_t k,
                             const double (*start)[3])
{
    const shoal_stream_options *o = own->s->options;
    shoal_stream_system *system = &b->systems[first + k];
    stream_note *note = &b->notes[first + k];
    if (k > 0) SHOAL_TRY(copy_system(&b->systems[first], &b->notes[first], system, note));
    if (!system->topology) return SHOAL_OK; /* it cannot be read */
    if (stream_has_rounds(o) && k % stream_unit(o) == 0) SHOAL_TRY(keep_start(system->mol, note));
    if (stream_series(o) == 1) return make(own, system, note, NULL, 0, start);
    return k % stream_series(o) == 0 ? keep_start(system->mol, note) : SHOAL_OK;
}

void stream_spread(const stream_thread *own, stream_block *b, int32_t first, int32_t n)
{
    shoal_stream_system *system = &b->systems[first];
    const shoal_molecule *mol = system->mol;
    const shoal_stream_options *o = own->s->options;
    const stream_embedding *from = o->build.conformers.n > 0 ? b->notes[first].embedding : NULL;
    stream_note whole = {0};
    shoal_status status = keep_start(mol, &whole);
    if (status != SHOAL_OK) stream_block_fail(b, status, first);
    for (int32_t k = n - 1; k >= 0 && whole.start; --k) {
        status = SHOAL_OK;
        if (from)
            status = stream_begin_conformer(from, b->systems[first + k].conformer, o, system,
                                            whole.start);
        if (status == SHOAL_OK)
            status = make_one(own, b, first, k, (const double(*)[3])whole.start);
        if (status == SHOAL_OK && from)
            status = stream_reject_conformer(from, &b->systems[first + k]);
        if (status != SHOAL_OK) stream_block_fail(b, status, first + k);
    }
    free(whole.start);
}

/* --- series -------------------------------------------------------------------------------------- */

/* Makes number k of a series, of a stage behind n_earlier others. */
static shoal_status make_next(const stream_thread *own, shoal_stream_system *system,
                              stream_note *note, int32_t k, int32_t n_earlier)
{
    const double(*start)[3] = (const double(*)[3])(note - k)->start;
    const size_t n = (size_t)system->mol->n_atoms;
    if (n > 0) memcpy(system->mol->pos, start, n * sizeof *start);
    return make(own, system, note, system - k, n_earlier, start);
}

/* Stages behind those that were computed when the stream was stopped. */
static void leave_unfinished(const stream_thread *own, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) own->list[i]->unfinished = true;
}

static shoal_status compute_stages(stream_thread *own, int32_t n_series, int32_t n_threads)
{
    const int32_t series = stream_series(own->s->options), stage = stream_stage(own->s->options);
    for (int32_t j = 0; j < series; j += stage) {
        const int32_t width = series - j < stage ? series - j : stage, n = n_series * width;
        if (atomic_load(&own->s->stop)) {
            leave_unfinished(own, (series - j) * n_series);
            return SHOAL_OK;
        }
        double began = stream_now();
        for (int32_t i = 0; i < n; ++i)
            SHOAL_TRY(make_next(own, own->list[i], own->notes[i], j + i % width, j));
        stream_clock(own, SHOAL_STAGE_PACK, &began);
        SHOAL_TRY(stream_compute_together(own, n, n_threads));
        own->list += n;
        own->notes += n;
    }
    return SHOAL_OK;
}

/* Where number i of series one behind the other goes: stage by stage, the members of a stage of one series side by side. */
static int32_t staged_place(const shoal_stream_options *o, int32_t i, int32_t n_series)
{
    const int32_t series = stream_series(o), stage = stream_stage(o);
    const int32_t k = i % series, first = k / stage * stage;
    const int32_t width = series - first < stage ? series - first : stage;
    return first * n_series + i / series * width + (k - first);
}

shoal_status stream_compute_series(stream_thread *own, int32_t n, int32_t n_threads)
{
    const shoal_stream_options *o = own->s->options;
    const int32_t n_series = n / stream_series(o);
    shoal_stream_system **list = own->list;
    stream_note **notes = own->notes;
    own->list = shoal_alloc((size_t)n, sizeof *own->list);
    own->notes = shoal_alloc((size_t)n, sizeof *own->notes);
    shoal_stream_system **staged = own->list;
    stream_note **staged_notes = own->notes;
    shoal_status status = staged && staged_notes ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        const int32_t to = staged_place(o, i, n_series);
        own->list[to] = list[i];
        own->notes[to] = notes[i];
    }
    if (status == SHOAL_OK) status = compute_stages(own, n_series, n_threads);
    free(staged);
    free(staged_notes);
    own->list = list;
    own->notes = notes;
    return status;
}
