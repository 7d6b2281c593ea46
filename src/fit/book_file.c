/* SPDX-License-Identifier: BSD-3-Clause
 * The book of a fit as the state of a checkpoint, and what tells that two fits are the same. */
#include "fit/book_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { N_WHOLE = 13 }; /* whole numbers of a mark */

/* --- what a fit is made of ------------------------------------------------------------------------ */

static uint64_t hash_number(uint64_t hash, double x)
{
    return hash_words(hash, &x, sizeof x);
}

static uint64_t hash_whole(uint64_t hash, int64_t x)
{
    return hash_words(hash, &x, sizeof x);
}

static uint64_t hash_dof(uint64_t hash, const fit_dof *dof)
{
    const double numbers[] = {dof->min, dof->max,      dof->xlo,   dof->xhi,    dof->klo,  dof->khi,
                              dof->k0,  dof->inv_mass, dof->scale, dof->tether, dof->start};
    const int32_t whole[] = {dof->slot,  dof->type,   dof->comp,  dof->frozen,
                             dof->walls, dof->family, dof->group, dof->small};
    hash = hash_text(hash, dof->name);
    hash = hash_words(hash, numbers, sizeof numbers);
    return hash_words(hash, whole, sizeof whole);
}

static uint64_t hash_options(uint64_t hash, const shoal_fit_options *o)
{
    const double numbers[] = {
        o->alpha,      o->coulomb_damping, o->radius_charge, o->dispersion_damping,
        o->clamp_from, o->clamp_to,        o->tether};
    const int32_t whole[] = {(int32_t)o->hbond, (int32_t)o->coulomb, o->type_charges, o->neutral,
                             o->components,     o->unregularized,    o->single};
    hash = hash_text(hash, o->model ? o->model : "morse");
    hash = hash_text(hash, o->constants);
    hash = hash_text(hash, o->columns);
    hash = hash_text(hash, o->site_model);
    hash = hash_words(hash, numbers, sizeof numbers);
    return hash_words(hash, whole, sizeof whole);
}

/* Options, parameters, and what evaluates them: devices round otherwise. */
static uint64_t hash_fit(const shoal_fit *fit)
{
    const fit_problem *problem = &fit->problem;
    uint64_t hash = hash_options(HASH_START, &fit->options);
    hash = hash_text(hash, fit->options.evaluator ? fit->options.evaluator : fit->evaluator->name);
    hash = hash_words(hash, problem->fixed, (size_t)problem->n_slots * sizeof *problem->fixed);
    for (int32_t i = 0; i < fit->n_dofs; ++i) hash = hash_dof(hash, &fit->dofs[i]);
    return hash_words(hash, fit->weight, (size_t)problem->n_samples * sizeof *fit->weight);
}

static uint64_t hash_sample(uint64_t hash, const shoal_dataset *data, const fit_sample *s)
{
    const size_t n = (size_t)s->n_atoms, at = (size_t)s->atom_start;
    hash = hash_text(hash, s->name);
    hash = hash_whole(hash, s->n_first);
    hash = hash_whole(hash, s->dimer);
    hash = hash_number(hash, s->reference);
    hash = hash_words(hash, s->sapt, sizeof s->sapt);
    hash = hash_words(hash, &data->type[at], n * sizeof *data->type);
    hash = hash_words(hash, data->pos[at], n * sizeof *data->pos);
    hash = hash_words(hash, &data->charge[at], n * sizeof *data->charge);
    hash = hash_words(hash, &data->host[at], n * sizeof *data->host);
    for (int32_t k = 0; k < s->n_bonds; ++k) {
        const fit_bond *b = &data->bonds[s->bond_start + k];
        hash = hash_whole(hash_whole(hash_whole(hash, b->from), b->to), b->type);
    }
    return hash;
}

uint64_t fit_book_call_hash(const shoal_fit *fit, const char *kind,
                            const shoal_fit_run_options *run, int64_t number)
{
    uint64_t hash = hash_text(HASH_START, kind);
    hash = hash_whole(hash, (int64_t)run->method);
    hash = hash_whole(hash, run->max_steps);
    hash = hash_whole(hash, run->n_starts);
    hash = hash_whole(hash, (int64_t)run->seed);
    hash = hash_whole(hash, number);
    hash = hash_number(hash, fit->options.pool);
    return hash_words(hash, fit->value, (size_t)fit->n_dofs * sizeof *fit->value);
}

/* --- marks ------------------------------------------------------------------------------------------ */

fit_mark *fit_book_add(fit_book *book, int32_t call, int32_t index, int32_t part)
{
    if (SHOAL_RESERVE(&book->marks, &book->mark_capacity, book->n_marks + 1) != SHOAL_OK)
        return NULL;
    fit_mark *m = shoal_alloc(1, sizeof *m);
    if (!m) return NULL;
    *m = (fit_mark){.book = book, .call = call, .index = index, .part = part};
    book->marks[book->n_marks++] = m;
    return m;
}

void fit_book_restore_rows(fit_book *book, const fit_mark *m, fit_trajectory *t)
{
    if (!book->rows || m->n_rows == 0 || (!m->resumes && !m->done)) return;
    for (int32_t i = 0; i < book->n_marks; ++i) /* they are those of the last call */
        if (book->marks[i]->n_rows > 0 && book->marks[i]->call > m->call) return;
    free(t->rows);
    t->rows = book->rows;
    t->n = m->n_rows;
    t->capacity = book->n_row_numbers;
    book->rows = NULL;
}

static void put_mark(shoal_string *out, const fit_mark *m)
{
    const int32_t whole[N_WHOLE] = {
        m->call,        m->index,       m->part,      m->done,    m->stage,     m->method, m->steps,
        m->handed_over, m->evaluations, m->converged, m->stalled, m->n_numbers, m->n_rows};
    shoal_string_put(out, (const char *)whole, sizeof whole);
    shoal_string_put(out, (const char *)&m->j, sizeof m->j);
    shoal_string_put(out, (const char *)&m->pool, sizeof m->pool);
    shoal_string_put(out, (const char *)m->numbers, (size_t)m->n_numbers * sizeof *m->numbers);
}

/* What is left of a state. */
typedef struct state {
    const char *at;
    size_t left;
    bool ok;
} state;

static void take(state *s, void *to, size_t size)
{
    s->ok = s->ok && size <= s->left;
    if (!s->ok || size == 0) return;
    memcpy(to, s->at, size);
    s->at += size;
    s->left -= size;
}

static int32_t take_count(state *s, size_t each)
{
    int32_t n = 0;
    take(s, &n, sizeof n);
    s->ok = s->ok && n >= 0 && (size_t)n <= s->left / each;
    return s->ok ? n : 0;
}

static void take_mark(state *s, fit_book *book)
{
    int32_t whole[N_WHOLE] = {0};
    take(s, whole, sizeof whole);
    fit_mark *m = s->ok ? fit_book_add(book, whole[0], whole[1], whole[2]) : NULL;
    s->ok = m && whole[11] >= 0 && (size_t)whole[11] <= s->left / sizeof(double);
    if (!s->ok) return;
    m->done = whole[3] != 0;
    m->stage = whole[4];
    m->method = whole[5];
    m->steps = whole[6];
    m->handed_over = whole[7];
    m->evaluations = whole[8];
    m->converged = whole[9] != 0;
    m->stalled = whole[10] != 0;
    m->n_rows = whole[12];
    take(s, &m->j, sizeof m->j);
    take(s, &m->pool, sizeof m->pool);
    s->ok = s->ok && SHOAL_RESERVE(&m->numbers, &m->capacity, whole[11]) == SHOAL_OK;
    m->n_numbers = s->ok ? whole[11] : 0;
    take(s, m->numbers, (size_t)m->n_numbers * sizeof *m->numbers);
    m->resumes = !m->done && m->n_numbers > 0;
}

/* --- the file ----------------------------------------------------------------------------------------- */

/* Descents that have begun nothing are left out. The rows are those of the one that has a trajectory. */
static void put_state(const fit_book *book, shoal_string *out)
{
    int32_t n = 0, rows = 0;
    for (int32_t i = 0; i < book->n_marks; ++i) {
        n += book->marks[i]->n_numbers > 0;
        if (book->marks[i]->n_rows > rows) rows = book->marks[i]->n_rows;
    }
    const double *from = book->rows ? book->rows : book->fit->trajectory.rows;
    const int32_t numbers = rows * (3 + book->fit->problem.n_free);
    shoal_string_put(out, (const char *)&book->n_calls, sizeof book->n_calls);
    shoal_string_put(out, (const char *)book->calls, (size_t)book->n_calls * sizeof *book->calls);
    shoal_string_put(out, (const char *)&n, sizeof n);
    for (int32_t i = 0; i < book->n_marks; ++i)
        if (book->marks[i]->n_numbers > 0) put_mark(out, book->marks[i]);
    shoal_string_put(out, (const char *)&numbers, sizeof numbers);
    if (numbers > 0) shoal_string_put(out, (const char *)from, (size_t)numbers * sizeof *from);
}

static bool take_state(fit_book *book, const char *bytes, size_t size)
{
    state s = {.at = bytes, .left = size, .ok = true};
    const int32_t calls = take_count(&s, sizeof *book->calls);
    s.ok = s.ok && SHOAL_RESERVE(&book->calls, &book->call_capacity, calls + 1) == SHOAL_OK;
    book->n_calls = s.ok ? calls : 0;
    take(&s, book->calls, (size_t)book->n_calls * sizeof *book->calls);
    const int32_t marks = take_count(&s, sizeof(int32_t) * N_WHOLE);
    for (int32_t i = 0; i < marks && s.ok; ++i) take_mark(&s, book);
    const int32_t numbers = take_count(&s, sizeof *book->rows);
    const int32_t width = 3 + book->fit->problem.n_free;
    for (int32_t i = 0; i < book->n_marks; ++i)
        s.ok = s.ok && book->marks[i]->n_rows >= 0 && book->marks[i]->n_rows <= numbers / width;
    if (!s.ok || numbers == 0) return s.ok && s.left == 0;
    book->rows = shoal_alloc((size_t)numbers, sizeof *book->rows);
    book->n_row_numbers = numbers;
    if (book->rows) take(&s, book->rows, (size_t)numbers * sizeof *book->rows);
    return book->rows && s.ok && s.left == 0;
}

static shoal_status describe(const fit_book *book, checkpoint *c)
{
    const shoal_dataset *data = book->fit->problem.data;
    c->version = strdup(shoal_version_text());
    c->about = strdup("");
    c->inputs = shoal_alloc((size_t)data->n_sets + 1, sizeof *c->inputs);
    if (!c->version || !c->about || !c->inputs) return SHOAL_E_MEMORY;
    c->n_inputs = data->n_sets;
    for (int32_t k = 0; k < data->n_sets; ++k) {
        const fit_set *set = &data->sets[k];
        checkpoint_input *in = &c->inputs[k];
        in->path = strdup(set->label);
        if (!in->path) return SHOAL_E_MEMORY;
        in->size = set->n_samples;
        in->hash = HASH_START;
        for (int32_t s = set->first; s < set->first + set->n_samples; ++s)
            in->hash = hash_sample(in->hash, data, &data->samples[s]);
    }
    (void)snprintf(c->digest, sizeof c->digest, "fit %016" PRIx64, hash_fit(book->fit));
    return SHOAL_OK;
}

shoal_status fit_book_write(fit_book *book)
{
    checkpoint c = {.rows_device = -1};
    if (!book->ours) return SHOAL_OK;
    shoal_string text = {0};
    shoal_status status = describe(book, &c);
    put_state(book, &text);
    if (status == SHOAL_OK) status = shoal_string_status(&text);
    if (status == SHOAL_OK) {
        c.state_size = shoal_string_size(&text);
        c.state = malloc(c.state_size + 1);
        if (!c.state) status = SHOAL_E_MEMORY;
    }
    if (status == SHOAL_OK) {
        memcpy(c.state, shoal_string_data(&text), c.state_size);
        status = checkpoint_save(&c, book->path);
    }
    shoal_string_free(&text);
    checkpoint_free(&c);
    return status;
}

shoal_status fit_book_read(fit_book *book, bool *found)
{
    checkpoint then, own = {0};
    shoal_status status = checkpoint_load(&then, book->path, found);
    if (status == SHOAL_OK && *found) {
        status = describe(book, &own);
        if (status == SHOAL_OK) status = checkpoint_compare(&then, &own, book->path);
        if (status == SHOAL_OK && !(then.state && take_state(book, then.state, then.state_size)))
            status = shoal_fail(SHOAL_E_FORMAT,
                                "%s: the checkpoint cannot be used: its state is not that of a fit",
                                book->path);
    }
    checkpoint_free(&then);
    checkpoint_free(&own);
    return status;
}
