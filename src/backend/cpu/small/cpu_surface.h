/* SPDX-License-Identifier: BSD-3-Clause
 * The surface under the systems; included by cpu_single.h. */

/* Adds what the system in one lane feels of a surface without a grid. */
static void LANE(add_direct)(const tables *t, const LANE(block) * x, LANE(block) * force,
                             LANE(energies) * e, int l, const double origin[3])
{
    real sum = 0;
    for (int32_t i = 0; i < t->n_particles; ++i) {
        v3 f;
        const double r[3] = {origin[0] + (double)x[i].v[0][l], origin[1] + (double)x[i].v[1][l],
                             origin[2] + (double)x[i].v[2][l]};
        sum += direct_field(t->direct, i, r, &f);
        LANE(add)(&force[i], l, f);
    }
    e->e[SHOAL_TERM_SURFACE][l] += sum;
}

/* Where the zero of every lane lies on the grid, and where one atom of every lane is. */
typedef struct LANE(anchors) {
    int32_t node[3][LANES];
    real rest[3][LANES];
} LANE(anchors);

typedef struct LANE(spots) {
    int32_t at[3][LANES], above[LANES];
    real basis[3][8][LANES], beyond[LANES];
} LANE(spots);

SHOAL_FN void LANE(put_basis)(real (*to)[LANES], int l, grid_basis4 w)
{
    to[0][l] = w.b0;
    to[1][l] = w.b1;
    to[2][l] = w.b2;
    to[3][l] = w.b3;
    to[4][l] = w.d0;
    to[5][l] = w.d1;
    to[6][l] = w.d2;
    to[7][l] = w.d3;
}

SHOAL_FN void LANE(find_spot)(const grid_frame f, const LANE(anchors) * at, v3 r, LANE(spots) * out,
                              int l)
{
    const grid_anchor anchor = {at->node[0][l], at->node[1][l], at->node[2][l],
                                at->rest[0][l], at->rest[1][l], at->rest[2][l]};
    const grid_spot spot = grid_locate(f, anchor, r);
    out->at[0][l] = spot.a;
    out->at[1][l] = spot.b;
    out->at[2][l] = spot.z;
    out->above[l] = spot.above;
    out->beyond[l] = spot.beyond;
    LANE(put_basis)(out->basis[0], l, grid_basis(spot.ta));
    LANE(put_basis)(out->basis[1], l, grid_basis(spot.tb));
    LANE(put_basis)(out->basis[2], l, grid_basis_z(spot.tz, spot.beyond));
}

/* One atom of all lanes. */
static void LANE(find_spots)(const grid_frame *f, const LANE(anchors) *restrict at,
                             const LANE(block) *restrict r, LANE(spots) *restrict out)
{
    const grid_frame frame = *f;
    OVER_LANES
    for (int l = 0; l < LANES; ++l) LANE(find_spot)(frame, at, LANE(get)(r, l), out, l);
}

/* What the grid does to one atom of one lane, r beyond an origin. */
SHOAL_FN real LANE(grid_atom)(const surface_tables *s, int32_t i, const LANE(spots) * spots, int l,
                              const double origin[3], v3 r, v3 *f)
{
    if (spots->above[l] && s->atoms[i].above) {
        const double at[3] = {origin[0] + (double)r.x, origin[1] + (double)r.y,
                              origin[2] + (double)r.z};
        return surface_above(s, &s->atoms[i], at, f);
    }
    const int spot[3] = {spots->at[0][l], spots->at[1][l], spots->at[2][l]};
    surface_basis w[3];
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 4; ++k) {
            w[axis].b[k] = spots->basis[axis][k][l];
            w[axis].d[k] = spots->basis[axis][4 + k][l];
        }
    return surface_field(&s->frame, &s->atoms[i], spot, w, spots->beyond[l], f);
}

/* Adds what the systems in all lanes feel of the grid. */
static void LANE(add_grid)(const surface_tables *s, int32_t n, const LANE(block) * x,
                           LANE(block) * force, LANE(energies) * e, const double origin[LANES][3])
{
    LANE(anchors) anchors;
    LANE(spots) spots;
    for (int l = 0; l < LANES; ++l) {
        int32_t node[3];
        double rest[3];
        grid_find_anchor(&s->grid->view, origin[l], node, rest);
        for (int k = 0; k < 3; ++k) {
            anchors.node[k][l] = node[k];
            anchors.rest[k][l] = (real)rest[k];
        }
        e->e[SHOAL_TERM_SURFACE][l] += s->limit;
    }
    for (int32_t i = 0; i < n; ++i) {
        LANE(find_spots)(&s->frame, &anchors, &x[i], &spots);
        for (int l = 0; l < LANES; ++l) {
            v3 f;
            e->e[SHOAL_TERM_SURFACE][l] +=
                LANE(grid_atom)(s, i, &spots, l, origin[l], LANE(get)(&x[i], l), &f);
            LANE(add)(&force[i], l, f);
        }
    }
}

/* Adds what the systems feel of the surface; origin is where the zero of a lane lies. */
static void LANE(add_surface)(const tables *t, const LANE(block) * x, LANE(block) * force,
                              LANE(energies) * e, const double origin[LANES][3])
{
    if (t->surface) LANE(add_grid)(t->surface, t->n_particles, x, force, e, origin);
    for (int l = 0; l < LANES && t->direct; ++l) LANE(add_direct)(t, x, force, e, l, origin[l]);
}
