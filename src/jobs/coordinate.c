/* SPDX-License-Identifier: BSD-3-Clause
 * Coordinates of a scan: measured, and set by moving a part of the molecule as it is. */
#include "jobs/coordinate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "geom/rotation.h"
#include "geom/vector.h"

#include "constants.h"

double coordinate_measure(const shoal_coordinate *c, const double (*pos)[3])
{
    const int32_t *a = c->atoms;
    switch (c->kind) {
    case SHOAL_COORDINATE_DISTANCE: return vector_distance(pos[a[0]], pos[a[1]]);
    case SHOAL_COORDINATE_ANGLE: return geom_angle(pos[a[0]], pos[a[1]], pos[a[2]]) / DEGREE;
    default: return geom_torsion(pos[a[0]], pos[a[1]], pos[a[2]], pos[a[3]]) / DEGREE;
    }
}

const char *coordinate_unit(shoal_coordinate_kind kind)
{
    if (kind == SHOAL_COORDINATE_VOLUME) return "of the file's";
    return kind == SHOAL_COORDINATE_DISTANCE || coordinate_is_shift(kind) ? "A" : "degrees";
}

double coordinate_difference(shoal_coordinate_kind kind, double to, double from)
{
    const double d = to - from;
    return kind == SHOAL_COORDINATE_TORSION ? d - 360 * round(d / 360) : d;
}

/* --- parts --------------------------------------------------------------------------------------- */

/* Room for the parts of small molecules without asking for memory. */
enum { FEW_ATOMS = 256 };

/* Atoms that hang together: list[n], each marked. The neighbours of the first n_done of them are in it. */
typedef struct part {
    int32_t n, n_done;
    int32_t *list;
    bool *is_in;
} part;

/* What is not gone through: the bond between two atoms, or an atom. -1: none. */
typedef struct cut {
    int32_t i, j, wall;
} cut;

static void begin(part *p, const shoal_molecule *mol, int32_t from)
{
    memset(p->is_in, 0, (size_t)mol->n_atoms * sizeof *p->is_in);
    p->list[0] = from;
    p->n = 1;
    p->n_done = 0;
    p->is_in[from] = true;
}

/* Adds the neighbours of one more atom. True when all atoms that hang together are in it. */
static bool grow(part *p, const shoal_molecule *mol, const cut *c)
{
    const int32_t at = p->list[p->n_done++];
    for (int32_t b = mol->first_bond[at]; b >= 0;) {
        const shoal_bond *bond = &mol->bonds[b];
        const bool forth = bond->i == at;
        const int32_t to = forth ? bond->j : bond->i;
        const bool is_cut =
            to == c->wall || (at == c->i && to == c->j) || (at == c->j && to == c->i);
        b = mol->next_bond[b][forth ? 0 : 1];
        if (is_cut || p->is_in[to]) continue;
        p->is_in[to] = true;
        p->list[p->n++] = to;
    }
    return p->n_done == p->n;
}

/* --- moves --------------------------------------------------------------------------------------- */

/* At right angles to two vectors, or to the first alone where they are parallel. */
static void normal_of(const double a[3], const double b[3], double out[3])
{
    static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const double length = vector_norm(a);
    for (int attempt = -1; attempt < 3; ++attempt) {
        const double *v = attempt < 0 ? b : units[attempt];
        vector_cross(a, v, out);
        const double sine = vector_norm(out) / length;
        if (sine > 1e-6 && vector_normalise(out, 1e-8)) return;
    }
}

static void turn_part(const part *p, const double axis[3], double angle, const double through[3],
                      double (*pos)[3])
{
    double m[3][3];
    const double centre[3] = {through[0], through[1], through[2]};
    rotation_about(axis, angle, m);
    for (int32_t k = 0; k < p->n; ++k)
        rotation_turn((const double(*)[3])m, centre, pos[p->list[k]]);
}

/* The part holds the last atom of the coordinate (forth) or the first one. */
static void move_part(const shoal_coordinate *c, const part *p, bool forth, double value,
                      double (*pos)[3])
{
    const int32_t *a = c->atoms;
    const double by =
        coordinate_difference(c->kind, value, coordinate_measure(c, (const double(*)[3])pos));
    double u[3], v[3], axis[3];
    if (c->kind == SHOAL_COORDINATE_DISTANCE) {
        for (int k = 0; k < 3; ++k) axis[k] = pos[a[1]][k] - pos[a[0]][k];
        if (!vector_normalise(axis, 1e-8)) axis[2] = 1;
        for (int32_t n = 0; n < p->n; ++n)
            for (int k = 0; k < 3; ++k) pos[p->list[n]][k] += (forth ? by : -by) * axis[k];
        return;
    }
    const double angle = (forth ? by : -by) * DEGREE;
    if (c->kind == SHOAL_COORDINATE_ANGLE) {
        for (int k = 0; k < 3; ++k) u[k] = pos[a[0]][k] - pos[a[1]][k];
        for (int k = 0; k < 3; ++k) v[k] = pos[a[2]][k] - pos[a[1]][k];
        normal_of(u, v, axis);
    } else {
        for (int k = 0; k < 3; ++k) axis[k] = pos[a[2]][k] - pos[a[1]][k];
        if (!vector_normalise(axis, 1e-8)) axis[2] = 1;
    }
    turn_part(p, axis, angle, pos[a[1]], pos);
}

/* The smaller of the two parts that a coordinate divides the molecule into, *forth if it is that of the last atom: both
 * grow until one is complete. NULL where they are one. */
static const part *find_part(const shoal_coordinate *c, const shoal_molecule *mol, part *last,
                             part *first, bool *forth)
{
    const int32_t *a = c->atoms;
    const bool torsion = c->kind == SHOAL_COORDINATE_TORSION,
               angle = c->kind == SHOAL_COORDINATE_ANGLE;
    const int32_t from = torsion || angle ? a[2] : a[1], to = torsion ? a[1] : a[0];
    const cut between = {angle ? -1 : from, angle ? -1 : to, angle ? a[1] : -1};
    begin(last, mol, from);
    begin(first, mol, to);
    for (;;) {
        *forth = grow(last, mol, &between);
        if (*forth || grow(first, mol, &between)) break;
    }
    const part *p = *forth ? last : first;
    if (p->is_in[*forth ? to : from]) return NULL;
    const int32_t own = torsion ? a[*forth ? 3 : 0] : p->list[0];
    const int32_t other = torsion ? a[*forth ? 0 : 3] : *forth ? to : from;
    return p->is_in[own] && !p->is_in[other] ? p : NULL;
}

shoal_status coordinate_set(const shoal_coordinate *c, const shoal_molecule *mol, double value,
                            double (*pos)[3], bool *found)
{
    int32_t lists[2 * FEW_ATOMS];
    bool marks[2 * FEW_ATOMS];
    const size_t n = (size_t)mol->n_atoms;
    int32_t *many = n > FEW_ATOMS ? shoal_alloc(2 * n, sizeof *many) : NULL;
    bool *more = n > FEW_ATOMS ? shoal_alloc(2 * n, sizeof *more) : NULL;
    if (n > FEW_ATOMS && (!many || !more)) {
        free(many);
        free(more);
        return SHOAL_E_MEMORY;
    }
    part last = {.list = many ? many : lists, .is_in = more ? more : marks};
    part first = {.list = last.list + n, .is_in = last.is_in + n};
    bool forth;
    const part *moving = find_part(c, mol, &last, &first, &forth);
    *found = moving != NULL;
    if (moving) move_part(c, moving, forth, value, pos);
    free(many);
    free(more);
    return SHOAL_OK;
}
