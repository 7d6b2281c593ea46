/* SPDX-License-Identifier: BSD-3-Clause
 * What MMFF94 calls aromatic: a ring of five or six, which have types, whose carbon and nitrogen atoms are planar and which
 * has six pi electrons: two of each double bond, one of each double bond that leads out of it to an atom of an aromatic
 * ring, two of a heteroatom in a ring of five without other double bonds that lead out. Which double bonds of a
 * conjugated system were drawn has no say: a ring that has its double bonds inside in some Kekule structure is
 * aromatic. */
#include "chem/matching.h"
#include "ff/mmff94.h"

typedef struct ring_electrons {
    int32_t n;
    bool has_hetero, leads_out;
} ring_electrons;

/* Double bonds that lead out of a ring from one of its atoms. */
static void count_outside(const mmff94 *m, int32_t r, int32_t atom, ring_electrons *e)
{
    const int32_t z = mmff94_z(m, atom);
    if (z != 6 && !(z == 7 && m->atoms[atom].valence == 4)) return;
    MMFF94_ENDS(m, atom, end)
    {
        if (m->mol->bonds[end->bond].order != SHOAL_ORDER_DOUBLE) continue;
        if (mmff94_ring_has(m->rings, r, end->atom)) continue;
        if (m->aromatic[end->atom] || m->aromatic[atom])
            ++e->n;
        else
            e->leads_out = true;
    }
}

static ring_electrons count_electrons(const mmff94 *m, int32_t r)
{
    const ring_set *rings = m->rings;
    ring_electrons e = {0};
    for (int32_t k = rings->start[r]; k < rings->start[r + 1]; ++k) {
        const int32_t atom = rings->atoms[k], z = mmff94_z(m, atom);
        e.has_hetero |= z == 7 || z == 8 || mmff94_is(m, atom, 16, 2);
        if (m->mol->bonds[rings->bonds[k]].order == SHOAL_ORDER_DOUBLE)
            e.n += 2;
        else
            count_outside(m, r, atom, &e);
    }
    if (e.has_hetero && !e.leads_out && mmff94_ring_size(rings, r) == 5) e.n += 2;
    return e;
}

static bool may_be_aromatic(const mmff94 *m, int32_t r)
{
    const int32_t size = mmff94_ring_size(m->rings, r);
    if (size != 5 && size != 6) return false;
    for (int32_t k = m->rings->start[r]; k < m->rings->start[r + 1]; ++k) {
        const int32_t atom = m->rings->atoms[k], z = mmff94_z(m, atom);
        if ((z == 6 || z == 7) && m->atoms[atom].hyb != HYB_SP2) return false;
    }
    return true;
}

static bool is_marked(const mmff94 *m, int32_t r)
{
    for (int32_t k = m->rings->start[r]; k < m->rings->start[r + 1]; ++k)
        if (!m->aromatic_bond[m->rings->bonds[k]]) return false;
    return true;
}

static void mark(mmff94 *m, int32_t r)
{
    for (int32_t k = m->rings->start[r]; k < m->rings->start[r + 1]; ++k) {
        m->aromatic[m->rings->atoms[k]] = true;
        m->aromatic_bond[m->rings->bonds[k]] = true;
    }
}

/* A ring that is aromatic can only add to the electrons of others: what comes out does not depend on their order. */
static void mark_by_count(mmff94 *m)
{
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (int32_t r = 0; r < m->rings->n_rings; ++r) {
            if (!may_be_aromatic(m, r) || is_marked(m, r) || count_electrons(m, r).n != 6) continue;
            mark(m, r);
            is_new = true;
        }
    }
}

/* Double bonds as a matching of the atoms that have one. */
typedef struct kekule {
    matching m;       /* over all atoms */
    int32_t *partner; /* [n_atoms] across the double bond, or -1 */
    int32_t *next, *start, *priority, *stage, *match;
} kekule;

static int32_t find_partner(const mmff94 *m, int32_t i)
{
    int32_t partner = -1;
    MMFF94_ENDS(m, i, end)
    {
        const int32_t order = m->mol->bonds[end->bond].order;
        if (order == SHOAL_ORDER_SINGLE || order == SHOAL_ORDER_DATIVE) continue;
        if (order != SHOAL_ORDER_DOUBLE || partner >= 0) return -1;
        partner = end->atom;
    }
    return partner;
}

static shoal_status draw(const mmff94 *m, kekule *k, arena *scratch)
{
    const size_t n = (size_t)m->mol->n_atoms;
    k->partner = arena_alloc_dirty(scratch, n, sizeof *k->partner);
    k->start = arena_alloc(scratch, n + 1, sizeof *k->start);
    k->next = arena_alloc_dirty(scratch, 2 * (size_t)m->mol->n_bonds, sizeof *k->next);
    k->priority = arena_alloc(scratch, n, sizeof *k->priority);
    k->stage = arena_alloc_dirty(scratch, n, sizeof *k->stage);
    k->match = arena_alloc_dirty(scratch, n, sizeof *k->match);
    if (!k->partner || !k->start || !k->next || !k->priority || !k->stage || !k->match)
        return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < m->mol->n_atoms; ++i) k->match[i] = find_partner(m, i);
    for (int32_t i = 0; i < m->mol->n_atoms; ++i) {
        const int32_t j = k->match[i];
        k->partner[i] = j >= 0 && k->match[j] == i ? j : -1;
    }
    for (int32_t i = 0, at = 0; i < m->mol->n_atoms; ++i) {
        MMFF94_ENDS(m, i, end)
        {
            if (k->partner[i] >= 0 && k->partner[end->atom] >= 0) k->next[at++] = end->atom;
        }
        k->start[i + 1] = at;
    }
    k->m = (matching){.n = m->mol->n_atoms,
                      .n_stages = 1,
                      .start = k->start,
                      .next = k->next,
                      .priority = k->priority,
                      .stage = k->stage,
                      .match = k->match};
    return SHOAL_OK;
}

/* Whether all atoms of the ring may have their double bonds in it, but for one of five that gives a lone pair. */
static bool closes(const mmff94 *m, const kekule *k, int32_t r)
{
    const int32_t size = mmff94_ring_size(m->rings, r);
    int32_t n = 0, giver = -1;
    for (int32_t x = m->rings->start[r]; x < m->rings->start[r + 1]; ++x) {
        const int32_t atom = m->rings->atoms[x];
        if (k->partner[atom] >= 0)
            ++n;
        else
            giver = atom;
    }
    if (size == 6) return n == 6;
    return n == 4 &&
           (mmff94_is(m, giver, 7, 3) || mmff94_is(m, giver, 8, 2) || mmff94_is(m, giver, 16, 2) ||
            (mmff94_is(m, giver, 7, 2) && m->mol->formal_charge[giver] < 0));
}

/* Whether the atoms outside of the ring can have double bonds without those in it. */
static shoal_status has_sextet(const mmff94 *m, kekule *k, int32_t r, arena *memory, bool *out)
{
    const int32_t n = m->mol->n_atoms;
    for (int32_t i = 0; i < n; ++i) {
        k->match[i] = k->partner[i];
        k->stage[i] = k->partner[i] < 0;
    }
    for (int32_t x = m->rings->start[r]; x < m->rings->start[r + 1]; ++x) {
        const int32_t atom = m->rings->atoms[x];
        if (k->partner[atom] < 0) continue;
        k->match[k->partner[atom]] = k->match[atom] = -1;
        k->stage[atom] = 1;
    }
    for (int32_t i = 0; i < n; ++i) k->priority[i] = k->stage[i] ? -1 : 0;
    SHOAL_TRY(matching_solve(&k->m, memory));
    *out = true;
    for (int32_t i = 0; i < n; ++i) *out &= k->stage[i] == 1 || k->match[i] >= 0;
    return SHOAL_OK;
}

static shoal_status mark_by_structures(mmff94 *m, arena *scratch)
{
    kekule k = {.partner = NULL};
    arena memory = {0};
    shoal_status status = SHOAL_OK;
    for (int32_t r = 0; r < m->rings->n_rings && status == SHOAL_OK; ++r) {
        bool sextet = false;
        if (!may_be_aromatic(m, r) || is_marked(m, r)) continue;
        if (!k.partner) status = draw(m, &k, scratch);
        if (status != SHOAL_OK || !closes(m, &k, r)) continue;
        status = has_sextet(m, &k, r, &memory, &sextet);
        arena_reset(&memory);
        if (sextet) mark(m, r);
    }
    arena_free(&memory);
    return status;
}

shoal_status mmff94_mark_aromatic(mmff94 *m, arena *scratch)
{
    mark_by_count(m);
    SHOAL_TRY(mark_by_structures(m, scratch));
    mark_by_count(m);
    return SHOAL_OK;
}
