/* SPDX-License-Identifier: BSD-3-Clause
 * Van der Waals pairs, isolated and periodic, and Coulomb pairs of isolated systems. */
#include "backend/ref/ref.h"

#include "ff/pair_model.h"

#include "constants.h"

/* Isolated systems: a pair beyond this many x counts for nothing. It is the range RDKit gives its
 * pairs; at its end the energy is 2e-6 of the depth. */
#define VDW_RANGE 10.0

/* Periodic systems: pairs are switched off between this part of the cut-off and the cut-off. */
#define SWITCH_START (5.0 / 6.0)

bool ref_excluded(const shoal_topology_view *view, int32_t i, int32_t j, const int32_t shift[3])
{
    for (int32_t e = view->exclude_start[i]; e < view->exclude_start[i + 1]; ++e) {
        const shoal_image *p = &view->excluded[e];
        if (p->atom == j && p->shift[0] == shift[0] && p->shift[1] == shift[1] &&
            p->shift[2] == shift[2])
            return true;
    }
    return false;
}

double ref_taken_at(const ref_system *sys, int32_t i, int32_t j, double r)
{
    if (!(sys->pair_clamp > 0.0)) return r;
    return fmax(r, sys->pair_clamp * ref_minimum_distance(sys, i, j));
}

double ref_straight(double taken_at, double r, double *slope)
{
    if (!(r < taken_at)) return 0.0;
    const double by_r = *slope * taken_at;
    *slope = by_r / r;
    return by_r * (r - taken_at);
}

/* Parameters of a pair: distance of the minimum (angstrom) and depth (eV). */
static void vdw_mix(const ref_system *sys, int32_t i, int32_t j, double *x, double *depth)
{
    const shoal_topology_view *view = sys->view;
    const bool mean = view->model || sys->options->mixing == SHOAL_MIXING_ARITHMETIC;
    *x = mean ? 0.5 * (view->vdw_x[i] + view->vdw_x[j]) : sqrt(view->vdw_x[i] * view->vdw_x[j]);
    *depth = sqrt(view->vdw_d[i] * view->vdw_d[j]);
}

/* Energy of D ((x/r)^12 - 2 (x/r)^6); *slope is (dE/dr)/r. */
static double vdw_energy(double x, double depth, double r2, double *slope)
{
    const double u2 = x * x / r2, u6 = u2 * u2 * u2;
    *slope = -12.0 * depth * (u6 * u6 - u6) / r2;
    return depth * (u6 * u6 - 2.0 * u6);
}

/* The same of two atoms as UFF or the pair model has it. */
static double pair_energy(const ref_system *sys, int32_t i, int32_t j, double r2, double *slope)
{
    double x, depth;
    if (!sys->view->model) {
        vdw_mix(sys, i, j, &x, &depth);
        return vdw_energy(x, depth, r2, slope);
    }
    const double r = sqrt(r2), energy = ref_model_vdw(sys, i, j, r, slope);
    *slope /= r;
    return energy;
}

/* Falls from 1 to 0 between SWITCH_START times the cut-off and the cut-off, with two continuous
 * derivatives; *slope is dS/dr. */
static double vdw_switch(double r, double cutoff, double *slope)
{
    const double start = SWITCH_START * cutoff, width = cutoff - start;
    const double y = fmax(0.0, (r - start) / width);
    *slope = -30.0 * y * y * (1.0 - y) * (1.0 - y) / width;
    return 1.0 - y * y * y * (10.0 + y * (-15.0 + y * 6.0));
}

typedef struct vdw_pair {
    const ref_system *sys;
    ref_sink *sink;
    int32_t i, j;
    double x, depth;
} vdw_pair;

/* d leads from i to the image of j. */
static void vdw_image(void *user, const int32_t shift[3], v3 d)
{
    const vdw_pair *p = user;
    if (p->i == p->j && !ref_is_upper(shift)) return;
    if (ref_excluded(p->sys->view, p->i, p->j, shift)) return;
    const double value = v3_length(d), r = ref_taken_at(p->sys, p->i, p->j, value);
    double slope, energy = pair_energy(p->sys, p->i, p->j, r * r, &slope);
    if (p->sys->lattice.n_periodic > 0) {
        double switch_slope;
        const double s = vdw_switch(r, p->sys->options->vdw_cutoff, &switch_slope);
        slope *= s;
        if (switch_slope != 0.0) slope += energy * switch_slope / r;
        energy *= s;
    } else if (!p->sys->view->model && r >= VDW_RANGE * p->x) {
        return;
    }
    energy += ref_straight(r, value, &slope);
    ref_push_pair(p->sink, p->i, p->j, d, v3_scale(-slope, d));
    const shoal_term_row row = {
        .term = SHOAL_TERM_VDW,
        .kind = -1,
        .index = -1,
        .n_atoms = 2,
        .atoms = {{.atom = p->i}, ref_image(p->j, shift)},
        .value = value,
        .energy = energy,
        .parameters = {p->x, p->depth,
                       p->sys->view->model ? ref_model_hbond(p->sys, p->i, p->j) : 0.0},
    };
    ref_emit(p->sink, &row);
}

/* (1 - S(r)) (x/r)^n r^2 within the switch, r from its start on in sixths of the cut-off; par = {x, cut-off}. */
static double tail_integrand(int n, double y, const double par[2])
{
    double slope;
    const double r = par[1] * (SWITCH_START + (1.0 - SWITCH_START) * y);
    return (1.0 - vdw_switch(r, par[1], &slope)) * pow(par[0] / r, n) * r * r;
}

static double tail_6(double y, const double par[2])
{
    return tail_integrand(6, y, par);
}

static double tail_12(double y, const double par[2])
{
    return tail_integrand(12, y, par);
}

/* What switch and cut-off leave out if all atoms are spread evenly, 1/2 sum_ij 4 pi/V int (1 - S) u r^2 dr (Allen and
 * Tildesley, Computer Simulation of Liquids, 2nd ed. 2017, section 2.8); an atom's own images count. */
static void add_tail(const ref_system *sys, ref_sink *sink)
{
    const double c = sys->options->vdw_cutoff, width = (1.0 - SWITCH_START) * c;
    for (int32_t i = 0; i < sys->view->n_atoms; ++i)
        for (int32_t j = 0; j < sys->view->n_atoms; ++j) {
            double x, depth, wall = 1.0, pull = 1.0;
            vdw_mix(sys, i, j, &x, &depth);
            if (sys->view->model) ref_model_factors(sys, i, j, &wall, &pull);
            const double twelve = width * ref_integrate(tail_12, (double[2]){x, c}, 1.0) +
                                  pow(x, 12.0) / (9.0 * pow(c, 9.0));
            const double six = width * ref_integrate(tail_6, (double[2]){x, c}, 1.0) +
                               pow(x, 6.0) / (3.0 * pow(c, 3.0));
            const double energy =
                2.0 * PI / sys->lattice.measure * depth * (wall * twelve - 2.0 * pull * six);
            sink->energy += energy;
            for (int k = 0; k < 3; ++k) sink->strain[k][k] -= energy;
        }
}

void ref_vdw(const ref_system *sys, ref_sink *sink)
{
    const double cutoff = sys->lattice.n_periodic > 0 ? sys->options->vdw_cutoff : INFINITY;
    for (int32_t i = 0; i < sys->view->n_atoms; ++i)
        for (int32_t j = i; j < sys->view->n_atoms; ++j) {
            vdw_pair pair = {.sys = sys, .sink = sink, .i = i, .j = j};
            vdw_mix(sys, i, j, &pair.x, &pair.depth);
            const v3 d = v3_sub(ref_position(sys, j, NULL), ref_position(sys, i, NULL));
            ref_lattice_visit(&sys->lattice, d, cutoff, vdw_image, &pair);
        }
    if (sys->options->vdw_tail && sys->lattice.n_periodic == 3) add_tail(sys, sink);
}

static void coulomb_pair(const ref_system *sys, int32_t i, int32_t j, ref_sink *sink)
{
    const int32_t home[3] = {0};
    const double qi = sys->view->charges[i], qj = sys->view->charges[j];
    if (qi == 0.0 || qj == 0.0 || ref_excluded(sys->view, i, j, home)) return;
    const v3 d = v3_sub(ref_position(sys, j, NULL), ref_position(sys, i, NULL));
    const double value = v3_length(d), r = ref_taken_at(sys, i, j, value);
    const double kqq = pair_model_unit(sys->view->model) * qi * qj;
    double slope, energy = ref_coulomb_energy(sys, kqq, r * r, &slope);
    energy += ref_straight(r, value, &slope);
    ref_push_pair(sink, i, j, d, v3_scale(-slope, d));
    const shoal_term_row row = {
        .term = SHOAL_TERM_COULOMB,
        .kind = -1,
        .index = -1,
        .n_atoms = 2,
        .atoms = {{.atom = i}, {.atom = j}},
        .value = value,
        .energy = energy,
        .parameters = {qi, qj},
    };
    ref_emit(sink, &row);
}

void ref_coulomb(const ref_system *sys, ref_sink *sink)
{
    for (int32_t i = 0; i < ref_n_particles(sys); ++i)
        for (int32_t j = i + 1; j < ref_n_particles(sys); ++j) coulomb_pair(sys, i, j, sink);
}

/* A special pair: scaled, perhaps with parameters of its own, neither cut off nor switched. */
double ref_pair_vdw_term(const ref_system *sys, const shoal_term *term, double *value, v3 force[4])
{
    const v3 d = v3_sub(ref_corner(sys, term, 1), ref_corner(sys, term, 0));
    const double r2 = v3_dot(d, d), x = term->p[SHOAL_PAIR_X], depth = term->p[SHOAL_PAIR_D];
    double slope;
    const double energy = x > 0.0 ? vdw_energy(x, depth, r2, &slope)
                                  : pair_energy(sys, term->atoms[0], term->atoms[1], r2, &slope);
    *value = v3_length(d);
    force[1] = v3_scale(-term->p[SHOAL_PAIR_SCALE] * slope, d);
    force[0] = v3_scale(-1.0, force[1]);
    return term->p[SHOAL_PAIR_SCALE] * energy;
}

double ref_pair_coulomb_term(const ref_system *sys, const shoal_term *term, double *value,
                             v3 force[4])
{
    const v3 d = v3_sub(ref_corner(sys, term, 1), ref_corner(sys, term, 0));
    const double qi = sys->view->charges[term->atoms[0]], qj = sys->view->charges[term->atoms[1]];
    const double kqq = term->p[SHOAL_PAIR_SCALE] * COULOMB_CONSTANT * qi * qj;
    double slope;
    const double energy = ref_coulomb_energy(sys, kqq, v3_dot(d, d), &slope);
    *value = v3_length(d);
    force[1] = v3_scale(-slope, d);
    force[0] = v3_scale(-1.0, force[1]);
    return energy;
}
