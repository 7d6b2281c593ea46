/* SPDX-License-Identifier: BSD-3-Clause
 * Symmetry numbers and mirror images of minima. */
#include "jobs/search_copies.h"

#include <math.h>
#include <string.h>

#include "chem/graph.h"
#include "geom/vector.h"

#define MOST_COPIES 1000000000 /* beyond it common multiples are of no use */

/* --- mirror images -------------------------------------------------------------------------------- */

/* A double bond with one partner of each end, and on which side these are. */
typedef struct stiff_bond {
    int32_t atoms[4];
    bool cis;
} stiff_bond;

/* Whether the ends of a chain of four atoms are on the same side of its middle. */
static bool is_cis(const int32_t at[4], const double (*pos)[3])
{
    double a[3], b[3], c[3], axis;
    vector_subtract(pos[at[0]], pos[at[1]], a);
    vector_subtract(pos[at[2]], pos[at[1]], b);
    vector_subtract(pos[at[3]], pos[at[2]], c);
    axis = vector_dot(b, b);
    return vector_dot(a, c) - vector_dot(a, b) * vector_dot(c, b) / (axis > 0 ? axis : 1) > 0;
}

/* A partner of `atom` other than `other`; -1 where it has none whose place says something. */
static int32_t partner_of(const search_minima *m, const graph *g, int32_t atom, int32_t other)
{
    if (m->symmetry.group_at[atom] >= 0) return -1;
    for (int32_t e = g->start[atom]; e < g->start[atom + 1]; ++e)
        if (g->ends[e].atom != other && g->ends[e].atom < m->n_atoms) return g->ends[e].atom;
    return -1;
}

static int32_t find_stiff(const search_minima *m, const shoal_molecule *mol, const graph *g,
                          stiff_bond *to)
{
    int32_t n = 0;
    for (int32_t b = 0; b < shoal_molecule_n_bonds(mol); ++b) {
        const shoal_bond *bond = &shoal_molecule_bonds(mol)[b];
        if (bond->order != SHOAL_ORDER_DOUBLE || bond->i >= m->n_atoms || bond->j >= m->n_atoms)
            continue;
        stiff_bond s = {.atoms = {partner_of(m, g, bond->i, bond->j), bond->i, bond->j,
                                  partner_of(m, g, bond->j, bond->i)}};
        if (s.atoms[0] < 0 || s.atoms[3] < 0) continue;
        s.cis = is_cis(s.atoms, (const double(*)[3])m->pos);
        to[n++] = s;
    }
    return n;
}

/* +1 or -1: whether the images of a centre's partners stand in an even order of those of its image. */
static int parity(const int32_t from[4], const int32_t to[4], const int32_t *map)
{
    int32_t at[4] = {0};
    int sign = 1;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j)
            if (to[j] == map[from[k]]) at[k] = j;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < k; ++j)
            if (at[j] > at[k]) sign = -sign;
    return sign;
}

/* Like end atoms of a centre can change places, and give it either hand. */
static bool keeps_hands(const search_minima *m, const int32_t *map, const int32_t *centre_at)
{
    for (int32_t c = 0; c < m->n_centres; ++c) {
        const int32_t image = centre_at[map[m->centre_atoms[c]]];
        if (m->symmetry.group_at[m->centre_atoms[c]] >= 0 || m->hand[c] == 0 || image < 0) continue;
        if (-parity(m->centres[c], m->centres[image], map) * m->hand[image] != m->hand[c])
            return false;
    }
    return true;
}

static bool keeps_sides(const search_minima *m, const int32_t *map, const stiff_bond *stiff,
                        int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        int32_t at[4];
        for (int j = 0; j < 4; ++j) at[j] = map[stiff[k].atoms[j]];
        if (is_cis(at, (const double(*)[3])m->pos) != stiff[k].cis) return false;
    }
    return true;
}

shoal_status search_mirror_find(search_minima *m, const shoal_molecule *mol)
{
    graph g;
    arena memory = {0};
    const size_t n = (size_t)m->n_atoms;
    int32_t *centre_at = arena_alloc(&memory, n, sizeof *centre_at);
    stiff_bond *stiff =
        arena_alloc(&memory, (size_t)shoal_molecule_n_bonds(mol) + 1, sizeof *stiff);
    shoal_status status = centre_at && stiff ? graph_build(&g, mol, &memory) : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        const int32_t n_stiff = find_stiff(m, mol, &g, stiff);
        for (int32_t i = 0; i < m->n_atoms; ++i) centre_at[i] = -1;
        for (int32_t c = 0; c < m->n_centres; ++c) centre_at[m->centre_atoms[c]] = c;
        for (int32_t k = 0; k < m->symmetry.n_maps && !m->has_mirror; ++k) {
            const int32_t *map = m->symmetry.maps + (size_t)k * n;
            m->has_mirror = keeps_hands(m, map, centre_at) && keeps_sides(m, map, stiff, n_stiff);
        }
    }
    arena_free(&memory);
    return status;
}

/* --- copies --------------------------------------------------------------------------------------- */

static search_geometry geometry_of(const search_minimum *of)
{
    return (search_geometry){(const double(*)[3])of->pos, of->mean};
}

static bool is_same(search_minima *m, const search_rules *rules, search_geometry g, int32_t j)
{
    return search_rmsd(&m->symmetry, NULL, g, geometry_of(&m->of[m->by_energy[j]]),
                       rules->same_rmsd, m->work) <= rules->same_rmsd;
}

/* Whether one of the n lowest, which may be minimum k of them itself, is the mirror image of that. */
static bool has_twin(search_minima *m, const search_rules *rules, int32_t n, int32_t k)
{
    const search_minimum *of = &m->of[m->by_energy[k]];
    const double low = of->energy - rules->same_energy, high = of->energy + rules->same_energy;
    for (int32_t i = 0; i < m->n_atoms; ++i) {
        memcpy(m->pos[i], of->pos[i], sizeof m->pos[i]);
        m->pos[i][2] = -m->pos[i][2];
    }
    const search_geometry mirror = {(const double(*)[3])m->pos, of->mean};
    for (int32_t j = k; j >= 0 && m->of[m->by_energy[j]].energy >= low; --j)
        if (is_same(m, rules, mirror, j)) return true;
    for (int32_t j = k + 1; j < n && m->of[m->by_energy[j]].energy <= high; ++j)
        if (is_same(m, rules, mirror, j)) return true;
    return false;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

shoal_status search_copies_count(search_minima *m, const search_rules *rules, int32_t n,
                                 int64_t *copies)
{
    int64_t multiple = 1, divisor = 0;
    for (int32_t k = 0; k < n; ++k) {
        copies[k] = search_symmetry_number(&m->symmetry, rules->substrate,
                                           geometry_of(&m->of[m->by_energy[k]]), rules->same_rmsd,
                                           m->work);
        const int64_t more = copies[k] / common_divisor(multiple, copies[k]);
        if (multiple * more > MOST_COPIES)
            return shoal_fail(SHOAL_E_UNSUPPORTED,
                              "search: symmetry numbers without a common multiple");
        multiple *= more;
    }
    for (int32_t k = 0; k < n; ++k) {
        copies[k] = multiple / copies[k];
        if (!rules->substrate && m->has_mirror && !has_twin(m, rules, n, k)) copies[k] *= 2;
        divisor = common_divisor(divisor, copies[k]);
    }
    for (int32_t k = 0; k < n; ++k) copies[k] /= divisor;
    return SHOAL_OK;
}
