/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies term by term. */
#include "ff/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"

#include "constants.h"

#define NO_VDW_X 3.0 /* angstrom: of atoms whose depth is zero */

shoal_status builder_begin(shoal_topology_builder *b, shoal_topology *t, int32_t n_atoms,
                           const int32_t *elements)
{
    const size_t n = (size_t)n_atoms;
    arena *memory = &t->memory;
    shoal_topology_view *v = &t->view;
    *b = (shoal_topology_builder){.topology = t};
    b->elements = arena_alloc_dirty(memory, n, sizeof *b->elements);
    b->types = arena_alloc_dirty(memory, n, sizeof *b->types);
    b->masses = arena_alloc_dirty(memory, n, sizeof *b->masses);
    b->x = arena_alloc(memory, n, sizeof *b->x);
    b->d = arena_alloc(memory, n, sizeof *b->d);
    b->q = arena_alloc(memory, n, sizeof *b->q);
    if (!b->elements || !b->types || !b->masses || !b->x || !b->d || !b->q) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n_atoms; ++i) {
        b->elements[i] = elements[i];
        b->types[i] = "";
        b->masses[i] = element_get(elements[i])->mass;
    }
    v->n_atoms = n_atoms;
    v->elements = b->elements;
    v->types = b->types;
    v->masses = b->masses;
    v->vdw_x = b->x;
    v->vdw_d = b->d;
    v->charges = b->q;
    v->term_start = terms_none;
    return SHOAL_OK;
}

void builder_free(shoal_topology_builder *b)
{
    if (!b->is_placed) free(b->terms);
    free(b->excluded);
    free(b->pairs);
    free(b->direction_atoms);
    free(b->inertias);
}

shoal_status builder_reserve(shoal_topology_builder *b, size_t n)
{
    b->terms = arena_alloc(&b->topology->memory, n, sizeof *b->terms);
    b->terms_capacity = (int32_t)n;
    b->is_placed = b->is_grouped = true;
    return b->terms ? SHOAL_OK : SHOAL_E_MEMORY;
}

shoal_term *builder_append(shoal_topology_builder *b, int kind)
{
    assert(!b->is_placed);
    if (SHOAL_RESERVE(&b->terms, &b->terms_capacity, b->n_terms + 1) != SHOAL_OK) return NULL;
    memset(&b->terms[b->n_terms], 0, sizeof *b->terms);
    return builder_next(b, kind);
}

shoal_status builder_place_terms(shoal_topology_builder *b)
{
    const size_t n = (size_t)b->n_terms;
    shoal_topology_view *v = &b->topology->view;
    arena *memory = &b->topology->memory;
    SHOAL_TRY(builder_sort(b));
    int32_t *start = arena_alloc(memory, TERM_N_KINDS + 1, sizeof *start);
    shoal_term *terms = b->is_placed ? b->terms : arena_alloc_dirty(memory, n, sizeof *terms);
    if (!start || !terms) return SHOAL_E_MEMORY;
    if (n > 0 && !b->is_placed) memcpy(terms, b->terms, n * sizeof *terms);
    for (int32_t k = 0; k < b->n_terms; ++k) ++start[terms[k].kind + 1];
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) start[kind + 1] += start[kind];
    v->terms = terms;
    v->n_terms = b->n_terms;
    v->term_start = start;
    return SHOAL_OK;
}

void builder_normalise(shoal_term *t)
{
    const term_shape *s = &term_shapes[t->kind];
    int32_t home[3];
    memcpy(home, t->shifts[s->base[0]], sizeof home);
    for (int32_t k = 0; k < s->n_atoms; ++k)
        for (int c = 0; c < 3; ++c)
            t->shifts[k][c] = term_is_direction(s, k) ? 0 : t->shifts[k][c] - home[c];
}

static shoal_status fail_no_builder(void)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "topology: no builder");
}

shoal_status shoal_topology_begin(shoal_topology_builder **out, int32_t n_atoms,
                                  const int32_t *elements)
{
    shoal_clear_error();
    if (!out || n_atoms < 0 || (n_atoms > 0 && !elements))
        return shoal_fail(SHOAL_E_ARGUMENT, "topology: no elements or no place for it");
    *out = NULL;
    for (int32_t i = 0; i < n_atoms; ++i)
        if (elements[i] < 1 || elements[i] > ELEMENT_MAX)
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "topology: atom %d has atomic number %d, expected 1 to %d", i,
                              elements[i], ELEMENT_MAX);
    shoal_topology_builder *b = shoal_alloc(1, sizeof *b);
    shoal_topology *t = shoal_alloc(1, sizeof *t);
    if (t) t->references = 1;
    if (!b || !t || builder_begin(b, t, n_atoms, elements) != SHOAL_OK) {
        free(b);
        shoal_topology_destroy(t);
        return SHOAL_E_MEMORY;
    }
    for (int32_t i = 0; i < n_atoms; ++i) {
        b->x[i] = NO_VDW_X;
        b->types[i] = shoal_element_symbol(elements[i]);
    }
    *out = b;
    return SHOAL_OK;
}

void shoal_topology_abandon(shoal_topology_builder *builder)
{
    if (!builder) return;
    shoal_topology_destroy(builder->topology);
    builder_free(builder);
    free(builder);
}

/* Family, rates of decay: see SHOAL_FORM_FAMILY. */
static shoal_status check_form(const double *p)
{
    const double family = p[SHOAL_FORM_FAMILY];
    if (!(family >= 0 && family <= 4) || family != floor(family))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair_form: family %g, expected a whole number 0 to 4",
                          family);
    if (!(p[SHOAL_FORM_K] >= 0) || !(p[SHOAL_FORM_BETA] >= 0))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair_form: k %g and beta %g, expected 0 or more",
                          p[SHOAL_FORM_K], p[SHOAL_FORM_BETA]);
    return SHOAL_OK;
}

static shoal_status check_atom(const shoal_topology_builder *b, const char *what, int32_t i)
{
    const int32_t n = b->topology->view.n_atoms;
    if (i >= 0 && i < n) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "%s: atom %d, expected 0 to %d", what, i, n - 1);
}

/* Directions are numbered behind the atoms. */
static shoal_status check_direction(const shoal_topology_builder *b, const char *what, int32_t i)
{
    const int32_t n = b->topology->view.n_atoms;
    if (i >= n && i < n + b->n_directions) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "%s: direction %d, expected %d to %d", what, i, n,
                      n + b->n_directions - 1);
}

shoal_status shoal_topology_add_direction(shoal_topology_builder *builder, int32_t atom,
                                          double inertia, int32_t *out)
{
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    if (!out) return shoal_fail(SHOAL_E_ARGUMENT, "direction: no place for its number");
    SHOAL_TRY(check_atom(builder, "direction", atom));
    if (!(inertia > 0) || !isfinite(inertia))
        return shoal_fail(SHOAL_E_ARGUMENT, "direction: inertia %g, expected more than 0", inertia);
    const int32_t n = builder->n_directions;
    SHOAL_TRY(SHOAL_RESERVE(&builder->direction_atoms, &builder->direction_atoms_capacity, n + 1));
    SHOAL_TRY(SHOAL_RESERVE(&builder->inertias, &builder->inertias_capacity, n + 1));
    builder->direction_atoms[n] = atom;
    builder->inertias[n] = inertia;
    builder->n_directions = n + 1;
    *out = builder->topology->view.n_atoms + n;
    return SHOAL_OK;
}

shoal_status shoal_topology_set_atom(shoal_topology_builder *builder, int32_t i,
                                     const shoal_atom_parameters *parameters)
{
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    if (!parameters) return shoal_fail(SHOAL_E_ARGUMENT, "atom %d: no parameters", i);
    const shoal_atom_parameters p = *parameters;
    SHOAL_TRY(check_atom(builder, "atom", i));
    if (!(p.vdw_x > 0) || !isfinite(p.vdw_x) || !(p.vdw_d >= 0) || !isfinite(p.vdw_d))
        return shoal_fail(SHOAL_E_ARGUMENT, "atom %d: vdw x %g and D %g, expected x > 0 and D >= 0",
                          i, p.vdw_x, p.vdw_d);
    if (!isfinite(p.charge) || !(p.mass >= 0) || !isfinite(p.mass))
        return shoal_fail(SHOAL_E_ARGUMENT, "atom %d: charge %g and mass %g, expected finite ones",
                          i, p.charge, p.mass);
    builder->types[i] = shoal_element_symbol(builder->elements[i]);
    if (p.type) {
        const size_t size = strlen(p.type) + 1;
        char *type = arena_alloc_dirty(&builder->topology->memory, size, 1);
        if (!type) return SHOAL_E_MEMORY;
        memcpy(type, p.type, size);
        builder->types[i] = type;
    }
    builder->x[i] = p.vdw_x;
    builder->d[i] = p.vdw_d;
    builder->q[i] = p.charge;
    builder->masses[i] = p.mass > 0 ? p.mass : element_get(builder->elements[i])->mass;
    return SHOAL_OK;
}

shoal_status shoal_topology_set_periodic(shoal_topology_builder *builder, const bool pbc[3])
{
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    if (!pbc) return shoal_fail(SHOAL_E_ARGUMENT, "topology: no directions");
    memcpy(builder->topology->view.pbc, pbc, sizeof builder->topology->view.pbc);
    return SHOAL_OK;
}

static shoal_status check_model(const shoal_pair_model *model, const double *hbonds, int32_t n)
{
    const shoal_pair_settings *s = shoal_pair_model_settings(model);
    if (s->n_sites > 0 || s->n_columns > 0 || s->form == SHOAL_FORM_BUFFERED)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "topology: expected a pair model without sites, columns of a formula and "
                          "the buffered pairs of MMFF94");
    for (int32_t i = 0; i < n && hbonds; ++i)
        if (!isfinite(hbonds[i]))
            return shoal_fail(SHOAL_E_ARGUMENT, "atom %d: hydrogen bonds %g, expected finite", i,
                              hbonds[i]);
    return SHOAL_OK;
}

shoal_status shoal_topology_set_model(shoal_topology_builder *builder, shoal_pair_model *model,
                                      const double *hbonds)
{
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    if (!model) return shoal_fail(SHOAL_E_ARGUMENT, "topology: no pair model");
    shoal_topology *t = builder->topology;
    const size_t n = (size_t)t->view.n_atoms;
    bool any = false;
    SHOAL_TRY(check_model(model, hbonds, t->view.n_atoms));
    double *h = arena_alloc(&t->memory, n, sizeof *h);
    if (!h) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n && hbonds; ++i) any |= (h[i] = hbonds[i]) != 0;
    shoal_pair_model_destroy(t->model);
    t->model = shoal_pair_model_retain(model);
    t->view.hbonds = h;
    t->view.model = pair_model_is_plain(model) && !any ? NULL : model;
    return SHOAL_OK;
}

/* No image of an atom twice. */
static shoal_status check_repeats(const char *name, int32_t n, const int32_t *atoms,
                                  const int32_t (*shifts)[3])
{
    for (int32_t a = 0; a < n; ++a)
        for (int32_t b = 0; b < a; ++b)
            if (atoms[a] == atoms[b] &&
                (!shifts || memcmp(shifts[a], shifts[b], sizeof shifts[a]) == 0))
                return shoal_fail(SHOAL_E_ARGUMENT, "%s: atom %d twice", name, atoms[a]);
    return SHOAL_OK;
}

/* Fast paths look for guards below one angle only. */
static shoal_status check_guard(const double *p)
{
    const double guard = p[SHOAL_ANGLE_GUARD], from = p[SHOAL_ANGLE_GUARD_FROM];
    if (guard == 0 || (guard > 0 && from >= ANGLE_TIGHT && from < 1)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "angle: guard %g from the cosine %g, expected 0 or more, from %.4f to 1",
                      guard, from, ANGLE_TIGHT);
}

shoal_status builder_check_parameters(int kind, const shoal_term_kind *info, const double *p)
{
    for (int32_t k = 0; k < info->n_parameters; ++k)
        if (!isfinite(p[k]))
            return shoal_fail(SHOAL_E_ARGUMENT, "%s: parameter %d of '%s' is not finite",
                              info->name, k, info->parameters);
    if ((kind == SHOAL_KIND_BOND || kind == SHOAL_KIND_QUARTIC_BOND) && p[SHOAL_BOND_R0] < 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: r0 is %g, expected 0 or more", info->name,
                          p[SHOAL_BOND_R0]);
    if (kind == SHOAL_KIND_PAIR_BUFFERED &&
        (p[SHOAL_BUFFERED_DELTA] < 0 || (p[SHOAL_BUFFERED_N] != 1 && p[SHOAL_BUFFERED_N] != 2)))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "pair_buffered: delta %g and n %g, expected 0 or more, and 1 or 2",
                          p[SHOAL_BUFFERED_DELTA], p[SHOAL_BUFFERED_N]);
    if (kind == SHOAL_KIND_ANGLE) return check_guard(p);
    if (kind == SHOAL_KIND_PAIR_FORM) return check_form(p);
    if (kind == SHOAL_KIND_HALF_ANGLE && !(p[SHOAL_HALF_T0] >= 0 && p[SHOAL_HALF_T0] <= PI))
        return shoal_fail(SHOAL_E_ARGUMENT, "half_angle: t0 is %g, expected 0 to pi",
                          p[SHOAL_HALF_T0]);
    if (kind == SHOAL_KIND_PI_PI && p[SHOAL_PI_SOFT] < 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "pi_pi: soft is %g, expected 0 or more",
                          p[SHOAL_PI_SOFT]);
    if (kind == SHOAL_KIND_PERIODIC && (!(p[SHOAL_PERIODIC_N] >= 0 && p[SHOAL_PERIODIC_N] <= 6) ||
                                        p[SHOAL_PERIODIC_N] != floor(p[SHOAL_PERIODIC_N])))
        return shoal_fail(SHOAL_E_ARGUMENT, "periodic: n is %g, expected a whole number 0 to 6",
                          p[SHOAL_PERIODIC_N]);
    if (kind != SHOAL_KIND_TORSION) return SHOAL_OK;
    const double n = p[SHOAL_TORSION_N], d = p[SHOAL_TORSION_D];
    if (fabs(d) != 1) return shoal_fail(SHOAL_E_ARGUMENT, "torsion: d is %g, expected 1 or -1", d);
    if (!(n >= 1 && n <= 6) || n != floor(n))
        return shoal_fail(SHOAL_E_ARGUMENT, "torsion: n is %g, expected a whole number 1 to 6", n);
    return SHOAL_OK;
}

shoal_status shoal_topology_add_term(shoal_topology_builder *builder, int kind,
                                     const int32_t *atoms, const int32_t (*shifts)[3],
                                     const double *parameters)
{
    shoal_term_kind info;
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    if (!shoal_term_kind_get(kind, &info))
        return shoal_fail(SHOAL_E_ARGUMENT, "term: unknown kind %d", kind);
    if (!atoms || !parameters)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: no atoms or no parameters", info.name);
    if (kind == SHOAL_KIND_PAIR_VDW || kind == SHOAL_KIND_PAIR_COULOMB)
        return shoal_fail(SHOAL_E_ARGUMENT, "%s: special pairs are added as pairs", info.name);
    for (int32_t k = 0; k < info.n_atoms; ++k)
        SHOAL_TRY(info.directions >> k & 1 ? check_direction(builder, info.name, atoms[k])
                                           : check_atom(builder, info.name, atoms[k]));
    SHOAL_TRY(check_repeats(info.name, info.n_atoms, atoms, shifts));
    SHOAL_TRY(builder_check_parameters(kind, &info, parameters));
    shoal_term *t = builder_append(builder, kind);
    if (!t) return SHOAL_E_MEMORY;
    memcpy(t->atoms, atoms, (size_t)info.n_atoms * sizeof *atoms);
    if (shifts) memcpy(t->shifts, shifts, (size_t)info.n_atoms * sizeof *shifts);
    memcpy(t->p, parameters, (size_t)info.n_parameters * sizeof *parameters);
    builder_normalise(t);
    return SHOAL_OK;
}

shoal_status shoal_topology_add_bond(shoal_topology_builder *builder, int32_t i, int32_t j,
                                     const int32_t shift[3], double k, double r0)
{
    const int32_t atoms[2] = {i, j};
    int32_t shifts[2][3] = {{0}};
    if (shift) memcpy(shifts[1], shift, sizeof shifts[1]);
    const double p[] = {[SHOAL_BOND_K] = k, [SHOAL_BOND_R0] = r0, [SHOAL_BOND_ORDER] = 1};
    return shoal_topology_add_term(builder, SHOAL_KIND_BOND, atoms, (const int32_t(*)[3])shifts, p);
}

shoal_status shoal_topology_add_angle(shoal_topology_builder *builder, const int32_t atoms[3],
                                      const int32_t (*shifts)[3], double k, const double c[5])
{
    double p[SHOAL_TERM_PARAMETERS] = {k};
    if (c) memcpy(p + SHOAL_ANGLE_C0, c, 5 * sizeof *c);
    return shoal_topology_add_term(builder, SHOAL_KIND_ANGLE, atoms, shifts, c ? p : NULL);
}

shoal_status shoal_topology_add_torsion(shoal_topology_builder *builder, const int32_t atoms[4],
                                        const int32_t (*shifts)[3], double v, int d, int n)
{
    const double p[3] = {v, d, n};
    return shoal_topology_add_term(builder, SHOAL_KIND_TORSION, atoms, shifts, p);
}

shoal_status shoal_topology_add_inversion(shoal_topology_builder *builder, const int32_t atoms[4],
                                          const int32_t (*shifts)[3], double k, const double c[3])
{
    double p[4] = {k};
    if (c) memcpy(p + SHOAL_INVERSION_C0, c, 3 * sizeof *c);
    return shoal_topology_add_term(builder, SHOAL_KIND_INVERSION, atoms, shifts, c ? p : NULL);
}

/* Two atoms that are not one and the same image. */
static shoal_status check_pair(const shoal_topology_builder *b, const char *what, int32_t i,
                               int32_t j, const int32_t shift[3])
{
    const int32_t atoms[2] = {i, j};
    int32_t shifts[2][3] = {{0}};
    if (shift) memcpy(shifts[1], shift, sizeof shifts[1]);
    SHOAL_TRY(check_atom(b, what, i));
    SHOAL_TRY(check_atom(b, what, j));
    return check_repeats(what, 2, atoms, (const int32_t(*)[3])shifts);
}

static shoal_status append_excluded(shoal_topology_builder *b, int32_t i, int32_t j,
                                    const int32_t shift[3])
{
    SHOAL_TRY(SHOAL_RESERVE(&b->excluded, &b->excluded_capacity, b->n_excluded + 1));
    b->excluded[b->n_excluded] = (excluded_pair){.i = i, .partner.atom = j};
    for (int c = 0; c < 3 && shift; ++c) b->excluded[b->n_excluded].partner.shift[c] = shift[c];
    ++b->n_excluded;
    return SHOAL_OK;
}

shoal_status shoal_topology_exclude(shoal_topology_builder *builder, int32_t i, int32_t j,
                                    const int32_t shift[3])
{
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    SHOAL_TRY(check_pair(builder, "exclusion", i, j, shift));
    return append_excluded(builder, i, j, shift);
}

shoal_status shoal_topology_add_pair(shoal_topology_builder *builder,
                                     const shoal_special_pair *pair)
{
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    if (!pair) return shoal_fail(SHOAL_E_ARGUMENT, "pair: none was given");
    SHOAL_TRY(check_pair(builder, "pair", pair->i, pair->j, pair->shift));
    if (!isfinite(pair->vdw_scale) || !isfinite(pair->coulomb_scale))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair %d,%d: a scale is not finite", pair->i, pair->j);
    if (!(pair->x >= 0) || !isfinite(pair->x) || !(pair->d >= 0) || !isfinite(pair->d))
        return shoal_fail(SHOAL_E_ARGUMENT, "pair %d,%d: x %g and D %g, expected 0 or more",
                          pair->i, pair->j, pair->x, pair->d);
    SHOAL_TRY(SHOAL_RESERVE(&builder->pairs, &builder->pairs_capacity, builder->n_pairs + 1));
    builder->pairs[builder->n_pairs++] = *pair;
    return SHOAL_OK;
}

/* The two terms of a special pair, where they are not zero. */
static shoal_status append_pair(shoal_topology_builder *b, const shoal_special_pair *pair)
{
    const double scales[2] = {pair->vdw_scale, pair->coulomb_scale};
    const int kinds[2] = {SHOAL_KIND_PAIR_VDW, SHOAL_KIND_PAIR_COULOMB};
    for (int k = 0; k < 2; ++k) {
        if (scales[k] == 0) continue;
        shoal_term *t = builder_append(b, kinds[k]);
        if (!t) return SHOAL_E_MEMORY;
        t->atoms[0] = pair->i;
        t->atoms[1] = pair->j;
        memcpy(t->shifts[1], pair->shift, sizeof pair->shift);
        t->p[SHOAL_PAIR_SCALE] = scales[k];
        if (kinds[k] == SHOAL_KIND_PAIR_VDW && pair->x > 0) {
            t->p[SHOAL_PAIR_X] = pair->x;
            t->p[SHOAL_PAIR_D] = pair->d;
        }
    }
    return append_excluded(b, pair->i, pair->j, pair->shift);
}

/* Ends of bonds and of angles. */
static shoal_status exclude_bonded(shoal_topology_builder *b)
{
    for (int32_t k = 0; k < b->n_terms; ++k) {
        const shoal_term *t = &b->terms[k];
        const bool bond = t->kind == SHOAL_KIND_BOND || t->kind == SHOAL_KIND_QUARTIC_BOND;
        if (!bond && t->kind != SHOAL_KIND_ANGLE && t->kind != SHOAL_KIND_HALF_ANGLE &&
            t->kind != SHOAL_KIND_BEND)
            continue;
        const int last = bond ? 1 : 2;
        int32_t shift[3];
        for (int c = 0; c < 3; ++c) shift[c] = t->shifts[last][c] - t->shifts[0][c];
        SHOAL_TRY(append_excluded(b, t->atoms[0], t->atoms[last], shift));
    }
    return SHOAL_OK;
}

static shoal_status check_shift(const shoal_topology_builder *b, const char *what,
                                const int32_t shift[3])
{
    for (int c = 0; c < 3; ++c)
        if (shift[c] != 0 && !b->topology->view.pbc[c])
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "%s: shift %d,%d,%d, but the topology does not repeat that way", what,
                              shift[0], shift[1], shift[2]);
    return SHOAL_OK;
}

static shoal_status check_shifts(const shoal_topology_builder *b)
{
    shoal_term_kind info = {0};
    for (int32_t k = 0; k < b->n_terms; ++k) {
        (void)shoal_term_kind_get(b->terms[k].kind, &info);
        for (int32_t a = 0; a < info.n_atoms; ++a)
            SHOAL_TRY(check_shift(b, info.name, b->terms[k].shifts[a]));
    }
    for (int32_t k = 0; k < b->n_excluded; ++k)
        SHOAL_TRY(check_shift(b, "exclusion", b->excluded[k].partner.shift));
    return SHOAL_OK;
}

static shoal_status keep_pairs(shoal_topology_builder *b)
{
    shoal_topology_view *v = &b->topology->view;
    const size_t n = (size_t)b->n_pairs;
    shoal_special_pair *pairs = arena_alloc_dirty(&b->topology->memory, n, sizeof *pairs);
    if (!pairs) return SHOAL_E_MEMORY;
    if (n > 0) memcpy(pairs, b->pairs, n * sizeof *pairs);
    v->special_pairs = pairs;
    v->n_special_pairs = b->n_pairs;
    for (int32_t k = 0; k < b->n_pairs; ++k) SHOAL_TRY(append_pair(b, &b->pairs[k]));
    return builder_check_pairs(b);
}

static shoal_status keep_directions(shoal_topology_builder *b)
{
    shoal_topology_view *v = &b->topology->view;
    const size_t n = (size_t)b->n_directions;
    int32_t *atoms = arena_alloc_dirty(&b->topology->memory, n, sizeof *atoms);
    double *inertias = arena_alloc_dirty(&b->topology->memory, n, sizeof *inertias);
    if (!atoms || !inertias) return SHOAL_E_MEMORY;
    if (n > 0) memcpy(atoms, b->direction_atoms, n * sizeof *atoms);
    if (n > 0) memcpy(inertias, b->inertias, n * sizeof *inertias);
    v->direction_atoms = atoms;
    v->inertias = inertias;
    v->n_directions = b->n_directions;
    return SHOAL_OK;
}

static shoal_status finish(shoal_topology_builder *b, shoal_exclusions exclusions)
{
    shoal_topology_view *v = &b->topology->view;
    SHOAL_TRY(keep_directions(b));
    if (exclusions == SHOAL_EXCLUDE_BONDS_AND_ANGLES)
        SHOAL_TRY(exclude_bonded(b));
    else if (exclusions != SHOAL_EXCLUDE_NAMED)
        return shoal_fail(SHOAL_E_ARGUMENT, "topology: unknown exclusions %d", (int)exclusions);
    SHOAL_TRY(keep_pairs(b));
    SHOAL_TRY(check_shifts(b));
    for (int32_t i = 0; i < v->n_atoms; ++i) v->has_charges |= b->q[i] != 0;
    SHOAL_TRY(builder_place_terms(b));
    return builder_exclude(b);
}

shoal_status shoal_topology_finish(shoal_topology_builder *builder, shoal_exclusions exclusions,
                                   shoal_topology **out)
{
    shoal_clear_error();
    if (!builder) return fail_no_builder();
    shoal_status status =
        out ? SHOAL_OK : shoal_fail(SHOAL_E_ARGUMENT, "topology: no place for it");
    if (out) *out = NULL;
    if (status == SHOAL_OK) status = finish(builder, exclusions);
    if (status == SHOAL_OK) {
        topology_seal(builder->topology);
        *out = builder->topology;
        builder->topology = NULL;
    }
    shoal_topology_abandon(builder);
    return status;
}
