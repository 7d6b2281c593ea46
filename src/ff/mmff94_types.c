/* SPDX-License-Identifier: BSD-3-Clause
 * Types of MMFF94 for carbon, halogens, phosphorus, ions and hydrogens, and those of aromatic rings (T. A. Halgren, J.
 * Comput. Chem. 17 (1996) 490, table III). Numbers are those of data/mmff94_types.tsv. */
#include "ff/mmff94.h"

int32_t mmff94_terminal(const mmff94 *m, int32_t i, int32_t z)
{
    int32_t n = 0;
    MMFF94_ENDS(m, i, end) n += mmff94_is(m, end->atom, z, 1);
    return n;
}

bool mmff94_is_n_oxide(const mmff94 *m, int32_t i)
{
    return mmff94_z(m, i) == 7 && mmff94_degree(m, i) >= 3 && mmff94_terminal(m, i, 8) > 0;
}

/* O, S or N with a lone pair that a five-membered ring makes aromatic. */
static bool gives_lone_pair(const mmff94 *m, int32_t i)
{
    const int32_t z = mmff94_z(m, i);
    return z == 8 || z == 16 || (mmff94_is(m, i, 7, 3) && !mmff94_is_n_oxide(m, i));
}

/* Heteroatoms with lone pairs in the five-membered rings of an atom: next to it (alpha) and one further (beta). */
typedef struct ring_hetero {
    int32_t alpha[8], beta[16];
    int32_t n_alpha, n_beta;
    bool alpha_os, beta_os; /* oxygen or sulfur among them */
    bool together;          /* some alpha and some beta atom share a ring of five */
} ring_hetero;

static bool is_hetero_of(const mmff94 *m, int32_t i, int32_t j)
{
    return mmff94_share_ring(m, i, j, 5) && gives_lone_pair(m, j);
}

static ring_hetero find_hetero(const mmff94 *m, int32_t i)
{
    ring_hetero h = {0};
    MMFF94_ENDS(m, i, a)
    {
        if (!mmff94_in_aromatic_ring(m, a->atom, 5)) continue;
        if (is_hetero_of(m, i, a->atom) && h.n_alpha < 8) h.alpha[h.n_alpha++] = a->atom;
        MMFF94_ENDS(m, a->atom, b)
        {
            if (b->atom == i || !mmff94_in_aromatic_ring(m, b->atom, 5)) continue;
            if (is_hetero_of(m, i, b->atom) && h.n_beta < 16) h.beta[h.n_beta++] = b->atom;
        }
    }
    for (int32_t k = 0; k < h.n_alpha; ++k) h.alpha_os |= mmff94_z(m, h.alpha[k]) != 7;
    for (int32_t k = 0; k < h.n_beta; ++k) h.beta_os |= mmff94_z(m, h.beta[k]) != 7;
    for (int32_t k = 0; k < h.n_alpha; ++k)
        for (int32_t l = 0; l < h.n_beta; ++l)
            h.together |= mmff94_share_ring(m, h.alpha[k], h.beta[l], 5);
    return h;
}

/* Between two nitrogens of an imidazolium, or with a third one outside of the ring. */
static bool is_imidazolium_carbon(const mmff94 *m, int32_t i)
{
    int32_t n = 0, n_charged = 0, n_five = 0, n_six = 0;
    MMFF94_ENDS(m, i, end)
    {
        const int32_t j = end->atom;
        if (!mmff94_is(m, j, 7, 3)) continue;
        ++n;
        n_charged += m->mol->formal_charge[j] > 0 && !mmff94_is_n_oxide(m, j);
        n_five += mmff94_in_aromatic_ring(m, j, 5);
        n_six += mmff94_in_aromatic_ring(m, j, 6);
    }
    return ((n == 2 && n_five > 0) || (n == 3 && n_five == 2)) && n_charged > 0 && n_six == 0;
}

/* Whether neither all neighbours are carbons of six-membered rings nor one of its own ring of five is not aromatic. */
static bool is_general_carbon(const mmff94 *m, int32_t i)
{
    bool benzene = true, aromatic = true;
    MMFF94_ENDS(m, i, end)
    {
        const int32_t j = end->atom;
        benzene &= mmff94_z(m, j) == 6 && mmff94_in_ring(m, j, 6);
        if (mmff94_share_ring(m, i, j, 5) && !m->aromatic[j]) aromatic = false;
    }
    return !benzene && aromatic;
}

static int32_t ring5_carbon(const mmff94 *m, int32_t i, const ring_hetero *h)
{
    const bool none = h->n_alpha == 0 && h->n_beta == 0, both = h->n_alpha > 0 && h->n_beta > 0;
    if (h->n_beta == 0 && is_imidazolium_carbon(m, i)) return 80;
    if (none && is_general_carbon(m, i)) return 78;
    if (both && (!h->together || (!h->alpha_os && !h->beta_os))) return 78;
    if (h->n_alpha > 0 && (h->n_beta == 0 || h->alpha_os)) return 63;
    if (h->n_beta > 0 && (h->n_alpha == 0 || h->beta_os)) return 64;
    return 0;
}

static int32_t ring5_nitrogen(const mmff94 *m, int32_t i, const ring_hetero *h)
{
    const bool three = mmff94_degree(m, i) == 3;
    if (mmff94_is_n_oxide(m, i)) return 82;
    if (h->n_alpha == 0 && h->n_beta == 0) return three ? 39 : 76;
    if (three && (h->n_alpha == 0 || h->n_beta == 0)) return 81;
    if (h->n_alpha > 0 && (h->n_beta == 0 || h->alpha_os)) return 65;
    if (h->n_beta > 0 && (h->n_alpha == 0 || h->beta_os)) return 66;
    return 79;
}

static int32_t ring5_type(const mmff94 *m, int32_t i)
{
    const ring_hetero h = find_hetero(m, i);
    switch (mmff94_z(m, i)) {
    case 6: return ring5_carbon(m, i, &h);
    case 7: return ring5_nitrogen(m, i, &h);
    case 8: return 59;
    case 16: return 44;
    default: return 0;
    }
}

static int32_t ring6_type(const mmff94 *m, int32_t i)
{
    if (mmff94_z(m, i) == 6) return 37;
    if (mmff94_z(m, i) != 7) return 0;
    if (mmff94_is_n_oxide(m, i)) return 69;
    return mmff94_degree(m, i) == 3 ? 58 : 38;
}

int32_t mmff94_aromatic_type(const mmff94 *m, int32_t i)
{
    int32_t type = 0;
    if (mmff94_in_aromatic_ring(m, i, 5)) type = ring5_type(m, i);
    if (!type && mmff94_in_aromatic_ring(m, i, 6)) type = ring6_type(m, i);
    return type;
}

static int32_t planar_carbon(const mmff94 *m, int32_t i)
{
    int32_t n_imine = 0, n_amine = 0, partner = 0;
    MMFF94_ENDS(m, i, end)
    {
        const bool is_double = mmff94_order(m, end->bond) == MMFF94_DOUBLE;
        if (is_double) partner = mmff94_z(m, end->atom);
        n_amine += mmff94_is(m, end->atom, 7, 3);
        n_imine += is_double && mmff94_is(m, end->atom, 7, 2);
    }
    if (n_amine >= 2 && n_imine == 0 && partner == 7) return 57;
    if (mmff94_terminal(m, i, 8) == 2 || mmff94_terminal(m, i, 16) == 2) return 41;
    if (partner == 6 && mmff94_in_ring(m, i, 4)) return 30;
    return partner == 7 || partner == 8 || partner == 15 || partner == 16 ? 3 : 2;
}

static int32_t carbon_type(const mmff94 *m, int32_t i)
{
    switch (mmff94_degree(m, i)) {
    case 4: return mmff94_in_ring(m, i, 3) ? 22 : mmff94_in_ring(m, i, 4) ? 20 : 1;
    case 3: return planar_carbon(m, i);
    case 2: return 4;
    case 1: return 60;
    default: return 0;
    }
}

/* Ions have no bonds; their types say what they are charged with. */
static int32_t ion_type(const mmff94 *m, int32_t i)
{
    static const struct {
        int32_t z, charge, type;
    } ions[] = {{3, 1, 92},  {9, -1, 89}, {11, 1, 93}, {12, 2, 99}, {17, -1, 90},
                {19, 1, 94}, {20, 2, 96}, {26, 2, 87}, {26, 3, 88}, {29, 1, 97},
                {29, 2, 98}, {30, 2, 95}, {35, -1, 91}};
    for (size_t k = 0; k < sizeof ions / sizeof ions[0]; ++k)
        if (ions[k].z == mmff94_z(m, i) && ions[k].charge == m->mol->formal_charge[i])
            return ions[k].type;
    return 0;
}

static int32_t halogen_type(const mmff94 *m, int32_t i)
{
    const int32_t z = mmff94_z(m, i);
    if (mmff94_degree(m, i) == 1) return z == 9 ? 11 : z == 17 ? 12 : z == 35 ? 13 : 14;
    return mmff94_is(m, i, 17, 4) && mmff94_terminal(m, i, 8) == 4 ? 77 : 0;
}

static int32_t phosphorus_type(const mmff94 *m, int32_t i)
{
    switch (mmff94_degree(m, i)) {
    case 4: return 25;
    case 3: return 26;
    case 2: return 75;
    default: return 0;
    }
}

int32_t mmff94_heavy_type(const mmff94 *m, int32_t i)
{
    const int32_t aromatic = m->aromatic[i] ? mmff94_aromatic_type(m, i) : 0;
    if (aromatic) return aromatic;
    if (mmff94_degree(m, i) == 0) return ion_type(m, i);
    switch (mmff94_z(m, i)) {
    case 6: return carbon_type(m, i);
    case 7: return mmff94_nitrogen_type(m, i);
    case 8: return mmff94_oxygen_type(m, i);
    case 9:
    case 17:
    case 35:
    case 53: return halogen_type(m, i);
    case 14: return mmff94_degree(m, i) == 4 ? 19 : 0;
    case 15: return phosphorus_type(m, i);
    case 16: return mmff94_sulfur_type(m, i);
    default: return 0;
    }
}

/* On the oxygen of an alcohol, an acid, an enol or phenol, or of a group of sulfur. */
static int32_t hydroxyl_type(const mmff94 *m, int32_t oxygen)
{
    bool acid = false, enol = false, sulfur = false;
    MMFF94_ENDS(m, oxygen, end)
    {
        const int32_t z = mmff94_z(m, end->atom);
        acid |= z == 15;
        sulfur |= z == 16;
        if (z != 6) continue;
        MMFF94_ENDS(m, end->atom, next)
        {
            const int32_t order = mmff94_order(m, next->bond), zn = mmff94_z(m, next->atom);
            if (next->atom == oxygen) continue;
            acid |= zn == 8 && order == MMFF94_DOUBLE;
            enol |= (zn == 6 || zn == 7) && (order == MMFF94_DOUBLE || order == MMFF94_AROMATIC);
        }
    }
    return acid ? 24 : enol ? 29 : sulfur ? 33 : 21;
}

int32_t mmff94_hydrogen_type(const mmff94 *m, int32_t i)
{
    if (mmff94_degree(m, i) != 1) return 0;
    const int32_t host = m->g->ends[m->g->start[i]].atom, type = m->type[host];
    switch (mmff94_z(m, host)) {
    case 6:
    case 14: return 5;
    case 7:
        switch (type) {
        case 8:
        case 39:
        case 62:
        case 67:
        case 68: return 23;
        case 34:
        case 54:
        case 55:
        case 56:
        case 58:
        case 81: return 36;
        case 9: return 27;
        default: return 28;
        }
    case 8:
        switch (type) {
        case 6: return hydroxyl_type(m, host);
        case 49: return 50;
        case 51: return 52;
        case 70: return 31;
        default: return 21;
        }
    case 15:
    case 16: return 71;
    default: return 0;
    }
}
