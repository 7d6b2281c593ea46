/* SPDX-License-Identifier: BSD-3-Clause
 * The reciprocal part of the Ewald sum of a system that repeats in two directions.
 *
 * Parry, Surf. Sci. 49 (1975) 433, with z^2 replaced by Z^2 = z^2 + d^2 for damped charges. The
 * potential of a lattice of unit charges, less erfc(alpha s)/s over its images, is at height z
 *   k > 0:  pi/(A k) cos(k.r) [e^{kZ} erfc(k/2alpha + alpha Z) + e^{-kZ} erfc(k/2alpha - alpha Z)]
 *   k = 0:  -2 pi/A [Z erf(alpha Z) + exp(-alpha^2 Z^2)/(alpha sqrt(pi))]
 * up to a constant, which is infinite but the same for all, so the whole must be neutral. */
#include "backend/ref/ref.h"

#include "constants.h"

ref_slab ref_slab_of(const ref_lattice *lattice, const ref_ewald *ewald, double damping)
{
    ref_slab s = {
        .alpha = ewald->alpha, .damping = damping, .area = lattice->measure, .k_cut = ewald->k_cut};
    for (int k = 0, n = 0; k < 3; ++k) {
        if (!lattice->pbc[k]) {
            s.normal = lattice->a[k];
            continue;
        }
        s.b[n] = v3_scale(2.0 * PI, lattice->b[k]);
        s.last[n++] = (int32_t)floor(ewald->k_cut * v3_length(lattice->a[k]) / (2.0 * PI));
    }
    return s;
}

/* e^{kZ} erfc(k/2alpha + alpha Z). Past 26 erfc is below 1e-290; before, e^{kZ} is below e^338. */
static double growing(double alpha, double k, double z)
{
    const double u = 0.5 * k / alpha + alpha * z;
    return u > 26.0 ? 0.0 : exp(k * z) * erfc(u);
}

/* Adds x (a b + b a)/2. */
static void add_product(double strain[3][3], double x, v3 a, v3 b)
{
    const double u[3] = {a.x, a.y, a.z}, v[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) strain[i][j] += 0.5 * x * (u[i] * v[j] + u[j] * v[i]);
}

/* Under strain e the area grows by what the trace of e has in the plane. */
static void strain_area(const ref_slab *s, double x, double strain[3][3])
{
    for (int c = 0; c < 3; ++c) strain[c][c] -= x;
    add_product(strain, x, s->normal, s->normal);
}

/* Adds the k-vectors +k and -k to the potential at d, to its gradient and to its slope by strain e: with the normal n
 * the phase k.d grows by 2 z k e n, z by z n e n, and k^2 by -2 k e k. */
static double add_kvec(const ref_slab *s, v3 k, v3 d, v3 *grad, double weight, double strain[3][3])
{
    const double z = v3_dot(d, s->normal), Z = sqrt(z * z + s->damping * s->damping);
    const double lk = v3_length(k), phase = v3_dot(k, d);
    const double up = growing(s->alpha, lk, Z);
    const double down = exp(-lk * Z) * erfc(0.5 * lk / s->alpha - s->alpha * Z);
    const double factor = 2.0 * PI / (s->area * lk);
    const double along = -factor * sin(phase) * (up + down);
    const double across = Z > 0.0 ? factor * lk * cos(phase) * (up - down) * z / Z : 0.0;
    *grad = v3_add(*grad, v3_add(v3_scale(along, k), v3_scale(across, s->normal)));
    const double value = factor * cos(phase) * (up + down);
    if (!strain) return value;
    const double gauss = exp(-0.25 * lk * lk / (s->alpha * s->alpha) - s->alpha * s->alpha * Z * Z);
    const double by_k = factor * cos(phase) *
                        (Z * (up - down) - 2.0 * gauss / (s->alpha * sqrt(PI)) - (up + down) / lk);
    strain_area(s, weight * value, strain);
    add_product(strain, 2.0 * weight * z * along, k, s->normal);
    add_product(strain, weight * z * across, s->normal, s->normal);
    add_product(strain, -weight * by_k / lk, k, k);
    return value;
}

double ref_slab_potential(const ref_slab *s, v3 d, v3 *grad, double weight, double strain[3][3])
{
    const double z = v3_dot(d, s->normal), Z2 = z * z + s->damping * s->damping;
    double slope;
    const double smooth = ref_ewald_erf(s->alpha, Z2, &slope); /* erf(alpha Z)/Z */
    *grad = v3_scale(-2.0 * PI / s->area * smooth * z, s->normal);
    double sum = -2.0 * PI / s->area *
                 (Z2 * smooth + exp(-s->alpha * s->alpha * Z2) / (s->alpha * sqrt(PI)));
    if (strain) {
        strain_area(s, weight * sum, strain);
        add_product(strain, -2.0 * PI / s->area * weight * smooth * z * z, s->normal, s->normal);
    }
    for (int32_t na = 0; na <= s->last[0]; ++na)
        for (int32_t nb = na > 0 ? -s->last[1] : 1; nb <= s->last[1]; ++nb) {
            const v3 k = v3_add(v3_scale(na, s->b[0]), v3_scale(nb, s->b[1]));
            if (v3_dot(k, k) <= s->k_cut * s->k_cut) sum += add_kvec(s, k, d, grad, weight, strain);
        }
    return sum;
}

static double potential(const void *lattice, v3 d, v3 *grad, double weight, double strain[3][3])
{
    return ref_slab_potential(lattice, d, grad, weight, strain);
}

void ref_slab_sum(const ref_system *sys, const ref_ewald *ewald, ref_sink *sink)
{
    const ref_slab s = ref_slab_of(&sys->lattice, ewald, ref_damping(sys));
    ref_smooth_sum(sys, ewald, potential, &s, sink);
}
