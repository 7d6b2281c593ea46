/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of a stream: parsed, typed, and formatted for every sink. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "chem/flat.h"
#include "chem/molecule.h"
#include "chem/selection.h"
#include "results/results_record.h"
#include "shoal/placement.h"
#include "stream/stream.h"
#include "surf/grid.h"
#include "surf/surface.h"

/* Bytes that a system takes: by byte of its text (the molecule; then also engine, results and what is
 * formatted), and apart from that. Measured with 23 atoms. */
#define BYTES_PER_BYTE 2
#define BYTES_PER_BYTE_COMPUTED 6
#define BYTES_PER_SYSTEM 500
#define BYTES_PER_ATOM 32 /* of text, of an atom of movable layers, which no text has */
#define BYTES_PER_SYSTEM_COMPUTED 1500

stream_block *stream_block_create(const stream *s)
{
    stream_block *b = shoal_alloc(1, sizeof *b);
    if (!b) return NULL;
    b->texts = shoal_alloc((size_t)s->options->output.n_sinks, sizeof *b->texts);
    bool ok = b->texts != NULL;
    for (int32_t k = 0; ok && k < s->options->output.n_sinks; ++k)
        ok = shoal_string_create(&b->texts[k]) == SHOAL_OK;
    if (ok) return b;
    stream_block_destroy(s, b);
    return NULL;
}

void stream_block_destroy(const stream *s, stream_block *b)
{
    if (!b) return;
    stream_block_clear(s, b);
    for (int32_t i = 0; i < b->capacity; ++i) shoal_molecule_destroy(b->systems[i].mol);
    for (int32_t k = 0; b->texts && k < s->options->output.n_sinks; ++k)
        shoal_string_destroy(b->texts[k]);
    free(b->texts);
    free(b->frames);
    free(b->systems);
    free(b->notes);
    free(b->terms);
    shoal_string_free(&b->message);
    free(b);
}

void stream_release_engine(stream_engine *e)
{
    if (!e || atomic_fetch_sub(&e->n_users, 1) > 1) return;
    shoal_engine_destroy(e->engine);
    free(e);
}

static void free_steps(const stream *s, stream_note *note)
{
    for (int32_t k = 0; note->steps && k < s->options->output.n_sinks; ++k)
        spool_release(s->spool, &note->steps[k]);
    free(note->steps);
    note->steps = NULL;
}

void stream_block_clear(const stream *s, stream_block *b)
{
    for (int32_t i = 0; i < b->capacity; ++i) {
        shoal_stream_system *system = &b->systems[i];
        shoal_topology_destroy(system->topology);
        free(system->refusal);
        stream_release_engine(b->notes[i].engine);
        free(b->notes[i].reason);
        free(b->notes[i].warning);
        free_steps(s, &b->notes[i]);
        free(b->notes[i].restraints);
        free(b->notes[i].start);
        shoal_modes_result_destroy(b->notes[i].modes);
        stream_embedding_destroy(b->notes[i].embedding);
        b->notes[i] = (stream_note){0};
        *system = (shoal_stream_system){.mol = system->mol};
    }
    for (int32_t k = 0; b->texts && k < s->options->output.n_sinks; ++k)
        if (b->texts[k]) shoal_string_clear(b->texts[k]);
    stream_drop_frames(s, b, 0);
    stream_free_isolated(b);
    b->n = b->n_parts = b->n_passed = 0;
    b->cut_short = false;
    b->status = SHOAL_OK;
    b->error[0] = '\0';
}

void stream_block_fail(stream_block *b, shoal_status status, int32_t n)
{
    if (b->status != SHOAL_OK && n >= b->n) return; /* something fails before it */
    if (n < b->n) b->n = n;
    b->status = status;
    (void)snprintf(b->error, sizeof b->error, "%s", shoal_error_text());
}

shoal_status stream_block_reserve(stream_block *b, int32_t n)
{
    if (n <= b->capacity) return SHOAL_OK;
    shoal_stream_system *systems = realloc(b->systems, (size_t)n * sizeof *systems);
    if (systems) b->systems = systems;
    stream_note *notes = realloc(b->notes, (size_t)n * sizeof *notes);
    if (notes) b->notes = notes;
    if (!systems || !notes)
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: a block of %d systems", n);
    for (int32_t i = b->capacity; i < n; ++i) {
        b->systems[i] = (shoal_stream_system){0};
        b->notes[i] = (stream_note){0};
    }
    b->capacity = n;
    return SHOAL_OK;
}

/* --- parsing and typing -------------------------------------------------------------------------- */

static shoal_span line_of(shoal_span *text)
{
    const char *end = memchr(text->text, '\n', text->size);
    const shoal_span line = {text->text, end ? (size_t)(end - text->text) : text->size};
    *text = shoal_span_after(*text, line.size + 1);
    return shoal_span_trim(line);
}

/* The name of a record that cannot be read, as far as its first lines tell it. */
static shoal_span guess_name(shoal_format format, shoal_span text)
{
    switch (format) {
    case SHOAL_FORMAT_HDF5: return results_name(text);
    case SHOAL_FORMAT_SDF:
    case SHOAL_FORMAT_POSCAR: return line_of(&text);
    case SHOAL_FORMAT_MOL2: line_of(&text); return line_of(&text);
    case SHOAL_FORMAT_SMILES: {
        const shoal_span smiles = shoal_span_word(&text), rest = shoal_span_trim(text);
        return rest.size > 0 ? rest : smiles;
    }
    default: return (shoal_span){text.text, 0};
    }
}

/* Makes a system of record i, which cannot be read; the error text says why. */
static shoal_status set_unreadable(const stream_records *r, int32_t i, shoal_stream_system *system,
                                   stream_note *note)
{
    note->reason = shoal_strdup(shoal_error_text());
    if (!note->reason) return SHOAL_E_MEMORY;
    system->result.status = SHOAL_SYSTEM_UNREADABLE;
    system->result.reason = note->reason;
    shoal_molecule_clear(system->mol);
    if (note->record) return SHOAL_OK;
    return molecule_set_name(system->mol, guess_name(r->format, record_block_text(&r->block, i)));
}

/* A record of a file of results, with its origin behind it. */
static shoal_status parse_result(const stream_records *r, int32_t i, shoal_molecule *mol)
{
    const shoal_span text = record_block_text(&r->block, i);
    int64_t index;
    size_t size;
    SHOAL_TRY(shoal_results_record_index(text.text, text.size, &index, &size));
    const char *file = text.text + size, *program = file + strlen(file) + 1;
    return results_make_molecule((shoal_span){text.text, size}, file, program, mol);
}

/* A record of a molecule file. */
static shoal_status parse_text(const stream_thread *own, int32_t i, shoal_molecule *mol)
{
    const stream_records *r = &own->records;
    const int64_t line = r->block.lines[i];
    bool found = true;
    SHOAL_TRY(
        reader_parse(own->parser, record_block_text(&r->block, i), r->label, line, mol, &found));
    if (found) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT, "%s:%lld: nothing but blank lines, expected a record",
                      r->label, (long long)line);
}

/* Record i, into one system. */
static shoal_status parse(stream_thread *own, int32_t i, shoal_stream_system *system,
                          stream_note *note)
{
    const stream_records *r = &own->records;
    const shoal_stream_options *o = own->s->options;
    if (stream_in_memory(o)) note->record = &o->input.records[system->record];
    const shoal_status status = note->record
                                    ? stream_record_take(note->record, system->record, system->mol)
                                : r->format == SHOAL_FORMAT_HDF5 ? parse_result(r, i, system->mol)
                                                                 : parse_text(own, i, system->mol);
    if (status != SHOAL_E_FORMAT || own->s->options->input.strict) return status;
    return set_unreadable(r, i, system, note);
}

int32_t stream_count_movable(const shoal_stream_options *o)
{
    shoal_surface_view v;
    shoal_surface_get(o->build.movable, &v);
    return v.n_atoms;
}

/* Characters of a condition that a message has room for. */
static int shown(shoal_span text)
{
    return text.size < 60 ? (int)text.size : 60;
}

/* The first option that names an atom which the system lacks: its text and the atom, or -1. n: atoms that are
 * typed, which those of movable layers are not. */
static int32_t missing_atom(const shoal_stream_options *o, int32_t n, char what[80])
{
    static const char *const kinds[] = {"position", "distance", "angle", "torsion", "centre"};
    shoal_span text;
    for (int32_t k = 0; k < o->typing.n_types; ++k) {
        const shoal_type_override *t = &o->typing.types[k];
        if (!t->where && t->atom < n) continue;
        (void)snprintf(what, 80, "type %d=%s", t->atom, t->label);
        if (!t->where) return t->atom;
        const int32_t missing = selection_missing(t->where, n, &text);
        if (missing < 0) continue;
        (void)snprintf(what, 80, "type %.*s=%s", shown(text), text.text, t->label);
        return missing;
    }
    n += stream_count_movable(o);
    for (int32_t k = 0; k < o->constraints.n_fixed; ++k) {
        if (o->constraints.fixed[k] < n) continue;
        (void)snprintf(what, 80, "fix %d", o->constraints.fixed[k]);
        return o->constraints.fixed[k];
    }
    for (int32_t k = 0; k < o->constraints.n_fix; ++k) {
        const int32_t missing = selection_missing(o->constraints.fix[k], n, &text);
        if (missing < 0) continue;
        (void)snprintf(what, 80, "fix %.*s", shown(text), text.text);
        return missing;
    }
    for (int32_t k = 0; k < o->constraints.n_rigid; ++k) {
        const int32_t missing = selection_missing(o->constraints.rigid[k], n, &text);
        if (missing < 0) continue;
        (void)snprintf(what, 80, "rigid %.*s", shown(text), text.text);
        return missing;
    }
    for (int32_t k = 0; k < o->constraints.n_restraints; ++k) {
        const shoal_restraint *r = &o->constraints.restraints[k];
        const int n_atoms = restraint_n_atoms(r->kind);
        int32_t missing = -1;
        _Static_assert(sizeof "restraint distance:" + 4 * sizeof ",-2147483648" <= 80,
                       "room for a kind and atoms");
        int used = snprintf(what, 80, "restraint %s:", kinds[r->kind]);
        for (int a = 0; a < n_atoms; ++a) {
            used += snprintf(what + used, (size_t)(80 - used), "%s%d", a ? "," : "", r->atoms[a]);
            if (r->atoms[a] >= n && missing < 0) missing = r->atoms[a];
        }
        if (missing >= 0) return missing;
    }
    return -1;
}

shoal_status stream_reject(shoal_stream_system *system, const char *reason)
{
    shoal_topology_destroy(system->topology);
    system->topology = NULL;
    SHOAL_TRY(shoal_topology_create_untyped(&system->topology, system->mol, reason));
    system->result.status = shoal_topology_status(system->topology);
    system->result.reason = shoal_topology_reason(system->topology);
    return SHOAL_OK;
}

/* A surface without charges may have a grid with a potential from elsewhere. */
static const char *warn_of_surface(const shoal_engine_options *o, const shoal_topology *topology)
{
    if (!o->surface || !o->grid) return shoal_surface_warning(o->surface, topology);
    return surface_warning(o->surface, o->grid->view.has_channel[SHOAL_CHANNEL_Q], topology);
}

/* What was noticed in typing; and a molecule drawn without its hydrogens has another energy than its user
 * expects. */
static shoal_status note_warnings(const shoal_stream_options *o, const shoal_stream_system *system,
                                  stream_note *note)
{
    char text[500] = "";
    const shoal_engine_options *engine = o->compute.engine;
    const bool on = engine && !(engine->terms_off >> SHOAL_TERM_SURFACE & 1u);
    const char *more[] = {shoal_topology_warning(system->topology),
                          on ? warn_of_surface(engine, system->topology) : ""};
    const int32_t n = shoal_molecule_missing_hydrogens(system->mol, NULL);
    if (n < 0) return SHOAL_E_MEMORY;
    if (n > 0)
        (void)snprintf(text, 120, "its valences lack %d hydrogen atom%s", n, n == 1 ? "" : "s");
    for (int k = 0; k < 2; ++k) {
        const size_t used = strlen(text);
        if (*more[k])
            (void)snprintf(text + used, sizeof text - used, "%s%s", used ? "; " : "", more[k]);
    }
    if (!text[0]) return SHOAL_OK;
    note->warning = shoal_strdup(text);
    return note->warning ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* Atoms that it lacks are its reason to fail later. */
static shoal_status set_type(const shoal_type_override *t, shoal_molecule *mol)
{
    if (!t->where)
        return t->atom < mol->n_atoms ? shoal_molecule_set_type(mol, t->atom, t->label) : SHOAL_OK;
    bool *chosen = shoal_alloc((size_t)mol->n_atoms, sizeof *chosen);
    shoal_status status = chosen ? shoal_selection_apply(t->where, mol, chosen) : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < mol->n_atoms && status == SHOAL_OK; ++i)
        if (chosen[i]) status = shoal_molecule_set_type(mol, i, t->label);
    free(chosen);
    return status;
}

/* Drawings leave hydrogens out as a rule; conformers need them. */
static shoal_status is_drawn(const shoal_stream_options *o, shoal_molecule *mol, bool *drawn)
{
    *drawn = false;
    if (!molecule_may_be_flat(mol)) return SHOAL_OK;
    SHOAL_TRY(shoal_molecule_perceive(mol, o->typing.perceive));
    SHOAL_TRY(molecule_find_geometry(mol));
    *drawn = mol->geometry != SHOAL_GEOMETRY_GIVEN;
    return SHOAL_OK;
}

static shoal_status note_space_group(shoal_molecule *mol)
{
    char symbol[11], text[32];
    int32_t number;
    SHOAL_TRY(shoal_molecule_find_space_group(mol, &number, symbol));
    if (number == 0) return SHOAL_OK;
    (void)snprintf(text, sizeof text, "%d %s", number, symbol);
    return molecule_set_property(mol, shoal_span_of("space_group"), shoal_span_of(text));
}

/* The molecule as it is to be typed. */
static shoal_status prepare_molecule(const shoal_stream_options *o, shoal_molecule *mol)
{
    if (o->typing.fragment > 0) SHOAL_TRY(shoal_molecule_keep_fragment(mol, o->typing.fragment));
    if (o->typing.file_types) SHOAL_TRY(shoal_molecule_use_file_types(mol));
    if (o->typing.drop_solvent)
        SHOAL_TRY(shoal_molecule_drop_solvent(mol, o->typing.perceive, NULL));
    if (o->typing.primitive) SHOAL_TRY(shoal_molecule_make_primitive(mol));
    if (o->typing.space_group) SHOAL_TRY(note_space_group(mol));
    bool drawn = false;
    if (!o->typing.keep_flat) SHOAL_TRY(is_drawn(o, mol, &drawn));
    if (o->typing.add_hydrogens || drawn) {
        SHOAL_TRY(shoal_molecule_perceive(mol, o->typing.perceive));
        SHOAL_TRY(shoal_molecule_add_hydrogens(mol, NULL));
    }
    for (int32_t k = 0; k < o->typing.n_types; ++k) SHOAL_TRY(set_type(&o->typing.types[k], mol));
    return SHOAL_OK;
}

/* The topology that a record brings, or that its molecule is typed with. */
static shoal_status need_topology(stream_thread *own, shoal_stream_system *system,
                                  stream_note *note)
{
    const shoal_stream_options *o = own->s->options;
    const int32_t n_atoms = system->mol->n_atoms;
    if (stream_recall(own, system, note)) return SHOAL_OK;
    if (note->record && note->record->topology) {
        SHOAL_TRY(stream_record_topology(note->record, system->mol, &system->topology));
    } else {
        SHOAL_TRY(prepare_molecule(o, system->mol));
        SHOAL_TRY(topology_cache_type(own->cache, system->mol, &system->topology));
    }
    SHOAL_TRY(note_warnings(o, system, note));
    if (system->mol->n_atoms == n_atoms) stream_remember(own, system, note);
    return SHOAL_OK;
}

static shoal_status find_topology(stream_thread *own, shoal_stream_system *system,
                                  stream_note *note)
{
    const shoal_stream_options *o = own->s->options;
    char what[80], reason[160];
    SHOAL_TRY(need_topology(own, system, note));
    int32_t n = system->mol->n_atoms;
    const int32_t missing = missing_atom(o, n, what);
    /* One that is untyped for another reason keeps that, unless it is its types that were asked for. */
    const bool typed = shoal_topology_status(system->topology) == SHOAL_SYSTEM_OK;
    if (missing < 0 || (!typed && what[0] != 't')) return SHOAL_OK;
    if (what[0] != 't') n += stream_count_movable(o);
    (void)snprintf(reason, sizeof reason, "%s names atom %d, the system has %d atom%s", what,
                   missing, n, n == 1 ? "" : "s");
    return stream_reject(system, reason);
}

shoal_status stream_place(const shoal_stream_options *o, shoal_molecule *mol)
{
    const shoal_surface *below = o->compute.engine ? o->compute.engine->surface : NULL;
    const shoal_surface *surface = o->build.movable ? o->build.movable : below;
    return o->build.placement ? shoal_placement_apply(o->build.placement, surface, mol) : SHOAL_OK;
}

/* Layers that move become part of a system that was typed. */
static shoal_status join(const shoal_stream_options *o, shoal_stream_system *system)
{
    if (!o->build.movable || shoal_topology_status(system->topology) != SHOAL_SYSTEM_OK)
        return SHOAL_OK;
    return shoal_surface_join(o->build.movable, system->mol, &system->topology);
}

/* What a system cannot be given is the reason why it is not computed. */
static shoal_status reject_if_refused(shoal_stream_system *system, shoal_status status)
{
    char reason[STREAM_ERROR_SIZE];
    if (status != SHOAL_E_FORMAT && status != SHOAL_E_ARGUMENT) return status;
    (void)snprintf(reason, sizeof reason, "%s", shoal_error_text());
    return stream_reject(system, reason);
}

/* Types a record, whose n systems may need conformers. */
static shoal_status type(stream_thread *own, shoal_stream_system *system, stream_note *note,
                         int32_t n)
{
    SHOAL_TRY(reject_if_refused(system, find_topology(own, system, note)));
    return reject_if_refused(system, stream_need_conformers(own->s, system, note, n));
}

/* What follows once it has a geometry. */
static shoal_status settle(stream_thread *own, stream_block *b, shoal_stream_system *system,
                           stream_note *note)
{
    if (note->embedding) {
        const shoal_topology *before = system->topology;
        SHOAL_TRY(stream_take_conformer(note->embedding, system));
        SHOAL_TRY(stream_type_conformer(own, system, note));
        if (system->topology != before) {
            free(note->warning);
            note->warning = NULL;
            SHOAL_TRY(note_warnings(own->s->options, system, note));
        }
    }
    SHOAL_TRY(stream_keep_isolated(own->s->options, b, system, note));
    SHOAL_TRY(reject_if_refused(system, stream_place(own->s->options, system->mol)));
    SHOAL_TRY(reject_if_refused(system, join(own->s->options, system)));
    if (note->record && shoal_topology_status(system->topology) == SHOAL_SYSTEM_OK)
        SHOAL_TRY(
            reject_if_refused(system, stream_record_check(own->s->options, note->record, system)));
    shoal_topology_view view;
    shoal_topology_get(system->topology, &view);
    /* Layers of a surface alone are a system, nothing at all is none. */
    if (view.n_atoms == 0 && shoal_topology_status(system->topology) == SHOAL_SYSTEM_OK)
        SHOAL_TRY(stream_reject(system, "there are no atoms"));
    system->result.status = shoal_topology_status(system->topology);
    system->result.reason = shoal_topology_reason(system->topology);
    if (system->result.status == SHOAL_SYSTEM_OK) system->charges_from = view.charges_from;
    if (note->warning) system->result.warning = note->warning;
    return SHOAL_OK;
}

/* What is known of system k of record i before that is parsed. */
static shoal_status begin_system(const stream *s, const stream_records *r, int32_t i, int32_t k,
                                 shoal_stream_system *system)
{
    const stream_share *share = &r->shares[i];
    const int64_t number = stream_number(s->options, share, k), n = stream_n_variants(s->options);
    const bool conformers = s->options->build.conformers.n > 0,
               variants = s->options->build.variants;
    system->conformer = conformers ? number / n : -1;
    system->variant = variants ? number % n : number;
    system->n_variants = variants ? n : s->options->build.conformers.n;
    system->index = (r->file_start + share->number) * stream_per_record(s->options) + number;
    system->record = share->number;
    system->line = r->block.lines[i];
    system->i_file = r->i_file;
    system->round = system->rank = 0;
    system->device = "";
    system->charges_from = SHOAL_CHARGES_AUTO;
    system->isolated_energy = NAN;
    system->isolated_start = 0;
    system->result = (shoal_result){.reason = "", .warning = ""};
    if (stream_computes(s)) {
        system->result.energy = system->result.energy0 = system->result.fmax = NAN;
        for (int c = 0; c < 6; ++c) system->result.stress[c] = NAN;
        system->result.measure = system->result.pressure = NAN;
        system->result.n_terms = TERMS_ALWAYS;
        system->result.terms = system->result.terms0 = s->no_terms;
    }
    return system->mol ? SHOAL_OK : shoal_molecule_create(&system->mol);
}

/* Parses records until one fails, each into the first of its systems. */
static void parse_all(stream_thread *own, stream_block *b)
{
    const stream_records *r = &own->records;
    for (int32_t i = 0, at = 0; at < b->n; at += r->shares[i++].n) {
        shoal_status status = SHOAL_OK;
        for (int32_t k = 0; k < r->shares[i].n && status == SHOAL_OK; ++k)
            status = begin_system(own->s, r, i, k, &b->systems[at + k]);
        if (status == SHOAL_OK) status = parse(own, i, &b->systems[at], &b->notes[at]);
        if (status != SHOAL_OK) stream_block_fail(b, status, at);
    }
}

/* Charges of large systems take their time; whoever computes them asks here whether to go on. */
static bool is_to_stop(void *user)
{
    stream_thread *own = user;
    if (!atomic_load(&own->s->stop)) return false;
    atomic_store(&own->gave_up, true);
    return true;
}

void stream_thread_ask(stream_thread *own, const shoal_typing_options *typing)
{
    own->typing = typing ? *typing : (shoal_typing_options){0};
    own->qeq = own->typing.qeq ? *own->typing.qeq : (shoal_qeq_options){0};
    own->qeq.n_threads = own->s->n_threads;
    own->qeq.stop = is_to_stop;
    own->qeq.user = own;
    own->typing.qeq = &own->qeq;
}

/* A system that is not finished, and all behind it. */
static void leave_out(stream_block *b, int32_t i)
{
    b->n = i;
    b->cut_short = true;
}

/* Types every record once. */
static void type_all(stream_thread *own, stream_block *b)
{
    const stream_share *shares = own->records.shares;
    for (int32_t i = 0, at = 0; at < b->n; at += shares[i++].n) {
        shoal_stream_system *system = &b->systems[at];
        if (system->result.status == SHOAL_SYSTEM_UNREADABLE) continue;
        const shoal_status status = type(own, system, &b->notes[at], shares[i].n);
        if (atomic_load(&own->gave_up)) {
            leave_out(b, at);
            return;
        }
        if (status != SHOAL_OK) stream_block_fail(b, status, at);
    }
}

/* Gives typed records a geometry, and makes their variants. */
static void settle_all(stream_thread *own, stream_block *b)
{
    const stream_share *shares = own->records.shares;
    const shoal_status embedded = stream_embed(own, b);
    if (embedded != SHOAL_OK) stream_block_fail(b, embedded, 0);
    if (atomic_load(&own->s->stop) && !b->cut_short) leave_out(b, 0);
    for (int32_t i = 0, at = 0; at < b->n; at += shares[i++].n) {
        shoal_stream_system *system = &b->systems[at];
        shoal_status status = SHOAL_OK;
        if (system->result.status != SHOAL_SYSTEM_UNREADABLE)
            status = settle(own, b, system, &b->notes[at]);
        if (status != SHOAL_OK)
            stream_block_fail(b, status, at);
        else if (stream_spreads(own->s->options))
            stream_spread(own, b, at, shares[i].n);
    }
    b->n -= b->n % stream_unit(own->s->options); /* a series that fails in part fails */
}

/* Systems that will not be computed have failed already. */
static void count_failed(stream *s, const stream_block *b)
{
    int64_t n = 0;
    for (int32_t i = b->n_passed; i < b->n; ++i)
        n += b->systems[i].result.status != SHOAL_SYSTEM_OK &&
             (!b->systems[i].topology || !stream_computes(s));
    if (n == 0) return;
    (void)pthread_mutex_lock(&s->lock);
    s->progress.n_failed += n;
    (void)pthread_mutex_unlock(&s->lock);
}

void stream_block_fill(stream_thread *own, stream_block *b)
{
    double began = stream_now();
    const shoal_status status = stream_block_reserve(b, own->records.n_systems);
    b->n = own->records.n_systems;
    b->n_passed = own->records.n_passed;
    if (status != SHOAL_OK) stream_block_fail(b, status, 0);
    parse_all(own, b);
    stream_clock(own, SHOAL_STAGE_PARSE, &began);
    if (own->s->options->job != SHOAL_JOB_READ) {
        type_all(own, b);
        settle_all(own, b);
    }
    stream_clock(own, SHOAL_STAGE_TYPE, &began);
    count_failed(own->s, b);
}

void stream_block_weigh(const stream *s, stream_block *b, const stream_records *records)
{
    const int64_t n = records->n_systems;
    const int64_t size =
        records->text_bytes + n * BYTES_PER_ATOM * stream_count_movable(s->options);
    b->bytes = BYTES_PER_BYTE * size + BYTES_PER_SYSTEM * n;
    b->bytes_computed = BYTES_PER_BYTE_COMPUTED * size + BYTES_PER_SYSTEM_COMPUTED * n;
}

int64_t stream_block_text_bytes(const stream *s, const stream_block *b)
{
    int64_t size = 0;
    for (int32_t k = 0; k < s->options->output.n_sinks; ++k)
        size += (int64_t)shoal_string_size(b->texts[k]);
    return size;
}

/* --- formatting ---------------------------------------------------------------------------------- */

/* What sink k wants of a system: its trajectory, then the rest. */
static shoal_status format_for(const stream *s, stream_block *b, int32_t i, int32_t k)
{
    const shoal_sink *sink = &s->options->output.sinks[k];
    if (b->notes[i].steps) SHOAL_TRY(stream_put_steps(s, b, k, &b->notes[i].steps[k]));
    if (sink->format) SHOAL_TRY(sink->format(sink->user, &b->systems[i], b->texts[k]));
    return shoal_string_status(b->texts[k]);
}

static shoal_status format(const stream *s, stream_block *b, int32_t i)
{
    shoal_stream_system *system = &b->systems[i];
    for (int32_t k = 0; k < s->options->output.n_sinks; ++k) {
        const size_t before = shoal_string_size(b->texts[k]);
        const int32_t n_frames = b->n_frames;
        const shoal_status status = format_for(s, b, i, k);
        if (status == SHOAL_OK) continue;
        if (!stream_is_refusal(status)) return status;
        shoal_string_cut(b->texts[k], before);
        stream_drop_frames(s, b, n_frames);
        if (!system->refusal) system->refusal = shoal_strdup(shoal_error_text());
        if (!system->refusal) return SHOAL_E_MEMORY;
    }
    free_steps(s, &b->notes[i]);
    return SHOAL_OK;
}

/* Chooses among the conformers of every record that came to its end. */
static shoal_status choose(const stream *s, stream_block *b)
{
    const shoal_choice *c = s->options->build.conformers.choice;
    const int32_t n = s->options->build.conformers.n;
    for (int32_t i = 0; c && i + n <= b->n; i += n) {
        bool unfinished = false;
        for (int32_t k = i; k < i + n; ++k) unfinished = unfinished || b->systems[k].unfinished;
        if (unfinished) {
            leave_out(b, i);
            break;
        }
        SHOAL_TRY(c->choose(c->user, b->systems + i, n));
    }
    return SHOAL_OK;
}

void stream_block_format(const stream *s, stream_block *b)
{
    const shoal_status chosen = choose(s, b);
    if (chosen != SHOAL_OK) stream_block_fail(b, chosen, 0);
    for (int32_t i = b->n_passed; i < b->n; ++i) {
        if (b->systems[i].unfinished) {
            b->n = i;
            b->cut_short = true;
            break;
        }
        if (b->systems[i].rank < 0) free_steps(s, &b->notes[i]);
        const shoal_status status = b->systems[i].rank < 0 ? SHOAL_OK : format(s, b, i);
        if (status == SHOAL_OK) continue;
        /* Sinks may differ by this system: nothing of the block is written. */
        stream_block_fail(b, status, 0);
        for (int32_t k = 0; k < s->options->output.n_sinks; ++k) shoal_string_clear(b->texts[k]);
        stream_drop_frames(s, b, 0);
    }
}
