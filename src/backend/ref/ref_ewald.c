/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums of damped Coulomb interactions, three-dimensional and the parts all kinds share.
 *
 * With s^2 = r^2 + d^2, 1/s = 2/sqrt(pi) int_0^inf exp(-s^2 t^2) dt is split at t = alpha. The part
 * above is erfc(alpha s)/s, summed over images; the part below is summed over reciprocal vectors.
 * In three dimensions its transform is
 *   G(k) = 2 pi int_0^alpha t^-3 exp(-k^2/4t^2 - d^2 t^2) dt,
 * which is 4 pi/k^2 exp(-k^2/4 alpha^2) without damping. k = 0 is left out: the surroundings are a
 * conductor, and a net charge is balanced by a uniform background. */
#include "backend/ref/ref.h"

#include "constants.h"

/* Relative cost of a pair in real and in reciprocal space, which sets the best split. */
#define COST_3D 1.0
#define COST_2D 0.4
/* alpha times the length of a cell that repeats in one direction: some 7 images, 3 waves. */
#define CHAIN_SPLIT 1.5

ref_ewald ref_ewald_choose(const ref_system *sys)
{
    const double size = sys->lattice.measure, n = ref_n_particles(sys);
    ref_ewald ewald;
    if (sys->lattice.n_periodic == 3)
        ewald.alpha = sqrt(PI) * pow(COST_3D * n / (size * size), 1.0 / 6.0);
    else if (sys->lattice.n_periodic == 2)
        ewald.alpha = pow(2.0 * PI * PI * COST_2D, 0.25) / sqrt(size);
    else
        ewald.alpha = CHAIN_SPLIT / size;
    /* Both sums leave out terms of relative weight exp(-x^2); the 3 makes up for their number. */
    const double x = sqrt(3.0 - log(sys->options->ewald_tolerance));
    ewald.r_cut = x / ewald.alpha;
    ewald.k_cut = 2.0 * ewald.alpha * x;
    return ewald;
}

double ref_ewald_erfc(double alpha, double s2, double *slope)
{
    const double s = sqrt(s2), value = erfc(alpha * s) / s;
    *slope = -0.5 * (value + TWO_BY_SQRT_PI * alpha * exp(-alpha * alpha * s2)) / s2;
    return value;
}

double ref_ewald_erf(double alpha, double s2, double *slope)
{
    const double y = alpha * alpha * s2;
    if (y >= 0.1) {
        const double s = sqrt(s2), value = erf(alpha * s) / s;
        *slope = 0.5 * (TWO_BY_SQRT_PI * alpha * exp(-y) - value) / s2;
        return value;
    }
    /* Power series of erf, since the formula above loses all digits of the slope at s = 0. */
    double value = 1.0, by_y = 0.0, power = 1.0;
    for (int n = 1; n <= 10; ++n) {
        by_y -= power / (2 * n + 1);
        power *= -y / n;
        value += power / (2 * n + 1);
    }
    *slope = TWO_BY_SQRT_PI * alpha * alpha * alpha * by_y;
    return TWO_BY_SQRT_PI * alpha * value;
}

typedef struct real_space_pair {
    const ref_system *sys;
    ref_sink *sink;
    int32_t i, j;
    double alpha;
} real_space_pair;

static void real_space_image(void *user, const int32_t shift[3], v3 d)
{
    const real_space_pair *p = user;
    if (p->i == p->j && !ref_is_upper(shift)) return;
    if (ref_excluded(p->sys->view, p->i, p->j, shift)) return;
    const double damping = ref_damping(p->sys);
    const double qq = COULOMB_CONSTANT * p->sys->view->charges[p->i] * p->sys->view->charges[p->j];
    double slope;
    p->sink->energy += qq * ref_ewald_erfc(p->alpha, v3_dot(d, d) + damping * damping, &slope);
    ref_push_pair(p->sink, p->i, p->j, d, v3_scale(-2.0 * qq * slope, d));
}

static void excess_image(void *user, const int32_t shift[3], v3 d)
{
    const real_space_pair *p = user;
    if (p->i == p->j && !ref_is_upper(shift)) return;
    if (ref_excluded(p->sys->view, p->i, p->j, shift)) return;
    const double qq = COULOMB_CONSTANT * p->sys->view->charges[p->i] * p->sys->view->charges[p->j];
    double slope;
    p->sink->energy += qq * ref_coulomb_excess(p->sys, v3_dot(d, d), &slope);
    ref_push_pair(p->sink, p->i, p->j, d, v3_scale(-qq * slope, d));
}

/* What a clamp makes of a pair, less what the sums have of it. */
static void clamp_image(void *user, const int32_t shift[3], v3 d)
{
    const real_space_pair *p = user;
    const double r = v3_length(d), at = ref_taken_at(p->sys, p->i, p->j, r);
    if (!(r < at) || (p->i == p->j && !ref_is_upper(shift))) return;
    if (ref_excluded(p->sys->view, p->i, p->j, shift)) return;
    const double qq = COULOMB_CONSTANT * p->sys->view->charges[p->i] * p->sys->view->charges[p->j];
    double slope, before;
    p->sink->energy += ref_coulomb_energy(p->sys, qq, at * at, &slope);
    p->sink->energy += ref_straight(at, r, &slope);
    p->sink->energy -= ref_coulomb_energy(p->sys, qq, r * r, &before);
    ref_push_pair(p->sink, p->i, p->j, d, v3_scale(before - slope, d));
}

/* The largest distance that a pair is clamped at. */
static double clamp_reach(const ref_system *sys)
{
    double reach = 0.0;
    for (int32_t i = 0; i < ref_n_particles(sys); ++i)
        for (int32_t j = i; j < ref_n_particles(sys); ++j)
            reach = fmax(reach, ref_minimum_distance(sys, i, j));
    return sys->pair_clamp * reach;
}

/* Calls visit for all images of pairs of charges. */
static void visit_charges(const ref_system *sys, double alpha, double reach,
                          ref_image_visitor *visit, ref_sink *sink)
{
    for (int32_t i = 0; i < ref_n_particles(sys); ++i)
        for (int32_t j = i; j < ref_n_particles(sys); ++j) {
            if (sys->view->charges[i] == 0.0 || sys->view->charges[j] == 0.0) continue;
            real_space_pair pair = {sys, sink, i, j, alpha};
            const v3 d = v3_sub(ref_position(sys, j, NULL), ref_position(sys, i, NULL));
            ref_lattice_visit(&sys->lattice, d, reach, visit, &pair);
        }
}

/* The reciprocal sum runs over all pairs and images; what it says of excluded ones is taken back,
 * and the sum over images never had them. */
static void subtract_excluded(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink)
{
    const shoal_topology_view *view = sys->view;
    const double damping = ref_damping(sys);
    for (int32_t i = 0; i < ref_n_particles(sys); ++i)
        for (int32_t e = view->exclude_start[i]; e < view->exclude_start[i + 1]; ++e) {
            const shoal_image *p = &view->excluded[e];
            if (p->atom < i || (p->atom == i && !ref_is_upper(p->shift))) continue;
            const v3 d = v3_sub(ref_position(sys, p->atom, p->shift), ref_position(sys, i, NULL));
            const double qq = COULOMB_CONSTANT * view->charges[i] * view->charges[p->atom];
            double slope;
            sink->energy -=
                qq * ref_ewald_erf(ewald->alpha, v3_dot(d, d) + damping * damping, &slope);
            ref_push_pair(sink, i, p->atom, d, v3_scale(2.0 * qq * slope, d));
        }
}

/* int_0^width f(x) dx in panels of at most unit width, 16-point Gauss-Legendre in each: 1e-15 for
 * the integrands below, which vary on the scale of 1. */
double ref_integrate(double (*f)(double x, const double par[2]), const double par[2], double width)
{
    static const double node[8][2] = {
        {0.095012509837637440185, 0.18945061045506849629},
        {0.28160355077925891323, 0.18260341504492358887},
        {0.45801677765722738634, 0.16915651939500253819},
        {0.61787624440264374845, 0.14959598881657673208},
        {0.75540440835500303390, 0.12462897125553387205},
        {0.86563120238783174388, 0.09515851168249278481},
        {0.94457502307323257608, 0.062253523938647892863},
        {0.98940093499164993260, 0.027152459411754094852},
    };
    const int n_panels = (int)ceil(width) + 1;
    const double half = 0.5 * width / n_panels;
    double sum = 0.0;
    for (int p = 0; p < n_panels; ++p) {
        const double middle = half * (2 * p + 1);
        for (int k = 0; k < 8; ++k)
            sum += node[k][1] *
                   (f(middle - half * node[k][0], par) + f(middle + half * node[k][0], par));
    }
    return half * sum;
}

/* With v = (k^2/4)(1/t^2 - 1/alpha^2) and b = 4 alpha^2/k^2,
 *   G(k) = 4 pi/k^2 exp(-k^2/4 alpha^2) int_0^inf exp(-v - (d alpha)^2/(1 + b v)) dv;
 * x = ln(1 + b v) spreads both scales of the integrand. par = {(d alpha)^2, b}. */
static double transform_integrand(double x, const double par[2])
{
    return exp(-expm1(x) / par[1] - par[0] * exp(-x)) * exp(x) / par[1];
}

/* The same times 1 + b v, which is alpha^2/t^2. */
static double slope_integrand(double x, const double par[2])
{
    return exp(x) * transform_integrand(x, par);
}

/* G(k), and its slope by k^2, -(2 pi/4) int_0^alpha t^-5 exp(-k^2/4t^2 - d^2 t^2) dt. */
static double transform(double alpha, double damping, double k2, double *slope)
{
    const double plain = 4.0 * PI / k2 * exp(-0.25 * k2 / (alpha * alpha));
    const double par[2] = {damping * damping * alpha * alpha, 4.0 * alpha * alpha / k2};
    const double width = log1p(40.0 * par[1]), scale = -0.25 * plain / (alpha * alpha);
    *slope = scale * (damping == 0.0 ? 1.0 + par[1] : ref_integrate(slope_integrand, par, width));
    return damping == 0.0 ? plain : plain * ref_integrate(transform_integrand, par, width);
}

/* Mean of erfc(alpha s)/s over all space, (pi/alpha^2) int_0^1 exp(-(d alpha)^2/y) dy, y = e^-x. */
static double mean_integrand(double x, const double par[2])
{
    return exp(-x - par[0] * exp(x));
}

static double mean_erfc(double alpha, double damping)
{
    if (damping == 0.0) return PI / (alpha * alpha);
    const double par[2] = {damping * damping * alpha * alpha, 0.0};
    return PI / (alpha * alpha) * ref_integrate(mean_integrand, par, 40.0);
}

/* Under strain phases stay, the volume grows by its trace, and k^2 by -2 k e k; slope: of the weight by k^2. */
static void strain_kvec(v3 k, double energy, double slope, ref_sink *sink)
{
    const double at[3] = {k.x, k.y, k.z};
    for (int a = 0; a < 3; ++a) {
        sink->strain[a][a] -= energy;
        for (int b = 0; b < 3; ++b) sink->strain[a][b] -= 2.0 * slope * at[a] * at[b];
    }
}

static void add_kvec(const ref_system *sys, v3 k, double weight, double slope, ref_sink *sink)
{
    const shoal_topology_view *view = sys->view;
    double re = 0.0, im = 0.0;
    for (int32_t i = 0; i < ref_n_particles(sys); ++i) {
        const double phase = v3_dot(k, v3_from(sys->pos[i]));
        re += view->charges[i] * cos(phase);
        im += view->charges[i] * sin(phase);
    }
    sink->energy += weight * (re * re + im * im);
    strain_kvec(k, weight * (re * re + im * im), slope * (re * re + im * im), sink);
    for (int32_t i = 0; i < ref_n_particles(sys); ++i) {
        const double phase = v3_dot(k, v3_from(sys->pos[i]));
        const double f = 2.0 * weight * view->charges[i] * (re * sin(phase) - im * cos(phase));
        ref_push(sink, i, v3_scale(f, k));
    }
}

/* Half of all k, each for itself and its opposite. */
static void add_kvecs(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink)
{
    const ref_lattice *lattice = &sys->lattice;
    int32_t last[3];
    for (int k = 0; k < 3; ++k)
        last[k] = (int32_t)floor(ewald->k_cut * v3_length(lattice->a[k]) / (2.0 * PI));
    for (int32_t na = 0; na <= last[0]; ++na)
        for (int32_t nb = -last[1]; nb <= last[1]; ++nb)
            for (int32_t nc = -last[2]; nc <= last[2]; ++nc) {
                const int32_t n[3] = {na, nb, nc};
                if (!ref_is_upper(n)) continue;
                const v3 k = v3_scale(2.0 * PI, v3_add(v3_scale(na, lattice->b[0]),
                                                       v3_add(v3_scale(nb, lattice->b[1]),
                                                              v3_scale(nc, lattice->b[2]))));
                const double k2 = v3_dot(k, k);
                if (k2 > ewald->k_cut * ewald->k_cut) continue;
                double slope;
                const double g = transform(ewald->alpha, ref_damping(sys), k2, &slope);
                const double scale = COULOMB_CONSTANT / lattice->measure;
                add_kvec(sys, k, scale * g, scale * slope, sink);
            }
}

static void add_volume(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink)
{
    const double damping = ref_damping(sys);
    double charge = 0.0, squares = 0.0, slope;
    for (int32_t i = 0; i < ref_n_particles(sys); ++i) {
        charge += sys->view->charges[i];
        squares += sys->view->charges[i] * sys->view->charges[i];
    }
    add_kvecs(sys, ewald, sink);
    sink->energy -=
        0.5 * COULOMB_CONSTANT * squares * ref_ewald_erf(ewald->alpha, damping * damping, &slope);
    const double background = 0.5 * COULOMB_CONSTANT * charge * charge *
                              mean_erfc(ewald->alpha, damping) / sys->lattice.measure;
    sink->energy -= background;
    for (int c = 0; c < 3; ++c) sink->strain[c][c] += background;
}

void ref_smooth_sum(const ref_system *sys, const ref_ewald *ewald, ref_potential *potential,
                    const void *lattice, ref_sink *sink)
{
    const double *q = sys->view->charges, d2 = pow(ref_damping(sys), 2);
    v3 grad;
    double slope;
    const double self = ref_ewald_erf(ewald->alpha, d2, &slope);
    for (int32_t i = 0; i < ref_n_particles(sys); ++i) {
        if (q[i] == 0.0) continue;
        const double half = 0.5 * COULOMB_CONSTANT * q[i] * q[i];
        const v3 none = {0.0, 0.0, 0.0};
        sink->energy += half * (potential(lattice, none, &grad, half, sink->strain) - self);
        for (int32_t j = i + 1; j < ref_n_particles(sys); ++j) {
            if (q[j] == 0.0) continue;
            const v3 d = v3_sub(v3_from(sys->pos[j]), v3_from(sys->pos[i]));
            const double qq = COULOMB_CONSTANT * q[i] * q[j];
            sink->energy += qq * potential(lattice, d, &grad, qq, sink->strain);
            ref_push(sink, i, v3_scale(qq, grad));
            ref_push(sink, j, v3_scale(-qq, grad));
        }
    }
}

void ref_ewald_sum(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink)
{
    if (sys->lattice.n_periodic == 3)
        add_volume(sys, ewald, sink);
    else if (sys->lattice.n_periodic == 2)
        ref_slab_sum(sys, ewald, sink);
    else
        ref_chain_sum(sys, ewald, sink);
    subtract_excluded(sys, ewald, sink);
    visit_charges(sys, ewald->alpha, ewald->r_cut, real_space_image, sink);
    const double reach = ref_coulomb_reach(sys);
    if (reach > 0.0) visit_charges(sys, ewald->alpha, reach, excess_image, sink);
    if (sys->pair_clamp > 0.0)
        visit_charges(sys, ewald->alpha, clamp_reach(sys), clamp_image, sink);
}
