/* SPDX-License-Identifier: BSD-3-Clause
 * Perception of two molecules in one, and taking one of them alone. */
#include "chem/fragments.h"

#include <stdio.h>
#include <string.h>

#include "chem/perceive.h"

shoal_status fragment_copy(shoal_molecule *dst, const shoal_molecule *src, int32_t k)
{
    const int32_t first = k == 0 ? 0 : src->n_first;
    const int32_t n = k == 0 ? src->n_first : src->n_atoms - src->n_first;
    shoal_molecule_clear(dst);
    SHOAL_TRY(molecule_reserve_atoms(dst, n));
    for (int32_t i = 0; i < n; ++i) {
        molecule_push_atom(dst, src->element[first + i], src->pos[first + i]);
        dst->formal_charge[i] = src->formal_charge[first + i];
        dst->radical[i] = src->radical[first + i];
        dst->charge[i] = src->charge[first + i];
        memcpy(dst->type[i], src->type[first + i], sizeof dst->type[i]);
        SHOAL_TRY(molecule_set_mark(&dst->isotope, i, molecule_mark(&src->isotope, first + i)));
    }
    dst->has_charges = src->has_charges;
    dst->charges_computed = src->charges_computed;
    dst->has_formal_charges = src->has_formal_charges;
    dst->n_first = n;
    dst->has_fragment_charge[0] = src->has_fragment_charge[k];
    dst->fragment_charge[0] = src->fragment_charge[k];
    return SHOAL_OK;
}

static bool has_radicals(const shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->perception->atoms[i].radicals > 0) return true;
    return false;
}

/* Neither file nor partial charges say what the charge is: neutral molecules are tried first, then what
 * fits the bonds. */
static shoal_status perceive_unstated(shoal_molecule *mol, const shoal_perceive_options *options)
{
    shoal_status status = perceive_orders(mol, options);
    if (status == SHOAL_OK) status = perceive_rest(mol);
    if (status == SHOAL_OK && !has_radicals(mol)) return SHOAL_OK;
    if (status != SHOAL_OK && status != SHOAL_E_FORMAT) return status;
    molecule_clear_bonds(mol);
    SHOAL_TRY(bonds_search(mol, options));
    SHOAL_TRY(graph_build(&mol->perception->graph, mol, &mol->perception->memory));
    shoal_clear_error();
    SHOAL_TRY(valence_find_charges(mol, &mol->perception->graph, NULL, &mol->perception->memory));
    return SHOAL_OK;
}

/* k names the fragment in texts, -1 if it is alone. */
static shoal_status perceive_one(shoal_molecule *mol, int32_t k,
                                 const shoal_perceive_options *options)
{
    mol->n_first = 0; /* an ordinary molecule from here on */
    mol->has_file_charge = mol->has_fragment_charge[0];
    mol->file_charge = mol->fragment_charge[0];
    const shoal_perceive_options own = {.bond_scale = options->bond_scale,
                                        .bond_slack = options->bond_slack};
    const bool stated = mol->has_file_charge || mol->has_charges || mol->has_formal_charges;
    const shoal_status status = stated ? perceive_orders(mol, &own) : perceive_unstated(mol, &own);
    if (status != SHOAL_E_FORMAT || k < 0) return status;
    char why[400];
    (void)snprintf(why, sizeof why, "%s", shoal_error_text());
    return shoal_fail(SHOAL_E_FORMAT, "fragment %d: %s", (int)k + 1, why);
}

/* What was found goes back to the atoms from first on. */
static shoal_status take_back(shoal_molecule *mol, const shoal_molecule *part, int32_t first)
{
    SHOAL_TRY(molecule_reserve_bonds(mol, mol->n_bonds + part->n_bonds));
    for (int32_t b = 0; b < part->n_bonds; ++b) {
        const shoal_bond *bond = &part->bonds[b];
        molecule_push_bond(mol, first + bond->i, first + bond->j, bond->order);
        mol->bonds[mol->n_bonds - 1].shared = bond->shared;
    }
    for (int32_t i = 0; i < part->n_atoms; ++i)
        mol->formal_charge[first + i] = part->formal_charge[i];
    mol->orders_found = mol->orders_found || part->orders_found;
    return SHOAL_OK;
}

shoal_status fragments_perceive(shoal_molecule *mol, const shoal_perceive_options *options)
{
    shoal_molecule *part;
    int32_t charge[2] = {0, 0};
    const int32_t n_parts = mol->n_first < mol->n_atoms ? 2 : 1;
    SHOAL_TRY(shoal_molecule_create(&part));
    shoal_status status = SHOAL_OK;
    for (int32_t k = 0; k < n_parts && status == SHOAL_OK; ++k) {
        status = fragment_copy(part, mol, k);
        if (status == SHOAL_OK) status = perceive_one(part, n_parts > 1 ? k : -1, options);
        if (status == SHOAL_OK) status = take_back(mol, part, k == 0 ? 0 : mol->n_first);
        for (int32_t i = 0; i < part->n_atoms; ++i) charge[k] += part->formal_charge[i];
    }
    shoal_molecule_destroy(part);
    if (status != SHOAL_OK) {
        molecule_clear_bonds(mol);
        return status;
    }
    mol->has_bonds = true;
    if (mol->has_asked_charge && mol->asked_charge != charge[0] + charge[1]) {
        molecule_clear_bonds(mol);
        return shoal_fail(SHOAL_E_FORMAT, "the fragments have the charge %d, not %d as requested",
                          (int)(charge[0] + charge[1]), (int)mol->asked_charge);
    }
    /* Known from now on, should the molecule be perceived again. */
    mol->has_file_charge = true;
    mol->file_charge = charge[0] + charge[1];
    return SHOAL_OK;
}

shoal_status shoal_molecule_keep_fragment(shoal_molecule *mol, int32_t fragment)
{
    shoal_clear_error();
    SHOAL_NEED(mol);
    shoal_molecule *part;
    if (fragment < 1 || fragment > 2)
        return shoal_fail(SHOAL_E_ARGUMENT, "fragment %d: expected 1 or 2", (int)fragment);
    if (mol->n_first == 0 || mol->n_first == mol->n_atoms)
        return shoal_fail(SHOAL_E_FORMAT,
                          "no fragment %d: the comment of a frame of two fragments "
                          "has n0 and Etot",
                          (int)fragment);
    SHOAL_TRY(shoal_molecule_create(&part));
    shoal_status status = fragment_copy(part, mol, fragment - 1);
    if (status == SHOAL_OK) status = molecule_set_name(part, shoal_span_of(mol->name));
    for (int32_t k = 0; k < mol->n_properties && status == SHOAL_OK; ++k)
        if (strcmp(mol->properties[k].key, "n0") != 0)
            status =
                shoal_molecule_set_property(part, mol->properties[k].key, mol->properties[k].value);
    if (status == SHOAL_OK) status = shoal_molecule_copy(mol, part);
    shoal_molecule_destroy(part);
    return status;
}
