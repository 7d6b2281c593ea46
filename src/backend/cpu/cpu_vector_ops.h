/* SPDX-License-Identifier: BSD-3-Clause
 * Operations on vectors of N_OPS numbers of the type OPS_VEC, whose comparisons are OPS_MASK; OPS(name) names them.
 * Included for every such type. As loops, smaller, larger and root become one instruction each; selected by a
 * comparison, they would be four. */

SHOAL_FN OPS_VEC OPS(select)(OPS_MASK c, OPS_VEC a, OPS_VEC b)
{
    return (OPS_VEC)((c & (OPS_MASK)a) | (~c & (OPS_MASK)b));
}

SHOAL_FN OPS_VEC OPS(min)(OPS_VEC a, OPS_VEC b)
{
    PRAGMA(omp simd)
    for (int l = 0; l < N_OPS; ++l) a[l] = real_min(a[l], b[l]);
    return a;
}

SHOAL_FN OPS_VEC OPS(max)(OPS_VEC a, OPS_VEC b)
{
    PRAGMA(omp simd)
    for (int l = 0; l < N_OPS; ++l) a[l] = real_max(a[l], b[l]);
    return a;
}

SHOAL_FN OPS_VEC OPS(sqrt)(OPS_VEC x)
{
    OPS_VEC root;
    PRAGMA(omp simd)
    for (int l = 0; l < N_OPS; ++l) root[l] = real_sqrt(x[l]);
    return root;
}

/* 2^n from the last bits of n + 1.5 2^23 (doubles: 2^52). */
SHOAL_FN OPS_VEC OPS(power)(OPS_VEC shifted)
{
    const OPS_VEC one = (OPS_VEC){0} + R(1.0);
    return (OPS_VEC)(((OPS_MASK)shifted << (sizeof(real) == 4 ? 23 : 52)) + (OPS_MASK)one);
}

#undef N_OPS
#undef OPS
#undef OPS_MASK
#undef OPS_VEC
