/* SPDX-License-Identifier: BSD-3-Clause
 * From @, / and \ to configurations of atoms and bonds as a molecule states them (chem/molecule.h). */
#include "io/smiles.h"

enum { MOST_PARTNERS = 4 };

/* The partners of an atom in the order of the text. */
typedef struct partners {
    int32_t n, atom[MOST_PARTNERS + 1], rank[MOST_PARTNERS + 1];
} partners;

static void add_partner(partners *p, int32_t atom, int32_t rank)
{
    if (p->n > MOST_PARTNERS) return;
    int32_t k = p->n++;
    for (; k > 0 && p->rank[k - 1] > rank; --k) {
        p->atom[k] = p->atom[k - 1];
        p->rank[k] = p->rank[k - 1];
    }
    p->atom[k] = atom;
    p->rank[k] = rank;
}

/* Hydrogens that are no atoms of the SMILES stand behind all that are. */
static partners find_partners(const smiles_graph *g, int32_t i)
{
    partners p = {0};
    for (int32_t k = 0; k < g->n_bonds; ++k) {
        const smiles_bond *b = &g->bonds[k];
        if (b->a == i) add_partner(&p, b->b, b->rank_a);
        if (b->b == i) add_partner(&p, b->a, b->rank_b);
    }
    if (g->atoms[i].n_h == 1) add_partner(&p, INT32_MAX, g->atoms[i].h_rank);
    return p;
}

/* True if an odd number of swaps sorts the partners by their numbers. */
static bool is_odd(const partners *p)
{
    int n = 0;
    for (int32_t a = 0; a < p->n; ++a)
        for (int32_t b = a + 1; b < p->n; ++b) n += p->atom[a] > p->atom[b];
    return n % 2 == 1;
}

/* Double bonds of carbon, whose partners then lie in a plane. */
static int count_double(const smiles_graph *g, int32_t i)
{
    int n = 0;
    for (int32_t k = 0; k < g->n_bonds && g->atoms[i].z == 6; ++k)
        n += g->bonds[k].symbol == '=' && (g->bonds[k].a == i || g->bonds[k].b == i);
    return n;
}

/* A mark of a planar carbon says nothing. With three partners the lone pair counts as the last; but where just one of them is written as a ring closure
 * and no hydrogen is meant, RDKit, whose habit is the custom, counts it before that. */
static shoal_status set_atom(const smiles_graph *g, int32_t i, shoal_molecule *mol,
                             smiles_error *error)
{
    const smiles_atom *atom = &g->atoms[i];
    const partners p = find_partners(g, i);
    const int n_double = count_double(g, i);
    if (n_double == 1 && p.n == 3) return SHOAL_OK;
    if (n_double == 2) {
        *error = (smiles_error){"configuration of an allene, which is not read",
                                "no mark, which leaves it open", atom->column};
        return SHOAL_E_FORMAT;
    }
    if (p.n < 3 || p.n > MOST_PARTNERS || atom->n_h > 1) {
        *error = (smiles_error){"configuration of an atom that cannot have one",
                                "three or four partners, no more than one of them a hydrogen",
                                atom->column};
        return SHOAL_E_FORMAT;
    }
    const bool turned = p.n == 3 && atom->n_rings == 1;
    return molecule_set_mark(&mol->stereo, i, is_odd(&p) != turned ? -atom->turn : atom->turn);
}

/* Of one end of a double bond: the partner with the lowest number besides the other end, and whether it
 * lies above (1), below (-1), or nothing is said (0); 2 for a contradiction. */
static int32_t look_at_end(const smiles_graph *g, int32_t i, int32_t other, int32_t *lowest)
{
    int32_t up[2] = {0, 0}, atom[2] = {-1, -1}, n = 0;
    for (int32_t k = 0; k < g->n_bonds; ++k) {
        const smiles_bond *b = &g->bonds[k];
        if (b->a != i && b->b != i) continue;
        const int32_t to = b->a == i ? b->b : b->a;
        if (to == other) continue;
        if (n == 2) return 0;
        up[n] = b->a == i ? b->up : -b->up;
        atom[n++] = to;
    }
    if (up[0] && up[0] == up[1]) return 2;
    if (n == 0) return 0;
    const int low = n == 2 && atom[1] < atom[0];
    *lowest = atom[low];
    return up[low] ? up[low] : -up[1 - low];
}

static shoal_status set_bond(const smiles_graph *g, int32_t k, shoal_molecule *mol,
                             smiles_error *error)
{
    const smiles_bond *b = &g->bonds[k];
    int32_t low[2] = {-1, -1};
    const int32_t up[2] = {look_at_end(g, b->a, b->b, &low[0]),
                           look_at_end(g, b->b, b->a, &low[1])};
    for (int e = 0; e < 2; ++e) {
        if (up[e] != 2) continue;
        *error = (smiles_error){"both partners of a double bond on one side",
                                "one with / and one with \\ as seen from the atom",
                                g->atoms[e ? b->b : b->a].column};
        return SHOAL_E_FORMAT;
    }
    if (up[0] == 0 || up[1] == 0) return SHOAL_OK;
    return molecule_set_mark(&mol->cis_trans, k, up[0] == up[1] ? 1 : -1);
}

shoal_status smiles_set_stereo(const smiles_graph *g, shoal_molecule *mol, smiles_error *error)
{
    bool directed = false;
    for (int32_t i = 0; i < g->n_atoms; ++i)
        if (g->atoms[i].turn) SHOAL_TRY(set_atom(g, i, mol, error));
    for (int32_t k = 0; k < g->n_bonds; ++k) directed = directed || g->bonds[k].up;
    for (int32_t k = 0; directed && k < g->n_bonds; ++k)
        if (g->bonds[k].symbol == '=') SHOAL_TRY(set_bond(g, k, mol, error));
    return SHOAL_OK;
}
