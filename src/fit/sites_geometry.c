/* SPDX-License-Identifier: BSD-3-Clause
 * Directions of lone pairs and sigma holes. h are unit vectors from an atom to its neighbours; a
 * direction that the geometry does not define is never drawn at random. */
#include "fit/sites.h"

/* Sines below this count as straight or flat. */
static const double flat = 0.1;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Makes a unit vector; false if it is shorter than least. */
static bool normalize(double v[3], double least)
{
    const double length = sqrt(dot(v, v));
    if (!(length > least)) return false;
    for (int k = 0; k < 3; ++k) v[k] /= length;
    return true;
}

static void unit_between(const sites_fragment *f, int32_t from, int32_t to, double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = f->pos[to][k] - f->pos[from][k];
    (void)normalize(out, 0.0);
}

/* x a + y b + z c. */
static void combine(double x, const double a[3], double y, const double b[3], double z,
                    const double c[3], double out[3])
{
    for (int k = 0; k < 3; ++k) out[k] = x * a[k] + y * b[k] + z * c[k];
}

/* Three bonds: behind the plane of their ends. A planar centre prefers neither side: no site. */
static int32_t behind_three(double h[][3], double out[][3])
{
    double a[3], b[3], sum[3], normal[3];
    combine(1.0, h[1], -1.0, h[0], 0.0, h[0], a);
    combine(1.0, h[2], -1.0, h[0], 0.0, h[0], b);
    combine(1.0, h[0], 1.0, h[1], 1.0, h[2], sum);
    cross(a, b, normal);
    if (!normalize(normal, 1e-6)) return 0;
    const double side = dot(normal, sum);
    if (fabs(side) < 3.0 * flat) return 0;
    combine(side > 0.0 ? -1.0 : 1.0, normal, 0.0, normal, 0.0, normal, out[0]);
    return 1;
}

/* Two bonds: on their outer bisector, or two above and below their plane at the tetrahedron's
 * angle. */
static int32_t behind_two(double h[][3], bool both, double out[][3])
{
    double c[3], b[3];
    combine(-1.0, h[0], -1.0, h[1], 0.0, h[0], c);
    cross(h[0], h[1], b);
    if (!normalize(c, flat) || !normalize(b, flat)) return 0;
    if (!both) {
        combine(1.0, c, 0.0, c, 0.0, c, out[0]);
        return 1;
    }
    combine(sqrt(1.0 / 3.0), c, sqrt(2.0 / 3.0), b, 0.0, c, out[0]);
    combine(sqrt(1.0 / 3.0), c, -sqrt(2.0 / 3.0), b, 0.0, c, out[1]);
    return 2;
}

/* The first bond along a chain of neighbours, away from the atom, that is not in line with h.
 * With two other bonds at the neighbour, their difference, which is in the plane of a flat one. */
static bool find_side(const sites_fragment *f, int32_t atom, const double h[3], double side[3])
{
    int32_t last = atom, at = f->bonded[atom][0];
    for (int32_t step = 0; step < f->n; ++step) {
        int32_t others[SITES_MAX_BONDS], n = 0;
        double u[2][3];
        for (int32_t k = 0; k < f->n_bonds[at]; ++k)
            if (f->bonded[at][k] != last) others[n++] = f->bonded[at][k];
        if (n == 0) return false;
        unit_between(f, at, others[0], u[0]);
        if (n == 2) {
            unit_between(f, at, others[1], u[1]);
            combine(1.0, u[0], -1.0, u[1], 0.0, h, u[0]);
        }
        combine(1.0, u[0], -dot(u[0], h), h, 0.0, h, side);
        if (normalize(side, flat)) return true;
        last = at;
        at = others[0];
    }
    return false;
}

/* One bond. Along a straight molecule only the direction away from it is defined. */
static int32_t behind_one(const sites_fragment *f, int32_t atom, const double h[3], int32_t n_pairs,
                          double out[][3])
{
    double side[3], third[3];
    if (n_pairs == 1 || !find_side(f, atom, h, side)) {
        combine(-1.0, h, 0.0, h, 0.0, h, out[0]);
        return 1;
    }
    if (n_pairs == 2) {
        combine(-0.5, h, sqrt(0.75), side, 0.0, h, out[0]);
        combine(-0.5, h, -sqrt(0.75), side, 0.0, h, out[1]);
        return 2;
    }
    /* Three at the tetrahedron's angle, staggered against the neighbour's bond. */
    const double away = -1.0 / 3.0, across = sqrt(8.0) / 3.0;
    cross(h, side, third);
    combine(away, h, -across, side, 0.0, h, out[0]);
    combine(away, h, 0.5 * across, side, sqrt(0.75) * across, third, out[1]);
    combine(away, h, 0.5 * across, side, -sqrt(0.75) * across, third, out[2]);
    return 3;
}

int32_t sites_lone_pairs(const sites_fragment *f, int32_t atom, int32_t n_lone_pairs,
                         double out[SITES_MAX_DIRECTIONS][3])
{
    const int32_t n_bonds = f->n_bonds[atom];
    const int32_t left = 4 - n_bonds, n_pairs = n_lone_pairs < left ? n_lone_pairs : left;
    double h[SITES_MAX_BONDS][3];
    if (n_pairs <= 0) return 0;
    for (int32_t k = 0; k < n_bonds; ++k) unit_between(f, atom, f->bonded[atom][k], h[k]);
    switch (n_bonds) {
    case 1: return behind_one(f, atom, h[0], n_pairs, out);
    case 2: return behind_two(h, n_pairs > 1, out);
    case 3: return behind_three(h, out);
    default: return 0;
    }
}

int32_t sites_sigma_hole(const sites_fragment *f, int32_t atom, double out[3])
{
    if (f->n_bonds[atom] != 1) return 0;
    unit_between(f, f->bonded[atom][0], atom, out);
    return 1;
}
