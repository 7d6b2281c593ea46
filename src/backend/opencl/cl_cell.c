/* SPDX-License-Identifier: BSD-3-Clause
 * Cells and the split of Coulomb sums. */
#include "backend/opencl/cl_cell.h"

#include <math.h>

#include "backend/ewald.h"

#define SHOAL_REAL double
#include "ewald_terms.h"
#include "pair_terms.h"

#define PI 3.14159265358979323846

/* Cost of an atom and a wave, in both directions, relative to that of a pair. */
#define COST_WAVE 0.6

/* No list has more neighbours than this for the sake of a Coulomb sum. */
#define MOST_NEIGHBOURS 4000.0

/* A sparse system in a huge cell takes a longer cut-off rather than more waves than this. */
#define MOST_WAVES 4e6

/* Room for a slab to grow before its waves have to be listed anew, angstrom. */
#define HEADROOM 10.0

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c)
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* Sets out to the unit vector normal to a and b. */
static void set_normal(const double a[3], const double b[3], double out[3])
{
    cross(a, b, out);
    const double length = sqrt(dot(out, out));
    for (int c = 0; c < 3; ++c) out[c] /= length;
}

/* Unit vectors for the directions that do not repeat. */
static void complete(cl_cell *cell)
{
    for (int k = 0; k < 3; ++k) {
        double *w = cell->a[k], *u = cell->a[(k + 1) % 3], *v = cell->a[(k + 2) % 3];
        if (cell->n_periodic == 0) w[k] = 1;
        if (cell->n_periodic == 2 && !cell->pbc[k]) set_normal(u, v, w);
        if (cell->n_periodic != 1 || !cell->pbc[k]) continue;
        int least = 0; /* the axis that makes the largest angle with w */
        for (int c = 1; c < 3; ++c)
            if (fabs(w[c]) < fabs(w[least])) least = c;
        const double axis[3] = {least == 0, least == 1, least == 2};
        set_normal(w, axis, u);
        set_normal(w, u, v);
    }
}

static double set_dual(const double a[3][3], double dual[3][3])
{
    double normal[3];
    cross(a[1], a[2], normal);
    const double det = dot(a[0], normal);
    for (int k = 0; k < 3; ++k) {
        cross(a[(k + 1) % 3], a[(k + 2) % 3], dual[k]);
        for (int c = 0; c < 3; ++c) dual[k][c] /= det;
    }
    return fabs(det);
}

void cl_cell_init(cl_cell *cell, const double vectors[3][3], const bool pbc[3])
{
    *cell = (cl_cell){0};
    for (int k = 0; k < 3; ++k) {
        cell->pbc[k] = pbc[k];
        cell->n_periodic += pbc[k];
        for (int c = 0; c < 3 && pbc[k]; ++c) cell->a[k][c] = vectors[k][c];
    }
    complete(cell);
    cell->measure = set_dual((const double(*)[3])cell->a, cell->dual);
}

double cl_cell_along(const cl_cell *cell, const double r[3], int k)
{
    return dot(r, cell->dual[k]);
}

/* The cell that waves repeat in. The gap leaves exp(-x2) of what the nearest images would do, which
 * falls as exp(-k z) for the longest waves in the plane. */
static void set_wave_cell(cl_ewald *e, const cl_cell *cell, double x2, double height)
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
                if (nu != 0 || nv != 0) k_least = fmin(k_least, 2 * PI * sqrt(dot(k, k)));
            }
        e->flat = 2 * PI / cell->measure;
        e->tall = height + HEADROOM;
        for (int c = 0; c < 3; ++c) a[normal][c] *= e->tall + x2 / k_least;
    }
    e->volume = set_dual((const double(*)[3])a, e->dual);
}

/* About how many waves a cut-off of r angstrom leaves. */
static double estimate_waves(const cl_ewald *e, double x2, double r)
{
    const double k = 2 * x2 / r;
    return e->volume * k * k * k / (12 * PI * PI);
}

/* Tries cut-offs and takes the one of the least work. */
static double choose_cutoff(const cl_ewald *e, double n, double x2, double density)
{
    double best = 0, least = INFINITY;
    const double most = fmax(8.0, cbrt(3 * MOST_NEIGHBOURS / (4 * PI * density)));
    for (double r = 6; r <= fmin(most, 60.0); r += 0.25) {
        const double work =
            n * (4.0 / 3 * PI * r * r * r * density) + COST_WAVE * n * estimate_waves(e, x2, r);
        if (work < least) {
            least = work;
            best = r;
        }
    }
    while (estimate_waves(e, x2, best) > MOST_WAVES) best *= 1.1;
    return best;
}

/* Lists all waves up to k_cut. A thin cell, or a slab so tall that its atoms look sparse, may have
 * none there: then the limit rises until there is one, for without any there would be no sum. */
static void set_waves(cl_ewald *e, double damping)
{
    double a[3][3];
    (void)set_dual((const double(*)[3])e->dual, a); /* back from the dual basis */
    for (;;) {
        for (int k = 0; k < 3; ++k)
            e->last[k] = (int32_t)floor(e->k_cut * sqrt(dot(a[k], a[k])) / (2 * PI));
        e->n_waves = cl_ewald_list(e, damping, NULL);
        if (e->n_waves > 0) return;
        e->k_cut *= 1.2;
    }
}

cl_ewald cl_ewald_choose(const cl_cell *cell, const shoal_topology_view *view,
                         const shoal_engine_options *options, double tolerance, double height)
{
    cl_ewald e = {0};
    double charge = 0, squares = 0, slope;
    for (int32_t i = 0; i < view->n_atoms; ++i) {
        charge += view->charges[i];
        squares += view->charges[i] * view->charges[i];
    }
    if (cell->n_periodic < 2 || squares == 0 || options->terms_off >> SHOAL_TERM_COULOMB & 1)
        return e;
    const double x2 = 4 - log(tolerance), n = view->n_atoms, damping = options->coulomb_damping;
    set_wave_cell(&e, cell, x2, height);
    const double room = cell->n_periodic == 3 ? e.volume : cell->measure * (height + 5);
    e.r_cut = choose_cutoff(&e, n, x2, n / room);
    e.alpha = sqrt(x2) / e.r_cut;
    e.k_cut = 2 * x2 / e.r_cut;
    e.constant =
        -0.5 * COULOMB_CONSTANT * squares * ewald_smooth(e.alpha, damping * damping, &slope);
    if (cell->n_periodic == 3)
        e.constant -= 0.5 * COULOMB_CONSTANT * charge * charge *
                      ewald_mean_sharp(e.alpha, damping) / e.volume;
    set_waves(&e, damping);
    return e;
}

static bool is_upper(const int32_t n[3])
{
    return n[0] > 0 || (n[0] == 0 && (n[1] > 0 || (n[1] == 0 && n[2] > 0)));
}

/* Of slabs, waves along the normal belong to the part that is summed over pairs. */
static bool is_along_normal(const cl_ewald *e, const cl_wave *w)
{
    return e->flat > 0 && w->n[(e->normal + 1) % 3] == 0 && w->n[(e->normal + 2) % 3] == 0;
}

int32_t cl_ewald_list(const cl_ewald *e, double damping, cl_wave *waves)
{
    int32_t count = 0;
    cl_wave w;
    for (w.n[0] = 0; w.n[0] <= e->last[0]; ++w.n[0])
        for (w.n[1] = -e->last[1]; w.n[1] <= e->last[1]; ++w.n[1])
            for (w.n[2] = -e->last[2]; w.n[2] <= e->last[2]; ++w.n[2]) {
                for (int c = 0; c < 3; ++c)
                    w.k[c] =
                        2 * PI *
                        (w.n[0] * e->dual[0][c] + w.n[1] * e->dual[1][c] + w.n[2] * e->dual[2][c]);
                const double k2 = dot(w.k, w.k);
                if (!is_upper(w.n) || k2 > e->k_cut * e->k_cut || is_along_normal(e, &w)) continue;
                if (waves) {
                    w.weight = ewald_transform(e->alpha, damping, k2) / e->volume;
                    waves[count] = w;
                }
                ++count;
            }
    return count;
}
