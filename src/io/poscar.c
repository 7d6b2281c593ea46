/* SPDX-License-Identifier: BSD-3-Clause
 * Reading POSCAR and CONTCAR, the files of structures of VASP. */
#include <math.h>

#include "io/reader.h"

enum { MOST_SPECIES = 1024 };

typedef struct poscar_record {
    shoal_span comment;
    double scale[3];
    double cell[3][3];
    int32_t n_species, z[MOST_SPECIES], count[MOST_SPECIES];
    bool cartesian;
} poscar_record;

/* A positive factor, minus the volume of the cell, or a factor for each direction of space. */
static shoal_status read_scale(shoal_reader *rd, poscar_record *r)
{
    shoal_span line, rest;
    int n = 0;
    r->scale[0] = 0;
    SHOAL_TRY(shoal_input_need(rd->in, &line, "the factor of the cell"));
    rest = line;
    while (n < 3 && shoal_text_double(shoal_span_word(&rest), &r->scale[n])) ++n;
    if (n < 3) r->scale[1] = r->scale[2] = r->scale[0];
    for (int k = 0; k < 3; ++k)
        if (n == 0 || !(fabs(r->scale[k]) > 0) || (n == 3 && r->scale[k] < 0))
            return shoal_input_fail(rd->in, line, "bad factor",
                                    "a factor, minus a volume, or three factors");
    return SHOAL_OK;
}

static shoal_status read_cell(shoal_reader *rd, poscar_record *r)
{
    SHOAL_TRY(read_scale(rd, r));
    for (int k = 0; k < 3; ++k) {
        shoal_span line;
        SHOAL_TRY(shoal_input_need(rd->in, &line, "three cell vectors"));
        shoal_span rest = line;
        for (int x = 0; x < 3; ++x)
            if (!shoal_text_double(shoal_span_word(&rest), &r->cell[k][x]))
                return shoal_input_fail(rd->in, shoal_span_trim(line), "bad cell vector",
                                        "three numbers");
    }
    const double(*c)[3] = (const double(*)[3])r->cell;
    const double volume = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                          c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                          c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
    if (r->scale[0] < 0) r->scale[0] = cbrt(-r->scale[0] / fabs(volume));
    if (r->scale[1] < 0) r->scale[1] = r->scale[2] = r->scale[0];
    for (int k = 0; k < 9; ++k) r->cell[k / 3][k % 3] *= r->scale[k % 3];
    return SHOAL_OK;
}

/* Symbols such as Fe, Fe_pv or Fe/1a2b. */
static shoal_status read_symbols(shoal_reader *rd, poscar_record *r, shoal_span line)
{
    r->n_species = 0;
    for (shoal_span word; (word = shoal_span_word(&line)).size > 0;) {
        int32_t isotope;
        shoal_span symbol = {word.text, 0};
        while (symbol.size < word.size && shoal_is_letter(word.text[symbol.size])) ++symbol.size;
        if (r->n_species == MOST_SPECIES)
            return shoal_input_fail(rd->in, word, "one species too many", "at most %d",
                                    (int)MOST_SPECIES);
        SHOAL_TRY(reader_symbol(rd, symbol, &r->z[r->n_species++], &isotope));
    }
    return SHOAL_OK;
}

static shoal_status read_counts(shoal_reader *rd, poscar_record *r, shoal_span line)
{
    shoal_span rest = line;
    int32_t n = 0;
    int64_t sum = 0;
    for (shoal_span word; (word = shoal_span_word(&rest)).size > 0; ++n) {
        if (n >= r->n_species || !shoal_text_int(word, &r->count[n]) || r->count[n] < 0)
            return shoal_input_fail(rd->in, shoal_span_trim(line), "bad counts",
                                    "a number of atoms for each of %d species", r->n_species);
        sum += r->count[n];
    }
    if (n == r->n_species && n > 0 && sum > 0 && sum <= INT32_MAX) return SHOAL_OK;
    return shoal_input_fail(rd->in, shoal_span_trim(line), "bad counts",
                            "a number of atoms for each of %d species", r->n_species);
}

/* Files of VASP 4 have no line of symbols: they must be in the first line. */
static shoal_status read_species(shoal_reader *rd, poscar_record *r)
{
    shoal_span line;
    SHOAL_TRY(shoal_input_need(rd->in, &line, "the symbols of the elements"));
    const shoal_span start = shoal_span_trim(line);
    if (start.size > 0 && shoal_is_digit(start.text[0])) {
        if (read_symbols(rd, r, r->comment) != SHOAL_OK)
            return shoal_input_fail(rd->in, start, "numbers of atoms without elements",
                                    "a line of symbols before it, or in the first line");
        return read_counts(rd, r, line);
    }
    SHOAL_TRY(read_symbols(rd, r, line));
    SHOAL_TRY(shoal_input_need(rd->in, &line, "the numbers of atoms"));
    return read_counts(rd, r, line);
}

/* "Selective dynamics" may stand before it. */
static shoal_status read_mode(shoal_reader *rd, poscar_record *r)
{
    for (bool selective = false;; selective = true) {
        shoal_span line;
        SHOAL_TRY(shoal_input_need(rd->in, &line, "Direct or Cartesian"));
        const shoal_span word = shoal_span_trim(line);
        const char c = word.size > 0 ? (char)(word.text[0] | 0x20) : ' ';
        if (c == 's' && !selective) continue;
        if (c != 'd' && c != 'c' && c != 'k')
            return shoal_input_fail(rd->in, word, "unknown coordinates", "Direct or Cartesian");
        r->cartesian = c != 'd';
        return SHOAL_OK;
    }
}

static shoal_status read_atom(shoal_reader *rd, const poscar_record *r, int32_t z,
                              shoal_molecule *mol)
{
    shoal_span line;
    double x[3], pos[3];
    SHOAL_TRY(shoal_input_need(rd->in, &line, "the coordinates of an atom"));
    for (int k = 0; k < 3; ++k) SHOAL_TRY(reader_coordinate(rd, shoal_span_word(&line), &x[k]));
    for (int k = 0; k < 3; ++k)
        pos[k] = r->cartesian ? x[k] * r->scale[k]
                              : x[0] * r->cell[0][k] + x[1] * r->cell[1][k] + x[2] * r->cell[2][k];
    for (int k = 0; k < 3; ++k)
        if (!isfinite(pos[k]))
            return shoal_input_fail(rd->in, line, "bad coordinate", "a finite number");
    return shoal_molecule_add_atom(mol, z, pos);
}

shoal_status poscar_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    static const bool pbc[3] = {true, true, true};
    poscar_record r;
    SHOAL_TRY(shoal_input_line(rd->in, &r.comment, found));
    if (!*found) return SHOAL_OK;
    SHOAL_TRY(read_cell(rd, &r));
    const shoal_status status = shoal_molecule_set_cell(mol, (const double(*)[3])r.cell, pbc);
    if (status != SHOAL_OK) return shoal_input_refuse(rd->in, r.comment, "bad cell", status);
    SHOAL_TRY(read_species(rd, &r));
    SHOAL_TRY(read_mode(rd, &r));
    SHOAL_TRY(molecule_set_name(mol, shoal_span_trim(r.comment)));
    for (int32_t s = 0; s < r.n_species; ++s)
        for (int32_t i = 0; i < r.count[s]; ++i) SHOAL_TRY(read_atom(rd, &r, r.z[s], mol));
    return SHOAL_OK;
}
