/* SPDX-License-Identifier: BSD-3-Clause
 * The surface under a large or periodic system; included by the template cpu_kernels.c. Every atom is
 * its own zero, so that coordinates across a large cell keep their digits. */

/* Where a particle is by the coordinates that were given. */
static void large_position(const large *g, int32_t i, double out[3])
{
    lattice_vector(&g->lattice, g->wrap[i], out);
    for (int c = 0; c < 3; ++c) out[c] += g->origin[c] + g->r[i][c];
}

static shoal_status large_fill_surface(large *g, const shoal_topology_view *v)
{
    const shoal_engine_options *o = g->options;
    if (!o->surface || o->terms_off >> SHOAL_TERM_SURFACE & 1) return SHOAL_OK;
    if (o->grid)
        g->surface = surface_tables_create(v, o->surface, o->grid, o->n_threads);
    else
        g->direct = direct_create(v, o->surface);
    return g->surface || g->direct ? SHOAL_OK : SHOAL_E_MEMORY;
}

static real large_surface_atom(const large *g, int32_t i, const double r[3], v3 *f)
{
    if (g->direct) return direct_field(g->direct, i, r, f);
    const block_1 none = {0};
    anchors_1 anchors;
    spots_1 spots;
    int32_t node[3];
    double rest[3];
    grid_find_anchor(&g->surface->grid->view, r, node, rest);
    for (int k = 0; k < 3; ++k) {
        anchors.node[k][0] = node[k];
        anchors.rest[k][0] = (real)rest[k];
    }
    find_spots_1(&g->surface->frame, &anchors, &none, &spots);
    return grid_atom_1(g->surface, i, &spots, 0, r, v3_make(0, 0, 0), f);
}

/* Adds what the system feels of the surface. */
static void large_add_surface(large *g, block_1 *force, energies_1 *e)
{
    if (!g->surface && !g->direct) return;
    double sum = g->surface ? (double)g->surface->limit : 0;
    for (int32_t i = 0; i < g->n_particles; ++i) {
        double r[3];
        v3 f;
        large_position(g, i, r);
        sum += (double)large_surface_atom(g, i, r, &f);
        if (i < g->n)
            add_1(&force[i], 0, f);
        else /* a site, whose force its atoms get */
            g->force[i] = v3_add(g->force[i], f);
    }
    e->e[SHOAL_TERM_SURFACE][0] = (real)sum;
}
