/* SPDX-License-Identifier: BSD-3-Clause
 * The slope of the energy of a large system by strain, put together after its forces: of pairs it is summed with them.
 * Included by the template cpu_kernels.c. */

/* Terms: the forces on their corners lie in slots, and arms lead from the first corner to the others. */
static void large_strain_terms(const large *g, int kind, double out[6])
{
    const term_shape *s = &term_shapes[kind];
    const large_kind *k = &g->kinds[kind];
    for (int32_t n = 0; n < k->n; ++n) {
        const double(*shift)[3] = (const double(*)[3])(k->shift + s->n_arms * n);
        v3 at[4] = {{0}};
        for (int a = 0; a < s->n_arms; ++a) {
            if (term_arm_is_direction(s, a)) continue;
            at[s->tip[a]] =
                v3_add(at[s->base[a]], large_term_arm(g, s, a, k->atoms + s->n_atoms * n, shift));
            large_strain(out, 1, at[s->tip[a]], g->slots[k->slot + s->n_atoms * n + s->tip[a]]);
        }
    }
}

/* The frames turn and bend with the strain, and do not stretch what they hold. */
static void large_strain_frames(const large *g, double out[6])
{
    for (int32_t n = 0; n < g->n_particles - g->n; ++n) {
        const large_frame *f = &g->frames[n];
        const site_frame axes = large_frame_of(g, f);
        const v3 pull = g->force[g->n + n];
        v3 on[3];
        site_pull(&axes, f->row.x, f->row.y, f->row.local, f->row.plain, pull, on);
        large_strain(out, -1, site_offset(&axes, f->row.local), pull);
        for (int k = 0; k < 3; ++k)
            large_strain(out, 1, large_arm(g, f->row.to[k], f->row.from[k], f->shift[k]), on[k]);
    }
}

/* One k-vector of a row, w[] its weight and S. */
static void large_strain_kvec(const large *g, const int32_t n[3], double weight, const double s[2],
                              double out[6])
{
    double k[3] = {0};
    if (weight == 0) return;
    for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c) k[c] += TWO_PI * n[a] * g->lattice.dual[g->ewald.axis[a]][c];
    const double size = s[0] * s[0] + s[1] * s[1]; /* charges here have kC in them */
    const double slope = ewald_transform_slope(g->ewald.alpha, g->damping, vector_dot(k, k));
    strain_add_kvec(k, weight / COULOMB_CONSTANT * size, slope / g->lattice.measure * size, out);
}

static void large_strain_rows(const large *g, double out[6])
{
    for (int32_t r = 0; r < g->ewald.n_rows; ++r) {
        const cpu_kvec_row *w = &g->ewald.rows[r];
        for (int32_t m = 0; m <= w->last; ++m) {
            const double *weight = g->ewald.weights[w->first + m], *s = g->row_sums[w->first + m];
            large_strain_kvec(g, (const int32_t[3]){w->n[0], w->n[1], m}, weight[0], s, out);
            large_strain_kvec(g, (const int32_t[3]){w->n[0], w->n[1], -m}, weight[1], s + 2, out);
        }
    }
}

/* After large_forces, of a system that repeats. */
static void large_find_strain(const large *g, const double (*pos)[3], double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    for (int kind = 0; kind < TERM_N_KINDS; ++kind) large_strain_terms(g, kind, out);
    for (int32_t i = 0; i < g->n_particles; ++i)
        for (int k = 0; k < 6; ++k) out[k] += g->strain[i][k];
    if (g->coulomb == LARGE_VOLUME) large_strain_rows(g, out);
    for (int32_t p = 0; p < mesh_planes(g) && g->coulomb == LARGE_MESH; ++p)
        for (int k = 0; k < 6; ++k) out[k] += g->mesh.strain[p][k];
    large_strain_frames(g, out);
    strain_add_volume(g->system, g->options, &g->lattice,
                      g->coulomb == LARGE_VOLUME || g->coulomb == LARGE_MESH ? g->ewald.alpha : 0,
                      g->damping, out);
    strain_add_restraints(g->system, pos, g->options, out);
}
