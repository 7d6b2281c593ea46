/* SPDX-License-Identifier: BSD-3-Clause
 * Reading Tripos mol2: molecule, atoms, bonds and crystal cell. */
#include "chem/cell.h"
#include "io/reader.h"

/* What the MOLECULE section says and which sections came. */
typedef struct mol2_record {
    int32_t n_atoms;
    int32_t n_bonds;      /* -1 if not stated */
    int32_t n_bonds_read; /* with those that are no bonds (nc) */
    bool charged;
    bool has_atoms, has_bonds;
} mol2_record;

static bool is_comment(shoal_span line)
{
    return line.size == 0 || line.text[0] == '#';
}

static bool is_continued(shoal_span line)
{
    return line.size > 0 && line.text[line.size - 1] == '\\';
}

/* Joins a trimmed line that ends with a backslash to those after it, in rd->value. The end of a
 * line ends a field as well. */
static shoal_status join_lines(shoal_reader *rd, shoal_span *line)
{
    if (!is_continued(*line)) return SHOAL_OK;
    rd->value.size = 0;
    while (is_continued(*line)) {
        --line->size;
        SHOAL_TRY(shoal_string_append(&rd->value, shoal_span_trim(*line)));
        SHOAL_TRY(shoal_string_append(&rd->value, shoal_span_of(" ")));
        SHOAL_TRY(shoal_input_need(rd->in, line, "the rest of a line that ends with '\\'"));
        *line = shoal_span_trim(*line);
        if (shoal_span_starts(*line, "@") || shoal_span_starts(*line, "#"))
            return shoal_input_fail(rd->in, *line, "unexpected line",
                                    "the rest of a line that ends with '\\'");
    }
    SHOAL_TRY(shoal_string_append(&rd->value, *line));
    *line = shoal_span_trim(shoal_string_span(&rd->value));
    return SHOAL_OK;
}

/* The next line of a section, trimmed; *found is false where the section or the file ends. */
static shoal_status section_line(shoal_reader *rd, shoal_span *line, bool *found)
{
    do {
        SHOAL_TRY(shoal_input_line(rd->in, line, found));
        if (!*found) return SHOAL_OK;
        *line = shoal_span_trim(*line);
        if (shoal_span_starts(*line, "@")) {
            shoal_input_unread(rd->in);
            *found = false;
            return SHOAL_OK;
        }
    } while (is_comment(*line));
    return join_lines(rd, line);
}

/* The same where a line has to come, be it empty; the words say which. */
static shoal_status needed_line(shoal_reader *rd, shoal_span *line, const char *expected)
{
    SHOAL_TRY(shoal_input_need(rd->in, line, "%s", expected));
    *line = shoal_span_trim(*line);
    return join_lines(rd, line);
}

/* Name, counts, type of molecule, type of charges; status and comment lines are not read. */
static shoal_status read_molecule(shoal_reader *rd, shoal_molecule *mol, mol2_record *record)
{
    shoal_span line, rest;
    bool found;
    *record = (mol2_record){.n_bonds = -1};
    SHOAL_TRY(needed_line(rd, &line, "the name of a molecule"));
    if (!shoal_span_equal(line, "****")) SHOAL_TRY(molecule_set_name(mol, line));
    SHOAL_TRY(needed_line(rd, &line, "the numbers of atoms and bonds"));
    rest = line;
    const shoal_span atoms = shoal_span_word(&rest), bonds = shoal_span_word(&rest);
    if (!shoal_text_int(atoms, &record->n_atoms) || record->n_atoms < 0 ||
        (bonds.size > 0 && (!shoal_text_int(bonds, &record->n_bonds) || record->n_bonds < 0)))
        return shoal_input_fail(rd->in, line, "bad counts line", "the numbers of atoms and bonds");
    SHOAL_TRY(section_line(rd, &line, &found));
    if (!found) return SHOAL_OK;
    SHOAL_TRY(section_line(rd, &line, &found));
    record->charged = found && !shoal_span_equal(line, "NO_CHARGES");
    return SHOAL_OK;
}

/* The element of a SYBYL type such as C.ar or Cl. Types in lower case belong to other force
 * fields, where ca is no calcium. */
static shoal_status read_type(shoal_reader *rd, shoal_span type, int32_t *z, int32_t *isotope)
{
    shoal_span symbol = type;
    const char *dot = memchr(type.text, '.', type.size);
    if (dot) symbol.size = (size_t)(dot - type.text);
    if (symbol.size == 0 || symbol.text[0] < 'A' || symbol.text[0] > 'Z' ||
        shoal_span_equal(symbol, "Du") || reader_symbol(rd, symbol, z, isotope) != SHOAL_OK)
        return shoal_input_fail(rd->in, type, "unknown atom type",
                                "a SYBYL type of an element, e.g. C.ar");
    return SHOAL_OK;
}

/* id name x y z type [subst_id [subst_name [charge]]] */
static shoal_status read_atom(shoal_reader *rd, shoal_molecule *mol, shoal_span line,
                              const mol2_record *record)
{
    shoal_span rest = line;
    int32_t id, z, isotope;
    double pos[3];
    const shoal_span index = shoal_span_word(&rest);
    if (!shoal_text_int(index, &id) || id < 1)
        return shoal_input_fail(rd->in, index, "bad atom id", "a positive integer");
    (void)shoal_span_word(&rest);
    for (int k = 0; k < 3; ++k) SHOAL_TRY(reader_coordinate(rd, shoal_span_word(&rest), &pos[k]));
    SHOAL_TRY(read_type(rd, shoal_span_word(&rest), &z, &isotope));
    SHOAL_TRY(shoal_molecule_add_atom(mol, z, pos));
    SHOAL_TRY(molecule_set_mark(&mol->isotope, mol->n_atoms - 1, isotope));
    SHOAL_TRY(atom_ids_add(&rd->ids, id));
    if (!record->charged) return SHOAL_OK;
    (void)shoal_span_word(&rest);
    (void)shoal_span_word(&rest);
    const shoal_span charge = shoal_span_word(&rest);
    if (!shoal_text_double(charge, &mol->charge[mol->n_atoms - 1]))
        return shoal_input_fail(rd->in, charge, "bad charge", "a finite number in column 9");
    return SHOAL_OK;
}

static shoal_status read_atoms(shoal_reader *rd, shoal_molecule *mol, mol2_record *record)
{
    shoal_span line;
    int32_t twice;
    const shoal_span header = shoal_span_of("@<TRIPOS>ATOM");
    if (record->has_atoms) return shoal_input_fail(rd->in, header, "a second section", "one");
    record->has_atoms = true;
    for (;;) {
        bool found;
        SHOAL_TRY(section_line(rd, &line, &found));
        if (!found) break;
        if (mol->n_atoms == record->n_atoms)
            return shoal_input_fail(rd->in, line, "one atom too many", "%d atoms", record->n_atoms);
        SHOAL_TRY(read_atom(rd, mol, line, record));
    }
    mol->has_charges = record->charged && mol->n_atoms > 0;
    atom_ids_finish(&rd->ids, &twice);
    if (twice > 0)
        return shoal_input_fail(rd->in, header, "end of a section", "each id once, found %d twice",
                                twice);
    return SHOAL_OK;
}

/* False for anything that is no bond type; nc ("not connected") has order -1. */
static bool read_order(shoal_span type, int32_t *order)
{
    static const struct {
        const char *name;
        int32_t order;
    } types[] = {{"1", SHOAL_ORDER_SINGLE},    {"2", SHOAL_ORDER_DOUBLE},
                 {"3", SHOAL_ORDER_TRIPLE},    {"am", SHOAL_ORDER_SINGLE},
                 {"ar", SHOAL_ORDER_AROMATIC}, {"du", SHOAL_ORDER_UNKNOWN},
                 {"un", SHOAL_ORDER_UNKNOWN},  {"nc", -1}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        *order = types[i].order;
        if (shoal_span_equal_nocase(type, types[i].name)) return true;
    }
    return false;
}

/* id origin target type */
static shoal_status read_bond(shoal_reader *rd, shoal_molecule *mol, shoal_span line)
{
    shoal_span rest = line;
    int32_t id, atoms[2], order;
    const shoal_span index = shoal_span_word(&rest);
    if (!shoal_text_int(index, &id))
        return shoal_input_fail(rd->in, index, "bad bond id", "an integer");
    for (int k = 0; k < 2; ++k) {
        const shoal_span word = shoal_span_word(&rest);
        atoms[k] = shoal_text_int(word, &id) ? atom_ids_find(&rd->ids, id) : -1;
        if (atoms[k] < 0)
            return shoal_input_fail(rd->in, word, "no such atom", "an id of the ATOM section");
    }
    const shoal_span type = shoal_span_word(&rest);
    if (!read_order(type, &order))
        return shoal_input_fail(rd->in, type, "unknown bond type", "1, 2, 3, ar, am, du, un or nc");
    if (order < 0) return SHOAL_OK;
    const shoal_status status =
        shoal_molecule_add_bond(mol, atoms[0], atoms[1], (shoal_bond_order)order, NULL);
    if (status == SHOAL_OK || status == SHOAL_E_MEMORY) return status;
    return shoal_input_fail(rd->in, line, "bad bond", "two atoms, each pair of atoms once");
}

static shoal_status read_bonds(shoal_reader *rd, shoal_molecule *mol, mol2_record *record)
{
    record->has_bonds = true;
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(section_line(rd, &line, &found));
        if (!found) return SHOAL_OK;
        if (record->n_bonds_read == record->n_bonds)
            return shoal_input_fail(rd->in, line, "one bond too many", "%d bonds", record->n_bonds);
        SHOAL_TRY(read_bond(rd, mol, line));
        record->n_bonds_read++;
    }
}

/* a b c alpha beta gamma [space_group setting] */
static shoal_status read_cell(shoal_reader *rd, shoal_molecule *mol)
{
    static const bool pbc[3] = {true, true, true};
    double p[6], cell[3][3];
    shoal_span line, rest;
    bool found;
    SHOAL_TRY(section_line(rd, &line, &found));
    if (!found) line = (shoal_span){"", 0};
    rest = line;
    for (int k = 0; k < 6; ++k)
        if (!shoal_text_double(shoal_span_word(&rest), &p[k]) || p[k] <= 0.0 ||
            (k > 2 && p[k] >= 180.0))
            return shoal_input_fail(rd->in, line, "bad CRYSIN", "three lengths and three angles");
    cell_of_parameters(p, cell);
    const shoal_status status = shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc);
    if (status != SHOAL_OK) return shoal_input_refuse(rd->in, line, "bad cell", status);
    return SHOAL_OK;
}

static shoal_status check_counts(shoal_reader *rd, shoal_molecule *mol, const mol2_record *record)
{
    if (mol->n_atoms != record->n_atoms ||
        (record->n_bonds >= 0 && record->n_bonds_read != record->n_bonds))
        return shoal_input_fail(rd->in, shoal_span_of(mol->name), "end of a molecule",
                                "%d atoms and %d bonds, found %d and %d", record->n_atoms,
                                record->n_bonds > 0 ? record->n_bonds : 0, mol->n_atoms,
                                record->n_bonds_read);
    mol->has_bonds = record->has_bonds || record->n_bonds >= 0;
    return SHOAL_OK;
}

/* The sections of one molecule, up to the next one or the end of the file. Lines of sections of no
 * interest fall through. */
static shoal_status read_sections(shoal_reader *rd, shoal_molecule *mol, mol2_record *record)
{
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(rd->in, &line, &found));
        if (!found) return SHOAL_OK;
        line = shoal_span_trim(line);
        if (shoal_span_equal(line, "@<TRIPOS>MOLECULE")) {
            shoal_input_unread(rd->in);
            return SHOAL_OK;
        }
        if (shoal_span_equal(line, "@<TRIPOS>ATOM"))
            SHOAL_TRY(read_atoms(rd, mol, record));
        else if (shoal_span_equal(line, "@<TRIPOS>BOND"))
            SHOAL_TRY(read_bonds(rd, mol, record));
        else if (shoal_span_equal(line, "@<TRIPOS>CRYSIN"))
            SHOAL_TRY(read_cell(rd, mol));
        else if (shoal_span_starts(line, "@") && !shoal_span_starts(line, "@<TRIPOS>"))
            return shoal_input_fail(rd->in, line, "unknown section", "@<TRIPOS>...");
    }
}

shoal_status mol2_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    shoal_span line;
    mol2_record record;
    do {
        SHOAL_TRY(shoal_input_line(rd->in, &line, found));
        if (!*found) return SHOAL_OK;
        line = shoal_span_trim(line);
    } while (is_comment(line));
    if (!shoal_span_equal(line, "@<TRIPOS>MOLECULE"))
        return shoal_input_fail(rd->in, line, "unexpected line", "@<TRIPOS>MOLECULE");
    atom_ids_clear(&rd->ids);
    SHOAL_TRY(read_molecule(rd, mol, &record));
    SHOAL_TRY(read_sections(rd, mol, &record));
    return check_counts(rd, mol, &record);
}
