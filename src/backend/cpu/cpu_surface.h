/* SPDX-License-Identifier: BSD-3-Clause
 * The surface under the systems, lane by lane; included by cpu_relax.h. */

/* The same without a grid. */
static void LANE(add_direct)(const tables *t, const LANE(block) * x, LANE(block) * force,
                             LANE(energies) * e, int l, const double origin[3])
{
    real sum = 0;
    for (int32_t i = 0; i < t->n_atoms; ++i) {
        v3 f;
        const double r[3] = {origin[0] + (double)x[i].v[0][l], origin[1] + (double)x[i].v[1][l],
                             origin[2] + (double)x[i].v[2][l]};
        sum += direct_field(t->direct, i, r, &f);
        LANE(add)(&force[i], l, f);
    }
    e->e[SHOAL_TERM_SURFACE][l] += sum;
}

/* Adds what the system in one lane feels of the surface; origin is where its zero lies. */
static void LANE(add_surface)(const tables *t, const LANE(block) * x, LANE(block) * force,
                              LANE(energies) * e, int l, const double origin[3])
{
    const surface_tables *s = t->surface;
    int32_t node[3];
    double rest[3];
    if (t->direct) LANE(add_direct)(t, x, force, e, l, origin);
    if (!s) return;
    grid_find_anchor(&s->grid->view, origin, node, rest);
    const grid_anchor anchor = {node[0],       node[1],       node[2],
                                (real)rest[0], (real)rest[1], (real)rest[2]};
    real sum = s->limit;
    for (int32_t i = 0; i < t->n_atoms; ++i) {
        v3 f;
        sum += surface_field(s, i, anchor, LANE(get)(&x[i], l), &f);
        LANE(add)(&force[i], l, f);
    }
    e->e[SHOAL_TERM_SURFACE][l] += sum;
}
