/* SPDX-License-Identifier: BSD-3-Clause
 * Lone pairs and sigma holes of a large system. Included by the template cpu_kernels.c. */

SHOAL_FN site_frame large_frame_of(const large *g, const large_frame *f)
{
    v3 arms[3];
    for (int k = 0; k < 3; ++k) arms[k] = large_arm(g, f->row.to[k], f->row.from[k], f->shift[k]);
    return site_frame_of(f->row.x, f->row.y, arms, f->row.plain);
}

/* Puts frame n to where its atoms are now. */
static void large_place_frame(large *g, int32_t n)
{
    const large_frame *f = &g->frames[n];
    const site_frame axes = large_frame_of(g, f);
    const v3 at = site_offset(&axes, f->row.local);
    const double *host = g->r[f->row.host];
    double *r = g->r[g->n + n];
    r[0] = host[0] + (double)at.x;
    r[1] = host[1] + (double)at.y;
    r[2] = host[2] + (double)at.z;
}

/* Hands the forces on frames to the atoms they move with, one after the other. */
static void large_spread_frames(const large *g, block_1 *force)
{
    for (int32_t n = 0; n < g->n_particles - g->n; ++n) {
        const large_frame *f = &g->frames[n];
        const site_frame axes = large_frame_of(g, f);
        const v3 pull = g->force[g->n + n];
        v3 out[3];
        site_pull(&axes, f->row.x, f->row.y, f->row.local, f->row.plain, pull, out);
        add_1(&force[f->row.host], 0, pull);
        for (int k = 0; k < 3; ++k) {
            add_1(&force[f->row.to[k]], 0, out[k]);
            subtract_1(&force[f->row.from[k]], 0, out[k]);
        }
    }
}
