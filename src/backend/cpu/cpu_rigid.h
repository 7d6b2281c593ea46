/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bonds over lanes: one star of every lane at a time, by kernels/step_rigid.h. Included by cpu_md.h. */

#define RIGID_LANES LANES
#define RIGID(name) LANE(name)
#define RIGID_FN static
#define RIGID_SIMD OVER_LANES
#define RIGID_BLOCK LANE(block)
#include "step_rigid.h"

/* Star m of every lane; where. */
typedef struct LANE(stars) {
    LANE(rigid_stars) b;             /* first */
    bool alike;                      /* they are of the same atoms in all lanes */
    const backend_star *from[LANES]; /* NULL: there is none */
} LANE(stars);

/* Vectors of the atoms of the stars; what a star does not have stays. */
static void LANE(stars_get)(const LANE(stars) * p, const LANE(block) * from, LANE(block) * to)
{
    for (int k = 0; k <= p->b.most; ++k) {
        if (p->alike) to[k] = from[p->from[0]->atoms[k]];
        for (int l = 0; l < LANES && !p->alike; ++l)
            if (p->from[l] && k <= p->from[l]->n)
                LANE(put)(&to[k], l, LANE(get)(&from[p->from[l]->atoms[k]], l));
    }
}

static void LANE(stars_put)(const LANE(stars) * p, const LANE(block) * from, LANE(block) * to)
{
    for (int k = 0; k <= p->b.most; ++k) {
        if (p->alike) to[p->from[0]->atoms[k]] = from[k];
        for (int l = 0; l < LANES && !p->alike; ++l)
            if (p->from[l] && k <= p->from[l]->n)
                LANE(put)(&to[p->from[l]->atoms[k]], l, LANE(get)(&from[k], l));
    }
}

/* False: no lane has so many. */
static bool LANE(stars_find)(const LANE(lanes) * s, LANE(stars) * p, int32_t m)
{
    bool any = false;
    memset(p->b.w, 0, sizeof p->b.w);
    memset(p->b.d2, 0, sizeof p->b.d2);
    p->b.most = 0;
    p->alike = true;
    for (int l = 0; l < LANES; ++l) {
        const backend_bath *bath = s->task[l] ? s->task[l]->bath : NULL;
        const backend_star *own = p->from[l] = bath && m < bath->n_stars ? &bath->stars[m] : NULL;
        const backend_star *first = p->from[0];
        p->alike = p->alike && own && own->n == first->n &&
                   memcmp(own->atoms, first->atoms, sizeof own->atoms) == 0;
        if (!own) continue;
        any = true;
        if (own->n > p->b.most) p->b.most = own->n;
        p->b.w[0][l] = s->w[own->atoms[0]].w[l];
        for (int k = 0; k < own->n; ++k) {
            p->b.w[k + 1][l] = s->w[own->atoms[k + 1]].w[l];
            p->b.d2[k][l] = (real)(own->lengths[k] * own->lengths[k]);
        }
    }
    return any;
}

/* Of a large system: coordinates are moves away from the start, where atoms may be bound to other images. */
static void LANE(stars_shift)(const LANE(lanes) * s, LANE(stars) * p)
{
    const backend_star *star = p->from[0];
    const cpu_task *task = s->task[0];
    const double(*start)[3] = (const double(*)[3])((const saved *)*task->saved)->start;
    for (int k = 0; k < star->n; ++k)
        for (int c = 0; c < 3; ++c) {
            double d = start[star->atoms[k + 1]][c] - start[star->atoms[0]][c];
            for (int m = 0; m < 3; ++m) d += star->shifts[k][m] * task->system->cell[m][c];
            p->b.s[k].v[c][0] += (real)d;
        }
}

/* Bonds where coordinates are x, with a second part if low is not NULL. */
static void LANE(stars_load)(const LANE(lanes) * s, LANE(stars) * p, const LANE(block) * x,
                             const LANE(block) * low)
{
    LANE(block) high[RIGID_MOST + 1] = {{{{0}}}}, rest[RIGID_MOST + 1] = {{{{0}}}};
    LANE(stars_get)(p, x, high);
    if (low) LANE(stars_get)(p, low, rest);
    for (int k = 0; k < p->b.most; ++k)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const real d = high[k + 1].v[c][l] - high[0].v[c][l],
                           more = rest[k + 1].v[c][l] - rest[0].v[c][l];
                p->b.s[k].v[c][l] = p->b.d2[k][l] > R(0.0) ? d + more : R(0.0);
            }
        }
    if (s->source->field) LANE(stars_shift)(s, p);
}

/* After an evaluation. */
static void LANE(rigid_tangent)(const LANE(lanes) * s, const real close[LANES])
{
    LANE(stars) p;
    LANE(block) f[RIGID_MOST + 1] = {{{{0}}}}, v[RIGID_MOST + 1] = {{{{0}}}};
    for (int32_t m = 0; LANE(stars_find)(s, &p, m); ++m) {
        LANE(stars_load)(s, &p, s->v[VECTOR_X], s->v[VECTOR_LOW]);
        LANE(stars_get)(&p, s->ft, f);
        LANE(stars_get)(&p, s->v[VECTOR_D], v);
        LANE(rigid_forces)(&p.b, v, close, f);
        LANE(stars_put)(&p, f, s->ft);
    }
}

/* Velocities after the kick, by the forces that the others have moved by, and noise. */
static void LANE(rigid_open)(const LANE(lanes) * s, const LANE(stars) * p,
                             const LANE(md_factors) * by, LANE(block) * v, LANE(block) * noise)
{
    LANE(block) f[RIGID_MOST + 1] = {{{{0}}}};
    LANE(stars_get)(p, s->ft, f);
    LANE(stars_get)(p, s->whole, v);
    if (noise) LANE(stars_get)(p, s->soft, noise);
    for (int k = 0; k <= p->b.most; ++k)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                const real push = p->b.w[k][l] * f[k].v[c][l];
                v[k].v[c][l] =
                    by->scale[l] * (v[k].v[c][l] + by->close[l] * push) + by->open[l] * push;
            }
            for (int l = 0; l < LANES && noise; ++l)
                if (p->from[l] && k <= p->from[l]->n)
                    noise[k].v[c][l] *= by->noise[l] * s->w[p->from[l]->atoms[k]].root[l];
        }
}

/* Coordinates in two parts, from where the atoms were. */
static void LANE(rigid_place)(const LANE(lanes) * s, const LANE(stars) * p,
                              const LANE(block) * move)
{
    LANE(block) x[RIGID_MOST + 1] = {{{{0}}}}, low[RIGID_MOST + 1] = {{{{0}}}};
    LANE(stars_get)(p, s->trial, x);
    if (s->v[VECTOR_LOW]) LANE(stars_get)(p, s->change, low);
    for (int k = 0; k <= p->b.most; ++k)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) {
                if (sizeof(real) == 4)
                    md_drift(&x[k].v[c][l], &low[k].v[c][l], move[k].v[c][l]);
                else
                    x[k].v[c][l] += move[k].v[c][l];
            }
        }
    LANE(stars_put)(p, x, s->v[VECTOR_X]);
    if (s->v[VECTOR_LOW]) LANE(stars_put)(p, low, s->v[VECTOR_LOW]);
}

/* After all atoms moved: those of stars do as they should. */
static void LANE(rigid_moves)(const LANE(lanes) * s, const LANE(md_factors) * by, bool stirred)
{
    LANE(stars) p;
    LANE(block)
    v[RIGID_MOST + 1] = {{{{0}}}}, noise[RIGID_MOST + 1] = {{{{0}}}}, move[RIGID_MOST + 1];
    for (int32_t m = 0; LANE(stars_find)(s, &p, m); ++m) {
        LANE(stars_load)(s, &p, s->trial, s->v[VECTOR_LOW] ? s->change : NULL);
        LANE(rigid_open)(s, &p, by, v, stirred ? noise : NULL);
        LANE(rigid_go)(&p.b, v, by->dt, s->numbers.keep, stirred ? noise : NULL, move);
        LANE(rigid_place)(s, &p, move);
        LANE(stars_put)(&p, v, s->v[VECTOR_D]);
    }
}
