/* SPDX-License-Identifier: BSD-3-Clause
 * Reading frames of two fragments with reference energies, and weights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ff/table_names.h"
#include "fit/dataset.h"
#include "io/atom_types.h"
#include "io/input.h"

/* Two atoms of different fragments nearer than this are a mistake in the file, angstrom. */
#define TOO_NEAR 0.3

/* The comment of a frame to fit: it has n0 and Etot. */
static shoal_status parse_comment(shoal_input *in, shoal_span line, frame_comment *c)
{
    SHOAL_TRY(frame_comment_parse(in, line, c));
    if (!c->has_n_first)
        return shoal_input_fail(in, line, "no n0", "n0 and the atoms of the first fragment");
    if (!c->has_energy)
        return shoal_input_fail(in, line, "no Etot", "Etot and the interaction energy in eV");
    return SHOAL_OK;
}

static const char *keep_text(shoal_dataset *data, shoal_span text)
{
    char *copy = arena_alloc(&data->memory, text.size + 1, 1);
    if (copy && text.size > 0) memcpy(copy, text.text, text.size);
    return copy;
}

/* Whether a charge is missed is up to the fit. */
static shoal_status note_bare(shoal_dataset *data, const shoal_input *in, int32_t type)
{
    const int32_t set = data->n_sets - 1;
    for (int32_t k = 0; k < data->n_bare; ++k)
        if (data->bare[k].set == set && data->bare[k].type == type) return SHOAL_OK;
    SHOAL_TRY(SHOAL_RESERVE(&data->bare, &data->bare_capacity, data->n_bare + 1));
    data->bare[data->n_bare++] = (fit_bare){set, type, (int32_t)shoal_input_at(in)};
    return SHOAL_OK;
}

/* Behind the type: x y z q and a host. */
static bool is_site(shoal_span rest)
{
    int32_t host = -1;
    for (int k = 0; k < 4; ++k) (void)shoal_span_word(&rest);
    return shoal_text_int(shoal_span_word(&rest), &host) && host >= 0;
}

/* Sites of frames that a fit wrote: their types need not be in the table. */
static shoal_status add_site_type(shoal_dataset *data, shoal_span name, int32_t *row)
{
    shoal_atom_type type = {.parent = "*", .element = "E", .epair = "*"};
    if (name.size >= sizeof type.name) return SHOAL_OK; /* unknown it stays */
    memcpy(type.name, name.text, name.size);
    SHOAL_TRY(atom_types_append(data->types, &type));
    *row = shoal_atom_types_find(data->types, type.name);
    return SHOAL_OK;
}

/* A finer type that the table lacks is what comes nearest to it. */
static int32_t find_coarser(const shoal_dataset *data, shoal_span label)
{
    char name[SHOAL_TYPE_NAME_SIZE];
    if (label.size >= sizeof name) return -1;
    memcpy(name, label.text, label.size);
    name[label.size] = '\0';
    return table_find_finer(data->types, name);
}

/* "type x y z [q [host]]". */
static shoal_status read_atom(shoal_dataset *data, shoal_input *in, int32_t i)
{
    static const char *const axes[] = {"x", "y", "z"};
    shoal_span line;
    SHOAL_TRY(shoal_input_need(in, &line, "an atom: type x y z [q]"));
    shoal_span rest = line;
    const shoal_span name = shoal_span_word(&rest);
    if (name.size == 0) return shoal_input_fail(in, line, "empty line", "type x y z [q]");
    const int32_t at = data->n_atoms + i;
    const shoal_span label = label_map_find(&data->map, name);
    data->type[at] = atom_types_find_span(data->types, label);
    if (data->type[at] < 0) data->type[at] = find_coarser(data, label);
    if (data->type[at] < 0 && is_site(rest)) SHOAL_TRY(add_site_type(data, label, &data->type[at]));
    if (data->type[at] < 0)
        return shoal_input_fail(in, name, "unknown type", "a name of the table of atom types");
    for (int k = 0; k < 3; ++k) {
        const shoal_span word = shoal_span_word(&rest);
        if (!shoal_text_double(word, &data->pos[at][k]))
            return shoal_input_fail(in, word, "bad coordinate", "%s, a finite number in angstrom",
                                    axes[k]);
    }
    data->charge[at] = 0.0;
    data->host[at] = -1;
    data->dir[at][0] = data->dir[at][1] = data->dir[at][2] = 0.0;
    shoal_span word = shoal_span_word(&rest);
    if (word.size == 0) SHOAL_TRY(note_bare(data, in, data->type[at]));
    if (word.size > 0 && !shoal_text_double(word, &data->charge[at]))
        return shoal_input_fail(in, word, "bad charge", "a finite number in e");
    word = shoal_span_word(&rest);
    if (word.size > 0 && (!shoal_text_int(word, &data->host[at]) || data->host[at] < -1))
        return shoal_input_fail(in, word, "bad host", "the index of an atom, or -1");
    word = shoal_span_word(&rest);
    if (word.size > 0)
        return shoal_input_fail(in, word, "too many columns", "type x y z [q [host]]");
    return SHOAL_OK;
}

/* Sites point away from their hosts, which are atoms of the same fragment. */
static shoal_status settle_hosts(shoal_dataset *data, shoal_input *in, const fit_sample *s)
{
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        const int32_t at = s->atom_start + i, host = data->host[at];
        if (host < 0) continue;
        if (host >= s->n_atoms || (host < s->n_first) != (i < s->n_first) ||
            data->host[s->atom_start + host] >= 0)
            return shoal_input_fail(in, shoal_span_of(""), "bad host",
                                    "atom %d of the frame to have an atom of its fragment as host, "
                                    "not %d",
                                    (int)i, (int)host);
        const double *h = data->pos[s->atom_start + host];
        double d[3], length = 0.0;
        for (int k = 0; k < 3; ++k) {
            d[k] = data->pos[at][k] - h[k];
            length += d[k] * d[k];
        }
        length = sqrt(length);
        for (int k = 0; k < 3; ++k) data->dir[at][k] = length > 0.0 ? d[k] / length : 0.0;
        data->has_sites = true;
    }
    return SHOAL_OK;
}

/* One frame that says nothing, or another thing, and nothing is known of all of them. */
static void note_charges(shoal_dataset *data, shoal_span word)
{
    shoal_charge_source source = SHOAL_CHARGES_AUTO;
    for (int k = SHOAL_CHARGES_AUTO + 1; k < SHOAL_N_CHARGE_SOURCES; ++k)
        if (k != SHOAL_CHARGES_TYPES && shoal_span_equal(word, shoal_charge_source_name(k)))
            source = (shoal_charge_source)k;
    if (data->n_samples == 0) data->charges = source;
    if (data->charges != source) data->charges = SHOAL_CHARGES_AUTO;
}

static shoal_status check_contacts(const shoal_dataset *data, shoal_input *in, const fit_sample *s)
{
    for (int32_t i = 0; i < s->n_first; ++i)
        for (int32_t j = s->n_first; j < s->n_atoms; ++j) {
            if (data->host[s->atom_start + i] >= 0 || data->host[s->atom_start + j] >= 0)
                continue; /* sites may be anywhere */
            const double *a = data->pos[s->atom_start + i], *b = data->pos[s->atom_start + j];
            const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            if (x * x + y * y + z * z < TOO_NEAR * TOO_NEAR)
                return shoal_input_fail(in, shoal_span_of(s->name), "atoms on top of each other",
                                        "atoms %d and %d of the two fragments at least %g A apart",
                                        (int)i, (int)j, TOO_NEAR);
        }
    return SHOAL_OK;
}

/* Atoms and the sample behind a comment that was read. */
static shoal_status read_sample(shoal_dataset *data, shoal_input *in, const frame_comment *c,
                                int32_t n_atoms)
{
    fit_sample s = {.atom_start = data->n_atoms,
                    .n_atoms = n_atoms,
                    .n_first = c->n_first,
                    .set = data->n_sets - 1,
                    .reference = c->energy,
                    .weight = 1.0,
                    .x0 = c->x0,
                    .angle = c->angle};
    const double unit = data->energy_unit > 0.0 ? data->energy_unit : 1.0;
    s.reference *= unit;
    for (int k = 0; k < N_SAPT; ++k) s.sapt[k] = c->sapt[k] * unit;
    memcpy(s.charge, c->charge, sizeof s.charge);
    s.name = keep_text(data, c->name);
    s.group = keep_text(data, c->group);
    if (!s.name || !s.group) return SHOAL_E_MEMORY;
    note_charges(data, c->charges);
    SHOAL_TRY(dataset_reserve_atoms(data, n_atoms));
    for (int32_t i = 0; i < n_atoms; ++i) SHOAL_TRY(read_atom(data, in, i));
    SHOAL_TRY(settle_hosts(data, in, &s));
    SHOAL_TRY(check_contacts(data, in, &s));
    SHOAL_TRY(SHOAL_RESERVE(&data->samples, &data->sample_capacity, data->n_samples + 1));
    data->samples[data->n_samples++] = s;
    data->n_atoms += n_atoms;
    data->sets[data->n_sets - 1].n_samples++;
    return SHOAL_OK;
}

static shoal_status read_frame(shoal_dataset *data, shoal_input *in, bool *found)
{
    shoal_span line, text;
    frame_comment c;
    int32_t n_atoms;
    do { /* blank lines between frames */
        SHOAL_TRY(shoal_input_line(in, &line, found));
        if (!*found) return SHOAL_OK;
        text = shoal_span_trim(line);
    } while (text.size == 0);
    if (!shoal_text_int(text, &n_atoms) || n_atoms < 2 || n_atoms > 1000000)
        return shoal_input_fail(in, text, "bad number of atoms",
                                "a whole number from 2 to 1000000, alone on its line");
    SHOAL_TRY(shoal_input_need(in, &line, "a comment: # n0 .. Etot .."));
    SHOAL_TRY(parse_comment(in, line, &c));
    if (c.n_first < 1 || c.n_first >= n_atoms)
        return shoal_input_fail(in, line, "bad n0",
                                "at least 1 and fewer than the %d atoms of the frame, found %d",
                                (int)n_atoms, (int)c.n_first);
    /* The texts of the comment are in the input's memory, which the next line takes. */
    char name[256], group[64], charges[32];
    const size_t n_charges = c.charges.size < sizeof charges ? c.charges.size : sizeof charges;
    if (n_charges > 0) memcpy(charges, c.charges.text, n_charges);
    c.charges = (shoal_span){charges, n_charges};
    const size_t n_name = c.name.size < sizeof name ? c.name.size : sizeof name;
    const size_t n_group = c.group.size < sizeof group ? c.group.size : sizeof group;
    if (n_name > 0) memcpy(name, c.name.text, n_name);
    if (n_group > 0) memcpy(group, c.group.text, n_group);
    c.name = (shoal_span){name, n_name};
    c.group = (shoal_span){group, n_group};
    return read_sample(data, in, &c, n_atoms);
}

static shoal_status read_frames(shoal_dataset *data, shoal_input *in)
{
    bool found = true;
    const int32_t before = data->n_samples;
    while (found) SHOAL_TRY(read_frame(data, in, &found));
    if (data->n_samples > before) return dataset_index(data);
    return shoal_input_fail(in, shoal_span_of(""), "no frames", "frames of two fragments");
}

/* A set that could not be read is taken back, so that the data set stays as it was. */
static shoal_status add_set(shoal_dataset *data, shoal_input *in, const char *label, double weight)
{
    const int32_t n_samples = data->n_samples, n_atoms = data->n_atoms, n_bare = data->n_bare;
    fit_set set = {.first = n_samples, .weight = weight};
    shoal_status status = SHOAL_RESERVE(&data->sets, &data->set_capacity, data->n_sets + 1);
    if (status == SHOAL_OK) {
        set.label = (char *)(uintptr_t)keep_text(data, shoal_span_of(label));
        status = set.label ? SHOAL_OK : SHOAL_E_MEMORY;
    }
    if (status == SHOAL_OK) {
        data->sets[data->n_sets++] = set;
        status = read_frames(data, in);
        if (status != SHOAL_OK) {
            data->n_sets--;
            data->n_samples = n_samples;
            data->n_atoms = n_atoms;
            data->n_bare = n_bare;
        }
    }
    shoal_input_destroy(in);
    return status;
}

static shoal_status check_weight(const char *label, double weight)
{
    if (weight > 0.0 && isfinite(weight)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "%s: weight %g, expected a number above 0", label, weight);
}

shoal_status shoal_dataset_set_energy_unit(shoal_dataset *data, double unit)
{
    shoal_clear_error();
    SHOAL_NEED(data);
    if (!(unit > 0.0 && isfinite(unit)))
        return shoal_fail(SHOAL_E_ARGUMENT, "unit of energy %g eV: expected a number above 0",
                          unit);
    data->energy_unit = unit;
    return SHOAL_OK;
}

shoal_status shoal_dataset_add(shoal_dataset *data, const char *path, double weight)
{
    shoal_clear_error();
    SHOAL_NEED(data && path);
    shoal_input *in;
    SHOAL_TRY(check_weight(path, weight));
    SHOAL_TRY(shoal_input_open(&in, path, NULL));
    return add_set(data, in, path, weight);
}

shoal_status shoal_dataset_add_memory(shoal_dataset *data, const void *text, size_t size,
                                      const char *label, double weight)
{
    shoal_clear_error();
    SHOAL_NEED(data && text && label);
    shoal_input *in;
    SHOAL_TRY(check_weight(label, weight));
    SHOAL_TRY(shoal_input_open_memory(&in, text, size, label));
    return add_set(data, in, label, weight);
}

static shoal_status read_weights(shoal_input *in, int32_t n_samples, double *weights)
{
    int32_t n = 0;
    for (;;) {
        shoal_span line;
        bool found;
        SHOAL_TRY(shoal_input_line(in, &line, &found));
        if (!found) break;
        for (;;) {
            const shoal_span word = shoal_span_word(&line);
            if (word.size == 0 || word.text[0] == '#') break;
            if (n == n_samples)
                return shoal_input_fail(in, word, "one weight too many", "%d, one for every sample",
                                        (int)n_samples);
            if (!shoal_text_double(word, &weights[n]))
                return shoal_input_fail(in, word, "bad weight", "a finite number");
            ++n;
        }
    }
    if (n == n_samples) return SHOAL_OK;
    return shoal_input_fail(in, shoal_span_of(""), "too few weights",
                            "%d, one for every sample, found %d", (int)n_samples, (int)n);
}

shoal_status shoal_dataset_read_weights(shoal_dataset *data, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(data && path);
    shoal_input *in;
    double *weights = shoal_alloc((size_t)data->n_samples, sizeof *weights);
    if (!weights) return SHOAL_E_MEMORY;
    shoal_status status = shoal_input_open(&in, path, NULL);
    if (status == SHOAL_OK) {
        status = read_weights(in, data->n_samples, weights);
        shoal_input_destroy(in);
    }
    for (int32_t s = 0; s < data->n_samples && status == SHOAL_OK; ++s)
        data->samples[s].weight *= weights[s] > 0.0 ? weights[s] : 0.0;
    free(weights);
    return status;
}
