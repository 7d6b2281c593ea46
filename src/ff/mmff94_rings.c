/* SPDX-License-Identifier: BSD-3-Clause
 * What MMFF94 asks of rings. A ring is aromatic if its carbon and nitrogen atoms are planar and it has 4n + 2 pi
 * electrons, n > 0: two of each double bond, one of each double bond that leads out of it to an atom of an aromatic
 * ring, two of a heteroatom in a ring of odd size without other double bonds that lead out. */
#include "ff/mmff94.h"

static bool ring_has(const ring_set *rings, int32_t r, int32_t atom)
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

static int32_t ring_size(const ring_set *rings, int32_t r)
{
    return rings->start[r + 1] - rings->start[r];
}

typedef struct ring_electrons {
    int32_t n;
    bool has_hetero, leads_out, must_wait;
} ring_electrons;

/* Double bonds that lead out of a ring from one of its atoms; those to rings that were not yet looked at must wait. */
static void count_outside(const mmff94 *m, int32_t r, int32_t atom, const bool *seen,
                          ring_electrons *e)
{
    const int32_t z = mmff94_z(m, atom);
    if (z != 6 && !(z == 7 && m->atoms[atom].valence == 4)) return;
    MMFF94_ENDS(m, atom, end)
    {
        const int32_t order = m->mol->bonds[end->bond].order;
        if (ring_has(m->rings, r, end->atom)) continue;
        if (order != SHOAL_ORDER_DOUBLE && order != SHOAL_ORDER_TRIPLE) continue;
        if (m->ring_start[end->atom] < m->ring_start[end->atom + 1] && !seen[end->atom]) {
            e->must_wait = true;
            return;
        }
        if (order != SHOAL_ORDER_DOUBLE) continue;
        if (m->aromatic[end->atom])
            ++e->n;
        else
            e->leads_out = true;
    }
}

static ring_electrons count_electrons(const mmff94 *m, int32_t r, const bool *seen)
{
    const ring_set *rings = m->rings;
    ring_electrons e = {0};
    for (int32_t k = rings->start[r]; k < rings->start[r + 1] && !e.must_wait; ++k) {
        const int32_t atom = rings->atoms[k], z = mmff94_z(m, atom);
        e.has_hetero |= z == 7 || z == 8 || mmff94_is(m, atom, 16, 2);
        if (m->mol->bonds[rings->bonds[k]].order == SHOAL_ORDER_DOUBLE)
            e.n += 2;
        else
            count_outside(m, r, atom, seen, &e);
    }
    if (e.has_hetero && !e.leads_out && ring_size(rings, r) % 2) e.n += 2;
    return e;
}

static bool is_planar(const mmff94 *m, int32_t r)
{
    for (int32_t k = m->rings->start[r]; k < m->rings->start[r + 1]; ++k) {
        const int32_t atom = m->rings->atoms[k], z = mmff94_z(m, atom);
        if ((z == 6 || z == 7) && m->atoms[atom].hyb != HYB_SP2) return false;
    }
    return true;
}

static void mark_bonds(mmff94 *m, int32_t r)
{
    for (int32_t k = m->rings->start[r]; k < m->rings->start[r + 1]; ++k)
        m->aromatic_bond[m->rings->bonds[k]] = true;
}

/* One look at all rings; true if an atom was seen for the first time. */
static bool look_at_rings(mmff94 *m, bool *seen)
{
    const ring_set *rings = m->rings;
    bool is_new = false;
    for (int32_t r = 0; r < rings->n_rings; ++r) {
        const ring_electrons e = count_electrons(m, r, seen);
        if (e.must_wait) continue;
        const bool aromatic = is_planar(m, r) && e.n > 2 && (e.n - 2) % 4 == 0;
        for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k) {
            is_new |= !seen[rings->atoms[k]];
            seen[rings->atoms[k]] = true;
            if (aromatic) m->aromatic[rings->atoms[k]] = true;
        }
        if (aromatic) mark_bonds(m, r);
    }
    return is_new;
}

void mmff94_mark_aromatic(mmff94 *m, bool *seen)
{
    while (look_at_rings(m, seen)) continue;
}

bool mmff94_in_ring(const mmff94 *m, int32_t i, int32_t size)
{
    return mmff94_share_ring(m, i, i, size);
}

bool mmff94_share_ring(const mmff94 *m, int32_t i, int32_t j, int32_t size)
{
    for (int32_t k = m->ring_start[i]; k < m->ring_start[i + 1]; ++k) {
        const int32_t r = m->rings_of[k];
        if (ring_size(m->rings, r) == size && ring_has(m->rings, r, j)) return true;
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
        if (ring_size(m->rings, r) == size && is_aromatic_ring(m, r)) return true;
    }
    return false;
}
