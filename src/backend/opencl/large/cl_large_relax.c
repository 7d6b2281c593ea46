/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxation of large and periodic systems. Steps are enqueued many at a time; a system that needs a
 * new neighbour list raises a flag and waits for the next turn that makes lists, so that what it does
 * never depends on its neighbours. */
#include <math.h>
#include <stdio.h>

#include "backend/opencl/large/cl_large.h"

#define STEPS_PER_LIST 8 /* between two turns that make lists */
#define LISTS_PER_LOOK 6 /* between two looks of the host */

static shoal_status enqueue_step(cl_large *large)
{
    const bool fire = large->method == LARGE_FIRE;
    const int first = fire ? CL_LARGE_K_fire : CL_LARGE_K_lbfgs;
    const int last = fire ? CL_LARGE_K_fire_move : CL_LARGE_K_lbfgs_move;
    SHOAL_TRY(cl_large_forces(large));
    for (int k = first; k <= last; ++k)
        SHOAL_TRY(k == CL_LARGE_K_soften ? cl_large_soften(large) : cl_large_launch(large, k));
    return SHOAL_OK;
}

/* Steps up to the next look of the host. */
static shoal_status enqueue_round(cl_large *large)
{
    for (int turn = 0; turn < LISTS_PER_LOOK; ++turn) {
        if (large->list_n[CL_LARGE_LISTED] > 0) {
            SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_cells));
            SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_list));
            SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_ready));
        }
        for (int step = 0; step < STEPS_PER_LIST; ++step) SHOAL_TRY(enqueue_step(large));
    }
    return SHOAL_OK;
}

/* Energies before the relaxation, and forces for its first step. */
static shoal_status note_energies(cl_large *large, backend_result *results)
{
    void *terms;
    SHOAL_TRY(cl_large_settings(large, LARGE_EVAL, NULL));
    SHOAL_TRY(cl_large_make_lists(large));
    SHOAL_TRY(cl_large_forces(large));
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_terms));
    SHOAL_TRY(cl_large_read(large, CL_LARGE_terms, &terms));
    for (int32_t k = 0; k < large->n; ++k) {
        backend_result *r = &results[cl_large_at(large, k)->system];
        r->energy0 = 0;
        for (size_t t = 0; t < SHOAL_N_TERMS; ++t) {
            r->terms0[t] = cl_real_get(large->is_double, terms, (size_t)k * LAYOUT_TERMS + t);
            r->energy0 += r->terms0[t];
        }
    }
    return SHOAL_OK;
}

static shoal_status start_slice(cl_large *large)
{
    const float zero[4] = {0, 0, 0, 0};
    void *states;
    SHOAL_TRY(cl_large_read(large, CL_LARGE_states, &states));
    for (int32_t k = 0; k < large->n; ++k) {
        const size_t at = (size_t)k * LARGE_STATE;
        for (size_t c = 0; c < LARGE_STATE; ++c) cl_real_set(large->is_double, states, at + c, 0);
        const bool fire = large->method == LARGE_FIRE;
        cl_real_set(large->is_double, states, at + STATE_DT, fire ? 0.02 : 0);
        cl_real_set(large->is_double, states, at + STATE_MIXING, fire ? 0.1 : LBFGS_START);
    }
    SHOAL_TRY(cl_buffer_write(&large->buffers[CL_LARGE_states], 0,
                              (size_t)large->n * LARGE_STATE * cl_real_size(large->is_double),
                              states));
    SHOAL_TRY(cl_buffer_fill(&large->buffers[CL_LARGE_moves], zero, sizeof zero));
    if (large->method == LARGE_FIRE) return SHOAL_OK;
    SHOAL_TRY(cl_buffer_fill(&large->buffers[CL_LARGE_history], zero, sizeof zero));
    return cl_large_launch(large, CL_LARGE_K_start);
}

static void count_progress(const cl_large *large, const void *states, shoal_progress *progress)
{
    for (int32_t k = 0; k < large->n; ++k) {
        const int outcome = large->status[LARGE_STATUS * k + LARGE_OUTCOME];
        progress->n_evaluations +=
            (int64_t)cl_real_get(large->is_double, states, (size_t)k * LARGE_STATE + STATE_EVALS);
        progress->n_done += outcome != RELAX_GOING;
        progress->n_failed += outcome != RELAX_GOING && outcome != RELAX_CONVERGED;
    }
}

/* Looks at the slice: how many are going on, and whether some need more room. */
static shoal_status look(cl_large *large, int32_t *n_going, bool *changed)
{
    const int32_t before = *n_going;
    bool enlarge = false;
    SHOAL_TRY(cl_large_read_status(large));
    *n_going = 0;
    for (int32_t k = 0; k < large->n; ++k) {
        const int32_t *s = large->status + LARGE_STATUS * k;
        *n_going += s[LARGE_OUTCOME] == RELAX_GOING;
        enlarge |= s[LARGE_OUTCOME] == RELAX_GOING &&
                   (s[LARGE_FLAGS] & (LARGE_OVERFLOW | LARGE_TOO_TALL)) != 0;
    }
    *changed = enlarge || *n_going != before;
    if (enlarge) SHOAL_TRY(cl_large_enlarge(large));
    return *changed ? cl_large_list_blocks(large) : SHOAL_OK;
}

/* Rounds until every system of the slice has an outcome or the monitor has enough. */
static shoal_status run_rounds(cl_large *large, const backend_relax *relax,
                               shoal_progress *progress, bool *stop)
{
    const shoal_progress before = *progress;
    void *states;
    bool changed;
    for (int32_t n_going = large->n; n_going > 0 && !*stop;) {
        SHOAL_TRY(enqueue_round(large));
        SHOAL_TRY(look(large, &n_going, &changed));
        SHOAL_TRY(cl_large_read(large, CL_LARGE_states, &states));
        *progress = before;
        count_progress(large, states, progress);
        if (relax->monitor) *stop = !relax->monitor(relax->user, progress);
    }
    return SHOAL_OK;
}

shoal_system_status cl_large_status_of(int outcome)
{
    switch (outcome) {
    case RELAX_CONVERGED: return SHOAL_SYSTEM_CONVERGED;
    case RELAX_NOT_FINITE: return SHOAL_SYSTEM_NOT_FINITE;
    case RELAX_STALLED: return SHOAL_SYSTEM_STALLED;
    default: return SHOAL_SYSTEM_MAX_STEPS;
    }
}

/* Energies by term and forces at the end, from the last step that was taken. */
static shoal_status finish_slice(cl_large *large, backend_result *results)
{
    void *states;
    SHOAL_TRY(cl_large_read(large, CL_LARGE_states, &states));
    int32_t *outcomes = arena_alloc(&large->memory, (size_t)large->n, sizeof *outcomes);
    if (!outcomes) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < large->n; ++k) {
        outcomes[k] = large->status[LARGE_STATUS * k + LARGE_OUTCOME];
        large->status[LARGE_STATUS * k + LARGE_OUTCOME] = RELAX_GOING;
        large->status[LARGE_STATUS * k + LARGE_FLAGS] = LARGE_STALE;
    }
    SHOAL_TRY(cl_large_write_status(large));
    SHOAL_TRY(cl_large_list_blocks(large));
    if (large->method == LARGE_LBFGS) SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_accept));
    SHOAL_TRY(cl_large_settings(large, LARGE_EVAL, NULL));
    SHOAL_TRY(cl_large_make_lists(large));
    SHOAL_TRY(cl_large_forces(large));
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_terms));
    SHOAL_TRY(cl_large_download(large, results, true));
    for (int32_t k = 0; k < large->n; ++k) {
        const int32_t i = cl_large_at(large, k)->system;
        backend_result *r = &results[i];
        r->steps =
            (int32_t)cl_real_get(large->is_double, states, (size_t)k * LARGE_STATE + STATE_EVALS);
        r->status = cl_large_status_of(outcomes[k]);
        if (r->status == SHOAL_SYSTEM_STALLED)
            (void)snprintf(r->reason, sizeof r->reason, "no step lowers the energy any more");
        if (r->status == SHOAL_SYSTEM_NOT_FINITE || !isfinite(r->energy) || !isfinite(r->fmax))
            shoal_backend_not_finite(r, large->input->systems[i].view.n_atoms);
    }
    return SHOAL_OK;
}

shoal_status cl_large_relax(cl_large *large, const backend_relax *relax, shoal_progress *progress,
                            bool *stop, backend_result *results)
{
    const int method = relax->options.method == SHOAL_METHOD_FIRE ? LARGE_FIRE : LARGE_LBFGS;
    SHOAL_TRY(cl_large_begin(large, method, results));
    progress->n_done += large->n_places - large->n_order;
    progress->n_failed += large->n_places - large->n_order;
    for (;;) {
        SHOAL_TRY(cl_large_next_slice(large, results));
        if (large->n == 0) return SHOAL_OK;
        SHOAL_TRY(note_energies(large, results));
        SHOAL_TRY(start_slice(large));
        SHOAL_TRY(cl_large_settings(large, method, &relax->options));
        SHOAL_TRY(run_rounds(large, relax, progress, stop));
        SHOAL_TRY(finish_slice(large, results));
    }
}
