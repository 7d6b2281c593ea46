/* SPDX-License-Identifier: BSD-3-Clause
 * Bond orders of a molecule that lost its hydrogen: lengths and angles say which bonds are multiple, and what
 * an atom is short of then is hydrogen. */
#include <math.h>

#include "chem/element.h"
#include "chem/hydrogens.h"
#include "geom/vector.h"

/* Lengths over sums of covalent radii. C-C: 1.44 and 1.26 angstrom; a bond in conjugation is 0.96. */
#define MOST_DOUBLE 0.945
#define MOST_TRIPLE 0.83
/* Volume spanned by the directions of three bonds: 0 if flat, 0.5 in C60, 0.77 if tetrahedral. */
#define FLAT 0.62
#define PYRAMID 0.68
#define NEARLY_OPPOSITE 0.87 /* cosine of 30 degrees */

double hydrogens_direction(const shoal_molecule *mol, int32_t bond, int32_t atom, double out[3])
{
    const shoal_bond *b = &mol->bonds[bond];
    const double sign = b->i == atom ? 1 : -1;
    double r2 = 0;
    for (int c = 0; c < 3; ++c) {
        double d = mol->pos[b->j][c] - mol->pos[b->i][c];
        for (int k = 0; k < 3; ++k) d += b->shift[k] * mol->cell[k][c];
        out[c] = sign * d;
        r2 += d * d;
    }
    const double r = sqrt(r2);
    if (!(r > 1e-6) || !isfinite(r)) return 0;
    for (int c = 0; c < 3; ++c) out[c] /= r;
    return r;
}

double hydrogens_ratio(const shoal_molecule *mol, int32_t bond)
{
    const shoal_bond *b = &mol->bonds[bond];
    double out[3];
    return hydrogens_direction(mol, bond, b->i, out) /
           (element_get(mol->element[b->i])->radius + element_get(mol->element[b->j])->radius);
}

/* Directions of an atom's first bonds; returns how many. */
static int32_t first_directions(const shoal_molecule *mol, int32_t atom, double out[3][3])
{
    int32_t n = 0;
    for (int32_t b = mol->first_bond[atom]; b >= 0 && n < 3;
         b = mol->next_bond[b][mol->bonds[b].i != atom])
        n += hydrogens_direction(mol, b, atom, out[n]) > 0;
    return n;
}

bool hydrogens_is_linear(const shoal_molecule *mol, int32_t atom)
{
    double d[3][3];
    if (first_directions(mol, atom, d) != 2) return false;
    return vector_dot(d[0], d[1]) < -NEARLY_OPPOSITE;
}

/* Volume spanned by the directions of three bonds. */
static double spanned(const shoal_molecule *mol, int32_t atom)
{
    double d[3][3], normal[3];
    if (first_directions(mol, atom, d) != 3) return 0;
    vector_cross(d[1], d[2], normal);
    return fabs(vector_dot(d[0], normal));
}

bool hydrogens_is_pyramid(const shoal_molecule *mol, int32_t atom)
{
    return spanned(mol, atom) > PYRAMID;
}

typedef enum shape { SHAPE_FULL, SHAPE_FLAT, SHAPE_LINEAR } shape;

/* What the directions of an atom's bonds leave open. */
static shape shape_of(const shoal_molecule *mol, int32_t atom)
{
    const int32_t z = mol->element[atom], degree = hydrogens_look(mol, atom).degree;
    if (z == 1 || element_is_metal(z)) return SHAPE_FULL;
    if (degree == 1) return SHAPE_LINEAR;
    if (degree == 2 && (z == 6 || z == 7))
        return hydrogens_is_linear(mol, atom) ? SHAPE_LINEAR : SHAPE_FLAT;
    if (degree == 3 && z == 6) return spanned(mol, atom) < FLAT ? SHAPE_FLAT : SHAPE_FULL;
    return degree > 3 && z < 10 ? SHAPE_FULL : SHAPE_FLAT;
}

static bool is_allene(const shoal_molecule *mol, int32_t atom, shape s)
{
    return mol->element[atom] == 6 && s == SHAPE_LINEAR && hydrogens_look(mol, atom).degree == 2;
}

/* An open order is at most a double bond, as of an aromatic one: see make_places in valence.c. */
static int32_t open_order(const shoal_molecule *mol, int32_t bond)
{
    const int32_t i = mol->bonds[bond].i, j = mol->bonds[bond].j;
    const int32_t zi = mol->element[i], zj = mol->element[j];
    const shape si = shape_of(mol, i), sj = shape_of(mol, j);
    const double ratio = hydrogens_ratio(mol, bond);
    if (si == SHAPE_FULL || sj == SHAPE_FULL || ratio > MOST_DOUBLE) return SHOAL_ORDER_SINGLE;
    if (si == SHAPE_LINEAR && sj == SHAPE_LINEAR && ratio < MOST_TRIPLE && (zi == 6 || zi == 7) &&
        (zj == 6 || zj == 7))
        return SHOAL_ORDER_TRIPLE;
    return SHOAL_ORDER_AROMATIC;
}

/* A straight carbon atom that found no triple bond has two double bonds. */
static void make_allenes(shoal_molecule *mol, const bool *chosen)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (!chosen[i] || mol->element[i] != 6 || hydrogens_look(mol, i).n_triple) continue;
        if (!is_allene(mol, i, shape_of(mol, i))) continue;
        for (int32_t b = mol->first_bond[i]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != i])
            if (mol->bonds[b].order == SHOAL_ORDER_AROMATIC)
                mol->bonds[b].order = SHOAL_ORDER_DOUBLE;
    }
}

static bool is_terminal_oxygen(const shoal_molecule *mol, int32_t atom)
{
    return mol->element[atom] == 8 && hydrogens_look(mol, atom).degree == 1;
}

/* Nitrogen that geometry alone makes a cation: with four partners, in a nitro group or a straight chain. */
static bool is_cation(const shoal_molecule *mol, int32_t atom)
{
    if (mol->element[atom] != 7) return false;
    const int32_t degree = hydrogens_look(mol, atom).degree;
    int32_t n_oxygen = 0;
    for (int32_t b = mol->first_bond[atom]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != atom])
        n_oxygen += is_terminal_oxygen(mol, mol->bonds[b].i + mol->bonds[b].j - atom);
    return degree == 4 || (degree == 3 && n_oxygen > 1) ||
           (degree == 2 && hydrogens_is_linear(mol, atom));
}

shoal_status hydrogens_guess_orders(shoal_molecule *mol, const bool *chosen)
{
    arena memory = {0};
    graph g;
    const bool stated = mol->has_formal_charges;
    for (int32_t i = 0; i < mol->n_atoms && !stated; ++i)
        mol->formal_charge[i] = chosen[i] && is_cation(mol, i);
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (chosen[mol->bonds[b].i] && mol->bonds[b].order != SHOAL_ORDER_DATIVE)
            mol->bonds[b].order = open_order(mol, b);
    make_allenes(mol, chosen);
    mol->has_formal_charges = true;
    shoal_status status = graph_build(&g, mol, &memory);
    if (status == SHOAL_OK) status = valence_fill_orders(mol, &g, &memory);
    mol->has_formal_charges = stated;
    arena_free(&memory);
    return status;
}
