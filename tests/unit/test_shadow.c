/* SPDX-License-Identifier: BSD-3-Clause
 * Comparisons with ref, and the device that runs side by side with it. */
#include "periodic_fixture.h"

static shoal_result make_result(double (*forces)[3], const double terms[2])
{
    return (shoal_result){.status = SHOAL_SYSTEM_OK,
                          .forces = (const double(*)[3])forces,
                          .n_terms = 2,
                          .terms = terms};
}

static void test_compare(void)
{
    double a[2][3] = {{2, 0, 0}, {0, 1, 0}}, b[2][3] = {{2, 0, 0}, {0, 1, 0.004}};
    const double terms[2][2] = {{0, 3.0}, {0, 3.5}}; /* bond, angle */
    const shoal_result ref = make_result(a, terms[0]), device = make_result(b, terms[1]);
    shoal_result bad = {.status = SHOAL_SYSTEM_NOT_FINITE};
    shoal_comparison c;
    shoal_compare(&ref, &device, 2, &c);
    CHECK(c.comparable && c.same_status && c.atom == 1 && c.term == SHOAL_TERM_ANGLE);
    CHECK_NEAR(c.force_error, 0.004, 1e-15);
    CHECK_NEAR(c.verdict, 0.002, 1e-15);
    CHECK_NEAR(c.energy_error, 0.5 / 4.0, 1e-15);
    a[0][0] = NAN;
    shoal_compare(&ref, &device, 2, &c);
    CHECK(isnan(c.force_error) && isnan(c.verdict));
    shoal_compare(&ref, &bad, 2, &c);
    CHECK(!c.comparable && !c.same_status);
    shoal_compare(&bad, &bad, 2, &c);
    CHECK(!c.comparable && c.same_status);
    const shoal_engine_options options = {.precision = SHOAL_PRECISION_DOUBLE};
    CHECK(shoal_compare_tolerance(&options) < 1e-8);
}

static shoal_status make_engine(const char *device, shoal_precision precision, shoal_engine **out)
{
    const double pos[3][3] = {{0, 0, 0}, {0.95, 0.1, 0}, {-0.3, 0.9, 0.1}};
    const int32_t elements[3] = {8, 1, 1};
    shoal_molecule *mol = NULL;
    shoal_topology *topology = NULL;
    shoal_batch *batch = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int i = 0; i < 3; ++i)
        CHECK(shoal_molecule_add_atom(mol, elements[i], pos[i]) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    const shoal_system system = {.topology = topology, .pos = pos};
    CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    const shoal_engine_options options = {.device = device, .precision = precision};
    const shoal_status status = shoal_engine_create(out, batch, &options);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
    return status;
}

static void test_shadow(shoal_precision precision)
{
    shoal_engine *engine;
    shoal_result r;
    CHECK(make_engine("shadow:cpu", precision, &engine) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_OK);
    CHECK(shoal_engine_relax(engine, NULL, NULL, NULL) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK && r.status == SHOAL_SYSTEM_CONVERGED);
    shoal_engine_destroy(engine);
}

static void test_refusals(void)
{
    static const char *const wrong[] = {"shadow", "shadow:ref", "shadow:shadow:cpu", "shadow:no"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k) {
        shoal_engine *engine;
        CHECK(make_engine(wrong[k], SHOAL_PRECISION_AUTO, &engine) == SHOAL_E_DEVICE && !engine);
        CHECK(*shoal_error_text());
        CHECK(shoal_device_check(wrong[k]) == SHOAL_E_DEVICE);
    }
}

/* What no device may compute, ref does not compute either. */
static void test_refused_systems(void)
{
    static set s;
    static const int32_t list[2] = {0, 1};
    outcome got[2];
    const run_options o = {.engine = {.device = "shadow:cpu"}, .n_times = 1};
    set_system *far = periodic_add(&s, periodic_water(), "water far away", 0.03);
    (void)periodic_add(&s, periodic_water(), "water", 0.03);
    for (int c = 0; c < 3; ++c) far->pos[0][c] += 2e6 * far->cell[0][c];
    run_set(&s, list, 2, &o, got);
    CHECK(got[0].r.status == SHOAL_SYSTEM_NOT_FINITE);
    CHECK(got[1].r.status == SHOAL_SYSTEM_OK);
    outcomes_free(got, 2);
    set_free(&s);
}

/* Ethylene twice, with directions: their forces are compared, and named where they differ. */
static void test_directions(void)
{
    static const double pos[6][3] = {{0, 0, 0},          {1.34, .02, -.01}, {-.56, .92, .1},
                                     {-.58, -.93, -.05}, {1.9, .94, -.15},  {1.88, -.9, .2}};
    const shoal_typing_options typing = {.forcefield = SHOAL_FORCEFIELD_MMFFSP3};
    const shoal_engine_options options = {.device = "shadow:cpu",
                                          .precision = SHOAL_PRECISION_DOUBLE};
    shoal_molecule *mol = NULL;
    shoal_topology *topology = NULL;
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK && shoal_batch_create(&batch) == SHOAL_OK);
    for (int i = 0; i < 6; ++i)
        CHECK(shoal_molecule_add_atom(mol, i < 2 ? 6 : 1, pos[i]) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, &typing) == SHOAL_OK);
    for (int k = 0; k < 2; ++k)
        CHECK(shoal_batch_add(batch, &(shoal_system){.topology = topology, .pos = pos}) ==
              SHOAL_OK);
    CHECK(shoal_engine_create(&engine, batch, &options) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    backend_result *r = engine->results;
    CHECK(engine_n_movers(engine, 1) == 8);
    CHECK(r[0].status == SHOAL_SYSTEM_OK && r[1].status == SHOAL_SYSTEM_OK);
    r[1].forces[7][0] += 1e-3;
    CHECK(engine_shadow_compare(engine->shadow, engine) == SHOAL_OK);
    CHECK(r[0].status == SHOAL_SYSTEM_OK && r[1].status == SHOAL_SYSTEM_DIFFERS);
    CHECK(strstr(r[1].reason, "the direction at atom 1 (C)") != NULL);
    r[0].pos[6][1] = NAN;
    CHECK(shoal_engine_eval(engine) == SHOAL_OK && r[0].status == SHOAL_SYSTEM_NOT_FINITE);
    CHECK(strstr(r[0].reason, "the direction at atom 0 (C)") != NULL && isnan(r[0].forces[7][2]));
    shoal_engine_destroy(engine);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(topology);
    shoal_molecule_destroy(mol);
}

static void test_auto(void)
{
    char device[24];
    shoal_engine *engine;
    CHECK(shoal_device_resolve("auto", device) == SHOAL_OK);
    CHECK(strcmp(device, "cpu") == 0 || strncmp(device, "opencl:", 7) == 0);
    CHECK(shoal_device_resolve("ref", device) == SHOAL_OK && strcmp(device, "ref") == 0);
    CHECK(make_engine("auto", SHOAL_PRECISION_AUTO, &engine) == SHOAL_OK);
    shoal_engine_destroy(engine);
}

/* Long runs on the processor are told of a GPU, others are not. */
static void test_idle(void)
{
    static const char *const others[] = {"auto", "ref", "opencl:0", "cpu,opencl:0", "shadow:cpu"};
    char device[24], idle[24] = "?";
    CHECK(shoal_device_resolve("auto", device) == SHOAL_OK);
    const bool has_gpu = strcmp(device, "cpu") != 0;
    for (int k = 0; k < 2; ++k) {
        CHECK(shoal_device_left_idle(k ? "cpu" : NULL, 31, idle) == has_gpu);
        CHECK_TEXT(idle, has_gpu ? device : "");
        CHECK(!shoal_device_left_idle(k ? "cpu" : NULL, 29, idle) && idle[0] == '\0');
    }
    for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k)
        CHECK(!shoal_device_left_idle(others[k], 1000, idle) && idle[0] == '\0');
}

int main(void)
{
    test_compare();
    test_shadow(SHOAL_PRECISION_FLOAT);
    test_shadow(SHOAL_PRECISION_DOUBLE);
    test_shadow(SHOAL_PRECISION_AUTO);
    test_refusals();
    test_refused_systems();
    test_directions();
    test_auto();
    test_idle();
    return check_done();
}
