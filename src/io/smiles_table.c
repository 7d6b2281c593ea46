/* SPDX-License-Identifier: BSD-3-Clause
 * Tables with a column of SMILES: values with commas, semicolons or tabs between them, the first line with the names of
 * the columns. A record is that line and a row. */
#include <stdio.h>
#include <string.h>

#include "io/reader.h"

/* What stands between values: a tab where the heading has one, else a comma, else a semicolon. */
static char separator_of(shoal_span heading)
{
    if (memchr(heading.text, '\t', heading.size)) return '\t';
    return memchr(heading.text, ',', heading.size) || !memchr(heading.text, ';', heading.size)
               ? ','
               : ';';
}

/* Takes a value off a row; quotes around it are left out, and two in a row inside of them are one. */
static bool take_value(shoal_span *row, char separator, bool *ended, shoal_string *out)
{
    size_t k = 0;
    bool quoted = false;
    shoal_string_clear(out);
    if (*ended) return false;
    for (; k < row->size && (quoted || row->text[k] != separator); ++k) {
        const bool is_quote = row->text[k] == '"';
        const bool twice = is_quote && quoted && k + 1 < row->size && row->text[k + 1] == '"';
        if (twice || !is_quote)
            shoal_string_put(out, row->text + k, 1);
        else
            quoted = !quoted;
        k += twice;
    }
    *ended = k >= row->size;
    *row = shoal_span_after(*row, *ended ? row->size : k + 1);
    return true;
}

static bool is_named(shoal_span heading, const char *const *names)
{
    for (; *names; ++names)
        if (shoal_span_equal_nocase(heading, *names)) return true;
    return false;
}

/* The columns with the SMILES and with names, from 0; -1: there is none. */
static void find_columns(shoal_reader *rd, shoal_span heading, char separator, int32_t *smiles,
                         int32_t *name)
{
    static const char *const names[] = {"name", "title", "id", NULL};
    const char *const usual[] = {"smiles", "canonical_smiles", NULL};
    const char *const given[] = {rd->options.smiles_column, NULL};
    bool ended = false;
    *smiles = *name = -1;
    for (int32_t k = 0; take_value(&heading, separator, &ended, &rd->value); ++k) {
        const shoal_span word = shoal_span_trim(shoal_string_span(&rd->value));
        if (*smiles < 0 && is_named(word, given[0] ? given : usual))
            *smiles = k;
        else if (*name < 0 && is_named(word, names))
            *name = k;
    }
}

/* Values of other columns become data fields, named like these. */
static shoal_status keep_values(shoal_reader *rd, shoal_molecule *mol, shoal_span heading,
                                shoal_span row, char separator, int32_t smiles)
{
    bool ended[2] = {false, false};
    for (int32_t k = 0; take_value(&heading, separator, &ended[0], &rd->key) &&
                        take_value(&row, separator, &ended[1], &rd->value);
         ++k) {
        const shoal_span key = shoal_span_trim(shoal_string_span(&rd->key));
        const shoal_span value = shoal_span_trim(shoal_string_span(&rd->value));
        if (k != smiles && key.size > 0 && value.size > 0)
            SHOAL_TRY(molecule_add_property(mol, key, value));
    }
    SHOAL_TRY(shoal_string_status(&rd->key));
    return shoal_string_status(&rd->value);
}

/* Value k of a row, from 0, into out. */
static bool find_value(shoal_span row, char separator, int32_t k, shoal_string *out)
{
    bool ended = false;
    while (take_value(&row, separator, &ended, out))
        if (k-- == 0) return true;
    return false;
}

/* All of the record behind its heading: quoted values may have ends of lines. */
static shoal_status take_row(shoal_reader *rd)
{
    shoal_span line;
    bool found = true;
    shoal_string_clear(&rd->labels);
    while (found) {
        SHOAL_TRY(shoal_input_line(rd->in, &line, &found));
        if (!found || (rd->labels.size == 0 && shoal_span_trim(line).size == 0)) continue;
        if (rd->labels.size > 0) shoal_string_put(&rd->labels, " ", 1);
        shoal_string_put(&rd->labels, line.text, line.size);
    }
    return shoal_string_status(&rd->labels);
}

shoal_status smiles_table_read(shoal_reader *rd, shoal_molecule *mol, bool *found)
{
    shoal_span heading;
    int32_t smiles, name;
    SHOAL_TRY(shoal_input_line(rd->in, &heading, found));
    if (!*found) return SHOAL_OK;
    shoal_string_clear(&rd->forces);
    shoal_string_put(&rd->forces, heading.text, heading.size);
    SHOAL_TRY(shoal_string_status(&rd->forces));
    heading = shoal_string_span(&rd->forces);
    const char separator = separator_of(heading);
    SHOAL_TRY(take_row(rd));
    const shoal_span row = shoal_string_span(&rd->labels);
    *found = row.size > 0;
    if (!*found) return SHOAL_OK;
    find_columns(rd, heading, separator, &smiles, &name);
    if (smiles < 0)
        return shoal_input_fail(rd->in, heading, "no column of SMILES", "a column '%s'",
                                rd->options.smiles_column ? rd->options.smiles_column : "smiles");
    if (name >= 0 && find_value(row, separator, name, &rd->value))
        SHOAL_TRY(molecule_set_name(mol, shoal_span_trim(shoal_string_span(&rd->value))));
    if (!find_value(row, separator, smiles, &rd->key) ||
        shoal_span_trim(shoal_string_span(&rd->key)).size == 0)
        return shoal_input_fail(rd->in, row, "no SMILES in its column", "one");
    const shoal_span text = shoal_span_trim(shoal_string_span(&rd->key));
    if (!*shoal_molecule_name(mol)) SHOAL_TRY(molecule_set_name(mol, text));
    SHOAL_TRY(smiles_take(rd, mol, text));
    return keep_values(rd, mol, heading, row, separator, smiles);
}
