/* SPDX-License-Identifier: BSD-3-Clause
 * Sites of a topology: lone pairs and sigma holes as its pair model asks for them, and charges as they act. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "chem/element.h"
#include "ff/site_frames.h"
#include "ff/topology.h"

/* Bonds of all atoms with their vectors, neighbours by rising number. */
static shoal_status find_bonds(const uff_builder *b, site_bonds *out)
{
    const graph *g = b->g;
    const int32_t n_ends = g->start[g->n_atoms];
    site_bond *bonds = arena_alloc(b->scratch, (size_t)n_ends, sizeof *bonds);
    if (!bonds) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < g->n_atoms; ++i)
        for (int32_t e = g->start[i]; e < g->start[i + 1]; ++e) {
            const graph_end *end = &g->ends[e];
            int32_t at = e;
            site_bond x = {.atom = end->atom};
            memcpy(x.shift, end->shift, sizeof x.shift);
            for (int c = 0; c < 3; ++c) {
                x.away[c] = b->mol->pos[end->atom][c] - b->mol->pos[i][c];
                for (int k = 0; k < 3; ++k) x.away[c] += end->shift[k] * b->mol->cell[k][c];
            }
            for (; at > g->start[i] && bonds[at - 1].atom > x.atom; --at) bonds[at] = bonds[at - 1];
            bonds[at] = x;
        }
    *out = (site_bonds){g->n_atoms, g->start, bonds};
    return SHOAL_OK;
}

typedef struct site_list {
    shoal_site *sites;
    int32_t *types; /* in the table */
    int32_t n;
} site_list;

/* Rules for the type of an atom. */
static int32_t count_rules(const uff_builder *b, int32_t atom)
{
    const shoal_pair_settings *s = &b->options->model->settings;
    const char *name = topology_table_type(b, atom)->name;
    int32_t n = 0;
    for (int32_t k = 0; k < s->n_sites; ++k) n += strcmp(s->sites[k].host, name) == 0;
    return n;
}

/* Sites of all atoms, in their order and that of the rules. */
static shoal_status find_sites(const uff_builder *b, site_list *out)
{
    const shoal_pair_model *m = b->options->model;
    size_t most = 0;
    site_bonds bonds;
    for (int32_t i = 0; i < b->mol->n_atoms; ++i)
        most += (size_t)count_rules(b, i) * SITE_FRAMES_MOST;
    out->sites = arena_alloc(&b->topology->memory, most, sizeof *out->sites);
    out->types = arena_alloc(b->scratch, most, sizeof *out->types);
    if (!out->sites || !out->types) return SHOAL_E_MEMORY;
    SHOAL_TRY(find_bonds(b, &bonds));
    for (int32_t i = 0; i < b->mol->n_atoms; ++i) {
        const char *name = topology_table_type(b, i)->name;
        for (int32_t k = 0; k < m->settings.n_sites; ++k) {
            const shoal_site_rule *rule = &m->settings.sites[k];
            if (strcmp(rule->host, name) != 0) continue;
            const int32_t n = site_frames_find(&bonds, i, rule, out->sites + out->n);
            for (int32_t s = 0; s < n; ++s)
                out->types[out->n + s] = shoal_atom_types_find(m->types, rule->site);
            out->n += n;
        }
    }
    return SHOAL_OK;
}

/* An array of atoms that goes on with the sites, zero there. */
static void *extend(arena *memory, const void *from, int32_t n, int32_t n_sites, size_t size)
{
    char *to = arena_alloc(memory, (size_t)n + (size_t)n_sites, size);
    if (to && n > 0) memcpy(to, from, (size_t)n * size);
    return to;
}

static shoal_status extend_atoms(const uff_builder *b, const site_list *list)
{
    shoal_topology_view *v = &b->topology->view;
    arena *a = &b->topology->memory;
    const int32_t n = v->n_atoms, m = list->n;
    const char **types = extend(a, (const void *)v->types, n, m, sizeof *types);
    double *x = extend(a, v->vdw_x, n, m, sizeof *x), *d = extend(a, v->vdw_d, n, m, sizeof *d);
    double *q = extend(a, v->charges, n, m, sizeof *q), *h = extend(a, v->hbonds, n, m, sizeof *h);
    if (!types || !x || !d || !q || !h) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < m; ++s) {
        const shoal_atom_type *type =
            shoal_atom_types_get(b->options->model->types, list->types[s]);
        types[n + s] = type->name;
        x[n + s] = 1.0; /* of a depth of zero */
        q[n + s] = type->q;
        q[list->sites[s].host] -= type->q;
    }
    v->types = types;
    v->vdw_x = x;
    v->vdw_d = d;
    v->charges = q;
    v->hbonds = h;
    return SHOAL_OK;
}

/* Where the exclusions of a topology with sites are written; start is filled as they come. */
typedef struct exclusion_writer {
    shoal_image *to; /* NULL: they are counted */
    int32_t n;
} exclusion_writer;

static void write_exclusion(exclusion_writer *w, int32_t atom, const int32_t shift[3])
{
    if (w->to) {
        w->to[w->n].atom = atom;
        memcpy(w->to[w->n].shift, shift, sizeof w->to->shift);
    }
    ++w->n;
}

/* The sites of an atom are first[atom] .. first[atom + 1]: sites come in the order of their atoms. */
static const int32_t *first_sites(const shoal_topology_view *v, arena *scratch)
{
    int32_t *first = arena_alloc(scratch, (size_t)v->n_atoms + 1, sizeof *first);
    for (int32_t s = 0; first && s < v->n_sites; ++s) ++first[v->sites[s].host + 1];
    for (int32_t i = 0; first && i < v->n_atoms; ++i) first[i + 1] += first[i];
    return first;
}

/* Sites of one partner of an atom in the images from[n]; of the atom itself also those at home, without self. */
static void write_sites_of(exclusion_writer *w, const shoal_topology_view *v, const int32_t *first,
                           int32_t partner, const shoal_image *from, int32_t n, int32_t atom,
                           int32_t self)
{
    static const int32_t home[3] = {0};
    for (int32_t s = first[partner]; s < first[partner + 1]; ++s) {
        const int32_t site = v->n_atoms + s;
        if (partner == atom && site != self) write_exclusion(w, site, home);
        for (int32_t k = 0; k < n; ++k) write_exclusion(w, site, from[k].shift);
    }
}

/* Sites of all partners of an atom, its own among them, by their numbers. */
static void write_sites(exclusion_writer *w, const shoal_topology_view *v, const int32_t *first,
                        int32_t atom, int32_t self)
{
    const shoal_image *old = v->excluded;
    const int32_t end = v->exclude_start[atom + 1];
    bool own = false;
    for (int32_t e = v->exclude_start[atom], next; e < end; e = next) {
        const int32_t partner = old[e].atom;
        for (next = e; next < end && old[next].atom == partner;) ++next;
        if (!own && partner > atom) write_sites_of(w, v, first, atom, NULL, 0, atom, self);
        own = own || partner >= atom;
        write_sites_of(w, v, first, partner, old + e, next - e, atom, self);
    }
    if (!own) write_sites_of(w, v, first, atom, NULL, 0, atom, self);
}

/* A site has no pair where its atom has none, and none with its atom. self: the particle whose list it is. */
static void write_partners(exclusion_writer *w, const shoal_topology_view *v, const int32_t *first,
                           int32_t atom, int32_t self)
{
    static const int32_t home[3] = {0};
    const shoal_image *old = v->excluded;
    bool own = self == atom; /* the atom itself is in no list of its own */
    for (int32_t e = v->exclude_start[atom]; e < v->exclude_start[atom + 1]; ++e) {
        if (!own && old[e].atom > atom) {
            write_exclusion(w, atom, home);
            own = true;
        }
        write_exclusion(w, old[e].atom, old[e].shift);
    }
    if (!own) write_exclusion(w, atom, home);
    write_sites(w, v, first, atom, self);
}

static void write_all(exclusion_writer *w, const shoal_topology_view *v, const int32_t *first,
                      int32_t *start)
{
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) {
        start[i] = w->n;
        write_partners(w, v, first, i < v->n_atoms ? i : v->sites[i - v->n_atoms].host, i);
    }
    start[v->n_atoms + v->n_sites] = w->n;
}

static shoal_status extend_exclusions(shoal_topology *t, arena *scratch)
{
    shoal_topology_view *v = &t->view;
    int32_t *start = arena_alloc(&t->memory, (size_t)(v->n_atoms + v->n_sites) + 1, sizeof *start);
    const int32_t *first = first_sites(v, scratch);
    exclusion_writer count = {0};
    if (!start || !first) return SHOAL_E_MEMORY;
    write_all(&count, v, first, start);
    exclusion_writer w = {arena_alloc(&t->memory, (size_t)count.n, sizeof *w.to), 0};
    if (!w.to) return SHOAL_E_MEMORY;
    write_all(&w, v, first, start);
    v->exclude_start = start;
    v->excluded = w.to;
    return SHOAL_OK;
}

shoal_status topology_add_sites(uff_builder *b)
{
    const shoal_pair_model *m = b->options->model;
    shoal_topology_view *v = &b->topology->view;
    site_list list = {0};
    if (!pair_model_is_plain(m)) v->model = m;
    if (m->settings.n_sites == 0 || b->options->charges == SHOAL_CHARGES_NONE) return SHOAL_OK;
    b->topology->uses_positions = true; /* they say on which side of a pyramid a site is */
    SHOAL_TRY(find_sites(b, &list));
    SHOAL_TRY(extend_atoms(b, &list));
    v->sites = list.sites;
    v->n_sites = list.n;
    v->has_charges = v->has_charges || list.n > 0;
    return list.n > 0 ? extend_exclusions(b->topology, b->scratch) : SHOAL_OK;
}

/* Whether a form divides by R0. */
static bool scales_with_radius(shoal_pair_form form)
{
    return form == SHOAL_FORM_MORSE6 || form == SHOAL_FORM_BUCK6 || form == SHOAL_FORM_EXP6;
}

/* R - c q, q being the charge of an atom together with its sites. */
static shoal_status settle_radii(uff_builder *b)
{
    const shoal_pair_settings *s = &b->options->model->settings;
    const shoal_topology_view *v = &b->topology->view;
    double *x = (double *)v->vdw_x;
    double *whole = arena_alloc(b->scratch, (size_t)v->n_atoms, sizeof *whole);
    if (!whole) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms; ++i) whole[i] = v->charges[i];
    for (int32_t k = 0; k < v->n_sites; ++k) whole[v->sites[k].host] += v->charges[v->n_atoms + k];
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        if (s->radius_charge != 0.0) x[i] -= 2.0 * s->radius_charge * whole[i];
        if (!(x[i] > 0.0))
            return topology_reject(b->topology,
                                   "atom %d (%s): with its charge of %g e the pair model gives it "
                                   "a radius of %g angstrom",
                                   (int)i, element_get(v->elements[i])->symbol, whole[i],
                                   0.5 * x[i]);
    }
    return SHOAL_OK;
}

shoal_status topology_settle_charges(uff_builder *b)
{
    const shoal_pair_settings *s = &b->options->model->settings;
    const shoal_topology_view *v = &b->topology->view;
    double *q = (double *)v->charges;
    if (s->radius_charge != 0.0 || scales_with_radius(s->form)) SHOAL_TRY(settle_radii(b));
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) q[i] *= sqrt(s->lambda);
    topology_settle_14(b->topology);
    return SHOAL_OK;
}
