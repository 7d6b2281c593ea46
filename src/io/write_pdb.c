/* SPDX-License-Identifier: BSD-3-Clause
 * Writing PDB and mol2. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chem/cell.h"
#include "geom/vector.h"
#include "io/writer.h"

/* a, b, c in angstrom, alpha, beta, gamma in degrees. */
static void cell_parameters(const shoal_molecule *mol, double p[6])
{
    for (int k = 0; k < 3; ++k) {
        const double *a = mol->cell[(k + 1) % 3], *b = mol->cell[(k + 2) % 3];
        double across[3];
        vector_cross(a, b, across);
        p[k] = vector_norm(mol->cell[k]);
        p[3 + k] = atan2(vector_norm(across), vector_dot(a, b)) * (180 / acos(-1.0));
    }
}

/* Both formats state a cell by lengths and angles: a along x, b in the xy plane. The atoms are turned with it. */
static bool find_turn(const shoal_molecule *mol, const double p[6], double turn[3][3])
{
    double own[3][3], dual[3][3], height[3];
    bool same = true;
    cell_of_parameters(p, own);
    cell_dual((const double(*)[3])mol->cell, dual, height);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            turn[i][j] = 0;
            for (int k = 0; k < 3; ++k) turn[i][j] += own[k][i] * dual[k][j];
            same = same && fabs(own[i][j] - mol->cell[i][j]) < 1e-9 * p[i];
        }
    return !same;
}

static bool is_crystal(const shoal_molecule *mol)
{
    return mol->pbc[0] && mol->pbc[1] && mol->pbc[2];
}

static shoal_status refuse_part(const shoal_molecule *mol, const char *format)
{
    if (is_crystal(mol) || !(mol->pbc[0] || mol->pbc[1] || mol->pbc[2])) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT,
                      "'%.100s': %s states molecules and crystals, expected none or three "
                      "directions that repeat",
                      mol->name, format);
}

shoal_status writer_check_hand(const shoal_molecule *mol, const char *format)
{
    double across[3];
    vector_cross(mol->cell[0], mol->cell[1], across);
    if (!is_crystal(mol) || vector_dot(across, mol->cell[2]) > 0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "'%.100s': %s states right-handed cells alone", mol->name,
                      format);
}

static void turned(const double turn[3][3], bool turns, const double from[3], double to[3])
{
    memcpy(to, from, 3 * sizeof *to);
    for (int i = 0; i < 3 && turns; ++i) to[i] = vector_dot(turn[i], from);
}

/* --- PDB ----------------------------------------------------------------------------------------- */

static shoal_status check_columns(const shoal_molecule *mol)
{
    if (mol->n_atoms > 99999)
        return shoal_fail(SHOAL_E_ARGUMENT, "'%.100s': PDB has columns for 99999 atoms, not for %d",
                          mol->name, mol->n_atoms);
    return writer_check_hand(mol, "PDB");
}

static void put_pdb_atom(shoal_string *out, const shoal_molecule *mol, int32_t i, const double r[3])
{
    const char *symbol = shoal_element_symbol(mol->element[i]);
    const int32_t q = mol->formal_charge[i];
    char upper[3] = "", charge[4] = "";
    for (size_t k = 0; k < 2 && symbol[k]; ++k)
        upper[k] = symbol[k] >= 'a' ? (char)(symbol[k] - 'a' + 'A') : symbol[k];
    if (mol->has_formal_charges && q != 0 && q > -10 && q < 10)
        (void)snprintf(charge, sizeof charge, "%d%c", q < 0 ? -q : q, q < 0 ? '-' : '+');
    shoal_string_print(out,
                       "HETATM%5d %2s   MOL     1    %8.3f%8.3f%8.3f  1.00  0.00          %2s%2s\n",
                       i + 1, upper, r[0], r[1], r[2], upper, charge);
}

/* Every bond from both ends, as often as its order says; a reader takes all orders for stated where one is double. */
static void put_conect(shoal_string *out, const shoal_molecule *mol)
{
    bool known = true;
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        known = known && mol->bonds[b].order >= SHOAL_ORDER_SINGLE &&
                mol->bonds[b].order <= SHOAL_ORDER_TRIPLE;
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        const int n = known ? (int)bond->order : 1;
        for (int end = 0; end < 2; ++end) {
            shoal_string_print(out, "CONECT%5d", (end ? bond->j : bond->i) + 1);
            for (int k = 0; k < n; ++k)
                shoal_string_print(out, "%5d", (end ? bond->i : bond->j) + 1);
            shoal_string_put_text(out, "\n");
        }
    }
}

/* CONECT knows no images: a bond means the nearest ones. */
static bool has_nearest_bonds(const shoal_molecule *mol)
{
    double dual[3][3], height[3];
    if (mol->n_bonds == 0 || !is_crystal(mol)) return mol->n_bonds > 0;
    cell_dual((const double(*)[3])mol->cell, dual, height);
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        for (int k = 0; k < 3; ++k) {
            double d[3];
            for (int x = 0; x < 3; ++x) d[x] = mol->pos[bond->i][x] - mol->pos[bond->j][x];
            if (fabs(vector_dot(dual[k], d) - bond->shift[k]) > 0.49) return false;
        }
        if (bond->i == bond->j) return false;
    }
    return true;
}

shoal_status pdb_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    double p[6], turn[3][3], r[3];
    bool turns = false;
    (void)frame;
    SHOAL_TRY(refuse_part(mol, "PDB"));
    SHOAL_TRY(check_columns(mol));
    shoal_string_put_text(out, "TITLE     ");
    writer_line(out, mol->name);
    shoal_string_put_text(out, "\n");
    if (is_crystal(mol)) {
        cell_parameters(mol, p);
        turns = find_turn(mol, p, turn);
        shoal_string_print(out, "CRYST1%9.3f%9.3f%9.3f%7.2f%7.2f%7.2f P 1           1\n", p[0],
                           p[1], p[2], p[3], p[4], p[5]);
    }
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        turned((const double(*)[3])turn, turns, mol->pos[i], r);
        for (int k = 0; k < 3; ++k)
            if (!(r[k] > -999.9995 && r[k] < 9999.9995))
                return shoal_fail(SHOAL_E_ARGUMENT,
                                  "'%.100s': atom %d is too far from the origin for PDB", mol->name,
                                  i + 1);
        put_pdb_atom(out, mol, i, r);
    }
    if (has_nearest_bonds(mol)) put_conect(out, mol);
    shoal_string_put_text(out, "END\n");
    return SHOAL_OK;
}

/* --- mol2 ---------------------------------------------------------------------------------------- */

/* SYBYL types by element and the bonds of an atom; elements without rules of their own have their symbol alone. */
static const char *sybyl_suffix(const shoal_molecule *mol, int32_t i)
{
    int32_t most = 1, n_double = 0, n = 0;
    bool aromatic = false;
    for (int32_t b = mol->first_bond[i]; b >= 0;
         b = mol->next_bond[b][mol->bonds[b].i == i ? 0 : 1]) {
        const shoal_bond *bond = &mol->bonds[b];
        aromatic = aromatic || bond->aromatic || bond->order == SHOAL_ORDER_AROMATIC;
        n_double += bond->order == SHOAL_ORDER_DOUBLE;
        if (bond->order <= SHOAL_ORDER_TRIPLE && bond->order > most) most = bond->order;
        ++n;
        if (bond->i == bond->j) break;
    }
    const char *by_order = most == 3 || n_double > 1 ? ".1" : most == 2 ? ".2" : ".3";
    switch (mol->element[i]) {
    case 6: return aromatic ? ".ar" : by_order;
    case 7: return aromatic ? ".ar" : n == 4 ? ".4" : by_order;
    case 8: return most == 2 || aromatic ? ".2" : ".3";
    case 16:
        return n_double == 2 ? ".o2" : n_double == 1 && n == 3 ? ".o" : most == 2 ? ".2" : ".3";
    case 15: return ".3";
    default: return "";
    }
}

static const char *mol2_order(const shoal_bond *b)
{
    if (b->aromatic || b->order == SHOAL_ORDER_AROMATIC) return "ar";
    return b->order == SHOAL_ORDER_SINGLE || b->order == SHOAL_ORDER_DATIVE ? "1"
           : b->order == SHOAL_ORDER_DOUBLE                                 ? "2"
           : b->order == SHOAL_ORDER_TRIPLE                                 ? "3"
                                                                            : "un";
}

static void put_mol2_atoms(shoal_string *out, const shoal_molecule *mol, const double turn[3][3],
                           bool turns)
{
    shoal_string_put_text(out, "@<TRIPOS>ATOM\n");
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const char *symbol = shoal_element_symbol(mol->element[i]);
        double r[3];
        turned(turn, turns, mol->pos[i], r);
        shoal_string_print(out, "%d %s%d", i + 1, symbol, i + 1);
        for (int k = 0; k < 3; ++k) {
            shoal_string_put_text(out, " ");
            shoal_string_put_number(out, r[k]);
        }
        shoal_string_print(out, " %s%s 1 MOL", symbol, sybyl_suffix(mol, i));
        if (mol->has_charges) shoal_string_put_text(out, " ");
        if (mol->has_charges) shoal_string_put_number(out, mol->charge[i]);
        shoal_string_put_text(out, "\n");
    }
}

shoal_status mol2_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    double p[6], turn[3][3];
    bool turns = false;
    (void)frame;
    SHOAL_TRY(refuse_part(mol, "mol2"));
    SHOAL_TRY(writer_check_hand(mol, "mol2"));
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (mol->bonds[b].shift[0] || mol->bonds[b].shift[1] || mol->bonds[b].shift[2])
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "'%.100s': mol2 has no word for a bond across a cell border, expected "
                "cif, pdb or xyz",
                mol->name);
    if (is_crystal(mol)) {
        cell_parameters(mol, p);
        turns = find_turn(mol, p, turn);
    }
    shoal_string_put_text(out, "@<TRIPOS>MOLECULE\n");
    writer_line(out, *mol->name ? mol->name : "****");
    shoal_string_print(out, "\n%d %d\nSMALL\n%s\n", mol->n_atoms, mol->n_bonds,
                       mol->has_charges ? "USER_CHARGES" : "NO_CHARGES");
    put_mol2_atoms(out, mol, (const double(*)[3])turn, turns);
    shoal_string_put_text(out, "@<TRIPOS>BOND\n");
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        shoal_string_print(out, "%d %d %d %s\n", b + 1, mol->bonds[b].i + 1, mol->bonds[b].j + 1,
                           mol2_order(&mol->bonds[b]));
    if (is_crystal(mol)) {
        shoal_string_put_text(out, "@<TRIPOS>CRYSIN\n");
        for (int k = 0; k < 6; ++k) {
            shoal_string_put_number(out, p[k]);
            shoal_string_put_text(out, " ");
        }
        shoal_string_put_text(out, "1 1\n");
    }
    return SHOAL_OK;
}
