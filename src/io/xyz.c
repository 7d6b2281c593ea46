/* SPDX-License-Identifier: BSD-3-Clause
 * Reading xyz and extended xyz: frames and their atom lines. */
#include "io/xyz.h"

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/isotope.h"
#include "io/result_fields.h"
#include "shoal/md.h"

/* One atom line. */
typedef struct xyz_atom {
    int32_t z, isotope;
    double pos[3]; /* angstrom */
    double charge; /* e */
    int32_t formal_charge;
    shoal_span formal; /* formal_charge as written, empty without it */
    shoal_span type;
    shoal_span mass;                /* an isotope's mass number as written, empty without it */
    shoal_span forces;              /* three words */
    double momentum[3], given_mass; /* sqrt(eV amu), amu; 0: not given */
} xyz_atom;

/* A symbol, an atomic number, or a label whose leading letters are a symbol: C, 6, C_3, Cl1. */
static shoal_status read_species(shoal_reader *rd, shoal_span word, int32_t *z, int32_t *isotope)
{
    size_t n = 0;
    while (n < word.size && shoal_is_letter(word.text[n])) ++n;
    *z = *isotope = 0;
    if (n == 0) {
        if (!shoal_text_int(word, z) || *z < 1 || *z > ELEMENT_MAX)
            return shoal_input_fail(rd->in, word, "unknown element",
                                    "a symbol or an atomic number from 1 to %d", ELEMENT_MAX);
        return SHOAL_OK;
    }
    if (n <= 2) *z = element_by_symbol(word.text, (int32_t)n);
    if (*z == 0 && n == 1 && (word.text[0] == 'D' || word.text[0] == 'T')) {
        *z = 1;
        *isotope = word.text[0] == 'D' ? 2 : 3;
    }
    if (*z > 0) return SHOAL_OK;
    return shoal_input_fail(rd->in, word, "unknown element",
                            "a symbol, or a label that begins with one");
}

static shoal_status fail_short(shoal_reader *rd, shoal_span line, const char *expected)
{
    return shoal_input_fail(rd->in, shoal_span_trim(line), "too few columns", "%s", expected);
}

/* name x y z [charge [more]]; *charged tells whether the fifth column is a charge: a number, and not
 * the first of three numbers, which would be velocities or forces. */
static shoal_status read_plain(shoal_reader *rd, shoal_span line, xyz_atom *atom, bool *charged)
{
    shoal_span rest = line;
    const shoal_span name = shoal_span_word(&rest);
    if (name.size == 0) return fail_short(rd, line, "name x y z");
    SHOAL_TRY(read_species(rd, name, &atom->z, &atom->isotope));
    for (int k = 0; k < 3; ++k) {
        const shoal_span word = shoal_span_word(&rest);
        if (word.size == 0) return fail_short(rd, line, "name x y z");
        SHOAL_TRY(reader_coordinate(rd, word, &atom->pos[k]));
    }
    *charged = shoal_text_double(shoal_span_word(&rest), &atom->charge);
    double more;
    if (shoal_text_double(shoal_span_word(&rest), &more) &&
        shoal_text_double(shoal_span_word(&rest), &more))
        *charged = false;
    return SHOAL_OK;
}

static shoal_status read_column(shoal_reader *rd, xyz_use use, int32_t k, shoal_span word,
                                xyz_atom *atom)
{
    switch (use) {
    case XYZ_SKIP: return SHOAL_OK;
    case XYZ_SPECIES: return read_species(rd, word, &atom->z, &atom->isotope);
    case XYZ_POS: return reader_coordinate(rd, word, &atom->pos[k]);
    case XYZ_CHARGE:
        if (shoal_text_double(word, &atom->charge)) return SHOAL_OK;
        return shoal_input_fail(rd->in, word, "bad charge", "a finite number");
    case XYZ_FORMAL_CHARGE:
        atom->formal = word;
        if (shoal_text_int(word, &atom->formal_charge)) return SHOAL_OK;
        return shoal_input_fail(rd->in, word, "bad formal charge", "an integer");
    case XYZ_TYPE: atom->type = word; return SHOAL_OK;
    case XYZ_ISOTOPE: atom->mass = word; return SHOAL_OK;
    case XYZ_FORCES:
        if (k == 0) atom->forces = word;
        atom->forces.size = (size_t)(word.text + word.size - atom->forces.text);
        return SHOAL_OK;
    case XYZ_MOMENTA:
        if (shoal_text_double(word, &atom->momentum[k])) return SHOAL_OK;
        return shoal_input_fail(rd->in, word, "bad momentum", "a finite number");
    case XYZ_MASS:
        if (shoal_text_double(word, &atom->given_mass) && atom->given_mass > 0) return SHOAL_OK;
        return shoal_input_fail(rd->in, word, "bad mass", "a positive number");
    }
    return SHOAL_OK;
}

static shoal_status read_columns(shoal_reader *rd, shoal_span line, xyz_atom *atom)
{
    shoal_span rest = line;
    const xyz_layout *layout = &rd->layout;
    for (int32_t c = 0; c < layout->n; ++c) {
        for (int32_t k = 0; k < layout->columns[c].width; ++k) {
            const shoal_span word = shoal_span_word(&rest);
            if (word.size == 0) return fail_short(rd, line, "as many as Properties announces");
            SHOAL_TRY(read_column(rd, layout->columns[c].use, k, word, atom));
        }
    }
    const shoal_span extra = shoal_span_word(&rest);
    if (extra.size == 0) return SHOAL_OK;
    return shoal_input_fail(rd->in, extra, "too many columns", "as many as Properties announces");
}

/* The labels of a file that Shoal wrote are results: a data field, which does not decide on types. */
static shoal_status keep_columns(shoal_reader *rd, const xyz_atom *atom, bool marked)
{
    if (rd->layout.has_forces) {
        shoal_span rest = atom->forces;
        for (int k = 0; k < 3; ++k) {
            SHOAL_TRY(shoal_string_append(&rd->forces, shoal_span_word(&rest)));
            SHOAL_TRY(shoal_string_append(&rd->forces, shoal_span_of(k < 2 ? " " : "\n")));
        }
    }
    if (!marked || atom->type.size == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_string_append(&rd->labels, atom->type));
    return shoal_string_append(&rd->labels, shoal_span_of(" "));
}

/* A column as a data field, without the blank behind its last word. */
static shoal_status add_column(shoal_reader *rd, shoal_molecule *mol, const shoal_string *column,
                               result_field field)
{
    if (column->size == 0) return SHOAL_OK;
    SHOAL_TRY(shoal_string_set(&rd->key, shoal_span_of(result_names[field])));
    SHOAL_TRY(shoal_string_set(&rd->value, (shoal_span){column->data, column->size - 1}));
    return reader_add_property(rd, mol);
}

/* Velocities by momenta in the unit of ASE, sqrt(eV amu). */
static shoal_status keep_velocity(shoal_reader *rd, const shoal_molecule *mol, const xyz_atom *atom)
{
    const int32_t i = mol->n_atoms - 1, number = shoal_molecule_isotope(mol, i);
    const double own = number > 0 ? isotope_mass(atom->z, number) : element_get(atom->z)->mass;
    const double mass = atom->given_mass > 0 ? atom->given_mass : own;
    SHOAL_TRY(SHOAL_RESERVE(&rd->velocities, &rd->velocity_capacity, i + 1));
    for (int k = 0; k < 3; ++k) rd->velocities[i][k] = atom->momentum[k] / (mass * ASE_TIME);
    return SHOAL_OK;
}

/* A type column says "-" for an atom without a label. */
static shoal_status add_atom(shoal_reader *rd, shoal_molecule *mol, const xyz_atom *atom,
                             bool marked)
{
    SHOAL_TRY(shoal_molecule_add_atom(mol, atom->z, atom->pos));
    const int32_t i = mol->n_atoms - 1;
    shoal_status status = SHOAL_OK;
    mol->charge[i] = atom->charge;
    if (atom->formal.size > 0)
        status = shoal_molecule_set_formal_charge(mol, i, atom->formal_charge);
    if (status != SHOAL_OK) return shoal_input_refuse(rd->in, atom->formal, "bad charge", status);
    SHOAL_TRY(molecule_set_mark(&mol->isotope, i, atom->isotope));
    if (atom->mass.size > 0) SHOAL_TRY(reader_isotope(rd, mol, i, atom->mass));
    if (rd->layout.has_forces || marked) SHOAL_TRY(keep_columns(rd, atom, marked));
    if (rd->layout.has_momenta) SHOAL_TRY(keep_velocity(rd, mol, atom));
    if (marked || atom->type.size == 0 || shoal_span_equal(atom->type, "-")) return SHOAL_OK;
    SHOAL_TRY(shoal_string_set(&rd->value, atom->type));
    status = shoal_molecule_set_type(mol, i, rd->value.data);
    if (status != SHOAL_OK) return shoal_input_refuse(rd->in, atom->type, "bad uff_type", status);
    return SHOAL_OK;
}

static shoal_status read_atoms(shoal_reader *rd, shoal_molecule *mol, int32_t n)
{
    bool all_charged = n > 0;
    const bool marked = result_is_marked(mol);
    shoal_string_clear(&rd->labels);
    shoal_string_clear(&rd->forces);
    /* No more atoms than the text has room for: a line is two bytes at least. */
    const size_t most = shoal_input_window(rd->in).size / 2 + 1;
    SHOAL_TRY(molecule_reserve_atoms(mol, (size_t)n < most ? n : (int32_t)most));
    for (int32_t i = 0; i < n; ++i) {
        shoal_span line;
        xyz_atom atom = {0};
        bool charged = rd->layout.has_charges;
        SHOAL_TRY(shoal_input_need(rd->in, &line, "the line of atom %d of %d", i + 1, n));
        SHOAL_TRY(rd->layout.n > 0 ? read_columns(rd, line, &atom)
                                   : read_plain(rd, line, &atom, &charged));
        SHOAL_TRY(add_atom(rd, mol, &atom, marked));
        all_charged = all_charged && charged;
    }
    mol->has_charges = all_charged;
    if (!all_charged && n > 0) memset(mol->charge, 0, (size_t)n * sizeof *mol->charge);
    if (rd->layout.has_momenta && n > 0)
        SHOAL_TRY(shoal_molecule_set_velocities(mol, (const double(*)[3])rd->velocities));
    SHOAL_TRY(add_column(rd, mol, &rd->labels, RESULT_TYPES));
    return add_column(rd, mol, &rd->forces, RESULT_FORCES);
}

/* Nothing but blank lines may follow in the record of a frame. */
static shoal_status check_end(shoal_reader *rd, int32_t n)
{
    shoal_span line;
    bool found;
    do {
        SHOAL_TRY(shoal_input_line(rd->in, &line, &found));
        line = shoal_span_trim(line);
    } while (found && line.size == 0);
    if (!found) return SHOAL_OK;
    return shoal_input_fail(rd->in, line, "text behind the last atom", "%d atoms", n);
}

/* Formal charges that Shoal found from bare coordinates are found again, together with the orders: as charges of the
 * file they would choose one of several resonance structures. Their sum is the total charge. */
static void forget_found(shoal_molecule *mol)
{
    const char *orders = shoal_molecule_property(mol, result_names[RESULT_ORDERS]);
    if (!orders || !result_is_marked(mol)) return;
    const bool found = strcmp(orders, "found") == 0 && mol->has_formal_charges;
    shoal_molecule_remove_property(mol, result_names[RESULT_ORDERS]);
    if (!found) return;
    int32_t sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        sum += mol->formal_charge[i];
        mol->formal_charge[i] = 0;
    }
    mol->has_formal_charges = false;
    if (mol->has_file_charge || shoal_molecule_is_periodic(mol)) return;
    mol->has_file_charge = true;
    mol->file_charge = sum;
}

shoal_status xyz_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    shoal_span line, count;
    int32_t n;
    do {
        SHOAL_TRY(shoal_input_line(rd->in, &line, found));
        if (!*found) return SHOAL_OK;
        count = shoal_span_trim(line);
    } while (count.size == 0);
    if (!shoal_text_int(count, &n) || n < 0)
        return shoal_input_fail(rd->in, count, "bad first line of a frame", "the number of atoms");
    SHOAL_TRY(shoal_input_need(rd->in, &line, "a comment line"));
    SHOAL_TRY(xyz_comment_read(rd, mol, line));
    SHOAL_TRY(read_atoms(rd, mol, n));
    SHOAL_TRY(xyz_frame_settle(rd, mol));
    forget_found(mol);
    return check_end(rd, n);
}
