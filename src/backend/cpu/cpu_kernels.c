/* SPDX-License-Identifier: BSD-3-Clause
 * Template of the CPU schedule, compiled once for every instruction set and precision with
 * SHOAL_REAL, SHOAL_LANES and SHOAL_KERNELS set on the command line. */
#include "backend/cpu/cpu_kernels.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

#include "real.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define LANE(name) JOIN(name, LANES)
#define PRAGMA(text) _Pragma(#text)

/* L-BFGS: scale of the inverse Hessian before anything is known of it (cautious: atoms may be too
 * close), and the step per force where it fails, angstrom^2/eV. */
#define START_SCALE R(0.5)
#define PLAIN_STEP R(0.02)

#include "backend/cpu/small/cpu_pairs.h"
#include "backend/cpu/small/cpu_tables.h"

#define LANES 1
#define OVER_LANES
#include "backend/cpu/small/cpu_lanes.h"

#include "backend/cpu/cpu_relax.h"
#undef LANES
#undef OVER_LANES
#define LANES SHOAL_LANES
#define OVER_LANES PRAGMA(omp simd)
#include "backend/cpu/small/cpu_lanes.h"

#include "backend/cpu/cpu_relax.h"

static shoal_status eval(const void *p, const cpu_task *tasks, int32_t n)
{
    const tables *t = p;
    return t->single ? eval_tasks_1(t, tasks, n) : LANE(eval_tasks)(t, tasks, n);
}

static shoal_status relax(const void *p, const cpu_task *tasks, int32_t n, const cpu_relax *r,
                          int64_t *evaluations)
{
    const tables *t = p;
    const LANE(source) many = {.t = t, .soft = &t->soft};
    const source_1 one = {.t = t, .soft = &t->soft};
    return t->single ? relax_source_1(&one, t->n_atoms, tasks, n, r, evaluations)
                     : LANE(relax_source)(&many, t->n_atoms, tasks, n, r, evaluations);
}

#include "backend/cpu/large/cpu_large_system.h"

#include "backend/cpu/large/cpu_large_bonded.h"
#include "backend/cpu/large/cpu_large_pairs.h"

#include "backend/cpu/large/cpu_large_kvecs.h"

#include "backend/cpu/large/cpu_large_slab.h"

#include "backend/cpu/large/cpu_large_surface.h"

#include "backend/cpu/large/cpu_large_eval.h"

#include "backend/cpu/cpu_interaction.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const cpu_kernels SHOAL_KERNELS = {
    .name = TEXT(SHOAL_KERNELS),
    .lanes = SHOAL_LANES,
    .tables_create = tables_create,
    .tables_destroy = tables_destroy,
    .eval = eval,
    .relax = relax,
    .eval_large = large_eval,
    .relax_large = large_relax,
    .interaction = interaction,
    .surface = surface_energies,
};
