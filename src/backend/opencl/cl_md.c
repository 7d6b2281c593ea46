/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics on an OpenCL device: numbers on their way between host and device. */
#include "backend/opencl/cl_md.h"

#include <math.h>
#include <string.h>

#include "cl/cl_real.h"
#include "ff/auxiliary.h"

#define SHOAL_REAL double
#include "constants.h"
#include "step_md.h"

#include "backend/bath_state.h"

/* The words of a key or a seed: the lower half first. */
static int32_t word_of(uint64_t key, int k)
{
    const uint32_t word = (uint32_t)(key >> 32 * k);
    int32_t out;
    memcpy(&out, &word, sizeof out);
    return out;
}

shoal_status cl_md_bind(cl_routine *r, int32_t *at, const backend_md *md)
{
    /* As the device rounds it: noise makes up for what is lost, and not more. */
    const double exact = exp(-md->friction * md->dt);
    const double keep = r->is_double ? exact : (double)(float)exact;
    SHOAL_TRY(cl_routine_real(r, (*at)++, "dt", md->dt));
    SHOAL_TRY(cl_routine_real(r, (*at)++, "keep", keep));
    SHOAL_TRY(cl_routine_real(r, (*at)++, "stir", sqrt((1 - keep) * (1 + keep))));
    SHOAL_TRY(cl_routine_real(r, (*at)++, "tau", md->tau));
    SHOAL_TRY(cl_routine_real(r, (*at)++, "most", md->most));
    SHOAL_TRY(cl_routine_int(r, (*at)++, "thermostat", md->thermostat));
    SHOAL_TRY(cl_routine_int(r, (*at)++, "seed0", word_of(md->seed, 0)));
    return cl_routine_int(r, (*at)++, "seed1", word_of(md->seed, 1));
}

void cl_md_state(bool is_double, const backend_result *r, const backend_bath *bath,
                 int32_t counters[STEP_INTS], void *to, size_t first)
{
    double numbers[STEP_REALS] = {0};
    const md_state s = md_state_of(bath, r);
    memset(counters, 0, STEP_INTS * sizeof *counters);
    md_write(counters, numbers, &s);
    for (size_t m = 0; m < STEP_REALS; ++m) cl_real_set(is_double, to, first + m, numbers[m]);
}

void cl_md_velocities(bool is_double, void *to, size_t first, const backend_system *s,
                      const backend_result *r, const backend_bath *bath)
{
    for (int32_t i = 0; i < mover_count(&s->view); ++i) {
        const bool rests = (s->fixed && s->fixed[i]) || !(bath->masses[i] > 0);
        const size_t at = 4 * (first + (size_t)i);
        for (size_t c = 0; c < 3; ++c)
            cl_real_set(is_double, to, at + c, rests ? 0 : r->velocities[i][c]);
        cl_real_set(is_double, to, at + 3, rests ? 0 : ACCELERATION / bath->masses[i]);
    }
}

void cl_md_stars(bool is_double, const backend_bath *bath, size_t first, int32_t n_movers,
                 int32_t (*atoms)[4], void *lengths)
{
    int32_t(*own)[4] = atoms + first;
    for (int32_t i = 0; i < n_movers; ++i)
        for (size_t k = 0; k < 4; ++k) {
            own[i][k] = RIGID_NONE;
            cl_real_set(is_double, lengths, 4 * (first + (size_t)i) + k, 0);
        }
    for (int32_t m = 0; m < bath->n_stars; ++m) {
        const backend_star *star = &bath->stars[m];
        const size_t at = 4 * (first + (size_t)star->atoms[0]);
        for (int32_t k = 0; k < star->n; ++k) {
            own[star->atoms[0]][k] = star->atoms[k + 1];
            own[star->atoms[k + 1]][0] = RIGID_HELD;
            cl_real_set(is_double, lengths, at + (size_t)k, star->lengths[k] * star->lengths[k]);
        }
    }
}

void cl_md_take(bool is_double, const void *velocities, size_t first, int32_t n_movers,
                const void *states, size_t k, size_t row, backend_result *r)
{
    for (int32_t i = 0; i < n_movers; ++i)
        for (size_t c = 0; c < 3; ++c)
            r->velocities[i][c] = cl_real_get(is_double, velocities, 4 * (first + (size_t)i) + c);
    for (size_t m = 0; m < 4; ++m)
        r->thermostat[m] = cl_real_get(is_double, states, k * row + MD_THERMOSTAT + m);
}
