/* SPDX-License-Identifier: BSD-3-Clause
 * Metals from bare coordinates: oxo groups keep their lengths, haptic bonds are refused, Grignard compounds keep their magnesium; and
 * what UFF cannot describe is said. */
#include <math.h>
#include <string.h>

#include "chem_fixture.h"

typedef struct place {
    int32_t z;
    double r[3];
} place;

static shoal_molecule *make(int32_t charge, int n, const place *atoms)
{
    shoal_molecule *mol = chem_new();
    const shoal_perceive_options o = {.total_charge = charge, .has_total_charge = true};
    for (int k = 0; k < n; ++k)
        CHECK(shoal_molecule_add_atom(mol, atoms[k].z, atoms[k].r) == SHOAL_OK);
    int32_t sum = 0;
    CHECK(shoal_molecule_perceive(mol, &o) == SHOAL_OK);
    for (int32_t i = 0; i < n; ++i) sum += mol->formal_charge[i];
    CHECK(sum == charge); /* whatever bonds become */
    return mol;
}

/* A result of a relaxation on the cpu. */
static shoal_result relax(shoal_molecule *mol, double (*pos)[3])
{
    shoal_topology *top = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result r = {0};
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch,
                          &(shoal_system){.topology = top, .pos = shoal_molecule_positions(mol)}) ==
          SHOAL_OK);
    CHECK(shoal_engine_create(
              &engine, batch,
              &(shoal_engine_options){.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE}) ==
          SHOAL_OK);
    CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    shoal_engine_results_view v;
    CHECK(shoal_engine_view(engine, &v) == SHOAL_OK);
    memcpy(pos, v.positions, (size_t)mol->n_atoms * sizeof *pos);
    static char warning[256];
    (void)snprintf(warning, sizeof warning, "%s", r.warning ? r.warning : "");
    r.warning = warning;
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(top);
    return r;
}

static double far(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Tetrahedra of oxygen, lengths from crystals and the gas phase. */
static void test_oxo(void)
{
    static const struct {
        int32_t z, charge;
        double r;
    } ions[] = {{25, -1, 1.63}, {76, 0, 1.71}, {24, -2, 1.65}, {75, -1, 1.72},
                {42, -2, 1.77}, {44, 0, 1.70}, {74, -2, 1.78}};
    static const double t[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    for (size_t k = 0; k < sizeof ions / sizeof ions[0]; ++k) {
        place atoms[5] = {{ions[k].z, {0, 0, 0}}};
        double pos[5][3];
        for (int n = 0; n < 4; ++n) {
            atoms[n + 1].z = 8;
            for (int c = 0; c < 3; ++c) atoms[n + 1].r[c] = ions[k].r / sqrt(3) * t[n][c];
        }
        shoal_molecule *mol = make(ions[k].charge, 5, atoms);
        for (int32_t b = 0; b < mol->n_bonds; ++b) CHECK(mol->bonds[b].order == SHOAL_ORDER_DOUBLE);
        CHECK(mol->n_bonds == 4 && mol->formal_charge[1] == 0);
        const shoal_result r = relax(mol, pos);
        CHECK(r.status == SHOAL_SYSTEM_CONVERGED && r.energy < 0.01);
        for (int n = 1; n < 5; ++n) CHECK_NEAR(far(pos[0], pos[n]), ions[k].r, 0.08);
        CHECK_NEAR(far(pos[1], pos[2]) / far(pos[0], pos[1]), sqrt(8.0 / 3), 0.02); /* tetrahedra */
        shoal_molecule_destroy(mol);
    }
}

/* Uranyl; a long bond of oxygen is no oxo group. */
static void test_linear_oxo(void)
{
    const place uranyl[] = {{92, {0, 0, 0}}, {8, {0, 0, 1.76}}, {8, {0, 0, -1.76}}};
    const place distant[] = {{25, {0, 0, 0}}, {8, {0, 0, 1.95}}};
    double pos[3][3];
    shoal_molecule *mol = make(2, 3, uranyl);
    (void)relax(mol, pos);
    CHECK_NEAR(far(pos[0], pos[1]), 1.76, 0.12);
    shoal_molecule_destroy(mol);
    mol = make(0, 2, distant);
    CHECK(mol->n_bonds == 1 && mol->bonds[0].order == SHOAL_ORDER_SINGLE);
    shoal_molecule_destroy(mol);
}

static void put_ring(place *to, int n, double r, double hydrogens, double z)
{
    for (int k = 0; k < n; ++k) {
        const double t = 2 * 3.14159265358979324 * k / n;
        to[k] = (place){6, {r * cos(t), r * sin(t), z}};
        to[n + k] = (place){1, {hydrogens * cos(t), hydrogens * sin(t), z}};
    }
}

static void test_haptic(void)
{
    place ferrocene[21] = {{26, {0, 0, 0}}}, chromium[25] = {{24, {0, 0, 0}}};
    put_ring(ferrocene + 1, 5, 1.21, 2.29, 1.65);
    put_ring(ferrocene + 11, 5, 1.21, 2.29, -1.65);
    put_ring(chromium + 1, 6, 1.42, 2.5, 1.61);
    put_ring(chromium + 13, 6, 1.42, 2.5, -1.61);
    const place *complexes[] = {ferrocene, chromium};
    for (int k = 0; k < 2; ++k) {
        shoal_topology *top = NULL;
        shoal_molecule *mol = make(0, k ? 25 : 21, complexes[k]);
        CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
        CHECK(shoal_topology_status(top) == SHOAL_SYSTEM_UNTYPED);
        CHECK(strstr(shoal_topology_reason(top), "side-on") != NULL);
        shoal_topology_destroy(top);
        shoal_molecule_destroy(mol);
    }
}

static const char *warning_of(shoal_molecule *mol)
{
    static char text[512];
    shoal_topology *top = NULL;
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    (void)snprintf(text, sizeof text, "%s", shoal_topology_warning(top));
    shoal_topology_destroy(top);
    return text;
}

static void test_radicals(void)
{
    const place hydroxyl[] = {{8, {0, 0, 0}}, {1, {0, 0, 0.97}}};
    const place water[] = {{8, {0, 0, 0}}, {1, {0, 0.76, 0.59}}, {1, {0, -0.76, 0.59}}};
    shoal_molecule *mol = make(0, 2, hydroxyl);
    CHECK(strstr(warning_of(mol), "1 unpaired electron (atom 0, O)") != NULL);
    shoal_molecule_destroy(mol);
    mol = make(0, 3, water);
    CHECK(warning_of(mol)[0] == '\0');
    shoal_molecule_destroy(mol);
    mol = make(-1, 2, hydroxyl);
    CHECK(warning_of(mol)[0] == '\0');
    shoal_molecule_destroy(mol);
}

static const char *type_of(shoal_molecule *mol, int32_t i)
{
    static char text[16];
    shoal_topology *top = NULL;
    shoal_topology_view v;
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    shoal_topology_get(top, &v);
    (void)snprintf(text, sizeof text, "%s", v.types[i]);
    shoal_topology_destroy(top);
    return text;
}

/* Pyridine: 2-pyridyl magnesium bromide, and its cation, in whose ring nitrogen is bent. */
static void test_pyridyl(void)
{
    place atoms[13];
    put_ring(atoms, 6, 1.39, 2.48, 0);
    atoms[0].z = 7;
    atoms[6] = (place){12, {3.49 * 0.5, 3.49 * 0.8660254037844386, 0}}; /* at carbon 1 */
    atoms[7] = (place){35, {5.84 * 0.5, 5.84 * 0.8660254037844386, 0}};
    shoal_molecule *mol = make(0, 12, atoms);
    int n = 0;
    for (int32_t b = 0; b < mol->n_bonds; ++b) n += mol->bonds[b].i == 6 || mol->bonds[b].j == 6;
    CHECK(n == 2);
    CHECK(strcmp(type_of(mol, 1), "C_R") == 0 && strcmp(type_of(mol, 0), "N_R") == 0);
    shoal_molecule_destroy(mol);
    put_ring(atoms, 6, 1.37, 2.46, 0);
    atoms[0].z = 7;
    atoms[6] = atoms[11];
    mol = make(1, 11, atoms);
    CHECK(strcmp(type_of(mol, 0), "N_R") == 0);
    shoal_molecule_destroy(mol);
}

/* Eight neighbours of an atom that UFF knows as a tetrahedron are strained beyond reason, and said to be; ammonia is not. */
static void test_strain(void)
{
    const place crowded[] = {{40, {0, 0, 0}},   {9, {2, 0, 0}},       {9, {-2, 0, 0}},
                             {9, {0, 2, 0}},    {9, {0, -2, 0}},      {9, {0, 0, 2}},
                             {9, {0, 0.3, -2}}, {9, {1.3, 1.3, 1.3}}, {9, {-1.3, 1.3, -1.3}}};
    const place ammonia[] = {
        {7, {0, 0, 0}}, {1, {0.94, 0, 0.38}}, {1, {-0.47, 0.81, 0.38}}, {1, {-0.47, -0.81, 0.38}}};
    double pos[9][3];
    shoal_molecule *mol = make(-4, 9, crowded);
    shoal_result r = relax(mol, pos);
    CHECK(r.status == SHOAL_SYSTEM_CONVERGED && strstr(r.warning, "Zr3+4") != NULL);
    shoal_molecule_destroy(mol);
    mol = make(0, 4, ammonia);
    r = relax(mol, pos);
    CHECK(r.status == SHOAL_SYSTEM_CONVERGED && r.warning[0] == '\0');
    shoal_molecule_destroy(mol);
}

/* One metal to a cell between carbon atoms that are bonded to each other elsewhere: no side-on bond. */
static void test_chain(void)
{
    const double cell[3][3] = {{5.2, 0, 0}, {0, 20, 0}, {0, 0, 20}};
    const place atoms[] = {{78, {0, 0, 0}}, {6, {2.0, 0, 0}}, {6, {3.2, 0, 0}}};
    shoal_molecule *mol = chem_new();
    shoal_topology *top = NULL;
    for (int k = 0; k < 3; ++k)
        CHECK(shoal_molecule_add_atom(mol, atoms[k].z, atoms[k].r) == SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, cell, (const bool[3]){true, false, false}) == SHOAL_OK);
    CHECK(shoal_topology_create(&top, mol, NULL) == SHOAL_OK);
    CHECK(mol->n_bonds == 3 && strstr(shoal_topology_reason(top), "side-on") == NULL);
    shoal_topology_destroy(top);
    shoal_molecule_destroy(mol);
}

/* Bismuth keeps the 90 degrees of its type. */
static void test_bismuth(void)
{
    const place chloride[] = {
        {83, {0, 0, 0}}, {17, {2.4, 0, 0.3}}, {17, {0, 2.4, 0.3}}, {17, {-1.6, -1.6, 0.8}}};
    double pos[4][3];
    shoal_molecule *mol = make(0, 4, chloride);
    const shoal_result r = relax(mol, pos);
    CHECK(r.status == SHOAL_SYSTEM_CONVERGED);
    CHECK_NEAR(far(pos[1], pos[2]) / far(pos[0], pos[1]), sqrt(2), 0.05);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    test_oxo();
    test_linear_oxo();
    test_haptic();
    test_radicals();
    test_pyridyl();
    test_strain();
    test_chain();
    test_bismuth();
    return check_done();
}
