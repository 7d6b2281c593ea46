/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of the user in the place of those of a force field.
 *
 * A term of the force field gives way to the rows that fit it best: those that name its atoms, else those whose types
 * have the fewest wildcards, the last of several such patterns; all rows of that pattern act together. Rows of atoms that
 * have no such term add one. */
#include "ff/ff_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "ff/builder.h"

/* Room for a text that names a row. */
enum { NAME_SIZE = 96 };

void shoal_ff_table_destroy(shoal_ff_table *table)
{
    if (!table) return;
    for (int32_t s = 0; s < table->n_sections; ++s) {
        free(table->sections[s].elements);
        free(table->sections[s].bonds);
    }
    free(table->sections);
    free(table->rows);
    free(table->types);
    free((void *)table->met);
    free(table);
}

int32_t shoal_ff_table_size(const shoal_ff_table *table)
{
    return table ? table->n_rows + table->n_types : 0;
}

int32_t shoal_ff_table_idle(const shoal_ff_table *table, int32_t *line)
{
    int32_t n = 0;
    shoal_clear_error();
    if (!table || !line || atomic_load(&table->n_molecules) == 0) return 0;
    for (int32_t r = 0; r < table->n_rows; ++r) {
        const int32_t s = table->rows[r].section; /* a section that stands twice acts once */
        if (atomic_load(&table->met[r]) || (s > 0 && table->sections[s].first != s)) continue;
        if (n++ == 0) *line = table->rows[r].line;
    }
    return n;
}

const uff_type *ff_table_type(const shoal_ff_table *table, const char *label)
{
    for (int32_t t = table ? table->n_types - 1 : -1; t >= 0; --t)
        if (strcmp(table->types[t].label, label) == 0) return &table->types[t];
    return NULL;
}

bool ff_sections_match(const ff_section *a, const ff_section *b)
{
    const size_t n = (size_t)a->n_elements, m = (size_t)a->n_bonds;
    return a->n_elements == b->n_elements && a->n_bonds == b->n_bonds &&
           (n == 0 || memcmp(a->elements, b->elements, n * sizeof *a->elements) == 0) &&
           (m == 0 || memcmp(a->bonds, b->bonds, m * sizeof *a->bonds) == 0);
}

static bool places_match(const ff_place *a, const ff_place *b)
{
    return a->index == b->index && a->has_shift == b->has_shift && strcmp(a->type, b->type) == 0 &&
           memcmp(a->shift, b->shift, sizeof a->shift) == 0;
}

static bool same_pattern(const ff_row *a, const ff_row *b)
{
    if (a->kind != b->kind || a->n_places != b->n_places) return false;
    for (int32_t k = 0; k < a->n_places; ++k)
        if (!places_match(&a->at[k], &b->at[k])) return false;
    return true;
}

bool ff_rows_match(const ff_row *a, const ff_row *b)
{
    return same_pattern(a, b) && a->has_charge == b->has_charge &&
           memcmp(a->p, b->p, sizeof a->p) == 0;
}

/* --- which rows are of this molecule --------------------------------------------------------------- */

/* A molecule, and the rows that are of it. */
typedef struct application {
    uff_builder *b;
    const shoal_ff_table *table;
    bool *active; /* [n_sections] */
    bool *used;   /* [n_rows] a row that took the place of a term */
    shoal_topology_builder *out;
    /* Active rows of terms in the order of the table: those of atoms by the sum of these, those of types. */
    int32_t *rows, *bucket_starts, n_buckets, *wild, n_wild;
} application;

/* Rows that may fit a term, in the order of the table. */
typedef struct row_walk {
    const ff_row *rows;
    const int32_t *a, *a_end, *b, *b_end;
} row_walk;

static void note_row(const application *a, int32_t r)
{
    atomic_store_explicit(&a->table->met[r], 1, memory_order_relaxed);
}

static int compare_bonds(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static shoal_status is_of(const ff_section *s, const shoal_molecule *mol, bool *out)
{
    const size_t n = (size_t)mol->n_atoms, m = (size_t)mol->n_bonds;
    *out = s->n_elements == mol->n_atoms && (s->n_bonds == 0 || s->n_bonds == mol->n_bonds) &&
           (n == 0 || memcmp(s->elements, mol->element, n * sizeof *s->elements) == 0);
    if (!*out || s->n_bonds == 0) return SHOAL_OK;
    int32_t(*bonds)[2] = shoal_alloc(m, sizeof *bonds);
    if (!bonds) return SHOAL_E_MEMORY;
    for (size_t k = 0; k < m; ++k) {
        const int32_t i = mol->bonds[k].i, j = mol->bonds[k].j;
        bonds[k][0] = i < j ? i : j;
        bonds[k][1] = i < j ? j : i;
    }
    qsort(bonds, m, sizeof *bonds, compare_bonds);
    *out = memcmp(bonds, s->bonds, m * sizeof *bonds) == 0;
    free(bonds);
    return SHOAL_OK;
}

/* A section that stands twice acts once. */
static shoal_status choose_sections(application *a)
{
    const shoal_ff_table *t = a->table;
    for (int32_t s = 0; s < t->n_sections; ++s) {
        a->active[s] = s == 0;
        if (s > 0 && t->sections[s].first == s)
            SHOAL_TRY(is_of(&t->sections[s], a->b->mol, &a->active[s]));
    }
    return SHOAL_OK;
}

/* Whether place k of a row can be what it names: directions where a kind has one, atoms and electron pairs elsewhere. */
static bool is_there(const shoal_topology_view *v, const ff_row *row, int32_t k)
{
    const int32_t i = row->at[k].index, n = v->n_atoms + v->n_pairs;
    if (row->kind < 0) return i < v->n_atoms;
    if (!term_is_direction(&term_shapes[row->kind], k)) return i < n;
    return i < 0 || (i >= n && i < n + v->n_directions);
}

static bool has_images(const shoal_topology_view *v, const ff_row *row)
{
    for (int32_t k = 0; k < row->n_places; ++k)
        for (int c = 0; c < 3; ++c)
            if (row->at[k].shift[c] != row->at[0].shift[c] && !v->pbc[c]) return true;
    return false;
}

static shoal_status check_rows(const application *a)
{
    const shoal_topology_view *v = &a->b->topology->view;
    for (int32_t r = 0; r < a->table->n_rows; ++r) {
        const ff_row *row = &a->table->rows[r];
        if (!a->active[row->section]) continue;
        if (has_images(v, row))
            return topology_reject(a->b->topology,
                                   "line %d of the force-field table has an image, and the system "
                                   "does not repeat that way",
                                   row->line);
        for (int32_t k = 0; k < row->n_places; ++k)
            if (!is_there(v, row, k))
                return topology_reject(a->b->topology,
                                       "line %d of the force-field table has %d as its word %d, "
                                       "which is no atom or direction there; there are %d atoms",
                                       row->line, row->at[k].index, k + 2, v->n_atoms);
    }
    return SHOAL_OK;
}

/* --- which term a row is of ------------------------------------------------------------------------ */

/* Terms that take each other's place: of one energy and as many atoms; guards are by themselves. */
static bool is_rival(int kind, int other)
{
    const term_shape *x = &term_shapes[kind], *y = &term_shapes[other];
    return x->energy == y->energy && x->n_atoms == y->n_atoms &&
           (kind == SHOAL_KIND_GUARD) == (other == SHOAL_KIND_GUARD);
}

/* Atom of a term that place k of a row stands for, one way or the other: ends of a bond, an angle and a torsion change
 * places, of an elevation the first and the third atom. */
static int32_t place_of(const shoal_term *t, int32_t k, bool turned)
{
    static const int32_t other[SHOAL_TERM_ATOMS] = {2, 1, 0, 3};
    if (!turned) return k;
    return term_shapes[t->kind].energy == SHOAL_TERM_INVERSION
               ? other[k]
               : term_shapes[t->kind].n_atoms - 1 - k;
}

static bool fits_place(const application *a, const ff_place *p, int32_t atom)
{
    const shoal_topology_view *v = &a->b->topology->view;
    if (p->index >= 0) return p->index == atom;
    if (atom >= v->n_atoms) return false;
    return strcmp(p->type, "*") == 0 || strcmp(p->type, v->types[atom]) == 0;
}

/* Images are those of the row as seen from its first atom. */
static bool fits_shifts(const ff_row *row, const shoal_term *t, bool turned)
{
    const int32_t *home = t->shifts[place_of(t, 0, turned)];
    bool named = false;
    for (int32_t k = 0; k < row->n_places; ++k) named = named || row->at[k].has_shift;
    for (int32_t k = 0; named && k < row->n_places; ++k)
        for (int c = 0; c < 3; ++c)
            if (t->shifts[place_of(t, k, turned)][c] - home[c] !=
                row->at[k].shift[c] - row->at[0].shift[c])
                return false;
    return true;
}

static bool fits(const application *a, const ff_row *row, const shoal_term *t, bool *turned)
{
    if (row->kind < 0 || !a->active[row->section] || !is_rival(row->kind, t->kind)) return false;
    for (int way = 0; way < 2; ++way) {
        bool all = true;
        for (int32_t k = 0; k < row->n_places && all; ++k)
            all = fits_place(a, &row->at[k], t->atoms[place_of(t, k, way)]);
        *turned = way;
        if (all && fits_shifts(row, t, way)) return true;
    }
    return false;
}

/* Sum of the atoms of a row of a term; -1: some are named by type, or it is of no term. */
static int64_t atoms_sum(const ff_row *row)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < row->n_places; ++k) {
        if (row->at[k].index < 0 || row->kind < 0) return -1;
        sum += row->at[k].index;
    }
    return sum;
}

/* Puts rows where their terms look for them. */
static shoal_status sort_rows(application *a)
{
    const ff_row *rows = a->table->rows;
    const int32_t n = a->table->n_rows;
    a->n_buckets = n + 1;
    a->rows = shoal_alloc((size_t)n + 1, sizeof *a->rows);
    a->wild = shoal_alloc((size_t)n + 1, sizeof *a->wild);
    a->bucket_starts = shoal_alloc((size_t)n + 3, sizeof *a->bucket_starts);
    if (!a->rows || !a->wild || !a->bucket_starts) return SHOAL_E_MEMORY;
    int32_t *start = a->bucket_starts + 1;
    for (int32_t r = 0; r < n; ++r) {
        const int64_t sum = atoms_sum(&rows[r]);
        if (!a->active[rows[r].section] || rows[r].kind < 0) continue;
        if (sum < 0)
            a->wild[a->n_wild++] = r;
        else
            ++start[sum % a->n_buckets + 1];
    }
    for (int32_t b = 0; b < a->n_buckets; ++b) start[b + 1] += start[b];
    for (int32_t r = 0; r < n; ++r) {
        const int64_t sum = atoms_sum(&rows[r]);
        if (a->active[rows[r].section] && sum >= 0) a->rows[start[sum % a->n_buckets]++] = r;
    }
    return SHOAL_OK;
}

/* Filling has moved every start to the next one. */
static row_walk walk_rows(const application *a, const shoal_term *t)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < term_shapes[t->kind].n_atoms; ++k) sum += t->atoms[k];
    const int32_t *start = a->bucket_starts + sum % a->n_buckets;
    return (row_walk){a->table->rows, a->rows + start[0], a->rows + start[1], a->wild,
                      a->wild + a->n_wild};
}

/* NULL at the end. */
static const ff_row *next_row(row_walk *w)
{
    if (w->a == w->a_end && w->b == w->b_end) return NULL;
    const bool first = w->b == w->b_end || (w->a != w->a_end && *w->a < *w->b);
    return &w->rows[first ? *w->a++ : *w->b++];
}

/* Rows of atoms above all, then by the number of types. */
static int32_t rank_of(const ff_row *row)
{
    int32_t n = 0;
    for (int32_t k = 0; k < row->n_places; ++k)
        n += row->at[k].index >= 0 ? 16 : strcmp(row->at[k].type, "*") != 0;
    return n;
}

/* The last of the best rows, or NULL. */
static const ff_row *best_row(const application *a, const shoal_term *t)
{
    const ff_row *best = NULL, *row;
    bool turned;
    for (row_walk w = walk_rows(a, t); (row = next_row(&w));) {
        if (fits(a, row, t, &turned) && (!best || rank_of(row) >= rank_of(best))) best = row;
    }
    return best;
}

/* --- terms ------------------------------------------------------------------------------------------ */

/* What belongs to the one bond of an angle and to the other one. */
static void turn_parameters(shoal_term *t)
{
    double *p = t->p;
    if (t->kind != SHOAL_KIND_BEND) return;
    const double k = p[SHOAL_BEND_KI], r = p[SHOAL_BEND_RI];
    p[SHOAL_BEND_KI] = p[SHOAL_BEND_KK];
    p[SHOAL_BEND_KK] = k;
    p[SHOAL_BEND_RI] = p[SHOAL_BEND_RK];
    p[SHOAL_BEND_RK] = r;
}

/* Where the term stood, with its atoms as they are. */
static shoal_status replace(application *a, const shoal_term *old, const ff_row *best)
{
    bool turned;
    const ff_row *row;
    for (row_walk w = walk_rows(a, old); (row = next_row(&w));) {
        if (!fits(a, row, old, &turned)) continue;
        a->used[row - a->table->rows] = true;
        note_row(a, (int32_t)(row - a->table->rows));
        /* Rows of the same atoms may be written either way round. */
        if (!same_pattern(row, best) && !(best->at[0].index >= 0 && rank_of(row) == rank_of(best)))
            continue;
        shoal_term *t = builder_append(a->out, row->kind);
        if (!t) return SHOAL_E_MEMORY;
        memcpy(t->atoms, old->atoms, sizeof t->atoms);
        memcpy(t->shifts, old->shifts, sizeof t->shifts);
        memcpy(t->p, row->p, sizeof t->p);
        if (turned) turn_parameters(t);
    }
    return SHOAL_OK;
}

static bool same_place(const shoal_term *x, const shoal_term *y)
{
    return memcmp(x->atoms, y->atoms, sizeof x->atoms) == 0 &&
           memcmp(x->shifts, y->shifts, sizeof x->shifts) == 0;
}

/* Of several terms of the same atoms the first gives way to the rows, and the others to nothing. */
static bool is_repeated(const shoal_topology_view *v, int32_t k)
{
    const shoal_term *t = &v->terms[k];
    for (int32_t m = k - 1; m >= v->term_start[t->kind] && v->terms[m].atoms[1] == t->atoms[1]; --m)
        if (same_place(&v->terms[m], t)) return true;
    return false;
}

static shoal_status exclude(application *a, int32_t i, int32_t j, const int32_t *shift)
{
    shoal_topology_builder *out = a->out;
    SHOAL_TRY(SHOAL_RESERVE(&out->excluded, &out->excluded_capacity, out->n_excluded + 1));
    excluded_pair *p = &out->excluded[out->n_excluded++];
    *p = (excluded_pair){.i = i, .partner.atom = j};
    for (int c = 0; c < 3 && shift; ++c) p->partner.shift[c] = shift[c];
    return SHOAL_OK;
}

/* A row of atoms that had no such term. The ends of a bond and of an angle have no pair from now on. */
static shoal_status add_term(application *a, const ff_row *row)
{
    const int32_t n = row->n_places, last = n - 1;
    int32_t shift[3];
    shoal_term *t = builder_append(a->out, row->kind);
    if (!t) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n; ++k) {
        t->atoms[k] = row->at[k].index;
        memcpy(t->shifts[k], row->at[k].shift, sizeof t->shifts[k]);
    }
    memcpy(t->p, row->p, sizeof t->p);
    const int energy = term_shapes[row->kind].energy;
    const bool guard = row->kind == SHOAL_KIND_GUARD || row->kind == SHOAL_KIND_RANGE;
    builder_normalise(t);
    if (guard || (energy != SHOAL_TERM_BOND && energy != SHOAL_TERM_ANGLE)) return SHOAL_OK;
    for (int c = 0; c < 3; ++c) shift[c] = t->shifts[last][c] - t->shifts[0][c];
    return exclude(a, t->atoms[0], t->atoms[last], shift);
}

static shoal_status rebuild_terms(application *a)
{
    const shoal_topology_view v = a->b->topology->view;
    *a->out = (shoal_topology_builder){.topology = a->b->topology};
    for (int32_t k = 0; k < v.n_terms; ++k) {
        const ff_row *best = best_row(a, &v.terms[k]);
        if (best && is_repeated(&v, k)) continue;
        if (best) {
            SHOAL_TRY(replace(a, &v.terms[k], best));
            continue;
        }
        shoal_term *t = builder_append(a->out, v.terms[k].kind);
        if (!t) return SHOAL_E_MEMORY;
        *t = v.terms[k];
    }
    for (int32_t r = 0; r < a->table->n_rows; ++r) {
        const ff_row *row = &a->table->rows[r];
        if (row->kind < 0 || !a->active[row->section] || a->used[r] || row->at[0].index < 0)
            continue;
        SHOAL_TRY(add_term(a, row));
        note_row(a, r);
    }
    return SHOAL_OK;
}

/* --- atoms and pairs -------------------------------------------------------------------------------- */

/* Rows by type, then those of atoms; of several the last one. */
/* Atoms whose charges rows have. */
static int32_t count_charged(const application *a)
{
    const int32_t n_atoms = a->b->topology->view.n_atoms;
    int32_t n = 0;
    for (int32_t i = 0; i < n_atoms; ++i) {
        bool has = false;
        for (int32_t r = 0; r < a->table->n_rows && !has; ++r) {
            const ff_row *row = &a->table->rows[r];
            has = row->kind == FF_ATOM && row->has_charge && a->active[row->section] &&
                  fits_place(a, &row->at[0], i);
        }
        n += has;
    }
    return n;
}

/* Charges of two sources add up to no charge that anybody asked for. */
static shoal_status check_charges(const application *a)
{
    const shoal_charge_source source = a->b->options->charges;
    const int32_t n = count_charged(a), n_atoms = a->b->topology->view.n_atoms;
    const bool equilibrated = topology_equilibrates(a->b->options);
    if (n == 0 || n == n_atoms || (!equilibrated && source != SHOAL_CHARGES_NONE)) return SHOAL_OK;
    return topology_reject(a->b->topology,
                           "the force-field table has charges of %d of %d atoms, and the others "
                           "are to have %s ones",
                           n, n_atoms, equilibrated ? "equilibrated" : "no");
}

static void set_atoms(application *a)
{
    shoal_topology *t = a->b->topology;
    shoal_topology_view *v = &t->view;
    double *x = (double *)(uintptr_t)v->vdw_x, *d = (double *)(uintptr_t)v->vdw_d,
           *q = (double *)(uintptr_t)v->charges;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t r = 0; r < a->table->n_rows; ++r) {
            const ff_row *row = &a->table->rows[r];
            if (row->kind != FF_ATOM || !a->active[row->section]) continue;
            if ((row->at[0].index >= 0) != pass) continue;
            for (int32_t i = 0; i < v->n_atoms; ++i) {
                if (!fits_place(a, &row->at[0], i)) continue;
                note_row(a, r);
                x[i] = row->p[0];
                d[i] = row->p[1];
                if (!row->has_charge) continue;
                q[i] = row->p[2];
                if (!v->has_charges) v->charges_from = SHOAL_CHARGES_TYPES;
                v->has_charges = true;
            }
        }
}

static shoal_status add_pair(application *a, const ff_row *row)
{
    const double *p = row->p;
    const int32_t i = row->at[0].index, j = row->at[1].index;
    int32_t shift[3];
    for (int c = 0; c < 3; ++c) shift[c] = row->at[1].shift[c] - row->at[0].shift[c];
    SHOAL_TRY(exclude(a, i, j, shift));
    for (int k = 0; k < 2 && row->kind == FF_PAIR; ++k) {
        if (p[k] == 0) continue;
        shoal_term *t = builder_append(a->out, k ? SHOAL_KIND_PAIR_COULOMB : SHOAL_KIND_PAIR_VDW);
        if (!t) return SHOAL_E_MEMORY;
        t->atoms[0] = i;
        t->atoms[1] = j;
        memcpy(t->shifts[1], shift, sizeof shift);
        t->p[SHOAL_PAIR_SCALE] = p[k];
        if (k > 0) continue;
        t->p[SHOAL_PAIR_X] = p[2];
        t->p[SHOAL_PAIR_D] = p[3];
    }
    return SHOAL_OK;
}

/* Exclusions that are there, and new ones. */
static shoal_status rebuild_exclusions(application *a)
{
    const shoal_topology_view *v = &a->b->topology->view;
    if (a->out->n_excluded == 0) return SHOAL_OK;
    if (v->n_pairs + v->n_sites > 0)
        return topology_reject(a->b->topology, "the force-field table excludes pairs, which does "
                                               "not go with electron pairs and sites");
    for (int32_t i = 0; i < v->n_atoms; ++i)
        for (int32_t k = v->exclude_start[i]; k < v->exclude_start[i + 1]; ++k)
            SHOAL_TRY(exclude(a, i, v->excluded[k].atom, v->excluded[k].shift));
    return builder_exclude(a->out);
}

static shoal_status apply(application *a)
{
    const shoal_topology *t = a->b->topology;
    SHOAL_TRY(choose_sections(a));
    SHOAL_TRY(check_rows(a));
    if (t->status == SHOAL_SYSTEM_OK) SHOAL_TRY(check_charges(a));
    if (t->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    set_atoms(a);
    SHOAL_TRY(sort_rows(a));
    SHOAL_TRY(rebuild_terms(a));
    for (int32_t r = 0; r < a->table->n_rows; ++r) {
        const ff_row *row = &a->table->rows[r];
        if ((row->kind != FF_EXCLUDE && row->kind != FF_PAIR) || !a->active[row->section]) continue;
        SHOAL_TRY(add_pair(a, row));
        note_row(a, r);
    }
    SHOAL_TRY(rebuild_exclusions(a));
    return t->status == SHOAL_SYSTEM_OK ? builder_place_terms(a->out) : SHOAL_OK;
}

static bool has_atoms(const shoal_ff_table *t)
{
    for (int32_t r = 0; r < t->n_rows; ++r)
        if (t->rows[r].kind == FF_ATOM) return true;
    return false;
}

/* Labels of the table's types live as long as the topology. */
static shoal_status keep_labels(const uff_builder *b)
{
    for (int32_t i = 0; b->types && i < b->mol->n_atoms; ++i) {
        const size_t size = strlen(b->types[i]->label) + 1;
        char *label = arena_alloc_dirty(&b->topology->memory, size, 1);
        if (!label) return SHOAL_E_MEMORY;
        memcpy(label, b->types[i]->label, size);
        b->out->types[i] = label;
    }
    return SHOAL_OK;
}

shoal_status ff_table_apply(uff_builder *b)
{
    const shoal_ff_table *table = b->options->table;
    shoal_topology_builder out = {0};
    if (!table || b->topology->status != SHOAL_SYSTEM_OK) return SHOAL_OK;
    if (b->options->model && has_atoms(table))
        return topology_reject(b->topology, "the force-field table and the pair model both have "
                                            "parameters of atoms: expected one of them");
    if (table->n_types > 0 && b->options->forcefield != SHOAL_FORCEFIELD_UFF && !is_uff4mof(b))
        return topology_reject(b->topology, "the force-field table has types of UFF, and the force "
                                            "field is another");
    if (table->n_types > 0) SHOAL_TRY(keep_labels(b));
    application a = {.b = b, .table = table, .out = &out};
    a.active = shoal_alloc((size_t)table->n_sections, sizeof *a.active);
    a.used = shoal_alloc((size_t)table->n_rows, sizeof *a.used);
    const shoal_status status = a.active && a.used ? apply(&a) : SHOAL_E_MEMORY;
    atomic_fetch_add(&((shoal_ff_table *)(uintptr_t)table)->n_molecules, 1);
    free(a.active);
    free(a.used);
    free(a.rows);
    free(a.wild);
    free(a.bucket_starts);
    builder_free(&out);
    return status;
}
