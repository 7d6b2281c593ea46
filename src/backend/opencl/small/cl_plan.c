/* SPDX-License-Identifier: BSD-3-Clause
 * A batch compiled for an OpenCL device: classes, slices, buffers, single points. */
#include "backend/opencl/small/cl_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/opencl.h"
#include "base/alloc.h"

#define FIRST_SYSTEM 17 /* index of that argument, behind the buffers */

static void free_buffers(cl_plan *plan)
{
    cl_buffer *const all[] = {
        &plan->records,  &plan->bonds,   &plan->angles,     &plan->torsions,  &plan->plain,
        &plan->centres,  &plan->forms,   &plan->atoms,      &plan->numbers,   &plan->gather_start,
        &plan->gather,   &plan->exclude, &plan->systems,    &plan->positions, &plan->forces,
        &plan->terms,    &plan->states,  &plan->velocities, &plan->history,   &plan->restraints,
        &plan->softness, &plan->products};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) cl_buffer_free(all[k]);
}

static void plan_destroy(void *p)
{
    cl_plan *plan = p;
    if (!plan) return;
    for (int32_t c = 0; c < plan->n_classes; ++c) {
        for (int k = 0; k < CL_N_KERNELS; ++k) cl_routine_free(&plan->classes[c].kernels[k]);
    }
    for (int32_t k = 0; k < plan->n_programs; ++k) cl_code_free(&plan->programs[k].code);
    free_buffers(plan);
    cl_plan_settle(plan);
    cl_staging_free(&plan->staging);
    cl_large_destroy(plan->large);
    free(plan->large_systems);
    cl_surface_free(&plan->surface);
    cl_direct_free(&plan->direct);
    cl_pack_free(&plan->pack);
    if (plan->target) cl_target_close(plan->target);
    free(plan->order);
    free(plan->classes);
    free(plan->slices);
    free(plan->host_systems);
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

static int compare_key(const void *a, const void *b)
{
    const backend_system *const *x = a, *const *y = b;
    const uintptr_t kx = (uintptr_t)(*x)->view.elements, ky = (uintptr_t)(*y)->view.elements;
    if (kx != ky) return kx < ky ? -1 : 1;
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
    qsort((void *)list, (size_t)n, sizeof *list, compare_key);
    shoal_status status = SHOAL_OK;
    bool small = false;
    for (int32_t k = 0; k < n && status == SHOAL_OK; ++k) {
        const shoal_topology_view *v = &list[k]->view;
        if (k == 0 || v->elements != list[k - 1]->view.elements) {
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

/* The middle of a system. Coordinates far from zero would waste the digits of a float. */
static void find_origin(const backend_system *s, double origin[3])
{
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int32_t i = 0; i < s->view.n_atoms; ++i) sum += s->pos[i][c];
        origin[c] = isfinite(sum) && s->view.n_atoms > 0 ? sum / s->view.n_atoms : 0;
    }
}

/* Restraints of all systems, one after the other in the order of work. */
static shoal_status make_restraints(cl_plan *plan)
{
    size_t n = 0;
    for (int32_t k = 0; k < plan->n_order; ++k)
        n += (size_t)plan->input->systems[plan->order[k].system].n_restraints;
    void *list = shoal_alloc(n * LAYOUT_RESTRAINT, plan->real);
    if (!list) return SHOAL_E_MEMORY;
    int32_t next = 0;
    for (int32_t k = 0; k < plan->n_order; ++k) {
        const backend_system *s = &plan->input->systems[plan->order[k].system];
        const bool off = plan->input->options->terms_off >> SHOAL_TERM_RESTRAINT & 1;
        plan->order[k].restraint = next;
        plan->order[k].n_restraints = s->n_restraints;
        find_origin(s, plan->order[k].origin);
        for (int32_t i = 0; i < s->n_restraints; ++i) {
            const shoal_restraint *r = &s->restraints[i];
            const bool torsion = r->kind == SHOAL_RESTRAINT_TORSION;
            const size_t at = (size_t)next++ * LAYOUT_RESTRAINT;
            cl_real_set(plan->is_double, list, at + RESTRAINT_KIND, r->kind);
            for (size_t c = 0; c < 4; ++c)
                cl_real_set(plan->is_double, list, at + RESTRAINT_ATOMS + c,
                            (int)c <= (int)r->kind ? r->atoms[c] : 0);
            cl_real_set(plan->is_double, list, at + RESTRAINT_K, off ? 0 : r->k);
            cl_real_set(plan->is_double, list, at + RESTRAINT_VALUE,
                        torsion ? cos(r->value) : r->value);
            cl_real_set(plan->is_double, list, at + RESTRAINT_SINE, torsion ? sin(r->value) : 0);
            for (size_t c = 0; c < 3; ++c)
                cl_real_set(plan->is_double, list, at + RESTRAINT_TARGET + c,
                            r->target[c] - plan->order[k].origin[c]);
        }
    }
    const shoal_status status =
        cl_buffer_create(&plan->restraints, plan->target, "restraints", n * LAYOUT_RESTRAINT,
                         plan->real, n > 0 ? list : NULL);
    free(list);
    return status;
}

/* One piece of memory for all arrays of the host; each begins at a multiple of 64 bytes. */
static shoal_status make_staging(cl_plan *plan)
{
    const size_t n = (size_t)plan->most.n, vectors = 4 * (size_t)plan->most.n_atoms;
    const struct {
        void **array;
        size_t n;
    } parts[] = {{&plan->host_positions, vectors},
                 {&plan->host_forces, vectors},
                 {&plan->host_terms, n * LAYOUT_TERMS},
                 {&plan->host_terms0, n * LAYOUT_TERMS},
                 {&plan->host_states, n * LAYOUT_STATE}};
    size_t starts[sizeof parts / sizeof parts[0]];
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; ++k) {
        starts[k] = plan->staging_size;
        plan->staging_size += (parts[k].n * plan->real + 63) / 64 * 64;
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
    return plan->host_systems ? make_staging(plan) : SHOAL_E_MEMORY;
}

static shoal_status build(cl_plan *plan, const char *which)
{
    const shoal_engine_options *o = plan->input->options;
    SHOAL_TRY(cl_target_open(&plan->target, which, false));
    plan->target->dry = plan->input->dry;
    plan->is_double = o->precision == SHOAL_PRECISION_DOUBLE;
    plan->real = plan->is_double ? sizeof(double) : sizeof(float);
    if (plan->is_double && !plan->target->device.info.fp64)
        return shoal_fail(SHOAL_E_DEVICE, "'%s' has no double precision",
                          plan->target->device.info.name);
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
    SHOAL_TRY(make_buffers(plan));
    if (plan->n_large == 0) return SHOAL_OK;
    return cl_large_create(&plan->large, plan->target, plan->input, plan->large_systems,
                           plan->n_large);
}

static shoal_status plan_create(void **out, const char *argument, const backend_input *input)
{
    cl_plan *plan = shoal_alloc(1, sizeof *plan);
    if (!plan) return SHOAL_E_MEMORY;
    plan->input = input;
    const shoal_status status = build(plan, argument);
    if (status != SHOAL_OK) {
        plan_destroy(plan);
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

/* Records of the active systems (NULL: all) to the device, where those of a whole slice stay. */
static shoal_status send_records(cl_plan *plan, const cl_slice *slice, const bool *active,
                                 int32_t *n_sent)
{
    const cl_place *places = plan->order + slice->first;
    int32_t n = *n_sent = slice->n;
    if (!active && plan->sent == slice) return SHOAL_OK;
    plan->sent = NULL;
    n = 0;
    for (int32_t k = 0; k < slice->n; ++k)
        if (!active || active[k])
            plan->host_systems[n++] = (system_record){.topology = places[k].record,
                                                      .atom_start = places[k].atom_start,
                                                      .restraint = places[k].restraint,
                                                      .n_restraints = places[k].n_restraints,
                                                      .softness = places[k].softness,
                                                      .index = k};
    SHOAL_TRY(cl_buffer_write(&plan->systems, 0, (size_t)n * sizeof *plan->host_systems,
                              plan->host_systems));
    if (!active) plan->sent = slice;
    *n_sent = n;
    return SHOAL_OK;
}

shoal_status cl_plan_launch(cl_plan *plan, const cl_slice *slice, const bool *active, int which)
{
    const cl_place *places = plan->order + slice->first;
    int32_t n;
    SHOAL_TRY(send_records(plan, slice, active, &n));
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

static void take_system(void *what, int32_t k)
{
    const cl_pass *pass = what;
    const cl_plan *plan = pass->plan;
    const int32_t i = plan->order[pass->slice->first + k].system;
    backend_result *r = &pass->results[i];
    cl_plan_take_forces(plan, pass->slice, k, pass->results);
    r->status = SHOAL_SYSTEM_OK;
    if (!isfinite(r->energy) || !isfinite(r->fmax))
        shoal_backend_not_finite(r, plan->input->systems[i].view.n_atoms);
}

/* Single points of a slice. */
static shoal_status eval_slice(cl_plan *plan, const cl_slice *slice, backend_result *results)
{
    cl_pass pass = {plan, slice, results};
    SHOAL_TRY(cl_plan_upload(plan, slice, results));
    SHOAL_TRY(cl_plan_launch(plan, slice, NULL, CL_EVAL));
    SHOAL_TRY(cl_plan_fetch(plan, slice, CL_FORCES));
    SHOAL_TRY(cl_plan_fetch(plan, slice, CL_TERMS));
    SHOAL_TRY(cl_plan_wait(plan, CL_FORCES));
    SHOAL_TRY(cl_plan_wait(plan, CL_TERMS));
    thread_pool_for(plan->input->pool, slice->n, take_system, &pass);
    return SHOAL_OK;
}

shoal_status cl_plan_eval(void *p, backend_result *results)
{
    cl_plan *plan = p;
    shoal_status status = SHOAL_OK;
    for (int32_t c = 0; c < plan->n_classes; ++c) {
        cl_routine *r;
        int32_t next;
        SHOAL_TRY(cl_plan_kernel(plan, &plan->classes[c], CL_EVAL, &r, &next));
    }
    for (int32_t s = 0; s < plan->n_slices && status == SHOAL_OK; ++s)
        status = eval_slice(plan, &plan->slices[s], results);
    cl_plan_settle(plan);
    if (status != SHOAL_OK || !plan->large) return status;
    return cl_large_eval(plan->large, results);
}

/* All that a relaxation would take. */
static shoal_status plan_describe(void *p, backend_result *results, shoal_plan *out)
{
    cl_plan *plan = p;
    SHOAL_TRY(cl_plan_relax_buffers(plan, CL_LBFGS));
    out->n_small = plan->n_order;
    out->n_slices = plan->n_slices;
    out->device_memory = plan->target->device.info.memory_bytes;
    out->device_bytes = plan->target->allocated_bytes;
    out->host_bytes += (int64_t)plan->staging_size;
    (void)snprintf(out->name, sizeof out->name, "%s", plan->target->device.info.name);
    return plan->large ? cl_large_describe(plan->large, results, out) : SHOAL_OK;
}

const shoal_backend shoal_backend_opencl = {
    .name = "opencl",
    .create = plan_create,
    .destroy = plan_destroy,
    .eval = cl_plan_eval,
    .relax = cl_plan_relax,
    .describe = plan_describe,
};
