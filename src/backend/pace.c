/* SPDX-License-Identifier: BSD-3-Clause
 * How fast a minimiser goes: what users may choose, and what it is if they do not. */
#include "backend/pace.h"

#include <string.h>

#define SHOAL_REAL double
#include "step_fire.h"

#define MAX_MOVE 0.2 /* angstrom */

backend_pace backend_pace_usual(void)
{
    return (backend_pace){.dt = FIRE_FIRST_DT,
                          .dt_max = FIRE_MOST_DT,
                          .alpha = FIRE_FIRST_MIXING,
                          .damping = FIRE_DAMPING,
                          .max_move = MAX_MOVE};
}

backend_pace backend_pace_of(const backend_driver *driver, int32_t i_system)
{
    backend_pace p = driver->paces ? driver->paces[i_system] : backend_pace_usual();
    if (driver->max_move > 0) p.max_move = driver->max_move;
    return p;
}

double backend_pace_least_dt(const backend_pace *pace)
{
    return pace->dt * (FIRE_LEAST_DT / FIRE_FIRST_DT);
}

void backend_pace_write(const backend_pace *pace, double *state)
{
    memset(state, 0, STEP_REALS * sizeof *state);
    state[FIRE_FIRST] = pace->dt;
    state[FIRE_MOST] = pace->dt_max;
    state[FIRE_LEAST] = backend_pace_least_dt(pace);
    state[FIRE_ALPHA] = pace->alpha;
    state[FIRE_SHRINK] = pace->damping;
    state[STEP_MAX_MOVE] = pace->max_move;
}
