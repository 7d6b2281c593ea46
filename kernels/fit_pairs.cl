/* SPDX-License-Identifier: BSD-3-Clause
 * Energies of dimers and their derivatives by the parameters of a fit: one work-group per sample
 * and set of parameters, one work-item per atom; every atom meets all atoms of the other fragment,
 * so that sums are taken in the same order whatever the device does.
 *
 * Built with WG (work-items), FIT_MODEL or FIT_FORMULA (text of the host, with FIT_NAMED and
 * FIT_ADD_NAMED, which take its constants from the globals and add up their slopes, FIT_COLUMN_INPUTS and
 * FIT_ADD_COLUMNS, which do so with columns of the table of types, FIT_EXTRA of them), FIT_HBOND (1:
 * repulsion, 2: attraction), FIT_COULOMB, FIT_SITE_MODEL (0: none), FIT_GLOBALS (numbers behind the
 * types), FIT_SITES_MOVE (1: the distance of sites from their hosts is a parameter), FIT_RADII (1: radii
 * depend on charges), FIT_DAMPS (1: the attraction u^6 is damped). */
#include "fit_terms.h"

#include "constants.h"

#include "real_vectors.h"

#ifndef FIT_MODEL
#define FIT_MODEL FIT_MODEL_MORSE
#endif
#ifndef FIT_HBOND
#define FIT_HBOND 1
#endif
#ifndef FIT_COULOMB
#define FIT_COULOMB FORM_COULOMB_PLAIN
#endif
#ifndef FIT_SITE_MODEL
#define FIT_SITE_MODEL 0
#endif
#ifndef FIT_GLOBALS
#define FIT_GLOBALS 6
#endif
#ifndef FIT_SITES_MOVE
#define FIT_SITES_MOVE 0
#endif

#ifndef FIT_RADII
#define FIT_RADII 0
#endif
#ifndef FIT_DAMPS
#define FIT_DAMPS 0
#endif
#ifndef FIT_EXTRA
#define FIT_EXTRA 0
#endif

#define R_FLOOR R(1e-4) /* angstrom */
#define N_COMPS 9       /* slots of a type: R, y, q, h, L, four columns of the table */
/* Globals; those of a formula follow. */
enum { ALPHA, LAMBDA, SITE_L, RADIUS_C, BETA, COULOMB_D };
/* Derivatives of an atom: by R, y, q, h, columns, and with charged radii by its charge before sites took theirs. */
#define PARTS (4 + FIT_EXTRA + FIT_RADII)

/* An atom in local memory. */
typedef struct fit_atom {
    real4 pos; /* x, y, z, charge */
    real4 par; /* R - c q, y, h, 1 for a site */
#if FIT_EXTRA
    real4 extra; /* columns of the table */
#endif
} fit_atom;

/* Fours of numbers that a whole sample adds up: derivatives by the globals, and the energy. */
#define FIT_FOURS ((FIT_GLOBALS + 4) / 4)

/* What the pairs of one work-item add up to. */
typedef struct fit_sums {
    real4 own; /* derivatives by R, y (of a site: its distance), q, h */
#if FIT_EXTRA
    real4 extra; /* by columns of the table */
#endif
    real by_global[4 * FIT_FOURS]; /* with the energy behind those by the globals */
} fit_sums;

#define ENERGY FIT_GLOBALS /* its place in by_global */

/* Scales of Coulomb, repulsion and attraction in x, y, z. */
typedef real4 fit_scales;

#ifdef FIT_FORMULA
/* i is the atom of the first fragment; mine says that the work-item is there. */
SHOAL_FN void add_model(fit_sums *sum, real r, fit_atom i, fit_atom j, int mine, fit_scales scales,
                        const real *globals)
{
    const real Ri = i.par.x, Rj = j.par.x, Ei = i.par.y * i.par.y, Ej = j.par.y * j.par.y;
    const real Qi = i.pos.w, Qj = j.pos.w, Hi = i.par.z, Hj = j.par.z;
    const real R0 = Ri + Rj, E0 = i.par.y * j.par.y, gate = Hi * Hj < R(0.0) ? R(1.0) : R(0.0);
    const real Q = globals[LAMBDA] * Qi * Qj, H = gate * Hi * Hj;
    FIT_NAMED
    FIT_COLUMN_INPUTS
    FIT_FORMULA
    sum->own.x += slope_R0 + (mine ? slope_Ri : slope_Rj);
    sum->own.y += mine ? slope_E0 * j.par.y + R(2.0) * i.par.y * slope_Ei
                       : slope_E0 * i.par.y + R(2.0) * j.par.y * slope_Ej;
    sum->own.z += mine ? slope_Q * globals[LAMBDA] * Qj + slope_Qi
                       : slope_Q * globals[LAMBDA] * Qi + slope_Qj;
    sum->own.w += mine ? slope_H * gate * Hj + slope_Hi : slope_H * gate * Hi + slope_Hj;
    FIT_ADD_COLUMNS
    if (!mine) return;
    sum->by_global[ENERGY] += energy;
    sum->by_global[LAMBDA] += slope_Q * Qi * Qj;
    FIT_ADD_NAMED
}
#else
SHOAL_FN void add_model(fit_sums *sum, real r, fit_atom i, fit_atom j, int mine, fit_scales scales,
                        const real *globals)
{
    const real e0 = i.par.y * j.par.y, product = i.par.z * j.par.z;
    const real h = product < R(0.0) ? product : R(0.0);
    fit_shape s = fit_shape_of(FIT_MODEL, r, i.par.x + j.par.x, globals[ALPHA]);
    if (FIT_DAMPS) fit_damp(&s, r, globals[BETA]);
    const real fb = scales.y * ((FIT_HBOND & 1) ? R(1.0) + h : R(1.0));
    const real fa = scales.z * ((FIT_HBOND & 2) ? R(1.0) - h : R(1.0));
    const real unit = fb * s.b - fa * s.a;
    const real by_h = e0 * (((FIT_HBOND & 1) ? scales.y * s.b : R(0.0)) +
                            ((FIT_HBOND & 2) ? scales.z * s.a : R(0.0)));
    sum->own.x += e0 * (fb * s.b_r0 - fa * s.a_r0);
    sum->own.y += unit * (mine ? j.par.y : i.par.y);
    sum->own.w += product < R(0.0) ? by_h * (mine ? j.par.z : i.par.z) : R(0.0);
    if (!mine) return;
    sum->by_global[ENERGY] += e0 * unit;
    sum->by_global[ALPHA] += e0 * (fb * s.b_alpha - fa * s.a_alpha);
    if (FIT_DAMPS) sum->by_global[BETA] -= e0 * fa * s.a_beta;
}
#endif

/* along: dr by the distance of the work-item's site from its host, 0 for an atom. */
SHOAL_FN void add_coulomb(fit_sums *sum, real r, fit_atom i, fit_atom j, int mine,
                          fit_scales scales, const real *globals, real along)
{
    real by_r;
    const real k = scales.x * R(COULOMB_CONSTANT),
               g = k * fit_coulomb(FIT_COULOMB, r, globals[COULOMB_D], &by_r);
    const real qq = i.pos.w * j.pos.w;
    sum->own.z += globals[LAMBDA] * g * (mine ? j.pos.w : i.pos.w);
    if (FIT_SITES_MOVE) sum->own.y += globals[LAMBDA] * k * by_r * qq * along;
    if (!mine) return;
    sum->by_global[ENERGY] += globals[LAMBDA] * g * qq;
    sum->by_global[LAMBDA] += g * qq;
    sum->by_global[COULOMB_D] +=
        globals[LAMBDA] * k * qq * fit_coulomb_by_damping(FIT_COULOMB, r, globals[COULOMB_D]);
}

SHOAL_FN void add_site(fit_sums *sum, real r, fit_atom i, fit_atom j, int mine, real along)
{
    const int i_is_site = i.par.w > R(0.5);
    const real product = i.par.z * j.par.z, h = product < R(0.0) ? product : R(0.0);
    const real w = i_is_site ? i.par.x : j.par.x;
    real by_w;
    const real f = fit_site(FIT_SITE_MODEL, r, w, &by_w);
    sum->own.x += mine == i_is_site ? h * by_w : R(0.0);
    sum->own.w += product < R(0.0) ? f * (mine ? j.par.z : i.par.z) : R(0.0);
    if (FIT_SITES_MOVE) sum->own.y -= h * by_w * (w / r) * along; /* a function of r/w */
    if (mine) sum->by_global[ENERGY] += h * f;
}

/* dir: from the host to the work-item's site, 0 for an atom. */
SHOAL_FN void add_pair(fit_sums *sum, fit_atom i, fit_atom j, int mine, fit_scales scales,
                       const real *globals, real4 dir)
{
    const real x = i.pos.x - j.pos.x, y = i.pos.y - j.pos.y, z = i.pos.z - j.pos.z;
    const real r = real_max(real_sqrt(x * x + y * y + z * z), R_FLOOR);
    const real n_sites = i.par.w + j.par.w;
    const real toward = FIT_SITES_MOVE ? (x * dir.x + y * dir.y + z * dir.z) / r : R(0.0);
    const real along = mine ? toward : -toward;
    if (n_sites < R(0.5))
        add_model(sum, r, i, j, mine, scales, globals);
    else if (FIT_SITE_MODEL != 0 && n_sites < R(1.5))
        add_site(sum, r, i, j, mine, along);
#ifdef FIT_FORMULA
    if (n_sites < R(0.5)) return; /* the formula has its own Coulomb energy */
#endif
    add_coulomb(sum, r, i, j, mine, scales, globals, along);
}

/* The sum over the work-group, for all of its items; WG is a power of two. */
SHOAL_FN real4 group_sum(real4 x, local real4 *red)
{
    const int l = (int)get_local_id(0);
    red[l] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stride = WG / 2; stride > 0; stride /= 2) {
        if (l < stride) red[l] += red[l + stride];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    const real4 total = red[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return total;
}

/* Charge of an atom before its sites took theirs. */
SHOAL_FN real whole_charge(real q, int at, global const int *whole_start, global const int *places,
                           global const real *factors, global const real *p)
{
    for (int k = whole_start[at]; k < whole_start[at + 1]; ++k) q += factors[k] * p[places[k]];
    return q;
}

/* samples: first atom, atoms, atoms of the first fragment, block. blocks: first of its atoms in
 * charge_start, first of its columns in column_start, columns. Both start arrays lead to pairs of a
 * place (slot of a parameter; place in partial) and a factor; whole_start leads to what the charge of
 * an atom lacks because of its sites. partial: PARTS derivatives of every atom, then the globals and the
 * energy. dirs: direction from the host and slot of the distance,
 * for sites that move; their hosts' places are in atoms. results: energy, w c c' and w c^2 / 2. */
__kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void fit_samples(
    int n_samples, int n_rows, int n_slots, global const int4 *samples, global const int4 *blocks,
    global const int *row_start, global const real4 *atoms, global const int *types,
    global const int *charge_start, global const int *whole_start, global const int *column_start,
    global const int *places, global const real *factors, global const real4 *scales,
    global const real4 *dirs, global const real2 *targets, real clamp_from, real clamp_to,
    global const real *parameters, global real *rows, global real4 *results, local fit_atom *atom,
    local real *partial, local real4 *red)
{
    const int l = (int)get_local_id(0), group = (int)get_group_id(0);
    const int s = group % n_samples, set = group / n_samples;
    const int4 sample = samples[s], block = blocks[sample.w];
    const int n = sample.y, n_first = sample.z;
    global const real *p = parameters + (size_t)set * (size_t)n_slots;
    for (int i = l; i < n; i += WG) {
        const int code = types[sample.x + i], type = code < 0 ? -1 - code : code;
        real4 pos = atoms[sample.x + i];
        if (FIT_SITES_MOVE && code < 0) {
            const real4 dir = dirs[sample.x + i];
            const real distance = p[(int)dir.w];
            pos.x += distance * dir.x;
            pos.y += distance * dir.y;
            pos.z += distance * dir.z;
        }
        for (int k = charge_start[block.x + i]; k < charge_start[block.x + i + 1]; ++k)
            pos.w += factors[k] * p[places[k]];
        atom[i].pos = pos;
        real radius = p[N_COMPS * type];
        if (FIT_RADII && code >= 0)
            radius -= p[n_slots - FIT_GLOBALS + RADIUS_C] *
                      whole_charge(pos.w, block.x + i, whole_start, places, factors, p);
        atom[i].par = (real4)(radius, p[N_COMPS * type + 1], p[N_COMPS * type + 3],
                              code < 0 ? R(1.0) : R(0.0));
#if FIT_EXTRA
        global const real *extra = p + N_COMPS * type + 5;
        atom[i].extra = (real4)(extra[0], extra[1], extra[2], extra[3]);
#endif
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const fit_scales scale = scales[s];
    fit_sums sum;
    real globals[FIT_GLOBALS];
    for (int g = 0; g < 4 * FIT_FOURS; ++g) sum.by_global[g] = R(0.0);
    for (int g = 0; g < FIT_GLOBALS; ++g) globals[g] = p[n_slots - FIT_GLOBALS + g];
    for (int i = l; i < n; i += WG) {
        const int mine = i < n_first;
        const real4 zero = (real4)(R(0.0), R(0.0), R(0.0), R(0.0));
        const real4 dir = FIT_SITES_MOVE ? dirs[sample.x + i] : zero;
        sum.own = zero;
#if FIT_EXTRA
        sum.extra = zero;
#endif
        for (int j = mine ? n_first : 0; j < (mine ? n : n_first); ++j)
            add_pair(&sum, atom[mine ? i : j], atom[mine ? j : i], mine, scale, globals, dir);
        partial[PARTS * i] = sum.own.x;
        partial[PARTS * i + 1] = sum.own.y;
        partial[PARTS * i + 2] = sum.own.z;
        partial[PARTS * i + 3] = sum.own.w;
#if FIT_EXTRA
        partial[PARTS * i + 4] = sum.extra.x;
        if (FIT_EXTRA > 1) partial[PARTS * i + 5] = sum.extra.y;
        if (FIT_EXTRA > 2) partial[PARTS * i + 6] = sum.extra.z;
        if (FIT_EXTRA > 3) partial[PARTS * i + 7] = sum.extra.w;
#endif
        if (FIT_RADII) {
            const real by_radius = atom[i].par.w > R(0.5) ? R(0.0) : sum.own.x;
            partial[PARTS * i + PARTS - 1] = -globals[RADIUS_C] * by_radius;
            sum.by_global[RADIUS_C] -= by_radius * whole_charge(atom[i].pos.w, block.x + i,
                                                                whole_start, places, factors, p);
        }
    }
    for (int g = 0; g < 4 * FIT_FOURS; g += 4) {
        const real4 total = group_sum((real4)(sum.by_global[g], sum.by_global[g + 1],
                                              sum.by_global[g + 2], sum.by_global[g + 3]),
                                      red);
        partial[PARTS * n + g] = total.x; /* by everyone, the same */
        partial[PARTS * n + g + 1] = total.y;
        partial[PARTS * n + g + 2] = total.z;
        partial[PARTS * n + g + 3] = total.w;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const real energy = partial[PARTS * n + ENERGY];
    for (int c = l; c < block.z; c += WG) {
        real value = R(0.0);
        for (int k = column_start[block.y + c]; k < column_start[block.y + c + 1]; ++k)
            value += factors[k] * partial[places[k]];
        rows[(size_t)set * (size_t)n_rows + (size_t)(row_start[s] + c)] = value;
    }
    const real2 target = targets[s];
    const real d = energy - target.x, width = clamp_to - clamp_from;
    const int bent = width > R(0.0) && d > clamp_from;
    const real f = bent ? R(1.0) / (R(1.0) + (d - clamp_from) / width) : R(1.0);
    const real c = bent ? clamp_from + width * (R(1.0) - f) : d;
    if (l != 0) return;
    results[(size_t)set * (size_t)n_samples + (size_t)s] =
        (real4)(energy, target.y * c * f * f, R(0.5) * target.y * c * c, R(0.0));
}
