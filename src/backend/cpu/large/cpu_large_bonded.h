/* SPDX-License-Identifier: BSD-3-Clause
 * Bonded terms of a large system, chunk by chunk: every term writes the forces on its atoms into
 * slots of its own. Included by the template cpu_kernels.c. */

/* r_i - r_j + shift */
SHOAL_FN v3 large_arm(const large *g, int32_t i, int32_t j, const double shift[3])
{
    const double *a = g->r[i], *b = g->r[j];
    return v3_make((real)(a[0] - b[0] + shift[0]), (real)(a[1] - b[1] + shift[1]),
                   (real)(a[2] - b[2] + shift[2]));
}

static double large_bonds(large *g, int32_t first, int32_t last)
{
    real sum = 0;
    for (int32_t n = first; n < last; ++n) {
        const large_bond *t = &g->bonds[n];
        v3 *f = g->slots + 2 * n;
        sum += uff_bond(t->p, large_arm(g, t->atoms[0], t->atoms[1], t->shift), &f[0]);
        f[1] = v3_scale(R(-1.0), f[0]);
    }
    return (double)sum;
}

static double large_angles(large *g, int32_t first, int32_t last)
{
    real sum = 0;
    for (int32_t n = first; n < last; ++n) {
        const large_angle *t = &g->angles[n];
        v3 *f = g->slots + 2 * g->n_bonds + 3 * n;
        sum += uff_angle(t->p, large_arm(g, t->atoms[0], t->atoms[1], t->shift[0]),
                         large_arm(g, t->atoms[2], t->atoms[1], t->shift[1]), &f[0], &f[2]);
        f[1] = v3_scale(R(-1.0), v3_add(f[0], f[2]));
    }
    return (double)sum;
}

static double large_torsions(large *g, int32_t first, int32_t last)
{
    real sum = 0;
    for (int32_t n = first; n < last; ++n) {
        const large_torsion *t = &g->torsions[n];
        v3 *f = g->slots + 2 * g->n_bonds + 3 * g->n_angles + 4 * n;
        const v3 a = large_arm(g, t->atoms[0], t->atoms[1], t->shift[0]);
        const v3 b = large_arm(g, t->atoms[2], t->atoms[1], t->shift[1]);
        const v3 c = large_arm(g, t->atoms[3], t->atoms[2], t->shift[2]);
        if (uff_torsion_is_straight(a, b, c))
            sum += uff_torsion_straight(t->p, a, b, c, &f[0], &f[1], &f[2], &f[3]);
        else
            sum += uff_torsion(t->p, a, b, c, &f[0], &f[1], &f[2], &f[3]);
    }
    return (double)sum;
}

static double large_inversions(large *g, int32_t first, int32_t last)
{
    real sum = 0;
    for (int32_t n = first; n < last; ++n) {
        const large_inversion *t = &g->inversions[n];
        v3 *f = g->slots + 2 * g->n_bonds + 3 * g->n_angles + 4 * (g->n_torsions + n);
        const v3 a = large_arm(g, t->atoms[0], t->atoms[1], t->shift[0]);
        const v3 b = large_arm(g, t->atoms[2], t->atoms[1], t->shift[1]);
        const v3 c = large_arm(g, t->atoms[3], t->atoms[1], t->shift[2]);
        if (uff_inversion_is_straight(a, b, c))
            sum += uff_inversion_straight(t->p, a, b, c, &f[0], &f[2], &f[3]);
        else
            sum += uff_inversion(t->p, a, b, c, &f[0], &f[2], &f[3]);
        f[1] = v3_scale(R(-1.0), v3_add(v3_add(f[0], f[2]), f[3]));
    }
    return (double)sum;
}

/* The kinds of terms, in the order of slots and chunks. */
enum { LARGE_KINDS = 4 };

static int32_t large_kind_size(const large *g, int kind)
{
    const int32_t sizes[LARGE_KINDS] = {g->n_bonds, g->n_angles, g->n_torsions, g->n_inversions};
    return sizes[kind];
}

static void large_bonded(large *g, int32_t chunk)
{
    static double (*const sums[LARGE_KINDS])(large *, int32_t, int32_t) = {
        large_bonds, large_angles, large_torsions, large_inversions};
    int32_t first = chunk;
    for (int kind = 0; kind < LARGE_KINDS; ++kind) {
        const int32_t n_terms = large_kind_size(g, kind), n = large_chunks(n_terms);
        if (first < n) {
            const int32_t from = first * LARGE_CHUNK, to = from + LARGE_CHUNK;
            g->chunk_energy[chunk] = sums[kind](g, from, to < n_terms ? to : n_terms);
            return;
        }
        first -= n;
    }
}

/* Forces of all terms on the atoms of a tile. */
static void large_gather(large *g, int32_t first, int32_t last)
{
    for (int32_t i = first; i < last; ++i)
        for (int32_t k = g->gather_start[i]; k < g->gather_start[i + 1]; ++k)
            g->force[i] = v3_add(g->force[i], g->slots[g->gather[k]]);
}
