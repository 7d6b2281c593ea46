/* SPDX-License-Identifier: BSD-3-Clause
 * What strain does to sums over the volume, to k-vectors and to restraints. */
#include "backend/strain.h"

#include <math.h>

#include "backend/vdw_tail.h"
#include "geom/ewald.h"
#include "geom/vector.h"

#define SHOAL_REAL double
#include "restraint_terms.h"

#include "constants.h"

void strain_add_volume(const backend_system *system, const shoal_engine_options *options,
                       const geom_lattice *lattice, double alpha, double damping, double out[6])
{
    const shoal_topology_view *v = &system->view;
    if (lattice->n_periodic != 3) return;
    double charge = 0, energy = vdw_tail(v, options, lattice->measure);
    for (int32_t i = 0; i < v->n_atoms + v->n_sites && alpha > 0; ++i) charge += v->charges[i];
    if (alpha > 0)
        energy -= 0.5 * COULOMB_CONSTANT * charge * charge * ewald_mean_erfc(alpha, damping) /
                  lattice->measure;
    for (int c = 0; c < 3; ++c) out[c] -= energy;
}

void strain_add_kvec(const double k[3], double energy, double slope, double out[6])
{
    for (int c = 0; c < 3; ++c) out[c] -= energy;
    strain_add(out, -2 * slope, k, k);
}

static v3 between(const double (*pos)[3], int32_t from, int32_t to)
{
    return v3_make(pos[to][0] - pos[from][0], pos[to][1] - pos[from][1], pos[to][2] - pos[from][2]);
}

static void add_force(double out[6], v3 d, v3 f)
{
    const double at[3] = {d.x, d.y, d.z}, force[3] = {f.x, f.y, f.z};
    strain_add(out, -1, at, force);
}

static void add_restraint(const shoal_restraint *r, const double (*pos)[3], double out[6])
{
    const int32_t *at = r->atoms;
    v3 fi, fj, fk, fl;
    if (r->kind == SHOAL_RESTRAINT_DISTANCE) {
        const v3 d = between(pos, at[1], at[0]);
        (void)restraint_distance(r->k, r->value, d, &fi);
        add_force(out, d, fi);
    } else if (r->kind == SHOAL_RESTRAINT_ANGLE) {
        const v3 a = between(pos, at[1], at[0]), b = between(pos, at[1], at[2]);
        (void)restraint_angle(r->k, r->value, a, b, &fi, &fk);
        add_force(out, a, fi);
        add_force(out, b, fk);
    } else if (r->kind == SHOAL_RESTRAINT_TORSION) {
        const v3 a = between(pos, at[1], at[0]), b = between(pos, at[1], at[2]);
        const v3 c = between(pos, at[2], at[3]);
        (void)restraint_torsion(r->k, cos(r->value), sin(r->value), a, b, c, &fi, &fj, &fk, &fl);
        add_force(out, a, fi);
        add_force(out, b, v3_add(fk, fl));
        add_force(out, c, fl);
    }
}

void strain_add_restraints(const backend_system *system, const double (*pos)[3],
                           const shoal_engine_options *options, double out[6])
{
    if (options->terms_off >> SHOAL_TERM_RESTRAINT & 1) return;
    for (int32_t i = 0; i < system->n_restraints; ++i)
        add_restraint(&system->restraints[i], pos, out);
}
