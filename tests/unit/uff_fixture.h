/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies and energies of small molecules, for the tests of src/ff. */
#ifndef SHOAL_TESTS_UFF_FIXTURE_H
#define SHOAL_TESTS_UFF_FIXTURE_H

#include "chem_fixture.h"
#include "ff/term_table.h"
#include "io_fixture.h"

#define KCAL 0.0433641042418 /* eV */

/* A topology and its view; options may be NULL. */
typedef struct uff {
    shoal_topology *topology;
    shoal_topology_view view;
} uff;

static inline void uff_make(uff *u, shoal_molecule *mol, const shoal_typing_options *options)
{
    CHECK(shoal_topology_create(&u->topology, mol, options) == SHOAL_OK);
    shoal_topology_get(u->topology, &u->view);
}

static inline void uff_free(uff *u)
{
    shoal_topology_destroy(u->topology);
}

/* Must be typed; the reason is printed otherwise. */
static inline void uff_make_typed(uff *u, shoal_molecule *mol, const shoal_typing_options *options)
{
    uff_make(u, mol, options);
    CHECK_TEXT(shoal_topology_reason(u->topology), "");
    CHECK(shoal_topology_status(u->topology) == SHOAL_SYSTEM_OK);
}

/* Labels of all atoms, one blank between them. */
static inline const char *uff_labels(const uff *u, char text[CHEM_TEXT])
{
    int used = 0;
    text[0] = '\0';
    for (int32_t i = 0; i < u->view.n_atoms; ++i)
        used +=
            snprintf(text + used, CHEM_TEXT - (size_t)used, "%s%s", i ? " " : "", u->view.types[i]);
    return text;
}

/* Reads the record of a name from types.sdf. */
static inline shoal_molecule *uff_case(const char *name)
{
    fixture f;
    fixture_open_file(&f, SHOAL_TEST_DATA "/types.sdf");
    while (fixture_next(&f) == SHOAL_OK && f.found)
        if (strcmp(shoal_molecule_name(f.mol), name) == 0) break;
    CHECK(f.found);
    CHECK_TEXT(shoal_molecule_name(f.mol), name);
    shoal_reader_destroy(f.reader);
    return f.mol;
}

/* A system on the reference backend, evaluated at its molecule's geometry. */
typedef struct uff_run {
    shoal_batch *batch;
    shoal_engine *engine;
    shoal_result result;
} uff_run;

static inline void uff_run_make(uff_run *r, const uff *u, const shoal_molecule *mol)
{
    *r = (uff_run){0};
    const shoal_engine_options options = {.device = "ref", .n_threads = 1};
    const bool periodic = shoal_molecule_is_periodic(mol);
    const shoal_system system = {.topology = u->topology,
                                 .pos = (const double(*)[3])mol->pos,
                                 .cell = periodic ? (const double(*)[3])mol->cell : NULL};
    CHECK(shoal_batch_create(&r->batch) == SHOAL_OK);
    CHECK(shoal_batch_add(r->batch, &system) == SHOAL_OK);
    CHECK(shoal_engine_create(&r->engine, r->batch, &options) == SHOAL_OK);
    CHECK(shoal_engine_eval(r->engine) == SHOAL_OK);
    CHECK(shoal_engine_result(r->engine, 0, &r->result) == SHOAL_OK);
}

static inline void uff_run_free(uff_run *r)
{
    shoal_engine_destroy(r->engine);
    shoal_batch_destroy(r->batch);
}

#endif
