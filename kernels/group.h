/* SPDX-License-Identifier: BSD-3-Clause
 * One work-group is one system: energies and forces. Coordinates, forces and slots lie in local
 * memory; systems that are too large for it have a schedule of their own (large.h). WG is the size
 * of a work-group.
 *
 * No barrier stands behind a condition: work-groups must agree on the way, and compilers for
 * processors copy the rest of the kernel for every barrier that does. */
#ifndef SHOAL_KERNELS_GROUP_H
#define SHOAL_KERNELS_GROUP_H

#include "group_bonded.h"
#include "group_nodes.h"
#include "group_pairs.h"
#include "group_sites.h"
#include "group_surface.h"
#include "restraint_terms.h"

/* The number of a shoal_restraint_kind. */
#define KIND_CENTRE 4

/* Of atoms first to last, their mean: every atom adds up all of them, which is less than its pairs take. */
SHOAL_FN v3 centre_force(global const real *r, int i, int first, int last, v3 target,
                         local const real4 *pos, energies *e)
{
    const real share = R(1.0) / (real)(last - first + 1);
    v3 sum = v3_make(0, 0, 0), f = sum;
    if (i < first || i > last) return f;
    for (int j = first; j <= last; ++j) sum = v3_add(sum, load3(pos, j));
    const v3 d = restraint_offset(v3_sub(v3_scale(share, sum), target), r[RESTRAINT_VALUE]);
    const real energy = restraint_centre(r[RESTRAINT_K], share, d, &f);
    ADD_ENERGY(e, RESTRAINT, i == first ? energy : R(0.0));
    return f;
}

/* Force of one restraint on atom i. Every atom computes it anew, so that nobody has to wait for
 * another; the first atom of the restraint counts its energy. */
SHOAL_FN v3 restraint_force(global const real *r, int i, local const real4 *pos, energies *e)
{
    const int kind = (int)r[RESTRAINT_KIND];
    const int a0 = (int)r[RESTRAINT_ATOMS], a1 = (int)r[RESTRAINT_ATOMS + 1];
    const int a2 = (int)r[RESTRAINT_ATOMS + 2], a3 = (int)r[RESTRAINT_ATOMS + 3];
    const real k = r[RESTRAINT_K], value = r[RESTRAINT_VALUE];
    v3 f0 = v3_make(0, 0, 0), f1 = f0, f2 = f0, f3 = f0;
    const v3 target =
        v3_make(r[RESTRAINT_TARGET], r[RESTRAINT_TARGET + 1], r[RESTRAINT_TARGET + 2]);
    real energy;
    if (kind == KIND_CENTRE) return centre_force(r, i, a0, a1, target, pos, e);
    if (i != a0 && (kind < 1 || i != a1) && (kind < 2 || i != a2) && (kind < 3 || i != a3))
        return f0;
    const v3 r0 = load3(pos, a0), r1 = load3(pos, a1), r2 = load3(pos, a2);
    if (kind == 0) {
        energy = restraint_position(k, restraint_offset(v3_sub(r0, target), value), &f0);
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
    ADD_ENERGY(e, RESTRAINT, i == a0 ? energy : R(0.0));
    return i == a0 ? f0 : i == a1 ? f1 : i == a2 ? f2 : f3;
}

/* By its distance from slot 0 in bytes, which takes an instruction less than by its number. */
#define SLOT_AT(slot, bytes) (*(local const real4 *)((local const char *)(slot) + (bytes)))

/* The sum of the slots of mover i and f. Lists of slots are filled up to fours with slot 0, which holds zero. Fourth
 * numbers are zero and summed, too, so that a slot is read at once: in two pieces it takes local memory half as long again. */
SHOAL_FN real4 gather_slots(const topology_record *t, const program_data *data,
                            local const real4 *slot, int i, real4 f)
{
    const int last = data->gather_start[t->gather_start + i + 1];
    for (int k = data->gather_start[t->gather_start + i]; k < last; ++k) {
        const uint4 s = data->gather[t->gather + k];
        f += SLOT_AT(slot, s.x);
        f += SLOT_AT(slot, s.y);
        f += SLOT_AT(slot, s.z);
        f += SLOT_AT(slot, s.w);
    }
    return f;
}

/* The force on a direction, in its tangent plane: no pair and no surface knows it, and it is not held. */
#ifdef SHOAL_DIRECTIONS
#define GATHER_DIRECTION(t, data, pos, slot, force, i)                                             \
    if (i >= (t)->n_points) {                                                                      \
        const v3 p = load3(pos, i);                                                                \
        const v3 all = from4(gather_slots(t, data, slot, i, (real4)(0, 0, 0, 0)));                 \
        store3(force, i, v3_sub(all, v3_scale(v3_dot(all, p), p)));                                \
        continue;                                                                                  \
    }
#else
#define GATHER_DIRECTION(t, data, pos, slot, force, i)
#endif

/* Sums the slots of every atom into its force; fixed atoms (w = 0) feel nothing. */
SHOAL_FN void gather_forces(const topology_record *t, const program_data *data,
                            const surface_data *surface, local const real4 *pos,
                            local const real4 *slot, local real4 *force, energies *e)
{
    const int n = N_MOVERS(t);
    for (int i = (int)get_local_id(0); i < n; i += WG) {
        GATHER_DIRECTION(t, data, pos, slot, force, i)
        const real4 all = gather_slots(t, data, slot, i, slot[t->n_slots + i]), r = pos[i];
        v3 f = from4(all);
        ADD_SURFACE(f, surface, t->atom + i, r, e);
        for (int k = 0; k < data->n_restraints; ++k)
            f = v3_add(f, restraint_force(data->restraints + k * LAYOUT_RESTRAINT, i, pos, e));
        force[i] = to4(v3_scale(r.w, f), all.w);
    }
}

SHOAL_FN void eval(const topology_record *t, const program_data *data, const surface_data *surface,
                   local real4 *pos, local const real4 *par, local real4 *slot, local real4 *force,
                   const pair_constants *constants, energies *e)
{
    const energies zero = NO_ENERGIES;
    *e = zero;
    barrier(CLK_LOCAL_MEM_FENCE);
    PLACE_SITES(t, data, pos);
    eval_torsions(t, data, pos, slot, e);
    eval_centres(t, data, pos, slot, e);
    EVAL_NODES(t, data, pos, slot, e);
    EVAL_TERMS(t, data, pos, slot, e);
    eval_angles(t, data, pos, slot, e);
    eval_bonds(t, data, pos, slot, e);
    eval_pairs(t, data, pos, par, slot, constants, e);
    barrier(CLK_LOCAL_MEM_FENCE);
    SPREAD_SITES(t, data, surface, pos, slot, e);
    gather_forces(t, data, surface, pos, slot, force, e);
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Before rows and states go back to global memory: who is ahead does not write what others still have to read. */
#define ALL_HAVE_READ barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

/* n movers, m particles; directions stand where particles would be filled up, as no pair with these counts. */
#ifdef SHOAL_DIRECTIONS
#define N_PLACES(n, m) PADDED(n)
#define HAS_PAR(i, m) ((i) < PADDED(m))
#else
#define N_PLACES(n, m) PADDED(m)
#define HAS_PAR(i, m) 1
#endif
#define WORKSPACE(n, m)                                                                            \
    local real4 *red = memory, *pos = red + RED_SIZE(WG), *par = pos + N_PLACES(n, m);             \
    local real4 *force = par + PADDED(m), *dir = force + (n), *slot = dir + (n);

#define DATA_ARGUMENTS                                                                             \
    global const system_record *systems, global const topology_record *topologies,                 \
        global const uint4 *bonds, global const uint4 *angles, global const uint4 *torsions,       \
        global const uint4 *plain_terms, global const uint4 *centres, global const real4 *forms,   \
        global const real4 *atoms, global const real *numbers, global const int *gather_start,     \
        global const uint4 *gather, global const uint *exclude, global real4 *positions,           \
        global real4 *forces, global real *terms, global const real *restraints,                   \
        const int first_system, const real damping2,                                               \
        local real4 *memory SURFACE_ARGUMENTS MODEL_ARGUMENTS SITE_ARGUMENTS

#define DATA_SETUP                                                                                 \
    const int l = (int)get_local_id(0);                                                            \
    const system_record sys = systems[first_system + (int)get_group_id(0)];                        \
    const topology_record t = topologies[sys.topology];                                            \
    const program_data data = {bonds,                                                              \
                               angles,                                                             \
                               torsions,                                                           \
                               plain_terms,                                                        \
                               centres,                                                            \
                               forms,                                                              \
                               atoms,                                                              \
                               numbers,                                                            \
                               gather_start,                                                       \
                               gather,                                                             \
                               exclude,                                                            \
                               restraints + LAYOUT_RESTRAINT * sys.restraint,                      \
                               sys.n_restraints SITE_DATA};                                        \
    const surface_data surface = SURFACE_SETUP;                                                    \
    const pair_constants constants = PAIR_CONSTANTS;                                               \
    const int n = N_MOVERS(&t), n_particles = N_PARTICLES(&t);                                     \
    WORKSPACE(n, n_particles)                                                                      \
    slot[0] = (real4)(0, 0, 0, 0); /* by everyone: PoCL 3.1 loses it behind a condition */         \
    for (int i = l; i < N_PLACES(n, n_particles); i += WG) {                                       \
        pos[i] = positions[sys.atom_start + (i < n ? i : n - 1)];                                  \
        if (HAS_PAR(i, n_particles))                                                               \
            par[i] = atoms[t.atom + (i < n_particles ? i : n_particles - 1)];                      \
    }

/* Energies by term of a system, by work-item 0. */
SHOAL_FN void write_terms(global real *out, energies e, local real4 *red)
{
    e.of[ENERGY_VDW] *= PAIR_VDW_SHARE;
    e.of[ENERGY_COULOMB] *= R(0.5);
    SHOAL_UNROLL
    for (int k = 0; k < N_ENERGIES; k += 3) {
        const real4 sum = group_combine((real4)(e.of[k], e.of[k + 1], e.of[k + 2], 0), red);
        if (get_local_id(0) != 0) continue;
        out[k] = sum.x;
        if (k + 1 < N_ENERGIES) out[k + 1] = sum.y;
        if (k + 2 < N_ENERGIES) out[k + 2] = sum.z;
    }
}

#endif
