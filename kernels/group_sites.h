/* SPDX-License-Identifier: BSD-3-Clause
 * Sites beside the atoms of a system, one per work-item: they are placed before pairs, and what acts on them goes
 * to the atoms of their frames by slots, as bonded terms do. Positions and rows of sites follow those of atoms. */
#ifndef SHOAL_KERNELS_GROUP_SITES_H
#define SHOAL_KERNELS_GROUP_SITES_H

#include "group_surface.h"

#ifdef SHOAL_SITES
#include "site_terms.h"

#define SITE_ARGUMENTS , global const uint4 *sites
#define SITE_DATA , sites + t.site

/* A site and its frame at the present positions. */
typedef struct group_site {
    uint host, from[3], to[3], slot;
    int n_arms, plain;
    real x[3], y[3], at[3];
    site_frame frame;
} group_site;

SHOAL_FN group_site load_site(const program_data *data, int k, local const real4 *pos)
{
    const uint4 a = data->sites[SITE_WORDS * k], b = data->sites[SITE_WORDS * k + 1];
    const uint4 c = data->sites[SITE_WORDS * k + 2], d = data->sites[SITE_WORDS * k + 3];
    const group_site s = {a.x & 0xffffu,
                          {a.x >> 16, a.y >> 16, a.z >> 16},
                          {a.y & 0xffffu, a.z & 0xffffu, a.w & 0xffffu},
                          b.x,
                          (int)(a.w >> 16 & 0xffu),
                          (int)(a.w >> 24),
                          {NUMBER(data, b.y), NUMBER(data, b.z), NUMBER(data, b.w)},
                          {NUMBER(data, c.x), NUMBER(data, c.y), NUMBER(data, c.z)},
                          {NUMBER(data, c.w), NUMBER(data, d.x), NUMBER(data, d.y)}};
    group_site out = s;
    v3 arms[3];
    for (int m = 0; m < 3; ++m) arms[m] = v3_sub(load3(pos, s.to[m]), load3(pos, s.from[m]));
    out.frame = site_frame_of(s.x, s.y, arms, s.plain);
    return out;
}

SHOAL_FN void place_sites(const topology_record *t, const program_data *data, local real4 *pos)
{
    for (int k = (int)get_local_id(0); k < t->n_sites; k += WG) {
        const group_site s = load_site(data, k, pos);
        store3(pos, t->n_points + k, v3_add(load3(pos, s.host), site_offset(&s.frame, s.at)));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* The forces of pairs and of the surface on the sites. */
SHOAL_FN void spread_sites(const topology_record *t, const program_data *data,
                           const surface_data *surface, local const real4 *pos, local real4 *slot,
                           energies *e)
{
    for (int k = (int)get_local_id(0); k < t->n_sites; k += WG) {
        const int i = t->n_points + k;
        const group_site s = load_site(data, k, pos);
        v3 f = load3(slot, t->n_slots + i), pull[3];
        ADD_SURFACE(f, surface, t->atom + i, pos[i], e);
        site_pull(&s.frame, s.x, s.y, s.at, s.plain, f, pull);
        store3(slot, s.slot, f);
        for (int m = 0; m < s.n_arms; ++m) {
            store3(slot, s.slot + 1 + 2 * m, pull[m]);
            store3(slot, s.slot + 2 + 2 * m, v3_scale(R(-1.0), pull[m]));
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

#define PLACE_SITES(t, data, pos) place_sites(t, data, pos)
#define SPREAD_SITES(t, data, surface, pos, slot, e) spread_sites(t, data, surface, pos, slot, e)

#else
#define SITE_ARGUMENTS
#define SITE_DATA
#define PLACE_SITES(t, data, pos)
#define SPREAD_SITES(t, data, surface, pos, slot, e)
#endif

#endif
