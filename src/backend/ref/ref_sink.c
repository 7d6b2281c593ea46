/* SPDX-License-Identifier: BSD-3-Clause
 * Reading positions and collecting energies, forces and single interactions. */
#include "backend/ref/ref.h"

v3 ref_position(const ref_system *sys, int32_t i, const int32_t *shift)
{
    const v3 r = v3_from(sys->pos[i]);
    if (!shift || sys->lattice.n_periodic == 0) return r;
    return v3_add(r, ref_lattice_shift(&sys->lattice, shift));
}

shoal_image ref_image(int32_t atom, const int32_t shift[3])
{
    return (shoal_image){atom, {shift[0], shift[1], shift[2]}};
}

void ref_push(ref_sink *sink, int32_t i, v3 force)
{
    if (!sink->forces) return;
    sink->forces[i][0] += force.x;
    sink->forces[i][1] += force.y;
    sink->forces[i][2] += force.z;
}

void ref_strain(ref_sink *sink, v3 d, v3 force)
{
    const double at[3] = {d.x, d.y, d.z}, f[3] = {force.x, force.y, force.z};
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) sink->strain[a][b] -= at[a] * f[b];
}

void ref_push_pair(ref_sink *sink, int32_t i, int32_t j, v3 d, v3 force)
{
    ref_strain(sink, d, force);
    if (i == j) return;
    ref_push(sink, i, v3_scale(-1.0, force));
    ref_push(sink, j, force);
}

void ref_emit(ref_sink *sink, const shoal_term_row *row)
{
    sink->energy += row->energy;
    if (sink->visit) sink->visit(sink->user, row);
}
