/* SPDX-License-Identifier: BSD-3-Clause
 * Files of pair models: a line "shoal_pair_model VERSION", one setting per line, "types", the table of types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "io/atom_types.h"
#include "io/pair_model_texts.h"
#include "shoal/pair_model.h"

#define MAGIC "shoal_pair_model"
enum { VERSION = 1 };

static const char *const hbond_names[] = {"repulsion", "attraction", "both", "none"};
static const char *const coulomb_names[] = {"plain", "clamp", "smooth", "damped", "erf", "none"};
static const char *const site_names[] = {"lone_pairs", "beyond"};

/* A model on its way in. Arrays grow. */
typedef struct model_reader {
    shoal_input *in;
    shoal_pair_settings s;
    shoal_string formula;
    shoal_pair_constant *constants;
    shoal_site_rule *sites;
    shoal_charge_increment *increments;
    char (*charged)[SHOAL_TYPE_NAME_SIZE];
    char (*columns)[32];
    int32_t column_room, constant_room, site_room, increment_room, charged_room;
    uint32_t seen; /* bits of settings that stand once */
} model_reader;

static shoal_span without_comment(shoal_span line)
{
    for (size_t i = 0; i < line.size; ++i)
        if (line.text[i] == '#' && (i == 0 || shoal_is_blank(line.text[i - 1])))
            return (shoal_span){line.text, i};
    return line;
}

static shoal_status take_name(const model_reader *m, shoal_span *rest, char *out, size_t size)
{
    const shoal_span word = shoal_span_word(rest);
    if (word.size == 0 || word.size >= size)
        return shoal_input_fail(m->in, word, "bad name", "1 to %d characters", (int)size - 1);
    memcpy(out, word.text, word.size);
    out[word.size] = '\0';
    return SHOAL_OK;
}

static shoal_status take_number(const model_reader *m, shoal_span *rest, double *out)
{
    const shoal_span word = shoal_span_word(rest);
    if (shoal_text_double(word, out)) return SHOAL_OK;
    return shoal_input_fail(m->in, word, "bad number", "a number");
}

static shoal_status take_choice(const model_reader *m, shoal_span *rest, const char *const *names,
                                int n, int *out)
{
    const shoal_span word = shoal_span_word(rest);
    shoal_string list = {0};
    for (int k = 0; k < n; ++k) {
        *out = k;
        if (shoal_span_equal(word, names[k])) {
            shoal_string_free(&list);
            return SHOAL_OK;
        }
        if (k > 0) shoal_string_put_text(&list, k + 1 < n ? ", " : " or ");
        shoal_string_put_text(&list, names[k]);
    }
    shoal_status status = shoal_string_status(&list);
    if (status == SHOAL_OK) status = shoal_input_fail(m->in, word, "unknown word", "%s", list.data);
    shoal_string_free(&list);
    return status;
}

static shoal_status take_form(model_reader *m, shoal_span *rest)
{
    const shoal_span word = shoal_span_word(rest);
    for (int k = 0; shoal_pair_form_name(k); ++k)
        if (shoal_span_equal(word, shoal_pair_form_name(k))) {
            m->s.form = (shoal_pair_form)k;
            return SHOAL_OK;
        }
    return shoal_input_fail(m->in, word, "unknown form",
                            "lj, lj8, lj9, morse, buck, morse6, buck6, exp6 or formula");
}

static shoal_status take_site(model_reader *m, shoal_span *rest)
{
    shoal_site_rule r = {0};
    double n;
    int kind;
    SHOAL_TRY(take_name(m, rest, r.host, sizeof r.host));
    SHOAL_TRY(take_choice(m, rest, site_names, 2, &kind));
    SHOAL_TRY(take_number(m, rest, &n));
    SHOAL_TRY(take_name(m, rest, r.site, sizeof r.site));
    SHOAL_TRY(take_number(m, rest, &r.distance));
    r.kind = (shoal_site_kind)kind;
    r.n = n == 1 || n == 2 || n == 3 ? (int32_t)n : 0; /* the model refuses 0 */
    SHOAL_TRY(SHOAL_RESERVE(&m->sites, &m->site_room, m->s.n_sites + 1));
    m->sites[m->s.n_sites++] = r;
    return SHOAL_OK;
}

static shoal_status take_constant(model_reader *m, shoal_span *rest)
{
    shoal_pair_constant c = {0};
    SHOAL_TRY(take_name(m, rest, c.name, sizeof c.name));
    SHOAL_TRY(take_number(m, rest, &c.value));
    SHOAL_TRY(SHOAL_RESERVE(&m->constants, &m->constant_room, m->s.n_constants + 1));
    m->constants[m->s.n_constants++] = c;
    return SHOAL_OK;
}

static shoal_status take_column(model_reader *m, shoal_span *rest)
{
    SHOAL_TRY(SHOAL_RESERVE(&m->columns, &m->column_room, m->s.n_columns + 1));
    SHOAL_TRY(take_name(m, rest, m->columns[m->s.n_columns], sizeof *m->columns));
    ++m->s.n_columns;
    return SHOAL_OK;
}

static shoal_status take_increment(model_reader *m, shoal_span *rest)
{
    shoal_charge_increment x = {0};
    SHOAL_TRY(take_name(m, rest, x.from, sizeof x.from));
    SHOAL_TRY(take_name(m, rest, x.to, sizeof x.to));
    SHOAL_TRY(take_number(m, rest, &x.value));
    SHOAL_TRY(SHOAL_RESERVE(&m->increments, &m->increment_room, m->s.n_increments + 1));
    m->increments[m->s.n_increments++] = x;
    return SHOAL_OK;
}

static shoal_status take_charged(model_reader *m, shoal_span *rest)
{
    while (shoal_span_trim(*rest).size > 0) {
        const int32_t n = m->s.n_charged_types;
        SHOAL_TRY(SHOAL_RESERVE(&m->charged, &m->charged_room, n + 1));
        SHOAL_TRY(take_name(m, rest, m->charged[n], SHOAL_TYPE_NAME_SIZE));
        m->s.all_charged = m->s.all_charged || strcmp(m->charged[n], "*") == 0;
        if (strcmp(m->charged[n], "*") != 0) ++m->s.n_charged_types;
    }
    return SHOAL_OK;
}

static shoal_status take_formula(model_reader *m, shoal_span *rest)
{
    const shoal_span text = shoal_span_trim(*rest);
    shoal_string_clear(&m->formula);
    shoal_string_put(&m->formula, text.text, text.size);
    rest->size = 0;
    return shoal_string_status(&m->formula);
}

static shoal_status take_factors(model_reader *m, shoal_span *rest)
{
    SHOAL_TRY(take_number(m, rest, &m->s.vdw_14));
    SHOAL_TRY(take_number(m, rest, &m->s.coulomb_14));
    m->s.vdw_14 -= 1.0;
    m->s.coulomb_14 -= 1.0;
    return SHOAL_OK;
}

static shoal_status take_hbond(model_reader *m, shoal_span *rest)
{
    int k;
    SHOAL_TRY(take_choice(m, rest, hbond_names, 4, &k));
    m->s.hbond = (shoal_hbond)k;
    return SHOAL_OK;
}

static shoal_status take_coulomb(model_reader *m, shoal_span *rest)
{
    int k;
    SHOAL_TRY(take_choice(m, rest, coulomb_names, 6, &k));
    m->s.coulomb = (shoal_coulomb)k;
    return SHOAL_OK;
}

static shoal_status take_charges(model_reader *m, shoal_span *rest)
{
    static const char *const words[] = {"none", "file", "qeq", "mmff94", "qeq-molecules"};
    static const shoal_charge_source sources[] = {SHOAL_CHARGES_NONE, SHOAL_CHARGES_FILE,
                                                  SHOAL_CHARGES_QEQ, SHOAL_CHARGES_MMFF94,
                                                  SHOAL_CHARGES_QEQ_MOLECULES};
    int k;
    SHOAL_TRY(take_choice(m, rest, words, 5, &k));
    m->s.charges = sources[k];
    return SHOAL_OK;
}

static shoal_status take_neutral(model_reader *m, shoal_span *rest)
{
    static const char *const words[] = {"no", "yes"};
    int k;
    SHOAL_TRY(take_choice(m, rest, words, 2, &k));
    m->s.neutral = k == 1;
    return SHOAL_OK;
}

/* Numbers by their names. */
static double *find_number(shoal_pair_settings *s, shoal_span key)
{
    const struct {
        const char *name;
        double *at;
    } numbers[] = {{"alpha", &s->alpha},
                   {"coulomb_damping", &s->coulomb_damping},
                   {"lambda", &s->lambda},
                   {"radius_charge", &s->radius_charge},
                   {"dispersion_damping", &s->dispersion_damping}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k)
        if (shoal_span_equal(key, numbers[k].name)) return numbers[k].at;
    return NULL;
}

/* 0 would stand for the usual value in the settings. */
static shoal_status take_setting_number(const model_reader *m, shoal_span key, shoal_span *rest,
                                        double *out)
{
    SHOAL_TRY(take_number(m, rest, out));
    if (*out == 0.0 && (out == &m->s.lambda || out == &m->s.alpha))
        return shoal_input_fail(m->in, key, "a number of 0", "more than 0");
    return SHOAL_OK;
}

/* Of two values nobody knows which one is meant; lists go on. */
static shoal_status take_once(model_reader *m, shoal_span key)
{
    static const char *const names[] = {
        "form",  "formula",         "hbond",  "coulomb",       "scale_14",           "neutral",
        "alpha", "coulomb_damping", "lambda", "radius_charge", "dispersion_damping", "charges"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        if (!shoal_span_equal(key, names[k])) continue;
        if (m->seen >> k & 1u)
            return shoal_input_fail(m->in, key, "a second time", "every setting once");
        m->seen |= 1u << k;
    }
    return SHOAL_OK;
}

/* One setting. A word that is not known is refused: it may change what the model means. */
static shoal_status take_setting(model_reader *m, shoal_span key, shoal_span *rest)
{
    static const struct {
        const char *name;
        shoal_status (*take)(model_reader *m, shoal_span *rest);
    } settings[] = {
        {"form", take_form},       {"formula", take_formula},     {"constant", take_constant},
        {"hbond", take_hbond},     {"coulomb", take_coulomb},     {"scale_14", take_factors},
        {"site", take_site},       {"increment", take_increment}, {"charges_of", take_charged},
        {"neutral", take_neutral}, {"column", take_column},       {"charges", take_charges}};
    double *number = find_number(&m->s, key);
    if (number) return take_setting_number(m, key, rest, number);
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; ++k)
        if (shoal_span_equal(key, settings[k].name)) return settings[k].take(m, rest);
    return shoal_input_fail(m->in, key, "unknown setting",
                            "form, alpha, hbond, .. (docs/pair-models.md), then types");
}

/* The next line that says something; false at the end. A formula may hold a '#': only whole lines are comments. */
static shoal_status next_line(model_reader *m, shoal_span *line, bool *found)
{
    do {
        SHOAL_TRY(shoal_input_line(m->in, line, found));
        *line = shoal_span_trim(*line);
    } while (*found && (line->size == 0 || line->text[0] == '#'));
    return SHOAL_OK;
}

static shoal_status read_settings(model_reader *m)
{
    for (;;) {
        shoal_span rest;
        bool found;
        SHOAL_TRY(next_line(m, &rest, &found));
        if (!found)
            return shoal_input_fail(m->in, shoal_span_of(""), "no types",
                                    "a line 'types' and the table behind it");
        const shoal_span key = shoal_span_word(&rest);
        if (!shoal_span_equal(key, "formula")) rest = without_comment(rest);
        const bool end = shoal_span_equal(key, "types");
        SHOAL_TRY(take_once(m, key));
        if (!end) SHOAL_TRY(take_setting(m, key, &rest));
        if (shoal_span_trim(rest).size > 0)
            return shoal_input_fail(m->in, shoal_span_trim(rest), "too many words",
                                    "the end of the line");
        if (end) return SHOAL_OK;
    }
}

static shoal_status read_model(model_reader *m, shoal_pair_model **out)
{
    shoal_span line;
    bool found;
    double version = 0.0;
    shoal_atom_types *types = NULL;
    SHOAL_TRY(next_line(m, &line, &found));
    (void)shoal_span_word(&line);
    SHOAL_TRY(take_number(m, &line, &version));
    if (version != VERSION)
        return shoal_input_fail(m->in, shoal_span_of(""), "a later version of the format",
                                "version %d", (int)VERSION);
    SHOAL_TRY(read_settings(m));
    SHOAL_TRY(atom_types_read_rest(&types, m->in));
    m->s.constants = m->constants;
    m->s.columns = (const char(*)[32])m->columns;
    m->s.sites = m->sites;
    m->s.increments = m->increments;
    m->s.charged_types = (const char(*)[SHOAL_TYPE_NAME_SIZE])m->charged;
    if (m->formula.size > 0) m->s.formula = m->formula.data;
    const shoal_status status = shoal_pair_model_create(out, &m->s, types);
    shoal_atom_types_destroy(types);
    if (status != SHOAL_E_ARGUMENT) return status;
    char why[400]; /* the text may not be its own argument */
    (void)snprintf(why, sizeof why, "%s", shoal_error_text());
    return shoal_fail(SHOAL_E_FORMAT, "%s: %s", shoal_input_label(m->in), why);
}

/* A plain table is LJ 12-6; hydrogen bonds count where it has an h. */
static shoal_status read_table(shoal_pair_model **out, const void *data, size_t size,
                               const char *label)
{
    static const shoal_pair_settings settings = {.form = SHOAL_FORM_LJ, .is_table = true};
    shoal_atom_types *types;
    SHOAL_TRY(shoal_atom_types_read_memory(&types, data, size, label));
    const shoal_status status = shoal_pair_model_create(out, &settings, types);
    shoal_atom_types_destroy(types);
    return status;
}

/* Whether the first line that is no comment begins a model. */
static shoal_status is_model(shoal_input *in, bool *answer)
{
    model_reader m = {.in = in};
    shoal_span line;
    bool found;
    SHOAL_TRY(next_line(&m, &line, &found));
    *answer = found && shoal_span_equal(shoal_span_word(&line), MAGIC);
    return SHOAL_OK;
}

shoal_status shoal_pair_model_read_memory(shoal_pair_model **out, const void *data, size_t size,
                                          const char *label)
{
    shoal_clear_error();
    SHOAL_NEED(out && data && label);
    model_reader m = {0};
    shoal_input *in;
    bool model = false;
    *out = NULL;
    SHOAL_TRY(shoal_input_open_memory(&in, data, size, label));
    shoal_status status = is_model(in, &model);
    shoal_input_destroy(in);
    if (status != SHOAL_OK) return status;
    if (!model) return read_table(out, data, size, label);
    SHOAL_TRY(shoal_input_open_memory(&m.in, data, size, label));
    status = read_model(&m, out);
    shoal_input_destroy(m.in);
    shoal_string_free(&m.formula);
    free(m.constants);
    free(m.sites);
    free(m.increments);
    free(m.charged);
    free(m.columns);
    return status;
}

shoal_status shoal_pair_model_read(shoal_pair_model **out, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(out && path);
    shoal_string text = {0};
    *out = NULL;
    for (int k = 0; k < pair_model_n_texts; ++k) {
        const pair_model_text *t = &pair_model_texts[k];
        if (strcmp(path, t->name) == 0)
            return shoal_pair_model_read_memory(out, t->text, t->size, path);
    }
    shoal_status status = shoal_input_whole(path, &text);
    if (status == SHOAL_OK)
        status = shoal_pair_model_read_memory(out, text.data ? text.data : "", text.size, path);
    shoal_string_free(&text);
    return status;
}

static void put_number(shoal_output *out, const char *name, double value)
{
    shoal_output_format(out, "%s ", name);
    shoal_output_number(out, value);
    shoal_output_text(out, "\n");
}

static void put_formula(shoal_output *out, const shoal_pair_settings *s)
{
    shoal_output_text(out, "formula ");
    shoal_output_text(out, s->formula);
    shoal_output_text(out, "\n");
    for (int32_t k = 0; k < s->n_columns; ++k)
        shoal_output_format(out, "column %s\n", s->columns[k]);
    for (int32_t k = 0; k < s->n_constants; ++k) {
        shoal_output_format(out, "constant ");
        put_number(out, s->constants[k].name, s->constants[k].value);
    }
}

static void put_lists(shoal_output *out, const shoal_pair_settings *s)
{
    for (int32_t k = 0; k < s->n_sites; ++k) {
        const shoal_site_rule *r = &s->sites[k];
        shoal_output_format(out, "site %s %s %d ", r->host, site_names[r->kind], (int)r->n);
        put_number(out, r->site, r->distance);
    }
    for (int32_t k = 0; k < s->n_increments; ++k) {
        shoal_output_format(out, "increment %s ", s->increments[k].from);
        put_number(out, s->increments[k].to, s->increments[k].value);
    }
    if (s->all_charged) shoal_output_text(out, "charges_of *\n");
    for (int32_t k = 0; k < s->n_charged_types; ++k)
        shoal_output_format(out, "charges_of %s\n", s->charged_types[k]);
    if (s->neutral) shoal_output_text(out, "neutral yes\n");
    if (s->charges != SHOAL_CHARGES_AUTO)
        shoal_output_format(out, "charges %s\n", shoal_charge_source_name((int)s->charges));
}

static void put_settings(shoal_output *out, const shoal_pair_settings *s)
{
    shoal_output_format(out, MAGIC " %d\nform %s\n", (int)VERSION,
                        shoal_pair_form_name((int)s->form));
    if (s->form == SHOAL_FORM_FORMULA) {
        put_formula(out, s);
    } else {
        if (s->alpha > 0) put_number(out, "alpha", s->alpha);
        shoal_output_format(out, "hbond %s\ncoulomb %s\n", hbond_names[s->hbond],
                            coulomb_names[s->coulomb]);
        if (s->coulomb_damping > 0) put_number(out, "coulomb_damping", s->coulomb_damping);
        put_number(out, "lambda", s->lambda);
        if (s->dispersion_damping > 0) put_number(out, "dispersion_damping", s->dispersion_damping);
        shoal_output_text(out, "scale_14 ");
        shoal_output_number(out, 1.0 + s->vdw_14);
        put_number(out, "", 1.0 + s->coulomb_14);
    }
    if (s->radius_charge != 0) put_number(out, "radius_charge", s->radius_charge);
    put_lists(out, s);
}

shoal_status shoal_pair_model_write(const shoal_pair_model *model, const char *path,
                                    const char *comment)
{
    shoal_clear_error();
    SHOAL_NEED(model && path);
    if (!shoal_pair_model_types(model))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "pair model: that of a force field has no table of types to write");
    shoal_output *out;
    SHOAL_TRY(shoal_output_open(&out, path));
    if (comment) atom_types_put_comment(out, comment);
    put_settings(out, shoal_pair_model_settings(model));
    shoal_output_text(out, "types\n");
    atom_types_put(out, shoal_pair_model_types(model));
    const shoal_status status = shoal_output_close(out);
    shoal_output_destroy(out);
    return status;
}
