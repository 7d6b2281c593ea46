/* SPDX-License-Identifier: BSD-3-Clause
 * Periodic vectors, their dual basis, and the images of a vector within a cut-off. */
#include "backend/ref/ref.h"

/* The unit vector along the axis that makes the largest angle with v. */
static v3 far_axis(v3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    if (x <= y && x <= z) return (v3){1.0, 0.0, 0.0};
    return y <= z ? (v3){0.0, 1.0, 0.0} : (v3){0.0, 0.0, 1.0};
}

/* Fills in the vectors that do not repeat, keeping the periodic ones where they are. */
static void complete(ref_lattice *lattice)
{
    v3 *a = lattice->a;
    if (lattice->n_periodic == 0) {
        for (int k = 0; k < 3; ++k) a[k] = (v3){k == 0, k == 1, k == 2};
    } else if (lattice->n_periodic == 1) {
        const int p = lattice->pbc[0] ? 0 : lattice->pbc[1] ? 1 : 2;
        const v3 u = v3_cross(a[p], far_axis(a[p]));
        const v3 w = v3_cross(a[p], u);
        a[(p + 1) % 3] = v3_scale(1.0 / v3_length(u), u);
        a[(p + 2) % 3] = v3_scale(1.0 / v3_length(w), w);
    } else if (lattice->n_periodic == 2) {
        const int p = !lattice->pbc[0] ? 0 : !lattice->pbc[1] ? 1 : 2;
        const v3 n = v3_cross(a[(p + 1) % 3], a[(p + 2) % 3]);
        a[p] = v3_scale(1.0 / v3_length(n), n);
    }
}

bool ref_lattice_init(ref_lattice *lattice, const double cell[3][3], const bool pbc[3])
{
    *lattice = (ref_lattice){0};
    double scale = 1.0;
    for (int k = 0; k < 3; ++k) {
        lattice->pbc[k] = pbc[k];
        if (!pbc[k]) continue;
        ++lattice->n_periodic;
        lattice->a[k] = v3_from(cell[k]);
        scale *= v3_length(lattice->a[k]);
    }
    complete(lattice);
    const v3 *a = lattice->a;
    const double det = v3_dot(a[0], v3_cross(a[1], a[2]));
    /* Vectors nearer to dependence than 1e-9 give a dual basis of rounding errors. */
    if (!isfinite(scale) || !(fabs(det) > 1e-9 * scale)) return false;
    for (int k = 0; k < 3; ++k)
        lattice->b[k] = v3_scale(1.0 / det, v3_cross(a[(k + 1) % 3], a[(k + 2) % 3]));
    lattice->measure = fabs(det);
    return true;
}

v3 ref_lattice_shift(const ref_lattice *lattice, const int32_t shift[3])
{
    v3 r = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k)
        if (lattice->pbc[k]) r = v3_add(r, v3_scale(shift[k], lattice->a[k]));
    return r;
}

void ref_lattice_visit(const ref_lattice *lattice, v3 d, double cutoff, ref_image_visitor *visit,
                       void *user)
{
    /* The planes of images along vector k are 1/|b[k]| apart, so |f + n| <= cutoff |b[k]|. */
    int32_t first[3] = {0}, last[3] = {0};
    for (int k = 0; k < 3; ++k) {
        if (!lattice->pbc[k]) continue;
        const double f = v3_dot(d, lattice->b[k]), reach = cutoff * v3_length(lattice->b[k]);
        first[k] = (int32_t)ceil(-reach - f);
        last[k] = (int32_t)floor(reach - f);
    }
    for (int32_t na = first[0]; na <= last[0]; ++na)
        for (int32_t nb = first[1]; nb <= last[1]; ++nb)
            for (int32_t nc = first[2]; nc <= last[2]; ++nc) {
                const int32_t shift[3] = {na, nb, nc};
                const v3 image = v3_add(d, ref_lattice_shift(lattice, shift));
                if (v3_dot(image, image) < cutoff * cutoff) visit(user, shift, image);
            }
}

bool ref_is_upper(const int32_t shift[3])
{
    for (int k = 0; k < 3; ++k)
        if (shift[k] != 0) return shift[k] > 0;
    return false;
}
