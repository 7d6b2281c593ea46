/* SPDX-License-Identifier: BSD-3-Clause
 * Template of the CPU schedule, compiled once for every instruction set and precision with
 * SHOAL_REAL, SHOAL_LANES and SHOAL_KERNELS set on the command line. */
#include "backend/cpu/cpu_kernels.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/cpu_model.h"
#include "backend/cpu/small/cpu_shape.h"
#include "backend/pace.h"
#include "base/arena.h"
#include "base/error.h"

#include "real.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define LANE(name) JOIN(name, LANES)
#define PRAGMA(text) _Pragma(#text)

#include "backend/cpu/small/cpu_vectors.h"

/* Whether a flag is set: in a number, in the lanes of a vector. */
typedef int flag;
typedef vec_mask flag_vec;

/* n zeroed objects of a size, aligned for vectors. */
static void *allot(arena *memory, size_t n, size_t size)
{
    unsigned char *p = arena_alloc(memory, n * size + 64, 1);
    return p ? p + (64 - (uintptr_t)p % 64) % 64 : NULL;
}

#include "backend/cpu/small/cpu_pairs.h"
#include "backend/cpu/small/cpu_quads.h"

#include "backend/cpu/small/cpu_tables.h"

#include "backend/cpu/small/cpu_mixed_tables.h"

#include "constants.h"
#include "step_body.h"
#include "step_direction.h"
#include "step_fire.h"
#include "step_lbfgs.h"
#include "step_md.h"

#include "backend/bath_state.h"
#include "backend/cpu/cpu_saved.h"

/* A register of the instruction set. */
#if defined(__AVX512F__)
#define ROW_BYTES 64
#elif defined(__AVX2__)
#define ROW_BYTES 32
#else
#define ROW_BYTES 16
#endif

#include "backend/cpu/cpu_random.h"

#define LANES 1
#define OVER_LANES
#include "backend/cpu/small/cpu_lanes.h"

#include "backend/cpu/cpu_single.h"

#include "backend/cpu/cpu_step.h"

#include "backend/cpu/cpu_kept.h"
#undef LANES
#undef OVER_LANES
#define LANES SHOAL_LANES
#define OVER_LANES PRAGMA(omp simd)
#include "backend/cpu/small/cpu_lanes.h"

#include "backend/cpu/small/cpu_mixed.h"

#include "backend/cpu/cpu_single.h"

#include "backend/cpu/cpu_step.h"

#include "backend/cpu/cpu_kept.h"

static shoal_status eval(const void *p, const cpu_task *tasks, int32_t n)
{
    const tables *t = p;
    return t->one_system ? eval_tasks_1(t, tasks, n) : LANE(eval_tasks)(t, tasks, n);
}

/* States go back to where many steps begin. */
static shoal_status leave_lanes(cpu_kept **kept)
{
    if (!*kept) return SHOAL_OK;
    const shoal_status status = (*kept)->save(*kept);
    (*kept)->destroy(*kept);
    *kept = NULL;
    return status;
}

static shoal_status step(const void *p, const cpu_task *tasks, int32_t n, const cpu_steps *steps,
                         cpu_kept **kept)
{
    const tables *t = p;
    const LANE(source) many = {.t = t, .precond = &t->precond};
    const source_1 one = {.t = t, .precond = &t->precond};
    const lane_rows rows = {t->n_points, t->n_directions};
    if (steps->n_steps <= CPU_KEPT_STEPS)
        return t->one_system ? step_kept_1(kept, &one, rows, tasks, n, steps)
                             : LANE(step_kept)(kept, &many, rows, tasks, n, steps);
    SHOAL_TRY(leave_lanes(kept));
    return t->one_system ? step_source_1(&one, rows, tasks, n, steps)
                         : LANE(step_source)(&many, rows, tasks, n, steps);
}

static shoal_status step_mixed(const cpu_task *tasks, int32_t n, const cpu_steps *steps,
                               cpu_kept **kept)
{
    arena memory = {0};
    const LANE(source) source = {.mixed = allot(&memory, 1, sizeof(mixed_block))};
    const lane_rows rows = mixed_rows(tasks, n);
    shoal_status status = SHOAL_E_MEMORY;
    if (source.mixed && steps->n_steps <= CPU_KEPT_STEPS) {
        status = LANE(step_kept)(kept, &source, rows, tasks, n, steps);
    } else if (source.mixed && mixed_create(source.mixed, tasks, n, &memory)) {
        status = leave_lanes(kept);
        if (status == SHOAL_OK) status = LANE(step_source)(&source, rows, tasks, n, steps);
    }
    arena_free(&memory);
    return status;
}

#include "backend/cpu/large/cpu_large_system.h"

#include "backend/cpu/large/cpu_large_bonded.h"
#include "backend/cpu/large/cpu_large_frames.h"
#include "backend/cpu/large/cpu_large_pairs.h"

#include "backend/cpu/large/cpu_large_kvecs.h"

#include "backend/cpu/large/cpu_large_mesh.h"

#include "backend/cpu/large/cpu_large_slab.h"

#include "backend/cpu/large/cpu_large_chain.h"

#include "backend/cpu/large/cpu_large_surface.h"

#include "backend/cpu/large/cpu_large_strain.h"

#include "backend/cpu/large/cpu_large_eval.h"

#include "backend/cpu/cpu_interaction.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const cpu_kernels SHOAL_KERNELS = {
    .name = TEXT(SHOAL_KERNELS),
    .lanes = SHOAL_LANES,
    .tables_create = tables_create,
    .tables_destroy = tables_destroy,
    .tables_precondition = tables_precondition,
    .eval = eval,
    .step = step,
    .step_mixed = step_mixed,
    .eval_large = large_eval,
    .step_large = large_step,
    .saved_destroy = saved_destroy,
    .pass_state = pass_state,
    .interaction = interaction,
    .surface = surface_energies,
};
