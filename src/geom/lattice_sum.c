/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums of single pairs. 1/r = 2/sqrt(pi) int_0^inf exp(-r^2 t^2) dt is split at t = alpha: above, erfc(alpha r)/r
 * is summed over images; below, the sum over periodic directions is one over reciprocal vectors.
 *   three: 4 pi/(V k^2) exp(-k^2/4 alpha^2) cos(k.d), and -pi/(V alpha^2) of the background
 *   two:   Parry, Surf. Sci. 49 (1975) 433, at height z
 *   one:   (2/a) cos(k z) int_1^inf exp(-k^2 u/4 alpha^2 - (alpha rho)^2/u) du/u for k > 0, and -Ein((alpha rho)^2)/a,
 *          Ein(x) = int_0^x (1 - exp(-t))/t dt, for k = 0, at distance rho from the axis */
#include "geom/lattice_sum.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "constants.h"
#include "geom/ewald.h"
#include "geom/vector.h"

#define TOLERANCE 1e-12

enum { N_KVEC = 64, N_NODES = 48 }; /* most k in one direction; points of the integral over u */

struct lattice_sum {
    geom_lattice lattice;
    double alpha, r_cut, k_cut;
    double b[3][3];  /* reciprocal vectors of the periodic directions, times 2 pi */
    int32_t last[3]; /* multiples of them */
    int32_t axis;    /* the direction that is alone: the normal of a slab, or the chain */
    double *weights; /* three directions: of +k and -k, [2 last + 1] each; 0: beyond the cut-off */
    double spread[N_NODES];        /* one direction: exp(-w) where u = exp(w), .. */
    double nodes[N_KVEC][N_NODES]; /* .. and weights with exp(-k^2 u/4 alpha^2) */
};

/* Balances the work of both sums for a pair: a k-vector takes 3 ns in three directions, 80 ns in two, an
 * image 40 ns. */
static double choose_alpha(const geom_lattice *lattice)
{
    const double size = lattice->measure;
    if (lattice->n_periodic == 3) return 3.0 / cbrt(size);
    return lattice->n_periodic == 2 ? 1.8 / sqrt(size) : 1.5 / size;
}

static void fill_vector(const lattice_sum *s, const int32_t n[3], double k[3])
{
    for (int c = 0; c < 3; ++c) k[c] = n[0] * s->b[0][c] + n[1] * s->b[1][c] + n[2] * s->b[2][c];
}

/* Index of a k-vector with n[0] >= 0. */
static size_t kvec_index(const lattice_sum *s, const int32_t n[3])
{
    const size_t n1 = (size_t)(2 * s->last[1] + 1), n2 = (size_t)(2 * s->last[2] + 1);
    return ((size_t)n[0] * n1 + (size_t)(n[1] + s->last[1])) * n2 + (size_t)(n[2] + s->last[2]);
}

static shoal_status fill_weights(lattice_sum *s)
{
    int32_t n[3] = {s->last[0], s->last[1], s->last[2]};
    double k[3];
    s->weights = shoal_alloc(kvec_index(s, n) + 1, sizeof *s->weights);
    if (!s->weights) return SHOAL_E_MEMORY;
    for (n[0] = 0; n[0] <= s->last[0]; ++n[0])
        for (n[1] = -s->last[1]; n[1] <= s->last[1]; ++n[1])
            for (n[2] = -s->last[2]; n[2] <= s->last[2]; ++n[2]) {
                const bool upper = n[0] > 0 || n[1] > 0 || (n[1] == 0 && n[2] > 0);
                fill_vector(s, n, k);
                const double k2 = vector_dot(k, k);
                if (upper && k2 <= s->k_cut * s->k_cut)
                    s->weights[kvec_index(s, n)] =
                        2 / s->lattice.measure * ewald_transform(s->alpha, 0, k2);
            }
    return SHOAL_OK;
}

/* The integral over u = exp(w) from w = 0 to where nothing is left, by the rule of Takahasi and Mori (Publ. RIMS 9
 * (1974) 721): w = W/2 (1 + tanh(pi/2 sinh x)), in equal steps of x. */
static void fill_nodes(lattice_sum *s)
{
    const double first = s->lattice.measure * s->alpha / PI; /* 2 alpha/k of the first k */
    const double end = log(1 + 40 * first * first);
    for (int q = 0; q < N_NODES; ++q) {
        const double step = 6.2 / N_NODES, x = (q + 0.5) * step - 3.1, inner = 0.5 * PI * sinh(x);
        const double w = end / (1 + exp(-2 * inner));
        const double weight = step * end * 0.25 * PI * cosh(x) / (cosh(inner) * cosh(inner));
        s->spread[q] = exp(-w);
        for (int32_t n = 1; n <= s->last[0]; ++n)
            s->nodes[n][q] = weight * exp(-n * n * exp(w) / (first * first));
    }
}

shoal_status lattice_sum_create(lattice_sum **out, const geom_lattice *lattice)
{
    lattice_sum *s = *out = shoal_alloc(1, sizeof *s);
    if (!s) return SHOAL_E_MEMORY;
    const double reach = ewald_reach(TOLERANCE);
    s->lattice = *lattice;
    s->alpha = choose_alpha(lattice);
    s->r_cut = reach / s->alpha;
    s->k_cut = 2 * s->alpha * reach;
    for (int k = 0, n = 0; k < 3; ++k) {
        if (lattice->pbc[k] == (lattice->n_periodic == 1)) s->axis = k;
        if (!lattice->pbc[k]) continue;
        for (int c = 0; c < 3; ++c) s->b[n][c] = 2 * PI * lattice->dual[k][c];
        s->last[n++] = (int32_t)floor(s->k_cut * vector_norm(lattice->a[k]) / (2 * PI));
    }
    for (int n = 0; n < lattice->n_periodic; ++n)
        if (s->last[n] >= N_KVEC) {
            lattice_sum_destroy(s);
            *out = NULL;
            return shoal_fail(SHOAL_E_ARGUMENT,
                              "the cell is too long and thin for a lattice sum of its charges");
        }
    if (lattice->n_periodic == 1) fill_nodes(s);
    const shoal_status status = lattice->n_periodic == 3 ? fill_weights(s) : SHOAL_OK;
    if (status != SHOAL_OK) {
        lattice_sum_destroy(s);
        *out = NULL;
    }
    return status;
}

void lattice_sum_destroy(lattice_sum *sum)
{
    if (!sum) return;
    free(sum->weights);
    free(sum);
}

/* --- reciprocal space ---------------------------------------------------------------------------- */

/* cos and sin of multiples of a phase. */
static void fill_phases(double phase, int32_t last, double re[N_KVEC], double im[N_KVEC])
{
    const double c = cos(phase), s = sin(phase);
    re[0] = 1;
    im[0] = 0;
    for (int32_t n = 1; n <= last; ++n) {
        re[n] = re[n - 1] * c - im[n - 1] * s;
        im[n] = re[n - 1] * s + im[n - 1] * c;
    }
}

static double sum_volume(const lattice_sum *s, const double d[3])
{
    double re[3][N_KVEC], im[3][N_KVEC], sum = 0;
    for (int k = 0; k < 3; ++k) fill_phases(vector_dot(s->b[k], d), s->last[k], re[k], im[k]);
    const double *w = s->weights;
    for (int32_t n0 = 0; n0 <= s->last[0]; ++n0)
        for (int32_t n1 = -s->last[1]; n1 <= s->last[1]; ++n1) {
            const double im1 = n1 < 0 ? -im[1][-n1] : im[1][n1], re1 = re[1][abs(n1)];
            const double c = re[0][n0] * re1 - im[0][n0] * im1;
            const double t = re[0][n0] * im1 + im[0][n0] * re1;
            double even = 0, odd = 0; /* w holds -last .. last */
            for (int32_t n2 = 1; n2 <= s->last[2]; ++n2) {
                const double up = w[s->last[2] + n2], down = w[s->last[2] - n2];
                even += (up + down) * re[2][n2];
                odd += (up - down) * im[2][n2];
            }
            sum += c * (even + w[s->last[2]]) - t * odd;
            w += 2 * s->last[2] + 1;
        }
    return sum - ewald_mean_erfc(s->alpha, 0) / s->lattice.measure;
}

/* e^{kz} erfc(k/2alpha + alpha z) for z >= 0; past 26 erfc is below 1e-290. */
static double growing(double alpha, double k, double z)
{
    const double u = 0.5 * k / alpha + alpha * z;
    return u > 26 ? 0 : exp(k * z) * erfc(u);
}

static double sum_slab(const lattice_sum *s, const double d[3])
{
    const double z = fabs(vector_dot(s->lattice.a[s->axis], d)), a = s->alpha,
                 area = s->lattice.measure;
    double sum = -2 * PI / area * (z * erf(a * z) + exp(-a * a * z * z) / (a * SQRT_PI)), k[3];
    for (int32_t na = 0; na <= s->last[0]; ++na)
        for (int32_t nb = na > 0 ? -s->last[1] : 1; nb <= s->last[1]; ++nb) {
            fill_vector(s, (const int32_t[3]){na, nb, 0}, k);
            const double length = vector_norm(k);
            if (length > s->k_cut) continue;
            sum += 2 * PI / (area * length) * cos(vector_dot(k, d)) *
                   (growing(a, length, z) + exp(-length * z) * erfc(0.5 * length / a - a * z));
        }
    return sum;
}

/* Ein(x): its power series, or with the continued fraction of E1. */
static double entire_integral(double x)
{
    double sum = 0, term = 1;
    if (x < 2) {
        for (int k = 1; k < 40; ++k) {
            term *= -x / k;
            sum -= term / k;
        }
        return sum;
    }
    for (int k = 100; k > 0; --k) sum = k / (1 + k / (x + sum));
    return EULER_GAMMA + log(x) + (x > 700 ? 0 : exp(-x) / (x + sum));
}

static double sum_chain(const lattice_sum *s, const double d[3])
{
    const double length = s->lattice.measure, *a = s->lattice.a[s->axis];
    const double z = vector_dot(a, d) / length,
                 x = s->alpha * s->alpha * fmax(vector_dot(d, d) - z * z, 0);
    double re[N_KVEC], im[N_KVEC], sum = 0, integrals[N_KVEC] = {0};
    fill_phases(2 * PI * z / length, s->last[0], re, im);
    for (int q = 0; q < N_NODES; ++q) {
        const double damp = exp(-x * s->spread[q]);
        for (int32_t n = 1; n <= s->last[0]; ++n) integrals[n] += damp * s->nodes[n][q];
    }
    for (int32_t n = 1; n <= s->last[0]; ++n) sum += 2 * re[n] * integrals[n];
    return (sum - entire_integral(x)) / length;
}

static double sum_reciprocal(const lattice_sum *s, const double d[3])
{
    if (s->lattice.n_periodic == 3) return sum_volume(s, d);
    return s->lattice.n_periodic == 2 ? sum_slab(s, d) : sum_chain(s, d);
}

/* --- images -------------------------------------------------------------------------------------- */

/* A point within the cut-off has fractions of at most cutoff |dual|. */
void lattice_visit(const geom_lattice *lattice, const double d[3], double cutoff,
                   void (*visit)(void *user, const int32_t shift[3], const double image[3]),
                   void *user)
{
    int32_t first[3] = {0, 0, 0}, last[3] = {0, 0, 0}, n[3];
    for (int k = 0; k < 3; ++k) {
        if (!lattice->pbc[k]) continue;
        const double reach = cutoff * vector_norm(lattice->dual[k]);
        const double at = lattice_fraction(lattice, d, k);
        first[k] = (int32_t)ceil(-reach - at);
        last[k] = (int32_t)floor(reach - at);
    }
    for (n[0] = first[0]; n[0] <= last[0]; ++n[0])
        for (n[1] = first[1]; n[1] <= last[1]; ++n[1])
            for (n[2] = first[2]; n[2] <= last[2]; ++n[2]) {
                double image[3];
                lattice_vector(lattice, n, image);
                for (int c = 0; c < 3; ++c) image[c] += d[c];
                if (vector_dot(image, image) < cutoff * cutoff) visit(user, n, image);
            }
}

typedef struct real_space {
    double alpha, nearest, sum;
    bool self; /* the image at the origin does not count */
} real_space;

static void add_image(void *user, const int32_t shift[3], const double image[3])
{
    real_space *w = user;
    if (w->self && shift[0] == 0 && shift[1] == 0 && shift[2] == 0) return;
    const double r = vector_norm(image);
    /* Where two are nearer than nearest, the part of the reciprocal sum stays as it is. */
    w->sum += r < w->nearest
                  ? 1 / w->nearest - (r > 0 ? erf(w->alpha * r) / r : 2 * w->alpha / SQRT_PI)
                  : erfc(w->alpha * r) / r;
}

double lattice_sum_potential(const lattice_sum *sum, const double d[3], double nearest)
{
    real_space w = {.alpha = sum->alpha, .nearest = fmax(nearest, 1e-9)};
    lattice_visit(&sum->lattice, d, sum->r_cut, add_image, &w);
    return w.sum + sum_reciprocal(sum, d);
}

double lattice_sum_self(const lattice_sum *sum)
{
    const double origin[3] = {0, 0, 0};
    real_space w = {.alpha = sum->alpha, .self = true};
    lattice_visit(&sum->lattice, origin, sum->r_cut, add_image, &w);
    return w.sum + sum_reciprocal(sum, origin) - 2 * sum->alpha / SQRT_PI;
}
