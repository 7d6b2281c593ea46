/* SPDX-License-Identifier: BSD-3-Clause
 * Forces on the atoms of large systems from the slots of their terms, pairs and k-vectors, restraints, and
 * what k-vectors and sums of chains say of excluded pairs; on directions from the slots of their terms alone; sums over
 * blocks of movers; energies by term. */
#include "ewald_terms.h"
#include "large.h"
#include "large_energy.h"
#include "large_sites.h"
#include "md_atoms.h"
#include "restraint_terms.h"
#include "step.h"

#define SURFACE_INDEX block.x
#include "group_surface.h"

/* Where an atom is, from the target of a restraint in two parts. */
SHOAL_FN v3 from_target(const large_space *s, global const real *r, int i)
{
    const v3 high = v3_make(r[LARGE_R_HIGH], r[LARGE_R_HIGH + 1], r[LARGE_R_HIGH + 2]);
    const v3 low = v3_make(r[LARGE_R_LOW], r[LARGE_R_LOW + 1], r[LARGE_R_LOW + 2]);
    return v3_add(v3_sub(from4(s->anchor[i]), high), v3_sub(from4(s->pos[i]), low));
}

/* The number of a shoal_restraint_kind. */
#define KIND_CENTRE 4

/* Of atoms first to last, their mean: every atom adds up all of them. */
SHOAL_FN v3 centre_force(const large_space *s, int first, int last, global const real *r, int i,
                         real *energy)
{
    const real share = R(1.0) / (real)(last - first + 1);
    v3 sum = v3_make(0, 0, 0), f = sum;
    if (i < first || i > last) return f;
    for (int j = first; j <= last; ++j) sum = v3_add(sum, from_target(s, r, j));
    const v3 d = restraint_offset(v3_scale(share, sum), r[LARGE_R_VALUE]);
    const real e = restraint_centre(r[LARGE_R_K], share, d, &f);
    *energy += i == first ? e : R(0.0);
    return f;
}

/* Force of one restraint on atom i. Every atom computes it anew; the first atom of the restraint
 * counts its energy. */
SHOAL_FN v3 restraint_force(const large_space *s, int4 a, global const real *r, int i, real *energy)
{
    const int kind = (int)r[LARGE_R_KIND];
    const int4 home = (int4)(0, 0, 0, 0);
    const real k = r[LARGE_R_K], value = r[LARGE_R_VALUE];
    v3 f0 = v3_make(0, 0, 0), f1 = f0, f2 = f0, f3 = f0;
    real e;
    if (kind == KIND_CENTRE) return centre_force(s, a.x, a.y, r, i, energy);
    if (i != a.x && (kind < 1 || i != a.y) && (kind < 2 || i != a.z) && (kind < 3 || i != a.w))
        return f0;
    if (kind == 0) {
        e = restraint_position(k, restraint_offset(from_target(s, r, a.x), value), &f0);
    } else if (kind == 1) {
        e = restraint_distance(k, value, large_apart(s, a.y, a.x, home), &f0);
        f1 = v3_scale(R(-1.0), f0);
    } else if (kind == 2) {
        e = restraint_angle(k, value, large_apart(s, a.y, a.x, home),
                            large_apart(s, a.y, a.z, home), &f0, &f2);
        f1 = v3_scale(R(-1.0), v3_add(f0, f2));
    } else {
        e = restraint_torsion(k, value, r[LARGE_R_SINE], large_apart(s, a.y, a.x, home),
                              large_apart(s, a.y, a.z, home), large_apart(s, a.z, a.w, home), &f0,
                              &f1, &f2, &f3);
    }
    *energy += i == a.x ? e : R(0.0);
    return i == a.x ? f0 : i == a.y ? f1 : i == a.z ? f2 : f3;
}

/* k-vectors run over all pairs; what they say of the excluded partner is taken back. */
SHOAL_FN v3 excluded_force(const large_space *s, int i, int2 partner, real kqq, real damping2,
                           real *energy)
{
    const v3 d = large_apart(s, i, partner.x, large_shift(partner.y));
    real slope;
    *energy -= R(0.5) * kqq * ewald_erf(s->geo[LARGE_ALPHA], v3_dot(d, d) + damping2, &slope);
    return v3_scale(R(-2.0) * kqq * slope, d);
}

/* The same for all excluded partners of a particle, added to f. */
SHOAL_FN v3 excluded_forces(const large_space *s, v3 f, int i, global const int *range,
                            global const int2 *partners, global const real4 *place, real *energy)
{
    for (int e = range[0]; e < range[1]; ++e)
        f = v3_add(f, excluded_force(s, i, partners[e], place[i].w * place[partners[e].x].w,
                                     s->geo[LARGE_DAMPING2], energy));
    return f;
}

/* The forces of pairs, k-vectors and the surface on a site become forces on the atoms of its frame; its energies
 * stay in its last slot: Coulomb, surface. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_spread(
    LARGE_ARGUMENTS SURFACE_ARGUMENTS)
{
    LARGE_SETUP
    const large_space space = LARGE_SPACE;
    const surface_data surface = SURFACE_SETUP;
    energies own = NO_ENERGIES; /* of the surface */
    const int k = block.y + l, i = n + k;
    if (!LARGE_GOING || k >= t->n_sites) return;
    global real4 *slot = slots + sys->slot, *to = slot + t->site_slot + LARGE_SITE_SLOTS * k;
    real coulomb = R(0.5) * slot[t->n_slots + 2 * n_particles + i].x;
    v3 f = from4(slot[t->n_slots + i]), pull[3];
    if (geo[LARGE_ALPHA] > 0) {
        const real4 w = slot[t->n_slots + n_particles + i];
        coulomb += w.w;
        f = v3_add(f, from4(w));
        f = excluded_forces(&space, f, i, exclude_start + t->exclude_start + i,
                            exclude + t->exclude, wrapped + at, &coulomb);
    }
    ADD_SURFACE(f, &surface, t->atom + i, anchors[at + i] + positions[at + i], &own);
    const large_site s = LARGE_SITE(k);
    site_pull(&s.frame, s.x, s.y, s.at, s.plain, f, pull);
    to[0] = to4(f, 0);
    for (int m = 0; m < s.n_arms; ++m) {
        to[1 + 2 * m] = to4(pull[m], 0);
        to[2 + 2 * m] = to4(v3_scale(R(-1.0), pull[m]), 0);
    }
    slot[t->n_slots + 2 * n_particles + i] = (real4)(coulomb, own.of[ENERGY_SURFACE], 0, 0);
}

/* Sum of the slots of a mover. Lists are filled up to fours with slot 0, which holds zero. */
SHOAL_FN v3 gather_slots(global const uint4 *gather, int first, int last, global const real4 *slot)
{
    real4 f = (real4)(0, 0, 0, 0);
    for (int k = first; k < last; ++k) {
        const uint4 s = gather[k];
        f += slot[s.x];
        f += slot[s.y];
        f += slot[s.z];
        f += slot[s.w];
    }
    return from4(f);
}

kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_assemble(
    LARGE_ARGUMENTS SURFACE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    const large_space space = LARGE_SPACE;
    const surface_data surface = SURFACE_SETUP;
    energies own = NO_ENERGIES; /* of the surface */
    const int i = block.y + l, going = LARGE_GOING, method = (int)settings[LARGE_METHOD];
    real4 energy = (real4)(0, 0, 0, 0), step = energy;
    real coulomb = 0, restraint = 0, vdw = 0;
    v3 f = v3_make(0, 0, 0);
    if (going && i < movers) {
        global const int *range = gather_start + t->gather_start + i;
        f = gather_slots(gather + t->gather, range[0], range[1], slots + sys->slot);
    }
    if (going && i < n) {
        global real4 *slot = slots + sys->slot;
        const real4 pairs = slot[t->n_slots + i];
        vdw = pairs.w;
        coulomb = R(0.5) * slot[t->n_slots + 2 * n_particles + i].x;
        f = v3_add(f, from4(pairs));
        if (geo[LARGE_ALPHA] > 0) {
            const real4 w = slot[t->n_slots + n_particles + i];
            coulomb += w.w;
            f = v3_add(f, from4(w));
            f = excluded_forces(&space, f, i, exclude_start + t->exclude_start + i,
                                exclude + t->exclude, wrapped + at, &coulomb);
        }
        ADD_SURFACE(f, &surface, t->atom + i, anchors[at + i] + positions[at + i], &own);
        for (int k = sys->restraint; k < sys->restraint + sys->n_restraints; ++k)
            f = v3_add(f, restraint_force(&space, restraint_atoms[k],
                                          restraints + LARGE_RESTRAINT * k, i, &restraint));
        for (int k = i; k < t->n_sites;
             k += n) { /* energies of sites: those of the one or other atom */
            const real4 e = slot[t->n_slots + 2 * n_particles + n + k];
            coulomb += e.x;
            own.of[ENERGY_SURFACE] += e.y;
        }
        f = v3_scale(anchors[at + i].w, f); /* fixed atoms feel nothing */
    }
    if (going && i < movers) {
        real per = 1; /* of the force that L-BFGS sees */
        if (i >= n) {
            f = direction_tangent(f, from4(positions[at + i]));
            if (method == LARGE_LBFGS) per = wrapped[at + i].w;
        }
        if (method != LARGE_EVAL) f = step_bounded(f);
        forces[at + i] = to4(v3_scale(per, f), 0);
        const real ff = v3_dot(f, f);
        /* Pairs were met twice, and vdW counted 12-fold. */
        energy = (real4)(vdw * R(0.04166666666666666667), coulomb, restraint, ff);
        if (method == LARGE_FIRE) {
            const v3 v = from4(moves[at + i]);
            step = (real4)(ff, v3_dot(v, v), v3_dot(f, v), 0);
        }
        if (method == LARGE_MD) {
            const real open = R(0.5) * settings[LARGE_DT];
            step =
                md_share(f, moves[at + i], stat[LARGE_DRIVER + STEP_STARTED] ? open : R(0.0), open);
        }
    }
    energy = combine(energy, red);
    step = combine(step, red);
    const real4 below = combine((real4)(own.of[ENERGY_SURFACE], 0, 0, 0), red);
    if (l == 0 && going) {
        LARGE_SUM(block.w, LARGE_SUM_SURFACE) = below;
        LARGE_SUM(block.w, LARGE_SUM_ENERGY) = energy;
        LARGE_SUM(block.w, LARGE_SUM_STEP) = step;
    }
}

/* Energies by term; one group per system. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_terms(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    local real4 red[WG];
    global real *out = terms + N_ENERGIES * block.x;
    real e[N_ENERGIES] = {0};
#define ADD_KIND(NAME, name, ENERGY, n_atoms, n_par, n_num, numbers, shape, value, par, units,     \
                 form, t0, b0, t1, b1, t2, b2)                                                     \
    e[ENERGY_##ENERGY] += large_bonded_energy(sys, t, sums, TERM_KIND_##NAME, red);
    TERM_KINDS(ADD_KIND)
#undef ADD_KIND
    const real4 rest = large_sum_blocks(sys, movers, sums, LARGE_SUM_ENERGY, red);
    const real surface = large_sum_blocks(sys, movers, sums, LARGE_SUM_SURFACE, red).x;
    if (l == 0) {
        e[ENERGY_VDW] = rest.x + geo[LARGE_TAIL] + e[ENERGY_VDW];
        e[ENERGY_COULOMB] = rest.y + geo[LARGE_CONSTANT] + e[ENERGY_COULOMB];
        e[ENERGY_SURFACE] = surface;
        e[ENERGY_RESTRAINT] = rest.z;
        for (int k = 0; k < N_ENERGIES; ++k) out[k] = e[k];
    }
}
