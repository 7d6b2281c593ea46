/* SPDX-License-Identifier: BSD-3-Clause
 * Translations and rotations of a system as a whole, as far as nothing holds it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "batch/batch.h"
#include "engine/modes.h"
#include "geom/eigen.h"
#include "geom/vector.h"

/* A molecule is linear whose atoms are all so close to its axis, angstrom: no bond angle is that flat by chance, and
 * residual forces bend less. */
#define ON_AXIS 0.01

static bool is_held(const modes_system *s)
{
    if (s->on_surface || s->n_free < s->n_atoms) return true;
    for (int32_t k = 0; k < s->system.n_restraints; ++k)
        if (restraint_is_place(s->system.restraints[k].kind) && s->system.restraints[k].k > 0)
            return true;
    return false;
}

static int count_periodic(const modes_system *s, int *direction)
{
    shoal_topology_view v;
    int n = 0;
    shoal_topology_get(s->system.topology, &v);
    for (int k = 0; k < 3; ++k) {
        if (!v.pbc[k]) continue;
        *direction = k;
        ++n;
    }
    return n;
}

static void find_centre(const modes_system *s, double centre[3])
{
    double mass = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        mass += s->masses[i];
        for (int k = 0; k < 3; ++k) centre[k] += s->masses[i] * s->system.pos[i][k];
    }
    for (int k = 0; k < 3; ++k) centre[k] /= mass;
}

/* Moments, ascending, and the axes they belong to as rows. */
static bool find_axes(const modes_system *s, const double centre[3], double moments[3],
                      double axes[3][3])
{
    double work[3];
    memset(axes, 0, 9 * sizeof axes[0][0]);
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        double d[3];
        for (int k = 0; k < 3; ++k) d[k] = s->system.pos[i][k] - centre[k];
        const double r2 = vector_dot(d, d);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                axes[k][l] += s->masses[i] * ((k == l ? r2 : 0) - d[k] * d[l]);
    }
    return eigen_symmetric(3, axes[0], moments, work);
}

/* The way that an atom goes when all turn about an axis through the centre. */
static void turn(const modes_system *s, int32_t atom, const double centre[3], const double axis[3],
                 double out[3])
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = axis[i] * (s->system.pos[atom][j] - centre[j]) -
                 axis[j] * (s->system.pos[atom][i] - centre[i]);
    }
}

static double farthest_from(const modes_system *s, const double centre[3], const double axis[3])
{
    double far = 0, d[3];
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        turn(s, i, centre, axis, d);
        far = fmax(far, vector_norm(d));
    }
    return far;
}

/* Makes a motion orthonormal to those before it and keeps it. */
static void keep(modes_rigid *out, int32_t size)
{
    double *v = out->vectors + (size_t)out->n * (size_t)size;
    for (int32_t k = 0; k <= out->n; ++k) {
        double *u = out->vectors + (size_t)k * (size_t)size, product = 0;
        for (int32_t i = 0; i < size; ++i) product += u[i] * v[i];
        for (int32_t i = 0; i < size; ++i)
            v[i] = k < out->n ? v[i] - product * u[i] : v[i] / sqrt(product);
    }
    ++out->n;
}

static void add_translation(const modes_system *s, int direction, modes_rigid *out)
{
    double *v = out->vectors + (size_t)out->n * 3 * (size_t)s->n_atoms;
    for (int32_t i = 0; i < s->n_atoms; ++i) v[3 * i + direction] = sqrt(s->masses[i]);
    keep(out, 3 * s->n_atoms);
}

static void add_rotation(const modes_system *s, const double centre[3], const double axis[3],
                         modes_rigid *out)
{
    double *v = out->vectors + (size_t)out->n * 3 * (size_t)s->n_atoms;
    if (farthest_from(s, centre, axis) < ON_AXIS) return;
    for (int32_t i = 0; i < s->n_atoms; ++i) {
        turn(s, i, centre, axis, v + 3 * (size_t)i);
        for (int k = 0; k < 3; ++k) v[3 * i + k] *= sqrt(s->masses[i]);
    }
    keep(out, 3 * s->n_atoms);
}

shoal_status modes_rigid_find(const modes_system *s, modes_rigid *out)
{
    double centre[3], axes[3][3];
    int direction = 0;
    const int n_periodic = count_periodic(s, &direction);
    *out = (modes_rigid){0};
    if (is_held(s)) return SHOAL_OK;
    out->vectors = shoal_alloc(6 * 3 * (size_t)s->n_atoms, sizeof *out->vectors);
    if (!out->vectors) return SHOAL_E_MEMORY;
    find_centre(s, centre);
    if (!find_axes(s, centre, out->moments, axes))
        return shoal_fail(SHOAL_E_ARGUMENT, "modes: coordinates that are not finite");
    for (int k = 0; k < 3; ++k) add_translation(s, k, out);
    if (n_periodic == 1) {
        double axis[3], length = 0;
        for (int k = 0; k < 3; ++k)
            length += s->system.cell[direction][k] * s->system.cell[direction][k];
        for (int k = 0; k < 3; ++k) axis[k] = s->system.cell[direction][k] / sqrt(length);
        add_rotation(s, centre, axis, out);
    }
    for (int k = 0; k < 3 && n_periodic == 0; ++k) add_rotation(s, centre, axes[k], out);
    out->linear = n_periodic == 0 && out->n == 5;
    return SHOAL_OK;
}
