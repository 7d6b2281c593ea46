/* SPDX-License-Identifier: BSD-3-Clause
 * Bonds from distances: atoms closer than the sum of their covalent radii plus some slack, also
 * across periodic borders; then ions and metals lose theirs (bonds_solids.c), and atoms with too many partners
 * the most stretched ones. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/bonds_inner.h"
#include "chem/cell.h"
#include "chem/element.h"
#include "chem/perceive.h"
#include "geom/vector.h"

/* Slack in angstrom. Crude geometries stretch bonds to hydrogen most; between heavy atoms the
 * diagonals of four-membered rings come close. Ions of groups 1, 2 and 12 sit near their
 * counter-ions without bonds. */
#define SLACK_HYDROGEN 0.45
#define SLACK 0.30
#define SLACK_METAL 0.40
#define SLACK_MOST 0.45
#define SLACK_CONTACT 0.70 /* of atoms of a metal or salt that touch */
#define FEW_SITES 64       /* below this, all pairs are looked at */
#define WIDE 1.12          /* sums of covalent radii: this may be a gap */
#define ALIKE 0.005        /* of the same: widths that differ by less say nothing */
#define TOO_CLOSE 0.30     /* angstrom: coincident atoms are an error of the input, not a bond */

/* A copy of an atom in some cell, near enough to the home cell to bond into it. */
typedef struct site {
    double pos[3];
    int32_t atom;
    int32_t shift[3]; /* of this copy relative to the atom's given coordinates */
} site;

typedef struct bond_search {
    const shoal_molecule *mol;
    double scale, slack;
    double reach; /* angstrom, longest bond or contact possible here */
    bool metals;  /* there are some */
    site *sites;  /* home copies first */
    int32_t n_sites, site_capacity;
    bond_pair *pairs;
    int32_t n_pairs, pair_capacity;
} bond_search;

static double bond_limit(const bond_search *s, int32_t zi, int32_t zj)
{
    double slack = SLACK;
    if (zi == 1 || zj == 1) slack = SLACK_HYDROGEN;
    if (element_is_metal(zi) || element_is_metal(zj))
        slack = element_get(zi)->outer > 2 && element_get(zj)->outer > 2 ? SLACK_METAL : SLACK;
    if (s->slack > 0) slack = s->slack;
    return s->scale * (element_get(zi)->radius + element_get(zj)->radius) + slack;
}

/* Whether two atoms, one of them a metal, r2 square angstrom apart are neighbours without a bond. */
static bool touches(const bond_search *s, int32_t zi, int32_t zj, double r2)
{
    if (!s->metals || (!element_is_metal(zi) && !element_is_metal(zj))) return false;
    const double limit =
        s->scale * (element_get(zi)->radius + element_get(zj)->radius) + SLACK_CONTACT;
    return r2 < limit * limit;
}

static shoal_status add_site(bond_search *s, int32_t atom, const int32_t shift[3])
{
    SHOAL_TRY(SHOAL_RESERVE(&s->sites, &s->site_capacity, s->n_sites + 1));
    site *t = &s->sites[s->n_sites++];
    t->atom = atom;
    memcpy(t->shift, shift, sizeof t->shift);
    for (int c = 0; c < 3; ++c) {
        t->pos[c] = s->mol->pos[atom][c];
        for (int k = 0; k < 3; ++k) t->pos[c] += shift[k] * s->mol->cell[k][c];
    }
    return SHOAL_OK;
}

/* Copies of all atoms in the home cell, then those within reach of it. */
static shoal_status make_sites(bond_search *s)
{
    const shoal_molecule *mol = s->mol;
    const int32_t none[3] = {0, 0, 0};
    if (!shoal_molecule_is_periodic(mol)) {
        for (int32_t i = 0; i < mol->n_atoms; ++i) SHOAL_TRY(add_site(s, i, none));
        return SHOAL_OK;
    }
    double full[3][3], dual[3][3], height[3], margin[3];
    cell_complete((const double(*)[3])mol->cell, mol->pbc, full);
    cell_dual((const double(*)[3])full, dual, height);
    for (int k = 0; k < 3; ++k) margin[k] = mol->pbc[k] ? s->reach / height[k] : 0;
    for (int home = 1; home >= 0; --home) {
        for (int32_t i = 0; i < mol->n_atoms; ++i) {
            int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, base[3] = {0, 0, 0};
            for (int k = 0; k < 3; ++k) {
                const double f = vector_dot(dual[k], mol->pos[i]);
                if (!mol->pbc[k] || !(fabs(f) < 1e6)) continue;
                base[k] = (int32_t)-floor(f);
                low[k] = (int32_t)ceil(-margin[k] - f);
                high[k] = (int32_t)floor(1 + margin[k] - f);
            }
            if (home) {
                SHOAL_TRY(add_site(s, i, base));
                continue;
            }
            for (int32_t a = low[0]; a <= high[0]; ++a)
                for (int32_t b = low[1]; b <= high[1]; ++b)
                    for (int32_t c = low[2]; c <= high[2]; ++c) {
                        const int32_t shift[3] = {a, b, c};
                        if (memcmp(shift, base, sizeof shift) == 0) continue;
                        SHOAL_TRY(add_site(s, i, shift));
                    }
        }
    }
    return SHOAL_OK;
}

static double distance2(const site *a, const site *b)
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) r2 += (b->pos[c] - a->pos[c]) * (b->pos[c] - a->pos[c]);
    return r2;
}

/* Records the bond of a home copy to another copy if they are close enough; every bond once. */
static shoal_status try_pair(bond_search *s, int32_t home, int32_t other)
{
    const site *a = &s->sites[home], *b = &s->sites[other];
    const double r2 = distance2(a, b);
    if (b->atom < a->atom || !(r2 < s->reach * s->reach)) return SHOAL_OK;
    const int32_t zi = s->mol->element[a->atom], zj = s->mol->element[b->atom];
    const double limit = bond_limit(s, zi, zj);
    const bool contact = !(r2 < limit * limit);
    if ((contact && !touches(s, zi, zj, r2)) || r2 < TOO_CLOSE * TOO_CLOSE) return SHOAL_OK;
    bond_pair p = {.i = a->atom, .j = b->atom, .hydrogen = zi == 1 || zj == 1, .contact = contact};
    for (int k = 0; k < 3; ++k) p.shift[k] = b->shift[k] - a->shift[k];
    if (p.i == p.j) { /* of the two directions to an own image keep the positive one */
        const int32_t *t = p.shift;
        const int32_t sign = t[0] ? t[0] : t[1] ? t[1] : t[2];
        if (sign <= 0) return SHOAL_OK;
    }
    p.stretch = sqrt(r2) / (element_get(zi)->radius + element_get(zj)->radius);
    SHOAL_TRY(SHOAL_RESERVE(&s->pairs, &s->pair_capacity, s->n_pairs + 1));
    s->pairs[s->n_pairs++] = p;
    return SHOAL_OK;
}

/* Sites by grid cell, hashed, so that an atom far away costs nothing. */
typedef struct cell_grid {
    double step;          /* angstrom, at least the reach */
    uint32_t mask;        /* number of buckets less one */
    int32_t *head, *next; /* chains of sites by bucket */
    int32_t (*cell)[3];   /* of every site */
} cell_grid;

static uint32_t bucket_of(const cell_grid *g, const int32_t cell[3])
{
    const uint32_t h = (uint32_t)cell[0] * 73856093u ^ (uint32_t)cell[1] * 19349663u ^
                       (uint32_t)cell[2] * 83492791u;
    return (h ^ h >> 15) & g->mask;
}

/* False for a position that no grid cell has a number for. */
static bool find_cell(const cell_grid *g, const double pos[3], int32_t cell[3])
{
    for (int c = 0; c < 3; ++c) {
        const double t = floor(pos[c] / g->step);
        if (!(fabs(t) < 1e9)) return false;
        cell[c] = (int32_t)t;
    }
    return true;
}

static shoal_status make_grid(cell_grid *g, const bond_search *s)
{
    uint32_t size = 64;
    while (size < 2 * (uint32_t)s->n_sites) size *= 2;
    g->step = s->reach;
    g->mask = size - 1;
    g->head = shoal_alloc(size, sizeof *g->head);
    g->next = shoal_alloc((size_t)s->n_sites, sizeof *g->next);
    g->cell = shoal_alloc((size_t)s->n_sites, sizeof *g->cell);
    if (!g->head || !g->next || !g->cell) return SHOAL_E_MEMORY;
    for (uint32_t k = 0; k < size; ++k) g->head[k] = -1;
    for (int32_t k = s->n_sites - 1; k >= 0; --k) {
        if (!find_cell(g, s->sites[k].pos, g->cell[k])) continue;
        const uint32_t bucket = bucket_of(g, g->cell[k]);
        g->next[k] = g->head[bucket];
        g->head[bucket] = k;
    }
    return SHOAL_OK;
}

/* Pairs of a home copy with the copies in one grid cell. */
static shoal_status search_cell(bond_search *s, const cell_grid *g, int32_t home,
                                const int32_t cell[3])
{
    for (int32_t k = g->head[bucket_of(g, cell)]; k >= 0; k = g->next[k])
        if (k != home && memcmp(g->cell[k], cell, sizeof g->cell[k]) == 0)
            SHOAL_TRY(try_pair(s, home, k));
    return SHOAL_OK;
}

static shoal_status search_grid(bond_search *s, const cell_grid *g)
{
    for (int32_t home = 0; home < s->mol->n_atoms; ++home) {
        int32_t at[3];
        if (!find_cell(g, s->sites[home].pos, at)) continue;
        for (int32_t x = at[0] - 1; x <= at[0] + 1; ++x)
            for (int32_t y = at[1] - 1; y <= at[1] + 1; ++y)
                for (int32_t z = at[2] - 1; z <= at[2] + 1; ++z)
                    SHOAL_TRY(search_cell(s, g, home, (const int32_t[3]){x, y, z}));
    }
    return SHOAL_OK;
}

static shoal_status find_pairs(bond_search *s)
{
    if (s->n_sites <= FEW_SITES) {
        const double reach2 = s->reach * s->reach;
        for (int32_t home = 0; home < s->mol->n_atoms; ++home)
            for (int32_t k = home + 1; k < s->n_sites; ++k) /* home copies below have met it */
                if (distance2(&s->sites[home], &s->sites[k]) < reach2)
                    SHOAL_TRY(try_pair(s, home, k));
        return SHOAL_OK;
    }
    cell_grid g = {.head = NULL};
    shoal_status status = make_grid(&g, s);
    if (status == SHOAL_OK) status = search_grid(s, &g);
    free(g.head);
    free(g.next);
    free(g.cell);
    return status;
}

/* Most partners an atom can have among non-metals; metals do not count and are not counted. */
static int32_t most_partners(int32_t z)
{
    /* clang-format off */
    switch (z) {
    case 1: case 9: return 1;
    case 6: case 7: return 4;
    case 8: return 3;
    default: return INT32_MAX;
    }
    /* clang-format on */
}

/* Boron clusters, bridging hydrogen and metals bond to more partners than valences count. */
static bool counts_as_partner(int32_t z, int32_t partner)
{
    if (element_is_metal(partner)) return false;
    return !(partner == 5 && (z == 1 || z == 6));
}

/* Bonds to hydrogen come first: they may be stretched more than the gap across a small ring. */
static int compare_stretch(const void *a, const void *b)
{
    const bond_pair *x = a, *y = b;
    if (x->hydrogen != y->hydrogen) return x->hydrogen ? -1 : 1;
    if (x->stretch != y->stretch) return x->stretch < y->stretch ? -1 : 1;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    if (x->j != y->j) return x->j < y->j ? -1 : 1;
    return memcmp(x->shift, y->shift, sizeof x->shift);
}

static int compare_atoms(const void *a, const void *b)
{
    const bond_pair *x = a, *y = b;
    if (x->i != y->i) return x->i < y->i ? -1 : 1;
    if (x->j != y->j) return x->j < y->j ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (x->shift[k] != y->shift[k]) return x->shift[k] < y->shift[k] ? -1 : 1;
    return 0;
}

/* Carbon and nitrogen with four partners have no electrons left for a metal nearby. */
static bool is_saturated(int32_t z, int32_t n_partners)
{
    return (z == 6 || z == 7) && n_partners >= most_partners(z);
}

static bool is_halogen(int32_t z)
{
    return z == 9 || z == 17 || z == 35 || z == 53 || z == 85;
}

static void take_pair(bond_pair *p, const shoal_molecule *mol, int32_t *count)
{
    const int32_t zi = mol->element[p->i], zj = mol->element[p->j];
    const bool ci = counts_as_partner(zi, zj), cj = counts_as_partner(zj, zi);
    const bool full_i = count[p->i] >= most_partners(zi), full_j = count[p->j] >= most_partners(zj);
    if (element_is_metal(zi) || element_is_metal(zj))
        p->dropped = is_saturated(zi, count[p->i]) || is_saturated(zj, count[p->j]);
    else
        p->dropped = (ci && full_i) || (cj && full_j);
    /* Two halogens that have partners only touch. */
    if (is_halogen(zi) && is_halogen(zj) && count[p->i] > 0 && count[p->j] > 0) p->dropped = true;
    if (p->dropped) return;
    count[p->i] += ci;
    count[p->j] += cj;
}

/* Of two gaps across a small ring that are equally wide, rounding would say which one is a bond: neither is. They are next to
 * each other in the order above. */
static void drop_ties(bond_search *s, int32_t dropped)
{
    const bond_pair *p = &s->pairs[dropped];
    const int32_t *z = s->mol->element;
    if (p->hydrogen || p->stretch < WIDE) return;
    for (int32_t k = dropped - 1; k >= 0; --k) {
        bond_pair *q = &s->pairs[k];
        if (q->hydrogen || q->stretch < p->stretch - ALIKE) return;
        const int32_t at = p->i == q->i || p->i == q->j ? p->i : p->j;
        if (at != q->i && at != q->j) continue;
        const int32_t pz = z[p->i + p->j - at], qz = z[q->i + q->j - at];
        q->dropped = q->dropped || (z[at] == 6 && pz == qz);
    }
}

/* Bonds are taken in the order above, those of metals last; one that would overfill an end is
 * dropped. */
static shoal_status prune_pairs(bond_search *s)
{
    const shoal_molecule *mol = s->mol;
    int32_t *count = shoal_alloc((size_t)mol->n_atoms, sizeof *count);
    if (!count) return SHOAL_E_MEMORY;
    qsort(s->pairs, (size_t)s->n_pairs, sizeof *s->pairs, compare_stretch);
    for (int metals = 0; metals < 2; ++metals)
        for (int32_t k = 0; k < s->n_pairs; ++k) {
            bond_pair *p = &s->pairs[k];
            const bool has_metal =
                element_is_metal(mol->element[p->i]) || element_is_metal(mol->element[p->j]);
            if (has_metal != (metals == 1)) continue;
            take_pair(p, mol, count);
            if (p->dropped && !has_metal) drop_ties(s, k);
        }
    free(count);
    qsort(s->pairs, (size_t)s->n_pairs, sizeof *s->pairs, compare_atoms);
    return SHOAL_OK;
}

static shoal_status search(bond_search *s, shoal_molecule *mol)
{
    SHOAL_TRY(make_sites(s));
    SHOAL_TRY(find_pairs(s));
    if (s->metals) SHOAL_TRY(solids_take_out(mol, s->pairs, &s->n_pairs));
    if (s->n_pairs > 0) SHOAL_TRY(prune_pairs(s));
    for (int32_t k = 0; k < s->n_pairs; ++k) {
        const bond_pair *p = &s->pairs[k];
        if (p->dropped) continue;
        SHOAL_TRY(shoal_molecule_add_bond(mol, p->i, p->j, SHOAL_ORDER_UNKNOWN, p->shift));
    }
    mol->has_bonds = true;
    return SHOAL_OK;
}

shoal_status bonds_search(shoal_molecule *mol, const shoal_perceive_options *options)
{
    bond_search s = {.mol = mol, .scale = 1};
    if (options->bond_scale > 0) s.scale = options->bond_scale;
    s.slack = options->bond_slack;
    double largest = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        largest = fmax(largest, element_get(mol->element[i])->radius);
        s.metals = s.metals || element_is_metal(mol->element[i]);
    }
    const double slack = s.metals ? SLACK_CONTACT : SLACK_MOST;
    s.reach = 2 * s.scale * largest + fmax(s.slack, s.slack > 0 && !s.metals ? 0 : slack);
    const shoal_status status = mol->n_atoms > 0 ? search(&s, mol) : SHOAL_OK;
    free(s.sites);
    free(s.pairs);
    return status;
}
