/* SPDX-License-Identifier: BSD-3-Clause
 * The state of the driver of a large system between two calls of step, written or read. Lists are made again from
 * where they were made. */
#include <stdlib.h>

#include "backend/opencl/cl_state.h"
#include "backend/opencl/large/cl_large.h"

/* Room for neighbours does not change a bit, but k-vectors depend on the height that a slab reached. */
static shoal_status pass_room(state_pass *to, cl_large *large)
{
    cl_large_place *p = cl_large_at(large, 0);
    int32_t capacity = p->least_capacity;
    double height = large->origins ? p->kept_height : p->least_height;
    state_index(to, &capacity, 0, INT32_MAX / 2);
    STATE_VALUE(to, height);
    if (to->to || to->failed) return state_status(to);
    if (capacity == p->least_capacity && height == p->least_height) return SHOAL_OK;
    cl_large_want_room(large, p, capacity, height);
    return cl_large_rearrange(large);
}

static shoal_status pass_status(state_pass *to, cl_large *large)
{
    int32_t *s = large->status, *driver = s + LARGE_DRIVER;
    STATE_VALUE(to, s[LARGE_MOVED]);
    STATE_VALUE(to, s[LARGE_FRESH]);
    state_index(to, &driver[STEP_OUTCOME], STEP_GOING, STEP_STALLED);
    state_index(to, &driver[STEP_PLACE], 0, LBFGS_PAIRS - 1);
    STATE_VALUE(to, driver[STEP_EVALS]);
    STATE_VALUE(to, driver[STEP_STARTED]);
    STATE_VALUE(to, driver[STEP_IDLE]);
    STATE_VALUE(to, driver[STEP_QUIET]);
    if (to->to || to->failed) return state_status(to);
    SHOAL_TRY(cl_large_write_status(large));
    return cl_large_list_blocks(large);
}

/* Where lists were made; they are made again from there before the next step. */
static shoal_status pass_origins(state_pass *to, cl_large *large)
{
    const size_t size =
        (size_t)large->counts[CL_LARGE_origins] * 4 * cl_real_size(large->is_double);
    int32_t stepping = large->stepping;
    STATE_VALUE(to, stepping);
    if (!stepping || to->failed) return state_status(to);
    if (to->to && !large->origins)
        return cl_pass_buffer(to, &large->buffers[CL_LARGE_origins], size);
    if (!large->origins) large->origins = shoal_alloc(size, 1);
    if (!large->origins) return SHOAL_E_MEMORY;
    state_bytes(to, large->origins, size);
    large->stepping = true;
    cl_large_at(large, 0)->kept_height = cl_large_at(large, 0)->least_height;
    return state_status(to);
}

/* The longest move in a fresh direction, block by block: the next step finds its length from them. */
static shoal_status pass_lengths(state_pass *to, cl_large *large)
{
    const cl_large_place *p = cl_large_at(large, 0);
    const size_t row = 4 * cl_real_size(large->is_double);
    const size_t size = (size_t)large->counts[CL_LARGE_sums] * row;
    const int32_t n = cl_large_movers(cl_large_topology(large, p));
    const bool fresh = large->status[LARGE_FRESH] != 0;
    unsigned char *sums = shoal_alloc(size, 1);
    if (!sums) return SHOAL_E_MEMORY;
    shoal_status status = cl_buffer_read(&large->buffers[CL_LARGE_sums], 0, size, sums);
    for (int32_t b = 0; b * LARGE_GROUP < n && status == SHOAL_OK && fresh; ++b)
        state_bytes(
            to,
            sums + (size_t)(p->layout.sum + p->layout.bonded + LARGE_SUMS * b + LARGE_SUM_LENGTH) *
                       row,
            row);
    if (status == SHOAL_OK) status = state_status(to);
    if (status == SHOAL_OK && !to->to)
        status = cl_buffer_write(&large->buffers[CL_LARGE_sums], 0, size, sums);
    free(sums);
    return status;
}

shoal_status cl_large_pass(cl_large *large, state_pass *to)
{
    const size_t real = cl_real_size(large->is_double);
    if (large->method == LARGE_MD) return shoal_fail(SHOAL_E_UNSUPPORTED, "state: not of dynamics");
    if (large->n != 1) return shoal_fail(SHOAL_E_UNSUPPORTED, "state: of one system only");
    const int32_t n = cl_large_movers(cl_large_topology(large, cl_large_at(large, 0)));
    const size_t vector = 4 * (size_t)n * real;
    state_begin(to, "opencl large", 2, n);
    state_expect(to, (int32_t)real);
    state_expect(to, large->method);
    if (to->failed) return state_status(to);
    SHOAL_TRY(cl_large_read_status(large));
    SHOAL_TRY(pass_room(to, large));
    SHOAL_TRY(pass_status(to, large));
    SHOAL_TRY(cl_pass_buffer(to, &large->buffers[CL_LARGE_positions], vector));
    SHOAL_TRY(cl_pass_buffer(to, &large->buffers[CL_LARGE_moves], vector));
    SHOAL_TRY(cl_pass_buffer(to, &large->buffers[CL_LARGE_states], LARGE_STATE * real));
    SHOAL_TRY(pass_origins(to, large));
    if (large->method != LARGE_LBFGS) return state_status(to);
    SHOAL_TRY(cl_pass_buffer(to, &large->buffers[CL_LARGE_history], LBFGS_VECTORS * vector));
    return pass_lengths(to, large);
}
