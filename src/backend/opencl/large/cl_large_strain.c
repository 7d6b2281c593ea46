/* SPDX-License-Identifier: BSD-3-Clause
 * Slopes of energies by strain of systems that repeat: summed by blocks and particles on the device, put together here
 * in that order, with what k-vectors, the volume and restraints have in them. */
#include <stdlib.h>

#include "backend/opencl/large/cl_large.h"
#include "backend/strain.h"
#include "base/alloc.h"
#include "geom/vector.h"

static bool any_repeats(const cl_large *large)
{
    for (int32_t k = 0; k < large->n; ++k)
        if (cl_large_at(large, k)->layout.periodic) return true;
    return false;
}

shoal_status cl_large_launch_strain(cl_large *large)
{
    large->strained = any_repeats(large);
    if (!large->strained) return SHOAL_OK;
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_strain_terms));
    SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_strain_sites));
    return cl_large_launch_image_strain(large);
}

/* sums[][4]: twice the weight times the sum of q exp(i k r), for every k-vector of the system. */
static shoal_status add_kvecs(const cl_large *large, const cl_large_place *p, const void *sums,
                              double out[6])
{
    cl_kvec *kvecs = shoal_alloc((size_t)p->ewald.n_kvecs, sizeof *kvecs);
    if (!kvecs) return SHOAL_E_MEMORY;
    (void)cl_ewald_list(&p->ewald, p->damping, kvecs);
    for (int32_t w = 0; w < p->ewald.n_kvecs; ++w) {
        const size_t at = 4 * ((size_t)p->layout.kvec + (size_t)w);
        const double re = cl_real_get(large->is_double, sums, at);
        const double im = cl_real_get(large->is_double, sums, at + 1);
        const double energy = kvecs[w].weight > 0 ? (re * re + im * im) / (4 * kvecs[w].weight) : 0;
        const double slope =
            ewald_transform_slope(p->ewald.alpha, p->damping, vector_dot(kvecs[w].k, kvecs[w].k));
        if (energy > 0)
            strain_add_kvec(kvecs[w].k, energy,
                            energy * slope / (p->ewald.volume * kvecs[w].weight), out);
    }
    free(kvecs);
    return SHOAL_OK;
}

static void add_sums(const cl_large *large, const cl_large_place *p, const void *strains,
                     double out[6])
{
    const large_topology *t = cl_large_topology(large, p);
    const int32_t n_sites = (t->n_sites + LARGE_GROUP - 1) / LARGE_GROUP;
    const int32_t n =
        p->layout.bonded + t->n_points + t->n_sites + n_sites + cl_large_mode_blocks(&p->layout);
    for (int32_t i = 0; i < n; ++i)
        for (size_t c = 0; c < 6; ++c)
            out[c] += cl_real_get(large->is_double, strains,
                                  4 * ((size_t)p->layout.strain + 2 * (size_t)i) + c);
}

shoal_status cl_large_read_strain(cl_large *large, backend_result *results)
{
    void *strains, *sums = NULL;
    if (!large->strained) return SHOAL_OK;
    SHOAL_TRY(cl_large_read(large, CL_LARGE_strains, &strains));
    if (large->counts[CL_LARGE_kvec_sums] > 0)
        SHOAL_TRY(cl_large_read(large, CL_LARGE_kvec_sums, &sums));
    for (int32_t k = 0; k < large->n; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const backend_system *s = &large->input->systems[p->system];
        double *out = results[p->system].strain;
        if (!p->layout.periodic) continue;
        for (int c = 0; c < 6; ++c) out[c] = 0;
        add_sums(large, p, strains, out);
        if (p->ewald.n_kvecs > 0) SHOAL_TRY(add_kvecs(large, p, sums, out));
        strain_add_volume(s, large->input->options, &p->cell, p->ewald.alpha, p->damping, out);
        strain_add_restraints(s, (const double(*)[3])results[p->system].pos, large->input->options,
                              out);
    }
    return SHOAL_OK;
}
