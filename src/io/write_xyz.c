/* SPDX-License-Identifier: BSD-3-Clause
 * Writing extended xyz, as the Atomic Simulation Environment reads it. */
#include "io/writer.h"

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

/* Data fields that the frame states anew or makes untrue, or that a column repeats. */
static bool is_replaced(const shoal_molecule *mol, const shoal_frame *frame, const char *key)
{
    static const char *const of_energy[] = {"energy", "free_energy", "stress", "virial"};
    for (size_t i = 0; frame->energy && i < sizeof of_energy / sizeof of_energy[0]; ++i)
        if (strcmp(key, of_energy[i]) == 0) return true;
    return (frame->status && strcmp(key, "status") == 0) ||
           (frame->forces && strcmp(key, "forces") == 0) ||
           (frame->types && strcmp(key, "uff_types") == 0) ||
           (mol->has_charges && writer_is_charges(key));
}

static bool has_formal_charges(const shoal_molecule *mol)
{
    for (int32_t i = 0; i < mol->n_atoms; ++i)
        if (mol->formal_charge[i] != 0) return true;
    return false;
}

static void put_comment(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    if (writer_has_cell(mol)) {
        shoal_string_put_text(out, "Lattice=\"");
        writer_cell(out, mol);
        shoal_string_put_text(out, "\" ");
    }
    shoal_string_put_text(out, "Properties=species:S:1:pos:R:3");
    if (frame->forces) shoal_string_put_text(out, ":forces:R:3");
    if (mol->has_charges) shoal_string_put_text(out, ":initial_charges:R:1");
    if (has_formal_charges(mol)) shoal_string_put_text(out, ":formal_charge:I:1");
    if (writer_has_types(mol, frame)) shoal_string_put_text(out, ":uff_type:S:1");
    if (mol->name[0] != '\0') {
        shoal_string_put_text(out, " name=");
        put_quoted(out, mol->name);
    }
    if (frame->energy) {
        shoal_string_put_text(out, " energy=");
        shoal_string_put_number(out, *frame->energy);
    }
    if (frame->status) {
        shoal_string_put_text(out, " status=");
        put_value(out, frame->status);
    }
    for (int32_t i = 0; i < mol->n_properties; ++i) {
        const molecule_property *property = &mol->properties[i];
        if (is_replaced(mol, frame, property->key)) continue;
        shoal_string_put_text(out, is_reserved(property->key) ? " sd_" : " ");
        put_value(out, property->key);
        shoal_string_put_text(out, "=");
        put_value(out, property->value);
    }
    shoal_string_put_text(out, " pbc=\"");
    writer_pbc(out, mol);
    shoal_string_put_text(out, "\"\n");
}

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

shoal_status xyz_write(shoal_string *out, const shoal_molecule *mol, const shoal_frame *frame)
{
    const bool types = writer_has_types(mol, frame), formal = has_formal_charges(mol);
    shoal_string_put_integer(out, mol->n_atoms);
    shoal_string_put(out, "\n", 1);
    put_comment(out, mol, frame);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        shoal_string_put_text(out, shoal_element_symbol(mol->element[i]));
        put_numbers(out, mol->pos[i], 3);
        if (frame->forces) put_numbers(out, frame->forces[i], 3);
        if (mol->has_charges) put_numbers(out, &mol->charge[i], 1);
        if (formal) {
            shoal_string_put(out, " ", 1);
            shoal_string_put_integer(out, mol->formal_charge[i]);
        }
        if (types) {
            const char *label = writer_type(mol, frame, i);
            shoal_string_put_text(out, " ");
            shoal_string_put_text(out, label[0] ? label : "-");
        }
        shoal_string_put_text(out, "\n");
    }
    return SHOAL_OK;
}
