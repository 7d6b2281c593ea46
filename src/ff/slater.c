/* SPDX-License-Identifier: BSD-3-Clause
 * Coulomb integrals between Slater ns charge clouds, in closed form.
 *
 * The potential of cloud b is V(s) = [1 - exp(-x) sum_k (1 - k/2n) x^k/k!] / s with x = 2 zeta s and k < 2n.
 * Its 1/s, averaged over cloud a, is the potential of a. What is left are integrals of
 * ra^(2na-2) exp(-2 za ra) s^(k-1) exp(-2 zb s), in prolate spheroidal coordinates ra, s = r (xi +- eta)/2
 *   int_1^inf dxi int_-1^1 deta (xi + eta)^(2na-1) (xi - eta)^k exp(-p xi - y eta),
 * p = (za + zb) r, y = (za - zb) r: products of A_i(p) = int_1^inf xi^i exp(-p xi) dxi and
 * B_m(y) = int_-1^1 eta^m exp(-y eta) deta (Mulliken et al., J. Chem. Phys. 17 (1949) 1248). Nothing is
 * divided by za - zb, so equal exponents are no special case. */
#include "ff/slater.h"

#include <math.h>
#include <stddef.h>

/* Below this distance, in bohr, J is flat to 1e-9: it goes as r^2. */
#define LEAST_R 1e-4

/* 1/k; a division takes longer than all else in a term. */
#define EIGHT(k)                                                                                   \
    1.0 / (k), 1.0 / ((k) + 1), 1.0 / ((k) + 2), 1.0 / ((k) + 3), 1.0 / ((k) + 4),                 \
        1.0 / ((k) + 5), 1.0 / ((k) + 6), 1.0 / ((k) + 7)
static const double inverse[] = {
    0,         EIGHT(1),  EIGHT(9),   EIGHT(17),  EIGHT(25),  EIGHT(33),
    EIGHT(41), EIGHT(49), EIGHT(57),  EIGHT(65),  EIGHT(73),  EIGHT(81),
    EIGHT(89), EIGHT(97), EIGHT(105), EIGHT(113), EIGHT(121),
};
enum { N_INVERSE = (int)(sizeof inverse / sizeof inverse[0]) };

/* Coefficients of one power of (xi + eta); row[m] is that of eta^m in (xi + eta)^(low+d) (xi - eta)^k. */
static void fill_products(slater_shape *s, int32_t d, double first)
{
    double row[SLATER_POWERS + 1] = {first}, by_k = 1; /* 1/k! */
    const int32_t power = s->low + d;
    for (int32_t k = 1; k <= power; ++k) /* times (xi + eta) */
        for (int32_t m = k; m > 0; --m) row[m] += row[m - 1];
    for (int32_t k = 0; k < 2 * s->nb; ++k) {
        const double f = by_k * (1 - k / (2.0 * s->nb));
        for (int32_t m = 0; m <= power + k; ++m)
            s->coef[d][(power + k - m) * s->size + m] = f * row[m];
        for (int32_t m = power + k + 1; m > 0; --m) row[m] -= row[m - 1]; /* times (xi - eta) */
        by_k /= k + 1;
    }
}

void slater_shape_init(slater_shape *out, int32_t na, int32_t nb)
{
    double factorial = 1; /* of k, then of 2na */
    out->na = na;
    out->nb = nb;
    out->low = 2 * na - 1;
    out->size = 2 * (na + nb);
    for (int32_t k = 0; k < 2 * na; ++k) {
        out->own[0][k] = (1 - k / (2.0 * na)) / factorial;
        out->own[1][k] = (1 - (k + 1) / (2.0 * na)) / factorial;
        factorial *= k + 1;
    }
    for (int32_t d = 0; d < 2; ++d) fill_products(out, d, 1 / factorial);
}

/* B_top by its power series, all terms of one sign, and from there downwards. */
static void fill_b_down(double *b, int32_t top, double y, double grow, double fall)
{
    const double y2 = y * y;
    double term = top % 2 ? -y : 1, sum = 0; /* y^k/k! */
    for (int32_t k = top % 2; top + k + 2 < N_INVERSE; k += 2) {
        const double part = term * inverse[top + k + 1];
        sum += part;
        if (fabs(part) <= 1e-17 * fabs(sum)) break;
        term *= y2 * inverse[k + 1] * inverse[k + 2];
    }
    b[top] = 2 * sum;
    double edge = top % 2 ? fall + grow : fall - grow, other = top % 2 ? fall - grow : fall + grow;
    for (int32_t m = top; m > 0; --m) {
        b[m - 1] = (y * b[m] + edge) * inverse[m];
        const double swap = edge;
        edge = other;
        other = swap;
    }
}

/* grow = exp(y), fall = exp(-y). Upwards errors grow by m/y, downwards by y/m. */
static void fill_b(double *b, int32_t top, double y, double grow, double fall)
{
    if (fabs(y) <= top) {
        fill_b_down(b, top, y, grow, fall);
        return;
    }
    const double by_y = 1 / y;
    b[0] = (grow - fall) * by_y;
    for (int32_t m = 1; m <= top; ++m) b[m] = ((m % 2 ? -grow : grow) - fall + m * b[m - 1]) * by_y;
}

/* sum coef x^i A_i x^m B_m over i + m from first to last; arrays hold the powers. */
static double sum_products(const double *coef, int32_t size, int32_t first, int32_t last,
                           const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i <= last; ++i) {
        const double *row = coef + i * size;
        double part = 0;
        for (int32_t m = first > i ? first - i : 0; m <= last - i; ++m) part += row[m] * b[m];
        sum += a[i] * part;
    }
    return sum;
}

/* The potential of cloud a less that of a point, and its derivative by zeta; decay = exp(-2 zeta r). */
static double cloud_excess(const slater_shape *shape, double zeta, double r, double decay,
                           double *by_zeta)
{
    const double x = 2 * zeta * r;
    double sum = 0, slope = 0; /* T(x) = sum f_k x^k; T' */
    for (int32_t k = shape->low; k >= 0; --k) {
        sum = sum * x + shape->own[0][k];
        slope = slope * x + shape->own[1][k];
    }
    *by_zeta = 2 * decay * (sum - slope);
    return -decay * sum / r;
}

/* A_i(p) and B_m(y) of a pair. */
typedef struct auxiliary {
    int32_t top;
    double a[SLATER_POWERS], b[SLATER_POWERS];
} auxiliary;

/* The excess from the side of cloud a, whose exp(-2 zeta r) is decay; sign is -1 where B is that of the other side,
 * B_m(-y) = (-1)^m B_m(y). */
static double combine(const slater_shape *shape, const auxiliary *aux, const double zeta[2],
                      double r, double decay, double sign, double *by_a)
{
    const int32_t low = shape->low, last = shape->size - 2;
    const double x = zeta[1] * r, u = zeta[0] * r;
    double a[SLATER_POWERS], b[SLATER_POWERS], slope, power = 1, signed_power = 1;
    for (int32_t i = 0; i <= aux->top; ++i) {
        a[i] = power * aux->a[i];
        b[i] = signed_power * aux->b[i];
        power *= x;
        signed_power *= sign * x;
    }
    const double own = cloud_excess(shape, zeta[0], r, decay, &slope);
    double factor = zeta[0] * u * u / x; /* zeta_a u^2na / x^low */
    for (int32_t k = 1; k < shape->na; ++k) factor *= u * u / (x * x);
    const double both = factor * sum_products(shape->coef[0], shape->size, low, last, a, b);
    if (by_a)
        *by_a =
            slope - (low + 2) / zeta[0] * both +
            factor / zeta[1] * sum_products(shape->coef[1], shape->size, low + 1, last + 1, a, b);
    return own - both;
}

/* The same for two 1s clouds, term by term: half of all pairs of organic molecules are hydrogen with hydrogen. */
static double combine_1s(const auxiliary *aux, const double zeta[2], double r, double decay,
                         double sign, double *by_a)
{
    const double *a = aux->a, x = zeta[1] * r, u = zeta[0] * r, factor = zeta[0] * u * u;
    const double b0 = aux->b[0], b1 = sign * aux->b[1], b2 = aux->b[2];
    const double both =
        factor * (0.5 * (a[1] * b0 + a[0] * b1) + 0.25 * x * (a[2] * b0 - a[0] * b2));
    if (by_a) {
        const double b3 = sign * aux->b[3];
        const double even = a[2] * b0 + 2 * a[1] * b1 + a[0] * b2;
        const double odd = a[3] * b0 + a[2] * b1 - a[1] * b2 - a[0] * b3;
        *by_a =
            decay * (1 + 2 * u) - 3 / zeta[0] * both + r * factor * (0.5 * even + 0.25 * x * odd);
    }
    return -decay * (1 + u) / r - both;
}

static double combine_either(const slater_shape *shape, const auxiliary *aux, const double zeta[2],
                             double r, double decay, double sign, double *by_a)
{
    if (shape->nb == 1) return combine_1s(aux, zeta, r, decay, sign, by_a);
    return combine(shape, aux, zeta, r, decay, sign, by_a);
}

double slater_excess(const slater_shape *shape, const double zeta[2], double r, double *by_a,
                     double *by_b)
{
    const double p = (zeta[0] + zeta[1]) * r, y = (zeta[0] - zeta[1]) * r, by_p = 1 / p;
    const double decay = exp(-p), grow = exp(y), fall = 1 / grow;
    auxiliary aux;
    aux.top = shape->size - (by_a || by_b ? 1 : 2);
    aux.a[0] = decay * by_p;
    for (int32_t i = 1; i <= aux.top; ++i) aux.a[i] = aux.a[0] + i * by_p * aux.a[i - 1];
    fill_b(aux.b, aux.top, y, grow, fall);
    if (by_b)
        (void)combine_either(shape, &aux, (const double[2]){zeta[1], zeta[0]}, r, decay * grow, -1,
                             by_b);
    return combine_either(shape, &aux, zeta, r, decay * fall, 1, by_a);
}

/* The excess falls off like exp(-t) t^(N-1)/(N-1)! with t = 2 zeta r and N = 2 (na + nb) at most. */
double slater_reach(int32_t sum_n)
{
    double factorial = 1, t = 30;
    for (int32_t k = 2; k < 2 * sum_n; ++k) factorial *= k;
    for (int k = 0; k < 20; ++k) t = 27.6 + (2 * sum_n - 1) * log(t) - log(factorial);
    return t / 2;
}

double slater_repulsion(slater_cloud a, slater_cloud b, double r)
{
    slater_shape shape;
    if (a.n > b.n) return slater_repulsion(b, a, r);
    if (r > slater_reach(a.n + b.n) / fmin(a.zeta, b.zeta)) return 1 / r;
    r = fmax(r, LEAST_R);
    slater_shape_init(&shape, a.n, b.n);
    return 1 / r + slater_excess(&shape, (const double[2]){a.zeta, b.zeta}, r, NULL, NULL);
}
