/* SPDX-License-Identifier: BSD-3-Clause
 * Types of MMFF94 for nitrogen, oxygen and sulfur outside of aromatic rings. */
#include "ff/mmff94.h"

/* What stands next to a nitrogen with three neighbours. */
typedef struct amine_partners {
    bool carbon, benzene, carbonyl, cyano; /* cyano: C%N; carbonyl: C=O, C=S */
    bool aromatic_os;                      /* on such a carbon */
    bool multiple;                         /* C=C, C=N, C=P, C%C */
    bool amidinium, guanidinium;
    bool hydrazone; /* N-N=C, N-N=N */
} amine_partners;

/* Double or aromatic, as a nitrogen with delocalised lone pair wants it. */
static bool counts_as_double(const mmff94 *m, const graph_end *end)
{
    const int32_t z = mmff94_z(m, end->atom), order = mmff94_order(m, end->bond);
    if (order == MMFF94_DOUBLE) return true;
    if (order != MMFF94_AROMATIC) return false;
    return z == 6 || (z == 7 && m->ring_start[end->atom + 1] - m->ring_start[end->atom] == 1);
}

static int32_t count_oxygens(const mmff94 *m, int32_t i)
{
    int32_t n = 0;
    MMFF94_ENDS(m, i, end) n += mmff94_z(m, end->atom) == 8;
    return n;
}

/* N+=C-N: two or three nitrogens with three neighbours at one carbon, none with two. */
static void look_for_amidinium(const mmff94 *m, int32_t carbon, amine_partners *p)
{
    int32_t n_two = 0, n_three = 0, n_charged = 0;
    bool double_n = false, in_six = false;
    MMFF94_ENDS(m, carbon, end)
    {
        const int32_t j = end->atom, order = mmff94_order(m, end->bond);
        double_n |= mmff94_z(m, j) == 7 && counts_as_double(m, end);
        n_two += mmff94_is(m, j, 7, 2) && (order == MMFF94_DOUBLE || order == MMFF94_AROMATIC);
        if (!mmff94_is(m, j, 7, 3)) continue;
        n_charged += m->mol->formal_charge[j] == 1;
        in_six |= mmff94_in_aromatic_ring(m, carbon, 6);
        n_three += count_oxygens(m, j) < 2;
    }
    if (!double_n) return;
    p->amidinium |= n_three == 2 && n_two == 0 && n_charged > 0 && !in_six;
    p->guanidinium |= n_three == 3;
}

static void look_at_carbon(const mmff94 *m, int32_t carbon, amine_partners *p)
{
    p->carbon = true;
    p->benzene |= m->aromatic[carbon] && mmff94_in_ring(m, carbon, 6);
    MMFF94_ENDS(m, carbon, end)
    {
        const int32_t z = mmff94_z(m, end->atom), order = mmff94_order(m, end->bond);
        p->carbonyl |= order == MMFF94_DOUBLE && (z == 8 || z == 16);
        p->cyano |= order == MMFF94_TRIPLE && z == 7;
        p->multiple |= order == MMFF94_TRIPLE && z == 6;
        p->multiple |= counts_as_double(m, end) && (z == 6 || z == 7 || z == 15);
        p->aromatic_os |= m->aromatic[end->atom] && (z == 8 || z == 16);
    }
    look_for_amidinium(m, carbon, p);
}

/* A double bond from the nitrogen next door to nitrogen, or to a carbon without another heteroatom. */
static void look_at_nitrogen(const mmff94 *m, int32_t nitrogen, amine_partners *p)
{
    MMFF94_ENDS(m, nitrogen, end)
    {
        const int32_t z = mmff94_z(m, end->atom);
        bool alone = true;
        if (mmff94_order(m, end->bond) != MMFF94_DOUBLE) continue;
        MMFF94_ENDS(m, end->atom, next)
        {
            const int32_t zn = mmff94_z(m, next->atom);
            if (next->atom != nitrogen && (zn == 7 || zn == 8 || zn == 16)) alone = false;
        }
        p->hydrazone |= z == 7 || (z == 6 && alone);
    }
}

/* Next to P or S with two terminal oxygens. */
static bool is_sulfonamide(const mmff94 *m, int32_t i)
{
    if (m->atoms[i].valence < 3) return false;
    MMFF94_ENDS(m, i, end)
    {
        const int32_t z = mmff94_z(m, end->atom);
        if ((z == 15 || z == 16) && mmff94_terminal(m, end->atom, 8) >= 2) return true;
    }
    return false;
}

/* >N+=C or >N+=N, but not with another nitrogen at that carbon, which shares the charge. */
static bool is_iminium(const mmff94 *m, int32_t i)
{
    MMFF94_ENDS(m, i, end)
    {
        const int32_t z = mmff94_z(m, end->atom);
        bool alone = true;
        if (mmff94_order(m, end->bond) != MMFF94_DOUBLE) continue;
        if (z != 6) return z == 7;
        MMFF94_ENDS(m, end->atom, next)
        alone &= next->atom == i || !mmff94_is(m, next->atom, 7, 3);
        return alone;
    }
    return false;
}

static int32_t nitrogen_of_three(const mmff94 *m, int32_t i)
{
    const int32_t n_oxygen = mmff94_terminal(m, i, 8), valence = m->atoms[i].valence;
    amine_partners p = {0};
    bool sulfonamide = is_sulfonamide(m, i);
    if (valence >= 4 && n_oxygen > 0) return n_oxygen == 1 ? 67 : 45;
    if (valence >= 4 && is_iminium(m, i)) return 54;
    if (valence < 3) return sulfonamide ? 43 : 8;
    MMFF94_ENDS(m, i, end)
    {
        if (mmff94_z(m, end->atom) == 6) look_at_carbon(m, end->atom, &p);
        if (mmff94_z(m, end->atom) == 7) look_at_nitrogen(m, end->atom, &p);
    }
    sulfonamide |= p.cyano;
    if (p.amidinium) return 55;
    if (p.guanidinium) return 56;
    if (p.carbon && !p.carbonyl && !sulfonamide && (p.multiple || (p.benzene && !p.aromatic_os)))
        return 40;
    if (sulfonamide) return 43;
    return p.carbonyl || p.hydrazone ? 10 : 8;
}

static int32_t nitrogen_of_two(const mmff94 *m, int32_t i)
{
    const int32_t valence = m->atoms[i].valence;
    bool triple = false, imine = false, nitroso = false, half_sulfone = false;
    MMFF94_ENDS(m, i, end)
    {
        const int32_t z = mmff94_z(m, end->atom), order = mmff94_order(m, end->bond);
        triple |= order == MMFF94_TRIPLE;
        imine |= order == MMFF94_DOUBLE && (z == 6 || z == 7);
        nitroso |= order == MMFF94_DOUBLE && mmff94_is(m, end->atom, 8, 1);
        half_sulfone |= z == 16 && mmff94_terminal(m, end->atom, 8) == 1;
    }
    if (valence == 4) return triple ? 61 : 53;
    if (valence == 3 && imine) return 9;
    if (valence == 3 && nitroso) return 46;
    if (valence >= 2 && half_sulfone) return 48;
    if (is_sulfonamide(m, i)) return 43;
    return valence >= 2 ? 62 : 8;
}

static int32_t terminal_nitrogen(const mmff94 *m, int32_t i)
{
    const graph_end *end = &m->g->ends[m->g->start[i]];
    if (mmff94_order(m, end->bond) == MMFF94_TRIPLE) return 42;
    if (!mmff94_is(m, end->atom, 7, 2)) return 8;
    MMFF94_ENDS(m, end->atom, next)
    {
        if (mmff94_is(m, next->atom, 7, 2) || mmff94_is(m, next->atom, 6, 3)) return 47;
    }
    return 8;
}

int32_t mmff94_nitrogen_type(const mmff94 *m, int32_t i)
{
    switch (mmff94_degree(m, i)) {
    case 4: return mmff94_is_n_oxide(m, i) ? 68 : 34;
    case 3: return nitrogen_of_three(m, i);
    case 2: return nitrogen_of_two(m, i);
    case 1: return terminal_nitrogen(m, i);
    default: return 0;
    }
}

static int32_t oxygen_on_nitrogen(const mmff94 *m, int32_t nitrogen, int32_t order,
                                  int32_t n_oxygen)
{
    const int32_t valence = m->atoms[nitrogen].valence;
    const bool alone = order == MMFF94_SINGLE && n_oxygen == 1;
    if (alone && (mmff94_degree(m, nitrogen) == 2 || valence == 3)) return 35;
    if (n_oxygen >= 2 || (alone && valence == 4)) return 32;
    return order == MMFF94_DOUBLE ? 7 : 0;
}

static int32_t oxygen_on_sulfur(const mmff94 *m, int32_t sulfur, int32_t order, int32_t n_oxygen)
{
    int32_t n_nitrogen = 0;
    MMFF94_ENDS(m, sulfur, end) n_nitrogen += mmff94_is(m, end->atom, 7, 2);
    if (mmff94_terminal(m, sulfur, 16) == 1 || order == MMFF94_SINGLE) return 32;
    return n_oxygen + n_nitrogen > 1 ? 32 : 7;
}

static int32_t terminal_oxygen(const mmff94 *m, int32_t i)
{
    const graph_end *end = &m->g->ends[m->g->start[i]];
    const int32_t host = end->atom, order = mmff94_order(m, end->bond);
    const int32_t n_oxygen = mmff94_terminal(m, host, 8);
    switch (mmff94_z(m, host)) {
    case 1: return 35;
    case 6:
        if (order == MMFF94_SINGLE && n_oxygen == 1) return 35;
        return n_oxygen == 2 ? 32 : order == MMFF94_DOUBLE ? 7 : 0;
    case 7: return oxygen_on_nitrogen(m, host, order, n_oxygen);
    case 15:
    case 17: return 32;
    case 16: return oxygen_on_sulfur(m, host, order, n_oxygen);
    default: return 0;
    }
}

int32_t mmff94_oxygen_type(const mmff94 *m, int32_t i)
{
    int32_t n_hydrogen = 0;
    switch (mmff94_degree(m, i)) {
    case 3: return 49;
    case 2:
        if (m->atoms[i].valence == 3) return 51;
        MMFF94_ENDS(m, i, end) n_hydrogen += mmff94_z(m, end->atom) == 1;
        return n_hydrogen == 2 ? 70 : 6;
    case 1: return terminal_oxygen(m, i);
    default: return 0;
    }
}

static int32_t sulfur_of_three(const mmff94 *m, int32_t i)
{
    int32_t n = 0;
    bool carbon = false;
    MMFF94_ENDS(m, i, end)
    {
        carbon |= mmff94_z(m, end->atom) == 6 && mmff94_order(m, end->bond) == MMFF94_DOUBLE;
        n += mmff94_is(m, end->atom, 8, 1) || mmff94_is(m, end->atom, 7, 2);
    }
    if (n == 2) return carbon ? 18 : 73;
    return n > 0 && mmff94_terminal(m, i, 16) > 0 ? 73 : 17;
}

int32_t mmff94_sulfur_type(const mmff94 *m, int32_t i)
{
    const graph_end *first = &m->g->ends[m->g->start[i]];
    switch (mmff94_degree(m, i)) {
    case 4: return 18;
    case 3: return sulfur_of_three(m, i);
    case 2:
        MMFF94_ENDS(m, i, end)
        {
            if (mmff94_z(m, end->atom) == 8 && mmff94_order(m, end->bond) == MMFF94_DOUBLE)
                return 74;
        }
        return 15;
    case 1:
        return mmff94_z(m, first->atom) == 6 && mmff94_order(m, first->bond) == MMFF94_DOUBLE &&
                       mmff94_terminal(m, first->atom, 16) != 2
                   ? 16
                   : 72;
    default: return 0;
    }
}
