/* SPDX-License-Identifier: BSD-3-Clause
 * Single points and relaxations of many systems of one topology, LANES at a time; included by the
 * template cpu_kernels.c after cpu_lanes.h. What happens in a lane depends on its own system alone:
 * decisions are taken lane by lane, and a finished system gives its lane to the next one. */

enum { LANE(MEMORY) = 8 }; /* pairs of the L-BFGS history */

typedef struct LANE(state) {
    const tables *t;
    const cpu_relax *r;
    int32_t n;                     /* atoms */
    LANE(block) * x;               /* accepted coordinates */
    LANE(block) * f;               /* forces there */
    LANE(block) * trial;           /* coordinates being tried */
    LANE(block) * ft;              /* forces there */
    LANE(block) * d;               /* direction of the step; velocities of FIRE */
    LANE(block) * s;               /* [MEMORY][n] moves */
    LANE(block) * y;               /* [MEMORY][n] changes of the gradient */
    LANE(energies) e, et;          /* by term, at x and at trial */
    double total[LANES];           /* energy at x */
    real rho[LANE(MEMORY)][LANES]; /* 1 / (s . y), 0 for an empty place */
    real gamma[LANES];             /* scale of the inverse Hessian, angstrom^2/eV */
    real slope[LANES];             /* gradient . d, per unit of step */
    real step[LANES];
    real dt[LANES], mix[LANES]; /* FIRE */
    int32_t quiet[LANES];       /* FIRE: steps since the power was negative */
    int32_t backtracks[LANES];
    int32_t n_evals[LANES];
    const cpu_task *task[LANES]; /* NULL: idle */
    int32_t place;               /* of the history, for all lanes */
    bool started[LANES];         /* the first evaluation is behind */
} LANE(state);

static void LANE(load)(LANE(block) * to, int l, const cpu_task *task, int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) to[i].v[c][l] = (real)task->pos[i][c];
}

static double LANE(sum_terms)(const LANE(energies) * e, int l, double terms[SHOAL_N_TERMS])
{
    double sum = 0;
    for (int k = 0; k < SHOAL_N_TERMS; ++k) {
        terms[k] = (double)e->e[k][l];
        sum += terms[k];
    }
    return sum;
}

/* Fixed atoms feel nothing. */
static void LANE(hold)(LANE(block) * f, int l, const cpu_task *task, int32_t n)
{
    const bool *fixed = task->system->fixed;
    for (int32_t i = 0; i < n && fixed; ++i)
        for (int c = 0; c < 3; ++c)
            if (fixed[i]) f[i].v[c][l] = 0;
}

/* Largest squared force in every lane; not finite where any force is not. */
static void LANE(largest_force2)(const LANE(block) * f, int32_t n, real out[LANES])
{
    real sum[LANES] = {0};
    for (int l = 0; l < LANES; ++l) out[l] = 0;
    for (int32_t i = 0; i < n; ++i) {
        OVER_LANES
        for (int l = 0; l < LANES; ++l) {
            const v3 g = LANE(get)(&f[i], l);
            const real g2 = v3_dot(g, g);
            out[l] = real_max(out[l], g2);
            sum[l] += g2 - g2; /* 0, or NaN for ever */
        }
    }
    for (int l = 0; l < LANES; ++l) out[l] += sum[l];
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
    LANE(energies) e;
    shoal_status status = x && f ? SHOAL_OK : shoal_fail(SHOAL_E_MEMORY, "out of memory");
    for (int32_t first = 0; first < n_tasks && status == SHOAL_OK; first += LANES) {
        real fmax2[LANES];
        const int32_t last = n_tasks - first < LANES ? n_tasks - first : LANES;
        /* Idle lanes repeat the last system. */
        for (int l = 0; l < LANES; ++l)
            LANE(load)(x, l, &tasks[first + (l < last ? l : last - 1)], n);
        LANE(eval)(t, x, f, &e);
        for (int l = 0; l < last; ++l) LANE(hold)(f, l, &tasks[first + l], n);
        LANE(largest_force2)(f, n, fmax2);
        for (int l = 0; l < last; ++l) LANE(write_single)(&tasks[first + l], f, &e, fmax2[l], l, n);
    }
    free(x);
    free(f);
    return status;
}

static void LANE(start)(LANE(state) * s, int l, const cpu_task *task)
{
    s->task[l] = task;
    s->started[l] = false;
    s->n_evals[l] = 0;
    s->backtracks[l] = 0;
    s->step[l] = 0;
    s->slope[l] = 0;
    s->gamma[l] = R(0.02);
    s->dt[l] = R(0.02);
    s->mix[l] = R(0.1);
    s->quiet[l] = 0;
    s->total[l] = 0;
    for (int m = 0; m < LANE(MEMORY); ++m) s->rho[m][l] = 0;
    LANE(load)(s->x, l, task, s->n);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            s->d[i].v[c][l] = 0;
            s->f[i].v[c][l] = 0;
        }
    for (int m = 0; m < LANE(MEMORY); ++m)
        for (int32_t i = 0; i < s->n; ++i)
            for (int c = 0; c < 3; ++c) s->s[m * s->n + i].v[c][l] = s->y[m * s->n + i].v[c][l] = 0;
}

static void LANE(finish)(LANE(state) * s, int l, shoal_system_status status, real fmax2)
{
    const cpu_task *task = s->task[l];
    backend_result *r = task->result;
    r->status = status;
    r->steps = s->n_evals[l];
    r->energy = LANE(sum_terms)(&s->e, l, r->terms);
    r->fmax = sqrt((double)fmax2);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            task->pos[i][c] = (double)s->x[i].v[c][l];
            if (task->forces) task->forces[i][c] = (double)s->f[i].v[c][l];
        }
    s->task[l] = NULL;
}

static void LANE(dot)(const LANE(block) * a, const LANE(block) * b, int32_t n, real out[LANES])
{
    real sum[LANES] = {0};
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) sum[l] += a[i].v[c][l] * b[i].v[c][l];
        }
    for (int l = 0; l < LANES; ++l) out[l] = sum[l];
}

/* to += factor * from, lane by lane. */
static void LANE(accumulate)(LANE(block) * to, const real factor[LANES], const LANE(block) * from,
                             int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) to[i].v[c][l] += factor[l] * from[i].v[c][l];
        }
}

/* trial = x + step d */
static void LANE(propose)(LANE(state) * s)
{
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l)
                s->trial[i].v[c][l] = s->x[i].v[c][l] + s->step[l] * s->d[i].v[c][l];
        }
}

/* Takes the trial point over where keep is set, and puts the pair of this step into the history;
 * elsewhere the place stays empty. */
static void LANE(accept)(LANE(state) * s, const bool keep[LANES])
{
    LANE(block) *move = s->s + (size_t)s->place * (size_t)s->n;
    LANE(block) *change = s->y + (size_t)s->place * (size_t)s->n;
    real k[LANES];
    for (int l = 0; l < LANES; ++l) k[l] = keep[l] ? R(1.0) : R(0.0);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const bool take = k[l] != R(0.0);
                move[i].v[c][l] = take ? s->trial[i].v[c][l] - s->x[i].v[c][l] : R(0.0);
                change[i].v[c][l] = take ? s->f[i].v[c][l] - s->ft[i].v[c][l] : R(0.0);
                s->x[i].v[c][l] = take ? s->trial[i].v[c][l] : s->x[i].v[c][l];
                s->f[i].v[c][l] = take ? s->ft[i].v[c][l] : s->f[i].v[c][l];
            }
        }
    real sy[LANES], yy[LANES];
    LANE(dot)(move, change, s->n, sy);
    LANE(dot)(change, change, s->n, yy);
    for (int l = 0; l < LANES; ++l) {
        const bool curved = keep[l] && s->started[l] && sy[l] > R(1e-12) && yy[l] > R(0.0);
        s->rho[s->place][l] = curved ? R(1.0) / sy[l] : R(0.0);
        if (curved) s->gamma[l] = sy[l] / yy[l];
        if (!keep[l]) continue;
        for (int e = 0; e < SHOAL_N_TERMS; ++e) s->e.e[e][l] = s->et.e[e][l];
    }
}

/* d = H f by the two-loop recursion (Nocedal 1980), newest pairs first. Empty places have rho = 0
 * and do nothing. */
static void LANE(two_loop)(LANE(state) * s)
{
    const int m = LANE(MEMORY);
    real alpha[LANE(MEMORY)][LANES], factor[LANES];
    memcpy(s->d, s->f, (size_t)s->n * sizeof *s->d);
    for (int k = 0; k < m; ++k) {
        const int at = (s->place + m - k) % m;
        LANE(dot)(s->s + at * s->n, s->d, s->n, alpha[at]);
        for (int l = 0; l < LANES; ++l) {
            alpha[at][l] *= s->rho[at][l];
            factor[l] = -alpha[at][l];
        }
        LANE(accumulate)(s->d, factor, s->y + at * s->n, s->n);
    }
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) s->d[i].v[c][l] *= s->gamma[l];
        }
    for (int k = m - 1; k >= 0; --k) {
        const int at = (s->place + m - k) % m;
        real beta[LANES];
        LANE(dot)(s->y + at * s->n, s->d, s->n, beta);
        for (int l = 0; l < LANES; ++l) factor[l] = alpha[at][l] - s->rho[at][l] * beta[l];
        LANE(accumulate)(s->d, factor, s->s + at * s->n, s->n);
    }
}

/* Forgets the history of a lane and falls back to the force as direction. */
static void LANE(reset_lane)(LANE(state) * s, int l)
{
    for (int m = 0; m < LANE(MEMORY); ++m) s->rho[m][l] = 0;
    s->gamma[l] = R(0.02);
    for (int32_t i = 0; i < s->n; ++i)
        for (int c = 0; c < 3; ++c) s->d[i].v[c][l] = s->gamma[l] * s->f[i].v[c][l];
}

/* A new direction for the lanes that moved; a step no longer than max_move for any atom. */
static void LANE(choose_step)(LANE(state) * s, const bool moved[LANES])
{
    const int32_t n = s->n;
    real longest2[LANES], down[LANES];
    LANE(block) *kept = s->trial; /* free until the next proposal */
    memcpy(kept, s->d, (size_t)n * sizeof *kept);
    LANE(two_loop)(s);
    LANE(dot)(s->d, s->f, n, down);
    for (int l = 0; l < LANES; ++l) {
        if (moved[l]) {
            if (!(down[l] > R(0.0))) LANE(reset_lane)(s, l);
            continue;
        }
        for (int32_t i = 0; i < n; ++i) /* still backtracking along the old direction */
            for (int c = 0; c < 3; ++c) s->d[i].v[c][l] = kept[i].v[c][l];
    }
    LANE(dot)(s->d, s->f, n, down);
    LANE(largest_force2)(s->d, n, longest2);
    for (int l = 0; l < LANES; ++l) {
        s->slope[l] = -down[l];
        if (!moved[l]) continue;
        const real longest = real_sqrt(longest2[l]), most = (real)s->r->max_move;
        s->step[l] = longest > most ? most / longest : R(1.0);
    }
}

/* Judges the trial point of one lane. Returns true if it is accepted; otherwise shortens the step,
 * and forgets the history when that does not help. */
static bool LANE(judge)(LANE(state) * s, int l, double total)
{
    if (!s->started[l]) return true;
    const double e = s->total[l], want = 1e-4 * (double)(s->step[l] * s->slope[l]);
    /* Rounding of a sum of energies must not look like a rise. */
    const double noise = (sizeof(real) == 4 ? 1e-6 : 1e-13) * (fabs(e) + fabs(total) + 1);
    if (total <= e + want + noise) return true;
    const double linear = (double)(s->step[l] * s->slope[l]), rise = total - e - linear;
    double shrink = isfinite(total) && rise > 0 ? -linear / (2 * rise) : 0.1;
    shrink = shrink < 0.1 ? 0.1 : shrink > 0.5 ? 0.5 : shrink;
    s->step[l] *= (real)shrink;
    return false;
}
#include "backend/cpu/cpu_minimize.h"
