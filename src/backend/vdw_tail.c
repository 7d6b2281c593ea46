/* SPDX-License-Identifier: BSD-3-Clause
 * The tail of van der Waals sums over a crystal.
 *
 * Where the pair distribution is that of a uniform density (Allen and Tildesley, Computer Simulation of Liquids,
 * 2nd ed. 2017, section 2.8), what is left out of D ((x/r)^12 - 2 (x/r)^6) by the switch S is
 *   E = 1/2 sum_ij (4 pi/V) D (x^12 J_12 - 2 x^6 J_6),  J_k = int_start^inf (1 - S(r)) r^(2-k) dr,
 * over all atoms i and j of the cell, i = j included: these are its images. A pair model of this form has numbers b and
 * a of its own in place of D x^12 and 2 D x^6. */
#include "backend/vdw_tail.h"

#include <math.h>

#include "ff/pair_model.h"

#define SHOAL_REAL double
#include "pair_terms.h"

/* J_k: in closed form beyond the cut-off c, with y = (r - start)/width and 1 - S = 10 y^3 - 15 y^4 + 6 y^5 below,
 * where Simpson's rule leaves 1e-12 of it. */
static double moment(int k, double cutoff)
{
    enum { STEPS = 512 };
    const double start = VDW_SWITCH * cutoff, width = cutoff - start;
    double sum = 0;
    for (int n = 0; n <= STEPS; ++n) {
        const double y = (double)n / STEPS, r = start + y * width;
        const double weight = n == 0 || n == STEPS ? 1 : n % 2 ? 4 : 2;
        sum += weight * y * y * y * (10 + y * (6 * y - 15)) * pow(r, 2 - k);
    }
    return sum * width / (3 * STEPS) + pow(cutoff, 3 - k) / (k - 3);
}

/* sum_ij D x^k, k = 6 or 12. */
static double pair_sum(const shoal_topology_view *v, bool arithmetic, int k)
{
    double all = 0;
    if (!arithmetic) { /* a product of what the atoms have */
        for (int32_t i = 0; i < v->n_atoms; ++i)
            all += sqrt(v->vdw_d[i]) * pow(v->vdw_x[i], 0.5 * k);
        return all * all;
    }
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        double row = 0;
        for (int32_t j = 0; j < v->n_atoms; ++j) {
            const double x = 0.5 * (v->vdw_x[i] + v->vdw_x[j]), x2 = x * x, x6 = x2 * x2 * x2;
            row += sqrt(v->vdw_d[j]) * (k == 6 ? x6 : x6 * x6);
        }
        all += sqrt(v->vdw_d[i]) * row;
    }
    return all;
}

static double model_tail(const shoal_topology_view *v, double six, double twelve)
{
    double all = 0;
    for (int32_t i = 0; i < v->n_atoms; ++i) {
        double row = 0;
        for (int32_t j = 0; j < v->n_atoms; ++j) {
            const pair_numbers n = pair_model_numbers(v->model, v, i, j);
            row += n.b * twelve - n.a * six;
        }
        all += row;
    }
    return all;
}

double vdw_tail(const shoal_topology_view *view, const shoal_engine_options *options, double volume)
{
    const bool off = !options->vdw_tail || options->terms_off >> SHOAL_TERM_VDW & 1;
    const bool arithmetic = options->mixing == SHOAL_MIXING_ARITHMETIC;
    if (off || !view->pbc[0] || !view->pbc[1] || !view->pbc[2]) return 0;
    const double beyond_6 = moment(6, options->vdw_cutoff);
    const double beyond_12 = moment(12, options->vdw_cutoff);
    if (view->model) return 2 * PI / volume * model_tail(view, beyond_6, beyond_12);
    const double six = pair_sum(view, arithmetic, 6), twelve = pair_sum(view, arithmetic, 12);
    return 2 * PI / volume * (twelve * beyond_12 - 2 * six * beyond_6);
}
