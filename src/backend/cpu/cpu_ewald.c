/* SPDX-License-Identifier: BSD-3-Clause
 * The split of Ewald sums and the weights of waves.
 *
 * Ewald, Ann. Phys. 369 (1921) 253; slabs: Parry, Surf. Sci. 49 (1975) 433. With damping d, the
 * transform of erf(alpha s)/s, s^2 = r^2 + d^2, is G(k) = pi int_{1/alpha^2}^inf exp(-k^2 u/4 - d^2/u) du. */
#include "backend/cpu/cpu_ewald.h"

#include <math.h>

#include "base/error.h"

#define SHOAL_REAL double
#include "ewald_terms.h"
#include "pair_terms.h"

#define PI 3.14159265358979323846

/* Cost of a pair in real space relative to that of an atom and a wave (or a pair and a wave of a
 * slab), as measured; they set the best split. */
#define COST_VOLUME 40.0
#define COST_SLAB 2.0

/* int_0^inf f(v) dv by the double-exponential rule v = exp(w - e^-w) (Takahasi and Mori, Publ. RIMS 9
 * (1974) 721), for integrands that vary on the scale of 1 and above. */
static double integrate(double (*f)(double v, double p, double q), double p, double q, double last)
{
    const double step = 1.0 / 16;
    double sum = 0;
    for (double w = -4.25; w <= last; w += step) {
        const double v = exp(w - exp(-w));
        sum += f(v, p, q) * v * (1 + exp(-w));
    }
    return step * sum;
}

/* u = 1/alpha^2 + 4v/k^2; p = (d alpha)^2, q = 4 alpha^2/k^2. */
static double wave_integrand(double v, double p, double q)
{
    return exp(-v - p / (1 + q * v));
}

static double transform(double alpha, double damping, double k2)
{
    const double plain = 4 * PI / k2 * exp(-0.25 * k2 / (alpha * alpha));
    if (damping == 0) return plain;
    return plain * integrate(wave_integrand, damping * damping * alpha * alpha,
                             4 * alpha * alpha / k2, 4.25);
}

/* 1/u = alpha^2 (1 + v) in what is left of the integral at k = 0. */
static double mean_integrand(double v, double p, double q)
{
    (void)q;
    return exp(-p * (1 + v)) / ((1 + v) * (1 + v));
}

/* The integral of erfc(alpha s)/s over all space, angstrom^2. */
static double mean_sharp(double alpha, double damping)
{
    if (damping == 0) return PI / (alpha * alpha);
    return PI / (alpha * alpha) *
           integrate(mean_integrand, damping * damping * alpha * alpha, 0, 42);
}

static double wave2(const cpu_lattice *lattice, const int32_t axis[3], const int32_t n[3])
{
    double k2 = 0;
    for (int c = 0; c < 3; ++c) {
        double k = 0;
        for (int a = 0; a < 3; ++a) k += 2 * PI * n[a] * lattice->dual[axis[a]][c];
        k2 += k * k;
    }
    return k2;
}

/* Weight of a wave, 0 if it is not one of the half that is listed. */
static double weigh(const cpu_ewald *ewald, const cpu_lattice *lattice, double damping,
                    double k_cut, const int32_t n[3])
{
    const bool upper = n[0] > 0 || (n[0] == 0 && (n[1] > 0 || (n[1] == 0 && n[2] > 0)));
    const double k2 = wave2(lattice, ewald->axis, n);
    if (!upper || k2 > k_cut * k_cut) return 0;
    return COULOMB_CONSTANT * transform(ewald->alpha, damping, k2) / lattice->measure;
}

/* Rows of waves; without weights only counts them. */
static void list_rows(cpu_ewald *ewald, const cpu_lattice *lattice, double damping, double k_cut)
{
    ewald->n_rows = ewald->n_places = 0;
    for (int32_t na = 0; na <= ewald->last[0]; ++na)
        for (int32_t nb = na > 0 ? -ewald->last[1] : 0; nb <= ewald->last[1]; ++nb) {
            int32_t last = -1;
            for (int32_t m = 0; m <= ewald->last[2]; ++m)
                for (int sign = -1; sign <= 1; sign += 2) {
                    const double k2 =
                        wave2(lattice, ewald->axis, (const int32_t[3]){na, nb, sign * m});
                    if (k2 <= k_cut * k_cut) last = m;
                }
            if (last < 0) continue;
            for (int32_t m = 0; m <= last && ewald->rows; ++m) {
                double *w = ewald->weights[ewald->n_places + m];
                w[0] = weigh(ewald, lattice, damping, k_cut, (const int32_t[3]){na, nb, m});
                w[1] = m == 0
                           ? 0
                           : weigh(ewald, lattice, damping, k_cut, (const int32_t[3]){na, nb, -m});
            }
            if (ewald->rows)
                ewald->rows[ewald->n_rows] = (cpu_wave_row){{na, nb}, last, ewald->n_places};
            ++ewald->n_rows;
            ewald->n_places += last + 1;
        }
}

static shoal_status init_volume(cpu_ewald *ewald, const cpu_lattice *lattice, double damping,
                                double k_cut, arena *memory)
{
    int longest = 0;
    for (int k = 1; k < 3; ++k)
        if (cpu_length(lattice->a[k]) > cpu_length(lattice->a[longest])) longest = k;
    for (int k = 0; k < 3; ++k) {
        ewald->axis[k] = (longest + 1 + k) % 3;
        ewald->last[k] = (int32_t)floor(k_cut * cpu_length(lattice->a[ewald->axis[k]]) / (2 * PI));
    }
    list_rows(ewald, lattice, damping, k_cut);
    ewald->weights = arena_alloc(memory, (size_t)ewald->n_places, sizeof *ewald->weights);
    ewald->rows = arena_alloc(memory, (size_t)ewald->n_rows, sizeof *ewald->rows);
    if (!ewald->rows || !ewald->weights) return SHOAL_E_MEMORY;
    list_rows(ewald, lattice, damping, k_cut);
    return SHOAL_OK;
}

static shoal_status init_slab(cpu_ewald *ewald, const cpu_lattice *lattice, double k_cut,
                              arena *memory)
{
    const int normal = !lattice->pbc[0] ? 0 : !lattice->pbc[1] ? 1 : 2;
    for (int k = 0; k < 3; ++k) ewald->axis[k] = (normal + 1 + k) % 3;
    for (int k = 0; k < 2; ++k)
        ewald->last[k] = (int32_t)floor(k_cut * cpu_length(lattice->a[ewald->axis[k]]) / (2 * PI));
    const size_t most = (size_t)(ewald->last[0] + 1) * (size_t)(2 * ewald->last[1] + 1);
    ewald->waves = arena_alloc(memory, most, sizeof *ewald->waves);
    if (!ewald->waves) return SHOAL_E_MEMORY;
    for (int32_t na = 0; na <= ewald->last[0]; ++na)
        for (int32_t nb = na > 0 ? -ewald->last[1] : 1; nb <= ewald->last[1]; ++nb) {
            const double k = sqrt(wave2(lattice, ewald->axis, (const int32_t[3]){na, nb, 0}));
            if (k > k_cut) continue;
            ewald->waves[ewald->n_waves++] =
                (cpu_slab_wave){{na, nb}, k, 2 * PI * COULOMB_CONSTANT / (lattice->measure * k)};
        }
    return SHOAL_OK;
}

shoal_status cpu_ewald_init(cpu_ewald *ewald, const cpu_lattice *lattice,
                            const shoal_topology_view *view, const shoal_engine_options *options,
                            double tolerance, arena *memory)
{
    const double size = lattice->measure, damping = options->coulomb_damping;
    const bool slab = lattice->n_periodic == 2;
    *ewald = (cpu_ewald){0};
    ewald->alpha = slab ? pow(2 * PI * PI * COST_SLAB, 0.25) / sqrt(size)
                        : sqrt(PI) * pow(COST_VOLUME * view->n_atoms / (size * size), 1.0 / 6);
    /* Both sums leave out terms of relative weight exp(-x^2); the 4 makes up for their number. */
    const double x = sqrt(4 - log(tolerance)), k_cut = 2 * ewald->alpha * x;
    ewald->r_cut = x / ewald->alpha;
    double charge = 0, squares = 0, slope;
    for (int32_t i = 0; i < view->n_atoms; ++i) {
        charge += view->charges[i];
        squares += view->charges[i] * view->charges[i];
    }
    ewald->constant =
        -0.5 * COULOMB_CONSTANT * squares * ewald_smooth(ewald->alpha, damping * damping, &slope);
    if (slab) return init_slab(ewald, lattice, k_cut, memory);
    ewald->constant -=
        0.5 * COULOMB_CONSTANT * charge * charge * mean_sharp(ewald->alpha, damping) / size;
    return init_volume(ewald, lattice, damping, k_cut, memory);
}
