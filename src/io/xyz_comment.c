/* SPDX-License-Identifier: BSD-3-Clause
 * The second line of an xyz frame: a name, an extended xyz list of keys, a "lvs" cell, or the words of a frame
 * of two fragments. */
#include <math.h>

#include "base/alloc.h"
#include "io/frame_comment.h"
#include "io/xyz.h"

typedef enum item_kind {
    ITEM_END,
    ITEM_WORD, /* a key without a value */
    ITEM_PAIR,
    ITEM_BROKEN, /* a quote or bracket without its end, or an empty key */
} item_kind;

/* One item of the list, e.g. energy=-1.5 or "a key"="a \"value\"". */
typedef struct item {
    shoal_span key, value; /* without the quotes around them */
    bool key_quoted;       /* backslashes in it escape */
    bool value_quoted;
    bool odd; /* a pair only by the letter, e.g. in the SMILES C1=CC=CC=C1 */
} item;

/* The text between an opening character and its unescaped end; false without an end. */
static bool take_quoted(shoal_span *rest, shoal_span *out)
{
    const char open = rest->text[0], close = open == '{' ? '}' : open;
    for (size_t i = 1; i < rest->size; ++i) {
        if (rest->text[i] == '\\') {
            ++i;
        } else if (rest->text[i] == close) {
            *out = (shoal_span){rest->text + 1, i - 1};
            *rest = shoal_span_after(*rest, i + 1);
            return rest->size == 0 || shoal_is_blank(rest->text[0]) || rest->text[0] == '=';
        }
    }
    return false;
}

/* A list in brackets, which may be nested; the brackets stay. */
static bool take_list(shoal_span *rest, shoal_span *out)
{
    size_t depth = 0;
    for (size_t i = 0; i < rest->size; ++i) {
        depth += rest->text[i] == '[';
        depth -= rest->text[i] == ']';
        if (depth == 0) {
            *out = (shoal_span){rest->text, i + 1};
            *rest = shoal_span_after(*rest, i + 1);
            return rest->size == 0 || shoal_is_blank(rest->text[0]);
        }
    }
    return false;
}

static void take_bare(shoal_span *rest, bool to_equals, shoal_span *out)
{
    size_t n = 0;
    while (n < rest->size && !shoal_is_blank(rest->text[n]) && !(to_equals && rest->text[n] == '='))
        ++n;
    *out = (shoal_span){rest->text, n};
    *rest = shoal_span_after(*rest, n);
}

static bool is_identifier(shoal_span key)
{
    for (size_t i = 0; i < key.size; ++i) {
        const char c = key.text[i];
        if (!shoal_is_letter(c) && !shoal_is_digit(c) && !strchr("_-.:", c)) return false;
    }
    return true;
}

static bool take_value(shoal_span *rest, item *it)
{
    const char first = rest->size > 0 ? rest->text[0] : '\0';
    it->value_quoted = first == '"' || first == '\'' || first == '{';
    if (it->value_quoted) return take_quoted(rest, &it->value);
    if (first == '[') return take_list(rest, &it->value);
    take_bare(rest, false, &it->value);
    it->odd = it->odd || memchr(it->value.text, '=', it->value.size);
    return true;
}

static item_kind next_item(shoal_span *rest, item *it)
{
    *it = (item){0};
    while (rest->size > 0 && shoal_is_blank(rest->text[0])) *rest = shoal_span_after(*rest, 1);
    if (rest->size == 0) return ITEM_END;
    it->key_quoted = rest->text[0] == '"';
    if (!it->key_quoted)
        take_bare(rest, true, &it->key);
    else if (!take_quoted(rest, &it->key))
        return ITEM_BROKEN;
    if (it->key.size == 0) return ITEM_BROKEN;
    if (rest->size == 0 || rest->text[0] != '=') return ITEM_WORD;
    it->odd = !it->key_quoted && !is_identifier(it->key);
    *rest = shoal_span_after(*rest, 1);
    return take_value(rest, it) ? ITEM_PAIR : ITEM_BROKEN;
}

static bool is_marker(shoal_span key)
{
    return shoal_span_equal_nocase(key, "Lattice") || shoal_span_equal_nocase(key, "Properties") ||
           shoal_span_equal_nocase(key, "pbc");
}

typedef enum comment_kind {
    COMMENT_NAME,  /* free text */
    COMMENT_MIXED, /* free text with key=value pairs in it */
    COMMENT_LIST,  /* extended xyz */
} comment_kind;

/* Extended xyz keys decide; without them a line is a list if nothing else is on it. */
static comment_kind classify(shoal_span line)
{
    int32_t n_words = 0, n_pairs = 0;
    for (;;) {
        item it;
        const item_kind kind = next_item(&line, &it);
        if ((kind == ITEM_PAIR || kind == ITEM_BROKEN) && is_marker(it.key)) return COMMENT_LIST;
        if (kind == ITEM_END) break;
        if (kind == ITEM_BROKEN || it.odd) return COMMENT_NAME;
        n_words += kind == ITEM_WORD;
        n_pairs += kind == ITEM_PAIR;
    }
    if (n_pairs == 0) return COMMENT_NAME;
    return n_words > 0 ? COMMENT_MIXED : COMMENT_LIST;
}

/* Resolves backslashes: \n is a new line, any other character stands for itself. */
static shoal_status unescape(shoal_string *out, shoal_span text)
{
    SHOAL_TRY(shoal_string_set(out, text));
    size_t n = 0;
    for (size_t i = 0; i < out->size; ++i) {
        char c = out->data[i];
        if (c == '\\' && i + 1 < out->size) {
            c = out->data[++i];
            if (c == 'n') c = '\n';
        }
        out->data[n++] = c;
    }
    out->data[n] = '\0';
    out->size = n;
    return SHOAL_OK;
}

/* What a column name is used for, with the type letters and the width it must have. */
static const struct {
    const char *name;
    xyz_use use;
    const char *types;
    int32_t width;
} known_columns[] = {
    {"species", XYZ_SPECIES, "SI", 1},
    {"element", XYZ_SPECIES, "SI", 1},
    {"pos", XYZ_POS, "RI", 3},
    {"charge", XYZ_CHARGE, "RI", 1},
    {"charges", XYZ_CHARGE, "RI", 1},
    {"initial_charges", XYZ_CHARGE, "RI", 1},
    {"q", XYZ_CHARGE, "RI", 1},
    {"formal_charge", XYZ_FORMAL_CHARGE, "I", 1},
    {"formal_charges", XYZ_FORMAL_CHARGE, "I", 1},
    {"uff_type", XYZ_TYPE, "S", 1},
    {"isotope", XYZ_ISOTOPE, "I", 1},
    {"forces", XYZ_FORCES, "R", 3},
    {"momenta", XYZ_MOMENTA, "R", 3},
    {"masses", XYZ_MASS, "R", 1},
};

/* Takes the text up to the next colon off *rest. */
static shoal_span take_field(shoal_span *rest)
{
    size_t n = 0;
    while (n < rest->size && rest->text[n] != ':') ++n;
    const shoal_span field = {rest->text, n};
    *rest = shoal_span_after(*rest, n + 1);
    return field;
}

/* One name:type:width. A second column for the same use is skipped. */
static shoal_status add_column(shoal_reader *rd, shoal_span name, shoal_span type, shoal_span width,
                               uint32_t *used)
{
    xyz_layout *layout = &rd->layout;
    xyz_column column = {XYZ_SKIP, 0};
    if (name.size == 0 || type.size != 1 || !strchr("SRIL", type.text[0]))
        return shoal_input_fail(rd->in, type, "bad column type in Properties", "S, R, I or L");
    if (!shoal_text_int(width, &column.width) || column.width < 1)
        return shoal_input_fail(rd->in, width, "bad column width in Properties",
                                "a positive integer");
    for (size_t i = 0; i < sizeof known_columns / sizeof known_columns[0]; ++i) {
        if (!shoal_span_equal_nocase(name, known_columns[i].name)) continue;
        const bool fits =
            strchr(known_columns[i].types, type.text[0]) && column.width == known_columns[i].width;
        if (!fits && known_columns[i].use >= XYZ_ISOTOPE) continue; /* only passed on */
        if (!fits)
            return shoal_input_fail(rd->in, name, "bad column in Properties", "%s:%c:%d",
                                    known_columns[i].name, known_columns[i].types[0],
                                    known_columns[i].width);
        if (!(*used >> known_columns[i].use & 1)) column.use = known_columns[i].use;
    }
    *used |= UINT32_C(1) << column.use;
    SHOAL_TRY(SHOAL_RESERVE(&layout->columns, &layout->capacity, layout->n + 1));
    layout->columns[layout->n++] = column;
    return SHOAL_OK;
}

static shoal_status read_properties(shoal_reader *rd, shoal_span text)
{
    shoal_span rest = text;
    uint32_t used = 0;
    rd->layout.n = 0;
    while (rest.size > 0) {
        const shoal_span name = take_field(&rest), type = take_field(&rest);
        SHOAL_TRY(add_column(rd, name, type, take_field(&rest), &used));
    }
    if (!(used >> XYZ_SPECIES & 1) || !(used >> XYZ_POS & 1))
        return shoal_input_fail(rd->in, text, "Properties without species or pos",
                                "species:S:1:pos:R:3 among them");
    rd->layout.has_charges = used >> XYZ_CHARGE & 1;
    rd->layout.has_forces = used >> XYZ_FORCES & 1;
    rd->layout.has_momenta = used >> XYZ_MOMENTA & 1;
    return SHOAL_OK;
}

/* Cell and periodicity, which may come in either order. */
typedef struct cell_keys {
    double cell[3][3]; /* rows a, b, c, angstrom */
    bool pbc[3];
    bool has_cell, has_pbc;
    shoal_span text; /* for the error text */
} cell_keys;

static shoal_status apply_cell(shoal_reader *rd, shoal_molecule *mol, cell_keys *keys)
{
    if (!keys->has_cell) {
        if (keys->has_pbc && (keys->pbc[0] || keys->pbc[1] || keys->pbc[2]))
            return shoal_input_fail(rd->in, keys->text, "pbc without a cell", "Lattice as well");
        return SHOAL_OK;
    }
    if (!keys->has_pbc) keys->pbc[0] = keys->pbc[1] = keys->pbc[2] = true;
    const shoal_status status =
        shoal_molecule_set_cell(mol, (const double(*)[3])keys->cell, keys->pbc);
    if (status != SHOAL_OK) return shoal_input_refuse(rd->in, keys->text, "bad cell", status);
    return SHOAL_OK;
}

/* The total charge of the molecule; perception wants a whole number. The field stays as it is, too. */
static void take_charge(shoal_molecule *mol, const item *it)
{
    double charge;
    if (!shoal_span_equal_nocase(it->key, "charge") &&
        !shoal_span_equal_nocase(it->key, "total_charge"))
        return;
    if (!shoal_text_double(it->value, &charge)) return;
    mol->file_charge = charge;
    mol->has_file_charge = true;
}

static shoal_status use_pair(shoal_reader *rd, shoal_molecule *mol, const item *it, cell_keys *keys)
{
    if (shoal_span_equal_nocase(it->key, "Properties")) return read_properties(rd, it->value);
    if (shoal_span_equal_nocase(it->key, "Lattice")) {
        keys->has_cell = true;
        keys->text = it->value;
        if (reader_numbers(it->value, 9, keys->cell[0])) return SHOAL_OK;
        return shoal_input_fail(rd->in, it->value, "bad Lattice", "nine finite numbers");
    }
    if (shoal_span_equal_nocase(it->key, "pbc")) {
        keys->has_pbc = true;
        if (!keys->has_cell) keys->text = it->value;
        if (reader_flags(it->value, keys->pbc)) return SHOAL_OK;
        return shoal_input_fail(rd->in, it->value, "bad pbc", "three of T or F");
    }
    take_charge(mol, it);
    SHOAL_TRY(it->value_quoted ? unescape(&rd->value, it->value)
                               : shoal_string_set(&rd->value, it->value));
    if (shoal_span_equal(it->key, "name")) return shoal_molecule_set_name(mol, rd->value.data);
    SHOAL_TRY(it->key_quoted ? unescape(&rd->key, it->key) : shoal_string_set(&rd->key, it->key));
    return reader_add_property(rd, mol);
}

/* Without words, a key that stands alone is left out; with them it means true. */
static shoal_status read_list(shoal_reader *rd, shoal_molecule *mol, shoal_span line, bool words)
{
    cell_keys keys = {0};
    for (;;) {
        item it;
        const item_kind kind = next_item(&line, &it);
        if (kind == ITEM_END) return apply_cell(rd, mol, &keys);
        if (kind == ITEM_BROKEN)
            return shoal_input_fail(rd->in, it.key.size > 0 ? it.key : line, "broken key or value",
                                    "key=value with closed quotes and brackets");
        if (kind == ITEM_WORD && !words) continue;
        if (kind == ITEM_WORD) it.value = shoal_span_of("T");
        SHOAL_TRY(use_pair(rd, mol, &it, &keys));
    }
}

/* lvs ax ay az bx by bz cx cy cz [key=value ...]; a zero vector is not periodic. */
static shoal_status read_lvs(shoal_reader *rd, shoal_molecule *mol, shoal_span rest)
{
    double cell[3][3];
    bool pbc[3];
    const shoal_span all = shoal_span_trim(rest);
    for (int k = 0; k < 9; ++k)
        if (!shoal_text_double(shoal_span_word(&rest), &cell[k / 3][k % 3]))
            return shoal_input_fail(rd->in, all, "bad lvs", "nine finite numbers");
    rest = shoal_span_trim(rest);
    if (rest.size > 0 && classify(rest) == COMMENT_NAME)
        return shoal_input_fail(rd->in, rest, "text behind lvs", "nine numbers, then key=value");
    for (int k = 0; k < 3; ++k) pbc[k] = cell[k][0] != 0 || cell[k][1] != 0 || cell[k][2] != 0;
    const shoal_status status = shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc);
    if (status != SHOAL_OK) return shoal_input_refuse(rd->in, all, "bad cell", status);
    return read_list(rd, mol, rest, true);
}

/* "n0 3 Etot -0.2 .. name": every key is a data field. Words that are neither a key nor the name are kept by
 * keeping the line. */
static shoal_status read_frame_words(shoal_reader *rd, shoal_molecule *mol, shoal_span line)
{
    frame_comment c;
    shoal_span rest = line, key, value;
    bool more = false;
    SHOAL_TRY(frame_comment_parse(rd->in, line, &c));
    if (c.n_first < 1)
        return shoal_input_fail(rd->in, line, "bad n0", "at least 1 atom in the first fragment");
    mol->n_first = c.n_first;
    SHOAL_TRY(molecule_set_name(mol, c.name));
    while (frame_comment_next(&rest, &key, &value)) {
        if (value.size == 0) {
            more = more || (key.text != c.name.text && !shoal_span_equal(key, "#"));
            continue;
        }
        SHOAL_TRY(shoal_string_set(&rd->key, key));
        SHOAL_TRY(shoal_string_set(&rd->value, value));
        SHOAL_TRY(reader_add_property(rd, mol));
    }
    return more ? molecule_set_line(mol, MOLECULE_COMMENT, line) : SHOAL_OK;
}

/* The charge of a fragment that the comment states. */
static shoal_status settle_charge(shoal_reader *rd, shoal_molecule *mol, int k)
{
    const char *text = shoal_molecule_property(mol, k == 0 ? "charge_a" : "charge_b");
    double charge;
    if (!text || !shoal_text_double(shoal_span_of(text), &charge)) return SHOAL_OK;
    if (!(fabs(charge) < 1000.0 && fabs(charge - nearbyint(charge)) < 0.05))
        return shoal_input_fail(rd->in, shoal_span_of(text), "bad charge of a fragment",
                                "a whole number");
    mol->fragment_charge[k] = (int32_t)nearbyint(charge);
    mol->has_fragment_charge[k] = true;
    return SHOAL_OK;
}

shoal_status xyz_frame_settle(shoal_reader *rd, shoal_molecule *mol)
{
    if (mol->n_properties == 0) return SHOAL_OK;
    const bool words = mol->n_first > 0;
    const char *n0 = shoal_molecule_property(mol, "n0");
    const char *energy = n0 ? shoal_molecule_property(mol, "Etot") : NULL;
    int32_t n;
    if (n0 && !energy) energy = shoal_molecule_property(mol, "E_tot");
    if (!n0 || !energy || !shoal_text_int(shoal_span_of(n0), &n)) return SHOAL_OK;
    if (shoal_molecule_is_periodic(mol)) return SHOAL_OK;
    mol->n_first = 0;
    if ((n < 1 || n >= mol->n_atoms) && !words) return SHOAL_OK; /* a field of somebody else */
    if (n < 1 || n >= mol->n_atoms)
        return shoal_input_fail(rd->in, shoal_span_of(n0), "bad n0",
                                "at least 1 and fewer than the %d atoms of the frame",
                                (int)mol->n_atoms);
    mol->n_first = n;
    SHOAL_TRY(settle_charge(rd, mol, 0));
    return settle_charge(rd, mol, 1);
}

shoal_status xyz_comment_read(shoal_reader *rd, shoal_molecule *mol, shoal_span line)
{
    rd->layout.n = 0;
    rd->layout.has_charges = rd->layout.has_forces = rd->layout.has_momenta = false;
    line = shoal_span_trim(line);
    shoal_span rest = line;
    if (shoal_span_equal(shoal_span_word(&rest), "lvs")) return read_lvs(rd, mol, rest);
    const comment_kind kind = classify(line);
    if (kind != COMMENT_LIST && frame_comment_is_frame(line))
        return read_frame_words(rd, mol, line);
    if (kind != COMMENT_LIST) SHOAL_TRY(molecule_set_name(mol, line));
    return kind == COMMENT_NAME ? SHOAL_OK : read_list(rd, mol, line, kind == COMMENT_LIST);
}
