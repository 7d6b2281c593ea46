/* SPDX-License-Identifier: BSD-3-Clause
 * Drivers of steps over lanes, LANES systems at a time, of one topology or mixed; included by the template
 * cpu_kernels.c after cpu_single.h. Decisions are those of kernels/step_*.h, lane by lane: what happens in a
 * lane depends on its own system alone. A system that is done for now gives its lane to the next one. */

/* Where forces come from: the tables of a topology, or a single system with a schedule of its own, whose
 * coordinates are those of the task and a move away from them. */
typedef struct LANE(source) {
    const preconditioner *precond; /* of systems without fixed atoms, or of the single one */
    const tables *t;
    mixed_block *mixed; /* unlike systems, each with tables of its own; NULL: they share t */
    void *field;        /* NULL: the tables */
    shoal_status (*eval)(void *field, const LANE(block) * move, LANE(block) * force,
                         LANE(energies) * e);
} LANE(source);

/* The preconditioner of systems of a topology with some atoms fixed or in bodies. */
typedef struct LANE(pattern) {
    const tables *t;
    const bool *fixed;
    const int32_t *bodies;
    preconditioner precond;
    struct LANE(pattern) * next;
} LANE(pattern);

/* Of dynamics, one atom of every lane: inverse mass, its root, mass in units of 1/w; zero for an atom that does not
 * move. */
typedef struct LANE(weights) {
    real w[LANES], root[LANES], mass[LANES];
} LANE(weights);

typedef struct LANE(lanes) {
    const LANE(source) * source;
    const cpu_steps *steps;
    step_limits limit[LANES];
    real clamp2[LANES]; /* squares of the clamps of pairs */
    arena *memory;
    LANE(pattern) * patterns; /* that were met so far */
    shoal_status status;
    int32_t most; /* rows that there is room for */
    /* Rows in use: atoms, then directions from the same row in all lanes. What a lane has less is zero in all vectors. */
    int32_t n, n_points, directions, n_directions;
    int32_t own_n[LANES];      /* atoms and directions of the system in a lane .. */
    int32_t own_points[LANES]; /* .. and atoms alone */
    const tables *own[LANES];  /* its tables */
    bool changed;              /* systems went in or out since forces were computed */
    /* Vectors that a state consists of, VECTOR_ of cpu_saved.h; those of other methods are NULL. */
    LANE(block) * v[N_VECTORS];
    /* L-BFGS: a trial point with its forces, these preconditioned; the change of the gradient, the same. */
    LANE(block) * trial, *ft, *soft, *change, *soft_change;
    LANE(block) * whole; /* L-BFGS: directions of the trial point as long as they are */
    /* Dynamics with rigid bonds or bodies: trial, change and whole hold coordinates, their second parts and velocities
     * before; FIRE with bodies: trial the coordinates. */
    real (
        *share)[LANES]; /* relaxations with bodies: weights of atoms, 1 of those that are in none */
    LANE(weights) * w;  /* dynamics; soft then holds its random numbers, .. */
    random_lanes *words; /* .. which are made of these */
    md_numbers numbers;  /* dynamics */
    formula_room *room;  /* of a pair model's formula */
    real *quads;         /* L-BFGS: working memory for lanes with preconditioners of their own */
    LANE(energies) e;    /* of the last evaluation */
    const cpu_task *task[LANES];          /* NULL: idle */
    const preconditioner *precond[LANES]; /* of the system in a lane */
    int32_t left[LANES];                  /* evaluations that are left to it in this call */
    double origin[LANES][3];              /* of its coordinates, angstrom */
    bool has_moved[LANES];                /* away from the start */
    fire_state fire[LANES];
    lbfgs_state lbfgs[LANES];
    md_state md[LANES];
    lbfgs_coefficients direction[LANES];
    real products[LANES][LBFGS_PRODUCTS];
} LANE(lanes);

/* Whether two arrays are equal, or both not there. */
static bool LANE(is_same)(const void *a, const void *b, size_t size)
{
    return a == b || (a && b && memcmp(a, b, size) == 0);
}

/* The preconditioner of the system in a lane: made when its fixed atoms and its bodies are met for the first time. */
static const preconditioner *LANE(find_preconditioner)(LANE(lanes) * s, int l,
                                                       const backend_system *system)
{
    const tables *t = s->own[l];
    const preconditioner *free_atoms = t ? &t->precond : s->source->precond;
    const bool *fixed = t ? system->fixed : NULL;
    const int32_t *bodies = t ? system->bodies : NULL;
    const size_t n = (size_t)s->own_n[l];
    if (!fixed && !bodies) return free_atoms;
    for (LANE(pattern) *p = s->patterns; p; p = p->next)
        if (p->t == t && LANE(is_same)(p->fixed, fixed, n * sizeof *fixed) &&
            LANE(is_same)(p->bodies, bodies, n * sizeof *bodies))
            return &p->precond;
    LANE(pattern) *made = arena_alloc(s->memory, 1, sizeof *made);
    if (!made || !fill_preconditioner(&made->precond, &system->view, fixed, bodies, t->terms_off,
                                      s->memory)) {
        s->status = SHOAL_E_MEMORY;
        return free_atoms;
    }
    made->t = t;
    made->fixed = fixed;
    made->bodies = bodies;
    made->next = s->patterns;
    s->patterns = made;
    return &made->precond;
}

/* Row of an atom or direction of the system in a lane. */
SHOAL_FN int32_t LANE(row_of)(const LANE(lanes) * s, int32_t i, int l)
{
    return i < s->own_points[l] ? i : s->directions + (i - s->own_points[l]);
}

#include "backend/cpu/cpu_body.h"
#include "backend/cpu/cpu_md_lane.h"

/* --- states of single systems ------------------------------------------------------------------ */

static void LANE(clear_lane)(LANE(lanes) * s, int l)
{
    for (int k = 0; k < N_VECTORS; ++k)
        for (int32_t i = 0; i < s->most && s->v[k]; ++i)
            for (int c = 0; c < 3; ++c) s->v[k][i].v[c][l] = 0;
    memset(s->products[l], 0, sizeof s->products[l]);
    memset(&s->direction[l], 0, sizeof s->direction[l]);
}

static void LANE(restore_lane)(LANE(lanes) * s, int l, const saved *from)
{
    const real *x = from->vectors;
    for (int k = 0; k < N_VECTORS; ++k)
        for (int32_t i = 0; i < s->own_n[l] && s->v[k]; ++i)
            for (int c = 0; c < 3; ++c) s->v[k][LANE(row_of)(s, i, l)].v[c][l] = *x++;
    s->fire[l] = from->fire;
    s->lbfgs[l] = from->lbfgs;
    s->md[l] = from->md;
    s->direction[l] = from->direction;
    s->has_moved[l] = from->has_moved;
    memcpy(s->products[l], from->products, sizeof from->products);
    memcpy(s->origin[l], from->origin, sizeof from->origin);
}

/* Keeps the state of a lane for the next call. */
static void LANE(save_lane)(LANE(lanes) * s, int l)
{
    const cpu_task *task = s->task[l];
    size_t n_vectors = 0;
    for (int k = 0; k < N_VECTORS; ++k) n_vectors += s->v[k] != NULL;
    saved *to = saved_need(task->saved, s->own_n[l], n_vectors);
    if (!to) {
        s->status = SHOAL_E_MEMORY;
        return;
    }
    real *x = to->vectors;
    for (int k = 0; k < N_VECTORS; ++k)
        for (int32_t i = 0; i < s->own_n[l] && s->v[k]; ++i)
            for (int c = 0; c < 3; ++c) *x++ = s->v[k][LANE(row_of)(s, i, l)].v[c][l];
    to->fire = s->fire[l];
    to->lbfgs = s->lbfgs[l];
    to->md = s->md[l];
    to->direction = s->direction[l];
    to->has_moved = s->has_moved[l];
    memcpy(to->products, s->products[l], sizeof to->products);
    memcpy(to->origin, s->origin[l], sizeof to->origin);
}

/* Puts a system into a lane: as it was left, or at its start. */
static void LANE(start)(LANE(lanes) * s, int l, const cpu_task *task)
{
    const saved *kept = *task->saved;
    s->task[l] = task;
    s->own[l] = s->source->mixed ? task->tables : s->source->t;
    s->own_points[l] = task->system->view.n_atoms;
    s->own_n[l] = s->own_points[l] + task->system->view.n_directions;
    if (!s->steps->driver.md) s->precond[l] = LANE(find_preconditioner)(s, l, task->system);
    s->limit[l] = limits_of(&s->steps->driver, &task->pace);
    s->clamp2[l] = clamp2_of(task->system);
    s->left[l] = s->steps->n_steps;
    s->changed = true;
    if (s->source->mixed) mix_in(s->source->mixed, l, s->own[l]);
    const bool goes_on = kept && kept->vectors;
    if (!goes_on || s->own_n[l] < s->most) LANE(clear_lane)(s, l); /* else no row is left */
    if (s->steps->driver.md) LANE(md_masses)(s, l, task);
    if (s->steps->driver.bodies) LANE(weigh_bodies)(s, l);
    if (goes_on) {
        LANE(restore_lane)(s, l, kept);
        return;
    }
    s->has_moved[l] = false;
    s->fire[l] = fire_begin(task->result->steps, fire_numbers_of(&task->pace));
    s->lbfgs[l] = lbfgs_begin(task->result->steps);
    if (!s->source->field) LANE(load)(s->v[VECTOR_X], l, task, s->own_points[l], s->origin[l]);
    LANE(load_directions)(s->v[VECTOR_X] + s->directions, l, task);
    if (s->steps->driver.md) LANE(md_start)(s, l, task);
}

/* Where a coordinate is, from the origin or from the start. */
static double LANE(place)(const LANE(lanes) * s, int32_t i, int c, int l)
{
    const LANE(block) *low = s->steps->driver.md ? s->v[VECTOR_LOW] : NULL;
    return (double)s->v[VECTOR_X][i].v[c][l] + (low ? (double)low[i].v[c][l] : 0);
}

/* L-BFGS does not keep directions at their length, and rounding nowhere does. */
static void LANE(hand_directions_back)(const LANE(lanes) * s, int l, double (*to)[3])
{
    for (int32_t i = s->own_points[l]; i < s->own_n[l]; ++i) {
        const LANE(block) *p = &s->v[VECTOR_X][LANE(row_of)(s, i, l)];
        const double x = (double)p->v[0][l], y = (double)p->v[1][l], z = (double)p->v[2][l];
        const double length = sqrt(x * x + y * y + z * z);
        to[i][0] = x / length;
        to[i][1] = y / length;
        to[i][2] = z / length;
    }
}

static void LANE(hand_counts_back)(const LANE(lanes) * s, int l)
{
    const backend_driver *driver = &s->steps->driver;
    const bool fire = is_fire(driver);
    backend_result *r = s->task[l]->result;
    r->outcome = driver->md ? s->md[l].outcome : fire ? s->fire[l].outcome : s->lbfgs[l].outcome;
    r->steps = driver->md ? s->md[l].n_evals : fire ? s->fire[l].n_evals : s->lbfgs[l].n_evals;
}

/* Hands the accepted coordinates back. Fixed atoms, and systems that never moved, keep theirs to the last
 * bit. */
static void LANE(hand_back)(const LANE(lanes) * s, int l)
{
    const cpu_task *task = s->task[l];
    const bool *fixed = task->system->fixed;
    const saved *kept = *task->saved;
    const double(*from)[3] = s->source->field ? (const double(*)[3])kept->start : NULL;
    backend_result *r = task->result;
    LANE(hand_counts_back)(s, l);
    if (s->steps->driver.md) LANE(md_hand_back)(s, l, r);
    if (!s->has_moved[l]) return;
    LANE(hand_directions_back)(s, l, r->pos);
    for (int32_t i = 0; i < s->own_points[l]; ++i)
        for (int c = 0; c < 3 && !(fixed && fixed[i]); ++c)
            r->pos[i][c] = (from ? from[i][c] : s->origin[l][c]) + LANE(place)(s, i, c, l);
}

/* Results and states of all lanes as they are now; all of them go on. */
static shoal_status LANE(keep_lanes)(void *p)
{
    LANE(lanes) *s = p;
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        LANE(hand_back)(s, l);
        LANE(save_lane)(s, l);
    }
    return s->status;
}

/* Hands back what was reached and frees the lane. */
static void LANE(release)(LANE(lanes) * s, int l)
{
    const cpu_task *task = s->task[l];
    LANE(hand_back)(s, l);
    if (task->result->outcome == STEP_GOING) {
        LANE(save_lane)(s, l);
    } else if (!s->source->field) {
        saved_destroy(*task->saved);
        *task->saved = NULL;
    }
    s->task[l] = NULL;
    s->changed = true;
    if (s->source->mixed) s->source->mixed->in[l] = NULL;
}

/* --- rows: one component of an atom in all lanes, by parts as wide as a register ------------------- */

#if LANES == 1
typedef real LANE(row);
typedef int LANE(row_mask);
enum { LANE(ROW_PARTS) = 1 };
#define ROW_SELECT(c, a, b) ((c) ? (a) : (b))
#define ROW_MASK(x) ((x) != R(0.0))
#else
typedef real LANE(row) __attribute__((vector_size(ROW_BYTES), may_alias));
typedef __typeof__((LANE(row)){0} != (LANE(row)){0}) LANE(row_mask);
enum { LANE(ROW_PARTS) = LANES * (int)sizeof(real) / ROW_BYTES };
#define ROW_SELECT(c, a, b)                                                                        \
    ((LANE(row))(((c) & (LANE(row_mask))(a)) | (~(c) & (LANE(row_mask))(b))))
#define ROW_MASK(x) ((x) != (LANE(row)){0})
#endif

/* Part h of the rows of a vector, ROW_PARTS apart; part h of numbers of the lanes. */
SHOAL_FN LANE(row) * LANE(rows)(LANE(block) * v, int h)
{
    return (LANE(row) *)(void *)v + h;
}

SHOAL_FN LANE(row) LANE(part)(const real x[LANES], int h)
{
    LANE(row) r;
    memcpy(&r, x + h * (int)(sizeof r / sizeof *x), sizeof r);
    return r;
}

SHOAL_FN void LANE(put_part)(real x[LANES], int h, LANE(row) r)
{
    memcpy(x + h * (int)(sizeof r / sizeof *x), &r, sizeof r);
}

#define FOR_PARTS(h) for (int h = 0; h < LANE(ROW_PARTS); ++h)
#define FOR_ROWS(r, n) for (int32_t r = 0; r < 3 * (n)*LANE(ROW_PARTS); r += LANE(ROW_PARTS))

/* --- forces and sums ---------------------------------------------------------------------------- */

/* Forces without those of restraints. */
static void LANE(evaluate_tables)(LANE(lanes) * s, LANE(block) * at, LANE(block) * force)
{
#if LANES > 1 /* a single lane is never mixed */
    if (s->source->mixed) {
        mixed_eval(s->source->mixed, at, force, &s->e, s->clamp2);
        return;
    }
#endif
    LANE(eval)(s->source->t, at, force, &s->e, s->clamp2, s->room);
    LANE(add_surface)(s->source->t, at, force, &s->e, (const double(*)[3])s->origin);
    LANE(spread_sites)(s->source->t, at, force);
}

/* Forces at the given coordinates of all lanes; on atoms of bodies what is left to these. */
static void LANE(evaluate)(LANE(lanes) * s, LANE(block) * at, LANE(block) * force)
{
    const LANE(source) *source = s->source;
    if (source->field) {
        const shoal_status status = source->eval(source->field, at, force, &s->e);
        if (status != SHOAL_OK) s->status = status;
    } else {
        LANE(evaluate_tables)(s, at, force);
        for (int l = 0; l < LANES; ++l)
            if (s->task[l])
                LANE(constrain)(s->own[l], s->task[l], at, force, &s->e, l, s->origin[l]);
    }
    if (s->steps->driver.bodies) LANE(push_bodies)(s, at, force);
}

/* Largest squared length in every lane; not finite where a number is not. */
static void LANE(largest2)(const LANE(block) * f, int32_t n, real out[LANES])
{
    real largest[LANES] = {0}, sum[LANES] = {0};
    for (int32_t i = 0; i < n; ++i) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l) {
            const v3 g = LANE(get)(&f[i], l);
            const real g2 = v3_dot(g, g);
            largest[l] = real_max(largest[l], g2);
            sum[l] += g2 - g2; /* 0, or NaN */
        }
    }
    for (int l = 0; l < LANES; ++l) out[l] = largest[l] + sum[l];
}

/* Shortens forces whose squares overflow; few systems ever have any. Returns true if a lane was touched. */
static bool LANE(bound_forces)(LANE(block) * f, int32_t n, const real f2[LANES])
{
    bool touched = false;
    for (int l = 0; l < LANES; ++l) {
        if (f2[l] <= FORCE_MOST * FORCE_MOST) continue;
        touched = true;
        for (int32_t i = 0; i < n; ++i) {
            const v3 g = step_bounded(LANE(get)(&f[i], l));
            f[i].v[0][l] = g.x;
            f[i].v[1][l] = g.y;
            f[i].v[2][l] = g.z;
        }
    }
    return touched;
}

#include "backend/cpu/cpu_fire.h"
#include "backend/cpu/cpu_lbfgs.h"
#include "backend/cpu/cpu_md.h"

/* --- the loop ------------------------------------------------------------------------------------ */

/* Rows of vectors: sites or directions follow the atoms; random numbers are made for SHOAL_LANES atoms at a time. */
static size_t LANE(count_rows)(const LANE(lanes) * s)
{
    const tables *t = s->source->t;
    return (size_t)s->most + (size_t)(t ? t->n_sites : 0) + (s->steps->driver.md ? SHOAL_LANES : 0);
}

/* What the state of the systems in the lanes is kept in. */
static shoal_status LANE(allot_state)(LANE(lanes) * s)
{
    const backend_driver *driver = &s->steps->driver;
    const size_t n = LANE(count_rows)(s);
    for (int k = 0; k < count_vectors(driver); ++k) {
        s->v[k] = allot(s->memory, n, sizeof(LANE(block)));
        if (!s->v[k]) return SHOAL_E_MEMORY;
    }
    s->w = allot(s->memory, driver->md ? n : 0, sizeof *s->w);
    s->share = allot(s->memory, driver->bodies ? n : 0, sizeof *s->share);
    return s->w && s->share ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* What is of use within a round alone. */
static shoal_status LANE(allot_scratch)(LANE(lanes) * s)
{
    const backend_driver *driver = &s->steps->driver;
    const bool lbfgs = !driver->md && !is_fire(driver);
    const tables *t = s->source->t;
    const size_t n = LANE(count_rows)(s), size = sizeof(LANE(block));
    LANE(block) * *const extra[] = {&s->trial,  &s->ft,          &s->soft,
                                    &s->change, &s->soft_change, &s->whole};
    for (size_t k = 0; k < sizeof extra / sizeof extra[0]; ++k) {
        const bool kept = driver->bodies || (driver->md && driver->md->rigid);
        const bool wanted = lbfgs || k == 1 || (driver->md && k == 2) || kept;
        *extra[k] = allot(s->memory, wanted ? n : 0, size);
        if (!*extra[k]) return SHOAL_E_MEMORY;
    }
    s->words = allot(s->memory, driver->md ? n : 0, sizeof *s->words);
    s->quads = allot(s->memory, lbfgs ? 4 * LANES * n : 0, sizeof *s->quads);
    s->room = formula_room_create(t ? t->model.from : NULL, s->memory);
    return s->quads && s->room && s->words ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* Rows in use, after systems went in or out. */
static void LANE(count_in)(LANE(lanes) * s)
{
    if (s->source->mixed && s->changed) {
        mix_shape(s->source->mixed);
        s->n = s->n_points = s->source->mixed->n_points;
        s->n_directions = s->source->mixed->n_directions;
        if (s->n_directions > 0) s->n = s->directions + s->n_directions;
    }
    s->changed = false;
}

/* Fills idle lanes; returns how many work. */
static int32_t LANE(fill_lanes)(LANE(lanes) * s, const cpu_task *tasks, int32_t n_tasks,
                                int32_t *next)
{
    int32_t n_active = 0;
    for (int l = 0; l < LANES; ++l) {
        while (*next < n_tasks && tasks[*next].result->outcome != STEP_GOING) ++*next;
        if (!s->task[l] && *next < n_tasks) LANE(start)(s, l, &tasks[(*next)++]);
        n_active += s->task[l] != NULL;
    }
    LANE(count_in)(s);
    return n_active;
}

/* How the only system is doing, by its last evaluation. */
static void LANE(tell)(const LANE(lanes) * s)
{
    double terms[SHOAL_N_TERMS], most = 0;
    const LANE(block) *f = s->ft;
    for (int32_t i = 0; i < s->n; ++i) {
        double square = 0;
        for (int c = 0; c < 3; ++c) square += (double)f[i].v[c][0] * (double)f[i].v[c][0];
        if (square > most) most = square;
    }
    s->steps->watch->energy = LANE(sum_terms)(&s->e, 0, terms);
    s->steps->watch->fmax = sqrt(most);
}

static void LANE(begin_lanes)(LANE(lanes) * s, const LANE(source) * source, lane_rows rows,
                              const cpu_steps *steps, arena *memory)
{
    const int32_t n = rows.n_points + rows.n_directions;
    *s = (LANE(lanes)){.source = source, .steps = steps, .memory = memory, .most = n, .n = n};
    s->n_points = s->directions = rows.n_points;
    s->n_directions = rows.n_directions;
    if (steps->driver.md) s->numbers = md_numbers_of(steps->driver.md);
}

/* One step of all lanes. */
static void LANE(make_round)(LANE(lanes) * s)
{
    const backend_driver *driver = &s->steps->driver;
    if (driver->md)
        LANE(md_round)(s);
    else if (is_fire(driver))
        LANE(fire_round)(s);
    else
        LANE(lbfgs_round)(s);
}

static shoal_status LANE(step_source)(const LANE(source) * source, lane_rows rows,
                                      const cpu_task *tasks, int32_t n_tasks,
                                      const cpu_steps *steps)
{
    arena memory = {0};
    LANE(lanes) *s = allot(&memory, 1, sizeof *s);
    shoal_status status = s ? SHOAL_OK : SHOAL_E_MEMORY;
    if (s) {
        LANE(begin_lanes)(s, source, rows, steps, &memory);
        status = LANE(allot_state)(s);
    }
    if (status == SHOAL_OK) status = LANE(allot_scratch)(s);
    if (steps->watch->one) {
        steps->watch->keep = LANE(keep_lanes);
        steps->watch->lanes = s;
    }
    bool go_on = true;
    for (int32_t next = 0, n_active; status == SHOAL_OK && go_on;) {
        n_active = LANE(fill_lanes)(s, tasks, n_tasks, &next);
        if (n_active == 0) break;
        LANE(make_round)(s);
        for (int l = 0; l < LANES; ++l)
            if (s->task[l] && --s->left[l] == 0) LANE(release)(s, l);
        status = s->status;
        if (LANES == 1 && steps->watch->alone) LANE(tell)(s);
        go_on = steps->watch->go_on(steps->watch, n_active);
    }
    if (steps->watch->one) steps->watch->keep = NULL;
    for (int l = 0; l < LANES && status == SHOAL_OK; ++l)
        if (s->task[l]) LANE(release)(s, l);
    if (status == SHOAL_OK) status = s->status;
    arena_free(&memory);
    return status;
}

#undef FOR_ROWS
#undef FOR_PARTS
#undef ROW_MASK
#undef ROW_SELECT
