/* SPDX-License-Identifier: BSD-3-Clause
 * Charge equilibration: published charges, equal chemical potentials, conservation laws, and the
 * Coulomb integrals of Slater clouds against quadrature and against Fourier integrals. */
#include "chem/element.h"
#include "chem_fixture.h"
#include "ff/qeq.h"
#include "ff/slater.h"
#include "ff/uff_table.h"

#include "constants.h"

#define HARTREE 27.211386245988 /* eV */
#define BOHR 0.529177210903     /* angstrom */

/* --- Slater integrals ---------------------------------------------------------------------------*/

static void test_closed_form(void)
{
    for (int k = 0; k < 4; ++k) {
        const double zeta = 0.5 + 0.4 * k;
        for (double r = 0.2; r < 30; r *= 1.3) {
            const double x = zeta * r;
            const double polynomial = 1 + 11 * x / 8 + 3 * x * x / 4 + x * x * x / 6;
            const double want = (1 - polynomial * exp(-2 * x)) / r;
            const slater_cloud cloud = {1, zeta};
            CHECK_NEAR(slater_repulsion(cloud, cloud, r) / want, 1, 1e-10);
        }
    }
}

/* Fourier transform of a unit cloud. */
static double form_factor(slater_cloud c, double k)
{
    const double x = k / (2 * c.zeta);
    if (x < 1e-9) return 1;
    return sin(2 * c.n * atan(x)) / (2 * c.n * x * pow(1 + x * x, c.n));
}

/* J = 2/pi int f_a(k) f_b(k) sin(kR)/(kR) dk, by Simpson's rule. */
static double fourier_repulsion(slater_cloud a, slater_cloud b, double r)
{
    const int n = 20000;
    const double h = 120.0 / n;
    double sum = 0;
    for (int i = 0; i <= n; ++i) {
        const double k = h * i, phase = k * r;
        const double weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
        sum += weight * form_factor(a, k) * form_factor(b, k) * (i ? sin(phase) / phase : 1);
    }
    return 2 / PI * sum * h / 3;
}

static void test_fourier(void)
{
    static const slater_cloud pairs[][2] = {
        {{1, 1.0698}, {1, 0.7}}, {{1, 1.0698}, {2, 0.9}}, {{2, 0.43}, {2, 0.96}},
        {{3, 0.8}, {1, 1.2}},    {{3, 0.45}, {3, 0.9}},   {{4, 0.5}, {2, 0.9}},
        {{5, 0.6}, {4, 0.9}},    {{6, 0.7}, {1, 1.5}},    {{7, 0.9}, {7, 0.8}},
    };
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; ++p)
        for (double r = 0.5; r < 15; r *= 2.1) {
            const double want = fourier_repulsion(pairs[p][0], pairs[p][1], r);
            CHECK_NEAR(slater_repulsion(pairs[p][0], pairs[p][1], r) / want, 1, 1e-8);
            CHECK_NEAR(slater_repulsion(pairs[p][1], pairs[p][0], r) / want, 1, 1e-8);
        }
}

/* F(s) = int_0^s t V(t) dt of the potential V of a cloud, less s. */
static double potential_moment(slater_cloud c, double s)
{
    const double x = 2 * c.zeta * s, decay = exp(-x);
    double term = 1, tail = 0, sum = 0; /* x^k/k!, its partial sums, the result */
    for (int32_t k = 0; k < 2 * c.n; ++k) {
        if (k > 0) term *= x / k;
        tail += term;
        sum += (1 - (double)k / (2 * c.n)) * (1 - decay * tail);
    }
    return -sum / (2 * c.zeta);
}

/* r rho(r) [F(R + r) - F(|R - r|)] */
static double integrand(slater_cloud a, slater_cloud b, double r, double distance)
{
    const double near = fabs(distance - r), far = distance + r;
    double density = b.zeta / (2 * PI) * exp(-2 * b.zeta * r);
    for (int32_t k = 1; k <= 2 * b.n; ++k) density *= 2 * b.zeta / k * (k <= 2 * b.n - 2 ? r : 1);
    return r * density * (far - near + potential_moment(a, far) - potential_moment(a, near));
}

/* 12-point Gauss-Legendre quadrature in pieces (Abramowitz and Stegun, table 25.4). */
static double integrate(slater_cloud a, slater_cloud b, double distance, double low, double high)
{
    static const double rule[6][2] = {
        {0.125233408511468915, 0.249147045813402785}, {0.367831498998180194, 0.233492536538354809},
        {0.587317954286617447, 0.203167426723065922}, {0.769902674194304687, 0.160078328543346226},
        {0.904117256370474857, 0.106939325995318431}, {0.981560634246719251, 0.047175336386511827}};
    const int pieces = (int)((high - low) * (a.zeta + b.zeta) / 4) + 1;
    const double half = (high - low) / pieces / 2;
    double sum = 0;
    for (int p = 0; p < pieces; ++p)
        for (int k = 0; k < 6; ++k) {
            const double middle = low + (2 * p + 1) * half, d = half * rule[k][0];
            sum += half * rule[k][1] *
                   (integrand(a, b, middle - d, distance) + integrand(a, b, middle + d, distance));
        }
    return sum;
}

static double quadrature(slater_cloud a, slater_cloud b, double r)
{
    const slater_cloud wide = a.zeta < b.zeta ? a : b, compact = a.zeta < b.zeta ? b : a;
    const double end = (30 + 4.0 * compact.n) / (2 * compact.zeta);
    double sum = integrate(wide, compact, r, 0, fmin(r, end));
    if (r < end) sum += integrate(wide, compact, r, r, end);
    return 2 * PI / r * sum;
}

static slater_cloud cloud_of(int32_t z)
{
    int32_t n;
    const uff_type *type = uff_types_of(z, &n);
    const int32_t period = element_get(z)->period;
    if (!type) return (slater_cloud){0, 0};
    return (slater_cloud){period, 0.4913 * (2 * period + 1) / (2 * type->radius / BOHR)};
}

/* All pairs of elements, and hydrogen with all charges. */
static void test_elements(void)
{
    double worst = 0;
    for (int32_t z = 1; z <= 103; ++z)
        for (int32_t w = 1; w <= z; ++w) {
            slater_cloud a = cloud_of(z), b = cloud_of(w);
            if (a.n == 0 || b.n == 0) continue;
            if (w == 1) b.zeta = 1.0698 - 0.85 + 0.0168 * z;
            if (z == 1) a.zeta = 1.2;
            const double first = 0.3 + 0.13 * ((z + 7 * w) % 11);
            for (double r = first; r < 50; r *= 2.3) {
                const double got = slater_repulsion(a, b, r), want = quadrature(a, b, r);
                worst = fmax(worst, fabs(got - want));
            }
        }
    CHECK_NEAR(worst, 0, 1e-9);
}

/* Derivatives by the exponent of the cloud with the lower quantum number. */
static void test_slopes(void)
{
    for (int32_t n = 1; n <= SLATER_MOST_N; ++n)
        for (double r = 0.7; r < 20; r *= 1.9) {
            slater_shape shape;
            const double z[3][2] = {{1.1, 0.9}, {1.1 + 1e-4, 0.9}, {1.1 - 1e-4, 0.9}};
            double slope, other = 0;
            slater_shape_init(&shape, 1, n);
            (void)slater_excess(&shape, z[0], r, &slope, NULL);
            const double up = slater_excess(&shape, z[1], r, NULL, NULL);
            const double down = slater_excess(&shape, z[2], r, NULL, NULL);
            if (n == 1) {
                const double swapped[2] = {0.9, 1.1};
                (void)slater_excess(&shape, swapped, r, NULL, &other);
                CHECK_NEAR(other, slope, 1e-13);
            }
            CHECK_NEAR(slope, (up - down) / 2e-4, 1e-7);
        }
}

static void test_limits(void)
{
    const slater_cloud a = {2, 0.9}, b = {3, 0.7};
    CHECK_NEAR(slater_repulsion(a, b, 500) * 500, 1, 1e-14);
    CHECK_NEAR(slater_repulsion(a, b, 60) * 60, 1, 1e-12);
    const double centre = fourier_repulsion(a, b, 1e-4);
    CHECK_NEAR(slater_repulsion(a, b, 0) / centre, 1, 1e-5);
    CHECK(slater_repulsion(a, b, 0.5) < slater_repulsion(a, b, 0.1));
}

/* --- charges ------------------------------------------------------------------------------------*/

static void equilibrate(shoal_molecule *mol, double total)
{
    const shoal_qeq_options options = {.total_charge = total};
    CHECK(shoal_molecule_equilibrate(mol, &options) == SHOAL_OK);
    CHECK_TEXT(shoal_error_text(), "");
    double sum = 0;
    for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->charge[i];
    CHECK_NEAR(sum, total, 1e-13);
}

static shoal_molecule *diatomic(const char *a, const char *b, double r)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, a, 0, 0, 0);
    chem_atom(mol, b, 0.6 * r, 0, 0.8 * r);
    return mol;
}

/* Rappe and Goddard's own values for alkali halides, at the experimental distances. */
static void test_alkali_halides(void)
{
    static const struct {
        const char *metal, *halogen;
        double r, q;
    } cases[] = {{"Li", "F", 1.564, 0.791}, {"Na", "Cl", 2.361, 0.766}};
    for (int k = 0; k < 2; ++k) {
        shoal_molecule *mol = diatomic(cases[k].metal, cases[k].halogen, cases[k].r);
        equilibrate(mol, 0);
        CHECK_NEAR(mol->charge[0], cases[k].q, 6e-4);
        CHECK_NEAR(mol->charge[1], -cases[k].q, 6e-4);
        shoal_molecule_destroy(mol);
    }
}

#define WATER "3\n\nO 0 0 0.1173\nH 0 .7572 -.4692\nH 0 -.7572 -.4692\n"
#define AMMONIA "4\n\nN 0 0 .1\nH .94 0 -.27\nH -.47 .814 -.27\nH -.47 -.814 -.27\n"
#define METHANE                                                                                    \
    "5\n\nC 0 0 0\nH .629 .629 .629\nH .629 -.629 -.629\nH -.629 .629 -.629\nH -.629 -.629 .629\n"

/* Charge of hydrogen, with the self-consistent cloud. */
static void test_hydrides(void)
{
    static const struct {
        const char *text;
        double q, tolerance;
    } cases[] = {{"2\n\nF 0 0 0\nH 0 0 .917\n", 0.46, 0.01},
                 {WATER, 0.34, 0.01},
                 {AMMONIA, 0.23, 0.01},
                 {METHANE, 0.13, 0.01}};
    for (int k = 0; k < 4; ++k) {
        shoal_molecule *mol = chem_xyz(cases[k].text);
        equilibrate(mol, 0);
        for (int32_t h = 1; h < mol->n_atoms; ++h) {
            CHECK_NEAR(mol->charge[h], cases[k].q, cases[k].tolerance);
            CHECK_NEAR(mol->charge[h], mol->charge[1], 1e-4); /* equal but for rounded input */
        }
        shoal_molecule_destroy(mol);
    }
}

static double distance(const shoal_molecule *mol, int32_t i, int32_t j)
{
    double r2 = 0;
    for (int c = 0; c < 3; ++c) r2 += pow(mol->pos[i][c] - mol->pos[j][c], 2);
    return sqrt(r2);
}

/* Largest difference of chemical potentials, in eV, from the charges alone. */
static double potential_spread(const shoal_molecule *mol)
{
    double low = INFINITY, high = -INFINITY;
    slater_cloud *clouds = calloc((size_t)mol->n_atoms, sizeof *clouds);
    const uff_type **types = calloc((size_t)mol->n_atoms, sizeof *types);
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        int32_t n;
        types[i] = uff_types_of(mol->element[i], &n);
        clouds[i] = cloud_of(mol->element[i]);
        if (mol->element[i] == 1) clouds[i].zeta = 1.0698 + mol->charge[i];
    }
    for (int32_t i = 0; i < mol->n_atoms; ++i) {
        const double q = mol->charge[i];
        const double idem = 2 * types[i]->hard * (mol->element[i] == 1 ? 1 + q / 1.0698 : 1);
        double mu = types[i]->xi + idem * q;
        for (int32_t j = 0; j < mol->n_atoms; ++j)
            if (j != i)
                mu += mol->charge[j] * HARTREE *
                      slater_repulsion(clouds[i], clouds[j], distance(mol, i, j) / BOHR);
        low = fmin(low, mu);
        high = fmax(high, mu);
    }
    free(clouds);
    free(types);
    return high - low;
}

#define FORMAMIDE                                                                                  \
    "6\n\nC 0 0 0\nO 1.22 .05 .05\nN -.7 1.15 0\nH -.55 -.95 .1\nH -1.7 1.1 .15\nH -.25 2.05 "     \
    "-.1\n"
#define BROMOETHENE                                                                                \
    "6\n\nC 0 0 0\nC 1.33 0 0\nBr 2.3 1.62 .1\nH -.5 .95 0\nH -.5 -.95 0\nH 1.9 -.92 0\n"

static void test_potentials(void)
{
    static const struct {
        const char *text;
        double total;
    } cases[] = {{WATER, 0},     {METHANE, 0},     {FORMAMIDE, 0},
                 {FORMAMIDE, 1}, {BROMOETHENE, 0}, {BROMOETHENE, -0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        shoal_molecule *mol = chem_xyz(cases[k].text);
        equilibrate(mol, cases[k].total);
        CHECK_NEAR(potential_spread(mol), 0, 1e-7);
        shoal_molecule_destroy(mol);
    }
}

/* The order of the atoms, a shift and a turn of the whole molecule make no difference. */
static void test_invariance(void)
{
    shoal_molecule *mol = chem_xyz(FORMAMIDE);
    const int32_t order[] = {4, 0, 3, 5, 1, 2};
    shoal_molecule *mixed = chem_bare(mol, order);
    for (int32_t i = 0; i < 6; ++i) {
        double *r = mixed->pos[i], turned[3] = {r[1] + 7, r[2] - 3, r[0] + 100};
        memcpy(r, turned, sizeof turned);
    }
    equilibrate(mol, 0);
    equilibrate(mixed, 0);
    for (int32_t i = 0; i < 6; ++i) CHECK_NEAR(mixed->charge[i], mol->charge[order[i]], 1e-8);
    shoal_molecule_destroy(mixed);
    shoal_molecule_destroy(mol);
    mol = diatomic("N", "N", 1.1);
    equilibrate(mol, 0);
    CHECK_NEAR(mol->charge[0], 0, 1e-12);
    equilibrate(mol, 1);
    CHECK_NEAR(mol->charge[0], 0.5, 1e-12);
    shoal_molecule_destroy(mol);
    mol = chem_atoms("Na", 1);
    equilibrate(mol, 1);
    CHECK_NEAR(mol->charge[0], 1, 1e-13);
    shoal_molecule_destroy(mol);
}

static void check_refused(shoal_molecule *mol, const shoal_qeq_options *options, const char *part)
{
    CHECK(shoal_molecule_equilibrate(mol, options) == SHOAL_E_ARGUMENT);
    CHECK(strstr(shoal_error_text(), part) != NULL);
    if (!strstr(shoal_error_text(), part)) (void)printf("'%s'\n", shoal_error_text());
    CHECK(shoal_molecule_charges(mol) == NULL);
    shoal_molecule_destroy(mol);
}

static void test_refusals(void)
{
    shoal_molecule *mol = chem_xyz(WATER);
    chem_atom(mol, "Rf", 5, 5, 5);
    check_refused(mol, NULL, "atom 3 (Rf)");
    const shoal_qeq_options hasty = {.max_rounds = 1};
    check_refused(chem_xyz(WATER), &hasty, "did not converge in 1 round");
    /* The potentials of lithium hydride never meet. */
    check_refused(diatomic("Li", "H", 1.595), NULL, "QEq found no solution");
    const shoal_qeq_options bare = {.total_charge = 2};
    check_refused(diatomic("H", "H", 0.74), &bare, "2 e are too much for 2 atoms of hydrogen");
    const shoal_qeq_options endless = {.total_charge = INFINITY};
    check_refused(chem_xyz(WATER), &endless, "not finite");
    check_refused(chem_atoms("C", 32769), NULL, "32769 atoms, it does at most 32768");
    const double cell[3][3] = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    const shoal_qeq_options ion = {.total_charge = 1};
    for (int n = 1; n < 3; ++n) {
        mol = chem_xyz(WATER);
        chem_cell(mol, cell, n);
        check_refused(mol, &ion, n == 1 ? "a chain with a net charge" : "a slab with a net charge");
    }
    mol = chem_new();
    CHECK(shoal_molecule_equilibrate(mol, NULL) == SHOAL_OK);
    shoal_molecule_destroy(mol);
}

/* Atoms alone have the total charge, whatever that is. */
static void test_single_atoms(void)
{
    static const char *const symbols[] = {"H", "H", "H", "Na", "Cl", "O"};
    static const double totals[] = {1, -1, 0, 1, -1, -2};
    for (int k = 0; k < 6; ++k) {
        shoal_molecule *mol = chem_atoms(symbols[k], 1);
        equilibrate(mol, totals[k]);
        shoal_molecule_destroy(mol);
    }
}

/* --- many atoms ---------------------------------------------------------------------------------*/

/* Water molecules on a cubic lattice, turned one way or the other. */
static shoal_molecule *make_ice(int32_t n)
{
    shoal_molecule *mol = chem_new();
    for (int32_t i = 0; i < n; ++i) {
        const double x = 3.1 * (i % 9), y = 3.1 * (i / 9 % 9), z = 3.1 * (i / 81);
        const double sign = i % 3 ? 1 : -1;
        chem_atom(mol, "O", x, y, z + 0.1173);
        chem_atom(mol, "H", x, y + sign * .7572, z - .4692);
        chem_atom(mol, "H", x + 0.02 * (i % 5), y - sign * .7572, z - .4692);
    }
    return mol;
}

/* Elimination, iterations on a stored matrix, and on one that is not. */
static void test_many(void)
{
    static const int32_t sizes[] = {30, 40, 700};
    for (int k = 0; k < 3; ++k) {
        shoal_molecule *mol = make_ice(sizes[k]);
        const shoal_qeq_options options = {.n_threads = 1}, more = {.n_threads = 3};
        const size_t size = (size_t)mol->n_atoms * sizeof(double);
        double *charges = malloc(size);
        CHECK(charges && shoal_molecule_equilibrate(mol, &options) == SHOAL_OK);
        if (k < 2) CHECK_NEAR(potential_spread(mol), 0, 1e-7);
        memcpy(charges, mol->charge, size);
        CHECK(shoal_molecule_equilibrate(mol, &more) == SHOAL_OK);
        CHECK(memcmp(charges, mol->charge, size) == 0);
        double sum = 0;
        for (int32_t i = 0; i < mol->n_atoms; ++i) sum += mol->charge[i];
        CHECK_NEAR(sum, 0, 1e-10);
        free(charges);
        shoal_molecule_destroy(mol);
    }
}

static bool count_down(void *user)
{
    int *left = user;
    return (*left)-- <= 0;
}

/* It can be stopped at any time, and says so. */
static void test_stop(void)
{
    static const int rounds[] = {0, 5, 40};
    for (int k = 0; k < 3; ++k) {
        int left = rounds[k];
        const shoal_qeq_options options = {.stop = count_down, .user = &left};
        check_refused(make_ice(200), &options, "QEq was stopped");
    }
}

/* A molecule that QEq refuses is untyped, with the reason. */
static void test_topology(void)
{
    const shoal_typing_options options = {.charges = SHOAL_CHARGES_QEQ};
    shoal_topology *topology;
    shoal_topology_view v;
    shoal_molecule *mol = diatomic("Li", "H", 1.595);
    CHECK(shoal_topology_create(&topology, mol, &options) == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK(strstr(shoal_topology_reason(topology), "QEq found no solution") != NULL);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
    mol = chem_xyz(WATER);
    CHECK(shoal_topology_create(&topology, mol, &options) == SHOAL_OK);
    shoal_topology_get(topology, &v);
    CHECK(v.has_charges);
    CHECK(v.charges[1] > 0.3 && v.charges[1] < 0.4);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* The total is the sum of the formal charges. */
static void test_ion(void)
{
    const shoal_typing_options options = {.charges = SHOAL_CHARGES_QEQ};
    shoal_topology *topology;
    shoal_topology_view v;
    shoal_molecule *mol = chem_xyz("5\n\nN 0 0 0\nH .6 .6 .6\nH .6 -.6 -.6\nH -.6 .6 -.6\n"
                                   "H -.6 -.6 .6\n");
    chem_perceive(mol, 1);
    CHECK(shoal_topology_create(&topology, mol, &options) == SHOAL_OK);
    shoal_topology_get(topology, &v);
    double sum = 0;
    for (int32_t i = 0; i < 5; ++i) sum += v.charges[i];
    CHECK_NEAR(sum, 1, 1e-13);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

/* The potential of point charges is the same from a stored matrix and computed anew; atoms on top of each other count as
 * 1e-4 bohr apart. */
static void test_far(void)
{
    enum { N = 21 };
    shoal_molecule *mol = chem_atoms("C", N);
    double x[N], stored[N], computed[N], room[3][N];
    for (int i = 0; i < N; ++i) {
        for (int c = 0; c < 3; ++c) mol->pos[i][c] = i == 9 ? mol->pos[4][c] : 1.7 * sin(2 * i + c);
        for (int c = 0; c < 3; ++c) room[c][i] = mol->pos[i][c];
        x[i] = 0.1 * cos(3 * i);
    }
    qeq_system s = {.mol = mol, .n = N};
    CHECK(qeq_fill_far(&s) == SHOAL_OK && s.far);
    qeq_apply_far(&s, x, stored);
    for (int c = 0; c < 3; ++c) s.xyz[c] = room[c];
    s.far = NULL;
    qeq_apply_far(&s, x, computed);
    for (int i = 0; i < N; ++i) {
        double want = 0;
        for (int j = 0; j < N; ++j) {
            double r2 = 0;
            for (int c = 0; c < 3; ++c) r2 += pow(mol->pos[i][c] - mol->pos[j][c], 2);
            if (j != i) want += HARTREE * BOHR * x[j] / fmax(sqrt(r2), 1e-4 * BOHR);
        }
        CHECK_NEAR(stored[i] / want, 1, 1e-10);
        CHECK_NEAR(computed[i] / want, 1, 1e-10);
    }
    arena_free(&s.memory);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_far();
    test_closed_form();
    test_fourier();
    test_limits();
    test_elements();
    test_slopes();
    test_alkali_halides();
    test_hydrides();
    test_potentials();
    test_invariance();
    test_refusals();
    test_single_atoms();
    test_many();
    test_stop();
    test_topology();
    test_ion();
    return check_done();
}
