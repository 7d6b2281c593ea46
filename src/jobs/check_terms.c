/* SPDX-License-Identifier: BSD-3-Clause
 * A check of every term as a whole, and of every interaction of it alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "jobs/check.h"
#include "shoal/explain.h"

/* Of a term with more interactions than this, those of the worst atom are looked at and the first of the
 * others; of periodic systems, which devices work on one by one, fewer. */
enum { MOST_ROWS = 20000, MOST_PERIODIC = 4000, MOST_SUSPECTS = 128, BATCH = 4096 };

#define NEAR 6.0 /* angstrom: pairs that are looked at among all atoms */

/* Interactions of a term that wait to be computed alone. */
typedef struct row_queue {
    shoal_check *check;
    shoal_engine_options options; /* with the one term */
    const shoal_stream_system *systems;
    shoal_batch *batch;
    shoal_term_row rows[BATCH];
    int32_t of[BATCH]; /* system */
    int32_t n;
    /* The system in hand: */
    int32_t i_system;
    const check_system *held;
    int32_t worst_atom;
    int64_t n_seen, most;
    uint32_t
        flags; /* SHOAL_LONE_OWN_ATOMS, or 0: among all atoms of the system, and only suspects */
    shoal_status status;
} row_queue;

static shoal_check_term *line_of(shoal_check *check, int term, int kind, bool whole)
{
    for (int k = 0; k < check->n_terms; ++k) {
        shoal_check_term *l = &check->terms[k];
        if (l->term == term && l->kind == kind && l->whole == whole) return l;
    }
    shoal_check_term *l = &check->terms[check->n_terms++];
    *l = (shoal_check_term){.term = term, .kind = kind, .whole = whole, .worst = -1};
    return l;
}

/* True where this one is the worst so far. */
static bool note(shoal_check *check, shoal_check_term *l, const shoal_result r[2],
                 const shoal_comparison *c, const shoal_stream_system *s)
{
    char buffer[32];
    const double most = check_tolerance(check, l->term);
    double error = INFINITY;
    ++l->compared;
    if (c->comparable && isfinite(c->verdict) && isfinite(c->energy_error)) {
        const double dE = fabs(r[1].energy - r[0].energy);
        error = fmax(c->verdict, c->energy_error);
        l->energy_error = fmax(l->energy_error, dE);
        l->force_error = fmax(l->force_error, c->verdict);
    } else if (!c->comparable && c->same_status) {
        error = 0; /* neither side has numbers */
    }
    l->differ += !(error <= most);
    if (isinf(error)) l->force_error = l->energy_error = INFINITY;
    if (!(error > l->worst)) return false;
    l->worst = error;
    l->index = s->index;
    l->force = c->force;
    l->atom = c->atom;
    (void)snprintf(l->name, sizeof l->name, "%.63s", shoal_row_title(s, buffer));
    return true;
}

/* --- one by one ------------------------------------------------------------------------------ */

/* Each counts once, though it may come in several images; so do atoms that only have a direction in the row. */
static int32_t count_atoms(const shoal_term_row *row, const shoal_topology_view *v)
{
    int32_t n = 0, seen[8];
    for (int32_t a = 0; a < 2 * row->n_atoms; ++a) {
        const int32_t i = row->atoms[a / 2].atom;
        const bool turns = row->kind >= 0 && i >= v->n_atoms + v->n_pairs;
        const int32_t what = a % 2 && turns ? shoal_mover_host(v, i) : i;
        int32_t b = 0;
        while (b < n && seen[b] != what) ++b;
        if (b == n) seen[n++] = what;
    }
    return n;
}

static void note_row(row_queue *q, int32_t k, shoal_engine *engines[2], shoal_string *text)
{
    const shoal_term_row *row = &q->rows[k];
    const shoal_stream_system *s = &q->systems[q->of[k]];
    shoal_topology_view v;
    shoal_result r[2];
    shoal_comparison c;
    shoal_topology_get(s->topology, &v);
    const int32_t n = q->flags ? count_atoms(row, &v) : shoal_mover_count(&v);
    check_results(engines, k, r);
    shoal_compare_interaction(&r[0], &r[1], n, row->term, shoal_molecule_is_periodic(s->mol), &c);
    shoal_check_term *l = line_of(q->check, row->term, row->kind, false);
    if (!note(q->check, l, r, &c, s)) return;
    l->row = *row;
    l->row.energy = r[0].energy;
    shoal_string_clear(text);
    shoal_explain_atoms(row, &v, text);
    (void)snprintf(l->atoms, sizeof l->atoms, "%.159s", shoal_string_data(text));
}

/* Computes what waits, on both sides. */
static shoal_status flush(row_queue *q)
{
    shoal_engine *engines[2] = {NULL, NULL};
    shoal_string *text = NULL;
    if (q->n == 0) return SHOAL_OK;
    shoal_status status = shoal_string_create(&text);
    if (status == SHOAL_OK) status = check_evaluate(q->batch, &q->options, engines);
    for (int32_t k = 0; k < q->n && status == SHOAL_OK; ++k) note_row(q, k, engines, text);
    check_destroy(engines);
    shoal_string_destroy(text);
    shoal_batch_destroy(q->batch);
    q->batch = NULL;
    q->n = 0;
    return status;
}

static void push(row_queue *q, const shoal_term_row *row)
{
    shoal_status status = q->batch ? SHOAL_OK : shoal_batch_create(&q->batch);
    if (status == SHOAL_OK)
        status =
            shoal_batch_add_interaction(q->batch, &q->held->system, &q->options, row, q->flags);
    if (status != SHOAL_OK) {
        q->status = status;
        return;
    }
    q->rows[q->n] = *row;
    q->of[q->n++] = q->i_system;
    if (q->n == BATCH) q->status = flush(q);
}

static void visit_row(void *user, const shoal_term_row *row)
{
    row_queue *q = user;
    bool is_suspect = false;
    if (q->status != SHOAL_OK) return;
    if (q->flags) ++line_of(q->check, row->term, row->kind, false)->n;
    for (int32_t k = 0; k < row->n_atoms; ++k) is_suspect |= row->atoms[k].atom == q->worst_atom;
    if (!q->flags && row->kind < 0 && row->n_atoms == 2) is_suspect &= !(row->value > NEAR);
    if (q->flags ? ++q->n_seen <= q->most || is_suspect : is_suspect && ++q->n_seen <= q->most)
        push(q, row);
}

/* An Ewald sum has no rows: the worst atom and each of the others. */
static void visit_lattice(row_queue *q, int32_t n_atoms)
{
    shoal_topology_view v;
    shoal_topology_get(q->systems[q->i_system].topology, &v);
    if (q->worst_atom >= v.n_atoms + v.n_pairs) return; /* a direction has no charge */
    for (int32_t j = 0; j < n_atoms && j < MOST_PERIODIC; ++j) {
        const shoal_term_row row = {.term = SHOAL_TERM_COULOMB,
                                    .kind = -1,
                                    .index = -1,
                                    .n_atoms = 2,
                                    .value = NAN,
                                    .atoms = {{.atom = q->worst_atom}, {.atom = j}},
                                    .parameters = {v.charges[q->worst_atom], v.charges[j]}};
        if (j != q->worst_atom && v.charges[j] != 0 && v.charges[q->worst_atom] != 0)
            visit_row(q, &row);
    }
}

static shoal_status look_closer(row_queue *q, shoal_engine *ref, int32_t i,
                                const shoal_comparison *whole)
{
    const shoal_stream_system *s = &q->systems[i];
    const bool periodic = shoal_molecule_is_periodic(s->mol);
    check_system held;
    q->status = check_hold(q->check, s, &held);
    q->held = &held;
    q->i_system = i;
    q->worst_atom = whole->atom;
    q->n_seen = 0;
    q->most = !q->flags ? MOST_SUSPECTS : periodic ? MOST_PERIODIC : MOST_ROWS;
    if (q->status == SHOAL_OK) {
        const shoal_status status = shoal_engine_explain(ref, i, visit_row, q);
        if (status != SHOAL_OK) q->status = status;
    }
    if (periodic && !(q->options.terms_off >> SHOAL_TERM_COULOMB & 1u) && q->status == SHOAL_OK)
        visit_lattice(q, shoal_molecule_n_atoms(s->mol));
    check_release(&held);
    return q->status;
}

static int64_t count_differing(const shoal_check *check, int term)
{
    int64_t n = 0;
    for (int k = 0; k < check->n_terms; ++k)
        if (check->terms[k].term == term && !check->terms[k].whole) n += check->terms[k].differ;
    return n;
}

/* All interactions of a system, each with its own atoms; where the term differs as a whole and none of these
 * does, the suspects once more among all atoms, as the schedule of the whole system works on them. */
static shoal_status look_at(row_queue *q, shoal_engine *ref, int32_t i, int t,
                            const shoal_comparison *whole, bool differs)
{
    if (differs) q->status = flush(q);
    const int64_t before = count_differing(q->check, t);
    if (q->status == SHOAL_OK) q->status = look_closer(q, ref, i, whole);
    if (!differs || q->status != SHOAL_OK) return q->status;
    q->status = flush(q);
    if (q->status != SHOAL_OK || count_differing(q->check, t) > before) return q->status;
    q->flags = 0;
    q->status = look_closer(q, ref, i, whole);
    if (q->status == SHOAL_OK) q->status = flush(q);
    q->flags = SHOAL_LONE_OWN_ATOMS;
    return q->status;
}

/* --- as a whole ------------------------------------------------------------------------------ */

static shoal_status compare_term(shoal_check *check, int t, const shoal_batch *batch, row_queue *q)
{
    shoal_engine *engines[2] = {NULL, NULL};
    const shoal_stream_system *systems = q->systems;
    q->options = check->engine;
    q->options.terms_off = ~(1u << t);
    q->status = check_evaluate(batch, &q->options, engines);
    for (int32_t i = 0; i < shoal_batch_size(batch) && q->status == SHOAL_OK; ++i) {
        shoal_result r[2];
        shoal_comparison c;
        check_results(engines, i, r);
        shoal_compare(&r[0], &r[1], check_count_movers(&systems[i]), &c);
        shoal_check_term *l = line_of(check, t, -1, true);
        ++l->n;
        const int64_t before = l->differ;
        (void)note(check, l, r, &c, &systems[i]);
        if (c.comparable) q->status = look_at(q, engines[0], i, t, &c, l->differ > before);
    }
    if (q->status == SHOAL_OK) q->status = flush(q);
    check_destroy(engines);
    return q->status;
}

static bool any_directions(const shoal_stream_system *systems, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        shoal_topology_view v;
        shoal_topology_get(systems[i].topology, &v);
        if (v.n_directions > 0) return true;
    }
    return false;
}

/* A term that none of the systems can have. */
static bool is_absent(const shoal_check *check, const shoal_stream_system *systems, int32_t n,
                      int t)
{
    const bool of_directions = t == SHOAL_TERM_SIGMA_PI || t == SHOAL_TERM_PI_PI;
    return (of_directions && !any_directions(systems, n)) || check->engine.terms_off >> t & 1u ||
           (t == SHOAL_TERM_SURFACE && !check->engine.surface) ||
           (t == SHOAL_TERM_RESTRAINT && check_count_restraints(check) == 0);
}

shoal_status check_visit_terms(shoal_check *check, const shoal_stream_system *systems, int32_t n)
{
    shoal_batch *batch = NULL;
    row_queue *q = shoal_alloc(1, sizeof *q);
    if (!q) return SHOAL_E_MEMORY;
    q->check = check;
    q->systems = systems;
    q->flags = SHOAL_LONE_OWN_ATOMS;
    shoal_status status = check_batch(check, systems, n, &batch);
    for (int t = 0; t < shoal_term_count() && status == SHOAL_OK; ++t)
        if (!is_absent(check, systems, n, t)) status = compare_term(check, t, batch, q);
    check->counts.systems += n;
    check->counts.differ = 0;
    for (int32_t k = 0; k < check->n_terms; ++k) check->counts.differ += check->terms[k].differ;
    shoal_batch_destroy(q->batch);
    shoal_batch_destroy(batch);
    free(q);
    return status;
}
