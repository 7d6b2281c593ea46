/* SPDX-License-Identifier: BSD-3-Clause
 * Harmonic restraints. The force of an angle at 0 or 180 degrees has no direction and is zero; the
 * torsion restraint is multiplied by the switches of torsions. Places that atoms are held at know nothing of strain. */
#include "backend/ref/ref.h"

#include "batch/batch.h"
#include "constants.h"

#define STRAIGHT 1e-12 /* sine of an angle without a plane */

static v3 atom_at(const ref_system *sys, const shoal_restraint *r, int k)
{
    return ref_position(sys, r->atoms[k], NULL);
}

static double add_position(const ref_system *sys, const shoal_restraint *r, ref_sink *sink,
                           double *value)
{
    v3 d = v3_sub(atom_at(sys, r, 0), v3_from(r->target));
    const int free = (int)r->value;
    if (free & SHOAL_FREE_X) d.x = 0;
    if (free & SHOAL_FREE_Y) d.y = 0;
    if (free & SHOAL_FREE_Z) d.z = 0;
    ref_push(sink, r->atoms[0], v3_scale(-r->k, d));
    *value = v3_length(d);
    return 0.5 * r->k * v3_dot(d, d);
}

static double add_centre(const ref_system *sys, const shoal_restraint *r, ref_sink *sink,
                         double *value)
{
    const int n = r->atoms[1] - r->atoms[0] + 1, free = (int)r->value;
    v3 centre = {0, 0, 0};
    for (int32_t i = r->atoms[0]; i <= r->atoms[1]; ++i)
        centre = v3_add(centre, v3_scale(1.0 / n, ref_position(sys, i, NULL)));
    v3 d = v3_sub(centre, v3_from(r->target));
    if (free & SHOAL_FREE_X) d.x = 0;
    if (free & SHOAL_FREE_Y) d.y = 0;
    if (free & SHOAL_FREE_Z) d.z = 0;
    for (int32_t i = r->atoms[0]; i <= r->atoms[1]; ++i) ref_push(sink, i, v3_scale(-r->k / n, d));
    *value = v3_length(d);
    return 0.5 * r->k * v3_dot(d, d);
}

static double add_distance(const ref_system *sys, const shoal_restraint *r, ref_sink *sink,
                           double *value)
{
    const v3 d = v3_sub(atom_at(sys, r, 1), atom_at(sys, r, 0));
    const double length = v3_length(d), s = length - r->value;
    if (!(length < REF_COINCIDENT))
        ref_push_pair(sink, r->atoms[0], r->atoms[1], d, v3_scale(-r->k * s / length, d));
    *value = length;
    return 0.5 * r->k * s * s;
}

static double add_angle(const ref_system *sys, const shoal_restraint *r, ref_sink *sink,
                        double *value)
{
    const v3 u = v3_sub(atom_at(sys, r, 0), atom_at(sys, r, 1));
    const v3 v = v3_sub(atom_at(sys, r, 2), atom_at(sys, r, 1));
    v3 grad_u, grad_v;
    (void)ref_cosine(u, v, &grad_u, &grad_v);
    const double sine = v3_length(v3_cross(u, v)) / (v3_length(u) * v3_length(v));
    const double theta = atan2(v3_length(v3_cross(u, v)), v3_dot(u, v)), s = theta - r->value;
    if (isfinite(sine) && sine > STRAIGHT) { /* d theta = -d cos / sin */
        const double slope = -r->k * s / sine;
        ref_push_pair(sink, r->atoms[1], r->atoms[0], u, v3_scale(-slope, grad_u));
        ref_push_pair(sink, r->atoms[1], r->atoms[2], v, v3_scale(-slope, grad_v));
    }
    *value = DEGREES * theta;
    return 0.5 * r->k * s * s;
}

static double add_torsion(const ref_system *sys, const shoal_restraint *r, ref_sink *sink,
                          double *value)
{
    const v3 rj = atom_at(sys, r, 1), rk = atom_at(sys, r, 2);
    ref_torsion t = {.f = v3_sub(atom_at(sys, r, 0), rj),
                     .g = v3_sub(rj, rk),
                     .h = v3_sub(atom_at(sys, r, 3), rk)};
    v3 grad_f, grad_g, grad_h, grad_g2;
    const double s1 = ref_bend_switch(t.f, t.g, &grad_f, &grad_g);
    const double s2 = ref_bend_switch(t.h, t.g, &grad_h, &grad_g2);
    *value = 0.0;
    if (s1 == 0.0 || s2 == 0.0) return 0.0;
    ref_torsion_measure(&t);
    const double turn = 2.0 * acos(-1.0), away = t.phi - r->value;
    const double s = away - turn * round(away / turn), plain = 0.5 * r->k * s * s;
    const double slope = r->k * s * s1 * s2;
    const v3 by_f = v3_scale(plain * s2, grad_f), by_h = v3_scale(plain * s1, grad_h);
    const v3 by_g = v3_add(v3_scale(plain * s2, grad_g), v3_scale(plain * s1, grad_g2));
    const v3 fi = v3_scale(-1.0, v3_add(v3_scale(slope, t.grad_i), by_f));
    const v3 fj = v3_scale(-1.0, v3_add(v3_scale(slope, t.grad_j), v3_sub(by_g, by_f)));
    const v3 fl = v3_scale(-1.0, v3_add(v3_scale(slope, t.grad_l), by_h));
    ref_push(sink, r->atoms[0], fi);
    ref_push(sink, r->atoms[1], fj);
    ref_push(sink, r->atoms[2], v3_scale(-1.0, v3_add(v3_add(fi, fj), fl)));
    ref_push(sink, r->atoms[3], fl);
    ref_strain(sink, t.f, fi);
    ref_strain(sink, t.g, v3_add(v3_add(fi, fj), fl)); /* k is at -g from j */
    ref_strain(sink, v3_sub(t.h, t.g), fl);
    *value = DEGREES * t.phi;
    return plain * s1 * s2;
}

typedef double restraint_sum(const ref_system *sys, const shoal_restraint *r, ref_sink *sink,
                             double *value);

void ref_restraints(const ref_system *sys, ref_sink *sink)
{
    static restraint_sum *const sums[] = {
        [SHOAL_RESTRAINT_POSITION] = add_position, [SHOAL_RESTRAINT_DISTANCE] = add_distance,
        [SHOAL_RESTRAINT_ANGLE] = add_angle,       [SHOAL_RESTRAINT_TORSION] = add_torsion,
        [SHOAL_RESTRAINT_CENTRE] = add_centre,
    };
    for (int32_t i = 0; i < sys->n_restraints; ++i) {
        const shoal_restraint *r = &sys->restraints[i];
        const bool is_angle =
            r->kind == SHOAL_RESTRAINT_ANGLE || r->kind == SHOAL_RESTRAINT_TORSION;
        shoal_term_row row = {.term = SHOAL_TERM_RESTRAINT,
                              .kind = -1,
                              .index = i,
                              .n_atoms = restraint_n_atoms(r->kind),
                              .parameters = {r->k, is_angle ? DEGREES * r->value : r->value}};
        for (int k = 0; k < row.n_atoms; ++k) row.atoms[k].atom = r->atoms[k];
        row.energy = sums[r->kind](sys, r, sink, &row.value);
        ref_emit(sink, &row);
    }
}
