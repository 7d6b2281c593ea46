/* SPDX-License-Identifier: BSD-3-Clause
 * Interactions with a rigid substrate, one pair of atoms after the other, over all images.
 *
 * Morse pairs are summed until exp(-alpha r) is below 4e-18. Of 1/r^2n the part
 * exp(-x) sum_k<n x^k/k! / r^2n, x = (eta r)^2, is summed over images; the rest is so smooth, eta
 * being small against the cell, that its mean over the plane is all of it:
 *   pi/(n-1) [1 - exp(-x) sum_k<n-1 x^k/k!] / z^(2n-2) / area,  x = (eta z)^2.
 * Pairs of a pair model: what they are (ref_model.c) less these rests of their powers is summed over images.
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
    const ref_system *sys;   /* whose charges it is */
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

/* 1 - exp(-x) sum_k x^k/Gamma(k + 1) over k < p/2, whole or half numbers as p/2 is; an incomplete gamma function. */
static double lower_gamma(int p, double x)
{
    const double a = 0.5 * p;
    double sum = 0.0, term = pow(x, a) / tgamma(a + 1.0);
    if (x < 40.0) {
        for (int k = 1; term > 1e-17 * sum; ++k, term *= x / (a + k - 1.0)) sum += term;
        return exp(-x) * sum;
    }
    for (double k = a - 1.0; k > -0.25; k -= 1.0) sum += pow(x, k) / tgamma(k + 1.0);
    return 1.0 - exp(-x) * sum; /* of half numbers erfc(sqrt(x)) is left out, 1e-19 */
}

/* The smooth rest of (R0/r)^p, and its slope by r. */
static double rest_of_power(double r0, int p, double eta, double r, double *slope)
{
    const double x = eta * eta * r * r, u = pow(r0 / r, p), share = lower_gamma(p, x);
    const double more = pow(x, 0.5 * p) * exp(-x) / tgamma(0.5 * p); /* x d/dx */
    *slope = u * (2.0 * more - p * share) / r;
    return u * share;
}

/* Its mean over the plane, and the slope by z: with m = p/2 - 1,
 * 2 pi/p R0^p/area int t^(m-1) exp(-t z^2) dt.. = pi R0^p/(m area) lower_gamma(2m, (eta z)^2)/z^2m. */
static double mean_of_power(const substrate *s, double r0, int p, double z, double *slope)
{
    const double m = 0.5 * p - 1.0, x = s->eta * s->eta * z * z;
    const double factor = PI * pow(r0, p) / (m * s->view.area);
    if (x < 1e-6) { /* its series; the slope is that of the next term */
        *slope = -2.0 * z * factor * pow(s->eta, p) / tgamma(m + 1.0) * m / (m + 1.0);
        return factor * pow(s->eta, p - 2) / tgamma(m + 1.0) * (1.0 - x * m / (m + 1.0));
    }
    const double share = lower_gamma(p - 2, x), power = pow(z * z, -m);
    const double more = pow(x, m) * exp(-x) / tgamma(m);
    *slope = factor * power * (2.0 * more - 2.0 * m * share) / z;
    return factor * power * share;
}

/* The powers of a form with their factors, as energies; returns how many there are. */
static int powers_of(const surface_pair *p, int power[2], double factor[2])
{
    const shoal_pair_settings *s = p->s->view.pairs;
    const double h = p->wall - 1.0;
    const double wall = s->hbond == SHOAL_HBOND_ATTRACTION ? 1.0 : 1.0 + h;
    const double pull = s->hbond == SHOAL_HBOND_REPULSION ? 1.0 : 1.0 - h;
    if (s->form == SHOAL_FORM_MORSE || s->form == SHOAL_FORM_MORSE6) return 0;
    power[0] = 6;
    factor[0] = -2.0 * pull;
    if (s->form == SHOAL_FORM_EXP6) factor[0] = -s->alpha / (s->alpha - 6.0) * pull;
    if (s->form == SHOAL_FORM_LJ8) factor[0] = -4.0 * pull;
    if (s->form == SHOAL_FORM_LJ9) factor[0] = -3.0 * pull;
    power[1] = s->form == SHOAL_FORM_LJ8 ? 8 : s->form == SHOAL_FORM_LJ9 ? 9 : 12;
    factor[1] = wall * (s->form == SHOAL_FORM_LJ8 ? 3.0 : s->form == SHOAL_FORM_LJ9 ? 2.0 : 1.0);
    return s->form == SHOAL_FORM_LJ || s->form == SHOAL_FORM_LJ8 || s->form == SHOAL_FORM_LJ9 ? 2
                                                                                              : 1;
}

static void model_image(void *user, const int32_t shift[3], v3 d)
{
    surface_pair *p = user;
    (void)shift;
    const double r = fmax(v3_length(d), REF_COINCIDENT);
    int power[2];
    double factor[2], slope;
    double energy = ref_model_pair(p->s->view.pairs, p->r0, p->wall - 1.0, r, &slope);
    for (int k = powers_of(p, power, factor) - 1; k >= 0; --k) {
        double more;
        energy -= factor[k] * rest_of_power(p->r0, power[k], p->s->eta, r, &more);
        slope -= factor[k] * more;
    }
    add(p, p->e0 * energy, p->e0 * slope / r, d);
}

static void add_model(surface_pair *p, v3 d)
{
    const substrate *s = p->s;
    const shoal_pair_settings *m = s->view.pairs;
    const bool of_pair =
        m->form == SHOAL_FORM_MORSE6 || m->form == SHOAL_FORM_BUCK6 || m->form == SHOAL_FORM_EXP6;
    int power[2];
    double factor[2], range = s->lj_cut;
    if (m->alpha > 0.0)
        range = fmax(range, p->r0 + MORSE_RANGE / (of_pair ? m->alpha / p->r0 : m->alpha));
    if (m->dispersion_damping > 0.0) range = fmax(range, 1.4 * MORSE_RANGE / m->dispersion_damping);
    for (int k = powers_of(p, power, factor) - 1; k >= 0; --k) {
        double slope;
        p->energy += p->e0 * factor[k] * mean_of_power(s, p->r0, power[k], d.z, &slope);
        p->grad.z += p->e0 * factor[k] * slope;
    }
    ref_lattice_visit(&s->lattice, d, range, model_image, p);
}

/* What the form of the charges adds to 1/r. */
static void excess_image(void *user, const int32_t shift[3], v3 d)
{
    surface_pair *p = user;
    (void)shift;
    double slope;
    const double v = ref_coulomb_excess(p->sys, v3_dot(d, d), &slope);
    add(p, p->qq * v, p->qq * slope, d);
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
    if (s->view.pairs) {
        if (p->e0 > 0.0) add_model(p, d);
    } else if (s->view.form == SHOAL_SURFACE_MORSE) {
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
    p->energy += p->qq * ref_slab_potential(&s->slab, d, &grad, 0.0, NULL);
    p->grad = v3_add(p->grad, v3_scale(p->qq, grad));
    ref_lattice_visit(&s->lattice, d, s->r_cut, charge_image, p);
    const double excess = s->view.pairs && p->sys->view->model ? ref_coulomb_reach(p->sys) : 0.0;
    if (excess > 0.0) ref_lattice_visit(&s->lattice, d, excess, excess_image, p);
}

static surface_pair pair_of(const ref_system *sys, const substrate *s, int32_t i, int32_t j)
{
    const double ri = 0.5 * sys->view->vdw_x[i], rj = s->view.radius[j];
    const double hi = surface_hbond_of(sys->options->surface, sys->view, i);
    const bool sum = s->view.form == SHOAL_SURFACE_MORSE || s->view.pairs;
    const bool charged = !s->view.pairs || s->view.pairs->coulomb != SHOAL_COULOMB_NONE;
    return (surface_pair){
        .s = s,
        .sys = sys,
        .r0 = sum ? ri + rj : 2.0 * sqrt(ri * rj),
        .e0 = sqrt(sys->view->vdw_d[i] * s->view.depth[j]),
        .wall = 1.0 + fmin(0.0, hi * s->view.hbond[j]),
        .qq = charged ? COULOMB_CONSTANT * sys->view->charges[i] * s->view.charges[j] : 0.0,
    };
}

void ref_surface(const ref_system *sys, ref_sink *sink)
{
    if (!sys->options->surface) return;
    substrate s = {0};
    prepare(&s, sys->options->surface);
    for (int32_t i = 0; i < ref_n_particles(sys); ++i) {
        const v3 r = ref_position(sys, i, NULL);
        const int32_t n = sys->view->n_atoms, atom = i < n ? i : sys->view->sites[i - n].host;
        shoal_term_row row = {.term = SHOAL_TERM_SURFACE,
                              .kind = -1,
                              .index = -1,
                              .n_atoms = 1,
                              .atoms = {{.atom = atom}},
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
