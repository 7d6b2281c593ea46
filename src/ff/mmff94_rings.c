/* SPDX-License-Identifier: BSD-3-Clause
 * What MMFF94 asks of rings. */
#include "ff/mmff94.h"

bool mmff94_ring_has(const ring_set *rings, int32_t r, int32_t atom)
{
    for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k)
        if (rings->atoms[k] == atom) return true;
    return false;
}

shoal_status mmff94_list_rings(mmff94 *m, arena *scratch)
{
    const ring_set *rings = m->rings;
    const size_t n = (size_t)m->mol->n_atoms;
    const int32_t total = rings->n_rings > 0 ? rings->start[rings->n_rings] : 0;
    int32_t *start = arena_alloc(scratch, n + 2, sizeof *start);
    int32_t *of = arena_alloc(scratch, (size_t)total, sizeof *of);
    if (!start || !of) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < total; ++k) ++start[rings->atoms[k] + 2];
    for (size_t i = 2; i < n + 2; ++i) start[i] += start[i - 1];
    for (int32_t r = 0; r < rings->n_rings; ++r)
        for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k)
            of[start[rings->atoms[k] + 1]++] = r;
    m->ring_start = start;
    m->rings_of = of;
    return SHOAL_OK;
}

bool mmff94_in_ring(const mmff94 *m, int32_t i, int32_t size)
{
    return mmff94_share_ring(m, i, i, size);
}

bool mmff94_share_ring(const mmff94 *m, int32_t i, int32_t j, int32_t size)
{
    for (int32_t k = m->ring_start[i]; k < m->ring_start[i + 1]; ++k) {
        const int32_t r = m->rings_of[k];
        if (mmff94_ring_size(m->rings, r) == size && mmff94_ring_has(m->rings, r, j)) return true;
    }
    return false;
}

static bool is_aromatic_ring(const mmff94 *m, int32_t r)
{
    for (int32_t k = m->rings->start[r]; k < m->rings->start[r + 1]; ++k)
        if (!m->aromatic_bond[m->rings->bonds[k]]) return false;
    return true;
}

bool mmff94_in_aromatic_ring(const mmff94 *m, int32_t i, int32_t size)
{
    for (int32_t k = m->ring_start[i]; m->aromatic[i] && k < m->ring_start[i + 1]; ++k) {
        const int32_t r = m->rings_of[k];
        if (mmff94_ring_size(m->rings, r) == size && is_aromatic_ring(m, r)) return true;
    }
    return false;
}
