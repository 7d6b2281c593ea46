/* SPDX-License-Identifier: BSD-3-Clause
 * Second derivatives by central differences of forces. Every free coordinate is displaced by one step and by two, to
 * both sides; the geometries of all systems share batches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "engine/engine.h"
#include "engine/modes.h"

/* Of the geometries of one batch, so that it takes some ten megabytes. */
#define BATCH_ATOMS (1 << 17)
#define POINTS 4 /* of a coordinate: +1, -1, +2 and -2 steps */

static const double steps[POINTS] = {1, -1, 2, -2};

/* Consecutive coordinates of one system in a batch. */
typedef struct piece {
    modes_system *s;
    int32_t first, n; /* coordinates */
} piece;

typedef struct plan {
    modes_system *const *systems;
    int32_t n_systems;
    int32_t i, coordinate; /* that comes next */
    piece *pieces;         /* of the present batch */
    int32_t n_pieces;
    double (*pos)[3]; /* of one piece */
    int32_t pos_capacity;
} plan;

static shoal_status displace(plan *p, const piece *at)
{
    const modes_system *s = at->s;
    const int32_t rows = POINTS * at->n * s->n_atoms;
    SHOAL_TRY(SHOAL_RESERVE(&p->pos, &p->pos_capacity, rows));
    for (int32_t k = 0; k < POINTS * at->n; ++k) {
        double(*pos)[3] = p->pos + (ptrdiff_t)k * s->n_atoms;
        const int32_t c = at->first + k / POINTS;
        memcpy(pos, s->system.pos, (size_t)s->n_atoms * sizeof *pos);
        if (c < 3 * s->n_free) pos[s->free_atoms[c / 3]][c % 3] += steps[k % POINTS] * s->step;
    }
    return SHOAL_OK;
}

/* The next piece, of so many atoms at most, but one coordinate at least. */
static piece next_piece(plan *p, int64_t atoms)
{
    modes_system *s = p->systems[p->i];
    const int64_t fit = atoms / (POINTS * (int64_t)s->n_atoms);
    piece out = {.s = s, .first = p->coordinate, .n = modes_n_coordinates(s) - p->coordinate};
    if (out.n > fit) out.n = fit > 1 ? (int32_t)fit : 1;
    p->coordinate += out.n;
    if (p->coordinate == modes_n_coordinates(s)) {
        p->coordinate = 0;
        ++p->i;
    }
    return out;
}

static shoal_status fill_batch(plan *p, shoal_batch *batch)
{
    int64_t atoms = 0;
    p->n_pieces = 0;
    while (p->i < p->n_systems && atoms < BATCH_ATOMS) {
        const piece at = next_piece(p, BATCH_ATOMS - atoms);
        p->pieces[p->n_pieces++] = at;
        atoms += (int64_t)POINTS * at.n * at.s->n_atoms;
        SHOAL_TRY(displace(p, &at));
        SHOAL_TRY(
            shoal_batch_add_many(batch, &at.s->system, POINTS * at.n, (const double(*)[3])p->pos));
    }
    return SHOAL_OK;
}

/* Electron pairs and directions of the geometries of a piece, which begin at system k. */
static void displace_auxiliary(const piece *at, shoal_engine *engine, int32_t k)
{
    const modes_system *s = at->s;
    for (int32_t i = 0; i < POINTS * at->n && s->auxiliary; ++i)
        modes_auxiliary_displace(s, at->first + i / POINTS, steps[i % POINTS] * s->step,
                                 engine->results[k + i].pos + s->n_atoms);
}

/* The force on coordinate c. */
static double force_on(const modes_system *s, int32_t c, const double (*forces)[3])
{
    return c < 3 * s->n_free ? forces[s->free_atoms[c / 3]][c % 3]
                             : modes_auxiliary_force(s, c, forces);
}

/* Column c from the forces at its four points. */
static void put_column(modes_system *s, int32_t c, const shoal_engine *engine, int32_t k)
{
    const size_t n = (size_t)modes_n_coordinates(s);
    for (size_t i = 0; i < n; ++i) {
        double f[POINTS];
        for (int32_t q = 0; q < POINTS; ++q)
            f[q] = force_on(s, (int32_t)i, (const double(*)[3])engine->results[k + q].forces);
        s->coarse[i * n + (size_t)c] = (f[1] - f[0]) / (2 * s->step);
        s->hessian[i * n + (size_t)c] = (8 * (f[1] - f[0]) - (f[3] - f[2])) / (12 * s->step);
    }
}

/* What is displaced by coordinate c: an atom, or what stands at one. */
static const char *name_of(const modes_system *s, int32_t c)
{
    const int32_t n = 3 * s->n_free;
    return c < n ? "atom" : c < n + 3 * s->n_pairs ? "electron pair" : "direction";
}

static int32_t number_of(const modes_system *s, int32_t c)
{
    const int32_t n = 3 * s->n_free, pairs = n + 3 * s->n_pairs;
    return c < n ? s->free_atoms[c / 3] : c < pairs ? (c - n) / 3 : (c - pairs) / 2;
}

static void take_forces(const plan *p, const shoal_engine *engine)
{
    for (int32_t i = 0, k = 0; i < p->n_pieces; ++i) {
        const piece *at = &p->pieces[i];
        modes_system *s = at->s;
        for (int32_t c = at->first; c < at->first + at->n; ++c, k += POINTS) {
            for (int32_t q = 0; q < POINTS && !s->failure[0]; ++q)
                if (engine->results[k + q].status != SHOAL_SYSTEM_OK)
                    (void)snprintf(s->failure, sizeof s->failure,
                                   "modes: with %s %d displaced by %g angstrom it is %s",
                                   name_of(s, c), number_of(s, c), s->step,
                                   shoal_system_status_name(engine->results[k + q].status));
            if (!s->failure[0]) put_column(s, c, engine, k);
        }
    }
}

static void place_auxiliary(const plan *p, shoal_engine *engine)
{
    for (int32_t i = 0, k = 0; i < p->n_pieces; k += POINTS * p->pieces[i++].n)
        displace_auxiliary(&p->pieces[i], engine, k);
}

static shoal_status run_batch(plan *p, const shoal_engine_options *options)
{
    shoal_batch *batch = NULL;
    shoal_engine *engine = NULL;
    shoal_status status = shoal_batch_create(&batch);
    if (status == SHOAL_OK) status = fill_batch(p, batch);
    if (status == SHOAL_OK) status = shoal_engine_create(&engine, batch, options);
    shoal_batch_destroy(batch);
    if (status == SHOAL_OK) {
        place_auxiliary(p, engine);
        status = shoal_engine_eval(engine);
    }
    if (status == SHOAL_OK) take_forces(p, engine);
    shoal_engine_destroy(engine);
    return status;
}

shoal_status modes_hessians(modes_system *const *systems, int32_t n,
                            const shoal_engine_options *engine, const _Atomic bool *stop)
{
    plan p = {.systems = systems, .n_systems = n};
    shoal_status status = SHOAL_OK;
    p.pieces = shoal_alloc((size_t)n + 1, sizeof *p.pieces);
    if (!p.pieces) return SHOAL_E_MEMORY;
    while (p.i < n && status == SHOAL_OK && !(stop && atomic_load(stop)))
        status = run_batch(&p, engine);
    free(p.pieces);
    free(p.pos);
    return status;
}
