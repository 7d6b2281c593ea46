/* SPDX-License-Identifier: BSD-3-Clause
 * The state of the driver of the large systems of a slice between two calls of step, written or read. Lists are made again from
 * where they were made. */
#include <stdlib.h>

#include "backend/opencl/cl_state.h"
#include "backend/opencl/large/cl_large.h"

/* Room for neighbours does not change a bit, but k-vectors depend on the height that a slab reached. */
static shoal_status pass_room(state_pass *to, cl_large *large)
{
    bool other = false;
    for (int32_t k = 0; k < large->n; ++k) {
        cl_large_place *p = cl_large_at(large, k);
        int32_t capacity = p->least_capacity;
        double height = large->origins ? p->kept_height : p->least_height;
        state_index(to, &capacity, 0, INT32_MAX / 2);
        STATE_VALUE(to, height);
        if (to->to || to->failed) continue;
        if (capacity == p->least_capacity && height == p->least_height) continue;
        cl_large_want_room(large, p, capacity, height);
        other = true;
    }
    return other ? cl_large_rearrange(large) : state_status(to);
}

static void pass_driver(state_pass *to, const cl_large *large, int32_t *s)
{
    int32_t *driver = s + LARGE_DRIVER;
    STATE_VALUE(to, s[LARGE_MOVED]);
    STATE_VALUE(to, s[LARGE_FRESH]);
    state_index(to, &driver[STEP_OUTCOME], STEP_GOING, STEP_UNSTABLE);
    if (large->method == LARGE_MD)
        state_bytes(to, &driver[MD_FIRST], (STEP_INTS - MD_FIRST) * sizeof *driver);
    else
        state_index(to, &driver[STEP_PLACE], 0, LBFGS_PAIRS - 1);
    STATE_VALUE(to, driver[STEP_EVALS]);
    STATE_VALUE(to, driver[STEP_STARTED]);
    STATE_VALUE(to, driver[STEP_IDLE]);
    STATE_VALUE(to, driver[STEP_QUIET]);
}

static shoal_status pass_status(state_pass *to, cl_large *large)
{
    for (int32_t k = 0; k < large->n; ++k)
        pass_driver(to, large, large->status + (size_t)LARGE_STATUS * (size_t)k);
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
    for (int32_t k = 0; k < large->n; ++k)
        cl_large_at(large, k)->kept_height = cl_large_at(large, k)->least_height;
    return state_status(to);
}

/* The longest move in a fresh direction, block by block: the next step finds its length from them. */
static shoal_status pass_lengths(state_pass *to, cl_large *large)
{
    const size_t row = 4 * cl_real_size(large->is_double);
    const size_t size = (size_t)large->counts[CL_LARGE_sums] * row;
    unsigned char *sums = shoal_alloc(size, 1);
    if (!sums) return SHOAL_E_MEMORY;
    shoal_status status = cl_buffer_read(&large->buffers[CL_LARGE_sums], 0, size, sums);
    for (int32_t k = 0; k < large->n && status == SHOAL_OK; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const int32_t n = cl_large_movers(cl_large_topology(large, p));
        const bool fresh = large->status[LARGE_STATUS * k + LARGE_FRESH] != 0;
        const int32_t first = p->layout.sum + p->layout.bonded + LARGE_SUM_LENGTH;
        for (int32_t b = 0; b * LARGE_GROUP < n && fresh; ++b)
            state_bytes(to, sums + (size_t)(first + LARGE_SUMS * b) * row, row);
    }
    if (status == SHOAL_OK) status = state_status(to);
    if (status == SHOAL_OK && !to->to)
        status = cl_buffer_write(&large->buffers[CL_LARGE_sums], 0, size, sums);
    free(sums);
    return status;
}

/* Vectors of all systems: rows of sites, which follow from the others, lie between them. */
static shoal_status pass_vectors(state_pass *to, cl_large *large, int buffer, size_t n_vectors)
{
    const size_t row = 4 * n_vectors * cl_real_size(large->is_double);
    for (int32_t k = 0; k < large->n; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const size_t n = (size_t)cl_large_movers(cl_large_topology(large, p));
        const size_t all = buffer == CL_LARGE_history ? LARGE_VECTORS : 1;
        SHOAL_TRY(cl_pass_part(to, &large->buffers[buffer],
                               all * (size_t)p->layout.atom * row / n_vectors, n * row));
    }
    return SHOAL_OK;
}

shoal_status cl_large_pass(cl_large *large, state_pass *to)
{
    const size_t real = cl_real_size(large->is_double);
    int32_t n = 0;
    for (int32_t k = 0; k < large->n; ++k)
        n += cl_large_movers(cl_large_topology(large, cl_large_at(large, k)));
    state_begin(to, "opencl large", 2, n);
    state_expect(to, (int32_t)real);
    state_expect(to, large->method);
    if (to->failed) return state_status(to);
    SHOAL_TRY(cl_large_read_status(large));
    SHOAL_TRY(pass_room(to, large));
    SHOAL_TRY(pass_status(to, large));
    SHOAL_TRY(pass_vectors(to, large, CL_LARGE_positions, 1));
    SHOAL_TRY(pass_vectors(to, large, CL_LARGE_moves, 1));
    SHOAL_TRY(cl_pass_buffer(to, &large->buffers[CL_LARGE_states],
                             (size_t)large->n * LARGE_STATE * real));
    if (large->method == LARGE_MD) SHOAL_TRY(pass_vectors(to, large, CL_LARGE_lows, 1));
    SHOAL_TRY(pass_origins(to, large));
    if (large->method != LARGE_LBFGS) return state_status(to);
    SHOAL_TRY(pass_vectors(to, large, CL_LARGE_history, LBFGS_VECTORS));
    return pass_lengths(to, large);
}
