/* SPDX-License-Identifier: BSD-3-Clause
 * The path of a band: its first images, tangents, forces and steps. */
#include <math.h>
#include <string.h>

#include "geom/eigen.h"
#include "geom/rotation.h"
#include "geom/vector.h"
#include "jobs/band.h"

#include "constants.h"

#define LONGEST_MOVE 0.1 /* angstrom, of an atom in a step */
#define EVEN_FMAX 0.02   /* 1/angstrom^3: where the first path is even enough */
#define EVEN_STEPS 500

static size_t numbers(const band_state *b)
{
    return 3 * (size_t)b->n_atoms;
}

/* All numbers of image i, of positions, forces or velocities. */
static double *image(const band_state *b, double (*rows)[3], int32_t i)
{
    return (double *)(rows + (size_t)i * (size_t)b->n_atoms);
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; ++k) sum += a[k] * b[k];
    return sum;
}

static double distance(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

/* --- the first path ------------------------------------------------------------------------------- */

/* Rotation that brings b nearest to a, both about their centres (Horn, J. Opt. Soc. Am. A 4 (1987) 629). */
static void find_rotation(const double (*a)[3], const double ca[3], const double (*b)[3],
                          const double cb[3], int32_t n, double m[3][3])
{
    double s[3][3] = {{0}}, k[16], values[4], work[4];
    for (int32_t i = 0; i < n; ++i)
        for (int x = 0; x < 3; ++x)
            for (int y = 0; y < 3; ++y) s[x][y] += (b[i][x] - cb[x]) * (a[i][y] - ca[y]);
    const double rows[16] = {
        s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1],           s[2][0] - s[0][2],
        s[0][1] - s[1][0],           s[1][2] - s[2][1],           s[0][0] - s[1][1] - s[2][2],
        s[0][1] + s[1][0],           s[2][0] + s[0][2],           s[2][0] - s[0][2],
        s[0][1] + s[1][0],           s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1],
        s[0][1] - s[1][0],           s[2][0] + s[0][2],           s[1][2] + s[2][1],
        s[2][2] - s[0][0] - s[1][1]};
    memcpy(k, rows, sizeof k);
    (void)eigen_symmetric(4, k, values, work);
    const double *q = k + 12; /* of the largest eigenvalue */
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[3][3] = {
        {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    memcpy(m, turn, sizeof turn);
}

void band_align(band_state *b)
{
    double(*last)[3] = b->pos + (size_t)(b->n_images - 1) * (size_t)b->n_atoms;
    double centres[2][3], m[3][3];
    geom_centre((const double(*)[3])b->pos, b->n_atoms, centres[0]);
    geom_centre((const double(*)[3])last, b->n_atoms, centres[1]);
    find_rotation((const double(*)[3])b->pos, centres[0], (const double(*)[3])last, centres[1],
                  b->n_atoms, m);
    for (int32_t i = 0; i < b->n_atoms; ++i) {
        double d[3];
        vector_subtract(last[i], centres[1], d);
        for (int c = 0; c < 3; ++c) last[i][c] = centres[0][c] + vector_dot(m[c], d);
    }
}

void band_fill(band_state *b)
{
    const double *first = image(b, b->pos, 0), *last = image(b, b->pos, b->n_images - 1);
    for (int32_t i = 1; i < b->n_images - 1; ++i) {
        const double t = (double)i / (b->n_images - 1);
        double *at = image(b, b->pos, i);
        for (size_t k = 0; k < numbers(b); ++k) at[k] = first[k] + t * (last[k] - first[k]);
    }
}

/* Slopes of the sum over pairs of (d - d')^2 / d'^4, d' the distance on the even path. */
static void pull_even(band_state *b, int32_t i)
{
    const size_t n = (size_t)b->n_atoms;
    const double t = (double)i / (b->n_images - 1);
    double(*pos)[3] = b->pos + (size_t)i * n, (*f)[3] = b->forces + (size_t)i * n;
    const double(*last)[3] = (const double(*)[3])(b->pos + (size_t)(b->n_images - 1) * n);
    double sum = 0.0;
    memset(f, 0, n * sizeof *f);
    for (size_t p = 0; p < n; ++p)
        for (size_t q = 0; q < p; ++q) {
            double d[3];
            const double from = vector_distance(b->pos[p], b->pos[q]);
            const double want = from + t * (vector_distance(last[p], last[q]) - from);
            vector_subtract(pos[p], pos[q], d);
            const double r = fmax(vector_norm(d), 1e-3), w = 1.0 / (want * want * want * want);
            const double slope = -2.0 * w * (r - want) / r;
            sum += w * (r - want) * (r - want);
            for (int c = 0; c < 3; ++c) {
                f[p][c] += slope * d[c];
                f[q][c] -= slope * d[c];
            }
        }
    b->energies[i] = sum;
}

void band_even(band_state *b)
{
    const bool climbs = b->climbs;
    b->climbs = false;
    b->fire = fire_begin(0, fire_usual());
    do {
        for (int32_t i = 0; i < b->n_images; ++i) pull_even(b, i);
        band_nudge(b);
    } while (band_step(b, EVEN_FMAX, EVEN_STEPS));
    memset(b->velocities, 0, (size_t)b->n_images * numbers(b) * sizeof(double));
    b->climbs = climbs;
}

/* --- forces --------------------------------------------------------------------------------------- */

int32_t band_saddle(const band_state *b)
{
    int32_t best = 0;
    for (int32_t i = 1; i < b->n_images; ++i)
        if (b->energies[i] > b->energies[best]) best = i;
    return best;
}

/* The tangent at an image: towards its higher neighbour, and a mixture of both ways at a top or a bottom (Henkelman and
 * Jonsson, J. Chem. Phys. 113 (2000) 9978, equations 8 to 11). Weights of the vectors to the next and from the last image. */
static void tangent_weights(const double *e, double *next, double *last)
{
    const double up = fabs(e[1] - e[0]), down = fabs(e[-1] - e[0]);
    const double most = fmax(up, down), least = fmin(up, down);
    const bool rises = e[1] > e[0] && e[0] > e[-1], falls = e[1] < e[0] && e[0] < e[-1];
    *next = rises ? 1.0 : falls ? 0.0 : e[1] > e[-1] ? most : least;
    *last = falls ? 1.0 : rises ? 0.0 : e[1] > e[-1] ? least : most;
    if (*next + *last == 0.0) *next = *last = 1.0;
}

/* How much of the springs acts across the path: nothing of it where the path is straight, all where it turns by 90 degrees,
 * so that it does not fold (Jonsson, Mills and Jacobsen, in Classical and Quantum Dynamics in Condensed Phase Simulations,
 * World Scientific 1998, equation 16.8). */
static double straightening(const double *last, const double *here, const double *next, size_t n)
{
    double sum = 0.0;
    for (size_t k = 0; k < n; ++k) sum += (next[k] - here[k]) * (here[k] - last[k]);
    const double lengths = distance(next, here, n) * distance(here, last, n);
    const double c = lengths > 0.0 ? sum / lengths : 1.0;
    return c < 0.0 ? 1.0 : 0.5 * (1.0 + cos(PI * c));
}

static void nudge_image(band_state *b, int32_t i, double *tangent, bool climbing)
{
    const size_t n = numbers(b);
    const double *here = image(b, b->pos, i);
    const double *next = image(b, b->pos, i + 1), *last = image(b, b->pos, i - 1);
    double *f = image(b, b->forces, i), to_next, to_last, across = 0.0;
    tangent_weights(b->energies + i, &to_next, &to_last);
    for (size_t k = 0; k < n; ++k)
        tangent[k] = to_next * (next[k] - here[k]) + to_last * (here[k] - last[k]);
    const double length = sqrt(dot(tangent, tangent, n));
    for (size_t k = 0; k < n && length > 0.0; ++k) tangent[k] /= length;
    const double along = dot(f, tangent, n);
    const double pull = b->spring * (distance(next, here, n) - distance(here, last, n));
    const double add = climbing ? -2.0 * along : pull - along;
    const double share = climbing ? 0.0 : b->spring * straightening(last, here, next, n);
    for (size_t k = 0; k < n; ++k) across += (next[k] + last[k] - 2.0 * here[k]) * tangent[k];
    for (size_t k = 0; k < n; ++k)
        f[k] +=
            add * tangent[k] + share * (next[k] + last[k] - 2.0 * here[k] - across * tangent[k]);
}

void band_nudge(band_state *b)
{
    /* The forces of an end are no longer needed: its rows hold the tangents. */
    double *tangent = image(b, b->forces, 0);
    const int32_t top = band_saddle(b);
    for (int32_t i = 1; i < b->n_images - 1; ++i) nudge_image(b, i, tangent, b->climbs && i == top);
    memset(tangent, 0, numbers(b) * sizeof *tangent);
    memset(image(b, b->forces, b->n_images - 1), 0, numbers(b) * sizeof *tangent);
    for (int32_t i = 0; i < b->n_images && b->fixed; ++i)
        for (int32_t a = 0; a < b->n_atoms; ++a)
            if (b->fixed[a])
                memset(b->forces[(size_t)i * (size_t)b->n_atoms + (size_t)a], 0,
                       3 * sizeof(double));
}

/* --- steps ---------------------------------------------------------------------------------------- */

static fire_sums sum_band(const band_state *b)
{
    const size_t n = (size_t)b->n_images * numbers(b);
    fire_sums s = {.ff = dot(*b->forces, *b->forces, n),
                   .vv = dot(*b->velocities, *b->velocities, n),
                   .fv = dot(*b->forces, *b->velocities, n)};
    for (size_t a = 0; a < n / 3; ++a) s.f2 = fmax(s.f2, vector_dot(b->forces[a], b->forces[a]));
    if (!isfinite(s.ff)) s.f2 = s.ff;
    return s;
}

bool band_step(band_state *b, double fmax, int32_t max_steps)
{
    const step_limits limit = {
        .fmax2 = fmax * fmax, .max_move = LONGEST_MOVE, .max_steps = max_steps};
    const fire_sums sums = sum_band(b);
    const fire_move m = fire_decide(&b->fire, &sums, &limit);
    double *r = *b->pos, *v = *b->velocities, *f = *b->forces;
    b->fmax = sqrt(sums.f2);
    if (b->fire.outcome != STEP_GOING) return false;
    for (size_t k = 0; k < (size_t)b->n_images * numbers(b); ++k) {
        v[k] = m.retreat ? v[k] : m.keep * v[k] + m.push * f[k];
        r[k] += m.retreat ? -m.move * v[k] : m.move * v[k];
        if (m.retreat) v[k] = 0.0;
    }
    return true;
}
