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
#define MIXED_PAIR_BYTES (3 * 4)
#define MIXED_TERM_BYTES (13 * 4)

/* Fewer unlike systems than that in a thread are faster one by one. */
#define MIXED_LEAST 3

static void plan_destroy(void *p)
{
    cpu_plan *plan = p;
    if (!plan) return;
    if (plan->kept) cpu_plan_drop_kept(plan);
    for (int32_t g = 0; g < plan->n_groups; ++g)
        plan->kernels->tables_destroy(plan->groups[g].tables);
    for (int32_t i = 0; plan->saved && i < plan->input->n_systems; ++i)
        plan->kernels->saved_destroy(plan->saved[i]);
    thread_pool_destroy(plan->pool);
    free(plan->groups);
    free(plan->items);
    free(plan->order);
    free(plan->tasks);
    free(plan->saved);
    free(plan->kept);
    free(plan->active);
    arena_free(&plan->memory);
    free(plan);
}

static bool is_large(const shoal_topology_view *view)
{
    return view->pbc[0] || view->pbc[1] || view->pbc[2] ||
           view->n_atoms + view->n_sites > SMALL_ATOMS;
}

/* Systems by topology: a counting sort, stable. */
static shoal_status sort_systems(const backend_input *in, int32_t *order, int32_t *n)
{
    int32_t n_topologies = 0;
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (in->systems[i].topology >= n_topologies) n_topologies = in->systems[i].topology + 1;
    int32_t *start = shoal_alloc((size_t)n_topologies + 1, sizeof *start);
    if (!start) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (!in->systems[i].skip) ++start[in->systems[i].topology + 1];
    for (int32_t t = 0; t < n_topologies; ++t) start[t + 1] += start[t];
    *n = start[n_topologies];
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (!in->systems[i].skip) order[start[in->systems[i].topology]++] = i;
    free(start);
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

/* Mixed groups come last, the largest systems first, so that those side by side are of like size. */
static int compare_groups(const void *a, const void *b)
{
    const cpu_group *p = a, *q = b;
    if (p->mixed != q->mixed) return p->mixed - q->mixed;
    if (!p->mixed) return p->first - q->first;
    const shoal_topology_view *v = p->view, *w = q->view;
    const int32_t keys[][2] = {
        {q->kind, p->kind},
        {v->has_charges, w->has_charges},
        {v->n_atoms, w->n_atoms},
        {p->shape.n_rotors, q->shape.n_rotors},
        {terms_count(v, SHOAL_KIND_TORSION), terms_count(w, SHOAL_KIND_TORSION)},
        {terms_count(v, SHOAL_KIND_ANGLE), terms_count(w, SHOAL_KIND_ANGLE)},
        {q->first, p->first},
    };
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; ++k)
        if (keys[k][0] != keys[k][1]) return keys[k][0] > keys[k][1] ? -1 : 1;
    return 0;
}

/* Whether two topologies run through the same loops. */
static bool is_alike(const cpu_group *p, const cpu_group *q)
{
    const shoal_topology_view *a = p->view, *b = q->view;
    if (p->shape.has_nodes != q->shape.has_nodes) return false;
    if (p->shape.has_ranges != q->shape.has_ranges) return false;
    return a->model == b->model && (!a->model || a->has_charges == b->has_charges);
}

static void number_kinds(cpu_plan *plan)
{
    for (int32_t k = 0; k < plan->n_groups; ++k) {
        int32_t first = 0;
        while (!is_alike(&plan->groups[first], &plan->groups[k])) ++first;
        plan->groups[k].kind = first;
    }
}

/* Groups that leave most lanes idle share them, where there are enough. */
static shoal_status mix_groups(cpu_plan *plan)
{
    int32_t n = 0, at = 0;
    for (int32_t k = 0; k < plan->n_groups; ++k) {
        cpu_group *g = &plan->groups[k];
        g->mixed = !g->large && g->shape.mixes && 2 * g->n <= plan->kernels->lanes;
        n += g->mixed ? g->n : 0;
    }
    const bool few = n < MIXED_LEAST * thread_count(plan);
    for (int32_t k = 0; k < plan->n_groups && few; ++k) plan->groups[k].mixed = false;
    if (few) return SHOAL_OK;
    plan->n_mixed = n;
    number_kinds(plan);
    const size_t size = (size_t)plan->input->n_systems;
    int32_t *order = shoal_alloc(size, sizeof *order);
    if (!order) return SHOAL_E_MEMORY;
    qsort(plan->groups, (size_t)plan->n_groups, sizeof *plan->groups, compare_groups);
    for (int32_t k = 0; k < plan->n_groups; ++k) {
        cpu_group *g = &plan->groups[k];
        const int32_t first = at;
        for (int32_t m = 0; m < g->n; ++m) order[at++] = plan->order[g->first + m];
        g->first = first;
    }
    free(plan->order);
    plan->order = order;
    return SHOAL_OK;
}

static shoal_status make_groups(cpu_plan *plan)
{
    const backend_system *systems = plan->input->systems;
    int32_t n = 0;
    SHOAL_TRY(sort_systems(plan->input, plan->order, &n));
    for (int32_t k = 0; k < n; ++k) {
        const backend_system *s = &systems[plan->order[k]];
        const bool large = is_large(&s->view);
        if (k == 0 || s->topology != systems[plan->order[k - 1]].topology || large) {
            cpu_group *g = &plan->groups[plan->n_groups++];
            *g = (cpu_group){.view = &s->view, .first = k, .large = large};
            if (!large)
                SHOAL_TRY(cpu_shape_find(&g->shape, g->view, plan->input->options, &plan->memory));
        }
        ++plan->groups[plan->n_groups - 1].n;
    }
    return mix_groups(plan);
}

/* Systems in an item of a group of n. A few groups are cut finer, into whole sets of lanes, so that
 * no thread is left without work. */
static int32_t item_size(const cpu_plan *plan, int32_t n, int n_threads)
{
    const int32_t lanes = plan->kernels->lanes, share = n_threads == 1 ? n : n / (4 * n_threads);
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

/* Every thread has its share of the mixed systems of a kind, in two items of whole sets of lanes if it is large. */
static void cut_kind(cpu_plan *plan, int32_t first, int32_t n)
{
    const int32_t lanes = plan->kernels->lanes, n_threads = thread_count(plan), end = first + n;
    const int32_t share = (n + n_threads - 1) / n_threads, sets = (share / 2 + lanes - 1) / lanes;
    const int32_t part = n_threads == 1 || share <= 2 * lanes ? share : sets * lanes;
    const int32_t size = part > CPU_ITEM_MOST ? CPU_ITEM_MOST : part;
    for (int32_t k = first; k < end; k += size)
        plan->items[plan->n_items++] =
            (cpu_item){.group = CPU_MIXED, .first = k, .n = end - k < size ? end - k : size};
}

/* Mixed groups come last, and those of a kind side by side. */
static void cut_mixed(cpu_plan *plan)
{
    for (int32_t g = 0; g < plan->n_groups;) {
        const cpu_group *own = &plan->groups[g++];
        if (!own->mixed) continue;
        int32_t n = own->n;
        for (; g < plan->n_groups && plan->groups[g].kind == own->kind; ++g) n += plan->groups[g].n;
        cut_kind(plan, own->first, n);
    }
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
            if (own->mixed) continue;
            if ((own->large && wide) == (together == 1)) cut_group(plan, g);
        }
        if (together == 0 && plan->n_mixed > 0) cut_mixed(plan);
        if (together == 0) plan->n_shared = plan->n_items;
    }
}

static shoal_status cpu_open(void **device, const char *argument)
{
    *device = NULL;
    if (!*argument) return SHOAL_OK;
    return shoal_fail(SHOAL_E_DEVICE, "device 'cpu:%s': 'cpu' takes no argument", argument);
}

static shoal_status plan_create(void **out, void *device, const backend_input *input)
{
    const size_t n = (size_t)input->n_systems;
    cpu_plan *plan = shoal_alloc(1, sizeof *plan);
    (void)device;
    if (!plan) return SHOAL_E_MEMORY;
    plan->input = input;
    plan->kernels = cpu_kernels_choose(input->precision);
    plan->groups = shoal_alloc(n, sizeof *plan->groups);
    plan->items = shoal_alloc(n, sizeof *plan->items);
    plan->order = shoal_alloc(n, sizeof *plan->order);
    plan->tasks = shoal_alloc(n, sizeof *plan->tasks);
    plan->saved = shoal_alloc(n, sizeof *plan->saved);
    plan->kept = shoal_alloc(n, sizeof *plan->kept);
    plan->active = shoal_alloc(n, sizeof *plan->active);
    shoal_status status = SHOAL_E_MEMORY;
    if (plan->groups && plan->items && plan->order && plan->tasks && plan->saved && plan->active &&
        plan->kept)
        status = make_groups(plan);
    if (status != SHOAL_OK) {
        plan_destroy(plan);
        return status;
    }
    cut_items(plan);
    *out = plan;
    return SHOAL_OK;
}

int32_t cpu_plan_gather(const cpu_plan *plan, const cpu_item *it, cpu_task *tasks)
{
    int32_t n = 0;
    for (int32_t k = it->first; k < it->first + it->n; ++k)
        if (plan->tasks[k].result->active) tasks[n++] = plan->tasks[k];
    return n;
}

static bool is_wanted(const cpu_plan *plan, const cpu_group *g)
{
    for (int32_t k = g->first; k < g->first + g->n; ++k)
        if (plan->tasks[k].result->active) return true;
    return false;
}

/* Systems that would leave most lanes idle are faster one by one, with partners of an atom in the lanes. */
static bool is_thin(const cpu_plan *plan, const cpu_group *g)
{
    return g->n == 1 || 2 * g->n <= plan->kernels->lanes;
}

shoal_status cpu_plan_need_tables(cpu_plan *plan, bool preconditioned)
{
    const cpu_kernels *kernels = plan->kernels;
    for (int32_t k = 0; k < plan->n_groups; ++k) {
        cpu_group *g = &plan->groups[k];
        if (g->large || !is_wanted(plan, g)) continue;
        if (!g->tables)
            g->tables = kernels->tables_create(g->view, &g->shape, plan->input->options,
                                               g->mixed || is_thin(plan, g));
        if (!g->tables || (preconditioned && !kernels->tables_precondition(g->tables, g->view)))
            return shoal_fail(SHOAL_E_MEMORY, "out of memory: tables of %d atoms",
                              g->view->n_atoms);
        for (int32_t m = g->first; m < g->first + g->n; ++m) plan->tasks[m].tables = g->tables;
    }
    return SHOAL_OK;
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

static shoal_status plan_first(void *p, const backend_driver *driver, backend_result *results)
{
    cpu_plan *plan = p;
    const backend_input *in = plan->input;
    (void)driver;
    plan->results = results;
    plan->n_active = 0;
    plan->done = false;
    cpu_plan_drop_kept(plan);
    for (int32_t k = 0; k < plan->n_groups; ++k)
        for (int32_t m = 0; m < plan->groups[k].n; ++m) {
            const int32_t at = plan->groups[k].first + m, i = plan->order[at];
            plan->tasks[at] = (cpu_task){
                .system = &in->systems[i], .result = &results[i], .saved = &plan->saved[i]};
        }
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (results[i].active) plan->active[plan->n_active++] = i;
    return SHOAL_OK;
}

/* All systems are one part: they are worked on where the engine has them. */
static shoal_status plan_next(void *p, const backend_result *results, backend_part *part)
{
    cpu_plan *plan = p;
    (void)results;
    *part = (backend_part){
        .n = plan->done ? 0 : plan->n_active, .systems = plan->active, .round = INT32_MAX};
    plan->done = true;
    return SHOAL_OK;
}

static bool is_same_shape(const cpu_shape *a, const cpu_shape *b)
{
    return a->has_centres == b->has_centres && a->has_rotors == b->has_rotors &&
           a->has_nodes == b->has_nodes && a->mixes == b->mixes && a->n_rotors == b->n_rotors &&
           a->has_ranges == b->has_ranges;
}

/* Shapes point to terms, and follow from some of their values. *same: groups stay as they are. */
static shoal_status renew_shapes(cpu_plan *plan, bool *same)
{
    arena memory = {0};
    cpu_shape *shapes = shoal_alloc((size_t)plan->n_groups, sizeof *shapes);
    shoal_status status = shapes ? SHOAL_OK : SHOAL_E_MEMORY;
    *same = true;
    for (int32_t k = 0; k < plan->n_groups && status == SHOAL_OK; ++k) {
        const cpu_group *g = &plan->groups[k];
        if (g->large) continue;
        status = cpu_shape_find(&shapes[k], g->view, plan->input->options, &memory);
        *same = *same && status == SHOAL_OK && is_same_shape(&shapes[k], &g->shape);
    }
    *same = *same && status == SHOAL_OK;
    for (int32_t k = 0; k < plan->n_groups && *same; ++k) plan->groups[k].shape = shapes[k];
    arena_free(*same ? &plan->memory : &memory);
    if (*same) plan->memory = memory;
    free(shapes);
    return status;
}

/* Tables are made again when they are needed. */
static shoal_status plan_change(void *p, const backend_change *change, bool *taken)
{
    cpu_plan *plan = p;
    *taken = true;
    cpu_plan_drop_kept(plan);
    if (change->terms) SHOAL_TRY(renew_shapes(plan, taken));
    for (int32_t k = 0; k < plan->n_groups; ++k) {
        cpu_group *g = &plan->groups[k];
        if (!change->topologies[plan->input->systems[plan->order[g->first]].topology]) continue;
        plan->kernels->tables_destroy(g->tables);
        g->tables = NULL;
    }
    return SHOAL_OK;
}

/* Systems of a mixed item one by one: a single point is no longer than moving into a lane. */
static shoal_status eval_mixed(const cpu_plan *plan, const cpu_task *tasks, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) SHOAL_TRY(plan->kernels->eval(tasks[k].tables, &tasks[k], 1));
    return SHOAL_OK;
}

static shoal_status eval_item(const cpu_plan *plan, const cpu_item *it, bool strain,
                              thread_pool *pool)
{
    cpu_task tasks[CPU_ITEM_MOST];
    const int32_t n = cpu_plan_gather(plan, it, tasks);
    if (n == 0) return SHOAL_OK;
    if (it->group == CPU_MIXED) return eval_mixed(plan, tasks, n);
    const cpu_group *g = &plan->groups[it->group];
    if (g->large) return plan->kernels->eval_large(tasks, plan->input->options, strain, pool);
    return plan->kernels->eval(g->tables, tasks, n);
}

static shoal_status plan_eval(void *p, uint32_t wanted)
{
    cpu_plan *plan = p;
    int failed = 0;
    const bool strain = wanted & BACKEND_STRAIN;
    SHOAL_TRY(cpu_plan_need_tables(plan, false));
    cpu_plan_hand_back(plan);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 1) num_threads(cpu_plan_threads(plan))                  \
    reduction(|                                                                                    \
              : failed)
#endif
    for (int32_t k = 0; k < plan->n_shared; ++k)
        if (eval_item(plan, &plan->items[k], strain, NULL) != SHOAL_OK) failed = 1;
    for (int32_t k = plan->n_shared; k < plan->n_items; ++k)
        if (eval_item(plan, &plan->items[k], strain, cpu_plan_pool(plan)) != SHOAL_OK) failed = 1;
    return failed ? shoal_fail(SHOAL_E_MEMORY, "out of memory in the device 'cpu'") : SHOAL_OK;
}

/* Results were written to where they belong, but for what is still in lanes. */
static shoal_status plan_read(void *plan, uint32_t fields, backend_result *results)
{
    (void)results;
    if (fields & (BACKEND_POSITIONS | BACKEND_VELOCITIES)) cpu_plan_hand_back(plan);
    return SHOAL_OK;
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
        const int64_t n = own->view->n_atoms;
        const int64_t as_pairs =
            own->shape.has_ranges ? terms_count(own->view, SHOAL_KIND_RANGE) : 0;
        const int64_t mixed =
            n * n * MIXED_PAIR_BYTES + (own->view->n_terms - as_pairs) * MIXED_TERM_BYTES;
        const int64_t movers = n + own->view->n_directions;
        const int64_t state =
            (movers * STATE_ATOM_BYTES + (own->mixed ? mixed : 0)) * plan->kernels->lanes;
        most = state > most ? state : most;
    }
    out->host_bytes += tables + n_threads * most;
    return SHOAL_OK;
}

const shoal_backend shoal_backend_cpu = {
    .name = "cpu",
    .precision = SHOAL_PRECISION_DOUBLE,
    .mixed = true,
    .open = cpu_open,
    .create = plan_create,
    .destroy = plan_destroy,
    .first = plan_first,
    .next = plan_next,
    .eval = plan_eval,
    .start = cpu_plan_start,
    .step = cpu_plan_step,
    .save = cpu_plan_save,
    .load = cpu_plan_load,
    .read = plan_read,
    .change = plan_change,
    .describe = plan_describe,
};
