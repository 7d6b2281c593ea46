/* SPDX-License-Identifier: BSD-3-Clause
 * Known minima, found again by energy first, then by mean distances, then by superposition. */
#include "jobs/search_minima.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

shoal_status search_minima_begin(search_minima *m, const shoal_molecule *mol, int32_t n_atoms,
                                 const int32_t *labels)
{
    SHOAL_TRY(search_symmetry_find(&m->symmetry, mol, n_atoms, labels));
    arena *memory = &m->symmetry.memory;
    const size_t n = (size_t)n_atoms;
    m->n_atoms = n_atoms;
    m->work = arena_alloc(memory, 5 * n, sizeof *m->work);
    m->mean = arena_alloc(memory, n, sizeof *m->mean);
    m->pos = arena_alloc(memory, n, sizeof *m->pos);
    if (!m->work || !m->mean || !m->pos) return SHOAL_E_MEMORY;
    memcpy(m->pos, shoal_molecule_positions(mol), n * sizeof *m->pos);
    graph g;
    SHOAL_TRY(graph_build(&g, mol, memory));
    return search_configuration_find(&m->configuration, mol, &g, n_atoms,
                                     (const double(*)[3])m->pos, memory);
}

/* The first place in by_energy with an energy of at least e. */
static int32_t first_from(const search_minima *m, double e)
{
    int32_t low = 0, high = m->n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (m->of[m->by_energy[middle]].energy < e)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the minima at the places *below and *above of the order, which move apart, the one nearer in energy: what is the
 * same as one of them most often has its energy, too. -1: there are no more. */
static int32_t next_nearest(const search_minima *m, double energy, int32_t *below, int32_t *above)
{
    const double down = *below >= 0 ? energy - m->of[m->by_energy[*below]].energy : INFINITY;
    const double up = *above < m->n ? m->of[m->by_energy[*above]].energy - energy : INFINITY;
    if (down == INFINITY && up == INFINITY) return -1;
    return m->by_energy[down < up ? (*below)-- : (*above)++];
}

search_outcome search_minima_judge(search_minima *m, const search_rules *rules, double energy,
                                   int32_t *i)
{
    const search_geometry here = {(const double(*)[3])m->pos, m->mean};
    *i = m->n;
    if (!rules->isomers && !search_configuration_holds(&m->configuration, here.pos))
        return SEARCH_CHANGED;
    if (rules->window > 0 && m->n > 0 && energy > m->of[m->by_energy[0]].energy + rules->window)
        return SEARCH_ABOVE;
    search_geometry_measure((const double(*)[3])m->pos, m->n_atoms, m->mean);
    int32_t below = first_from(m, energy) - 1, above = below + 1, k;
    while ((k = next_nearest(m, energy, &below, &above)) >= 0) {
        const search_minimum *known = &m->of[k];
        if (fabs(known->energy - energy) > rules->same_energy) break;
        const search_geometry there = {(const double(*)[3])known->pos, known->mean};
        const double rmsd =
            search_rmsd(&m->symmetry, rules->substrate, here, there, rules->same_rmsd, m->work);
        if (!(rmsd <= rules->same_rmsd)) continue;
        *i = k;
        return energy < known->energy ? SEARCH_BETTER : SEARCH_SAME;
    }
    return SEARCH_NEW;
}

/* --- what is kept --------------------------------------------------------------------------------- */

/* Takes minimum i out of the order, if it is in it, and puts it where its energy belongs. */
static void put_in_order(search_minima *m, int32_t i, int32_t n)
{
    int32_t k = 0;
    while (k < n && m->by_energy[k] != i) ++k;
    if (k < n) memmove(&m->by_energy[k], &m->by_energy[k + 1], (size_t)(--n - k) * sizeof(int32_t));
    for (k = n; k > 0 && m->of[m->by_energy[k - 1]].energy > m->of[i].energy; --k)
        m->by_energy[k] = m->by_energy[k - 1];
    m->by_energy[k] = i;
}

static shoal_status add_minimum(search_minima *m)
{
    SHOAL_TRY(SHOAL_RESERVE(&m->of, &m->capacity, m->n + 1));
    SHOAL_TRY(SHOAL_RESERVE(&m->by_energy, &m->energy_capacity, m->n + 1));
    search_minimum *to = &m->of[m->n];
    *to = (search_minimum){.count = 0};
    to->pos = shoal_alloc((size_t)m->n_atoms, sizeof *to->pos);
    to->mean = shoal_alloc((size_t)m->n_atoms, sizeof *to->mean);
    if (to->pos && to->mean) return SHOAL_OK;
    free(to->pos);
    free(to->mean);
    return SHOAL_E_MEMORY;
}

static shoal_status fill_minimum(search_minima *m, search_minimum *to, const search_minimum *from)
{
    char *record = shoal_alloc_dirty(from->record_size, 1);
    if (!record) return SHOAL_E_MEMORY;
    memcpy(record, from->record, from->record_size);
    free(to->record);
    to->record = record;
    to->record_size = from->record_size;
    to->energy = from->energy;
    to->isolated = from->isolated;
    to->free_energy = from->free_energy;
    to->start = from->start;
    memcpy(to->pos, m->pos, (size_t)m->n_atoms * sizeof *to->pos);
    search_geometry_measure((const double(*)[3])to->pos, m->n_atoms, to->mean);
    return SHOAL_OK;
}

shoal_status search_minima_count(search_minima *m, search_outcome outcome, int32_t i,
                                 const search_minimum *minimum)
{
    if (outcome == SEARCH_NEW) {
        SHOAL_TRY(add_minimum(m));
        ++m->n; /* from here on it is freed with the others */
        const shoal_status status = fill_minimum(m, &m->of[i], minimum);
        if (status != SHOAL_OK) return status;
        put_in_order(m, i, m->n - 1);
    } else if (outcome == SEARCH_BETTER) {
        SHOAL_TRY(fill_minimum(m, &m->of[i], minimum));
        put_in_order(m, i, m->n);
    }
    if (outcome >= SEARCH_SAME) ++m->of[i].count;
    ++m->taken;
    m->failed += outcome == SEARCH_FAILED;
    m->changed += outcome == SEARCH_CHANGED;
    m->above += outcome == SEARCH_ABOVE;
    m->since_new = outcome == SEARCH_NEW ? 0 : m->since_new + 1;
    return SHOAL_OK;
}

void search_minima_free(search_minima *m)
{
    for (int32_t i = 0; i < m->n; ++i) {
        free(m->of[i].pos);
        free(m->of[i].mean);
        free(m->of[i].record);
    }
    free(m->of);
    free(m->by_energy);
    search_symmetry_free(&m->symmetry);
    *m = (search_minima){0};
}
