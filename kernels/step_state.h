/* SPDX-License-Identifier: BSD-3-Clause
 * States of drivers in the memory of a device: STEP_INTS integers and STEP_REALS reals of every system
 * (layout.h). A state whose integers say that it has not started begins afresh, with the numbers that the host chose:
 * these, and how far a step may go, are only read. That of dynamics is in step_md.h. */
#ifndef SHOAL_KERNELS_STEP_STATE_H
#define SHOAL_KERNELS_STEP_STATE_H

#include "step_fire.h"
#include "step_lbfgs.h"

SHOAL_FN fire_state fire_load(global const int *n, global const real *x)
{
    const fire_numbers own = {x[FIRE_FIRST], x[FIRE_MOST], x[FIRE_LEAST], x[FIRE_ALPHA],
                              x[FIRE_SHRINK]};
    if (n[STEP_STARTED] == 0) {
        fire_state first = fire_begin(n[STEP_EVALS], own);
        first.outcome = n[STEP_OUTCOME];
        return first;
    }
    const fire_state s = {.own = own,
                          .dt = x[FIRE_DT],
                          .mixing = x[FIRE_MIXING],
                          .speed = x[FIRE_SPEED],
                          .move = x[FIRE_MOVE],
                          .work = x[FIRE_WORK],
                          .progress = {x[STEP_LOWEST], x[STEP_QUIETEST], n[STEP_IDLE]},
                          .n_evals = n[STEP_EVALS],
                          .started = n[STEP_STARTED],
                          .quiet = n[STEP_QUIET],
                          .outcome = n[STEP_OUTCOME]};
    return s;
}

SHOAL_FN void step_save_progress(global int *n, global real *x, const step_progress *p)
{
    n[STEP_IDLE] = p->idle;
    x[STEP_LOWEST] = p->lowest;
    x[STEP_QUIETEST] = p->quietest;
}

SHOAL_FN void fire_save(global int *n, global real *x, const fire_state *s)
{
    x[FIRE_DT] = s->dt;
    x[FIRE_MIXING] = s->mixing;
    x[FIRE_SPEED] = s->speed;
    x[FIRE_MOVE] = s->move;
    x[FIRE_WORK] = s->work;
    step_save_progress(n, x, &s->progress);
    n[STEP_EVALS] = s->n_evals;
    n[STEP_STARTED] = s->started;
    n[STEP_QUIET] = s->quiet;
    n[STEP_OUTCOME] = s->outcome;
}

SHOAL_FN lbfgs_state lbfgs_load(global const int *n, global const real *x)
{
    if (n[STEP_STARTED] == 0) {
        lbfgs_state first = lbfgs_begin(n[STEP_EVALS]);
        first.outcome = n[STEP_OUTCOME];
        return first;
    }
    const lbfgs_state s = {.length = x[LBFGS_LENGTH],
                           .energy = x[LBFGS_ENERGY],
                           .f2 = x[STEP_F2],
                           .slope = x[LBFGS_SLOPE],
                           .gamma = x[LBFGS_GAMMA],
                           .rho = vload4(0, x + LBFGS_RHO),
                           .progress = {x[STEP_LOWEST], x[STEP_QUIETEST], n[STEP_IDLE]},
                           .n_evals = n[STEP_EVALS],
                           .started = n[STEP_STARTED],
                           .place = n[STEP_PLACE],
                           .backtracks = n[STEP_QUIET],
                           .outcome = n[STEP_OUTCOME]};
    return s;
}

SHOAL_FN void lbfgs_save(global int *n, global real *x, const lbfgs_state *s)
{
    x[LBFGS_LENGTH] = s->length;
    x[LBFGS_ENERGY] = s->energy;
    x[STEP_F2] = s->f2;
    x[LBFGS_SLOPE] = s->slope;
    x[LBFGS_GAMMA] = s->gamma;
    vstore4(s->rho, 0, x + LBFGS_RHO);
    step_save_progress(n, x, &s->progress);
    n[STEP_EVALS] = s->n_evals;
    n[STEP_STARTED] = s->started;
    n[STEP_PLACE] = s->place;
    n[STEP_QUIET] = s->backtracks;
    n[STEP_OUTCOME] = s->outcome;
}

#endif
