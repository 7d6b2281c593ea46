/* SPDX-License-Identifier: BSD-3-Clause
 * The CPU backend: small systems are grouped by topology, groups are cut into items, and threads work
 * on items; a large or periodic system is an item of its own, and threads may work together on it. The
 * bits of a result depend on neither the cut nor the number of threads. */
#include "backend/cpu/cpu.h"

#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "backend/cpu/cpu_plan.h"
#include "backend/system_check.h"
#include "base/alloc.h"

/* Isolated systems of more atoms are large: their pairs are no longer listed one by one. At 1000 atoms
 * an evaluation in float takes 3.3 ms by lists for a system on its own and 0.25 ms for one of 16 equal
 * ones, and 1.1 ms as a large system. */
#define SMALL_ATOMS 1000

/* Systems of more atoms have all threads for themselves, one after the other. Those between are shared
 * out among threads if there are enough of them; for smaller ones, threads inside would mostly wait. */
#define ALONE_ATOMS 4000
#define SHARED_ATOMS 1000 /* periodic systems may be small and yet large */

/* For plans: bytes of a large system by atom (some 300 neighbours) and term, and of the state of a
 * relaxation by atom and lane. */
#define LARGE_ATOM_BYTES 3000
#define LARGE_TERM_BYTES 300
#define STATE_ATOM_BYTES (13 * 3 * 4)

static void plan_destroy(void *p)
{
    cpu_plan *plan = p;
    if (!plan) return;
    for (int32_t g = 0; g < plan->n_groups; ++g) {
        plan->fast->tables_destroy(plan->groups[g].single);
        plan->exact->tables_destroy(plan->groups[g].full);
    }
    thread_pool_destroy(plan->pool);
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

static bool is_large(const shoal_topology_view *view)
{
    return view->pbc[0] || view->pbc[1] || view->pbc[2] || view->n_atoms > SMALL_ATOMS;
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
        const shoal_topology_view *view = &in->systems[list[k].system].view;
        const bool large = is_large(view);
        plan->order[k] = list[k].system;
        if (k == 0 || list[k].key != list[k - 1].key || large)
            plan->groups[plan->n_groups++] = (cpu_group){.view = view, .first = k, .large = large};
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
    const int32_t least =
        plan->n_groups < n_threads && part < CPU_ITEM_LEAST ? part : CPU_ITEM_LEAST;
    return share < least ? least : share > CPU_ITEM_MOST ? CPU_ITEM_MOST : share;
}

static void cut_group(cpu_plan *plan, int32_t g)
{
    const int32_t n = plan->groups[g].n, size = item_size(plan, n, thread_count(plan));
    for (int32_t k = 0; k < n; k += size)
        plan->items[plan->n_items++] = (cpu_item){
            .group = g, .first = plan->groups[g].first + k, .n = n - k < size ? n - k : size};
}

/* Items that threads share out among them, then those that they work on together. */
static void cut_items(cpu_plan *plan)
{
    const int32_t enough = 2 * thread_count(plan);
    int32_t n_medium = 0;
    for (int32_t g = 0; g < plan->n_groups; ++g) {
        const int32_t n = plan->groups[g].view->n_atoms;
        n_medium += plan->groups[g].large && n > SHARED_ATOMS && n <= ALONE_ATOMS;
    }
    for (int together = 0; together < 2; ++together) {
        for (int32_t g = 0; g < plan->n_groups; ++g) {
            const cpu_group *own = &plan->groups[g];
            const int32_t n = own->view->n_atoms;
            const bool wide = n > ALONE_ATOMS || (n > SHARED_ATOMS && n_medium < enough);
            if ((own->large && wide) == (together == 1)) cut_group(plan, g);
        }
        if (together == 0) plan->n_shared = plan->n_items;
    }
}

static shoal_status plan_create(void **out, const char *argument, const backend_input *input)
{
    if (*argument)
        return shoal_fail(SHOAL_E_DEVICE, "device 'cpu:%s': 'cpu' takes no argument", argument);
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

shoal_status cpu_plan_need_tables(cpu_plan *plan, bool fast)
{
    for (int32_t g = 0; g < plan->n_groups; ++g) {
        if (plan->groups[g].large) continue;
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

void cpu_plan_fill_tasks(cpu_plan *plan, backend_result *results)
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

void cpu_task_explain(const cpu_task *task)
{
    if (task->result->status == SHOAL_SYSTEM_NOT_FINITE)
        shoal_backend_not_finite(task->result, task->system->view.n_atoms);
}

thread_pool *cpu_plan_pool(cpu_plan *plan)
{
    const int n = thread_count(plan);
    if (!plan->pool && n > 1 && plan->n_items > plan->n_shared) plan->pool = thread_pool_create(n);
    return plan->pool;
}

int cpu_plan_threads(const cpu_plan *plan)
{
    return plan->n_shared > 1 ? thread_count(plan) : 1;
}

shoal_status cpu_plan_eval_tasks(const cpu_plan *plan, const cpu_group *g, const cpu_task *tasks,
                                 int32_t n, thread_pool *pool)
{
    if (g->large) return plan->exact->eval_large(tasks, plan->input->options, pool);
    return plan->exact->eval(g->full, tasks, n);
}

bool cpu_plan_check(const cpu_plan *plan, const cpu_item *it)
{
    const cpu_task *task = &plan->tasks[it->first];
    return !plan->groups[it->group].large ||
           system_check(task->system, plan->input->options, task->result);
}

static shoal_status eval_item(const cpu_plan *plan, const cpu_item *it, thread_pool *pool)
{
    const cpu_task *tasks = plan->tasks + it->first;
    if (!cpu_plan_check(plan, it)) return SHOAL_OK;
    SHOAL_TRY(cpu_plan_eval_tasks(plan, &plan->groups[it->group], tasks, it->n, pool));
    for (int32_t i = 0; i < it->n; ++i) cpu_task_explain(&tasks[i]);
    return SHOAL_OK;
}

static shoal_status plan_eval(void *p, backend_result *results)
{
    cpu_plan *plan = p;
    SHOAL_TRY(cpu_plan_need_tables(plan, false));
    cpu_plan_fill_tasks(plan, results);
    int failed = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(cpu_plan_threads(plan))                  \
    reduction(|                                                                                    \
              : failed)
#endif
    for (int32_t k = 0; k < plan->n_shared; ++k)
        if (eval_item(plan, &plan->items[k], NULL) != SHOAL_OK) failed = 1;
    for (int32_t k = plan->n_shared; k < plan->n_items; ++k)
        if (eval_item(plan, &plan->items[k], cpu_plan_pool(plan)) != SHOAL_OK) failed = 1;
    return failed ? shoal_fail(SHOAL_E_MEMORY, "out of memory in the device 'cpu'") : SHOAL_OK;
}

/* Lists of pairs and terms of a topology in float and double, or the neighbours of a large system. */
static int64_t table_bytes(const cpu_group *g)
{
    const int64_t n = g->view->n_atoms, pairs = n * (n - 1) / 2;
    const int64_t terms = g->view->n_terms;
    if (g->large) return n * LARGE_ATOM_BYTES + terms * LARGE_TERM_BYTES;
    return pairs * (16 + 32) + terms * (32 + 64);
}

static shoal_status plan_describe(void *p, backend_result *results, shoal_plan *out)
{
    const cpu_plan *plan = p;
    const int n_threads = thread_count(plan);
    int64_t tables = 0, most = 0;
    (void)results;
    for (int32_t g = 0; g < plan->n_groups; ++g) {
        const cpu_group *own = &plan->groups[g];
        const int64_t bytes = table_bytes(own);
        if (own->large) {
            out->n_large += own->n;
            most = bytes > most ? bytes : most;
            continue;
        }
        out->n_small += own->n;
        tables += bytes;
        const int64_t state = (int64_t)own->view->n_atoms * plan->fast->lanes * STATE_ATOM_BYTES;
        most = state > most ? state : most;
    }
    out->host_bytes += tables + n_threads * most;
    return SHOAL_OK;
}

const shoal_backend shoal_backend_cpu = {
    .name = "cpu",
    .create = plan_create,
    .destroy = plan_destroy,
    .eval = plan_eval,
    .relax = cpu_plan_relax,
    .describe = plan_describe,
};
