/* SPDX-License-Identifier: BSD-3-Clause
 * Charges on a mesh by cardinal B-splines (Essmann et al., J. Chem. Phys. 103 (1995) 8577): valid as C17 and OpenCL
 * C 1.2. */
#ifndef SHOAL_KERNELS_MESH_TERMS_H
#define SHOAL_KERNELS_MESH_TERMS_H
#include "real.h"

/* Orders are even; the highest. */
#define MESH_ORDER 12

/* With a constant order loops are unrolled. */
#define MESH_BY_ORDER(order, call)                                                                 \
    switch (order) {                                                                               \
    case 4: call(4); break;                                                                        \
    case 6: call(6); break;                                                                        \
    case 8: call(8); break;                                                                        \
    case 10: call(10); break;                                                                      \
    default: call(MESH_ORDER); break;                                                              \
    }

/* What an atom gives to the nodes first .. first + order - 1 along an axis, where first + order - 1 + w is its place, and
 * the slope of that. */
SHOAL_FN void mesh_spline(int order, real w, real *value, real *slope)
{
    real v[MESH_ORDER]; /* M_k(w + j) */
    v[0] = w;
    v[1] = R(1.0) - w;
    for (int k = 3; k <= order; ++k) {
        if (k == order)
            for (int j = 0; j < order; ++j)
                slope[order - 1 - j] =
                    (j < order - 1 ? v[j] : R(0.0)) - (j > 0 ? v[j - 1] : R(0.0));
        const real scale = R(1.0) / (real)(k - 1);
        v[k - 1] = R(0.0);
        for (int j = k - 1; j > 0; --j)
            v[j] = scale * ((w + (real)j) * v[j] + ((real)(k - j) - w) * v[j - 1]);
        v[0] = scale * w * v[0];
    }
    for (int j = 0; j < order; ++j) value[order - 1 - j] = v[j];
}

#endif
