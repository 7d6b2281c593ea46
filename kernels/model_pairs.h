/* SPDX-License-Identifier: BSD-3-Clause
 * A pair of a pair model on an OpenCL device. Programs are built with MODEL_FAMILY, MODEL_SCALED, MODEL_HBOND,
 * MODEL_DAMPED, MODEL_COULOMB, and a formula as MODEL_FORMULA (formula_emit_force), MODEL_ORDERED where it tells the
 * two atoms apart. Rows of particles hold R, sqrt(E), charge, h. Where the formula names columns of the table of types
 * (MODEL_COLUMNS of them, MODEL_COLUMN_INPUTS), they hold the number of the type instead of h: MODEL_TABLE has
 * MODEL_TYPES rows of h and these columns. */
#ifndef SHOAL_KERNELS_MODEL_PAIRS_H
#define SHOAL_KERNELS_MODEL_PAIRS_H

/* Programs for systems whose pairs are clamped, see clamp_terms.h: a pair is taken at another distance, its energies grow,
 * and so does its force. */
#ifdef SHOAL_CLAMP
#include "clamp_terms.h"
#define CLAMP_PAIR(r2, clamp, reach2)                                                              \
    real longer, share;                                                                            \
    (r2) = pair_clamp(r2, (clamp) * (clamp) * (reach2), &longer, &share)
#define CLAMP_ENERGY(energy, s) ((energy) + share * (s))
#define CLAMP_FORCE(g) (longer * (g))
#else
#define CLAMP_PAIR(r2, clamp, reach2)
#define CLAMP_ENERGY(energy, s) (energy)
#define CLAMP_FORCE(g) (g)
#endif

#ifdef SHOAL_MODEL
#include "model_terms.h"

#define MODEL_ARGUMENTS                                                                            \
    , const real model_a, const real model_b, const real model_k, const real model_beta,           \
        const real model_d
#define MODEL_CONSTANTS(clamp)                                                                     \
    {                                                                                              \
        model_a, model_b, model_k, model_beta, model_d, clamp                                      \
    }

#ifdef MODEL_COLUMNS
constant real model_table[] = MODEL_TABLE;

/* Particles that do not count may hold anything. */
SHOAL_FN constant const real *model_row(real number)
{
    return model_table + (1 + MODEL_COLUMNS) * clamp((int)number, 0, MODEL_TYPES - 1);
}
#endif

/* Of Lennard-Jones, whether some pair may have a hydrogen bond: who knows of none defines MODEL_NO_HBONDS. */
#ifdef MODEL_NO_HBONDS
#define MODEL_PAIR_HBOND 0
#else
#define MODEL_PAIR_HBOND (MODEL_HBOND & MODEL_ON_REPULSION)
#endif

#ifdef MODEL_FORMULA
/* The formula's own variables have the names of its inputs. */
SHOAL_FN real model_energy(const model_numbers *m, real4 p, real4 q, real r, real ir, int ahead,
                           real *s)
{
#ifdef MODEL_ORDERED
    const real4 first = ahead ? p : q, second = ahead ? q : p;
#else
    const real4 first = p, second = q;
#endif
    const real Ri = first.x, Rj = second.x, R0 = Ri + Rj;
    const real Ei = first.y * first.y, Ej = second.y * second.y, E0 = first.y * second.y;
    const real Qi = first.z, Qj = second.z, Q = Qi * Qj;
#ifdef MODEL_COLUMNS
    constant const real *row_i = model_row(first.w), *row_j = model_row(second.w);
    const real Hi = row_i[0], Hj = row_j[0], H = real_min(Hi * Hj, R(0.0));
    MODEL_COLUMN_INPUTS
#else
    const real Hi = first.w, Hj = second.w, H = real_min(Hi * Hj, R(0.0));
#endif
    MODEL_FORMULA
    *s = m->b > 0 ? -r * slope_r : R(0.0);
    return m->b > 0 ? energy : R(0.0);
}
#else
SHOAL_FN real model_energy(const model_numbers *m, real4 p, real4 q, real r, real ir, int ahead,
                           real *s)
{
    real ea, eb;
    if (MODEL_FAMILY == FORM_BUFFERED) return model_buffered(p.x, q.x, p.y, q.y, p.w, q.w, r, s);
    const int by_attraction = MODEL_HBOND & MODEL_ON_ATTRACTION; /* constants: one way is left */
    if ((MODEL_FAMILY == FORM_POWER_12) & (MODEL_DAMPED == 0) & (by_attraction == 0)) {
        const real h = MODEL_PAIR_HBOND ? real_min(p.w * q.w, R(0.0)) : R(0.0);
        return model_lj(p.y * q.y, h, (p.x + q.x) * ir, s);
    }
    model_hbond(MODEL_HBOND, p.y * q.y, p.w * q.w, &ea, &eb);
    return model_vdw(MODEL_FAMILY, MODEL_SCALED, MODEL_DAMPED, m, p.x + q.x, ea, eb, r, ir, s);
}
#endif

/* Square of the distance of the minimum of two particles. */
SHOAL_FN real model_reach2(real4 p, real4 q)
{
    int bridge;
    const real reach = MODEL_FAMILY == FORM_BUFFERED
                           ? model_buffered_minimum(p.x, q.x, p.w, q.w, &bridge)
                           : p.x + q.x;
    return MODEL_FAMILY == FORM_BUFFERED && bridge ? R(0.64) * (reach * reach) : reach * reach;
}

/* The factor g of the force g (r_i - r_j). A pair that is not near is one that does not interact, put so far away that
 * nothing is left of it; of a formula nobody knows what is left, and it is dropped. */
SHOAL_FN real model_pair(const model_numbers *m, real4 p, real4 q, real r2, int ahead, int near,
                         real *vdw, real *coulomb)
{
    CLAMP_PAIR(r2, m->clamp, model_reach2(p, q));
    const real ir = real_rsqrt(r2), r = r2 * ir;
    real s;
    *vdw = model_energy(m, p, q, r, ir, ahead, &s);
    *vdw = CLAMP_ENERGY(*vdw, s);
#ifdef MODEL_FORMULA
    *vdw = near ? *vdw : R(0.0);
    s = near ? s : R(0.0);
#endif
    *coulomb = 0;
#ifdef SHOAL_CHARGES
    if (MODEL_COULOMB != FORM_COULOMB_NONE) {
        real more;
        *coulomb = form_coulomb(MODEL_COULOMB, p.z * q.z, m->d, r, ir, &more);
        *coulomb = CLAMP_ENERGY(*coulomb, more);
        s += more;
    }
#endif
    return CLAMP_FORCE(s * (ir * ir));
}

#else
#define MODEL_ARGUMENTS
#endif

#endif
