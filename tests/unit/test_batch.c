/* SPDX-License-Identifier: BSD-3-Clause
 * Topologies of a batch: equal ones have one number and one reference, however often and from wherever they
 * come; an emptied batch is as good as a new one. */
#include "batch/batch.h"

#include "check.h"
#include "ff/topology.h"
#include "shoal/shoal.h"

enum { N = 300 };

static const double place[1][3] = {{1, 2, 3}};

/* An atom of argon, told apart by its charge. */
static shoal_topology *make_topology(int charge)
{
    shoal_topology_builder *b = NULL;
    shoal_topology *t = NULL;
    const shoal_atom_parameters p = {.vdw_x = 3, .charge = charge};
    CHECK(shoal_topology_begin(&b, 1, (const int32_t[]){18}) == SHOAL_OK);
    CHECK(shoal_topology_set_atom(b, 0, &p) == SHOAL_OK);
    CHECK(shoal_topology_finish(b, SHOAL_EXCLUDE_NAMED, &t) == SHOAL_OK);
    return t;
}

static shoal_topology *make_untyped(void)
{
    shoal_molecule *mol = NULL;
    shoal_topology *t = NULL;
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_molecule_add_atom(mol, 18, place[0]) == SHOAL_OK);
    CHECK(shoal_topology_create_untyped(&t, mol, "not wanted") == SHOAL_OK);
    shoal_molecule_destroy(mol);
    return t;
}

static void add(shoal_batch *batch, shoal_topology *t)
{
    const bool fixed[1] = {true};
    const shoal_system s = {
        .topology = t, .pos = place, .fixed = batch->n_systems % 7 ? NULL : fixed};
    CHECK(shoal_batch_add(batch, &s) == SHOAL_OK);
}

/* Every topology from two makers, again and again, one untyped between them. */
static void fill(shoal_batch *batch, shoal_topology *const a[N], shoal_topology *const b[N],
                 shoal_topology *untyped)
{
    for (int round = 0; round < 3; ++round)
        for (int k = 0; k < N; ++k) {
            add(batch, a[k]);
            add(batch, b[k]);
            add(batch, b[k]);
        }
    add(batch, untyped);
    add(batch, untyped);
    CHECK(batch->n_topologies == N && shoal_batch_size(batch) == 9 * N + 2);
    for (int32_t i = 0; i < 9 * N; ++i) {
        const batch_system *s = &batch->systems[i];
        CHECK(s->topology_index == i / 3 % N && s->topology == a[i / 3 % N]);
        CHECK(s->atom_start == i && batch->pos[i][2] == 3 && !s->fixed == (i % 7 != 0));
    }
    CHECK(batch->systems[9 * N + 1].topology == untyped);
    int32_t n_aliases = 0;
    for (int k = 0; k < N; ++k) {
        CHECK(a[k]->references == 2 && b[k]->references <= 2);
        n_aliases += b[k]->references - 1;
    }
    CHECK(n_aliases > 0 && n_aliases <= BATCH_ALIASES && untyped->references == 2);
}

static void test_topologies(void)
{
    shoal_topology *a[N], *b[N], *untyped = make_untyped();
    shoal_batch *batch = NULL;
    for (int k = 0; k < N; ++k) {
        a[k] = make_topology(k);
        b[k] = make_topology(k);
    }
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    fill(batch, a, b, untyped);
    shoal_batch_destroy(batch);
    for (int k = 0; k < N; ++k) {
        CHECK(a[k]->references == 1 && b[k]->references == 1);
        shoal_topology_destroy(a[k]);
        shoal_topology_destroy(b[k]);
    }
    CHECK(untyped->references == 1);
    shoal_topology_destroy(untyped);
}

/* Engines have references of their own, one for each topology. */
static void test_engine(void)
{
    shoal_topology *t = make_topology(1), *untyped = make_untyped();
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_result result;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int k = 0; k < 5; ++k) add(batch, k == 3 ? untyped : t);
    CHECK(shoal_engine_create(&engine, batch, &(shoal_engine_options){.device = "ref"}) ==
          SHOAL_OK);
    CHECK(t->references == 3 && untyped->references == 3);
    shoal_batch_destroy(batch);
    shoal_topology_destroy(t);
    shoal_topology_destroy(untyped);
    CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    CHECK(shoal_engine_result(engine, 3, &result) == SHOAL_OK);
    CHECK_TEXT(result.reason, "not wanted");
    CHECK(shoal_engine_result(engine, 4, &result) == SHOAL_OK);
    CHECK(result.status == SHOAL_SYSTEM_OK && result.energy == 0 && result.forces[0][0] == 0);
    CHECK_TEXT(result.reason, "");
    shoal_engine_destroy(engine);
}

int main(void)
{
    test_topologies();
    test_engine();
    return check_done();
}
