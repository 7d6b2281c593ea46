/* SPDX-License-Identifier: BSD-3-Clause
 * Template of the CPU schedule, compiled once for every instruction set and precision with
 * SHOAL_REAL, SHOAL_LANES and SHOAL_KERNELS set on the command line. */
#include "backend/cpu/cpu_kernels.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

#include "real.h"

#include "backend/cpu/cpu_tables.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define LANE(name) JOIN(name, LANES)
#define PRAGMA(text) _Pragma(#text)

#define LANES 1
#define OVER_LANES
#include "backend/cpu/cpu_lanes.h"
#include "backend/cpu/cpu_relax.h"
#undef LANES
#undef OVER_LANES
#define LANES SHOAL_LANES
#define OVER_LANES PRAGMA(omp simd)
#include "backend/cpu/cpu_lanes.h"
#include "backend/cpu/cpu_relax.h"

static shoal_status eval(const void *t, const cpu_task *tasks, int32_t n)
{
    return n > 1 ? LANE(eval_tasks)(t, tasks, n) : eval_tasks_1(t, tasks, n);
}

static shoal_status relax(const void *t, const cpu_task *tasks, int32_t n, const cpu_relax *r,
                          int64_t *evaluations)
{
    const tables *own = t;
    const LANE(source) many = {.t = own};
    const source_1 one = {.t = own};
    return n > 1 ? LANE(relax_source)(&many, own->n_atoms, tasks, n, r, evaluations)
                 : relax_source_1(&one, own->n_atoms, tasks, n, r, evaluations);
}

#include "backend/cpu/cpu_large_system.h"

#include "backend/cpu/cpu_large_bonded.h"
#include "backend/cpu/cpu_large_pairs.h"
#include "backend/cpu/cpu_large_waves.h"

#include "backend/cpu/cpu_large_slab.h"

#include "backend/cpu/cpu_large_eval.h"

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
};
