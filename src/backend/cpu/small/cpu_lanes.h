/* SPDX-License-Identifier: BSD-3-Clause
 * Forces of LANES systems of one topology at once; included by the template cpu_kernels.c for one
 * and for many lanes. Every lane does the same operations in the same order as a lone system, so
 * the number of lanes does not change a bit. Names end in the number of lanes. */

typedef struct LANE(block) {
    real v[3][LANES]; /* one vector of every lane */
} LANE(block);

typedef struct LANE(energies) {
    real e[SHOAL_N_TERMS][LANES];
} LANE(energies);

SHOAL_FN v3 LANE(get)(const LANE(block) * p, int l)
{
    return v3_make(p->v[0][l], p->v[1][l], p->v[2][l]);
}

SHOAL_FN void LANE(add)(LANE(block) * p, int l, v3 f)
{
    p->v[0][l] += f.x;
    p->v[1][l] += f.y;
    p->v[2][l] += f.z;
}

SHOAL_FN void LANE(subtract)(LANE(block) * p, int l, v3 f)
{
    p->v[0][l] -= f.x;
    p->v[1][l] -= f.y;
    p->v[2][l] -= f.z;
}

/* The bodies of the loops over lanes are functions of their own: compilers keep a struct that is
 * local to such a loop in memory, and then do not vectorise it. */

SHOAL_FN void LANE(bond)(bond_par p, const LANE(block) * ri, const LANE(block) * rj,
                         LANE(block) * fi, LANE(block) * fj, real *e, int l)
{
    v3 f;
    e[l] += uff_bond(p, v3_sub(LANE(get)(ri, l), LANE(get)(rj, l)), &f);
    LANE(add)(fi, l, f);
    LANE(subtract)(fj, l, f);
}

static void LANE(eval_bonds)(const tables *t, const LANE(block) *restrict pos,
                             LANE(block) *restrict force, LANE(energies) *restrict e)
{
    for (int32_t b = 0; b < t->n_bonds; ++b) {
        const int32_t i = t->bond_atoms[b][0], j = t->bond_atoms[b][1];
        const bond_par p = t->bonds[b];
        OVER_LANES
        for (int l = 0; l < LANES; ++l)
            LANE(bond)(p, &pos[i], &pos[j], &force[i], &force[j], e->e[SHOAL_TERM_BOND], l);
    }
}

SHOAL_FN void LANE(angle)(const angle_par *p, const int32_t atoms[3],
                          const LANE(block) *restrict pos, LANE(block) *restrict force, real *e,
                          int l)
{
    v3 fi, fk;
    const v3 rj = LANE(get)(&pos[atoms[1]], l);
    e[l] += uff_angle(*p, v3_sub(LANE(get)(&pos[atoms[0]], l), rj),
                      v3_sub(LANE(get)(&pos[atoms[2]], l), rj), &fi, &fk);
    LANE(add)(&force[atoms[0]], l, fi);
    LANE(add)(&force[atoms[2]], l, fk);
    LANE(subtract)(&force[atoms[1]], l, v3_add(fi, fk));
}

static void LANE(eval_angles)(const tables *t, const LANE(block) *restrict pos,
                              LANE(block) *restrict force, LANE(energies) *restrict e)
{
    for (int32_t a = 0; a < t->n_angles; ++a) {
        const int32_t *atoms = t->angle_atoms[a];
        const angle_par p = t->angles[a];
        OVER_LANES
        for (int l = 0; l < LANES; ++l)
            LANE(angle)(&p, atoms, pos, force, e->e[SHOAL_TERM_ANGLE], l);
    }
}

/* What one inversion does to its atoms, kept apart until it is known that no lane needs the
 * regularised form. */
typedef struct LANE(piece) {
    LANE(block) f[4];
    real e[LANES];
    int straight[LANES]; /* the plain formula does not hold */
} LANE(piece);

SHOAL_FN void LANE(put)(LANE(piece) * q, int corner, int l, v3 f)
{
    q->f[corner].v[0][l] = f.x;
    q->f[corner].v[1][l] = f.y;
    q->f[corner].v[2][l] = f.z;
}

SHOAL_FN void LANE(scatter)(const LANE(piece) * q, const int32_t atoms[4],
                            LANE(block) *restrict force, real *restrict e)
{
    for (int corner = 0; corner < 4; ++corner)
        for (int c = 0; c < 3; ++c) {
            OVER_LANES
            for (int l = 0; l < LANES; ++l) force[atoms[corner]].v[c][l] += q->f[corner].v[c][l];
        }
    OVER_LANES
    for (int l = 0; l < LANES; ++l) e[l] += q->e[l];
}

SHOAL_FN void LANE(put_torsion)(LANE(piece) * q, int l, v3 fi, v3 fj, v3 fk, v3 fl)
{
    LANE(put)(q, 0, l, fi);
    LANE(put)(q, 1, l, fj);
    LANE(put)(q, 2, l, fk);
    LANE(put)(q, 3, l, fl);
}

SHOAL_FN int LANE(any)(const int flags[LANES])
{
    int any = 0;
    for (int l = 0; l < LANES; ++l) any |= flags[l];
    return any;
}

#include "backend/cpu/small/cpu_rotors.h"

/* Difference vectors of an inversion in one lane. */
SHOAL_FN void LANE(get_inversion)(const LANE(block) *const r[4], int l, v3 arms[3])
{
    const v3 rj = LANE(get)(r[1], l);
    arms[0] = v3_sub(LANE(get)(r[0], l), rj);
    arms[1] = v3_sub(LANE(get)(r[2], l), rj);
    arms[2] = v3_sub(LANE(get)(r[3], l), rj);
}

SHOAL_FN void LANE(put_inversion)(LANE(piece) * q, int l, v3 fi, v3 fk, v3 fl)
{
    LANE(put_torsion)(q, l, fi, v3_scale(R(-1.0), v3_add(v3_add(fi, fk), fl)), fk, fl);
}

SHOAL_FN void LANE(inversion)(inversion_par p, const LANE(block) * ri, const LANE(block) * rj,
                              const LANE(block) * rk, const LANE(block) * rl, LANE(piece) * q,
                              int l)
{
    const LANE(block) *const r[4] = {ri, rj, rk, rl};
    v3 arms[3], fi, fk, fl;
    LANE(get_inversion)(r, l, arms);
    q->e[l] = uff_inversion(p, arms[0], arms[1], arms[2], &fi, &fk, &fl);
    q->straight[l] = uff_inversion_is_straight(arms[0], arms[1], arms[2]);
    LANE(put_inversion)(q, l, fi, fk, fl);
}

static void LANE(redo_inversion)(inversion_par p, const int32_t atoms[4],
                                 const LANE(block) *restrict pos, LANE(piece) * q)
{
    const LANE(block) *const r[4] = {&pos[atoms[0]], &pos[atoms[1]], &pos[atoms[2]],
                                     &pos[atoms[3]]};
    for (int l = 0; l < LANES; ++l) {
        v3 arms[3], fi, fk, fl;
        if (!q->straight[l]) continue;
        LANE(get_inversion)(r, l, arms);
        q->e[l] = uff_inversion_straight(p, arms[0], arms[1], arms[2], &fi, &fk, &fl);
        LANE(put_inversion)(q, l, fi, fk, fl);
    }
}

static void LANE(eval_inversions)(const tables *t, const LANE(block) *restrict pos,
                                  LANE(block) *restrict force, LANE(energies) *restrict e)
{
    for (int32_t n = 0; n < t->n_inversions; ++n) {
        const int32_t *atoms = t->inversion_atoms[n];
        const LANE(block) *ri = &pos[atoms[0]], *rj = &pos[atoms[1]], *rk = &pos[atoms[2]];
        const LANE(block) *rl = &pos[atoms[3]];
        const inversion_par p = t->inversions[n];
        LANE(piece) q;
        OVER_LANES
        for (int l = 0; l < LANES; ++l) LANE(inversion)(p, ri, rj, rk, rl, &q, l);
        if (LANE(any)(q.straight)) LANE(redo_inversion)(p, atoms, pos, &q);
        LANE(scatter)(&q, atoms, force, e->e[SHOAL_TERM_INVERSION]);
    }
}

#if LANES == 1
#include "backend/cpu/small/cpu_pairs_single.h"
#else
#include "backend/cpu/small/cpu_pairs_many.h"
#endif

/* Energies by term and forces of all lanes; arms[t->most_arms] is working memory. */
static void LANE(eval)(const tables *t, const LANE(block) *restrict pos,
                       LANE(block) *restrict force, LANE(energies) *restrict e,
                       LANE(arm) *restrict arms)
{
    memset(force, 0, (size_t)t->n_atoms * sizeof *force);
    memset(e, 0, sizeof *e);
    LANE(eval_bonds)(t, pos, force, e);
    LANE(eval_angles)(t, pos, force, e);
    LANE(eval_torsions)(t, pos, force, e, arms);
    LANE(eval_inversions)(t, pos, force, e);
    if (t->has_charges)
        LANE(eval_pairs)(t, pos, force, e, true);
    else if (!(t->terms_off >> SHOAL_TERM_VDW & 1))
        LANE(eval_pairs)(t, pos, force, e, false);
}
