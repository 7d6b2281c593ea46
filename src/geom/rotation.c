/* SPDX-License-Identifier: BSD-3-Clause
 * Turning atoms. */
#include "geom/rotation.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "geom/eigen.h"
#include "geom/vector.h"

#include "constants.h"

/* Rodrigues' formula. */
void rotation_about(const double u[3], double angle, double m[3][3])
{
    const double c = cos(angle), s = sin(angle), t = 1 - c;
    const double out[3][3] = {
        {c + t * u[0] * u[0], t * u[0] * u[1] - s * u[2], t * u[0] * u[2] + s * u[1]},
        {t * u[0] * u[1] + s * u[2], c + t * u[1] * u[1], t * u[1] * u[2] - s * u[0]},
        {t * u[0] * u[2] - s * u[1], t * u[1] * u[2] + s * u[0], c + t * u[2] * u[2]}};
    memcpy(m, out, sizeof out);
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

void rotation_by_degrees(const double degrees[3], double m[3][3])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double turn[3][3][3], xy[3][3];
    for (int k = 0; k < 3; ++k) rotation_about(axes[k], degrees[k] * DEGREE, turn[k]);
    multiply((const double(*)[3])turn[1], (const double(*)[3])turn[0], xy);
    multiply((const double(*)[3])turn[2], (const double(*)[3])xy, m);
}

void rotation_turn(const double m[3][3], const double centre[3], double r[3])
{
    double d[3];
    vector_subtract(r, centre, d);
    for (int k = 0; k < 3; ++k) r[k] = centre[k] + vector_dot(m[k], d);
}

void geom_centre(const double (*pos)[3], int32_t n, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = 0;
        for (int32_t i = 0; i < n; ++i) out[k] += pos[i][k];
        if (n > 0) out[k] /= n;
    }
}

/* --- principal axes ------------------------------------------------------------------------------ */

static void inertia(const double (*pos)[3], const double *masses, int32_t n, const double centre[3],
                    double m[3][3])
{
    memset(m, 0, 9 * sizeof(double));
    for (int32_t i = 0; i < n; ++i) {
        double d[3];
        vector_subtract(pos[i], centre, d);
        const double r2 = vector_dot(d, d);
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l) m[k][l] += masses[i] * ((k == l ? r2 : 0) - d[k] * d[l]);
    }
}

/* Turns an axis to the heavier tail, or near to e_k where both tails are alike. Returns how unlike they are. */
static double choose_sign(const double (*pos)[3], const double *masses, int32_t n,
                          const double centre[3], int k, double axis[3])
{
    double third = 0, scale = 0;
    for (int32_t i = 0; i < n; ++i) {
        double d[3];
        vector_subtract(pos[i], centre, d);
        const double x = vector_dot(d, axis);
        third += masses[i] * x * x * x;
        scale += masses[i] * vector_dot(d, d) * sqrt(vector_dot(d, d));
    }
    const bool unlike =
        fabs(third) > 1e-9 * scale; /* of all, or what is flat had tails of rounding */
    const double side = unlike ? third : axis[k];
    for (int l = 0; l < 3 && side < 0; ++l) axis[l] = -axis[l];
    return unlike ? fabs(third) / scale : 0;
}

void geom_principal_axes(const double (*pos)[3], const double *masses, int32_t n, double axes[3][3])
{
    double centre[3] = {0, 0, 0}, total = 0, moments[3], work[3];
    for (int32_t i = 0; i < n; ++i) {
        total += masses[i];
        for (int k = 0; k < 3; ++k) centre[k] += masses[i] * pos[i][k];
    }
    for (int k = 0; k < 3 && total > 0; ++k) centre[k] /= total;
    inertia(pos, masses, n, centre, axes);
    if (!eigen_symmetric(3, &axes[0][0], moments, work))
        for (int k = 0; k < 9; ++k) axes[k / 3][k % 3] = k % 4 == 0;
    double unlike[3];
    int last = 1;
    for (int k = 0; k < 3; ++k) unlike[k] = choose_sign(pos, masses, n, centre, k, axes[k]);
    for (int k = 0; k < 3; k += 2)
        if (unlike[k] < unlike[last]) last = k;
    vector_cross(axes[(last + 1) % 3], axes[(last + 2) % 3], axes[last]);
}

/* --- distances, angles, torsions ----------------------------------------------------------------- */

double geom_angle(const double a[3], const double b[3], const double c[3])
{
    double u[3], v[3], n[3];
    vector_subtract(a, b, u);
    vector_subtract(c, b, v);
    vector_cross(u, v, n);
    return atan2(sqrt(vector_dot(n, n)), vector_dot(u, v));
}

double geom_torsion(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double u[3], v[3], w[3], n1[3], n2[3];
    vector_subtract(a, b, u);
    vector_subtract(c, b, v);
    vector_subtract(d, c, w);
    vector_cross(u, v, n1);
    vector_cross(w, v, n2);
    return atan2(-vector_dot(n1, w) * sqrt(vector_dot(v, v)), vector_dot(n1, n2));
}
