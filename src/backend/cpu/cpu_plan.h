/* SPDX-License-Identifier: BSD-3-Clause
 * A batch compiled for the CPU in one precision: groups of systems, and the items that threads work on. */
#ifndef SHOAL_BACKEND_CPU_PLAN_H
#define SHOAL_BACKEND_CPU_PLAN_H

#include "backend/cpu/cpu_kernels.h"

typedef struct cpu_group {
    const shoal_topology_view *view;
    cpu_shape shape;  /* of its bonded terms */
    void *tables;     /* NULL until they are needed */
    int32_t first, n; /* range of plan->order */
    bool large;       /* one large or periodic system, without tables */
    bool mixed;       /* its few systems share lanes with unlike ones .. */
    int32_t kind;     /* .. of the same number here: they run through the same loops */
} cpu_group;

/* A range of the systems of one group, or of the mixed groups, which come last. */
typedef struct cpu_item {
    int32_t group; /* CPU_MIXED: of many */
    int32_t first, n;
} cpu_item;

enum { CPU_MIXED = -1 };

typedef struct cpu_plan {
    const backend_input *input;
    const cpu_kernels *kernels;
    int32_t n_groups, n_items;
    int32_t n_mixed;  /* systems of mixed groups */
    int32_t n_shared; /* items that threads share out; on the others they work together */
    cpu_group *groups;
    cpu_item *items;
    arena memory;      /* of the shapes */
    int32_t *order;    /* systems sorted by group */
    cpu_task *tasks;   /* [n_systems] in that order */
    void **saved;      /* [n_systems] states of drivers that have not come to an end */
    cpu_kept **kept;   /* [n_systems] by item: states that stay in lanes; NULL: none do */
    thread_pool *pool; /* made at first use */
    /* The present run: */
    backend_result *results;
    int32_t *active; /* systems that take part */
    int32_t n_active;
    bool done; /* its only part was handed out */
    backend_driver driver;
    const cpu_watch *watch; /* of the call of step that is under way; NULL: none is */
} cpu_plan;

/* Threads that work on a large system together; NULL: there is one only. */
thread_pool *cpu_plan_pool(cpu_plan *plan);
/* Threads for the items that are shared out. A single item stays with the calling thread, from which
 * alone the caller is told. */
int cpu_plan_threads(const cpu_plan *plan);

/* Tables of all groups that have active systems; preconditioned: for steps of L-BFGS. */
shoal_status cpu_plan_need_tables(cpu_plan *plan, bool preconditioned);

/* The active tasks of an item, at tasks[CPU_ITEM_MOST]; returns their number. */
int32_t cpu_plan_gather(const cpu_plan *plan, const cpu_item *it, cpu_task *tasks);

/* cpu_driver.c: what results do not have of systems that stay in lanes; and these come to an end. */
void cpu_plan_hand_back(cpu_plan *plan);
void cpu_plan_drop_kept(cpu_plan *plan);
shoal_status cpu_plan_start(void *plan, const backend_driver *driver,
                            const backend_result *results);
shoal_status cpu_plan_save(void *plan, backend_result *results, shoal_string *out);
shoal_status cpu_plan_load(void *plan, const void *state, size_t size);
shoal_status cpu_plan_step(void *plan, int32_t n_steps, uint32_t wanted, const backend_poll *poll);

#endif
