/* SPDX-License-Identifier: BSD-3-Clause
 * Looking at a molecule; one that is not there has no atoms, no name and no cell. */
#include <string.h>

#include "chem/molecule.h"
#include "shoal/md.h"

int32_t shoal_molecule_n_atoms(const shoal_molecule *mol)
{
    return mol ? mol->n_atoms : 0;
}

int32_t shoal_molecule_n_bonds(const shoal_molecule *mol)
{
    return mol ? mol->n_bonds : 0;
}

const char *shoal_molecule_name(const shoal_molecule *mol)
{
    return mol ? mol->name : "";
}

const int32_t *shoal_molecule_elements(const shoal_molecule *mol)
{
    return mol ? mol->element : NULL;
}

const double (*shoal_molecule_positions(const shoal_molecule *mol))[3]
{
    return mol ? (const double(*)[3])mol->pos : NULL;
}

const int32_t *shoal_molecule_formal_charges(const shoal_molecule *mol)
{
    return mol ? mol->formal_charge : NULL;
}

const int32_t *shoal_molecule_radicals(const shoal_molecule *mol)
{
    return mol ? mol->radical : NULL;
}

const shoal_bond *shoal_molecule_bonds(const shoal_molecule *mol)
{
    return mol ? mol->bonds : NULL;
}

const double *shoal_molecule_charges(const shoal_molecule *mol)
{
    return mol && mol->has_charges ? mol->charge : NULL;
}

const double (*shoal_molecule_velocities(const shoal_molecule *mol))[3]
{
    const bool has = mol && mol->n_atoms > 0 && mol->n_velocities == mol->n_atoms;
    return has ? (const double(*)[3])mol->velocity : NULL;
}

const char *shoal_molecule_type(const shoal_molecule *mol, int32_t i_atom)
{
    return mol && i_atom >= 0 && i_atom < mol->n_atoms ? mol->type[i_atom] : "";
}

void shoal_molecule_cell(const shoal_molecule *mol, double cell[3][3], bool pbc[3])
{
    static const shoal_molecule nothing;
    if (!mol) mol = &nothing;
    if (cell) memcpy(cell, mol->cell, sizeof mol->cell);
    if (pbc) memcpy(pbc, mol->pbc, sizeof mol->pbc);
}

bool shoal_molecule_is_periodic(const shoal_molecule *mol)
{
    return mol && (mol->pbc[0] || mol->pbc[1] || mol->pbc[2]);
}

shoal_geometry shoal_molecule_geometry(const shoal_molecule *mol)
{
    return mol ? mol->geometry : SHOAL_GEOMETRY_GIVEN;
}

int32_t shoal_molecule_n_properties(const shoal_molecule *mol)
{
    return mol ? mol->n_properties : 0;
}

const char *shoal_molecule_property_key(const shoal_molecule *mol, int32_t i)
{
    return mol && i >= 0 && i < mol->n_properties ? mol->properties[i].key : NULL;
}

const char *shoal_molecule_property_value(const shoal_molecule *mol, int32_t i)
{
    return mol && i >= 0 && i < mol->n_properties ? mol->properties[i].value : NULL;
}
