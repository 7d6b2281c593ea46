/* SPDX-License-Identifier: BSD-3-Clause
 * Charges of MMFF94: formal ones, shared by equivalent atoms, and bond charge increments (T. A. Halgren, J. Comput.
 * Chem. 17 (1996) 616, equation 15). */
#include "ff/mmff94.h"

/* Of n equivalent terminal atoms that have so many charges between them. */
static double share(int32_t n_charges, int32_t n)
{
    return n > 0 && n_charges > 0 ? -(double)n_charges / n : 0;
}

/* Oxygen of type 32 or sulfur of type 72. */
static double share_of_terminal(const mmff94 *m, int32_t i)
{
    const int32_t host = m->g->ends[m->g->start[i]].atom, z = mmff94_z(m, host);
    const int32_t n = mmff94_terminal(m, host, 8) + mmff94_terminal(m, host, 16);
    int32_t n_nitrogen = 0;
    MMFF94_ENDS(m, host, end)
    n_nitrogen += mmff94_is(m, end->atom, 7, 2) && !m->aromatic[end->atom];
    /* The nitrogen of an anion of a sulfonamide has the charge itself. */
    if (z == 16 && n == 2 && n_nitrogen == 1) n_nitrogen = 0;
    if (z == 6) return n == 1 ? -1 : share(n - 1, n);
    switch (m->type[host]) {
    case 45: return n == 3 ? share(1, 3) : 0;
    case 25:
    case 73: return n == 1 ? 0 : share(n - 1, n);
    case 18: return share(n_nitrogen + n - 2, n);
    case 77: return share(1, n);
    default: return 0;
    }
}

/* Of the first ring that the atom is in. */
static double share_of_ring(const mmff94 *m, int32_t i)
{
    int32_t n = 0;
    if (m->ring_start[i] == m->ring_start[i + 1]) return 0;
    const int32_t r = m->rings_of[m->ring_start[i]];
    for (int32_t k = m->rings->start[r]; k < m->rings->start[r + 1]; ++k)
        n += m->type[m->rings->atoms[k]] == 76;
    return share(1, n);
}

static bool is_shared_nitrogen(int32_t type)
{
    return type == 55 || type == 56 || type == 81;
}

/* Nitrogens of amidinium, guanidinium and imidazolium that carbons between them connect have the mean of their formal
 * charges. found[] is empty before and after. */
static void share_among_nitrogens(mmff94 *m, int32_t first, int32_t *found, bool *is_found)
{
    int32_t n = 1, sum = 0;
    found[0] = first;
    is_found[first] = true;
    for (int32_t k = 0; k < n; ++k) {
        sum += m->mol->formal_charge[found[k]];
        MMFF94_ENDS(m, found[k], end)
        {
            if (m->type[end->atom] != 57 && m->type[end->atom] != 80) continue;
            MMFF94_ENDS(m, end->atom, next)
            {
                if (!is_shared_nitrogen(m->type[next->atom]) || is_found[next->atom]) continue;
                is_found[next->atom] = true;
                found[n++] = next->atom;
            }
        }
    }
    for (int32_t k = 0; k < n; ++k) m->formal[found[k]] = (double)sum / n;
}

static double formal_charge(const mmff94 *m, int32_t i)
{
    switch (m->type[i]) {
    case 32:
    case 72: return share_of_terminal(m, i);
    case 76: return share_of_ring(m, i);
    case 61: /* a diazonium, not an isonitrile */
        MMFF94_ENDS(m, i, end)
        {
            if (m->type[end->atom] == 42) return 1;
        }
        return 0;
    case 34:
    case 49:
    case 51:
    case 54:
    case 58:
    case 92:
    case 93:
    case 94:
    case 97: return 1;
    case 87:
    case 95:
    case 96:
    case 98:
    case 99: return 2;
    case 88: return 3;
    case 35:
    case 62:
    case 89:
    case 90:
    case 91: return -1;
    default: return 0;
    }
}

void mmff94_share_charges(mmff94 *m, int32_t *found, bool *is_found)
{
    for (int32_t i = 0; i < m->mol->n_atoms; ++i)
        if (!is_shared_nitrogen(m->type[i])) m->formal[i] = formal_charge(m, i);
    for (int32_t i = 0; i < m->mol->n_atoms; ++i)
        if (is_shared_nitrogen(m->type[i]) && !is_found[i])
            share_among_nitrogens(m, i, found, is_found);
}

/* What the bond gives to its end i. */
static double increment(const mmff94 *m, int32_t i, const graph_end *end)
{
    const int32_t ti = m->type[i], tj = m->type[end->atom];
    const int32_t low = ti < tj ? ti : tj, high = ti < tj ? tj : ti;
    const double *row =
        mmff94_row(MMFF94_CHARGES, 10000 * mmff94_bond_class(m, end->bond) + 100 * low + high);
    /* A row is the charge that its second type gets. */
    if (row) return ti < tj ? -row[0] : ti > tj ? row[0] : 0;
    return mmff94_type_get(ti)->pbci - mmff94_type_get(tj)->pbci;
}

static double partial_charge(const mmff94 *m, int32_t i)
{
    const mmff94_type *type = mmff94_type_get(m->type[i]);
    double own = m->formal[i], others = 0, moved = 0;
    MMFF94_ENDS(m, i, end)
    {
        const double q = m->formal[end->atom];
        if (type->fcadj == 0 && q < 0) own += q / (2.0 * mmff94_degree(m, end->atom));
        if (m->type[i] == 62 && q > 0) own -= q / 2;
        others += q;
        moved += increment(m, i, end);
    }
    return (1 - type->crd * type->fcadj) * own + type->fcadj * others + moved;
}

void mmff94_set_charges(mmff94 *m)
{
    for (int32_t i = 0; i < m->mol->n_atoms; ++i) m->charge[i] = partial_charge(m, i);
}
