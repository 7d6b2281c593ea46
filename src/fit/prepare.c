/* SPDX-License-Identifier: BSD-3-Clause
 * From plain dimers to frames whose atoms have the types and charges that Shoal gives them. */
#include "fit/prepare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "fit/label_map.h"
#include "fit/polarity.h"
#include "io/frame_comment.h"
#include "io/output.h"
#include "shoal/fit_data.h"

/* Distances in the same monomer differ by rounding only, angstrom. */
#define SAME_MONOMER 0.003

/* Data fields that go into the comment of a frame made of two records, in this order. */
static const char *const pair_fields[] = {"x0", "z", "grp", "split", "Elst", "Exch", "Ind", "Disp"};

typedef struct preparation {
    const shoal_prepare_options *o;
    shoal_prepare_result *result;
    label_map map;
    fragment_typer *typer, *plain; /* with charges, of QEq or MMFF94, and without */
    fragment_typer *mmff94;        /* for charges of the file that cannot be */
    prepared_types types;
    shoal_output *out; /* NULL: frames are not written */
    shoal_molecule *mol, *second;
    shoal_string comment;
    int64_t n_read; /* frames of the present file */
    bool told;      /* of its charges */
} preparation;

static void note(const preparation *p, const char *file, const char *name, const char *reason)
{
    char text[600];
    if (!p->o->note) return;
    (void)snprintf(text, sizeof text, "%.200s: frame %lld (%.80s) left out: %.280s", file,
                   (long long)p->n_read, name[0] ? name : "no name", reason);
    p->o->note(p->o->user, text);
}

static const char *energy_of(const shoal_molecule *mol)
{
    const char *text = shoal_molecule_property(mol, "Etot");
    return text ? text : shoal_molecule_property(mol, "E_tot");
}

/* A field as one word of a comment. */
static void put_word(shoal_string *out, const char *text)
{
    for (; *text; ++text) shoal_string_put(out, shoal_is_blank(*text) ? "_" : text, 1);
}

static void put_field(shoal_string *out, const char *key, const char *value)
{
    shoal_string_put_text(out, " ");
    shoal_string_put_text(out, key);
    shoal_string_put_text(out, " ");
    put_word(out, value);
}

/* The comment of a frame as it was, but for what stood between its words. */
static shoal_status keep_comment(preparation *p)
{
    const shoal_molecule *mol = p->mol;
    const char *line = molecule_line(mol, MOLECULE_COMMENT);
    shoal_string_clear(&p->comment);
    if (frame_comment_is_frame(shoal_span_of(line))) {
        if (line[0] != '#') shoal_string_put_text(&p->comment, "# ");
        shoal_string_put_text(&p->comment, line);
        return shoal_string_status(&p->comment);
    }
    shoal_string_put_text(&p->comment, "#");
    for (int32_t k = 0; k < mol->n_properties; ++k) {
        const char *key = mol->properties[k].key, *value = mol->properties[k].value;
        /* readers of frames would take other words for names */
        if (frame_comment_is_key(shoal_span_of(key)) && *value) put_field(&p->comment, key, value);
    }
    if (mol->name[0]) {
        shoal_string_put_text(&p->comment, " ");
        put_word(&p->comment, mol->name);
    }
    return shoal_string_status(&p->comment);
}

/* The comment of a frame made of two records, whose first has n atoms. */
static shoal_status make_comment(preparation *p, int32_t n, const char *energy)
{
    shoal_string *out = &p->comment;
    shoal_string_clear(out);
    shoal_string_put_text(out, "# n0 ");
    shoal_string_put_integer(out, n);
    put_field(out, "Etot", energy);
    for (size_t k = 0; k < sizeof pair_fields / sizeof pair_fields[0]; ++k) {
        const char *value = shoal_molecule_property(p->mol, pair_fields[k]);
        if (!value) value = shoal_molecule_property(p->second, pair_fields[k]);
        if (value && *value) put_field(out, pair_fields[k], value);
    }
    const char *name = shoal_molecule_property(p->mol, "dimer");
    if (!name) name = shoal_molecule_property(p->second, "dimer");
    shoal_string_put_text(out, " ");
    if (name && *name) {
        put_word(out, name);
    } else {
        put_word(out, p->mol->name[0] ? p->mol->name : "A");
        shoal_string_put_text(out, "_");
        put_word(out, p->second->name[0] ? p->second->name : "B");
    }
    return shoal_string_status(out);
}

/* Says in the comment, before the name, what gave the charges; what it said of that before is gone. */
static shoal_status state_charges(preparation *p)
{
    const shoal_charge_source asked = p->o->charges;
    const shoal_charge_source source =
        asked == SHOAL_CHARGES_AUTO ? SHOAL_CHARGES_QEQ_MOLECULES : asked;
    shoal_string out = {0};
    shoal_span rest = shoal_span_of(p->comment.data), key, value, name = {0};
    while (frame_comment_next(&rest, &key, &value))
        if (value.size == 0) name = key;
    rest = shoal_span_of(p->comment.data);
    while (frame_comment_next(&rest, &key, &value)) {
        if (shoal_span_equal(key, FRAME_CHARGES) || key.text == name.text) continue;
        if (out.size > 0) shoal_string_put_text(&out, " ");
        shoal_string_put(&out, key.text, key.size);
        if (value.size > 0) shoal_string_put_text(&out, " ");
        shoal_string_put(&out, value.text, value.size);
    }
    if (shoal_span_equal(name, "#")) shoal_string_put_text(&out, "#");
    put_field(&out, FRAME_CHARGES, shoal_charge_source_name((int)source));
    if (name.size > 0 && !shoal_span_equal(name, "#")) {
        shoal_string_put_text(&out, " ");
        shoal_string_put(&out, name.text, name.size);
    }
    shoal_status status = shoal_string_status(&out);
    shoal_string_clear(&p->comment);
    if (status == SHOAL_OK) shoal_string_put(&p->comment, out.data, out.size);
    shoal_string_free(&out);
    return status == SHOAL_OK ? shoal_string_status(&p->comment) : status;
}

/* Charges of a fragment's record, if it states any. */
static int32_t formal_sum(const shoal_molecule *mol)
{
    int32_t sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->formal_charge[i];
    return sum;
}

/* Puts the second record behind the first: one molecule of two. Bonds are those that the frames will be read
 * with: from distances. */
static shoal_status join(preparation *p)
{
    shoal_molecule *a = p->mol;
    const shoal_molecule *b = p->second;
    const int32_t n = a->n_atoms;
    const bool charges = a->has_charges && b->has_charges;
    const int32_t charge[2] = {formal_sum(a), formal_sum(b)};
    const bool given[2] = {a->has_formal_charges, b->has_formal_charges};
    molecule_clear_bonds(a);
    for (int32_t i = 0; i < b->n_atoms; ++i) {
        SHOAL_TRY(shoal_molecule_add_atom(a, b->element[i], b->pos[i]));
        a->charge[n + i] = b->charge[i];
    }
    for (int32_t i = 0; i < a->n_atoms; ++i) a->formal_charge[i] = a->radical[i] = 0;
    a->has_charges = charges;
    a->has_formal_charges = false;
    a->n_first = n;
    for (int k = 0; k < 2; ++k) {
        a->fragment_charge[k] = charge[k];
        a->has_fragment_charge[k] = given[k];
    }
    return SHOAL_OK;
}

static void put_position(shoal_output *out, const double pos[3])
{
    for (int k = 0; k < 3; ++k) {
        shoal_output_text(out, " ");
        shoal_output_number(out, pos[k]);
    }
}

/* Charges of both fragments together, between which charge flows, or a reason why there are none. */
static shoal_status equilibrate(preparation *p, double **out, char *reason, size_t size)
{
    const shoal_typing_options typing = {.dialect = p->o->dialect, .charges = SHOAL_CHARGES_QEQ};
    const size_t n = (size_t)p->mol->n_atoms;
    shoal_topology *t;
    shoal_topology_view v;
    SHOAL_TRY(shoal_topology_create(&t, p->mol, &typing));
    shoal_topology_get(t, &v);
    const bool typed = shoal_topology_status(t) == SHOAL_SYSTEM_OK;
    *out = typed ? shoal_alloc(n, sizeof **out) : NULL;
    if (*out) memcpy(*out, v.charges, n * sizeof **out);
    (void)snprintf(reason, size, "%s", shoal_topology_reason(t));
    shoal_topology_destroy(t);
    return typed && !*out ? SHOAL_E_MEMORY : SHOAL_OK;
}

/* Writes a frame whose fragments are typed, with these charges or, where there are none, those of its fragments. */
static shoal_status put_frame(preparation *p, const typed_fragment *const typed[2],
                              const double *charges)
{
    const shoal_molecule *mol = p->mol;
    if (p->out) {
        shoal_output_format(p->out, "%d\n", (int)mol->n_atoms);
        shoal_output_text(p->out, p->comment.data);
        shoal_output_text(p->out, "\n");
    }
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const int k = i >= mol->n_first;
        const fragment_atom *a = &typed[k]->atoms[k ? i - mol->n_first : i];
        const bool finer = p->o->finer && strcmp(a->name, a->base) == 0; /* ions have their own */
        const shoal_span name = label_map_find(&p->map, shoal_span_of(finer ? a->finer : a->name));
        SHOAL_TRY(prepared_types_count(&p->types, name, a, mol->element[i]));
        if (!p->out) continue;
        shoal_output_put(p->out, name);
        put_position(p->out, mol->pos[i]);
        shoal_output_text(p->out, " ");
        shoal_output_number(p->out, charges ? charges[i] : a->charge);
        shoal_output_text(p->out, "\n");
    }
    p->result->n_frames++;
    return p->out ? shoal_output_check(p->out) : SHOAL_OK;
}

static shoal_status leave_out(preparation *p, const char *file, const char *reason)
{
    note(p, file, p->mol->name, reason);
    p->result->n_left_out++;
    return SHOAL_OK;
}

static shoal_status take_whole(preparation *p, const char *file,
                               const typed_fragment *const typed[2])
{
    char reason[300];
    double *charges = NULL;
    SHOAL_TRY(equilibrate(p, &charges, reason, sizeof reason));
    if (!charges) return leave_out(p, file, reason);
    const shoal_status status = put_frame(p, typed, charges);
    free(charges);
    return status;
}

/* Whether the file's charges of a neutral fragment are the wrong way around. */
static shoal_status is_reversed(const preparation *p, const typed_fragment *typed, int32_t k,
                                bool *out)
{
    const double *charge = p->mol->charge + (k ? p->mol->n_first : 0);
    double *polarity = shoal_alloc((size_t)typed->n, sizeof *polarity);
    if (!polarity) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < typed->n; ++i) polarity[i] = typed->atoms[i].polarity;
    *out = typed->formal_charge == 0 && polarity_contradicts(polarity, charge, typed->n);
    free(polarity);
    return SHOAL_OK;
}

static void tell_of_charges(preparation *p, const char *file, int32_t k, const char *source)
{
    char text[600];
    if (p->told || !p->o->note) return;
    p->told = true;
    (void)snprintf(text, sizeof text,
                   "%.200s: frame %lld (%.80s): the charges of fragment %d point against "
                   "electronegativity: those of %s are taken",
                   file, (long long)p->n_read, p->mol->name[0] ? p->mol->name : "no name",
                   (int)k + 1, source);
    p->o->note(p->o->user, text);
}

/* Charges of the file that cannot be: those of MMFF94 in their place, if it has any, else QEq's. */
static shoal_status mend_charges(preparation *p, const char *file,
                                 const typed_fragment *const typed[2])
{
    bool mended = false;
    for (int32_t k = 0; k < 2; ++k) {
        const typed_fragment *better;
        double *charge = p->mol->charge + (k ? p->mol->n_first : 0);
        const char *source = shoal_charge_source_name(SHOAL_CHARGES_MMFF94);
        bool reversed;
        SHOAL_TRY(is_reversed(p, typed[k], k, &reversed));
        if (!reversed) continue;
        SHOAL_TRY(fragment_typer_find(p->mmff94, p->mol, k, &better));
        if (!better->atoms) {
            source = shoal_charge_source_name(SHOAL_CHARGES_QEQ_MOLECULES);
            SHOAL_TRY(fragment_typer_find(p->typer, p->mol, k, &better));
        }
        if (!better->atoms) continue;
        for (int32_t i = 0; i < better->n; ++i) charge[i] = better->atoms[i].charge;
        tell_of_charges(p, file, k, source);
        mended = true;
    }
    p->result->n_mended += mended;
    return SHOAL_OK;
}

/* Types p->mol, a molecule of two with its comment, and writes it. */
static shoal_status take_frame(preparation *p, const char *file)
{
    const shoal_charge_source source = p->o->charges;
    const bool of_file =
        p->mol->has_charges && (source == SHOAL_CHARGES_AUTO || source == SHOAL_CHARGES_FILE);
    const bool computed = !of_file && source != SHOAL_CHARGES_NONE;
    const typed_fragment *typed[2];
    if (source == SHOAL_CHARGES_FILE && !of_file)
        return leave_out(p, file, "no charges in the file, but they were requested");
    for (int32_t k = 0; k < 2; ++k) {
        const bool alone = computed && source != SHOAL_CHARGES_QEQ;
        SHOAL_TRY(fragment_typer_find(alone ? p->typer : p->plain, p->mol, k, &typed[k]));
        if (typed[k]->atoms) continue;
        char reason[300];
        (void)snprintf(reason, sizeof reason, "fragment %d: %s", (int)k + 1, typed[k]->reason);
        return leave_out(p, file, reason);
    }
    if (of_file && source == SHOAL_CHARGES_AUTO) SHOAL_TRY(mend_charges(p, file, typed));
    if (computed) SHOAL_TRY(state_charges(p));
    if (computed && source == SHOAL_CHARGES_QEQ) return take_whole(p, file, typed);
    return put_frame(p, typed, of_file ? p->mol->charge : NULL);
}

static shoal_status read_frame(preparation *p, const char *file)
{
    if (p->mol->n_first == 0)
        return shoal_fail(SHOAL_E_FORMAT,
                          "%s: frame %lld: expected n0 (atoms of the first fragment) and Etot (eV) "
                          "in its comment",
                          file, (long long)p->n_read);
    SHOAL_TRY(keep_comment(p));
    return take_frame(p, file);
}

static shoal_status read_pair(preparation *p, shoal_reader *reader, const char *file)
{
    bool found;
    double energy;
    SHOAL_TRY(shoal_reader_next(reader, p->second, &found));
    if (!found)
        return shoal_fail(SHOAL_E_FORMAT, "%s: molecule %lld has no second: expected pairs", file,
                          (long long)(2 * p->n_read - 1));
    const char *text = energy_of(p->mol) ? energy_of(p->mol) : energy_of(p->second);
    if (!text || !shoal_text_double(shoal_span_trim(shoal_span_of(text)), &energy))
        return shoal_fail(SHOAL_E_FORMAT,
                          "%s: pair %lld: expected the data field Etot (eV), a number, in one of "
                          "its two records",
                          file, (long long)p->n_read);
    if (p->mol->n_atoms == 0 || p->second->n_atoms == 0)
        return shoal_fail(SHOAL_E_FORMAT, "%s: pair %lld: a molecule without atoms", file,
                          (long long)p->n_read);
    SHOAL_TRY(make_comment(p, p->mol->n_atoms, text));
    SHOAL_TRY(join(p));
    return take_frame(p, file);
}

static shoal_status read_file(preparation *p, const char *path)
{
    shoal_reader *reader;
    const shoal_format format =
        p->o->format == SHOAL_FORMAT_AUTO ? shoal_format_by_path(path) : p->o->format;
    SHOAL_TRY(shoal_reader_open(&reader, path, p->o->format));
    shoal_status status = SHOAL_OK;
    p->n_read = 0;
    p->told = false;
    for (;;) {
        bool found;
        status = shoal_reader_next(reader, p->mol, &found);
        if (status != SHOAL_OK || !found) break;
        ++p->n_read;
        status = format == SHOAL_FORMAT_XYZ ? read_frame(p, path) : read_pair(p, reader, path);
        if (status != SHOAL_OK) break;
    }
    shoal_reader_destroy(reader);
    if (status == SHOAL_OK && p->n_read == 0)
        status = shoal_fail(SHOAL_E_FORMAT, "%s: no frames, expected dimers", path);
    return status;
}

static shoal_status begin(preparation *p)
{
    const bool mmff94 = p->o->charges == SHOAL_CHARGES_MMFF94;
    shoal_typing_options typing = {.dialect = p->o->dialect,
                                   .charges =
                                       mmff94 ? SHOAL_CHARGES_MMFF94 : SHOAL_CHARGES_QEQ_MOLECULES};
    SHOAL_TRY(fragment_typer_create(&p->typer, &typing, SAME_MONOMER));
    typing.charges = SHOAL_CHARGES_MMFF94;
    SHOAL_TRY(fragment_typer_create(&p->mmff94, &typing, SAME_MONOMER));
    typing.charges = SHOAL_CHARGES_NONE;
    SHOAL_TRY(fragment_typer_create(&p->plain, &typing, SAME_MONOMER));
    SHOAL_TRY(shoal_molecule_create(&p->mol));
    SHOAL_TRY(shoal_molecule_create(&p->second));
    if (p->o->map) SHOAL_TRY(label_map_read(&p->map, p->o->map));
    return p->o->frames ? shoal_output_open(&p->out, p->o->frames) : SHOAL_OK;
}

static shoal_status finish(preparation *p)
{
    p->result->n_types = p->types.n;
    if (p->result->n_frames == 0)
        return shoal_fail(SHOAL_E_FORMAT, "none of %d frames could be typed: nothing is written",
                          (int)p->result->n_left_out);
    if (p->out) SHOAL_TRY(shoal_output_close(p->out));
    if (p->o->types) SHOAL_TRY(prepared_types_write_table(&p->types, p->o->types));
    return p->o->dofs ? prepared_types_write_dofs(&p->types, p->o->dofs) : SHOAL_OK;
}

shoal_status shoal_fit_prepare(const char *const *paths, int32_t n_paths,
                               const shoal_prepare_options *options, shoal_prepare_result *result)
{
    shoal_clear_error();
    SHOAL_NEED(paths && options && result);
    preparation p = {.o = options, .result = result};
    *p.result = (shoal_prepare_result){0};
    shoal_status status = begin(&p);
    for (int32_t k = 0; k < n_paths && status == SHOAL_OK; ++k)
        status = paths[k] ? read_file(&p, paths[k])
                          : shoal_fail(SHOAL_E_ARGUMENT, "file %d: no name given", (int)k);
    if (status == SHOAL_OK) status = finish(&p);
    shoal_output_destroy(p.out);
    fragment_typer_destroy(p.typer);
    fragment_typer_destroy(p.plain);
    fragment_typer_destroy(p.mmff94);
    shoal_molecule_destroy(p.mol);
    shoal_molecule_destroy(p.second);
    label_map_free(&p.map);
    shoal_string_free(&p.comment);
    free(p.types.types);
    return status;
}
