/* SPDX-License-Identifier: BSD-3-Clause
 * Layers of a surface that move: taken off it, and joined to systems as atoms without bonds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/molecule.h"
#include "ff/topology.h"
#include "surf/slab.h"
#include "surf/surface.h"

#define NEUTRAL 1e-3   /* e: a larger charge of a part is no rounding */
#define BONDED 1.3     /* non-metals nearer than so many sums of covalent radii are bonded */
#define REPELLED 0.5   /* eV: neighbours with more are not held by what surrounds them */
#define NEIGHBOUR 4.0  /* angstrom: farther atoms are no neighbours */
#define SAME_CELL 1e-3 /* angstrom */
#define VACUUM 20.0    /* angstrom above the layers, in the third vector, which does not repeat */

static int compare_heights(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a < b) - (a > b);
}

/* z below which the first n layers end, and how many there are in all. */
static shoal_status find_layers(const shoal_surface_view *v, int32_t n, double *below,
                                int32_t *n_layers)
{
    const int32_t n_atoms = v->n_atoms;
    double *z = shoal_alloc((size_t)n_atoms, sizeof *z);
    if (!z) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < n_atoms; ++i) z[i] = v->pos[i][2];
    qsort(z, (size_t)n_atoms, sizeof *z, compare_heights);
    *below = -INFINITY;
    *n_layers = 1;
    for (int32_t i = 1; i < n_atoms; ++i) {
        if (z[i - 1] - z[i] <= LAYER_GAP) continue;
        if (*n_layers == n) *below = 0.5 * (z[i - 1] + z[i]);
        ++*n_layers;
    }
    free(z);
    return SHOAL_OK;
}

static double charge_above(const shoal_surface_view *v, double z)
{
    double net = 0.0;
    for (int32_t i = 0; i < v->n_atoms; ++i)
        if (v->pos[i][2] > z) net += v->charges[i];
    return net;
}

/* A charged sheet has no finite potential, whichever of the parts it belongs to. */
static shoal_status check_charge(const shoal_surface_view *v, int32_t n, double z)
{
    const double net = charge_above(v, z);
    int32_t n_layers, good = 0;
    if (fabs(net) <= NEUTRAL) return SHOAL_OK;
    SHOAL_TRY(find_layers(v, 0, &z, &n_layers));
    for (int32_t k = 1; k < n_layers && good == 0; ++k) {
        SHOAL_TRY(find_layers(v, k, &z, &n_layers));
        if (fabs(charge_above(v, z)) <= NEUTRAL) good = k;
    }
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "surface: the charges of its topmost layer%s add up to %g e, expected zero%s%.0d",
        n == 1 ? "" : "s", net, good > 0 ? ", as those of the first " : "", good);
}

/* Distance of atoms i and j, the nearest of the neighbouring images. */
static double image_distance(const shoal_surface_view *v, int32_t i, int32_t j)
{
    double best = INFINITY;
    const double dz = v->pos[i][2] - v->pos[j][2];
    for (int m = -1; m <= 1; ++m)
        for (int n = -1; n <= 1; ++n) {
            const double x = v->pos[i][0] - v->pos[j][0] + m * v->cell[0][0] + n * v->cell[1][0];
            const double y = v->pos[i][1] - v->pos[j][1] + m * v->cell[0][1] + n * v->cell[1][1];
            const double r2 = x * x + y * y + dz * dz;
            if (r2 > 0.0 && r2 < best) best = r2;
        }
    return sqrt(best);
}

static bool are_bonded(const shoal_surface_view *v, int32_t i, int32_t j, double r)
{
    const int32_t a = v->elements[i], b = v->elements[j];
    return !element_is_metal(a) && !element_is_metal(b) &&
           r <= BONDED * (element_get(a)->radius + element_get(b)->radius);
}

/* Energy of two atoms that attract each other or have no charges, eV. */
static double pair_energy(const shoal_surface_view *v, int32_t i, int32_t j, double r)
{
    const double u6 = pow(4.0 * v->radius[i] * v->radius[j] / (r * r), 3);
    const double charges = COULOMB_CONSTANT * v->charges[i] * v->charges[j];
    return sqrt(v->depth[i] * v->depth[j]) * (u6 * u6 - 2.0 * u6) + charges / r;
}

static shoal_status check_pair(const shoal_surface_view *v, int32_t i, int32_t j, double r)
{
    const char *a = shoal_element_symbol(v->elements[i]), *b = shoal_element_symbol(v->elements[j]);
    if (are_bonded(v, i, j, r))
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "surface: atoms %d (%s) and %d (%s) are bonded; layers of salts and metals "
            "alone can move, as their atoms have no bonds",
            i, a, j, b);
    if (v->charges[i] * v->charges[j] > 0.0 || pair_energy(v, i, j, r) < REPELLED) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "surface: atoms %d (%s) and %d (%s), %.2f A apart, have %.1f eV: layers with these "
        "parameters would fly apart",
        i, a, j, b, r, pair_energy(v, i, j, r));
}

/* What is held together by bonds, or by nothing, would fall apart. */
static shoal_status check_atoms(const shoal_surface_view *v, double z)
{
    for (int32_t i = 0; i < v->n_atoms; ++i)
        for (int32_t j = 0; j < v->n_atoms && v->pos[i][2] > z; ++j) {
            if (fabs(v->pos[i][2] - v->pos[j][2]) > NEIGHBOUR) continue;
            const double r = image_distance(v, i, j);
            if (r <= NEIGHBOUR) SHOAL_TRY(check_pair(v, i, j, r));
        }
    return SHOAL_OK;
}

/* Copies of the arrays of a view, of the atoms above or below z. */
typedef struct part {
    arena memory;
    int32_t *elements;
    double (*pos)[3];
    double *radius, *depth, *charges, *hbond;
} part;

static shoal_status select_atoms(part *p, const shoal_surface_view *whole, double z, bool above,
                                 shoal_surface_view *out)
{
    const size_t n = (size_t)whole->n_atoms;
    p->elements = arena_alloc(&p->memory, n, sizeof *p->elements);
    p->pos = arena_alloc(&p->memory, n, sizeof *p->pos);
    p->radius = arena_alloc(&p->memory, n, sizeof *p->radius);
    p->depth = arena_alloc(&p->memory, n, sizeof *p->depth);
    p->charges = arena_alloc(&p->memory, n, sizeof *p->charges);
    p->hbond = arena_alloc(&p->memory, n, sizeof *p->hbond);
    if (!p->elements || !p->pos || !p->radius || !p->depth || !p->charges || !p->hbond)
        return SHOAL_E_MEMORY;
    *out = *whole;
    out->n_atoms = 0;
    for (int32_t i = 0; i < whole->n_atoms; ++i) {
        if ((whole->pos[i][2] > z) != above) continue;
        const int32_t to = out->n_atoms++;
        p->elements[to] = whole->elements[i];
        memcpy(p->pos[to], whole->pos[i], sizeof p->pos[to]);
        p->radius[to] = whole->radius[i];
        p->depth[to] = whole->depth[i];
        p->charges[to] = whole->charges[i];
        p->hbond[to] = whole->hbond[i];
    }
    out->elements = p->elements;
    out->pos = (const double(*)[3])p->pos;
    out->radius = p->radius;
    out->depth = p->depth;
    out->charges = p->charges;
    out->hbond = p->hbond;
    return SHOAL_OK;
}

static shoal_status make_part(shoal_surface **out, const shoal_surface *whole, double z, bool above)
{
    part p = {0};
    shoal_surface_view v;
    shoal_status status = select_atoms(&p, &whole->view, z, above, &v);
    if (status == SHOAL_OK) status = surface_assemble(out, &v);
    arena_free(&p.memory);
    if (status != SHOAL_OK || whole->n_hbonds == 0) return status;
    const size_t n = (size_t)whole->n_hbonds;
    (*out)->hbonds = arena_alloc(&(*out)->memory, n, sizeof *whole->hbonds);
    if (!(*out)->hbonds) return SHOAL_E_MEMORY;
    memcpy((*out)->hbonds, whole->hbonds, n * sizeof *whole->hbonds);
    (*out)->n_hbonds = whole->n_hbonds;
    return SHOAL_OK;
}

shoal_status shoal_surface_split(const shoal_surface *surface, int32_t layers, shoal_surface **rest,
                                 shoal_surface **movable)
{
    shoal_clear_error();
    SHOAL_NEED(surface && rest && movable);
    int32_t n_layers;
    double z;
    *rest = *movable = NULL;
    if (surface->pairs)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "surface: its layers cannot move with a pair model, which says nothing of "
            "what holds a crystal together");
    if (strstr(surface->view.metals, "adsorption"))
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: parameters of metals that were fitted to "
                                            "adsorption push layers apart; those of "
                                            "UFF are made for all pairs (metals: uff)");
    SHOAL_TRY(find_layers(&surface->view, layers, &z, &n_layers));
    if (layers < 1 || layers >= n_layers)
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "surface: %d of its %d layer%s cannot move, expected 1 to %d: one must stay", layers,
            n_layers, n_layers == 1 ? "" : "s", n_layers - 1);
    SHOAL_TRY(check_charge(&surface->view, layers, z));
    SHOAL_TRY(check_atoms(&surface->view, z));
    shoal_status status = make_part(rest, surface, z, false);
    if (status == SHOAL_OK) status = make_part(movable, surface, z, true);
    if (status == SHOAL_OK) return status;
    shoal_surface_destroy(*rest);
    shoal_surface_destroy(*movable);
    *rest = *movable = NULL;
    return status;
}

/* The cell of the layers; a system that repeats must repeat with them. */
static shoal_status join_cell(const shoal_surface_view *v, shoal_molecule *mol)
{
    const double height = v->top - v->bottom + VACUUM;
    const double cell[3][3] = {{v->cell[0][0], v->cell[0][1], 0.0},
                               {v->cell[1][0], v->cell[1][1], 0.0},
                               {0.0, 0.0, height}};
    const bool pbc[3] = {true, true, false};
    if (!shoal_molecule_is_periodic(mol)) return shoal_molecule_set_cell(mol, cell, pbc);
    bool same = mol->pbc[0] && mol->pbc[1] && !mol->pbc[2];
    for (int k = 0; k < 2; ++k)
        for (int c = 0; c < 3; ++c) same = same && fabs(mol->cell[k][c] - cell[k][c]) <= SAME_CELL;
    if (same) return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "the system is periodic, but not in a and b with the cell of the movable layers");
}

/* Twice the radii, masses and labels, as topologies have them. */
static shoal_status join_topology(const shoal_surface_view *v, shoal_topology **topology)
{
    arena memory = {0};
    const size_t n = (size_t)v->n_atoms;
    const char **types = arena_alloc(&memory, n, sizeof *types);
    double *masses = arena_alloc(&memory, n, sizeof *masses);
    double *x = arena_alloc(&memory, n, sizeof *x);
    shoal_topology *joined = NULL;
    shoal_status status = types && masses && x ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t i = 0; i < v->n_atoms && status == SHOAL_OK; ++i) {
        int32_t n_types;
        const uff_type *type = uff_types_of(v->elements[i], &n_types);
        types[i] = type ? type->label : shoal_element_symbol(v->elements[i]);
        masses[i] = element_get(v->elements[i])->mass;
        x[i] = 2.0 * v->radius[i];
    }
    const topology_atoms more = {.n = v->n_atoms,
                                 .elements = v->elements,
                                 .types = types,
                                 .masses = masses,
                                 .x = x,
                                 .d = v->depth,
                                 .q = v->charges,
                                 .h = v->hbond,
                                 .pbc = {true, true, false}};
    if (status == SHOAL_OK) status = topology_append(&joined, *topology, &more);
    arena_free(&memory);
    if (status != SHOAL_OK) return status;
    shoal_topology_destroy(*topology);
    *topology = joined;
    return SHOAL_OK;
}

/* Nobody may look for bonds to the new atoms, or among them: what perception found is final. */
static void join_atoms(const shoal_surface_view *v, shoal_molecule *mol)
{
    const bool perceived = mol->perceived;
    for (int32_t i = 0; i < mol->n_atoms && !mol->has_charges; ++i) mol->charge[i] = 0.0;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        molecule_push_atom(mol, v->elements[i], v->pos[i]);
        mol->charge[mol->n_atoms - 1] = v->charges[i];
        mol->has_charges = mol->has_charges || v->charges[i] != 0.0;
    }
    mol->has_bonds = true;
    mol->perceived = mol->adopted = perceived;
}

shoal_status shoal_surface_join(const shoal_surface *movable, shoal_molecule *mol,
                                shoal_topology **topology)
{
    shoal_clear_error();
    SHOAL_NEED(movable && mol && topology && *topology);
    const shoal_surface_view *v = &movable->view;
    if (shoal_topology_status(*topology) != SHOAL_SYSTEM_OK)
        return shoal_fail(SHOAL_E_ARGUMENT, "movable layers: the system is not typed: %s",
                          shoal_topology_reason(*topology));
    SHOAL_TRY(molecule_reserve_atoms(mol, mol->n_atoms + v->n_atoms));
    SHOAL_TRY(join_cell(v, mol));
    SHOAL_TRY(join_topology(v, topology));
    join_atoms(v, mol);
    return SHOAL_OK;
}
