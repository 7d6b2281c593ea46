/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels of small systems: their programs, their arguments, and launches of whole classes. */
#include <stdio.h>
#include <string.h>

#include "backend/opencl/small/cl_plan.h"

#define FIRST_SYSTEM 17 /* index of that argument, behind the buffers */
#define LOCAL_MEMORY (FIRST_SYSTEM + 2)

/* Work-groups per compute unit that keep a device busy. Classes with fewer share a launch, in as much local
 * memory as the largest of them needs: launches wait for each other, and each for its slowest system. */
#define BUSY_GROUPS 32

static const char *const kernel_names[CL_N_KERNELS] = {"group_eval", "group_fire", "group_lbfgs",
                                                       "group_md",   "group_md",   "group_slots"};

static void name_program(const cl_plan *plan, const cl_variant *v, int which, cl_code_request *out)
{
    const shoal_engine_options *o = plan->input->options;
    /* On an H200 PTCDA (64 work-items) gained 5 % by 80 registers instead of 128, others nothing. */
    const bool few_registers =
        v->group_size == 64 && strstr(plan->target->device.info.platform, "NVIDIA");
    const bool own = v->model >= 0, moves = which != CL_EVAL && which != CL_SLOTS;
    out->text = own ? ((const cl_model *)plan->models.data)[v->model].text.data : NULL;
    (void)snprintf(out->source, sizeof out->source, "%s.cl", kernel_names[which]);
    (void)snprintf(
        out->options, sizeof out->options,
        "-cl-mad-enable -cl-denorms-are-zero -DWG=%d%s%s%s%s%s%s%s%s%s%s%s%s%s%s%s", v->group_size,
        cl_direct_definitions(&plan->direct), plan->surface.grid ? " -DSHOAL_SURFACE" : "",
        v->charged ? " -DSHOAL_CHARGES" : "", v->plain ? " -DSHOAL_PLAIN_TERMS" : "",
        v->nodes ? " -DSHOAL_NODES" : "", v->sites ? " -DSHOAL_SITES" : "",
        v->directions ? " -DSHOAL_DIRECTIONS" : "", v->clamped ? " -DSHOAL_CLAMP" : "",
        !own && o->coulomb_damping > 0 ? " -DSHOAL_DAMPED" : "",
        !own && o->mixing == SHOAL_MIXING_ARITHMETIC ? " -DSHOAL_ARITHMETIC" : "",
        v->hbonds ? "" : " -DMODEL_NO_HBONDS", plan->is_double ? " -DSHOAL_DOUBLE" : "",
        which == CL_MD_RIGID ? " -DSHOAL_RIGID" : "", moves && v->rigid ? " -DSHOAL_BODIES" : "",
        few_registers ? " -cl-nv-maxrregcount=80" : "");
}

void cl_plan_request(const cl_plan *plan, int which, cl_code_request *requests, int32_t *n)
{
    for (int32_t v = 0; v < plan->variants.n && *n < CL_CODE_MOST_WISHES; ++v)
        name_program(plan, cl_plan_variant(plan, v), which, &requests[(*n)++]);
}

/* Arguments that stay the same as long as the plan lives. */
static shoal_status bind(cl_plan *plan, const cl_variant *v, cl_kernel_entry *k)
{
    cl_routine *r = &k->routine;
    const double damping = plan->input->options->coulomb_damping;
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
    SHOAL_TRY(cl_routine_real(r, FIRST_SYSTEM + 1, "damping2", damping * damping));
    k->next = LOCAL_MEMORY + 1; /* that one is set at launch, like the first system */
    SHOAL_TRY(cl_surface_bind(&plan->surface, r, &k->next));
    SHOAL_TRY(cl_direct_bind(&plan->direct, r, &k->next));
    if (v->model >= 0)
        SHOAL_TRY(cl_model_bind((const cl_model *)plan->models.data + v->model, r, &k->next));
    return v->sites ? cl_routine_buffer(r, k->next++, "sites", &plan->sites) : SHOAL_OK;
}

shoal_status cl_plan_kernel(cl_plan *plan, int32_t variant, int which, cl_kernel_entry **out)
{
    cl_variant *v = cl_plan_variant(plan, variant);
    cl_kernel_entry *k = *out = &v->kernels[which];
    cl_code_request program;
    if (k->routine.kernel) return SHOAL_OK;
    name_program(plan, v, which, &program);
    if (!k->code.program) SHOAL_TRY(cl_code_build_request(&k->code, plan->target, &program));
    cl_routine routine;
    SHOAL_TRY(cl_routine_create(&routine, &k->code, kernel_names[which]));
    k->routine = routine;
    const shoal_status status = bind(plan, v, k);
    if (status != SHOAL_OK) cl_routine_free(&k->routine); /* half bound it is worth nothing */
    return status;
}

void cl_plan_free_kernels(cl_plan *plan)
{
    for (int32_t v = 0; v < plan->variants.n; ++v)
        for (int which = 0; which < CL_N_KERNELS; ++which) {
            cl_kernel_entry *k = &cl_plan_variant(plan, v)->kernels[which];
            cl_routine_free(&k->routine);
            cl_code_free(&k->code);
        }
}

/* The clamp of a system's pairs, which is a float's number. */
static layout_int clamp_bits(const cl_plan *plan, const cl_place *place)
{
    const float clamp = (float)plan->input->systems[place->system].pair_clamp;
    layout_int bits;
    memcpy(&bits, &clamp, sizeof bits);
    return bits;
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
                                                      .clamp = clamp_bits(plan, &places[k]),
                                                      .index = k};
    SHOAL_TRY(cl_buffer_write(&plan->systems, 0, (size_t)n * sizeof *plan->host_systems,
                              plan->host_systems));
    if (all) plan->sent = slice;
    *n_sent = n;
    return SHOAL_OK;
}

/* Devices do not notice a work-group that writes beyond its local memory. */
static shoal_status check_room(const cl_plan *plan, const cl_class *class, int32_t first,
                               int32_t last)
{
    const cl_place *places = plan->order + plan->slice->first;
    for (int32_t k = first; k < last; ++k) {
        const cl_class *own = &plan->classes[places[plan->host_systems[k].index].class];
        if (own->local_bytes > class->local_bytes)
            return shoal_fail(
                SHOAL_E_DEVICE, "%s: a launch with %zu bytes of local memory, a system needs %zu",
                plan->target->device.info.device, class->local_bytes, own->local_bytes);
    }
    return SHOAL_OK;
}

static shoal_status launch(cl_plan *plan, int which, const cl_class *class, int32_t first,
                           int32_t last)
{
    cl_kernel_entry *k;
    SHOAL_TRY(check_room(plan, class, first, last));
    SHOAL_TRY(cl_plan_kernel(plan, class->variant, which, &k));
    SHOAL_TRY(cl_routine_int(&k->routine, FIRST_SYSTEM, "first_system", first));
    if (k->local_bytes != class->local_bytes)
        SHOAL_TRY(cl_routine_local(&k->routine, LOCAL_MEMORY, "memory", class->local_bytes));
    k->local_bytes = class->local_bytes;
    return cl_routine_launch(&k->routine, (size_t)(last - first),
                             (size_t)cl_plan_variant(plan, class->variant)->group_size);
}

shoal_status cl_plan_launch(cl_plan *plan, const bool *marked, bool all, int which)
{
    const cl_place *places = plan->order + plan->slice->first;
    const int32_t enough = BUSY_GROUPS * plan->target->device.info.compute_units;
    int32_t n;
    SHOAL_TRY(send_records(plan, marked, all, &n));
    for (int32_t first = 0, last; first < n; first = last) {
        const cl_class *class = &plan->classes[places[plan->host_systems[first].index].class];
        for (last = first + 1; last < n; ++last) {
            const cl_class *next = &plan->classes[places[plan->host_systems[last].index].class];
            if (next == class) continue;
            if (next->variant != class->variant || last - first >= enough) break;
            class = next; /* it needs more memory than those before */
        }
        SHOAL_TRY(launch(plan, which, class, first, last));
    }
    return SHOAL_OK;
}
