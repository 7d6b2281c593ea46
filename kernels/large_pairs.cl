/* SPDX-License-Identifier: BSD-3-Clause
 * Non-bonded pairs of large systems. A group works on four atoms; every pair is met from both sides.
 * Slots of a particle behind those of the terms: force with the vdW energy, counted 12-fold, then (n_particles
 * particles later) the k-vectors' share, then the Coulomb energy. */
#include "ewald_terms.h"
#include "large.h"
#include "model_pairs.h"
#include "pair_terms.h"

#define CHUNK 4096 /* partners whose exclusions are marked at a time */

#ifdef SHOAL_MODEL

typedef model_numbers pair_constants;
#define PAIR_CONSTANTS MODEL_CONSTANTS

/* As below, for a pair model; ahead: p is the particle with the lower number. */
SHOAL_FN real isolated_pair(real4 p, real4 q, real kqq, real r2, int ahead, const pair_constants *c,
                            int skip, real *vdw, real *coulomb)
{
    real e, ec;
    const real g = model_pair(c, p, q, r2, ahead, !skip, &e, &ec);
    *vdw += skip ? R(0.0) : R(12.0) * e;
    *coulomb += skip ? R(0.0) : ec;
    return skip ? R(0.0) : g;
}

/* vdW within its cut-off. */
SHOAL_FN real image_vdw(real4 p, real4 q, real r, real ir, int ahead, const pair_constants *c,
                        real *s)
{
    return R(12.0) * model_energy(c, p, q, r, ir, ahead, s);
}

/* What the Coulomb form of the model differs from 1/r by, which falls off fast. */
SHOAL_FN real image_bend(real kqq, real r2, const pair_constants *c, real *g)
{
    const int bent = MODEL_COULOMB == FORM_COULOMB_CLAMP || MODEL_COULOMB == FORM_COULOMB_SMOOTH ||
                     MODEL_COULOMB == FORM_COULOMB_ERF;
    if (!bent) return R(0.0);
    const real ir = real_rsqrt(r2), plain = kqq * ir;
    real s;
    const real e = form_coulomb(MODEL_COULOMB, kqq, c->d, r2 * ir, ir, &s);
    *g += (s - plain) * (ir * ir);
    return e - plain;
}

#else

typedef struct pair_constants {
    real damping2;
} pair_constants;
#define PAIR_CONSTANTS                                                                             \
    {                                                                                              \
        geo[LARGE_DAMPING2]                                                                        \
    }

/* Strength of vdW: x^6 and 12 D x^6 from x^3, sqrt(12 D) x^3 (arithmetic: x/2, sqrt(12 D)). */
SHOAL_FN real mix(real4 p, real4 q, real *c6)
{
#ifdef SHOAL_ARITHMETIC
    const real x = p.x + q.x, x2 = x * x, x6 = x2 * x2 * x2;
    *c6 = p.y * q.y * x6;
    return x6;
#else
    *c6 = p.y * q.y;
    return p.x * q.x;
#endif
}

/* A pair of an isolated system: the factor g of the force g d, d from j to i. */
SHOAL_FN real isolated_pair(real4 p, real4 q, real kqq, real r2, int ahead, const pair_constants *c,
                            int skip, real *vdw, real *coulomb)
{
    (void)ahead;
    const real ir = real_rsqrt(r2), ir2 = ir * ir, ir6 = ir2 * ir2 * ir2;
    real c6, s;
    const real x6 = mix(p, q, &c6);
    c6 = x6 * ir6 > VDW_NEAR ? c6 : R(0.0);
    const real e = pair_vdw(x6, c6, ir6, &s);
#ifdef SHOAL_DAMPED
    const real id = real_rsqrt(r2 + c->damping2);
#else
    const real id = ir;
#endif
    const real ec = pair_coulomb(kqq, id);
    *vdw += skip ? R(0.0) : e;
    *coulomb += skip ? R(0.0) : ec;
    return skip ? R(0.0) : s * ir2 + ec * (id * id);
}

SHOAL_FN real image_vdw(real4 p, real4 q, real r, real ir, int ahead, const pair_constants *c,
                        real *s)
{
    const real ir2 = ir * ir;
    real c6;
    const real x6 = mix(p, q, &c6);
    (void)r, (void)ahead, (void)c;
    return pair_vdw(x6, c6, ir2 * ir2 * ir2, s);
}

#define image_bend(kqq, r2, c, g) R(0.0)

#endif

/* All pairs of an isolated system. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_pairs(
    LARGE_ARGUMENTS MODEL_ARGUMENTS)
{
    LARGE_SETUP
    const pair_constants constants = PAIR_CONSTANTS;
    local real4 red[LARGE_QUAD * WG];
    local uint mask[LARGE_QUAD * CHUNK / 32];
    const int n_do = LARGE_GOING ? n_particles : 0;
    real4 ri[LARGE_QUAD], pi[LARGE_QUAD], f[LARGE_QUAD];
    real vdw[LARGE_QUAD], coulomb[LARGE_QUAD];
#pragma unroll
    for (int q = 0; q < LARGE_QUAD; ++q) {
        const int i = block.y + q < n_particles ? block.y + q : n_particles - 1;
        ri[q] = wrapped[at + i];
        pi[q] = atoms[t->atom + i];
        f[q] = (real4)(0, 0, 0, 0);
        vdw[q] = coulomb[q] = 0;
    }
    for (int first = 0; first < n_do; first += CHUNK) {
        for (int w = l; w < LARGE_QUAD * CHUNK / 32; w += WG) mask[w] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int q = 0; q < LARGE_QUAD; ++q) {
            const int i = block.y + q < n_particles ? block.y + q : n_particles - 1;
            const int last = exclude_start[t->exclude_start + i + 1];
            /* One entry more than there are: the atom itself. */
            for (int e = exclude_start[t->exclude_start + i] + l; e <= last; e += WG) {
                const int j = (e < last ? exclude[t->exclude + e].x : i) - first;
                if (j >= 0 && j < CHUNK)
                    (void)atomic_or(mask + (q * CHUNK + j) / 32, 1u << (j & 31));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const int end = n_do - first < CHUNK ? n_do - first : CHUNK;
        for (int j = l; j < end; j += WG) {
            const real4 rj = wrapped[at + first + j], pj = atoms[t->atom + first + j];
#pragma unroll
            for (int q = 0; q < LARGE_QUAD; ++q) {
                const real4 d = ri[q] - rj;
                const int skip = (int)(mask[(q * CHUNK + j) / 32] >> (j & 31)) & 1;
                const real g =
                    isolated_pair(pi[q], pj, ri[q].w * rj.w, d.x * d.x + d.y * d.y + d.z * d.z,
                                  block.y + q < first + j, &constants, skip, &vdw[q], &coulomb[q]);
                f[q] += g * d;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int q = 0; q < LARGE_QUAD; ++q) f[q].w = vdw[q];
    const real4 force = combine_quads(f, red);
#pragma unroll
    for (int q = 0; q < LARGE_QUAD; ++q) f[q] = (real4)(coulomb[q], 0, 0, 0);
    const real4 energy = combine_quads(f, red);
    const int i = block.y + l;
    if (l < LARGE_QUAD && i < n_do) {
        global real4 *slot = slots + sys->slot + t->n_slots + i;
        slot[0] = force;
        slot[2 * n_particles] = energy;
    }
}

/* A pair of a periodic system. */
SHOAL_FN real image_pair(real4 p, real4 q, real kqq, real r2, int ahead, const pair_constants *c,
                         global const real *geo, global const real *settings, real *vdw,
                         real *coulomb)
{
    real g = 0;
    if (r2 < settings[LARGE_VDW2]) {
        const real ir = real_rsqrt(r2), ir2 = ir * ir, r = r2 * ir;
        const real scale = settings[LARGE_SWITCH_SCALE];
        real s;
        const real y = real_min(real_max((r - settings[LARGE_SWITCH]) * scale, R(0.0)), R(1.0));
        const real e = image_vdw(p, q, r, ir, ahead, c, &s);
        *vdw += pair_switch(e, y, r * scale, &s);
        g = s * ir2;
    }
    if (r2 < geo[LARGE_REAL_CUT2]) {
        const real s2 = r2 + geo[LARGE_DAMPING2], is = real_rsqrt(s2);
        real s2g;
        *coulomb += ewald_erfc(kqq * is, geo[LARGE_ALPHA] * (s2 * is), &s2g);
        g += s2g * (is * is);
        *coulomb += image_bend(kqq, r2, c, &g);
    }
    return g;
}

/* Listed pairs of a periodic system, 32 work-items per atom. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_images(
    LARGE_ARGUMENTS MODEL_ARGUMENTS)
{
    LARGE_SETUP
    const pair_constants constants = PAIR_CONSTANTS;
    local real4 red[2 * WG];
    const int i = block.y + l / 32, lane = l % 32, wanted = LARGE_GOING && i < n_particles;
    const uint bits = (uint)sys->atom_bits, low = ((uint)1 << bits) - 1u;
    const int count = wanted ? (int)origins[at + i].w : 0;
    global const uint *row =
        list + (size_t)sys->list * LARGE_ENTRIES + (size_t)i * (size_t)sys->capacity;
    const real4 ri = wanted ? wrapped[at + i] : (real4)(0, 0, 0, 0);
    const real4 pi = wanted ? atoms[t->atom + i] : ri;
    real4 f = (real4)(0, 0, 0, 0);
    real vdw = 0, coulomb = 0;
    for (int k = lane; k < count; k += 32) {
        const uint entry = row[k];
        const int j = (int)(entry & low);
        const real4 rj = wrapped[at + j], d = ri - rj - table[sys->table + (int)(entry >> bits)];
        const real g =
            image_pair(pi, atoms[t->atom + j], ri.w * rj.w, d.x * d.x + d.y * d.y + d.z * d.z,
                       i < j, &constants, geo, settings, &vdw, &coulomb);
        f += g * d;
    }
    f.w = vdw;
    red[l] = f;
    red[WG + l] = (real4)(coulomb, 0, 0, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    real4 part = (real4)(0, 0, 0, 0), rest = part;
    if (lane < 4)
        for (int k = 0; k < 8; ++k) {
            part += red[l + 4 * k];
            rest += red[WG + l + 4 * k];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    red[l] = part;
    red[WG + l] = rest;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0 && wanted) {
        global real4 *slot = slots + sys->slot + t->n_slots + i;
        slot[0] = (red[l] + red[l + 1]) + (red[l + 2] + red[l + 3]);
        slot[2 * n_particles] =
            (red[WG + l] + red[WG + l + 1]) + (red[WG + l + 2] + red[WG + l + 3]);
    }
}
