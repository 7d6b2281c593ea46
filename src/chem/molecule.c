/* SPDX-License-Identifier: BSD-3-Clause
 * Building a molecule. */
#include "chem/molecule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/cell.h"
#include "chem/element.h"
#include "chem/perceive.h"
#include "geom/vector.h"
#include "shoal/md.h"

#define THINNEST 0.2         /* angstrom */
#define MOST_PARTS (1 << 30) /* atoms or bonds that arrays can be asked for */

static shoal_status missing(const char *what)
{
    return shoal_fail(SHOAL_E_ARGUMENT, "molecule: no %s given", what);
}

shoal_status shoal_molecule_create(shoal_molecule **out)
{
    shoal_clear_error();
    if (!out) return missing("place for the result");
    *out = NULL;
    shoal_molecule *mol = shoal_alloc(1, sizeof *mol);
    if (!mol) return SHOAL_E_MEMORY;
    const shoal_status status = molecule_set_name(mol, shoal_span_of(""));
    if (status == SHOAL_OK)
        *out = mol;
    else
        free(mol);
    return status;
}

static void drop_perception(shoal_molecule *mol)
{
    mol->perceived = false;
}

void shoal_molecule_destroy(shoal_molecule *mol)
{
    if (!mol) return;
    molecule_free_fields(mol);
    molecule_free_marks(mol);
    perception_destroy(mol->perception);
    free(mol->element);
    free(mol->pos);
    free(mol->formal_charge);
    free(mol->radical);
    free(mol->charge);
    free(mol->type);
    free(mol->first_bond);
    free(mol->velocity);
    free(mol->bonds);
    free(mol->next_bond);
    free(mol);
}

void shoal_molecule_clear(shoal_molecule *mol)
{
    if (!mol) return;
    molecule_clear_fields(mol);
    molecule_clear_marks(mol);
    mol->n_atoms = 0;
    mol->n_velocities = 0;
    mol->n_bonds = 0;
    mol->asked_charge = 0;
    mol->file_charge = 0;
    mol->has_asked_charge = mol->has_file_charge = false;
    mol->n_first = 0;
    mol->geometry = SHOAL_GEOMETRY_GIVEN;
    mol->has_fragment_charge[0] = mol->has_fragment_charge[1] = false;
    mol->has_charges = mol->charges_computed = mol->has_formal_charges = mol->has_bonds = false;
    mol->orders_found = false;
    memset(mol->cell, 0, sizeof mol->cell);
    memset(mol->pbc, 0, sizeof mol->pbc);
    drop_perception(mol);
}

shoal_status molecule_reserve_atoms(shoal_molecule *mol, int32_t n)
{
    if (n <= mol->atom_capacity) return SHOAL_OK;
    int32_t c[7];
    for (int k = 0; k < 7; ++k) c[k] = mol->atom_capacity;
    SHOAL_TRY(SHOAL_RESERVE(&mol->element, &c[0], n));
    SHOAL_TRY(SHOAL_RESERVE(&mol->pos, &c[1], n));
    SHOAL_TRY(SHOAL_RESERVE(&mol->formal_charge, &c[2], n));
    SHOAL_TRY(SHOAL_RESERVE(&mol->radical, &c[3], n));
    SHOAL_TRY(SHOAL_RESERVE(&mol->charge, &c[4], n));
    SHOAL_TRY(SHOAL_RESERVE(&mol->type, &c[5], n));
    SHOAL_TRY(SHOAL_RESERVE(&mol->first_bond, &c[6], n));
    mol->atom_capacity = c[0];
    return SHOAL_OK;
}

shoal_status molecule_reserve_bonds(shoal_molecule *mol, int32_t n)
{
    if (n <= mol->bond_capacity) return SHOAL_OK;
    int32_t c[2] = {mol->bond_capacity, mol->bond_capacity};
    SHOAL_TRY(SHOAL_RESERVE(&mol->bonds, &c[0], n));
    SHOAL_TRY(SHOAL_RESERVE(&mol->next_bond, &c[1], n));
    mol->bond_capacity = c[0];
    return SHOAL_OK;
}

void molecule_turn_bond(shoal_molecule *mol, int32_t b)
{
    shoal_bond *bond = &mol->bonds[b];
    int32_t *next = mol->next_bond[b];
    const int32_t i = bond->i, chain = next[0];
    bond->i = bond->j;
    bond->j = i;
    next[0] = next[1];
    next[1] = chain;
    for (int c = 0; c < 3; ++c) bond->shift[c] = -bond->shift[c];
    if (b < mol->bond_stereo.n) mol->bond_stereo.of[b] = -mol->bond_stereo.of[b];
}

void molecule_clear_bonds(shoal_molecule *mol)
{
    mol->n_bonds = 0;
    mol->bond_stereo.n = mol->cis_trans.n = 0;
    mol->has_bonds = mol->orders_found = mol->perceived = false;
    for (int32_t i = 0; i < mol->n_atoms; ++i) mol->first_bond[i] = -1;
}

shoal_status shoal_molecule_copy(shoal_molecule *dst, const shoal_molecule *src)
{
    shoal_clear_error();
    if (!dst || !src) return missing(dst ? "source" : "molecule");
    if (dst == src) return SHOAL_OK;
    shoal_molecule_clear(dst);
    const size_t n = (size_t)src->n_atoms;
    SHOAL_TRY(molecule_reserve_atoms(dst, src->n_atoms));
    SHOAL_TRY(molecule_reserve_bonds(dst, src->n_bonds));
    if (n > 0) {
        memcpy(dst->element, src->element, n * sizeof *src->element);
        memcpy(dst->pos, src->pos, n * sizeof *src->pos);
        memcpy(dst->formal_charge, src->formal_charge, n * sizeof *src->formal_charge);
        memcpy(dst->radical, src->radical, n * sizeof *src->radical);
        memcpy(dst->charge, src->charge, n * sizeof *src->charge);
        memcpy(dst->type, src->type, n * sizeof *src->type);
        memcpy(dst->first_bond, src->first_bond, n * sizeof *src->first_bond);
    }
    if (src->n_bonds > 0) {
        memcpy(dst->bonds, src->bonds, (size_t)src->n_bonds * sizeof *src->bonds);
        memcpy(dst->next_bond, src->next_bond, (size_t)src->n_bonds * sizeof *src->next_bond);
    }
    SHOAL_TRY(shoal_molecule_set_velocities(dst, NULL));
    dst->n_atoms = src->n_atoms;
    SHOAL_TRY(shoal_molecule_set_velocities(dst, shoal_molecule_velocities(src)));
    dst->n_bonds = src->n_bonds;
    dst->has_charges = src->has_charges;
    dst->charges_computed = src->charges_computed;
    dst->has_formal_charges = src->has_formal_charges;
    dst->has_bonds = src->has_bonds;
    dst->orders_found = src->orders_found;
    dst->asked_charge = src->asked_charge;
    dst->has_asked_charge = src->has_asked_charge;
    dst->file_charge = src->file_charge;
    dst->has_file_charge = src->has_file_charge;
    dst->n_first = src->n_first;
    dst->geometry = src->geometry;
    memcpy(dst->fragment_charge, src->fragment_charge, sizeof dst->fragment_charge);
    memcpy(dst->has_fragment_charge, src->has_fragment_charge, sizeof dst->has_fragment_charge);
    memcpy(dst->cell, src->cell, sizeof dst->cell);
    memcpy(dst->pbc, src->pbc, sizeof dst->pbc);
    SHOAL_TRY(molecule_copy_marks(dst, src));
    SHOAL_TRY(shoal_molecule_set_name(dst, src->name));
    for (int32_t i = 0; i < src->n_properties; ++i)
        SHOAL_TRY(molecule_add_property(dst, shoal_span_of(src->properties[i].key),
                                        shoal_span_of(src->properties[i].value)));
    return SHOAL_OK;
}

void molecule_push_atom(shoal_molecule *mol, int32_t z, const double pos[3])
{
    const int32_t i = mol->n_atoms++;
    mol->element[i] = z;
    memcpy(mol->pos[i], pos, sizeof mol->pos[i]);
    mol->formal_charge[i] = 0;
    mol->radical[i] = 0;
    mol->charge[i] = 0;
    memset(mol->type[i], 0, sizeof mol->type[i]);
    mol->first_bond[i] = -1;
    drop_perception(mol);
}

static shoal_status check_element(int32_t z)
{
    if (z >= 1 && z <= ELEMENT_MAX) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "atomic number %d, expected 1 to %d", z, ELEMENT_MAX);
}

shoal_status shoal_molecule_add_atom(shoal_molecule *mol, int32_t z, const double pos[3])
{
    shoal_clear_error();
    if (!mol || !pos) return missing(mol ? "position" : "molecule");
    SHOAL_TRY(check_element(z));
    SHOAL_TRY(molecule_reserve_atoms(mol, mol->n_atoms + 1));
    molecule_push_atom(mol, z, pos);
    return SHOAL_OK;
}

/* Whether n more of what there are so many of can be counted. */
static shoal_status check_more(int32_t n, int32_t present, const char *what)
{
    if (n >= 0 && n <= MOST_PARTS - present) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "%d more %s behind %d, expected 0 or more and %d in all", n,
                      what, present, MOST_PARTS);
}

shoal_status shoal_molecule_add_atoms(shoal_molecule *mol, int32_t n, const int32_t *z,
                                      const double (*pos)[3])
{
    shoal_clear_error();
    if (!mol || (n > 0 && (!z || !pos))) return missing(mol ? "elements or positions" : "molecule");
    SHOAL_TRY(check_more(n, mol->n_atoms, "atoms"));
    for (int32_t i = 0; i < n; ++i) SHOAL_TRY(check_element(z[i]));
    SHOAL_TRY(molecule_reserve_atoms(mol, mol->n_atoms + n));
    for (int32_t i = 0; i < n; ++i) molecule_push_atom(mol, z[i], pos[i]);
    return SHOAL_OK;
}

static shoal_status check_atom(const shoal_molecule *mol, int32_t i)
{
    if (!mol) return missing("molecule");
    if (i >= 0 && i < mol->n_atoms) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "atom index %d, expected 0 to %d", i, mol->n_atoms - 1);
}

/* Same pair and image, in either direction. */
static bool same_bond(const shoal_bond *a, const shoal_bond *b)
{
    if (a->i == b->i && a->j == b->j && memcmp(a->shift, b->shift, sizeof a->shift) == 0)
        return true;
    return a->i == b->j && a->j == b->i && a->shift[0] == -b->shift[0] &&
           a->shift[1] == -b->shift[1] && a->shift[2] == -b->shift[2];
}

/* A bond to an own image stands in its atom's chain once. */
static void push_bond(shoal_molecule *mol, const shoal_bond *bond)
{
    const int32_t b = mol->n_bonds++, i = bond->i, j = bond->j;
    mol->bonds[b] = *bond;
    mol->next_bond[b][0] = mol->first_bond[i];
    mol->first_bond[i] = b;
    mol->next_bond[b][1] = i == j ? -1 : mol->first_bond[j];
    if (i != j) mol->first_bond[j] = b;
    mol->has_bonds = true;
    drop_perception(mol);
}

void molecule_push_bond(shoal_molecule *mol, int32_t i, int32_t j, int32_t order)
{
    push_bond(mol, &(shoal_bond){.i = i, .j = j, .order = order});
}

bool molecule_has_bond(const shoal_molecule *mol, int32_t i, int32_t j)
{
    for (int32_t b = mol->first_bond[i]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != i]) {
        const shoal_bond *bond = &mol->bonds[b];
        if (bond->i + bond->j == i + j && !bond->shift[0] && !bond->shift[1] && !bond->shift[2])
            return true;
    }
    return false;
}

/* A bond for which there is room, unless it makes no sense. */
static shoal_status append_bond(shoal_molecule *mol, const shoal_bond *bond)
{
    const int32_t i = bond->i, j = bond->j;
    SHOAL_TRY(check_atom(mol, i));
    SHOAL_TRY(check_atom(mol, j));
    if (i == j && !bond->shift[0] && !bond->shift[1] && !bond->shift[2])
        return shoal_fail(SHOAL_E_ARGUMENT, "atom %d is bonded to itself", i);
    if ((bond->order < SHOAL_ORDER_UNKNOWN || bond->order > SHOAL_ORDER_QUADRUPLE) &&
        bond->order != SHOAL_ORDER_DATIVE)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "order %d between atoms %d and %d, expected a shoal_bond_order",
                          bond->order, i, j);
    for (int32_t b = mol->first_bond[i]; b >= 0; b = mol->next_bond[b][mol->bonds[b].i != i])
        if (same_bond(&mol->bonds[b], bond))
            return shoal_fail(SHOAL_E_ARGUMENT, "a second bond between atoms %d and %d", i, j);
    push_bond(mol, bond);
    return SHOAL_OK;
}

shoal_status shoal_molecule_add_bond(shoal_molecule *mol, int32_t i, int32_t j,
                                     shoal_bond_order order, const int32_t shift[3])
{
    shoal_clear_error();
    if (!mol) return missing("molecule");
    shoal_bond bond = {.i = i, .j = j, .order = (int32_t)order};
    if (shift) memcpy(bond.shift, shift, sizeof bond.shift);
    SHOAL_TRY(molecule_reserve_bonds(mol, mol->n_bonds + 1));
    return append_bond(mol, &bond);
}

/* The last bond goes; chains begin with what came last. */
static void pop_bond(shoal_molecule *mol)
{
    const int32_t b = --mol->n_bonds;
    const shoal_bond *bond = &mol->bonds[b];
    if (bond->i != bond->j) mol->first_bond[bond->j] = mol->next_bond[b][1];
    mol->first_bond[bond->i] = mol->next_bond[b][0];
}

shoal_status shoal_molecule_add_bonds(shoal_molecule *mol, int32_t n, const shoal_bond *bonds)
{
    shoal_clear_error();
    if (!mol || (n > 0 && !bonds)) return missing(mol ? "bonds" : "molecule");
    SHOAL_TRY(check_more(n, mol->n_bonds, "bonds"));
    SHOAL_TRY(molecule_reserve_bonds(mol, mol->n_bonds + n));
    const bool had_bonds = mol->has_bonds, perceived = mol->perceived;
    const int32_t before = mol->n_bonds;
    mol->has_bonds = true;
    drop_perception(mol);
    for (int32_t k = 0; k < n; ++k) {
        shoal_bond bond = {
            .i = bonds[k].i, .j = bonds[k].j, .order = bonds[k].order, .shared = bonds[k].shared};
        memcpy(bond.shift, bonds[k].shift, sizeof bond.shift);
        const shoal_status status = append_bond(mol, &bond);
        if (status == SHOAL_OK) continue;
        while (mol->n_bonds > before) pop_bond(mol);
        mol->has_bonds = had_bonds;
        mol->perceived = perceived;
        return status;
    }
    return SHOAL_OK;
}

/* Length, area or volume spanned by the periodic vectors, angstrom to the power of their number. */
static double periodic_measure(const double cell[3][3], const bool pbc[3])
{
    int used[3] = {0, 0, 0}, n = 0;
    double normal[3];
    for (int k = 0; k < 3; ++k)
        if (pbc[k]) used[n++] = k;
    if (n == 1) return sqrt(vector_dot(cell[used[0]], cell[used[0]]));
    vector_cross(cell[used[0]], cell[used[1]], normal);
    if (n == 2) return sqrt(vector_dot(normal, normal));
    return fabs(vector_dot(normal, cell[used[2]]));
}

/* A cell thinner than any atom would have a myriad of images within reach. */
static shoal_status check_heights(const double cell[3][3], const bool pbc[3])
{
    double full[3][3], dual[3][3], height[3];
    if (!pbc[0] && !pbc[1] && !pbc[2]) return SHOAL_OK;
    cell_complete(cell, pbc, full);
    cell_dual((const double(*)[3])full, dual, height);
    for (int k = 0; k < 3; ++k)
        if (pbc[k] && !(height[k] >= THINNEST))
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "the cell is %g A thick along vector %d, expected at least %g",
                              height[k], k, THINNEST);
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_cell(shoal_molecule *mol, const double cell[3][3],
                                     const bool pbc[3])
{
    shoal_clear_error();
    static const char *const what[] = {"", "length", "area", "volume"};
    if (!mol || !cell || !pbc) return missing(mol ? "cell" : "molecule");
    const int n = pbc[0] + pbc[1] + pbc[2];
    for (int k = 0; k < 9; ++k)
        if (!isfinite(cell[k / 3][k % 3]))
            return shoal_fail(SHOAL_E_ARGUMENT, "cell vector %d is not finite", k / 3);
    if (n > 0 && !(periodic_measure(cell, pbc) > 1e-6))
        return shoal_fail(SHOAL_E_ARGUMENT, "the %d periodic cell vectors span no %s", n, what[n]);
    SHOAL_TRY(check_heights(cell, pbc));
    memcpy(mol->cell, cell, sizeof mol->cell);
    memcpy(mol->pbc, pbc, sizeof mol->pbc);
    drop_perception(mol);
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_position(shoal_molecule *mol, int32_t i_atom, const double pos[3])
{
    shoal_clear_error();
    SHOAL_TRY(check_atom(mol, i_atom));
    if (!pos) return missing("position");
    memcpy(mol->pos[i_atom], pos, sizeof mol->pos[i_atom]);
    mol->geometry = SHOAL_GEOMETRY_GIVEN;
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_positions(shoal_molecule *mol, const double (*pos)[3])
{
    shoal_clear_error();
    if (!mol || !pos) return missing(mol ? "positions" : "molecule");
    if (mol->n_atoms > 0) memcpy(mol->pos, pos, (size_t)mol->n_atoms * sizeof *mol->pos);
    mol->geometry = SHOAL_GEOMETRY_GIVEN;
    return SHOAL_OK;
}

static shoal_status check_formal_charge(int32_t charge)
{
    if (charge >= -15 && charge <= 15) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "formal charge %d, expected -15 to 15", charge);
}

shoal_status shoal_molecule_set_formal_charge(shoal_molecule *mol, int32_t i_atom, int32_t charge)
{
    shoal_clear_error();
    SHOAL_TRY(check_atom(mol, i_atom));
    SHOAL_TRY(check_formal_charge(charge));
    mol->formal_charge[i_atom] = charge;
    mol->has_formal_charges = true;
    drop_perception(mol);
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_formal_charges(shoal_molecule *mol, const int32_t *charges)
{
    shoal_clear_error();
    if (!mol || !charges) return missing(mol ? "charges" : "molecule");
    const int32_t n = mol->n_atoms;
    for (int32_t i = 0; i < n; ++i) SHOAL_TRY(check_formal_charge(charges[i]));
    if (n > 0) memcpy(mol->formal_charge, charges, (size_t)n * sizeof *charges);
    mol->has_formal_charges = true;
    drop_perception(mol);
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_radical(shoal_molecule *mol, int32_t i_atom, int32_t n)
{
    shoal_clear_error();
    SHOAL_TRY(check_atom(mol, i_atom));
    if (n < 0 || n > 8)
        return shoal_fail(SHOAL_E_ARGUMENT, "%d unpaired electrons, expected 0 to 8", n);
    mol->radical[i_atom] = n;
    drop_perception(mol);
    return SHOAL_OK;
}

static shoal_status check_charge(double charge, int32_t i_atom)
{
    if (isfinite(charge)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "the charge of atom %d is not finite", i_atom);
}

shoal_status shoal_molecule_set_charge(shoal_molecule *mol, int32_t i_atom, double charge)
{
    shoal_clear_error();
    SHOAL_TRY(check_atom(mol, i_atom));
    SHOAL_TRY(check_charge(charge, i_atom));
    mol->charge[i_atom] = charge;
    mol->has_charges = true;
    mol->charges_computed = false;
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_charges(shoal_molecule *mol, const double *charges)
{
    shoal_clear_error();
    if (!mol || !charges) return missing(mol ? "charges" : "molecule");
    const int32_t n = mol->n_atoms;
    for (int32_t i = 0; i < n; ++i) SHOAL_TRY(check_charge(charges[i], i));
    if (n > 0) memcpy(mol->charge, charges, (size_t)n * sizeof *charges);
    mol->has_charges = true;
    mol->charges_computed = false;
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_velocities(shoal_molecule *mol, const double (*velocities)[3])
{
    shoal_clear_error();
    if (!mol) return missing("molecule");
    const int32_t n = mol->n_atoms;
    mol->n_velocities = 0;
    if (!velocities) return SHOAL_OK;
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            if (!isfinite(velocities[i][k]))
                return shoal_fail(SHOAL_E_ARGUMENT, "the velocity of atom %d is not finite", i);
    SHOAL_TRY(SHOAL_RESERVE(&mol->velocity, &mol->velocity_capacity, n));
    if (n > 0) memcpy(mol->velocity, velocities, (size_t)n * sizeof *velocities);
    mol->n_velocities = n;
    return SHOAL_OK;
}

shoal_status shoal_molecule_set_type(shoal_molecule *mol, int32_t i_atom, const char *label)
{
    shoal_clear_error();
    SHOAL_TRY(check_atom(mol, i_atom));
    if (!label) return missing("type");
    const size_t n = strlen(label);
    if (n >= SHOAL_LABEL_SIZE)
        return shoal_fail(SHOAL_E_ARGUMENT, "type label '%.20s', expected at most %d characters",
                          label, SHOAL_LABEL_SIZE - 1);
    memset(mol->type[i_atom], 0, SHOAL_LABEL_SIZE);
    memcpy(mol->type[i_atom], label, n);
    return SHOAL_OK;
}
