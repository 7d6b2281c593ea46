/* SPDX-License-Identifier: BSD-3-Clause
 * shoal check --each-term: every term as a whole, and every interaction of it alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "explain.h"
#include "movers.h"
#include "results.h"

/* Of a term with more interactions than this, those of the worst atom are looked at and the first of the
 * others; of periodic systems, which devices work on one by one, fewer. */
enum { MOST_ROWS = 20000, MOST_PERIODIC = 4000, MOST_SUSPECTS = 128, BATCH = 4096 };

#define NEAR 6.0 /* angstrom: pairs that are looked at among all atoms */

/* A line of the table: a term as a whole, or a kind of interaction. */
typedef struct term_line {
    int term, kind;
    bool whole;
    int64_t n, n_compared, n_differ; /* systems of a whole term, else interactions */
    double energy_error,
        force_error; /* largest, eV, and of a force relative to what verdicts are */
    double worst;    /* largest of all errors relative to what they may be */
    char atoms[160]; /* where, as text */
    shoal_term_row row;
    int64_t system;
    char name[64];
    double force; /* eV/angstrom, of the worst */
    int32_t atom;
} term_line;

struct check_terms {
    const check_options *options;
    term_line *lines;
    int n_lines;
    int64_t n_systems;
};

/* Interactions of a term that wait to be computed alone. */
typedef struct row_queue {
    check_terms *terms;
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
    int code;
} row_queue;

check_terms *check_terms_create(const check_options *o)
{
    check_terms *terms = calloc(1, sizeof *terms);
    const int n_terms = shoal_term_count(), n_kinds = shoal_term_kind_count();
    if (terms) terms->lines = calloc((size_t)(2 * n_terms + n_kinds), sizeof *terms->lines);
    if (!terms || !terms->lines) {
        free(terms);
        return NULL;
    }
    terms->options = o;
    return terms;
}

void check_terms_destroy(check_terms *terms)
{
    if (terms) free(terms->lines);
    free(terms);
}

static term_line *line_of(check_terms *terms, int term, int kind, bool whole)
{
    for (int k = 0; k < terms->n_lines; ++k) {
        term_line *l = &terms->lines[k];
        if (l->term == term && l->kind == kind && l->whole == whole) return l;
    }
    term_line *l = &terms->lines[terms->n_lines++];
    *l = (term_line){.term = term, .kind = kind, .whole = whole, .worst = -1};
    return l;
}

/* True where this one is the worst so far. */
static bool note(check_terms *terms, term_line *l, const shoal_result r[2],
                 const shoal_comparison *c, const shoal_stream_system *s)
{
    const double most = check_term_tolerance(terms->options, l->term);
    char buffer[32];
    double error = INFINITY;
    ++l->n_compared;
    if (c->comparable && isfinite(c->verdict) && isfinite(c->energy_error)) {
        const double dE = fabs(r[1].energy - r[0].energy);
        error = fmax(c->verdict, c->energy_error);
        l->energy_error = fmax(l->energy_error, dE);
        l->force_error = fmax(l->force_error, c->verdict);
    } else if (!c->comparable && c->same_status) {
        error = 0; /* neither side has numbers */
    }
    l->n_differ += !(error <= most);
    if (isinf(error)) l->force_error = l->energy_error = INFINITY;
    if (!(error > l->worst)) return false;
    l->worst = error;
    l->system = s->index;
    l->force = c->force;
    l->atom = c->atom;
    (void)snprintf(l->name, sizeof l->name, "%.63s", system_title(s->mol, s->index, buffer));
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
        const int32_t what = a % 2 && turns ? mover_host(v, i) : i;
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
    const int32_t n = q->flags ? count_atoms(row, &v) : movers_of(&v);
    for (int e = 0; e < 2; ++e) (void)shoal_engine_result(engines[e], k, &r[e]);
    shoal_compare_interaction(&r[0], &r[1], n, row->term, shoal_molecule_is_periodic(s->mol), &c);
    term_line *l = line_of(q->terms, row->term, row->kind, false);
    if (!note(q->terms, l, r, &c, s)) return;
    l->row = *row;
    l->row.energy = r[0].energy;
    shoal_string_clear(text);
    explain_atoms(row, &v, text);
    (void)snprintf(l->atoms, sizeof l->atoms, "%.159s", shoal_string_data(text));
}

/* Computes what waits, on both sides. */
static int flush(row_queue *q)
{
    shoal_engine *engines[2] = {NULL, NULL};
    shoal_string *text = NULL;
    if (q->n == 0) return EXIT_ALL_FINE;
    shoal_status status = shoal_string_create(&text);
    if (status == SHOAL_OK) status = check_evaluate(q->batch, &q->options, engines);
    for (int32_t k = 0; k < q->n && status == SHOAL_OK; ++k) note_row(q, k, engines, text);
    check_destroy(engines);
    shoal_string_destroy(text);
    shoal_batch_destroy(q->batch);
    q->batch = NULL;
    q->n = 0;
    return status == SHOAL_OK ? EXIT_ALL_FINE : complain_of_status(status);
}

static void push(row_queue *q, const shoal_term_row *row)
{
    shoal_status status = q->batch ? SHOAL_OK : shoal_batch_create(&q->batch);
    if (status == SHOAL_OK)
        status =
            shoal_batch_add_interaction(q->batch, &q->held->system, &q->options, row, q->flags);
    if (status != SHOAL_OK) {
        q->code = complain_of_status(status);
        return;
    }
    q->rows[q->n] = *row;
    q->of[q->n++] = q->i_system;
    if (q->n == BATCH) q->code = flush(q);
}

static void visit_row(void *user, const shoal_term_row *row)
{
    row_queue *q = user;
    bool is_suspect = false;
    if (q->code != EXIT_ALL_FINE) return;
    if (q->flags) ++line_of(q->terms, row->term, row->kind, false)->n;
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

static int look_closer(row_queue *q, shoal_engine *ref, int32_t i, const shoal_comparison *whole)
{
    const shoal_stream_system *s = &q->systems[i];
    const bool periodic = shoal_molecule_is_periodic(s->mol);
    check_system held;
    if (!check_hold(q->terms->options, s, &held)) return EXIT_DEVICE;
    q->held = &held;
    q->i_system = i;
    q->worst_atom = whole->atom;
    q->n_seen = 0;
    q->most = !q->flags ? MOST_SUSPECTS : periodic ? MOST_PERIODIC : MOST_ROWS;
    const shoal_status status = shoal_engine_explain(ref, i, visit_row, q);
    if (status != SHOAL_OK) q->code = complain_of_status(status);
    if (periodic && !(q->options.terms_off >> SHOAL_TERM_COULOMB & 1u) && q->code == EXIT_ALL_FINE)
        visit_lattice(q, shoal_molecule_n_atoms(s->mol));
    check_release(&held);
    return q->code;
}

static int64_t count_differing(const check_terms *terms, int term)
{
    int64_t n = 0;
    for (int k = 0; k < terms->n_lines; ++k)
        if (terms->lines[k].term == term && !terms->lines[k].whole) n += terms->lines[k].n_differ;
    return n;
}

/* All interactions of a system, each with its own atoms; where the term differs as a whole and none of these
 * does, the suspects once more among all atoms, as the schedule of the whole system works on them. */
static int look_at(row_queue *q, shoal_engine *ref, int32_t i, int t, const shoal_comparison *whole,
                   bool differs)
{
    if (differs) q->code = flush(q);
    const int64_t before = count_differing(q->terms, t);
    if (q->code == EXIT_ALL_FINE) q->code = look_closer(q, ref, i, whole);
    if (!differs || q->code != EXIT_ALL_FINE) return q->code;
    q->code = flush(q);
    if (q->code != EXIT_ALL_FINE || count_differing(q->terms, t) > before) return q->code;
    q->flags = 0;
    q->code = look_closer(q, ref, i, whole);
    if (q->code == EXIT_ALL_FINE) q->code = flush(q);
    q->flags = SHOAL_LONE_OWN_ATOMS;
    return q->code;
}

/* --- as a whole ------------------------------------------------------------------------------ */

static int compare_term(check_terms *terms, int t, const shoal_batch *batch, row_queue *q)
{
    shoal_engine *engines[2] = {NULL, NULL};
    const shoal_stream_system *systems = q->systems;
    q->options = terms->options->compute.engine;
    q->options.terms_off = ~(1u << t);
    const shoal_status status = check_evaluate(batch, &q->options, engines);
    if (status != SHOAL_OK) q->code = complain_of_status(status);
    for (int32_t i = 0; i < shoal_batch_size(batch) && q->code == EXIT_ALL_FINE; ++i) {
        shoal_result r[2];
        shoal_comparison c;
        for (int k = 0; k < 2; ++k) (void)shoal_engine_result(engines[k], i, &r[k]);
        shoal_compare(&r[0], &r[1], check_count_movers(&systems[i]), &c);
        term_line *l = line_of(terms, t, -1, true);
        ++l->n;
        const int64_t before = l->n_differ;
        (void)note(terms, l, r, &c, &systems[i]);
        if (c.comparable) q->code = look_at(q, engines[0], i, t, &c, l->n_differ > before);
    }
    if (q->code == EXIT_ALL_FINE) q->code = flush(q);
    check_destroy(engines);
    return q->code;
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
static bool is_absent(const check_options *o, const shoal_stream_system *systems, int32_t n, int t)
{
    const bool of_directions = t == SHOAL_TERM_SIGMA_PI || t == SHOAL_TERM_PI_PI;
    return (of_directions && !any_directions(systems, n)) ||
           o->compute.engine.terms_off >> t & 1u ||
           (t == SHOAL_TERM_SURFACE && !o->compute.engine.surface) ||
           (t == SHOAL_TERM_RESTRAINT && check_count_restraints(o) == 0);
}

int check_terms_visit(check_terms *terms, const shoal_stream_system *systems, int32_t n)
{
    shoal_batch *batch = NULL;
    row_queue *q = calloc(1, sizeof *q);
    if (!q) {
        cli_complain("out of memory");
        return EXIT_DEVICE;
    }
    q->terms = terms;
    q->systems = systems;
    q->flags = SHOAL_LONE_OWN_ATOMS;
    int code = check_batch(terms->options, systems, n, &batch);
    for (int t = 0; t < shoal_term_count() && code == EXIT_ALL_FINE; ++t)
        if (!is_absent(terms->options, systems, n, t)) code = compare_term(terms, t, batch, q);
    terms->n_systems += n;
    shoal_batch_destroy(q->batch);
    shoal_batch_destroy(batch);
    free(q);
    return code;
}

/* --- the table ------------------------------------------------------------------------------- */

static const char *line_name(const term_line *l)
{
    shoal_term_kind kind;
    return shoal_term_kind_get(l->kind, &kind) ? kind.name : shoal_term_name(l->term);
}

static void print_line(const term_line *l, double most)
{
    (void)printf("%-14s%14lld%12lld%8lld%11.2g%11.2g%11.2g  ", line_name(l), (long long)l->n,
                 (long long)l->n_compared, (long long)l->n_differ, most, l->energy_error,
                 l->force_error);
    if (l->n_compared == 0)
        (void)printf("\n");
    else if (l->whole)
        (void)printf("%lld %s, atom %d\n", (long long)l->system, l->name, l->atom);
    else
        (void)printf("%lld %s, atoms %s\n", (long long)l->system, l->name, l->atoms);
}

static void json_line(const term_line *l, double most)
{
    json j = {0};
    json_open(&j, NULL, '{');
    json_text(&j, "term", shoal_term_name(l->term));
    json_text(&j, "kind", l->whole ? "whole" : line_name(l));
    json_integer(&j, l->whole ? "systems" : "interactions", l->n);
    json_integer(&j, "compared", l->n_compared);
    json_integer(&j, "differ", l->n_differ);
    json_number(&j, "tolerance", most);
    json_number(&j, "energy_error", l->energy_error);
    json_number(&j, "force_error", l->force_error);
    if (l->n_compared > 0) {
        json_open(&j, "worst", '{');
        json_integer(&j, "system", l->system);
        json_text(&j, "name", l->name);
        if (l->whole) {
            json_integer(&j, "atom", l->atom);
        } else {
            json_open(&j, "atoms", '[');
            for (int32_t k = 0; k < l->row.n_atoms; ++k)
                json_integer(&j, NULL, l->row.atoms[k].atom);
            json_close(&j, ']');
            if (l->row.index >= 0) json_integer(&j, "index", l->row.index);
            json_text(&j, "where", l->atoms);
        }
        json_number(&j, "force", l->force);
        json_close(&j, '}');
    }
    json_print_line(&j);
    json_free(&j);
}

static void print_section(const check_terms *terms, bool whole)
{
    (void)printf("%-14s%14s%12s%8s%11s%11s%11s  %s\n", whole ? "as a whole" : "one by one",
                 whole ? "systems" : "interactions", "compared", "differ", "tolerance", "dE, eV",
                 "dF/F", "worst: system, where");
    for (int k = 0; k < terms->n_lines; ++k)
        if (terms->lines[k].whole == whole)
            print_line(&terms->lines[k],
                       check_term_tolerance(terms->options, terms->lines[k].term));
}

int check_terms_conclude(check_terms *terms)
{
    const check_options *o = terms->options;
    int64_t n_differ = 0;
    for (int k = 0; k < terms->n_lines; ++k) n_differ += terms->lines[k].n_differ;
    if (o->systems.json) {
        for (int k = 0; k < terms->n_lines; ++k)
            json_line(&terms->lines[k], check_term_tolerance(o, terms->lines[k].term));
    } else {
        (void)printf("%lld systems on %s (%s) against ref: %s\n", (long long)terms->n_systems,
                     o->compute.engine.device, precision_name(o->compute.engine.precision),
                     n_differ ? "some terms differ" : "all terms agree");
        print_section(terms, true);
        print_section(terms, false);
    }
    return n_differ > 0 ? EXIT_SOME_FAILED : EXIT_ALL_FINE;
}
