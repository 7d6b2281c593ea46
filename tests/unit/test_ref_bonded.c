/* SPDX-License-Identifier: BSD-3-Clause
 * Bonds, angles, torsions and inversions of the reference: energies, forces, net force, torque. */
#include "ref_probe.h"

#include "constants.h"

enum { N_TRIES = 60 };

static double worst_error, worst_force, worst_torque;

/* Forces against differences, no net force, no net torque. */
static void check_forces(probe *p)
{
    double force, torque;
    const double error = probe_force_error(p, 5e-4);
    probe_balance(p, &force, &torque);
    CHECK(error <= 1e-8);
    CHECK(force <= 1e-13);
    CHECK(torque <= 1e-12);
    worst_error = fmax(worst_error, error);
    worst_force = fmax(worst_force, force);
    worst_torque = fmax(worst_torque, torque);
}

/* A chain of atoms with no distance below 0.7 A and no bend within 25 degrees of straight. */
static void scatter_chain(probe *p, uint64_t *seed)
{
    const int32_t n = p->system.view.n_atoms;
    for (bool good = false; !good;) {
        probe_scatter(p, seed, 3.0);
        good = true;
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < i; ++j) good = good && probe_distance(p, i, j) > 0.7;
        for (int32_t i = 0; i + 2 < n; ++i) good = good && probe_sin2(p, i, i + 1, i + 2) > 0.18;
    }
}

static void test_bond(void)
{
    static probe p;
    uint64_t seed = 1;
    probe_init(&p, 2);
    probe_set(&p, bond_record(0, 1, 30.0, 1.5));
    for (int t = 0; t < N_TRIES; ++t) {
        scatter_chain(&p, &seed);
        check_forces(&p);
        const double r = probe_distance(&p, 0, 1);
        CHECK_NEAR(p.result.terms[SHOAL_TERM_BOND], 15.0 * (r - 1.5) * (r - 1.5), 1e-13);
    }
}

static void test_angle(void)
{
    static probe p;
    uint64_t seed = 2;
    probe_init(&p, 3);
    for (int n = 0; n <= 4; ++n)
        for (int t = 0; t < N_TRIES; ++t) {
            double c[5] = {0.5};
            c[n] += 1.0;
            probe_set(&p, angle_record(0, 1, 2, 4.5, c));
            scatter_chain(&p, &seed);
            const double angle = asin(sqrt(probe_sin2(&p, 0, 1, 2)));
            const v3 u = v3_sub(v3_from(p.pos[0]), v3_from(p.pos[1]));
            const v3 v = v3_sub(v3_from(p.pos[2]), v3_from(p.pos[1]));
            const double a = v3_dot(u, v) < 0.0 ? acos(-1.0) - angle : angle;
            CHECK_NEAR(probe_energy(&p), 4.5 * (0.5 + cos(n * a)), 1e-12);
            if (n > 0) check_forces(&p);
        }
}

static void test_torsion(void)
{
    static probe p;
    uint64_t seed = 3;
    probe_init(&p, 4);
    for (int n = 1; n <= 6; ++n)
        for (int sign = -1; sign <= 1; sign += 2)
            for (int t = 0; t < N_TRIES; ++t) {
                probe_set(&p, torsion_record(0.3, sign, n));
                scatter_chain(&p, &seed);
                check_forces(&p);
            }
}

/* The energy of a torsion of known angle; the visitor reports the angle with the IUPAC sign. */
static void keep_row(void *user, const shoal_term_row *row)
{
    *(shoal_term_row *)user = *row;
}

static void test_torsion_angle(void)
{
    static probe p;
    probe_init(&p, 4);
    for (int degrees = -170; degrees <= 180; degrees += 10) {
        const double phi = degrees / DEGREES;
        const double pos[4][3] = {
            {1.0, 0.0, 0.2}, {0.0, 0.0, 0.0}, {0.0, 0.0, -1.3}, {cos(phi), -sin(phi), -1.7}};
        memcpy(p.pos, pos, sizeof pos);
        probe_set(&p, torsion_record(0.3, -1.0, 3));
        CHECK_NEAR(probe_energy(&p), 0.3 * (1.0 + cos(3.0 * phi)), 1e-14);
        shoal_term_row row;
        ref_explain(&p.system, (const double(*)[3])p.pos, &p.options, keep_row, &row);
        CHECK(row.term == SHOAL_TERM_TORSION && row.n_atoms == 4 && row.index == 0);
        /* Seen along j to k, which is here down the z axis, clockwise is positive. */
        CHECK_NEAR(cos((row.value - degrees) / DEGREES), 1.0, 1e-12);
    }
}

static void test_inversion(void)
{
    static probe p;
    uint64_t seed = 4;
    const double w0 = 84.4339 / DEGREES, c = cos(w0);
    const double forms[2][3] = {{1.0, -1.0, 0.0}, {4.0 * c * c - cos(2.0 * w0), -4.0 * c, 1.0}};
    probe_init(&p, 4);
    for (int form = 0; form < 2; ++form)
        for (int t = 0; t < N_TRIES; ++t) {
            probe_set(&p, inversion_record(0.7, forms[form]));
            shoal_term_row row = {.value = 90.0};
            while (fabs(row.value) > 70.0) {
                scatter_chain(&p, &seed);
                ref_explain(&p.system, (const double(*)[3])p.pos, &p.options, keep_row, &row);
            }
            const double w = row.value / DEGREES;
            CHECK_NEAR(
                row.energy,
                0.7 * (forms[form][0] + forms[form][1] * cos(w) + forms[form][2] * cos(2.0 * w)),
                1e-13);
            check_forces(&p);
        }
}

/* Moving an atom by a lattice vector and telling the terms so changes nothing. */
static void test_shifts(void)
{
    static probe p;
    const double cell[3][3] = {{5.0, 0.3, 0.1}, {-0.4, 6.0, 0.2}, {0.5, 0.6, 7.0}};
    uint64_t seed = 5;
    probe_init(&p, 4);
    probe_cell(&p, cell, true, true, true);
    probe_add(&p, bond_record(0, 1, 30.0, 1.5));
    probe_add(&p, angle_record(0, 1, 2, 4.0, (const double[]){0.3, 0.2, 0.4, -1.0, 0.1}));
    probe_add(&p, torsion_record(0.3, 1.0, 3));
    probe_add(&p, inversion_record(0.7, (const double[]){1.0, -1.0, 0.0}));
    scatter_chain(&p, &seed);
    double terms[SHOAL_N_TERMS];
    (void)probe_energy(&p);
    memcpy(terms, p.result.terms, sizeof terms);
    const int32_t moved[4][3] = {{1, 0, -2}, {0, 0, 0}, {0, 3, 1}, {-1, 1, 0}};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            for (int m = 0; m < 3; ++m) p.pos[i][k] += moved[i][m] * cell[m][k];
    for (int32_t t = 0; t < p.system.view.n_terms; ++t)
        for (int k = 0; k < term_shapes[p.terms[t].kind].n_atoms; ++k)
            for (int m = 0; m < 3; ++m) p.terms[t].shifts[k][m] = -moved[k][m];
    (void)probe_energy(&p);
    for (int t = 0; t < SHOAL_N_TERMS; ++t) CHECK_NEAR(p.result.terms[t], terms[t], 1e-12);
    CHECK(probe_force_error(&p, 1e-3) <= 1e-8);
}

int main(void)
{
    test_bond();
    test_angle();
    test_torsion();
    test_torsion_angle();
    test_inversion();
    test_shifts();
    (void)printf("worst: force %.1e, net force %.1e, net torque %.1e of the largest force\n",
                 worst_error, worst_force, worst_torque);
    return check_done();
}
