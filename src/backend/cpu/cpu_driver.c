/* SPDX-License-Identifier: BSD-3-Clause
 * Drivers of steps on the CPU: threads share items out, or work on a large system together. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "backend/cpu/cpu_plan.h"
#include "backend/pace.h"
#include "base/error.h"
#include "layout.h"

#define POLL_SECONDS 0.05 /* between two questions whether to go on, within an item */

/* A call of step as all its threads see it. */
typedef struct step_run {
    cpu_watch watch; /* first: kernels know no more of it */
    cpu_plan *plan;
    cpu_steps steps;
    const backend_poll *poll;
    pthread_t caller; /* asks poll */
    bool together;    /* all there is to do is one large system: asked after every evaluation */
    _Atomic int64_t n_evaluations, n_done;
    _Atomic bool stop;
    _Atomic int failed;
    double last_poll; /* seconds; of the calling thread */
} step_run;

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool is_caller(const step_run *run)
{
    return pthread_equal(run->caller, pthread_self()) != 0;
}

/* Asks the caller, if this thread may. */
static void ask(step_run *run)
{
    const backend_poll *p = run->poll;
    if (!p || !is_caller(run)) return;
    const bool alone = run->watch.alone;
    if (!p->go_on(p->user, atomic_load(&run->n_evaluations), atomic_load(&run->n_done),
                  alone ? run->watch.energy : NAN, alone ? run->watch.fmax : NAN))
        atomic_store(&run->stop, true);
    run->last_poll = now();
}

static bool go_on(cpu_watch *watch, int32_t n_evaluations)
{
    step_run *run = (step_run *)(void *)watch;
    atomic_fetch_add(&run->n_evaluations, n_evaluations);
    if (is_caller(run) && (run->together || now() - run->last_poll > POLL_SECONDS)) ask(run);
    return !atomic_load(&run->stop);
}

static void step_item(step_run *run, int32_t i_item, thread_pool *pool)
{
    cpu_plan *plan = run->plan;
    const cpu_item *it = &plan->items[i_item];
    cpu_kept **kept = &plan->kept[i_item];
    const cpu_group *g = it->group == CPU_MIXED ? NULL : &plan->groups[it->group];
    cpu_task tasks[CPU_ITEM_MOST];
    const int32_t n = cpu_plan_gather(plan, it, tasks);
    shoal_status status = SHOAL_OK;
    if (n == 0 || atomic_load(&run->stop)) return;
    if (!g)
        status = plan->kernels->step_mixed(tasks, n, &run->steps, kept);
    else if (!g->large)
        status = plan->kernels->step(g->tables, tasks, n, &run->steps, kept);
    else if (tasks->result->outcome == STEP_GOING)
        status = plan->kernels->step_large(tasks, plan->input->options, &run->steps, pool);
    if (status != SHOAL_OK) atomic_store(&run->failed, 1);
    int32_t n_done = 0;
    for (int32_t k = 0; k < n; ++k) n_done += tasks[k].result->outcome != STEP_GOING;
    atomic_fetch_add(&run->n_done, n_done);
    ask(run);
}

void cpu_plan_hand_back(cpu_plan *plan)
{
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(cpu_plan_threads(plan))
#endif
    for (int32_t k = 0; k < plan->n_items; ++k)
        if (plan->kept[k]) plan->kept[k]->hand_back(plan->kept[k]);
}

void cpu_plan_drop_kept(cpu_plan *plan)
{
    for (int32_t k = 0; k < plan->n_items; ++k) {
        if (plan->kept[k]) plan->kept[k]->destroy(plan->kept[k]);
        plan->kept[k] = NULL;
    }
}

shoal_status cpu_plan_start(void *p, const backend_driver *driver, const backend_result *results)
{
    cpu_plan *plan = p;
    (void)results;
    plan->driver = *driver;
    cpu_plan_drop_kept(plan);
    for (int32_t k = 0; k < plan->input->n_systems; ++k) {
        cpu_task *task = &plan->tasks[k];
        if (!task->system) continue;
        task->bodies = driver->bodies ? &driver->bodies[plan->order[k]] : NULL;
        if (driver->md)
            task->bath = &driver->md->baths[plan->order[k]];
        else
            task->pace = backend_pace_of(driver, plan->order[k]);
    }
    for (int32_t k = 0; k < plan->n_active; ++k) {
        void **saved = &plan->saved[plan->active[k]];
        plan->kernels->saved_destroy(*saved);
        *saved = NULL;
        plan->results[plan->active[k]].outcome = STEP_GOING;
    }
    return SHOAL_OK;
}

/* One after the other in the order of work, which follows from the batch. */
static shoal_status pass_state(cpu_plan *plan, state_pass *to)
{
    for (int32_t k = 0; k < plan->n_groups; ++k) {
        const cpu_group *g = &plan->groups[k];
        for (int32_t m = g->first; m < g->first + g->n; ++m)
            SHOAL_TRY(plan->kernels->pass_state(&plan->tasks[m], plan->input->options,
                                                &plan->driver, g->large, to));
    }
    return state_status(to);
}

/* Results are up to date, or will be by keeping what the lanes have. */
shoal_status cpu_plan_save(void *p, backend_result *results, shoal_string *out)
{
    cpu_plan *plan = p;
    (void)results;
    state_pass to = {.to = out};
    const bool stepping = plan->watch && plan->watch->keep;
    if (stepping) SHOAL_TRY(plan->watch->keep(plan->watch->lanes));
    for (int32_t k = 0; k < plan->n_items && !stepping; ++k)
        if (plan->kept[k]) SHOAL_TRY(plan->kept[k]->save(plan->kept[k]));
    return pass_state(plan, &to);
}

shoal_status cpu_plan_load(void *p, const void *state, size_t size)
{
    state_pass from = {.from = state, .left = size};
    return pass_state(p, &from);
}

shoal_status cpu_plan_step(void *p, int32_t n_steps, uint32_t wanted, const backend_poll *poll)
{
    cpu_plan *plan = p;
    (void)wanted;
    const bool lbfgs = !plan->driver.md && plan->driver.method == SHOAL_METHOD_LBFGS;
    SHOAL_TRY(cpu_plan_need_tables(plan, lbfgs));
    step_run run = {.watch = {.go_on = go_on, .energy = NAN, .fmax = NAN},
                    .plan = plan,
                    .poll = poll,
                    .caller = pthread_self(),
                    .last_poll = now()};
    const bool one = plan->n_items == 1 && plan->items[0].group != CPU_MIXED;
    run.together = one && plan->groups[plan->items[0].group].large;
    run.watch.alone = run.together;
    run.watch.one = plan->input->n_systems == 1;
    plan->watch = &run.watch;
    run.steps = (cpu_steps){.driver = plan->driver, .n_steps = n_steps, .watch = &run.watch};
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(cpu_plan_threads(plan))
#endif
    for (int32_t k = 0; k < plan->n_shared; ++k) step_item(&run, k, NULL);
    run.together = true;
    run.watch.alone = true;
    for (int32_t k = plan->n_shared; k < plan->n_items; ++k)
        step_item(&run, k, cpu_plan_pool(plan));
    plan->watch = NULL;
    if (!atomic_load(&run.failed)) return SHOAL_OK;
    return shoal_fail(SHOAL_E_MEMORY, "out of memory in the device 'cpu'");
}
