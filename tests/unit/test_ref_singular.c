/* SPDX-License-Identifier: BSD-3-Clause
 * Geometries where the plain formulas break down: finite energies, forces true to them, or a status
 * that says which atom and term left the finite numbers. */
#include "ref_probe.h"

#include "constants.h"

static double worst_error;

/* Forces against differences near a singularity: the step follows the distance from it. */
static void check_near(probe *p, double distance, double tolerance)
{
    const double error = probe_force_error(p, 3e-4 * distance);
    CHECK(isfinite(p->result.energy));
    CHECK(error <= tolerance);
    worst_error = fmax(worst_error, error);
}

static void place(probe *p, int32_t i, double x, double y, double z)
{
    p->pos[i][0] = x;
    p->pos[i][1] = y;
    p->pos[i][2] = z;
}

static const double distances[] = {1e-1, 3e-2, 1.1e-2, 1e-2, 9e-3, 5e-3, 3e-3, 1e-3, 3e-4, 1e-4};
enum { N_DISTANCES = sizeof distances / sizeof distances[0] };

static void test_straight_angle(void)
{
    static probe p;
    probe_init(&p, 3);
    probe_set(&p, angle_record(0, 1, 2, 4.0, (const double[]){0.3, 0.2, 0.4, -1.0, 0.1}));
    for (int end = -1; end <= 1; end += 2) {
        for (int k = 0; k < N_DISTANCES; ++k) {
            place(&p, 0, 1.1, 0.0, 0.0);
            place(&p, 2, end * 1.4, 1.4 * distances[k], 0.0);
            const double error = probe_force_error(&p, 1e-3);
            CHECK(error <= 1e-8 / distances[k]); /* differences of a force that goes to zero */
        }
        place(&p, 2, end * 1.4, 0.0, 0.0);
        const double want = 4.0 * (0.3 + 0.2 * end + 0.4 - 1.0 * end + 0.1);
        CHECK_NEAR(probe_energy(&p), want, 1e-14);
        CHECK_NEAR(p.result.fmax, 0.0, 1e-14);
    }
}

/* Tilted out of every axis, so that no rounding vanishes by luck. */
static void tilt(probe *p)
{
    const v3 x = {0.48, 0.60, 0.64}, y = {0.8, -0.6, 0.0};
    const v3 z = v3_cross(x, y);
    for (int32_t i = 0; i < p->system.view.n_atoms; ++i) {
        const v3 r = v3_add(v3_scale(p->pos[i][0], x),
                            v3_add(v3_scale(p->pos[i][1], y), v3_scale(p->pos[i][2], z)));
        place(p, i, r.x, r.y, r.z);
    }
}

static void test_straight_torsion(void)
{
    static probe p;
    probe_init(&p, 4);
    for (int n = 1; n <= 6; ++n)
        for (int k = 0; k < N_DISTANCES; ++k) {
            const double e = distances[k];
            probe_set(&p, torsion_record(0.3, n % 2 ? 1.0 : -1.0, n));
            place(&p, 0, -1.2, 0.6 * 1.2 * e, 0.8 * 1.2 * e);
            place(&p, 1, 0.0, 0.0, 0.0);
            place(&p, 2, 1.4, 0.0, 0.0);
            place(&p, 3, 2.0, 0.9, 0.3);
            tilt(&p);
            check_near(&p, e, 2e-5);
            place(&p, 0, -1.2, 0.6 * 1.2 * e, 0.8 * 1.2 * e);
            place(&p, 1, 0.0, 0.0, 0.0);
            place(&p, 2, 1.4, 0.0, 0.0);
            place(&p, 3, 2.4, 0.7 * e, -0.7 * e);
            tilt(&p);
            check_near(&p, e, 2e-5);
        }
    place(&p, 0, -1.2, 0.0, 0.0);
    place(&p, 1, 0.0, 0.0, 0.0);
    place(&p, 2, 1.4, 0.0, 0.0);
    place(&p, 3, 2.4, 0.0, 0.0);
    CHECK_NEAR(probe_energy(&p), 0.0, 0.0);
    CHECK_NEAR(p.result.fmax, 0.0, 0.0);
}

/* The plain formula to the last digit 0.6 degrees from straight. */
static void test_torsion_is_plain(void)
{
    static probe p;
    probe_init(&p, 4);
    probe_set(&p, torsion_record(0.3, 1.0, 2));
    const double e = 0.0101, phi = 0.7;
    place(&p, 0, -cos(e), sin(e), 0.0);
    place(&p, 2, 1.4, 0.0, 0.0);
    place(&p, 3, 1.8, 0.9 * cos(phi), 0.9 * sin(phi));
    CHECK_NEAR(probe_energy(&p), 0.3 * (1.0 - cos(2.0 * phi)), 1e-13);
}

static void test_inversion(void)
{
    static probe p;
    const double w0 = 84.4339 / DEGREES, c = cos(w0);
    const double forms[2][3] = {{1.0, -1.0, 0.0}, {4.0 * c * c - cos(2.0 * w0), -4.0 * c, 1.0}};
    probe_init(&p, 4);
    for (int form = 0; form < 2; ++form)
        for (int k = 0; k < N_DISTANCES; ++k) {
            const double e = distances[k];
            probe_set(&p, inversion_record(0.7, forms[form]));
            place(&p, 1, 0.0, 0.0, 0.0);
            place(&p, 0, 1.2, 0.0, 0.0); /* l near the normal of i-j-k */
            place(&p, 2, -0.5, 1.1, 0.0);
            place(&p, 3, 0.6 * e, 0.8 * e, 1.0);
            tilt(&p);
            check_near(&p, e, 2e-5);
            place(&p, 1, 0.0, 0.0, 0.0);
            place(&p, 0, 1.2, 0.0, 0.0); /* i-j-k near straight */
            place(&p, 2, -1.1, 0.6 * 1.1 * e, 0.8 * 1.1 * e);
            place(&p, 3, 0.2, 0.3, 1.0);
            tilt(&p);
            check_near(&p, e, 2e-5);
        }
    place(&p, 1, 0.0, 0.0, 0.0);
    place(&p, 0, 1.2, 0.0, 0.0);
    place(&p, 2, 0.0, 1.1, 0.0);
    place(&p, 3, 0.0, 0.0, 1.0);
    CHECK_NEAR(probe_energy(&p), 0.7 * (forms[1][0] + forms[1][1] * 0.000375 - forms[1][2]), 1e-14);
    CHECK_NEAR(p.result.fmax, 0.0, 1e-14);
    place(&p, 2, -1.2, 0.0, 0.0);
    CHECK_NEAR(probe_energy(&p), 0.0, 0.0);
    CHECK_NEAR(p.result.fmax, 0.0, 0.0);
    p.pos[3][2] = 0.0; /* l on the centre */
    p.pos[2][1] = 1.0;
    CHECK(isfinite(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_OK);
}

/* All atoms in one point: bonded terms stay finite. */
static void test_coincident_bonded(void)
{
    static probe p;
    probe_init(&p, 4);
    probe_add(&p, bond_record(0, 1, 30.0, 1.5));
    probe_add(&p, angle_record(0, 1, 2, 4.0, (const double[]){1.0, 1.0, 0.0, 0.0, 0.0}));
    probe_add(&p, torsion_record(0.3, 1.0, 3));
    probe_add(&p, inversion_record(0.7, (const double[]){1.0, -1.0, 0.0}));
    CHECK(isfinite(probe_energy(&p)));
    CHECK_NEAR(p.result.terms[SHOAL_TERM_BOND], 15.0 * 1.5 * 1.5, 1e-13);
    CHECK(p.result.status == SHOAL_SYSTEM_OK);
    CHECK_NEAR(p.result.fmax, 0.0, 0.0);
    place(&p, 2, 1.0, 0.0, 0.0);
    place(&p, 3, 0.0, 1.0, 0.0);
    CHECK(isfinite(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_OK);
    place(&p, 1, 1e-9, 0.0, 0.0);
    CHECK(isfinite(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_OK);
    place(&p, 1, 1e-5, 2e-5, -1e-5); /* a short bond: true to the energy nevertheless */
    probe_set(&p, bond_record(0, 1, 30.0, 1.5));
    CHECK(probe_force_error(&p, 1e-7) <= 1e-6);
}

static void test_coincident_pairs(void)
{
    static probe p;
    probe_init(&p, 3);
    p.options.terms_off = 0;
    for (int i = 0; i < 3; ++i) {
        p.vdw_x[i] = 3.5;
        p.vdw_d[i] = 0.004;
        p.charges[i] = 0.1;
    }
    p.elements[1] = 1;
    place(&p, 0, 9.0, 0.0, 0.0);
    CHECK(isnan(probe_energy(&p)));
    CHECK(p.result.status == SHOAL_SYSTEM_NOT_FINITE);
    CHECK_TEXT(p.result.reason, "the vdw force on atom 1 (H) is not finite");
    CHECK(isnan(p.result.fmax) && isnan(p.forces[0][0]) && isnan(p.result.terms[SHOAL_TERM_BOND]));
    p.options.terms_off = 1u << SHOAL_TERM_VDW;
    p.system.view.has_charges = true;
    (void)probe_energy(&p);
    CHECK_TEXT(p.result.reason, "the coulomb force on atom 1 (H) is not finite");
    p.options.coulomb_damping = 1.0;
    CHECK(isfinite(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_OK);
    CHECK_TEXT(p.result.reason, "");
    p.pos[2][1] = NAN;
    (void)probe_energy(&p);
    CHECK(p.result.status == SHOAL_SYSTEM_NOT_FINITE);
    CHECK_TEXT(p.result.reason, "the position of atom 2 (C) is not finite");
}

int main(void)
{
    test_straight_angle();
    test_straight_torsion();
    test_torsion_is_plain();
    test_inversion();
    test_coincident_bonded();
    test_coincident_pairs();
    (void)printf("worst: force %.1e of the largest force, near singularities\n", worst_error);
    return check_done();
}
