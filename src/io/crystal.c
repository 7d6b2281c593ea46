/* SPDX-License-Identifier: BSD-3-Clause
 * From the sites of a crystal to the atoms of its cell: disorder, symmetry, special positions. */
#include "io/crystal.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "chem/cell.h"
#include "geom/vector.h"

/* Images of a site nearer than that are one atom, angstrom: coordinates of special positions have few digits. */
static const double SAME = 0.1;
/* No two atoms are nearer, angstrom. */
static const double CLOSEST = 0.5;
/* Of sites times the square of operations: an hour of work is not hidden in a small file. */
static const double MOST_WORK = 2e8;

void crystal_clear(crystal *c)
{
    c->n_sites = c->n_bonds = c->n_listed = c->group.n = c->n_found = 0;
}

void crystal_free(crystal *c)
{
    free(c->sites);
    free(c->bonds);
    free(c->frac);
    free(c->by_label);
    free(c->found);
    *c = (crystal){0};
}

/* --- disorder ------------------------------------------------------------------------------------ */

static bool is_partial(const crystal_site *s)
{
    return s->occupancy < 0.99;
}

const crystal_site *crystal_disordered(const crystal *c)
{
    const crystal_site *first = NULL;
    for (int32_t i = 0; i < c->n_sites; ++i) {
        const crystal_site *s = &c->sites[i];
        if (is_partial(s) || s->group < 0) return s;
        if (s->group == 0) continue;
        if (first && first->group != s->group) return s;
        if (!first) first = s;
    }
    return NULL;
}

static bool is_same_assembly(const crystal_site *a, const crystal_site *b)
{
    return a->assembly.size == b->assembly.size &&
           memcmp(a->assembly.text, b->assembly.text, a->assembly.size) == 0;
}

/* How much of an assembly a group is: the mean occupancy of its sites. */
static double share_of(const crystal *c, const crystal_site *of)
{
    double sum = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_sites; ++i) {
        const crystal_site *s = &c->sites[i];
        if (s->group != of->group || !is_same_assembly(s, of)) continue;
        sum += s->occupancy;
        ++n;
    }
    return sum / n;
}

enum { MOST_GROUPS = 512 };

typedef struct disorder_group {
    const crystal_site *site;
    double share;
} disorder_group;

/* All groups of all assemblies; -1 if they are too many. */
static int list_groups(const crystal *c, disorder_group groups[MOST_GROUPS])
{
    int n = 0;
    for (int32_t i = 0; i < c->n_sites; ++i) {
        const crystal_site *s = &c->sites[i];
        int k = 0;
        if (s->group == 0) continue;
        while (k < n && !(groups[k].site->group == s->group && is_same_assembly(groups[k].site, s)))
            ++k;
        if (k < n) continue;
        if (n == MOST_GROUPS) return -1;
        groups[n++] = (disorder_group){s, share_of(c, s)};
    }
    return n;
}

/* Shares of more than 1 are those of several assemblies without a name. */
static bool are_alternatives(const crystal_site *s, const disorder_group *groups, int n)
{
    double sum = 0;
    int members = 0;
    for (int k = 0; k < n; ++k)
        if (is_same_assembly(groups[k].site, s)) {
            sum += groups[k].share;
            ++members;
        }
    return members < 3 || sum < 1.05;
}

/* Whether the group of a site is the largest of its assembly, and larger than nothing; of equal ones the first number. */
static bool is_major(const crystal_site *s, const disorder_group *groups, int n)
{
    double own = 0, sum = 0;
    for (int k = 0; k < n; ++k) {
        if (!is_same_assembly(groups[k].site, s)) continue;
        sum += groups[k].share;
        if (groups[k].site->group == s->group) own = groups[k].share;
    }
    if (1 - sum > own + 1e-6) return false;
    for (int k = 0; k < n; ++k) {
        const crystal_site *other = groups[k].site;
        if (other->group == s->group || !is_same_assembly(other, s)) continue;
        if (groups[k].share > own + 1e-6) return false;
        if (groups[k].share > own - 1e-6 && other->group < s->group) return false;
    }
    return true;
}

bool crystal_keep_major(crystal *c, const crystal_site **where)
{
    disorder_group groups[MOST_GROUPS];
    const int n = list_groups(c, groups);
    for (int32_t i = 0; i < c->n_sites; ++i) {
        crystal_site *s = &c->sites[i];
        *where = s;
        if (n < 0 || s->group < 0) return false;
        if (s->group > 0 && !are_alternatives(s, groups, n)) return false;
        s->dropped = s->group > 0 ? !is_major(s, groups, n) : s->occupancy < 0.5;
    }
    return true;
}

/* --- symmetry ------------------------------------------------------------------------------------ */

/* Distance of the nearest images; the cell is wider than twice the distances that matter. */
static double distance(const crystal *c, const double a[3], const double b[3])
{
    double d[3], r[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = b[k] - a[k];
        d[k] -= round(d[k]);
    }
    for (int k = 0; k < 3; ++k)
        r[k] = d[0] * c->cell[0][k] + d[1] * c->cell[1][k] + d[2] * c->cell[2][k];
    return vector_norm(r);
}

static shoal_status add_atom(crystal *c, shoal_molecule *mol, const crystal_site *s,
                             const double f[3])
{
    double pos[3];
    const int32_t i = mol->n_atoms;
    SHOAL_TRY(SHOAL_RESERVE(&c->frac, &c->frac_capacity, i + 1));
    memcpy(c->frac[i], f, sizeof c->frac[i]);
    for (int k = 0; k < 3; ++k)
        pos[k] = f[0] * c->cell[0][k] + f[1] * c->cell[1][k] + f[2] * c->cell[2][k];
    SHOAL_TRY(shoal_molecule_add_atom(mol, s->z, pos));
    if (s->has_charge) mol->charge[i] = s->charge;
    mol->formal_charge[i] = s->formal_charge;
    return molecule_set_mark(&mol->isotope, i, s->isotope);
}

/* The first image is where the file has it, the others are in the cell. */
static shoal_status expand_site(crystal *c, shoal_molecule *mol, crystal_site *s)
{
    s->first = mol->n_atoms;
    SHOAL_TRY(add_atom(c, mol, s, s->frac));
    for (int32_t o = 0; o < c->group.n; ++o) {
        double f[3];
        bool known = false;
        symmetry_apply(&c->group.ops[o], s->frac, f);
        for (int k = 0; k < 3; ++k) f[k] -= floor(f[k]);
        for (int32_t i = s->first; i < mol->n_atoms && !known; ++i)
            known = distance(c, c->frac[i], f) < SAME;
        if (!known) SHOAL_TRY(add_atom(c, mol, s, f));
    }
    s->n = mol->n_atoms - s->first;
    if (c->group.n % s->n == 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_FORMAT,
                      "%d operations give it %d images, of which some are nearly one: it is beside "
                      "a special position",
                      c->group.n, s->n);
}

/* --- contacts ------------------------------------------------------------------------------------ */

typedef struct contact_grid {
    int32_t m[3];
    int32_t *head, *next;
} contact_grid;

/* Bins at least CLOSEST wide, about as many as atoms. */
static void choose_bins(const crystal *c, int32_t n, contact_grid *g)
{
    double dual[3][3], height[3], size = CLOSEST;
    cell_dual((const double(*)[3])c->cell, dual, height);
    for (double bins = INFINITY; bins > 4.0 * n + 64; size *= 1.25) {
        bins = 1;
        for (int k = 0; k < 3; ++k) {
            const double m = floor(height[k] / size);
            g->m[k] = m < 1 ? 1 : m > 4096 ? 4096 : (int32_t)m;
            bins *= g->m[k];
        }
    }
}

static int32_t bin_of(const contact_grid *g, const double f[3], int32_t at[3])
{
    for (int k = 0; k < 3; ++k) {
        at[k] = (int32_t)((f[k] - floor(f[k])) * g->m[k]);
        if (at[k] >= g->m[k]) at[k] = g->m[k] - 1;
    }
    return (at[0] * g->m[1] + at[1]) * g->m[2] + at[2];
}

/* An atom before i that is too near to it, -1 without one. Bins that are one another's neighbours on both sides are
 * looked at more than once. */
static int32_t find_near(const crystal *c, const contact_grid *g, int32_t i)
{
    int32_t at[3];
    (void)bin_of(g, c->frac[i], at);
    for (int d = 0; d < 27; ++d) {
        const int32_t x = (at[0] + d / 9 - 1 + g->m[0]) % g->m[0];
        const int32_t y = (at[1] + d / 3 % 3 - 1 + g->m[1]) % g->m[1];
        const int32_t z = (at[2] + d % 3 - 1 + g->m[2]) % g->m[2];
        for (int32_t j = g->head[(x * g->m[1] + y) * g->m[2] + z]; j >= 0; j = g->next[j])
            if (distance(c, c->frac[i], c->frac[j]) < CLOSEST) return j;
    }
    return -1;
}

static const crystal_site *site_of(const crystal *c, int32_t atom)
{
    for (int32_t k = 0; k < c->n_sites; ++k)
        if (!c->sites[k].dropped && atom >= c->sites[k].first &&
            atom < c->sites[k].first + c->sites[k].n)
            return &c->sites[k];
    return &c->sites[0];
}

static shoal_status tell_near(const crystal *c, int32_t i, int32_t j, const crystal_site **where)
{
    const crystal_site *b = site_of(c, j);
    *where = site_of(c, i);
    return shoal_fail(SHOAL_E_FORMAT,
                      "%.3f A from %s%.*s, expected %g or more; disorder, or listed twice?",
                      distance(c, c->frac[i], c->frac[j]), *where == b ? "an image of " : "",
                      b->label.size < 40 ? (int)b->label.size : 40, b->label.text, CLOSEST);
}

static shoal_status check_contacts(const crystal *c, int32_t n, const crystal_site **where)
{
    contact_grid g = {.m = {1, 1, 1}};
    int32_t at[3];
    choose_bins(c, n, &g);
    const size_t n_bins = (size_t)g.m[0] * (size_t)g.m[1] * (size_t)g.m[2];
    g.head = shoal_alloc(n_bins, sizeof *g.head);
    g.next = shoal_alloc((size_t)n, sizeof *g.next);
    shoal_status status = g.head && g.next ? SHOAL_OK : SHOAL_E_MEMORY;
    for (size_t b = 0; b < n_bins && status == SHOAL_OK; ++b) g.head[b] = -1;
    for (int32_t i = 0; i < n && status == SHOAL_OK; ++i) {
        const int32_t near = find_near(c, &g, i), bin = bin_of(&g, c->frac[i], at);
        if (near >= 0) status = tell_near(c, i, near, where);
        g.next[i] = g.head[bin];
        g.head[bin] = i;
    }
    free(g.head);
    free(g.next);
    return status;
}

/* Lengths and angles are the same after every operation. */
static bool fits_cell(const crystal *c)
{
    double g[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) g[i][j] = vector_dot(c->cell[i], c->cell[j]);
    for (int32_t o = 0; o < c->group.n; ++o)
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double sum = 0;
                for (int k = 0; k < 3; ++k)
                    for (int l = 0; l < 3; ++l)
                        sum += c->group.ops[o].turn[k][i] * g[k][l] * c->group.ops[o].turn[l][j];
                if (!(fabs(sum - g[i][j]) < 0.02 * sqrt(g[i][i] * g[j][j]))) return false;
            }
    return true;
}

shoal_status crystal_expand(crystal *c, shoal_molecule *mol, const crystal_site **where)
{
    static const bool pbc[3] = {true, true, true};
    double dual[3][3], height[3];
    *where = NULL;
    SHOAL_TRY(shoal_molecule_set_cell(mol, (const double(*)[3])c->cell, pbc));
    cell_dual((const double(*)[3])c->cell, dual, height);
    for (int k = 0; k < 3; ++k)
        if (!(height[k] >= 2 * CLOSEST))
            return shoal_fail(SHOAL_E_FORMAT, "the cell is %g A wide, expected %g or more",
                              height[k], 2 * CLOSEST);
    if (!fits_cell(c))
        return shoal_fail(SHOAL_E_FORMAT,
                          "the lengths and angles of the cell are not those of its space group");
    if (c->group.n > 1 && (double)c->n_sites * c->group.n * c->group.n > MOST_WORK)
        return shoal_fail(SHOAL_E_FORMAT, "%d sites with %d operations are too many", c->n_sites,
                          c->group.n);
    for (int32_t i = 0; i < c->n_sites; ++i) {
        *where = &c->sites[i];
        if (!c->sites[i].dropped) SHOAL_TRY(expand_site(c, mol, &c->sites[i]));
    }
    *where = NULL;
    if (mol->n_atoms == 0) return SHOAL_OK;
    return check_contacts(c, mol->n_atoms, where);
}
