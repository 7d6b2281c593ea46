/* SPDX-License-Identifier: BSD-3-Clause
 * Mixing rules: pair models bring theirs, and an engine that is asked for another one refuses. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "shoal/shoal.h"

static const char water[] = "6\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n"
                            "O 0 0 2.9\nH 0.76 0.3 3.4\nH -0.76 0.3 3.4\n";
static const char types[] = "O_3 * O E 2 2 0 0 0.66 1.75 0.0026 0 0\n"
                            "H_O * H * 1 0 0 0 0.35 1.45 0.0019 0 0\n";

static shoal_topology *topology_of(const shoal_pair_model *model, shoal_molecule **mol)
{
    shoal_topology *t = NULL;
    shoal_reader *reader;
    bool found;
    const shoal_typing_options typing = {.model = model};
    CHECK(shoal_molecule_create(mol) == SHOAL_OK);
    CHECK(shoal_reader_open_memory(&reader, water, strlen(water), "water", SHOAL_FORMAT_XYZ) ==
          SHOAL_OK);
    CHECK(shoal_reader_next(reader, *mol, &found) == SHOAL_OK && found);
    shoal_reader_destroy(reader);
    CHECK(shoal_topology_create(&t, *mol, &typing) == SHOAL_OK);
    return t;
}

static void add(shoal_batch *batch, const shoal_pair_model *model)
{
    shoal_molecule *mol;
    shoal_topology *t = topology_of(model, &mol);
    CHECK(shoal_batch_add(batch,
                          &(shoal_system){.topology = t, .pos = shoal_molecule_positions(mol)}) ==
          SHOAL_OK);
    shoal_topology_destroy(t);
    shoal_molecule_destroy(mol);
}

/* The energy of the first system, eV; NAN where the engine refuses. */
static double energy_of(const shoal_batch *batch, const char *device, shoal_mixing mixing)
{
    shoal_engine *engine;
    const shoal_engine_options o = {
        .device = device, .precision = SHOAL_PRECISION_DOUBLE, .mixing = mixing};
    if (shoal_engine_create(&engine, batch, &o) != SHOAL_OK) return NAN;
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    shoal_result r;
    CHECK(shoal_engine_result(engine, 0, &r) == SHOAL_OK);
    shoal_engine_destroy(engine);
    return r.energy;
}

static void check_refused(const shoal_batch *batch, shoal_mixing mixing, const char *why)
{
    CHECK(isnan(energy_of(batch, "cpu", mixing)));
    CHECK(strstr(shoal_error_text(), why) != NULL);
}

/* Of the pairs of an oxygen and a hydrogen, which the rules tell apart, that of the largest energy. */
static void keep_largest(void *user, const shoal_term_row *row)
{
    shoal_term_row *kept = user;
    const bool unlike = row->n_atoms == 2 &&
                        row->atoms[0].atom % 3 * (row->atoms[1].atom % 3) == 0 &&
                        row->atoms[0].atom % 3 != row->atoms[1].atom % 3;
    if (row->term == SHOAL_TERM_VDW && unlike && fabs(row->energy) > fabs(kept->energy))
        *kept = *row;
}

/* A pair by itself is mixed as in its system. */
static void test_interaction(const shoal_pair_model *model, const shoal_batch *own)
{
    const shoal_engine_options o = {.device = "cpu", .precision = SHOAL_PRECISION_DOUBLE};
    shoal_term_row row = {0};
    shoal_molecule *mol;
    shoal_topology *t = topology_of(model, &mol);
    const shoal_system system = {.topology = t, .pos = shoal_molecule_positions(mol)};
    shoal_engine *engine;
    shoal_batch *pair;
    CHECK(shoal_engine_create(&engine, own, &o) == SHOAL_OK);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_explain(engine, 0, keep_largest, &row) == SHOAL_OK && row.energy != 0);
    CHECK(shoal_batch_create(&pair) == SHOAL_OK);
    CHECK(shoal_batch_add_interaction(pair, &system, &o, &row, 0) == SHOAL_OK);
    CHECK_NEAR(energy_of(pair, "cpu", SHOAL_MIXING_DEFAULT), row.energy, 1e-12);
    shoal_batch_destroy(pair);
    shoal_engine_destroy(engine);
    shoal_topology_destroy(t);
    shoal_molecule_destroy(mol);
}

int main(void)
{
    static const char *const devices[] = {"ref", "cpu"};
    shoal_pair_model *model;
    shoal_batch *own, *uff, *both;
    CHECK(shoal_pair_model_read_memory(&model, types, strlen(types), "types") == SHOAL_OK);
    CHECK(shoal_batch_create(&own) == SHOAL_OK && shoal_batch_create(&uff) == SHOAL_OK &&
          shoal_batch_create(&both) == SHOAL_OK);
    add(own, model);
    add(uff, NULL);
    add(both, model);
    add(both, NULL);
    for (int k = 0; k < 2; ++k) {
        const double want = energy_of(own, devices[k], SHOAL_MIXING_ARITHMETIC);
        CHECK(energy_of(own, devices[k], SHOAL_MIXING_DEFAULT) == want);
        CHECK(energy_of(both, devices[k], SHOAL_MIXING_ARITHMETIC) == want);
        const double geometric = energy_of(uff, devices[k], SHOAL_MIXING_GEOMETRIC);
        CHECK(energy_of(uff, devices[k], SHOAL_MIXING_DEFAULT) == geometric);
        CHECK(fabs(geometric - energy_of(uff, devices[k], SHOAL_MIXING_ARITHMETIC)) > 1e-5);
    }
    check_refused(own, SHOAL_MIXING_GEOMETRIC, "geometric mixing, but systems with a pair model");
    check_refused(both, SHOAL_MIXING_GEOMETRIC, "geometric mixing, but systems with a pair model");
    check_refused(both, SHOAL_MIXING_DEFAULT, "a batch for each, or a rule for both");
    check_refused(uff, (shoal_mixing)3, "unknown mixing rule 3");
    test_interaction(model, own);
    shoal_batch_destroy(own);
    shoal_batch_destroy(uff);
    shoal_batch_destroy(both);
    shoal_pair_model_destroy(model);
    return check_done();
}
