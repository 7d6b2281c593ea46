/* SPDX-License-Identifier: BSD-3-Clause
 * Sites put into the frames of a data set, and frames written with them. */
#include "fit/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/atom_types.h"
#include "io/output.h"

/* Bonded: closer than this many sums of covalent radii. */
static const double bond_stretch = 1.3;

typedef struct new_site {
    int32_t host, type, rule; /* host: atom of the data set before sites are put in */
    double dir[3];
} new_site;

typedef struct site_list {
    new_site *sites;
    int32_t n, capacity;
    const shoal_site_rule *rules;
    int32_t n_rules;
    int32_t (*types)[2];     /* [n_rules] of the atoms, of the sites */
    sites_fragment fragment; /* room for the largest */
} site_list;

shoal_status sites_find_bonds(const shoal_dataset *data, int32_t first, int32_t n, int32_t *n_bonds,
                              int32_t (*bonded)[SITES_MAX_BONDS])
{
    for (int32_t i = 0; i < n; ++i) n_bonds[i] = 0;
    for (int32_t i = 0; i < n; ++i) {
        const double ri = shoal_atom_types_get(data->types, data->type[first + i])->r_covalent;
        for (int32_t j = 0; j < n; ++j) {
            const double rj = shoal_atom_types_get(data->types, data->type[first + j])->r_covalent;
            const double reach = bond_stretch * (ri + rj);
            double r2 = 0.0;
            for (int k = 0; k < 3; ++k) {
                const double d = data->pos[first + i][k] - data->pos[first + j][k];
                r2 += d * d;
            }
            const bool sites = data->host[first + i] >= 0 || data->host[first + j] >= 0;
            if (i == j || sites || r2 >= reach * reach) continue;
            if (n_bonds[i] == SITES_MAX_BONDS)
                return shoal_fail(SHOAL_E_FORMAT,
                                  "atom %d of the data has more than %d neighbours: covalent radii "
                                  "(column 9) of the table too large?",
                                  (int)(first + i + 1), (int)SITES_MAX_BONDS);
            bonded[i][n_bonds[i]++] = j;
        }
    }
    return SHOAL_OK;
}

void sites_list_bonds(const sites_fragment *f)
{
    int32_t n = 0;
    for (int32_t i = 0; i < f->n; ++i) {
        f->start[i] = n;
        for (int32_t k = 0; k < f->n_bonds[i]; ++k) {
            site_bond *b = &f->bonds[n++];
            *b = (site_bond){.atom = f->bonded[i][k]};
            for (int c = 0; c < 3; ++c) b->away[c] = f->pos[b->atom][c] - f->pos[i][c];
        }
    }
    f->start[f->n] = n;
}

int32_t sites_directions(const sites_fragment *f, int32_t atom, const shoal_site_rule *rule,
                         double out[SITE_FRAMES_MOST][3])
{
    const site_bonds bonds = {f->n, f->start, f->bonds};
    shoal_site_rule unit = *rule;
    shoal_site sites[SITE_FRAMES_MOST];
    unit.distance = 1.0;
    const int32_t n = site_frames_find(&bonds, atom, &unit, sites);
    for (int32_t s = 0; s < n; ++s) {
        double arms[3][3];
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < 3; ++c)
                arms[k][c] = f->pos[sites[s].to[k]][c] - f->pos[sites[s].from[k]][c];
        site_frames_place(&sites[s], (const double(*)[3])arms, out[s]);
    }
    return n;
}

/* Sites of the atoms [first, first + n), in their order; those of an atom in the order of the rules. */
static shoal_status collect(const shoal_dataset *data, int32_t first, int32_t n, site_list *list)
{
    sites_fragment f = list->fragment;
    f.n = n;
    f.pos = (const double(*)[3])(data->pos + first);
    SHOAL_TRY(sites_find_bonds(data, first, n, f.n_bonds, f.bonded));
    sites_list_bonds(&f);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t r = 0; r < list->n_rules; ++r) {
            const shoal_site_rule *rule = &list->rules[r];
            double dirs[SITE_FRAMES_MOST][3];
            if (list->types[r][0] != data->type[first + i]) continue;
            const int32_t n_sites = sites_directions(&f, i, rule, dirs);
            SHOAL_TRY(SHOAL_RESERVE(&list->sites, &list->capacity, list->n + n_sites));
            for (int32_t k = 0; k < n_sites; ++k) {
                new_site *site = &list->sites[list->n++];
                *site = (new_site){.host = first + i, .type = list->types[r][1], .rule = r};
                memcpy(site->dir, dirs[k], sizeof site->dir);
            }
        }
    return SHOAL_OK;
}

/* The arrays of a data set while they are written anew. */
typedef struct rewriting {
    const shoal_dataset *old;
    shoal_dataset fresh; /* only its atoms */
    const site_list *list;
    int32_t at; /* next site of the list */
} rewriting;

static void copy_atoms(rewriting *w, int32_t first, int32_t n)
{
    shoal_dataset *to = &w->fresh;
    for (int32_t i = first; i < first + n; ++i) {
        const int32_t k = to->n_atoms++;
        to->type[k] = w->old->type[i];
        to->charge[k] = w->old->charge[i];
        to->host[k] = -1;
        memcpy(to->pos[k], w->old->pos[i], sizeof to->pos[k]);
        memset(to->dir[k], 0, sizeof to->dir[k]);
    }
}

/* Sites whose hosts are the old atoms [first, first + n); shift leads to numbers in the sample. */
static void put_sites(rewriting *w, int32_t first, int32_t n, int32_t shift)
{
    shoal_dataset *to = &w->fresh;
    for (; w->at < w->list->n && w->list->sites[w->at].host < first + n; ++w->at) {
        const new_site *site = &w->list->sites[w->at];
        const int32_t k = to->n_atoms++;
        to->type[k] = site->type;
        to->charge[k] = shoal_atom_types_get(w->old->types, site->type)->q;
        to->host[k] = site->host + shift;
        for (int c = 0; c < 3; ++c) {
            to->dir[k][c] = site->dir[c];
            to->pos[k][c] =
                w->old->pos[site->host][c] + w->list->rules[site->rule].distance * site->dir[c];
        }
    }
}

/* Atoms A, sites A, atoms B, sites B. */
static void rewrite_sample(rewriting *w, fit_sample *s)
{
    const int32_t old_start = s->atom_start, n_a = s->n_first, n_b = s->n_atoms - s->n_first;
    const int32_t start = w->fresh.n_atoms;
    copy_atoms(w, old_start, n_a);
    put_sites(w, old_start, n_a, -old_start);
    const int32_t n_first = w->fresh.n_atoms - start;
    copy_atoms(w, old_start + n_a, n_b);
    put_sites(w, old_start + n_a, n_b, n_first - n_a - old_start);
    s->atom_start = start;
    s->n_first = n_first;
    s->n_atoms = w->fresh.n_atoms - start;
}

static void free_atoms(shoal_dataset *data)
{
    free(data->type);
    free(data->pos);
    free(data->charge);
    free(data->host);
    free(data->dir);
}

static shoal_status insert(shoal_dataset *data, const site_list *list)
{
    rewriting w = {.old = data, .list = list};
    const shoal_status status = dataset_reserve_atoms(&w.fresh, data->n_atoms + list->n);
    if (status != SHOAL_OK) {
        free_atoms(&w.fresh);
        return status;
    }
    for (int32_t s = 0; s < data->n_samples; ++s) rewrite_sample(&w, &data->samples[s]);
    free_atoms(data);
    data->type = w.fresh.type;
    data->pos = w.fresh.pos;
    data->charge = w.fresh.charge;
    data->host = w.fresh.host;
    data->dir = w.fresh.dir;
    data->n_atoms = w.fresh.n_atoms;
    data->atom_capacity = w.fresh.atom_capacity;
    data->has_sites = list->n > 0;
    return SHOAL_OK;
}

static shoal_status collect_all(const shoal_dataset *data, site_list *list)
{
    int32_t most = 0;
    for (int32_t s = 0; s < data->n_samples; ++s)
        if (data->samples[s].n_atoms > most) most = data->samples[s].n_atoms;
    sites_fragment *f = &list->fragment;
    f->n_bonds = shoal_alloc((size_t)most, sizeof *f->n_bonds);
    f->bonded = shoal_alloc((size_t)most, sizeof *f->bonded);
    f->start = shoal_alloc((size_t)most + 1, sizeof *f->start);
    f->bonds = shoal_alloc((size_t)most * SITES_MAX_BONDS, sizeof *f->bonds);
    if (!f->n_bonds || !f->bonded || !f->start || !f->bonds) return SHOAL_E_MEMORY;
    for (int32_t s = 0; s < data->n_samples; ++s) {
        const fit_sample *x = &data->samples[s];
        SHOAL_TRY(collect(data, x->atom_start, x->n_first, list));
        SHOAL_TRY(collect(data, x->atom_start + x->n_first, x->n_atoms - x->n_first, list));
    }
    return SHOAL_OK;
}

static shoal_status check_rule(const shoal_dataset *data, const shoal_site_rule *rule)
{
    const bool named = memchr(rule->host, 0, sizeof rule->host) && rule->host[0] &&
                       memchr(rule->site, 0, sizeof rule->site) && rule->site[0];
    if (!named) return shoal_fail(SHOAL_E_ARGUMENT, "rule of sites: expected names of two types");
    if (shoal_atom_types_find(data->types, rule->host) < 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "sites of type %s: the table has no such type",
                          rule->host);
    if (!(rule->distance > 0.0 && rule->distance < 10.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "distance %g of sites: expected 0 to 10 angstrom",
                          rule->distance);
    if (rule->kind == SHOAL_SITE_LONE_PAIRS && (rule->n < 1 || rule->n > 3))
        return shoal_fail(SHOAL_E_ARGUMENT, "%d lone pairs of type %s: expected 1 to 3",
                          (int)rule->n, rule->host);
    return SHOAL_OK;
}

/* Types of the sites that the table lacks: no radius, no depth, no charge. */
static shoal_status name_types(shoal_dataset *data, site_list *list)
{
    for (int32_t r = 0; r < list->n_rules; ++r) {
        const shoal_site_rule *rule = &list->rules[r];
        SHOAL_TRY(check_rule(data, rule));
        shoal_atom_type type = {.parent = "*", .element = "E", .epair = "*"};
        memcpy(type.name, rule->site, sizeof type.name);
        if (shoal_atom_types_find(data->types, rule->site) < 0)
            SHOAL_TRY(atom_types_append(data->types, &type));
        list->types[r][0] = shoal_atom_types_find(data->types, rule->host);
        list->types[r][1] = shoal_atom_types_find(data->types, rule->site);
    }
    return SHOAL_OK;
}

/* The rules stay with the data: a model that is fitted to them must know them. */
static shoal_status keep_rules(shoal_dataset *data, const site_list *list)
{
    data->site_rules = arena_alloc(&data->memory, (size_t)list->n_rules, sizeof *data->site_rules);
    if (!data->site_rules) return SHOAL_E_MEMORY;
    if (list->n_rules > 0)
        memcpy(data->site_rules, list->rules, (size_t)list->n_rules * sizeof *list->rules);
    data->n_site_rules = list->n_rules;
    return SHOAL_OK;
}

shoal_status sites_put(shoal_dataset *data, const shoal_site_rule *rules, int32_t n_rules)
{
    site_list list = {.rules = rules, .n_rules = n_rules};
    if (data->has_sites) return shoal_fail(SHOAL_E_ARGUMENT, "the data have sites already");
    if (data->n_bonds > 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "the data have increments already: sites come first");
    list.types = shoal_alloc((size_t)n_rules, sizeof *list.types);
    shoal_status status = list.types ? name_types(data, &list) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) status = collect_all(data, &list);
    if (status == SHOAL_OK) status = keep_rules(data, &list);
    if (status == SHOAL_OK) status = insert(data, &list);
    if (status == SHOAL_OK) status = dataset_index(data);
    free(list.sites);
    free(list.types);
    free(list.fragment.n_bonds);
    free(list.fragment.bonded);
    free(list.fragment.start);
    free(list.fragment.bonds);
    return status;
}

shoal_status shoal_dataset_put_sites(shoal_dataset *data, const shoal_site_rule *rules,
                                     int32_t n_rules)
{
    shoal_clear_error();
    SHOAL_NEED(data && rules && n_rules >= 0);
    return sites_put(data, rules, n_rules);
}

static void write_numbers(shoal_output *out, const double *x, int n)
{
    for (int k = 0; k < n; ++k) {
        shoal_output_text(out, " ");
        shoal_output_number(out, x[k]);
    }
}

static void write_frame(shoal_output *out, const shoal_dataset *data, const fit_sample *s)
{
    shoal_output_format(out, "%d\n# n0 %d Etot", (int)s->n_atoms, (int)s->n_first);
    write_numbers(out, &s->reference, 1);
    if (!isnan(s->x0)) {
        shoal_output_text(out, " x0");
        write_numbers(out, &s->x0, 1);
    }
    if (!isnan(s->angle)) {
        shoal_output_text(out, " z");
        write_numbers(out, &s->angle, 1);
    }
    for (int k = 0; k < N_SAPT; ++k) {
        if (isnan(s->sapt[k])) continue;
        shoal_output_format(out, " %s", frame_sapt_keys[k]);
        write_numbers(out, &s->sapt[k], 1);
    }
    if (s->group[0]) shoal_output_format(out, " grp %.200s", s->group);
    shoal_output_format(out, " %.200s\n", s->name);
    for (int32_t i = s->atom_start; i < s->atom_start + s->n_atoms; ++i) {
        shoal_output_text(out, shoal_atom_types_get(data->types, data->type[i])->name);
        write_numbers(out, data->pos[i], 3);
        write_numbers(out, &data->charge[i], 1);
        if (data->has_sites) shoal_output_format(out, " %d", (int)data->host[i]);
        shoal_output_text(out, "\n");
    }
}

shoal_status shoal_dataset_write(const shoal_dataset *data, const char *path)
{
    shoal_output *out = NULL;
    shoal_clear_error();
    SHOAL_NEED(data && path);
    SHOAL_TRY(shoal_output_open(&out, path));
    for (int32_t s = 0; s < data->n_samples; ++s) write_frame(out, data, &data->samples[s]);
    const shoal_status status = shoal_output_close(out);
    shoal_output_destroy(out);
    return status;
}
