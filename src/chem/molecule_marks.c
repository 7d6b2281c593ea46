/* SPDX-License-Identifier: BSD-3-Clause
 * What files say of molecules that Shoal only passes on: isotopes, stereo marks, header lines. */
#include <stdlib.h>

#include "base/alloc.h"
#include "chem/molecule.h"

enum { MAX_MASS_NUMBER = 400 };

shoal_status molecule_set_mark(molecule_marks *marks, int32_t i, int32_t value)
{
    if (i >= marks->n) {
        if (value == 0) return SHOAL_OK;
        SHOAL_TRY(SHOAL_RESERVE(&marks->of, &marks->capacity, i + 1));
        memset(&marks->of[marks->n], 0, (size_t)(i + 1 - marks->n) * sizeof *marks->of);
        marks->n = i + 1;
    }
    marks->of[i] = value;
    return SHOAL_OK;
}

shoal_status molecule_set_line(shoal_molecule *mol, int k, shoal_span text)
{
    return molecule_keep_text(&mol->lines[k], &mol->line_capacity[k], text);
}

void molecule_clear_marks(shoal_molecule *mol)
{
    mol->isotope.n = mol->parity.n = mol->bond_stereo.n = 0;
    mol->stereo.n = mol->cis_trans.n = 0;
    mol->chiral = false;
    for (int k = 0; k < MOLECULE_N_LINES; ++k)
        if (mol->lines[k]) mol->lines[k][0] = '\0';
}

static shoal_status copy_marks(molecule_marks *dst, const molecule_marks *src)
{
    if (src->n == 0) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&dst->of, &dst->capacity, src->n));
    memcpy(dst->of, src->of, (size_t)src->n * sizeof *src->of);
    dst->n = src->n;
    return SHOAL_OK;
}

shoal_status molecule_copy_marks(shoal_molecule *dst, const shoal_molecule *src)
{
    SHOAL_TRY(copy_marks(&dst->isotope, &src->isotope));
    SHOAL_TRY(copy_marks(&dst->parity, &src->parity));
    SHOAL_TRY(copy_marks(&dst->bond_stereo, &src->bond_stereo));
    SHOAL_TRY(copy_marks(&dst->stereo, &src->stereo));
    SHOAL_TRY(copy_marks(&dst->cis_trans, &src->cis_trans));
    dst->chiral = src->chiral;
    for (int k = 0; k < MOLECULE_N_LINES; ++k)
        if (src->lines[k]) SHOAL_TRY(molecule_set_line(dst, k, shoal_span_of(src->lines[k])));
    return SHOAL_OK;
}

void molecule_free_marks(shoal_molecule *mol)
{
    free(mol->isotope.of);
    free(mol->parity.of);
    free(mol->bond_stereo.of);
    free(mol->stereo.of);
    free(mol->cis_trans.of);
    for (int k = 0; k < MOLECULE_N_LINES; ++k) free(mol->lines[k]);
}

shoal_status shoal_molecule_set_isotope(shoal_molecule *mol, int32_t i_atom, int32_t mass_number)
{
    shoal_clear_error();
    SHOAL_NEED(mol);
    if (i_atom < 0 || i_atom >= mol->n_atoms)
        return shoal_fail(SHOAL_E_ARGUMENT, "atom index %d, expected 0 to %d", i_atom,
                          mol->n_atoms - 1);
    if (mass_number < 0 || mass_number > MAX_MASS_NUMBER)
        return shoal_fail(SHOAL_E_ARGUMENT, "mass number %d, expected 0 to %d", mass_number,
                          MAX_MASS_NUMBER);
    return molecule_set_mark(&mol->isotope, i_atom, mass_number);
}

int32_t shoal_molecule_isotope(const shoal_molecule *mol, int32_t i_atom)
{
    return mol && i_atom >= 0 ? molecule_mark(&mol->isotope, i_atom) : 0;
}
