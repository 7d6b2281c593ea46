/* SPDX-License-Identifier: BSD-3-Clause
 * Sites beside the atoms of LANES systems, lane by lane. Included by cpu_lanes.h. */

SHOAL_FN site_frame LANE(frame)(const site_row *s, const LANE(block) * pos, int l)
{
    v3 arms[3];
    for (int k = 0; k < 3; ++k)
        arms[k] = v3_sub(LANE(get)(&pos[s->to[k]], l), LANE(get)(&pos[s->from[k]], l));
    return site_frame_of(s->x, s->y, arms, s->plain);
}

static void LANE(place_sites)(const tables *t, LANE(block) * pos)
{
    for (int32_t n = 0; n < t->n_sites; ++n) {
        const site_row *s = &t->sites[n];
        for (int l = 0; l < LANES; ++l) {
            const site_frame f = LANE(frame)(s, pos, l);
            LANE(put)
            (&pos[t->n_points + n], l,
             v3_add(LANE(get)(&pos[s->host], l), site_offset(&f, s->local)));
        }
    }
}

/* Forces on sites become forces on the atoms that they move with. */
static void LANE(spread_sites)(const tables *t, const LANE(block) * pos, LANE(block) * force)
{
    for (int32_t n = 0; n < t->n_sites; ++n) {
        const site_row *s = &t->sites[n];
        for (int l = 0; l < LANES; ++l) {
            const site_frame f = LANE(frame)(s, pos, l);
            const v3 pull = LANE(get)(&force[t->n_points + n], l);
            v3 out[3];
            site_pull(&f, s->x, s->y, s->local, s->plain, pull, out);
            LANE(add)(&force[s->host], l, pull);
            for (int k = 0; k < 3; ++k) {
                LANE(add)(&force[s->to[k]], l, out[k]);
                LANE(subtract)(&force[s->from[k]], l, out[k]);
            }
        }
    }
}
