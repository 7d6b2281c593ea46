/* SPDX-License-Identifier: BSD-3-Clause
 * Other parameters for a plan of small systems: packed again, and what is not the same sent to the device. */
#include <stdlib.h>

#include "backend/opencl/small/cl_plan.h"
#include "base/alloc.h"

/* A system of every topology, by the number of its record. */
static shoal_status find_firsts(const cl_plan *plan, int32_t **out)
{
    *out = shoal_alloc((size_t)plan->pack.records.n, sizeof **out);
    if (!*out) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < plan->n_order; ++k)
        (*out)[plan->order[k].record] = plan->order[k].system;
    return SHOAL_OK;
}

static shoal_status pack_again(const cl_plan *plan, cl_pack *pack, bool *small)
{
    int32_t *firsts;
    SHOAL_TRY(find_firsts(plan, &firsts));
    shoal_status status = SHOAL_OK;
    *small = true;
    cl_pack_begin(pack, plan->is_double, plan->input->options, plan->pack.local_limit,
                  plan->pack.group);
    for (int32_t k = 0; k < plan->pack.records.n && *small && status == SHOAL_OK; ++k)
        status = cl_pack_add(pack, &plan->input->systems[firsts[k]].view, small);
    free(firsts);
    return status;
}

/* Field by field: what lies between them is not defined. */
static bool same_shapes(const cl_pack *a, const cl_pack *b)
{
    const cl_shape *x = a->shapes.data, *y = b->shapes.data;
    if (!cl_array_is_like(&a->shapes, &b->shapes)) return false;
    for (int32_t k = 0; k < a->shapes.n; ++k)
        if (x[k].group_size != y[k].group_size || x[k].local_bytes != y[k].local_bytes)
            return false;
    return true;
}

/* Whether what is not a parameter is as it was, and parameters have the same places. */
static bool fits(const cl_pack *a, const cl_pack *b)
{
    return same_shapes(a, b) && cl_array_is_equal(&a->records, &b->records) &&
           cl_array_is_equal(&a->gather_start, &b->gather_start) &&
           cl_array_is_equal(&a->gather, &b->gather) &&
           cl_array_is_equal(&a->exclude, &b->exclude) && cl_array_is_equal(&a->sites, &b->sites) &&
           cl_array_is_like(&a->bonds, &b->bonds) && cl_array_is_like(&a->angles, &b->angles) &&
           cl_array_is_like(&a->torsions, &b->torsions) && cl_array_is_like(&a->plain, &b->plain) &&
           cl_array_is_like(&a->centres, &b->centres) && cl_array_is_like(&a->forms, &b->forms) &&
           cl_array_is_like(&a->atoms, &b->atoms) && cl_array_is_like(&a->numbers, &b->numbers);
}

static shoal_status send(cl_plan *plan, const cl_pack *now)
{
    const cl_pack *p = &plan->pack;
    SHOAL_TRY(cl_array_renew(&plan->bonds, &p->bonds, &now->bonds));
    SHOAL_TRY(cl_array_renew(&plan->angles, &p->angles, &now->angles));
    SHOAL_TRY(cl_array_renew(&plan->torsions, &p->torsions, &now->torsions));
    SHOAL_TRY(cl_array_renew(&plan->plain, &p->plain, &now->plain));
    SHOAL_TRY(cl_array_renew(&plan->centres, &p->centres, &now->centres));
    SHOAL_TRY(cl_array_renew(&plan->forms, &p->forms, &now->forms));
    SHOAL_TRY(cl_array_renew(&plan->atoms, &p->atoms, &now->atoms));
    return cl_array_renew(&plan->numbers, &p->numbers, &now->numbers);
}

shoal_status cl_plan_change(cl_plan *plan, const backend_change *change, bool *taken)
{
    cl_pack now;
    if (plan->input->options->surface && change->atoms) { /* whose tables follow from the atoms */
        *taken = false;
        return SHOAL_OK;
    }
    cl_plan_settle(plan);
    shoal_status status = pack_again(plan, &now, taken);
    *taken = *taken && status == SHOAL_OK && fits(&plan->pack, &now);
    if (*taken) status = send(plan, &now);
    if (*taken) {
        const cl_pack before = plan->pack;
        plan->pack = now;
        now = before;
        if (change->terms) plan->preconditioned = NULL;
    }
    cl_pack_free(&now);
    return status;
}
