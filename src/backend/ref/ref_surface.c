/* SPDX-License-Identifier: BSD-3-Clause
 * Interactions with a rigid substrate, one pair of atoms after the other, over all images.
 *
 * Morse pairs are summed until exp(-alpha r) is below 4e-18. Of 1/r^2n the part
 * exp(-x) sum_k<n x^k/k! / r^2n, x = (eta r)^2, is summed over images; the rest is so smooth, eta
 * being small against the cell, that its mean over the plane is all of it:
 *   pi/(n-1) [1 - exp(-x) sum_k<n-1 x^k/k!] / z^(2n-2) / area,  x = (eta z)^2.
 * Charges: ref_slab.c. */
#include "backend/ref/ref.h"
#include "surf/surface.h"

#include "constants.h"

#define MORSE_RANGE 40.0 /* in 1/alpha */
#define SMOOTH 6.0       /* exp(-SMOOTH^2) is what the nearest k-vector is worth */
#define EWALD_X 5.6      /* exp(-x^2): the tolerance of the charges, 2e-14 */

typedef struct substrate {
    shoal_surface_view view;
    ref_lattice lattice;
    ref_slab slab;
    double r_cut;       /* of the charges, angstrom */
    double eta, lj_cut; /* of the Lennard-Jones form */
} substrate;

/* One atom of the molecule and one of the substrate; energy and gradient grow. */
typedef struct surface_pair {
    const substrate *s;
    double r0, e0, wall, qq; /* wall = 1 + H */
    double energy;
    v3 grad;
} surface_pair;

/* Length of the shortest reciprocal vector, 1/angstrom: the longer of two is shortened by the other
 * as long as that helps (Gauss). */
static double shortest_kvec(const ref_lattice *lattice)
{
    v3 p = lattice->b[0], q = lattice->b[1];
    for (;;) {
        if (v3_dot(q, q) < v3_dot(p, p)) {
            const v3 swap = p;
            p = q;
            q = swap;
        }
        const double n = round(v3_dot(p, q) / v3_dot(p, p));
        const v3 shorter = v3_sub(q, v3_scale(n, p));
        if (!(v3_dot(shorter, shorter) < v3_dot(q, q))) return 2.0 * PI * v3_length(p);
        q = shorter;
    }
}

static void prepare(substrate *s, const shoal_surface *surface)
{
    shoal_surface_get(surface, &s->view);
    const double(*c)[2] = (const double(*)[2])s->view.cell;
    const double cell[3][3] = {{c[0][0], c[0][1], 0.0}, {c[1][0], c[1][1], 0.0}, {0.0, 0.0, 1.0}};
    const bool pbc[3] = {true, true, false};
    (void)ref_lattice_init(&s->lattice, cell, pbc);
    const double alpha = 1.7 / sqrt(s->view.area);
    const ref_ewald ewald = {alpha, EWALD_X / alpha, 2.0 * alpha * EWALD_X};
    s->slab = ref_slab_of(&s->lattice, &ewald, s->view.damping);
    s->r_cut = ewald.r_cut;
    s->eta = shortest_kvec(&s->lattice) / (2.0 * SMOOTH);
    s->lj_cut = (SMOOTH + 0.5) / s->eta;
}

static void add(surface_pair *p, double energy, double slope, v3 d)
{
    p->energy += energy;
    p->grad = v3_add(p->grad, v3_scale(slope, d));
}

static void morse_image(void *user, const int32_t shift[3], v3 d)
{
    surface_pair *p = user;
    (void)shift;
    const double r = v3_length(d), alpha = p->s->view.alpha, e = exp(-alpha * (r - p->r0));
    const double slope = -2.0 * alpha * p->e0 * (p->wall * e * e - e);
    add(p, p->e0 * (p->wall * e * e - 2.0 * e), r > REF_COINCIDENT ? slope / r : 0.0, d);
}

/* (R/r)^2n times exp(-x) sum_k<n x^k/k!; *slope is (df/dr)/r. */
static double split_power(double r0, int n, double eta, double r2, double *slope)
{
    const double x = eta * eta * r2, u = pow(r0 * r0 / r2, n);
    double sum = 0.0, term = 1.0;
    for (int k = 0; k < n; ++k, term *= x / k) sum += term; /* term ends as x^n/n! */
    *slope = -2.0 * n * u * exp(-x) * (sum + term) / r2;
    return u * exp(-x) * sum;
}

static void lj_image(void *user, const int32_t shift[3], v3 d)
{
    surface_pair *p = user;
    (void)shift;
    double slope6, slope12;
    const double r2 = v3_dot(d, d), u6 = split_power(p->r0, 3, p->s->eta, r2, &slope6);
    const double u12 = split_power(p->r0, 6, p->s->eta, r2, &slope12);
    add(p, p->e0 * (p->wall * u12 - 2.0 * u6), p->e0 * (p->wall * slope12 - 2.0 * slope6), d);
}

/* Mean over the plane of the smooth part of (R/r)^2n, and its slope by z. With m = n - 1 the
 * integral is int_0^eta^2 t^(m-1) exp(-t z^2) dt, by its power series near z = 0; where
 * x = (eta z)^2 is large, by (m-1)!/z^2m [1 - exp(-x) sum_k<m x^k/k!]. */
static double smooth_mean(const substrate *s, double r0, int n, double z, double *slope)
{
    const double x = s->eta * s->eta * z * z, factor = PI * pow(r0, 2 * n) / s->view.area;
    double factorial = 1.0, integral[2]; /* of t^(m-1) and of t^m */
    for (int k = 2; k < n; ++k) factorial *= k;
    for (int which = 0; which < 2; ++which) {
        const int m = n - 1 + which;
        double sum = 0.0, term = 1.0 / m;
        if (x > 50.0) {
            term = 1.0;
            for (int k = 0; k < m; term *= x / ++k) sum += term;
            integral[which] =
                (which ? factorial : factorial / (n - 1)) / pow(z * z, m) * (1.0 - exp(-x) * sum);
        } else {
            for (int k = 1; k < 400; ++k, term *= x / (m + k - 1)) sum += term;
            integral[which] = pow(s->eta, 2 * m) * exp(-x) * sum;
        }
    }
    *slope = -2.0 * z * factor / factorial * integral[1];
    return factor / factorial * integral[0];
}

static void charge_image(void *user, const int32_t shift[3], v3 d)
{
    surface_pair *p = user;
    (void)shift;
    double slope;
    const double damping = p->s->view.damping;
    const double v = ref_ewald_erfc(p->s->slab.alpha, v3_dot(d, d) + damping * damping, &slope);
    add(p, p->qq * v, 2.0 * p->qq * slope, d);
}

/* d leads from the atom of the substrate to that of the molecule. */
static void add_pair(surface_pair *p, v3 d)
{
    const substrate *s = p->s;
    if (s->view.form == SHOAL_SURFACE_MORSE) {
        const double range = p->r0 + MORSE_RANGE / s->view.alpha;
        ref_lattice_visit(&s->lattice, d, range, morse_image, p);
    } else {
        double slope6, slope12;
        const double u6 = smooth_mean(s, p->r0, 3, d.z, &slope6);
        const double u12 = smooth_mean(s, p->r0, 6, d.z, &slope12);
        ref_lattice_visit(&s->lattice, d, s->lj_cut, lj_image, p);
        p->energy += p->e0 * (p->wall * u12 - 2.0 * u6);
        p->grad.z += p->e0 * (p->wall * slope12 - 2.0 * slope6);
    }
    if (p->qq == 0.0) return;
    v3 grad;
    p->energy += p->qq * ref_slab_potential(&s->slab, d, &grad);
    p->grad = v3_add(p->grad, v3_scale(p->qq, grad));
    ref_lattice_visit(&s->lattice, d, s->r_cut, charge_image, p);
}

static surface_pair pair_of(const ref_system *sys, const substrate *s, int32_t i, int32_t j)
{
    const double ri = 0.5 * sys->view->vdw_x[i], rj = s->view.radius[j];
    const double hi = surface_hbond_of(sys->options->surface, sys->view, i);
    const bool morse = s->view.form == SHOAL_SURFACE_MORSE;
    return (surface_pair){
        .s = s,
        .r0 = morse ? ri + rj : 2.0 * sqrt(ri * rj),
        .e0 = sqrt(sys->view->vdw_d[i] * s->view.depth[j]),
        .wall = 1.0 + fmin(0.0, hi * s->view.hbond[j]),
        .qq = COULOMB_CONSTANT * sys->view->charges[i] * s->view.charges[j],
    };
}

void ref_surface(const ref_system *sys, ref_sink *sink)
{
    if (!sys->options->surface) return;
    substrate s = {0};
    prepare(&s, sys->options->surface);
    for (int32_t i = 0; i < sys->view->n_atoms; ++i) {
        const v3 r = ref_position(sys, i, NULL);
        shoal_term_row row = {.term = SHOAL_TERM_SURFACE,
                              .kind = -1,
                              .index = -1,
                              .n_atoms = 1,
                              .atoms = {{.atom = i}},
                              .value = r.z - s.view.top,
                              .parameters = {sys->view->charges[i], 0.0}};
        v3 grad = {0.0, 0.0, 0.0};
        for (int32_t j = 0; j < s.view.n_atoms; ++j) {
            surface_pair pair = pair_of(sys, &s, i, j);
            add_pair(&pair, v3_sub(r, v3_from(s.view.pos[j])));
            row.energy += pair.energy;
            grad = v3_add(grad, pair.grad);
        }
        ref_push(sink, i, v3_scale(-1.0, grad));
        ref_emit(sink, &row);
    }
}
