/* SPDX-License-Identifier: BSD-3-Clause
 * Single points and relaxations of many systems of one topology, LANES at a time; included by the
 * template cpu_kernels.c after cpu_lanes.h. What happens in a lane depends on its own system
 * alone: decisions are taken lane by lane, and a finished system gives its lane to the next one. */

#include "backend/cpu/small/cpu_restraints.h"
#include "backend/cpu/small/cpu_surface.h"

enum { LANE(MEMORY) = 4 }; /* pairs of the L-BFGS history */

/* Where forces come from: the tables of a topology, or a single system with a schedule of its own,
 * whose coordinates are those of the task and a move away from them. */
typedef struct LANE(source) {
    const softness *soft; /* of systems without fixed atoms, or of the single one */
    const tables *t;
    void *field; /* NULL: the tables */
    shoal_status (*eval)(void *field, const LANE(block) * move, LANE(block) * force,
                         LANE(energies) * e);
} LANE(source);

/* The softness of systems with some atoms fixed. */
typedef struct LANE(pattern) {
    const bool *fixed;
    softness soft;
    struct LANE(pattern) * next;
} LANE(pattern);

typedef struct LANE(state) {
    const LANE(source) * source;
    arena *memory;
    LANE(pattern) * patterns;    /* that were met so far */
    const softness *soft[LANES]; /* of the system in a lane */
    const cpu_relax *r;
    shoal_status status;
    int32_t n;                     /* atoms */
    LANE(block) * x;               /* accepted coordinates */
    LANE(block) * f;               /* forces there */
    LANE(block) * trial;           /* coordinates being tried */
    LANE(block) * ft;              /* forces there */
    LANE(block) * d;               /* direction of the step; velocities of FIRE */
    LANE(block) * s;               /* [MEMORY][n] moves */
    LANE(block) * y;               /* [MEMORY][n] changes of the gradient */
    LANE(arm) * arms;              /* [t->most_arms] working memory */
    LANE(energies) et;             /* by term, at trial */
    double total[LANES];           /* energy at x */
    double noise[LANES];           /* what rounding may make of the energy at trial */
    double lowest[LANES];          /* energy of the last progress; see is_stuck */
    real quietest2[LANES];         /* largest squared force then */
    int32_t idle[LANES];           /* evaluations since */
    real rho[LANE(MEMORY)][LANES]; /* 1 / (s . y), 0 for an empty place */
    real gamma[LANES];             /* scale of the inverse Hessian, 1 where P is right */
    real slope[LANES];             /* gradient . d, per unit of step */
    real step[LANES];
    real dt[LANES], mix[LANES]; /* FIRE */
    int32_t quiet[LANES];       /* FIRE: steps since the power was negative */
    int32_t backtracks[LANES];
    int32_t n_evals[LANES];
    const cpu_task *task[LANES]; /* NULL: idle */
    double origin[LANES][3];     /* of the coordinates of a lane, angstrom */
    int32_t place;               /* of the newest pair, for all lanes */
    bool started[LANES];         /* the first evaluation is behind */
    bool has_moved[LANES];       /* away from the start */
} LANE(state);

/* A system stalls when neither its energy nor its largest force went down in so many evaluations. */
enum { LANE(PATIENCE) = 1000 };

static double LANE(sum_terms)(const LANE(energies) * e, int l, double terms[SHOAL_N_TERMS])
{
    double sum = 0;
    for (int k = 0; k < SHOAL_N_TERMS; ++k) {
        terms[k] = (double)e->e[k][l];
        sum += terms[k];
    }
    return sum;
}

/* Largest squared force in every lane; not finite where any force is not. */
static void LANE(largest_force2)(const LANE(block) * f, int32_t n, real out[LANES])
{
    real largest[LANES] = {0}, sum[LANES] = {0};
    for (int32_t i = 0; i < n; ++i) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l) {
            const v3 g = LANE(get)(&f[i], l);
            const real g2 = v3_dot(g, g);
            largest[l] = real_max(largest[l], g2);
            sum[l] += g2 - g2; /* 0, or NaN for ever */
        }
    }
    for (int l = 0; l < LANES; ++l) out[l] = largest[l] + sum[l];
}

static void LANE(write_single)(const cpu_task *task, const LANE(block) * f,
                               const LANE(energies) * e, real fmax2, int l, int32_t n)
{
    backend_result *r = task->result;
    r->energy = LANE(sum_terms)(e, l, r->terms);
    r->fmax = sqrt((double)fmax2);
    r->status = SHOAL_SYSTEM_OK;
    for (int32_t i = 0; i < n && task->forces; ++i)
        for (int c = 0; c < 3; ++c) task->forces[i][c] = (double)f[i].v[c][l];
    if (!isfinite(r->energy) || !isfinite(r->fmax)) r->status = SHOAL_SYSTEM_NOT_FINITE;
}

static shoal_status LANE(eval_tasks)(const tables *t, const cpu_task *tasks, int32_t n_tasks)
{
    const int32_t n = t->n_atoms;
    LANE(block) *x = aligned_alloc(64, ((size_t)n * sizeof *x + 63) / 64 * 64 + 64);
    LANE(block) *f = aligned_alloc(64, ((size_t)n * sizeof *f + 63) / 64 * 64 + 64);
    LANE(arm) *arms = aligned_alloc(64, ((size_t)t->most_arms * sizeof *arms + 63) / 64 * 64 + 64);
    LANE(energies) e;
    shoal_status status = x && f && arms ? SHOAL_OK : shoal_fail(SHOAL_E_MEMORY, "out of memory");
    for (int32_t first = 0; first < n_tasks && status == SHOAL_OK; first += LANES) {
        real fmax2[LANES];
        double origin[LANES][3];
        const int32_t last = n_tasks - first < LANES ? n_tasks - first : LANES;
        /* Idle lanes repeat the last system. */
        for (int l = 0; l < LANES; ++l)
            LANE(load)(x, l, &tasks[first + (l < last ? l : last - 1)], n, origin[l]);
        LANE(eval)(t, x, f, &e, arms);
        LANE(add_surface)(t, x, f, &e, (const double(*)[3])origin);
        for (int l = 0; l < last; ++l)
            LANE(constrain)(t, &tasks[first + l], x, f, &e, l, origin[l]);
        LANE(largest_force2)(f, n, fmax2);
        for (int l = 0; l < last; ++l) LANE(write_single)(&tasks[first + l], f, &e, fmax2[l], l, n);
    }
    free(x);
    free(f);
    free(arms);
    return status;
}

/* The softness of a system: made when its fixed atoms are met for the first time. */
static const softness *LANE(find_softness)(LANE(state) * s, const backend_system *system)
{
    const bool *fixed = s->source->field ? NULL : system->fixed;
    const size_t size = (size_t)s->n * sizeof *fixed;
    if (!fixed) return s->source->soft;
    for (LANE(pattern) *p = s->patterns; p; p = p->next)
        if (memcmp(p->fixed, fixed, size) == 0) return &p->soft;
    LANE(pattern) *made = arena_alloc(s->memory, 1, sizeof *made);
    if (!made ||
        !fill_softness(&made->soft, &system->view, fixed, s->source->t->terms_off, s->memory)) {
        s->status = SHOAL_E_MEMORY;
        return s->source->soft;
    }
    made->fixed = fixed;
    made->next = s->patterns;
    s->patterns = made;
    return &made->soft;
}

/* Puts a system into a lane. */
static void LANE(start)(LANE(state) * s, int l, const cpu_task *task)
{
    s->task[l] = task;
    s->soft[l] = LANE(find_softness)(s, task->system);
    s->started[l] = s->has_moved[l] = false;
    s->n_evals[l] = task->steps;
    s->backtracks[l] = s->quiet[l] = 0;
    s->step[l] = s->slope[l] = 0;
    s->gamma[l] = START_SCALE;
    s->dt[l] = R(0.02);
    s->mix[l] = R(0.1);
    s->total[l] = 0;
    s->lowest[l] = INFINITY;
    s->quietest2[l] = (real)INFINITY;
    s->idle[l] = 0;
    if (!s->source->field) LANE(load)(s->x, l, task, s->n, s->origin[l]);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            s->d[i].v[c][l] = s->f[i].v[c][l] = 0;
            if (s->source->field) s->x[i].v[c][l] = 0;
        }
    for (int m = 0; m < LANE(MEMORY); ++m) {
        s->rho[m][l] = 0;
        for (int32_t i = 0; i < s->n; ++i)
            for (int c = 0; c < 3; ++c) s->s[m * s->n + i].v[c][l] = s->y[m * s->n + i].v[c][l] = 0;
    }
}

/* Hands the accepted coordinates back. Fixed atoms, and systems that never moved, keep theirs to the
 * last bit. Energies are left to the caller, who may want another precision. */
static void LANE(finish)(LANE(state) * s, int l, shoal_system_status status)
{
    const cpu_task *task = s->task[l];
    const bool *fixed = task->system->fixed;
    task->result->status = status;
    task->result->steps = s->n_evals[l];
    for (int32_t i = 0; i < s->n && s->has_moved[l]; ++i)
        for (int c = 0; c < 3 && !(fixed && fixed[i]); ++c)
            task->pos[i][c] =
                (s->source->field ? task->pos[i][c] : s->origin[l][c]) + (double)s->x[i].v[c][l];
    s->task[l] = NULL;
}

/* a . b; three sums side by side, which hides the time of an addition. */
static void LANE(dot)(const LANE(block) * a, const LANE(block) * b, int32_t n, real out[LANES])
{
    LANE(block) sum = {0};
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) sum.v[c][l] += a[i].v[c][l] * b[i].v[c][l];
        }
    for (int l = 0; l < LANES; ++l) out[l] = sum.v[0][l] + sum.v[1][l] + sum.v[2][l];
}

SHOAL_FN void LANE(add_scaled)(LANE(block) *restrict to, real factor,
                               const LANE(block) *restrict from)
{
    for (int c = 0; c < 3; ++c) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l) to->v[c][l] += factor * from->v[c][l];
    }
}

/* to += factor from, then with . to. */
static void LANE(add_dot)(LANE(block) *restrict to, const real factor[LANES],
                          const LANE(block) *restrict from, const LANE(block) *restrict with,
                          int32_t n, real out[LANES])
{
    LANE(block) sum = {0};
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const real x = to[i].v[c][l] + factor[l] * from[i].v[c][l];
                to[i].v[c][l] = x;
                sum.v[c][l] += with[i].v[c][l] * x;
            }
        }
    for (int l = 0; l < LANES; ++l) out[l] = sum.v[0][l] + sum.v[1][l] + sum.v[2][l];
}

/* trial = x + step d */
static void LANE(propose)(LANE(state) * s)
{
    LANE(block) *restrict trial = s->trial;
    const LANE(block) *x = s->x, *d = s->d;
    real step[LANES];
    memcpy(step, s->step, sizeof step);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l)
                trial[i].v[c][l] = x[i].v[c][l] + step[l] * d[i].v[c][l];
        }
}

/* Forces at the trial points of all lanes. */
static void LANE(try)(LANE(state) * s)
{
    const LANE(source) *source = s->source;
    if (source->field) {
        s->status = source->eval(source->field, s->trial, s->ft, &s->et);
    } else {
        LANE(eval)(source->t, s->trial, s->ft, &s->et, s->arms);
        LANE(add_surface)(source->t, s->trial, s->ft, &s->et, (const double(*)[3])s->origin);
    }
    for (int l = 0; l < LANES; ++l) {
        if (!s->task[l]) continue;
        ++s->n_evals[l];
        if (source->field) continue;
        LANE(constrain)(source->t, s->task[l], s->trial, s->ft, &s->et, l, s->origin[l]);
    }
}

/* Energy at the trial point of a lane; notes what rounding may make of it. */
static double LANE(trial_energy)(LANE(state) * s, int l)
{
    double terms[SHOAL_N_TERMS], size = 1;
    const double total = LANE(sum_terms)(&s->et, l, terms);
    for (int k = 0; k < SHOAL_N_TERMS; ++k) size += fabs(terms[k]);
    s->noise[l] = (sizeof(real) == 4 ? 2e-6 : 2e-13) * size;
    return total;
}

/* Notes an evaluation; true if the lane has long made no progress that rounding does not hide. */
static bool LANE(is_stuck)(LANE(state) * s, int l, real fmax2)
{
    const double total = s->total[l];
    if (total < s->lowest[l] - s->noise[l] || fmax2 < R(0.8) * s->quietest2[l]) {
        s->lowest[l] = total < s->lowest[l] ? total : s->lowest[l];
        s->quietest2[l] = real_min(s->quietest2[l], fmax2);
        s->idle[l] = 0;
        return false;
    }
    return ++s->idle[l] > LANE(PATIENCE);
}

/* What a lane can end with after an evaluation; SHOAL_SYSTEM_OK means it goes on. */
static shoal_system_status LANE(verdict)(const LANE(state) * s, int l, real fmax2)
{
    /* A little below the limit, so that forces in double precision agree. */
    const double limit = s->r->fmax * (sizeof(real) == 4 ? 0.99 : 1.0);
    if ((double)fmax2 <= limit * limit) return SHOAL_SYSTEM_CONVERGED;
    if (s->n_evals[l] >= s->r->max_steps) return SHOAL_SYSTEM_MAX_STEPS;
    return SHOAL_SYSTEM_OK;
}

#include "backend/cpu/cpu_minimize.h"

static void *LANE(allot)(arena *memory, size_t n, size_t size)
{
    unsigned char *p = arena_alloc(memory, n * size + 64, 1);
    return p ? p + (64 - (uintptr_t)p % 64) % 64 : NULL;
}

static shoal_status LANE(allot_state)(LANE(state) * s, arena *memory)
{
    const size_t n = (size_t)s->n, m = (size_t)LANE(MEMORY);
    LANE(block) * *const parts[] = {&s->x, &s->f, &s->trial, &s->ft, &s->d, &s->s, &s->y};
    for (size_t k = 0; k < 7; ++k) {
        *parts[k] = LANE(allot)(memory, k < 5 ? n : m * n, sizeof **parts[k]);
        if (!*parts[k]) return SHOAL_E_MEMORY;
    }
    const size_t n_arms = s->source->field ? 0 : (size_t)s->source->t->most_arms;
    s->arms = LANE(allot)(memory, n_arms, sizeof *s->arms);
    return s->arms ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* Ends all lanes where they are. */
static void LANE(leave)(LANE(state) * s)
{
    for (int l = 0; l < LANES; ++l)
        if (s->task[l]) LANE(finish)(s, l, SHOAL_SYSTEM_MAX_STEPS);
}

static shoal_status LANE(relax_source)(const LANE(source) * source, int32_t n_atoms,
                                       const cpu_task *tasks, int32_t n_tasks, const cpu_relax *r,
                                       int64_t *evaluations)
{
    arena memory = {0};
    LANE(state) *s = arena_alloc(&memory, 1, sizeof *s);
    shoal_status status = s ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        *s = (LANE(state)){.source = source, .memory = &memory, .r = r, .n = n_atoms};
        status = LANE(allot_state)(s, &memory);
    }
    int32_t next = 0, n_active = n_tasks;
    while (status == SHOAL_OK && n_active > 0) {
        n_active = 0;
        for (int l = 0; l < LANES; ++l) {
            if (!s->task[l] && next < n_tasks) LANE(start)(s, l, &tasks[next++]);
            n_active += s->task[l] != NULL;
        }
        if (n_active == 0) break;
        *evaluations += n_active;
        if (r->method == SHOAL_METHOD_FIRE)
            LANE(fire_round)(s);
        else
            LANE(lbfgs_round)(s);
        status = s->status;
        if (r->poll && !r->poll(r->user, *evaluations)) LANE(leave)(s);
    }
    arena_free(&memory);
    return status;
}
