/* SPDX-License-Identifier: BSD-3-Clause
 * Sites beside the atoms of a large system. They have anchors, cells and lists as atoms do, and move with them. */
#ifndef SHOAL_KERNELS_LARGE_SITES_H
#define SHOAL_KERNELS_LARGE_SITES_H

#include "large.h"
#include "site_terms.h"

/* A site and its frame at the present positions. */
typedef struct large_site {
    int host, n_arms, plain;
    real x[3], y[3], at[3];
    site_frame frame;
} large_site;

/* words and numbers: those of the site. */
SHOAL_FN large_site large_load_site(const large_space *space, global const int *words,
                                    global const real *numbers)
{
    large_site s;
    v3 arms[3];
    s.host = words[LARGE_S_HOST];
    s.n_arms = words[LARGE_S_ARMS];
    s.plain = words[LARGE_S_PLAIN];
    for (int k = 0; k < 3; ++k) {
        s.x[k] = numbers[k];
        s.y[k] = numbers[3 + k];
        s.at[k] = numbers[6 + k];
        arms[k] = large_apart(space, words[LARGE_S_FROM + k], words[LARGE_S_TO + k],
                              large_shift(words[LARGE_S_SHIFT + k]));
    }
    s.frame = site_frame_of(s.x, s.y, arms, s.plain);
    return s;
}

/* Site k of the system, in a kernel that has a space. */
#define LARGE_SITE(k)                                                                              \
    large_load_site(&space, site_atoms + 4 * LARGE_SITE_FOURS * (t->site + (k)),                   \
                    site_numbers + 4 * LARGE_SITE_FOURS * (t->site + (k)))

#endif
