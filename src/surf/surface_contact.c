/* SPDX-License-Identifier: BSD-3-Clause
 * Contacts with a substrate that no force field means. */
#include <math.h>

#include "chem/element.h"
#include "surf/surface_sum.h"

/* Molecules are not bound to a substrate. Chemical bonds are shorter than 0.8 times the sum of covalent radii
 * only between a few light atoms, hydrogen bonds shorter than 1.2 angstrom (F..H..F has 1.14) hardly ever. */
#define COVALENT 0.8
#define CLOSEST 1.2 /* angstrom */
#define WIDEST 2.6  /* angstrom, radius of the largest atom (Fr), in the table of elements */

static double sane(int32_t x, int32_t y)
{
    return fmax(CLOSEST, COVALENT * (element_get(x)->radius + element_get(y)->radius));
}

static double widest(int32_t z)
{
    return fmax(CLOSEST, COVALENT * (element_get(z)->radius + WIDEST));
}

/* Goes through the sites of one row of bins. */
static void look_at_row(const shoal_surface *s, const double r[3], int32_t z, int32_t row,
                        int32_t *found, double *nearest)
{
    const surface_sum *sum = s->sum;
    const double reach = widest(z);
    const int32_t *start = sum->bin_start + row * sum->n_bins[0];
    const int32_t end = start[surface_sum_bin(sum, 0, r[0] + reach) + 1];
    for (int32_t k = start[surface_sum_bin(sum, 0, r[0] - reach)]; k < end; ++k) {
        const double *site = sum->sites[k];
        const double dx = r[0] - site[SITE_X], dy = r[1] - site[SITE_Y], dz = r[2] - site[SITE_Z];
        const double d = sqrt(dx * dx + dy * dy + dz * dz);
        if (d >= *nearest || d >= sane(z, s->view.elements[sum->site_atoms[k]])) continue;
        *nearest = d;
        *found = sum->site_atoms[k];
    }
}

int32_t surface_contact(const shoal_surface *surface, const double r[3], int32_t z,
                        double *distance)
{
    const surface_sum *sum = surface->sum;
    const double reach = widest(z);
    int32_t found = -1;
    *distance = INFINITY;
    if (r[2] > surface->view.top + reach) return -1;
    double at[3] = {r[0], r[1], r[2]};
    surface_sum_wrap(sum, &at[0], &at[1]);
    const int32_t last = surface_sum_bin(sum, 1, at[1] + reach);
    for (int32_t row = surface_sum_bin(sum, 1, at[1] - reach); row <= last; ++row)
        look_at_row(surface, at, z, row, &found, distance);
    return found;
}
