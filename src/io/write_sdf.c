/* SPDX-License-Identifier: BSD-3-Clause
 * Writing SDF: V2000, or V3000 where V2000 cannot hold the molecule, and data fields. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chem/flat.h"
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

static int32_t charge_of(const shoal_molecule *mol, int32_t i)
{
    return mol->formal_charge[i];
}

static int32_t radical_of(const shoal_molecule *mol, int32_t i)
{
    return radical_code(mol->radical[i]);
}

static int32_t isotope_of(const shoal_molecule *mol, int32_t i)
{
    return molecule_mark(&mol->isotope, i);
}

/* "M  CHG", "M  RAD" or "M  ISO" lines of up to eight pairs. */
static void put_pairs(shoal_string *out, const shoal_molecule *mol, const char *what,
                      int32_t (*value_of)(const shoal_molecule *, int32_t))
{
    int32_t atoms[8], n = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        if (value_of(mol, i) != 0) atoms[n++] = i;
        if (n == 0 || (n < 8 && i + 1 < mol->n_atoms)) continue;
        shoal_string_put_text(out, what);
        shoal_string_put_fixed(out, n, 3, 0);
        for (int32_t k = 0; k < n; ++k) {
            shoal_string_put_fixed(out, atoms[k] + 1, 4, 0);
            shoal_string_put_fixed(out, value_of(mol, atoms[k]), 4, 0);
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

/* Without coordinates the configuration that is known, otherwise what the file said. */
static int32_t parity_of(const shoal_molecule *mol, int32_t i)
{
    const int32_t stereo = molecule_mark(&mol->stereo, i);
    if (mol->geometry != SHOAL_GEOMETRY_NONE || stereo == 0) return molecule_mark(&mol->parity, i);
    return (stereo > 0) != (molecule_hydrogen_swaps(mol, i) % 2 == 1) ? 2 : 1;
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
    to[41] = (char)('0' + parity_of(mol, i));
}

/* A number of up to three digits, right-aligned in three columns of blanks. */
static void put_three(char *to, int32_t x)
{
    to[2] = (char)('0' + x % 10);
    if (x >= 10) to[1] = (char)('0' + x / 10 % 10);
    if (x >= 100) to[0] = (char)('0' + x / 100);
}

/* A stereo mark belongs to the end that is named first. */
static void put_bond(char *to, const shoal_bond *bond, int32_t stereo)
{
    memcpy(to, "           0\n", BOND_LINE);
    put_three(to, (stereo < 0 ? bond->j : bond->i) + 1);
    put_three(to + 3, (stereo < 0 ? bond->i : bond->j) + 1);
    put_three(to + 6, bond->order);
    to[11] = (char)('0' + abs(stereo));
}

static void put_v2000(shoal_string *out, const shoal_molecule *mol)
{
    const size_t size = (size_t)mol->n_atoms * ATOM_LINE + (size_t)mol->n_bonds * BOND_LINE;
    shoal_string_put_fixed(out, mol->n_atoms, 3, 0);
    shoal_string_put_fixed(out, mol->n_bonds, 3, 0);
    shoal_string_put_text(out, mol->chiral ? "  0  0  1" : "  0  0  0");
    shoal_string_put_text(out, "  0  0  0  0  0999 V2000\n");
    char *to = shoal_string_room(out, size);
    if (!to) return;
    for (int32_t i = 0; i < mol->n_atoms; ++i, to += ATOM_LINE) put_atom(to, mol, i);
    for (int32_t b = 0; b < mol->n_bonds; ++b, to += BOND_LINE)
        put_bond(to, &mol->bonds[b], molecule_mark(&mol->bond_stereo, b));
    out->size += size;
    put_pairs(out, mol, "M  CHG", charge_of);
    put_pairs(out, mol, "M  RAD", radical_of);
    if (mol->isotope.n > 0) put_pairs(out, mol, "M  ISO", isotope_of);
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
    char line[320], x[3][SHOAL_NUMBER_SIZE], charge[24] = "", radical[24] = "";
    char isotope[24] = "", parity[24] = "";
    for (int k = 0; k < 3; ++k) (void)shoal_text_print(x[k], mol->pos[i][k]);
    if (mol->formal_charge[i] != 0)
        (void)snprintf(charge, sizeof charge, " CHG=%d", mol->formal_charge[i]);
    if (mol->radical[i] != 0)
        (void)snprintf(radical, sizeof radical, " RAD=%d", radical_code(mol->radical[i]));
    if (molecule_mark(&mol->isotope, i) != 0)
        (void)snprintf(isotope, sizeof isotope, " MASS=%d", molecule_mark(&mol->isotope, i));
    if (parity_of(mol, i) != 0) (void)snprintf(parity, sizeof parity, " CFG=%d", parity_of(mol, i));
    (void)snprintf(line, sizeof line, "%d %s %s %s %s 0%s%s%s%s", i + 1,
                   shoal_element_symbol(mol->element[i]), x[0], x[1], x[2], charge, radical,
                   isotope, parity);
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

static void put_v3000_bond(shoal_string *out, const shoal_molecule *mol, int32_t b)
{
    static const int32_t configurations[] = {0, 1, 2, 2, 2, 2, 3};
    const shoal_bond *bond = &mol->bonds[b];
    const int32_t stereo = molecule_mark(&mol->bond_stereo, b);
    const int32_t i = stereo < 0 ? bond->j : bond->i, j = stereo < 0 ? bond->i : bond->j;
    put_integers(out, "M  V30", (int32_t[]){b + 1, bond->order, i + 1, j + 1}, 4);
    if (stereo != 0) {
        shoal_string_put_text(out, " CFG=");
        shoal_string_put_integer(out, configurations[abs(stereo)]);
    }
    shoal_string_put(out, "\n", 1);
}

static void put_v3000(shoal_string *out, const shoal_molecule *mol)
{
    shoal_string_put_text(out, "  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\n");
    put_integers(out, "M  V30 COUNTS", (int32_t[]){mol->n_atoms, mol->n_bonds}, 2);
    shoal_string_put_text(out, mol->chiral ? " 0 0 1" : " 0 0 0");
    shoal_string_put_text(out, "\nM  V30 BEGIN ATOM\n");
    for (int32_t i = 0; i < mol->n_atoms; ++i) put_v3000_atom(out, mol, i);
    shoal_string_put_text(out, "M  V30 END ATOM\n");
    if (mol->n_bonds > 0) shoal_string_put_text(out, "M  V30 BEGIN BOND\n");
    for (int32_t b = 0; b < mol->n_bonds; ++b) put_v3000_bond(out, mol, b);
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

static void put_properties(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame,
                           bool marked)
{
    bool charges = !mol->has_charges;
    char name[RESULT_NAME_SIZE];
    const bool cell = writer_has_cell(mol), types = writer_has_types(mol, frame);
    for (int32_t i = 0; i < mol->n_properties; ++i) {
        const char *key = mol->properties[i].key;
        const field_fate fate = result_fate(frame, marked, &mol->properties[i]);
        if (fate == FIELD_DROPPED ||
            (types && !frame->is_result && strcmp(key, result_names[RESULT_TYPES]) == 0) ||
            (cell && (strcmp(key, "Lattice") == 0 || strcmp(key, "pbc") == 0)))
            continue;
        if (mol->has_charges && writer_is_charges(key)) {
            put_charges(out, mol, key);
            charges = true;
            continue;
        }
        if (fate == FIELD_RENAMED) result_rename(mol, key, name);
        put_field(out, fate == FIELD_RENAMED ? name : key, mol->properties[i].value);
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
    put_header(out, result_names[RESULT_TYPES]);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const char *label = writer_type(mol, frame, i);
        shoal_string_put_text(out, label[0] ? label : "-");
        shoal_string_put(out, i + 1 < mol->n_atoms ? " " : "\n", 1);
    }
    shoal_string_put(out, "\n", 1);
}

/* Three numbers of every atom on a line: forces in eV/angstrom, or coordinates in angstrom. */
static void put_vectors(shoal_string *out, result_field field, int32_t n, const double (*x)[3])
{
    put_header(out, result_names[field]);
    char *const start = shoal_string_room(out, (size_t)n * 3 * SHOAL_NUMBER_SIZE + 1), *to = start;
    if (!start) return;
    for (int32_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            to += shoal_text_print(to, x[i][k]);
            *to++ = k < 2 ? ' ' : '\n';
        }
    }
    *to++ = '\n';
    out->size += (size_t)(to - start);
}

/* The fields first to last - 1. */
static void put_results(shoal_string *out, const shoal_frame *frame, int first, int last)
{
    for (int field = first; field < last; ++field) {
        const result_value value = result_get(frame, (result_field)field);
        if (value.kind == VALUE_NONE) continue;
        if (value.kind == VALUE_TEXT) {
            put_field(out, result_names[field], value.text);
            continue;
        }
        put_header(out, result_names[field]);
        if (value.kind == VALUE_TENSOR)
            result_put_tensor(out, value.tensor);
        else if (value.kind == VALUE_NUMBER)
            shoal_string_put_number(out, value.number);
        else
            shoal_string_put_integer(out, value.integer);
        shoal_string_put(out, "\n\n", 2);
    }
}

/* Orders that perception chose, and the means of those that resonance structures share: so the force field of a result
 * is that of the run, of which the bonds show one structure alone. */
static void put_orders(shoal_string *out, const shoal_molecule *mol)
{
    put_header(out, result_names[RESULT_ORDERS]);
    shoal_string_put_text(out, "found");
    for (int32_t b = 0; b < mol->n_bonds; ++b) {
        if (mol->bonds[b].shared == 0) continue;
        shoal_string_put(out, "\n", 1);
        shoal_string_put_integer(out, b + 1);
        shoal_string_put(out, " ", 1);
        shoal_string_put_number(out, mol->bonds[b].shared);
    }
    shoal_string_put(out, "\n\n", 2);
}

/* A line that would end the record gets a blank before it. */
static void put_head_line(shoal_string *out, const char *text)
{
    if (strncmp(text, "$$$$", 4) == 0) shoal_string_put(out, " ", 1);
    writer_line(out, text);
    shoal_string_put(out, "\n", 1);
}

static void put_head(shoal_string *out, const shoal_molecule *mol)
{
    const char *program = molecule_line(mol, MOLECULE_PROGRAM);
    const bool bare = mol->geometry == SHOAL_GEOMETRY_NONE;
    put_head_line(out, mol->name);
    put_head_line(out, program[0] ? program
                       : bare     ? "  shoal             0D"
                                  : "  shoal             3D");
    put_head_line(out, molecule_line(mol, MOLECULE_COMMENT));
}

/* Where a frame comes from stands first, so that it is found without a look at the fields. */
shoal_status sdf_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    SHOAL_TRY(check_molecule(mol));
    const bool v2000 = fits_v2000(mol), marked = result_is_marked(mol);
    put_head(out, mol);
    if (v2000)
        put_v2000(out, mol);
    else
        put_v3000(out, mol);
    shoal_string_put_text(out, "M  END\n");
    put_results(out, frame, RESULT_MARK, RESULT_STATUS);
    put_properties(out, mol, frame, marked);
    if (writer_has_cell(mol)) put_cell(out, mol);
    put_results(out, frame, RESULT_STATUS, RESULT_TYPES);
    if (writer_has_types(mol, frame)) put_types(out, mol, frame);
    if (frame->forces) put_vectors(out, RESULT_FORCES, mol->n_atoms, frame->forces);
    if (v2000 && mol->n_atoms > 0 && (frame->is_result || marked))
        put_vectors(out, RESULT_POSITIONS, mol->n_atoms, (const double(*)[3])mol->pos);
    if (mol->orders_found && (frame->is_result || marked)) put_orders(out, mol);
    shoal_string_put_text(out, "$$$$\n");
    return SHOAL_OK;
}
