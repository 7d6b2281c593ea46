/* SPDX-License-Identifier: BSD-3-Clause
 * A molecule as bytes comes back with all that a copy has; bytes that were cut or changed are refused. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "chem/molecule.h"
#include "shoal/io.h"
#include "shoal/text.h"

/* Acetate with a name, fields, a cell, a type, an isotope, lines, and the charge that its file states. */
static shoal_molecule *make(void)
{
    static const int32_t z[7] = {6, 6, 8, 8, 1, 1, 1};
    static const double pos[7][3] = {{0, 0, 0},         {1.5, 0, 0},    {2.1, 1.1, 0},
                                     {2.1, -1.1, 0},    {-0.4, 1.0, 0}, {-0.4, -0.5, 0.9},
                                     {-0.4, -0.5, -0.9}};
    static const double charges[7] = {-0.3, 0.7, -0.8, -0.8, 0.05, 0.05, 0.1};
    static const double cell[3][3] = {{20, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    static const bool pbc[3] = {true, true, false};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atoms(mol, 7, z, pos) == SHOAL_OK);
    mol->has_file_charge = true;
    mol->file_charge = -1;
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK);
    CHECK(mol->orders_found);
    CHECK(shoal_molecule_set_charges(mol, charges) == SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    CHECK(shoal_molecule_set_name(mol, "acetate") == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "source", "a file") == SHOAL_OK);
    CHECK(shoal_molecule_set_property(mol, "empty", "") == SHOAL_OK);
    CHECK(shoal_molecule_set_type(mol, 0, "C_3") == SHOAL_OK);
    CHECK(shoal_molecule_set_isotope(mol, 4, 2) == SHOAL_OK);
    CHECK(molecule_set_line(mol, MOLECULE_COMMENT, shoal_span_of("a comment")) == SHOAL_OK);
    CHECK(molecule_set_mark(&mol->stereo, 1, -1) == SHOAL_OK);
    CHECK(molecule_set_mark(&mol->cis_trans, 2, 1) == SHOAL_OK);
    mol->geometry = SHOAL_GEOMETRY_FLAT;
    return mol;
}

static shoal_string *packed(const shoal_molecule *mol)
{
    shoal_string *out = NULL;
    CHECK(shoal_string_create(&out) == SHOAL_OK);
    CHECK(shoal_molecule_pack(mol, out) == SHOAL_OK);
    return out;
}

static bool are_same(const shoal_string *a, const shoal_string *b)
{
    const size_t size = shoal_string_size(a);
    return shoal_string_size(b) == size &&
           memcmp(shoal_string_data(a), shoal_string_data(b), size) == 0;
}

static void test_all_comes_back(void)
{
    shoal_molecule *mol = make(), *other = NULL;
    shoal_string *bytes = packed(mol);
    CHECK(shoal_molecule_create(&other) == SHOAL_OK);
    CHECK(shoal_molecule_set_name(other, "what was there") == SHOAL_OK);
    CHECK(shoal_molecule_unpack(other, shoal_string_data(bytes), shoal_string_size(bytes)) ==
          SHOAL_OK);
    shoal_string *again = packed(other);
    CHECK(are_same(bytes, again));
    CHECK(other->orders_found && other->has_file_charge && other->file_charge == -1);
    CHECK(strcmp(shoal_molecule_name(other), "acetate") == 0);
    CHECK(strcmp(shoal_molecule_property(other, "source"), "a file") == 0);
    CHECK(strcmp(shoal_molecule_property(other, "empty"), "") == 0);
    CHECK(shoal_molecule_isotope(other, 4) == 2 && shoal_molecule_isotope(other, 5) == 0);
    CHECK(strcmp(shoal_molecule_type(other, 0), "C_3") == 0);
    CHECK(strcmp(molecule_line(other, MOLECULE_COMMENT), "a comment") == 0);
    CHECK(molecule_mark(&other->stereo, 1) == -1 && molecule_mark(&other->cis_trans, 2) == 1);
    CHECK(shoal_molecule_geometry(other) == SHOAL_GEOMETRY_FLAT);
    double shared = 0;
    CHECK(shoal_molecule_n_bonds(other) == 6);
    for (int b = 0; b < 6; ++b) shared += shoal_molecule_bonds(other)[b].shared;
    CHECK(shared == 3);
    CHECK(shoal_molecule_perceive(other, NULL) == SHOAL_OK); /* bonds are linked */
    shoal_string_destroy(again);
    shoal_string_destroy(bytes);
    shoal_molecule_destroy(other);
    shoal_molecule_destroy(mol);
}

static void test_an_empty_one(void)
{
    shoal_molecule *mol = NULL, *other = make();
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    shoal_string *bytes = packed(mol);
    CHECK(shoal_molecule_unpack(other, shoal_string_data(bytes), shoal_string_size(bytes)) ==
          SHOAL_OK);
    CHECK(shoal_molecule_n_atoms(other) == 0 && shoal_molecule_n_properties(other) == 0);
    shoal_string_destroy(bytes);
    shoal_molecule_destroy(other);
    shoal_molecule_destroy(mol);
}

/* Cut anywhere, changed anywhere, with something behind it. */
static void test_damage_is_refused(void)
{
    shoal_molecule *mol = make();
    shoal_string *bytes = packed(mol);
    const size_t size = shoal_string_size(bytes);
    char *copy = malloc(size + 1);
    CHECK(copy != NULL);
    memcpy(copy, shoal_string_data(bytes), size);
    copy[size] = '\0';
    for (size_t n = 0; n < size; ++n) {
        CHECK(shoal_molecule_unpack(mol, copy, n) == SHOAL_E_FORMAT);
        copy[n] ^= 1;
        CHECK(shoal_molecule_unpack(mol, copy, size) == SHOAL_E_FORMAT);
        copy[n] ^= 1;
    }
    CHECK(shoal_molecule_unpack(mol, copy, size + 1) == SHOAL_E_FORMAT);
    CHECK(shoal_molecule_n_atoms(mol) == 7); /* what is refused changes nothing */
    free(copy);
    shoal_string_destroy(bytes);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_all_comes_back();
    test_an_empty_one();
    test_damage_is_refused();
    return check_done();
}
