/* SPDX-License-Identifier: BSD-3-Clause
 * Sites beside atoms: their places, and the forces on them handed to atoms.
 *
 * Vectors carry a derivative along (forward differentiation): the place of a site is computed once for every
 * coordinate of every arm of its frame. */
#include <string.h>

#include "backend/ref/ref.h"

/* A vector and its derivative. */
typedef struct moving {
    v3 at, by;
} moving;

static moving moving_add(moving a, double w, moving b)
{
    return (moving){v3_add(a.at, v3_scale(w, b.at)), v3_add(a.by, v3_scale(w, b.by))};
}

static moving moving_unit(moving a)
{
    const double length = v3_length(a.at);
    const v3 u = v3_scale(1.0 / length, a.at);
    return (moving){u, v3_scale(1.0 / length, v3_sub(a.by, v3_scale(v3_dot(u, a.by), u)))};
}

static moving moving_cross(moving a, moving b)
{
    return (moving){v3_cross(a.at, b.at), v3_add(v3_cross(a.by, b.at), v3_cross(a.at, b.by))};
}

/* a without what it has along the unit vector u: u x (a x u). */
static moving moving_across(moving a, moving u)
{
    return moving_cross(u, moving_cross(a, u));
}

static moving weighted(const double w[3], const moving arms[3])
{
    moving sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < 3; ++k)
        if (w[k] != 0.0) sum = moving_add(sum, w[k], moving_unit(arms[k]));
    return sum;
}

/* From the host to the site. */
static moving site_place(const shoal_site *site, const moving arms[3])
{
    const double *at = site->local;
    const moving none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
                 x = moving_unit(weighted(site->x, arms));
    const moving along = moving_add(none, at[0], x);
    if (at[1] == 0.0 && at[2] == 0.0) return along;
    const moving y = moving_unit(moving_across(weighted(site->y, arms), x));
    return moving_add(moving_add(along, at[1], y), at[2], moving_cross(x, y));
}

static void find_arms(const ref_system *sys, const shoal_site *site, moving arms[3])
{
    for (int k = 0; k < 3; ++k)
        arms[k] = (moving){v3_sub(ref_position(sys, site->to[k], site->shift[k]),
                                  ref_position(sys, site->from[k], NULL)),
                           {0.0, 0.0, 0.0}};
}

void ref_sites_place(const ref_system *sys, double (*pos)[3])
{
    const shoal_topology_view *v = sys->view;
    for (int32_t s = 0; s < v->n_sites; ++s) {
        moving arms[3];
        find_arms(sys, &v->sites[s], arms);
        const v3 r =
            v3_add(ref_position(sys, v->sites[s].host, NULL), site_place(&v->sites[s], arms).at);
        pos[v->n_atoms + s][0] = r.x;
        pos[v->n_atoms + s][1] = r.y;
        pos[v->n_atoms + s][2] = r.z;
    }
}

void ref_sites_spread(const ref_system *sys, ref_sink *sink)
{
    const shoal_topology_view *v = sys->view;
    double(*forces)[3] = sink->forces;
    for (int32_t s = 0; s < v->n_sites; ++s) {
        const shoal_site *site = &v->sites[s];
        const v3 force = v3_from(forces[v->n_atoms + s]);
        moving arms[3];
        find_arms(sys, site, arms);
        ref_push(sink, site->host, force);
        /* Strain turns and bends the frame, and does not stretch what it holds. */
        ref_strain(sink, site_place(site, arms).at, v3_scale(-1.0, force));
        for (int k = 0; k < 3; ++k) {
            double pull[3];
            for (int c = 0; c < 3; ++c) {
                arms[k].by = (v3){c == 0, c == 1, c == 2};
                pull[c] = v3_dot(force, site_place(site, arms).by);
            }
            arms[k].by = (v3){0.0, 0.0, 0.0};
            ref_push_pair(sink, site->from[k], site->to[k], arms[k].at, v3_from(pull));
        }
        memset(forces[v->n_atoms + s], 0, sizeof forces[0]);
    }
}
