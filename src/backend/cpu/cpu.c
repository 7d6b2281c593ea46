/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU backend: systems are grouped by topology, groups are cut into items, and threads work on
 * items. The bits of a result depend on neither the cut nor the number of threads. */
#include "backend/cpu/cpu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/cpu/cpu_kernels.h"
#include "base/alloc.h"

#define MAX_ATOMS 20000 /* of one system: all its pairs are listed, 16 bytes each in float */

/* Systems of one topology that a thread takes at a time: many, so that lanes seldom idle at the end,
 * but enough pieces for all threads. */
enum { ITEM_LEAST = 64, ITEM_MOST = 512 };

/* Float forces are worth something down to here, eV/angstrom; below, doubles go on if they may. */
#define FLOAT_FMAX 5e-4

typedef struct group {
    const shoal_topology_view *view;
    void *single, *full; /* tables in float and double; NULL where not needed */
    int32_t first, n;    /* range of plan->order */
} group;

typedef struct item {
    int32_t group, first, n;
} item;

typedef struct cpu_plan {
    const backend_input *input;
    const cpu_kernels *fast, *exact; /* for relaxations; for energies */
    int32_t n_groups, n_items;
    group *groups;
    item *items;
    int32_t *order;  /* systems sorted by group */
    cpu_task *tasks; /* [n_systems] in that order */
} cpu_plan;

static void plan_destroy(void *p)
{
    cpu_plan *plan = p;
    if (!plan) return;
    for (int32_t g = 0; g < plan->n_groups; ++g) {
        plan->fast->tables_destroy(plan->groups[g].single);
        plan->exact->tables_destroy(plan->groups[g].full);
    }
    free(plan->groups);
    free(plan->items);
    free(plan->order);
    free(plan->tasks);
    free(plan);
}

typedef struct keyed {
    const void *key; /* equal topologies share their arrays */
    int32_t system;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return (uintptr_t)x->key < (uintptr_t)y->key ? -1 : 1;
    return (x->system > y->system) - (x->system < y->system);
}

/* Groups in order of address, which differs from run to run; results do not depend on it. */
static shoal_status make_groups(cpu_plan *plan)
{
    const backend_input *in = plan->input;
    keyed *list = shoal_alloc((size_t)in->n_systems, sizeof *list);
    if (!list) return SHOAL_E_MEMORY;
    int32_t n = 0;
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (!in->systems[i].skip) list[n++] = (keyed){in->systems[i].view.elements, i};
    qsort(list, (size_t)n, sizeof *list, compare_keyed);
    for (int32_t k = 0; k < n; ++k) {
        plan->order[k] = list[k].system;
        if (k == 0 || list[k].key != list[k - 1].key)
            plan->groups[plan->n_groups++] =
                (group){.view = &in->systems[list[k].system].view, .first = k};
        ++plan->groups[plan->n_groups - 1].n;
    }
    free(list);
    return SHOAL_OK;
}

static int thread_count(const cpu_plan *plan)
{
#ifdef _OPENMP
    return plan->input->options->n_threads > 0 ? plan->input->options->n_threads
                                               : omp_get_max_threads();
#else
    (void)plan;
    return 1;
#endif
}

/* Systems in an item of a group of n. A few groups are cut finer, into whole sets of lanes, so that
 * no thread is left without work. */
static int32_t item_size(const cpu_plan *plan, int32_t n, int n_threads)
{
    const int32_t lanes = plan->fast->lanes, share = n_threads == 1 ? n : n / (4 * n_threads);
    const int32_t part = (n + n_threads * lanes - 1) / (n_threads * lanes) * lanes;
    const int32_t least = plan->n_groups < n_threads && part < ITEM_LEAST ? part : ITEM_LEAST;
    return share < least ? least : share > ITEM_MOST ? ITEM_MOST : share;
}

static void cut_items(cpu_plan *plan)
{
    const int n_threads = thread_count(plan);
    for (int32_t g = 0; g < plan->n_groups; ++g) {
        const int32_t n = plan->groups[g].n, size = item_size(plan, n, n_threads);
        for (int32_t k = 0; k < n; k += size)
            plan->items[plan->n_items++] = (item){
                .group = g, .first = plan->groups[g].first + k, .n = n - k < size ? n - k : size};
    }
}

static shoal_status check_system(const backend_system *s, int32_t index)
{
    const bool periodic = s->view.pbc[0] || s->view.pbc[1] || s->view.pbc[2];
    if (!s->skip && periodic)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "system %d is periodic, which the device 'cpu' cannot compute; use 'ref'",
                          index);
    if (!s->skip && s->view.n_atoms > MAX_ATOMS)
        return shoal_fail(SHOAL_E_UNSUPPORTED,
                          "system %d has %d atoms, the device 'cpu' takes %d at most; use 'ref'",
                          index, s->view.n_atoms, MAX_ATOMS);
    return SHOAL_OK;
}

static shoal_status plan_create(void **out, const char *argument, const backend_input *input)
{
    if (*argument)
        return shoal_fail(SHOAL_E_DEVICE, "device 'cpu:%s': 'cpu' takes no argument", argument);
    for (int32_t i = 0; i < input->n_systems; ++i) SHOAL_TRY(check_system(&input->systems[i], i));
    const size_t n = (size_t)input->n_systems;
    cpu_plan *plan = shoal_alloc(1, sizeof *plan);
    if (!plan) return SHOAL_E_MEMORY;
    plan->input = input;
    const shoal_precision wanted = input->options->precision;
    plan->fast =
        cpu_kernels_choose(wanted == SHOAL_PRECISION_DOUBLE ? wanted : SHOAL_PRECISION_FLOAT);
    plan->exact =
        cpu_kernels_choose(wanted == SHOAL_PRECISION_FLOAT ? wanted : SHOAL_PRECISION_DOUBLE);
    plan->groups = shoal_alloc(n, sizeof *plan->groups);
    plan->items = shoal_alloc(n, sizeof *plan->items);
    plan->order = shoal_alloc(n, sizeof *plan->order);
    plan->tasks = shoal_alloc(n, sizeof *plan->tasks);
    shoal_status status = SHOAL_E_MEMORY;
    if (plan->groups && plan->items && plan->order && plan->tasks) status = make_groups(plan);
    if (status != SHOAL_OK) {
        plan_destroy(plan);
        return status;
    }
    cut_items(plan);
    *out = plan;
    return SHOAL_OK;
}

/* Tables are made at first use: single points need those for energies only. */
static shoal_status need_tables(cpu_plan *plan, bool fast)
{
    for (int32_t g = 0; g < plan->n_groups; ++g) {
        void **tables = fast ? &plan->groups[g].single : &plan->groups[g].full;
        const cpu_kernels *k = fast ? plan->fast : plan->exact;
        if (!*tables)
            *tables = k->tables_create(plan->groups[g].view, plan->input->options,
                                       plan->groups[g].n == 1);
        if (!*tables)
            return shoal_fail(SHOAL_E_MEMORY, "out of memory: tables of %d atoms",
                              plan->groups[g].view->n_atoms);
    }
    return SHOAL_OK;
}

static void fill_tasks(cpu_plan *plan, backend_result *results)
{
    for (int32_t g = 0; g < plan->n_groups; ++g)
        for (int32_t k = 0; k < plan->groups[g].n; ++k) {
            const int32_t at = plan->groups[g].first + k, i = plan->order[at];
            plan->tasks[at] = (cpu_task){.system = &plan->input->systems[i],
                                         .result = &results[i],
                                         .pos = results[i].pos,
                                         .forces = results[i].forces};
        }
}

static void explain_failure(const cpu_task *task)
{
    if (task->result->status == SHOAL_SYSTEM_NOT_FINITE)
        shoal_backend_not_finite(task->result, task->system->view.n_atoms);
}

static shoal_status plan_eval(void *p, backend_result *results)
{
    cpu_plan *plan = p;
    SHOAL_TRY(need_tables(plan, false));
    fill_tasks(plan, results);
    int failed = 0;
    const int n_threads = thread_count(plan);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads) reduction(| : failed)
#endif
    for (int32_t k = 0; k < plan->n_items; ++k) {
        const item *it = &plan->items[k];
        if (plan->exact->eval(plan->groups[it->group].full, plan->tasks + it->first, it->n) !=
            SHOAL_OK)
            failed = 1;
        for (int32_t i = 0; i < it->n && !failed; ++i) explain_failure(&plan->tasks[it->first + i]);
    }
    (void)n_threads;
    return failed ? shoal_fail(SHOAL_E_MEMORY, "out of memory in the device 'cpu'") : SHOAL_OK;
}

/* Energies and forces of n tasks of a group at their present coordinates in the precision of single
 * points; the outcome of the relaxation stays. */
static shoal_status refine(cpu_plan *plan, const group *g, const cpu_task *tasks, int32_t n,
                           bool before)
{
    shoal_system_status status[ITEM_MOST];
    for (int32_t i = 0; i < n; ++i) status[i] = tasks[i].result->status;
    SHOAL_TRY(plan->exact->eval(g->full, tasks, n));
    for (int32_t i = 0; i < n; ++i) {
        backend_result *r = tasks[i].result;
        if (before) {
            r->energy0 = r->energy;
            memcpy(r->terms0, r->terms, sizeof r->terms0);
        } else if (r->status == SHOAL_SYSTEM_OK) {
            r->status = status[i];
        } else {
            explain_failure(&tasks[i]);
        }
    }
    return SHOAL_OK;
}

typedef struct relax_run {
    cpu_plan *plan;
    const backend_relax *relax;
    cpu_relax kernel;
    shoal_progress progress; /* under the lock */
    bool stop;
} relax_run;

static void report(relax_run *run, const item *it, int64_t evaluations)
{
    shoal_progress *p = &run->progress;
    p->n_evaluations += evaluations;
    p->n_done += it->n;
    for (int32_t i = 0; i < it->n; ++i)
        p->n_failed += run->plan->tasks[it->first + i].result->status != SHOAL_SYSTEM_CONVERGED;
}

/* A system that was never begun because the run was stopped. */
static void leave_item(const relax_run *run, const item *it)
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

/* Goes on with the unfinished systems of an item in the precision of single points. */
static shoal_status finish_item(relax_run *run, const item *it, int64_t *evaluations)
{
    cpu_plan *plan = run->plan;
    const group *g = &plan->groups[it->group];
    cpu_task tasks[ITEM_MOST];
    int32_t n = 0;
    for (int32_t i = 0; i < it->n; ++i) {
        const cpu_task *task = &plan->tasks[it->first + i];
        if (!is_unfinished(run, task->result)) continue;
        tasks[n] = *task;
        tasks[n++].steps = task->result->steps;
    }
    if (n == 0) return SHOAL_OK;
    SHOAL_TRY(plan->exact->relax(g->full, tasks, n, &run->kernel, evaluations));
    return refine(plan, g, tasks, n, false);
}

/* Says what the numbers do not say by themselves. */
static void judge_item(const relax_run *run, const item *it)
{
    for (int32_t i = 0; i < it->n; ++i) {
        backend_result *r = run->plan->tasks[it->first + i].result;
        if (r->status == SHOAL_SYSTEM_CONVERGED && !(r->fmax <= run->kernel.fmax))
            r->status = SHOAL_SYSTEM_STALLED;
        if (r->status == SHOAL_SYSTEM_NOT_FINITE) {
            r->energy0 = NAN;
            for (int t = 0; t < SHOAL_N_TERMS; ++t) r->terms0[t] = NAN;
        }
        if (r->status != SHOAL_SYSTEM_STALLED) continue;
        (void)snprintf(r->reason, sizeof r->reason,
                       "no step lowers the energy any more, the forces are at %g eV/A", r->fmax);
    }
}

static shoal_status relax_item(relax_run *run, const item *it, int64_t *evaluations)
{
    cpu_plan *plan = run->plan;
    const group *g = &plan->groups[it->group];
    const cpu_task *tasks = plan->tasks + it->first;
    for (int32_t i = 0; i < it->n; ++i) tasks[i].result->reason[0] = '\0';
    SHOAL_TRY(refine(plan, g, tasks, it->n, true));
    if (__atomic_load_n(&run->stop, __ATOMIC_RELAXED)) {
        leave_item(run, it);
        return refine(plan, g, tasks, it->n, false);
    }
    cpu_relax fast = run->kernel;
    if (plan->fast != plan->exact && fast.fmax < FLOAT_FMAX) fast.fmax = FLOAT_FMAX;
    SHOAL_TRY(plan->fast->relax(g->single, tasks, it->n, &fast, evaluations));
    SHOAL_TRY(refine(plan, g, tasks, it->n, false));
    SHOAL_TRY(finish_item(run, it, evaluations));
    judge_item(run, it);
    return SHOAL_OK;
}

static shoal_status plan_relax(void *p, const backend_relax *relax, backend_result *results)
{
    cpu_plan *plan = p;
    SHOAL_TRY(need_tables(plan, true));
    SHOAL_TRY(need_tables(plan, false));
    fill_tasks(plan, results);
    relax_run run = {.plan = plan, .relax = relax};
    run.kernel = (cpu_relax){.method = relax->options.method,
                             .fmax = relax->options.fmax,
                             .max_move = relax->options.max_move,
                             .max_steps = relax->options.max_steps};
    run.progress.n_systems = plan->input->n_systems;
    int failed = 0;
    const int n_threads = thread_count(plan);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads) reduction(| : failed)
#endif
    for (int32_t k = 0; k < plan->n_items; ++k) {
        int64_t evaluations = 0;
        if (relax_item(&run, &plan->items[k], &evaluations) != SHOAL_OK) failed = 1;
#ifdef _OPENMP
#pragma omp critical(shoal_cpu_progress)
#endif
        {
            report(&run, &plan->items[k], evaluations);
#ifdef _OPENMP
            const bool master = omp_get_thread_num() == 0;
#else
            const bool master = true;
#endif
            if (relax->monitor && master && !run.stop)
                __atomic_store_n(&run.stop, !relax->monitor(relax->user, &run.progress),
                                 __ATOMIC_RELAXED);
        }
    }
    (void)n_threads;
    return failed ? shoal_fail(SHOAL_E_MEMORY, "out of memory in the device 'cpu'") : SHOAL_OK;
}

const shoal_backend shoal_backend_cpu = {
    .name = "cpu",
    .create = plan_create,
    .destroy = plan_destroy,
    .eval = plan_eval,
    .relax = plan_relax,
};
