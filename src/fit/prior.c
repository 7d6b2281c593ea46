/* SPDX-License-Identifier: BSD-3-Clause
 * The pull of alike DOFs to each other: finer types to the mean of their family, families of one element to theirs, small
 * charges to zero. */
#include <string.h>

#include "fit/families.h"

/* Spread of families of one element about their mean that is expected, scaled: 0.45 A, 0.08 sqrt(eV), 0.09. Charges
 * of atoms and distances of sites have none in common. */
static const double pool_width[FIT_N_COMPS] = {[FIT_R] = 4.5, [FIT_Y] = 8.0, [FIT_H] = 0.45};
/* Charges of sites: 0.025 e about the mean of alike ones; they about zero: 0.1 e, increments: 0.07 e. */
static const double site_width = 0.25, site_size = 1.0, increment_size = 0.7;
/* Spread of the members of a family about its mean: 0.3 A, 0.06 sqrt(eV), 0.02, 0.02 e. */
static const double family_width[FIT_N_COMPS] = {
    [FIT_R] = 3.0, [FIT_Y] = 6.0, [FIT_Q] = 0.2, [FIT_H] = 0.1};

static double stiffness(const fit_objective *o, double width)
{
    return width > 0.0 ? o->pool / (width * width) : 0.0;
}

/* Means of all families of signed variables, and how many members they have. */
static void find_means(const fit_objective *o, const double *u)
{
    const shoal_fit *fit = o->fit;
    memset(o->family_mean, 0, (size_t)fit->n_families * sizeof *o->family_mean);
    memset(o->family_size, 0, (size_t)fit->n_families * sizeof *o->family_size);
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
        if (dof->family < 0) continue;
        o->family_mean[dof->family] += dof->sign * u[i];
        o->family_size[dof->family]++;
    }
    for (int32_t f = 0; f < fit->n_families; ++f) o->family_mean[f] /= o->family_size[f];
}

/* Mean of the families of a group and how many they are; *first is one of its DOFs. */
static double group_mean(const fit_objective *o, int32_t group, double *count,
                         const fit_dof **first)
{
    const shoal_fit *fit = o->fit;
    double sum = 0.0;
    int32_t seen = -1;
    *count = 0.0;
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
        if (dof->group != group || dof->family <= seen)
            continue; /* families rise with their first members */
        seen = dof->family;
        sum += o->family_mean[dof->family];
        *count += 1.0;
        *first = dof;
    }
    return *count > 0.0 ? sum / *count : 0.0;
}

/* Curvature between DOFs i and k of families f and e: own of one DOF, kin of the same family, alike of the same group. */
static void add_curvature(const fit_objective *o, double *a, int32_t i, double kin, double alike)
{
    const shoal_fit *fit = o->fit;
    const fit_dof *x = &fit->dofs[fit->free_dofs[i]];
    for (int32_t m = 0; m < o->n; ++m) {
        const fit_dof *y = &fit->dofs[fit->free_dofs[m]];
        double c = 0.0;
        if (y->family == x->family) c += kin;
        if (y->group >= 0 && y->group == x->group) c += alike / o->family_size[y->family];
        a[i * o->n + m] += x->sign * y->sign * c;
    }
}

/* How far a charge that is small is from zero; 0 for others, which are drawn to none. */
static double size_of(const fit_objective *o, const fit_dof *dof)
{
    if (!dof->small) return 0.0;
    return o->fit->site_host[dof->type] >= 0 ? site_size : increment_size;
}

/* Members to the mean of their family, and the mean of a family of small charges to zero. */
static double pull_families(const fit_objective *o, const double *u, double *g, double *a)
{
    const shoal_fit *fit = o->fit;
    double sum = 0.0;
    for (int32_t i = 0; i < o->n; ++i) {
        const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
        if (dof->family < 0) continue;
        const double n = o->family_size[dof->family], mean = o->family_mean[dof->family];
        const double d = dof->sign * u[i] - mean;
        const double k = n > 1.0 ? stiffness(o, family_width[dof->comp]) : 0.0;
        const double zero = stiffness(o, size_of(o, dof));
        sum += 0.5 * (k * d * d + zero * mean * mean / n);
        g[i] += dof->sign * (k * d + zero * mean / n);
        if (!a) continue;
        a[i * o->n + i] += k;
        if (k > 0.0 || zero > 0.0) add_curvature(o, a, i, zero / (n * n) - k / n, 0.0);
    }
    return sum;
}

double objective_pool(const fit_objective *o, const double *u, double *g, double *a)
{
    const shoal_fit *fit = o->fit;
    if (!(o->pool > 0.0)) return 0.0;
    find_means(o, u);
    double sum = pull_families(o, u, g, a);
    for (int32_t group = 0; group < fit->n_groups; ++group) {
        const fit_dof *one = NULL;
        double count;
        const double mean = group_mean(o, group, &count, &one);
        const double k = one ? stiffness(o, one->small ? site_width : pool_width[one->comp]) : 0.0;
        for (int32_t i = 0; i < o->n && k > 0.0; ++i) {
            const fit_dof *dof = &fit->dofs[fit->free_dofs[i]];
            if (dof->group != group) continue;
            const double n = o->family_size[dof->family], d = o->family_mean[dof->family] - mean;
            sum += 0.5 * k * d * d / n;
            g[i] += dof->sign * k * d / n;
            if (a) add_curvature(o, a, i, k / (n * n), -k / (n * count));
        }
    }
    return sum;
}
