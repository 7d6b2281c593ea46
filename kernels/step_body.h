/* SPDX-License-Identifier: BSD-3-Clause
 * Rigid bodies: atoms that move together, as a place and a turn. Valid as C17 and OpenCL C 1.2.
 *
 * Rows stay those of atoms. A body knows where its atoms are in a frame of its own, with the centre at 0 and the principal
 * axes along x, y, z; how it lies in space follows from three of them, its corners (body_find), so that there is no other
 * state. Sums over its atoms give the motion of the body (body_motion_of), and from that follows what every atom does. Weights are
 * masses in dynamics; in relaxations those of all atoms of a body add up to 1, as if it were one atom.
 *
 * What a step adds to places and velocities is small, and is found without differences of large numbers, so that rounding
 * does not add up; what it leaves is mended little by little (BODY_MEND), or at once in relaxations. Dynamics turn a body by
 * Dullweber, Leimkuhler and McLachlan, J. Chem. Phys. 107 (1997) 5840: about its principal axes one after the
 * other, which keeps the angular momentum; a linear one exactly. */
#ifndef SHOAL_KERNELS_STEP_BODY_H
#define SHOAL_KERNELS_STEP_BODY_H

#include "step_direction.h"

/* Share of the shape's error that a step of dynamics takes away. */
#define BODY_MEND R(0.0009765625)

/* Numbers of one body, all but its atoms. */
typedef struct body_numbers {
    real per_mass; /* 1 / sum of the weights */
    v3 per_moment; /* the same of the principal moments; z = 0: it is linear */
    v3 frame[3];   /* axes that follow from the corners (body_corners), in the frame of the body */
} body_numbers;

/* The principal axes in space. */
typedef struct body_axes {
    v3 x, y, z;
} body_axes;

/* Of the centre, and about it: 1/fs in dynamics. */
typedef struct body_motion {
    v3 v, w;
} body_motion;

/* What a body does in a step. */
typedef struct body_move {
    v3 go;            /* of the centre */
    v3 q;             /* a quaternion of length 1: sine of half the angle times the axis .. */
    real q0;          /* .. and its cosine */
    body_motion from; /* before */
    v3 w;             /* angular velocity afterwards */
    real mend;        /* share of errors that is taken away */
} body_move;

SHOAL_FN v3 body_out(const body_axes *a, v3 r)
{
    return v3_add(v3_add(v3_scale(r.x, a->x), v3_scale(r.y, a->y)), v3_scale(r.z, a->z));
}

SHOAL_FN v3 body_in(const body_axes *a, v3 r)
{
    return v3_make(v3_dot(a->x, r), v3_dot(a->y, r), v3_dot(a->z, r));
}

SHOAL_FN v3 body_times(v3 a, v3 b)
{
    return v3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* To the length 1, good to the last digit where roots are not. */
SHOAL_FN v3 body_unit(v3 r)
{
    const v3 u = v3_scale(real_rsqrt(v3_dot(r, r)), r);
    return v3_scale(R(1.5) - R(0.5) * v3_dot(u, u), u);
}

/* Three axes that follow from where the second and the third corner are from the first; of a linear body from the second. */
SHOAL_FN void body_corners(v3 second, v3 third, int linear, v3 to[3])
{
    to[0] = body_unit(second);
    if (linear) third = real_abs(to[0].x) < R(0.6) ? v3_make(1, 0, 0) : v3_make(0, 1, 0);
    to[2] = body_unit(v3_cross(to[0], third));
    to[1] = v3_cross(to[2], to[0]);
}

SHOAL_FN int body_is_linear(const body_numbers *b)
{
    return b->per_moment.z == R(0.0);
}

SHOAL_FN body_axes body_find(const body_numbers *b, v3 second, v3 third)
{
    v3 u[3];
    body_axes a;
    body_corners(second, third, body_is_linear(b), u);
    a.x = a.y = a.z = v3_make(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        a.x = v3_add(a.x, v3_scale(b->frame[k].x, u[k]));
        a.y = v3_add(a.y, v3_scale(b->frame[k].y, u[k]));
        a.z = v3_add(a.z, v3_scale(b->frame[k].z, u[k]));
    }
    return a;
}

/* Of sums over the atoms: weight v and weight r x v, or of forces f and r x f. */
SHOAL_FN body_motion body_motion_of(const body_numbers *b, const body_axes *a, v3 sum, v3 turn)
{
    body_motion m;
    m.v = v3_scale(b->per_mass, sum);
    m.w = body_out(a, body_times(b->per_moment, body_in(a, turn)));
    return m;
}

/* Of an atom at r from the centre. */
SHOAL_FN v3 body_velocity(const body_motion *m, v3 r)
{
    return v3_add(m->v, v3_cross(m->w, r));
}

/* What a turn adds to r. */
SHOAL_FN v3 body_turned(v3 q, real q0, v3 r)
{
    const v3 c = v3_cross(q, r);
    return v3_scale(R(2.0), v3_add(v3_scale(q0, c), v3_cross(q, c)));
}

/* A turn of half the angle h about its direction. */
SHOAL_FN v3 body_half(v3 h, real *q0)
{
    real a2 = v3_dot(h, h), sinc;
    if (a2 > DIRECTION_MOST) {
        h = v3_scale(real_sqrt(DIRECTION_MOST / a2), h);
        a2 = DIRECTION_MOST;
    }
    direction_series(a2, q0, &sinc);
    return v3_scale(sinc, h);
}

/* At the velocity that it has, for a time. */
SHOAL_FN body_move body_spin(const body_motion *m, real time)
{
    body_move to;
    to.from = *m;
    to.w = m->w;
    to.go = v3_scale(time, m->v);
    to.q = body_half(v3_scale(R(0.5) * time, m->w), &to.q0);
    to.mend = R(1.0);
    return to;
}

/* One turn of a free body about an axis of its own, which takes the angular momentum l with it the other way. */
SHOAL_FN void body_turn_about(v3 angle, v3 *l, v3 *q, real *q0)
{
    real c;
    const v3 s = body_half(angle, &c);
    const v3 both = v3_add(v3_add(v3_scale(*q0, s), v3_scale(c, *q)), v3_cross(*q, s));
    *q0 = *q0 * c - v3_dot(*q, s);
    *q = both;
    *l = v3_add(*l, body_turned(v3_scale(R(-1.0), s), c, *l));
}

/* Of a free body with the angular momentum l. */
SHOAL_FN body_move body_fly(const body_numbers *b, const body_axes *a, const body_motion *m, v3 l,
                            real time)
{
    body_move to = body_spin(m, time);
    to.mend = BODY_MEND;
    if (body_is_linear(b)) return to;
    const v3 i = b->per_moment;
    const real by = R(0.25) * time;
    v3 own = body_in(a, l), q = v3_make(0, 0, 0);
    real q0 = R(1.0);
    body_turn_about(v3_make(by * i.x * own.x, 0, 0), &own, &q, &q0);
    body_turn_about(v3_make(0, by * i.y * own.y, 0), &own, &q, &q0);
    body_turn_about(v3_make(0, 0, R(2.0) * by * i.z * own.z), &own, &q, &q0);
    body_turn_about(v3_make(0, by * i.y * own.y, 0), &own, &q, &q0);
    body_turn_about(v3_make(by * i.x * own.x, 0, 0), &own, &q, &q0);
    const v3 w = body_times(i, own);
    to.w = body_out(a, v3_add(w, body_turned(q, q0, w)));
    to.q = body_out(a, q);
    to.q0 = q0;
    return to;
}

/* How far an atom at r from the centre moves, and its velocity afterwards; off: from where it is to where the shape has it. */
SHOAL_FN v3 body_carry(const body_move *m, v3 r, v3 off, v3 *v)
{
    const v3 turn = body_turned(m->q, m->q0, r), slip = v3_sub(body_velocity(&m->from, r), *v);
    const v3 change = v3_add(v3_cross(v3_sub(m->w, m->from.w), r), v3_cross(m->w, turn));
    *v = v3_add(*v, v3_add(change, v3_scale(m->mend, slip)));
    return v3_add(v3_add(m->go, turn), v3_scale(m->mend, off));
}

#endif
