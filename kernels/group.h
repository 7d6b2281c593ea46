/* SPDX-License-Identifier: BSD-3-Clause
 * One work-group is one system: energies and forces. Coordinates, forces and slots lie in local
 * memory, or, for systems that are too large for it (SHOAL_LARGE), in global memory. WG is the size
 * of a work-group.
 *
 * No barrier stands behind a condition: work-groups must agree on the way, and compilers for
 * processors copy the rest of the kernel for every barrier that does. */
#ifndef SHOAL_KERNELS_GROUP_H
#define SHOAL_KERNELS_GROUP_H

#include "layout.h"
#include "pair_terms.h"
#include "uff_terms.h"

#ifdef SHOAL_DOUBLE
typedef double4 real4;
#define AS_REAL(array, word) (array)[word]
#else
typedef float4 real4;
#endif

#ifdef SHOAL_LARGE
#define SPACE global
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#else
#define SPACE local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#endif

SHOAL_FN v3 load3(SPACE const real4 *p, uint i)
{
    const real4 r = p[i];
    return v3_make(r.x, r.y, r.z);
}

SHOAL_FN void store3(SPACE real4 *p, uint i, v3 f)
{
    p[i] = (real4)(f.x, f.y, f.z, 0);
}

/* Sums x, y, z of every work-item and takes the largest w; all of them get the result, NaN included.
 * Fixed order. */
SHOAL_FN real4 combine(real4 value, local real4 *red)
{
    const int l = (int)get_local_id(0);
    red[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 part = (real4)(0, 0, 0, 0);
    if (l < 8)
        for (int k = 0; k < WG / 8; ++k) {
            const real4 r = red[8 * k + l];
            part = (real4)(part.x + r.x, part.y + r.y, part.z + r.z,
                           real_max(part.w, r.w) + (r.w - r.w));
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8) red[l] = part;
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 all = red[0];
    for (int k = 1; k < 8; ++k) {
        const real4 r = red[k];
        all = (real4)(all.x + r.x, all.y + r.y, all.z + r.z, real_max(all.w, r.w) + (r.w - r.w));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

typedef struct energies {
    real bond, angle, torsion, inversion, vdw, coulomb;
} energies;

typedef struct program_data {
    global const uint4 *bonds, *angles, *torsions, *inversions;
    global const real4 *forms, *atoms;
    global const real *numbers; /* parameters in double precision; unused in float */
    global const int *gather_start;
    global const uint *gather;
    global const uint *exclude;
} program_data;

#ifdef SHOAL_DOUBLE
#define NUMBER(data, word) (data)->numbers[word]
#else
#define NUMBER(data, word) as_float(word)
#endif

SHOAL_FN void eval_bonded(const topology_record *t, const program_data *data,
                          SPACE const real4 *pos, SPACE real4 *slot, energies *e)
{
    const int l = (int)get_local_id(0);
    const int at_inversion = 4 * t->n_torsions, at_angle = at_inversion + 4 * t->n_inversions;
    const int at_bond = at_angle + 3 * t->n_angles;
    for (int k = l; k < t->n_torsions; k += WG) {
        const uint4 q = data->torsions[t->torsion + k];
        torsion_par p;
        p.v = NUMBER(data, q.z);
        p.n = (int)(q.w & 7u);
        p.d = q.w & 8u ? R(-1.0) : R(1.0);
        const v3 rj = load3(pos, q.x >> 16), rk = load3(pos, q.y & 0xffffu);
        const v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj), b = v3_sub(rk, rj);
        const v3 c = v3_sub(load3(pos, q.y >> 16), rk);
        v3 fi, fj, fk, fl;
        if (uff_torsion_is_straight(a, b, c))
            e->torsion += uff_torsion_straight(p, a, b, c, &fi, &fj, &fk, &fl);
        else
            e->torsion += uff_torsion(p, a, b, c, &fi, &fj, &fk, &fl);
        store3(slot, 4 * k, fi);
        store3(slot, 4 * k + 1, fj);
        store3(slot, 4 * k + 2, fk);
        store3(slot, 4 * k + 3, fl);
    }
    for (int k = l; k < t->n_inversions; k += WG) {
        const uint4 q = data->inversions[t->inversion + k];
        const real4 form = data->forms[q.w];
        inversion_par p;
        p.k = NUMBER(data, q.z);
        p.c0 = form.x;
        p.c1 = form.y;
        p.c2 = form.z;
        const v3 rj = load3(pos, q.x >> 16);
        const v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj);
        const v3 b = v3_sub(load3(pos, q.y & 0xffffu), rj);
        const v3 c = v3_sub(load3(pos, q.y >> 16), rj);
        v3 fi, fk, fl;
        if (uff_inversion_is_straight(a, b, c))
            e->inversion += uff_inversion_straight(p, a, b, c, &fi, &fk, &fl);
        else
            e->inversion += uff_inversion(p, a, b, c, &fi, &fk, &fl);
        store3(slot, at_inversion + 4 * k, fi);
        store3(slot, at_inversion + 4 * k + 1, v3_scale(R(-1.0), v3_add(v3_add(fi, fk), fl)));
        store3(slot, at_inversion + 4 * k + 2, fk);
        store3(slot, at_inversion + 4 * k + 3, fl);
    }
    for (int k = l; k < t->n_angles; k += WG) {
        const uint4 q = data->angles[2 * (t->angle + k)], w = data->angles[2 * (t->angle + k) + 1];
        angle_par p;
        p.p[0] = NUMBER(data, q.z);
        p.p[1] = NUMBER(data, q.w);
        p.p[2] = NUMBER(data, w.x);
        p.p[3] = NUMBER(data, w.y);
        p.p[4] = NUMBER(data, w.z);
        const v3 rj = load3(pos, q.x >> 16);
        v3 fi, fk;
        e->angle += uff_angle(p, v3_sub(load3(pos, q.x & 0xffffu), rj),
                              v3_sub(load3(pos, q.y & 0xffffu), rj), &fi, &fk);
        store3(slot, at_angle + 3 * k, fi);
        store3(slot, at_angle + 3 * k + 1, v3_scale(R(-1.0), v3_add(fi, fk)));
        store3(slot, at_angle + 3 * k + 2, fk);
    }
    for (int k = l; k < t->n_bonds; k += WG) {
        const uint4 q = data->bonds[t->bond + k];
        bond_par p;
        p.k = NUMBER(data, q.y);
        p.r0 = NUMBER(data, q.z);
        v3 f;
        e->bond += uff_bond(p, v3_sub(load3(pos, q.x & 0xffffu), load3(pos, q.x >> 16)), &f);
        store3(slot, at_bond + k, f);
    }
}

/* Pairs of one atom with one chunk of the others. Every pair is met from both sides, so energies
 * count half. par holds x (or x/2 for arithmetic mixing), sqrt(D) and the scaled charge. */
SHOAL_FN void eval_pairs(const topology_record *t, const program_data *data,
                         SPACE const real4 *pos, SPACE const real4 *par, SPACE real4 *slot,
                         real damping2, energies *e)
{
    const int n = t->n_atoms;
    for (int item = (int)get_local_id(0); item < n * t->n_chunks; item += WG) {
        const int chunk = item / n, i = item - chunk * n;
        const int first = chunk * n / t->n_chunks, last = (chunk + 1) * n / t->n_chunks;
        global const uint *bits = data->exclude + t->exclude + i * t->n_words;
        const v3 ri = load3(pos, i);
        const real4 pi = par[i];
        v3 f = v3_make(0, 0, 0);
        uint mask = bits[first >> 5] >> (first & 31);
        for (int j = first; j < last; ++j, mask >>= 1) {
            if ((j & 31) == 0) mask = bits[j >> 5];
            if (mask & 1u) continue;
            const real4 pj = par[j];
            const v3 d = v3_sub(ri, load3(pos, j));
            const real r2 = v3_dot(d, d), ir = real_rsqrt(r2);
            real g;
#ifdef SHOAL_ARITHMETIC
            const real x = pi.x + pj.x, x2 = x * x;
#else
            const real x2 = pi.x * pj.x;
#endif
            e->vdw += R(0.5) * pair_vdw(x2, pi.y * pj.y, ir * ir, &g);
#ifdef SHOAL_CHARGES
            real gc;
#ifdef SHOAL_DAMPED
            const real is = real_rsqrt(r2 + damping2);
#else
            const real is = ir;
#endif
            e->coulomb += R(0.5) * pair_coulomb(pi.z * pj.z, is, &gc);
            g += gc;
#endif
            f = v3_add(f, v3_scale(g, d));
        }
        store3(slot, t->n_slots + item, f);
    }
}

/* Sums the slots of every atom into its force; fixed atoms (w = 0) feel nothing. */
SHOAL_FN void gather_forces(const topology_record *t, const program_data *data,
                            SPACE const real4 *pos, SPACE const real4 *slot, SPACE real4 *force)
{
    const int n = t->n_atoms;
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        v3 f = v3_make(0, 0, 0);
        const int last = data->gather_start[t->gather_start + i + 1];
        for (int k = data->gather_start[t->gather_start + i]; k < last; ++k) {
            const uint s = data->gather[t->gather + k];
            const v3 g = load3(slot, s >> 1);
            f = s & 1u ? v3_sub(f, g) : v3_add(f, g);
        }
        for (int chunk = 0; chunk < t->n_chunks; ++chunk)
            f = v3_add(f, load3(slot, t->n_slots + chunk * n + i));
        store3(force, i, v3_scale(pos[i].w, f));
    }
}

SHOAL_FN void eval(const topology_record *t, const program_data *data, SPACE const real4 *pos,
                   SPACE const real4 *par, SPACE real4 *slot, SPACE real4 *force, real damping2,
                   energies *e)
{
    energies zero = {0, 0, 0, 0, 0, 0};
    *e = zero;
    BARRIER;
    eval_bonded(t, data, pos, slot, e);
    eval_pairs(t, data, pos, par, slot, damping2, e);
    BARRIER;
    gather_forces(t, data, pos, slot, force);
    BARRIER;
}

#ifdef SHOAL_LARGE
#define WORKSPACE(n)                                                                               \
    global real4 *pos = scratch + sys.scratch, *force = pos + (n), *dir = force + (n);             \
    global real4 *par = dir + (n), *slot = par + (n);                                              \
    local real4 *red = memory;
#else
#define WORKSPACE(n)                                                                               \
    local real4 *red = memory, *pos = red + WG, *force = pos + (n), *dir = force + (n);            \
    local real4 *par = dir + (n), *slot = par + (n);
#endif

#define DATA_ARGUMENTS                                                                             \
    global const system_record *systems, global const topology_record *topologies,                 \
        global const uint4 *bonds, global const uint4 *angles, global const uint4 *torsions,       \
        global const uint4 *inversions, global const real4 *forms, global const real4 *atoms,      \
        global const real *numbers, global const int *gather_start, global const uint *gather,     \
        global const uint *exclude, global real4 *positions, global real4 *forces,                 \
        global real *terms, global real4 *scratch, const int first_system, const real damping2,    \
        local real4 *memory

#define DATA_SETUP                                                                                 \
    const int l = (int)get_local_id(0);                                                            \
    const system_record sys = systems[first_system + (int)get_group_id(0)];                        \
    const topology_record t = topologies[sys.topology];                                            \
    const program_data data = {bonds, angles,  torsions,     inversions, forms,                    \
                               atoms, numbers, gather_start, gather,     exclude};                 \
    const int n = t.n_atoms;                                                                       \
    WORKSPACE(n)                                                                                   \
    for (int i = l; i < n; i += WG) {                                                              \
        pos[i] = positions[sys.atom_start + i];                                                    \
        par[i] = atoms[t.atom + i];                                                                \
    }

/* Energies by term of a system, by work-item 0: bond, angle, torsion, inversion, vdw, coulomb. */
SHOAL_FN void write_terms(global real *out, energies e, local real4 *red)
{
    const real4 a = combine((real4)(e.bond, e.angle, e.torsion, 0), red);
    const real4 b = combine((real4)(e.inversion, e.vdw, e.coulomb, 0), red);
    if (get_local_id(0) != 0) return;
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    out[3] = b.x;
    out[4] = b.y;
    out[5] = b.z;
}

#endif
