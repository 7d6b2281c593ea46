/* SPDX-License-Identifier: BSD-3-Clause
 * Dynamics on an OpenCL device: what small and large systems are told, and what is read of them, is the same. */
#ifndef SHOAL_BACKEND_CL_MD_H
#define SHOAL_BACKEND_CL_MD_H

#include "backend/backend.h"
#include "cl/cl_routine.h"
#include "layout.h"

/* Sets the arguments MD_ARGUMENTS of kernels/md_atoms.h from *at on, and moves it behind them. */
shoal_status cl_md_bind(cl_routine *r, int32_t *at, const backend_md *md);

/* The state of a system in dynamics, which goes on from r->steps: its integers, and its reals from number `first` of an
 * array on. */
void cl_md_state(bool is_double, const backend_result *r, const backend_bath *bath,
                 int32_t counters[STEP_INTS], void *to, size_t first);

/* Velocities of a system, directions last, with the inverse masses, four reals each, from atom `first` of an array
 * on. Fixed atoms rest, and so do those without a mass. */
void cl_md_velocities(bool is_double, void *to, size_t first, const backend_system *s,
                      const backend_result *r, const backend_bath *bath);

/* Rigid bonds of a system: numbers of its movers, those of kernels/md_atoms.h, from mover `first` of arrays on. */
void cl_md_stars(bool is_double, const backend_bath *bath, size_t first, int32_t n_movers,
                 int32_t (*atoms)[4], void *lengths);

/* Whether a system has made a step since then: if not, the host's coordinates are the better ones. */
static inline bool cl_md_has_moved(const int32_t counters[STEP_INTS])
{
    return counters[STEP_EVALS] != counters[MD_FIRST];
}

/* What a device took of the number x when it rounded it: the second part of a coordinate. */
static inline double cl_md_low(bool is_double, double x)
{
    return is_double ? 0 : x - (double)(float)x;
}

/* Velocities and the state of the thermostat, from what was read of the device. */
void cl_md_take(bool is_double, const void *velocities, size_t first, int32_t n_movers,
                const void *states, size_t k, size_t row, backend_result *r);

#endif
