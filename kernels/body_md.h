/* SPDX-License-Identifier: BSD-3-Clause
 * A step of dynamics of a rigid body on a device, by the work-item of its first atom. Coordinates have second parts, and the
 * fourth number beside a velocity is the inverse mass, as md_atoms.h has it. */
#ifndef SHOAL_KERNELS_BODY_MD_H
#define SHOAL_KERNELS_BODY_MD_H

#include "body_atoms.h"
#include "md_atoms.h"

SHOAL_FN void body_drift(const body_tables *t, int i, BODY_ROWS real4 *x, global real4 *low,
                         BODY_ROWS real4 *velocity, real time)
{
    v3 turn;
    const body_place b = body_at(t, i, x, low);
    const body_motion v = body_sum(t, &b, velocity, 1, &turn);
    const body_move move = body_fly(&b.numbers, &b.axes, &v, turn, time);
    for (int k = b.n - 1; k >= 0; --k) {
        const int j = body_atom(t, &b, k);
        v3 r = from4(x[j]), rest = from4(low[j]), speed = from4(velocity[j]);
        const v3 go = body_go(t, &b, &move, x, low, k, &speed);
        md_drift(&r.x, &rest.x, go.x);
        md_drift(&r.y, &rest.y, go.y);
        md_drift(&r.z, &rest.z, go.z);
        x[j] = to4(r, x[j].w);
        low[j] = to4(rest, 0);
        velocity[j] = to4(speed, velocity[j].w);
    }
}

/* Langevin's thermostat: of the noise of all atoms, what is a motion of the body. */
SHOAL_FN void body_stir(const body_tables *t, int i, const md_state *s, const md_numbers *n,
                        const md_move *m, BODY_ROWS const real4 *x, global const real4 *low,
                        BODY_ROWS real4 *velocity)
{
    const body_place b = body_at(t, i, x, low);
    v3 sum = v3_make(0, 0, 0), turn = sum;
    for (int k = 0; k < b.n; ++k) {
        const int j = body_atom(t, &b, k);
        const real width = t->shapes[b.start + k].w * (m->noise * real_sqrt(velocity[j].w));
        const v3 g = v3_scale(width, md_normal(s, n, j));
        sum = v3_add(sum, g);
        turn = v3_add(turn, v3_cross(body_arm(t, &b, k), g));
    }
    const body_motion noise = body_motion_of(&b.numbers, &b.axes, sum, turn);
    for (int k = 0; k < b.n; ++k) {
        const int j = body_atom(t, &b, k);
        const v3 kept = v3_scale(n->keep, from4(velocity[j]));
        velocity[j] = to4(v3_add(kept, body_velocity(&noise, body_arm(t, &b, k))), velocity[j].w);
    }
}

/* The step of the body whose first atom is i; m is the decision that made s what it is. */
SHOAL_FN void body_md_move(const body_tables *t, int i, const md_state *s, const md_numbers *n,
                           const md_move *m, real close, BODY_ROWS real4 *x, global real4 *low,
                           BODY_ROWS real4 *velocity, BODY_ROWS const real4 *force)
{
    const int stirred = n->thermostat == MD_LANGEVIN;
    const int start = t->roles[i].y;
    for (int k = 0; k < t->roles[i].x; ++k) {
        const int j = t->roles[start + k].z;
        const real w = velocity[j].w;
        const v3 push = v3_scale(w, from4(force[j]));
        const v3 now = v3_add(from4(velocity[j]), v3_scale(close, push));
        velocity[j] = to4(v3_add(v3_scale(m->scale, now), v3_scale(md_open(n), push)), w);
    }
    body_drift(t, i, x, low, velocity, stirred ? R(0.5) * n->dt : n->dt);
    if (!stirred) return;
    body_stir(t, i, s, n, m, x, low, velocity);
    body_drift(t, i, x, low, velocity, R(0.5) * n->dt);
}

#endif
