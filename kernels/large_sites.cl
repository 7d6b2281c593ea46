/* SPDX-License-Identifier: BSD-3-Clause
 * Places the sites of large systems beside their atoms, before lists are made and before pairs. */
#include "large_sites.h"

/* A site may turn further than any atom moves: then it wants the list to be made anew, which everyone waits for. */
kernel __attribute__((reqd_work_group_size(WG, 1, 1))) void large_place(LARGE_ARGUMENTS)
{
    LARGE_SETUP
    const large_space space = LARGE_SPACE;
    const int k = block.y + l, i = n + k;
    if (stat[LARGE_OUTCOME] != STEP_GOING || k >= t->n_sites) return;
    const large_site s = LARGE_SITE(k);
    const v3 r = v3_add(from4(positions[at + s.host]), site_offset(&s.frame, s.at));
    const v3 since = v3_sub(r, from4(origins[at + i]));
    positions[at + i] = to4(r, 0);
    wrapped[at + i] = large_wrap(geo, anchors[at + i], r, images[at + i], atoms[t->atom + i].z);
    if (LARGE_HAS_PHASES(sys)) turns[at + i] = large_turns(geo, anchor_turns[at + i], r);
    if (sys->periodic && stat[LARGE_FLAGS] == 0 && v3_dot(since, since) > settings[LARGE_SKIN2])
        (void)atomic_or(stat + LARGE_FLAGS, LARGE_STALE);
}
