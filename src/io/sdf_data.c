/* SPDX-License-Identifier: BSD-3-Clause
 * Reading the data fields of an SDF record, and using those with a meaning. */
#include <math.h>

#include "io/result_fields.h"
#include "io/sdf.h"

static bool is_end(shoal_span line)
{
    return shoal_span_starts(line, "$$$$");
}

/* The key of a header line: what stands between < and the last >, else what follows the mark. */
static shoal_span header_key(shoal_span line)
{
    const char *open = memchr(line.text, '<', line.size);
    if (!open) return shoal_span_trim(shoal_span_after(line, 1));
    const size_t first = (size_t)(open - line.text) + 1;
    size_t last = line.size;
    while (last > first && line.text[last - 1] != '>') --last;
    if (last == first) return shoal_span_trim(shoal_span_after(line, 1));
    return shoal_span_trim((shoal_span){line.text + first, last - 1 - first});
}

/* A header comes after a blank line or a header; elsewhere only <key> makes one. */
static bool is_header(shoal_span line, bool after_blank)
{
    if (line.size == 0 || line.text[0] != '>') return false;
    if (after_blank) return true;
    const char *open = memchr(line.text, '<', line.size);
    return open && memchr(open, '>', line.size - (size_t)(open - line.text));
}

/* The lines of one field, blank ones inside it included, up to the next header or the end of the
 * record, which is left for the next call. */
static shoal_status read_value(shoal_reader *rd)
{
    int64_t n_blank = 0;
    bool first = true;
    SHOAL_TRY(shoal_string_set(&rd->value, (shoal_span){"", 0}));
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(rd->in, &line, &found));
        if (!found && n_blank > 0) return SHOAL_OK;
        if (!found) return shoal_input_need(rd->in, &line, "the rest of a data field, or '$$$$'");
        if (is_end(line) || is_header(line, first || n_blank > 0)) {
            shoal_input_unread(rd->in);
            return SHOAL_OK;
        }
        if (shoal_span_trim(line).size == 0) {
            ++n_blank;
            continue;
        }
        if (!first) ++n_blank;
        for (; n_blank > 0; --n_blank)
            SHOAL_TRY(shoal_string_append(&rd->value, shoal_span_of("\n")));
        SHOAL_TRY(shoal_string_append(&rd->value, line));
        first = false;
    }
}

/* Partial charges in e, if the field holds one for every atom. */
static void use_charges(shoal_molecule *mol, const char *key)
{
    const char *value = shoal_molecule_property(mol, key);
    if (!value || mol->has_charges || mol->n_atoms == 0) return;
    mol->has_charges = reader_numbers(shoal_span_of(value), mol->n_atoms, mol->charge);
    if (!mol->has_charges) memset(mol->charge, 0, (size_t)mol->n_atoms * sizeof *mol->charge);
}

/* The cell as the writer states it; without pbc all three vectors repeat. */
static shoal_status use_cell(shoal_reader *rd, shoal_molecule *mol)
{
    double cell[3][3];
    bool pbc[3] = {true, true, true};
    const char *lattice = shoal_molecule_property(mol, "Lattice");
    const char *flags = shoal_molecule_property(mol, "pbc");
    if (!lattice) return SHOAL_OK;
    const shoal_span text = shoal_span_of(lattice);
    if (!reader_numbers(text, 9, cell[0]))
        return shoal_input_fail(rd->in, text, "bad Lattice", "nine finite numbers");
    if (flags && !reader_flags(shoal_span_of(flags), pbc))
        return shoal_input_fail(rd->in, shoal_span_of(flags), "bad pbc", "three of T or F");
    const shoal_status status = shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc);
    if (status != SHOAL_OK) return shoal_input_refuse(rd->in, text, "bad cell", status);
    shoal_molecule_remove_property(mol, "Lattice");
    shoal_molecule_remove_property(mol, "pbc");
    return SHOAL_OK;
}

/* All digits of the coordinates, angstrom, in a record that Shoal wrote: V2000 has four decimals. Whoever
 * changed the columns meant it, so they must agree. */
static void use_positions(shoal_molecule *mol)
{
    const double rounding = 0.5e-4 * (1.0 + 1e-6);
    shoal_span rest = result_words(mol, RESULT_POSITIONS, 3);
    const shoal_span all = rest;
    double x;
    bool agrees = rest.text != NULL;
    for (int32_t k = 0; k < 3 * mol->n_atoms && agrees; ++k)
        agrees = shoal_text_double(shoal_span_word(&rest), &x) &&
                 fabs(x - mol->pos[k / 3][k % 3]) <= rounding;
    rest = all;
    for (int32_t k = 0; k < 3 * mol->n_atoms && agrees; ++k)
        (void)shoal_text_double(shoal_span_word(&rest), &mol->pos[k / 3][k % 3]);
    shoal_molecule_remove_property(mol, result_names[RESULT_POSITIONS]);
}

/* Orders that resonance structures share, in a record that Shoal wrote. Whoever changed the bonds meant it: a field that
 * does not fit them is not heeded. */
static void use_orders(shoal_molecule *mol)
{
    const char *text = shoal_molecule_property(mol, result_names[RESULT_ORDERS]);
    if (!text) return;
    shoal_span rest = shoal_span_of(text);
    const shoal_span found = shoal_span_word(&rest);
    bool fits = shoal_span_equal(found, "found");
    while (fits) {
        int32_t b;
        double order;
        const shoal_span number = shoal_span_word(&rest);
        if (number.size == 0) break;
        fits = shoal_text_int(number, &b) && b >= 1 && b <= mol->n_bonds &&
               shoal_text_double(shoal_span_word(&rest), &order) && molecule_is_shared(order);
        if (fits) mol->bonds[b - 1].shared = order;
    }
    for (int32_t b = 0; b < mol->n_bonds && !fits; ++b) mol->bonds[b].shared = 0;
    mol->orders_found = fits;
    shoal_molecule_remove_property(mol, result_names[RESULT_ORDERS]);
}

/* The last record need not end with $$$$. A data field that no blank line ends was cut. */
shoal_status sdf_data_read(shoal_reader *rd, shoal_molecule *mol)
{
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(rd->in, &line, &found));
        if (!found || is_end(line)) break;
        if (shoal_span_trim(line).size == 0) continue;
        if (!is_header(line, true))
            return shoal_input_fail(rd->in, line, "unexpected line", "'> <key>' or '$$$$'");
        const shoal_span key = header_key(line);
        if (key.size == 0)
            return shoal_input_fail(rd->in, line, "data field without a name", "'> <key>'");
        SHOAL_TRY(shoal_string_set(&rd->key, key));
        SHOAL_TRY(read_value(rd));
        SHOAL_TRY(reader_add_property(rd, mol));
    }
    if (result_is_marked(mol)) use_positions(mol);
    if (result_is_marked(mol)) use_orders(mol);
    use_charges(mol, "atom.dprop.PartialCharge");
    use_charges(mol, "partial_charges");
    return use_cell(rd, mol);
}
