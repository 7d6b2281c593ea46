/* SPDX-License-Identifier: BSD-3-Clause
 * Relaxations on the CPU: in the fast precision as far as that goes, then in the exact one; energies
 * before and after are those of single points. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/cpu/cpu_plan.h"
#include "base/error.h"

/* Float forces are worth something down to here, eV/angstrom; below, doubles go on if they may. */
#define FLOAT_FMAX 5e-4

typedef struct relax_run {
    cpu_plan *plan;
    const backend_relax *relax;
    cpu_relax kernel;
    shoal_progress progress; /* under the lock */
    bool stop;
} relax_run;

/* An item in hand. */
typedef struct relax_work {
    relax_run *run;
    const cpu_item *it;
    const cpu_group *group;
    thread_pool *pool;
    int64_t evaluations;
} relax_work;

/* Energies and forces of n tasks of a group at their present coordinates in the precision of single
 * points; the outcome of the relaxation stays. */
static shoal_status refine(const relax_work *w, const cpu_task *tasks, int32_t n, bool before)
{
    shoal_system_status status[CPU_ITEM_MOST];
    for (int32_t i = 0; i < n; ++i) status[i] = tasks[i].result->status;
    SHOAL_TRY(cpu_plan_eval_tasks(w->run->plan, w->group, tasks, n, w->pool));
    for (int32_t i = 0; i < n; ++i) {
        backend_result *r = tasks[i].result;
        if (before) {
            r->energy0 = r->energy;
            memcpy(r->terms0, r->terms, sizeof r->terms0);
        } else if (r->status == SHOAL_SYSTEM_OK) {
            r->status = status[i];
        } else {
            cpu_task_explain(&tasks[i]);
        }
    }
    return SHOAL_OK;
}

/* Shows the caller how far all is, and notes if that is enough. Called by one thread at a time, and tells
 * from the calling thread only. */
static void tell(relax_run *run, const shoal_progress *progress)
{
#ifdef _OPENMP
    const bool master = omp_get_thread_num() == 0;
#else
    const bool master = true;
#endif
    if (run->relax->monitor && master && !run->stop)
        __atomic_store_n(&run->stop, !run->relax->monitor(run->relax->user, progress),
                         __ATOMIC_RELAXED);
}

/* A relaxation of a large system may take long: it asks after every step whether to go on. */
static bool poll_large(void *user, int64_t evaluations)
{
    relax_run *run = user;
#ifdef _OPENMP
#pragma omp critical(shoal_cpu_progress)
#endif
    {
        shoal_progress progress = run->progress;
        progress.n_evaluations += evaluations;
        tell(run, &progress);
    }
    return !__atomic_load_n(&run->stop, __ATOMIC_RELAXED);
}

static void report(relax_run *run, const cpu_item *it, int64_t evaluations)
{
    shoal_progress *p = &run->progress;
    p->n_evaluations += evaluations;
    p->n_done += it->n;
    for (int32_t i = 0; i < it->n; ++i)
        p->n_failed += run->plan->tasks[it->first + i].result->status != SHOAL_SYSTEM_CONVERGED;
}

/* A system that was never begun because the run was stopped. */
static void leave_item(const relax_run *run, const cpu_item *it)
{
    for (int32_t i = 0; i < it->n; ++i) {
        backend_result *r = run->plan->tasks[it->first + i].result;
        r->status = SHOAL_SYSTEM_MAX_STEPS;
        r->steps = 0;
    }
}

/* True for a system that another relaxation in the precision of single points may help: the limit
 * was met in one precision but not in the other, or the first one could not go on. */
static bool is_unfinished(const relax_run *run, const backend_result *r)
{
    if (r->steps >= run->kernel.max_steps) return false;
    if (r->status == SHOAL_SYSTEM_CONVERGED) return !(r->fmax <= run->kernel.fmax);
    return run->plan->fast != run->plan->exact &&
           (r->status == SHOAL_SYSTEM_STALLED || r->status == SHOAL_SYSTEM_NOT_FINITE) &&
           isfinite(r->energy);
}

/* Relaxes n tasks of the item in hand. */
static shoal_status relax_tasks(relax_work *w, const cpu_kernels *kernels, const void *tables,
                                const cpu_task *tasks, int32_t n, const cpu_relax *relax)
{
    if (!w->group->large) return kernels->relax(tables, tasks, n, relax, &w->evaluations);
    cpu_relax polled = *relax;
    polled.poll = poll_large;
    polled.user = w->run;
    return kernels->relax_large(tasks, w->run->plan->input->options, &polled, w->pool,
                                &w->evaluations);
}

/* Goes on with the unfinished systems of an item in the precision of single points. */
static shoal_status finish_item(relax_work *w)
{
    const cpu_plan *plan = w->run->plan;
    cpu_task tasks[CPU_ITEM_MOST];
    int32_t n = 0;
    for (int32_t i = 0; i < w->it->n; ++i) {
        const cpu_task *task = &plan->tasks[w->it->first + i];
        if (!is_unfinished(w->run, task->result)) continue;
        tasks[n] = *task;
        tasks[n++].steps = task->result->steps;
    }
    if (n == 0) return SHOAL_OK;
    SHOAL_TRY(relax_tasks(w, plan->exact, w->group->full, tasks, n, &w->run->kernel));
    return refine(w, tasks, n, false);
}

/* Says what the numbers do not say by themselves. */
static void judge_item(const relax_run *run, const cpu_item *it)
{
    for (int32_t i = 0; i < it->n; ++i) {
        backend_result *r = run->plan->tasks[it->first + i].result;
        if (r->status == SHOAL_SYSTEM_CONVERGED && !(r->fmax <= run->kernel.fmax))
            r->status = SHOAL_SYSTEM_STALLED;
        if (r->status == SHOAL_SYSTEM_NOT_FINITE || r->status == SHOAL_SYSTEM_UNTYPED) {
            r->energy0 = NAN;
            for (int t = 0; t < SHOAL_N_TERMS; ++t) r->terms0[t] = NAN;
        }
        if (r->status != SHOAL_SYSTEM_STALLED) continue;
        (void)snprintf(r->reason, sizeof r->reason,
                       "no step lowers the energy any more, the forces are at %g eV/A", r->fmax);
    }
}

static shoal_status relax_item(relax_work *w)
{
    const cpu_plan *plan = w->run->plan;
    const cpu_item *it = w->it;
    const cpu_task *tasks = plan->tasks + it->first;
    for (int32_t i = 0; i < it->n; ++i) tasks[i].result->reason[0] = '\0';
    if (!cpu_plan_check(plan, it)) {
        judge_item(w->run, it);
        return SHOAL_OK;
    }
    SHOAL_TRY(refine(w, tasks, it->n, true));
    if (__atomic_load_n(&w->run->stop, __ATOMIC_RELAXED)) {
        leave_item(w->run, it);
        return refine(w, tasks, it->n, false);
    }
    cpu_relax fast = w->run->kernel;
    if (plan->fast != plan->exact && fast.fmax < FLOAT_FMAX) fast.fmax = FLOAT_FMAX;
    SHOAL_TRY(relax_tasks(w, plan->fast, w->group->single, tasks, it->n, &fast));
    SHOAL_TRY(refine(w, tasks, it->n, false));
    SHOAL_TRY(finish_item(w));
    judge_item(w->run, it);
    return SHOAL_OK;
}

/* Does item k and tells how far all is. */
static shoal_status run_item(relax_run *run, int32_t k, thread_pool *pool)
{
    const cpu_item *it = &run->plan->items[k];
    relax_work work = {.run = run, .it = it, .group = &run->plan->groups[it->group], .pool = pool};
    const shoal_status status = relax_item(&work);
#ifdef _OPENMP
#pragma omp critical(shoal_cpu_progress)
#endif
    {
        report(run, it, work.evaluations);
        tell(run, &run->progress);
    }
    return status;
}

shoal_status cpu_plan_relax(void *p, const backend_relax *relax, backend_result *results)
{
    cpu_plan *plan = p;
    SHOAL_TRY(cpu_plan_need_tables(plan, true));
    SHOAL_TRY(cpu_plan_need_tables(plan, false));
    cpu_plan_fill_tasks(plan, results);
    relax_run run = {.plan = plan, .relax = relax};
    run.kernel = (cpu_relax){.method = relax->options.method,
                             .fmax = relax->options.fmax,
                             .max_move = relax->options.max_move,
                             .max_steps = relax->options.max_steps};
    run.progress.n_systems = plan->input->n_systems;
    int failed = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(cpu_plan_threads(plan))                  \
    reduction(|                                                                                    \
              : failed)
#endif
    for (int32_t k = 0; k < plan->n_shared; ++k)
        if (run_item(&run, k, NULL) != SHOAL_OK) failed = 1;
    for (int32_t k = plan->n_shared; k < plan->n_items; ++k)
        if (run_item(&run, k, cpu_plan_pool(plan)) != SHOAL_OK) failed = 1;
    return failed ? shoal_fail(SHOAL_E_MEMORY, "out of memory in the device 'cpu'") : SHOAL_OK;
}
