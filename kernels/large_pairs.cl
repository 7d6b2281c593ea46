/* SPDX-License-Identifier: BSD-3-Clause
 * Non-bonded pairs of large systems. A group works on four atoms; every pair is met from both sides.
 * Slots of a particle behind those of the terms: force with the vdW energy, counted 12-fold, then (n_particles
 * particles later) the k-vectors' share, then the Coulomb energy. */
#include "large_image.h"

#define CHUNK 4096 /* partners whose exclusions are marked at a time */

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
