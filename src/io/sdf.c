/* SPDX-License-Identifier: BSD-3-Clause
 * Reading mol and SDF records: header, V2000 atoms, bonds and property lines. */
#include "io/sdf.h"

#include <math.h>
#include <stdio.h>

#include "chem/element.h"

/* The fourth line of a record. */
typedef struct sdf_counts {
    int32_t n_atoms, n_bonds, n_lists;
    bool v3000, chiral;
} sdf_counts;

int32_t sdf_code(shoal_span word, int32_t most)
{
    int32_t code;
    return shoal_text_int(word, &code) && code > 0 && code <= most ? code : 0;
}

shoal_status sdf_set_charge(shoal_reader *rd, shoal_molecule *mol, int32_t i, shoal_span word)
{
    int32_t charge;
    if (!shoal_text_int(word, &charge) || charge < -15 || charge > 15)
        return shoal_input_fail(rd->in, word, "bad formal charge", "an integer from -15 to 15");
    mol->formal_charge[i] = charge;
    return SHOAL_OK;
}

shoal_status sdf_set_radical(shoal_reader *rd, shoal_molecule *mol, int32_t i, shoal_span word)
{
    static const int32_t unpaired[] = {0, 2, 1, 2};
    int32_t code;
    if (!shoal_text_int(word, &code) || code < 0 || code > 3)
        return shoal_input_fail(rd->in, word, "bad radical", "0, 1, 2 or 3");
    mol->radical[i] = unpaired[code];
    return SHOAL_OK;
}

shoal_status sdf_add_bond(shoal_reader *rd, shoal_molecule *mol, int32_t i, int32_t j,
                          shoal_span type)
{
    int32_t order;
    if (!shoal_text_int(type, &order))
        return shoal_input_fail(rd->in, type, "bad bond type", "1, 2, 3, 4 or 9");
    if (order >= 5 && order <= 8)
        return shoal_input_fail(rd->in, type, "bond type of a query", "1, 2, 3, 4 or 9");
    if ((order < 1 || order > 4) && order != 9)
        return shoal_input_fail(rd->in, type, "unknown bond type", "1, 2, 3, 4 or 9");
    const shoal_status status = shoal_molecule_add_bond(mol, i, j, (shoal_bond_order)order, NULL);
    if (status == SHOAL_OK) return SHOAL_OK;
    if (status == SHOAL_E_MEMORY) return status;
    char numbers[32];
    (void)snprintf(numbers, sizeof numbers, "%d %d", i + 1, j + 1);
    return shoal_input_fail(rd->in, shoal_span_of(numbers), "bad bond",
                            "two atoms, each pair of atoms once");
}

static shoal_status read_counts(shoal_reader *rd, shoal_span line, sdf_counts *counts)
{
    shoal_span rest = line, version = {"", 0};
    *counts = (sdf_counts){0};
    for (shoal_span word; (word = shoal_span_word(&rest)).size > 0;) version = word;
    counts->v3000 = shoal_span_equal(version, "V3000");
    if (counts->v3000) return SHOAL_OK;
    if (version.size > 0 && shoal_is_letter(version.text[0]) && !shoal_span_equal(version, "V2000"))
        return shoal_input_fail(rd->in, version, "unknown version", "V2000 or V3000");
    const shoal_span lists = shoal_span_columns(line, 6, 9);
    counts->chiral = shoal_span_equal(shoal_span_columns(line, 12, 15), "1");
    if (!shoal_text_int(shoal_span_columns(line, 0, 3), &counts->n_atoms) || counts->n_atoms < 0 ||
        !shoal_text_int(shoal_span_columns(line, 3, 6), &counts->n_bonds) || counts->n_bonds < 0)
        return shoal_input_fail(rd->in, line, "bad counts line",
                                "the numbers of atoms and bonds in columns 1-3 and 4-6");
    if (lists.size > 0 && (!shoal_text_int(lists, &counts->n_lists) || counts->n_lists < 0))
        return shoal_input_fail(rd->in, line, "bad counts line",
                                "the number of atom lists in columns 7-9");
    return SHOAL_OK;
}

/* Name, two lines that are passed on, counts. Blank lines up to the end of the file are no record. */
static shoal_status read_header(shoal_reader *rd, shoal_molecule *mol, sdf_counts *counts,
                                bool *found)
{
    bool blank = true;
    shoal_span line;
    for (int k = 0; k < 4 || blank; ++k) {
        SHOAL_TRY(shoal_input_line(rd->in, &line, found));
        if (!*found && blank) return SHOAL_OK;
        if (!*found) return shoal_input_need(rd->in, &line, "the counts line of a record");
        const shoal_span text = shoal_span_trim(line);
        if (k > 3 && text.size > 0)
            return shoal_input_fail(rd->in, text, "text behind blank lines",
                                    "a record of three header lines and a counts line");
        blank = blank && text.size == 0;
        if (k == 0) SHOAL_TRY(molecule_set_name(mol, text));
        if ((k == 1 || k == 2) && text.size > 0) SHOAL_TRY(molecule_set_line(mol, k - 1, line));
    }
    return read_counts(rd, line, counts);
}

const int32_t sdf_code_charges[8] = {0, 3, 2, 1, 0, -1, -2, -3};

/* The difference to the mass of the element, in old files; values of no meaning are left out. */
static shoal_status read_mass_difference(shoal_molecule *mol, shoal_span word)
{
    const int32_t i = mol->n_atoms - 1;
    int32_t difference;
    if (!shoal_text_int(word, &difference) || difference == 0 || difference < -3 || difference > 4)
        return SHOAL_OK;
    const int32_t mass = (int32_t)lround(element_get(mol->element[i])->mass);
    return molecule_set_mark(&mol->isotope, i, mass + difference);
}

/* The old charge column. */
static shoal_status read_charge_code(shoal_reader *rd, shoal_molecule *mol, shoal_span word)
{
    int32_t code = 0;
    if (word.size > 0 && (!shoal_text_int(word, &code) || code < 0 || code > 7))
        return shoal_input_fail(rd->in, word, "bad charge code", "0 to 7 in columns 37-39");
    mol->formal_charge[mol->n_atoms - 1] = sdf_code_charges[code];
    mol->radical[mol->n_atoms - 1] = code == 4;
    return SHOAL_OK;
}

static shoal_status read_atoms(shoal_reader *rd, shoal_molecule *mol, int32_t n)
{
    SHOAL_TRY(molecule_reserve_atoms(mol, n));
    for (int32_t i = 0; (i += sdf_take_atoms(rd->in, mol, n - i)) < n; ++i) {
        shoal_span line;
        int32_t z, isotope;
        double pos[3];
        SHOAL_TRY(shoal_input_need(rd->in, &line, "the line of atom %d of %d", i + 1, n));
        for (size_t k = 0; k < 3; ++k) {
            const shoal_span word = shoal_span_columns(line, 10 * k, 10 * k + 10);
            if (!shoal_text_double(word, &pos[k]))
                return shoal_input_fail(rd->in, word, "bad coordinate",
                                        "a finite number in columns %zu-%zu", 10 * k + 1,
                                        10 * k + 10);
        }
        SHOAL_TRY(reader_symbol(rd, shoal_span_columns(line, 31, 34), &z, &isotope));
        SHOAL_TRY(shoal_molecule_add_atom(mol, z, pos));
        SHOAL_TRY(molecule_set_mark(&mol->isotope, i, isotope));
        SHOAL_TRY(read_mass_difference(mol, shoal_span_columns(line, 34, 36)));
        SHOAL_TRY(
            molecule_set_mark(&mol->parity, i, sdf_code(shoal_span_columns(line, 39, 42), 3)));
        SHOAL_TRY(read_charge_code(rd, mol, shoal_span_columns(line, 36, 39)));
    }
    return SHOAL_OK;
}

/* An atom number from 1 to n_atoms, as index. */
static shoal_status read_index(shoal_reader *rd, const shoal_molecule *mol, shoal_span word,
                               int32_t *i)
{
    if (!shoal_text_int(word, i) || *i < 1 || *i > mol->n_atoms)
        return shoal_input_fail(rd->in, word, "no such atom", "an atom number from 1 to %d",
                                mol->n_atoms);
    --*i;
    return SHOAL_OK;
}

static shoal_status read_bonds(shoal_reader *rd, shoal_molecule *mol, int32_t n)
{
    SHOAL_TRY(molecule_reserve_bonds(mol, n));
    for (int32_t b = 0; (b += sdf_take_bonds(rd->in, mol, n - b)) < n; ++b) {
        shoal_span line;
        int32_t i, j;
        SHOAL_TRY(shoal_input_need(rd->in, &line, "the line of bond %d of %d", b + 1, n));
        SHOAL_TRY(read_index(rd, mol, shoal_span_columns(line, 0, 3), &i));
        SHOAL_TRY(read_index(rd, mol, shoal_span_columns(line, 3, 6), &j));
        SHOAL_TRY(sdf_add_bond(rd, mol, i, j, shoal_span_columns(line, 6, 9)));
        SHOAL_TRY(
            molecule_set_mark(&mol->bond_stereo, b, sdf_code(shoal_span_columns(line, 9, 12), 6)));
    }
    return SHOAL_OK;
}

/* "M  CHG", "M  RAD" or "M  ISO": a count from 1 to 8, then pairs of atom and value. */
static shoal_status read_pairs(shoal_reader *rd, shoal_molecule *mol, shoal_span line,
                               shoal_status (*set)(shoal_reader *, shoal_molecule *, int32_t,
                                                   shoal_span))
{
    shoal_span rest = shoal_span_after(line, 6);
    const shoal_span count = shoal_span_word(&rest);
    int32_t n, i;
    if (!shoal_text_int(count, &n) || n < 0 || n > 8)
        return shoal_input_fail(rd->in, count, "bad count of pairs", "1 to 8");
    for (int32_t k = 0; k < n; ++k) {
        SHOAL_TRY(read_index(rd, mol, shoal_span_word(&rest), &i));
        SHOAL_TRY(set(rd, mol, i, shoal_span_word(&rest)));
    }
    const shoal_span extra = shoal_span_word(&rest);
    if (extra.size == 0) return SHOAL_OK;
    return shoal_input_fail(rd->in, extra, "too many values", "%d pairs of atom and value", n);
}

static shoal_status skip_lines(shoal_reader *rd, int32_t n)
{
    shoal_span line;
    for (int32_t k = 0; k < n; ++k)
        SHOAL_TRY(shoal_input_need(rd->in, &line, "%d more lines and 'M  END'", n - k));
    return SHOAL_OK;
}

/* Property lines that Shoal has no use for; some bring more lines with them. */
static shoal_status skip_property(shoal_reader *rd, shoal_span line)
{
    int32_t n;
    if (shoal_span_starts(line, "A  ") || shoal_span_starts(line, "G  ")) return skip_lines(rd, 1);
    if (shoal_span_starts(line, "S  SKP")) {
        const shoal_span count = shoal_span_columns(line, 6, 9);
        if (!shoal_text_int(count, &n) || n < 0)
            return shoal_input_fail(rd->in, count, "bad S  SKP", "a number of lines to skip");
        return skip_lines(rd, n);
    }
    if (shoal_span_starts(line, "M  ") || shoal_span_starts(line, "V  ") ||
        shoal_span_trim(line).size == 0)
        return SHOAL_OK;
    return shoal_input_fail(rd->in, line, "no property line", "'M  ...' or 'M  END'");
}

/* The first charge or radical line makes all charge codes of the atom lines void. */
static shoal_status read_property_lines(shoal_reader *rd, shoal_molecule *mol)
{
    bool stated = false;
    const size_t size = (size_t)mol->n_atoms * sizeof(int32_t);
    for (;;) {
        shoal_span line;
        SHOAL_TRY(shoal_input_need(rd->in, &line, "'M  END'"));
        if (shoal_span_starts(line, "M  END")) return SHOAL_OK;
        const bool charges = shoal_span_starts(line, "M  CHG");
        const bool radicals = shoal_span_starts(line, "M  RAD");
        if (shoal_span_starts(line, "M  ISO")) {
            SHOAL_TRY(read_pairs(rd, mol, line, reader_isotope));
            continue;
        }
        if (!charges && !radicals) {
            SHOAL_TRY(skip_property(rd, line));
            continue;
        }
        if (!stated && size > 0) {
            memset(mol->formal_charge, 0, size);
            memset(mol->radical, 0, size);
        }
        stated = true;
        SHOAL_TRY(read_pairs(rd, mol, line, radicals ? sdf_set_radical : sdf_set_charge));
    }
}

shoal_status sdf_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    sdf_counts counts;
    SHOAL_TRY(read_header(rd, mol, &counts, found));
    if (!*found) return SHOAL_OK;
    mol->has_bonds = mol->has_formal_charges = true;
    mol->chiral = counts.chiral;
    if (counts.v3000) {
        SHOAL_TRY(sdf_v3000_read(rd, mol));
    } else {
        SHOAL_TRY(read_atoms(rd, mol, counts.n_atoms));
        SHOAL_TRY(read_bonds(rd, mol, counts.n_bonds));
        SHOAL_TRY(skip_lines(rd, counts.n_lists));
        SHOAL_TRY(read_property_lines(rd, mol));
    }
    return sdf_data_read(rd, mol);
}
