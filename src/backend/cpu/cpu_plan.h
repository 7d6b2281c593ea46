/* SPDX-License-Identifier: BSD-3-Clause
 * A batch compiled for the CPU: groups of systems, the items that threads work on, and who works on
 * them. */
#ifndef SHOAL_BACKEND_CPU_PLAN_H
#define SHOAL_BACKEND_CPU_PLAN_H

#include "backend/cpu/cpu_kernels.h"

/* Systems of one topology that a thread takes at a time: many, so that lanes seldom idle at the end,
 * but enough pieces for all threads. */
enum { CPU_ITEM_LEAST = 64, CPU_ITEM_MOST = 512 };

typedef struct cpu_group {
    const shoal_topology_view *view;
    void *single, *full; /* tables in float and double; NULL where not needed */
    int32_t first, n;    /* range of plan->order */
    bool large;          /* one large or periodic system, without tables */
} cpu_group;

typedef struct cpu_item {
    int32_t group, first, n;
} cpu_item;

typedef struct cpu_plan {
    const backend_input *input;
    const cpu_kernels *fast, *exact; /* for relaxations; for energies */
    int32_t n_groups, n_items;
    int32_t
        n_shared; /* items that threads share out among them; on the others they work together */
    cpu_group *groups;
    cpu_item *items;
    int32_t *order;    /* systems sorted by group */
    cpu_task *tasks;   /* [n_systems] in that order */
    thread_pool *pool; /* made at first use */
} cpu_plan;

/* Threads that work on a large system together; NULL: there is one only. */
thread_pool *cpu_plan_pool(cpu_plan *plan);
/* Threads for the items that are shared out. A single item stays with the calling thread, from which
 * alone the caller is told. */
int cpu_plan_threads(const cpu_plan *plan);

/* Tables are made at first use: single points need those for energies only. */
shoal_status cpu_plan_need_tables(cpu_plan *plan, bool fast);
/* Says where every system is and where its result goes. */
void cpu_plan_fill_tasks(cpu_plan *plan, backend_result *results);

/* True if an item can be computed; otherwise its system, a large one, has its result. */
bool cpu_plan_check(const cpu_plan *plan, const cpu_item *it);
/* Single points of n tasks of a group in the precision of single points. */
shoal_status cpu_plan_eval_tasks(const cpu_plan *plan, const cpu_group *g, const cpu_task *tasks,
                                 int32_t n, thread_pool *pool);
/* Gives a result that is not finite its reason. */
void cpu_task_explain(const cpu_task *task);

/* cpu_relaxation.c: backend->relax. */
shoal_status cpu_plan_relax(void *plan, const backend_relax *relax, backend_result *results);

#endif
