/* SPDX-License-Identifier: BSD-3-Clause
 * Combinations, parts and the embedding of a molecule whose minima are bred; and who are parents. */
#include "jobs/search_kin.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

#define MOST_EMBEDDED 400 /* atoms */
#define MOST_COMBINATIONS 1e9
#define START_SHARE 5    /* one in so many is a start, and comes before anything is bred */
#define SAME_ENERGY 5e-4 /* eV: of parents that differ by less the lower one stays */

int32_t search_combinations(const search_rotor *rotor)
{
    return rotor->kept ? 1 : rotor->fold;
}

static void count_combinations(const search_plan *p, int32_t island, search_kin *kin)
{
    const search_joints *j = &p->joints;
    double n = 1;
    for (int32_t k = 0; k < j->n_rotors && n < MOST_COMBINATIONS; ++k)
        n *= search_combinations(&j->rotors[k]);
    for (int32_t k = 0; k < j->n_corners + j->n_pyramids && n < MOST_COMBINATIONS; ++k) n *= 2;
    kin->island = island;
    kin->n_starts = island / START_SHARE;
    if (n <= 1 || n > island / 2) return;
    kin->n_systematic = (int64_t)n;
    kin->stride = (int64_t)(0.61803398874989485 * n) | 1;
    while (search_common_divisor(kin->n_systematic, kin->stride) != 1) kin->stride += 2;
    if (kin->n_starts < kin->n_systematic) kin->n_starts = (int32_t)kin->n_systematic;
}

static shoal_status find_parts(const search_plan *p, const graph *g, search_kin *kin)
{
    const size_t n = (size_t)p->n_atoms;
    int32_t *queue = shoal_alloc(n, sizeof *queue);
    kin->part = shoal_alloc(n, sizeof *kin->part);
    if (!queue || !kin->part) {
        free(queue);
        return SHOAL_E_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) kin->part[i] = -1;
    for (int32_t i = 0; i < p->n_atoms; ++i) {
        int32_t n_queue = 0;
        if (kin->part[i] >= 0) continue;
        kin->part[i] = kin->n_parts;
        queue[n_queue++] = i;
        for (int32_t k = 0; k < n_queue; ++k)
            for (int32_t e = g->start[queue[k]]; e < g->start[queue[k] + 1]; ++e) {
                const int32_t to = g->ends[e].atom;
                if (to >= p->n_atoms || kin->part[to] >= 0) continue;
                kin->part[to] = kin->n_parts;
                queue[n_queue++] = to;
            }
        ++kin->n_parts;
    }
    free(queue);
    return SHOAL_OK;
}

/* The first two end atoms of one element of a centre. */
static void find_like(const shoal_molecule *mol, const graph *g, int32_t centre, int32_t like[2])
{
    like[0] = like[1] = -1;
    for (int32_t e = g->start[centre]; e < g->start[centre + 1]; ++e)
        for (int32_t f = g->start[centre]; f < e; ++f) {
            const int32_t a = g->ends[f].atom, b = g->ends[e].atom;
            if (graph_degree(g, a) > 1 || graph_degree(g, b) > 1 ||
                mol->element[a] != mol->element[b])
                continue;
            like[0] = a;
            like[1] = b;
            return;
        }
}

/* Marks of centres are seen with their partners in the order of their numbers. */
static shoal_status mark_centre(const search_plan *p, int32_t c, shoal_molecule *mol)
{
    const search_configuration *from = &p->configuration;
    int32_t atoms[4];
    const int32_t n = from->partners[c][3] == from->centre[c] ? 3 : 4;
    for (int32_t k = 0; k < n; ++k) {
        int32_t at = k;
        for (; at > 0 && atoms[at - 1] > from->partners[c][k]; --at) atoms[at] = atoms[at - 1];
        atoms[at] = from->partners[c][k];
    }
    if (n == 3) atoms[3] = from->centre[c];
    return molecule_set_mark(&mol->stereo, from->centre[c],
                             search_volume(atoms, (const double(*)[3])p->pos) < 0 ? 1 : -1);
}

/* A copy that has to be embedded as the molecule is. */
static shoal_status copy_marked(const search_plan *p, const shoal_molecule *mol, search_kin *kin)
{
    SHOAL_TRY(shoal_molecule_create(&kin->mol));
    SHOAL_TRY(shoal_molecule_copy(kin->mol, mol));
    kin->mol->total_charge = mol->total_charge;
    kin->mol->perceived = kin->mol->adopted = mol->perceived;
    const search_configuration *c = &p->configuration;
    for (int32_t k = 0; k < c->n_centres; ++k)
        if (c->hand[k] != 0 && kin->like[k][0] < 0) SHOAL_TRY(mark_centre(p, k, kin->mol));
    for (int32_t k = 0; k < c->n_doubles; ++k)
        SHOAL_TRY(molecule_set_mark(&kin->mol->cis_trans, c->bond[k], c->cis[k]));
    const shoal_status status = embed_problem_create(&kin->problem, kin->mol);
    return status == SHOAL_E_FORMAT ? SHOAL_OK : status; /* it has no bounds: other starts do */
}

static shoal_status fill_kin(const search_plan *p, const shoal_molecule *mol, int32_t island,
                             search_kin *kin)
{
    graph g;
    arena memory = {0};
    const search_configuration *c = &p->configuration;
    shoal_status status = graph_build(&g, mol, &memory);
    count_combinations(p, island, kin);
    if (status == SHOAL_OK) status = find_parts(p, &g, kin);
    kin->like = shoal_alloc((size_t)c->n_centres, sizeof *kin->like);
    if (!kin->like) status = SHOAL_E_MEMORY;
    for (int32_t k = 0; k < c->n_centres && status == SHOAL_OK; ++k)
        find_like(mol, &g, c->centre[k], kin->like[k]);
    arena_free(&memory);
    const bool rings = p->joints.n_corners + p->joints.n_rings > 0 || p->joints.stiff_rings;
    if (status == SHOAL_OK && rings && !p->has_fixed && p->n_atoms == mol->n_atoms &&
        p->n_atoms <= MOST_EMBEDDED)
        status = copy_marked(p, mol, kin);
    return status;
}

shoal_status search_kin_make(search_plan *plan, const shoal_molecule *mol, int32_t island)
{
    plan->kin = shoal_alloc(1, sizeof *plan->kin);
    return plan->kin ? fill_kin(plan, mol, island, plan->kin) : SHOAL_E_MEMORY;
}

void search_kin_free(search_kin *kin)
{
    if (!kin) return;
    embed_problem_destroy(kin->problem);
    shoal_molecule_destroy(kin->mol);
    free(kin->part);
    free(kin->like);
    free(kin);
}

bool search_kin_embeds(const search_kin *kin)
{
    return kin->problem != NULL;
}

int32_t search_kin_starts(const search_kin *kin)
{
    return kin->n_starts;
}

void search_parents_add(search_parents *p, double energy, const double (*pos)[3])
{
    int32_t at = 0, end = p->n;
    while (at < p->n && p->energy[at] <= energy) ++at;
    if (at == SEARCH_PARENTS || (at > 0 && energy - p->energy[at - 1] < SAME_ENERGY)) return;
    if (at < p->n && p->energy[at] - energy < SAME_ENERGY)
        end = at + 1; /* which makes room */
    else if (p->n < SEARCH_PARENTS)
        end = ++p->n;
    for (int32_t k = end - 1; k > at; --k) {
        p->energy[k] = p->energy[k - 1];
        p->pos[k] = p->pos[k - 1];
    }
    p->energy[at] = energy;
    p->pos[at] = pos;
}
