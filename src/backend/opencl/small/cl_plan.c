/* SPDX-License-Identifier: BSD-3-Clause
 * The small systems of a batch on an OpenCL device: classes, slices, buffers, single points. */
#include "backend/opencl/small/cl_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kernel_choices.h"
#include "ff/auxiliary.h"

static void free_buffers(cl_plan *plan)
{
    cl_buffer *const all[] = {
        &plan->records,    &plan->bonds,        &plan->angles,          &plan->torsions,
        &plan->plain,      &plan->centres,      &plan->forms,           &plan->atoms,
        &plan->numbers,    &plan->gather_start, &plan->gather,          &plan->exclude,
        &plan->sites,      &plan->systems,      &plan->positions,       &plan->forces,
        &plan->terms,      &plan->states,       &plan->velocities,      &plan->history,
        &plan->restraints, &plan->counters,     &plan->preconditioners, &plan->products,
        &plan->lows,       &plan->rigid_atoms,  &plan->rigid_lengths};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) cl_buffer_free(all[k]);
    for (int k = 0; k < CL_BODY_BUFFERS; ++k) cl_buffer_free(&plan->bodies[k]);
}

void cl_plan_destroy(cl_plan *plan)
{
    if (!plan) return;
    cl_plan_settle(plan);
    cl_plan_free_kernels(plan);
    free_buffers(plan);
    cl_staging_free(&plan->staging);
    cl_staging_free(&plan->md_staging);
    cl_surface_free(&plan->surface);
    cl_direct_free(&plan->direct);
    cl_pack_free(&plan->pack);
    for (int32_t k = 0; k < plan->models.n; ++k) cl_model_free((cl_model *)plan->models.data + k);
    free(plan->models.data);
    free(plan->variants.data);
    free(plan->large_systems);
    free(plan->order);
    free(plan->classes);
    free(plan->slices);
    free(plan->host_systems);
    free(plan->host_restraints);
    free(plan->part);
    free(plan->active);
    free(plan->going);
    free(plan);
}

/* The number of a pair model among those of the plan; NULL is -1. */
static shoal_status find_model(cl_plan *plan, const shoal_pair_model *model, int32_t *out)
{
    *out = -1;
    if (!model) return SHOAL_OK;
    for (int32_t k = 0; k < plan->models.n; ++k)
        if (((cl_model *)plan->models.data)[k].model == model) {
            *out = k;
            return SHOAL_OK;
        }
    cl_model made;
    SHOAL_TRY(cl_model_create(&made, model, plan->input->options));
    cl_model *to = cl_array_append(&plan->models, 1);
    if (!to) {
        cl_model_free(&made);
        return SHOAL_E_MEMORY;
    }
    *to = made;
    *out = plan->models.n - 1;
    return SHOAL_OK;
}

cl_variant *cl_plan_variant(const cl_plan *plan, int32_t variant)
{
    return (cl_variant *)plan->variants.data + variant;
}

static shoal_status find_variant(cl_plan *plan, const cl_variant *wanted, int32_t *out)
{
    for (*out = 0; *out < plan->variants.n; ++*out) {
        const cl_variant *have = cl_plan_variant(plan, *out);
        if (have->group_size == wanted->group_size && have->charged == wanted->charged &&
            have->plain == wanted->plain && have->nodes == wanted->nodes &&
            have->sites == wanted->sites && have->hbonds == wanted->hbonds &&
            have->directions == wanted->directions && have->model == wanted->model &&
            have->clamped == wanted->clamped && have->rigid == wanted->rigid)
            return SHOAL_OK;
    }
    cl_variant *to = cl_array_append(&plan->variants, 1);
    if (!to) return SHOAL_E_MEMORY;
    *to = *wanted;
    return SHOAL_OK;
}

static int32_t find_class(cl_plan *plan, int32_t variant, size_t local_bytes)
{
    for (int32_t c = 0; c < plan->n_classes; ++c)
        if (plan->classes[c].variant == variant && plan->classes[c].local_bytes == local_bytes)
            return c;
    plan->classes[plan->n_classes] = (cl_class){variant, local_bytes};
    return plan->n_classes++;
}

/* Where the objects of each of n kinds begin, from how many there are: counts[n] becomes starts[n]. */
static void add_up(int32_t *counts, size_t n)
{
    int32_t sum = 0;
    for (size_t k = 0; k < n; ++k) {
        const int32_t count = counts[k];
        counts[k] = sum;
        sum += count;
    }
}

/* Programs that systems of one topology are told apart by: of clamped pairs, of rigid bodies. */
enum { PROGRAMS = 4 };
static int program_of(const backend_system *s)
{
    return (s->pair_clamp > 0) + 2 * (s->bodies != NULL);
}

/* The systems that can be computed, topology by topology, those whose pairs are clamped or that have bodies behind the
 * others; the caller frees *out. */
static shoal_status list_systems(const backend_input *in, const backend_system ***out, int32_t *n)
{
    int32_t most = 0;
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (in->systems[i].topology > most) most = in->systems[i].topology;
    int32_t *starts = shoal_alloc((size_t)most + 1, sizeof *starts);
    *out = shoal_alloc((size_t)in->n_systems, sizeof **out);
    *n = 0;
    if (!starts || !*out) {
        free(starts);
        return SHOAL_E_MEMORY;
    }
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (!in->systems[i].skip) ++starts[in->systems[i].topology];
    add_up(starts, (size_t)most + 1);
    for (int program = 0; program < PROGRAMS; ++program)
        for (int32_t k = 0; k < in->n_systems; ++k) {
            const backend_system *s = &in->systems[k];
            if (s->skip || program_of(s) != program) continue;
            (*out)[starts[s->topology]++] = s;
            ++*n;
        }
    free(starts);
    return SHOAL_OK;
}

/* Whether some pair may have a hydrogen bond, as strengths have unlike signs: Lennard-Jones models have a program of
 * their own where none has. */
static bool has_hbonds(const shoal_topology_view *v)
{
    bool above = false, below = false;
    if (!v->model || v->model->settings.form != SHOAL_FORM_LJ) return true;
    for (int32_t i = 0; i < v->n_atoms && v->hbonds; ++i) {
        above |= v->hbonds[i] > 0;
        below |= v->hbonds[i] < 0;
    }
    return above && below;
}

/* Packs a topology if it is small, and says which class its systems are of. */
static shoal_status pack_topology(cl_plan *plan, const backend_system *system, bool *small,
                                  int32_t *class)
{
    const shoal_topology_view *v = &system->view;
    SHOAL_TRY(cl_pack_add(&plan->pack, v, small));
    if (!*small) return SHOAL_OK;
    SHOAL_TRY(cl_surface_add(&plan->surface, v));
    SHOAL_TRY(cl_direct_add(&plan->direct, v));
    const cl_shape shape = ((cl_shape *)plan->pack.shapes.data)[plan->pack.shapes.n - 1];
    const topology_record *record =
        (topology_record *)plan->pack.records.data + plan->pack.records.n - 1;
    cl_variant wanted = {.group_size = shape.group_size,
                         .charged = v->has_charges,
                         .plain = record->n_terms > 0,
                         .nodes = record->n_nodes > 0,
                         .sites = v->n_sites > 0,
                         .hbonds = has_hbonds(v),
                         .clamped = system->pair_clamp > 0,
                         .rigid = system->bodies != NULL,
                         .directions = v->n_directions > 0};
    int32_t variant;
    SHOAL_TRY(find_model(plan, v->model, &wanted.model));
    SHOAL_TRY(find_variant(plan, &wanted, &variant));
    *class = find_class(plan, variant, shape.local_bytes);
    return SHOAL_OK;
}

/* Of those with one topology. */
static bool have_one_program(const backend_system *a, const backend_system *b)
{
    return a->topology == b->topology && program_of(a) == program_of(b);
}

/* Packs every small topology once and gives its systems their places; lists the large ones. */
static shoal_status pack_systems(cl_plan *plan)
{
    const backend_input *in = plan->input;
    const backend_system **list;
    int32_t n;
    shoal_status status = list_systems(in, &list, &n);
    bool small = false;
    int32_t class = 0;
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        const shoal_topology_view *v = &list[k]->view;
        if (k == 0 || !have_one_program(list[k], list[k - 1]))
            status = pack_topology(plan, list[k], &small, &class);
        if (status != SHOAL_OK) break;
        if (!small) {
            plan->large_systems[plan->n_large++] = (int32_t)(list[k] - in->systems);
            continue;
        }
        plan->order[plan->n_order++] = (cl_place){.system = (int32_t)(list[k] - in->systems),
                                                  .n_points = v->n_atoms,
                                                  .n_movers = mover_count(v),
                                                  .fixed = list[k]->fixed,
                                                  .bodies = list[k]->bodies,
                                                  .class = class,
                                                  .record = plan->pack.records.n - 1};
    }
    free((void *)list);
    return status;
}

static int compare_class(const void *a, const void *b)
{
    const cl_class *const *x = a, *const *y = b;
    if ((*x)->variant != (*y)->variant) return (*x)->variant < (*y)->variant ? -1 : 1;
    return ((*x)->local_bytes > (*y)->local_bytes) - ((*x)->local_bytes < (*y)->local_bytes);
}

/* Puts the systems into the order of the classes, number[] being the new ones; otherwise they stay as they are. */
static shoal_status sort_places(cl_plan *plan, const int32_t *number)
{
    int32_t *starts = shoal_alloc((size_t)plan->n_classes, sizeof *starts);
    cl_place *sorted = malloc(((size_t)plan->n_order + 1) * sizeof *sorted);
    if (!starts || !sorted) {
        free(starts);
        free(sorted);
        return shoal_fail(SHOAL_E_MEMORY, "out of memory: places of %d systems", plan->n_order);
    }
    for (int32_t k = 0; k < plan->n_order; ++k) ++starts[number[plan->order[k].class]];
    add_up(starts, (size_t)plan->n_classes);
    for (int32_t k = 0; k < plan->n_order; ++k) {
        cl_place place = plan->order[k];
        place.class = number[place.class];
        sorted[starts[place.class]++] = place;
    }
    free(starts);
    free(plan->order);
    plan->order = sorted;
    return SHOAL_OK;
}

/* Sorts and numbers the classes so that those which may share a launch stand side by side. */
static shoal_status sort_classes(cl_plan *plan)
{
    const size_t n = (size_t)plan->n_classes;
    const cl_class **list = shoal_alloc(n, sizeof *list);
    cl_class *sorted = shoal_alloc(n, sizeof *sorted);
    int32_t *number = shoal_alloc(n, sizeof *number);
    shoal_status status = list && sorted && number ? SHOAL_OK : SHOAL_E_MEMORY;
    if (status == SHOAL_OK) {
        for (size_t c = 0; c < n; ++c) list[c] = &plan->classes[c];
        qsort((void *)list, n, sizeof *list, compare_class);
        for (size_t c = 0; c < n; ++c) {
            sorted[c] = *list[c];
            number[list[c] - plan->classes] = (int32_t)c;
        }
        memcpy(plan->classes, sorted, n * sizeof *sorted);
        status = sort_places(plan, number);
    }
    free((void *)list);
    free(sorted);
    free(number);
    return status;
}

/* Room for the restraints of all systems, one after the other in the order of work. */
static shoal_status make_restraints(cl_plan *plan)
{
    int32_t n = 0;
    for (int32_t k = 0; k < plan->n_order; ++k) {
        plan->order[k].restraint = n;
        plan->order[k].n_restraints = plan->input->systems[plan->order[k].system].n_restraints;
        n += plan->order[k].n_restraints;
    }
    plan->n_restraints = (size_t)n;
    plan->host_restraints = shoal_alloc((size_t)n * LAYOUT_RESTRAINT, plan->real);
    if (!plan->host_restraints) return SHOAL_E_MEMORY;
    return cl_buffer_create(&plan->restraints, plan->target, "restraints",
                            (size_t)n * LAYOUT_RESTRAINT, plan->real, NULL);
}

/* One piece of memory for all arrays of the host; each begins at a multiple of 64 bytes. */
static shoal_status make_staging(cl_plan *plan)
{
    const size_t n = (size_t)plan->most.n, vectors = 4 * (size_t)plan->most.n_movers;
    const struct {
        void **array;
        size_t bytes;
    } parts[] = {{&plan->host_positions, vectors * plan->real},
                 {&plan->host_forces, vectors * plan->real},
                 {&plan->host_terms, n * N_ENERGIES * plan->real},
                 {(void **)&plan->host_counters, n * STEP_INTS * sizeof(int32_t)}};
    size_t starts[sizeof parts / sizeof parts[0]];
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        starts[k] = plan->staging_size;
        plan->staging_size += (parts[k].bytes + 63) / 64 * 64;
    }
    SHOAL_TRY(cl_staging_create(&plan->staging, plan->target, "numbers", plan->staging_size));
    if (!plan->staging.data) return SHOAL_OK; /* a dry plan */
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k)
        *parts[k].array = (char *)plan->staging.data + starts[k];
    return SHOAL_OK;
}

static shoal_status make_buffers(cl_plan *plan)
{
    const cl_pack *p = &plan->pack;
    const struct {
        cl_buffer *buffer;
        const char *label;
        const cl_array *array;
    } shared[] = {{&plan->records, "topologies", &p->records},
                  {&plan->bonds, "bonds", &p->bonds},
                  {&plan->angles, "angles", &p->angles},
                  {&plan->torsions, "torsions", &p->torsions},
                  {&plan->plain, "plain_terms", &p->plain},
                  {&plan->centres, "centres", &p->centres},
                  {&plan->forms, "forms", &p->forms},
                  {&plan->atoms, "atoms", &p->atoms},
                  {&plan->numbers, "numbers", &p->numbers},
                  {&plan->gather_start, "gather_start", &p->gather_start},
                  {&plan->gather, "gather", &p->gather},
                  {&plan->exclude, "exclude", &p->exclude},
                  {&plan->sites, "sites", &p->sites}};
    for (size_t k = 0; k < sizeof shared / sizeof shared[0]; ++k)
        SHOAL_TRY(cl_buffer_create(shared[k].buffer, plan->target, shared[k].label,
                                   (size_t)shared[k].array->n, shared[k].array->size,
                                   shared[k].array->n > 0 ? shared[k].array->data : NULL));
    const size_t n = (size_t)plan->most.n, vectors = 4 * (size_t)plan->most.n_movers;
    cl_target *t = plan->target;
    SHOAL_TRY(cl_buffer_create(&plan->systems, t, "systems", n, sizeof(system_record), NULL));
    SHOAL_TRY(cl_buffer_create(&plan->positions, t, "positions", vectors, plan->real, NULL));
    SHOAL_TRY(cl_buffer_create(&plan->forces, t, "forces", vectors, plan->real, NULL));
    SHOAL_TRY(cl_buffer_create(&plan->terms, t, "terms", n * N_ENERGIES, plan->real, NULL));
    plan->host_systems = shoal_alloc(n, sizeof *plan->host_systems);
    plan->part = shoal_alloc(n, sizeof *plan->part);
    plan->active = shoal_alloc(n, sizeof *plan->active);
    plan->going = shoal_alloc(n, sizeof *plan->going);
    if (!plan->host_systems || !plan->part || !plan->active || !plan->going) return SHOAL_E_MEMORY;
    return make_staging(plan);
}

static shoal_status build(cl_plan *plan)
{
    const shoal_engine_options *o = plan->input->options;
    plan->is_double = plan->input->precision == SHOAL_PRECISION_DOUBLE;
    plan->real = plan->is_double ? sizeof(double) : sizeof(float);
    plan->variants.size = sizeof(cl_variant);
    plan->models.size = sizeof(cl_model);
    const size_t n = (size_t)plan->input->n_systems;
    plan->order = shoal_alloc(n, sizeof *plan->order);
    plan->classes = shoal_alloc(n, sizeof *plan->classes);
    plan->large_systems = shoal_alloc(n, sizeof *plan->large_systems);
    if (!plan->order || !plan->classes || !plan->large_systems) return SHOAL_E_MEMORY;
    int32_t group;
    SHOAL_TRY(kernel_choices_group(&group));
    cl_pack_begin(&plan->pack, plan->is_double, o, (size_t)plan->target->device.info.local_bytes,
                  group);
    const bool off = o->terms_off >> SHOAL_TERM_SURFACE & 1;
    cl_surface_begin(&plan->surface, o->surface, off ? NULL : o->grid, plan->is_double,
                     o->n_threads);
    cl_direct_begin(&plan->direct, off || o->grid ? NULL : o->surface, plan->is_double);
    SHOAL_TRY(pack_systems(plan));
    SHOAL_TRY(sort_classes(plan));
    SHOAL_TRY(cl_plan_cut(plan));
    SHOAL_TRY(make_restraints(plan));
    SHOAL_TRY(cl_surface_create(&plan->surface, plan->target, plan->most.n));
    SHOAL_TRY(cl_direct_create(&plan->direct, plan->target, plan->most.n));
    return make_buffers(plan);
}

shoal_status cl_plan_create(cl_plan **out, cl_target *target, const backend_input *input)
{
    cl_plan *plan = shoal_alloc(1, sizeof *plan);
    if (!plan) return SHOAL_E_MEMORY;
    plan->input = input;
    plan->target = target;
    const shoal_status status = build(plan);
    if (status != SHOAL_OK) {
        cl_plan_destroy(plan);
        return status;
    }
    *out = plan;
    return SHOAL_OK;
}

shoal_status cl_plan_select(cl_plan *plan, int32_t k, const backend_result *results)
{
    plan->slice = &plan->slices[k];
    plan->n_part = plan->n_going = 0;
    plan->used_steps = false;
    plan->fetched = 0;
    plan->kernel = CL_EVAL; /* until a driver is started */
    for (int32_t m = 0; m < plan->slice->n; ++m) {
        const int32_t i = plan->order[plan->slice->first + m].system;
        plan->active[m] = results[i].active;
        plan->going[m] = false;
        if (plan->active[m]) plan->part[plan->n_part++] = i;
        plan->used_steps |= results[i].steps != 0;
    }
    return plan->n_part > 0 ? cl_plan_upload(plan, results) : SHOAL_OK;
}

shoal_status cl_plan_eval(cl_plan *plan, uint32_t wanted)
{
    plan->fetched &= ~(uint32_t)(BACKEND_FORCES | BACKEND_TERMS);
    SHOAL_TRY(cl_plan_launch(plan, plan->active, plan->n_part == plan->slice->n, CL_EVAL));
    SHOAL_TRY(cl_plan_fetch(plan, wanted));
    return cl_target_flush(plan->target);
}
