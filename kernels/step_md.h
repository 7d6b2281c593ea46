/* SPDX-License-Identifier: BSD-3-Clause
 * Molecular dynamics as a decision: velocity Verlet, alone, with Langevin's thermostat in the order BAOAB (Leimkuhler
 * and Matthews, Appl. Math. Res. Express 2013, 34) or with a Nose-Hoover chain of two (Martyna, Klein and Tuckerman, J.
 * Chem. Phys. 97 (1992) 2635) whose end is stirred.
 *
 * Between steps a state has coordinates x_n and velocities that lag half a step behind, but for the very first step,
 * which has both at once. A schedule evaluates forces f at x and then, for every atom with the inverse mass w:
 *     v += close f w                                  close = md_close(..)
 *     sums over atoms                                 md_sums; asks md_decide, goes on if m.go
 *     v = m.scale v + open f w                        open = md_open(..)
 *     x += dt v                                       without Langevin, or, with it,
 *     x += dt/2 v;  v = keep v + m.noise sqrt(w) g;  x += dt/2 v     g = md_normal(..)
 * An atom that does not move has w = 0 and v = 0. Units: angstrom, fs, eV; w = ACCELERATION / mass in amu. */
#ifndef SHOAL_KERNELS_STEP_MD_H
#define SHOAL_KERNELS_STEP_MD_H

#include "random.h"
#include "step.h"

/* The same for all systems of a call. */
typedef struct md_numbers {
    real dt;        /* fs */
    real keep;      /* Langevin, and the end of a Nose-Hoover chain: exp(-friction dt) .. */
    real stir;      /* .. and sqrt(1 - keep^2) */
    real tau;       /* Nose-Hoover: period of the first oscillator over 2 pi, fs */
    real most;      /* angstrom: an atom that moves farther in a step ends the run */
    int thermostat; /* MD_ of layout.h */
    random_word seed0, seed1;
} md_numbers;

/* Of one system: all that a step hands to the next beside coordinates and velocities. This is its only description.
 * Devices have it at the places of layout.h by way of the functions below; backends begin with md_state_of
 * (backend/bath_state.h), and give the thermostat back, x and then v, which a checkpoint keeps as numbers of md_walker
 * (engine/md.h). */
typedef struct md_state {
    real kt;         /* eV: of the bath at the step first .. */
    real kt_change;  /* .. and what every step adds */
    real n_dof;      /* degrees of freedom */
    real x[2], v[2]; /* Nose-Hoover: places (no unit) and velocities (1/fs) of both thermostats */
    int n_evals;     /* steps so far: the number of the next one */
    int first;
    int started;            /* 0: velocities belong to the same time as the coordinates */
    int outcome;            /* STEP_ of layout.h */
    random_word key0, key1; /* of the system's own random numbers */
} md_state;

/* What no step changes, from the places of a system. */
SHOAL_FN void md_recall(md_state *s, SHOAL_GLOBAL const int *n, SHOAL_GLOBAL const real *x)
{
    s->kt = x[MD_KT];
    s->kt_change = x[MD_KT_CHANGE];
    s->n_dof = x[MD_DOF];
    s->first = n[MD_FIRST];
    s->key0 = (random_word)n[MD_KEY];
    s->key1 = (random_word)n[MD_KEY + 1];
}

/* The host has written every number, also of a state that has not started. */
SHOAL_FN md_state md_load(SHOAL_GLOBAL const int *n, SHOAL_GLOBAL const real *x)
{
    md_state s = {.n_evals = n[STEP_EVALS], .started = n[STEP_STARTED], .outcome = n[STEP_OUTCOME]};
    md_recall(&s, n, x);
    for (int k = 0; k < 2; ++k) {
        s.x[k] = x[MD_THERMOSTAT + k];
        s.v[k] = x[MD_THERMOSTAT + 2 + k];
    }
    return s;
}

/* What steps have changed. */
SHOAL_FN void md_save(SHOAL_GLOBAL int *n, SHOAL_GLOBAL real *x, const md_state *s)
{
    for (int k = 0; k < 2; ++k) {
        x[MD_THERMOSTAT + k] = s->x[k];
        x[MD_THERMOSTAT + 2 + k] = s->v[k];
    }
    n[STEP_EVALS] = s->n_evals;
    n[STEP_STARTED] = s->started;
    n[STEP_OUTCOME] = s->outcome;
}

/* All of it. */
SHOAL_FN void md_write(SHOAL_GLOBAL int *n, SHOAL_GLOBAL real *x, const md_state *s)
{
    x[MD_KT] = s->kt;
    x[MD_KT_CHANGE] = s->kt_change;
    x[MD_DOF] = s->n_dof;
    n[MD_FIRST] = s->first;
    n[MD_KEY] = (int)s->key0;
    n[MD_KEY + 1] = (int)s->key1;
    md_save(n, x, s);
}

/* Over all atoms that move, after v was closed. */
typedef struct md_sums {
    real kinetic2; /* v.v / w: twice the kinetic energy, eV */
    real v2;       /* largest square of v + open f w: atoms are about to move so */
    real f2;       /* largest squared force; not finite if any force is not */
} md_sums;

typedef struct md_move {
    real scale; /* of velocities */
    real noise; /* Langevin: sqrt(kT (1 - keep^2)) */
    int go;
} md_move;

SHOAL_FN real md_close(const md_state *s, const md_numbers *n)
{
    return s->started ? R(0.5) * n->dt : R(0.0);
}

SHOAL_FN real md_open(const md_numbers *n)
{
    return R(0.5) * n->dt;
}

/* e^x to a unit in the last place or two, where velocities are scaled: beyond 1/4 and -1/4, where a thermostat is far
 * off its course, it stays what it is there. */
SHOAL_FN real md_exp(real x)
{
    const real t = real_max(real_min(x, R(0.25)), R(-0.25));
    real sum = R(0.0);
    if (sizeof(real) > 4)
        sum = t * (t * (t * (t * R(2.08767569878680990e-9) + R(2.50521083854417188e-8)) +
                        R(2.75573192239858907e-7)) +
                   R(2.75573192239858907e-6)) +
              R(2.48015873015873016e-5);
    sum = t * (t * (t * (t * (t * sum + R(1.98412698412698413e-4)) + R(1.38888888888888889e-3)) +
                    R(8.33333333333333333e-3)) +
               R(4.16666666666666667e-2)) +
          R(0.166666666666666667);
    return R(1.0) + t * (R(1.0) + t * (R(0.5) + t * sum));
}

/* Half a step of the thermostats, whose masses are n_dof kT tau^2 and kT tau^2; kinetic2 is what it becomes. Returns the
 * factor of the velocities. */
SHOAL_FN real md_nose_hoover_half(md_state *s, real kt, real *kinetic2, const md_numbers *n)
{
    const real h = R(0.5) * n->dt, rate2 = R(1.0) / (n->tau * n->tau);
    const real push = rate2 / (s->n_dof * kt);
    s->v[1] += R(0.5) * h * (s->n_dof * s->v[0] * s->v[0] - rate2);
    const real drag = md_exp(R(-0.25) * h * s->v[1]);
    s->v[0] = drag * (drag * s->v[0] + R(0.5) * h * (*kinetic2 * push - rate2));
    const real scale = md_exp(-h * s->v[0]);
    *kinetic2 *= scale * scale;
    s->x[0] += h * s->v[0];
    s->x[1] += h * s->v[1];
    s->v[0] = drag * (drag * s->v[0] + R(0.5) * h * (*kinetic2 * push - rate2));
    s->v[1] += R(0.5) * h * (s->n_dof * s->v[0] * s->v[0] - rate2);
    return scale;
}

/* kT of the bath at the next step, eV. */
SHOAL_FN real md_kt(const md_state *s)
{
    return s->kt + s->kt_change * (real)(s->n_evals - s->first);
}

/* The end of the chain meets a bath of its own (Leimkuhler, Noorizadeh and Theil, J. Stat. Phys. 135 (2009) 261): its
 * velocity forgets itself at the rate of Langevin's friction. What the bath gives is taken from the chain's second
 * place, which moves nothing, so that the energy of all of them together is kept as before. */
SHOAL_FN void md_stir_chain(md_state *s, const md_numbers *n)
{
    const random_words counter = {{0, (random_word)s->n_evals, s->key0, s->key1}};
    const v3 g = random_normal(random_make(counter, n->seed0, n->seed1 + RANDOM_CHAIN));
    const real before = n->tau * s->v[1], after = n->keep * before + n->stir * g.x;
    s->v[1] = after / n->tau;
    s->x[1] -= R(0.5) * (after - before) * (after + before);
}

SHOAL_FN md_move md_decide(md_state *s, const md_sums *sum, const md_numbers *n)
{
    md_move m = {R(1.0), R(0.0), 0};
    const int finite = sum->f2 - sum->f2 == R(0.0) && sum->kinetic2 - sum->kinetic2 == R(0.0);
    const int slow = sum->v2 * n->dt * n->dt <= n->most * n->most;
    if (!finite || !slow) {
        s->outcome = finite ? STEP_UNSTABLE : STEP_NOT_FINITE;
        return m;
    }
    const real kt = md_kt(s);
    real kinetic2 = sum->kinetic2;
    if (n->thermostat == MD_NOSE_HOOVER && s->n_dof > R(0.0) && kt > R(0.0)) {
        if (s->started) m.scale = md_nose_hoover_half(s, kt, &kinetic2, n);
        md_stir_chain(s, n);
        m.scale *= md_nose_hoover_half(s, kt, &kinetic2, n);
    }
    if (n->thermostat == MD_LANGEVIN) m.noise = n->stir * real_sqrt(real_max(kt, R(0.0)));
    m.go = 1;
    s->started = 1;
    ++s->n_evals;
    return m;
}

/* Three normal numbers for an atom at a step, counted from 1, of the system with these keys. */
SHOAL_FN v3 md_noise(const md_numbers *n, int atom, int step, random_word key0, random_word key1)
{
    const random_words counter = {{(random_word)atom, (random_word)step, key0, key1}};
    return random_normal(random_make(counter, n->seed0, n->seed1 + RANDOM_LANGEVIN));
}

/* The same at the step that was just decided on. */
SHOAL_FN v3 md_normal(const md_state *s, const md_numbers *n, int atom)
{
    return md_noise(n, atom, s->n_evals, s->key0, s->key1);
}

/* x + low, a number in two parts of which the second is what rounding took from the first, moves by d. Float steps of
 * dynamics would otherwise lose the last digits of every move. */
SHOAL_FN void md_drift(real *x, real *low, real d)
{
    const real by = *low + d, to = *x + by, back = to - *x;
    *low = (*x - (to - back)) + (by - back);
    *x = to;
}

#endif
