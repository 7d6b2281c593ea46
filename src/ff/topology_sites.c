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

/* Sites of all atoms, in their order and that of the rules. */
static shoal_status find_sites(const uff_builder *b, site_list *out)
{
    const shoal_pair_model *m = b->options->model;
    const size_t most = (size_t)b->mol->n_atoms * (size_t)m->settings.n_sites * SITE_FRAMES_MOST;
    site_bonds bonds;
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

/* A site has no pair where its atom has none, and none with its atom. self: the particle whose list it is. */
static void write_partners(exclusion_writer *w, const shoal_topology_view *v, int32_t atom,
                           int32_t self)
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
    for (int32_t s = 0; s < v->n_sites; ++s) {
        const int32_t host = v->sites[s].host;
        if (host == atom && v->n_atoms + s != self) write_exclusion(w, v->n_atoms + s, home);
        for (int32_t e = v->exclude_start[atom]; e < v->exclude_start[atom + 1]; ++e)
            if (old[e].atom == host) write_exclusion(w, v->n_atoms + s, old[e].shift);
    }
}

static void write_all(exclusion_writer *w, const shoal_topology_view *v, int32_t *start)
{
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) {
        start[i] = w->n;
        write_partners(w, v, i < v->n_atoms ? i : v->sites[i - v->n_atoms].host, i);
    }
    start[v->n_atoms + v->n_sites] = w->n;
}

static shoal_status extend_exclusions(shoal_topology *t)
{
    shoal_topology_view *v = &t->view;
    int32_t *start = arena_alloc(&t->memory, (size_t)(v->n_atoms + v->n_sites) + 1, sizeof *start);
    exclusion_writer count = {0};
    if (!start) return SHOAL_E_MEMORY;
    write_all(&count, v, start);
    exclusion_writer w = {arena_alloc(&t->memory, (size_t)count.n, sizeof *w.to), 0};
    if (!w.to) return SHOAL_E_MEMORY;
    write_all(&w, v, start);
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
    return list.n > 0 ? extend_exclusions(b->topology) : SHOAL_OK;
}

/* The charge of an atom together with its sites. */
static double whole_charge(const shoal_topology_view *v, int32_t atom)
{
    double q = v->charges[atom];
    for (int32_t s = 0; s < v->n_sites; ++s)
        if (v->sites[s].host == atom) q += v->charges[v->n_atoms + s];
    return q;
}

shoal_status topology_settle_charges(uff_builder *b)
{
    const shoal_pair_settings *s = &b->options->model->settings;
    const shoal_topology_view *v = &b->topology->view;
    double *x = (double *)v->vdw_x, *q = (double *)v->charges;
    for (int32_t i = 0; s->radius_charge != 0.0 && i < v->n_atoms; ++i) {
        x[i] -= 2.0 * s->radius_charge * whole_charge(v, i);
        if (!(x[i] > 0.0))
            return topology_reject(b->topology,
                                   "atom %d (%s): with its charge of %g e the pair model gives it "
                                   "a radius of %g angstrom",
                                   (int)i, element_get(b->mol->element[i])->symbol,
                                   whole_charge(v, i), 0.5 * x[i]);
    }
    for (int32_t i = 0; i < v->n_atoms + v->n_sites; ++i) q[i] *= sqrt(s->lambda);
    topology_settle_14(b->topology);
    return SHOAL_OK;
}
