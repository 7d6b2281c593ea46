/* SPDX-License-Identifier: BSD-3-Clause
 * Lattices against plain enumeration, symmetry numbers of molecules that are a little off, and records of terms as
 * kernels take them. */
#include "backend/system_check.h"
#include "backend/term_numbers.h"
#include "backend/vdw_tail.h"
#include "check.h"
#include "chem_fixture.h"
#include "geom/ewald.h"
#include "geom/lattice.h"
#include "geom/rotations.h"

#define PI 3.14159265358979323846

static const bool all[3] = {true, true, true};

static void test_images(void)
{
    static const double cube[3][3] = {{10, 0, 0}, {0, 10, 0}, {0, 0, 10}};
    static const double skew[3][3] = {
        {10, 0, 0}, {8, 6, 0}, {0, 0, 20}}; /* planes 6 and 10 x 0.6 apart */
    geom_lattice l;
    CHECK(lattice_init(&l, cube, all));
    CHECK(lattice_count_images(&l, 9) == 27 && lattice_count_images(&l, 12) == 125);
    CHECK(lattice_init(&l, cube, (const bool[3]){true, false, false}));
    CHECK(lattice_count_images(&l, 21) == 7);
    CHECK(lattice_init(&l, skew, all));
    CHECK(lattice_count_images(&l, 11.5) == 5 * 5 * 3);
}

/* The nearest image, wherever the vector points and however skew the cell is. */
static void test_shortest(void)
{
    static const double cells[3][3][3] = {{{5, 0, 0}, {2.4, 4.3, 0}, {-1.9, 1.7, 6}},
                                          {{4, 0, 0}, {3.9, 2, 0}, {3.8, 1.9, 3}},
                                          {{6, 0, 0}, {0, 6, 0}, {2.9, 2.9, 4}}};
    uint32_t state = 5;
    for (int c = 0; c < 3; ++c) {
        geom_lattice l;
        CHECK(lattice_init_reduced(&l, cells[c], all));
        for (int trial = 0; trial < 200; ++trial) {
            double d[3], least = INFINITY;
            for (int k = 0; k < 3; ++k) {
                state = state * 1664525u + 1013904223u;
                d[k] = 20 * ((state >> 8) / 16777216.0 - 0.5);
            }
            for (int n = 0; n < 21 * 21 * 21; ++n) {
                const int m[3] = {n % 21 - 10, n / 21 % 21 - 10, n / 441 - 10};
                double r2 = 0;
                for (int x = 0; x < 3; ++x) {
                    const double r = d[x] + m[0] * cells[c][0][x] + m[1] * cells[c][1][x] +
                                     m[2] * cells[c][2][x];
                    r2 += r * r;
                }
                least = fmin(least, r2);
            }
            CHECK_NEAR(lattice_shortest2(&l, d), least, 1e-9);
        }
    }
}

/* Thin cells are cells; vectors in one plane are none. */
static void test_thin(void)
{
    const double thin[3][3] = {{10, 0, 0}, {10, 0.01, 0}, {0, 0, 10}};
    const double flat[3][3] = {{10, 0, 0}, {10, 1e-9, 0}, {0, 0, 10}};
    geom_lattice l;
    CHECK(lattice_init(&l, thin, all));
    CHECK_NEAR(l.measure, 1, 1e-9);
    CHECK(!lattice_init(&l, flat, all));
}

/* Up to a fifth of the tolerance off in any direction, benzene and methane have their rotations; far off they lose them. */
static void test_distorted(void)
{
    double ring[12][3],
        methane[5][3] = {{0, 0, 0}, {1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    const double hydride[5] = {12, 1, 1, 1, 1};
    double labels[12];
    for (int k = 0; k < 12; ++k) {
        const double r = k < 6 ? 1.4 : 2.5, t = k * PI / 3;
        ring[k][0] = r * cos(t) + 0.004 * (k % 3 - 1);
        ring[k][1] = r * sin(t) + 0.004 * (k % 2);
        ring[k][2] = 0.004 * (k % 4 - 1.5);
        labels[k] = k < 6 ? 12 : 1;
    }
    for (int i = 1; i < 5; ++i) methane[i][i % 3] += 0.012 * (i % 2 ? 1 : -1);
    CHECK(rotations_count(12, (const double(*)[3])ring, labels, 0.1) == 12);
    CHECK(rotations_count(5, (const double(*)[3])methane, hydride, 0.1) == 12);
    methane[4][0] -= 0.5;
    CHECK(rotations_count(5, (const double(*)[3])methane, hydride, 0.1) < 12);
}

/* --- Ewald ---------------------------------------------------------------------------------------- */

/* erf(a s)/s, s^2 = r^2 + d^2, is a sum of Gaussians of r: 2/sqrt(pi) int_0^a exp(-t^2 s^2) dt. Its transform by Simpson's
 * rule: that of exp(-t^2 r^2) is (pi/t^2)^(3/2) exp(-k^2/(4 t^2)). */
static double transform(double alpha, double d, double k2)
{
    enum { STEPS = 2000 };
    double sum = 0;
    for (int n = 1; n <= STEPS; ++n) {
        const double t = alpha * n / STEPS, weight = n == STEPS ? 1 : n % 2 ? 4 : 2;
        sum += weight * pow(PI / (t * t), 1.5) * exp(-t * t * d * d - k2 / (4 * t * t));
    }
    return 2 / sqrt(PI) * sum * alpha / (3 * STEPS);
}

/* 4 pi int erfc(a s)/s r^2 dr, the same way. */
static double mean(double alpha, double d)
{
    enum { STEPS = 4000 };
    const double end = 8 / alpha;
    double sum = 0;
    for (int n = 1; n < STEPS; ++n) {
        const double r = end * n / STEPS, s = sqrt(r * r + d * d);
        sum += (n % 2 ? 4 : 2) * erfc(alpha * s) / s * r * r;
    }
    return 4 * PI * sum * end / (3 * STEPS);
}

static void test_ewald(void)
{
    for (int k = 0; k < 3; ++k) {
        const double d = 0.8 * k, alpha = 0.35;
        CHECK_NEAR(ewald_mean_erfc(alpha, d) / mean(alpha, d), 1, 1e-4);
        for (double k2 = 0.05; k2 < 3; k2 *= 2)
            CHECK_NEAR(ewald_transform(alpha, d, k2) / transform(alpha, d, k2), 1, 1e-6);
    }
    CHECK_NEAR(ewald_mean_erfc(0.5, 0), PI / 0.25, 1e-12);
    /* A chain of 10 angstrom: ten images on either side end at 105, where (2/L) ln(2 x 105) is missing. */
    const ewald_chain c = ewald_chain_choose(10, 1e-6, false);
    CHECK(c.n_images == 10 && c.r_cut == 10 && c.n_split == 1);
    CHECK_NEAR(c.offset, -0.2 * log(210), 1e-12);
    CHECK_NEAR(c.alpha * c.r_cut, ewald_reach(1e-6), 1e-12);
    CHECK_NEAR(ewald_chain_choose(1, 1e-6, true).r_cut, 4.5, 1e-12);
    /* What is left out beyond the reach is some 1e-2 of the tolerance. */
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 10) {
        const double left = erfc(ewald_reach(tolerance)) / tolerance;
        CHECK(left < 0.02 && left > 1e-4);
    }
}

/* --- numbers for kernels -------------------------------------------------------------------------- */

static double series(const shoal_term *t, double angle)
{
    double sum = 0;
    for (int n = 0; n < 5; ++n) sum += t->p[SHOAL_ANGLE_C0 + n] * cos(n * angle);
    return t->p[SHOAL_ANGLE_K] * sum;
}

/* A series in cos nt is the same polynomial in cos t; pairs mix their radii by the rule, unless they have their own. */
static void test_numbers(void)
{
    static const double x[2] = {3, 4}, d[2] = {0.01, 0.04}, q[2] = {0.3, -0.5};
    const shoal_topology_view v = {.n_atoms = 2, .vdw_x = x, .vdw_d = d, .charges = q};
    shoal_engine_options o = {.mixing = SHOAL_MIXING_GEOMETRIC, .coulomb_damping = 0.7};
    double out[TERM_NUMBERS];
    shoal_term angle = {.kind = SHOAL_KIND_ANGLE};
    angle.p[SHOAL_ANGLE_K] = 2.5;
    for (int n = 0; n < 5; ++n) angle.p[SHOAL_ANGLE_C0 + n] = 0.3 + 0.4 * n - 0.15 * n * n;
    angle.p[SHOAL_ANGLE_GUARD] = 11;
    angle.p[SHOAL_ANGLE_GUARD_FROM] = 0.25;
    term_numbers(&angle, &v, &o, out);
    for (double t = 0.2; t < 3.1; t += 0.3) {
        const double c = cos(t);
        CHECK_NEAR(out[0] + c * (out[1] + c * (out[2] + c * (out[3] + c * out[4]))),
                   series(&angle, t), 1e-12);
    }
    CHECK(out[5] == 11 && out[6] == 0.25);
    shoal_term pair = {.kind = SHOAL_KIND_PAIR_VDW, .atoms = {0, 1}};
    pair.p[SHOAL_PAIR_SCALE] = 0.5;
    term_numbers(&pair, &v, &o, out);
    CHECK_NEAR(out[0], pow(12, 3), 1e-9);
    CHECK_NEAR(out[1], 12 * 0.5 * 0.02 * pow(12, 3), 1e-9);
    o.mixing = SHOAL_MIXING_ARITHMETIC;
    term_numbers(&pair, &v, &o, out);
    CHECK_NEAR(out[0], pow(3.5, 6), 1e-9);
    CHECK_NEAR(out[1], 12 * 0.5 * 0.02 * pow(3.5, 6), 1e-9);
    pair.p[SHOAL_PAIR_X] = 2;
    pair.p[SHOAL_PAIR_D] = 0.1;
    term_numbers(&pair, &v, &o, out);
    CHECK_NEAR(out[0], 64, 1e-12);
    CHECK_NEAR(out[1], 12 * 0.5 * 0.1 * 64, 1e-12);
    pair.kind = SHOAL_KIND_PAIR_COULOMB;
    term_numbers(&pair, &v, &o, out);
    CHECK_NEAR(out[0], -0.5 * 14.3996454 * 0.15, 1e-6); /* eV angstrom */
    CHECK_NEAR(out[1], 0.49, 1e-15);
    shoal_term form = {.kind = SHOAL_KIND_PAIR_FORM};
    term_numbers(&form, &v, &o, out);
    CHECK(exp(-out[SHOAL_FORM_BETA] * 0.5) < 1e-16); /* no damping: nothing is left of it */
    form.p[SHOAL_FORM_BETA] = 1.5;
    term_numbers(&form, &v, &o, out);
    CHECK(out[SHOAL_FORM_BETA] == 1.5);
    shoal_term half = {.kind = SHOAL_KIND_HALF_ANGLE};
    half.p[SHOAL_HALF_K] = 3;
    half.p[SHOAL_HALF_T0] = 2 * PI / 3;
    term_numbers(&half, &v, &o, out);
    CHECK_NEAR(out[0], 3, 0);
    CHECK_NEAR(out[1], 0.5, 1e-15);
    CHECK_NEAR(out[2], sqrt(0.75), 1e-15);
    half.p[SHOAL_HALF_T0] = PI; /* the cosine of a right angle is nothing, not its rounding */
    term_numbers(&half, &v, &o, out);
    CHECK(out[1] == 0 && out[2] == 1);
}

/* int_c^inf of a pair with depth e and distance r0 of a model, by hand: 4 pi/V r0^3 e (u^9/9 - 2 u^3/3), u = r0/c, from
 * the middle of the switch on to a few per cent. */
static void test_tail(void)
{
    static const char text[] = "shoal_pair_model 1\nform lj\nhbond none\ncoulomb none\ntypes\n"
                               "# name parent element epair valence n_epair npi sym Ruff RvdW EvdW "
                               "Qbase Hb\n"
                               "Ar4+4 * Ar E 0 0 0 0 0 1.75 0.0103 0 0\n";
    shoal_pair_model *model = NULL;
    CHECK(shoal_pair_model_read_memory(&model, text, sizeof text - 1, "model") == SHOAL_OK);
    if (!model) (void)printf("%s\n", shoal_error_text());
    static const double x[1] = {3.5}, d[1] = {0.0103}, q[1] = {0};
    shoal_topology_view v = {.n_atoms = 1, .pbc = {true, true, true}};
    v.vdw_x = x;
    v.vdw_d = d;
    v.charges = q;
    const shoal_engine_options o = {.vdw_tail = true, .vdw_cutoff = 12};
    const double plain = vdw_tail(&v, &o, 1000);
    const double c = 12 * 11.0 / 12, u = pow(3.5 / c, 3);
    CHECK_NEAR(plain / (2 * PI / 1000 * 0.0103 * pow(3.5, 3) * (u * u * u / 9 - 2 * u / 3)), 1,
               0.02);
    v.model = model;
    if (model) CHECK_NEAR(vdw_tail(&v, &o, 1000) / plain, 1, 1e-9); /* of the same numbers */
    shoal_pair_model_destroy(model);
}

/* The charge of a crystal as the user has it, not as it acts: a model with lambda keeps the root of it in charges. */
static void test_note(void)
{
    static const char text[] =
        "shoal_pair_model 1\nform lj\nhbond none\ncoulomb plain\nlambda 0.25\ntypes\n"
        "# name parent element epair valence n_epair npi sym Ruff RvdW EvdW Qbase Hb\n"
        "Ar * Ar E 0 0 0 0 0 1.75 0.0103 0 0\n";
    static const double q[2] = {0.7, -0.2}, small[2] = {0.5, -0.49998};
    shoal_pair_model *model = NULL;
    char note[BACKEND_REASON_SIZE];
    const shoal_engine_options o = {0};
    CHECK(shoal_pair_model_read_memory(&model, text, sizeof text - 1, "model") == SHOAL_OK);
    backend_system s = {.view = {.n_atoms = 2, .pbc = {true, true, true}, .has_charges = true}};
    s.view.charges = q;
    system_note(&s, &o, note);
    CHECK_TEXT(note, "net charge +0.500 e: neutralised by a uniform background");
    s.view.model = model;
    system_note(&s, &o, note);
    CHECK_TEXT(note, "net charge +1.000 e: neutralised by a uniform background");
    s.view.model = NULL;
    s.view.charges = small;
    system_note(&s, &o, note);
    CHECK_TEXT(note, "net charge +0.000020 e: neutralised by a uniform background");
    s.view.pbc[2] = false;
    system_note(&s, &o, note);
    CHECK_TEXT(note, "");
    shoal_pair_model_destroy(model);
}

int main(void)
{
    test_note();
    test_images();
    test_shortest();
    test_thin();
    test_distorted();
    test_ewald();
    test_numbers();
    test_tail();
    return check_done();
}
