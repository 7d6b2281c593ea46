/* SPDX-License-Identifier: BSD-3-Clause
 * Every interaction of a system, one by one, in double precision. */
#include "engine/explain.h"
#include "ff/pair_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu_kernels.h"
#include "base/alloc.h"
#include "batch/batch.h"
#include "ff/site_frames.h"
#include "ff/topology.h"
#include "geom/lattice.h"

#define SHOAL_REAL double
#include "geom/vector.h"
#include "pair_terms.h"

typedef struct explanation {
    const backend_system *system;
    const double (*pos)[3]; /* of atoms, then of sites */
    const shoal_engine_options *options;
    const cpu_kernels *kernels; /* in double */
    geom_lattice cell;
    shoal_term_visitor *visit;
    void *user;
} explanation;

/* The row of a bonded term without its numbers. */
static shoal_term_row bonded_row(const shoal_topology_view *view, int kind, int32_t index)
{
    const shoal_term *t = &terms_of(view, kind)[index];
    shoal_term_row row = {.term = term_shapes[kind].energy,
                          .kind = kind,
                          .index = index,
                          .n_atoms = term_shapes[kind].n_atoms};
    for (int32_t k = 0; k < row.n_atoms; ++k) {
        row.atoms[k].atom = t->atoms[k];
        memcpy(row.atoms[k].shift, t->shifts[k], sizeof row.atoms[k].shift);
    }
    return row;
}

/* Where the atoms of a row are, images included. */
static void place(const explanation *x, const shoal_term_row *row, double pos[4][3])
{
    for (int32_t k = 0; k < row->n_atoms; ++k) {
        double shift[3];
        lattice_vector(&x->cell, row->atoms[k].shift, shift);
        for (int c = 0; c < 3; ++c) pos[k][c] = x->pos[row->atoms[k].atom][c] + shift[c];
    }
}

/* An interaction whose atoms are in their places. */
static void tell(const explanation *x, cpu_interaction *in, shoal_term_row *row)
{
    double forces[4][3];
    in->view = &x->system->view;
    in->options = x->options;
    in->pair_clamp = x->system->pair_clamp;
    row->energy = x->kernels->interaction(in, &row->value, forces);
    x->visit(x->user, row);
}

static void show(const explanation *x, cpu_interaction *in, shoal_term_row *row)
{
    place(x, row, in->pos);
    tell(x, in, row);
}

static void show_bonded(const explanation *x, int energy)
{
    const shoal_topology_view *v = &x->system->view;
    for (int kind = 0; kind < TERM_N_KINDS; ++kind)
        for (int32_t i = 0; term_shapes[kind].energy == energy && i < terms_count(v, kind); ++i) {
            cpu_interaction in = {.record = &terms_of(v, kind)[i]};
            shoal_term_row row = bonded_row(v, kind, i);
            show(x, &in, &row);
        }
}

static void show_restraints(const explanation *x)
{
    for (int32_t i = 0; i < x->system->n_restraints; ++i) {
        const shoal_restraint *r = &x->system->restraints[i];
        const bool centre = r->kind == SHOAL_RESTRAINT_CENTRE;
        const double unit = r->kind >= SHOAL_RESTRAINT_ANGLE && !centre ? DEGREES : 1;
        shoal_restraint place = *r; /* of a centre: the position of a point that is there */
        cpu_interaction in = {.restraint = &place};
        shoal_term_row row = {.term = SHOAL_TERM_RESTRAINT,
                              .kind = -1,
                              .index = i,
                              .n_atoms = restraint_n_atoms(r->kind),
                              .parameters = {r->k, unit * r->value}};
        for (int32_t k = 0; k < row.n_atoms; ++k) row.atoms[k].atom = r->atoms[k];
        if (!centre) {
            show(x, &in, &row);
            continue;
        }
        place.kind = SHOAL_RESTRAINT_POSITION;
        restraint_place(r, x->pos, in.pos[0]);
        tell(x, &in, &row);
    }
}

/* Of an atom's own images +shift and -shift one counts. */
static bool is_upper(const int32_t shift[3])
{
    for (int k = 0; k < 3; ++k)
        if (shift[k] != 0) return shift[k] > 0;
    return false;
}

/* Energy of a pair by the pair model, eV. */
static double model_of(const explanation *x, const shoal_term_row *row)
{
    cpu_interaction in = {.term = SHOAL_TERM_VDW,
                          .view = &x->system->view,
                          .options = x->options,
                          .pair = {row->atoms[0].atom, row->atoms[1].atom},
                          .pair_clamp = x->system->pair_clamp};
    double value, forces[4][3];
    place(x, row, in.pos);
    return x->kernels->interaction(&in, &value, forces);
}

/* Energy of a vdW pair; false where it is too far apart to count. */
static bool vdw_of(const explanation *x, const shoal_term_row *row, double *energy)
{
    const bool by_model = x->system->view.model;
    const double r = row->value, x2 = row->parameters[0] * row->parameters[0], x6 = x2 * x2 * x2;
    const double ir2 = 1 / (r * r), ir6 = ir2 * ir2 * ir2;
    double s;
    *energy = by_model || x->system->pair_clamp > 0
                  ? model_of(x, row)
                  : pair_vdw(x6, 12 * row->parameters[1] * x6, ir6, &s) / 12;
    if (x->cell.n_periodic == 0) return by_model || x6 * ir6 > VDW_NEAR;
    const double cutoff = x->options->vdw_cutoff, width = cutoff - VDW_SWITCH * cutoff;
    const double y = fmax(0, (r - VDW_SWITCH * cutoff) / width);
    if (r >= cutoff) return false;
    *energy = pair_switch(*energy, y, r / width, &s);
    return true;
}

static void show_vdw(const explanation *x, shoal_term_row *row, const double d[3])
{
    const int32_t *shift = row->atoms[1].shift, i = row->atoms[0].atom, j = row->atoms[1].atom;
    double image[3];
    if (i == j && !is_upper(shift)) return;
    if (topology_excludes(&x->system->view, i, j, shift)) return;
    lattice_vector(&x->cell, shift, image);
    for (int c = 0; c < 3; ++c) image[c] += d[c];
    row->value = vector_norm(image);
    if (vdw_of(x, row, &row->energy)) x->visit(x->user, row);
}

/* All images of two atoms within the cut-off. The planes of images along vector k are 1/|dual[k]|
 * apart. */
static void show_images(const explanation *x, int32_t i, int32_t j)
{
    const shoal_topology_view *v = &x->system->view;
    const bool arithmetic = v->model || x->options->mixing == SHOAL_MIXING_ARITHMETIC;
    const double mean = 0.5 * (v->vdw_x[i] + v->vdw_x[j]);
    shoal_term_row row = {.term = SHOAL_TERM_VDW,
                          .kind = -1,
                          .index = -1,
                          .n_atoms = 2,
                          .atoms = {{.atom = i}, {.atom = j}},
                          .parameters = {arithmetic ? mean : sqrt(v->vdw_x[i] * v->vdw_x[j]),
                                         sqrt(v->vdw_d[i] * v->vdw_d[j]),
                                         v->model ? pair_model_hbond(v->model, v, i, j) : 0}};
    int32_t first[3] = {0}, last[3] = {0}, *n = row.atoms[1].shift;
    double d[3];
    for (int c = 0; c < 3; ++c) d[c] = x->pos[j][c] - x->pos[i][c];
    for (int k = 0; k < 3; ++k) {
        if (!x->cell.pbc[k]) continue;
        const double f = lattice_fraction(&x->cell, d, k);
        const double reach = x->options->vdw_cutoff * vector_norm(x->cell.dual[k]);
        first[k] = (int32_t)ceil(-reach - f);
        last[k] = (int32_t)floor(reach - f);
    }
    for (n[0] = first[0]; n[0] <= last[0]; ++n[0])
        for (n[1] = first[1]; n[1] <= last[1]; ++n[1])
            for (n[2] = first[2]; n[2] <= last[2]; ++n[2]) show_vdw(x, &row, d);
}

static void show_coulomb(const explanation *x, int32_t i, int32_t j)
{
    static const int32_t home[3] = {0};
    const shoal_topology_view *v = &x->system->view;
    const double q[2] = {v->charges[i], v->charges[j]};
    if (q[0] == 0 || q[1] == 0 || topology_excludes(v, i, j, home)) return;
    cpu_interaction in = {.term = SHOAL_TERM_COULOMB, .pair = {i, j}};
    shoal_term_row row = {.term = SHOAL_TERM_COULOMB,
                          .kind = -1,
                          .index = -1,
                          .n_atoms = 2,
                          .atoms = {{.atom = i}, {.atom = j}},
                          .parameters = {q[0], q[1]}};
    show(x, &in, &row);
}

/* An Ewald sum is no sum over pairs. */
static void show_pairs(const explanation *x, int term)
{
    const shoal_topology_view *v = &x->system->view;
    const int32_t n = v->n_atoms + (term == SHOAL_TERM_COULOMB ? v->n_sites : 0);
    if (term == SHOAL_TERM_COULOMB && (x->cell.n_periodic > 0 || !pair_model_has_coulomb(v)))
        return;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = i; j < n; ++j)
            if (term == SHOAL_TERM_VDW)
                show_images(x, i, j);
            else if (j > i)
                show_coulomb(x, i, j);
}

static shoal_status show_surface(const explanation *x)
{
    const shoal_topology_view *v = &x->system->view;
    shoal_surface_view surface;
    if (!x->options->surface) return SHOAL_OK;
    double *energies = shoal_alloc((size_t)v->n_atoms, sizeof *energies);
    if (!energies) return SHOAL_E_MEMORY;
    shoal_surface_get(x->options->surface, &surface);
    const shoal_status status = x->kernels->surface(v, x->options->surface, x->pos, energies);
    for (int32_t i = 0; i < v->n_atoms && status == SHOAL_OK; ++i) {
        const shoal_term_row row = {.term = SHOAL_TERM_SURFACE,
                                    .kind = -1,
                                    .index = -1,
                                    .n_atoms = 1,
                                    .atoms = {{.atom = i}},
                                    .value = x->pos[i][2] - surface.top,
                                    .energy = energies[i],
                                    .parameters = {v->charges[i]}};
        x->visit(x->user, &row);
    }
    free(energies);
    return status;
}

static shoal_status show_all(const explanation *x)
{
    for (int t = 0; t < SHOAL_N_TERMS; ++t) {
        if (x->options->terms_off >> t & 1u) continue;
        if (t == SHOAL_TERM_VDW || t == SHOAL_TERM_COULOMB) show_pairs(x, t);
        if (t == SHOAL_TERM_SURFACE) SHOAL_TRY(show_surface(x));
        if (t == SHOAL_TERM_RESTRAINT) show_restraints(x);
        show_bonded(x, t);
    }
    return SHOAL_OK;
}

shoal_status explain_interactions(const backend_system *system, const double (*pos)[3],
                                  const shoal_engine_options *options, shoal_term_visitor *visit,
                                  void *user)
{
    const shoal_topology_view *v = &system->view;
    explanation x = {
        .system = system, .pos = pos, .options = options, .visit = visit, .user = user};
    x.kernels = cpu_kernels_choose(SHOAL_PRECISION_DOUBLE);
    (void)lattice_init(&x.cell, system->cell, v->pbc);
    if (v->n_sites == 0) return show_all(&x);
    double(*particles)[3] = shoal_alloc((size_t)v->n_atoms + (size_t)v->n_sites, sizeof *particles);
    if (!particles) return SHOAL_E_MEMORY;
    memcpy(particles, pos, (size_t)v->n_atoms * sizeof *particles);
    site_frames_place_all(v, &x.cell, particles);
    x.pos = (const double(*)[3])particles;
    const shoal_status status = show_all(&x);
    free(particles);
    return status;
}
