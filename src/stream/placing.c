/* SPDX-License-Identifier: BSD-3-Clause
 * Puts a molecule where a placement says, and makes copies of it that differ a little. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "chem/element.h"
#include "chem/molecule.h"
#include "geom/rotation.h"
#include "shoal/placement.h"

#define SHOAL_REAL double
#include "random.h"

static void turn_all(const double m[3][3], shoal_molecule *mol)
{
    double centre[3];
    geom_centre((const double(*)[3])mol->pos, mol->n_atoms, centre);
    for (int32_t i = 0; i < mol->n_atoms; ++i) rotation_turn(m, centre, mol->pos[i]);
}

static shoal_status orient(shoal_orientation how, shoal_molecule *mol)
{
    double axes[3][3], m[3][3];
    double *masses = shoal_alloc((size_t)mol->n_atoms, sizeof *masses);
    if (!masses) return SHOAL_E_MEMORY;
    for (int32_t i = 0; i < mol->n_atoms; ++i) masses[i] = element_get(mol->element[i])->mass;
    geom_principal_axes((const double(*)[3])mol->pos, masses, mol->n_atoms, axes);
    free(masses);
    memcpy(m, axes, sizeof m);
    if (how ==
        SHOAL_ORIENT_UPRIGHT) { /* a turn of the three: largest, middle, smallest to x, -y, z */
        for (int c = 0; c < 3; ++c) {
            m[0][c] = axes[2][c];
            m[1][c] = -axes[1][c];
            m[2][c] = axes[0][c];
        }
    }
    turn_all((const double(*)[3])m, mol);
    return SHOAL_OK;
}

static void move_to(const shoal_placement *p, const shoal_surface *surface, shoal_molecule *mol)
{
    shoal_surface_view v;
    double centre[3], low = INFINITY, by[3] = {0, 0, 0};
    geom_centre((const double(*)[3])mol->pos, mol->n_atoms, centre);
    for (int k = 0; k < 2 && p->has_at; ++k) by[k] = p->at[k] - centre[k];
    if (p->height > 0 && surface) {
        shoal_surface_get(surface, &v);
        for (int32_t i = 0; i < mol->n_atoms; ++i) low = fmin(low, mol->pos[i][2]);
        by[2] = v.top + p->height - low;
    }
    for (int k = 0; k < 3; ++k)
        for (int32_t i = 0; i < mol->n_atoms && by[k] != 0; ++i) mol->pos[i][k] += by[k];
}

shoal_status shoal_placement_apply(const shoal_placement *p, const shoal_surface *surface,
                                   shoal_molecule *mol)
{
    double m[3][3];
    shoal_clear_error();
    SHOAL_NEED(p && mol);
    const bool turns = p->rotate[0] != 0 || p->rotate[1] != 0 || p->rotate[2] != 0;
    if (mol->n_atoms == 0) return SHOAL_OK;
    if ((turns || p->orient != SHOAL_ORIENT_AS_IS) && shoal_molecule_is_periodic(mol))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "it is periodic and cannot be rotated, as rotate and orient require");
    if (p->orient != SHOAL_ORIENT_AS_IS) SHOAL_TRY(orient(p->orient, mol));
    if (turns) {
        rotation_by_degrees(p->rotate, m);
        turn_all((const double(*)[3])m, mol);
    }
    move_to(p, surface, mol);
    return SHOAL_OK;
}

shoal_status shoal_molecule_add_surface(shoal_molecule *mol, const shoal_surface *surface,
                                        const double c[3])
{
    shoal_surface_view v;
    static const bool pbc[3] = {true, true, false};
    shoal_clear_error();
    SHOAL_NEED(mol && surface && c);
    shoal_surface_get(surface, &v);
    const double cell[3][3] = {
        {v.cell[0][0], v.cell[0][1], 0}, {v.cell[1][0], v.cell[1][1], 0}, {c[0], c[1], c[2]}};
    for (int32_t i = 0; i < v.n_atoms; ++i) {
        SHOAL_TRY(shoal_molecule_add_atom(mol, v.elements[i], v.pos[i]));
        if (v.charges[i] != 0)
            SHOAL_TRY(shoal_molecule_set_charge(mol, mol->n_atoms - 1, v.charges[i]));
    }
    return shoal_molecule_set_cell(mol, cell, pbc);
}

/* --- copies -------------------------------------------------------------------------------------- */

shoal_status shoal_jitter_move(const shoal_jitter *jitter, int64_t record, int64_t copy,
                               int32_t n_atoms, double (*pos)[3])
{
    shoal_clear_error();
    SHOAL_NEED(jitter && pos);
    if (copy == 0 || !(jitter->distance > 0)) return SHOAL_OK;
    for (int32_t i = 0; i < n_atoms; ++i) {
        const random_words counter = {
            {(uint32_t)i, (uint32_t)copy, (uint32_t)record, (uint32_t)((uint64_t)record >> 32)}};
        const random_words w = random_make(counter, (uint32_t)jitter->seed,
                                           (uint32_t)(jitter->seed >> 32) + RANDOM_JITTER);
        for (int k = 0; k < 3; ++k)
            pos[i][k] += jitter->distance * (2 * (double)random_uniform(w.w[k]) - 1);
    }
    return SHOAL_OK;
}

static shoal_status make_copy(void *user, const shoal_stream_system *system,
                              const shoal_stream_system *earlier, int32_t n_earlier,
                              double (*pos)[3], shoal_restraint *restraints)
{
    const shoal_jitter *jitter = user;
    shoal_surface_view v;
    (void)earlier;
    (void)n_earlier;
    (void)restraints;
    if (system->mol->n_atoms == 0) return SHOAL_OK;
    shoal_surface_get(jitter->movable, &v);
    return shoal_jitter_move(jitter, (system->index - system->variant) / jitter->n_copies,
                             system->variant, system->mol->n_atoms - v.n_atoms, pos);
}

shoal_status shoal_jitter_variants(const shoal_jitter *jitter, shoal_variants *out)
{
    shoal_clear_error();
    SHOAL_NEED(jitter && out);
    if (jitter->n_copies < 1 || !(jitter->distance >= 0))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "%lld copies that differ by %g angstrom: expected 1 or more, and no less "
                          "than 0 angstrom",
                          (long long)jitter->n_copies, jitter->distance);
    *out = (shoal_variants){
        .n = jitter->n_copies, .make = make_copy, .user = (void *)(uintptr_t)jitter};
    return SHOAL_OK;
}
