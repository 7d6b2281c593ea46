/* SPDX-License-Identifier: BSD-3-Clause
 * What dynamics do with one atom, for all schedules of a device: its share in the sums, and its move. Coordinates are
 * numbers in two parts (md_drift); the fourth number beside a velocity is the inverse mass. */
#ifndef SHOAL_KERNELS_MD_ATOMS_H
#define SHOAL_KERNELS_MD_ATOMS_H

#include "step_md.h"

/* Kernel arguments that are the same for all systems. */
#define MD_ARGUMENTS                                                                               \
    const real md_dt, const real md_keep, const real md_stir, const real md_tau,                   \
        const real md_most, const int md_thermostat, const int md_seed0, const int md_seed1
#define MD_NUMBERS                                                                                 \
    {                                                                                              \
        md_dt, md_keep, md_stir, md_tau, md_most, md_thermostat, (random_word)md_seed0,            \
            (random_word)md_seed1                                                                  \
    }

/* Share of an atom with the force f: twice its kinetic energy, and the squared force; in w the squared velocity that
 * it would move with. */
SHOAL_FN real4 md_share(v3 f, real4 velocity, real close, real open)
{
    const real w = velocity.w;
    const v3 v = v3_add(from4(velocity), v3_scale(close * w, f));
    const v3 next = v3_add(v, v3_scale(open * w, f));
    return (real4)(w > R(0.0) ? real_divide(v3_dot(v, v), w) : R(0.0), v3_dot(f, f), R(0.0),
                   v3_dot(next, next));
}

/* The squared forces are finite if their sum is. */
SHOAL_FN md_sums md_sums_of(real4 sum)
{
    const md_sums s = {sum.x, sum.w, sum.y};
    return s;
}

#ifdef SHOAL_RIGID
#include "step_rigid.h"

/* Numbers of every mover: atoms of its star (RIGID_ of layout.h), squared lengths of the bonds to them. */
#define RIGID_ARGUMENTS global const int4 *rigid_atoms, global const real4 *rigid_lengths

/* The star in the middle of which atom i is, but for its bonds; returns how many it has, atoms[] of its system. */
SHOAL_FN int rigid_load(rigid_stars *b, int i, int4 held, real4 lengths, int *atoms)
{
    const int own[RIGID_MOST] = {held.x, held.y, held.z, held.w};
    const real d2[RIGID_MOST] = {lengths.x, lengths.y, lengths.z, lengths.w};
    atoms[0] = i;
    b->most = 0;
    for (int k = 0; k < RIGID_MOST && own[k] >= 0; ++k) {
        atoms[k + 1] = own[k];
        b->d2[k][0] = d2[k];
        b->most = k + 1;
    }
    return b->most;
}

SHOAL_FN rigid_block rigid_from(v3 r)
{
    rigid_block b;
    b.v[0][0] = r.x;
    b.v[1][0] = r.y;
    b.v[2][0] = r.z;
    return b;
}

SHOAL_FN v3 rigid_vector(const rigid_block *b)
{
    return v3_make(b->v[0][0], b->v[1][0], b->v[2][0]);
}

/* What a star moves by in a step; velocities v[most + 1] and forces f of its atoms. */
SHOAL_FN void md_move_star(const md_state *s, const md_numbers *n, const md_move *m, real close,
                           rigid_stars *b, const int *atoms, const rigid_block *f, rigid_block *v,
                           rigid_block *move)
{
    rigid_block noise[RIGID_MOST + 1];
    const int stirred = n->thermostat == MD_LANGEVIN;
    for (int k = 0; k <= b->most; ++k) {
        const real w = b->w[k][0];
        const v3 push = rigid_vector(&f[k]);
        const v3 now = v3_add(rigid_vector(&v[k]), v3_scale(close * w, push));
        v3 g = v3_make(0, 0, 0);
        if (stirred) g = v3_scale(m->noise * real_sqrt(w), md_normal(s, n, atoms[k]));
        v[k] = rigid_from(v3_add(v3_scale(m->scale, now), v3_scale(md_open(n) * w, push)));
        noise[k] = rigid_from(g);
    }
    const real dt = n->dt;
    rigid_go(b, v, &dt, n->keep, stirred ? noise : 0, move);
}
#endif

/* Moves atom i; m is the decision that made s what it is. */
SHOAL_FN void md_move_atom(const md_state *s, const md_numbers *n, const md_move *m, real close,
                           int i, v3 f, real4 *velocity, v3 *x, v3 *low)
{
    const real w = velocity->w;
    v3 v = v3_add(from4(*velocity), v3_scale(close * w, f));
    v = v3_add(v3_scale(m->scale, v), v3_scale(md_open(n) * w, f));
    v3 d = v3_scale(n->dt, v);
    if (n->thermostat == MD_LANGEVIN) {
        const v3 g = v3_scale(m->noise * real_sqrt(w), md_normal(s, n, i));
        const v3 stirred = v3_add(v3_scale(n->keep, v), g);
        d = v3_scale(R(0.5) * n->dt, v3_add(v, stirred));
        v = stirred;
    }
    md_drift(&x->x, &low->x, d.x);
    md_drift(&x->y, &low->y, d.y);
    md_drift(&x->z, &low->z, d.z);
    *velocity = to4(v, w);
}

#ifdef SHOAL_DIRECTIONS
#include "step_direction.h"

/* The same for a direction p, vector i of its system; its kicks and its noise are tangent. */
SHOAL_FN void md_move_direction(const md_state *s, const md_numbers *n, const md_move *m,
                                real close, int i, v3 f, real4 *velocity, v3 *p)
{
    const real w = velocity->w;
    const int stirred = n->thermostat == MD_LANGEVIN;
    v3 v = v3_add(from4(*velocity), v3_scale(close * w, f));
    v = v3_add(v3_scale(m->scale, v), v3_scale(md_open(n) * w, f));
    direction_turn(p, &v, stirred ? R(0.5) * n->dt : n->dt);
    if (stirred) {
        const v3 g = v3_scale(m->noise * real_sqrt(w), md_normal(s, n, i));
        v = v3_add(v3_scale(n->keep, v), direction_tangent(g, *p));
        direction_turn(p, &v, R(0.5) * n->dt);
    }
    *velocity = to4(v, w);
}
#endif

#endif
