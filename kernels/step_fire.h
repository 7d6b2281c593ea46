/* SPDX-License-Identifier: BSD-3-Clause
 * FIRE (Bitzek et al., Phys. Rev. Lett. 97 (2006) 170201) with unit masses, as a decision.
 *
 * A schedule evaluates forces f at the coordinates r, sums what fire_sums names over the atoms, asks
 * fire_decide, and moves: v = keep v + push f, r = r + move v. It needs no energies: progress is judged by
 * the work of the forces, half of it at each end of a move (exact where the energy is harmonic; either end
 * alone would call an oscillation across a valley a rise or a fall). */
#ifndef SHOAL_KERNELS_STEP_FIRE_H
#define SHOAL_KERNELS_STEP_FIRE_H

#include "step.h"

#define FIRE_FIRST_DT R(0.02)
#define FIRE_MOST_DT R(0.12)
#define FIRE_LEAST_DT R(0.002)
#define FIRE_FIRST_MIXING R(0.1)
#define FIRE_DAMPING R(0.99)
#define FIRE_MOST_RETREATS 12
#define FIRE_LOOK 8 /* evaluations from one look at the progress to the next */

/* What a user may choose for a system; time in angstrom/sqrt(eV). */
typedef struct fire_numbers {
    real first_dt, most_dt, least_dt;
    real mixing;  /* at first, and after a step uphill */
    real damping; /* of the mixing, by a step downhill */
} fire_numbers;

typedef struct fire_state {
    fire_numbers own;
    real dt, mixing;
    real speed; /* no atom is faster */
    real move;  /* factor of the last move */
    real work;  /* minus the work of the forces so far, half a move ahead, eV */
    step_progress progress;
    int n_evals;
    int started; /* 0 before the first evaluation, then 1 and the number of retreats */
    int quiet;   /* steps since the power was negative */
    int outcome; /* STEP_ of layout.h */
} fire_state;

/* Over all atoms, v being the velocities that led here. */
typedef struct fire_sums {
    real ff, vv, fv;
    real f2; /* largest squared force; not finite if any force is not */
} fire_sums;

typedef struct fire_move {
    real keep, push, move;
    int retreat; /* instead: r = r - move v, v = 0 */
} fire_move;

SHOAL_FN fire_numbers fire_usual(void)
{
    const fire_numbers n = {FIRE_FIRST_DT, FIRE_MOST_DT, FIRE_LEAST_DT, FIRE_FIRST_MIXING,
                            FIRE_DAMPING};
    return n;
}

SHOAL_FN fire_state fire_begin(int n_evals, fire_numbers own)
{
    const fire_state s = {.own = own,
                          .dt = own.first_dt,
                          .mixing = own.mixing,
                          .progress = STEP_NO_PROGRESS,
                          .n_evals = n_evals,
                          .outcome = STEP_GOING};
    return s;
}

/* Whether the next decision looks at the progress: schedules may keep that part of the state elsewhere in
 * between. */
SHOAL_FN int fire_looks(const fire_state *s)
{
    return (s->n_evals + 1) % FIRE_LOOK == 0;
}

/* Back to the last point with finite forces, at rest and with a shorter time step. */
SHOAL_FN fire_move fire_retreat(fire_state *s, const step_limits *limit)
{
    const fire_move m = {.move = s->move, .retreat = 1};
    s->outcome = s->started == 0                   ? STEP_NOT_FINITE
                 : s->n_evals >= limit->max_steps  ? STEP_MAX_STEPS
                 : s->started > FIRE_MOST_RETREATS ? STEP_STALLED
                                                   : STEP_GOING;
    ++s->started;
    s->dt *= R(0.2);
    s->mixing = s->own.mixing;
    s->quiet = 0;
    s->speed = s->move = R(0.0);
    return m;
}

SHOAL_FN fire_move fire_decide(fire_state *s, const fire_sums *sum, const step_limits *limit)
{
    const int look = fire_looks(s);
    int stuck = 0;
    ++s->n_evals;
    if (!(sum->f2 - sum->f2 == R(0.0))) return fire_retreat(s, limit);
    s->started = s->started == 0 ? 1 : s->started;
    s->work -= R(0.5) * s->move * sum->fv;
    if (look) stuck = step_is_stuck(&s->progress, FIRE_LOOK, s->work, STEP_EPSILON, sum->f2);
    s->outcome = sum->f2 <= limit->fmax2          ? STEP_CONVERGED
                 : s->n_evals >= limit->max_steps ? STEP_MAX_STEPS
                 : stuck                          ? STEP_STALLED
                                                  : STEP_GOING;
    const int uphill = !(sum->fv >= R(0.0));
    s->quiet = uphill ? 0 : s->quiet + 1;
    if (uphill) {
        s->dt = real_max(R(0.5) * s->dt, s->own.least_dt);
        s->mixing = s->own.mixing;
    } else if (s->quiet > 5) {
        s->dt = real_min(R(1.1) * s->dt, s->own.most_dt);
        s->mixing *= s->own.damping;
    }
    const real turn = s->mixing * real_sqrt(real_divide(sum->vv, real_max(sum->ff, R(1e-20))));
    fire_move m;
    m.retreat = 0;
    m.keep = uphill ? R(0.0) : R(1.0) - s->mixing;
    m.push = s->dt + (uphill ? R(0.0) : turn);
    /* One factor for all atoms of a system, so that its momentum is kept. */
    s->speed = m.keep * s->speed + m.push * real_sqrt(sum->f2);
    m.move = s->speed * s->dt > limit->max_move ? real_divide(limit->max_move, s->speed) : s->dt;
    s->move = m.move;
    s->work -= R(0.5) * m.move * (m.keep * sum->fv + m.push * sum->ff);
    return m;
}

#endif
