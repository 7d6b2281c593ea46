/* SPDX-License-Identifier: BSD-3-Clause
 * Pairs of many systems of one topology, one system in every lane. Included by cpu_lanes.h. What
 * belongs to one atom stays in registers while its partners pass by. */

/* An atom and what its pairs add up to. */
typedef struct pair_sum {
    vec x, y, z, fx, fy, fz, vdw, coulomb;
} pair_sum;

SHOAL_FN pair_sum pair_sum_begin(const LANE(block) * pos, const LANE(block) * force)
{
    const vec *r = (const vec *)(const void *)pos, *f = (const vec *)(const void *)force;
    const vec zero = {0};
    return (pair_sum){r[0], r[1], r[2], f[0], f[1], f[2], zero, zero};
}

SHOAL_FN void pair_sum_end(const pair_sum *a, LANE(block) * force, vec *vdw, vec *coulomb)
{
    vec *f = (vec *)(void *)force;
    f[0] = a->fx;
    f[1] = a->fy;
    f[2] = a->fz;
    *vdw += a->vdw;
    *coulomb += a->coulomb;
}

/* Opposite forces on the atoms of a pair, g times their distance. */
SHOAL_FN void push_pair(pair_sum *a, vec *f, vec g, vec dx, vec dy, vec dz)
{
    a->fx += g * dx;
    a->fy += g * dy;
    a->fz += g * dz;
    f[0] -= g * dx;
    f[1] -= g * dy;
    f[2] -= g * dz;
}

/* One pair: adds to the sums of atom i, takes from the force on j. */
SHOAL_FN void add_pair(pair_sum *a, const pair_row *p, vec_mask there, const LANE(block) * rj,
                       LANE(block) * fj, bool charged, real damping2)
{
    const vec *r = (const vec *)(const void *)rj, zero = {0};
    const vec dx = a->x - r[0], dy = a->y - r[1], dz = a->z - r[2];
    const vec r2 = dx * dx + dy * dy + dz * dz;
    vec vdw, coulomb = zero;
    const vec g = pair_strength(r2, p, there, charged, damping2, NULL, &vdw, &coulomb);
    a->vdw += vdw;
    if (charged) a->coulomb += coulomb;
    push_pair(a, (vec *)(void *)fj, g, dx, dy, dz);
}

SHOAL_FN void LANE(add_pair_energies)(LANE(energies) * e, vec vdw, vec coulomb)
{
    for (int l = 0; l < LANES; ++l) {
        e->e[SHOAL_TERM_VDW][l] += vdw[l] / R(12.0);
        e->e[SHOAL_TERM_COULOMB][l] += coulomb[l];
    }
}

SHOAL_FN void LANE(eval_pairs)(const tables *t, const LANE(block) *restrict pos,
                               LANE(block) *restrict force, LANE(energies) *restrict e,
                               bool charged)
{
    const int32_t n_segments = t->n_tiles * t->n_points;
    const vec zero = {0};
    vec vdw = {0}, coulomb = {0};
    for (int32_t k = 0, i = 0; k < n_segments; ++k, i = i + 1 < t->n_points ? i + 1 : 0) {
        const int32_t first = t->pair_start[k], last = t->pair_start[k + 1];
        if (first == last) continue;
        pair_sum a = pair_sum_begin(&pos[i], &force[i]);
        for (int32_t n = first; n < last; ++n) {
            const pair_par *p = &t->pairs[n];
            const pair_row same = {zero + p->x6, zero + p->c6, zero + p->kqq};
            add_pair(&a, &same, ~(vec_mask){0}, &pos[p->j], &force[p->j], charged, t->damping2);
        }
        pair_sum_end(&a, &force[i], &vdw, &coulomb);
    }
    LANE(add_pair_energies)(e, vdw, coulomb);
}

/* Squared and inverse distance of a pair. */
typedef struct model_distance {
    vec r2, ir;
} model_distance;

SHOAL_FN model_distance model_distance_of(const pair_sum *a, const LANE(block) * rj)
{
    const vec *r = (const vec *)(const void *)rj;
    const vec dx = a->x - r[0], dy = a->y - r[1], dz = a->z - r[2];
    const vec r2 = dx * dx + dy * dy + dz * dz;
    return (model_distance){r2, vec_rsqrt(r2)};
}

/* One pair of a pair model. */
SHOAL_FN void add_model_pair(model_loop loop, model_constants c, pair_sum *a, const model_row *p,
                             vec_mask there, model_distance at, const LANE(block) * rj,
                             LANE(block) * fj)
{
    const vec *r = (const vec *)(const void *)rj, zero = {0};
    const vec dx = a->x - r[0], dy = a->y - r[1], dz = a->z - r[2];
    vec vdw = zero, coulomb = zero;
    const vec strength = model_strength(loop, c, at.r2, at.ir, p, NULL, &vdw, &coulomb);
    const vec g = (vec)((vec_mask)strength & there);
    if (loop.family != CPU_NO_VDW) a->vdw += (vec)((vec_mask)vdw & there);
    if (loop.coulomb != FORM_COULOMB_NONE) a->coulomb += (vec)((vec_mask)coulomb & there);
    push_pair(a, (vec *)(void *)fj, g, dx, dy, dz);
}

/* Pairs of which all distances are taken first: roots, quotients and exponentials of one pair after the other would be
 * one long chain of operations that wait for each other. */
enum { MODEL_CHUNK = 8 };

SHOAL_FN void LANE(add_model_pairs)(model_loop loop, model_constants c, pair_sum *a,
                                    const model_par *pairs, int32_t n, const LANE(block) * pos,
                                    LANE(block) * force)
{
    const vec zero = {0};
    model_distance at[MODEL_CHUNK];
    for (int32_t k = 0; k < n; ++k) at[k] = model_distance_of(a, &pos[pairs[k].j]);
    for (int32_t k = 0; k < n; ++k) {
        const model_par *p = &pairs[k];
        /* x - 0 is x, to the last bit, and so no operation. */
        const model_row same = {p->a - zero, p->b - zero, p->k - zero, p->kqq - zero};
        add_model_pair(loop, c, a, &same, ~(vec_mask){0}, at[k], &pos[p->j], &force[p->j]);
    }
}

SHOAL_FN void LANE(add_model_energies)(LANE(energies) * e, vec vdw, vec coulomb)
{
    for (int l = 0; l < LANES; ++l) {
        e->e[SHOAL_TERM_VDW][l] += vdw[l];
        e->e[SHOAL_TERM_COULOMB][l] += coulomb[l];
    }
}

SHOAL_FN void LANE(eval_model_loop)(model_loop loop, const tables *t,
                                    const LANE(block) *restrict pos, LANE(block) *restrict force,
                                    LANE(energies) *restrict e)
{
    const int32_t n = t->n_particles, n_segments = t->n_tiles * n;
    const model_constants c = t->constants;
    vec vdw = {0}, coulomb = {0};
    for (int32_t k = 0, i = 0; k < n_segments; ++k, i = i + 1 < n ? i + 1 : 0) {
        const int32_t first = t->pair_start[k], last = t->pair_start[k + 1];
        if (first == last) continue;
        pair_sum a = pair_sum_begin(&pos[i], &force[i]);
        for (int32_t m = first; m < last; m += MODEL_CHUNK) LANE(add_model_pairs)
        (loop, c, &a, &t->model_pairs[m], last - m < MODEL_CHUNK ? last - m : MODEL_CHUNK, pos,
         force);
        pair_sum_end(&a, &force[i], &vdw, &coulomb);
    }
    LANE(add_model_energies)(e, vdw, coulomb);
}

/* One loop over the pairs of a model, by its number. */
static void LANE(run_model_loop)(int number, const tables *t, const LANE(block) * pos,
                                 LANE(block) * force, LANE(energies) * e)
{
    switch (number) {
#define RUN_LOOP(family, damped, coulomb)                                                          \
    case MODEL_LOOP_NUMBER(family, damped, coulomb):                                               \
        LANE(eval_model_loop)((model_loop){family, coulomb, damped}, t, pos, force, e);            \
        break;
        MODEL_LOOPS(RUN_LOOP)
#undef RUN_LOOP
    default: break;
    }
}

/* One clamped pair. */
SHOAL_FN void add_clamped_pair(const clamp_loop *c, pair_sum *a, vec reach2, const pair_row *p,
                               const model_row *m, vec_mask there, const LANE(block) * rj,
                               LANE(block) * fj)
{
    const vec *r = (const vec *)(const void *)rj;
    const vec dx = a->x - r[0], dy = a->y - r[1], dz = a->z - r[2];
    const vec r2 = dx * dx + dy * dy + dz * dz;
    vec vdw, coulomb;
    const vec g = clamped_strength(c, r2, reach2, p, m, there, &vdw, &coulomb);
    if (c->has_vdw) a->vdw += vdw;
    if (c->charged) a->coulomb += coulomb;
    push_pair(a, (vec *)(void *)fj, g, dx, dy, dz);
}

/* All pairs of a loop in the order of the others; clamp2: of every lane. */
static void LANE(eval_clamped)(const clamp_loop *c, const tables *t, const LANE(block) * pos,
                               LANE(block) * force, LANE(energies) * e, const real clamp2[LANES])
{
    const int32_t n = t->n_particles, n_segments = t->n_tiles * n;
    const vec zero = {0};
    vec c2, vdw = {0}, coulomb = {0};
    memcpy(&c2, clamp2, sizeof c2);
    for (int32_t k = 0, i = 0; k < n_segments; ++k, i = i + 1 < n ? i + 1 : 0) {
        const int32_t first = t->pair_start[k], last = t->pair_start[k + 1];
        if (first == last) continue;
        pair_sum a = pair_sum_begin(&pos[i], &force[i]);
        for (int32_t m = first; m < last; ++m) {
            pair_row p = {zero, zero, zero};
            model_row q = {zero, zero, zero, zero};
            if (c->is_model)
                q = (model_row){t->model_pairs[m].a - zero, t->model_pairs[m].b - zero,
                                t->model_pairs[m].k - zero, t->model_pairs[m].kqq - zero};
            else
                p = (pair_row){zero + t->pairs[m].x6, zero + t->pairs[m].c6,
                               zero + t->pairs[m].kqq};
            const int32_t j = c->is_model ? t->model_pairs[m].j : t->pairs[m].j;
            add_clamped_pair(c, &a, c2 * t->reach2[m], &p, &q, ~(vec_mask){0}, &pos[j], &force[j]);
        }
        pair_sum_end(&a, &force[i], &vdw, &coulomb);
    }
    if (c->is_model)
        LANE(add_model_energies)(e, vdw, coulomb);
    else
        LANE(add_pair_energies)(e, vdw, coulomb);
}
