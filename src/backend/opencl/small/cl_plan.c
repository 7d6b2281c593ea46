/* SPDX-License-Identifier: BSD-3-Clause
 * The small systems of a batch on an OpenCL device: classes, slices, buffers, single points. */
#include "backend/opencl/small/cl_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define FIRST_SYSTEM 17 /* index of that argument, behind the buffers */

static void free_buffers(cl_plan *plan)
{
    cl_buffer *const all[] = {
        &plan->records,  &plan->bonds,           &plan->angles,  &plan->torsions,
        &plan->plain,    &plan->centres,         &plan->forms,   &plan->atoms,
        &plan->numbers,  &plan->gather_start,    &plan->gather,  &plan->exclude,
        &plan->systems,  &plan->positions,       &plan->forces,  &plan->terms,
        &plan->states,   &plan->velocities,      &plan->history, &plan->restraints,
        &plan->counters, &plan->preconditioners, &plan->products};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) cl_buffer_free(all[k]);
}

void cl_plan_destroy(cl_plan *plan)
{
    if (!plan) return;
    for (int32_t c = 0; c < plan->n_classes; ++c)
        for (int k = 0; k < CL_N_KERNELS; ++k) cl_routine_free(&plan->classes[c].kernels[k]);
    for (int32_t k = 0; k < plan->n_programs; ++k) cl_code_free(&plan->programs[k].code);
    free_buffers(plan);
    cl_plan_settle(plan);
    cl_staging_free(&plan->staging);
    cl_surface_free(&plan->surface);
    cl_direct_free(&plan->direct);
    cl_pack_free(&plan->pack);
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

static int32_t find_class(cl_plan *plan, cl_shape shape, bool charged, bool plain)
{
    for (int32_t c = 0; c < plan->n_classes; ++c) {
        const cl_class *have = &plan->classes[c];
        if (have->shape.group_size == shape.group_size &&
            have->shape.local_bytes == shape.local_bytes && have->charged == charged &&
            have->plain == plain)
            return c;
    }
    plan->classes[plan->n_classes] = (cl_class){.shape = shape, .charged = charged, .plain = plain};
    return plan->n_classes++;
}

static int compare_topology(const void *a, const void *b)
{
    const backend_system *const *x = a, *const *y = b;
    if ((*x)->topology != (*y)->topology) return (*x)->topology < (*y)->topology ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* Packs every small topology once and gives its systems their places; lists the large ones. */
static shoal_status pack_systems(cl_plan *plan)
{
    const backend_input *in = plan->input;
    const backend_system **list = shoal_alloc((size_t)in->n_systems, sizeof *list);
    if (!list) return SHOAL_E_MEMORY;
    int32_t n = 0;
    for (int32_t i = 0; i < in->n_systems; ++i)
        if (!in->systems[i].skip) list[n++] = &in->systems[i];
    qsort((void *)list, (size_t)n, sizeof *list, compare_topology);
    shoal_status status = SHOAL_OK;
    bool small = false;
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        const shoal_topology_view *v = &list[k]->view;
        if (k == 0 || list[k]->topology != list[k - 1]->topology) {
            status = cl_pack_add(&plan->pack, v, &small);
            if (status == SHOAL_OK && small) status = cl_surface_add(&plan->surface, v);
            if (status == SHOAL_OK && small) status = cl_direct_add(&plan->direct, v);
        }
        if (status != SHOAL_OK) break;
        if (!small) {
            plan->large_systems[plan->n_large++] = (int32_t)(list[k] - in->systems);
            continue;
        }
        const cl_shape shape = ((cl_shape *)plan->pack.shapes.data)[plan->pack.shapes.n - 1];
        const int32_t record = plan->pack.records.n - 1;
        const bool plain = ((topology_record *)plan->pack.records.data)[record].n_terms > 0;
        plan->order[plan->n_order++] =
            (cl_place){.system = (int32_t)(list[k] - in->systems),
                       .n_atoms = v->n_atoms,
                       .fixed = list[k]->fixed,
                       .class = find_class(plan, shape, v->has_charges, plain),
                       .record = record};
    }
    free((void *)list);
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
    const size_t n = (size_t)plan->most.n, vectors = 4 * (size_t)plan->most.n_atoms;
    const struct {
        void **array;
        size_t bytes;
    } parts[] = {{&plan->host_positions, vectors * plan->real},
                 {&plan->host_forces, vectors * plan->real},
                 {&plan->host_terms, n * LAYOUT_TERMS * plan->real},
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
                  {&plan->exclude, "exclude", &p->exclude}};
    for (size_t k = 0; k < sizeof shared / sizeof shared[0]; ++k)
        SHOAL_TRY(cl_buffer_create(shared[k].buffer, plan->target, shared[k].label,
                                   (size_t)shared[k].array->n, shared[k].array->size,
                                   shared[k].array->n > 0 ? shared[k].array->data : NULL));
    const size_t n = (size_t)plan->most.n, vectors = 4 * (size_t)plan->most.n_atoms;
    cl_target *t = plan->target;
    SHOAL_TRY(cl_buffer_create(&plan->systems, t, "systems", n, sizeof(system_record), NULL));
    SHOAL_TRY(cl_buffer_create(&plan->positions, t, "positions", vectors, plan->real, NULL));
    SHOAL_TRY(cl_buffer_create(&plan->forces, t, "forces", vectors, plan->real, NULL));
    SHOAL_TRY(cl_buffer_create(&plan->terms, t, "terms", n * LAYOUT_TERMS, plan->real, NULL));
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
    const size_t n = (size_t)plan->input->n_systems;
    plan->order = shoal_alloc(n, sizeof *plan->order);
    plan->classes = shoal_alloc(n, sizeof *plan->classes);
    plan->large_systems = shoal_alloc(n, sizeof *plan->large_systems);
    if (!plan->order || !plan->classes || !plan->large_systems) return SHOAL_E_MEMORY;
    cl_pack_begin(&plan->pack, plan->is_double, o, (size_t)plan->target->device.info.local_bytes);
    const bool off = o->terms_off >> SHOAL_TERM_SURFACE & 1;
    cl_surface_begin(&plan->surface, o->surface, off ? NULL : o->grid, plan->is_double);
    cl_direct_begin(&plan->direct, off || o->grid ? NULL : o->surface, plan->is_double);
    SHOAL_TRY(pack_systems(plan));
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

/* The program of a class, built once for all classes that want the same options. */
static shoal_status find_program(cl_plan *plan, const cl_class *c, const char *source,
                                 cl_program_entry **out)
{
    const shoal_engine_options *o = plan->input->options;
    /* On an H200 PTCDA (64 work-items) gained 5 % by 80 registers instead of 128, others nothing. */
    const bool few_registers =
        c->shape.group_size == 64 && strstr(plan->target->device.info.platform, "NVIDIA");
    cl_program_entry want = {0};
    (void)snprintf(want.source, sizeof want.source, "%s.cl", source);
    (void)snprintf(
        want.options, sizeof want.options,
        "-cl-mad-enable -cl-denorms-are-zero -DWG=%d%s%s%s%s%s%s%s%s", c->shape.group_size,
        cl_direct_definitions(&plan->direct), plan->surface.grid ? " -DSHOAL_SURFACE" : "",
        c->charged ? " -DSHOAL_CHARGES" : "", c->plain ? " -DSHOAL_PLAIN_TERMS" : "",
        o->coulomb_damping > 0 ? " -DSHOAL_DAMPED" : "",
        o->mixing == SHOAL_MIXING_ARITHMETIC ? " -DSHOAL_ARITHMETIC" : "",
        plan->is_double ? " -DSHOAL_DOUBLE" : "", few_registers ? " -cl-nv-maxrregcount=80" : "");
    for (int32_t k = 0; k < plan->n_programs; ++k) {
        *out = &plan->programs[k];
        if (strcmp((*out)->source, want.source) == 0 && strcmp((*out)->options, want.options) == 0)
            return SHOAL_OK;
    }
    SHOAL_TRY(cl_code_build(&want.code, plan->target, want.source, want.options));
    plan->programs[plan->n_programs] = want;
    *out = &plan->programs[plan->n_programs++];
    return SHOAL_OK;
}

static shoal_status build_kernel(cl_plan *plan, cl_class *c, int which)
{
    static const char *const names[CL_N_KERNELS] = {"group_eval", "group_fire", "group_lbfgs"};
    cl_program_entry *program;
    SHOAL_TRY(find_program(plan, c, names[which], &program));
    return cl_routine_create(&c->kernels[which], &program->code, names[which]);
}

shoal_status cl_plan_kernel(cl_plan *plan, cl_class *c, int which, cl_routine **out, int32_t *next)
{
    cl_routine *r = &c->kernels[which];
    const double damping = plan->input->options->coulomb_damping;
    if (!r->kernel) SHOAL_TRY(build_kernel(plan, c, which));
    const struct {
        const char *label;
        const cl_buffer *buffer;
    } buffers[] = {{"systems", &plan->systems},
                   {"topologies", &plan->records},
                   {"bonds", &plan->bonds},
                   {"angles", &plan->angles},
                   {"torsions", &plan->torsions},
                   {"plain_terms", &plan->plain},
                   {"centres", &plan->centres},
                   {"forms", &plan->forms},
                   {"atoms", &plan->atoms},
                   {"numbers", &plan->numbers},
                   {"gather_start", &plan->gather_start},
                   {"gather", &plan->gather},
                   {"exclude", &plan->exclude},
                   {"positions", &plan->positions},
                   {"forces", &plan->forces},
                   {"terms", &plan->terms},
                   {"restraints", &plan->restraints}};
    int32_t at = 0;
    for (; at < (int32_t)(sizeof buffers / sizeof buffers[0]); ++at)
        SHOAL_TRY(cl_routine_buffer(r, at, buffers[at].label, buffers[at].buffer));
    at = FIRST_SYSTEM + 1; /* that one is set at launch */
    SHOAL_TRY(cl_routine_real(r, at++, "damping2", damping * damping));
    SHOAL_TRY(cl_routine_local(r, at++, "memory", c->shape.local_bytes));
    SHOAL_TRY(cl_surface_bind(&plan->surface, r, &at));
    SHOAL_TRY(cl_direct_bind(&plan->direct, r, &at));
    *next = at;
    *out = r;
    return SHOAL_OK;
}

/* Records of the marked systems to the device, where those of a whole slice stay. */
static shoal_status send_records(cl_plan *plan, const bool *marked, bool all, int32_t *n_sent)
{
    const cl_slice *slice = plan->slice;
    const cl_place *places = plan->order + slice->first;
    int32_t n = *n_sent = slice->n;
    if (all && plan->sent == slice) return SHOAL_OK;
    plan->sent = NULL;
    n = 0;
    for (int32_t k = 0; k < slice->n; ++k)
        if (all || marked[k])
            plan->host_systems[n++] = (system_record){.topology = places[k].record,
                                                      .atom_start = places[k].atom_start,
                                                      .restraint = places[k].restraint,
                                                      .n_restraints = places[k].n_restraints,
                                                      .preconditioner = places[k].preconditioner,
                                                      .index = k};
    SHOAL_TRY(cl_buffer_write(&plan->systems, 0, (size_t)n * sizeof *plan->host_systems,
                              plan->host_systems));
    if (all) plan->sent = slice;
    *n_sent = n;
    return SHOAL_OK;
}

shoal_status cl_plan_launch(cl_plan *plan, const bool *marked, bool all, int which)
{
    const cl_place *places = plan->order + plan->slice->first;
    int32_t n;
    SHOAL_TRY(send_records(plan, marked, all, &n));
    for (int32_t first = 0, last; first < n; first = last) {
        const int32_t class = places[plan->host_systems[first].index].class;
        for (last = first; last < n && places[plan->host_systems[last].index].class == class;)
            ++last;
        cl_class *c = &plan->classes[class];
        cl_routine *r = &c->kernels[which];
        SHOAL_TRY(cl_routine_int(r, FIRST_SYSTEM, "first_system", first));
        SHOAL_TRY(cl_routine_launch(r, (size_t)(last - first), (size_t)c->shape.group_size));
    }
    return SHOAL_OK;
}

shoal_status cl_plan_select(cl_plan *plan, int32_t k, const backend_result *results)
{
    plan->slice = &plan->slices[k];
    plan->n_part = plan->n_going = 0;
    plan->used_steps = false;
    plan->fetched = 0;
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
    for (int32_t c = 0; c < plan->n_classes; ++c) {
        cl_routine *r;
        int32_t next;
        SHOAL_TRY(cl_plan_kernel(plan, &plan->classes[c], CL_EVAL, &r, &next));
    }
    SHOAL_TRY(cl_plan_launch(plan, plan->active, plan->n_part == plan->slice->n, CL_EVAL));
    SHOAL_TRY(cl_plan_fetch(plan, wanted));
    return cl_target_flush(plan->target);
}
