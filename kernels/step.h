/* SPDX-License-Identifier: BSD-3-Clause
 * What all drivers of steps share: outcomes, limits, and the record of progress. Drivers are pure
 * decisions, (state, sums) -> (state, what to do), valid as C17 and OpenCL C 1.2: one copy serves every
 * schedule, which supplies the sums and moves the atoms. */
#ifndef SHOAL_KERNELS_STEP_H
#define SHOAL_KERNELS_STEP_H

#include "layout.h"
#include "real.h"

/* When a relaxation ends, and how far an atom may move in one step. */
typedef struct step_limits {
    real fmax2;    /* (eV/angstrom)^2: converged when no squared force is larger */
    real max_move; /* angstrom */
    int max_steps; /* evaluations */
} step_limits;

/* A system stalls when neither its energy nor its largest force went down in so many evaluations. */
#define STEP_PATIENCE 1000
/* .. and ends where its squared force is no larger than so many times the smallest one; after twice as many evaluations anywhere. */
#define STEP_NEARLY R(4.0)

/* What rounding may make of an energy, relative to the size of its terms. */
#define STEP_EPSILON (sizeof(real) == 4 ? R(2e-6) : R(2e-13))

/* The last progress that rounding does not hide. */
typedef struct step_progress {
    real lowest;   /* energy then, eV */
    real quietest; /* largest squared force then */
    int idle;      /* evaluations since */
} step_progress;

/* Before the first evaluation. */
#define STEP_NO_PROGRESS                                                                           \
    {                                                                                              \
        R(1e30), R(1e30), 0                                                                        \
    }

/* Notes n evaluations, the last of which gave these numbers; true if there was no progress for STEP_PATIENCE
 * of them. noise: of the energy. */
SHOAL_FN int step_is_stuck(step_progress *p, int n, real energy, real noise, real f2)
{
    const int better = energy < p->lowest - noise || f2 < R(0.8) * p->quietest;
    p->lowest = better ? real_min(energy, p->lowest) : p->lowest;
    p->quietest = better ? real_min(f2, p->quietest) : p->quietest;
    p->idle = better ? 0 : p->idle + n;
    const int patience = f2 <= STEP_NEARLY * p->quietest ? STEP_PATIENCE : 2 * STEP_PATIENCE;
    return p->idle > patience;
}

/* Drivers square forces. Atoms almost on top of each other push so hard that the squares overflow, so a
 * longer force is shortened to this, eV/angstrom; its direction stays, and NaN stays NaN. */
#define FORCE_MOST R(1e15)

SHOAL_FN v3 step_bounded(v3 f)
{
    const real largest = real_max(real_max(real_abs(f.x), real_abs(f.y)), real_abs(f.z));
    return largest > FORCE_MOST ? v3_scale(FORCE_MOST / largest, f) : f;
}

#endif
