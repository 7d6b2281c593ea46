/* SPDX-License-Identifier: BSD-3-Clause
 * What comes back from the relaxations of a search, and its journal.
 *
 * The text of a system is two doubles, the energy of the molecule alone and its free energy, and its record of results. A journal is a
 * row of entries, one for every text that was taken, with the text itself only where it is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/text.h"
#include "jobs/search.h"
#include "results/results_record.h"
#include "shoal/modes.h"

#define BEGINS                                                                                     \
    (-1) /* kind of the entry with the first geometry of a molecule, which is no outcome */

typedef struct journal_entry {
    char magic[4];
    int32_t kind; /* search_outcome, or BEGINS */
    int32_t minimum;
    int32_t molecule;
    uint64_t size; /* bytes of the text behind it */
} journal_entry;
_Static_assert(sizeof(journal_entry) == 24, "an entry without padding");

enum { MOST_SHARDS = 1 << 20 }; /* that anybody will make of an input */

static const char entry_magic[4] = {'S', 'H', 'S', '2'};

/* eV; NaN where they are not known. */
typedef struct text_head {
    double isolated, free_energy;
} text_head;

/* A text, taken apart. */
typedef struct arrival {
    const char *text; /* .. and all of it */
    size_t size;
    shoal_span record; /* of results, in it */
    text_head head;
    double energy;
    int64_t molecule, variant;
    bool converged;
    results_view view;
} arrival;

shoal_status shoal_search_format(const shoal_search *search, const shoal_stream_system *system,
                                 shoal_string *out)
{
    shoal_clear_error();
    SHOAL_NEED(search && system && out);
    text_head head = {NAN, NAN};
    if (search->options.surface) head.isolated = system->isolated_energy;
    if (system->modes && system->modes->verdict == SHOAL_VERDICT_MINIMUM)
        head.free_energy = system->modes->thermo.free_energy;
    shoal_string_put(out, (const char *)&head, sizeof head);
    const shoal_results_what what = {.forces = true,
                                     .adsorption = search->options.surface != NULL,
                                     .directions = search->options.directions};
    return shoal_results_format(&what, system, out);
}

/* --- texts ---------------------------------------------------------------------------------------- */

static shoal_status take_apart(const shoal_search *s, const char *text, size_t size, arrival *out)
{
    int64_t index;
    int32_t status;
    double fmax;
    if (size < sizeof out->head)
        return shoal_fail(SHOAL_E_FORMAT, "search: %zu bytes are no text of a system", size);
    SHOAL_TRY(results_look(text + sizeof out->head, size - sizeof out->head, &out->view));
    out->text = text;
    out->size = sizeof out->head + out->view.head.size;
    out->record = (shoal_span){text + sizeof out->head, out->view.head.size};
    memcpy(&out->head, text, sizeof out->head);
    memcpy(&index, out->view.at[RESULTS_INDEX], sizeof index);
    memcpy(&status, out->view.at[RESULTS_STATUS], sizeof status);
    memcpy(&out->energy, out->view.at[RESULTS_ENERGY], sizeof out->energy);
    out->molecule = index / s->variants.n;
    out->variant = index % s->variants.n;
    memcpy(&fmax, out->view.at[RESULTS_FMAX], sizeof fmax);
    out->converged = (status == SHOAL_SYSTEM_CONVERGED ||
                      (status == SHOAL_SYSTEM_STALLED && fmax < SEARCH_STALLED)) &&
                     isfinite(out->energy);
    return SHOAL_OK;
}

/* Labels of the atoms as numbers. */
static int32_t *number_types(const arrival *a, int32_t n_atoms)
{
    const size_t size = results_type_size[RESULTS_TEXT8];
    int32_t *labels = shoal_alloc((size_t)n_atoms, sizeof *labels);
    for (int32_t i = 0; i < n_atoms && labels; ++i) {
        const char *label = a->view.at[RESULTS_ATOM_TYPE] + (size_t)i * size;
        labels[i] = (int32_t)(hash_name(label, size) >> 1);
    }
    return labels;
}

static shoal_status begin_molecule(shoal_search *s, const arrival *a, search_minima *m)
{
    shoal_molecule *mol = NULL;
    const int32_t n = (int32_t)a->view.head.rows[RESULTS_ATOM] - s->n_movable;
    if (n < 1) return SHOAL_OK;
    int32_t *labels = number_types(a, n);
    shoal_status status = labels ? shoal_molecule_create(&mol) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = results_make_molecule(a->record, "", NULL, mol);
    if (status == SHOAL_OK) status = search_minima_begin(m, mol, n, labels);
    shoal_molecule_destroy(mol);
    free(labels);
    return status;
}

/* The minima of a molecule, which has come for the first time if begun is false. */
static shoal_status find_molecule(shoal_search *s, int64_t number, search_minima **out)
{
    if (number < 0 || number >= INT32_MAX)
        return shoal_fail(SHOAL_E_UNSUPPORTED, "search: more than 2^31 molecules");
    SHOAL_TRY(SHOAL_RESERVE(&s->molecules, &s->capacity, (int32_t)number + 1));
    for (; s->n_molecules <= (int32_t)number; ++s->n_molecules)
        s->molecules[s->n_molecules] = (search_minima){0};
    *out = &s->molecules[number];
    return SHOAL_OK;
}

static void take_positions(const arrival *a, search_minima *m)
{
    memcpy(m->pos, a->view.at[RESULTS_POSITION], (size_t)m->n_atoms * sizeof *m->pos);
}

static search_minimum minimum_of(const arrival *a)
{
    return (search_minimum){.energy = a->energy,
                            .isolated = a->head.isolated,
                            .free_energy = a->head.free_energy,
                            .start = a->variant,
                            .record = (char *)(uintptr_t)a->record.text,
                            .record_size = a->record.size};
}

/* Ends the search of a molecule that has given nothing new for long. */
static void lose_patience(shoal_search *s, int64_t molecule, search_minima *m)
{
    if (s->options.patience == 0 || m->since_new < s->options.patience || m->over) return;
    m->over = true;
    (void)pthread_mutex_lock(&s->lock);
    s->over = molecule;
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- journal -------------------------------------------------------------------------------------- */

static void note(shoal_string *journal, int32_t kind, int32_t minimum, const arrival *a)
{
    const bool whole = kind == BEGINS || kind == SEARCH_NEW || kind == SEARCH_BETTER;
    journal_entry entry = {.kind = kind,
                           .minimum = minimum,
                           .molecule = (int32_t)a->molecule,
                           .size = whole ? a->size : 0};
    memcpy(entry.magic, entry_magic, sizeof entry.magic);
    if (!journal) return;
    shoal_string_put(journal, (const char *)&entry, sizeof entry);
    if (whole) shoal_string_put(journal, a->text, a->size);
}

/* What a refined search takes for a minimum of the other one: that minimum itself where it could not be relaxed
 * further; and its count and start. False where there is none. */
static bool refine_arrival(const shoal_search *s, arrival *a, const shoal_minimum **from)
{
    *from = search_listed(s->from, a->molecule, a->variant);
    if (!*from) return false;
    if (a->converged) return true;
    const double isolated = (*from)->energy - (*from)->adsorption_energy;
    if (results_look((*from)->record, (*from)->record_size, &a->view) != SHOAL_OK) return false;
    a->record = (shoal_span){(*from)->record, (*from)->record_size};
    a->energy = (*from)->energy;
    a->head = (text_head){isolated, NAN};
    a->converged = true;
    return true;
}

static shoal_status take_refined(shoal_search *s, arrival *a)
{
    search_minima *m = NULL;
    const shoal_minimum *from;
    int32_t i = 0;
    if (!refine_arrival(s, a, &from)) return SHOAL_OK;
    SHOAL_TRY(find_molecule(s, a->molecule, &m));
    if (m->n_atoms == 0) SHOAL_TRY(begin_molecule(s, a, m));
    take_positions(a, m);
    search_minimum minimum = minimum_of(a);
    minimum.start = from->start;
    const search_outcome outcome = search_minima_judge(m, &s->rules, a->energy, &i);
    SHOAL_TRY(search_minima_count(m, outcome, i, &minimum));
    if (outcome >= SEARCH_SAME) m->of[i].count += from->count - 1;
    return SHOAL_OK;
}

static shoal_status take_one(shoal_search *s, const arrival *a, shoal_string *journal)
{
    search_minima *m = NULL;
    search_outcome outcome = SEARCH_FAILED;
    int32_t i = 0;
    SHOAL_TRY(find_molecule(s, a->molecule, &m));
    if (m->over) return SHOAL_OK;
    if (m->n_atoms == 0 && a->converged) {
        SHOAL_TRY(begin_molecule(s, a, m));
        note(journal, BEGINS, 0, a);
    }
    if (m->n_atoms > 0 && a->converged) {
        take_positions(a, m);
        outcome = search_minima_judge(m, &s->rules, a->energy, &i);
    }
    const search_minimum minimum = minimum_of(a);
    SHOAL_TRY(search_minima_count(m, outcome, i, &minimum));
    note(journal, (int32_t)outcome, i, a);
    lose_patience(s, a->molecule, m);
    return journal ? shoal_string_status(journal) : SHOAL_OK;
}

shoal_status shoal_search_take(shoal_search *search, const char *text, size_t size,
                               shoal_string *journal)
{
    shoal_clear_error();
    SHOAL_NEED(search && text);
    while (size > 0) {
        arrival a;
        SHOAL_TRY(take_apart(search, text, size, &a));
        SHOAL_TRY(search->from ? take_refined(search, &a) : take_one(search, &a, journal));
        text += a.size;
        size -= a.size;
    }
    return SHOAL_OK;
}

/* --- shards --------------------------------------------------------------------------------------- */

static shoal_status check_header(const shoal_search *s, shoal_results_reader *reader,
                                 const char *path)
{
    shoal_results_header header;
    SHOAL_TRY(shoal_results_header_get(reader, &header));
    const shoal_results_what *w = &header.what;
    const int64_t n = shoal_results_n_systems(reader);
    if (!w->forces || w->variants || w->dynamics || w->adsorption != (s->options.surface != NULL) ||
        w->directions != s->options.directions)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: no relaxations of shards of this search", path);
    if (n % s->variants.n != 0)
        return shoal_fail(SHOAL_E_FORMAT,
                          "%s: %lld relaxations, expected a multiple of %lld: a shard is missing, "
                          "or of another search",
                          path, (long long)n, (long long)s->variants.n);
    return SHOAL_OK;
}

/* The text that shoal_search_format would have made, as good as the record tells. */
static shoal_status put_text(shoal_results_reader *reader, int64_t i, shoal_string *out)
{
    results_view v;
    text_head head = {NAN, NAN};
    shoal_string_clear(out);
    shoal_string_put(out, (const char *)&head, sizeof head);
    SHOAL_TRY(shoal_results_read(reader, i, out));
    SHOAL_TRY(results_look(out->data + sizeof head, out->size - sizeof head, &v));
    if (!(v.head.flags & RESULTS_HAS_ADSORPTION)) return SHOAL_OK;
    double energy, adsorption;
    memcpy(&energy, v.at[RESULTS_ENERGY], sizeof energy);
    memcpy(&adsorption, v.at[RESULTS_ADSORPTION], sizeof adsorption);
    head.isolated = energy - adsorption;
    memcpy(out->data, &head, sizeof head);
    return SHOAL_OK;
}

static shoal_status take_all(shoal_search *s, shoal_results_reader *reader, const char *path)
{
    shoal_string text = {0};
    shoal_status status = check_header(s, reader, path);
    for (int64_t i = 0; i < shoal_results_n_systems(reader) && status == SHOAL_OK; ++i) {
        arrival a = {0};
        status = put_text(reader, i, &text);
        if (status == SHOAL_OK) status = take_apart(s, text.data, text.size, &a);
        if (status == SHOAL_OK && a.molecule * s->variants.n + a.variant != i)
            status = shoal_fail(SHOAL_E_FORMAT,
                                "%s: relaxation %lld is missing; expected all shards of the search",
                                path, (long long)i);
        if (status == SHOAL_OK) status = take_one(s, &a, NULL);
    }
    shoal_string_free(&text);
    return status;
}

shoal_status shoal_search_take_file(shoal_search *search, const char *path)
{
    shoal_results_reader *reader;
    shoal_clear_error();
    SHOAL_NEED(search && path && !search->from);
    SHOAL_TRY(shoal_results_open(&reader, path));
    const shoal_status status = take_all(search, reader, path);
    shoal_results_reader_destroy(reader);
    return status;
}

/* --- replay --------------------------------------------------------------------------------------- */

static shoal_status damaged(void)
{
    return shoal_fail(SHOAL_E_FORMAT, "search: the journal of the earlier run is damaged");
}

static shoal_status replay_one(shoal_search *s, const journal_entry *e, const char *text)
{
    arrival a = {0};
    search_minima *m = NULL;
    const bool whole = e->size > 0;
    /* Molecules come in order; a gap is what other shards do. */
    if (e->molecule < 0 || e->molecule - s->n_molecules > MOST_SHARDS) return damaged();
    if (whole) SHOAL_TRY(take_apart(s, text, e->size, &a));
    if (whole && (!a.converged || a.molecule != e->molecule)) return damaged();
    SHOAL_TRY(find_molecule(s, e->molecule, &m));
    if (e->kind == BEGINS) return whole && m->n_atoms == 0 ? begin_molecule(s, &a, m) : damaged();
    const bool kept = e->kind == SEARCH_NEW || e->kind == SEARCH_BETTER;
    const int32_t most = e->kind == SEARCH_NEW ? m->n + 1 : m->n;
    if (e->kind < 0 || e->kind > SEARCH_NEW || kept != whole || (kept && m->n_atoms == 0) ||
        (e->kind >= SEARCH_SAME && (e->minimum < 0 || e->minimum >= most)))
        return damaged();
    if (kept && (int32_t)a.view.head.rows[RESULTS_ATOM] != m->n_atoms + s->n_movable)
        return damaged();
    const search_minimum minimum = whole ? minimum_of(&a) : (search_minimum){0};
    if (kept) take_positions(&a, m);
    SHOAL_TRY(search_minima_count(m, (search_outcome)e->kind, e->minimum, &minimum));
    lose_patience(s, e->molecule, m);
    return SHOAL_OK;
}

shoal_status shoal_search_replay(shoal_search *search, const char *journal, size_t size)
{
    shoal_clear_error();
    SHOAL_NEED(search && journal);
    while (size > 0) {
        journal_entry e;
        if (size < sizeof e) return damaged();
        memcpy(&e, journal, sizeof e);
        if (memcmp(e.magic, entry_magic, sizeof e.magic) != 0 || e.size > size - sizeof e)
            return damaged();
        SHOAL_TRY(replay_one(search, &e, journal + sizeof e));
        journal += sizeof e + e.size;
        size -= sizeof e + e.size;
    }
    return SHOAL_OK;
}

void shoal_search_count(const shoal_search *search, shoal_search_counts *out)
{
    if (!out) return;
    *out = (shoal_search_counts){0};
    for (int32_t k = 0; search && k < search->n_molecules; ++k) {
        const search_minima *m = &search->molecules[k];
        ++out->molecules;
        out->relaxations += m->taken;
        out->failed += m->failed;
        out->changed += m->changed;
        out->above += m->above;
        out->minima += m->n;
        out->ended += m->over;
        out->since_new = m->since_new;
        for (int32_t i = 0; i < m->n; ++i) {
            out->once += m->of[i].count == 1;
            out->twice += m->of[i].count == 2;
        }
    }
    out->unmoved = search && atomic_load(&search->unmoved);
}
