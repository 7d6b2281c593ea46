/* SPDX-License-Identifier: BSD-3-Clause
 * Writing extended xyz, as the Atomic Simulation Environment reads it. */
#include "io/writer.h"
#include "io/xyz.h"

/* Characters that need no quotes around a key or value. */
static bool is_plain(const char *text)
{
    if (*text == '\0') return false;
    for (const char *p = text; *p; ++p)
        if (!shoal_is_letter(*p) && !shoal_is_digit(*p) && !strchr("_-+.:/", *p)) return false;
    return true;
}

/* In quotes, with backslashes before quotes and backslashes, and \n for a new line. */
static void put_quoted(shoal_string *out, const char *text)
{
    shoal_string_put(out, "\"", 1);
    for (const char *p = text; *p; ++p) {
        const unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\') shoal_string_put(out, "\\", 1);
        if (c == '\n')
            shoal_string_put(out, "\\n", 2);
        else
            shoal_string_put(out, c < ' ' || c == 0x7f ? " " : p, 1);
    }
    shoal_string_put(out, "\"", 1);
}

static void put_value(shoal_string *out, const char *text)
{
    if (is_plain(text))
        shoal_string_put_text(out, text);
    else
        put_quoted(out, text);
}

/* Keys with a meaning of their own in the comment line. */
static bool is_reserved(const char *key)
{
    static const char *const keys[] = {"Lattice", "Properties", "pbc", "name"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (shoal_span_equal_nocase(shoal_span_of(key), keys[i])) return true;
    return false;
}

static bool has_formal_charges(const shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->formal_charge[i] != 0) return true;
    return false;
}

/* What an atom line has beside species and coordinates. */
typedef struct xyz_columns {
    bool marked; /* the data fields are those of an earlier run */
    bool forces; /* of the frame */
    shoal_span kept_forces;
    bool momenta;
    bool formal, isotopes;
    bool types; /* of the frame, else those that the molecule is given */
    shoal_span kept_labels;
} xyz_columns;

static bool are_numbers(shoal_span text)
{
    double number;
    for (shoal_span word; (word = shoal_span_word(&text)).size > 0;)
        if (!shoal_text_double(word, &number)) return false;
    return true;
}

/* Forces and labels that the file of the molecule had are kept as columns; but labels in a file that Shoal
 * did not mark would decide on types when it is read. */
static xyz_columns choose_columns(const shoal_molecule *mol, const shoal_frame *frame)
{
    xyz_columns c = {.marked = result_is_marked(mol),
                     .forces = frame->forces,
                     .momenta = frame->velocities && frame->masses,
                     .formal = has_formal_charges(mol),
                     .isotopes = mol->isotope.n > 0,
                     .types = writer_has_types(mol, frame)};
    if (frame->is_result) return c;
    if (!c.forces) c.kept_forces = result_words(mol, RESULT_FORCES, 3);
    if (c.kept_forces.text && !are_numbers(c.kept_forces)) c.kept_forces.text = NULL;
    if (!c.types && c.marked) c.kept_labels = result_words(mol, RESULT_TYPES, 1);
    return c;
}

/* True for a data field that a column repeats. */
static bool is_column(const shoal_molecule *mol, const xyz_columns *c, const molecule_property *p)
{
    if (mol->has_charges && writer_is_charges(p->key)) return true;
    return (c->kept_forces.text && c->kept_forces.text == p->value) ||
           (c->kept_labels.text && c->kept_labels.text == p->value);
}

static void put_key(shoal_string *out, const char *key, const char *value)
{
    shoal_string_put(out, " ", 1);
    put_value(out, key);
    shoal_string_put(out, "=", 1);
    put_value(out, value);
}

/* The fields first to last - 1, with a blank before each. */
static void put_results(shoal_string *out, const shoal_frame *frame, int first, int last)
{
    for (int field = first; field < last; ++field) {
        const result_value value = result_get(frame, (result_field)field);
        if (value.kind == VALUE_TEXT) put_key(out, result_names[field], value.text);
        if (value.kind == VALUE_NONE || value.kind == VALUE_TEXT) continue;
        shoal_string_put(out, " ", 1);
        shoal_string_put_text(out, result_names[field]);
        shoal_string_put(out, "=", 1);
        if (value.kind == VALUE_TENSOR) {
            shoal_string_put(out, "\"", 1);
            result_put_tensor(out, value.tensor);
            shoal_string_put(out, "\"", 1);
        } else if (value.kind == VALUE_NUMBER)
            shoal_string_put_number(out, value.number);
        else
            shoal_string_put_integer(out, value.integer);
    }
}

static void put_properties(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame,
                           const xyz_columns *c)
{
    char name[RESULT_NAME_SIZE];
    for (int32_t i = 0; i < mol->n_properties; ++i) {
        const molecule_property *p = &mol->properties[i];
        const field_fate fate = result_fate(frame, c->marked, p);
        if (fate == FIELD_DROPPED || is_column(mol, c, p)) continue;
        if (fate == FIELD_RENAMED) result_rename(mol, p->key, name);
        shoal_string_put_text(out, is_reserved(p->key) ? " sd_" : " ");
        put_value(out, fate == FIELD_RENAMED ? name : p->key);
        shoal_string_put_text(out, "=");
        put_value(out, p->value);
    }
}

/* Marks of atoms (number:code) or bonds (number-number:code), from 1. */
static void put_marks(shoal_string *out, const shoal_molecule *mol, bool of_bonds)
{
    const molecule_marks *marks = of_bonds ? &mol->bond_stereo : &mol->parity;
    bool first = true;
    for (int32_t k = 0; k < marks->n; ++k) {
        const int32_t mark = marks->of[k];
        if (mark == 0) continue;
        const shoal_bond *bond = &mol->bonds[k];
        if (first) shoal_string_put_text(out, of_bonds ? " bond_stereo=\"" : " atom_parity=\"");
        if (!first) shoal_string_put(out, " ", 1);
        first = false;
        shoal_string_put_integer(out, of_bonds ? (mark < 0 ? bond->j : bond->i) + 1 : k + 1);
        if (of_bonds) shoal_string_put(out, "-", 1);
        if (of_bonds) shoal_string_put_integer(out, (mark < 0 ? bond->i : bond->j) + 1);
        shoal_string_put(out, ":", 1);
        shoal_string_put_integer(out, mark < 0 ? -mark : mark);
    }
    if (!first) shoal_string_put(out, "\"", 1);
}

/* What an SD file says of a molecule and xyz has no place for, unless a data field has that name. */
static void put_passed_on(shoal_string *out, const shoal_molecule *mol)
{
    const char *program = molecule_line(mol, MOLECULE_PROGRAM);
    const char *comment = molecule_line(mol, MOLECULE_COMMENT);
    if (program[0] && !strstr(program, " shoal ") && !shoal_molecule_property(mol, "program"))
        put_key(out, "program", program);
    if (comment[0] && !shoal_molecule_property(mol, "comment")) put_key(out, "comment", comment);
    if (mol->chiral && !shoal_molecule_property(mol, "chiral")) put_key(out, "chiral", "1");
    if (!shoal_molecule_property(mol, "atom_parity")) put_marks(out, mol, false);
    if (!shoal_molecule_property(mol, "bond_stereo")) put_marks(out, mol, true);
}

/* The mark and where a frame comes from stand first, so that they are found without parsing. */
static void put_numbers(shoal_string *out, const double *x, int n)
{
    char *const start = shoal_string_room(out, (size_t)n * (SHOAL_NUMBER_SIZE + 1)), *to = start;
    if (!start) return;
    for (int k = 0; k < n; ++k) {
        *to++ = ' ';
        to += shoal_text_print(to, x[k]);
    }
    out->size += (size_t)(to - start);
}

/* Where electron pairs are, three numbers each. */
static void put_pairs(shoal_string *out, const shoal_frame *frame)
{
    if (frame->n_pairs == 0) return;
    shoal_string_put_text(out, " electron_pairs=\"");
    for (int32_t k = 0; k < 3 * frame->n_pairs; ++k) {
        if (k > 0) shoal_string_put(out, " ", 1);
        shoal_string_put_number(out, frame->electron_pairs[k / 3][k % 3]);
    }
    shoal_string_put_text(out, "\"");
}

/* That of atom i, zeros if it has none; *next is the first that no atom before i has. */
static void put_direction(shoal_string *out, const shoal_frame *frame, int32_t i, int32_t *next)
{
    static const double none[3] = {0, 0, 0};
    while (*next < frame->n_directions && frame->direction_atoms[*next] < i) ++*next;
    const bool has = *next < frame->n_directions && frame->direction_atoms[*next] == i;
    put_numbers(out, has ? frame->directions[*next] : none, 3);
}

static void put_comment(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame,
                        const xyz_columns *c)
{
    const size_t start = out->size;
    put_results(out, frame, RESULT_MARK, RESULT_STATUS);
    if (writer_has_cell(mol)) {
        shoal_string_put_text(out, " Lattice=\"");
        writer_cell(out, mol);
        shoal_string_put_text(out, "\"");
    }
    shoal_string_put_text(out, " Properties=species:S:1:pos:R:3");
    if (c->forces || c->kept_forces.text) shoal_string_put_text(out, ":forces:R:3");
    if (frame->displacements) shoal_string_put_text(out, ":displacement:R:3");
    if (c->momenta) shoal_string_put_text(out, ":momenta:R:3:masses:R:1");
    if (frame->n_directions > 0) shoal_string_put_text(out, ":pi:R:3");
    if (mol->has_charges)
        shoal_string_put_text(out, mol->charges_computed ? ":charges:R:1" : ":initial_charges:R:1");
    if (c->formal) shoal_string_put_text(out, ":formal_charge:I:1");
    if (c->isotopes) shoal_string_put_text(out, ":isotope:I:1");
    if (c->types || c->kept_labels.text) shoal_string_put_text(out, ":uff_type:S:1");
    if (mol->name[0] != '\0') {
        shoal_string_put_text(out, " name=");
        put_quoted(out, mol->name);
    }
    put_results(out, frame, RESULT_STATUS, RESULT_TYPES);
    if (frame->is_result && c->formal && mol->orders_found && !mol->has_formal_charges) {
        shoal_string_put(out, " ", 1);
        shoal_string_put_text(out, result_names[RESULT_ORDERS]);
        shoal_string_put_text(out, "=found");
    }
    put_pairs(out, frame);
    put_properties(out, mol, frame, c);
    put_passed_on(out, mol);
    shoal_string_put_text(out, " pbc=\"");
    writer_pbc(out, mol);
    shoal_string_put_text(out, "\"\n");
    /* No blank before the first. */
    if (shoal_string_status(out) != SHOAL_OK) return;
    memmove(out->data + start, out->data + start + 1, out->size - start - 1);
    out->size--;
}

/* In sqrt(eV amu), as ASE reads it, and the mass that it goes with. */
static void put_momentum(shoal_string *out, const shoal_frame *frame, int32_t i)
{
    const double mass = frame->masses[i], scale = mass * ASE_TIME;
    const double momentum[3] = {scale * frame->velocities[i][0], scale * frame->velocities[i][1],
                                scale * frame->velocities[i][2]};
    put_numbers(out, momentum, 3);
    put_numbers(out, &mass, 1);
}

static void put_integer_column(shoal_string *out, int32_t value)
{
    shoal_string_put(out, " ", 1);
    shoal_string_put_integer(out, value);
}

static void put_words(shoal_string *out, shoal_span *rest, int n)
{
    for (int k = 0; k < n; ++k) {
        shoal_string_put(out, " ", 1);
        shoal_string_put_span(out, shoal_span_word(rest));
    }
}

shoal_status xyz_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    xyz_columns c = choose_columns(mol, frame);
    int32_t direction = 0;
    if (mol->geometry == SHOAL_GEOMETRY_NONE)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "'%.100s': the molecule has no coordinates, which xyz cannot do without; "
                          "expected sdf",
                          mol->name);
    shoal_string_put_integer(out, mol->n_atoms);
    shoal_string_put(out, "\n", 1);
    put_comment(out, mol, frame, &c);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        shoal_string_put_text(out, shoal_element_symbol(mol->element[i]));
        put_numbers(out, mol->pos[i], 3);
        if (c.forces) put_numbers(out, frame->forces[i], 3);
        if (c.kept_forces.text) put_words(out, &c.kept_forces, 3);
        if (frame->displacements) put_numbers(out, frame->displacements[i], 3);
        if (c.momenta) put_momentum(out, frame, i);
        if (frame->n_directions > 0) put_direction(out, frame, i, &direction);
        if (mol->has_charges) put_numbers(out, &mol->charge[i], 1);
        if (c.formal) put_integer_column(out, mol->formal_charge[i]);
        if (c.isotopes) put_integer_column(out, molecule_mark(&mol->isotope, i));
        if (c.types) {
            const char *label = writer_type(mol, frame, i);
            shoal_string_put_text(out, " ");
            shoal_string_put_text(out, label[0] ? label : "-");
        }
        if (c.kept_labels.text) put_words(out, &c.kept_labels, 1);
        shoal_string_put_text(out, "\n");
    }
    return SHOAL_OK;
}
