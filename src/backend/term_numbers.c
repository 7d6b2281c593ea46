/* SPDX-License-Identifier: BSD-3-Clause
 * Records of bonded terms in the form that kernels work with. Kinds that are not named here take their
 * first parameters as they are. */
#include "backend/term_numbers.h"

#include <math.h>
#include <string.h>

#include "constants.h"

#define NO_DAMPING 100.0 /* 1/angstrom: exp(-beta r) is nothing at any distance of atoms */

/* The series in cos nt as a polynomial in cos t. */
static void angle_numbers(const shoal_term *t, double out[TERM_NUMBERS])
{
    const double *c = t->p + SHOAL_ANGLE_C0, k = t->p[SHOAL_ANGLE_K];
    out[0] = k * (c[0] - c[2] + c[4]);
    out[1] = k * (c[1] - 3 * c[3]);
    out[2] = k * (2 * c[2] - 8 * c[4]);
    out[3] = k * 4 * c[3];
    out[4] = k * 8 * c[4];
    out[5] = t->p[SHOAL_ANGLE_GUARD];
    out[6] = t->p[SHOAL_ANGLE_GUARD_FROM];
}

static void vdw_numbers(const shoal_term *t, const shoal_topology_view *v,
                        const shoal_engine_options *o, double out[TERM_NUMBERS])
{
    const int32_t i = t->atoms[0], j = t->atoms[1];
    const bool arithmetic = o->mixing == SHOAL_MIXING_ARITHMETIC, own = t->p[SHOAL_PAIR_X] > 0;
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
static double damping_of(const shoal_topology_view *v, const shoal_engine_options *o)
{
    const shoal_pair_settings *s = shoal_pair_model_settings(v->model);
    return s && s->coulomb == SHOAL_COULOMB_DAMPED ? s->coulomb_damping : o->coulomb_damping;
}

/* cos(pi/2) is nothing, whatever rounding says: the force of a straight centre divides it by nothing. */
static void half_numbers(const shoal_term *t, double out[TERM_NUMBERS])
{
    const double half = 0.5 * t->p[SHOAL_HALF_T0], c = cos(half);
    out[0] = t->p[SHOAL_HALF_K];
    out[1] = fabs(c) < 1e-9 ? 0 : c;
    out[2] = sin(half);
}

void term_numbers(const shoal_term *term, const shoal_topology_view *view,
                  const shoal_engine_options *options, double out[TERM_NUMBERS])
{
    memset(out, 0, TERM_NUMBERS * sizeof *out);
    const double damping = damping_of(view, options);
    switch (term->kind) {
    case SHOAL_KIND_ANGLE: angle_numbers(term, out); break;
    case SHOAL_KIND_PAIR_VDW: vdw_numbers(term, view, options, out); break;
    case SHOAL_KIND_PAIR_COULOMB:
        out[0] = COULOMB_CONSTANT * term->p[SHOAL_PAIR_SCALE] * view->charges[term->atoms[0]] *
                 view->charges[term->atoms[1]];
        out[1] = damping * damping;
        break;
    case SHOAL_KIND_PAIR_FORM:
        for (int k = 0; k < term_shapes[term->kind].n_numbers; ++k) out[k] = term->p[k];
        if (out[SHOAL_FORM_BETA] == 0) out[SHOAL_FORM_BETA] = NO_DAMPING;
        break;
    case SHOAL_KIND_HALF_ANGLE: half_numbers(term, out); break;
    case SHOAL_KIND_PI_PI:
        out[0] = term->p[SHOAL_PI_K];
        out[1] = term->p[SHOAL_PI_SOFT] * term->p[SHOAL_PI_SOFT];
        out[2] = sqrt(1 + out[1]);
        break;
    default:
        for (int k = 0; k < term_shapes[term->kind].n_numbers; ++k) out[k] = term->p[k];
        break;
    }
}

void term_arm_shift(const shoal_term *term, int arm, int32_t out[3])
{
    const term_shape *s = &term_shapes[term->kind];
    for (int c = 0; c < 3; ++c)
        out[c] = term->shifts[s->tip[arm]][c] - term->shifts[s->base[arm]][c];
}
