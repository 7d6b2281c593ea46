/* SPDX-License-Identifier: BSD-3-Clause
 * Every backend against ref: sizes around every lane and block, many elements, charges, damping,
 * mixing, every term alone, singular geometries; float and double. OpenCL runs on the processor
 * (PoCL), or on the device that SHOAL_TEST_DEVICE names. */
#include "conformance_fixture.h"
#include "periodic_fixture.h"

/* Straight torsions, upright inversions, a bond of no length, atoms on top of each other. */
static void add_singular(set *s)
{
    shoal_molecule *mol = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int k = 0; k < 4; ++k) (void)set_atom(mol, k % 3 ? 6 : 1, 1.1 * k, 0.0, 0.0);
    for (int k = 0; k < 3; ++k)
        CHECK(shoal_molecule_add_bond(mol, k, k + 1, k % 2 ? 3 : 1, NULL) == 0);
    (void)set_add(s, mol, "straight acetylene", 0.0);
    shoal_molecule_clear(mol);
    for (int k = 0; k < 4; ++k) (void)set_atom(mol, 6, 1.5 * k, 0.0, 0.0);
    for (int k = 0; k < 3; ++k)
        CHECK(shoal_molecule_add_bond(mol, k, k + 1, k == 1 ? 2 : 1, NULL) == 0);
    for (int k = 0; k < 4; ++k) {
        const int32_t h = set_atom(mol, 1, 1.5 * k, 1.0, 0.0);
        CHECK(shoal_molecule_add_bond(mol, k, h, 1, NULL) == SHOAL_OK);
    }
    set_system *sys = set_add(s, mol, "straight butene, upright hydrogen", 0.0);
    sys->pos[5][1] = 0.0;
    sys->pos[5][2] = 1.1;
    shoal_molecule_clear(mol);
    (void)set_atom(mol, 8, 0.0, 0.0, 0.0);
    (void)set_atom(mol, 1, 0.0, 0.0, 0.0);
    (void)set_atom(mol, 1, 0.9, 0.3, 0.0);
    for (int k = 1; k < 3; ++k) CHECK(shoal_molecule_add_bond(mol, 0, k, 1, NULL) == SHOAL_OK);
    (void)set_add(s, mol, "a bond of no length", 0.0);
    shoal_molecule_destroy(mol);
    sys = set_add_size(s, 32, true);
    memcpy(sys->pos[1], sys->pos[30], sizeof sys->pos[1]); /* not bonded */
    sys = set_add_size(s, 33, false);
    sys->pos[4][1] = NAN;
}

static void add_all(set *s)
{
    static const int32_t sizes[] = {1, 2, 5, 31, 32, 33, 63, 64, 65, 128, 257, 1000};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        (void)set_add_size(s, sizes[k], false);
        (void)set_add_size(s, sizes[k], true);
    }
    set_read(s, "types.sdf", SET_SYSTEMS - s->n - 8);
}

static void test_device(const char *device)
{
    static set s, strange;
    add_all(&s);
    compare(device, &s, "plain", (shoal_engine_options){0});
    compare(device, &s, "every term by itself", (shoal_engine_options){.plain_terms = true});
    compare(device, &s, "damped", (shoal_engine_options){.coulomb_damping = 0.7});
    compare(device, &s, "arithmetic", (shoal_engine_options){.mixing = SHOAL_MIXING_ARITHMETIC});
    for (int t = SHOAL_TERM_BOND; t <= SHOAL_TERM_COULOMB; ++t)
        compare(device, &s, shoal_term_name(t), (shoal_engine_options){.terms_off = ~(1u << t)});
    for (int32_t i = 0; i < s.n; ++i) /* far from home, as docked molecules are */
        for (int32_t k = 0; k < s.systems[i].n_atoms; ++k) s.systems[i].pos[k][0] += 300.0;
    compare(device, &s, "far away", (shoal_engine_options){0});
    add_singular(&strange);
    compare(device, &strange, "singular", (shoal_engine_options){0});
    compare(device, &strange, "singular, by itself", (shoal_engine_options){.plain_terms = true});
    set_free(&s);
    set_free(&strange);
}

/* Moves atoms by whole cells, each by others: nothing may change. */
static void scatter_cells(set *s)
{
    for (int32_t n = 0; n < s->n; ++n) {
        set_system *sys = &s->systems[n];
        shoal_topology_view v;
        shoal_topology_get(sys->topology, &v);
        if (terms_count(&v, SHOAL_KIND_BOND) > 0) continue; /* bonds know their images */
        for (int32_t i = 0; i < sys->n_atoms; ++i)
            for (int k = 0; k < 3; ++k)
                for (int c = 0; c < 3; ++c) sys->pos[i][c] += (40 * i - 7 * k) * sys->cell[k][c];
    }
}

static void test_large(const char *device)
{
    static set s;
    (void)set_add_size(&s, 1030, false);
    (void)set_add_size(&s, 1030, true);
    periodic_add_volumes(&s);
    periodic_add_layers(&s);
    compare(device, &s, "large", (shoal_engine_options){0});
    compare(device, &s, "large, damped", (shoal_engine_options){.coulomb_damping = 0.7});
    compare(device, &s, "large, short cut-off",
            (shoal_engine_options){.vdw_cutoff = 6, .mixing = SHOAL_MIXING_ARITHMETIC});
    for (int t = SHOAL_TERM_BOND; t <= SHOAL_TERM_COULOMB; ++t)
        compare(device, &s, shoal_term_name(t), (shoal_engine_options){.terms_off = ~(1u << t)});
    for (int32_t i = 0; i < s.n; ++i) /* the whole crystal moves */
        for (int32_t k = 0; k < s.systems[i].n_atoms; ++k) s.systems[i].pos[k][2] -= 500.0;
    scatter_cells(&s);
    compare(device, &s, "large, far away", (shoal_engine_options){0});
    set_free(&s);
}

int main(void)
{
    const char *device = getenv("SHOAL_TEST_DEVICE");
    test_device("cpu");
    test_large("cpu");
    if (!device) device = "opencl:cpu";
    if (strcmp(device, "cpu") == 0) return check_done();
    if (shoal_device_check(device) == SHOAL_OK) {
        test_device(device);
        test_large(device);
    } else {
        (void)printf("%s left out: %s\n", device, shoal_error_text());
    }
    CHECK(!getenv("CI") || shoal_device_check(device) == SHOAL_OK); /* there nothing is left out */
    return check_done();
}
