/* SPDX-License-Identifier: BSD-3-Clause
 * The molecule of a record, for files of results that are read as input. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "io/result_fields.h"
#include "results/results_record.h"
#include "shoal/md.h"

/* --- rows ----------------------------------------------------------------------------------------- */

/* Number i of a column; records know no alignment. */
static double get_double(const results_view *v, int column, int64_t i)
{
    double value;
    memcpy(&value, v->at[column] + i * (int64_t)sizeof value, sizeof value);
    return value;
}

static int64_t get_long(const results_view *v, int column)
{
    int64_t value;
    memcpy(&value, v->at[column], sizeof value);
    return value;
}

static int32_t get_int(const results_view *v, int column, int64_t i)
{
    int32_t value;
    memcpy(&value, v->at[column] + i * (int64_t)sizeof value, sizeof value);
    return value;
}

static int32_t get_short(const results_view *v, int column, int64_t i)
{
    int16_t value;
    memcpy(&value, v->at[column] + i * (int64_t)sizeof value, sizeof value);
    return value;
}

static int32_t get_byte(const results_view *v, int column, int64_t i)
{
    return (unsigned char)v->at[column][i];
}

static int32_t get_signed_byte(const results_view *v, int column, int64_t i)
{
    return (int8_t)v->at[column][i];
}

static shoal_span get_text(const results_view *v, int column)
{
    return (shoal_span){v->at[column], v->head.rows[results_columns[column].axis]};
}

static bool has_flag(const results_view *v, int flag)
{
    return get_short(v, RESULTS_FLAGS, 0) & flag;
}

/* Takes a text and the zero behind it off *rest; false where there is none. */
static bool take_text(shoal_span *rest, shoal_span *text)
{
    const char *end = rest->size > 0 ? memchr(rest->text, '\0', rest->size) : NULL;
    if (!end) return false;
    *text = (shoal_span){rest->text, (size_t)(end - rest->text)};
    *rest = shoal_span_after(*rest, text->size + 1);
    return true;
}

static shoal_status damaged(const char *what)
{
    return shoal_fail(SHOAL_E_FORMAT, "results: '%s' of a system makes no sense", what);
}

/* --- atoms and bonds ------------------------------------------------------------------------------ */

static shoal_status add_atoms(const results_view *v, shoal_molecule *mol)
{
    const uint32_t n = v->head.rows[RESULTS_ATOM];
    if (n > INT32_MAX) return damaged("atoms/starts");
    SHOAL_TRY(molecule_reserve_atoms(mol, (int32_t)n));
    for (int32_t i = 0; i < (int32_t)n; ++i) {
        double pos[3];
        for (int k = 0; k < 3; ++k) {
            pos[k] = get_double(v, RESULTS_POSITION, 3 * (int64_t)i + k);
            if (!isfinite(pos[k]))
                return shoal_fail(SHOAL_E_FORMAT, "atom %d has no finite position", i);
        }
        SHOAL_TRY(shoal_molecule_add_atom(mol, get_byte(v, RESULTS_NUMBER, i), pos));
        const int32_t formal = get_signed_byte(v, RESULTS_FORMAL, i);
        if (formal != 0) SHOAL_TRY(shoal_molecule_set_formal_charge(mol, i, formal));
        const int32_t isotope = get_short(v, RESULTS_ISOTOPE, i);
        if (isotope != 0) SHOAL_TRY(shoal_molecule_set_isotope(mol, i, isotope));
        if (has_flag(v, RESULTS_GIVEN_CHARGES))
            SHOAL_TRY(shoal_molecule_set_charge(mol, i, get_double(v, RESULTS_CHARGE, i)));
    }
    mol->has_formal_charges = has_flag(v, RESULTS_KNOWS_FORMAL);
    return SHOAL_OK;
}

/* Those of frames of dynamics. */
static shoal_status add_velocities(const results_view *v, shoal_molecule *mol)
{
    const int32_t n = mol->n_atoms;
    if (!(v->head.flags & RESULTS_HAS_DYNAMICS) || n == 0) return SHOAL_OK;
    double(*velocities)[3] = shoal_alloc((size_t)n, sizeof *velocities);
    if (!velocities) return SHOAL_E_MEMORY;
    bool finite = true;
    for (int32_t i = 0; i < 3 * n; ++i) {
        velocities[i / 3][i % 3] = get_double(v, RESULTS_VELOCITY, i);
        finite = finite && isfinite(velocities[i / 3][i % 3]);
    }
    const shoal_status status =
        finite ? shoal_molecule_set_velocities(mol, (const double(*)[3])velocities) : SHOAL_OK;
    free(velocities);
    return status;
}

static shoal_status add_bonds(const results_view *v, shoal_molecule *mol)
{
    const uint32_t n = v->head.rows[RESULTS_BOND];
    if (n > INT32_MAX) return damaged("bonds/starts");
    SHOAL_TRY(molecule_reserve_bonds(mol, (int32_t)n));
    for (int64_t b = 0; b < (int64_t)n; ++b) {
        const int32_t order = get_byte(v, RESULTS_ORDER, b);
        const double shared = get_double(v, RESULTS_SHARED, b);
        int32_t shift[3];
        for (int k = 0; k < 3; ++k) shift[k] = get_short(v, RESULTS_SHIFT, 3 * b + k);
        if (order > SHOAL_ORDER_QUADRUPLE && order != SHOAL_ORDER_DATIVE)
            return damaged("bonds/order");
        if (shared != 0 && !molecule_is_shared(shared)) return damaged("bonds/shared_order");
        SHOAL_TRY(shoal_molecule_add_bond(mol, get_int(v, RESULTS_BOND_ATOMS, 2 * b),
                                          get_int(v, RESULTS_BOND_ATOMS, 2 * b + 1),
                                          (shoal_bond_order)order, shift));
        mol->bonds[b].shared = shared;
    }
    mol->has_bonds = has_flag(v, RESULTS_KNOWS_BONDS);
    mol->orders_found = has_flag(v, RESULTS_FOUND_ORDERS);
    return SHOAL_OK;
}

static shoal_status add_marks(const results_view *v, shoal_molecule *mol)
{
    for (int64_t k = 0; k < (int64_t)v->head.rows[RESULTS_MARK]; ++k) {
        const int32_t kind = get_byte(v, RESULTS_MARK_KIND, k);
        const int32_t at = get_int(v, RESULTS_MARK_AT, k);
        const int32_t value = get_signed_byte(v, RESULTS_MARK_VALUE, k);
        if (at < 0 || at >= (kind == RESULTS_STEREO ? mol->n_bonds : mol->n_atoms))
            return damaged("marks/at");
        if (kind == RESULTS_RADICAL)
            SHOAL_TRY(shoal_molecule_set_radical(mol, at, value));
        else if (kind == RESULTS_PARITY && value >= 1 && value <= 3)
            SHOAL_TRY(molecule_set_mark(&mol->parity, at, value));
        else if (kind == RESULTS_STEREO && value >= -6 && value <= 6)
            SHOAL_TRY(molecule_set_mark(&mol->bond_stereo, at, value));
        else
            return damaged("marks/value");
    }
    return SHOAL_OK;
}

static shoal_status set_cell(const results_view *v, shoal_molecule *mol)
{
    double cell[3][3];
    bool pbc[3], any = false;
    for (int k = 0; k < 9; ++k) {
        cell[k / 3][k % 3] = get_double(v, RESULTS_CELL, k);
        any = any || cell[k / 3][k % 3] != 0;
    }
    for (int k = 0; k < 3; ++k) pbc[k] = get_byte(v, RESULTS_PBC, k) != 0;
    if (!any && !pbc[0] && !pbc[1] && !pbc[2]) return SHOAL_OK;
    return shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc);
}

static shoal_status set_texts(const results_view *v, shoal_molecule *mol)
{
    shoal_span rest = get_text(v, RESULTS_LINES_TEXT), line;
    const bool has_lines = rest.size > 0;
    SHOAL_TRY(molecule_set_name(mol, get_text(v, RESULTS_NAME_TEXT)));
    mol->chiral = has_flag(v, RESULTS_CHIRAL);
    for (int k = 0; has_lines && k < MOLECULE_N_LINES; ++k) {
        if (!take_text(&rest, &line)) return damaged("systems/lines");
        if (line.size > 0) SHOAL_TRY(molecule_set_line(mol, k, line));
    }
    return SHOAL_OK;
}

static shoal_status add_data(const results_view *v, shoal_molecule *mol)
{
    shoal_span rest = get_text(v, RESULTS_DATA_BYTES), key, value;
    while (rest.size > 0) {
        if (!take_text(&rest, &key) || !take_text(&rest, &value)) return damaged("data/bytes");
        SHOAL_TRY(molecule_add_property(mol, key, value));
    }
    return SHOAL_OK;
}

/* --- fields of results ---------------------------------------------------------------------------- */

/* What the fields of a frame are made from. */
typedef struct results_said {
    shoal_frame frame;
    shoal_string reason, warning, value;
    double energy, energy0, fmax, stress[6];
    int32_t steps;
    int64_t variant;
} results_said;

static shoal_status add_field(results_said *said, shoal_molecule *mol, result_field field)
{
    SHOAL_TRY(shoal_string_status(&said->value));
    return molecule_add_property(mol, shoal_span_of(result_names[field]),
                                 shoal_string_span(&said->value));
}

/* Version of "shoal 1.2"; that of this program if there is none. */
static const char *find_version(const char *program)
{
    const char *blank = program ? strrchr(program, ' ') : NULL;
    return blank && shoal_is_digit(blank[1]) && strchr(blank, '.') ? blank + 1 : SHOAL_VERSION;
}

/* The fields first to last - 1. */
static shoal_status add_fields(results_said *said, shoal_molecule *mol, const char *program,
                               int first, int last)
{
    for (int field = first; field < last; ++field) {
        const result_value value = result_get(&said->frame, (result_field)field);
        shoal_string_clear(&said->value);
        if (value.kind == VALUE_NONE) continue;
        if (value.kind == VALUE_TEXT)
            shoal_string_put_text(&said->value,
                                  field == RESULT_MARK ? find_version(program) : value.text);
        else if (value.kind == VALUE_TENSOR)
            result_put_tensor(&said->value, value.tensor);
        else if (value.kind == VALUE_NUMBER)
            shoal_string_put_number(&said->value, value.number);
        else
            shoal_string_put_integer(&said->value, value.integer);
        SHOAL_TRY(add_field(said, mol, (result_field)field));
    }
    return SHOAL_OK;
}

/* Labels of all atoms, "-" for one without; none if no atom has one. */
static shoal_status add_types(const results_view *v, results_said *said, shoal_molecule *mol)
{
    const size_t size = results_type_size[RESULTS_TEXT8];
    bool any = false;
    shoal_string_clear(&said->value);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const char *label = v->at[RESULTS_ATOM_TYPE] + (size_t)i * size;
        any = any || label[0];
        if (i > 0) shoal_string_put(&said->value, " ", 1);
        if (label[0])
            shoal_string_put(&said->value, label, strnlen(label, size));
        else
            shoal_string_put(&said->value, "-", 1);
    }
    return any ? add_field(said, mol, RESULT_TYPES) : SHOAL_OK;
}

/* Forces of all atoms, if they are numbers. */
static shoal_status add_forces(const results_view *v, results_said *said, shoal_molecule *mol)
{
    const int64_t n = v->head.flags & RESULTS_HAS_FORCES ? 3 * (int64_t)mol->n_atoms : 0;
    shoal_string_clear(&said->value);
    for (int64_t k = 0; k < n; ++k) {
        const double force = get_double(v, RESULTS_FORCE, k);
        if (!isfinite(force)) return SHOAL_OK;
        if (k > 0) shoal_string_put(&said->value, k % 3 ? " " : "\n", 1);
        shoal_string_put_number(&said->value, force);
    }
    return n > 0 ? add_field(said, mol, RESULT_FORCES) : SHOAL_OK;
}

static bool repeats_thrice(const results_view *v)
{
    const char *pbc = v->at[RESULTS_PBC];
    return pbc[0] && pbc[1] && pbc[2];
}

static void fill_frame(const results_view *v, const char *file, results_said *said)
{
    const shoal_span reason = get_text(v, RESULTS_REASON_TEXT);
    const shoal_span warning = get_text(v, RESULTS_WARNING_TEXT);
    shoal_string_put(&said->reason, reason.text, reason.size);
    shoal_string_put(&said->warning, warning.text, warning.size);
    said->energy = get_double(v, RESULTS_ENERGY, 0);
    said->energy0 = get_double(v, RESULTS_ENERGY0, 0);
    said->fmax = get_double(v, RESULTS_FMAX, 0);
    said->steps = get_int(v, RESULTS_STEPS, 0);
    said->frame = (shoal_frame){
        .is_result = true,
        .status = shoal_system_status_name((shoal_system_status)get_int(v, RESULTS_STATUS, 0)),
        .reason = shoal_string_data(&said->reason),
        .warning = shoal_string_data(&said->warning),
        .energy = isfinite(said->energy) ? &said->energy : NULL,
        .energy0 = isfinite(said->energy0) ? &said->energy0 : NULL,
        .fmax = isfinite(said->fmax) ? &said->fmax : NULL,
        .steps = said->steps > 0 ? &said->steps : NULL,
        .file = file,
        .index = get_long(v, RESULTS_INDEX),
        .record = get_long(v, RESULTS_RECORD)};
    if (v->head.flags & RESULTS_HAS_VARIANTS) {
        said->variant = get_long(v, RESULTS_VARIANT);
        said->frame.variant = &said->variant;
    }
    if (v->head.flags & RESULTS_HAS_ADSORPTION) {
        said->frame.adsorption_energy = get_double(v, RESULTS_ADSORPTION, 0);
        said->frame.has_adsorption = isfinite(said->frame.adsorption_energy);
    }
    if (!(v->head.flags & RESULTS_HAS_STRESS) || !repeats_thrice(v)) return;
    for (int k = 0; k < 6; ++k) said->stress[k] = get_double(v, RESULTS_STRESS, k);
    said->frame.stress = isfinite(said->stress[0]) ? said->stress : NULL;
}

/* In the order in which an SD record has them: where it comes from, the user's fields, what was found. */
static shoal_status add_all_fields(const results_view *v, const char *file, const char *program,
                                   shoal_molecule *mol)
{
    results_said said = {0};
    if (!has_flag(v, RESULTS_IS_RESULT)) return add_data(v, mol);
    fill_frame(v, file, &said);
    shoal_status status = add_fields(&said, mol, program, RESULT_MARK, RESULT_STATUS);
    if (status == SHOAL_OK) status = add_data(v, mol);
    if (status == SHOAL_OK) status = add_fields(&said, mol, program, RESULT_STATUS, RESULT_TYPES);
    if (status == SHOAL_OK) status = add_types(v, &said, mol);
    if (status == SHOAL_OK) status = add_forces(v, &said, mol);
    shoal_string_free(&said.reason);
    shoal_string_free(&said.warning);
    shoal_string_free(&said.value);
    return status;
}

/* --- the molecule --------------------------------------------------------------------------------- */

/* All but the data fields. */
static shoal_status fill_molecule(const results_view *v, shoal_molecule *mol)
{
    if (get_int(v, RESULTS_STATUS, 0) == SHOAL_SYSTEM_UNREADABLE) {
        const shoal_span reason = get_text(v, RESULTS_REASON_TEXT);
        return shoal_fail(SHOAL_E_FORMAT, "%.*s", (int)(reason.size < 2000 ? reason.size : 2000),
                          reason.text);
    }
    SHOAL_TRY(set_texts(v, mol));
    SHOAL_TRY(add_atoms(v, mol));
    SHOAL_TRY(add_velocities(v, mol));
    SHOAL_TRY(add_bonds(v, mol));
    SHOAL_TRY(add_marks(v, mol));
    return set_cell(v, mol);
}

/* What a molecule refuses is damage of the record. */
static shoal_status as_damage(shoal_status status)
{
    if (status != SHOAL_E_ARGUMENT) return status;
    char why[300];
    (void)snprintf(why, sizeof why, "%s", shoal_error_text());
    return shoal_fail(SHOAL_E_FORMAT, "%s", why);
}

shoal_status results_make_molecule(shoal_span record, const char *file, const char *program,
                                   shoal_molecule *mol)
{
    results_view view;
    shoal_molecule_clear(mol);
    SHOAL_TRY(results_look(record.text, record.size, &view));
    SHOAL_TRY(as_damage(fill_molecule(&view, mol)));
    return as_damage(add_all_fields(&view, file, program, mol));
}

shoal_status results_make_input(shoal_span record, shoal_molecule *mol)
{
    results_view view;
    shoal_molecule_clear(mol);
    SHOAL_TRY(results_look(record.text, record.size, &view));
    SHOAL_TRY(as_damage(fill_molecule(&view, mol)));
    return as_damage(add_data(&view, mol));
}

shoal_span results_name(shoal_span record)
{
    results_view view;
    if (results_look(record.text, record.size, &view) != SHOAL_OK) return (shoal_span){"", 0};
    return get_text(&view, RESULTS_NAME_TEXT);
}
