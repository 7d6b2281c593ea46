/* SPDX-License-Identifier: BSD-3-Clause
 * The data fields that state what a run found: their names, their values, and what becomes of those that a
 * molecule brings from its file. */
#include "io/result_fields.h"

#include <stdio.h>

const char *const result_names[RESULT_N] = {
    [RESULT_MARK] = "shoal",
    [RESULT_INDEX] = "shoal_index",
    [RESULT_RECORD] = "shoal_record",
    [RESULT_FILE] = "shoal_file",
    [RESULT_STATUS] = "status",
    [RESULT_REASON] = "reason",
    [RESULT_WARNING] = "warning",
    [RESULT_ENERGY] = "energy",
    [RESULT_ENERGY0] = "energy0",
    [RESULT_STRESS] = "stress",
    [RESULT_FMAX] = "fmax",
    [RESULT_STEPS] = "steps",
    [RESULT_TIME] = "time_fs",
    [RESULT_KINETIC] = "kinetic_energy",
    [RESULT_TEMPERATURE] = "md_temperature",
    [RESULT_BATH] = "bath_temperature",
    [RESULT_TYPES] = "uff_types",
    [RESULT_FORCES] = "forces",
    [RESULT_POSITIONS] = "shoal_positions",
    [RESULT_ORDERS] = "shoal_orders",
    [RESULT_ELECTRON_PAIRS] = "electron_pairs",
    [RESULT_VARIANT] = "shoal_variant",
    [RESULT_CONFORMER] = "conformer",
    [RESULT_ADSORPTION] = "adsorption_energy",
};

/* Results of other programs that are untrue beside an energy of Shoal's. */
static const char *const untrue_names[] = {"free_energy", "stress", "virial"};

static result_value text_value(const char *text)
{
    return (result_value){.kind = text ? VALUE_TEXT : VALUE_NONE, .text = text};
}

static result_value number_value(const double *number)
{
    return (result_value){.kind = number ? VALUE_NUMBER : VALUE_NONE,
                          .number = number ? *number : 0.0};
}

static result_value integer_value(bool given, int64_t integer)
{
    return (result_value){.kind = given ? VALUE_INTEGER : VALUE_NONE, .integer = integer};
}

static const char *not_empty(const char *text)
{
    return text && text[0] ? text : NULL;
}

result_value result_get(const shoal_frame *frame, result_field field)
{
    const char *usual = frame->is_result ? shoal_system_status_name(SHOAL_SYSTEM_OK) : NULL;
    switch (field) {
    case RESULT_MARK: return text_value(frame->is_result ? SHOAL_VERSION : NULL);
    case RESULT_INDEX: return integer_value(frame->file, frame->index);
    case RESULT_RECORD: return integer_value(frame->file, frame->record);
    case RESULT_VARIANT: return integer_value(frame->variant, frame->variant ? *frame->variant : 0);
    case RESULT_CONFORMER:
        return integer_value(frame->conformer, frame->conformer ? *frame->conformer : 0);
    case RESULT_FILE: return text_value(frame->file);
    case RESULT_STATUS: return text_value(frame->status ? frame->status : usual);
    case RESULT_REASON: return text_value(not_empty(frame->reason));
    case RESULT_WARNING: return text_value(not_empty(frame->warning));
    case RESULT_ENERGY: return number_value(frame->energy);
    case RESULT_ENERGY0: return number_value(frame->energy0);
    case RESULT_ADSORPTION:
        return number_value(frame->has_adsorption ? &frame->adsorption_energy : NULL);
    case RESULT_STRESS:
        return (result_value){.kind = frame->stress ? VALUE_TENSOR : VALUE_NONE,
                              .tensor = frame->stress};
    case RESULT_FMAX: return number_value(frame->fmax);
    case RESULT_STEPS: return integer_value(frame->steps, frame->steps ? *frame->steps : 0);
    case RESULT_TIME: return number_value(frame->time);
    case RESULT_KINETIC: return number_value(frame->kinetic);
    case RESULT_TEMPERATURE: return number_value(frame->temperature);
    case RESULT_BATH: return number_value(frame->bath);
    default: return (result_value){.kind = VALUE_NONE};
    }
}

void result_put_tensor(shoal_string *out, const double tensor[6])
{
    static const int order[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    for (int k = 0; k < 9; ++k) {
        if (k > 0) shoal_string_put(out, " ", 1);
        shoal_string_put_number(out, tensor[order[k]]);
    }
}

bool result_is_marked(const shoal_molecule *mol)
{
    const char *version = shoal_molecule_property(mol, result_names[RESULT_MARK]);
    return version && shoal_is_digit(version[0]) && strchr(version, '.');
}

static bool has_key(const molecule_property *property, const char *key)
{
    return property->key[0] == key[0] && property->key_size == strlen(key) &&
           memcmp(property->key, key, property->key_size) == 0;
}

/* RESULT_N if it is none. */
static result_field find_field(const molecule_property *property)
{
    int k = 0;
    while (k < RESULT_N && !has_key(property, result_names[k])) ++k;
    return (result_field)k;
}

static bool is_untrue(const molecule_property *property)
{
    for (size_t i = 0; i < sizeof untrue_names / sizeof untrue_names[0]; ++i)
        if (has_key(property, untrue_names[i])) return true;
    return false;
}

/* True if the frame states the field anew. */
static bool is_given(const shoal_frame *frame, result_field field)
{
    if (field == RESULT_TYPES) return frame->types;
    if (field == RESULT_FORCES) return frame->forces;
    if (field == RESULT_ELECTRON_PAIRS) return frame->n_pairs > 0;
    return result_get(frame, field).kind != VALUE_NONE;
}

field_fate result_fate(const shoal_frame *frame, bool marked, const molecule_property *property)
{
    const result_field field = find_field(property);
    if (field == RESULT_N)
        return (frame->is_result || frame->energy) && is_untrue(property) ? FIELD_RENAMED
                                                                          : FIELD_KEPT;
    if (!frame->is_result && is_given(frame, field)) return FIELD_DROPPED;
    if (!frame->is_result) return frame->energy && is_untrue(property) ? FIELD_RENAMED : FIELD_KEPT;
    return marked ? FIELD_DROPPED : FIELD_RENAMED;
}

void result_rename(const shoal_molecule *mol, const char *key, char name[RESULT_NAME_SIZE])
{
    (void)snprintf(name, RESULT_NAME_SIZE, "%.40s_input", key);
    for (int k = 2; shoal_molecule_property(mol, name) && k < 10000; ++k)
        (void)snprintf(name, RESULT_NAME_SIZE, "%.40s_input_%d", key, k);
}

shoal_span result_words(const shoal_molecule *mol, result_field field, int32_t width)
{
    const char *text = shoal_molecule_property(mol, result_names[field]);
    int64_t n = 0;
    if (!text) return (shoal_span){NULL, 0};
    shoal_span rest = shoal_span_of(text);
    while (shoal_span_word(&rest).size > 0) ++n;
    if (n != (int64_t)mol->n_atoms * width) return (shoal_span){NULL, 0};
    return shoal_span_of(text);
}

const char *shoal_frame_renamed_field(const shoal_molecule *mol)
{
    const shoal_frame frame = {.is_result = true};
    if (!mol) return NULL;
    const bool marked = result_is_marked(mol);
    for (int32_t i = 0; i < mol->n_properties; ++i)
        if (result_fate(&frame, marked, &mol->properties[i]) == FIELD_RENAMED)
            return mol->properties[i].key;
    return NULL;
}

shoal_status shoal_molecule_use_file_types(shoal_molecule *mol)
{
    char label[SHOAL_LABEL_SIZE];
    shoal_clear_error();
    SHOAL_NEED(mol);
    const char *text = shoal_molecule_property(mol, result_names[RESULT_TYPES]);
    if (!text) return SHOAL_OK;
    shoal_span rest = result_words(mol, RESULT_TYPES, 1);
    if (!rest.text)
        return shoal_fail(SHOAL_E_FORMAT, "the data field %s does not have %d labels",
                          result_names[RESULT_TYPES], mol->n_atoms);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const shoal_span word = shoal_span_word(&rest);
        char quoted[SHOAL_QUOTE_SIZE];
        if (word.size >= sizeof label) {
            shoal_text_quote(quoted, word);
            return shoal_fail(SHOAL_E_FORMAT,
                              "atom %d: type label '%s', expected at most %d letters", i, quoted,
                              SHOAL_LABEL_SIZE - 1);
        }
        memcpy(label, word.text, word.size);
        label[word.size] = '\0';
        SHOAL_TRY(shoal_molecule_set_type(mol, i, strcmp(label, "-") == 0 ? "" : label));
    }
    return SHOAL_OK;
}
