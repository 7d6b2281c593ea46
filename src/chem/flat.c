/* SPDX-License-Identifier: BSD-3-Clause
 * Telling drawings from geometries, and what drawings say of configurations. */
#include "chem/flat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/hydrogens.h"

#define THIN 1e-4 /* angstrom: coordinates of a plane differ by less */
enum { WEDGE_UP = 1, WEDGE_EITHER = 4, WEDGE_DOWN = 6, DOUBLE_EITHER = 3 };
enum { MOST_PARTNERS = 4 };

static bool are_all_zero(const shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c)
            if (mol->pos[i][c] != 0) return false;
    return true;
}

static bool lie_in_plane(const shoal_molecule *mol, int axis)
{
    for (int32_t i = 1; i < mol->n_atoms; ++i)
        if (!(fabs(mol->pos[i][axis] - mol->pos[0][axis]) <= THIN)) return false;
    return true;
}

/* The second line of an SD record: two letters of the user, eight of the program, ten of the date, and the
 * dimension. */
static bool is_called_flat(const shoal_molecule *mol)
{
    const char *line = molecule_line(mol, MOLECULE_PROGRAM);
    return strlen(line) >= 22 && memcmp(line + 20, "2D", 2) == 0;
}

/* Four partners do not lie in a plane, unless they are those of a metal; nor do three beside a hydrogen that was left
 * out. */
static shoal_status has_solid_atom(const shoal_molecule *mol, bool *found)
{
    int32_t *counts = shoal_alloc((size_t)mol->n_atoms, sizeof *counts);
    if (!counts) return SHOAL_E_MEMORY;
    *found = false;
    const int32_t n = shoal_molecule_missing_hydrogens(mol, counts);
    for (int32_t i = 0; i < mol->n_atoms && !*found; ++i) {
        const int32_t z = mol->element[i];
        if (z < 5 || z > 16 || (z > 7 && z < 14)) continue; /* B, C, N, Si, P, S */
        const int32_t degree = hydrogens_look(mol, i).degree;
        *found = degree >= 3 && degree + counts[i] == 4;
    }
    free(counts);
    return n < 0 ? SHOAL_E_MEMORY : SHOAL_OK;
}

/* --- what a drawing says -------------------------------------------------------------------------- */

/* Partners of an atom in the order of their numbers, with the height that wedges at this atom give them. */
typedef struct drawn_atom {
    int32_t n, atom[MOST_PARTNERS];
    double r[MOST_PARTNERS][3];
    bool wedged;
} drawn_atom;

static bool look_at_drawn(const shoal_molecule *mol, int32_t i, drawn_atom *d)
{
    *d = (drawn_atom){0};
    for (int32_t b = mol->first_bond[i]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != i]) {
        const bool second = mol->bonds[b].i != i;
        const int32_t to = second ? mol->bonds[b].i : mol->bonds[b].j;
        const int32_t mark = molecule_mark(&mol->bond_stereo, b);
        if (d->n == MOST_PARTNERS || mol->bonds[b].i == mol->bonds[b].j) return false;
        int32_t k = d->n++;
        for (; k > 0 && d->atom[k - 1] > to; --k) {
            d->atom[k] = d->atom[k - 1];
            memcpy(d->r[k], d->r[k - 1], sizeof d->r[k]);
        }
        d->atom[k] = to;
        const double x = mol->pos[to][0] - mol->pos[i][0], y = mol->pos[to][1] - mol->pos[i][1];
        const double length = sqrt(x * x + y * y);
        if (!(length > THIN)) return false;
        d->r[k][0] = x / length;
        d->r[k][1] = y / length;
        d->r[k][2] = 0;
        /* The wedge stands at the atom that is named first. */
        if (mol->bonds[b].order != SHOAL_ORDER_SINGLE || (mark < 0) != second) continue;
        if (abs(mark) == WEDGE_UP || abs(mark) == WEDGE_DOWN) {
            d->r[k][2] = abs(mark) == WEDGE_UP ? 1 : -1;
            d->wedged = true;
        }
    }
    return d->wedged && d->n >= 3;
}

static double triple(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* The sense of turning of the last three partners as seen from the first: positive if it is anticlockwise. The fourth
 * of three, a hydrogen or a lone pair, lies opposite to them. */
static double drawn_turn(const drawn_atom *d)
{
    double r[MOST_PARTNERS][3], e[3][3];
    memcpy(r, d->r, sizeof r);
    for (int c = 0; c < 3 && d->n == 3; ++c) r[3][c] = -(r[0][c] + r[1][c] + r[2][c]);
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) e[k][c] = r[k + 1][c] - r[0][c];
    return -triple(e[0], e[1], e[2]);
}

static shoal_status take_wedges(shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms && mol->bond_stereo.n > 0; ++i) {
        drawn_atom d;
        if (!look_at_drawn(mol, i, &d)) continue;
        const double turn = drawn_turn(&d);
        if (fabs(turn) > 0.05) SHOAL_TRY(molecule_set_mark(&mol->stereo, i, turn > 0 ? 1 : -1));
    }
    return SHOAL_OK;
}

/* The partner with the lowest number of one end of a bond besides the other end; -1 without one. */
static int32_t lowest_partner(const shoal_molecule *mol, int32_t i, int32_t other)
{
    int32_t lowest = -1;
    for (int32_t b = mol->first_bond[i]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != i]) {
        const int32_t to = mol->bonds[b].i == i ? mol->bonds[b].j : mol->bonds[b].i;
        if (to != other && (lowest < 0 || to < lowest)) lowest = to;
    }
    return lowest;
}

static double side(const shoal_molecule *mol, int32_t i, int32_t j, int32_t k)
{
    const double *a = mol->pos[i], *b = mol->pos[j], *c = mol->pos[k];
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static shoal_status take_double_bonds(shoal_molecule *mol)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        if (bond->order != SHOAL_ORDER_DOUBLE || bond->aromatic) continue;
        if (abs(molecule_mark(&mol->bond_stereo, b)) == DOUBLE_EITHER) continue;
        const int32_t low[2] = {lowest_partner(mol, bond->i, bond->j),
                                lowest_partner(mol, bond->j, bond->i)};
        if (low[0] < 0 || low[1] < 0) continue;
        const double s = side(mol, bond->i, bond->j, low[0]) * side(mol, bond->i, bond->j, low[1]);
        if (fabs(s) > 1e-3) SHOAL_TRY(molecule_set_mark(&mol->cis_trans, b, s > 0 ? 1 : -1));
    }
    return SHOAL_OK;
}

/* V2000: looking with the highest number, or a hydrogen, away from the eye, the others turn clockwise (1) or
 * anticlockwise (2) in the order of their numbers. */
static shoal_status take_parities(shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->parity.n && i < mol->n_atoms; ++i) {
        const int32_t parity = molecule_mark(&mol->parity, i);
        if (parity != 1 && parity != 2) continue;
        const int32_t sign = parity == 2 ? 1 : -1;
        SHOAL_TRY(
            molecule_set_mark(&mol->stereo, i, molecule_hydrogen_swaps(mol, i) % 2 ? -sign : sign));
    }
    return SHOAL_OK;
}

int32_t molecule_hydrogen_swaps(const shoal_molecule *mol, int32_t i)
{
    int32_t hydrogen = -1, above = 0;
    for (int32_t b = mol->first_bond[i]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != i]) {
        const int32_t to = mol->bonds[b].i == i ? mol->bonds[b].j : mol->bonds[b].i;
        if (mol->element[to] == 1 && to > hydrogen) hydrogen = to;
    }
    for (int32_t b = mol->first_bond[i]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != i]) {
        const int32_t to = mol->bonds[b].i == i ? mol->bonds[b].j : mol->bonds[b].i;
        above += hydrogen >= 0 && to > hydrogen;
    }
    return above;
}

bool molecule_may_be_flat(const shoal_molecule *mol)
{
    if (!mol->has_bonds || mol->n_atoms < 2 || mol->n_bonds == 0 || shoal_molecule_is_periodic(mol))
        return false;
    return mol->geometry != SHOAL_GEOMETRY_GIVEN || lie_in_plane(mol, 0) || lie_in_plane(mol, 1) ||
           lie_in_plane(mol, 2);
}

shoal_status molecule_find_geometry(shoal_molecule *mol)
{
    if (mol->geometry != SHOAL_GEOMETRY_GIVEN || !molecule_may_be_flat(mol)) return SHOAL_OK;
    bool flat = is_called_flat(mol);
    if (lie_in_plane(mol, 2) && are_all_zero(mol)) {
        mol->geometry = SHOAL_GEOMETRY_NONE;
        return take_parities(mol);
    }
    if (!flat) SHOAL_TRY(has_solid_atom(mol, &flat));
    if (!flat) return SHOAL_OK;
    mol->geometry = SHOAL_GEOMETRY_FLAT;
    if (!lie_in_plane(mol, 2)) return SHOAL_OK;
    SHOAL_TRY(take_wedges(mol));
    return take_double_bonds(mol);
}
