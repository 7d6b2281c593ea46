/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of a pair model, from R0, E0 and H as they stand in shoal/pair_model.h. */
#include "backend/ref/ref.h"
#include "ff/pair_model.h"

#define CLAMP_FROM 3.0 /* 1/angstrom: 1/r is bent from here .. */
#define CLAMP_TO 6.0   /* .. towards this */
#define ERF_REACH 6.5  /* in damping lengths: erfc is 4e-20 there */

/* A function of r and its slope. */
typedef struct curve {
    double value, slope;
} curve;

static curve scaled(double factor, curve c)
{
    return (curve){factor * c.value, factor * c.slope};
}

/* u^n, u = R0/r */
static curve power(int n, double r0, double r)
{
    const double u = pow(r0 / r, n);
    return (curve){u, -n * u / r};
}

/* exp(-k (r - R0)) */
static curve exponential(double k, double r0, double r)
{
    const double e = exp(-k * (r - r0));
    return (curve){e, -k * e};
}

/* f = 1 - exp(-x) sum_{k=0..6} x^k/k!, x = beta r, which is exp(-x) sum_{k>6} x^k/k!: this way no digits are lost near
 * x = 0. Its slope is beta exp(-x) x^6/6!. */
static curve tang_toennies(double beta, double r)
{
    const double x = beta * r;
    double term = exp(-x), sum = 0.0;
    for (int k = 0; k <= 6; ++k) {
        sum += term;
        term *= x / (k + 1);
    }
    const double slope = beta * exp(-x) * pow(x, 6.0) / 720.0;
    if (x > 10.0) return (curve){1.0 - sum, slope};
    sum = 0.0;
    for (int k = 7; k < 60; ++k) {
        sum += term;
        term *= x / (k + 1);
    }
    return (curve){sum, slope};
}

/* u^6, damped if the model says so. */
static curve dispersion(const shoal_pair_settings *s, double r0, double r)
{
    const curve u6 = power(6, r0, r);
    if (!(s->dispersion_damping > 0.0)) return u6;
    const curve f = tang_toennies(s->dispersion_damping, r);
    return (curve){f.value * u6.value, f.slope * u6.value + f.value * u6.slope};
}

/* cA A(r) and cB B(r). */
static void shapes(const shoal_pair_settings *s, double r0, double r, curve *a, curve *b)
{
    const double alpha = s->alpha;
    const double k = s->form == SHOAL_FORM_MORSE || s->form == SHOAL_FORM_BUCK ? alpha : alpha / r0;
    *a = scaled(2.0, dispersion(s, r0, r));
    *b = (curve){0.0, 0.0};
    switch (s->form) {
    case SHOAL_FORM_LJ: *b = power(12, r0, r); break;
    case SHOAL_FORM_LJ8:
        *a = scaled(4.0, dispersion(s, r0, r));
        *b = scaled(3.0, power(8, r0, r));
        break;
    case SHOAL_FORM_LJ9:
        *a = scaled(3.0, dispersion(s, r0, r));
        *b = scaled(2.0, power(9, r0, r));
        break;
    case SHOAL_FORM_MORSE:
    case SHOAL_FORM_MORSE6:
        *a = scaled(2.0, exponential(k, r0, r));
        *b = exponential(2.0 * k, r0, r);
        break;
    case SHOAL_FORM_BUCK:
    case SHOAL_FORM_BUCK6: *b = exponential(2.0 * k, r0, r); break;
    case SHOAL_FORM_EXP6:
        *a = scaled(alpha / (alpha - 6.0), dispersion(s, r0, r));
        *b = scaled(6.0 / (alpha - 6.0), exponential(k, r0, r));
        break;
    case SHOAL_FORM_FORMULA:
    case SHOAL_FORM_BUFFERED: break;
    }
}

/* R of two atoms without a hydrogen bond. */
static double buffered_minimum(buffered_atom a, buffered_atom b)
{
    const double unlike = (a.r - b.r) / (a.r + b.r), mean = 0.5 * (a.r + b.r);
    if (a.donor || b.donor) return mean;
    return mean * (1.0 + 0.2 * (1.0 - exp(-12.0 * pow(unlike, 2))));
}

/* E = e (1.07 R/(r + 0.07 R))^7 (1.12 R^7/(r^7 + 0.12 R^7) - 2); R and e by the rules of MMFF94 (T. A. Halgren, J. Am.
 * Chem. Soc. 114 (1992) 7827), e of Slater and Kirkwood from that of like atoms. */
static double buffered_pair(const ref_system *sys, int32_t i, int32_t j, double r, double *slope)
{
    const shoal_topology_view *v = sys->view;
    const buffered_atom a = buffered_atom_of(v, i), b = buffered_atom_of(v, j);
    const bool bridge = (a.donor && b.acceptor) || (b.donor && a.acceptor);
    double r0 = buffered_minimum(a, b), e;
    e = 2.0 * sqrt(a.share * b.share) / (a.share + b.share) * sqrt(v->vdw_d[i] * v->vdw_d[j]) *
        pow(a.r * b.r, 3) / pow(r0, 6);
    if (bridge) {
        r0 *= 0.8;
        e *= 0.5;
    }
    const double wall = pow(1.07 * r0 / (r + 0.07 * r0), 7);
    const double shape = 1.12 * pow(r0, 7) / (pow(r, 7) + 0.12 * pow(r0, 7));
    const double wall_slope = -7.0 * wall / (r + 0.07 * r0);
    const double shape_slope = -7.0 * pow(r, 6) * shape / (pow(r, 7) + 0.12 * pow(r0, 7));
    *slope = e * (wall_slope * (shape - 2.0) + wall * shape_slope);
    return e * wall * (shape - 2.0);
}

double ref_model_hbond(const ref_system *sys, int32_t i, int32_t j)
{
    const shoal_topology_view *v = sys->view;
    const bool none = shoal_pair_model_settings(v->model)->hbond == SHOAL_HBOND_NONE;
    return none || !v->hbonds ? 0.0 : fmin(0.0, v->hbonds[i] * v->hbonds[j]);
}

void ref_model_factors(const ref_system *sys, int32_t i, int32_t j, double *wall, double *pull)
{
    const shoal_hbond on = shoal_pair_model_settings(sys->view->model)->hbond;
    const double h = ref_model_hbond(sys, i, j);
    *wall = on == SHOAL_HBOND_ATTRACTION ? 1.0 : 1.0 + h;
    *pull = on == SHOAL_HBOND_REPULSION ? 1.0 : 1.0 - h;
}

/* The formula of the user. i is the atom with the lower number. */
static double formula_pair(const ref_system *sys, int32_t i, int32_t j, double r, double *slope)
{
    const shoal_topology_view *v = sys->view;
    const formula *f = v->model->formula;
    const double hi = v->hbonds ? v->hbonds[i] : 0.0, hj = v->hbonds ? v->hbonds[j] : 0.0;
    double inputs[FORMULA_N_PAIR] = {
        [FORMULA_IN_R] = r,
        [FORMULA_IN_R0] = 0.5 * v->vdw_x[i] + 0.5 * v->vdw_x[j],
        [FORMULA_IN_E0] = sqrt(v->vdw_d[i] * v->vdw_d[j]),
        [FORMULA_IN_Q] = v->charges[i] * v->charges[j],
        [FORMULA_IN_H] = fmin(0.0, hi * hj),
        [FORMULA_IN_RI] = 0.5 * v->vdw_x[i],
        [FORMULA_IN_RJ] = 0.5 * v->vdw_x[j],
        [FORMULA_IN_EI] = v->vdw_d[i],
        [FORMULA_IN_EJ] = v->vdw_d[j],
        [FORMULA_IN_QI] = v->charges[i],
        [FORMULA_IN_QJ] = v->charges[j],
        [FORMULA_IN_HI] = hi,
        [FORMULA_IN_HJ] = hj,
    };
    const shoal_pair_settings *s = &v->model->settings;
    for (int32_t k = 0; v->table_types && k < s->n_columns; ++k) {
        const shoal_atom_types *types = shoal_pair_model_types(v->model);
        inputs[FORMULA_IN_COLUMNS + 2 * k] = shoal_atom_types_column(types, v->table_types[i], k);
        inputs[FORMULA_IN_COLUMNS + 2 * k + 1] =
            shoal_atom_types_column(types, v->table_types[j], k);
    }
    double energy;
    formula_block block = {.n = 1, .energy = &energy, .slopes = {[FORMULA_IN_R] = slope}};
    for (int k = 0; k < FORMULA_N_PAIR; ++k) block.inputs[k] = &inputs[k];
    *slope = 0.0;
    formula_set(f, v->model->named, sys->registers, 1);
    formula_eval(f, sys->registers, 1, &block);
    return energy;
}

double ref_model_pair(const shoal_pair_settings *s, double r0, double h, double r, double *slope)
{
    const double wall = s->hbond == SHOAL_HBOND_ATTRACTION ? 1.0 : 1.0 + h;
    const double pull = s->hbond == SHOAL_HBOND_REPULSION ? 1.0 : 1.0 - h;
    curve a, b;
    shapes(s, r0, r, &a, &b);
    *slope = wall * b.slope - pull * a.slope;
    return wall * b.value - pull * a.value;
}

double ref_model_vdw(const ref_system *sys, int32_t i, int32_t j, double r, double *slope)
{
    const shoal_topology_view *v = sys->view;
    const shoal_pair_settings *s = shoal_pair_model_settings(v->model);
    const double r0 = 0.5 * (v->vdw_x[i] + v->vdw_x[j]), e0 = sqrt(v->vdw_d[i] * v->vdw_d[j]);
    double wall, pull;
    curve a, b;
    if (s->form == SHOAL_FORM_FORMULA) return formula_pair(sys, i, j, r, slope);
    if (s->form == SHOAL_FORM_BUFFERED) return buffered_pair(sys, i, j, r, slope);
    ref_model_factors(sys, i, j, &wall, &pull);
    shapes(s, r0, r, &a, &b);
    *slope = e0 * (wall * b.slope - pull * a.slope);
    return e0 * (wall * b.value - pull * a.value);
}

/* Particles without a vdW energy of their own count as those of 1 angstrom. */
double ref_minimum_distance(const ref_system *sys, int32_t i, int32_t j)
{
    const shoal_topology_view *v = sys->view;
    const double xi = v->vdw_x[i], xj = v->vdw_x[j];
    const bool arithmetic = sys->options->mixing == SHOAL_MIXING_ARITHMETIC;
    if (!v->model) return arithmetic ? 0.5 * (xi + xj) : sqrt(xi * xj);
    const shoal_pair_form form = shoal_pair_model_settings(v->model)->form;
    if (form == SHOAL_FORM_FORMULA) return 0.5 * (xi + xj);
    if (form != SHOAL_FORM_BUFFERED)
        return (v->vdw_d[i] > 0.0 ? 0.5 * xi : 1.0) + (v->vdw_d[j] > 0.0 ? 0.5 * xj : 1.0);
    const buffered_atom a = buffered_atom_of(v, i), b = buffered_atom_of(v, j);
    const bool bridge = (a.donor && b.acceptor) || (b.donor && a.acceptor);
    return buffered_minimum(a, b) * (bridge ? 0.8 : 1.0);
}

shoal_coulomb ref_coulomb_kind(const ref_system *sys)
{
    if (!sys->view->model)
        return sys->options->coulomb_damping > 0.0 ? SHOAL_COULOMB_DAMPED : SHOAL_COULOMB_PLAIN;
    const shoal_pair_settings *s = shoal_pair_model_settings(sys->view->model);
    if (s->form == SHOAL_FORM_FORMULA) return SHOAL_COULOMB_NONE;
    if (s->coulomb == SHOAL_COULOMB_PLAIN && sys->options->coulomb_damping > 0.0)
        return SHOAL_COULOMB_DAMPED;
    return s->coulomb;
}

double ref_damping(const ref_system *sys)
{
    const shoal_pair_settings *s = shoal_pair_model_settings(sys->view->model);
    if (ref_coulomb_kind(sys) != SHOAL_COULOMB_DAMPED) return 0.0;
    return s && s->coulomb == SHOAL_COULOMB_DAMPED ? s->coulomb_damping
                                                   : sys->options->coulomb_damping;
}

/* y = 1/r bent from y1 towards y2: y2 - (y2 - y1)/n(z), z = (y - y1)/(y2 - y1), n = 1 + z or 1 + z + z^2. */
static curve bent(shoal_coulomb kind, double r)
{
    const double y = 1.0 / r, width = CLAMP_TO - CLAMP_FROM, z = (y - CLAMP_FROM) / width;
    if (z <= 0.0) return (curve){y, -y * y};
    const double n = kind == SHOAL_COULOMB_CLAMP ? 1.0 + z : 1.0 + z + z * z;
    const double by_z = kind == SHOAL_COULOMB_CLAMP ? 1.0 : 1.0 + 2.0 * z;
    return (curve){CLAMP_TO - width / n, -y * y * by_z / (n * n)};
}

double ref_coulomb_energy(const ref_system *sys, double kqq, double r2, double *slope)
{
    const shoal_coulomb kind = ref_coulomb_kind(sys);
    if (kind == SHOAL_COULOMB_CLAMP || kind == SHOAL_COULOMB_SMOOTH) {
        const double r = sqrt(r2);
        const curve g = bent(kind, r);
        *slope = kqq * g.slope / r;
        return kqq * g.value;
    }
    if (kind == SHOAL_COULOMB_BUFFERED || kind == SHOAL_COULOMB_BUFFERED_FAR) {
        const double r = sqrt(r2), n = kind == SHOAL_COULOMB_BUFFERED ? 1.0 : 2.0;
        const double d = shoal_pair_model_settings(sys->view->model)->coulomb_damping;
        const double energy = kqq / pow(r + d, n);
        *slope = -n * energy / (r + d) / r;
        return energy;
    }
    if (kind == SHOAL_COULOMB_ERF) {
        const double d = shoal_pair_model_settings(sys->view->model)->coulomb_damping;
        const double value = ref_ewald_erf(1.0 / d, r2, slope);
        *slope *= 2.0 * kqq;
        return kqq * value;
    }
    const double damping = ref_damping(sys), s2 = r2 + damping * damping;
    const double energy = kind == SHOAL_COULOMB_NONE ? 0.0 : kqq / sqrt(s2);
    *slope = -energy / s2;
    return energy;
}

double ref_coulomb_reach(const ref_system *sys)
{
    switch (ref_coulomb_kind(sys)) {
    case SHOAL_COULOMB_CLAMP:
    case SHOAL_COULOMB_SMOOTH: return 1.0 / CLAMP_FROM;
    case SHOAL_COULOMB_ERF:
        return ERF_REACH * shoal_pair_model_settings(sys->view->model)->coulomb_damping;
    default: return 0.0;
    }
}

double ref_coulomb_excess(const ref_system *sys, double r2, double *slope)
{
    const double r = sqrt(r2);
    if (ref_coulomb_kind(sys) == SHOAL_COULOMB_ERF) {
        const double d = shoal_pair_model_settings(sys->view->model)->coulomb_damping;
        const double value = -ref_ewald_erfc(1.0 / d, r2, slope);
        *slope *= -2.0;
        return value;
    }
    const curve g = bent(ref_coulomb_kind(sys), r);
    *slope = (g.slope + 1.0 / r2) / r;
    return g.value - 1.0 / r;
}
