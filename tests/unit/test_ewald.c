/* SPDX-License-Identifier: BSD-3-Clause
 * Ewald sums of the reference in one to three dimensions, against constants from outside, direct
 * sums and finite differences. */
#include "ref_probe.h"

#include "constants.h"

static const int32_t home[3] = {0, 0, 0};
static const double skew[3][3] = {{7.0, 0.5, 0.2}, {-2.0, 6.5, 0.4}, {1.5, 1.0, 8.0}};
static double worst_force_error, worst_split_error;

/* Only Coulomb, to a tolerance. */
static void start(probe *p, int32_t n, double tolerance)
{
    probe_init(p, n);
    p->options.terms_off = ~(1u << SHOAL_TERM_COULOMB);
    p->options.ewald_tolerance = tolerance;
    p->system.view.has_charges = true;
}

/* Random charges that add up to zero, none nearer than 1 A to another one. */
static void make(probe *p, int32_t n, uint64_t *seed)
{
    start(p, n, 1e-13);
    for (int32_t i = 0; i + 1 < n; ++i) {
        p->charges[i] = 2.0 * probe_random(seed) - 1.0;
        p->charges[n - 1] -= p->charges[i];
    }
    for (bool good = false; !good;) {
        probe_scatter(p, seed, 6.0);
        good = true;
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < i; ++j) good = good && probe_distance(p, i, j) > 1.0;
    }
}

/* Atoms at fractions of a cubic cell of edge 2. */
typedef struct crystal {
    const char *name;
    double cell[3][3];
    int32_t n_atoms;
    double atoms[8][4]; /* x, y, z, charge */
    double energy;      /* in units of kC */
} crystal;

#define NACL 1.7475645946331821906 /* nearest neighbours at 1 */
#define CSCL 1.7626747730709883748
#define BCC 0.895929255682 /* one charge per sphere of radius 1, in a uniform background */
#define FCC 0.895873615195
#define SC 2.8372974794806181 /* of the half square of a charge in a cube of edge 1 */

static void test_crystals(void)
{
    static probe p;
    static const double s3 = 1.7320508075688772935;
    const crystal crystals[] = {
        {"rock salt, primitive",
         {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}},
         2,
         {{0, 0, 0, 1}, {1, 0, 0, -1}},
         -NACL},
        {"rock salt, sheared",
         {{0, 1, 1}, {1, 1, 2}, {3, 2, 3}},
         2,
         {{0, 0, 0, 1}, {1, 0, 0, -1}},
         -NACL},
        {"rock salt, cubic",
         {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}},
         8,
         {{0, 0, 0, 1},
          {1, 1, 0, 1},
          {1, 0, 1, 1},
          {0, 1, 1, 1},
          {1, 0, 0, -1},
          {0, 1, 0, -1},
          {0, 0, 1, -1},
          {1, 1, 1, -1}},
         -4.0 * NACL},
        {"caesium chloride",
         {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}},
         2,
         {{0, 0, 0, 1}, {1, 1, 1, -1}},
         -CSCL / s3},
        {"one charge, simple cubic",
         {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}},
         1,
         {{0, 0, 0, 1}},
         -0.25 * SC},
        {"one charge, bcc",
         {{-1, 1, 1}, {1, -1, 1}, {1, 1, -1}},
         1,
         {{0, 0, 0, 1}},
         -BCC / cbrt(3.0 / PI)},
        {"one charge, fcc",
         {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}},
         1,
         {{0, 0, 0, 1}},
         -FCC / cbrt(1.5 / PI)},
    };
    for (size_t c = 0; c < sizeof crystals / sizeof crystals[0]; ++c) {
        const crystal *x = &crystals[c];
        start(&p, x->n_atoms, 1e-10);
        probe_cell(&p, x->cell, true, true, true);
        for (int i = 0; i < x->n_atoms; ++i) {
            memcpy(p.pos[i], x->atoms[i], sizeof p.pos[i]);
            p.charges[i] = x->atoms[i][3];
        }
        const double relative = probe_energy(&p) / COULOMB_CONSTANT / x->energy - 1.0;
        (void)printf("%s: %.1e\n", x->name, relative);
        CHECK_NEAR(relative, 0.0, c < 4 ? 1e-10 : 1e-9); /* the last ones are known to 12 digits */
        CHECK_NEAR(p.result.fmax, 0.0, 1e-9);
    }
}

/* A flat layer of rock salt: sum of (-1)^(i+j) / sqrt(i^2 + j^2) = -1.6155426267128247. Any two of
 * the three vectors may repeat; the third says nothing. */
static void test_layer(void)
{
    static probe p;
    for (int normal = 0; normal < 3; ++normal) {
        const int u = (normal + 1) % 3, v = (normal + 2) % 3;
        double cell[3][3] = {{0.0}};
        start(&p, 2, 1e-10);
        cell[u][u] = cell[u][v] = cell[v][u] = 1.0;
        cell[v][v] = -1.0;
        memcpy(p.system.cell, cell, sizeof cell);
        p.system.view.pbc[u] = p.system.view.pbc[v] = true;
        p.charges[0] = 1.0, p.charges[1] = -1.0;
        p.pos[1][u] = 1.0;
        CHECK_NEAR(probe_energy(&p) / COULOMB_CONSTANT, -1.6155426267128247, 2e-10);
    }
}

/* Charges in turn along a line: -2 ln 2 per pair of neighbours at 1. Any of the three vectors may repeat. */
static void test_line(void)
{
    static probe p;
    for (int axis = 0; axis < 3; ++axis)
        for (int pairs = 1; pairs <= 3; ++pairs) {
            start(&p, 2 * pairs, 1e-10);
            p.system.view.pbc[axis] = true;
            p.system.cell[axis][axis] = 2.0 * pairs;
            p.system.cell[(axis + 1) % 3][axis] = 7.0; /* says nothing */
            for (int i = 0; i < 2 * pairs; ++i) {
                p.charges[i] = i % 2 ? -1.0 : 1.0;
                p.pos[i][axis] = i + 40.0 * (i == 1) * pairs;
            }
            const double want = -2.0 * log(2.0) * pairs;
            CHECK_NEAR(probe_energy(&p) / COULOMB_CONSTANT, want, 1e-11 * pairs);
            CHECK_NEAR(p.result.fmax, 0.0, 1e-10);
        }
}

/* A row of unit charges far from its axis: the potential of a thin line, and between them the whole sum. */
static void test_row(void)
{
    const ref_lattice cell = {.n_periodic = 1,
                              .pbc = {true, false, false},
                              .a = {{3.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                              .measure = 3.0};
    const ref_ewald ewald = {.alpha = 0.5, .k_cut = 6.5};
    const ref_chain row = ref_chain_of(&cell, &ewald, 0.0);
    v3 grad;
    for (double R = 30.0; R < 1e5; R *= 3.0) {
        CHECK_NEAR(ref_chain_potential(&row, (v3){1.1, 0.0, R}, &grad, 0.0, NULL),
                   -2.0 / 3.0 * log(R), 1e-13);
        CHECK_NEAR(grad.z, -2.0 / 3.0 / R, 1e-15);
    }
}

/* The sum with the split moved by a factor. */
static double split(const probe *p, double factor, double forces[PROBE_ATOMS][3])
{
    ref_system sys = {
        .view = &p->system.view, .pos = (const double(*)[3])p->pos, .options = &p->options};
    CHECK(ref_lattice_init(&sys.lattice, (const double(*)[3])p->system.cell, p->system.view.pbc));
    ref_ewald ewald = ref_ewald_choose(&sys);
    ewald.alpha *= factor;
    ewald.k_cut *= factor;
    ewald.r_cut /= factor;
    memset(forces, 0, PROBE_ATOMS * sizeof forces[0]);
    ref_sink sink = {.forces = forces};
    ref_ewald_sum(&sys, &ewald, &sink);
    return sink.energy;
}

/* With and without damping and exclusions, the energy does not depend on the split, and the forces
 * are its slopes. */
static void test_split_and_forces(void)
{
    static probe p;
    static double f[2][PROBE_ATOMS][3];
    const int32_t along[3] = {1, 0, 0}, across[3] = {0, -1, 0};
    uint64_t seed = 21;
    for (int round = 0; round < 36; ++round) {
        make(&p, 7, &seed);
        probe_cell(&p, skew, round % 3 != 1, round % 3 != 2, round % 3 != 0);
        if (round % 4 == 3) probe_cell(&p, skew, true, true, true);
        if (round >= 24) probe_cell(&p, skew, round % 3 == 0, round % 3 == 1, round % 3 == 2);
        const bool slab = !p.system.view.pbc[0] || !p.system.view.pbc[1] || !p.system.view.pbc[2];
        p.options.coulomb_damping = round % 2 ? 0.3 + 3.0 * probe_random(&seed) : 0.0;
        if (round % 3 == 0 && !slab) p.charges[2] += 0.7; /* balanced by a background */
        probe_exclude(&p, 0, 1, home);
        if (p.system.view.pbc[0]) probe_exclude(&p, 1, 2, along);
        if (p.system.view.pbc[1]) probe_exclude(&p, 3, 3, across);
        const double low = split(&p, 0.6, f[0]), high = split(&p, 1.7, f[1]);
        worst_split_error = fmax(worst_split_error, fabs(high / low - 1.0));
        CHECK_NEAR(high / low, 1.0, 1e-11);
        for (int i = 0; i < 7; ++i)
            for (int k = 0; k < 3; ++k) CHECK_NEAR(f[0][i][k], f[1][i][k], 1e-10);
        const double error = probe_force_error(&p, 1e-3);
        worst_force_error = fmax(worst_force_error, error);
        CHECK(error <= 1e-8);
        double force, torque;
        probe_balance(&p, &force, &torque);
        CHECK(force <= 1e-12);
    }
}

/* The default tolerance keeps its word. */
static void test_tolerance(void)
{
    static probe p;
    uint64_t seed = 22;
    double worst[2] = {0.0};
    for (int round = 0; round < 16; ++round) {
        make(&p, 24, &seed);
        probe_cell(&p, skew, true, true, round % 2);
        const double want = probe_energy(&p);
        p.options.ewald_tolerance = 1e-10;
        worst[0] = fmax(worst[0], fabs(probe_energy(&p) / want - 1.0));
        p.options.ewald_tolerance = 1e-6;
        worst[1] = fmax(worst[1], fabs(probe_energy(&p) / want - 1.0));
    }
    (void)printf("tolerance 1e-10: %.1e, 1e-6: %.1e\n", worst[0], worst[1]);
    CHECK(worst[0] <= 1e-10);
    CHECK(worst[1] <= 1e-6);
}

/* An exclusion takes away the plain interaction of that one image, no more and no less; it does so
 * even where the two coincide. */
static void test_exclusions(void)
{
    static probe p;
    uint64_t seed = 23;
    for (int round = 0; round < 6; ++round) {
        const int n_periodic = 1 + round / 2;
        const int32_t shift[3] = {1, -(n_periodic > 1), 0};
        make(&p, 6, &seed);
        p.options.coulomb_damping = round % 2 ? 1.0 : 0.0;
        probe_cell(&p, skew, true, n_periodic > 1, n_periodic > 2);
        const double before = probe_energy(&p);
        double r2 = p.options.coulomb_damping * p.options.coulomb_damping;
        for (int k = 0; k < 3; ++k) {
            const double d = p.pos[4][k] - p.pos[2][k] + skew[0][k] + shift[1] * skew[1][k];
            r2 += d * d;
        }
        probe_exclude(&p, 2, 4, shift);
        const double pair = COULOMB_CONSTANT * p.charges[2] * p.charges[4] / sqrt(r2);
        CHECK_NEAR(probe_energy(&p), before - pair, 1e-11);
        probe_exclude(&p, 0, 1, home);
        memcpy(p.pos[1], p.pos[0], sizeof p.pos[0]);
        CHECK(isfinite(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_OK);
        CHECK(probe_force_error(&p, 1e-3) <= 1e-8);
    }
}

/* Atoms moved by lattice vectors, with the exclusions told so, and a supercell. */
static void test_images(void)
{
    static probe p, q;
    uint64_t seed = 24;
    for (int round = 0; round < 6; ++round) {
        const int n_periodic = 1 + round / 2;
        const int32_t out[3] = {-2, n_periodic > 1, 0};
        make(&p, 5, &seed);
        p.options.coulomb_damping = round % 2 ? 0.8 : 0.0;
        probe_cell(&p, skew, true, n_periodic > 1, n_periodic > 2);
        probe_exclude(&p, 0, 1, home);
        const double energy = probe_energy(&p);
        start(&q, 10, 1e-13);
        q.options.coulomb_damping = p.options.coulomb_damping;
        probe_cell(&q, skew, true, n_periodic > 1, n_periodic > 2);
        for (int k = 0; k < 3; ++k) q.system.cell[0][k] *= 2.0;
        for (int i = 0; i < 10; ++i) {
            q.charges[i] = p.charges[i % 5];
            for (int k = 0; k < 3; ++k) q.pos[i][k] = p.pos[i % 5][k] + (i / 5) * skew[0][k];
        }
        probe_exclude(&q, 0, 1, home);
        probe_exclude(&q, 5, 6, home);
        CHECK_NEAR(probe_energy(&q) / (2.0 * energy), 1.0, 1e-11);
        for (int k = 0; k < 3; ++k) p.pos[1][k] += 2.0 * skew[0][k] - out[1] * skew[1][k];
        memset(p.exclude_start, 0, sizeof p.exclude_start);
        probe_exclude(&p, 0, 1, out);
        CHECK_NEAR(probe_energy(&p) / energy, 1.0, 1e-11);
    }
}

/* A slab equals a crystal of slabs far apart once the field of the layers' dipoles is taken out
 * (Yeh and Berkowitz, J. Chem. Phys. 111 (1999) 3155); what is left falls like exp(-2 pi c/a). */
static void test_slab_and_vacuum(void)
{
    static probe p;
    uint64_t seed = 25;
    for (int round = 0; round < 4; ++round) {
        const double cell[3][3] = {{7.0, 0.5, 0.0}, {-2.0, 6.5, 0.0}, {0.0, 0.0, 60.0}};
        make(&p, 6, &seed);
        probe_exclude(&p, 0, 1, home);
        probe_cell(&p, cell, true, true, false);
        const double slab = probe_energy(&p);
        static double forces[PROBE_ATOMS][3];
        memcpy(forces, p.forces, sizeof forces);
        double dipole = 0.0;
        for (int i = 0; i < 6; ++i) dipole += p.charges[i] * p.pos[i][2];
        probe_cell(&p, cell, true, true, true);
        const double area = 7.0 * 6.5 + 0.5 * 2.0, field = 4.0 * PI * dipole / (60.0 * area);
        const double stacked = probe_energy(&p) + 0.5 * COULOMB_CONSTANT * field * dipole;
        CHECK_NEAR(stacked, slab, 1e-11 * fabs(slab));
        for (int i = 0; i < 6; ++i)
            CHECK_NEAR(p.forces[i][2] - COULOMB_CONSTANT * field * p.charges[i], forces[i][2],
                       1e-9);
    }
}

/* Sum over whole cells up to a radius, of kC q q (1/sqrt(r^2 + d^2) - what/r). */
static double direct(const probe *p, double radius, double what, int n_periodic)
{
    const double d = p->options.coulomb_damping;
    const int reach = (int)(radius / 5.0) + 1;
    double sum = 0.0;
    for (int na = -reach; na <= reach; ++na)
        for (int nb = -reach * (n_periodic > 1); nb <= reach * (n_periodic > 1); ++nb)
            for (int nc = -reach * (n_periodic > 2); nc <= reach * (n_periodic > 2); ++nc) {
                double t[3], t2 = 0.0;
                for (int k = 0; k < 3; ++k) {
                    t[k] = na * skew[0][k] + nb * skew[1][k] + nc * skew[2][k];
                    t2 += t[k] * t[k];
                }
                if (t2 > radius * radius) continue;
                for (int32_t i = 0; i < p->system.view.n_atoms; ++i)
                    for (int32_t j = 0; j < p->system.view.n_atoms; ++j) {
                        double r2 = 0.0;
                        for (int k = 0; k < 3; ++k)
                            r2 += pow(p->pos[j][k] - p->pos[i][k] + t[k], 2.0);
                        if (r2 < 1e-20) continue;
                        sum += p->charges[i] * p->charges[j] *
                               (1.0 / sqrt(r2 + d * d) - what / sqrt(r2));
                    }
            }
    return 0.5 * COULOMB_CONSTANT * sum;
}

/* Two lines of charges 1, -2, 1: no dipole, so that direct sums converge quickly. */
static void make_quadrupoles(probe *p, uint64_t *seed)
{
    start(p, 6, 1e-13);
    for (int line = 0; line < 2; ++line)
        for (int k = 0; k < 3; ++k) {
            const double middle = 3.5 * line + probe_random(seed);
            const double step = 0.6 + 0.5 * probe_random(seed);
            for (int i = 0; i < 3; ++i) p->pos[3 * line + i][k] = middle + (i - 1) * step;
        }
    for (int i = 0; i < 6; ++i) p->charges[i] = (i % 3 == 1 ? -2.0 : 1.0) * (i < 3 ? 0.5 : 0.8);
}

static void test_direct_sums(void)
{
    static probe p;
    uint64_t seed = 26;
    for (int round = 0; round < 3; ++round) {
        make_quadrupoles(&p, &seed);
        probe_cell(&p, skew, true, true, false);
        const double slab = probe_energy(&p);
        CHECK_NEAR(slab, direct(&p, 1000.0, 0.0, 2), 2e-6);
        probe_cell(&p, skew, true, true, true);
        const double volume = probe_energy(&p);
        p.options.coulomb_damping = 0.4 + round;
        CHECK_NEAR(probe_energy(&p) - volume, direct(&p, 80.0, 1.0, 3), 2e-6);
        probe_cell(&p, skew, true, true, false);
        CHECK_NEAR(probe_energy(&p) - slab, direct(&p, 300.0, 1.0, 2), 1e-8);
    }
}

/* Chains of any neutral cells: what cells further away than n add falls as 1/n^2 and 1/n^4, which two sums of
 * doubled length take out. */
static double direct_chain(const probe *p)
{
    const double a = direct(p, 700.5 * 7.02, 0.0, 1), b = direct(p, 1401.0 * 7.02, 0.0, 1),
                 c = direct(p, 2802.0 * 7.02, 0.0, 1);
    const double ab = (4.0 * b - a) / 3.0, bc = (4.0 * c - b) / 3.0;
    return (16.0 * bc - ab) / 15.0;
}

static void test_direct_chains(void)
{
    static probe p;
    uint64_t seed = 28;
    for (int round = 0; round < 6; ++round) {
        make(&p, 5, &seed);
        p.options.coulomb_damping = round % 2 ? 0.6 : 0.0;
        for (int i = 0; i < 5; ++i)
            for (int k = 1; k < 3; ++k) p.pos[i][k] *= round < 4 ? 1.0 : 4.0;
        probe_cell(&p, skew, true, false, false);
        CHECK_NEAR(probe_energy(&p), direct_chain(&p), 1e-9);
    }
}

static void test_refusals(void)
{
    static probe p;
    uint64_t seed = 27;
    make(&p, 4, &seed);
    probe_cell(&p, skew, true, false, false);
    CHECK(isfinite(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_OK);
    p.charges[0] += 0.1;
    CHECK(isnan(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_UNTYPED);
    CHECK(strstr(p.result.reason, "a chain with a net charge") != NULL);
    p.charges[0] -= 0.1;
    p.system.view.has_charges = false;
    CHECK_NEAR(probe_energy(&p), 0.0, 0.0);
    p.system.view.has_charges = true;
    probe_cell(&p, skew, true, true, false);
    p.charges[0] += 0.1;
    CHECK(isnan(probe_energy(&p)) && p.result.status == SHOAL_SYSTEM_UNTYPED);
    CHECK(strstr(p.result.reason, "a slab with a net charge") != NULL);
    memcpy(p.pos[1], p.pos[2], sizeof p.pos[1]);
    probe_cell(&p, skew, true, true, true);
    (void)probe_energy(&p);
    CHECK_TEXT(p.result.reason, "the coulomb force on atom 1 (C) is not finite");
}

/* erf(alpha s)/s and its slope where the power series meets the formula. */
static void test_smooth(void)
{
    double slope, slope2;
    CHECK_NEAR(ref_ewald_erf(0.5, 0.0, &slope), 1.0 / sqrt(PI), 1e-15);
    CHECK_NEAR(slope, -0.25 / 3.0 / sqrt(PI), 1e-15);
    const double below = ref_ewald_erf(1.0, 0.1 * (1.0 - 1e-15), &slope);
    const double above = ref_ewald_erf(1.0, 0.1 * (1.0 + 1e-15), &slope2);
    CHECK_NEAR(below, above, 1e-14);
    CHECK_NEAR(slope, slope2, 1e-14);
}

int main(void)
{
    test_smooth();
    test_crystals();
    test_layer();
    test_line();
    test_row();
    test_split_and_forces();
    test_tolerance();
    test_exclusions();
    test_images();
    test_slab_and_vacuum();
    test_direct_sums();
    test_direct_chains();
    test_refusals();
    (void)printf("worst: force %.1e of the largest force, split %.1e\n", worst_force_error,
                 worst_split_error);
    return check_done();
}
