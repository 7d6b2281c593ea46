/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bonds in dynamics. A star is an atom in the middle and up to RIGID_MOST others that are held at their distances
 * from it; stars share no atoms, so that each is a small problem of its own, solved in one order by whoever has it: SHAKE
 * (Ryckaert, Ciccotti and Berendsen, J. Comput. Phys. 23 (1977) 327) for places and RATTLE (Andersen, J. Comput. Phys. 52
 * (1983) 24) for velocities; with Langevin's thermostat g-BAOAB (Leimkuhler and Matthews, Proc. R. Soc. A 472 (2016)
 * 20160138) with one drift between two kicks or noises. Both are solved bond by bond in turns, with products of vectors
 * that are made once.
 *
 * A schedule makes the steps of step_md.h with two changes: forces get what closes velocities so that these are tangent to
 * the bonds (rigid_forces) as soon as they are known, so that sums and kicks need not know of it; and the atoms of a star
 * move together (rigid_go), which does not ask what velocities have along bonds. Bonds go from the middle to an atom; w are the inverse
 * masses of step_md.h, the middle first.
 *
 * A template: RIGID_LANES stars at a time, one unless it is defined; RIGID(name) names what is made, RIGID_BLOCK a vector of
 * every lane. A lane that is done, or has fewer bonds, is left as it is by impulses of zero. */
#ifndef RIGID_LANES
#include "real.h"
#include "rigid_layout.h"
#define RIGID_LANES 1
#define RIGID(name) name
#define RIGID_FN SHOAL_FN
#define RIGID_SIMD
typedef struct rigid_block {
    real v[3][1];
} rigid_block;
#define RIGID_BLOCK rigid_block
#endif

#ifndef SHOAL_KERNELS_STEP_RIGID_H
#define SHOAL_KERNELS_STEP_RIGID_H
/* What may be wrong of a squared length before the last turn, which leaves a tenth of it where masses are equal and a
 * hundredth of bonds to a carbon: these need four turns or five. */
#define RIGID_TOLERANCE (sizeof(real) == 4 ? R(1e-6) : R(1e-11))
#define RIGID_TURNS 60
/* Bonds that turn so far in a step, by the cosine, do not find back. */
#define RIGID_NEAR R(0.1)
/* Velocity of the middle of a star that could not be kept, angstrom/fs: the next step sees that it goes too fast. */
#define RIGID_LOST R(1e10)
#endif

#define RIGID_EACH for (int l = 0; l < RIGID_LANES; ++l)
#define RIGID_DOT(a, b)                                                                            \
    ((a).v[0][l] * (b).v[0][l] + (a).v[1][l] * (b).v[1][l] + (a).v[2][l] * (b).v[2][l])

typedef struct RIGID(rigid_stars) {
    int most;                            /* bonds of the largest star */
    real w[RIGID_MOST + 1][RIGID_LANES]; /* inverse masses */
    real d2[RIGID_MOST][RIGID_LANES];    /* squared lengths, angstrom^2; 0: there is no such bond */
    RIGID_BLOCK s[RIGID_MOST];           /* bonds as they are; 0 where there are none */
    real ss[RIGID_MOST][RIGID_MOST][RIGID_LANES]; /* their products, by rigid_products */
    real inverse[RIGID_MOST]
                [RIGID_LANES]; /* of the weight of an impulse along a bond, both ends; 0: no bond */
    real by[RIGID_MOST][RIGID_LANES]; /* impulses along the bonds that were found last */
    real lost[RIGID_LANES];           /* 1: the star could not be kept */
} RIGID(rigid_stars);

/* After bonds have changed. */
RIGID_FN void RIGID(rigid_products)(RIGID(rigid_stars) * b)
{
    for (int k = 0; k < b->most; ++k) {
        RIGID_SIMD
        RIGID_EACH b->inverse[k][l] =
            b->d2[k][l] > R(0.0) ? R(1.0) / (b->w[0][l] + b->w[k + 1][l]) : R(0.0);
        for (int j = 0; j <= k; ++j) {
            RIGID_SIMD
            RIGID_EACH b->ss[k][j][l] = b->ss[j][k][l] = RIGID_DOT(b->s[k], b->s[j]);
        }
    }
}

/* Finds the impulses along the bonds that take from velocities or accelerations v what would change the lengths. */
RIGID_FN void RIGID(rigid_impulses)(RIGID(rigid_stars) * b, const RIGID_BLOCK *v)
{
    real along[RIGID_MOST][RIGID_LANES], step[RIGID_MOST][RIGID_LANES], go[RIGID_LANES],
        enough[RIGID_LANES], next[RIGID_LANES], push[RIGID_LANES];
    RIGID_EACH enough[l] = R(0.0), go[l] = R(1.0);
    for (int k = 0; k < b->most; ++k) {
        RIGID_SIMD
        RIGID_EACH
        {
            const real x = v[k + 1].v[0][l] - v[0].v[0][l], y = v[k + 1].v[1][l] - v[0].v[1][l],
                       z = v[k + 1].v[2][l] - v[0].v[2][l];
            const int is = b->d2[k][l] > R(0.0);
            along[k][l] = x * b->s[k].v[0][l] + y * b->s[k].v[1][l] + z * b->s[k].v[2][l];
            enough[l] += is ? (x * x + y * y + z * z) * b->ss[k][k][l] : R(0.0);
            step[k][l] = is ? b->inverse[k][l] / b->ss[k][k][l] : R(0.0);
            b->by[k][l] = R(0.0);
        }
    }
    RIGID_EACH enough[l] *= RIGID_TOLERANCE * RIGID_TOLERANCE;
    for (int turn = 0, any = 1; turn < RIGID_TURNS && any; ++turn) {
        RIGID_EACH next[l] = R(0.0);
        for (int k = 0; k < b->most; ++k) {
            RIGID_SIMD
            RIGID_EACH
            {
                const real a = along[k][l] * go[l];
                push[l] = step[k][l] > R(0.0) ? -a * step[k][l] : R(0.0);
                next[l] = step[k][l] > R(0.0) && a * a > enough[l] ? R(1.0) : next[l];
                b->by[k][l] += push[l];
            }
            for (int j = 0; j < b->most; ++j) {
                RIGID_SIMD
                RIGID_EACH
                {
                    const real weight = j == k ? b->w[0][l] + b->w[k + 1][l] : b->w[0][l];
                    along[j][l] += weight * push[l] * b->ss[k][j][l];
                }
            }
        }
        any = 0;
        RIGID_EACH
        {
            go[l] = next[l];
            any |= go[l] > R(0.0);
        }
    }
}

/* Finds the impulses along the bonds s that give the bonds r their lengths. */
RIGID_FN void RIGID(rigid_close)(RIGID(rigid_stars) * b, const RIGID_BLOCK *r)
{
    real rr[RIGID_MOST][RIGID_LANES], rs[RIGID_MOST][RIGID_MOST][RIGID_LANES], go[RIGID_LANES],
        next[RIGID_LANES], push[RIGID_LANES];
    for (int k = 0; k < b->most; ++k) {
        RIGID_SIMD
        RIGID_EACH
        {
            rr[k][l] = RIGID_DOT(r[k], r[k]);
            b->by[k][l] = R(0.0);
        }
        for (int j = 0; j < b->most; ++j) {
            RIGID_SIMD
            RIGID_EACH rs[k][j][l] = RIGID_DOT(r[k], b->s[j]);
        }
    }
    RIGID_EACH go[l] = R(1.0) - b->lost[l];
    for (int turn = 0, any = 1; turn < RIGID_TURNS && any; ++turn) {
        RIGID_EACH next[l] = R(0.0);
        for (int k = 0; k < b->most; ++k) {
            RIGID_SIMD
            RIGID_EACH
            {
                const real d2 = b->d2[k][l], lack = d2 - rr[k][l], along = rs[k][k][l];
                const int near = along > RIGID_NEAR * d2, on = d2 > R(0.0) && go[l] > R(0.0);
                push[l] = on && near ? R(0.5) * lack * b->inverse[k][l] / along : R(0.0);
                next[l] = on && !(real_abs(lack) <= RIGID_TOLERANCE * d2) ? R(1.0) : next[l];
                b->lost[l] = on && !near ? R(1.0) : b->lost[l];
                b->by[k][l] += push[l];
            }
            for (int i = 0; i < b->most; ++i) {
                RIGID_SIMD
                RIGID_EACH
                {
                    const real weight = i == k ? b->w[0][l] + b->w[k + 1][l] : b->w[0][l];
                    const real by = weight * push[l];
                    rr[i][l] += by * (R(2.0) * rs[i][k][l] + by * b->ss[k][k][l]);
                }
                for (int j = 0; j < b->most; ++j) {
                    RIGID_SIMD
                    RIGID_EACH
                    {
                        const real weight = i == k ? b->w[0][l] + b->w[k + 1][l] : b->w[0][l];
                        rs[i][j][l] += weight * push[l] * b->ss[k][j][l];
                    }
                }
            }
        }
        any = 0;
        RIGID_EACH
        {
            go[l] = next[l] * (R(1.0) - b->lost[l]);
            any |= go[l] > R(0.0);
        }
    }
    RIGID_EACH b->lost[l] = go[l] > R(0.0) ? R(1.0) : b->lost[l];
}

/* Adds to vectors of the atoms the impulses times scale; weighted: as they move atoms by their inverse masses. */
RIGID_FN void RIGID(rigid_add)(const RIGID(rigid_stars) * b, RIGID_BLOCK *to, int weighted,
                               const real *scale)
{
    for (int k = 0; k < b->most; ++k) {
        RIGID_SIMD
        RIGID_EACH
        {
            const real by = scale[l] * b->by[k][l];
            const real out = weighted ? by * b->w[k + 1][l] : by,
                       in = weighted ? by * b->w[0][l] : by;
            to[k + 1].v[0][l] += out * b->s[k].v[0][l];
            to[k + 1].v[1][l] += out * b->s[k].v[1][l];
            to[k + 1].v[2][l] += out * b->s[k].v[2][l];
            to[0].v[0][l] -= in * b->s[k].v[0][l];
            to[0].v[1][l] -= in * b->s[k].v[1][l];
            to[0].v[2][l] -= in * b->s[k].v[2][l];
        }
    }
}

/* Adds impulses to forces that make v + close f w tangent; with close = 0 what f accelerates. */
RIGID_FN void RIGID(rigid_forces)(RIGID(rigid_stars) * b, const RIGID_BLOCK *v, const real *close,
                                  RIGID_BLOCK *f)
{
    RIGID_BLOCK a[RIGID_MOST + 1];
    real one[RIGID_LANES], rate[RIGID_LANES];
    RIGID_EACH
    {
        one[l] = R(1.0);
        rate[l] = close[l] > R(0.0) ? R(1.0) / close[l] : R(0.0);
    }
    for (int k = 0; k <= b->most; ++k)
        for (int c = 0; c < 3; ++c) {
            RIGID_SIMD
            RIGID_EACH a[k].v[c][l] = rate[l] * v[k].v[c][l] + b->w[k][l] * f[k].v[c][l];
        }
    RIGID(rigid_products)(b);
    RIGID(rigid_impulses)(b, a);
    RIGID(rigid_add)(b, f, 0, one);
}

/* Makes velocities tangent. */
RIGID_FN void RIGID(rigid_velocities)(RIGID(rigid_stars) * b, RIGID_BLOCK *v)
{
    real one[RIGID_LANES];
    RIGID_EACH one[l] = R(1.0);
    RIGID(rigid_products)(b);
    RIGID(rigid_impulses)(b, v);
    RIGID(rigid_add)(b, v, 1, one);
}

/* Moves with the velocities v for a time; move: how far, added to what is there; v: what was moved with; s: where the bonds
 * end. Products of the bonds are known. */
RIGID_FN void RIGID(rigid_drift)(RIGID(rigid_stars) * b, RIGID_BLOCK *v, const real *time,
                                 RIGID_BLOCK *move)
{
    RIGID_BLOCK r[RIGID_MOST], by[RIGID_MOST + 1];
    real one[RIGID_LANES], per_time[RIGID_LANES];
    RIGID_EACH
    {
        one[l] = R(1.0);
        per_time[l] = time[l] > R(0.0) ? R(1.0) / time[l] : R(0.0);
    }
    for (int k = 0; k < b->most; ++k)
        for (int c = 0; c < 3; ++c) {
            RIGID_SIMD
            RIGID_EACH r[k].v[c][l] =
                b->s[k].v[c][l] + (time[l] * v[k + 1].v[c][l] - time[l] * v[0].v[c][l]);
        }
    RIGID(rigid_close)(b, r);
    for (int k = 0; k <= b->most; ++k)
        for (int c = 0; c < 3; ++c) {
            RIGID_SIMD
            RIGID_EACH by[k].v[c][l] = R(0.0);
        }
    RIGID(rigid_add)(b, by, 1, one);
    for (int k = 0; k <= b->most; ++k)
        for (int c = 0; c < 3; ++c) {
            RIGID_SIMD
            RIGID_EACH
            {
                move[k].v[c][l] += time[l] * v[k].v[c][l] + by[k].v[c][l];
                v[k].v[c][l] += per_time[l] * by[k].v[c][l];
            }
        }
    for (int k = 0; k < b->most; ++k)
        for (int c = 0; c < 3; ++c) {
            RIGID_SIMD
            RIGID_EACH b->s[k].v[c][l] = r[k].v[c][l] + (by[k + 1].v[c][l] - by[0].v[c][l]);
        }
}

/* What a step moves stars by, after v was opened; noise: what Langevin's thermostat gives to every atom, 0 without it,
 * keep: what it leaves. */
RIGID_FN void RIGID(rigid_go)(RIGID(rigid_stars) * b, RIGID_BLOCK *v, const real *dt, real keep,
                              const RIGID_BLOCK *noise, RIGID_BLOCK *move)
{
    real time[RIGID_LANES];
    RIGID_EACH
    {
        time[l] = noise ? R(0.5) * dt[l] : dt[l];
        b->lost[l] = R(0.0);
    }
    for (int k = 0; k <= b->most; ++k)
        for (int c = 0; c < 3; ++c) {
            RIGID_EACH move[k].v[c][l] = R(0.0);
        }
    RIGID(rigid_products)(b);
    RIGID(rigid_drift)(b, v, time, move);
    if (noise) {
        for (int k = 0; k <= b->most; ++k)
            for (int c = 0; c < 3; ++c) {
                RIGID_SIMD
                RIGID_EACH v[k].v[c][l] = keep * v[k].v[c][l] + noise[k].v[c][l];
            }
        RIGID(rigid_velocities)(b, v);
        RIGID(rigid_drift)(b, v, time, move);
    }
    RIGID_EACH v[0].v[0][l] = b->lost[l] > R(0.0) ? RIGID_LOST : v[0].v[0][l];
}

#undef RIGID_DOT
#undef RIGID_EACH
#undef RIGID_LANES
#undef RIGID
#undef RIGID_FN
#undef RIGID_SIMD
#undef RIGID_BLOCK
