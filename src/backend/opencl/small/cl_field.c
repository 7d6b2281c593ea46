/* SPDX-License-Identifier: BSD-3-Clause
 * Slots of a small system, and who gathers them, for looking at. */
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/small/cl_plan.h"
#include "base/alloc.h"

static shoal_status field_alloc(backend_field *out, int32_t rows, int32_t columns)
{
    out->rows = rows;
    out->columns = columns;
    out->values = shoal_alloc((size_t)rows * (size_t)columns + 1, sizeof *out->values);
    return out->values ? SHOAL_OK : SHOAL_E_MEMORY;
}

/* One evaluation more, by a kernel that brings the slots out of the local memory. */
static shoal_status run_slots(cl_plan *plan, const cl_buffer *slots, void *to, size_t size)
{
    const int32_t variant = plan->classes[plan->order[plan->slice->first].class].variant;
    cl_kernel_entry *k;
    SHOAL_TRY(cl_plan_kernel(plan, variant, CL_SLOTS, &k));
    SHOAL_TRY(cl_routine_buffer(&k->routine, k->next, "slots", slots));
    SHOAL_TRY(cl_plan_launch(plan, plan->active, true, CL_SLOTS));
    return cl_buffer_read(slots, 0, size, to);
}

static shoal_status read_slots(cl_plan *plan, int32_t rows, backend_field *out)
{
    const size_t n = 4 * (size_t)rows;
    cl_buffer slots = {0};
    void *host = shoal_alloc(n, plan->real);
    if (!host) return SHOAL_E_MEMORY;
    shoal_status status = cl_buffer_create(&slots, plan->target, "slots", n, plan->real, NULL);
    if (status == SHOAL_OK) status = run_slots(plan, &slots, host, n * plan->real);
    if (status == SHOAL_OK) status = field_alloc(out, rows, 4);
    for (size_t k = 0; k < n && status == SHOAL_OK; ++k)
        out->values[k] = cl_real_get(plan->is_double, host, k);
    cl_buffer_free(&slots);
    free(host);
    return status;
}

/* Rows of a mover and a slot that it adds up; lists are filled up with slot 0, which is left out. */
static shoal_status read_gather(const cl_plan *plan, const topology_record *t, backend_field *out)
{
    const int32_t *start = (const int32_t *)plan->pack.gather_start.data + t->gather_start;
    const cl_word4 *gather = (const cl_word4 *)plan->pack.gather.data + t->gather;
    const int32_t n = t->n_points + t->n_directions;
    int32_t rows = 0;
    SHOAL_TRY(field_alloc(out, 4 * (start[n] - start[0]), 2));
    for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 4 * start[i]; k < 4 * start[i + 1]; ++k) {
            const uint32_t slot =
                gather[k / 4].v[k % 4] / (uint32_t)cl_pack_slot_bytes(&plan->pack);
            if (slot == 0) continue;
            out->values[2 * rows] = i;
            out->values[2 * rows++ + 1] = slot;
        }
    out->rows = rows;
    return SHOAL_OK;
}

shoal_status cl_plan_field(cl_plan *plan, const char *name, backend_field *out)
{
    const cl_place *place = &plan->order[plan->slice->first];
    const topology_record *t = (const topology_record *)plan->pack.records.data + place->record;
    if (strcmp(name, "slots") == 0)
        return read_slots(plan, t->n_slots + t->n_points + t->n_sites, out);
    return strcmp(name, "gather") == 0 ? read_gather(plan, t, out) : SHOAL_OK;
}
