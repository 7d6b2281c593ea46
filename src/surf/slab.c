/* SPDX-License-Identifier: BSD-3-Clause
 * Builders of common slabs: salts, metals and sheets, with steps and vacancies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
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

static shoal_status fill_options(const shoal_slab_options *given, shoal_slab_options *o)
{
    *o = given ? *given : (shoal_slab_options){0};
    SHOAL_TRY(check_count("the kind", (int32_t)o->kind, 0, SHOAL_N_SLABS - 1));
    const slab_pattern *p = slab_pattern_of(o->kind);
    SHOAL_TRY(fill_elements(o));
    for (int k = 0; k < 2; ++k) {
        if (o->size[k] == 0) o->size[k] = 4;
        SHOAL_TRY(check_count("the size", o->size[k], 1, 100000));
    }
    if (o->layers == 0) o->layers = p->layers;
    SHOAL_TRY(check_count("the number of layers", o->layers, 1, 10000));
    if (o->step == 0) o->step = o->size[1];
    SHOAL_TRY(check_count("step", o->step, 1, o->size[1]));
    if (o->step < o->size[1] && o->layers < 2)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: a step needs two layers at least");
    if (o->vacuum == 0.0) o->vacuum = 20.0;
    SHOAL_TRY(check_vacuum(o->vacuum));
    SHOAL_TRY(fill_charges(o));
    const double n = (double)o->size[0] * o->size[1] * o->layers * p->n_sites;
    if (n > MAX_ATOMS)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: %.0f atoms, at most %d can be built", n,
                          MAX_ATOMS);
    for (int32_t k = 0; k < o->n_vacancies; ++k)
        SHOAL_TRY(check_count("a vacancy", o->vacancies[k], 0, (int32_t)n - 1));
    return SHOAL_OK;
}

static bool is_vacant(const shoal_slab_options *o, int32_t index)
{
    for (int32_t k = 0; k < o->n_vacancies; ++k)
        if (o->vacancies[k] == index) return true;
    return false;
}

static double layer_spacing(const slab_pattern *p, const shoal_slab_options *o)
{
    return p->spacing > 0.0 ? p->spacing * o->a : 0.5 * o->c;
}

/* Adds a site of cell (i, j) in a layer, and its charge to the net one. */
static shoal_status add_atom(shoal_molecule *mol, const shoal_slab_options *o, const int32_t at[3],
                             int i_site, double *net)
{
    const slab_pattern *p = slab_pattern_of(o->kind);
    const slab_site *site = &p->sites[i_site];
    const int32_t turn = at[2] % p->period;
    const double edge = p->edge * o->a;
    const double u = at[0] + site->u + p->shift[0] * turn;
    const double v = at[1] + site->v + p->shift[1] * turn;
    const double z = 0.0 - layer_spacing(p, o) * at[2] - site->depth * o->a;
    const double pos[3] = {edge * (u + v * p->b[0]), edge * v * p->b[1], z};
    const int32_t element = p->swaps && turn == 1 ? 1 - site->element : site->element;
    const double charge = element == 0 ? o->charge : -o->charge / p->n_b;
    SHOAL_TRY(shoal_molecule_add_atom(mol, o->elements[element], pos));
    if (o->charge == 0.0) return SHOAL_OK;
    *net += charge;
    return shoal_molecule_set_charge(mol, shoal_molecule_n_atoms(mol) - 1, charge);
}

static shoal_status add_layers(shoal_molecule *mol, const shoal_slab_options *o)
{
    const int n_sites = slab_pattern_of(o->kind)->n_sites;
    int32_t index = 0, at[3];
    double net = 0.0;
    for (at[2] = 0; at[2] < o->layers; ++at[2])
        for (at[0] = 0; at[0] < o->size[0]; ++at[0])
            for (at[1] = 0; at[1] < o->size[1]; ++at[1])
                for (int site = 0; site < n_sites; ++site, ++index) {
                    const bool cut = at[2] == 0 && at[1] >= o->step;
                    if (!cut && !is_vacant(o, index)) SHOAL_TRY(add_atom(mol, o, at, site, &net));
                }
    if (fabs(net) > 1e-6)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: the vacancies leave a charge of %g e; leave out atoms of the "
                          "other element, too, or ask for no charges",
                          net);
    if (shoal_molecule_n_atoms(mol) == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: no atoms are left");
    return SHOAL_OK;
}

static shoal_status add_cell(shoal_molecule *mol, const shoal_slab_options *o)
{
    const slab_pattern *p = slab_pattern_of(o->kind);
    const double edge = p->edge * o->a;
    const double height =
        layer_spacing(p, o) * (o->layers - 1) + p->sites[p->n_sites - 1].depth * o->a;
    const double cell[3][3] = {{edge * o->size[0], 0.0, 0.0},
                               {edge * o->size[1] * p->b[0], edge * o->size[1] * p->b[1], 0.0},
                               {0.0, 0.0, height + o->vacuum}};
    const bool pbc[3] = {true, true, false};
    char name[64], elements[16];
    (void)snprintf(name, sizeof name, "%s%s %dx%dx%d", p->is_sheet ? "" : formula(o, elements),
                   p->name, o->size[0], o->size[1], o->layers);
    SHOAL_TRY(shoal_molecule_set_cell(mol, cell, pbc));
    return shoal_molecule_set_name(mol, name);
}

shoal_status shoal_slab_build(shoal_molecule *mol, const shoal_slab_options *options)
{
    shoal_clear_error();
    shoal_slab_options o;
    if (!mol) return shoal_fail(SHOAL_E_ARGUMENT, "slab: no molecule to build it in");
    SHOAL_TRY(fill_options(options, &o));
    shoal_molecule_clear(mol);
    SHOAL_TRY(add_cell(mol, &o));
    return add_layers(mol, &o);
}
