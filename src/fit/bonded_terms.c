/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms as functions of one coordinate and their parameters. */
#include <string.h>

#include "fit/bonded.h"
#include "geom/vector.h"

/* Sines of angles below which a torsion is not defined. */
#define STRAIGHT 1e-4

int32_t bonded_n_places(bonded_shape shape)
{
    switch (shape) {
    case BONDED_STRETCH:
    case BONDED_ANGLE: return 2;
    case BONDED_COSINES: return 1;
    case BONDED_TORSION: break;
    }
    return BONDED_PERIODS;
}

static bool measure_stretch(const double *a, const double *b, double *q, double slope[4][3])
{
    double d[3];
    vector_subtract(a, b, d);
    *q = vector_norm(d);
    if (!vector_normalise(d, 1e-8)) return false;
    for (int c = 0; c < 3; ++c) {
        slope[0][c] = d[c];
        slope[1][c] = -d[c];
    }
    return true;
}

static bool measure_angle(const double *a, const double *b, const double *c, double *q,
                          double slope[4][3])
{
    double u[3], v[3];
    vector_subtract(a, b, u);
    vector_subtract(c, b, v);
    const double lu = vector_norm(u), lv = vector_norm(v);
    if (!vector_normalise(u, 1e-8) || !vector_normalise(v, 1e-8)) return false;
    const double cosine = fmin(fmax(vector_dot(u, v), -1.0), 1.0);
    const double sine = sqrt(1.0 - cosine * cosine);
    *q = acos(cosine);
    for (int k = 0; k < 3 && sine > STRAIGHT; ++k) {
        slope[0][k] = (cosine * u[k] - v[k]) / (lu * sine);
        slope[2][k] = (cosine * v[k] - u[k]) / (lv * sine);
        slope[1][k] = -slope[0][k] - slope[2][k];
    }
    return true;
}

/* Blondel and Karplus, J. Comput. Chem. 17 (1996) 1132. */
static bool measure_torsion(const double *i, const double *j, const double *k, const double *l,
                            double *q, double slope[4][3])
{
    double f[3], g[3], h[3], a[3], b[3], x[3];
    vector_subtract(i, j, f);
    vector_subtract(j, k, g);
    vector_subtract(l, k, h);
    vector_cross(f, g, a);
    vector_cross(h, g, b);
    const double a2 = vector_dot(a, a), b2 = vector_dot(b, b), lg = vector_norm(g);
    if (a2 < STRAIGHT * STRAIGHT || b2 < STRAIGHT * STRAIGHT || lg < 1e-8) return false;
    vector_cross(b, a, x);
    *q = atan2(vector_dot(x, g) / lg, vector_dot(a, b));
    const double fg = vector_dot(f, g) / (a2 * lg), hg = vector_dot(h, g) / (b2 * lg);
    for (int c = 0; c < 3; ++c) {
        slope[0][c] = -lg / a2 * a[c];
        slope[3][c] = lg / b2 * b[c];
        const double s = fg * a[c] - hg * b[c];
        slope[1][c] = s - slope[0][c];
        slope[2][c] = -s - slope[3][c];
    }
    return true;
}

bool bonded_measure(const bonded_term *term, const double (*pos)[3], double *q, double slope[4][3])
{
    const int32_t *at = term->atoms;
    memset(slope, 0, 4 * sizeof *slope);
    switch (term->shape) {
    case BONDED_STRETCH: return measure_stretch(pos[at[0]], pos[at[1]], q, slope);
    case BONDED_ANGLE:
    case BONDED_COSINES: return measure_angle(pos[at[0]], pos[at[1]], pos[at[2]], q, slope);
    case BONDED_TORSION: break;
    }
    return measure_torsion(pos[at[0]], pos[at[1]], pos[at[2]], pos[at[3]], q, slope);
}

static void evaluate_stretch(const double *p, double r, bonded_value *out)
{
    const double k = p[0], s = r - p[1];
    out->e = 0.5 * k * s * s;
    out->by_q = k * s;
    out->by[0] = 0.5 * s * s;
    out->by[1] = -k * s;
    out->by_both[0] = s;
    out->by_both[1] = -k;
}

static void evaluate_angle(const double *p, double t, bonded_value *out)
{
    const double k = p[0], c0 = cos(p[1]), s0 = sin(p[1]), u = cos(t) - c0, w = 1.0 / (s0 * s0);
    out->by[0] = 0.5 * u * u * w;
    out->by_both[0] = -u * sin(t) * w;
    out->e = k * out->by[0];
    out->by_q = k * out->by_both[0];
    out->by[1] = k * u * (1.0 - u * c0 * w) / s0;
    out->by_both[1] = -k * sin(t) * (1.0 - 2.0 * u * c0 * w) / s0;
}

static void evaluate_cosines(const double *c, const double *p, double t, bonded_value *out)
{
    for (int n = 0; n <= 4; ++n) {
        out->by[0] += c[n] * cos(n * t);
        out->by_both[0] -= n * c[n] * sin(n * t);
    }
    out->e = p[0] * out->by[0];
    out->by_q = p[0] * out->by_both[0];
}

void bonded_evaluate(const bonded_term *term, const double *p, double q, bonded_value *out)
{
    memset(out, 0, sizeof *out);
    switch (term->shape) {
    case BONDED_STRETCH: evaluate_stretch(p, q, out); return;
    case BONDED_ANGLE: evaluate_angle(p, q, out); return;
    case BONDED_COSINES: evaluate_cosines(&term->record[SHOAL_ANGLE_C0], p, q, out); return;
    case BONDED_TORSION: break;
    }
    for (int n = 1; n <= BONDED_PERIODS; ++n) {
        out->by[n - 1] = cos(n * q);
        out->by_both[n - 1] = -n * sin(n * q);
        out->e += p[n - 1] * out->by[n - 1];
        out->by_q += p[n - 1] * out->by_both[n - 1];
    }
}
