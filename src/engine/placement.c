/* SPDX-License-Identifier: BSD-3-Clause
 * Whether a system may stand on the surface of an engine. */
#include "engine/placement.h"

#include <math.h>
#include <string.h>

#include "backend/system_check.h"
#include "ff/auxiliary.h"
#include "surf/grid.h"
#include "surf/grid_lattice.h"

/* How far a periodic vector may be from a lattice vector of the surface, angstrom. */
#define COMMENSURATE 1e-3

static bool surface_is_on(const shoal_engine_options *options)
{
    return options->surface && !(options->terms_off >> SHOAL_TERM_SURFACE & 1u);
}

/* The periodic vector that is no vector of the lattice, -1 if all are. */
static int find_misfit(const backend_system *system, const double c[2][2])
{
    const double det = c[0][0] * c[1][1] - c[0][1] * c[1][0];
    for (int k = 0; k < 3; ++k) {
        if (!system->view.pbc[k]) continue;
        const double *a = system->cell[k];
        const double m = round((a[0] * c[1][1] - a[1] * c[1][0]) / det);
        const double n = round((a[1] * c[0][0] - a[0] * c[0][1]) / det);
        const double x = a[0] - m * c[0][0] - n * c[1][0], y = a[1] - m * c[0][1] - n * c[1][1];
        if (!(hypot(hypot(x, y), a[2]) <= COMMENSURATE)) return k;
    }
    return -1;
}

/* A search of the smallest period takes long on some surfaces, and few systems need it. */
shoal_status placement_lattice(const backend_system *systems, int32_t n_systems,
                               const shoal_engine_options *options, double lattice[2][2])
{
    shoal_surface_view v;
    int32_t cells;
    if (!surface_is_on(options)) return SHOAL_OK;
    shoal_surface_get(options->surface, &v);
    memcpy(lattice, v.cell, sizeof v.cell);
    for (int32_t i = 0; i < n_systems; ++i)
        if (!systems[i].skip && find_misfit(&systems[i], (const double(*)[2])lattice) >= 0)
            return grid_period_find(options->surface, lattice, &cells);
    return SHOAL_OK;
}

static int32_t find_far(const double (*pos)[3], int32_t n)
{
    for (int32_t i = 0; i < n; ++i)
        for (int k = 0; k < 3; ++k)
            if (!(fabs(pos[i][k]) <= SYSTEM_FAR)) return i;
    return -1;
}

static int32_t find_below(const double (*pos)[3], int32_t n, double floor_z)
{
    for (int32_t i = 0; i < n; ++i)
        if (pos[i][2] < floor_z) return i;
    return -1;
}

void placement_check(const backend_system *system, const shoal_engine_options *options,
                     const double lattice[2][2], backend_result *result)
{
    const double(*pos)[3] = (const double(*)[3])result->pos;
    if (!surface_is_on(options)) return;
    const int32_t n = system->view.n_atoms, n_movers = mover_count(&system->view);
    shoal_surface_view v;
    shoal_surface_get(options->surface, &v);
    const int misfit = find_misfit(system, lattice);
    const char *stranger = surface_pairs_misfit(options->surface, &system->view);
    const int32_t below = find_below(pos, n, v.floor), far = find_far(pos, n);
    const int32_t outside = options->grid ? grid_find_outside(options->grid, pos, n) : -1;
    const int32_t at = far >= 0 ? far : below >= 0 ? below : outside;
    char name[SYSTEM_NAME_SIZE] = "";
    if (at >= 0) system_name_mover(&system->view, at, name);
    if (stranger)
        shoal_backend_reject(result, n_movers, SHOAL_SYSTEM_UNTYPED, "%s", stranger);
    else if (misfit >= 0)
        shoal_backend_reject(result, n_movers, SHOAL_SYSTEM_UNTYPED,
                             "the cell vector %c is no lattice vector of the surface",
                             'a' + misfit);
    else if (far >= 0)
        shoal_backend_reject(result, n_movers, SHOAL_SYSTEM_NOT_FINITE,
                             "%s is more than %g angstrom away from the origin", name, SYSTEM_FAR);
    else if (below >= 0)
        shoal_backend_reject(result, n_movers, SHOAL_SYSTEM_BELOW_SURFACE,
                             "%s at z = %.3f is below the surface, whose lowest terrace is at "
                             "z = %.3f",
                             name, pos[below][2], v.floor);
    else if (outside >= 0)
        shoal_backend_reject(result, n_movers, SHOAL_SYSTEM_OUT_OF_GRID,
                             "%s at z = %.3f is below the bottom of the grid", name,
                             pos[outside][2]);
}
