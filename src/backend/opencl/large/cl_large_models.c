/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of large systems, one program for every pair model: a launch works on the systems with the same one. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/opencl/large/cl_large.h"
#include "base/alloc.h"

cl_large_pairs *cl_large_pairs_at(const cl_large *large, int32_t k)
{
    return (cl_large_pairs *)large->pairs.data + k;
}

shoal_status cl_large_find_pairs(cl_large *large, const shoal_pair_model *model, bool clamped,
                                 int32_t *out)
{
    for (*out = 0; *out < large->pairs.n; ++*out) {
        const cl_large_pairs *p = cl_large_pairs_at(large, *out);
        if (p->model.model == model && p->clamped == clamped) return SHOAL_OK;
    }
    cl_large_pairs made = {.clamped = clamped};
    if (model) SHOAL_TRY(cl_model_create(&made.model, model, large->input->options));
    cl_large_pairs *to = cl_array_append(&large->pairs, 1);
    if (!to) {
        cl_model_free(&made.model);
        return SHOAL_E_MEMORY;
    }
    *to = made;
    return SHOAL_OK;
}

void cl_large_free_pairs(cl_large *large)
{
    for (int32_t m = 0; m < large->pairs.n; ++m) {
        cl_large_pairs *p = cl_large_pairs_at(large, m);
        for (int k = 0; k < 3; ++k) cl_routine_free(&p->kernels[k].routine);
        for (int k = 0; k < 2; ++k) cl_code_free(&p->codes[k]);
        cl_model_free(&p->model);
    }
    free(large->pairs.data);
}

static void name_program(const cl_large *large, const cl_large_pairs *p, const char *source,
                         cl_code_request *out)
{
    const shoal_engine_options *o = large->input->options;
    const bool own = p->model.model != NULL;
    out->text = p->model.text.data;
    (void)snprintf(out->source, sizeof out->source, "%s", source);
    (void)snprintf(out->options, sizeof out->options,
                   "-cl-mad-enable -cl-denorms-are-zero%s%s%s%s%s",
                   p->clamped ? " -DSHOAL_CLAMP" : "", own ? " -DSHOAL_CHARGES" : "",
                   !own && o->coulomb_damping > 0 ? " -DSHOAL_DAMPED" : "",
                   !own && o->mixing == SHOAL_MIXING_ARITHMETIC ? " -DSHOAL_ARITHMETIC" : "",
                   large->is_double ? " -DSHOAL_DOUBLE" : "");
}

static const char *const sources[2] = {"large_pairs.cl", "large_image_strain.cl"};

/* Whether any system has this model. */
static bool is_used(const cl_large *large, int32_t pairs)
{
    for (int32_t k = 0; k < large->n_places; ++k)
        if (large->places[k].record >= 0 && large->places[k].pairs == pairs) return true;
    return false;
}

void cl_large_request_pairs(const cl_large *large, cl_code_request *requests, int32_t *n)
{
    for (int32_t m = 0; m < large->pairs.n && *n < CL_CODE_MOST_WISHES; ++m)
        if (is_used(large, m))
            name_program(large, cl_large_pairs_at(large, m), sources[0], &requests[(*n)++]);
}

static shoal_status launch(cl_large *large, cl_large_pairs *p, int which)
{
    static const char *const names[3] = {"large_pairs", "large_images", "large_image_strain"};
    const int list = which == 0 ? 0 : 1, source = which == 2;
    cl_large_kernel *k = &p->kernels[which];
    int32_t next = CL_LARGE_N_BUFFERS + 1; /* behind the first block */
    bool fresh;
    if (!p->codes[source].program) {
        cl_code_request request;
        name_program(large, p, sources[source], &request);
        SHOAL_TRY(cl_code_build_request(&p->codes[source], large->target, &request));
    }
    if (!k->routine.kernel)
        SHOAL_TRY(cl_routine_create(&k->routine, &p->codes[source], names[which]));
    SHOAL_TRY(cl_large_bind(large, k, &fresh));
    if (fresh && p->model.model) SHOAL_TRY(cl_model_bind(&p->model, &k->routine, &next));
    return cl_large_run(k, p->list_first[list], p->list_n[list]);
}

shoal_status cl_large_launch_image_strain(cl_large *large)
{
    for (int32_t m = 0; m < large->pairs.n; ++m) {
        cl_large_pairs *p = cl_large_pairs_at(large, m);
        if (p->list_n[1] > 0) SHOAL_TRY(launch(large, p, 2));
    }
    return SHOAL_OK;
}

shoal_status cl_large_launch_pairs(cl_large *large, int kernel)
{
    const int which = kernel == CL_LARGE_K_images;
    for (int32_t m = 0; m < large->pairs.n; ++m) {
        cl_large_pairs *p = cl_large_pairs_at(large, m);
        if (p->list_n[which] > 0) SHOAL_TRY(launch(large, p, which));
    }
    return SHOAL_OK;
}

bool cl_large_has_coulomb(const cl_large *large, const cl_large_place *p)
{
    const cl_model *m = &cl_large_pairs_at(large, p->pairs)->model;
    if (!large->input->systems[p->system].view.has_charges) return false;
    return !m->model || (m->coulomb != SHOAL_COULOMB_NONE && !m->model->formula);
}
