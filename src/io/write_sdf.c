/* SPDX-License-Identifier: BSD-3-Clause
 * Writing SDF: V2000, or V3000 where V2000 cannot hold the molecule, and data fields. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "io/writer.h"

/* The largest number in a column of three. */
enum { V2000_LIMIT = 999 };
/* Bytes of V2000 lines. */
enum { ATOM_LINE = 70, BOND_LINE = 13 };

/* Code of a number of unpaired electrons: doublet or triplet. */
static int32_t radical_code(int32_t unpaired)
{
    return unpaired == 0 ? 0 : unpaired == 1 ? 2 : 3;
}

static shoal_status check_bond(const shoal_molecule *mol, const shoal_bond *bond)
{
    const int32_t i = bond->i + 1, j = bond->j + 1;
    if (bond->shift[0] || bond->shift[1] || bond->shift[2])
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "'%.100s': the bond of atoms %d and %d crosses the "
                          "cell's border, which SDF cannot state; expected xyz",
                          mol->name, i, j);
    if (bond->order == SHOAL_ORDER_UNKNOWN)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "'%.100s': the bond of atoms %d and %d has no order, "
                          "expected a perceived molecule",
                          mol->name, i, j);
    if ((bond->order < 1 || bond->order > 4) && bond->order != SHOAL_ORDER_DATIVE)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "'%.100s': the bond of atoms %d and %d has order "
                          "%d, expected one that SDF can state",
                          mol->name, i, j, bond->order);
    return SHOAL_OK;
}

static shoal_status check_molecule(const shoal_molecule *mol)
{
    if (!mol->has_bonds && !mol->perceived && mol->n_bonds == 0 && mol->n_atoms > 1)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "'%.100s': the bonds are not known, expected a "
                          "perceived molecule",
                          mol->name);
    for (int32_t b = 0; b < mol->n_bonds; ++b) SHOAL_TRY(check_bond(mol, &mol->bonds[b]));
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->radical[i] > 2)
            return shoal_fail(SHOAL_E_UNSUPPORTED,
                              "'%.100s': atom %d has %d unpaired electrons, "
                              "expected at most 2 in SDF",
                              mol->name, i + 1, mol->radical[i]);
    return SHOAL_OK;
}

static bool fits_v2000(const shoal_molecule *mol)
{
    if (mol->n_atoms > V2000_LIMIT || mol->n_bonds > V2000_LIMIT) return false;
    for (int32_t b = 0; b < mol->n_bonds; ++b)
        if (mol->bonds[b].order == SHOAL_ORDER_DATIVE) return false;
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        for (int k = 0; k < 3; ++k)
            if (mol->pos[i][k] > 99999.9999 || mol->pos[i][k] < -9999.9999) return false;
    return true;
}

/* "M  CHG" or "M  RAD" lines of up to eight pairs. */
static void put_pairs(shoal_string *out, const shoal_molecule *mol, bool radical)
{
    int32_t atoms[8], n = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if ((radical ? mol->radical[i] : mol->formal_charge[i]) != 0) atoms[n++] = i;
        if (n == 0 || (n < 8 && i + 1 < mol->n_atoms)) continue;
        shoal_string_put_text(out, radical ? "M  RAD" : "M  CHG");
        shoal_string_put_fixed(out, n, 3, 0);
        for (int32_t k = 0; k < n; ++k) {
            shoal_string_put_fixed(out, atoms[k] + 1, 4, 0);
            shoal_string_put_fixed(
                out, radical ? radical_code(mol->radical[atoms[k]]) : mol->formal_charge[atoms[k]],
                4, 0);
        }
        shoal_string_put(out, "\n", 1);
        n = 0;
    }
}

static void put_coordinate(char *to, double x)
{
    char text[SHOAL_NUMBER_SIZE];
    if (shoal_text_coordinate(to, x)) return;
    const size_t n = shoal_text_print_fixed(text, x, 4);
    memcpy(to + 10 - n, text, n);
}

/* Three columns of %10.4f, a symbol, and codes of no interest. */
static void put_atom(char *to, const shoal_molecule *mol, int32_t i)
{
    static const char line[ATOM_LINE + 1] = "                              "
                                            "     0  0  0  0  0  0  0  0  0  0  0  0\n";
    const char *symbol = shoal_element_symbol(mol->element[i]);
    memcpy(to, line, ATOM_LINE);
    for (int k = 0; k < 3; ++k) put_coordinate(to + 10 * k, mol->pos[i][k]);
    to[31] = symbol[0];
    if (symbol[1]) to[32] = symbol[1];
}

/* A number of up to three digits, right-aligned in three columns of blanks. */
static void put_three(char *to, int32_t x)
{
    to[2] = (char)('0' + x % 10);
    if (x >= 10) to[1] = (char)('0' + x / 10 % 10);
    if (x >= 100) to[0] = (char)('0' + x / 100);
}

static void put_bond(char *to, const shoal_bond *bond)
{
    memcpy(to, "           0\n", BOND_LINE);
    put_three(to, bond->i + 1);
    put_three(to + 3, bond->j + 1);
    put_three(to + 6, bond->order);
}

static void put_v2000(shoal_string *out, const shoal_molecule *mol)
{
    const size_t size = (size_t)mol->n_atoms * ATOM_LINE + (size_t)mol->n_bonds * BOND_LINE;
    shoal_string_put_fixed(out, mol->n_atoms, 3, 0);
    shoal_string_put_fixed(out, mol->n_bonds, 3, 0);
    shoal_string_put_text(out, "  0  0  0  0  0  0  0  0999 V2000\n");
    char *to = shoal_string_room(out, size);
    if (!to) return;
    for (int32_t i = 0; i < mol->n_atoms; ++i, to += ATOM_LINE) put_atom(to, mol, i);
    for (int32_t b = 0; b < mol->n_bonds; ++b, to += BOND_LINE) put_bond(to, &mol->bonds[b]);
    out->size += size;
    put_pairs(out, mol, false);
    put_pairs(out, mol, true);
}

/* A V3000 line, broken with a dash where it would be longer than 80 characters. */
static void put_v3000_line(shoal_string *out, shoal_span text)
{
    enum { ROOM = 72 };
    while (text.size > ROOM) {
        size_t n = ROOM - 1;
        while (n > 1 && text.text[n - 1] != ' ') --n;
        if (n == 1) n = ROOM - 1;
        shoal_string_put_text(out, "M  V30 ");
        shoal_string_put_span(out, (shoal_span){text.text, n});
        shoal_string_put_text(out, "-\n");
        text = shoal_span_after(text, n);
    }
    shoal_string_put_text(out, "M  V30 ");
    shoal_string_put_span(out, text);
    shoal_string_put_text(out, "\n");
}

static void put_v3000_atom(shoal_string *out, const shoal_molecule *mol, int32_t i)
{
    char line[256], x[3][SHOAL_NUMBER_SIZE], charge[24] = "", radical[24] = "";
    for (int k = 0; k < 3; ++k) (void)shoal_text_print(x[k], mol->pos[i][k]);
    if (mol->formal_charge[i] != 0)
        (void)snprintf(charge, sizeof charge, " CHG=%d", mol->formal_charge[i]);
    if (mol->radical[i] != 0)
        (void)snprintf(radical, sizeof radical, " RAD=%d", radical_code(mol->radical[i]));
    (void)snprintf(line, sizeof line, "%d %s %s %s %s 0%s%s", i + 1,
                   shoal_element_symbol(mol->element[i]), x[0], x[1], x[2], charge, radical);
    put_v3000_line(out, shoal_span_of(line));
}

/* Each with a blank before it. */
static void put_integers(shoal_string *out, const char *before, const int32_t *values, int n)
{
    shoal_string_put_text(out, before);
    for (int k = 0; k < n; ++k) {
        shoal_string_put(out, " ", 1);
        shoal_string_put_integer(out, values[k]);
    }
}

static void put_v3000(shoal_string *out, const shoal_molecule *mol)
{
    shoal_string_put_text(out, "  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n");
    put_integers(out, "M  V30 COUNTS", (int32_t[]){mol->n_atoms, mol->n_bonds}, 2);
    shoal_string_put_text(out, " 0 0 0\nM  V30 BEGIN ATOM\n");
    for (int32_t i = 0; i < mol->n_atoms; ++i) put_v3000_atom(out, mol, i);
    shoal_string_put_text(out, "M  V30 END ATOM\n");
    if (mol->n_bonds > 0) shoal_string_put_text(out, "M  V30 BEGIN BOND\n");
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        const shoal_bond *bond = &mol->bonds[b];
        put_integers(out, "M  V30", (int32_t[]){b + 1, bond->order, bond->i + 1, bond->j + 1}, 4);
        shoal_string_put(out, "\n", 1);
    }
    if (mol->n_bonds > 0) shoal_string_put_text(out, "M  V30 END BOND\n");
    shoal_string_put_text(out, "M  V30 END CTAB\n");
}

static void put_header(shoal_string *out, const char *key)
{
    const size_t n = strlen(key);
    shoal_string_put(out, "> <", 3);
    char *to = shoal_string_room(out, n);
    if (!to) return;
    for (size_t i = 0; i < n; ++i) {
        const unsigned char c = (unsigned char)key[i];
        to[i] = c < ' ' || c == 0x7f || c == '<' || c == '>' ? '_' : key[i];
    }
    out->size += n;
    shoal_string_put(out, ">\n", 2);
}

/* A value, line by line. A line that would end the field or the record gets a blank before it. */
static void put_field(shoal_string *out, const char *key, const char *value)
{
    put_header(out, key);
    const char *line = value;
    for (;;) {
        const char *end = strchr(line, '\n');
        const size_t n = end ? (size_t)(end - line) : strlen(line);
        const shoal_span text = {line, n};
        if ((n == 0 && end) || shoal_span_starts(text, ">") || shoal_span_starts(text, "$$$$"))
            shoal_string_put_text(out, " ");
        if (n > 0 || end) {
            shoal_string_put_span(out, text);
            shoal_string_put_text(out, "\n");
        }
        if (!end) break;
        line = end + 1;
    }
    shoal_string_put_text(out, "\n");
}

static void put_charges(shoal_string *out, const shoal_molecule *mol, const char *key)
{
    put_header(out, key);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        shoal_string_put_number(out, mol->charge[i]);
        shoal_string_put_text(out, i + 1 < mol->n_atoms ? " " : "\n");
    }
    shoal_string_put_text(out, "\n");
}

static void put_properties(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    bool charges = !mol->has_charges;
    const bool cell = writer_has_cell(mol), types = writer_has_types(mol, frame);
    for (int32_t i = 0; i < mol->n_properties; ++i) {
        const char *key = mol->properties[i].key;
        if ((frame->energy && strcmp(key, "energy") == 0) ||
            (frame->status && strcmp(key, "status") == 0) ||
            (frame->forces && strcmp(key, "forces") == 0) ||
            (types && strcmp(key, "uff_types") == 0) ||
            (cell && (strcmp(key, "Lattice") == 0 || strcmp(key, "pbc") == 0)))
            continue;
        if (mol->has_charges && writer_is_charges(key)) {
            put_charges(out, mol, key);
            charges = true;
        } else {
            put_field(out, key, mol->properties[i].value);
        }
    }
    if (!charges) put_charges(out, mol, "partial_charges");
}

static void put_cell(shoal_string *out, const shoal_molecule *mol)
{
    put_header(out, "Lattice");
    writer_cell(out, mol);
    shoal_string_put_text(out, "\n\n");
    put_header(out, "pbc");
    writer_pbc(out, mol);
    shoal_string_put_text(out, "\n\n");
}

static void put_types(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    put_header(out, "uff_types");
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const char *label = writer_type(mol, frame, i);
        shoal_string_put_text(out, label[0] ? label : "-");
        shoal_string_put(out, i + 1 < mol->n_atoms ? " " : "\n", 1);
    }
    shoal_string_put(out, "\n", 1);
}

/* forces[n][3], eV/angstrom. */
static void put_forces(shoal_string *out, int32_t n, const double (*forces)[3])
{
    put_header(out, "forces");
    char *const start = shoal_string_room(out, (size_t)n * 3 * SHOAL_NUMBER_SIZE + 1), *to = start;
    if (!start) return;
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            to += shoal_text_print(to, forces[i][k]);
            *to++ = k < 2 ? ' ' : '\n';
        }
    }
    *to++ = '\n';
    out->size += (size_t)(to - start);
}

static void put_frame(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    if (frame->energy) {
        put_header(out, "energy");
        shoal_string_put_number(out, *frame->energy);
        shoal_string_put_text(out, "\n\n");
    }
    if (frame->status) put_field(out, "status", frame->status);
    if (writer_has_types(mol, frame)) put_types(out, mol, frame);
    if (frame->forces) put_forces(out, mol->n_atoms, frame->forces);
}

shoal_status sdf_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    SHOAL_TRY(check_molecule(mol));
    writer_line(out, mol->name);
    shoal_string_put_text(out, "\n  shoal             3D\n\n");
    if (fits_v2000(mol))
        put_v2000(out, mol);
    else
        put_v3000(out, mol);
    shoal_string_put_text(out, "M  END\n");
    put_properties(out, mol, frame);
    if (writer_has_cell(mol)) put_cell(out, mol);
    put_frame(out, mol, frame);
    shoal_string_put_text(out, "$$$$\n");
    return SHOAL_OK;
}
