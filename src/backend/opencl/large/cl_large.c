/* SPDX-License-Identifier: BSD-3-Clause
 * Large and periodic systems: programs, launches, single points. */
#include "backend/opencl/large/cl_large.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/stiffness.h"
#include "base/alloc.h"

#define SHOAL_REAL double
#include "pair_terms.h"

typedef struct kernel_row {
    const char *source, *name;
    int list;
} kernel_row;

static const kernel_row rows[CL_LARGE_N_KERNELS] = {
#define CL_LARGE_ROW(source, name, blocks)                                                         \
    {"large_" #source ".cl", "large_" #name, CL_LARGE_##blocks},
    CL_LARGE_KERNELS(CL_LARGE_ROW)
#undef CL_LARGE_ROW
};

cl_large_place *cl_large_at(const cl_large *large, int32_t k)
{
    return &large->places[large->order[large->first + k]];
}

const large_topology *cl_large_topology(const cl_large *large, const cl_large_place *p)
{
    return (const large_topology *)large->pack.topologies.data + p->record;
}

static int compare_topology(const void *a, const void *b)
{
    const backend_system *const *x = a, *const *y = b;
    if ((*x)->topology != (*y)->topology) return (*x)->topology < (*y)->topology ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* Packs every topology once and gives every system its place. */
static shoal_status pack_systems(cl_large *large, const backend_system **list, int32_t n)
{
    qsort((void *)list, (size_t)n, sizeof *list, compare_topology);
    for (int32_t k = 0; k < n; ++k) {
        const shoal_topology_view *v = &list[k]->view;
        cl_large_place *p = &large->places[large->n_places++];
        *p = (cl_large_place){.system = (int32_t)(list[k] - large->input->systems), .record = -1};
        if (k > 0 && list[k]->topology == list[k - 1]->topology)
            p->record = p[-1].record;
        else if (cl_large_pack_fits(v)) {
            SHOAL_TRY(cl_large_pack_add(&large->pack, v));
            SHOAL_TRY(cl_surface_add(&large->surface, v));
            SHOAL_TRY(cl_direct_add(&large->direct, v));
            p->record = large->pack.topologies.n - 1;
        }
        if (p->record >= 0)
            SHOAL_TRY(cl_large_find_pairs(large, v->model, list[k]->pair_clamp > 0, &p->pairs));
        const cl_model *m = &cl_large_pairs_at(large, p->pairs)->model;
        const bool damped = m->coulomb == SHOAL_COULOMB_DAMPED;
        p->damping = !m->model ? large->input->options->coulomb_damping : damped ? m->length : 0;
    }
    return SHOAL_OK;
}

enum { N_PACKED = 15 };

/* In the order of the buffers. */
static void list_arrays(const cl_large_pack *p, const cl_array *out[N_PACKED])
{
    const cl_array *const arrays[N_PACKED] = {
        &p->topologies, &p->term_atoms,    &p->term_shifts, &p->term_numbers, &p->gather_start,
        &p->gather,     &p->exclude_start, &p->exclude,     &p->atoms,        &p->link_start,
        &p->link_atoms, &p->link_shares,   &p->link_scales, &p->site_atoms,   &p->site_numbers};
    memcpy((void *)out, (const void *)arrays, sizeof arrays);
}

static shoal_status upload_topologies(cl_large *large)
{
    const cl_array *arrays[N_PACKED];
    list_arrays(&large->pack, arrays);
    static const char *const labels[] = {
        "topologies", "term_atoms",    "term_shifts", "term_numbers", "gather_start",
        "gather",     "exclude_start", "exclude",     "atoms",        "link_start",
        "link_atoms", "link_shares",   "link_scales", "site_atoms",   "site_numbers"};
    for (size_t k = 0; k < N_PACKED; ++k)
        SHOAL_TRY(cl_buffer_create(&large->buffers[k], large->target, labels[k],
                                   (size_t)arrays[k]->n, arrays[k]->size,
                                   arrays[k]->n > 0 ? arrays[k]->data : NULL));
    return cl_buffer_create(&large->buffers[CL_LARGE_settings], large->target, "settings",
                            LARGE_SETTINGS, cl_real_size(large->is_double), NULL);
}

static shoal_status pack_again(const cl_large *large, cl_large_pack *pack)
{
    cl_large_pack_begin(pack, large->is_double, large->input->options);
    for (int32_t k = 0; k < large->n_places; ++k) {
        const cl_large_place *p = &large->places[k];
        if (p->record == pack->topologies.n)
            SHOAL_TRY(cl_large_pack_add(pack, &large->input->systems[p->system].view));
    }
    return SHOAL_OK;
}

/* Sends what is not as it was, if it has the same place. */
static shoal_status renew(cl_large *large, const cl_large_pack *pack, bool *taken)
{
    const cl_array *before[N_PACKED], *now[N_PACKED];
    list_arrays(&large->pack, before);
    list_arrays(pack, now);
    *taken = true;
    for (int k = 0; k < N_PACKED; ++k) *taken = *taken && cl_array_is_like(before[k], now[k]);
    for (int k = 0; k < N_PACKED && *taken; ++k)
        SHOAL_TRY(cl_array_renew(&large->buffers[k], before[k], now[k]));
    return SHOAL_OK;
}

shoal_status cl_large_change(cl_large *large, const backend_change *change, bool *taken)
{
    cl_large_pack now;
    *taken = !(large->input->options->surface && change->atoms);
    if (!*taken) return SHOAL_OK; /* tables of the surface follow from the atoms */
    shoal_status status = pack_again(large, &now);
    if (status == SHOAL_OK) status = renew(large, &now, taken);
    if (status == SHOAL_OK && *taken) {
        const cl_large_pack before = large->pack;
        large->pack = now;
        now = before;
    }
    cl_large_pack_free(&now);
    return status;
}

static shoal_status build(cl_large *large, const int32_t *systems, int32_t n)
{
    large->places = shoal_alloc((size_t)n, sizeof *large->places);
    large->order = shoal_alloc((size_t)n, sizeof *large->order);
    large->part = shoal_alloc((size_t)n, sizeof *large->part);
    const backend_system **list = shoal_alloc((size_t)n, sizeof *list);
    shoal_status status = SHOAL_E_MEMORY;
    if (large->places && large->order && large->part && list) {
        for (int32_t k = 0; k < n; ++k) list[k] = &large->input->systems[systems[k]];
        const shoal_engine_options *o = large->input->options;
        const bool off = o->terms_off >> SHOAL_TERM_SURFACE & 1;
        cl_large_pack_begin(&large->pack, large->is_double, o);
        cl_surface_begin(&large->surface, o->surface, off ? NULL : o->grid, large->is_double,
                         o->n_threads);
        cl_direct_begin(&large->direct, off || o->grid ? NULL : o->surface, large->is_double);
        large->pairs.size = sizeof(cl_large_pairs);
        int32_t none;
        status = cl_large_find_pairs(large, NULL, false, &none);
        if (status == SHOAL_OK) status = pack_systems(large, list, n);
    }
    free((void *)list);
    if (status == SHOAL_OK) status = cl_surface_create(&large->surface, large->target, n);
    if (status == SHOAL_OK) status = cl_direct_create(&large->direct, large->target, n);
    return status == SHOAL_OK ? upload_topologies(large) : status;
}

shoal_status cl_large_create(cl_large **out, cl_target *target, const backend_input *input,
                             const int32_t *systems, int32_t n)
{
    cl_large *large = shoal_alloc(1, sizeof *large);
    if (!large) return SHOAL_E_MEMORY;
    large->input = input;
    large->target = target;
    large->is_double = input->precision == SHOAL_PRECISION_DOUBLE;
    const shoal_status status = build(large, systems, n);
    if (status != SHOAL_OK) {
        cl_large_destroy(large);
        return status;
    }
    *out = large;
    return SHOAL_OK;
}

void cl_large_destroy(cl_large *large)
{
    if (!large) return;
    for (int k = 0; k < CL_LARGE_N_KERNELS; ++k) cl_routine_free(&large->kernels[k].routine);
    for (int k = 0; k < CL_LARGE_N_KERNELS; ++k) cl_code_free(&large->codes[k]);
    cl_large_free_pairs(large);
    for (int k = 0; k < CL_LARGE_N_BUFFERS; ++k) cl_buffer_free(&large->buffers[k]);
    for (int k = 0; k < 3; ++k) cl_buffer_free(&large->rigid[k]);
    for (int k = 0; k < CL_BODY_BUFFERS; ++k) cl_buffer_free(&large->bodies[k]);
    cl_large_pack_free(&large->pack);
    cl_surface_free(&large->surface);
    cl_direct_free(&large->direct);
    arena_free(&large->memory);
    free(large->places);
    free(large->order);
    free(large->part);
    free(large->origins);
    free(large);
}

/* The first kernel of the same source: its program is that of all of them. */
static int owner_of(int kernel)
{
    int first = 0;
    while (strcmp(rows[first].source, rows[kernel].source) != 0) ++first;
    return first;
}

static void name_program(const cl_large *large, int kernel, cl_code_request *out)
{
    const bool assemble = owner_of(kernel) == CL_LARGE_K_spread;
    out->text = NULL;
    (void)snprintf(out->source, sizeof out->source, "%s", rows[kernel].source);
    (void)snprintf(out->options, sizeof out->options, "-cl-mad-enable -cl-denorms-are-zero%s%s%s",
                   assemble ? cl_direct_definitions(&large->direct) : "",
                   assemble && large->surface.grid ? " -DSHOAL_SURFACE -DSHOAL_CHARGES" : "",
                   large->is_double ? " -DSHOAL_DOUBLE" : "");
}

void cl_large_request(const cl_large *large, int method, bool rigid, bool bodies,
                      cl_code_request *requests, int32_t *n)
{
    bool kvecs = false, chain = false, sites = false, mesh = false;
    for (int32_t k = 0; k < large->n_places; ++k) {
        const shoal_topology_view *v = &large->input->systems[large->places[k].system].view;
        const int n_periodic = v->pbc[0] + v->pbc[1] + v->pbc[2];
        sites |= v->n_sites > 0;
        kvecs |= n_periodic > 1 && v->has_charges;
        chain |= n_periodic == 1 && v->has_charges;
        mesh = mesh || cl_large_wants_mesh(large, &large->places[k]);
    }
    const bool wanted[CL_LARGE_N_KERNELS] = {[CL_LARGE_K_cells] = true,
                                             [CL_LARGE_K_bonded] = true,
                                             [CL_LARGE_K_place] = sites,
                                             [CL_LARGE_K_kvecs] = kvecs,
                                             [CL_LARGE_K_chain] = chain,
                                             [CL_LARGE_K_mesh_place] = mesh,
                                             [CL_LARGE_K_mesh_rows] = mesh,
                                             [CL_LARGE_K_spread] = true,
                                             [CL_LARGE_K_fire] = method == LARGE_FIRE,
                                             [CL_LARGE_K_md] = method == LARGE_MD,
                                             [CL_LARGE_K_tangent] = rigid,
                                             [CL_LARGE_K_lbfgs_move] = method == LARGE_LBFGS,
                                             [CL_LARGE_K_body_push] = bodies};
    cl_large_request_pairs(large, requests, n);
    for (int k = 0; k < CL_LARGE_N_KERNELS; ++k)
        if (wanted[k] && *n < CL_CODE_MOST_WISHES) name_program(large, k, &requests[(*n)++]);
}

static shoal_status find_program(cl_large *large, int kernel, cl_code **out)
{
    cl_code_request request;
    *out = &large->codes[owner_of(kernel)];
    if ((*out)->program) return SHOAL_OK;
    name_program(large, kernel, &request);
    return cl_code_build(*out, large->target, request.source, request.options);
}

shoal_status cl_large_bind(cl_large *large, cl_large_kernel *k, bool *fresh)
{
    *fresh = k->bound != large->n_allocations;
    if (!*fresh) return SHOAL_OK;
    for (int32_t b = 0; b < CL_LARGE_N_BUFFERS; ++b)
        SHOAL_TRY(cl_routine_buffer(&k->routine, b, large->buffers[b].label, &large->buffers[b]));
    k->bound = large->n_allocations;
    k->bound_first = -1;
    return SHOAL_OK;
}

static shoal_status bind_kernel(cl_large *large, int kernel)
{
    cl_code *code;
    cl_routine *r = &large->kernels[kernel].routine;
    bool fresh;
    if (!r->kernel) {
        SHOAL_TRY(find_program(large, kernel, &code));
        SHOAL_TRY(cl_routine_create(r, code, rows[kernel].name));
    }
    SHOAL_TRY(cl_large_bind(large, &large->kernels[kernel], &fresh));
    int32_t next = CL_LARGE_N_BUFFERS + 1; /* behind the first block */
    if (fresh && kernel >= CL_LARGE_K_md && kernel <= CL_LARGE_K_rigid_move) {
        static const char *const names[3] = {"rigid atoms", "rigid lengths", "rigid shifts"};
        SHOAL_TRY(cl_md_bind(r, &next, large->driver.md));
        for (int k = 0; k < 3 && kernel >= CL_LARGE_K_tangent; ++k)
            SHOAL_TRY(cl_routine_buffer(r, next++, names[k], &large->rigid[k]));
        return SHOAL_OK;
    }
    if (fresh && kernel >= CL_LARGE_K_body_push) {
        SHOAL_TRY(cl_body_bind(r, &next, large->bodies));
        return kernel == CL_LARGE_K_body_md ? cl_md_bind(r, &next, large->driver.md) : SHOAL_OK;
    }
    if (!fresh || (kernel != CL_LARGE_K_assemble && kernel != CL_LARGE_K_spread)) return SHOAL_OK;
    SHOAL_TRY(cl_surface_bind(&large->surface, r, &next));
    return cl_direct_bind(&large->direct, r, &next);
}

shoal_status cl_large_run(cl_large_kernel *k, int32_t first, int32_t n)
{
    if (k->bound_first != first)
        SHOAL_TRY(cl_routine_int(&k->routine, CL_LARGE_N_BUFFERS, "first_block", first));
    k->bound_first = first;
    return cl_routine_launch(&k->routine, (size_t)n, LARGE_GROUP);
}

shoal_status cl_large_launch(cl_large *large, int kernel)
{
    const int list = rows[kernel].list;
    if (kernel == CL_LARGE_K_pairs || kernel == CL_LARGE_K_images)
        return cl_large_launch_pairs(large, kernel);
    if (large->list_n[list] == 0) return SHOAL_OK;
    SHOAL_TRY(bind_kernel(large, kernel));
    return cl_large_run(&large->kernels[kernel], large->list_first[list], large->list_n[list]);
}

/* A kernel of bodies with an argument of its own: a whole number with a name, or without a real one. */
static shoal_status launch_with(cl_large *large, int kernel, const char *name, int32_t number,
                                double value)
{
    cl_routine *r = &large->kernels[kernel].routine;
    const int32_t at = CL_LARGE_N_BUFFERS + 1 + CL_BODY_BUFFERS;
    SHOAL_TRY(bind_kernel(large, kernel));
    SHOAL_TRY(name ? cl_routine_int(r, at, name, number) : cl_routine_real(r, at, "soft", value));
    return cl_large_launch(large, kernel);
}

/* Chebyshev's iteration for A z = b with eigenvalues of A between a and 2 - a, a = LARGE_SOFTEST
 * (Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 12.1). */
shoal_status cl_large_precondition(cl_large *large)
{
    const double delta = 1 - LARGE_SOFTEST;
    cl_routine *r = &large->kernels[CL_LARGE_K_precondition].routine;
    double rho = delta, keep = 0, push = 0;
    SHOAL_TRY(bind_kernel(large, CL_LARGE_K_precondition));
    for (int32_t turn = 0; turn <= LARGE_TURNS; ++turn) {
        if (turn > 0) {
            const double next = 1 / (2 / delta - rho);
            keep = next * rho;
            push = 2 * next / delta;
            rho = next;
        }
        SHOAL_TRY(cl_routine_int(r, CL_LARGE_N_BUFFERS + 1, "turn", turn));
        SHOAL_TRY(cl_routine_real(r, CL_LARGE_N_BUFFERS + 2, "keep", keep));
        SHOAL_TRY(cl_routine_real(r, CL_LARGE_N_BUFFERS + 3, "push", push));
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_precondition));
        if (large->driver.bodies && large->walls)
            SHOAL_TRY(launch_with(large, CL_LARGE_K_body_wall, "turn", turn, 0));
    }
    if (!large->driver.bodies) return SHOAL_OK;
    return launch_with(large, CL_LARGE_K_body_soft, NULL, 0, 1 / STIFFNESS_ANCHOR);
}

shoal_status cl_large_make_lists(cl_large *large)
{
    for (;;) {
        bool enough = true;
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_place));
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_cells));
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_list));
        SHOAL_TRY(cl_large_launch(large, CL_LARGE_K_ready));
        SHOAL_TRY(cl_large_read_status(large));
        for (int32_t k = 0; k < large->n; ++k)
            enough &= !(large->status[LARGE_STATUS * k + LARGE_FLAGS] &
                        (LARGE_OVERFLOW | LARGE_TOO_TALL));
        if (enough) return SHOAL_OK;
        SHOAL_TRY(cl_large_enlarge(large));
    }
}

shoal_status cl_large_forces(cl_large *large)
{
    for (int k = CL_LARGE_K_place; k <= CL_LARGE_K_assemble; ++k)
        SHOAL_TRY(cl_large_launch(large, k));
    return SHOAL_OK;
}

shoal_status cl_large_settings(cl_large *large, int method, const backend_driver *driver)
{
    const shoal_engine_options *o = large->input->options;
    const double start = VDW_SWITCH * o->vdw_cutoff;
    const double numbers[LARGE_SETTINGS] = {
        [LARGE_METHOD] = method,
        [LARGE_MAX_STEPS] = driver ? driver->max_steps : 0,
        [LARGE_FMAX2] = driver ? driver->fmax * driver->fmax : 0,
        [LARGE_VDW2] = o->terms_off >> SHOAL_TERM_VDW & 1 ? 0 : o->vdw_cutoff * o->vdw_cutoff,
        [LARGE_SWITCH] = start,
        [LARGE_SWITCH_SCALE] = 1 / (o->vdw_cutoff - start),
        [LARGE_DT] = driver && driver->md ? driver->md->dt : 0,
        [LARGE_SKIN2] = 0.25 * large->skin * large->skin};
    double space[LARGE_SETTINGS];
    for (size_t k = 0; k < LARGE_SETTINGS; ++k) cl_real_set(large->is_double, space, k, numbers[k]);
    return cl_buffer_write(&large->buffers[CL_LARGE_settings], 0,
                           LARGE_SETTINGS * cl_real_size(large->is_double), space);
}
