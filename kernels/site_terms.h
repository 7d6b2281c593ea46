/* SPDX-License-Identifier: BSD-3-Clause
 * Sites beside atoms: where they are, and what a force on one does to the atoms of its frame. See shoal_site. */
#ifndef SHOAL_KERNELS_SITE_TERMS_H
#define SHOAL_KERNELS_SITE_TERMS_H

#include "real.h"

/* The frame of a site and what it was made of. */
typedef struct site_frame {
    v3 e[3];         /* unit vectors */
    real inverse[3]; /* of the lengths before */
    v3 x, y, z;      /* axes; y and z only where they are used */
    v3 sum_y;        /* what y is made of */
    real by_x, by_y; /* inverse lengths of the sums */
} site_frame;

SHOAL_FN v3 site_sum(const real w[3], const v3 e[3])
{
    return v3_add(v3_scale(w[0], e[0]), v3_add(v3_scale(w[1], e[1]), v3_scale(w[2], e[2])));
}

/* arms[3]: from an atom to another one; those without weights must not vanish either. */
SHOAL_FN site_frame site_frame_of(const real x[3], const real y[3], const v3 arms[3], int plain)
{
    site_frame f;
    for (int k = 0; k < 3; ++k) {
        f.inverse[k] = real_rsqrt(v3_dot(arms[k], arms[k]));
        f.e[k] = v3_scale(f.inverse[k], arms[k]);
    }
    const v3 a = site_sum(x, f.e);
    f.by_x = real_rsqrt(v3_dot(a, a));
    f.x = v3_scale(f.by_x, a);
    f.y = f.z = f.sum_y = v3_make(0, 0, 0);
    f.by_y = 0;
    if (plain) return f;
    f.sum_y = site_sum(y, f.e);
    const v3 aside = v3_sub(f.sum_y, v3_scale(v3_dot(f.sum_y, f.x), f.x));
    f.by_y = real_rsqrt(v3_dot(aside, aside));
    f.y = v3_scale(f.by_y, aside);
    f.z = v3_cross(f.x, f.y);
    return f;
}

/* From the host to the site. */
SHOAL_FN v3 site_offset(const site_frame *f, const real at[3])
{
    return v3_add(v3_scale(at[0], f->x), v3_add(v3_scale(at[1], f->y), v3_scale(at[2], f->z)));
}

/* What is left of a without its part along the unit vector u, over a length. */
SHOAL_FN v3 site_turn(v3 a, v3 u, real inverse)
{
    return v3_scale(inverse, v3_sub(a, v3_scale(v3_dot(a, u), u)));
}

/* A force on the site as forces on the arms: out[k] acts on the tip of arm k and its opposite on the base, besides the
 * force itself on the host. */
SHOAL_FN void site_pull(const site_frame *f, const real x[3], const real y[3], const real at[3],
                        int plain, v3 force, v3 out[3])
{
    v3 on_x = v3_scale(at[0], force), on_sum = v3_make(0, 0, 0);
    if (!plain) {
        const v3 on_z = v3_scale(at[2], force);
        const v3 on_y = v3_add(v3_scale(at[1], force), v3_cross(on_z, f->x));
        const v3 aside = site_turn(on_y, f->y, f->by_y);
        const real along = v3_dot(f->x, aside);
        on_sum = v3_sub(aside, v3_scale(along, f->x));
        on_x = v3_add(on_x, v3_cross(f->y, on_z));
        on_x = v3_sub(on_x,
                      v3_add(v3_scale(along, f->sum_y), v3_scale(v3_dot(f->sum_y, f->x), aside)));
    }
    const v3 on_a = site_turn(on_x, f->x, f->by_x);
    for (int k = 0; k < 3; ++k)
        out[k] =
            site_turn(v3_add(v3_scale(x[k], on_a), v3_scale(y[k], on_sum)), f->e[k], f->inverse[k]);
}

#endif
