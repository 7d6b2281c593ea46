/* SPDX-License-Identifier: BSD-3-Clause
 * Symmetry numbers and mirror images of minima. */
#include "jobs/search_copies.h"

#include <string.h>

#include "jobs/search_starts.h"

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

void search_copies_count(search_minima *m, const search_rules *rules, int32_t n, int64_t *copies)
{
    const int64_t motions = rules->substrate ? rules->substrate->n_motions : 1;
    const int64_t order = 2 * motions * m->symmetry.n_maps;
    int64_t divisor = 0;
    for (int32_t k = 0; k < n; ++k) {
        const int64_t symmetry =
            search_symmetry_number(&m->symmetry, rules->substrate,
                                   geometry_of(&m->of[m->by_energy[k]]), rules->same_rmsd, m->work);
        copies[k] =
            (order + symmetry / 2) / symmetry; /* nearly symmetric ones need not divide it */
        if (!rules->substrate && !has_twin(m, rules, n, k)) copies[k] *= 2;
        divisor = search_common_divisor(divisor, copies[k]);
    }
    for (int32_t k = 0; k < n; ++k) copies[k] /= divisor;
}
