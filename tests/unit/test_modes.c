/* SPDX-License-Identifier: BSD-3-Clause
 * Vibrations: symmetry numbers, frequencies of molecules against golden numbers and closed formulas,
 * what is projected out, verdicts, thermochemistry, isotopes, devices, streams. */
#include <stdlib.h>

#include "chem/isotope.h"
#include "chem_fixture.h"
#include "geom/eigen.h"
#include "geom/rotations.h"

/* --- symmetry numbers ---------------------------------------------------------------------------- */

static void test_rotations(void)
{
    static const double tetrahedron[5][3] = {
        {0, 0, 0}, {1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    static const double line[3][3] = {{0, 0, 0}, {0, 0, 1.2}, {0, 0, -1.2}};
    static const double bent[3][3] = {{0, 0, 0.4}, {0.8, 0, -0.2}, {-0.8, 0, -0.2}};
    const double like[5] = {12, 1, 1, 1, 1}, one[5] = {12, 1, 1, 1, 2}, two[5] = {12, 1, 1, 2, 2};
    const double other[3] = {12, 16, 17};
    double octahedron[7][3] = {{0}}, ring[12][3], labels[12];
    for (int k = 0; k < 6; ++k) octahedron[k + 1][k / 2] = k % 2 ? 1 : -1;
    for (int k = 0; k < 12; ++k) {
        const double r = k < 6 ? 1.4 : 2.5, t = k * 1.0471975511965976;
        ring[k][0] = r * cos(t);
        ring[k][1] = r * sin(t);
        ring[k][2] = 0;
        labels[k] = k < 6 ? 12 : 1;
    }
    CHECK(rotations_count(5, tetrahedron, like, 0.05) == 12);
    CHECK(rotations_count(5, tetrahedron, one, 0.05) == 3);
    CHECK(rotations_count(5, tetrahedron, two, 0.05) == 2);
    CHECK(rotations_count(7, (const double(*)[3])octahedron, (const double[7]){1, 2, 2, 2, 2, 2, 2},
                          0.05) == 24);
    CHECK(rotations_count(12, (const double(*)[3])ring, labels, 0.05) == 12);
    CHECK(rotations_count(3, line, like, 0.05) == 2);
    CHECK(rotations_count(3, line, other, 0.05) == 1);
    CHECK(rotations_count(3, bent, like, 0.05) == 2);
    CHECK(rotations_count(3, bent, other, 0.05) == 1);
    CHECK(rotations_count(1, tetrahedron, like, 0.05) == 1);
    ring[7][2] = 0.2; /* one hydrogen out of the plane: nothing is left */
    CHECK(rotations_count(12, (const double(*)[3])ring, labels, 0.05) == 1);
}

/* --- molecules ----------------------------------------------------------------------------------- */

typedef struct made {
    shoal_molecule *mol;
    shoal_topology *topology;
    shoal_engine *engine;
    shoal_system system;
} made;

/* Relaxes a molecule to almost nothing and gives it as a system. */
static made relaxed(shoal_molecule *mol)
{
    made m = {.mol = mol};
    shoal_batch *batch = NULL;
    const shoal_engine_options options = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    const shoal_relax_options tight = {.fmax = 1e-8};
    CHECK(shoal_topology_create(&m.topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_topology_status(m.topology) == SHOAL_SYSTEM_OK);
    m.system = (shoal_system){.topology = m.topology, .pos = shoal_molecule_positions(mol)};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK && shoal_batch_add(batch, &m.system) == SHOAL_OK);
    CHECK(shoal_engine_create(&m.engine, batch, &options) == SHOAL_OK);
    CHECK(shoal_engine_relax(m.engine, &tight, NULL, NULL) == SHOAL_OK);
    m.system.pos = shoal_engine_positions(m.engine, 0);
    shoal_batch_destroy(batch);
    return m;
}

static void drop(made *m)
{
    shoal_engine_destroy(m->engine);
    shoal_topology_destroy(m->topology);
    shoal_molecule_destroy(m->mol);
}

static shoal_modes_result *find(const made *m, const shoal_modes_options *options)
{
    shoal_modes_result *r = NULL;
    const shoal_status status = shoal_modes_find(&r, &m->system, NULL, NULL, options);
    CHECK(status == SHOAL_OK);
    if (status != SHOAL_OK) (void)printf("  %s\n", shoal_error_text());
    return r;
}

static shoal_molecule *water(void)
{
    return chem_placed("O 0 0 0 H 0.96 0.1 0 H -0.24 0.93 0.1", "0-1 0-2");
}

static shoal_molecule *carbon_dioxide(void)
{
    return chem_placed("O 1.2 0.02 0 C 0 0 0 O -1.2 0 0.01", "0=1 1=2");
}

static shoal_molecule *benzene(void)
{
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 12; ++k) {
        const double r = k < 6 ? 1.4 : 2.5, t = k * 1.0471975511965976;
        chem_atom(mol, k < 6 ? "C" : "H", r * cos(t), r * sin(t), 0.01 * (k % 3));
    }
    for (int k = 0; k < 6; ++k) {
        chem_bond(mol, k, (k + 1) % 6, k % 2 ? SHOAL_ORDER_SINGLE : SHOAL_ORDER_DOUBLE);
        chem_bond(mol, k, k + 6, SHOAL_ORDER_SINGLE);
    }
    return mol;
}

static void check_numbers(const shoal_modes_result *r, int32_t n, const double *wanted)
{
    CHECK(r && r->n_modes == n);
    for (int32_t k = 0; r && k < n && k < r->n_modes; ++k)
        CHECK_NEAR(r->frequencies[k], wanted[k], 0.01);
}

/* Golden: this force field's, differences of RDKit's forces agree to 0.05 cm^-1 (python/tests/test_modes_rdkit.py). */
static void test_golden(void)
{
    static const double of_water[] = {1757.398, 3705.948, 3759.590};
    static const double of_dioxide[] = {904.084, 904.084, 1065.797, 2040.120};
    static const double of_benzene[] = {422.921,  422.921,  658.530,  679.663,  800.338,  800.338,
                                        872.330,  872.330,  998.251,  1074.681, 1074.681, 1097.120,
                                        1097.120, 1158.566, 1249.997, 1358.804, 1358.804, 1414.690,
                                        1702.491, 1799.406, 1799.406, 1844.227, 1910.454, 1910.454,
                                        3033.137, 3033.137, 3036.271, 3036.380, 3038.846, 3038.846};
    made m[3] = {relaxed(water()), relaxed(carbon_dioxide()), relaxed(benzene())};
    const double *wanted[3] = {of_water, of_dioxide, of_benzene};
    static const int32_t n[3] = {3, 4, 30}, removed[3] = {6, 5, 6}, sigma[3] = {2, 2, 12};
    for (int k = 0; k < 3; ++k) {
        shoal_modes_result *r = find(&m[k], NULL);
        check_numbers(r, n[k], wanted[k]);
        CHECK(r->n_removed == removed[k] && r->linear == (k == 1));
        CHECK(r->verdict == SHOAL_VERDICT_MINIMUM && r->order == 0);
        CHECK(r->error < 0.01 && r->thermo.ideal_gas && r->thermo.symmetry_found);
        CHECK(r->thermo.symmetry_number == sigma[k] && !r->vectors);
        shoal_modes_result_destroy(r);
        drop(&m[k]);
    }
}

/* Two points on a spring: w^2 = k / mu, and the reduced mass of two equal ones is that of one of them. */
static void test_diatomic(void)
{
    shoal_molecule *mol = chem_new();
    chem_atom(mol, "F", 0, 0, 0);
    chem_atom(mol, "F", 0.3, 1.3, -0.2);
    chem_bond(mol, 0, 1, SHOAL_ORDER_SINGLE);
    made m = relaxed(mol);
    shoal_topology_view v;
    int32_t n;
    shoal_topology_get(m.topology, &v);
    const double k = shoal_topology_terms(&v, SHOAL_KIND_BOND, &n)->p[SHOAL_BOND_K];
    shoal_modes_result *r = find(&m, &(shoal_modes_options){.vectors = true});
    CHECK(r->n_modes == 1 && r->n_removed == 5 && r->linear);
    CHECK_NEAR(r->frequencies[0], 521.4708983725 * sqrt(2 * k / v.masses[0]), 1e-4);
    CHECK_NEAR(r->reduced_masses[0], v.masses[0], 1e-9);
    double length2 = 0, across = 0;
    for (int x = 0; x < 3; ++x) {
        length2 += r->vectors[0][x] * r->vectors[0][x] + r->vectors[1][x] * r->vectors[1][x];
        across = fmax(across, fabs(r->vectors[0][x] + r->vectors[1][x]));
    }
    CHECK_NEAR(length2, 1, 1e-12);
    CHECK_NEAR(across, 0, 1e-9);
    shoal_modes_result_destroy(r);
    drop(&m);
}

static void test_atom(void)
{
    made m = relaxed(chem_atoms("Ar", 1));
    shoal_modes_result *r = find(&m, NULL);
    CHECK(r->n_modes == 0 && r->n_removed == 3 && r->verdict == SHOAL_VERDICT_MINIMUM);
    CHECK_NEAR(r->thermo.energy, 1.5 * 8.617333262e-5 * 298.15, 1e-12);
    /* Sackur and Tetrode: 154.846 J/mol/K at 1 bar. */
    shoal_modes_result *bar = find(&m, &(shoal_modes_options){.pressure = 1e5});
    CHECK_NEAR(bar->thermo.entropy * 96485.33212, 154.846, 0.003);
    shoal_modes_result_destroy(bar);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* Water as a gas by the textbook, from the frequencies that were found. */
static void test_thermo(void)
{
    made m = relaxed(water());
    shoal_modes_result *r = find(&m, &(shoal_modes_options){.temperature = 500, .pressure = 2e5});
    shoal_modes_result *as_one =
        find(&m, &(shoal_modes_options){.temperature = 500, .pressure = 2e5, .symmetry_number = 1});
    const double k = 8.617333262145e-5, kt = 500 * k, cm = 1.239841984332e-4;
    double zero = 0, u = 3 * kt, s = 0;
    for (int i = 0; i < 3; ++i) {
        const double x = cm * r->frequencies[i] / kt;
        zero += cm * r->frequencies[i] / 2;
        u += cm * r->frequencies[i] / (exp(x) - 1);
        s += k * (x / (exp(x) - 1) - log(1 - exp(-x)));
    }
    const shoal_thermo *t = &r->thermo;
    CHECK_NEAR(t->zero_point, zero, 1e-10);
    CHECK_NEAR(t->energy, r->energy + zero + u, 1e-10);
    CHECK_NEAR(t->enthalpy, t->energy + kt, 1e-12);
    CHECK_NEAR(t->free_energy, t->enthalpy - 500 * t->entropy, 1e-12);
    CHECK(t->n_left_out == 0 && t->symmetry_number == 2);
    CHECK(!as_one->thermo.symmetry_found);
    CHECK_NEAR(as_one->thermo.entropy - t->entropy, k * log(2), 1e-12);
    /* Water at 298.15 K and 1 bar has 188.8 J/mol/K in tables; this geometry and these frequencies are near. */
    shoal_modes_result *bar = find(&m, &(shoal_modes_options){.pressure = 1e5});
    CHECK_NEAR(bar->thermo.entropy * 96485.33212, 188.8, 1);
    CHECK(s > 0 && t->entropy > s);
    shoal_modes_result_destroy(bar);
    shoal_modes_result_destroy(as_one);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* Turned and moved, a molecule has the same frequencies, and its modes neither move nor turn it. */
static void test_rigid(void)
{
    made m = relaxed(benzene());
    const double c = cos(0.7), s = sin(0.7);
    double turned[12][3];
    shoal_modes_result *r = find(&m, &(shoal_modes_options){.vectors = true});
    shoal_topology_view v;
    shoal_topology_get(m.topology, &v);
    for (int32_t k = 0; k < r->n_modes; ++k) {
        double p[3] = {0}, l[3] = {0};
        for (int i = 0; i < 12; ++i) {
            const double *d = r->vectors[12 * k + i], *x = m.system.pos[i], w = v.masses[i];
            for (int a = 0; a < 3; ++a) {
                const int b = (a + 1) % 3, e = (a + 2) % 3;
                p[a] += w * d[a];
                l[a] += w * (x[b] * d[e] - x[e] * d[b]);
            }
        }
        for (int a = 0; a < 3; ++a) {
            CHECK_NEAR(p[a], 0, 1e-9);
            CHECK_NEAR(l[a], 0, 1e-8);
        }
    }
    for (int i = 0; i < 12; ++i) {
        const double *x = m.system.pos[i];
        turned[i][0] = c * x[0] - s * x[2] + 30;
        turned[i][1] = x[1] - 20;
        turned[i][2] = s * x[0] + c * x[2] + 5;
    }
    m.system.pos = (const double(*)[3])turned;
    shoal_modes_result *other = find(&m, NULL);
    for (int32_t k = 0; k < r->n_modes; ++k)
        CHECK_NEAR(other->frequencies[k], r->frequencies[k], 1e-5);
    CHECK_NEAR(other->thermo.entropy, r->thermo.entropy, 1e-10);
    shoal_modes_result_destroy(other);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* Fixed atoms have no modes; held positions leave no motion of the whole. */
static void test_held(void)
{
    made m = relaxed(water());
    const bool fixed[3] = {true, false, false}, all[3] = {true, true, true};
    shoal_restraint tie = {.kind = SHOAL_RESTRAINT_POSITION, .atoms = {0}, .k = 10};
    m.system.fixed = fixed;
    shoal_modes_result *r = find(&m, &(shoal_modes_options){.vectors = true});
    CHECK(r->n_modes == 6 && r->n_removed == 0 && !r->thermo.ideal_gas);
    CHECK(r->thermo.symmetry_number == 0 && r->thermo.enthalpy == r->thermo.energy);
    /* About the fixed atom it turns freely: three frequencies that count as zero. */
    CHECK(r->verdict == SHOAL_VERDICT_MINIMUM && r->thermo.n_left_out == 3);
    for (int32_t k = 0; k < 6; ++k)
        for (int x = 0; x < 3; ++x) CHECK(r->vectors[3 * k][x] == 0);
    shoal_modes_result_destroy(r);
    m.system.fixed = all;
    r = find(&m, NULL);
    CHECK(r->n_modes == 0 && r->n_removed == 0);
    shoal_modes_result_destroy(r);
    m.system.fixed = NULL;
    memcpy(tie.target, m.system.pos[0], sizeof tie.target);
    m.system.restraints = &tie;
    m.system.n_restraints = 1;
    r = find(&m, NULL);
    CHECK(r->n_modes == 9 && r->n_removed == 0);
    shoal_modes_result_destroy(r);
    tie = (shoal_restraint){.kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {0, 1}, .k = 10, .value = 1};
    r = find(&m, &(shoal_modes_options){.fmax = 1});
    CHECK(r->n_modes == 3 && r->n_removed == 6);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* Away from a minimum, and on the flat form of a molecule that wants to be bent. */
static void test_verdicts(void)
{
    made m = relaxed(water());
    double flat[3][3] = {{0}}, off[3][3];
    memcpy(off, m.system.pos, sizeof off);
    off[1][0] += 0.05;
    m.system.pos = (const double(*)[3])off;
    shoal_modes_result *r = find(&m, NULL);
    CHECK(r->verdict == SHOAL_VERDICT_NOT_STATIONARY && r->fmax > 0.1);
    CHECK(isnan(r->thermo.free_energy) && isnan(r->thermo.zero_point));
    CHECK_TEXT(shoal_verdict_name(r->verdict), "not stationary");
    shoal_modes_result_destroy(r);
    flat[1][0] = 0.9902;
    flat[2][0] = -0.9902;
    m.system.pos = (const double(*)[3])flat;
    r = find(&m, &(shoal_modes_options){.fmax = 0.05});
    CHECK(r->verdict == SHOAL_VERDICT_SADDLE && r->linear && r->n_modes == 4);
    CHECK(r->order == 2 && r->frequencies[0] < -100 && r->frequencies[1] < -100);
    CHECK(r->thermo.n_left_out == 2);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* Nothing to vibrate, and masses that no atom has. */
static void test_refusals(void)
{
    made m = relaxed(water()), none = {.mol = chem_new()};
    const double nowhere[1][3] = {{0}}, bad[3][3] = {{16, 1, 0}, {16, -1, -1}, {16, 1, NAN}};
    shoal_modes_result *r = NULL;
    for (int k = 0; k < 3; ++k)
        CHECK(shoal_modes_find(&r, &m.system, bad[k], NULL, NULL) == SHOAL_E_UNSUPPORTED && !r);
    CHECK(strstr(shoal_error_text(), "atom 2 has a mass of") != NULL);
    CHECK(shoal_topology_create(&none.topology, none.mol, NULL) == SHOAL_OK);
    none.system = (shoal_system){.topology = none.topology, .pos = nowhere};
    CHECK(shoal_modes_find(&r, &none.system, NULL, NULL, NULL) == SHOAL_E_UNSUPPORTED && !r);
    CHECK_TEXT(shoal_error_text(), "modes: there are no atoms");
    drop(&none);
    drop(&m);
}

/* Where the potential is so steep that the estimate is bad, a shorter step is tried, and the better one kept. */
static void test_steps(void)
{
    made m = relaxed(chem_atoms("Ar", 2));
    const double close[2][3] = {{0, 0, 0}, {0, 1.4, 0}}, far[2][3] = {{0, 0, 0}, {0, 3.8, 0}};
    m.system.pos = close;
    shoal_modes_result *r = find(&m, &(shoal_modes_options){.fmax = 1e9});
    shoal_modes_result *coarse = find(&m, &(shoal_modes_options){.fmax = 1e9, .step = 5e-4});
    CHECK(coarse->error > 0.01 && coarse->step == 5e-4);
    CHECK(r->step == 1.25e-4 && r->error < 0.1 * coarse->error);
    CHECK_NEAR(r->frequencies[0], coarse->frequencies[0], coarse->error);
    shoal_modes_result_destroy(coarse);
    shoal_modes_result_destroy(r);
    m.system.pos = far;
    r = find(&m, &(shoal_modes_options){.fmax = 1e9});
    CHECK(r->step == 5e-4 && r->error < 0.01);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* Product of masses cubed over that of the mass cubed and the three moments. */
static double rule(const made *m, const double *masses)
{
    double mass = 0, centre[3] = {0}, inertia[3][3] = {{0}}, moments[3], work[3], product = 1;
    for (int i = 0; i < 3; ++i) {
        mass += masses[i];
        product *= pow(masses[i], 3);
        for (int k = 0; k < 3; ++k) centre[k] += masses[i] * m->system.pos[i][k];
    }
    for (int i = 0; i < 3; ++i) {
        double d[3], d2 = 0;
        for (int k = 0; k < 3; ++k) d[k] = m->system.pos[i][k] - centre[k] / mass;
        for (int k = 0; k < 3; ++k) d2 += d[k] * d[k];
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                inertia[k][l] += masses[i] * ((k == l ? d2 : 0) - d[k] * d[l]);
    }
    CHECK(eigen_symmetric(3, inertia[0], moments, work));
    return product / (pow(mass, 3) * moments[0] * moments[1] * moments[2]);
}

static void test_isotopes(void)
{
    CHECK_NEAR(isotope_mass(1, 2), 2.014102, 1e-5);
    CHECK_NEAR(isotope_mass(6, 0), 12.011, 1e-3);
    CHECK_NEAR(isotope_mass(92, 235), 235, 0.1);
    made m = relaxed(water());
    shoal_modes_result *r = NULL, *heavy = NULL;
    const double masses[3] = {15.999, 2.014102, 2.014102};
    r = find(&m, NULL);
    CHECK(shoal_modes_find(&heavy, &m.system, masses, NULL, NULL) == SHOAL_OK);
    /* The product rule of Teller and Redlich: of masses and moments alone. */
    shoal_topology_view v;
    shoal_topology_get(m.topology, &v);
    double product = 1;
    for (int k = 0; k < 3; ++k) product *= heavy->frequencies[k] / r->frequencies[k];
    CHECK_NEAR(product, sqrt(rule(&m, v.masses) / rule(&m, masses)), 1e-6);
    CHECK(product > 0.35 && product < 0.40);
    shoal_modes_result_destroy(heavy);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* All devices that compute in double find the same. */
static void test_devices(void)
{
    made m = relaxed(benzene());
    shoal_modes_result *r = find(&m, NULL), *other;
    static const char *const devices[] = {"ref", "opencl:pocl"};
    for (int k = 0; k < 2; ++k) {
        const shoal_engine_options options = {.device = devices[k]};
        const shoal_status status = shoal_modes_find(&other, &m.system, NULL, &options, NULL);
        if (status == SHOAL_E_DEVICE) {
            (void)printf("%s is not there: %s\n", devices[k], shoal_error_text());
            continue;
        }
        CHECK(status == SHOAL_OK);
        for (int32_t i = 0; status == SHOAL_OK && i < r->n_modes; ++i)
            CHECK_NEAR(other->frequencies[i], r->frequencies[i], 1e-5);
        shoal_modes_result_destroy(other);
    }
    const shoal_engine_options in_float = {.precision = SHOAL_PRECISION_FLOAT};
    CHECK(shoal_modes_find(&other, &m.system, NULL, &in_float, NULL) == SHOAL_E_ARGUMENT && !other);
    const shoal_modes_options wrong = {.step = 1};
    CHECK(shoal_modes_find(&other, &m.system, NULL, NULL, &wrong) == SHOAL_E_ARGUMENT);
    shoal_modes_result_destroy(r);
    drop(&m);
}

/* Salt in its cell: three motions of the whole, and the one optical frequency of its two atoms, three times. */
static void test_periodic(void)
{
    static const double cell[3][3] = {{5.64, 0, 0}, {0, 5.64, 0}, {0, 0, 5.64}};
    static const bool pbc[3] = {true, true, true};
    shoal_molecule *mol = chem_new();
    for (int k = 0; k < 8; ++k)
        chem_atom(mol, (k + k / 2 + k / 4) % 2 ? "Cl" : "Na", 2.82 * (k % 2), 2.82 * (k / 2 % 2),
                  2.82 * (k / 4));
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    for (int k = 0; k < 8; ++k)
        CHECK(shoal_molecule_set_charge(mol, k, (k + k / 2 + k / 4) % 2 ? -0.3 : 0.3) == SHOAL_OK);
    made m = {.mol = mol};
    CHECK(shoal_topology_create(&m.topology, mol, NULL) == SHOAL_OK);
    m.system =
        (shoal_system){.topology = m.topology, .pos = shoal_molecule_positions(mol), .cell = cell};
    shoal_modes_result *r = find(&m, NULL);
    CHECK(r && r->n_modes == 21 && r->n_removed == 3 && !r->thermo.ideal_gas);
    shoal_modes_result_destroy(r);
    drop(&m);
}

static shoal_status see_modes(void *user, const shoal_stream_system *systems, int32_t n)
{
    shoal_system_status *wanted = user;
    CHECK(n == 1 && systems[0].result.status == *wanted);
    CHECK(systems[0].modes && systems[0].modes->n_modes == 3);
    return SHOAL_OK;
}

/* Wherever a relaxation of a stream ends, there are forces, and so vibrations. A spring so stiff that the last
 * digit of a coordinate is a force of 1e-11 eV/angstrom keeps the last case from what it asks for. */
static void test_stream(void)
{
    static const char path[] = "test_modes_water.xyz";
    static const struct {
        shoal_relax_options relax;
        shoal_system_status status;
    } cases[] = {{{.fmax = 1e-3}, SHOAL_SYSTEM_CONVERGED},
                 {{.fmax = 1e-6, .max_steps = 2}, SHOAL_SYSTEM_MAX_STEPS},
                 {{.fmax = 1e-12, .max_steps = 5000}, SHOAL_SYSTEM_STALLED}};
    const shoal_restraint spring = {
        .kind = SHOAL_RESTRAINT_DISTANCE, .atoms = {1, 2}, .k = 1e5, .value = 1.5};
    const char *files[] = {path};
    const shoal_engine_options engine = {.device = "cpu"};
    FILE *file = fopen(path, "w");
    CHECK(file && fputs("3\nwater\nO 0 0 0\nH 0.96 0 0\nH -0.24 0.93 0\n", file) >= 0);
    CHECK(file && fclose(file) == 0);
    for (int k = 0; k < 3; ++k) {
        shoal_system_status wanted = cases[k].status;
        const shoal_stream_options o = {
            .job = SHOAL_JOB_MODES,
            .input = {.files = files, .n_files = 1},
            .compute = {.engine = &engine, .relax = &cases[k].relax},
            .constraints = {.restraints = &spring, .n_restraints = k == 2},
            .output = {.visit = see_modes, .user = &wanted}};
        CHECK(shoal_stream_run(&o) == SHOAL_OK);
    }
    (void)remove(path);
}

int main(void)
{
    test_rotations();
    test_golden();
    test_diatomic();
    test_atom();
    test_thermo();
    test_rigid();
    test_held();
    test_verdicts();
    test_refusals();
    test_steps();
    test_isotopes();
    test_devices();
    test_periodic();
    test_stream();
    return check_done();
}
