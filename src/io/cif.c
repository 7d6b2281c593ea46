/* SPDX-License-Identifier: BSD-3-Clause
 * Reading CIF 1.1: the blocks of a record and the items that make a crystal. */
#include "io/cif.h"

#include <ctype.h>
#include <math.h>

#include "base/alloc.h"
#include "chem/cell.h"

#define MOST_LENGTH 1e5    /* angstrom, of a cell */
#define MOST_OCCUPANCY 1.1 /* refined, it may be above 1 by its uncertainty */

/* Names in the order of cif_item. */
static const char *const names[CIF_N_ITEMS][3] = {
    [CIF_A] = {"_cell_length_a"},
    [CIF_B] = {"_cell_length_b"},
    [CIF_C] = {"_cell_length_c"},
    [CIF_ALPHA] = {"_cell_angle_alpha"},
    [CIF_BETA] = {"_cell_angle_beta"},
    [CIF_GAMMA] = {"_cell_angle_gamma"},
    [CIF_HM] = {"_symmetry_space_group_name_H-M", "_space_group_name_H-M_alt"},
    [CIF_HALL] = {"_symmetry_space_group_name_Hall", "_space_group_name_Hall"},
    [CIF_NUMBER] = {"_symmetry_Int_Tables_number", "_space_group_IT_number"},
    [CIF_XYZ] = {"_symmetry_equiv_pos_as_xyz", "_space_group_symop_operation_xyz"},
    [CIF_LABEL] = {"_atom_site_label"},
    [CIF_SYMBOL] = {"_atom_site_type_symbol"},
    [CIF_X] = {"_atom_site_fract_x"},
    [CIF_Y] = {"_atom_site_fract_y"},
    [CIF_Z] = {"_atom_site_fract_z"},
    [CIF_CARTESIAN] = {"_atom_site_Cartn_x"},
    [CIF_OCCUPANCY] = {"_atom_site_occupancy"},
    [CIF_ASSEMBLY] = {"_atom_site_disorder_assembly"},
    [CIF_GROUP] = {"_atom_site_disorder_group"},
    [CIF_CHARGE] = {"_atom_site_charge", "_atom_site_partial_charge"},
    [CIF_CALC] = {"_atom_site_calc_flag"},
    [CIF_BOND_1] = {"_geom_bond_atom_site_label_1"},
    [CIF_BOND_2] = {"_geom_bond_atom_site_label_2"},
    [CIF_BOND_DISTANCE] = {"_geom_bond_distance"},
    [CIF_BOND_CODE_1] = {"_geom_bond_site_symmetry_1"},
    [CIF_BOND_CODE_2] = {"_geom_bond_site_symmetry_2"},
    [CIF_BOND_TYPE] = {"_ccdc_geom_bond_type", "_geom_bond_type"},
};

/* -1 for names of no interest. */
static int item_of(shoal_span name)
{
    for (int k = 0; k < CIF_N_ITEMS; ++k)
        for (int m = 0; m < 3 && names[k][m]; ++m)
            if (shoal_span_equal_nocase(name, names[k][m])) return k;
    return -1;
}

void cif_at(const cif_record *r, int64_t line)
{
    shoal_input_take(r->rd->in, 0, line - shoal_input_at(r->rd->in));
}

/* --- rows ---------------------------------------------------------------------------------------- */

static bool has(const cif_record *r, int item)
{
    return r->row[item].kind == CIF_VALUE && !cif_is_unknown(&r->row[item]);
}

static shoal_status number_of(const cif_record *r, int item, double *out)
{
    if (cif_number(r->row[item].text, out)) return SHOAL_OK;
    return shoal_input_fail(r->rd->in, r->row[item].text, "bad number", "a finite number for %s",
                            names[item][0]);
}

/* The symbol before digits and signs, as in Zn2+. */
static shoal_status read_symbol(const cif_record *r, crystal_site *site)
{
    shoal_span s = r->row[CIF_SYMBOL].text;
    size_t n = 0;
    while (n < s.size && shoal_is_letter(s.text[n])) ++n;
    for (size_t k = n; k < s.size; ++k)
        if (!shoal_is_digit(s.text[k]) && !strchr("+-.", s.text[k])) n = 0;
    if (n > 0) return reader_symbol(r->rd, (shoal_span){s.text, n}, &site->z, &site->isotope);
    return shoal_input_fail(r->rd->in, s, "unknown element", "the symbol of an element");
}

/* Where labels alone tell elements: two letters if the second is small, or the first is no element. */
static shoal_status read_label(const cif_record *r, crystal_site *site)
{
    const shoal_span s = r->row[CIF_LABEL].text;
    size_t n = 0;
    while (n < s.size && n < 3 && shoal_is_letter(s.text[n])) ++n;
    if (n > 0 && n < 3) {
        int32_t z[2], isotope;
        const shoal_span one = {s.text, 1}, two = {s.text, 2};
        if (n == 1 || s.text[1] >= 'a')
            return reader_symbol(r->rd, n == 1 ? one : two, &site->z, &site->isotope);
        (void)reader_symbol(r->rd, one, &z[0], &isotope);
        (void)reader_symbol(r->rd, two, &z[1], &isotope);
        site->z = z[0] > 0 ? z[0] : z[1];
        if ((z[0] > 0) != (z[1] > 0)) return SHOAL_OK;
    }
    return shoal_input_fail(r->rd->in, s, "a label that may mean two elements or none",
                            "_atom_site_type_symbol");
}

static shoal_status read_place(const cif_record *r, crystal_site *site)
{
    for (int k = 0; k < 3; ++k) {
        if (!has(r, CIF_X + k))
            return shoal_input_fail(r->rd->in, site->label, "a site without coordinates",
                                    "_atom_site_fract_x, _y and _z");
        SHOAL_TRY(number_of(r, CIF_X + k, &site->frac[k]));
        if (!(fabs(site->frac[k]) <= 1000))
            return shoal_input_fail(r->rd->in, r->row[CIF_X + k].text, "bad coordinate",
                                    "a fraction of the cell");
    }
    return SHOAL_OK;
}

static shoal_status read_disorder(const cif_record *r, crystal_site *site)
{
    if (has(r, CIF_OCCUPANCY)) {
        SHOAL_TRY(number_of(r, CIF_OCCUPANCY, &site->occupancy));
        if (site->occupancy < 0 || site->occupancy > MOST_OCCUPANCY)
            return shoal_input_fail(r->rd->in, r->row[CIF_OCCUPANCY].text, "bad occupancy",
                                    "0 to 1");
    }
    if (has(r, CIF_ASSEMBLY)) site->assembly = r->row[CIF_ASSEMBLY].text;
    const shoal_span group = r->row[CIF_GROUP].text;
    if (has(r, CIF_GROUP) && !shoal_text_int(group, &site->group))
        return shoal_input_fail(r->rd->in, group, "bad group of disorder", "an integer");
    return SHOAL_OK;
}

static shoal_status add_site(cif_record *r)
{
    crystal *c = r->crystal;
    crystal_site site = {
        .label = r->row[CIF_LABEL].text, .line = r->line, .occupancy = 1, .assembly = {"", 0}};
    if (!site.label.text) site.label = r->row[CIF_SYMBOL].text;
    /* A dummy: its coordinates mean nothing. */
    if (has(r, CIF_CALC) && shoal_span_equal_nocase(r->row[CIF_CALC].text, "dum")) return SHOAL_OK;
    if (r->columns[CIF_CARTESIAN] && !r->columns[CIF_X])
        return shoal_input_fail(r->rd->in, site.label, "Cartesian coordinates",
                                "fractions of the cell");
    SHOAL_TRY(has(r, CIF_SYMBOL) ? read_symbol(r, &site) : read_label(r, &site));
    SHOAL_TRY(read_place(r, &site));
    SHOAL_TRY(read_disorder(r, &site));
    site.has_charge = has(r, CIF_CHARGE);
    if (site.has_charge) SHOAL_TRY(number_of(r, CIF_CHARGE, &site.charge));
    SHOAL_TRY(SHOAL_RESERVE(&c->sites, &c->site_capacity, c->n_sites + 1));
    c->sites[c->n_sites++] = site;
    return SHOAL_OK;
}

static shoal_status add_operation(cif_record *r)
{
    crystal *c = r->crystal;
    const shoal_span text = r->row[CIF_XYZ].text;
    symmetry_op op;
    if (!symmetry_read(text, &op))
        return shoal_input_fail(r->rd->in, text, "bad operation", "one such as -x,y+1/2,z");
    if (c->n_listed >= SYMMETRY_MOST || !symmetry_add(&c->group, &op))
        return shoal_input_fail(r->rd->in, text, "one operation too many", "at most %d",
                                (int)SYMMETRY_MOST);
    c->listed[c->n_listed++] = op;
    return SHOAL_OK;
}

/* S, D, T and A are those of the Cambridge Structural Database. */
static int32_t read_order(shoal_span type)
{
    if (shoal_span_equal(type, "S")) return SHOAL_ORDER_SINGLE;
    if (shoal_span_equal(type, "D")) return SHOAL_ORDER_DOUBLE;
    if (shoal_span_equal(type, "T")) return SHOAL_ORDER_TRIPLE;
    if (shoal_span_equal(type, "A")) return SHOAL_ORDER_AROMATIC;
    return SHOAL_ORDER_UNKNOWN;
}

static shoal_status add_bond(cif_record *r)
{
    crystal *c = r->crystal;
    crystal_bond b = {.order = has(r, CIF_BOND_TYPE) ? read_order(r->row[CIF_BOND_TYPE].text)
                                                     : SHOAL_ORDER_UNKNOWN};
    if (!has(r, CIF_BOND_1) || !has(r, CIF_BOND_2)) return SHOAL_OK;
    for (int k = 0; k < 2; ++k) {
        b.label[k] = r->row[CIF_BOND_1 + k].text;
        const cif_word *code = &r->row[CIF_BOND_CODE_1 + k];
        b.symmetry[k] = code->kind == CIF_VALUE ? code->text : (shoal_span){"", 0};
    }
    if (has(r, CIF_BOND_DISTANCE)) SHOAL_TRY(number_of(r, CIF_BOND_DISTANCE, &b.distance));
    SHOAL_TRY(SHOAL_RESERVE(&c->bonds, &c->bond_capacity, c->n_bonds + 1));
    c->bonds[c->n_bonds++] = b;
    return SHOAL_OK;
}

/* --- loops and items ----------------------------------------------------------------------------- */

static shoal_status take_row(cif_record *r)
{
    if (r->columns[CIF_XYZ]) SHOAL_TRY(add_operation(r));
    if (r->columns[CIF_X] || r->columns[CIF_CARTESIAN]) SHOAL_TRY(add_site(r));
    if (r->columns[CIF_BOND_1] && r->columns[CIF_BOND_2]) SHOAL_TRY(add_bond(r));
    return SHOAL_OK;
}

static shoal_status check_name(const cif_record *r, const cif_word *word)
{
    if (word->text.size < 11 ||
        !shoal_span_equal_nocase((shoal_span){word->text.text, 11}, "_atom_site."))
        return SHOAL_OK;
    return shoal_input_fail(r->rd->in, word->text, "macromolecular CIF (mmCIF)",
                            "CIF of small molecules and crystals, or PDB");
}

enum { MOST_COLUMNS = 512 };

static bool is_same_name(shoal_span a, shoal_span b)
{
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; ++i)
        if (tolower((unsigned char)a.text[i]) != tolower((unsigned char)b.text[i])) return false;
    return true;
}

/* Names of the columns, then values row by row. */
static shoal_status read_loop(cif_record *r)
{
    int32_t column[MOST_COLUMNS], n = 0, k = 0;
    shoal_span name[MOST_COLUMNS];
    cif_word word;
    memset(r->columns, 0, sizeof r->columns);
    memset(r->row, 0, sizeof r->row);
    for (;;) {
        SHOAL_TRY(cif_next(&r->words, &word));
        if (word.kind != CIF_NAME) break;
        SHOAL_TRY(check_name(r, &word));
        if (n == MOST_COLUMNS)
            return shoal_input_fail(r->rd->in, word.text, "one column too many", "at most %d",
                                    (int)MOST_COLUMNS);
        column[n] = item_of(word.text);
        name[n] = word.text;
        for (int32_t m = 0; m < n && column[n] >= 0; ++m) /* an item may have several names */
            if (column[m] == column[n] && is_same_name(name[m], name[n]))
                return shoal_input_fail(r->rd->in, word.text, "the same column twice", "it once");
        if (column[n] >= 0) r->columns[column[n]] = true;
        ++n;
    }
    if (n == 0) return shoal_input_fail(r->rd->in, word.text, "a loop without names", "_name");
    for (; word.kind == CIF_VALUE; k = (k + 1) % n) {
        if (k == 0) r->line = word.line;
        if (column[k] >= 0) r->row[column[k]] = word;
        if (k == n - 1) {
            /* A row of several lines fails at its last one. */
            SHOAL_TRY(take_row(r));
        }
        SHOAL_TRY(cif_next(&r->words, &word));
    }
    if (k != 0)
        return shoal_input_fail(r->rd->in, word.text, "end of a loop",
                                "%d values in each row, found %d", n, k);
    cif_unread(&r->words);
    return SHOAL_OK;
}

/* A name and its value; a list of one operation or site may be written without a loop. */
static shoal_status read_item(cif_record *r, const cif_word *name)
{
    const int item = item_of(name->text);
    cif_word value;
    SHOAL_TRY(check_name(r, name));
    SHOAL_TRY(cif_next(&r->words, &value));
    if (value.kind != CIF_VALUE)
        return shoal_input_fail(r->rd->in, name->text, "a name without a value", "a value");
    if (item < 0) return SHOAL_OK;
    if (item <= CIF_NUMBER) {
        const shoal_span before = r->items[item].text;
        if (item <= CIF_GAMMA && r->items[item].kind == CIF_VALUE &&
            (before.size != value.text.size || memcmp(before.text, value.text.text, before.size)))
            return shoal_input_fail(r->rd->in, value.text, "a second value of the cell",
                                    "one value of %s", names[item][0]);
        r->items[item] = value;
        return SHOAL_OK;
    }
    r->line = value.line;
    r->row[item] = value;
    if (item == CIF_XYZ) return add_operation(r);
    return shoal_input_fail(r->rd->in, name->text, "a list of one without loop_", "loop_");
}

static void begin_block(cif_record *r, shoal_span name)
{
    memset(r->items, 0, sizeof r->items);
    crystal_clear(r->crystal);
    r->name = name;
}

static shoal_status read_words(cif_record *r)
{
    bool in_block = false;
    for (;;) {
        cif_word word;
        SHOAL_TRY(cif_next(&r->words, &word));
        if (word.kind == CIF_END) return SHOAL_OK;
        if (word.kind == CIF_BLOCK) {
            begin_block(r, word.text);
            in_block = true;
        } else if (!in_block) {
            return shoal_input_fail(r->rd->in, word.text, "unexpected text", "data_");
        } else if (word.kind == CIF_LOOP) {
            SHOAL_TRY(read_loop(r));
        } else if (word.kind == CIF_NAME) {
            SHOAL_TRY(read_item(r, &word));
        } else {
            return shoal_input_fail(r->rd->in, word.text, "unexpected text",
                                    "a name that begins with _, or loop_");
        }
    }
}

/* --- the crystal --------------------------------------------------------------------------------- */

static bool is_given(const cif_record *r, int item)
{
    return r->items[item].kind == CIF_VALUE && !cif_is_unknown(&r->items[item]) &&
           shoal_span_trim(r->items[item].text).size > 0;
}

static shoal_status read_cell(cif_record *r)
{
    double p[6];
    for (int k = 0; k < 6; ++k) {
        const cif_word *w = &r->items[CIF_A + k];
        if (w->kind == CIF_VALUE) cif_at(r, w->line);
        const double most = k > 2 ? 180 : MOST_LENGTH;
        if (!is_given(r, CIF_A + k) || !cif_number(w->text, &p[k]) || !(p[k] > 0 && p[k] < most))
            return shoal_input_fail(r->rd->in, w->text.text ? w->text : (shoal_span){"", 0},
                                    "bad or no cell", "a number between 0 and %g for %s", most,
                                    names[k][0]);
    }
    cell_of_parameters(p, r->crystal->cell);
    r->gamma = p[5];
    return SHOAL_OK;
}

static shoal_status name_group(cif_record *r)
{
    crystal *c = r->crystal;
    const bool hall = is_given(r, CIF_HALL);
    const cif_word *w = &r->items[hall ? CIF_HALL : CIF_HM];
    cif_at(r, w->line);
    if (hall && symmetry_by_hall(w->text, &c->group)) return SHOAL_OK;
    if (hall && !is_given(r, CIF_HM))
        return shoal_input_fail(r->rd->in, w->text, "bad Hall symbol", "one such as -P 2ybc");
    w = &r->items[CIF_HM];
    const symmetry_name found = symmetry_by_name(w->text, r->gamma, &c->group);
    if (found == SYMMETRY_NAMED) return SHOAL_OK;
    return shoal_input_fail(r->rd->in, w->text,
                            found == SYMMETRY_AMBIGUOUS ? "a space group with two origins"
                                                        : "unknown space group",
                            "the operations, a Hall symbol or a name such as P 1 21/c 1%s",
                            found == SYMMETRY_AMBIGUOUS ? " :1 or :2" : "");
}

/* By the list of operations, else by a Hall symbol, else by a name; without any of them there is none. */
static shoal_status find_group(cif_record *r)
{
    crystal *c = r->crystal;
    const symmetry_op one = symmetry_identity();
    int32_t number = 1;
    if (c->n_listed > 0) {
        if (symmetry_is_closed(&c->group)) return SHOAL_OK;
        return shoal_input_fail(r->rd->in, r->name, "bad list of operations",
                                "all of a group, %d are none", c->group.n);
    }
    if (is_given(r, CIF_HALL) || is_given(r, CIF_HM)) return name_group(r);
    const cif_word *w = &r->items[CIF_NUMBER];
    if (is_given(r, CIF_NUMBER) && (!shoal_text_int(w->text, &number) || number != 1))
        return shoal_input_fail(r->rd->in, w->text, "a space group by its number alone",
                                "the operations or a name");
    (void)symmetry_add(&c->group, &one);
    return SHOAL_OK;
}

static shoal_status settle_charges(const cif_record *r, shoal_molecule *mol)
{
    const crystal *c = r->crystal;
    int32_t n = 0, n_kept = 0;
    for (int32_t i = 0; i < c->n_sites; ++i) {
        n_kept += !c->sites[i].dropped;
        n += !c->sites[i].dropped && c->sites[i].has_charge;
    }
    mol->has_charges = n > 0;
    if (n == 0 || n == n_kept) return SHOAL_OK;
    return shoal_input_fail(r->rd->in, r->name, "charges of some sites alone",
                            "_atom_site_charge of all, found %d of %d", n, n_kept);
}

shoal_status crystal_settle(shoal_reader *rd, crystal *c)
{
    const crystal_site *where = crystal_disordered(c);
    if (!where) return SHOAL_OK;
    shoal_input_take(rd->in, 0, where->line - shoal_input_at(rd->in));
    if (!rd->options.major_part)
        return shoal_input_fail(rd->in, where->label, "a disordered site",
                                "sites that are full, or the option to take the major part");
    if (crystal_keep_major(c, &where)) return SHOAL_OK;
    shoal_input_take(rd->in, 0, where->line - shoal_input_at(rd->in));
    return shoal_input_fail(
        rd->in, where->label, "disorder that cannot be told apart",
        "groups of disorder from 1 on, 512 at most, at most one whole in an assembly");
}

shoal_status crystal_finish(shoal_reader *rd, crystal *c, shoal_molecule *mol)
{
    const crystal_site *where;
    const shoal_status status = crystal_expand(c, mol, &where);
    if (status == SHOAL_OK) return SHOAL_OK;
    if (where) shoal_input_take(rd->in, 0, where->line - shoal_input_at(rd->in));
    return shoal_input_refuse(rd->in, where ? where->label : shoal_span_of(mol->name),
                              where ? "bad site" : "bad cell", status);
}

static shoal_status make_molecule(cif_record *r, shoal_molecule *mol)
{
    char why[160];
    SHOAL_TRY(read_cell(r));
    SHOAL_TRY(find_group(r));
    SHOAL_TRY(molecule_set_name(mol, r->name));
    SHOAL_TRY(crystal_settle(r->rd, r->crystal));
    SHOAL_TRY(crystal_finish(r->rd, r->crystal, mol));
    SHOAL_TRY(settle_charges(r, mol));
    if (r->crystal->n_bonds == 0) return SHOAL_OK;
    SHOAL_TRY(crystal_take_bonds(r->crystal, mol, why));
    if (*why == '\0') return SHOAL_OK;
    return molecule_set_property(mol, shoal_span_of("bonds_not_used"), shoal_span_of(why));
}

shoal_status reader_need_crystal(shoal_reader *rd)
{
    if (!rd->crystal) rd->crystal = shoal_alloc(1, sizeof *rd->crystal);
    if (!rd->crystal) return SHOAL_E_MEMORY;
    crystal_clear(rd->crystal);
    return SHOAL_OK;
}

shoal_status cif_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    cif_record r = {.rd = rd, .words = {.in = rd->in}, .name = {"", 0}};
    const bool first = shoal_input_at(rd->in) == 0;
    SHOAL_TRY(reader_need_crystal(rd));
    r.crystal = rd->crystal;
    SHOAL_TRY(read_words(&r));
    *found = r.crystal->n_sites > 0;
    if (*found) return make_molecule(&r, mol);
    /* Blocks without sites behind the last crystal are none. */
    if (!first) return SHOAL_OK;
    return shoal_input_fail(rd->in, r.name, "no sites", "a loop with _atom_site_fract_x");
}
