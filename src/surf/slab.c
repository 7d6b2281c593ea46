/* SPDX-License-Identifier: BSD-3-Clause
 * Builders of common slabs: salts, metals and sheets, with steps and vacancies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "surf/slab.h"

#define MAX_ATOMS 10000000

static shoal_status check_count(const char *name, int32_t value, int32_t low, int32_t high)
{
    if (value >= low && value <= high) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "slab: %s is %d, expected %d to %d", name, value, low,
                      high);
}

/* "CaF2", "Au". */
static const char *formula(const shoal_slab_options *o, char out[16])
{
    const slab_pattern *p = slab_pattern_of(o->kind);
    const bool two = p->n_elements == 2;
    (void)snprintf(out, 16, "%s%s%s", shoal_element_symbol(o->elements[0]),
                   two ? shoal_element_symbol(o->elements[1]) : "", p->n_b > 1 ? "2" : "");
    return out;
}

static shoal_status check_length(const char *name, double length)
{
    if (length >= 1.0 && length <= 100.0) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "slab: %s is %g, expected 1 to 100", name, length);
}

static shoal_status fill_elements(shoal_slab_options *o)
{
    const slab_pattern *p = slab_pattern_of(o->kind);
    char name[16];
    if (o->elements[0] == 0) memcpy(o->elements, p->elements, sizeof o->elements);
    SHOAL_TRY(check_count("the element", o->elements[0], 1, 118));
    if (p->n_elements == 2) SHOAL_TRY(check_count("the second element", o->elements[1], 1, 118));
    if (o->a == 0.0) o->a = shoal_slab_constant(o->kind, o->elements[0], o->elements[1]);
    if (o->c != 0.0 && p->spacing > 0.0)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: c belongs to hcp, graphene and h-BN; %s is cubic",
                          formula(o, name));
    if (o->c == 0.0) o->c = shoal_slab_constant_c(o->kind, o->elements[0], o->elements[1]);
    if (o->a == 0.0 || (p->spacing == 0.0 && o->c == 0.0))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: no lattice constant%s of %s is tabulated; give %s",
                          o->a == 0.0 ? "" : " c", formula(o, name), o->a == 0.0 ? "one" : "it");
    SHOAL_TRY(check_length("the lattice constant", o->a));
    return p->spacing == 0.0 ? check_length("the lattice constant c", o->c) : SHOAL_OK;
}

static shoal_status fill_charges(shoal_slab_options *o)
{
    if (!isfinite(o->charge)) return shoal_fail(SHOAL_E_ARGUMENT, "slab: the charge is not finite");
    if (o->charge != 0.0 && slab_pattern_of(o->kind)->n_elements < 2)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: only salts and h-BN, which have two elements, have charges");
    if (o->charge != 0.0 && o->no_charges)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: a charge of %g and no charges are asked for",
                          o->charge);
    if (o->charge == 0.0 && !o->no_charges)
        o->charge = shoal_slab_charge(o->kind, o->elements[0], o->elements[1]);
    return SHOAL_OK;
}

static shoal_status check_vacuum(double vacuum)
{
    if (vacuum > 0.0 && vacuum <= 1e6) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "slab: the vacuum is %g, expected up to 1e6 angstrom",
                      vacuum);
}

static shoal_status fill_shape(shoal_slab_options *o, const slab_plan *plan)
{
    SHOAL_TRY(check_count("the number of layers", o->layers, 1, 10000));
    for (int k = 0; k < 2; ++k) SHOAL_TRY(check_count("the size", o->size[k], 1, 100000));
    if (o->step == 0) o->step = o->size[1];
    SHOAL_TRY(check_count("step", o->step, 1, o->size[1]));
    if (o->step < o->size[1] && o->layers < 2)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: a step needs two layers at least");
    if (o->vacuum == 0.0) o->vacuum = 20.0;
    SHOAL_TRY(check_vacuum(o->vacuum));
    const double n = (double)o->size[0] * o->size[1] * o->layers * plan->n_places;
    if (n > MAX_ATOMS)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: %.0f atoms, at most %d can be built", n,
                          MAX_ATOMS);
    for (int32_t k = 0; k < o->n_vacancies; ++k)
        SHOAL_TRY(check_count("a vacancy", o->vacancies[k], 0, (int32_t)n - 1));
    return SHOAL_OK;
}

/* --- of the tables ------------------------------------------------------------------------------- */

static shoal_status plan_places(slab_plan *plan, const shoal_slab_options *o)
{
    const slab_pattern *p = slab_pattern_of(o->kind);
    plan->places = shoal_alloc((size_t)p->n_sites, sizeof *plan->places);
    if (!plan->places) return SHOAL_E_MEMORY;
    plan->n_places = p->n_sites;
    for (int k = 0; k < p->n_sites; ++k) {
        const slab_site *site = &p->sites[k];
        const double charge = site->element == 0 ? o->charge : -o->charge / p->n_b;
        plan->places[k] =
            (slab_place){site->u, site->v, site->depth * o->a, charge, o->elements[site->element]};
    }
    return SHOAL_OK;
}

static shoal_status plan_of_table(slab_plan *plan, shoal_slab_options *o)
{
    char elements[16];
    SHOAL_TRY(check_count("the kind", (int32_t)o->kind, 0, SHOAL_N_SLABS - 1));
    const slab_pattern *p = slab_pattern_of(o->kind);
    SHOAL_TRY(fill_elements(o));
    SHOAL_TRY(fill_charges(o));
    if (o->layers == 0) o->layers = p->layers;
    *plan = (slab_plan){.edge = sqrt(p->edge2 * (o->a * o->a)),
                        .spacing = p->spacing > 0.0 ? p->spacing * o->a : 0.5 * o->c,
                        .period = p->period,
                        .swaps = p->swaps};
    memcpy(plan->b, p->b, sizeof plan->b);
    memcpy(plan->shift, p->shift, sizeof plan->shift);
    (void)snprintf(plan->name, sizeof plan->name, "%s%s", p->is_sheet ? "" : formula(o, elements),
                   p->name);
    return plan_places(plan, o);
}

/* --- the slab ------------------------------------------------------------------------------------ */

void slab_plan_free(slab_plan *plan)
{
    free(plan->places);
    *plan = (slab_plan){0};
}

static bool is_vacant(const shoal_slab_options *o, int32_t index)
{
    for (int32_t k = 0; k < o->n_vacancies; ++k)
        if (o->vacancies[k] == index) return true;
    return false;
}

/* Adds a place of cell (i, j) in a layer, and its charge to the net one. */
static shoal_status add_atom(shoal_molecule *mol, const slab_plan *p, const int32_t at[3],
                             int32_t i_place, double *net)
{
    const slab_place *place = &p->places[i_place];
    const int32_t turn = at[2] % p->period;
    const slab_place *what = &p->places[p->swaps && turn == 1 ? 1 - i_place : i_place];
    const double u = at[0] + place->u + p->shift[0] * turn;
    const double v = at[1] + place->v + p->shift[1] * turn;
    const double z = 0.0 - p->spacing * at[2] - place->depth;
    const double pos[3] = {p->edge * (u + v * p->b[0]), p->edge * v * p->b[1], z};
    SHOAL_TRY(shoal_molecule_add_atom(mol, what->z, pos));
    if (what->charge == 0.0) return SHOAL_OK;
    *net += what->charge;
    return shoal_molecule_set_charge(mol, shoal_molecule_n_atoms(mol) - 1, what->charge);
}

static shoal_status add_layers(shoal_molecule *mol, const slab_plan *p, const shoal_slab_options *o)
{
    int32_t index = 0, at[3];
    double net = 0.0;
    for (at[2] = 0; at[2] < o->layers; ++at[2])
        for (at[0] = 0; at[0] < o->size[0]; ++at[0])
            for (at[1] = 0; at[1] < o->size[1]; ++at[1])
                for (int32_t place = 0; place < p->n_places; ++place, ++index) {
                    const bool cut = at[2] == 0 && at[1] >= o->step;
                    if (!cut && !is_vacant(o, index)) SHOAL_TRY(add_atom(mol, p, at, place, &net));
                }
    for (int32_t k = 0; k < o->n_adatoms; ++k) net += o->adatoms[k].charge;
    if (fabs(net) > 1e-6)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: vacancies and adatoms leave a charge of %g e; leave out atoms of "
                          "the other element, too, give adatoms a charge, or ask for no charges",
                          net);
    if (shoal_molecule_n_atoms(mol) == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: no atoms are left");
    return SHOAL_OK;
}

static double deepest(const slab_plan *p)
{
    double depth = 0.0;
    for (int32_t k = 0; k < p->n_places; ++k) depth = fmax(depth, p->places[k].depth);
    return depth;
}

static shoal_status add_cell(shoal_molecule *mol, const slab_plan *p, const shoal_slab_options *o)
{
    const double height = p->spacing * (o->layers - 1) + deepest(p);
    const double cell[3][3] = {
        {p->edge * o->size[0], 0.0, 0.0},
        {p->edge * o->size[1] * p->b[0], p->edge * o->size[1] * p->b[1], 0.0},
        {0.0, 0.0, height + o->vacuum}};
    const bool pbc[3] = {true, true, false};
    char name[128];
    const bool as_it_is = p->spacing == 0.0 && o->size[0] == 1 && o->size[1] == 1;
    (void)snprintf(name, sizeof name, as_it_is ? "%s" : "%s %dx%dx%d", p->name, o->size[0],
                   o->size[1], o->layers);
    SHOAL_TRY(shoal_molecule_set_cell(mol, cell, pbc));
    return shoal_molecule_set_name(mol, name);
}

static shoal_status build(shoal_molecule *mol, slab_plan *plan, shoal_slab_options *o)
{
    for (int k = 0; k < 2; ++k)
        if (o->size[k] == 0) o->size[k] = 4;
    SHOAL_TRY(o->crystal ? slab_plan_cut(plan, o) : plan_of_table(plan, o));
    if (o->layers == 0) o->layers = plan->spacing > 0.0 ? 3 : 1;
    SHOAL_TRY(fill_shape(o, plan));
    shoal_molecule_clear(mol);
    SHOAL_TRY(add_cell(mol, plan, o));
    SHOAL_TRY(add_layers(mol, plan, o));
    return slab_add_adatoms(mol, plan, o);
}

shoal_status shoal_slab_build(shoal_molecule *mol, const shoal_slab_options *options)
{
    shoal_clear_error();
    shoal_slab_options o = options ? *options : (shoal_slab_options){0};
    slab_plan plan = {0};
    if (!mol) return shoal_fail(SHOAL_E_ARGUMENT, "slab: no molecule to build it in");
    if (mol == o.crystal)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: it cannot take the place of its own crystal");
    const shoal_status status = build(mol, &plan, &o);
    slab_plan_free(&plan);
    return status;
}
