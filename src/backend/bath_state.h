/* SPDX-License-Identifier: BSD-3-Clause
 * The state that dynamics of a system begins or goes on with, in the precision of whoever includes this behind
 * step_md.h. */
#ifndef SHOAL_BACKEND_BATH_STATE_H
#define SHOAL_BACKEND_BATH_STATE_H

#include "backend/backend.h"

/* Before the next step: velocities lag behind if there were steps before. */
static inline md_state md_state_of(const backend_bath *bath, const backend_result *r)
{
    const md_state s = {.kt = (real)bath->kt,
                        .kt_change = (real)bath->kt_change,
                        .n_dof = (real)bath->n_dof,
                        .x = {(real)r->thermostat[0], (real)r->thermostat[1]},
                        .v = {(real)r->thermostat[2], (real)r->thermostat[3]},
                        .n_evals = r->steps,
                        .first = r->steps,
                        .started = r->steps > 0,
                        .outcome = STEP_GOING,
                        .key0 = (random_word)bath->key,
                        .key1 = (random_word)(bath->key >> 32)};
    return s;
}

#endif
