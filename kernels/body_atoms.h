/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies on a device: the work-item that has the first atom of a body works for all of it, and nobody else looks at
 * the rows of its atoms meanwhile. BODY_ROWS is the kind of memory that rows lie in. */
#ifndef SHOAL_KERNELS_BODY_ATOMS_H
#define SHOAL_KERNELS_BODY_ATOMS_H

#include "body_layout.h"
#include "step_body.h"
#include "vectors.h"

#define BODY_ARGUMENTS                                                                             \
    global const int4 *body_roles, global const real4 *body_shapes,                                \
        global const real4 *body_offsets, global const real4 *body_vectors

/* Rows of a system, from its first mover on. */
typedef struct body_tables {
    global const int4 *roles;
    global const real4 *shapes, *offsets, *vectors;
} body_tables;

#define BODY_TABLES(at)                                                                            \
    {                                                                                              \
        body_roles + (at), body_shapes + (at), body_offsets + (at),                                \
            body_vectors + BODY_VECTORS *(at)                                                      \
    }

/* A body where it is. */
typedef struct body_place {
    int n, start;
    body_numbers numbers;
    body_axes axes;
    v3 first; /* its first atom from the centre */
} body_place;

/* Weight of a mover in sums of relaxations. */
SHOAL_FN real body_share(const body_tables *t, int i)
{
    return R(1.0) / (real)t->roles[i].w;
}

SHOAL_FN int body_is_free(const body_tables *t, int i)
{
    return t->roles[i].x == BODY_FREE;
}

/* Whether mover i works for a body. */
SHOAL_FN int body_is_first(const body_tables *t, int i)
{
    return t->roles[i].x > 0;
}

SHOAL_FN int body_atom(const body_tables *t, const body_place *b, int k)
{
    return t->roles[b->start + k].z;
}

/* Atom k of a body from its first one; low: second parts of coordinates, or 0. */
SHOAL_FN v3 body_apart(const body_tables *t, const body_place *b, BODY_ROWS const real4 *x,
                       global const real4 *low, int k)
{
    const int i = body_atom(t, b, k), j = body_atom(t, b, 0);
    v3 d = v3_sub(from4(x[i]), from4(x[j]));
    if (low) d = v3_add(d, v3_sub(from4(low[i]), from4(low[j])));
    return v3_add(d, from4(t->offsets[b->start + k]));
}

/* Atom k from the centre. */
SHOAL_FN v3 body_arm(const body_tables *t, const body_place *b, int k)
{
    return body_out(&b->axes, from4(t->shapes[b->start + k]));
}

/* The body whose first atom is mover i. */
SHOAL_FN body_place body_at(const body_tables *t, int i, BODY_ROWS const real4 *x,
                            global const real4 *low)
{
    const real4 number = t->vectors[BODY_VECTORS * i];
    body_place b;
    b.n = t->roles[i].x;
    b.start = t->roles[i].y;
    b.numbers.per_mass = number.x;
    b.numbers.per_moment = v3_make(number.y, number.z, number.w);
    for (int k = 0; k < 3; ++k) b.numbers.frame[k] = from4(t->vectors[BODY_VECTORS * i + 1 + k]);
    const v3 second = body_apart(t, &b, x, low, 1);
    b.axes = body_find(&b.numbers, second,
                       body_apart(t, &b, x, low, body_is_linear(&b.numbers) ? 1 : 2));
    b.first = body_arm(t, &b, 0);
    return b;
}

/* What follows from vectors of its atoms: forces, or with weights velocities; *turn: the sum of r x f. */
SHOAL_FN body_motion body_sum(const body_tables *t, const body_place *b,
                              BODY_ROWS const real4 *rows, int weighted, v3 *turn)
{
    v3 sum = v3_make(0, 0, 0);
    *turn = sum;
    for (int k = 0; k < b->n; ++k) {
        v3 f = from4(rows[body_atom(t, b, k)]);
        if (weighted) f = v3_scale(t->shapes[b->start + k].w, f);
        sum = v3_add(sum, f);
        *turn = v3_add(*turn, v3_cross(body_arm(t, b, k), f));
    }
    return body_motion_of(&b->numbers, &b->axes, sum, *turn);
}

/* Vectors of the atoms that are a motion of the body, scaled by their weights where that is asked for. */
SHOAL_FN void body_spread(const body_tables *t, const body_place *b, const body_motion *m,
                          int weighted, BODY_ROWS real4 *rows)
{
    for (int k = 0; k < b->n; ++k) {
        const v3 v = body_velocity(m, body_arm(t, b, k));
        const int i = body_atom(t, b, k);
        rows[i] = to4(weighted ? v3_scale(t->shapes[b->start + k].w, v) : v, rows[i].w);
    }
}

/* How far atom k goes from where it is, and its velocity afterwards. The first is to be moved last: all look at it. */
SHOAL_FN v3 body_go(const body_tables *t, const body_place *b, const body_move *m,
                    BODY_ROWS const real4 *x, global const real4 *low, int k, v3 *speed)
{
    const v3 arm = body_arm(t, b, k);
    const v3 off = v3_sub(v3_sub(arm, b->first), body_apart(t, b, x, low, k));
    return body_carry(m, arm, off, speed);
}

/* Forces on its atoms become what is left to the body: with weights forces, else what accelerates. */
SHOAL_FN void body_push(const body_tables *t, int i, BODY_ROWS const real4 *x,
                        global const real4 *low, int weighted, BODY_ROWS real4 *force)
{
    v3 turn;
    const body_place b = body_at(t, i, x, low);
    const body_motion push = body_sum(t, &b, force, 0, &turn);
    body_spread(t, &b, &push, weighted, force);
}

#endif
