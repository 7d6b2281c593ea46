/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of a molecule that have no bonds between them, moved relative to each other. */
#include <math.h>
#include <string.h>

#include "geom/vector.h"
#include "jobs/search_kin.h"

#define CONTACT 0.25 /* angstrom: steps by which a part leaves the others */

/* Whether atoms of a part are near those of parts that stand already. */
static bool touches(const search_plan *p, int32_t part, int32_t standing, const double (*pos)[3])
{
    const int32_t *of = p->kin->part;
    for (int32_t i = 0; i < p->n_atoms; ++i) {
        if (of[i] != part) continue;
        for (int32_t j = 0; j < p->n_atoms; ++j) {
            if (of[j] == part || of[j] >= standing) continue;
            double d[3];
            vector_subtract(pos[i], pos[j], d);
            const size_t ij = (size_t)i * (size_t)p->n_atoms + (size_t)j;
            const double least = 1.45 * sqrt((double)p->closest[ij]) + 0.4;
            if (vector_dot(d, d) < least * least) return true;
        }
    }
    return false;
}

static void middle_of(const search_plan *p, int32_t part, int32_t standing, const double (*pos)[3],
                      bool others, double out[3])
{
    int32_t n = 0;
    memset(out, 0, 3 * sizeof *out);
    for (int32_t i = 0; i < p->n_atoms; ++i) {
        const int32_t of = p->kin->part[i];
        if (others ? of == part || of >= standing : of != part) continue;
        for (int x = 0; x < 3; ++x) out[x] += pos[i][x];
        ++n;
    }
    for (int x = 0; x < 3 && n > 0; ++x) out[x] /= n;
}

/* Turns a part at random about its middle, which goes to a place. */
static void put_part(const search_plan *p, int32_t part, const double to[3], search_random *r,
                     double (*pos)[3])
{
    double at[3], q[4];
    middle_of(p, part, 0, (const double(*)[3])pos, false, at);
    random_direction(r, 4, q);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int32_t i = 0; i < p->n_atoms; ++i) {
        double d[3];
        if (p->kin->part[i] != part) continue;
        vector_subtract(pos[i], at, d);
        for (int k = 0; k < 3; ++k) pos[i][k] = to[k] + vector_dot(m[k], d);
    }
}

void search_draw_part(const search_plan *p, int32_t part, int32_t standing, search_random *r,
                      double (*pos)[3])
{
    double to[3], from[3], reach = 0;
    if (!p->closest || p->has_fixed) return;
    middle_of(p, part, standing, (const double(*)[3])pos, true, to);
    random_direction(r, 3, from);
    put_part(p, part, to, r, pos);
    for (int32_t i = 0; i < p->n_atoms; ++i) {
        double d[3];
        vector_subtract(pos[i], to, d);
        if (p->kin->part[i] < standing || p->kin->part[i] == part)
            reach = fmax(reach, 2 * vector_norm(d) + 4);
    }
    /* Out along the direction until nothing touches any more. */
    for (double far = 0; far < reach && touches(p, part, standing, (const double(*)[3])pos);
         far += CONTACT)
        for (int32_t i = 0; i < p->n_atoms; ++i)
            for (int x = 0; x < 3 && p->kin->part[i] == part; ++x) pos[i][x] += CONTACT * from[x];
}
