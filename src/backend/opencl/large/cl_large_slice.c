/* SPDX-License-Identifier: BSD-3-Clause
 * A slice of large systems: what fits into the device at once, where it lies, uploads, downloads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/opencl/large/cl_large_upload.h"
#include "backend/vdw_tail.h"
#include "base/alloc.h"
#include "ff/auxiliary.h"

#include "constants.h"
#include "geom/vector.h"

#define MEMORY_SHARE 0.8 /* of what others leave free on the device */
#define SKIN 1.0         /* angstrom: lists of relaxations reach so much further than the cut-off */
#define ATOMS_PER_CELL 24.0  /* of the list, about */
#define MOST_CELLS 64        /* along one direction */
#define FLOAT_TOLERANCE 1e-7 /* of Coulomb sums, relative: what float resolves */

static int32_t blocks_of(int32_t n, int32_t size)
{
    return (n + size - 1) / size;
}

static const backend_system *system_of(const cl_large *large, const cl_large_place *p)
{
    return &large->input->systems[p->system];
}

/* Middle and range of the coordinates. */
static void measure(cl_large_place *p, const double (*pos)[3], int32_t n)
{
    for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int32_t i = 0; i < n; ++i) sum += pos[i][c];
        p->origin[c] = n > 0 ? sum / n : 0;
        p->low[c] = INFINITY;
        p->high[c] = -INFINITY;
    }
    for (int32_t i = 0; i < n; ++i) {
        const double r[3] = {pos[i][0] - p->origin[0], pos[i][1] - p->origin[1],
                             pos[i][2] - p->origin[2]};
        for (int k = 0; k < 3; ++k) {
            p->low[k] = fmin(p->low[k], lattice_fraction(&p->cell, r, k));
            p->high[k] = fmax(p->high[k], lattice_fraction(&p->cell, r, k));
        }
    }
}

/* How far pairs are clamped, at most, angstrom. */
static double clamp_reach(const backend_system *s)
{
    double longest = 2;
    for (int32_t i = 0; i < s->view.n_atoms + s->view.n_sites; ++i)
        longest = fmax(longest, s->view.vdw_x[i]);
    return s->pair_clamp * longest;
}

/* Cells of the list, and translations between them. Cells are half to a quarter as wide as the reach:
 * few enough to be looked through, small enough to be sorted quickly. */
static void plan_cells(cl_large_place *p, int32_t n_atoms)
{
    double room = p->cell.measure;
    for (int k = 0; k < 3; ++k)
        if (!p->cell.pbc[k]) room *= fmax(p->high[k] - p->low[k], 1);
    const double small = cbrt(ATOMS_PER_CELL * room / fmax(n_atoms, 1));
    const double wide = fmax(0.25 * p->reach, fmin(0.5 * p->reach, small));
    for (int k = 0; k < 3; ++k) {
        const double *d = p->cell.dual[k];
        const double height = 1 / vector_norm(d);
        const double width = p->cell.pbc[k] ? height : p->high[k] - p->low[k];
        const int32_t n = (int32_t)fmin(fmax(floor(width / wide), 1), MOST_CELLS);
        p->layout.n_cells[k] = n;
        p->layout.reach[k] = (int32_t)fmin(ceil(p->reach * n / fmax(width, 1e-3)), 1e6);
        if (!p->cell.pbc[k] && p->layout.reach[k] > n) p->layout.reach[k] = n;
        p->layout.n_table[k] = p->cell.pbc[k] ? 2 * blocks_of(p->layout.reach[k], n) + 1 : 1;
    }
}

/* Room for the neighbours of an atom: from the density, or what was found to be needed. */
static int32_t plan_capacity(const cl_large_place *p, int32_t n)
{
    const double r = p->reach;
    const double per_cell = n / p->cell.measure;
    double count = 0;
    if (p->cell.n_periodic == 1) count = 2 * r * per_cell;
    if (p->cell.n_periodic == 2) {
        const int k = !p->cell.pbc[0] ? 0 : !p->cell.pbc[1] ? 1 : 2;
        const double ball = 4.0 / 3 * PI * r * r * r / (p->high[k] - p->low[k] + 1);
        count = per_cell * fmin(PI * r * r, 1.5 * ball);
    }
    if (p->cell.n_periodic == 3) count = per_cell * 4.0 / 3 * PI * r * r * r;
    const int32_t room = (int32_t)fmin(1.25 * count + 32, 1e9);
    return LARGE_ENTRIES *
           blocks_of(room > p->least_capacity ? room : p->least_capacity, LARGE_ENTRIES);
}

static double coulomb_tolerance(const cl_large *large)
{
    const double wanted = large->input->options->ewald_tolerance;
    return large->is_double ? wanted : fmax(wanted, FLOAT_TOLERANCE);
}

bool cl_large_wants_mesh(const cl_large *large, const cl_large_place *p)
{
    const backend_system *s = system_of(large, p);
    geom_lattice cell;
    (void)lattice_init(&cell, s->cell, s->view.pbc);
    return cell.n_periodic == 3 && cl_large_has_coulomb(large, p) &&
           cl_ewald_has_mesh(&cell, &s->view, large->input->options, coulomb_tolerance(large));
}

/* All that follows from a system's geometry. */
static void plan_system(cl_large *large, cl_large_place *p)
{
    const backend_system *s = system_of(large, p);
    const shoal_engine_options *o = large->input->options;
    const int32_t n = s->view.n_atoms + s->view.n_sites;
    const int normal = !p->cell.pbc[0] ? 0 : !p->cell.pbc[1] ? 1 : 2;
    p->layout = (large_system){.topology = p->record, .n_restraints = s->n_restraints};
    p->ewald = (cl_ewald){0};
    for (int k = 0; k < 3; ++k) {
        p->layout.n_cells[k] = p->layout.n_table[k] = 1;
        p->layout.periodic |= p->cell.pbc[k] << k;
    }
    if (p->cell.n_periodic == 0) return;
    if (cl_large_has_coulomb(large, p))
        p->ewald = cl_ewald_choose(&p->cell, &s->view, o, p->damping, coulomb_tolerance(large),
                                   fmax(p->high[normal] - p->low[normal], p->least_height),
                                   !large->is_double);
    p->reach = fmax(fmax(o->vdw_cutoff, p->ewald.r_cut), clamp_reach(s)) + large->skin;
    p->layout.n_kvecs = p->ewald.n_kvecs;
    p->layout.order = p->ewald.mesh.order;
    for (int k = 0; k < 3; ++k) p->layout.n_nodes[k] = p->ewald.mesh.n[k];
    p->tail = vdw_tail(&s->view, o, p->cell.measure);
    p->layout.capacity = plan_capacity(p, n);
    plan_cells(p, n);
    while (n > (int64_t)1 << p->layout.atom_bits) ++p->layout.atom_bits;
}

/* Whether entries of the list have bits enough. */
static bool has_bits(const cl_large_place *p)
{
    const double n_table =
        (double)p->layout.n_table[0] * p->layout.n_table[1] * p->layout.n_table[2];
    return n_table * ldexp(1, p->layout.atom_bits) <= 4294967296.0;
}

shoal_status cl_large_begin(cl_large *large, int method, backend_result *results)
{
    large->method = method;
    large->skin = method == LARGE_EVAL ? 0 : SKIN;
    large->n_order = large->first = large->n = 0;
    for (int32_t k = 0; k < large->n_places; ++k) {
        cl_large_place *p = &large->places[k];
        const backend_system *s = system_of(large, p);
        backend_result *r = &results[p->system];
        if (!r->active) continue;
        (void)lattice_init(&p->cell, s->cell, s->view.pbc);
        measure(p, (const double(*)[3])r->pos, s->view.n_atoms);
        p->least_capacity = 0;
        p->least_height = 0;
        if (p->record >= 0) plan_system(large, p);
        r->mesh = p->record >= 0 && p->layout.order > 0;
        if (p->record < 0 || !has_bits(p))
            shoal_backend_reject(r, mover_count(&s->view), SHOAL_SYSTEM_UNTYPED,
                                 p->record < 0 ? "a bond reaches over too many cells for this "
                                                 "device; wrap the atoms into the cell"
                                               : "too many atoms and images for this device");
        else
            large->order[large->n_order++] = k;
    }
    return SHOAL_OK;
}

/* Groups that a mesh takes for every list of blocks; returns how many in all. */
static int64_t count_mesh(const large_system *l, int32_t n_particles,
                          int64_t counts[CL_LARGE_N_BUFFERS])
{
    const int32_t *n = l->n_nodes, sum = n[0] + n[1] + n[2];
    if (l->order == 0) return 0;
    counts[CL_LARGE_mesh] = counts[CL_LARGE_mesh_weights] = (int64_t)n[0] * n[1] * n[2];
    counts[CL_LARGE_mesh_turns] = sum;
    counts[CL_LARGE_splines] = (int64_t)n_particles * 6 * l->order;
    return blocks_of(n_particles, LARGE_GROUP) + cl_large_bricks(l) +
           blocks_of(n[0] * n[1] / 2, LARGE_BUNDLE(n[2])) +
           blocks_of(n[0] * n[2] / 2, LARGE_BUNDLE(n[1])) + cl_large_mode_blocks(l);
}

/* Objects that a system has in each buffer of a slice. */
static void count_objects(const cl_large *large, const cl_large_place *p,
                          int64_t counts[CL_LARGE_N_BUFFERS])
{
    const large_topology *t = cl_large_topology(large, p);
    const large_system *l = &p->layout;
    const int32_t n_particles = t->n_points + t->n_sites;
    const int32_t n_blocks = blocks_of(cl_large_movers(t), LARGE_GROUP);
    const int64_t n = n_particles, n_cells = (int64_t)l->n_cells[0] * l->n_cells[1] * l->n_cells[2];
    const int64_t rows = cl_large_rows(t);
    const bool periodic = l->periodic != 0, smooth = p->ewald.alpha > 0;
    int64_t bonded = 0;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        bonded += blocks_of(t->n_terms[kind], LARGE_GROUP);
    for (int k = 0; k < CL_LARGE_N_BUFFERS; ++k) counts[k] = 0;
    counts[CL_LARGE_systems] = counts[CL_LARGE_geometry] = counts[CL_LARGE_status] = 1;
    counts[CL_LARGE_states] = counts[CL_LARGE_terms] = 1;
    counts[CL_LARGE_restraint_atoms] = counts[CL_LARGE_restraints] = l->n_restraints;
    for (int k = CL_LARGE_anchors; k <= CL_LARGE_origins; ++k) counts[k] = rows;
    if (large->method != LARGE_EVAL) counts[CL_LARGE_moves] = rows;
    if (large->method == LARGE_LBFGS) counts[CL_LARGE_history] = rows;
    if (large->method == LARGE_MD) counts[CL_LARGE_lows] = rows;
    counts[CL_LARGE_slots] = t->n_slots + 3 * n;
    counts[CL_LARGE_sums] = bonded + (int64_t)LARGE_SUMS * n_blocks;
    counts[CL_LARGE_list] = periodic ? n * (l->capacity / LARGE_ENTRIES) : 0;
    counts[CL_LARGE_cells] = periodic ? 2 * n_cells + 1 + 2 * n + LARGE_GROUP : 0;
    counts[CL_LARGE_table] = periodic ? (int64_t)l->n_table[0] * l->n_table[1] * l->n_table[2] : 0;
    counts[CL_LARGE_kvecs] = counts[CL_LARGE_kvec_values] = counts[CL_LARGE_kvec_sums] = l->n_kvecs;
    counts[CL_LARGE_strains] =
        periodic ? bonded + n + blocks_of(t->n_sites, LARGE_GROUP) + cl_large_mode_blocks(l) : 0;
    counts[CL_LARGE_blocks] =
        count_mesh(l, n_particles, counts) + 1 + bonded + 3 * (int64_t)n_blocks +
        (int64_t)(smooth ? 2 : 1) * blocks_of(n_particles, LARGE_QUAD) +
        blocks_of(l->n_kvecs, LARGE_QUAD) + blocks_of(t->n_sites, LARGE_GROUP) +
        (periodic ? blocks_of(n_particles, LARGE_LISTED) : 0);
}

static size_t object_size(const cl_large *large, int buffer)
{
    static const struct {
        size_t numbers;
        bool real;
    } sizes[CL_LARGE_N_BUFFERS] = {
#define CL_LARGE_SIZE(name, numbers, real) {(numbers), (real)},
        CL_LARGE_BUFFERS(CL_LARGE_SIZE)
#undef CL_LARGE_SIZE
    };
    return sizes[buffer].numbers * (sizes[buffer].real ? cl_real_size(large->is_double) : 4);
}

/* Whether so many objects find room at once. What the slices do not share is free for them. */
static bool has_room(const cl_large *large, const int64_t counts[CL_LARGE_N_BUFFERS])
{
    const shoal_device_info *info = &large->target->device.info;
    double own = 0, all = 0;
    for (int k = CL_LARGE_FIRST_OF_SLICE; k < CL_LARGE_N_BUFFERS; ++k) {
        const double bytes = (double)counts[k] * (double)object_size(large, k);
        own += (double)large->buffers[k].block.size;
        all += bytes;
        if (bytes > (double)info->max_buffer_bytes || counts[k] > INT32_MAX / 2) return false;
    }
    const double taken = (double)cl_target_taken(large->target) - own;
    const double most = MEMORY_SHARE * ((double)info->memory_bytes - taken);
    const double wanted = (double)large->input->options->device_bytes;
    const double usual = CL_USUAL_SHARE * (double)info->memory_bytes;
    return all <= fmin(wanted > 0 ? wanted : usual, most);
}

/* Takes as many systems as find room, at least one. */
static void choose_slice(cl_large *large)
{
    large->first += large->n;
    large->n = 0;
    memset(large->counts, 0, sizeof large->counts);
    while (large->first + large->n < large->n_order) {
        int64_t more[CL_LARGE_N_BUFFERS];
        count_objects(large, cl_large_at(large, large->n), more);
        for (int k = 0; k < CL_LARGE_N_BUFFERS; ++k) more[k] += large->counts[k];
        if (large->n > 0 && !has_room(large, more)) return;
        memcpy(large->counts, more, sizeof more);
        ++large->n;
    }
}

/* Gives every system of the slice its place in the buffers. */
static void lay_out(cl_large *large)
{
    int64_t at[CL_LARGE_N_BUFFERS] = {0}, counts[CL_LARGE_N_BUFFERS];
    for (int32_t k = 0; k < large->n; ++k) {
        cl_large_place *p = cl_large_at(large, k);
        const large_topology *t = cl_large_topology(large, p);
        large_system *l = &p->layout;
        count_objects(large, p, counts);
        l->atom = (int32_t)at[CL_LARGE_positions];
        l->slot = (int32_t)at[CL_LARGE_slots];
        l->sum = (int32_t)at[CL_LARGE_sums];
        l->restraint = (int32_t)at[CL_LARGE_restraints];
        l->kvec = (int32_t)at[CL_LARGE_kvecs];
        l->table = (int32_t)at[CL_LARGE_table];
        l->list = (int32_t)at[CL_LARGE_list];
        l->cell = (int32_t)at[CL_LARGE_cells];
        l->strain = 2 * (int32_t)at[CL_LARGE_strains];
        l->node = (int32_t)at[CL_LARGE_mesh];
        l->mesh_turn = (int32_t)at[CL_LARGE_mesh_turns];
        l->spline = (int32_t)at[CL_LARGE_splines];
        l->bonded = 0;
        for (int kind = 0; kind < TERM_N_KINDS; ++kind)
            l->bonded += blocks_of(t->n_terms[kind], LARGE_GROUP);
        for (int b = 0; b < CL_LARGE_N_BUFFERS; ++b) at[b] += counts[b];
    }
    memcpy(large->counts, at, sizeof at);
}

/* Buffers at least as large as the slice wants them. */
static shoal_status make_buffers(cl_large *large)
{
    static const char *const labels[CL_LARGE_N_BUFFERS] = {
#define CL_LARGE_LABEL(name, numbers, real) #name,
        CL_LARGE_BUFFERS(CL_LARGE_LABEL)
#undef CL_LARGE_LABEL
    };
    const float zero[4] = {0, 0, 0, 0};
    for (int k = CL_LARGE_FIRST_OF_SLICE; k < CL_LARGE_N_BUFFERS; ++k) {
        const size_t size = object_size(large, k), n = (size_t)large->counts[k];
        if (large->buffers[k].memory && large->buffers[k].size >= n * size) continue;
        cl_buffer_free(&large->buffers[k]);
        SHOAL_TRY(cl_buffer_create(&large->buffers[k], large->target, labels[k], n, size, NULL));
        ++large->n_allocations;
    }
    return cl_buffer_fill(&large->buffers[CL_LARGE_slots], zero, sizeof zero);
}

shoal_status cl_large_read(cl_large *large, int buffer, void **out)
{
    const size_t size = object_size(large, buffer), n = (size_t)large->counts[buffer];
    if (!large->host[buffer]) large->host[buffer] = arena_alloc(&large->memory, n, size);
    *out = large->host[buffer];
    return *out ? cl_buffer_read(&large->buffers[buffer], 0, n * size, *out) : SHOAL_E_MEMORY;
}

shoal_status cl_large_read_status(cl_large *large)
{
    void *status;
    SHOAL_TRY(cl_large_read(large, CL_LARGE_status, &status));
    large->status = status;
    return SHOAL_OK;
}

shoal_status cl_large_write_status(cl_large *large)
{
    return cl_buffer_write(&large->buffers[CL_LARGE_status], 0,
                           (size_t)large->n * LARGE_STATUS * sizeof *large->status, large->status);
}

shoal_status cl_large_next_slice(cl_large *large, const backend_result *results)
{
    choose_slice(large);
    arena_reset(&large->memory);
    memset(large->host, 0, sizeof large->host);
    free(large->origins);
    large->origins = NULL;
    for (int32_t k = 0; k < large->n; ++k) large->part[k] = cl_large_at(large, k)->system;
    if (large->n == 0) return SHOAL_OK;
    lay_out(large);
    SHOAL_TRY(make_buffers(large));
    SHOAL_TRY(cl_large_upload_cells(large));
    SHOAL_TRY(cl_large_upload_atoms(large, results));
    SHOAL_TRY(cl_large_upload_turns(large));
    SHOAL_TRY(cl_large_read_status(large));
    memset(large->status, 0, (size_t)large->n * LARGE_STATUS * sizeof *large->status);
    large->stepping = false;
    for (int32_t k = 0; k < large->n; ++k) {
        large->status[LARGE_STATUS * k + LARGE_FLAGS] = LARGE_STALE;
        large->status[LARGE_STATUS * k + LARGE_LIMIT] = INT32_MAX;
    }
    SHOAL_TRY(cl_large_write_status(large));
    return cl_large_list_blocks(large);
}

shoal_status cl_large_describe(cl_large *large, backend_result *results, shoal_plan *plan)
{
    SHOAL_TRY(cl_large_begin(large, LARGE_LBFGS, results));
    plan->n_large = large->n_order;
    for (choose_slice(large); large->n > 0; choose_slice(large)) {
        lay_out(large);
        SHOAL_TRY(make_buffers(large));
        ++plan->n_slices;
        if (large->target->allocated_bytes > plan->device_bytes)
            plan->device_bytes = large->target->allocated_bytes;
    }
    return SHOAL_OK;
}

void cl_large_want_room(cl_large *large, cl_large_place *p, int32_t capacity, double height)
{
    p->least_capacity = capacity;
    p->least_height = height;
    plan_system(large, p);
}

shoal_status cl_large_rearrange(cl_large *large)
{
    lay_out(large);
    SHOAL_TRY(make_buffers(large));
    SHOAL_TRY(cl_large_upload_cells(large));
    SHOAL_TRY(cl_large_upload_turns(large));
    SHOAL_TRY(cl_large_write_status(large));
    return cl_large_list_blocks(large);
}

shoal_status cl_large_enlarge(cl_large *large)
{
    void *states;
    SHOAL_TRY(cl_large_read(large, CL_LARGE_states, &states));
    for (int32_t k = 0; k < large->n; ++k) {
        int32_t *s = large->status + LARGE_STATUS * k;
        cl_large_place *p = cl_large_at(large, k);
        const int32_t flags = s[LARGE_FLAGS];
        int32_t capacity = p->least_capacity;
        double height = p->least_height;
        if (flags & LARGE_OVERFLOW) capacity = s[LARGE_NEED] + s[LARGE_NEED] / 8;
        if (flags & LARGE_TOO_TALL)
            height = cl_real_get(large->is_double, states, (size_t)k * LARGE_STATE + LARGE_HEIGHT);
        if (flags & (LARGE_OVERFLOW | LARGE_TOO_TALL))
            cl_large_want_room(large, p, capacity, height);
        /* Lists lie elsewhere now: those that were good are made again as they were. */
        s[LARGE_FLAGS] = flags & LARGE_STALE ? LARGE_STALE : LARGE_REMAKE;
    }
    return cl_large_rearrange(large);
}
