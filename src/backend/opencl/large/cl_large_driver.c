/* SPDX-License-Identifier: BSD-3-Clause
 * Drivers of steps of large and periodic systems, and what is read of them. Steps are enqueued many at a time;
 * a system that needs a new neighbour list raises a flag and waits for the next turn that makes lists, so that
 * what it does never depends on its neighbours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/opencl/large/cl_large.h"
#include "backend/pace.h"
#include "base/alloc.h"
#include "ff/auxiliary.h"

#define STEPS_PER_LIST 8 /* between two turns that make lists */
#define ASK_SECONDS 0.25 /* about, between two questions whether to go on */

/* Kernels of systems with bodies. */
static shoal_status enqueue_bodies(cl_large *large, int first, int last)
{
    for (int k = first; k <= last && large->driver.bodies; ++k)
        SHOAL_TRY(cl_large_launch(large, k));
    return SHOAL_OK;
}

/* Forces as steps know them. */
static shoal_status enqueue_forces(cl_large *large)
{
    SHOAL_TRY(cl_large_forces(large));
    return enqueue_bodies(large, CL_LARGE_K_body_push, CL_LARGE_K_body_sums);
}

static shoal_status enqueue_step(cl_large *large)
{
    if (large->method == LARGE_MD) {
        const bool rigid = large->driver.md->rigid;
        SHOAL_TRY(enqueue_forces(large));
        if (rigid) SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_tangent));
        if (rigid) SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_share));
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_md));
        SHOAL_TRY(cl_large_launch(large, rigid ? CL_LARGE_K_rigid_move : CL_LARGE_K_md_move));
        return enqueue_bodies(large, CL_LARGE_K_body_md, CL_LARGE_K_body_md);
    }
    if (large->method == LARGE_FIRE) {
        SHOAL_TRY(enqueue_forces(large));
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_fire));
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_fire_move));
        return enqueue_bodies(large, CL_LARGE_K_body_fire, CL_LARGE_K_body_fire);
    }
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_lbfgs_move));
    SHOAL_TRY(enqueue_bodies(large, CL_LARGE_K_body_try, CL_LARGE_K_body_come));
    SHOAL_TRY(enqueue_forces(large));
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_lbfgs));
    SHOAL_TRY(cl_large_precondition(large));
    for (int k = CL_LARGE_K_history; k <= CL_LARGE_K_combine; ++k)
        SHOAL_TRY(cl_large_launch(large, k));
    return enqueue_bodies(large, CL_LARGE_K_body_stiffen, CL_LARGE_K_body_length);
}

static shoal_status enqueue_lists(cl_large *large)
{
    if (large->list_n[CL_LARGE_LISTED] == 0) return SHOAL_OK;
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_place));
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_cells));
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_list));
    return cl_large_launch(large, CL_LARGE_K_ready);
}

/* Images of the atoms that a star holds, as terms have them. */
static void place_shifts(const backend_bath *bath, int32_t (*to)[4])
{
    for (int32_t m = 0; m < bath->n_stars; ++m) {
        const backend_star *star = &bath->stars[m];
        for (int32_t k = 0; k < star->n; ++k)
            to[star->atoms[0]][k] = cl_large_shift_code(star->shifts[k]);
    }
}

static shoal_status start_rigid(cl_large *large)
{
    const size_t n = (size_t)large->counts[CL_LARGE_moves], real = cl_real_size(large->is_double);
    const size_t sizes[3] = {sizeof(int32_t), real, sizeof(int32_t)};
    void *data[3];
    shoal_status status = SHOAL_OK;
    for (int k = 0; k < 3; ++k) {
        data[k] = shoal_alloc(4 * n, sizes[k]);
        if (!data[k]) status = SHOAL_E_MEMORY;
    }
    for (int32_t k = 0; k < large->n && status == SHOAL_OK; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const backend_bath *bath = &large->driver.md->baths[p->system];
        cl_md_stars(large->is_double, bath, (size_t)p->layout.atom,
                    cl_large_movers(cl_large_topology(large, p)), data[0], data[1]);
        place_shifts(bath, (int32_t(*)[4])data[2] + p->layout.atom);
    }
    for (int k = 0; k < 3; ++k) {
        cl_buffer *to = &large->rigid[k];
        cl_buffer_free(to);
        if (status == SHOAL_OK)
            status = cl_buffer_create(to, large->target, "rigid bonds", 4 * n, sizes[k], data[k]);
        free(data[k]);
    }
    return status;
}

/* What coordinates on the device lack from an atom to the first one of its body, which may be in another image. */
static void place_offsets(cl_large *large, const cl_large_place *p, const backend_bodies *bodies,
                          cl_body_rows *rows)
{
    const void *anchors = large->host[CL_LARGE_anchors];
    const int32_t(*homes)[4] = large->host[CL_LARGE_homes];
    size_t entry = (size_t)p->layout.atom;
    for (int32_t m = 0; m < bodies->n; ++m)
        for (int32_t k = 0; k < bodies->of[m].n; ++k, ++entry) {
            const backend_body *b = &bodies->of[m];
            const size_t i = (size_t)(p->layout.atom + b->atoms[k]),
                         j = (size_t)(p->layout.atom + b->atoms[0]);
            for (size_t c = 0; c < 3; ++c) {
                double off = cl_real_get(large->is_double, anchors, 4 * i + c) -
                             cl_real_get(large->is_double, anchors, 4 * j + c);
                for (int q = 0; q < 3; ++q)
                    off += (homes[i][q] - homes[j][q] + (b->shifts ? b->shifts[k][q] : 0)) *
                           p->cell.a[q][c];
                cl_real_set(large->is_double, rows->offsets, 4 * entry + c, off);
            }
        }
}

/* Whether a bond leads out of a body to an atom that is in none. */
static bool has_walls(const backend_system *s)
{
    int32_t n_bonds;
    const shoal_term *bonds = shoal_topology_bonds(&s->view, &n_bonds);
    for (int32_t k = 0; k < n_bonds && s->bodies; ++k)
        if ((s->bodies[bonds[k].atoms[0]] < 0) != (s->bodies[bonds[k].atoms[1]] < 0)) return true;
    return false;
}

static shoal_status start_bodies(cl_large *large)
{
    cl_body_rows rows;
    shoal_status status =
        cl_body_begin(&rows, large->is_double, (size_t)large->counts[CL_LARGE_moves]);
    large->walls = false;
    for (int32_t k = 0; k < large->n && status == SHOAL_OK; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const backend_bodies *bodies = &large->driver.bodies[p->system];
        cl_body_put(&rows, bodies, (size_t)p->layout.atom,
                    cl_large_movers(cl_large_topology(large, p)));
        place_offsets(large, p, bodies, &rows);
        large->walls |= has_walls(&large->input->systems[p->system]);
    }
    if (status == SHOAL_OK) status = cl_body_send(&rows, large->target, large->bodies);
    cl_body_end(&rows);
    for (int k = CL_LARGE_K_body_push; k < CL_LARGE_N_KERNELS; ++k) large->kernels[k].bound = -1;
    return status;
}

/* Dynamics: velocities and states to the device; kernels are told their numbers when they are launched. */
static shoal_status start_md(cl_large *large, const backend_result *results)
{
    const size_t real = cl_real_size(large->is_double), row = LARGE_STATE * real;
    const size_t vectors = 4 * (size_t)large->counts[CL_LARGE_moves] * real;
    void *moves = shoal_alloc(vectors, 1), *states = shoal_alloc((size_t)large->n * row, 1);
    shoal_status status = moves && states ? SHOAL_OK : SHOAL_E_MEMORY;
    for (int32_t k = 0; k < large->n && status == SHOAL_OK; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const backend_bath *bath = &large->driver.md->baths[p->system];
        const backend_result *r = &results[p->system];
        cl_md_state(large->is_double, r, bath, large->status + LARGE_STATUS * k + LARGE_DRIVER,
                    states, (size_t)k * LARGE_STATE);
        cl_md_velocities(large->is_double, moves, (size_t)p->layout.atom,
                         &large->input->systems[p->system], r, bath);
    }
    if (status == SHOAL_OK) status = cl_large_write_status(large);
    if (status == SHOAL_OK)
        status = cl_buffer_write(&large->buffers[CL_LARGE_moves], 0, vectors, moves);
    if (status == SHOAL_OK)
        status =
            cl_buffer_write(&large->buffers[CL_LARGE_states], 0, (size_t)large->n * row, states);
    free(moves);
    free(states);
    for (int k = CL_LARGE_K_md; k <= CL_LARGE_K_rigid_move; ++k) large->kernels[k].bound = -1;
    if (status == SHOAL_OK && large->driver.md->rigid) status = start_rigid(large);
    return status;
}

/* How fast each system goes. */
static shoal_status reset_states(cl_large *large)
{
    const size_t row = LARGE_STATE * cl_real_size(large->is_double);
    double own[STEP_REALS];
    void *states = shoal_alloc((size_t)large->n, row);
    if (!states) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < large->n; ++k) {
        const backend_pace pace = backend_pace_of(&large->driver, large->part[k]);
        backend_pace_write(&pace, own);
        for (size_t m = 0; m < STEP_REALS; ++m)
            cl_real_set(large->is_double, states, (size_t)k * LARGE_STATE + m, own[m]);
    }
    const shoal_status status =
        cl_buffer_write(&large->buffers[CL_LARGE_states], 0, (size_t)large->n * row, states);
    free(states);
    return status;
}

shoal_status cl_large_start(cl_large *large, const backend_driver *driver,
                            const backend_result *results)
{
    const float zero[4] = {0, 0, 0, 0};
    large->method = driver->md                            ? LARGE_MD
                    : driver->method == SHOAL_METHOD_FIRE ? LARGE_FIRE
                                                          : LARGE_LBFGS;
    large->driver = *driver;
    large->stepping = false;
    free(large->origins); /* of lists of an earlier start */
    large->origins = NULL;
    SHOAL_TRY(cl_large_read_status(large));
    for (int32_t k = 0; k < large->n; ++k) {
        int32_t *s = large->status + LARGE_STATUS * k;
        memset(s + LARGE_DRIVER, 0, STEP_INTS * sizeof *s);
        s[LARGE_MOVED] = s[LARGE_FRESH] = 0;
        s[LARGE_FLAGS] = LARGE_STALE;
        s[LARGE_DRIVER + STEP_EVALS] = results[large->part[k]].steps;
    }
    SHOAL_TRY(cl_large_write_status(large));
    SHOAL_TRY(cl_large_list_blocks(large));
    SHOAL_TRY(cl_buffer_fill(&large->buffers[CL_LARGE_moves], zero, sizeof zero));
    if (driver->bodies) SHOAL_TRY(start_bodies(large));
    if (large->method == LARGE_MD) return start_md(large, results);
    SHOAL_TRY(reset_states(large));
    if (large->method == LARGE_FIRE) return SHOAL_OK;
    return cl_buffer_fill(&large->buffers[CL_LARGE_history], zero, sizeof zero);
}

/* Lists that steps were using are made again from where they were made, after an evaluation elsewhere. */
static shoal_status resume_lists(cl_large *large)
{
    const size_t size = 4 * cl_real_size(large->is_double);
    if (!large->origins) return SHOAL_OK;
    SHOAL_TRY(cl_buffer_write(&large->buffers[CL_LARGE_origins], 0,
                              (size_t)large->counts[CL_LARGE_origins] * size, large->origins));
    free(large->origins);
    large->origins = NULL;
    SHOAL_TRY(cl_large_read_status(large));
    bool higher = false;
    for (int32_t k = 0; k < large->n; ++k) {
        cl_large_place *p = cl_large_at(large, k);
        large->status[LARGE_STATUS * k + LARGE_FLAGS] = LARGE_REMAKE;
        if (p->least_height == p->kept_height) continue;
        higher = true; /* the evaluation was of a slab that steps do not know yet to have grown */
        cl_large_want_room(large, p, p->least_capacity, p->kept_height);
    }
    SHOAL_TRY(higher ? cl_large_rearrange(large) : cl_large_write_status(large));
    return cl_large_make_lists(large);
}

static shoal_status keep_origins(cl_large *large)
{
    const size_t size = 4 * cl_real_size(large->is_double);
    const size_t n = (size_t)large->counts[CL_LARGE_origins];
    if (large->origins || !large->stepping) return SHOAL_OK;
    large->origins = shoal_alloc(n, size);
    if (!large->origins) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < large->n; ++k)
        cl_large_at(large, k)->kept_height = cl_large_at(large, k)->least_height;
    return cl_buffer_read(&large->buffers[CL_LARGE_origins], 0, n * size, large->origins);
}

/* Gives systems that raised a flag the room they need, and lists the blocks of those that go on. */
static shoal_status look(cl_large *large)
{
    bool enlarge = false;
    SHOAL_TRY(cl_large_read_status(large));
    for (int32_t k = 0; k < large->n; ++k) {
        const int32_t *s = large->status + LARGE_STATUS * k;
        enlarge |= s[LARGE_OUTCOME] == STEP_GOING &&
                   (s[LARGE_FLAGS] & (LARGE_OVERFLOW | LARGE_TOO_TALL)) != 0;
    }
    if (enlarge) SHOAL_TRY(cl_large_enlarge(large));
    return cl_large_list_blocks(large);
}

/* Whether a system that goes on has used fewer than n more evaluations than it had. */
static bool is_behind(const cl_large *large, const int32_t *before, int32_t n)
{
    for (int32_t k = 0; k < large->n; ++k) {
        const int32_t *s = large->status + LARGE_STATUS * k + LARGE_DRIVER;
        if (s[STEP_OUTCOME] == STEP_GOING && s[STEP_EVALS] - before[k] < n) return true;
    }
    return false;
}

/* No system steps further than to a number of evaluations of its own: it waits for the others there. */
static shoal_status set_limits(cl_large *large, const int32_t *before, int32_t n_steps)
{
    for (int32_t k = 0; k < large->n; ++k)
        large->status[LARGE_STATUS * k + LARGE_LIMIT] =
            before[k] > INT32_MAX - n_steps ? INT32_MAX : before[k] + n_steps;
    return cl_large_write_status(large);
}

/* Counted in evaluations of every system: one that waits for a list falls behind, and is waited for. */
static shoal_status step_some(cl_large *large, int32_t n_steps)
{
    SHOAL_TRY(cl_large_make_lists(large));
    large->stepping = true;
    int32_t *before = shoal_alloc((size_t)large->n, sizeof *before);
    if (!before) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < large->n; ++k)
        before[k] = large->status[LARGE_STATUS * k + LARGE_DRIVER + STEP_EVALS];
    shoal_status status = set_limits(large, before, n_steps);
    while (status == SHOAL_OK && is_behind(large, before, n_steps)) {
        for (int32_t done = 0; done < n_steps && status == SHOAL_OK; done += STEPS_PER_LIST) {
            status = enqueue_lists(large);
            for (int k = 0; k < STEPS_PER_LIST && k < n_steps && status == SHOAL_OK; ++k)
                status = enqueue_step(large);
        }
        if (status == SHOAL_OK) status = look(large);
    }
    free(before);
    return status;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Evaluations of all systems, and how many of these have come to an end. */
static int64_t count_steps(const cl_large *large, int32_t *n_done)
{
    int64_t n = 0;
    *n_done = 0;
    for (int32_t k = 0; k < large->n; ++k) {
        const int32_t *s = large->status + LARGE_STATUS * k + LARGE_DRIVER;
        n += s[STEP_EVALS];
        *n_done += s[STEP_OUTCOME] != STEP_GOING;
    }
    return n;
}

/* As many steps at a time as the caller may wait for, whatever the size of the systems. */
shoal_status cl_large_step(cl_large *large, int32_t n_steps, const backend_poll *poll)
{
    int32_t n_done;
    SHOAL_TRY(cl_large_settings(large, large->method, &large->driver));
    SHOAL_TRY(resume_lists(large));
    SHOAL_TRY(cl_large_read_status(large));
    const int64_t before = count_steps(large, &n_done);
    for (int32_t done = 0; done < n_steps;) {
        const double likely = large->step_seconds > 0 ? ASK_SECONDS / large->step_seconds : 1;
        const double start = now();
        const int32_t n = (int32_t)fmin(fmax(likely, 1), n_steps - done);
        SHOAL_TRY(step_some(large, n));
        large->step_seconds = (now() - start) / n;
        done += n;
        const int64_t evaluations = count_steps(large, &n_done) - before;
        if (done >= n_steps || n_done == large->n) break;
        if (poll && !poll->go_on(poll->user, evaluations, n_done, NAN, NAN)) break;
    }
    return SHOAL_OK;
}

/* Every system takes part, also those whose driver has come to an end. */
shoal_status cl_large_eval(cl_large *large, uint32_t wanted)
{
    int32_t *outcomes = shoal_alloc((size_t)large->n, sizeof *outcomes);
    if (!outcomes) return SHOAL_E_MEMORY;
    shoal_status status = keep_origins(large);
    if (status == SHOAL_OK) status = cl_large_read_status(large);
    for (int32_t k = 0; k < large->n && status == SHOAL_OK; ++k) {
        int32_t *s = large->status + LARGE_STATUS * k;
        outcomes[k] = s[LARGE_OUTCOME];
        s[LARGE_OUTCOME] = STEP_GOING;
        s[LARGE_FLAGS] = LARGE_STALE;
        s[LARGE_LIMIT] = INT32_MAX;
    }
    if (status == SHOAL_OK) status = cl_large_write_status(large);
    if (status == SHOAL_OK) status = cl_large_list_blocks(large);
    if (status == SHOAL_OK && large->method == LARGE_LBFGS)
        status = cl_large_launch(large, CL_LARGE_K_accept);
    if (status == SHOAL_OK) status = cl_large_settings(large, LARGE_EVAL, NULL);
    if (status == SHOAL_OK) status = cl_large_make_lists(large);
    if (status == SHOAL_OK) status = cl_large_forces(large);
    if (status == SHOAL_OK) status = cl_large_launch(large, CL_LARGE_K_terms);
    if (status == SHOAL_OK && wanted & BACKEND_STRAIN) status = cl_large_launch_strain(large);
    if (status == SHOAL_OK) status = cl_large_read_status(large);
    for (int32_t k = 0; k < large->n && status == SHOAL_OK; ++k)
        large->status[LARGE_STATUS * k + LARGE_OUTCOME] = outcomes[k];
    if (status == SHOAL_OK) status = cl_large_write_status(large);
    if (status == SHOAL_OK) status = cl_large_list_blocks(large);
    free(outcomes);
    return status;
}

/* --- reading ------------------------------------------------------------------------------------- */

/* A direction is handed back as a unit vector to the last digit. */
static void take_direction(const cl_large *large, size_t mover, const void *from, double to[3])
{
    double long2 = 0;
    for (size_t c = 0; c < 3; ++c) {
        to[c] = cl_real_get(large->is_double, from, 4 * mover + c);
        long2 += to[c] * to[c];
    }
    for (int c = 0; c < 3; ++c) to[c] /= sqrt(long2);
}

/* Fixed atoms keep the digits that the device does not have. */
static void take_positions(const cl_large *large, const cl_large_place *p, const void *from,
                           const void *lows, double (*to)[3])
{
    const backend_system *s = &large->input->systems[p->system];
    const void *anchors = large->host[CL_LARGE_anchors];
    const int32_t(*homes)[4] = large->host[CL_LARGE_homes];
    for (int32_t k = s->view.n_atoms; k < mover_count(&s->view); ++k)
        take_direction(large, (size_t)(p->layout.atom + k), from, to[k]);
    for (int32_t i = 0; i < s->view.n_atoms; ++i) {
        const size_t at = (size_t)(p->layout.atom + i);
        if (s->fixed && s->fixed[i]) continue;
        for (size_t c = 0; c < 3; ++c) {
            double x = cl_real_get(large->is_double, anchors, 4 * at + c) +
                       cl_real_get(large->is_double, from, 4 * at + c) + p->origin[c];
            for (int k = 0; k < 3; ++k) x += homes[at][k] * p->cell.a[k][c];
            to[i][c] = lows ? x + cl_real_get(large->is_double, lows, 4 * at + c) : x;
        }
    }
}

static void take_forces(const cl_large *large, const cl_large_place *p, const void *forces,
                        backend_result *r)
{
    const int32_t n = mover_count(&large->input->systems[p->system].view);
    for (int32_t i = 0; i < n; ++i)
        for (size_t c = 0; c < 3; ++c)
            r->forces[i][c] =
                cl_real_get(large->is_double, forces, 4 * (size_t)(p->layout.atom + i) + c);
    r->fmax = shoal_backend_fmax((const double(*)[3])r->forces, n);
}

static void take_terms(const cl_large *large, int32_t k, const void *terms, backend_result *r)
{
    r->energy = 0;
    for (size_t t = 0; t < SHOAL_N_TERMS; ++t) {
        r->terms[t] = cl_real_get(large->is_double, terms, (size_t)k * N_ENERGIES + t);
        r->energy += r->terms[t];
    }
}

shoal_status cl_large_read_fields(cl_large *large, uint32_t fields, backend_result *results)
{
    void *forces = NULL, *terms = NULL, *positions = NULL, *lows = NULL, *moves = NULL, *states;
    const bool dynamics = large->method == LARGE_MD;
    const bool steps_too = fields & BACKEND_STEPS || (dynamics && fields & BACKEND_POSITIONS);
    if (steps_too) SHOAL_TRY(cl_large_read_status(large));
    if (fields & BACKEND_FORCES) SHOAL_TRY(cl_large_read(large, CL_LARGE_forces, &forces));
    if (fields & BACKEND_TERMS) SHOAL_TRY(cl_large_read(large, CL_LARGE_terms, &terms));
    if (fields & BACKEND_POSITIONS && large->method == LARGE_LBFGS)
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_accept));
    if (fields & BACKEND_POSITIONS) SHOAL_TRY(cl_large_read(large, CL_LARGE_positions, &positions));
    if (fields & BACKEND_POSITIONS && dynamics)
        SHOAL_TRY(cl_large_read(large, CL_LARGE_lows, &lows));
    if (fields & BACKEND_VELOCITIES && dynamics) {
        SHOAL_TRY(cl_large_read(large, CL_LARGE_moves, &moves));
        SHOAL_TRY(cl_large_read(large, CL_LARGE_states, &states));
    }
    for (int32_t k = 0; k < large->n; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const int32_t *steps = large->status + LARGE_STATUS * k + LARGE_DRIVER;
        backend_result *r = &results[p->system];
        if (positions && (!dynamics || cl_md_has_moved(steps)))
            take_positions(large, p, positions, lows, r->pos);
        if (moves)
            cl_md_take(large->is_double, moves, (size_t)p->layout.atom,
                       mover_count(&large->input->systems[p->system].view), states, (size_t)k,
                       LARGE_STATE, r);
        if (forces) take_forces(large, p, forces, r);
        if (terms) take_terms(large, k, terms, r);
        if (!steps_too) continue;
        r->steps = steps[STEP_EVALS];
        r->outcome = steps[STEP_OUTCOME];
    }
    return fields & BACKEND_STRAIN ? cl_large_read_strain(large, results) : SHOAL_OK;
}
