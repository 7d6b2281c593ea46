/* SPDX-License-Identifier: BSD-3-Clause
 * Writing CIF and POSCAR: all atoms of the cell, as P 1. */
#include <math.h>
#include <stdio.h>

#include "chem/cell.h"
#include "chem/molecule.h"
#include "geom/vector.h"
#include "io/writer.h"

static shoal_status need_cell(const shoal_molecule *mol, const char *format)
{
    if (mol->pbc[0] && mol->pbc[1] && mol->pbc[2]) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "'%.100s': %s states crystals alone, expected a cell with three directions",
                      mol->name, format);
}

static void put_item(shoal_string *out, const char *name, double value)
{
    shoal_string_put_text(out, name);
    shoal_string_put_text(out, " ");
    shoal_string_put_number(out, value);
    shoal_string_put_text(out, "\n");
}

static double degrees_between(const double a[3], const double b[3])
{
    double across[3];
    vector_cross(a, b, across);
    return atan2(vector_norm(across), vector_dot(a, b)) * (180 / acos(-1.0));
}

/* A block's name has no blanks. */
static void put_name(shoal_string *out, const char *name)
{
    shoal_string_put_text(out, "data_");
    if (*name == '\0') shoal_string_put_text(out, "crystal");
    for (const char *p = name; *p && p - name < 70; ++p) {
        const char c = *p > ' ' && *p < 0x7f ? *p : '_';
        shoal_string_put(out, &c, 1);
    }
    shoal_string_put_text(out, "\n");
}

static void put_label(shoal_string *out, const shoal_molecule *mol, int32_t i)
{
    shoal_string_put_text(out, shoal_element_symbol(mol->element[i]));
    shoal_string_put_integer(out, i + 1);
}

static void put_sites(shoal_string *out, const shoal_molecule *mol, const double dual[3][3])
{
    shoal_string_put_text(out,
                          "loop_\n_atom_site_label\n_atom_site_type_symbol\n_atom_site_fract_x\n"
                          "_atom_site_fract_y\n_atom_site_fract_z\n");
    if (mol->has_charges) shoal_string_put_text(out, "_atom_site_charge\n");
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        put_label(out, mol, i);
        shoal_string_put_text(out, " ");
        const int32_t mass = mol->element[i] == 1 ? molecule_mark(&mol->isotope, i) : 0;
        shoal_string_put_text(out, mass == 2 ? "D" : shoal_element_symbol(mol->element[i]));
        for (int k = 0; k < 3; ++k) {
            shoal_string_put_text(out, " ");
            shoal_string_put_number(out, vector_dot(dual[k], mol->pos[i]));
        }
        if (mol->has_charges) shoal_string_put_text(out, " ");
        if (mol->has_charges) shoal_string_put_number(out, mol->charge[i]);
        shoal_string_put_text(out, "\n");
    }
}

static const char *type_of(const shoal_bond *b)
{
    if (b->aromatic || b->order == SHOAL_ORDER_AROMATIC) return "A";
    return b->order == SHOAL_ORDER_SINGLE   ? "S"
           : b->order == SHOAL_ORDER_DOUBLE ? "D"
           : b->order == SHOAL_ORDER_TRIPLE ? "T"
                                            : ".";
}

/* Codes of symmetry have a digit for each direction. */
static bool has_codes(const shoal_molecule *mol)
{
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        for (int k = 0; k < 3; ++k)
            if (mol->bonds[b].shift[k] < -5 || mol->bonds[b].shift[k] > 4) return false;
    return mol->n_bonds > 0;
}

static void put_bonds(shoal_string *out, const shoal_molecule *mol)
{
    if (!has_codes(mol)) return;
    shoal_string_put_text(out, "loop_\n_geom_bond_atom_site_label_1\n_geom_bond_atom_site_label_2\n"
                               "_geom_bond_distance\n_geom_bond_site_symmetry_2\n"
                               "_ccdc_geom_bond_type\n");
    for (int32_t k = 0; k < mol->n_bonds; ++k) {
        const shoal_bond *b = &mol->bonds[k];
        double r[3];
        char text[SHOAL_NUMBER_SIZE];
        for (int x = 0; x < 3; ++x)
            r[x] = mol->pos[b->j][x] - mol->pos[b->i][x] + b->shift[0] * mol->cell[0][x] +
                   b->shift[1] * mol->cell[1][x] + b->shift[2] * mol->cell[2][x];
        put_label(out, mol, b->i);
        shoal_string_put_text(out, " ");
        put_label(out, mol, b->j);
        shoal_string_put_text(out, " ");
        shoal_string_put(out, text, shoal_text_print_fixed(text, vector_norm(r), 5));
        if (b->shift[0] || b->shift[1] || b->shift[2])
            shoal_string_print(out, " 1_%d%d%d", b->shift[0] + 5, b->shift[1] + 5, b->shift[2] + 5);
        else
            shoal_string_put_text(out, " .");
        shoal_string_print(out, " %s\n", type_of(b));
    }
}

shoal_status cif_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    static const char *const lengths[] = {"_cell_length_a", "_cell_length_b", "_cell_length_c"};
    static const char *const angles[] = {"_cell_angle_alpha", "_cell_angle_beta",
                                         "_cell_angle_gamma"};
    double dual[3][3], height[3];
    (void)frame;
    SHOAL_TRY(need_cell(mol, "CIF"));
    SHOAL_TRY(writer_check_hand(mol, "CIF"));
    cell_dual((const double(*)[3])mol->cell, dual, height);
    put_name(out, mol->name);
    for (int k = 0; k < 3; ++k) put_item(out, lengths[k], vector_norm(mol->cell[k]));
    for (int k = 0; k < 3; ++k)
        put_item(out, angles[k], degrees_between(mol->cell[(k + 1) % 3], mol->cell[(k + 2) % 3]));
    shoal_string_put_text(out, "_space_group_name_H-M_alt 'P 1'\n_space_group_name_Hall 'P 1'\n"
                               "loop_\n_space_group_symop_operation_xyz\nx,y,z\n");
    put_sites(out, mol, (const double(*)[3])dual);
    put_bonds(out, mol);
    shoal_string_put_text(out, "\n");
    return SHOAL_OK;
}

/* Runs of one element, in the order of the atoms. */
static int32_t run_end(const shoal_molecule *mol, int32_t from)
{
    int32_t end = from;
    while (end < mol->n_atoms && mol->element[end] == mol->element[from]) ++end;
    return end;
}

shoal_status poscar_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    (void)frame;
    SHOAL_TRY(need_cell(mol, "POSCAR"));
    if (mol->n_atoms == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "'%.100s': POSCAR states one atom at least", mol->name);
    writer_line(out, mol->name);
    shoal_string_put_text(out, "\n1.0\n");
    for (int k = 0; k < 9; ++k) {
        shoal_string_put_number(out, mol->cell[k / 3][k % 3]);
        shoal_string_put_text(out, k % 3 == 2 ? "\n" : " ");
    }
    for (int32_t i = 0; i < mol->n_atoms; i = run_end(mol, i))
        shoal_string_print(out, "%s%s", i > 0 ? " " : "", shoal_element_symbol(mol->element[i]));
    shoal_string_put_text(out, "\n");
    for (int32_t i = 0; i < mol->n_atoms; i = run_end(mol, i))
        shoal_string_print(out, "%s%d", i > 0 ? " " : "", run_end(mol, i) - i);
    shoal_string_put_text(out, "\nCartesian\n");
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int k = 0; k < 3; ++k) {
            shoal_string_put_number(out, mol->pos[i][k]);
            shoal_string_put_text(out, k == 2 ? "\n" : " ");
        }
    return SHOAL_OK;
}
