/* SPDX-License-Identifier: BSD-3-Clause
 * Builders of common slabs: salts, metals and graphene, with steps and vacancies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "shoal/surface.h"

#define MAX_ATOMS 10000000
#define GRAPHITE_SPACING 3.355 /* angstrom, Wyckoff, Crystal Structures 1 (1963) */
#define ROOT_3 1.73205080756887729353

/* Lattice constants at room temperature, angstrom. Salts and oxides: Wyckoff, Crystal Structures 1
 * (1963); NaCl and metals: Swanson et al., NBS Circular 539 (1953 to 1955). */
typedef struct constant {
    int32_t a, b;
    double length;
} constant;

static const constant constants[] = {
    {11, 17, 5.6402}, {3, 9, 4.0173},   {3, 17, 5.1295},  {11, 9, 4.62},   {11, 35, 5.9732},
    {11, 53, 6.4728}, {19, 9, 5.347},   {19, 17, 6.2929}, {19, 35, 6.6},   {19, 53, 7.0656},
    {37, 17, 6.581},  {12, 8, 4.2112},  {20, 8, 4.8105},  {38, 8, 5.1602}, {56, 8, 5.523},
    {47, 17, 5.547},  {47, 35, 5.7745}, {13, 0, 4.0494},  {28, 0, 3.5238}, {29, 0, 3.615},
    {45, 0, 3.8031},  {46, 0, 3.8898},  {47, 0, 4.0862},  {77, 0, 3.8394}, {78, 0, 3.9231},
    {79, 0, 4.0786},  {82, 0, 4.9505},
};

double shoal_slab_constant(shoal_slab_kind kind, int32_t a, int32_t b)
{
    if (kind == SHOAL_SLAB_GRAPHENE) return a == 6 ? 2.46 : 0.0;
    if (kind != SHOAL_SLAB_ROCKSALT) b = 0;
    for (size_t k = 0; k < sizeof constants / sizeof constants[0]; ++k)
        if (constants[k].a == a && constants[k].b == b) return constants[k].length;
    return 0.0;
}

/* One kind of slab in units of its surface cell: vectors a and b, atoms of a layer (fractions), and
 * how a layer is shifted against the one above it; after `period` layers it starts again. */
typedef struct pattern {
    const char *name;
    double edge, b[2], spacing; /* in lattice constants; b in edges */
    int32_t n_atoms, period;
    double atoms[2][2], shift;
} pattern;

static const pattern patterns[] = {
    [SHOAL_SLAB_ROCKSALT] =
        {"(001)", 0.70710678118654752440, {0.0, 1.0}, 0.5, 2, 2, {{0.0, 0.0}, {0.5, 0.5}}, 0.5},
    [SHOAL_SLAB_FCC100] =
        {"(100)", 0.70710678118654752440, {0.0, 1.0}, 0.5, 1, 2, {{0.0, 0.0}}, 0.5},
    [SHOAL_SLAB_FCC111] = {"(111)",
                           0.70710678118654752440,
                           {0.5, 0.5 * ROOT_3},
                           1.0 / ROOT_3,
                           1,
                           3,
                           {{0.0, 0.0}},
                           1.0 / 3.0},
    [SHOAL_SLAB_GRAPHENE] = {"graphene",
                             1.0,
                             {0.5, 0.5 * ROOT_3},
                             0.0,
                             2,
                             2,
                             {{0.0, 0.0}, {1.0 / 3.0, 1.0 / 3.0}},
                             1.0 / 3.0},
};

static shoal_status check_count(const char *name, int32_t value, int32_t low, int32_t high)
{
    if (value >= low && value <= high) return SHOAL_OK;
    return shoal_fail(SHOAL_E_ARGUMENT, "slab: %s is %d, expected %d to %d", name, value, low,
                      high);
}

static shoal_status fill_elements(shoal_slab_options *o)
{
    const bool salt = o->kind == SHOAL_SLAB_ROCKSALT;
    if (o->elements[0] == 0) {
        o->elements[0] = salt ? 11 : o->kind == SHOAL_SLAB_GRAPHENE ? 6 : 79;
        o->elements[1] = salt ? 17 : 0;
    }
    SHOAL_TRY(check_count("the element", o->elements[0], 1, 118));
    if (salt) SHOAL_TRY(check_count("the second element", o->elements[1], 1, 118));
    if (o->a == 0.0) o->a = shoal_slab_constant(o->kind, o->elements[0], o->elements[1]);
    if (o->a == 0.0)
        return shoal_fail(
            SHOAL_E_ARGUMENT, "slab: no lattice constant of %s%s is tabulated; give one",
            shoal_element_symbol(o->elements[0]), salt ? shoal_element_symbol(o->elements[1]) : "");
    if (!(o->a >= 1.0 && o->a <= 100.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: the lattice constant is %g, expected 1 to 100",
                          o->a);
    return SHOAL_OK;
}

static shoal_status fill_options(const shoal_slab_options *given, shoal_slab_options *o)
{
    *o = given ? *given : (shoal_slab_options){0};
    SHOAL_TRY(check_count("the kind", (int32_t)o->kind, 0, SHOAL_SLAB_GRAPHENE));
    SHOAL_TRY(fill_elements(o));
    for (int k = 0; k < 2; ++k) {
        if (o->size[k] == 0) o->size[k] = 4;
        SHOAL_TRY(check_count("the size", o->size[k], 1, 100000));
    }
    if (o->layers == 0) o->layers = o->kind == SHOAL_SLAB_GRAPHENE ? 1 : 3;
    SHOAL_TRY(check_count("the number of layers", o->layers, 1, 10000));
    if (o->step == 0) o->step = o->size[1];
    SHOAL_TRY(check_count("step", o->step, 1, o->size[1]));
    if (o->step < o->size[1] && o->layers < 2)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: a step needs two layers at least");
    if (o->vacuum == 0.0) o->vacuum = 20.0;
    if (!(o->vacuum > 0.0 && o->vacuum <= 1e6))
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: the vacuum is %g, expected up to 1e6 angstrom",
                          o->vacuum);
    if (!isfinite(o->charge)) return shoal_fail(SHOAL_E_ARGUMENT, "slab: the charge is not finite");
    if (o->charge != 0.0 && o->kind != SHOAL_SLAB_ROCKSALT)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: only salts have charges");
    const double n = (double)o->size[0] * o->size[1] * o->layers * patterns[o->kind].n_atoms;
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

/* Adds an atom of the basis of cell (i, j) in a layer, and its charge to the net one. */
static shoal_status add_atom(shoal_molecule *mol, const shoal_slab_options *o, const int32_t at[3],
                             int basis, double *net)
{
    const pattern *p = &patterns[o->kind];
    const double edge = p->edge * o->a, shift = p->shift * (at[2] % p->period);
    const double spacing = o->kind == SHOAL_SLAB_GRAPHENE ? GRAPHITE_SPACING : p->spacing * o->a;
    const double u = at[0] + p->atoms[basis][0] + shift, v = at[1] + p->atoms[basis][1] + shift;
    const double pos[3] = {edge * (u + v * p->b[0]), edge * v * p->b[1], 0.0 - spacing * at[2]};
    const bool salt = o->kind == SHOAL_SLAB_ROCKSALT;
    const double charge = basis == 0 ? o->charge : -o->charge;
    SHOAL_TRY(shoal_molecule_add_atom(mol, o->elements[salt ? basis : 0], pos));
    *net += charge;
    if (o->charge == 0.0) return SHOAL_OK;
    return shoal_molecule_set_charge(mol, shoal_molecule_n_atoms(mol) - 1, charge);
}

static shoal_status add_layers(shoal_molecule *mol, const shoal_slab_options *o)
{
    int32_t index = 0, at[3];
    double net = 0.0;
    for (at[2] = 0; at[2] < o->layers; ++at[2])
        for (at[0] = 0; at[0] < o->size[0]; ++at[0])
            for (at[1] = 0; at[1] < o->size[1]; ++at[1])
                for (int basis = 0; basis < patterns[o->kind].n_atoms; ++basis, ++index) {
                    const bool cut = at[2] == 0 && at[1] >= o->step;
                    if (!cut && !is_vacant(o, index)) SHOAL_TRY(add_atom(mol, o, at, basis, &net));
                }
    if (fabs(net) > 1e-6)
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: the vacancies leave a charge of %g e; leave out as many of the "
                          "other element",
                          net);
    if (shoal_molecule_n_atoms(mol) == 0)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: no atoms are left");
    return SHOAL_OK;
}

static shoal_status add_cell(shoal_molecule *mol, const shoal_slab_options *o)
{
    const pattern *p = &patterns[o->kind];
    const double edge = p->edge * o->a;
    const double spacing = o->kind == SHOAL_SLAB_GRAPHENE ? GRAPHITE_SPACING : p->spacing * o->a;
    const double cell[3][3] = {{edge * o->size[0], 0.0, 0.0},
                               {edge * o->size[1] * p->b[0], edge * o->size[1] * p->b[1], 0.0},
                               {0.0, 0.0, spacing * (o->layers - 1) + o->vacuum}};
    const bool pbc[3] = {true, true, false};
    char name[64];
    const bool salt = o->kind == SHOAL_SLAB_ROCKSALT;
    (void)snprintf(name, sizeof name, "%s%s%s %dx%dx%d",
                   o->kind == SHOAL_SLAB_GRAPHENE ? "" : shoal_element_symbol(o->elements[0]),
                   salt ? shoal_element_symbol(o->elements[1]) : "", p->name, o->size[0],
                   o->size[1], o->layers);
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
