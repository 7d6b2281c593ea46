/* SPDX-License-Identifier: BSD-3-Clause
 * Ranges of distance geometry: nearly all pairs of a system, atom by atom, so that what belongs to one atom stays in
 * registers while its partners pass by. The order is that of the terms, whose bits these are: a range that is kept adds
 * zeros, which change none. Included by cpu_lanes.h. */

/* All terms of the kind. */
static void LANE(eval_ranges)(const kind_table *k, const LANE(block) *restrict pos,
                              LANE(block) *restrict force, LANE(energies) *restrict energies)
{
    enum { NUMBERS = 3 };
    if (k->n == 0) return;
    NUMBER energy = {0};
    for (int32_t n = 0; n < k->n;) {
        const int32_t i = k->atoms[2 * n];
        const VECTOR ri = LANE(get_all)(&pos[i]);
        VECTOR fi = LANE(get_all)(&force[i]);
        for (; n < k->n && k->atoms[2 * n] == i; ++n) {
            const int32_t j = k->atoms[2 * n + 1];
            const real *p = k->numbers + NUMBERS * n;
            const VECTOR arm = V3(sub)(LANE(get_all)(&pos[j]), ri);
            NUMBER e;
            const VECTOR pull = V3(scale)(
                ON(range_pull)(V3(dot)(arm, arm), PAR(p[0]), PAR(p[1]), PAR(p[2]), &e), arm);
            fi = V3(add)(fi, pull);
            LANE(put_all)(&force[j], V3(sub)(LANE(get_all)(&force[j]), pull));
            energy += e;
        }
        LANE(put_all)(&force[i], fi);
    }
    LANE(add_energy)(energies, SHOAL_TERM_BOND, &energy);
}

#if LANES == 1
/* Coordinates and forces of one system, a row for each component. */
typedef struct range_field {
    _Alignas(vec) real r[3][RANGE_MOST], f[3][RANGE_MOST];
} range_field;

SHOAL_FN vec *range_vector(real *row, int32_t v)
{
    return (vec *)(void *)(row + v * SHOAL_LANES);
}

/* Atom i and one vector of its partners; what they do to it is added one by one. */
SHOAL_FN void meet_ranges(range_field *at, int32_t v, const range_row *row, const real r[3],
                          real f[3], real *energy)
{
    const vec zero = {0};
    const vec arm[3] = {*range_vector(at->r[0], v) - r[0], *range_vector(at->r[1], v) - r[1],
                        *range_vector(at->r[2], v) - r[2]};
    const vec r2 = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
    const vec_mask kept = (r2 * row->upper - R(1.0) <= zero) & (row->lower2 - r2 <= zero);
    if (!vec_any(~kept)) return;
    vec own, pull[3];
    const vec g = range_pull_vec(r2, row->k, row->lower2, row->upper, &own);
    for (int c = 0; c < 3; ++c) {
        pull[c] = g * arm[c];
        *range_vector(at->f[c], v) -= pull[c];
    }
    for (int l = 0; l < SHOAL_LANES; ++l) {
        for (int c = 0; c < 3; ++c) f[c] += pull[c][l];
        *energy += own[l];
    }
}

/* All ranges of a system whose tables have them as rows. */
static void eval_range_rows(const tables *t, const block_1 *restrict pos, block_1 *restrict force,
                            energies_1 *restrict energies)
{
    range_field at;
    real energy = 0;
    const range_row *row = t->range_rows;
    const int32_t n = t->n_points, n_vectors = (n + SHOAL_LANES - 1) / SHOAL_LANES;
    for (int c = 0; c < 3; ++c)
        for (int32_t i = 0; i < n_vectors * SHOAL_LANES; ++i) {
            at.r[c][i] = i < n ? pos[i].v[c][0] : R(0.0);
            at.f[c][i] = i < n ? force[i].v[c][0] : R(0.0);
        }
    for (int32_t i = 0; i < n; ++i) {
        const real r[3] = {at.r[0][i], at.r[1][i], at.r[2][i]};
        real f[3] = {at.f[0][i], at.f[1][i], at.f[2][i]};
        for (int32_t v = (i + 1) / SHOAL_LANES; v < n_vectors; ++v, ++row)
            meet_ranges(&at, v, row, r, f, &energy);
        for (int c = 0; c < 3; ++c) force[i].v[c][0] = f[c];
    }
    add_energy_1(energies, SHOAL_TERM_BOND, &energy);
}
#endif

static void LANE(eval_all_ranges)(const tables *t, const LANE(block) * pos, LANE(block) * force,
                                  LANE(energies) * e)
{
#if LANES == 1
    if (t->range_rows) {
        eval_range_rows(t, pos, force, e);
        return;
    }
#endif
    LANE(eval_ranges)(&t->kinds[TERM_KIND_RANGE], pos, force, e);
}
