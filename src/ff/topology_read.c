/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies out of JSON, as topology_put.c writes them; mistakes are named by their line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_read.h"
#include "ff/builder.h"
#include "ff/mmff94.h"

enum { MOST_NUMBERS = 4 * SHOAL_TERM_ATOMS + SHOAL_TERM_PARAMETERS };

typedef struct topology_reader {
    const char *label;
    const json_value *root;
    shoal_topology_builder *b;
    int32_t n_atoms;
    bool repeats;
} topology_reader;

static shoal_status fail(const topology_reader *r, const json_value *at, const char *what)
{
    return shoal_fail(SHOAL_E_FORMAT, "%s:%d: topology: expected %s", r->label,
                      at ? (int)at->line : 1, what);
}

/* What a call that builds a topology said, with the line. */
static shoal_status pass(const topology_reader *r, const json_value *at, shoal_status status)
{
    char why[256];
    if (status == SHOAL_OK || status == SHOAL_E_MEMORY) return status;
    (void)snprintf(why, sizeof why, "%s", shoal_error_text());
    return shoal_fail(SHOAL_E_FORMAT, "%s:%d: %s", r->label, (int)at->line, why);
}

/* Numbers of an array of n of them; those of whole ones must be. */
static shoal_status take_numbers(const topology_reader *r, const json_value *array, int32_t n,
                                 int32_t n_whole, double *out)
{
    if (!array || array->type != JSON_ARRAY || array->n != n)
        return fail(r, array,
                    "arrays of numbers as long as there are atoms, or rows of their kind");
    for (const json_value *v = array->first; v; v = v->next, ++out) {
        if (v->type != JSON_NUMBER) return fail(r, v, "numbers");
        *out = v->number;
        if (n_whole-- > 0 && !(fabs(*out) < 1e9 && *out == floor(*out)))
            return fail(r, v, "whole numbers of atoms and images");
    }
    return SHOAL_OK;
}

/* An array of n_atoms numbers, in the builder's memory; NULL and *out = NULL where it may be missing and is. */
static shoal_status take_array(const topology_reader *r, const char *key, bool must, double **out)
{
    const json_value *v = json_member(r->root, key);
    const size_t n = (size_t)r->n_atoms;
    *out = NULL;
    if (!v && !must) return SHOAL_OK;
    double *numbers = arena_alloc(&r->b->topology->memory, n, sizeof *numbers);
    if (!numbers) return SHOAL_E_MEMORY;
    *out = numbers;
    return take_numbers(r, v ? v : r->root, r->n_atoms, 0, numbers);
}

static shoal_status begin(topology_reader *r)
{
    const json_value *z = json_member(r->root, "elements");
    const json_value *format = json_member(r->root, "format"),
                     *version = json_member(r->root, "version");
    if (!format || format->type != JSON_TEXT || strcmp(format->text, TOPOLOGY_FORMAT) != 0)
        return fail(r, r->root, "an object whose format is \"" TOPOLOGY_FORMAT "\"");
    if (!version || version->number != TOPOLOGY_VERSION) return fail(r, version, "version 1");
    if (!z || z->type != JSON_ARRAY) return fail(r, z ? z : r->root, "elements");
    r->n_atoms = z->n;
    int32_t *elements = shoal_alloc((size_t)z->n, sizeof *elements), n = 0;
    if (!elements) return SHOAL_E_MEMORY;
    for (const json_value *v = z->first; v; v = v->next)
        elements[n++] =
            v->type == JSON_NUMBER && v->number >= 1 && v->number <= 118 ? (int32_t)v->number : 0;
    const shoal_status status = shoal_topology_begin(&r->b, n, elements);
    free(elements);
    return pass(r, z, status);
}

static shoal_status read_atoms(topology_reader *r)
{
    const json_value *types = json_member(r->root, "types"), *pbc = json_member(r->root, "pbc");
    double *x, *d, *q, *masses;
    bool periodic[3];
    SHOAL_TRY(take_array(r, "vdw_x", true, &x));
    SHOAL_TRY(take_array(r, "vdw_d", true, &d));
    SHOAL_TRY(take_array(r, "charges", false, &q));
    SHOAL_TRY(take_array(r, "masses", false, &masses));
    if (types && (types->type != JSON_ARRAY || types->n != r->n_atoms))
        return fail(r, types, "a type for every atom");
    const json_value *type = types ? types->first : NULL;
    for (int32_t i = 0; i < r->n_atoms; ++i, type = type ? type->next : NULL) {
        if (type && type->type != JSON_TEXT) return fail(r, type, "types as texts");
        const shoal_atom_parameters p = {.vdw_x = x[i],
                                         .vdw_d = d[i],
                                         .charge = q ? q[i] : 0,
                                         .mass = masses ? masses[i] : 0,
                                         .type = type ? type->text : NULL};
        SHOAL_TRY(pass(r, r->root, shoal_topology_set_atom(r->b, i, &p)));
    }
    if (!pbc) return SHOAL_OK;
    if (pbc->type != JSON_ARRAY || pbc->n != 3) return fail(r, pbc, "three truth values as pbc");
    const json_value *v = pbc->first;
    for (int c = 0; c < 3; ++c, v = v->next) {
        if (v->type != JSON_BOOLEAN) return fail(r, v, "three truth values as pbc");
        periodic[c] = v->number != 0;
        r->repeats = r->repeats || periodic[c];
    }
    return shoal_topology_set_periodic(r->b, periodic);
}

static shoal_status read_directions(topology_reader *r)
{
    const json_value *all = json_member(r->root, "directions"), *atoms = json_member(all, "atoms"),
                     *inertias = json_member(all, "inertias");
    int32_t number;
    if (!all) return SHOAL_OK;
    if (!atoms || !inertias || atoms->type != JSON_ARRAY || inertias->type != JSON_ARRAY ||
        atoms->n != inertias->n)
        return fail(r, all, "atoms and inertias of directions");
    for (const json_value *a = atoms->first, *m = inertias->first; a; a = a->next, m = m->next) {
        if (a->type != JSON_NUMBER || m->type != JSON_NUMBER || !(fabs(a->number) < 1e9))
            return fail(r, a, "numbers");
        SHOAL_TRY(
            pass(r, a, shoal_topology_add_direction(r->b, (int32_t)a->number, m->number, &number)));
    }
    return SHOAL_OK;
}

/* --- pairs */

static double number_of(const json_value *object, const char *key)
{
    const json_value *v = json_member(object, key);
    return v && v->type == JSON_NUMBER ? v->number : 0;
}

/* Its table has one type, as parameters are those of the atoms; h where the original had hydrogen bonds. */
static shoal_status make_model(const topology_reader *r, const json_value *pairs, bool acts,
                               shoal_pair_model **out)
{
    static const char plain[] = "# units: eV\nX * C X 0 0 0 0 0.7 1 0 0 0\n",
                      bridged[] = "# units: eV\nX * C X 0 0 0 0 0.7 1 0 0 1\n";
    const json_value *form = json_member(pairs, "form"), *source = json_member(pairs, "formula"),
                     *constants = json_member(pairs, "constants");
    const char *name = form && form->type == JSON_TEXT ? form->text : "";
    if (strcmp(name, TOPOLOGY_MMFF94) == 0) {
        *out = mmff94_pair_model(number_of(pairs, "coulomb") == SHOAL_COULOMB_BUFFERED_FAR);
        return SHOAL_OK;
    }
    const int number = shoal_pair_form_by_name(name);
    if (number < 0) return fail(r, pairs, "the form of pairs");
    shoal_pair_settings s = {.form = (shoal_pair_form)number,
                             .alpha = number_of(pairs, "alpha"),
                             .hbond = (shoal_hbond)number_of(pairs, "hbond"),
                             .coulomb = (shoal_coulomb)number_of(pairs, "coulomb"),
                             .coulomb_damping = number_of(pairs, "coulomb_damping"),
                             .lambda = number_of(pairs, "lambda"),
                             .radius_charge = number_of(pairs, "radius_charge"),
                             .dispersion_damping = number_of(pairs, "dispersion_damping"),
                             .vdw_14 = number_of(pairs, "vdw_14"),
                             .coulomb_14 = number_of(pairs, "coulomb_14"),
                             .formula = source ? source->text : NULL};
    shoal_pair_constant *own =
        arena_alloc(&r->b->topology->memory, constants ? (size_t)constants->n : 0, sizeof *own);
    if (!own) return SHOAL_E_MEMORY;
    for (const json_value *v = constants ? constants->first : NULL; v; v = v->next) {
        shoal_pair_constant *c = &own[s.n_constants++];
        (void)snprintf(c->name, sizeof c->name, "%s", v->key ? v->key : "");
        c->value = v->number;
    }
    s.constants = own;
    shoal_atom_types *types;
    SHOAL_TRY(shoal_atom_types_read_memory(&types, acts ? bridged : plain, sizeof plain - 1, "X"));
    const shoal_status status = shoal_pair_model_create(out, &s, types);
    shoal_atom_types_destroy(types);
    return pass(r, pairs, status);
}

static shoal_status read_pairs(topology_reader *r)
{
    const json_value *pairs = json_member(r->root, "pairs"), *acts = json_member(pairs, "acts");
    shoal_topology *t = r->b->topology;
    double *h;
    if (!pairs) return SHOAL_OK;
    SHOAL_TRY(take_array(r, "hbonds", false, &h));
    if (!h) h = arena_alloc(&t->memory, (size_t)r->n_atoms, sizeof *h);
    if (!h) return SHOAL_E_MEMORY;
    SHOAL_TRY(make_model(r, pairs, acts && acts->number != 0, &t->model));
    t->view.hbonds = h;
    t->view.model = acts && acts->number != 0 ? t->model : NULL;
    return SHOAL_OK;
}

/* --- terms */

static void split_row(const topology_reader *r, const double *row, int32_t n, int32_t *atoms,
                      int32_t (*shifts)[3])
{
    for (int32_t k = 0; k < n; ++k) {
        atoms[k] = (int32_t)row[k];
        for (int c = 0; c < 3; ++c) shifts[k][c] = r->repeats ? (int32_t)row[n + 3 * k + c] : 0;
    }
}

/* Special pairs are terms here, and the list of them says where they come from. */
static shoal_status add_pair_term(topology_reader *r, int kind, const shoal_term_kind *info,
                                  const shoal_term *from)
{
    int32_t shift[3];
    for (int c = 0; c < 3; ++c) shift[c] = from->shifts[1][c] - from->shifts[0][c];
    SHOAL_TRY(shoal_topology_exclude(r->b, from->atoms[0], from->atoms[1], shift));
    SHOAL_TRY(builder_check_parameters(kind, info, from->p));
    shoal_term *t = builder_append(r->b, kind);
    if (!t) return SHOAL_E_MEMORY;
    *t = *from;
    t->kind = kind;
    builder_normalise(t);
    return SHOAL_OK;
}

static shoal_status read_kind(topology_reader *r, const json_value *rows)
{
    shoal_term_kind info;
    const int kind = shoal_term_kind_by_name(rows->key);
    if (!shoal_term_kind_get(kind, &info) || rows->type != JSON_ARRAY)
        return fail(r, rows, "terms of known kinds");
    const int32_t n_whole = info.n_atoms * (r->repeats ? 4 : 1);
    for (const json_value *row = rows->first; row; row = row->next) {
        double numbers[MOST_NUMBERS];
        shoal_term t = {0};
        SHOAL_TRY(take_numbers(r, row, n_whole + info.n_parameters, n_whole, numbers));
        split_row(r, numbers, info.n_atoms, t.atoms, t.shifts);
        memcpy(t.p, numbers + n_whole, (size_t)info.n_parameters * sizeof *t.p);
        const bool is_pair = kind == SHOAL_KIND_PAIR_VDW || kind == SHOAL_KIND_PAIR_COULOMB;
        SHOAL_TRY(pass(r, row,
                       is_pair ? add_pair_term(r, kind, &info, &t)
                               : shoal_topology_add_term(r->b, kind, t.atoms,
                                                         (const int32_t(*)[3])t.shifts, t.p)));
    }
    return SHOAL_OK;
}

/* Atoms, the image of the second one, and n more numbers. */
static shoal_status take_pair(const topology_reader *r, const json_value *row, int32_t n,
                              shoal_special_pair *out, double *more)
{
    double numbers[2 + 3 + 4];
    const int32_t n_whole = r->repeats ? 5 : 2;
    SHOAL_TRY(take_numbers(r, row, n_whole + n, n_whole, numbers));
    *out = (shoal_special_pair){.i = (int32_t)numbers[0], .j = (int32_t)numbers[1]};
    for (int c = 0; c < 3 && r->repeats; ++c) out->shift[c] = (int32_t)numbers[2 + c];
    if (n > 0) memcpy(more, numbers + n_whole, (size_t)n * sizeof *more);
    return SHOAL_OK;
}

static shoal_status read_exclusions(topology_reader *r)
{
    const json_value *all = json_member(r->root, "excluded");
    shoal_special_pair p;
    if (all && all->type != JSON_ARRAY) return fail(r, all, "an array of pairs");
    for (const json_value *row = all ? all->first : NULL; row; row = row->next) {
        SHOAL_TRY(take_pair(r, row, 0, &p, NULL));
        SHOAL_TRY(pass(r, row, shoal_topology_exclude(r->b, p.i, p.j, p.shift)));
    }
    return SHOAL_OK;
}

static shoal_status read_terms(topology_reader *r)
{
    const json_value *terms = json_member(r->root, "terms");
    if (terms && terms->type != JSON_OBJECT) return fail(r, terms, "terms by their kinds");
    for (const json_value *rows = terms ? terms->first : NULL; rows; rows = rows->next)
        SHOAL_TRY(read_kind(r, rows));
    return read_exclusions(r);
}

/* Where the terms of special pairs come from, and charges. */
static shoal_status read_rest(const topology_reader *r, shoal_topology *t)
{
    const json_value *all = json_member(r->root, "special_pairs"),
                     *source = json_member(r->root, "charges_from"),
                     *has = json_member(r->root, "has_charges");
    const int32_t n = all && all->type == JSON_ARRAY ? all->n : 0;
    shoal_special_pair *pairs = arena_alloc(&t->memory, (size_t)n, sizeof *pairs);
    if (!pairs) return SHOAL_E_MEMORY;
    t->view.special_pairs = pairs;
    for (const json_value *row = n > 0 ? all->first : NULL; row; row = row->next) {
        double more[4];
        SHOAL_TRY(take_pair(r, row, 4, pairs, more));
        pairs->vdw_scale = more[0];
        pairs->coulomb_scale = more[1];
        pairs->x = more[2];
        (pairs++)->d = more[3];
    }
    t->view.n_special_pairs = n;
    t->view.has_charges = t->view.has_charges || (has && has->number != 0);
    for (int k = 0; source && source->type == JSON_TEXT && k < SHOAL_N_CHARGE_SOURCES; ++k)
        if (strcmp(source->text, shoal_charge_source_name(k)) == 0)
            t->view.charges_from = (shoal_charge_source)k;
    return SHOAL_OK;
}

static shoal_status build(topology_reader *r, shoal_topology **out)
{
    shoal_status status = begin(r);
    if (status == SHOAL_OK) status = read_atoms(r);
    if (status == SHOAL_OK) status = read_directions(r);
    if (status == SHOAL_OK) status = read_pairs(r);
    if (status == SHOAL_OK) status = read_terms(r);
    if (status != SHOAL_OK) {
        shoal_topology_abandon(r->b);
        return status;
    }
    status = pass(r, r->root, shoal_topology_finish(r->b, SHOAL_EXCLUDE_NAMED, out));
    if (status == SHOAL_OK) status = read_rest(r, *out);
    if (status == SHOAL_OK) return SHOAL_OK;
    shoal_topology_destroy(*out);
    *out = NULL;
    return status;
}

shoal_status shoal_topology_read_memory(shoal_topology **out, const void *data, size_t size,
                                        const char *label)
{
    shoal_clear_error();
    SHOAL_NEED(out && (data || size == 0) && label);
    arena memory = {0};
    topology_reader r = {.label = label};
    *out = NULL;
    shoal_status status = json_read(&r.root, (shoal_span){data ? data : "", size}, label, &memory);
    if (status == SHOAL_OK) status = build(&r, out);
    arena_free(&memory);
    return status;
}
