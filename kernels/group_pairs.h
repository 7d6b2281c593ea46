/* SPDX-License-Identifier: BSD-3-Clause
 * Non-bonded pairs of a system, one atom per work-item. */
#ifndef SHOAL_KERNELS_GROUP_PAIRS_H
#define SHOAL_KERNELS_GROUP_PAIRS_H

#include "group_memory.h"
#include "model_pairs.h"
#include "pair_terms.h"

/* Pairs computed side by side: bits of a mask, known when the program is built. */
#define PAIR_STEP (WG == 32 ? 2 : 4)

/* Added to r^2 of a pair that does not interact, it leaves no force and no energy. */
#ifdef SHOAL_DOUBLE
#define PAIR_FAR R(1e80)
#else
#define PAIR_FAR R(1e30)
#endif

#ifdef SHOAL_MODEL

/* Pairs counted as they are, from both sides, without common factors. */
#define PAIR_VDW_SHARE R(0.5)
#define PAIR_FACTOR(p) R(1.0)
#define PAIR_VDW_FACTOR(p) R(1.0)

typedef struct pair_constants {
    model_numbers numbers;
    global const real *pairs; /* of the topology: see pair_by_kinds */
} pair_constants;
#define PAIR_CONSTANTS                                                                             \
    {                                                                                              \
        MODEL_CONSTANTS(as_float(sys.clamp)), (global const real *)(forms + t.pairs)               \
    }

/* Whole numbers among reals are kept as KIND_ZERO + number, whose last bits they are. */
#ifdef SHOAL_DOUBLE
#define KIND_OF(x) ((int)((x)-R(KIND_ZERO)))
#else
#define KIND_OF(x) (as_int(x) - as_int(R(KIND_ZERO)))
#endif

/* Pairs whose numbers do not follow from a few operations have them in a table, by kinds of atoms: rows of particles
 * hold twice the kind, where its row begins, and the charge. All work-items meet the same partner, so they read one row. */
SHOAL_FN real pair_by_kinds(real4 p, real4 q, real r2, const pair_constants *c, real *vdw,
                            real *coulomb)
{
    global const real *pair = c->pairs + (KIND_OF(q.y) + KIND_OF(p.x));
    CLAMP_PAIR(r2, c->numbers.clamp, R(1.0) / (pair[0] * pair[0]));
    const real ir = real_rsqrt(r2), r = r2 * ir;
    const real d = MODEL_COULOMB == FORM_COULOMB_NONE ? R(0.0) : c->numbers.d;
    real reach;
    real s = model_buffered_pair(pair[0], pair[1], r, d, vdw, &reach);
    *vdw = CLAMP_ENERGY(*vdw, s);
    *coulomb = 0;
#ifdef SHOAL_CHARGES
    if (MODEL_COULOMB != FORM_COULOMB_NONE) {
        const int far = MODEL_COULOMB == FORM_COULOMB_BUFFERED_FAR;
        *coulomb = p.z * q.z * reach * (far ? reach : R(1.0));
        const real more = (far ? R(2.0) : R(1.0)) * (*coulomb * r * reach);
        *coulomb = CLAMP_ENERGY(*coulomb, more);
        s += more;
    }
#endif
    return CLAMP_FORCE(s * (ir * ir));
}

/* As below, for a pair model; ahead: p is the atom with the lower number. */
SHOAL_FN real pair_force(real4 p, real4 q, real r2, int ahead, const pair_constants *c, energies *e)
{
    real vdw, coulomb, g;
    if (MODEL_FAMILY == FORM_BUFFERED)
        g = pair_by_kinds(p, q, r2, c, &vdw, &coulomb);
    else
        g = model_pair(&c->numbers, p, q, r2, ahead, !(r2 >= PAIR_FAR), &vdw, &coulomb);
    ADD_ENERGY(e, VDW, vdw);
    ADD_ENERGY(e, COULOMB, coulomb);
    return g;
}

#else

/* vdW is counted 12-fold, pairs are met from both sides. */
#define PAIR_VDW_SHARE R(0.04166666666666666667)

typedef struct pair_constants {
    real damping2, clamp;
} pair_constants;
#define PAIR_CONSTANTS                                                                             \
    {                                                                                              \
        damping2, as_float(sys.clamp)                                                              \
    }

/* sqrt(12 D) x^3 of an atom is a factor of its vdW with all others. Where nothing else acts between them, forces get it when
 * all pairs are there. */
#ifdef SHOAL_CHARGES
#define PAIR_FACTOR(p) R(1.0)
#else
#define PAIR_FACTOR(p) (p).y
#endif
#define PAIR_VDW_FACTOR(p) (p).y

/* Strength of the pair with the atoms p and q: the factor g of the force g (r_i - r_j), without PAIR_FACTOR(p), and the
 * energies, that of vdW without PAIR_VDW_FACTOR(p). par holds
 * x^3, sqrt(12 D) x^3, the charge in units that make kC = 1, and x (with arithmetic mixing x/2 and
 * sqrt(12 D) in front). In a small system in float, what lies beyond 10 x is below the resolution of
 * the sum, and is not looked for. */
SHOAL_FN real pair_force(real4 p, real4 q, real r2, int ahead, const pair_constants *c, energies *e)
{
    (void)ahead;
#ifdef SHOAL_ARITHMETIC
    const real x = p.x + q.x, x2 = x * x, x6 = x2 * x2 * x2;
    real c6 = q.y * x6;
    CLAMP_PAIR(r2, c->clamp, x2);
#else
    const real x6 = p.x * q.x;
    real c6 = q.y;
    CLAMP_PAIR(r2, c->clamp, p.w * q.w);
#endif
    const real ir = real_rsqrt(r2), ir2 = ir * ir, ir6 = ir2 * ir2 * ir2;
#ifdef SHOAL_DOUBLE
    c6 = x6 * ir6 > VDW_NEAR ? c6 : R(0.0);
#endif
    real s;
    const real vdw = pair_vdw(x6, c6, ir6, &s);
    ADD_ENERGY(e, VDW, CLAMP_ENERGY(vdw, R(12.0) * s));
#ifdef SHOAL_CHARGES
#ifdef SHOAL_DAMPED
    const real id = real_rsqrt(r2 + c->damping2), ec = pair_coulomb(p.z * q.z, id);
    const real g = p.y * s * ir2 + ec * (id * id);
    ADD_ENERGY(e, COULOMB, CLAMP_ENERGY(ec, ec * (id * id) * r2));
#else
    const real ec = pair_coulomb(p.z * q.z, ir), g = (p.y * s + ec) * ir2;
    ADD_ENERGY(e, COULOMB, CLAMP_ENERGY(ec, ec));
#endif
    return CLAMP_FORCE(g);
#else
    return CLAMP_FORCE(s * ir2);
#endif
}

#endif

/* The force on i of PAIR_STEP pairs with the atoms from j on. Pairs whose bit is set do not interact:
 * they are computed for atoms far apart, because without a branch the loop unrolls. */
SHOAL_FN v3 pair_group(v3 f, v3 ri, real4 pi, int i, int j, uint mask, local const real4 *pos,
                       local const real4 *par, const pair_constants *c, energies *e)
{
#pragma unroll
    for (int k = 0; k < PAIR_STEP; ++k) {
        const v3 d = v3_sub(ri, load3(pos, j + k));
        const real far = mask & 1u << k ? PAIR_FAR : R(0.0);
        const real r2 = far + d.x * d.x + d.y * d.y + d.z * d.z;
        f = v3_add(f, v3_scale(pair_force(pi, par[j + k], r2, i < j + k, c, e), d));
    }
    return f;
}

/* Pairs of one atom with all others. Every pair is met from both sides. Work-items meet the same
 * partner at a time: local memory serves all of them at once then. */
SHOAL_FN void eval_pairs(const topology_record *t, const program_data *data, local const real4 *pos,
                         local const real4 *par, local real4 *slot, const pair_constants *c,
                         energies *e)
{
    const int n = N_PARTICLES(t), places = (n + PAIR_STEP - 1) & ~(PAIR_STEP - 1);
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        global const uint *bits = data->exclude + t->exclude + i * t->n_words;
        const v3 ri = load3(pos, i);
        const real4 pi = par[i];
        v3 f = v3_make(0, 0, 0);
        for (int block = 0; block < places; block += 32) {
            const int end = block + 32 < places ? block + 32 : places;
            uint mask = bits[block >> 5];
            energies part = NO_ENERGIES; /* of one block, so that large sums keep their digits */
            for (int j = block; j < end; j += PAIR_STEP) {
                f = pair_group(f, ri, pi, i, j, mask, pos, par, c, &part);
                mask >>= PAIR_STEP;
            }
            ADD_ENERGY(e, VDW, PAIR_VDW_FACTOR(pi) * part.of[ENERGY_VDW]);
            ADD_ENERGY(e, COULOMB, part.of[ENERGY_COULOMB]);
        }
        store3(slot, t->n_slots + i, v3_scale(PAIR_FACTOR(pi), f));
    }
}

#endif
