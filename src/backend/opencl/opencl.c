/* SPDX-License-Identifier: BSD-3-Clause
 * The OpenCL backend: small systems, one work-group each, and large or periodic ones, many work-groups each.
 * Parts are slices of the small systems, then slices of the large ones. */
#include "backend/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/opencl/large/cl_large.h"
#include "backend/opencl/small/cl_plan.h"
#include "base/alloc.h"

/* Steps between two looks of the host: a look costs a GPU as much as ten steps of a small molecule, and
 * processors should report now and then. */
enum { GPU_ROUND = 500, CPU_ROUND = 250, LARGE_ROUND = 48 };

typedef struct opencl_plan {
    cl_target *target;
    cl_plan *small;
    cl_large *large; /* NULL if there are none */
    int32_t slice;   /* of the small systems; beyond the last: the present part is of large ones */
} opencl_plan;

static shoal_status opencl_open(void **device, const char *argument)
{
    cl_shared *shared;
    SHOAL_TRY(cl_shared_open(&shared, argument));
    *device = shared;
    return SHOAL_OK;
}

static void plan_destroy(void *p)
{
    opencl_plan *plan = p;
    if (!plan) return;
    cl_large_destroy(plan->large);
    cl_plan_destroy(plan->small);
    if (plan->target) cl_target_close(plan->target);
    free(plan);
}

static shoal_status build(opencl_plan *plan, cl_shared *device, const backend_input *input)
{
    SHOAL_TRY(cl_target_create(&plan->target, device, false));
    plan->target->dry = input->dry;
    if (input->precision == SHOAL_PRECISION_DOUBLE && !plan->target->device.info.fp64)
        return shoal_fail(SHOAL_E_DEVICE, "'%s' has no double precision",
                          plan->target->device.info.name);
    SHOAL_TRY(cl_plan_create(&plan->small, plan->target, input));
    if (plan->small->n_large == 0) return SHOAL_OK;
    return cl_large_create(&plan->large, plan->target, input, plan->small->large_systems,
                           plan->small->n_large);
}

static shoal_status plan_create(void **out, void *device, const backend_input *input)
{
    opencl_plan *plan = shoal_alloc(1, sizeof *plan);
    if (!plan) return SHOAL_E_MEMORY;
    const shoal_status status = build(plan, device, input);
    if (status != SHOAL_OK) {
        plan_destroy(plan);
        return status;
    }
    *out = plan;
    return SHOAL_OK;
}

static bool is_small(const opencl_plan *plan)
{
    return plan->slice < plan->small->n_slices;
}

/* Builds all programs of a run at once, and no others. */
static shoal_status build_programs(const opencl_plan *plan, const backend_driver *driver,
                                   int method)
{
    cl_code_request requests[CL_CODE_MOST_WISHES];
    int32_t n = 0;
    cl_plan_request(plan->small, CL_EVAL, requests, &n);
    const bool rigid = method == LARGE_MD && driver->md->rigid;
    const int kernel = rigid                  ? CL_MD_RIGID
                       : method == LARGE_MD   ? CL_MD
                       : method == LARGE_FIRE ? CL_FIRE
                                              : CL_LBFGS;
    if (driver) cl_plan_request(plan->small, kernel, requests, &n);
    if (plan->large)
        cl_large_request(plan->large, method, rigid, driver && driver->bodies, requests, &n);
    return cl_code_prepare(plan->target, requests, n);
}

static shoal_status plan_first(void *p, const backend_driver *driver, backend_result *results)
{
    opencl_plan *plan = p;
    const int method = !driver                               ? LARGE_EVAL
                       : driver->md                          ? LARGE_MD
                       : driver->method == SHOAL_METHOD_FIRE ? LARGE_FIRE
                                                             : LARGE_LBFGS;
    plan->slice = -1;
    plan->small->dynamics = method == LARGE_MD;
    SHOAL_TRY(build_programs(plan, driver, method));
    return plan->large ? cl_large_begin(plan->large, method, results) : SHOAL_OK;
}

static shoal_status plan_next(void *p, const backend_result *results, backend_part *part)
{
    opencl_plan *plan = p;
    const bool gpu = plan->target->device.info.type == SHOAL_DEVICE_GPU;
    *part = (backend_part){.round = gpu ? GPU_ROUND : CPU_ROUND};
    while (is_small(plan) && part->n == 0) {
        ++plan->slice;
        if (!is_small(plan)) break;
        SHOAL_TRY(cl_plan_select(plan->small, plan->slice, results));
        part->n = plan->small->n_part;
        part->systems = plan->small->part;
    }
    if (part->n > 0 || !plan->large) return SHOAL_OK;
    SHOAL_TRY(cl_large_next_slice(plan->large, results));
    *part = (backend_part){.n = plan->large->n, .systems = plan->large->part, .round = LARGE_ROUND};
    return SHOAL_OK;
}

static shoal_status plan_eval(void *p, uint32_t wanted)
{
    opencl_plan *plan = p;
    return is_small(plan) ? cl_plan_eval(plan->small, wanted) : cl_large_eval(plan->large, wanted);
}

static shoal_status plan_start(void *p, const backend_driver *driver, const backend_result *results)
{
    opencl_plan *plan = p;
    return is_small(plan) ? cl_plan_start(plan->small, driver, results)
                          : cl_large_start(plan->large, driver, results);
}

static shoal_status plan_step(void *p, int32_t n_steps, uint32_t wanted, const backend_poll *poll)
{
    opencl_plan *plan = p;
    return is_small(plan) ? cl_plan_step(plan->small, n_steps, wanted)
                          : cl_large_step(plan->large, n_steps, poll);
}

static shoal_status plan_read(void *p, uint32_t fields, backend_result *results)
{
    opencl_plan *plan = p;
    return is_small(plan) ? cl_plan_read(plan->small, fields, results)
                          : cl_large_read_fields(plan->large, fields, results);
}

/* Small systems have no lists. */
static shoal_status plan_field(void *p, const char *name, backend_field *out)
{
    opencl_plan *plan = p;
    return is_small(plan) ? cl_plan_field(plan->small, name, out)
                          : cl_large_field(plan->large, name, out);
}

static shoal_status pass_state(opencl_plan *plan, state_pass *to)
{
    return is_small(plan) ? cl_plan_pass(plan->small, to) : cl_large_pass(plan->large, to);
}

static shoal_status plan_save(void *p, backend_result *results, shoal_string *out)
{
    state_pass to = {.to = out};
    SHOAL_TRY(pass_state(p, &to));
    return plan_read(p, BACKEND_POSITIONS | BACKEND_STEPS, results);
}

static shoal_status plan_load(void *p, const void *state, size_t size)
{
    state_pass from = {.from = state, .left = size};
    return pass_state(p, &from);
}

static shoal_status plan_change(void *p, const backend_change *change, bool *taken)
{
    opencl_plan *plan = p;
    SHOAL_TRY(cl_plan_change(plan->small, change, taken));
    return *taken && plan->large ? cl_large_change(plan->large, change, taken) : SHOAL_OK;
}

/* All that a relaxation would take. */
static shoal_status plan_describe(void *p, backend_result *results, shoal_plan *out)
{
    opencl_plan *plan = p;
    SHOAL_TRY(cl_plan_driver_buffers(plan->small, CL_LBFGS));
    out->n_small = plan->small->n_order;
    out->n_slices = plan->small->n_slices;
    out->device_memory = plan->target->device.info.memory_bytes;
    out->device_bytes = plan->target->allocated_bytes;
    out->host_bytes += (int64_t)plan->small->staging_size;
    (void)snprintf(out->name, sizeof out->name, "%s", plan->target->device.info.name);
    return plan->large ? cl_large_describe(plan->large, results, out) : SHOAL_OK;
}

const shoal_backend shoal_backend_opencl = {
    .name = "opencl",
    .shared = true,
    .precision = SHOAL_PRECISION_FLOAT,
    .open = opencl_open,
    .create = plan_create,
    .destroy = plan_destroy,
    .first = plan_first,
    .next = plan_next,
    .eval = plan_eval,
    .start = plan_start,
    .step = plan_step,
    .save = plan_save,
    .load = plan_load,
    .read = plan_read,
    .change = plan_change,
    .field = plan_field,
    .describe = plan_describe,
};
