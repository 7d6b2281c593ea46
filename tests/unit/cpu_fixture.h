/* SPDX-License-Identifier: BSD-3-Clause
 * Sets of systems for the tests of backends: molecules of any size made by arithmetic, those of a
 * file, and runs of them on a device with everything that came out. Public interface only, but for directions and
 * electron pairs that a test puts somewhere itself. */
#ifndef SHOAL_TESTS_CPU_FIXTURE_H
#define SHOAL_TESTS_CPU_FIXTURE_H

#include <stdint.h>
#include <stdlib.h>

#include "check.h"
#include "engine/engine.h"
#include "ff/term_table.h"
#include "shoal/shoal.h"

enum { SET_SYSTEMS = 160, SET_RESTRAINTS = 4 };

typedef struct set_system {
    char name[48];
    shoal_topology *topology;
    int32_t n_atoms;
    double (*pos)[3];
    double cell[3][3];   /* all zero for an isolated system */
    int32_t n_auxiliary; /* electron pairs, then directions: behind the atoms of pos */
    bool *fixed;         /* NULL: none */
    int32_t *bodies;     /* the same */
    shoal_restraint restraints[SET_RESTRAINTS];
    int32_t n_restraints;
} set_system;

typedef struct set {
    int32_t n;
    set_system systems[SET_SYSTEMS];
} set;

/* In [-1, 1): Knuth's MMIX generator. */
static inline double set_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

static inline void set_free(set *s)
{
    for (int32_t i = 0; i < s->n; ++i) {
        shoal_topology_destroy(s->systems[i].topology);
        free(s->systems[i].pos);
        free(s->systems[i].fixed);
        free(s->systems[i].bodies);
    }
    s->n = 0;
}

/* Types a molecule, moves its atoms by up to shake angstrom and appends it. */
static inline set_system *set_add(set *s, shoal_molecule *mol, const char *name, double shake)
{
    set_system *sys = &s->systems[s->n];
    uint64_t seed = 1000u + (uint64_t)s->n;
    memset(sys, 0, sizeof *sys);
    (void)snprintf(sys->name, sizeof sys->name, "%.47s", name);
    sys->n_atoms = shoal_molecule_n_atoms(mol);
    sys->pos = calloc((size_t)sys->n_atoms + 1, sizeof *sys->pos);
    CHECK(s->n < SET_SYSTEMS && sys->pos);
    CHECK(shoal_topology_create(&sys->topology, mol, NULL) == SHOAL_OK);
    bool pbc[3];
    shoal_molecule_cell(mol, sys->cell, pbc);
    for (int32_t i = 0; i < sys->n_atoms; ++i)
        for (int c = 0; c < 3; ++c)
            sys->pos[i][c] = shoal_molecule_positions(mol)[i][c] + shake * set_random(&seed);
    ++s->n;
    return sys;
}

static inline int32_t set_atom(shoal_molecule *mol, int32_t z, double x, double y, double w)
{
    const double r[3] = {x, y, w};
    CHECK(shoal_molecule_add_atom(mol, z, r) == SHOAL_OK);
    return shoal_molecule_n_atoms(mol) - 1;
}

/* A zigzag alkane of n carbons with its hydrogens, in row number k. */
static inline void set_alkane(shoal_molecule *mol, int32_t n, int32_t row)
{
    const double y0 = 5.0 * (row % 4), z0 = 5.0 * (row / 4);
    int32_t last = -1;
    for (int32_t k = 0; k < n; ++k) {
        const double x = 1.26 * k, up = k % 2 ? 1.0 : -1.0, y = y0 + 0.42 * up;
        const int32_t c = set_atom(mol, 6, x, y, z0);
        if (last >= 0) CHECK(shoal_molecule_add_bond(mol, last, c, 1, NULL) == SHOAL_OK);
        last = c;
        for (int side = -1; side <= 1; ++side) {
            int32_t h = -1;
            if (side != 0) h = set_atom(mol, 1, x, y + 0.63 * up, z0 + 0.89 * side);
            if (side == 0 && k == 0) h = set_atom(mol, 1, x - 0.9, y - 0.6 * up, z0);
            if (h >= 0) CHECK(shoal_molecule_add_bond(mol, c, h, 1, NULL) == SHOAL_OK);
            if (side == 0 && k == n - 1) {
                h = set_atom(mol, 1, x + 0.9, y - 0.6 * up, z0);
                CHECK(shoal_molecule_add_bond(mol, c, h, 1, NULL) == SHOAL_OK);
            }
        }
    }
}

/* A system of exactly n atoms: alkanes of up to 40 carbons, and what is missing as H2 or Ar. charged: every atom gets
 * a partial charge, which do not add up to zero. */
static inline set_system *set_add_size(set *s, int32_t n, bool charged)
{
    shoal_molecule *mol = NULL;
    char name[48];
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    int32_t left = n;
    for (int32_t row = 0; left >= 5; ++row) {
        const int32_t most = (left - 2) / 3, n_carbons = most < 40 ? most : 40;
        set_alkane(mol, n_carbons, row);
        left -= 3 * n_carbons + 2;
    }
    for (; left >= 2; left -= 2) {
        const double x = 3.0 * left;
        const int32_t a = set_atom(mol, 1, x, -5.0, 1.0), b = set_atom(mol, 1, x + 0.7, -5.1, 1.2);
        CHECK(shoal_molecule_add_bond(mol, a, b, 1, NULL) == SHOAL_OK);
    }
    if (left > 0) (void)set_atom(mol, 18, 1.0, -5.0, -1.0);
    CHECK(shoal_molecule_n_atoms(mol) == n);
    uint64_t seed = 7;
    for (int32_t i = 0; i < n && charged; ++i)
        CHECK(shoal_molecule_set_charge(mol, i, 0.3 * set_random(&seed) + 0.01) == SHOAL_OK);
    (void)snprintf(name, sizeof name, "%d atoms%s", n, charged ? ", charged" : "");
    set_system *sys = set_add(s, mol, name, 0.05);
    shoal_molecule_destroy(mol);
    return sys;
}

/* The molecules of a file of tests/cases that can be typed. */
static inline void set_read(set *s, const char *file, int32_t most)
{
    char path[512];
    shoal_reader *reader = NULL;
    shoal_molecule *mol = NULL;
    bool found = true;
    (void)snprintf(path, sizeof path, "%s/%s", SHOAL_TEST_DATA, file);
    CHECK(shoal_molecule_create(&mol) == SHOAL_OK);
    CHECK(shoal_reader_open(&reader, path, SHOAL_FORMAT_AUTO) == SHOAL_OK);
    for (int32_t k = 0; k < most && reader; ++k) {
        CHECK(shoal_reader_next(reader, mol, &found) == SHOAL_OK);
        if (!found) break;
        set_system *sys = set_add(s, mol, shoal_molecule_name(mol), 0.0);
        if (shoal_topology_status(sys->topology) == SHOAL_SYSTEM_OK) continue;
        --s->n;
        shoal_topology_destroy(sys->topology);
        free(sys->pos);
    }
    shoal_reader_destroy(reader);
    shoal_molecule_destroy(mol);
}

/* All that a run says of one system. */
typedef struct outcome {
    shoal_result r;
    double (*forces)[3], (*pos)[3];
    double *terms; /* r.terms, then r.terms0 */
} outcome;

typedef struct run_options {
    shoal_engine_options engine;
    const shoal_relax_options *relax; /* NULL: single points */
    int n_times;                      /* repeats of a single point; 0 means once */
} run_options;

/* Copies what an engine found; size is that of forces in bytes. */
static inline void outcome_take(const shoal_engine *engine, int32_t k, size_t size, outcome *out)
{
    const size_t terms = SHOAL_N_TERMS * sizeof(double);
    CHECK(shoal_engine_result(engine, k, &out->r) == SHOAL_OK);
    out->forces = malloc(size + 1);
    out->pos = malloc(size + 1);
    out->terms = malloc(2 * terms);
    memcpy(out->forces, out->r.forces, size);
    memcpy(out->pos, shoal_engine_positions(engine, k), size);
    memcpy(out->terms, out->r.terms, terms);
    memcpy(out->terms + SHOAL_N_TERMS, out->r.terms0, terms);
    out->r.terms = out->terms;
    out->r.terms0 = out->terms + SHOAL_N_TERMS;
    out->r.forces = NULL;
    out->r.reason = out->r.warning = NULL;
}

/* An engine of the systems listed (NULL: all, in order), to be destroyed by the caller. */
static inline shoal_engine *set_engine(const set *s, const int32_t *list, int32_t n,
                                       const shoal_engine_options *options)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    CHECK(shoal_batch_create(&batch) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) {
        const set_system *sys = &s->systems[list ? list[k] : k];
        const shoal_system system = {.topology = sys->topology,
                                     .pos = (const double(*)[3])sys->pos,
                                     .cell = (const double(*)[3])sys->cell,
                                     .fixed = sys->fixed,
                                     .bodies = sys->bodies,
                                     .restraints = sys->restraints,
                                     .n_restraints = sys->n_restraints};
        CHECK(shoal_batch_add(batch, &system) == SHOAL_OK);
    }
    CHECK(shoal_engine_create(&engine, batch, options) == SHOAL_OK);
    shoal_batch_destroy(batch);
    return engine;
}

/* Runs the systems listed (NULL: all, in order) as one batch; out[n] is the caller's to free. */
static inline void run_set(const set *s, const int32_t *list, int32_t n, const run_options *o,
                           outcome *out)
{
    shoal_engine *engine = set_engine(s, list, n, &o->engine);
    for (int32_t k = 0; k < n; ++k) {
        const set_system *sys = &s->systems[list ? list[k] : k];
        if (sys->n_auxiliary > 0)
            memcpy(engine->results[k].pos + sys->n_atoms, sys->pos + sys->n_atoms,
                   (size_t)sys->n_auxiliary * sizeof *sys->pos);
    }
    if (o->relax) CHECK(shoal_engine_relax(engine, o->relax, NULL, NULL) == SHOAL_OK);
    for (int k = 0; k < (o->n_times > 0 ? o->n_times : 1) && !o->relax; ++k)
        CHECK(shoal_engine_eval(engine) == SHOAL_OK);
    for (int32_t k = 0; k < n; ++k) {
        const set_system *sys = &s->systems[list ? list[k] : k];
        const size_t size = (size_t)(sys->n_atoms + sys->n_auxiliary) * sizeof out[k].forces[0];
        outcome_take(engine, k, size, &out[k]);
    }
    shoal_engine_destroy(engine);
}

static inline void outcomes_free(outcome *out, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        free(out[k].forces);
        free(out[k].pos);
        free(out[k].terms);
    }
}

/* Equal to the last bit: status, numbers, forces, coordinates. */
static inline bool outcome_same(const outcome *a, const outcome *b, int32_t n_atoms)
{
    const size_t size = (size_t)n_atoms * sizeof a->forces[0];
    return a->r.status == b->r.status && a->r.steps == b->r.steps &&
           memcmp(&a->r.energy, &b->r.energy, sizeof(double)) == 0 &&
           memcmp(&a->r.fmax, &b->r.fmax, sizeof(double)) == 0 &&
           memcmp(a->terms, b->terms, SHOAL_N_TERMS * sizeof *a->terms) == 0 &&
           memcmp(a->forces, b->forces, size) == 0 && memcmp(a->pos, b->pos, size) == 0;
}

#endif
