/* SPDX-License-Identifier: BSD-3-Clause
 * Labels of a data set against the types that the engine would choose from the same table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "ff/table_names.h"
#include "fit/dataset.h"
#include "fit/fragment_types.h"
#include "shoal/fit_data.h"

/* Shapes that differ by less have the same types, angstrom: bonds of different order differ by more. */
#define SAME_SHAPE 0.05

shoal_status shoal_dataset_map_labels(shoal_dataset *data, const char *path)
{
    shoal_clear_error();
    SHOAL_NEED(data && path);
    return label_map_read(&data->map, path);
}

/* What is being compared. */
typedef struct label_search {
    const shoal_dataset *data;
    fragment_typer *typer;
    shoal_molecule *mol;
    int32_t *atom_of; /* atoms of the sample that are atoms of mol */
    shoal_label_difference *found;
    int32_t n, capacity;
    shoal_label_check *check;
} label_search;

/* The element of a type: its column, or how its name begins. */
static int32_t element_of(const shoal_atom_type *type)
{
    size_t n = strlen(type->element);
    int32_t z = n <= 2 ? element_by_symbol(type->element, (int32_t)n) : 0;
    if (z > 0) return z;
    for (n = 0; n < 3 && shoal_is_letter(type->name[n]);) ++n;
    return n > 0 && n <= 2 ? element_by_symbol(type->name, (int32_t)n) : 0;
}

/* The frame as a molecule of two, without its sites. False if an atom has no element. */
static shoal_status build(label_search *s, const fit_sample *sample, bool *known)
{
    const shoal_dataset *data = s->data;
    *known = true;
    shoal_molecule_clear(s->mol);
    SHOAL_TRY(molecule_reserve_atoms(s->mol, sample->n_atoms));
    for (int32_t i = 0; i < sample->n_atoms; ++i) {
        const int32_t at = sample->atom_start + i;
        if (data->host[at] >= 0) continue;
        const int32_t z = element_of(shoal_atom_types_get(data->types, data->type[at]));
        *known = *known && z > 0;
        if (z == 0) continue;
        s->atom_of[s->mol->n_atoms] = i;
        molecule_push_atom(s->mol, z, data->pos[at]);
        s->mol->charge[s->mol->n_atoms - 1] = data->charge[at];
        s->mol->n_first += i < sample->n_first;
        /* The charges of the sites are a part of their hosts' in some files: only ions count. */
        s->mol->has_charges = s->mol->has_charges || data->charge[at] != 0.0;
    }
    for (int k = 0; k < 2; ++k) {
        s->mol->has_fragment_charge[k] = fabs(sample->charge[k]) < 1e6;
        if (s->mol->has_fragment_charge[k])
            s->mol->fragment_charge[k] = (int32_t)lround(sample->charge[k]);
    }
    return SHOAL_OK;
}

/* The type of the table that typing would choose, as ff/params.c does. */
static const char *engine_name(const shoal_atom_types *types, const fragment_atom *a,
                               char ion[SHOAL_TYPE_NAME_SIZE])
{
    table_ion_name(a->ion, a->base, ion);
    if (a->ion != 0 && shoal_atom_types_find(types, ion) >= 0) return ion;
    const int32_t finer = table_find_finer(types, a->finer);
    if (finer >= 0) return shoal_atom_types_get(types, finer)->name;
    if (shoal_atom_types_find(types, a->base) >= 0) return a->base;
    return shoal_atom_types_find(types, a->label) >= 0 ? a->label : a->base;
}

static shoal_status count_difference(label_search *s, const char *label, const char *name,
                                     int32_t sample, int32_t atom)
{
    int32_t k = 0;
    while (k < s->n &&
           (strcmp(s->found[k].label, label) != 0 || strcmp(s->found[k].name, name) != 0))
        ++k;
    if (k == s->n) {
        SHOAL_TRY(SHOAL_RESERVE(&s->found, &s->capacity, s->n + 1));
        s->found[s->n] = (shoal_label_difference){.sample = sample, .atom = atom};
        (void)snprintf(s->found[k].label, SHOAL_TYPE_NAME_SIZE, "%s", label);
        (void)snprintf(s->found[k].name, SHOAL_TYPE_NAME_SIZE, "%s", name);
        s->n++;
    }
    s->found[k].n_atoms++;
    s->check->n_atoms++;
    return SHOAL_OK;
}

static shoal_status compare_fragment(label_search *s, int32_t index, int32_t first,
                                     const typed_fragment *typed)
{
    const fit_sample *sample = &s->data->samples[index];
    for (int32_t i = 0; i < typed->n; ++i) {
        const int32_t atom = s->atom_of[first + i];
        char ion[SHOAL_TYPE_NAME_SIZE];
        const char *name = engine_name(s->data->types, &typed->atoms[i], ion);
        const int32_t type = s->data->type[sample->atom_start + atom];
        const char *label = shoal_atom_types_get(s->data->types, type)->name;
        if (strcmp(label, name) != 0) SHOAL_TRY(count_difference(s, label, name, index, atom));
    }
    return SHOAL_OK;
}

static shoal_status compare_sample(label_search *s, int32_t index)
{
    bool known;
    const typed_fragment *typed[2] = {NULL, NULL};
    const char *reason = "a type without an element";
    SHOAL_TRY(build(s, &s->data->samples[index], &known));
    known = known && s->mol->n_first > 0 && s->mol->n_first < s->mol->n_atoms;
    for (int32_t k = 0; k < 2 && known; ++k) {
        SHOAL_TRY(fragment_typer_find(s->typer, s->mol, k, &typed[k]));
        known = typed[k]->atoms != NULL;
        if (!known) reason = typed[k]->reason;
    }
    if (!known) {
        if (s->check->n_untyped++ > 0) return SHOAL_OK;
        s->check->untyped = index;
        (void)snprintf(s->check->reason, sizeof s->check->reason, "%s", reason);
        return SHOAL_OK;
    }
    SHOAL_TRY(compare_fragment(s, index, 0, typed[0]));
    return compare_fragment(s, index, s->mol->n_first, typed[1]);
}

/* The most frequent first, then in the order of the data. */
static int by_count(const void *a, const void *b)
{
    const shoal_label_difference *x = a, *y = b;
    if (x->n_atoms != y->n_atoms) return x->n_atoms > y->n_atoms ? -1 : 1;
    if (x->sample != y->sample) return x->sample < y->sample ? -1 : 1;
    return (x->atom > y->atom) - (x->atom < y->atom);
}

static shoal_status open_search(label_search *s)
{
    static const shoal_typing_options typing = {.charges = SHOAL_CHARGES_NONE};
    int32_t most = 1;
    for (int32_t k = 0; k < s->data->n_samples; ++k)
        if (s->data->samples[k].n_atoms > most) most = s->data->samples[k].n_atoms;
    SHOAL_TRY(fragment_typer_create(&s->typer, &typing, SAME_SHAPE));
    SHOAL_TRY(shoal_molecule_create(&s->mol));
    s->atom_of = shoal_alloc((size_t)most, sizeof *s->atom_of);
    return s->atom_of ? SHOAL_OK : SHOAL_E_MEMORY;
}

static void close_search(label_search *s)
{
    fragment_typer_destroy(s->typer);
    shoal_molecule_destroy(s->mol);
    free(s->atom_of);
    free(s->found);
}

static shoal_status compare_all(label_search *s)
{
    SHOAL_TRY(open_search(s));
    for (int32_t k = 0; k < s->data->n_samples; ++k) SHOAL_TRY(compare_sample(s, k));
    return SHOAL_OK;
}

/* The charge of a fragment without partial charges. */
static shoal_status sum_formal(label_search *s, int32_t index, int32_t k, double *charge)
{
    const fit_sample *sample = &s->data->samples[index];
    const typed_fragment *typed = NULL;
    *charge = sample->charge[k];
    if (isfinite(*charge)) return SHOAL_OK;
    SHOAL_TRY(fragment_typer_find(s->typer, s->mol, k, &typed));
    if (!typed->atoms)
        return shoal_fail(SHOAL_E_FORMAT,
                          "sample %d (%s): fragment %d has no charges, and its formal ones are not "
                          "known: %s; expected charge_%c in the comment, or no neutral fragments",
                          (int)index + 1, sample->name, (int)k + 1, typed->reason, "ab"[k]);
    *charge = typed->formal_charge;
    return SHOAL_OK;
}

static shoal_status sum_sample(label_search *s, int32_t index, double charge[2])
{
    const fit_sample *sample = &s->data->samples[index];
    bool known;
    SHOAL_TRY(build(s, sample, &known));
    if (s->mol->has_charges) return SHOAL_OK;
    if (!known)
        return shoal_fail(SHOAL_E_FORMAT,
                          "sample %d (%s): neither charges nor elements of all its atoms: expected "
                          "one of them for neutral fragments",
                          (int)index + 1, sample->name);
    SHOAL_TRY(sum_formal(s, index, 0, &charge[0]));
    return sum_formal(s, index, 1, &charge[1]);
}

shoal_status dataset_formal_charges(const shoal_dataset *data, double (*charge)[2])
{
    label_search s = {.data = data};
    shoal_status status = open_search(&s);
    for (int32_t k = 0; k < data->n_samples && status == SHOAL_OK; ++k) {
        charge[k][0] = charge[k][1] = 0.0;
        status = sum_sample(&s, k, charge[k]);
    }
    close_search(&s);
    return status;
}

shoal_status shoal_dataset_check_labels(const shoal_dataset *data, shoal_label_difference *list,
                                        int32_t capacity, shoal_label_check *check)
{
    shoal_clear_error();
    SHOAL_NEED(data && check && (list || capacity <= 0));
    *check = (shoal_label_check){.untyped = -1};
    label_search s = {.data = data, .check = check};
    const shoal_status status = compare_all(&s);
    check->n_differences = s.n;
    if (s.n > 1) qsort(s.found, (size_t)s.n, sizeof *s.found, by_count);
    for (int32_t k = 0; k < s.n && k < capacity; ++k) list[k] = s.found[k];
    close_search(&s);
    return status;
}
