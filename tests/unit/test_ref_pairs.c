/* SPDX-License-Identifier: BSD-3-Clause
 * Van der Waals and Coulomb pairs of the reference: isolated, and van der Waals by images. */
#include "ref_probe.h"

#include "constants.h"

enum { N_TRIES = 20 };

static const int32_t home[3] = {0, 0, 0};
static double worst_error, worst_force, worst_torque;

static void only(probe *p, int term)
{
    p->options.terms_off = ~(1u << term);
}

/* n atoms of unlike parameters, none of them nearer than a distance to another one or an image. */
static void make(probe *p, int32_t n, uint64_t *seed, double size, double nearest)
{
    probe_init(p, n);
    p->system.view.has_charges = true;
    for (int32_t i = 0; i < n; ++i) {
        p->vdw_x[i] = 2.5 + 1.5 * probe_random(seed);
        p->vdw_d[i] = 0.002 + 0.01 * probe_random(seed);
        p->charges[i] = probe_random(seed) - 0.5;
    }
    for (bool good = false; !good;) {
        probe_scatter(p, seed, size);
        good = true;
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < i; ++j) good = good && probe_distance(p, i, j) > nearest;
    }
}

static void check_forces(probe *p, bool isolated)
{
    double force, torque;
    const double error = probe_force_error(p, 5e-4);
    probe_balance(p, &force, &torque);
    CHECK(error <= 1e-8);
    CHECK(force <= 1e-12);
    worst_error = fmax(worst_error, error);
    worst_force = fmax(worst_force, force);
    if (!isolated) return;
    CHECK(torque <= 1e-12);
    worst_torque = fmax(worst_torque, torque);
}

static void test_isolated(void)
{
    static probe p;
    uint64_t seed = 11;
    for (int t = 0; t < N_TRIES; ++t) {
        make(&p, 6, &seed, 6.0, 1.8);
        probe_exclude(&p, 0, 1, home);
        probe_exclude(&p, 3, 1, home);
        only(&p, SHOAL_TERM_VDW);
        p.options.mixing = t % 2 ? SHOAL_MIXING_ARITHMETIC : SHOAL_MIXING_GEOMETRIC;
        check_forces(&p, true);
        only(&p, SHOAL_TERM_COULOMB);
        p.options.coulomb_damping = t % 2 ? 1.0 : 0.0;
        check_forces(&p, true);
    }
}

static void test_two_atoms(void)
{
    static probe p;
    probe_init(&p, 2);
    only(&p, SHOAL_TERM_VDW);
    p.vdw_x[0] = 3.0, p.vdw_x[1] = 4.0;
    p.vdw_d[0] = 0.002, p.vdw_d[1] = 0.008;
    p.charges[0] = 0.3, p.charges[1] = -0.5;
    p.pos[1][2] = sqrt(12.0);
    CHECK_NEAR(probe_energy(&p), -0.004, 1e-16);
    CHECK_NEAR(p.result.fmax, 0.0, 1e-16);
    p.options.mixing = SHOAL_MIXING_ARITHMETIC;
    p.pos[1][2] = 3.5;
    CHECK_NEAR(probe_energy(&p), -0.004, 1e-16);
    p.pos[1][2] = 34.9;
    CHECK(probe_energy(&p) < 0.0);
    p.pos[1][2] = 35.1; /* beyond ten x */
    CHECK_NEAR(probe_energy(&p), 0.0, 0.0);
    only(&p, SHOAL_TERM_COULOMB);
    CHECK_NEAR(probe_energy(&p), 0.0, 0.0); /* no charges were given */
    p.system.view.has_charges = true;
    p.pos[1][2] = 3.0;
    CHECK_NEAR(probe_energy(&p), -COULOMB_CONSTANT * 0.15 / 3.0, 1e-15);
    p.options.coulomb_damping = 4.0;
    CHECK_NEAR(probe_energy(&p), -COULOMB_CONSTANT * 0.15 / 5.0, 1e-15);
    CHECK_NEAR(p.result.fmax, COULOMB_CONSTANT * 0.15 * 3.0 / 125.0, 1e-15);
    probe_exclude(&p, 0, 1, home);
    CHECK_NEAR(probe_energy(&p), 0.0, 0.0);
}

/* Sum over a box of images, all pairs in both directions, halved: written apart from the
 * reference's own loops. */
static double brute_force(const probe *p, int reach)
{
    const double off = p->options.vdw_cutoff, on = off * 5.0 / 6.0;
    const bool *pbc = p->system.view.pbc;
    double sum = 0.0;
    for (int na = -reach * pbc[0]; na <= reach * pbc[0]; ++na)
        for (int nb = -reach * pbc[1]; nb <= reach * pbc[1]; ++nb)
            for (int nc = -reach * pbc[2]; nc <= reach * pbc[2]; ++nc)
                for (int32_t i = 0; i < p->system.view.n_atoms; ++i)
                    for (int32_t j = 0; j < p->system.view.n_atoms; ++j) {
                        const int32_t shift[3] = {na, nb, nc};
                        double r2 = 0.0;
                        for (int k = 0; k < 3; ++k) {
                            double d = p->pos[j][k] - p->pos[i][k];
                            for (int m = 0; m < 3; ++m) d += shift[m] * p->system.cell[m][k];
                            r2 += d * d;
                        }
                        if (r2 == 0.0 || r2 >= off * off) continue;
                        if (ref_excluded(&p->system.view, i, j, shift)) continue;
                        const double x = sqrt(p->vdw_x[i] * p->vdw_x[j]);
                        const double u = pow(x * x / r2, 3.0), y = (sqrt(r2) - on) / (off - on);
                        const double s =
                            y <= 0.0 ? 1.0 : pow(1.0 - y, 3.0) * (1.0 + 3.0 * y + 6.0 * y * y);
                        sum += 0.5 * s * sqrt(p->vdw_d[i] * p->vdw_d[j]) * (u * u - 2.0 * u);
                    }
    return sum;
}

static const double wide[3][3] = {{14.0, 0.5, 0.2}, {-3.0, 15.0, 0.4}, {2.0, 1.0, 13.0}};
static const double narrow[3][3] = {{5.0, 0.5, 0.2}, {-2.0, 4.5, 0.4}, {1.5, 1.0, 4.0}};

static void test_periodic(void)
{
    static probe p;
    uint64_t seed = 12;
    const int32_t along[3] = {1, 0, 0}, across[3] = {0, -1, 0};
    for (int kind = 1; kind < 8; ++kind)
        for (int small = 0; small < 2; ++small) {
            make(&p, small ? 3 : 8, &seed, small ? 3.0 : 8.0, 1.5);
            only(&p, SHOAL_TERM_VDW);
            probe_cell(&p, small ? narrow : wide, kind & 1, kind & 2, kind & 4);
            probe_exclude(&p, 0, 1, home);
            if (kind & 1) probe_exclude(&p, 1, 2, along);
            if (kind & 1) probe_exclude(&p, 2, 2, along);
            if (kind & 2) probe_exclude(&p, 0, 2, across);
            const double want = brute_force(&p, small ? 7 : 2);
            CHECK_NEAR(probe_energy(&p), want, 1e-12 * (1.0 + fabs(want)));
            check_forces(&p, false);
        }
}

/* A supercell has as many times the energy; atoms may lie outside the cell. */
static void test_supercell(void)
{
    static probe p, q;
    uint64_t seed = 13;
    const int32_t along[3] = {1, 0, 0};
    make(&p, 5, &seed, 4.0, 1.5);
    only(&p, SHOAL_TERM_VDW);
    probe_cell(&p, narrow, true, true, true);
    probe_exclude(&p, 0, 1, home);
    probe_exclude(&p, 1, 2, along);
    probe_init(&q, 10);
    only(&q, SHOAL_TERM_VDW);
    probe_cell(&q, narrow, true, true, true);
    for (int k = 0; k < 3; ++k) q.system.cell[0][k] *= 2.0;
    for (int i = 0; i < 10; ++i) {
        q.vdw_x[i] = p.vdw_x[i % 5];
        q.vdw_d[i] = p.vdw_d[i % 5];
        for (int k = 0; k < 3; ++k) q.pos[i][k] = p.pos[i % 5][k] + (i / 5) * narrow[0][k];
    }
    probe_exclude(&q, 0, 1, home);
    probe_exclude(&q, 5, 6, home);
    probe_exclude(&q, 1, 7, home);
    probe_exclude(&q, 6, 2, along);
    const double energy = probe_energy(&p);
    CHECK_NEAR(probe_energy(&q), 2.0 * energy, 1e-12 * fabs(energy));
    for (int i = 0; i < 10; ++i)
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(q.forces[i][k], p.forces[i % 5][k], 1e-12 * p.result.fmax);
    for (int k = 0; k < 3; ++k) p.pos[3][k] += 3.0 * narrow[0][k] - 8.0 * narrow[2][k];
    CHECK_NEAR(probe_energy(&p), energy, 1e-12 * fabs(energy));
}

static void count_rows(void *user, const shoal_term_row *row)
{
    double *sums = user;
    sums[row->term] += row->energy;
    CHECK(row->index == -1 && row->n_atoms == 2);
}

/* The rows shown add up to the energy. */
static void test_explain(void)
{
    static probe p;
    uint64_t seed = 14;
    make(&p, 5, &seed, 6.0, 1.8);
    p.options.terms_off = 0;
    for (int periodic = 0; periodic < 2; ++periodic) {
        double sums[SHOAL_N_TERMS] = {0.0};
        if (periodic) probe_cell(&p, narrow, true, true, true);
        (void)probe_energy(&p);
        ref_explain(&p.system, (const double(*)[3])p.pos, &p.options, count_rows, sums);
        const double vdw = p.result.terms[SHOAL_TERM_VDW];
        CHECK_NEAR(sums[SHOAL_TERM_VDW], vdw, 1e-13 * fabs(vdw));
        CHECK_NEAR(sums[SHOAL_TERM_COULOMB], periodic ? 0.0 : p.result.terms[SHOAL_TERM_COULOMB],
                   1e-13);
    }
}

static void test_refusals(void)
{
    static probe p;
    uint64_t seed = 15;
    const double tiny[3][3] = {{0.01, 0.0, 0.0}, {0.0, 0.01, 0.0}, {0.0, 0.0, 0.01}};
    const double flat[3][3] = {{4.0, 0.0, 0.0}, {8.0, 0.0, 0.0}, {0.0, 0.0, 5.0}};
    const double bad[3][3] = {{INFINITY, 0.0, 0.0}, {0.0, 5.0, 0.0}, {0.0, 0.0, 5.0}};
    make(&p, 2, &seed, 6.0, 1.8);
    only(&p, SHOAL_TERM_VDW);
    probe_cell(&p, tiny, true, true, true);
    CHECK(isnan(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_UNTYPED);
    probe_cell(&p, flat, true, true, false);
    CHECK(isnan(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_NOT_FINITE);
    probe_cell(&p, flat, true, false, true);
    CHECK(isfinite(probe_energy(&p)));
    probe_cell(&p, bad, true, true, true);
    CHECK(isnan(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_NOT_FINITE);
    probe_cell(&p, narrow, true, true, true);
    p.pos[1][0] = 1e12;
    CHECK(isnan(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_NOT_FINITE);
}

int main(void)
{
    test_isolated();
    test_two_atoms();
    test_periodic();
    test_supercell();
    test_explain();
    test_refusals();
    (void)printf("worst: force %.1e, net force %.1e, net torque %.1e of the largest force\n",
                 worst_error, worst_force, worst_torque);
    return check_done();
}
