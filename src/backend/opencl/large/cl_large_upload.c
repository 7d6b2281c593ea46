/* SPDX-License-Identifier: BSD-3-Clause
 * What a slice of large systems sends to the device. Coordinates are wrapped into the cell in double
 * precision and split into anchors and what is left. */
#include "backend/opencl/large/cl_large_upload.h"

#include <math.h>
#include <string.h>

#include "batch/batch.h"
#include "ff/auxiliary.h"
#include "geom/fft.h"
#include "geom/vector.h"

/* Of places in cells of lists, which are those of floats. */
#define ROUNDING 1e-5

/* Room for the slice's part of a buffer, in its host memory. */
static void *part(cl_large *large, int buffer, size_t object)
{
    return arena_alloc(&large->memory, (size_t)large->counts[buffer], object);
}

static shoal_status send(cl_large *large, int buffer, const void *data, size_t object)
{
    return cl_buffer_write(&large->buffers[buffer], 0, (size_t)large->counts[buffer] * object,
                           data);
}

/* The multiple of LARGE_STEP next to a length. */
static double step_of(double x)
{
    return LARGE_STEP * nearbyint(x / LARGE_STEP);
}

static void write_geometry(const cl_large *large, const cl_large_place *p, void *to, size_t at)
{
    double g[LARGE_GEOMETRY] = {0};
    geom_lattice basis;
    (void)lattice_init_reduced(&basis, p->cell.a, p->cell.pbc);
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            const double a = p->cell.pbc[k] ? p->cell.a[k][c] : 0;
            g[LARGE_HIGH + 3 * k + c] = step_of(a);
            g[LARGE_LOW + 3 * k + c] = a - step_of(a);
            g[LARGE_DUAL + 3 * k + c] = p->cell.dual[k][c];
            g[LARGE_KVEC + 3 * k + c] = p->ewald.dual[k][c];
        }
        const double width = p->high[k] - p->low[k];
        g[LARGE_FIRST + k] = p->cell.pbc[k] ? -0.5 : p->low[k];
        g[LARGE_SCALE + k] = p->layout.n_cells[k] / (p->cell.pbc[k] ? 1 : fmax(width, 1e-3));
    }
    g[LARGE_ALPHA] = p->ewald.alpha;
    g[LARGE_REAL_CUT2] = p->ewald.r_cut * p->ewald.r_cut;
    g[LARGE_REACH2] = p->reach * p->reach;
    g[LARGE_CONSTANT] = p->ewald.constant;
    g[LARGE_SLAB] = p->ewald.slab;
    g[LARGE_TALL] = p->ewald.tall;
    g[LARGE_LENGTH] = p->ewald.chain.n_images > 0 ? p->cell.measure : 0;
    g[LARGE_SPLIT] = p->ewald.chain.n_split;
    g[LARGE_TAIL] = p->tail;
    g[LARGE_DAMPING2] = p->damping * p->damping;
    g[LARGE_CLAMP] = large->input->systems[p->system].pair_clamp;
    g[LARGE_IMAGES] = p->ewald.chain.n_images;
    for (int k = 0; k < 3; ++k) {
        const double f = lattice_fraction(&p->cell, p->origin, k);
        g[LARGE_ORIGIN + k] = f - floor(f);
        g[LARGE_SLACK + k] = 0.5 * large->skin * vector_norm(p->cell.dual[k]) + ROUNDING;
        for (int m = 0; m < 3 && p->layout.order > 0; ++m)
            g[LARGE_BASIS + 3 * m + k] = vector_dot(basis.a[m], p->cell.dual[k]);
    }
    for (size_t k = 0; k < LARGE_GEOMETRY; ++k)
        cl_real_set(large->is_double, to, LARGE_GEOMETRY * at + k, g[k]);
}

/* Displacements of the images that a list may name. */
static void write_table(const cl_large *large, const cl_large_place *p, void *to)
{
    const int32_t *n = p->layout.n_table;
    size_t at = 4 * (size_t)p->layout.table;
    for (int32_t x = -(n[0] / 2); x <= n[0] / 2; ++x)
        for (int32_t y = -(n[1] / 2); y <= n[1] / 2; ++y)
            for (int32_t z = -(n[2] / 2); z <= n[2] / 2; ++z, at += 4)
                for (size_t c = 0; c < 3; ++c)
                    cl_real_set(large->is_double, to, at + c,
                                x * p->cell.a[0][c] + y * p->cell.a[1][c] + z * p->cell.a[2][c]);
}

/* k-vectors of system k; replicas in the same cell take them from the one before. */
static shoal_status write_kvecs(cl_large *large, int32_t k, int32_t (*numbers)[4], void *vectors)
{
    const cl_large_place *p = cl_large_at(large, k), *last = k > 0 ? cl_large_at(large, k - 1) : p;
    const size_t n = (size_t)p->ewald.n_kvecs, row = 4 * cl_real_size(large->is_double);
    unsigned char *to = (unsigned char *)vectors + (size_t)p->layout.kvec * row;
    if (k > 0 && p->damping == last->damping &&
        memcmp(&p->ewald, &last->ewald, sizeof p->ewald) == 0) {
        memcpy(numbers[p->layout.kvec], numbers[last->layout.kvec], n * sizeof *numbers);
        memcpy(to, (unsigned char *)vectors + (size_t)last->layout.kvec * row, n * row);
        return SHOAL_OK;
    }
    cl_kvec *kvecs = arena_alloc(&large->memory, n, sizeof *kvecs);
    if (!kvecs) return SHOAL_E_MEMORY;
    (void)cl_ewald_list(&p->ewald, p->damping, kvecs);
    for (size_t w = 0; w < n; ++w) {
        memcpy(numbers[(size_t)p->layout.kvec + w], kvecs[w].n, sizeof kvecs[w].n);
        for (size_t c = 0; c < 3; ++c) cl_real_set(large->is_double, to, 4 * w + c, kvecs[w].k[c]);
        cl_real_set(large->is_double, to, 4 * w + 3, kvecs[w].weight);
    }
    return SHOAL_OK;
}

/* Turns and weights of a mesh, in the same manner. */
static shoal_status write_mesh(cl_large *large, int32_t k, void *turns, void *weights)
{
    const cl_large_place *p = cl_large_at(large, k), *last = k > 0 ? cl_large_at(large, k - 1) : p;
    const size_t real = cl_real_size(large->is_double), row = 2 * real;
    const int32_t *n = p->ewald.mesh.n, most = n[0] > n[1] ? n[0] : n[1];
    const size_t half = (size_t)n[0] * (size_t)n[1] * (size_t)(n[2] / 2);
    size_t at = 4 * (size_t)p->layout.mesh_turn;
    double(*turn)[2] = arena_alloc(&large->memory, (size_t)(most > n[2] ? most : n[2]), 16);
    if (!turn) return SHOAL_E_MEMORY;
    for (int a = 0; a < 3; ++a) {
        fft_turns(n[a], turn);
        for (int32_t m = 0; m < n[a]; ++m, at += 4)
            for (size_t c = 0; c < 2; ++c) cl_real_set(large->is_double, turns, at + c, turn[m][c]);
    }
    unsigned char *to = (unsigned char *)weights + (size_t)p->layout.node * real;
    if (k == 0 || p->damping != last->damping ||
        memcmp(&p->ewald, &last->ewald, sizeof p->ewald) != 0)
        return cl_ewald_weigh_modes(&p->ewald, &p->cell, p->damping, large->is_double, to);
    memcpy(to, (unsigned char *)weights + (size_t)last->layout.node * real, half * row);
    return SHOAL_OK;
}

/* Where the zeros of the systems lie above the surface. */
static shoal_status send_zeros(cl_large *large)
{
    for (int32_t k = 0; k < large->n; ++k) {
        const double *origin = cl_large_at(large, k)->origin;
        if (large->surface.grid) cl_surface_anchor(&large->surface, k, origin);
        if (large->direct.surface) cl_direct_place(&large->direct, k, origin);
    }
    if (large->direct.surface) return cl_direct_send(&large->direct, large->n);
    return large->surface.grid ? cl_surface_send(&large->surface, large->n) : SHOAL_OK;
}

shoal_status cl_large_upload_cells(cl_large *large)
{
    const size_t real = cl_real_size(large->is_double);
    large_system *systems = part(large, CL_LARGE_systems, sizeof *systems);
    void *geometry = part(large, CL_LARGE_geometry, LARGE_GEOMETRY * real);
    void *table = part(large, CL_LARGE_table, 4 * real);
    int32_t(*numbers)[4] = part(large, CL_LARGE_kvecs, sizeof *numbers);
    void *vectors = part(large, CL_LARGE_kvec_values, 4 * real);
    void *turns = part(large, CL_LARGE_mesh_turns, 4 * real);
    void *weights = part(large, CL_LARGE_mesh_weights, real);
    if (!systems || !geometry || !table || !numbers || !vectors || !turns || !weights)
        return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < large->n; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        systems[k] = p->layout;
        write_geometry(large, p, geometry, (size_t)k);
        if (p->layout.periodic) write_table(large, p, table);
        if (p->layout.n_kvecs > 0) SHOAL_TRY(write_kvecs(large, k, numbers, vectors));
        if (p->layout.order > 0) SHOAL_TRY(write_mesh(large, k, turns, weights));
    }
    SHOAL_TRY(send_zeros(large));
    SHOAL_TRY(send(large, CL_LARGE_systems, systems, sizeof *systems));
    SHOAL_TRY(send(large, CL_LARGE_geometry, geometry, LARGE_GEOMETRY * real));
    SHOAL_TRY(send(large, CL_LARGE_table, table, 4 * real));
    SHOAL_TRY(send(large, CL_LARGE_kvecs, numbers, sizeof *numbers));
    SHOAL_TRY(send(large, CL_LARGE_mesh_turns, turns, 4 * real));
    SHOAL_TRY(send(large, CL_LARGE_mesh_weights, weights, real));
    return send(large, CL_LARGE_kvec_values, vectors, 4 * real);
}

/* Whole cells that lead an atom, relative to the origin, into the cell around it. */
static void find_home(const cl_large_place *p, const double r[3], int32_t home[4], double out[3])
{
    for (int c = 0; c < 3; ++c) out[c] = r[c];
    for (int k = 0; k < 3; ++k) {
        home[k] = p->cell.pbc[k] ? (int32_t)nearbyint(lattice_fraction(&p->cell, r, k)) : 0;
        for (int c = 0; c < 3; ++c) out[c] -= home[k] * p->cell.a[k][c];
    }
    home[3] = 0;
}

/* Cells that lead the atoms of a restraint from home to where they are, on average, in angstrom. */
static void shift_of(const cl_large_place *p, const shoal_restraint *r, int32_t (*homes)[4],
                     double out[3])
{
    const int32_t first = r->atoms[0],
                  last = r->kind == SHOAL_RESTRAINT_CENTRE ? r->atoms[1] : first;
    double mean[3] = {0};
    for (int32_t i = first; i <= last; ++i)
        for (int d = 0; d < 3; ++d) mean[d] += homes[p->layout.atom + i][d];
    for (int c = 0; c < 3; ++c) {
        out[c] = 0;
        for (int d = 0; d < 3; ++d) out[c] += mean[d] / (last - first + 1) * p->cell.a[d][c];
    }
}

static void write_restraints(const cl_large *large, const cl_large_place *p, int32_t (*homes)[4],
                             int32_t (*atoms)[4], void *to)
{
    const backend_system *s = &large->input->systems[p->system];
    const bool off = large->input->options->terms_off >> SHOAL_TERM_RESTRAINT & 1;
    for (int32_t k = 0; k < s->n_restraints; ++k) {
        const shoal_restraint *r = &s->restraints[k];
        const bool torsion = r->kind == SHOAL_RESTRAINT_TORSION;
        const size_t row = (size_t)(p->layout.restraint + k);
        double shift[3];
        shift_of(p, r, homes, shift);
        double numbers[LARGE_RESTRAINT] = {[LARGE_R_KIND] = r->kind,
                                           [LARGE_R_K] = off ? 0 : r->k,
                                           [LARGE_R_VALUE] = torsion ? cos(r->value) : r->value,
                                           [LARGE_R_SINE] = torsion ? sin(r->value) : 0};
        for (int c = 0; c < 3; ++c) {
            const double x = r->target[c] - p->origin[c] - shift[c];
            numbers[LARGE_R_HIGH + c] = step_of(x);
            numbers[LARGE_R_LOW + c] = x - step_of(x);
        }
        for (int c = 0; c < 4; ++c)
            atoms[row][c] = c < restraint_n_atoms(r->kind) ? r->atoms[c] : 0;
        for (size_t c = 0; c < LARGE_RESTRAINT; ++c)
            cl_real_set(large->is_double, to, LARGE_RESTRAINT * row + c, numbers[c]);
    }
}

/* A site has the anchor and the home of its host; the device finds where it is. */
static void write_site(const cl_large *large, int32_t host, int32_t site, int32_t (*homes)[4],
                       void *anchors, void *left)
{
    const size_t from = 4 * (size_t)host, to = 4 * (size_t)site;
    memcpy(homes[site], homes[host], sizeof homes[site]);
    for (size_t c = 0; c < 4; ++c) {
        cl_real_set(large->is_double, anchors, to + c,
                    cl_real_get(large->is_double, anchors, from + c));
        cl_real_set(large->is_double, left, to + c, 0);
    }
}

/* A direction is not anywhere: its anchor and its home are zero, and it has no second part. */
static void write_direction(const cl_large *large, int32_t mover, const double p[3], void *anchors,
                            void *left)
{
    for (size_t c = 0; c < 3; ++c) {
        cl_real_set(large->is_double, anchors, 4 * (size_t)mover + c, 0);
        cl_real_set(large->is_double, left, 4 * (size_t)mover + c, p[c]);
    }
    cl_real_set(large->is_double, anchors, 4 * (size_t)mover + 3, 1);
}

/* anchors, homes and positions of one system, and the second parts of these where there are such. */
static void write_atoms(const cl_large *large, const cl_large_place *p, const double (*pos)[3],
                        int32_t (*homes)[4], void *anchors, void *left)
{
    const backend_system *s = &large->input->systems[p->system];
    void *lows = large->host[CL_LARGE_lows];
    for (int32_t i = 0; i < s->view.n_atoms; ++i) {
        const size_t at = (size_t)(p->layout.atom + i);
        const bool fixed = s->fixed && s->fixed[i];
        const double r[3] = {pos[i][0] - p->origin[0], pos[i][1] - p->origin[1],
                             pos[i][2] - p->origin[2]};
        double w[3];
        find_home(p, r, homes[at], w);
        for (size_t c = 0; c < 3; ++c) {
            cl_real_set(large->is_double, anchors, 4 * at + c, step_of(w[c]));
            cl_real_set(large->is_double, left, 4 * at + c, w[c] - step_of(w[c]));
            if (lows && !fixed)
                cl_real_set(large->is_double, lows, 4 * at + c,
                            cl_md_low(large->is_double, w[c] - step_of(w[c])));
        }
        cl_real_set(large->is_double, anchors, 4 * at + 3, fixed ? 0 : 1);
    }
    for (int32_t i = s->view.n_atoms; i < mover_count(&s->view); ++i)
        write_direction(large, p->layout.atom + i, pos[i], anchors, left);
    for (int32_t k = 0; k < s->view.n_sites; ++k)
        write_site(large, p->layout.atom + s->view.sites[k].host,
                   p->layout.atom + s->view.n_atoms + k, homes, anchors, left);
}

shoal_status cl_large_upload_atoms(cl_large *large, const backend_result *results)
{
    const size_t real = cl_real_size(large->is_double);
    void *anchors = part(large, CL_LARGE_anchors, 4 * real);
    void *left = part(large, CL_LARGE_positions, 4 * real);
    int32_t(*homes)[4] = part(large, CL_LARGE_homes, sizeof *homes);
    int32_t(*atoms)[4] = part(large, CL_LARGE_restraint_atoms, sizeof *atoms);
    void *restraints = part(large, CL_LARGE_restraints, LARGE_RESTRAINT * real);
    void *lows = large->method == LARGE_MD ? part(large, CL_LARGE_lows, 4 * real) : NULL;
    if (!anchors || !left || !homes || !atoms || !restraints) return SHOAL_E_MEMORY;
    if (large->method == LARGE_MD && !lows) return SHOAL_E_MEMORY;
    large->host[CL_LARGE_lows] = lows;
    for (int32_t k = 0; k < large->n; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        write_atoms(large, p, (const double(*)[3])results[p->system].pos, homes, anchors, left);
        write_restraints(large, p, homes, atoms, restraints);
    }
    large->host[CL_LARGE_anchors] = anchors;
    large->host[CL_LARGE_homes] = homes;
    SHOAL_TRY(send(large, CL_LARGE_anchors, anchors, 4 * real));
    SHOAL_TRY(send(large, CL_LARGE_positions, left, 4 * real));
    SHOAL_TRY(send(large, CL_LARGE_homes, homes, sizeof *homes));
    if (lows) SHOAL_TRY(send(large, CL_LARGE_lows, lows, 4 * real));
    SHOAL_TRY(send(large, CL_LARGE_restraint_atoms, atoms, sizeof *atoms));
    return send(large, CL_LARGE_restraints, restraints, LARGE_RESTRAINT * real);
}

/* A part of a turn in fixed point. */
static void write_turn(bool is_double, void *to, size_t at, double turns)
{
    const double rest = turns - nearbyint(turns);
    if (is_double)
        ((uint64_t *)to)[at] = (uint64_t)(int64_t)ldexp(rest, 62) << 2;
    else
        ((uint32_t *)to)[at] = (uint32_t)(int64_t)ldexp(rest, 32);
}

shoal_status cl_large_upload_turns(cl_large *large)
{
    const size_t real = cl_real_size(large->is_double);
    const void *anchors = large->host[CL_LARGE_anchors];
    void *turns = part(large, CL_LARGE_anchor_turns, 4 * real);
    if (!turns) return SHOAL_E_MEMORY;
    for (int32_t k = 0; k < large->n; ++k) {
        const cl_large_place *p = cl_large_at(large, k);
        const shoal_topology_view *v = &large->input->systems[p->system].view;
        const bool mesh = p->layout.order > 0, wanted = mesh || p->layout.n_kvecs > 0;
        for (int32_t i = 0; i < v->n_atoms + v->n_sites && wanted; ++i) {
            const size_t at = 4 * (size_t)(p->layout.atom + i);
            for (size_t d = 0; d < 3; ++d) {
                double f = mesh ? vector_dot(p->ewald.dual[d], p->origin) : 0;
                for (size_t c = 0; c < 3; ++c)
                    f += p->ewald.dual[d][c] * cl_real_get(large->is_double, anchors, at + c);
                write_turn(large->is_double, turns, at + d, f);
            }
        }
    }
    return send(large, CL_LARGE_anchor_turns, turns, 4 * real);
}
