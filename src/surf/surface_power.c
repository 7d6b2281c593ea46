/* SPDX-License-Identifier: BSD-3-Clause
 * Smooth parts of powers of the distance, by quadrature. */
#include "surf/surface_power.h"

#include <math.h>

#include "constants.h"

/* Gauss-Legendre in v with tau = v^4, which spreads the scales of exp(-tau z^2 - g/tau): 4e-14 of
 * the largest value for all heights and k-vectors. */
void power_rule_make(power_rule *rule)
{
    for (int i = 0; i < POWER_NODES; ++i) {
        double x = cos(PI * (i + 0.75) / (POWER_NODES + 0.5)), slope = 1.0, step = 1.0;
        for (int round = 0; round < 50 && fabs(step) > 1e-16; ++round) {
            double p = 1.0, q = x;
            for (int k = 2; k <= POWER_NODES; ++k) {
                const double next = ((2 * k - 1) * x * q - (k - 1) * p) / k;
                p = q;
                q = next;
            }
            slope = POWER_NODES * (x * q - p) / (x * x - 1.0);
            step = q / slope;
            x -= step;
        }
        const double v = 0.5 * (x + 1.0);
        rule->node[i] = v * v * v * v;
        rule->weight[i] = 4.0 * v * v * v / ((1.0 - x * x) * slope * slope);
    }
}

void power_factors(const power_rule *rule, const power_split *split, double g,
                   double out[POWER_NODES])
{
    const int p = split->p;
    const double eta = split->eta, y = 0.25 * g * g / (eta * eta);
    double factorial = p % 2 == 1 ? tgamma(0.5 * p) : 1.0;
    for (int k = 2; k < p / 2 && p % 2 == 0; ++k) factorial *= k;
    const double scale = PI / factorial * pow(eta, p - 2) / split->area;
    for (int k = 0; k < POWER_NODES; ++k) {
        const double t = rule->node[k];
        const double power = p == 6 ? t : p == 8 ? t * t : p == 9 ? t * t * sqrt(t) : t * t * t * t;
        out[k] = scale * rule->weight[k] * power * exp(-y / t);
    }
}

void power_decay(const power_rule *rule, double eta, double z, double out[POWER_NODES])
{
    const double x = eta * eta * z * z;
    for (int k = 0; k < POWER_NODES; ++k) out[k] = exp(-rule->node[k] * x);
}

double power_sum(const double factors[POWER_NODES], const double decay[POWER_NODES])
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < POWER_NODES; k += 4)
        for (int j = 0; j < 4; ++j) sum[j] += factors[k + j] * decay[k + j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Gamma(p/2, x) / Gamma(p/2): with p even exp(-x) sum_k x^k/k!, else from erfc upwards. */
static double gamma_above(int p, double x)
{
    double term = 1.0, sum = 0.0;
    if (p % 2 == 0) {
        for (int k = 0; k <= p / 2 - 1; term *= x / ++k) sum += term;
        return exp(-x) * sum;
    }
    term = 2.0 * sqrt(x / PI);
    for (int k = 1; k < p; k += 2, term *= x / (0.5 * k)) sum += term;
    return erfc(sqrt(x)) + exp(-x) * sum;
}

/* With n = p/2, pi/Gamma(n) int_0^eta^2 t^(n-2) exp(-t z^2) dt: an incomplete gamma function. */
double power_mean(double eta, int p, double z)
{
    const double x = eta * eta * z * z, m = 0.5 * p - 1.0;
    double term = 1.0, sum = 0.0;
    if (x > 20.0) return PI / m * (1.0 - gamma_above(p - 2, x)) / pow(z, p - 2);
    if (p % 2 == 1) term = 1.0 / tgamma(m + 1.0);
    for (int k = 1; k <= p / 2 - 1 && p % 2 == 0; ++k) term /= k;
    for (int k = 0; k < 120; ++k, term *= x / (m + k)) sum += term;
    return PI / m * pow(eta, p - 2) * exp(-x) * sum;
}
