/* SPDX-License-Identifier: BSD-3-Clause
 * The tables of direct sums over a surface on an OpenCL device. */
#include "backend/opencl/cl_direct.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "layout.h"

static size_t real_size(const cl_direct *d)
{
    return d->is_double ? sizeof(double) : sizeof(float);
}

static void put(const cl_direct *d, void *array, size_t i, double value)
{
    if (d->is_double)
        ((double *)array)[i] = value;
    else
        ((float *)array)[i] = (float)value;
}

/* Programs know the family of a pair model, and all else that is the same for all pairs. */
static void define(cl_direct *d)
{
    const surface_pairs *p = d->sum->pairs;
    const char *charges = d->sum->charged ? " -DSHOAL_DIRECT_CHARGES" : "";
    if (!p) {
        (void)snprintf(d->definitions, sizeof d->definitions, " -DSHOAL_DIRECT%s%s",
                       d->sum->form == SHOAL_SURFACE_LJ ? " -DSHOAL_DIRECT_LJ" : "", charges);
        return;
    }
    (void)snprintf(d->definitions, sizeof d->definitions,
                   " -DSHOAL_DIRECT -DSHOAL_DIRECT_FAMILY=%d -DSHOAL_DIRECT_COULOMB=%d%s%s%s",
                   p->family, (int)p->settings.coulomb,
                   p->family != FORM_MORSE ? " -DSHOAL_DIRECT_LJ" : "",
                   p->settings.dispersion_damping > 0.0 ? " -DSHOAL_DIRECT_DAMPED=1" : "", charges);
}

void cl_direct_begin(cl_direct *d, const shoal_surface *surface, bool is_double)
{
    *d = (cl_direct){.surface = surface, .is_double = is_double};
    if (surface) d->sum = is_double ? surface->sum : surface->coarse;
    if (surface) define(d);
    d->row = surface && surface->pairs ? 1 + ((size_t)d->sum->n_kvec_channels + 3) / 4 : 2;
    if (d->row < 2) d->row = 2; /* kernels look at two */
    d->weights.size = 4 * d->row * real_size(d);
}

void cl_direct_free(cl_direct *d)
{
    cl_buffer_free(&d->numbers);
    cl_buffer_free(&d->sites);
    cl_buffer_free(&d->bins);
    cl_buffer_free(&d->kvecs);
    cl_buffer_free(&d->powers);
    cl_buffer_free(&d->atoms);
    cl_buffer_free(&d->zeros);
    free(d->weights.data);
    free(d->host_zeros);
    *d = (cl_direct){0};
}

shoal_status cl_direct_add(cl_direct *d, const shoal_topology_view *v)
{
    if (!d->surface) return SHOAL_OK;
    const int32_t n = v->n_atoms + v->n_sites;
    SHOAL_TRY(
        shoal_grow(&d->weights.data, &d->weights.capacity, d->weights.n + n, d->weights.size));
    for (int32_t i = 0; i < n; ++i) {
        double row[4 * (1 + SHOAL_N_CHANNELS)] = {0}, w[SHOAL_N_CHANNELS];
        const size_t at = 4 * d->row * (size_t)d->weights.n++;
        surface_atom_weights(d->surface, v, i, d->surface->pairs ? w : row);
        if (d->surface->pairs) {
            double numbers[PAIR_NUMBERS];
            surface_atom_numbers(d->surface, v, i, numbers);
            for (int k = 0; k < 4; ++k) row[k] = numbers[k];
            for (int32_t k = 0; k < d->sum->n_kvec_channels; ++k)
                row[4 + k] = w[d->sum->kvec_channels[k]];
        }
        for (size_t c = 0; c < 4 * d->row; ++c) put(d, d->weights.data, at + c, row[c]);
    }
    return SHOAL_OK;
}

static void put_form(const surface_pairs *p, size_t row, double n[LAYOUT_DIRECT])
{
    n[DIRECT_C_A] = p->c_a;
    n[DIRECT_C_B] = p->c_b;
    n[DIRECT_H_A] = p->h_a;
    n[DIRECT_H_B] = p->h_b;
    n[DIRECT_K0] = p->k0;
    n[DIRECT_K1] = p->k1;
    n[DIRECT_BETA] = p->settings.dispersion_damping;
    n[DIRECT_D] = p->settings.coulomb_damping;
    n[DIRECT_ROW] = (double)row;
}

static shoal_status send_numbers(cl_direct *d, cl_target *target)
{
    const surface_sum *s = d->sum;
    double n[LAYOUT_DIRECT] = {0}, reals[LAYOUT_DIRECT] = {0};
    n[DIRECT_ALPHA] = s->alpha;
    n[DIRECT_ETA] = s->eta;
    n[DIRECT_DAMPING2] = s->damping * s->damping;
    n[DIRECT_REACH] = s->reach;
    n[DIRECT_WIDTH] = s->bin_width;
    for (int k = 0; k < 2; ++k) {
        n[DIRECT_ORIGIN + k] = s->bin_origin[k];
        n[DIRECT_BINS + k] = s->n_bins[k];
        for (int c = 0; c < 2; ++c) {
            n[DIRECT_CELL + 2 * k + c] = s->cell[k][c];
            n[DIRECT_DUAL + 2 * k + c] = s->dual[k][c];
        }
    }
    n[DIRECT_KVECS] = s->n_kvecs;
    n[DIRECT_PANELS] = s->n_panels;
    n[DIRECT_PANEL] = s->panel;
    n[DIRECT_Z_LOW] = s->z_low;
    n[DIRECT_Z_HIGH] = s->z_high;
    n[DIRECT_DEGREE] = s->degree;
    n[DIRECT_CHANNELS] = s->n_kvec_channels;
    for (int32_t k = 0; k < s->n_kvec_channels && !s->pairs; ++k)
        n[DIRECT_CHANNEL + k] = s->kvec_channels[k];
    if (s->pairs) put_form(s->pairs, d->row, n);
    for (size_t k = 0; k < LAYOUT_DIRECT; ++k) put(d, reals, k, n[k]);
    return cl_buffer_create(&d->numbers, target, "direct_numbers", LAYOUT_DIRECT, real_size(d),
                            reals);
}

static shoal_status send_sites(cl_direct *d, cl_target *target)
{
    const size_t n = (size_t)d->sum->n_sites;
    void *staged = shoal_alloc(n, SITE_SIZE * real_size(d));
    if (!staged) return SHOAL_E_MEMORY;
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < SITE_SIZE; ++k)
            put(d, staged, SITE_SIZE * i + k, d->sum->sites[i][k]);
    const shoal_status status =
        cl_buffer_create(&d->sites, target, "direct_sites", n, SITE_SIZE * real_size(d), staged);
    free(staged);
    SHOAL_TRY(status);
    const size_t n_bins = (size_t)d->sum->n_bins[0] * (size_t)d->sum->n_bins[1] + 1;
    return cl_buffer_create(&d->bins, target, "direct_bins", n_bins, sizeof *d->sum->bin_start,
                            d->sum->bin_start);
}

/* Without k-vectors the buffers hold one number, which nobody reads. */
static shoal_status send_kvecs(cl_direct *d, cl_target *target)
{
    const surface_sum *s = d->sum;
    const size_t n = (size_t)s->n_kvecs + 1;
    void *staged = shoal_alloc(n, 4 * real_size(d));
    if (!staged) return SHOAL_E_MEMORY;
    for (size_t k = 0; k + 1 < n; ++k) {
        put(d, staged, 4 * k, s->kvecs[k].gx);
        put(d, staged, 4 * k + 1, s->kvecs[k].gy);
        put(d, staged, 4 * k + 2, s->kvecs[k].first);
        put(d, staged, 4 * k + 3, s->kvecs[k].n_panels);
    }
    const shoal_status status =
        cl_buffer_create(&d->kvecs, target, "direct_kvecs", n, 4 * real_size(d), staged);
    free(staged);
    SHOAL_TRY(status);
    const size_t n_powers =
        (size_t)s->n_polynomials * (size_t)s->n_kvec_channels * 2 * ((size_t)s->degree + 1);
    return cl_buffer_create(&d->powers, target, "direct_powers", n_powers > 0 ? n_powers : 1,
                            real_size(d), n_powers > 0 ? s->powers : NULL);
}

shoal_status cl_direct_create(cl_direct *d, cl_target *target, int32_t n_systems)
{
    if (!d->surface) return SHOAL_OK;
    SHOAL_TRY(send_numbers(d, target));
    SHOAL_TRY(send_sites(d, target));
    SHOAL_TRY(send_kvecs(d, target));
    SHOAL_TRY(cl_buffer_create(&d->atoms, target, "direct_atoms", (size_t)d->weights.n,
                               d->weights.size, d->weights.n > 0 ? d->weights.data : NULL));
    SHOAL_TRY(cl_buffer_create(&d->zeros, target, "direct_zeros", (size_t)n_systems,
                               4 * real_size(d), NULL));
    d->host_zeros = shoal_alloc((size_t)n_systems, 4 * real_size(d));
    return d->host_zeros ? SHOAL_OK : SHOAL_E_MEMORY;
}

void cl_direct_place(cl_direct *d, int32_t k, const double origin[3])
{
    double at[3] = {origin[0], origin[1], origin[2]};
    surface_sum_wrap(d->sum, &at[0], &at[1]);
    for (size_t c = 0; c < 3; ++c) put(d, d->host_zeros, 4 * (size_t)k + c, at[c]);
}

shoal_status cl_direct_send(cl_direct *d, int32_t n)
{
    return cl_buffer_write(&d->zeros, 0, 4 * (size_t)n * real_size(d), d->host_zeros);
}

const char *cl_direct_definitions(const cl_direct *d)
{
    return d->definitions;
}

shoal_status cl_direct_bind(const cl_direct *d, cl_routine *r, int32_t *next)
{
    if (!d->surface) return SHOAL_OK;
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "direct_numbers", &d->numbers));
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "direct_sites", &d->sites));
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "direct_bins", &d->bins));
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "direct_kvecs", &d->kvecs));
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "direct_powers", &d->powers));
    SHOAL_TRY(cl_routine_buffer(r, (*next)++, "direct_atoms", &d->atoms));
    return cl_routine_buffer(r, (*next)++, "direct_zeros", &d->zeros);
}
