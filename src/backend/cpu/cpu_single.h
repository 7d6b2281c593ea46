/* SPDX-License-Identifier: BSD-3-Clause
 * Single points of many systems of one topology, LANES at a time; included by the template cpu_kernels.c
 * after cpu_lanes.h. */

#include "backend/cpu/small/cpu_restraints.h"
#include "backend/cpu/small/cpu_surface.h"

static double LANE(sum_terms)(const LANE(energies) * e, int l, double terms[SHOAL_N_TERMS])
{
    double sum = 0;
    for (int k = 0; k < SHOAL_N_TERMS; ++k) {
        terms[k] = (double)e->e[k][l];
        sum += terms[k];
    }
    return sum;
}

static void LANE(write_result)(const cpu_task *task, const LANE(block) * f,
                               const LANE(energies) * e, int l, int32_t n)
{
    backend_result *r = task->result;
    r->energy = LANE(sum_terms)(e, l, r->terms);
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) r->forces[i][c] = (double)f[i].v[c][l];
    r->fmax = shoal_backend_fmax((const double(*)[3])r->forces, n);
}

static shoal_status LANE(eval_tasks)(const tables *t, const cpu_task *tasks, int32_t n_tasks)
{
    const int32_t n = t->n_points;
    const size_t n_vectors = (size_t)(t->n_particles + t->n_directions);
    arena memory = {0};
    LANE(block) *x = allot(&memory, n_vectors, sizeof *x);
    LANE(block) *f = allot(&memory, n_vectors, sizeof *f);
    formula_room *room = formula_room_create(t->model.from, &memory);
    LANE(energies) e;
    const shoal_status status = x && f && room ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t first = 0; first < n_tasks && status == SHOAL_OK; first += LANES) {
        double origin[LANES][3];
        real clamp2[LANES];
        const int32_t last = n_tasks - first < LANES ? n_tasks - first : LANES;
        /* Idle lanes repeat the last system. */
        for (int l = 0; l < LANES; ++l) {
            const cpu_task *task = &tasks[first + (l < last ? l : last - 1)];
            LANE(load)(x, l, task, n, origin[l]);
            LANE(load_directions)(x + n, l, task);
            clamp2[l] = clamp2_of(task->system);
        }
        LANE(eval)(t, x, f, &e, clamp2, room);
        LANE(add_surface)(t, x, f, &e, (const double(*)[3])origin);
        LANE(spread_sites)(t, x, f);
        for (int l = 0; l < last; ++l)
            LANE(constrain)(t, &tasks[first + l], x, f, &e, l, origin[l]);
        for (int l = 0; l < last; ++l)
            LANE(write_result)(&tasks[first + l], f, &e, l, n + t->n_directions);
    }
    arena_free(&memory);
    return status;
}
