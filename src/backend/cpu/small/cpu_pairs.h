/* SPDX-License-Identifier: BSD-3-Clause
 * Non-bonded pairs as vectors of SHOAL_LANES numbers, one pair in every lane: of so many systems, or
 * of so many partners of an atom. The operations are the same as on single numbers. Included by the
 * template cpu_kernels.c. */

/* Partners of an atom are worked on in tiles of so many: 18 kB of coordinates and forces for 16 lanes
 * in float. */
#define PAIR_TILE 48
#define TILE_VECTORS (PAIR_TILE / SHOAL_LANES)

/* A pair as systems of one topology share it. */
typedef struct pair_par {
    int32_t j;
    real x6, c6, kqq; /* as in pair_terms.h */
} pair_par;

/* One pair in every lane; in the tables of a single system those of an atom with so many atoms in a row,
 * and x6 is -1 where there is no pair. */
typedef struct pair_row {
    vec x6, c6, kqq;
} pair_row;

/* One pair in every lane from its squared distance: returns g, the force on i is g (r_i - r_j);
 * energies as pair_terms.h has them. Lanes that are not there get zeros, wherever their atoms are. */
SHOAL_FN vec pair_strength(vec r2, const pair_row *p, vec_mask there, bool charged, real damping2,
                           vec *vdw, vec *coulomb)
{
    const vec ir2 = (vec)((vec_mask)(R(1.0) / r2) & there), ir6 = ir2 * ir2 * ir2;
    const vec_mask near = p->x6 * ir6 > VDW_NEAR;
    vec s;
    *vdw = pair_vdw_vec(p->x6, (vec)((vec_mask)p->c6 & near), ir6, &s);
    vec g = s * ir2;
    if (charged) {
        const vec id = (vec)((vec_mask)vec_rsqrt(r2 + damping2) & there);
        *coulomb = pair_coulomb_vec(p->kqq, id);
        g += *coulomb * id * id;
    }
    return g;
}
