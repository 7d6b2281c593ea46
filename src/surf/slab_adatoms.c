/* SPDX-License-Identifier: BSD-3-Clause
 * Atoms on slabs: where they were asked for, or where covalent radii let them down. */
#include <math.h>

#include "base/error.h"
#include "chem/element.h"
#include "surf/slab.h"

#define LONGEST 6.0 /* angstrom: no two covalent radii add up to more */

/* How high an atom at (x, y) comes to lie on the others and their images: where it first has the sum of the
 * radii from one. -INFINITY where there is none. */
static double resting_height(const shoal_molecule *mol, int32_t z, const double at[2])
{
    const double(*pos)[3] = shoal_molecule_positions(mol);
    const int32_t *elements = shoal_molecule_elements(mol);
    double cell[3][3], best = -INFINITY;
    bool pbc[3];
    shoal_molecule_cell(mol, cell, pbc);
    const double width = fabs(cell[1][1]) / hypot(cell[1][0], cell[1][1]);
    const int32_t m_max = 2 + (int32_t)(LONGEST / (cell[0][0] * width));
    const int32_t n_max = 2 + (int32_t)(LONGEST / fabs(cell[1][1]));
    for (int32_t i = 0; i < shoal_molecule_n_atoms(mol); ++i)
        for (int32_t m = -m_max; m <= m_max; ++m)
            for (int32_t n = -n_max; n <= n_max; ++n) {
                const double x = pos[i][0] + m * cell[0][0] + n * cell[1][0] - at[0];
                const double y = pos[i][1] + n * cell[1][1] - at[1];
                const double sum = element_get(z)->radius + element_get(elements[i])->radius;
                const double rest = sum * sum - x * x - y * y;
                if (rest > 0.0) best = fmax(best, pos[i][2] + sqrt(rest));
            }
    return best;
}

static shoal_status add(shoal_molecule *mol, const slab_plan *p, const int32_t size[2],
                        const shoal_adatom *a)
{
    const double u = a->at[0] - size[0] * floor(a->at[0] / size[0]);
    const double v = a->at[1] - size[1] * floor(a->at[1] / size[1]);
    double pos[3] = {p->edge * (u + v * p->b[0]), p->edge * v * p->b[1], a->height};
    if (a->z < 1 || a->z > 118)
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: element %d of an adatom, expected 1 to 118",
                          a->z);
    if (!isfinite(u) || !isfinite(v) || !isfinite(a->height) || !isfinite(a->charge))
        return shoal_fail(SHOAL_E_ARGUMENT, "slab: the place of an adatom is not finite");
    if (a->height == 0.0) pos[2] = resting_height(mol, a->z, pos);
    if (!isfinite(pos[2]))
        return shoal_fail(SHOAL_E_ARGUMENT,
                          "slab: nothing is below the adatom %s at %g, %g; give it a height",
                          shoal_element_symbol(a->z), u, v);
    SHOAL_TRY(shoal_molecule_add_atom(mol, a->z, pos));
    if (a->charge == 0.0) return SHOAL_OK;
    return shoal_molecule_set_charge(mol, shoal_molecule_n_atoms(mol) - 1, a->charge);
}

shoal_status slab_add_adatoms(shoal_molecule *mol, const slab_plan *plan,
                              const shoal_slab_options *o)
{
    for (int32_t k = 0; k < o->n_adatoms; ++k) SHOAL_TRY(add(mol, plan, o->size, &o->adatoms[k]));
    return SHOAL_OK;
}
