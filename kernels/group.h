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
#include "restraint_terms.h"
#include "uff_terms.h"

#ifdef SHOAL_DOUBLE
typedef double4 real4;
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

/* Pairs computed side by side. On an H200 (relaxation steps/s of 22, 68, 112 atoms): 2 gave 336, 60,
 * 42 M; 4 gave 321, 64, 44 M; 8 gave 296, 65, 45 M. */
#define PAIR_UNROLL (WG == 32 ? 2 : 4)

/* Kernels that need no energies leave them out. */
#ifdef SHOAL_NO_ENERGY
#define ADD_ENERGY(to, value) (void)(value)
#else
#define ADD_ENERGY(to, value) ((to) += (value))
#endif

typedef struct energies {
    real bond, angle, torsion, inversion, vdw, coulomb, restraint;
} energies;

#define NO_ENERGIES {0, 0, 0, 0, 0, 0, 0}

typedef struct program_data {
    global const uint4 *bonds, *angles, *torsions, *inversions;
    global const real4 *forms, *atoms;
    global const real *numbers; /* parameters in double precision; unused in float */
    global const int *gather_start;
    global const uint4 *gather;
    global const uint *exclude;
    global const real *restraints; /* of this system */
    int n_restraints;
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
    const int at_inversion = t->at_inversion, at_angle = at_inversion + 4 * t->n_inversions;
    const int at_bond = at_angle + 3 * t->n_angles;
    for (int k = l; k < t->n_torsions; k += WG) {
        const uint4 q = data->torsions[2 * (t->torsion + k)];
        const uint4 w = data->torsions[2 * (t->torsion + k) + 1];
        const v3 rj = load3(pos, q.x >> 16), rk = load3(pos, q.y & 0xffffu);
        const v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj), b = v3_sub(rk, rj);
        const int count = (int)(q.w >> 24), base = (int)w.w;
        v3 si = v3_make(0, 0, 0), sj = si, sk = si;
        for (int m = 0; m < count; ++m) {
            const uint last = m == 0 ? q.y >> 16 : m == 1 ? q.z & 0xffffu : q.z >> 16;
            const uint code = q.w >> (8 * m);
            torsion_par p;
            p.v = NUMBER(data, m == 0 ? w.x : m == 1 ? w.y : w.z);
            p.n = (int)(code & 7u);
            p.d = code & 8u ? R(-1.0) : R(1.0);
            const v3 c = v3_sub(load3(pos, last), rk);
            v3 fi, fj, fk, fl;
            if (uff_torsion_is_straight(a, b, c))
                ADD_ENERGY(e->torsion, uff_torsion_straight(p, a, b, c, &fi, &fj, &fk, &fl));
            else
                ADD_ENERGY(e->torsion, uff_torsion(p, a, b, c, &fi, &fj, &fk, &fl));
            si = v3_add(si, fi);
            sj = v3_add(sj, fj);
            sk = v3_add(sk, fk);
            store3(slot, base + 3 + m, fl);
        }
        store3(slot, base, si);
        store3(slot, base + 1, sj);
        store3(slot, base + 2, sk);
    }
    for (int k = l; k < t->n_inversions; k += WG) {
        const uint4 q = data->inversions[t->inversion + k];
        const real4 form = data->forms[q.w & 0xffu];
        const int turns = q.w & 0x100u ? 1 : 3; /* each of the three atoms out of plane in turn */
        inversion_par p;
        p.k = NUMBER(data, q.z);
        p.c0 = form.x;
        p.c1 = form.y;
        p.c2 = form.z;
        const v3 rj = load3(pos, q.x >> 16);
        v3 a = v3_sub(load3(pos, q.x & 0xffffu), rj), b = v3_sub(load3(pos, q.y & 0xffffu), rj);
        v3 c = v3_sub(load3(pos, q.y >> 16), rj);
        v3 sa = v3_make(0, 0, 0), sb = sa, sc = sa;
        for (int turn = 0; turn < turns; ++turn) {
            v3 fa, fb, fc;
            if (uff_inversion_is_straight(a, b, c))
                ADD_ENERGY(e->inversion, uff_inversion_straight(p, a, b, c, &fa, &fb, &fc));
            else
                ADD_ENERGY(e->inversion, uff_inversion(p, a, b, c, &fa, &fb, &fc));
            sa = v3_add(sa, fa);
            sb = v3_add(sb, fb);
            sc = v3_add(sc, fc);
            if (turns == 1) continue;
            v3 swap = a; /* i, k, l -> k, l, i, and the sums with them */
            a = b;
            b = c;
            c = swap;
            swap = sa;
            sa = sb;
            sb = sc;
            sc = swap;
        }
        store3(slot, at_inversion + 4 * k, sa);
        store3(slot, at_inversion + 4 * k + 1, v3_scale(R(-1.0), v3_add(v3_add(sa, sb), sc)));
        store3(slot, at_inversion + 4 * k + 2, sb);
        store3(slot, at_inversion + 4 * k + 3, sc);
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
        ADD_ENERGY(e->angle, uff_angle(p, v3_sub(load3(pos, q.x & 0xffffu), rj),
                                       v3_sub(load3(pos, q.y & 0xffffu), rj), &fi, &fk));
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
        ADD_ENERGY(e->bond,
                   uff_bond(p, v3_sub(load3(pos, q.x & 0xffffu), load3(pos, q.x >> 16)), &f));
        store3(slot, at_bond + 2 * k, f);
        store3(slot, at_bond + 2 * k + 1, v3_scale(R(-1.0), f));
    }
}

/* Strength of the pair with the atoms p and q: the factor g of the force g (r_i - r_j). par holds
 * x^3, sqrt(12 D) x^3 and the charge in units that make kC = 1 (with arithmetic mixing x/2 and
 * sqrt(12 D) in front). In a small system in float, what lies beyond 10 x is below the resolution of
 * the sum, and is not looked for. */
SHOAL_FN real pair_force(real4 p, real4 q, real r2, real damping2, energies *e, int skip)
{
    const real ir = real_rsqrt(r2), ir2 = ir * ir, ir6 = ir2 * ir2 * ir2;
#ifdef SHOAL_ARITHMETIC
    const real x = p.x + q.x, x2 = x * x, x6 = x2 * x2 * x2;
    real c6 = p.y * q.y * x6;
#else
    const real x6 = p.x * q.x;
    real c6 = p.y * q.y;
#endif
#if defined(SHOAL_DOUBLE) || defined(SHOAL_LARGE)
    c6 = x6 * ir6 > VDW_NEAR ? c6 : R(0.0);
#endif
    real s;
    const real vdw = pair_vdw(x6, c6, ir6, &s);
    ADD_ENERGY(e->vdw, skip ? R(0.0) : vdw);
#ifdef SHOAL_CHARGES
#ifdef SHOAL_DAMPED
    const real id = real_rsqrt(r2 + damping2), ec = pair_coulomb(p.z * q.z, id);
    const real g = s * ir2 + ec * (id * id);
#else
    const real ec = pair_coulomb(p.z * q.z, ir), g = (s + ec) * ir2;
#endif
    ADD_ENERGY(e->coulomb, skip ? R(0.0) : ec);
#else
    const real g = s * ir2;
#endif
    return skip ? R(0.0) : g;
}

/* Pairs of one atom with all others. Every pair is met from both sides. Excluded pairs are computed
 * and thrown away: without a branch the loop unrolls. */
SHOAL_FN void eval_pairs(const topology_record *t, const program_data *data,
                         SPACE const real4 *pos, SPACE const real4 *par, SPACE real4 *slot,
                         real damping2, energies *e)
{
    const int n = t->n_atoms;
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        global const uint *bits = data->exclude + t->exclude + i * t->n_words;
        const v3 ri = load3(pos, i);
        const real4 pi = par[i];
        v3 f = v3_make(0, 0, 0);
        for (int block = 0; block < n; block += 32) {
            const int end = block + 32 < n ? block + 32 : n;
            const uint mask = bits[block >> 5];
            energies part = NO_ENERGIES; /* of one block, so that large sums keep their digits */
#pragma unroll PAIR_UNROLL
            for (int j = block; j < end; ++j) {
                const v3 d = v3_sub(ri, load3(pos, j));
                const real g = pair_force(pi, par[j], v3_dot(d, d), damping2, &part,
                                          (int)(mask >> (j & 31)) & 1);
                f = v3_add(f, v3_scale(g, d));
            }
            ADD_ENERGY(e->vdw, part.vdw);
            ADD_ENERGY(e->coulomb, part.coulomb);
        }
        store3(slot, t->n_slots + i, f);
    }
}

/* Force of one restraint on atom i. Every atom computes it anew, so that nobody has to wait for
 * another; the first atom of the restraint counts its energy. */
SHOAL_FN v3 restraint_force(global const real *r, int i, SPACE const real4 *pos, energies *e)
{
    const int kind = (int)r[RESTRAINT_KIND];
    const int a0 = (int)r[RESTRAINT_ATOMS], a1 = (int)r[RESTRAINT_ATOMS + 1];
    const int a2 = (int)r[RESTRAINT_ATOMS + 2], a3 = (int)r[RESTRAINT_ATOMS + 3];
    const real k = r[RESTRAINT_K], value = r[RESTRAINT_VALUE];
    v3 f0 = v3_make(0, 0, 0), f1 = f0, f2 = f0, f3 = f0;
    const v3 target =
        v3_make(r[RESTRAINT_TARGET], r[RESTRAINT_TARGET + 1], r[RESTRAINT_TARGET + 2]);
    real energy;
    if (i != a0 && (kind < 1 || i != a1) && (kind < 2 || i != a2) && (kind < 3 || i != a3))
        return f0;
    const v3 r0 = load3(pos, a0), r1 = load3(pos, a1), r2 = load3(pos, a2);
    if (kind == 0) {
        energy = restraint_position(k, v3_sub(r0, target), &f0);
    } else if (kind == 1) {
        energy = restraint_distance(k, value, v3_sub(r0, r1), &f0);
        f1 = v3_scale(R(-1.0), f0);
    } else if (kind == 2) {
        energy = restraint_angle(k, value, v3_sub(r0, r1), v3_sub(r2, r1), &f0, &f2);
        f1 = v3_scale(R(-1.0), v3_add(f0, f2));
    } else {
        energy = restraint_torsion(k, value, r[RESTRAINT_SINE], v3_sub(r0, r1), v3_sub(r2, r1),
                                   v3_sub(load3(pos, a3), r2), &f0, &f1, &f2, &f3);
    }
    ADD_ENERGY(e->restraint, i == a0 ? energy : R(0.0));
    return i == a0 ? f0 : i == a1 ? f1 : i == a2 ? f2 : f3;
}

/* Sums the slots of every atom into its force; fixed atoms (w = 0) feel nothing. Lists of slots are
 * filled up to fours with slot 0, which holds zero. */
SHOAL_FN void gather_forces(const topology_record *t, const program_data *data,
                            SPACE const real4 *pos, SPACE const real4 *slot, SPACE real4 *force,
                            energies *e)
{
    const int n = t->n_atoms;
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        real4 f = (real4)(0, 0, 0, 0);
        const int last = data->gather_start[t->gather_start + i + 1];
        for (int k = data->gather_start[t->gather_start + i]; k < last; ++k) {
            const uint4 s = data->gather[t->gather + k];
            f += slot[s.x];
            f += slot[s.y];
            f += slot[s.z];
            f += slot[s.w];
        }
        f += slot[t->n_slots + i];
        for (int k = 0; k < data->n_restraints; ++k) {
            const v3 g = restraint_force(data->restraints + k * LAYOUT_RESTRAINT, i, pos, e);
            f += (real4)(g.x, g.y, g.z, 0);
        }
        force[i] = pos[i].w * f;
    }
}

SHOAL_FN void eval(const topology_record *t, const program_data *data, SPACE const real4 *pos,
                   SPACE const real4 *par, SPACE real4 *slot, SPACE real4 *force, real damping2,
                   energies *e)
{
    const energies zero = NO_ENERGIES;
    *e = zero;
    BARRIER;
    eval_bonded(t, data, pos, slot, e);
    eval_pairs(t, data, pos, par, slot, damping2, e);
    BARRIER;
    gather_forces(t, data, pos, slot, force, e);
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
        global const real *numbers, global const int *gather_start, global const uint4 *gather,    \
        global const uint *exclude, global real4 *positions, global real4 *forces,                 \
        global real *terms, global real4 *scratch, global const real *restraints,                  \
        const int first_system, const real damping2, local real4 *memory

#define DATA_SETUP                                                                                 \
    const int l = (int)get_local_id(0);                                                            \
    const system_record sys = systems[first_system + (int)get_group_id(0)];                        \
    const topology_record t = topologies[sys.topology];                                            \
    const program_data data = {bonds,                                                              \
                               angles,                                                             \
                               torsions,                                                           \
                               inversions,                                                         \
                               forms,                                                              \
                               atoms,                                                              \
                               numbers,                                                            \
                               gather_start,                                                       \
                               gather,                                                             \
                               exclude,                                                            \
                               restraints + LAYOUT_RESTRAINT * sys.restraint,                      \
                               sys.n_restraints};                                                  \
    const int n = t.n_atoms;                                                                       \
    WORKSPACE(n)                                                                                   \
    slot[0] = (real4)(0, 0, 0, 0); /* by everyone: PoCL 3.1 loses it behind a condition */         \
    for (int i = l; i < n; i += WG) {                                                              \
        pos[i] = positions[sys.atom_start + i];                                                    \
        par[i] = atoms[t.atom + i];                                                                \
    }

/* Energies by term of a system, by work-item 0: bond, angle, torsion, inversion, vdw, coulomb. */
SHOAL_FN void write_terms(global real *out, energies e, local real4 *red)
{
    /* Pairs were met from both sides, and vdW counted 12-fold. */
    const real4 a = combine((real4)(e.bond, e.angle, e.torsion, 0), red);
    const real4 b = combine(
        (real4)(e.inversion, e.vdw * R(0.04166666666666666667), R(0.5) * e.coulomb, 0), red);
    const real4 c = combine((real4)(e.restraint, 0, 0, 0), red);
    if (get_local_id(0) != 0) return;
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
    out[3] = b.x;
    out[4] = b.y;
    out[5] = b.z;
    out[6] = 0; /* surface */
    out[7] = c.x;
}

#endif
