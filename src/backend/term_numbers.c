/* SPDX-License-Identifier: BSD-3-Clause
 * Records of bonded terms in the form that kernels work with, by the column `numbers` of the table of kinds. */
#include "backend/term_numbers.h"

#include <math.h>
#include <string.h>

#include "ff/pair_model.h"

#define NO_DAMPING 100.0 /* 1/angstrom: exp(-beta r) is nothing at any distance of atoms */

/* What numbers may be made of besides the record. */
typedef struct makings {
    const shoal_topology_view *view;
    const shoal_engine_options *options;
} makings;

static void numbers_first(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    (void)m;
    for (int k = 0; k < term_shapes[t->kind].n_numbers; ++k) out[k] = t->p[k];
}

/* The series in cos nt as a polynomial in cos t. */
static void numbers_cosines(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    const double *c = t->p + SHOAL_ANGLE_C0, k = t->p[SHOAL_ANGLE_K];
    (void)m;
    out[0] = k * (c[0] - c[2] + c[4]);
    out[1] = k * (c[1] - 3 * c[3]);
    out[2] = k * (2 * c[2] - 8 * c[4]);
    out[3] = k * 4 * c[3];
    out[4] = k * 8 * c[4];
    out[5] = t->p[SHOAL_ANGLE_GUARD];
    out[6] = t->p[SHOAL_ANGLE_GUARD_FROM];
}

static void numbers_vdw(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    const shoal_topology_view *v = m->view;
    const int32_t i = t->atoms[0], j = t->atoms[1];
    const bool arithmetic = m->options->mixing == SHOAL_MIXING_ARITHMETIC,
               own = t->p[SHOAL_PAIR_X] > 0;
    const double mixed =
        arithmetic ? 0.5 * (v->vdw_x[i] + v->vdw_x[j]) : sqrt(v->vdw_x[i] * v->vdw_x[j]);
    const double x = own ? t->p[SHOAL_PAIR_X] : mixed;
    const double d = own ? t->p[SHOAL_PAIR_D] : sqrt(v->vdw_d[i] * v->vdw_d[j]);
    const double x2 = x * x, x6 = x2 * x2 * x2;
    out[0] = x6;
    out[1] = 12 * t->p[SHOAL_PAIR_SCALE] * d * x6;
}

/* Damping of Coulomb pairs: the engine's or that of the pair model, which go together only where one is none. What
 * other forms differ from 1/r by is nothing at the distances of special pairs. */
static double damping_of(const makings *m)
{
    const shoal_pair_settings *s = shoal_pair_model_settings(m->view->model);
    return s && s->coulomb == SHOAL_COULOMB_DAMPED ? s->coulomb_damping
                                                   : m->options->coulomb_damping;
}

static void numbers_coulomb(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    const double *charges = m->view->charges, damping = damping_of(m);
    out[0] = pair_model_unit(m->view->model) * t->p[SHOAL_PAIR_SCALE] * charges[t->atoms[0]] *
             charges[t->atoms[1]];
    out[1] = damping * damping;
}

static void numbers_form(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    numbers_first(t, m, out);
    if (out[SHOAL_FORM_BETA] == 0) out[SHOAL_FORM_BETA] = NO_DAMPING;
}

/* cos(pi/2) is nothing, whatever rounding says: the force of a straight centre divides it by nothing. */
static void numbers_half_angle(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    const double half = 0.5 * t->p[SHOAL_HALF_T0], c = cos(half);
    (void)m;
    out[0] = t->p[SHOAL_HALF_K];
    out[1] = fabs(c) < 1e-9 ? 0 : c;
    out[2] = sin(half);
}

static void numbers_pi_pi(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    (void)m;
    out[0] = t->p[SHOAL_PI_K];
    out[1] = t->p[SHOAL_PI_SOFT] * t->p[SHOAL_PI_SOFT];
    out[2] = sqrt(1 + out[1]);
}

static void numbers_range(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    const double lower = t->p[SHOAL_RANGE_LOWER], upper = t->p[SHOAL_RANGE_UPPER];
    (void)m;
    out[0] = t->p[SHOAL_RANGE_K];
    out[1] = lower * lower;
    out[2] = upper > 0 ? 1 / (upper * upper) : 0;
}

static void numbers_quartic(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    (void)m;
    out[0] = t->p[SHOAL_BOND_K];
    out[1] = t->p[SHOAL_BOND_R0];
    out[2] = t->p[SHOAL_QUARTIC_C];
}

static void numbers_buffered(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    const double *q = m->view->charges;
    out[0] = pair_model_unit(m->view->model) * t->p[SHOAL_BUFFERED_SCALE] * q[t->atoms[0]] *
             q[t->atoms[1]];
    out[1] = t->p[SHOAL_BUFFERED_DELTA];
    out[2] = t->p[SHOAL_BUFFERED_N];
}

/* A constant where n = 0, whose place a torsion without amplitude takes. */
static void numbers_periodic(const shoal_term *t, const makings *m, double out[TERM_NUMBERS])
{
    const double k = t->p[SHOAL_PERIODIC_K], n = t->p[SHOAL_PERIODIC_N];
    const double c = k * cos(t->p[SHOAL_PERIODIC_PHASE]), s = k * sin(t->p[SHOAL_PERIODIC_PHASE]);
    (void)m;
    out[0] = n > 0 ? c : 0;
    out[1] = n > 0 ? s : 0;
    out[2] = n > 0 ? n : 1;
    out[3] = n > 0 ? k : k + c;
}

static void (*const makers[TERM_N_KINDS])(const shoal_term *, const makings *, double *) = {
#define MAKER(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units, form,  \
              t0, b0, t1, b1, t2, b2)                                                              \
    numbers_##numbers,
    TERM_KINDS(MAKER)
#undef MAKER
};

void term_numbers(const shoal_term *term, const shoal_topology_view *view,
                  const shoal_engine_options *options, double out[TERM_NUMBERS])
{
    const makings m = {view, options};
    memset(out, 0, TERM_NUMBERS * sizeof *out);
    makers[term->kind](term, &m, out);
}

void term_arm_shift(const shoal_term *term, int arm, int32_t out[3])
{
    const term_shape *s = &term_shapes[term->kind];
    for (int c = 0; c < 3; ++c)
        out[c] = term->shifts[s->tip[arm]][c] - term->shifts[s->base[arm]][c];
}
