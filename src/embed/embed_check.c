/* SPDX-License-Identifier: BSD-3-Clause
 * Whether coordinates are a conformer of the molecule that was meant. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "chem/element.h"
#include "embed/embed.h"
#include "geom/vector.h"

#define MOST_MISFIT 0.15  /* of a distance, relative to its bound; .. */
#define MISFIT_STEP 0.1   /* .. more after every ten tries, as cages bend far */
#define LEAST_VOLUME 0.5  /* of what a centre was asked for */
#define LEAST_CONTACT 0.5 /* of the covalent radii of two atoms */

static double volume_of(const double (*pos)[3], const int32_t a[4])
{
    double e[3][3], n[3];
    for (int k = 0; k < 3; ++k) vector_subtract(pos[a[k + 1]], pos[a[0]], e[k]);
    vector_cross(e[1], e[2], n);
    return vector_dot(e[0], n);
}

static const char *check_distances(const embed_problem *p, const double (*pos)[3], int32_t n_tries,
                                   char reason[160])
{
    const embed_bounds *b = &p->bounds;
    const double most = MOST_MISFIT + MISFIT_STEP * (n_tries / 10);
    for (int32_t i = 0; i < b->n; ++i) {
        for (int32_t j = i + 1; j < b->n; ++j) {
            const size_t ij = (size_t)i * (size_t)b->n + (size_t)j;
            double d[3];
            if (!(b->upper[ij] > 0)) continue;
            vector_subtract(pos[i], pos[j], d);
            const double r = sqrt(vector_dot(d, d));
            const bool good = r <= (1 + most) * b->upper[ij] && r >= (1 - most) * b->lower[ij];
            if (good) continue;
            (void)snprintf(reason, 160, "atoms %d and %d are %.2f A apart, expected %.2f to %.2f A",
                           i, j, r, b->lower[ij], b->upper[ij]);
            return reason;
        }
    }
    return NULL;
}

/* Whether a centre lies between its four partners: elsewhere their volume says nothing of its configuration. */
static bool is_inside(const embed_volume *v, const double (*pos)[3], double volume)
{
    for (int k = 0; k < 4 && v->atoms[3] != v->centre; ++k) {
        int32_t a[4];
        memcpy(a, v->atoms, sizeof a);
        a[k] = v->centre;
        if (volume_of(pos, a) * volume <= 0) return false;
    }
    return true;
}

static const char *check_stereo(const embed_problem *p, const double (*pos)[3], char reason[160])
{
    for (int32_t k = 0; k < p->n_volumes; ++k) {
        const embed_volume *v = &p->volumes[k];
        if (v->centre < 0) continue;
        const double x = volume_of(pos, v->atoms);
        const bool right = v->high < 0 ? x < LEAST_VOLUME * v->high : x > LEAST_VOLUME * v->low;
        if (right && is_inside(v, pos, x)) continue;
        (void)snprintf(reason, 160, "the configuration of atom %d does not come out", v->centre);
        return reason;
    }
    for (int32_t k = 0; k < p->n_torsions; ++k) {
        const int32_t *a = p->torsions[k].atoms;
        double e[3][3], n[2][3];
        vector_subtract(pos[a[0]], pos[a[1]], e[0]);
        vector_subtract(pos[a[2]], pos[a[1]], e[1]);
        vector_subtract(pos[a[3]], pos[a[2]], e[2]);
        vector_cross(e[0], e[1], n[0]);
        vector_cross(e[2], e[1], n[1]);
        const double c =
            vector_dot(n[0], n[1]) / sqrt(vector_dot(n[0], n[0]) * vector_dot(n[1], n[1]) + 1e-30);
        if (p->torsions[k].cis ? c > 0.5 : c < -0.5) continue;
        (void)snprintf(reason, 160, "the double bond of atoms %d and %d does not come out %s", a[1],
                       a[2], p->torsions[k].cis ? "cis" : "trans");
        return reason;
    }
    return NULL;
}

static const char *check_contacts(const embed_problem *p, const double (*pos)[3], char reason[160])
{
    for (int32_t i = 0; i < p->mol->n_atoms; ++i) {
        for (int32_t j = i + 1; j < p->mol->n_atoms; ++j) {
            double d[3];
            const double least = LEAST_CONTACT * (element_get(p->mol->element[i])->radius +
                                                  element_get(p->mol->element[j])->radius);
            vector_subtract(pos[i], pos[j], d);
            const double r2 = vector_dot(d, d);
            if (r2 >= least * least) continue;
            (void)snprintf(reason, 160, "atoms %d and %d are %.2f A apart", i, j, sqrt(r2));
            return reason;
        }
    }
    return NULL;
}

/* --- threaded rings ------------------------------------------------------------------------------- */

/* Whether the straight line from a to b passes the triangle (Moeller and Trumbore, J. Graph. Tools 2 (1997) 21). */
static bool pierces(const double a[3], const double b[3], const double u[3], const double v[3],
                    const double w[3])
{
    double d[3], e[3], f[3], s[3], h[3], q[3];
    vector_subtract(b, a, d);
    vector_subtract(v, u, e);
    vector_subtract(w, u, f);
    vector_cross(d, f, h);
    const double det = vector_dot(e, h);
    if (fabs(det) < 1e-12) return false;
    vector_subtract(a, u, s);
    const double x = vector_dot(s, h) / det;
    vector_cross(s, e, q);
    const double y = vector_dot(d, q) / det, t = vector_dot(f, q) / det;
    return x >= 0 && y >= 0 && x + y <= 1 && t >= 0 && t <= 1;
}

/* A bond threads a ring if it passes the fan of triangles between the ring and its middle once. */
static bool threads(const embed_problem *p, const double (*pos)[3], int32_t r, const shoal_bond *b)
{
    const ring_set *rings = p->rings;
    const int32_t *of = rings->atoms + rings->start[r];
    const int32_t n = rings->start[r + 1] - rings->start[r];
    double middle[3] = {0, 0, 0};
    int crossings = 0;
    for (int32_t k = 0; k < n; ++k) {
        if (of[k] == b->i || of[k] == b->j) return false;
        for (int c = 0; c < 3; ++c) middle[c] += pos[of[k]][c] / n;
    }
    for (int32_t k = 0; k < n; ++k)
        crossings += pierces(pos[b->i], pos[b->j], middle, pos[of[k]], pos[of[(k + 1) % n]]);
    return crossings % 2 == 1;
}

/* Of rings too small for anything to pass but by mistake, and larger ones alike. */
static const char *check_threads(const embed_problem *p, const double (*pos)[3], char reason[160])
{
    enum { MOST_RING = 10 };
    for (int32_t r = 0; r < p->rings->n_rings; ++r) {
        if (p->rings->start[r + 1] - p->rings->start[r] > MOST_RING) continue;
        for (int32_t k = 0; k < p->mol->n_bonds; ++k) {
            const shoal_bond *b = &p->mol->bonds[k];
            if (!threads(p, pos, r, b)) continue;
            (void)snprintf(reason, 160,
                           "the bond of atoms %d and %d passes through the ring of atom %d", b->i,
                           b->j, p->rings->atoms[p->rings->start[r]]);
            return reason;
        }
    }
    return NULL;
}

const char *embed_check_graph(const embed_problem *p, const double (*pos)[3], char reason[160])
{
    for (int32_t i = 0; i < p->mol->n_atoms; ++i)
        for (int c = 0; c < 3; ++c)
            if (!isfinite(pos[i][c])) return "its coordinates are not finite";
    const char *wrong = check_stereo(p, pos, reason);
    if (!wrong) wrong = check_contacts(p, pos, reason);
    return wrong ? wrong : check_threads(p, pos, reason);
}

const char *embed_check(const embed_problem *p, const double (*pos)[3], int32_t n_tries,
                        char reason[160])
{
    const char *wrong = embed_check_graph(p, pos, reason);
    return wrong ? wrong : check_distances(p, pos, n_tries, reason);
}
