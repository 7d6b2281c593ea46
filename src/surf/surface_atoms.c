/* SPDX-License-Identifier: BSD-3-Clause
 * Parameters of the atoms of a substrate: from UFF or from a table of types, charges by element. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "ff/pair_model.h"
#include "ff/topology.h"
#include "shoal/atom_types.h"
#include "surf/metals.h"
#include "surf/surface.h"

/* Largest net charge that passes for rounding in a file, e; it is taken off all atoms evenly. */
#define NEUTRAL 1e-3

typedef struct atom_numbers {
    double radius, depth, charge, hbond;
} atom_numbers;

/* The type of that name, else the first of the element; NULL without one. */
static const shoal_atom_type *find_type(const shoal_atom_types *types, const char *label,
                                        const char *symbol)
{
    const int32_t named = label[0] ? shoal_atom_types_find(types, label) : -1;
    if (named >= 0) return shoal_atom_types_get(types, named);
    if (label[0]) return NULL;
    const int32_t plain = shoal_atom_types_find(types, symbol);
    if (plain >= 0) return shoal_atom_types_get(types, plain);
    for (int32_t k = 0; k < shoal_atom_types_count(types); ++k) {
        const shoal_atom_type *type = shoal_atom_types_get(types, k);
        if (strcmp(type->element, symbol) == 0) return type;
    }
    return NULL;
}

static shoal_status find_in_table(const shoal_molecule *mol, int32_t i,
                                  const shoal_atom_types *types, const shoal_atom_type **out)
{
    const char *label = shoal_molecule_type(mol, i);
    const char *symbol = shoal_element_symbol(shoal_molecule_elements(mol)[i]);
    *out = find_type(types, label, symbol);
    if (*out) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "surface: atom %d (%s): the table of types has no '%s'", i,
                      symbol, label[0] ? label : symbol);
}

static shoal_status look_up(const shoal_molecule *mol, int32_t i,
                            const shoal_surface_options *options, atom_numbers *out)
{
    const int32_t z = shoal_molecule_elements(mol)[i];
    const char *label = shoal_molecule_type(mol, i), *symbol = shoal_element_symbol(z);
    if (options->types) {
        const shoal_atom_type *type;
        SHOAL_TRY(find_in_table(mol, i, options->types, &type));
        *out = (atom_numbers){type->r, type->e, type->q, options->no_hbonds ? 0.0 : type->h};
        return SHOAL_OK;
    }
    int32_t n = 0;
    const uff_type *type = label[0] ? uff_type_by_label(label) : uff_types_of(z, &n);
    if (!type)
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: atom %d (%s): UFF has no parameters for '%s'",
                          i, symbol, label[0] ? label : symbol);
    *out = (atom_numbers){.radius = 0.5 * type->x1, .depth = KCAL_EV * type->d1};
    return SHOAL_OK;
}

/* Refuses a net charge; rounding is spread over the charged atoms. */
static shoal_status neutralise(double *charges, int32_t n)
{
    double net = 0.0;
    int32_t n_charged = 0;
    for (int32_t i = 0; i < n; ++i) {
        if (!isfinite(charges[i]))
            return shoal_fail(SHOAL_E_ARGUMENT, "surface: the charge of atom %d is not finite", i);
        net += charges[i];
        n_charged += charges[i] != 0.0;
    }
    if (fabs(net) > NEUTRAL)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "surface: the charges add up to %g e, expected zero: a charged sheet has "
                          "no finite potential",
                          net);
    for (int32_t i = 0; i < n; ++i)
        if (charges[i] != 0.0) charges[i] -= net / n_charged;
    return SHOAL_OK;
}

/* By element, else of the file, else of the table. */
static double choose_charge(const shoal_molecule *mol, int32_t i,
                            const shoal_surface_options *options, double of_type)
{
    for (int32_t k = options->n_charges - 1; k >= 0; --k)
        if (options->charges[k].z == shoal_molecule_elements(mol)[i])
            return options->charges[k].charge;
    const double *given = shoal_molecule_charges(mol);
    return given ? given[i] : of_type;
}

/* A charge for an element that is not there is a mistake. */
static shoal_status check_charges(const shoal_molecule *mol, const shoal_surface_options *options)
{
    const int32_t n = shoal_molecule_n_atoms(mol), *elements = shoal_molecule_elements(mol);
    for (int32_t k = 0; k < options->n_charges; ++k) {
        int32_t i = 0;
        while (i < n && elements[i] != options->charges[k].z) ++i;
        if (i == n)
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "surface: a charge of %g e is given for %s, of which there is no atom",
                options->charges[k].charge, shoal_element_symbol(options->charges[k].z));
    }
    return SHOAL_OK;
}

/* What molecules will ask for: h by name. */
static shoal_status keep_hbonds(shoal_surface *s, const shoal_surface_options *options)
{
    if (!options->types || options->no_hbonds) return SHOAL_OK;
    const int32_t n = shoal_atom_types_count(options->types);
    s->hbonds = arena_alloc(&s->memory, (size_t)n, sizeof *s->hbonds);
    if (!s->hbonds) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < n; ++k) {
        const shoal_atom_type *type = shoal_atom_types_get(options->types, k);
        if (type->h == 0.0 || strlen(type->name) >= sizeof s->hbonds->label) continue;
        surface_hbond *to = &s->hbonds[s->n_hbonds++];
        memcpy(to->label, type->name, strlen(type->name) + 1);
        to->h = type->h;
    }
    return SHOAL_OK;
}

static bool has_type(const shoal_molecule *mol, const shoal_pair_model *model, const char *name)
{
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i) {
        const char *symbol = shoal_element_symbol(shoal_molecule_elements(mol)[i]);
        const shoal_atom_type *type = find_type(model->types, shoal_molecule_type(mol, i), symbol);
        if (type && strcmp(type->name, name) == 0) return true;
    }
    return false;
}

/* Rules of the model for what a substrate has not got: sites of its atoms, and bonds between them. */
static shoal_status check_rules(const shoal_molecule *mol, const shoal_pair_model *model)
{
    const shoal_pair_settings *s = &model->settings;
    for (int32_t k = 0; k < s->n_sites; ++k)
        if (has_type(mol, model, s->sites[k].host))
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "surface: the pair model puts sites beside atoms of the type %s, which "
                "a rigid substrate cannot have",
                s->sites[k].host);
    for (int32_t k = 0; k < s->n_increments; ++k)
        if (has_type(mol, model, s->increments[k].from) &&
            has_type(mol, model, s->increments[k].to))
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "surface: the pair model has a bond increment for the types %s and %s, "
                "and nobody knows the bonds of a substrate",
                s->increments[k].from, s->increments[k].to);
    return SHOAL_OK;
}

/* Where the numbers of atoms go. */
typedef struct atom_columns {
    double *radius, *depth, *charges, *hbond;
} atom_columns;

/* What charges of types have added is taken evenly from their atoms again, if the model says so. */
static void even_out(const shoal_pair_model *model, int32_t n, const bool *own, double added,
                     double *charges)
{
    int32_t n_own = 0;
    for (int32_t i = 0; i < n; ++i) n_own += own[i];
    for (int32_t i = 0; i < n && model->settings.neutral; ++i)
        if (own[i]) charges[i] -= added / n_own;
}

/* All atoms have a type. Charges of types with their own come before those of the file, and those that were asked
 * for before both. */
static shoal_status choose_charges(const shoal_molecule *mol, const shoal_surface_options *options,
                                   double *charges)
{
    const shoal_pair_model *m = options->model;
    const int32_t n = shoal_molecule_n_atoms(mol);
    bool *own = shoal_alloc((size_t)n, sizeof *own);
    double added = 0.0;
    if (!own) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n; ++i) {
        const shoal_atom_type *type =
            find_type(m->types, shoal_molecule_type(mol, i),
                      shoal_element_symbol(shoal_molecule_elements(mol)[i]));
        const double *given = shoal_molecule_charges(mol);
        bool asked = false;
        for (int32_t k = 0; k < options->n_charges; ++k)
            asked |= options->charges[k].z == shoal_molecule_elements(mol)[i];
        own[i] = !asked && m->charged[shoal_atom_types_find(m->types, type->name)];
        charges[i] = own[i] ? type->q : choose_charge(mol, i, options, type->q);
        if (own[i]) added += type->q - (given ? given[i] : 0.0);
    }
    even_out(m, n, own, added, charges);
    free(own);
    return neutralise(charges, n);
}

/* Numbers that act: radii that hang on charges, and charges with the root of lambda in them, as topologies have
 * them. */
static shoal_status parameterise_by_model(const shoal_molecule *mol,
                                          const shoal_surface_options *options,
                                          const atom_columns *to)
{
    const shoal_pair_settings *s = &options->model->settings;
    const int32_t n = shoal_molecule_n_atoms(mol);
    const shoal_atom_type *type;
    for (int32_t i = 0; i < n; ++i) SHOAL_TRY(find_in_table(mol, i, options->model->types, &type));
    SHOAL_TRY(check_rules(mol, options->model));
    SHOAL_TRY(choose_charges(mol, options, to->charges));
    for (int32_t i = 0; i < n; ++i) {
        SHOAL_TRY(find_in_table(mol, i, options->model->types, &type));
        to->radius[i] = type->r - s->radius_charge * to->charges[i];
        to->depth[i] = type->e;
        to->hbond[i] = s->hbond == SHOAL_HBOND_NONE ? 0.0 : type->h;
        if (!(to->radius[i] > 0.0))
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "surface: atom %d (%s): with its charge of %g e the pair model gives it "
                "a radius of %g angstrom",
                i, type->name, to->charges[i], to->radius[i]);
        to->charges[i] *= sqrt(s->lambda);
    }
    return SHOAL_OK;
}

shoal_status surface_parameterise(shoal_surface *s, const shoal_molecule *mol,
                                  const shoal_surface_options *options)
{
    const int32_t n = s->view.n_atoms;
    SHOAL_TRY(check_charges(mol, options));
    double *radius = arena_alloc(&s->memory, (size_t)n, sizeof *radius);
    double *depth = arena_alloc(&s->memory, (size_t)n, sizeof *depth);
    double *charges = arena_alloc(&s->memory, (size_t)n, sizeof *charges);
    double *hbond = arena_alloc(&s->memory, (size_t)n, sizeof *hbond);
    if (!radius || !depth || !charges || !hbond) return SHOAL_E_MEMORY;
    s->view.radius = radius;
    s->view.depth = depth;
    s->view.charges = charges;
    s->view.hbond = hbond;
    if (options->model)
        return parameterise_by_model(mol, options, &(atom_columns){radius, depth, charges, hbond});
    for (int32_t i = 0; i < n; ++i) {
        atom_numbers a = {0};
        SHOAL_TRY(look_up(mol, i, options, &a));
        radius[i] = a.radius;
        depth[i] = a.depth;
        hbond[i] = a.hbond;
        charges[i] = choose_charge(mol, i, options, a.charge);
    }
    if (!options->types && options->metals == SHOAL_METALS_ADSORPTION)
        SHOAL_TRY(metals_replace(&s->view, radius, depth));
    SHOAL_TRY(neutralise(charges, n));
    return keep_hbonds(s, options);
}
