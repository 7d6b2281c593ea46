/* SPDX-License-Identifier: BSD-3-Clause
 * Layers that are split off a surface and joined to a molecule: the whole has the energy that the molecule has on
 * the rigid slab, on top of that of the layers. */
#include "surface_fixture.h"

#include <stdlib.h>

#define CUTOFF 40.0

static shoal_surface *make_surface(const shoal_slab_options *slab)
{
    const shoal_surface_options lj = {.form = SHOAL_SURFACE_LJ, .metals = SHOAL_METALS_UFF};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_slab_build(mol, slab) == SHOAL_OK);
    shoal_surface *surface = fixture_surface(mol, &lj);
    shoal_molecule_destroy(mol);
    return surface;
}

/* Water with charges above the origin. */
static shoal_molecule *make_water(void)
{
    static const int32_t z[3] = {8, 1, 1};
    static const double q[3] = {-0.8, 0.4, 0.4};
    static const double pos[3][3] = {{0.2, 0.1, 3.0}, {0.95, 0.2, 3.6}, {-0.5, 0.5, 3.6}};
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 3; ++i) {
        CHECK(shoal_molecule_add_atom(mol, z[i], pos[i]) == SHOAL_OK);
        CHECK(shoal_molecule_set_charge(mol, i, q[i]) == SHOAL_OK);
    }
    return mol;
}

static double energy(shoal_molecule *mol, shoal_topology *topology, shoal_surface *surface,
                     const char *device)
{
    const shoal_engine_options options = {
        .device = device, .surface = surface, .vdw_cutoff = CUTOFF, .n_threads = 1};
    double cell[3][3];
    bool pbc[3];
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result result = {.energy = NAN};
    shoal_molecule_cell(mol, cell, pbc);
    const shoal_system system = {.topology = topology,
                                 .pos = shoal_molecule_positions(mol),
                                 .cell = (const double(*)[3])cell};
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &result) == SHOAL_OK);
    CHECK(result.status == SHOAL_SYSTEM_OK);
    if (result.status != SHOAL_SYSTEM_OK) (void)printf("%s\n", result.reason);
    const double e = result.energy;
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    return e;
}

/* A molecule with the layers, on the rest. */
static double joined_energy(shoal_molecule *mol, const shoal_surface *movable, shoal_surface *rest,
                            const char *device)
{
    shoal_topology *topology = NULL;
    const int32_t n = shoal_molecule_n_atoms(mol), n_bonds = shoal_molecule_n_bonds(mol);
    shoal_surface_view v;
    shoal_topology_view t;
    shoal_surface_get(movable, &v);
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    const int32_t bonded = shoal_molecule_n_bonds(mol);
    CHECK(shoal_surface_join(movable, mol, &topology) == SHOAL_OK);
    shoal_topology_get(topology, &t);
    CHECK(t.n_atoms == n + v.n_atoms && shoal_molecule_n_atoms(mol) == n + v.n_atoms);
    CHECK(t.pbc[0] && t.pbc[1] && !t.pbc[2]);
    CHECK(n_bonds <= bonded && shoal_molecule_n_bonds(mol) == bonded);
    CHECK(shoal_molecule_perceive(mol, NULL) == SHOAL_OK); /* finds no more of them */
    CHECK(shoal_molecule_n_bonds(mol) == bonded);
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        CHECK_NEAR(t.vdw_x[n + i], 2.0 * v.radius[i], 0.0);
        CHECK_NEAR(t.charges[n + i], v.charges[i], 0.0);
        CHECK_NEAR(shoal_molecule_positions(mol)[n + i][2], v.pos[i][2], 0.0);
    }
    const double e = energy(mol, topology, rest, device);
    shoal_topology_destroy(topology);
    return e;
}

/* The molecule alone in the cell of the slab, on the whole of it. */
static double rigid_energy(const shoal_surface *movable, shoal_surface *whole, const char *device)
{
    shoal_molecule *mol = make_water();
    shoal_topology *topology = NULL;
    const bool pbc[3] = {true, true, false};
    shoal_surface_view v;
    shoal_surface_get(movable, &v);
    const double cell[3][3] = {
        {v.cell[0][0], v.cell[0][1], 0.0}, {v.cell[1][0], v.cell[1][1], 0.0}, {0.0, 0.0, 20.0}};
    CHECK(shoal_molecule_set_cell(mol, cell, pbc) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    const double e = energy(mol, topology, whole, device);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
    return e;
}

static void check_energies(const shoal_slab_options *slab, int32_t layers, int32_t n_movable)
{
    static const char *const devices[2] = {"cpu", "ref"};
    shoal_surface *whole = make_surface(slab), *rest = NULL, *movable = NULL;
    shoal_surface_view all, v, w;
    CHECK(shoal_surface_split(whole, layers, &rest, &movable) == SHOAL_OK);
    if (!rest) (void)printf("%s\n", shoal_error_text());
    shoal_surface_get(whole, &all);
    shoal_surface_get(movable, &v);
    shoal_surface_get(rest, &w);
    CHECK(v.n_atoms == n_movable && v.n_atoms + w.n_atoms == all.n_atoms);
    CHECK(v.bottom > w.top && v.top == all.top && w.bottom == all.bottom);
    for (int d = 0; d < 2 && rest; ++d) {
        shoal_molecule *bare = NULL, *water = make_water();
        CHECK(shoal_molecule_create(&bare) == SHOAL_OK);
        const double e = joined_energy(water, movable, rest, devices[d]);
        const double layer = joined_energy(bare, movable, rest, devices[d]);
        /* The pairs beyond the cut-off are left out of one of them: a few 1e-6 eV at 40 angstrom. */
        CHECK_NEAR(e - layer, rigid_energy(movable, whole, devices[d]), 1e-5);
        shoal_molecule_destroy(bare);
        shoal_molecule_destroy(water);
    }
    shoal_surface_destroy(whole);
    shoal_surface_destroy(rest);
    shoal_surface_destroy(movable);
}

static void test_energies(void)
{
    check_energies(&(shoal_slab_options){.size = {3, 3}}, 1, 18);
    check_energies(&(shoal_slab_options){.size = {3, 2}, .layers = 4}, 2, 24);
    check_energies(&(shoal_slab_options){.kind = SHOAL_SLAB_FCC111, .size = {3, 3}}, 1, 9);
    check_energies(&(shoal_slab_options){.kind = SHOAL_SLAB_FLUORITE111, .size = {2, 2}}, 3, 12);
}

static void refuse_split(const shoal_slab_options *slab, int32_t layers, const char *text)
{
    shoal_surface *whole = make_surface(slab), *rest = NULL, *movable = NULL;
    CHECK(shoal_surface_split(whole, layers, &rest, &movable) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), text);
    CHECK(!rest && !movable);
    shoal_surface_destroy(whole);
}

static void test_refusals(void)
{
    refuse_split(&(shoal_slab_options){.size = {1, 1}}, 3,
                 "surface: 3 of its 3 layers cannot move, expected 1 to 2: one must stay");
    refuse_split(&(shoal_slab_options){.size = {1, 1}}, 0,
                 "surface: 0 of its 3 layers cannot move, expected 1 to 2: one must stay");
    refuse_split(
        &(shoal_slab_options){.kind = SHOAL_SLAB_FLUORITE111, .size = {1, 1}}, 2,
        "surface: the charges of its topmost layers add up to 0.9 e, expected zero, as those "
        "of the first 3");
    refuse_split(&(shoal_slab_options){.kind = SHOAL_SLAB_GRAPHENE, .size = {2, 2}, .layers = 2}, 1,
                 "surface: atoms 0 (C) and 1 (C) are bonded; layers of salts and metals alone can "
                 "move, as their atoms have no bonds");
    refuse_split(&(shoal_slab_options){.kind = SHOAL_SLAB_FCC111, .elements = {13}, .size = {2, 2}},
                 1,
                 "surface: atoms 0 (Al) and 1 (Al), 2.86 A apart, have 4.3 eV: layers with these "
                 "parameters would fly apart");
}

/* A system that repeats must do so with the layers; one that is not typed is not joined. */
static void test_cells(void)
{
    static const bool pbc[3] = {true, true, false};
    static const double other[3][3] = {{9.0, 0.0, 0.0}, {0.0, 9.0, 0.0}, {0.0, 0.0, 20.0}};
    shoal_surface *whole = make_surface(&(shoal_slab_options){.size = {3, 3}}), *rest, *movable;
    shoal_molecule *mol = make_water();
    shoal_topology *topology = NULL, *untyped = NULL;
    CHECK(shoal_surface_split(whole, 1, &rest, &movable) == SHOAL_OK);
    CHECK(shoal_molecule_set_cell(mol, other, pbc) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_surface_join(movable, mol, &topology) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(),
               "the system is periodic, but not in a and b with the cell of the movable layers");
    CHECK(shoal_molecule_n_atoms(mol) == 3);
    CHECK(shoal_topology_create_untyped(&untyped, mol, "why not") == SHOAL_OK);
    CHECK(shoal_surface_join(movable, mol, &untyped) == SHOAL_E_ARGUMENT);
    shoal_topology_destroy(topology);
    shoal_topology_destroy(untyped);
    shoal_molecule_destroy(mol);
    shoal_surface_destroy(whole);
    shoal_surface_destroy(rest);
    shoal_surface_destroy(movable);
}

/* What is joined: atoms with their masses, twice their radii, depths and charges, in a cell with 20 angstrom of vacuum;
 * a cell that repeats with the layers to 1e-3 angstrom is theirs. */
static void test_joined(void)
{
    static const bool pbc[3] = {true, true, false};
    static const double off[2] = {5e-4, 1e-2};
    shoal_surface *whole = make_surface(&(shoal_slab_options){.size = {2, 2}, .layers = 4}), *rest,
                  *movable;
    shoal_surface_view m;
    CHECK(shoal_surface_split(whole, 2, &rest, &movable) == SHOAL_OK);
    shoal_surface_get(movable, &m);
    CHECK_NEAR(m.top - m.bottom, 5.6402 / 2, 1e-9);
    for (int k = 0; k < 3; ++k) {
        shoal_molecule *mol = make_water();
        shoal_topology *topology = NULL;
        shoal_topology_view v;
        double cell[3][3] = {{m.cell[0][0], m.cell[0][1], 0},
                             {m.cell[1][0], m.cell[1][1] + (k > 0 ? off[k - 1] : 0), 0},
                             {0, 0, 50}};
        bool repeats[3];
        if (k > 0) CHECK(shoal_molecule_set_cell(mol, (const double(*)[3])cell, pbc) == SHOAL_OK);
        CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
        CHECK(shoal_surface_join(movable, mol, &topology) == (k < 2 ? SHOAL_OK : SHOAL_E_ARGUMENT));
        shoal_molecule_cell(mol, cell, repeats);
        if (k == 0) CHECK_NEAR(cell[2][2], 5.6402 / 2 + 20, 1e-9);
        shoal_topology_get(topology, &v);
        for (int32_t i = 3; i < v.n_atoms; ++i) {
            const bool sodium = v.elements[i] == 11;
            CHECK_NEAR(v.masses[i], sodium ? 22.990 : 35.45, 0.01);
            CHECK_NEAR(v.vdw_x[i], sodium ? 2.983 : 3.947, 1e-9);          /* angstrom, UFF */
            CHECK_NEAR(v.vdw_d[i] * 23.0605, sodium ? 0.03 : 0.227, 1e-4); /* kcal/mol */
            CHECK_NEAR(v.charges[i], sodium ? 0.9 : -0.9, 1e-12);
        }
        shoal_topology_destroy(topology);
        shoal_molecule_destroy(mol);
    }
    shoal_surface_destroy(whole);
    shoal_surface_destroy(rest);
    shoal_surface_destroy(movable);
}

int main(void)
{
    test_joined();
    test_energies();
    test_refusals();
    test_cells();
    return check_done();
}
