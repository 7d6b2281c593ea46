/* SPDX-License-Identifier: BSD-3-Clause
 * Batches and engines through the public interface: devices, options, statuses, results, rows. */
#include <stdlib.h>

#include "check.h"
#include "ff/term_table.h"
#include "shoal/shoal.h"

static const double water[3][3] = {{0.0, 0.0, 0.0}, {0.95, 0.1, 0.0}, {-0.3, 0.9, 0.1}};

/* Water, made to lack the charges it is asked for if it is to be untyped. */
static shoal_topology *make_water(bool untyped)
{
    shoal_molecule *mol = NULL;
    shoal_topology *topology = NULL;
    const shoal_typing_options options = {.charges = SHOAL_CHARGES_FILE};
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    for (int32_t i = 0; i < 3; ++i)
        CHECK(shoal_molecule_add_atom(mol, i == 0 ? 8 : 1, water[i]) == SHOAL_OK);
    for (int32_t i = 1; i < 3; ++i)
        CHECK(shoal_molecule_add_bond(mol, 0, i, SHOAL_ORDER_SINGLE, NULL) == SHOAL_OK);
    CHECK(shoal_topology_create(&topology, mol, untyped ? &options : NULL) == SHOAL_OK);
    shoal_molecule_destroy(mol);
    return topology;
}

/* A molecule that the caller rules out keeps its place and says why. */
static void test_ruled_out(void)
{
    shoal_molecule *mol = NULL;
    shoal_topology *topology = NULL;
    shoal_topology_view view;
    char longest[400];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 8, water[0]) == SHOAL_OK);
    CHECK(shoal_topology_create_untyped(&topology, mol, "not wanted") == SHOAL_OK);
    CHECK(shoal_topology_status(topology) == SHOAL_SYSTEM_UNTYPED);
    CHECK_TEXT(shoal_topology_reason(topology), "not wanted");
    shoal_topology_get(topology, &view);
    CHECK(view.n_atoms == 1 && view.elements[0] == 8 && terms_count(&view, SHOAL_KIND_BOND) == 0);
    CHECK_TEXT(view.types[0], "");
    shoal_topology_destroy(topology);
    CHECK(shoal_topology_create_untyped(&topology, mol, longest) == SHOAL_OK);
    CHECK(strlen(shoal_topology_reason(topology)) == 255);
    shoal_topology_destroy(topology);
    CHECK(shoal_topology_create_untyped(&topology, mol, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_topology_create_untyped(&topology, NULL, "") == SHOAL_E_ARGUMENT);
    shoal_molecule_destroy(mol);
}

static void test_devices(const shoal_batch *batch)
{
    shoal_engine *engine = NULL;
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "gpu"}) ==
          SHOAL_E_DEVICE);
    CHECK(strncmp(shoal_error_text(), "unknown device 'gpu'; known devices: ", 37) == 0);
    CHECK(engine == NULL);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "ref:1"}) ==
          SHOAL_E_DEVICE);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = ""}) ==
          SHOAL_E_DEVICE);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.vdw_cutoff = -1.0}) ==
          SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.ewald_tolerance = NAN}) ==
          SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_create(&engine, batch,
                              &(shoal_engine_options){.precision = (shoal_precision)7}) ==
          SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "engine: unknown precision 7");
    CHECK(setenv("SHOAL_CPU", "mmx", 1) == 0);
    CHECK(shoal_engine_create(&engine, batch, NULL) == SHOAL_E_DEVICE);
    CHECK_TEXT(shoal_error_text(), "SHOAL_CPU='mmx': expected base, avx2 or avx512");
    CHECK(shoal_device_check("cpu") == SHOAL_E_DEVICE && shoal_device_check("ref") == SHOAL_OK);
    CHECK(unsetenv("SHOAL_CPU") == 0);
    CHECK(shoal_engine_create(&engine, NULL, NULL) == SHOAL_E_ARGUMENT);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "ref"}) ==
          SHOAL_OK);
    shoal_engine_destroy(engine);
    shoal_engine_destroy(NULL);
}

static void count_rows(void *user, const shoal_term_row *row)
{
    double *sums = user;
    sums[row->term] += row->energy;
}

static void test_results(shoal_engine *engine)
{
    shoal_result result;
    CHECK(shoal_engine_result(engine, 0, &result) == SHOAL_E_ARGUMENT); /* not evaluated yet */
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 3, &result) == SHOAL_E_ARGUMENT);
    CHECK_TEXT(shoal_error_text(), "system 3, expected 0 to 2");
    CHECK(shoal_engine_result(engine, 0, &result) == SHOAL_OK);
    CHECK(result.status == SHOAL_SYSTEM_OK);
    CHECK_TEXT(result.reason, "");
    CHECK_NEAR(result.terms[SHOAL_TERM_BOND], 0.061782, 1e-6);
    CHECK_NEAR(result.terms[SHOAL_TERM_ANGLE], 0.003725, 1e-6);
    CHECK_NEAR(result.energy, 0.065507, 1e-6);
    CHECK_NEAR(result.forces[1][0], 1.71248, 2e-5);
    CHECK_NEAR(result.fmax, sqrt(0.95971 * 0.95971 + 1.57039 * 1.57039 + 0.15773 * 0.15773), 2e-5);
    CHECK(shoal_engine_result(engine, 1, &result) == SHOAL_OK);
    CHECK(result.status == SHOAL_SYSTEM_UNTYPED && result.reason[0] != '\0');
    CHECK(isnan(result.energy) && isnan(result.forces[0][0]) && isnan(result.fmax));
    CHECK(shoal_engine_result(engine, 2, &result) == SHOAL_OK);
    CHECK(result.status == SHOAL_SYSTEM_NOT_FINITE);
    CHECK_TEXT(result.reason, "the position of atom 1 (H) is not finite");
    double sums[SHOAL_N_TERMS] = {0.0};
    CHECK(shoal_engine_explain(engine, 0, count_rows, sums) == SHOAL_OK);
    CHECK_NEAR(sums[SHOAL_TERM_BOND], 0.061782, 1e-6);
    CHECK_NEAR(sums[SHOAL_TERM_ANGLE], 0.003725, 1e-6);
    CHECK(shoal_engine_explain(engine, 1, count_rows, sums) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, -1, count_rows, sums) == SHOAL_E_ARGUMENT);
}

/* Equal topologies count once, whoever made them and whatever came between them. */
static void test_equal_topologies(void)
{
    shoal_batch *batch = NULL;
    shoal_plan plan;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < 6; ++k) {
        shoal_topology *topology = NULL;
        shoal_molecule *mol = NULL;
        CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
        CHECK(shoal_molecule_add_atom(mol, k % 2 ? 18 : 36, water[0]) == SHOAL_OK);
        CHECK(shoal_topology_create(&topology, mol, NULL) == SHOAL_OK);
        CHECK(shoal_batch_add(batch, &(shoal_system){.topology = topology, .pos = water}) ==
              SHOAL_OK);
        shoal_topology_destroy(topology);
        shoal_molecule_destroy(mol);
    }
    CHECK(shoal_engine_plan(batch, &(shoal_engine_options){.device = "ref"}, &plan) == SHOAL_OK);
    CHECK(plan.n_systems == 6 && plan.n_topologies == 2);
    shoal_batch_destroy(batch);
}

int main(void)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    double broken[3][3];
    memcpy(broken, water, sizeof broken);
    broken[1][1] = NAN;
    shoal_topology *good = make_water(false), *bad = make_water(true);
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    CHECK(shoal_batch_size(batch) == 0);
    CHECK(shoal_batch_add(batch, &(shoal_system){.topology = good}) == SHOAL_E_ARGUMENT);
    CHECK(shoal_batch_add(batch, &(shoal_system){.topology = good, .pos = water}) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &(shoal_system){.topology = bad, .pos = water}) == SHOAL_OK);
    CHECK(shoal_batch_add(batch, &(shoal_system){.topology = good,
                                                 .pos = (const double(*)[3])broken}) == SHOAL_OK);
    CHECK(shoal_batch_size(batch) == 3);
    test_devices(batch);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "ref"}) ==
          SHOAL_OK);
    shoal_batch_destroy(batch); /* the engine has copied what it needs */
    shoal_topology_destroy(good);
    shoal_topology_destroy(bad);
    test_results(engine);
    test_ruled_out();
    test_equal_topologies();
    shoal_engine_destroy(engine);
    return check_done();
}
