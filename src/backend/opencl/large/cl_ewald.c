/* SPDX-License-Identifier: BSD-3-Clause
 * How Coulomb sums are split between images and k-vectors. */
#include "backend/opencl/large/cl_ewald.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cl/cl_real.h"
#include "large_layout.h"

#define SHOAL_REAL double
#include "ewald_terms.h"
#include "geom/vector.h"
#include "pair_terms.h"

#include "constants.h"

/* Cost of an atom and a k-vector, in both directions, relative to that of a pair. */
#define COST_KVEC 0.6

/* Longer lines find no room in local memory. */
static const ewald_costs costs = {EWALD_COSTS, .most = LARGE_LINE};

/* No list has more neighbours than this for the sake of a Coulomb sum. */
#define MOST_NEIGHBOURS 4000.0

/* A sparse system in a huge cell takes a longer cut-off rather than more k-vectors than this. */
#define MOST_KVECS 4e6

/* Room for a slab to grow before its k-vectors have to be listed anew, angstrom. */
#define HEADROOM 10.0

static double set_dual(const double a[3][3], double dual[3][3])
{
    double normal[3];
    vector_cross(a[1], a[2], normal);
    const double det = vector_dot(a[0], normal);
    for (int k = 0; k < 3; ++k) {
        vector_cross(a[(k + 1) % 3], a[(k + 2) % 3], dual[k]);
        for (int c = 0; c < 3; ++c) dual[k][c] /= det;
    }
    return fabs(det);
}

/* The cell that k-vectors repeat in. The gap leaves exp(-x2) of what the nearest images would do, which
 * falls as exp(-k z) for the longest k-vectors in the plane. */
static void set_kvec_cell(cl_ewald *e, const geom_lattice *cell, double x2, double height)
{
    double a[3][3], k_least = INFINITY;
    for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) a[k][c] = cell->a[k][c];
    if (cell->n_periodic == 2) {
        const int normal = e->normal = !cell->pbc[0] ? 0 : !cell->pbc[1] ? 1 : 2;
        const double *u = cell->dual[(normal + 1) % 3], *v = cell->dual[(normal + 2) % 3];
        for (int nu = -8; nu <= 8; ++nu)
            for (int nv = -8; nv <= 8; ++nv) {
                const double k[3] = {nu * u[0] + nv * v[0], nu * u[1] + nv * v[1],
                                     nu * u[2] + nv * v[2]};
                if (nu != 0 || nv != 0) k_least = fmin(k_least, 2 * PI * sqrt(vector_dot(k, k)));
            }
        e->slab = 2 * PI / cell->measure;
        e->tall = height + HEADROOM;
        for (int c = 0; c < 3; ++c) a[normal][c] *= e->tall + x2 / k_least;
    }
    e->volume = set_dual((const double(*)[3])a, e->dual);
}

/* About how many k-vectors a cut-off of r angstrom leaves. */
static double estimate_kvecs(const cl_ewald *e, double x2, double r)
{
    const double k = 2 * x2 / r;
    return e->volume * k * k * k / (12 * PI * PI);
}

/* Tries cut-offs and takes the one of the least work, in pairs. */
static double choose_cutoff(const cl_ewald *e, double n, double x2, double density, double *least)
{
    double best = 0;
    *least = INFINITY;
    const double most = fmax(8.0, cbrt(3 * MOST_NEIGHBOURS / (4 * PI * density)));
    for (double r = 6; r <= fmin(most, 60.0); r += 0.25) {
        const double work =
            n * (4.0 / 3 * PI * r * r * r * density) + COST_KVEC * n * estimate_kvecs(e, x2, r);
        if (work < *least) {
            *least = work;
            best = r;
        }
    }
    while (estimate_kvecs(e, x2, best) > MOST_KVECS) best *= 1.1;
    return best;
}

/* Lists all k-vectors up to k_cut. A thin cell, or a slab so tall that its atoms look sparse, may have
 * none there: then the limit rises until there is one, for without any there would be no sum. */
static void set_kvecs(cl_ewald *e, double damping)
{
    double a[3][3];
    (void)set_dual((const double(*)[3])e->dual, a); /* back from the dual basis */
    for (;;) {
        for (int k = 0; k < 3; ++k)
            e->last[k] = (int32_t)floor(e->k_cut * sqrt(vector_dot(a[k], a[k])) / (2 * PI));
        e->n_kvecs = cl_ewald_list(e, damping, NULL);
        if (e->n_kvecs > 0) return;
        e->k_cut *= 1.2;
    }
}

/* Cut-off of the plain sum or of the mesh, whichever of the two it is to be. */
static void set_cutoff(cl_ewald *e, const geom_lattice *cell, double n, double room,
                       const shoal_engine_options *options, double tolerance)
{
    double plain_cost;
    geom_lattice basis;
    e->r_cut = choose_cutoff(e, n, 4 - log(tolerance), n / room, &plain_cost);
    if (cell->n_periodic != 3) return;
    (void)lattice_init_reduced(&basis, cell->a, cell->pbc);
    e->mesh = ewald_mesh_decide(options->ewald, &basis, (int32_t)n, tolerance, &costs, plain_cost);
    if (!e->mesh.n[0]) return;
    e->r_cut = e->mesh.r_cut;
    memcpy(e->dual, basis.dual, sizeof e->dual);
}

bool cl_ewald_has_mesh(const geom_lattice *cell, const shoal_topology_view *view,
                       const shoal_engine_options *options, double tolerance)
{
    cl_ewald e = {0};
    if (cell->n_periodic != 3 || !view->has_charges) return false;
    set_kvec_cell(&e, cell, 4 - log(tolerance), 0);
    set_cutoff(&e, cell, view->n_atoms + view->n_sites, e.volume, options, tolerance);
    return e.mesh.n[0] > 0;
}

cl_ewald cl_ewald_choose(const geom_lattice *cell, const shoal_topology_view *view,
                         const shoal_engine_options *options, double damping, double tolerance,
                         double height, bool is_float)
{
    cl_ewald e = {0};
    double charge = 0, squares = 0, slope;
    for (int32_t i = 0; i < view->n_atoms + view->n_sites; ++i) {
        charge += view->charges[i];
        squares += view->charges[i] * view->charges[i];
    }
    if (cell->n_periodic < 1 || squares == 0 || options->terms_off >> SHOAL_TERM_COULOMB & 1)
        return e;
    const double x2 = 4 - log(tolerance), n = view->n_atoms + view->n_sites;
    if (cell->n_periodic == 1) {
        e.chain = ewald_chain_choose(cell->measure, tolerance, is_float);
        e.alpha = e.chain.alpha;
        e.r_cut = e.chain.r_cut;
        e.constant = 0.5 * COULOMB_CONSTANT *
                     (charge * charge * e.chain.offset -
                      squares * ewald_erf(e.alpha, damping * damping, &slope));
        return e;
    }
    set_kvec_cell(&e, cell, x2, height);
    const double room = cell->n_periodic == 3 ? e.volume : cell->measure * (height + 5);
    set_cutoff(&e, cell, n, room, options, tolerance);
    e.alpha = sqrt(x2) / e.r_cut;
    e.k_cut = 2 * x2 / e.r_cut;
    e.constant = -0.5 * COULOMB_CONSTANT * squares * ewald_erf(e.alpha, damping * damping, &slope);
    if (cell->n_periodic == 3)
        e.constant -=
            0.5 * COULOMB_CONSTANT * charge * charge * ewald_mean_erfc(e.alpha, damping) / e.volume;
    if (!e.mesh.n[0]) set_kvecs(&e, damping);
    return e;
}

shoal_status cl_ewald_weigh_modes(const cl_ewald *e, const geom_lattice *cell, double damping,
                                  bool is_double, void *out)
{
    const int32_t *n = e->mesh.n;
    double *moduli[3] = {NULL, NULL, NULL}, k[3];
    geom_lattice basis;
    (void)lattice_init_reduced(&basis, cell->a, cell->pbc);
    shoal_status status = SHOAL_OK;
    for (int a = 0; a < 3; ++a) {
        moduli[a] = shoal_alloc((size_t)n[a], sizeof(double));
        if (!moduli[a]) status = SHOAL_E_MEMORY;
        if (moduli[a]) ewald_mesh_moduli(n[a], e->mesh.order, moduli[a]);
    }
    size_t at = 0;
    for (int32_t m0 = 0; m0 < n[0] && status == SHOAL_OK; ++m0)
        for (int32_t m1 = 0; m1 < n[1]; ++m1)
            for (int32_t m2 = 0; m2 < n[2] / 2; ++m2, at += 2) {
                double size = moduli[0][m0] * moduli[1][m1] * moduli[2][m2] / e->volume;
                if (!ewald_mesh_kvec(&basis, n, (const int32_t[3]){m0, m1, m2}, k)) size = 0;
                const double k2 = size > 0 ? vector_dot(k, k) : 1;
                cl_real_set(is_double, out, at, size * ewald_transform(e->alpha, damping, k2));
                cl_real_set(is_double, out, at + 1,
                            size * ewald_transform_slope(e->alpha, damping, k2));
            }
    for (int a = 0; a < 3; ++a) free(moduli[a]);
    return status;
}

static bool is_upper(const int32_t n[3])
{
    return n[0] > 0 || (n[0] == 0 && (n[1] > 0 || (n[1] == 0 && n[2] > 0)));
}

/* Of slabs, k-vectors along the normal belong to the part that is summed over pairs. */
static bool is_along_normal(const cl_ewald *e, const cl_kvec *w)
{
    return e->slab > 0 && w->n[(e->normal + 1) % 3] == 0 && w->n[(e->normal + 2) % 3] == 0;
}

int32_t cl_ewald_list(const cl_ewald *e, double damping, cl_kvec *kvecs)
{
    int32_t count = 0;
    cl_kvec w;
    for (w.n[0] = 0; w.n[0] <= e->last[0]; ++w.n[0])
        for (w.n[1] = -e->last[1]; w.n[1] <= e->last[1]; ++w.n[1])
            for (w.n[2] = -e->last[2]; w.n[2] <= e->last[2]; ++w.n[2]) {
                for (int c = 0; c < 3; ++c)
                    w.k[c] =
                        2 * PI *
                        (w.n[0] * e->dual[0][c] + w.n[1] * e->dual[1][c] + w.n[2] * e->dual[2][c]);
                const double k2 = vector_dot(w.k, w.k);
                if (!is_upper(w.n) || k2 > e->k_cut * e->k_cut || is_along_normal(e, &w)) continue;
                if (kvecs) {
                    w.weight = ewald_transform(e->alpha, damping, k2) / e->volume;
                    kvecs[count] = w;
                }
                ++count;
            }
    return count;
}
