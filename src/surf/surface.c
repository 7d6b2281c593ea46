/* SPDX-License-Identifier: BSD-3-Clause
 * Surfaces: made from a molecule with a cell, frozen, counted, and looked at. */
#include "surf/surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "ff/topology.h"
#include "surf/metals.h"
#include "surf/surface_sum.h"

#include "constants.h"

#define IN_PLANE 1e-6 /* largest slope of a and b against the xy plane */
#define FLAT 1e-6     /* smallest sine of the angle between a and b */
#define ALPHA_MIN 0.2 /* 1/angstrom: a softer wall would reach across hundreds of angstrom */
#define RASTER 0.4    /* angstrom, of the search for the lowest terrace */
#define SHADE 1.25    /* an atom shades a disc of this many radii: hollow sites lie within */

const char *shoal_channel_name(int channel)
{
    static const char *const names[SHOAL_N_CHANNELS] = {
        "pauli",    "london",   "coulomb",  "acceptor", "donor",    "pauli2",   "london2",
        "pauli3",   "london3",  "pauli4",   "london4",  "pauli5",   "london5",  "pauli6",
        "london6",  "pauli7",   "london7",  "pauli8",   "london8",  "pauli9",   "london9",
        "pauli10",  "london10", "pauli11",  "london11", "pauli12",  "london12", "pauli13",
        "london13", "pauli14",  "london14", "pauli15",  "london15", "pauli16",  "london16"};
    return channel >= 0 && channel < SHOAL_N_CHANNELS ? names[channel] : NULL;
}

static shoal_status take_cell(shoal_surface *s, const shoal_molecule *mol)
{
    double cell[3][3];
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    if (!pbc[0] || !pbc[1])
        return shoal_fail(
            SHOAL_E_ARGUMENT,
            "surface: the cell vectors a and b must both be periodic (pbc is %c %c %c)",
            pbc[0] ? 'T' : 'F', pbc[1] ? 'T' : 'F', pbc[2] ? 'T' : 'F');
    double length[2];
    for (int k = 0; k < 2; ++k) {
        length[k] = hypot(hypot(cell[k][0], cell[k][1]), cell[k][2]);
        if (!(fabs(cell[k][2]) <= IN_PLANE * length[k]))
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "surface: the cell vector %c = (%g, %g, %g) must lie in the xy plane; "
                "turn the substrate so that z points away from it",
                'a' + k, cell[k][0], cell[k][1], cell[k][2]);
        s->view.cell[k][0] = cell[k][0];
        s->view.cell[k][1] = cell[k][1];
    }
    const double area = fabs(cell[0][0] * cell[1][1] - cell[0][1] * cell[1][0]);
    if (!isfinite(area) || !(area > FLAT * length[0] * length[1]))
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: the cell vectors a and b span no area");
    return SHOAL_OK;
}

static shoal_status take_atoms(shoal_surface *s, const shoal_molecule *mol)
{
    const int32_t n = shoal_molecule_n_atoms(mol);
    const size_t size = (size_t)n;
    if (n == 0) return shoal_fail(SHOAL_E_ARGUMENT, "surface: there are no atoms");
    int32_t *elements = arena_alloc(&s->memory, size, sizeof *elements);
    double(*pos)[3] = arena_alloc(&s->memory, size, sizeof *pos);
    s->weight = arena_alloc(&s->memory, size, sizeof *s->weight);
    if (!elements || !pos || !s->weight) return SHOAL_E_MEMORY;
    memcpy(elements, shoal_molecule_elements(mol), size * sizeof *elements);
    memcpy(pos, shoal_molecule_positions(mol), size * sizeof *pos);
    s->view.n_atoms = n;
    s->view.elements = elements;
    s->view.pos = (const double(*)[3])pos;
    for (int32_t i = 0; i < n; ++i)
        if (!isfinite(pos[i][0]) || !isfinite(pos[i][1]) || !isfinite(pos[i][2]))
            return shoal_fail(SHOAL_E_ARGUMENT, "surface: the position of atom %d is not finite",
                              i);
    return SHOAL_OK;
}

/* Keeps what a pair model says of pairs; its types are looked up elsewhere. */
static shoal_status take_pairs(shoal_surface *s, const shoal_pair_settings *settings)
{
    surface_pairs *pairs = arena_alloc(&s->memory, 1, sizeof *pairs);
    if (!pairs) return SHOAL_E_MEMORY;
    SHOAL_TRY(surface_pairs_make(pairs, settings));
    s->pairs = pairs;
    s->view.pairs = &pairs->settings;
    s->view.damping = settings->coulomb == SHOAL_COULOMB_DAMPED ? settings->coulomb_damping : 0.0;
    return SHOAL_OK;
}

static shoal_status check_metals(const shoal_surface_options *options)
{
    if (options->metals != SHOAL_METALS_ADSORPTION && options->metals != SHOAL_METALS_UFF)
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: unknown parameters of metals %d",
                          (int)options->metals);
    if (options->metals == SHOAL_METALS_ADSORPTION || (!options->model && !options->types))
        return SHOAL_OK;
    return shoal_fail(
        SHOAL_E_ARGUMENT,
        "surface: UFF's parameters of metals contradict those of a table or pair model");
}

static shoal_status take_options(shoal_surface *s, const shoal_surface_options *options)
{
    shoal_surface_view *v = &s->view;
    SHOAL_TRY(check_metals(options));
    if (options->model) {
        if (options->form != 0 || options->alpha != 0.0 || options->damping != 0.0 ||
            options->no_hbonds || options->types)
            return shoal_fail(
                SHOAL_E_ARGUMENT,
                "surface: form, alpha, damping, hydrogen bonds and types are those of "
                "the pair model: nothing else may say what they are");
        return take_pairs(s, shoal_pair_model_settings(options->model));
    }
    v->form = options->form;
    if (v->form != SHOAL_SURFACE_MORSE && v->form != SHOAL_SURFACE_LJ)
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: unknown form %d", (int)v->form);
    v->alpha = options->alpha == 0.0 ? 1.5 : options->alpha;
    if (!(v->alpha >= ALPHA_MIN && v->alpha <= 10.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: alpha is %g, expected %g to 10", v->alpha,
                          ALPHA_MIN);
    if (v->form == SHOAL_SURFACE_LJ) v->alpha = 0.0;
    v->damping = options->damping;
    if (!(v->damping >= 0.0 && v->damping <= 10.0))
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: damping is %g, expected 0 to 10", v->damping);
    return SHOAL_OK;
}

/* Signs and factors so that a weight times its pair function is the energy of the channel. */
static shoal_status weigh(shoal_surface *s)
{
    shoal_surface_view *v = &s->view;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        const double e = sqrt(v->depth[i]), R = v->radius[i], h = v->hbond[i];
        const bool morse = v->form == SHOAL_SURFACE_MORSE;
        double *w = s->weight[i];
        w[SHOAL_CHANNEL_P] = e * (morse ? exp(2.0 * v->alpha * R) : pow(R, 6));
        w[SHOAL_CHANNEL_L] = -2.0 * e * (morse ? exp(v->alpha * R) : pow(R, 3));
        w[SHOAL_CHANNEL_Q] = COULOMB_CONSTANT * v->charges[i];
        w[SHOAL_CHANNEL_ACCEPTOR] = h < 0.0 ? h * w[SHOAL_CHANNEL_P] : 0.0;
        w[SHOAL_CHANNEL_DONOR] = h > 0.0 ? h * w[SHOAL_CHANNEL_P] : 0.0;
        for (int c = 0; c < SHOAL_N_CHANNELS; ++c) {
            v->has_channel[c] |= w[c] != 0.0;
            if (!isfinite(w[c]))
                return shoal_fail(SHOAL_E_ARGUMENT,
                                  "surface: atom %d: its R of %g and D of %g make no finite energy",
                                  i, R, v->depth[i]);
        }
    }
    return SHOAL_OK;
}

void shoal_surface_weights(const shoal_surface *surface, const shoal_probe *probe,
                           double weights[SHOAL_N_CHANNELS])
{
    if (!weights) return;
    memset(weights, 0, SHOAL_N_CHANNELS * sizeof *weights);
    if (!surface || !probe) return;
    if (surface->pairs) {
        surface_pairs_weigh(surface, probe, weights);
        return;
    }
    const double e = sqrt(probe->depth), R = probe->radius, alpha = surface->view.alpha;
    const bool morse = surface->view.form == SHOAL_SURFACE_MORSE;
    const double P = e * (morse ? exp(2.0 * alpha * R) : 4096.0 * pow(R, 6));
    weights[SHOAL_CHANNEL_P] = P;
    weights[SHOAL_CHANNEL_L] = e * (morse ? exp(alpha * R) : 64.0 * pow(R, 3));
    weights[SHOAL_CHANNEL_Q] = probe->charge;
    weights[SHOAL_CHANNEL_ACCEPTOR] = probe->hbond > 0.0 ? probe->hbond * P : 0.0;
    weights[SHOAL_CHANNEL_DONOR] = probe->hbond < 0.0 ? probe->hbond * P : 0.0;
}

/* Height of the highest atom above each point of a raster over the cell: atom i raises the points
 * of its disc. */
static void raise(const shoal_surface_view *v, int32_t i, const int32_t n[2], double *height)
{
    const double(*c)[2] = v->cell;
    const double det = c[0][0] * c[1][1] - c[0][1] * c[1][0], reach = SHADE * metals_size(v, i);
    const double dual[2][2] = {{c[1][1] / det, -c[1][0] / det}, {-c[0][1] / det, c[0][0] / det}};
    int32_t first[2], last[2];
    double f[2];
    for (int k = 0; k < 2; ++k) {
        f[k] = dual[k][0] * v->pos[i][0] + dual[k][1] * v->pos[i][1];
        f[k] -= floor(f[k]);
        const double half = reach * hypot(dual[k][0], dual[k][1]);
        first[k] = (int32_t)ceil((f[k] - half) * n[k]);
        last[k] = (int32_t)floor((f[k] + half) * n[k]);
    }
    for (int32_t p = first[0]; p <= last[0]; ++p)
        for (int32_t q = first[1]; q <= last[1]; ++q) {
            const double u = (double)p / n[0] - f[0], w = (double)q / n[1] - f[1];
            const double x = u * c[0][0] + w * c[1][0], y = u * c[0][1] + w * c[1][1];
            if (x * x + y * y > reach * reach) continue;
            const int32_t a = ((p % n[0]) + n[0]) % n[0], b = ((q % n[1]) + n[1]) % n[1];
            double *h = &height[a * n[1] + b];
            *h = fmax(*h, v->pos[i][2]);
        }
}

/* The lowest terrace; points that no atom shades are holes and do not count. */
static shoal_status find_floor(shoal_surface *s)
{
    shoal_surface_view *v = &s->view;
    int32_t n[2];
    for (int k = 0; k < 2; ++k) {
        const double points = ceil(hypot(v->cell[k][0], v->cell[k][1]) / RASTER);
        n[k] = points < 4096.0 ? (int32_t)points : 4096;
    }
    double *height = shoal_alloc((size_t)n[0] * (size_t)n[1], sizeof *height);
    if (!height) return SHOAL_E_MEMORY;
    for (int32_t p = 0; p < n[0] * n[1]; ++p) height[p] = -INFINITY;
    for (int32_t i = 0; i < v->n_atoms; ++i) raise(v, i, n, height);
    v->floor = v->top;
    for (int32_t p = 0; p < n[0] * n[1]; ++p)
        if (height[p] > -INFINITY) v->floor = fmin(v->floor, height[p]);
    free(height);
    return SHOAL_OK;
}

uint64_t surface_hash(const shoal_surface_view *v)
{
    const size_t n = (size_t)v->n_atoms;
    const double numbers[3] = {(double)v->form, v->alpha, v->damping};
    uint64_t h = hash_bytes(HASH_START, v->elements, n * sizeof *v->elements);
    h = hash_bytes(h, v->pos, n * sizeof *v->pos);
    h = hash_bytes(h, v->radius, n * sizeof *v->radius);
    h = hash_bytes(h, v->depth, n * sizeof *v->depth);
    h = hash_bytes(h, v->charges, n * sizeof *v->charges);
    h = hash_bytes(h, v->hbond, n * sizeof *v->hbond);
    h = hash_bytes(h, v->cell, sizeof v->cell);
    h = hash_bytes(h, numbers, sizeof numbers);
    if (!v->pairs) return h;
    double model[SURFACE_PAIR_NUMBERS];
    surface_pair_numbers(v->pairs, model);
    return hash_bytes(h, model, sizeof model);
}

/* What follows from the atoms, their parameters and the cell. */
static shoal_status finish(shoal_surface *s)
{
    shoal_surface_view *v = &s->view;
    v->area = fabs(v->cell[0][0] * v->cell[1][1] - v->cell[0][1] * v->cell[1][0]);
    v->top = v->bottom = v->pos[0][2];
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        v->top = fmax(v->top, v->pos[i][2]);
        v->bottom = fmin(v->bottom, v->pos[i][2]);
    }
    SHOAL_TRY(s->pairs ? surface_find_kinds(s) : weigh(s));
    SHOAL_TRY(metals_name(v, &v->metals));
    v->hash = surface_hash(v);
    SHOAL_TRY(find_floor(s));
    SHOAL_TRY(surface_sum_create(&s->sum, s, SURFACE_TOLERANCE));
    return surface_sum_create(&s->coarse, s, SURFACE_TOLERANCE_FLOAT);
}

static shoal_status build(shoal_surface *s, const shoal_molecule *mol,
                          const shoal_surface_options *options)
{
    SHOAL_TRY(take_options(s, options));
    SHOAL_TRY(take_cell(s, mol));
    SHOAL_TRY(take_atoms(s, mol));
    SHOAL_TRY(surface_parameterise(s, mol, options));
    return finish(s);
}

shoal_status shoal_surface_create(shoal_surface **out, const shoal_molecule *mol,
                                  const shoal_surface_options *options)
{
    shoal_clear_error();
    static const shoal_surface_options defaults = {0};
    if (!out || !mol)
        return shoal_fail(SHOAL_E_ARGUMENT, "surface: no molecule or no place for it");
    *out = NULL;
    shoal_surface *s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->references = 1;
    const shoal_status status = build(s, mol, options ? options : &defaults);
    if (status != SHOAL_OK) {
        shoal_surface_destroy(s);
        return status;
    }
    *out = s;
    return SHOAL_OK;
}

static void *keep(shoal_surface *s, const void *data, size_t size)
{
    void *copy = arena_alloc(&s->memory, (size_t)s->view.n_atoms, size);
    if (copy) memcpy(copy, data, (size_t)s->view.n_atoms * size);
    return copy;
}

static shoal_status assemble(shoal_surface *s, const shoal_surface_view *view)
{
    shoal_surface_view *v = &s->view;
    *v = *view;
    memset(v->has_channel, 0, sizeof v->has_channel);
    if (view->pairs) SHOAL_TRY(take_pairs(s, view->pairs));
    v->elements = keep(s, view->elements, sizeof *v->elements);
    v->pos = keep(s, view->pos, sizeof *v->pos);
    v->radius = keep(s, view->radius, sizeof *v->radius);
    v->depth = keep(s, view->depth, sizeof *v->depth);
    v->charges = keep(s, view->charges, sizeof *v->charges);
    v->hbond = keep(s, view->hbond, sizeof *v->hbond);
    s->weight = arena_alloc(&s->memory, (size_t)v->n_atoms, sizeof *s->weight);
    if (!v->elements || !v->pos || !v->radius || !v->depth || !v->charges || !v->hbond ||
        !s->weight)
        return SHOAL_E_MEMORY;
    return finish(s);
}

shoal_status surface_assemble(shoal_surface **out, const shoal_surface_view *view)
{
    *out = NULL;
    shoal_surface *s = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    s->references = 1;
    const shoal_status status = assemble(s, view);
    if (status != SHOAL_OK) {
        shoal_surface_destroy(s);
        return status;
    }
    *out = s;
    return SHOAL_OK;
}

shoal_surface *shoal_surface_retain(shoal_surface *surface)
{
    if (surface) (void)__atomic_add_fetch(&surface->references, 1, __ATOMIC_RELAXED);
    return surface;
}

void shoal_surface_destroy(shoal_surface *surface)
{
    if (!surface || __atomic_sub_fetch(&surface->references, 1, __ATOMIC_ACQ_REL) > 0) return;
    surface_sum_destroy(surface->sum);
    surface_sum_destroy(surface->coarse);
    arena_free(&surface->memory);
    free(surface);
}

void shoal_surface_get(const shoal_surface *surface, shoal_surface_view *view)
{
    if (view) *view = surface ? surface->view : (shoal_surface_view){.metals = ""};
}

const char *shoal_surface_form_name(const shoal_surface *surface)
{
    if (!surface) return "";
    if (surface->view.pairs) return shoal_pair_form_name((int)surface->view.pairs->form);
    return surface->view.form == SHOAL_SURFACE_LJ ? "lj" : "morse";
}

#define CHARGED_SURFACE                                                                            \
    "the surface has charges and the molecule has none (charge equilibration gives it some)"
#define CHARGED_MOLECULE "the molecule has charges and the surface has none (it can be given some)"
#define METALS_OF_UFF                                                                              \
    "the surface is a metal with UFF's parameters, which bind molecules several times too weakly " \
    "or too strongly"

#define CARBON_OF_UFF                                                                              \
    "the surface is carbon with UFF's parameters, which bind molecules to graphene and graphite "  \
    "1.4 to 1.8 times as strongly as measured"

static bool is_carbon_of_uff(const shoal_surface_view *v)
{
    int32_t n, i = 0;
    const uff_type *type = uff_types_of(6, &n);
    while (i < v->n_atoms && v->elements[i] == 6 && v->radius[i] == 0.5 * type->x1 &&
           v->depth[i] == KCAL_EV * type->d1)
        ++i;
    return i == v->n_atoms;
}

const char *shoal_surface_warning(const shoal_surface *surface, const shoal_topology *topology)
{
    return surface ? surface_warning(surface, surface->view.has_channel[SHOAL_CHANNEL_Q], topology)
                   : "";
}

const char *surface_warning(const shoal_surface *surface, bool charged,
                            const shoal_topology *topology)
{
    shoal_topology_view t;
    bool molecule = false, mixed = false;
    if (shoal_topology_status(topology) != SHOAL_SYSTEM_OK) return "";
    const shoal_surface_view *v = &surface->view;
    const bool uff = strstr(v->metals, "uff") != NULL;
    shoal_topology_get(topology, &t);
    for (int32_t i = 0; i < t.n_atoms; ++i) molecule |= t.charges[i] != 0.0;
    for (int32_t i = 1; i < v->n_atoms; ++i) mixed |= v->elements[i] != v->elements[0];
    if (charged && !molecule) return uff ? CHARGED_SURFACE "; " METALS_OF_UFF : CHARGED_SURFACE;
    if (molecule && mixed && !charged)
        return uff ? CHARGED_MOLECULE "; " METALS_OF_UFF : CHARGED_MOLECULE;
    if (is_carbon_of_uff(v)) return CARBON_OF_UFF;
    return uff ? METALS_OF_UFF : "";
}

double surface_hbond_of(const shoal_surface *surface, const shoal_topology_view *view, int32_t i)
{
    if (view->hbonds) return view->hbonds[i];
    const char *label = view->types[i];
    for (int32_t k = 0; k < surface->n_hbonds; ++k)
        if (strcmp(surface->hbonds[k].label, label) == 0) return surface->hbonds[k].h;
    return 0.0;
}

void surface_atom_weights(const shoal_surface *surface, const shoal_topology_view *view, int32_t i,
                          double weights[SHOAL_N_CHANNELS])
{
    const shoal_probe probe = {.radius = 0.5 * view->vdw_x[i],
                               .depth = view->vdw_d[i],
                               .charge = view->charges[i],
                               .hbond = surface_hbond_of(surface, view, i)};
    shoal_surface_weights(surface, &probe, weights);
}

void surface_atom_numbers(const shoal_surface *surface, const shoal_topology_view *view, int32_t i,
                          double numbers[PAIR_NUMBERS])
{
    numbers[PAIR_RADIUS] = 0.5 * view->vdw_x[i];
    numbers[PAIR_ROOT_D] = sqrt(view->vdw_d[i]);
    numbers[PAIR_CHARGE] = view->charges[i];
    numbers[PAIR_H] = surface_hbond_of(surface, view, i);
    numbers[PAIR_NUMBERS - 1] = 0.0;
}
