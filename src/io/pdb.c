/* SPDX-License-Identifier: BSD-3-Clause
 * Reading PDB: cell and space group, atoms with alternatives, bonds of CONECT. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "chem/cell.h"
#include "io/reader.h"

typedef struct pdb_record {
    bool has_cell, has_charges;
    double cell[6];
    shoal_span group, name;
    bool bad_ids; /* CONECT cannot be followed */
} pdb_record;

static bool is_record(shoal_span line, const char *name)
{
    return shoal_span_equal(shoal_span_columns(line, 0, 6), name);
}

/* 1 1 1 is written where there is no cell. */
static shoal_status read_cell(shoal_reader *rd, shoal_span line, pdb_record *r)
{
    static const size_t ends[] = {6, 15, 24, 33, 40, 47, 54};
    bool unit = true;
    for (int k = 0; k < 6; ++k) {
        const shoal_span word = shoal_span_columns(line, ends[k], ends[k + 1]);
        double *p = &r->cell[k];
        if (!shoal_text_double(word, p) || !(*p > 0) || (k > 2 ? *p >= 180 : *p > 1e5))
            return shoal_input_fail(rd->in, word, "bad CRYST1", "three lengths and three angles");
        unit = unit && (k > 2 || *p == 1);
    }
    r->group = shoal_span_columns(line, 55, 66);
    r->has_cell = !unit;
    return SHOAL_OK;
}

/* By columns 77-78, else by the name, whose element ends in column 14. */
static shoal_status read_element(shoal_reader *rd, shoal_span line, crystal_site *site)
{
    const shoal_span given = shoal_span_columns(line, 76, 78);
    const shoal_span name = shoal_span_columns(line, 12, 16);
    const char *at = line.size > 13 ? line.text + 12 : "  ";
    if (given.size > 0) return reader_symbol(rd, given, &site->z, &site->isotope);
    if (shoal_is_letter(at[0]) && shoal_is_letter(at[1]) && !(name.size == 4 && at[0] == 'H'))
        return reader_symbol(rd, (shoal_span){at, 2}, &site->z, &site->isotope);
    if (shoal_is_letter(at[0]) || shoal_is_letter(at[1]))
        return reader_symbol(rd, (shoal_span){shoal_is_letter(at[0]) ? at : at + 1, 1}, &site->z,
                             &site->isotope);
    return shoal_input_fail(rd->in, name, "unknown element", "its symbol in columns 77-78");
}

/* 2+ or 1- in columns 79-80. */
static shoal_status read_charge(shoal_reader *rd, shoal_span line, crystal_site *site,
                                pdb_record *r)
{
    const shoal_span s = shoal_span_columns(line, 78, 80);
    if (s.size == 0) return SHOAL_OK;
    if (s.size != 2 || !shoal_is_digit(s.text[0]) || (s.text[1] != '+' && s.text[1] != '-'))
        return shoal_input_fail(rd->in, s, "bad charge", "one such as 2+ in columns 79-80");
    site->formal_charge = (s.text[1] == '+' ? 1 : -1) * (s.text[0] - '0');
    r->has_charges = true;
    return SHOAL_OK;
}

static shoal_status read_atom(shoal_reader *rd, shoal_span line, pdb_record *r)
{
    crystal *c = rd->crystal;
    crystal_site site = {.line = shoal_input_at(rd->in), .occupancy = 1};
    int32_t id;
    site.label = shoal_span_columns(line, 12, 16);
    site.assembly = shoal_span_columns(line, 21, 27);
    for (size_t k = 0; k < 3; ++k)
        SHOAL_TRY(reader_coordinate(rd, shoal_span_columns(line, 30 + 8 * k, 38 + 8 * k),
                                    &site.given[k]));
    const shoal_span occupancy = shoal_span_columns(line, 54, 60);
    if (occupancy.size > 0 &&
        (!shoal_text_double(occupancy, &site.occupancy) || site.occupancy < 0))
        return shoal_input_fail(rd->in, occupancy, "bad occupancy", "0 to 1");
    const char place = line.size > 16 ? line.text[16] : ' ';
    if (site.occupancy == 0 && place == ' ') site.occupancy = 1; /* nobody stated it */
    site.group = place == ' ' ? 0 : (unsigned char)place;
    SHOAL_TRY(read_element(rd, line, &site));
    SHOAL_TRY(read_charge(rd, line, &site, r));
    if (!shoal_text_int(shoal_span_columns(line, 6, 11), &id) || id < 1) r->bad_ids = true;
    if (!r->bad_ids) SHOAL_TRY(atom_ids_add(&rd->ids, id));
    SHOAL_TRY(SHOAL_RESERVE(&c->sites, &c->site_capacity, c->n_sites + 1));
    c->sites[c->n_sites++] = site;
    return SHOAL_OK;
}

/* The partners of an atom, up to four in a line; what has no number ends it. */
static shoal_status read_conect(shoal_reader *rd, shoal_span line)
{
    crystal *c = rd->crystal;
    int32_t id[2];
    if (!shoal_text_int(shoal_span_columns(line, 6, 11), &id[0])) return SHOAL_OK;
    for (size_t k = 1; k < 5; ++k) {
        if (!shoal_text_int(shoal_span_columns(line, 6 + 5 * k, 11 + 5 * k), &id[1])) break;
        SHOAL_TRY(SHOAL_RESERVE(&c->found, &c->found_capacity, c->n_found + 1));
        c->found[c->n_found++] = (shoal_bond){.i = id[0], .j = id[1]};
    }
    return SHOAL_OK;
}

static shoal_status read_lines(shoal_reader *rd, pdb_record *r)
{
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(rd->in, &line, &found));
        if (!found) return SHOAL_OK;
        if (is_record(line, "ATOM") || is_record(line, "HETATM"))
            SHOAL_TRY(read_atom(rd, line, r));
        else if (is_record(line, "CRYST1"))
            SHOAL_TRY(read_cell(rd, line, r));
        else if (is_record(line, "CONECT"))
            SHOAL_TRY(read_conect(rd, line));
        else if (is_record(line, "HEADER") && r->name.size == 0)
            r->name = shoal_span_columns(line, 62, 66);
        else if (is_record(line, "TITLE") || (is_record(line, "COMPND") && r->name.size == 0))
            r->name = shoal_span_columns(line, 10, 80);
    }
}

/* --- bonds --------------------------------------------------------------------------------------- */

static int compare_pairs(const void *left, const void *right)
{
    const shoal_bond *a = left, *b = right;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    if (a->j != b->j) return a->j < b->j ? -1 : 1;
    return a->shift[0] - b->shift[0];
}

/* From numbers of the file to atoms, the smaller first; false for a number that no atom has. */
static bool find_ends(const shoal_reader *rd)
{
    crystal *c = rd->crystal;
    int32_t n = 0;
    for (int32_t k = 0; k < c->n_found; ++k) {
        const int32_t i = atom_ids_find(&rd->ids, c->found[k].i);
        const int32_t j = atom_ids_find(&rd->ids, c->found[k].j);
        if (i < 0 || j < 0 || i == j) return false;
        if (c->sites[i].dropped || c->sites[j].dropped) continue;
        const int32_t a = c->sites[i].first, b = c->sites[j].first;
        c->found[n++] = (shoal_bond){.i = a < b ? a : b, .j = a < b ? b : a, .shift = {a > b}};
    }
    c->n_found = n;
    return true;
}

/* Each bond once. A partner that one end names twice means a double bond, as many programs write it; where none does,
 * orders are open. */
static void count_orders(crystal *c)
{
    int32_t n = 0;
    bool multiple = false;
    qsort(c->found, (size_t)c->n_found, sizeof *c->found, compare_pairs);
    for (int32_t k = 0; k < c->n_found;) {
        const shoal_bond b = c->found[k];
        int32_t from[2] = {0, 0};
        for (; k < c->n_found && c->found[k].i == b.i && c->found[k].j == b.j; ++k)
            ++from[c->found[k].shift[0]];
        const int32_t most = from[0] > from[1] ? from[0] : from[1];
        multiple = multiple || most > 1;
        c->found[n++] = (shoal_bond){.i = b.i, .j = b.j, .order = most > 3 ? 3 : most};
    }
    for (int32_t k = 0; k < n && !multiple; ++k) c->found[k].order = SHOAL_ORDER_UNKNOWN;
    c->n_found = n;
}

/* Bonds join the nearest images. */
static void place_bonds(crystal *c, const shoal_molecule *mol)
{
    double dual[3][3], height[3];
    if (!mol->pbc[0]) return;
    cell_dual((const double(*)[3])c->cell, dual, height);
    for (int32_t k = 0; k < c->n_found; ++k) {
        shoal_bond *b = &c->found[k];
        for (int a = 0; a < 3; ++a) {
            double f = 0;
            for (int x = 0; x < 3; ++x) f += dual[a][x] * (mol->pos[b->i][x] - mol->pos[b->j][x]);
            b->shift[a] = fabs(f) < 1e6 ? (int32_t)round(f) : 0;
        }
    }
}

static bool names_all(const crystal *c, int32_t n_atoms)
{
    int32_t n = 0;
    bool *named = shoal_alloc((size_t)n_atoms, sizeof *named);
    if (!named) return false;
    for (int32_t k = 0; k < c->n_found; ++k) named[c->found[k].i] = named[c->found[k].j] = true;
    for (int32_t i = 0; i < n_atoms; ++i) n += named[i];
    free(named);
    return n == n_atoms;
}

/* Those of CONECT, if they name every atom; macromolecules list a few only. */
static shoal_status take_bonds(shoal_reader *rd, shoal_molecule *mol, bool bad_ids)
{
    crystal *c = rd->crystal;
    int32_t twice = 0;
    if (c->n_found == 0 || bad_ids || c->group.n > 1) return SHOAL_OK;
    atom_ids_finish(&rd->ids, &twice);
    if (twice > 0 || !find_ends(rd) || !names_all(c, mol->n_atoms)) return SHOAL_OK;
    count_orders(c);
    place_bonds(c, mol);
    return shoal_molecule_add_bonds(mol, c->n_found, c->found);
}

/* --- the crystal --------------------------------------------------------------------------------- */

static shoal_status set_cell(shoal_reader *rd, const pdb_record *r)
{
    crystal *c = rd->crystal;
    double dual[3][3], height[3];
    const symmetry_op one = symmetry_identity();
    cell_of_parameters(r->cell, c->cell);
    if (r->group.size == 0)
        (void)symmetry_add(&c->group, &one);
    else if (symmetry_by_name(r->group, r->cell[5], &c->group) != SYMMETRY_NAMED)
        return shoal_input_fail(rd->in, r->group, "unknown space group, or one with two origins",
                                "one such as P 1 or P 1 21 1 in columns 56-66 of CRYST1");
    cell_dual((const double(*)[3])c->cell, dual, height);
    for (int32_t i = 0; i < c->n_sites; ++i)
        for (int k = 0; k < 3; ++k) {
            double f = 0;
            for (int x = 0; x < 3; ++x) f += dual[k][x] * c->sites[i].given[x];
            if (!(fabs(f) <= 1000))
                return shoal_input_fail(rd->in, c->sites[i].label, "an atom far from the cell",
                                        "coordinates in it");
            c->sites[i].frac[k] = f;
        }
    return SHOAL_OK;
}

/* Atoms without a cell, and those of P 1 exactly where the file has them. */
static shoal_status place_given(shoal_reader *rd, shoal_molecule *mol)
{
    crystal *c = rd->crystal;
    for (int32_t i = 0; i < c->n_sites; ++i) {
        crystal_site *s = &c->sites[i];
        if (s->dropped) continue;
        if (c->group.n == 0) {
            s->first = mol->n_atoms;
            SHOAL_TRY(shoal_molecule_add_atom(mol, s->z, s->given));
            SHOAL_TRY(molecule_set_mark(&mol->isotope, s->first, s->isotope));
            mol->formal_charge[s->first] = s->formal_charge;
        } else {
            memcpy(mol->pos[s->first], s->given, sizeof s->given);
        }
    }
    return SHOAL_OK;
}

shoal_status pdb_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    pdb_record r = {.name = {"", 0}};
    SHOAL_TRY(reader_need_crystal(rd));
    atom_ids_clear(&rd->ids);
    SHOAL_TRY(read_lines(rd, &r));
    *found = true;
    if (rd->crystal->n_sites == 0)
        return shoal_input_fail(rd->in, r.name, "no atoms", "lines that begin with ATOM or HETATM");
    SHOAL_TRY(molecule_set_name(mol, r.name));
    if (r.has_cell) SHOAL_TRY(set_cell(rd, &r));
    SHOAL_TRY(crystal_settle(rd, rd->crystal));
    if (r.has_cell) SHOAL_TRY(crystal_finish(rd, rd->crystal, mol));
    if (rd->crystal->group.n <= 1) SHOAL_TRY(place_given(rd, mol));
    mol->has_formal_charges = r.has_charges;
    return take_bonds(rd, mol, r.bad_ids);
}
