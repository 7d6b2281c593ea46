/* SPDX-License-Identifier: BSD-3-Clause
 * Modes as geometries. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "shoal/modes.h"
#include "shoal/units.h"

#define TURN (360 * shoal_unit_value(SHOAL_UNIT_DEGREE))

static shoal_status set_number(shoal_molecule *mol, const char *key, double value)
{
    char text[40];
    (void)snprintf(text, sizeof text, "%.10g", value);
    return shoal_molecule_set_property(mol, key, text);
}

static double longest(const double (*v)[3], int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i)
        most = fmax(most, v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]);
    return sqrt(most);
}

/* The molecule of a frame, a part of the way along a mode: way[n_atoms] times length. */
static shoal_status move(shoal_molecule *mol, const shoal_molecule *from, const double (*way)[3],
                         double length)
{
    const double(*pos)[3] = shoal_molecule_positions(from);
    shoal_status status = SHOAL_OK;
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol) && status == SHOAL_OK; ++i) {
        const double to[3] = {pos[i][0] + length * way[i][0], pos[i][1] + length * way[i][1],
                              pos[i][2] + length * way[i][2]};
        status = shoal_molecule_set_position(mol, i, to);
    }
    return status;
}

static shoal_status put_mode(const shoal_modes_film *film, shoal_molecule *mol, shoal_frame *frame,
                             const shoal_molecule *from, const shoal_modes_result *m, int32_t k,
                             shoal_string *out)
{
    const double(*way)[3] = m->vectors + (ptrdiff_t)k * m->n_atoms;
    const double most = longest(way, m->n_atoms);
    char number[24];
    (void)snprintf(number, sizeof number, "%d", k);
    shoal_status status = shoal_molecule_set_property(mol, "mode", number);
    if (status == SHOAL_OK) status = set_number(mol, "frequency_cm1", m->frequencies[k]);
    if (status == SHOAL_OK) status = set_number(mol, "reduced_mass_amu", m->reduced_masses[k]);
    frame->displacements = film->n_frames > 1 ? NULL : way;
    for (int32_t f = 0; f < film->n_frames && status == SHOAL_OK; ++f) {
        const double part = film->n_frames > 1 ? sin(TURN * f / film->n_frames) : 0;
        status = move(mol, from, way, most > 0 ? part * film->amplitude / most : 0);
        if (status == SHOAL_OK) status = shoal_frame_format(out, SHOAL_FORMAT_XYZ, mol, frame);
    }
    return status;
}

shoal_status shoal_modes_frames(const shoal_modes_result *modes, const shoal_molecule *mol,
                                const shoal_modes_film *film, const shoal_frame *frame,
                                shoal_string *out)
{
    shoal_molecule *moved = NULL;
    shoal_clear_error();
    SHOAL_NEED(modes && mol && film && frame && out);
    shoal_frame own = *frame;
    if (!modes->vectors) return SHOAL_OK;
    shoal_status status = shoal_molecule_create(&moved);
    if (status == SHOAL_OK) status = shoal_molecule_copy(moved, mol);
    for (int32_t k = 0; k < modes->n_modes && status == SHOAL_OK; ++k)
        status = put_mode(film, moved, &own, mol, modes, k, out);
    shoal_molecule_destroy(moved);
    return status;
}
